"""Do two metrics lead to the same conclusions? Agreement between the sets of significant pairs of systems.

A correlation of two rankings punishes every swap, also of systems that do not differ significantly. What matters to
whoever reads an evaluation is which system is *significantly* better than which; so one metric's significant pairs are
taken as a prediction of another's, and scored by precision and recall.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from metaeval.agreement.rankings import kendall_tau, spearman, tau_ap
from metaeval.base.checks import LEAST_SHARE, check_choice, check_share, refused
from metaeval.base.results import Figure, Result
from metaeval.base.words import number, span
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike
from metaeval.running.equality import settle
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores, mean_over_topics, settled_mean_over_topics
from metaeval.table.units import units_of
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.robust import difference_estimates

KINDS = ("both", "only predictor", "only truth", "conflict")
"""What can become of a pair that is significant under the predictor, the truth or both."""

SHARES = ("precision", "recall", "f1", "balanced_accuracy", "mcc", "type_2")
"""What is said of the pairs significant under a predictor beside those under a truth; all 0 to 1 but mcc, from -1."""
_COUNTS = ("n_shared", "n_conflicts", "n_missed", "n_undetectable")
_CORRELATIONS = ("tau", "tau_ap", "rho")
_MEASURES = (*SHARES, *_COUNTS, *_CORRELATIONS)
_POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionAgreement(Result):
    """How well each metric's significant pairs predict every other's."""

    data: xr.Dataset
    """Dims ``alpha``, ``metric``, ``pair``, ``predictor`` and ``truth`` (the last two are the metrics again);
    variables

    - ``verdict`` (alpha, metric, pair): 1 where system_a is significantly better, -1 where system_b is, else 0;
    - ``difference`` (metric, pair): mean of a minus mean of b, in the metric's own direction and unit;
    - ``score_size`` (metric, pair): mean absolute score of a plus that of b, which says what is equal up to rounding
      (`metaeval.running.equality`);
    - ``n_significant``, ``share`` (alpha, metric): significant pairs, and their share of all pairs;
    - ``n_shared``, ``n_conflicts`` (alpha, predictor, truth): pairs significant under both, in the same
      direction and in opposite ones;
    - ``n_missed`` (alpha, predictor, truth): pairs significant under the truth alone, and ``n_undetectable`` of these,
      which are so small under the truth that it would find them with less than .8 power (`missed_below_power`);
    - `SHARES` (alpha, predictor, truth), of `agreement_shares` and `agreement_errors`;
    - ``tau``, ``tau_ap``, ``rho`` (predictor, truth): rank correlations of the mean scores, the truth being the
      reference; NaN where all systems have one mean.
    """
    result: PairwiseResult
    """The tests behind it, at the first level."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    @property
    def alphas(self) -> tuple[float, ...]:
        """Levels of significance, in the order asked."""
        return tuple(self.data["alpha"].to_numpy().tolist())

    @property
    def n_pairs(self) -> int:
        """Number of pairs of systems."""
        return self.data.sizes["pair"]

    def _found(self) -> str:
        f1 = self.to_frame().query("alpha == alpha.iloc[0]")
        pairs = map(" and ".join, np.sort(f1[["truth", "predictor"]].to_numpy(str)))  # F1 has no direction
        return f"F1 of the significant pairs of two metrics {span(pairs, f1['f1'], map(number(2), f1['f1']))}"

    def with_correction(self, correction: str) -> "DecisionAgreement":
        """Return the agreement of the same tests under another correction; nothing is drawn again."""
        result = self.result.with_correction(correction)
        unchanged = {name: self.data[name] for name in ("score_size", "tau", "tau_ap", "rho")}
        data = _decisions(result, self.alphas).assign(unchanged)
        return DecisionAgreement(data=data, result=result)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a level and ordered pair of metrics.

        The columns are ``test``, ``correction`` and ``alpha``; ``predictor`` and ``truth``; significant pairs
        ``n_predictor`` and ``n_truth`` of ``n_pairs``, with ``share_predictor`` and ``share_truth`` (0 to 1);
        ``n_shared`` and ``n_conflicts``; ``n_missed``, the pairs of the truth that are not significant under the
        predictor, and ``n_undetectable`` of these; ``precision``, ``recall``, ``f1``, ``balanced_accuracy`` and
        ``type_2``, the share missed of the truth's pairs (0 to 1), and ``mcc`` (-1 to 1), NaN where undefined; ``tau``,
        ``tau_ap`` and ``rho`` of the means (-1 to 1, NaN where all systems have one mean).
        """
        alphas, n = self.alphas, len(self.metrics)
        cells = [(a, p, t) for a in range(len(alphas)) for p in range(n) for t in range(n) if p != t]
        at, predictor, truth = (np.array(indices, dtype=np.int64) for indices in zip(*cells, strict=True))
        rejected = self.data["n_significant"].to_numpy()
        columns: dict[str, object] = {
            "test": self.result.test,
            "correction": self.result.correction,
            "alpha": np.array(alphas)[at],
            "predictor": np.array(self.metrics, dtype=object)[predictor],
            "truth": np.array(self.metrics, dtype=object)[truth],
            "n_pairs": self.n_pairs,
            "n_predictor": rejected[at, predictor],
            "n_truth": rejected[at, truth],
            "share_predictor": rejected[at, predictor] / self.n_pairs,
            "share_truth": rejected[at, truth] / self.n_pairs,
        }
        for name in (*_COUNTS, *SHARES, *_CORRELATIONS):
            values = self.data[name].to_numpy()
            columns[name] = values[at, predictor, truth] if values.ndim == 3 else values[predictor, truth]  # noqa: PLR2004 - with alpha
        return pd.DataFrame(columns)

    def matrix(self, measure: str = "f1", *, alpha: float | None = None) -> pd.DataFrame:
        """Return one measure as a square table: predictors in the rows, truths in the columns.

        Parameters
        ----------
        measure : str
            precision, recall, f1, balanced_accuracy, mcc, type_2, n_shared, n_conflicts, n_missed, n_undetectable, tau,
            tau_ap or rho.
        alpha : float, optional
            The first level by default.
        """
        check_choice(measure, "measure of agreement", _MEASURES)
        values = self.data[measure].to_numpy()
        if "alpha" in self.data[measure].dims:
            values = values[self._level(alpha)]
        return pd.DataFrame(values, index=pd.Index(self.metrics, name="predictor"), columns=list(self.metrics))

    def _draw(self, measure: str = "f1") -> Figure:
        """Draw a measure that `matrix` gives as a map: the stronger the colour, the nearer the two metrics."""
        from metaeval.figures.agreement import matrix_map  # noqa: PLC0415 - matplotlib

        return matrix_map(self.matrix(measure))

    def in_opposite_order(self, predictor: str, truth: str) -> int:
        """Return how many pairs of systems, significant or not, two metrics put in opposite order.

        Parameters
        ----------
        predictor, truth : str
        """
        lead = self._leads()
        differs = [self._settled_differences(name) > 0 for name in (predictor, truth)]
        opposite = lead[self._place(predictor)] * lead[self._place(truth)] < 0
        return int((opposite & differs[0] & differs[1]).sum())

    def conflicts(self, *, alpha: float | None = None) -> pd.DataFrame:
        """Return one row a pair of metrics and pair of systems that are significant in opposite directions.

        Columns metric_a, metric_b, better_under_a, better_under_b (systems) and lead_a, lead_b: how far the first
        system is ahead under metric_a (positive), and under metric_b (negative).
        """
        verdict = self.data["verdict"].to_numpy()[self._level(alpha)]
        lead, first, second = self._leads(), self._systems("system_a"), self._systems("system_b")
        rows = []
        for i, j in zip(*np.triu_indices(len(verdict), 1), strict=True):
            for pair in np.flatnonzero(verdict[i] * verdict[j] == -1):
                sign = verdict[i, pair]
                a, b = (first[pair], second[pair])[:: int(sign)]
                names = (self.metrics[i], self.metrics[j], a, b)
                rows.append((*names, float(sign * lead[i, pair]), float(sign * lead[j, pair])))
        columns = ["metric_a", "metric_b", "better_under_a", "better_under_b", "lead_a", "lead_b"]
        return pd.DataFrame(rows, columns=columns)

    def disagreement(self, predictor: str, truth: str, *, alpha: float | None = None) -> pd.DataFrame:
        """Return the pairs that are significant under the predictor, the truth or both (Ogilvie and Lalmas, Figure 1).

        Columns system_a (the better one under the predictor if significant there, else under the truth), system_b,
        lead_predictor and lead_truth (how far a is ahead; negative where it is behind) and kind, one of `KINDS`.
        """
        p, t = self._place(predictor), self._place(truth)
        verdict = self.data["verdict"].to_numpy()[self._level(alpha)]
        pairs = np.flatnonzero(verdict[p] | verdict[t])
        of_predictor, of_truth = verdict[p, pairs], verdict[t, pairs]
        sign = np.where(of_predictor != 0, of_predictor, of_truth)
        kinds = np.select([of_predictor == of_truth, of_truth == 0, of_predictor == 0], [0, 1, 2], default=3)
        first, second = self._systems("system_a")[pairs], self._systems("system_b")[pairs]
        lead = self._leads()[:, pairs] * sign
        return pd.DataFrame(
            {
                "system_a": np.where(sign > 0, first, second),
                "system_b": np.where(sign > 0, second, first),
                "lead_predictor": lead[p],
                "lead_truth": lead[t],
                "kind": pd.Categorical(np.array(KINDS)[kinds], categories=list(KINDS)),
            }
        )

    def densities(
        self,
        predictor: str,
        truth: str,
        *,
        under: str | None = None,
        alpha: float | None = None,
        n_points: int = 200,
    ) -> pd.DataFrame:
        r"""Return where along :math:`|difference|` two metrics agree and where they do not.

        Parameters
        ----------
        predictor, truth : str
        under : str, optional
            The metric whose differences are meant: the predictor by default.
        alpha : float, optional
            The first level by default.
        n_points : int

        Returns
        -------
        pandas.DataFrame
            Columns kind, difference and density, in pairs per unit of difference: the area under a class is its
            number of pairs.

        Notes
        -----
        Gaussian kernels with one bandwidth for all classes (Silverman's rule on all the pairs, so that classes can
        be compared), reflected at 0 because no difference lies below.
        """
        frame = self.disagreement(predictor, truth, alpha=alpha)
        sizes = np.abs(self._differences(under or predictor)[self._kept(predictor, truth, alpha)])
        grid, width = _grid_and_bandwidth(sizes, n_points)
        parts = []
        for kind in KINDS:
            of_kind = sizes[(frame["kind"] == kind).to_numpy()]
            parts.append(pd.DataFrame({"kind": kind, "difference": grid, "density": _density(of_kind, grid, width)}))
        return pd.concat(parts, ignore_index=True)

    def thresholds(self, *, under: str | None = None, alpha: float | None = None) -> pd.DataFrame:
        r"""Return, for every predictor and truth, the least :math:`|difference|` that would make F1 largest.

        Only the predictor's significant pairs with at least that difference are then counted as its decisions.
        The threshold is chosen and judged on the same data, so the gain is an upper bound. It never parts differences
        that are equal up to rounding.

        Parameters
        ----------
        under : str, optional
            The metric whose differences are cut: each predictor's own by default.
        alpha : float, optional
            The first level by default.

        Returns
        -------
        pandas.DataFrame
            Columns predictor, truth, threshold (0 where no pair should go), f1 (with it), f1_without, n_kept and
            n_predictor. Of equal F1 the lowest threshold. Where the predictor has no significant pair, threshold is
            NaN.
        """
        verdict = self.data["verdict"].to_numpy()[self._level(alpha)]
        n_rejected = np.abs(verdict).sum(axis=1, dtype=np.int64)
        rows = []
        for p, predictor in enumerate(self.metrics):
            sizes = self._settled_differences(under or predictor)
            best = _best_cuts(sizes, verdict[p], verdict, n_rejected)
            for t, truth in enumerate(self.metrics):
                if t != p:
                    rows.append((predictor, truth, *(column[t] for column in best), int(n_rejected[p])))
        names = ["predictor", "truth", "threshold", "f1", "f1_without", "n_kept", "n_predictor"]
        return pd.DataFrame(rows, columns=names)

    def _level(self, alpha: float | None) -> int:
        if alpha is None:
            return 0
        near = np.flatnonzero(np.isclose(self.alphas, alpha, rtol=1e-9, atol=0))
        if not len(near):
            message = f"this agreement holds alpha = {', '.join(f'{a:g}' for a in self.alphas)}, not {alpha!r}"
            raise InvalidOptionError(message)
        return int(near[0])

    def _place(self, metric: str) -> int:
        check_choice(metric, "metric", self.metrics)
        return self.metrics.index(metric)

    def _systems(self, side: str) -> NDArray[np.object_]:
        return self.data[side].to_numpy().astype(object)

    def _differences(self, metric: str) -> NDArray[np.float64]:
        return self.data["difference"].to_numpy()[self._place(metric)]

    def _settled_differences(self, metric: str) -> NDArray[np.float64]:
        """Return the absolute differences, those that are equal up to rounding made equal."""
        return settle(np.abs(self._differences(metric)), self.data["score_size"].to_numpy()[self._place(metric)])

    def _leads(self) -> NDArray[np.float64]:
        """Return the differences turned so that positive means that a is better, shape (metric, pair)."""
        turn = np.where(self.data["higher_is_better"].to_numpy(), 1.0, -1.0)
        return self.data["difference"].to_numpy() * turn[:, None]

    def _kept(self, predictor: str, truth: str, alpha: float | None) -> NDArray[np.int64]:
        verdict = self.data["verdict"].to_numpy()[self._level(alpha)]
        return np.flatnonzero(verdict[self._place(predictor)] | verdict[self._place(truth)])


def decision_agreement(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = "t",
    correction: str | None = None,
    alphas: float | Sequence[float] = 0.05,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> DecisionAgreement:
    r"""Measure how far the metrics of a table lead to the same conclusions about its systems.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        At least two metrics, or one metric under two quantisations: both are metrics here.
    test : str, default "t"
        A name in `metaeval.tests_stat.catalogue.TESTS`; the paper [1]_ takes "bootstrap_percentile".
    correction : str, optional
        Benjamini and Yekutieli's "fdr_by" by default, or "family-wise" for a test that adjusts itself.
    alphas : float or sequence of float, default 0.05
        Levels of significance; the tests run once for all of them.
    alternative : {"two-sided", "better"}
        Two-sided tests count in the direction of the better mean. "better" is one-sided in the direction of each
        pair's better mean, both directions counting as hypotheses, as in the paper; bootstrap sensitivity, max-t and
        Tukey's test know no such.
    n_resamples : int, optional
        B of a resampling test; 10 000 by default, as in the paper.
    p_value_rule : {"plus-one", "plain"}
        (k + 1)/(B + 1), or k/B as the paper prints, which can be 0 and then passes every correction.
    rng : None, int or numpy.random.Generator
        The same topic resamples serve every pair and every metric.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    DecisionAgreement
        One row a level and ordered pair of metrics in ``to_frame()``; see `DecisionAgreement.to_frame`.

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If there are fewer than two metrics, or an option is outside its rule.

    Notes
    -----
    With reject(Q) the set of ordered pairs (A, B) in which A is significantly better than B under Q, and Q2 taken as
    the truth [1]_:

    .. math:: P = \frac{|reject(Q_1) \cap reject(Q_2)|}{|reject(Q_1)|}, \quad
              R = \frac{|reject(Q_1) \cap reject(Q_2)|}{|reject(Q_2)|}, \quad
              F_1 = \frac{2PR}{P + R}

    A share over the empty set is NaN: all three if neither has a significant pair; if only one has none, F1 is 0.
    Balanced accuracy, MCC and the share of type II errors are those of `agreement_errors` [2]_.

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006). Investigating the exhaustivity dimension in content-oriented XML element
       retrieval evaluation. CIKM, section 3.4. :doi:`10.1145/1183614.1183631`
    .. [2] McKechnie, McDonald and Macdonald (2025). Measuring hypothesis testing errors in the evaluation of retrieval
       systems. SIGIR. arXiv 2507.07924. Otero, Parapar and Ferro (2023). How discriminative are your qrels? CIKM.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 0.1, (2, 3, 20))
    >>> from metaeval import as_scores
    >>> scores = as_scores(noise + [[[0.1], [0.3], [0.5]], [[0.1], [0.1], [0.5]]], metrics=["one", "other"])
    >>> agreement = decision_agreement(scores, test="t")
    >>> agreement.to_frame()[["predictor", "truth", "precision", "recall", "f1"]].round(2)
      predictor  truth  precision  recall   f1
    0       one  other       0.67    1.00  0.8
    1     other    one       1.00    0.67  0.8
    """
    spec = TESTS.find(test)
    scores = engine_scores(scores, uses=spec.uses - {"gaps"}, what="agreement of decisions")
    if scores.sizes["metric"] < 2:  # noqa: PLR2004 - agreement is between two
        message = f"agreement needs at least two metrics; the scores hold {scores['metric'].to_numpy().tolist()}"
        raise InvalidOptionError(message)
    levels = checked_alphas(alphas)
    if alternative not in ("better", "two-sided"):
        rule = f"must be 'better' or 'two-sided', which name a better system, not {alternative!r}"
        raise refused("alternative", rule, alternative)
    result = compare_systems(
        scores,
        test=spec.name,
        alternative=alternative,
        correction=correction,
        alpha=levels[0],
        n_resamples=10_000 if n_resamples is None else n_resamples,
        p_value_rule=p_value_rule,
        rng=rng,
        n_threads=n_threads,
    )
    data = _decisions(result, levels).assign(_correlations(settled_mean_over_topics(scores)))
    data["score_size"] = (("metric", "pair"), _sizes_of_pairs(scores, result))
    return DecisionAgreement(data=data, result=result)


def checked_alphas(alphas: float | Sequence[float]) -> tuple[float, ...]:
    """Return levels of significance as a tuple without repeats, or raise `InvalidOptionError`.

    Examples
    --------
    >>> checked_alphas(0.05), checked_alphas([0.01, 0.05])
    ((0.05,), (0.01, 0.05))
    """
    levels = tuple(dict.fromkeys(float(a) for a in np.atleast_1d(np.asarray(alphas, dtype=np.float64))))
    if not levels or not all(LEAST_SHARE <= level < 1 for level in levels):
        raise refused("alphas", f"must be one or more levels between 0 and 1, not {alphas!r}", alphas)
    for level in levels:
        check_share(level, "alphas")
    return levels


@in_one_order
def agreement_counts(verdict: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the significant pairs of every metric, and those that two metrics share and contradict each other in.

    Shapes: `verdict` (..., metric, pair), result (..., metric), result (..., metric, metric).

    Examples
    --------
    >>> n_rejected, n_shared, n_conflicts = agreement_counts(np.array([[1, 1, -1, 0], [1, 0, 1, 0]], dtype=np.int8))
    >>> n_rejected, n_shared, n_conflicts
    (array([3, 2]), array([[3, 1], [1, 2]]), array([[0, 1], [1, 0]]))
    """
    up, down = (verdict == 1).astype(np.float64), (verdict == -1).astype(np.float64)
    up_other, down_other = np.swapaxes(up, -1, -2), np.swapaxes(down, -1, -2)
    shared = up @ up_other + down @ down_other
    conflicts = up @ down_other + down @ up_other
    return (verdict != 0).sum(axis=-1), shared.astype(np.int64), conflicts.astype(np.int64)


