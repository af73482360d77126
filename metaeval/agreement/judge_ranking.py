"""Which judge labels most as a reference does, and which others the topics cannot tell from it.

Kappa is a ratio of sums over topics, so what one topic adds to it is known. Means of such parts stand for kappa: two
judges are compared on the same topics, and all comparisons of a judge share the same resamples.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.krippendorff import krippendorff_alpha
from metaeval.agreement.label_agreement import leading_kappa
from metaeval.agreement.label_statistics import contingency, kinds_of, pooled, topics_by_content
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_kind, check_share, t_half_width
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import number
from metaeval.errors import ScoresError
from metaeval.running.draws import RNGLike, draw_topic_counts, resolve_rng
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import in_one_order

_TWO = 2
_RANGE = 2.0
"""No two kappas, each from -1 to 1, are further apart."""
_OF_GRADES = ("quadratic_kappa", "near", "bias", "bias_low", "bias_high")
"""What means nothing of labels that are names in no order."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeRanking(Result):
    """Judges by agreement with a reference, best first, and which of them differ significantly."""

    table: pd.DataFrame
    """See `to_frame`."""
    measure: str
    """By what they are ordered: "quadratic_kappa" where there are more than two grades, else "kappa"."""
    reference: str
    undefined: tuple[str, ...]
    """Judges without a rank: nothing in common with the reference, or both give one label alone."""
    compared: bool
    """Whether judges could be compared: takes two judges and two topics."""
    confidence_level: float
    """Probability that the truly best judge is not said to be behind."""
    n_topics: int
    n_resamples: int
    random_source: str

    def _found(self) -> str:
        best, others = self.table.iloc[0], count(len(self.table) - 1, "other")
        lead = f"{best['judge']} has the highest {self.measure} with {self.reference}, {number(2)(best[self.measure])}"
        n_behind = int(self.table["behind"].sum())
        return (
            f"{'no judge is clearly the best: ' * (n_behind == 0)}{lead}, {n_behind} of {others} significantly behind"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge, best first.

        The columns are ``judge``, ``items`` (labelled by it and the reference), ``topics`` of them, ``shared`` (those
        with items that the best judge labelled too), `measure` with ``difference`` from the best, of the items that
        both labelled (above 0 where a judge does better there; missing where nothing is shared, or one label is all
        that is said) with ``difference_low`` and ``difference_high`` (missing where both say the same everywhere),
        ``behind`` (whether all of that interval is below 0), and what else labels may be compared by, each with its
        ``_rank`` among the judges that `ordered` is about: ``kappa``, ``quadratic_kappa``, ``alpha`` (Krippendorff's,
        of the judge and the reference alone, for the distances of `measure`), and, without a rank, ``same`` (share of
        equal labels), ``near`` (share at most one grade apart) and ``bias`` (mean label less that of the reference,
        from ``bias_low`` to ``bias_high`` by Student's t over topics, or items where there are none). What grades alone
        have is missing for labels that are names in no order.
        """
        return self.table.copy()

    @property
    def ordered(self) -> bool:
        """Return whether figures order judges: two at least, the best among them, share topics."""
        return int((self.table["shared"] > 0).sum()) >= _TWO

    @property
    def n_compared(self) -> int:
        """Return the number of topics that differences from the best judge rest on."""
        shared = self.table["shared"].iloc[1:]
        return int(shared.max()) if len(shared) else self.n_topics

    def beside_alt(self, alt: AltTest) -> pd.DataFrame:
        """Return the table with what the alt-test says: ``winning_rate``, ``advantage_probability`` and ``alt_rank``.

        By it the winning rate comes first, then the advantage; ranks are among the judges that figures order, or all.
        """
        beside = alt.judges.set_index("judge")[["winning_rate", "advantage_probability"]]
        ranked = self.table[self.table["shared"] > 0] if self.ordered else self.table
        placed = beside[beside.index.isin(ranked["judge"])]
        keys = pd.Series(list(map(tuple, placed.to_numpy().tolist())), index=placed.index)
        beside["alt_rank"] = keys.rank(ascending=False, method="min") if len(keys) else np.nan
        return self.table.join(beside, on="judge")

    def open_to_best(self) -> tuple[str, ...]:
        """Return the judges, the best first, that the topics shared with it do not tell from it."""
        return tuple(self.table.loc[~self.table["behind"] & (self.table["shared"] > 0), "judge"])

    def without_bias(self, judges: Sequence[str]) -> "JudgeRanking":
        """Return the same without the bias of some judges, whose labels were fitted: it is gone.

        Parameters
        ----------
        judges : sequence of str
        """
        fitted = self.table["judge"].isin(judges)
        columns = ("bias", "bias_low", "bias_high")
        return replace(self, table=self.table.assign(**{name: self.table[name].mask(fitted) for name in columns}))

    def _draw(self) -> Figure:
        """Draw how far every judge is behind the best."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        columns = ["judge", "difference", "difference_low", "difference_high"]
        frame = self.table[columns].dropna(subset="difference").set_axis(["name", "value", "low", "high"], axis=1)
        return agreement_dots(frame, label=f"{self.measure.replace('_', ' ')}, less that of {self.table['judge'][0]}")


@in_one_order
def rank_judges(
    labels: Labels,
    *,
    reference: str,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RNGLike = None,
) -> JudgeRanking:
    r"""Order judges by their agreement with a reference, and say which differ significantly.

    Parameters
    ----------
    labels : Labels
    reference : str
        The judge that the others are compared with.
    confidence_level : float
        Probability that the truly best judge is not said to be behind, however many there are.
    n_resamples : int
        Resamples of the topics, shared by all judges.
    rng : None, int or Generator

    Returns
    -------
    JudgeRanking
        One row a ``judge`` in ``to_frame()``, best first: what was labelled, agreement with the reference, the
        ``difference`` from the best judge with its interval, and whether it is ``behind``; see
        `JudgeRanking.to_frame`.

    Raises
    ------
    UnknownNameError
        If the reference is not a judge.
    ScoresError
        If no judge has anything in common with the reference, or labels are not whole.
    InvalidOptionError
        If an option is outside its rule.

    See Also
    --------
    metaeval.agreement.compare_labels : every statistic of every pair
    metaeval.resampling.rank_intervals : which ranks topics leave open for systems

    Notes
    -----
    With :math:`O_t` the disagreement of a judge with the reference on topic t by weights w, :math:`N_t` its items,
    :math:`r_t, c_t` how often either gave each label, and O, N, r, c their sums, :math:`\kappa = 1 - O N / E` with
    :math:`E = r^T w c`. Topic t adds

    .. math:: \kappa_t = \frac{(1 - \kappa)(r_t^T w c + r^T w c_t) - O_t N - O N_t}{E}

    to it, to first order. Two judges differ by d, of the items that both labelled, with the standard error s of the
    jackknife: :math:`s^2 = \sum_t (d_{-t} - \bar d_{-t})^2`, of d without each topic (where no kappa is left without
    it, of d less what it adds). A judge i is compared with whoever came out best, so its interval is :math:`d \pm c_i
    s`: :math:`c_i` is the quantile over resamples of the topics of the largest :math:`|d^*| / s` of i and anybody else,
    taken from the normal law to that of t with :math:`2 T / (b - 1)` degrees of freedom (Satterthwaite [2]_; at most
    T - 1), T the topics that both have and b the kurtosis of :math:`d_{-t}`; those that share none are not compared.
    The truly best judge is then wrongly found behind with probability :math:`1 -` `confidence_level` at most, up to the
    approximation (multiple comparisons with the best [1]_). With one topic there is no interval, and nobody is behind;
    nor is anybody on so few topics that not even a test of signs
    could tell (five at a level of .95). Where no topics are named (``labels.by_item``), T counts items.

    :math:`\kappa` expects the disagreement of a judge and a reference with their own habits, Krippendorff's
    :math:`\alpha` that of two with the pooled ones. For squared distances these are :math:`\sigma_1^2 + \sigma_2^2 +
    b^2` and :math:`\sigma_1^2 + \sigma_2^2 + b^2/2`, b the difference of the mean labels: who labels higher or lower
    than the reference loses by :math:`\alpha`, and nobody gains.

    References
    ----------
    .. [1] Hsu (1984). Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of
       Statistics 12, 1136-1144. :doi:`10.1214/aos/1176346732`
    .. [2] Satterthwaite (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin 2,
       110-114. :doi:`10.2307/3002019`

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 3, (20, 30))
    >>> said = {"nist": truth} | {
    ...     name: np.where(rng.random(truth.shape) < share, rng.permuted(truth, axis=1), truth)
    ...     for name, share in (("careful", 0.2), ("hasty", 0.5))
    ... }
    >>> table = {
    ...     name: {str(t): {f"d{i}": int(one) for i, one in enumerate(row)} for t, row in enumerate(own)}
    ...     for name, own in said.items()
    ... }
    >>> found = rank_judges(as_labels(table), reference="nist", rng=0)
    >>> found.table[["judge", "behind"]].to_numpy().tolist()
    [['careful', False], ['hasty', True]]
    """
    check_kind(labels, "labels", "Labels")
    check_choice(reference, "judge", labels.judges)
    check_share(confidence_level, "confidence_level")
    check_count(n_resamples, "n_resamples", least=2)
    labels.require_whole("the order of judges by agreement")
    source = resolve_rng(rng)
    measure = leading_kappa(labels)
    scale = np.array(labels.scale, dtype=np.float64)
    reference_index = labels.judges.index(reference)
    counts = contingency(labels, topics=topics_by_content(labels))[:, reference_index]
    tables = counts.transpose(0, 2, 1, 3)  # topic, judge, reference's, own
    names = np.array(labels.judges, dtype=object)
    figures = pooled(tables.sum(axis=0), scale, rel=0)
    ranked = np.isfinite(figures[measure]) & (names != reference)
    if not ranked.any():
        raise ScoresError(
            f"no judge can be ordered by its agreement with {reference!r}: they have no {unit().labelled} in common, "
            "or each gave one and the same label to all of them"
        )
    there = tables.sum(axis=(1, 2, 3)) > 0
    table = _measures(names[ranked], tables[there][:, ranked], scale, measure)
    table["bias_low"], table["bias_high"] = _bias_ends(labels, reference, names[ranked], confidence_level)
    if not labels.ordered:
        table[list(_OF_GRADES)] = np.nan
    items, unit_of = _items_of(labels, reference_index, ranked)
    unit_of = np.arange(len(items)) if labels.by_item else np.unique(unit_of, return_inverse=True)[1]
    n_units = int(unit_of.max()) + 1
    leads = _leads(_Units(items, unit_of, n_units), scale, measure, n_resamples, source.generator)
    compared = min(len(table), n_units) >= _TWO
    table = table.assign(**_beside_best(table[measure].to_numpy(), leads, confidence_level, n_units))
    placed = table["shared"] > 0
    for name in ("quadratic_kappa", "kappa", "alpha") if placed.sum() >= _TWO else ():
        if table[name].isna().all():
            continue
        table[f"{name}_rank"] = table[name].where(placed).rank(ascending=False, method="min").astype("Int64")
    return JudgeRanking(
        table=table.sort_values([measure, "judge"], ascending=[False, True], ignore_index=True),
        measure=measure,
        reference=reference,
        undefined=tuple(names[~ranked & (names != reference)]),
        compared=compared,
        confidence_level=float(confidence_level),
        n_topics=n_units,
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _items_of(labels: Labels, own: int, ranked: Flags) -> tuple[Floats, Ints]:
    """Return the table of every item that the reference labelled, and which topic it is of, in an order of content.

    Shape of the tables: (item, judge, label of the reference, own label).
    """
    hot = (labels.table.to_numpy()[:, :, None] == np.array(labels.scale)).astype(np.float64)
    topics = pd.Index(topics_by_content(labels)).get_indexer(labels.table.index.get_level_values("topic"))
    order = np.argsort(kinds_of(labels), kind="stable")
    hot, topics = hot[order], topics[order]
    tables = hot[:, own, None, :, None] * hot[:, ranked][:, :, None, :]
    there = tables.any(axis=(1, 2, 3))
    return tables[there], topics[there]


class _Units(NamedTuple):
    """The tables of items, and the units that are drawn: topics, or items."""

    items: Floats
    """Shape (item, judge, label of the reference, own label)."""
    unit_of: Ints
    n: int

    def added(self, items: Floats) -> Floats:
        """Return the tables of units: (unit, judge, label of the reference, own label)."""
        tables = np.zeros((self.n, *items.shape[1:]))
        np.add.at(tables, self.unit_of, items)
        return tables

    def labelled(self) -> Flags:
        """Return which judge labelled which item."""
        return np.asarray(self.items.any(axis=(2, 3)))

    def common(self, judge: int) -> tuple[Floats, Floats]:
        """Return the tables of every judge, and those of one, on the items that both labelled."""
        there = self.labelled()
        both = (there & there[:, [judge]])[:, :, None, None]
        return self.added(self.items * both), self.added(self.items[:, [judge]] * both)


class _Lead(NamedTuple):
    """By how much every judge is ahead of one of them, on the items that both labelled."""

    value: Floats
    shared: Ints
    """Units with such items."""
    parts: Floats
    """What every unit adds, times their number. Shape (judge, unit)."""
    sizes: Floats
    drawn: Floats
    """The lead on resamples, less the value. Shape (resample, judge)."""


def _leads(
    units: _Units, scale: Floats, measure: str, n_resamples: int, generator: np.random.Generator
) -> Callable[[int], _Lead]:
    """Return a function of a judge; where all labelled the same items, all judges have the same sums."""
    slopes = partial(_parts_of_topics, distance=np.abs(scale[:, None] - scale), squared=measure != "kappa")

    def resampled(parts: Floats) -> Floats:
        draws = draw_topic_counts(deepcopy(generator), n_resamples, units.n)  # the same for every judge
        return np.concatenate([parts @ counts for counts in draws], axis=1).T / units.n

    def kappas(tables: Floats) -> Floats:
        return pooled(tables.sum(axis=0), scale, rel=0)[measure]

    def parts_of(tables: Floats) -> Floats:
        without = pooled(tables.sum(axis=0) - tables, scale, rel=0)[measure].T
        return np.where(np.isfinite(without), units.n * (kappas(tables)[:, None] - without), slopes(tables))

    if units.labelled().all():
        tables = units.added(units.items)
        parts, values, shared = parts_of(tables), kappas(tables), tables.any(axis=(2, 3)).sum(axis=0)
        means, sizes = resampled(parts), np.abs(parts).sum(axis=1)
        return lambda judge: _Lead(
            values - values[judge], shared, parts - parts[judge], sizes + sizes[judge], means - means[:, [judge]]
        )

    def on_common(judge: int) -> _Lead:
        tables, own = units.common(judge)
        value = kappas(tables) - kappas(own)
        shared = np.where(np.isfinite(value), tables.any(axis=(2, 3)).sum(axis=0), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            both = [np.where(shared[:, None] > 0, parts_of(of), 0.0) for of in (tables, own)]
        parts = both[0] - both[1]
        return _Lead(value, shared, parts, np.abs(both).sum(axis=(0, 2)), resampled(parts))

    return on_common


def _bias_ends(labels: Labels, reference: str, judges: NDArray[np.object_], level: float) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of every judge's mean label less the reference's, over topics or items alone."""
    apart = labels.table[list(judges)].sub(labels.table[reference], axis=0).to_numpy().T
    topics = np.arange(apart.shape[1]) if labels.by_item else pd.factorize(labels.table.index.get_level_values(0))[0]
    there, found = np.isfinite(apart), np.nan_to_num(apart)
    n_labels = there.sum(axis=1)
    bias = found.sum(axis=1) / n_labels
    residuals = np.where(there, found - bias[:, None], 0.0)
    sums, counts = (np.stack([np.bincount(topics, row) for row in rows]) for rows in (residuals, there))
    n_topics = np.count_nonzero(counts, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.square(sums).sum(axis=1) * n_topics / (n_topics - 1.0)) / n_labels
    half = t_half_width(error, n_topics, level)
    return bias - half, bias + half


def _measures(names: NDArray[np.object_], tables: Floats, scale: Floats, measure: str) -> pd.DataFrame:
    """Return every figure of every judge by which labels may be compared, with room for its rank."""
    summed = tables.sum(axis=0)
    figures = pooled(summed, scale, rel=0)
    grades = np.arange(len(scale))
    near = np.abs(grades[:, None] - grades) <= 1
    symmetric = summed + summed.swapaxes(1, 2)
    items = summed.sum(axis=(1, 2))
    ranks = ("quadratic_kappa_rank", "kappa_rank", "alpha_rank")
    return pd.DataFrame(
        {
            "judge": names,
            "items": items.astype(np.int64),
            "topics": (tables.sum(axis=(2, 3)) > 0).sum(axis=0),
            "quadratic_kappa": figures["quadratic_kappa"],
            "kappa": figures["kappa"],
            "alpha": krippendorff_alpha(
                symmetric, scale.tolist(), level="nominal" if measure == "kappa" else "interval"
            ),
            "same": figures["same"],
            "near": (summed * near).sum(axis=(1, 2)) / items,
            "bias": figures["bias"],
        }
    ).assign(**{name: pd.array([pd.NA] * len(names), dtype="Int64") for name in ranks})


def _parts_of_topics(tables: Floats, distance: Floats, *, squared: bool) -> Floats:
    """Return what every topic adds to a judge's kappa, times the number of topics: (judge, topic)."""
    weights = distance**2 if squared else (distance > 0).astype(np.float64)
    apart = np.einsum("tjab,ab->jt", tables, weights)
    items = tables.sum(axis=(2, 3)).T
    rows, columns = tables.sum(axis=3), tables.sum(axis=2)  # the reference's labels, and the judge's
    row, column = rows.sum(axis=0), columns.sum(axis=0)
    expected = np.einsum("ja,ab,jb->j", row, weights, column)
    observed, total = apart.sum(axis=1), items.sum(axis=1)
    beyond = observed * total / expected  # 1 - kappa
    change = np.einsum("tja,ab,jb->jt", rows, weights, column) + np.einsum("ja,ab,tjb->jt", row, weights, columns)
    parts = beyond[:, None] * change - apart * total[:, None] - observed[:, None] * items
    return np.asarray(len(tables) * parts / expected[:, None])


def _beside_best(
    values: Floats, leads: Callable[[int], _Lead], confidence_level: float, n_units: int
) -> dict[str, NDArray[Any]]:
    """Return every judge's difference from the best with its interval, and whether it is behind, on common items."""
    best = int(np.argmax(values))
    of_best = leads(best)
    shared, difference = of_best.shared, np.where(of_best.shared > 0, of_best.value, np.nan)
    reach = np.full(len(values), np.nan)
    for judge in np.flatnonzero((shared >= _TWO) & (np.arange(len(values)) != best)):
        lead = leads(int(judge))
        spread = lead.parts.std(axis=1)
        varied = spread * n_units > RELATIVE * lead.sizes
        beside = np.abs(lead.drawn[:, varied]) / (spread[varied] / np.sqrt(n_units))
        level = _single_level(beside, confidence_level)
        freedom = _freedom(lead.parts[best], int(shared[judge]))
        reach[judge] = t_half_width(spread[best] / np.sqrt(n_units), freedom + 1.0, level)
        if not varied[best]:  # as in `metaeval.agreement.drawn_intervals`: some topics elsewhere may be of another kind
            others = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / shared[judge])
            reach[judge] = others * (1.0 + values.max()) if difference[judge] < -RELATIVE else np.nan
        if 2.0 ** (1 - int(shared[judge])) > 1.0 - confidence_level:  # no test of signs could tell
            reach[judge] = max(reach[judge], -difference[judge])
    return {
        "shared": shared,
        "difference": difference,
        "difference_low": np.maximum(difference - reach, -_RANGE),
        "difference_high": np.minimum(difference + reach, _RANGE),
        "behind": difference + reach < -RELATIVE,
    }


def _freedom(parts: Floats, n_units: int) -> float:
    """Return the degrees of freedom of a spread over units (Satterthwaite): fewer where few of them make it.

    Examples
    --------
    >>> even, uneven = np.tile([-1.0, 1.0], 5), np.array([9.0, *[-1.0] * 9])
    >>> _freedom(even, 10), round(_freedom(uneven, 10), 2)
    (9.0, 2.81)
    """
    squares = np.square(parts - parts.mean())
    beyond = n_units * np.square(squares).sum() - squares.sum() ** 2
    most = n_units - 1.0
    return float(np.clip(2.0 * n_units * squares.sum() ** 2 / beyond, 1.0, most)) if beyond > 0.0 else most


def _single_level(largest: Floats, confidence_level: float) -> float:
    """Return the level at which each interval alone is taken so that those of one judge and all others hold at once.

    Read from studentised differences (resample, other); never less than for a single other, nor more than Bonferroni's.
    """
    n_others = largest.shape[1]
    if n_others < _TWO:
        return confidence_level
    tail = 2.0 * ndtr(-np.quantile(largest.max(axis=1), confidence_level))
    return 1.0 - float(np.clip(tail, (1.0 - confidence_level) / n_others, 1.0 - confidence_level))
