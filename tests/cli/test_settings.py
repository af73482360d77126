"""Settings of a folder, `metaeval.toml` or `[tool.metaeval]`: what they set, what they cannot, and that all is told."""

import json
import re

import pytest

from metaeval.cli.commands import command_called
from metaeval.cli.settings import SETTABLE

TABLE = "item,question,a,b\n1,x,.1,.2\n2,y,.4,\n3,z,.6,.3\n"


@pytest.fixture
def lab(tmp_path):
    """Lay out a folder of scores, one below it, and a way to set something."""
    (tmp_path / "s.csv").write_text(TABLE, "utf-8")

    def write(text, name="metaeval.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    return write


def means(ended):
    """Return the means that `table --csv` prints."""
    assert not ended.code, ended.err
    return [float(row.split(",")[2]) for row in ended.out.splitlines()[1:]]


def test_what_is_set_holds_until_something_else_is_typed(lab, command):
    """A gap is 0 as the file says, and the topic is dropped as is typed; --no-config leaves the file out."""
    lab('missing = "zero"\nitem-column = "item"\nignore_column = ["question"]\n')
    words = ("table", "s.csv", "--csv")
    assert sorted(means(command(*words))) == pytest.approx([0.5 / 3, 1.1 / 3])
    assert sorted(means(command(*words, "--missing", "drop-topics"))) == pytest.approx([0.25, 0.35])
    refused = command("--no-config", *words)
    assert refused.code == 3
    assert "--missing" in refused.err
    assert "metaeval.toml" not in refused.err


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_nothing_is_set_silently(lab, command, quiet):
    """File and options stand in the notes of JSON and before every answer, and in the command that is recorded."""
    lab('missing = "zero"\nitem-column = "item"\n')
    answer = json.loads(command("table", "s.csv", "--json", *quiet).out)
    said = "metaeval.toml sets --missing=zero and --item-column=item"
    assert any(said in note for note in answer["notes"])
    assert answer["options"]["set_by_file"] == "metaeval.toml"
    assert "--missing zero --item-column item" in answer["provenance"]["command_line"]
    assert said in command("table", "s.csv", "--csv", *quiet).err
    assert said in " ".join(command("look", "s.csv", *quiet).out.split())
    typed = json.loads(command("table", "s.csv", "--json", "--missing", "zero", "--item-column", "item").out)
    assert "set_by_file" not in typed["options"]
    assert typed["results"] == answer["results"]


def test_the_nearest_file_counts(lab, command, monkeypatch, tmp_path):
    """One in the folder before one above, named by the way to it; of `pyproject.toml` its own table alone is read."""
    lab('missing = "drop-topics"\nitem-column = "item"\n', "metaeval.toml")
    lab('[tool.metaeval]\nmissing = "zero"\n', "pyproject.toml")
    project = '[tool.x]\nmissing = 1\n\n[tool.metaeval]\nmissing = "zero"\nitem-column = "item"\n[tool.y]\nplugin = 1\n'
    lab(project, "below/pyproject.toml")
    (tmp_path / "below" / "lower").mkdir()
    lab("[tool.other]\n", "below/lower/pyproject.toml")
    assert sorted(means(command("table", "s.csv", "--csv"))) == pytest.approx([0.25, 0.35])
    for folder, path in (("below", "pyproject.toml"), ("below/lower", "../pyproject.toml")):
        monkeypatch.chdir(tmp_path / folder)
        ended = command("table", tmp_path / "s.csv", "--csv")
        assert f"{path} sets --missing=zero and --item-column=item" in ended.err
        assert sorted(means(ended)) == pytest.approx([0.5 / 3, 1.1 / 3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('missing = "zero"\nplugin = ["evil.py"]\n', "line 2: plugin is typed, and set by no file"),
        ('out = "report"\n', "line 1: out is typed, and set by no file"),
        ("workers = 8\n", "line 1: workers is typed, and set by no file"),
        ("alpha = 0.5\n", "line 1: alpha is typed, and set by no file"),
        ('trust = true\nmissing = "zero"\n', "line 1: no setting 'trust'"),
        ('\nmising = "zero"\n', "line 2: no setting 'mising'; did you mean 'missing'?"),
        ('missing = "zerro"\n', "line 1: no value of --missing 'zerro'"),
        ("missing = {a = 1}\n", "line 1: missing needs a value, not a table"),
        ("no-header = 1\n", "line 1: no-header takes no value but true, not 1"),
        ("missing = zero\n", "line 1: this is no TOML"),
        ('item-column = "nothing"\n', "no column 'nothing'; .*metaeval.toml sets --item-column=nothing"),
    ],
)
def test_what_no_file_may_set(lab, command, text, message):
    """Programs, outputs, work and what is no option are refused by line; a value that is wrong is, too."""
    lab(text)
    ended = command("table", "s.csv", "--csv")
    assert ended.code in {2, 3}
    assert re.search(message, " ".join(ended.err.split())), ended.err
    assert command("table", "--help").code == 0


def test_only_tables_are_set():
    """No option that can be set reads, writes or runs a file, or says who works."""
    options = {parameter.name: parameter for parameter in command_called("leaderboard").params}
    for name in SETTABLE:
        assert options[name].type_descriptor.parameter_info.parser is None
        assert options[name].rich_help_panel in {"Reading", None}
    assert {"missing", "item_column", "cluster_column", "where"} <= set(SETTABLE)
    assert not {"plugin", "out", "workers", "qrels", "seed", "alpha", "cluster_file"} & set(SETTABLE)
