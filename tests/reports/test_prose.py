"""Passages of reports: each is used by its report, and nothing else is asked for."""

import ast
import re
from pathlib import Path

import jinja2
import pytest

from metaeval.reports import prose as module
from metaeval.reports.prose import Prose, prose

FILES = sorted(Path(module.__file__).with_name("prose").glob("*.prose"))


BY_NAME = {
    "boards": {"items gone", "other scores", "items new", "all"},
    "campaign": {"accuracy", "pearson", "spearman", "kendall", "spa", "acc_eq", "tau_eq", "pairwise_pearson"},
    "design": {"t", "anova", "interval", "residual", "within", "pairs"},
    "human": {"system", "item", "all"},
    "judge_ranking": {"kappa", "quadratic_kappa"},
    "judges": {"may", "may not", "not settled", "no pairs", "no second person"},
}
"""Passages that are asked for by the name of a procedure."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_passage_is_used_and_every_name_is_there(file):
    """By the report of the same name; each passage has a name of its own, and can be read."""
    tree = ast.parse(Path(module.__file__).with_name(f"{file.stem}.py").read_text("utf-8"))
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    composed = [_pattern(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "say"]
    asked = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    names = re.findall(r"^== (.+)$", file.read_text("utf-8"), flags=re.MULTILINE)
    assert len(names) == len(set(names))
    assert asked <= set(names)
    known = words | BY_NAME.get(file.stem, set())
    assert [name for name in names if name not in known and not any(one.fullmatch(name) for one in composed)] == []
    assert prose(file.stem) is prose(file.stem)


def _pattern(node):
    """Return what an f-string could make, where it says something itself."""
    parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w-]+" for part in node.values]
    return re.compile("".join(parts) if any(isinstance(part, ast.Constant) for part in node.values) else "(?!)")


def test_what_a_passage_lacks_is_an_error():
    """A name that nobody gave is no empty word, and a passage that is not there no empty sentence."""
    say = Prose("== one\n{{ who }} leads.\n== two\nNobody\n  leads.\n")
    assert (say("one", who="AP"), say("two")) == ("AP leads.", "Nobody leads.")
    assert say("one", who="two  blanks ") == "two  blanks leads."
    with pytest.raises(jinja2.UndefinedError, match="who"):
        say("one")
    with pytest.raises(KeyError):
        say("three")
