"""How many independent judges a panel is worth: their errors hang together, and part of them is the reference's own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_share, t_half_width
from metaeval.base.names import natural_order
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores

_THREE = 3
_SPLITS = 20
_MOST_TRIED = 40
"""Judges of whom every panel of three is tried; of more, the best ones."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgePanel(Result):
    """The effective number of judges of panels, by the errors of the judges beside a reference."""

    table: pd.DataFrame
    """One row a panel: ``panel`` ("one", "best one", "three", "best three", "all", "any number"; without "best" the
    mean over the judges), ``judges`` in it (infinite for any number), ``effective``, its effective number of judges
    with ``_low`` and ``_high``, and ``net``, the same with the reference's own noise taken out (missing without second
    people)."""
    judges: pd.DataFrame
    """One row a judge, least error first: ``judge``, ``error`` (standard deviation of its errors), ``net_error``, and
    ``chosen``, the share of the random halves of the topics on which it is in the best panel of three."""
    reference_share: tuple[float, float, float]
    """Share of a judge's error variance that is the reference's own, with its interval; NaN without second people."""
    constant: float
    """Error of a judge that gives every item one label; judges no better than this add nothing."""
    level: Literal["labels", "differences"]
    """Whether errors are those of labels, or of mean differences between systems."""
    rescaled: bool
    """Whether every judge's labels were put on the reference's scale."""
    reference: str
    people: tuple[str, ...]
    n_items: int
    """Items that all labelled, or systems."""
    n_topics: int
    confidence_level: float

    def _found(self) -> str:
        row = self.table.set_index("panel").loc["all"]
        written = bracketed(row["effective"], row["effective_low"], row["effective_high"], number(1))
        return (
            f"{row['judges']:.0f} judges are worth {written} independent ones, by their errors beside {self.reference}"
        )

    @property
    def net_known(self) -> bool:
        """Return whether the second people show that part of the errors is the reference's own noise."""
        net = self.table.set_index("panel")["net"].to_dict()["all"]
        return bool(self.reference_share[1] > 0 and np.isfinite(net))

    def to_frame(self) -> pd.DataFrame:
        """Return the panels."""
        return self.table.copy()


