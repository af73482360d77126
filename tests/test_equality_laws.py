"""What is equal up to rounding is equal to every test: laws over the whole catalogue, its intervals and its models.

A score is a number of hits out of ten. Whether it is written in tenths, in hits, in per mille or with a constant added,
and whatever a third system scores, the same pairs must have the same p-values, differences and directions: where they
change, the last bit of a floating-point number has spoken, or another system's size.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
import xarray as xr
from every import WRITTEN, hits
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.models.bayesian_comparison import bayesian_t
from metaeval.models.variances import pilot_variance
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.leave_out import GroupsLeftOut
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.topic_resamples import t_powers
from metaeval.running.draws import bootstrap_indices
from metaeval.running.equality import centred
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.permutations import draw_seed, topic_permutations
from metaeval.tests_stat.randomisation import random_signs, randomisation_test
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.sign import sign_test
from metaeval.tests_stat.tukey import tukey_hsd_test
from metaeval.tests_stat.wilcoxon import wilcoxon_test

ALTERNATIVES = ("two-sided", "greater", "less", "better")
BY_PAIR = [test for test, spec in TESTS.items() if not spec.family_wise and test != "friedman"]  # ranks are among all
FACTORS = {
    "tenths": 10.0,
    "per mille": 0.01,
    "thirtieths": 30.0,
    "with a constant": 10.0,
    "with a negative constant": 10,
}
WILD = ("one cell of 1e9", "one cell of 1e12", "one cell of -1e20", "all of 1e12", "sizes from 1e-9 to 1e20")
TOPICS = (2, 3, 5, 9, 14, 30)
DRAWN = 79


@pytest.fixture(autouse=True, scope="module")
def _one_core():
    """Hold the kernels to one core: on tables this small, waking the others is most of the time."""
    with limit_threads(1):
        yield


def with_wild_system(values, kind, place):
    """Put a system of huge scores among the others, at a place."""
    wild = values[:, 0].astype(float)
    match kind:
        case "one cell of 1e9" | "one cell of 1e12" | "one cell of -1e20":
            wild[:, -1] = float(kind.split()[-1])
        case "all of 1e12":
            wild[:] = 1e12
        case _:
            wild = np.random.default_rng(1).choice([-1.0, 1.0], wild.shape) * np.geomspace(1e-9, 1e20, wild.shape[1])
    before, after = np.split(values.astype(float), [place], axis=1)
    return np.concatenate([before, wild[:, None], after], axis=1)


def compared(values, test, alternative, **options):
    """Run a test uncorrected on tables of scores: p-value, difference, statistic and direction, (metric, pair)."""
    spec = TESTS[test]
    drawing = {"n_resamples": DRAWN, "rng": 4} if spec.resampled else {}
    drawing |= {"p_value_rule": "plain"} if spec.resampled and not spec.plain_p else {}
    correction = {} if spec.family_wise else {"correction": "none"}
    data = spec.function(as_scores(values), alternative=alternative, **correction, **drawing, **options).data
    kept = ["p_value", "p_corrected", "difference", "statistic", "better", "significant"]
    return {name: data[name].to_numpy() for name in kept if name in data}


def same(found, expected, *, factor=1.0, case=""):
    """Compare two answers about the same pairs; only the difference has the unit of the scores."""
    for name in ("p_value", "p_corrected"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-14, err_msg=case)
    for name in ("better", "significant"):
        np.testing.assert_array_equal(found[name], expected[name], err_msg=case)
    np.testing.assert_allclose(factor * found["difference"], expected["difference"], rtol=1e-9, err_msg=case)
    np.testing.assert_array_equal(found["difference"] == 0, expected["difference"] == 0, err_msg=case)
    np.testing.assert_array_equal(np.sign(found["statistic"]), np.sign(expected["statistic"]), err_msg=case)


def asked(test):
    """List the alternatives that a test answers."""
    return ("two-sided",) if TESTS[test].one_sided_substitute else ALTERNATIVES


EVERY = [(test, alternative) for test in TESTS for alternative in asked(test)]
EVERY_BY_PAIR = [(test, alternative) for test, alternative in EVERY if test in BY_PAIR]


@pytest.mark.parametrize(("test", "alternative"), EVERY)
def test_the_unit_of_the_scores_changes_nothing(test, alternative):
    """In tenths, thirtieths, per mille, or with a constant added: p-values and decisions are those of hits."""
    for n_topics in TOPICS:
        whole = hits(1, n_topics)
        expected = compared(whole, test, alternative)
        for name, written in WRITTEN.items():
            case = f"{n_topics} topics, {name}"
            same(compared(written(whole), test, alternative), expected, factor=FACTORS[name], case=case)


@pytest.mark.parametrize(("test", "alternative"), EVERY_BY_PAIR)
def test_a_third_system_changes_nothing_about_a_pair(test, alternative):
    """One system of huge scores among the others leaves every pair without it as it was."""
    first, second = np.triu_indices(8, 1)
    for n_topics, place in ((5, 0), (14, 3), (30, 7)):
        tenths = hits(2, n_topics, n_metrics=3) / 10
        expected = compared(tenths, test, alternative)
        kept = (first != place) & (second != place)
        for kind in WILD:
            found = compared(with_wild_system(tenths, kind, place), test, alternative)
            same({name: values[:, kept] for name, values in found.items()}, expected, case=f"{n_topics} topics, {kind}")


@settings(max_examples=40)
@given(st.data(), st.sampled_from(EVERY), st.integers(0, 2**32), st.sampled_from(TOPICS))
def test_units_and_third_systems_on_any_table(data, asked_for, seed, n_topics):
    """The two laws on tables, seeds and tests that were not chosen."""
    test, alternative = asked_for
    whole = hits(seed, n_topics, n_metrics=3)
    expected = compared(whole, test, alternative)
    name = data.draw(st.sampled_from(sorted(WRITTEN)))
    same(compared(WRITTEN[name](whole), test, alternative), expected, factor=FACTORS[name])
    if test in BY_PAIR:
        place, kind = data.draw(st.integers(0, 7)), data.draw(st.sampled_from(WILD))
        found = compared(with_wild_system(whole, kind, place), test, alternative)
        kept = ~(np.stack(np.triu_indices(8, 1)) == place).any(axis=0)
        same({each: values[:, kept] for each, values in found.items()}, expected)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomisation", "max_t"])
def test_units_change_no_corrected_decision(test):
    """Corrections see the same p-values, and ties among them, in any unit."""
    whole = hits(3, 14)
    drawing = {"n_resamples": 999, "rng": 1} if TESTS[test].resampled else {}
    for correction in ("bonferroni", "holm", "fdr_bh", "fdr_by"):
        expected, *others = (
            TESTS[test].function(values, correction=correction, alpha=0.3, **drawing).data
            for values in (whole, *(written(whole) for written in WRITTEN.values()))
        )
        for found in others:
            np.testing.assert_allclose(found["p_corrected"], expected["p_corrected"], rtol=1e-9, err_msg=correction)
            np.testing.assert_array_equal(found["significant"], expected["significant"], err_msg=correction)


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("n_topics", [5, 13, 14, 51])
def test_wilcoxon_in_tenths_is_scipys_in_hits(n_topics, zero_method):
    """SciPy on whole numbers, where it sees every tie, is the oracle for ours on tenths."""
    whole = hits(4, n_topics, n_metrics=2)
    found = wilcoxon_test(whole / 10, zero_method=zero_method, correction="none").data["p_value"].to_numpy()
    for metric, table in enumerate(whole):
        for place, (a, b) in enumerate(combinations(table, 2)):
            expected = 1.0
            if (a != b).any():
                expected = scipy.stats.wilcoxon(a, b, zero_method=zero_method).pvalue
            assert found[metric, place] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_randomisation_in_tenths_is_a_loop_in_whole_numbers(alternative):
    """Signs drawn once; sums of hits, in which nothing is rounded, are the oracle for ours on tenths."""
    whole = hits(5, 20, n_metrics=2)
    options = {"alternative": alternative, "correction": "none", "n_resamples": 200, "p_value_rule": "plain", "rng": 3}
    found = randomisation_test(with_wild_system(whole / 10, "one cell of 1e12", 7), **options).data["p_value"]
    signs = np.concatenate(list(random_signs(np.random.default_rng(3), 200, 20, rows=7))).astype(int)
    kept = [pair for pair, (_, b) in enumerate(combinations(range(8), 2)) if b != 7]
    for metric, table in enumerate(whole):
        differences = np.array([a - b for a, b in combinations(table, 2)])
        flipped, observed = differences @ signs.T, differences.sum(axis=1)[:, None]
        reached = {
            "two-sided": abs(flipped) >= abs(observed),
            "greater": flipped >= observed,
            "less": flipped <= observed,
        }
        assert found[metric, kept].to_numpy().tolist() == (reached[alternative].sum(axis=1) / 200).tolist()


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_sign_test_ties_at_its_limit(limit):
    """A difference that is the limit on paper is a tie, in every unit: 0.8 - 0.7 is no win beyond 0.1."""
    whole = hits(6, 30)
    first, second = np.triu_indices(7, 1)
    differences = whole[:, first] - whole[:, second]
    expected = (differences > limit).sum(axis=2) - (differences < -limit).sum(axis=2)
    for written in (lambda number: number / 10, lambda number: number / 30, lambda number: number / 10 * 1000):
        found = sign_test(written(whole), zero_tol=float(written(np.array(limit))))
        np.testing.assert_array_equal(found.data["statistic"], expected)
    beside = sign_test(with_wild_system(whole / 10, "all of 1e12", 7), zero_tol=limit / 10).data["statistic"]
    np.testing.assert_array_equal(beside[:, np.triu_indices(8, 1)[1] != 7], expected)


def literal_statistics(table, pairs):
    """Return S**2 / Q of every pair in fractions, which orders as t squared; 0 for equal systems."""
    differences = [
        [Fraction(int(a)) - Fraction(int(b)) for a, b in zip(table[i], table[j], strict=True)] for i, j in pairs
    ]
    return [sum(z) ** 2 / sum(d * d for d in z) if any(z) else Fraction(0) for z in differences]


@pytest.mark.parametrize("wild", [10**9, 10**12, -(10**20)])
@pytest.mark.parametrize("everywhere", [False, True])
def test_max_t_and_tukey_are_not_spoilt_by_a_huge_score(wild, everywhere):
    """Beside one cell, or a whole system, of huge scores, the other pairs' counts are those of a loop in fractions."""
    n_systems, n_topics, n_resamples = 4, 5, 60
    table = np.random.default_rng(7).integers(0, 4, (n_systems, n_topics)).astype(object)
    table[2, slice(None) if everywhere else 1] += wild
    pairs, kept = [(0, 1), (0, 3), (1, 3)], [0, 2, 4]
    seed = draw_seed(np.random.default_rng(2))
    orders = topic_permutations(seed, 0, n_resamples, n_topics=n_topics, n_systems=n_systems)
    shuffled = [[[row[place] for place in order[j]] for j, row in enumerate(table.T)] for order in orders]
    permuted = [np.array(one, dtype=object).T for one in shuffled]
    observed = literal_statistics(table, pairs)
    counted = [literal_statistics(one, pairs) for one in permuted]
    expected = [sum(row[pair] >= observed[pair] for row in counted) for pair in range(len(pairs))]
    options = {"n_resamples": n_resamples, "p_value_rule": "plain"}
    found = max_t_test(table.astype(float) / 10, rng=np.random.default_rng(2), **options).data
    assert (found["p_value"][0, kept] * n_resamples).round().astype(int).to_numpy().tolist() == expected
    ranges = [max(sums) - min(sums) for sums in (one.sum(axis=1) for one in permuted)]
    gaps = [abs(table[a].sum() - table[b].sum()) for a, b in pairs]
    expected = [sum(one >= gap for one in ranges) for gap in gaps]
    found = tukey_hsd_test(table.astype(float) / 10, rng=np.random.default_rng(2), **options).data
    assert (found["p_value"][0, kept] * n_resamples).round().astype(int).to_numpy().tolist() == expected


