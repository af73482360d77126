"""Batches of Mechanical Turk are labels of workers, also where one of them labels an item twice; alpha by hand."""

import re
import shlex

import pytest

from metaeval.io.labels import read_labels
from metaeval.questions.look.study import look

_SAID = {"w1": "yyyynn", "w2": "yyynnn", "w3": "yyyynn"}
"""What three workers say of six items, y or n; they disagree about one alone."""
_TICKED = {"y": "true,false", "n": "false,true"}
_WORDS = {"y": "Positive", "n": "Negative"}


def batch(write, again="w1,0,y"):
    """Return a batch of a row an assignment, with one more by a worker who had the item already."""
    rows = [(worker, str(item), text[item]) for item in range(6) for worker, text in _SAID.items()]
    rows.insert(4, tuple(again.split(",")))
    return "".join(f"h{item},A{at},{worker},{30 + at},{write[said]}\n" for at, (worker, item, said) in enumerate(rows))


BATCHES = {
    "ticked": ("Answer.toxic.yes,Answer.toxic.no", batch(_TICKED), "Answer.toxic"),
    "in words": ("Answer.mood.label", batch(_WORDS), "Answer.mood.label"),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_worker_who_labels_an_item_twice_leads_to_judges_and_answers(command, tmp_path, monkeypatch, name):
    """The command that is printed compares workers by their answers, never assignments by their seconds.

    Alpha: of 11 yes and 7 no 2 * 11 * 7 / 17 are expected to disagree; one item does, 4 pairs over 3 - 1.
    """
    monkeypatch.chdir(tmp_path)
    answers, rows, label = BATCHES[name]
    (tmp_path / "b.csv").write_text(f"HITId,AssignmentId,WorkerId,WorkTimeInSeconds,{answers}\n{rows}")
    (way,) = re.findall("^metaeval judges .*", command("look", "b.csv").out, re.MULTILINE)
    told = f"--column item=HITId --column judge=WorkerId --column label={label} --duplicates first"
    assert way == f"metaeval judges b.csv {told}"
    assert f"is {1 - 2 / (154 / 17):.2f} [" in command(*shlex.split(way)[1:]).out
    asked = command("judges", "b.csv").err
    assert f"such as --column label={label}" in asked


def test_options_that_are_ticked_are_one_label(tmp_path):
    """A column of true and false each; where a row ticks several the columns stay as they are."""
    path = tmp_path / "b.csv"
    rows = ["h1,w1,true,false,false", "h1,w2,false,true,false", "h2,w1,false,false,true", "h2,w2,false,false,true"]
    path.write_text("\n".join(["HITId,WorkerId,Answer.m.bad,Answer.m.so,Answer.m.good", *rows]) + "\n")
    labels = read_labels(path, columns={"label": "Answer.m"})
    assert labels.to_numpy().tolist() == [["bad", "so"], ["good", "good"]]
    path.write_text(path.read_text() + "h3,w1,true,true,false\n")
    assert read_labels(path, columns={"label": "Answer.m.so"}).loc["h1"].tolist() == ["false", "true"]


def test_answers_to_another_question_and_systems_say_something(tmp_path):
    """Neither stands among the columns that say nothing of labels."""
    path = tmp_path / "b.csv"
    rows = [
        f"h{item}{model},w{worker},{model},x,{(item + worker) % 3},{item % 3}"
        for item in range(4) for model in "ab" for worker in range(2)
    ]  # fmt: skip
    path.write_text("\n".join(["HITId,WorkerId,Input.model,Title,Answer.fluency,Answer.adequacy", *rows]) + "\n")
    labels = read_labels(path, columns={"label": "Answer.fluency"})
    notes = labels.attrs["notes"]
    assert labels.attrs["system_of"]["h0a"] == "a"
    assert "columns that say nothing of labels, left out: Title" in notes
    assert any("pass `columns={'label': 'Answer.adequacy'}` to ask of that" in note for note in notes)
    roles = {column.column: column.role for column in look(path).contents.columns}
    assert (roles["Input.model"], roles["Answer.fluency"]) == ("system", "label")
