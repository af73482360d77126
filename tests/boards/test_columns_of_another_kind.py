"""On boards and sheets: errors and costs beside tasks, a thing in a file's name, means by luck, runs in columns."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores, study_leaderboard
from metaeval.agreement.items import item_scores
from metaeval.cli.messages import in_options, speaking_in_options
from metaeval.errors import MetaevalError
from metaeval.table.evidence import made_of_others
from metaeval.table.number_columns import not_scores

TASKS = {"MMLU": [61.2, 70.4, 55.1, 66.6], "GSM8K": [40.3, 58.9, 35.7, 52.1], "HellaSwag": [71.5, 80.2, 64.9, 77.3]}
BOARD = pd.DataFrame({"model": [*"abcd"], **TASKS})
FALLS = {
    "hallucination_rate": [9.9, 27.0, 12.4, 3.8],
    "perplexity": [5.12, 7.9, 6.4, 8.8],
    "WER": [12.2, 8.1, 9.4, 7.7],
    "ECE": [3.2, 12.1, 9.4, 7.7],
    "refusals": [3, 12, 0, 31],
    "contamination": [3.1, 12.4, 0.5, 31.3],
}


def both_doors(board, tmp_path, **options):
    """Return what a frame and its file lead to."""
    board.to_csv(tmp_path / "board.csv", index=False)
    return [lambda: as_scores(board), lambda: read_scores(tmp_path / "board.csv", **options)]


@pytest.mark.parametrize("name", FALLS)
def test_a_column_of_which_less_is_better_is_no_task_in_silence(name, tmp_path):
    """By hand: without it the means are those of the three tasks; it is asked about, at both doors."""
    board = BOARD.assign(**{name: FALLS[name]})
    for door in both_doors(board, tmp_path):
        with pytest.raises(MetaevalError, match=rf"'{name}' \(less is better\?\) seems to be no score"):
            door()
    found = read_scores(tmp_path / "board.csv", columns={"ignore": [name]})
    np.testing.assert_allclose(found.mean("topic").to_numpy()[0], BOARD[[*TASKS]].mean(axis=1))
    note = f"less is better, by name, of {name} among the"
    assert any(note in told for told in read_scores(tmp_path / "board.csv", form="wide").attrs["notes"])


def test_raw_numbers_beside_a_score_are_no_second_item():
    """As on the Open LLM Leaderboard, where what is below chance is 0; a column that falls where it rises stays."""
    raw = {"MMLU Raw": [0.7, 0.8, 0.5, 0.75], "GSM8K Raw": [0.1, 0.2, 0.3, 0.4]}
    found = as_scores(BOARD.assign(**raw))
    assert found["topic"].to_numpy().tolist() == ["GSM8K", "GSM8K Raw", "HellaSwag", "MMLU"]
    assert any("'MMLU Raw', 'MMLU' on another scale" in note for note in found.attrs["notes"])


def test_a_row_of_which_less_is_better_is_named(tmp_path):
    """Where tasks are in rows, or a row is a score, there is no column to ask about."""
    board = BOARD.assign(WER=FALLS["WER"]).set_index("model")
    board.T.rename_axis("task").to_csv(tmp_path / "turned.csv")
    long = board.reset_index().melt("model", var_name="task", value_name="score")
    for scores in (read_scores(tmp_path / "turned.csv"), as_scores(long)):
        assert any("less is better, by name, of WER among the" in note for note in scores.attrs["notes"])


def test_codes_of_languages_and_boards_of_errors_stay():
    """Persian is per, persons are PER, and where less is better of all there is one direction."""
    rates = np.random.default_rng(3).uniform(3, 30, (6, 4)).round(1)
    for names in (["deu", "per", "ter", "swe"], ["LOC", "ORG", "PER", "DAT"], ["WER_a", "WER_b", "CER_a", "CER_b"]):
        assert not_scores(names, rates, along="topic") == []


@pytest.mark.parametrize("name", ["tok_s", "Stromverbrauch", "energy_consumption", "cout", "Aufwand", "tok/s"])
def test_costs_are_left_out_with_a_note(name, tmp_path):
    """What a model takes is no task, in words of several languages."""
    for door in both_doors(BOARD.assign(**{name: [20.1, 48.3, 90.5, 77.7]}), tmp_path):
        scores = door()
        assert scores["topic"].to_numpy().tolist() == sorted(TASKS)
        assert any(f"left out column '{name}', a cost or size" in note for note in scores.attrs["notes"])


def test_grades_beside_per_cents_are_named(tmp_path):
    """Reviewers give 1 to 5, wherever their grades spread more than the tasks."""
    for door in both_doors(BOARD.assign(reviewer_score=[1, 5, 2, 4]), tmp_path):
        assert any("reviewer_score (1 to 5) seems to have another scale" in note for note in door().attrs["notes"])


@pytest.mark.parametrize("name", ["error", "noise", "bootstrap", "jackknife", "incertitude", "foo"])
def test_the_error_of_a_board_is_no_item_under_any_name(name, tmp_path):
    """A win rate of 50 to 80 with numbers near 1 beside it: asked about in a frame as in a file."""
    board = pd.DataFrame({"model": [*"abcd"], "win_rate": [76.7, 78.5, 64.1, 51.9], name: [1.37, 1.36, 1.5, 1.61]})
    for door in (*both_doors(board, tmp_path), lambda: study_leaderboard(board, rng=0)):
        with pytest.raises(MetaevalError, match=r"win_rate_stderr|these are means by system"):
            door()


@pytest.mark.parametrize(("rows", "columns"), [(25, 3), (25, 4), (50, 4), (30, 5)])
@pytest.mark.parametrize("grid", [2, 3, 10])
def test_luck_makes_no_mean_of_coarse_scores(rows, columns, grid):
    """Of 12 random tables each no item is lost; thirds lost one in 20 of 150 when sets of others were not counted."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        chance = 1 / (1 + np.exp(-(rng.normal(0, 1, (rows, 1)) + rng.normal(0, 0.5, columns))))
        scores = rng.binomial(grid, chance) / grid
        for table in (scores, scores.T):
            assert not any(made.sure for made in made_of_others([f"q{at}" for at in range(len(table))], table))


