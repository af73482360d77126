# ruff: noqa: RUF001 - Greek letters and signs are meant for people
"""The sections on error rates of a topics study: by size, metric and difference, beyond the data, at any number."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    absent,
    carried,
    ends,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    text,
    whole,
    with_errors_of,
    without_error,
)
from metaeval.models.exponential import PUBLISHED_CRITERION, exponential_errors
from metaeval.models.families import FAMILIES, Family
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Steps, Table, left, right, under, with_cells
from metaeval.questions.topics.page_words import (
    TOLERANCE,
    not_estimated,
    ties_counted,
    tolerance_name,
    tolerance_names,
    with_tolerances,
)
from metaeval.questions.topics.study import CURVE, DIFFERENCES, EXPONENTIAL, TopicsStudy
from metaeval.reports.prose import prose
from metaeval.resampling.bins import DifferenceBins
from metaeval.resampling.topic_sets import SMALLEST_SIZE
from metaeval.table.runs import runs_move

_READINGS = {
    "first bin": "First bin within the limit",
    "every larger bin": "Every larger bin too",
    "cumulative": "All larger bins together",
}
_ALPHA, _POWER = 0.05, 0.8
_FARTHEST, _TIMES = 200, 4
"""The largest number shown: so many, or so many times the topics at hand."""
_STEPS = ((50, 1), (100, 5), (200, 10), (500, 25), (2_000, 100), (10_000, 500), (1_000_000, 50_000))
"""Up to a number the slider goes in such steps."""
_TABLED = (10, 25, 50, 100, 200, 500)
"""Numbers in the table for those who have no slider."""
say = prose(__name__)


def error_sections(study: TopicsStudy) -> tuple[Section, ...]:
    """Return every section on error rates."""
    curves = study.curves()
    return (
        _by_size_section(study, curves),
        *_by_metric_sections(study, curves),
        *_by_difference_sections(study),
        _held_out_section(study),
    )


def rates_section(study: TopicsStudy) -> Section:
    """Return the section on how the error falls as topic sets grow."""
    return _by_size_section(study, study.curves())


def _by_size_section(study: TopicsStudy, curves: pd.DataFrame) -> Section:
    minimum, rates = study.minimum, study.error_rates
    level, curve = "", f"the {best.title}" if (best := _best_family(study)) else "no curve could be fitted"
    if study.posterior is not None:
        level = percentage(study.posterior.confidence_level)
        if len(study.posterior.minimum_topics().dropna(subset="median")) == len(rates.metrics) * len(rates.tolerances):
            curve = ""
    picture = say.picture(
        "error_rates",
        lambda: figures.error_panels(
            curves, tolerances=tolerance_names(study), max_error=minimum.max_error, seen_to=rates.sizes[-1]
        ),
        alt=_curves_alt(study),
        level=level,
        lines=_lines(level, curve),
        limit=minimum.max_error,
        ties=ties_counted(study),
    )
    return say.section("error-rates", picture, Fold(title="The numbers", blocks=(_rates_table(study),)), brief=False)


def _lines(level: str, curve: str) -> str:
    """Return what the lines of the picture are."""
    model = f"median of the Bayesian model, with its {level} band" if level else ""
    return ", or without a band ".join(filter(None, [model, curve]))


def _best_family(study: TopicsStudy) -> Family | None:
    return None if study.minimum.family is None else FAMILIES[study.minimum.family]


def _curves_alt(study: TopicsStudy) -> str:
    rates, tolerance = study.error_rates.rates(), study.error_rates.tolerances[0]
    first, last = (
        rates.sel({"tolerance": tolerance, "size": size})
        for size in (study.error_rates.sizes[0], study.error_rates.sizes[-1])
    )
    named = tolerance_name(study, tolerance)
    return "; ".join(
        f"{name_of_metric(metric)}, tolerance {named}: from {share(float(a))} to {share(float(b))}"
        for metric, a, b in zip(study.error_rates.metrics, first, last, strict=True)
    )


def _by_topic_set_size(frame: pd.DataFrame, values: str) -> pd.DataFrame:
    return frame.pivot_table(index=["metric", "tolerance"], columns="size", values=values, sort=False, dropna=False)


def _rates_table(study: TopicsStudy) -> Table:
    frame = study.error_rates.to_frame()
    sizes = _spread_sizes(study.error_rates.sizes, 8)
    rates, errors = (_by_topic_set_size(frame, values)[sizes] for values in ("error_rate", "rate_se"))
    table_frame = rates.set_axis([f"{size}_sort" for size in sizes], axis=1).reset_index()
    for size in sizes:
        written = [carried(*row) for row in zip(rates[size], errors[size], strict=True)]
        table_frame = with_cells(table_frame, **{str(size): written})
    return say.table(
        "rates",
        with_tolerances(study, table_frame),
        (METRIC,),
        (TOLERANCE,),
        right(text, unit().Topics, **{str(size): str(size) for size in sizes}),
        called="error_rates",
        data=frame,
        rates=study.error_rates,
        ties=ties_counted(study),
    )


def _by_metric_sections(study: TopicsStudy, curves: pd.DataFrame) -> tuple[Section, ...]:
    if len(study.error_rates.metrics) == 1:
        return ()
    limit = study.minimum.max_error
    picture = say.picture(
        "metrics_compared",
        lambda: figures.tolerance_panels(curves, tolerances=tolerance_names(study), max_error=limit),
        alt=_by_metric_alt(study),
        limit=limit,
    )
    return (say.section("compared", picture, brief=False),)


def _by_metric_alt(study: TopicsStudy) -> str:
    last = study.error_rates.rates().isel(size=-1)
    parts = []
    for tolerance in study.error_rates.tolerances:
        order = last.sel({"tolerance": tolerance}).to_series().dropna()
        if len(order):
            least, most = ends(map(name_of_metric, order.index), order, map(share, order))
            span = f"all {least.figure}" if least == most else f"least {least.who}, most {most.who}"
            parts.append(f"tolerance {tolerance_name(study, tolerance)}: {span}")
    return f"At {study.error_rates.sizes[-1]} {unit().topics}, {'; '.join(parts)}."


def _by_difference_sections(study: TopicsStudy) -> tuple[Section, ...]:
    if study.bins is not None:
        blocks: tuple[Block, ...] = (
            _difference_picture(study.bins),
            _readings_table(study.bins, study.error_rates.metrics),
        )
    elif DIFFERENCES in study.unestimated:
        blocks = (Text(paragraphs=(not_estimated(study.unestimated[DIFFERENCES]),), look="note"),)
    else:
        return ()
    return (say.section("differences", *blocks, brief=False),)


def _difference_picture(bins: DifferenceBins) -> Picture:
    marks = bins.sensitivity()
    return say.picture(
        "difference_bins",
        lambda: figures.difference_panels(bins.to_frame(), marks, max_error=bins.max_error),
        alt="; ".join(
            f"{name_of_metric(metric)}: {'no difference' if math.isnan(difference) else f'{difference:g}'}"
            for metric, difference in zip(marks["metric"], marks["difference"], strict=True)
        ),
        bins=bins,
        size=int(marks["size"].iloc[0]),
    )


def _readings_table(bins: DifferenceBins, metrics: Sequence[str]) -> Table:
    frame = bins.readings.to_dataframe().reset_index()
    values = ["difference", "share", "difference_error", "share_error"]
    wide = frame.pivot_table(index="metric", columns="reading", values=values, sort=False, dropna=False)
    table_frame = pd.DataFrame({"metric": list(metrics)})
    columns = [METRIC]
    for reading, heading in _READINGS.items():
        for value, word, write in (("difference", "difference", number(3)), ("share", "reached by", share)):
            name = f"{value} {reading}"
            by_metric = wide.reindex(table_frame["metric"])
            readings = by_metric[value, reading].where(by_metric["difference", reading].notna())
            table_frame[name] = [
                without_error(*row, write) for row in zip(readings, by_metric[f"{value}_error", reading], strict=True)
            ]
            table_frame[f"{name}_sort"] = readings.to_numpy()
            columns += right(text, heading, **{name: word})
    return say.table("difference_required", table_frame, columns, data=frame, frame=frame, limit=bins.max_error)


def _held_out_section(study: TopicsStudy) -> Section:
    if study.minimum.family is None:
        block: Block = Text(paragraphs=(not_estimated(study.unestimated[CURVE]),), look="note")
    else:
        block = _held_out_table(study)
    return say.section(
        "held-out",
        *_curve_words(study),
        block,
        Fold(title="Every fit", blocks=(_fits_table(study),)),
        Fold(title="The published exponential", blocks=_exponential_blocks(study)),
        brief=False,
    )


def _curve_words(study: TopicsStudy) -> tuple[Text, ...]:
    if study.minimum.family is None:
        return ()
    words = [say("continued", size=study.error_rates.sizes[-1], family=_best_family(study))]
    ranking = study.comparison.summary().set_index("family")
    if study.minimum.family != EXPONENTIAL and EXPONENTIAL in ranking.index:
        bias = _signed_share(ranking["held_out_bias"][EXPONENTIAL])
        words += [] if bias == MISSING else [f"There the bias of the exponential was {bias}."]
    return (Text(paragraphs=(" ".join(words),)),)


def _held_out_table(study: TopicsStudy) -> Table:
    summary = study.comparison.summary()
    frame = summary.assign(
        name=[sentence_case(FAMILIES[name].title) for name in summary["family"]],
        formula=[FAMILIES[name].formula for name in summary["family"]],
    )
    above = "Held-out sizes"
    return say.table(
        "curves_compared",
        frame,
        left(name="Curve"),
        right(number(2), above, held_out_error="Error"),
        right(_signed_share, above, held_out_bias="Bias"),
        right(whole, n_fitted="Fits"),
        left(formula="Formula"),
        data=summary,
    )


def _fits_table(study: TopicsStudy) -> Table:
    frame = study.comparison.to_frame()
    table_frame = with_tolerances(study, frame).assign(
        name=[sentence_case(FAMILIES[name].title) for name in frame["family"]],
        outcome=frame["parameters"].where(frame["note"] == "", frame["note"]),
    )
    return say.table(
        "curves",
        table_frame,
        (METRIC,),
        (TOLERANCE,),
        left(name="Curve"),
        right(number(2), held_out_error="Held out", weighted_error="All sizes"),
        left(outcome="Parameters"),
        data=frame,
        head="Every curve on every metric and tolerance",
    )


def _exponential_blocks(study: TopicsStudy) -> tuple[Block, ...]:
    digits = {"a1": 4, "se_a1": 4, "a2": 4, "se_a2": 4, "chi_squared": 2, "n_zero_sizes": 0}
    fits, errors = study.exponential, exponential_errors(study.error_rates, half_swaps=False)
    written = {
        name: [carried(*row, number(n)) for row in zip(fits[name], errors[name], strict=True)]
        for name, n in digits.items()
    }
    bias = map(_signed_share, fits["held_out_bias"], errors["held_out_bias"])
    frame = with_cells(with_tolerances(study, fits), **written, held_out_bias=bias)
    frame = frame.assign(**{f"{name}_sort": fits[name] for name in (*digits, "held_out_bias")})
    table = say.table(
        "exponential table",
        frame,
        (METRIC,),
        (TOLERANCE,),
        right(text, "A₁", a1="value", se_a1="s.e."),
        right(text, "A₂", a2="value", se_a2="s.e."),
        right(text, chi_squared="χ²", held_out_bias="Held-out bias", n_zero_sizes="Left out"),
        called="exponential",
        data=fits,
        criterion=PUBLISHED_CRITERION,
    )
    last = study.error_rates.sizes[-1]
    picture = say.picture(
        "published_curves",
        lambda: figures.error_panels(
            study.published_curves(), tolerances=tolerance_names(study), max_error=study.minimum.max_error, seen_to=last
        ),
        alt=_curves_alt(study),
        size=last,
    )
    return Text(paragraphs=(say("exponential"),)), picture, table


def _signed_share(value: object, error: object = None) -> str:
    """Write a bias: to the percent, or with its error beside it."""
    if absent(value):
        return MISSING
    bias = float(str(value))
    written = f"{number(0)(100 * abs(bias))} %" if error is None else carried(abs(bias), error)
    signed = written if written.strip("0. %") == "" else f"{'−' if bias < 0 else '+'}{written}"
    return with_errors_of([written], signed)


def _spread_sizes(sizes: Sequence[int], most: int) -> list[int]:
    places = np.unique(np.linspace(0, len(sizes) - 1, min(most, len(sizes))).round().astype(int))
    return [sizes[index] for index in places]


def detectable(study: TopicsStudy) -> str:
    """Return what methods say of the detectable difference."""
    return say("detectable", alpha=_ALPHA, power=_POWER, runs=runs_move(study.scores))


def numbers_section(study: TopicsStudy) -> Section:
    """Return error rate and detectable difference under every metric, at the topics at hand and at other numbers."""
    at_hand = study.error_rates.n_topics
    numbers = _numbers(at_hand)
    frame = _frame(study, numbers)
    tolerances = sorted(frame["tolerance"].unique())
    frames = {n_topics: _by_tolerance(frame[frame["n_topics"] == n_topics]) for n_topics in numbers}
    names = {tolerance: tolerance_name(study, tolerance) for tolerance in tolerances}
    columns = [METRIC]
    for tolerance, name in names.items():
        columns += right(text, "Error rate, tolerance", **{f"rate {tolerance:g}": name})
        if study.posterior is not None:
            level = f"{percentage(study.posterior.confidence_level)} interval"
            columns += under(text, "Error rate, tolerance", **{f"interval {tolerance:g}": level})
    columns += right(number(4), "Detectable", difference="difference")
    table = Table(
        **say.named(
            "by_number_of_topics",
            size=study.error_rates.sizes[-1],
            rates=_rates_by(study),
            at_hand=at_hand,
            alpha=_ALPHA,
            power=_POWER,
        ),
        precision=say("by_number_of_topics errors", errors=_errors(frame)),
        frame=frames[at_hand],
        columns=tuple(columns),
        data=frame,
        steps=Steps(what=unit().Topics, frames=frames, at=at_hand),
    )
    return say.section(
        "numbers",
        table,
        Fold(title=f"Other numbers of {unit().topics}", blocks=(_few_numbers_table(frame, names, at_hand),)),
        brief=False,
        head=f"Error rate and detectable difference by number of {unit().topics}",
    )


def _rates_by(study: TopicsStudy) -> str:
    """Return what gives the rates."""
    if study.posterior is not None:
        return "the median of the Bayesian model with its interval"
    return f"the {study.minimum.curve}" if study.minimum.curve else "no curve could be fitted"


def _errors(rates: pd.DataFrame) -> list[tuple[str, list[float], str]]:
    """Return the Monte-Carlo errors of the rates and of the ends of their intervals, where a model drew them."""
    if "rate_error" not in rates:
        return []
    ends = [*rates["low_error"], *rates["high_error"]]
    return [("a rate", [*rates["rate_error"]], " points"), ("the ends of intervals", ends, " points")]


def _written_rates(rates: pd.DataFrame, name: str) -> list[str]:
    if f"{name}_error" not in rates:
        return list(map(share, rates[name]))
    return [without_error(*row) for row in zip(rates[name], rates[f"{name}_error"], strict=True)]


def _numbers(at_hand: int) -> list[int]:
    """Return the numbers of topics: each while they are few, in longer steps later, and the one at hand."""
    farthest, numbers = max(_FARTHEST, _TIMES * at_hand), {at_hand}
    start = SMALLEST_SIZE
    for end, step in _STEPS:
        numbers.update(range(start, min(end, farthest) + 1, step))
        start = end
    return sorted(numbers)


def _frame(study: TopicsStudy, numbers: list[int]) -> pd.DataFrame:
    """Return one row a metric, tolerance and number: rate, low, high, difference."""
    differences = detectable_by_topics(study.scores, numbers, alpha=_ALPHA, power=_POWER)
    rates = study.rates_at(numbers).rename(columns={"size": "n_topics"})
    return rates.merge(differences, on=["metric", "n_topics"], how="left")


def _by_tolerance(rates: pd.DataFrame) -> pd.DataFrame:
    """Return one row a metric, with the rates at every tolerance side by side."""
    rows: dict[str, dict[str, object]] = {}
    low, high = _written_rates(rates, "low"), _written_rates(rates, "high")
    spans = [
        MISSING if MISSING in ends else f"{ends[0].removesuffix(' %')} to {ends[1]}"
        for ends in zip(low, high, strict=True)
    ]
    for row in rates.assign(interval=spans, written=_written_rates(rates, "rate")).to_dict("records"):
        record = rows.setdefault(row["metric"], {"metric": row["metric"], "difference": row["difference"]})
        record |= {f"rate {row['tolerance']:g}": row["written"], f"rate {row['tolerance']:g}_sort": row["rate"]}
        record |= {f"interval {row['tolerance']:g}": row["interval"]}
    return pd.DataFrame(list(rows.values()))


def _few_numbers_table(rates: pd.DataFrame, names: dict[float, str], at_hand: int) -> Table:
    """Return a table of a few numbers for print and for readers without a script."""
    chosen = sorted({at_hand, *(n_topics for n_topics in _TABLED if n_topics <= rates["n_topics"].max())})
    least = min(names)
    rows = rates[(rates["tolerance"] == least) & rates["n_topics"].isin(chosen)]
    table_frame = pd.DataFrame({"metric": rows["metric"].unique()})
    for n_topics in chosen:
        of_number = rows[rows["n_topics"] == n_topics].set_index("metric").loc[table_frame["metric"]]
        table_frame[f"rate {n_topics}"], table_frame[f"difference {n_topics}"] = (
            _written_rates(of_number, "rate"),
            of_number["difference"].to_numpy(),
        )
    return say.table(
        "by_some_numbers_of_topics",
        table_frame,
        (METRIC,),
        right(text, "Error rate with", **{f"rate {n_topics}": str(n_topics) for n_topics in chosen}),
        right(
            number(4), "Detectable difference with", **{f"difference {n_topics}": str(n_topics) for n_topics in chosen}
        ),
        tolerance=names[least],
        errors=_errors(rows),
    )
