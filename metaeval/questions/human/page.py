# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether metrics agree with people: a comparison put into sections, words and pictures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.agreement.human import HumanAgreement
from metaeval.agreement.metric_comparison import MetricComparison
from metaeval.base.names import count, first_few, natural_order
from metaeval.base.words import (
    End,
    absent,
    bracketed,
    ends,
    intervals,
    name_of_metric,
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
from metaeval.page.tables import Column, Table, left, p_values, right, under, with_cells
from metaeval.questions.human.study import HumanStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures, sure_side
from metaeval.reports.prose import Prose, prose
from metaeval.reports.shared import facts
from metaeval.testing.expected import BROKEN, UNNOTICED
from metaeval.tests_stat.result import is_significant

if TYPE_CHECKING:
    from metaeval.questions.human.study_campaign import CampaignStudy

_STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ",
    "accuracy": "pairwise accuracy",
}
_LEVELS = {"system": "at system level", "item": "within items", "all": "over all scores"}
_CHANCE = {"accuracy": 0.5}
_PANELS = 6
_PAIR = 2
_ENOUGH = 0.9
"""Of the items that the fullest metric has; one with fewer is not ranked with it."""
_CARRIED = 0.01
"""An agreement that falls by more without outlying systems is carried by them."""
_DECIMAL = number(3)
say = prose(__name__)


def human_report(study: HumanStudy) -> Report:
    """Put a comparison with human scores into a report."""
    sections = [_agreement_section(study), *([_expected_section(study)] if len(study.expectations) else [])]
    if study.comparison is not None or len(study.williams):
        sections.append(_comparison_section(study))
    if len(study.decisions):
        units = "Clusters" if _n_clusters(study) else "Items"
        sections.append(decisions_section(say, study, right(whole, n_systems="Systems", n_units=units)))
    if len(study.pairs):
        sections.append(_pairs_section(study))
    sizes = {"metric": len(study.metrics), "system": len(study.means)}
    if study.scores is not None:
        sizes["item"] = study.scores.sizes["item"]
    if n_clusters := _n_clusters(study):
        sizes["cluster"] = n_clusters
    return Report(
        command="human",
        title="Do the metrics agree with people?",
        facts=facts(**sizes),
        summary=_summary(study),
        key_figures=_key_figures(study),
        sections=tuple(sections),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"means.csv": csv_file(study.means.rename_axis("system").reset_index())},
    )


def _lead(study: HumanStudy) -> tuple[pd.DataFrame, str, str]:
    """Return the leading agreement, best first (metric, value, low and high), its statistic and its level."""
    if study.agreements:
        agreement = study.agreements[0]
        frame = agreement.table.assign(few=lambda table: table["n_items"] < _ENOUGH * table["n_items"].max())
        return frame.sort_values("few", kind="stable", ignore_index=True), agreement.statistic, agreement.level
    statistic = study.system_table["statistic"].iloc[0]
    frame = study.system_table[study.system_table["statistic"] == statistic]
    frame = frame.assign(low=float("nan"), high=float("nan"), few=False)
    return frame.sort_values("value", ascending=False, kind="stable"), statistic, "system"


def _summary(study: HumanStudy) -> tuple[str, ...]:
    table, statistic, level = _lead(study)
    ranked = table[~table["few"]]
    best = ends(ranked["metric"], ranked["value"], map(_DECIMAL, ranked["value"]))[1]
    fields = {"best": best, "statistic": _STATISTICS[statistic], "level": _LEVELS[level], "n_systems": len(study.means)}
    compared, how = study.comparison, say("permuted", study=study)
    tested = None if compared is None else _tested_wins(compared, study.alpha)
    wins = "" if tested is None else _wins_sentence(tested, best, how)
    rest = (_luck_of_systems(study, table), _metrics_of_few_items(table), _expected(study), wins)
    more = " ".join(filter(None, rest))
    answer = " ".join(filter(None, (_first_sentence(study, table, fields), _lead_words(study, best, tested))))
    return tuple(filter(None, (answer, more, say("caution", **fields, outliers=study.outliers))))


