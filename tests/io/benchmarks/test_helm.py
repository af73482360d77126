"""Runs of HELM: what may be odd or broken in them; its own files are in `test_written`."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores


def _stat(name, mean, count=1):
    return {
        "name": {"name": name, "split": "test"},
        "count": count,
        "sum": mean,
        "mean": mean,
        "min": mean,
        "max": mean,
    }


def _instance(number, trial=0, perturbation=None, **means):
    return {
        "instance_id": f"id{number}",
        "perturbation": perturbation,
        "train_trial_index": trial,
        "stats": [_stat(name, mean) for name, mean in means.items()],
    }


def _run(model, instances, subject="anatomy"):
    spec = {
        "name": f"mmlu:subject={subject},model={model}",
        "scenario_spec": {
            "class_name": "helm.benchmark.scenarios.mmlu_scenario.MMLUScenario",
            "args": {"subject": subject},
        },
        "adapter_spec": {"method": "multiple_choice_joint", "model": model},
    }
    folder = f"suite/mmlu:subject={subject},model={model.replace('/', '_')}"
    return {
        f"{folder}/run_spec.json": spec,
        f"{folder}/per_instance_stats.json": instances,
        f"{folder}/scenario_state.json": "{ this is not read",
        f"{folder}/stats.json": [_stat("exact_match", 0.5)],
    }


def test_models_instances_and_scenarios(put, told):
    """A system is a model, an item an instance of a scenario, its cluster the scenario; other files are not opened."""
    files = {}
    for at, model in enumerate(("x/a", "x/b")):
        for subject in ("anatomy", "law"):
            files |= _run(
                model, [_instance(n, exact_match=float(n == at), num_output_tokens=n) for n in (3, 20)], subject
            )
    scores = read_scores(put(files))
    assert scores["system"].to_numpy().tolist() == ["x/a", "x/b"]
    assert scores["metric"].to_numpy().tolist() == ["exact_match", "num_output_tokens"]
    items = [f"MMLU:subject={subject}/id{n}" for subject in ("anatomy", "law") for n in (3, 20)]
    assert scores["topic"].to_numpy().tolist() == items
    assert scores["cluster"].to_numpy().tolist() == [item.partition("/")[0] for item in items]
    assert not any("scenario_state" in path or path.endswith("/stats.json") for path in scores.attrs["sources"])
    assert not told(scores, "left out")


@pytest.mark.parametrize("name", ["per_instance_stats", "run_spec", "stats", "scenario_state"])
def test_a_file_of_a_run_stands_for_its_folder(put, told, name):
    """Whichever file of a run is given, it is read as the folder, and named where it is none of the two."""
    models = {"x/a": 1.0, "x/b": 0.0}
    files = {}
    for model, score in models.items():
        files |= _run(model, [_instance(n, exact_match=score * (n < 3)) for n in range(4)])
    folder = put(files)
    of_file = read_scores([next(folder.glob(f"**/*{model[-1]}/{name}.json")) for model in models])
    assert of_file.equals(read_scores(folder))
    assert bool(told(of_file, "in place of")) == (name in {"stats", "scenario_state"})


def test_trials_perturbations_and_statistics_in_several_records(put):
    """Trials are repeats, perturbed instances items; HELM writes a record of an instance for every metric class."""
    typos = {"name": "typos", "robustness": True}
    for at, model in enumerate("ab"):
        put(_run(model, [
            _instance(1, em=at), _instance(1, f1=0.5), _instance(1, 1, em=1), _instance(1, 1, f1=1),
            _instance(1, 0, typos, em=0, f1=0), _instance(1, 1, typos, em=at, f1=0),
        ]))  # fmt: skip
    scores = read_scores(put({}))
    assert scores["topic"].to_numpy().tolist() == ["MMLU:subject=anatomy/id1", "MMLU:subject=anatomy/id1+typos"]
    assert scores.sel(metric="em", system="b").to_numpy().tolist() == [[1, 1], [0, 1]]
    assert scores.sel(metric="f1", system="a").to_numpy().tolist() == [[0.5, 1], [0, 0]]


def test_a_statistic_that_counted_nothing_is_a_gap(put):
    """Count 0 is no score, and null none either."""
    put(_run("a", [_instance(1, em=1), _instance(2, em=1)]))
    unknown = _instance(2) | {"stats": [{"name": {"name": "em"}, "count": 0, "sum": 0}]}
    put(_run("b", [_instance(1, em=1), unknown]))
    with pytest.raises(ValueError, match="no score for system 'b' on item 'MMLU:subject=anatomy/id2'"):
        read_scores(put({}))


FAULTS = {
    "no name": (
        [{"instance_id": "id1", "stats": [{"mean": 1}]}],
        r"\[0\]\.stats\[0\]: a statistic is an object with a name",
    ),
    "no stats": ([_instance(1, em=1), {"instance_id": "id2"}], r"\[1\]: an instance is an object with instance_id and"),
    "a word": ([_instance(1, em=1), _instance(2, em="x")], r"\[1\]\.stats\.em: 'x' is no number"),
    "a statistic twice": (
        [_instance(1) | {"stats": [_stat("em", 1), _stat("em", 0)]}],
        r"\[0\]\.stats\[1\]: .*'em' appears twice",
    ),
    "an instance twice": ([_instance(1, em=1), _instance(1, em=0)], r"\[1\]\.stats\.em: .*has a score on .*already"),
}


@pytest.mark.parametrize(("instances", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_instances(put, instances, message):
    """The refusal names the file and the key."""
    put(_run("a", instances) | _run("b", [_instance(n, em=0) for n in (1, 2)]))
    with pytest.raises(FileFormatError, match=rf"model=a/per_instance_stats\.json: {message}"):
        read_scores(put({}))


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("mmlu:subject=law,model=x_a", "mmlu:subject=law"),
        ("mmlu:model=x_a,subject=law", "mmlu:subject=law"),
        ("boolq:model=x_a", "boolq"),
    ],
)
def test_a_run_without_a_scenario_is_called_as_it_is_named(put, name, scenario):
    """But for its model; where there is no name, the refusal says what is missing, and not that the file is."""
    files = _run("x/a", [_instance(n, em=0) for n in (1, 2)]) | _run("x/b", [_instance(n, em=1) for n in (1, 2)])
    for spec in (held for path, held in files.items() if path.endswith("run_spec.json")):
        del spec["scenario_spec"]
        spec |= {"metric_specs": [], "name": name}
    scores = read_scores(put(files))
    assert scores["system"].to_numpy().tolist() == ["x/a", "x/b"]
    assert scores["topic"].to_numpy().tolist() == [f"{scenario}/id1", f"{scenario}/id2"]
    del next(held for path, held in files.items() if path.endswith("run_spec.json"))["name"]
    with pytest.raises(
        FileFormatError, match=r"scenario_spec\.class_name: the specification of a run names its scenario"
    ):
        read_scores(put(files))


def test_half_a_run(put, told):
    """Statistics without a specification say no model; a specification without statistics is left out and counted."""
    files = _run("a", [_instance(n, em=0) for n in (1, 2)])
    folder = put(files | _run("b", [_instance(n, em=0) for n in (1, 2)]))
    put(dict(list(_run("c", []).items())[:1]))
    assert told(read_scores(folder), "left out 1 run without per_instance_stats.json")
    next(folder.glob("suite/*model=a/run_spec.json")).unlink()
    with pytest.raises(FileFormatError, match=r"there is no run_spec\.json beside it"):
        read_scores(folder)
