"""The order of the house: one folder a question, arrows between them, and names that say what they hold."""

import ast
import graphlib
import re
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
    "agree": {"boards", "reproduction"},
    "assessment": {"judgments"},
    "compare_metrics": {"agree", "check_metric", "judgments", "reliability", "topics"},
    "human": {"boards"},
    "judges": {"boards", "components"},
    "leaderboard": {"components"},
    "look": {"judges", "leaderboard", "table"},
    "power": {"table"},
    "report": {"judgments", "power", "topics"},
}
"""The questions that a question may ask of others; another arrow is a reason to move what both need into an engine."""
SEVERAL = (("list", ""), ("tuple", ", ..."), ("Iterator", ""))
"""How several of a kind are written as types."""
SAYS_NOTHING = {
    *("one", "found", "own", "place", "part", "given", "known", "said", "kept", "shown", "other", "rest", "held"),
    *("what", "whole", "both", "each"),
}
MOST_THAT_SAY_NOTHING, MOST_ARGUMENTS_THAT_SAY_NOTHING = 0.01, 0.05
"""Of all bindings, and of all arguments: in some the word is right, as `rest` is in ``first, *rest``."""
MOST_PARAMETERS, MOST_LINES, MOST_LITERALS = 15, 60, 60
PUBLIC = {
    *("audit_quantisations", "measure_stability", "simulate_inex", "study_agree", "study_assessment"),
    *("study_campaign", "study_compare_metrics", "study_human", "study_judges", "study_judgments", "study_topics"),
}
"""Functions that users call with every option; whatever else needs many takes them as a value."""
LONG = {"_result", "disagreement_panels", "scan_lines", "simulate_inex", "version_drift"}


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


def test_parts_of_a_page_are_called_by_what_they_are():
    """Whoever looks for the section, table or picture of a page finds it by its name; look's are named by questions."""
    words = {"Section": "section", "Table": "table", "Picture": "picture"}
    words |= {
        f"{many}[{kind}{more}]": word for kind, word in {**words, "Block": "blocks"}.items() for many, more in SEVERAL
    }
    for path in sorted(QUESTIONS.glob("*/page*.py")):
        for node in ast.walk(_trees()[path]) if path.parent.name != "look" else ():
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                word = words.get(ast.unparse(node.returns), "")
                figures = word == "table" and node.name.endswith("figures")  # the key figures
                assert word in node.name or figures, (path.parent.name, path.name, node.name)


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


def _functions():
    for tree in _trees().values():
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _lines(function):
    """Return the lines of a body without its docstring."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_options_come_as_values():
    """No function takes more parameters than one remembers but those that users call."""
    counts = {node.name: len(node.args.args) + len(node.args.kwonlyargs) for node in _functions()}
    assert {name for name, n in counts.items() if n > MOST_PARAMETERS} == PUBLIC


def test_bodies_are_read_as_steps():
    """Few are longer than a screen."""
    assert {node.name for node in _functions() if _lines(node) > MOST_LINES} == LONG


def test_answers_have_types():
    """No study or page hands on a dictionary of anything."""
    for path in QUESTIONS.rglob("*.py"):
        assert "dict[str, Any]" not in path.read_text("utf-8"), path.name


def test_no_passage_begins_with_a_blank():
    """Blanks around a passage are not said, so that what stands before it would run into it."""
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.prose")}
    assert [path.name for path, text in texts.items() if re.search(r"^== .*\n ", text, flags=re.MULTILINE)] == []


def test_words_that_never_change_are_few():
    """A passage of one line without values is a title beside its table, a row, or nothing."""
    texts = [path.read_text("utf-8") for path in PACKAGE.rglob("*.prose")]
    passages = [words.strip() for text in texts for words in re.split(r"^==.*\n", text, flags=re.MULTILINE)[1:]]
    assert len([words for words in passages if words and not re.search(r"[{\n]", words)]) <= MOST_LITERALS
