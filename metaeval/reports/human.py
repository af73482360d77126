# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether metrics agree with people: a comparison put into sections, words and pictures."""

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.agreement.human import HumanAgreement
from metaeval.agreement.metric_comparison import MetricComparison
from metaeval.base.names import count, natural_order
from metaeval.base.words import (
    End,
    absent,
    ends,
    interval,
    intervals,
    listed,
    number,
    p_value,
    percentage,
    sentence_case,
    share,
    text,
    whole,
)
from metaeval.page.blocks import Block, Fold, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, p_values, right, under
from metaeval.reports.data_files import csv_file
from metaeval.reports.shared import cited_in, decided_by, facts
from metaeval.studies.human import HumanStudy
from metaeval.tests_stat.correction import CORRECTIONS

_STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ",
    "accuracy": "pairwise accuracy",
}
_LEVELS = {"system": "at system level", "item": "at item level (mean over items)", "all": "over all scores"}
_SOURCES = ("kocmi2021", "deutsch2021", "williams1959", "graham2014", "ogilvie2006", "mathur2020")
_PANELS = 6
_DECIMAL = number(3)


def human_report(study: HumanStudy) -> Report:
    """Put a comparison with human scores into a report."""
    sections = [_agreement_section(study)]
    if study.comparison is not None or len(study.williams):
        sections.append(_comparison_section(study))
    if len(study.decisions):
        sections.append(_decisions_section(study))
    if len(study.pairs):
        sections.append(_pairs_section(study))
    sizes = {"metric": len(study.metrics), "system": len(study.means)}
    if study.scores is not None:
        sizes["item"] = study.scores.sizes["item"]
        if _clustered(study):
            sizes["cluster"] = len(np.unique(study.scores["cluster"]))
    return Report(
        command="human",
        title="Do the metrics agree with people?",
        facts=facts(**sizes),
        summary=_summary(study),
        sections=tuple(sections),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"means.csv": csv_file(study.means.rename_axis("system").reset_index())},
    )


def _first(study: HumanStudy) -> pd.DataFrame:
    """Return the leading agreement: metric, value, low and high, best first."""
    if study.agreements:
        return study.agreements[0].table
    lead = study.system_table["statistic"].iloc[0]
    frame = study.system_table[study.system_table["statistic"] == lead]
    return frame.assign(low=float("nan"), high=float("nan")).sort_values("value", ascending=False, kind="stable")


def _summary(study: HumanStudy) -> tuple[str, ...]:
    lead = _first(study)
    statistic = study.agreements[0].statistic if study.agreements else study.system_table["statistic"].iloc[0]
    n_resamples = study.agreements[0].n_resamples if study.agreements else 0
    confidence = f"{percentage(study.agreements[0].confidence_level)} interval " if study.agreements else ""
    level = study.agreements[0].level if study.agreements else "system"
    rows = lead.to_dict("records")
    best = ends(lead["metric"], lead["value"], [_valued(row, n_resamples, confidence) for row in rows])[1]
    last = ends(lead["metric"], lead["value"], [_valued(row, n_resamples) for row in rows])[0]
    alike = len(best.names) == len(lead) > 1
    closest = (
        f"The metric{best.verb('', 's')} {best.who} {best.verb('agrees', 'agree')} "
        f"{'equally well ' if alike else 'best ' * (len(lead) > 1)}with the human scores (column "
        f"{study.reference}) {_LEVELS[level]}: {_STATISTICS[statistic]} {best.figure}."
    )
    if len(lead) > len(best.names):
        which = f"The last of {len(lead)}" if len(lead) > 2 else "The other"  # noqa: PLR2004 - two
        closest += f" {which}, {last.who}, {last.verb('has', 'have')} {last.figure}."
    lines = [closest]
    if study.comparison is not None:
        lines.append(_wins_sentence(study.comparison.wins(study.alpha), best, _corrected(study)))
    if len(study.decisions):
        found = study.decisions.set_index("metric")
        top = ends(found.index, found["f1"], map(_DECIMAL, found["f1"]))[1]
        own, well = found.loc[[*top.names]].itertuples(), "equally well" if len(top.names) == len(found) > 1 else "best"
        parts = dict.fromkeys(f"precision {share(row.precision)}, recall {share(row.recall)}" for row in own)
        conflicts = int(study.decisions["n_conflicts"].sum())
        against = f"{count(conflicts, 'pair')} are" if conflicts > 1 else "1 pair is" if conflicts else "no pair is"
        lines.append(
            f"Significant pairs of systems: those under {top.who} predict those under {study.reference} {well} "
            f"({'; '.join(parts)}); over all metrics {against} significant in opposite directions."
        )
    return tuple(lines)


