"""What files of an evaluation hold, and which questions they can answer, each with its command."""

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.agreement.items import columns_of_people
from metaeval.agreement.labels import Labels
from metaeval.base.metric_names import split_names
from metaeval.base.names import count, first_few
from metaeval.base.needs import NEEDS
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.short_repr import main_sentence
from metaeval.base.unit import Unit, unit_of
from metaeval.base.words import bracketed, listed, name_of_metric, number, percentage
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import MetaevalError
from metaeval.questions.look.study_dates import drift_command
from metaeval.questions.look.study_kinds import (
    Contents,
    Kind,
    called,
    contents_in_memory,
    contents_of,
)
from metaeval.studies.study import Study
from metaeval.table.array import REPEAT
from metaeval.table.means import SystemMeans
from metaeval.table.scores import Scores
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.ends import Seen, ends_of_means

_COLUMNS = ("question", "name", "command", "python", "lacks")
_BY_FOLDER = frozenset({"HELM"})
"""Benchmarks that write a folder a run."""
_ALIKE = frozenset({"--missing pairwise", "--missing drop-systems"})
"""What is read without is the same answer."""
_LEVEL, _UNEQUAL = 0.95, frozenset({"stratum", "weight"})
_DRIFT_IN_PYTHON = "metaeval.study_judge_drift(before, after)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look(Study):
    """What data are, and what they can answer."""

    reported_by: ClassVar[str] = "metaeval.questions.look.page:look_report"

    contents: Contents
    questions: pd.DataFrame
    """One row a question that data of this kind can be asked: ``question``, ``name`` of the command, ``command`` and
    ``python`` to copy, and ``lacks``: what is missing, "" where it can be answered."""
    notes: tuple[str, ...]
    provenance: Provenance
    way: str = ""
    """The commands that a refusal leads to, on the command line."""

    @property
    def kind(self) -> Kind:
        """What was given: "scores", "means", "votes", "labels" and so on; "unknown" where nothing reads it."""
        return self.contents.kind

    @property
    def scores(self) -> Scores | None:
        """The scores, where it is scores."""
        return self.contents.read if isinstance(self.contents.read, Scores) else None

    def to_frame(self) -> pd.DataFrame:
        """Return the questions."""
        return self.questions

    @property
    def answer(self) -> str:
        """The answer to the main question, or where there is none that is quick, the questions that have one."""
        return self.quick_answer() or main_sentence(self)

    def quick_answer(self) -> str:
        """Return the answer to the main question, "" where there is none that is quick."""
        if self.scores is not None and self.contents.sizes.get("systems") == 1:
            return _of_one_system(self.scores, self.contents)
        ask = _QUICK.get(self.kind) if self.contents.read is not None else None
        options = {*self.contents.options.values()} - _ALIKE
        is_asked = options and not self.contents.by_values  # what somebody has to say first
        if ask is None or is_asked or not len(self.questions) or self.questions["lacks"].iloc[0]:
            return ""
        try:
            return ask(self.contents.read)
        except MetaevalError:  # the command itself says why
            return ""

    def _unit(self) -> Unit:
        return unit_of(self.scores)

    def _found(self) -> str:
        able = self.questions.loc[self.questions["lacks"] == "", "name"].tolist() if len(self.questions) else []
        return f"{self.kind}: {listed(able) if able else 'no question can be answered'}"