def _lead_words(study: HumanStudy, best: End, wins: pd.DataFrame | None) -> str:
    """Say of one best metric that its lead is not significant, and how many pairs of systems it orders otherwise."""
    name, n_others = best.names[0], 0 if wins is None else len(wins) - 1
    if wins is None or len(best.names) != 1 or name not in wins.index:
        return ""
    beaten = int(wins["better_than"].to_numpy(dtype=int)[wins.index.get_loc(name)])
    if beaten >= n_others:
        return ""
    right_pairs = study.system_table.query("metric == @name and statistic == 'accuracy'")["value"]
    misled = 1.0 - float(right_pairs.iloc[0]) if right_pairs.notna().any() else None
    return say("lead", beaten=beaten, n_others=n_others, misled=misled)


def _metrics_of_few_items(table: pd.DataFrame) -> str:
    """Name the metrics that are not compared with the best, as they rest on far fewer items."""
    few = table[table["few"]]
    told = [f"{name_of_metric(row.metric)} ({row.n_items:,})" for row in few.itertuples()]
    return say("few items", n=len(few), told=first_few(told), most=int(table["n_items"].max())) if told else ""


def _first_sentence(study: HumanStudy, table: pd.DataFrame, given: Mapping[str, Any]) -> str:
    """Say how many metrics surely agree with people more than by chance, by their intervals."""
    chance, sides = _CHANCE.get(_lead(study)[1], 0.0), _sides(study, table)
    written = dict(
        zip(table["metric"], _valued(study, table, [chance if side else None for side in sides]), strict=True)
    )
    best, highest = given["best"], table.loc[~table["few"], "value"].max()
    if absent(highest):
        return say("not computed", **given)
    figure = written[best.names[0]] if len(best.names) == 1 else best.figure
    carried, alone = _carried_by(study, best, highest)
    words = f"{given['statistic']} {figure} {given['level']}{carried}"
    if table["low"].notna().any():
        against = max(side for side, value in zip(sides, table["value"], strict=True) if not absent(value)) < 0
        by_items = pd.Series([side > 0 for side in sides], table["metric"])
        n_sure = int((by_items & _by_systems(study, by_items)).sum())
        if by_items.any() and not n_sure:
            p = _of_systems(study)["p"][by_items[by_items].index].min()
            return say("of these systems", n=len(table), p=p_value(p), figure=words, **given)
        if alone and n_sure:
            return say("only with outliers", n=len(table), sure=n_sure, best=best, figure=words)
        return surely_agree(len(table), n_sure, best, words, against=against)
    n = int(table["value"].notna().sum())
    return say("observed", best=best, above=np.sign(highest - chance), n=n, figure=words, interval=False)


def _sides(study: HumanStudy, table: pd.DataFrame) -> list[int]:
    """Return on which side of chance the interval of each metric lies surely, 0 for none."""
    chance = _CHANCE.get(_lead(study)[1], 0.0)
    return [sure_side(row.value, row.low, row.high, chance, draws=_draws(study)) for row in table.itertuples()]


def _luck_of_systems(study: HumanStudy, table: pd.DataFrame) -> str:
    """Say how many metrics agree by their intervals, which are over items, and no more than by luck of the systems."""
    by_items = pd.Series([side > 0 for side in _sides(study, table)], table["metric"])
    n, n_sure = int(by_items.sum()), int((by_items & _by_systems(study, by_items)).sum())
    return say("luck of systems", n=n, left=n - n_sure, alpha=study.alpha) if 0 < n_sure < n else ""


def _of_systems(study: HumanStudy) -> pd.DataFrame:
    """Return the leading agreement of the means of systems, by metric; empty where it is none of means."""
    _, statistic, level = _lead(study)
    table = study.system_table[study.system_table["statistic"] == statistic].set_index("metric")
    return table if level == "system" else table.iloc[:0]


def _by_systems(study: HumanStudy, agreeing: pd.Series) -> pd.Series:
    """Say which metrics agree with people by more than luck makes as many systems agree, at the study's level."""
    p = _of_systems(study)["p"].reindex(agreeing.index).astype(float)
    return agreeing & (p.isna() | is_significant(p, study.alpha))