def _valued(row: Mapping[Hashable, float], n_resamples: int, confidence: str = "") -> str:
    """Return an agreement with its interval, if it has one."""
    ends = (
        ""
        if absent(row["low"])
        else f" ({confidence}{interval(row['low'], row['high'], _DECIMAL, draws=n_resamples, about=row['value'])})"
    )
    return f"{_DECIMAL(row['value'])}{ends}"


def _corrected(study: HumanStudy) -> str:
    return f"(permutation, {CORRECTIONS.words(study.correction)}, α = {study.alpha:g})"


def _wins_sentence(wins: pd.DataFrame, best: End, how: str) -> str:
    """Say how many others the best metrics are better than, and which ones no metric is better than."""
    others, n_others = wins.drop(index=[*best.names]), len(wins) - 1
    if others.empty:
        n_apart = int(wins["better_than"].sum())
        return f"{f'Of their pairs {n_apart}' if n_apart else 'No two of them'} differ significantly {how}."
    beaten = wins["better_than"][[*best.names]].drop_duplicates().sort_values().tolist()
    are = f"{best.who} {best.verb('is', 'are each')}"
    if n_others == 1:
        return f"{are} {'' if beaten[0] else 'not '}significantly better than {others.index[0]} {how}."
    if beaten == [n_others]:
        return f"{are} significantly better than each of the {n_others} others {how}."
    level = natural_order(map(str, others.index[others["worse_than"] == 0]))
    rest = "Each of the others is significantly worse than some metric."
    if level:
        verb = "is" if len(level) == 1 else "are"
        rest = f"{listed(level)} {verb} not significantly worse than any other either."
    counted = listed(n or "none" for n in beaten)
    return f"{are} significantly better than {counted} of the {n_others} others {how}. {rest}"


def _agreement_section(study: HumanStudy) -> Section:
    pictures = [_agreement_picture(found, first=not place) for place, found in enumerate(study.agreements)]
    levels = dict.fromkeys(found.level for found in study.agreements)
    tables = [_level_table(study, [one for one in study.agreements if one.level == level]) for level in levels]
    blocks: list[Block] = [*pictures[:1], *(tables or [_system_numbers(study)])]
    blocks += [Fold(title=picture.title, blocks=(picture,)) for picture in pictures[1:]]
    panels = [str(name) for name in _first(study)["metric"]]
    shown = panels if len(panels) <= _PANELS else panels[: _PANELS - 1] + panels[-1:]
    blocks.append(
        Picture(
            name="systems",
            draw=lambda: figures.system_scatters(study.means, reference=study.reference, metrics=shown),
            title="Systems as people and as metrics see them",
            caption="A point is a system. A correlation over few systems may rest on one of them that stands far from "
            "the rest: look before trusting the number."
            + ("" if shown == panels else " The best five metrics and the last."),
            alt=f"{len(shown)} scatter plots of {len(study.means)} systems.",
        )
    )
    return Section(
        id="agreement",
        title="Agreement with human scores",
        lead="Agreement at system level, of the systems' mean scores, says whether a metric ranks systems as people "
        "do; agreement at item level says whether it can be trusted on a single text.",
        brief=True,
        blocks=tuple(blocks),
    )


def _resampled(what: str) -> str:
    return {"items": "items of the same kind", "systems": "systems of the same kind", "both": "items and systems"}[what]


