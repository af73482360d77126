"""What cannot be compared is said: a setting that differs is refused unless chosen, for every benchmark and key."""

import copy
import json
import re

import pytest
from small_results import DATE, MADE, as_archive

from metaeval.errors import FileFormatError, MetaevalError, UnknownNameError
from metaeval.io.benchmarks.comparable import SPLIT
from metaeval.io.benchmarks.formats import FORMATS
from metaeval.io.tables import read_scores


def _put(folder, files):
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".eval":
            path.write_bytes(as_archive(held))
        else:
            lines = held if path.suffix == ".jsonl" else [held]
            path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return folder


def _within(value, place):
    for key in place:
        value = value[key]
    return value


def _every(*keys):
    """Return a change of a key in every record of a list."""

    def change(records, new):
        for record in records:
            _within(record, keys[:-1])[keys[-1]] = new

    return change


def _at(*keys):
    def change(document, new):
        _within(document, keys[:-1])[keys[-1]] = new

    return change


RESULTS, SAMPLES = f"{{}}/results_{DATE}.json", f"{{}}/samples_t_{DATE}.jsonl"
PLANTED = {
    # maker, file of a system (by its name or number), change, its new value, key, both values as they are shown
    "lm-eval version": ("lm-eval", RESULTS, _at("versions", "t"), 2.0, "version", "1", "2"),
    "lm-eval few-shot": ("lm-eval", RESULTS, _at("n-shot", "t"), 5, "n-shot", "0", "5"),
    "lm-eval prompt": ("lm-eval", RESULTS, _at("configs", "t", "doc_to_text"), "Q: {{q}}", "prompt", "", ""),
    "lm-eval instruction": (
        "lm-eval", RESULTS, _at("system_instruction_sha"), "9f", "system_instruction", "none", "9f",
    ),
    "lm-eval template": ("lm-eval", RESULTS, _at("chat_template_sha"), "9f", "chat_template", "no", "yes"),
    "lm-eval prompts of items": ("lm-eval", SAMPLES, _every("prompt_hash"), "other", "prompt_hash", "p0", "other"),
    "lm-eval results alone": ("lm-eval results", RESULTS, _at("n-shot", "i2"), 5, "n-shot", "0", "5"),
    "lm-eval limit": ("lm-eval results", RESULTS, _at("n-samples", "i2", "effective"), 2, "n-samples", "3", "2"),
    "HELM few-shot": (
        "HELM", "suite/run{}/run_spec.json", _at("adapter_spec", "max_train_instances"), 0,
        "max_train_instances", "5", "0",
    ),
    "HELM prompt": (
        "HELM", "suite/run{}/run_spec.json", _at("adapter_spec", "instructions"), "Think.", "prompt", "", "",
    ),
    "HELM judge": (
        "HELM", "suite/run{}/run_spec.json", _at("annotators", 0, "args", "model"), "k", "annotators", "", "",
    ),
    "MTEB revision": ("MTEB", "{}/rev/i2.json", _at("dataset_revision"), "r2", "dataset_revision", "r1", "r2"),
    "MTEB revision, older": (
        "MTEB older", "{}/rev/i2.json", _at("dataset_revision"), "r2", "dataset_revision", "r1", "r2",
    ),
    "inspect_ai version": ("inspect_ai", "log{}.json", _at("eval", "task_version"), 3, "task_version", "0", "3"),
    "inspect_ai arguments": (
        "inspect_ai", "log{}.json", _at("eval", "task_args", "n"), 2, "task_args", '{"n": 1}', '{"n": 2}',
    ),
    "inspect_ai data set": ("inspect_ai", "log{}.json", _at("eval", "dataset", "name"), "e", "dataset", "d", "e"),
    "inspect_ai prompt": (
        "inspect_ai", "log{}.json", _at("plan", "steps", 0, "params"), {"template": "Hm"}, "solver", "", "",
    ),
    "inspect_ai judge": (
        "inspect_ai", "log{}.json", _at("eval", "model_roles", "grader", "model"), "k", "judge",
        "model_graded_qa: j", "model_graded_qa: k",
    ),
    "inspect_ai no judge but the model": (
        "inspect_ai", "log{}.json", _at("eval", "model_roles"), None, "judge",
        "model_graded_qa: j", "model_graded_qa: c",
    ),
    "inspect_ai template of the judge": (
        "inspect_ai", "log{}.json", _at("eval", "scorers", 0, "options", "template"), "y", "scorer", "", "",
    ),
    "inspect_ai judge in an archive": (
        "inspect_ai archive", "log{}.eval", _at("eval", "scorers", 0, "options", "model"), "k", "judge",
        "model_graded_qa: j", "model_graded_qa: k",
    ),
    "AlpacaEval judge": ("AlpacaEval", "file{}.json", _every("annotator"), "k", "annotator", "j", "k"),
    "AlpacaEval baseline": ("AlpacaEval", "file{}.json", _every("generator_1"), "gpt", "generator_1", "base", "gpt"),
    "AlpacaEval split": ("AlpacaEval", "file{}.json", _every("datasplit"), "train", "datasplit", "eval", "train"),
    "Every Eval Ever unit": (
        "Every Eval Ever", "{}.json", _at("evaluation_results", 0, "metric_config", "max_score"), 100, "unit",
        "[null, null, 0, 1]", "[null, null, 0, 100]",
    ),
    "SWE-bench data set": ("SWE-bench", "{}.json", _at("total_instances"), 500, "total_instances", "3", "500"),
}  # fmt: skip


