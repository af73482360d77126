"""What is shown first answers what was asked: tasks as people bring them, each with the sentence that answers it."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

KEPT = tomllib.loads(Path(__file__).with_name("first_sentences.toml").read_text("utf-8"))
MOST_WORDS = 25


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", KEPT["task"], ids=lambda task: task["asks"])
def test_the_first_sentence_answers(task, command, checkout, request):
    """It names system, metric, number or yes and no, as the table has it; the terminal and JSON say the same."""
    folders = {"examples": checkout / "examples"}
    if "{data}" in task["command"]:
        folders["data"] = request.getfixturevalue("data_folder")
    for name, text in KEPT["files"].items():
        Path(name).write_text(text, "utf-8")
    ended = command(*shlex.split(task["command"].format(**folders)), "--json")
    first = ended.json()["summary"][0]
    assert first == task["first"]
    assert len(re.findall(r"\S*\w\S*", first)) <= MOST_WORDS * (1 + first.count(". "))
    assert "±" not in first


def test_there_are_forty():
    """Of every question that is asked of data, or of nothing but numbers."""
    assert len(KEPT["task"]) >= 40
    assert len({task["asks"] for task in KEPT["task"]}) == len(KEPT["task"])
