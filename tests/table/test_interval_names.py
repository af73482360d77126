"""Bounds under any names: a grid of names over boards of means, tables with systems in rows or columns, and cells."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.table.interval_names import bounds_among, percentage_of_quantile
from metaeval.table.means import as_means
from metaeval.table.number_columns import not_scores
from metaeval.table.scores import as_scores

RNG = np.random.default_rng(53)
BOUNDS = {
    0.95: [
        ("CI-", "CI+"), ("95% CI -", "95% CI +"), ("CI\N{MINUS SIGN}", "CI+"), ("-CI", "+CI"), ("-", "+"),
        ("acc-", "acc+"), ("acc CI-", "acc CI+"), ("err-", "err+"), ("minus", "plus"),
        ("acc_minus", "acc_plus"), ("CI_low", "CI_high"), ("CI_lower", "CI_upper"), ("lower", "upper"),
        ("acc_lower", "acc_upper"), ("CI_L", "CI_U"), ("ci.l", "ci.u"), ("LCI", "UCI"), ("ci95l", "ci95u"),
        ("CI95-", "CI95+"), ("L", "U"), ("2.5%", "97.5%"), ("2.5 %", "97.5 %"), ("acc 2.5%", "acc 97.5%"),
        ("q025", "q975"), ("p2.5", "p97.5"), ("2.5th percentile", "97.5th percentile"), ("HPD low", "HPD high"),
        ("eti_low", "eti_high"), ("unteres", "oberes"), ("Unterer KI", "Oberer KI"),
    ],
    0.9: [("5%", "95%"), ("q05", "q95"), ("acc_p5", "acc_p95"), ("5th", "95th")],
    0.94: [("hdi_3%", "hdi_97%")],
}  # fmt: skip
RANGES = [
    ("Q1", "Q3"), ("q1", "q3"), ("acc_q1", "acc_q3"), ("p25", "p75"), ("P25", "P75"), ("25%", "75%"),
    ("perc25", "perc75"), ("1st quartile", "3rd quartile"), ("1. Quartil", "3. Quartil"), ("min", "max"),
    ("ymin", "ymax"),
    ("lower quartile", "upper quartile"),
]  # fmt: skip
ERRORS = [
    "±",
    "+/-",
    "+-",
    "+\N{MINUS SIGN}",
    "±CI",
    "±SE",
    "± 95% CI",
    "SE±",
    "CI±",
    "s.e.",
    "S.E.",
    "\N{GREEK SMALL LETTER SIGMA}",
    "±\N{GREEK SMALL LETTER SIGMA}",
    "err",
    "error bar",
]
LEVELS = {names: level for level, pairs in BOUNDS.items() for names in pairs}
QUANTILES = {0.95: 1.959964, 0.9: 1.644854, 0.94: 1.880794}
"""Of the standard normal distribution, as its tables print them."""


def tables(names, width):
    """Return a table of every kind with columns at these distances from the scores, and where they would be read."""
    ends = np.linspace(-width, width, len(names)) if len(names) > 1 else [0]

    def beside(frame, scores):
        noise = RNG.uniform(0.01, 0.03, len(frame))
        columns = {
            name: np.round(scores + end if len(names) > 1 else noise, 3) for name, end in zip(names, ends, strict=True)
        }
        return frame.assign(**columns)

    models = pd.DataFrame({"model": [f"m{at}" for at in range(8)]})
    tasks = models.assign(**{task: RNG.uniform(0.3, 0.9, 8).round(3) for task in ("mmlu", "arc", "gsm8k")})
    yield "rows", beside(tasks, tasks[["mmlu", "arc", "gsm8k"]].mean(axis=1)), "topic"
    runs = pd.DataFrame({"topic": [str(at) for at in range(301, 321)]})
    runs = runs.assign(**{run: RNG.uniform(0.1, 0.8, 20).round(3) for run in ("bm25", "lm")})
    yield "columns", beside(runs, runs["lm"]), "system"
    cells = pd.DataFrame([(name, str(at)) for name in "AB" for at in range(10)], columns=["system", "topic"])
    cells = cells.assign(acc=RNG.uniform(0.2, 0.8, 20).round(3))
    yield "cells", beside(cells, cells["acc"]), "metric"


def outcome(read, given, dim):
    """Return the names along a dimension, and all that was said; no names where the table was refused."""
    try:
        scores = read(given)
    except MetaevalError as error:
        return [], str(error)
    return scores[dim].to_numpy().tolist(), " ".join(scores.attrs["notes"])


@pytest.mark.parametrize("names", [*LEVELS, *RANGES, *((name,) for name in ERRORS)], ids=" ".join)
def test_bounds_and_errors_are_never_scores(names, tmp_path):
    """Whatever they are called, in files and frames: left out and named, or asked for by name."""
    for _, table, dim in tables(names, 0.05):
        path = tmp_path / "t.csv"
        table.to_csv(path, index=False)
        for read, given in ((read_scores, path), (as_scores, table)):
            kept, said = outcome(read, given, dim)
            assert not {*names} & {*kept}, (dim, kept)
            assert any(repr(name) in said for name in names), (dim, said)


@pytest.mark.parametrize("names", LEVELS, ids=" ".join)
def test_bounds_on_a_board_of_means_make_errors_of_their_level(names):
    """Half the distance of the bounds over the quantile of the level that the names say; 95 % where they say none."""
    means = RNG.uniform(0.4, 0.8, 6).round(3)
    board = pd.DataFrame({"model": [*"abcdef"], "acc": means, names[0]: means - 0.04, names[1]: means + 0.06})
    found = as_means(board)
    assert found.metrics == ("acc",)
    np.testing.assert_allclose(found.errors[0], 0.05 / QUANTILES[LEVELS[names]], rtol=1e-6)


@pytest.mark.parametrize("signs", [(-1, 1), (1, 1)])
@pytest.mark.parametrize("names", [("CI-", "CI+"), ("acc_minus", "acc_plus"), ("-", "+")])
def test_signs_may_name_distances(names, signs):
    """Columns called minus and plus may say how far bounds lie below and above, with a sign or without one."""
    board = pd.DataFrame(
        {"model": [*"abc"], "acc": [0.7, 0.6, 0.5], names[0]: [0.04 * signs[0]] * 3, names[1]: [0.06] * 3}
    )
    np.testing.assert_allclose(as_means(board).errors[0], 0.05 / QUANTILES[0.95], rtol=1e-6)


@pytest.mark.parametrize("names", RANGES, ids=" ".join)
def test_quartiles_and_extremes_are_no_errors(names):
    """A board with them alone has no errors, and is refused as means."""
    board = pd.DataFrame({"model": [*"abcd"], "acc": [0.7, 0.6, 0.5, 0.4]})
    board = board.assign(**{names[0]: board["acc"] - 0.1, names[1]: board["acc"] + 0.1})
    with pytest.raises(ScoresError, match="means by system"):
        as_scores(board)


@pytest.mark.parametrize(
    "names",
    [
        ["Q1", "Q2", "Q3", "Q4"], ["Q1", "Q2", "Q3"], ["q1", "q2", "q3", "q4", "q5"], ["P5", "P10", "P15", "P20"],
        ["BM25", "BM25+", "BM25-", "LM"], ["p1", "p2", "p3"], ["L", "U", "V"], ["low", "medium", "high"],
        ["1st", "2nd", "3rd"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("along", ["system", "topic", "cell"])
def test_items_and_systems_under_such_names_are_scores(names, along):
    """A series of questions, cutoffs or systems is none of bounds where its numbers are not."""
    values = np.random.default_rng(1).uniform(0, 1, (12, len(names)))
    left = [column.name for column in not_scores(names, values, along=along) if column.sure]
    assert left == []


def test_percentages_that_names_say():
    """With a mark, a sign of per cent, or a word; a lone number says nothing."""
    assert [percentage_of_quantile(name) for name in ("0.025", "25", "GPT-4", "q0.025", "97.5th", "quartile3")] == [
        None, None, None, 2.5, 97.5, 75.0,
    ]  # fmt: skip


def test_several_pairs_are_told_apart():
    """Bounds of two metrics, at two levels, belong to their own."""
    names = ["acc", "f1", "acc_p5", "acc_p95", "f1_p2.5", "f1_p97.5", "acc_p25", "acc_p75"]
    found = {pair[:2]: (pair.stem, pair.role) for pair in bounds_among(names)}
    assert found == {
        ("acc_p5", "acc_p95"): ("acc", "low"),
        ("f1_p2.5", "f1_p97.5"): ("f1", "low"),
        ("acc_p25", "acc_p75"): ("acc", "range"),
    }