def test_a_mean_of_some_of_fine_scores_is_told():
    """Written to three decimals on five systems, the mean of three of eight items is no luck."""
    scores = np.random.default_rng(6).uniform(0.2, 0.9, (8, 5)).round(3)
    table = np.vstack([scores, scores[:3].mean(axis=0).round(3)])
    (made,) = made_of_others([*"abcdefghi"], table)
    assert (made.place, made.what, made.sure) == (8, "the mean of 'a', 'b', 'c'", True)


SHEET = "topic,a,b\n1,.4,.2\n2,.5,.3\n3,.9,.6\n"


@pytest.mark.parametrize("name", ["hallucination_eval", "2024_refusals"])
def test_a_word_in_the_name_of_a_file_turns_nothing(name, tmp_path):
    """More is better as in any table that does not say otherwise; a note says how to turn it."""
    path = tmp_path / f"{name}.csv"
    path.write_text(SHEET)
    scores = read_scores(path)
    assert scores["higher_is_better"].to_numpy().tolist() == [True]
    assert any("the name of a file alone turns no" in note for note in scores.attrs["notes"])
    assert not read_scores(path, higher_is_better={name: False})["higher_is_better"].to_numpy().any()


@pytest.mark.parametrize("name", ["bd_wer", "WER_de", "wer_results"])
def test_a_file_called_as_an_error_measure_and_more_is_asked_about(name, tmp_path):
    """Either answer is taken: no best system is named under a direction that nobody gave."""
    path = tmp_path / f"{name}.csv"
    path.write_text(SHEET)
    with pytest.raises(MetaevalError, match=f"is lower better under '{name}'"):
        read_scores(path)
    for rises in (True, False):
        assert read_scores(path, higher_is_better={name: rises})["higher_is_better"].to_numpy().tolist() == [rises]


@pytest.mark.parametrize("name", ["wer", "val_loss"])
def test_a_file_called_as_an_error_measure_and_no_more_holds_it(name, tmp_path):
    """So does a column of that name, in a file of any."""
    (tmp_path / f"{name}.csv").write_text(SHEET)
    assert not read_scores(tmp_path / f"{name}.csv")["higher_is_better"].to_numpy().any()
    rows = [f"{system},{topic},0.{topic}{at}" for at, system in enumerate("ab") for topic in (1, 2, 3)]
    (tmp_path / "hallucination_rate.csv").write_text("\n".join(["system,topic,hallucination_rate", *rows]))
    assert not read_scores(tmp_path / "hallucination_rate.csv")["higher_is_better"].to_numpy().any()


def test_a_direction_is_given_by_either_option():
    """The command line has an option for each, and no option that takes False."""
    with speaking_in_options({"higher_is_better": "--higher-is-better", "lower_is_better": "--lower-is-better"}):
        assert in_options("pass `higher_is_better={'x': False}`") == "pass --lower-is-better x"
        assert in_options("pass `higher_is_better={'x': True}`") == "pass --higher-is-better x"


@pytest.mark.parametrize("name", ["std", "se"])
def test_a_spread_of_all_systems_is_not_said_to_be_of_the_last(name):
    """By the numbers: the standard deviation, or error, of four systems on each topic."""
    values = np.random.default_rng(1).uniform(0.2, 0.9, (40, 4)).round(4)
    spread = values.std(axis=1, ddof=1) / (1 if name == "std" else 2)
    (column,) = not_scores([*"abcd", name], np.c_[values, spread], along="system")
    said = {"std": "deviation", "se": "error"}[name]
    assert column.why == f"the standard {said} of 'a', 'b', 'c' and 1 more"


