# ruff: noqa: RUF001 - Greek letters are meant for people
"""The table of every paper as a report: the table, a picture of the differences, and each with its p-value."""

import pandas as pd

from metaeval import figures
from metaeval.base.bibliography import cited
from metaeval.base.names import count, natural_order
from metaeval.base.words import listed, name_of_metric, number, percentage, short_names
from metaeval.page.blocks import Block, Choice, Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, p_values, right
from metaeval.reports.data_files import pair_files, score_files
from metaeval.reports.means import means_table, over_pairs
from metaeval.reports.power_findings import decision_words, verdicts_of_pair
from metaeval.reports.shared import (
    cited_in,
    cited_keys,
    computed_with,
    drawn_for_p,
    facts,
    groups_of_topics,
    side_words,
    with_draws,
)
from metaeval.studies.table import TableStudy
from metaeval.table.structure import mean_over_topics, settled_mean_over_topics
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.result import difference_intervals

_NAMED = 3
_DRAWN = ["metric", "system", "mean", "low", "high", "rank", "p_corrected", "significant"]
_MOST_PAIRS = 400
"""More pairs than these stand in the data alone."""


def table_report(study: TableStudy) -> Report:
    """Put the table of systems by metrics into a report."""
    sizes, result = study.scores.sizes, study.comparison
    short = tuple(short_names(study.metrics))
    return Report(
        command="table",
        title=_title(study),
        facts=(
            *facts(
                metric=sizes["metric"],
                system=sizes["system"],
                topic=sizes["topic"],
                **groups_of_topics(study.scores),
                pair=result.n_pairs,
            ),
            (f"{result.alpha:g}", "significance level α"),
        ),
        summary=(_summary(study),),
        sections=(
            Section(
                id="means",
                title="Means and significance",
                lead="Systems by metrics, as papers print them; the file beside it is LaTeX.",
                brief=True,
                blocks=(means_table(study), *((Text(paragraphs=short),) if short else ())),
            ),
            _pairs_section(study),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(study.scores) | pair_files((result,)),
    )


def _title(study: TableStudy) -> str:
    if study.comparison.n_pairs == 1:
        return f"Do {listed(study.scores['system'].to_numpy().tolist())} differ significantly?"
    asked = "Which systems differ significantly"
    return f"{asked}?" if study.baseline is None else f"{asked} from {study.baseline}?"


def _summary(study: TableStudy) -> str:
    if study.comparison.n_pairs == 1:
        return "; ".join(verdicts_of_pair(study.comparison, study.scores)) + "."
    return " ".join(_answer(study, metric) for metric in study.metrics)


def _answer(study: TableStudy, metric: str) -> str:
    """Say which system is best under a metric, and how many pairs differ significantly."""
    best = study.best_systems(metric)
    value = mean_over_topics(study.scores.sel(metric=[metric], system=[best[0]]))[0, 0]
    names = natural_order(best) if len(best) <= _NAMED else [count(len(best), "system")]
    start = f"Under {name_of_metric(metric)}, {listed(names)} {'is' if len(best) == 1 else 'are'} best"
    start += f" ({number(study.digits)(value)})"
    verdict = study.comparison.verdicts()[study.comparison.metrics.index(metric)]
    better, worse, n_pairs = int((verdict == 1).sum()), int((verdict == -1).sum()), study.comparison.n_pairs
    how = f"{study.comparison.procedure.words}, {CORRECTIONS.words(study.comparison.correction)}"
    if study.baseline is None:
        return f"{start}; {better + worse:,} of {n_pairs:,} pairs differ significantly ({how})."
    return (
        f"{start}; significantly better than {study.baseline}: {better:,} of {count(n_pairs, 'other system')}, worse: "
        f"{worse:,} ({how})."
    )


def _pairs_section(study: TableStudy) -> Section:
    against = study.baseline is not None
    pictured = _differences if against else _map
    return Section(
        id="pairs",
        title="Differences from the baseline" if against else "Pairs of systems",
        lead=f"Every difference behind the marks, tested and corrected {over_pairs(study)}.",
        blocks=(
            Choice(
                names=tuple(map(name_of_metric, study.metrics)),
                parts=tuple((pictured(study, metric),) for metric in study.metrics),
            ),
            *_pairs_table(study),
        ),
    )


def _differences(study: TableStudy, metric: str) -> Picture:
    """Show how far every row stands from the baseline."""
    result, baseline = study.comparison, str(study.baseline)
    frame = _against_baseline(study, metric)
    level = percentage(1 - result.alpha)
    bar = f"Bar: {level} t interval of that difference by itself, uncorrected. " * bool(frame["low"].notna().any())
    found = int(frame["significant"].sum())
    return Picture(
        name=f"differences {metric}",
        draw=lambda: figures.baseline_differences(
            frame, metric, baseline=baseline, higher_is_better=bool(study.scores["higher_is_better"].sel(metric=metric))
        ),
        title=f"How far from {baseline} under {name_of_metric(metric)}",
        caption=f"Dot: difference of the means; full: significant at α = {result.alpha:g} "
        f"({decision_words(result.procedure.label, result.correction)}). {bar}The number after a name is the system's "
        "rank.",
        alt=f"{found} of {count(len(frame), 'system')} differ significantly from {baseline}.",
    )


def _against_baseline(study: TableStudy, metric: str) -> pd.DataFrame:
    """Return the difference of every row from the baseline, its interval, and its rank among all systems."""
    result = study.comparison
    bounds = difference_intervals(result, confidence_level=1 - result.alpha)
    frame = result.data.assign(bounds).sel(metric=metric).to_dataframe().reset_index(drop=True)
    frame = frame.rename(columns={"system_a": "system", "difference": "mean"}).assign(metric=metric)
    settled = settled_mean_over_topics(study.scores.sel(metric=[metric]))[0]
    ranks = pd.Series(settled, index=study.scores["system"].to_numpy()).rank(method="min", ascending=False).astype(int)
    frame = frame.assign(rank=ranks.loc[frame["system"]].to_numpy())
    return frame.loc[frame["system"].isin(study.systems), _DRAWN]


def _map(study: TableStudy, metric: str) -> Picture:
    result = study.comparison
    pale = "" if result.correction in ("none", "family-wise") else "; weak colour: only without the correction"
    found = int(result.data["significant"].sel(metric=metric).sum())
    return Picture(
        name=f"map {metric}",
        draw=lambda: result.plot(metric),
        title=f"Who is better than whom under {name_of_metric(metric)}",
        caption="Systems in order of their mean. Blue: the row's system is better than the column's; orange: "
        f"worse{pale}. {decision_words(result.procedure.label, result.correction)}, α = {result.alpha:g}.",
        alt=f"{found:,} of {count(result.n_pairs, 'pair')} differ significantly.",
    )


def _pairs_table(study: TableStudy) -> tuple[Block, ...]:
    result = study.comparison
    if result.n_pairs > _MOST_PAIRS:
        return ()
    shown = result.to_frame().assign(verdict=lambda frame: frame["significant"].map({True: "yes", False: "no"}))
    named = {"p_value": "uncorrected", "p_corrected": CORRECTIONS.label(result.correction)}
    raw = {} if result.correction == FAMILY_WISE else {"p_corrected": "p_value"}
    written, columns = p_values(shown, named, "p", raw=raw, n_resamples=drawn_for_p(result))
    table = Table(
        name="pairs",
        title="Differences of means",
        caption="First system less the second.",
        frame=written,
        data=shown[["metric", "system_a", "system_b", "difference", *named, "verdict"]],
        columns=(
            METRIC,
            *left(system_a="System", system_b="Other"),
            *right(number(max(4, study.digits)), difference="Difference"),
            *columns,
            *left(verdict="Significant"),
        ),
    )
    return (Fold(title=f"{count(len(shown), 'difference')}", blocks=(table,)),)


def _methods(study: TableStudy) -> Methods:
    sizes, result = study.scores.sizes, study.comparison
    under = f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, study.metrics))})"
    words = [f"We compared {sizes['system']:,} systems on {sizes['topic']:,} topics under {under} by their means."]
    if study.baseline is None:
        pairs = f"all {result.n_pairs:,} pairs of systems" if result.n_pairs > 1 else "the pair of systems"
    else:
        pairs = f"every other system and {study.baseline}, and no other pair," if result.n_pairs > 1 else "the pair"
    words.append(
        f"Under each metric {pairs} {'was' if pairs == 'the pair' else 'were'} tested at α = {result.alpha:g}, "
        f"{side_words(result.alternative)}, with {with_draws(result)}."
    )
    correction = CORRECTIONS.get(result.correction)
    if result.correction == "none":
        words.append(f"The p-values are uncorrected, {over_pairs(study)}.")
    else:
        how = correction.described + cited(correction.cite) if correction else "the test's own family-wise adjustment"
        words.append(f"The p-values were adjusted {over_pairs(study)} with {how}.")
    if study.baseline is None and study.marks == "groups":
        words.append(f"Letters show which systems do not differ significantly{cited(('piepho2004',))}.")
    if n_same := sum(map(len, study.identical)):
        words.append(f"{n_same} systems with identical scores stayed among the pairs.")
    words.append(computed_with(study.provenance))
    paragraphs = (" ".join(words),)
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, (*cited_keys(result), "piepho2004")))
