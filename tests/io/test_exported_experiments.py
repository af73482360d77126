"""Experiments as tools export them: the columns of Phoenix, TruLens and Braintrust say what is a system and an item."""

import numpy as np
import pandas as pd
import pytest

from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look

N_ITEMS = 12
QUESTIONS = [f"What is the capital of region {number}?" for number in range(N_ITEMS)]
SCORES = {
    system: np.random.default_rng(seed).integers(0, 2, N_ITEMS).tolist() for seed, system in enumerate("ab", start=16)
}


def phoenix(system):
    """Return the rows of an experiment of Phoenix, whose repetition is the first."""
    return pd.DataFrame(
        {
            "example_id": [f"RGF0{number}" for number in range(N_ITEMS)],
            "input": QUESTIONS,
            "output": "said",
            "expected": "right",
            "repetition_number": 1,
            "latency_ms": range(800, 800 + N_ITEMS),
            "experiment_name": system,
            "annotation_name": "correctness",
            "annotator_kind": "LLM",
            "label": ["correct" if score else "incorrect" for score in SCORES[system]],
            "score": SCORES[system],
        }
    )


@pytest.mark.parametrize("apart", [True, False], ids=["a-file-each", "one-file"])
def test_experiments_of_phoenix_are_systems(tmp_path, apart):
    """Means by `pandas` over the rows of each experiment; a number of a repetition is no score."""
    experiments = {system: phoenix(system) for system in "ab"}
    tables = experiments if apart else {"all": pd.concat(experiments.values())}
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    scores = look(tmp_path).scores
    assert scores["metric"].to_numpy().tolist() == ["correctness"]
    expected = pd.concat(experiments.values()).groupby("experiment_name")["score"].mean()
    assert scores.mean(["topic", "repeat"]).sel(metric="correctness").to_series().to_dict() == expected.to_dict()


@pytest.mark.parametrize("name", ["repetition_number", "attempt", "Wiederholung"])
def test_numbers_of_repetitions_are_no_system_beside_others(tmp_path, name):
    """A wide table of two systems keeps these two, whatever numbers the repetitions."""
    table = pd.DataFrame({"qid": [f"q{at}" for at in range(N_ITEMS)], name: 1, **SCORES})
    table.to_csv(tmp_path / "f1.csv", index=False)
    assert read_scores(tmp_path / "f1.csv")["system"].to_numpy().tolist() == ["a", "b"]


def trulens(*, varies="app_version"):
    """Return records of TruLens of two applications, by version or by name."""
    records = [
        {
            "app_name": "RAG",
            "app_version": "base",
            "app_id": f"app_hash_{system}",
            "record_id": f"record_hash_{system}_{number}",
            "input": question,
            "output": "said",
            "ts": f"2025-05-01 10:{number:02d}:00",
            "Groundedness": SCORES[system][number] / 2,
            "Answer Relevance": SCORES[system][number] / 4,
            "latency": 2 + number % 3,
            "total_tokens": 300 + number,
            varies: system,
        }
        for number, question in enumerate(QUESTIONS)
        for system in "ab"
    ]
    return pd.DataFrame(records)


@pytest.mark.parametrize("varies", ["app_version", "app_name"])
def test_records_of_trulens_are_of_applications_on_inputs(tmp_path, varies):
    """Scores by `pandas`' own pivot of the same records."""
    trulens(varies=varies).to_csv(tmp_path / "records.csv")
    scores = look(tmp_path / "records.csv").scores
    assert scores is not None
    expected = trulens(varies=varies).pivot_table(index="input", columns=varies, values="Groundedness")
    read = scores.sel(metric="Groundedness").transpose("topic", "system").to_pandas()
    pd.testing.assert_frame_equal(read.sort_index(), expected.sort_index(), check_names=False)


def test_measured_costs_are_never_offered_as_a_choice_of_rows(tmp_path):
    """Two questions a row recur under each system, so no column names items; latency parts no sets of rows."""
    table = pd.DataFrame(
        {"model": [*"aabb"] * 3, "notes": "x", "latency": [2, 3, 4, 2] * 3, "bleu": np.linspace(0.1, 0.9, 12)}
    )
    table.to_csv(tmp_path / "rows.csv", index=False)
    assert "latency" not in look(tmp_path / "rows.csv").contents.refusal.partition(";")[0]
    assert "'latency':" not in look(tmp_path / "rows.csv").contents.refusal


@pytest.mark.parametrize("columns", [["input", "output", "expected"], ["inputs", "outputs"], ["input"]])
@pytest.mark.parametrize("named", [True, False], ids=["own-ids", "no-ids"])
def test_files_that_call_each_item_otherwise_are_paired_by_what_is_asked(tmp_path, columns, named):
    """Ids of rows are each experiment's own, and the second is in another order; expected scores are by question."""
    order = np.random.default_rng(3).permutation(N_ITEMS)
    for system in "ab":
        numbers = order if system == "b" else range(N_ITEMS)
        texts = {name: f"{name} by {system}" for name in columns[1:]}
        ids = {"id": [f"{system}-{at}x" for at in range(N_ITEMS)]} if named else {}
        table = pd.DataFrame(
            {
                **ids,
                columns[0]: [QUESTIONS[number] for number in numbers],
                **texts,
                "Factuality": [SCORES[system][number] for number in numbers],
                "Levenshtein": [SCORES[system][number] / 2 for number in numbers],
            }
        )
        table.to_csv(tmp_path / f"{system}.csv", index=False)
    scores = look(tmp_path).scores
    assert scores is not None
    assert scores["metric"].to_numpy().tolist() == ["Factuality", "Levenshtein"]
    expected = sorted(zip(SCORES["a"], SCORES["b"], strict=True))
    assert sorted(map(tuple, scores.sel(metric="Factuality").transpose("topic", "system").to_numpy())) == expected


@pytest.mark.parametrize(("scores", "rises"), [([0.25, 0.5, 1.0], True), ([3.0, 0.0, 12.0], False)])
def test_levenshtein_between_0_and_1_is_a_similarity(tmp_path, scores, rises):
    """autoevals: 1 for equal texts; a distance counts edits."""
    table = pd.DataFrame({"qid": ["q1", "q2", "q3"], "system": "a", "Levenshtein": scores, "F1": 0.5})
    pd.concat([table, table.assign(system="b")]).to_csv(tmp_path / "s.csv", index=False)
    read = read_scores(tmp_path / "s.csv")
    assert bool(read.sel(metric="Levenshtein")["higher_is_better"]) is rises
    assert any(f"{'higher' if rises else 'lower'} is better under Levenshtein" in note for note in read.attrs["notes"])
