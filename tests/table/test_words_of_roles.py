"""Columns and rows beside scores, in many languages, are no systems, items or metrics; what is called alike stays.

The tables are built here from scores of two or more systems, so what has to remain is known.
"""

import io

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.around_tables import without_spreads
from metaeval.io.sheets import sheet_of
from metaeval.io.tables import read_scores
from metaeval.table.number_columns import not_scores
from metaeval.table.plausibility import are_summaries, left_out_rows, quantile_rows
from metaeval.table.roles import role_of_name, role_of_row, roles_beside
from metaeval.table.scores import as_scores

RNG = np.random.default_rng(41)
NEW = [0.6, 0.4, 0.9, 0.3, 0.7, 0.5, 0.8, 0.6, 0.4, 0.7]
OLD = [0.5, 0.5, 0.8, 0.2, 0.6, 0.5, 0.7, 0.5, 0.3, 0.6]
ITEMS = pd.DataFrame({"question": [f"q{number}" for number in range(1, 11)], "new": NEW, "old": OLD})
CERTAINTY = [0.91, 0.72, 0.95, 0.6, 0.81, 0.77, 0.93, 0.85, 0.66, 0.9]


def read(text, tmp_path, **options):
    """Return the scores of a file of this text."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_scores(path, **options)


def both(frame, tmp_path):
    """Return the scores of a frame and of the file of it."""
    text = frame.to_csv(index=False)
    return read(text, tmp_path), as_scores(pd.read_csv(io.StringIO(text)))


def systems_of(scores):
    return scores["system"].to_numpy().tolist()


def with_rows(rows):
    """Return the items and rows below them: name to a function of the scores of a system, or a number."""
    made = {
        name: [name, *(value(ITEMS[system]) if callable(value) else value for system in ("new", "old"))]
        for name, value in rows.items()
    }
    return pd.concat([ITEMS, pd.DataFrame([*made.values()], columns=ITEMS.columns)])


def test_rows_of_describe_are_no_items(tmp_path):
    """In a file 10 items remain, of which the mean of new is 0.59; in memory the frame without them is asked for."""
    described = ITEMS[["new", "old"]].describe().reset_index(names="question")
    below = pd.concat([ITEMS, described])
    scores = read(below.to_csv(index=False), tmp_path)
    assert scores["topic"].to_numpy().tolist() == ITEMS["question"].tolist()
    assert float(scores.sel(system="new").mean()) == pytest.approx(ITEMS["new"].mean())
    with pytest.raises(ScoresError, match=r"as `frame.describe\(\)` returns them.*pass the frame itself"):
        as_scores(below)
    assert as_scores(ITEMS).sizes["topic"] == len(ITEMS)


@pytest.mark.parametrize(("low", "high"), [("25%", "75%"), ("p25", "p75"), ("Q1", "Q3"), ("1. Quartil", "3. Quartil")])
def test_rows_of_quartiles_are_no_items(low, high, tmp_path):
    """By pandas' quantiles, beside ids of one kind and beside names that say nothing."""
    frame = with_rows({low: lambda scores: scores.quantile(0.25), high: lambda scores: scores.quantile(0.75)})
    named = frame.assign(question=[*["fox", "hen", "cow", "dog", "cat", "ape", "emu", "gnu", "ewe", "yak"], low, high])
    for table in (frame, named):
        for scores in both(table, tmp_path):
            assert scores.sizes["topic"] == len(ITEMS)


@pytest.mark.parametrize("name", ["Spannweite", "range", "Range"])
def test_rows_of_ranges_are_no_items(name, tmp_path):
    """The largest score less the least."""
    for scores in both(with_rows({name: lambda scores: scores.max() - scores.min()}), tmp_path):
        assert scores.sizes["topic"] == len(ITEMS)


@pytest.mark.parametrize(
    "name",
    ["Target", "Zielwert", "Doel", "objectif", "threshold", "baseline", "prev. best", "Δ", "Δ to baseline",
     "gain vs BM25", "rel. improvement", "Odch. std.", "Mediaan", "Mín", "N topics", "# best", "Sicherheit", "waga"],
)  # fmt: skip
def test_a_row_below_numbered_items_that_is_called_as_none_is_left_out_and_named(name, tmp_path):
    """The note names it, and says how to keep it, which works."""
    frame = with_rows({name: 0.45})
    for scores in both(frame, tmp_path):
        assert scores.sizes["topic"] == len(ITEMS)
        assert any(name in note for note in scores.attrs["notes"])
    if name in {"Target", "Zielwert", "baseline"}:
        kept = read(frame.to_csv(index=False), tmp_path, form="wide")
        assert name in kept["topic"].to_numpy().tolist()


