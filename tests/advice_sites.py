"""Where the source advises something, and what a run of it says: every way out of every message, found in the source.

A way out is code in backticks that a message tells to pass, name or leave out, a shell filter, or an option of the
command line. A site is one of them in one template of one function; the words around it may change.
"""

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import metaeval
from metaeval.cli import messages

PACKAGE = Path(metaeval.__file__).parent
_HOLE = "\0"
_CODE = re.compile(r"(?<![`'\"\w])`([^`]+)`(?![`'\"\w])")
_VERBS = (
    "pass|use|choose|read|reads|write|set|ask|give|name|keep|leave|let|say|add|take|declare|turn|put|ignore|mark|need|"
    "compare"
)
_TOLD = re.compile(rf"(?:\b(?i:{_VERBS})|\bsuch as|\bWith)\b[^.;:]*$")
_SPOKEN_OF = re.compile(r"\b(?:not|with|for|although|but|of|got) $")
_NOT = re.compile(r"(?:\bnot |although [^;.]*|\bgot [^;.]*)$")
_SUBJECT = re.compile(
    r" (?:is|are|must|does|do|leaves no|would|needs?|expects|means|takes (?:diff|jud)|names|goes up|starts|differs)|:"
)
_RECIPE = re.compile(r"\((?:sed|tr|iconv|awk) |^(?:awk|tr|sed) ")
_OPTION = re.compile(r"(?<![\w`-])--[a-z][a-z-]+")


def ways(text: str) -> list[str]:
    """Return the ways out that a message or its template has in backticks; a value alone is one of the argument before.

    Examples
    --------
    >>> ways("pass `missing='zero'` or `'pairwise'`, not `missing='x'`; name it (`columns`); `k` is 1")
    ["missing='zero'", "missing='pairwise'", 'columns']
    """
    found: list[str] = []
    name = ""
    for span in _CODE.finditer(text):
        code, before, after = span[1], _without_braces(text[: span.start()]), text[span.end() :]
        told = _TOLD.search(before) or (
            before.endswith("(") and after.startswith((")", " if ", " for ", " reads", ","))
        )
        if re.match(r"\w+=", code) or _HOLE + "=" in code:
            if not _NOT.search(before) and (told or not (_SPOKEN_OF.search(before) or _SUBJECT.match(after))):
                name = code.partition("=")[0]
                found.append(code)
        elif re.fullmatch(r"'[^']*'", code):
            if name:
                found.append(f"{name}={code}")
        elif ("(" in code and "=" in code) or "(scores" in code or (told and code.isidentifier()):
            found.append(code)
    return list(dict.fromkeys(found))


def _without_braces(text: str) -> str:
    """Return a text without mappings, whose colons divide no sentence."""
    while (shorter := re.sub(r"\{[^{}]*\}", "", text)) != text:
        text = shorter
    return text


class Site(NamedTuple):
    """A way out in a template of a message."""

    module: str
    function: str
    number: int
    """Its place among those of the function."""
    kind: str
    """code, recipe or option."""
    way: str
    pattern: re.Pattern
    """What a message made from the template looks like."""

    @property
    def key(self) -> str:
        """Name it without its words."""
        return f"{self.module}:{self.function} {self.number}"

    def is_way(self, code: str) -> bool:
        """Whether code of a message is this way out; a value alone is one of the argument before it."""
        way = _matches(self.way)
        return bool(way.fullmatch(code) or (code.startswith("'") and self.way.endswith(f"={code}")))


def _template(node: ast.expr) -> str | None:
    """Return a text with a hole for each value; nothing for what is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_HOLE if isinstance(part, ast.FormattedValue) else part.value for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        filled = re.sub(r"(?<!\{)\{\w+\}(?!\})", _HOLE, node.value)
        return node.value if filled == node.value else filled.replace("{{", "{").replace("}}", "}")
    return None


def _ways_of(template: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each way out of a template."""
    for way in ways(template):
        yield "code", way
    if _RECIPE.search(template):
        yield "recipe", template
    if " " in template.strip():
        for option in _OPTION.finditer(template):
            before, after = template[: option.start()], template[option.end() :]
            if _TOLD.search(before) or (before.endswith("(") and after.startswith((")", " "))):
                yield "option", option[0]


def _templates(node: ast.AST, function: str, inside: str) -> Iterator[tuple[str, str]]:
    """Yield the templates of a part of a module, each with the function that it stands in; no docstrings."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        name = f"{inside}{node.name}"
        is_class = isinstance(node, ast.ClassDef)
        for part in node.body:
            yield from _templates(part, function if is_class else name, f"{name}." if is_class else f"{name}.<locals>.")
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    text = _template(node) if isinstance(node, ast.expr) else None
    if text is not None:
        yield function, text
    for part in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.JoinedStr) and isinstance(part, ast.Constant)):
            yield from _templates(part, function, inside)


def _matches(template: str) -> re.Pattern:
    return re.compile("(?s:.*?)".join(map(re.escape, template.split(_HOLE))))


@cache
def sites() -> tuple[Site, ...]:
    """Return every way out in the source of the package."""
    found: list[Site] = []
    for file in sorted(PACKAGE.rglob("*.py")):
        module = file.relative_to(PACKAGE).as_posix()
        numbers: dict[str, int] = {}
        for function, template in _templates(ast.parse(file.read_text("utf-8")), "", ""):
            if (module.startswith("cli/") or module.endswith("/command.py")) and not function:
                continue  # what options say of themselves
            for kind, way in _ways_of(template):
                numbers[function] = numbers.get(function, 0) + 1
                found.append(Site(module, function, numbers[function], kind, way, _matches(template)))
    return tuple(found)


class Heard(NamedTuple):
    """What was heard of a run."""

    ran: set[tuple[str, str]]
    """Functions that advise something and ran: module and name."""
    options: dict[str, str]
    """What code in backticks became on the command line."""
    raw: list[str]
    """Messages before they were put into the words of the command line."""

    def said(self, text: str) -> list[Site]:
        """Return the sites whose template some text shows, and whose function ran."""
        ran = {*self.ran, *((site.module, "") for site in sites())}
        return [site for site in sites() if (site.module, site.function) in ran and site.pattern.search(text)]


class _Listening:
    """Stands for the pattern by which messages are put into the words of the command line."""

    def __init__(self, pattern: re.Pattern, heard: Heard) -> None:
        self._pattern, self._heard = pattern, heard

    def sub(self, words, text: str) -> str:
        """Put text into words, and note which."""

        def noted(span: re.Match) -> str:
            self._heard.options[span[1]] = said = words(span)
            return said

        self._heard.raw.append(text)
        return self._pattern.sub(noted, text)


_TOOL = 4  # none of those that Python names


@contextmanager
def listening() -> Iterator[Heard]:
    """Hear, inside, which functions that advise something run, and what the command line makes of it."""
    known = {(str(PACKAGE / site.module), site.function): (site.module, site.function) for site in sites()}
    heard = Heard(set(), {}, [])

    def started(code, _offset):
        key = known.get((code.co_filename, code.co_qualname))
        if key:
            heard.ran.add(key)
        return sys.monitoring.DISABLE

    sys.monitoring.use_tool_id(_TOOL, "advice")
    sys.monitoring.register_callback(_TOOL, sys.monitoring.events.PY_START, started)
    sys.monitoring.set_events(_TOOL, sys.monitoring.events.PY_START)
    sys.monitoring.restart_events()
    plain, messages._SPAN = messages._SPAN, _Listening(messages._SPAN, heard)
    try:
        yield heard
    finally:
        messages._SPAN = plain
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.free_tool_id(_TOOL)
