"""XML articles of an INEX collection: at which character of its text an element or a point stands."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from xml.parsers import expat

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_kind
from metaeval.base.names import count, shortened
from metaeval.base.results import Result
from metaeval.errors import FileFormatError
from metaeval.inex.assessments import Assessments
from metaeval.io.files import read_bytes
from metaeval.io.unpacking import Budget

_POINT = re.compile(r"(?P<path>.*?)(?:/text\(\)(?:\[(?P<node>[0-9]+)\])?(?:\.(?P<character>[0-9]+))?)?")
_STEP = re.compile(r"/([^/\[\]]+)(?=/|\Z)")
_WHITE = (0x20, 0x09, 0x0A, 0x0D)
_AT_HAND = 64
_DEEPEST = 500
"""Elements within elements: the path of each is kept, which takes memory with the square of the depth."""
_PACKED = ("", ".gz", ".bz2", ".xz", ".zst")

type _Text = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArticlePlaces(Result):
    """Positions of the elements of an article in its text, in characters; white space of any length counts as one."""

    source: str
    """The file."""
    elements: Mapping[str, tuple[int, int, tuple[_Text, ...]]]
    """For every path the characters [start, end) before runs of white space are merged, and those of its text nodes."""
    order: Mapping[str, int]
    """Place of every path in document order."""
    before: NDArray[np.int64]
    """Characters that count before every character of the text. Shape (n + 1,)."""

    def __len__(self) -> int:
        return int(self.before[-1])

    def _found(self) -> str:
        return f"{count(len(self), 'element')} of {self.source}"

    def position(self, place: str, *, end: bool = False) -> int:
        """Return the character at which a path or a point stands.

        Parameters
        ----------
        place : str
            ``/article[1]/p[2]``, its k-th text node ``/article[1]/p[2]/text()[k]``, or the point behind o of its
            characters, ``/article[1]/p[2]/text()[k].o``. A step without a number is the first of its name.
        end : bool
            Of a path or a text node, where it ends instead of where it begins.

        Raises
        ------
        FileFormatError
            If the article has no such element, text node or character.
        """
        match = _POINT.fullmatch(place)
        path = _STEP.sub(r"/\1[1]", match["path"] if match else place)
        element = self.elements.get(path)
        if match is None or element is None:
            raise FileFormatError(f"the article has no {shortened(path)}", path=self.source)
        start, stop, nodes = element
        if "/text()" in place:
            number = int(match["node"] or 1)
            start, stop = nodes[number - 1] if 1 <= number <= len(nodes) else (0, -1)
            if stop < start or int(match["character"] or 0) > stop - start:
                raise FileFormatError(f"the article has no {shortened(place)}", path=self.source)
            if match["character"]:
                start = stop = start + int(match["character"])
        return int(self.before[stop if end else start])


class Articles(Protocol):
    """Whatever gives the places of an article by the name of the document: a mapping, or an `ArticleFolder`."""

    def __getitem__(self, document: str, /) -> ArticlePlaces:
        """Return the places of one article."""
        ...


class _ArticleEvents:
    """The events of one article."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parser = expat.ParserCreate()
        self.parser.UseForeignDTD()  # a character that only a DTD, which nobody reads, would explain counts one
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.SkippedEntityHandler = lambda _name, _parameter: self.characters("\N{REPLACEMENT CHARACTER}")
        self.parser.CommentHandler = lambda _text: self.close()
        self.parser.ProcessingInstructionHandler = lambda _target, _text: self.close()
        self.parser.EntityDeclHandler = self.refuse
        self.paths: list[str] = []
        self.counts: list[dict[str, int]] = [{}]
        self.nodes: list[list[_Text]] = []
        self.begins: list[int] = []
        self.order: dict[str, int] = {}
        self.found: dict[str, tuple[int, int, tuple[_Text, ...]]] = {}
        self.text: list[str] = []
        self.at = self.node = 0

    def refuse(self, name: str, *_rest: object) -> None:
        message = f"the entity {name!r} is declared here; replace it by its text"
        raise FileFormatError(message, path=self.source, line=self.parser.CurrentLineNumber)

    def close(self) -> None:
        if self.at > self.node and self.nodes:
            self.nodes[-1].append((self.node, self.at))
        self.node = self.at

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        if len(self.paths) >= _DEEPEST:
            message = f"elements stand within elements {_DEEPEST} times; an article has some ten levels, check the file"
            raise FileFormatError(message, path=self.source, line=self.parser.CurrentLineNumber)
        self.close()
        count = self.counts[-1][name] = self.counts[-1].get(name, 0) + 1
        path = f"{self.paths[-1] if self.paths else ''}/{name}[{count}]"
        self.order[path] = len(self.order)
        self.paths.append(path)
        self.counts.append({})
        self.nodes.append([])
        self.begins.append(self.at)

    def end(self, _name: str) -> None:
        self.close()
        self.counts.pop()
        self.found[self.paths.pop()] = (self.begins.pop(), self.at, tuple(self.nodes.pop()))

    def characters(self, text: str) -> None:
        self.text.append(text)
        self.at += len(text)

    def places(self, content: bytes) -> ArticlePlaces:
        # the path of an element, its count and its places take much more than a value
        Budget.of_file(self.source, content).spend_objects(4 * content.count(b"<"))
        try:
            self.parser.Parse(content, True)  # noqa: FBT003 - expat takes no keyword
        except expat.ExpatError as error:
            message = f"the XML is broken: {expat.ErrorString(error.code)}"
            raise FileFormatError(message, path=self.source, line=error.lineno) from None
        codes = np.frombuffer("".join(self.text).encode("utf-32-le"), dtype=np.uint32)
        white = np.isin(codes, _WHITE)
        counted = ~(white & np.r_[False, white[:-1]][: len(white)])
        before = np.r_[0, np.cumsum(counted)].astype(np.int64)
        return ArticlePlaces(source=self.source, elements=self.found, order=self.order, before=before)


