# ruff: noqa: RUF001 - dashes are meant for people
"""The report that answers how many topics are enough."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.digits import error_of_share
from metaeval.base.names import count
from metaeval.base.words import (
    NAMED,
    beside,
    carried,
    errors_said,
    listed,
    name_of_metric,
    percentage,
    short_names,
    text,
)
from metaeval.models.families import FAMILIES
from metaeval.models.topic_counts import MinimumTopics
from metaeval.page.blocks import Block, Fold, Item, Items, Methods, Picture, Section, Text, Writer
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.error_rates import error_sections, rates_section
from metaeval.reports.shared import cited_in, computed_with
from metaeval.reports.topic_numbers import DETECTABLE, numbers_section
from metaeval.reports.topic_summary import topic_answers, topic_facts, topic_summary
from metaeval.reports.topic_words import (
    TOLERANCE,
    chance,
    count_errors,
    count_marks,
    fewer_rows,
    fewest,
    not_estimated,
    settled,
    ties_counted,
    tolerance_name,
    tolerance_names,
    topic_count,
    topic_counts,
    with_tolerances,
)
from metaeval.studies.topics import COUNTS, CURVE, INTERVALS, SAMPLED, TopicsStudy

_TITLE = "Topic set size"
_MOST_PAIRS = 10
"""Of metrics; a longer table is folded."""
_STAND_IN = "The figures were sampled the fast way instead."

_SAMPLING = {
    "disjoint": "that share no topic",
    "overlapping": "drawn independently of each other",
    "bootstrap": "drawn with replacement",
}

_SOURCES = (
    *("voorhees2002", "pal2010", "buckley2000", "sanderson2005", "rubin1981", "stein1981", "morris2011", "varin2011"),
)


def topics_report(study: TopicsStudy, *, posterior: bool = False) -> Report:
    """Put a topics study into a report.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> from metaeval.studies.topics import study_topics
    >>> study = study_topics(simulate_scores(n_systems=5, n_topics=20, rng=1), n_trials=5, bayesian=False, rng=1)
    >>> topics_report(study).summary[0].split(" about ")[0]
    'Two sets of 10 topics disagree'
    """
    return Report(
        command="topics",
        title="How many topics are enough?",
        facts=topic_facts(study),
        summary=topic_summary(study),
        sections=(*_size_sections(study), numbers_section(study), *error_sections(study)),
        methods=_methods(study),
        rows=_rows(study),
        provenance=study.provenance,
        notes=tuple(study.notes),
        data=score_files(study.scores) | _data(study, posterior=posterior),
    )


def with_topics(report: Report, study: TopicsStudy, *, posterior: bool = False) -> Report:
    """Return a report with the topics that its metrics need, how sure that is, and the error rates behind it."""
    return report.extended(
        sections=(*_size_sections(study), numbers_section(study), rates_section(study)),
        summary=topic_answers(study),
        methods=_methods(study),
        notes=tuple(study.notes),
        data=_data(study, posterior=posterior),
    )


def without_topics(report: Report, reason: str) -> Report:
    """Return a report with the reason why its scores leave nothing to say about topics."""
    words = Text(paragraphs=(not_estimated(reason),), look="note")
    lead = "How many topics keep two sets of them from disagreeing about the systems."
    return report.extended(sections=(Section(id="topics", title=_TITLE, lead=lead, blocks=(words,), brief=True),))


def _data(study: TopicsStudy, *, posterior: bool) -> dict[str, Writer]:
    data = {"error_rates.csv": csv_file(study.error_rates.to_frame()), "curves.csv": csv_file(study.curves())}
    return data | {"posterior.nc": study.posterior.save} if posterior and study.posterior is not None else data


def _rows(study: TopicsStudy) -> pd.DataFrame:
    """Return the study's rows; ``p_fewer_than`` has the probability of needing fewer topics than each other metric."""
    frame = study.to_frame()
    if study.posterior is None:
        return frame
    chances: dict[tuple[object, object], dict[str, float]] = {}
    for pair in study.posterior.fewer().to_dict("records"):
        chances.setdefault((pair["metric_a"], pair["tolerance"]), {})[pair["metric_b"]] = pair["p_fewer"]
    keys = zip(frame["metric"], frame["tolerance"], strict=True)
    return frame.assign(p_fewer_than=pd.Series([chances.get(key, {}) for key in keys], dtype="object"))


