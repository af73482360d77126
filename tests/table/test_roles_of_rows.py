"""Rows of counts and averages, columns of sizes, and numbers written otherwise: told alike in files and frames."""

import itertools

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.table.means import as_means
from metaeval.table.plausibility import left_out_rows
from metaeval.table.scores import as_scores

RNG = np.random.default_rng(7)


def both(text, tmp_path, *, name="t.csv"):
    """Return what a file and the frame that pandas reads of it hold, or the errors."""
    path = tmp_path / name
    path.write_text(text)
    found = []
    for read, given in ((read_scores, path), (as_scores, pd.read_csv(path))):
        try:
            found.append(read(given))
        except MetaevalError as error:
            found.append(error)
    return found


@pytest.mark.parametrize(
    "count", ["n=3,,,", "n,3,3,3", "N = 3,,,", "n (topics),3,,", "n=3,n=3,n=3,n=2", "count,3,3,2", "n,,,"]
)
@pytest.mark.parametrize("scores", [".3,.4,.5", "1,0,1"])
def test_a_row_of_counts_is_never_a_topic(count, scores, tmp_path):
    """Below a table with systems in columns it is left out and named, whatever its other cells hold."""
    path = tmp_path / "t.csv"
    path.write_text(f"topic,A,B,C\n1,{scores}\n2,.2,.3,.1\n3,.5,.1,.9\n{count}\n")
    found = read_scores(path)
    assert found["topic"].to_numpy().tolist() == ["1", "2", "3"]
    assert any(count.split(",")[0] in note for note in found.attrs["notes"])


@pytest.mark.parametrize("cell", ["", "abc", ".5x"])
def test_no_rule_for_gaps_is_offered_for_a_row_of_counts(cell, tmp_path):
    """In a long table, and where a cell holds something else, the row itself is the way out."""
    path = tmp_path / "t.csv"
    rows = "A,1,.5\nA,2,.4\nB,1,.2\nB,2,.6\n"
    path.write_text(f"system,topic,score\n{rows}A,n=2,{cell}\nB,n=2,{cell}\n")
    with pytest.raises(MetaevalError, match="called as a count") as caught:
        read_scores(path)
    assert "missing" not in str(caught.value)
    path.write_text(f"system,topic,score\n{rows}")  # as it says
    assert read_scores(path).sizes["topic"] == 2


AVERAGES = [
    "Task Mean", "Average (Task)", "Mean (Task)", "Avg. over tasks", "Tasks avg", "Mean across tasks",
    "mean of all tasks", "Overall mean", "Average score", "Average (7 tasks)", "Gesamtschnitt", "Macro Average",
    "avg_task", "Dataset average", "gew. Mittel", "Moy. pondérée", "geo. mean", "harmonic mean", "trimmed mean",
    "Normalised avg", "Ø %", "Media ponderata", "Durchschnitt (gewichtet)", "media geométrica",
]  # fmt: skip


@pytest.mark.parametrize("name", AVERAGES)
def test_an_average_of_all_need_not_be_exact(name, tmp_path):
    """A name that says an average of everything is enough, as a column of systems in rows and as a row of topics."""
    values = RNG.uniform(0.2, 0.9, (6, 4)).round(3)
    board = pd.DataFrame(values, columns=["q1", "q2", "q3", "q4"])
    board[name] = (values.mean(axis=1) + RNG.uniform(-0.03, 0.03, 6)).round(3)
    board.insert(0, "model", [*"abcdef"])
    for text in (board.to_csv(index=False), board.set_index("model").T.rename_axis("topic").to_csv()):
        for found in both(text, tmp_path):
            assert not isinstance(found, Exception), str(found)
            assert found["topic"].to_numpy().tolist() == ["q1", "q2", "q3", "q4"]
            assert name in " ".join(found.attrs["notes"])


@pytest.mark.parametrize("name", ["GPT mean", "mmlu_avg", "Retrieval Average"])
def test_an_average_of_something_else_is_a_task(name, tmp_path):
    """The averages of parts are scores, unless the others make them."""
    board = pd.DataFrame(RNG.uniform(0.2, 0.9, (6, 3)).round(3), columns=["q1", "q2", name])
    board.insert(0, "model", [*"abcdef"])
    for found in both(board.to_csv(index=False), tmp_path):
        assert name in found["topic"].to_numpy().tolist()
        assert f"called as averages count as topics: {name!r}" in " ".join(found.attrs["notes"])


