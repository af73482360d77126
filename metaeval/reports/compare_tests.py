# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report of a comparison of tests: what each finds on half of the topics, and whether the other half agrees."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.bibliography import cited
from metaeval.base.digits import draws_of_middle, error_of_share
from metaeval.base.names import count
from metaeval.base.words import (
    MISSING,
    NAMED,
    End,
    carried,
    ends,
    intervals,
    listed,
    name_of_metric,
    number,
    sentence_case,
    share,
    share_of,
    short_names,
    text,
)
from metaeval.page.blocks import Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right, under
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.shared import cited_in, computed_with, described_by, facts, groups_of_topics, side_words
from metaeval.studies.compare_tests import SplitHalvesStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_SOURCES = ("ogilvie2006", "sanderson2005")
_RATIO = number(2)


def tests_report(study: SplitHalvesStudy) -> Report:
    """Put a comparison of tests into a report."""
    frame = study.to_frame()
    sizes, lead = study.scores.sizes, study.halves
    counted = facts(
        metric=sizes["metric"],
        system=sizes["system"],
        topic=sizes["topic"],
        **groups_of_topics(study.scores),
        split=lead.n_splits,
    )
    return Report(
        command="compare-tests",
        title="Which significance test is reliable?",
        facts=(*counted, (f"{lead.alpha:g}", "significance level α")),
        summary=_summary(study, frame),
        sections=tuple(_section(study, str(name), rows) for name, rows in frame.groupby("correction", sort=False)),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*study.notes, *_unanswered(frame)),
        data=score_files(study.scores) | {"splits.csv": csv_file(lead.counts.to_dataframe().reset_index())},
    )


def _words(test: str) -> str:
    return TESTS[test].described.split(" (")[0]


# ---------------------------------------------------------------------------------------------------- the short answer