# ----------------------------------------------------------------------------------------------------- the sections


def _size_sections(study: TopicsStudy) -> tuple[Section, ...]:
    return (_size_section(study), *_fewer_section(study))


def _size_section(study: TopicsStudy) -> Section:
    explained = tuple(short_names(study.error_rates.metrics))
    blocks: list[Block] = [Text(paragraphs=explained)] if explained else []
    blocks += _failures(study)
    more = ""
    if study.posterior is None:
        blocks += _observed(study)
    else:
        blocks += [*_model_blocks(study), Fold(title="A check: counts as observed", blocks=_check(study))]
        more = (
            " The topics are a sample, and other topics would have given other error rates: a Bayesian model says "
            "which numbers the data allow."
        )
    return Section(
        id="topics",
        title=_TITLE,
        lead="The smallest number of topics with which two sets of so many disagree about at most "
        f"{percentage(study.minimum.max_error)} of the pairs of systems, by metric and tolerance.{more}",
        blocks=tuple(blocks),
        brief=True,
    )


def _failures(study: TopicsStudy) -> list[Block]:
    failed = [
        f"{part[:1].upper()}{part[1:]}: {reason.rstrip('.')}."
        for part, reason in study.unestimated.items()
        if part.startswith((INTERVALS, SAMPLED))
    ]
    if not failed:
        return []
    stand_in = [_STAND_IN] if any(part.startswith(SAMPLED) for part in study.unestimated) else []
    return [Text(paragraphs=("This cannot be estimated.", *failed, *stand_in), look="note")]


def _model_blocks(study: TopicsStudy) -> list[Block]:
    if study.posterior is None:
        return []
    counts, level = study.posterior.minimum_topics(errors=True), percentage(study.posterior.ci_prob)
    blocks: list[Block] = [_counts_table(study, counts, level)]
    refused = counts[counts["note"] != ""]
    if len(refused):
        words = tuple(_refusal(study, row) for row in refused.to_dict("records"))
        blocks.append(Text(paragraphs=words, look="note"))
    if np.isfinite(counts["low"]).any():
        blocks.append(_counts_picture(study, counts, level))
    return blocks


def _counts_picture(study: TopicsStudy, counts: pd.DataFrame, level: str) -> Picture:
    shown = counts.dropna(subset=["median"]).assign(
        label=lambda rows: [tolerance_name(study, tolerance) for tolerance in rows["tolerance"]]
    )
    return Picture(
        name="topics_needed",
        draw=lambda: figures.count_rows(shown.reset_index(drop=True), at_hand=study.error_rates.n_topics),
        title=f"Topics needed, with {level} intervals",
        caption=f"Every row is a tolerance. Dot: the median; bar: {level} interval, cut off where it reaches "
        "the right edge. Left of the orange line the topics at hand are enough, right of it they are not. "
        "Counts beyond half the topics at hand are extrapolated, and the intervals take that into account.",
        alt="; ".join(
            f"{name_of_metric(row['metric'])} at {row['label']}: {topic_count(row['median'], row['median_error'])}"
            for row in shown.to_dict("records")
        ),
    )


def _refusal(study: TopicsStudy, row: Mapping[Hashable, Any]) -> str:
    return f"{name_of_metric(row['metric'])}, tolerance {tolerance_name(study, row['tolerance'])}: {row['note']}."