def _without_outliers(study: HumanStudy) -> pd.DataFrame:
    """Return what is left of the leading agreement without outlying systems, by metric; empty without any."""
    table = _of_systems(study)
    return table if table["without_outliers"].notna().any() else table.iloc[:0]


def _carried_by(study: HumanStudy, best: End, value: float) -> tuple[str, bool]:
    """Say what agreement is left of the best metrics without the systems that carry it, and whether it is none."""
    rows = _without_outliers(study).reindex([*best.names]).dropna(subset="without_outliers")
    left, p = rows["without_outliers"], rows["p_without_outliers"].min()
    if left.empty or not (left < value - _CARRIED).any():
        return "", False
    figures_left = dict.fromkeys(map(_DECIMAL, (left.min(), left.max())))
    alone = (np.isfinite(p) and not is_significant(p, study.alpha)) or left.max() <= _CHANCE.get(_lead(study)[1], 0.0)
    return say("carried", left=" to ".join(figures_left), p=p_value(p), outliers=study.outliers), bool(alone)


def surely_agree(n: int, sure: int, best: End, figure: str, *, against: bool = False) -> str:
    """Say how many metrics surely agree with people, and which agrees best; or that all surely disagree."""
    if against:
        return say("against", n=n, best=best, figure=figure)
    if n == 1:
        opening, verb = ("Yes", "agrees") if sure else ("Open", "does not surely agree")
        return f"{opening}: {best.who} {verb} with people beyond chance ({figure})."
    if 0 < sure < n:
        return f"Partly: {sure} of {n} metrics agree with people beyond chance, best {best.who} ({figure})."
    every = "Yes: both metrics agree" if n == _PAIR else f"Yes: all {n} metrics agree"
    agrees = every if sure else "Open: no metric surely agrees"
    return f"{agrees} with people beyond chance, best {best.who} ({figure})."


def _expected(study: HumanStudy) -> str:
    """Name the metrics that fail what users expect."""
    failing = study.expectations.loc[study.expectations["state"].isin([BROKEN, UNNOTICED]), "metric"].unique().tolist()
    n = study.expectations["expectation"].nunique()
    return say("failing" if failing else "met", n=n, failing=failing) if n else ""


def _draws(study: HumanStudy) -> int | None:
    return study.agreements[0].n_resamples if study.agreements else None


def _valued(study: HumanStudy, table: pd.DataFrame, apart: Sequence[float | None] = ()) -> list[str]:
    """Return agreements with their intervals, where they have one, which read otherwise than what they are beyond."""
    rows, draws = zip(table.itertuples(), apart or [None] * len(table), strict=True), _draws(study)
    return [bracketed(row.value, row.low, row.high, _DECIMAL, draws=draws, apart=bar) for row, bar in rows]


def _key_figures(study: HumanStudy) -> Table:
    """Return the leading agreement at every level, and of the significant pairs, best metric first."""
    frame, statistic, level = _lead(study)
    leads = {agreement.level: agreement for agreement in reversed(study.agreements)}  # the first of a level
    table_frame, columns = frame[["metric"]], [*left(metric="Metric")]
    robust = _without_outliers(study)
    table_frame = table_frame.assign(robust=robust["without_outliers"].reindex(frame["metric"]).to_numpy())
    carried = right(_DECIMAL, robust="Without outlying systems") if len(robust) else ()
    for index, agreement in enumerate(leads[key] for key in dict.fromkeys((level, *leads)) if key in leads):
        rows = agreement.table.set_index("metric").loc[frame["metric"]]
        table_frame = table_frame.assign(**{f"{name}_{index}": rows[name].to_numpy() for name in ("low", "high")})
        table_frame = with_cells(table_frame, **{f"value_{index}": _valued(study, rows)})
        table_frame[f"value_{index}_sort"] = rows["value"].to_numpy()
        called = f"{sentence_case(_STATISTICS[agreement.statistic])} {_LEVELS[agreement.level]}"
        head = f"{called} [{percentage(agreement.confidence_level)} interval]"
        columns += right(text, **{f"value_{index}": head})
        columns += [] if index else carried
    if not leads:
        table_frame = table_frame.assign(value=frame["value"])
        columns += [*right(_DECIMAL, value=sentence_case(_STATISTICS[statistic])), *carried]
    if len(study.decisions):
        table_frame = table_frame.assign(
            f1=study.decisions.set_index("metric")["f1"].reindex(frame["metric"]).to_numpy()
        )
        columns += right(_DECIMAL, f1="F1 of significant pairs")
    return key_figures(table_frame, columns, which="best")


