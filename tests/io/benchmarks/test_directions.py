"""Direction belongs to the value that is read: a law over all metrics in the registries of three programs.

``registries.toml`` has what the programs themselves say, of their aggregates. Of the values of items we hold what
follows from it: systems ordered by the mean of their items, in the direction that we read, are ordered as by the
aggregate in the direction that the program says.
"""

import math
import statistics
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.formats import FORMATS
from metaeval.io.tables import read_scores

REGISTRIES = tomllib.loads(Path(__file__).with_name("registries.toml").read_text("utf-8"))
LM, HELM, MTEB = (REGISTRIES[name] for name in ("lm-evaluation-harness", "HELM", "MTEB"))
AGGREGATES = {
    "mean": statistics.fmean,
    "nanmean": statistics.fmean,
    "median": lambda values: sorted(values)[len(values) // 2],
    "perplexity": lambda values: math.exp(-statistics.fmean(values)),
}
"""Aggregations of numbers, by their definitions; all others are of pairs."""
OF_PAIRS = {
    "bits_per_byte",
    "bleu",
    "brier_score",
    "chrf",
    "chrf++",
    "f1",
    "matthews_corrcoef",
    "ter",
    "weighted_perplexity",
}
NO_SCORE = {"bypass"}


def _lm_files(metric, values, *, aggregation=None, higher=None, task="t"):
    """Return samples and results of systems, a list of values each."""
    files = {}
    said = {"metric": metric} | ({"aggregation": aggregation} if aggregation else {})
    for system, own in zip("abcdef", values, strict=False):
        files[f"{system}/samples_{task}_2026-01-01T00-00-00.5.jsonl"] = [
            {
                "doc_id": at,
                "doc_hash": f"h{at}",
                "metrics": [metric, "acc"],
                metric: value,
                "acc": (at + len(system)) % 2,
            }
            for at, value in enumerate(own)
        ]
        results = {
            "results": {task: {f"{metric},none": 0.5}},
            "versions": {},
            "config": {},
            "model_name_sanitized": system,
        }
        results |= {"configs": {task: {"metric_list": [said]}}}
        results |= {} if higher is None else {"higher_is_better": {task: {metric: higher}}}
        files[f"{system}/results_2026-01-01T00-00-00.5.json"] = results
    return files


def _way(scores, metric):
    return bool(scores["higher_is_better"].sel(metric=metric).item())


def test_every_aggregation_is_known():
    """Of every aggregation in the registry it is decided what its items are."""
    assert set(LM["aggregations"]) == {*AGGREGATES, *OF_PAIRS, *NO_SCORE}
    used = {one["aggregation"] for one in LM["metrics"].values()} | {*LM["lower_in_tasks"]}
    assert used - set(LM["aggregations"]) == {"a function of the task"}


@pytest.mark.parametrize("metric", LM["metrics"])
@pytest.mark.parametrize("said", ["results", "registry"])
def test_metrics_of_lm_evaluation_harness(metric, said, put, told):
    """Numbers have the direction in which their mean orders as the aggregate does; pairs are no scores, and named."""
    known = LM["metrics"][metric]
    aggregation, higher = known["aggregation"], known["higher_is_better"]
    more = {"aggregation": aggregation, "higher": higher} if said == "results" else {}
    if aggregation in OF_PAIRS:
        put(_lm_files(metric, [[[-1.5, 4], [-2.5, 6]], [[-2.0, 4], [-3.0, 6]]], **more))
        scores = read_scores(put({}))
        assert scores["metric"].to_numpy().tolist() == ["acc"]
        assert told(scores, f"left out what holds no number for an item: {metric}")
        return
    put(_lm_files(metric, [[-1.0, -3.0], [-2.0, -4.5]], **more))
    if aggregation in NO_SCORE:
        assert read_scores(put({}))["metric"].to_numpy().tolist() == ["acc"]
        return
    scores = read_scores(put({}), metrics=[metric])
    better_by_aggregate = (AGGREGATES[aggregation]([-1.0, -3.0]) > AGGREGATES[aggregation]([-2.0, -4.5])) == higher
    assert _way(scores, metric) == better_by_aggregate  # the first has the higher mean
    assert bool(told(scores, "perplexity of a sample is a log likelihood")) == (metric == "perplexity")


VALUES = st.lists(st.floats(-50, 0), min_size=3, max_size=6)


@given(values=VALUES, step=st.floats(0.25, 5), higher=st.booleans(), aggregation=st.sampled_from(sorted(AGGREGATES)))
def test_items_order_systems_as_the_aggregate_does(tmp_path_factory, values, step, higher, aggregation):
    """The law, for systems of which one has the larger value on every item."""
    first, second = values, [value - step for value in values]
    folder = tmp_path_factory.mktemp("law")
    for name, held in _lm_files("own", [first, second], aggregation=aggregation, higher=higher).items():
        _write(folder / name, held)
    scores = read_scores(folder, metrics=["own"])
    aggregates = [AGGREGATES[aggregation](one) for one in (first, second)]
    wins = (aggregates[0] > aggregates[1]) == higher
    assert (_way(scores, "own") and wins) or (not _way(scores, "own") and not wins)


def _write(path, held):
    import json  # noqa: PLC0415 - as the fixture `put`, which hypothesis cannot use

    path.parent.mkdir(parents=True, exist_ok=True)
    lines = held if path.suffix == ".jsonl" else [held]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))