@in_one_order
def judge_panel(
    given: object,
    *,
    reference: str,
    people: Mapping[str, float] | Sequence[str] = (),
    rescaled: bool = False,
    confidence_level: float = 0.95,
) -> JudgePanel:
    r"""Find how many independent judges a panel of judges is worth.

    Parameters
    ----------
    given : Labels, or Scores or anything `metaeval.as_scores` takes
        Labels of the judges, or scores of systems with judges in the place of metrics.
    reference : str
        The judge whose labels count as true.
    people : sequence of str, or mapping of str to weight
        Second people, or choices of them (`metaeval.agreement.second_people`); their mean is the second reference.
    rescaled : bool, default False
        For labels: whether those of a judge first get the mean and the standard deviation that the reference's have, so
        that the scale of a judge is no error. A judge with one label for all gets that mean.
    confidence_level : float, default 0.95

    Returns
    -------
    JudgePanel
        One row a ``panel`` in ``to_frame()``: ``judges`` in it (infinite for any number), ``effective``, the
        independent judges that it is worth, and ``net``, the same without the reference's own noise, each with ``_low``
        and ``_high``; see `JudgePanel`. ``judges`` has the error of every judge.

    Raises
    ------
    UnknownNameError, InvalidOptionError
        If a name is not among the judges, or an option is outside its rule.
    ScoresError
        If there are fewer than two judges beside them, or two topics that hold items of all.
    EstimationError
        If the judges make no error.

    See Also
    --------
    metaeval.models.variance_components : panels without a reference

    Notes
    -----
    The error of a judge is its label less the reference's, and that of labels has its mean taken out; for differences
    between systems it is its mean score of a system less the reference's, around the mean over systems. With errors of
    mean variance :math:`\bar\sigma^2` and mean covariance :math:`r \bar\sigma^2` the mean of m judges errs by
    :math:`\bar\sigma^2 (1 + (m - 1) r) / m`, as that of :math:`m / (1 + (m - 1) r)` independent judges would (the
    design effect of [1]_), never of more than :math:`1 / r`.

    The reference's own noise is in the error of every judge and ties them together. With a second reference whose noise
    is independent, the covariance of errors beside the one with errors beside the other is free of both. It can be
    negative; what has no answer then is missing.

    Labels of a topic are rescaled by the means and standard deviations of the other topics, as for a topic to come.

    Intervals are t intervals of r by leaving out each topic, and of differences each system too. The best panels are
    chosen on random halves of the topics (the same every time) and measured on the other halves.

    References
    ----------
    .. [1] Kish (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.normal(size=(1, 10, 40))
    >>> shared, own = rng.normal(size=(1, 10, 1)), rng.normal(size=(5, 10, 1))
    >>> scores = np.concatenate([truth, truth + shared + own])
    >>> found = judge_panel(scores, reference="metric1")
    >>> found.table[["panel", "judges", "effective"]].round(1).to_numpy().tolist()[-2:]
    [['all', 5.0, 1.4], ['any number', inf, 1.6]]
    """
    level = check_share(confidence_level, "confidence_level")
    weights = dict(people) if isinstance(people, Mapping) else dict.fromkeys(people, 1.0)
    asked = (reference, weights)
    if rescaled and not isinstance(given, Labels):
        raise InvalidOptionError("`rescaled` is for labels; differences between mean scores are compared as they are")
    errors = _of_labels(given, *asked, rescaled=rescaled) if isinstance(given, Labels) else _of_scores(given, *asked)
    seen, net = errors.seen, errors.net
    if rescaled and not errors.constant:
        raise EstimationError(f"{reference} gave one label alone, whose scale no other labels can be put on")
    if not np.trace(seen.whole) > 0:
        raise EstimationError(f"every judge agrees with {reference} throughout, so there is no error to share")
    chosen = {size: [_best(half, size) for half in seen.halves] for size in (1, _THREE)}
    numbers = {"effective": seen} | ({} if net is None else {"net": net})
    rows = []
    for panel, size in _PANELS.items():
        n = len(errors.judges) if size is None else size
        if panel.startswith("best") and n > len(errors.judges):
            continue
        row: dict[str, object] = {"panel": panel, "judges": float(n)}
        for name, every in numbers.items():
            if panel.startswith("best"):
                ends = (_of_chosen(every.halves, chosen[int(n)]), np.nan, np.nan)
            else:
                ends = _effective(every, n, level)
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
        rows.append(row)
    spread = np.sqrt(np.diagonal(seen.whole))
    net_error = np.full(len(spread), np.nan) if net is None else np.sqrt(np.maximum(np.diagonal(net.whole), 0.0))
    size = _THREE if len(errors.judges) >= _THREE else 1
    judges = pd.DataFrame(
        {
            "judge": errors.judges,
            "error": spread,
            "net_error": net_error,
            "chosen": [np.mean([judge in half for half in chosen[size]]) for judge in range(len(spread))],
        }
    )
    return JudgePanel(
        table=pd.DataFrame(rows).reindex(columns=_COLUMNS),
        judges=judges.sort_values("error", kind="stable", ignore_index=True),
        reference_share=(np.nan,) * 3 if net is None else _of_reference(seen, net, level),
        constant=errors.constant,
        level="labels" if isinstance(given, Labels) else "differences",
        rescaled=bool(rescaled),
        reference=reference,
        people=tuple(map(str, weights)),
        n_items=errors.n_items,
        n_topics=errors.n_topics,
        confidence_level=level,
    )


_PANELS: Mapping[str, float | None] = {
    "one": 1.0,
    "best one": 1.0,
    "three": 3.0,
    "best three": 3.0,
    "all": None,
    "any number": np.inf,
}
_COLUMNS = ["panel", "judges", *(f"{name}{end}" for name in ("effective", "net") for end in ("", "_low", "_high"))]


class _Covariances(NamedTuple):
    """Covariances of errors (…, judge, judge)."""

    whole: Floats
    without: tuple[Floats, ...]
    """Without each topic; and without each system, where errors are of differences between systems."""
    halves: Floats
    """On random halves of the topics, one after the other."""


class _Errors(NamedTuple):
    """What is known of the errors of judges."""

    judges: list[str]
    n_topics: int
    n_items: int
    constant: float
    """The error of one label for all."""
    seen: _Covariances
    net: _Covariances | None


def _covariances(n_topics: int, of: Callable[[Floats], Floats], without_systems: Floats | None = None) -> _Covariances:
    """Ask for covariances with weights of topics (choice, topic): all, all but each, and halves."""
    draw = np.random.default_rng(0)
    ranks = np.stack([draw.permutation(n_topics) for _ in range(_SPLITS)]) < n_topics // 2
    halves = np.stack([ranks, ~ranks], axis=1).reshape(-1, n_topics).astype(np.float64)
    covariances = [of(weights) for weights in (np.ones((1, n_topics)), 1.0 - np.eye(n_topics), halves)]
    return _Covariances(
        covariances[0][0], (covariances[1], *(() if without_systems is None else (without_systems,))), covariances[2]
    )