def _counts_table(study: TopicsStudy, counts: pd.DataFrame, level: str) -> Table:
    rates, keys = study.error_rates, ["metric", "tolerance"]
    data = counts.merge(study.to_frame()[[*keys, "size", "error_rate"]], on=keys, how="left")
    errors = rates.rate_errors().isel(size=-1).to_series()
    by_model, likely = pd.Series([0.0]), [0.0]
    if study.posterior is not None:
        at_largest = study.posterior.curves([rates.sizes[-1]], errors=True)[[*keys, "median", "median_error"]]
        named = {"median": "error_rate_model", "median_error": "error_rate_model_error"}
        data = data.merge(at_largest.rename(columns=named), on=keys, how="left")
        by_model = data["error_rate_model_error"]
        likely = _error_of_chances(study, data["p_enough"])
    spread = [errors[metric, tolerance] for metric, tolerance in data[keys].to_numpy().tolist()]
    shown = with_tolerances(study, data).assign(
        error_rate=[carried(*row) for row in zip(data["error_rate"], spread, strict=True)],
        error_rate_sort=data["error_rate"],
        median=[topic_count(*row) for row in data[["median", "median_error"]].to_numpy().tolist()],
        median_sort=data["median"],
        interval=topic_counts(data["low"], data["high"], data["low_error"], data["high_error"]),
        interval_sort=data["low"],
        enough=[chance(value) for value in data["p_enough"]],
        enough_sort=data["p_enough"],
    )
    if study.posterior is not None:
        shown["error_rate_model"] = [beside(*row) for row in zip(data["error_rate_model"], by_model, strict=True)]
        shown["error_rate_model_sort"] = data["error_rate_model"]
    return Table(
        name="topics_needed",
        title=f"Topics needed for an error of at most {percentage(study.minimum.max_error)}",
        caption=f"Error: share of pairs about which two sets of {rates.sizes[-1]} topics disagree, in "
        f"{count(rates.n_trials, 'trial')} of {count(rates.n_pairs, 'pair')}.{ties_counted(study)} The topics needed "
        "follow from the error by the model. The model's estimate may exceed the observed rate, which is unbiased but "
        f"skewed. {rates.n_topics} are enough: probability that two sets of so "
        f"many would keep within the limit.{count_errors(data)}"
        + errors_said(("the error by the model", by_model, " points"), ("a probability", likely, " points")),
        frame=shown,
        data=data,
        columns=(
            METRIC,
            TOLERANCE,
            *right(text, f"Error at {rates.sizes[-1]}", error_rate="observed", error_rate_model="by the model"),
            *right(text, "Topics needed", median="median"),
            *right(text, "Topics needed", interval=f"{level} interval"),
            *right(enough=f"{rates.n_topics} are enough"),
        ),
    )


def _check(study: TopicsStudy) -> tuple[Block, ...]:
    words = (
        "Another reading of the same trials, without the model: the smallest size seen from which no larger one errs "
        "more often than the limit, and where none does a curve that goes on beyond the data. The number of topics "
        "needed is the median above; where the two are far apart, look at the error rates below."
    )
    return (Text(paragraphs=(words,)), *_observed(study))


def _observed(study: TopicsStudy) -> tuple[Block, ...]:
    """Return topics needed by the rates observed and the curve that goes beyond them; beside it the published one."""
    best, published = study.minimum, study.published
    blocks: list[Block] = [_minimum_table(study, best, name="minimum_topics")]
    silent = [reason for part, reason in study.unestimated.items() if part == CURVE]
    silent += [f"{part}: {reason}" for part, reason in study.unestimated.items() if part.startswith(COUNTS)]
    if silent:
        blocks.append(Text(paragraphs=tuple(map(not_estimated, silent)), look="note"))
    table = _minimum_table(study, published, name="minimum_topics_published")
    blocks.append(Fold(title="As published: Table 7 of Pal, Mitra and Kamps", blocks=(table, _side_by_side(study))))
    return tuple(blocks)


def _side_by_side(study: TopicsStudy) -> Table:
    """Set the published count beside those of the best curve and of the model."""
    data = study.to_frame()
    model = () if study.posterior is None else ("posterior_median", "posterior_low", "posterior_high")
    shown = with_tolerances(study, data)
    said = ""
    if study.posterior is not None:
        counts = study.posterior.minimum_topics(errors=True)
        counts = data[["metric", "tolerance"]].merge(counts, on=["metric", "tolerance"], how="left")
        shown["interval"] = topic_counts(*(counts[name] for name in ("low", "high", "low_error", "high_error")))
        shown["median"] = [topic_count(*row) for row in counts[["median", "median_error"]].to_numpy().tolist()]
        shown["median_sort"] = counts["median"]
        said = count_errors(counts)
    return Table(
        name="three_counts",
        title="Topics needed, three ways",
        caption="Observed counts, continued by the exponential as published (equations 3 and 4: least squares on the "
        "logarithm of the rates, equal means not counted as errors) and by the curve that predicted held-out sizes "
        "best (equal means count half)"
        + ("; the model does not count, and is the answer." if model else ".")
        + said
        + _observed_errors(study.minimum, study.published),
        frame=shown,
        data=data[["metric", "tolerance", "text_published", "text", *model]],
        columns=(
            METRIC,
            TOLERANCE,
            *right(text, "Observed, continued by", text_published="the exponential as published"),
            *right(text, "Observed, continued by", text=f"the {study.minimum.curve}" if study.minimum.curve else "–"),
            *(right(text, "Model", median="median") if model else ()),
            *(
                right(text, "Model", interval=f"{percentage(study.posterior.ci_prob)} interval")
                if study.posterior
                else ()
            ),
        ),
    )


