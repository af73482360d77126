# ruff: noqa: RUF001 - Greek letters are meant for people
"""A power study as a report: discriminative power, its differences, rankings, pairwise significance."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.figures.shown import NAMED_ROWS
from metaeval.reports.data_files import pair_files, score_files
from metaeval.reports.methods import cited_keys, methods_paragraph, one_per_test
from metaeval.reports.report import Block, Fold, Methods, Picture, Report, Section, Text
from metaeval.reports.tables import Column, Table
from metaeval.studies.power import PowerStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY
from metaeval.words import (
    interval,
    listed,
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
_CAUTION = "Discriminative power says how steady a metric is over topics, not whether it measures the right thing."


def power_report(study: PowerStudy, *, map_metric: str | None = None, top: int = 10) -> Report:
    """Put a power study into a report.

    Parameters
    ----------
    study : PowerStudy
    map_metric : str, optional
        The metric shown first where every metric has a picture of its own; the first one by default.
    top : int, default 10
        Significant pairs are counted and listed among so many best systems.

    Returns
    -------
    Report

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
        summary=_summary(study, frame),
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
        methods=Methods(paragraphs=(methods_paragraph(study),), cite=cited_keys(study)),
        rows=frame,
        provenance=study.provenance,
        notes=tuple(study.notes),
        data=score_files(study.scores) | pair_files(study.comparisons),
    )


# -------------------------------------------------------------------------------------------------- the short answer


def _facts(study: PowerStudy) -> tuple[tuple[str, str], ...]:
    sizes, lead = study.scores.sizes, study.comparisons[0]
    counts = {"metric": sizes["metric"], "system": sizes["system"], "topic": sizes["topic"], "pair": lead.n_pairs}
    shown = [(str(number), what if number == 1 else f"{what}s") for what, number in counts.items()]
    return (*shown, (f"{lead.alpha:g}", "significance level α"))


def _summary(study: PowerStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    lead = study.comparisons[0]
    rows = _rows_of(frame, lead)
    best = rows[rows["n_significant"] == rows["n_significant"].max()]
    how = f"at α = {lead.alpha:g} ({TESTS.words(lead.test)}, {CORRECTIONS.words(lead.correction)})"
    opening = [_best_sentence(study, rows, best, how), *_corrected_sentence(study, frame, best)]
    rest = [*_distinct_sentence(study, rows, best), *_worst_sentence(rows, best), *_required_sentence(frame, best)]
    return tuple(" ".join(part) for part in (opening, rest, [*_identical_sentence(study), _CAUTION]) if part)


def _best_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame, how: str) -> str:
    top, names = best.iloc[0], [name_of_metric(name) for name in best["metric"]]
    bounds = ""
    if study.intervals is not None and pd.notna(top["power_low"]):
        level = percentage(study.intervals.confidence_level)
        bounds = f", {level} interval {interval(top['power_low'], top['power_high'])}"
    found = f"{top['n_significant']} of {top['n_pairs']} ({share(top['power'])}{bounds})"
    if top["n_significant"] == 0:
        return f"No pair of systems differs significantly {how}" + (", under any metric." if len(rows) > 1 else ".")
    if len(rows) == 1:
        return f"Under {names[0]} {found} pairs of systems differ significantly {how}."
    if len(best) == len(rows):
        every = "both" if len(rows) == 2 else f"all {len(rows)}"  # noqa: PLR2004 - two have their own word
        return f"Under {every} metrics equally many pairs of systems differ significantly: {found} {how}."
    if len(best) > 1:
        return (
            f"Of {len(rows)} metrics, {listed(names)} have the highest discriminative power: {found} pairs of systems "
            f"differ significantly under each {how}."
        )
    return (
        f"Of {len(rows)} metrics, {names[0]} has the highest discriminative power: {found} pairs of systems differ "
        f"significantly {how}."
    )


