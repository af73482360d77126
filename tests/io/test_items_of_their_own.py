"""Items that no two systems share: no gap is filled, means are compared, or the column is named that they share."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.agreement.human import pair_agreement
from metaeval.agreement.items import item_scores
from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.items import read_items
from metaeval.io.means import MeansAloneError
from metaeval.questions.look.study import look

FIRST, SECOND = [1, 1, 0, 1, 1], [0, 1, 0, 0]
RULES = ("error", "zero", "drop-topics", "drop-systems")


def rows(*, question=False):
    """Return rows with an id of each one's own; perhaps with the question that both systems were asked."""
    both = [("a", score) for score in FIRST] + [("b", score) for score in SECOND]
    asked = [*range(len(FIRST)), *range(len(SECOND))]
    head = "id,model,correct" + ",question" * question
    lines = [f"r{at},{model},{score}" + f",What is {asked[at]}?" * question for at, (model, score) in enumerate(both)]
    return "\n".join([head, *lines, ""])


WIDE = "id,a,b\n" + "".join(f"x{at},{score},\n" for at, score in enumerate(FIRST))
WIDE += "".join(f"y{at},,{score}\n" for at, score in enumerate(SECOND))
FILES = {
    "a row each": {"s.csv": rows()},
    "a table of two": {"s.csv": WIDE},
    "a file each": {
        f"{name}.csv": "id,correct\n" + "".join(f"{name}{at},{score}\n" for at, score in enumerate(scores))
        for name, scores in {"a": FIRST, "b": SECOND}.items()
    },
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", FILES)
def test_no_rule_for_gaps_compares_what_nobody_measured(tmp_path, name, rule):
    """Whatever is asked, means over each system's own items are what is there: 4 of 5 and 1 of 4.

    Their standard errors by hand: the roots of .8 of .2 by 4, and of .25 of .75 by 3.
    """
    paths = [tmp_path / file for file in FILES[name]]
    for path in paths:
        path.write_text(FILES[name][path.name])
    if rule == "error" and name == "a table of two":
        with pytest.raises(MetaevalError, match="the cell is empty"):
            read_scores(paths)
        return
    with pytest.raises(MeansAloneError, match="nothing can be paired") as refusal:
        read_scores(paths, missing=rule)
    board = refusal.value.board
    assert board.systems == ("a", "b")
    np.testing.assert_allclose(board.means, [[0.8, 0.25]])
    np.testing.assert_allclose(board.errors, [[np.sqrt(0.8 * 0.2 / 4), np.sqrt(0.25 * 0.75 / 3)]])
    np.testing.assert_array_equal(board.n, [[5, 4]])


@pytest.mark.parametrize("name", FILES)
def test_look_asks_the_leaderboard_alone_and_its_command_answers(tmp_path, monkeypatch, command, name):
    """No advice leads to a gap counted as 0."""
    monkeypatch.chdir(tmp_path)
    for file, text in FILES[name].items():
        (tmp_path / file).write_text(text)
    found = look([*FILES[name]])
    assert (found.kind, found.questions["name"].tolist()) == ("means", ["leaderboard"])
    shown = command("look", *FILES[name]).out
    assert "missing zero" not in shown
    line = found.questions["command"].iloc[0]
    ended = command(*line.split()[1:], "--json")
    assert ended.code == 0, ended.err
    ranks = json.loads(ended.out)
    assert [row["system"] for row in ranks["results"]] == ["a", "b"]


def test_a_column_that_systems_share_is_asked_for_and_leads_to_the_right_answer(tmp_path, monkeypatch, command):
    """Of four questions that both were asked, by hand: .75 and .25; the fifth has one answer alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(rows(question=True))
    with pytest.raises(MetaevalError, match=re.escape("pass `columns={'topic': 'question'}`")):
        read_scores("s.csv")
    shown = command("look", "s.csv").out
    assert "metaeval look s.csv --item-column question" in shown
    scores = read_scores("s.csv", columns={"topic": "question"}, missing="drop-topics")
    np.testing.assert_allclose(scores.mean("topic").to_numpy(), [[0.75, 0.25]])


@pytest.mark.parametrize("rule", RULES)
def test_hardly_any_shared_item_is_as_none(tmp_path, rule):
    """One of thirty items with scores of both: pairs can be compared on it alone, and no gap counts as 0."""
    text = "id,model,correct\n" + "".join(f"r{at},{'ab'[at % 2]},{at % 3 == 0:d}\n" for at in range(30)) + "r0,b,1\n"
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(ScoresError, match="only 1 of 30 items have scores of two systems"):
        read_scores(tmp_path / "s.csv", missing=rule)
    scores = read_scores(tmp_path / "s.csv", missing="pairwise")
    assert int((~np.isnan(scores.to_numpy())).all(axis=1).sum()) == 1
    assert "zero" not in " ".join(look(tmp_path / "s.csv").notes)


def test_metrics_of_one_system_on_items_of_their_own_are_no_gaps(tmp_path):
    """Each row of one metric, under a name of its own: nothing to fill."""
    text = "id,metric,score\n" + "".join(f"{at},{('BLEU', 'chrF')[at % 2]},0.{at}\n" for at in range(1, 9))
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(ScoresError) as refusal:
        read_scores(tmp_path / "s.csv")
    assert "zero" not in str(refusal.value)


def test_in_memory_too():
    """An array and a frame."""
    apart = np.full((2, 8), np.nan)
    apart[0, :4], apart[1, 4:] = [0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]
    for rule in RULES:
        with pytest.raises(ScoresError, match="no topic has scores of two systems"):
            as_scores(apart, missing=rule)
    frame = pd.DataFrame({
        "id": [*"12345678"], "model": [*"aaaabbbb"], "score": range(8),
        "question": [f"What is {at % 4}?" for at in range(8)],
    })  # fmt: skip
    with pytest.raises(ScoresError, match="call it 'item' in the place of 'id'"):
        as_scores(frame)
    right = as_scores(frame.drop(columns="id").rename(columns={"question": "item"}))
    np.testing.assert_array_equal(right.mean("topic").to_numpy(), [[1.5, 5.5]])


def test_a_column_called_name_is_asked_about_where_its_names_share_nothing(tmp_path):
    """They may be those of metrics; that they are systems somebody says."""
    text = "id,name,value\n" + "".join(f"{at},{'ab'[at % 2]},0.{at}\n" for at in range(1, 9))
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(MetaevalError, match=re.escape("`columns={'system': 'name'}`")):
        read_scores(tmp_path / "s.csv")
    with pytest.raises(MeansAloneError) as refusal:
        read_scores(tmp_path / "s.csv", columns={"system": "name"})
    np.testing.assert_allclose(refusal.value.board.means, [[0.4, 0.5]])  # of .1 .3 .5 .7 (b, first) and of .2 .4 .6 .8


@pytest.mark.parametrize("shared", ["doc", "article", "question"])
def test_what_numbers_the_rows_names_no_items_where_another_column_does(tmp_path, shared):
    """An id of its own in every row stands under one system each, and the documents under all; named, it is refused."""
    path = tmp_path / "t.csv"
    cells = [
        (f"d{at}", name, (at + 2 * place) % 5, at * place % 7) for at in range(6) for place, name in enumerate("abc")
    ]
    lines = [f"{doc},{name},{bleu}.5,{human}.5,{row}" for row, (doc, name, bleu, human) in enumerate(cells)]
    path.write_text("\n".join([f"{shared},system,BLEU,human,id", *lines]))
    assert read_items([path]).attrs["items"] == [shared]
    assert read_items([path], item=["id"]).attrs["items"] == ["id"]
    frame = read_items([path], item=["id"])
    with pytest.raises(ScoresError, match=r"no item has a score in human of two systems \(items are '0', '1', '2'"):
        pair_agreement(item_scores(frame, reference="human", item="id", metrics=["BLEU"]))
