"""Error rates by the size of the difference: how large it must be before another topic set agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import logit, ndtri

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_number, check_share
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import share, two_digits
from metaeval.errors import EstimationError
from metaeval.resampling.topic_sets import Duplicates, Sampling, TopicSetLayout, draw_topic_sets, lay_out, set_means
from metaeval.running.compiled import compiled
from metaeval.running.draws import RNGLike, bootstrap_indices, resolve_rng, standard_deviation
from metaeval.running.equality import RELATIVE, settle
from metaeval.running.parallel import limit_threads, on_threads, track

Reading = Literal["first bin", "every larger bin", "cumulative"]
_READ = ("difference", "share", "difference_error", "share_error")
_BATCHES = 5
"""Of the trials, whose spread tells the Monte-Carlo error."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferenceBins(Result):
    """Error rates by difference on the first topic set, and the smallest reliable difference."""

    bins: xr.Dataset
    """Dims ``metric``, ``size`` (topics in a set), ``bin``; coordinates ``lower_edge`` and ``upper_edge`` (the last is
    open: infinite); variables ``comparisons``, ``sign_changes``, ``error_rate`` (NaN in an empty bin), and ``low``
    and ``high``, the interval of the error rate from the topic bootstrap."""
    readings: xr.Dataset
    """Dims ``metric``, ``size``, ``reading``; ``difference``: the smallest difference that keeps the error rate within
    ``max_error`` in that reading (NaN where none does); ``share``: the share of all comparisons that reach it; and
    in ``_error`` the Monte-Carlo standard errors of both, the spread over fifths of the trials."""
    zero_differences: xr.DataArray
    """Comparisons with equal means on a set, dims (metric, size). They are in no bin."""
    max_error: float
    confidence_level: float
    n_comparisons: int
    """All comparisons at one size, those with a zero difference included."""
    dropped: tuple[str, ...]
    """Copies of systems left out."""
    random_source: str
    """Where the draws came from."""

    def _found(self) -> str:
        rows = self.sensitivity()
        rows = rows[rows["size"] == rows["size"].max()].fillna({"difference": np.inf})
        words = [f"{two_digits(row.difference)} under {row.metric}" for row in rows.itertuples()]
        size = f"two sets of {rows['size'].iloc[0]} {unit().topics}"
        return f"from a difference of {first_few(words)} on, {size} disagree about {share(self.max_error)} at most"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, size and bin that is not empty."""
        frame = self.bins.to_dataframe(dim_order=["metric", "size", "bin"]).reset_index()
        frame = frame[frame["comparisons"] > 0].reset_index(drop=True)
        columns = ["lower_edge", "upper_edge", "comparisons", "sign_changes", "error_rate", "low", "high"]
        return frame[["metric", "size", *columns]]

    def _draw(self) -> Figure:
        """Draw the error rate of every bin, and the difference from which all bins stay within the error allowed.

        Raises
        ------
        EstimationError
            If no two systems differ, so that there is no bin.
        """
        from metaeval.figures.topics import difference_panels  # noqa: PLC0415 - matplotlib

        frame = self.to_frame()
        if frame.empty:
            raise EstimationError(f"no two systems differ on any {unit().topic} set, so there is no bin to draw")
        return difference_panels(frame, self.sensitivity(), max_error=self.max_error)

    def sensitivity(self, reading: Reading = "every larger bin") -> pd.DataFrame:
        """Return the difference that can be trusted and the share of comparisons that reach it.

        Parameters
        ----------
        reading : {"first bin", "every larger bin", "cumulative"}
            See `difference_bins`; the three differ by a factor of two or more, so the one shown is named.

        Returns
        -------
        pandas.DataFrame
            One row a metric and size: ``reading``, ``difference``, ``share`` and their Monte-Carlo errors.
        """
        check_choice(reading, "reading", get_args(Reading))
        frame = self.readings.sel(reading=reading).to_dataframe(dim_order=["metric", "size"]).reset_index()
        return frame[["metric", "size", "reading", *_READ]]


def difference_bins(  # noqa: PLR0913 - one keyword per choice of the method
    scores: object,
    *,
    sizes: Sequence[int] | None = None,
    n_trials: int = 50,
    bin_width: float = 0.01,
    n_bins: int = 21,
    max_error: float = 0.05,
    sampling: Sampling = "disjoint",
    duplicates: Duplicates = "drop",
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> DifferenceBins:
    r"""Find the smallest difference between two means that another topic set rarely contradicts.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    sizes : sequence of int, optional
        Topics in each set; half the topics by default.
    n_trials : int, default 50
        Pairs of topic sets drawn at each size.
    bin_width : float, default 0.01
        Width of a bin, in the metric's unit.
    n_bins : int, default 21
        Number of bins; the last one is open.
    max_error : float, default 0.05
        Error rate to stay within.
    sampling, duplicates, rng, n_threads
        As in `metaeval.resampling.swap.swap_method`; the same seed draws the same topic sets.
    n_topic_resamples : int, default 200
        Resamples of the topics for the intervals; 0 for none.
    confidence_level : float, default 0.95
        Of the intervals.

    Returns
    -------
    DifferenceBins
        One row a ``metric``, ``size`` and bin that is not empty in ``to_frame()``: ``lower_edge`` and ``upper_edge`` in
        units of the metric (the last is infinite), ``comparisons``, ``sign_changes`` among them, and ``error_rate``
        with ``low`` and ``high`` (0 to 1). ``readings`` holds the smallest differences that keep within `max_error`.

    Raises
    ------
    EstimationError, ScoresError, InvalidOptionError
        As `metaeval.resampling.swap.swap_method`.

    See Also
    --------
    metaeval.resampling.swap.swap_method : error rates of all pairs, by tolerance

    Notes
    -----
    Bin k holds the comparisons whose difference d of the two means on the first set satisfies
    :math:`k w \le |d| < (k + 1) w` up to rounding: 0.3 - 0.2 reaches 0.1; its error rate is the share of them that
    change sign on the second set [1]_. A comparison with a difference of zero on either set is in no
    bin. Three readings of "the difference that keeps errors within 5 %" are in use:

    - "first bin": lower edge of the first bin at or under the limit;
    - "every larger bin": lower edge of the first bin from which it and every larger bin are (empty ones skipped);
    - "cumulative": the smallest difference such that the comparisons at or above it, taken together, are.

    The interval of a bin is its error rate plus and minus z times the standard deviation of the topic bootstrap,
    both on the logit scale with half a comparison added on either side. It grows with the share of topics in
    common, which a binomial interval would not: the comparisons of one bin share topics and systems.

    References
    ----------
    .. [1] Voorhees and Buckley (2002). The effect of topic set size on retrieval experiment error. SIGIR.
       :doi:`10.1145/564376.564432`

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(1).normal(size=(6, 60))
    >>> found = difference_bins(noise + np.arange(6)[:, None] / 4, bin_width=0.1, n_topic_resamples=0, rng=0)
    >>> found.sensitivity().round(2).drop(columns=["difference_error", "share_error"])
        metric  size           reading  difference  share
    0  metric1    30  every larger bin         0.6    0.4
    """
    sizes = sizes if sizes is not None else _half(scores, sampling, duplicates, n_trials)
    layout = lay_out(scores, sizes=sizes, sampling=sampling, duplicates=duplicates, n_trials=n_trials)
    edges = _checked_edges(bin_width, n_bins, max_error, n_topic_resamples, confidence_level)
    source = resolve_rng(rng)
    generators = source.generator.spawn(int(layout.sizes[-1]) + 1)
    resamples = bootstrap_indices(generators[0], n_topic_resamples, layout.oriented.shape[0])
    counts, ties, readings, intervals = [], [], [], []
    with limit_threads(n_threads):
        for size in track(layout.sizes.tolist(), description="difference bins", total=len(layout.sizes)):
            sets = draw_topic_sets(generators[size], layout.oriented.shape[0], size, n_trials, sampling)
            compared = _compare(layout.oriented, sets)
            counts.append(_fill_bins(compared, edges))
            ties.append((compared.differences == 0).sum(axis=(1, 2)))
            readings.append(
                np.concatenate(
                    [_readings(compared, counts[-1], edges, max_error), _reading_errors(compared, edges, max_error)]
                )
            )
            spread = _spread(layout, resamples, generators[size], (size, n_trials, sampling), edges)
            intervals.append(_interval(counts[-1], spread, confidence_level))
    return _labelled(
        layout,
        np.stack(counts, axis=2),
        np.stack(ties, axis=1),
        np.stack(readings, axis=2),
        np.stack(intervals, axis=2),
        edges=edges,
        max_error=max_error,
        confidence_level=confidence_level,
        n_trials=n_trials,
        random_source=source.description,
    )


def _half(scores: object, sampling: Sampling, duplicates: Duplicates, n_trials: int) -> list[int]:
    layout = lay_out(scores, sizes=None, sampling=sampling, duplicates=duplicates, n_trials=n_trials)
    return [int(layout.sizes[-1])]


def _checked_edges(
    bin_width: float, n_bins: int, max_error: float, n_topic_resamples: int, confidence_level: float
) -> Floats:
    """Refuse options outside their rules; return the lower edges of the bins."""
    check_number(bin_width, "bin_width", above=0)
    check_count(n_bins, "n_bins", least=2)
    check_share(max_error, "max_error")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES, zero=True)
    check_share(confidence_level, "confidence_level")
    return np.array(
        [float(Decimal(repr(float(bin_width))) * index) for index in range(int(n_bins))]
    )  # 0.3, not 3 * 0.1


class _Compared(NamedTuple):
    """Every comparison of two systems: arrays (metric, trial, pair)."""

    differences: Floats  # on the first set, absolute; 0, with size 0, where a set has none
    sizes: Floats
    changed: Flags  # its sign on the second


def _readings(compared: _Compared, counts: Ints, edges: Floats, max_error: float) -> Floats:
    """Return difference and share in the three readings, shape (2, metric, 3); `counts` is (2, metric, bin)."""
    differences, sizes, changed = compared
    readings = np.full((2, counts.shape[1], len(get_args(Reading))), np.nan)
    for metric, (n_compared, changes) in enumerate(zip(*counts, strict=True)):
        filled = n_compared > 0
        good = filled & (changes <= max_error * n_compared)
        from_here_on = np.logical_and.accumulate((good | ~filled)[::-1])[::-1] & filled
        for reading, bins in enumerate((good, from_here_on)):
            if bins.any():
                readings[0, metric, reading] = edges[np.argmax(bins)]
                readings[1, metric, reading] = n_compared[np.argmax(bins) :].sum()
        settled = settle(differences[metric].ravel(), sizes[metric].ravel())
        readings[:, metric, 2] = _cumulative(settled, changed[metric].ravel(), max_error)
    readings[1] = np.nan_to_num(readings[1]) / differences[0].size
    return readings


def _reading_errors(compared: _Compared, edges: Floats, max_error: float) -> Floats:
    """Return the Monte-Carlo standard errors of `_readings`, from batches of the trials; NaN of a single trial."""
    batches = np.array_split(np.arange(compared.differences.shape[1]), _BATCHES)
    nonempty = [batch for batch in batches if len(batch)]
    contiguous = np.ascontiguousarray  # another layout would be compiled anew
    parts = [
        _Compared(
            contiguous(compared.differences[:, batch]),
            contiguous(compared.sizes[:, batch]),
            contiguous(compared.changed[:, batch]),
        )
        for batch in nonempty
    ]
    readings = np.stack([_readings(of_batch, _fill_bins(of_batch, edges), edges, max_error) for of_batch in parts])
    return standard_deviation(readings) / np.sqrt(len(parts))


def _cumulative(differences: Floats, changed: Flags, max_error: float) -> tuple[float, float]:
    """Return the smallest difference from which the error rate is within the limit, and how many reach it."""
    order = np.argsort(-differences, kind="stable")
    order = order[differences[order] > 0]
    largest_first = differences[order]
    last_of_equals = np.append(largest_first[1:] != largest_first[:-1], True)[: len(order)]
    rate = np.cumsum(changed[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(last_of_equals & (rate <= max_error))
    if not len(good):
        return np.nan, np.nan
    return float(largest_first[good[-1]]), float(good[-1] + 1)


def _spread(
    layout: TopicSetLayout,
    resamples: Ints,
    generator: np.random.Generator,
    sets: tuple[int, int, Sampling],
    edges: Floats,
) -> Floats:
    """Return the standard deviation of the logit error rate over resampled topics, shape (metric, bin)."""
    size, n_trials, sampling = sets
    n_topics, n_metrics, _ = layout.oriented.shape
    replicates = []
    for resample in resamples:
        drawn = resample[draw_topic_sets(generator, n_topics, size, n_trials, sampling)]
        replicates.append(_logit_rate(_fill_bins(_compare(layout.oriented, drawn), edges)))
    if not replicates:
        return np.full((n_metrics, len(edges)), np.nan)
    return standard_deviation(np.stack(replicates))


def _logit_rate(counts: Ints) -> Floats:
    compared, changes = counts
    rate = (changes + 0.5) / (compared + 1.0)
    return np.where(compared > 0, logit(rate), np.nan)


def _interval(counts: Ints, spread: Floats, confidence_level: float) -> Floats:
    reach = ndtri(0.5 + confidence_level / 2) * spread
    centre = _logit_rate(counts)
    return 1.0 / (1.0 + np.exp(-np.stack([centre - reach, centre + reach])))


def _labelled(  # noqa: PLR0913 - the parts of a result
    layout: TopicSetLayout,
    counts: Ints,
    ties: Ints,
    readings: Floats,
    intervals: Floats,
    *,
    edges: Floats,
    max_error: float,
    confidence_level: float,
    n_trials: int,
    random_source: str,
) -> DifferenceBins:
    named = {"metric": layout.scores["metric"].to_numpy(), "size": layout.sizes}
    dims = ("metric", "size", "bin")
    compared, changes = counts
    rate = np.where(compared > 0, changes / np.maximum(compared, 1), np.nan)
    variables = {"comparisons": compared, "sign_changes": changes, "error_rate": rate}
    variables |= {"low": intervals[0], "high": intervals[1]}
    n_systems = layout.scores.sizes["system"]
    return DifferenceBins(
        bins=xr.Dataset(
            {name: (dims, values) for name, values in variables.items()},
            coords=named | {"lower_edge": ("bin", edges), "upper_edge": ("bin", np.append(edges[1:], np.inf))},
        ),
        readings=xr.Dataset(
            {name: (("metric", "size", "reading"), readings[index]) for index, name in enumerate(_READ)},
            coords=named | {"reading": list(get_args(Reading))},
        ),
        zero_differences=xr.DataArray(ties, dims=("metric", "size"), coords=named),
        max_error=float(max_error),
        confidence_level=float(confidence_level),
        n_comparisons=n_systems * (n_systems - 1) // 2 * n_trials,
        dropped=layout.dropped,
        random_source=random_source,
    )


@compiled
def _bin_of(gap: float, edges: Floats, size: float) -> int:
    """Return the last bin whose lower edge a difference reaches, up to rounding; the last bin is open."""
    index = int(min(gap / edges[1], len(edges) - 1.0))
    while index + 1 < len(edges) and gap >= edges[index + 1] - RELATIVE * (size + edges[index + 1]):
        index += 1
    return index


def _compare(values: Floats, sets: Ints) -> _Compared:
    n_metrics, n_systems = values.shape[1:]
    shape = (n_metrics, len(sets), n_systems * (n_systems - 1) // 2)
    compared = _Compared(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_))
    _compare_pairs(len(sets), values, values.min(), sets, *compared)
    return compared


@on_threads
@compiled
def _compare_pairs(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int, stop: int, values: Floats, lowest: float, sets: Ints, differences: Floats, sizes: Floats, changed: Flags
) -> None:
    _, n_metrics, n_systems = values.shape
    for trial in range(start, stop):
        first, sizes1 = set_means(values, sets[trial, 0], lowest)
        second, sizes2 = set_means(values, sets[trial, 1], lowest)
        for metric in range(n_metrics):
            pair = -1
            for a in range(n_systems):
                for b in range(a + 1, n_systems):
                    pair += 1
                    gap1 = first[metric, a] - first[metric, b]
                    gap2 = second[metric, a] - second[metric, b]
                    size1 = sizes1[metric, a] + sizes1[metric, b]
                    size2 = sizes2[metric, a] + sizes2[metric, b]
                    if abs(gap1) > RELATIVE * size1 and abs(gap2) > RELATIVE * size2:
                        differences[metric, trial, pair] = abs(gap1)
                        sizes[metric, trial, pair] = size1
                        changed[metric, trial, pair] = (gap1 > 0) != (gap2 > 0)


def _fill_bins(compared: _Compared, edges: Floats) -> Ints:
    """Count comparisons and sign changes, shape (2, metric, bin)."""
    n_metrics, n_trials, _ = compared.differences.shape
    counts = np.zeros((n_trials, 2, n_metrics, len(edges)), dtype=np.int64)
    _count_in_bins(n_trials, *compared, edges, counts)
    return counts.sum(axis=0)


@on_threads
@compiled
def _count_in_bins(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    start: int, stop: int, differences: Floats, sizes: Floats, changed: Flags, edges: Floats, counts: Ints
) -> None:
    n_metrics, _, n_pairs = differences.shape
    for trial in range(start, stop):
        for metric in range(n_metrics):
            for pair in range(n_pairs):
                gap = differences[metric, trial, pair]
                if gap > 0.0:
                    index = _bin_of(gap, edges, sizes[metric, trial, pair])
                    counts[trial, 0, metric, index] += 1
                    counts[trial, 1, metric, index] += changed[metric, trial, pair]
