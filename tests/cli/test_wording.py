"""What the library says about arguments reaches the command line as options: a law over all messages of the source."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import typer

import metaeval
from metaeval.cli import app
from metaeval.cli.option import arguments_of, declared
from metaeval.cli.wording import NOTATION, PYTHON_ONLY, error_in_options, in_options, speaking_of
from metaeval.errors import FileFormatError
from metaeval.metrics.plugins import default_registry

SOURCE = Path(metaeval.__file__).parent
COMMAND_LINE = {"judge", "label"}
"""Roles in --column ROLE=NAME."""
PHRASES = {"strict", "second"}
"""Words of Python calls written out in a message."""


def _texts(node):
    """Yield every text under a node but docstrings; what is filled in is x."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(one.value if isinstance(one, ast.Constant) else "'x'" for one in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif not isinstance(node, ast.Expr):
        for part in ast.iter_child_nodes(node):
            yield from _texts(part)


@cache
def _messages():
    return sorted(
        {
            (str(path.relative_to(SOURCE)), text)
            for path in SOURCE.rglob("*.py")
            if path.parent.name != "cli"
            for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
            if " " in text and "<" not in text and not re.search(r'[a-z_]="', text)
        }
    )


PROGRAM = typer.main.get_command(app)
COMMANDS = [
    one
    for group in (PROGRAM, PROGRAM.commands["simulate"])
    for one in group.commands.values()
    if not hasattr(one, "commands")
]
ARGUMENTS = {name: option for one in COMMANDS for name, option in arguments_of(one).items()}
"""What the options of all commands stand for, each with one of its options."""


