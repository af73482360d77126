# ruff: noqa: RUF002 - typographic dashes are meant for people
"""How topic counts, tolerances and probabilities are written."""

import math
from itertools import combinations

import pandas as pd

from metaeval.base.digits import places_beside
from metaeval.base.unit import unit
from metaeval.base.words import MISSING, absent, ends, errors_said, percentage
from metaeval.models.topic_counts import MinimumTopics
from metaeval.page.tables import Column
from metaeval.questions.topics.study import COUNTS, INTERVALS, TopicsStudy
from metaeval.reports.prose import prose
from metaeval.resampling.topic_sets import SMALLEST_SIZE

TOLERANCE = Column(name="tolerance", label="Tolerance")
"""Of a frame that `with_tolerances` has seen."""

LEAST_CHANCE, MOST_CHANCE = 0.01, 0.99
"""Outside these `drawn_chance` writes a bound."""
_SETTLED = 0.95
say = prose(__name__)


def topic_count(value: object, error: object = None) -> str:
    """Write a number of topics: exactly where small, with three digits where large, in words where endless.

    Means of fewer than five topics are too far from normal for the model to distinguish two such numbers. With its
    Monte-Carlo error, which a caption says, it has no digits that this makes idle.

    Examples
    --------
    >>> topic_count(37.0), topic_count(24875.0), topic_count(float("inf")), topic_count(float("nan")), topic_count(3.0)
    ('37', '24900', 'over a million', '–', '<5')
    >>> topic_count(377.0, 12.0), topic_count(3360.0, 310.0), topic_count(88_000.0, 60_000.0)
    ('380', '3000', '90000')
    """
    topics = float(str(value))
    if math.isnan(topics):
        return MISSING
    if topics < SMALLEST_SIZE:
        return f"<{SMALLEST_SIZE}"
    if math.isinf(topics):
        return "over a million"
    first = math.floor(math.log10(topics)) + 1
    digits = min(3, first)
    if not absent(error) and 0.0 < float(str(error)) < math.inf:
        digits = min(digits, max(1, first + places_beside(float(str(error)))))
    return f"{float(f'{topics:.{digits}g}'):.0f}"


def topics_needed_words(counts: pd.DataFrame) -> list[str]:
    """Write intervals of topics needed, with the errors of their ends."""
    rows = counts[["low", "high", "low_error", "high_error"]].to_numpy().tolist()
    return [
        MISSING if absent(low) or absent(high) else f"{topic_count(low, a)} to {topic_count(high, b)}"
        for low, high, a, b in rows
    ]


def medians_needed(counts: pd.DataFrame) -> list[str]:
    """Write medians of topics needed, with their errors."""
    return list(map(topic_count, counts["median"], counts["median_error"]))


def count_errors(counts: pd.DataFrame) -> str:
    """Say the Monte-Carlo errors of topics needed, of which it takes a frame with the errors."""
    relative = {name: counts[f"{name}_error"] / counts[name] for name in ("median", "low", "high")}
    ends = [*relative["low"], *relative["high"]]
    return errors_said((f"{unit().topics} needed", relative["median"], " %"), ("the ends of intervals", ends, " %"))


def drawn_chance(value: object) -> str:
    """Write a probability that was estimated from draws, never surer than draws can be."""
    share = float(str(value))
    if math.isnan(share):
        return MISSING
    return "<1 %" if share < LEAST_CHANCE else ">99 %" if share > MOST_CHANCE else f"{100 * share:.0f} %"


def tolerance_name(study: TopicsStudy, tolerance: float) -> str:
    """Return what a tolerance is called: "10 %" of the larger mean, or "0.05" in the metric's unit."""
    return percentage(tolerance) if study.error_rates.tolerance_unit == "relative" else f"{tolerance:g}"


def tolerance_names(study: TopicsStudy) -> list[str]:
    """Return what all tolerances of a study are called."""
    return [tolerance_name(study, tolerance) for tolerance in study.error_rates.tolerances]


def with_tolerances(study: TopicsStudy, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with a column ``tolerance`` with what its tolerances are called, sorted as numbers."""
    names = [tolerance_name(study, tolerance) for tolerance in frame["tolerance"]]
    return frame.assign(tolerance=names, tolerance_sort=frame["tolerance"])


def not_estimated(reason: str) -> str:
    """Return a reason as a sentence."""
    return f"This cannot be estimated: {reason.rstrip('.')}."


def fewer_rows(study: TopicsStudy) -> pd.DataFrame:
    """Return one row a pair of metrics with the probability, at every tolerance, that metric_a needs fewer topics."""
    pairs = pd.MultiIndex.from_tuples(combinations(study.error_rates.metrics, 2), names=["metric_a", "metric_b"])
    if study.posterior is None or pairs.empty:
        return pd.DataFrame(columns=["metric_a", "metric_b"])
    long = study.posterior.fewer().set_index(["metric_a", "metric_b", "tolerance"])["p_fewer"]
    return long.unstack("tolerance").reindex(pairs).reset_index()  # noqa: PD010 - probabilities are moved, not aggregated


def fewest(study: TopicsStudy, tolerance: float) -> tuple[tuple[str, ...], "pd.Series[float]"] | None:
    """Return the metrics that most probably need fewest topics at a tolerance, and how probable that is."""
    if study.posterior is None:
        return None
    pairs = study.posterior.fewer()
    of_tolerance = pairs[pairs["tolerance"] == tolerance]
    if of_tolerance.empty:
        return None
    least = of_tolerance.groupby("metric_a")["p_fewer"].min()
    best = ends(least.index, least, map(drawn_chance, least))[1].names
    against = of_tolerance[of_tolerance["metric_a"].isin(best) & ~of_tolerance["metric_b"].isin(best)]
    return best, against.groupby("metric_b")["p_fewer"].min().sort_values(kind="stable")


def settled(chances: "pd.Series[float]") -> "pd.Series[bool]":
    """Say of each probability whether it settles which of two metrics needs fewer topics."""
    return chances >= _SETTLED


def part_name(analysis: str) -> str:
    """Return what a page calls a part that could not be estimated."""
    names = {COUNTS: f"{unit().topics} needed", INTERVALS: f"intervals of the {unit().topic} counts"}
    return next((analysis.replace(key, name, 1) for key, name in names.items() if analysis.startswith(key)), analysis)


def ties_counted(study: TopicsStudy) -> str:
    """Say how exact ties are counted, the same wherever an error rate stands; nothing where there are none."""
    return f" {say('ties')}" if study.error_rates.counts["zero_differences"].any() else ""


def count_marks(table: MinimumTopics) -> list[tuple[str, str]]:
    """Return the marks in a table of topics needed that are not plain numbers, each with its meaning."""
    marks = {
        "extrapolated": "*",
        "above limit": f">{table.limit}",
        "below smallest": f"<{table.smallest_size}",
        "at most smallest": f"≤{table.smallest_size}",
        "cannot be estimated": MISSING,
    }
    beyond = f"beyond {table.largest_size} {unit().topics} by the {table.curve or 'curve'}"
    meanings = {
        "extrapolated": f"extrapolated {beyond}",
        "above limit": "more than that",
        "below smallest": f"the smallest size is enough, and by the curve so is one {unit().topic} fewer",
        "at most smallest": "the smallest size is enough; smaller ones are unknown",
        "cannot be estimated": "cannot be estimated",
    }
    present = set(table.to_frame()["kind"])
    return [(mark, meanings[kind]) for kind, mark in marks.items() if kind in present]
