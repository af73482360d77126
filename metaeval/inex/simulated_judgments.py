"""Simulated assessments: what is relevant, what an assessor highlights, and what that says of elements."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Ints
from metaeval.base.short_repr import ShortRepr
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN, Assessments, Scale, empty_table, table_of
from metaeval.inex.campaigns import InexCampaign
from metaeval.inex.simulated_articles import INLINE, SECTION, TEXT, SimulatedArticles

_FAR = np.int64(2) ** 32
_SPREAD_OF_RELEVANT = 0.6
_MOST_RELEVANT = 0.4
_ALIGNED = 0.7
_TOO_SHORT = 55
_ENTRY_AT_START = 0.6
_ENTRY_SPREAD = 300.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Highlights(ShortRepr):
    """Passages of relevant documents: apart from one another, in order."""

    topic: Ints
    document: Ints
    """Every relevant document of every topic, by topic. Shape (n_pairs,)."""
    owner: Ints = field(repr=False)
    start: Ints = field(repr=False)
    end: Ints = field(repr=False)
    """Index of the pair a passage belongs to, and the characters [start, end). Shape (n_passages,)."""
    entry: Ints = field(repr=False)
    """Best entry point. Shape (n_pairs,)."""

    def highlighted(self, pairs: Ints, positions: Ints) -> Ints:
        """Count the highlighted characters before each position of a pair, plus those of all pairs before it."""
        starts, ends = self.owner * _FAR + self.start, self.owner * _FAR + self.end
        sums = np.r_[0, np.cumsum(self.end - self.start)]
        places = pairs * _FAR + positions
        at = np.searchsorted(starts, places, side="right")
        inside = np.maximum(at - 1, 0)
        return np.where(at > 0, sums[inside] + np.minimum(places, ends[inside]) - starts[inside], 0)

    def relevant_sizes(self, articles: SimulatedArticles, elements: Ints, pairs: Ints) -> Ints:
        """Return the highlighted characters of elements, each of the article of its pair."""
        before = self.highlighted(pairs, articles.start[elements])
        return self.highlighted(pairs, articles.end[elements]) - before

    def of_pairs(self, kept: Flags) -> "Highlights":
        """Return those of some pairs."""
        number = np.cumsum(kept) - 1
        mine = kept[self.owner]
        return Highlights(
            topic=self.topic[kept],
            document=self.document[kept],
            owner=number[self.owner[mine]],
            start=self.start[mine],
            end=self.end[mine],
            entry=self.entry[kept],
        )


class Assessor(NamedTuple):
    """Somebody who finds relevant articles and highlights text in them, as assessors of a campaign did."""

    generator: np.random.Generator
    articles: SimulatedArticles
    campaign: InexCampaign

    def highlights(self, n_topics: int) -> Highlights:
        """Choose the relevant documents of every topic and highlight passages in them."""
        generator, articles = self.generator, self.articles
        n_documents = len(articles.names)
        typical = np.log(self.campaign.relevant) - _SPREAD_OF_RELEVANT**2 / 2
        drawn = generator.lognormal(typical, _SPREAD_OF_RELEVANT, n_topics)
        counts = np.clip(drawn, min(2, n_documents), max(2, _MOST_RELEVANT * n_documents)).astype(np.int64)
        counts = np.minimum(counts, n_documents)
        chosen = [np.sort(generator.permutation(n_documents)[:count]) for count in counts]
        topic, document = np.repeat(np.arange(n_topics), counts), np.concatenate(chosen)
        return self._highlighted(topic, document)

    def _highlighted(self, topic: Ints, document: Ints) -> Highlights:
        shares = np.arange(1, self.campaign.most_passages + 1) ** -self.campaign.exponent
        counts = 1 + self.generator.choice(len(shares), len(document), p=shares / shares.sum())
        owner = np.repeat(np.arange(len(document)), counts)
        start, end = self._passages(document[owner])
        return self._merged(topic, document, owner, start, end)

    def _passages(self, documents: Ints) -> tuple[Ints, Ints]:
        """Draw passages: some are whole elements, the others runs of paragraphs, cut anywhere at some of their ends."""
        generator, articles = self.generator, self.articles
        size = len(documents)
        texts = np.flatnonzero(articles.kind == TEXT)
        first = self._drawn(documents, TEXT)
        final = np.searchsorted(articles.document[texts], documents, side="right") - 1
        last = texts[np.minimum(first + generator.geometric(self.campaign.longer, size) - 1, final)]
        first = texts[first]
        start, end = articles.start[first], articles.end[last]
        length = np.minimum(articles.size[first], articles.size[last])
        cut = generator.random((2, size)) * (generator.random((2, size)) >= _ALIGNED) * 0.5
        start, end = start + (cut[0] * length).astype(np.int64), end - (cut[1] * length).astype(np.int64)
        sections = np.flatnonzero(articles.kind == SECTION)[self._drawn(documents, SECTION)]
        element = np.where(generator.random(size) < self.campaign.sections, sections, first)
        elemental = generator.random(size) < self.campaign.elemental
        return np.where(elemental, articles.start[element], start), np.where(elemental, articles.end[element], end)

    def _drawn(self, documents: Ints, kind: int) -> Ints:
        """Draw an element of a kind from each document; return its number among all of the kind."""
        of_kind = self.articles.document[self.articles.kind == kind]
        counts = np.bincount(of_kind, minlength=len(self.articles.names))
        before = np.cumsum(counts) - counts
        return before[documents] + (self.generator.random(len(documents)) * counts[documents]).astype(np.int64)

    def _merged(self, topic: Ints, document: Ints, owner: Ints, start: Ints, end: Ints) -> Highlights:
        """Make passages that overlap or touch one passage, and choose best entry points."""
        generator = self.generator
        sequence = np.lexsort((start, owner))
        low, high = (owner * _FAR + start)[sequence], (owner * _FAR + end)[sequence]
        reached = np.maximum.accumulate(high)
        begins = np.flatnonzero(np.r_[True, low[1:] > reached[:-1]][: len(low)])
        low, high = low[begins], np.maximum.reduceat(high, begins)
        owner = low // _FAR
        start, end = low - owner * _FAR, high - owner * _FAR
        leading = start[np.searchsorted(owner, np.arange(len(document)))]
        away = np.where(
            generator.random(len(document)) < _ENTRY_AT_START, 0, generator.laplace(0, _ENTRY_SPREAD, len(document))
        )
        entry = np.clip(leading + away.astype(np.int64), 0, self.articles.length[document] - 1)
        return Highlights(topic=topic, document=document, owner=owner, start=start, end=end, entry=entry)

    def second(self, first: Highlights, judged: list[Ints]) -> Highlights:
        r"""Let a second assessor judge the first topics again.

        Of two sets of the same size whose intersection is J of their union, each holds 2 J / (1 + J) of the other. So
        the second assessor keeps that share of the relevant documents and finds as many new ones as were lost; in the
        documents kept, every passage is moved so far that the share of text kept brings the agreement over all text to
        that on passages.
        """
        generator = self.generator
        mine = first.of_pairs(first.topic < len(judged))
        kept_share = self._kept_share(mine, judged)
        overlap = min(1.0, _shared(self.campaign.passage_agreement) / kept_share)
        retained = mine.of_pairs(generator.random(len(mine.topic)) < kept_share)
        topic, document = ([np.empty(0, dtype=np.int64)] for _ in range(2))
        for number, pool in enumerate(judged):
            before = mine.document[mine.topic == number]
            if self.campaign.document_kappa is not None:  # which is of the documents judged
                before = np.intersect1d(before, pool)
            others = np.setdiff1d(pool, before)
            n_new = min(len(others), int(generator.binomial(len(before), 1 - kept_share)))
            topic.append(np.full(n_new, number))
            document.append(np.sort(generator.permutation(others)[:n_new]))
        new = self._highlighted(np.concatenate(topic), np.concatenate(document))
        length = retained.end - retained.start
        shift = np.rint((1 - overlap) * length).astype(np.int64)
        right = generator.random(len(retained.topic))[retained.owner] < 0.5  # noqa: PLR2004 - a coin
        room = self.articles.length[retained.document[retained.owner]] - length
        right = (right | (retained.start < shift)) & (retained.start + shift <= room)  # where there is room
        start = np.clip(retained.start + np.where(right, shift, -shift), 0, room)
        owner = np.r_[retained.owner, len(retained.topic) + new.owner]
        start, end = np.r_[start, new.start], np.r_[start + length, new.end]
        topics, documents = np.r_[retained.topic, new.topic], np.r_[retained.document, new.document]
        order = np.lexsort((documents, topics))
        rank = np.argsort(order)
        return self._merged(topics[order], documents[order], rank[owner], start, end)

    def _kept_share(self, mine: Highlights, judged: list[Ints]) -> float:
        r"""Return the share of relevant documents that a second assessor keeps.

        With a share p of the judged documents relevant to either, and a share a of them to both,
        :math:`\kappa = (a - p) / (1 - p)`.
        """
        if self.campaign.document_kappa is None:
            return _shared(self.campaign.document_agreement)
        n_relevant = sum(np.isin(pool, mine.document[mine.topic == number]).sum() for number, pool in enumerate(judged))
        share = float(n_relevant / max(1, sum(map(len, judged))))
        return max(share + self.campaign.document_kappa * (1 - share), np.finfo(float).tiny)


def _shared(agreement: float) -> float:
    return 2 * agreement / (1 + agreement)


def assess_documents(  # noqa: PLR0913 - what an assessment is made of
    generator: np.random.Generator,
    articles: SimulatedArticles,
    highlights: Highlights,
    judged: list[Ints],
    *,
    topics: tuple[str, ...],
    scale: Scale,
    graded: bool,
    source: str,
) -> Assessments:
    """Write down what an assessor says of the documents judged."""
    topic = np.repeat(np.arange(len(judged)), [len(pool) for pool in judged])
    document = np.concatenate([np.empty(0, dtype=np.int64), *judged])
    n_documents = len(articles.names)
    seen = np.isin(highlights.topic * n_documents + highlights.document, topic * n_documents + document)
    marked = highlights.of_pairs(seen)
    pair = np.searchsorted(topic * n_documents + document, marked.topic * n_documents + marked.document)
    names, labels = articles.names[document], np.array(topics, dtype=object)[topic]
    relevant = np.zeros(len(document), dtype=np.int64)
    np.add.at(relevant, pair[marked.owner], marked.end - marked.start)
    entry = np.full(len(document), UNKNOWN)
    entry[pair] = marked.entry
    where = _Where(articles, marked, names[pair], labels[pair])
    if scale == "passages":
        documents = {"relevant_size": relevant, "size": articles.length[document], "best_entry": entry}
        elements, passages = empty_table("elements"), where.passages("offset")
    elif scale == "2005":
        points = np.full(len(document), "", dtype=object)
        if not graded:
            points[pair] = where.points(marked.document, marked.entry)
        size = np.where(relevant > 0, articles.length[document], UNKNOWN)
        documents = {"relevant_size": relevant, "size": size, "best_entry_point": points}
        elements, passages = (
            where.elements(_exhaustivity(generator, where) if graded else None),
            where.passages("point"),
        )
    else:
        documents = {"relevant_size": np.full(len(document), UNKNOWN)}
        irrelevant = np.setdiff1d(np.arange(len(document)), pair)
        roots = {
            "topic": labels[irrelevant],
            "document": names[irrelevant],
            "path": articles.paths[articles.first[document[irrelevant]]],
        }
        elements = where.graded_elements(
            _exhaustivity(generator, where), scale, roots, (topic[irrelevant], document[irrelevant])
        )
        passages = empty_table("passages")
    return Assessments(
        scale=scale,
        documents=table_of("documents", {"topic": labels, "document": names, **documents}),
        elements=elements,
        passages=passages,
        source=source,
    )


class _Where:
    """All elements with highlighted text, with what the assessor highlighted in them."""

    def __init__(
        self, articles: SimulatedArticles, found: Highlights, names: NDArray[np.object_], labels: NDArray[np.object_]
    ) -> None:
        self.articles, self.found, self.names, self.labels = articles, found, names, labels
        element, pair = articles.elements_of(found.document)
        relevant = found.relevant_sizes(articles, element, pair)
        index = np.cumsum(relevant > 0) - 1
        selected = np.flatnonzero(relevant > 0)
        self.element, self.pair, self.relevant = element[selected], pair[selected], relevant[selected]
        self.size = articles.size[self.element]
        begins = np.r_[0, np.cumsum(np.diff(articles.first)[found.document])][:-1]
        within = articles.parent[self.element] - articles.first[found.document[self.pair]]
        self.parent = np.where(within < 0, -1, index[begins[self.pair] + np.maximum(within, 0)])

    def passages(self, kind: Literal["offset", "point"]) -> pd.DataFrame:
        owner, document = self.found.owner, self.found.document[self.found.owner]
        length = self.found.end - self.found.start
        values = {"topic": self.labels[owner], "document": self.names[owner], "length": length}
        if kind == "offset":
            return table_of("passages", values | {"offset": self.found.start})
        ends = self.points(document, self.found.end, behind=1)
        return table_of("passages", values | {"start": self.points(document, self.found.start), "end": ends})

    def points(self, documents: Ints, positions: Ints, *, behind: int = 0) -> NDArray[np.object_]:
        """Name points in text nodes, of inline elements too; an end is a point `behind` the last character."""
        articles = self.articles
        parts = np.flatnonzero((articles.kind == TEXT) | (articles.kind == INLINE))
        places = articles.document[parts] * _FAR + articles.start[parts]
        at = parts[np.searchsorted(places, documents * _FAR + positions - behind, side="right") - 1]
        left = (articles.kind[at] == INLINE) & (positions - behind >= articles.end[at])  # in the text behind it
        holder = np.where(left, articles.parent[at], at)
        leading = articles.start[np.minimum(holder + 1, len(articles.start) - 1)] > articles.start[holder]
        node = np.where(left, at - holder + leading, 1)
        within = positions - np.where(left, articles.end[at], articles.start[at])
        named = zip(articles.paths[holder].tolist(), node.tolist(), within.tolist(), strict=True)
        return np.array([f"{path}/text()[{number}].{character}" for path, number, character in named], dtype=object)

    def elements(self, exhaustivity: Ints | None) -> pd.DataFrame:
        values = self._placed() | {
            "exhaustivity": np.full(len(self.element), 2) if exhaustivity is None else exhaustivity,
            "specificity": self.relevant / self.size,
            "size": self.size,
            "relevant_size": self.relevant,
        }
        return table_of("elements", values)

    def graded_elements(
        self, exhaustivity: Ints, scale: Scale, roots: dict[str, NDArray[np.object_]], of_roots: tuple[Ints, Ints]
    ) -> pd.DataFrame:
        """Put both dimensions in degrees from 1 to 3, without inline elements, which nobody judged.

        Of documents with nothing relevant the root is judged (0, 0).
        """
        judged = self.articles.kind[self.element] != INLINE
        degree = np.where(exhaustivity == TOO_SMALL, 0, exhaustivity) + 1
        share = self.relevant / self.size
        specificity = 1 + (share > 0.33).astype(np.int64) + (share > 0.67)  # noqa: PLR2004 - the mapping of 2005
        if scale == "2002":
            small = (self.size < 4 * _TOO_SHORT) & (degree < 3)  # noqa: PLR2004 - the highest degree
            specificity = np.where(small, 2, np.where(specificity == 3, 3, 1))  # noqa: PLR2004 - S, E and L
        none = np.zeros(len(of_roots[0]), dtype=np.int64)
        values: dict[str, NDArray[np.generic]] = {
            name: np.r_[column[judged], roots[name]] for name, column in self._placed().items()
        }
        values |= {"exhaustivity": np.r_[degree[judged], none], "specificity": np.r_[specificity[judged], none]}
        topics, documents = (
            np.r_[mine[self.pair[judged]], others]
            for mine, others in zip((self.found.topic, self.found.document), of_roots, strict=True)
        )
        order = np.lexsort((documents, topics))
        return table_of("elements", {name: column[order] for name, column in values.items()})

    def _placed(self) -> dict[str, NDArray[np.object_]]:
        return {
            "topic": self.labels[self.pair],
            "document": self.names[self.pair],
            "path": self.articles.paths[self.element],
        }


def _exhaustivity(generator: np.random.Generator, where: _Where) -> Ints:
    """Draw exhaustivity ("?", 1, 2): by the highlighted text, and never below that of what stands inside."""
    size, relevant = where.size, where.relevant
    tiny = np.where(size < _TOO_SHORT, 0.95, 0.3 * np.exp(-(size - _TOO_SHORT) / 150))
    ample = 1 / (
        1 + np.exp(-(np.log(relevant) - np.log(4000) + generator.normal(0, 1, len(where.names))[where.pair]) / 0.6)
    )
    draw = generator.random((2, len(size)))
    degree = np.where(draw[0] < tiny, 0, np.where(draw[1] < ample, 2, 1))
    depth = where.articles.depth[where.element]
    for level in range(int(depth.max(initial=1)), 1, -1):
        rows = np.flatnonzero(depth == level)
        np.maximum.at(degree, where.parent[rows], degree[rows])
    return np.where(degree == 0, TOO_SMALL, degree)
