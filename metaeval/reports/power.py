# ruff: noqa: RUF001 - Greek letters are meant for people
"""A power study as a report: discriminative power, its differences, rankings, pairwise significance."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.figures.shown import NAMED_ROWS
from metaeval.reports.data_files import pair_files, score_files
from metaeval.reports.power_words import (
    deciding,
    one_per_test,
    power_differences,
    power_methods,
    power_summary,
    rows_of,
)
from metaeval.reports.report import Block, Fold, Picture, Report, Section, Text, facts
from metaeval.reports.tables import METRIC, Column, Table, left, right
from metaeval.studies.power import PowerStudy
from metaeval.tests_stat.catalogue import name_of_test, words_for_test
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, name_of_correction, words_for_correction
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY
from metaeval.words import (
    interval,
    name_of_metric,
    number,
    p_value,
    percentage,
    share,
    share_of,
    short_names,
    whole,
)

__all__ = ["power_report"]

_SCORE = number(4)
_ALL_DIFFERENCES = 6


def power_report(study: PowerStudy, *, map_metric: str | None = None, top: int = 10) -> Report:
    """Put a power study into a report.

    Parameters
    ----------
    study : PowerStudy
    map_metric : str, optional
        The metric shown first where every metric has a picture of its own; the first one by default.
    top : int, default 10
        Significant pairs are counted and listed among so many best systems.

    Raises
    ------
    UnknownNameError
        If `map_metric` is not in the study.
    InvalidOptionError
        If `top` is below 2.
    """
    metrics = study.scores["metric"].to_numpy().tolist()
    if map_metric is not None and map_metric not in metrics:
        raise UnknownNameError("metric", map_metric, metrics)
    if top < 2:  # noqa: PLR2004 - a pair needs two
        message = f"top must be at least 2 (systems), not {top!r}"
        raise InvalidOptionError(message)
    order = sorted(metrics, key=lambda name: name != map_metric)
    frame, means = study.to_frame(), study.system_means()
    return Report(
        command="power",
        title="Under which metrics do these systems differ significantly?"
        if len(metrics) > 1
        else f"Do these systems differ significantly under {name_of_metric(metrics[0])}?",
        facts=_facts(study),
        summary=power_summary(study, frame),
        sections=(
            _power_section(study, frame),
            *_differences_section(study, frame),
            *_asl_section(study),
            _ranking_section(study, means, order),
            _scores_section(study, order),
            _map_section(study, order),
            _top_section(study, means, top),
            _identical_section(study),
        ),
        methods=power_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=tuple(study.notes),
        data=score_files(study.scores) | pair_files(study.comparisons),
    )


# -------------------------------------------------------------------------------------------------- the short answer


def _facts(study: PowerStudy) -> tuple[tuple[str, str], ...]:
    sizes, lead = study.scores.sizes, study.comparisons[0]
    counted = facts(metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=lead.n_pairs)
    return (*counted, (f"{lead.alpha:g}", "significance level α"))


# ----------------------------------------------------------------------------------------------------- the sections


def _power_section(study: PowerStudy, frame: pd.DataFrame) -> Section:
    lead = study.comparisons[0]
    by = (
        " by the bootstrap sensitivity method" if {result.test for result in study.comparisons} == {SENSITIVITY} else ""
    )
    picture = Picture(
        name="discriminative_power",
        draw=lambda: figures.power_dots(labelled(frame)),
        title="Discriminative power",
        caption="Share of the pairs of systems that differ significantly under each metric, best metric first"
        + ("; the bar is its interval over topics. " if "power_low" in frame else ". ")
        + "Metrics far to the right find more differences in the same data.",
        alt="; ".join(
            f"{name_of_metric(row.metric)}, {words_for_test(str(row.test))}, "
            f"{words_for_correction(str(row.correction))}: {share(row.power)}"
            for row in frame.itertuples()
        ),
    )
    return Section(
        id="power",
        title="Discriminative power",
        lead=f"How many of the {lead.n_pairs} pairs of systems differ significantly under each metric at α = "
        f"{lead.alpha:g}{by}. The "
        "more pairs, the steadier the metric's verdicts over the topics.",
        brief=True,
        blocks=(picture, *_short_names(study), _power_table(study, frame)),
    )


def _power_table(study: PowerStudy, frame: pd.DataFrame) -> Table:
    keys = ["metric", "test"]
    rows = pd.DataFrame([_power_row(part) for _, part in frame.groupby(keys, sort=False)])
    columns = [METRIC]
    if len(one_per_test(study)) > 1:
        columns.append(Column(name="test", label="Test", write=lambda name: name_of_test(str(name))))
    for name in (*CORRECTIONS, FAMILY_WISE):
        if name in rows:
            columns.append(
                Column(name=name, label=name_of_correction(name), align="right", group="Significantly different pairs")
            )
        if study.intervals is not None and f"{name} interval" in rows:
            label = f"{percentage(study.intervals.confidence_level)} interval"
            above = "Significantly different pairs"
            columns.append(Column(name=f"{name} interval", label=label, align="right", group=above, under=True))
    for name, label in _REQUIRED.items():
        if name in rows:
            columns.append(Column(name=name, label=label, write=_SCORE, align="right", group="Difference required"))
    unit = ["A difference required is in the metric's own unit."] if set(_REQUIRED) & set(rows) else []
    return Table(
        name="discriminative_power",
        title="Discriminative power and difference required",
        caption=" ".join([_settings(study), *unit]),
        frame=rows,
        columns=tuple(columns),
        data=frame,
    )


def _short_names(study: PowerStudy) -> list[Block]:
    paragraphs = tuple(short_names(study.scores["metric"].to_numpy()))
    return [Text(paragraphs=paragraphs)] if paragraphs else []


_REQUIRED = {
    "difference_required": "max",
    "difference_required_median": "median",
    "difference_required_p95": "95th pct.",
}


def _power_row(part: pd.DataFrame) -> dict[str, object]:
    """Put one metric's rows under one test side by side; what is absent throughout gets no column."""
    row: dict[str, object] = {"metric": part["metric"].iloc[0], "test": part["test"].iloc[0]}
    for one in part.to_dict("records"):
        name = one["correction"]
        row |= {name: share_of(one["n_significant"], one["n_pairs"]), f"{name}_sort": one["power"]}
        if pd.notna(one.get("power_low")):
            bounds = interval(one["power_low"], one["power_high"])
            row |= {f"{name} interval": bounds, f"{name} interval_sort": one["power_low"]}
        row |= {column: one[column] for column in _REQUIRED if pd.notna(one.get(column))}
    return row


