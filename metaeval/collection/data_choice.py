"""Choosing data: the systems and topics that a study is about, by name or at random."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
import xarray as xr

from metaeval.base.checks import check_count
from metaeval.base.names import natural_order, split_at_commas
from metaeval.base.notes import KeptGaps
from metaeval.base.unit import TOPIC, Unit, unit_of
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.running.draws import RandomSource, RNGLike, resolve_rng
from metaeval.table.named_repeats import system_of_repeat
from metaeval.table.scores import as_scores


def choose_data[Data: (xr.DataArray, JudgedCollection)](  # noqa: PLR0913 - what may be chosen
    data: Data,
    *,
    systems: Iterable[str] | None = None,
    exclude_systems: Iterable[str] = (),
    topics: Iterable[str] | None = None,
    exclude_topics: Iterable[str] = (),
    n_topics: int | None = None,
    rng: RNGLike = None,
) -> Data:
    """Select systems and topics of scores or of a collection.

    Parameters
    ----------
    data : Scores or JudgedCollection
        Scores, or runs with judgments. Of a collection that keeps all results, runs left out stay part of the pool.
    systems, topics : iterable of str, optional
        Names to keep; all by default.
    exclude_systems, exclude_topics : iterable of str
        Names to leave out of those. ``*`` stands for any text, ``?`` for one sign, ``[ab]`` for one of these, unless
        something is called just so.
    n_topics : int, optional
        Size of a random sample of the topics left, drawn without replacement. The draw goes by name,  so the order of
        the topics does not change it.
    rng : None, int or Generator
        Used only with `n_topics`.

    Returns
    -------
    Scores or JudgedCollection
        In the order of `data`, with a note of what was left out.

    Raises
    ------
    UnknownNameError
        If a name is not in the data.
    InvalidOptionError
        If a name appears twice, what is to be left out matches nothing or leaves nothing, or there are fewer topics
        than `n_topics`.

    See Also
    --------
    metaeval.read_scores
    metaeval.as_scores

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=5, n_topics=20, metrics=["AP"], rng=1)
    >>> chosen = choose_data(scores, exclude_systems=["system5"], n_topics=10, rng=1)
    >>> chosen.sizes["system"], chosen.sizes["topic"]
    (4, 10)
    >>> chosen.attrs["notes"][-2:]
    ['systems chosen: 4 of 5', 'topics chosen: 10 of 20, at random (seed 1)']
    """
    choice = DataChoice.checked(
        systems=systems,
        exclude_systems=exclude_systems,
        topics=topics,
        exclude_topics=exclude_topics,
        n_topics=n_topics,
        rng=rng,
    )
    if isinstance(data, JudgedCollection):
        return choice.of_collection(data)
    return as_scores(choice.of_scores(as_scores(data, missing="pairwise", fewest=1)), missing="pairwise", fewest=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataChoice:
    """What `choose_data` is asked for, for readers that must choose before they look for gaps."""

    systems: tuple[str, ...] | None
    exclude_systems: tuple[str, ...]
    topics: tuple[str, ...] | None
    exclude_topics: tuple[str, ...]
    n_topics: int | None
    source: RandomSource
    lists: Mapping[str, tuple[str, Mapping[str, int]]] = field(default_factory=dict)
    """By dimension, the file that its names were read from, and the line of each."""
    by_comma: bool = False
    """Whether a text that fits no name may hold several names to leave out, by comma."""

    @classmethod
    def checked(  # noqa: PLR0913 - as `choose_data`
        cls,
        *,
        systems: Iterable[str] | None = None,
        exclude_systems: Iterable[str] = (),
        topics: Iterable[str] | None = None,
        exclude_topics: Iterable[str] = (),
        n_topics: int | None = None,
        rng: RNGLike = None,
        lists: Mapping[str, tuple[str, Mapping[str, int]]] | None = None,
        by_comma: bool = False,
    ) -> "DataChoice":
        """Return the choice, whose names are looked for only in data; options as `choose_data`, and attributes."""
        if n_topics is not None:
            check_count(n_topics, "n_topics")
        return cls(
            systems=None if systems is None else _texts(systems, "systems"),
            exclude_systems=_texts(exclude_systems, "exclude_systems"),
            topics=None if topics is None else _texts(topics, "topics"),
            exclude_topics=_texts(exclude_topics, "exclude_topics"),
            n_topics=n_topics,
            source=resolve_rng(rng),
            lists=lists or {},
            by_comma=by_comma,
        )

    @property
    def of_systems(self) -> bool:
        """Whether systems are chosen, and not topics alone."""
        return self.systems is not None or bool(self.exclude_systems)

    def of_scores(self, scores: xr.DataArray) -> xr.DataArray:
        """Return the part of the scores, whose gaps stay to be looked at; a note says what was left out."""
        systems, topics = (scores[dim].to_numpy().tolist() for dim in ("system", "topic"))
        rows, columns, notes = self._kept(systems, topics, unit_of(scores))
        if not notes:
            return scores
        selected = scores.isel(system=rows, topic=columns)
        earlier = [note for note in scores.attrs.get("notes", []) if not isinstance(note, KeptGaps)]
        return selected.assign_attrs(scores.attrs | {"notes": [*earlier, *notes]})

    def of_collection[Judged: JudgedCollection](self, collection: Judged) -> Judged:
        """Return the part of the collection, with a note of what was left out."""
        rows, columns, notes = self._kept(list(collection.systems), list(collection.topics), TOPIC)
        if not notes:
            return collection
        left = [name for index, name in enumerate(collection.systems) if index not in set(rows)]
        remaining = collection.set_aside(left) if collection.by_document.retrieved is not None else collection
        names = [collection.systems[index] for index in rows]
        return remaining.select(systems=names, topics=[collection.topics[index] for index in columns]).with_notes(notes)

    def _kept(self, systems: list[str], topics: list[str], spoken: Unit) -> tuple[list[int], list[int], list[str]]:
        """Return the places of what is kept, and notes."""
        selected = {
            "system": self._without(self._named(systems, self.systems, "system"), self.exclude_systems, "system"),
            "topic": self._without(self._named(topics, self.topics, "topic"), self.exclude_topics, "topic"),
        }
        how = ""
        if self.n_topics is not None:
            left = selected["topic"]
            if self.n_topics > len(left):
                message = f"`n_topics` must be at most {len(left)}, the topics to draw from, not {self.n_topics}"
                raise InvalidOptionError(message)
            drawn = self.source.generator.choice(np.array(natural_order(left)), size=self.n_topics, replace=False)
            selected["topic"] = [name for name in left if name in set(drawn.tolist())]
            among = "" if len(left) == len(topics) else f"{self.n_topics} of {len(left)} "
            how = f", {among}at random ({self.source.description})"
        names_of, called = {"system": systems, "topic": topics}, {"system": "systems", "topic": spoken.topics}
        notes = [
            f"{called[dim]} chosen: {len(selected[dim])} of {len(names_of[dim])}{how if dim == 'topic' else ''}"
            for dim in names_of
            if len(selected[dim]) < len(names_of[dim])
        ]
        rows, columns = (
            [index for index, name in enumerate(names) if name in chosen]
            for names, chosen in ((systems, set(selected["system"])), (topics, set(selected["topic"])))
        )
        return rows, columns, notes

    def _named(self, known: list[str], names: tuple[str, ...] | None, dim: str) -> list[str]:
        if names is None:
            return known
        there = set(known)
        missing = next((name for name in names if name not in there), None)
        if missing is not None:
            error = UnknownNameError(dim, missing, known, synonyms=_of_repeats(missing, known))
            if dim not in self.lists:
                raise error
            file, lines = self.lists[dim]
            raise FileFormatError(f"{error}; correct the name, or take it out", path=file, line=lines[missing])
        if not names:
            raise InvalidOptionError(f"`{dim}s` must hold a name; none is there")
        wanted = set(names)
        return [name for name in known if name in wanted]

    def _without(self, names: list[str], patterns: tuple[str, ...], dim: str) -> list[str]:
        there = set(names)

        def fitting(pattern: str) -> set[str]:
            return {pattern} if pattern in there else {name for name in names if fnmatchcase(name, pattern)}

        left = names
        for pattern in split_at_commas(patterns, fitting) if self.by_comma else patterns:
            fits = fitting(pattern)
            if not fits:
                raise UnknownNameError(dim, pattern, names, synonyms=_of_repeats(pattern, names, patterns=True))
            left = [name for name in left if name not in fits]
        if not left:
            raise InvalidOptionError(f"`exclude_{dim}s` leaves no {dim} of {len(names)}; name fewer")
        return left


def _of_repeats(name: str, known: Sequence[str], *, patterns: bool = False) -> dict[str, str]:
    """Return what is meant by the name of one repeat where they are read as such, and of their system where not."""
    system, repeats = system_of_repeat(name), [candidate for candidate in known if system_of_repeat(candidate) == name]
    if patterns and repeats and repeats == [candidate for candidate in known if fnmatchcase(candidate, f"{name}*")]:
        return {name: f"{name}*"}
    return {name: system} if system is not None and system in known else {}


def _texts(names: Iterable[str], argument: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidOptionError(f"`{argument}` must be names, not one text ({names!r}); put it into a list")
    listed = tuple(map(str, names))
    if len(set(listed)) < len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InvalidOptionError(f"`{argument}` must hold every name once; {twice!r} stands there twice")
    return listed
