# ruff: noqa: RUF002, RUF003 - Greek letters are meant for people
"""May one stop? Evidence on pairs that holds however often one looks, for scores and votes as they come in.

Evidence is an e-process: where two systems are equal, it ever reaches 1/α with probability α at most, so that one may
look after every unit and stop when one likes. All is on the log scale; shapes are (pair, look).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_list, check_share
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS

EvidenceForm = Literal["t", "sign", "betting"]
FORMS: tuple[EvidenceForm, ...] = get_args(EvidenceForm)
SEQUENTIAL_CORRECTIONS = ("holm", "fdr_bh")
"""What decides on all pairs at once: the family-wise error at every look, or the false discovery rate at the last."""
_EFFECT_VARIANCE = 0.5
"""g of the t form: the effects that its alternative expects, standardised, are normal with this variance."""
_HALF = 0.5
"""Both parameters of the beta prior of the sign form (Jeffreys)."""
_LARGEST_BET = 0.5
_NO_SPREAD = 1e-12
_BISECTIONS = 60
_HORIZON, _STEP, _DRAWS = 100.0, 1.05, 200
"""How many times the units at hand are looked ahead, the ratio of one size to the next, and what may come."""
QUANTILES = (0.05, 0.5, 0.95)
"""Of the sizes that may be needed: the ends of nine of ten, and the middle one."""
_AT_ONCE = 4_000_000
_POWER = 0.8


class Counts(NamedTuple):
    """What is known of each pair at each look. Shape of every array (pair, look)."""

    n: Floats
    """Units that both systems have."""
    total: Floats
    squares: Floats
    """Sums of the differences and of their squares."""
    wins: Floats
    losses: Floats
    """Units with a difference above and below 0."""

    def at(self, look: int) -> "Counts":
        """Return what is known at one look."""
        return Counts(*(numbers[..., look] for numbers in self))

    @property
    def mean(self) -> Floats:
        """Mean difference; NaN without a unit."""
        with np.errstate(invalid="ignore"):
            return self.total / self.n

    @property
    def effect(self) -> Floats:
        """Mean difference over the standard deviation; infinite without a spread, NaN without a difference."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.total / np.sqrt(np.maximum(self.n * self.squares - self.total**2, 0.0))

    def turned(self) -> "Counts":
        """Return the same pairs, each with the system that is ahead first: what is drawn knows no other order."""
        wins, losses = np.maximum(self.wins, self.losses), np.minimum(self.wins, self.losses)
        return Counts(self.n, np.abs(self.total), self.squares, wins, losses)


class Sizes(NamedTuple):
    """What is known of how many topics or votes the units of each pair hold. Shape of every array (pair,)."""

    total: Floats
    squares: Floats
    """Sums of the sizes and of their squares."""
    products: Floats
    """Sums of the differences times the sizes."""


def count_units(differences: Floats, looks: Ints) -> Counts:
    """Count differences (pair, unit) in their order of arrival, NaN for none, after so many units each."""
    there = ~np.isnan(differences)
    filled = np.where(there, differences, 0.0)
    sums = (there, filled, filled**2, filled > 0, filled < 0)
    return Counts(*(np.cumsum(values, axis=-1, dtype=np.float64)[..., looks - 1] for values in sums))


def log_t_evidence(counts: Counts) -> Floats:
    """Return the right-Haar Bayes factor of the t test, against effects of variance g; exact for normal differences.

    (1 + ng)^(−1/2) [(1 + t²/ν) / (1 + t²/(ν(1 + ng)))]^(n/2) with ν = n − 1. Differences without any spread tell of
    nothing but their signs.
    """
    n, g = np.maximum(counts.n, 1.0), _EFFECT_VARIANCE
    scale = n * counts.squares
    with np.errstate(divide="ignore", invalid="ignore"):
        of_mean = np.where(scale > 0, counts.total**2 / scale, 0.0)  # t²/ν = of_mean / (1 − of_mean)
    spread = 1.0 - of_mean > _NO_SPREAD
    evidence = -0.5 * np.log1p(n * g) - n / 2 * np.log1p(-np.where(spread, of_mean, 0.0) * n * g / (1 + n * g))
    return np.where(counts.n < 2, 0.0, np.where(spread, evidence, log_sign_evidence(counts)))  # noqa: PLR2004 - of t


