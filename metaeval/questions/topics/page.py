# ruff: noqa: RUF001 - dashes are meant for people
"""The report that answers how many topics are enough."""

from dataclasses import replace

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.digits import error_of_share
from metaeval.base.unit import unit
from metaeval.base.words import (
    NAMED,
    carried,
    listed,
    name_of_metric,
    percentage,
    sentence_case,
    short_names_sentence,
    text,
    without_error,
)
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.families import FAMILIES
from metaeval.models.topic_counts import MinimumTopics
from metaeval.page.blocks import Block, Fold, Item, Items, Methods, Picture, Section, Text, Writer
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right, with_cells
from metaeval.questions.topics import page_summary
from metaeval.questions.topics.page_error_rates import detectable, error_sections, numbers_section, rates_section
from metaeval.questions.topics.page_words import (
    TOLERANCE,
    count_errors,
    count_marks,
    drawn_chance,
    fewer_rows,
    fewest,
    medians_needed,
    not_estimated,
    part_name,
    settled,
    ties_counted,
    tolerance_name,
    tolerance_names,
    topics_needed_words,
    with_tolerances,
)
from metaeval.questions.topics.study import COUNTS, CURVE, INTERVALS, SAMPLED, TopicsStudy
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.prose import prose

_MOST_PAIRS = 10
"""Of metrics; a longer table is folded."""
say = prose(__name__)
_SETS = {
    "disjoint": "that share no {topic}",
    "overlapping": "drawn independently of each other (Sanderson and Zobel, 2005)",
    "bootstrap": "drawn with replacement",
}


def topics_report(study: TopicsStudy, *, posterior: bool = False, published: bool = False) -> Report:
    """Put a topics study into a report.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> from metaeval.questions.topics.study import study_topics
    >>> study = study_topics(simulate_scores(n_systems=5, n_topics=20, rng=1), n_trials=5, bayesian=False, rng=1)
    >>> topics_report(study).summary[0].partition(" keep ")[2]
    'the disagreement of two topic sets within 5 %, as observed.'
    """
    return Report(
        command="topics",
        title=f"How many {unit().topics} are enough?",
        facts=page_summary.topic_facts(study),
        summary=page_summary.topic_summary(study),
        key_figures=page_summary.topic_figures(study),
        sections=(*_size_sections(study, published=published), numbers_section(study), *error_sections(study)),
        methods=_methods(study),
        rows=_rows(study),
        provenance=study.provenance,
        notes=tuple(study.notes),
        data=score_files(study.scores) | _data(study, posterior=posterior),
    )


def with_topics(report: Report, study: TopicsStudy, *, posterior: bool = False) -> Report:
    """Return a report with the topics that its metrics need, how sure that is, and the error rates behind it."""
    first, *more, last = report.summary
    figures = report.key_figures
    if figures is not None:
        frame, columns, errors = page_summary.topic_columns(study)
        figures = replace(
            figures,
            frame=figures.frame.merge(frame, on="metric", how="left"),
            columns=(*figures.columns, *columns),
            precision=", ".join(filter(None, [figures.precision, errors])),
            data=pd.concat([figures.data, page_summary.topic_rows(study)], ignore_index=True),
        )
    quote = " ".join([*more, page_summary.topic_quote(study)])
    return replace(report, summary=(first, quote, last), key_figures=figures).extended(
        sections=(*_size_sections(study, brief=False), numbers_section(study), rates_section(study)),
        methods=_methods(study),
        notes=tuple(study.notes),
        data=_data(study, posterior=posterior),
    )


def without_topics(report: Report, reason: str) -> Report:
    """Return a report with the reason why its scores leave nothing to say about topics."""
    note = Text(paragraphs=(not_estimated(reason),), look="note")
    return report.extended(sections=(say.section("unestimated", note, id="topics"),))


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


