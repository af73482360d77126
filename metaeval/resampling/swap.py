"""The swap method: how often two sets of topics disagree about which of two systems is better.

Two sets of topics of the same size are drawn many times; a pair of systems is a swap when each of the two wins on
one of the sets. The same topic sets serve every metric, every tolerance and every pair, so that error rates can be
compared between metrics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import (
    MOST_REPLICATES,
    check_choice,
    check_count,
    check_share,
    check_tolerances,
)
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import share
from metaeval.errors import ScoresError
from metaeval.resampling.topic_sets import Duplicates, Sampling, TopicSetLayout, draw_topic_sets, lay_out, set_means
from metaeval.running.compiled import compiled
from metaeval.running.draws import RNGLike, bootstrap_indices, resolve_rng
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import limit_threads, on_threads, track
from metaeval.table.scores import Scores
from metaeval.tests_stat.catalogue import TESTS, TestSpec
from metaeval.tests_stat.comparison import compare_systems

ToleranceUnit = Literal["relative", "absolute"]
PAPER_TOLERANCES = (0.0, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorRates(Result):
    """Numbers of swaps per metric, tolerance, topic set size and trial."""

    counts: xr.Dataset
    """Dims ``metric``, ``tolerance`` (the tolerance; not named so, because ``sel`` of xarray has an argument of that
    name), ``size`` (topics in each of the two sets) and ``trial``; variables

    - ``swaps`` (metric, tolerance, size, trial): pairs of systems whose order was reversed;
    - ``comparisons`` (metric, size, trial): pairs compared (all of them, unless only pairs significant on the
      first set were);
    - ``zero_differences`` (metric, size, trial): compared pairs with equal means on at least one set;
    - ``larger_mean`` (metric, size, trial): the larger of a pair's two means, averaged over all pairs and both
      sets. A relative tolerance p asks on average for a difference of p times this.
    """
    tolerance_unit: ToleranceUnit
    """What the tolerances are measured in: shares of the larger of the two means, or the metric's own unit."""
    sampling: Sampling
    """How the two topic sets were drawn."""
    n_systems: int
    n_topics: int
    """Size of the scores used, copies of systems left out."""
    duplicates: tuple[tuple[str, ...], ...] = ()
    """Groups of identical systems."""
    dropped: tuple[str, ...] = ()
    """The copies left out: all but the first of every group, or none."""
    significant_on_first: str | None = None
    """Test a pair had to pass on the first set to be compared."""
    alpha: float | None = None
    """Level of that test."""
    random_source: str = ""
    """Where the draws came from."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.counts["metric"].to_numpy().tolist())

    @property
    def tolerances(self) -> tuple[float, ...]:
        """Tolerances: by how much a system must win on both sets."""
        return tuple(self.counts["tolerance"].to_numpy().tolist())

    @property
    def sizes(self) -> tuple[int, ...]:
        """Topic-set sizes, ascending."""
        return tuple(self.counts["size"].to_numpy().tolist())

    @property
    def n_trials(self) -> int:
        """Number of times two topic sets were drawn at each size."""
        return self.counts.sizes["trial"]

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems."""
        return self.n_systems * (self.n_systems - 1) // 2

    @property
    def signature(self) -> str:
        """One line that says what was done.

        Examples
        --------
        ``swap:trials=50|disjoint|relative|T=50|seed 0``
        """
        parts = [
            f"swap:trials={self.n_trials}",
            self.sampling,
            self.tolerance_unit,
            f"T={self.n_topics}",
            self.random_source,
        ]
        if self.significant_on_first is not None:
            parts.insert(3, f"significant on first set: {self.significant_on_first}, alpha={self.alpha:g}")
        return "|".join(parts)

    def totals(self, *, half_swaps: bool = False) -> xr.Dataset:
        """Return ``swaps`` and ``comparisons`` summed over the trials, dims (metric, tolerance, size).

        Parameters
        ----------
        half_swaps : bool, default False
            Count a zero difference as half a swap at tolerance 0, as the models of the error rate do: an exact tie
            between discrete scores stands for a difference that could have gone either way. With a tolerance above 0
            a tie is never a win, so nothing is added there.
        """
        swaps = self.counts["swaps"].sum("trial")
        comparisons = self.counts["comparisons"].sum("trial").broadcast_like(swaps).transpose(*swaps.dims)
        if half_swaps:
            ties = self.counts["zero_differences"].sum("trial") * (self.counts["tolerance"] == 0)
            swaps = swaps + 0.5 * ties.transpose(*swaps.dims)
        return xr.Dataset({"swaps": swaps, "comparisons": comparisons})

    def _found(self) -> str:
        rates = self.rates().isel(size=-1, tolerance=0)
        by_metric = zip(self.metrics, rates.to_numpy().tolist(), strict=True)
        words = first_few([f"{share(rate)} of the comparisons under {metric}" for metric, rate in by_metric])
        return f"two sets of {self.sizes[-1]} topics disagree about {words} (tolerance {self.tolerances[0]:g})"

    def _draw(self, *, max_error: float = 0.05) -> Figure:
        """Draw the error rate against the size of the topic sets: a panel a tolerance, a line a metric."""
        from metaeval.figures.topics import tolerance_panels  # noqa: PLC0415 - matplotlib

        relative = self.tolerance_unit == "relative"
        names = [f"{100 * tolerance:g} %" if relative else f"{tolerance:g}" for tolerance in self.tolerances]
        frame = self.to_frame().rename(columns={"error_rate": "seen"})
        return tolerance_panels(frame, tolerances=names, max_error=max_error)

    def rates(self, *, half_swaps: bool = False) -> xr.DataArray:
        """Return the error rate, swaps / comparisons, dims (metric, tolerance, size); NaN where nothing was compared.

        Parameters
        ----------
        half_swaps : bool, default False
            See `totals`.
        """
        total = self.totals(half_swaps=half_swaps)
        compared = total["comparisons"] > 0
        return (total["swaps"] / total["comparisons"].where(compared)).rename("error_rate")

    def rate_errors(self) -> xr.DataArray:
        """Return the Monte-Carlo standard error of every error rate: what the number of trials leaves open."""
        counts = self.counts[["swaps", "comparisons"]]
        compared = counts["comparisons"].broadcast_like(counts["swaps"]).transpose(*counts["swaps"].dims)
        mean = compared.mean("trial").where(compared.sum("trial") > 0)
        left = counts["swaps"] - self.rates() * compared
        n = self.n_trials
        variance = (left**2).sum("trial", skipna=False) / max(n - 1, 1) / n
        return (variance**0.5 / mean).rename("rate_se")

    def zero_share(self) -> xr.DataArray:
        """Return the share of comparisons with equal means on a set, dims (metric, size)."""
        total = self.counts[["zero_differences", "comparisons"]].sum("trial")
        return (total["zero_differences"] / total["comparisons"].where(total["comparisons"] > 0)).rename("zero_share")

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, tolerance and size: counts over all trials, the error rate and its error."""
        table = self.totals().assign(
            zero_differences=self.counts["zero_differences"].sum("trial"),
            error_rate=self.rates(),
            rate_se=self.rate_errors(),
        )
        frame = table.to_dataframe(dim_order=["metric", "tolerance", "size"]).reset_index()
        columns = ["swaps", "zero_differences", "comparisons", "error_rate", "rate_se"]
        return frame[["metric", "tolerance", "size", *columns]]


def swap_method(  # noqa: PLR0913 - one keyword per choice of the method
    scores: object,
    *,
    sizes: Sequence[int] | None = None,
    n_trials: int = 50,
    tolerances: Sequence[float] = PAPER_TOLERANCES,
    tolerance_unit: ToleranceUnit = "relative",
    sampling: Sampling = "disjoint",
    duplicates: Duplicates = "drop",
    significant_on_first: str | None = None,
    alpha: float = 0.05,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> ErrorRates:
    r"""Count how often two topic sets of the same size put two systems in opposite orders.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    sizes : sequence of int, optional
        Topics in each set; 5 to half the topics by default. At most half the topics for disjoint sets, else all.
    n_trials : int, default 50
        Pairs of topic sets drawn at each size.
    tolerances : sequence of float, default (0, 0.05, 0.1, 0.2, 0.3)
        Tolerances: by how much a system must win on both sets. At 0 it must win strictly.
    tolerance_unit : {"relative", "absolute"}
        Relative to the larger of the two means on that set (0.05 is 5 %; scores must not be negative), or in the
        metric's own unit.
    sampling : {"disjoint", "overlapping", "bootstrap"}
        The two sets share no topic (the published method, an upper bound on the error); each is drawn without
        replacement, independently of the other (a lower bound); each is drawn with replacement.
    duplicates : {"drop", "keep"}
        Keep one of several identical systems, or all.
    significant_on_first : str, optional
        Compare only the pairs that this test (see `metaeval.tests_stat.catalogue.TESTS`) finds different on the
        first set, two-sided and uncorrected (family-wise where the test knows nothing else).
    alpha : float, default 0.05
        Level of that test.
    rng : None, int or numpy.random.Generator
        Source of the draws. The draws at one size do not depend on which other sizes were asked for.
    n_threads : int, optional
        Cores to use; the answer does not depend on it.

    Returns
    -------
    ErrorRates
        One row a ``metric``, ``tolerance`` and ``size`` (topics in a set) in ``to_frame()``: over all trials ``swaps``
        and ``zero_differences`` among ``comparisons``, and ``error_rate`` (0 to 1) with its Monte-Carlo standard error
        ``rate_se``.

    Raises
    ------
    EstimationError
        If there are too few topics for the smallest size.
    ScoresError
        If the scores have gaps, hold fewer than two different systems, or are negative under a relative tolerance.
    InvalidOptionError
        If an option is outside its rule.

    See Also
    --------
    metaeval.resampling.bins.difference_bins : error rates by the size of the difference

    Notes
    -----
    With :math:`\bar x_A, \bar x_B` the means over one set of z topics, A beats B on it when

    .. math:: \bar x_A - \bar x_B \ge p \max(\bar x_A, \bar x_B) \quad\text{and}\quad \bar x_A > \bar x_B

    (an absolute tolerance p stands alone on the right). A swap is A beating B on one set and B beating A on the other,
    and the error rate at size z is swaps / (pairs x trials). A difference of exactly zero on either set is no swap and
    is counted separately [1]_; tolerances and the absence of bins as in [2]_ (section "Error Rates"); relative to the
    larger mean as in [3]_; the bounds are named by [4]_.

    References
    ----------
    .. [1] Voorhees and Buckley (2002). The effect of topic set size on retrieval experiment error. SIGIR.
       :doi:`10.1145/564376.564432`
    .. [2] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`
    .. [3] Buckley and Voorhees (2000). Evaluating evaluation measure stability. SIGIR. :doi:`10.1145/345508.345543`
    .. [4] Sanderson and Zobel (2005). Information retrieval system evaluation: effort, sensitivity, and reliability.
       SIGIR. :doi:`10.1145/1076034.1076064`

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(1).normal(size=(3, 60))
    >>> shared = {"tolerance_unit": "absolute", "tolerances": [0], "rng": 0}
    >>> rates = swap_method(noise + [[0.0], [0.5], [2.0]], sizes=[5, 30], **shared)
    >>> rates.rates().values.round(2)
    array([[[0.08, 0.  ]]])
    """
    layout = lay_out(scores, sizes=sizes, sampling=sampling, duplicates=duplicates, n_trials=n_trials)
    levels = _checked_tolerances(tolerances, tolerance_unit, layout)
    check_share(alpha, "alpha")
    test = None if significant_on_first is None else TESTS.find(significant_on_first)
    source = resolve_rng(rng)
    generators = source.generator.spawn(int(layout.sizes[-1]) + 1)
    blocks = []
    with limit_threads(n_threads):
        for size in track(layout.sizes.tolist(), description="swap method", total=len(layout.sizes)):
            sets = draw_topic_sets(generators[size], layout.oriented.shape[0], size, n_trials, sampling)
            asked = _significant(layout.scores, sets, test, alpha, generators[size])
            counted = _counted(layout.oriented, sets, levels, tolerance_unit == "relative", asked)
            blocks.append((*counted, _n_compared(asked, layout, n_trials)))
    names = ("swaps", "zero_differences", "larger_mean", "comparisons")
    dims = (("metric", "tolerance", "trial"), *[("metric", "trial")] * 3)
    stacked = [np.stack(block, axis=-2) for block in zip(*blocks, strict=True)]
    counts = xr.Dataset(
        {name: ((*dim[:-1], "size", "trial"), block) for name, dim, block in zip(names, dims, stacked, strict=True)},
        coords=_coordinates(layout, levels) | {"trial": np.arange(1, n_trials + 1)},
    )
    return ErrorRates(
        counts=counts,
        tolerance_unit=tolerance_unit,
        sampling=sampling,
        n_systems=layout.scores.sizes["system"],
        n_topics=layout.scores.sizes["topic"],
        duplicates=layout.duplicates,
        dropped=layout.dropped,
        significant_on_first=None if test is None else test.name,
        alpha=None if test is None else float(alpha),
        random_source=source.description,
    )


def topic_bootstrap(  # noqa: PLR0913 - the choices of the swap method
    scores: object,
    *,
    n_topic_resamples: int = 200,
    sizes: Sequence[int] | None = None,
    n_trials: int = 50,
    tolerances: Sequence[float] = PAPER_TOLERANCES,
    tolerance_unit: ToleranceUnit = "relative",
    sampling: Sampling = "disjoint",
    duplicates: Duplicates = "drop",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> xr.Dataset:
    """Repeat the whole swap method on resampled topics: the spread that comes from the topics being a sample.

    Each replicate draws as many topics as there are, with replacement, once for every metric, size and tolerance,
    and then draws its own topic sets from them. Use the covariance of the replicates, not their level: a topic that
    was drawn twice may stand on both sides, which makes the error rate a little too small.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(1).random((4, 40))
    >>> topic_bootstrap(noise, sizes=[5, 20], n_topic_resamples=10, rng=0)["swaps"].shape
    (10, 1, 5, 2)
    """
    layout = lay_out(scores, sizes=sizes, sampling=sampling, duplicates=duplicates, n_trials=n_trials)
    levels = _checked_tolerances(tolerances, tolerance_unit, layout)
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    generators = resolve_rng(rng).generator.spawn(int(layout.sizes[-1]) + 1)
    n_topics, n_metrics, n_systems = layout.oriented.shape
    resamples = bootstrap_indices(generators[0], n_topic_resamples, n_topics)
    swaps, zeros = [], []
    with limit_threads(n_threads):
        for size in track(layout.sizes.tolist(), description="topic bootstrap", total=len(layout.sizes)):
            sets = draw_topic_sets(generators[size], n_topics, size, n_topic_resamples * n_trials, sampling)
            drawn = np.take_along_axis(resamples, sets.reshape(n_topic_resamples, -1), axis=1).reshape(sets.shape)
            counts, ties, _ = _counted(layout.oriented, drawn, levels, tolerance_unit == "relative", _EVERY_PAIR)
            swaps.append(counts.reshape(n_metrics, len(levels), n_topic_resamples, n_trials).sum(axis=-1))
            zeros.append(ties.reshape(n_metrics, n_topic_resamples, n_trials).sum(axis=-1))
    return xr.Dataset(
        {
            "swaps": (("replicate", "metric", "tolerance", "size"), np.moveaxis(np.stack(swaps, axis=-1), 2, 0)),
            "zero_differences": (("replicate", "metric", "size"), np.moveaxis(np.stack(zeros, axis=-1), 1, 0)),
            "comparisons": ((), n_systems * (n_systems - 1) // 2 * n_trials),
        },
        coords=_coordinates(layout, levels),
    )


_EVERY_PAIR = np.empty((0, 0, 0), dtype=np.bool_)


def _checked_tolerances(tolerances: Sequence[float], tolerance_unit: ToleranceUnit, layout: TopicSetLayout) -> Floats:
    check_choice(tolerance_unit, "tolerance_unit", get_args(ToleranceUnit))
    levels = np.array(check_tolerances(tolerances, tolerance_unit))
    lowest = layout.scores.min(("system", "topic"))
    if tolerance_unit == "relative" and levels[-1] > 0 and (lowest < 0).any():
        name = str(lowest["metric"].to_numpy()[np.argmin(lowest.to_numpy())])
        raise ScoresError(
            f"a relative tolerance is a share of the larger mean and needs scores of at least 0, but {name!r} goes "
            f"down to {float(lowest.min()):g}; pass `tolerance_unit='absolute'` with tolerances in the metric's unit, "
            "or `tolerances=[0]`"
        )
    return levels


def _coordinates(layout: TopicSetLayout, tolerances: Floats) -> dict[str, NDArray[np.generic]]:
    return {"metric": layout.scores["metric"].to_numpy(), "tolerance": tolerances, "size": layout.sizes}


def _significant(
    scores: Scores, sets: Ints, test: TestSpec | None, alpha: float, generator: np.random.Generator
) -> Flags:
    """Return which pairs pass a test on the first set of each trial, shape (metric, trial, pair)."""
    if test is None:
        return _EVERY_PAIR
    flags = []
    for first, stream in zip(sets[:, 0], generator.spawn(len(sets)), strict=True):
        names = np.arange(1, len(first) + 1).astype(str)  # a bootstrap set may hold a topic twice
        subset = scores.isel(topic=first).assign_coords(topic=names)
        result = compare_systems(subset, test=test.name, correction=test.own_correction, alpha=alpha, rng=stream)
        flags.append(result.data["significant"].to_numpy())
    return np.stack(flags, axis=1)


def _n_compared(asked: Flags, layout: TopicSetLayout, n_trials: int) -> Ints:
    if asked.size:
        return asked.sum(axis=-1)
    _, n_metrics, n_systems = layout.oriented.shape
    return np.full((n_metrics, n_trials), n_systems * (n_systems - 1) // 2)


@compiled
def _reached(gap: float, unit: float, tolerances: Floats, size: float) -> int:
    """Return how many of the ascending tolerances, in some unit, a win by `gap` reaches, up to rounding."""
    count = len(tolerances)
    while count > 0:
        bound = tolerances[count - 1] * unit
        if gap >= bound - RELATIVE * (size + bound):
            break
        count -= 1
    return count


def _counted(
    values: Floats,
    sets: Ints,
    tolerances: Floats,
    relative: bool,  # noqa: FBT001 - passed on
    asked: Flags,
) -> tuple[Ints, Ints, Floats]:
    """Count swaps (metric, tolerance, trial) and ties (metric, trial), and average the larger means (metric, trial)."""
    n_metrics, n_trials = values.shape[1], len(sets)
    swaps = np.zeros((n_metrics, len(tolerances), n_trials), dtype=np.int64)
    zeros, larger = np.zeros((n_metrics, n_trials), dtype=np.int64), np.zeros((n_metrics, n_trials))
    _count_swaps(n_trials, values, values.min(), sets, tolerances, relative, asked, swaps, zeros, larger)
    return swaps, zeros, larger


@on_threads
@compiled
def _count_swaps(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int,
    stop: int,
    values: Floats,
    lowest: float,
    sets: Ints,
    tolerances: Floats,
    relative: bool,  # noqa: FBT001 - as above
    asked: Flags,
    swaps: Ints,
    zeros: Ints,
    larger: Floats,
) -> None:
    _, n_metrics, n_systems = values.shape
    n_tolerances = len(tolerances)
    for trial in range(start, stop):
        first, sizes1 = set_means(values, sets[trial, 0], lowest)
        second, sizes2 = set_means(values, sets[trial, 1], lowest)
        for metric in range(n_metrics):
            reached = np.zeros(n_tolerances + 1, dtype=np.int64)
            pair = -1
            total = 0.0
            for a in range(n_systems):
                for b in range(a + 1, n_systems):
                    pair += 1
                    gap1 = first[metric, a] - first[metric, b]
                    gap2 = second[metric, a] - second[metric, b]
                    larger1 = max(abs(first[metric, a]), abs(first[metric, b]))
                    larger2 = max(abs(second[metric, a]), abs(second[metric, b]))
                    total += larger1 + larger2
                    if asked.size and not asked[metric, trial, pair]:
                        continue
                    size1 = sizes1[metric, a] + sizes1[metric, b]
                    size2 = sizes2[metric, a] + sizes2[metric, b]
                    if abs(gap1) <= RELATIVE * size1 or abs(gap2) <= RELATIVE * size2:
                        zeros[metric, trial] += 1
                    elif (gap1 > 0) != (gap2 > 0):
                        on_first = _reached(abs(gap1), larger1 if relative else 1.0, tolerances, size1)
                        on_second = _reached(abs(gap2), larger2 if relative else 1.0, tolerances, size2)
                        reached[min(on_first, on_second)] += 1
            larger[metric, trial] = total / (2 * (pair + 1))
            for index in range(n_tolerances - 1, -1, -1):
                reached[index] += reached[index + 1]
                swaps[metric, index, trial] = reached[index + 1]
