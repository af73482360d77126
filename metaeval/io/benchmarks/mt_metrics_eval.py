"""The folder of mt-metrics-eval: ``documents/``, ``human-scores/`` and ``metric-scores/PAIR/``, segment by segment."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.names import count, first_few, is_number, natural_order, shortened
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.parts import Part
from metaeval.io.files import entries_of, words_by_line
from metaeval.io.sources import Source

_METRICS, _HUMAN, _DOCUMENTS = "metric-scores", "human-scores", "documents"
_SCORES, _OF_SYSTEMS = ".seg.score", ".sys.score"
_GAP = "None"
_REFERENCE = re.compile(r".+-(?P<reference>ref[^-]*|synthetic_ref)")
"""The name of a metric with the reference that it was given; others, such as ``-src``, were given none."""


class _Pair:
    """The files of one language pair: `metrics` by name and reference (``chrF-refA``), `human`, and those `read`.

    Of metrics with several references those with the first one are taken and those that are named, unless `every` is.
    """

    def __init__(self, root: Path, pair: str, named: Sequence[str] | None = None, *, every: bool = False) -> None:
        self.root, self.pair = root, pair
        self.metrics = _score_files(root / _METRICS / pair, "")
        self.notes: list[str] = []
        references = references_of(self.metrics)
        if not every and len(references) > 1:
            selected = {
                name: path
                for name, path in self.metrics.items()
                if name in (named or ()) or _reference(name) in {references[0], ""}
            }
            others = count(len(self.metrics) - len(selected), "file")
            note = f"metrics with reference {references[0]} are read, not {others} with {first_few(references[1:])}"
            self.notes.append(f"{note}; name those with `metrics`")
            self.metrics = selected
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

    def scores(self, path: str, *, of_systems: bool = False) -> dict[str, list[float]]:
        """Return the scores of every system by segment, or its one score, NaN where there is none."""
        by_system: dict[str, list[float]] = {}
        last = ""
        for number, cells in enumerate(self._lines(path), start=1):
            if len(cells) != 2 or not (cells[1] == _GAP or is_number(cells[1])):  # noqa: PLR2004 - system and score
                message = f"{shortened(' '.join(cells))!r} is not SYSTEM SCORE, the score a number or {_GAP}"
                raise FileFormatError(message, path=path, line=number)
            if cells[0] != last and cells[0] in by_system:
                message = f"system {cells[0]!r} stood above already; the segments of a system follow one another"
                raise FileFormatError(message, path=path, line=number)
            last = cells[0]
            by_system.setdefault(last, []).append(np.nan if cells[1] == _GAP else float(cells[1]))
        n = 1 if of_systems else len(self.documents)
        for system, scores in by_system.items():
            if len(scores) != n:
                message = (
                    f"system {system!r} has {len(scores)} scores, and one of the whole is wanted"
                    if of_systems
                    else f"system {system!r} has {len(scores)} scores, and the pair has {n} segments "
                    f"({_DOCUMENTS}/{self.pair}.docs); a segment without a score says {_GAP}"
                )
                raise FileFormatError(message, path=path)
        return by_system


def _score_files(folder: Path, start: str) -> dict[str, str]:
    names = natural_order(
        entry.name for entry in entries_of(folder) if entry.name.startswith(start) and entry.name.endswith(_SCORES)
    )
    return {name.removeprefix(start).removesuffix(_SCORES): str(folder / name) for name in names}


def _reference(name: str) -> str:
    """Return the reference that a metric was given; "" for none."""
    match = _REFERENCE.fullmatch(name)
    return match["reference"] if match else ""


def references_of(names: Collection[str]) -> list[str]:
    """Return the references that metrics were given in natural order, synthetic ones last.

    Examples
    --------
    >>> references_of(["BLEU-refB", "BLEU-refA", "QE-src", "BLEU-synthetic_ref"])
    ['refA', 'refB', 'synthetic_ref']
    """
    references = natural_order({_reference(name) for name in names} - {""})
    return sorted(references, key=lambda name: name.startswith("synthetic"))


def in_folder(path: str) -> tuple[Path, str] | None:
    """Return the root folder and the language pair that a file belongs to; "" for a file of no pair alone."""
    match = re.fullmatch(
        rf"(?P<root>.*?)(?:^|/)(?:{_METRICS}/(?P<of>[^/]+)/[^/]+\.score|{_HUMAN}/(?P<by>[^./]+)\.[^/]+\.score"
        rf"|{_DOCUMENTS}/(?P<docs>[^/]+)\.docs)",
        Path(path).absolute().as_posix(),
    )
    if match is None:
        return None
    root = Path(match["root"])
    if not ((root / _METRICS).is_dir() and (root / _DOCUMENTS).is_dir()):
        return None
    return root, match["of"] or match["by"] or match["docs"]


def pair_of(sources: Sequence[Source]) -> tuple[Path, str] | None:
    """Return the root folder and the language pair that all files belong to, None if none does."""
    candidates = dict.fromkeys(candidate for source in sources if (candidate := in_folder(source.path)) is not None)
    if not candidates:
        return None
    pairs = {candidate for candidate in candidates if (candidate[0] / _METRICS / candidate[1]).is_dir()}
    if len(pairs) != 1:
        root = next(iter(candidates))[0]
        names = natural_order(pair for _, pair in pairs)
        message = (
            f"this is a folder of mt-metrics-eval with {count(len(names), 'language pair')} ({first_few(names)}), "
            "whose systems and segments are others; name the folder of one, such as "
            f"{root / _METRICS / (names or ['PAIR'])[0]}"
        )
        raise FileFormatError(message, path=root)
    return next(iter(pairs))


def read_pair(root: Path, pair: str, metrics: Sequence[str] | None = None) -> tuple[list[Part], list[str], list[str]]:
    """Read the scores of segments: a system a system, an item a segment, a cluster a document.

    Systems are those that every metric scored and people judged, if anybody did: so a reference is none.
    """
    pair_files, by_name, systems, notes = _systems(_Pair(root, pair, metrics))
    folder, topics, parts = str(root / _METRICS / pair), _topics(pair_files), []
    for system in systems:
        scores = {name: by_system[system] for name, by_system in by_name.items() if system in by_system}
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
    everybody = dict.fromkeys(system for by_system in [*metrics.values(), *human.values()] for system in by_system)
    judged = {system for by_system in human.values() for system in by_system} or set(everybody)
    systems = [
        system
        for system in everybody
        if system in judged and all(system in by_system for by_system in metrics.values())
    ]
    notes = list(pair.notes)
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


def frame_of_pair(root: Path, pair: str, metrics: Sequence[str] | None = None) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores as a table: system, document, segment, a column a metric or human score; ``attrs["notes"]``."""
    files, by_name, systems, _ = _systems(_Pair(root, pair, metrics))
    topics, gaps = _topics(files), [np.nan] * len(files.documents)
    columns = {
        "system": [system for system in systems for _ in topics],
        "document": files.documents * len(systems),
        "segment": topics * len(systems),
    }
    frame = pd.DataFrame(columns, dtype=object)
    scores = {
        name: np.concatenate([np.asarray(by_system.get(system, gaps)) for system in systems])
        for name, by_system in by_name.items()
    }
    frame = pd.concat([frame, pd.DataFrame(scores)], axis=1)
    frame.attrs["notes"] = files.notes
    return frame, files.read