def _agreement_picture(found: HumanAgreement, *, first: bool) -> Picture:
    label = f"{_STATISTICS[found.statistic]} {_LEVELS[found.level]}"
    level = percentage(found.confidence_level)
    caption = f"Best first; bars are {level} intervals."
    if first:
        caption = (
            f"Best first; bars are {level} intervals over other {_resampled(found.resample)}. They hold for each "
            "metric by itself; the comparison of metrics says which two differ."
        )
    return Picture(
        name=f"agreement-{found.level}-{found.statistic}",
        draw=lambda: figures.agreement_dots(found.table.rename(columns={"metric": "name"}), label=label),
        title=sentence_case(label),
        caption=caption,
        alt=f"{len(found.table)} dots with intervals, from {found.table['value'].max():.2f} to "
        f"{found.table['value'].min():.2f}.",
    )


def _level_table(study: HumanStudy, agreements: list[HumanAgreement]) -> Table:
    """Put the statistics of one level side by side, the metric that is best by the first of them first."""
    lead = agreements[0]
    frame = lead.table[["metric", "n_systems", "n_items", "n_cells", "n_used"]].copy()
    columns = [*left(metric="Metric")]
    for found in agreements:
        own, name = found.table.set_index("metric").loc[frame["metric"]], found.statistic
        ends = intervals(own["low"], own["high"], _DECIMAL, draws=found.n_resamples, about=own["value"])
        frame[[name, f"{name} ends_sort"]] = own[["value", "low"]].to_numpy()
        frame[f"{name} ends"] = ends
        group, label = sentence_case(_STATISTICS[name]), f"{percentage(found.confidence_level)} interval"
        columns += [*right(_DECIMAL, group, **{name: "value"}), *under(text, group, **{f"{name} ends": label})]
    columns += right(whole, n_systems="Systems", n_items="Items", n_cells="Scores")
    caption = "Scores: those of a system on an item that the metric and people both gave."
    if lead.level == "item":
        columns += right(whole, n_used="Items used")
        caption += f" Items used: those where {_STATISTICS[lead.statistic]} is defined."
    return Table(
        name=f"agreement-{lead.level}",
        title=f"Agreement with {study.reference} {_LEVELS[lead.level]}",
        caption=caption,
        frame=frame,
        columns=tuple(columns),
        data=pd.concat([found.to_frame() for found in agreements], ignore_index=True),
    )


def _system_numbers(study: HumanStudy) -> Table:
    wide = study.system_matrix().rename_axis(index="metric", columns=None).reset_index()
    number_of = study.system_table.groupby("metric", sort=False)["n_systems"].first()
    wide["n_systems"] = wide["metric"].map(number_of)
    statistics = [name for name in _STATISTICS if name in wide]
    return Table(
        name="agreement-system",
        title=f"Agreement with {study.reference} {_LEVELS['system']}",
        caption="Only one score a system is known, so there are no intervals over items.",
        frame=wide.sort_values(statistics[0], ascending=False, kind="stable"),
        columns=(
            *left(metric="Metric"),
            *right(_DECIMAL, **{name: sentence_case(_STATISTICS[name]) for name in statistics}),
            *right(whole, n_systems="Systems"),
        ),
    )


def _comparison_section(study: HumanStudy) -> Section:
    blocks: list[Block] = []
    order = [str(name) for name in _first(study)["metric"]]
    comparison = study.comparison
    if comparison is not None:
        blocks.append(_wins_table(study, comparison))
        blocks.append(
            Picture(
                name="metric-comparison",
                draw=lambda: figures.comparison_map(comparison.decided(study.alpha), order=order),
                title="Which metric is significantly better than which",
                caption=f"A blue field: the metric of its row agrees with {study.reference} significantly better than "
                f"that of its column, by {_compared(comparison)} {_corrected(study)}. Best metric first.",
                alt=f"{int(comparison.wins(study.alpha)['better_than'].sum())} of "
                f"{len(comparison.table)} pairs differ significantly.",
            )
        )
        blocks.append(Fold(title="Every pair, by permutation", blocks=(_permutation_table(comparison),)))
    if len(study.williams):
        blocks.append(
            Fold(title="Every pair, by Williams' test on the systems' means", blocks=(_williams_table(study),))
        )
    return Section(
        id="comparison",
        title="Comparison of metrics",
        lead="Two intervals may overlap although one metric is clearly better, since both are compared with the same "
        "human scores; so metrics are compared pair by pair.",
        brief=True,
        blocks=tuple(blocks),
    )