def _observed_errors(*several: MinimumTopics) -> str:
    errors = [error for one in several for error in one.data["n_topics_error"].to_numpy().ravel().tolist()]
    return errors_said(("a count as observed or continued", errors, " topics"))


def _minimum_table(study: TopicsStudy, minimum: MinimumTopics, *, name: str) -> Table:
    metrics = study.error_rates.metrics
    wide = minimum.table().reset_index()
    unit = str(wide.columns[0])
    wide[unit] = tolerance_names(study)
    order = minimum.data["n_topics"].to_pandas()
    for metric in metrics:
        wide[f"{metric}_sort"] = order[metric].to_numpy()
    beyond = f", and beyond that by the {minimum.curve}" if minimum.curve else ""
    relative = study.error_rates.tolerance_unit == "relative"
    of_what = "as a share of the larger of the two means" if relative else "in the metric's own unit"
    marks = " ".join(f"{mark}: {words}." for mark, words in count_marks(minimum))
    return Table(
        name=name,
        title=f"Topics needed as observed{beyond}",
        caption=f"A tolerance is the lead a system must have on both sets, {of_what}. {marks}".rstrip()
        + _observed_errors(minimum),
        frame=wide,
        columns=(
            *left(**{unit: "Tolerance"}),
            *right(**{metric: name_of_metric(metric) for metric in metrics}),
        ),
        data=minimum.to_frame(),
    )


def _fewer_section(study: TopicsStudy) -> tuple[Section, ...]:
    """Return the probability that one metric needs fewer topics than another, for every pair and tolerance."""
    fewer = pd.DataFrame() if study.posterior is None else study.posterior.fewer()
    if fewer.empty:
        return ()
    shown = fewer_rows(study)
    names = {tolerance: tolerance_name(study, float(tolerance)) for tolerance in shown.columns[2:]}
    table = Table(
        name="fewer_topics",
        title="Probability that the first metric needs fewer topics than the second",
        caption="50 % is undecided, and the rest to 100 % is the probability that the second needs fewer. Both metrics "
        "saw the same topics, which makes this sharper than comparing their intervals. –: one of the two has none."
        + errors_said(("a probability", _error_of_chances(study, fewer["p_fewer"]), " points")),
        frame=shown.rename(columns=names),
        data=fewer,
        columns=(
            *left(name_of_metric, metric_a="First", metric_b="Second"),
            *right(chance, "Tolerance", **{name: name for name in names.values()}),
        ),
    )
    sentences = Items(items=tuple(Item(words=words) for words in _fewest_sentences(study, fewer)))
    shown_whole = len(shown) <= _MOST_PAIRS
    section = Section(
        id="fewer",
        title="Metrics by topics needed",
        lead=f"The topics needed for an error of at most {percentage(study.minimum.max_error)}, metric against metric.",
        blocks=(sentences, table if shown_whole else Fold(title="Every pair of metrics", blocks=(table,))),
        brief=True,
    )
    return (section,)


def _error_of_chances(study: TopicsStudy, chances: "pd.Series[float]") -> list[float]:
    n_draws = 1 if study.posterior is None else study.posterior.n_draws
    return [error_of_share(value, n_draws) for value in chances.dropna()]