def _differences_section(study: PowerStudy, frame: pd.DataFrame) -> list[Section]:
    differences = power_differences(study)
    if differences is None or study.intervals is None:
        return []
    level = percentage(study.intervals.confidence_level)
    shown, only = differences, ""
    if study.scores.sizes["metric"] > _ALL_DIFFERENCES:
        rows = rows_of(frame, study.comparisons[0])
        best = rows["metric"].iloc[int(rows["power"].to_numpy().argmax())]
        shown = differences[(differences["metric_a"] == best) | (differences["metric_b"] == best)]
        only = (
            f" Shown are the {len(shown)} differences from {name_of_metric(best)}, whose power is the highest; the "
            f"numbers below hold all {len(differences)}."
        )
    how = _how(str(differences["test"].iloc[0]), study.comparisons[0].correction)
    clear = int(((shown["low"] > 0) | (shown["high"] < 0)).sum())
    picture = Picture(
        name="power_differences",
        draw=lambda: figures.power_differences(shown),
        title="Differences between the metrics' powers",
        caption=f"Each dot is the power of the first metric minus that of the second, with its {level} interval over "
        "topics. Filled: the interval leaves out zero, so more pairs differ significantly under the first metric. "
        "Open: these topics "
        f"do not settle it. {how}.{only}",
        alt=f"{clear} of {len(shown)} differences have an interval that leaves out zero.",
    )
    return [
        Section(
            id="differences",
            title="Differences in discriminative power",
            lead="Two metrics see the same topics, so their powers rise and fall together. These intervals take that "
            "into account; overlapping intervals of two single powers do not.",
            blocks=(picture, Fold(title="The numbers", blocks=(_differences_table(differences, how, level),))),
        )
    ]


