"""Results of MTEB: revisions, subsets and splits, repeats, and the real folder against its table."""

import json
import tarfile

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.io.tables import read_scores
from metaeval.table.structure import with_clusters


def _result(task, scores, **more):
    """Return a result with entries by split: subset to score, or to a whole entry."""
    splits = {
        split: [
            {"hf_subset": subset, "languages": ["eng-Latn"]}
            | (held if isinstance(held, dict) else {"main_score": held})
            for subset, held in subsets.items()
        ]
        for split, subsets in scores.items()
    }
    return {"task_name": task, "mteb_version": "1.30.0", "scores": splits} | more


def _of(metric, value):
    return {"test": {"default": {"main_score": 0.5, metric: value}}}


def _folder(put, models, **tasks):
    return put({
        f"{model}/rev/{task}.json": _result(task, {"test": {"default": score + 0.1 * at}})
        for task, score in tasks.items()
        for at, model in enumerate(models)
    })  # fmt: skip


def test_models_tasks_and_the_main_score(put):
    """A model is the folder above the revision, an item a task; tasks of one item are no clusters."""
    scores = read_scores(_folder(put, ["org__a", "org__b"], T1=0.25, T10=0.5, T2=0.125))
    assert scores["system"].to_numpy().tolist() == ["org__a", "org__b"]
    assert scores["topic"].to_numpy().tolist() == ["T1", "T2", "T10"]
    assert scores.sel(metric="main_score", system="org__a").to_numpy().tolist() == [0.25, 0.125, 0.5]
    assert "cluster" not in scores.coords
    assert scores.attrs["topic_word"] == "item"


