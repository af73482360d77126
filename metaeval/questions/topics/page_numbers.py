"""The section that answers for any number of topics: error rate and detectable difference, with a slider on a page."""

import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import MISSING, number, percentage, share, text, without_error
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.page.blocks import Fold, Section
from metaeval.page.tables import METRIC, Steps, Table, right, under
from metaeval.questions.topics.page_words import tolerance_name
from metaeval.questions.topics.study import TopicsStudy
from metaeval.reports.prose import prose
from metaeval.resampling.topic_sets import SMALLEST_SIZE
from metaeval.table.runs import runs_move

_ALPHA, _POWER = 0.05, 0.8
say = prose(__name__)
_FARTHEST, _TIMES = 200, 4
"""The largest number shown: so many, or so many times the topics at hand."""
_STEPS = ((50, 1), (100, 5), (200, 10), (500, 25), (2_000, 100), (10_000, 500), (1_000_000, 50_000))
"""Up to a number the slider goes in such steps."""
_TABLED = (10, 25, 50, 100, 200, 500)
"""Numbers in the table for those who have no slider."""


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
