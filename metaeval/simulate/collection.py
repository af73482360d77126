"""Simulated collections: runs of differing quality in groups, and graded judgments made by pooling them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_count
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.collection.base import Retrieved
from metaeval.collection.documents import Collection, CollectionWarning
from metaeval.errors import InvalidOptionError
from metaeval.io.folders import unused_folder
from metaeval.io.interop import collection_from
from metaeval.io.writing import write_bytes
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import track

_WEAKEST, _STRONGEST = 0.5, 1.6
_SPREAD_WITHIN_GROUP = 0.08
_SPREAD_OF_TOPICS = 0.35
_SHARED, _OF_GROUP, _OF_RUN = 0.5, 0.7, 0.5
_TYPICAL_RELEVANT = 0.04
_SPREAD_OF_RELEVANT = 0.7
_MOST_RELEVANT = 0.25
_STEP_PER_LEVEL = 0.4
_COARSE_EVERY = 4
_FINE, _COARSE = 6, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedCollection(Result):
    """Simulated runs and judgments."""

    systems: tuple[str, ...]
    groups: tuple[str, ...]
    """Name and group of every run."""
    pooled: Flags
    """Which runs built the pool. Shape (n_systems,)."""
    topics: tuple[str, ...]
    documents: NDArray[np.int32] = field(repr=False)
    """Number of the document at each rank. Shape (n_systems, n_topics, depth)."""
    scores: Floats = field(repr=False)
    """Its score, as it is written; ties are in the order of the identifiers, descending. Shape (n_systems, n_topics,
    depth)."""
    missing: Flags = field(repr=False)
    """Lists that the run lacks. Shape (n_systems, n_topics)."""
    levels: Mapping[str, tuple[NDArray[np.int32], NDArray[np.int16]]] = field(repr=False)
    """Judged documents of every topic, ascending, and their levels."""
    true_quality: Floats
    """Distance between relevant and other documents, in standard deviations of a run's evidence; what the measures try
    to find out. Shape (n_systems,)."""
    random_source: str
    """Where the draws came from."""

    @property
    def qrels(self) -> pd.DataFrame:
        """The judgments: ``query_id``, ``doc_id``, ``relevance``."""
        parts = list(self.levels.values())
        return pd.DataFrame(
            {
                "query_id": np.repeat(np.array(self.topics, dtype=object), [len(numbers) for numbers, _ in parts]),
                "doc_id": _names(np.concatenate([numbers for numbers, _ in parts])),
                "relevance": np.concatenate([levels for _, levels in parts]),
            }
        )

    @property
    def runs(self) -> dict[str, pd.DataFrame]:
        """The runs: for each system a table with ``query_id``, ``doc_id``, ``rank`` (from 1) and ``score``."""
        return {name: self.run(name) for name in self.systems}

    def _found(self) -> str:
        judged = sum(len(documents) for documents, _ in self.levels.values())
        sizes = f"{count(len(self.systems), 'run')}, {count(len(self.topics), 'topic')}"
        return f"{sizes}, {count(judged, 'judged document')}"

    def run(self, system: str) -> pd.DataFrame:
        """Return one run as a table."""
        row = self.systems.index(system)
        answered = np.flatnonzero(~self.missing[row])
        depth = self.documents.shape[2]
        return pd.DataFrame(
            {
                "query_id": np.repeat(np.array(self.topics, dtype=object)[answered], depth),
                "doc_id": _names(self.documents[row, answered].ravel()),
                "rank": np.tile(np.arange(1, depth + 1), len(answered)),
                "score": self.scores[row, answered].ravel(),
            }
        )

    def to_collection(self, *, retrieved: Retrieved = "judged") -> Collection:
        """Compile runs and judgments, with groups and pooled runs; the same as reading what `write_collection` wrote.

        Parameters
        ----------
        retrieved : {"judged", "all"}
            See `metaeval.io.trec.read_collection`.
        """
        groups = dict(zip(self.systems, self.groups, strict=True))
        pooled = dict(zip(self.systems, self.pooled.tolist(), strict=True))
        with catch_warnings():
            simplefilter("ignore", CollectionWarning)  # the ties are made on purpose
            return collection_from(self.runs, self.qrels, retrieved=retrieved, groups=groups, pooled=pooled)

    def write_collection(self, folder: str | os.PathLike[str], *, compress: bool = False) -> Path:
        """Write TREC files: ``runs/NAME.txt``, ``qrels.txt`` and ``groups.csv`` (system, group, pooled).

        Parameters
        ----------
        folder : path
            Made if it does not exist.
        compress : bool
            Write runs and qrels as ``.txt.gz``.

        Returns
        -------
        pathlib.Path
            The folder. The same seed writes the same bytes.

        Raises
        ------
        InvalidOptionError
            If the folder exists and is not empty.
        """
        with unused_folder(folder) as staging:
            self._write_files(staging, ".txt.gz" if compress else ".txt")
        return Path(folder)

    def _write_files(self, folder: Path, ending: str) -> None:
        (folder / "runs").mkdir(parents=True)
        qrels = self.qrels.assign(iteration=0)[["query_id", "iteration", "doc_id", "relevance"]]
        write_bytes(folder / f"qrels{ending}", _as_text(qrels))
        table = pd.DataFrame({"system": self.systems, "group": self.groups, "pooled": self.pooled})
        write_bytes(folder / "groups.csv", table.to_csv(index=False, lineterminator="\n").encode())
        for name in track(self.systems, description="writing runs"):
            run = self.run(name).assign(Q0="Q0", tag=name)[["query_id", "Q0", "doc_id", "rank", "score", "tag"]]
            write_bytes(folder / "runs" / f"{name}{ending}", _as_text(run))


def simulate_collection(  # noqa: PLR0913 - one keyword per dimension
    *,
    n_groups: int = 6,
    runs_per_group: int = 4,
    n_topics: int = 50,
    n_documents: int = 1000,
    depth: int = 200,
    pool_depth: int = 20,
    levels: int = 3,
    n_missing: int = 0,
    rng: RNGLike = None,
) -> SimulatedCollection:
    r"""Simulate runs of different quality in groups, and judge them by pooling.

    Parameters
    ----------
    n_groups, runs_per_group : int
        Groups differ widely in quality, runs of one group little, and they err alike.
    n_topics, n_documents : int
        Topics, and documents that compete for each.
    depth : int
        Length of every list, at most `n_documents`.
    pool_depth : int
        Documents that each pooled run adds to the pool of a topic; the first half of every group's runs is pooled.
        What lies outside the pool stays unjudged.
    levels : int
        Highest relevance level; each level holds about twice the documents of the one above.
    n_missing : int
        Topics that the last run does not answer.
    rng : None, int, numpy.random.Generator or RandomSource

    Returns
    -------
    SimulatedCollection
        Runs, their groups and judgments; ``write_collection(folder)`` writes them as files, ``to_collection()`` makes
        what is scored.

    Raises
    ------
    InvalidOptionError
        If a number is outside its rule.

    See Also
    --------
    metaeval.simulate.scores.simulate_scores
    metaeval.io.trec.read_collection

    Notes
    -----
    Run r of group g ranks the documents d of topic t by its evidence

    .. math:: e_{rtd} = q_r \, h_t \, (1 + 0.4 (l_{td} - 1)) [l_{td} > 0] + 0.5\, a_{td} + 0.7\, b_{gtd} + 0.5\, c_{rtd}

    with :math:`q_r` the run's quality, :math:`h_t` how easy the topic is (log-normal), :math:`l_{td}` the level,
    and a, b, c standard normal errors shared by all runs, by the group, and by none. The number of relevant documents
    of a topic is log-normal around 4 % of the documents. Every fourth group writes its scores with two decimals, so
    that its runs hold many ties.

    Examples
    --------
    >>> simulated = simulate_collection(n_groups=2, runs_per_group=2, n_topics=3, n_documents=100, depth=20, rng=1)
    >>> simulated.systems, simulated.documents.shape
    (('team1-run1', 'team1-run2', 'team2-run1', 'team2-run2'), (4, 3, 20))
    """
    sizes = {
        "n_groups": n_groups,
        "runs_per_group": runs_per_group,
        "n_topics": n_topics,
        "n_documents": n_documents,
        "depth": depth,
        "pool_depth": pool_depth,
        "levels": levels,
    }
    _check(sizes, n_missing)
    generator, source = resolve_rng(rng)
    n_systems = n_groups * runs_per_group
    group_of = np.repeat(np.arange(n_groups), runs_per_group)
    quality = generator.permutation(np.linspace(_WEAKEST, _STRONGEST, n_groups))[group_of]
    quality = quality * np.exp(_SPREAD_WITHIN_GROUP * generator.standard_normal(n_systems))
    decimals = np.where(group_of % _COARSE_EVERY == _COARSE_EVERY - 1, _COARSE, _FINE)
    pooled = np.arange(n_systems) % runs_per_group < (runs_per_group + 1) // 2
    documents = np.empty((n_systems, n_topics, depth), dtype=np.int32)
    scores = np.empty((n_systems, n_topics, depth))
    judged: dict[str, tuple[NDArray[np.int32], NDArray[np.int16]]] = {}
    topics = tuple(str(number) for number in range(1, n_topics + 1))
    for column, topic in enumerate(track(topics, description="making topics")):
        truth = _true_levels(generator, n_documents, levels)
        evidence = _evidence(generator, truth, quality, group_of)
        documents[:, column], scores[:, column] = _ranked(evidence, depth, decimals)
        pool = np.unique(documents[pooled, column, :pool_depth])
        judged[topic] = (pool, truth[pool])
    missing = np.zeros((n_systems, n_topics), dtype=bool)
    missing[-1, :n_missing] = True
    width, wide = len(str(n_groups)), len(str(runs_per_group))
    groups = tuple(f"team{group + 1:0{width}d}" for group in group_of)
    return SimulatedCollection(
        systems=tuple(f"{team}-run{row % runs_per_group + 1:0{wide}d}" for row, team in enumerate(groups)),
        groups=groups,
        pooled=pooled,
        topics=topics,
        documents=documents,
        scores=scores,
        missing=missing,
        levels=judged,
        true_quality=quality,
        random_source=source,
    )


def _check(sizes: Mapping[str, int], n_missing: int) -> None:
    for name, value in sizes.items():
        check_count(value, name)
    for name, most in (("depth", "n_documents"), ("pool_depth", "depth")):
        if sizes[name] > sizes[most]:
            raise InvalidOptionError(f"`{name}` must not exceed `{most}` ({sizes[most]}), and is {sizes[name]}")
    check_count(n_missing, "n_missing", least=0, most=sizes["n_topics"] - 1, unit="all topics but one")


def _true_levels(generator: np.random.Generator, n_documents: int, levels: int) -> NDArray[np.int16]:
    typical = _TYPICAL_RELEVANT * n_documents
    drawn = typical * np.exp(_SPREAD_OF_RELEVANT * generator.standard_normal())
    n_relevant = int(np.clip(round(drawn), min(2, n_documents), max(2, _MOST_RELEVANT * n_documents)))
    shares = 2.0 ** -np.arange(1, levels + 1)
    relevant = generator.choice(levels, size=min(n_relevant, n_documents), p=shares / shares.sum()) + 1
    truth = np.zeros(n_documents, dtype=np.int16)
    truth[generator.permutation(n_documents)[: len(relevant)]] = relevant
    return truth


def _evidence(generator: np.random.Generator, truth: NDArray[np.int16], quality: Floats, group_of: Ints) -> Floats:
    n_documents = len(truth)
    ease = np.exp(_SPREAD_OF_TOPICS * generator.standard_normal())
    signal = np.where(truth > 0, 1.0 + _STEP_PER_LEVEL * (truth - 1.0), 0.0)
    errors = _OF_RUN * generator.standard_normal((len(quality), n_documents))
    errors += _OF_GROUP * generator.standard_normal((group_of[-1] + 1, n_documents))[group_of]
    errors += _SHARED * generator.standard_normal(n_documents)
    return errors + (quality * ease)[:, None] * signal


def _ranked(evidence: Floats, depth: int, decimals: Ints) -> tuple[NDArray[np.int32], Floats]:
    """Return the best documents of every run and their rounded scores, ties in descending order of documents."""
    best = np.argpartition(-evidence, depth - 1, axis=1)[:, :depth]
    scale = 10.0 ** decimals[:, None]
    rounded = np.rint(np.take_along_axis(evidence, best, axis=1) * scale)
    order = np.lexsort((-best, -rounded), axis=1)
    documents = np.take_along_axis(best, order, axis=1).astype(np.int32)
    return documents, np.take_along_axis(rounded, order, axis=1) / scale


def _names(numbers: NDArray[np.int32]) -> NDArray[np.object_]:
    present, codes = np.unique(numbers, return_inverse=True)
    return np.array([f"doc{number:07d}" for number in present.tolist()], dtype=object)[codes]


def _as_text(table: pd.DataFrame) -> bytes:
    # names hold neither blanks nor quotes, and this takes half the time of to_csv
    line = " ".join(f"%.{_FINE}f" if kind == float else "%s" for kind in table.dtypes) + "\n"  # noqa: E721 - a dtype
    return "".join(map(line.__mod__, zip(*(table[name].tolist() for name in table), strict=True))).encode()