def test_parametric_tukey_is_not_spoilt_by_a_constant_of_another_size():
    """A constant system of 1e12 has no residuals, so the others' statistic is that beside a constant system of 0."""
    ordinary = hits(8, 14, n_metrics=1)[0] / 10
    beside = [np.vstack([ordinary, np.full(14, constant)]) for constant in (0.0, 1e12)]
    small, huge = (tukey_hsd_test(table, method="parametric").data["statistic"].to_numpy()[0] for table in beside)
    kept = np.triu_indices(8, 1)[1] != 7
    np.testing.assert_allclose(huge[kept], small[kept], rtol=1e-9)


SENSITIVITY = ("asl", "significant", "better", "difference", "difference_required")


@pytest.mark.parametrize("n_topics", [3, 9, 30])
def test_bootstrap_sensitivity_in_any_unit_and_company(n_topics):
    """Significance levels are the same; differences, and the difference required, change with the unit alone."""
    whole = hits(9, n_topics)

    def found(values):
        return bootstrap_sensitivity(as_scores(values), n_resamples=100, alpha=0.1, rng=1)

    expected = found(whole)
    for name, written in WRITTEN.items():
        one = found(written(whole))
        for variable in SENSITIVITY:
            factor = FACTORS[name] if variable.startswith("difference") else 1
            np.testing.assert_allclose(factor * one.data[variable], expected.data[variable], rtol=1e-9, atol=1e-12)
    for kind in WILD:
        one = found(with_wild_system(whole, kind, 7))
        kept = np.triu_indices(8, 1)[1] != 7
        for variable in SENSITIVITY:
            np.testing.assert_allclose(one.data[variable][:, kept], expected.data[variable], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rope", [0, 1, 2])
@pytest.mark.parametrize("n_topics", [2, 5, 30])
def test_bayesian_comparison_in_any_unit_and_company(n_topics, rope):
    """Probabilities are the same, also where a constant difference equals the limit of what matters."""
    whole = hits(10, n_topics)
    names = ["p_a_better", "p_equivalent", "p_b_better"]

    def found(values, limit):
        return bayesian_t(as_scores(values), rope=limit).data[names].to_array().to_numpy()

    expected = found(whole, rope)
    for name, written in WRITTEN.items():
        np.testing.assert_allclose(found(written(whole), rope / FACTORS[name]), expected, rtol=1e-9, atol=1e-14)
    kept = np.triu_indices(8, 1)[1] != 7
    for kind in WILD:
        np.testing.assert_allclose(
            found(with_wild_system(whole / 10, kind, 7), rope / 10)[..., kept], expected, rtol=1e-9, atol=1e-14
        )


def test_intervals_of_power_in_any_unit():
    """The t test's closed form and tests repeated on every resample give the same powers and intervals."""
    whole = hits(11, 14, n_metrics=2)
    for options in ({"test": "t"}, {"test": "wilcoxon"}, {"test": "bootstrap_percentile", "n_resamples": 3000}):

        def found(values, options=options):
            return discriminative_power_interval(
                as_scores(values), corrections=("none", "holm", "fdr_by"), n_topic_resamples=4, rng=1, **options
            ).data

        expected = found(whole)
        for written in WRITTEN.values():
            xr.testing.assert_allclose(found(written(whole)), expected)


def test_power_of_the_t_test_on_resampled_topics_does_not_depend_on_a_third_system():
    """Over the pairs without the wild system it is what it was."""
    tenths = hits(12, 14) / 10
    topics = bootstrap_indices(np.random.default_rng(0), 40, 14)
    expected = t_powers(ask(tenths), topics, corrections=("none", "holm"))
    for kind in WILD:
        question = ask(with_wild_system(tenths, kind, 7))
        kept = question.second != 7
        question = replace(question, first=question.first[kept], second=question.second[kept])
        np.testing.assert_array_equal(t_powers(question, topics, corrections=("none", "holm")), expected)


@pytest.mark.parametrize("test", ["t", "bootstrap_percentile"])
def test_intervals_of_agreement_in_any_unit(test):
    """Shares, precision, recall and F1 of two metrics, and their intervals, are the same."""
    whole = hits(13, 14, n_metrics=3)

    def found(values):
        one = agreement_intervals(as_scores(values), test=test, n_resamples=3000, n_topic_resamples=20, rng=1)
        return one.to_frame(), one.shares()

    expected = found(whole)
    for written in WRITTEN.values():
        for one, other in zip(found(written(whole)), expected, strict=True):
            np.testing.assert_allclose(one.select_dtypes("number"), other.select_dtypes("number"), rtol=1e-9)
    # A system that beats all others on every topic, by a thousand or by a million million: the same decisions.
    measures = [f"{name}{bound}" for name in ("precision", "recall", "f1") for bound in ("", "_low", "_high")]
    (near, near_shares), (far, far_shares) = (
        found(np.concatenate([whole / 10, np.full((3, 1, 14), ahead)], axis=1)) for ahead in (1e3, 1e12)
    )
    np.testing.assert_allclose(far[measures], near[measures], rtol=1e-9)
    np.testing.assert_allclose(far_shares.drop(columns="metric"), near_shares.drop(columns="metric"), rtol=1e-9)


def left_out(full, reduced):
    """Lay out scores under all judgments and under those left without a group."""
    data = xr.Dataset(
        {"full": (("metric", "system", "topic"), full), "reduced": (("metric", "system", "topic"), reduced)}
    )
    names = {"metric": [f"m{place}" for place in range(full.shape[0])], "system": list(range(full.shape[1]))}
    data = data.assign_coords(names | {name: ("system", [name] * full.shape[1]) for name in ("group", "pooled")})
    return GroupsLeftOut(scores=data, groups=None, keep="depth", original=None, emptied=(), notes=())


def test_changes_without_a_group_in_any_unit_and_company():
    """Changes in percent, their intervals and the t test of every run are the same; 10 % is 10 % in tenths too."""
    full = hits(15, 14)
    reduced = np.roll(full, 1, axis=0)
    reduced[:, 3] = np.random.default_rng(0).permuted(full[:, 3], axis=1)  # an equal mean on paper
    reduced[:, 5] = full[:, 5]
    expected = left_out(full, reduced)
    frame = expected.tests()[["change", "statistic", "p_value"]]
    for written in (lambda hits: hits / 10, lambda hits: hits / 30, lambda hits: hits / 10 * 1000):
        one = left_out(written(full), written(reduced))
        np.testing.assert_allclose(one.tests()[frame.columns], frame, rtol=1e-9)
        for per_topic in (False, True):
            assert one.distribution(per_topic=per_topic).equals(expected.distribution(per_topic=per_topic))
    for kind in WILD:
        one = left_out(with_wild_system(full / 10, kind, 7), with_wild_system(reduced / 10, kind, 7))
        rows = one.tests()
        np.testing.assert_allclose(rows.loc[rows["system"] != 7, frame.columns], frame, rtol=1e-9)


def test_variance_to_plan_with_is_that_of_the_systems_asked_for():
    """A constant system of 1e12 is no reason to say that the others have no variance; a pair's is its own."""
    tenths = hits(16, 14, n_metrics=1)[0] / 10
    names = [f"system{place + 1}" for place in range(8)]
    beside = [as_scores(np.vstack([tenths, np.full(14, constant)]), systems=names) for constant in (0.0, 1e12)]
    for options in (
        {"method": "within"},
        {"method": "residual"},
        {"method": "pairs", "pairs": [("system1", "system5")]},
    ):
        small, huge = (pilot_variance(scores, **options).table["variance"].item() for scores in beside)
        assert huge == pytest.approx(small, rel=1e-9)


def test_what_is_left_of_a_mean_is_nothing_on_paper():
    """Centred by rows and columns, an additive table in tenths is 0 exactly, and zeros have no size to pass on."""
    rows, columns = np.arange(1, 6)[:, None], np.arange(7)
    additive = rows / 10 + columns / 10
    assert (additive - additive.mean(1, keepdims=True) - additive.mean(0) + additive.mean()).any()
    left, size = centred(*centred(additive, additive, axis=1), axis=0)
    assert not left.any()
    assert not size.any()


def test_a_level_reached_on_paper_is_reached():
    """Corrected p-values are simple fractions: 3 x .1 is .3, which is at most .3 and not below it."""
    p_values = np.array([3 * 0.1, 0.3, 0.3 + 1e-9, 0.3 - 1e-9])
    assert 3 * 0.1 > 0.3
    assert is_significant(p_values, 0.3).tolist() == [True, True, False, True]
    assert is_significant(p_values, 0.3, strictly_below=True).tolist() == [False, False, False, True]