def _corrected_sentence(study: PowerStudy, frame: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    strict = _strict(study)
    if strict is study.comparisons[0] or best["n_significant"].iloc[0] == 0:
        return []
    kept = _rows_of(frame, strict).set_index("metric").loc[best["metric"]]
    left = [f"{row.n_significant} ({share(row.power)})" for row in kept.itertuples()]
    if len(best) > 1:
        left = [f"{found} under {name_of_metric(metric)}" for found, metric in zip(left, best["metric"], strict=True)]
    if strict.test == study.comparisons[0].test:
        return [f"After the {CORRECTIONS.label(strict.correction)} correction {listed(left)} remain."]
    how = f"{TESTS.words(strict.test)}, {CORRECTIONS.words(strict.correction)}"
    return [f"With the false discovery rate kept at α ({how}), {listed(left)} differ."]


def _distinct_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    differences = _differences(study)
    if study.intervals is None or differences is None or len(best) > 1:
        return []
    name, level = best["metric"].iloc[0], percentage(study.intervals.confidence_level)
    facing = differences[(differences["metric_a"] == name) | (differences["metric_b"] == name)]
    unclear = facing[(facing["low"] <= 0) & (facing["high"] >= 0)]
    near = [b if a == name else a for a, b in zip(unclear["metric_a"], unclear["metric_b"], strict=True)]
    if not near:
        return [f"Its lead is clear: every {level} interval for its difference from another metric leaves out zero."]
    others = "any other metric" if len(near) == len(rows) - 1 > 1 else listed(map(name_of_metric, near))
    return [f"Its lead over {others} is not clear: the {level} interval of the difference in power holds zero."]


def _worst_sentence(rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    worst = rows[rows["n_significant"] == rows["n_significant"].min()]
    if len(worst) > 1 or len(best) == len(rows):
        return []
    row = worst.iloc[0]
    return [f"{name_of_metric(row['metric'])} has the lowest: {row['n_significant']} ({share(row['power'])})."]


def _required_sentence(frame: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    metric = best["metric"].iloc[0]
    rows = frame[(frame["test"] == SENSITIVITY) & (frame["correction"] == "none") & (frame["metric"] == metric)]
    return [
        f"Under {name_of_metric(metric)} the difference in means required is {_SCORE(row.difference_required)} for the "
        f"most demanding pair and {_SCORE(row.difference_required_median)} for the median pair."
        for row in rows.itertuples()
    ]


def _identical_sentence(study: PowerStudy) -> list[str]:
    n_same = sum(map(len, study.identical))
    if not n_same:
        return []
    return [f"{n_same} systems have the same scores as another throughout; such pairs can never differ significantly."]


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
            f"{name_of_metric(row.metric)}, {TESTS.words(str(row.test))}, "
            f"{CORRECTIONS.words(str(row.correction))}: {share(row.power)}"
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
    columns = [_METRIC]
    if len(one_per_test(study)) > 1:
        columns.append(Column(name="test", label="Test", write=lambda name: TESTS.label(str(name))))
    for name in CORRECTIONS.named:
        if name in rows:
            columns.append(
                Column(name=name, label=CORRECTIONS.label(name), align="right", group="Significantly different pairs")
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


_METRIC = Column(name="metric", label="Metric", write=name_of_metric)
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


def _differences(study: PowerStudy) -> pd.DataFrame | None:
    """Return the intervals of the differences of powers under the first comparison's correction, or None.

    They may come from another test than the first one; their column ``test`` says which.
    """
    if study.intervals is None or study.scores.sizes["metric"] < 2:  # noqa: PLR2004 - a difference needs two
        return None
    frame = study.intervals.differences()
    frame = frame[frame["correction"] == study.comparisons[0].correction]
    return None if frame.empty else _larger_first(frame)


def _larger_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn every row so that its difference is not negative, and sort, largest first."""
    turned = frame["difference"].to_numpy() < 0
    a, b = frame["metric_a"].to_numpy(), frame["metric_b"].to_numpy()
    low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    out = frame.assign(
        metric_a=np.where(turned, b, a),
        metric_b=np.where(turned, a, b),
        difference=np.abs(frame["difference"].to_numpy()),
        low=np.where(turned, -high, low),
        high=np.where(turned, -low, high),
    )
    return out.sort_values("difference", ascending=False, kind="stable", ignore_index=True)


def _differences_section(study: PowerStudy, frame: pd.DataFrame) -> list[Section]:
    differences = _differences(study)
    if differences is None or study.intervals is None:
        return []
    level = percentage(study.intervals.confidence_level)
    shown, only = differences, ""
    if study.scores.sizes["metric"] > _ALL_DIFFERENCES:
        rows = _rows_of(frame, study.comparisons[0])
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
            Column(name="metric_a", label="Metric", write=name_of_metric),
            Column(name="metric_b", label="minus metric", write=name_of_metric),
            Column(name="difference", label="Difference of shares", write=points, align="right"),
            Column(name="low", label="low", write=points, align="right", group=f"{level} interval"),
            Column(name="high", label="high", write=points, align="right", group=f"{level} interval"),
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
    strict, rising = _strict(study), study.scores["higher_is_better"]
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
    columns = [Column(name="rank", label="Rank", write=whole, align="right"), Column(name="system", label="System")]
    if (part["group"] != "").any():
        columns.append(Column(name="group", label="Group"))
    columns += [
        Column(name="mean", label="Mean", write=_SCORE, align="right"),
        Column(name="low", label="low", write=_SCORE, align="right", group="95 % interval"),
        Column(name="high", label="high", write=_SCORE, align="right", group="95 % interval"),
        Column(name="better_than", label="better than", write=whole, align="right", group="Significantly"),
        Column(name="worse_than", label="worse than", write=whole, align="right", group="Significantly"),
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
    strict = _strict(study)
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
    decides = _strict(study).test
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
    columns = [Column(name=name, label=CORRECTIONS.label(name), align="right", group=group) for name in names]
    return Table(
        name=f"top_{size}_counts",
        title=f"Significantly different pairs among the top {size} systems",
        caption=f"Of {n_pairs} pairs of each metric's own best {size} systems ({TESTS.label(results[0].test)}).",
        frame=shown,
        columns=(_METRIC, *columns),
        data=found.rename(columns=lambda name: f"n_significant_{name}").assign(n_pairs=n_pairs).reset_index(),
    )


def _top_pairs_table(results: Sequence[PairwiseResult], found: pd.DataFrame, size: int) -> Table:
    corrected = [result.correction for result in results if result.correction != "none"]
    columns = [
        _METRIC,
        Column(name="better", label="Better"),
        Column(name="worse", label="Worse"),
        Column(name="difference", label="Difference", write=_SCORE, align="right"),
        Column(name="p_value", label="p", write=p_value, align="right"),
    ]
    columns += [
        Column(name=f"p {name}", label=f"p, {CORRECTIONS.label(name)}", write=p_value, align="right")
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
        columns=(Column(name="set", label="Set", write=whole, align="right"), Column(name="system", label="System")),
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
        parts = [TESTS.words(result.test) if place else TESTS.label(result.test)]
        if result.n_resamples:
            parts += [f"B = {result.n_resamples}", *([result.random_source] if result.random_source else [])]
        tests.append(", ".join(parts))
    return f"{'; '.join(tests)}. {lead.alternative.capitalize()}, α = {lead.alpha:g}."


def _strict(study: PowerStudy) -> PairwiseResult:
    """Return the result that decides about pairs: the first under Benjamini-Yekutieli, else the first test's last."""
    same = [result for result in study.comparisons if result.test == study.comparisons[0].test]
    return next((result for result in study.comparisons if result.correction == "fdr_by"), same[-1])


def _rows_of(frame: pd.DataFrame, result: PairwiseResult) -> pd.DataFrame:
    return frame[(frame["test"] == result.test) & (frame["correction"] == result.correction)]


def _how(test: str, correction: str) -> str:
    return f"{TESTS.label(test)}, {CORRECTIONS.words(correction)}"
