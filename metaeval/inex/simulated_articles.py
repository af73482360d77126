"""Simulated articles: trees of tagged elements over a text, without the text."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Ints
from metaeval.base.short_repr import ShortRepr

STRUCTURE, SECTION, TEXT, INLINE = range(4)

_PARAGRAPH_SIZE, _PARAGRAPH_SPREAD = 308.0, 0.8
_SMALLEST_TEXT = 20
_SPACE_OF_INLINE = 8
_INLINE_SIZE = 9
_BATCH = 100_000
_WORDS = "made up text of no meaning "


class Template(NamedTuple):
    """What articles of a collection are made of: their tags, and how many of each stand in one another on average."""

    title: str
    body: str
    section: str
    subsection: str
    heading: str
    inline: str
    name: str
    abstract: float
    lead: float
    sections: float
    paragraphs: float
    subsections: float
    subparagraphs: float
    references: float


IEEE = Template("ti", "bdy", "sec", "ss1", "st", "it", "co/made/r{}", 1, 0, 4, 8, 1, 6, 10)
WIKIPEDIA = Template("name", "body", "section", "section", "title", "collectionlink", "{}", 0, 2, 3, 3, 0.5, 2, 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedArticles(ShortRepr):
    """Elements of all articles in document order, each article's together."""

    names: NDArray[np.object_]
    """Shape (n_documents,)."""
    first: Ints
    """Where each article's elements begin; its root is the first. Shape (n_documents + 1,)."""
    document: Ints = field(repr=False)
    parent: Ints = field(repr=False)
    last: Ints = field(repr=False)
    depth: Ints = field(repr=False)
    kind: Ints = field(repr=False)
    start: Ints = field(repr=False)
    end: Ints = field(repr=False)
    """Article, parent (-1 for a root), the index behind the last descendant, depth from 1, kind (`SECTION`, `TEXT`,
    `INLINE` or else), and the characters [start, end) of the article that the element spans. Shape (n_elements,)."""
    paths: NDArray[np.object_] = field(repr=False)
    """Shape (n_elements,)."""

    @property
    def size(self) -> Ints:
        """Characters of every element."""
        return self.end - self.start

    @property
    def length(self) -> Ints:
        """Characters of every article."""
        return self.end[self.first[:-1]]

    def sizes(self) -> pd.DataFrame:
        """Return the table that `metaeval.inex.reading.read_element_sizes` reads: document, path, size."""
        documents = pd.Series(self.names[self.document], dtype=object)
        return pd.DataFrame({"document": documents, "path": pd.Series(self.paths, dtype=object), "size": self.size})

    def xml(self, number: int) -> str:
        """Return an article as XML, its text made of letters with single blanks between them."""
        first, behind = int(self.first[number]), int(self.first[number + 1])
        text = (_WORDS * (int(self.length[number]) // len(_WORDS) + 1))[: int(self.length[number])]
        tags = [path.rsplit("/", 1)[1].split("[")[0] for path in self.paths[first:behind].tolist()]
        columns = (self.start[first:behind].tolist(), self.end[first:behind].tolist(), self.last[first:behind].tolist())
        parts: list[str] = []
        inside: list[tuple[int, int, str]] = []
        at = 0

        def reach(place: int) -> None:
            nonlocal at
            parts.append(text[at:place])
            at = place

        for row, (tag, start, end, last) in enumerate(zip(tags, *columns, strict=True), first):
            while inside and inside[-1][0] <= row:
                _, stop, closed = inside.pop()
                reach(stop)
                parts.append(f"</{closed}>")
            reach(start)
            parts.append(f"<{tag}>")
            inside.append((last, end, tag))
        for _, stop, closed in reversed(inside):
            reach(stop)
            parts.append(f"</{closed}>")
        return "".join(parts) + "\n"

    def elements_of(self, documents: Ints) -> tuple[Ints, Ints]:
        """Return all elements of the articles asked for, and for each the place of its article in `documents`."""
        counts = np.diff(self.first)[documents]
        owner = np.repeat(np.arange(len(documents)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.first[documents][owner] + within, owner


class _GrowingTree:
    """Elements in the making, parents before children."""

    def __init__(self, n_documents: int) -> None:
        self.n = n_documents
        none = np.zeros(n_documents, dtype=np.int64)
        self.columns: list[tuple[Ints, ...]] = [(none - 1, none + 1, none, none, none)]
        self.tags = ["article"]

    def add(  # noqa: PLR0913 - what there is to say of a batch
        self,
        tag: str,
        parents: Ints,
        *,
        order: int,
        counts: Ints | int = 1,
        sizes: Ints | int = 0,
        kind: int = STRUCTURE,
    ) -> Ints:
        """Give every parent so many children of a tag, behind those of a lower `order`; return their numbers."""
        counts = np.broadcast_to(np.asarray(counts, dtype=np.int64), len(parents))
        owner = np.repeat(parents, counts)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        full = [np.broadcast_to(np.asarray(column, dtype=np.int64), len(owner)) for column in (sizes, kind)]
        self.columns.append((owner, number, np.full(len(owner), order * _BATCH) + number, *full))
        self.tags.append(tag)
        self.n += len(owner)
        return np.arange(self.n - len(owner), self.n)


def make_articles(
    generator: np.random.Generator, template: Template, n_documents: int, elements_per_article: float
) -> SimulatedArticles:
    """Make articles over random text."""
    tree = _GrowingTree(n_documents)
    roots = np.arange(n_documents)
    texts = _grow(tree, generator, template, roots)
    sizes = np.concatenate([size for _, size in texts])
    rate = max(0.0, (elements_per_article * n_documents - tree.n) / len(sizes))
    inlines = np.minimum(generator.poisson(rate, len(sizes)), sizes // _SPACE_OF_INLINE)
    added = tree.add(template.inline, np.concatenate([who for who, _ in texts]), order=0, counts=inlines, kind=INLINE)
    lengths = np.maximum(3, generator.poisson(_INLINE_SIZE, len(added)))
    names = np.array([template.name.format(10_000 + number) for number in range(n_documents)], dtype=object)
    return _assembled(tree, names, np.repeat(inlines, inlines), lengths)


def _grow(
    tree: _GrowingTree, generator: np.random.Generator, template: Template, roots: Ints
) -> list[tuple[Ints, Ints]]:
    """Add everything but inline elements, and return the paragraphs with their sizes."""
    texts = []

    def counted(mean: float, parents: Ints) -> Ints:
        """At least one each on average, none where the mean is less than one."""
        return generator.poisson(mean, len(parents)) if mean < 1 else 1 + generator.poisson(mean - 1, len(parents))

    def headings(tag: str, parents: Ints, order: int = 0) -> None:
        size = _SMALLEST_TEXT + generator.poisson(15, len(parents))
        tree.add(tag, parents, order=order, sizes=size, kind=TEXT)

    def paragraphs(parents: Ints, mean: float) -> None:
        counts = counted(mean, parents) if mean else np.zeros(len(parents), dtype=np.int64)
        typical = np.log(_PARAGRAPH_SIZE) - _PARAGRAPH_SPREAD**2 / 2
        drawn = generator.lognormal(typical, _PARAGRAPH_SPREAD, int(counts.sum()))
        size = np.maximum(_SMALLEST_TEXT, drawn).astype(np.int64)
        texts.append((tree.add("p", parents, order=1, counts=counts, sizes=size, kind=TEXT), size))

    front = roots
    if template.abstract:
        front = tree.add("fm", roots, order=0)
        paragraphs(tree.add("abs", front, order=1), template.abstract)
    headings(template.title, front)
    body = tree.add(template.body, roots, order=1)
    paragraphs(body, template.lead)
    sections = tree.add(template.section, body, order=2, counts=counted(template.sections, body), kind=SECTION)
    headings(template.heading, sections)
    paragraphs(sections, template.paragraphs)
    counts = generator.poisson(template.subsections, len(sections))
    inner = tree.add(template.subsection, sections, order=2, counts=counts, kind=SECTION)
    headings(template.heading, inner)
    paragraphs(inner, template.subparagraphs)
    if template.references:
        back = tree.add("bib", tree.add("bm", roots, order=2), order=0)
        counts = counted(template.references, back)
        tree.add("bb", back, order=0, counts=counts, sizes=60 + generator.poisson(60, int(counts.sum())), kind=TEXT)
    return texts


def _assembled(
    tree: _GrowingTree, names: NDArray[np.object_], inlines: Ints, inline_lengths: Ints
) -> SimulatedArticles:
    """Bring the elements into document order, and lay the text out."""
    parent, number, order, sizes, kind = (np.concatenate(column) for column in zip(*tree.columns, strict=True))
    tag = np.repeat(np.arange(len(tree.tags)), [len(batch[0]) for batch in tree.columns])
    depth = np.ones(len(parent), dtype=np.int64)
    keys = np.zeros((len(parent), _deepest(tree)), dtype=np.int64)
    keys[: len(names), 0] = np.arange(len(names))
    begin = len(names)
    for batch in tree.columns[1:]:
        rows = np.arange(begin, begin + len(batch[0]))
        depth[rows] = depth[parent[rows]] + 1
        keys[rows] = keys[parent[rows]]
        keys[rows, depth[rows] - 1] = order[rows]
        begin += len(rows)
    sequence = np.lexsort(keys.T[::-1])
    position = np.empty_like(sequence)
    position[sequence] = np.arange(len(sequence))
    above = np.where(parent[sequence] < 0, -1, position[parent[sequence]])
    depth, document, sizes = depth[sequence], keys[sequence, 0], sizes[sequence]
    last = _behind_descendants(depth)
    before = np.r_[0, np.cumsum(sizes)]
    first = np.r_[np.flatnonzero(depth == 1), len(depth)]
    start, end = before[:-1].copy(), before[last]
    rows = position[len(position) - len(inlines) :]
    slot = (end - start)[above[rows]] // inlines
    start[rows] = start[above[rows]] + (number[len(position) - len(inlines) :] - 1) * slot
    end[rows] = start[rows] + np.minimum(inline_lengths, slot - 1)
    base = before[first[:-1]][document]
    return SimulatedArticles(
        names=names,
        first=first,
        document=document,
        parent=above,
        last=last,
        depth=depth,
        kind=kind[sequence],
        start=start - base,
        end=end - base,
        paths=_paths(above.tolist(), [tree.tags[code] for code in tag[sequence].tolist()], number[sequence].tolist()),
    )


def _deepest(tree: _GrowingTree) -> int:
    return min(len(tree.columns), 8)


def _behind_descendants(depth: Ints) -> Ints:
    """Return for each element the first one behind it that does not stand in it."""
    last = np.empty(len(depth), dtype=np.int64)
    for level in range(1, int(depth.max()) + 1):
        rows, bounds = np.flatnonzero(depth == level), np.r_[np.flatnonzero(depth <= level), len(depth)]
        last[rows] = bounds[np.searchsorted(bounds, rows, side="right")]
    return last


def _paths(parent: list[int], tags: list[str], numbers: list[int]) -> NDArray[np.object_]:
    paths: list[str] = []
    for above, tag, number in zip(parent, tags, numbers, strict=True):
        paths.append(f"{paths[above] if above >= 0 else ''}/{tag}[{number}]")
    return np.array(paths, dtype=object)
