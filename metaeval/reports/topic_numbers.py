# ruff: noqa: RUF001 - Greek letters are meant for people
"""The section that answers for any number of topics: error rate and detectable difference, with a slider on a page."""

import pandas as pd

from metaeval.base.words import MISSING, beside, errors_said, number, percentage, share, text
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.page.blocks import Fold, Section
from metaeval.page.tables import METRIC, Steps, Table, right, under
from metaeval.reports.topic_words import tolerance_name
from metaeval.resampling.topic_sets import SMALLEST_SIZE
from metaeval.studies.topics import TopicsStudy

_ALPHA, _POWER = 0.05, 0.8
DETECTABLE = (
    "The detectable difference for a number of topics is the smallest true difference that a two-sided paired t test "
    f"finds with {percentage(_POWER)} power at α = {_ALPHA:g}, uncorrected, given the standard deviation of the median "
    "pair's differences over the topics."
)
"""What methods say of it."""
_FARTHEST, _TIMES = 200, 4
"""The largest number shown: so many, or so many times the topics at hand."""
_STEPS = ((50, 1), (100, 5), (200, 10), (500, 25), (2_000, 100), (10_000, 500), (1_000_000, 50_000))
"""Up to a number the slider goes in such steps."""
_TABLED = (10, 25, 50, 100, 200, 500)
"""Numbers in the table for those who have no slider."""


def numbers_section(study: TopicsStudy) -> Section:
    """Return error rate and detectable difference under every metric, at the topics at hand and at other numbers."""
    at_hand = study.error_rates.n_topics
    numbers = _numbers(at_hand)
    whole = _frame(study, numbers)
    tolerances = sorted(whole["tolerance"].unique())
    frames = {one: _wide(whole[whole["n_topics"] == one]) for one in numbers}
    names = {tolerance: tolerance_name(study, tolerance) for tolerance in tolerances}
    sure = study.posterior is not None
    columns = [METRIC]
    for tolerance, name in names.items():
        columns += right(text, "Error rate, tolerance", **{f"rate {tolerance:g}": name})
        if sure:
            columns += under(text, "Error rate, tolerance", **{f"interval {tolerance:g}": _level(study)})
    columns += right(number(4), "Detectable", difference="difference")
    table = Table(
        name="by_number_of_topics",
        title=f"With {at_hand:,} topics in each set",
        caption=_caption(study, at_hand) + _said(whole),
        frame=frames[at_hand],
        columns=tuple(columns),
        data=whole,
        steps=Steps(what="Topics", frames=frames, at=at_hand),
    )
    return Section(
        id="numbers",
        title="Error rate and detectable difference by number of topics",
        lead="How often two sets of so many topics disagree about two systems, and how large a difference so many "
        "topics show.",
        blocks=(table, Fold(title="Other numbers of topics", blocks=(_few(whole, names, at_hand),))),
    )


def _caption(study: TopicsStudy, at_hand: int) -> str:
    model = (
        "the median of the Bayesian model with its interval"
        if study.posterior is not None
        else f"the {study.minimum.curve}"
        if study.minimum.curve
        else "no curve could be fitted"
    )
    seen = study.error_rates.sizes[-1]
    return (
        f"Error rate: share of the pairs about which two sets disagree; {model}, beyond {seen} topics extrapolated. "
        "Detectable difference: the smallest true difference, in the metric’s unit, that a paired t test finds with "
        f"{percentage(_POWER)} power at α = {_ALPHA:g} without correction, at the median pair, if other topics vary as "
        f"the {at_hand} at hand do."
    )


def _said(part: pd.DataFrame) -> str:
    """Say the Monte-Carlo errors of the rates, where a model drew them."""
    if "rate_error" not in part:
        return ""
    ends = [*part["low_error"], *part["high_error"]]
    return errors_said(("a rate", part["rate_error"], " points"), ("the ends of intervals", ends, " points"))


def _written(part: pd.DataFrame, name: str) -> list[str]:
    if f"{name}_error" not in part:
        return list(map(share, part[name]))
    return [beside(*one) for one in zip(part[name], part[f"{name}_error"], strict=True)]


def _level(study: TopicsStudy) -> str:
    return "" if study.posterior is None else f"{percentage(study.posterior.ci_prob)} interval"


def _numbers(at_hand: int) -> list[int]:
    """Return the numbers of topics: each while they are few, in longer steps later, and the one at hand."""
    farthest, found = max(_FARTHEST, _TIMES * at_hand), {at_hand}
    start = SMALLEST_SIZE
    for end, step in _STEPS:
        found.update(range(start, min(end, farthest) + 1, step))
        start = end
    return sorted(found)


def _frame(study: TopicsStudy, numbers: list[int]) -> pd.DataFrame:
    """Return one row a metric, tolerance and number: rate, low, high, difference."""
    found = detectable_by_topics(study.scores, numbers, alpha=_ALPHA, power=_POWER)
    rates = study.rates_at(numbers).rename(columns={"size": "n_topics"})
    return rates.merge(found, on=["metric", "n_topics"], how="left")


def _wide(part: pd.DataFrame) -> pd.DataFrame:
    """Return one row a metric, with the rates at every tolerance side by side."""
    rows: dict[str, dict[str, object]] = {}
    low, high = _written(part, "low"), _written(part, "high")
    spans = [
        MISSING if MISSING in ends else f"{ends[0].removesuffix(' %')} to {ends[1]}"
        for ends in zip(low, high, strict=True)
    ]
    for row in part.assign(interval=spans, written=_written(part, "rate")).to_dict("records"):
        own = rows.setdefault(row["metric"], {"metric": row["metric"], "difference": row["difference"]})
        own |= {f"rate {row['tolerance']:g}": row["written"], f"rate {row['tolerance']:g}_sort": row["rate"]}
        own |= {f"interval {row['tolerance']:g}": row["interval"]}
    return pd.DataFrame(list(rows.values()))


def _few(whole: pd.DataFrame, names: dict[float, str], at_hand: int) -> Table:
    """Return a table of a few numbers for print and for readers without a script."""
    chosen = sorted({at_hand, *(one for one in _TABLED if one <= whole["n_topics"].max())})
    least = min(names)
    part = whole[(whole["tolerance"] == least) & whole["n_topics"].isin(chosen)]
    shown = pd.DataFrame({"metric": part["metric"].unique()})
    for one in chosen:
        own = part[part["n_topics"] == one].set_index("metric").loc[shown["metric"]]
        shown[f"rate {one}"], shown[f"difference {one}"] = _written(own, "rate"), own["difference"].to_numpy()
    return Table(
        name="by_some_numbers_of_topics",
        title="Error rate and detectable difference at some numbers of topics",
        caption=f"As above, at a tolerance of {names[least]}; the CSV of the table above has all numbers.{_said(part)}",
        frame=shown,
        columns=(
            METRIC,
            *right(text, "Error rate with", **{f"rate {one}": str(one) for one in chosen}),
            *right(number(4), "Detectable difference with", **{f"difference {one}": str(one) for one in chosen}),
        ),
    )
