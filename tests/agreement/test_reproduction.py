"""An original and its replica: repro_eval's numbers, Fieller by search, lists by hand, and what identity must give."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metaeval import as_scores
from metaeval.agreement.reproduction import document_orders, reproduced
from metaeval.table.units import units_of

REPRO_EVAL = [
    (1, 1, 0.0224926994875, 0.967697975774, 0.00137499749365, 0.0533917091462),
    (0.885823754789, 0.903762236311, 0.0329684942359, 1.55376052246, -0.09275042983, 0.760070192686),
    (0.719923371648, 0.788287585859, 0.0556469266849, 1.5918240097, -0.30592382666, 0.117439194359),
    (0.552873563218, 0.647950544259, 0.0143762903522, 1.06041036069, -0.0222954663791, 0.938939173778),
    (0.708045977011, 0.740030168008, 0.0545844576085, 0.933087565614, 0.0676476377983, 0.562244572449),
    (0.902681992337, 0.956306887795, 0.0451241388601, 0.924605203385, 0.160116926765, 0.716569585639),
    (0.797701149425, 0.842105689244, 0.0163594742183, 0.882760151092, 0.0230587203371, 0.290265873989),
    (0.675095785441, 0.731986674392, 0.0433430295497, 1.30645438467, -0.244976284003, 0.265810458947),
    (0.800383141762, 0.798085993278, 0.0496612937583, 0.975618126145, -0.0211607049657, 0.322815918593),
    (0.667049808429, 0.700407645696, 0.0147186912716, 1.02761765428, 0.00279348585857, 0.578866811505),
    (0.760153256705, 0.86967148796, 0.0425545169622, 0.959679454673, 0.00220516865945, 0.30205545605),
    (0.726053639847, 0.811347995258, 0.0432793792239, -0.0519708513038, 0.160657892068, 0.156205439858),
    (0.856704980843, 0.835690155543, 0.0210268102768, 0.786103659655, 0.0414570774948, 0.335999279216),
    (0.723754789272, 0.760333839031, 0.0365678993437, 0.995698757143, 0.0215847970933, 0.561950087088),
    (0.594636015326, 0.651207130502, 0.0543277379333, 1.18016966015, -0.0461832844775, 0.568356926438),
    (0.766283524904, 0.859963001162, 0.0210801685438, 1.05727703711, -0.120261244048, 0.492866154634),
    (0.932950191571, 0.900999346022, 0.0515998869539, 1.29429427094, -0.0630962240254, 0.864397943239),
    (0.796168582375, 0.819958214091, 0.0506703956634, 0.641128465075, 0.0738376814245, 0.654654910905),
    (0.665517241379, 0.739677915717, 0.024291902127, 0.91546719427, 0.0252937234984, 0.364726757318),
    (0.532950191571, 0.609999644653, 0.0196456488083, 1.12301983046, -0.0679356350681, 0.371005186444),
]
"""KTU, RBO (p = .95, depth 30), RMSE, ER, DRI and the paired t test's p of repro_eval 0.5.0 for `experiment(seed)`, the
seeds from 0 on; documents are named in the order of the original, then in that of the replica, so that its union, which
is sorted by name, is in that order; topics stand in the same order in all of its dictionaries."""


def experiment(seed):
    """Return lists of 12 topics, original and replica, and the scores (baseline and advanced, topic) of both."""
    rng = np.random.default_rng(seed)
    lists = {}
    for topic in (f"{number:02d}" for number in range(1, 13)):
        original = [f"d{number:02d}" for number in range(30)]
        order = np.argsort(np.arange(30) + rng.random(30) * 4 * (seed % 5))
        new = rng.random(30) < 0.05 * (seed % 4)
        replica, fresh = [], 0
        for place in order.tolist():
            fresh += bool(new[place])
            replica.append(f"e{fresh:02d}" if new[place] else original[place])
        lists[topic] = original, replica
    scores = rng.random((2, 12)) * [[0.5], [0.7]]
    return lists, scores, np.clip(scores + rng.normal(0, 0.02 * (1 + seed % 3), (2, 12)), 0, 1)


def table(lists):
    """Return lists of documents by topic as a run's table."""
    rows = [(topic, document, rank) for topic, names in lists.items() for rank, document in enumerate(names, 1)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rank"])


def orders(original, replica, **options):
    """Compare two lists of documents."""
    frame = document_orders({"a": table({"1": original})}, {"a": table({"1": replica})}, **options)
    return frame.iloc[0]


def plain(n_topics):
    """Return how topics are grouped that are units of their own."""
    units = units_of(as_scores(np.arange(float(n_topics)).reshape(1, -1), fewest=1))
    return units, units


def compared(original, replica, **options):
    """Compare scores (system, topic) under one metric, the first system being the baseline."""
    units = plain(original.shape[1])[0], plain(replica.shape[1])[0]
    options = {"paired": original.shape == replica.shape, "baseline": 0, **options}
    return reproduced(original[None], replica[None], units, **options)


@pytest.mark.parametrize("seed", range(20))
def test_as_repro_eval(seed):
    """All six measures of 20 pairs of runs."""
    lists, original, replica = experiment(seed)
    of_documents = document_orders(
        *({"a": table({topic: pair[side] for topic, pair in lists.items()})} for side in (0, 1))
    )
    found = compared(original, replica)
    numbers = [
        of_documents["tau_union"].mean(),
        of_documents["rbo"].mean(),
        found.rmse.value[0, 1],
        found.effect_ratio.value[0, 1],
        found.delta_ri.value[0, 1],
        found.p_value[0, 1],
    ]
    np.testing.assert_allclose(numbers, REPRO_EVAL[seed], rtol=1e-10)


def test_lists_by_hand():
    """Small lists, worked out with pencil; lists without a common document are in order, and do not overlap."""
    assert orders(["a", "b", "c"], ["a", "b", "x"])["tau_union"] == 1.0
    swapped = orders(["a", "b", "c"], ["b", "x", "c"])  # positions 2, 4, 3: one pair in three is discordant
    assert swapped["tau_union"] == pytest.approx(1 / 3)
    assert swapped["rbo"] == pytest.approx((0.95 / 2 + 0.95**2 * 2 / 3) / (1 + 0.95 + 0.95**2))
    disjoint = orders(["a", "b"], ["x", "y"])
    assert (disjoint["tau_union"], disjoint["rbo"], disjoint["n_both"]) == (1.0, 0.0, 0)
    alone = orders(["a", "b"], ["b"])
    assert math.isnan(alone["tau_union"])
    assert alone["rbo"] == pytest.approx(0.95 / 2 / 1.95)
    assert orders(["a", "b", "c"], ["a", "c", "b"], depth=1)["rbo"] == 1.0
    missing = document_orders({"a": table({"1": ["x"]})}, {"a": table({"2": ["x", "y"]})})
    assert missing["rbo"].tolist() == [0.0, 0.0]


def literal(original, replica, p, depth):
    """Return tau union and rank-biased overlap by their definitions, a document at a time."""
    original, replica = original[:depth], replica[:depth]
    union = original + [document for document in replica if document not in original]
    places = [union.index(document) for document in replica]
    deepest = max(len(original), len(replica))
    shares = [len({*original[:d]} & {*replica[:d]}) / d for d in range(1, deepest + 1)]
    weights = [p**d for d in range(deepest)]
    overlap = sum(w * share for w, share in zip(weights, shares, strict=True)) / sum(weights)
    return stats.kendalltau(range(len(places)), places).statistic if len(places) > 1 else np.nan, overlap


NAMES = st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=12, unique=True)


