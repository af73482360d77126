"""Boards of means and standard errors: their columns, what is wrong with them, and what is none of them."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError, UnknownNameError
from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.table.means import MeanColumn, as_means, is_board, means_columns

BOARD = {"model": ["a", "b", "c"], "score": [0.7, 0.6, 0.5], "stderr": [0.02, 0.03, 0.01]}


def _board(**changed):
    return pd.DataFrame({**BOARD, **changed})


FORMS = {
    "score": (_board(), "metric1"),
    "named after the metric": (_board().rename(columns={"score": "acc"}), "acc"),
    "lm-evaluation-harness": (_board().rename(columns={"score": "acc,none", "stderr": "acc_stderr,none"}), "acc"),
    "side by side": (_board().rename(columns={"score": "acc", "stderr": "acc_stderr"}), "acc"),
    "words": (_board().set_axis(["System Name", "Mean", "Std-Err"], axis=1), "metric1"),
    "an unnamed column of systems": (
        _board().set_axis(["", "win_rate", "standard_error"], axis=1).assign(n_wins=1, avg_length=2.5),
        "win_rate",
    ),
    "broom": (_board().set_axis(["model", "estimate", "std.error"], axis=1), "metric1"),
    "sem": (_board().set_axis(["run", "value", "SEM"], axis=1), "metric1"),
    "long": (_board(metric="F1"), "F1"),
    "tasks": (_board(task="arc", metric="acc"), "arc acc"),
    "text": (_board().astype(str), "metric1"),
    "index": (_board().set_index("model"), "metric1"),
    "index without a name": (_board().set_index("model").rename_axis(None), "metric1"),
    "columns": (BOARD, "metric1"),
    "records": (_board().to_dict("records"), "metric1"),
}


@pytest.mark.parametrize(("data", "metric"), FORMS.values(), ids=FORMS.keys())
def test_forms_of_boards(data, metric):
    """Columns are recognised by the words of leaderboards, and the metric has the name that they give it."""
    assert is_board(data)
    found = as_means(data)
    assert (found.metrics, found.systems) == ((metric,), ("a", "b", "c"))
    np.testing.assert_array_equal(found.means, [BOARD["score"]])
    np.testing.assert_array_equal(found.errors, [BOARD["stderr"]])
    assert np.isnan(found.n).all()
    assert found.read_as.startswith("means with standard errors: systems in ")


@pytest.mark.parametrize("n", ["n", "n_total", "n_obs", "Num Items", "sample-size"])
@pytest.mark.parametrize("error", ["standard_error", "Std. Error", "std_err", "se", "SEM", "stderr"])
def test_one_mean_and_its_usual_columns(error, n):
    """One mean beside an error and a number of items needs no name that is agreed on."""
    found = means_columns(["model", "win_rate", error, n])
    assert (found.pairs, [*found.sizes], found.others) == ((MeanColumn("win_rate", "win_rate", (error,)),), [n], ())
    assert means_columns(["model", "a", "b", error], chosen={"score": "a"}) is None  # it may be of either
    assert means_columns(["model", "a", "b", error], ignored=["b"]).pairs == (MeanColumn("a", "a", (error,)),)
    assert means_columns(["model", "a", error], chosen={"topic": "a"}) is None


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("length_controlled_winrate", "lc_standard_error"),
        ("lc_rate", "lc_standard_error"),
        ("win_rate", "standard_error"),
    ],
)
def test_the_error_of_a_named_mean_is_its_own(value, error):
    """An error called as the value is, or by its first letters, is of that value; the one beside another is not."""
    rest = "lc_rate" if value == "win_rate" else value
    names = ["model", "win_rate", "standard_error", rest, "lc_standard_error"]
    assert means_columns(names, chosen={"score": value}).pairs == (MeanColumn(value, value, (error,)),)


def test_the_way_out_of_an_unclear_frame():
    """Renamed as the message says, it is a board."""
    frame = _board(f1=0.5)[["model", "f1", "score", "stderr"]].rename(columns={"score": "acc"})
    with pytest.raises(ScoresError, match=r"if 'stderr' is that of 'acc', rename it to 'acc_stderr'"):
        study_leaderboard(frame)
    assert means_columns(frame.rename(columns={"stderr": "acc_stderr"})).pairs == (
        MeanColumn("acc", "acc", ("acc_stderr",)),
    )


def test_published_board_of_alpaca_eval(data_folder):
    """The board that AlpacaEval publishes is read as it is, and its errors are those of the scores by item."""
    folder = data_folder / "leaderboards"
    with pytest.raises(MeansAloneError) as caught:
        read_scores([folder / "alpacaeval2_published_leaderboard.csv"])
    found = caught.value.board
    assert (found.metrics, len(found.systems), found.n.max()) == (("win_rate",), 223, 805)
    assert "lc_standard_error" in found.notes[0]
    cells = pd.read_csv(folder / "alpacaeval2_weighted_preferences.csv.gz").drop(columns=["item", "dataset"])
    own = found.to_frame().set_index("system").loc[[name for name in cells if name in found.systems]]
    assert len(own) == 57
    np.testing.assert_allclose(own["mean"], 100 * cells[own.index].mean(), rtol=1e-9)
    np.testing.assert_allclose(own["stderr"], 100 * cells[own.index].sem(), rtol=1e-9)


def test_several_metrics_and_sizes():
    """Metrics side by side, or in a column, are metrics; n is read, and what is neither is noted."""
    wide = pd.DataFrame(
        {"model": ["a", "b"], "acc": [0.7, 0.6], "acc_stderr": [0.04, 0.02], "f1": [0.5, 0.4], "f1_se": [0.03, 0.01]}
    )
    found = as_means(wide.assign(n=[100, 200], licence="x", votes=3), higher_is_better={"f1": False})
    assert found.metrics == ("acc", "f1")
    assert found.errors.tolist() == [[0.04, 0.02], [0.03, 0.01]]
    assert found.n.tolist() == [[100, 200]] * 2
    assert found.higher_is_better.tolist() == [True, False]
    assert found.notes == ("left out columns licence, votes",)
    long = pd.concat([_board(metric="acc"), _board(metric="f1")])
    assert as_means(long).under(["f1"]).metrics == ("f1",)
    with pytest.raises(UnknownNameError, match="no metric on the leaderboard 'map'"):
        found.under(["map"])


@pytest.mark.parametrize(
    "columns",
    [
        ("system", "topic", "metric", "score"),
        ("system", "topic", "score", "stderr"),
        ("system", "score"),
        ("topic", "score", "stderr"),
        ("model", "a", "b", "stderr"),
        ("301", "302"),
        ("system", "system_id", "score", "stderr"),
    ],
)
def test_other_tables_are_no_boards(columns):
    """Scores by item, means without errors, and what could be two things are left to others."""
    assert means_columns(columns) is None
    assert not is_board(pd.DataFrame([[1] * len(columns)], columns=list(columns)))


WRONG = {
    "a negative error": (
        _board(stderr=[0.1, -0.2, 0.1]),
        "of system 'b' under 'metric1' is -0.2; it must be 0 or more",
    ),
    "no error": (_board(stderr=[0.1, None, 0.1]), "the standard error of system 'b' under 'metric1' is nan"),
    "an error that is no number": (_board(stderr=["0.1", "N/A", "0.1"]), "is 'N/A', which is no number"),
    "an infinite mean": (_board(score=[0.1, np.inf, 0.2]), "the mean of system 'b' under 'metric1' is inf"),
    "a decimal comma": (_board(score=["0,1", "0,2", "0,3"]), "is '0,1', which is no number"),
    "one item": (_board(n=[1, 10, 10]), "is 1; a standard error needs two items or more"),
    "half an item": (_board(n=[10.5, 10, 10]), "is 10.5; a standard error needs two"),
    "a system twice": (_board(model=["a", "b", "a"]), "two means of system 'a' under 'metric1', the second in row 2"),
    "a system without a name": (_board(model=["a", None, "c"]), "a system has no name"),
    "a mean that is not there": (
        pd.concat([_board(metric="acc"), _board(metric="f1").iloc[1:]]),
        "there is no mean under 'f1' of a",
    ),
    "one system": (_board().iloc[:1], "there is only 'a'"),
    "none": (_board().iloc[:0], "there is none"),
}


@pytest.mark.parametrize(("data", "rule"), WRONG.values(), ids=WRONG.keys())
def test_wrong_boards_are_refused(data, rule):
    """Each error names the system, the metric and the rule."""
    with pytest.raises(ScoresError, match=rule):
        as_means(data)


CALLS = {
    "a number": (3,),
    "other columns": (pd.DataFrame({"x": [1]}),),
    "one error": ([0.1, 0.2], 0.1),
    "text": ("0.1", "0.2"),
    "too few errors": ([0.1, 0.2], [0.1]),
    "other systems": ({"a": 0.1, "b": 0.2}, {"a": 0.1, "c": 0.1}),
    "two axes": ([[0.1, 0.2], [0.3, 0.4]], [0.1, 0.1]),
}
OPTIONS = {
    "too few names": {"systems": ["a"]},
    "n as text": {"n": "many"},
    "too few n": {"n": [5]},
    "a direction as a word": {"higher_is_better": "up"},
    "a direction of another metric": {"higher_is_better": {"acc": False}},
}


@pytest.mark.parametrize("given", CALLS.values(), ids=CALLS.keys())
def test_wrong_calls(given):
    """What is no board, and parts that do not fit, are errors of ours."""
    with pytest.raises(MetaevalError) as caught:
        as_means(*given)
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_wrong_options(options):
    """So are options that do not fit."""
    with pytest.raises(MetaevalError) as caught:
        as_means([0.1, 0.2], [0.1, 0.1], **options)
    assert len(str(caught.value)) > 20


def test_means_beside_errors():
    """Mappings, series and sequences give the same board."""
    right = as_means({"a": 0.7, "b": 0.6}, {"b": 0.2, "a": 0.1}, n={"a": 5, "b": 6})
    assert (right.errors.tolist(), right.n.tolist()) == ([[0.1, 0.2]], [[5, 6]])
    series = as_means(pd.Series({"a": 0.7, "b": 0.6}), pd.Series({"a": 0.1, "b": 0.2}), n=pd.Series({"a": 5, "b": 6}))
    listed = as_means([0.7, 0.6], [0.1, 0.2], n=[5, 6], systems=["a", "b"])
    for other in (series, listed):
        pd.testing.assert_frame_equal(other.to_frame(), right.to_frame())
    assert as_means([0.7, 0.6], [0.1, 0.2], n=9).n.tolist() == [[9, 9]]
    with pytest.raises(InvalidOptionError, match="got the columns x"):
        as_means(pd.DataFrame({"x": [1]}))


def test_a_row_of_averages_is_no_system():
    """A row called as the average of the others is left out where it is theirs, and refused where it is not."""
    frame = pd.DataFrame({"model": ["a", "b", "Average"], "acc": [0.7, 0.5, 0.6], "acc_stderr": [0.02, 0.02, 0.01]})
    board = as_means(frame)
    assert board.systems == ("a", "b")
    assert board.notes == ("left out system 'Average', the mean of 'a', 'b'",)
    with pytest.raises(ScoresError, match="system 'Average' is called as an average of others, and is not theirs"):
        as_means(frame.assign(acc=[0.7, 0.5, 0.9]))


def test_a_share_of_0_has_the_ends_of_its_exact_interval():
    """0 of 25: 0 to 1 - .025 ** (1 / 25) = .1372 by Clopper and Pearson; .8567 of 307: sqrt(.8567 x .1433 / 306)."""
    frame = pd.DataFrame({"model": [*"abcd"], "em": [0.8567, 0.8436, 0.0, 0.04], "em_stderr": [0.0, 0.0208, 0.0, 0.04]})
    board = as_means(frame.assign(n=[307, 307, 25, 25]))
    assert any("c 0.0350 (0 to 0.1372)" in note for note in board.notes)
    assert board.errors[0, 0] == pytest.approx(0.0200, abs=5e-5)


def test_errors_that_no_shares_have_are_noted():
    """100 scores from 0 to 1 with the mean .7 have a standard error of sqrt(.7 x .3 / 99) = .0461 at most."""
    frame = pd.DataFrame({"model": ["a", "b"], "acc": [0.7, 0.6], "acc_stderr": [0.4, 0.049], "n": [100, 100]})
    (note,) = as_means(frame).notes
    assert (
        note == "under acc, standard errors are larger than scores from 0 to 1 can have: a 0.4, at most 0.04606 of 100"
    )
    assert as_means(frame.assign(acc_stderr=[0.045, 0.049])).notes == ()


def test_means_that_nobody_named_are_called_as_their_task():
    """A column `mean` says no metric, and its rows are of data sets."""
    frame = pd.DataFrame(
        {"model": [*"abab"], "dataset": [*"xxyy"], "mean": [0.7, 0.6, 0.5, 0.4], "std": 0.1, "count": 9}
    )
    assert as_means(frame).metrics == ("x", "y")


def test_rows_of_a_board_are_chosen_by_a_column(tmp_path):
    """Two sets of means are refused with the column that parts them, and one of them is read by `where`."""
    path = tmp_path / "board.csv"
    path.write_text("model,split,acc,acc_se\na,dev,.7,.02\nb,dev,.6,.02\na,test,.5,.02\nb,test,.4,.03\n")
    with pytest.raises(MetaevalError, match=re.escape("keep the rows of one 'split' (`where={'split': 'dev'}`")):
        read_scores(path)
    with pytest.raises(MeansAloneError) as alone:
        read_scores(path, where={"split": "test"})
    assert alone.value.board.means.tolist() == [[0.5, 0.4]]
    assert alone.value.board.notes == ("2 of 4 rows, with split test",)


def test_rows_are_chosen_by_what_other_rows_have_as_well():
    """Of a number of the row and a split, which both tell two means of a system apart, the split is named."""
    frame = pd.DataFrame({"model": ["a", "b", "a", "b"], "row_id": range(4), "split": ["x", "x", "y", "y"]})
    board = frame.assign(acc=[0.7, 0.6, 0.5, 0.4], acc_se=0.02)
    with pytest.raises(MetaevalError, match=re.escape("`where={'split': 'x'}`")):
        as_means(board)
    with pytest.raises(MetaevalError, match=r"keep one$"):
        as_means(board.drop(columns="split"))


@pytest.mark.parametrize("error", ["confidence", "stderr"])
def test_repeats_of_a_task_are_scores(tmp_path, error):
    """Rows that a seed tells apart are scores of tasks; the column called as an error is left out by name."""
    path = tmp_path / "runs.csv"
    cells = [(name, task, seed) for name in "ab" for task in "xyz" for seed in "12"]
    rows = "".join(f"{','.join(row)},{at},0.{at}\n" for at, row in enumerate(cells))
    path.write_text(f"pipeline,dataset,seed,BLEU,{error}\n{rows}")
    scores = read_scores(path)
    assert f"left out column {error!r}" in scores.attrs["notes"][0]
    assert scores.sel(metric="BLEU", system="b", topic="x").to_numpy().tolist() == [6, 7]
    assert not is_board(pd.read_csv(path))


ODD = ["1.10", "1.1", "007", "1e3", "NA", "nan", "true", "12345678901234567890"]


def test_names_of_systems_are_text():
    """Names that look like numbers, gaps or truths stay as they are written."""
    frame = pd.DataFrame({"system": pd.Series(ODD, dtype=object), "score": 0.5, "stderr": 0.01})
    assert as_means(frame).systems == tuple(ODD)


_ENDS = [
    ("95% CI (lower)", "95% CI (upper)"),
    ("CI min", "CI max"),
    ("CI ↓", "CI ↑"),
    ("Konfidenzintervall (untere Grenze)", "Konfidenzintervall (obere Grenze)"),
    ("Lower 95% confidence bound", "Upper 95% confidence bound"),
    ("Arena Score (95% CI, low)", "Arena Score (95% CI, high)"),
    ("lower", "upper"),
]


@pytest.mark.parametrize(("low", "high"), _ENDS)
def test_a_word_for_an_interval_and_one_for_an_end_name_a_bound(low, high):
    """Whatever order they stand in: 20 points between the bounds are a standard error of 20 / 3.92."""
    means = [1300, 1250, 1200]
    board = {"Model": [*"ABC"], "Arena Score": means, low: [m - 10 for m in means], high: [m + 10 for m in means]}
    assert as_means(pd.DataFrame(board)).errors == pytest.approx(np.full((1, 3), 20 / 3.919928))


@pytest.mark.parametrize(
    "columns",
    [
        {"m": [1300, 1250, 1200], "CI": [1290, 1240, 1190], "CI 2": [1310, 1260, 1210]},
        {"m": [1300, 1250, 1200], "stderr": [1310, 1260, 1210]},
        {"m": [0.5, 0.5, 0.6], "CI": [0.2, 0.3, 0.4], "interval": [0.8, 0.7, 0.9]},
    ],
)
def test_errors_near_or_around_the_mean_are_bounds_and_refused(columns):
    """The way out, followed to the letter, is read as bounds."""
    board = pd.DataFrame({"model": [*"abc"], **columns})
    with pytest.raises(ScoresError, match=r"holds numbers about 'm' itself.*'m_low' and 'm_high'"):
        as_means(board)
    if len(columns) > 2:
        ends = list(columns)[1:]
        as_bounds = as_means(board.rename(columns=dict(zip(ends, ("m_low", "m_high"), strict=True))))
        assert as_bounds.errors == pytest.approx((board[ends[1]] - board[ends[0]]).to_numpy()[None] / 3.919928)


@pytest.mark.parametrize("cell", ["0,6]", "0.2, 0.9)", "0,6"])
def test_a_broken_interval_among_others_is_refused_by_what_it_says(cell):
    """Half a pair of brackets is left of 0,6] and 0.2, 0.9), and 0,6 could be 0.6 with a decimal comma."""
    board = pd.DataFrame({"model": ["a", "b"], "rating": [0.5, 0.3], "rating_ci": ["[0.4, 0.6]", cell]})
    with pytest.raises(ScoresError, match=re.escape(f"holds intervals, and {cell!r} is none; write it as [0.7, 0.8]")):
        as_means(board)
    board["rating_ci"] = ["[0.4, 0.6]", "[0.2, 0.4]"]
    assert as_means(board).errors == pytest.approx(np.full((1, 2), 0.2 / 3.919928))


@pytest.mark.parametrize(("level", "z"), [(68, 0.99446), (0.68, 0.99446), (95, 1.95996)])
def test_a_column_may_say_the_level_of_bounds(level, z):
    """68 and 0.68 are two thirds; several levels in one table are refused."""
    board = pd.DataFrame(
        {"model": [*"abc"], "acc": [0.8, 0.7, 0.6], "low": [0.78, 0.68, 0.58], "high": [0.82, 0.72, 0.62]}
    )
    found = as_means(board.assign(ci_level=level))
    np.testing.assert_allclose(found.errors, 0.02 / z, rtol=1e-4)
    assert not any("ci_level" in note for note in found.notes)
    with pytest.raises(ScoresError, match="one number"):
        as_means(board.assign(ci_level=[68, 95, 95]))


SEVERAL_SIZES = {
    "behind each": ("gsm8k,gsm8k_std,gsm8k_n,humaneval,humaneval_std,humaneval_n", "71,45,1319,60,49,164"),
    "before all": ("n_humaneval,n_gsm8k,gsm8k,gsm8k_std,humaneval,humaneval_std", "164,1319,71,45,60,49"),
    "in brackets": ("gsm8k,SD (gsm8k),n (gsm8k),humaneval,SD (humaneval),n (humaneval)", "71,45,1319,60,49,164"),
    "of means": ("gsm8k mean,gsm8k std,gsm8k n,humaneval mean,humaneval std,humaneval n", "71,45,1319,60,49,164"),
    "one for the others": ("n,gsm8k,gsm8k_std,humaneval,humaneval_std,humaneval_n", "1319,71,45,60,49,164"),
}


@pytest.mark.parametrize(("names", "cells"), SEVERAL_SIZES.values(), ids=SEVERAL_SIZES.keys())
def test_each_metric_has_the_number_of_items_named_for_it(names, cells, tmp_path):
    """45 over √1319 is 1.2391, and 49 over √164 is 3.8263, wherever the two numbers stand."""
    (path := tmp_path / "board.csv").write_text(f"model,{names}\na,{cells}\nb,{cells}\n", "utf-8")
    in_memory = as_means(pd.read_csv(path))
    with pytest.raises(MeansAloneError) as caught:
        read_scores([path])
    for board in (in_memory, caught.value.board):
        assert board.metrics == ("gsm8k", "humaneval")
        assert board.n.tolist() == [[1319, 1319], [164, 164]]
        np.testing.assert_allclose(board.errors[:, 0], [45 / 1319**0.5, 49 / 164**0.5])
        assert not any("left out" in note for note in board.notes)


def test_a_number_of_items_for_each_metric_in_rows():
    """Where a row is of one metric, columns named for metrics hold its number of items."""
    rows = [(system, metric, 0.5, 0.4, 1600, 400) for metric in ("acc", "f1") for system in "ab"]
    found = as_means(pd.DataFrame(rows, columns=["model", "metric", "score", "std", "n_acc", "n_f1"]))
    np.testing.assert_allclose(found.errors, [[0.01, 0.01], [0.02, 0.02]])


def test_a_number_of_items_is_no_other_metrics():
    """A metric without a number of its own has none, and deviations need one."""
    board = _board(acc=0.7, acc_norm=0.6, acc_stderr=0.02, acc_norm_stderr=0.02, acc_n=200).drop(
        columns=["score", "stderr"]
    )
    found = as_means(board)
    assert found.metrics == ("acc", "acc_norm")
    assert np.isnan(found.n).tolist() == [[False] * 3, [True] * 3]
    with pytest.raises(ScoresError, match=r"'acc_norm_std' holds standard deviations.*add a column acc_norm_n, or"):
        as_means(board.rename(columns={"acc_norm_stderr": "acc_norm_std"}))


def test_of_two_numbers_the_one_of_items_is_asked_for():
    """Questions and seeds could both be behind a deviation: called n, the one that is counts, 0.4 over √1600."""
    board = _board(std=0.4, n_questions=1600, n_seeds=4).drop(columns="stderr")
    with pytest.raises(ScoresError, match=r"'n_questions', 'n_seeds' could be it; rename the one that is to 'n'"):
        as_means(board)
    np.testing.assert_allclose(as_means(board.rename(columns={"n_questions": "n"})).errors, 0.01)
    np.testing.assert_allclose(as_means(board.rename(columns={"n_seeds": "n"})).errors, 0.2)


IN_OTHER_WORDS = {
    "German": "Verfahren;Mittelwert;Standardabweichung;Anzahl",
    "French": "Modèle;Moyenne;Écart-type;Nombre",
    "Spanish": "Modelo;Media;Desviación estándar;Número",
    "Italian": "Modello;Media;Deviazione standard;Numero",
}


@pytest.mark.parametrize("head", IN_OTHER_WORDS.values(), ids=IN_OTHER_WORDS.keys())
def test_boards_of_means_are_read_in_four_languages(head, tmp_path):
    """Mean, deviation and number are told by their words: 0.2 over √100 is 0.02."""
    (path := tmp_path / "board.csv").write_text(f"{head}\nBM25;0.4;0.2;100\nSPLADE;0.5;0.2;100\n", "utf-8")
    with pytest.raises(MeansAloneError) as caught:
        read_scores([path])
    found = caught.value.board
    assert (found.metrics, found.systems, found.errors.tolist()) == (("metric1",), ("BM25", "SPLADE"), [[0.02, 0.02]])


@pytest.mark.parametrize(
    ("second", "errors", "said"),
    [
        (0.78, [1.26, 0.0131], "the means of b are shares, and the others per cents; write all on one scale"),
        (0.78, [1.26, 0.278], ""),
        (78.0, [0.0126, 0.0131], "means are per cents, and standard errors those of shares; write both on one scale"),
        (78.0, [1.26, 1.31], ""),
    ],
)
def test_shares_beside_per_cents_in_a_board_of_means_are_noted(second, errors, said):
    """Errors of 1000 answers: of 80.1 % 1.26, of a share of .78 sqrt(.78 x .22 / 1000) = .0131, of .78 % .278."""
    frame = pd.DataFrame({"model": ["a", "b"], "acc": [80.1, second], "acc_stderr": errors, "n": [1000, 1000]})
    assert as_means(frame).notes == ((f"under acc, {said}",) if said else ())


def test_a_system_without_an_error_is_left_out_under_that_metric_alone(tmp_path):
    """Names of errors need not repeat what brackets say of a mean; b is ranked by rate, and not by LC."""
    rows = "a,50,1,60,2\nb,40,,55,2\nc,30,1,20,2\n"
    (path := tmp_path / "board.csv").write_text(
        f"Modell,LC (%),LC Standardfehler,Gewinnrate (%),Standardfehler\n{rows}"
    )
    with pytest.raises(MetaevalError, match=r"the cell is empty.*missing='drop-systems'.*under each metric"):
        read_scores([path])
    with pytest.raises(MeansAloneError) as caught:
        read_scores([path], missing="drop-systems")
    study = study_leaderboard(caught.value.board, rng=1)
    assert study.notes[0] == "left out under LC (%) systems without a mean or its error: b"
    ranked = study.to_frame().groupby("metric", sort=False)["system"].agg("".join).to_dict()
    assert ranked == {"LC (%)": "ac", "Gewinnrate (%)": "abc"}
    alone = study_leaderboard(caught.value.board.under(["Gewinnrate (%)"]), rng=1)
    both = study.to_frame().query("metric == 'Gewinnrate (%)'").reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.to_frame(), both)
    assert study.pair_counts()["n_pairs"].tolist() == [1, 1, 3, 2]
    assert study.report().rows is not None
    assert study.ranks.verdicts().tolist() == [[0, 1, 0], [0, 1, 1]]