def test_revisions_are_read_together_and_the_newest_counts(put, told):
    """Tasks of two revisions are put together; of a task that both have, date and then version say which is newer."""
    folder = _folder(put, ["a", "b"], T1=0.25, T2=0.5)
    put({
        "a/external/T3.json": _result("T3", {"test": {"default": 0.75}}),
        "b/external/T3.json": _result("T3", {"test": {"default": 0.5}}),
        "a/external/T1.json": _result("T1", {"test": {"default": 0.9}}, mteb_version="1.31.0"),
        "b/external/T1.json": _result("T1", {"test": {"default": 0.8}}, mteb_version=None),
        "b/new/T2.json": _result("T2", {"test": {"default": 0.1}}, date=1785233838.3, mteb_version="1.0.0"),
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores["topic"].to_numpy().tolist() == ["T1", "T2", "T3"]
    assert scores.sel(metric="main_score", system="a").to_numpy().tolist() == [0.9, 0.5, 0.75]
    assert scores.sel(metric="main_score", system="b").to_numpy().tolist() == [0.35, 0.1, 0.5]
    assert told(scores, "left out 3 older results of a model's task")


def test_revisions_that_say_nothing_of_their_age(put):
    """Two revisions with other scores and the same date and version are not chosen between; equal ones are one."""
    folder = _folder(put, ["a", "b"], T1=0.25, T2=0.5)
    put({"a/external/T1.json": _result("T1", {"test": {"default": 0.25}})})
    assert read_scores(folder).sel(metric="main_score", system="a").to_numpy().tolist() == [0.25, 0.5]
    put({"a/external/T1.json": _result("T1", {"test": {"default": 0.26}})})
    with pytest.raises(FileFormatError, match=r"T1\.json: a has other scores on T1 in .*leave one out"):
        read_scores(folder)


def test_subsets_and_splits_are_items_of_a_cluster(put, told):
    """What all models have of a task is read; subsets that one lacks are left out and counted."""
    entries = {"test": {"en": 0.5, "de": 0.25}, "validation": {"en": 0.75}}
    put({
        "a/r/T1.json": _result("T1", entries | {"train": {"en": 1.0}}),
        "b/r/T1.json": _result("T1", entries),
        "a/r/T2.json": _result("T2", {"test": {"en": 0.1, "fr": 0.2}}),
        "b/r/T2.json": _result("T2", {"test": {"en": 0.3}}),
    })  # fmt: skip
    scores = read_scores(put({}), where={"split": "*"})
    assert scores["topic"].to_numpy().tolist() == ["T1/de/test", "T1/en/test", "T1/en/validation", "T2"]
    assert scores["cluster"].to_numpy().tolist() == ["T1", "T1", "T1", "T2"]
    assert told(scores, "left out 2 subsets of a split that not all models")
    assert told(scores, "a task weighs by how many subsets it has (T1 3 of 4); MTEB's mean is over tasks")
    by_task = with_clusters(scores, "means").sel(metric="main_score", system="a")
    assert by_task.to_numpy().tolist() == [0.5, 0.1]  # (0.25 + 0.5 + 0.75)/3


def test_the_split_test_is_read_where_a_task_has_one(put, told):
    """Others count where they are asked for, or where a task has nothing else; what is left out is said."""
    entries = {"test": {"en": 0.5, "de": 0.25}, "validation": {"en": 0.75, "de": 0.5}, "train": {"en": 1.0}}
    other = {"dev": {"en": 0.25}, "train": {"en": 0.125}}
    put({f"{model}/r/T1.json": _result("T1", entries) for model in "ab"})
    put({f"{model}/r/T2.json": _result("T2", other) for model in "ab"})
    scores = read_scores(put({}))
    assert scores["topic"].to_numpy().tolist() == ["T1/de", "T1/en", "T2/dev", "T2/train"]
    assert told(scores, "left out 2 subsets of split validation (`where={'split': 'validation'}` reads those)")
    assert told(scores, "left out 1 subset of split train")
    assert told(scores, "read several splits of tasks without the split test: T2 dev, train")
    for where, topics in (
        ({"split": "validation"}, ["T1/de", "T1/en"]),
        ({"T2/split": "dev"}, ["T1/de", "T1/en", "T2"]),
        ({"split": "t*"}, ["T1/de/test", "T1/en/test", "T1/en/train", "T2"]),
    ):
        assert read_scores(put({}), where=where, missing="pairwise")["topic"].to_numpy().tolist() == topics
    with pytest.raises(UnknownNameError, match=r"no split in the results of MTEB 'tests'; did you mean 'test'\?"):
        read_scores(put({}), where={"split": "tests"})


def test_a_task_that_a_model_lacks_is_a_gap(put):
    """Nothing is dropped where a model has no result of a task: that is for the caller to say."""
    folder = _folder(put, ["a", "b"], T1=0.25, T2=0.5, T3=0.5)
    (folder / "b/rev/T3.json").unlink()
    with pytest.raises(ValueError, match="no score for system 'b' on item 'T3'"):
        read_scores(folder)
    assert read_scores(folder, missing="drop-topics").sizes["topic"] == 2


def test_experiments_are_repeats(put, told):
    """The main score has the repeats of the metric whose value it is; repeats with another mean are not its own."""
    entry = {"accuracy": 0.5, "main_score": 0.5, "f1": 0.25, "ap": None}
    entry |= {"scores_per_experiment": [{"accuracy": 0.25, "f1": 0.5, "ap": None}, {"accuracy": 0.75, "f1": 0.5}]}
    put({f"{model}/r/T1.json": _result("T1", {"test": {"default": entry}}) for model in "ab"})
    put({f"{model}/r/T2.json": _result("T2", {"test": {"default": 0.5}}) for model in "ab"})
    scores = read_scores(put({}))
    assert scores.dims == ("metric", "system", "topic", "repeat")
    np.testing.assert_array_equal(scores.sel(metric="main_score", system="a"), [[0.25, 0.75], [0.5, np.nan]])
    assert told(scores, "2 scores with experiments whose mean is another number")
    assert told(scores, "repeats differ: 1 to 2")


def test_metrics_of_some_tasks_are_read_when_they_are_named(put, told):
    """Only the main score covers all tasks; a named metric brings the items that it scores."""
    for at, model in enumerate("ab"):
        put({
            f"{model}/r/T{n}.json": _result(f"T{n}", _of(metric, 0.25 * (at + n)))
            for n, metric in enumerate(("ndcg_at_10", "ndcg_at_10", "f1"))
        })  # fmt: skip
    scores = read_scores(put({}))
    assert scores["metric"].to_numpy().tolist() == ["main_score"]
    assert told(scores, "left out 2 metrics")
    chosen = read_scores(put({}), metrics=["ndcg_at_10"])
    assert chosen["topic"].to_numpy().tolist() == ["T0", "T1"]
    assert chosen.sel(metric="ndcg_at_10", system="b").to_numpy().tolist() == [0.25, 0.5]
    with pytest.raises(ValueError, match=r"no metric in the results 'nDCG'"):
        read_scores(put({}), metrics=["nDCG"])


FAULTS = {
    "a word": ({"main_score": "good"}, r"scores\.test\[0\]\.main_score: 'good' is no number"),
    "no main score": ({"f1": 0.5}, r"scores\.test\[0\]: an entry is an object with a main_score"),
    "infinite": ('{"main_score": Infinity}', r"scores\.test\[0\]\.main_score: inf is not finite"),
    "nested": ([{"main_score": 1}], r"scores\.test\[0\]: an entry is an object"),
}


@pytest.mark.parametrize(("entry", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_entries(put, entry, message):
    """The refusal names the file and the key."""
    folder = _folder(put, ["a", "b"], T1=0.25, T2=0.5)
    entry = json.loads(entry) if isinstance(entry, str) else entry
    put({"a/rev/T1.json": {"task_name": "T1", "scores": {"test": [entry]}}})
    with pytest.raises(FileFormatError, match=rf"a/rev/T1\.json: {message}"):
        read_scores(folder)


def test_splits_that_are_no_lists_and_subsets_twice(put):
    """Scores of an unknown shape are refused, and so is a subset that appears twice in a split."""
    folder = _folder(put, ["a", "b"], T1=0.25, T2=0.5)
    put({"a/rev/T1.json": {"task_name": "T1", "scores": {"test": {"main_score": 0.5}}}})
    with pytest.raises(FileFormatError, match=r"scores\.test: the scores of a split are a list of entries"):
        read_scores(folder)
    put({"a/rev/T1.json": {"task_name": "T1", "scores": {"test": [{"main_score": 0.5}, {"main_score": 0.25}]}}})
    with pytest.raises(FileFormatError, match=r"scores\.test\[1\]: the subset 'default' appears twice"):
        read_scores(folder)


def test_the_real_folder_equals_its_table(data_folder, roomy, told):
    """MTEB(eng, v2), 7,503 files: the 41 items that all 183 models have are the table, cell by cell."""
    with tarfile.open(data_folder / "mteb" / "results-eng-v2.tar.xz") as archive:
        archive.extractall(roomy, filter="data")
    with pytest.raises(
        FileFormatError, match=r"dataset_revision is '\w{8}…' here and '\w{8}…' in .* \(22 more differ\)"
    ):
        read_scores(roomy / "results")
    scores = read_scores(roomy / "results", where={"dataset_revision": "*"})
    table = pd.read_csv(data_folder / "mteb" / "mteb_eng_v2.csv", index_col="task")
    assert scores["metric"].to_numpy().tolist() == ["main_score"]
    assert sorted(scores["topic"].to_numpy()) == sorted(table.index)
    assert sorted(scores["system"].to_numpy()) == sorted(table.columns)
    means = scores.mean("repeat").sel(metric="main_score", system=list(table.columns), topic=list(table.index))
    np.testing.assert_allclose(means.to_numpy().T, table.to_numpy(), rtol=0, atol=1e-6)
    assert len(scores.attrs["sources"]) == 7503
    assert told(scores, "left out 302 files without results of MTEB: model_meta.json")


def test_the_older_schema(put, told):
    """Splits beside the name, subsets inside or not, main_score by the kind of task; together with newer files."""
    old = {
        "Banking": {"test": {"en": {"accuracy": 0.5, "f1": 0.4}, "de": {"accuracy": 0.3, "f1": 0.2}}},
        "STS": {"test": {"cos_sim": {"pearson": 0.7, "spearman": 0.6}, "evaluation_time": 9.5}},
        "FiQA": {"dev": {"ndcg_at_10": 0.25, "map_at_10": 0.1}, "evaluation_time": 1.0},
        "Tatoeba": {"test": {"a-b": {"accuracy": 0.9, "f1": 0.8, "precision": 0.7, "recall": 0.6}}},
        "Odd": {"test": {"main_score": 0.125, "accuracy": 0.5}},
    }
    put(
        {
            f"a/rev/{task}.json": {"mteb_dataset_name": task, "mteb_version": "0.0.2"} | more
            for task, more in old.items()
        }
    )
    newer = {
        "Banking": {"en": 0.6, "de": 0.4},
        "STS": {"default": 0.5},
        "Tatoeba": {"a-b": 0.5},
        "Odd": {"default": 1.0},
    }
    put({f"b/rev/{task}.json": _result(task, {"test": subsets}) for task, subsets in newer.items()})
    put({"b/rev/FiQA.json": _result("FiQA", {"dev": {"default": 0.5}})})
    scores = read_scores(put({}), metrics=["main_score"])
    first = scores.sel(metric="main_score", system="a").to_series().to_dict()
    assert first == {"Banking/de": 0.3, "Banking/en": 0.5, "FiQA": 0.25, "Odd": 0.125, "STS": 0.6, "Tatoeba": 0.8}
    assert told(scores, "5 results of the schema before version 1.11: main_score by the kind of task")
    assert not np.isnan(scores.to_numpy()).any()
