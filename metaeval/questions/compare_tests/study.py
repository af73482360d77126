"""Which significance test is reliable? From scores to the errors of every test on halves of the topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from metaeval.base.provenance import Provenance, record_provenance
from metaeval.errors import UnknownNameError
from metaeval.resampling.options import Tested, check_resampling
from metaeval.resampling.split_halves import OGILVIE_LALMAS_TESTS, SplitHalves, split_half
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Study, chosen_systems
from metaeval.table.scores import Scores
from metaeval.table.traits import WHOLE
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import check_question
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.pairs import Alternative, PValueRule


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SplitHalvesStudy(Study):
    """Comparison of significance tests on halves of the topics."""

    reported_by: ClassVar[str] = "metaeval.questions.compare_tests.page:tests_report"

    scores: Scores
    """The systems that were compared (after the choice of runs)."""
    halves: SplitHalves
    """What every test decided, split by split."""
    reference: str
    """The test that stands above the others in ratios."""
    n_resamples: int
    """B of the tests that resample."""
    p_value_rule: PValueRule
    notes: tuple[str, ...]
    """What was assumed, filled or dropped on the way."""
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return one row per correction, metric and test: the columns of `SplitHalves.to_frame`, and the settings.

        ``rejection_ratio`` and ``error_rate_ratio`` have the reference above the test of the row.
        """
        halves = self.halves
        return halves.to_frame(reference=self.reference).assign(
            alternative=halves.alternative, alpha=halves.alpha, n_pairs=halves.n_pairs, n_splits=halves.n_splits
        )


def study_compare_tests(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    tests: str | Sequence[str] = OGILVIE_LALMAS_TESTS,
    corrections: str | Sequence[str] = ("none", "fdr_by"),
    alternative: Alternative = "better",
    alpha: float = 0.05,
    n_splits: int = 50,
    n_resamples: int = 10_000,
    p_value_rule: PValueRule = "plus-one",
    reference: str | None = None,
    choose: str | int = "all",
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> SplitHalvesStudy:
    """Compare significance tests by how often the other half of the topics contradicts a decision.

    A test is reliable if the differences that it calls significant point the same way on topics that it has not
    seen. How many it rejects stands beside it: a test that hardly ever rejects hardly ever errs.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        At least four topics.
    tests : str or sequence of str
        Names of `metaeval.tests_stat.catalogue.TESTS`; by default the four of Ogilvie and Lalmas [1]_. A test with
        family-wise p-values of its own keeps them under every correction, and bootstrap sensitivity, uncorrected as
        published, its own too.
    corrections : str or sequence of str
        Of `metaeval.tests_stat.correction.CORRECTIONS`, each answered by itself on the same halves (the paper:
        "fdr_by").
    alternative : {"better", "two-sided", "greater", "less"}
        One-sided in the direction of each pair's better mean by default, as in the paper.
    alpha : float, default 0.05
        Significance level.
    n_splits : int, default 50
        Random halvings, the same for every test, metric and correction.
    n_resamples : int, default 10000
        B of every test that resamples, as in the paper: with few, no p-value reaches a corrected level.
    p_value_rule : {"plus-one", "plain"}
        For tests that resample. The paper's is plain, k/B: it can be 0 and then passes any correction.
    reference : str, optional
        The test to stand above the others in ratios, one of `tests`; by default the percentile bootstrap where it is
        among them, as in the paper, and otherwise the first.
    choose : {"all", "one-per-group"} or int
        Which systems to compare; see `metaeval.table.scores.select_runs`.
    rng : None, int or numpy.random.Generator
        Source of the halves and of the tests' own draws.
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    SplitHalvesStudy
        One row a ``correction``, ``metric`` and ``test`` in ``to_frame()``: mean ``rejected`` pairs of ``n_pairs`` in a
        half, ``error_rate`` (0 to 1: of the ``rejections``, the share of ``errors``), ``rejected_both`` and
        ``self_agreement`` of the halves, each with its standard error (``_se``) over ``n_splits``, the first two with
        the middle 90 % of the splits (``_low``, ``_high``) and their ratio to the reference (``rejection_ratio``,
        ``error_rate_ratio``); ``alternative`` and ``alpha``. NaN where nothing was rejected.

    Raises
    ------
    EstimationError
        If there are fewer than four topics.
    ScoresError, InvalidOptionError
        If scores or options are outside their rules; `UnknownNameError` for an unknown test or correction.

    See Also
    --------
    metaeval.resampling.split_halves.split_half
    metaeval.questions.power.study.study_power

    Notes
    -----
    There is no confidence interval of an error rate here. The halves of all splits come from the same topics, and
    pairs share systems, so that the rejections behind a rate are far from independent: an interval for a proportion
    would be much too narrow. Between ``error_rate_low`` and ``error_rate_high`` lie the middle 90 % of the splits
    instead, which says how much depends on the halving.

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006). Investigating the exhaustivity dimension in content-oriented XML element
       retrieval evaluation. CIKM, section 3.3. :doi:`10.1145/1183614.1183631`
    .. [2] Sanderson and Zobel (2005). Information retrieval system evaluation: effort, sensitivity, and reliability.
       SIGIR. :doi:`10.1145/1076034.1076064`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=6, n_topics=30, metrics=("AP",), rng=1)
    >>> study = study_compare_tests(scores, tests=["t", "sign"], corrections=["none"], n_splits=10, rng=1)
    >>> study.reference, study.to_frame()[["correction", "test", "n_pairs"]].to_numpy().tolist()
    ('t', [['none', 't', 15], ['none', 'sign', 15]])
    """
    names, corrections = TESTS.several(tests), CORRECTIONS.several(corrections)
    check_question(names, corrections, alternative)
    check_resampling(n_resamples, p_value_rule, n_threads)
    reference_test = _reference_test(reference, names)
    seed = resolve_seed(rng)
    chosen, notes = chosen_systems(scores, choose, seed, uses=WHOLE)
    tested = Tested(alternative, alpha, n_resamples, p_value_rule, seed, n_threads)
    halves = split_half(chosen, tests=names, corrections=corrections, n_splits=n_splits, **tested._asdict())
    return SplitHalvesStudy(
        scores=chosen,
        halves=halves,
        reference=reference_test,
        n_resamples=n_resamples,
        p_value_rule=p_value_rule,
        notes=notes,
        provenance=provenance or record_provenance("study_compare_tests", random_source=f"seed {seed}"),
    )


def _reference_test(asked: str | None, tests: Sequence[str]) -> str:
    published = OGILVIE_LALMAS_TESTS[-1]
    name = (published if published in tests else tests[0]) if asked is None else TESTS.find(asked).name
    if name not in tests:
        raise UnknownNameError("compared test", asked or name, tests)
    return name
