"""Files of Every Eval Ever, after its schemas of whole evaluations and of samples (0.2.1 and later)."""

import pytest

from metaeval.errors import FileFormatError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.questions.table.study import study_table

EVALUATIONS = ("gsm8k", "mmlu", "ifeval")


def _whole(model, scores, *, lower=False, **config):
    results = [
        {
            "evaluation_name": name, "source_data": {"dataset_name": name, "source_type": "hf_dataset"},
            "metric_config": {"lower_is_better": lower, "score_type": "continuous", "min_score": 0, "max_score": 1}
            | config,
            "score_details": {"score": score, "uncertainty": {"standard_error": {"value": 0.01}}},
        }
        for name, score in zip(EVALUATIONS, scores, strict=True)
    ]  # fmt: skip
    return {
        "schema_version": "0.3.0", "evaluation_id": f"x/{model}/1", "retrieved_timestamp": "1",
        "source_metadata": {}, "eval_library": {"name": "helm", "version": "1"},
        "model_info": {"name": model, "id": f"org/{model}"}, "evaluation_results": results,
    }  # fmt: skip


def _samples(model, scores, evaluation="gsm8k"):
    return [
        {
            "schema_version": "0.3.0", "evaluation_id": "x", "model_id": f"org/{model}", "evaluation_name": evaluation,
            "sample_id": f"s{at}", "sample_hash": f"h{at}", "interaction_type": "single_turn",
            "input": {"raw": "q", "reference": ["a"]}, "output": {"raw": ["a"]}, "answer_attribution": [],
            "evaluation": {"score": score, "is_correct": score == 1},
        }
        for at, score in enumerate(scores)
    ]  # fmt: skip


def test_whole_evaluations_are_items(put):
    """Systems are called by the id of the model, metrics by their name, and files say which way is better."""
    folder = put({"a.json": _whole("a", [0.5, 0.25, 0.75], metric_name="error rate", lower=True),
                  "b.json": _whole("b", [0.75, 0.5, 1.0], metric_name="error rate", lower=True)})  # fmt: skip
    scores = read_scores(folder)
    assert scores["topic"].to_numpy().tolist() == sorted(EVALUATIONS)
    assert scores.sel(system="org/a", metric="error rate", topic="mmlu").item() == 0.25
    assert not scores["higher_is_better"].item()


def test_whole_evaluations_differ_by_their_own_errors(put):
    """Differences .25, .05 and .03 with errors .01 each: z = 17.7, 3.54 and 2.12; Holm's p = .0339 of the last."""
    folder = put({"a.json": _whole("a", [0.5, 0.25, 0.75]), "b.json": _whole("b", [0.75, 0.2, 0.78])})
    first = study_table(read_scores(folder)).report().summary[0]
    assert first.startswith(
        "No: org/a and org/b do not differ significantly under score (0.500 against 0.577; org/a less"
    )
    assert "On single items, by the standard errors in the files (z, Holm), org/a is significantly better on" in first
    assert first.endswith(" on mmlu; org/b is significantly better on gsm8k and ifeval.")


def test_samples_come_before_whole_evaluations(put, told):
    """Where both lie in a folder, which is said; evaluations are clusters, and stand in the names of samples."""
    folder = put({
        "a.json": _whole("a", [0.5, 0.25, 0.75]), "b.json": _whole("b", [0.5, 0.25, 0.75]),
        "a.jsonl": _samples("a", [1.0, 0.0]) + _samples("a", [0.5, 0.25], "mmlu"),
        "b.jsonl": _samples("b", [0.0, 0.0]) + _samples("b", [0.75, 1.0], "mmlu"),
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores["topic"].to_numpy().tolist() == ["gsm8k/s0", "gsm8k/s1", "mmlu/s0", "mmlu/s1"]
    assert scores.sel(metric="score", system="org/b").to_numpy().tolist() == [0, 0, 0.75, 1]
    assert scores["cluster"].to_numpy().tolist() == ["gsm8k", "gsm8k", "mmlu", "mmlu"]
    assert told(scores, "left out 2 files of whole evaluations")


def test_other_units_are_no_comparison(put):
    """A share beside a percentage is refused, unless asked for."""
    folder = put({"a.json": _whole("a", [0.5, 0.25, 0.75]), "b.json": _whole("b", [50, 25, 75], max_score=100)})
    with pytest.raises(FileFormatError, match="unit is"):
        read_scores(folder)


def test_every_metric_of_an_evaluation_has_its_unit(put):
    """Another unit under the first of two metrics is found too, and one that a file says twice otherwise."""

    def of_two(model, most):
        whole = _whole(model, [0.5, 0.25, 0.75], metric_name="accuracy", max_score=most)
        more = _whole(model, [0.25, 0.5, 1.0], metric_name="f1")["evaluation_results"]
        return whole | {"evaluation_results": whole["evaluation_results"] + more}

    with pytest.raises(FileFormatError, match="gsm8k, accuracy: unit is"):
        read_scores(put({"a.json": of_two("a", 1), "b.json": of_two("b", 100)}))
    twice = of_two("b", 1)
    twice["evaluation_results"] += of_two("b", 100)["evaluation_results"][:1]
    with pytest.raises(FileFormatError, match=r"evaluation_results\[6\].*another unit"):
        read_scores(put({"a.json": of_two("a", 1), "b.json": twice}))


def test_a_metric_with_two_directions_is_refused(put):
    """Whichever of its evaluations says so last."""
    files = {f"{model}.json": _whole(model, [0.5, 0.25, 0.75], metric_name="f1") for model in "ab"}
    files["a.json"]["evaluation_results"][0]["metric_config"]["lower_is_better"] = True
    with pytest.raises(FileFormatError, match="lower is better under f1"):
        read_scores(put(files))


def test_an_evaluation_is_one_by_number_and_by_text(put):
    """7 and "7" are one name, and what names nothing is refused with its line."""
    scores = {"a": [1.0, 0.0], "b": [0.0, 0.5]}
    files = {
        f"{model}.jsonl": _samples(model, own, name)
        for (model, own), name in zip(scores.items(), (7, "7"), strict=True)
    }
    assert read_scores(put(files))["topic"].to_numpy().tolist() == ["s0", "s1"]
    files["b.jsonl"][1]["evaluation_name"] = ["7"]
    with pytest.raises(FileFormatError, match=r"line 2.*evaluation_name"):
        read_scores(put(files))


def test_another_sample_under_the_same_name_is_found(put):
    """By its hash, whether or not all samples have one."""
    other = _samples("b", [1.0, 0.5])
    other[1]["sample_hash"] = "other"
    del other[0]["sample_hash"]
    with pytest.raises(FileFormatError, match="sample_hash"):
        read_scores(put({"a.jsonl": _samples("a", [1.0, 0.0]), "b.jsonl": other}))


def test_a_sample_without_a_score_is_a_gap(put):
    """As null, and an entry that is no object is named with its line."""
    folder = put({"a.jsonl": _samples("a", [1.0, None]), "b.jsonl": _samples("b", [1.0, 0.0])})
    with pytest.raises(ScoresError, match="no score for system 'org/a' on item 's1'"):
        read_scores(folder)
    broken = _samples("a", [1.0, 0.0])
    broken[1]["evaluation"] = 7
    with pytest.raises(FileFormatError, match=r"line 2.*scored by an object"):
        read_scores(put({"a.jsonl": broken}))
