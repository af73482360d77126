"""Results of MTEB: ``results/MODEL/REVISION/TASK.json``, an entry a subset of a split."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.base.names import count, first_few, natural_order, shortened
from metaeval.io.benchmarks.comparable import SPLIT, BenchmarkChoice, left_of_splits, lower_of, without_any
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import Dated, File, Part, Repeats, name_in, newest, own_system

_MAIN = "main_score"
_REVISION = "dataset_revision"
_UNKNOWN = ("", "None")
"""What stands for a revision that is not known."""
_NO_SCORE = re.compile(r".*_threshold|(?!.*nauc).*_(std|stderr)", re.IGNORECASE)
"""Where a classifier decided, and how much scores vary."""
_EXPERIMENTS = "scores_per_experiment"
_LATEST = 1e12
"""Seconds since 1970 that no date is beyond."""
_AS_PRINTED = 1e-6
"""How far the mean of the experiments may be from the score beside them."""


_OLD_NAME = "mteb_dataset_name"
_SIMILARITIES = frozenset({"cos_sim", "cosine", "dot", "euclidean", "manhattan", "max", "similarity"})
"""Under what the older schema has the scores of a similarity, which is no subset."""
_OLD_MAIN = (
    *(("ndcg_at_10",), ("v_measure",), ("cos_sim_ap",), ("cos_sim_spearman",), ("map", "mrr")),
    *(("f1", "precision", "recall"), ("accuracy",)),
)
"""The main score of a kind of task, and what else it has: the older schema does not name it."""


def holds_mteb(json: Json) -> bool:
    """Whether these are results of a task: its name, and scores by split, all together or (once) each by itself."""
    return _is_old(json) or ("task_name" in json.object and isinstance(json.object.get("scores"), dict))


def _is_old(json: Json) -> bool:
    return _OLD_NAME in json.object and "scores" not in json.object


def _task_of(json: Json) -> str:
    key = _OLD_NAME if _is_old(json) else "task_name"
    return name_in(json, json.object[key], "task", key=key)


def _splits_of(json: Json) -> dict[str, Any]:
    """Return the scores by split, each a list of entries; those of the older schema brought into this form."""
    if not _is_old(json):
        scores: dict[str, Any] = json.object["scores"]
        return scores
    by_split: dict[str, Any] = {}
    for split, fields in json.object.items():
        if not isinstance(fields, dict):
            continue
        inside = {name: value for name, value in fields.items() if name != "evaluation_time"}
        nested = [name for name, value in inside.items() if isinstance(value, dict)]
        by_subset = bool(nested) and len(nested) == len(inside) and not _SIMILARITIES & inside.keys()
        subsets = inside if by_subset else {"default": inside}
        by_split[split] = [{"hf_subset": name, **_flat(scores)} for name, scores in subsets.items()]
    return by_split


def _flat(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of a subset in the older schema by one name each, the main score among them."""
    flat: dict[str, Any] = {}
    for name, value in scores.items():
        flat |= {f"{name}_{key}": score for key, score in value.items()} if isinstance(value, dict) else {name: value}
    if _MAIN not in flat:
        main = next((names[0] for names in _OLD_MAIN if flat.keys() >= set(names)), None)
        flat[_MAIN] = None if main is None else flat[main]
    return flat


class _Entry(NamedTuple):
    """The scores of a model on a subset of a split of a task."""

    task: str
    subset: str
    split: str
    scores: Mapping[str, Any]
    key: str


