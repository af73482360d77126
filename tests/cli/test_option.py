"""What an option of a command is, tried on a command of its own."""

import ast
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer

from metaeval.base.checks import check_share
from metaeval.cli import checks, main
from metaeval.cli.commands import COMMANDS, command_called
from metaeval.cli.option import Option, argument, arguments_of, choice, declared, flag
from metaeval.cli.option_rules import Commands

_DEPTH = Option("K", "How deep.", checks.whole_number(1, 9), means="limit")
_GROUPED = Commands(add_completion=False)


@_GROUPED.command()
def _ask(
    *,
    inputs: Annotated[list[str], argument("INPUTS", "What is read.")],
    depth: Annotated[int, _DEPTH] = 3,
    share: Annotated[float, Option("SHARE", "How much.", check_share)] = 0.5,
    side: Annotated[str, choice("Which side.", "left", "right")] = "left",
    mirrored: Annotated[bool, flag("--mirrored", "Both.", needs="share depth", excludes="side")] = False,
) -> None:
    print(len(inputs), depth, share, side, mirrored)  # noqa: T201 - the answer of this command


@pytest.fixture
def ask(monkeypatch, capsys):
    """Run the command above as the program would."""

    def run(*words):
        monkeypatch.setattr("metaeval.cli.app", _GROUPED)
        monkeypatch.setattr(sys, "argv", ["ask", *words])
        code = main()
        captured = capsys.readouterr()
        return code, captured.out or captured.err

    return run


def test_an_option_takes_what_its_check_lets_through(ask):
    """A choice is understood in any case; a default is not looked at."""
    assert ask("a", "b", "--depth", "9", "--side", "RIGHT") == (0, "2 9 0.5 right False\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--depth", "0"], "Error: --depth must be a whole number of at least 1, not 0"),
        (["--share", "1"], "Error: --share must lie between 0 and 1, not 1.0"),
        (["--side", "lift"], "Error: no value of --side 'lift'; did you mean 'left'? Known: left, right"),
        (["--mirrored", "--side", "left"], "Error: --side and --mirrored exclude each other; give one of them"),
    ],
)
def test_a_check_of_the_library_speaks_of_the_option(ask, words, said):
    """Its message needs no second wording."""
    assert ask("a", *words) == (2, said + "\n")


def test_what_an_option_stands_for():
    """Its own name, a count of that name, and what it says it means; a flag counts nothing."""
    arguments = arguments_of(typer.main.get_command(_GROUPED))
    assert {name: option for name, option in arguments.items() if option == "--depth"} == dict.fromkeys(
        ("limit", "depth", "n_depth"), "--depth"
    )
    assert [name for name, option in arguments.items() if option == "--mirrored"] == ["mirrored"]


DIFFERENT = {
    ("stop", "n_replays"): "in Python nothing that takes so long is drawn without being asked for",
    ("table", "order"): "--order is that of runs; that of rows is --rows",
}


def test_a_default_is_that_of_the_library():
    """Whoever leaves an option out asks what Python asks; None, nothing and the seed are worked out on either side."""
    differing = set()
    for name in COMMANDS:
        command = command_called(name)
        options, defaults = arguments_of(command), {one.opts[0]: one.default for one in command.params}
        for study in _asked_by(name):
            for argument_name, parameter in signature(study).parameters.items():
                pair = defaults.get(options.get(argument_name, "")), parameter.default
                said = {",".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in pair}
                if not {"None", ""} & said and parameter.default is not parameter.empty and len(said) > 1:
                    differing.add((name, argument_name))
    assert differing == set(DIFFERENT)


def _asked_by(command):
    """Return the studies that the module of a command imports."""
    module = f"metaeval.questions.{command.replace('-', '_')}.command"
    for node in ast.walk(ast.parse(Path(import_module(module).__file__).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names if alias.name.startswith("study_")]
            yield from (getattr(import_module(node.module), name) for name in names)


def test_one_command_may_say_something_else():
    """The option that the others share stays as it was."""
    own = _DEPTH.but(words="Deeper.", shown="nine", panel=None, needs="share")
    assert (own.help, own.show_default, own.rich_help_panel, own.needs) == ("Deeper.", "nine", None, ["share"])
    assert (own.metavar, own.check, own.means) == (_DEPTH.metavar, _DEPTH.check, ["limit"])
    assert (_DEPTH.help, _DEPTH.show_default, _DEPTH.needs) == ("How deep.", True, [])


def test_arguments_are_no_options():
    """They are declared beside them, and stand for nothing in messages."""
    assert [option.metavar for _, option in declared(typer.main.get_command(_GROUPED))][:2] == ["K", "SHARE"]