@given(NAMES, NAMES, st.floats(0.1, 0.99), st.integers(1, 12))
def test_a_literal_version_of_the_orders(original, replica, p, depth):
    """Whatever the lists, and whatever documents are called."""
    found = orders(original, replica, p=p, depth=depth)
    expected = literal(original, replica, p, depth)
    np.testing.assert_allclose([found["tau_union"], found["rbo"]], expected, atol=1e-12)


SCORES = st.lists(st.tuples(st.floats(0.1, 1), st.floats(0.1, 1)), min_size=3, max_size=12, unique=True)


@given(NAMES, SCORES)
def test_a_copy_is_reproduced(names, scores):
    """Equal runs: tau union 1, overlap 1, RMSE 0, effect ratio 1, ΔRI 0, p 1, and no interval."""
    alike = orders(names, names)
    assert alike["rbo"] == pytest.approx(1.0)
    assert len(names) < 2 or alike["tau_union"] == 1.0
    values = np.array(scores).T
    found = compared(values, values)
    assert found.same.all()
    assert found.rmse.value.tolist() == [[0.0, 0.0]]
    assert found.p_value.tolist() == [[1.0, 1.0]]
    ratio, difference = found.effect_ratio.value[0, 1], found.delta_ri.value[0, 1]
    assert ratio == 1.0 or values[0].mean() == pytest.approx(values[1].mean())
    assert difference == 0.0
    for quantity in (found.rmse, found.effect_ratio, found.delta_ri, found.difference):
        assert np.isnan(quantity.ends(0.05)).all()


@given(st.integers(0, 200), st.floats(0.01, 100))
def test_the_unit_of_scores_does_not_matter(seed, factor):
    """Only RMSE and difference have a unit."""
    rng = np.random.default_rng(seed)
    original, replica = rng.random((2, 2, 9)) + np.array([[0.1], [0.3]])
    one, other = compared(original, replica), compared(original * factor, replica * factor)
    np.testing.assert_allclose(other.rmse.ends(0.05), np.multiply(one.rmse.ends(0.05), factor), rtol=1e-9)
    np.testing.assert_allclose(other.effect_ratio.ends(0.05), one.effect_ratio.ends(0.05), rtol=1e-6)
    np.testing.assert_allclose(other.delta_ri.ends(0.05), one.delta_ri.ends(0.05), rtol=1e-9, atol=1e-12)


