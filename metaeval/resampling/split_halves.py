"""Which significance test is reliable? Every test on one half of the topics, checked on the other half."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit_of
from metaeval.base.words import span_of
from metaeval.errors import EstimationError, UnknownNameError, warn
from metaeval.resampling.topic_sets import draw_topic_sets
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import limit_threads
from metaeval.running.workers import parallel_map
from metaeval.table.scores import Scores
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.catalogue import TESTS, TestSpec, ways_out
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.result import UnreachableLevelWarning

type Options = dict[str, Any]
OGILVIE_LALMAS_TESTS = ("t", "wilcoxon", "sign", "bootstrap_percentile")
"""The tests compared in Ogilvie and Lalmas (2006, section 3.3)."""
FEWEST_TOPICS = 4
_KEYS = ("correction", "metric", "test")
_MIDDLE = {"low": 0.05, "high": 0.95}
_COUNTS = ("rejected_first", "rejected_second", "errors", "rejected_both")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SplitHalves(Result):
    """Decisions of each test on both halves of the topics, counted per split."""

    counts: xr.Dataset
    """Dims ``correction``, ``metric``, ``test``, ``split``; pairs of systems that are ``rejected_first`` and
    ``rejected_second`` (found different on the first and on the second half), ``errors`` (rejected on the first
    half, and the mean difference on the second is zero or of the other sign) and ``rejected_both`` (on both halves,
    in the same direction)."""
    n_pairs: int
    """Pairs of systems."""
    half_sizes: tuple[int, int]
    """Topics in the first and in the second half; clusters where topics come in them."""
    alternative: str
    alpha: float
    random_source: str
    halved: str = "topic"
    """What went to one half or the other as a whole."""

    @property
    def corrections(self) -> tuple[str, ...]:
        """Names of the corrections, each of which counts for itself."""
        return tuple(self.counts["correction"].to_numpy().tolist())

    @property
    def tests(self) -> tuple[str, ...]:
        """Names of the tests compared."""
        return tuple(self.counts["test"].to_numpy().tolist())

    @property
    def n_splits(self) -> int:
        """Random halvings."""
        return self.counts.sizes["split"]

    def _found(self) -> str:
        rows = self.to_frame().query("correction == correction.iloc[0]")
        names = rows["test"].map(TESTS.words) + " under " + rows["metric"]
        failed = span_of(names, *(rows[f"error_rate{end}"] for end in ("", "_low", "_high")))
        how = CORRECTIONS.words(rows["correction"].iloc[0])
        return f"share of the rejections on one half that the other contradicts: {failed} ({how})"

    def to_frame(self, *, reference: str | None = None) -> pd.DataFrame:
        """Return one row a correction, metric and test.

        Parameters
        ----------
        reference : str, optional
            A test to compare with the others: adds ``rejection_ratio`` and ``error_rate_ratio``, the reference's
            value over that of the row.

        Returns
        -------
        pandas.DataFrame
            ``rejected`` (share of pairs rejected on the first half), ``error_rate`` (errors over pairs rejected on
            the first half, all splits together), ``rejected_both`` (share of pairs rejected on both halves),
            ``self_agreement`` (of the pairs rejected on the first half, the share rejected on the second too), the
            number of ``rejections`` and ``errors`` behind them, and ``rejected_low``, ``rejected_high``,
            ``error_rate_low`` and ``error_rate_high``: between them lie the middle 90 % of the splits (of those with a
            rejection). NaN where nothing was rejected. In ``_se`` stand the Monte-Carlo standard errors of the
            shares, over the splits.
        """
        total = self.counts.sum("split").to_dataframe(dim_order=[*_KEYS]).reset_index()
        compared = self.n_pairs * self.n_splits
        rejections = total["rejected_first"].where(total["rejected_first"] > 0)
        frame = total[[*_KEYS]].assign(
            rejected=total["rejected_first"] / compared,
            error_rate=total["errors"] / rejections,
            rejected_both=total["rejected_both"] / compared,
            self_agreement=total["rejected_both"] / rejections,
            rejections=total["rejected_first"],
            errors=total["errors"],
            **self._middle(),
            **self._errors(),
        )
        return frame if reference is None else _held_against(frame, reference, self.tests)

    def _draw(self, correction: str | None = None) -> Figure:
        """Draw what every test rejects against how often it errs, under one correction (the first by default)."""
        from metaeval.figures.compare_tests import rejections_against_errors  # noqa: PLC0415 - matplotlib

        frame = self.to_frame()
        corrections = list(dict.fromkeys(frame["correction"]))
        name = corrections[0] if correction is None else correction
        check_choice(name, "correction", corrections)
        rows = frame[frame["correction"] == name]
        return rejections_against_errors(rows.assign(test=rows["test"].map(TESTS.label)))

    def _errors(self) -> dict[str, NDArray[np.float64]]:
        """Return what the number of splits leaves open about every share: the standard error of a ratio of means."""
        n, counts = self.n_splits, {name: self.counts[name] for name in ("errors", "rejected_first", "rejected_both")}
        pairs = xr.full_like(counts["errors"], self.n_pairs)
        ratios = {
            "rejected": (counts["rejected_first"], pairs),
            "error_rate": (counts["errors"], counts["rejected_first"]),
            "rejected_both": (counts["rejected_both"], pairs),
            "self_agreement": (counts["rejected_both"], counts["rejected_first"]),
        }
        errors = {}
        for name, (numerator, denominator) in ratios.items():
            mean = denominator.mean("split")
            left = numerator - numerator.sum("split") / denominator.sum("split").where(mean > 0) * denominator
            variance = (left**2).sum("split", skipna=False) / max(n - 1, 1) / n
            spread = variance**0.5 / mean.where(mean > 0)
            errors[f"{name}_se"] = spread.transpose(*_KEYS).to_numpy().ravel()
        return errors

    def _middle(self) -> dict[str, NDArray[np.float64]]:
        """Return the ends of the middle 90 % of the splits, one value a row."""
        first = self.counts["rejected_first"]
        shares = {"rejected": first / self.n_pairs, "error_rate": self.counts["errors"] / first.where(first > 0)}
        return {
            f"{name}_{end}": pd.DataFrame(share.to_numpy().reshape(-1, self.n_splits))
            .quantile(level, axis=1)
            .to_numpy()
            for name, share in shares.items()
            for end, level in _MIDDLE.items()
        }


def split_half(  # noqa: PLR0913 - one keyword per choice of the method
    scores: object,
    *,
    tests: str | Sequence[str] = OGILVIE_LALMAS_TESTS,
    n_splits: int = 50,
    alternative: Alternative = "better",
    corrections: str | Sequence[str] = ("none",),
    alpha: float = 0.05,
    n_resamples: int = 1000,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> SplitHalves:
    """Compare tests on random halves of the topics: one half selects significant pairs, the other checks them.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    tests : str or sequence of str
        Names in `metaeval.tests_stat.catalogue.TESTS`; by default the four of Ogilvie and Lalmas.
    n_splits : int, default 50
        Random halvings, the same for every test and metric. An odd topic goes to the second half.
    alternative : {"better", "two-sided", "greater", "less"}
        One-sided in the direction of each pair's better mean by default, as Ogilvie and Lalmas ask.
    corrections : str or sequence of str, default ("none",)
        Each answered by itself, on the same halves and draws. A test with family-wise p-values of its own keeps them
        under every one, and bootstrap sensitivity stays uncorrected.
    alpha : float, default 0.05
        Significance level.
    n_resamples : int, default 1000
        For tests that resample (the paper: 10 000).
    p_value_rule : {"plus-one", "plain"}
        For tests that resample (the paper: plain, which lets p be 0 and so pass any correction).
    rng : None, int or numpy.random.Generator
        Source of the halvings and of the tests' own draws.
    n_threads : int, optional
        Cores to use; the answer does not depend on it.

    Returns
    -------
    SplitHalves
        One row a ``correction``, ``metric`` and ``test`` in ``to_frame()``: shares (0 to 1) of pairs ``rejected``,
        their ``error_rate`` and ``self_agreement`` on the other half, NaN where nothing was rejected; see
        `SplitHalves.to_frame`.

    Raises
    ------
    EstimationError
        If there are fewer than four topics, or clusters.
    ScoresError, InvalidOptionError
        If scores or options are outside their rules; `UnknownNameError` for an unknown test.

    Notes
    -----
    An error is a pair rejected on the first half whose mean difference on the second half is not positive in the same
    direction [1]_, after [2]_. The error rate has the rejections
    of that very test underneath, so a cautious test, which rejects only large differences, has a low one; read it
    beside the number of rejections. A test that rejects at random has an error rate of one half.

    Where scores are missing every half compares pairs on the topics that both have; a pair without any on the second
    half is not counted.

    Topics in random clusters go to a half by the cluster, so that the halves share nothing; then every test must know
    clusters, and a bootstrap needs ten of them in each half.

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006). Investigating the exhaustivity dimension in content-oriented XML element
       retrieval evaluation. CIKM, section 3.3. :doi:`10.1145/1183614.1183631`
    .. [2] Sanderson and Zobel (2005). Information retrieval system evaluation: effort, sensitivity, and reliability.
       SIGIR. :doi:`10.1145/1076034.1076064`

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(3, 40))
    >>> halves = split_half(noise + [[0.0], [0.0], [1.0]], tests=["t", "sign"], n_splits=10, rng=0)
    >>> halves.to_frame()["test"].tolist(), halves.half_sizes
    (['t', 'sign'], (20, 20))
    """
    chosen = [TESTS[name] for name in TESTS.several(tests)]
    adjusted = CORRECTIONS.several(corrections)
    for name in adjusted:
        check_choice(name, "correction", CORRECTIONS)
    scores = engine_scores(scores, "halving the topics")
    for spec in chosen:
        scores = engine_scores(scores, uses=spec.uses, what=f"the test {spec.name!r}", instead=ways_out())
    units = units_of(scores)
    n_topics, halved = units.n_units, "cluster" if units.clustered else "topic"
    _check(n_splits, n_topics, unit_of(scores).clusters if units.clustered else unit_of(scores).topics)
    source = resolve_rng(rng)
    halving, *seeds = source.generator.spawn(n_splits + 1)
    orders = draw_topic_sets(halving, n_topics, n_topics, n_splits, "overlapping")[:, 0]
    options: Options = {"alternative": alternative, "alpha": alpha}
    options |= {"n_resamples": n_resamples, "p_value_rule": p_value_rule}
    shared = (scores, chosen, adjusted, options)
    with limit_threads(n_threads):
        splits = parallel_map(_one_split, list(orders), seeds, shared=shared, description="Splitting the topics")
    tallies = [counts for counts, _ in splits]
    if unreached := [why for _, reasons in splits for why in reasons]:
        message = f"in {len(unreached)} of the {2 * n_splits} halves {unreached[0]}: raise `n_resamples`"
        warn(message, UnreachableLevelWarning)
    stacked = np.stack(tallies, axis=-1)
    n_systems = scores.sizes["system"]
    dims = ("test", "correction", "metric", "split")
    labels = {"test": [spec.name for spec in chosen], "correction": adjusted, "metric": scores["metric"].to_numpy()}
    return SplitHalves(
        counts=xr.Dataset(
            {name: (dims, stacked[:, :, index]) for index, name in enumerate(_COUNTS)}, coords=labels
        ).transpose(*_KEYS, "split"),
        n_pairs=n_systems * (n_systems - 1) // 2,
        half_sizes=(n_topics // 2, n_topics - n_topics // 2),
        alternative=alternative,
        alpha=float(alpha),
        random_source=source.description,
        halved=halved,
    )


def _check(n_splits: int, n_topics: int, units: str) -> None:
    check_count(n_splits, "n_splits", most=MOST_REPLICATES)
    if n_topics < FEWEST_TOPICS:
        raise EstimationError(f"{n_topics} {units} cannot be halved and tested; at least {FEWEST_TOPICS} are needed")


def _one_split(  # noqa: PLR0913, PLR0917 - what all splits share
    order: NDArray[np.int64],
    generator: np.random.Generator,
    scores: Scores,
    tests: Sequence[TestSpec],
    corrections: Sequence[str],
    options: Options,
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the counts of one halving, shape (test, correction, count, metric), and why what is out of reach."""
    unreached: list[str] = []
    middle = len(order) // 2
    unit = units_of(scores).unit
    halves = [scores.isel(topic=np.flatnonzero(np.isin(unit, members))) for members in (order[:middle], order[middle:])]
    counts = []
    for spec, stream in zip(tests, generator.spawn(len(tests)), strict=True):
        (first, direction, _), (second, other_direction, told) = (
            _decisions(spec, half, corrections, options | {"rng": seed}, unreached)
            for half, seed in zip(halves, stream.spawn(2), strict=True)
        )
        first, same = first & told, direction == other_direction
        decided = (first, second, first & ~same, first & second & same)
        counts.append(np.stack([decision.sum(axis=-1) for decision in decided], axis=1))
    return np.array(counts), unreached


