"""XML files as streams of events, by the standard library's expat, with exact line numbers.

No entity may be declared, so there is nothing to expand, and nothing outside the file is ever opened: neither a DTD
nor an entity.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import ClassVar
from xml.parsers import expat

from metaeval.base.names import shortened
from metaeval.errors import FileFormatError, closest_names
from metaeval.inex.assessments import LARGEST
from metaeval.inex.file_rules import Findings, Names
from metaeval.io.unpacking import Budget

ANYTHING = "*"
_WHOLE = re.compile(r"(-?)0*([0-9]+)", flags=re.ASCII)
_MOST_DIGITS = len(str(LARGEST))
type Attributes = dict[str, str]


class XmlEvents:
    """The events of one file, held to a table of which element may stand in which."""

    children: ClassVar[Mapping[str, frozenset[str]]] = {}

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.names = Names(findings)
        self.stack = [""]
        self.text: list[str] = []
        self.before = 0
        self.opening = {
            name[6:].replace("_", "-"): getattr(self, name) for name in dir(self) if name.startswith("begin_")
        }
        self.closing = {
            name[4:].replace("_", "-"): getattr(self, name) for name in dir(self) if name.startswith("end_")
        }
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._handlers()
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EntityDeclHandler = self._entity

    def _handlers(self) -> tuple[Callable[[str, Attributes], None], Callable[[str], None]]:
        """Return what meets a start and an end: closures, since they are called for every element of a file."""
        stack, clear, closing = self.stack, self.text.clear, self.closing
        expected = {
            parent: {name: (name if name in self.children else ANYTHING, self.opening.get(name)) for name in names}
            for parent, names in (*self.children.items(), (ANYTHING, ()))
        }

        def start(name: str, attributes: Attributes) -> None:
            child = expected[stack[-1]].get(name)
            if child is None:
                stack.append(self._strange(name, attributes))
                return
            clear()
            if child[1] is not None:
                child[1](attributes)
            stack.append(child[0])

        def end(name: str) -> None:
            if stack.pop() != name:
                del self.text[self.before :]
            elif name in closing:
                closing[name]()

        return start, end

    def _strange(self, name: str, attributes: Attributes) -> str:
        parent = self.stack[-1]
        if parent == ANYTHING:
            return ANYTHING
        self.before = len(self.text)
        return self.other(name, parent, attributes)

    @property
    def line(self) -> int:
        """Where the parser stands."""
        return self.parser.CurrentLineNumber

    def read(self, content: bytes) -> None:
        """Read a whole file; a `FileFormatError` names the line that is broken."""
        Budget.of_file(self.findings.path, content).spend_objects(content.count(b"<"))
        try:
            self.parser.Parse(content, True)  # noqa: FBT003 - expat takes it by position: this is all
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            message = f"the XML is broken ({reason}, column {error.offset + 1}); repair it, or fetch the file again"
            raise self.findings.refuse(message, error.lineno) from None
        except FileFormatError:
            raise
        except (LookupError, ValueError) as error:
            raise self.findings.refuse(f"the encoding cannot be read ({error}); save the file as UTF-8", 1) from error

    def _entity(self, name: str, *_: object) -> None:
        message = (
            f"the file declares an entity ({name}), which can hide a bomb or another file; write its text in its place"
        )
        raise self.findings.refuse(message, self.line)

    def other(self, name: str, parent: str, _: Attributes) -> str:
        """Meet an element that does not belong here; what it holds is passed over."""
        names = sorted(self.children[parent])
        if not parent:
            message = (
                f"the file begins with <{name}>, not with <{names[0]}>; name another file (are runs and qrels swapped?)"
            )
            raise self.findings.refuse(message, self.line)
        near = closest_names(name, names)
        value = f"<{name}>" + (f" (did you mean <{near[0]}>?)" if near else "")
        rule = f"<{parent}> may hold {', '.join(f'<{child}>' for child in names) or 'text'} only"
        self.findings.broken(rule, value, self.line, instead="it is passed over")
        return ANYTHING

    def content(self) -> str:
        """Return the text of the element that just ended."""
        return "".join(self.text).strip()

    def needed(self, attributes: Attributes, *names: str, of: str) -> str:
        """Return the first of the attributes that is there; none is an error."""
        for name in names:
            if name in attributes:
                return attributes[name].strip()
        raise self.findings.refuse(f"<{of}> needs the attribute {' or '.join(names)}", self.line)

    def whole(self, text: str, what: str, *, least: int = 0) -> int:
        """Return a whole number within its limits; anything else is an error."""
        digits = _WHOLE.fullmatch(text.strip())
        number = least - 1
        if digits:
            number = int(digits[1] + digits[2]) if len(digits[2]) <= _MOST_DIGITS else LARGEST + 1
        if not least <= number <= LARGEST:
            limit = f" up to {LARGEST}" if number > LARGEST else ""
            message = f"{what} must be a whole number from {least}{limit}, not {shortened(text)!r}"
            raise self.findings.refuse(message, self.line)
        return number


_MARKED = 1000
"""Bytes in which a text of two bytes a letter begins."""


def root_name(content: bytes) -> str:
    """Return the name of the first element of a file, "" if it is no XML (only a guess of what to read it as)."""
    names: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: names.append(name)
    parser.EntityDeclHandler = _stop
    start = content.lstrip()
    is_wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))  # any text may be UTF-16
    text = start[2:_MARKED].replace(b"\0", b"").lstrip() if is_wide else start.removeprefix(b"\xef\xbb\xbf")
    if not text.startswith(b"<"):
        return ""
    with suppress(expat.ExpatError, LookupError, ValueError):  # the reader proper says what is wrong, with its line
        parser.Parse(content[:1_000_000], False)  # noqa: FBT003 - expat takes it by position: more may follow
    return names[0] if names else ANYTHING


def _stop(*_: object) -> None:
    """Go no further where an entity is declared, which may stand for any amount of text."""
    raise ValueError("an entity")
