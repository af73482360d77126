"""Samples of lm-evaluation-harness: what may be odd or broken in them; its own files are in `test_written`."""

import pytest

from metaeval.errors import FileFormatError, MetaevalError
from metaeval.io.tables import read_scores
from metaeval.questions.table.study import study_table


def _sample(doc_id, used="none", doc_hash=None, **scores):
    return {
        "doc_id": doc_id, "doc": {"question": f"q{doc_id}"}, "target": "x", "arguments": {}, "resps": [["x"]],
        "filtered_resps": ["x"], "filter": used, "metrics": list(scores), "doc_hash": doc_hash or f"hash{doc_id}",
        "prompt_hash": "p", "target_hash": "t", **scores,
    }  # fmt: skip


def _name(model, task, date="2026-01-01T00-00-00.000001"):
    return f"{model}/samples_{task}_{date}.jsonl"


def test_folders_tasks_and_filters(put, told):
    """A system is a folder, an item a document of a task, its cluster the task; a filter is part of the metric."""
    put(
        {
            _name(model, task): [_sample(n, acc=float(n == at), acc_norm=float(n == 2)) for n in range(3)]
            for at, model in enumerate(("org__a", "org__b"))
            for task in ("arc_easy", "piqa")
        }
        | {f"{model}/notes.json": {"remarks": {"arc_easy": {}}} for model in ("org__a", "org__b")}
    )
    scores = read_scores(put({}))
    assert scores["system"].to_numpy().tolist() == ["org__a", "org__b"]
    assert scores["metric"].to_numpy().tolist() == ["acc", "acc_norm"]
    assert scores["topic"].to_numpy().tolist() == [f"{task}/{n}" for task in ("arc_easy", "piqa") for n in range(3)]
    assert scores["cluster"].to_numpy().tolist() == ["arc_easy"] * 3 + ["piqa"] * 3
    assert scores.sel(metric="acc", system="org__b").to_numpy().tolist() == [0, 1, 0] * 2
    assert told(scores, "left out 2 files without results of lm-evaluation-harness")
    filtered = [_sample(n, used, exact_match=value) for n in (0, 1) for used, value in (("strict", 0), ("flexible", 1))]
    put({_name("a", "gsm8k"): filtered, _name("b", "gsm8k"): filtered}, "filters")
    scores = read_scores(put({}, "filters"))
    assert scores["metric"].to_numpy().tolist() == ["exact_match(strict)", "exact_match(flexible)"]
    assert scores.sel(metric="exact_match(flexible)").to_numpy().tolist() == [[1, 1], [1, 1]]


def test_renamed_files_of_one_folder_with_the_same_documents_are_systems(put, told):
    """What their names share is the task; files of other documents stay tasks of the folder's system."""
    files = {
        f"all/{name}_gsm8k.jsonl": [_sample(n, acc=float(n == at)) for n in range(3)]
        for at, name in enumerate(("qwen", "llama"))
    }
    scores = read_scores(put(files))
    assert scores["system"].to_numpy().tolist() == ["llama_gsm8k", "qwen_gsm8k"]
    assert scores["topic"].to_numpy().tolist() == ["gsm8k/0", "gsm8k/1", "gsm8k/2"]
    assert scores.to_numpy().tolist() == [[[0, 1, 0], [1, 0, 0]]]
    assert told(scores, "files of one folder with the same documents are systems: llama_gsm8k, qwen_gsm8k")
    for m in "mn":
        put({f"{m}/arc.jsonl": [_sample(0, acc=1)], f"{m}/piqa.jsonl": [_sample(0, doc_hash="other", acc=0)]}, "tasks")
    assert read_scores(put({}, "tasks"))["topic"].to_numpy().tolist() == ["arc/0", "piqa/0"]


def test_results_of_other_names_are_of_the_model_and_date_that_they_hold(put):
    """Two models in one folder, and of one of them two runs, of which the newer counts."""
    about = {"versions": {}, "config": {}}
    held = {"qwen": ("q", 1.0, 0.25), "old": ("m", 1.0, 0.5), "new": ("m", 2.0, 0.75)}
    put(
        {
            f"all/{name}.json": about
            | {"results": {task: {"acc,none": acc} for task in ("t", "u")}, "model_name_sanitized": model, "date": date}
            for name, (model, date, acc) in held.items()
        }
    )
    scores = read_scores(put({}))
    assert scores["system"].to_numpy().tolist() == ["m", "q"]
    assert scores.to_numpy().tolist() == [[[0.75, 0.75], [0.25, 0.25]]]


