"""Completion in a shell: the values of options that are tables of names, as the shell asks the program for them."""

import os
import subprocess
import sys

import pytest

from metaeval.cli.checks import names_taken
from metaeval.cli.commands import COMMANDS, command_called
from metaeval.cli.option import declared
from metaeval.metrics.builtin import BUILTIN
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS


def offered(command, option, typed):
    """Return what a command offers for the value of an option that is begun."""
    found = next(parameter for parameter, _ in declared(command_called(command)) if option in parameter.opts)
    made = command_called(command)
    context = made.make_context(command, ["x"], resilient_parsing=True)
    return [item.value for item in found.shell_complete(context, typed)]


@pytest.mark.parametrize(
    ("command", "option", "typed", "values"),
    [
        ("power", "--test", "", [*TESTS, "all"]),
        ("power", "--test", "t,boot", [f"t,{name}" for name in TESTS if name.startswith("boot")]),
        ("power", "--correction", "", [*CORRECTIONS, "all"]),
        ("power", "--correction", "fdr", ["fdr_bh", "fdr_by"]),
        ("table", "--test", "wil", ["wilcoxon"]),
        ("leaderboard", "--rank-method", "", ["posterior", "guaranteed"]),
        ("leaderboard", "--missing", "drop", ["drop-systems", "drop-topics"]),
        ("leaderboard", "--baseline", "", []),
    ],
)
def test_values_are_those_of_their_table(command, option, typed, values):
    """All names of the table that begin as what was typed, in its order; the last one of several by comma."""
    assert offered(command, option, typed) == values


def test_every_metric_is_offered():
    """The built-in ones, which no file has to be read for."""
    assert offered("score", "--metrics", "") == list(BUILTIN.metrics)
    assert offered("score", "--metrics", "AP,nDC") == [f"AP,{name}" for name in BUILTIN.metrics if name[:3] == "nDC"]


def test_what_is_offered_is_taken():
    """Of every option of every command, each value that is offered passes the option's own check."""
    n_offered = 0
    for command in map(command_called, COMMANDS):
        for parameter, option in declared(command):
            for name in names_taken(option.check):
                option.check([name] if parameter.multiple else name, parameter.opts[0])
                n_offered += 1
    assert n_offered > 500


def test_a_shell_is_told():
    """As bash asks: the words typed so far, in the environment."""
    asked = {"_METAEVAL_COMPLETE": "complete_bash", "COMP_WORDS": "metaeval power --test boot", "COMP_CWORD": "3"}
    words = [sys.executable, "-c", "import sys; from metaeval.cli import main; sys.exit(main())"]
    ended = subprocess.run(words, env=os.environ | asked, capture_output=True, text=True, check=False)
    assert ended.stdout.split() == [name for name in TESTS if name.startswith("boot")], ended.stderr
