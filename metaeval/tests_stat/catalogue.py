"""The one table of tests over all pairs of systems, and the one call that runs any of them.

A row says everything that commands, studies and pages need to know about a test, so that a new one is a file and a
row. Its function is imported when it is called: the names are free to list. Installed packages add rows by the entry
points ``metaeval.tests`` (`metaeval.tests_stat.installed`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from metaeval.base.plugins import Plugin
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.procedures import Procedure, ProcedureTable

if TYPE_CHECKING:
    from metaeval.table.traits import Trait


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSpec(Procedure):
    """One row of the table of tests: a `Procedure`, and how it is done."""

    __test__: ClassVar[bool] = False  # tells pytest that this is no test of ours

    call: str
    """Module below `metaeval.tests_stat` and its function."""
    method: str = ""
    """The function's ``method=``, where it does several tests."""
    resampled: bool = False
    """Whether it draws: only then does it take `n_resamples`, `rng` and `n_threads`."""
    plain_p: bool = False
    """Whether its p-values are k/B, as published; any other that draws takes `p_value_rule`."""
    family_wise: bool = False
    """Whether it has family-wise p-values of its own."""
    family_wise_only: bool = False
    """Whether it has no others, and so takes no further correction."""
    default_correction: str = "fdr_by"
    """What its function does if nothing is said."""
    one_sided_substitute: str = ""
    """The test to take instead for a one-sided alternative; empty where this one answers that itself."""
    advised: bool = True
    """Whether it tests means and keeps its level: ``benchmarks/reports/type_one_error.md``."""
    uses: "frozenset[Trait]" = frozenset()
    """What it takes into account of `metaeval.table.traits.Trait`; it refuses the rest."""

    @property
    def function(self) -> Callable[..., Any]:
        """Takes scores, then keywords; gives a `PairwiseResult`."""
        module, name = self.call.split(".")
        function: Callable[..., Any] = getattr(import_module(f"metaeval.tests_stat.{module}"), name)
        return partial(function, method=self.method) if self.method else function

    @property
    def own_correction(self) -> str:
        """The correction that leaves its p-values as they are."""
        return FAMILY_WISE if self.family_wise else "none"

    def check_alternative(self, alternative: str) -> None:
        """Refuse a one-sided alternative where the test is two-sided only.

        Examples
        --------
        >>> TESTS["t"].check_alternative("better")
        """
        if self.one_sided_substitute and alternative != "two-sided":
            raise InvalidOptionError(
                f"the test {self.name} is two-sided only; for `alternative={alternative!r}` use another, such as "
                f"{self.one_sided_substitute!r}"
            )


_ALL: "frozenset[Trait]" = frozenset({"clusters", "strata", "weights", "gaps"})
_WHOLE: "frozenset[Trait]" = frozenset({"clusters", "weights"})  # by the sums of clusters
_PAIRWISE: "frozenset[Trait]" = frozenset({"gaps"})

