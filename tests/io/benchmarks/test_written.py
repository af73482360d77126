"""Files as the tools write them today, of our own toy questions and models, kept in ``written.tar.xz``.

They were written by lm-eval 0.4.13 (`EvaluationTracker`, tasks of our own), crfm-helm 0.5.16 (`Runner`, a scenario and
a client of our own), inspect_ai 0.3.285 (`mockllm`), alpaca_eval 0.6.6 (`evaluate`, an annotator of fixed answers; its
weights for lengths are ours, as the real ones are on a server) and nuggetizer 0.0.5 (`create`, `assign` and its
metrics, with fixed answers, put into lines as its scripts do, which the package lacks). In each case what the tool
itself says of all items is what we read.
"""

import ast
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError, MetaevalError
from metaeval.io.tables import read_scores


def _means(scores, metric):
    dims = [dim for dim in ("topic", "repeat") if dim in scores.dims]
    return scores.sel(metric=metric).mean(dims).to_series().to_dict()


def test_lm_eval_samples_have_the_means_of_its_results(written):
    """Each metric and filter that is a mean of numbers has the value that lm-eval aggregated, and its direction."""
    folder = written / "lm_eval/separate"
    results = {path.parent.name: json.loads(path.read_text())["results"] for path in folder.glob("*/results_*")}
    for metric, task, named in (
        ("acc", "toy_choices", "acc,none"),
        ("acc_norm", "toy_choices", "acc_norm,none"),
        ("exact_match(flexible-extract)", "toy_sums", "exact_match,flexible-extract"),
        ("acc-t", "toy_own", "acc-t,none"),
        ("loose accuracy", "toy_own", "loose accuracy,none"),
    ):
        means = _means(read_scores(folder, metrics=[metric]), metric)
        assert means == pytest.approx({system: tasks[task][named] for system, tasks in results.items()})
    scores = read_scores(folder, metrics=["toy_sums=exact_match", "flexible-extract", "toy_ch*=acc,none"])
    assert scores["metric"].to_numpy().tolist() == ["score"]
    assert scores["cluster"].to_numpy().tolist() == ["toy_choices"] * 5 + ["toy_sums"] * 5


def test_lm_eval_says_how_to_name_metrics_of_tasks(written):
    """Where no metric covers all tasks the message is a list that can be copied, and following it reads the files."""
    with pytest.raises(FileFormatError, match="as TASK=METRIC, such as ") as error:
        read_scores(written / "lm_eval/separate")
    advice = ast.literal_eval(re.search(r"such as `metrics=(.*)`$", str(error.value))[1])
    assert read_scores(written / "lm_eval/separate", metrics=advice).sizes["topic"] == 15
    with pytest.raises(MetaevalError, match=r"no metric of toy_own 'acc'.*'loose accuracy'"):
        read_scores(written / "lm_eval/separate", metrics=["toy_own=acc", "toy_sums=exact_match(strict-match)"])


def test_lm_eval_models_that_wrote_into_one_folder(written):
    """With --output_path NAME.json all models write into one folder; results of the same date say which is which."""
    metrics = ["toy_choices=acc", "toy_sums=exact_match(flexible-extract)"]
    scores = read_scores(written / "lm_eval/together", metrics=metrics)
    assert scores["system"].to_numpy().tolist() == ["org__small", "org__large"]


def test_lm_eval_results_alone(written, told, tmp_path):
    """Without samples the items are tasks; groups and standard errors are no scores, and directions are kept.

    Samples that lie beside the results are told of, by the folders that hold both.
    """
    files = sorted((written / "lm_eval/separate").glob("*/results_*"))
    metrics = ["toy_choices=acc", "toy_sums=exact_match(strict-match)"]
    scores = read_scores(files, metrics=metrics)
    assert scores["topic"].to_numpy().tolist() == ["toy_choices", "toy_sums"]
    folders = [file.parent for file in files]
    assert told(scores, f"samples of single items lie beside the results: give the folders {folders[0]}, {folders[1]}")
    assert read_scores(folders, metrics=metrics).sizes["topic"] > len(files)
    for file in files:
        (tmp_path / file.parent.name).mkdir()
        shutil.copy(file, tmp_path / file.parent.name)
    assert told(read_scores(tmp_path, metrics=metrics), "there are no samples (--log_samples writes them)")
    assert told(scores, "2 standard errors in the files, for differences on single items")  # and two of 0
    scores = read_scores(files, metrics=["toy_choices=brier_score", "toy_pages=word_perplexity"])
    assert not scores["higher_is_better"].to_numpy().any()
    with pytest.raises(FileFormatError, match="as TASK=METRIC, such as ") as error:
        read_scores(files)
    advice = ast.literal_eval(re.search(r"such as `metrics=(.*)`$", str(error.value))[1])
    assert not any("perplexity" in one for one in advice)  # where lower is better, which has no common mean with others
    assert read_scores(files, metrics=advice).sizes["topic"] == len(advice)
    with pytest.raises(MetaevalError, match="no common mean"):
        read_scores(files, metrics=["toy_choices=acc", "toy_pages=word_perplexity"])