def log_sign_evidence(counts: Counts) -> Floats:
    """Return the mixture of sign tests over a beta prior, exact: B(a + w, a + l) / B(a, a) · 2^(w + l) with a = ½."""
    decided = counts.wins + counts.losses
    return np.asarray(betaln(_HALF + counts.wins, _HALF + counts.losses) - betaln(_HALF, _HALF) + decided * np.log(2.0))


def log_betting_evidence(differences: Floats, looks: Ints, *, alpha: float, mean: Floats | float = 0.0) -> Floats:
    """Return the mean of the wealth of two bettors, on the first system and on the second, without any law assumed.

    Differences (pair, unit) between −1 and 1; `mean` is the true one that is asked about. A bet is what the past
    suggests, never above a half (the predictable plug-in of Waudby-Smith and Ramdas).
    """
    there = ~np.isnan(differences)
    filled = np.where(there, differences, 0.0)
    n = np.cumsum(there, axis=-1)
    deviations = np.where(there, filled - np.cumsum(filled, axis=-1) / (n + 1), 0.0)
    variance = (1.0 + np.cumsum(deviations**2, axis=-1)) / (n + 1)
    before = np.concatenate([np.ones((*variance.shape[:-1], 1)), variance[..., :-1]], axis=-1)
    with np.errstate(divide="ignore"):
        bets = np.minimum(np.sqrt(2 * np.log(2 / alpha) / (before * n * np.log1p(n))), _LARGEST_BET)
    gains = np.where(there, bets * (filled - np.asarray(mean)[..., None]), 0.0)
    with np.errstate(divide="ignore"):  # all is lost where a mean of -1 or 1 is asked about
        up, down = (np.cumsum(np.log1p(side * gains), axis=-1)[..., looks - 1] for side in (1.0, -1.0))
    return np.logaddexp(up, down) - np.log(2.0)


def decided_pairs(log_evidence: Floats, *, alpha: float, correction: str) -> Flags:
    """Return which pairs (pair, look) are decided at each look, of those that are compared.

    Holm's steps on the largest evidence so far hold at all looks at once; the e-values' Benjamini–Hochberg procedure,
    on the evidence at a look, holds for the look at which one stops, under any dependence between the pairs.
    """
    check_choice(correction, "correction", SEQUENTIAL_CORRECTIONS)
    holds_always = correction == "holm"
    evidence = np.maximum.accumulate(log_evidence, axis=-1) if holds_always else log_evidence
    n_pairs = len(evidence)
    order = np.argsort(-evidence, axis=0, kind="stable")
    levels = np.log(CORRECTIONS[correction].levels(alpha, np.arange(1, n_pairs + 1), n_pairs))
    passed = np.take_along_axis(evidence, order, axis=0) >= -levels[:, None]
    steps_up = np.maximum.accumulate(passed[::-1], axis=0)[::-1]
    rejected = np.minimum.accumulate(passed, axis=0) if holds_always else steps_up
    decided = np.empty_like(rejected)
    np.put_along_axis(decided, order, rejected, axis=0)
    return decided


