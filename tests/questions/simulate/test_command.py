"""`metaeval simulate`: simulated scores and collections, the same for the same seed."""

import pytest


@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.parquet), "nc"])
def test_scores_are_read_by_power(command, ending):
    """What is written in any format is read again, with all its metrics."""
    name = f"made.{ending}"
    assert command("simulate", "scores", name, "--systems", 5, "--topics", 12, "--metrics", "AP,P@10").code == 0
    rows = command("power", name, "--test", "t", "--correction", "none", "--json").json()["results"]
    assert [row["metric"] for row in rows] == ["AP", "P@10"]
    assert {(row["n_systems"], row["n_topics"]) for row in rows} == {(5, 12)}


def test_the_same_seed_gives_the_same_file(command, tmp_path):
    """Files are equal byte for byte under one seed and differ under another."""
    for name, seed in (("a.csv", 3), ("b.csv", 3), ("c.csv", 4)):
        command("simulate", "scores", name, "--systems", 4, "--topics", 10, "--seed", seed)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "c.csv").read_bytes()


def test_a_file_is_replaced_only_on_request(command, tmp_path):
    """A file that is there stays as it is, unless --overwrite is given."""
    (tmp_path / "made.csv").write_text("mine")
    words = ("simulate", "scores", "made.csv", "--systems", 4, "--topics", 10)
    ended = command(*words)
    assert ended.code == 2
    assert "'made.csv' exists already; pass --overwrite" in ended.err
    assert (tmp_path / "made.csv").read_text() == "mine"
    assert command(*words, "--overwrite").code == 0
    assert (tmp_path / "made.csv").read_text() != "mine"


def test_a_collection_is_scored(command, tmp_path):
    """The runs, judgments and groups of a simulated collection work in `metaeval power`."""
    sizes = ("--groups", 2, "--runs-per-group", 2, "--topics", 8, "--documents", 200, "--depth", 30)
    assert command("simulate", "collection", "made", *sizes).code == 0
    assert (tmp_path / "made" / "groups.csv").is_file()
    ended = command("power", "made/runs", "--qrels", "made/qrels.txt", "--metrics", "AP", "--test", "t", "--json")
    assert {row["n_pairs"] for row in ended.json()["results"]} == {6}


def test_sizes_outside_their_rule_are_refused(command):
    """One system is no table of scores to compare."""
    ended = command("simulate", "scores", "x.csv", "--systems", 1)
    assert ended.code == 2
    assert "systems" in ended.err


@pytest.mark.parametrize(("year", "judgments"), [(2005, "topic-2005001.xml"), (2008, "qrels.txt")])
def test_an_inex_campaign_is_written(command, tmp_path, year, judgments):
    """Runs, judgments of two assessors, sizes and groups are written, under any task."""
    sizes = ("--systems", 3, "--topics", 2, "--documents", 30, "--results", 20, "--pool", 15, "--task", "focused")
    ended = command("simulate", "inex", "made", "--year", year, *sizes)
    assert ended.code == 0
    assert f"3 runs on 2 topics as of INEX {year}" in ended.out + ended.err
    assert len(list((tmp_path / "made" / "submissions").iterdir())) == 3
    for name in (f"assessments/{judgments}", f"second/{judgments}", "sizes.txt", "groups.csv"):
        assert (tmp_path / "made" / name).is_file()


def test_an_unknown_task_or_year_is_refused(command):
    """The message lists what there is."""
    assert "thorough, focused, mixed" in command("simulate", "inex", "made", "--task", "fetch").err
    assert "from 2002 to 2010" in command("simulate", "inex", "made", "--year", 1999).err


def test_scores_are_written_with_the_digits_that_processors_share(command, tmp_path):
    """No score has more than 12 significant digits: the others come from the order of additions."""
    command("simulate", "scores", "made.csv", "--systems", 4, "--topics", 10, "--metrics", "AP,RR")
    scores = [line.rsplit(",", 1)[1] for line in (tmp_path / "made.csv").read_text().splitlines()[1:]]
    assert all(float(text) == float(f"{float(text):.12g}") for text in scores)
    assert any(len(text) > 10 for text in scores)
