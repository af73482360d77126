# ruff: noqa: RUF001 - dashes are meant for people
"""The short answer of a topics study: how many topics, and how sure that is."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.digits import error_of_share
from metaeval.base.unit import unit
from metaeval.base.words import (
    NAMED,
    End,
    absent,
    beside,
    carried,
    ends,
    listed,
    name_of_metric,
    number,
    percentage,
    span,
)
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.families import FAMILIES
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.reports.topic_words import chance, fewest, settled, tolerance_name, topic_count
from metaeval.studies.topics import CURVE, RECOMMENDED_TOLERANCE, TopicsStudy

_QUANTILES = ("median", "low", "high")
_FEW = 4
"""More metrics than these are too many for one sentence: it names the two ends."""
say = prose("topic_summary")


def topic_summary(study: TopicsStudy) -> tuple[str, ...]:
    """Return the answer, what else the data say about it, and what it does not say, a paragraph each."""
    more = " ".join([*_enough_sentence(study), *_difference_sentence(study)])
    caution = say("caution", sampling=study.error_rates.sampling)
    return (*topic_answers(study), *([more] if more else []), caution)


def topic_facts(study: TopicsStudy) -> tuple[tuple[str, str], ...]:
    """Return what was counted, with what each number counts."""
    rates = study.error_rates
    counted = facts(metric=len(rates.metrics), system=rates.n_systems, topic=rates.n_topics, pair=rates.n_pairs)
    sizes = f"{rates.sizes[0]}–{rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    held = f"{unit().topic if sizes == '1' else unit().topics} in a set"
    return (*counted, (sizes, held), (percentage(study.minimum.max_error), "error allowed"))


def topic_answers(study: TopicsStudy) -> tuple[str, ...]:
    """Answer at tolerance 0, where it is in the study, and at the one to quote."""
    rates = study.error_rates
    above = [tolerance for tolerance in rates.tolerances if tolerance > 0]
    best = RECOMMENDED_TOLERANCE if rates.tolerance_unit == "relative" and RECOMMENDED_TOLERANCE in above else None
    chosen = [*(one for one in rates.tolerances if one == 0), *(above[:1] if best is None else [best])]
    first, *others = (_answer(study, tolerance, again=place > 0) for place, tolerance in enumerate(chosen))
    return (f"{first} {_how_counted(study)}", *others)


def _answer(study: TopicsStudy, tolerance: float, *, again: bool) -> str:
    frame = study.to_frame()
    rows = frame[frame["tolerance"] == tolerance]
    needs = _needs(study, rows)
    known = {need.metric for need in needs}
    return say(
        "answer",
        rates=_rates_words(study, rows),
        needs=_needs_words(study, tolerance, needs) if needs else "",
        tolerance=tolerance_name(study, tolerance) if tolerance else "",
        relative=study.error_rates.tolerance_unit == "relative",
        again=again,
        size=study.error_rates.sizes[-1],
        max_error=study.minimum.max_error,
        silent=[name for name in rows["metric"] if name not in known],
    )


def _rates_words(study: TopicsStudy, rows: pd.DataFrame) -> str:
    seen = rows.dropna(subset="error_rate").sort_values(["error_rate", "metric"])
    if seen.empty:
        return say("rates", first="", span="")
    spread = study.error_rates.rate_errors().isel(size=-1).to_series()
    own = seen[["metric", "tolerance"]].to_numpy().tolist()
    rates = [carried(rate, spread[one, other]) for rate, (one, other) in zip(seen["error_rate"], own, strict=True)]
    if study.posterior is not None:
        modelled = study.posterior.curves([study.error_rates.sizes[-1]], errors=True)
        both = seen.merge(modelled, on=["metric", "tolerance"], how="left")
        found = [[beside(*one) for one in zip(both[name], both[f"{name}_error"], strict=True)] for name in _QUANTILES]
        rates = [
            rate if absent(middle) else f"{one} [{low.removesuffix(' %')}, {high.removesuffix(' %')}]"
            for rate, middle, one, low, high in zip(rates, both["median"], *found, strict=True)
        ]
    names = list(map(name_of_metric, seen["metric"]))
    if len(names) > _FEW:
        return say("rates", first="", span=span(names, seen["error_rate"], rates, opening=""))
    others = [f"{rate} under {name}" for name, rate in zip(names[1:], rates[1:], strict=True)]
    return say("rates", first=names[0], rate=rates[0], others=others)


class _Need(NamedTuple):
    """What a metric needs: for the order, its full name, and in words."""

    order: float
    metric: str
    topics: str
    mark: str = ""


def _needs(study: TopicsStudy, rows: pd.DataFrame) -> list[_Need]:
    """Return what every metric needs, fewest topics first: the median with its interval, or what was observed."""
    smallest, limit = study.minimum.smallest_size, study.minimum.limit
    mark = "" if study.posterior is None else " (as observed)"
    counts = pd.DataFrame() if study.posterior is None else _counts(study.posterior)
    found = []
    for row in rows.to_dict("records"):
        metric, median, counted = str(row["metric"]), row.get("posterior_median", np.nan), row["n_topics"]
        if not np.isnan(median):
            known = counts.loc[(metric, row["tolerance"])]
            middle, low, high = (topic_count(known[name], known[f"{name}_error"]) for name in _QUANTILES)
            found.append(_Need(median, metric, f"{middle} [{low}, {high}]"))
            continue
        # whoever passes an end of what was tried stands behind whoever reaches it
        past = {"above limit": (limit, 0.5), "below smallest": (smallest, -0.5), "at most smallest": (smallest, -0.25)}
        figure, further = past.get(row["kind"], (counted, 0.0))
        if not np.isnan(figure):
            found.append(_Need(figure + further, metric, say("count", kind=row["kind"], figure=figure), mark))
    return sorted(found, key=lambda need: (need.order, need.metric))


def _counts(posterior: BayesianErrorRate) -> pd.DataFrame:
    """Return topics needed with their errors, by metric and tolerance."""
    return posterior.minimum_topics(errors=True).set_index(["metric", "tolerance"])


def _needs_words(study: TopicsStudy, tolerance: float, needs: list[_Need]) -> str:
    written = {name_of_metric(need.metric): f"{need.topics}{need.mark}" for need in needs}
    if len(needs) <= _FEW:
        (first, _), *others = written.items()
        return say("need", first=first, need=needs[0], others=[" ".join(other) for other in others])
    low, high = ends(written, [need.order for need in needs], written.values())
    found, unsettled = None if low.names == high.names else fewest(study, tolerance), []
    if found is not None:
        low = End.of({name: written[name] for name in map(name_of_metric, found[0])})
        unsettled = list(map(name_of_metric, found[1].index[~settled(found[1])]))
    equally = found is not None and len(low.names) > 1
    return say("needs", low=low, high=high, n=len(needs), equally=equally, unsettled=unsettled)


def _how_counted(study: TopicsStudy) -> str:
    size, family = study.error_rates.sizes[-1], study.minimum.family
    if study.posterior is None:
        curve = "" if family is None else FAMILIES[family].title
        return say("how counted", size=size, level="", curve=curve, reason=study.unestimated.get(CURVE))
    counts, rates = _counts(study.posterior), study.posterior.curves([size], errors=True)
    return say(
        "how counted",
        level=percentage(study.posterior.ci_prob),
        shares=[rates[f"{name}_error"].max() for name in _QUANTILES],
        counts=[(counts[f"{name}_error"] / counts[name]).max() for name in _QUANTILES],
    )


def _enough_sentence(study: TopicsStudy) -> list[str]:
    """Say how sure it is that the topics at hand are enough, at the first tolerance where this is not clear."""
    if study.posterior is None:
        return []
    counts = study.posterior.minimum_topics().dropna(subset=["p_enough"])
    for tolerance, part in counts.groupby("tolerance"):
        unclear = part[part["p_enough"].between(0.02, 0.98)]
        if unclear.empty:
            continue
        chances = zip(map(chance, unclear["p_enough"]), map(name_of_metric, unclear["metric"]), strict=True)
        words = say(
            "enough",
            n_topics=study.error_rates.n_topics,
            tolerance=tolerance_name(study, float(str(tolerance))) if tolerance else "",
            chances=[" for ".join(one) for one in chances],
            errors=[error_of_share(value, study.posterior.n_draws) for value in unclear["p_enough"]],
        )
        return [words]
    return []


def _difference_sentence(study: TopicsStudy) -> list[str]:
    if study.bins is None:
        return []
    found, level = study.bins.sensitivity().dropna(subset=["difference"]), percentage(1 - study.bins.max_error)
    if found.empty:
        return [say("difference", level=level, differences="")]
    found["name"] = found["metric"].map(name_of_metric)
    reached = [carried(*row) for row in zip(found["share"], found["share_error"], strict=True)]
    best, named = ends(found["name"], found["share"], reached)[1], found.set_index("name")
    known = zip(named["difference"], named["difference_error"], strict=True)
    differences = {name: carried(*row, number(3)) for name, row in zip(named.index, known, strict=True)}
    alike = len({differences[name] for name in best.names}) == 1
    own = [(differences[best.names[0]], best.who)] if alike else [(differences[name], name) for name in best.names]
    said = listed((f"{difference} or more under {name}" for difference, name in own), most=NAMED)
    return [say("difference", size=found["size"].iloc[0], differences=said, level=level, share=best.figure)]