def _size_sections(study: TopicsStudy, *, brief: bool = True, published: bool = False) -> tuple[Section, ...]:
    explained, notes = tuple(short_names_sentence(study.error_rates.metrics)), list[Block]()
    failed = {
        analysis: why.rstrip(".")
        for analysis, why in study.unestimated.items()
        if analysis.startswith((INTERVALS, SAMPLED))
    }
    if failed:
        words = (
            "This cannot be estimated.",
            *(f"{sentence_case(part_name(analysis))}: {reason}." for analysis, reason in failed.items()),
        )
        stand_in = ("The faster sampler was used instead.",) * any(analysis.startswith(SAMPLED) for analysis in failed)
        notes.append(Text(paragraphs=(*words, *stand_in), look="note"))
    if study.posterior is None:
        blocks = list(_observed_blocks(study, published=published))
    else:
        check = (Text(paragraphs=(say("check"),)), *_observed_blocks(study, published=published))
        blocks = [*_model_blocks(study, study.posterior), Fold(title="A check: counts as observed", blocks=check)]
    if explained:
        blocks.insert(1, Text(paragraphs=explained))
    blocks[1:1] = notes
    if published:
        blocks.append(_published_table(study))
    section = say.section("topics", *blocks, brief=brief, max_error=study.minimum.max_error)
    return (section, *_fewer_section(study))


def _model_blocks(study: TopicsStudy, posterior: BayesianErrorRate) -> list[Block]:
    counts, level = posterior.minimum_topics(errors=True), percentage(posterior.confidence_level)
    blocks: list[Block] = []
    if np.isfinite(counts["low"]).any():
        blocks.append(_counts_picture(study, counts, level))
    blocks.append(_counts_table(study, posterior, counts, level))
    refused = counts[counts["note"] != ""]
    if len(refused):
        rows = refused.to_dict("records")
        words = tuple(
            f"{name_of_metric(row['metric'])}, tolerance {tolerance_name(study, row['tolerance'])}: {row['note']}."
            for row in rows
        )
        blocks.append(Text(paragraphs=words, look="note"))
    return blocks


def _counts_picture(study: TopicsStudy, counts: pd.DataFrame, level: str) -> Picture:
    drawn = counts.dropna(subset=["median"]).assign(
        label=lambda rows: [tolerance_name(study, tolerance) for tolerance in rows["tolerance"]],
        needed=medians_needed,
    )
    rows = drawn.to_dict("records")
    return say.picture(
        "topics_needed",
        lambda: figures.count_rows(drawn.reset_index(drop=True), at_hand=study.error_rates.n_topics),
        alt="; ".join(f"{name_of_metric(row['metric'])} at {row['label']}: {row['needed']}" for row in rows),
        level=level,
    )


def _counts_table(study: TopicsStudy, posterior: BayesianErrorRate, counts: pd.DataFrame, level: str) -> Table:
    rates, keys = study.error_rates, ["metric", "tolerance"]
    errors = rates.rate_errors().isel(size=-1).to_series()
    named = {"median": "error_rate_model", "median_error": "error_rate_model_error"}
    at_largest = posterior.curves([rates.sizes[-1]], errors=True)[[*keys, *named]].rename(columns=named)
    data = counts.merge(study.to_frame()[[*keys, "size", "error_rate"]], on=keys, how="left")
    data = data.merge(at_largest, on=keys, how="left")
    by_model, likely = data["error_rate_model_error"], _error_of_chances(posterior, data["p_enough"])
    spread = [errors[metric, tolerance] for metric, tolerance in data[keys].to_numpy().tolist()]
    rates_written = [carried(*row) for row in zip(data["error_rate"], spread, strict=True)]
    table_frame = with_cells(with_tolerances(study, data), error_rate=rates_written).assign(
        error_rate_sort=data["error_rate"],
        median=medians_needed(data),
        median_sort=data["median"],
        interval=topics_needed_words(data),
        interval_sort=data["low"],
        enough=[drawn_chance(value) for value in data["p_enough"]],
        enough_sort=data["p_enough"],
        error_rate_model=[without_error(*row) for row in zip(data["error_rate_model"], by_model, strict=True)],
        error_rate_model_sort=data["error_rate_model"],
    )
    ties, counted = ties_counted(study), count_errors(data)
    return say.table(
        "counts",
        table_frame,
        (METRIC,),
        (TOLERANCE,),
        right(text, f"Error at {rates.sizes[-1]}", error_rate="observed", error_rate_model="by the model"),
        right(text, f"{unit().Topics} needed", median="median", interval=f"{level} interval"),
        right(enough=f"{rates.n_topics} are enough"),
        called="topics_needed",
        data=data,
        study=study,
        rates=rates,
        ties=ties,
        counted=counted,
        by_model=by_model,
        likely=likely,
    )