def test_tasks_with_metrics_of_their_own(put, told):
    """Where no metric scores every document, the metric must be named, and brings its documents."""
    for model in "ab":
        put({_name(model, "arc"): [_sample(n, acc=1) for n in range(3)]})
        put({_name(model, "gsm"): [_sample(n, exact_match=0) for n in range(2)]})
    with pytest.raises(FileFormatError, match=r"no metric scores every item: acc 3, exact_match 2 of 5; say which"):
        read_scores(put({}))
    scores = read_scores(put({}), metrics=["acc"])
    assert scores["topic"].to_numpy().tolist() == ["arc/0", "arc/1", "arc/2"]
    assert told(scores, "left out 2 items without a score under acc")
    scores = read_scores(put({}), metrics=["arc=acc", "gsm=exact_match"])
    assert scores["metric"].to_numpy().tolist() == ["score"]
    assert scores.sel(metric="score", system="a").to_numpy().tolist() == [1, 1, 1, 0, 0]
    assert told(scores, "score is acc of arc; exact_match of gsm")
    assert told(read_scores(put({}), metrics=["arc=acc"]), "left out the items of 1 task without a metric")
    for metrics, words in (
        (["arc=em"], "no metric of arc 'em'; there is only 'acc'"),
        (["arcs=acc"], "no task 'arcs'; did you mean 'arc'"),
        (["arc=acc", "exact_match"], "TASK=METRIC"),
    ):
        with pytest.raises(MetaevalError, match=words):
            read_scores(put({}), metrics=metrics)


def test_counts_times_and_constants_are_no_metrics(put, told):
    """Left out and counted where nobody asks for them; read where somebody does; all there is is kept."""
    for at, model in enumerate("ab"):
        put({_name(model, "t"): [_sample(n, acc=n == at, num_prompt_tokens=n, words=7) for n in range(2)]})
    scores = read_scores(put({}))
    assert scores["metric"].to_numpy().tolist() == ["acc"]
    assert told(scores, "left out 2 numbers that count or time, or are the same throughout")
    assert read_scores(put({}), metrics=["words", "num_prompt_tokens"]).sizes["metric"] == 2


def test_what_is_no_score_of_a_document(put, told):
    """Metrics of a whole task hold lists or texts for a document; they are left out and named."""
    samples = [_sample(n, acc=1, word_perplexity=[-3.5, 4], bleu=["a", "b"]) for n in range(2)]
    put({_name("a", "t"): samples, _name("b", "t"): samples})
    scores = read_scores(put({}))
    assert scores["metric"].to_numpy().tolist() == ["acc"]
    assert told(scores, "left out what holds no number for an item: word_perplexity, bleu")


