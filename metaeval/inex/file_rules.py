"""What holds for INEX files of every format: how findings are told, how results are ordered, what is consistent."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Ints
from metaeval.base.names import shortened
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalWarning
from metaeval.inex.assessments import TOO_SMALL, Assessments, Scale, empty_table
from metaeval.inex.paths import nearest_ancestors, normalised_path, normalised_point

_LONGEST_MESSAGE = 1000
COVERAGE_LETTERS = {0: "N", 1: "L", 2: "S", 3: "E"}
"""Coverage as the files of 2002 write it."""


class InexWarning(MetaevalWarning):
    """An INEX file that is readable, but breaks a rule of its campaign."""


@dataclass(slots=True)
class Findings:
    """What reading one file finds: an error unless `lenient`, else remembered, each rule once with its first line."""

    path: str
    lenient: bool
    found: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def refuse(self, message: str, line: int | None = None) -> FileFormatError:
        """Return the error that no reading can pass over."""
        return FileFormatError(shortened(message, _LONGEST_MESSAGE), path=self.path, line=line)

    def broken(self, rule: str, value: str, line: int, *, instead: str) -> None:
        """Raise if not lenient, else remember that a rule is broken and what is done `instead`."""
        if not self.lenient:
            raise self.refuse(f"{rule}; got {shortened(value, 300)}. With `lenient=True`, {instead}", line)
        self.remark(f"{rule}; {instead}", value, line)

    def remark(self, rule: str, value: str, line: int) -> None:
        """Remember what is worth knowing; it stops nothing."""
        self.found.setdefault(rule, []).append((line, shortened(value, 300)))

    def each(self, rows: pd.DataFrame, wrong: Flags, rule: str, value: str, *, instead: str | None = None) -> None:
        """Report every row that is wrong, `value` filled in from its columns; without `instead` as a remark."""
        for row in rows[wrong].to_dict("records"):
            if instead is None:
                self.remark(rule, value.format_map(row), int(row["line"]))
            else:
                self.broken(rule, value.format_map(row), int(row["line"]), instead=instead)

    def named(self, what: str, name: str, line: int) -> str:
        """Return the name of a topic or document, or raise where there is none to see."""
        if not name.strip():
            raise self.refuse(f"a {what} without a name; every {what} needs one", line)
        return name

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence a rule: the first place, and how many more."""
        return tuple(
            f"{self.path}, line {places[0][0]}: {rule} (here: {places[0][1]}"
            + (f"; {len(places) - 1} more in this file)" if len(places) > 1 else ")")
            for rule, places in self.found.items()
        )


class Names:
    """Normalise texts that repeat, each spelling once."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.paths: dict[str, str] = {}
        self._points: dict[str, str] = {}

    def document(self, text: str, line: int) -> str:
        """Return the name of a document; one without is an error."""
        return self._findings.named("document", document_name(text), line)

    def path(self, text: str, line: int) -> str:
        """Return an element's path in its one spelling; what is none stays as it stands if lenient."""
        spelling = self.paths.get(text)
        return self._learn(self.paths, normalised_path, text, line) if spelling is None else spelling

    def point(self, text: str, line: int) -> str:
        """Return a point in text, or an element's path, in its one spelling."""
        spelling = self._points.get(text)
        return self._learn(self._points, normalised_point, text, line) if spelling is None else spelling

    def _learn(self, table: dict[str, str], normalise: Callable[[str], str], text: str, line: int) -> str:
        try:
            table[text] = normalise(text)
        except InvalidOptionError as error:
            instead = "it is kept as it stands and matches no assessment"
            self._findings.broken("a path must be one of an element or a point", str(error), line, instead=instead)
            return text.strip()
        return table[text]


def document_name(text: str) -> str:
    """Return the name of a document without the ".xml" that some files write.

    Examples
    --------
    >>> document_name(" co/2001/r7022.xml ")
    'co/2001/r7022'
    """
    return text.strip().removesuffix(".xml")