def _observed_blocks(study: TopicsStudy, *, published: bool) -> tuple[Block, ...]:
    """Return topics needed by the rates observed and the curve that goes beyond them; beside it the published one.

    That is left out where it is `published` by itself.
    """
    blocks: list[Block] = [_minimum_table(study, study.minimum, name="minimum_topics")]
    silent = [reason for analysis, reason in study.unestimated.items() if analysis == CURVE]
    silent += [
        f"{part_name(analysis)}: {reason}"
        for analysis, reason in study.unestimated.items()
        if analysis.startswith(COUNTS)
    ]
    if silent:
        blocks.append(Text(paragraphs=tuple(map(not_estimated, silent)), look="note"))
    tables = (_three_counts_table(study),) if published else (_published_table(study), _three_counts_table(study))
    blocks.append(Fold(title="As published: Table 7 of Pal, Mitra and Kamps", blocks=tables))
    return tuple(blocks)


def _published_table(study: TopicsStudy) -> Table:
    return _minimum_table(study, study.published, name="minimum_topics_published")


def _three_counts_table(study: TopicsStudy) -> Table:
    """Set the published count beside those of the best curve and of the model."""
    data = study.to_frame()
    model = () if study.posterior is None else ("posterior_median", "posterior_low", "posterior_high")
    frame, error_words, level = with_tolerances(study, data), "", ""
    if study.posterior is not None:
        counts, level = study.posterior.minimum_topics(errors=True), percentage(study.posterior.confidence_level)
        counts = data[["metric", "tolerance"]].merge(counts, on=["metric", "tolerance"], how="left")
        frame = frame.assign(interval=topics_needed_words(counts), median=medians_needed(counts))
        frame["median_sort"], error_words = counts["median"], count_errors(counts)
    curve = f"the {study.minimum.curve}" if study.minimum.curve else "–"
    return say.table(
        "three_counts",
        frame,
        (METRIC,),
        (TOLERANCE,),
        right(text, "Observed, continued by", text_published="the exponential as published", text=curve),
        right(text, "Model", median="median", interval=f"{level} interval") if model else (),
        data=data[["metric", "tolerance", "text_published", "text", *model]],
        count_error=error_words,
        errors=_count_errors(study.minimum, study.published),
    )


def _count_errors(*several: MinimumTopics) -> list[float]:
    return [error for minimum in several for error in minimum.data["n_topics_error"].to_numpy().ravel().tolist()]


def _minimum_table(study: TopicsStudy, minimum: MinimumTopics, *, name: str) -> Table:
    metrics = study.error_rates.metrics
    wide = minimum.table().reset_index()
    unit = str(wide.columns[0])
    wide[unit] = tolerance_names(study)
    order = minimum.data["n_topics"].to_pandas()
    for metric in metrics:
        wide[f"{metric}_sort"] = order[metric].to_numpy()
    relative = study.error_rates.tolerance_unit == "relative"
    marks = [f"{mark}: {meaning}." for mark, meaning in count_marks(minimum)]
    return say.table(
        "minimum",
        wide,
        left(**{unit: "Tolerance"}),
        right(**{metric: name_of_metric(metric) for metric in metrics}),
        called=name,
        data=minimum.to_frame(),
        beyond=f", and beyond that by the {minimum.curve}" if minimum.curve else "",
        lead="as a share of the larger of the two means" if relative else "in the metric's own unit",
        errors=_count_errors(minimum),
        marks=marks,
    )