def _planted(name, folder):
    """Write results of which the third system's differ in one setting; return what they are and who has which file."""
    maker, pattern, change, new, key, before, after = PLANTED[name]
    made = MADE[maker]
    files = made.make()
    names = [pattern.format(one) for one in ("a", "c")]
    names = names if names[0] in files else [pattern.format(one) for one in (0, 2)]
    changed = copy.deepcopy(files[names[1]])
    change(changed, new)
    return made, _put(folder, files | {names[1]: changed}), names, key, before, after


@pytest.mark.parametrize("name", PLANTED)
def test_a_setting_that_differs_is_refused_or_chosen(name, tmp_path, told):
    """The refusal names both values, both files and the option; each way out reads what it says."""
    made, folder, files, key, before, after = _planted(name, tmp_path)
    with pytest.raises(FileFormatError) as refusal:
        read_scores(folder, **made.options)
    message = str(refusal.value)
    assert re.search(rf"\b{key} is '.*{re.escape(after)}.*' here and '.*{re.escape(before)}.*' in", message), message
    for file in files:  # or the one beside it that has the scores
        assert (file.rpartition("/")[0] or file) in message
    whole = read_scores(folder, where={key: "*"}, **made.options)
    assert whole["system"].to_numpy().tolist() == ["a", "b", "c"]
    assert told(whole, f"{key} differs, as asked for")
    advice = re.search(r"read one alone \(`where=(\{.*?\})`, 2 of 3 systems\)", message)
    assert bool(advice) == (key not in {"prompt_hash", "scorer", "unit"})
    if advice:
        where = eval(advice[1])  # noqa: S307 - what the message says, to be typed as it stands
        chosen = read_scores(folder, where=where, missing="pairwise", **made.options)
        read_without = read_scores(folder, where={key: "*"}, missing="pairwise", **made.options)
        whole_system = "/" not in next(iter(where))
        assert chosen["system"].to_numpy().tolist() == (["a", "b"] if whole_system else ["a", "b", "c"])
        for system in ("a", "b"):
            one, other = chosen.sel(system=system), read_without.sel(system=system)
            assert one.equals(other.sel(metric=one["metric"], topic=one["topic"]))
        assert told(chosen, "results, with ")


def test_every_key_is_planted():
    """Each key of the table of formats has a mismatch here; splits are in a test of their own."""
    keys = {(one.name, key) for one in FORMATS for key in one.compared if key != SPLIT}
    names = {"lm-eval": "lm-evaluation-harness", "Every": "Every Eval Ever"}
    planted = {
        (next(name for name in (names.get(maker.split(" ")[0], maker.split(" ")[0]),)), key)
        for maker, _, _, _, key, _, _ in PLANTED.values()
    }
    assert keys == planted
    assert len(PLANTED) >= 12


@pytest.mark.parametrize("maker", ["HELM", "MTEB"])
def test_the_main_split_is_read_and_another_can_be_asked_for(maker, tmp_path, told):
    """What is left out of other splits is counted; with the split it is read, and with "*" all are."""
    made = MADE[maker]
    other = {"HELM": "valid", "MTEB": "validation"}[maker]
    folder = _put(tmp_path, made.make())
    usual = read_scores(folder, metrics=[made.metric])
    assert told(usual, f"left out 1 {'item' if maker == 'HELM' else 'subset'} of split {other}")
    assert not any("v1" in item or other in item for item in usual["topic"].to_numpy())
    whole = read_scores(folder, metrics=[made.metric], where={SPLIT: "*"}, missing="pairwise")
    assert whole.sizes["topic"] == usual.sizes["topic"] + 1
    alone = read_scores(_put(tmp_path, made.make()), metrics=[made.metric], where={SPLIT: "t*t"})
    assert alone["topic"].equals(usual["topic"])