def ordered_results(results: pd.DataFrame, parts: Ints, findings: Findings) -> pd.DataFrame:
    """Order the results of every topic as they are evaluated; topics stay in the order of their first result.

    By rank if every result of the topic has one, else by score, descending, if every result has one, else as the file
    has them. Equal ones stay in the file's order, and the parts of a topic that the file splits one after another.
    """
    topic, rank, rsv = pd.factorize(results["topic"])[0], results["rank"].to_numpy(), results["rsv"].to_numpy()
    n_topics = int(topic.max(initial=-1)) + 1
    ranked, scored = (np.ones(n_topics, dtype=bool) for _ in range(2))
    for complete, numbers in ((ranked, rank), (scored, rsv)):
        complete[topic[np.isnan(numbers)]] = False
        some = np.flatnonzero(~np.isnan(numbers) & ~complete[topic] & ~ranked[topic])
        if len(some):
            line, name = int(results["line"].iloc[some[0]]), results["topic"].iloc[some[0]]
            rule = "some results of a topic have a rank or rsv that others lack; it does not order them"
            findings.remark(rule, f"topic {name}", line)
    key = np.where(ranked[topic], rank, np.where(scored[topic], -rsv, 0.0))
    ordered = results.iloc[np.lexsort((key, parts, topic))].reset_index(drop=True)
    above = ordered[["topic", "rsv"]].shift()
    rising = ((ordered["topic"] == above["topic"]) & (ordered["rsv"] > above["rsv"])).to_numpy()
    value = "{rsv:g} after {before:g} in topic {topic}"
    findings.each(ordered.assign(before=above["rsv"]), rising, "rsv rises down the list; the order stays", value)
    return ordered


def checked_file(
    scale: Scale, documents: pd.DataFrame, elements: pd.DataFrame, passages: pd.DataFrame, findings: Findings
) -> Assessments:
    """Hold the assessments of one file to the rules of their scale, and put the tables together."""
    elements = _without_repeated(elements, findings)
    if scale == "2005":
        elements = _checked_sizes(elements, findings)
    elements = _checked_pairs(elements, scale, findings)
    _check_tree(elements, scale, findings)
    _check_passages(documents, passages, findings)
    return Assessments(
        scale=scale,
        documents=documents,
        elements=elements.reset_index(drop=True),
        passages=passages,
        source=findings.path,
        notes=findings.notes,
    )


