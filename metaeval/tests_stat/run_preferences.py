"""Which of two rankings of one topic is better, without gains: recall-paired and lexicographic preferences."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_kind, check_list, check_share
from metaeval.base.metric_names import MetricNameError, parse_name
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics.lists import RankedLists, lists_for
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads
from metaeval.table.vote_set import Votes
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.tails import student_p

_KINDS = {"RPP": 0, "invRPP": 1, "dcgRPP": 2, "lexi-precision": 3, "lexi-recall": 4, "rr-lexi-precision": 5}
PREFERENCES = tuple(_KINDS)
"""Names of the preferences."""
_LEXICOGRAPHIC, _RECALL = 3, 4
_ROUNDING = 1e-12


class _PreferenceOptions(NamedTuple):
    name: str
    kind: int
    rel: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunPreferences(Result):
    """Preferences between all pairs of runs on every topic."""

    data: xr.DataArray
    """From -1 (the second run is better) to 1 (the first is). Dims ``metric`` (names of the preferences), ``pair``
    with the coordinates ``system_a`` and ``system_b``, and ``topic``."""
    systems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the preferences."""
        return tuple(self.data["metric"].to_numpy().tolist())

    def _found(self) -> str:
        topics = count(self.data.sizes["topic"], unit().topic)
        return f"on {topics} {self.comparison()._found()}"  # noqa: SLF001 - as every test of pairs says it

    def to_frame(self) -> pd.DataFrame:
        """Return one row a preference and pair of runs.

        The columns are ``metric``, ``system_a``, ``system_b``, ``mean`` (over topics; positive where a is better),
        ``n_better``, ``n_worse`` and ``n_equal`` (topics).
        """
        values = self.data.to_numpy()
        parts = []
        for name, preferences in zip(self.names, values, strict=True):
            columns = {side: self.data[side].to_numpy() for side in ("system_a", "system_b")}
            signs = [(preferences > 0).sum(axis=1), (preferences < 0).sum(axis=1), (preferences == 0).sum(axis=1)]
            frame = pd.DataFrame({"metric": name, **columns, "mean": preferences.mean(axis=1)})
            parts.append(frame.assign(n_better=signs[0], n_worse=signs[1], n_equal=signs[2]))
        return pd.concat(parts, ignore_index=True)

    def comparison(self, correction: str = "fdr_by", *, alpha: float = 0.05) -> PairwiseResult:
        """Return the t test of every pair, whether its mean preference over topics is different from 0.

        Parameters
        ----------
        correction : str, default "fdr_by"
        alpha : float, default 0.05
        """
        check_share(alpha, "alpha")
        values = self.data.to_numpy()
        n_topics = values.shape[2]
        mean = values.mean(axis=2)
        mean = np.where(np.abs(mean) < _ROUNDING, 0.0, mean)
        error = values.std(axis=2, ddof=1) / np.sqrt(n_topics) if n_topics > 1 else np.full_like(mean, np.inf)
        error = np.where(error < _ROUNDING, 0.0, error)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(mean == 0.0, 0.0, mean / error)
        variables = {
            "difference": mean,
            "statistic": statistic,
            "p_value": student_p(max(n_topics - 1, 1), statistic, n_topics).p,
            "better": np.sign(mean).astype(np.int8),
        }
        data = xr.Dataset(
            {name: (("metric", "pair"), column) for name, column in variables.items()},
            coords={
                "metric": list(self.names),
                "higher_is_better": ("metric", [True] * len(self.names)),
                "system_a": ("pair", self.data["system_a"].to_numpy()),
                "system_b": ("pair", self.data["system_b"].to_numpy()),
            },
        )
        bare = PairwiseResult(
            data=data,
            test="t",
            alternative="two-sided",
            correction="none",
            alpha=float(alpha),
            baseline=None,
            n_systems=len(self.systems),
            n_topics=n_topics,
            details=MappingProxyType({}),
        )
        return bare.with_correction(correction)

    def votes(self, name: str | None = None) -> Votes:
        """Return the preferences as votes, one a pair of runs and topic, which is the question.

        Parameters
        ----------
        name : str, optional
            Which preference; the first by default. A share of 1 is a preference of 1, a tie is a preference of 0.
        """
        chosen = self.names[0] if name is None else name
        check_choice(chosen, "preference", self.names)
        values = self.data.sel(metric=chosen).to_numpy()
        first, second = all_pairs(len(self.systems))
        n_topics = values.shape[1]
        return Votes(
            systems=self.systems,
            left=np.repeat(first, n_topics),
            right=np.repeat(second, n_topics),
            share=(1.0 + values.ravel()) / 2,
            weight=np.ones(values.size),
            units={"question": np.tile(np.arange(n_topics), len(first))},
            names={"question": tuple(map(str, self.data["topic"].to_numpy()))},
            read_as=f"preferences between runs ({chosen})",
            notes=self.notes,
        )

    def _draw(self) -> Figure:
        """Draw the mean of the first preference of every run over every other."""
        from metaeval.figures.agreement import share_map  # noqa: PLC0415 - matplotlib

        n = len(self.systems)
        mean = np.full((n, n), np.nan)
        first, second = all_pairs(n)
        pair_means = self.data.to_numpy()[0].mean(axis=1)
        mean[first, second], mean[second, first] = pair_means, -pair_means
        order = np.argsort(-np.nanmean(mean, axis=1), kind="stable")
        names = [self.systems[index] for index in order]
        shares = pd.DataFrame((1 + mean[np.ix_(order, order)]) / 2, names, names)
        return share_map(shares, pd.DataFrame(float(self.data.sizes["topic"]), names, names))