def _summary(study: SplitHalvesStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    """Say for every correction which test errs least and which rejects most, and whether those are the same."""
    answers = []
    for correction, rows in frame.groupby("correction", sort=False):
        answers.append(" ".join([*_extremes(str(correction), rows), *_reference_words(study, rows)]))
    return (
        *answers,
        (
            "Read an error rate beside the number of rejections: it has the rejections of that very test underneath, "
            "so a test that rejects large differences only errs little, and finds little."
        ),
    )


def _extremes(correction: str, rows: pd.DataFrame) -> list[str]:
    """Return the sentence on the test with the lowest error rate and the one that rejects most."""
    label = CORRECTIONS.label(correction)
    how = label if correction == "none" else f"With {label}"
    known = rows.dropna(subset="error_rate")
    if known.empty:
        return [f"{how}, no test rejects a single pair on half of the topics."]
    if len(rows["metric"].unique()) == 1:
        return [f"{how}, {_of_one_metric(known)}"]
    parts = [part for _, part in known.groupby("metric")]
    n_tests = known["test"].nunique()
    safe = _winners([_ends(part, "error_rate")[0] for part in parts], ("errs least", "err least", "errs less"), n_tests)
    keen = _winners(
        [_ends(part, "rejected")[1] for part in parts], ("rejects most", "reject most", "rejects more"), n_tests
    )
    low, high = (end.figure for end in _ends(known.assign(test=known["metric"] + known["test"]), "error_rate"))
    errors = f"{low if low == high else f'{low} to {high}'} of the pairs that a test rejects on one half of the topics"
    return [f"{how}, {safe} and {keen}: {errors} do not point the same way on the other."]


def _of_one_metric(known: pd.DataFrame) -> str:
    """Say which tests err least and which reject most under the one metric there is."""
    least, most = _ends(known, "error_rate")[0], _ends(known, "rejected")[1]
    errs, rejects = (
        End.of({test: rows[test] for test in end.names}).figure
        for rows, end in ((_figures(known, "error_rate"), most), (_figures(known, "rejected"), least))
    )
    n_tests = len(known)
    first = f"{_named(least)} {least.verb('errs', 'err')} least"
    if len(least.names) == n_tests > 1:
        first = "no test errs less than another"
    words = (
        f"{first}: {least.figure} of the pairs "
        f"{least.verb('it rejects', 'they reject')} on one half of the topics do not point the same way on the other, "
        f"and {least.verb('it rejects', 'they reject')} {rejects} of all pairs"
    )
    if len(most.names) == n_tests > 1:
        return f"{words}; none rejects more than another."
    if least.names == most.names:
        return f"{words}, the most of any test."
    return (
        f"{words}. {sentence_case(_named(most))} {most.verb('rejects', 'reject')} most, {most.figure}, and "
        f"{most.verb('errs', 'err')} in {errs}."
    )


def _figures(rows: pd.DataFrame, name: str) -> dict[str, str]:
    return dict(zip(rows["test"], map(carried, rows[name], rows[f"{name}_se"]), strict=True))


def _ends(rows: pd.DataFrame, name: str) -> tuple[End, End]:
    return ends(rows["test"], rows[name], _figures(rows, name).values())


def _named(tests: End) -> str:
    return listed(map(_words, tests.names), most=NAMED)


def _winners(best: Sequence[End], verbs: tuple[str, str, str], n_tests: int) -> str:
    """Name the tests that are first under most metrics; the verbs are for one, for several, and where all are alike."""
    wins = pd.Series([test for end in best for test in end.names]).value_counts().sort_index()
    first = End.of(dict.fromkeys(wins.index[wins == wins.max()], ""))
    every = {1: "the one metric with errors", 2: "both metrics"}.get(len(best), f"all {len(best)} metrics")
    where = every if wins.max() == len(best) else f"{wins.max()} of {len(best)} metrics"
    if len(first.names) == n_tests > 1 and where == every:
        return f"no test {verbs[2]} than another under {where}"
    each = " each" * (len(first.names) > 1 and where != every)
    return f"{_named(first)} {first.verb(*verbs[:2])} under {where}{each}"


def _reference_words(study: SplitHalvesStudy, rows: pd.DataFrame) -> list[str]:
    """Say against how many the reference rejects more, and against how many it errs no more: the paper's finding."""
    others = rows[(rows["test"] != study.reference) & rows["rejection_ratio"].notna()]
    if others.empty:
        return []
    ratios, spread = others["rejection_ratio"], _ratio_errors(study, rows)
    errors = others["error_rate_ratio"].dropna()
    more = int((ratios > 1).sum())
    times = _range(ratios, spread["rejection_ratio"])
    words = f"Compared with the others, {_words(study.reference)} rejects {times} times as many pairs"
    words += f" ({more} of {count(len(ratios), 'comparison')} above 1)"
    if errors.empty:
        return [f"{words}."]
    higher, times = int((errors > 1).sum()), _range(errors, spread["error_rate_ratio"])
    return [f"{words}, at {times} times their error rate ({higher} of {len(errors)} above 1)."]


def _range(values: pd.Series, errors: pd.Series) -> str:
    """Return the lowest and the highest of some ratios, with their errors."""
    written = [carried(*row, _RATIO) for row in zip(values, errors.loc[values.index], strict=True)]
    low, high = (end.figure for end in ends(values.index, values, written))
    return low if low == high else f"{low} to {high}"


def _ratio_errors(study: SplitHalvesStudy, rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the Monte-Carlo standard errors of the reference's figures over every test's: too large rather than small.

    They are those of independent halvings; the same ones leave less.
    """
    reference = rows[rows["test"] == study.reference].set_index("metric")
    found = {}
    for ratio, name in (("rejection_ratio", "rejected"), ("error_rate_ratio", "error_rate")):
        own = rows[f"{name}_se"] / rows[name]
        against = reference[f"{name}_se"] / reference[name]
        both = np.hypot(own, rows["metric"].map(against).to_numpy())
        found[ratio] = pd.Series(rows[ratio] * both.where(rows["test"] != study.reference, 0.0), index=rows.index)
    return found


def _unanswered(frame: pd.DataFrame) -> tuple[str, ...]:
    silent = frame[frame["rejections"] == 0]
    return tuple(
        f"{name_of_metric(row.metric)}, {CORRECTIONS.words(str(row.correction))}: {_words(str(row.test))} rejects no "
        "pair on any half, so it has no error rate"
        for row in silent.itertuples()
    )


# -------------------------------------------------------------------------------------------------------- the sections


def _section(study: SplitHalvesStudy, correction: str, rows: pd.DataFrame) -> Section:
    shown = rows.assign(test=rows["test"].map(TESTS.label))
    picture = Picture(
        name=f"rejections_and_errors_{correction}",
        draw=lambda: figures.rejections_against_errors(shown),
        title=f"Rejections and errors, {CORRECTIONS.words(correction)}",
        caption="Each mark is a test: how many of the pairs of systems it rejects on one half of the topics, against "
        "the share of these that do not point the same way on the other half. Better is up and to the left. The lines "
        "span the middle 90 % of the splits: how much depends on the halving; they are no confidence intervals.",
        alt="; ".join(
            f"{name_of_metric(row.metric)}, {TESTS.words(str(row.test))}: {share(row.rejected)} rejected, "
            f"{share(row.error_rate)} errors"
            for row in rows.itertuples()
        ),
    )
    return Section(
        id=correction.replace("_", "-"),
        title=f"Rejections and errors, {CORRECTIONS.words(correction)}",
        lead="A test may reject more pairs for two reasons: it sees more, or it is less strict. In the first case its "
        "error rate stays where it is, in the second it rises.",
        brief=True,
        blocks=(picture, _table(study, correction, rows)),
    )


def _table(study: SplitHalvesStudy, correction: str, rows: pd.DataFrame) -> Table:
    one = study.halves
    # where no split has an error, one more rejection may be the first
    alone = [error_of_share(0.0, n) if n else np.nan for n in rows["rejections"]]
    spread = np.fmax(rows["error_rate_se"], alone)
    frame = rows.assign(
        errors_of=[share_of(*row) for row in zip(rows["errors"], rows["rejections"], spread, strict=True)],
        errors_of_sort=rows["error_rate"],
        middle=intervals(rows["rejected_low"], rows["rejected_high"], draws=draws_of_middle(one.n_splits)),
        error_middle=intervals(rows["error_rate_low"], rows["error_rate_high"], draws=draws_of_middle(one.n_splits)),
    )
    for name in ("rejected", "rejected_both", "self_agreement"):
        written = [carried(*row) for row in zip(rows[name], rows[f"{name}_se"], strict=True)]
        frame[name], frame[f"{name}_sort"] = written, rows[name]
    frame.loc[frame["rejections"] == 0, "errors_of"] = None
    for name, error in _ratio_errors(study, rows).items():
        frame[name] = [carried(*row, _RATIO) for row in zip(rows[name], error, strict=True)]
        frame[f"{name}_sort"] = rows[name]
    against = f"{TESTS.label(study.reference)} over this test"
    ratios = right(text, against, rejection_ratio="rejections", error_rate_ratio="error rate")
    half = f"{one.half_sizes[0]} and {one.half_sizes[1]} {one.halved}s"
    own = [TESTS.words(name) for name in one.tests if TESTS[name].family_wise or TESTS[name].plain_p]
    dashes = frame[["rejection_ratio", "error_rate_ratio", "error_rate"]].isna().any(axis=None)
    return Table(
        name=f"tests_{correction}",
        title=f"Tests on halves of the topics, {CORRECTIONS.words(correction)}",
        caption=f"{count(one.n_splits, 'random halving')} ({half}), {one.n_pairs:,} pairs of systems each, "
        f"{side_words(one.alternative)}, α = {one.alpha:g}, {one.random_source}. Rejected: pairs found significantly "
        "different on the first half; errors: those of them whose mean difference on the second half is zero or "
        "points the other way. Both halves: pairs rejected on both in the same direction. Middle 90 %: of the splits, "
        "no confidence interval."
        + (f" With p-values of its own under every correction: {listed(own)}." if own else "")
        + (f" {MISSING}: nothing rejected, or no errors to divide by." if dashes else "")
        + "".join(f" {words}" for words in short_names(rows["metric"].unique())),
        frame=frame,
        columns=(
            METRIC,
            *left(lambda name: TESTS.label(str(name)), test="Test"),
            *right(text, "Rejected", rejected="pairs"),
            *under(text, "Rejected", middle="middle 90 %"),
            *right(text, "Errors", errors_of="of rejected"),
            *under(text, "Errors", error_middle="middle 90 %"),
            *right(text, "Both halves", rejected_both="of all pairs", self_agreement="of those rejected"),
            *(ratios if len(one.tests) > 1 else ()),
        ),
        data=rows,
    )


# --------------------------------------------------------------------------------------------------------- the methods


def _methods(study: SplitHalvesStudy) -> Methods:
    """Return what was done in words that fit a paper."""
    sizes, lead = study.scores.sizes, study.halves
    metrics = study.scores["metric"].to_numpy()
    draws = ""
    if any(TESTS[name].resampled for name in lead.tests):
        rule = "k/B" if study.p_value_rule == "plain" else "(k + 1)/(B + 1)"
        draws = f" Tests that resample took B = {study.n_resamples} and p = {rule}."
    adjusted = [described_by(name) for name in lead.corrections if name != "none"]
    parts = [
        *(["uncorrected"] if "none" in lead.corrections else []),
        *([f"with {listed(adjusted)}"] if adjusted else []),
    ]
    words = (
        f"We compared {listed(map(described_by, lead.tests))} on {sizes['system']:,} systems and {sizes['topic']:,} "
        f"topics under {count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, metrics))}), {listed(parts)}, "
        f"{side_words(lead.alternative)}, α = {lead.alpha:g}. The topics were split in halves at random "
        f"{lead.n_splits} times ({lead.random_source}), the same for every test. An error is a pair of systems that a "
        "test rejects on the first half and whose mean difference on the second half is not positive in the same "
        f"direction; the error rate is the share of errors among the rejections of all splits{cited(_SOURCES)}.{draws}"
    )
    caution = (
        "No confidence interval is given for an error rate: the halves of all splits come from the same topics and "
        "pairs share systems, so the rejections are not independent, and an interval for a proportion would be far "
        "too narrow. A test that rejects at random errs every second time."
    )
    paragraphs = (" ".join([words, caution, computed_with(study.provenance)]),)
    keys = [key for name in lead.tests for key in TESTS[name].cite]
    keys += [key for name in lead.corrections for key in CORRECTIONS[name].cite]
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, [*_SOURCES, *keys]))