def _of_labels(given: Labels, reference: str, people: Mapping[str, float], *, rescaled: bool) -> _Errors:
    for name in (reference, *people):
        check_choice(name, "judge", given.judges)
    judges = _others(given.judges, reference, people)
    table = given.table
    second = _mean_of_people({name: table[name].to_numpy() for name in people}, people)
    complete = table[[reference, *judges]].notna().all(axis=1).to_numpy() & (
        True if second is None else ~np.isnan(second)
    )
    names = table.index.get_level_values("topic").astype(str).to_numpy()[complete]
    topics = natural_order(np.unique(names))
    if given.by_item:
        raise ScoresError(f"draws topics, and no column names those of the labels of {reference}")
    _check_topics(len(topics), reference)
    position = {name: number for number, name in enumerate(topics)}
    group = np.array([position[name] for name in names])
    values, truth = table[judges].to_numpy(dtype=np.float64).T[:, complete], table[reference].to_numpy(float)[complete]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(topics)))
    sizes = np.diff(np.append(starts, len(group))).astype(np.float64)
    if rescaled:
        values = _rescaled(values, truth, group)

    def covariances(other: Floats) -> _Covariances:
        from_truth, from_other = (values[:, order] - by[order] for by in (truth, other))
        ends = zip(starts, np.append(starts[1:], len(group)), strict=True)
        crossed = np.stack([from_truth[:, start:end] @ from_other[:, start:end].T for start, end in ends])
        sums = [np.add.reduceat(errors, starts, axis=1).T for errors in (from_truth, from_other)]

        def of(weights: Floats) -> Floats:
            n = (weights @ sizes)[:, None]
            means = [weights @ errors / n for errors in sums]
            covariance = np.tensordot(weights, crossed, 1) / n[..., None] - means[0][:, :, None] * means[1][:, None]
            return np.asarray((covariance + covariance.swapaxes(1, 2)) / 2.0)

        return _covariances(len(topics), of)

    net = None if second is None else covariances(second[complete])
    return _Errors(judges, len(topics), int(complete.sum()), float(truth.std()), covariances(truth), net)


def _rescaled(values: Floats, truth: Floats, group: Ints) -> Floats:
    """Give labels (judge, item) the mean and the deviation that the truth has on the other topics."""

    def moments(of: Floats) -> tuple[Floats, Floats]:
        sums = np.stack([np.bincount(group, power) for power in (np.ones(len(group)), of, of**2)])
        n, total, squares = sums.sum(axis=1, keepdims=True) - sums
        mean = total / n
        return mean[group], np.sqrt(np.maximum(squares / n - mean**2, 0.0))[group]

    centre, spread = moments(truth - truth.mean())
    rescaled = np.empty_like(values)
    for judge, centred in enumerate(values - values.mean(axis=1, keepdims=True)):
        mean, wide = moments(centred)
        stretched = np.divide(spread, wide, out=np.zeros_like(wide), where=wide > RELATIVE * np.abs(centred).max())
        rescaled[judge] = truth.mean() + centre + (centred - mean) * stretched
    return np.where(np.abs(rescaled - truth) <= RELATIVE * np.abs(truth).max(), truth, rescaled)


def _of_scores(given: object, reference: str, people: Mapping[str, float]) -> _Errors:
    table: Scores = engine_scores(given, "conclusions under judges")
    names = [str(name) for name in table["metric"].to_numpy()]
    for name in (reference, *people):
        check_choice(name, "judge", tuple(names))
    judges = _others(names, reference, people)
    topics = [str(name) for name in table["topic"].to_numpy()]
    position = {name: number for number, name in enumerate(topics)}
    values = oriented_values(table)[:, :, [position[name] for name in natural_order(topics)]]
    side = dict(zip(names, values, strict=True))
    second = _mean_of_people(side, people)
    judge_scores, truth = np.stack([side[name] for name in judges]), side[reference]
    _check_topics(len(topics), reference)

    def covariances(other: Floats) -> _Covariances:
        def about(by: Floats, weights: Floats) -> Floats:
            apart = judge_scores - by
            apart -= apart.mean(axis=1, keepdims=True)
            return np.tensordot(weights / weights.sum(axis=1, keepdims=True), apart, (1, 2))

        n = judge_scores.shape[1]

        def of(weights: Floats) -> Floats:
            covariance = about(truth, weights) @ about(other, weights).swapaxes(1, 2) / (n - 1)
            return (covariance + covariance.swapaxes(1, 2)) / 2.0

        if n <= 2:  # noqa: PLR2004 - without one of two systems there is no difference
            return _covariances(len(topics), of)
        from_truth, from_other = (about(by, np.ones((1, len(topics))))[0] for by in (truth, other))
        products = from_truth.T[:, :, None] * from_other.T[:, None]
        products = (products + products.swapaxes(1, 2)) / 2.0
        return _covariances(len(topics), of, (products.sum(axis=0) - products * (n / (n - 1))) / (n - 2))

    net = None if second is None else covariances(second)
    constant = float(truth.mean(axis=1).std(ddof=1))
    return _Errors(judges, len(topics), judge_scores.shape[1], constant, covariances(truth), net)


