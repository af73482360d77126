"""Results as lighteval, BEIR and Label Studio write them; forms after their sources, values by hand."""

import json

import numpy as np
import pytest

from metaeval import read_annotations, read_scores
from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.inex.judges import read_judges
from metaeval.io.blocks import SpreadlessError
from metaeval.questions.look.study import look
from metaeval.questions.table.study import study_table

EM = {"one": [1, 0, 0, 1], "two": [1, 1, 0, 1]}


def lighteval(model, em, *, newer):
    """Return a file of results; of newer versions the model stands in its settings, and tasks have no suite."""
    about = {"model_config": {"model_name": model}} if newer else {"model_name": model, "model_sha": "a1"}
    tasks = ("gsm8k|0", "arc:easy|0") if newer else ("lighteval|gsm8k|0", "lighteval|arc:easy|0")
    results = {task: {"em": score, "em_stderr": 0.02} for task, score in zip(tasks, em, strict=True)}
    means = {"all": {"em": 0.9, "em_stderr": 0.1}, "lighteval|arc:_average|0": {"em": 0.8, "em_stderr": 0.1}}
    return {"config_general": about, "results": results | means, "versions": {}, "config_tasks": {}}


@pytest.mark.parametrize("newer", [False, True])
def test_lighteval_results_are_scores_of_tasks(tmp_path, newer):
    """Without the means of tasks and the standard errors; the mean over two tasks by hand."""
    for name, em in (("a", (0.25, 0.5)), ("b", (0.5, 0.5))):
        (tmp_path / f"results_{name}.json").write_text(json.dumps(lighteval(f"org/{name}", em, newer=newer)))
    scores = read_scores(tmp_path)
    assert scores["system"].to_numpy().tolist() == ["org/a", "org/b"]
    assert (scores.sizes["topic"], scores["metric"].to_numpy().tolist()) == (2, ["em"])
    np.testing.assert_array_equal(scores.mean("topic").to_numpy(), [[0.375, 0.5]])
    assert any("whole tasks" in note for note in scores.attrs["notes"])
    said = study_table(scores).report().summary[0]  # z = .25 / .02√2 = 8.84, and 0
    assert "On single items, by the standard errors in the files (z, Holm), org/b is significantly better on" in said
    assert said.endswith("gsm8k|0.")