def test_an_improvement_of_0_on_paper_has_no_ratio():
    """Means over the same tenths in another order are equal, though floating-point sums differ in the last bit."""
    original = np.array([[0.1, 0.2, 0.3, 0.7], [0.2, 0.7, 0.1, 0.3]])
    assert (original[1] - original[0]).mean() != 0.0
    found = compared(original, np.add(original, [[0.0], [0.1]]))
    assert np.isnan(found.effect_ratio.value[0, 1])
    assert np.isnan(found.effect_ratio.ends(0.05)).all()
    assert found.delta_ri.value[0, 1] == pytest.approx(-0.1 / 0.325)


@pytest.mark.parametrize("seed", range(8))
def test_fieller_by_search(seed):
    """At each end of the interval of a ratio, the t test of replica less ratio times original has p = alpha."""
    rng = np.random.default_rng(seed)
    base, effect = rng.random(15), 0.2 + rng.normal(0, 0.1, 15)
    original, replica = np.stack([base, base + effect]), np.stack([base, base + 0.8 * effect + rng.normal(0, 0.1, 15)])
    found = compared(original, replica)
    low, high = (end[0, 1] for end in found.effect_ratio.ends(0.05))
    for end in (low, high):
        gains = replica[1] - replica[0] - end * (original[1] - original[0])
        assert stats.ttest_1samp(gains, 0).pvalue == pytest.approx(0.05, abs=1e-9)
    assert low < found.effect_ratio.value[0, 1] < high
    assert stats.ttest_rel(original[1], original[0]).pvalue < 0.05
    faint = compared(original - [[0], [effect.mean() - 0.001]], replica)  # an effect that may be 0 bounds no ratio
    assert faint.effect_ratio.unbounded(0.05)[0, 1]
    assert np.isnan(faint.effect_ratio.ends(0.05)[0][0, 1])


@pytest.mark.parametrize("seed", range(4))
def test_jackknife_and_welch(seed):
    """Errors of ΔRI are near a plain jackknife's; on other topics p is SciPy's Welch test, and nothing is paired."""
    rng = np.random.default_rng(seed)
    original = rng.random((2, 40)) + np.array([[0.2], [0.4]])
    replica = original + rng.normal(0, 0.1, original.shape)

    def delta(kept):
        old, new = original[:, kept].mean(axis=1), replica[:, kept].mean(axis=1)
        return old[1] / old[0] - new[1] / new[0]

    without = np.array([delta(np.arange(40) != topic) for topic in range(40)])
    error = np.sqrt(39 / 40 * ((without - without.mean()) ** 2).sum())
    found = compared(original, replica).delta_ri
    assert found.value[0, 1] == pytest.approx(delta(np.arange(40)))
    assert found.error[0, 1] == pytest.approx(error, rel=0.05)
    others = rng.random((2, 25)) + np.array([[0.2], [0.5]])
    apart = compared(original, others)
    welch = stats.ttest_ind(others[1], original[1], equal_var=False)
    assert apart.p_value[0, 1] == pytest.approx(welch.pvalue)
    ends = [end[0, 1] for end in apart.difference.ends(0.05)]
    np.testing.assert_allclose(ends, [*welch.confidence_interval(0.95)])
    assert np.isnan(apart.rmse.value).all()
    assert apart.effect_ratio.covariance[0, 1] == 0.0


def test_too_little_to_say():
    """One topic has values and no intervals; a topic that either lacks does not count; a baseline of 0 has no ratio."""
    single = compared(np.array([[0.2], [0.4]]), np.array([[0.2], [0.5]]))
    assert single.rmse.value[0, 1] == pytest.approx(0.1)
    assert single.effect_ratio.value[0, 1] == pytest.approx(1.5)
    assert np.isnan([single.p_value[0, 1], *(end[0, 1] for end in single.effect_ratio.ends(0.05))]).all()
    original, replica = np.random.default_rng(1).random((2, 2, 9))
    gaps = replica.copy()
    gaps[1, 0] = np.nan
    found, without = compared(original, gaps), compared(original[:, 1:], replica[:, 1:])
    assert found.rmse.value[0, 1] == pytest.approx(without.rmse.value[0, 1])
    assert found.effect_ratio.value[0, 1] == pytest.approx(without.effect_ratio.value[0, 1])
    assert found.n_topics.tolist() == [[9, 8]]
    nothing = compared(np.array([[0, 0, 0], [0.1, 0.2, 0.4]]), np.array([[0, 0, 0], [0.1, 0.3, 0.4]]))
    assert np.isnan(nothing.delta_ri.value).all()
    no_gain = compared(original[[0, 0]], replica)
    assert np.isnan(no_gain.effect_ratio.value[0, 1])


@pytest.mark.parametrize(("law", "least"), [("normal", 0.9), ("sparse", 0.85)])
def test_intervals_of_rmse_cover(law, least):
    """Of 400 replicas of 20 topics, about as many intervals hold the true value as the docstring says."""
    rng = np.random.default_rng(3)
    differences = rng.normal(0, 0.1, (400, 20)) * (1 if law == "normal" else rng.random((400, 20)) < 0.3)
    true = 0.1 * np.sqrt(1 if law == "normal" else 0.3)
    found = compared(np.full((400, 20), 0.5), 0.5 + differences, baseline=None).rmse
    low, high = found.ends(0.05)
    assert least < np.mean((low <= true) & (true <= high)) < 0.98