@pytest.mark.parametrize("maker", ["HELM", "MTEB"])
def test_a_system_without_the_main_split_is_named(maker, tmp_path, told):
    """It has nothing that is read, and does not go without a word."""
    made = MADE[maker]
    files = json.loads(json.dumps(made.make()).replace('"split": "valid"', '"split": "test"'))
    for name, held in files.items():
        if name.startswith(("c/", "suite/run2/per")):
            text = json.dumps(held).replace('"split": "test"', '"split": "valid"')
            files[name] = json.loads(text.replace('"validation"', '"dev"').replace('"test"', '"validation"'))
    scores = read_scores(_put(tmp_path, files), metrics=[made.metric])
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert told(scores, "nothing is left of c")


def test_what_is_chosen_must_be_there(tmp_path):
    """A key that the benchmark does not have, a value that no file has, and one for what differs item by item."""
    folder = _put(tmp_path, MADE["lm-eval"].make())
    for where, error, words in (
        (
            {"revision": "x"},
            UnknownNameError,
            r"no setting that `where` can choose in results of lm-evaluation-harness",
        ),
        (
            {"n-shot": "5"},
            UnknownNameError,
            r"no n-shot in the results of lm-evaluation-harness '5'; there is only '0'",
        ),
        (
            {"tt/n-shot": "0"},
            UnknownNameError,
            r"no task in the results of lm-evaluation-harness 'tt'; did",
        ),
        ({"prompt_hash": "p0"}, MetaevalError, r"can only be '\*' for prompt_hash, which every item has its own of"),
    ):
        with pytest.raises(error, match=words):
            read_scores(folder, where=where)


def test_what_nobody_says_is_not_compared(tmp_path):
    """Files of former versions that lack a setting stand beside others; with a value asked for they are left out."""
    files = MADE["MTEB"].make()
    files["c/rev/i2.json"]["dataset_revision"] = "None"
    del files["b/rev/i2.json"]["dataset_revision"]
    folder = _put(tmp_path, files)
    assert read_scores(folder).sizes["system"] == 3
    found = read_scores(folder, where={"i2/dataset_revision": "r*"}, missing="pairwise", metrics=["main_score"])
    assert found.sel(topic="i2").isnull().all(["metric", "repeat"]).to_numpy().tolist() == [False, True, True]


def test_prompts_in_chat_templates_are_compared_within_one(tmp_path):
    """Each model has a template of its own; two runs with one template have one prompt."""
    files = MADE["lm-eval"].make()
    for at, system in enumerate("abc"):
        files[f"{system}/results_{DATE}.json"]["chat_template_sha"] = "x" if at < 2 else "y"
        for sample in files[f"{system}/samples_t_{DATE}.jsonl"]:
            sample["prompt_hash"] += str(at == 2)
    assert read_scores(_put(tmp_path, files)).sizes["system"] == 3
    for sample in files[f"b/samples_t_{DATE}.jsonl"]:
        sample["prompt_hash"] += "z"
    with pytest.raises(
        FileFormatError, match=r"t/i1 \(chat_template_sha x\): prompt_hash is 'p0Falsez' here and 'p0False'"
    ):
        read_scores(_put(tmp_path, files))


def test_an_older_run_with_the_setting_asked_for(tmp_path):
    """The choice is made before the newest run of a task is."""
    files = MADE["lm-eval"].make()
    newer = DATE.replace("2026", "2027")
    files |= {name.replace(DATE, newer): copy.deepcopy(held) for name, held in files.items() if name.startswith("c/")}
    files[f"c/results_{newer}.json"]["n-shot"]["t"] = 5
    folder = _put(tmp_path, files)
    with pytest.raises(FileFormatError, match=r"n-shot is '5' here and '0' in"):
        read_scores(folder)
    assert read_scores(folder, where={"n-shot": "0"}).sizes["system"] == 3


def test_values_that_are_long_are_shown_by_their_beginning(tmp_path):
    """A checksum is named by so much of it as no other value has, and can be typed so."""
    files = MADE["MTEB"].make()
    for at, system in enumerate("abc"):
        files[f"{system}/rev/i2.json"]["dataset_revision"] = "0123456789" + ("a" if at < 2 else "b") * 30
    folder = _put(tmp_path, files)
    with pytest.raises(
        FileFormatError, match=r"is '0123456789b…' here and '0123456789a…' in .*'0123456789a\*'"
    ) as refusal:
        read_scores(folder)
    assert len(str(refusal.value).replace(str(tmp_path), "")) < 600