def _differences_table(differences: pd.DataFrame, how: str, level: str) -> Table:
    points = number(3)
    return Table(
        name="power_differences",
        title="Differences between the metrics' powers",
        caption=f"Of the shares of significantly different pairs ({how}). Every interval stands for itself: with many "
        "metrics, some "
        "leave out zero by chance.",
        frame=differences,
        columns=(
            *left(name_of_metric, metric_a="Metric", metric_b="minus metric"),
            *right(points, difference="Difference of shares"),
            *right(points, f"{level} interval", low="low", high="high"),
        ),
    )


def _asl_section(study: PowerStudy) -> list[Section]:
    sensitivity = study.sensitivity
    if sensitivity is None:
        return []
    picture = Picture(
        name="asl_curves",
        draw=sensitivity.plot,
        title="Achieved significance levels",
        caption=f"For each metric all {sensitivity.n_pairs} pairs of systems are sorted by their achieved significance "
        "level. Under a metric whose curve stays low for longer, more pairs differ significantly; where it crosses the "
        "dashed line "
        f"(α = {sensitivity.alpha:g}) lies its discriminative power, given beside its name. Studentised bootstrap, "
        f"B = {sensitivity.n_resamples}, {sensitivity.random_source}, uncorrected (Sakai, 2006).",
        alt="; ".join(
            f"{name_of_metric(row.metric)} crosses α at {row.n_significant} pairs"
            for row in sensitivity.summary().itertuples()
        ),
    )
    return [
        Section(
            id="asl",
            title="Achieved significance levels",
            lead="How the evidence is spread over the pairs, not only how many pass one level: metrics whose curves "
            "cross would change places at another level.",
            blocks=(picture,),
        )
    ]


def _ranking_section(study: PowerStudy, means: pd.DataFrame, order: Sequence[str]) -> Section:
    strict, rising = deciding(study), study.scores["higher_is_better"]
    counts = _verdict_counts(strict)
    how = _how(strict.test, strict.correction)

    def blocks(metric: str) -> tuple[Block, ...]:
        part = means[means["metric"] == metric].merge(counts, on=["metric", "system"], sort=False)
        picture = Picture(
            name=f"ranking {metric}",
            draw=lambda: figures.system_ranking(means, metric, higher_is_better=bool(rising.sel(metric=metric))),
            title=f"Systems by mean {name_of_metric(metric)}",
            caption="Dot: mean over the topics. Bar: 95 % t interval of that mean alone. Overlapping bars do not mean "
            "that two systems are the same, because they were measured on the same topics; the tests take that into "
            "account. The number after a name is its rank.",
            alt=f"{part['system'].iloc[0]} leads with a mean of {_SCORE(part['mean'].iloc[0])}; {len(part)} systems.",
        )
        return (
            picture,
            Fold(title=f"The numbers for {name_of_metric(metric)}", blocks=(_ranking_table(metric, part, how),)),
        )

    return Section(
        id="systems",
        title="Ranking of the systems",
        lead="Every system's mean score with an interval, best first.",
        blocks=_per_metric(order, blocks),
    )


def _ranking_table(metric: str, part: pd.DataFrame, how: str) -> Table:
    columns = [*right(whole, rank="Rank"), *left(system="System")]
    if (part["group"] != "").any():
        columns.append(Column(name="group", label="Group"))
    columns += [
        *right(_SCORE, mean="Mean"),
        *right(_SCORE, "95 % interval", low="low", high="high"),
        *right(whole, "Significantly", better_than="better than", worse_than="worse than"),
    ]
    return Table(
        name=f"ranking {metric}",
        title=f"Systems by mean {name_of_metric(metric)}",
        caption=f"The last two columns count systems ({how}).",
        frame=part,
        columns=tuple(columns),
    )


def _verdict_counts(result: PairwiseResult) -> pd.DataFrame:
    """Count for every metric and system how many systems it is significantly better and worse than."""
    parts = []
    for metric in result.metrics:
        square = result.decisions(metric)
        values = square.to_numpy()
        counts = {"better_than": (values > 0).sum(axis=1), "worse_than": (values < 0).sum(axis=1)}
        parts.append(pd.DataFrame({"metric": metric, "system": square.index.to_numpy(), **counts}))
    return pd.concat(parts, ignore_index=True)