ALIKE = [
    ["q1", "q2", "q3"],
    [f"p{number}" for number in range(1, 40)],
    ["Target", "baseline", "cat"],
    ["1_3", "2_3", "3_3"],
    ["1048585", "2", "524332"],
    ["Δ-NLI", "RTE", "gain", "CoLA"],
]


@pytest.mark.parametrize("names", ALIKE)
def test_items_that_are_called_alike_stay(names, tmp_path):
    """Ids of questions and topics, as of MS MARCO, and names of data sets."""
    assert not any(are_summaries(names))
    assert quantile_rows(names) == {}
    frame = pd.DataFrame(RNG.uniform(0.1, 0.9, (len(names), 3)).round(4), columns=["bm25", "lm", "dfr"])
    frame.insert(0, "topic", names)
    for scores in both(frame, tmp_path):
        assert sorted(scores["topic"].to_numpy().tolist()) == sorted(names)


SPREAD = ["{} std", "{} (std)", "{}_sd", "{} ±", "{} Std.abw.", "{} écart-type", "{} Odch. std.", "std {}"]
BOARD = pd.DataFrame(
    {"model": ["new", "old-2"], "A": [61.0, 60.0], "B": [42.1, 41.0], "C": [55.0, 54.2], "D": [70.2, 69.9]}
)