def _tested_wins(compared: MetricComparison, alpha: float) -> pd.DataFrame:
    """Return the wins of metrics that could be compared with another."""
    tested, wins = compared.table[compared.table["p"].notna()], compared.wins(alpha)
    return wins[wins.index.isin([*tested["metric_a"], *tested["metric_b"]])]


def _wins_sentence(wins: pd.DataFrame, best: End, how: str) -> str:
    """Say how many others the best metrics are better than, and which ones no metric is better than."""
    if not {*best.names} <= {*wins.index}:
        return ""
    others = wins.drop(index=[*best.names])
    if others.empty:
        return say("none apart", n=int(wins["better_than"].sum()) or "No", how=how)
    beaten = wins["better_than"][[*best.names]].drop_duplicates().sort_values().tolist()
    level = natural_order(map(str, others.index[others["worse_than"] == 0]))
    counted = [n or "none" for n in beaten]
    return say("wins", best=best, counted=counted, n_others=len(wins) - 1, level=level, how=how)


def _agreement_section(study: HumanStudy) -> Section:
    pictures = [_agreement_picture(agreement) for agreement in study.agreements]
    levels = dict.fromkeys(agreement.level for agreement in study.agreements)
    tables = [
        _level_table(study, [of_level for of_level in study.agreements if of_level.level == level]) for level in levels
    ]
    blocks: list[Block] = [*pictures[:1], *(tables or [_systems_table(study)])]
    blocks += [Fold(title=picture.title, blocks=(picture,)) for picture in pictures[1:]]
    panels = [str(name) for name in _lead(study)[0]["metric"]]
    metrics = panels if len(panels) <= _PANELS else panels[: _PANELS - 1] + panels[-1:]
    blocks.append(
        say.picture(
            "systems",
            lambda: figures.system_scatters(study.means, reference=study.reference, metrics=metrics),
            alt=f"{len(metrics)} scatter plots of {len(study.means)} systems.",
        )
    )
    return say.section("agreement", *blocks)


def _expected_section(study: HumanStudy) -> Section:
    order = {name: position for position, name in enumerate(_lead(study)[0]["metric"])}
    table = say.table(
        "expected",
        study.expectations.sort_values("metric", key=lambda names: names.map(order), kind="stable"),
        left(metric="Metric", expectation="Expectation", state="State"),
        right(_DECIMAL, "Mean", better="better", worse="worse"),
        right(whole, n_items="Items"),
        called="expectations",
    )
    return say.section("expected", table, id="expectations", head="What users expect")


def _agreement_picture(found: HumanAgreement) -> Picture:
    label, values = f"{_STATISTICS[found.statistic]} {_LEVELS[found.level]}", found.table["value"]
    over = {"both": "items and systems"}.get(found.resample, found.resample)
    return say.picture(
        "agreement",
        lambda: figures.agreement_dots(found.table.rename(columns={"metric": "name"}), label=label),
        called=f"agreement-{found.level}-{found.statistic}",
        alt=f"{len(values)} dots with intervals, from {values.max():.2f} to {values.min():.2f}.",
        label=label,
        level=percentage(found.confidence_level),
        over=over,
    )