@pytest.mark.parquet
@pytest.mark.parametrize("column", ["metrics", "metric", "__metric__"])
def test_lighteval_details_are_scores_of_samples(tmp_path, column):
    """A file a system: older versions without names of samples, newer ones with the document in an object."""
    import polars as pl  # noqa: PLC0415 - an extra

    for name, em in EM.items():
        questions = [f"Q{at}" for at in range(4)]
        told = {"example": questions, "num_effective_few_shots": [5] * 4}
        if column != "metrics":
            document = "doc" if column == "metric" else "__doc__"
            told = {document: [{"query": text, "id": str(at)} for at, text in enumerate(questions)]}
        held = {**told, "choices": [["x"]] * 4, column: [{"em": score, "odd": 1 - score} for score in em]}
        pl.DataFrame(held).write_parquet(tmp_path / f"{name}.parquet")
    scores = read_scores([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    assert scores["metric"].to_numpy().tolist() == ["em", "odd"]
    np.testing.assert_array_equal(scores.mean("topic").to_numpy(), [[0.5, 0.75], [0.5, 0.25]])


def test_records_with_an_object_of_metrics(tmp_path):
    """A file a system, or systems in a field; its names are those of metrics, whatever they are called."""
    for name, em in EM.items():
        lines = [json.dumps({"id": f"q{at}", "metrics": {"odd": score, "qem": 1}}) for at, score in enumerate(em)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    scores = read_scores([tmp_path / "one.jsonl", tmp_path / "two.jsonl"])
    assert scores["metric"].to_numpy().tolist() == ["odd", "qem"]
    np.testing.assert_array_equal(scores.mean("topic").to_numpy(), [[0.5, 0.75], [1, 1]])
    together = [
        json.dumps({"id": at, "model": name, "metrics": {"odd": score}})
        for name, em in EM.items()
        for at, score in enumerate(em)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(together))
    np.testing.assert_array_equal(read_scores(tmp_path / "all.jsonl").mean("topic").to_numpy(), [[0.5, 0.75]])


BEIR = [{"NDCG@1": 0.5, "NDCG@10": 0.61}, {"MAP@10": 0.4}, {"Recall@100": 0.9}, {"P@10": 0.1}]


@pytest.mark.parametrize(
    "held",
    [{name: of for group in BEIR for name, of in group.items()}, BEIR, dict(zip("abcd", BEIR, strict=True))],
    ids=["flat", "as evaluate returns them", "by kind"],
)
def test_means_of_beir_are_no_scores_and_no_labels(tmp_path, held):
    """They are means of one system, and tell nothing of the spread; who looks is told what to give."""
    path = tmp_path / "dpr.json"
    path.write_text(json.dumps(held))
    with pytest.raises(SpreadlessError, match="means of one system under NDCG@1, NDCG@10, MAP@10, Recall@100, P@10"):
        read_scores(path)
    found = look(path)
    assert (found.kind, found.questions.empty) == ("means", True)
    assert "give the runs and their judgments" in found.contents.refusal


def asked(quality, fluency):
    """Return what one annotator stated of a task, as Label Studio exports it."""
    return [
        {"from_name": "quality", "to_name": "text", "type": "choices", "value": {"choices": [quality]}},
        {"from_name": "fluency", "to_name": "text", "type": "rating", "value": {"rating": fluency}},
    ]


STATED = {1: [("good", 4), ("good", 5), ("bad", 1)], 2: [("bad", 3), ("good", 5), ("bad", 2)]}
TASKS = [
    {
        "id": at + 1,
        "data": {"text": "x"},
        "annotations": [{"completed_by": who, "result": asked(*said[at])} for who, said in STATED.items()],
    }
    for at in range(3)
]


def test_one_of_several_questions_of_label_studio_is_chosen(tmp_path, command, monkeypatch):
    """By the name of its control; κ of fluency by hand: 1/3 alike, by chance 1/9, and 2/9 of 8/9 is 1/4."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ls.json").write_text(json.dumps(TASKS))
    with pytest.raises(FileFormatError, match="asked several things"):
        read_annotations("ls.json")
    assert read_annotations("ls.json", columns={"label": "fluency"}).to_numpy().T.tolist() == [[4, 5, 1], [3, 5, 2]]
    frame = read_annotations("ls.json", columns={"label": "quality"})
    assert frame["1"].tolist() == ["good", "good", "bad"]
    with pytest.raises(UnknownNameError):
        read_judges("ls.json", columns={"label": "tone"})
    shown = command("look", "ls.json").out
    assert "metaeval judges ls.json --column label=fluency" in shown
    said = command("judges", "ls.json", "--column", "label=fluency").out
    assert "Cohen's κ                         0.25" in said


def test_its_table_of_all_annotators_asks_which_column_holds_the_labels(tmp_path, command, monkeypatch):
    """Rather than take the numbers of annotators for labels."""
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{at + 1},{said[at][0]},{said[at][1]},{who},{who}{at},9.5" for who, said in STATED.items() for at in range(3)
    ]
    (tmp_path / "ls.csv").write_text("id,quality,fluency,annotator,annotation_id,lead_time\n" + "\n".join(rows))
    shown = command("look", "ls.csv").out
    assert "metaeval judges ls.csv --column label=quality" in shown
    said = command("judges", "ls.csv", "--column", "label=fluency").out
    assert "Cohen's κ" in said
    assert "0.25" in said


def test_cancelled_and_partial_annotations_of_label_studio_are_no_labels(tmp_path):
    """What was cancelled is counted; a choice for a passage, a prediction and what the export counts are none."""
    passage = {"from_name": "span", "type": "choices", "value": {"start": 0, "end": 1, "choices": ["odd"]}}
    tasks = [
        {
            "id": at + 1,
            "total_annotations": 2,
            "predictions": [{"result": asked("bad", 1)[:1]}],
            "annotations": [
                {
                    "completed_by": {"id": who},
                    "was_cancelled": at == who == 2,
                    "result": [*asked(*said[at])[:1], passage],
                }
                for who, said in STATED.items()
            ],
        }
        for at in range(3)
    ]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    frame = read_annotations(tmp_path / "ls.json")
    assert frame.loc["3"].isna().tolist() == [False, True]
    assert frame["2"].tolist()[:2] == ["bad", "good"]
    assert look(tmp_path / "ls.json").notes[0] == "left out 1 cancelled annotation"
    with pytest.raises(FileFormatError, match="labels by annotators, and no scores"):
        read_scores(tmp_path / "ls.json")