def test_minus_one_among_human_scores_is_named():
    """One of thirty is -1, all others are 0 to 1; where scores lie below 0 it is one of them."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame([(system, str(at)) for system in "abc" for at in range(10)], columns=["system", "item"])
    frame = frame.assign(human=rng.uniform(0, 1, 30).round(2), bleu=rng.uniform(0, 1, 30).round(3))
    frame.loc[4, "human"] = -1
    told = item_scores(frame, reference="human").attrs["notes"]
    assert "-1 where all other scores under human are at least 0: -1 ('a' on '4'); empty what is no score" in told
    frame.loc[5, "human"] = -0.4
    assert not item_scores(frame, reference="human").attrs.get("notes")


@pytest.mark.parametrize("names", [["run0", "run1", "run2"], ["acc_seed7", "acc_seed13", "acc_seed42"]])
def test_columns_called_as_runs_of_one_score_are_repeats(names, tmp_path):
    """The numbers of a row are the repeats of its system and item, as pandas has them; a note says so."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame([(system, item) for system in "ab" for item in "xyz"], columns=["system", "question"])
    frame = frame.assign(**{name: rng.uniform(0, 1, 6).round(3) for name in names})
    for door in both_doors(frame, tmp_path):
        scores = door()
        assert scores["metric"].to_numpy().tolist() == ["acc" if "_" in names[0] else "score"]
        assert scores.sizes["repeat"] == 3
        right = frame.set_index(["system", "question"]).loc[("b", "y")].to_numpy()
        np.testing.assert_array_equal(scores.squeeze("metric").sel(system="b", topic="y").to_numpy(), right)
        assert any("are read as repeats of one score" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize(
    "heads",
    [
        ("config", "dataset", "fold{}", "mean", "std"),
        ("Konfiguration", "Datensatz", "Faltung {}", "Mittel", "Streuung"),
        ("config", "dataset", "split{}", "mean", "std"),
        ("config", "dataset", "cv_{}", "mean", "std"),
    ],
)
def test_folds_in_columns_are_repeats_and_no_metrics(heads, tmp_path):
    """Their mean and their spread are left out as what they are, and a note says that folds share training data."""
    system, item, fold, mean, spread = heads
    folds = [fold.format(at) for at in range(1, 5)]
    rng = np.random.default_rng(6)
    names = pd.DataFrame([(one, data) for one in ("gbm", "svm") for data in ("iris", "wine", "adult")])
    values = rng.uniform(0.7, 0.9, (6, 4)).round(4)
    frame = pd.concat([names.set_axis([system, item], axis=1), pd.DataFrame(values, columns=folds)], axis=1)
    frame = frame.assign(**{mean: values.mean(axis=1).round(4), spread: values.std(axis=1, ddof=1).round(4)})
    frame.to_csv(tmp_path / "folds.csv", index=False)
    scores = read_scores(tmp_path / "folds.csv", columns={"system": system, "topic": item})
    assert scores.sizes["metric"] == 1
    assert scores.sizes["repeat"] == 4
    np.testing.assert_array_equal(scores.sel(system="svm", topic="iris").to_numpy()[0], values[3])
    notes = " ".join(scores.attrs["notes"])
    assert f"{spread!r}, the standard deviation of" in notes
    assert "share training data" in notes


@pytest.mark.parametrize("names", [["pass1", "pass2"], ["run0", "f1"], ["run1", "run3"], ["p1", "p2"]])
def test_other_columns_stay_metrics(names):
    """Pass@1 and pass@2, one run beside a metric, runs that do not count, and precision."""
    frame = pd.DataFrame([(system, item) for system in "ab" for item in "xyz"], columns=["system", "question"])
    scores = as_scores(frame.assign(**{name: np.linspace(0, 0.7, 6) ** (at + 1) for at, name in enumerate(names)}))
    assert scores["metric"].to_numpy().tolist() == names


def test_folds_in_rows_are_no_doubles_of_data_sets(tmp_path):
    """The way out names all three columns, keeps all configurations, and offers no rule for doubles."""
    rows = [
        (data, fold, config) for data in ("iris", "wine", "adult") for fold in "01" for config in ("lr", "svm", "rf")
    ]
    frame = pd.DataFrame(rows, columns=["Datensatz", "Faltung", "Konfig"])
    frame = frame.assign(Genauigkeit=np.random.default_rng(9).uniform(70, 90, len(rows)).round(2))
    frame.to_csv(tmp_path / "x.csv", index=False, sep=";")
    with pytest.raises(MetaevalError) as refused:
        read_scores(tmp_path / "x.csv")
    columns = {"system": "Konfig", "topic": "Datensatz", "repeat": "Faltung"}
    assert f"columns={columns!r}" in str(refused.value)
    assert "duplicates" not in str(refused.value)
    scores = read_scores(tmp_path / "x.csv", columns=columns)
    assert scores.sizes["system"] == 3
    right = frame.set_index(["Konfig", "Datensatz"]).loc[("svm", "wine"), "Genauigkeit"].to_numpy()
    np.testing.assert_array_equal(scores.sel(system="svm", topic="wine").to_numpy().ravel(), right)