def agreement_shares(n_rejected: NDArray[np.int64], n_shared: NDArray[np.int64]) -> Mapping[str, NDArray[np.float64]]:
    """Return precision, recall and F1 from the counts of `agreement_counts`, predictors before truths.

    Examples
    --------
    >>> agreement_shares(np.array([4, 0]), np.array([[4, 0], [0, 0]]))["f1"]
    array([[ 1.,  0.],
           [ 0., nan]])
    """
    predicted, true = n_rejected[..., :, None], n_rejected[..., None, :]

    def share_of(total: NDArray[np.int64], times: int = 1) -> NDArray[np.float64]:
        shape = np.broadcast_shapes(n_shared.shape, total.shape)
        return np.divide(times * n_shared, total, out=np.full(shape, np.nan), where=total > 0)

    return {"precision": share_of(predicted), "recall": share_of(true), "f1": share_of(predicted + true, 2)}


def agreement_errors(
    n_predicted: ArrayLike, n_true: ArrayLike, n_shared: ArrayLike, n_conflicts: ArrayLike, n_pairs: int
) -> Mapping[str, NDArray[np.float64]]:
    """Return balanced accuracy, Matthews' correlation and the share of type II errors from counts that broadcast.

    A pair is positive where it is significant under the truth, and found where it is significant under the predictor in
    the same direction; one that is significant in the opposite direction is positive and not found. Balanced accuracy
    is the mean of recall and of the share of the other pairs that are not significant under the predictor either. Type
    II errors are pairs of the truth that are not significant under the predictor. NaN where undefined.

    Examples
    --------
    >>> {name: float(value.round(3)) for name, value in agreement_errors(5, 6, 3, 1, 15).items()}
    {'balanced_accuracy': 0.694, 'mcc': 0.431, 'type_2': 0.333}
    """
    arrays = (np.asarray(counted, np.float64) for counted in (n_predicted, n_true, n_shared, n_conflicts))
    predicted, true, shared, conflicts = np.broadcast_arrays(*arrays)
    false, others = predicted - shared - conflicts, n_pairs - true
    with np.errstate(divide="ignore", invalid="ignore"):
        product = shared * (others - false) - false * (true - shared)
        margins = (shared + false) * true * others * (n_pairs - shared - false)
        return {
            "balanced_accuracy": (shared / true + (others - false) / others) / 2.0,
            "mcc": product / np.sqrt(margins),
            "type_2": (true - shared - conflicts) / true,
        }


