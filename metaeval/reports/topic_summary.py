# ruff: noqa: RUF001 - dashes are meant for people
"""The short answer of a topics study: how many topics, and how sure that is."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.digits import error_of_share
from metaeval.base.words import (
    NAMED,
    End,
    absent,
    beside,
    carried,
    ends,
    errors_said,
    listed,
    name_of_metric,
    number,
    percentage,
    span,
)
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.families import FAMILIES
from metaeval.reports.shared import facts
from metaeval.reports.topic_words import chance, fewest, in_a_sentence, settled, tolerance_name, topic_count
from metaeval.studies.topics import CURVE, RECOMMENDED_TOLERANCE, TopicsStudy

_QUANTILES = ("median", "low", "high")
_FEW = 4
"""More metrics than these are too many for one sentence: it names the two ends."""


def topic_summary(study: TopicsStudy) -> tuple[str, ...]:
    """Return the answer, what else the data say about it, and what it does not say, a paragraph each."""
    more = " ".join([*_enough_sentence(study), *_difference_sentence(study)])
    return (*topic_answers(study), *([more] if more else []), _caution(study))


def topic_facts(study: TopicsStudy) -> tuple[tuple[str, str], ...]:
    """Return what was counted, with what each number counts."""
    rates = study.error_rates
    counted = facts(metric=len(rates.metrics), system=rates.n_systems, topic=rates.n_topics, pair=rates.n_pairs)
    sizes = f"{rates.sizes[0]}–{rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    held = "topic in a set" if sizes == "1" else "topics in a set"
    return (*counted, (sizes, held), (percentage(study.minimum.max_error), "error allowed"))


def topic_answers(study: TopicsStudy) -> tuple[str, ...]:
    """Answer at tolerance 0, where it is in the study, and at the one to quote."""
    rates = study.error_rates
    above = [tolerance for tolerance in rates.tolerances if tolerance > 0]
    best = RECOMMENDED_TOLERANCE if rates.tolerance_unit == "relative" and RECOMMENDED_TOLERANCE in above else None
    chosen = [tolerance for tolerance in rates.tolerances if tolerance == 0] + (
        [best] if best is not None else above[:1]
    )
    first, *others = (_answer(study, tolerance, again=place > 0) for place, tolerance in enumerate(chosen))
    return (f"{first} {_how_counted(study)}", *others)


def _answer(study: TopicsStudy, tolerance: float, *, again: bool) -> str:
    frame = study.to_frame()
    rows = frame[frame["tolerance"] == tolerance]
    sets = "two such sets" if again else f"two sets of {study.error_rates.sizes[-1]:,} topics"
    when = f"if a lead counts only when it is at least {in_a_sentence(study, tolerance)}, " if tolerance else ""
    opening = f"{when}{sets} disagree about {_rates_words(study, rows)}"
    needs = _needs(study, rows)
    silent = [name_of_metric(name) for name in rows["metric"] if name not in {need.metric for need in needs}]
    limit = f"to keep that within {percentage(study.minimum.max_error)}"
    if needs:
        sentence = f"{opening}; {limit}, {_needs_words(study, tolerance, needs)}."
        sentence += f" No number can be given for {listed(silent)}." if silent else ""
    else:
        sentence = f"{opening}; how many topics it takes {limit} cannot be estimated."
    return sentence[:1].upper() + sentence[1:]


def _rates_words(study: TopicsStudy, rows: pd.DataFrame) -> str:
    seen = rows.dropna(subset="error_rate").sort_values(["error_rate", "metric"])
    if seen.empty:
        return "a share of the pairs that cannot be estimated"
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
        return f"{span(names, seen['error_rate'], rates, opening='')} of the pairs"
    (name, rate), *others = zip(names, rates, strict=True)
    return listed([f"{rate} of the pairs under {name}", *(f"{rate} under {name}" for name, rate in others)])


class _Need(NamedTuple):
    """What a metric needs: for the order, its full name, and in words."""

    order: float
    metric: str
    topics: str
    mark: str = ""


def _needs(study: TopicsStudy, rows: pd.DataFrame) -> list[_Need]:
    """Return what every metric that has an answer needs, fewest topics first.

    The number is the median with its interval; without one, what the sizes observed say.
    """
    smallest, limit = study.minimum.smallest_size, study.minimum.limit
    words = {
        "observed": "{:.0f}",
        "extrapolated": "about {:.0f}",
        "above limit": f"more than {limit}",
        "below smallest": f"fewer than {smallest}",
        "at most smallest": f"{smallest} or fewer",
    }
    mark = "" if study.posterior is None else " (as observed)"
    counts = pd.DataFrame() if study.posterior is None else _counts(study.posterior)
    found = []
    for row in rows.to_dict("records"):
        metric, median, counted = str(row["metric"]), row.get("posterior_median", np.nan), row["n_topics"]
        if not np.isnan(median):
            known = counts.loc[(metric, row["tolerance"])]
            middle, low, high = (topic_count(known[name], known[f"{name}_error"]) for name in _QUANTILES)
            found.append(_Need(median, metric, f"{middle} [{low}, {high}]"))
        elif row["kind"] in words:
            # whoever passes an end of what was tried stands behind whoever reaches it
            past = {"above limit": limit + 0.5, "below smallest": smallest - 0.5, "at most smallest": smallest - 0.25}
            found.append(_Need(past.get(row["kind"], counted), metric, words[row["kind"]].format(counted), mark))
    return sorted(found, key=lambda need: (need.order, need.metric))


def _counts(posterior: BayesianErrorRate) -> pd.DataFrame:
    """Return topics needed with their errors, by metric and tolerance."""
    return posterior.minimum_topics(errors=True).set_index(["metric", "tolerance"])


def _needs_words(study: TopicsStudy, tolerance: float, needs: list[_Need]) -> str:
    written = {name_of_metric(need.metric): f"{need.topics}{need.mark}" for need in needs}
    if len(needs) <= _FEW:
        (first, _), *others = written.items()
        opening = f"{first} needs {needs[0].topics} topics{needs[0].mark}"
        return listed([opening, *(f"{name} {topics}" for name, topics in others)])
    low, high = ends(written, [need.order for need in needs], written.values())
    if low.names == high.names:
        return f"each of {len(needs)} metrics needs {low.figure} topics"
    found, sure, against = fewest(study, tolerance), "", ""
    if found is not None:
        low = End.of({name: written[name] for name in map(name_of_metric, found[0])})
        unsettled = list(map(name_of_metric, found[1].index[~settled(found[1])]))
        sure = "equally probably " * (len(low.names) > 1) or "most probably " * bool(unsettled)
        against = f" (not settled against {listed(unsettled)})" if unsettled else ""
    least = f"{low.who} {sure}{low.verb('needs', 'need')} fewest topics, {low.figure}{against}"
    return f"{least}, and {high.who} most, {high.figure}"


def _how_counted(study: TopicsStudy) -> str:
    size, family = study.error_rates.sizes[-1], study.minimum.family
    if study.posterior is not None:
        level, counts = percentage(study.posterior.ci_prob), _counts(study.posterior)
        rates = study.posterior.curves([size], errors=True)
        said = errors_said(
            ("a share", [rates[f"{name}_error"].max() for name in _QUANTILES], " points"),
            ("topics needed", [(counts[f"{name}_error"] / counts[name]).max() for name in _QUANTILES], " %"),
        )
        return f"Numbers with brackets: the median of a Bayesian model, and its {level} interval.{said}"
    if family is None:
        return f"Nothing can be said beyond {size} topics: {study.unestimated.get(CURVE, 'no curve fits')}."
    curve = FAMILIES[family].title
    return f"These are counts as observed, and beyond {size} topics by the {curve}; they have no interval."


def _enough_sentence(study: TopicsStudy) -> list[str]:
    """Say how sure it is that the topics at hand are enough, at the first tolerance where this is not clear."""
    if study.posterior is None:
        return []
    counts = study.posterior.minimum_topics().dropna(subset=["p_enough"])
    for tolerance, part in counts.groupby("tolerance"):
        unclear = part[part["p_enough"].between(0.02, 0.98)]
        if unclear.empty:
            continue
        chances = [
            f"{chance(row['p_enough'])} for {name_of_metric(row['metric'])}" for row in unclear.to_dict("records")
        ]
        errors = [error_of_share(value, study.posterior.n_draws) for value in unclear["p_enough"]]
        said = errors_said(("a probability", errors, " points")).strip(" .")
        within = f" at a tolerance of {tolerance_name(study, float(str(tolerance)))}" if tolerance else ""
        enough = f"The probability that all {study.error_rates.n_topics:,} topics are enough{within} is "
        return [f"{enough}{listed(chances)} ({said})."]
    return []


def _difference_sentence(study: TopicsStudy) -> list[str]:
    if study.bins is None:
        return []
    found, level = study.bins.sensitivity().dropna(subset=["difference"]), percentage(1 - study.bins.max_error)
    if found.empty:
        return [f"No difference, however large, keeps its sign in {level} of the cases."]
    found["name"] = found["metric"].map(name_of_metric)
    reached = [carried(*row) for row in zip(found["share"], found["share_error"], strict=True)]
    best, named = ends(found["name"], found["share"], reached)[1], found.set_index("name")
    known = zip(named["difference"], named["difference_error"], strict=True)
    differences = dict(zip(named.index, (f"{carried(*row, number(3))} or more under" for row in known), strict=True))
    alike = {differences[name] for name in best.names}
    own = [f"{differences[name]} {name}" for name in best.names] if len(alike) > 1 else [f"{alike.pop()} {best.who}"]
    words = (
        f"With {found['size'].iloc[0]} topics a difference of {listed(own, most=NAMED)} keeps its sign on "
        f"other topics in at least {level} of the cases; {best.figure} of the comparisons are that large."
    )
    return [words]


def _caution(study: TopicsStudy) -> str:
    bound = {
        "disjoint": "The two sets share no topic, so the error is, if anything, overstated.",
        "overlapping": "The two sets may share topics, so the error is, if anything, understated.",
        "bootstrap": "",
    }[study.error_rates.sampling]
    words = "All of it holds for systems and topics like these, and says nothing on whether a metric measures the "
    return f"{bound} {words}right thing.".strip()
