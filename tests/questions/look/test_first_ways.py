"""Where several commands can go on, the first that is printed invents nothing and takes no class for a system."""

import re

import pytest

from metaeval.questions.look.study import look


def ways_in(text):
    """Return the commands that are printed to go on with."""
    return re.findall("metaeval look .*", text)


def test_gaps_behind_repeated_rows_are_no_zeros_first(command, tmp_path, monkeypatch):
    """Of the choices one counts what was never observed as 0, and it is only named."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{name},{item},{item % 3}" for name in "abc" for item in range(8) if f"{name}{item}" != "a3"]
    (tmp_path / "x.csv").write_text("\n".join(["model,question_id,score", *rows, "b,2,1"]) + "\n")
    (first,) = ways_in(command("look", "x.csv").out)
    assert first == "metaeval look x.csv --duplicates first"
    (then,) = ways_in(command(*first.split()[1:]).err)
    assert then == "metaeval look x.csv --duplicates first --missing pairwise"
    assert command(*then.split()[1:]).code == 0


@pytest.mark.parametrize(("header", "first"), [("category", "columns"), ("Sprache", "columns"), ("thing", "rows")])
def test_under_a_word_for_parts_of_data_stand_items(command, tmp_path, monkeypatch, header, first):
    """Both commands are printed, and the likely one comes first."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{name},{40 + at}.5,{38 + at * at}.25" for at, name in enumerate(("person", "car", "dog", "bus"))]
    (tmp_path / "x.csv").write_text("\n".join([f"{header},faster,older", *rows]) + "\n")
    ways = ways_in(command("look", "x.csv").out)
    assert ways[0] == f"metaeval look x.csv --systems-in {first}"
    assert {way.rpartition(" ")[2] for way in ways} == {"rows", "columns"}
    sizes = {"columns": "2 systems, 4 topics", "rows": "4 systems, 2 topics"}
    for way in ways:
        assert sizes[way.rpartition(" ")[2]] in command(*way.split()[1:]).out


def test_ratings_of_whole_systems_are_no_systems(command, tmp_path):
    """Each is on a scale of its own, so that the one with the largest numbers would be best."""
    scales = {"elo": 1000, "bradley_terry": 0.01, "pagerank": 0.02, "counting": 40}
    rows = [f"{name},m{at},{scale * (1 + at / 10)}" for name, scale in scales.items() for at in range(12)]
    (tmp_path / "x.csv").write_text("\n".join(["algorithm,item,score", *rows]) + "\n")
    told = command("look", tmp_path / "x.csv").out
    assert "elo, bradley_terry, pagerank are called as ratings of whole systems" in told
    assert "none is a system; these have one number each (m0, m1" in told
    assert "best" not in told


def test_the_name_of_a_file_is_no_column_of_people(tmp_path):
    """It says nothing of what a form holds; of several files that are metrics it does."""
    rows = "topic,a,b\n" + "".join(f"q{at},{at % 4},{(at + 1) % 3}\n" for at in range(12))
    for name in ("form", "form_people", "bleu", "human"):
        (tmp_path / f"{name}.csv").write_text(rows)
    assert look(tmp_path / "form_people.csv").contents.sizes == look(tmp_path / "form.csv").contents.sizes
    assert look([tmp_path / "bleu.csv", tmp_path / "human.csv"]).contents.sizes["people"] == 1