def _level_table(study: HumanStudy, agreements: list[HumanAgreement]) -> Table:
    """Put the statistics of one level side by side, the metric that is best by the first of them first."""
    lead = agreements[0]
    frame = lead.table[["metric", "n_systems", "n_items", "n_cells", "n_used"]].copy()
    columns = [*left(metric="Metric")]
    for agreement in agreements:
        rows, name = agreement.table.set_index("metric").loc[frame["metric"]], agreement.statistic
        ends = intervals(rows["low"], rows["high"], _DECIMAL, draws=agreement.n_resamples, about=rows["value"])
        frame[[name, f"{name} ends_sort"]] = rows[["value", "low"]].to_numpy()
        frame[f"{name} ends"] = ends
        group, label = sentence_case(_STATISTICS[name]), f"{percentage(agreement.confidence_level)} interval"
        columns += [*right(_DECIMAL, group, **{name: "value"}), *under(text, group, **{f"{name} ends": label})]
    columns += right(whole, n_systems="Systems", n_items="Items", n_cells="Scores")
    if lead.level == "item":
        columns += right(whole, n_used="Items used")
    return say.table(
        "level",
        frame,
        columns,
        called=f"agreement-{lead.level}",
        data=pd.concat([agreement.to_frame() for agreement in agreements], ignore_index=True),
        reference=study.reference,
        level=_LEVELS[lead.level],
    )


def _systems_table(study: HumanStudy) -> Table:
    wide = study.system_matrix().rename_axis(index="metric", columns=None).reset_index()
    number_of = study.system_table.groupby("metric", sort=False)["n_systems"].first()
    wide["n_systems"] = wide["metric"].map(number_of)
    statistics = [name for name in _STATISTICS if name in wide]
    return say.table(
        "system numbers",
        wide.sort_values(statistics[0], ascending=False, kind="stable"),
        left(metric="Metric"),
        right(_DECIMAL, **{name: sentence_case(_STATISTICS[name]) for name in statistics}),
        right(whole, n_systems="Systems"),
        called="agreement-system",
        reference=study.reference,
    )


def _comparison_section(study: HumanStudy) -> Section:
    blocks: list[Block] = []
    order, comparison = [str(name) for name in _lead(study)[0]["metric"]], study.comparison
    if comparison is not None:
        picture = say.picture(
            "metric-comparison",
            lambda: figures.comparison_map(comparison.decided(study.alpha), order=order),
            alt=f"{comparison.wins(study.alpha)['better_than'].sum()} of {len(comparison.table)} pairs differ.",
            reference=study.reference,
            **_compared(study, comparison),
        )
        every = Fold(title="Every pair, by permutation", blocks=(_permutation_table(study, comparison),))
        blocks += [_wins_table(study, comparison), picture, every]
    if len(study.williams):
        by_means = "Every pair, by Williams' test on the systems' means"
        blocks.append(Fold(title=by_means, blocks=(_williams_table(study),)))
    return say.section("comparison", *blocks)


def _compared(study: HumanStudy, comparison: MetricComparison) -> Mapping[str, Any]:
    return {"statistic": _STATISTICS[comparison.statistic], "how": say("permuted", study=study)}


def _wins_table(study: HumanStudy, comparison: MetricComparison) -> Table:
    return say.table(
        "metric-wins",
        comparison.wins(study.alpha).rename_axis("metric").reset_index(),
        left(metric="Metric"),
        right(whole, better_than="Better than", worse_than="Worse than"),
        **_compared(study, comparison),
    )


def _permutation_table(study: HumanStudy, comparison: MetricComparison) -> Table:
    named = {"p": "p", "p_corrected": "p, corrected"}
    frame, columns = p_values(comparison.table, named, raw={"p_corrected": "p"}, n_resamples=comparison.n_resamples)
    return say.table(
        "metric-permutation",
        frame,
        left(metric_a="First", metric_b="Second"),
        right(_DECIMAL, "Agreement", value_a="first", value_b="second", difference="difference"),
        columns,
        data=comparison.table,
        statistic=_STATISTICS[comparison.statistic],
        exchanged=_exchanged(comparison, "single items"),
        n_systems=len(study.means),
    )


