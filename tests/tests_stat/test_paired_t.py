import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.tests_stat.paired_t import _numpy_statistics, _statistics, paired_t_test


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_equal_to_scipy_on_every_pair(alternative):
    """Statistic and p-value are those of ``ttest_rel``, for several metrics at once."""
    values = np.random.default_rng(1).random((3, 6, 17))
    data = paired_t_test(values, alternative=alternative, correction="none").data
    for metric, pairs in enumerate(values):
        for place, (a, b) in enumerate(itertools.combinations(pairs, 2)):
            expected = scipy.stats.ttest_rel(a, b, alternative=alternative)
            assert data["statistic"][metric, place].item() == pytest.approx(expected.statistic, abs=1e-12)
            assert data["p_value"][metric, place].item() == pytest.approx(expected.pvalue, abs=1e-12)


def literal_t(x, y):
    """Follow the formula, one topic at a time."""
    differences = [a - b for a, b in zip(x, y, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    return mean / (variance / n) ** 0.5


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(2, 30), st.floats(0.01, 100))
def test_the_statistic_follows_its_formula_and_its_laws(seed, n_topics, factor):
    """It equals the formula, does not know the unit of the scores, and changes its sign with the order."""
    values = np.random.default_rng(seed).random((2, n_topics))
    t, scaled, swapped = (
        paired_t_test(scores).data["statistic"].item() for scores in (values, values * factor, values[::-1])
    )
    assert t == pytest.approx(literal_t(*values), rel=1e-9)
    assert scaled == pytest.approx(t, rel=1e-9)
    assert swapped == pytest.approx(-t, rel=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_equal_systems_have_p_1(alternative):
    """Nothing speaks against systems that are equal up to rounding, on either side; SciPy has NaN."""
    values = np.array([[0.1 + 0.2, 0.7, 0.1], [0.3, 0.7, 0.1]])
    assert values[0, 0] != values[1, 0]
    data = paired_t_test(values, alternative=alternative, correction="none").data
    assert data["p_value"].item() == 1
    assert data["statistic"].item() == 0


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_systems_equal_on_average_only_have_one_sided_p_one_half(alternative):
    """Equal means with different scores are the middle of Student's distribution."""
    data = paired_t_test([[1, 2, 3, 4], [4, 3, 2, 1]], alternative=alternative, correction="none").data
    assert data["p_value"].item() == 0.5


def test_constant_difference_tells_signs():
    """No spread and a difference: t is infinite, p that of three equal signs on the right side, 1 on the other."""
    topics = np.array([0.1, 0.5, 0.7])
    values = np.array([topics, topics + 0.1])
    expected = {"two-sided": 0.25, "greater": 1.0, "less": 0.125, "better": 0.125}
    for alternative, p_value in expected.items():
        data = paired_t_test(values, alternative=alternative, correction="none").data
        assert data["statistic"].item() == -np.inf
        assert data["p_value"].item() == p_value


def test_lower_is_better_turns_the_alternative():
    """A lower error is better: "greater" asks whether the first system is better, the statistic stays raw."""
    values = np.array([[0.1, 0.2, 0.15, 0.3], [0.4, 0.45, 0.5, 0.7]])
    data = paired_t_test(as_scores(values, higher_is_better=False), alternative="greater", correction="none").data
    assert data["p_value"].item() == pytest.approx(scipy.stats.ttest_rel(*values, alternative="less").pvalue)
    assert data["statistic"].item() < 0 < data["better"].item()


def test_published_p_values(data_folder):
    """The two p-values printed beside the TREC-8 scores."""
    folder = data_folder / "trec-matrices"
    published = json.loads((folder / "published" / "published.json").read_text())["adhoc8_ap.csv"]["t_test"]
    scores = pd.read_csv(folder / "adhoc8_ap.csv").to_numpy().T[[124, 125]]
    found = [
        paired_t_test(scores, alternative=side, correction="none").data["p_value"].item()
        for side in ("less", "two-sided")
    ]
    np.testing.assert_allclose(found, published, atol=5e-11)


@pytest.mark.parametrize(
    ("correction", "power"), [("none", 0.724), ("fdr_by", 0.579), ("holm", 0.374), ("bonferroni", 0.361)]
)
def test_power_on_trec_8(correction, power, data_folder):
    """Share of the 8256 pairs found under each correction."""
    scores = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv").to_numpy().T
    found = paired_t_test(scores, correction=correction).discriminative_power()["power"].item()
    assert found == pytest.approx(power, abs=6e-4)


@pytest.mark.parametrize(("n_systems", "n_topics"), [(2, 2), (5, 3), (24, 50), (40, 211)])
@pytest.mark.parametrize("tenths", [False, True])
def test_t_is_the_same_with_and_without_compiled_code(n_systems, n_topics, tenths):
    """To the last bit, with systems that are equal, or apart by a constant, or by a sum of 0."""
    rng = np.random.default_rng(n_topics)
    values = rng.integers(0, 4, (n_systems, n_topics)) / 10 if tenths else rng.random((n_systems, n_topics))
    values[1] = values[0] + 0.1
    values[-1] = values[0]
    values[n_systems // 2] = values[0][::-1]
    first, second = np.triu_indices(n_systems, 1)
    size = np.abs(values).sum(axis=1)
    asked = values, first, second, 1e-12 * (size[first] + size[second])
    compiled, plain = _statistics(*asked), _numpy_statistics(*asked)
    assert compiled.view(np.int64).tolist() == plain.view(np.int64).tolist()