@pytest.mark.parametrize("called", SPREAD)
def test_a_row_called_as_another_and_a_word_of_spread_is_no_system(called, tmp_path):
    """It is left out, and the note names it."""
    below = BOARD.assign(model=[called.format(name) for name in BOARD["model"]], A=1.2, B=[0.9, 1.1], C=0.7, D=1.0)
    for scores in both(pd.concat([BOARD, below]), tmp_path):
        assert systems_of(scores) == ["new", "old-2"]
        assert any(called.format("new") in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("called", ["{}-SE", "{} moe", "{} var", "{}-err"])
def test_a_system_called_as_another_and_a_word_of_spread_with_scores_of_its_own_stays(called, tmp_path):
    """SE-ResNet is a network, and a mixture of experts a model."""
    more = BOARD.assign(model=[called.format(name) for name in BOARD["model"]], A=[62.0, 58.0])
    for scores in both(pd.concat([BOARD, more]), tmp_path):
        assert scores.sizes["system"] == 4


@pytest.mark.parametrize("called", ["std", "±", "  ± std", "", "SD", "Std.abw."])
def test_rows_of_spread_below_every_row_are_left_out(called, tmp_path):
    """Whatever they are called, where they hold what errors may."""
    rows = BOARD.to_csv(index=False).splitlines()
    text = "\n".join([rows[0], rows[1], f"{called},1.2,.9,.7,1.0", rows[2], f"{called},1.0,1.1,.7,.9"])
    scores = read(text, tmp_path)
    assert systems_of(scores) == ["new", "old-2"]
    assert float(scores.sel(system="new").mean()) == pytest.approx(np.mean([61.0, 42.1, 55.0, 70.2]))
    assert any("of the row above each (0.7 to 1.2)" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("below", [",61,43,50,60", "std,61,43,50,60", "std,-1,-1,-1,-1", "lm,1,1,1,1"])
def test_rows_that_hold_no_errors_are_not_left_out_unseen(below):
    """Scores of another metric below those of a system, or of another system."""
    sheet = sheet_of(f"model,A,B,C,D\nnew,61,42,55,70\n{below}\nold,60,41,54,69\n{below}\n".encode(), "t.csv")
    assert without_spreads(sheet) == (sheet, [])


@pytest.mark.parametrize("name", ["Weight", "Gewicht", "waga", "poids", "# queries", "N topics"])
def test_a_row_of_weights_or_counts_among_systems_is_none(name, tmp_path):
    """It says something of the columns."""
    rows = pd.DataFrame([[name, 1, 323, 2, 50]], columns=BOARD.columns)
    for scores in both(pd.concat([BOARD, rows]), tmp_path):
        assert systems_of(scores) == ["new", "old-2"]


CERTAIN = ["Sicherheit", "Zuversicht", "conf", "confidence", "Pewność", "Confiance", "Zekerheid", "Confianza"]


@pytest.mark.parametrize("name", CERTAIN)
def test_a_column_of_confidence_is_no_system_and_said_to_be_that(name, tmp_path):
    """The means of the systems are those of their own columns."""
    for scores in both(ITEMS.assign(**{name: CERTAINTY}), tmp_path):
        assert systems_of(scores) == ["new", "old"]
        assert any(f"{name!r}, how sure somebody was" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("called", ["{} confidence", "{}_conf", "{} (conf.)", "{} Sicherheit", "{} pewność", "conf_{}"])
def test_columns_of_confidence_by_system_are_no_systems(called, tmp_path):
    """Each is called as one of the systems, and said to be of it."""
    frame = ITEMS.assign(**{called.format("new"): CERTAINTY, called.format("old"): CERTAINTY[::-1]})
    for scores in both(frame, tmp_path):
        assert systems_of(scores) == ["new", "old"]


@pytest.mark.parametrize("name", ["Ziel", "Target", "doel", "objectif", "seuil", "Schwelle", "SOTA", "prev. best"])
def test_a_column_of_one_target_is_left_out_and_of_several_is_asked_for(name, tmp_path):
    """A draft and its target model are systems, so numbers that vary are asked about."""
    for scores in both(ITEMS.assign(**{name: 0.85}), tmp_path):
        assert systems_of(scores) == ["new", "old"]
    with pytest.raises(MetaevalError, match="a target or threshold"):
        read(ITEMS.assign(**{name: CERTAINTY}).to_csv(index=False), tmp_path)


@pytest.mark.parametrize("name", ["checked", "geprüft", "verified", "gecontroleerd", "sprawdzone"])
def test_a_column_of_marks_is_left_out_beside_fractions_and_asked_for_beside_answers(name, tmp_path):
    """Beside scores of 0 and 1 it may be a system's."""
    marks = [1, 0, 1, 1, 0, 1, 0, 0, 1, 1]
    for scores in both(ITEMS.assign(**{name: marks}), tmp_path):
        assert systems_of(scores) == ["new", "old"]
    answers = ITEMS.assign(new=marks[::-1], old=[1] * 9 + [0])
    with pytest.raises(MetaevalError, match="a mark of what was looked at again"):
        read(answers.assign(**{name: marks}).to_csv(index=False), tmp_path)


ASKED = ["coverage", "Abdeckung", "Score QPP", "clarity score", "gain", "p (new vs old)", "val_loss"]


@pytest.mark.parametrize("name", ASKED)
def test_a_column_that_may_be_no_system_is_asked_for_by_name(name, tmp_path):
    """The way that the message names leads to the two systems."""
    text = ITEMS.assign(**{name: CERTAINTY}).to_csv(index=False)
    with pytest.raises(MetaevalError, match="to be no score"):
        read(text, tmp_path)
    assert systems_of(read(text, tmp_path, columns={"ignore": [name]})) == ["new", "old"]


@pytest.mark.parametrize("name", ["judged@10", "unjudged@5", "judged", "kosten_eur", "Kosten_USD"])
def test_how_much_was_judged_or_spent_is_no_system(name, tmp_path):
    for scores in both(ITEMS.assign(**{name: CERTAINTY}), tmp_path):
        assert systems_of(scores) == ["new", "old"]


@pytest.mark.parametrize("name", ["ΔBM25", "gain", "delta_new", "Δ new", "improvement"])
def test_differences_below_0_beside_scores_above_are_no_system(name, tmp_path):
    for scores in both(ITEMS.assign(**{name: np.round(np.array(OLD) - 0.61, 2)}), tmp_path):
        assert systems_of(scores) == ["new", "old"]


@pytest.mark.parametrize("name", ["rang new", "Rang", "pozycja new", "rango old", "qlen", "#docs", "# docs"])
def test_ranks_and_counts_are_no_systems(name, tmp_path):
    """Whole numbers from 1 beside fractions."""
    for scores in both(ITEMS.assign(**{name: [3, 2, 1, 3, 2, 1, 3, 4, 2, 2]}), tmp_path):
        assert systems_of(scores) == ["new", "old"]


@pytest.mark.parametrize("name", ["Lead", "lr", "Vorsprung"])
def test_a_name_of_a_system_and_of_something_else_is_asked_for_beyond_all_others(name):
    """LEAD summarises, and LR is logistic regression: with scores like those of others both are systems."""
    values = RNG.uniform(0.4, 0.9, (12, 3))
    assert not_scores(["a", "b", name], values, along="system") == []
    values[:, 2] = 0.01 * values[:, 2]
    assert [(one.name, one.sure) for one in not_scores(["a", "b", name], values, along="system")] == [(name, False)]


SYSTEMS = [
    ["conf1", "p1", "target-model", "lead3"],
    ["DeltaLM", "delta-lm", "gainful", "conf-net"],
    ["rank-llm", "LR", "Lead", "cel-2"],
    ["bm25", "bm25_conf", "lm", "lm-target"],
    ["A", "A_p", "B", "C"],
    ["SwissBERT", "sicherheit-bert", "target-bert", "#1"],
]


@pytest.mark.parametrize("names", SYSTEMS)
@pytest.mark.parametrize("answers", [False, True])
def test_systems_that_are_called_alike_stay(names, answers, tmp_path):
    """Scores like those of the others, as fractions and as answers of 0 and 1; nobody is asked but of bm25_conf."""
    values = RNG.uniform(0.1, 0.9, (40, 4)).round(4)
    frame = pd.DataFrame((values > 0.5) * 1 if answers else values, columns=names)
    frame.insert(0, "topic", range(1, 41))
    if "bm25_conf" in names:
        with pytest.raises(ScoresError, match="how sure somebody was of 'bm25'"):
            as_scores(frame)
        return
    for scores in both(frame, tmp_path):
        assert sorted(systems_of(scores)) == sorted(names)


def test_p_values_by_system_are_asked_for(tmp_path):
    """Systems may be called a and a_p, so nothing is left out unseen."""
    frame = ITEMS.assign(new_p=CERTAINTY, old_p=CERTAINTY[::-1])
    with pytest.raises(MetaevalError, match=r"'new_p' \(a result of a test of 'new'\?\)"):
        read(frame.to_csv(index=False), tmp_path)


@pytest.mark.parametrize("name", ["Gain over BM25", "Zero-shot %", "Δ bm25", "Improvement vs BM25"])
def test_differences_and_settings_are_no_tasks_of_a_board(name, tmp_path):
    """The mean of new is that of its four tasks."""
    for scores in both(BOARD.assign(**{name: [99, 11]}), tmp_path):
        assert float(scores.sel(system="new").mean()) == pytest.approx(np.mean([61.0, 42.1, 55.0, 70.2]))


@pytest.mark.parametrize("name", ["delta-nli", "Δ-NLI task", "SWE-bench Verified", "target"])
def test_tasks_that_are_called_alike_stay_or_are_asked_for(name, tmp_path):
    """Their scores are like those of the other tasks."""
    frame = BOARD.assign(**{name: [52.0, 51.0]})
    if role_of_name(name)[0] in {"", "difference"} and not name.startswith("Δ"):
        for scores in both(frame, tmp_path):
            assert name in scores["topic"].to_numpy().tolist()


@pytest.mark.parametrize(
    "name", ["delta_bm25", "judged@10", "unjudged", "qlen", "checked", "Sicherheit", "weight", "ΔBM25"]
)
def test_columns_of_a_long_table_by_the_same_words_are_no_metrics(name, tmp_path):
    """Two metrics of two systems on ten items remain, and a note names the column."""
    long = ITEMS.melt(id_vars="question", var_name="system", value_name="map").assign(ndcg=[*OLD, *NEW])
    values = {
        "delta_bm25": np.linspace(-0.4, 0.4, 20).round(3), "ΔBM25": np.linspace(-0.4, 0.4, 20).round(3),
        "qlen": [3, 4] * 10, "checked": [0, 1] * 10,
    }  # fmt: skip
    long[name] = values.get(name, RNG.uniform(0.2, 0.9, 20).round(3))
    if name == "weight":
        long[name] = [*CERTAINTY, *CERTAINTY]
    for scores in both(long, tmp_path):
        assert scores["metric"].to_numpy().tolist() == ["map", "ndcg"]


@pytest.mark.parametrize("name", ["threshold", "Ziel", "Q1"])
def test_columns_of_a_long_table_that_may_be_no_metrics_are_asked_for(name, tmp_path):
    long = ITEMS.melt(id_vars="question", var_name="system", value_name="map").assign(ndcg=[*OLD, *NEW])
    with pytest.raises(MetaevalError, match="seems to be no score"):
        read(long.assign(**{name: RNG.uniform(0.2, 0.9, 20).round(3)}).to_csv(index=False), tmp_path)


def test_a_system_called_baseline_stays(tmp_path):
    """As a column and as a row."""
    for scores in both(ITEMS.rename(columns={"old": "baseline"}), tmp_path):
        assert systems_of(scores) == ["new", "baseline"]
    for scores in both(BOARD.assign(model=["new", "baseline"]), tmp_path):
        assert systems_of(scores) == ["new", "baseline"]


def test_words_beside_names_need_a_whole_name():
    """As is counted by hand: bm25-large is no word beside bm25."""
    assert roles_beside(["bm25", "bm25-large", "bm25 std-2", "std"]) == {}
    assert roles_beside(["a b", "a", "a b sd"]) == {"a b sd": ("sd", "a b")}
    assert role_of_row("n-gram") == ""
    values = np.array([[61.0, 42.0], [1.2, 0.9], [60.0, 41.0]])
    assert left_out_rows(["new", "new std", "old"], values, "system")[0] == [0, 2]


@pytest.mark.parametrize("name", ["q10", "q2", "Q3", "p50"])
def test_a_question_called_by_a_letter_and_a_number_stays_beside_numbers(name):
    """One alone is no quantile of the others, whatever the others are called."""
    frame = pd.DataFrame({"topic": ["7", "10", "301", name], "a": [0.1, 0.2, 0.4, 0.9], "b": [0.2, 0.1, 0.5, 0.8]})
    assert as_scores(frame)["topic"].to_numpy().tolist() == ["7", "10", "301", name]