def prefer_runs(collection: JudgedCollection, preferences: str | Sequence[str] = PREFERENCES) -> RunPreferences:
    r"""Compare all pairs of runs topic by topic by the ranks of the relevant documents alone.

    Parameters
    ----------
    collection : JudgedCollection
        Runs and judgments.
    preferences : str or sequence of str
        "RPP" (recall-paired preference), "invRPP" and "dcgRPP" (the same with weights 1/i and 1/log(i + 1)),
        "lexi-recall", "lexi-precision" and "rr-lexi-precision"; all of them by default. With ``(rel=2)`` behind the
        name documents from level 2 on count.

    Returns
    -------
    RunPreferences
        On the topics that have something relevant. One row a preference (``metric``) and pair in ``to_frame()``: see
        `RunPreferences.to_frame`.

    Raises
    ------
    UnknownNameError, InvalidOptionError
        For a preference that is not known.

    See Also
    --------
    metaeval.questions.votes.study.study_votes : ranks by votes, which preferences are too
    metaeval.score : scores of runs

    Notes
    -----
    :math:`x_i` is the rank of the i-th relevant document that a run finds, infinite where it finds fewer, and m the
    number of relevant documents of the topic. Recall-paired preference [1]_ is

    .. math:: RPP(x, y) = \sum_{i=1}^{m} w_i \, \mathrm{sgn}(y_i - x_i), \quad \sum_i w_i = 1

    with equal weights. With more than one grade, grades count: for every grade g of the topic it is computed from the
    documents of grade g or higher, and the mean over the grades has the numbers of these documents, :math:`m_{\ge g}`,
    as weights: a document of a high grade counts in several. ``RPP(rel=1)`` takes relevant documents alike.
    Lexicographic precision [2]_ is the sign of the first :math:`y_i - x_i` that is not 0 from the top, lexicographic
    recall [3]_ that of the last one; the reciprocal variant of the former is :math:`1 / x_i - 1 / y_i` there. None of
    them is a difference of scores. Lexicographic ones order the runs of a topic, RPP need not.

    References
    ----------
    .. [1] Diaz and Ferraro (2022). Offline retrieval evaluation without evaluation metrics. SIGIR 2022, 599-609.
       :doi:`10.1145/3477495.3532033`
    .. [2] Diaz (2023). Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic
       precision. arXiv 2306.07908.
    .. [3] Diaz and Mitra (2023). Recall, robustness, and lexicographic evaluation. arXiv 2302.11370.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d9", "d2"]}, "b": {"1": ["d9", "d2", "d1"]}}
    >>> found = prefer_runs(collection_from_rankings(runs, {"1": {"d1": 1, "d2": 1}}), ["RPP", "lexi-precision"])
    >>> found.to_frame()[["metric", "system_a", "system_b", "mean"]].to_numpy().tolist()
    [['RPP', 'a', 'b', 0.5], ['lexi-precision', 'a', 'b', 1.0]]
    """
    check_kind(collection, "collection", "JudgedCollection")
    asked = [read_preference(name) for name in dict.fromkeys(check_list(preferences, "preferences", ["RPP"]))]
    if not asked:
        raise InvalidOptionError(f"`preferences` is empty; name some of {', '.join(PREFERENCES)}")
    lists = lists_for(collection.by_document)
    counted = lists.n_relevant() > 0
    first, second = all_pairs(collection.n_systems)
    values = np.stack([_values(lists, preference, first, second) for preference in asked])[:, :, counted]
    names = np.array(collection.systems)
    topics = [topic for topic, has_relevant in zip(collection.topics, counted, strict=True) if has_relevant]
    data = xr.DataArray(
        values,
        {
            "metric": [preference.name for preference in asked],
            "system_a": ("pair", names[first]),
            "system_b": ("pair", names[second]),
            "topic": topics,
        },
        ("metric", "pair", "topic"),
        name="preference",
    )
    return RunPreferences(data=data, systems=tuple(collection.systems), notes=tuple(collection.notes))