def _without_repeated(elements: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    repeated = elements.duplicated(["topic", "document", "path"]).to_numpy(dtype=bool)
    rule, instead = "an element is assessed once in a topic", "the first one counts"
    findings.each(elements, repeated, rule, "{path} in {document}", instead=instead)
    return elements[~repeated] if repeated.any() else elements


def _checked_sizes(elements: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """Compare sizes and highlighted sizes (2005); elements without any text, or any relevant text, are dropped."""
    size, relevant = elements["size"].to_numpy(), elements["relevant_size"].to_numpy()
    valid = (size > 0) & (relevant > 0)
    for rule, bad, instead in (
        ("an element's size must be given, and 0 or more", size < 0, "it is dropped"),
        ("an element without text (size 0) has no specificity; it is dropped", size == 0, None),
        ("an element's rsize must lie from 0 to its size", (relevant < 0) | (relevant > size), "it is capped"),
        (
            "an element has exhaustivity 0 exactly if nothing in it is highlighted (e = 0 iff s = 0)",
            ((relevant == 0) != (elements["exhaustivity"].to_numpy() == 0)) & (size > 0),
            "it counts as not relevant",
        ),
    ):
        value = "size {size}, rsize {relevant_size}, {path} in {document}"
        findings.each(elements, bad, rule, value, instead=instead)
    valid &= elements["exhaustivity"].to_numpy() != 0
    capped = np.minimum(relevant, size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return elements.assign(relevant_size=capped, specificity=capped / size)[valid]


def _checked_pairs(elements: pd.DataFrame, scale: Scale, findings: Findings) -> pd.DataFrame:
    if scale not in {"2002", "2003"}:
        return elements
    exhaustivity, specificity = elements["exhaustivity"].to_numpy(), elements["specificity"].to_numpy()
    grades = np.arange(4)
    bad = ~(np.isin(exhaustivity, grades) & np.isin(specificity, grades))
    bad |= (exhaustivity == 0) != (specificity == 0)
    rule = "exhaustivity and specificity must be 0 to 3, and 0 together"
    if scale == "2002":
        bad |= (exhaustivity == 3) & (specificity == 2)  # noqa: PLR2004 - 3S, which no table of 2002 holds
        rule = "relevance must be 0 to 3 and coverage N, L, S or E, N exactly with 0, and S not with 3"
    for row in np.flatnonzero(bad):
        element = elements.iloc[row]
        letter = COVERAGE_LETTERS.get(int(specificity[row])) if scale == "2002" and specificity[row] >= 0 else None
        value = f"({exhaustivity[row]}, {letter or f'{specificity[row]:g}'}) for {element['path']}"
        findings.broken(rule, value, int(element["line"]), instead="the pair counts as (0, 0)")
    return elements.assign(exhaustivity=np.where(bad, 0, exhaustivity), specificity=np.where(bad, 0.0, specificity))


def _check_tree(elements: pd.DataFrame, scale: Scale, findings: Findings) -> None:
    """No element may be more exhaustive than what it stands in (2005: "?" below 1 below 2)."""
    if elements.empty:
        return
    places = list(zip(elements["topic"], elements["document"], strict=True))
    above = nearest_ancestors(places, elements["path"])
    degree = elements["exhaustivity"].to_numpy().astype(np.float64)
    degree = np.where(degree == TOO_SMALL, 0.5, degree)
    paths, lines = elements["path"].to_numpy(), elements["line"].to_numpy()
    rule = "an element must not be more exhaustive than what it stands in"
    if scale == "2005":
        rule += ' (in a "?" element all is "?", around one of 2 all is 2)'
    for row in np.flatnonzero((above >= 0) & (degree > degree[above])):
        value = f"{_grade(degree[row])} for {paths[row]} in {paths[above[row]]} with {_grade(degree[above[row]])}"
        findings.broken(rule, value, int(lines[row]), instead="both stay as they are")


def _grade(degree: float) -> str:
    return "?" if degree == 0.5 else f"{degree:g}"  # noqa: PLR2004 - what _check_tree makes of "?"


def _check_passages(documents: pd.DataFrame, passages: pd.DataFrame, findings: Findings) -> None:
    if passages.empty:
        return
    _check_offsets(documents, passages, findings)
    names = ("topic", "document", "start", "end", "line")
    listed = list(zip(*(passages[name] for name in names), strict=True))
    begun = Counter((topic, document, start) for topic, document, start, *_ in listed)
    for topic, document, start, end, line in listed:
        if end and begun[topic, document, end] > (start == end):  # one that ends where it begins does not meet itself
            value = f"two that meet at {end} in {document}"
            findings.broken("passages that touch are one passage", value, line, instead="both stay as they are")


def _check_offsets(documents: pd.DataFrame, passages: pd.DataFrame, findings: Findings) -> None:
    located = passages[passages["offset"].to_numpy() >= 0]
    if located.empty:
        return
    keys = ["topic", "document"]
    located = located.merge(documents[[*keys, "size", "relevant_size"]], on=keys, how="left", suffixes=("", "_of"))
    located = located.sort_values([*keys, "offset", "length"], kind="stable")
    same = np.r_[False, (located[keys].to_numpy()[1:] == located[keys].to_numpy()[:-1]).all(axis=1)]
    offset, end = located["offset"].to_numpy(), (located["offset"] + located["length"]).to_numpy()
    before = np.r_[0, end[:-1]]
    size = located["size"].to_numpy()
    # documents with more highlighted than there is are reported separately; 2008 files have them
    outside = (end > size) & (size >= 0) & (located["relevant_size"].to_numpy() <= size)
    for rule, bad in (
        ("a passage must lie within its document", outside),
        ("passages of a document must not overlap", same & (offset < before)),
        ("passages that touch are one passage", same & (offset == before)),
    ):
        value = "{offset}:{length} in {document} of {size} characters"
        findings.each(located, bad, rule, value, instead="it stays as it is")


def joined_assessments(parts: Sequence[Assessments], source: str) -> Assessments:
    """Put the assessments of several files together."""
    owner: dict[str, str] = {}
    for assessments in parts:
        for topic in dict.fromkeys([*assessments.documents["topic"], *assessments.elements["topic"]]):
            if owner.setdefault(topic, assessments.source) != assessments.source:
                message = (
                    f"topic {topic!r} is assessed in {owner[topic]} too; read second judgments on their own "
                    "(`read_assessments(folder, second=True)`, or name the files of one assessor)"
                )
                raise FileFormatError(message, path=assessments.source)
    scales = {
        assessments.scale: assessments.source
        for assessments in reversed(parts)
        if len(assessments.elements) or assessments.scale == "passages"
    }
    if len(scales) > 1:
        listed = ", ".join(f"{name} ({where})" for name, where in sorted(scales.items()))
        raise FileFormatError(f"the files are of different scales: {listed}; read one campaign at a time", path=source)
    return Assessments(
        scale=next(iter(scales), parts[0].scale),
        documents=_stacked([assessments.documents for assessments in parts], "documents"),
        elements=_stacked([assessments.elements for assessments in parts], "elements"),
        passages=_stacked([assessments.passages for assessments in parts], "passages"),
        source=source,
        notes=tuple(note for assessments in parts for note in assessments.notes),
    )


def _stacked(tables: Sequence[pd.DataFrame], kind: str) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else empty_table(kind)
