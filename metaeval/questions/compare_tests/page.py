# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report of a comparison of tests: what each finds on half of the topics, and whether the other half agrees."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.digits import draws_of_middle, error_of_share
from metaeval.base.notes import Remark
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    carried,
    ends,
    from_to,
    intervals,
    listed,
    name_of_metric,
    number,
    share,
    share_of,
    short_names_sentence,
    text,
)
from metaeval.page.blocks import Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right, under, with_cells
from metaeval.questions.compare_tests.study import SplitHalvesStudy
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import described_by, facts, groups_of_topics
from metaeval.reports.traits import traits_said
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_SOURCES = ("ogilvie2006", "sanderson2005")
_RATIO = number(2)
_SPREADS = {"rejected": "rejected_se", "error_rate": "error_rate_se"}
_ERRORS, _AT_RANDOM = 2.0, 0.5
"""Tests differ by more than so many errors of the halvings; one that rejects at random errs in half of the cases."""
_FEWEST_PAIRS = 3
"""Of fewer, rejections are decisions on the same difference again and again."""
say = prose(__name__)


def tests_report(study: SplitHalvesStudy) -> Report:
    """Put a comparison of tests into a report."""
    frame, halves = study.to_frame(), study.halves
    sizes = {name: study.scores.sizes[name] for name in ("metric", "system", "topic")}
    parts = {str(name): rows for name, rows in frame.groupby("correction", sort=False)}
    first = next(iter(parts.items()))
    counted = facts(**sizes, **groups_of_topics(study.scores), split=halves.n_splits)
    return Report(
        command="compare-tests",
        title="Which significance test is reliable?",
        facts=(*counted, (f"{halves.alpha:g}", "significance level α")),
        summary=(
            _answer(study, *first),
            say("quote", fewest=_errs_by_rejecting_little(parts), rivals=_no_worse_here(first[1])),
        ),
        key_figures=_key_figures(parts),
        sections=tuple(
            _section(study, name, rows, brief=not index) for index, (name, rows) in enumerate(parts.items())
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*study.notes, *(Remark(say("silent", row=row)) for row in frame[frame["rejections"] == 0].itertuples())),
        data=score_files(study.scores) | {"splits.csv": csv_file(halves.counts.to_dataframe().reset_index())},
    )


# ---------------------------------------------------------------------------------------------------- the short answer


def _answer(study: SplitHalvesStudy, correction: str, rows: pd.DataFrame) -> str:  # noqa: PLR0911 - an answer each
    """Say which test to use, and which not, with the shares of their rejections that fail; or that it stays open."""
    how, n_pairs = CORRECTIONS.words(correction), study.halves.n_pairs
    if not (rows["rejections"] > 0).any():
        return f"No test rejects a single pair on half of the {unit().topics} ({how})."
    if n_pairs < _FEWEST_PAIRS:
        return say("few pairs", n=n_pairs)
    rows = rows.assign(error_rate_se=_error_spread(rows))
    written = {str(test): _rate_range(of_test, "error_rate") for test, of_test in rows.groupby("test")}
    means = _by_test(rows)
    if len(means) == 1:
        return say("alone", test=means.index[0], written=written, how=how)
    advised = means[[TESTS[str(name)].advised for name in means.index]]
    use, span = "" if advised.empty else _used(advised), _rate_range(rows, "error_rate")
    holds = means["error_rate"] + _ERRORS * means["error_rate_se"] < _AT_RANDOM
    if not holds.any() or (use and not holds[use]):
        under = use if holds.any() else ""
        return say("at random", under=under, span=written.get(under, span), how=how)
    if not any(_differ(means, name).to_numpy().any() for name in _SPREADS):
        return say("open", span=span, how=how)
    if not use:
        return say("none advised", least=_clear_end(means, "error_rate"), written=written, span=span, how=how)
    is_worse = _differ(means, "error_rate")[use] & (means["error_rate"] > means.loc[use, "error_rate"])
    worse = means.loc[is_worse & ~means.index.isin(advised.index), "error_rate"]
    avoid = "" if worse.empty else worse.idxmax()
    return say("answer", use=use, avoid=avoid, written=written, how=how)