def read_preference(text: str) -> _PreferenceOptions:
    """Read the name of a preference, with the lowest relevant level where it is given."""
    try:
        call = parse_name(text)
    except MetricNameError as error:
        raise InvalidOptionError(f"{text!r} is no preference: {error}") from error
    names = {name.casefold(): name for name in _KINDS}
    name = names.get(call.word.casefold())
    if name is None:
        raise UnknownNameError("preference", call.word, list(_KINDS))
    arguments = dict(call.arguments)
    rel = arguments.pop("rel", None)
    others = arguments or call.cutoff is not None or call.judged_only
    if others or isinstance(rel, bool) or not isinstance(rel, int | float | None):
        raise InvalidOptionError(f"a preference takes rel alone, such as {name}(rel=2), not {text!r}")
    return _PreferenceOptions(name if rel is None else f"{name}(rel={rel:g})", _KINDS[name], rel)


def _values(lists: RankedLists, asked: _PreferenceOptions, first: Ints, second: Ints) -> Floats:
    least = 1 if asked.rel is None else max(lists.level_from(asked.rel), 1)
    graded = asked.rel is None and asked.kind < _LEXICOGRAPHIC
    counts = np.ascontiguousarray(lists.counts)
    preferences = np.empty((len(first), len(counts)))
    arguments = (lists.offsets, lists.ranks, lists.levels, counts, first, second, least, graded, asked.kind)
    _preferences(len(preferences), *arguments, preferences)
    return preferences


@on_threads
@compiled
def _preferences(  # noqa: C901, PLR0912, PLR0913, PLR0917 - a kernel takes arrays, by position
    start: int,
    stop: int,
    offsets: Ints,
    ranks: NDArray[np.int32],
    levels: NDArray[np.int16],
    counts: Ints,
    first: Ints,
    second: Ints,
    least: int,
    graded: bool,  # noqa: FBT001 - as above
    kind: int,
    found: Floats,
) -> None:
    """Fill in the preference of every pair on every topic, an array (pair, topic)."""
    n_topics, n_levels = counts.shape
    for pair in range(start, stop):
        for topic in range(n_topics):
            row_a, row_b = first[pair] * n_topics + topic, second[pair] * n_topics + topic
            total, weighed = 0.0, 0.0
            for level in range(least, n_levels if graded else min(least + 1, n_levels)):
                if graded and counts[topic, level] == 0:
                    continue
                number = int(counts[topic, level:].sum())
                if number == 0:
                    continue
                a, b = offsets[row_a], offsets[row_b]
                end_a, end_b = offsets[row_a + 1], offsets[row_b + 1]
                position = 0
                value, mass, last = 0.0, 0.0, 0.0
                while True:
                    while a < end_a and levels[a] < level:
                        a += 1
                    while b < end_b and levels[b] < level:
                        b += 1
                    if a >= end_a and b >= end_b:
                        break
                    x = 1.0 / ranks[a] if a < end_a else 0.0
                    y = 1.0 / ranks[b] if b < end_b else 0.0
                    sign = float(np.sign(x - y))
                    if kind >= _LEXICOGRAPHIC:
                        if kind != _RECALL and sign != 0.0:
                            value = sign if kind == _LEXICOGRAPHIC else x - y
                            break
                        last = sign if sign != 0.0 else last
                    else:
                        weight = (
                            1.0 if kind == 0 else 1.0 / (position + 1.0) if kind == 1 else 1.0 / np.log2(position + 2.0)
                        )
                        value += weight * sign
                        mass += weight
                    position += 1
                    a += a < end_a
                    b += b < end_b
                if kind == _RECALL:
                    value = last
                elif kind < _LEXICOGRAPHIC:
                    for index in range(position, number):
                        mass += 1.0 if kind == 0 else 1.0 / (index + 1.0) if kind == 1 else 1.0 / np.log2(index + 2.0)
                    value = value / mass
                total += number * value
                weighed += number
            found[pair, topic] = total / weighed if weighed > 0.0 else 0.0
