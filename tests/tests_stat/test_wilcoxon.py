import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat.wilcoxon import wilcoxon_test


def population(kind, n_topics, *, n_systems=3):
    """Scores without ties, in tenths (ties that rounding breaks), and in whole numbers (many ties and zeros)."""
    rng = np.random.default_rng(n_topics)
    shape = (n_systems, n_topics)
    return {
        "continuous": rng.random(shape),
        "tenths": rng.integers(0, 6, shape) / 10,
        "whole": rng.integers(0, 4, shape),
    }[kind].astype(float)


def p_value(x, y, **options):
    return wilcoxon_test(np.array([x, y], dtype=float), correction="none", **options).data["p_value"].item()


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_equal_to_scipy_on_every_pair(zero_method, method, alternative):
    """Every p-value is SciPy's, with ties and zeros and without, on either side of SciPy's limits for "auto".

    On scores in tenths it is what SciPy says of the hits, and with ties="float" what SciPy says of the tenths.
    """
    for kind, n_topics, continuity in itertools.product(["continuous", "tenths", "whole"], [13, 14, 51], [False, True]):
        values = population(kind, n_topics)
        options = {"zero_method": zero_method, "alternative": alternative, "method": method}
        forms = {"float": values, "paper": (values * 10).round() if kind == "tenths" else values}
        expected = {}
        for ties, to_scipy in forms.items():
            if ties == "float" or kind == "tenths":  # elsewhere it is the same question, and SciPy takes long over ties
                expected[ties] = [
                    scipy.stats.wilcoxon(a, b, correction=continuity, **options).pvalue
                    for a, b in itertools.combinations(to_scipy, 2)
                ]
            result = wilcoxon_test(values, ties=ties, continuity=continuity, correction="none", **options)
            np.testing.assert_allclose(
                result.data["p_value"][0], expected.get(ties, expected["float"]), rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_statistic_is_the_signed_rank_sum(zero_method):
    """R+ - R- from SciPy's R+ of the two directions."""
    values = population("whole", 20)
    result = wilcoxon_test(values, zero_method=zero_method)
    options = {"zero_method": zero_method, "method": "asymptotic", "alternative": "greater"}
    for place, (a, b) in enumerate(itertools.combinations(values, 2)):
        expected = scipy.stats.wilcoxon(a, b, **options).statistic - scipy.stats.wilcoxon(b, a, **options).statistic
        assert result.data["statistic"][0, place].item() == pytest.approx(expected)


@settings(max_examples=15)  # every example is six whole tests
@given(
    arrays(np.int64, st.tuples(st.just(2), st.integers(2, 20)), elements=st.integers(0, 6)),
    st.sampled_from(["wilcox", "pratt", "zsplit"]),
    st.sampled_from(["auto", "asymptotic"]),
)
def test_swapping_two_systems_swaps_the_tails(values, zero_method, method):
    """The statistic changes its sign, "greater" becomes "less", and the two-sided p-value stays."""
    x, y = values
    options = {"zero_method": zero_method, "method": method}
    assert p_value(x, y, alternative="greater", **options) == pytest.approx(
        p_value(y, x, alternative="less", **options), abs=1e-14
    )
    assert p_value(x, y, **options) == pytest.approx(p_value(y, x, **options), abs=1e-14)
    forth, back = (
        wilcoxon_test(pair.astype(float), **options).data["statistic"].item() for pair in (values, values[::-1])
    )
    assert forth == -back


def test_ties_are_those_on_paper_unless_asked_for_those_in_floating_point():
    """0.3 - 0.2 and 0.2 - 0.1 are one size, as in whole numbers; for SciPy, and on request, they are two."""
    x, y = np.array([3.0, 2.0, 5.0, 1.0]), np.array([2.0, 1.0, 1.0, 4.0])
    assert 0.3 - 0.2 != 0.2 - 0.1
    whole, tenths, floats = (
        p_value(x / by, y / by, method="asymptotic", ties=ties)
        for by, ties in ((1, "paper"), (10, "paper"), (10, "float"))
    )
    assert whole == tenths == scipy.stats.wilcoxon(x, y, method="asymptotic").pvalue
    assert floats == scipy.stats.wilcoxon(x / 10, y / 10, method="asymptotic").pvalue
    assert whole != floats
    details = [wilcoxon_test([x, y], ties=ties).details["ties"] for ties in ("paper", "float")]
    assert details == ["paper", "float"]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
@pytest.mark.parametrize("n_topics", [5, 40])
def test_equal_systems_have_p_1(n_topics, method, zero_method, alternative):
    """Where SciPy has NaN there is a plain answer."""
    options = {"method": method, "zero_method": zero_method, "alternative": alternative}
    assert p_value(np.ones(n_topics), np.ones(n_topics), **options) == 1.0


def test_lower_is_better_turns_the_alternative():
    """The question "greater" is whether the first system is better, whatever the direction of the metric."""
    values = np.array([[1.0, 2.0, 3.0, 4.0, 6.0], [2.0, 4.0, 6.0, 8.0, 11.0]])
    result = wilcoxon_test(
        as_scores(values, higher_is_better=False), alternative="greater", correction="none", method="exact"
    )
    assert result.data["p_value"].item() == 1 / 32
    assert result.data["statistic"].item() == -15
    assert result.data["better"].item() == 1


def test_which_method_each_pair_took_is_said():
    """The method "auto" chooses for each pair, and the details count the choices for every metric."""
    values = np.array([[1.0, 2.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    details = wilcoxon_test(np.stack([values, values])).details
    assert details["pairs_by_method"] == [{"exact": 2, "enumerated": 1, "asymptotic": 0}] * 2
    assert wilcoxon_test(values, method="exact").details["pairs_by_method"] == [{"exact": 3}]


def test_published_p_values(data_folder):
    """The two p-values printed beside the TREC-8 scores: normal form, continuity correction, ties of floats."""
    folder = data_folder / "trec-matrices"
    published = json.loads((folder / "published" / "published.json").read_text())["adhoc8_ap.csv"]["wilcoxon"]
    scores = pd.read_csv(folder / "adhoc8_ap.csv").to_numpy().T[[124, 125]]
    options = {"method": "asymptotic", "continuity": True, "ties": "float"}
    found = [p_value(*scores, alternative=side, **options) for side in ("less", "two-sided")]
    np.testing.assert_allclose(found, published, atol=5e-10)


def test_power_on_trec_8(data_folder):
    """Share of the 8256 pairs found, in whole pairs, as SciPy's p-values and Benjamini-Yekutieli give it.

    With ties on paper it is SciPy's share for the same scores in ten-thousandths, in which AP is printed.
    """
    scores = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv").to_numpy().T
    whole = wilcoxon_test((scores * 10_000).round(), correction="none", ties="float")
    np.testing.assert_allclose(wilcoxon_test(scores, correction="none").data["p_value"], whole.data["p_value"], 1e-12)
    result = wilcoxon_test(scores, correction="none", ties="float")
    assert result.discriminative_power()["power"].item() == pytest.approx(0.733, abs=5e-4)
    assert result.with_correction("fdr_by").discriminative_power()["power"].item() == pytest.approx(0.598, abs=5e-4)
    normal = wilcoxon_test(scores, method="asymptotic", ties="float")
    assert normal.discriminative_power()["power"].item() == pytest.approx(0.591, abs=5e-4)


@pytest.mark.parametrize(("option", "value"), [("zero_method", "drop"), ("method", "normal"), ("alternative", "more")])
def test_unknown_names_are_refused(option, value):
    """The message lists what would have worked."""
    with pytest.raises(UnknownNameError, match=f"no {option} '{value}'"):
        wilcoxon_test(np.eye(2), **{option: value})


def test_unknown_reading_of_ties():
    """The two readings are listed."""
    with pytest.raises(UnknownNameError, match=r"no reading of ties 'scipy'.*paper, float"):
        wilcoxon_test(np.eye(2), ties="scipy")


def test_exact_distribution_has_a_limit():
    """A table for a thousand topics is the largest that is built; the message names the way out."""
    with pytest.raises(InvalidOptionError, match="up to 1000 topics, not 1001; use `method='asymptotic'`"):
        wilcoxon_test(np.random.default_rng(0).random((2, 1001)), method="exact")


@pytest.mark.parametrize("n_topics", [9, 30, 70])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("rounded", [False, True])
def test_with_gaps_every_pair_is_ranked_on_what_it_has_in_common(n_topics, zero_method, rounded):
    """Every way to the p-value (exact, enumerated, normal) is that of the pair's common topics alone."""
    generator = np.random.default_rng(n_topics)
    values = generator.integers(0, 5, (4, n_topics)) / 10 if rounded else generator.random((4, n_topics))
    values[generator.random(values.shape) < 0.2] = np.nan
    options = {"zero_method": zero_method, "correction": "none", "alternative": "better"}
    data = wilcoxon_test(as_scores(values, missing="pairwise"), **options).data
    for place, (a, b) in enumerate(itertools.combinations(values, 2)):
        both = np.isfinite(a - b)
        alone = wilcoxon_test(np.stack([a, b])[:, both], **options).data
        assert data["statistic"][0, place].item() == alone["statistic"].item()
        assert data["p_value"][0, place].item() == pytest.approx(alone["p_value"].item(), rel=1e-12)
