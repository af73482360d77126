"""scripts/compare_answers.py finds the answers that differ between two checkouts, and no others."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "compare_answers.py"
pytestmark = pytest.mark.usefixtures("checkout")
PROGRAM = """
import json, sys
from pathlib import Path

def main():
    words = sys.argv[1:]
    if words[0] == "simulate":
        if "--json" in words:
            return 2
        Path(words[1]).write_text(TEXT)
    else:
        results = [{"power": POWER, "topics": Path("made").read_text() == TEXT, "p": float("nan")}]
        if "--out" in words:
            Path("pairs.csv").write_text(f"power\\n{POWER}\\n")
        print(json.dumps({"results": results, "provenance": {"created": str(object()), "inputs": {}}}))
    return 0
"""
PAGE = """
```python
import metaeval.cli
```

```{code-block} python
not run
```

```console
$ metaeval simulate made
$ metaeval power made \\
    --test t --out there
what it answers
```

| table | command |
|---|---|
| one | `metaeval power made --test sign` |
| two | `metaeval power` |

Not `metaeval asked here`.
"""


@pytest.fixture(scope="module")
def script():
    """Load the script."""
    spec = importlib.util.spec_from_file_location("compare_answers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checkout(folder, *, power=0.5, text="made"):
    """Make a checkout whose program answers as told."""
    for part in ("metaeval", "examples", "docs"):
        (folder / part).mkdir(parents=True)
    (folder / "metaeval" / "__init__.py").touch()
    (folder / "metaeval" / "cli.py").write_text(f"TEXT, POWER = {text!r}, {power}\n{PROGRAM}", "utf-8")
    (folder / "README.md").write_text("Nothing to ask.", "utf-8")
    (folder / "docs" / "page.md").write_text(PAGE, "utf-8")
    return folder


def listed(before, after, *words):
    """Run the script."""
    command = [sys.executable, SCRIPT, before, after, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def test_the_same_answers_are_the_same(tmp_path):
    """Times differ and nan is nan; commands come from blocks, with a line that goes on, and from tables."""
    code, said = listed(checkout(tmp_path / "before"), checkout(tmp_path / "after"))
    assert code == 0
    assert said.splitlines() == [
        "",
        "docs/page.md",
        "  same: metaeval simulate made",
        "  same: metaeval power made      --test t --out there",
        "  same: metaeval power made --test sign",
    ]


def test_other_answers_and_other_files_are_named(tmp_path):
    """A number and a file that came out differently are listed, and the exit code says so."""
    code, said = listed(checkout(tmp_path / "before"), checkout(tmp_path / "after", power=0.25, text="other"))
    assert code == 1
    assert "  1 differ: metaeval simulate made\n    files.made: " in said
    assert said.count("    results.0.power: 0.5, now 0.25\n") == 2
    assert said.count('    csv.pairs.csv.1: "0.5", now "0.25"\n') == 1


def test_commands_of_the_public_boards_are_asked_beside_the_data(tmp_path):
    """Those whose files are there, in a folder with the data, and what unpacks an archive first."""
    before, after = (checkout(tmp_path / side, power=power) for side, power in (("before", 0.5), ("after", 0.25)))
    program = after / "benchmarks" / "studies" / "public_boards.py"
    program.parent.mkdir(parents=True)
    lines = ("tar -cf made small/file", "metaeval power small/file")
    program.write_text(
        "from types import SimpleNamespace as Board\n"
        f"BOARDS = [Board(needs=['small/file'], command={chr(10).join(lines)!r}),"
        " Board(needs=['absent'], command='metaeval power absent')]",
        "utf-8",
    )
    (tmp_path / "data" / "small").mkdir(parents=True)
    (tmp_path / "data" / "small" / "file").write_text("made", "utf-8")
    code, said = listed(before, after, "--boards", tmp_path / "data", "--pages", "README.md")
    assert code == 1
    heading, answer, difference, *_ = said.split("\n")[1:]
    assert heading == "benchmarks/studies/public_boards.py"
    assert answer == "  1 differ: metaeval power small/file"
    assert difference == "    results.0.power: 0.5, now 0.25"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, []),
        ({"a": [1, 2]}, {"a": [1]}, ["a.1 is gone"]),
        ({"a": []}, {"a": [0.5]}, ["a.0 is new"]),
        ({"a": 1}, {"a": 1, "b": None, "c": False, "d": []}, []),
        ({"a": 1}, {"a": 1, "b": 0}, ["b is new"]),
        ({"a": "1"}, {"a": 1}, ['a: "1", now 1']),
        ({"options": {"a": 1}}, {"options": {"b": 1}}, []),
        ({"options": {"a": 1}}, {"options": {"a": 2}}, ["options.a: 1, now 2"]),
        ({"a": float("nan")}, {"a": float("nan")}, []),
        ({"a": True}, {"a": 1}, ["a: true, now 1"]),
        ({"a": 1e-300}, {"a": 2e-300}, ["a: 1e-300, now 2e-300"]),
        ({"a": None}, {"a": 0}, ["a: null, now 0"]),
    ],
)
def test_every_value_is_compared(script, before, after, lines):
    """A value that is gone, new or another is named by its place; one that says nothing is not."""
    assert script.compare({"code": 0, "answer": before}, {"code": 0, "answer": after}) == lines


def test_exit_codes_are_compared(script):
    """A command that only one checkout takes differs; one that neither takes does not."""
    taken, refused = {"code": 0, "answer": {}}, {"code": 2, "answer": "no"}
    assert script.compare(refused, taken) == ["ends with 2, now 0"]
    assert script.compare(refused, refused) == []


def test_numbers_alone_can_be_compared(script):
    """Sentences do not count then; single words, and rows of CSV files, do."""
    before = {"code": 0, "answer": {"summary": "No: 3 of 4", "word": "No", "csv": {"a.csv": ["a b,1"]}}}
    after = {"code": 0, "answer": {"summary": "No: 4 of 4", "word": "Yes", "csv": {"a.csv": ["a b,2"]}}}
    assert script.compare(before, after, numbers=True) == [
        'word: "No", now "Yes"',
        'csv.a.csv.0: "a b,1", now "a b,2"',
    ]