def look(data: object, *, provenance: Provenance | None = None, asked: Callable[[str], str] | None = None) -> Look:
    r"""Say what data of an evaluation are, and which questions they can answer.

    Parameters
    ----------
    data : str, path, sequence of them, or what is in memory
        Files, ``NAME=path`` or folders, of one kind, or runs with their judgments; or votes, means, labels or scores in
        any form that the studies take.
    provenance : Provenance, optional
    asked : callable, optional
        Returns how a command is called on these data, by its name.

    Returns
    -------
    Look
        ``kind``, ``contents``, and in ``to_frame()`` one row a ``question``: ``name`` of the command, ``command`` and
        ``python`` to copy, and what it ``lacks``, "" where it can be answered. ``answer`` is the first question's.

    Raises
    ------
    FileFormatError
        If a file is not there, or damaged.
    ScoresError
        If what is in memory is neither.

    See Also
    --------
    metaeval.read_scores

    Notes
    -----
    Files are recognised by their content, as the readers of the questions tell it. What cannot be read as it is, is
    of the kind "unknown", with the reason, and what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "votes.csv")
    >>> _ = path.write_text("left,right,winner\na,b,left\nb,c,tie\nc,a,right\n")
    >>> found = look(path)
    >>> found.kind, dict(found.contents.sizes), found.questions["name"].tolist()
    ('votes', {'systems': 3, 'votes': 3}, ['votes', 'stop'])
    """
    record = provenance or record_provenance("look")
    given = data if isinstance(data, list | tuple) else [data]
    are_paths = all(isinstance(path, str | os.PathLike) for path in given)
    contents = contents_of(list(map(str, given))) if are_paths else contents_in_memory(data)
    questions = _questions(contents, asked)
    if are_paths and (drift := drift_command(list(map(str, given)))):
        changed = ("Has the judge changed between the two?", "judges", drift, _DRIFT_IN_PYTHON, "")
        questions.loc[len(questions)] = dict(zip(_COLUMNS, changed, strict=True))
    return Look(contents=contents, questions=questions, notes=contents.notes, provenance=record)


def _questions(contents: Contents, asked: Callable[[str], str] | None) -> pd.DataFrame:
    """Return the questions of this kind, those first that can be answered, in the order of the table.

    Of files of several tools or kinds it is the main question of each.
    """
    if contents.parts:
        return _main_questions(contents.parts, asked)
    asked_as = "collection" if contents.kind == "campaign" else contents.kind
    rows = [
        (
            need["asks"],
            name,
            _command(name, need, contents, asked),
            need.get("python", ""),
            _lacking(name, need, contents),
        )
        for name, need in NEEDS.items()
        if (asked_as in need.get("of", ()) or name in contents.also) and not contents.refusal
    ]
    if isinstance(contents.read, Scores) and contents.sizes["systems"] == 1:
        rows.insert(0, _gate(contents.read, _command("leaderboard", NEEDS["leaderboard"], contents, asked)))
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    return frame.loc[(frame["lacks"] != "").sort_values(kind="stable").index].reset_index(drop=True)


def _gate(scores: Scores, command: str) -> tuple[str, str, str, str, str]:
    """Ask of one system whether its mean under the first metric is as good as a round number not far below, or better.

    Beside its own mean every answer would be open.
    """
    first = scores.isel(metric=0)
    falls = not bool(first["higher_is_better"])
    mean = float(first.mean())
    digits = -int(np.floor(np.log10(abs(mean) / 2.0))) if mean else 0  # one digit, or two from 1 to 2
    worse = 0.5 if falls else -0.5
    rounded = (np.ceil if falls else np.floor)(round(mean * 10.0**digits, 6) + worse) / 10.0**digits
    required = f"{first['system'].item()} {'<=' if falls else '>='} {rounded:.12g}"
    metric = str(first["metric"].item())
    chosen = f" --metrics {shlex.quote(metric)}" if scores.sizes["metric"] > 1 else ""
    of = "most" if falls else "least"
    python = f"metaeval.study_leaderboard(data, requirements=[{required!r}])"
    return (
        f"Is its mean at {of} this?",
        "leaderboard",
        f"{command}{chosen} --require {shlex.quote(required)}",
        python,
        "",
    )


def _main_questions(parts: Mapping[str, Contents], asked: Callable[[str], str] | None) -> pd.DataFrame:
    """Return the main question of every part; one that none can be asked of lacks a form that is read, or others."""
    firsts = []
    for name, contents in parts.items():
        first = _questions(contents, asked).head(1)
        if not len(first):
            way = f"metaeval look {shlex.join(contents.files)}" if contents.kind == "unknown" else ""
            lacks = "" if way else contents.refusal or "other files beside it"
            first.loc[0] = ["How can it be read?" if way else "What is it?", "look", way, "", lacks]
        files = first_few([Path(path).name for path in contents.files], most=2)
        first["question"] = f"{name}, {count(len(contents.files), 'file')} ({files}): " + first["question"]
        firsts.append(first)
    return pd.concat(firsts, ignore_index=True)


