"""Results of scikit-learn's cross-validation (forms of 1.9.1: `cross_validate`, `GridSearchCV.cv_results_`)."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import FileFormatError, ScoresError
from metaeval.table.folds import folds_of

TIMES = {"fit_time": np.ones(3), "score_time": np.ones(3)}
VALIDATED = {
    "svm": TIMES | {"test_f1": np.array([0.5, 0.6, 0.7]), "train_f1": np.ones(3)},
    "tree": TIMES | {"test_f1": np.array([0.4, 0.6, 0.8]), "train_f1": np.ones(3)},
}
SEARCHED = {
    "mean_fit_time": np.ones(2), "std_fit_time": np.zeros(2), "param_C": np.ma.array([1, 10]),
    "params": [{"C": 1, "kernel": "rbf"}, {"C": 10, "kernel": "rbf"}],
    "split0_test_score": np.array([0.5, 0.25]), "split1_test_score": np.array([0.75, 0.5]),
    "mean_test_score": np.array([0.625, 0.375]), "std_test_score": np.array([0.125, 0.125]),
    "rank_test_score": np.array([1, 2]),
}  # fmt: skip


def test_estimators_are_systems_and_folds_items():
    """Scores of training, and times, are none; that folds share training data is said."""
    scores = as_scores(VALIDATED)
    assert scores["metric"].to_numpy().tolist() == ["f1"]
    assert scores["topic"].to_numpy().tolist() == ["split0", "split1", "split2"]
    assert scores.sel(metric="f1").to_numpy().tolist() == [[0.5, 0.6, 0.7], [0.4, 0.6, 0.8]]
    assert "training data overlap" in scores.attrs["notes"][0]


def test_settings_of_a_search_are_systems():
    """In memory, as a frame, and held by the search itself."""
    search = type("Search", (), {"cv_results_": SEARCHED})()
    for data in (SEARCHED, pd.DataFrame(SEARCHED), search):
        scores = as_scores(data)
        assert scores["system"].to_numpy().tolist() == ["C=1, kernel=rbf", "C=10, kernel=rbf"]
        assert scores.to_numpy().tolist() == [[[0.5, 0.75], [0.25, 0.5]]]


def test_files_say_the_same(tmp_path):
    """Written by pandas as a table, and as JSON."""
    frame = pd.DataFrame(SEARCHED)
    listed = {name: np.asarray(cells).tolist() for name, cells in SEARCHED.items()}
    validated = {name: {key: cells.tolist() for key, cells in one.items()} for name, one in VALIDATED.items()}
    for name, content in (("a.csv", frame.to_csv(index=False)), ("b.csv", frame.to_csv()), ("c.json", listed)):
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        scores = read_scores(tmp_path / name)
        assert scores.equals(as_scores(SEARCHED)), name
        assert "training data overlap" in scores.attrs["notes"][0]
    (tmp_path / "d.json").write_text(json.dumps(validated))
    assert read_scores(tmp_path / "d.json").equals(as_scores(VALIDATED))


def test_a_setting_has_one_name_in_memory_and_in_files(tmp_path):
    """Numbers of NumPy, as grids of np.logspace have them, and words with apostrophes are called alike."""
    params = [
        {"C": np.float64(0.1), "words": "it's", "deep": None},
        {"C": np.float64(10), "words": "a: b", "deep": (1,)},
    ]
    searched = SEARCHED | {"params": params}
    pd.DataFrame(searched).to_csv(tmp_path / "a.csv", index=False)
    assert as_scores(searched)["system"].to_numpy().tolist()[0] == "C=0.1, words=it's, deep=None"
    assert read_scores(tmp_path / "a.csv").equals(as_scores(searched))


@pytest.mark.parametrize(
    "wrong", [5, "ab", None, {"a": 1, "b": 2}, [5, 6], ["", "{}"], [[{"C": 1}], [{"C": 2}]]], ids=str
)
def test_what_is_no_list_of_settings_is_refused(wrong, tmp_path):
    """With the name of the file."""
    listed = {name: np.asarray(cells).tolist() for name, cells in SEARCHED.items()} | {"params": wrong}
    (tmp_path / "a.json").write_text(json.dumps(listed))
    with pytest.raises(FileFormatError, match=r"a\.json.*params"):
        read_scores(tmp_path / "a.json")


def test_a_fold_without_a_score_is_a_gap():
    """scikit-learn writes NaN where an estimator failed."""
    failed = VALIDATED | {"tree": TIMES | {"test_f1": np.array([0.4, np.nan, 0.8])}}
    with pytest.raises(ScoresError, match="no score for system 'tree' on item 'split1'"):
        as_scores(failed)
    assert as_scores(failed, missing="zero").sel(system="tree").to_numpy().ravel().tolist() == [0.4, 0, 0.8]


def test_lists_of_unequal_length_are_refused():
    """No score is cut off."""
    with pytest.raises(ScoresError, match="'tree: test_f1' holds 2 scores where there are 3"):
        as_scores(VALIDATED | {"tree": TIMES | {"test_f1": np.array([0.4, 0.5])}})


def test_settings_in_a_column_each_are_read_as_those_of_one():
    """Without `params`, as people cut it: the parameters that a row has, and train scores are no scores."""
    whole = pd.DataFrame(
        {
            "param_C": [1, 10],
            "param_kernel": ["rbf", ""],
            "params": [{"C": 1, "kernel": "rbf"}, {"C": 10}],
            "split0_test_score": [0.25, 0.5],
            "split1_test_score": [0.75, 0.5],
            "split0_train_score": [1.0, 1.0],
        }
    )
    expected = folds_of(whole)
    assert [system for system, *_ in expected.rows[:2]] == ["C=1, kernel=rbf", "C=10"]
    assert folds_of(whole.drop(columns="params")) == expected
