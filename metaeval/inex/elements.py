"""Collections of XML elements: runs whose results are elements, and what assessors said of those, compiled once.

Elements nest, so a result's worth may depend on what was shown before. An `ElementCollection` therefore holds, for
every topic, the tree of all elements that were assessed or retrieved, in document order, with a pointer from each to
its nearest ancestor; results are positions in that table. Everything else is an array beside it, so re-judging is a
change of one small vector.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_count, check_kind, check_kinds
from metaeval.base.names import first_few
from metaeval.collection.assembly import assemble_collection
from metaeval.collection.base import On, Retrieved, take_segments
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import Collection, CollectionWarning, JudgedCollection
from metaeval.collection.pools import recoded
from metaeval.collection.ranking import RankedRun
from metaeval.errors import InvalidOptionError, warn
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN, Assessments, Scale, Submission, each_run, whole_column
from metaeval.inex.element_runs import ElementRun, Words, checked_elements, checked_run, document_judgments, refuse
from metaeval.inex.element_table import ElementNames, Elements, above, in_document_order, linked_tree, positions_of

_UNSIZED = ("inex2002", "inex2002(quant=strict)", "nxCG(alpha=0)@10", "nxCG(alpha=0)@25", "nxCG(alpha=0)@50")
_SIZED = ("MAep", "nxCG@10", "nxCG@25", "nxCG@50", "MAnxCG@25", "xQ", "inex2002")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ElementCollection(JudgedCollection):
    """Runs of elements and their assessments; made by `element_collection`."""

    on: ClassVar[On] = "elements"
    by_document: Collection = field()  # a field of its own in the place of the inherited property
    """The same runs as lists of documents, each at the rank of its first result among distinct documents. A document
    was judged if it was assessed; its level is 1 if anything in it is relevant, else 0."""
    scale: Scale
    """What exhaustivity and specificity mean."""
    offsets: NDArray[np.int64]
    """List number system * n_topics + topic holds the results ``offsets[i]:offsets[i + 1]``, best first. Shape
    (n_systems * n_topics + 1,)."""
    results: NDArray[np.int32] = field(repr=False)
    """Position of each result among the topic's elements. Shape (n,)."""
    tied: NDArray[np.bool_] = field(repr=False)
    """Whether a result shares its rank with the one before it: equal scores, or equal ranks where there are none.
    Shape (n,)."""
    element_offsets: NDArray[np.int64]
    """The elements of topic t stand at ``element_offsets[t]:element_offsets[t + 1]``. Shape (n_topics + 1,)."""
    elements: Elements = field(repr=False)
    highlighted: NDArray[np.int64] = field(repr=False)
    """Highlighted characters of every assessed document; `UNKNOWN` (-1) where nobody said. Shape (n_judgments,)."""
    document_names: NDArray[np.object_] = field(repr=False)
    path_names: NDArray[np.object_] = field(repr=False)
    """What the codes of `elements` mean."""
    task: str = "focused"
    """Thorough where every run says that it was made for that task, in which overlap costs nothing."""

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The measures to take where none are named: those of the campaigns."""
        sized = bool((self.elements.sizes[self.elements_returned] > 0).all())
        if self.scale == "2005":
            return (*_SIZED, "HiXF@25") if sized else _SIZED
        return (*_SIZED, "inex2002(quant=strict)") if sized else _UNSIZED

    @property
    def n_retrieved(self) -> NDArray[np.int32]:
        """Number of results (elements), shape (n_systems, n_topics)."""
        return np.diff(self.offsets).astype(np.int32).reshape(self.n_systems, self.n_topics)

    @property
    def topic_of_element(self) -> NDArray[np.int64]:
        """Topic position of every element."""
        return np.repeat(np.arange(self.n_topics), np.diff(self.element_offsets))

    @property
    def elements_returned(self) -> NDArray[np.int64]:
        """Position in `elements` of every result."""
        starts = np.tile(self.element_offsets[:-1], self.n_systems)
        return np.repeat(starts, np.diff(self.offsets)) + self.results

    @property
    def in_force(self) -> NDArray[np.bool_]:
        """Which elements are assessed now: those of documents that have not lost their judgment."""
        judgment = self.by_document.topic_offsets[self.topic_of_element] + self.elements.documents
        has_judgment = np.append(self.by_document.levels > 0, False)[
            np.where(self.elements.documents < 0, -1, judgment)
        ]
        return self.elements.assessed & has_judgment

    def place_of(self, element: int) -> str:
        """Say where an element (a position in `elements`) stands, for errors."""
        topic = self.topics[int(np.searchsorted(self.element_offsets, element, side="right")) - 1]
        document = self.document_names[self.elements.names[element]]
        return f"topic {topic!r}, document {document!r}, element {self.path_names[self.elements.paths[element]]}"

    def _with(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of a Collection
        return replace(self, by_document=replace(self.by_document, **changes))

    def judge_further(self, further: NDArray[np.bool_], topics: NDArray[np.integer]) -> Self:
        """Return the collection with these documents (by code) judged: nothing in them is relevant."""
        new = recoded(self.by_document.topic_offsets, further, topics)
        return replace(
            self,
            by_document=self.by_document.judge_further(further, topics),
            highlighted=new.spread(self.highlighted, 0),
        )

    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        offsets, results = take_segments(self.offsets, self._lists(rows, columns))
        element_offsets, elements = take_segments(self.element_offsets, columns)
        _, documents = take_segments(self.by_document.topic_offsets, columns)
        return replace(
            self,
            by_document=self.by_document._part(rows, columns),  # noqa: SLF001 - one family
            offsets=offsets,
            results=self.results[results],
            tied=self.tied[results],
            element_offsets=element_offsets,
            elements=Elements._make(column[elements] for column in self.elements),
            highlighted=self.highlighted[documents],
        )


def element_collection(  # noqa: PLR0913 - the contract of both collections
    submissions: Iterable[Submission],
    assessments: Assessments,
    *,
    limit: int = 1500,
    sizes: pd.DataFrame | None = None,
    lenient: bool = False,
    retrieved: Retrieved = "judged",
) -> ElementCollection:
    """Compile runs of elements and their assessments.

    Parameters
    ----------
    submissions : iterable of Submission
        Results with ``path``; their order is that of the rows. Topics without assessments are ignored and noted.
    assessments : Assessments
        Of the scale "2002", "2003" or "2005".
    limit : int, default 1500
        Results of a topic beyond it are left out and noted, as in the campaigns.
    sizes : pandas.DataFrame, optional
        Characters of elements, columns ``document``, ``path`` and ``size``: for assessments without sizes, and for
        results that were not assessed. Some measures need them.
    lenient : bool, default False
        Whether assessments that break the rules are an error. Otherwise they are repaired and said in a warning: a
        pair outside the scale and an element assessed twice count as not relevant and once; what is only
        inconsistent (a child more exhaustive than its parent) stays.
    retrieved : {"judged", "all"}
        Also keep every retrieved document (``by_document.retrieved``), for building pools.

    Returns
    -------
    ElementCollection
        Systems in the order given.

    Raises
    ------
    InvalidOptionError
        If there is no run, two runs have one name, the scale has no elements, `sizes` contradicts itself, or runs and
        assessments have no topic in common.
    FileFormatError
        If a result is no element, a document is assessed twice for a topic or an element lies in no assessed one, or
        (unless lenient) an assessment breaks a rule; naming the file and line.

    Warns
    -----
    CollectionWarning
        With ``lenient=True``, saying what was repaired.

    Examples
    --------
    >>> documents = pd.DataFrame([{"topic": "1", "document": "d1", "relevant_size": 40}])
    >>> judged = pd.DataFrame(
    ...     [("/a[1]", 2, 0.4, 100, 40), ("/a[1]/p[1]", 1, 1.0, 40, 40)],
    ...     columns=["path", "exhaustivity", "specificity", "size", "relevant_size"],
    ... ).assign(topic="1", document="d1")
    >>> results = pd.DataFrame({"topic": "1", "document": "d1", "path": ["/a[1]/p[1]", "/a[1]/p[7]", "/a[1]"]})
    >>> collection = element_collection(
    ...     [Submission(run="a", results=results)], Assessments(scale="2005", documents=documents, elements=judged)
    ... )
    >>> collection.results.tolist(), collection.elements.parents.tolist()
    ([1, 2, 0], [-1, 0, 0])
    """
    check_kind(assessments, "assessments", "Assessments")
    check_count(limit, "limit")
    if assessments.scale == "passages":
        raise InvalidOptionError("assessments of the scale 'passages' have no exhaustivity; use passage_collection")
    judged = checked_elements(assessments, lenient=lenient)
    judgments = document_judgments(assessments, judged)
    submissions = check_kinds(submissions, "submissions", "Submission")
    runs = each_run(submissions, lambda submission: checked_run(submission, judgments.topics, limit))
    rows = _ElementRows(runs, judged, judgments, assessments)
    elements, by_document = rows.elements(sizes), rows.by_document(retrieved)
    doubts = [*judged.attrs["notes"], *rows.inconsistencies(elements, lenient=lenient)]
    if doubts:
        warn("; ".join(doubts), CollectionWarning)
    thorough = ["thorough" in submission.task.casefold() for submission in submissions]
    notes = (*assessments.notes, *doubts, *_cut_notes(runs), *_task_notes(thorough))
    return ElementCollection(
        by_document=replace(by_document, notes=(*by_document.notes, *notes), undefined="drop"),
        scale=assessments.scale,
        offsets=np.concatenate([[0], np.cumsum(rows.counts)]).astype(np.int64),
        results=(np.searchsorted(rows.keys, rows.of_runs) - rows.offsets[rows.run_topics]).astype(np.int32),
        tied=np.concatenate([run.tied for run in runs.values()]),
        element_offsets=rows.offsets,
        elements=elements,
        highlighted=rows.highlighted(elements),
        document_names=np.asarray(rows.names.documents, dtype=object),
        path_names=np.asarray(rows.names.paths, dtype=object),
        task="thorough" if all(thorough) else "focused",
    )


class _ElementRows:
    """What was assessed or retrieved, each once and in the order of `Elements`: what a collection is compiled from."""

    def __init__(
        self, runs: dict[str, ElementRun], judged: pd.DataFrame, judgments: Judgments, assessments: Assessments
    ) -> None:
        self.runs, self.judged, self.judgments, self.assessments = runs, judged, judgments, assessments
        ids = np.array([name.decode() for name in judgments.document_ids.tolist()], dtype=object)
        self.names = names = ElementNames(
            pd.Index(judgments.topics, dtype=object),
            pd.Index(pd.unique(np.concatenate([ids, *(run.documents.names for run in runs.values())])), dtype=object),
            in_document_order([Words.of(judged["path"]), *(run.paths for run in runs.values())]),
        )
        self.run_topics = np.concatenate([run.topics for run in runs.values()])
        self.run_documents = np.concatenate([run.documents.within(names.documents) for run in runs.values()])
        run_paths = np.concatenate([run.paths.within(names.paths) for run in runs.values()])
        self.of_runs = names.keys(self.run_topics, self.run_documents, run_paths)
        judged_keys = names.keys(
            *(Words.of(judged[kind]).within(i) for kind, i in zip(("topic", "document", "path"), names, strict=True))
        )
        keys = np.sort(np.concatenate([judged_keys, self.of_runs]))
        self.keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]  # np.unique takes longer
        self.of_judged = np.searchsorted(self.keys, judged_keys)
        self.topics, self.documents, self.paths = names.parts(self.keys)
        self.offsets = np.searchsorted(self.topics, np.arange(len(names.topics) + 1)).astype(np.int64)
        self.starts = self.offsets[self.topics]
        self.counts = np.stack([np.bincount(run.topics, minlength=len(names.topics)) for run in runs.values()])
        topics_of_ids = np.repeat(np.arange(len(names.topics)), np.diff(judgments.topic_offsets))
        self.id_keys = self._lists(topics_of_ids, names.documents.get_indexer(pd.Index(ids, dtype=object)))
        self.judgment = positions_of(self.id_keys, self._lists(self.topics, self.documents))

    def _lists(self, topics: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number for every topic and document."""
        return topics * len(self.names.documents) + documents

    def elements(self, sizes: pd.DataFrame | None) -> Elements:
        """Return the rows as a tree, with what was said of them."""
        n_rows, documents = len(self.keys), self._lists(self.topics, self.documents)
        parents, stops = linked_tree(documents, self.paths, self.names.path_stops(), self.starts)
        within = self.judgment - self.judgments.topic_offsets[self.topics]
        bare = Elements(
            parents=parents,
            stops=stops,
            documents=np.where(self.judgment < 0, -1, within).astype(np.int32),
            names=self.documents.astype(np.int32),
            paths=self.paths.astype(np.int32),
            assessed=np.zeros(n_rows, dtype=bool),
            exhaustivity=np.zeros(n_rows, dtype=np.int8),
            specificity=np.zeros(n_rows),
            fully_specific=np.zeros(n_rows, dtype=bool),
            sizes=self.names.known_sizes(sizes, self.documents, self.paths),
            relevant_sizes=np.full(n_rows, UNKNOWN, dtype=np.int64),
        )
        return bare.with_assessments(self.of_judged, self.judged, self.assessments.scale)

    def by_document(self, retrieved: Retrieved) -> Collection:
        """Rank the documents of every list by their first result."""
        shape, documents = self.counts.shape, self.run_documents
        judgments = positions_of(self.id_keys, self._lists(self.run_topics, documents))
        lists = np.repeat(np.arange(self.counts.size), self.counts.ravel())
        _, first = np.unique(self._lists(lists, documents), return_index=True)
        first.sort()
        lists, documents, judgments = lists[first], documents[first], judgments[first]
        places = first + 1 - (np.cumsum(self.counts.ravel()) - self.counts.ravel())[lists]
        n_retrieved = np.bincount(lists, minlength=self.counts.size)
        ranks = np.arange(1, len(lists) + 1) - np.repeat(np.cumsum(n_retrieved) - n_retrieved, n_retrieved)
        n_judged = np.bincount(lists[judgments >= 0], minlength=self.counts.size).reshape(shape)
        n_judgments = len(self.judgments.levels)
        strange = judgments < 0
        own_codes, names = pd.factorize(self._lists(lists % shape[1], documents)[strange])
        codes = judgments.copy()
        codes[strange] = n_judgments + own_codes
        bounds = np.searchsorted(lists, np.arange(0, self.counts.size + 1, shape[1]))
        ranked = {}
        for system, (name, span) in enumerate(zip(self.runs, map(slice, bounds[:-1], bounds[1:]), strict=True)):
            judged = judgments[span] >= 0
            ranked[name] = RankedRun(
                n_retrieved=n_retrieved.reshape(shape)[system],
                n_judged=n_judged[system],
                ranks=ranks[span][judged].astype(np.int32),
                judgments=judgments[span][judged].astype(np.int32),
                codes=codes[span].astype(np.int32) if retrieved == "all" else None,
                first=places[span].astype(np.int32) if retrieved == "all" else None,
            )
        answered = frozenset().union(*(run.answered for run in self.runs.values()))
        return assemble_collection(self.judgments, ranked, answered, n_codes=n_judgments + len(names))

    def highlighted(self, elements: Elements) -> NDArray[np.int64]:
        """Return the highlighted characters of every assessed document: as said, else those of topmost elements."""
        documents, judgment = self.assessments.documents, self.judgment
        topics = Words.of(documents["topic"]).within(self.names.topics)
        keys = self._lists(topics, Words.of(documents["document"]).within(self.names.documents))
        stated = whole_column(documents, "relevant_size", source=self.assessments.source)[
            positions_of(keys, self.id_keys)
        ]
        top = elements.assessed & (judgment >= 0) & (above(elements.parents, self.starts, elements.assessed) < 0)
        sums = np.bincount(judgment[top], weights=elements.relevant_sizes[top], minlength=len(stated))
        unknown = np.bincount(judgment[top & (elements.relevant_sizes < 0)], minlength=len(stated)) > 0
        return np.where(stated >= 0, stated, np.where(unknown, UNKNOWN, sums)).astype(np.int64)

    def inconsistencies(self, elements: Elements, *, lenient: bool) -> list[str]:
        """Find elements that are more exhaustive than one around them, which no assessor means."""
        if self.assessments.scale == "2002":
            return []
        parents = above(elements.parents, self.starts, elements.assessed)
        degrees = np.where(elements.exhaustivity == TOO_SMALL, 0.5, elements.exhaustivity.astype(np.float64))
        wrong = (parents >= 0) & (degrees > degrees[self.starts + np.maximum(parents, 0)])
        if not wrong.any():
            return []
        rule = "the element is more exhaustive than the one around it"
        if not lenient:
            words = f"{rule}; `lenient=True` takes it as it is"
            refuse(self.judged, wrong[self.of_judged], words, self.assessments.source, "")
        return [f"{rule}: {int(wrong.sum())} (taken as they are)"]


def _task_notes(thorough: list[bool]) -> list[str]:
    """Say what measures do with overlap where runs were made for a task in which it costs nothing."""
    if not any(thorough):
        return []
    share_of_runs = f"{sum(thorough)} of {len(thorough)} runs"
    words = f"{share_of_runs} say that they are of the thorough task, in which overlap costs nothing"
    measures = "nxCG, MAep and the measures made of them"
    if all(thorough):
        return [f"{words}: {measures} take it so, unless asked with task=focused"]
    return [f"{words}; {measures} count it as in the focused task, unless asked with task=thorough"]


def _cut_notes(runs: dict[str, ElementRun]) -> list[str]:
    cut = {name: run.cut for name, run in runs.items() if run.cut}
    if not cut:
        return []
    return [f"lists cut to their limit: {sum(cut.values())} ({first_few(cut)})"]
