# ruff: noqa: RUF001 - Greek letters are meant for people
"""A power study as a report: discriminative power, its differences, rankings, pairwise significance."""

import pandas as pd

from metaeval import figures
from metaeval.base.checks import refused
from metaeval.base.unit import unit
from metaeval.base.words import (
    carried,
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
    points,
    sentence_case,
    share,
    share_of,
    short_names_sentence,
    text,
    whole,
    written_interval,
)
from metaeval.errors import UnknownNameError
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, frame_of, left, right, under, with_cells
from metaeval.questions.power.page_bayesian import bayesian_section
from metaeval.questions.power.page_findings import (
    comparison_rows,
    deciding,
    deciding_differences,
    one_per_test,
    power_error,
    power_figures,
    power_lead,
    power_methods,
    power_summary,
)
from metaeval.questions.power.page_systems import (
    identical_section,
    map_section,
    ranking_section,
    scores_section,
    top_section,
)
from metaeval.questions.power.study import PowerStudy
from metaeval.questions.table.page_means import means_table
from metaeval.questions.table.study import tabulated
from metaeval.reports.data_files import pair_files, score_files, scores_left_out
from metaeval.reports.pairs import decision_words
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, groups_of_topics
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SCORE = number(4)
_ALL_DIFFERENCES = 6
_PAIRS = "Significantly different pairs"
_ALL_SYSTEMS = 20
"""More systems than these are not all shown on the page of another question."""
say = prose(__name__)


def power_report(study: PowerStudy, *, map_metric: str | None = None, top: int = 10) -> Report:
    """Put a power study into a report."""
    metrics = study.scores["metric"].to_numpy().tolist()
    if map_metric is not None and map_metric not in metrics:
        raise UnknownNameError("metric", map_metric, metrics)
    if top < 2:  # noqa: PLR2004 - a pair needs two
        raise refused("top", f"must be at least 2 (systems), not {top!r}", top)
    order = sorted(metrics, key=lambda name: name != map_metric)
    frame, means = study.to_frame(), study.system_means()
    return Report(
        command="power",
        title=_title(study, metrics),
        facts=_facts(study),
        summary=power_summary(study, frame),
        key_figures=power_figures(study, frame),
        sections=(
            _power_section(study, frame),
            *_independent_section(study, frame),
            *_differences_section(study, frame),
            *bayesian_section(study),
            *_asl_section(study),
            ranking_section(study, means, order),
            _means_section(study, top),
            scores_section(study, order),
            map_section(study, order),
            top_section(study, means, top),
            *identical_section(study),
        ),
        methods=power_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*study.notes, *filter(None, [scores_left_out(study.scores)])),
        data=score_files(study.scores) | pair_files(study.comparisons, study.bayesian),
    )


def _title(study: PowerStudy, metrics: list[str]) -> str:
    systems = study.scores["system"].to_numpy().tolist()
    if len(systems) == 2:  # noqa: PLR2004 - one pair
        return f"Do {listed(systems)} differ significantly?"
    if len(metrics) > 1:
        return "Under which metrics do these systems differ significantly?"
    return f"Do these systems differ significantly under {name_of_metric(metrics[0])}?"


def _facts(study: PowerStudy) -> tuple[tuple[str, str], ...]:
    sizes, lead = study.scores.sizes, study.comparisons[0]
    counted = facts(
        metric=sizes["metric"],
        system=sizes["system"],
        topic=sizes["topic"],
        **groups_of_topics(study.scores),
        pair=lead.n_pairs,
    )
    return (*counted, (f"{lead.alpha:g}", "significance level α"))


def _power_section(study: PowerStudy, frame: pd.DataFrame) -> Section:
    lead, words = study.comparisons[0], {result.test: result.procedure.words for result in study.comparisons}
    alone = {result.test for result in study.comparisons} == {SENSITIVITY}
    short = tuple(short_names_sentence(study.scores["metric"].to_numpy()))
    labels = zip(frame["metric"].map(name_of_metric), frame["test"].map(words), frame["correction"], strict=True)
    marks = [
        f"{metric}, {test}, {CORRECTIONS.words(correction)}: {share(power)}"
        for (metric, test, correction), power in zip(labels, frame["power"], strict=True)
    ]
    picture = say.picture(
        "power",
        lambda: figures.power_dots(labelled(frame, _test_labels(study))),
        called="discriminative_power",
        alt="; ".join(marks),
        bars=f"; the bar is its interval over {unit().topics}" if "power_low" in frame else "",
    )
    return say.section(
        "power",
        picture,
        *([Text(paragraphs=short)] if short else []),
        _power_table(study, frame),
        lead=lead,
        how=" by the bootstrap sensitivity method" if alone else "",
    )


