"""`metaeval stop`: scores and votes by their content, the order of arrival from a file, what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval import read_scores, study_stopping


@pytest.fixture
def table(tmp_path):
    """Write scores of two systems on 40 topics, which came in the order of a date."""
    rng = np.random.default_rng(4)
    days = pd.date_range("2026-01-01", periods=40).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"topic": [f"q{n}" for n in range(1, 41)], "A": rng.normal(0.47, 0.2, 40).round(3)})
    frame["B"] = rng.normal(0.3, 0.2, 40).round(3)
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.assign(date=days[::-1])[["topic", "date"]].to_csv(tmp_path / "dates.csv", index=False)
    return tmp_path


def test_the_order_of_arrival_is_read_from_a_file(command, table):
    """The last topic came first: other looks decide, and nothing is assumed any more."""
    plain = command("stop", table / "scores.csv", "--json").json()
    turned = command("stop", table / "scores.csv", "--arrival-file", table / "dates.csv", "--json").json()
    assert plain["results"][0]["log10_evidence"] == pytest.approx(turned["results"][0]["log10_evidence"])
    assert plain["results"][0]["decided_at"] != turned["results"][0]["decided_at"]
    assert any("order of their names" in note for note in plain["notes"])
    assert not any("order of their names" in note for note in turned["notes"])


def test_votes_are_known_by_their_content(command, tmp_path):
    """The same command, without an option."""
    rows = ["left,right,winner", *(f"a,b,{'left' if n % 5 else 'right'}" for n in range(60))]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    answer = command("stop", path, "--json").json()
    assert (answer["results"][0]["winner"], answer["results"][0]["n"]) == ("a", 60)
    assert answer["results"][0]["difference"] == pytest.approx(0.6)


def test_what_comes_apart_is_refused(command, table, tmp_path):
    """Votes have no file of arrivals; few topics have a way out."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,left\na,b,right\n", encoding="utf-8")
    assert "leave it out" in command("stop", path, "--arrival-file", table / "dates.csv").err
    few = command("stop", path, "--quiet")
    assert (few.code, "--burn-in" in few.err) == (4, True)
    assert command("stop", table / "scores.csv", "--burn-in", "5", "--quiet").code == 0


def test_too_few_items_are_called_items(command, tmp_path):
    """The refusal counts what the table calls its rows."""
    path = tmp_path / "few.csv"
    path.write_text("item,a,b\n" + "".join(f"i{n},{n / 10},{(8 - n) / 9:.3f}\n" for n in range(8)))
    assert "there are 8 items" in " ".join(command("stop", path).err.split())


def test_the_column_of_dates_is_when_topics_came(command, tmp_path):
    """A long table of scores may be its own table of arrivals, whatever stands beside its dates."""
    rows = [
        f"q{n},{name},{n % 7 / 10 + gain},{30 - n:02d}"
        for n in range(12, 30)
        for name, gain in (("a", 0.3), ("b", 0.0))
    ]
    path = tmp_path / "scores.csv"
    path.write_text("topic,system,score,date\n" + "".join(f"{row[:-2]}2026-01-{row[-2:]}\n" for row in rows))
    told = command("stop", path, "--arrival-file", path, "--json").json()
    named = command("stop", path, "--arrival-file", path, "--arrival-column", "date", "--json").json()
    plain = command("stop", path, "--json").json()
    assert told["results"] == named["results"] == plain["results"]
    assert not any("order of their names" in note for answer in (told, plain) for note in answer["notes"])
    assert any("in the order of the column 'date'; --arrival-file" in note for note in plain["notes"])
    own = path.read_text().replace("2026-01-1", "2026-02-1", 1)  # a topic with two dates has none
    (tmp_path / "own.csv").write_text(own)
    assert any(
        "order of their names" in note for note in command("stop", tmp_path / "own.csv", "--json").json()["notes"]
    )
    (tmp_path / "when.csv").write_text("topic,batch,phase\n" + "".join(f"q{n},{n},{n}\n" for n in range(12, 30)))
    refused = command("stop", path, "--arrival-file", tmp_path / "when.csv")
    assert refused.code == 3
    assert "such as --arrival-column batch" in " ".join(refused.err.split())