def _compared(comparison: MetricComparison) -> str:
    return f"system-level {_STATISTICS[comparison.statistic]}"


def _wins_table(study: HumanStudy, comparison: MetricComparison) -> Table:
    return Table(
        name="metric-wins",
        title="Metrics that agree significantly better than others",
        caption=f"By {_compared(comparison)} {_corrected(study)}.",
        frame=comparison.wins(study.alpha).rename_axis("metric").reset_index(),
        columns=(
            *left(metric="Metric"),
            *right(whole, better_than="Better than", worse_than="Worse than"),
        ),
    )


def _permutation_table(comparison: MetricComparison) -> Table:
    named = {"p": "p", "p_corrected": "p, corrected"}
    frame, columns = p_values(comparison.table, named, raw={"p_corrected": "p"}, n_resamples=comparison.n_resamples)
    return Table(
        name="metric-permutation",
        title="Differences of agreement, by permutation",
        caption=f"By {_compared(comparison)}. Under the null hypothesis the two metrics' scores may be exchanged.",
        frame=frame,
        data=comparison.table,
        columns=(
            *left(metric_a="First", metric_b="Second"),
            *right(_DECIMAL, "Agreement", value_a="first", value_b="second", difference="difference"),
            *columns,
        ),
    )


def _williams_table(study: HumanStudy) -> Table:
    return Table(
        name="williams",
        title="Williams' test for correlations that share the human scores",
        caption="Two-sided, on absolute Pearson correlations at system level: a metric that orders systems the wrong "
        "way round counts by how closely it does.",
        frame=study.williams,
        columns=(
            *left(metric_a="First", metric_b="Second"),
            *right(_DECIMAL, "r with people", correlation_a="first", correlation_b="second"),
            *right(_DECIMAL, between="r between the two metrics"),
            *right(whole, n_systems="Systems"),
            *right(number(2), t="t"),
            *right(p_value, p="p", p_corrected="p, corrected"),
        ),
    )


def _clustered(study: HumanStudy) -> bool:
    return study.scores is not None and "cluster" in study.scores.coords


