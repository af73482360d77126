"""The section that answers for any number of topics: error rate and detectable difference, with a slider on a page."""

import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import MISSING, beside, number, percentage, share, text
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.page.blocks import Fold, Section
from metaeval.page.tables import METRIC, Steps, Table, right, under
from metaeval.reports.prose import prose
from metaeval.reports.topic_words import tolerance_name
from metaeval.resampling.topic_sets import SMALLEST_SIZE
from metaeval.studies.topics import TopicsStudy

_ALPHA, _POWER = 0.05, 0.8
say = prose("topic_numbers")
_FARTHEST, _TIMES = 200, 4
"""The largest number shown: so many, or so many times the topics at hand."""
_STEPS = ((50, 1), (100, 5), (200, 10), (500, 25), (2_000, 100), (10_000, 500), (1_000_000, 50_000))
"""Up to a number the slider goes in such steps."""
_TABLED = (10, 25, 50, 100, 200, 500)
"""Numbers in the table for those who have no slider."""


def detectable() -> str:
    """Return what methods say of the detectable difference."""
    return say("detectable", alpha=_ALPHA, power=_POWER)


def numbers_section(study: TopicsStudy) -> Section:
    """Return error rate and detectable difference under every metric, at the topics at hand and at other numbers."""
    at_hand = study.error_rates.n_topics
    numbers = _numbers(at_hand)
    whole = _frame(study, numbers)
    tolerances = sorted(whole["tolerance"].unique())
    frames = {one: _wide(whole[whole["n_topics"] == one]) for one in numbers}
    names = {tolerance: tolerance_name(study, tolerance) for tolerance in tolerances}
    columns = [METRIC]
    for tolerance, name in names.items():
        columns += right(text, "Error rate, tolerance", **{f"rate {tolerance:g}": name})
        if study.posterior is not None:
            level = f"{percentage(study.posterior.ci_prob)} interval"
            columns += under(text, "Error rate, tolerance", **{f"interval {tolerance:g}": level})
    columns += right(number(4), "Detectable", difference="difference")
    table = Table(
        **say.named(
            "by_number_of_topics",
            study=study,
            at_hand=at_hand,
            alpha=_ALPHA,
            power=_POWER,
            errors=_errors(whole),
            unknown=study.posterior is not None and tolerances[-1] > 0,
        ),
        frame=frames[at_hand],
        columns=tuple(columns),
        data=whole,
        steps=Steps(what=unit().Topics, frames=frames, at=at_hand),
    )
    return Section(
        **say.headed("numbers lead"),
        blocks=(table, Fold(title=say("others title"), blocks=(_few(whole, names, at_hand),))),
    )


def _errors(part: pd.DataFrame) -> dict[str, list[float]]:
    """Return the Monte-Carlo errors of the rates and of the ends of their intervals, where a model drew them."""
    if "rate_error" not in part:
        return {}
    return {"rates": [*part["rate_error"]], "ends": [*part["low_error"], *part["high_error"]]}


def _written(part: pd.DataFrame, name: str) -> list[str]:
    if f"{name}_error" not in part:
        return list(map(share, part[name]))
    return [beside(*one) for one in zip(part[name], part[f"{name}_error"], strict=True)]


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
        **say.named("by_some_numbers_of_topics", tolerance=names[least], errors=_errors(part)),
        frame=shown,
        columns=(
            METRIC,
            *right(text, "Error rate with", **{f"rate {one}": str(one) for one in chosen}),
            *right(number(4), "Detectable difference with", **{f"difference {one}": str(one) for one in chosen}),
        ),
    )