def _scores_section(study: PowerStudy, order: Sequence[str]) -> Section:
    by_row = (
        "Each stroke is a topic, the thick bar the middle half of the topics, the small bar across it the median, the "
        "dot the mean."
    )
    by_rank = (
        "Systems stand side by side in order of their mean: the thick part is the middle half of the topics, the thin "
        "part reaches from 5 % to 95 % of them."
    )
    caption = by_row if study.scores.sizes["system"] <= NAMED_ROWS else by_rank

    def blocks(metric: str) -> tuple[Block, ...]:
        values = study.scores.sel(metric=metric).to_numpy()
        means = values.mean(axis=1)
        picture = Picture(
            name=f"scores {metric}",
            draw=lambda: figures.score_distributions(study.scores, metric),
            title=f"{name_of_metric(metric)} over the topics",
            caption=caption,
            alt=f"Scores from {_SCORE(values.min())} to {_SCORE(values.max())}; means from {_SCORE(means.min())} to "
            f"{_SCORE(means.max())}.",
        )
        return (picture,)

    return Section(
        id="scores",
        title="Scores over systems and topics",
        lead="How widely the scores of each system vary over the topics. The more they vary from topic to topic, the "
        "harder it is to show that two systems differ.",
        blocks=_per_metric(order, blocks),
    )


def _map_section(study: PowerStudy, order: Sequence[str]) -> Section:
    strict = deciding(study)
    pale = "" if strict.correction in ("none", "family-wise") else "; pale: only without the correction"

    def blocks(metric: str) -> tuple[Block, ...]:
        found = int(strict.data["significant"].sel(metric=metric).sum())
        picture = Picture(
            name=f"map {metric}",
            draw=lambda: strict.plot(metric),
            title=f"Who is better than whom under {name_of_metric(metric)}",
            caption="Systems in order of their mean, best on top and on the left. Blue: the row's system is better "
            f"than the column's; orange: worse{pale}. The wider the grey band along the diagonal, the farther apart "
            "two systems must stand in the ranking before they differ significantly. "
            f"{_how(strict.test, strict.correction)}, α = {strict.alpha:g}.",
            alt=f"{found} of {strict.n_pairs} pairs differ significantly.",
        )
        return (picture,)

    return Section(
        id="map",
        title="Pairwise significance",
        lead="Every pair of systems at a glance: which of the two is better, and whether the data show it.",
        blocks=_per_metric(order, blocks),
    )


def _top_section(study: PowerStudy, means: pd.DataFrame, top: int) -> Section:
    size = min(top, study.scores.sizes["system"])
    decides = deciding(study).test
    results = [result for result in study.comparisons if result.test == decides]
    pairs = _top_pairs(results, means, size)
    blocks: list[Block] = [_top_counts_table(results, pairs, size)]
    found = pairs[pairs[[result.correction for result in results]].any(axis=1)]
    if len(found):
        blocks.append(
            Fold(title=f"The significant pairs ({len(found)})", blocks=(_top_pairs_table(results, found, size),))
        )
    return Section(
        id="top",
        title=f"Significant pairs among the top {size}",
        lead="Differences near the top of a ranking matter most and are hardest to show.",
        blocks=tuple(blocks),
    )


