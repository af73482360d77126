# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that answers how many topics are enough: a topics study put into sections, words and pictures."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metaeval.bibliography import publications
from metaeval.figures.topics import count_rows, difference_panels, error_panels, tolerance_panels
from metaeval.io.tables import write_scores
from metaeval.models.exponential import PUBLISHED_CRITERION
from metaeval.models.families import CURVES, FAMILIES
from metaeval.models.minimum_topics import MinimumTopics
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Item, Items, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import Part, notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.reports.topic_words import chance, count_marks, fewer_rows, topic_count
from metaeval.studies.topics import COUNTS, CURVE, DIFFERENCES, EXPONENTIAL, HIERARCHICAL, INTERVALS, TopicsStudy
from metaeval.visible import csv_text
from metaeval.words import (
    count,
    interval,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    short_names,
    whole,
)

__all__ = ["no_topics_part", "tolerance_names", "topics_page", "topics_part", "topics_sections", "write_topics_report"]

_TITLE = "How many topics are enough?"
_PART_ID = "topics"
_PART_LEAD = (
    "Two sets of topics of the same size are drawn many times from these. The share of pairs of systems on which they "
    "disagree is the error rate, and the topics needed are those that keep it within a limit."
)
_SETTLED = 0.95
_METRIC = Column(name="metric", label="Metric", write=name_of_metric)
_STAND_IN = "The figures of those tolerances come from fits of every metric by itself."

READINGS = {
    "first bin": "First bin within the limit",
    "every larger bin": "Every larger bin too",
    "cumulative": "All larger ones together",
}

_SAMPLING = {
    "disjoint": "that share no topic",
    "overlapping": "drawn independently of each other",
    "bootstrap": "drawn with replacement",
}

_SOURCES = ("voorhees2002", "pal2010", "buckley2000", "sanderson2005")


