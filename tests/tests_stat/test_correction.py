import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from metaeval.base.bibliography import publications
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust, smallest_useful_count

pytestmark = pytest.mark.usefixtures("garbage_stays")

P_VALUES = arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1))


def literal_rejections(p_values, correction, alpha):
    """Reject by the definition of each procedure, one hypothesis at a time."""
    m = len(p_values)
    ranked = sorted(range(m), key=lambda place: p_values[place])
    rejected = set()
    if correction == "none":
        rejected = {place for place in ranked if p_values[place] <= alpha}
    elif correction == "bonferroni":
        rejected = {place for place in ranked if p_values[place] * m <= alpha}
    elif correction in {"holm", "shaffer"}:  # which is Holm's but of all pairs
        for rank, place in enumerate(ranked):
            if p_values[place] * (m - rank) > alpha:
                break
            rejected.add(place)
    else:
        harmonic = sum(1 / j for j in range(1, m + 1)) if correction == "fdr_by" else 1
        last = max((i for i in range(1, m + 1) if p_values[ranked[i - 1]] <= i * alpha / (m * harmonic)), default=0)
        rejected = set(ranked[:last])
    return rejected


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=20)
@given(p_values=P_VALUES, alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_adjusted_p_values_reject_what_the_definition_rejects(correction, p_values, alpha):
    """Adjusted p at most alpha, and the procedure carried out at alpha, are one decision."""
    adjusted = adjust(p_values, correction)
    near = np.abs(adjusted - alpha) < 1e-12  # where rounding decides, either answer is right
    found = {place for place in range(len(p_values)) if adjusted[place] <= alpha and not near[place]}
    expected = {place for place in literal_rejections(p_values, correction, alpha) if not near[place]}
    assert found == expected


@pytest.mark.parametrize("correction", CORRECTIONS)
@settings(max_examples=20)
@given(p_values=P_VALUES)
def test_adjusting_keeps_the_order_and_never_lowers(correction, p_values):
    """Adjusted p-values are no smaller, at most 1, and in the same order."""
    adjusted = adjust(p_values, correction)
    assert (adjusted >= p_values - 1e-15).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values, kind="stable")]) >= -1e-15).all()


@pytest.mark.parametrize("correction", [name for name in CORRECTIONS if name not in {"none", "shaffer"}])
@settings(max_examples=30)
@given(p_values=arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1) | st.sampled_from([0, 0.01, 0.05, 1])))
def test_adjusted_p_values_are_those_of_statsmodels_and_scipy(correction, p_values):
    """`multipletests` knows every correction by our name, SciPy the two false discovery rates; ties included."""
    adjusted = adjust(p_values, correction)
    np.testing.assert_allclose(adjusted, multipletests(p_values, method=correction)[1], rtol=3e-15, atol=1e-300)
    if correction.startswith("fdr"):
        theirs = false_discovery_control(p_values, method=correction.removeprefix("fdr_"))
        np.testing.assert_allclose(adjusted, theirs, rtol=3e-15, atol=1e-300)


def test_every_metric_is_a_family_of_its_own():
    """Rows are adjusted apart; nothing is changed in place."""
    p_values = np.array([[0.01, 0.04, 0.9], [0.5, 0.5, 0.5]])
    before = p_values.copy()
    for correction in CORRECTIONS:
        adjusted = adjust(p_values, correction)
        np.testing.assert_array_equal(adjusted[0], adjust(p_values[0], correction))
        np.testing.assert_array_equal(adjusted[1], adjust(p_values[1], correction))
    np.testing.assert_array_equal(p_values, before)


def test_no_hypotheses_need_no_adjustment():
    """An empty family stays empty."""
    assert adjust(np.empty((2, 0)), "fdr_by").shape == (2, 0)


def test_unknown_correction():
    """The message names the nearest and counts every correction, the tests' own included."""
    with pytest.raises(UnknownNameError, match=r"no correction 'bonferoni'; did you mean 'bonferroni'") as raised:
        adjust(np.array([0.1]), "bonferoni")
    assert str(raised.value).endswith(f" and {len(CORRECTIONS) - 4} more")  # five are named
    assert raised.value.known == (*CORRECTIONS, FAMILY_WISE)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize(
    ("n_resamples", "m", "alpha"), [(19, 6, 0.05), (99, 40, 0.05), (999, 200, 0.01), (10, 5, 0.05)]
)
def test_smallest_useful_count_is_where_rejection_starts(correction, n_resamples, m, alpha):
    """So many hypotheses at the smallest p are rejected, one fewer are not."""
    smallest = 1 / (n_resamples + 1)

    def rejects(count):
        return (adjust(np.array([smallest] * count + [1.0] * (m - count)), correction) <= alpha + 1e-12).any()

    needed = smallest_useful_count(smallest, n_hypotheses=m, correction=correction, alpha=alpha)
    assert not rejects(min(needed - 1, m)) or needed == 1
    assert needed > m or rejects(needed)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("BY", "fdr_by"),
        ("BH", "fdr_bh"),
        ("fdr", "fdr_bh"),
        ("FDR-BY", "fdr_by"),
        ("Benjamini-Yekutieli", "fdr_by"),
        ("Benjamini & Hochberg", "fdr_bh"),
        ("bonf", "bonferroni"),
        ("Bonferroni", "bonferroni"),
        ("holm-bonferroni", "holm"),
        ("uncorrected", "none"),
    ],
)
def test_names_of_the_field_are_understood(written, meant):
    """However a paper spells a correction, and in whatever case, the same p-values come out."""
    p_values = np.array([0.001, 0.02, 0.02, 0.3])
    assert CORRECTIONS.canonical(written) == meant
    assert adjust(p_values, written).tolist() == adjust(p_values, meant).tolist()


def test_every_name_is_its_own():
    """Synonyms hide no name, and a step-up method that controls something else is none of them."""
    assert [CORRECTIONS.canonical(name) for name in CORRECTIONS.named] == [*CORRECTIONS, FAMILY_WISE]
    with pytest.raises(UnknownNameError, match="hochberg"):
        CORRECTIONS.canonical("hochberg")
    with pytest.raises(InvalidOptionError, match="a test's own"):
        adjust(np.array([0.1]), FAMILY_WISE)


@pytest.mark.parametrize("spec", CORRECTIONS.values(), ids=list(CORRECTIONS))
def test_every_row_can_be_written_about(spec):
    """A correction has a label, a phrase that fits "with …", and a source where it is somebody's."""
    assert spec.label[0].isupper()
    assert spec.label.casefold() == spec.words.casefold()
    assert spec.described
    assert bool(publications(spec.cite)) == (spec.name != "none")
    assert all(CORRECTIONS.canonical(synonym) == spec.name for synonym in spec.synonyms)


@pytest.mark.parametrize("spec", CORRECTIONS.values(), ids=list(CORRECTIONS))
@settings(max_examples=20)
@given(p_values=P_VALUES, alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_levels_and_steps_reject_what_adjusted_p_values_do(spec, p_values, alpha):
    """The levels of a row, gone through as it says, are its adjusted p-values at that level."""
    ordered = np.sort(p_values)
    levels = spec.levels(alpha, np.arange(1, len(ordered) + 1), len(ordered))
    if (np.abs(ordered - levels) < 1e-12).any():
        return  # where rounding decides, either answer is right
    passed = ordered <= levels
    n_passed = {
        "none": passed.sum(),
        "down": np.argmin([*passed, False]),
        "up": max(np.flatnonzero([True, *passed])),
    }[spec.step]
    assert n_passed == (adjust(p_values, spec.name) <= alpha).sum()