def sequence_interval(
    counts: Counts, form: EvidenceForm, *, alpha: float, differences: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the mean differences (lower, upper) of each pair that the evidence of a form does not exclude at level α.

    Such an interval holds at all looks at once. Shapes: `counts` of one look, (pair,). That of the sign form is the
    share of wins among units that differ, times the share of these units. The betting form needs the differences.
    """
    if form == "t":
        half = _t_half_width(counts, alpha)
        return counts.mean - half, counts.mean + half
    if form == "sign":
        shares = _win_shares(counts, alpha)
        with np.errstate(invalid="ignore"):
            differing = (counts.wins + counts.losses) / counts.n
        lower, upper = (differing * (2.0 * share - 1.0) for share in shares)
        return lower, upper
    if differences is None:
        raise InvalidOptionError("an interval by betting needs the differences themselves")
    last = np.array([differences.shape[-1]])

    def excluded(mean: Floats) -> Flags:
        return log_betting_evidence(differences, last, alpha=alpha, mean=mean)[..., 0] >= -np.log(alpha)

    return tuple(_edge(excluded, counts.mean, np.full(len(counts.mean), side)) for side in (-1.0, 1.0))  # type: ignore[return-value]  # two of them


def _t_half_width(counts: Counts, alpha: float) -> Floats:
    """Solve the t form for t; without end where no t excludes anything."""
    n = counts.n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(counts.squares / n - counts.mean**2, 0.0)  # ν s²/n over ν
        half = np.sqrt(_largest_t(n, alpha) * variance)
    return np.where(variance > _NO_SPREAD * counts.squares / np.maximum(n, 1.0), half, np.inf)


def _largest_t(n: Floats, alpha: float) -> Floats:
    """Return the largest t²/ν that the t form does not exclude."""
    ng = n * _EFFECT_VARIANCE
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.exp((np.log1p(ng) - 2.0 * np.log(alpha)) / n)
        return np.where(ratio < 1.0 + ng, (ratio - 1.0) / (1.0 - ratio / (1.0 + ng)), np.inf)


def ratio_interval(counts: Counts, sizes: Sizes, *, alpha: float) -> tuple[Floats, Floats]:
    """Return the differences a topic or vote (lower, upper) that the t form does not exclude at level α.

    Units hold several topics or votes: `counts` are of their sums of differences, `sizes` of how many each holds, both
    in units of one look. A difference θ is excluded where sums less θ times sizes are no sums around 0, Fieller's
    argument [1]_ with the largest t² of the t form in the place of Student's; so 0 is excluded just where the evidence
    says, and the interval holds at all looks at once. Without end where sizes may be 0 for all that is known, and where
    sums are the same multiple of sizes in all units. Shapes: all (pair,).

    References
    ----------
    .. [1] Fieller (1954). Some problems in interval estimation. Journal of the Royal Statistical Society B 16(2),
       175-185. :doi:`10.1111/j.2517-6161.1954.tb00159.x`

    Examples
    --------
    >>> sums, sizes = np.array([[2.0, 1.0, 3.0, 1.0, 2.0, 4.0] * 5]), np.array([[3.0, 2.0, 5.0, 2.0, 3.0, 5.0] * 5])
    >>> held = Sizes(sizes.sum(axis=1), (sizes**2).sum(axis=1), (sums * sizes).sum(axis=1))
    >>> counts = count_units(sums, np.array([30])).at(0)
    >>> [round(float(end[0]), 3) for end in (counts.total / held.total, *ratio_interval(counts, held, alpha=0.05))]
    [0.65, 0.571, 0.71]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        size, of_t = sizes.total / counts.n, _largest_t(counts.n, alpha)
        variances = (counts.squares / counts.n - counts.mean**2, sizes.squares / counts.n - size**2)
        covariance = sizes.products / counts.n - counts.mean * size
        ratio = counts.mean / size
        spread = variances[0] - 2.0 * ratio * covariance + ratio**2 * variances[1]
        leading = size**2 - of_t * variances[1]
        middle = (counts.mean * size - of_t * covariance) / leading
        half = np.sqrt(np.maximum(middle**2 - (counts.mean**2 - of_t * variances[0]) / leading, 0.0))
    known = (leading > 0.0) & (spread > _NO_SPREAD * counts.squares / np.maximum(counts.n, 1.0))
    return np.where(known, middle - half, -np.inf), np.where(known, middle + half, np.inf)


def _win_shares(counts: Counts, alpha: float) -> tuple[Floats, Floats]:
    wins, losses = counts.wins, counts.losses
    mixed = betaln(_HALF + wins, _HALF + losses) - betaln(_HALF, _HALF)

    def excluded(share: Floats) -> Flags:
        with np.errstate(divide="ignore", invalid="ignore"):
            likely = np.where(wins > 0, wins * np.log(share), 0.0) + np.where(
                losses > 0, losses * np.log1p(-share), 0.0
            )
        return np.asarray(mixed - likely >= -np.log(alpha))

    with np.errstate(invalid="ignore"):
        middle = np.where(wins + losses > 0, wins / np.maximum(wins + losses, 1.0), _HALF)
    ends = (_edge(excluded, middle, np.full(middle.shape, end)) for end in (0.0, 1.0))
    lower, upper = ends
    return lower, upper


def _edge(excluded: Callable[[Floats], Flags], inside: Floats, outside: Floats) -> Floats:
    """Return where exclusion begins between what is not excluded and an end; the end where nothing is."""
    without_end = ~excluded(outside)
    inner, outer = inside.copy(), outside.copy()
    for _ in range(_BISECTIONS):
        middle = (inner + outer) / 2.0
        out = excluded(middle)
        inner, outer = np.where(out, inner, middle), np.where(out, middle, outer)
    return np.where(without_end, outside, outer)


def units_expected(counts: Counts, form: EvidenceForm, level: float, *, alpha: float) -> Floats:
    """Return how many units the evidence of pairs takes to reach a level (log): 5 %, half and 95 % of what may come.

    True effects are drawn from what the units at hand leave open, and units to come from normal differences (wins and
    losses from their shares): the same draws for every pair. Infinite past a hundred times the units at hand. Shapes:
    `counts` of one look, (pair,); result (3, pair).
    """
    counts = counts.turned()
    generator = np.random.default_rng(0)
    ratios = np.power(_STEP, np.arange(1.0, np.log(_HORIZON) / np.log(_STEP) + 1.0))
    drawn = (generator.standard_normal(_DRAWS), *generator.standard_normal((2, _DRAWS, len(ratios))))
    size = max(1, _AT_ONCE // drawn[1].size)
    blocks = [
        _sizes_reached(
            Counts(*(numbers[start : start + size] for numbers in counts)), form, level, alpha, ratios, drawn
        )
        for start in range(0, len(counts.n), size)
    ]
    return np.quantile(np.concatenate(blocks), QUANTILES, axis=1, method="inverted_cdf")


def _sizes_reached(  # noqa: PLR0913, PLR0917 - what is known, asked and drawn
    counts: Counts,
    form: EvidenceForm,
    level: float,
    alpha: float,
    ratios: Floats,
    drawn: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return the units (pair, draw) with which the evidence first reaches the level."""
    n, total, squares, wins, losses = (np.maximum(numbers, 1e-9)[:, None, None] for numbers in counts)
    of_effect, of_sum, of_squares = drawn[0][:, None], drawn[1], drawn[2]
    sizes = n * ratios
    added = np.diff(sizes, axis=-1, prepend=n)
    if form == "sign":
        decided, won, lost = wins + losses, wins + _HALF, losses + _HALF
        deviation = np.sqrt(won * lost / (decided + 2.0)) / (decided + 1.0)
        share = np.clip(won / (decided + 1.0) + of_effect * deviation, 0.0, 1.0)
        news = added * decided / n
        so_far = news.cumsum(axis=-1)
        steps = news * share + np.sqrt(news * share * (1.0 - share)) * of_sum
        more_wins = np.clip(steps.cumsum(axis=-1), 0.0, so_far)
        ahead = Counts(sizes, total, squares, wins + more_wins, losses + so_far - more_wins)
        evidence = log_sign_evidence(ahead)
    else:
        spread = np.sqrt(np.maximum(squares / n - (counts.mean[:, None, None]) ** 2, 1e-300))
        mean = counts.mean[:, None, None] / spread
        effect = mean + of_effect * np.sqrt((1 + mean**2 / 2) / n)
        sums = effect * added + np.sqrt(added) * of_sum
        news = np.maximum(added + np.sqrt(2 * added) * of_squares + 2 * effect * sums - effect**2 * added, 0.0)
        totals, second = mean * n + sums.cumsum(axis=-1), squares / spread**2 + news.cumsum(axis=-1)
        if form == "t":
            evidence = log_t_evidence(Counts(sizes, totals, second, wins, losses))
        else:
            bets = np.minimum(
                np.sqrt(2 * np.log(2 / alpha) * sizes / (second * spread**2 * sizes * np.log1p(sizes))), _LARGEST_BET
            )
            before = bets * spread
            evidence = np.abs((before * sums).cumsum(axis=-1)) - (before**2 * news / 2).cumsum(axis=-1) - np.log(2.0)
    reached = evidence >= level
    first = np.take_along_axis(np.broadcast_to(sizes, reached.shape), reached.argmax(axis=-1)[..., None], axis=-1)[
        ..., 0
    ]
    return np.where(reached.any(axis=-1), np.ceil(first), np.inf)


def fixed_size(counts: Counts, *, level: float) -> Floats:
    """Return the units (pair,) with which a t test at a level finds the difference at hand in four of five cases."""
    tail = np.maximum(counts.n - 1.0, 1.0)
    wanted = stdtrit(tail, 1.0 - level / 2.0) + stdtrit(tail, _POWER)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.ceil(np.maximum((wanted / counts.effect) ** 2, 2.0)))


_LOG_EVIDENCE: dict[str, Callable[[Counts], Floats]] = {"t": log_t_evidence, "sign": log_sign_evidence}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Looked(ShortRepr):
    """What is decided after the units so far."""

    n_units: int
    log10_evidence: Floats
    """Of each pair. Shape (pair,)."""
    winners: tuple[str | None, ...]
    """Of each pair the system that is better; None where it is not decided."""
    pairs: tuple[tuple[str, str], ...]

    @property
    def all_decided(self) -> bool:
        """Whether no pair is left open."""
        return None not in self.winners


class Stopping:
    """Look after every unit, in a loop that makes them, and stop when enough is decided.

    However often one looks, a pair of equal systems is ever called different with probability `alpha` at most, all
    pairs together.

    Parameters
    ----------
    pairs : sequence of pairs of str
        The two systems of each pair.
    evidence : {"t", "sign"}
        "t" for differences that are roughly normal, "sign" for those of scores of 0 and 1, and for votes.
    alpha : float, default 0.05
    burn_in : int, default 10
        Units before the first look.

    Raises
    ------
    InvalidOptionError
        If an argument is outside its rule; from `update`, if the differences do not fit the pairs or are not finite.

    See Also
    --------
    metaeval.study_stopping : The same of results at hand, with intervals and what is still needed.

    Examples
    --------
    >>> import numpy as np
    >>> stopping, rng = Stopping([("new", "old")]), np.random.default_rng(0)
    >>> for _ in range(200):
    ...     now = stopping.update([rng.normal(0.1, 0.2)])
    ...     if now.all_decided:
    ...         break
    >>> now.n_units, now.winners
    (39, ('new',))
    """

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        evidence: Literal["t", "sign"] = "t",
        alpha: float = 0.05,
        burn_in: int = 10,
    ) -> None:
        """Begin with no unit."""
        check_choice(evidence, "evidence", _LOG_EVIDENCE)
        check_share(alpha, "alpha")
        check_count(burn_in, "burn_in", least=2)
        self._pairs = tuple((str(first), str(second)) for first, second in check_list(pairs, "pairs", [("new", "old")]))
        if not self._pairs:
            raise InvalidOptionError(
                "`pairs` is empty; name the two systems of at least one pair, such as ('new', 'old')"
            )
        self._evidence, self._alpha, self._burn_in = _LOG_EVIDENCE[evidence], alpha, burn_in
        self._counts = Counts(*np.zeros((5, len(self._pairs))))
        self._largest = np.zeros(len(self._pairs))
        self._winners: tuple[str | None, ...] = (None,) * len(self._pairs)
        self._n_units = 0

    def update(self, differences: ArrayLike) -> Looked:
        """Take one more unit, and return what is decided now.

        Parameters
        ----------
        differences : array of float
            The first system's score less the second's, of each pair (higher better); NaN where the unit is not of a
            pair. Shape (pair,).

        Returns
        -------
        Looked
            ``n_units``, ``log10_evidence`` and the ``winners`` of the pairs, and whether ``all_decided``.
        """
        unit = np.asarray(differences, dtype=np.float64)
        if unit.shape != self._largest.shape or np.isinf(unit).any():
            message = (
                f"`differences` needs {len(self._largest)} finite numbers, one a pair; this is {differences!r:.80}"
            )
            raise InvalidOptionError(message)
        here = count_units(unit[:, None], np.array([1])).at(0)
        self._counts = Counts(*(before + now for before, now in zip(self._counts, here, strict=True)))
        self._n_units += 1
        evidence = self._evidence(self._counts)
        if self._n_units >= self._burn_in:
            self._largest = np.maximum(self._largest, evidence)
        decided = decided_pairs(self._largest[:, None], alpha=self._alpha, correction="holm")[:, 0].tolist()
        ahead = (self._counts.total > 0).tolist()
        states = zip(self._winners, self._pairs, ahead, decided, strict=True)
        self._winners = tuple(
            before or ((first if is_ahead else second) if is_decided else None)
            for before, (first, second), is_ahead, is_decided in states
        )
        return Looked(
            n_units=self._n_units,
            log10_evidence=evidence / np.log(10.0),
            winners=self._winners,
            pairs=self._pairs,
        )
