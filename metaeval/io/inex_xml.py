"""INEX files in XML: submissions, assessments and pools.

Files are read as a stream of events, by the standard library's expat, with exact line numbers. No entity may be
declared, so there is nothing to expand, and nothing outside the file is ever opened: neither a DTD nor an entity.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import ClassVar
from xml.parsers import expat

import numpy as np
import pandas as pd

from metaeval.cells import is_number, shortened
from metaeval.collection.inex import (
    ASSESSMENT_COLUMNS,
    ELEMENT_COLUMNS,
    LARGEST,
    PASSAGE_COLUMNS,
    TOO_SMALL,
    UNKNOWN,
    Assessments,
    Scale,
    Submission,
    table_of,
)
from metaeval.collection.paths import depth_of
from metaeval.errors import FileFormatError, InvalidOptionError, closest_names
from metaeval.io.inex_rules import Findings, Names, checked_assessments, ordered_results, results_table

__all__ = ["assessments_of_xml", "pool_of_xml", "root_name", "submission_of_xml"]
__all__ += ["xml_of_assessments", "xml_of_submission"]

_ANYTHING = "*"
_WHOLE = re.compile(r"(-?)0*([0-9]+)", flags=re.ASCII)
_MOST_DIGITS = len(str(LARGEST))
type _Attributes = dict[str, str]

_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity", "exh", "relevance")
_SPECIFICITY = ("specificity", "spec", "coverage")
_COVERAGE = {"N": 0, "L": 1, "S": 2, "E": 3}
_LETTERS = {number: letter for letter, number in _COVERAGE.items()}
_HIGHLY = 2


class _Events:
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

    def _handlers(self) -> tuple[Callable[[str, _Attributes], None], Callable[[str], None]]:
        """Return what meets a start and an end: closures, since they are called for every element of a file."""
        stack, clear, closing = self.stack, self.text.clear, self.closing
        expected = {
            parent: {name: (name if name in self.children else _ANYTHING, self.opening.get(name)) for name in names}
            for parent, names in (*self.children.items(), (_ANYTHING, ()))
        }

        def start(name: str, attributes: _Attributes) -> None:
            known = expected[stack[-1]].get(name)
            if known is None:
                stack.append(self._strange(name, attributes))
                return
            clear()
            if known[1] is not None:
                known[1](attributes)
            stack.append(known[0])

        def end(name: str) -> None:
            if stack.pop() != name:
                del self.text[self.before :]
            elif name in closing:
                closing[name]()

        return start, end

    def _strange(self, name: str, attributes: _Attributes) -> str:
        parent = self.stack[-1]
        if parent == _ANYTHING:
            return _ANYTHING
        self.before = len(self.text)
        return self.other(name, parent, attributes)

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def read(self, content: bytes) -> None:
        """Read a whole file; a `FileFormatError` names the line that is broken."""
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

    def other(self, name: str, parent: str, _: _Attributes) -> str:
        """Meet an element that does not belong here; what it holds is passed over."""
        known = sorted(self.children[parent])
        if not parent:
            message = (
                f"the file begins with <{name}>, not with <{known[0]}>; name another file (are runs and qrels swapped?)"
            )
            raise self.findings.refuse(message, self.line)
        near = closest_names(name, known)
        value = f"<{name}>" + (f" (did you mean <{near[0]}>?)" if near else "")
        rule = f"<{parent}> may hold {', '.join(f'<{one}>' for one in known) or 'text'} only"
        self.findings.broken(rule, value, self.line, instead="it is passed over")
        return _ANYTHING

    def content(self) -> str:
        return "".join(self.text).strip()

    def needed(self, attributes: _Attributes, *names: str, of: str) -> str:
        for name in names:
            if name in attributes:
                return attributes[name].strip()
        raise self.findings.refuse(f"<{of}> needs the attribute {' or '.join(names)}", self.line)

    def whole(self, text: str, what: str, *, least: int = 0) -> int:
        digits = _WHOLE.fullmatch(text.strip())
        number = least - 1
        if digits:
            number = int(digits[1] + digits[2]) if len(digits[2]) <= _MOST_DIGITS else LARGEST + 1
        if not least <= number <= LARGEST:
            limit = f" up to {LARGEST}" if number > LARGEST else ""
            message = f"{what} must be a whole number from {least}{limit}, not {shortened(text)!r}"
            raise self.findings.refuse(message, self.line)
        return number


class _SubmissionEvents(_Events):
    children: ClassVar[Mapping[str, frozenset[str]]] = {
        "": frozenset({"inex-submission"}),
        "inex-submission": frozenset({"topic-fields", "description", "collections", "topic"}),
        "topic": frozenset({"result"}),
        "result": frozenset({"file", "path", "passage", "fol", "rank", "rsv"}),
        **{name: frozenset() for name in ("file", "path", "passage", "fol", "rank", "rsv")},
    }

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self.about: dict[str, str] = {}
        self.topic = ""
        self.answered: dict[str, int] = {}
        self.part = 0
        self.rows: list[tuple[object, ...]] = []
        self.begin_result({})

    def begin_inex_submission(self, attributes: _Attributes) -> None:
        self.about = {name: attributes.get(name, "").strip() for name in ("run-id", "participant-id", "task")}

    def begin_topic(self, attributes: _Attributes) -> None:
        self.topic = self.findings.named("topic", self.needed(attributes, "topic-id", of="topic"), self.line)
        self.part += 1
        if self.answered.setdefault(self.topic, self.line) != self.line:
            value = f"{self.topic}, begun in line {self.answered[self.topic]}"
            self.findings.remark("a topic stands in one <topic>; the parts are put one after another", value, self.line)

    def begin_result(self, _: _Attributes) -> None:
        self.document = ""
        self.places: list[tuple[str, str, int, int]] = []
        self.rank = self.rsv = np.nan
        self.begun = self.parser.CurrentLineNumber

    def end_file(self) -> None:
        name = self.names.document(self.content(), self.line)
        if self.document:
            self._repeated("file", name)
        self.document = self.document or name

    def end_path(self) -> None:
        text = self.content()
        path = self.names.paths.get(text) or self.names.path(text, self.line)
        self.places.append((path, "", UNKNOWN, UNKNOWN))

    def begin_passage(self, attributes: _Attributes) -> None:
        start, end = (self.names.point(self.needed(attributes, w, of="passage"), self.line) for w in ("start", "end"))
        self.places.append((start, end, UNKNOWN, UNKNOWN))

    def begin_fol(self, attributes: _Attributes) -> None:
        offset = self.whole(self.needed(attributes, "offset", of="fol"), "an offset", least=-1)
        length = self.whole(attributes.get("length", "-1"), "a length", least=-1)
        if offset < 0:
            rule = "a result's place was not found (offset -1); it takes its rank without a place"
            self.findings.remark(rule, self.document, self.line)
            length = UNKNOWN
        self.places.append(("", "", offset, length))

    def end_rank(self) -> None:
        self.rank = self._number("rank", self.rank)

    def end_rsv(self) -> None:
        self.rsv = self._number("rsv", self.rsv)

    def _number(self, what: str, before: float) -> float:
        text = self.content()
        if not is_number(text):
            raise self.findings.refuse(f"the {what} must be a number, not {shortened(text)!r}", self.line)
        if math.isnan(before):
            return float(text)
        self._repeated(what, text)
        return before

    def _repeated(self, what: str, value: str) -> None:
        rule = f"a result has one <{what}>"
        self.findings.broken(rule, f"a second one, {value!r}", self.line, instead="the first counts")

    def end_result(self) -> None:
        if not self.document:
            raise self.findings.refuse("a result needs a <file> that names its document", self.begun)
        if len(self.places) != 1 and not (self.places and all(end for _, end, _, _ in self.places)):
            message = f"a result needs one <path>, <fol>, or <passage>s; this one has {len(self.places)} locations"
            raise self.findings.refuse(message, self.begun)
        self.rows += [
            (self.topic, self.document, *place, self.rank, self.rsv, self.begun, self.part) for place in self.places
        ]


def submission_of_xml(content: bytes, findings: Findings) -> Submission:
    """Read a submission in XML."""
    events = _SubmissionEvents(findings)
    events.read(content)
    columns = list(zip(*events.rows, strict=True)) or [()] * 10
    names = ("topic", "document", "path", "end_path", "offset", "length", "rank", "rsv", "line")
    results = results_table(dict(zip(names, columns, strict=False)))
    return Submission(
        run=events.about["run-id"],
        participant=events.about["participant-id"],
        task=events.about["task"],
        results=ordered_results(results, np.array(columns[-1], dtype=np.int64), findings),
        answered=tuple(events.answered),
        source=findings.path,
    )


class _AssessmentEvents(_Events):
    children: ClassVar[Mapping[str, frozenset[str]]] = {
        "": frozenset({"assessments"}),
        "assessments": frozenset({"inex_topic", "file"}),
        "file": frozenset({"best-entry-point", "passage", "element", "path"}),
    }

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self.topic = ""
        self.scale: Scale | None = None
        self.modern = False
        self.documents: dict[str, dict[str, object]] = {}
        self.elements: list[tuple[object, ...]] = []
        self.passages: list[tuple[object, ...]] = []

    def begin_assessments(self, attributes: _Attributes) -> None:
        numbers = [value for name, value in attributes.items() if name not in {"pool", "version"}]
        named = [attributes[name] for name in ("topic", "topic-id", "topic_id") if name in attributes]
        if not (named or numbers):
            raise self.findings.refuse("<assessments> needs the attribute topic", self.line)
        self.topic = self.findings.named("topic", (named or numbers)[0].strip(), self.line)

    def begin_file(self, attributes: _Attributes) -> None:
        self.modern = "file" not in attributes
        self.document = self.names.document(self.needed(attributes, "file", "name", of="file"), self.line)
        if self.document in self.documents:
            first = self.documents[self.document]["line"]
            message = (
                f"document {self.document} is assessed twice on topic {self.topic}, first in line {first}; keep one"
            )
            raise self.findings.refuse(message, self.line)
        self.documents[self.document] = {"highlighted": 0, "size": UNKNOWN, "point": "", "line": self.line, "root": 0}

    def begin_best_entry_point(self, attributes: _Attributes) -> None:
        point = self.names.point(self.needed(attributes, "path", of="best-entry-point"), self.line)
        self.documents[self.document]["point"] = point

    def begin_passage(self, attributes: _Attributes) -> None:
        start, end = (self.names.point(self.needed(attributes, w, of="passage"), self.line) for w in ("start", "end"))
        size = self.whole(self.needed(attributes, "size", of="passage"), "a passage's size")
        document = self.documents[self.document]
        document["highlighted"] = int(str(document["highlighted"])) + size
        self.passages.append((self.topic, self.document, size, start, end, self.line))

    def begin_element(self, attributes: _Attributes) -> None:
        self._judge(attributes, "element")

    def begin_path(self, attributes: _Attributes) -> None:
        self._judge(attributes, "path")

    def other(self, name: str, parent: str, attributes: _Attributes) -> str:
        """Take any element of a file that has a path for a judgment, whatever it is called (2002 to 2004)."""
        if parent == "file" and "path" in attributes:
            self._judge(attributes, name)
            return _ANYTHING
        return super().other(name, parent, attributes)

    def _judge(self, attributes: _Attributes, name: str) -> None:
        scale = self._scale_of(attributes)
        if scale != (self.scale or scale):
            message = f"this judgment is on the scale of {scale}, those before are on that of {self.scale}"
            raise self.findings.refuse(message, self.line)
        self.scale = scale
        path = self.names.path(self.needed(attributes, "path", of=name), self.line)
        size, relevant = (
            self.whole(attributes[w], f"the {w}") if w in attributes else UNKNOWN for w in ("size", "rsize")
        )
        exhaustivity = self._exhaustivity(attributes, scale, name)
        if scale == "2005":
            specificity = np.nan
            if depth_of(path) == 1:
                self.documents[self.document].update(size=size, root=relevant)
        else:
            specificity = self._specificity(self.needed(attributes, *_SPECIFICITY, of=name), scale)
        row = (self.topic, self.document, path, exhaustivity, specificity, size, relevant, self.line)
        self.elements.append(row)

    def _scale_of(self, attributes: _Attributes) -> Scale:
        if "rsize" in attributes:
            return "2005"
        if "coverage" in attributes or "relevance" in attributes:
            return "2002"
        return "2003"

    def _exhaustivity(self, attributes: _Attributes, scale: Scale, name: str) -> int:
        present = any(word in attributes for word in _EXHAUSTIVITY)
        if scale == "2005" and not present:
            return _HIGHLY  # highlighted only: whatever is relevant is
        text = self.needed(attributes, *_EXHAUSTIVITY, of=name)
        if text == "?":
            return TOO_SMALL
        number = self.whole(text, "exhaustivity")
        if scale == "2005" and number > _HIGHLY:
            self.findings.broken("exhaustivity must be 0, 1, 2 or ?", text, self.line, instead="it counts as 2")
            return _HIGHLY
        return number

    def _specificity(self, text: str, scale: Scale) -> int:
        if scale == "2002" and text.upper() in _COVERAGE:
            return _COVERAGE[text.upper()]
        if scale == "2002":
            raise self.findings.refuse(f"coverage must be N, L, S or E, not {text!r}", self.line)
        return self.whole(text, "specificity")

    @property
    def scale_found(self) -> Scale:
        if self.scale is None and self.passages:
            return "passages"
        return self.scale or ("2005" if self.modern else "2003")


def assessments_of_xml(content: bytes, findings: Findings) -> Assessments:
    """Read the assessments of one topic in XML."""
    events = _AssessmentEvents(findings)
    events.read(content)
    scale = events.scale_found
    found = list(events.documents.values())
    highlighted = [int(str(one["highlighted"])) or int(str(one["root"])) for one in found]
    documents = table_of(
        ASSESSMENT_COLUMNS,
        {
            "topic": [events.topic] * len(found),
            "document": list(events.documents),
            "relevant_size": highlighted if scale in {"2005", "passages"} else [UNKNOWN] * len(found),
            "size": [one["size"] for one in found],
            "best_entry_point": [one["point"] for one in found],
            "line": [one["line"] for one in found],
        },
    )
    elements = _columns(events.elements, ELEMENT_COLUMNS, tuple(ELEMENT_COLUMNS))
    passages = _columns(events.passages, PASSAGE_COLUMNS, ("topic", "document", "length", "start", "end", "line"))
    return checked_assessments(scale, documents, elements, passages, findings)


def _columns(rows: Sequence[tuple[object, ...]], columns: dict[str, type], names: tuple[str, ...]) -> pd.DataFrame:
    values = list(zip(*rows, strict=True)) or [()] * len(names)
    return table_of(columns, dict(zip(names, values, strict=True)))


class _PoolEvents(_Events):
    children: ClassVar[Mapping[str, frozenset[str]]] = {
        "": frozenset({"pool"}),
        "pool": frozenset({"inex_topic", "file"}),
        "file": frozenset({"path", "passage"}),
    }

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self.topic = ""
        self.rows: list[tuple[object, ...]] = []

    def begin_pool(self, attributes: _Attributes) -> None:
        self.topic = self.findings.named("topic", self.needed(attributes, "topic", of="pool"), self.line)

    def begin_file(self, attributes: _Attributes) -> None:
        self.document = self.names.document(self.needed(attributes, "file", "name", of="file"), self.line)
        self.filled = False

    def begin_path(self, attributes: _Attributes) -> None:
        self._add(self.names.path(self.needed(attributes, "path", of="path"), self.line), "")

    def begin_passage(self, attributes: _Attributes) -> None:
        start, end = (self.names.point(self.needed(attributes, w, of="passage"), self.line) for w in ("start", "end"))
        self._add(start, end)

    def end_file(self) -> None:
        if not self.filled:
            self._add("", "")

    def _add(self, path: str, end_path: str) -> None:
        self.filled = True
        self.rows.append((self.topic, self.document, path, end_path, self.line))


def pool_of_xml(content: bytes, findings: Findings) -> pd.DataFrame:
    """Read a pool in XML: one row an element or passage, and one a document without any."""
    events = _PoolEvents(findings)
    events.read(content)
    columns = {"topic": str, "document": str, "path": str, "end_path": str, "line": np.int64}
    return _columns(events.rows, columns, tuple(columns))


def root_name(content: bytes) -> str:
    """Return the name of the first element of a file, "" if it is no XML (only a guess of what to read it as)."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: found.append(name)
    parser.EntityDeclHandler = _stop
    start = content.lstrip()
    if not start.removeprefix(b"\xef\xbb\xbf").startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return ""
    with suppress(expat.ExpatError, LookupError, ValueError):  # the reader proper says what is wrong, with its line
        parser.Parse(content[:1_000_000], False)  # noqa: FBT003 - expat takes it by position: more may follow
    return found[0] if found else _ANYTHING


