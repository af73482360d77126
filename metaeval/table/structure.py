"""How the topics of scores stand to each other: clusters, strata, weights, repeats and gaps, and who uses them.

`engine_scores` rejects clusters, strata, weights and gaps that a procedure would ignore.  Topics leave it in the order
of their names, so that a random number belongs to a name and not to a place in a file.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few, label_array, natural_order
from metaeval.base.notes import HEARD, NoRuns, TakenClusters, tell
from metaeval.base.unit import NUGGET, Unit, unit_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import RELATIVE, settle, settled_means
from metaeval.running.parallel import in_one_order
from metaeval.table.array import DIMS, REPEAT, gaps_in, has_gaps
from metaeval.table.constant import without_variation
from metaeval.table.runs import note_of_runs
from metaeval.table.scores import (
    Scores,
    as_scores,
    better_direction,
    checked_scores,
    identical_systems,
    oriented_values,
    topics_by_name,
)
from metaeval.table.traits import PROCEDURES, Trait
from metaeval.table.two_way import linked, two_way

Clustering = Literal["random", "fixed", "means", "ignore"]
"""What clusters are: drawn from many, all there are, replaced by their means, or nothing; see `with_clusters`."""

_PAIR = 2
"""Systems, or topics, without which nothing can be compared: a rule that leaves fewer is no way out."""
_REFUSED: Mapping[Trait, str] = {
    "clusters": "these {topics} come in {clusters} that share noise, and here {topics} must be independent; {method}"
    "put their means in the {topics}' place (`with_clusters(scores, 'means')`), or ignore them "
    "(`with_clusters(scores, 'ignore')`)",
    "strata": "these {topics} come in fixed {clusters} (strata), and here {topics} must be alike; {method}ignore them "
    "(`with_clusters(scores, 'ignore')`)",
    "weights": "these {topics} have weights, and here all must weigh alike; {method}leave their column out "
    "({weight} where the table is read)",
}


def are_tries(table: Scores) -> bool:
    """Say whether scores have repeats that are 0 or 1, so that they say what k tries pass.

    Examples
    --------
    >>> are_tries(as_scores([[[[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]]]))
    True
    """
    if REPEAT not in table.dims or table.sizes[REPEAT] == 1:
        return False
    values = table.to_numpy()
    return bool(np.isin(values[np.isfinite(values)], (0.0, 1.0)).all())


def engine_scores(
    data: object,
    what: str = "",
    *,
    uses: Collection[Trait] | None = None,
    instead: Mapping[Trait, str] | None = None,
    fewest: int = 2,
) -> Scores:
    """Return scores as an engine takes them, topics by name; reject what it would ignore.

    `what` is its name in `metaeval.table.traits.PROCEDURES`; or `uses` says what it takes into account.

    Examples
    --------
    >>> scores = as_scores([[[[0.0, 1.0], [1.0, 1.0]], [[0.5, 0.5], [0.0, 0.0]]]])
    >>> plain = engine_scores(scores)
    >>> plain.dims, plain.to_numpy()[0, 0].tolist(), plain.attrs["notes"]
    (('metric', 'system', 'topic'), [0.5, 1.0], ['means over 2 repeats'])
    """
    if uses is None:
        uses = PROCEDURES[what] if what else ()
    scores = checked_scores(data, fewest=fewest)
    if "gaps" not in uses:
        _refuse_gaps(scores, what, instead or {})
    if REPEAT in scores.dims and "repeats" not in uses:
        scores = _mean_over_repeats(scores)
    for name in ("cluster", "stratum"):
        if name in scores.coords and len(np.unique(scores[name].to_numpy())) == scores.sizes["topic"]:
            scores = scores.drop_vars(name)
    if "weight" in scores.coords and np.ptp(scores["weight"].to_numpy()) == 0:
        scores = scores.drop_vars("weight")
    present: dict[Trait, bool] = {
        "clusters": "cluster" in scores.coords,
        "strata": "stratum" in scores.coords,
        "weights": "weight" in scores.coords,
    }
    for trait, there in present.items():
        if there and trait not in uses:
            method = f"use {instead[trait]}, " + "or " * (trait != "clusters") if instead and trait in instead else ""
            weight = "`columns={'ignore': 'weight'}`"
            rule = _REFUSED[trait].format(method=method, weight=weight, **unit_of(scores)._asdict())
            raise InvalidOptionError(_opening(what, scores) + rule)
    if HEARD.get() is not None:
        alike = [first_few(group) for group in identical_systems(scores)]
        same = [f"the same scores throughout: {names}" for names in alike]
        tell([*scores.attrs.get("notes", ()), *without_variation(scores), *same])
    return topics_by_name(scores)


def _opening(what: str, scores: Scores) -> str:
    """Return the name of a procedure as a message begins with it, in the words of the scores."""
    spoken = unit_of(scores)
    if what in PROCEDURES:
        words = {"a topic": spoken.a_topic, "topic": spoken.topic, "cluster": spoken.cluster}
        what = re.sub("|".join(words), lambda found: words[found[0]], what)
    return f"{what}: " if what else ""


def _refuse_gaps(scores: Scores, what: str, instead: Mapping[Trait, str]) -> None:
    if not has_gaps(scores.to_numpy()) or not (lacks := gaps_in(scores.to_numpy())).any():
        return
    gaps = np.argwhere(lacks)
    spoken = unit_of(scores)
    metric, system, topic = (str(scores[dim].to_numpy()[index]) for dim, index in zip(DIMS, gaps[0], strict=True))
    more = f" and {len(gaps) - 1} more" if len(gaps) > 1 else ""
    method = f"use {instead['gaps']}, or " if "gaps" in instead else ""
    masks = {"system": ~lacks.any(axis=(0, 2)), "topic": ~lacks.any(axis=(0, 1))}
    ways = ["`missing='zero'`", *(f"`'drop-{dim}s'`" for dim, complete in masks.items() if complete.sum() >= _PAIR)]
    listed = " or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))
    raise ScoresError(
        f"{_opening(what, scores)}these scores have gaps (no score for system {system!r} on {spoken.topic} {topic!r} "
        f"under {metric!r}{more}); {method}read them with {listed}"
    )


def with_clusters(scores: Scores, kind: Clustering) -> Scores:
    """Say what the clusters of these scores are.

    Examples
    --------
    >>> scores = as_scores([[0.1, 0.4], [0.2, 0.3]], clusters={"1": "maths", "2": "code"})
    >>> list(with_clusters(scores, "fixed").coords)
    ['metric', 'system', 'topic', 'higher_is_better', 'stratum']
    """
    check_choice(kind, "kind of clusters", get_args(Clustering))
    name = next((candidate for candidate in ("cluster", "stratum") if candidate in scores.coords), None)
    if name is None:
        message = "these scores have no clusters; say which cluster each topic belongs to (`clusters`)"
        if unit_of(scores) is NUGGET:
            message = "these nuggets are of one topic, or each has a topic to itself, so there is no choice of clusters"
        raise InvalidOptionError(message)
    notes = [note for note in scores.attrs.get("notes", ()) if not isinstance(note, TakenClusters)]
    scores = scores.assign_attrs(notes=notes) if "notes" in scores.attrs else scores
    if kind == "means":
        return topics_by_cluster(scores)
    if kind == "ignore":
        return scores.drop_vars(name)
    wanted = "cluster" if kind == "random" else "stratum"
    return scores if name == wanted else scores.assign_coords({wanted: scores[name]}).drop_vars(name)


def these_clusters(scores: Scores) -> Scores | None:
    """Return scores whose random clusters are all there are; None without any, or with one of a single topic.

    Examples
    --------
    >>> scores = as_scores([[0.1, 0.4, 0.3], [0.2, 0.3, 0.1]], clusters={"1": "a", "2": "a", "3": "b"})
    >>> these_clusters(scores) is None
    True
    """
    if "cluster" not in scores.coords or np.unique(scores["cluster"], return_counts=True)[1].min() < _PAIR:
        return None
    return with_clusters(scores, "fixed")


@in_one_order
def topics_by_cluster(scores: Scores) -> Scores:
    """Return scores whose topics are the clusters, each system's score the (weighted) mean over the cluster's topics.

    The mean over these topics is the macro mean, and a test on them one on the cluster means. Repeats become their
    means first. Where a system has gaps, the mean is over what it has.

    Examples
    --------
    >>> scores = as_scores([[0.0, 1.0, 1.0], [0.5, 0.0, 0.0]], clusters={"1": "maths", "2": "maths", "3": "code"})
    >>> topics_by_cluster(scores).to_numpy()[0, 0].tolist()
    [0.5, 1.0]
    """
    scores = engine_scores(scores, "means of clusters", fewest=1)
    name = next((label for label in ("cluster", "stratum") if label in scores.coords), None)
    if name is None:
        raise InvalidOptionError(
            "these scores have no clusters of several topics; say which cluster each topic belongs to (`clusters`)"
        )
    of_topic = scores[name].to_numpy()
    names = list(dict.fromkeys(of_topic.tolist()))
    index_of = {label: position for position, label in enumerate(names)}
    weights = np.zeros((scores.sizes["topic"], len(names)))
    weights[np.arange(len(of_topic)), [index_of[label] for label in of_topic.tolist()]] = topic_weights(scores)
    values = scores.to_numpy()
    sums, sizes = np.nan_to_num(values) @ weights, np.isfinite(values) @ weights
    with np.errstate(invalid="ignore"):
        means = sums / sizes
    if np.isnan(means).any():
        lacks = np.isnan(means).any(axis=0)
        rule = not_in_all_clusters(lacks, scores["system"].to_numpy(), np.array(names), unit_of(scores))
        raise ScoresError(f"means of {unit_of(scores).clusters} need {rule}")
    coordinates: dict[Any, Any] = {
        label: coordinate for label, coordinate in scores.coords.items() if "topic" not in coordinate.dims
    }
    notes = [
        *scores.attrs.get("notes", ()),
        f"means over the {unit_of(scores).topics} of each of {len(names)} {unit_of(scores).clusters}",
    ]
    made = xr.DataArray(
        means,
        dims=DIMS,
        coords={**coordinates, "topic": label_array(names, "topic")},
        attrs={**scores.attrs, "notes": notes, "topic_word": unit_of(scores).cluster},
    )
    return as_scores(made)


def nested_clusters(scores: Scores, higher: Mapping[str, str]) -> Scores:
    """Return scores whose topics are clusters, which are in higher clusters that all weigh alike: means of means.

    `higher` says of every topic in which higher cluster it is. A system's mean is that over higher clusters of its
    means over their clusters, each a mean over topics; what is drawn whole, as of one level, are the higher clusters
    (`with_clusters`).

    Examples
    --------
    >>> assays = as_scores([[0.0, 1.0, 1.0, 0.0], [0.5, 0.0, 0.0, 0.0]], clusters=dict(zip("1234", "ppqr")))
    >>> nested = nested_clusters(assays, dict(zip("1234", ["binding", "binding", "binding", "growth"])))
    >>> nested["topic"].to_numpy().tolist(), nested.to_numpy()[0, 0].tolist(), nested["cluster"].to_numpy().tolist()
    (['p', 'q', 'r'], [0.5, 1.0, 0.0], ['binding', 'binding', 'growth'])
    >>> mean_over_topics(nested).tolist()
    [[0.375, 0.0625]]
    """
    of_topic = dict(zip(scores["topic"].to_numpy().tolist(), scores["cluster"].to_numpy().tolist(), strict=True))
    above: dict[str, str] = {}
    for topic, cluster in of_topic.items():
        if above.setdefault(cluster, higher[topic]) != higher[topic]:
            first, second = above[cluster], higher[topic]
            raise ScoresError(f"cluster {cluster!r} is in two higher ones, {first!r} and {second!r}; name each apart")
    if len(above) == len(of_topic):
        above = dict(higher)
    else:
        scores = topics_by_cluster(scores)
    names = scores["topic"].to_numpy().tolist()
    sizes = Counter(above[name] for name in names)
    told = f"means of means: {len(names)} clusters in {len(sizes)} higher ones, each of which weighs alike"
    plain = scores.drop_vars(["cluster", "weight"], errors="ignore")
    plain.attrs["notes"] = [*scores.attrs.get("notes", ()), told]
    alike = len(names) / len(sizes)
    return as_scores(
        plain,
        missing="pairwise",
        fewest=1,
        clusters={name: above[name] for name in names},
        weights={name: alike / sizes[above[name]] for name in names},
    )


def not_in_all_clusters(lacks: Flags, systems: NDArray[np.str_], clusters: NDArray[np.str_], spoken: Unit) -> str:
    """Say that every system must be in every cluster, and what must go: (system, cluster) without a score.

    Examples
    --------
    >>> from metaeval.base.unit import TOPIC
    >>> not_in_all_clusters(np.array([[True, True], [False, False]]), np.array(["a", "b"]), np.array(["1", "2"]), TOPIC)
    "every system in every cluster; leave out 1 system without a score in some cluster: `exclude_systems=['a']`"
    """
    thin, bare = systems[lacks.any(axis=1)].tolist(), clusters[lacks.any(axis=0)].tolist()
    if len(thin) > len(bare):
        named = ", ".join(natural_order(bare))
        why = f"{count(len(bare), spoken.cluster)} in which some systems have no score: {named}"
    else:
        left = natural_order(thin)
        why = f"{count(len(thin), 'system')} without a score in some {spoken.cluster}: `exclude_systems={left}`"
    return f"every system in every {spoken.cluster}; leave out {why}"


def topic_weights(scores: Scores) -> Floats:
    """Return the weight of every topic, 1 where none is said."""
    return scores["weight"].to_numpy() if "weight" in scores.coords else np.ones(scores.sizes["topic"])


def mean_over_topics(scores: Scores) -> Floats:
    """Return every system's mean over all topics, weighted where topics have weights: (metric, system).

    Where scores are missing the means are those of `metaeval.table.two_way`, unless some systems share no topic with
    the others, not even by way of third ones: then each is over the topics that the system has. Fitted means end where
    the scores of their metric do; see `means_cut`.

    Examples
    --------
    >>> mean_over_topics(as_scores([[0.0, 1.0], [0.5, 0.5]], weights={"1": 3, "2": 1})).tolist()
    [[0.25, 0.5]]
    """
    means = mean_over_own_topics(scores)
    for metric, values in enumerate(scores.to_numpy()):
        observed = np.isfinite(values)
        if not observed.all() and linked(observed).all():
            fitted = two_way(values, topic_weights(scores)).means
            means[metric] = np.clip(fitted, values[observed].min(), values[observed].max())
    return means


def means_cut(scores: Scores) -> list[str]:
    """Return the systems whose mean would lie beyond all scores of a metric if system and topic added up, by name.

    Examples
    --------
    >>> means_cut(as_scores([[0.9, np.nan, np.nan], [0.4, 0.8, 0.7], [0.3, 0.7, 0.6]], missing="pairwise"))
    ['system1']
    """
    if not has_gaps(scores.to_numpy()):
        return []
    cut = np.zeros(scores.sizes["system"], dtype=bool)
    for values in scores.to_numpy():
        observed = np.isfinite(values)
        if not observed.all() and linked(observed).all():
            fitted, room = two_way(values, topic_weights(scores)).means, RELATIVE * np.abs(values[observed]).max()
            cut |= (fitted > values[observed].max() + room) | (fitted < values[observed].min() - room)
    return scores["system"].to_numpy()[cut].tolist()


def means_of_few(scores: Scores) -> list[str]:
    """Return the systems that have fewer than half of the topics under some metric, each with how many, by name.

    Examples
    --------
    >>> means_of_few(as_scores([[0.9, np.nan, np.nan], [0.4, 0.8, 0.7]], missing="pairwise"))
    ['system1 1 of 3']
    """
    known = np.isfinite(scores.to_numpy())
    if known.all():
        return []
    counts, n_topics = known.any(axis=tuple(range(3, known.ndim))).sum(axis=2).min(axis=0), scores.sizes["topic"]
    names = scores["system"].to_numpy().tolist()
    return [f"{names[at]} {counts[at]} of {n_topics}" for at in np.flatnonzero(2 * counts < n_topics).tolist()]


def mean_over_own_topics(scores: Scores) -> Floats:
    """Return every system's mean over the topics that it has, weighted where topics have weights: (metric, system).

    Examples
    --------
    >>> mean_over_own_topics(as_scores([[0.0, np.nan], [0.5, 0.7]], missing="pairwise")).tolist()
    [[0.0, 0.6]]
    """
    values, weights = scores.to_numpy(), topic_weights(scores)
    if "weight" not in scores.coords and np.isfinite(values).all():
        return values.mean(axis=2)
    means: Floats = (np.nan_to_num(values) * weights).sum(axis=2) / (np.isfinite(values) * weights).sum(axis=2)
    return means


def settled_mean_over_topics(scores: Scores) -> Floats:
    """Return `mean_over_topics` turned so that higher is better, means that are equal up to rounding made equal.

    Examples
    --------
    >>> means = settled_mean_over_topics(as_scores([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]], higher_is_better=False))
    >>> bool(means[0, 0] == means[0, 1]), means.round(12).tolist()
    (True, [[-0.2, -0.2]])
    """
    values = oriented_values(scores)
    gappy = has_gaps(values)
    if "weight" not in scores.coords and not gappy:
        return settled_means(values)
    size = mean_over_own_topics(abs(scores))
    if gappy:
        size = np.broadcast_to(size.max(axis=1, keepdims=True), size.shape)
    return settle(mean_over_topics(scores) * better_direction(scores)[:, None], size)


def _mean_over_repeats(scores: Scores) -> Scores:
    values = scores.to_numpy()
    observed = np.isfinite(values)
    n_known = observed.sum(axis=3)
    with np.errstate(invalid="ignore"):
        means = np.where(observed, values, 0.0).sum(axis=3) / n_known
    made = scores.isel(repeat=0, drop=True).copy(data=means)
    most, fewest = int(n_known.max()), int(n_known.min())
    counted = f"{most}" if most == fewest else f"{fewest} to {most}"
    notes = [*scores.attrs.get("notes", ())]
    if most > 1:
        words, told = f"means over {counted} repeats", any(isinstance(note, NoRuns) for note in notes)
        notes.append(words if told else note_of_runs(words, scores, topic_weights(scores)))
    made.attrs = {**scores.attrs, "notes": notes}
    return made
