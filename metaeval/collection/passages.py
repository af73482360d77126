"""Collections of passages: per system and topic the results in documents with highlighted text, compiled once.

A measure of passages depends on how many highlighted characters each result holds, and on how many characters were
read by then. Results in documents without highlighted text only add to what was read, so the running count says all
of them, and a `PassageCollection` keeps the other results alone. Re-judging it is a change of one small vector.
"""

from collections.abc import Collection as Sized
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.collection.documents import Collection, assemble_collection, take_segments
from metaeval.collection.inex import Assessments, Submission
from metaeval.collection.passage_runs import CompiledRun, HighlightedText, JudgedText, Results, compiled_run
from metaeval.collection.ranking import RankedRun
from metaeval.errors import InvalidOptionError
from metaeval.parallel import track
from metaeval.scores import Missing

__all__ = ["FAULTS", "HighlightedText", "PassageCollection", "Results", "passage_collection"]

FAULTS = {
    "overlap": "overlaps an earlier result of the same document",
    "interleaved": "comes back to a document after results of another one",
    "repeated": "is not the only result of its document",
    "no length": "is an entry point without a length",
}
"""What a task may forbid, and how an error says it."""

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageCollection:
    """Runs of passages and highlighted text of one test collection.

    Attributes
    ----------
    by_document : Collection
        The same runs as lists of documents, each at the rank of its first result among distinct documents. The
        judgments are the completely assessed documents: level 1 with highlighted text, else 0. Its systems, topics,
        groups, pooled runs and notes are those of the passages too.
    offsets : int64 array (n_systems * n_topics + 1,)
        List number system * n_topics + topic is the part ``offsets[i]:offsets[i + 1]`` of `results`.
    results : Results
    text : HighlightedText
    n_retrieved : int32 array (n_systems, n_topics)
        Number of results; 0 where the run does not answer the topic.
    n_characters, n_unseen_characters : int64 array (n_systems, n_topics)
        Characters of all results of a list, and those in no earlier result of the same document.
    faults : pandas.DataFrame
        What some task forbids: the first of each kind (`FAULTS`) in every list, with ``system``, ``topic``, ``kind``,
        ``document``, ``source`` and ``line``.
    limit : int
        Results of a list beyond it were left out.
    """

    by_document: Collection
    offsets: NDArray[np.int64]
    results: Results = field(repr=False)
    text: HighlightedText = field(repr=False)
    n_retrieved: NDArray[np.int32]
    n_characters: NDArray[np.int64]
    n_unseen_characters: NDArray[np.int64]
    faults: pd.DataFrame = field(repr=False)
    limit: int

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.by_document.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics of the assessments in natural order, also those with nothing highlighted."""
        return self.by_document.topics

    @property
    def n_systems(self) -> int:
        """Number of runs."""
        return self.by_document.n_systems

    @property
    def n_topics(self) -> int:
        """Number of topics, those with nothing highlighted included."""
        return self.by_document.n_topics

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Group of every run."""
        return self.by_document.groups

    @property
    def pooled(self) -> NDArray[np.bool_] | None:
        """Which runs built the pool that was judged."""
        return self.by_document.pooled

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading and compiling had to say."""
        return self.by_document.notes

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Where a run has at least one result, shape (n_systems, n_topics)."""
        return self.n_retrieved > 0

    def rejudge(self, levels: NDArray[np.integer]) -> "PassageCollection":
        """Return the same runs under other judgments of documents.

        Parameters
        ----------
        levels : integer array (n_judgments,)
            As for `Collection.rejudge`, of ``by_document``. A document keeps all its highlighted text if its level is
            above 0, and loses all of it otherwise.

        Raises
        ------
        InvalidOptionError
            If the number of levels differs, or a level is no 16-bit whole number.
        """
        return replace(self, by_document=self.by_document.rejudge(levels))

    def select(
        self, *, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None
    ) -> "PassageCollection":
        """Return a part of the collection, in the order named.

        Parameters
        ----------
        systems, topics : iterable of str, optional
            Names to keep; all of them by default.

        Raises
        ------
        UnknownNameError
            If a name is not in the collection.
        InvalidOptionError
            If a name stands twice or nothing would be left.
        """
        return self._parts_of(self.by_document.select(systems=systems, topics=topics))

    def handle_missing(self, missing: Missing = "zero") -> "PassageCollection":
        """Decide what happens where a run lacks a topic with highlighted text, as `Collection.handle_missing` does."""
        return self._parts_of(self.by_document.handle_missing(missing))

    def with_groups(
        self,
        groups: Mapping[str, str] | pd.Series | None = None,
        *,
        pooled: Mapping[str, bool] | pd.Series | Iterable[str] | None = None,
    ) -> "PassageCollection":
        """Return the collection with a group for every run, or the pooled runs, as `Collection.with_groups` does."""
        return replace(self, by_document=self.by_document.with_groups(groups, pooled=pooled))

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
        found = self.faults[self.faults["kind"].isin(list(kinds))]
        if found.empty:
            return
        first = found.iloc[0]
        parts = (first["source"], f"line {first['line']}" if first["line"] > 0 else "")
        place = ", ".join(part for part in parts if part)
        runs = found["system"].unique()
        message = (
            f"{place + ': ' if place else ''}run {first['system']!r}, topic {first['topic']!r}, document "
            f"{first['document']!r}: a result {FAULTS[first['kind']]}, which {task} does not allow"
            + (f" ({len(runs)} runs do so)" if len(runs) > 1 else "")
            + "; repair the run, leave it out with select(systems=…), or choose a measure that allows it"
        )
        raise InvalidOptionError(message)

    def _parts_of(self, kept: Collection) -> "PassageCollection":
        """Return what belongs to the systems and topics of a part of `by_document`."""
        if kept.systems == self.systems and kept.topics == self.topics:
            return replace(self, by_document=kept)
        rows = np.array([self.systems.index(name) for name in kept.systems])
        columns = np.array([self.topics.index(name) for name in kept.topics])
        offsets, entries = take_segments(self.offsets, (rows[:, None] * self.n_topics + columns).ravel())
        _, documents = take_segments(self.by_document.topic_offsets, columns)
        moved = np.full(self.by_document.n_judgments, -1, dtype=np.int32)
        moved[documents] = np.arange(len(documents), dtype=np.int32)
        results = Results._make(column[entries] for column in self.results)
        passage_offsets, passages = take_segments(self.text.offsets, documents)
        cells = np.ix_(rows, columns)
        return replace(
            self,
            by_document=kept,
            offsets=offsets,
            results=results._replace(documents=moved[results.documents]),
            text=HighlightedText(
                relevant_sizes=self.text.relevant_sizes[documents],
                sizes=self.text.sizes[documents],
                best_entries=self.text.best_entries[documents],
                offsets=passage_offsets,
                starts=self.text.starts[passages],
                stops=self.text.stops[passages],
            ),
            n_retrieved=self.n_retrieved[cells],
            n_characters=self.n_characters[cells],
            n_unseen_characters=self.n_unseen_characters[cells],
            faults=self.faults[
                self.faults["system"].isin(list(kept.systems)) & self.faults["topic"].isin(list(kept.topics))
            ],
        )