def _parameters(path):
    """Yield the parameters of every function of a module, and the fields of its classes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_every_argument_in_a_message_has_an_option_or_is_said_to_have_none():
    """A new message that names an argument must say what it is called on the command line."""
    known = {*ARGUMENTS, *NOTATION, *PYTHON_ONLY, *PHRASES, *COMMAND_LINE}
    unknown = {
        (path, name, text)
        for path, text in _messages()
        for name in re.findall(r"(?<![\w'-])([a-z_]+)=(?!=)", text)
        if name not in known
    }
    assert unknown == set()


def test_what_a_command_shows_names_its_option():
    """No argument that the command has an option for is left in the words of Python."""
    left = []
    for path, text in _messages():
        shown = in_options(text, ARGUMENTS)
        names = re.findall(r"(?<![\w(-])([a-z_]+)=(?!=)", re.sub(r"\w\([^()]*=[^()]*\)", "", shown))
        left += [(path, name, shown) for name in {*names} & {*ARGUMENTS} - NOTATION - PYTHON_ONLY]
    assert left == []


def test_what_an_option_stands_for_exists():
    """An argument that is renamed in the library is renamed where the option is declared."""
    named = {name for one in COMMANDS for _, option in declared(one) for name in option.means}
    assert named <= {name for path in SOURCE.rglob("*.py") if path.parent.name != "cli" for name in _parameters(path)}


def test_an_argument_stands_for_the_option_of_its_own_command():
    """A count is n_ in the library; the same argument has another option, or none, elsewhere."""
    arguments = {one.name: arguments_of(one) for one in COMMANDS}
    assert (arguments["topics"]["n_trials"], arguments["topics"]["rng"]) == ("--trials", "--seed")
    assert (arguments["collection"]["depth"], arguments["judgments"]["depth"]) == ("--depth", "--pool-depth")
    assert arguments["collection"]["n_topics"] == "--topics"
    assert arguments["report"]["n_topics"] == "--n-topics"
    assert "n_trials" not in arguments["report"]
    assert (arguments["topics"]["sizes"], arguments["power"]["sizes"]) == ("--topic-sizes", "--element-sizes")
    assert arguments["judgments"]["sizes"] == "--pool-sizes"


def test_parameters_of_metrics_are_notation():
    """They are written the same on the command line, so they must not be taken for options."""
    words = {name for spec in default_registry() for name in spec.parameters}
    assert words & set(ARGUMENTS) <= NOTATION


@pytest.mark.parametrize(
    ("message", "arguments", "shown"),
    [
        (
            "run 'a' has two documents at rank 3; ranks must be unique with order='rank'",
            {"order": "--order"},
            "run 'a' has two documents at rank 3; ranks must be unique with --order rank",
        ),
        (
            "a lacks 3 of 5 topics; pass missing='zero', 'drop-systems' or 'drop-topics'",
            {"missing": "--missing"},
            "a lacks 3 of 5 topics; pass --missing zero, drop-systems or drop-topics",
        ),
        (
            "pass tolerance_unit='absolute' with tolerances in the metric's unit, or tolerances=[0]",
            {"tolerance_unit": "--tolerance-unit", "tolerances": "--tolerances"},
            "pass --tolerance-unit absolute with tolerances in the metric's unit, or --tolerances 0",
        ),
        ("no table has a column 'x' (where=, --where)", {"where": "--where"}, "no table has a column 'x' (--where)"),
        ("name the columns of items with item= (--item)", {"item": "--item"}, "name the columns of items with --item"),
        (
            "holds an older report; pass overwrite=True (--overwrite)",
            {"overwrite": "--overwrite"},
            "holds an older report; pass --overwrite",
        ),
        ("out: 'x' is a file; name a folder", {"out": "--out"}, "--out: 'x' is a file; name a folder"),
        ("alpha must lie between 0 and 1, not 3", {"alpha": "--alpha"}, "--alpha must lie between 0 and 1, not 3"),
        (
            "nothing is rejected: raise n_resamples",
            {"n_resamples": "--resamples"},
            "nothing is rejected: raise --resamples",
        ),
        ("With lenient=True, it is 0", {"lenient": "--lenient"}, "With --lenient, it is 0"),
        (
            "AP(rel=2) and nDCG(gains={1:1})@10 stay",
            {"rel": "--rel", "gains": "--gains"},
            "AP(rel=2) and nDCG(gains={1:1})@10 stay",
        ),
        (
            "no document has a level of at least rel=2",
            {"metrics": "--metrics"},
            "no document has a level of at least rel=2",
        ),
        ("MAep(quant=Gen5, rel=1) stays", {"rel": "--rel"}, "MAep(quant=Gen5, rel=1) stays"),
        (
            "pass systems_in='rows' or form='long'",
            {"systems_in": "--systems-in"},
            "pass --systems-in rows or form='long' (form= is an argument in Python; this command has no such option)",
        ),
        ("pass missing='zero'", {}, "pass missing='zero'"),
    ],
)
def test_messages_in_the_words_of_the_command_line(message, arguments, shown):
    """Options for arguments; the notation of metrics stays."""
    assert in_options(message, arguments) == shown


def test_arguments_of_other_commands_are_said_to_be_pythons():
    """Only what some option stands for is taken for an argument: a folder may be called year=2020."""
    shown = in_options("pass missing='zero' or order='rank'", {"missing": "--missing"}, lambda: {"order"})
    assert shown.endswith("(order= is an argument in Python; this command has no such option)")
    assert in_options("there is no year=2020/x.csv", {"missing": "--missing"}) == "there is no year=2020/x.csv"


def test_a_command_speaks_of_options(command, table, simulated_collection):
    """What the library raises and warns of names options; from Python it names arguments."""
    rows = table[0].read_text().splitlines()
    table[0].write_text("\n".join([*rows[:3], rows[3].replace(rows[3].split(",")[0], "", 1), *rows[4:]]))
    ended = command("power", table[0])
    assert ended.code == 3
    assert "pass --missing zero, drop-systems, drop-topics or pairwise" in ended.err
    run = next((simulated_collection / "runs").iterdir())
    lines = run.read_text().splitlines()
    (run.parent.parent / "twice").write_text("\n".join([*lines, lines[-1].replace(lines[-1].split()[2], "other")]))
    words = ("--qrels", simulated_collection / "qrels.txt", "--order", "rank")
    ended = command("score", run.parent.parent / "twice", *words)
    assert ended.code == 3
    assert "--order rank" in ended.err


@pytest.mark.parametrize("name", ["runs", "min_topics/runs", "new"])
@pytest.mark.parametrize("line", [None, 3])
def test_a_file_called_like_an_argument_keeps_its_name(name, line):
    """What stands before the message is a path; the message itself is put into words."""
    said = "give runs= as a folder"
    options = {"runs": "--runs", "new": "--new-runs", "min_topics": "--min-topics"}
    with speaking_of(options, frozenset):
        told = error_in_options(FileFormatError(said, path=name, line=line))
    assert told == f"{name}{'' if line is None else ', line 3'}: give --runs as a folder"