_ROWS = (
    TestSpec(
        name="bootstrap_sensitivity",
        words="bootstrap sensitivity",
        described="the studentised paired bootstrap test, read as in the bootstrap sensitivity method (a pair "
        "differs significantly if its achieved significance level is below α)",  # noqa: RUF001 - a Greek letter for people
        cite=("sakai2006",),
        call="sensitivity.sensitivity_test",
        resampled=True,
        plain_p=True,
        default_correction="none",
        one_sided_substitute="bootstrap",
        synonyms=("sensitivity", "sakai"),
        uses=_ALL,
    ),
    TestSpec(
        name="t",
        words="paired t",
        described="the paired t test",
        cite=("student1908",),
        call="paired_t.paired_t_test",
        synonyms=("ttest", "t_test", "paired_t", "paired_ttest", "paired_t_test", "student", "students_t"),
        uses=_ALL,
    ),
    TestSpec(
        name="wilcoxon",
        words="Wilcoxon signed rank",
        described="the Wilcoxon signed rank test",
        cite=("wilcoxon1945",),
        call="wilcoxon.wilcoxon_test",
        synonyms=("wilcoxon_signed_rank", "wilcoxon_signed_rank_test", "signed_rank"),
        advised=False,
        uses=_PAIRWISE,
    ),
    TestSpec(
        name="sign",
        words="sign",
        described="the sign test",
        cite=("conover1999",),
        call="sign.sign_test",
        synonyms=("sign_test", "mcnemar", "mcnemars", "mcnemar_test", "mcnemars_test"),
        advised=False,
        uses=_PAIRWISE,
    ),
    TestSpec(
        name="randomisation",
        words="randomisation",
        described="the paired randomisation test (random signs of the {topic}s' differences)",
        cite=("fisher1935", "smucker2007"),
        call="randomisation.randomisation_test",
        resampled=True,
        synonyms=(
            *("fisher", "fishers_randomisation", "fishers_randomization", "fisher_randomisation"),
            *("randomization", "randomisation_test", "randomization_test", "permutation", "permutation_test"),
        ),
        uses=_WHOLE | _PAIRWISE,
    ),
    TestSpec(
        name="bootstrap",
        words="bootstrap, studentised",
        described="the studentised paired bootstrap test",
        cite=("sakai2006",),
        call="bootstrap.bootstrap_test",
        resampled=True,
        synonyms=("paired_bootstrap", "bootstrap_test"),
        uses=_ALL,
    ),
    TestSpec(
        name="bootstrap_percentile",
        words="bootstrap, percentile",
        described="the percentile bootstrap test",
        cite=("ogilvie2006",),
        call="bootstrap.bootstrap_test",
        method="percentile",
        resampled=True,
        advised=False,
        uses=_ALL,
    ),
    TestSpec(
        name="bootstrap_shifted",
        words="bootstrap, shifted mean",
        described="the bootstrap test of the shifted mean",
        cite=("efron1993", "smucker2007"),
        call="bootstrap.bootstrap_test",
        method="shifted",
        resampled=True,
        advised=False,
        uses=_ALL,
    ),
    TestSpec(
        name="max_t",
        words="randomised max-t",
        described="the randomised step-down max-t test",
        cite=("westfall1993",),
        call="max_t.max_t_test",
        resampled=True,
        family_wise=True,
        default_correction=FAMILY_WISE,
        synonyms=("maxt", "westfall_young"),
        uses=_WHOLE,
    ),
    TestSpec(
        name="tukey",
        words="randomised Tukey HSD",
        described="the randomised Tukey HSD test, blocked by {topic}",
        cite=("carterette2012",),
        call="tukey.tukey_hsd_test",
        resampled=True,
        family_wise=True,
        family_wise_only=True,
        default_correction=FAMILY_WISE,
        one_sided_substitute="max_t",
        synonyms=("hsd", "tukey_hsd", "randomised_tukey", "randomised_tukey_hsd"),
        uses=_WHOLE,
    ),
    TestSpec(
        name="tukey_parametric",
        words="Tukey HSD, blocked",
        described="Tukey's HSD test, blocked by {topic}",
        cite=("tukey1953", "carterette2012"),
        call="tukey.tukey_hsd_test",
        method="parametric",
        family_wise=True,
        family_wise_only=True,
        default_correction=FAMILY_WISE,
        one_sided_substitute="max_t",
    ),
    TestSpec(
        name="friedman",
        words="Friedman's ranks, exact",
        described="the exact test of two systems' rank sums, each {topic}'s ranks being those among all systems",
        cite=("friedman1937", "eisinga2017"),
        call="friedman.friedman_test",
        synonyms=("friedman_test", "friedmans", "friedman_exact"),
    ),
    TestSpec(
        name="nemenyi",
        words="Nemenyi",
        described="the test of Nemenyi of the mean ranks of all systems over the {topic}s",
        cite=("nemenyi1963", "demsar2006"),
        call="friedman.friedman_test",
        method="nemenyi",
        family_wise=True,
        family_wise_only=True,
        default_correction=FAMILY_WISE,
        one_sided_substitute="friedman",
        synonyms=("nemenyi_test", "friedman_nemenyi"),
    ),
)

MCNEMAR = Procedure(
    name="mcnemar",
    words="McNemar's",
    described="McNemar's test, which the sign test is on scores of 0 and 1",
    cite=("mcnemar1947",),
)
"""What the sign test is called where every score is 0 or 1."""


def _of_plugin(_: Plugin, called: Procedure) -> TestSpec:
    """Return the row of a test that an installed package brings; it is loaded when it is called."""
    return TestSpec(
        name=called.name,
        words=called.words,
        described=called.described,
        call="installed.installed_test",
        method=called.name,
        advised=False,  # nobody has measured it here
        uses=_PAIRWISE,
    )


_OF_SAMPLES = {
    "t": (
        *("ttest_ind", "independent_t", "independent_t_test", "two_sample_t", "two_sample_t_test", "unpaired_t"),
        *("unpaired_t_test", "welch", "welchs", "welch_t", "welch_t_test", "welchs_t_test", "students_t_test_ind"),
    ),
    "wilcoxon": (
        *("mannwhitneyu", "mann_whitney", "mann_whitney_u", "mannwhitney", "ranksums", "rank_sum", "wilcoxon_rank_sum"),
        *("brunnermunzel", "ks_2samp"),
    ),
    "tukey": ("anova", "f_oneway", "one_way_anova", "alexandergovern"),
    "friedman": ("kruskal", "kruskal_wallis"),
}
"""Tests of independent samples, by the test of scores on the same topics that is nearest."""


TESTS = ProcedureTable(
    "test",
    _ROWS,
    unfit={test: row for row, tests in _OF_SAMPLES.items() for test in tests},
    made=_of_plugin,
)
"""Name to `TestSpec`, in the order of tables and help; those of installed packages last."""


def ways_out() -> "dict[Trait, str]":
    """Say for everything that topics may bring which tests take it into account.

    Examples
    --------
    >>> ways_out()["gaps"].split(", ")[:3]
    ["`test='t'` (or wilcoxon", 'sign', 'randomisation']
    """
    ways: dict[Trait, str] = {}
    for trait in ("gaps", "clusters", "strata", "weights"):
        # the default of no other choice comes last: most who ask for a plain test want another one
        first, *others = sorted(
            (procedure for procedure in TESTS.builtin.values() if trait in procedure.uses),
            key=lambda procedure: procedure.plain_p,
        )
        ways[trait] = f"`test={first.name!r}` (or {', '.join(procedure.name for procedure in others)})"
    return ways