def _by_test(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row a test: its rejections and error rate, means over metrics, with the errors of the halvings."""
    return rows.groupby("test", sort=False)[[name for pair in _SPREADS.items() for name in pair]].mean()


def _differ(means: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return which tests differ from which in a figure by more than the errors of the halvings allow."""
    values, errors = means[name].to_numpy(), means[_SPREADS[name]].to_numpy()
    apart = np.abs(values[:, None] - values) > _ERRORS * np.hypot(errors[:, None], errors)
    return pd.DataFrame(apart, index=means.index, columns=means.index)


def _clear_end(means: pd.DataFrame, name: str) -> str:
    """Return the test that is lowest in a figure, clearly below each other one, or ""."""
    lowest = means[name].idxmin()
    return str(lowest) if _differ(means, name)[lowest].drop(index=lowest).all() else ""


def _used(advised: pd.DataFrame) -> str:
    return "t" if "t" in advised.index else str(advised["rejected"].idxmax())


def _no_worse_here(rows: pd.DataFrame) -> list[str]:
    """Return the tests that find no fewer pairs than the advised one, with no more errors, and are not advised."""
    means = rows.groupby("test", sort=False)[["rejected", "error_rate"]].mean().dropna()
    known = np.array([TESTS[str(name)].advised for name in means.index], dtype=bool)
    if known.all() or not known.any():
        return []
    used = means.loc[_used(means[known])]
    no_worse = (means["rejected"] >= used["rejected"]) & (means["error_rate"] <= used["error_rate"])
    return list(map(str, means.index[no_worse & ~known]))


def _errs_by_rejecting_little(parts: Mapping[str, pd.DataFrame]) -> str:
    """Return the test that clearly errs least and rejects fewest, and rejects fewest under every correction, or ""."""
    first = next(iter(parts.values()))
    means = _by_test(first.assign(error_rate_se=_error_spread(first))).dropna()
    lowest = {_clear_end(means, name) for name in _SPREADS} if len(means) > 1 else {""}
    lowest |= {str(_by_test(rows)["rejected"].idxmin()) for rows in parts.values()}
    return lowest.pop() if len(lowest) == 1 else ""


def _rate_range(rows: pd.DataFrame, name: str) -> str:
    """Write the lowest and the highest figure of some rows with their errors, or one where they read alike."""
    ordered = rows.dropna(subset=name).sort_values([name, f"{name}_se"])
    if ordered.empty:
        return MISSING
    return from_to(*(carried(row[name], row[f"{name}_se"]) for row in ordered.iloc[[0, -1]].to_dict("records")))


def _key_figures(parts: dict[str, pd.DataFrame]) -> Table:
    """Return what each test rejects, and how much of that is wrong, from the lowest to the highest metric."""
    first = next(iter(parts.values()))
    frame = first.groupby("test", sort=False)["error_rate"].max().rename("order").reset_index()
    columns = list(left(lambda name: TESTS.label(str(name)), test="Test"))
    for correction, of_correction in list(parts.items())[:2]:
        rows = of_correction.assign(error_rate_se=_error_spread(of_correction))
        by_test = [rows[rows["test"] == test] for test in frame["test"]]
        labels = {"rejected": "pairs rejected", "error_rate": "errors among them"}
        spans = {f"{name} {correction}": [_rate_range(of_test, name) for of_test in by_test] for name in labels}
        frame = with_cells(frame, **spans)
        columns += right(text, CORRECTIONS.label(correction), **dict(zip(spans, labels.values(), strict=True)))
    several = len(first["metric"].unique()) > 1
    data = pd.concat(parts.values(), ignore_index=True)
    return key_figures(
        frame,
        columns,
        by="order",
        falling=False,
        caption="From the metric with the lowest figure to that with the highest." if several else "",
        data=data,
    )


def _reference_words(study: SplitHalvesStudy, rows: pd.DataFrame) -> tuple[str, ...]:
    """Say against how many the reference rejects more, and against how many it errs no more: the paper's finding."""
    others = rows[(rows["test"] != study.reference) & rows["rejection_ratio"].notna()]
    if others.empty:
        return ()
    ratios, spread = others["rejection_ratio"], _ratio_errors(study, rows)
    errors = others["error_rate_ratio"].dropna()
    counts = {"n": len(ratios), "more": (ratios > 1).sum(), "n_errors": len(errors), "higher": (errors > 1).sum()}
    spans = {
        "ratios": _ratio_range(ratios, spread["rejection_ratio"]),
        "errors": "" if errors.empty else _ratio_range(errors, spread["error_rate_ratio"]),
    }
    return (say("reference", reference=study.reference, **counts, **spans),)


def _ratio_range(values: pd.Series, errors: pd.Series) -> str:
    """Return the lowest and the highest of some ratios, with their errors."""
    written = [carried(*row, _RATIO) for row in zip(values, errors.loc[values.index], strict=True)]
    return from_to(*(end.figure for end in ends(values.index, values, written)))


def _ratio_errors(study: SplitHalvesStudy, rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the Monte-Carlo standard errors of the reference's figures over every test's: too large rather than small.

    Both tests are taken for halved independently; halved alike, as they are, their ratio varies less.
    """
    reference = rows[rows["test"] == study.reference].set_index("metric")
    errors = {}
    for ratio, name in (("rejection_ratio", "rejected"), ("error_rate_ratio", "error_rate")):
        relative = rows[f"{name}_se"] / rows[name]
        of_reference = reference[f"{name}_se"] / reference[name]
        combined = np.hypot(relative, rows["metric"].map(of_reference).to_numpy())
        errors[ratio] = pd.Series(rows[ratio] * combined.where(rows["test"] != study.reference, 0.0), index=rows.index)
    return errors


# -------------------------------------------------------------------------------------------------------- the sections


def _section(study: SplitHalvesStudy, correction: str, rows: pd.DataFrame, *, brief: bool) -> Section:
    labelled = rows.assign(test=rows["test"].map(TESTS.label))
    title = f"Rejections and errors, {CORRECTIONS.words(correction)}"
    picture = say.picture(
        "picture",
        lambda: figures.rejections_against_errors(labelled),
        called=f"rejections_and_errors_{correction}",
        alt="; ".join(map(_mark_words, rows.to_dict("records"))),
        title=title,
    )
    words = _reference_words(study, rows)
    blocks = (picture, *((Text(paragraphs=words),) if words else ()), _table(study, correction, rows))
    return Section(id=correction.replace("_", "-"), title=title, lead=say("lead"), brief=brief, blocks=blocks)


def _mark_words(row: Mapping[Hashable, Any]) -> str:
    tested = f"{name_of_metric(row['metric'])}, {TESTS.words(row['test'])}"
    return f"{tested}: {share(row['rejected'])} rejected, {share(row['error_rate'])} errors"


def _error_spread(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the Monte-Carlo errors of the error rates, at least as large as of as many rejections without an error."""
    without_errors = [error_of_share(0.0, n) if n else np.nan for n in rows["rejections"]]
    return pd.Series(np.fmax(rows["error_rate_se"].to_numpy(), without_errors), rows.index)


def _table(study: SplitHalvesStudy, correction: str, rows: pd.DataFrame) -> Table:
    halves, spread = study.halves, _error_spread(rows)
    shares = [share_of(*row) for row in zip(rows["errors"], rows["rejections"], spread, strict=True)]
    frame = with_cells(rows, errors_of=shares).assign(
        errors_of_sort=rows["error_rate"],
        middle=intervals(rows["rejected_low"], rows["rejected_high"], draws=draws_of_middle(halves.n_splits)),
        error_middle=intervals(rows["error_rate_low"], rows["error_rate_high"], draws=draws_of_middle(halves.n_splits)),
    )
    for name in ("rejected", "rejected_both", "self_agreement"):
        written = [carried(*row) for row in zip(rows[name], rows[f"{name}_se"], strict=True)]
        frame = with_cells(frame, **{name: written}).assign(**{f"{name}_sort": rows[name]})
    frame.loc[frame["rejections"] == 0, "errors_of"] = None
    for name, error in _ratio_errors(study, rows).items():
        written = [carried(*row, _RATIO) for row in zip(rows[name], error, strict=True)]
        frame = with_cells(frame, **{name: written}).assign(**{f"{name}_sort": rows[name]})
    ratio_head = f"{TESTS.label(study.reference)} over this test"
    ratios = right(text, ratio_head, rejection_ratio="rejections", error_rate_ratio="error rate")
    special_tests = [name for name in halves.tests if TESTS[name].family_wise or TESTS[name].plain_p]
    dashes = frame[["rejection_ratio", "error_rate_ratio", "error_rate"]].isna().any(axis=None)
    return say.table(
        "table",
        frame,
        (METRIC,),
        left(lambda name: TESTS.label(str(name)), test="Test"),
        right(text, "Rejected", rejected="pairs"),
        under(text, "Rejected", middle="middle 90 %"),
        right(text, "Errors", errors_of="of rejected"),
        under(text, "Errors", error_middle="middle 90 %"),
        right(text, "Both halves", rejected_both="of all pairs", self_agreement="of those rejected"),
        ratios if len(halves.tests) > 1 else (),
        called=f"tests_{correction}",
        data=rows,
        correction=correction,
        halves=halves,
        own=special_tests,
        dashes=dashes,
        short=" ".join(short_names_sentence(rows["metric"].unique())),
    )


# --------------------------------------------------------------------------------------------------------- the methods


def _methods(study: SplitHalvesStudy) -> Methods:
    """Return what was done in words that fit a paper."""
    halves = study.halves
    adjusted = [described_by(name) for name in halves.corrections if name != "none"]
    words = say(
        "methods",
        study=study,
        halves=halves,
        sizes=study.scores.sizes,
        traits=traits_said(study.scores, gaps="paired"),
        metrics=study.scores["metric"].to_numpy().tolist(),
        corrections=["uncorrected"] * ("none" in halves.corrections)
        + ([f"with {listed(adjusted)}"] if adjusted else []),
        resampled=any(TESTS[name].resampled for name in halves.tests),
        sources=_SOURCES,
    )
    return Methods(paragraphs=(words,))
