"""Every public procedure and study, called once: with which data, how, and what of its answer follows from the data.

`EVERY` has one entry for each, by its name, and `tests/test_every.py` puts each through all laws that apply. What is
public and stands neither in `EVERY` nor in `OTHERWISE`, which gives the reason, is missed there by name. A name with a
comma is the same procedure asked otherwise: it is tried where the data change, and not with other seeds or names.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
import xarray as xr
from linear_algebra import seen_outside
from scipy.stats import rankdata

import metaeval
from metaeval import agreement, as_scores, inex, resampling, simulate_collection, simulate_scores
from metaeval.agreement.item_statistics import discrimination
from metaeval.base.results import Result
from metaeval.errors import MetaevalError
from metaeval.models import bayesian_t
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.running.parallel import reporting
from metaeval.table.scores import by_name, select_runs
from metaeval.table.structure import mean_over_own_topics, mean_over_topics, settled_mean_over_topics, with_clusters

# ----------------------------------------------------------------------------------------------------------------- data

SCRIPT, MARKUP = '<script>alert("x")</script>', "</td></table><img src=x onerror=alert(1)> & b's 日本語 🙂"
OWN = ("AP", "nDCG@10")
"""The metrics of the scores; any other is one that was put beside them."""
N_TOPICS, N_CLUSTERS = 24, 12


def _shuffled(dim, seed):
    return lambda scores: scores.isel({dim: np.random.default_rng(seed).permutation(scores.sizes[dim])})


def _with_other(scores):
    """Put another metric first: the scores of AP with noise that belongs to names."""
    ordered = by_name(by_name(scores.sel(metric=["AP"]), "system"), "topic")
    values = ordered.to_numpy() + np.random.default_rng(3).normal(0, float(ordered.std()), ordered.shape)
    other = ordered.copy(data=values - values.min() + float(ordered.min())).assign_coords(metric=["other"])
    return xr.concat([other.sel(system=scores["system"], topic=scores["topic"]), scores], "metric")


def _scaled(factor, constant=0.0):
    return lambda scores: scores.copy(data=scores.to_numpy() * factor + constant)


def with_traits(scores, *traits, clusters=None, weights=None):
    """Return scores that have clusters, strata, weights and gaps as named."""
    names, values = scores["topic"].to_numpy().tolist(), scores.to_numpy()
    if "gaps" in traits:
        values = np.where(np.random.default_rng(3).random(values.shape) < 0.1, np.nan, values)
    if clusters is None:
        clusters = np.random.default_rng(2).permutation(np.arange(len(names)) % N_CLUSTERS)
    weights = 1.0 + np.arange(len(names)) % 3 if weights is None else weights
    made = as_scores(
        values,
        metrics=scores["metric"].to_numpy().tolist(),
        systems=scores["system"].to_numpy().tolist(),
        topics=names,
        clusters=dict(zip(names, map(str, clusters), strict=True)) if {"clusters", "strata"} & {*traits} else None,
        weights=dict(zip(names, weights, strict=True)) if "weights" in traits else None,
        missing="pairwise",
    )
    return with_clusters(made, "fixed") if "strata" in traits else made


def _renamed(scores):
    """Give systems, and the first metric, names that could do harm."""
    systems = [f"{(SCRIPT, MARKUP)[place % 2]} {place}" for place in range(scores.sizes["system"])]
    return scores.assign_coords(system=systems, metric=[SCRIPT, *scores["metric"].to_numpy()[1:]])


def _gappy(scores):
    """Leave out scores by the names of system and topic."""
    systems, topics = (scores[dim].to_numpy().tolist() for dim in ("system", "topic"))
    kept = [[crc32(f"{system} {topic}".encode()) % 8 > 0 for topic in topics] for system in systems]
    return as_scores(scores.where(xr.DataArray(kept, dims=("system", "topic"))), missing="pairwise")


def _equal(scores):
    """Give every system the scores of the first, each on other topics: all means are equal, and no topic is."""
    axis = scores.get_axis_num("topic")
    first = scores.isel(system=[0]).to_numpy()
    rolled = [np.roll(first, place, axis) for place in range(scores.sizes["system"])]
    return scores.copy(data=np.concatenate(rolled, scores.get_axis_num("system")))


def _repeated(scores):
    """Give every score three repeats, some of which differ."""
    noise = np.random.default_rng(5).normal(0, 0.01, (*scores.shape, 3))
    return as_scores(scores.expand_dims(repeat=3, axis=3) + noise)


def hits(seed, n_topics, *, n_metrics=6):
    """Whole-number scores (metric, system, topic), every metric a table of its own: 0 to 11 hits, some with few values.

    Systems 1 and 2 are equal, 3 is 1 plus a constant, 4 is 1 on other topics (an equal mean), 5 and 6 differ on one
    topic, 7 wins and loses one hit in turn.
    """
    rng = np.random.default_rng([seed, n_topics])
    highest = np.resize([11, 3, 8, 2], n_metrics)[:, None, None]
    tables = rng.integers(0, highest, (n_metrics, 7, n_topics))
    tables[:, 1] = tables[:, 0]
    tables[:, 2] = tables[:, 0] + 1
    tables[:, 3] = rng.permuted(tables[:, 0], axis=1)
    tables[:, 5, 1:] = tables[:, 4, 1:]
    tables[:, 6] = tables[:, 4] + np.resize([1, -1], n_topics)
    return tables


WRITTEN = {
    "tenths": lambda hits: hits / 10,
    "per mille": lambda hits: hits / 10 * 1000,
    "thirtieths": lambda hits: hits / 30,
    "with a constant": lambda hits: hits / 10 + 0.3,
    "with a negative constant": lambda hits: hits / 10 - 7.7,
}
"""Ways to write a number of hits out of ten that change nothing."""
TRAITS = ("clusters", "strata", "weights", "gaps")
DEGENERATE = {
    "scores": {
        "one system": lambda scores: scores.isel(system=[0]),
        "two topics": lambda scores: scores.isel(topic=[0, 1]),
        "two systems": lambda scores: scores.isel(system=[0, 1]),
        "all equal": lambda scores: scores.copy(data=np.full(scores.shape, 0.5)),
        "a constant metric": lambda scores: scores.copy(data=scores.to_numpy() * [[[1.0]], [[0.0]]]),
        "one metric": lambda scores: scores.isel(metric=[0]),
        "repeats": _repeated,
        "names": _renamed,
    },
    "collection": {
        "one run": lambda made: made._replace(collection=made.collection.select(systems=made.collection.systems[:1])),
        "one topic": lambda made: made._replace(collection=made.collection.select(topics=made.collection.topics[:1])),
    },
    "labels": {
        "all labels equal": lambda labels: replace(labels, table=labels.table * 0.0),
        "one topic of labels": lambda labels: replace(labels, table=labels.table.iloc[:8]),
    },
    "items": {
        "two systems": lambda items: items.isel(system=[0, 1]),
        "one item": lambda items: items.isel(item=[0]),
        "all scores equal": lambda items: items.copy(data=np.full(items.shape, 0.5)),
    },
    "votes": {
        "two of the systems": lambda votes: votes[votes["left"].isin(["a", "b"]) & votes["right"].isin(["a", "b"])],
        "one question": lambda votes: votes.assign(question="q1"),
        "all ties": lambda votes: votes.assign(winner="tie"),
        "one vote": lambda votes: votes.iloc[:1],
        "a winner of all": lambda votes: votes.assign(
            winner=np.where(votes["left"] == "a", "left", np.where(votes["right"] == "a", "right", votes["winner"]))
        ),
    },
}
CHANGES = {
    "metrics": lambda scores: scores.isel(metric=slice(None, None, -1)),
    "rows": _shuffled("system", 1),
    "columns": _shuffled("topic", 2),
    "beside": _with_other,
    "unit": _scaled(1000.0),
    "zero": _scaled(1.0, 0.5),
    "equal systems": _equal,
    "notes gone": lambda scores: scores.assign_attrs(notes=[]),
    "other notes": lambda scores: scores.assign_attrs(notes=["All scores were read.", "0 topics were left out."]),
    **{trait: lambda scores, trait=trait: with_traits(scores, trait) for trait in TRAITS},
    **{
        unit: lambda scores, written=written: scores.copy(data=written(scores.to_numpy()))
        for unit, written in WRITTEN.items()
    },
    **{change: made for changes in DEGENERATE.values() for change, made in changes.items()},
}


def _partly_labelled(labels):
    """Take the first judge's labels away but for some topics."""
    topics = labels.table.index.get_level_values("topic")
    first = labels.judges[0]
    return replace(labels, table=labels.table.assign(**{first: labels.table[first].where(topics.astype(int) % 3 > 0)}))