def _decisions_section(study: HumanStudy) -> Section:
    table = Table(
        name="decisions",
        title="Significant pairs of systems, under each metric and under people",
        caption=f"{sentence_case(decided_by(study.test, study.correction, study.alpha))}. Precision: of the pairs "
        "that the metric finds, the share that people find too. Recall: of the pairs that people find, the share that "
        "the metric finds too.",
        frame=study.decisions.sort_values("f1", ascending=False, kind="stable"),
        columns=(
            *left(metric="Metric"),
            *right(
                whole, "Significant under", n_metric="metric", n_human="people", n_shared="both", n_conflicts="opposite"
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(_DECIMAL, f1="F1"),
            *right(whole, n_systems="Systems", n_units="Clusters" if _clustered(study) else "Items"),
        ),
    )
    return Section(
        id="decisions",
        title="Significant pairs of systems",
        lead="What matters in the end is which system is better than which. A metric often has less noise than "
        "people and may find more pairs, so low precision can mean that too few human scores were collected. A pair "
        "significant in opposite directions points to an error of the metric.",
        brief=True,
        blocks=(table,),
    )


def _pairs_section(study: HumanStudy) -> Section:
    frame = study.pairs.reset_index().sort_values("tau", ascending=False, kind="stable")
    table = Table(
        name="human-pairs",
        title="Pairs of systems with different human scores on an item",
        caption="τ = (agree − others) / pairs, as in the WMT metrics tasks: a tie or a missing score of the metric "
        "counts against it. Where every pair counts and none is tied, this is the item-level Kendall's τ.",
        frame=frame,
        columns=(
            *left(metric="Metric"),
            *right(whole, pairs="Pairs", agree="Agree", tied="Tied", unknown="Missing"),
            *right(number(4), tau="τ"),
        ),
    )
    return Section(
        id="pairs",
        title="Kendall-like τ on items",
        lead="Which of two systems is better on an item, where people see a difference.",
        brief=True,
        blocks=(table,),
    )


def _methods(study: HumanStudy) -> Methods:
    paragraphs = [_scored_words(study)]
    if study.agreements:
        paragraphs.append(_interval_words(study, study.agreements[0]))
    corrected = CORRECTIONS.words(study.correction)
    if study.comparison is not None:
        paragraphs.append(
            f"Two metrics are compared by {_compared(study.comparison)} and permutation (Deutsch et al., 2021) on the "
            f"scores of systems on items that have all three: {study.comparison.n_resamples} exchanges of "
            f"{_exchanged(study, study.comparison.permute)}{_seeded(study)}, after both metrics are brought to mean 0 "
            f"and variance 1; p-values are corrected over all pairs of metrics ({corrected})."
        )
    if len(study.williams):
        paragraphs.append(
            "Williams' test (Williams, 1959; Graham and Baldwin, 2014) compares the absolute correlations of two "
            f"metrics' means with the human means; two-sided, {corrected}."
        )
    if len(study.decisions):
        weighted = " The tests take clusters as units, weighted so that the mean over items is tested."
        paragraphs.append(
            f"Pairs of systems: {decided_by(study.test, study.correction, study.alpha)}; the significant pairs under a "
            "metric predict those under the human scores (Ogilvie and Lalmas, 2006, section 3.4)."
            + weighted
            * _clustered(study)
        )
    if len(study.pairs):
        paragraphs.append(
            "Pairs on an item: τ = (agree − others) / pairs, over the pairs of systems whose human scores differ there "
            "(Mathur et al., 2020, section 3.3)."
        )
    return Methods(paragraphs=tuple(paragraphs), cite=cited_in(paragraphs, _SOURCES))


def _scored_words(study: HumanStudy) -> str:
    words = (
        f"We compared {count(len(study.metrics), 'metric')} with the human scores (column {study.reference}) of "
        f"{count(len(study.means), 'system')}"
    )
    if study.scores is None:
        words += ", by one score a system."
    else:
        words += f" on {count(study.scores.sizes['item'], 'item')}"
        words += f" in {count(len(np.unique(study.scores['cluster'])), 'cluster')}" if _clustered(study) else ""
        words += ". A score without its counterpart is left out, for that metric only."
    if "accuracy" in study.system_table["statistic"].tolist():
        words += (
            " Pairwise accuracy: the share of the pairs of systems with different human scores that the metric orders "
            "alike (Kocmi et al., 2021)."
        )
    return words


def _interval_words(study: HumanStudy, lead: HumanAgreement) -> str:
    items = "clusters" if _clustered(study) else "items"
    drawn = {"items": items, "systems": "systems", "both": f"{items} and systems"}[lead.resample]
    number_of = f"the smaller number of {drawn}" if lead.resample == "both" else f"the number of {drawn}"
    words = (
        f"{percentage(lead.confidence_level)} intervals: value ± t · d · √(n/(n−1)), cut to the range of the "
        f"statistic, with t of n − 1 degrees of freedom, n {number_of} and d the root mean square distance from the "
        f"value of {lead.n_resamples} resamples of {drawn}{_seeded(study)}, the same for every metric."
    )
    asked = {found.statistic for found in study.agreements if found.level == "system"}
    if lead.resample != "items":
        words += " Their coverage was checked for resampled items only."
    elif wide := [_STATISTICS[name] for name in ("kendall", "accuracy") if name in asked]:
        words += f" At system level those of {listed(wide)} are wider than they need be."
    if asked and lead.resample != "systems":
        words += (
            " Percentile intervals of the resamples (Deutsch et al., 2021) would lie too low, because resampling adds "
            "noise to the means of close systems."
        )
    return words


def _exchanged(study: HumanStudy, permute: str) -> str:
    item = "a cluster" if _clustered(study) else "an item"
    return {
        "both": f"the scores of a system on {item}",
        "items": f"the scores of all systems on {item}",
        "systems": "the scores of a system on all items",
    }[permute]


def _seeded(study: HumanStudy) -> str:
    """Name the seed of the study; the parts draw from seeds derived from it, which would tell a reader nothing."""
    return f" ({study.provenance.random_source})" if study.provenance.random_source else ""