def test_the_better_language_model_is_first(put, told):
    """Samples of perplexity are log likelihoods: means -1.55 and -4.05 are perplexities 4.7115 and 57.3975.

    The values are those of ``cases/evals/01``, after lm-evaluation-harness, issue 1595.
    """
    strong = [-1.0 - at / 10 for at in range(12)]
    put(_lm_files("perplexity", [strong, [value - 2.5 for value in strong]], aggregation="perplexity", higher=False))
    scores = read_scores(put({}), metrics=["perplexity"])
    assert scores.mean("topic").to_numpy().tolist() == [[pytest.approx(-1.55), pytest.approx(-4.05)]]
    assert _way(scores, "perplexity")
    (note,) = told(scores, "perplexity of a sample")
    assert "exp(-mean) is 4.71147 for a on t, 57.3975 for b on t" in note
    assert not told(read_scores(put({}), metrics=["acc"]), "perplexity of a sample")
    put({name: held for name, held in _lm_files("perplexity", [strong, strong]).items() if "results" in name}, "alone")
    for system, value in (("a", 4.7), ("b", 57.4)):
        held = {task: {"perplexity,none": value} for task in ("t", "u")}
        about = {"versions": {}, "config": {}, "model_name_sanitized": system}
        put({f"{system}/results_2026-01-01T00-00-00.5.json": {"results": held} | about}, "alone")
    assert not _way(read_scores(put({}, "alone")), "perplexity")


def test_a_function_of_a_task_is_taken_as_it_says_and_noted(put, told):
    """What a task's own function makes of its items nobody knows; where lower is better that is said."""
    put(_lm_files("bias", [[0.5, 0.25], [0.75, 0.5]], aggregation="def agg(items): ...", higher=False))
    scores = read_scores(put({}), metrics=["bias"])
    assert not _way(scores, "bias")
    assert told(scores, "lower aggregates are better under bias, by a function of its task")


def test_two_directions_have_no_common_mean(put):
    """Where lower is better in one task and higher in another, items of both cannot be averaged; one can be named."""
    put(_lm_files("exact_match", [[0.5, 0.25], [0.75, 0.5]], aggregation="mean", higher=False, task="none_known"))
    put({name: held for name, held in _lm_files("exact_match", [[1, 0], [0, 0]], higher=True, task="usual").items()
         if "samples" in name})  # fmt: skip
    for system in "ab":
        about = {"versions": {}, "config": {}, "model_name_sanitized": system}
        better = {"none_known": {"exact_match": False}, "usual": {"exact_match": True}}
        held = {task: {"exact_match,none": 0.5} for task in better}
        put({f"{system}/results_2026-01-01T00-00-00.5.json": {"results": held, "higher_is_better": better} | about})
    with pytest.raises(
        FileFormatError, match=r"lower is better under exact_match of none_known, and higher .* usual"
    ) as found:
        read_scores(put({}), metrics=["exact_match"])
    assert "`metrics=['usual=exact_match']`" in str(found.value)
    assert _way(read_scores(put({}), metrics=["usual=exact_match"]), "score")
    assert not _way(read_scores(put({}), metrics=["none_known=exact_match"]), "score")


def _helm(put, names, scenario="MMLUScenario", folder="helm"):
    for at, model in enumerate("ab"):
        stats = [
            [{"name": {"name": name}, "count": 1, "mean": 0.25 * at + 0.125 * n} for name in names] for n in range(2)
        ]
        put({
            f"run{at}/run_spec.json": {"scenario_spec": {"class_name": scenario}, "adapter_spec": {"model": model}},
            f"run{at}/per_instance_stats.json": [{"instance_id": str(n), "stats": own} for n, own in enumerate(stats)],
        }, folder)  # fmt: skip
    return put({}, folder)


