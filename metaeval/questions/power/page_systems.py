"""The sections of a power study that tell of the systems: ranking, scores, who is better than whom, the top."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.unit import unit
from metaeval.base.words import ends, name_of_metric, number, percentage, share_of, text, whole
from metaeval.figures.shown import NAMED_ROWS, STROKES
from metaeval.page.blocks import Block, Choice, Fold, Section
from metaeval.page.tables import METRIC, Table, bounded, left, p_values, right, rising, with_cells
from metaeval.questions.power.page_findings import deciding
from metaeval.questions.power.study import PowerStudy
from metaeval.reports.data_files import with_difference_bounds
from metaeval.reports.pairs import decision_words
from metaeval.reports.prose import prose
from metaeval.reports.shared import drawn_for_p
from metaeval.table.structure import mean_over_topics
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.result import PairwiseResult, rows_of_pairs

_SCORE = number(4)
_PAIRS = "Significantly different pairs"
say = prose(__name__)


def ranking_section(study: PowerStudy, means: pd.DataFrame, order: Sequence[str]) -> Section:
    """Show every system's mean with its interval, and how many others it is significantly better and worse than."""
    strict, rising = deciding(study), study.scores["higher_is_better"]
    counts = _verdict_counts(strict)
    how = decision_words(strict.procedure.label, strict.correction)

    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = means[means["metric"] == metric].merge(counts, on=["metric", "system"], sort=False)
        best = ends(of_metric["system"], -of_metric["rank"], map(_SCORE, of_metric["mean"]))[1]
        picture = say.picture(
            "ranking",
            lambda: figures.system_ranking(means, metric, higher_is_better=bool(rising.sel(metric=metric))),
            called=f"ranking {metric}",
            metric=metric,
            alt=f"{best.who} {best.verb('leads', 'lead')} with a mean of {best.figure}; {len(of_metric)} systems.",
        )
        table = _ranking_table(metric, of_metric, how)
        return picture, Fold(title=f"The numbers for {name_of_metric(metric)}", blocks=(table,))

    return say.section("systems", *(_metric_blocks(order, blocks)), brief=False, how=how)


def _ranking_table(metric: str, ranking: pd.DataFrame, how: str) -> Table:
    columns = [*rising(whole, rank="Rank"), *left(system="System")]
    if (ranking["group"] != "").any():
        columns += left(group="Group")
    columns += [
        *right(_SCORE, mean="Mean"),
        *right(_SCORE, "95 % interval", low="low", high="high"),
        *right(whole, "Significantly", better_than="better than", worse_than="worse than"),
    ]
    return say.table("ranking table", ranking, columns, called=f"ranking {metric}", metric=metric, how=how)


def _verdict_counts(result: PairwiseResult) -> pd.DataFrame:
    """Count for every metric and system how many systems it is significantly better and worse than."""
    parts = []
    for metric in result.metrics:
        square = result.decisions(metric)
        values = square.to_numpy()
        counts = {"better_than": (values > 0).sum(axis=1), "worse_than": (values < 0).sum(axis=1)}
        parts.append(pd.DataFrame({"metric": metric, "system": square.index.to_numpy(), **counts}))
    return pd.concat(parts, ignore_index=True)


def scores_section(study: PowerStudy, order: Sequence[str]) -> Section:
    """Show how the scores of every system are spread over the topics."""
    strokes = STROKES if study.scores.sizes["topic"] > STROKES else 0
    stroke = f"one of {strokes:,} quantiles" if strokes else unit().a_topic
    reading = say("strokes", stroke=stroke) if study.scores.sizes["system"] <= NAMED_ROWS else say("parts")

    def blocks(metric: str) -> tuple[Block, ...]:
        values = study.scores.sel(metric=metric).to_numpy()
        spread = cache(lambda: figures.spread_of(study.scores, metric))
        means = mean_over_topics(study.scores.sel(metric=[metric]))
        lowest, highest, low, high = map(_SCORE, (np.nanmin(values), np.nanmax(values), means.min(), means.max()))
        picture = say.picture(
            "scores",
            lambda: figures.draw_spread(spread()),
            called=f"scores {metric}",
            metric=metric,
            reading=reading,
            alt=f"Scores from {lowest} to {highest}; means from {low} to {high}.",
        )
        return (picture,)

    return say.section("scores", *(_metric_blocks(order, blocks)), brief=False, reading=reading)


def map_section(study: PowerStudy, order: Sequence[str]) -> Section:
    """Show which system is significantly better than which."""
    strict = deciding(study)
    named = study.scores["group"].to_series().items() if "group" in study.scores.coords else ()
    groups = {str(system): str(group) for system, group in named}
    how = decision_words(strict.procedure.label, strict.correction)

    def blocks(metric: str) -> tuple[Block, ...]:
        n_significant = int(strict.data["significant"].sel(metric=metric).sum())
        picture = say.picture(
            "map picture",
            lambda: strict.plot(metric, groups=groups),
            called=f"map {metric}",
            how=how,
            alpha=strict.alpha,
            metric=metric,
            n_significant=n_significant,
            n=strict.n_tested[strict.metrics.index(metric)],
        )
        return (picture,)

    strips = "The strips at the right and below show the systems' groups." if groups else ""
    return say.section("map", *(_metric_blocks(order, blocks)), brief=False, strips=strips, how=how, alpha=strict.alpha)