def _independent_section(study: PowerStudy, frame: pd.DataFrame) -> list[Section]:
    """Set the share of significant pairs beside what it would be if clusters were ignored."""
    if not study.independent:
        return []
    last = study.independent[-1]
    claimed = pd.concat(
        [comparison.discriminative_power().assign(correction=comparison.correction) for comparison in study.independent]
    )
    clustered = frame.loc[frame["test"] == "t", ["metric", "correction", "n_significant", "n_pairs", "power"]]
    data = clustered.merge(claimed, on=["metric", "correction"], suffixes=("", "_independent"))
    rows = data.assign(
        **{
            f"{name}_share": [
                share_of(n, of) for n, of in zip(data[f"n_significant{end}"], data["n_pairs"], strict=True)
            ]
            for name, end in (("clusters", ""), ("independent", "_independent"))
        }
    )
    selected = rows.loc[rows["correction"] == last.correction]
    table = say.table(
        "independent",
        selected.reset_index(drop=True),
        (METRIC,),
        right(text, clusters_share=f"{unit().Clusters} counted", independent_share="Taken for independent"),
        data=data,
        correction=CORRECTIONS.label(last.correction),
    )
    best = selected.iloc[int(selected["power"].to_numpy().argmax())]
    return [say.section("independent", table, best=best, correction=CORRECTIONS.label(last.correction))]


def _test_labels(study: PowerStudy) -> dict[str, str]:
    """Return what the tests are called on these data, by name."""
    return {result.test: result.procedure.label for result in study.comparisons}


def _power_table(study: PowerStudy, frame: pd.DataFrame) -> Table:
    errors = None if study.sensitivity is None else study.sensitivity.required_errors()
    by_test = frame.groupby(["metric", "test"], sort=False)
    rows = frame_of([_power_row(of_test, study, errors) for _, of_test in by_test])
    columns = [METRIC]
    if len(labels := _test_labels(study)) > 1:
        columns += left(lambda name: labels[str(name)], test="Test")
    for name in (name for name in CORRECTIONS.named if name in rows):
        columns += right(text, _PAIRS, **{name: CORRECTIONS.label(name)})
        beside = name == "fdr_bh" and "fdr_by" in rows  # that has no room for an interval
        if study.intervals is not None and f"{name} interval" in rows and not beside:
            label = f"{percentage(study.intervals.confidence_level)} interval"
            columns += under(text, _PAIRS, **{f"{name} interval": label})
    columns += right(
        text, "Difference required", **{column: _REQUIRED[column] for column in _REQUIRED if column in rows}
    )
    written = rows.drop(columns=[name for name in rows if str(name).endswith("_sort")])
    tests, required = one_per_test(study), bool(set(_REQUIRED) & set(rows))
    notes = ["A difference required is in the metric's own unit."] if required else []
    dashes = bool(written.isna().any(axis=None))
    notes += [f"–: not computed for that test, or no pair differs on enough {unit().topics} for it."] if dashes else []
    notes += ["Bootstrap sensitivity is uncorrected, as published."] if dashes and study.sensitivity is not None else []
    return say.table(
        "power table",
        rows,
        columns,
        called="discriminative_power",
        data=frame,
        tests=sentence_case("; ".join(map(_test_words, tests))),
        first=tests[0],
        required=" and difference required" if required else "",
        notes=" ".join(notes),
    )


def _test_words(result: PairwiseResult) -> str:
    """Name a test, with its resamples and seed if it draws."""
    draws = [f"B = {result.n_resamples:,}", result.random_source] if result.n_resamples else []
    return ", ".join(filter(None, [result.procedure.words, *draws]))


_REQUIRED = {
    "difference_required": "max",
    "difference_required_median": "median",
    "difference_required_p95": "95th pct.",
}


