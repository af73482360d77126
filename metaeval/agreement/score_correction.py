"""What people would say of items that a judge alone labelled: its score, corrected for its errors.

A judge that errs says yes too often or too seldom. On the items that people labelled too its sensitivity and
specificity are seen; they turn the share of yes among all others into the share that people would give.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.special import ndtri, stdtrit

from metaeval.agreement.label_statistics import ratio
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_kind, check_number, check_share, refused
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.side_by_side import in_order_of_the_first
from metaeval.base.unit import unit
from metaeval.base.words import compared_p, number, span_of
from metaeval.errors import ScoresError
from metaeval.running.parallel import in_one_order
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.rectified_means import Measured, rectified_means
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

_EITHER = "either the items that {} labelled are no random sample, or the judge errs otherwise on the others"
_STANDS = "the powered ones stand if {} labelled a random sample"
_LEAST = 3
"""Labelled items that the powered mean takes."""
_Z = float(ndtri(0.975))
"""How far shares are drawn towards a half for comparisons, whatever the level."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectedScores(Result):
    """Shares of yes under each judge, corrected for its errors, beside prediction-powered ones."""

    table: pd.DataFrame
    """One row a judge and system; the columns are those of `corrected_scores`."""
    differences: pd.DataFrame
    """One row a ``judge`` and pair of systems (``system_a``, ``system_b``): the ``difference`` of corrected scores with
    ``low`` and ``high``, ``p_value``, ``p_corrected`` and ``significant``. Empty for one system."""
    reference: str
    correction: str
    confidence_level: float
    alpha: float
    by_topic: bool
    """Whether topics are drawn together with all that was said of them."""
    notes: tuple[str, ...]
    """What was assumed of the labels, and judges that cannot be corrected, and why."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge and system."""
        return self.table.copy()

    def _found(self) -> str:
        ends = (self.table[f"corrected{end}"] for end in ("", "_low", "_high"))
        shares = span_of(self._names(), *ends, write=number(2))
        limit = ""
        if len(self.significant("errors_corrected")):
            limit = f"; its errors depend on the system, so that {_STANDS.format(self.reference)}"
        elif len(self.significant("apart_corrected")):
            limit = f"; the powered shares differ: {_EITHER.format(self.reference)}"
        return f"corrected for the errors of the judge, the share of yes is {shares}{limit}"

    def significant(self, column: str) -> pd.DataFrame:
        """Return the rows whose corrected p in this column is significant."""
        return self.table[is_significant(self.table[column].to_numpy(), self.alpha)]

    def names(self, column: str) -> list[str]:
        """Return the names of those rows."""
        return self._names()[self.significant(column).index].tolist()

    def _names(self) -> pd.Series:
        return self.table[[name for name in ("system", "judge") if name in self.table]].agg(" by ".join, axis=1)

    def _draw(self) -> Figure:
        """Draw the corrected score of every judge and system with its interval."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        columns = {"corrected": "value", "corrected_low": "low", "corrected_high": "high"}
        frame = self.table[[*columns]].rename(columns=columns).assign(name=self._names())
        return agreement_dots(frame, label="corrected score")


def corrected_share(
    judged: ArrayLike,
    specificity: ArrayLike,
    sensitivity: ArrayLike,
    *,
    sizes: tuple[ArrayLike, ArrayLike, ArrayLike],
    confidence_level: float = 0.95,
) -> tuple[Floats, Floats, Floats]:
    """Return a share corrected for errors, and the ends of its interval; see `corrected_scores`.

    Parameters
    ----------
    judged, specificity, sensitivity : array_like
        Shares from 0 to 1 that broadcast: of yes, of no where people say no, of yes where they say yes.
    sizes : tuple of array_like
        Numbers of items behind each: all that were judged, no, yes.
    confidence_level : float, default 0.95

    Returns
    -------
    tuple of array
        Shares within 0 and 1; NaN where specificity and sensitivity sum to 1 at most, as those of chance do.

    Examples
    --------
    >>> [round(float(share), 5) for share in corrected_share(0.4, 0.7, 0.9, sizes=(1000, 200, 200))]
    [0.16667, 0.05635, 0.26273]
    """
    z = float(ndtri(0.5 + check_share(confidence_level, "confidence_level") / 2))
    for name, shares in (("judged", judged), ("specificity", specificity), ("sensitivity", sensitivity)):
        _check_shares(name, shares)
    fractions = {"judged": judged, "specificity": specificity, "sensitivity": sensitivity}
    counts = {f"sizes[{at}]": size for at, size in enumerate(sizes)}
    judged, specificity, sensitivity, n, n_negative, n_positive = in_order_of_the_first(fractions | counts).values()
    p, p_variance = _smoothed(judged, n, z)
    q0, q0_variance = _smoothed(specificity, n_negative)
    q1, q1_variance = _smoothed(sensitivity, n_positive)
    estimate, theta = _corrected(judged, specificity, sensitivity), _corrected(p, q0, q1)
    centre = theta + 2.0 * z**2 * (theta * q1_variance - (1.0 - theta) * q0_variance)
    variance = p_variance + (1.0 - theta) ** 2 * q0_variance + theta**2 * q1_variance
    reach = np.where(np.isfinite(estimate), z * np.sqrt(variance) / (q0 + q1 - 1.0), np.nan)
    return np.clip(estimate, 0.0, 1.0), np.clip(centre - reach, 0.0, 1.0), np.clip(centre + reach, 0.0, 1.0)


def _check_shares(name: str, shares: ArrayLike) -> None:
    numbers = np.asarray(shares)
    is_number = np.issubdtype(numbers.dtype, np.number)
    if not is_number or not ((numbers >= 0.0) & (numbers <= 1.0) | np.isnan(numbers)).all():
        raise refused(name, "must hold shares from 0 to 1", shares)


def divided_labels(
    n_labels: int, *, judged: float, specificity: float, sensitivity: float, n_pilot: int = 10
) -> tuple[int, int]:
    r"""Divide further labels of people between items that they call negative and positive.

    Parameters
    ----------
    n_labels : int
        Items that people can still label.
    judged, specificity, sensitivity : float
        Shares, as in `corrected_scores`.
    n_pilot : int, default 10
        Items of each kind that specificity and sensitivity were seen on.

    Returns
    -------
    tuple of int and int
        How many negative and positive items.

    Notes
    -----
    :math:`m_0 : m_1 = (1/\hat p - 1) \sqrt{(1 - \tilde q_0) / (1 - \tilde q_1)}` [1]_. The variance is least at
    :math:`(1 - \theta)\sqrt{q_0(1 - q_0)} : \theta\sqrt{q_1(1 - q_1)}`, the same where errors are rare.

    References
    ----------
    .. [1] Lee, Zeng, Jeong, Sohn and Lee (2025). How to correctly report LLM-as-a-judge evaluations. arXiv 2511.21140.

    Examples
    --------
    >>> divided_labels(200, judged=0.4, specificity=0.7, sensitivity=0.9)
    (136, 64)
    """
    check_count(n_labels, "n_labels", least=1)
    check_count(n_pilot, "n_pilot", least=0)
    shares = {"judged": judged, "specificity": specificity, "sensitivity": sensitivity}
    p, *errors = (check_number(share, name, least=0, most=1) for name, share in shares.items())
    n_negative = round(n_labels * float(_next_negative(p, errors, [n_pilot, n_pilot])))
    return n_negative, n_labels - n_negative


@in_one_order
def corrected_scores(  # noqa: PLR0913 - every option is one question
    labels: Labels,
    *,
    reference: str,
    systems: Mapping[str, str] | None = None,
    rel: int | None = None,
    correction: str = "fdr_by",
    confidence_level: float = 0.95,
    alpha: float = 0.05,
) -> CorrectedScores:
    r"""Estimate the share of yes that people would give to the items that a judge alone labelled.

    Parameters
    ----------
    labels : Labels
        People labelled some of the items, each judge these and others.
    reference : str
        The people.
    systems : mapping of str to str, optional
        Item to the system it is of; by default what a column of the file said, else all are of one. A judge's errors
        are those on the items of all systems together.
    rel : int, optional
        Lowest label that means yes; by default 1, and where that is not above the lowest label, or no label, the lowest
        above the lowest.
    correction : str, default "fdr_by"
        Over all pairs of systems; see `metaeval.tests_stat.correction.adjust`.
    confidence_level : float, default 0.95
    alpha : float, default 0.05

    Returns
    -------
    CorrectedScores
        ``to_frame()`` has one row a ``judge`` and ``system`` (a column where systems are named). Of the items that the
        judge alone labelled ``n`` and ``judged``, its share of yes; of those that people labelled too ``n_negative``
        and ``n_positive``, and the judge's ``specificity`` and ``sensitivity``; ``corrected`` with ``corrected_low``
        and ``corrected_high``; ``people``, their own share of yes; ``powered`` with ``powered_low`` and
        ``powered_high``, by `metaeval.prediction_powered`, missing of fewer than three items; ``apart``, the corrected
        less the powered score, and ``apart_p`` of their being equal; ``own_specificity`` and ``own_sensitivity`` on the
        labelled items of this system, and ``errors_p`` of their being those on the other systems' items; both p also by
        Holm over all rows, ``apart_corrected`` and ``errors_corrected``; ``next_negative``, the share of further labels
        that should be of negative items. Shares are 0 to 1; NaN where undefined.

    Raises
    ------
    UnknownNameError
        If the reference is not a judge.
    InvalidOptionError
        If an option is outside its rule.
    ScoresError
        If labels are names in no order, `systems` lacks an item, or no judge can be corrected.

    See Also
    --------
    metaeval.prediction_powered : scores of any kind, where topics are a random sample
    metaeval.agreement.divided_labels : which labels to buy next

    Notes
    -----
    With :math:`\hat p` the judge's share of yes among the n items that it alone labelled, and its specificity
    :math:`\hat q_0` and sensitivity :math:`\hat q_1` on :math:`m_0` negative and :math:`m_1` positive ones [1]_,

    .. math:: \hat\theta = \frac{\hat p + \hat q_0 - 1}{\hat q_0 + \hat q_1 - 1}.

    The interval has :math:`\tilde p = (n \hat p + z^2/2)/(n + z^2)`, :math:`\tilde q_i = (m_i \hat q_i + 1)/(m_i + 2)`
    and their variances :math:`v = q (1 - q)/m` over n + z² and m + 2 items: centre :math:`\tilde\theta +
    2 z^2 (\tilde\theta v_1 - (1 - \tilde\theta) v_0)`, half-width :math:`z \sqrt{v_p + (1 - \tilde\theta)^2 v_0 +
    \tilde\theta^2 v_1} / (\tilde q_0 + \tilde q_1 - 1)`; ``benchmarks/reports/corrected-scores.md`` has its coverage.

    Two systems share the errors of the judge, so their scores differ by :math:`(\hat p_a - \hat p_b)/(\hat q_0 +
    \hat q_1 - 1)`, with Fieller's interval of a ratio; it leaves out 0 where the judge's shares differ significantly.
    That supposes that the judge errs as often on one as on the other (`metaeval.agreement.favoured_groups`). Where
    labels have topics, covariances are of sums over topics, to which those over resamples of topics tend; single scores
    too have Fieller's interval, with quantiles of Student's t: its degrees of freedom are the topics with labels of
    people, or those without, whichever are fewer, less one.

    **Which to quote.** The corrected score holds where the labelled items are of another mix (the hard ones, another
    month), as long as the judge errs as often on them. The powered one holds where people labelled a random sample,
    whatever the judge does. ``apart_p``, by the joint covariance of both, compares them: where it is small, one of
    the conditions fails, and it cannot tell which. ``errors_p`` can: where it is small the judge's errors depend on the
    system, and the powered score is left. It is twice the smaller of two p, of specificity and of sensitivity, each
    Fisher's exact one; where labels have topics the larger of this and of Student's t with sums over topics.

    References
    ----------
    .. [1] Lee, Zeng, Jeong, Sohn and Lee (2025). How to correctly report LLM-as-a-judge evaluations. arXiv 2511.21140.

    Examples
    --------
    >>> from metaeval.agreement import as_labels
    >>> people = [1] * 40 + [0] * 40 + [None] * 400
    >>> judge = [1] * 36 + [0] * 4 + [1] * 12 + [0] * 28 + [1] * 240 + [0] * 160
    >>> found = corrected_scores(as_labels({"people": people, "judge": judge}), reference="people")
    >>> found.table[["judged", "specificity", "sensitivity", "corrected"]].to_numpy().round(3).tolist()
    [[0.6, 0.7, 0.9, 0.5]]
    """
    check_kind(labels, "labels", "Labels")
    check_choice(reference, "judge", labels.judges)
    labels.require_ordered("a corrected score")
    correction = CORRECTIONS.find(correction).name
    check_share(confidence_level, "confidence_level")
    check_share(alpha, "alpha")
    systems = labels.systems if systems is None else systems
    names, system = _systems_of(labels, systems)
    topics = np.arange(len(system)) if labels.by_item else labels.table.index.get_level_values("topic").to_numpy()
    unit_of = np.unique(topics, return_inverse=True)[1]
    yes = (
        (labels.table >= (labels.lowest_relevant() if rel is None else rel))
        .astype(np.float64)
        .where(labels.table.notna())
    )
    tables, pairs, notes = [], [], []
    for judge in yes.columns.drop(reference):
        there = yes[judge].notna().to_numpy()
        judged, people = yes.loc[there, judge].to_numpy(), yes.loc[there, reference].to_numpy()
        said = _Said(judged, people, system[there], unit_of[there], len(names), not labels.by_item)
        if why := said.unusable(reference):
            notes.append(f"{judge} has no corrected score: {why}")
            continue
        moments = said.moments()
        scores = _scores(moments, confidence_level).assign(**said.own_errors())
        tables.append(scores.assign(judge=judge, system=names))
        pairs.append(_differences(moments, confidence_level, names).assign(judge=judge))
    if not tables:
        raise ScoresError(notes[0])
    table, differences = (pd.concat(frames, ignore_index=True) for frames in (tables, pairs))
    p_values = differences["p_value"].to_numpy().reshape(len(tables), -1)
    differences["p_corrected"] = adjust(p_values, correction).ravel()
    differences["significant"] = is_significant(differences["p_corrected"].to_numpy(), alpha)
    for name in ("apart", "errors"):
        table[f"{name}_corrected"] = adjust(table[f"{name}_p"].to_numpy(), "holm")
    keys = ["judge"] if systems is None else ["judge", "system"]
    answer = CorrectedScores(
        table=table[[*keys, *table.columns.drop(["judge", "system"])]],
        differences=differences[["judge", *differences.columns.drop("judge")]],
        reference=reference,
        correction=correction,
        confidence_level=float(confidence_level),
        alpha=float(alpha),
        by_topic=not labels.by_item,
        notes=(*labels.notes, *notes),
    )
    return replace(answer, notes=(*answer.notes, *_limits(answer)))


def _limits(found: CorrectedScores) -> list[str]:
    """Say which scores do not hold, and why as far as the labels tell."""
    unlike = found.significant("errors_corrected")
    notes = []
    for judge, rows in unlike.groupby("judge", sort=False):
        errors = [
            f"{row['system']} {row['own_specificity']:.2f} and {row['own_sensitivity']:.2f}"
            for row in rows.to_dict("records")
        ]
        of_all = f"{rows['specificity'].iloc[0]:.2f} and {rows['sensitivity'].iloc[0]:.2f}"
        notes.append(
            f"{judge}'s errors depend on the system (specificity and sensitivity on the items of {first_few(errors)}, "
            f"of all {of_all}): its corrected scores and their differences do not hold, and "
            f"{_STANDS.format(found.reference)}"
        )
    for row in found.significant("apart_corrected").to_dict("records"):
        reason = "" if row["judge"] in set(unlike["judge"]) else f": {_EITHER.format(found.reference)}"
        name = " by ".join(row[part] for part in ("system", "judge") if part in row)
        figures = f"{row['corrected']:.2f} and {row['powered']:.2f}, p {compared_p(row['apart_corrected'])}"
        notes.append(f"corrected and powered scores of {name} differ ({figures}){reason}")
    return notes


def _systems_of(labels: Labels, systems: Mapping[str, str] | None) -> tuple[list[str], Ints]:
    """Return the names of the systems, and which of them every item is of."""
    items = labels.table.index.get_level_values("item")
    if systems is None:
        return [""], np.zeros(len(items), dtype=np.int64)
    lacking = [name for name in items if name not in systems]
    if lacking:
        raise ScoresError(f"`systems` does not say whose these items are: {first_few(lacking)}")
    codes, names = pd.factorize(np.array([systems[name] for name in items], dtype=object), sort=True)
    return names.tolist(), codes


def _smoothed(share: ArrayLike, n: ArrayLike, z: float = 2.0**0.5) -> tuple[Floats, Floats]:
    """Return a share with z² more items, half of them yes, and its variance."""
    size = np.asarray(n, np.float64) + z**2
    value = (np.asarray(n) * np.asarray(share, np.float64) + z**2 / 2.0) / size
    return value, value * (1.0 - value) / size


def _corrected(judged: ArrayLike, specificity: ArrayLike, sensitivity: ArrayLike) -> Floats:
    """Return the corrected share; NaN for a judge no better than chance."""
    p, q0, q1 = np.broadcast_arrays(*(np.asarray(share, np.float64) for share in (judged, specificity, sensitivity)))
    return np.where(q0 + q1 > 1.0, (p + q0 - 1.0) / np.where(q0 + q1 > 1.0, q0 + q1 - 1.0, 1.0), np.nan)


def _next_negative(judged: ArrayLike, errors: ArrayLike, sizes: ArrayLike) -> Floats:
    """Return the share of further labels that negative items should have; see `divided_labels`."""
    false, missed = np.sqrt(1.0 - _smoothed(errors, sizes)[0])
    negative = (1.0 - np.asarray(judged)) * false
    return np.asarray(negative / (negative + np.asarray(judged) * missed))


class _Moments(NamedTuple):
    """Shares and their covariance: judged by system, specificity, sensitivity, powered by system."""

    shares: Floats
    sizes: Ints
    """Of all but the powered."""
    covariance: Floats
    people: Floats
    powered: pd.DataFrame
    freedom: float

    def smoothed(self) -> tuple[Floats, float, float]:
        """Return judged shares, specificity and sensitivity, drawn towards a half."""
        k = len(self.people)
        q0, q1 = _smoothed(self.shares[k : k + 2], self.sizes[k:])[0]
        return _smoothed(self.shares[:k], self.sizes[:k], _Z)[0], q0, q1


class _Said(NamedTuple):
    """Whether a judge and people said yes to every item that the judge labelled; whose the item is, and its topic."""

    judge: Floats
    people: Floats
    system: Ints
    unit: Ints
    n_systems: int
    by_topic: bool

    def unusable(self, reference: str) -> str:
        """Say why nothing can be corrected; empty where it can."""
        negative, positive = (self.people == 0.0), (self.people == 1.0)
        if not np.isnan(self.people).any():
            return f"{reference} labelled all of its {unit().labelled}s, so that their own share is known"
        if not negative.any() or not positive.any():
            return f"{reference} never said {'no' if positive.any() else 'yes'} of its {unit().labelled}s"
        specificity, sensitivity = 1.0 - self.judge[negative].mean(), self.judge[positive].mean()
        chance = specificity + sensitivity <= 1.0
        figures = f"specificity {specificity:.2g} and sensitivity {sensitivity:.2g}"
        return f"{figures} are no better than chance" if chance else ""

    def powered(self) -> pd.DataFrame:
        """Return the prediction-powered mean of every system."""
        rows = []
        for system in range(self.n_systems):
            here, alone = self.system == system, np.isnan(self.people)
            columns = (self.people[here & ~alone], self.judge[here & ~alone], self.judge[here & alone])
            enough = len(columns[0]) >= _LEAST and len(columns[2]) > 1
            human, judge, others = (Measured(values=column[None], sizes=column[None]) for column in columns)
            means = rectified_means(human, judge, others, "t") if enough else {}
            rows.append({name: row[0] for name, row in means.items()})
        names = ["estimate", "standard_error", "degrees_of_freedom", "judge_weight"]
        return pd.DataFrame(rows, columns=names, dtype=np.float64)

    def own_errors(self) -> dict[str, Floats]:
        """Return specificity and sensitivity on every system's own items, and p of their being those of the others."""
        from scipy.stats import fisher_exact  # noqa: PLC0415 - a second

        by_system, p_values = np.full((2, self.n_systems), np.nan), np.full((2, self.n_systems), np.nan)
        for says in (0, 1):
            rows = self.people == says
            right, system, units = self.judge[rows] == says, self.system[rows], self.unit[rows]
            for at in range(self.n_systems):
                of_system = system == at
                by_system[says, at] = right[of_system].mean() if of_system.any() else np.nan
                if of_system.all() or not of_system.any():
                    continue
                sides = (right[of_system], right[~of_system])
                counts = [[int(side.sum()), int((~side).sum())] for side in sides]
                p_values[says, at] = fisher_exact(counts).pvalue
                if self.by_topic:
                    p_values[says, at] = max(p_values[says, at], _apart_by_unit(right, of_system, units))
        smaller = np.fmin(*p_values) * np.isfinite(p_values).sum(axis=0)
        return {"own_specificity": by_system[0], "own_sensitivity": by_system[1], "errors_p": np.minimum(smaller, 1.0)}

    def moments(self) -> _Moments:
        """Estimate shares, and covariances by what every item adds to each, summed over its topic."""
        f, y, s, k = self.judge, self.people, self.system, self.n_systems
        alone, powered = np.isnan(y), self.powered()
        weighted = powered["judge_weight"].to_numpy()[s] * f
        means = [  # of which items, a mean of what by which column
            (alone, s, f),
            (y == 0.0, np.full_like(s, k), 1.0 - f),
            (y == 1.0, np.full_like(s, k + 1), f),
            (alone, k + 2 + s, weighted),
            (~alone, k + 2 + s, y - weighted),
        ]
        units, columns, added, shares, sizes = [], [], [], np.zeros(2 * k + 2), np.zeros(2 * k + 2, dtype=np.int64)
        for items, column, values in means:
            n = np.bincount(column[items], minlength=2 * k + 2)
            mean = ratio(np.bincount(column[items], values[items], 2 * k + 2), n.astype(np.float64))
            shares, sizes = np.where(n > 0, mean + shares, shares), sizes + n
            units.append(self.unit[items])
            columns.append(column[items])
            added.append((values - mean[column])[items] / n[column[items]])
        parts = csr_array(
            (np.concatenate(added), (np.concatenate(units), np.concatenate(columns))),
            shape=(int(self.unit.max()) + 1, 2 * k + 2),
        )
        n_units = min(len(np.unique(self.unit[items])) for items in (alone, ~alone))
        covariance = (parts.T @ parts).toarray() * (n_units / max(n_units - 1, 1) if self.by_topic else 1.0)
        least = [_smoothed(shares[:k], sizes[:k], _Z)[1], _smoothed(shares[k : k + 2], sizes[k : k + 2])[1]]
        diagonal = np.arange(k + 2)
        covariance[diagonal, diagonal] = np.fmax(covariance[diagonal, diagonal], np.concatenate(least))
        people = ratio(np.bincount(s[~alone], y[~alone], k), np.bincount(s[~alone], minlength=k).astype(np.float64))
        shares[:k] = np.where(sizes[:k] > 0, shares[:k], np.nan)
        shares[k + 2 :] = powered["estimate"]
        freedom = (n_units - 1.0 or np.nan) if self.by_topic else np.inf
        return _Moments(shares, sizes[: k + 2], covariance, people, powered, freedom)


