"""The folder of mt-metrics-eval: ``documents/``, ``human-scores/`` and ``metric-scores/PAIR/``, segment by segment."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.base.names import count, first_few, is_number, natural_order, shortened
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.records import Part
from metaeval.io.files import entries_of, words_by_line
from metaeval.io.sources import Source

_METRICS, _HUMAN, _DOCUMENTS = "metric-scores", "human-scores", "documents"
_SCORES = ".seg.score"
_GAP = "None"


class _Pair:
    """The files of one language pair: `metrics` by name and reference (``chrF-refA``), `human`, and those `read`."""

    def __init__(self, root: Path, pair: str) -> None:
        self.root, self.pair = root, pair
        self.metrics = _score_files(root / _METRICS / pair, "")
        self.human = _score_files(root / _HUMAN, f"{pair}.") if (root / _HUMAN).is_dir() else {}
        self.read: list[str] = []
        if not self.metrics:
            message = f"there is no score of segments (METRIC{_SCORES}) of any metric"
            raise FileFormatError(message, path=root / _METRICS / pair)
        path = str(root / _DOCUMENTS / f"{pair}.docs")
        self.documents = [words[-1] if words else "" for words in self._lines(path)]
        if "" in self.documents:
            message = "a line without a document; every line says DOMAIN DOCUMENT of a segment"
            raise FileFormatError(message, path=path, line=self.documents.index("") + 1)

    def _lines(self, path: str) -> list[list[str]]:
        self.read.append(path)
        return words_by_line(path)

    def scores(self, path: str) -> dict[str, list[float]]:
        """Return the scores of every system by segment, NaN where there is none."""
        found: dict[str, list[float]] = {}
        last = ""
        for number, cells in enumerate(self._lines(path), start=1):
            if len(cells) != 2 or not (cells[1] == _GAP or is_number(cells[1])):  # noqa: PLR2004 - system and score
                message = f"{shortened(' '.join(cells))!r} is not SYSTEM SCORE, the score a number or {_GAP}"
                raise FileFormatError(message, path=path, line=number)
            if cells[0] != last and cells[0] in found:
                message = f"system {cells[0]!r} stood above already; the segments of a system follow one another"
                raise FileFormatError(message, path=path, line=number)
            last = cells[0]
            found.setdefault(last, []).append(np.nan if cells[1] == _GAP else float(cells[1]))
        for system, scores in found.items():
            if len(scores) != len(self.documents):
                message = (
                    f"system {system!r} has {len(scores)} scores, and the pair has {len(self.documents)} segments "
                    f"({_DOCUMENTS}/{self.pair}.docs); a segment without a score says {_GAP}"
                )
                raise FileFormatError(message, path=path)
        return found


def _score_files(folder: Path, start: str) -> dict[str, str]:
    names = natural_order(
        entry.name for entry in entries_of(folder) if entry.name.startswith(start) and entry.name.endswith(_SCORES)
    )
    return {name.removeprefix(start).removesuffix(_SCORES): str(folder / name) for name in names}


def in_folder(path: str) -> tuple[Path, str] | None:
    """Return the root folder and the language pair that a file belongs to; "" for a file of no pair alone."""
    found = re.fullmatch(
        rf"(?P<root>.*?)(?:^|/)(?:{_METRICS}/(?P<of>[^/]+)/[^/]+\.score|{_HUMAN}/(?P<by>[^./]+)\.[^/]+\.score"
        rf"|{_DOCUMENTS}/(?P<docs>[^/]+)\.docs)",
        Path(path).absolute().as_posix(),
    )
    if found is None:
        return None
    root = Path(found["root"])
    if not ((root / _METRICS).is_dir() and (root / _DOCUMENTS).is_dir()):
        return None
    return root, found["of"] or found["by"] or found["docs"]


def pair_of(sources: Sequence[Source]) -> tuple[Path, str] | None:
    """Return the root folder and the language pair that all files belong to, None if none does."""
    found = dict.fromkeys(place for source in sources if (place := in_folder(source.path)) is not None)
    if not found:
        return None
    pairs = {place for place in found if (place[0] / _METRICS / place[1]).is_dir()}
    if len(pairs) != 1:
        root = next(iter(found))[0]
        names = natural_order(pair for _, pair in pairs)
        message = (
            f"this is a folder of mt-metrics-eval with {count(len(names), 'language pair')} ({first_few(names)}), "
            "whose systems and segments are others; name the folder of one, such as "
            f"{root / _METRICS / (names or ['PAIR'])[0]}"
        )
        raise FileFormatError(message, path=root)
    return next(iter(pairs))


def read_pair(root: Path, pair: str) -> tuple[list[Part], list[str], list[str]]:
    """Read the scores of segments: a system a system, an item a segment, a cluster a document.

    Systems are those that every metric scored and people judged, if anybody did: so a reference is none.
    """
    pair_files, found, systems, notes = _systems(_Pair(root, pair))
    folder, topics, parts = str(root / _METRICS / pair), _topics(pair_files), []
    for system in systems:
        scores = {name: known[system] for name, known in found.items() if system in known}
        values = [dict(zip(scores, row, strict=True)) for row in zip(*scores.values(), strict=True)]
        parts.append(
            Part(path=folder, system=system, topics=topics, values=values, place=_place, clusters=pair_files.documents)
        )
    return parts, notes, pair_files.read


def _place(record: int, metric: str) -> tuple[int, str]:
    return record + 1, metric


def _systems(pair: _Pair) -> tuple[_Pair, Mapping[str, Mapping[str, Sequence[float]]], list[str], list[str]]:
    """Return the pair with the scores of metrics and people, the systems that are compared, and notes."""
    metrics = {name: pair.scores(path) for name, path in pair.metrics.items()}
    human = {name: pair.scores(path) for name, path in pair.human.items()}
    again = metrics.keys() & human.keys()
    if again:
        raise FileFormatError(f"{min(again)!r} is the name of a metric and of human scores; rename one", path=pair.root)
    everybody = dict.fromkeys(system for known in [*metrics.values(), *human.values()] for system in known)
    judged = {system for known in human.values() for system in known} or set(everybody)
    systems = [
        system for system in everybody if system in judged and all(system in known for known in metrics.values())
    ]
    notes = []
    out = [system for system in everybody if system not in systems]
    if out:
        notes.append(f"left out what not every metric and person scored, references among them: {first_few(out)}")
    if human:
        notes.append(
            f"human scores are {first_few(list(human))}; `metaeval human` sets metrics against them, `metrics` reads "
            "them"
        )
    return pair, metrics | human, systems, notes


def _topics(pair: _Pair) -> list[str]:
    return [str(number) for number in range(1, len(pair.documents) + 1)]


def frame_of_pair(root: Path, pair: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores as a table: system, document, segment, a column a metric or human score."""
    files, found, systems, _ = _systems(_Pair(root, pair))
    topics, gaps = _topics(files), [np.nan] * len(files.documents)
    columns = {
        "system": [system for system in systems for _ in topics],
        "document": files.documents * len(systems),
        "segment": topics * len(systems),
    }
    frame = pd.DataFrame(columns, dtype=object)
    scores = {
        name: np.concatenate([np.asarray(known.get(system, gaps)) for system in systems])
        for name, known in found.items()
    }
    return pd.concat([frame, pd.DataFrame(scores)], axis=1), files.read
