"""The answer of a test over all pairs: differences, statistics, p-values and decisions, with the question asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from warnings import catch_warnings, simplefilter
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_kind, check_share
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.base.short_repr import notes_beside
from metaeval.base.unit import unit_of
from metaeval.errors import InvalidOptionError, MetaevalWarning, UnknownNameError, warn
from metaeval.running.equality import reaches
from metaeval.table.scores import Scores, better_direction
from metaeval.tests_stat.catalogue import MCNEMAR, TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust, smallest_useful_count, with_levels
from metaeval.tests_stat.discordant import exact_signs
from metaeval.tests_stat.ends import Seen, ends_of_means
from metaeval.tests_stat.labels import name_in_picture, pairs_that_differ, side_of_pair, standing_apart, verdict_on_pair
from metaeval.tests_stat.letters import shared_letters
from metaeval.tests_stat.pairs import Evidence, Question
from metaeval.tests_stat.procedures import Procedure
from metaeval.tests_stat.runs import beyond_runs
from metaeval.tests_stat.tails import Tails, counted_shares, fewest_by_signs, larger, signs_tail
from metaeval.tests_stat.witnesses import witness_frame


class UnreachableLevelWarning(MetaevalWarning):
    """Too few resamples for the corrected level: pairs at the smallest possible p cannot be rejected."""


_WITNESSES: "WeakKeyDictionary[PairwiseResult, pd.DataFrame]" = WeakKeyDictionary()
"""What results rest on, found once: a page asks for its sentence, its table and its files."""


class PairInterval(NamedTuple):
    """An interval for the difference of two systems."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class PairwiseResult(Result):
    """Result of one test over all pairs of systems, for every metric."""

    data: xr.Dataset
    """Dims ``metric`` and ``pair``; coordinates ``system_a`` and ``system_b`` on ``pair``; variables

    - ``difference``: mean of a minus mean of b, in the metric's own direction and unit;
    - ``statistic``: the test's statistic, turned as ``difference`` is; a rank or sign test looks at other things than
      the mean, so its sign may differ;
    - ``p_value``: as the test gives it, NaN for a pair that cannot be tested, with fewer than two topics (clusters) in
      common; never below 2.2e-308, which stands for smaller ones as a bound;
    - ``log10_p``: its logarithm to base 10, however small; NaN for 0 of the resamples;
    - ``p_items``: where scores are means over runs, the test's p-value on these runs; ``p_value`` then is the larger
      of it and that of `metaeval.tests_stat.runs`, which counts runs as drawn (family-wise ones: after Holm);
    - ``p_corrected``: adjusted over the family (all pairs of one metric that were tested);
    - ``p_reachable``: the smallest p-value that an exact test by random signs could reach, :math:`2^{1 - n}` with n
      topics (clusters) on which the two differ, one-sided :math:`2^{-n}`;
    - ``p_exact``: of one pair alone, where it differs by one amount, that of the exact sign test (of 0 and 1:
      McNemar's), which leaves nothing out there; else NaN or not there;
    - ``p_by_column``: of one pair alone whose topics a column of their file puts into groups that nobody asked for, the
      largest p-value of the test with a column's groups as clusters; else not there;
    - ``significant``: ``p_corrected``, ``p_reachable`` and, where there are such, ``p_exact`` and ``p_by_column`` are
      at most alpha;
    - ``better``: 1 where the mean of a is better than that of b, -1 where it is worse, 0 where they are equal: the
      direction of a decision, whatever the test looks at;
    - ``n_common``: topics that both systems have, where there are gaps;
    - ``standard_error``: of the t test; ``degrees_of_freedom``: where topics have clusters, strata, weights or gaps.
    """
    test: str
    alternative: str
    correction: str
    """What was asked."""
    alpha: float
    """Significance level."""
    baseline: str | None
    """The system that every pair holds, if one was named."""
    n_systems: int
    n_topics: int
    """Size of the scores."""
    n_resamples: int | None = None
    """B of a resampling test."""
    random_source: str | None = None
    """Where the draws came from."""
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What else the test has to say (method used, zero differences, degenerate resamples, …)."""
    strictly_below: bool = False
    """Decide by ``p_corrected < alpha`` instead: only bootstrap sensitivity does, as published."""
    family_wise_only: bool = False
    """Whether the p-values are family-wise by construction and take no further correction."""
    scores: Scores | None = field(default=None, repr=False)
    """What was tested."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was told of the scores."""
        return notes_beside(self)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    @property
    def procedure(self) -> Procedure:
        """What people call the test that was done on these scores: the sign test on 0/1 scores is McNemar's.

        Its description says how clusters, strata, weights and runs were taken into account.

        Examples
        --------
        >>> from metaeval import sign_test
        >>> sign_test([[1, 0, 1, 1], [0, 0, 1, 0]]).procedure.label
        "McNemar's"
        """
        procedure = TESTS.get(self.test) or Procedure(name=self.test, words=self.test, described=self.test)
        procedure = MCNEMAR if self.details.get("mcnemar") else procedure
        if self.details.get("method") == "mid-p":
            procedure = replace(procedure, described=f"{procedure.described}, with mid-p values")
        clusters = self.details.get("n_clusters")
        if error := self.details.get("standard_error"):
            kind = f"cluster-robust ({error})" if clusters else f"robust ({error})"
            freedom = " and Satterthwaite's degrees of freedom" if error == "CR2" else ""
            sources = ("bell2002", "pustejovsky2018") if error == "CR2" else ()
            procedure = replace(
                procedure,
                described=f"{procedure.described} with {kind} standard errors{freedom}",
                cite=procedure.cite + sources,
            )
        elif clusters:
            procedure = replace(procedure, described=f"{procedure.described}, cluster by cluster")
        if "p_items" in self.data:
            procedure = replace(
                procedure,
                words=f"{procedure.words} with runs in the error",
                described=f"{procedure.described} with the variance of runs in the error",
            )
        return procedure

    @property
    def n_pairs(self) -> int:
        """Number of pairs under each metric."""
        return self.data.sizes["pair"]

    @property
    def n_tested(self) -> Ints:
        """Number of pairs that could be tested, by metric: those with two topics (clusters) in common at least."""
        return np.asarray((~np.isnan(self.data["p_value"].to_numpy())).sum(axis=1))

    @property
    def signature(self) -> str:
        """One line that says what was done: test, resamples, alternative, correction, level, source of draws.

        Examples
        --------
        ``bootstrap:B=1000|two-sided|fdr_by|alpha=0.05|seed 0``
        """
        test = self.test if self.n_resamples is None else f"{self.test}:B={self.n_resamples}"
        parts = [test, self.alternative, self.correction, f"alpha={self.alpha:g}"]
        return "|".join(parts + ([self.random_source] if self.random_source else []))

    def _found(self) -> str:
        one_metric = len(self.metrics) == 1
        if one_metric and self.n_pairs == 1:
            few, is_open = self._too_few_words(), bool((self.too_few() | self.open_by_column()).any())
            alternative = self.alternative
            return verdict_on_pair(self.data, self.n_resamples, alternative=alternative, fewest=few, is_open=is_open)
        how = ", uncorrected" if self.correction == "none" else ""
        if side := side_of_pair(self.alternative, "first", "second"):
            how += f", tested for the {side[0]} of a pair being better"
        how += self._too_few_words()
        return pairs_that_differ(self.data["significant"]) + how + one_metric * standing_apart(self.data, self.baseline)

    def power_errors(self) -> NDArray[np.float64]:
        r"""Return the Monte-Carlo standard error of every metric's discriminative power, at most; 0 for a formula.

        With other draws a pair with the p-value p, counted among B, would have been significant with a probability
        :math:`\pi`, by the normal law of p with the variance p (1 - p) / B; a correction multiplies p and its error
        alike. Draws are shared, so pairs cross the level together at worst: the count errs by no more than
        :math:`\sum \sqrt{\pi (1 - \pi)}`.
        """
        if self.n_resamples is None:
            return np.zeros(len(self.metrics))
        raw, p = self.data["p_value"].to_numpy(), self.data["p_corrected"].to_numpy()
        first = p if self.family_wise_only else raw
        inside = np.clip(first, 1.0 / (self.n_resamples + 1.0), 1.0 - 1.0 / (self.n_resamples + 1.0))
        times = np.divide(p, first, out=np.ones_like(p), where=(first > 0.0) & (p < 1.0))
        error = times * np.sqrt(inside * (1.0 - inside) / self.n_resamples)
        again = ndtr((self.alpha - p) / error)
        return np.nansum(np.sqrt(again * (1.0 - again)), axis=1) / np.maximum(self.n_tested, 1)

    def with_correction(self, correction: str, *, alpha: float | None = None) -> "PairwiseResult":
        """Return the same test under another correction or level; nothing is drawn again.

        Parameters
        ----------
        correction : str
            See `metaeval.tests_stat.correction.adjust`, or "family-wise" for a test that adjusts itself.
        alpha : float, optional
            A new level.

        Raises
        ------
        InvalidOptionError
            If the test knows only its own family-wise p-values, or has none.
        """
        alpha = self.alpha if alpha is None else alpha
        check_share(alpha, "alpha")
        correction = CORRECTIONS.canonical(correction)
        p_corrected, significant = self.corrected(correction, alpha)
        columns = {"p_corrected": (("metric", "pair"), p_corrected), "significant": (("metric", "pair"), significant)}
        return replace(self, data=self.data.assign(columns), correction=correction, alpha=float(alpha))

    def corrected(self, correction: str, alpha: float) -> tuple[NDArray[np.float64], Flags]:
        """Return p-values under a correction and which pairs are significant by them, as arrays (metric, pair)."""
        has_own = "p_family_wise" in self.data
        if correction == FAMILY_WISE:
            if not has_own:
                message = f"test {self.test!r} has no family-wise p-values of its own; choose another correction"
                raise InvalidOptionError(message)
            corrected = self.data["p_family_wise"].to_numpy().copy()
        elif self.family_wise_only:
            raise InvalidOptionError(
                f"the p-values of {self.test!r} are family-wise by construction and take no further correction; "
                f"leave `correction` out, or pass `correction={FAMILY_WISE!r}`, not {correction!r}"
            )
        else:
            corrected = self._adjusted(correction, alpha)
        return corrected, self._reached(corrected, alpha)

    def beside(self) -> "PairwiseResult | None":
        """Return the same test under Benjamini and Hochberg where Benjamini and Yekutieli decided, else None."""
        if self.correction != "fdr_by":
            return None
        with catch_warnings():
            simplefilter("ignore", UnreachableLevelWarning)  # the stricter one says it
            return self.with_correction("fdr_bh")

    def verdicts(self, alpha: float | None = None) -> NDArray[np.int8]:
        """Return what the test decides of every pair at a level, by its own rule: an array (metric, pair).

        Parameters
        ----------
        alpha : float, optional
            The level of the result by default.

        Returns
        -------
        array of int8
            1 where a is significantly better, -1 where b is, else 0.

        Examples
        --------
        >>> from metaeval import paired_t_test
        >>> paired_t_test([[0.5, 0.6, 0.7, 0.6, 0.8, 0.4], [0.1, 0.2, 0.4, 0.2, 0.3, 0.1]]).verdicts(0.05).tolist()
        [[1]]
        """
        level = self.alpha if alpha is None else alpha
        return np.asarray(self._decided("p_corrected", level) * self.data["better"].to_numpy(), dtype=np.int8)

    def open_by_runs(self) -> Flags:
        """Return which pairs differ significantly on these runs, and not if runs are drawn: an array (metric, pair)."""
        if "p_items" not in self.data:
            return np.zeros(self.data["significant"].shape, dtype=bool)
        p_values = self.data["p_items"].to_numpy()
        if self.correction != FAMILY_WISE:
            p_values = adjust(p_values, self.correction, all_pairs=self.of_all_pairs)
        return self._reached(p_values, self.alpha) & ~self.data["significant"].to_numpy()

    def with_groups(self, p_values: Floats) -> "PairwiseResult":
        """Return the same, decided by the test with groups of topics as clusters too, p-values (metric, pair)."""
        decided = replace(self, data=self.data.assign(p_by_column=(("metric", "pair"), p_values)))
        significant = ("metric", "pair"), decided.verdicts() != 0
        return replace(decided, data=decided.data.assign(significant=significant))

    def open_by_column(self) -> Flags:
        """Return which pair differs significantly topic by topic, and not by groups: an array (metric, pair)."""
        return self._by_topics(self.data["p_corrected"].to_numpy(), self.alpha) & ~self._by_groups(self.alpha)

    def discriminative_power(self) -> pd.DataFrame:
        """Share of pairs found different, one row a metric: ``n_significant``, ``n_pairs`` (tested), ``power``.

        Identical systems stay among the pairs (Sakai's definition counts all of them).
        """
        n_significant = self.data["significant"].sum("pair").to_numpy()
        frame = pd.DataFrame({"metric": self.metrics, "n_significant": n_significant, "n_pairs": self.n_tested})
        return frame.assign(power=frame["n_significant"] / frame["n_pairs"].where(frame["n_pairs"] > 0))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair, ready for a table or a file; without common topics it has no figures.

        The columns are ``metric``, ``system_a`` and ``system_b``, mean ``difference`` in units of the metric, the
        test's ``statistic``, ``p_value`` with its logarithm ``log10_p``, ``p_corrected``, whether it is ``significant``
        at alpha, and the ``winner``, whose mean is better ("" where they are equal). Pairs stand by their p-values, the
        smallest first; those of a pair with fewer than two common topics are NaN. Means over runs have ``p_items``
        beside it, on these runs, and ``open_by_runs``, whether the pair is significant by that alone; one pair whose
        topics a column puts into groups has ``p_by_column``, which decides too.
        """
        return by_p(rows_of_pairs(self), "p_value")

    @property
    def statistic(self) -> float:
        """The test statistic of the only pair under the only metric, as results of SciPy have it."""
        return float(self._only("statistic")["statistic"].item())

    @property
    def pvalue(self) -> float:
        """The uncorrected p-value of the only pair under the only metric; NaN where it could not be tested."""
        return float(self._only("pvalue")["p_value"].item())

    def confidence_interval(self, confidence_level: float = 0.95) -> "PairInterval":
        """Return the t interval of the difference of the only pair under the only metric.

        Parameters
        ----------
        confidence_level : float, default 0.95

        Returns
        -------
        PairInterval
            ``low`` and ``high``, in the metric's unit; NaN under any test but the t test.

        Raises
        ------
        InvalidOptionError
            If there are several pairs or metrics: the function `metaeval.tests_stat.difference_intervals` takes the
            result and has the intervals of all.

        Examples
        --------
        >>> from metaeval import paired_t_test
        >>> found = paired_t_test([[0.3, 0.5, 0.9, 0.6], [0.2, 0.3, 0.6, 0.7]])
        >>> round(found.statistic, 4), round(found.pvalue, 4)
        (1.4639, 0.2394)
        >>> tuple(round(end, 4) for end in found.confidence_interval())
        (-0.1468, 0.3968)
        """
        self._only("confidence_interval", "metaeval.tests_stat.difference_intervals(result) has the interval of each")
        ends = difference_intervals(self, confidence_level=confidence_level)
        return PairInterval(float(ends["low"].item()), float(ends["high"].item()))

    def _only(self, name: str, way: str = "to_frame() has a row for each") -> xr.Dataset:
        """Return the data of a result of one pair and one metric."""
        if self.n_pairs * len(self.metrics) != 1:
            raise InvalidOptionError(
                f"{name} is that of one pair under one metric, and there are {self.n_pairs:,} pairs and "
                f"{len(self.metrics)} metrics; {way}"
            )
        return self.data

    @property
    def has_witnesses(self) -> bool:
        """Whether `rests_on` has an answer: the t test was done, under a correction with levels."""
        return self.test == "t" and self.scores is not None and bool(with_levels([self.correction], "")[0])

    def rests_on(self) -> pd.DataFrame:
        r"""Return topics without which a pair is no longer significant, for every pair that is: the fewest first.

        Returns
        -------
        pandas.DataFrame
            One row a ``metric`` and pair (``system_a``, ``system_b``) that differs significantly: the ``winner``;
            ``n_dropped``, how many topics (clusters, where topics have some) have to go, of the ``n_units`` that both
            systems have, and the ``share`` that they are; ``rests_on``, their names; ``too_few``, whether the t test
            finds the pair without them too, and they only are too many for an exact test to reach alpha with the
            topics left. Pairs whose topics were not found are left out.

        Raises
        ------
        InvalidOptionError
            If the test is not the t test.

        See Also
        --------
        metaeval.tests_stat.stopping.Stopping : decisions that hold however often one looks

        Notes
        -----
        The topics are left out and the pair is tested again: it is not significant if its uncorrected p-value is above
        the largest at which the correction would reject it, the p-values of all other pairs as they are, or too few
        topics are left for an exact test to reach alpha. They are found greedily: each step drops the topic without
        which :math:`t^2 = (n - 1) r / (n - r)`, :math:`r = (\sum d)^2 / \sum d^2`, is least. Fewer may do, which
        brute force over 1,000 tables of up to 14 topics did not find; no other topics are as few because of this.
        With clusters, weights or strata the order is that of t by the sums of clusters, and the test that of the pair.

        Examples
        --------
        >>> from metaeval import paired_t_test, simulate_scores
        >>> result = paired_t_test(simulate_scores(n_systems=4, n_topics=50, metrics=["AP"], rng=1))
        >>> found = result.rests_on()
        >>> found["n_dropped"].tolist(), found["rests_on"][0]
        ([3, 10, 15, 17], ('8', '9', '26'))
        """
        if self.test != "t" or self.scores is None:
            raise InvalidOptionError(
                f"what decisions rest on is known of the t test, not of {self.test!r}; ask what paired_t_test returns"
            )
        if self not in _WITNESSES:
            two_sided = self.alternative == "two-sided"
            fewest = fewest_by_signs(self.alpha) - (not two_sided)
            made = witness_frame(self.data, self.scores, self.bounds(), fewest=fewest, two_sided=two_sided)
            _WITNESSES[self] = made
        return _WITNESSES[self].copy()

    def bounds(self) -> Floats:
        """Return up to which uncorrected p-value a pair is rejected, all others as they are, NaN where it is not.

        See `metaeval.tests_stat.correction.CorrectionSpec.bounds`. Shapes: result (metric, pair).
        """
        correction, p_values = CORRECTIONS[self.correction], self._p_values()
        all_pairs = self.of_all_pairs
        rejected = is_significant(correction.function(p_values, all_pairs=all_pairs), self.alpha)
        return correction.bounds(p_values, rejected, self.alpha, all_pairs=all_pairs)[..., : self.n_pairs]

    def decisions(self, metric: str) -> pd.DataFrame:
        """Return the decisions of one metric as a square table: 1 row better than column, -1 worse, 0 undecided."""
        if metric not in self.metrics:
            raise InvalidOptionError(f"no metric {metric!r} in this result; there are {', '.join(self.metrics)}")
        of_metric = self.data.sel(metric=metric)
        names = list(dict.fromkeys([*of_metric["system_a"].to_numpy(), *of_metric["system_b"].to_numpy()]))
        position = {name: number for number, name in enumerate(names)}
        square = np.zeros((len(names), len(names)), dtype=np.int8)
        rows = [position[name] for name in of_metric["system_a"].to_numpy()]
        columns = [position[name] for name in of_metric["system_b"].to_numpy()]
        verdict = self.verdicts()[self.metrics.index(metric)]
        square[rows, columns] = verdict
        square[columns, rows] = -verdict
        return pd.DataFrame(square, index=pd.Index(names, name="system"), columns=names)

    def graded_decisions(self, metric: str) -> pd.DataFrame:
        """Return the decisions of one metric with and without the correction as a square table, best system first.

        Returns
        -------
        pandas.DataFrame
            2 where the row's system is significantly better than the column's after the correction, 1 where only
            without it, 0 where neither; negative where it is worse; NaN where the pair was not tested. Systems stand
            in the order of their means.

        Raises
        ------
        UnknownNameError
            If the result has no such metric.
        """
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        of_metric = self.data.sel(metric=metric)
        names = pd.Index(
            dict.fromkeys([*of_metric["system_a"].to_numpy().tolist(), *of_metric["system_b"].to_numpy().tolist()])
        )
        a, b = names.get_indexer(of_metric["system_a"].to_numpy()), names.get_indexer(of_metric["system_b"].to_numpy())
        better = of_metric["better"].to_numpy()
        bare = self._decided("p_value", self.alpha)[self.metrics.index(metric)]
        grade = np.where(of_metric["significant"].to_numpy(), 2, bare) * better
        grade = np.where(np.isnan(of_metric["p_value"].to_numpy()), np.nan, grade)
        square = np.full((len(names), len(names)), np.nan)
        square[a, b], square[b, a] = grade, -grade
        lead = np.zeros(len(names))
        if self.baseline is None:  # as many as it stands ahead of, less those ahead of it: exact, whatever the scores
            np.add.at(lead, a, better)
            np.add.at(lead, b, -better)
        else:
            lead[a] = of_metric["difference"].to_numpy() * (1.0 if bool(of_metric["higher_is_better"]) else -1.0)
        order = np.argsort(-lead, kind="stable")
        return pd.DataFrame(square[np.ix_(order, order)], index=names[order].rename("system"), columns=names[order])

    def _draw(
        self,
        metric: str | None = None,
        *,
        groups: Mapping[str, str] | None = None,
        kind: Literal["map", "distances"] = "map",
    ) -> Figure:
        """Draw which system is better than which under one metric (the first by default), and the systems' groups.

        Of Nemenyi's test "distances" draws the mean ranks with the critical distance.
        """
        from metaeval.figures.significance import significance_map  # noqa: PLC0415 - matplotlib

        check_choice(kind, "kind", ("map", "distances"))
        if kind == "distances":
            return self._distances(metric or self.metrics[0])
        decisions = self.graded_decisions(metric or self.metrics[0])
        bounds = difference_intervals(self)
        pairs = self.data.assign(bounds).sel(metric=metric or self.metrics[0]).to_dataframe()
        return significance_map(decisions, correction=name_in_picture(self.correction), pairs=pairs, groups=groups)

    def _distances(self, metric: str) -> Figure:
        from metaeval.figures.critical_distance import critical_distances  # noqa: PLC0415 - matplotlib

        if "critical_distance" not in self.details or self.scores is None:
            raise InvalidOptionError(f"a critical distance is that of the test 'nemenyi', not of {self.test!r}")
        ranks = self.details["mean_ranks"][self.metrics.index(metric)]
        names = self.scores["system"].to_numpy().tolist()
        decisions = self.decisions(metric)
        ordered = sorted(names, key=dict(zip(names, ranks, strict=True)).__getitem__)
        sets = shared_letters(decisions.loc[ordered, ordered].to_numpy() != 0).T
        alike = [np.array(ordered, dtype=object)[members].tolist() for members in sets]
        return critical_distances(
            alike, dict(zip(names, ranks, strict=True)), distance=self.details["critical_distance"]
        )

    def out_of_reach(self) -> str:
        """Say under which metrics too few resamples keep pairs from being significant, and why; empty if none do."""
        return self._out_of_reach(self.correction, self.alpha)

    def too_few(self) -> Flags:
        """Return which pairs would be significant, but for being different on too few topics, uncorrected."""
        bare = is_significant(self.data["p_value"].to_numpy(), self.alpha, strictly_below=self.strictly_below)
        return bare & ~self._reachable(self.alpha)

    def unconfirmed(self) -> Flags:
        """Return where the one pair, which differs by one amount, reaches the level, but not by the exact sign test."""
        reached = is_significant(self.data["p_corrected"].to_numpy(), self.alpha, strictly_below=self.strictly_below)
        return reached & self._reachable(self.alpha) & ~self._by_topics(self.data["p_corrected"].to_numpy(), self.alpha)

    def least_reachable(self) -> float:
        """Return the smallest p-value that an exact test of any pair could reach, if it is above the level; or 0."""
        if "p_reachable" not in self.data or not (self.data["p_reachable"] < 1.0).any():
            return 0.0
        least = float(self.data["p_reachable"].min())
        return 0.0 if is_significant(least, self.alpha) else least

    def _too_few_words(self) -> str:
        """Say where pairs differ on too few topics to count as significant, whatever their p-values."""
        spoken, least = unit_of(self.scores), self.least_reachable()
        topics = spoken.clusters if self.scores is not None and "cluster" in self.scores.coords else spoken.topics
        if least:
            return f"; with so few {topics} on which systems differ no exact test goes below p = {least:.4f}"
        if (unconfirmed := self.unconfirmed()).any():
            return f"; p = {self.data['p_exact'].to_numpy()[unconfirmed].min():.4f} by the exact sign test"
        if self.open_by_column().any():
            return f"; p = {self.data['p_by_column'].item():.4f} by groups of {topics}"
        n_few = int(self.too_few().sum(axis=1).max())
        return f"; {count(n_few, 'pair')} on too few {topics} for any exact test" if n_few else ""

    def _decided(self, of: str, level: float) -> Flags:
        """Return where the p-values of this name reach a level, as below."""
        return self._reached(self.data[of].to_numpy(), level)

    def _reached(self, p_values: NDArray[np.float64], level: float) -> Flags:
        """Return where these p-values reach a level, and those by groups of topics do too."""
        return self._by_topics(p_values, level) & self._by_groups(level)

    def _by_groups(self, level: float) -> Flags:
        if "p_by_column" not in self.data:
            return np.ones(self.data["p_value"].shape, dtype=np.bool_)
        return is_significant(self.data["p_by_column"].to_numpy(), level)

    def _by_topics(self, p_values: NDArray[np.float64], level: float) -> Flags:
        """Return where these p-values reach a level that an exact test of the pair could reach."""
        significant = is_significant(p_values, level, strictly_below=self.strictly_below) & self._reachable(level)
        if "p_exact" in self.data:
            exact = self.data["p_exact"].to_numpy()
            significant &= is_significant(exact, level) | np.isnan(exact)
        return significant

    def _reachable(self, level: float) -> Flags:
        """Return where an exact test of the pair could reach a level."""
        if "p_reachable" not in self.data:
            return np.ones(self.data["p_value"].shape, dtype=np.bool_)
        return is_significant(self.data["p_reachable"].to_numpy(), level)

    @property
    def of_all_pairs(self) -> bool:
        """Whether the hypotheses are that the systems of each pair are equal, of all pairs."""
        return self.baseline is None and self.alternative == "two-sided"

    def _p_values(self) -> NDArray[np.float64]:
        """Return the p-values of every hypothesis: one or two a pair."""
        p_values = self.data["p_value"].to_numpy()
        if self.alternative != "better":
            return p_values
        return np.concatenate([p_values, self.data["p_opposite"].to_numpy()], axis=-1)

    def _adjusted(self, correction: str, alpha: float) -> NDArray[np.float64]:
        if why := self._out_of_reach(correction, alpha):
            warn(f"{why}: raise `n_resamples`", UnreachableLevelWarning)
        return adjust(self._p_values(), correction, all_pairs=self.of_all_pairs)[..., : self.n_pairs]

    def _out_of_reach(self, correction: str, alpha: float) -> str:
        smallest = float(self.details.get("smallest_p", 0.0))
        if self.n_resamples is None or correction in ("none", FAMILY_WISE) or smallest <= 0:
            return ""
        if CORRECTIONS.find(correction).adjusts is not None:
            return ""
        p_values = self._p_values()
        n_hypotheses = int((~np.isnan(p_values)).sum(axis=-1).max())
        needed = smallest_useful_count(smallest, n_hypotheses=n_hypotheses, correction=correction, alpha=alpha)
        reached = reaches(smallest, p_values, p_values).sum(axis=-1)
        stuck = [name for name, count in zip(self.metrics, reached, strict=True) if 0 < count < needed]
        if not stuck:
            return ""
        when = "never" if needed > n_hypotheses else f"only when at least {needed} of them reach it"
        return (
            f"{self.test} with {self.n_resamples} resamples cannot go below p = {smallest:.2g}, and at that p "
            f"{correction} over {n_hypotheses} hypotheses rejects {when} (too few under {', '.join(stuck)})"
        )


def rows_of_pairs(result: PairwiseResult) -> pd.DataFrame:
    """Return one row a metric and pair, in the order of ``data``."""
    columns = ["metric", "system_a", "system_b", "difference", "statistic", "p_value", "log10_p", "p_corrected"]
    columns += [name for name in ("p_items", "p_by_column") if name in result.data]
    frame = result.data.to_dataframe().reset_index()
    if "n_common" in frame:
        frame.loc[frame["n_common"] == 0, columns[3:]] = float("nan")
    frame["open_by_runs"] = result.open_by_runs().ravel()
    columns += ["significant", *(["open_by_runs"] if "p_items" in frame else []), "better"]
    return frame[[name for name in columns if name in frame]]


def by_p(rows: pd.DataFrame, p_value: str) -> pd.DataFrame:
    """Return rows of pairs under each metric by their p-values, and the name of the better system as ``winner``.

    Examples
    --------
    >>> rows = pd.DataFrame({"metric": "m", "system_a": ["a", "a"], "system_b": ["b", "c"], "p": [0.5, 0.1]})
    >>> by_p(rows.assign(better=[0, -1]), "p")
      metric system_a system_b    p winner
    0      m        a        c  0.1      c
    1      m        a        b  0.5
    """
    sides = rows["better"].to_numpy()
    winner = np.where(sides > 0, rows["system_a"], np.where(sides < 0, rows["system_b"], ""))
    frame = rows.drop(columns="better").assign(winner=winner)
    places = pd.factorize(frame["metric"])[0] if "metric" in frame else np.zeros(len(frame))
    order = np.lexsort((frame[p_value].fillna(np.inf).to_numpy(), places))
    return frame.iloc[order].reset_index(drop=True)


def difference_intervals(result: PairwiseResult, *, confidence_level: float = 0.95) -> xr.Dataset:
    """Return the t interval of every pair's difference in means.

    Each stands for itself: it excludes zero where the uncorrected two-sided p-value is below 1 - `confidence_level`.

    Parameters
    ----------
    result : PairwiseResult
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        ``low`` and ``high`` over metric and pair; NaN under any other test, for pairs that were not tested, and where
        nothing varies and nothing is known of what the metric's values may be.

    Notes
    -----
    The standard error is that of the test, whatever it made of clusters, strata, weights and gaps, and so are the
    degrees of freedom. Intervals end where differences of the metric do; where a difference is the same on every topic,
    they are as in `metaeval.tests_stat.ends.ends_of_means`.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> found = difference_intervals(paired_t_test([[0.3, 0.5, 0.9], [0.2, 0.3, 0.6]]))
    >>> [round(float(found[end][0, 0]), 4) for end in ("low", "high")]
    [-0.0484, 0.4484]
    """
    check_kind(result, "result", "PairwiseResult")
    check_share(confidence_level, "confidence_level")
    data = result.data
    difference = data["difference"].to_numpy()
    if result.test != "t" or "standard_error" not in data or "lowest" not in data.coords:
        nothing = xr.full_like(data["difference"], np.nan)
        return xr.Dataset({"low": nothing, "high": nothing})
    n_units = data["n_common"].to_numpy() if "n_common" in data else np.full_like(difference, result.n_topics)
    n_units = np.minimum(n_units, result.details.get("n_clusters", np.inf))
    freedom = data["degrees_of_freedom"].to_numpy() if "degrees_of_freedom" in data else n_units - 1.0
    low, high = ends_of_means(
        difference,
        data["standard_error"].to_numpy(),
        np.where(np.isnan(data["p_value"].to_numpy()), 0.0, n_units),
        freedom,
        seen=Seen(*(data[name].to_numpy() for name in Seen._fields)),
        metrics=result.metrics,
        confidence_level=confidence_level,
        apart=True,
    )
    return xr.Dataset({name: data["difference"].copy(data=end) for name, end in (("low", low), ("high", high))})


def without_interval(result: PairwiseResult) -> list[tuple[int, str]]:
    """Count the pairs that differ by the same on every topic and have no interval, and name the metric; most first.

    Examples
    --------
    >>> from metaeval import as_scores, paired_t_test
    >>> without_interval(paired_t_test(as_scores([[12.0, 15.0, 11.0], [10.0, 13.0, 9.0]], metrics=["quality"])))
    [(1, 'quality')]
    """
    if "standard_error" not in result.data:
        return []
    tested = np.isfinite(result.data["p_value"].to_numpy()) & (result.data["standard_error"].to_numpy() == 0.0)
    if not tested.any() or result.test != "t":
        return []
    counts = (tested & np.isnan(difference_intervals(result)["low"].to_numpy())).sum(axis=-1).tolist()
    found = [(n, metric) for n, metric in zip(counts, result.metrics, strict=True) if n]
    return sorted(found, key=lambda counted: -counted[0])


def is_significant(p_values: ArrayLike, alpha: float, *, strictly_below: bool = False) -> NDArray[np.bool_]:
    """Say which p-values are at most alpha, or below it: the only place where a p-value meets a level.

    A corrected p-value is often a simple fraction, which the level then equals but for the last bit: such a p-value
    counts as alpha. An undefined one (NaN) is not significant.

    Examples
    --------
    >>> 3 * 0.1 <= 0.3, is_significant(np.array([3 * 0.1, 0.31]), 0.3).tolist()
    (False, [True, False])
    """
    reached = ~reaches(p_values, alpha, p_values) if strictly_below else reaches(alpha, p_values, alpha)
    return reached & ~np.isnan(p_values)


def pairwise_result(  # noqa: PLR0913 - the parts of an answer
    question: Question,
    evidence: Evidence,
    *,
    test: str,
    correction: str,
    n_resamples: int | None = None,
    random_source: str | None = None,
    details: Mapping[str, Any] | None = None,
    strictly_below: bool = False,
) -> PairwiseResult:
    """Put what a test found into a `PairwiseResult`: labels, direction, correction, decision."""
    direction = better_direction(question.scores)[:, None]
    oriented = question.mean_differences()
    variables: dict[str, NDArray[Any]] = {
        "difference": oriented * direction,
        "statistic": evidence.statistic * direction,
    }
    beyond = beyond_runs(question, evidence)
    variables |= _p_values_of(question, evidence, beyond, oriented)
    names = question.scores["system"].to_numpy()
    if beyond is not None and test == "t":
        evidence = beyond
        variables["statistic"] = beyond.statistic * direction
    if len(question.first) == 1 and test != "sign":
        variables["p_exact"] = np.where(question.n_units > 1, _exact(question), np.nan)
    details = dict(details or {})
    if question.gaps:
        common = question.n_common
        variables["n_common"] = common
        details["pairs_without_evidence"] = (common <= 1).sum(axis=1).tolist()
    if evidence.error is not None:
        variables["standard_error"] = evidence.error
    if evidence.estimates is not None:
        variables["degrees_of_freedom"] = evidence.estimates.freedom
    if evidence.estimates is not None and not question.plain:
        details["pairs_without_evidence"] = (evidence.estimates.n_units <= 1).sum(axis=1).tolist()
    if question.units.clustered:
        details["n_clusters"] = question.units.n_units
    variables["better"] = np.sign(oriented).astype(np.int8)
    data = xr.Dataset(
        {name: (("metric", "pair"), values) for name, values in variables.items()},
        coords={
            "metric": question.scores["metric"].to_numpy(),
            "higher_is_better": ("metric", question.scores["higher_is_better"].to_numpy()),
            **{name: ("metric", extremes) for name, extremes in Seen.of(question.scores.to_numpy())._asdict().items()},
            "system_a": ("pair", names[question.first]),
            "system_b": ("pair", names[question.second]),
        },
    )
    bare = PairwiseResult(
        data=data,
        test=test,
        alternative=question.alternative,
        correction="none",
        alpha=question.alpha,
        baseline=question.baseline,
        n_systems=len(names),
        n_topics=question.n_topics,
        n_resamples=n_resamples,
        random_source=random_source,
        details=MappingProxyType(details),
        strictly_below=strictly_below,
        family_wise_only=evidence.family_wise_only,
        scores=question.scores,
    )
    return bare.with_correction(correction)


def _p_values_of(
    question: Question, evidence: Evidence, beyond: Evidence | None, oriented: Floats
) -> dict[str, NDArray[Any]]:
    """Return the p-values of a test, and of means over runs the larger ones of it and of what is said beyond them."""

    def both(up: Flags) -> tuple[Tails, Tails]:
        on_items = _asked(question.alternative, evidence, up)
        return on_items, on_items if beyond is None else larger(on_items, _asked(question.alternative, beyond, up))

    on_items, (p_value, log10_p) = both(oriented >= 0)
    made = {"p_value": p_value, "log10_p": log10_p}
    if question.alternative == "better":
        made["p_opposite"] = both(oriented < 0)[1].p
    made["p_reachable"] = signs_tail(question.n_apart, two_sided=not question.one_sided).p
    if evidence.family_wise is not None:
        made["p_family_wise"] = evidence.family_wise
    if beyond is not None:
        made["p_items"] = on_items.p if evidence.family_wise is None else evidence.family_wise
    made = {name: np.where(question.n_units > 1, values, np.nan) for name, values in made.items()}
    if beyond is not None and evidence.family_wise is not None:
        corrected = adjust(made["p_value"], "holm", all_pairs=question.of_all_pairs)
        made["p_family_wise"] = np.fmax(made["p_family_wise"], corrected)
    return made


def _exact(question: Question) -> Floats:
    """Return the p-values of the exact sign test of the one pair, NaN where it would leave something out."""
    names = question.scores["system"].to_numpy()
    pair = (str(names[question.first[0]]), str(names[question.second[0]]))
    return exact_signs(question.scores, pair, question.alternative)


def _asked(alternative: str, evidence: Evidence, up: Flags) -> Tails:
    """Return the p-values of the alternative; of "better" those of the first system where it is `up`."""
    if alternative != "better":
        return _given(
            {"two-sided": evidence.two_sided, "greater": evidence.greater, "less": evidence.less}[alternative]
        )
    greater, less = _given(evidence.greater), _given(evidence.less)
    return Tails(*(np.where(up, above, below) for above, below in zip(greater, less, strict=True)))


def _given(p_values: Floats | Tails | None) -> Tails:
    if p_values is None:
        raise AssertionError("the test did not answer the alternative it was asked for")
    return p_values if isinstance(p_values, Tails) else counted_shares(p_values)