@pytest.mark.parametrize("name", ["MeanReversion", "social media", "averages"])
def test_a_task_with_a_word_for_averages_in_its_name_is_one(name, tmp_path):
    """What only looks like an average is a task like any other."""
    board = pd.DataFrame(RNG.uniform(0.2, 0.9, (6, 3)).round(3), columns=["q1", "q2", name])
    board.insert(0, "model", [*"abcdef"])
    for found in both(board.to_csv(index=False), tmp_path):
        assert name in found["topic"].to_numpy().tolist()
        assert name not in " ".join(found.attrs.get("notes", []))


@pytest.mark.parametrize("name", ["Chance", "Zufall (%)", "random baseline"])
def test_a_task_that_is_the_same_for_all_systems_by_name_is_left_out(name, tmp_path):
    """25 for all is the level of chance, in a column, in a row and in the rows of a long table."""
    values = RNG.uniform(2, 90, (6, 4)).round(1)
    board = pd.DataFrame(values, columns=["q1", "q2", "q3", "q4"]).assign(**{name: 25.0})
    board.insert(0, "model", [*"abcdef"])
    long = board.melt("model", var_name="topic", value_name="score")
    for text in (
        board.to_csv(index=False),
        board.set_index("model").T.rename_axis("topic").to_csv(),
        long.to_csv(index=False),
    ):
        for found in both(text, tmp_path):
            assert not isinstance(found, Exception), str(found)
            assert found["topic"].to_numpy().tolist() == ["q1", "q2", "q3", "q4"]
            assert name in " ".join(found.attrs["notes"])


def test_a_task_that_is_the_same_for_all_systems_is_noted(tmp_path):
    """It counts, and nobody need be surprised; where all systems solve or miss an item, nothing is said."""
    values = RNG.uniform(2, 90, (6, 4)).round(1)
    board = pd.DataFrame(values, columns=["q1", "q2", "q3", "q4"]).assign(q5=25.0, q6=0.0)
    board.insert(0, "model", [*"abcdef"])
    for found in both(board.to_csv(index=False), tmp_path):
        assert found.sizes["topic"] == 6
        assert "all systems have the same score on 'q5' (25), which tells nothing" in " ".join(found.attrs["notes"])
    answers = pd.DataFrame(
        [[1, 0, 1, 1, 0], [1, 1, 1, 0, 0], [1, 0, 1, 0, 0]], columns=[f"q{at}" for at in range(1, 6)]
    )
    answers.insert(0, "model", [*"abc"])
    for found in both(answers.to_csv(index=False), tmp_path):
        assert found.sizes["topic"] == 5
        assert "the same score on" not in " ".join(found.attrs.get("notes", []))


@pytest.mark.parametrize("cells", ["", " ", "-", "n/a"])
def test_a_column_that_holds_nothing_is_no_task(cells, tmp_path):
    """Remarks that nobody made count as no score of 0, beside tasks and beside metrics; in a file and in memory."""
    board = pd.DataFrame(RNG.uniform(2, 90, (6, 3)).round(1), columns=["ARC", "DROP", "MMLU"]).assign(Bemerkung=cells)
    board.insert(0, "model", [*"abcdef"])
    long = pd.DataFrame(
        [(s, q, 0.1 * q, 0.2 * q) for s in "abc" for q in range(1, 4)], columns=["model", "item", "F1", "EM"]
    )
    long.insert(2, "Bemerkung", cells)
    for text, dim, names in (
        (board.to_csv(index=False), "topic", ["ARC", "DROP", "MMLU"]),
        (long.to_csv(index=False), "metric", ["F1", "EM"]),
    ):
        (path := tmp_path / "scores.csv").write_text(text, "utf-8")
        frame = pd.read_csv(path, keep_default_na=False)
        for found in (
            read_scores(path),
            read_scores(path, missing="zero"),
            as_scores(frame),
            as_scores(frame.replace(cells, None)),
        ):
            assert found[dim].to_numpy().tolist() == names
            assert "left out column 'Bemerkung'" in " ".join(found.attrs["notes"])