def passage_collection(
    submissions: Iterable[Submission], assessments: Assessments, *, limit: int = 1500, keep_all: bool = False
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
    keep_all : bool
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
    >>> from metaeval.collection.inex import Assessments, Submission
    >>> row = {"topic": "1", "document": "d1", "offset": 0, "length": 50}
    >>> judged = Assessments(
    ...     scale="passages", documents=pd.DataFrame([row | {"relevant_size": 50}]), passages=pd.DataFrame([row])
    ... )
    >>> run = Submission(run="a", results=pd.DataFrame([row | {"offset": 30, "length": 80}]))
    >>> collection = passage_collection([run], judged)
    >>> collection.results.relevant.tolist(), collection.n_characters.tolist()
    ([20], [[80]])
    """
    if limit < 1:
        message = f"limit must be at least 1, not {limit!r}"
        raise InvalidOptionError(message)
    judged = JudgedText.of(assessments)
    runs: dict[str, CompiledRun] = {}
    sources: dict[str, str] = {}
    for submission in track(list(submissions), description="runs"):
        if submission.run in runs:
            message = (
                f"two runs are called {submission.run!r} ({sources[submission.run] or 'no file'} and "
                f"{submission.source or 'no file'}); run names must be unique"
            )
            raise InvalidOptionError(message)
        runs[submission.run] = compiled_run(submission, judged, limit)
        sources[submission.run] = submission.source
    if not runs:
        message = "there is no run; give at least one"
        raise InvalidOptionError(message)
    return _assembled(runs, judged, limit, keep_all=keep_all)


def _assembled(runs: dict[str, CompiledRun], judged: JudgedText, limit: int, *, keep_all: bool) -> PassageCollection:
    compiled = list(runs.values())
    n_judgments = len(judged.judgments.levels)
    ranked = [run.ranked for run in compiled]
    n_codes = n_judgments
    if keep_all:
        ranked, n_codes = _with_codes(compiled, n_judgments)
    notes = list(judged.notes)
    for what, counts in (
        (f"lists cut to {limit} results", [run.cut for run in compiled]),
        ("results that reach beyond the end of their document", [run.beyond for run in compiled]),
    ):
        if any(counts):
            concerned = [name for name, count in zip(runs, counts, strict=True) if count]
            more = ", …" if len(concerned) > _SHOWN else ""
            notes.append(f"{what}: {sum(counts)} ({', '.join(concerned[:_SHOWN])}{more})")
    by_document = assemble_collection(
        judged.judgments,
        {name: run if keep_all else run._replace(codes=None) for name, run in zip(runs, ranked, strict=True)},
        frozenset().union(*(run.answered for run in compiled)),
        n_codes=n_codes,
        notes=tuple(notes),
    )
    n_results = np.concatenate([run.n_results for run in compiled])
    faults = [run.faults for run in compiled if not run.faults.empty]
    return PassageCollection(
        by_document=by_document,
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
    parts = np.split(codes + n_judgments, np.cumsum([len(own) for own in keys])[:-1])
    ranked = []
    for run, part in zip(runs, parts, strict=True):
        assert run.ranked.codes is not None  # noqa: S101 - every run was compiled with codes
        own = run.ranked.codes.copy()
        own[own < 0] = part
        ranked.append(run.ranked._replace(codes=own))
    return ranked, n_judgments + len(different)