def test_the_newest_date_counts(put, told):
    """A task that was run again is read from its newest file."""
    put({
        _name("a", "t", "2026-01-01T00-00-00.5"): [_sample(n, acc=0) for n in range(2)],
        _name("a", "t", "2026-02-01T00-00-00.5"): [_sample(n, acc=1) for n in range(2)],
        _name("b", "t"): [_sample(n, acc=0) for n in range(2)],
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores.sel(metric="acc").to_numpy().tolist() == [[1, 1], [0, 0]]
    assert told(scores, "left out 1 older result of a task that was run again")


def test_a_document_with_two_checksums(put):
    """The same number with another checksum is another document, in one file and in two."""
    put({_name("a", "t"): [_sample(n, acc=0) for n in range(2)]})
    put({_name("b", "t"): [_sample(0, acc=0), _sample(1, doc_hash="other", acc=0)]})
    with pytest.raises(FileFormatError, match=r"b/samples_t_.*, line 2: item 't/1' has the doc_hash 'other', but"):
        read_scores(put({}))
    put({_name("b", "t"): [_sample(0, acc=0), _sample(1, acc=0), _sample(1, doc_hash="other", acc=0)]})
    with pytest.raises(FileFormatError, match=r"line 3: item 't/1' has the doc_hash 'other', but"):
        read_scores(put({}))


def test_a_document_that_stands_twice(put, told):
    """Appending twice to a file counts once where the scores are equal, and stops where they are not."""
    put(
        {
            _name("a", "t"): [_sample(n, acc=0) for n in (0, 1, 0, 1)],
            _name("b", "t"): [_sample(n, acc=1) for n in (0, 1)],
        }
    )
    scores = read_scores(put({}))
    assert scores.sel(metric="acc").to_numpy().tolist() == [[0, 0], [1, 1]]
    assert told(scores, "2 scores given twice alike counted once")
    put({_name("a", "t"): [_sample(0, acc=0), _sample(1, acc=0), _sample(0, acc=1)]})
    message = (
        r"line 3: acc: system 'a' has a score on 't/0' under 'acc' already \(.*line 1, acc\); keep one of them, or pass"
    )
    with pytest.raises(FileFormatError, match=message):
        read_scores(put({}))
    for rule, values in (("first", [0, 0]), ("mean", [0.5, 0])):
        scores = read_scores(put({}), duplicates=rule)
        assert scores.sel(metric="acc", system="a").to_numpy().tolist() == values
        assert told(scores, "1 score repeats another one")


FAULTS = {
    "nested": ([_sample(0, acc={"a": 1}), _sample(1, acc=0)], r"line 1: acc: this is an object"),
    "infinite": ([_sample(0, acc=float("inf")), _sample(1, acc=0)], r"line 1: acc: inf is not finite"),
    "a word": ([_sample(0, acc=1), _sample(1, acc="yes")], r"line 2: acc: 'yes' is no number"),
    "names of metrics": (
        [_sample(0, acc=1) | {"metrics": {"acc": 1}}, _sample(1, acc=0)],
        r"line 1: metrics: the names of the metrics",
    ),
    "answers that were not scored": (
        [_sample(0, bypass=0), _sample(1, bypass=0)],
        r"line 1: bypass: the only metric of t is bypass \(0\), .*; run lm_eval without --predict_only, or leave this",
    ),
    "no number": ([_sample(0, acc=1), {"acc": 1}], r"line 2: there is no doc_id"),
    "cut short": (
        '{"doc_id": 0, "doc_hash": "h", "metrics": ["acc"], "acc": 1}\n{"doc_id": 1, "do',
        r"line 2: the JSON is cut",
    ),
    "a name twice": (
        '{"doc_id": 0, "doc_hash": "h", "acc": 1, "acc": 0}\n{"doc_id": 1}',
        r"line 1: the name 'acc' appears twice",
    ),
}


@pytest.mark.parametrize(("lines", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_lines(put, lines, message):
    """The refusal names file, line and key."""
    put({_name("a", "t"): lines, _name("b", "t"): [_sample(n, acc=0) for n in (0, 1)]})
    with pytest.raises(FileFormatError, match=rf"a/samples_t_.*\.jsonl, {message}"):
        read_scores(put({}))


def test_a_missing_document_and_an_empty_score(put):
    """A document that one model lacks, or has null on, is a gap and named."""
    put({_name("a", "t"): [_sample(n, acc=0) for n in (0, 1, 2)]})
    for lacking in (
        [_sample(0, acc=1), _sample(1, acc=1)],
        [_sample(0, acc=1), _sample(1, acc=1), _sample(2, acc=None)],
    ):
        put({_name("b", "t"): lacking})
        with pytest.raises(ValueError, match="no score for system 'b' on item 't/2' under 'acc'"):
            read_scores(put({}))
        assert read_scores(put({}), missing="drop-topics").sizes["topic"] == 2


def test_folders_of_one_name(put):
    """Two folders of one name are one model for tasks that only one of them has, and are not chosen between else."""
    put(
        {_name("few/a", "t"): [_sample(n, acc=1) for n in (0, 1)], _name("b", "t"): [_sample(n, acc=0) for n in (0, 1)]}
    )
    put(
        {
            _name("none/a", "u"): [_sample(n, acc=1) for n in (0, 1)],
            _name("b", "u"): [_sample(n, acc=0) for n in (0, 1)],
        }
    )
    assert read_scores(put({}))["system"].to_numpy().tolist() == ["b", "a"]
    put({_name("none/a", "t"): [_sample(n, acc=0) for n in (0, 1)]})
    with pytest.raises(FileFormatError, match=r"none/a/samples_t_.*: a has results of t in .*few/a/.* too"):
        read_scores(put({}))


def test_a_newer_file_of_fewer_documents(put):
    """A run with a limit does not take the place of the whole one."""
    put({
        _name("a", "t", "2026-01-01T00-00-00.5"): [_sample(n, acc=0) for n in range(4)],
        _name("a", "t", "2026-02-01T00-00-00"): [_sample(n, acc=1) for n in range(2)],
        _name("b", "t"): [_sample(n, acc=0) for n in range(4)],
    })  # fmt: skip
    with pytest.raises(FileFormatError, match=r"this newest file of a on t scores 2 items, and .*, 4; leave out"):
        read_scores(put({}))


def test_a_task_that_was_run_again_with_other_settings(put, told):
    """The note on older results says how many had other settings."""
    results = {"results": {"t": {"acc,none": 0.5}}, "versions": {"t": 1.0}, "n-shot": {"t": 0}, "config": {}}
    for model in "ab":
        put({_name(model, "t"): [_sample(n, acc=n) for n in range(2)]})
        put({f"{model}/results_2026-01-01T00-00-00.000001.json": results | {"model_name_sanitized": model}})
    put({"b/samples_t_2025-01-01T00-00-00.5.jsonl": [_sample(n, acc=1) for n in range(2)]})
    put({"b/results_2025-01-01T00-00-00.5.json": results | {"n-shot": {"t": 3}, "model_name_sanitized": "b"}})
    assert told(read_scores(put({})), "left out 1 older result of a task that was run again (1 with other settings)")


@pytest.mark.parametrize("metrics", [None, ["*=acc"]])
def test_tasks_differ_by_their_own_errors(put, metrics):
    """Means of 1,000 answers: of .42 and .36, .725 and .744, .66 and .59, .5 and .5 z is 2.76, -.96, 3.24 and 0.

    Holm's p-values of the first and third are 3 x .0058 and 4 x .0012. Over four tasks p is .29 by the paired t test.
    """
    shares = {"a": (0.42, 0.725, 0.66, 0.5), "b": (0.36, 0.744, 0.59, 0.5), "c": (0.42, 0.725, 0.66, 0.5)}
    for model, of_model in shares.items():
        results = {
            f"t{at}": {"acc,none": share, "acc_stderr,none": (share * (1 - share) / 999) ** 0.5}
            for at, share in enumerate(of_model)
        }
        held = {"results": results, "versions": dict.fromkeys(results, 1.0), "n-shot": {}, "config": {}}
        put({f"{model}/results_2026-01-01T00-00-00.5.json": held | {"model_name_sanitized": model}})
    scores = read_scores(put({}), metrics=metrics)
    first = study_table(scores.sel(system=["a", "b"])).report().summary[0]
    assert first.startswith("No: a and b do not differ significantly")
    assert first.endswith("by the standard errors in the files (z, Holm), a is significantly better on t0 and t2.")
    several = study_table(scores).report().summary[0]  # t2 alone, 12 x .0012, and not t0, 10 x .0058
    assert several.endswith("by the standard errors in the files (z, Holm), 2 of 12 differences are significant.")


def test_results_of_answers_that_were_not_scored(put):
    """The constant in place of a metric is no score of the task either; beside a metric it is left out."""
    held = {
        "results": {"t": {"bypass,none": 999}, "u": {"acc,none": 0.5, "bypass,none": 999}},
        "config": {},
        "versions": {},
    }
    for model in ("a", "b"):
        put({f"{model}/results_2026-01-01T00-00-00.5.json": held | {"model_name_sanitized": model}})
    with pytest.raises(FileFormatError, match=r"results.t.bypass,none: the only metric of t is bypass \(999\)"):
        read_scores(put({}))
    held["results"]["t"] = held["results"]["u"]
    for model in ("a", "b"):
        put({f"{model}/results_2026-01-01T00-00-00.5.json": held | {"model_name_sanitized": model}})
    assert read_scores(put({}))["metric"].to_numpy().tolist() == ["acc"]
