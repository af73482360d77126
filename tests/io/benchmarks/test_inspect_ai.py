"""Logs of inspect_ai: real ones, made ones, and archives that are damaged or built to do harm."""

import io
import json
import zipfile

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import _zipfile
from metaeval.io.tables import read_scores
from metaeval.io.unpacking import LIMIT


def _log(model, samples, task="quiz", **more):
    evaluated = {"task": task, "model": model, "created": "2026-01-01T00:00:00"} | more.pop("eval", {})
    return {"version": 2, "status": "success", "eval": evaluated, "samples": samples} | more


def _samples(values, scorer="match", epoch=1):
    return [
        {"id": number, "epoch": epoch, "scores": {scorer: {"value": value}}}
        for number, value in enumerate(values, start=1)
    ]


def _archive(log, *, member="summaries.json", compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        if member:
            archive.writestr(member, json.dumps(log["samples"]))
        archive.writestr("header.json", json.dumps({name: held for name, held in log.items() if name != "samples"}))
    return stream.getvalue()


def test_grades_and_numbers(put):
    """C, P, I and N are 1, 1/2, 0 and 0; numbers and truth are themselves; objects have a metric a name."""
    put({
        "a.json": _log("m/a", _samples(["C", "P", "I", "N", 0.25, True])),
        "b.json": _log("m/b", _samples([1, 0, 0.5, False, "C", "I"])),
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores["system"].to_numpy().tolist() == ["m/a", "m/b"]
    assert scores.sel(metric="match").to_numpy().tolist() == [[1, 0.5, 0, 0, 0.25, 1], [1, 0, 0.5, 0, 1, 0]]
    assert "cluster" not in scores.coords
    several = [{"f": {"exact": 1, "near": 0.5}}, {"f": {"exact": 0, "near": 0.25}}]
    for model in "ab":
        samples = [{"id": at, "epoch": 1, "scores": {"f": {"value": one["f"]}}} for at, one in enumerate(several)]
        put({f"{model}.json": _log(model, samples)}, "objects")
    scores = read_scores(put({}, "objects"))
    assert scores.sel(metric="f.near", system="a").to_numpy().tolist() == [0.5, 0.25]


@pytest.mark.parametrize("member", ["summaries.json", "_journal/summaries/1.json", None])
def test_an_archive_is_the_log_that_it_holds(put, member):
    """Samples come from the summaries, from those of the journal, or one by one; archives and JSON may be mixed."""
    first, second = _log("a", _samples(["C", "I", "C"])), _log("b", _samples(["I", "I", "C"]))
    put({"a.json": first, "b.json": second}, "json")
    put({"a.eval": _archive(first, member=member), "b.json": second}, "mixed")
    plain, packed = read_scores(put({}, "json")), read_scores(put({}, "mixed"))
    assert packed.equals(plain)


def test_an_archive_packed_with_zstandard(put):
    """Newer logs are packed with zstandard, which zip archives know by number 93."""
    log = _log("a", _samples(["C", "I", "C"]))
    module = _zipfile()
    stream = io.BytesIO()
    with module.ZipFile(stream, "w", 93) as archive:
        archive.writestr("summaries.json", json.dumps(log["samples"]))
        archive.writestr("header.json", json.dumps({name: held for name, held in log.items() if name != "samples"}))
    put({"a.eval": stream.getvalue(), "b.json": _log("b", _samples(["I", "C", "C"]))})
    assert read_scores(put({})).sel(system="a").to_numpy().tolist() == [[1, 0, 1]]


def test_summaries_of_some_samples(put):
    """A log that was cut off has summaries of fewer samples than it holds: then the samples are read."""
    log = _log("a", _samples(["C", "I", "C"]))
    whole = zipfile.ZipFile(io.BytesIO(_archive(log)))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in whole.namelist():
            content = json.dumps(log["samples"][:1]) if name == "summaries.json" else whole.read(name)
            archive.writestr(name, content)
    put({"a.eval": stream.getvalue(), "b.json": _log("b", _samples(["I", "C", "C"]))})
    assert read_scores(put({})).sel(system="a").to_numpy().tolist() == [[1, 0, 1]]


def test_epochs_are_repeats_and_may_differ(put, told):
    """Epochs stand along repeat in their order; a system with fewer has gaps there, which is noted."""
    put({
        "a.json": _log("a", _samples(["C", "I"], epoch=2) + _samples(["I", "I"], epoch=1)),
        "b.json": _log("b", _samples(["C", "C"], epoch=1)),
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores["repeat"].to_numpy().tolist() == ["1", "2"]
    np.testing.assert_array_equal(scores.sel(system="a", metric="match"), [[0, 1], [0, 0]])
    np.testing.assert_array_equal(scores.sel(system="b", metric="match"), [[1, np.nan], [1, np.nan]])
    assert told(scores, "repeats differ: 1 to 2")


def test_tasks_are_clusters(put):
    """With several tasks an item is called by its task too, which is its cluster."""
    for model in "ab":
        put({f"{model}-{task}.json": _log(model, _samples(["C", "I"]), task) for task in ("quiz", "sums")})
    scores = read_scores(put({}))
    assert scores["topic"].to_numpy().tolist() == ["quiz/1", "quiz/2", "sums/1", "sums/2"]
    assert scores["cluster"].to_numpy().tolist() == ["quiz", "quiz", "sums", "sums"]


def test_of_several_logs_the_newest_that_ended_well(put, told):
    """An older log, and a newer one that failed, are left out and counted; without scores a log does not count."""
    put({
        "1.json": _log("a", _samples(["I", "I"])),
        "2.json": _log("a", _samples(["C", "I"]), eval={"created": "2026-01-02T00:00:00"}),
        "3.json": _log("a", _samples(["I", "C"]), status="error", eval={"created": "2026-01-03T00:00:00"}),
        "4.json": _log("a", [], eval={"created": "2026-01-04T00:00:00"}),
        "5.json": _log("b", _samples(["C", "C"]), status="cancelled"),
    })  # fmt: skip
    scores = read_scores(put({}))
    assert scores.sel(metric="match", system="a").to_numpy().tolist() == [1, 0]
    for words in (
        "1 log without a scored sample",
        "2 logs of a model and task with a newer or a successful one, 1 without success (a on quiz: error)",
        "1 log did not end with success",
        "(b on quiz: cancelled; inspect eval-retry",
    ):
        assert told(scores, words), words


def test_logs_with_other_settings(put):
    """Two logs of one model and task that were given other arguments are not one; names tell them apart."""
    put({
        "warm.json": _log("a", _samples(["C", "I"]), eval={"model_generate_config": {"temperature": 1}}),
        "cold.json": _log("a", _samples(["C", "C"]), eval={"model_generate_config": {"temperature": 0}}),
    })  # fmt: skip
    folder = put({})
    with pytest.raises(FileFormatError, match=r"eval\.model_generate_config: a was evaluated on quiz with another"):
        read_scores(folder)
    scores = read_scores({"cold": folder / "cold.json", "warm": folder / "warm.json"})
    assert scores["system"].to_numpy().tolist() == ["cold", "warm"]
    put({"cold.json": _log("a", _samples(["C", "C"]), eval={"solver": "agent"}), "b.json": _log("b", _samples("CI"))})
    put({"warm.json": _log("a", _samples(["C", "I"]), eval={"solver": "other"})})
    with pytest.raises(FileFormatError, match=r"eval\.solver: a was evaluated on quiz with another solver"):
        read_scores(folder)
    for changed in ({"status": "error"}, {"eval": {"solver": "agent", "model_generate_config": {"max_retries": 3}}}):
        later = {"created": "2026-02-01T00:00:00", "solver": "other"} | changed.get("eval", {})
        put({"warm.json": _log("a", _samples(["C", "I"]), **{**changed, "eval": later})})
        assert read_scores(folder)["system"].to_numpy().tolist() == ["b", "a"]


FAULTS = {
    "words beside numbers": (_samples(["C", "good"]), r"samples\[1\]\.scores\.match: 'good' is no number"),
    "nested": (_samples([{"f": {"g": 1}}, 1]), r"samples\[0\]\.scores\.match\.value\.f: .*not nested further"),
    "no value": ([{"id": 1, "scores": {"f": 1}}], r"samples\[0\]\.scores\.f: a score is an object with a value"),
    "no id": ([{"epoch": 1, "scores": {"f": {"value": 1}}}], r"samples\[0\]: a sample is an object with an id"),
    "twice": (_samples(["C", "I"]) + _samples(["I"]), r"samples\[2\].*has a score on '1' under 'match' already"),
}


@pytest.mark.parametrize(("samples", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_samples(put, samples, message):
    """The refusal names the file and the key of the sample."""
    put({"a.json": _log("a", samples), "b.json": _log("b", _samples(["C", "I"]))})
    with pytest.raises(FileFormatError, match=rf"a\.json: {message}"):
        read_scores(put({}))


def test_a_truncated_archive_and_other_archives(put):
    """An archive that is cut short anywhere is refused, and so is one that is no log."""
    content = _archive(_log("a", _samples(["C", "I"])))
    put({"b.json": _log("b", _samples(["C", "I"]))})
    for length in (5, 100, len(content) // 2, len(content) - 1):
        put({"a.eval": content[:length]})
        with pytest.raises(FileFormatError, match=r"a\.eval: the archive is cut short, damaged or locked"):
            read_scores(put({}))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    folder = put({"a.eval": stream.getvalue()})
    with pytest.raises(FileFormatError, match="a spreadsheet; save it as CSV"):
        read_scores([folder / "a.eval", folder / "b.json"])


def test_bytes_that_changed_inside_an_archive(put):
    """A member whose content does not fit its checksum is refused."""
    log = _log("a", _samples(["C", "I"]))
    content = bytearray(_archive(log, compression=zipfile.ZIP_STORED))
    place = bytes(content).rindex(b'"value": "C"')
    content[place + 10 : place + 11] = b"I"
    put({"a.eval": bytes(content), "b.json": _log("b", _samples(["C", "I"]))})
    with pytest.raises(FileFormatError, match=r"a\.eval \(summaries\.json\): the member is cut short, damaged"):
        read_scores(put({}))


def test_an_archive_that_would_fill_the_memory(put, monkeypatch):
    """What a member says that it unpacks to is looked at before it is read, and members are counted together."""
    folder = put(
        {"a.eval": _archive(_log("a", _samples(["C", "I"]))), "b.eval": _archive(_log("b", _samples(["C", "I"])))}
    )
    assert read_scores(folder).sizes["system"] == 2
    header = json.dumps({name: held for name, held in _log("a", []).items() if name != "samples"})
    monkeypatch.setenv(LIMIT, str(len(header) + 50))
    with pytest.raises(
        FileFormatError, match=r"a.eval \(summaries.json\): it says that it unpacks to 120 bytes; the limit"
    ):
        read_scores(folder)


def test_real_logs(data_folder, put):
    """Accuracies are those of the headers: two of three, three of three, and three of four over two epochs."""
    logs = data_folder / "formats" / "inspect_ai"
    streamed = json.loads(zipfile.ZipFile(logs / "log_streaming.eval").read("header.json"))
    other = put({"other.json": _log("other", _samples(["C", "C"]), streamed["eval"]["task"])})
    scores = read_scores([logs / "log_streaming.eval", other / "other.json"])
    real = scores.sel(metric="match", system=streamed["eval"]["model"])
    np.testing.assert_array_equal(real.to_numpy(), [[0, 1], [1, 1]])
    assert float(real.mean()) == streamed["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.75
    for name, scorer, accuracy in (
        ("2025-05-12T20-28-13-04-00_popularity.json", "match", 2 / 3),
        ("2025-05-12T20-28-26-04-00_security-guide.json", "model_graded_fact", 1),
        ("2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", "match", 0.8),
    ):
        paths = {"real": logs / name, "again": put({f"again-{name}": (logs / name).read_bytes()}) / f"again-{name}"}
        scores = read_scores(paths)
        assert float(scores.sel(metric=scorer, system="real").mean()) == pytest.approx(accuracy, abs=1e-12)


def test_the_real_folder(data_folder):
    """Of two logs of one model and task the one without a score is left out, and metrics of three tasks are not one."""
    logs = data_folder / "formats" / "inspect_ai"
    with pytest.raises(FileFormatError, match=r"no metric scores every item: match 10, model_graded_fact 3, choice 1"):
        read_scores(logs)
    with pytest.raises(ValueError, match=r"no score for system 'ollama/llama3\.1' on item"):
        read_scores(logs, metrics=["match"])


def test_two_logs_of_one_date(put):
    """Logs that say other things and are of one age are not chosen between; equal ones are one."""
    put({"1.json": _log("a", _samples(["I", "C"])), "b.json": _log("b", _samples(["C", "C"]))})
    put({"2.json": _log("a", _samples(["I", "C"]))})
    assert read_scores(put({})).sel(system="a").to_numpy().tolist() == [[0, 1]]
    put({"2.json": _log("a", _samples(["C", "C"]))})
    with pytest.raises(FileFormatError, match=r"a has other scores on quiz in .*json, and neither.*leave one out"):
        read_scores(put({}))


def test_times_are_compared_as_times(put):
    """Half past midnight in Berlin is earlier than midnight in London, though its text comes later."""
    put({
        "1.json": _log("a", _samples(["I", "C"]), eval={"created": "2026-01-02T00:30:00+01:00"}),
        "2.json": _log("a", _samples(["C", "C"]), eval={"created": "2026-01-02T00:00:00+00:00"}),
        "b.json": _log("b", _samples(["C", "I"])),
    })  # fmt: skip
    assert read_scores(put({})).sel(system="a").to_numpy().tolist() == [[1, 1]]


def test_a_newer_log_of_fewer_samples(put):
    """A trial of a few samples does not take the place of the whole evaluation."""
    put({
        "1.json": _log("a", _samples(["I", "C", "C"])),
        "2.json": _log("a", _samples(["C"]), eval={"created": "2026-01-02T00:00:00"}),
        "b.json": _log("b", _samples(["C", "I", "I"])),
    })  # fmt: skip
    with pytest.raises(FileFormatError, match=r"2\.json: this newest file of a on quiz scores 1 items.*1\.json.*, 3;"):
        read_scores(put({}))