def read_article(path: str | os.PathLike[str]) -> ArticlePlaces:
    r"""Read the positions of the elements of an XML article in its text.

    Parameters
    ----------
    path : path
        The file, compressed or not.

    Returns
    -------
    ArticlePlaces
        ``position(place)`` says where a place of the article stands, in characters from its beginning.

    Raises
    ------
    FileFormatError
        With file and line, for broken XML or a declared entity.

    Notes
    -----
    No DTD is fetched; a character that only a DTD would explain, such as ``&ndash;``, counts one. Comments part text
    nodes, as they do for XPath.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "d.xml")
    >>> _ = file.write_text("<article><p>One  and</p>\n<p>two <b>and</b> three</p></article>")
    >>> article = read_article(file)
    >>> article.position("/article[1]/p[2]/text()[2].1"), article.position("/article[1]/p[2]", end=True)
    (16, 21)
    """
    return _ArticleEvents(str(path)).places(read_bytes(str(path)))


class ArticleFolder:
    """The articles of a collection, read on demand.

    Parameters
    ----------
    folder : path
        Holds every document as ``NAME.xml``, compressed or not, or anywhere below it as a file of that name.

    Raises
    ------
    FileFormatError
        If it is no folder.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "part-0").mkdir()
    >>> _ = (folder / "part-0" / "12.xml").write_text("<article>One</article>")
    >>> len(ArticleFolder(folder)["12"])
    3
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            message = "articles are looked up by their names, and this is no folder; give the folder of all articles"
            raise FileFormatError(message, path=self.folder)
        self._below: dict[str, list[Path]] | None = None

    def __getitem__(self, document: str, /) -> ArticlePlaces:
        """Return the places of one article; a `FileFormatError` says that there is no file, or several."""
        return read_article(self._file(document))

    def _file(self, document: str) -> Path:
        for packed in _PACKED:
            path = self.folder / f"{document}.xml{packed}"
            if path.is_file():
                return path
        if self._below is None:
            self._below = {}
            for path in sorted(self.folder.rglob("*.xml*")):
                self._below.setdefault(path.name.split(".xml")[0], []).append(path)
        paths = self._below.get(document, [])
        if len(paths) != 1:
            kind = f"{len(paths)} files for" if paths else "no article"
            message = f"the folder holds {kind} {document}, which was assessed; give the folder of all articles"
            raise FileFormatError(message, path=self.folder)
        return paths[0]


def place_passages(assessments: Assessments, articles: Articles, *, lenient: bool = False) -> Assessments:
    """Convert passages and best entry points that are points in a tree (2005, 2006) to characters of the text.

    Parameters
    ----------
    assessments : Assessments
    articles : Articles
        Of all documents with passages.
    lenient : bool, default False
        Whether a point that its article does not have is an error, or the passage left out and counted in a note.

    Returns
    -------
    Assessments
        With ``offset`` and ``length`` of passages and ``best_entry`` of documents; passages by offset stay as they
        are. A note counts passages that are not as long as the assessments say, for these may be of other articles.

    Raises
    ------
    FileFormatError
        For a document without an article; if not `lenient`, for a point that its article does not have.

    Notes
    -----
    What Table XI and Figure 7 of Piwowarski, Trotman and Lalmas (2008) need. A point at the end of a passage stands
    behind its last character.
    """
    check_kind(assessments, "assessments", "Assessments")
    passages, documents = assessments.passages.copy(), assessments.documents.copy()
    points = documents.get("best_entry_point", pd.Series("", index=documents.index)).to_numpy(dtype=object)
    open_passages = np.flatnonzero(passages["offset"] < 0) if len(passages) else np.empty(0, dtype=np.int64)
    open_entries = np.flatnonzero(points != "")
    if not len(open_passages) and not len(open_entries):
        return assessments
    offsets, lengths = (passages[name].to_numpy().copy() for name in ("offset", "length"))
    entries = documents.get("best_entry", pd.Series(-1, index=documents.index)).to_numpy().copy()
    finder = _Finder(articles, lenient=lenient)
    columns = passages.iloc[open_passages][["document", "start", "end"]].itertuples(index=False)
    different = 0
    for row, (document, start, end) in zip(open_passages.tolist(), columns, strict=True):
        low, high = finder.position(document, start), finder.position(document, end, end=True)
        length = high - low if min(low, high) >= 0 else -1
        different += 0 <= lengths[row] != length >= 0
        offsets[row], lengths[row] = low, length
    for row, document in zip(open_entries.tolist(), documents["document"].to_numpy()[open_entries], strict=True):
        entries[row] = finder.position(document, points[row])
    in_article = np.ones(len(passages), dtype=bool)
    in_article[open_passages] = lengths[open_passages] >= 0
    counts = {
        "passages that the articles do not have, left out": int((~in_article).sum()),
        "best entry points that the articles do not have, left out": int((entries[open_entries] < 0).sum()),
        f"of {len(open_passages)} passages, not as long in the articles as in the assessments": different,
    }
    notes = tuple(f"{words}: {number}" for words, number in counts.items() if number)
    placed = passages.assign(offset=offsets, length=lengths)[in_article].reset_index(drop=True)
    return replace(
        assessments, passages=placed, documents=documents.assign(best_entry=entries), notes=assessments.notes + notes
    )


def highlighted_elements(assessments: Assessments, articles: Articles) -> pd.DataFrame:
    """Count the elements with highlighted text of every document, and those of them that were assessed.

    Parameters
    ----------
    assessments : Assessments
        Of the scale 2005, with passages in characters (`place_passages`).
    articles : Articles
        Of all documents with passages.

    Returns
    -------
    pandas.DataFrame
        One row a document with passages: ``topic``, ``document``, ``highlighted`` elements, ``assessed`` of them, and
        the first in document order that was not (``missing``; empty where there is none).

    Notes
    -----
    C-Rule 1 [ALL] of 2005 asks that all elements that are highlighted, wholly or in part, are assessed (Piwowarski,
    Trotman and Lalmas 2008, section 4.2.2).

    Examples
    --------
    >>> text = ArticlePlaces(
    ...     source="d1.xml",
    ...     elements={"/a[1]": (0, 9, ()), "/a[1]/p[1]": (0, 4, ()), "/a[1]/p[2]": (4, 9, ())},
    ...     order={"/a[1]": 0, "/a[1]/p[1]": 1, "/a[1]/p[2]": 2},
    ...     before=np.arange(10),
    ... )
    >>> marked = pd.DataFrame({"topic": ["1"], "document": ["d1"], "offset": [2], "length": [4]})
    >>> judged = pd.DataFrame({"topic": ["1", "1"], "document": ["d1", "d1"], "path": ["/a[1]", "/a[1]/p[1]"]})
    >>> found = highlighted_elements(Assessments(scale="2005", elements=judged, passages=marked), {"d1": text})
    >>> found[["highlighted", "assessed", "missing"]].to_dict("records")
    [{'highlighted': 3, 'assessed': 2, 'missing': '/a[1]/p[2]'}]
    """
    check_kind(assessments, "assessments", "Assessments")
    assessed = {key: {*paths} for key, paths in assessments.elements.groupby(["topic", "document"])["path"]}
    at_hand = lru_cache(_AT_HAND)(articles.__getitem__)
    rows = []
    for (topic, document), passages in assessments.passages.groupby(["topic", "document"], sort=False):
        article = at_hand(document)
        paths = sorted(article.elements, key=article.order.__getitem__)
        places = np.array([article.elements[path][:2] for path in paths], dtype=np.int64).reshape(-1, 2)
        begins, ends = article.before[places].T
        low = passages["offset"].to_numpy()
        high = low + passages["length"].to_numpy()
        marked = (np.minimum(ends[:, None], high) > np.maximum(begins[:, None], low)).any(axis=1)
        inside = [path for path, is_marked in zip(paths, marked, strict=True) if is_marked]
        missing = [path for path in inside if path not in assessed.get((topic, document), ())]
        rows.append((topic, document, len(inside), len(inside) - len(missing), missing[0] if missing else ""))
    return pd.DataFrame(rows, columns=["topic", "document", "highlighted", "assessed", "missing"])


class _Finder:
    """Looks up points, the last few articles at hand; if lenient, a point that its article does not have is -1."""

    def __init__(self, articles: Articles, *, lenient: bool) -> None:
        self.article = lru_cache(_AT_HAND)(articles.__getitem__)
        self.lenient = lenient

    def position(self, document: str, place: str, *, end: bool = False) -> int:
        article = self.article(document)
        try:
            return article.position(place, end=end)
        except FileFormatError:
            if self.lenient:
                return -1
            raise
