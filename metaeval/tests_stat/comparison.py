"""Any test by its name."""

from collections.abc import Sequence
from typing import cast, get_args

from metaeval.base.checks import check_choice, refused
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike
from metaeval.table.structure import these_clusters
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.offered_clusters import decided_by_groups
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.procedures import plain_name
from metaeval.tests_stat.result import PairwiseResult


@documented
def compare_systems(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = "t",
    alternative: Alternative = "two-sided",
    correction: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    """Test which systems differ, by the named test.

    Parameters
    ----------
    scores
    test : str, default "t"
        A name in `TESTS` or another that the field has for it, such as "ttest" or "fisher". To set what only one
        test knows (Wilcoxon's zeros, say), call that test's own function.
    alternative
    correction : str, optional
        See `metaeval.tests_stat.correction.adjust`; by default the test's own: "family-wise" where it has such
        p-values, "none" for bootstrap sensitivity, Benjamini and Yekutieli's "fdr_by" elsewhere.
    alpha, baseline
    n_resamples : int, optional
        For tests that resample; by default the test's own number.
    p_value_rule
        For tests that resample, except bootstrap sensitivity, which is always "plain", as published.
    rng, n_threads
        For tests that resample; the others draw nothing.

    Returns
    -------
    PairwiseResult
        A p-value of every pair under each metric; columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.questions.power.study.study_power
    metaeval.tests_stat.paired_t.paired_t_test
    metaeval.tests_stat.bootstrap.bootstrap_test

    Examples
    --------
    >>> result = compare_systems([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], test="sign")
    >>> result.signature
    'sign|two-sided|fdr_by|alpha=0.05'
    """
    spec = TESTS.find(test)
    options: dict[str, object] = {"alternative": alternative, "alpha": alpha, "baseline": baseline}
    if correction is not None:
        options["correction"] = correction
    if spec.resampled:
        options |= {"rng": rng, "n_threads": n_threads}
        options |= {} if spec.plain_p else {"p_value_rule": p_value_rule}
        options |= {} if n_resamples is None else {"n_resamples": n_resamples}
    result: PairwiseResult = spec.function(scores, **options)
    if "mcnemar" in plain_name(str(test)) and not result.details.get("mcnemar"):
        rule = (
            "cannot be McNemar's, which compares scores of 0 and 1, and there are others; on how many topics each "
            "system is better is counted by `test='sign'`"
        )
        raise refused("test", rule, test)
    return decided_by_groups(result, result.scores)


def within_clusters(result: PairwiseResult) -> PairwiseResult | None:
    """Return the t test of the one pair in these same clusters and no others, where they are too few to tell of others.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> a, b = [0.5, 0.6, 0.8, 0.7, 0.9, 0.8], [0.1, 0.3, 0.4, 0.3, 0.4, 0.4]
    >>> scores = as_scores([a, b], clusters=dict(zip("123456", "ppqqrr")))
    >>> found = compare_systems(scores, test="t")
    >>> found.data["significant"].item(), within_clusters(found).data["significant"].item()
    (False, True)
    """
    if result.n_pairs != 1 or result.scores is None:
        return None
    if result.n_tested.any() and not result.least_reachable():
        return None
    pair = [str(result.data[side].item()) for side in ("system_a", "system_b")]
    same = these_clusters(result.scores.sel(system=pair))
    alternative = cast("Alternative", result.alternative)
    return None if same is None else compare_systems(same, test="t", alternative=alternative, alpha=result.alpha)


def check_question(tests: Sequence[str], corrections: Sequence[str], alternative: str = "two-sided") -> None:
    """Refuse tests, corrections and an alternative under which nothing can be counted.

    Examples
    --------
    >>> check_question(["bootstrap_sensitivity", "t"], ["none", "fdr_by"])
    """
    if not tests or not corrections:
        raise InvalidOptionError("at least one test and one correction are needed")
    for name in corrections:
        check_choice(name, "correction", CORRECTIONS)
    check_choice(alternative, "alternative", get_args(Alternative))
    for name in tests:
        TESTS.find(name).check_alternative(alternative)
    if "none" not in corrections and all(TESTS.find(name).plain_p for name in tests):
        raise InvalidOptionError(
            f"{tests[0]} is not corrected, as published, because its p-values k/B can be 0; for decisions under a "
            "correction use the test 't' or 'bootstrap'"
        )