def _fewer_section(study: TopicsStudy) -> tuple[Section, ...]:
    """Return the probability that one metric needs fewer topics than another, for every pair and tolerance."""
    if study.posterior is None or (fewer := study.posterior.fewer()).empty:
        return ()
    wide = fewer_rows(study)
    names = {tolerance: tolerance_name(study, float(tolerance)) for tolerance in wide.columns[2:]}
    table = say.table(
        "fewer_topics",
        wide.rename(columns=names),
        left(name_of_metric, metric_a="First", metric_b="Second"),
        right(drawn_chance, "Tolerance", **{name: name for name in names.values()}),
        data=fewer,
        likely=_error_of_chances(study.posterior, fewer["p_fewer"]),
    )
    sentences = Items(items=tuple(Item(words=words) for words in _fewest_sentences(study, fewer)))
    shown_whole = table if len(wide) <= _MOST_PAIRS else Fold(title="Every pair of metrics", blocks=(table,))
    return (say.section("fewer", sentences, shown_whole, brief=False, head=f"Metrics by {unit().topics} needed"),)


def _error_of_chances(posterior: BayesianErrorRate, chances: "pd.Series[float]") -> list[float]:
    return [error_of_share(value, posterior.n_draws) for value in chances.dropna()]


def _fewest_sentences(study: TopicsStudy, fewer: pd.DataFrame) -> list[str]:
    """Say for every tolerance which metrics need fewest topics, and against which others that is not settled."""
    sentences = []
    for tolerance in fewer["tolerance"].drop_duplicates().sort_values():
        best_and_others = fewest(study, tolerance)
        if best_and_others is None:
            continue
        best, others = best_and_others
        unsettled = [
            f"{name_of_metric(name)} ({drawn_chance(value)})" for name, value in others[~settled(others)].items()
        ]
        level, who = tolerance_name(study, float(str(tolerance))), listed(map(name_of_metric, best), most=NAMED)
        least = "" if others.empty else drawn_chance(others.iloc[0])
        which = "none" if not least else "unsettled" if unsettled else "fewest"
        sentences.append(say(which, level=level, who=who, n=len(best), least=least, unsettled=unsettled))
    return sentences


# ------------------------------------------------------------------------------------------------------- the methods


def _methods(study: TopicsStudy) -> Methods:
    tolerances, family, posterior = listed(tolerance_names(study)), study.minimum.family, study.posterior
    rates, max_error = study.error_rates, study.minimum.max_error
    share = "a share of the larger mean (Buckley and Voorhees, 2000) of " if rates.tolerance_unit == "relative" else ""
    words = [
        say(
            "methods",
            rates=rates,
            sampling=_SETS[rates.sampling].format(topic=unit().topic),
            tolerances=f"{share}{tolerances}{'' if share else ' in the metric’s unit'}",
        )
    ]
    if posterior is not None:
        modelled = listed(tolerance_name(study, tolerance) for tolerance in posterior.tolerances)
        words += [say("methods model", posterior=posterior, max_error=max_error, modelled=modelled)]
        words += ["The distribution was sampled with PyMC."] if posterior.method == "pymc" else []
    words += [say("methods counts", max_error=max_error, limit=study.minimum.limit)]
    if family is not None:
        curves = [FAMILIES[name].title for name in study.comparison.summary()["family"]]
        words += [say("methods curves", curves=curves, best=FAMILIES[family].title)]
    return Methods(paragraphs=(" ".join([*words, detectable(study), say("made", study=study)]),))