@in_one_order
def missed_below_power(result: PairwiseResult, verdict: NDArray[np.int8], power: float = _POWER) -> NDArray[np.int64]:
    """Count the missed pairs that the truth itself would miss as often: not the fault of a predictor.

    A pair counts where the difference under the truth is below the least one that a t test on these topics finds with
    this power, at the largest p-value that is significant under the truth. Shapes: `verdict` (alpha, metric, pair),
    result (alpha, predictor, truth).
    """
    scores, data = result.scores, result.data
    if scores is None:
        raise AssertionError("the tests behind an agreement keep their scores")
    places = pd.Index(scores["system"].to_numpy())
    first, second = (places.get_indexer(data[side].to_numpy()) for side in ("system_a", "system_b"))
    estimates = difference_estimates(oriented_values(scores), units_of(scores), first, second)
    significant = verdict != 0
    tails = 2.0 if result.alternative == "better" else 1.0
    level = np.where(significant, tails * data["p_value"].to_numpy(), 0.0).max(axis=-1, keepdims=True)
    ratio = np.abs(data["difference"].to_numpy()) / np.where(estimates.error > 0.0, estimates.error, np.nan)
    at = np.nonzero(significant & (level > 0.0))
    least = np.zeros(verdict.shape)
    least[at] = detectable_shift(
        np.broadcast_to(estimates.freedom, verdict.shape)[at],
        alpha=np.broadcast_to(level, verdict.shape)[at],
        power=power,
    )
    undetectable = (ratio < least) & significant
    return np.rint((~significant).astype(np.float64) @ np.swapaxes(undetectable, -1, -2).astype(np.float64)).astype(int)