def parts_of_mteb(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read results: a system a model, an item a task with its subset and split, a repeat an experiment.

    The revisions of a model are read together, for each task the newest. Of a task with the split test that is read
    alone. The subsets and splits are items that all models of a task have, if there are any; an item is named by no
    more of them than its task's items need to have different names.
    """
    dated = choice.kept([_dated(file) for file in files])
    chosen = newest(dated)
    notes = []
    if older := len(dated) - len(chosen):
        notes.append(f"left out {count(older, 'older result')} of a model's task that another revision has too")
    if old := sum(_is_old(file.held) for file in chosen.values()):
        notes.append(f"{count(old, 'result')} of the schema before version 1.11: main_score by the kind of task")
    entries, left = _of_splits({key: _entries(file.held) for key, file in chosen.items()}, choice)
    common, left_out, apart = _common_items(entries)
    if apart:
        notes.append(f"models have no subset in common on {first_few(apart)}: all are read")
    if left_out:
        notes.append(f"left out {count(left_out, 'subset')} of a split that not all models of a task have")
    largest, fewest = (
        max(common, key=lambda task: len(common[task]), default=""),
        min(map(len, common.values()), default=0),
    )
    if common and len(common[largest]) > fewest:
        share = f"{largest} {len(common[largest])} of {sum(map(len, common.values()))}"
        notes.append(
            f"a task weighs by how many subsets it has ({share}); MTEB's mean is over tasks, as with "
            "`with_clusters(scores, 'means')`"
        )
    several = {
        task: (len({subset for subset, _ in pairs}) > 1, len({split for _, split in pairs}) > 1)
        for task, pairs in common.items()
    }
    tally, parts = _Tally(), []
    for (model, task), file in chosen.items():
        selected = [entry for entry in entries[model, task] if (entry.subset, entry.split) in common[task]]
        if selected:
            parts.append(_part(model, file.held, selected, several, choice, tally))
    return parts, [*notes, *left, *without_any(dated, parts), *tally.notes()]


class _Tally:
    """What was counted while scores were read."""

    def __init__(self) -> None:
        self.unlike, self.no_scores = Counter[str](), dict[str, None]()

    def notes(self) -> list[str]:
        """Say what was left out, and which experiments have another mean."""
        notes = []
        if self.unlike:
            unlike_scores = count(self.unlike.total(), "score")
            notes.append(f"{unlike_scores} with experiments whose mean is another number: the score is read")
        if self.no_scores:
            notes.append(
                f"left out thresholds and standard deviations, which are no scores: {first_few(self.no_scores)}"
            )
        return notes


def _dated(file: File[Json]) -> Dated:
    return Dated(
        system=own_system(file.source, Path(file.source.path).absolute().parent.parent.name),
        task=_task_of(file.held),
        file=file,
        ended_well=True,
        age=_age(file.held),
        n_items=0,  # a later revision of a task may have fewer subsets
        scores=_splits_of(file.held),
        said=_said(file.held),
    )


def _said(json: Json) -> dict[str, str]:
    revision = json.object.get(_REVISION)
    if revision is None or revision in _UNKNOWN:
        return {}
    return {_REVISION: name_in(json, revision, _REVISION, key=_REVISION)}


def _age(json: Json) -> tuple[float, tuple[int, ...]]:
    """Return the date of a result and the version that made it; what says neither is the oldest."""
    date, version = json.object.get("date"), json.object.get("mteb_version")
    numbers = tuple(map(int, re.findall(r"\d{1,9}", version))) if isinstance(version, str) else ()
    if isinstance(date, int | float) and not isinstance(date, bool) and abs(date) < _LATEST:
        return float(date), numbers
    return 0.0, numbers


def _entries(json: Json) -> list[_Entry]:
    task, all_entries = _task_of(json), []
    seen = set()
    for split, entries in _splits_of(json).items():
        if not isinstance(entries, list):
            json.refuse("the scores of a split are a list of entries, one a subset", key=f"scores.{split}")
        for at, entry in enumerate(entries):
            key = f"scores.{split}[{at}]"
            if not isinstance(entry, dict) or _MAIN not in entry:
                json.refuse(f"an entry is an object with a {_MAIN}", key=key)
            subset = name_in(json, entry.get("hf_subset", "default"), "subset", key=f"{key}.hf_subset")
            if (subset, split) in seen:
                json.refuse(f"the subset {shortened(subset)!r} appears twice in the split; keep one", key=key)
            seen.add((subset, split))
            all_entries.append(_Entry(task, subset, split, entry, key))
    return all_entries


def _of_splits(
    entries: Mapping[tuple[str, str], Sequence[_Entry]], choice: BenchmarkChoice
) -> tuple[dict[tuple[str, str], list[_Entry]], list[str]]:
    """Return the entries of the splits that are read, and notes on the others."""
    available: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for (_, task), task_entries in entries.items():
        for entry in task_entries:
            available[task][entry.split].add(entry.subset)
    chosen, left = choice.splits(available), Counter[str]()
    for task, subsets in available.items():
        left.update({split: len(names) for split, names in subsets.items() if split not in chosen[task]})
    several = {task: splits for task, splits in chosen.items() if len(splits) > 1 and not choice.asks(SPLIT, task)}
    descriptions = [f"{task} {', '.join(natural_order(splits))}" for task, splits in several.items()]
    notes = (
        [f"read several splits of tasks without the split test: {first_few(descriptions, between='; ')}"]
        if descriptions
        else []
    )
    read_ones = {
        key: [candidate for candidate in listed if candidate.split in chosen[key[1]]] for key, listed in entries.items()
    }
    return read_ones, [*left_of_splits(left, "subset"), *notes]


def _common_items(
    entries: Mapping[tuple[str, str], Sequence[_Entry]],
) -> tuple[dict[str, set[tuple[str, str]]], int, list[str]]:
    """Return for each task the subsets and splits to read, how many are not, and tasks where models share none."""
    models: Counter[str] = Counter(task for _, task in entries)
    having: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for (_, task), task_entries in entries.items():
        having[task].update((entry.subset, entry.split) for entry in task_entries)
    shared = {
        task: {pair for pair, number in pairs.items() if number == models[task]} for task, pairs in having.items()
    }
    common = {task: shared_pairs or set(having[task]) for task, shared_pairs in shared.items()}
    left_out = sum(len(pairs) - len(common[task]) for task, pairs in having.items())
    return common, left_out, [task for task, shared_pairs in shared.items() if not shared_pairs]


def _part(  # noqa: PLR0913, PLR0917 - whose scores, and what is known of all
    model: str,
    json: Json,
    entries: Sequence[_Entry],
    several: Mapping[str, tuple[bool, bool]],
    choice: BenchmarkChoice,
    tally: _Tally,
) -> Part:
    topics = []
    for entry in entries:
        by_subset, by_split = several[entry.task]
        topics.append("/".join([entry.task, *[entry.subset] * by_subset, *[entry.split] * by_split]))
    keys = [entry.key for entry in entries]
    values = [_values(entry, json, tally) for entry in entries]
    names = {name for scores in values for name in scores}
    lower = lower_of(names, choice.form)
    if any(_source_of_main(entry.scores) in choice.form.lower for entry in entries):
        lower |= {_MAIN}
    return Part(
        path=json.label,
        system=model,
        topics=topics,
        values=values,
        place=lambda number, metric: (None, f"{keys[number]}.{metric}" if metric else keys[number]),
        clusters=[entry.task for entry in entries],
        said=_said(json),
        lower=lower,
        higher=frozenset(names - lower),
    )


def _source_of_main(scores: Mapping[str, Any]) -> str:
    """Return the metric that is the main score: the first with its value, which files do not name."""
    main = scores[_MAIN]
    return next(
        (name for name, value in scores.items() if name != _MAIN and _is_number(value) and value == main), _MAIN
    )


def _is_number(value: object) -> bool:
    return isinstance(value, float | int)


def _values(entry: _Entry, json: Json, tally: _Tally) -> dict[str, Any]:
    """Return the scores of an entry, with those of its experiments where these are the same score."""
    no_scores = [name for name in entry.scores if _NO_SCORE.fullmatch(name) and _is_number(entry.scores[name])]
    tally.no_scores.update(dict.fromkeys(no_scores))
    values: dict[str, Any] = {
        name: value for name, value in entry.scores.items() if _is_number(value) and name not in no_scores
    }
    main = entry.scores[_MAIN]
    if main is not None and _MAIN not in values:
        json.refuse(f"{shortened(main)!r} is no number", key=f"{entry.key}.{_MAIN}")
    experiments = entry.scores.get(_EXPERIMENTS)
    if not isinstance(experiments, list) or not all(isinstance(experiment, dict) for experiment in experiments):
        return values
    # the experiments have no main_score of their own
    source_of = {name: _source_of_main(entry.scores) if name == _MAIN else name for name in values}
    for name, value in list(values.items()):
        scores = [experiment.get(source_of[name]) for experiment in experiments]
        if len(scores) > 1 and all(map(_is_plain, [value, *scores])):
            if abs(sum(scores) / len(scores) - value) <= _AS_PRINTED:
                values[name] = Repeats(scores)
            else:
                tally.unlike[name] += 1
    return values


def _is_plain(score: object) -> bool:
    """Whether a number can be one of a mean: none of hundreds of digits, and no truth value."""
    return type(score) is float or (type(score) is int and abs(score) < _LATEST)