def topics_page(study: TopicsStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put a topics study into a page.

    Parameters
    ----------
    study : TopicsStudy
    messages : sequence of str
        Warnings given on the way; they stand with the study's notes.

    Returns
    -------
    Page
    """
    return Page(
        title=_TITLE,
        facts=_facts(study),
        summary=_summary(study),
        sections=(
            *topics_sections(study),
            _methods_section(study),
            notes_section(study.notes, messages),
            provenance_section(study.provenance),
        ),
        provenance=study.provenance,
    )


def topics_sections(study: TopicsStudy) -> tuple[Section, ...]:
    """Return the sections that hold the answers, without methods, notes and provenance.

    Parameters
    ----------
    study : TopicsStudy

    Returns
    -------
    tuple of Section
    """
    curves = study.curves()
    return (
        _minimum_section(study),
        *_posterior_section(study),
        *_fewer_section(study),
        _curves_section(study, curves),
        *_compared_section(study, curves),
        *_differences_section(study),
        _held_out_section(study),
        _exponential_section(study),
    )


def topics_part(study: TopicsStudy) -> Part:
    """Return what a topics study adds to the report of a power study: topics needed, certainty and error curves.

    Parameters
    ----------
    study : TopicsStudy

    Returns
    -------
    Part
    """
    minimum = _minimum_section(study)
    blocks = [section.blocks for section in (minimum, *_posterior_section(study), *_fewer_section(study))]
    return Part(
        sections=(
            replace(minimum, id=_PART_ID, title=_TITLE, lead=_PART_LEAD, blocks=tuple(chain(*blocks))),
            _curves_section(study, study.curves()),
        ),
        summary=(" ".join([_error_sentence(study), *_needed_sentences(study)]),),
        methods=_methods_blocks(study),
        notes=study.notes,
        data=_data(study),
    )


def no_topics_part(reason: str) -> Part:
    """Return the part of scores that leave nothing to say about topics, with the reason.

    Parameters
    ----------
    reason : str

    Returns
    -------
    Part
    """
    words = Text(paragraphs=(_sentence(reason),), look="note")
    return Part(sections=(Section(id=_PART_ID, title=_TITLE, lead=_PART_LEAD, blocks=(words,)),))


def write_topics_report(
    study: TopicsStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of a topics study as a folder.

    Parameters
    ----------
    study : TopicsStudy
    out : path
        The folder; see `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `topics_page`.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.

    Raises
    ------
    InvalidOptionError
        If the folder may not be written. Nothing is left behind then.
    """
    check_folder(out, overwrite=overwrite)
    scores: dict[str, Callable[[Path], object]] = {
        name: partial(write_scores, study.scores) for name in ("scores.nc", "scores.parquet")
    }
    data = scores | _data(study)
    return write_page(topics_page(study, messages=messages), out, data=data, overwrite=overwrite)


def _data(study: TopicsStudy) -> dict[str, Callable[[Path], object]]:
    data: dict[str, Callable[[Path], object]] = {
        "error_rates.csv": partial(_write_csv, study.error_rates.to_frame()),
        "curves.csv": partial(_write_csv, study.curves()),
    }
    for model in () if study.posterior is None else study.posterior.models:
        data[f"posterior_{model.tolerance:g}.nc"] = model.save
    return data


def tolerance_names(study: TopicsStudy) -> list[str]:
    """Return what the tolerances are called: "10 %" of the larger mean, or "0.05" in the metric's unit."""
    return [_tolerance(study, margin) for margin in study.error_rates.margins]


# -------------------------------------------------------------------------------------------------- the short answer


def _facts(study: TopicsStudy) -> tuple[tuple[str, str], ...]:
    rates = study.error_rates
    counts = {"metric": len(rates.metrics), "system": rates.n_systems, "topic": rates.n_topics, "pair": rates.n_pairs}
    shown = [(str(number_of), what if number_of == 1 else f"{what}s") for what, number_of in counts.items()]
    sizes = f"{rates.sizes[0]}–{rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    return (*shown, (sizes, "topics in a set"), (_percent(study.minimum.max_error), "error allowed"))


def _summary(study: TopicsStudy) -> tuple[str, ...]:
    first = " ".join([_error_sentence(study), *_needed_sentences(study)])
    second = " ".join([*_posterior_sentences(study), _curve_sentence(study)])
    third = " ".join([*_difference_sentence(study), _caution(study)])
    return first, second, third


def _error_sentence(study: TopicsStudy) -> str:
    rates, size = study.error_rates, study.error_rates.sizes[-1]
    margin = rates.margins[0]
    seen = rates.rates().sel({"size": size, "margin": margin}).to_series().dropna().sort_values(kind="stable")
    within = "" if margin == 0 else f" by at least {_tolerance_words(study, margin)}"
    opening = f"Two sets of {size} topics {_SAMPLING[rates.sampling]} disagree about which of two systems is better"
    if seen.empty:
        return f"{opening}{within} in a share of cases that cannot be estimated."
    low, high = (f"{share(seen.iloc[place])} ({name_of_metric(seen.index[place])})" for place in (0, -1))
    between = f"in {low} to {high} of all cases" if len(seen) > 1 else f"in {low} of all cases"
    return f"{opening}{within} {between}."


def _needed_sentences(study: TopicsStudy) -> list[str]:
    """Say what the smallest tolerance at which some metric gets an answer asks for."""
    minimum, rates = study.minimum, study.error_rates
    frame = minimum.to_frame()
    for margin in rates.margins:
        part = frame[frame["margin"] == margin]
        answered = part[part["kind"].isin(["observed", "extrapolated", "below smallest", "at most smallest"])]
        if len(answered):
            break
    else:
        return [f"No metric keeps the error within {_percent(minimum.max_error)} with {minimum.limit} topics or fewer."]
    answered = answered.assign(order=answered["n_topics"].fillna(0)).sort_values("order", kind="stable")
    named = [
        f"{name_of_metric(row['metric'])} {_needed_words(study, row['kind'], row['n_topics'])}"
        for row in answered.to_dict("records")
    ]
    silent = [name_of_metric(name) for name in part["metric"] if name not in set(answered["metric"])]
    rest = f"; not within {minimum.limit}: {listed(silent)}" if silent else ""
    if margin == 0:
        opening = f"To keep this within {_percent(minimum.max_error)}, the topics needed are"
    else:
        opening = (
            f"To keep it within {_percent(minimum.max_error)} when differences below {_tolerance_words(study, margin)} "
            "do not count, the topics needed are"
        )
    return [f"{opening} {listed(named)}{rest}."]


def _needed_words(study: TopicsStudy, kind: str, n_topics: float) -> str:
    smallest = study.minimum.smallest_size
    return {
        "observed": f"{n_topics:.0f}",
        "extrapolated": f"about {n_topics:.0f} (extrapolated)",
        "below smallest": f"fewer than {smallest}",
        "at most smallest": f"{smallest} or fewer",
    }[kind]


def _curve_sentence(study: TopicsStudy) -> str:
    family = study.minimum.family
    size = study.error_rates.sizes[-1]
    if family is None:
        return f"Nothing can be said beyond {size} topics: {study.unestimated.get('curve', 'no curve fits')}."
    ranking = study.comparison.summary().set_index("family")
    if family == EXPONENTIAL:
        return f"Beyond {size} topics the counts follow the exponential, which predicted the held-out sizes best."
    title = FAMILIES[family].title
    words = f"Beyond {size} topics the counts follow the {title}, which predicted the held-out sizes best"
    if EXPONENTIAL not in ranking.index:
        return f"{words}."
    bias = float(ranking["held_out_bias"][EXPONENTIAL])
    way = "below" if bias < 0 else "above"
    return f"{words}; the published exponential came out {share(abs(bias))} {way} what was seen there."


def _difference_sentence(study: TopicsStudy) -> list[str]:
    if study.bins is None:
        return []
    found = study.bins.sensitivity().dropna(subset=["difference"]).sort_values("share", ascending=False, kind="stable")
    if found.empty:
        return [f"No difference, however large, keeps its sign in {_percent(1 - study.bins.max_error)} of the cases."]
    best = found.iloc[0]
    words = (
        f"With {best['size']} topics a difference of {best['difference']:g} or more under "
        f"{name_of_metric(best['metric'])} keeps its sign on other topics all but "
        f"{_percent(study.bins.max_error)} of the time; {share(best['share'])} of the comparisons are that large."
    )
    return [words]


def _caution(study: TopicsStudy) -> str:
    bound = {
        "disjoint": "Sets that share no topic make the error an upper bound.",
        "overlapping": "Overlapping sets make the error a lower bound.",
        "bootstrap": "",
    }[study.error_rates.sampling]
    words = "All of it holds for systems and topics like these, and says nothing on whether a metric measures the "
    return f"{bound} {words}right thing.".strip()


def _posterior_sentences(study: TopicsStudy) -> list[str]:
    """Say how sure it is that the topics at hand are enough, at the tolerance where this is least clear."""
    if study.posterior is None:
        return []
    counts = study.posterior.counts().dropna(subset=["p_enough"])
    at_hand, level = study.error_rates.n_topics, percentage(study.posterior.ci_prob)
    sentences = []
    for margin, part in counts.groupby("margin"):
        unclear = part[part["p_enough"].between(0.02, 0.98)]
        if unclear.empty:
            continue
        chances = [
            f"{chance(row['p_enough'])} for {name_of_metric(row['metric'])}" for row in unclear.to_dict("records")
        ]
        within = "" if margin == 0 else f" at a tolerance of {_tolerance(study, float(margin))}"  # type: ignore[arg-type]  # a number
        sentences.append(f"The probability that all {at_hand} topics are enough{within} is {listed(chances)}.")
        break
    widest = counts[np.isfinite(counts["high"])].assign(ratio=lambda rows: rows["high"] / rows["low"])
    if len(widest):
        row = widest.sort_values("ratio").iloc[-1]
        low, high = topic_count(row["low"]), topic_count(row["high"])
        sentences.append(
            f"Topic counts are known only roughly: the {level} intervals reach as far as from {low} to {high} "
            f"({name_of_metric(row['metric'])}, tolerance {_tolerance(study, float(row['margin']))})."
        )
    return sentences


# ----------------------------------------------------------------------------------------------------- the sections


def _minimum_section(study: TopicsStudy) -> Section:
    best, published = study.minimum, study.published
    explained = tuple(short_names(study.error_rates.metrics))
    blocks: list[Block] = [Text(paragraphs=explained)] if explained else []
    blocks.append(_minimum_table(study, best, name="minimum_topics"))
    silent = [reason for part, reason in study.unestimated.items() if part == CURVE]
    silent += [f"{part}: {reason}" for part, reason in study.unestimated.items() if part.startswith(COUNTS)]
    if silent:
        blocks.append(Text(paragraphs=tuple(map(_sentence, silent)), look="note"))
    if best.family != published.family:
        table = _minimum_table(study, published, name="minimum_topics_exponential")
        blocks.append(Fold(title="The same with the published exponential", blocks=(table,)))
    return Section(
        id="minimum",
        title="Topics needed",
        lead=f"The smallest number of topics with which two sets disagree about at most "
        f"{_percent(best.max_error)} of the pairs of systems, for every metric and tolerance.",
        blocks=tuple(blocks),
    )


def _minimum_table(study: TopicsStudy, minimum: MinimumTopics, *, name: str) -> Table:
    wide = minimum.table().reset_index()
    unit = str(wide.columns[0])
    wide[unit] = tolerance_names(study)
    order = minimum.data["n_topics"].to_pandas()
    marks = " ".join(f"{mark}: {words}." for mark, words in count_marks(minimum))
    for metric in study.error_rates.metrics:
        wide[f"{metric}_sort"] = order[metric].to_numpy()
    return Table(
        name=name,
        title="Topics needed by metric and tolerance",
        caption=f"A tolerance is the lead a system must have on both sets{_unit_words(study)}. {marks}".rstrip(),
        frame=wide,
        columns=(
            Column(name=unit, label="Tolerance"),
            *(Column(name=metric, label=name_of_metric(metric), align="right") for metric in study.error_rates.metrics),
        ),
        data=minimum.to_frame(),
    )


def _posterior_section(study: TopicsStudy) -> tuple[Section, ...]:
    failed = [
        f"{sentence_case(part)}: {reason.rstrip('.')}."
        for part, reason in study.unestimated.items()
        if part.startswith((INTERVALS, HIERARCHICAL))
    ]
    if study.posterior is None and not failed:
        return ()
    if failed:
        stand_in = [_STAND_IN] if any(part.startswith(HIERARCHICAL) for part in study.unestimated) else []
        failed = ["This cannot be estimated.", *failed, *stand_in]
    notes = [Text(paragraphs=tuple(failed), look="note")] if failed else []
    at_hand = study.error_rates.n_topics
    blocks: list[Block] = [*notes]
    if study.posterior is not None:
        counts = study.posterior.counts()
        level = percentage(study.posterior.ci_prob)
        if np.isfinite(counts["low"]).any():
            shown = counts.dropna(subset=["median"]).assign(
                label=lambda rows: [_tolerance(study, margin) for margin in rows["margin"]]
            )
            picture = Picture(
                name="topics_needed",
                figure=count_rows(shown.reset_index(drop=True), at_hand=at_hand),
                title=f"Topics needed, with {level} intervals",
                caption=f"Every row is a tolerance. Dot: the median; bar: {level} interval, cut off where it reaches "
                "the right edge. Left of the orange line the topics at hand are enough, right of it they are not. "
                "Counts beyond half the topics at hand are extrapolated, and the intervals take that into account.",
                alt="; ".join(
                    f"{name_of_metric(row['metric'])} at {row['label']}: {topic_count(row['median'])}"
                    for row in shown.to_dict("records")
                ),
            )
            blocks.append(picture)
        refused = counts[counts["note"] != ""]
        if len(refused):
            blocks.append(
                Text(paragraphs=tuple(_refusal(study, row) for row in refused.to_dict("records")), look="note")
            )
        blocks.append(Text(paragraphs=(_effect_sentence(study, counts),)))
        blocks.append(Fold(title="The numbers", blocks=(_counts_table(study, counts, level),)))
    section = Section(
        id="sure",
        title="How sure is that?",
        lead="The topics are a sample, and other topics would have given other error rates. A Bayesian model of the "
        "error rate says which topic counts the data allow.",
        blocks=tuple(blocks),
    )
    return (section,)


def _refusal(study: TopicsStudy, row: Mapping[Hashable, Any]) -> str:
    return f"{name_of_metric(row['metric'])}, tolerance {_tolerance(study, row['margin'])}: {row['note']}."


def _counts_table(study: TopicsStudy, counts: pd.DataFrame, level: str) -> Table:
    shown = counts.assign(
        tolerance=[_tolerance(study, margin) for margin in counts["margin"]],
        tolerance_sort=counts["margin"],
        interval=[interval(low, high, topic_count) for low, high in zip(counts["low"], counts["high"], strict=True)],
        interval_sort=counts["low"],
        enough=[chance(value) for value in counts["p_enough"]],
        enough_sort=counts["p_enough"],
    )
    columns = (
        _METRIC,
        Column(name="tolerance", label="Tolerance"),
        Column(name="median", label="median", write=topic_count, align="right", group="Topics needed"),
        Column(name="interval", label=f"{level} interval", align="right", group="Topics needed"),
        Column(name="enough", label=f"{study.error_rates.n_topics} are enough", align="right"),
        Column(name="design_effect", label="Design effect", write=number(0), align="right"),
    )
    return Table(
        name="topics_needed",
        title="Topics needed, and how sure that is",
        caption="The probability that the topics at hand are enough is that two sets of so many topics would disagree "
        f"about at most {_percent(study.minimum.max_error)} of the pairs. The design effect is how many comparisons "
        "weigh as much as one independent one at the largest size: they share topics and systems.",
        frame=shown,
        data=counts,
        columns=columns,
    )


def _effect_sentence(study: TopicsStudy, counts: pd.DataFrame) -> str:
    effects = counts["design_effect"].dropna()
    counted = study.error_rates.n_pairs * study.error_rates.n_trials
    worth = [f"{float(f'{counted / effect:.2g}'):.0f}" for effect in (effects.max(), effects.min())]
    few = worth[0] if worth[0] == worth[1] else f"{worth[0]} to {worth[1]}"
    return (
        f"The {counted} comparisons counted at every size share topics and systems: at the largest size they are worth "
        f"about {few} independent ones, depending on metric and tolerance. Intervals that counted them all as "
        "independent would be far too narrow."
    )


def _fewer_section(study: TopicsStudy) -> tuple[Section, ...]:
    """Return the probability that one metric needs fewer topics than another, for every pair and tolerance."""
    fewer = pd.DataFrame() if study.posterior is None else study.posterior.fewer()
    if fewer.empty:
        return ()
    shown = fewer_rows(study)
    names = {margin: _tolerance(study, float(margin)) for margin in shown.columns[2:]}
    columns = [Column(name=name, label=name, write=chance, align="right", group="Tolerance") for name in names.values()]
    table = Table(
        name="fewer_topics",
        title="Probability that the first metric needs fewer topics than the second",
        caption="50 % is undecided, and the rest to 100 % is the probability that the second needs fewer. Both metrics "
        "saw the same topics, which makes this sharper than comparing their intervals. –: one of the two has none.",
        frame=shown.rename(columns=names),
        data=fewer,
        columns=(
            Column(name="metric_a", label="First", write=name_of_metric),
            Column(name="metric_b", label="Second", write=name_of_metric),
            *columns,
        ),
    )
    section = Section(
        id="fewer",
        title="Does one metric need fewer topics than another?",
        lead=f"The topics needed for an error of at most {_percent(study.minimum.max_error)}, metric against metric.",
        blocks=(
            Items(items=tuple(Item(words=words) for words in _fewest_sentences(study, fewer))),
            Fold(title="Every pair of metrics", blocks=(table,)),
        ),
    )
    return (section,)


def _fewest_sentences(study: TopicsStudy, fewer: pd.DataFrame) -> list[str]:
    """Say for every tolerance which metric needs fewest topics, and against which others that is not settled."""
    sentences = []
    for margin, part in fewer.groupby("margin"):
        best = str(part.groupby("metric_a", sort=False)["p_fewer"].min().idxmax())
        others = part[part["metric_a"] == best].set_index("metric_b")["p_fewer"].sort_values(kind="stable")
        level = _tolerance(study, float(str(margin)))
        open_ = [f"{name_of_metric(name)} ({chance(value)})" for name, value in others.items() if value < _SETTLED]
        best = name_of_metric(best)
        if open_:
            words = f"{best} most probably needs fewest, but this is not settled against {listed(open_)}."
        else:
            least = chance(others.iloc[0])
            sure = f"over {least[1:]}" if least.startswith(">") else f"at least {least}"
            words = f"{best} needs fewest, with a probability of {sure} against every other metric."
        sentences.append(f"Tolerance {level}: {words}")
    return sentences


def _curves_section(study: TopicsStudy, curves: pd.DataFrame) -> Section:
    minimum, rates = study.minimum, study.error_rates
    bars = ""
    if study.posterior is not None:
        bars = (
            f"Upright bars: their {percentage(study.posterior.ci_prob)} intervals at the sizes that the model uses; "
            "the topics are shared, so the bars of one line move together. "
        )
        line = f"median of the Bayesian model, with its {percentage(study.posterior.ci_prob)} band"
        if len(study.posterior.counts().dropna(subset="median")) < len(rates.metrics) * len(rates.margins):
            line += f", or without a band {_named_curve(minimum)}"
    else:
        line = _named_curve(minimum)
    picture = Picture(
        name="error_rates",
        figure=error_panels(
            curves, margins=tolerance_names(study), max_error=minimum.max_error, seen_to=rates.sizes[-1]
        ),
        title="Error rate by topics and tolerance",
        caption="Dots: share of the pairs of systems on which two sets of this size disagree; at tolerance 0 a tie "
        f"counts as half. {bars}Lines, one a tolerance: {line}, dashed beyond the sizes observed. Where a line crosses "
        f"the flat dashed one, the error allowed ({_percent(minimum.max_error)}), stand the topics needed. The "
        "scale of rates is logarithmic.",
        alt=_curves_alt(study),
    )
    return Section(
        id="error-rates",
        title="How the error falls with more topics",
        lead="More topics make two sets agree more often, and the first topics help most. The tolerance sets aside "
        "differences too small to matter.",
        blocks=(picture, Fold(title="The numbers", blocks=(_rates_table(study),))),
    )


def _named_curve(minimum: MinimumTopics) -> str:
    return "none could be fitted" if minimum.family is None else f"the {FAMILIES[minimum.family].title}"


def _curves_alt(study: TopicsStudy) -> str:
    rates, margin = study.error_rates.rates(), study.error_rates.margins[0]
    first, last = (
        rates.sel(margin=margin, size=size) for size in (study.error_rates.sizes[0], study.error_rates.sizes[-1])
    )
    return "; ".join(
        f"{name_of_metric(metric)}, tolerance {_tolerance(study, margin)}: from {share(float(a))} to {share(float(b))}"
        for metric, a, b in zip(study.error_rates.metrics, first, last, strict=True)
    )


def _rates_table(study: TopicsStudy) -> Table:
    frame = study.error_rates.to_frame()
    frame["tolerance"] = [_tolerance(study, margin) for margin in frame["margin"]]
    frame["tolerance_sort"] = frame["margin"]
    wide = frame.pivot_table(index=["metric", "margin"], columns="size", values="error_rate", sort=False, dropna=False)
    sizes = _few(study.error_rates.sizes, 8)
    shown = wide[sizes].set_axis([str(size) for size in sizes], axis=1).reset_index()
    shown["tolerance"] = [_tolerance(study, margin) for margin in shown["margin"]]
    shown["tolerance_sort"] = shown["margin"]
    return Table(
        name="error_rates",
        title="Error rate by topics in each set",
        caption=f"{count(study.error_rates.n_trials, 'trial')} of {count(study.error_rates.n_pairs, 'pair')} at every "
        "size; exact ties are not counted as errors. Every size is in the CSV file.",
        frame=shown,
        data=frame.drop(columns=["tolerance", "tolerance_sort"]),
        columns=(
            _METRIC,
            Column(name="tolerance", label="Tolerance"),
            *(Column(name=str(size), label=str(size), write=share, align="right", group="Topics") for size in sizes),
        ),
    )


def _compared_section(study: TopicsStudy, curves: pd.DataFrame) -> tuple[Section, ...]:
    rates = study.error_rates
    if len(rates.metrics) == 1:
        return ()
    picture = Picture(
        name="metrics_compared",
        figure=tolerance_panels(curves, margins=tolerance_names(study), max_error=study.minimum.max_error),
        title="Metrics at equal sizes",
        caption="Error rates as observed, one line a metric; the lower, the steadier the metric. All metrics saw the "
        f"same topic sets. The flat dashed line: the error allowed ({_percent(study.minimum.max_error)}). Every panel "
        "has its own logarithmic scale.",
        alt=_compared_alt(study),
    )
    section = Section(
        id="compared",
        title="Which metric errs least?",
        lead="The same sizes under every metric, one panel a tolerance. The order of the metrics may change with the "
        "tolerance: a share of a large mean is a larger step than the same share of a small one.",
        blocks=(picture,),
    )
    return (section,)


def _compared_alt(study: TopicsStudy) -> str:
    last = study.error_rates.rates().isel(size=-1)
    parts = []
    for margin in study.error_rates.margins:
        order = last.sel(margin=margin).to_series().dropna().sort_values(kind="stable")
        if len(order):
            least, most = (name_of_metric(order.index[place]) for place in (0, -1))
            parts.append(f"tolerance {_tolerance(study, margin)}: least {least}, most {most}")
    return f"At {study.error_rates.sizes[-1]} topics, {'; '.join(parts)}."


def _differences_section(study: TopicsStudy) -> tuple[Section, ...]:
    title = "How large must a difference be?"
    lead = "A difference seen on one set of topics, and how often another set contradicts it."
    if study.bins is None:
        reasons = [reason for part, reason in study.unestimated.items() if part == DIFFERENCES]
        note = Text(paragraphs=tuple(map(_sentence, reasons)), look="note")
        return (Section(id="differences", title=title, lead=lead, blocks=(note,)),) if reasons else ()
    bins = study.bins
    marks = bins.sensitivity()
    size = int(marks["size"].iloc[0])
    banded = (
        ""
        if np.isnan(bins.bins["low"].to_numpy()).all()
        else f" The bar is its {percentage(bins.confidence_level)} interval."
    )
    picture = Picture(
        name="difference_bins",
        figure=difference_panels(bins.to_frame(), marks, max_error=bins.max_error),
        title=f"Sign changes by the size of the difference, {size} topics in each set",
        caption="Each dot is one step of the difference on the first set and shows the share of such comparisons that "
        f"change sign on the second.{banded} The last dot stands for all larger differences. The orange line is the "
        f"difference from which every step stays within {_percent(bins.max_error)}.",
        alt="; ".join(
            f"{name_of_metric(metric)}: {'no difference' if np.isnan(difference) else format(difference, 'g')}"
            for metric, difference in zip(marks["metric"], marks["difference"], strict=True)
        ),
    )
    return (Section(id="differences", title=title, lead=lead, blocks=(picture, _readings_table(study))),)


def _readings_table(study: TopicsStudy) -> Table:
    bins = study.bins
    assert bins is not None  # noqa: S101 - the caller has looked
    frame = bins.readings.to_dataframe().reset_index()
    wide = frame.pivot_table(
        index="metric", columns="reading", values=["difference", "share"], sort=False, dropna=False
    )
    shown = pd.DataFrame({"metric": list(study.error_rates.metrics)})
    columns = [_METRIC]
    for reading, label in READINGS.items():
        for value, word, write in (("difference", "difference", number(3)), ("share", "reached by", share)):
            name = f"{value} {reading}"
            reached = wide["difference", reading].notna()
            shown[name] = wide[value, reading].where(reached).reindex(shown["metric"]).to_numpy()
            columns.append(Column(name=name, label=word, write=write, align="right", group=label))
    return Table(
        name="difference_required",
        title=f"The difference that keeps sign changes within {_percent(bins.max_error)}",
        caption="Three readings are in use and differ by a factor of two or more: the first step within the limit, the "
        "first from which every larger step is, and the smallest difference such that all larger ones together are. "
        "“Reached by” is the share of comparisons at least that large. –: no difference does.",
        frame=shown,
        columns=tuple(columns),
        data=frame,
    )


def _held_out_section(study: TopicsStudy) -> Section:
    comparison, best = study.comparison, study.minimum.family
    summary = comparison.summary()
    blocks: list[Block] = []
    if best is None:
        blocks.append(Text(paragraphs=(_sentence(study.unestimated[CURVE]),), look="note"))
    else:
        shown = summary.assign(name=[sentence_case(FAMILIES[name].title) for name in summary["family"]])
        shown["formula"] = [FAMILIES[name].formula for name in summary["family"]]
        blocks.append(
            Table(
                name="curves_compared",
                title="Curves judged by sizes they had not seen",
                caption="Fitted to the lower half of the sizes, tried on the upper half, over all metrics and "
                "tolerances. Error: root mean square of predicted less seen, in units of √(p(1 − p)). Bias: predicted "
                "over seen, less one; negative is too hopeful. A lead by a hair is no lead.",
                frame=shown,
                data=summary,
                columns=(
                    Column(name="name", label="Curve"),
                    Column(
                        name="held_out_error", label="Error", write=number(4), align="right", group="Held-out sizes"
                    ),
                    Column(
                        name="held_out_bias", label="Bias", write=_signed_share, align="right", group="Held-out sizes"
                    ),
                    Column(name="n_fitted", label="Fits", write=whole, align="right"),
                    Column(name="formula", label="Formula"),
                ),
            )
        )
    blocks.append(Fold(title="Every fit", blocks=(_fits_table(study),)))
    return Section(
        id="held-out",
        title="Which curve to trust beyond the data",
        lead="A curve can fit what was seen and still be wrong further on. Here each had to predict sizes larger than "
        "any it was fitted to, which is the use it is put to.",
        blocks=tuple(blocks),
    )


def _fits_table(study: TopicsStudy) -> Table:
    frame = study.comparison.to_frame()
    shown = frame.assign(
        name=[sentence_case(FAMILIES[name].title) for name in frame["family"]],
        tolerance=[_tolerance(study, margin) for margin in frame["margin"]],
        tolerance_sort=frame["margin"],
        outcome=frame["parameters"].where(frame["note"] == "", frame["note"]),
    )
    return Table(
        name="curves",
        title="Every curve on every metric and tolerance",
        caption="The error on held-out sizes, that of the fit to all sizes, and the fitted parameters or why there "
        "are none.",
        frame=shown,
        data=frame,
        columns=(
            _METRIC,
            Column(name="tolerance", label="Tolerance"),
            Column(name="name", label="Curve"),
            Column(name="held_out_error", label="Held out", write=number(4), align="right"),
            Column(name="weighted_error", label="All sizes", write=number(4), align="right"),
            Column(name="outcome", label="Parameters"),
        ),
    )


def _exponential_section(study: TopicsStudy) -> Section:
    frame = study.exponential
    shown = frame.assign(
        tolerance=[_tolerance(study, margin) for margin in frame["margin"]],
        tolerance_sort=frame["margin"],
    )
    table = Table(
        name="exponential",
        title="Y = A₁ exp(−A₂ X)",
        caption="Least squares on the logarithm of the rate, as published; sizes without any swap have no logarithm "
        "and are left out (last column). χ² is over the sizes, rates in percent, with sizes less two degrees of "
        f"freedom; the publication holds it against {PUBLISHED_CRITERION}. It measures closeness, not evidence: the "
        "sizes share their topics. Bias as in the table above.",
        frame=shown,
        data=frame,
        columns=(
            _METRIC,
            Column(name="tolerance", label="Tolerance"),
            Column(name="a1", label="value", write=number(4), align="right", group="A₁"),
            Column(name="se_a1", label="s.e.", write=number(4), align="right", group="A₁"),
            Column(name="a2", label="value", write=number(4), align="right", group="A₂"),
            Column(name="se_a2", label="s.e.", write=number(4), align="right", group="A₂"),
            Column(name="chi_squared", label="χ²", write=number(2), align="right"),
            Column(name="held_out_bias", label="Held-out bias", write=_signed_share, align="right"),
            Column(name="n_zero_sizes", label="Left out", write=whole, align="right"),
        ),
    )
    return Section(
        id="exponential",
        title="The published exponential",
        lead="The model of Pal, Mitra and Kamps (2010), for comparison with the literature. It is right for one pair "
        "of systems; over many pairs the close ones keep swapping, and it comes out too hopeful far beyond the data.",
        blocks=(Fold(title="The fits", blocks=(table,)),),
    )


def _methods_section(study: TopicsStudy) -> Section:
    return Section(
        id="methods",
        title="Methods",
        lead="What was done, in words that fit a paper, and what to cite.",
        blocks=_methods_blocks(study),
    )


def _methods_blocks(study: TopicsStudy) -> tuple[Block, ...]:
    words = _methods_paragraph(study)
    cited = [source for source in publications(_SOURCES) if source.cited in words]
    items = tuple(Item(words=source.full, link=source.address) for source in cited)
    return Text(paragraphs=(words,), look="quote"), Items(items=items)


def _methods_paragraph(study: TopicsStudy) -> str:
    rates, minimum = study.error_rates, study.minimum
    sizes = f"{rates.sizes[0]} to {rates.sizes[-1]}" if len(rates.sizes) > 1 else str(rates.sizes[0])
    bound = " (Sanderson and Zobel, 2005)" if rates.sampling == "overlapping" else ""
    scale = ("a share of the larger mean (Buckley and Voorhees, 2000) of ", "")
    before, after = scale if rates.margin == "relative" else ("", " in the metric's unit")
    used = (
        "We estimated error rates by the swap method (Voorhees and Buckley, 2002; Pal et al., 2010) for "
        f"{count(len(rates.metrics), 'metric')} ({listed(map(name_of_metric, rates.metrics))}), {rates.n_systems} "
        f"systems and {rates.n_topics} topics." + "".join(f" {words}" for words in short_names(rates.metrics))
    )
    drawn = (
        f"For topic-set sizes of {sizes}, two sets {_SAMPLING[rates.sampling]}{bound} were drawn {rates.n_trials} "
        f"times ({rates.random_source}), the same for every metric, tolerance and pair; a pair of systems is an error "
        f"when each of the two wins on one of the sets by at least {before}{listed(tolerance_names(study))}{after}."
    )
    needed = (
        "The minimum number of topics is the smallest from which the error rate stays at or below "
        f"{_percent(minimum.max_error)}, from observed rates where observed and from a fitted curve beyond, up to "
        f"{minimum.limit}."
    )
    version = study.provenance.versions.get("metaeval", "")
    software = f"Computed with metaeval {version}".rstrip()
    return " ".join((used, drawn, needed, *_chosen_curve(minimum), *_model_words(study), f"{software}."))


def _model_words(study: TopicsStudy) -> list[str]:
    if study.posterior is None:
        return []
    level = percentage(study.posterior.ci_prob)
    models = study.posterior.models
    each = "metric and tolerance" if all(model.method == "fast" for model in models) else "tolerance, over all metrics"
    at = ""
    if len(models) < len(study.error_rates.margins):
        at = f" (at {listed([_tolerance(study, model.tolerance) for model in models])})"
    words = (
        f"{level} intervals come from a Bayesian model of the logits of the error rates at up to eight sizes, with the "
        "covariance of a bootstrap of the topics, and a term for the systems being a sample too; one fit for every "
        f"{each}{at}."
    )
    return [words]


def _chosen_curve(minimum: MinimumTopics) -> list[str]:
    if minimum.family is None:
        return []
    named = f"Among {listed(FAMILIES[name].title for name in CURVES)}, the {FAMILIES[minimum.family].title}"
    return [f"{named} had the smallest error on held-out sizes and was used."]


# -------------------------------------------------------------------------------------------------------- what helps


def _tolerance(study: TopicsStudy, margin: float) -> str:
    return _percent(margin) if study.error_rates.margin == "relative" else f"{margin:g}"


def _tolerance_words(study: TopicsStudy, margin: float) -> str:
    return (
        f"{_tolerance(study, margin)} of the larger mean" if study.error_rates.margin == "relative" else f"{margin:g}"
    )


def _unit_words(study: TopicsStudy) -> str:
    relative = study.error_rates.margin == "relative"
    return ", as a share of the larger of the two means" if relative else ", in the metric's own unit"


def _percent(value: float) -> str:
    return f"{100 * value:.6g} %"


def _signed_share(value: object) -> str:
    written = number(1)(100 * float(str(value)))
    return written if written == "–" else f"{'+' if float(str(value)) > 0 else ''}{written} %"


def _sentence(words: str) -> str:
    return f"This cannot be estimated: {words.rstrip('.')}."


def _few(sizes: Sequence[int], most: int) -> list[int]:
    places = np.unique(np.linspace(0, len(sizes) - 1, min(most, len(sizes))).round().astype(int))
    return [sizes[place] for place in places]


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(csv_text(frame), encoding="utf-8", errors="backslashreplace", newline="\n")