def _stop(*_: object) -> None:
    """Go no further where an entity is declared, which may stand for any amount of text."""
    message = "an entity"
    raise ValueError(message)


def xml_of_submission(submission: Submission) -> bytes:
    """Write a submission in XML."""
    results = submission.results
    kind = "element" if (results["path"].to_numpy() != "").all() else "fol"
    about = _attributes(
        **{
            "participant-id": submission.participant,
            "run-id": submission.run,
            "task": submission.task,
            "query": "automatic",
            "result-type": kind,
        }
    )
    by_topic = dict.fromkeys(submission.answered, "")
    if len(results):
        lines = pd.Series(_result_lines(results), dtype=object)
        joined = lines.groupby(results["topic"].to_numpy(), sort=False).agg("".join)
        by_topic |= dict(zip(joined.index, joined, strict=True))
    topics = "".join(
        f"  <topic{_attributes(**{'topic-id': topic})}>\n{text}  </topic>\n" for topic, text in by_topic.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission{about}>\n'
        f'  <topic-fields title="yes"/>\n{topics}</inex-submission>\n'
    ).encode()


def _result_lines(results: pd.DataFrame) -> list[str]:
    columns = (results[name].tolist() for name in ("document", "path", "end_path", "offset", "length", "rank", "rsv"))
    lines = []
    for document, path, end, offset, length, rank, rsv in zip(*columns, strict=True):
        if end:
            place = f"<passage{_attributes(start=path, end=end)}/>"
        elif path:
            place = f"<path>{escape(path)}</path>"
        elif length >= 0:
            place = f'<fol offset="{offset}" length="{length}"/>'
        else:
            place = f'<fol offset="{offset}"/>'
        ranked = "" if rank != rank else f"<rank>{rank:.15g}</rank>"  # noqa: PLR0124 - NaN: not given
        scored = "" if rsv != rsv else f"<rsv>{rsv!r}</rsv>"  # noqa: PLR0124 - NaN: not given
        lines.append(f"    <result><file>{escape(document)}</file>{place}{ranked}{scored}</result>\n")
    return lines


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in values.items())


