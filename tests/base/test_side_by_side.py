"""Arrays that stand side by side: labels put them in one order, in every public function that takes two or more."""

import importlib
import inspect

import numpy as np
import pandas as pd
import pytest
from every import chapters
from scipy import stats

from metaeval.agreement import kendall_tau, spearman
from metaeval.errors import ScoresError
from metaeval.tests_stat import scipy_test

NAMES = ["bm25", "splade", "colbert", "dpr", "ance"]
TRUTH, ESTIMATE = np.array([0.5, 0.1, 0.4, 0.3, 0.2]), np.array([0.45, 0.3, 0.5, 0.1, 0.15])
HIGH, LOW = np.array([0.9, 0.8, 0.85, 0.7, 0.95]), np.array([0.6, 0.55, 0.7, 0.5, 0.65])
RANKINGS = (
    "kendall_tau",
    "kendall_p_value",
    "tau_ap",
    "spearman",
    "pearson",
    "rank_biased_overlap",
    "best_of_reference",
)
CALLS = {name: {"truth": TRUTH, "estimate": ESTIMATE} for name in RANKINGS} | {
    "williams_test": {"first": HIGH, "second": LOW, "between": LOW[::-1], "n": np.array([9, 8, 7, 6, 5])},
    "corrected_share": {
        "judged": TRUTH,
        "specificity": HIGH,
        "sensitivity": HIGH[::-1],
        "sizes": (np.full(5, 900), np.array([90, 80, 70, 60, 50]), np.array([50, 60, 70, 80, 90])),
    },
    "fit_exponential": {"sizes": np.array([5, 10, 20, 40, 80]), "rates": np.array([0.3, 0.2, 0.11, 0.04, 0.01])},
    "expected_conclusions": {"erho2": HIGH, "n_items": np.array([10, 20, 30, 40, 50])},
    "mapped_indicators": {"erho2": HIGH, "phi": LOW},
    "rank_intervals_from_covariance": {
        "estimates": TRUTH,
        "covariance": np.diag([1e-4, 4e-4, 1e-3, 2e-3, 4e-3]),
        "rng": 0,
    },
}


def _arrays(function):
    return [name for name, at in inspect.signature(function).parameters.items() if "ArrayLike" in str(at.annotation)]


PUBLIC = {
    name: getattr(chapter, name)
    for chapter in chapters()
    for name in chapter.__all__
    if inspect.isfunction(getattr(chapter, name)) and len(_arrays(getattr(chapter, name))) > 1
}


def _labelled(array, order):
    """Return an array with the names of its entries, these in some order."""
    if isinstance(array, tuple):
        return tuple(_labelled(one, order) for one in array)
    if array.ndim > 1:
        return pd.DataFrame(array, NAMES, NAMES).iloc[order, order]
    return pd.Series(array, NAMES).iloc[order]


def _plain(found):
    return repr(found.to_frame().to_dict() if hasattr(found, "to_frame") else found)


def test_the_law_is_asked_of_every_public_function_of_several_arrays():
    """No function that takes two arrays is left out."""
    assert CALLS.keys() == PUBLIC.keys()


@pytest.mark.parametrize("name", CALLS)
def test_series_in_another_order_are_put_side_by_side_by_their_labels(name):
    """The answer is that of arrays in one order, whatever the order of all series but the first."""
    given, (first, *others) = CALLS[name], _arrays(PUBLIC[name])
    labelled = {at: _labelled(given[at], [3, 0, 4, 2, 1]) for at in others if at in given}
    found = PUBLIC[name](**given | labelled | {first: _labelled(given[first], [0, 1, 2, 3, 4])})
    assert _plain(found) == _plain(PUBLIC[name](**given))


@pytest.mark.parametrize("name", CALLS)
def test_series_of_other_labels_are_refused(name):
    """The error names both arguments and a label that only one has."""
    given, (first, second, *_) = CALLS[name], _arrays(PUBLIC[name])
    other = pd.Series(np.resize(given[second], 5), [*NAMES[:4], "tas-b"])
    with pytest.raises(ScoresError, match=rf"`{first}` and `{second}` are put .* only `{second}` has 'tas-b'"):
        PUBLIC[name](**given | {first: pd.Series(given[first], NAMES), second: other})


def test_a_ranking_and_its_reverse_order_agree_wholly():
    """Sorted anew a series says the same, and so do mappings and labelled arrays: tau is 1."""
    scores = pd.Series([0.5, 0.4, 0.3, 0.2, 0.1], list("vwxyz"))
    turned = scores.sort_values()
    assert kendall_tau(scores, turned) == spearman(scores, turned) == 1.0
    assert kendall_tau(scores.to_dict(), turned.to_dict()) == kendall_tau(scores.to_xarray(), turned.to_xarray()) == 1.0
    assert kendall_tau(pd.DataFrame([turned, -turned]), scores).tolist() == [1.0, -1.0]


def test_arrays_and_numbered_series_stay_in_their_order():
    """What has no names of its own is paired by position, as SciPy pairs it."""
    for given in (TRUTH.tolist(), pd.Series(TRUTH), pd.Series(TRUTH, NAMES)):
        assert kendall_tau(given, ESTIMATE) == pytest.approx(stats.kendalltau(TRUTH, ESTIMATE).statistic)


def test_labels_that_stand_twice_in_other_orders_are_refused():
    """The way out leads to the answer by position."""
    first, second = pd.Series([1.0, 2.0, 3.0], list("aab")), pd.Series([1.0, 2.0, 3.0], list("aba"))
    with pytest.raises(ScoresError, match=r"labels of `estimate` appear twice.*\.to_numpy\(\)"):
        kendall_tau(first, second)
    assert kendall_tau(first.to_numpy(), second.to_numpy()) == 1.0


def test_names_in_their_order_are_told_how_to_be_given():
    """Followed to the letter, one exchange among three names leaves tau 1/3."""
    with pytest.raises(ScoresError, match=r"not 'a'; of names in their order, the best first, pass (\{.*?\}), and"):
        kendall_tau(["a", "b", "c"], ["b", "a", "c"])
    first, second = ({name: -place for place, name in enumerate(names)} for names in (["a", "b", "c"], ["b", "a", "c"]))
    assert kendall_tau(first, second) == pytest.approx(1 / 3)


def test_a_test_in_the_form_of_scipy_pairs_by_labels():
    """SciPy's own p-value of the scores in one order."""
    first, second = pd.Series(TRUTH, NAMES), pd.Series(ESTIMATE, NAMES)
    found = scipy_test("t")(first, second.sort_values())
    assert found.pvalue == pytest.approx(stats.ttest_rel(TRUTH, ESTIMATE).pvalue)


def test_modules_of_the_functions_say_what_the_chapters_say():
    """A function imported from its own module puts labels in order, too."""
    own = importlib.import_module("metaeval.agreement.rankings").kendall_tau
    scores = pd.Series(TRUTH, NAMES)
    assert own(scores, scores.sort_values()) == 1.0