def top_section(study: PowerStudy, means: pd.DataFrame, top: int) -> Section:
    """Count and list the significant pairs among the best systems of each metric."""
    size = min(top, study.scores.sizes["system"])
    decides = deciding(study).test
    results = [result for result in study.comparisons if result.test == decides]
    pairs = _top_pairs(results, means, size)
    blocks: list[Block] = [_top_counts_table(results, pairs, size)]
    significant_pairs = pairs[pairs[[result.correction for result in results]].any(axis=1)]
    if len(significant_pairs):
        table = _top_pairs_table(results, significant_pairs, size)
        blocks.append(Fold(title=f"The significant pairs ({whole(len(significant_pairs))})", blocks=(table,)))
    return say.section("top", *blocks, brief=False, head=f"Significant pairs among the top {size}")


def _top_pairs(results: Sequence[PairwiseResult], means: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return every pair among each metric's own best systems, the better system first, with all verdicts.

    A column named after a correction holds its decisions, "p " and that name its p-values.
    """
    frame = with_difference_bounds(results[0])
    for result in results:
        of_result = rows_of_pairs(result)
        frame = frame.assign(
            **{result.correction: of_result["significant"], f"p {result.correction}": of_result["p_corrected"]}
        )
    position = means.groupby("metric").cumcount().rename("place")
    places = means[["metric", "system"]].join(position).set_index(["metric", "system"])["place"]
    inside = np.ones(len(frame), dtype=bool)
    for side in ("system_a", "system_b"):
        inside &= places.loc[pd.MultiIndex.from_frame(frame[["metric", side]])].to_numpy() < size
    frame = frame[inside]
    first = frame["better"].to_numpy() >= 0
    return frame.assign(
        better=np.where(first, frame["system_a"], frame["system_b"]),
        worse=np.where(first, frame["system_b"], frame["system_a"]),
        difference=np.where(first, frame["difference"], -frame["difference"]),
        difference_low=np.where(first, frame["difference_low"], -frame["difference_high"]),
        difference_high=np.where(first, frame["difference_high"], -frame["difference_low"]),
    )


def _top_counts_table(results: Sequence[PairwiseResult], pairs: pd.DataFrame, size: int) -> Table:
    names = [result.correction for result in results]
    by_metric = pairs.groupby("metric", sort=False)
    counts, tested = by_metric[names].sum(), by_metric["p_value"].count()
    n_pairs = size * (size - 1) // 2
    frame = counts.add_suffix("_sort")
    for result in results:  # at worst all pairs that the draws leave open are among these
        errors = dict(zip(result.metrics, result.power_errors() * result.n_pairs / max(n_pairs, 1), strict=True))
        n_significant = counts[result.correction]
        written = [
            share_of(n_significant[metric], tested[metric], errors[str(metric)]) for metric in n_significant.index
        ]
        frame = with_cells(frame, **{result.correction: written})
    frame = frame.reset_index()
    return say.table(
        "top counts",
        frame,
        (METRIC,),
        right(text, _PAIRS, **{name: CORRECTIONS.label(name) for name in names}),
        called=f"top_{size}_counts",
        data=counts.rename(columns=lambda name: f"n_significant_{name}").assign(n_pairs=tested).reset_index(),
        n=n_pairs,
        size=size,
        test=results[0].procedure.label,
    )


def _top_pairs_table(results: Sequence[PairwiseResult], top_pairs: pd.DataFrame, size: int) -> Table:
    corrected = [result.correction for result in results if result.correction != "none"]
    named = {"p_value": "p", **{f"p {name}": f"p, {CORRECTIONS.label(name)}" for name in corrected}}
    order = {metric: position for position, metric in enumerate(results[0].metrics)}
    top_pairs = top_pairs.assign(order=top_pairs["metric"].map(order)).sort_values(["order", "p_value"], kind="stable")
    raw = {name: "p_value" for name in named if name not in {"p_value", f"p {FAMILY_WISE}"}}
    data = top_pairs.reset_index(drop=True)
    frame, written = p_values(data, named, raw=raw, n_resamples=drawn_for_p(results[0]))
    label = f"{percentage(1.0 - results[0].alpha)} interval"
    frame, ends = bounded(frame, {"difference": ("Difference", _SCORE)}, label)
    columns = (METRIC, *left(better="Better", worse="Worse"), *ends)
    numbers = ["metric", "better", "worse", "difference", "difference_low", "difference_high"]
    return say.table(
        "top pairs",
        frame,
        columns,
        written,
        called=f"top_{size}_pairs",
        data=data[[*numbers, *(column.name for column in written)]],
        size=size,
    )


def identical_section(study: PowerStudy) -> list[Section]:
    """Name the systems that no metric can tell from one another, where there are any."""
    rows = [(set_number, name) for set_number, names in enumerate(study.identical, 1) for name in names]
    if not rows:
        return []
    frame = pd.DataFrame(rows, columns=["set", "system"])
    columns = (right(whole, set="Set"), left(system="System"))
    return [
        say.section(
            "identical", say.table("identical", frame, *columns, called="identical_systems", head="Identical systems")
        )
    ]


def _metric_blocks(order: Sequence[str], blocks: Callable[[str], tuple[Block, ...]]) -> tuple[Block, ...]:
    """Show the blocks of one metric, the first one at first."""
    return (Choice(names=tuple(map(name_of_metric, order)), parts=tuple(map(blocks, order))),)