@pytest.mark.parametrize("form", ["wide", "long"])
def test_the_column_of_arrival_is_no_score(command, table, form):
    """In the table of scores it orders the topics as in a file of its own, and no system or metric is called so."""
    frame = pd.read_csv(table / "scores.csv").assign(week=np.arange(40, 0, -1))
    frame[["topic", "week"]].to_csv(table / "weeks.csv", index=False)
    path = table / f"{form}.csv"
    whole = frame if form == "wide" else frame.melt(["topic", "week"], var_name="system", value_name="score")
    whole.to_csv(path, index=False)
    frame.drop(columns="week").to_csv(table / "bare.csv", index=False)
    within = command("stop", path, "--arrival-file", path, "--arrival-column", "week", "--json").json()
    apart = command("stop", table / "bare.csv", "--arrival-file", table / "weeks.csv", "--json").json()
    numbers = [[{**row, "metric": ""} for row in answer["results"]] for answer in (within, apart)]
    assert numbers[0] == numbers[1]
    assert "left out column 'week', which says when topics came" in within["notes"]


@pytest.mark.parametrize("named", [True, False])
def test_a_column_of_dates_in_use_is_not_said_to_lie_idle(command, table, named):
    """It says when topics came, so no note offers it as a cluster."""
    path = table / "dated.csv"
    frame = pd.read_csv(table / "scores.csv")
    frame.assign(date=[f"2026-01-{n // 4 + 10}" for n in range(40)]).to_csv(path, index=False)
    answer = command("stop", path, *(["--arrival-file", path] if named else []), "--json").json()
    assert not any("columns of words" in note for note in answer["notes"])
    assert any("'date'" in note for note in answer["notes"])


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y"])
@pytest.mark.parametrize("named", ["added_on", "published", "date"])
def test_a_column_of_dates_by_any_name_says_when_topics_came(command, tmp_path, form, named):
    """At the shell, of scores that were read, and of a frame alike: names of items say another order than dates."""
    numbers = np.random.default_rng(3)
    frame = pd.DataFrame({"item": numbers.permutation(40), "when": pd.date_range("2026-01-28", periods=40)})
    frame = frame.assign(A=numbers.normal(0.6, 0.2, 40).round(3), B=numbers.normal(0.3, 0.2, 40).round(3))
    frame["item"] = "q" + frame["item"].astype(str)
    right = study_stopping(frame.drop(columns="when"), arrival=frame["item"].tolist(), rng=0)
    days = frame["when"].dt.strftime(form)
    dated = frame.drop(columns="when").assign(**{named: days})
    dated.sort_values("item").to_csv(tmp_path / "scores.csv", index=False)
    answer = command("stop", tmp_path / "scores.csv", "--replay", "0", "--seed", "0", "--json").json()
    assert answer["results"][0]["decided_at"] == right.to_frame()["decided_at"][0]
    for data in (read_scores(tmp_path / "scores.csv"), dated):
        found = study_stopping(data, rng=0)
        assert found.to_frame()["decided_at"].tolist() == right.to_frame()["decided_at"].tolist()
        assert any(f"the column '{named}'" in note for note in found.notes)


def test_dates_that_tell_no_order_are_named(command, tmp_path):
    """The 5th of January or the 1st of May: items then go by their names, and a note says so."""
    rows = "".join(f"q{n},0{1 + n % 9}/0{1 + n // 9}/2026,.{n + 11},.{30 - n}\n" for n in range(18))
    (tmp_path / "scores.csv").write_text(f"item,date,a,b\n{rows}")
    notes = command("stop", tmp_path / "scores.csv", "--json").json()["notes"]
    assert any("not taken in the order of date" in note and "day or the month" in note for note in notes)


def test_annotations_of_one_model_are_votes_against_its_reference(command):
    """As look and votes read them: AlpacaEval's preferences of one model over another."""
    told = [
        {"instruction": f"q{at}", "generator_1": "ref", "generator_2": "mine", "annotator": "j", "preference": said}
        for at, said in enumerate([2.0, 1.0] + [2.0] * 12)
    ]
    Path("a.json").write_text(json.dumps(told))
    assert "metaeval stop a.json" in command("look", "a.json").out
    ended = command("stop", "a.json")
    assert ended.code == 0, ended.err
    assert "2 systems, 14 votes" in command("look", "a.json").out
    assert "mine" in ended.out
    assert "ref" in ended.out
