import subprocess
import sys
import warnings

import numpy as np
import pytest
from every import PAIRS, data
from scipy.stats import binomtest

from metaeval.base.bibliography import publications
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.randomisation import randomisation_test
from metaeval.tests_stat.result import UnreachableLevelWarning

NORMAL = {"wilcoxon", "nemenyi"}
"""Tests whose p-value of thirty equal signs is not exact."""
SCORES = np.random.default_rng(0).random((4, 12)) + np.linspace(0, 0.4, 4)[:, None]


def test_names_are_in_teaching_order():
    """The table is the list that users see."""
    assert list(TESTS) == [
        "bootstrap_sensitivity",
        "t",
        "wilcoxon",
        "sign",
        "randomisation",
        "bootstrap",
        "bootstrap_percentile",
        "bootstrap_shifted",
        "max_t",
        "tukey",
        "tukey_parametric",
        "friedman",
        "nemenyi",
    ]


@pytest.mark.parametrize("spec", TESTS.values(), ids=list(TESTS))
def test_every_row_tells_the_truth(spec):
    """A result carries the row's name; draws and family-wise p-values are where the row says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableLevelWarning)  # few resamples are enough here
        result = compare_systems(SCORES, test=spec.name, n_resamples=200, rng=3)
    assert result.test == spec.name
    assert result.n_resamples == (200 if spec.resampled else None)
    assert result.random_source == ("seed 3" if spec.resampled else None)
    assert ("p_family_wise" in result.data) == spec.family_wise
    assert result.correction == spec.default_correction
    assert (spec.default_correction == FAMILY_WISE) == spec.family_wise
    assert result.family_wise_only == spec.family_wise_only
    assert result.data["p_value"].shape == (1, 6)


@pytest.mark.parametrize("spec", [spec for spec in TESTS.values() if spec.resampled], ids=lambda spec: spec.name)
def test_same_seed_same_answer(spec):
    """A seed repeats a result to the byte; a resampled p-value names its smallest possible value."""
    options = {"test": spec.name, "n_resamples": 50, "correction": spec.own_correction}
    runs = [compare_systems(SCORES, rng=rng, **options) for rng in (1, 1, np.random.default_rng(1))]
    for other in runs[1:]:
        assert other.data["p_value"].to_numpy().tobytes() == runs[0].data["p_value"].to_numpy().tobytes()
    smallest = runs[0].details["smallest_p"]
    assert (smallest > 0) != spec.plain_p
    assert smallest <= runs[0].data["p_value"].min()


@pytest.mark.parametrize("spec", TESTS.values(), ids=list(TESTS))
def test_equal_systems_are_never_told_apart(spec):
    """Two equal systems have p = 1 under every test; equal scores everywhere are no error."""
    equal = np.vstack([SCORES, SCORES[:1]])
    options = {"test": spec.name, "n_resamples": 99, "rng": 0, "correction": spec.own_correction}
    assert compare_systems(equal, **options).data["p_value"][0, 3].item() == 1.0
    assert (compare_systems(np.full((3, 6), 0.2), **options).data["p_value"] == 1).all()


@pytest.mark.parametrize("spec", TESTS.values(), ids=list(TESTS))
def test_a_constant_difference_is_as_significant_as_can_be(spec):
    """Signs are all that is left to tell by: 30 of 30; resampled tests give their smallest p."""
    topics = np.random.default_rng(0).random(30)
    result = compare_systems(np.array([topics + 1, topics]), test=spec.name, n_resamples=199, rng=0)
    p_value = result.data["p_value"].item()
    if spec.resampled:
        assert p_value == result.details["smallest_p"]
    else:
        assert p_value == pytest.approx(2 / 2**30, rel=1e-12) if spec.name not in NORMAL else 0 < p_value < 1e-6


def test_dashes_count_as_underscores():
    """Names may be typed as command lines spell them."""
    assert TESTS.find("bootstrap-percentile") is TESTS["bootstrap_percentile"]


def test_unknown_name_lists_the_nearest():
    """The message helps with a misspelling, lists the first names and counts the others; the error holds all."""
    with pytest.raises(UnknownNameError, match=r"no test 'wilcoxn'; did you mean 'wilcoxon'\? Known: ") as raised:
        compare_systems(SCORES, test="wilcoxn")
    first = list(TESTS)[:5]
    assert str(raised.value).endswith(f"Known: {', '.join(first)} and {len(TESTS) - len(first)} more")
    assert raised.value.known == tuple(TESTS)


def test_options_reach_the_test():
    """What is asked by name is what the function gives."""
    options = {
        "alternative": "better",
        "correction": "holm",
        "alpha": 0.1,
        "baseline": "system2",
        "n_resamples": 77,
        "p_value_rule": "plain",
        "rng": 5,
        "n_threads": 1,
    }
    by_name, direct = compare_systems(SCORES, test="randomisation", **options), randomisation_test(SCORES, **options)
    assert by_name.signature == direct.signature
    assert by_name.data.identical(direct.data)


def test_number_of_resamples_is_the_tests_own_by_default():
    """Nothing said, nothing changed."""
    assert compare_systems(SCORES, test="bootstrap", rng=0).n_resamples == 1000


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ttest", "t"),
        ("t-test", "t"),
        ("Paired-T", "t"),
        ("paired t test", "t"),
        ("fisher", "randomisation"),
        ("Fisher's randomization", "randomisation"),
        ("permutation", "randomisation"),
        ("wilcoxon signed-rank", "wilcoxon"),
        ("Wilcoxon", "wilcoxon"),
        ("sign-test", "sign"),
        ("McNemar's test", "sign"),
        ("mcnemar", "sign"),
        ("Tukey HSD", "tukey"),
        ("MAX-T", "max_t"),
    ],
)
def test_names_of_the_field_are_understood(written, meant):
    """However a paper spells a test, and in whatever case, it is found, and the result says the one name."""
    assert TESTS.find(written).name == meant
    scores = np.greater(SCORES, 0.7) if "nemar" in written.casefold() else SCORES
    assert compare_systems(scores, test=written, rng=0).test == compare_systems(scores, test=meant, rng=0).test


def test_synonyms_lead_to_names_and_hide_none():
    """Every name is its own canonical form, and no synonym is the name or a synonym of another test."""
    for name in TESTS:
        assert TESTS.canonical(name) == name
    synonyms = [synonym for spec in TESTS.values() for synonym in spec.synonyms]
    assert len({*synonyms, *TESTS}) == len(synonyms) + len(TESTS)


@pytest.mark.parametrize("spec", TESTS.values(), ids=list(TESTS))
def test_every_row_can_be_written_about(spec):
    """A test has a label, a phrase that fits "with …", a source, and names that no other test has."""
    assert spec.label[0].isupper()
    assert spec.label.casefold() == spec.words.casefold()
    assert spec.described.startswith(("the ", "Tukey's"))
    assert spec.cite
    assert publications(spec.cite)
    assert all(TESTS.canonical(synonym) == spec.name for synonym in spec.synonyms)
    assert spec.one_sided_substitute == "" or not TESTS[spec.one_sided_substitute].one_sided_substitute


@pytest.mark.parametrize("spec", TESTS.values(), ids=list(TESTS))
def test_the_table_knows_which_tests_are_two_sided_only(spec):
    """Where a row names another test for one-sided questions, the test refuses them; elsewhere it takes them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableLevelWarning)
        if spec.one_sided_substitute:
            with pytest.raises(InvalidOptionError, match="two-sided"):
                compare_systems(SCORES, test=spec.name, alternative="better", n_resamples=99, rng=0)
        else:
            compare_systems(SCORES, test=spec.name, alternative="better", n_resamples=99, rng=0)


