"""The order of the house: one folder a question, arrows between them, and names that say what they hold."""

import ast
import graphlib
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

import metaeval
from metaeval.cli.commands import COMMANDS

PACKAGE = Path(metaeval.__file__).parent
QUESTIONS = PACKAGE / "questions"
FOLDERS = sorted(folder for folder in QUESTIONS.iterdir() if (folder / "__init__.py").exists())
ARROWS = {
    "agree": {"boards"},
    "assessment": {"judgments"},
    "compare_metrics": {"agree", "check_metric", "judgments", "reliability", "topics"},
    "human": {"boards"},
    "judges": {"boards", "components"},
    "leaderboard": {"components"},
    "look": {"judges", "leaderboard", "table", "votes"},
    "power": {"table"},
    "report": {"judgments", "power", "topics"},
}
"""The questions that a question may ask of others; another arrow is a reason to move what both need into an engine."""
SAYS_NOTHING = {
    *("one", "found", "own", "place", "part", "given", "known", "said", "kept", "shown", "other", "rest", "held"),
    *("what", "whole", "both", "each"),
}
MOST_THAT_SAY_NOTHING, MOST_ARGUMENTS_THAT_SAY_NOTHING = 0.01, 0.05
"""Of all bindings, and of all arguments: in some the word is right, as `rest` is in ``first, *rest``."""


@cache
def _trees():
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def _imported(path):
    """Return the modules that a file imports, wherever it does, types alone too."""
    tree = _trees()[path]
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def test_every_command_has_a_folder():
    """A command is found by its name, and a folder says in its first line which question it answers."""
    assert {name.replace("-", "_") for name in COMMANDS} <= {folder.name for folder in FOLDERS}
    for folder in FOLDERS:
        first = ast.get_docstring(_trees()[folder / "__init__.py"]).partition("\n")[0]
        assert "?" in first, folder.name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_study_knows_no_page_and_a_page_no_command(folder):
    """Commands read options, studies compute, pages say; words stand beside the page."""
    for path in folder.glob("*.py"):
        kind = path.stem.partition("_")[0]
        assert path.stem == "__init__" or kind in {"command", "study", "page"}, path.name
        above = {"study": ("page", "command"), "page": ("command",)}.get(kind, ())
        for module in _imported(path):
            names = module.split(".")
            if names[:2] == ["metaeval", "cli"]:
                assert kind == "command", (path.name, module)
            if names[:2] == ["metaeval", "questions"]:
                assert not names[-1].startswith(above or "-"), (path.name, module)


def test_questions_ask_no_others_but_those_that_are_listed():
    """So a question is read in its folder; the arrows make no circle."""
    arrows = defaultdict(set)
    for folder in FOLDERS:
        for path in folder.glob("*.py"):
            asked = {module.split(".")[2] for module in _imported(path) if module.startswith("metaeval.questions.")}
            arrows[folder.name] |= asked - {folder.name}
    assert {name: asked for name, asked in arrows.items() if asked} == ARROWS
    tuple(graphlib.TopologicalSorter(ARROWS).static_order())


def test_no_two_classes_share_a_name():
    """A class is found by its name alone."""
    names = Counter(node.name for tree in _trees().values() for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


def test_names_say_what_they_hold():
    """Of all bindings hardly any is a word that could stand for anything."""
    bound = Counter(
        node.id
        for tree in _trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    assert sum(bound[word] for word in SAYS_NOTHING) <= MOST_THAT_SAY_NOTHING * bound.total()


def test_arguments_say_what_they_hold():
    """Those of lambdas too; a reader of a call sees no more than the name."""
    taken = Counter(node.arg for tree in _trees().values() for node in ast.walk(tree) if isinstance(node, ast.arg))
    assert sum(taken[word] for word in SAYS_NOTHING) <= MOST_ARGUMENTS_THAT_SAY_NOTHING * taken.total()