def _fewest_sentences(study: TopicsStudy, fewer: pd.DataFrame) -> list[str]:
    """Say for every tolerance which metrics need fewest topics, and against which others that is not settled."""
    sentences = []
    for tolerance in fewer["tolerance"].drop_duplicates().sort_values():
        found = fewest(study, tolerance)
        if found is None:
            continue
        best, others = found
        level = tolerance_name(study, float(str(tolerance)))
        open_ = [f"{name_of_metric(name)} ({chance(value)})" for name, value in others[~settled(others)].items()]
        who = listed(map(name_of_metric, best), most=NAMED)
        probably = f"{who} {'most' if len(best) == 1 else 'equally'} probably need{'s' * (len(best) == 1)} fewest"
        if others.empty:
            words = "no metric more probably needs fewest than another."
        elif open_:
            words = f"{probably}, but this is not settled against {listed(open_)}."
        else:
            least = chance(others.iloc[0])
            sure = f"with a probability of {'over ' if least.startswith('>') else 'at least '}{least.lstrip('>')}"
            words = f"{f'{who} needs fewest' if len(best) == 1 else probably}, {sure} against every other metric."
        sentences.append(f"Tolerance {level}: {words}")
    return sentences


# ------------------------------------------------------------------------------------------------------- the methods


def _methods(study: TopicsStudy) -> Methods:
    rates = study.error_rates
    sizes = f"{rates.sizes[0]} to {rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    bound = " (Sanderson and Zobel, 2005)" if rates.sampling == "overlapping" else ""
    scale = ("a share of the larger mean (Buckley and Voorhees, 2000) of ", "")
    before, after = scale if rates.tolerance_unit == "relative" else ("", " in the metric's unit")
    used = (
        "We estimated error rates by the swap method (Voorhees and Buckley, 2002; Pal et al., 2010) for "
        f"{count(len(rates.metrics), 'metric')} ({listed(map(name_of_metric, rates.metrics))}), {rates.n_systems} "
        f"systems and {rates.n_topics:,} topics." + "".join(f" {words}" for words in short_names(rates.metrics))
    )
    drawn = (
        f"For topic-set sizes of {sizes}, two sets {_SAMPLING[rates.sampling]}{bound} were drawn {rates.n_trials} "
        f"times ({rates.random_source}), the same for every metric, tolerance and pair; a pair of systems is an error "
        f"when each of the two wins on one of the sets by at least {before}{listed(tolerance_names(study))}{after}."
    )
    told = (*_model_words(study), *_observed_words(study), DETECTABLE, computed_with(study.provenance))
    words = " ".join((used, drawn, *told))
    return Methods(paragraphs=(words,), cite=cited_in([words], _SOURCES))


def _model_words(study: TopicsStudy) -> list[str]:
    if study.posterior is None:
        return []
    at, sampled = "", ""
    if study.posterior.tolerances != study.error_rates.tolerances:
        at = f" at tolerances of {listed([tolerance_name(study, one) for one in study.posterior.tolerances])}"
    if study.posterior.method == "pymc":
        sampled = " The law was sampled with PyMC."
    words = (
        f"The number of topics that keep the error rate at or below {percentage(study.minimum.max_error)}{at} is the "
        f"posterior median, with its {percentage(study.posterior.ci_prob)} interval, of a Bayesian model of the true "
        "differences between systems: variances and errors from topics reweighted at random (Rubin, 1981), one law "
        "for the standardised differences of all pairs, which draws small ones towards zero (Stein, 1981; Morris and "
        "Tang, 2011), by a composite likelihood worth one degree of freedom a system less one (Varin et al., 2011). "
        f"All metrics and tolerances share the draws.{sampled}"
    )
    return [words]


def _observed_words(study: TopicsStudy) -> list[str]:
    minimum = study.minimum
    rule = (
        "the smallest size from which the error rate stays at or below "
        f"{percentage(minimum.max_error)}, from observed rates where observed and from a fitted curve beyond, up to "
        f"{minimum.limit}"
    )
    if study.posterior is None:
        words = [f"The minimum number of topics is {rule}."]
    else:
        words = [f"It was checked against {rule}."]
    if minimum.family is not None:
        tried = study.comparison.summary()["family"]
        named = f"Among {listed(FAMILIES[name].title for name in tried)}, the {FAMILIES[minimum.family].title}"
        words.append(f"{named} had the smallest error on held-out sizes and was used for that.")
    return words
