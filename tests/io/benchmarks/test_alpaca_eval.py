"""Annotations of AlpacaEval, made as its code writes them; win rates from them are those of its leaderboard."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores


def _annotation(instruction, model, preference, baseline="gpt4", annotator="judge"):
    return {
        "instruction": instruction, "output_1": "x", "generator_1": baseline, "dataset": "d", "output_2": "y",
        "generator_2": model, "annotator": annotator, "preference": preference, "price_per_example": 0.01,
    }  # fmt: skip


def _folder(put, preferences, **more):
    return put({
        f"{model}/{more.get('annotator', 'judge')}/annotations.json": [
            _annotation(f"question {at}", model, preference, **more) for at, preference in enumerate(values)
        ]
        for model, values in preferences.items()
    })  # fmt: skip


def test_models_instructions_and_preferences(put, told):
    """The score is the preference less 1; a preference that is not there is a gap."""
    scores = read_scores(_folder(put, {"a": [1.0, 0, 2], "b": [1.25, 1.75, 1]}))  # 0 is a draw of former versions
    assert scores.sel(metric="preference").to_numpy().tolist() == [[0, 0.5, 1], [0.25, 0.75, 0]]
    assert scores["topic"].to_numpy().tolist() == ["question 0", "question 1", "question 2"]
    assert told(scores, "preferences over gpt4")
    _folder(put, {"b": [1.25, None, float("nan")]})
    with pytest.raises(ValueError, match="no score for system 'b' on item 'question 1'"):
        read_scores(put({}))


def test_long_instructions_stay_apart(put):
    """Instructions of several lines, or with one beginning, get a checksum behind their first words."""
    begin = "Write a poem about the sea and the things that live in it, in\n"
    texts = [begin + "four lines", begin + "five lines", "Say\tthis"]
    put({
        f"{model}.json": [_annotation(text, model, 1 + at / 4) for at, text in enumerate(texts)] for model in "ab"
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores.sizes["topic"] == 3
    assert sorted(scores.sel(metric="preference", system="a").to_numpy()) == [0, 0.25, 0.5]
    assert all(len(topic) < 80 for topic in scores["topic"].to_numpy())


def test_annotators_are_metrics(put):
    """Two annotators of the same models are two metrics."""
    _folder(put, {"a": [1, 2], "b": [2, 1]}, annotator="one")
    scores = read_scores(_folder(put, {"a": [2, 2], "b": [1, 1]}, annotator="two"))
    assert scores["metric"].to_numpy().tolist() == ["preference(one)", "preference(two)"]


FAULTS = {
    "out of range": (_annotation("q", "a", 2.5), r"preference: '2.5' is no preference; it lies from 1 to 2"),
    "beyond the range for lengths": (
        _annotation("q", "a", 1.5) | {"glm_preference": 1.5},
        r"glm_preference: '1.5' is no preference; it lies from 0 to 1",
    ),
    "a word": (_annotation("q", "a", "good"), r"preference: 'good' is no preference"),
    "no instruction": (_annotation(None, "a", 1.5), r"an annotation has an instruction in words"),
}


@pytest.mark.parametrize(("record", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_annotations(put, record, message):
    """The refusal names the file and the key."""
    folder = _folder(put, {"a": [1, 2], "b": [1, 2]})
    put({"b/judge/annotations.json": [_annotation("question 0", "b", 1), record]})
    with pytest.raises(FileFormatError, match=rf"b/judge/annotations\.json: \[1\][.:] ?{message}"):
        read_scores(folder)


def test_an_instruction_twice(put):
    """An instruction that a model was judged on twice stops the reading, unless it is said which counts."""
    put({f"{model}.json": [_annotation("q", model, 1), _annotation("q", model, 2)] for model in "ab"})
    with pytest.raises(
        FileFormatError, match=r"\[1\]\.preference: system 'a' has a score on 'q' under 'preference' already"
    ):
        read_scores(put({}))
    put({f"{model}.json": [_annotation("r", model, 1), _annotation("r", model, 1), _annotation("q", model, 2)]
         for model in "cd"})  # fmt: skip
    for rule, expected in (("first", 0), ("mean", 0.5)):
        scores = read_scores(put({}), duplicates=rule, missing="pairwise")
        assert scores.sel(metric="preference", system="a", topic="q").item() == expected


def test_published_win_rates_through_annotations(data_folder, put):
    """Real preferences, written as annotations, give the published win rates and standard errors of whole models."""
    source = data_folder / "leaderboards"
    table = pd.read_csv(source / "alpacaeval2_weighted_preferences.csv.gz").set_index("item")
    board = pd.read_csv(source / "alpacaeval2_published_leaderboard.csv", index_col=0)
    models = [name for name in table.columns if name in board.index and table[name].notna().all()][:6]
    put(
        {f"{name}.json": [_annotation(item, name, 1 + value) for item, value in table[name].items()] for name in models}
    )
    scores = read_scores(put({})).sel(metric="preference")
    for name in models:
        values = scores.sel(system=name).to_numpy()
        assert 100 * values.mean() == pytest.approx(board.loc[name, "win_rate"], abs=1e-9)
        assert 100 * values.std(ddof=1) / np.sqrt(len(values)) == pytest.approx(
            board.loc[name, "standard_error"], abs=1e-9
        )


@pytest.mark.parametrize("name", ["annotator", "generator_2"])
def test_a_name_that_is_a_list(put, name):
    """Which annotator it was, and whose answer, are one name each."""
    record = {"instruction": "a", "generator_1": "g", "generator_2": "h", "preference": 1.5, name: ["x", "y"]}
    with pytest.raises(FileFormatError, match=rf"\[0\]\.{name}: a \w+ is a text or a whole number, not a list"):
        read_scores(put({"a.json": [record]}))