def test_a_system_without_any_score_is_refused(tmp_path):
    """A column beside those of systems may be one that failed, and is not left out unasked."""
    (path := tmp_path / "scores.csv").write_text("topic,a,b,c\n1,0.1,0.2,\n2,0.3,0.1,\n3,0.4,0.2,\n", "utf-8")
    with pytest.raises(MetaevalError, match="the cell is empty"):
        read_scores(path)


SIZED = [
    ("model_size", ("7B", "70B"), ""), ("size", ("7B", "70B"), ""), ("size", (7, 70), ""),
    ("params", ("7B", "70B"), ""), ("model_size", ("7B", "70B"), "item"), ("model_size", (7, 70), "item"),
    ("Params (B)", (7, 70), "item"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sizes", "item"), SIZED)
def test_models_of_two_sizes_are_two_systems(name, sizes, item, tmp_path):
    """A size is no item, no metric and no repeat; both ways out lead to the scores of one size, or of all systems."""
    rows = list(itertools.product("AB", sizes, range(4) if item else [0]))
    frame = pd.DataFrame(rows, columns=["model", name, item or "item"])
    frame = frame.assign(acc=RNG.uniform(0.2, 0.9, len(rows)).round(3), f1=RNG.uniform(0.2, 0.9, len(rows)).round(3))
    frame = frame if item else frame.drop(columns="item")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(MetaevalError) as caught:
        read_scores(path)
    together = f"{frame['model'][0]} {sizes[0]}"
    assert f"write both into one column ({together!r})" in str(caught.value)
    assert f"where={{{name!r}: {str(sizes[0])!r}}}" in str(caught.value)
    assert not any(f"{{{part!r}: {name!r}}}" in str(caught.value) for part in ("topic", "metric", "repeat"))
    if item:
        one = read_scores(path, where={name: str(sizes[0])})
        assert one.sizes == {"metric": 2, "system": 2, "topic": 4}
        joined = frame.assign(model=frame["model"] + " " + frame[name].astype(str)).drop(columns=name)
        joined.to_csv(path, index=False)
        assert read_scores(path).sizes == {"metric": 2, "system": 4, "topic": 4}


OTHERWISE = {
    "1.234,5": "write '1234.5'", "1,234.5": "write '1234.5'", "1 234": "write '1234'", "1'234": "write '1234'",
    "0,85": "write '0.85'", "85 %": "write '85'", "0.85*": "write '0.85'",
}  # fmt: skip


@pytest.mark.parametrize("cell", OTHERWISE)
def test_numbers_written_otherwise_are_told_alike(cell, tmp_path):
    """In files, frames and boards of means the message names the number as it is to be written."""
    wide = pd.DataFrame({"topic": ["1", "2", "3"], "A": [cell, "0.5", "0.6"], "B": ["0.1", "0.2", "0.3"]})
    long = wide.melt(id_vars="topic", var_name="system", value_name="score")
    path = tmp_path / "t.csv"
    for frame in (wide, long):
        frame.to_csv(path, index=False)
        for read, given in ((read_scores, path), (as_scores, frame)):
            with pytest.raises(MetaevalError, match=OTHERWISE[cell]) as caught:
                read(given)
            assert "ignore" not in str(caught.value)
    board = pd.DataFrame({"model": [*"ab"], "acc": [cell, "0.5"], "acc_se": ["0.1", "0.1"]})
    with pytest.raises(ScoresError, match=OTHERWISE[cell]):
        as_means(board)


def test_a_point_between_thousands_is_refused_as_text_and_named_as_a_number(tmp_path):
    """1.234 beside 987 is 1234 or 1.234: nobody can tell, in tables, frames and boards of means alike."""
    elo, other = ["1.234", "987", "1.105"], ["1100", "950", "1000"]
    wide = pd.DataFrame({"topic": ["1", "2", "3"], "A": elo, "B": other})
    board = pd.DataFrame({"model": [*"abc"], "elo": elo, "elo_se": ["12", "13", "14"]})
    path = tmp_path / "t.csv"
    for frame in (wide, board):
        frame.to_csv(path, index=False)
        with pytest.raises(MetaevalError, match=r"holds '1\.234' beside the whole number '987'; write '1234'"):
            read_scores(path)
    for read, frame in ((as_scores, wide), (as_means, board)):
        with pytest.raises(ScoresError, match=r"holds '1\.234' beside the whole number '987'; write '1234'"):
            read(frame)
    said = "holds 1.234 beside 987: where a point divides thousands it is 1234"
    assert any(said in note for note in as_scores(wide.astype({"A": float, "B": float})).attrs["notes"])
    assert any(said in note for note in as_means(board.astype({"elo": float, "elo_se": float})).notes)
    plain = wide.assign(A=[1.25, 12.5, 987]).astype({"B": float})  # a number between: decimals
    assert not any("thousands" in note for note in as_scores(plain).attrs.get("notes", []))


@pytest.mark.parametrize(
    "columns",
    [
        ["P", "R", "F1", "MAP"], ["p", "r", "f"], ["accuracy", "precision", "recall", "f1-score"],
        ["BLEU", "chrF", "COMET"], ["MAP", "MRR"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("first", ["model", "topic", "run"])
def test_metrics_in_columns_are_refused_in_files_and_frames(columns, first, tmp_path):
    """They are means of systems, or the results of one, and no systems or topics of a wide table."""
    frame = pd.DataFrame(RNG.random((4, len(columns))).round(3), columns=columns)
    frame.insert(0, first, ["1", "2", "3", "4"] if first == "topic" else [*"abcd"])
    found = both(frame.to_csv(index=False), tmp_path)
    for turned in (frame.set_index(first), frame.set_index(first).T):
        with pytest.raises(ScoresError):
            as_scores(turned)
    assert all(isinstance(one, MetaevalError) for one in found), found


def test_systems_by_metrics_of_which_one_is_unknown_are_asked_about_in_files_and_frames(tmp_path):
    """A_AP, A_gut, B_AP, B_gut may be two systems under two metrics, or four systems."""
    frame = pd.DataFrame(RNG.random((4, 4)).round(3), columns=["A_AP", "A_gut", "B_AP", "B_gut"])
    frame.insert(0, "topic", ["1", "2", "3", "4"])
    for found in both(frame.to_csv(index=False), tmp_path):
        assert "seem to name a system and a metric each (AP, gut)" in str(found)


@pytest.mark.parametrize("metrics", [("ndcg20", "err20"), ("ndcg", "err"), ("nDCG", "ERR")])
def test_a_grid_of_systems_and_measures_is_read_as_one_though_some_scores_could_be_errors(metrics, tmp_path):
    """A depth needs no @, and err is ERR for every system, though the errors of one system could be as small."""
    scores = np.random.default_rng(3).uniform(0.1, 0.8, (20, 3))
    columns = {f"s{at}_{metrics[0]}": scores[:, at] for at in range(3)}
    columns |= {f"s{at}_{metrics[1]}": scores[:, at] * (0.05 if at == 1 else 0.9) for at in range(3)}
    frame = pd.DataFrame(columns).round(4)
    frame.insert(0, "topic", [str(at) for at in range(301, 321)])
    for found in both(frame.to_csv(index=False), tmp_path):
        assert found["system"].to_numpy().tolist() == ["s0", "s1", "s2"]
        assert sorted(found["metric"].to_numpy().tolist()) == sorted(metrics)
        assert found["higher_is_better"].to_numpy().all()
        np.testing.assert_allclose(found.sel(metric=metrics[1], system="s2"), frame[f"s2_{metrics[1]}"])


@pytest.mark.parametrize("name", ["p(t-test)", "t-test p", "sig.", "p (Wilcoxon)", "wilcoxon p"])
def test_columns_of_tests_are_no_systems(name, tmp_path):
    """Whichever test they name."""
    frame = pd.DataFrame(RNG.random((20, 3)).round(3), columns=["bm25", "lm", name])
    frame.insert(0, "topic", [str(at) for at in range(301, 321)])
    for found in both(frame.to_csv(index=False), tmp_path):
        assert name in str(found) if isinstance(found, Exception) else name not in found["system"].to_numpy()


@pytest.mark.parametrize("name", ["Length", "Time", "seed", "version", "cluster"])
def test_a_system_called_as_something_else_is_never_left_out_unasked(name, tmp_path):
    """Where its scores are as those of all others, name and values disagree: it is a system, or is asked for."""
    values = np.random.default_rng(5).uniform(0.1, 0.8, (50, 3)).round(4)
    values = values[:, values.mean(axis=0).argsort()[[1, 0, 2]]]  # its mean lies between those of the others
    frame = pd.DataFrame(values, columns=[name, "Lead", "Random"])
    frame.insert(0, "topic", [str(at) for at in range(301, 351)])
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    found, _ = both(path.read_text(), tmp_path)
    said = [f"{name!r} ("] if isinstance(found, Exception) and f"{name!r} (" in str(found) else []
    assert said or name in found["system"].to_numpy().tolist()


def test_french_headers_are_known_with_their_accents(tmp_path):
    """Système, Requête, Mesure, Valeur are system, topic, metric and score."""
    path = tmp_path / "t.csv"
    path.write_text("Système,Requête,Mesure,Valeur\na,1,map,.1\na,2,map,.2\nb,1,map,.3\nb,2,map,.4\n")
    assert read_scores(path).sel(system="b").to_numpy().tolist() == [[0.3, 0.4]]


def test_bars_divide_cells(tmp_path):
    """As databases and pandas write them."""
    path = tmp_path / "t.csv"
    path.write_text("topic|bm25|lm\n301|.1|.2\n302|.3|.4\n")
    assert read_scores(path).sel(system="lm").to_numpy().tolist() == [[0.2, 0.4]]


def test_rows_of_a_report_of_classes_are_no_classes(tmp_path):
    """Scikit-learn's accuracy, macro avg and weighted avg stand below the classes; accuracy alone is a name as any."""
    rows = [(model, row, value) for model in "AB" for row, value in (("cat", 0.7), ("dog", 0.6), ("accuracy", 0.66))]
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(rows, columns=["model", "class", "f1-score"])
    frame.to_csv(path, index=False)
    assert read_scores(path, columns={"topic": "class"}).sizes["topic"] == 3
    averages = pd.DataFrame(
        [(model, name, 0.65) for model in "AB" for name in ("macro avg", "weighted avg")], columns=frame.columns
    )
    pd.concat([frame, averages]).to_csv(path, index=False)
    assert read_scores(path, columns={"topic": "class"})["topic"].to_numpy().tolist() == ["cat", "dog"]


def test_lettered_columns_are_no_column_of_models(tmp_path):
    """Modele is a system beside modela to moded, and the French word for a model elsewhere."""
    path = tmp_path / "t.csv"
    names = [f"model{letter}" for letter in "abcde"]
    table = pd.DataFrame(RNG.integers(0, 2, (15, 5)), columns=names)
    table.insert(0, "item", [f"q{at}" for at in range(15)])
    table.to_csv(path, index=False)
    assert read_scores(path)["system"].to_numpy().tolist() == names


def test_win_rates_without_a_name_for_the_first_column_are_means():
    """They are scores of whole systems, in files and frames; no first column says that rows are topics."""
    frame = pd.DataFrame(RNG.uniform(40, 90, (5, 3)), index=[f"GPT-{at}x" for at in range(5)])
    frame = frame.set_axis(["win_rate", "discrete_win_rate", "lc_win_rate"], axis=1)
    with pytest.raises(ScoresError):
        as_scores(frame)


@pytest.mark.parametrize(
    ("name", "error"), [("ci90", 0.02 / 1.644854), ("CI (99%)", 0.02 / 2.575829), ("variance", 0.02**0.5 / 10)]
)
def test_half_widths_and_variances_are_told_by_their_names(name, error):
    """Of the level that the name says; the root of a variance over that of the number of items is an error."""
    board = pd.DataFrame({"model": [*"abc"], "score": [0.7, 0.6, 0.5], name: [0.02] * 3, "n": [100] * 3})
    np.testing.assert_allclose(as_means(board).errors[0], error, rtol=1e-6)


def test_errors_that_no_share_can_have_are_named_without_a_number_of_items():
    """Shares have errors of half at most: 1.2 is one in per cents."""
    board = pd.DataFrame({"model": [*"abc"], "win_rate": [0.77, 0.6, 0.5], "standard_error": [1.2, 1.3, 1.1]})
    assert any("larger than scores from 0 to 1 can have" in note for note in as_means(board).notes)


@pytest.mark.parametrize("called", ["Average {}", "{} (avg)", "subtotal {}", "Mittelwert {}", "Mean of {}", "{}: mean"])
@pytest.mark.parametrize("above", [True, False])
def test_rows_of_subtotals_are_no_items(called, above, tmp_path):
    """The mean of the items of a section stands above or below them, rounded; a question may be called so."""
    numbers = np.random.default_rng(2)
    rows = []
    for section in ("math", "code", "plots of pies"):
        values = numbers.uniform(0.1, 0.9, (5, 3)).round(3)
        items = [(f"{section[0]}{at}", *line) for at, line in enumerate(values)]
        total = [(called.format(section), *values.mean(axis=0).round(3))]
        rows += total + items if above else items + total
    pd.DataFrame(rows, columns=["item", "A", "B", "C"]).to_csv(tmp_path / "t.csv", index=False)
    scores = read_scores(tmp_path / "t.csv")
    assert scores.sizes["topic"] == 15
    assert sum("the mean of the 5 rows beside it" in note for note in scores.attrs["notes"]) == 3
    questions = [(called.format(name), *numbers.uniform(0.1, 0.9, 3).round(3)) for name in "abcd"]
    pd.DataFrame(questions + rows[1:5], columns=["item", "A", "B", "C"]).to_csv(tmp_path / "q.csv", index=False)
    asked = read_scores(tmp_path / "q.csv")
    assert asked.sizes["topic"] == 8
    assert any("called as averages count as items" in note for note in asked.attrs["notes"])


@hypothesis.given(st.integers(0, 500))
def test_metrics_that_hardly_differ_do_not_make_an_item_a_mean(seed):
    """One system under three metrics in the same proportions says of its items what one metric says."""
    scores = np.random.default_rng(seed).beta(2, 3, 40)
    values = np.column_stack([scores, 0.9 * scores, 0.7 * scores + 0.1]).round(4)
    assert left_out_rows([str(at) for at in range(100, 140)], values, "topic") == ([*range(40)], [])


GAPS = {
    "gap": lambda own: own.max(axis=1) - own.min(axis=1),
    "Abstand": lambda own: own.max(axis=1) - own.min(axis=1),
    "delta": lambda own: own[:, 1] - own[:, 0],
    "diff": lambda own: own[:, 2] - own[:, 0] + 0.0,
}


@pytest.mark.parametrize("name", GAPS)
def test_a_difference_of_others_is_no_system(name, tmp_path):
    """The largest less the smallest, or one less another, is left out as a column and as a row."""
    own = np.array(
        [[5.1, 9.4, 8.2], [4.4, 11.3, 15.9], [20.3, 31.1, 41.7], [7.7, 9.9, 23.2], [1.3, 14.2, 22.8], [3.6, 5.8, 9.1]]
    )
    board = pd.DataFrame(own, columns=["bm25", "lm", "dense"]).assign(**{name: GAPS[name](own).round(1)})
    board.insert(0, "topic", [f"{number}" for number in range(301, 307)])
    for text in (board.to_csv(index=False), board.set_index("topic").T.rename_axis("system").to_csv()):
        for found in both(text, tmp_path):
            assert not isinstance(found, Exception), str(found)
            assert sorted(found["system"].to_numpy()) == ["bm25", "dense", "lm"]
            assert name in " ".join(found.attrs["notes"])


def test_a_system_called_as_a_difference_is_noted(tmp_path):
    """What others do not make counts as a system, and the note says so."""
    own = RNG.uniform(0, 90, (8, 4)).round(1)
    board = pd.DataFrame(own, columns=["bm25", "lm", "dense", "gap"])
    board.insert(0, "topic", [f"{number}" for number in range(301, 309)])
    for found in both(board.to_csv(index=False), tmp_path):
        assert "gap" in found["system"].to_numpy()
        assert "'gap' may be a difference of others, by name, and counts as a system" in " ".join(found.attrs["notes"])
