"""What cannot be read ends alike with options and without, and what is no data never stands in the way."""

import json
import shlex

import pytest

from metaeval.inex.judges import read_judges
from metaeval.questions.look.study import look

LICENSE = """MIT License

Copyright (c) 2023 Somebody

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT "WARRANTY" OF ANY KIND, "EXPRESS"
or implied.
"""
TABLE = "topic,a,b\nq1,0.5,0.25\nq2,0.25,0.125\nq3,0.75,0.5\n"


def log(task, model, metric):
    """Return a log of inspect_ai of one task under a metric of its own."""
    samples = [{"id": at, "epoch": 1, "scores": {metric: {"value": at % 2}}} for at in range(4)]
    about = {"task": task, "model": model, "created": "2026-01-01T00:00:00+00:00"}
    return json.dumps({"version": 2, "status": "success", "eval": about, "samples": samples})


@pytest.mark.parametrize("options", [[], ["--missing", "pairwise"]])
def test_what_cannot_be_read_ends_as_bad_input(command, tmp_path, options):
    """Exit code 3 (`docs/getting-started.md`), whether an option was given or not."""
    path = tmp_path / "x.json"
    path.write_text('{"schema": [1, {"a": 2}]}')
    ended = command("look", path, *options)
    assert ended.code == 3
    assert ended.err.count("Error:") == 1


def test_no_option_is_printed_without_the_value_that_it_takes(command, tmp_path):
    """Three tasks under metrics of their own: what is printed names the metric of each, and the command is read."""
    metric_of = {"first": "match", "second": "choice", "third": "model_graded_fact"}
    for model in "ab":
        for task, metric in metric_of.items():
            (tmp_path / f"{model}-{task}.json").write_text(log(task, model, metric))
    refused = command("look", tmp_path)
    (line,) = [line for line in refused.out.splitlines() if line.startswith("metaeval look")]
    words = shlex.split(line)
    assert words[-2] == "--metrics"
    assert {*words[-1].split(",")} == {f"{task}={metric}" for task, metric in metric_of.items()}


def test_a_file_of_settings_holds_no_labels(tmp_path):
    """Words under one name in all and numbers under another are settings; words and numbers by item are not."""
    path = tmp_path / "parameters.json"
    path.write_text('{"wax": {"scoring": "accuracy", "epsilon": 0.1}, "bench": {"scoring": "rmse", "epsilon": 0.2}}')
    assert look(path).kind == "unknown"
    assert "--word" not in look(path).contents.refusal


@pytest.mark.parametrize("name", ["LICENSE.txt", "NOTICE", "COPYING.txt"])
def test_a_licence_with_quotation_marks_is_left_out_by_name(tmp_path, name):
    (tmp_path / name).write_text(LICENSE)
    (tmp_path / "scores.csv").write_text(TABLE)
    found = look(tmp_path)
    assert found.kind == "scores"
    assert any(name in note for note in found.notes)


def choices(accepts):
    """Return choices as Prodigy 1.11 writes them: annotator, task, options chosen and what became of the task."""
    return "".join(
        json.dumps({"text": f"t{task}", "_task_hash": task, "_annotator_id": who, "accept": chosen, "answer": answer})
        + "\n"
        for who, task, chosen, answer in accepts
    )


def test_the_option_that_was_chosen_is_the_label_of_prodigy(tmp_path):
    """A task that was ignored or rejected has no label; of several options the label is all of them."""
    path = tmp_path / "rel.jsonl"
    path.write_text(
        choices(
            [
                ("ann", 1, ["POS"], "accept"),
                ("ben", 1, ["NEG"], "accept"),
                ("ann", 2, ["NEG"], "accept"),
                ("ben", 2, ["POS"], "reject"),
                ("ann", 3, ["POS", "NEG"], "accept"),
                ("ben", 3, [], "ignore"),
            ]
        )
    )
    labels = read_judges([str(path)]).labels
    assert labels.stack().dropna().to_dict() == {
        ("1", "ann"): "POS", ("1", "ben"): "NEG", ("2", "ann"): "NEG", ("3", "ann"): "NEG, POS"
    }  # fmt: skip


def test_tasks_that_were_ignored_have_no_label(tmp_path):
    """Without options to choose from, accept and reject are the labels."""
    rows = [("ann", 1, "accept"), ("ben", 1, "reject"), ("ann", 2, "ignore"), ("ben", 2, "accept")]
    path = tmp_path / "yes.jsonl"
    path.write_text("".join(choices([(who, task, None, answer)]) for who, task, answer in rows))
    labels = read_judges([str(path)]).labels
    assert sorted(labels.stack().dropna()) == ["accept", "accept", "reject"]
