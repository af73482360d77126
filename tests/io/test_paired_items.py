"""Items that files number each in its own order are paired by what they ask."""

import json

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores

ORDERS = {"a": [3, 0, 2, 1, 4], "b": [0, 1, 2, 3, 4], "c": [4, 2, 0, 1, 3]}
"""What a system's file asks first, second and so on."""
SCORE = {
    system: {question: (7 * question + shift) % 10 / 10 for question in range(5)} for shift, system in enumerate("abc")
}


def deepeval(system, order, *, asked="Q{}?"):
    """Return cases as DeepEval 2 writes them, named by their position."""
    cases = [
        {
            "name": f"test_case_{at}",
            "input": asked.format(question),
            "metricsData": [{"name": "Faithfulness", "score": SCORE[system][question]}],
        }
        for at, question in enumerate(order)
    ]
    return json.dumps({"testCases": cases})


def ragas(system, order):
    """Return rows of ragas, without numbers of their own."""
    rows = "".join(f"Q{question}?,text,{SCORE[system][question]}\n" for question in order)
    return f"user_input,response,faithfulness\n{rows}"


def evalscope(system, order):
    """Return reviews of EvalScope 1."""
    return "".join(
        json.dumps(
            {
                "index": at,
                "input": f"Q{question}?",
                "sample_score": {"score": {"value": {"acc": SCORE[system][question]}}, "sample_id": at, "group_id": at},
            }
        )
        + "\n"
        for at, question in enumerate(order)
    )


def inspect_ai(system, order):
    """Return a log of inspect_ai."""
    samples = [
        {"id": at + 1, "epoch": 1, "input": f"Q{question}?", "scores": {"match": {"value": SCORE[system][question]}}}
        for at, question in enumerate(order)
    ]
    return json.dumps({"status": "success", "eval": {"task": "t", "model": system}, "samples": samples})


def lm_eval(system, order):
    """Return samples of lm-evaluation-harness."""
    return "".join(
        json.dumps(
            {
                "doc_id": at,
                "doc_hash": f"{question:x}f",
                "resps": [],
                "metrics": ["acc"],
                "acc": SCORE[system][question],
            }
        )
        + "\n"
        for at, question in enumerate(order)
    )


FORMS = {
    "DeepEval": (deepeval, "{}.json"),
    "ragas": (ragas, "{}.csv"),
    "EvalScope": (evalscope, "{}/t.jsonl"),
    "inspect_ai": (inspect_ai, "{}.json"),
    "lm-evaluation-harness": (lm_eval, "{}/samples_t_2026-01-01T00-00-00.000000.jsonl"),
}


@pytest.fixture
def folder(tmp_path):
    def written(write, name, orders=ORDERS):
        for system, order in orders.items():
            path = tmp_path / name.format(system)
            path.parent.mkdir(exist_ok=True)
            path.write_text(write(system, order))
        return tmp_path

    return written


@pytest.mark.parametrize(("write", "name"), FORMS.values(), ids=FORMS)
def test_one_question_is_one_item_wherever_it_stands(folder, write, name):
    """Differences of two systems by item are those by question (by hand from SCORE), in any order; and it is said."""
    scores = read_scores(folder(write, name))
    for first, second in ("ab", "ac", "bc"):
        by_item = scores.sel(system=first).to_numpy().ravel() - scores.sel(system=second).to_numpy().ravel()
        by_question = [SCORE[first][question] - SCORE[second][question] for question in range(5)]
        np.testing.assert_allclose(sorted(by_item), sorted(by_question), atol=1e-12)
    assert any("so they are paired by" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize(("write", "name"), FORMS.values(), ids=FORMS)
def test_files_in_one_order_keep_their_names(folder, write, name):
    """Nothing is said where files agree; what one file lacks at the end is no other order."""
    scores = read_scores(folder(write, name, {"a": [0, 1, 2, 3, 4], "b": [0, 1, 2, 3, 4]}))
    assert not any("paired" in note for note in scores.attrs["notes"])


def test_another_question_is_no_other_order(folder, tmp_path):
    """Files that ask other things at every position hold other items."""
    path = folder(deepeval, "{}.json", {"a": [0, 1, 2, 3, 4]})
    (tmp_path / "b.json").write_text(deepeval("b", [0, 1, 2, 3, 4], asked="In short: Q{}?"))
    with pytest.raises((FileFormatError, ValueError), match="in another file; make them agree"):
        read_scores(path)


@pytest.mark.parametrize("asked", ["inputs", "instruction", "text", "messages", "request", "expected"])
@pytest.mark.parametrize("scored", [["score"], ["correctness", "fluency"]])
def test_rows_of_any_words_are_paired_by_what_files_share(tmp_path, asked, scored):
    """A file a system in another order: each score is of what was asked there, whatever the column is called."""
    for system, order in ORDERS.items():
        cells = [[f"Q{question}?", f"{system} {at}", *[str(SCORE[system][question])] * len(scored)]
                 for at, question in enumerate(order)]  # fmt: skip
        text = "\n".join(",".join(row) for row in [[asked, "outputs", *scored], *cells])
        (tmp_path / f"{system}.csv").write_text(text)
    scores = read_scores([tmp_path / f"{system}.csv" for system in ORDERS])
    assert scores["system"].to_numpy().tolist() == ["a", "b", "c"]
    for system in ORDERS:  # called as in the first file
        expected = [SCORE[system][question] for question in ORDERS["a"]]
        np.testing.assert_array_equal(scores.sel(system=system, metric=scored[0]), expected)
    assert any("paired by what they ask" in note for note in scores.attrs["notes"])


def test_rows_that_nothing_names_are_said_to_be_paired_by_order(tmp_path):
    """Answers are each system's own: nothing tells whether the rows of two files are of the same items."""
    for system in "ab":
        rows = "".join(f"{system} {at},told {system} {at},.{at}\n" for at in range(1, 6))
        (tmp_path / f"{system}.csv").write_text(f"response,contexts,correctness\n{rows}")
    notes = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"]).attrs["notes"]
    assert "no column names the items of the rows: they are paired by order in a file" in notes
