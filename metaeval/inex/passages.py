"""Collections of passages: per system and topic the results in documents with highlighted text, compiled once.

A measure of passages depends on how many highlighted characters each result holds, and on how many characters were
read by then. Results in documents without highlighted text only add to what was read, so the running count says all
of them, and a `PassageCollection` keeps the other results alone. Re-judging it is a change of one small vector.
"""

from collections.abc import Collection as Sized
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_count, check_kind, check_kinds
from metaeval.base.names import first_few
from metaeval.collection.assembly import assemble_collection
from metaeval.collection.base import On, Retrieved, renumbered, take_segments
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.collection.pools import recoded
from metaeval.collection.ranking import RankedRun
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Assessments, Submission, each_run
from metaeval.inex.highlighted_text import HighlightedText, JudgedText
from metaeval.inex.passage_runs import CompiledRun, Results, compiled_run

_BEST = ("AgP(mode=best)", "gP(mode=best)@5", "gP(mode=best)@10", "gP(mode=best)@25", "gR@10")
_PRECISIONS = (0, 0.01, 0.05, 0.1)

FAULTS = {
    "overlap": "overlaps an earlier result of the same document",
    "interleaved": "comes back to a document after results of another one",
    "repeated": "is not the only result of its document",
    "no length": "is an entry point without a length",
}
"""What a task may forbid, and how an error says it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageCollection(JudgedCollection):
    """Runs of passages and highlighted text of one test collection."""

    on: ClassVar[On] = "passages"
    by_document: Collection = field()  # a field of its own in the place of the inherited property
    """The same runs as lists of documents, each at the rank of its first result among distinct documents. The
    judgments are the completely assessed documents: level 1 with highlighted text, else 0. Its systems, topics,
    groups, pooled runs and notes are those of the passages too."""
    offsets: NDArray[np.int64]
    """List number system * n_topics + topic is the part ``offsets[i]:offsets[i + 1]`` of `results`. Shape (n_systems *
    n_topics + 1,)."""
    results: Results = field(repr=False)
    text: HighlightedText = field(repr=False)
    n_retrieved: NDArray[np.int32] = field()
    """Number of results; 0 where the run does not answer the topic. Shape (n_systems, n_topics)."""
    n_characters: NDArray[np.int64]
    n_unseen_characters: NDArray[np.int64]
    """Characters of all results of a list, and those in no earlier result of the same document. Shape (n_systems,
    n_topics)."""
    faults: pd.DataFrame = field(repr=False)
    """What some task forbids: the first of each kind (`FAULTS`) in every list, with ``system``, ``topic``, ``kind``,
    ``document``, ``source`` and ``line``."""
    limit: int
    """Results of a list beyond it were left out."""

    @property
    def usual_metrics(self) -> tuple[str, ...]:
        """The measures to take where none are named: those of the campaigns."""
        faults = set(self.faults["kind"])
        if "no length" in faults:
            return ("AP", "P@10") if "repeated" in faults else _BEST
        form = "(overlap=thorough)" if "overlap" in faults else ""
        focused = (f"AiP{form}", *(f"iP{form}@{share:g}" for share in _PRECISIONS))
        return focused if faults & {"overlap", "interleaved"} else (*focused, "AgP", "gP@10", "gR@10")

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Where a run has at least one result, shape (n_systems, n_topics)."""
        return self.n_retrieved > 0

    def refuse(self, kinds: Sized[str], *, task: str) -> None:
        """Refuse runs that do what a task forbids.

        Parameters
        ----------
        kinds : collection of str
            Keys of `FAULTS`.
        task : str
            Who forbids it, as the error says it.

        Raises
        ------
        InvalidOptionError
            Naming run, topic, document, file and line of the first such result, and how many runs are concerned.
        """
        faults = self.faults[self.faults["kind"].isin(list(kinds))]
        if faults.empty:
            return
        first = faults.iloc[0]
        parts = (first["source"], f"line {first['line']}" if first["line"] > 0 else "")
        location = ", ".join(piece for piece in parts if piece)
        runs = faults["system"].unique()
        raise InvalidOptionError(
            f"{location + ': ' if location else ''}run {first['system']!r}, topic {first['topic']!r}, document "
            f"{first['document']!r}: a result {FAULTS[first['kind']]}, which {task} does not allow"
            + (f" ({len(runs)} runs do so)" if len(runs) > 1 else "")
            + "; repair the run, leave it out, or choose a measure that allows it"
        )

    def _with(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of a Collection
        return replace(self, by_document=replace(self.by_document, **changes))

    def judge_further(self, further: NDArray[np.bool_], topics: NDArray[np.integer]) -> Self:
        """Return the collection with these documents (by code) judged: nothing in them is highlighted."""
        new = recoded(self.by_document.topic_offsets, further, topics)
        text = self.text
        passages = new.spread(np.diff(text.offsets), 0)
        return replace(
            self,
            by_document=self.by_document.judge_further(further, topics),
            results=self.results._replace(documents=new.moved[self.results.documents]),
            text=text._replace(
                relevant_sizes=new.spread(text.relevant_sizes, 0),
                sizes=new.spread(text.sizes, -1),
                best_entries=new.spread(text.best_entries, -1),
                offsets=np.concatenate([[0], np.cumsum(passages)]).astype(np.int64),
            ),
        )

    def _part(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Self:
        offsets, entries = take_segments(self.offsets, self._lists(rows, columns))
        _, documents = take_segments(self.by_document.topic_offsets, columns)
        moved = renumbered(documents, self.by_document.n_judgments)
        results = Results._make(column[entries] for column in self.results)
        passage_offsets, passages = take_segments(self.text.offsets, documents)
        cells = np.ix_(rows, columns)
        relevant, sizes, points = (column[documents] for column in self.text[:3])
        starts, stops = self.text.starts[passages], self.text.stops[passages]
        of_systems = self.faults["system"].isin([self.systems[row] for row in rows])
        of_topics = self.faults["topic"].isin([self.topics[column] for column in columns])
        return replace(
            self,
            by_document=self.by_document._part(rows, columns),  # noqa: SLF001 - one family
            offsets=offsets,
            results=results._replace(documents=moved[results.documents]),
            text=HighlightedText(relevant, sizes, points, passage_offsets, starts, stops),
            n_retrieved=self.n_retrieved[cells],
            n_characters=self.n_characters[cells],
            n_unseen_characters=self.n_unseen_characters[cells],
            faults=self.faults[of_systems & of_topics],
        )


def passage_collection(
    submissions: Iterable[Submission], assessments: Assessments, *, limit: int = 1500, retrieved: Retrieved = "judged"
) -> PassageCollection:
    """Compile runs of passages and their assessments.

    Parameters
    ----------
    submissions : iterable of Submission
        Results with ``offset`` and ``length``; their order is that of the rows. Topics without assessments are
        ignored and noted.
    assessments : Assessments
        Documents with their sizes and passages by offset. ``relevant_size`` is taken as it stands: it is what recall
        is measured against, also where the passages do not add up to it.
    limit : int, default 1500
        Results of a topic beyond it are left out and noted, as in the campaigns.
    retrieved : {"judged", "all"}
        Also keep every retrieved document (``by_document.retrieved``), for building pools.

    Returns
    -------
    PassageCollection
        Systems in the order given. Whatever a task may forbid (overlapping results, an article that comes back) is
        kept in ``faults``; the measures of that task refuse it.

    Raises
    ------
    InvalidOptionError
        If there is no run, two runs have one name, a document is assessed twice, passages of a document overlap or lie
        in no assessed one, a size or length is negative, or runs and assessments have no topic in common.
    FileFormatError
        If a result is an element without an offset, or its place or length is none.

    Examples
    --------
    >>> import pandas as pd
    >>> from metaeval.inex.assessments import Assessments, Submission
    >>> row = {"topic": "1", "document": "d1", "offset": 0, "length": 50}
    >>> judged = Assessments(
    ...     scale="passages", documents=pd.DataFrame([row | {"relevant_size": 50}]), passages=pd.DataFrame([row])
    ... )
    >>> run = Submission(run="a", results=pd.DataFrame([row | {"offset": 30, "length": 80}]))
    >>> collection = passage_collection([run], judged)
    >>> collection.results.relevant.tolist(), collection.n_characters.tolist()
    ([20], [[80]])
    """
    check_kind(assessments, "assessments", "Assessments")
    check_count(limit, "limit")
    judged = JudgedText.of(assessments)
    submissions = check_kinds(submissions, "submissions", "Submission")
    runs = each_run(submissions, lambda submission: compiled_run(submission, judged, limit))
    return _assembled(runs, judged, limit, retrieved=retrieved)


def _assembled(
    runs: dict[str, CompiledRun], judged: JudgedText, limit: int, *, retrieved: Retrieved
) -> PassageCollection:
    compiled = list(runs.values())
    n_judgments = len(judged.judgments.levels)
    ranked = [run.ranked for run in compiled]
    n_codes = n_judgments
    if retrieved == "all":
        ranked, n_codes = _with_codes(compiled, n_judgments)
    notes = list(judged.notes)
    for note, counts in (
        (f"lists cut to {limit} results", [run.cut for run in compiled]),
        ("results that reach beyond the end of their document", [run.beyond for run in compiled]),
    ):
        if any(counts):
            concerned = [name for name, count in zip(runs, counts, strict=True) if count]
            notes.append(f"{note}: {sum(counts)} ({first_few(concerned)})")
    by_document = assemble_collection(
        judged.judgments,
        dict(zip(runs, ranked, strict=True)),
        frozenset().union(*(run.answered for run in compiled)),
        n_codes=n_codes,
        notes=tuple(notes),
    )
    n_results = np.concatenate([run.n_results for run in compiled])
    faults = [run.faults for run in compiled if not run.faults.empty]
    return PassageCollection(
        by_document=replace(by_document, undefined="drop"),
        offsets=np.concatenate([[0], np.cumsum(n_results)]).astype(np.int64),
        results=Results._make(map(np.concatenate, zip(*(run.results for run in compiled), strict=True))),
        text=judged.text,
        n_retrieved=np.stack([run.n_retrieved for run in compiled]).astype(np.int32),
        n_characters=np.stack([run.n_characters for run in compiled]),
        n_unseen_characters=np.stack([run.n_unseen_characters for run in compiled]),
        faults=pd.concat(faults, ignore_index=True) if faults else compiled[0].faults,
        limit=limit,
    )


def _with_codes(runs: list[CompiledRun], n_judgments: int) -> tuple[list[RankedRun], int]:
    """Return the ranked runs with one code for every unjudged document of a topic, shared by all runs."""
    numbers, _ = pd.factorize(np.concatenate([run.names for run in runs]))
    shifts = np.cumsum([0, *(len(run.names) for run in runs)])
    keys = [
        run.unjudged_topics * (shifts[-1] + 1) + numbers[run.unjudged + shift]
        for run, shift in zip(runs, shifts[:-1], strict=True)
    ]
    codes, different = pd.factorize(np.concatenate(keys))
    parts = np.split(codes + n_judgments, np.cumsum([len(run_codes) for run_codes in keys])[:-1])
    ranked = []
    for run, new_codes in zip(runs, parts, strict=True):
        run_codes = run.codes.copy()
        run_codes[run_codes < 0] = new_codes
        ranked.append(run.ranked._replace(codes=run_codes, first=run.first))
    return ranked, n_judgments + len(different)