def test_lm_eval_a_task_that_was_run_again(written, told):
    """The newest run of a task counts, and that is said."""
    scores = read_scores(written / "lm_eval/again", metrics=["exact_match,strict-match"])
    newest = max((written / "lm_eval/again/org__small").glob("results_*"))
    expected = json.loads(newest.read_text())["results"]["toy_sums"]["exact_match,strict-match"]
    assert _means(scores, "exact_match(strict-match)")["org__small"] == pytest.approx(expected)
    assert told(scores, "left out 1 older result of a task that was run again")


def test_helm_instances_have_the_means_of_its_stats(written, told):
    """Statistics of unperturbed instances have HELM's means; perturbations with other parameters are other items."""
    assert told(
        read_scores(written / "helm"), "left out 8 items of split valid (`where={'split': 'valid'}` reads those)"
    )
    scores = read_scores(written / "helm", where={"split": "*"})
    assert scores["metric"].to_numpy().tolist() == ["exact_match", "quasi_exact_match"]
    assert told(scores, "left out 18 numbers that count or time")
    assert told(scores, "16 items of 22 are perturbed instances, which HELM's means leave out")
    names = scores["topic"].to_numpy().tolist()
    assert {"Toy:subject=law/id1+typos(prob=0.3)", "Toy:subject=law/id1+typos(prob=0.9)"} < set(names)
    for path in (written / "helm").glob("*/stats.json"):
        system = "toy/" + path.parent.name.rpartition("_")[2]
        subject = "law" if "law" in path.parent.name else "anatomy"
        of_valid = [
            stat["mean"]
            for stat in json.loads(path.read_text())
            if stat["name"] == {"name": "exact_match", "split": "valid"}
        ]
        one = scores.sel(system=system, topic=f"Toy:subject={subject}/id3", metric="exact_match")
        assert of_valid == [pytest.approx(one.mean().item())]


def test_inspect_logs(written, told):
    """Epochs, grades, numbers by name, truth values and a NaN of a real log; lists are no scores."""
    scores = read_scores(written / "inspect_ai/eval/quiz")
    assert dict(scores.sizes) == {"metric": 6, "system": 2, "topic": 4, "repeat": 2}
    four = scores.sel(metric="four", system="mockllm/small").mean("repeat")
    assert four.to_series().to_dict() == {"q1": 1.0, "q2": 0.0, "q3": 0.5, "q4": 0.0}
    assert told(scores, "repeats differ: 1 to 2 scores of a system on an item")
    for kind in ("eval", "json"):
        scores = read_scores(written / f"inspect_ai/{kind}/invalid", missing="drop-topics")
        assert scores["topic"].to_numpy().tolist() == ["q1", "q3", "q4"]
        assert told(scores, "left out 1 sample that the log declares invalid")


def test_inspect_logs_that_failed(written, told):
    """One that ended well is read before others; those that did not are named, with the way out."""
    scores = read_scores(written / "inspect_ai/failed")
    (note,) = told(scores, "did not end with success")
    assert "large on fails: error" in note
    assert "small on" not in note
    assert "inspect eval-retry" in note


def test_alpaca_eval_annotations(written):
    """Win rates, raw and controlled for length, are those of AlpacaEval's own table."""
    folder = written / "alpaca_eval"
    boards = {path.parent.name: pd.read_csv(path, index_col=0).iloc[0] for path in folder.glob("*/leaderboard.csv")}
    scores = read_scores(folder, metrics=["preference"], missing="pairwise")
    raw = {system: 100 * value for system, value in _means(scores, "preference").items()}
    assert raw == pytest.approx({system: board["win_rate"] for system, board in boards.items()})
    controlled = {system: 100 * value for system, value in _means(read_scores(folder), "glm_preference").items()}
    expected = {system: board["length_controlled_winrate"] for system, board in boards.items()}
    assert controlled == pytest.approx(expected, abs=1e-6)


def test_nuggetizer_assignments_have_its_metrics(written, told):
    """Means over topics of what nuggets are worth are nuggetizer's, also where its judge failed."""
    found = read_scores(written / "nuggetizer/assign")
    metrics = read_scores(written / "nuggetizer/metrics")
    assert told(found, "2 assignments failed and count 0")
    for ours, theirs in (("all", "all_score"), ("strict_all", "strict_all_score"), ("vital", "vital_score")):
        by_topic = found.sel(metric=ours).groupby("cluster").mean("topic")
        np.testing.assert_allclose(by_topic.to_numpy(), metrics.sel(metric=theirs).to_numpy())
        assert by_topic["system"].to_numpy().tolist() == metrics["system"].to_numpy().tolist()