def _scores(found: _Moments, level: float) -> pd.DataFrame:
    k, covariance, tail = len(found.people), found.covariance, 0.5 + level / 2
    (q0, q1), every = found.shares[k : k + 2], np.arange(k)
    judged, powered, beyond = found.shares[:k], found.shares[k + 2 :], q0 + q1 - 1.0
    corrected, low, high = corrected_share(
        judged, q0, q1, sizes=(found.sizes[:k], found.sizes[k], found.sizes[k + 1]), confidence_level=level
    )
    error, freedom = found.powered["standard_error"].to_numpy(), found.powered["degrees_of_freedom"].to_numpy()
    errors = covariance[k : k + 2, k : k + 2]
    if not np.isposinf(found.freedom):  # by topic
        error, freedom = np.sqrt(np.diag(covariance)[k + 2 :]), np.full(k, found.freedom)
        above = np.diag(covariance)[:k] + errors[0, 0] + 2.0 * covariance[:k, k]
        beside = covariance[:k, k : k + 2].sum(axis=1) + errors[0].sum()
        p, smooth0, smooth1 = found.smoothed()
        parts = (p + smooth0 - 1.0, smooth0 + smooth1 - 1.0, (above, beside, errors.sum()))
        low, high = fieller(*parts, float(stdtrit(found.freedom, tail))).clip(0.0, 1.0)
    theta = _corrected(judged, q0, q1)
    slopes = np.zeros((k, 2 * k + 2))
    slopes[every, every], slopes[every, k + 2 + every] = 1.0 / beyond, -1.0
    slopes[:, k], slopes[:, k + 1] = (1.0 - theta) / beyond, -theta / beyond
    slopes, covariance = np.nan_to_num(slopes), np.nan_to_num(covariance)
    apart = theta - powered
    reach = np.where(error > 0.0, stdtrit(freedom, tail) * error, np.nan)
    return pd.DataFrame(
        {
            "n": found.sizes[:k],
            "judged": judged,
            "n_negative": found.sizes[k],
            "n_positive": found.sizes[k + 1],
            "specificity": q0,
            "sensitivity": q1,
            "corrected": corrected,
            "corrected_low": low,
            "corrected_high": high,
            "people": found.people,
            "powered": powered,
            "powered_low": np.maximum(powered - reach, 0.0),
            "powered_high": np.minimum(powered + reach, 1.0),
            "apart": apart,
            "apart_p": _two_sided(apart, np.einsum("ij,jl,il->i", slopes, covariance, slopes), found.freedom),
            "next_negative": _next_negative(judged, [q0, q1], found.sizes[k:]),
        }
    )