class SetScores(NamedTuple):
    """The scores of a language pair by people and metrics, on the systems that people scored."""

    names: list[str]
    """People first; metrics without their reference, ``[noref]`` after those that have none."""
    systems: list[str]
    documents: list[str]
    """Of every segment."""
    values: NDArray[np.float64]
    """Shape (name, system, segment)."""
    of_systems: NDArray[np.float64]
    """The scores given for systems, NaN where there is none. Shape (name, system)."""
    notes: list[str]
    read: list[str]


def pairs_of(root: Path, human: str) -> list[str]:
    """Return the language pairs that these people scored."""
    suffix = f".{human}{_SCORES}"
    scored = [entry.name.removesuffix(suffix) for entry in entries_of(root / _HUMAN) if entry.name.endswith(suffix)]
    return [pair for pair in natural_order(scored) if (root / _METRICS / pair).is_dir()]


def read_set(  # noqa: PLR0913 - what is read
    root: Path,
    pair: str,
    human: str,
    *,
    reference: str | None = None,
    metrics: Sequence[str] | None = None,
    second: Sequence[str] = (),
    outliers: Sequence[str] = (),
) -> SetScores:
    """Read the scores of a language pair: metrics with one reference or none, on all systems that people scored.

    `metrics` are names without a reference. A metric that lacks a system is left out with a note; one that was asked
    for is an error. `second` are other human scores, gaps where they have none. `outliers` are systems to leave out.
    """
    files = _Pair(root, pair, every=True)
    if human not in files.human:
        raise FileFormatError(
            f"{pair} has no human scores {human!r}; there are {first_few(list(files.human))}", path=root
        )
    people = files.scores(files.human[human])
    human_path = files.human[human].removesuffix(_SCORES) + _OF_SYSTEMS
    references = references_of(files.metrics)
    chosen = reference or (references[0] if references else "")
    if references and chosen not in references:
        message = f"{pair} has no metric with reference {chosen!r}; there are {', '.join(references)}"
        raise FileFormatError(message, path=root / _METRICS / pair)
    systems = [name for name, scores in people.items() if not np.isnan(scores).all()]
    dropped = [name for name in systems if name in outliers]
    systems = [name for name in systems if name not in {chosen, *outliers}]
    wanted = _wanted(files, chosen, metrics)
    tables, system_scores, left = {human: people}, {human: _of_systems(files, human_path)}, []
    unknown = [np.nan] * len(files.documents)
    for name in second:
        if name in files.human:
            tables[name] = dict.fromkeys(systems, unknown) | files.scores(files.human[name])
            system_scores[name] = {}
    for name, path in wanted.items():
        scores = files.scores(path)
        if all(system in scores for system in systems):
            tables[name] = scores
            system_scores[name] = _of_systems(files, path.removesuffix(_SCORES) + _OF_SYSTEMS)
        elif metrics is not None:
            out = next(system for system in systems if system not in scores)
            raise FileFormatError(f"there is no score of system {out!r}, which people scored", path=path)
        else:
            left.append(name)
    notes = [f"{pair}: left out, without scores of every system: {first_few(left)}"] if left else []
    notes += [f"{pair}: left out, as the campaign did: {first_few(dropped)}"] if dropped else []
    if len(references) > 1 and reference is None:
        notes.append(
            f"{pair}: metrics with reference {chosen}, not "
            f"{first_few([source for source in references if source != chosen])}"
        )
    return SetScores(
        names=list(tables),
        systems=systems,
        documents=files.documents,
        values=np.array([[source[system] for system in systems] for source in tables.values()]),
        of_systems=np.array(
            [[source.get(system, [np.nan])[0] for system in systems] for source in system_scores.values()]
        ),
        notes=notes,
        read=files.read,
    )


def _wanted(files: _Pair, reference: str, metrics: Sequence[str] | None) -> dict[str, str]:
    """Return the files of metrics with a reference or none, by what the metrics are called."""
    wanted = {}
    for name, path in files.metrics.items():
        base, _, end = name.rpartition("-")
        label = base if end == reference else f"{base}[noref]" if base and not _reference(name) else ""
        if label and (metrics is None or {base, label} & {*metrics}):
            wanted[label] = path
    lacking = [name for name in metrics or () if not {name, f"{name}[noref]"} & {*wanted}]
    if lacking:
        message = f"{files.pair} has no scores of segments by {first_few(lacking)} with reference {reference} or none"
        raise FileFormatError(message, path=files.root / _METRICS / files.pair)
    return wanted


def _of_systems(files: _Pair, path: str) -> dict[str, list[float]]:
    return files.scores(path, of_systems=True) if Path(path).exists() else {}
