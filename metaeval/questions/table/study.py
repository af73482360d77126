"""The table of every paper: systems by metrics, with means, the best of each, and what is significant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import ClassVar, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_count, check_share
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.errors import InvalidOptionError
from metaeval.resampling.options import check_resampling, check_test
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Study, chosen_systems, interval_notes, test_notes
from metaeval.table.scores import Scores, better_direction, checked_scores, identical_systems
from metaeval.table.structure import are_tries, settled_mean_over_topics
from metaeval.table.traits import WHOLE
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.letters import letter_names, shared_letters
from metaeval.tests_stat.pair_by_cluster import pair_by_cluster
from metaeval.tests_stat.result import PairwiseResult, difference_intervals

Marks = Literal["letters", "groups"]
"""What marks say where all pairs were tested: the systems that one is better than, or those that it is among."""
RowOrder = Literal["mean", "given"]

BETTER, WORSE = "†", "‡"
"""Marks of systems that are significantly better and worse than the baseline."""
_MOST_DIGITS = 12

_TRIES = "repeats are 0 or 1: metaeval components has what k tries pass (pass@k, pass^k; metaeval.models.pass_rates)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableStudy(Study):
    """Means of systems under metrics, with marks for what is significant."""

    reported_by: ClassVar[str] = "metaeval.questions.table.page:table_report"

    scores: Scores
    """The systems that were compared, whether they have a row or not."""
    comparison: PairwiseResult
    """The test of the pairs with the baseline, or of all pairs."""
    systems: tuple[str, ...]
    """The rows, in order."""
    baseline: str | None
    top: int | None
    """How many systems of the best means have a row; all by default."""
    marks: Marks
    """What the marks say without a baseline; see `study_table`."""
    order: RowOrder
    digits: int
    """Decimals of a printed mean."""
    identical: tuple[tuple[str, ...], ...]
    """Systems that are equal throughout."""
    by_cluster: pd.DataFrame | None = None
    """The one pair within each cluster of topics; see `metaeval.tests_stat.pair_by_cluster.pair_by_cluster`."""
    notes: tuple[str, ...]
    provenance: Provenance

    def _elsewhere(self) -> str:
        return "" if self.baseline else "differences and p-values of pairs: comparison.to_frame()"

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics: the columns."""
        return self.comparison.metrics

    def best_systems(self, metric: str) -> list[str]:
        """Return the systems of the best mean under a metric, those without a row included; several where means tie."""
        settled = settled_mean_over_topics(self.scores)[self.metrics.index(metric)]
        return self.scores["system"].to_numpy()[settled == settled.max()].tolist()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, metrics and rows in the order of the table.

        The columns are metric, system, mean, best (whether no mean of the column is better, means that are equal up to
        rounding counting as equal), then with a baseline difference (system less baseline) with its interval from
        difference_low to difference_high, p_value, log10_p, p_corrected and significant, missing for the baseline
        itself and where nothing could be tested; without one letter (of the system), n_above and n_below (systems
        of the table significantly better and worse than this one); and marks, as the table has them.
        """
        systems = self.scores["system"].to_numpy().tolist()
        rows = [systems.index(name) for name in self.systems]
        settled = settled_mean_over_topics(self.scores)[:, rows]
        means = settled * better_direction(self.scores)[:, None]
        best = settled == settled.max(axis=1, keepdims=True)
        frames = []
        for index, metric in enumerate(self.metrics):
            verdict = self._verdicts(index)
            frame = pd.DataFrame({"metric": metric, "system": self.systems, "mean": means[index], "best": best[index]})
            if self.baseline is None:
                frame["letter"] = letter_names(len(self.systems))
                frame["n_above"] = (verdict == -1).sum(axis=1)
                frame["n_below"] = (verdict == 1).sum(axis=1)
            else:
                frame = frame.join(self._against_baseline(index), on="system")
            frame["marks"] = self._marks(verdict, settled[index])
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def to_latex(self) -> str:
        r"""Return the table as LaTeX, for the package booktabs.

        Examples
        --------
        >>> from metaeval import as_scores
        >>> study = study_table(as_scores([[0.1, 0.2, 0.4, 0.1, 0.2, 0.4], [0.3, 0.4, 0.6, 0.4, 0.4, 0.7]]))
        >>> print(study.to_latex().splitlines()[-5].strip())
            a & system2 & \textbf{0.467} & \textsuperscript{b} \\
        """
        return self.report().to_latex()

    def to_markdown(self) -> str:
        """Return the table as Markdown, with pipes between the cells."""
        return self.report().to_markdown()

    def to_html(self) -> str:
        """Return the table as a piece of HTML: one element, for any page."""
        return self.report().to_html_table()

    def to_csv(self) -> str:
        """Return the table as CSV: means at full precision, each beside its marks."""
        return self.report().to_csv()

    def _verdicts(self, metric_index: int) -> NDArray[np.float64]:
        """Return which rows are better (1), worse (-1), or neither (0), than which others; NaN: not tested."""
        data = self.comparison.data
        index = pd.Index(self.systems)
        a, b = (index.get_indexer(pd.Index(data[side].to_numpy())) for side in ("system_a", "system_b"))
        in_table = (a >= 0) & (b >= 0)
        tested = np.isfinite(data["p_value"].to_numpy())[metric_index]
        verdict = np.where(tested, self.comparison.verdicts()[metric_index], np.nan)[in_table]
        square = np.full((len(index), len(index)), np.nan)
        square[a[in_table], b[in_table]], square[b[in_table], a[in_table]] = verdict, -verdict
        return square

    def _against_baseline(self, metric_index: int) -> pd.DataFrame:
        data = self.comparison.data.isel(metric=metric_index)
        bounds = difference_intervals(self.comparison, confidence_level=1.0 - self.comparison.alpha).isel(
            metric=metric_index
        )
        columns = {f"difference_{end}": bounds[end].to_numpy() for end in ("low", "high")}
        columns |= {name: data[name].to_numpy() for name in ("p_value", "log10_p", "p_corrected") if name in data}
        significant = data["significant"].to_numpy().astype(object)
        significant[np.isnan(data["p_value"].to_numpy())] = pd.NA
        index = pd.Index(data["system_a"].to_numpy(), name="system")
        frame = pd.DataFrame(
            {"difference": data["difference"].to_numpy(), **columns, "significant": significant}, index=index
        )
        return frame.astype({"significant": "boolean"})

    def _marks(self, verdict: NDArray[np.float64], settled: NDArray[np.float64]) -> list[str]:
        if self.baseline is not None:
            against = verdict[:, self.systems.index(self.baseline)]
            return [{1.0: BETTER, -1.0: WORSE}.get(row, "") for row in against.tolist()]
        if self.marks == "letters":
            has_letter = verdict == 1
        else:
            order = np.argsort(-settled, kind="stable")
            apart = verdict != 0.0  # and what was not tested: it shares no letter
            np.fill_diagonal(apart, val=False)
            letters = shared_letters(apart[np.ix_(order, order)])
            has_letter = np.empty_like(letters)
            has_letter[order] = letters
            has_letter &= np.isfinite(verdict).any(axis=1)[:, None]
        names = np.array(letter_names(has_letter.shape[1]), dtype=object)
        between = "," if any(len(name) > 1 for name in names) else ""
        return [between.join(names[row]) for row in has_letter]


def study_table(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    choose: str | int = "all",
    top: int | None = None,
    order: RowOrder = "mean",
    marks: Marks | None = None,
    digits: int = 3,
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> TableStudy:
    """Make a table of systems by metrics for a paper: means with marks for significant differences.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    baseline : str, optional
        A system: every other is tested against it and no other pair is, so that the correction is over N - 1 pairs a
        metric; a dagger marks what is significantly better, a double dagger what is significantly worse. By default
        all pairs are tested.
    test : str, default "t"
        Name in `metaeval.tests_stat.catalogue.TESTS`, two-sided.
    correction : str, optional
        Over the pairs that are tested under a metric; by default the test's own, see
        `metaeval.tests_stat.comparison.compare_systems`.
    alpha : float, default 0.05
        Significance level.
    n_resamples : int, optional
        B of a test that resamples; its own number by default.
    choose : {"all", "one-per-group"} or int
        Which systems to compare; see `metaeval.table.scores.select_runs`.
    top : int, optional
        Rows for so many systems of the best means under the first metric, and for the baseline; by default all have
        one. Every system is tested and corrected for whether it has a row or not.
    order : {"mean", "given"}
        Rows by their means under the first metric, the best first and the baseline before all others, or in the order
        of the scores.
    marks : {"letters", "groups"}, optional
        Without a baseline. "letters", the default: every system has a letter, and a mean is marked by those of the
        systems that it is significantly better than. "groups": compact letters; two systems share one under a metric
        exactly if they do not differ significantly [1]_.
    digits : int, default 3
        Decimals of a printed mean. Means that print alike as the best are all printed bold.
    rng : None, int or numpy.random.Generator
        For a test that resamples and for a random choice of systems.
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    TableStudy
        One row a ``metric`` and ``system`` in ``to_frame()``: ``mean`` in units of the metric, ``best``, the system's
        ``letter`` ("" where none is used), ``n_above`` and ``n_below`` (systems significantly better and worse), and
        ``marks`` as printed. With a baseline its ``difference`` (system less baseline) from ``difference_low`` to
        ``difference_high``, ``p_value`` with its logarithm ``log10_p``, ``p_corrected`` and ``significant`` stand in
        place of letter and counts. Differences and p-values of all pairs, so of two systems, are in
        ``comparison.to_frame()``. Of scores of 0 and 1 ``test="sign"`` is McNemar's exact test; beside the t test of
        two systems its p-value stands in ``comparison.data["p_exact"]``.

    Raises
    ------
    ScoresError, InvalidOptionError
        As the test raises them; `UnknownNameError` for a system, test or correction that there is not.

    See Also
    --------
    metaeval.questions.power.study.study_power : how many pairs differ significantly under each metric
    metaeval.tests_stat.letters.shared_letters

    References
    ----------
    .. [1] Piepho (2004). An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
       Computational and Graphical Statistics 13, 456-466. :doi:`10.1198/1061860043515`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=3, n_topics=50, metrics=["AP"], rng=1)
    >>> study = study_table(scores, baseline="system1", correction="holm")
    >>> study.to_frame()[["system", "best", "marks"]]
        system   best marks
    0  system1  False
    1  system2   True     †
    2  system3  False
    """
    test = TESTS.find(test).name
    correction = None if correction is None else CORRECTIONS.canonical(correction)
    check_test(test, correction, baseline=baseline)
    check_share(alpha, "alpha")
    check_resampling(n_resamples, n_threads=n_threads)
    check_choice(order, "order of rows", get_args(RowOrder))
    check_marks(marks, baseline)
    check_count(digits, "digits", least=1, most=_MOST_DIGITS, zero=True)
    if top is not None:
        check_count(top, "top")
    seed = resolve_seed(rng)
    checked = checked_scores(scores)
    chosen, notes = chosen_systems(checked, choose, seed, uses=WHOLE)
    if baseline is not None:
        check_choice(baseline, "baseline", chosen["system"].to_numpy().tolist())
    comparison = compare_systems(
        chosen,
        test=test,
        correction=correction,
        alpha=alpha,
        baseline=baseline,
        n_resamples=n_resamples,
        rng=seed,
        n_threads=n_threads,
    )
    tables = tabulated(
        chosen,
        comparison,
        top=top,
        order=order,
        marks=marks or "letters",
        digits=digits,
        notes=(
            *notes,
            *test_notes(comparison, chosen),
            *interval_notes(comparison, chosen),
            *[_TRIES] * are_tries(checked),
        ),
        provenance=provenance or record_provenance("study_table", random_source=f"seed {seed}"),
    )
    return replace(tables, by_cluster=pair_by_cluster(chosen, comparison, rng=seed, n_threads=n_threads))


def check_marks(marks: str | None, baseline: str | None) -> None:
    """Refuse marks that there are not, and marks for all pairs where only those with a baseline are tested.

    Examples
    --------
    >>> check_marks("groups", None)
    """
    if marks is None:
        return
    check_choice(marks, "kind of marks", get_args(Marks))
    if baseline is not None:
        raise InvalidOptionError(
            f"`marks={marks!r}` need all pairs, but with a baseline only those with it are tested; give one of the two"
        )


def tabulated(  # noqa: PLR0913 - as `study_table` takes them
    scores: Scores,
    comparison: PairwiseResult,
    *,
    top: int | None = None,
    order: RowOrder = "mean",
    marks: Marks = "letters",
    digits: int = 3,
    notes: Sequence[str] = (),
    provenance: Provenance,
) -> TableStudy:
    """Put a comparison that was made already, and the scores behind it, into the table; see `study_table`."""
    lead = settled_mean_over_topics(scores)[0]
    names = scores["system"].to_numpy().tolist()
    baseline = comparison.baseline
    best_first = [names[index] for index in np.argsort(-lead, kind="stable")]
    in_table = {*best_first[:top], *([] if baseline is None else [baseline])}
    rows = [name for name in (best_first if order == "mean" else names) if name in in_table]
    if baseline is None and marks == "letters" and len(rows) > len(ascii_lowercase):
        notes = [
            *notes,
            f"letters of {len(rows)} systems make long marks; `top=10` has fewer rows, `marks='groups'` fewer letters",
        ]
    if order == "mean" and baseline is not None:
        rows = [baseline, *(name for name in rows if name != baseline)]
    return TableStudy(
        scores=scores,
        comparison=comparison,
        systems=tuple(rows),
        baseline=baseline,
        top=top,
        marks=marks,
        order=order,
        digits=digits,
        identical=identical_systems(scores),
        notes=tuple(notes),
        provenance=provenance,
    )