def _lacking(name: str, need: Mapping[str, Any], contents: Contents) -> str:
    """Say what data have too little of; a size that is not known is no lack."""
    is_whole = need.get("gaps") == "drop-topics" and contents.sizes.get("gaps", 0) > 0
    sizes = {**contents.sizes, **({"items": contents.n_whole} if is_whole else {})}
    topic = unit_of(contents.read).topic if isinstance(contents.read, Scores) else "item"
    more = {"items": " without gaps"} if is_whole else {}
    if name == "human" and isinstance(contents.read, Scores):
        sizes["metrics"] -= len(columns_of_people(contents.read["metric"].to_numpy().tolist()))
        more = {"metrics": " beside human scores"}
    if name == "human" and contents.tool:
        return f"a table of scores by system and item; results of {contents.tool} are not read there"
    lacks = [
        f"{count(number, topic if word == 'items' else called(word))}{more.get(word, '')} or more, not {sizes[word]}"
        for word, number in need.get("least", {}).items()
        if sizes.get(word, number) < number
    ]
    if contents.by_values and name not in contents.options:
        lacks.append(f"columns called {listed(list(contents.by_values))}")
    unsaid = need.get("unsaid", {}) if name not in contents.options else {}
    return "; ".join([*lacks, *([unsaid[contents.kind]] if contents.kind in unsaid else [])])


def _command(name: str, need: Mapping[str, Any], contents: Contents, asked: Callable[[str], str] | None) -> str:
    data = "{runs} --qrels {judgments}" if contents.kind in {"collection", "campaign"} else "{files}"
    typed = f"metaeval {name} {data}" if asked is None else asked(name).replace("{", "{{").replace("}", "}}")
    n_clusters = 0 if "--clusters" in typed else contents.sizes.get("clusters", 0)
    clustered = need.get("clustered") if n_clusters > 1 else "--clusters ignore"  # one alone has no spread
    words = [typed, need.get("options"), clustered if n_clusters and "clustered" in need else None]
    line = " ".join(filter(None, words)).format_map({"people": "COLUMN", "files": "FILE", **contents.named})
    if name == "judges" and "people" in contents.named:
        line += f" --reference {contents.named['people']}"
    line = f"{line} {contents.options.get(name, '')}".rstrip()
    if not contents.sizes.get("gaps") or "gaps" not in need:
        return line
    return line.replace(" --missing pairwise", f" --missing {need['gaps']}" if need["gaps"] else "")


def _of_scores(scores: Scores) -> str:
    from metaeval.questions.table.study import study_table  # noqa: PLC0415 - where it is asked for

    return _first_sentence(study_table(scores))


def _of_one_system(scores: Scores, contents: Contents) -> str:
    """Say its means with their intervals over the items or their clusters, and what other systems would add."""
    if not _UNEQUAL.isdisjoint(map(str, scores.coords)):
        return ""
    values = (scores.mean(REPEAT) if REPEAT in scores.dims else scores).transpose("metric", "system", "topic")
    cells, names = values.to_numpy(), [str(name) for name in scores["metric"].to_numpy()]
    mean, n_items = np.nanmean(cells, axis=2), np.isfinite(cells).sum(axis=2)
    clusters = scores["cluster"].to_numpy() if "cluster" in scores.coords else np.arange(cells.shape[2])
    belongs = np.unique(clusters)[:, None] == clusters
    sums = np.nan_to_num(cells - mean[..., None]) @ belongs.T
    n_units = (np.isfinite(cells) @ belongs.T > 0).sum(axis=2)
    error = np.sqrt((sums**2).sum(axis=2) * n_units / np.maximum(n_units - 1.0, 1.0)) / n_items
    seen = Seen.of(scores.transpose("metric", ...).to_numpy())  # shares of repeats are shares too
    low, high = ends_of_means(mean, error, n_units, n_units - 1.0, seen=seen, metrics=names, confidence_level=_LEVEL)
    means = [
        f"{bracketed(middle, least, most, number(3))} under {name_of_metric(name)}"
        for name, middle, least, most in zip(names, mean[:, 0], low[:, 0], high[:, 0], strict=True)
    ]
    topics = unit_of(scores).topics
    items = count(int(n_items.max()), unit_of(scores).topic)
    if n_units.max() < n_items.max():
        items += f" in {count(int(n_units.max()), 'cluster')}"
    beside = f"A file of another system on the same {topics} beside it tells"
    if above := _folder_above(contents):
        beside = f"Those of other systems on the same {topics}, as may lie beside it (metaeval look {above}), tell"
    told = f"{percentage(_LEVEL)} interval, {items}" if n_units.max() > 1 else f"{items}, too few for an interval"
    return (
        f"{scores['system'].item()} has the mean {first_few(means)} ({told}). {beside} "
        "whether they differ by more than luck."
    )