def _power_row(of_test: pd.DataFrame, study: PowerStudy, errors: pd.DataFrame | None) -> dict[str, object]:
    """Put one metric's rows under one test side by side; what is absent throughout gets no column."""
    row: dict[str, object] = {"metric": of_test["metric"].iloc[0], "test": of_test["test"].iloc[0]}
    for record in of_test.to_dict("records"):
        name = record["correction"]
        row |= {
            name: share_of(record["n_significant"], record["n_pairs"], power_error(study, record)),
            f"{name}_sort": record["power"],
        }
        if pd.notna(record.get("power_low")):
            bounds = written_interval(
                record["power_low"],
                record["power_high"],
                about=record["power"],
                draws=study.intervals.n_topic_resamples if study.intervals is not None else None,
            )
            row |= {f"{name} interval": bounds, f"{name} interval_sort": record["power_low"]}
        for column in _REQUIRED:
            if pd.notna(record.get(column)):
                drawn = errors is not None and record["test"] == SENSITIVITY
                error = errors.loc[record["metric"], column] if errors is not None and drawn else None
                row |= {column: carried(record[column], error, _SCORE), f"{column}_sort": record[column]}
    return row


def _differences_section(study: PowerStudy, frame: pd.DataFrame) -> list[Section]:
    differences = deciding_differences(study)
    if differences is None or study.intervals is None:
        return []
    level = percentage(study.intervals.confidence_level)
    drawn, best = differences, None
    if study.scores.sizes["metric"] > _ALL_DIFFERENCES:
        rows = comparison_rows(frame, power_lead(study))
        best = min(rows.loc[rows["power"] == rows["power"].max(), "metric"])
        drawn = differences[(differences["metric_a"] == best) | (differences["metric_b"] == best)]
    how = decision_words(TESTS.label(str(differences["test"].iloc[0])), power_lead(study).correction)
    clear = int(((drawn["low"] > 0) | (drawn["high"] < 0)).sum())
    picture = say.picture(
        "differences picture",
        lambda: figures.power_differences(drawn),
        called="power_differences",
        level=level,
        how=how,
        best="" if best is None else say("from best", best=best, n=len(drawn), n_all=len(differences)),
        n=len(drawn),
        clear=clear,
    )
    fold = Fold(title="The numbers", blocks=(_differences_table(study, differences, how, level),))
    return [say.section("differences", picture, fold, brief=False)]


def _differences_table(study: PowerStudy, differences: pd.DataFrame, how: str, level: str) -> Table:
    lead, write = power_lead(study), points(1)
    errors = dict(zip(lead.metrics, 100.0 * lead.power_errors(), strict=True))
    percents = differences[["difference", "low", "high"]] * 100.0
    pairs = zip(percents["difference"], differences["metric_a"], differences["metric_b"], strict=True)
    written = [carried(value, errors[first] + errors[second], write) for value, first, second in pairs]
    frame = with_cells(differences, difference=written).assign(
        difference_sort=differences["difference"],
        ends=intervals(
            percents["low"],
            percents["high"],
            write,
            draws=None if study.intervals is None else study.intervals.n_topic_resamples,
            about=percents["difference"],
        ),
        ends_sort=differences["low"],
    )
    return say.table(
        "differences table",
        frame,
        left(name_of_metric, metric_a="Metric", metric_b="minus metric"),
        right(text, difference="Difference (points)", ends=f"{level} interval"),
        called="power_differences",
        data=differences,
        how=how,
    )


def _asl_section(study: PowerStudy) -> list[Section]:
    sensitivity = study.sensitivity
    if sensitivity is None:
        return []
    marks = [
        f"{name_of_metric(row.metric)} crosses α at {whole(row.n_significant)} pairs"
        for row in sensitivity.summary().itertuples()
    ]
    picture = say.picture("asl", sensitivity.plot, called="asl_curves", alt="; ".join(marks), sensitivity=sensitivity)
    return [say.section("asl", picture, brief=False)]


def _means_section(study: PowerStudy, top: int) -> Section:
    """Return the table as a section of the page on discriminative power: all systems if they are few, else the best."""
    few = study.scores.sizes["system"] <= _ALL_SYSTEMS
    table = means_table(tabulated(study.scores, deciding(study), top=None if few else top, provenance=study.provenance))
    return say.section("means", table, brief=False)