def _decisions(
    spec: TestSpec, half: Scores, corrections: Sequence[str], options: Options, unreached: list[str]
) -> tuple[NDArray[np.bool_], NDArray[np.int8], NDArray[np.bool_]]:
    """Return which pairs are significant under each correction, their direction, and which share topics.

    What is out of reach is noted.
    """
    bare = compare_systems(half, test=spec.name, correction=spec.own_correction, **options)
    if spec.family_wise or spec.plain_p:
        results = [bare] * len(corrections)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnreachableLevelWarning)  # said once, for all halves
            results = [bare.with_correction(name) for name in corrections]
        unreached += [why for why in (result.out_of_reach() for result in results) if why][:1]
    better = bare.data["better"].to_numpy()
    told = bare.data["n_common"].to_numpy() > 0 if "n_common" in bare.data else np.ones(better.shape, dtype=bool)
    return np.stack([result.data["significant"].to_numpy() for result in results]), better, told


def _held_against(frame: pd.DataFrame, reference: str, tests: tuple[str, ...]) -> pd.DataFrame:
    name = TESTS.canonical(reference)
    if name not in tests:
        raise UnknownNameError("compared test", reference, tests)
    keys = ["correction", "metric"]
    base = frame[frame["test"] == name].set_index(keys)
    per_row = base.reindex(pd.MultiIndex.from_frame(frame[keys])).reset_index(drop=True)
    return frame.assign(
        rejection_ratio=(per_row["rejections"] / frame["rejections"].where(frame["rejections"] > 0)).to_numpy(),
        error_rate_ratio=(per_row["error_rate"] / frame["error_rate"].where(frame["error_rate"] > 0)).to_numpy(),
    )