def _with_half(tables):
    """Add a system that has half of the first one's hits."""
    return np.concatenate([tables, tables[:, :1] // 2], axis=1).astype(float)


class Asked(NamedTuple):
    """A collection, and the metrics that it is asked for."""

    collection: Any
    metrics: tuple[str, ...] = ("AP", "P@5")


def _collection(*, backwards=False):
    """Return a collection; or the same as if its judgments were read backwards, of other order, and about AP alone."""
    made = simulate_collection(n_groups=4, runs_per_group=2, n_topics=12, n_documents=80, depth=20, pool_depth=8, rng=2)
    if not backwards:
        return Asked(made.to_collection(retrieved="all"))
    made = replace(made, levels={topic: (own[0][::-1], own[1][::-1]) for topic, own in made.levels.items()})
    whole = made.to_collection(retrieved="all")
    systems, topics = (np.random.default_rng(n).permutation(own) for n, own in ((1, whole.systems), (2, whole.topics)))
    return Asked(whole.select(systems=systems, topics=topics), ("AP",))


def _renamed_collection():
    whole = _collection()
    systems = [f"{(SCRIPT, MARKUP)[place % 2]} {place}" for place in range(whole.collection.n_systems)]
    return whole._replace(collection=replace(whole.collection, systems=tuple(systems)))


def _labels(order=range, judges=("a", "b", "c")):
    """Return labels of three people on twelve topics, the topics and documents in an order of their own."""
    drawn = np.random.default_rng(4).integers(0, 3, (3, 12, 8))
    said = {
        judge: {str(topic): {f"d{one}": int(own[topic, one]) for one in order(8)} for topic in order(12)}
        for judge, own in zip(judges, drawn, strict=True)
    }
    return agreement.as_labels(said)


def _items(order=range, systems="abcdef"):
    """Return scores of six systems on ten items by a human and two metrics, the rows in an order of their own."""
    generator = np.random.default_rng(6)
    human = np.arange(6)[:, None] + generator.normal(0, 2, (6, 10))
    cells = {"human": human, "good": human + generator.normal(0, 1, (6, 10)), "poor": generator.normal(0, 1, (6, 10))}
    names = {"system": np.repeat(list(systems), 10), "item": np.tile(np.arange(10), 6)}
    frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
    return agreement.item_scores(frame.iloc[list(order(60))], reference="human")


def _votes(order=range, names="abcde"):
    """Return votes on five systems, the rows in an order of their own."""
    frame = metaeval.simulate.simulate_votes(n_systems=5, n_questions=14, n_voters=12, n_votes=300, rng=4)
    called = {f"system{number}": name for number, name in enumerate(names, start=1)}
    frame = frame.assign(**{side: frame[side].map(called) for side in ("left", "right")})
    return frame.iloc[list(order(300))].reset_index(drop=True)


def _backwards(n):
    return range(n - 1, -1, -1)


INPUTS = {
    "scores": {
        "plain": lambda: simulate_scores(n_systems=8, n_topics=N_TOPICS, metrics=list(OWN), rng=8),
        "wide": lambda: simulate_scores(n_systems=18, n_topics=14, metrics=list(OWN), rng=8),
        "hits": lambda: as_scores(_with_half(hits(1, N_TOPICS, n_metrics=2)), metrics=list(OWN)),
    },
    "collection": {
        "plain": _collection,
        "backwards": lambda: _collection(backwards=True),
        "names": _renamed_collection,
    },
    "labels": {
        "plain": _labels,
        "backwards": lambda: _labels(_backwards),
        "names": lambda: _labels(judges=(SCRIPT, MARKUP, "日本語")),
    },
    "items": {
        "plain": _items,
        "backwards": lambda: _items(_backwards),
        "names": lambda: _items(systems=[f"{(SCRIPT, MARKUP)[place % 2]} {place}" for place in range(6)]),
    },
    "votes": {
        "plain": _votes,
        "backwards": lambda: _votes(_backwards),
        "names": lambda: _votes(names=[f"{(SCRIPT, MARKUP)[place % 2]} {place}" for place in range(5)]),
    },
    "campaign": {
        "plain": lambda: inex.simulate_inex(
            n_systems=3, n_topics=3, n_documents=60, n_results=30, rng=1, published=False
        )
    },
    "nothing": {"plain": lambda: None},
}


@cache
def data(of, variant="plain"):
    """Return data of a kind, changed in the ways that the variant names one after the other."""
    base, *changes = variant.split(" | ")
    made = INPUTS[of][base]()
    for change in changes:
        made = CHANGES[change](made)
    return made


# -------------------------------------------------------------------------------------------------------------- figures

_ENDS = [("system_a", "system_b"), ("first", "second"), ("metric_a", "metric_b")]
_MARKS = {"letter", "marks"}
_KEYS = {"step", "pool_share", "tolerance", "alpha", "size", "k", "n_topics"}


def over_the_largest(frame, name):
    """Return a column in parts of its largest number under each metric: in no unit."""
    return numbers(frame.assign(share=frame[name] / frame.groupby("metric")[name].transform("max")), "share")


def numbers(answer, *names):
    """Return the numbers of an answer by name, in the order of what they are about, whatever order it has them in.

    What is about another metric is left out. Pairs are sorted by the names of both sides, whichever comes first. All
    of a table are asked for where none are named, and the words beside them too.
    """
    if isinstance(answer, Result):
        answer = answer.to_frame()
    if isinstance(answer, Mapping) and not isinstance(answer, xr.Dataset):
        return {f"{key}, {name}": own for key, one in answer.items() for name, own in numbers(one, *names).items()}
    if isinstance(answer, pd.DataFrame):
        return _of_frame(answer, names)
    if isinstance(answer, xr.Dataset):
        return _of_dataset(answer, names)
    return {"": np.asarray(answer, dtype=float)}


def _of_frame(frame, asked):
    frame = frame if frame.index.names == [None] else frame.reset_index()
    words = [name for name in frame if frame[name].dtype.kind not in "iufb"]
    for column in words:
        frame = frame[~frame[column].astype(str).str.startswith("other")]
    for ends in _ENDS:
        if {*ends} <= {*frame}:
            both = np.sort(frame[list(ends)].to_numpy(dtype=str), axis=1)
            frame = frame.assign(**{end: both[:, side] for side, end in enumerate(ends)})
    names = asked or [name for name in frame if name not in words]
    about = [name for name in frame if (name in words or name in _KEYS) and name not in names]
    if about:
        frame = frame.sort_values(about, kind="stable", key=lambda column: column.astype(str))
    beside = {} if asked else {name: frame[name].astype(str).to_numpy() for name in words}
    return beside | {name: frame[name].to_numpy(dtype=float, na_value=np.nan) for name in names}


def by_row(answer):
    """Return all numbers of a table by the words of their rows, and whether the two names of a row stand turned round.

    Words that only mark a place in an order, as letters of systems do, are no names.
    """
    frame = answer.to_frame() if isinstance(answer, Result) and hasattr(answer, "to_frame") else answer
    if not isinstance(frame, pd.DataFrame):
        return {}
    frame = frame if frame.index.names == [None] else frame.reset_index()
    words = [name for name in frame if frame[name].dtype.kind not in "iufb" and name not in _MARKS]
    values = frame.drop(columns=[*words, *(_MARKS & {*frame})]).apply(pd.to_numeric, errors="coerce").to_numpy(float)
    ends = next((ends for ends in _ENDS if {*ends} <= {*words}), ())
    told = {}
    for row, numbers_of_row in zip(frame[words].astype(str).to_dict("records"), values, strict=True):
        names = [row[end] for end in ends]
        row |= dict(zip(ends, sorted(names), strict=True))
        told[*row.values()] = names != sorted(names), numbers_of_row
    return told


def _of_dataset(held, names):
    for dim in ("metric", "predictor", "truth"):
        if dim in held.dims:
            held = held.sel({dim: [name for name in held[dim].to_numpy() if name != "other"]})
    for a, b in _ENDS[:2]:
        if a in held.coords and held[a].dims == ("pair",):
            ends = zip(held[a].to_numpy(), held[b].to_numpy(), strict=True)
            held = held.assign_coords(pair=[" ".join(sorted(pair)) for pair in ends]).sortby("pair")
    for dim in {"system", "topic"} & {*held.dims} & {*held.coords}:
        held = by_name(held, dim)
    names = names or [name for name in held.data_vars if held[name].dtype.kind in "iufb"]
    return {name: held[name].to_numpy().astype(float) for name in names}


def of(part, *names):
    """Return what finds numbers in a part of an answer, or in what a method of it returns."""

    def find(answer):
        found = attrgetter(part)(answer)
        return numbers(found() if callable(found) else found, *names)

    return find


PAIRS = of("data", "p_value", "p_corrected")
PAIRS_OF_STUDY = of("comparison.data", "p_value", "p_corrected")


def _surer(found):
    """Return of every pair the larger probability, whichever system it is for."""
    sides = [found.data[name] for name in ("p_a_better", "p_b_better")]
    return numbers(found.data.assign(surer=np.maximum(*sides)), "surer")


def _by_label(function, dim):
    """Return a function that lays out numbers (metric, system or topic) as rows with names."""

    def call(made):
        columns = made["metric"].to_numpy(), made[dim].to_numpy()
        index = pd.MultiIndex.from_product(columns, names=["metric", dim])
        return pd.DataFrame({"value": np.asarray(function(made)).ravel()}, index)

    return call


def _drawn_differences(made, rng):
    """Return the posterior of every pair in units of its spread, turned so that the first name comes first."""
    found = bayesian_t(made)
    own = found.data.sel(metric="AP")
    ends = list(zip(own["system_a"].to_numpy(), own["system_b"].to_numpy(), strict=True))
    values = found.to_arviz("AP", n_draws=20, rng=rng)["posterior"]["difference"].to_numpy()
    turned = {tuple(sorted(pair)): values[..., at] * (1 if pair[0] < pair[1] else -1) for at, pair in enumerate(ends)}
    drawn = np.array([turned[pair] for pair in sorted(turned)])
    return drawn / drawn.std()


def _bins(found):
    """Return what is counted in bins, and the differences that are read in them, in widths of a bin."""
    width = float(found.bins["lower_edge"][1])
    readings = found.readings.assign(difference=found.readings["difference"] / width)
    counted = numbers(found.bins, "comparisons", "error_rate", "low", "high")
    return counted | numbers(readings, "difference", "share")


def _left(collection, reduced):
    """Return the judgments that are left, by topic and document."""
    topic = collection.topic_of_judgment
    frame = pd.DataFrame(reduced.levels.T).assign(
        topic=np.array(collection.topics)[topic],
        document=collection.document_ids.astype(str),
        kept=reduced.topics[:, topic].sum(axis=0),
    )
    return frame.sort_values(["topic", "document"], ignore_index=True)


def _about_ap(answer):
    """Return the numbers of a table, or of several, in the rows about AP."""
    if isinstance(answer, Mapping):
        return {f"{name}, {figure}": own for name, frame in answer.items() for figure, own in _about_ap(frame).items()}
    frame = answer.to_frame() if isinstance(answer, Result) else answer
    for column in {"metric", "predictor", "truth"} & {*frame}:
        frame = frame[frame[column].str.startswith("AP")]
    return numbers(frame)


# ------------------------------------------------------------------------------------------------------------ the table


@dataclass(frozen=True)
class Entry:
    """How a procedure is asked, and what it is excused from."""

    options: Any = field(default_factory=dict)
    """What it is asked with besides the data and a seed, or a function of the data that says so."""
    figures: Callable[[Any], Mapping[str, np.ndarray]] | None = numbers
    """The numbers of an answer that follow from the data; without any it can only refuse clusters and the like."""
    excused: Mapping[str, str] = field(default_factory=dict)
    """Changes of the data and laws that do not hold for it, with the reason."""
    given: Callable[[Any], Any] = lambda made: made
    """What is handed over; a tuple stands for several things."""
    call: Callable[..., Any] | None = None
    """How data and seed are answered, of what is no function of its name: a method, or a value."""
    of: str = "scores"
    """The kind of data."""


IN_UNITS = dict.fromkeys(["unit", "zero", "ties"], "has the unit of the scores")
FROM_ZERO = dict.fromkeys(["zero", "ties"], "a share of a mean, which counts from zero")
WIDER = dict.fromkeys(["clusters", "strata"], "says how sure a mean is, and leaves it as it is")
ONE_CHANGED = {"equal systems": "one system has other scores in the second version"}
CARRIED = dict.fromkeys(TRAITS, "carries what there is")
AS_A_WHOLE = {"beside": "is about all metrics"}


def _first(made):
    """Return the name of the metric that is asked about."""
    names = made["metric"].to_numpy()
    return str(names[names == "AP"][0] if "AP" in names else names[0])


def _last(made):
    return {"reference": str(made["metric"].to_numpy()[-1])}


def _range(made):
    return float(np.ptp(made.sel(metric=_first(made)).to_numpy()))


def _tries(made):
    """Return 0/1 scores with three repeats: whether a score is above each quartile of its metric, by rank."""
    made = made.mean("repeat") if "repeat" in made.dims else made
    order = rankdata(np.round(made.to_numpy(), 9), axis=made.get_axis_num("topic"), nan_policy="omit")
    ranks = made.copy(data=order)
    parts = [(ranks > made.sizes["topic"] * part / 4).where(np.isfinite(made)) for part in (1, 2, 3)]
    return xr.concat(parts, "repeat").transpose(*made.dims, "repeat").assign_attrs(made.attrs)


def _third_judge(made):
    """Return the scores under one judge more, who scores as the first two do together."""
    third = made.isel(metric=[0]).copy(data=made.isel(metric=[0]).to_numpy() + made.isel(metric=[-1]).to_numpy())
    return xr.concat([third.assign_coords(metric=["third"]), made], "metric").assign_attrs(made.attrs)


def _two_sides(made):
    return made.sel(metric=[_first(made)]), made.isel(metric=[-1])


def _three_collections(made):
    """Return three collections: each lacks a system, and each system is called as the next one is in another.

    Topics have names of their own in each, or else they would be one collection scored again.
    """
    names = sorted(made["system"].to_numpy().tolist())
    rolled = {
        name: made.sel(system=[*names[place:], *names[:place]]).assign_coords(
            system=names, topic=[f"{name} {topic}" for topic in made["topic"].to_numpy().tolist()]
        )
        for place, name in enumerate(("first", "second", "third"))
    }
    return {name: own.drop_sel(system=names[place % len(names)]) for place, (name, own) in enumerate(rolled.items())}


def _versions(made):
    """Return two versions of a board: each lacks an item of the other, and one system's scores differ."""
    own = made.sel(metric=[_first(made)])
    items = sorted(own["topic"].to_numpy().tolist())
    changed = own * xr.where(own["system"] == _names(made)[0], 1.1, 1.0)
    second = own.copy(data=changed.transpose(*own.dims).to_numpy())
    return {"first": own.drop_sel(topic=items[0]), "second": second.drop_sel(topic=items[-1])}


def _names(made):
    return sorted(made["system"].to_numpy().tolist())


def _rates(made):
    return resampling.swap_method(made, n_trials=20, rng=0)


def _chosen(made):
    """Choose runs, and say which of them by name."""
    chosen = select_runs(made, min(4, made.sizes["system"]), np.random.default_rng(5))
    return {"chosen": np.isin(np.sort(made["system"].to_numpy()), chosen["system"].to_numpy()).astype(float)}


def _of_cohorts(found):
    """Return counts, and what subsets keep: clusters and strata are in the tests of the pairs."""
    return numbers(found.to_frame(), "idle", "idle_random", "stays") | numbers(found.subset_frame(), "kept", "kept_all")


DRAWN = {"n_resamples": 50}
OF_SWAPS = of("counts", "swaps", "zero_differences")
FEW = {"n_topic_resamples": 20, "n_choices": 5}
RANKS = {"metric", "system", "rank", "rank_low", "rank_high", "p_best"}
FAVOURED = of("table", "p", "p_corrected")
AGREED = of("data", "share", "n_shared", "precision", "f1", "tau", "rho")
SCORES = {
    "look": Entry(
        figures=lambda found: {word: np.array([float(n)]) for word, n in found.contents.sizes.items()},
        excused=dict.fromkeys(("strata", "weights"), "counts what there is") | {"beside": "a metric more is counted"},
    ),
    # tests
    **{name: Entry(figures=PAIRS) for name in ("paired_t_test", "wilcoxon_test", "sign_test", "friedman_test")},
    "friedman_test, nemenyi": Entry({"method": "nemenyi"}, PAIRS),
    "unpaired_means": Entry(figures=lambda found: over_the_largest(found.to_frame(), "stderr")),
    "quasi_errors": Entry(figures=lambda found: over_the_largest(found.to_frame(), "quasi_error")),
    "friedman_omnibus": Entry(figures=lambda found: numbers(found, "chi_squared", "p_f", "p_exact")),
    **{
        name: Entry(DRAWN, PAIRS)
        for name in ("max_t_test", "tukey_hsd_test", "randomisation_test", "bootstrap_test", "sensitivity_test")
    },
    "compare_systems": Entry(DRAWN | {"test": "randomisation"}, PAIRS),
    "compare_systems, t": Entry(figures=PAIRS),
    "paired_t_test, rests on": Entry(
        {"correction": "none"}, lambda found: numbers(found.rests_on(), "n_dropped", "n_units")
    ),
    "max_t_test, raw": Entry(DRAWN | {"correction": "none"}, PAIRS),
    "bootstrap_test, percentile": Entry(DRAWN | {"method": "percentile"}, PAIRS),
    "bootstrap_test, shifted": Entry(DRAWN | {"method": "shifted"}, PAIRS),
    "bootstrap_sensitivity": Entry(DRAWN, of("data", "asl")),
    "pair_families": Entry(figures=of("to_frame", "p_value", "p_holm", "p_fdr_by"), given=metaeval.compare_systems),
    "difference_intervals": Entry(
        given=metaeval.compare_systems,
        figures=lambda found: numbers(found.assign(width=found.high - found.low), "width"),
        excused=IN_UNITS,
    ),
    "ask": Entry(figures=None),
    # sets of topics
    "swap_method": Entry({"tolerances": [0], "n_trials": 5}, OF_SWAPS),
    "swap_method, significant": Entry(
        {"tolerances": [0], "n_trials": 2, "sizes": [7], "significant_on_first": "max_t"},
        of("counts", "swaps", "comparisons"),
    ),
    "swap_method, relative tolerance": Entry({"tolerances": [0, 0.1], "n_trials": 5}, OF_SWAPS, FROM_ZERO),
    "swap_method, absolute tolerance": Entry(
        lambda made: {"tolerances": [0, _range(made) / 20], "n_trials": 5, "tolerance_unit": "absolute"}, OF_SWAPS
    ),
    "topic_bootstrap": Entry({"tolerances": [0], "n_topic_resamples": 3, "n_trials": 3}),
    "difference_bins": Entry(
        lambda made: {"bin_width": max(_range(made), 0.1) / 60, "n_trials": 5, "n_topic_resamples": 20}, _bins
    ),
    "lay_out": Entry({"sizes": [5], "sampling": "disjoint", "duplicates": "drop", "n_trials": 3}, None),
    "split_half": Entry({"n_splits": 2, **DRAWN}, of("counts")),
    "split_half, max_t": Entry({"tests": ["max_t"], "n_splits": 2, **DRAWN}, of("counts")),
    "split_half, t": Entry({"tests": ["t"], "n_splits": 20}, of("counts")),
    "analyse_cohorts": Entry({"cohorts": ["top7"], "n_splits": 3}, _of_cohorts),
    "compare_subsets": Entry({"n_splits": 2}, of("data", "tau", "kept", "chosen")),
    "choose_data": Entry({"n_topics": 5}, None, CARRIED),
    "chosen_systems": Entry({"choose": "all", "seed": 0}, None),
    "select_runs": Entry(call=_chosen, excused=CARRIED),
    "bayesian_error_rate": Entry(
        {"tolerances": [0], "n_draws": 20},
        lambda found: {"rate": found.error_rate([5, 10]).sel(metric="AP").to_numpy()},
    ),
    "compare_curves": Entry(given=_rates, figures=None),
    "minimum_topics": Entry(
        given=_rates,
        figures=lambda found: numbers(found.to_frame()[["metric", "tolerance", "n_topics"]]),
        excused=FROM_ZERO | AS_A_WHOLE,
    ),
    # power, ranks, chances
    "discriminative_power_interval": Entry(
        {"test": "bootstrap", "n_resamples": 20, "n_topic_resamples": 5}, of("data", "power", "resampled")
    ),
    "discriminative_power_interval, t": Entry({"test": "t", "n_topic_resamples": 40}, of("data", "power", "resampled")),
    "run_choice_power": Entry({"choose": 4, "n_choices": 20, "n_resamples": 20}, of("data", "power", "chosen")),
    "rank_intervals": Entry({"n_draws": 100}, of("data", "rank", "rank_low", "rank_high", "critical_value")),
    "rank_intervals, guaranteed": Entry(
        {"method": "guaranteed"}, of("data", "rank", "rank_low", "rank_high", "critical_value")
    ),
    "best_system": Entry({"n_draws": 50, **DRAWN}, of("data", "p_best", "p_top", "share_of_resamples")),
    "bayesian_t": Entry(figures=_surer),
    "BayesianComparison.to_arviz": Entry(
        call=lambda made, rng: bayesian_t(made).to_arviz(_first(made), n_draws=20, rng=rng), figures=None
    ),
    "BayesianComparison.to_arviz, by name": Entry(call=_drawn_differences),
    # agreement of metrics
    "decision_agreement": Entry({"test": "max_t", **DRAWN}, AGREED),
    "decision_agreement, t": Entry({"test": "t"}, AGREED),
    "agreement_intervals": Entry({"test": "t", "n_topic_resamples": 20}, of("resampled", "share", "precision", "f1")),
    "judge_conclusions": Entry(
        lambda made: _last(made) | {"n_rounds": 5, **DRAWN}, of("table", "tau", "f1", "f1_low", "power"), AS_A_WHOLE
    ),
    "favoured_groups": Entry(
        lambda made: _last(made) | {"groups": dict.fromkeys(_names(made)[::2], MARKUP)}, FAVOURED, AS_A_WHOLE
    ),
    "favoured_by_covariate": Entry(
        lambda made: _last(made) | {"covariate": {name: float(at) ** 2 for at, name in enumerate(_names(made))}},
        FAVOURED,
        AS_A_WHOLE,
    ),
    "judge_panel": Entry(_last, of("table", "effective", "effective_low"), AS_A_WHOLE, given=_third_judge),
    "judge_repeats": Entry(
        given=lambda made: made.assign_coords(metric=[f"judge#{one}" for one in range(made.sizes["metric"])]),
        figures=of("differences", "repeat_share"),
        excused=AS_A_WHOLE,
    ),
    "prediction_powered": Entry(
        given=lambda made: (_two_sides(made)[0].isel(topic=slice(made.sizes["topic"] // 2)), _two_sides(made)[1]),
        figures=None,
        excused={"order": "asked of the first half of the topics"},
    ),
    "topics_with_judge": Entry({"n_topics": 10, "n_judged": 100}, None, AS_A_WHOLE, given=_two_sides),
    # planning
    "pilot_variance": Entry(figures=of("table", "variance"), excused=IN_UNITS),
    "variance_components": Entry(figures=of("components", "share", "share_low")),
    "variance_components, topics": Entry({"measure": "topic"}, of("dependability", "erho2", "phi")),
    "variance_components, judges": Entry(
        {"judges": True, "measure": "judge"},
        of("dependability", "erho2", "phi"),
        AS_A_WHOLE | dict.fromkeys(["unit", "zero", "ties"], "is about how metrics differ"),
    ),
    "pass_rates": Entry(given=_tries, figures=of("table", "any", "all")),
    "check_requirements": Entry(
        lambda made: {"requirements": [" >= ".join(sorted(made["system"].to_numpy().tolist())[:2])]},
        of("table", "low", "p_value"),
        IN_UNITS,
    ),
    "detectable_differences": Entry(figures=of("data", "difference", "freedom"), excused=IN_UNITS),
    "detectable_by_topics": Entry({"n_topics": [20]}, excused=IN_UNITS),
    "topics_to_separate": Entry(figures=of("to_frame", "topics_needed", "effect")),
    "missing_scores": Entry(
        given=_gappy,
        figures=of("related", "difference", "low", "high"),
        excused=CARRIED | IN_UNITS,
    ),
    "design_effect": Entry(
        given=lambda made: with_traits(made, "clusters"),
        figures=None,
        excused=CARRIED | {"order": "clusters here belong to places"},
    ),
    "hierarchical": Entry(figures=_surer),
    # means
    "mean_over_topics": Entry(call=_by_label(mean_over_topics, "system"), excused=IN_UNITS | WIDER),
    "mean_over_own_topics": Entry(call=_by_label(mean_over_own_topics, "system"), excused=IN_UNITS | WIDER),
    "settled_mean_over_topics": Entry(call=_by_label(settled_mean_over_topics, "system"), excused=IN_UNITS | WIDER),
    "aggregate_table": Entry({"aggregates": ["mean"]}, excused=IN_UNITS | WIDER),
    "aggregate_scores": Entry(figures=None, excused=CARRIED),
    "analyse_items": Entry(figures=of("data", "discrimination", "n_systems"), excused=WIDER),
    "discrimination": Entry(call=_by_label(discrimination, "topic"), excused=WIDER),
    "means_of_systems": Entry(figures=lambda found: numbers(found, "mean", "low"), excused=IN_UNITS),
    "conclusions_of": Entry(
        figures=lambda found: numbers(found, "n_significant", "n_significant_fdr_by", "topics_needed", "tau", "kept"),
        excused=AS_A_WHOLE,
    ),
    "version_drift": Entry(
        given=lambda made: tuple(_versions(made).values()),
        figures=lambda found: numbers(found.to_frame(), "by_items", "by_scores", "p_corrected"),
        excused=IN_UNITS | WIDER | ONE_CHANGED,
    ),
    # studies
    "study_judge_drift": Entry(
        given=lambda made: tuple(_versions(made).values()),
        figures=lambda found: numbers(found.to_frame(), "change", "judge", "judge_low", "p_corrected"),
        excused=IN_UNITS | WIDER | ONE_CHANGED,
    ),
    "study_boards": Entry(
        given=lambda made: (_versions(made),),
        figures=lambda study: numbers(study.to_frame(), "first", "first_low", "second_high"),
    ),
    "study_collections": Entry(
        {"n_topic_resamples": 20},
        lambda study: numbers(study.to_frame(), "mean", "low", "new_high"),
        given=lambda made: (_three_collections(made),),
    ),
    "study_collections, table": Entry(
        {"study": "table"},
        lambda study: numbers(study.to_frame(), "p_value", "i2"),
        given=lambda made: (_three_collections(made),),
    ),
    "study_reproduction": Entry(
        lambda made: {"baseline": _names(made)[-1]},
        lambda study: numbers(study.to_frame(), "p_value", "p_corrected", "effect_ratio", "effect_ratio_low"),
        excused=IN_UNITS | WIDER,
        given=lambda made: tuple(_versions(made).values()),
    ),
    "study_compare_tests": Entry(
        {"tests": ["t", "bootstrap"], "n_splits": 3, **DRAWN}, of("halves.counts"), {"clusters": "a half has too few"}
    ),
    "study_compare_tests, t": Entry({"tests": ["t"], "n_splits": 20}, of("halves.counts")),
    "study_power": Entry(
        {"tests": ["bootstrap", "randomisation", "max_t", "bootstrap_sensitivity"], "choose": 4, **DRAWN},
        of("to_frame", "n_significant", "power"),
    ),
    "study_power, t": Entry({"tests": ["t"]}, lambda study: PAIRS(study.comparisons[0])),
    "study_table": Entry({"test": "bootstrap", "choose": 4, **DRAWN}, PAIRS_OF_STUDY),
    "study_table, t": Entry(figures=PAIRS_OF_STUDY),
    "study_leaderboard": Entry(
        {"n_splits": 2, **DRAWN},
        lambda study: PAIRS_OF_STUDY(study) | numbers(study.to_frame()[[*RANKS & {*study.to_frame()}]]),
    ),
    "study_agree": Entry({"tests": ["bootstrap"], "alphas": [0.3], "choose": 4, "n_topic_resamples": 20, **DRAWN}),
    "study_agree, t": Entry({"tests": ["t"], "n_topic_resamples": 20}),
    "study_compare_metrics": Entry(
        lambda made: {"current": _first(made), "test": "bootstrap", "topics": False, **FEW, **DRAWN},
        of("to_frame", "power", "power_low", "power_high", "power_by", "tied_share"),
    ),
    "study_topics": Entry(
        {"sizes": [5, 7], "tolerances": [0.05], "n_trials": 3, "modelled": [], "n_topic_resamples": 150},
        of("error_rates.counts", "swaps", "zero_differences"),
        FROM_ZERO,
    ),
    "study_components": Entry({"n_splits": 2}, of("to_frame", "share", "difference_share")),
    "study_design": Entry(figures=of("to_frame", "n_topics", "variance"), excused=IN_UNITS),
    "study_stopping": Entry(
        lambda made: {"arrival": sorted(made["topic"].to_numpy().tolist()), "burn_in": 3, "n_replays": 2},
        of("to_frame", "n", "log10_evidence", "fixed"),
    ),
}

WHOLE = attrgetter("collection")
REPEATED = {"n_replicates": 2, "n_tested": 1, "test": "max_t", "n_resamples": 30}
RANKED = REPEATED | {"steps": [30, 70], "choose": 4, "ranked": 5, "top": 3}
DRAWN_OF_T = {"tests": ["max_t"], "corrections": ["none"], "n_resamples": 30, "n_topic_resamples": 3}
AUDITED = DRAWN_OF_T | {"gains": "{1:1, 2:3, 3:9}"}


_OF_METRICS = ("between_metrics", "completions", "completion_pairs")
"""Tables of a study of judgments that say nothing of AP."""


def _both(made):
    return made.collection, list(made.metrics)


COLLECTIONS = {
    "reduce_judgments": Entry({"reduction": "stratified", "steps": [50]}, None, given=WHOLE),
    **{
        f"reduce_judgments, {way}": Entry(
            call=lambda made, rng, way=way: _left(
                made.collection, resampling.reduce_judgments(made.collection, reduction=way, rng=rng, steps=[5, 12])
            )
        )
        for way in REDUCTIONS
    },
    "equal_effort": Entry({"steps": [30, 70]}, given=WHOLE),
    "equal_effort, plans": Entry(
        call=lambda made, rng: {
            name: _left(made.collection, plan)
            for name, plan in resampling.equal_effort(made.collection, steps=[30, 70], rng=rng).plans.items()
        }
    ),
    "prefer_runs": Entry(
        {"preferences": "RPP"},
        lambda found: numbers(found.to_frame().assign(mean=lambda frame: frame["mean"].abs()), "mean"),
        given=WHOLE,
    ),
    "measure_stability": Entry(RANKED, _about_ap, given=_both),
    "study_judgments": Entry({"questions": ["less-judging"], "steps": [50], "n_replicates": 2}, _about_ap, given=_both),
    "study_judgments, everything": Entry(
        RANKED | {"sizes": [5, 12], "pool_shares": [50]},
        lambda study: _about_ap({key: one for key, one in study.tables().items() if key not in _OF_METRICS}),
        given=_both,
    ),
    "audit_quantisations": Entry(AUDITED, _about_ap, given=lambda made: (made.collection, [*made.metrics, "nDCG@5"])),
    "adaptive_depth": Entry({"start": 1, "step": 1, "pool_depth": 8}, None, given=WHOLE),
    "leave_group_out": Entry({"pool_depth": 4}, _about_ap, given=_both),
    "original_pool": Entry(given=WHOLE, figures=None),
    "completion_bounds": Entry(
        {"metrics": ["P@5", "RBP(p=0.8)"]}, lambda found: numbers(found.to_frame(), "n_hold"), given=WHOLE
    ),
    "pool_sufficiency": Entry({"sizes": [6]}, _about_ap, given=_both),
    "Collection": Entry(call=WHOLE, figures=None),
    "Collection.statistics": Entry(call=lambda made: made.collection.statistics()),
}
LABELLED = {
    "latent_classes": Entry(figures=None, excused={"answer": "a chain of half a minute"}),
    "compare_labels": Entry(DRAWN, of("pairs")),
    "corrected_scores": Entry(lambda labels: {"reference": labels.judges[0]}, of("table"), given=_partly_labelled),
    "favoured_items": Entry(
        lambda labels: {
            "reference": labels.judges[0],
            "covariate": {item: float(sum(map(ord, item)) % 7) for _, item in labels.table.index},
        },
        of("table"),
    ),
    "rank_judges": Entry(lambda labels: {"reference": labels.judges[0], **DRAWN}, of("table")),
    "second_people": Entry(
        {"n_choices": 2}, lambda found: {"weight": np.sort(found.weights)}, given=lambda labels: (labels, labels.judges)
    ),
    "study_judges": Entry(DRAWN),
    "Labels": Entry(figures=None, call=lambda labels: labels),
    "JudgeInput": Entry(
        figures=None,
        call=lambda labels: metaeval.io.JudgeInput(
            labels=labels.table, annotations={}, assessments={}, scores={}, files=(SCRIPT,)
        ),
    ),
}
BY_ITEM = {
    "human_agreement": Entry(DRAWN),
    "compare_with_human": Entry(DRAWN),
    "meta_metrics": Entry({"n_flips": 40, "n_chance": 2, **DRAWN}),
    "study_human": Entry({"test": "bootstrap", **DRAWN}),
    "study_campaign": Entry({"n_flips": 40, "n_chance": 2, **DRAWN}),
}
BY_VOTES = {
    "bradley_terry": Entry(),
    "bradley_terry, Davidson": Entry({"ties": "davidson"}),
    "judge_weights": Entry(
        figures=of("table"),
        given=lambda votes: votes.assign(voter=[f"v{sum(map(ord, name)) % 2}" for name in votes["voter"]]),
    ),
    "vote_plan": Entry(given=metaeval.models.bradley_terry),
    "settled_pairs": Entry(
        given=lambda votes: (
            metaeval.models.bradley_terry(votes),
            as_scores(np.arange(60).reshape(5, 12) % 7 / 7, systems=sorted({*votes["left"], *votes["right"], "e"})[:5]),
        ),
        figures=None,
    ),
    "powered_strengths": Entry(given=lambda votes: (votes, votes), figures=lambda found: numbers(found.to_frame())),
    "study_settled": Entry(
        given=lambda votes: ({"people": votes, "judge": votes},),
        figures=lambda study: numbers(study.habits.drop(columns="votes")),
    ),
    "one_dimension": Entry(
        given=lambda votes: (metaeval.io.as_votes(votes), metaeval.models.bradley_terry(votes)),
        figures=lambda found: {"F": np.array([found.statistic, found.explained])},
    ),
    "vote_ratings": Entry(
        figures=lambda found: numbers(found.drop(columns="elo")), excused={"order": "Elo goes from vote to vote"}
    ),
    "elo_ratings": Entry({"n_orders": 3}, None),
    "study_votes": Entry(figures=lambda study: numbers(study.to_frame()[["system", "strength", "win_rate", "votes"]])),
    "study_stopping, votes": Entry({"burn_in": 3}, of("to_frame", "n", "log10_evidence")),
    "Votes": Entry(figures=None, call=metaeval.io.as_votes, excused={"order": "holds votes as they came"}),
}
OF_CAMPAIGNS = {
    "study_assessment": Entry(
        lambda made: {"submissions": made.submissions, "sizes": made.sizes}, None, given=attrgetter("assessments")
    ),
    "study_reliability": Entry(figures=None, given=attrgetter("assessments")),
    "element_collection": Entry(
        lambda made: {"sizes": made.sizes}, None, given=attrgetter("submissions", "assessments")
    ),
    "Assessments": Entry(figures=None, call=attrgetter("assessments")),
    "Submission": Entry(figures=None, call=lambda made: made.submissions[0]),
}
_SLIPS = np.arange(40) % 3
_PEOPLE = pd.DataFrame({name: np.where(np.arange(40) % 5 == slip, 0, _SLIPS) for slip, name in enumerate("abc")})
_SCALES = pd.DataFrame(
    {"nist": [0, 0, 0, 1, 1, 2], SCRIPT: [0.5, 1, 1.5, 3.5, 4, 5]},
    index=pd.MultiIndex.from_product([["1"], list("abcdef")], names=["topic", "item"]),
)
_BOARD = pd.DataFrame({"model": [SCRIPT, MARKUP, "x"], "acc": [0.7, 0.6, 0.5], "stderr": [0.02, 0.02, 0.03]})


def _passages(_):
    made = inex.simulate_inex(
        year=2007, n_systems=3, n_topics=3, n_documents=60, n_results=30, task="focused", rng=1, published=False
    )
    return made.submissions, made.assessments


ALONE = {
    "simulate_scores": Entry({"n_systems": 4, "n_topics": 5}, None),
    "simulate_votes": Entry({"n_systems": 3, "n_votes": 20}, None),
    "simulate_population": Entry({"n_systems": 4}, None),
    "Population.draw": Entry(
        call=lambda _, rng: metaeval.simulate.simulate_population(n_systems=4, rng=0).draw(5, rng=rng), figures=None
    ),
    "simulate_collection": Entry({"n_topics": 3, "n_documents": 30, "depth": 10, "pool_depth": 5}, None),
    "simulate_inex": Entry({"n_systems": 2, "n_topics": 2, "n_documents": 20, "n_results": 5}, None),
    "examine_metric": Entry({"metric": "RBP(p=0.8)", "n_collections": 1}, None),
    "passage_collection": Entry(figures=None, given=_passages),
    "alt_test": Entry(figures=None, given=lambda _: (_PEOPLE, pd.Series(_SLIPS, name=SCRIPT))),
    "map_scales": Entry({"labels": _SCALES, "reference": "nist"}, None),
    "rank_intervals_from_errors": Entry(
        {"means": {SCRIPT: 0.7, MARKUP: 0.6, "x": 0.5}, "errors": {SCRIPT: 0.02, MARKUP: 0.02, "x": 0.03}},
        of("data", "rank_low", "rank_high"),
    ),
    "rank_intervals_from_covariance": Entry(
        {"estimates": [0.7, 0.6, 0.5], "covariance": np.eye(3) / 400, "systems": [SCRIPT, MARKUP, "x"]},
        of("data", "rank_low", "rank_high"),
    ),
    "study_leaderboard, means": Entry({"scores": _BOARD}, None),
    "fit_exponential": Entry({"sizes": [5, 10, 20], "rates": [0.2, 0.1, 0.025]}, None),
    "default_registry": Entry(figures=None, excused={"pickle": "holds functions"}),
}
EVERY = {
    name: replace(entry, of=kind)
    for kind, entries in {
        "scores": SCORES, "collection": COLLECTIONS, "labels": LABELLED, "items": BY_ITEM, "campaign": OF_CAMPAIGNS,
        "votes": BY_VOTES,
        "nothing": ALONE,
    }.items()
    for name, entry in entries.items()
}  # fmt: skip
"""Every entry by its name."""

OTHERWISE = {
    reason: {*names.split()}
    for reason, names in {
        "figures of two lists of numbers": """
            best_of_reference fit_power_law kendall_p_value kendall_tau pearson rank_biased_overlap spearman
            scipy_test tau_ap williams_test""",
        "figures of means, or of scores by item, which the studies of agreement with people ask for": """
            compared_cells compared_decisions mean_by_cluster oriented pair_agreement pair_by_cluster reference_of
            system_statistics williams_of_items williams_table""",
        "figures of labels, of assessors or of runs that draw nothing": """
            agreement_baselines labels_of_one_system character_ratios document_agreement element_agreement
            element_curves
            generalised_precision_curves highlighted_elements inex_eval_table interpolated_precision_curves
            expectations metric_values new_run_coverage passage_agreement pool_growth precision_recall_curves
            reliability_runs run_overlap score""",
        "sizes of topic sets, from a few numbers": """
            cost_model expected_conclusions mapped_indicators minimum_topics_table top_heaviness
            topic_set_size_for_anova topic_set_size_for_interval
            topic_set_size_for_t corrected_share divided_labels""",
        "makes data of what it is given": """
            as_labels as_scores as_votes collection_from continuation groups_from_regex ir_measures_provider item_scores
            judgments_of_labels load_plugin load_plugins metric parse_expectations parse_name place_passages
            resolve_metrics resolve_rng resolve_seed short_label show_progress split_names spoiled_translations
            system_means topics_by_cluster""",
        "asks a function of another package, and is asked by its name: tests/tests_stat/test_installed.py": """
            installed_test""",
        "reads or writes files": """
            refuse_apart
            as_precision netcdf_of read_annotations read_article read_assessment_log read_assessments
            read_campaign read_collection read_element_sizes read_groups read_items read_judges read_labels read_pool
            read_qrels read_runs read_scores read_submission read_submissions read_votes score_files score_report
            scores_to_long write_assessments write_element_sizes write_scores write_submission""",
        "says what scores have, or puts them in order": """
            better_direction by_name cohort_names complete_block constant_systems design_notes flat_items
            flat_judge_notes flat_metric_notes in_content_order labels_of_scores means_cut means_of_few on_another_scale
            groups_of_topics identical_systems in_groups scores_left_out unit_of named_pairs
            few_topics_note without_variation
            note_of_gaps oriented_values other_first_of_corpus placed residuals_of_units settled_gaps system_groups
            topics_by_name
            exact_signs gaps_of minus_ones repeats_of_metrics runs_differ runs_move runs_said wins_of_one_size
            means_by_levels nested_clusters tabulated these_clusters topic_weights traits_said units_of
            with_clusters""",
        "a part of a procedure in the table": """
            check_metric effects_of_pairs finds_more_without first_places first_rests on_these_topics
            requirement_witness
            run_test sample_of_topics verdicts_of_draws vote_ranks""",
    }.items()
}
"""What is public, draws or takes scores, and has no entry, by the reason."""
SHOWN_BY_OTHERS = {
    "MetricVerdict": "a part of what study_compare_metrics finds",
    "ArticlePlaces": "places in one article",
    "EffortPlans": "a part of what study_judgments finds",
    "Campaign": "what is read for study_campaign",
    "Expectations": "figures of user models, by run",
    "JudgedCollection": "what collections have in common",
    "PoolRuns": "a part of a collection",
    "Study": "what studies have in common",
}
"""Results that no entry gives, with the reason."""


# -------------------------------------------------------------------------------------------------------------- answers


_ELSEWHERE = {
    "ask": "tests_stat.pairs",
    "sensitivity_test": "tests_stat.sensitivity",
    "topic_bootstrap": "resampling.swap",
    "lay_out": "resampling.topic_sets",
    "judge_conclusions": "resampling.judge_conclusions",
    "chosen_systems": "studies.study",
    "select_runs": "table.scores",
    "design_effect": "models.design_effect",
    "mean_over_topics": "table.structure",
    "mean_over_own_topics": "table.structure",
    "settled_mean_over_topics": "table.structure",
    "discrimination": "agreement.item_statistics",
    "means_of_systems": "resampling.system_means",
    "conclusions_of": "questions.leaderboard.study",
    "examine_metric": "testing",
}
"""Modules of what is in no chapter, or under another meaning."""


@cache
def thing(name):
    """Return the function, method or class that an entry is named after."""
    first, *rest = name.split(", ")[0].split(".")
    places = [importlib.import_module(f"metaeval.{_ELSEWHERE[first]}")] if first in _ELSEWHERE else chapters()
    found = next(getattr(place, first) for place in places if first in getattr(place, "__all__", [first]))
    for part in rest:
        found = getattr(found, part)
    return found


def chapters():
    """Return the package and its chapters but for the figures, which take frames."""
    names = [name for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name)) and name != "figures"]
    return [metaeval, *(getattr(metaeval, name) for name in names)]


def is_public(name):
    """Say whether a user would call it; what is not public may expect scores that were looked at before."""
    return name.split(".")[0] not in _ELSEWHERE


def draws(name):
    """Say whether a procedure takes a seed."""
    return inspect.isfunction(thing(name)) and "rng" in inspect.signature(thing(name)).parameters


class Tasks:
    """A reporter that counts the steps of every task: its description, what is promised, what is done."""

    def __init__(self):
        self.seen = []

    def start(self, description, total):
        """Note what is promised."""
        self.seen.append([description, total, 0])
        return len(self.seen) - 1

    def advance(self, task, steps=1):
        """Count what is done."""
        self.seen[task][2] += steps

    def finish(self, task):
        """Leave the counts as they are."""


class Outcome(NamedTuple):
    """What came of a call: an answer or a refusal; the tasks that were told; linear algebra outside `in_one_order`."""

    answer: Any
    refusal: str
    tasks: list[list[Any]]
    outside: set[str]


def ask(name, made, rng=7):
    """Ask a procedure about data."""
    entry = EVERY[name]
    seed = {"rng": rng} if draws(name) else {}
    if entry.call is not None:
        return entry.call(made, **seed)
    given = entry.given(made)
    options = entry.options(made) if callable(entry.options) else entry.options
    handed = given if type(given) is tuple else () if entry.of == "nothing" else (given,)
    return thing(name)(*handed, **options, **seed)


@cache
def outcome(name, variant="plain"):
    """Ask a procedure about a variant of its data, once."""
    tasks = Tasks()
    with seen_outside() as outside:
        try:
            with reporting(tasks):
                return Outcome(ask(name, data(EVERY[name].of, variant)), "", tasks.seen, outside)
        except MetaevalError as error:
            return Outcome(None, str(error), tasks.seen, outside)


def answer(name, variant="plain"):
    """Return the answer; a refusal is no answer."""
    found = outcome(name, variant)
    assert not found.refusal, f"{name}, {variant}: {found.refusal}"
    return found.answer


def figures(name, variant="plain"):
    """Return the figures of an answer."""
    return EVERY[name].figures(answer(name, variant))