def _exchanged(comparison: MetricComparison, unit: str) -> str:
    """Return whose scores are exchanged at once."""
    of = {"systems": "a system on all items", "both": f"a system on {unit}"}
    return of.get(comparison.permute, f"all systems on {unit}")


def _williams_table(study: HumanStudy) -> Table:
    return say.table(
        "williams",
        study.williams,
        left(metric_a="First", metric_b="Second"),
        right(_DECIMAL, "r with people", correlation_a="first", correlation_b="second"),
        right(_DECIMAL, between="r between the two metrics"),
        right(whole, n_systems="Systems"),
        right(whole, n_items="Items") if "n_items" in study.williams else (),
        right(number(2), t="t"),
        right(p_value, p="p", p_corrected="p, corrected"),
        study=study,
    )


def _n_clusters(study: HumanStudy) -> int:
    coords = {} if study.scores is None else study.scores.coords
    return len(np.unique(coords["cluster"])) if "cluster" in coords else 0


def decisions_section(words: Prose, study: "HumanStudy | CampaignStudy", *more: Iterable[Column]) -> Section:
    """Show what the significant pairs under each metric predict of those under people, in the words of the page."""
    several = "set" in study.decisions and len(study.decisions["set"].unique()) > 1
    order = {"set": True} if "set" in study.decisions else {}
    order["f1"] = False
    table = words.table(
        "decisions",
        study.decisions.sort_values([*order], ascending=[*order.values()], kind="stable"),
        left(set="Set") if several else (),
        left(metric="Metric"),
        right(whole, "Significant under", n_metric="metric", n_human="people", n_shared="both", n_conflicts="opposite"),
        right(share, precision="Precision", recall="Recall"),
        right(_DECIMAL, f1="F1"),
        *more,
        study=study,
    )
    return words.section("decisions", table, brief=False)


def _pairs_section(study: HumanStudy) -> Section:
    frame = study.pairs.reset_index().sort_values("tau", ascending=False, kind="stable")
    table = say.table(
        "pairs",
        frame,
        left(metric="Metric"),
        right(whole, pairs="Pairs", agree="Agree", tied="Tied", unknown="Missing"),
        right(number(4), tau="τ"),
        called="human-pairs",
    )
    return say.section("pairs", table, brief=False)


def _methods(study: HumanStudy) -> Methods:
    n_items, n_clusters = 0 if study.scores is None else study.scores.sizes["item"], _n_clusters(study)
    units = f" on {count(n_items, 'item')}" if n_items else ""
    units += f" in {count(n_clusters, 'cluster')}" if n_clusters else ""
    paragraphs = [say("scored", study=study, units=units)]
    paragraphs += [say("accuracy")] if "accuracy" in study.system_table["statistic"].tolist() else []
    paragraphs += [_interval_words(study, lead) for lead in study.agreements[:1]]
    fields = {"seed": _seeded(study), "clustered": n_clusters, "correction": study.correction, "study": study}
    if study.comparison is not None:
        fields["statistic"] = _STATISTICS[study.comparison.statistic]
        fields["exchanged"] = _exchanged(study.comparison, "a cluster" if n_clusters else "an item")
        paragraphs.append(say("comparison methods", comparison=study.comparison, **fields))
    parts = {"expected": study.expectations, "williams": study.williams, "decisions": study.decisions}
    parts |= {"pairs": study.pairs}
    paragraphs += [say(f"{name} methods", **fields) for name, table in parts.items() if len(table)]
    return Methods(paragraphs=tuple(paragraphs))


def _interval_words(study: HumanStudy, lead: HumanAgreement) -> str:
    items = "clusters" if _n_clusters(study) else "items"
    drawn = {"items": items, "systems": "systems", "both": f"{items} and systems"}[lead.resample]
    number_of = "the smaller number" if lead.resample == "both" else "the number"
    return say("intervals", lead=lead, drawn=drawn, number_of=number_of, seed=_seeded(study))


def _seeded(study: HumanStudy) -> str:
    """Name the seed of the study; the parts draw from seeds derived from it, which would tell a reader nothing."""
    return f" ({study.provenance.random_source})" if study.provenance.random_source else ""
