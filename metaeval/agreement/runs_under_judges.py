"""Runs scored under every judge in turn: the labels of each stand in place of the judgments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.decisions import SHARES, DecisionAgreement
from metaeval.agreement.labels import Labels, as_labels
from metaeval.agreement.second_assessors import SecondPeople
from metaeval.base.checks import check_kind
from metaeval.base.names import count, first_few
from metaeval.base.unit import unit, unit_of
from metaeval.collection.assembly import judgments_from
from metaeval.collection.base import is_judged
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import UNJUDGED, Collection, JudgedCollection
from metaeval.collection.grades import coded
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError
from metaeval.io.judge_scores import graded_answers
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import resolve_metrics, score
from metaeval.running.parallel import track
from metaeval.table.scores import Scores, as_scores

type ScoresOfJudges = Scores | Mapping[str, Scores]
"""Scores under each judge: in one table, in place of metrics, or where judges have topics of their own a table each."""
EFFECTS = (
    *("tau", "tau_ap", *SHARES),
    *("n_predictor", "n_truth", "n_shared", "n_conflicts", "n_missed", "n_undetectable"),
)
"""What is compared under two judges."""
_OF_LABELS = ("AP", "nDCG@10")
OF_SUBTOPICS = (
    "these labels are of subtopics and documents, and runs are scored here under labels of documents; score the runs "
    "with the judgments of each judge by itself, by measures of subtopics such as alpha_nDCG@10, and give these tables "
    "of scores (`metaeval score --scores` on the command line) as judges"
)
"""What is said of runs beside such labels."""
_FEWEST_TOPICS = 2  # tests need them
_FEWEST_JUDGES = 2  # one beside another
_MOST_NAMED = 10
_MOST_LABELS = 10


def judgments_of_labels(labels: Labels) -> Judgments:
    """Return every labelled item as a judgment at its highest label, to read runs with.

    Returns
    -------
    Judgments
        The labelled items of every topic as documents, with ``levels``.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d1": 1, "d2": 0}}, "ben": {"1": {"d1": 2}}})
    >>> judgments_of_labels(labels).levels.tolist()
    [2, 0]
    """
    check_kind(labels, "labels", "Labels")
    labels.require_ordered("scoring runs")
    if labels.by_subtopic:
        raise InvalidOptionError(OF_SUBTOPICS)
    highest = labels.table.max(axis=1).dropna()
    qrels: dict[str, dict[str, float]] = {}
    for (topic, item), level in zip(highest.index.tolist(), highest.tolist(), strict=True):
        qrels.setdefault(topic, {})[item] = level
    return judgments_from(qrels)


def runs_under_judges(
    labels: Labels, collection: Collection | Mapping[str, JudgedCollection], *, has_parts: bool
) -> dict[str, JudgedCollection]:
    """Return the runs with the judgments of each judge in turn."""
    if isinstance(collection, Collection) and not has_parts:
        grades = _grades_of_judges(labels, collection)
        regraded = _regraded(collection, grades)
        return {name: regraded.regrade(judge_grades) for name, judge_grades in zip(labels.judges, grades, strict=True)}
    if not isinstance(collection, Mapping) or not has_parts:
        raise InvalidOptionError(
            "the collection is a Collection for labels, and a mapping of judge to collection for assessments; "
            f"this is a {type(collection).__name__}"
        )
    if set(collection) != set(labels.judges):
        message = f"the collections must name the judges {', '.join(labels.judges)}, not {', '.join(collection)}"
        raise InvalidOptionError(message)
    runs = {of_judge.systems for of_judge in collection.values()}
    if len(runs) > 1:
        raise InvalidOptionError("the collections must hold the same runs under every judge, in the same order")
    return {name: collection[name] for name in labels.judges}


def under_each(  # noqa: PLR0913, PLR0917 - the labels and the runs beside them
    labels: Labels,
    given: Labels | Mapping[str, object],
    collection: Collection | Mapping[str, JudgedCollection],
    reference: str | None,
    second: SecondPeople | None,
    labelled: Literal["common", "own"],
) -> tuple[dict[str, JudgedCollection], list[str]]:
    """Return the runs under every judge, and under every choice of second people in the place of the people.

    No runs, and the reason as the last note, where the common items are all relevant under the reference.
    """
    if not isinstance(given, Labels):
        return runs_under_judges(labels, collection, has_parts=True), []
    table, notes = labels.table, []
    if second is not None:
        table = table.drop(columns=[*second.people]).join(second.table)
    if labelled == "common" and reference is not None:
        choices = [] if second is None else [*second.table.columns]
        there = table.notna()
        common, who = there.all(axis=1), "all"
        if len(_topics(common)) < _FEWEST_TOPICS:
            common, who = _common_by_topic(there, [reference, *choices]), f"{reference} and all judges of their topic"
            judges = [name for name in there if name != reference and name not in choices]
            few = [str(name) for name in judges if len(_topics(common & there[name])) < _FEWEST_TOPICS]
            if few or not judges:
                few_named = "" if len(few) == len(judges) else " and ".join(few)
                raise ScoresError(_nothing_common(there, table[reference] > 0, reference, few_named))
        table = table.where(common)
        if not common.all():
            n_labelled = there.drop(columns=choices[1:]).rename(columns=dict.fromkeys(choices[:1], "the people")).sum()
            fewer = ", ".join(f"{name} {count:,}" for name, count in n_labelled.items() if count < len(table))
            notes.append(
                f"runs are scored on the {common.sum():,} of {len(table):,} items that {who} labelled (labelled: "
                f"{fewer}); the others count as unjudged under every judge"
            )
        if (table.loc[common, reference] > 0).all():
            return {}, [*notes, _all_relevant(labels.table, reference, int(common.sum()))]
    return runs_under_judges(replace(labels, table=table), collection, has_parts=False), notes


def _common_by_topic(there: pd.DataFrame, needed: Sequence[str]) -> pd.Series:
    """Return the items labelled by the reference, the people and every judge who labelled anything on their topic."""
    judges = there.drop(columns=[*needed])
    on_topic = judges.groupby(level="topic").transform("any")
    return there[[*needed]].all(axis=1) & (judges | ~on_topic).all(axis=1) & judges.any(axis=1)


def _all_relevant(table: pd.DataFrame, reference: str, n_common: int) -> str:
    """Say why runs are not compared on items that the reference calls relevant, and whose labels bring that about."""
    only = [
        name for name, labels in table.items() if name != reference and (table.loc[labels.notna(), reference] > 0).all()
    ]
    return (
        f"{reference} calls all {n_common:,} items relevant that everybody labelled"
        + f" ({first_few(only)} labelled no others)" * bool(only)
        + ", so nobody can be wrong about others, and a measure may be the same under every judge by construction; "
        "score the runs on each judge's own items (`labelled='own'`)"
    )


def _topics(items: pd.Series) -> pd.Index:
    """Return the topics of the items that are marked."""
    return items.index[items].get_level_values("topic").unique()


def _nothing_common(there: pd.DataFrame, relevant: pd.Series, reference: str, few: str = "") -> str:
    """Say that no runs can be compared, and who is in the way: the judges without any of whom most would be common.

    Only what then works is advised: to leave one of them out, or those who have too few topics even by themselves.
    """
    without = {str(name): there.drop(columns=name).all(axis=1) for name in there if name != reference}
    common = {name: (len(_topics(items)), int(items.sum())) for name, items in sorted(without.items())}
    n_topics_without, n_items = max(common.values())
    name = " or ".join(judge for judge in common if common[judge] == (n_topics_without, n_items))
    n_topics = len(_topics(there.all(axis=1)))
    reason = "no item was labelled by every judge" if not n_topics else "every judge labelled items of one topic alone"
    useful_topics = set(_topics(relevant)).intersection(*(_topics(there[judge]) for judge in there))
    judge = n_topics_without >= _FEWEST_TOPICS and len(without) > 1
    ways = [f"leave {name if judge else few} out"] * bool(judge or few)
    ways += ["score the runs on each judge's own items (`labelled='own'`)"] * (len(useful_topics) >= _FEWEST_TOPICS)
    return (
        f"{reason}; without {name} it would be {count(n_items, 'item')} of {count(n_topics_without, 'topic')}"
        + f"; {', or '.join(ways)}" * bool(ways)
    )


def scores_under_judges(
    judged: Mapping[str, JudgedCollection],
    metrics: object = None,
    *,
    reference: str | None = None,
    people: Sequence[str] = (),
    registry: Registry | None = None,
) -> tuple[dict[str, ScoresOfJudges], list[str]]:
    """Score the runs under every judge; return for each metric the scores by judge, and notes.

    Where all have fewer than two topics in common, each judge is scored on those that it shares with the reference.
    """
    first = next(iter(judged.values()))
    if metrics is None:
        metrics = _OF_LABELS if isinstance(first, Collection) else first.usual_metrics
    chosen = resolve_metrics(metrics, registry=registry)
    judged_on = {name: _topics_with(of_judge.by_document, is_judged) for name, of_judge in judged.items()}
    there = [topic for topic in first.topics if any(topic in judge_topics for judge_topics in judged_on.values())]
    common = [topic for topic in there if all(topic in judge_topics for judge_topics in judged_on.values())]
    relevant_on = {name: _topics_with(of_judge.by_document, _is_relevant) for name, of_judge in judged.items()}
    asked = relevant_on.values() if reference is None else [relevant_on[reference]]
    topics = [topic for topic in common if all(topic in judge_topics for judge_topics in asked)]
    who = "some judge" if reference is None else reference
    notes, judge_topics, few = [], dict.fromkeys(judged, topics), []
    if len(topics) < _FEWEST_TOPICS and reference is not None:
        judge_topics = _own_topics(there, judged_on, relevant_on[reference], reference, people)
        few = [name for name, of_name in judge_topics.items() if len(of_name) < _FEWEST_TOPICS]
    together = reference is None or judge_topics[reference] is topics or bool(few)
    if not together:
        notes.append(_by_themselves(judge_topics, str(reference), people))
    elif len(common) < len(there):
        notes.append(
            f"{len(there) - len(common):,} of {len(there):,} topics were not judged by every judge: left out "
            f"({_in_the_way(judged_on)})"
        )
    left = len(common) - len(topics)
    if together and left:
        notes.append(f"{left:,} of {len(common):,} topics have nothing relevant under {who}: left out")
    if together and len(topics) < _FEWEST_TOPICS:
        whom = "every judge" if reference is None else reference
        alone = f"; leave out {' and '.join(few)}" * bool(few and reference not in few)
        useful = f", and {whom} found something relevant on {len(topics) or 'none'}" * bool(common)
        raise InvalidOptionError(
            f"runs can be compared on topics that every judge judged and where {whom} found something relevant, "
            f"{_FEWEST_TOPICS} at least; every judge judged {len(common) or 'none'} of the {len(there)} topics{useful}"
            + (_left_out(judged_on, relevant_on, reference) or alone)
        )
    empty = {name: sum(topic not in relevant_on[name] for topic in of_name) for name, of_name in judge_topics.items()}
    zeros = [f"{name} {number}" for name, number in empty.items() if number and name not in people]
    among = sorted({empty[name] for name in people})
    if among and among[-1]:
        zeros.append(f"second people {among[0]} to {among[-1]}" if len(among) > 1 else f"second people {among[0]}")
    if zeros:
        n_topics = len(next(iter(judge_topics.values())))  # of the reference, or of all
        notes.append(f"topics of {n_topics:,} with nothing relevant, where every run scores 0: {', '.join(zeros)}")
    scored = _scored(judged, chosen, judge_topics)
    if not together:
        return {**scored}, notes
    return {name: _side_by_side([*of_name.values()], list(of_name)) for name, of_name in scored.items()}, notes


def _scored(
    judged: Mapping[str, JudgedCollection], metrics: Sequence[AnyMetric], topics: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Scores]]:
    """Return for each metric the scores by judge, on the topics given for it."""
    parts: dict[str, dict[str, Scores]] = {metric.name: {} for metric in metrics}
    for judge, judge_topics in track(list(topics.items()), description="scoring runs under each judge"):
        values = score(judged[judge].select(topics=judge_topics), metrics, undefined="zero")
        for name, by_judge in parts.items():
            by_judge[judge] = _side_by_side([values.sel(metric=[name])], [judge])
    return parts


def _own_topics(
    there: Sequence[str], judged_on: Mapping[str, set[str]], useful: set[str], reference: str, people: Sequence[str]
) -> dict[str, list[str]]:
    """Return the topics that each judge shares with the reference and the people."""
    usable = useful.intersection(*(judged_on[name] for name in people))
    judges = [name for name in judged_on if name != reference and name not in people]
    judge_topics = {name: [topic for topic in there if topic in judged_on[name] & usable] for name in judges}
    every = [topic for topic in there if any(topic in topics for topics in judge_topics.values())]
    return {reference: every, **judge_topics, **dict.fromkeys(people, every)}


def _by_themselves(own: Mapping[str, Sequence[str]], reference: str, people: Sequence[str]) -> str:
    """Say which topics each judge is compared on, and who is not compared with whom."""
    judges = {name: set(topics) for name, topics in own.items() if name != reference and name not in people}
    pairs = [pair for pair in combinations(judges, 2) if not judges[pair[0]] & judges[pair[1]]]
    apart = f"; not compared with each other, without a topic in common: {first_few(pairs, write=' and '.join)}"
    return (
        f"the judges have fewer than {_FEWEST_TOPICS} topics in common, so each is compared with {reference} on the "
        f"topics that both judged: {first_few([f'{name} {len(topics)}' for name, topics in judges.items()])}"
        + apart
        * bool(pairs)
    )


def _topics_with(collection: Collection, which: Callable[[np.ndarray], np.ndarray]) -> set[str]:
    topics = np.unique(collection.topic_of_judgment[which(collection.levels)])
    return {collection.topics[index] for index in topics.tolist()}


def _is_relevant(levels: np.ndarray) -> np.ndarray:
    return np.asarray(levels > 0)


def _in_the_way(topics: Mapping[str, set[str]]) -> str:
    """Say without which judge most topics would be common to all."""
    without = {
        name: set.intersection(*(judge_topics for judge, judge_topics in topics.items() if judge != name))
        for name in topics
    }
    most = max(map(len, without.values()))
    return f"without {' or '.join(name for name in sorted(without) if len(without[name]) == most)}: {most}"


def _left_out(judged_on: Mapping[str, set[str]], found: Mapping[str, set[str]], reference: str | None) -> str:
    """Say which judge to leave out to compare runs under the others, and on how many topics; or nothing."""
    ways = []
    for name in judged_on:
        others = [judge for judge in judged_on if judge != name]
        useful = [found[judge] for judge in ([reference] if reference else others)]
        left = len(set.intersection(*(judged_on[judge] for judge in others), *useful))
        if name != reference and len(others) >= _FEWEST_JUDGES and left >= _FEWEST_TOPICS:
            ways.append(f"{name} (then there are {left} topics)")
    return f"; leave out {' or '.join(ways)}" if ways else ""


def _side_by_side(parts: Sequence[xr.DataArray], names: Sequence[str]) -> Scores:
    direction = bool(parts[0]["higher_is_better"].item())
    stacked = np.concatenate([array.to_numpy() for array in parts])
    table = xr.DataArray(
        stacked,
        dims=parts[0].dims,
        coords={"metric": list(names), "system": parts[0]["system"].to_numpy(), "topic": parts[0]["topic"].to_numpy()},
    )
    return as_scores(table, higher_is_better=direction)


def _regraded(collection: Collection, grades: np.ndarray) -> Collection:
    """Return the runs beside the highest label of every item as judges' labels are now, not as they were read.

    What was read may be on other scales, whose grades would count among those there are.
    """
    highest = np.where(np.isnan(grades), float(UNJUDGED), grades).max(axis=0)
    levels, table = coded(highest)
    return replace(collection, levels=levels, full_levels=levels, grades=table, top_level=int(levels.max(initial=0)))


def _grades_of_judges(labels: Labels, collection: Collection) -> np.ndarray:
    topics = np.array(collection.topics, dtype=object)[collection.topic_of_judgment]
    items = [name.decode() for name in collection.document_ids.tolist()]
    rows = pd.MultiIndex.from_frame(labels.table.index.to_frame(index=False)).get_indexer(
        pd.MultiIndex.from_arrays([topics, items])
    )
    if (rows < 0).any():
        position = int(np.flatnonzero(rows < 0)[0])
        raise InvalidOptionError(
            f"the collection judges topic {topics[position]!r}, item {items[position]!r}, which no judge labelled; "
            "compile the runs with judgments_of_labels"
        )
    return labels.table.to_numpy()[rows].T


def scores_by_judge(table: ScoresOfJudges) -> dict[str, Scores]:
    """Return the scores under each judge, whether judges stand in one table or have topics of their own."""
    if isinstance(table, Mapping):
        return dict(table)
    return {str(name): table.sel(metric=[name]) for name in table["metric"].to_numpy()}


def labels_of_scores(scores: Mapping[str, ScoresOfJudges]) -> Labels | None:
    """Return what each judge says of every system's answers as labels; None where scores are no labels.

    Labels are whole numbers, of which there are few, of one metric. A system that answered several times gave as many
    answers, where every judge judged each of them.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> ann, bot = as_scores([[1, 0], [0, 0]]), as_scores([[1, 1], [0, 1]])
    >>> labels_of_scores({"correct": {"ann": ann, "bot": bot}}).table["bot"].tolist()
    [1.0, 0.0, 1.0, 1.0]
    >>> labels_of_scores({"AP": {"ann": ann / 3, "bot": bot}}) is None
    True
    """
    sides = scores_by_judge(next(iter(scores.values())))
    if len(scores) > 1:
        return None
    frame = graded_answers(sides)
    levels = np.unique(frame.to_numpy()[frame.notna().to_numpy()])
    if not 1 < levels.size <= _MOST_LABELS or (levels != np.round(levels)).any():
        return None
    return as_labels(frame)


def flat_judge_notes(scores: Mapping[str, ScoresOfJudges]) -> list[str]:
    """Say under which judges all systems score 0 on a topic, as where nothing was labelled: such topics count.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> nist, model = as_scores([[0.1, 0.2], [0.3, 0.1]]), as_scores([[0, 0.2], [0, 0.4]])
    >>> flat_judge_notes({"AP": {"nist": nist, "model": model}})
    ['AP: topics where every system scores 0, as where labels are missing; they count: model 1 of 2']
    """
    notes = []
    for metric, table in scores.items():
        flat = {
            name: (values == 0).all([dim for dim in values.dims if dim not in {"metric", "topic"}])
            for name, values in scores_by_judge(table).items()
        }
        phrases = [f"{name} {int(values.sum())} of {values.size}" for name, values in flat.items() if values.any()]
        if phrases:
            words = f"{unit_of(table).topics} where every system scores 0, as where labels are missing; they count"
            notes.append(f"{metric}: {words}: {first_few(phrases, most=_MOST_NAMED)}")
    return notes


def scores_under(table: ScoresOfJudges, name: str) -> Scores:
    """Return the scores under one judge, who stands in place of a metric."""
    return table.sel(metric=[name]) if isinstance(table, xr.DataArray) else table[name].assign_coords(metric=[name])


def joined_on_common_topics(sides: Mapping[str, Scores]) -> Scores | None:
    """Return scores with judges in place of metrics on the topics of all; None where those are too few."""
    parts = list(sides.values())
    common = [
        topic for topic in parts[0]["topic"].to_numpy() if all(topic in table["topic"].to_numpy() for table in parts)
    ]
    if len(common) < 3:  # noqa: PLR2004 - an interval over topics
        return None
    return xr.concat([table.sel(topic=common) for table in parts], "metric", coords="minimal", compat="override")


def of_same_topics(sides: Mapping[str, Scores]) -> Scores:
    """Return scores with judges in place of metrics where all have the same topics, three at least."""
    topics = {frozenset(table["topic"].to_numpy().tolist()) for table in sides.values()}
    if len(topics) > 1:
        message = "judges with topics of their own are compared with a reference; name it (`reference`)"
        raise InvalidOptionError(message)
    common = joined_on_common_topics({name: scores_under(sides, name) for name in sides})
    if common is None:
        raise ScoresError(f"takes three {unit().topics} at least")
    return common


def effects_of_pairs(
    scores: Mapping[str, ScoresOfJudges],
    pairs: Iterable[tuple[str, str]] | None,
    test: Callable[..., DecisionAgreement],
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Compare what is concluded under every two judges, or under `pairs` of them, where none is the reference.

    Return one row a metric and pair: the pairs of systems, ``n_pairs``, and `EFFECTS`, the first judge being the truth.
    """
    parts = []
    for metric, under_judges in track(list(scores.items()), description="testing pairs of runs"):
        table = under_judges if isinstance(under_judges, xr.DataArray) else of_same_topics(under_judges)
        try:
            decisions = test(table, rng=int(generator.integers(2**63)))
        except MetaevalError as error:
            error.add_note(f"while comparing what judges conclude under {metric}")
            raise
        frame = decisions.to_frame().rename(columns={"truth": "first", "predictor": "second"})
        wanted = set(combinations(decisions.metrics, 2) if pairs is None else pairs)
        chosen = [pair in wanted for pair in zip(frame["first"], frame["second"], strict=True)]
        columns = ["first", "second", "n_pairs", *EFFECTS]
        parts.append(frame.loc[chosen, columns].assign(metric=metric)[["metric", *columns]])
    return pd.concat(parts, ignore_index=True)