def _sizes_of_pairs(scores: Scores, result: PairwiseResult) -> NDArray[np.float64]:
    """Return the mean absolute scores of the two systems of every pair, added up, shape (metric, pair)."""
    size = mean_over_topics(abs(scores))
    places = pd.Index(scores["system"].to_numpy())
    first, second = (places.get_indexer(result.data[side].to_numpy()) for side in ("system_a", "system_b"))
    return size[:, first] + size[:, second]


def _decisions(result: PairwiseResult, alphas: tuple[float, ...]) -> xr.Dataset:
    verdict = np.stack([result.verdicts(alpha) for alpha in alphas])
    n_rejected, n_shared, n_conflicts = agreement_counts(verdict)
    between = ("alpha", "predictor", "truth")
    names = result.data["metric"].to_numpy()
    true = n_rejected[:, None, :]
    shares = {**agreement_shares(n_rejected, n_shared)}
    shares |= agreement_errors(n_rejected[:, :, None], true, n_shared, n_conflicts, verdict.shape[-1])
    return xr.Dataset(
        {
            "verdict": (("alpha", "metric", "pair"), verdict),
            "difference": (("metric", "pair"), result.data["difference"].to_numpy()),
            "n_significant": (("alpha", "metric"), n_rejected),
            "share": (("alpha", "metric"), n_rejected / verdict.shape[-1]),
            "n_shared": (between, n_shared),
            "n_conflicts": (between, n_conflicts),
            "n_missed": (between, true - n_shared - n_conflicts),
            "n_undetectable": (between, missed_below_power(result, verdict)),
            **{name: (between, values) for name, values in shares.items()},
        },
        coords={
            "alpha": list(alphas),
            "metric": names,
            "predictor": names,
            "truth": names,
            "higher_is_better": ("metric", result.data["higher_is_better"].to_numpy()),
            "system_a": ("pair", result.data["system_a"].to_numpy()),
            "system_b": ("pair", result.data["system_b"].to_numpy()),
        },
    )