def _differences(found: _Moments, level: float, names: list[str]) -> pd.DataFrame:
    """Compare every two systems."""
    a, b = all_pairs(len(names))
    k, covariance, (p, q0, q1) = len(names), found.covariance, found.smoothed()
    variances, beside = np.diag(covariance)[:k], covariance[:k, k : k + 2].sum(axis=1)
    above = variances[a] + variances[b] - 2.0 * covariance[a, b]
    moments = (above, beside[a] - beside[b], covariance[k : k + 2, k : k + 2].sum())
    reach = float(stdtrit(found.freedom, 0.5 + level / 2))
    low, high = fieller(p[a] - p[b], q0 + q1 - 1.0, moments, reach).clip(-1.0, 1.0)
    return pd.DataFrame(
        {
            "system_a": np.array(names, dtype=object)[a],
            "system_b": np.array(names, dtype=object)[b],
            "difference": ((found.shares[a] - found.shares[b]) / (found.shares[k : k + 2].sum() - 1.0)).clip(-1.0, 1.0),
            "low": low,
            "high": high,
            "p_value": _two_sided(p[a] - p[b], above, found.freedom),
        }
    )


def fieller(above: Floats, below: float, moments: tuple[Floats, Floats, float], reach: float) -> Floats:
    """Return the ends of a ratio whose denominator is above 0, stacked.

    The moments are the variance of the numerator, the covariance and the variance of the denominator.

    Examples
    --------
    >>> fieller(np.array(1.0), 2.0, (np.array(0.04), np.array(0.0), 0.01), 2.0).round(4).tolist()
    [0.2978, 0.7123]
    """
    top, cross, bottom = (reach**2 * moment for moment in moments)
    square, product, rest = below**2 - bottom, above * below - cross, above**2 - top
    root = np.sqrt(np.maximum(product**2 - square * rest, 0.0))
    bounded = square > 0.0  # else the denominator may be 0, and one end at least is anywhere
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(bounded | ((rest > 0.0) & (above > 0.0)), (product - root) / square, -np.inf)
        high = np.where(bounded | ((rest > 0.0) & (above < 0.0)), (product + root) / square, np.inf)
    return np.where(np.isnan(rest), np.nan, [low, high])


def _apart_by_unit(right: Flags, here: Flags, units: Ints) -> float:
    """Return p of two shares' being equal, where what is said of a unit hangs together; 0 where nothing varies."""
    means, sizes = [right[side].mean() for side in (here, ~here)], [here.sum(), (~here).sum()]
    added = np.where(here, (right - means[0]) / sizes[0], -(right - means[1]) / sizes[1])
    n = len(np.unique(units))
    if n == 1:
        return 1.0
    sums = np.bincount(units, added)
    p = _two_sided(np.asarray(means[0] - means[1]), np.asarray(sums @ sums * n / (n - 1)), n - 1.0)
    return float(np.nan_to_num(p))


def _two_sided(value: Floats, variance: Floats, freedom: float) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(student_p(freedom, np.where(value == 0.0, 0.0, value / np.sqrt(variance))).p)
