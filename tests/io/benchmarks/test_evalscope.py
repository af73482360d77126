"""Reviews of EvalScope: version 1 after its `ReviewResult` and `SampleScore`, older ones after its `Evaluator`."""

import json

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores

TRUE = True


def reviews(*accuracies, of_group=1):
    """Return lines of samples, of which so many are of one group."""
    rows = [
        {
            "index": at,
            "input": "**User**",
            "target": "4",
            "sample_score": {
                "score": {"value": {"acc": accuracy}, "prediction": "x", "main_score_name": "acc", "metadata": {}},
                "sample_id": at,
                "group_id": at // of_group,
                "sample_metadata": {"level": 3},
            },
        }
        for at, accuracy in enumerate(accuracies)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def put_lines(tmp_path):
    """Write files of lines and return their folder."""

    def written(texts):
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return written


def test_models_are_folders_and_subsets_clusters(put_lines):
    """What is true counts 1; predictions and reports beside the reviews are left out."""
    folder = put_lines({
        "reviews/small/gsm8k_main.jsonl": reviews(1.0, 0.0, TRUE), "reviews/large/gsm8k_main.jsonl": reviews(1, 1, 0.5),
        "reviews/small/arc_easy.jsonl": reviews(0, 1), "reviews/large/arc_easy.jsonl": reviews(1, 1),
        "predictions/small/gsm8k_main.jsonl": json.dumps({"index": 0, "model": "small", "messages": []}) + "\n",
        "reports/small/gsm8k.json": json.dumps({"name": "small@gsm8k", "metrics": [{"name": "acc", "score": 0.6}]}),
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores["system"].to_numpy().tolist() == ["large", "small"]
    assert scores["topic"].to_numpy().tolist()[:2] == ["arc_easy/0", "arc_easy/1"]
    assert scores.sel(metric="acc", system="small").to_numpy().tolist() == [0, 1, 1, 0, 1]
    assert {*scores["cluster"].to_numpy().tolist()} == {"arc_easy", "gsm8k_main"}


def test_samples_of_a_group_are_repeats(put_lines):
    """Two samples of each of two questions."""
    folder = put_lines({"a/t.jsonl": reviews(1, 0, 0, 0, of_group=2), "b/t.jsonl": reviews(1, 1, 0, 1, of_group=2)})
    scores = read_scores(folder)
    assert scores.sel(metric="acc", system="a").to_numpy().tolist() == [[1, 0], [0, 0]]
    assert scores.sel(metric="acc", system="b").to_numpy().tolist() == [[1, 1], [0, 1]]


def test_older_reviews_are_results_of_the_first_answer(put_lines):
    """Their model stands in the file where it is a name."""
    texts = {}
    for model, results in (("a/v1", [1.0, 0.0]), ("b/v1", [True, True])):
        rows = [
            {"index": at, "model": model, "reviewed": True, "review_id": f"r{at}",
             "choices": [{"message": {"content": "x"}, "review": {"gold": "4", "pred": "x", "result": result}}]}
            for at, result in enumerate(results)
        ]  # fmt: skip
        texts[f"{model[0]}/math_all.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    scores = read_scores(put_lines(texts))
    assert scores["system"].to_numpy().tolist() == ["a/v1", "b/v1"]
    assert scores.sel(metric="result").to_numpy().tolist() == [[1, 0], [1, 1]]


def test_a_sample_without_scores_names_its_place(put_lines):
    """A review that failed has no object of scores."""
    broken = json.dumps({"index": 2, "sample_score": {"score": {"value": None}}}) + "\n"
    folder = put_lines({"a/t.jsonl": reviews(1, 0) + broken, "b/t.jsonl": reviews(1, 0, 1)})
    with pytest.raises(FileFormatError, match=r"line 3: sample_score.score.value: a sample has an object of scores"):
        read_scores(folder)