def _others(names: Sequence[str], reference: str, people: Mapping[str, float]) -> list[str]:
    for name in people:
        check_choice(name, "person beside the reference", [judge for judge in names if judge != reference])
    judges = [name for name in names if name != reference and name not in people]
    if len(judges) <= 1:
        raise ScoresError(f"a panel takes two judges beside {', '.join([reference, *people])}; here is {len(judges)}")
    return judges


def _check_topics(n_topics: int, reference: str) -> None:
    if n_topics <= 1:
        raise ScoresError(
            f"takes two {unit().topics} with {unit().labelled}s that {reference}, every judge and the people labelled"
        )


def _mean_of_people(said: Mapping[str, Floats], people: Mapping[str, float]) -> Floats | None:
    """Return the mean over those of the people who are there; None without any."""
    if not people:
        return None
    values = np.stack([np.asarray(said[name], dtype=np.float64) for name in people])
    weights = np.array([*people.values()]).reshape(-1, *(1,) * (values.ndim - 1)) * ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.nan_to_num(values) * weights).sum(axis=0) / weights.sum(axis=0))


def _effective(given: _Covariances, n: float, level: float) -> tuple[float, float, float]:
    """Return the effective number of n judges, with its interval."""
    tied, half = _with_half_width(_tied(given.whole), [_tied(covariance) for covariance in given.without], level)

    def worth(r: float) -> float:
        share = (1.0 - r) / n + r
        return float(1.0 / share) if share > 0 else (np.nan if np.isnan(r) else np.inf)

    return worth(tied), worth(min(tied + half, 1.0)), worth(tied - half)


def _tied(covariance: Floats) -> Floats:
    """Return the mean covariance of two judges over the mean variance of one."""
    total, n = np.trace(covariance, axis1=-2, axis2=-1), covariance.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, (covariance.sum(axis=(-2, -1)) - total) / ((n - 1) * total), np.nan)


def _with_half_width(value: Floats, without: Sequence[Floats], level: float) -> tuple[float, float]:
    """Return a value with half the width of its interval, by those without each topic, and without each system."""
    squares = [
        (len(estimates) - 1) / len(estimates) * np.square(estimates - estimates.mean()).sum() for estimates in without
    ]
    return float(value), float(t_half_width(np.sqrt(sum(squares)), min(map(len, without)), level))


def _of_reference(seen: _Covariances, net: _Covariances, level: float) -> tuple[float, float, float]:
    def noise(one: Floats, other: Floats) -> Floats:
        return np.asarray(1.0 - np.trace(other, axis1=-2, axis2=-1) / np.trace(one, axis1=-2, axis2=-1))

    without = [noise(*pair) for pair in zip(seen.without, net.without, strict=True)]
    share, half = _with_half_width(noise(seen.whole, net.whole), without, level)
    return share, max(share - half, min(share, 0.0)), min(share + half, max(share, 1.0))  # a share, as far as it is one


def _best(covariance: Floats, size: int) -> tuple[int, ...]:
    """Return the panel of this size whose mean errs least."""
    single = np.argsort(np.diagonal(covariance), kind="stable")[:_MOST_TRIED]
    tried = np.array([*islice(combinations(np.sort(single).tolist(), min(size, len(single))), None)])
    errors = sum(
        covariance[tried[:, first], tried[:, second]]
        for first in range(tried.shape[1])
        for second in range(tried.shape[1])
    )
    return tuple(tried[int(np.argmin(errors))].tolist())


def _of_chosen(halves: Floats, chosen: Sequence[tuple[int, ...]]) -> float:
    """Return the effective number of panels that were each chosen on the other half."""
    other_half = np.arange(len(halves)) ^ 1
    errors = [
        halves[half][np.ix_(chosen[other_half[half]], chosen[other_half[half]])].mean() for half in range(len(halves))
    ]
    mean, alone = float(np.mean(errors)), float(np.trace(halves, axis1=1, axis2=2).mean() / halves.shape[1])
    return alone / mean if mean > 0 and alone > 0 else np.nan
