"""Groups of systems, from tables and from names."""

import pytest

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.groups import groups_from_regex, read_covariate, read_groups, read_item_covariate
from metaeval.io.tables import read_scores

TABLE = "run,team,type\nbm25,Aardvark,auto\nlm,Badger,auto\nql,Badger,manual\n"


@pytest.fixture
def table(tmp_path):
    """Three runs of two teams."""
    path = tmp_path / "runs.csv"
    path.write_text(TABLE)
    return path


def test_a_column_is_the_group(table):
    """Every system asked for gets its group, in the order asked; others in the table do not matter."""
    assert read_groups(table, column="team", systems=["ql", "bm25"]) == {"ql": "Badger", "bm25": "Aardvark"}


@pytest.mark.parametrize("header", ["system\tteam", "name\tteam", "submission\tteam", "team\tsubmission"])
def test_the_systems_are_found(tmp_path, header):
    """The column of systems is known by its name, or by holding all the systems."""
    rows = [("bm25", "x"), ("lm", "y")]
    path = tmp_path / "teams.tsv"
    ordered = [reversed(row) if header.startswith("team") else row for row in rows]
    path.write_text("\n".join([header, *("\t".join(row) for row in ordered)]))
    assert read_groups(path, systems=["lm", "bm25"]) == {"lm": "y", "bm25": "x"}
    assert read_groups(path, column="team", systems=["lm", "bm25"]) == {"lm": "y", "bm25": "x"}


def test_the_column_of_systems_can_be_named(table):
    """A table of something else than runs can serve: the type is the key here."""
    assert read_groups(table, column="run", system_column="type", systems=["manual"]) == {"manual": "ql"}


@pytest.mark.parametrize("name", ["group", " Group"])
def test_a_column_called_group_needs_no_naming(tmp_path, name):
    """Among several columns the one called group is taken, unless another one is named."""
    path = tmp_path / "runs.csv"
    path.write_text(f"system,pooled,{name}\nbm25,yes,x\nlm,no,y\n")
    assert read_groups(path, systems=["lm", "bm25"]) == {"lm": "y", "bm25": "x"}
    assert read_groups(path, systems=["lm", "bm25"], column="pooled") == {"lm": "no", "bm25": "yes"}


def test_the_same_group_twice_is_one(tmp_path):
    """A system may stand in several rows, as long as they agree."""
    path = tmp_path / "runs.csv"
    path.write_text("run,team\nbm25,x\nbm25,x\nlm,y\n")
    assert read_groups(path, systems=["bm25", "lm"]) == {"bm25": "x", "lm": "y"}


@pytest.mark.parametrize(
    ("text", "options", "rule"),
    [
        (
            TABLE,
            {"column": "taem"},
            r"no column 'taem' \(did you mean 'team'\?\); columns found: 'run', 'team', 'type'",
        ),
        (TABLE, {}, "say which column holds the groups"),
        (
            TABLE,
            {"column": "team", "systems": ["bm25", "lm2", "x"]},
            r"1 of 3 systems; without a row: lm2, x \(for 'lm2' there is 'lm'\)",
        ),
        (TABLE, {"column": "team", "system_column": "sys"}, "no column 'sys'"),
        ("id,team\na,b\n", {}, "no column holds all the systems"),
        ("run,team\nbm25,\nlm,x\n", {}, "line 2: system 'bm25' has no 'team'; fill it in"),
        ("run,team\nbm25,x\nlm,x\nbm25,y\n", {}, "line 4: system 'bm25' has two groups, 'x' and 'y'"),
        ("run,team\nbm25\n", {}, "line 2: a row of 1 cells, and the table has 2 columns"),
        ("", {}, "the file is empty"),
    ],
)
def test_faulty_tables(tmp_path, text, options, rule):
    """What is missing or contradicts itself is an error with file, line and the way out."""
    path = tmp_path / "runs.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=rule) as caught:
        read_groups(path, **{"systems": ["bm25", "lm"], **options})
    assert "runs.csv" in str(caught.value)


def test_the_first_capture_is_the_group():
    """The expression is searched for anywhere in the name, and its first capture counts."""
    names = ["input.uni-a.run1", "input.uni-a.run2", "input.lab.run1"]
    assert list(groups_from_regex(r"\.([^.]+)\.(run)", names).values()) == ["uni-a", "uni-a", "lab"]