def _top_pairs(results: Sequence[PairwiseResult], means: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return every pair among each metric's own best systems, the better system first, with all verdicts.

    A column named after a correction holds its decisions, "p " and that name its p-values.
    """
    frame = results[0].to_frame()
    for result in results:
        own = result.to_frame()
        frame = frame.assign(**{result.correction: own["significant"], f"p {result.correction}": own["p_corrected"]})
    place = means.groupby("metric").cumcount().rename("place")
    places = means[["metric", "system"]].join(place).set_index(["metric", "system"])["place"]
    inside = np.ones(len(frame), dtype=bool)
    for side in ("system_a", "system_b"):
        inside &= places.loc[pd.MultiIndex.from_frame(frame[["metric", side]])].to_numpy() < size
    frame = frame[inside]
    first = frame["better"].to_numpy() >= 0
    return frame.assign(
        better=np.where(first, frame["system_a"], frame["system_b"]),
        worse=np.where(first, frame["system_b"], frame["system_a"]),
        difference=np.where(first, frame["difference"], -frame["difference"]),
    )


def _top_counts_table(results: Sequence[PairwiseResult], pairs: pd.DataFrame, size: int) -> Table:
    names = [result.correction for result in results]
    found = pairs.groupby("metric", sort=False)[names].sum()
    n_pairs = size * (size - 1) // 2
    shown = found.map(lambda count: share_of(count, n_pairs)).join(found.add_suffix("_sort")).reset_index()
    group = "Significantly different pairs"
    columns = [Column(name=name, label=name_of_correction(name), align="right", group=group) for name in names]
    return Table(
        name=f"top_{size}_counts",
        title=f"Significantly different pairs among the top {size} systems",
        caption=f"Of {n_pairs} pairs of each metric's own best {size} systems ({name_of_test(results[0].test)}).",
        frame=shown,
        columns=(METRIC, *columns),
        data=found.rename(columns=lambda name: f"n_significant_{name}").assign(n_pairs=n_pairs).reset_index(),
    )


def _top_pairs_table(results: Sequence[PairwiseResult], found: pd.DataFrame, size: int) -> Table:
    corrected = [result.correction for result in results if result.correction != "none"]
    columns = [
        METRIC,
        *left(better="Better", worse="Worse"),
        *right(_SCORE, difference="Difference"),
        *right(p_value, p_value="p"),
    ]
    columns += [
        Column(name=f"p {name}", label=f"p, {name_of_correction(name)}", write=p_value, align="right")
        for name in corrected
    ]
    order = {metric: place for place, metric in enumerate(results[0].metrics)}
    found = found.assign(order=found["metric"].map(order)).sort_values(["order", "p_value"], kind="stable")
    return Table(
        name=f"top_{size}_pairs",
        title=f"Significant pairs among the top {size} systems",
        caption="Every pair that is significant at least without correction. Differences of means are in the metric's "
        "own unit, better minus worse.",
        frame=found.reset_index(drop=True),
        columns=tuple(columns),
    )


def _identical_section(study: PowerStudy) -> Section:
    rows = [(place, name) for place, names in enumerate(study.identical, 1) for name in names]
    table = Table(
        name="identical_systems",
        title="Identical systems",
        caption="Systems with the same number are the same.",
        frame=pd.DataFrame(rows, columns=["set", "system"]),
        columns=(*right(whole, set="Set"), *left(system="System")),
    )
    return Section(
        id="identical",
        title="Identical systems",
        lead="Systems with the same score on every topic under every metric. They are kept among the pairs, as the "
        "method defines it, though they cannot differ under any metric.",
        blocks=(table if rows else Text(paragraphs=("No two systems have the same scores throughout.",)),),
    )


# -------------------------------------------------------------------------------------------------------- what helps


def _per_metric(order: Sequence[str], blocks: Callable[[str], tuple[Block, ...]]) -> tuple[Block, ...]:
    """Show the first metric's blocks, and those of the others folded."""
    first, *others = order
    return (
        *blocks(first),
        *(Fold(title=f"The same for {name_of_metric(name)}", blocks=blocks(name)) for name in others),
    )


def _settings(study: PowerStudy) -> str:
    """Name every test with its B and seed, then what they share: alternative and level."""
    tests, lead = [], study.comparisons[0]
    for place, result in enumerate(one_per_test(study)):
        parts = [words_for_test(result.test) if place else name_of_test(result.test)]
        if result.n_resamples:
            parts += [f"B = {result.n_resamples}", *([result.random_source] if result.random_source else [])]
        tests.append(", ".join(parts))
    return f"{'; '.join(tests)}. {lead.alternative.capitalize()}, α = {lead.alpha:g}."


def _how(test: str, correction: str) -> str:
    return f"{name_of_test(test)}, {words_for_correction(correction)}"
