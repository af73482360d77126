"""Every test over all pairs of systems by name, and the one call that runs any of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import ClassVar

from metaeval.draws import RNGLike
from metaeval.errors import UnknownNameError
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.correction import plain_name
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.randomisation import randomisation_test
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sign import sign_test
from metaeval.tests_stat.tukey import tukey_hsd_test
from metaeval.tests_stat.wilcoxon import wilcoxon_test

__all__ = ["TESTS", "TestSpec", "canonical_test", "compare_systems", "find_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSpec:
    """One row of the table of tests.

    Attributes
    ----------
    name : str
        What a user types, and what `PairwiseResult.test` says.
    title : str
        What a report prints.
    function : callable
        Takes scores, then keywords; gives a `PairwiseResult`.
    resampled : bool
        Whether it draws: only then does it take `n_resamples`, `p_value_rule`, `rng` and `n_threads`.
    family_wise : bool
        Whether it has family-wise p-values of its own, which are then its default correction.
    reference : str
        Where the test is described.
    """

    __test__: ClassVar[bool] = False  # tells pytest that this is no test of ours

    name: str
    title: str
    function: Callable[..., PairwiseResult]
    resampled: bool
    family_wise: bool
    reference: str


_ROWS = (
    TestSpec(
        name="t",
        title="paired t test",
        function=paired_t_test,
        resampled=False,
        family_wise=False,
        reference="Student (1908), Biometrika 6, 1-25",
    ),
    TestSpec(
        name="wilcoxon",
        title="Wilcoxon signed-rank test",
        function=wilcoxon_test,
        resampled=False,
        family_wise=False,
        reference="Wilcoxon (1945), Biometrics Bulletin 1, 80-83",
    ),
    TestSpec(
        name="sign",
        title="sign test",
        function=sign_test,
        resampled=False,
        family_wise=False,
        reference="Conover (1999), Practical Nonparametric Statistics, section 3.4",
    ),
    TestSpec(
        name="randomisation",
        title="Fisher's randomisation test",
        function=randomisation_test,
        resampled=True,
        family_wise=False,
        reference="Smucker, Allan and Carterette (2007), CIKM, 623-632",
    ),
    TestSpec(
        name="bootstrap",
        title="paired bootstrap test, studentised",
        function=bootstrap_test,
        resampled=True,
        family_wise=False,
        reference="Sakai (2006), SIGIR, 525-532",
    ),
    TestSpec(
        name="bootstrap_percentile",
        title="bootstrap test, percentile",
        function=partial(bootstrap_test, method="percentile"),
        resampled=True,
        family_wise=False,
        reference="Ogilvie and Lalmas (2006), CIKM, section 3.3",
    ),
    TestSpec(
        name="bootstrap_shifted",
        title="bootstrap test, shifted mean",
        function=partial(bootstrap_test, method="shifted"),
        resampled=True,
        family_wise=False,
        reference="Smucker, Allan and Carterette (2007), CIKM, 623-632",
    ),
    TestSpec(
        name="max_t",
        title="randomised max-t test, step-down",
        function=max_t_test,
        resampled=True,
        family_wise=True,
        reference="Westfall and Young (1993), Resampling-Based Multiple Testing",
    ),
    TestSpec(
        name="tukey",
        title="randomised Tukey HSD test",
        function=tukey_hsd_test,
        resampled=True,
        family_wise=True,
        reference="Carterette (2012), ACM TOIS 30(1), article 4",
    ),
    TestSpec(
        name="tukey_parametric",
        title="Tukey HSD test, blocked by topic",
        function=partial(tukey_hsd_test, method="parametric"),
        resampled=False,
        family_wise=True,
        reference="Tukey (1953), The Problem of Multiple Comparisons",
    ),
)

TESTS = MappingProxyType({row.name: row for row in _ROWS})
"""Name to `TestSpec`, in teaching order."""

_SYNONYMS = MappingProxyType(
    {
        **dict.fromkeys(("ttest", "t_test", "paired_t", "paired_ttest", "paired_t_test", "student", "students_t"), "t"),
        **dict.fromkeys(("wilcoxon_signed_rank", "wilcoxon_signed_rank_test", "signed_rank"), "wilcoxon"),
        "sign_test": "sign",
        **dict.fromkeys(("fisher", "fishers_randomisation", "fishers_randomization"), "randomisation"),
        **dict.fromkeys(("randomization", "randomisation_test", "randomization_test"), "randomisation"),
        **dict.fromkeys(("permutation", "permutation_test", "fisher_randomisation"), "randomisation"),
        **dict.fromkeys(("paired_bootstrap", "bootstrap_test"), "bootstrap"),
        **dict.fromkeys(("maxt", "westfall_young"), "max_t"),
        **dict.fromkeys(("hsd", "tukey_hsd", "randomised_tukey", "randomised_tukey_hsd"), "tukey"),
        **dict.fromkeys(("sensitivity", "sakai"), "bootstrap_sensitivity"),  # for those who know that method
    }
)
"""What else the field calls a test, as `plain_name` writes it."""


def canonical_test(name: str) -> str:
    """Return the name of a test as the table has it, however the field spells it; an unknown one in plain letters.

    Examples
    --------
    >>> canonical_test("Paired t-test"), canonical_test("fisher"), canonical_test("Wilcoxon signed-rank")
    ('t', 'randomisation', 'wilcoxon')
    """
    return plain_name(str(name), _SYNONYMS)


def find_test(name: str) -> TestSpec:
    """Return the test of that name, or of another that the field has for it (`canonical_test`).

    Raises
    ------
    UnknownNameError
        If there is none; the message lists the nearest names.

    Examples
    --------
    >>> find_test("max-t").title
    'randomised max-t test, step-down'
    """
    row = TESTS.get(canonical_test(name))
    if row is None:
        raise UnknownNameError("test", name, TESTS)
    return row


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
    """Decide which systems differ, by the test of that name.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    test : str, default "t"
        A name in `TESTS` or another that the field has for it, such as "ttest" or "fisher". To set what only one
        test knows (Wilcoxon's zeros, say), call that test's own function.
    alternative : {"two-sided", "greater", "less", "better"}
        See `metaeval.tests_stat.pairs.ask`.
    correction : str, optional
        See `metaeval.tests_stat.correction.adjust`; by default the test's own: "family-wise" where it has such
        p-values, Benjamini and Yekutieli's "fdr_by" elsewhere.
    alpha : float, default 0.05
        Significance level.
    baseline : str, optional
        Compare with this system only.
    n_resamples : int, optional
        For tests that resample; by default the test's own number.
    p_value_rule, rng, n_threads
        For tests that resample; the others draw nothing.

    Returns
    -------
    PairwiseResult

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule; `UnknownNameError` for an unknown name.

    Examples
    --------
    >>> result = compare_systems([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], test="sign")
    >>> result.signature
    'sign|two-sided|fdr_by|alpha=0.05'
    """
    spec = find_test(test)
    options: dict[str, object] = {"alternative": alternative, "alpha": alpha, "baseline": baseline}
    if correction is not None:
        options["correction"] = correction
    if spec.resampled:
        options |= {"p_value_rule": p_value_rule, "rng": rng, "n_threads": n_threads}
        if n_resamples is not None:
            options["n_resamples"] = n_resamples
    return spec.function(scores, **options)
