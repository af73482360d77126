"""INEX files in XML: submissions, assessments and pools."""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pandas as pd

from metaeval.base.names import is_number, shortened
from metaeval.inex.assessments import COLUMNS, TOO_SMALL, UNKNOWN, Assessments, Scale, Submission, table_of
from metaeval.inex.file_rules import COVERAGE_LETTERS, Findings, checked_file, ordered_results
from metaeval.inex.paths import depth_of
from metaeval.inex.xml_events import ANYTHING, Attributes, XmlEvents

_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity", "exh", "relevance")
_SPECIFICITY = ("specificity", "spec", "coverage")
_COVERAGE = {letter: number for number, letter in COVERAGE_LETTERS.items()}
_HIGHLY = 2


class _SubmissionEvents(XmlEvents):
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

    def begin_inex_submission(self, attributes: Attributes) -> None:
        self.about = {name: attributes.get(name, "").strip() for name in ("run-id", "participant-id", "task")}

    def begin_topic(self, attributes: Attributes) -> None:
        self.topic = self.findings.named("topic", self.needed(attributes, "topic-id", of="topic"), self.line)
        self.part += 1
        if self.answered.setdefault(self.topic, self.line) != self.line:
            value = f"{self.topic}, begun in line {self.answered[self.topic]}"
            self.findings.remark("a topic stands in one <topic>; the parts are put one after another", value, self.line)

    def begin_result(self, _: Attributes) -> None:
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

    def begin_passage(self, attributes: Attributes) -> None:
        start, end = (self.names.point(self.needed(attributes, w, of="passage"), self.line) for w in ("start", "end"))
        self.places.append((start, end, UNKNOWN, UNKNOWN))

    def begin_fol(self, attributes: Attributes) -> None:
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
            (self.topic, self.document, *location, self.rank, self.rsv, self.begun, self.part)
            for location in self.places
        ]


def submission_of_xml(content: bytes, findings: Findings) -> Submission:
    """Read a submission in XML."""
    events = _SubmissionEvents(findings)
    events.read(content)
    columns = list(zip(*events.rows, strict=True)) or [()] * 10
    results = table_of("results", dict(zip(COLUMNS["results"], columns, strict=False)))
    return Submission(
        run=events.about["run-id"],
        participant=events.about["participant-id"],
        task=events.about["task"],
        results=ordered_results(results, np.array(columns[-1], dtype=np.int64), findings),
        answered=tuple(events.answered),
        source=findings.path,
    )


class _AssessmentEvents(XmlEvents):
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

    def begin_assessments(self, attributes: Attributes) -> None:
        numbers = [value for name, value in attributes.items() if name not in {"pool", "version"}]
        named = [attributes[name] for name in ("topic", "topic-id", "topic_id") if name in attributes]
        if not (named or numbers):
            raise self.findings.refuse("<assessments> needs the attribute topic", self.line)
        self.topic = self.findings.named("topic", (named or numbers)[0].strip(), self.line)

    def begin_file(self, attributes: Attributes) -> None:
        self.modern = "file" not in attributes
        self.document = self.names.document(self.needed(attributes, "file", "name", of="file"), self.line)
        if self.document in self.documents:
            first = self.documents[self.document]["line"]
            message = (
                f"document {self.document} is assessed twice on topic {self.topic}, first in line {first}; keep one"
            )
            raise self.findings.refuse(message, self.line)
        self.documents[self.document] = {"highlighted": 0, "size": UNKNOWN, "point": "", "line": self.line, "root": 0}

    def begin_best_entry_point(self, attributes: Attributes) -> None:
        point = self.names.point(self.needed(attributes, "path", of="best-entry-point"), self.line)
        self.documents[self.document]["point"] = point

    def begin_passage(self, attributes: Attributes) -> None:
        start, end = (self.names.point(self.needed(attributes, w, of="passage"), self.line) for w in ("start", "end"))
        size = self.whole(self.needed(attributes, "size", of="passage"), "a passage's size")
        document = self.documents[self.document]
        document["highlighted"] = int(str(document["highlighted"])) + size
        self.passages.append((self.topic, self.document, size, start, end, self.line))

    def begin_element(self, attributes: Attributes) -> None:
        self._judge(attributes, "element")

    def begin_path(self, attributes: Attributes) -> None:
        self._judge(attributes, "path")

    def other(self, name: str, parent: str, attributes: Attributes) -> str:
        """Take any element of a file that has a path for a judgment, whatever it is called (2002 to 2004)."""
        if parent == "file" and "path" in attributes:
            self._judge(attributes, name)
            return ANYTHING
        return super().other(name, parent, attributes)

    def _judge(self, attributes: Attributes, name: str) -> None:
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

    def _scale_of(self, attributes: Attributes) -> Scale:
        if "rsize" in attributes:
            return "2005"
        if "coverage" in attributes or "relevance" in attributes:
            return "2002"
        return "2003"

    def _exhaustivity(self, attributes: Attributes, scale: Scale, name: str) -> int:
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
    records = list(events.documents.values())
    highlighted = [int(str(record["highlighted"])) or int(str(record["root"])) for record in records]
    documents = table_of(
        "documents",
        {
            "topic": [events.topic] * len(records),
            "document": list(events.documents),
            "relevant_size": highlighted if scale in {"2005", "passages"} else [UNKNOWN] * len(records),
            "size": [record["size"] for record in records],
            "best_entry_point": [record["point"] for record in records],
            "line": [record["line"] for record in records],
        },
    )
    elements = _columns("elements", events.elements)
    passages = _columns("passages", events.passages, ("topic", "document", "length", "start", "end", "line"))
    return checked_file(scale, documents, elements, passages, findings)


def _columns(kind: str, rows: Sequence[tuple[object, ...]], names: Sequence[str] = ()) -> pd.DataFrame:
    names = names or [*COLUMNS[kind]]
    values = list(zip(*rows, strict=True)) or [()] * len(names)
    return table_of(kind, dict(zip(names, values, strict=True)))


class _PoolEvents(XmlEvents):
    children: ClassVar[Mapping[str, frozenset[str]]] = {
        "": frozenset({"pool"}),
        "pool": frozenset({"inex_topic", "file"}),
        "file": frozenset({"path", "passage"}),
    }

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings)
        self.topic = ""
        self.rows: list[tuple[object, ...]] = []

    def begin_pool(self, attributes: Attributes) -> None:
        self.topic = self.findings.named("topic", self.needed(attributes, "topic", of="pool"), self.line)

    def begin_file(self, attributes: Attributes) -> None:
        self.document = self.names.document(self.needed(attributes, "file", "name", of="file"), self.line)
        self.filled = False

    def begin_path(self, attributes: Attributes) -> None:
        self._add(self.names.path(self.needed(attributes, "path", of="path"), self.line), "")

    def begin_passage(self, attributes: Attributes) -> None:
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
    return _columns("pools", events.rows)