def test_a_test_is_imported_when_it_is_called():
    """The names stand in help texts, which must not wait for compiled code."""
    code = "import sys, metaeval.tests_stat.catalogue; print('numba' in sys.modules, 'scipy' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "False False\n"


@pytest.mark.filterwarnings("ignore::metaeval.tests_stat.result.UnreachableLevelWarning")
@pytest.mark.parametrize("test", [one for one in TESTS.values() if one.resampled], ids=lambda one: one.name)
def test_exchanged_systems_exchange_the_sides(test):
    """With rows backwards greater is less and less greater; what two systems are called is nothing to the test."""
    whole = data("scores").sel(metric=["AP"])
    two = whole.isel(system=[0, 1])
    backwards = whole.isel(system=slice(None, None, -1))
    exchanged = two.assign_coords(system=two["system"].to_numpy()[::-1])
    asked = {"test": test.name, "n_resamples": 200, "rng": 5}
    for side, opposite in [("two-sided", "two-sided"), ("greater", "less")][: 1 if test.one_sided_substitute else 2]:
        for here, there, other_side in ((whole, backwards, opposite), (two, exchanged, side)):
            for correction in {"none" if test.family_wise and not test.family_wise_only else test.own_correction, None}:
                expected = PAIRS(compare_systems(here, alternative=side, correction=correction, **asked))
                found = PAIRS(compare_systems(there, alternative=other_side, correction=correction, **asked))
                for figure, value in expected.items():
                    np.testing.assert_allclose(found[figure], value, rtol=1e-12, err_msg=f"{figure}, {side}")


@pytest.mark.parametrize(
    ("asked", "instead"),
    [("ttest_ind", "t"), ("Mann-Whitney U", "wilcoxon"), ("f_oneway", "tukey"), ("Kruskal", "friedman")],
)
def test_tests_of_independent_samples_are_refused_with_the_paired_one(asked, instead):
    """Scores on the same topics are paired: no near name of another kind is guessed."""
    with pytest.raises(InvalidOptionError, match=f"for independent samples: .* are paired; use `test='{instead}'`"):
        compare_systems([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], test=asked)


def test_mcnemar_is_of_zeros_and_ones():
    """Of other scores it would be a sign test under the wrong name; of these it is SciPy's exact binomial."""
    with pytest.raises(InvalidOptionError, match=r"cannot be McNemar's, .*`test='sign'`"):
        compare_systems([[0.3, 0.5, 0.9, 0.8], [0.2, 0.3, 0.6, 0.1]], test="McNemar's test")
    found = compare_systems([[1, 1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1, 1]], test="mcnemar")
    assert found.data["p_value"].item() == pytest.approx(binomtest(5, 6).pvalue, rel=1e-12)