@pytest.mark.parametrize(
    ("pattern", "rule"),
    [
        ("(", "'.' is not a regular expression: missing"),
        ("^a", "captures nothing; put the part that is the group in parentheses"),
        ("^(a)", r"finds no group in 1 of 2 names \(b1\)"),
        ("(x*)", r"finds no group in 2 of 2 names \(a1, b1\)"),
        ("a|(b)", r"finds no group in 1 of 2 names \(a1\)"),
    ],
)
def test_faulty_expressions(pattern, rule):
    """An expression that is faulty, captures nothing or misses a name is an error that shows it."""
    with pytest.raises(InvalidOptionError, match=rule):
        groups_from_regex(pattern, ["a1", "b1"])


def test_teams_of_trec(data_folder):
    """TREC-COVID round 1 has 143 runs of 56 teams, the Deep Learning track of 2019 has 37 runs of 12 participants."""
    for folder, table, column, n_systems, n_groups in (
        ("trec-covid-r1", "leaderboard.csv", "team", 143, 56),
        ("trec-dl19-passage", "runs.csv", "participant", 37, 12),
    ):
        scores = read_scores(data_folder / folder / "per_topic_trec_eval.csv.gz")
        groups = read_groups(data_folder / folder / table, column=column, systems=scores["system"].to_numpy())
        assert len(groups) == n_systems
        assert len(set(groups.values())) == n_groups


# ------------------------------------------------------------------------------------------------ a number a system


def test_a_number_for_every_system(tmp_path):
    """It is called as its column, by default the only other one; rows of other systems do not matter."""
    path = tmp_path / "lengths.csv"
    path.write_text("run,words,depth\nbm25,120,1000\nlm,1e2,50\nql,none,10\n")
    found = read_covariate(path, systems=["lm", "bm25"], covariate_column="words")
    assert found == ("words", {"lm": 100.0, "bm25": 120.0})
    path.write_text("system\tlength\nlm\t-0.5\n")
    assert read_covariate(path, systems=["lm"]) == ("length", {"lm": -0.5})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,words\nbm25,12\nlm,many\n", r"line 3: system 'lm' has 'many' as 'words'; write a number"),
        ("run,words\nbm25,12\nlm,\n", r"line 3: system 'lm' has no 'words'"),
        ("run,words\nbm25,12\nlm,inf\n", r"line 3: system 'lm' has 'inf'"),
        ("run,words\nbm25,12\n", "without a row: lm"),
        ("run,words\nbm25,12\nbm25,13\nlm,1\n", "system 'bm25' has two covariates, '12' and '13'"),
        ("run,words,depth\nbm25,12,1\nlm,1,2\n", "say which column holds the covariates"),
    ],
)
def test_a_number_that_is_none(tmp_path, text, message):
    """Each is refused with its line."""
    path = tmp_path / "lengths.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_covariate(path, systems=["lm", "bm25"])


def test_items_in_another_form_than_the_labels_are_refused(tmp_path):
    """Numbers of no item are no covariate: the table is named with names of both."""
    path = tmp_path / "lengths.csv"
    path.write_text("item,words\n0,12\n1,13\n")
    with pytest.raises(FileFormatError, match=r"names none of the items.*it has '0', '1', and the labels 'r-0', 'r-1'"):
        read_item_covariate(path, items=["r-0", "r-1"], alone=True)
    assert read_item_covariate(path, items=["r-0", "r-1"]) is None
    path.write_text("item,words\nr-0,12\nr-1,13\n")
    assert read_item_covariate(path, items=["r-0", "r-1"], alone=True) == ("words", {"r-0": 12.0, "r-1": 13.0})


def test_lines_of_one_item_that_a_column_tells_apart_are_not_for_leaving_out(tmp_path):
    """Two lines of a topic are of two answers, which the second column names if the labels do."""
    path = tmp_path / "lengths.csv"
    path.write_text("topic,words,answer\nt1,12,opus\nt1,13,gpt\n")
    with pytest.raises(FileFormatError, match="'answer' tells its lines apart: make it the second column"):
        read_item_covariate(path, items=["t1", "t1::opus", "t1::gpt"], covariate_column="words")
    path.write_text("topic,answer,words\nt1,opus,12\nt1,gpt,13\n")
    assert read_item_covariate(path, items=["t1", "t1::opus", "t1::gpt"]) == ("words", {"t1::opus": 12, "t1::gpt": 13})
    path.write_text("item,words\nt1,12\nt1,13\n")
    with pytest.raises(FileFormatError, match="'12' and '13'; keep one"):
        read_item_covariate(path, items=["t1"])