def xml_of_assessments(assessments: Assessments, topic: str) -> bytes:
    """Write the assessments of one topic in XML."""
    documents, elements, passages = (
        table[table["topic"] == topic] for table in (assessments.documents, assessments.elements, assessments.passages)
    )
    if (passages["start"] == "").any():
        message = f"passages given by offsets (topic {topic}) have no points to write; the FOL format is for them"
        raise InvalidOptionError(message)
    modern = assessments.scale in {"2005", "passages"}
    inside: dict[str, list[str]] = {name: [] for name in documents["document"]}
    for document, point in zip(documents["document"], documents["best_entry_point"], strict=True):
        if point:
            inside[document].append(f"    <best-entry-point{_attributes(path=point)}/>\n")
    for document, start, end, size in passages[["document", "start", "end", "length"]].itertuples(index=False):
        inside[document].append(f"    <passage{_attributes(start=start, end=end, size=size)}/>\n")
    columns = ["document", "path", "exhaustivity", "specificity", "size", "relevant_size"]
    for document, *judgment in elements[columns].itertuples(index=False):
        inside[document].append(f"    {_judgment(assessments.scale, *judgment)}\n")
    files = "".join(
        f"  <file{_attributes(**({'collection': 'made', 'name': name} if modern else {'file': name}))}>\n"
        f"{''.join(lines)}  </file>\n"
        for name, lines in inside.items()
    )
    start = "  <inex_topic/>\n" if modern else ""
    head = _attributes(pool=topic, topic=topic, version="1.0")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<assessments{head}>\n{start}{files}</assessments>\n'.encode()


def _judgment(  # noqa: PLR0913, PLR0917 - the columns of the table
    scale: Scale, path: str, exhaustivity: int, specificity: float, size: int, relevant_size: int
) -> str:
    degree = "?" if exhaustivity == TOO_SMALL else str(exhaustivity)
    if scale == "2002":
        return f"<path{_attributes(path=path, relevance=degree, coverage=_LETTERS[int(specificity)])}/>"
    if scale == "2003":
        return f"<path{_attributes(path=path, exhaustiveness=degree, specificity=int(specificity))}/>"
    return f"<element{_attributes(path=path, exhaustivity=degree, size=size, rsize=relevant_size)}/>"
