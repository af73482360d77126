"""Passages of reports: each is used by its report, and nothing else is asked for."""

import ast
import re

import jinja2
import pytest
from jinja2 import nodes
from passages import PACKAGE, page_files, passages

from metaeval.base.unit import TOPIC
from metaeval.reports.prose import Prose, prose

WORDS = passages()
_OF_TABLES = {"shown"}
"""What `say.table` gives itself."""
_OF_BLOCKS = {
    "say.table": {"called", "data"},
    "say.picture": {"called", "alt"},
    "say.section": {"brief", "id"},
    "say.headed": {"id"},
}
"""Arguments of blocks that passages do not name."""


BY_NAME = {
    "boards/page_decided": {"shift lead", "same lead", "habits lead", "predicted lead", "verdicts lead"},
    "report/page_collection": {"collection lead", "focused lead", "elements", "passages"},
    "human/page_campaign": {
        "accuracy",
        "pearson",
        "spearman",
        "kendall",
        "spa",
        "acc_eq",
        "tau_eq",
        "pairwise_pearson",
        "decisions",
        "decisions lead",
    },
    "components/page": {"crossed", "shared"},
    "design/page": {"residual"},
    "human/page": {"system", "item", "all"},
    "judges/page_labels": {"kappa", "quadratic_kappa"},
    "judges/page": {"may", "may not", "not settled", "no pairs", "no second person"},
    "leaderboard/page": {"answer pair Yes", "answer pair No", "answer all Yes", "answer all No"},
    "leaderboard/page_asked": {"required without common items"},
    "votes/page": {"answer open pair"},
}
"""Passages that are asked for by the name of a procedure, or of a verdict or state of several words, or for another."""


def test_no_words_are_nobodys():
    """Every part of the words of a folder belongs to a module there."""
    assert WORDS.keys() <= page_files().keys()


@pytest.mark.parametrize("page", WORDS)
def test_every_passage_is_used_and_every_name_is_there(page):
    """By the module that they belong to; each passage has a name of its own, and can be read."""
    path = page_files()[page]
    tree = ast.parse(path.read_text("utf-8"))
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    composed = [_pattern(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _asks(node)]
    heads = re.findall(r"^== (.+?)(?: \| (.+))?$", WORDS[page], flags=re.MULTILINE)
    names = [name for name, _ in heads]
    asked = set().union(*(_asked(call, names) for call in calls if isinstance(call.args[0], ast.Constant)))
    titles = [f"{name} title" for name, title in heads if title]
    assert len(names) == len({*names, *titles}) - len(titles)
    assert asked <= {*names, *titles}
    known = words | asked | BY_NAME.get(page, set())
    assert [name for name in names if name not in known and not any(one.fullmatch(name) for one in composed)] == []
    assert prose(_module(path)) is prose(_module(path))


def _module(path):
    return ".".join(("metaeval", *path.relative_to(PACKAGE).with_suffix("").parts))


def _names_in(passage):
    """Return what a passage is to be given: the names that it reads and does not make itself."""
    tree = jinja2.Environment(autoescape=True).parse(passage)
    names = {(name.name, name.ctx == "load") for name in tree.find_all(nodes.Name)}
    made = {name for name, read in names if not read} | {macro.name for macro in tree.find_all(nodes.Macro)}
    return {name for name, read in names if read} - made


def _asks(call):
    """Return the endings of the names of the passages that a call asks for; none where a title stands in the call."""
    function, options = ast.unparse(call.func), {one.arg for one in call.keywords}
    titled = "head" in options
    if function == "say.section":
        return () if titled else (" lead", " lead title")
    if function == "say.picture":
        return (*(() if titled else ("", " title")), *(() if "alt" in options else (" in words",)))
    if titled:
        return ()
    return ("", " title") if function.startswith("say.") else ("",) * (function == "say")


def _asked(call, passages):
    """Return the names of the passages that a call asks for by name: a table also for its errors, if they are there."""
    name = call.args[0].value
    errors = f"{name} errors"
    of_table = ast.unparse(call.func) == "say.table" and _asks(call) and errors in passages
    return {*(f"{name}{more}" for more in _asks(call)), *([errors] if of_table else [])}


def _pattern(node):
    """Return what an f-string could make, where it says something itself."""
    parts = [re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w-]+" for part in node.values]
    return re.compile("".join(parts) if any(isinstance(part, ast.Constant) for part in node.values) else "(?!)")


@pytest.mark.parametrize("page", WORDS)
def test_a_passage_is_given_what_it_names(page):
    """Where a page asks for it by name; what is given and not named says nothing."""
    say, path = prose(_module(page_files()[page])), page_files()[page]
    named = {name: _names_in(text) for name, text in say.passages.items()}
    wrong = []
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not (isinstance(call, ast.Call) and _asks(call) and isinstance(call.args[0], ast.Constant)):
            continue
        wanted = set().union(*(named[name] for name in _asked(call, named))) - {*TOPIC._fields, *_OF_TABLES}
        keywords = {keyword.arg for keyword in call.keywords}
        given = keywords - {None} - _OF_BLOCKS.get(ast.unparse(call.func), set())
        missing = set() if None in keywords else wanted - given
        wrong += [(call.args[0].value, name, "missing") for name in sorted(missing)]
        wrong += [(call.args[0].value, name, "not used") for name in sorted(given - wanted)]
    assert wrong == []


def test_a_title_stands_in_the_line_of_its_passage():
    """Or is a passage of its own; a section is called by what is before "lead"."""
    say = Prose("== one | Topics of {{ who }}\nMore.\n== two lead title\nSystems\n== two lead\nMost.\n")
    assert say.named("one", who="AP") == {"name": "one", "title": "Topics of AP", "caption": "More."}
    assert say.titled("one", who="AP") == {"title": "Topics of AP", "caption": "More."}
    assert say.headed("two lead") == {"id": "two", "title": "Systems", "lead": "Most."}
    assert say.headed("one", id="three", who="AP")["id"] == "three"


def test_what_a_passage_lacks_is_an_error():
    """A name that nobody gave is no empty word, and a passage that is not there no empty sentence."""
    say = Prose("== one\n{{ who }} leads.\n== two\nNobody\n  leads.\n")
    assert (say("one", who="AP"), say("two")) == ("AP leads.", "Nobody leads.")
    assert say("one", who="two  blanks ") == "two  blanks leads."
    with pytest.raises(jinja2.UndefinedError, match="who"):
        say("one")
    with pytest.raises(KeyError):
        say("three")