def _correlations(means: NDArray[np.float64]) -> dict[str, tuple[tuple[str, str], NDArray[np.float64]]]:
    """Correlate the means (metric, system) of every predictor with those of every truth, which is the reference."""
    truths, predictors = means[None, :, :], means[:, None, :]
    values = {
        "tau": kendall_tau(truths, predictors, undefined="nan"),
        "tau_ap": tau_ap(truths, predictors, undefined="nan"),
        "rho": spearman(truths, predictors, undefined="nan"),
    }
    return {name: (("predictor", "truth"), value) for name, value in values.items()}


def _best_cuts(
    sizes: NDArray[np.float64], own: NDArray[np.int8], verdict: NDArray[np.int8], n_rejected: NDArray[np.int64]
) -> tuple[list[float], list[float], list[float], list[int]]:
    """Return per truth the threshold, F1 with it and without, and the pairs kept."""
    significant = np.flatnonzero(own)
    n_truths = len(verdict)
    if not len(significant):
        without = np.where(n_rejected == 0, np.nan, 0.0).tolist()
        return [np.nan] * n_truths, without, without, [0] * n_truths
    order = significant[np.argsort(-sizes[significant], kind="stable")]
    hits = np.cumsum(verdict[:, order] == own[order], axis=1)  # (truth, how many of the largest are kept)
    scores = 2 * hits / (np.arange(1, len(order) + 1) + n_rejected[:, None])
    last_of_tie = np.append(sizes[order][1:] < sizes[order][:-1], True)
    scores[:, ~last_of_tie] = -1.0
    best = scores.shape[1] - 1 - np.argmax(scores[:, ::-1], axis=1)  # of equal F1, the one that keeps most
    all_kept = best == len(order) - 1
    cut = np.where(all_kept, 0.0, sizes[order][best])
    return cut.tolist(), scores.max(axis=1).tolist(), scores[:, -1].tolist(), (best + 1).tolist()


def _grid_and_bandwidth(sizes: NDArray[np.float64], n_points: int) -> tuple[NDArray[np.float64], float]:
    if not len(sizes):
        return np.linspace(0.0, 1.0, n_points), 1.0
    low, high = np.quantile(sizes, [0.25, 0.75])
    spreads = [value for value in (float(sizes.std()), float(high - low) / 1.34) if value > 0]
    width = 0.9 * min(spreads, default=float(sizes.max()) or 1.0) * len(sizes) ** -0.2
    return np.linspace(0.0, float(sizes.max()) + 3 * width, n_points), width


def _density(sizes: NDArray[np.float64], grid: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return pairs per unit of difference."""
    total = np.zeros(len(grid))
    for chunk in np.array_split(sizes, max(1, len(sizes) // 4096)):
        for mirrored in (chunk, -chunk):
            total += np.exp(-0.5 * ((grid[:, None] - mirrored) / width) ** 2).sum(axis=1)
    return total / (width * np.sqrt(2 * np.pi))
