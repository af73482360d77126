"""What the library says about arguments reaches the command line as options: a law over all messages of the source."""

import ast
import re
from pathlib import Path

import pytest
import typer

import metaeval
from metaeval.cli import app
from metaeval.cli.wording import ARGUMENTS, NOTATION, PYTHON_ONLY, in_options
from metaeval.metrics.plugins import default_registry

SOURCE = Path(metaeval.__file__).parent
COMMAND_LINE = {"assessor", "label"}
"""Roles in --column ROLE=NAME."""
PHRASES = {"strict", "second"}
"""Words in `wording._PHRASES`, and those of Python calls written out in a message."""


def _texts(path):
    """Yield every text of a module but its docstrings; what is filled in is x."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr | ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in parts:
            yield "".join(one.value if isinstance(one, ast.Constant) else "'x'" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


MESSAGES = sorted(
    {
        (str(path.relative_to(SOURCE)), text)
        for path in SOURCE.rglob("*.py")
        if path.parent.name != "cli"
        for text in _texts(path)
        if " " in text and "<" not in text and not re.search(r'[a-z_]="', text)
    }
)
OPTIONS = {
    option
    for group in (typer.main.get_command(app), typer.main.get_command(app).commands["simulate"])
    for command in group.commands.values()
    for parameter in command.params
    for option in parameter.opts
}


def test_every_argument_in_a_message_has_an_option_or_is_said_to_have_none():
    """A new message that names an argument must say what it is called on the command line."""
    known = {*ARGUMENTS, *NOTATION, *PYTHON_ONLY, *PHRASES, *COMMAND_LINE}
    unknown = {
        (path, name, text)
        for path, text in MESSAGES
        for name in re.findall(r"(?<![\w'-])([a-z_]+)=(?!=)", text)
        if name not in known
    }
    assert unknown == set()


def test_what_a_command_shows_names_its_option():
    """No argument that the command has an option for is left in the words of Python."""
    left = []
    for path, text in MESSAGES:
        shown = in_options(text, OPTIONS)
        for name in re.findall(r"(?<![\w(-])([a-z_]+)=(?!=)", re.sub(r"\w\([^()]*=[^()]*\)", "", shown)):
            options = [one for one in ARGUMENTS.get(name, ()) if one in OPTIONS]
            if options and name not in NOTATION:
                left.append((path, name, shown))
    assert left == []


def test_options_of_the_table_exist():
    """An option that is renamed is renamed here."""
    assert {option for options in ARGUMENTS.values() for option in options} <= OPTIONS


def test_parameters_of_metrics_are_notation():
    """They are written the same on the command line, so they must not be taken for options."""
    words = {name for spec in default_registry() for name in spec.parameters}
    assert words & set(ARGUMENTS) <= NOTATION


@pytest.mark.parametrize(
    ("message", "options", "shown"),
    [
        (
            "run 'a' has two documents at rank 3; ranks must be unique with order='rank'",
            ["--order"],
            "run 'a' has two documents at rank 3; ranks must be unique with --order rank",
        ),
        (
            "a lacks 3 of 5 topics; pass missing='zero', 'drop-systems' or 'drop-topics'",
            ["--missing"],
            "a lacks 3 of 5 topics; pass --missing zero, drop-systems or drop-topics",
        ),
        (
            "pass tolerance_unit='absolute' with tolerances in the metric's unit, or tolerances=[0]",
            ["--tolerance-unit", "--tolerances"],
            "pass --tolerance-unit absolute with tolerances in the metric's unit, or --tolerances 0",
        ),
        ("no table has a column 'x' (where=, --where)", ["--where"], "no table has a column 'x' (--where)"),
        ("name the columns of items with item= (--item)", ["--item"], "name the columns of items with --item"),
        (
            "holds an older report; pass overwrite=True (--overwrite)",
            ["--overwrite"],
            "holds an older report; pass --overwrite",
        ),
        ("out: 'x' is a file; name a folder", ["--out"], "--out: 'x' is a file; name a folder"),
        ("alpha must lie between 0 and 1, not 3", ["--alpha"], "--alpha must lie between 0 and 1, not 3"),
        ("nothing is rejected: raise n_resamples", ["--resamples"], "nothing is rejected: raise --resamples"),
        ("With lenient=True, it is 0", ["--lenient"], "With --lenient, it is 0"),
        ("AP(rel=2) and nDCG(gains={1:1})@10 stay", ["--rel", "--gains"], "AP(rel=2) and nDCG(gains={1:1})@10 stay"),
        ("no document has a level of at least rel=2", ["--metrics"], "no document has a level of at least rel=2"),
        ("MAep(quant=Gen5, rel=1) stays", ["--rel"], "MAep(quant=Gen5, rel=1) stays"),
        (
            "pass systems_in='rows' or form='long'",
            ["--systems-in"],
            "pass --systems-in rows or form='long' (form= is an argument in Python; this command has no such option)",
        ),
        ("pass missing='zero'", [], "pass missing='zero'"),
    ],
)
def test_messages_in_the_words_of_the_command_line(message, options, shown):
    """Options for arguments; the notation of metrics stays."""
    assert in_options(message, options) == shown


def test_a_command_speaks_of_options(command, table, simulated_collection):
    """What the library raises and warns of names options; from Python it names arguments."""
    rows = table[0].read_text().splitlines()
    table[0].write_text("\n".join([*rows[:3], rows[3].replace(rows[3].split(",")[0], "", 1), *rows[4:]]))
    ended = command("power", table[0])
    assert ended.code == 3
    assert "pass --missing zero, drop-systems or drop-topics" in ended.err
    run = next((simulated_collection / "runs").iterdir())
    lines = run.read_text().splitlines()
    (run.parent.parent / "twice").write_text("\n".join([*lines, lines[-1].replace(lines[-1].split()[2], "other")]))
    words = ("--qrels", simulated_collection / "qrels.txt", "--order", "rank")
    ended = command("score", run.parent.parent / "twice", *words)
    assert ended.code == 3
    assert "--order rank" in ended.err