def _folder_above(contents: Contents) -> str:
    """Return the folder in which results of a benchmark have others beside them, "" where there is none."""
    if not contents.tool or not contents.files:
        return ""
    folder = os.path.commonpath([Path(path).parent for path in contents.files]) or os.curdir
    if len(contents.files) > 1 or contents.tool in _BY_FOLDER:
        folder = os.path.normpath(Path(folder, os.pardir))
    return shlex.quote(folder) if len([*Path(folder).iterdir()]) > 1 else ""


def _of_collection(collection: JudgedCollection) -> str:
    from metaeval.metrics.scoring import default_metrics, score  # noqa: PLC0415 - loads numba

    return _of_scores(score(collection, split_names(default_metrics(collection))))


def _of_metrics(means: pd.DataFrame) -> str:
    """Say which metric orders the means of systems most as people do, and what that is not."""
    people = str(means.columns[0])
    agreement = means.drop(columns=people).corrwith(means[people]).dropna()
    best = agreement.index[agreement.eq(agreement.max())].astype(str).tolist()
    told = f"{listed(best)} {'agrees' if len(best) == 1 else 'agree'} best with {people} as observed"
    return (
        f"{told} (Pearson's r {agreement.max():.3f} over {count(len(means), 'system')}); that may rest on few or "
        "outlying systems, which metaeval human tells, with intervals and tests."
    )


def _of_means(board: SystemMeans) -> str:
    from metaeval.questions.leaderboard.study import study_leaderboard  # noqa: PLC0415 - as above

    return _first_sentence(study_leaderboard(board, rng=0))


def _of_labels(labels: Labels) -> str:
    from metaeval.questions.judges.study import study_judges  # noqa: PLC0415 - as above

    return _first_sentence(study_judges(labels, rng=0))


def _of_votes(votes: Votes) -> str:
    """Say who wins the largest share of its votes, which needs no kernels, and what that share is not."""
    won, played = np.zeros((2, len(votes.systems)))
    for sides, shares in ((votes.left, votes.share), (votes.right, 1 - votes.share)):
        np.add.at(won, sides, votes.weight * shares)
        np.add.at(played, sides, votes.weight)
    shares = np.divide(won, played, out=np.zeros(len(won)), where=played > 0)
    baseline = _baseline(votes)
    shares = np.where(np.arange(len(shares)) == baseline, -1.0, shares)
    first = int(shares.argmax())
    won_share, n_votes = f"{100 * shares[first]:.0f} %", f"{played[first]:,.0f} votes"
    beside = "shares depend on who played whom"
    if baseline >= 0:
        n_votes += f" against {votes.systems[baseline]}"
        beside = "all votes are against this baseline"
    told = f"wins {won_share} of {n_votes}, ties counted half"
    if not np.isin(votes.share, (0.0, 0.5, 1.0)).all():
        told = f"has a mean preference of {won_share} in {n_votes}, whole or in part"
    return (
        f"{votes.systems[first]} {told}, the largest share; {beside}, and metaeval votes ranks systems by strength, "
        "with intervals."
    )


def _baseline(votes: Votes) -> int:
    """Return the system that is in every vote, where there are more than two, -1 for none."""
    sides = np.stack([votes.left, votes.right])
    everywhere = [int(at) for at in {*sides[:, 0].tolist()} if (sides == at).any(axis=0).all()]
    return everywhere[0] if len(votes.systems) > sides.shape[0] and everywhere else -1


def _first_sentence(study: Study) -> str:
    return study.report().summary[0]


_QUICK: Mapping[Kind, Callable[[Any], str]] = {
    "scores": _of_scores,
    "means": _of_means,
    "labels": _of_labels,
    "votes": _of_votes,
    "metrics": _of_metrics,
    "collection": _of_collection,
    "campaign": _of_collection,
}