def test_statistics_of_helm(put, told):
    """Each of its schemas' and metrics' names has HELM's own direction; a statistic's mean is that of its instances."""
    names = [*HELM["higher"], *HELM["lower"], *HELM["unsaid"], *HELM["both"]]
    scores = read_scores(_helm(put, names), metrics=names)
    ways = dict(zip(scores["metric"].to_numpy().tolist(), scores["higher_is_better"].to_numpy().tolist(), strict=True))
    assert [name for name in HELM["higher"] if not ways[name]] == []
    assert [name for name in HELM["lower"] if ways[name]] == []
    assert all(ways[name] for name in [*HELM["unsaid"], *HELM["both"]])
    helm = next(one for one in FORMATS if one.name == "HELM")
    assert set(helm.undirected) <= set(HELM["unsaid"])
    assert told(
        read_scores(_helm(put, names), metrics=["self_bleu"]), "HELM does not say whether a lower value is better"
    )
    counted = {name for name in HELM["unsaid"] if name not in {*helm.undirected, *HELM["decided"]}}
    bookkeeping = read_scores(_helm(put, [*counted, "exact_match"], folder="counts"))
    assert bookkeeping["metric"].to_numpy().tolist() == ["exact_match"]


def test_similarity_to_what_is_copyrighted(put):
    """HELM says both of edit_similarity: lower is better where a text is protected, higher elsewhere."""
    for scenario, higher in (("CopyrightScenario", False), ("Image2StructureScenario", True)):
        folder = _helm(put, ["edit_similarity", "edit_distance"], scenario, scenario)
        assert _way(read_scores(folder, metrics=["edit_similarity"]), "edit_similarity") == higher


def _mteb(put, entries, folder="mteb"):
    return put({
        f"{model}/r/{task}.json": {"task_name": task, "scores": {"test": [
            {name: value + at / 8 for name, value in entry.items()}
        ]}}
        for at, model in enumerate("ab")
        for task, entry in entries.items()
    }, folder)  # fmt: skip


def test_metrics_of_mteb(put, told):
    """Errors are better lower, all else higher; thresholds and standard deviations are no scores."""
    names = [*MTEB["higher"], *MTEB["lower"], *MTEB["no_scores"], *MTEB["main_scores"]]
    values = {"main_score": 0.5} | {
        name: 0.01 * at for at, name in enumerate(dict.fromkeys(names)) if name != "main_score"
    }
    scores = read_scores(_mteb(put, {"T1": values, "T2": values}))
    ways = dict(zip(scores["metric"].to_numpy().tolist(), scores["higher_is_better"].to_numpy().tolist(), strict=True))
    assert ways == dict.fromkeys([*MTEB["higher"], *MTEB["main_scores"]], True) | dict.fromkeys(MTEB["lower"], False)
    assert told(scores, "left out thresholds and standard deviations, which are no scores")


def test_a_main_score_that_is_an_error(put):
    """Files do not name the main score; where it is the value of an error, lower is better, and tasks differ."""
    errors = {"main_score": 0.25, "rmse": 0.25, "kendalltau": 0.5}
    usual = {"main_score": 0.75, "accuracy": 0.75}
    assert not _way(read_scores(_mteb(put, {"T1": errors, "T2": errors}), metrics=["main_score"]), "main_score")
    folder = _mteb(put, {"T1": errors, "T2": usual}, "both")
    with pytest.raises(FileFormatError, match="lower is better under main_score of T1, and higher under that of T2"):
        read_scores(folder, metrics=["main_score"])


def test_negative_log_likelihoods_of_inspect_ai(put):
    """A sample of its scorer perplexity is a negative log likelihood: lower is better, as of both its aggregates."""
    for at, model in enumerate("ab"):
        scorers = [
            {
                "name": "perplexity",
                "metrics": [{"name": "inspect_ai/perplexity_per_token"}, {"name": "perplexity_per_seq"}],
            },
            {"name": "match", "metrics": {"*": [{"name": "inspect_ai/accuracy"}]}},
        ]
        samples = [
            {"id": n, "scores": {"perplexity": {"value": 1.5 + at + n}, "match": {"value": "CI"[at]}}} for n in range(2)
        ]
        evaluated = {"task": "t", "model": model, "scorers": scorers}
        put({f"{model}.json": {"status": "success", "eval": evaluated, "samples": samples}})
    scores = read_scores(put({}), metrics=["perplexity", "match"])
    assert scores["higher_is_better"].to_numpy().tolist() == [False, True]
