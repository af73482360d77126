"""The page that says what metaeval never does: each of its sentences is held by a test that is there."""

import contextlib
import io
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores
from metaeval.resampling.replicates import _DIGITS, _opened, checksum

PAGE = Path(__file__).parents[2] / "docs" / "what-it-never-does.md"
HELD = {
    "No file of data is a program": ["cli/test_hostile_studies.py::test_nothing_happens"],
    "A plug-in runs if you type": [
        "cli/test_hostile_studies.py::test_a_program_runs_where_it_is_trusted",
        "cli/test_hostile_studies.py::test_a_report_with_a_metric_of_ones_own_is_asked_again",
    ],
    "What runs is the file with that checksum": [
        "cli/test_hostile_studies.py::test_what_python_keeps_of_a_program_is_not_run",
        "cli/test_hostile_studies.py::test_a_program_that_changes_after_it_was_looked_at",
    ],
    "Pickles are not read": ["cli/test_never.py::test_pickles_are_not_read"],
    "Nothing in the folder you are in is run": [
        "running/test_children.py::test_a_command_and_its_workers_run_nothing_of_the_folder",
        "running/test_children.py::test_python_m_runs_nothing_of_the_folder_either",
        "running/test_children.py::test_every_process_is_started_in_one_place",
    ],
    "A file of settings": [
        "cli/test_settings.py::test_what_no_file_may_set",
        "cli/test_settings.py::test_nothing_is_set_silently",
        "cli/test_settings.py::test_what_is_set_holds_until_something_else_is_typed",
    ],
    "The folder of a study is not entered": ["cli/test_hostile_studies.py::test_the_folder_of_a_study_gives_no_orders"],
    "No command opens a connection": ["cli/test_never.py::test_nobody_is_called_and_nothing_is_written_elsewhere"],
    "A page of a report loads nothing": ["page/test_html.py::test_only_the_pages_own_script_may_run"],
    "XML is read without DTDs": ["inex/test_xml_files.py::test_an_entity_is_found_in_any_encoding"],
    "Without `--out` and the like": ["cli/test_never.py::test_nobody_is_called_and_nothing_is_written_elsewhere"],
    "A folder or a file that is there already": [
        "questions/report/test_command.py::test_an_older_report_is_only_replaced_on_request",
        "questions/score/test_command.py::test_a_file_is_replaced_on_request",
        "questions/power/test_command.py::test_the_file_of_pairs_replaces_nothing_unasked",
        "questions/simulate/test_command.py::test_a_file_is_replaced_only_on_request",
    ],
    "A study file says neither where": [
        "cli/test_hostile_studies.py::test_nothing_happens",
        "cli/test_hostile_studies.py::test_a_study_says_what_is_listed_and_no_more",
    ],
    "Archives are unpacked in memory": ["cli/test_never.py::test_archives_are_unpacked_in_memory"],
    "Links to folders inside": ["io/benchmarks/test_reading.py::test_links_to_folders_are_not_followed"],
    "What a file unpacks to is counted": [
        "io/test_unpacking.py::test_a_bomb_is_refused_as_it_unpacks",
        "io/test_unpacking.py::test_the_budget_of_a_file",
        "io/test_unpacking.py::test_nothing_else_unpacks",
    ],
    "The values of packed JSON": [
        "io/test_unpacking.py::test_values_are_counted_before_they_are_made",
        "io/test_unpacking.py::test_elements_are_counted_before_they_are_made",
    ],
    "Systems that make more than": ["cli/test_inputs.py::test_more_systems_than_can_be_compared"],
    "What the system tells of itself": ["cli/test_checks.py::test_what_the_system_tells_of_itself_is_no_data"],
    "A study waits for no named pipe": ["cli/test_hostile_studies.py::test_nothing_happens"],
    "A study file is at most": ["cli/test_hostile_studies.py::test_nothing_happens"],
}


@pytest.mark.usefixtures("checkout")
def test_every_sentence_is_held_by_a_test():
    """The list of the page, and no sentence without a test that there is."""
    listed = re.findall(r"^- (.*)$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert len(listed) == len(HELD)
    for sentence, start in zip(listed, HELD, strict=True):
        assert sentence.startswith(start)
    for tests in HELD.values():
        for test in tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (Path(__file__).parents[1] / file).read_text("utf-8"), test


def _state(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nobody_is_called_and_nothing_is_written_elsewhere(command, watched, simulated_collection, tmp_path, table):
    """Of what the process opens to write, all lies in the folder asked for, or is what libraries keep of their own."""
    runs = (simulated_collection / "runs", "--qrels", simulated_collection / "qrels.txt")
    before, data = _state(tmp_path), _state(simulated_collection)
    with watched() as seen:
        assert command("power", *table, "--test", "t", "--quiet").code == 0
        assert _state(tmp_path) == before
        assert command("score", *runs, "--scores", "scores.csv", "--quiet").code == 0
        assert command("report", *table, "--test", "t", "--no-topics", "--out", "done", "--quiet").code == 0
    assert not [one for one in seen if one.name.startswith("socket.")]
    after = _state(tmp_path)
    new = {path.relative_to(tmp_path).parts[0] for path in after if path not in before}
    assert new == {"done", "scores.csv"}
    assert {path: after[path] for path in before} == before
    assert _state(simulated_collection) == data
    written = {one.path for one in seen if one.writes and str(tmp_path.parent) in one.path}
    assert all(path.startswith(str(tmp_path)) for path in written)


def test_pickles_are_not_read(tmp_path):
    """A table that is a pickle is refused by name, and arrays of objects are none that were kept."""
    (tmp_path / "scores.csv").write_bytes(pickle.dumps(_Trap(tmp_path / "it-ran")))
    with pytest.raises(FileFormatError, match="a Python pickle"):
        read_scores(tmp_path / "scores.csv")
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=True, x=np.array([_Trap(tmp_path / "it-ran")], dtype=object))
    content = stream.getvalue()
    length = len(content) - 2  # the length of a comment stands last in an archive
    body = content[:length] + _DIGITS.to_bytes(2, "little")
    assert _opened(body + checksum(body).encode()) is None
    assert not (tmp_path / "it-ran").exists()


class _Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def _read(log):
    """Read a log; one system alone, or none that was scored, is refused."""
    with contextlib.suppress(ValueError):
        read_scores(log)


def test_archives_are_unpacked_in_memory(watched, data_folder):
    """Real logs are zip archives; reading one opens nothing to write."""
    logs = sorted((data_folder / "formats" / "inspect_ai").glob("*popularity*.eval"))
    assert logs
    for log in logs:  # once unwatched: Python may write down what it compiles of the packages that read archives
        _read(log)
    with watched() as seen:
        for log in logs:
            _read(log)
    assert not [one for one in seen if one.writes or one.name in {"os.mkdir", "subprocess.Popen"}]
