# ruff: noqa: RUF001 - dashes are meant for people
"""The short answer of a topics study: how many topics, and how sure that is."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import MISSING, WrittenFigure, ends, name_of_metric, percentage, span, text, without_error
from metaeval.models.families import FAMILIES
from metaeval.page.tables import METRIC, Column, Table, right, under
from metaeval.questions.topics.page_words import count_errors, tolerance_name, topic_count, topics_needed_words
from metaeval.questions.topics.study import CURVE, RECOMMENDED_TOLERANCE, TopicsStudy
from metaeval.reports.key_figures import key_figures, named
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.resampling.topic_sets import SMALLEST_SIZE
from metaeval.table.runs import runs_move

_QUANTILES = ("median", "low", "high")
_FEWER = "fewer than"
_FARTHEST = 100  # a hundred times, as the words say
"""Times the topics at hand: an interval that reaches further names no number."""
_COUNTED = {
    "observed": "{:.0f}",
    "extrapolated": "about {:.0f}",
    "above limit": "more than {:.0f}",
    "below smallest": "fewer than {:.0f}",
    "at most smallest": "{:.0f} or fewer",
}
say = prose(__name__)


def topic_summary(study: TopicsStudy) -> tuple[str, ...]:
    """Answer in a sentence; then which of several numbers to quote, and what they do not say."""
    sampling = study.error_rates.sampling
    words = [*([say(sampling)] if sampling in {"disjoint", "overlapping"} else []), say("caution")]
    words = [*([say("runs")] if runs_move(study.scores) else []), *words]
    sizes, needed = _sizes_answer(study), topic_answer(study)
    answer = sizes if sizes and not _needs(study, _quoted(study)[0]) else " ".join(filter(None, [sizes, needed]))
    return (answer, topic_quote(study), " ".join(words))


def topic_facts(study: TopicsStudy) -> tuple[tuple[str, str], ...]:
    """Return what was counted, with what each number counts."""
    rates = study.error_rates
    counted = facts(metric=len(rates.metrics), system=rates.n_systems, topic=rates.n_topics, pair=rates.n_pairs)
    sizes = f"{rates.sizes[0]}–{rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    unit_words = f"{unit().topic if sizes == '1' else unit().topics} in a set"
    return (*counted, (sizes, unit_words), (percentage(study.minimum.max_error), "error allowed"))


def _quoted(study: TopicsStudy) -> list[float]:
    """Return the tolerances to quote: 0, where it is in the study, and the one recommended, or else the least above.

    One that somebody named comes first.
    """
    rates = study.error_rates
    above = [tolerance for tolerance in rates.tolerances if tolerance > 0]
    nothing = [tolerance for tolerance in rates.tolerances if tolerance == 0]
    best = RECOMMENDED_TOLERANCE if rates.tolerance_unit == "relative" and RECOMMENDED_TOLERANCE in above else None
    quoted = [*nothing, *(above[:1] if best is None else [best])]
    return sorted(quoted, key=lambda tolerance: tolerance != study.first_tolerance)


def _sizes_answer(study: TopicsStudy) -> str:
    """Say whether as many topics as were asked for are enough, and what fewer leave; "" where none were named."""
    tolerance, limit, metrics = _quoted(study)[0], study.minimum.max_error, study.error_rates.metrics
    rates = study.error_rates.to_frame().rename(columns={"error_rate": "rate", "rate_se": "rate_error"})
    if study.named_sizes and study.posterior is not None and tolerance in study.posterior.tolerances:
        rates = study.rates_at(study.named_sizes)
    rates = rates[rates["size"].isin(study.named_sizes) & (rates["tolerance"] == tolerance) & rates["rate"].notna()]
    if rates.empty:
        return ""
    *fewer, size = sorted({*rates["size"].tolist()})
    rows = rates[rates["size"] == size]
    ends = [rows.get(end, rows["rate"]) for end in ("low", "high")]
    within, passed = ends[1] <= limit, ends[0] > limit
    word = "Yes" if within.all() else "No" if passed.all() else "Partly" if (within | passed).all() else "Open"
    level = percentage(study.posterior.confidence_level) if len(rows) == 1 and "low" in rows and study.posterior else ""
    return say(
        "sizes",
        word=word,
        size=int(size),
        figures=_rates_said(rows),
        interval=[_with_digits(rows, end).removesuffix(" %") for end in ("low", "high")] if level else [],
        level=level,
        under=f" under {name_of_metric(metrics[0])}" if len(metrics) == 1 else "",
        at=f" (tolerance {tolerance_name(study, tolerance)})" if tolerance else "",
        observed="low" not in rows,
        max_error=limit,
        fewer=[f"{less:g} about {_rates_said(rates[rates['size'] == less])}" for less in fewer],
    )


def _rates_said(rates: pd.DataFrame) -> str:
    """Write error rates, from the lowest to the highest metric."""
    written = [without_error(*row) for row in zip(rates["rate"], rates["rate_error"], strict=True)]
    names = map(name_of_metric, rates["metric"])
    return written[0] if len(written) == 1 else span(names, rates["rate"], written, opening="")


def _with_digits(row: pd.DataFrame, end: str) -> str:
    return without_error(row[end].item(), row[f"{end}_error"].item())


def topic_answer(study: TopicsStudy) -> str:
    """Say how many topics the least and the most demanding metric need, at the first tolerance to quote."""
    tolerance, metrics = _quoted(study)[0], study.error_rates.metrics
    needs = _needs(study, tolerance)
    names = [need.metric for need in needs]
    orders, written = [need.order for need in needs], [need.topics for need in needs]
    extremes = list(dict.fromkeys(ends(names, orders, written))) if needs else []
    n, silent = len(metrics), len(metrics) - len(needs)
    observed = study.posterior is None or any(need.observed for need in needs)
    within = say(
        "within",
        max_error=study.minimum.max_error,
        at=f" (tolerance {tolerance_name(study, tolerance)})" if tolerance else "",
        under=f" under {name_of_metric(metrics[0])}" if n == 1 else "",
        observed=", as observed" if needs and observed else "",
    )
    if not extremes:
        return say("answer none", within=within)
    unnamed = [need for need in needs if need.unnamed]
    if unnamed:
        return _answer_unnamed(study, within, named_needs=[need for need in needs if not need.unnamed])
    low, high, who = _labelled(study, extremes[0].figure), extremes[-1].figure, named(extremes, "metrics")
    if len(extremes) > 1:
        return say("answer range", low=low, high=high, who=who, within=within)
    under = "" if n == 1 else f", under {who[0] if silent else 'every metric'},"
    keep = "are needed to keep" if any(need.beyond for need in needs) else "keep"
    at_hand = "" if observed else f"; there are {study.error_rates.n_topics:,}"
    return say("answer", figure=low, under=under, keep=keep, within=within, at_hand=at_hand)


def _answer_unnamed(study: TopicsStudy, within: str, *, named_needs: "list[_Need]") -> str:
    """Say that no number can be named, under some metrics, and what the others need at most."""
    beyond = {"within": within, "n": study.error_rates.n_topics}
    if not named_needs:
        return say("answer unnamed", **beyond)
    most = max(named_needs, key=lambda need: need.order)
    n_unnamed = len(study.error_rates.metrics) - len(named_needs)
    return say("answer partly named", figure=_labelled(study, most.topics), who=most.metric, others=n_unnamed, **beyond)


def _labelled(study: TopicsStudy, figure: str) -> str:
    """Say of the first interval of a sentence what it is: it is not of 95 %, as most others are."""
    if study.posterior is None:
        return figure
    return figure.replace("]", f"] ({percentage(study.posterior.confidence_level)} interval)", 1)


def topic_quote(study: TopicsStudy) -> str:
    """Say which of the numbers to quote, and what stands behind them."""
    names = [tolerance_name(study, tolerance) for tolerance in _quoted(study) if tolerance]
    lead = (
        f"{names[0]}{' of the larger mean' if study.error_rates.tolerance_unit == 'relative' else ''}" if names else ""
    )
    if 0.0 not in study.error_rates.tolerances:
        quote = say("quote lead", lead=lead)
    else:
        quote = (
            say("quote both", tolerance=names[0], lead=lead) if names else "Quote tolerance 0 where any lead counts."
        )
    if study.posterior is not None:
        level = percentage(study.posterior.confidence_level)
        return f"{quote} {say('model', level=level, size=study.error_rates.sizes[-1])}"
    size, family = study.error_rates.sizes[-1], study.minimum.family
    if family:
        return f"{quote} {say('curve', size=size, family=FAMILIES[family])}"
    return f"{quote} {say('no curve', size=size, reason=study.unestimated.get(CURVE) or 'no curve fits')}"


class _Need(NamedTuple):
    """What a metric needs: for the order, its name, in words, with its interval where there is one, and without.

    And whether that was observed, lies beyond the sizes that were tried, or has an interval that reaches so far that no
    number can be named.
    """

    order: float
    metric: str
    topics: str
    middle: str
    observed: bool = False
    beyond: bool = False
    unnamed: bool = False


def _needs(study: TopicsStudy, tolerance: float) -> list[_Need]:
    """Return what every metric needs: the median with its interval, or what was observed."""
    smallest, limit = study.minimum.smallest_size, study.minimum.limit
    frame, counts = study.to_frame(), _counts(study)
    needs = []
    for row in frame[frame["tolerance"] == tolerance].to_dict("records"):
        metric, median, counted = str(row["metric"]), row.get("posterior_median", np.nan), row["n_topics"]
        name = name_of_metric(metric)
        if not np.isnan(median):
            estimate = counts.loc[(metric, row["tolerance"])]
            middle, low, high = (
                topic_count(estimate[quantile], estimate[f"{quantile}_error"]) for quantile in _QUANTILES
            )
            few = all(estimate[quantile] < SMALLEST_SIZE for quantile in _QUANTILES)
            written = f"{_FEWER} {SMALLEST_SIZE}" if few else WrittenFigure(f"{middle} [{low}, {high}]", middle)
            unnamed = bool(estimate["high"] > _FARTHEST * study.error_rates.n_topics)
            needs.append(_Need(median, name, written, middle, unnamed=unnamed))
            continue
        # whoever passes an end of what was tried stands behind whoever reaches it
        past = {"above limit": (limit, 0.5), "below smallest": (smallest, -0.5), "at most smallest": (smallest, -0.25)}
        figure, further = past.get(row["kind"], (counted, 0.0))
        if not np.isnan(figure):
            written = _COUNTED[row["kind"]].format(figure)
            middle = f"<{figure:.0f}" if row["kind"] == "below smallest" else written
            beyond = row["kind"] == "above limit"
            needs.append(_Need(figure + further, name, written, middle, observed=True, beyond=beyond))
    return needs


def _counts(study: TopicsStudy) -> pd.DataFrame:
    """Return topics needed with their errors, by metric and tolerance; nothing without a model."""
    if study.posterior is None:
        return pd.DataFrame()
    return study.posterior.minimum_topics(errors=True).set_index(["metric", "tolerance"])


def topic_columns(study: TopicsStudy) -> tuple[pd.DataFrame, list[Column], str]:
    """Return topics needed at the tolerances to quote: a frame with a row a metric, its columns, and their errors."""
    metrics, counts = list(study.error_rates.metrics), _counts(study)
    frame, columns, used = pd.DataFrame({"metric": metrics}), list[Column](), []
    for tolerance in _quoted(study):
        name, head = f"needed {tolerance:g}", f"{unit().Topics} at tolerance {tolerance_name(study, tolerance)}"
        needs = {need.metric: need for need in _needs(study, tolerance)}
        ordered_needs = [needs.get(name_of_metric(metric)) for metric in metrics]
        texts = [MISSING if need is None else need.middle for need in ordered_needs]
        frame[name], frame[f"{name}_sort"] = texts, [np.nan if need is None else need.order for need in ordered_needs]
        columns += right(**{name: head}) if counts.empty else right(text, head, **{name: "median"})
        if study.posterior is not None and tolerance in study.posterior.tolerances:
            rows = counts.reindex(pd.MultiIndex.from_product([metrics, [tolerance]]))
            used.append(rows)
            frame[f"{name} interval"] = topics_needed_words(rows)
            columns += under(
                text, head, **{f"{name} interval": f"{percentage(study.posterior.confidence_level)} interval"}
            )
    return frame, columns, count_errors(pd.concat(used)) if used else ""


def topic_rows(study: TopicsStudy) -> pd.DataFrame:
    """Return the study's rows at the tolerances to quote."""
    frame = study.to_frame()
    return frame[frame["tolerance"].isin(_quoted(study))]


def topic_figures(study: TopicsStudy) -> Table:
    """Return the topics that the metrics need, fewest first."""
    frame, columns, errors = topic_columns(study)
    first = f"needed {_quoted(study)[0]:g}_sort"
    data = topic_rows(study)
    return key_figures(frame, [METRIC, *columns], by=first, falling=False, precision=errors, data=data)
