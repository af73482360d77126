"""Agreements do not hang on the last bit: scores in tenths, in counts and in other units lead to the same answers.

Scores that are multiples of a tenth tie on paper all the time, and almost never in binary. The second opinion is exact
arithmetic with whole numbers and fractions.
"""

from fractions import Fraction
from itertools import combinations, product

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis.extra.numpy import arrays

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.human import human_agreement, pair_agreement
from metaeval.agreement.human_statistics import system_statistics
from metaeval.agreement.items import in_content_order, mean_by_cluster
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.agreement.overlap import rank_biased_overlap
from metaeval.agreement.ranking_pairs import best_of_reference
from metaeval.agreement.rankings import kendall_p_value, kendall_tau, pearson, spearman, tau_ap
from metaeval.agreement.williams import williams_table
from metaeval.table.scores import as_scores

STATISTICS = ("kendall", "spearman", "accuracy", "pearson")
UNITS = {"counts": 1.0, "tenths": 0.1, "thousand tenths": 100.0, "sevenths": 1 / 7}
WILD = (10**9, 10**12, 10**20)


# ------------------------------------------------------------------------------------------------------ exact answers


def sign(number):
    """Return 1, 0 or -1."""
    return (number > 0) - (number < 0)


def exact_kendall(x, y):
    """Return tau-b of exact numbers; NaN where all of one tie."""
    pairs = [(sign(x[i] - x[j]), sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    untied = [sum(one[side] != 0 for one in pairs) for side in (0, 1)]
    return sum(a * b for a, b in pairs) / np.sqrt(untied[0] * untied[1]) if all(untied) else np.nan


def exact_ranks(x):
    """Return mean ranks as fractions."""
    return [Fraction(2 * sum(other < one for other in x) + sum(other == one for other in x) + 1, 2) for one in x]


def exact_pearson(x, y):
    """Return the correlation of exact numbers; NaN where all of one are equal."""
    a, b = ([one - Fraction(sum(row), len(row)) for one in row] for row in (x, y))
    squares = sum(one**2 for one in a) * sum(one**2 for one in b)
    together = sum(one * other for one, other in zip(a, b, strict=True))
    return float(together) / np.sqrt(float(squares)) if squares else np.nan


def exact_spearman(x, y):
    """Return the correlation of the mean ranks."""
    return exact_pearson(exact_ranks(x), exact_ranks(y))


def exact_accuracy(x, y):
    """Return the share of the pairs ordered by x that y orders alike."""
    pairs = [(sign(x[i] - x[j]), sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    ordered = [(a, b) for a, b in pairs if a]
    return sum(a == b for a, b in ordered) / len(ordered) if ordered else np.nan


EXACT = {"kendall": exact_kendall, "spearman": exact_spearman, "accuracy": exact_accuracy, "pearson": exact_pearson}


# ------------------------------------------------------------------------------------------------------- made tables


def table(counts, unit=1.0, *, clusters=None):
    """Return scores (metric, system, item) of whole numbers in a unit, the human scores first; None is a gap."""
    values = np.array(counts, dtype=np.float64) * unit
    names = {"metric": ["human", *(f"M{place}" for place in range(1, len(values)))]}
    found = xr.DataArray(values, dims=("metric", "system", "item"), coords=names, attrs={"reference": "human"})
    found = found.assign_coords(
        system=[f"s{place}" for place in range(values.shape[1])], item=[str(place) for place in range(values.shape[2])]
    )
    return found if clusters is None else found.assign_coords(cluster=("item", clusters))


def made(seed, *, n_metrics=3, n_systems=6, n_items=12, n_levels=4):
    """Return few-valued counts in which many means tie: rows are shuffles of each other now and then."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, n_levels, (n_metrics, n_systems, n_items))
    for metric in range(n_metrics):
        counts[metric, 1] = rng.permutation(counts[metric, 0])
        counts[metric, 3] = rng.permutation(counts[metric, 2])
    return counts


def exact_means(counts):
    """Return the means of each row as fractions, gaps (NaN) left out."""
    return [Fraction(int(np.nansum(row)), int(np.isfinite(row).sum())) for row in np.asarray(counts, dtype=np.float64)]


cells = arrays(np.int64, st.tuples(st.just(2), st.integers(3, 6), st.integers(1, 6)), elements=st.integers(-4, 9))


# ------------------------------------------------------------------------------------------------- against people


def test_human_means_that_tie_on_paper_tie():
    """.1 + .2 + .3 is .3 + .2 + .1, and Kendall, Spearman and accuracy are those of two tied systems."""
    human = [[1, 2, 3], [3, 2, 1], [4, 4, 4], [6, 6, 6]]
    metric = [[1] * 3, [3] * 3, [2] * 3, [4] * 3]
    found = {
        name: human_agreement(table([human, metric], 0.1), statistic=name, n_resamples=0).table["value"].item()
        for name in ("kendall", "spearman", "accuracy")
    }
    assert found == pytest.approx({"kendall": 3 / np.sqrt(30), "spearman": 3 / np.sqrt(22.5), "accuracy": 0.8})


@pytest.mark.parametrize("statistic", STATISTICS)
@given(cells, st.sampled_from([0.1, 1 / 7, 100.0]))
def test_agreement_with_people_is_that_of_exact_means(statistic, counts, unit):
    """The statistic over systems is that of the means as fractions."""
    found = human_agreement(table(counts, unit), statistic=statistic, n_resamples=0).table["value"].item()
    assert found == pytest.approx(EXACT[statistic](*map(exact_means, counts)), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("seed", range(3))
def test_gaps_leave_means_of_fewer_cells_exact(statistic, seed):
    """Where cells are missing, sums of different numbers of tenths are compared as fractions."""
    rng = np.random.default_rng(seed)
    counts = made(seed, n_metrics=2, n_items=7).astype(float)
    counts[:, rng.random(counts.shape[1:]) < 0.3] = np.nan
    found = human_agreement(table(counts, 0.1), statistic=statistic, n_resamples=0).table["value"].item()
    assert found == pytest.approx(EXACT[statistic](*map(exact_means, counts)), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("level", ["system", "item", "all"])
@pytest.mark.parametrize("resample", ["items", "systems", "both"])
@pytest.mark.parametrize("clustered", [False, True])
def test_agreement_with_people_has_no_unit(statistic, level, resample, clustered):
    """Statistic, every resample and interval are the same for tenths, counts and any other unit, level by level."""
    counts = made(5, n_items=8) - 1
    clusters = list("aabbccdd") if clustered else None
    options = {"statistic": statistic, "level": level, "resample": resample, "n_resamples": 12, "rng": 1}
    expected = human_agreement(table(counts, clusters=clusters), **options)
    for unit in (0.1, 100.0, 1 / 7):
        found = human_agreement(table(counts, unit, clusters=clusters), **options)
        for metric, drawn in expected.resampled.items():
            np.testing.assert_allclose(found.resampled[metric], drawn, atol=1e-9)
        pd.testing.assert_frame_equal(found.table, expected.table, atol=1e-9, rtol=0)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("cell", WILD)
def test_a_wild_system_leaves_the_pairs_of_others_alone(statistic, cell):
    """A system that stands above all others adds its own pairs only, in every resample that draws its wild cells."""
    counts = made(2, n_metrics=2)
    wild = np.concatenate([counts, np.full((2, 1, counts.shape[2]), cell)], axis=1)
    means = [exact_means(one) for one in wild.astype(object)]
    found = human_agreement(table(wild.astype(float), 0.1), statistic=statistic, n_resamples=40, rng=0)
    assert found.table["value"].item() == pytest.approx(EXACT[statistic](*means), abs=1e-9)
    if statistic == "accuracy":  # right and ordered pairs each grow by one a system
        plain = human_agreement(table(counts.astype(float), 0.1), statistic=statistic, n_resamples=0)
        exact = [sign(a - b) for a, b in combinations(means[0][:-1], 2)]
        ordered = sum(one != 0 for one in exact)
        right = plain.table["value"].item() * ordered
        assert found.table["value"].item() == pytest.approx((right + 6) / (ordered + 6))


@pytest.mark.parametrize("cell", WILD)
def test_a_wild_cell_that_is_not_drawn_is_not_there(cell):
    """Where a resample leaves the wild cells of a system out, its means tie as those of the scores drawn."""
    counts = made(4, n_metrics=2, n_items=5).astype(object)
    other = counts.copy()
    other[:, 5, 0] = cell
    options = {"statistic": "kendall", "n_resamples": 200, "rng": 3}
    with_wild = human_agreement(table(other.astype(float), 0.1), **options).resampled["M1"]
    items = in_content_order(table(other.astype(float), 0.1), "human")["item"].to_numpy().astype(int)
    drawn = items[np.random.default_rng(3).integers(0, 5, size=(200, 5))]
    exact = [exact_kendall(*([sum(row[place] for place in one) for row in part] for part in other)) for one in drawn]
    np.testing.assert_allclose(np.sort(with_wild), np.sort(exact), atol=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("permute", ["items", "systems", "both"])
def test_comparing_two_metrics_has_no_unit(statistic, permute):
    """Values, differences and p are the same whatever the unit of either metric or of the human scores."""
    counts = made(7)
    options = {"statistic": statistic, "permute": permute, "n_resamples": 199, "correction": "none", "rng": 0}
    expected = compare_with_human(table(counts), **options).table
    for unit in (0.1, 100.0, np.array([0.1, 1.0, 1 / 7])[:, None, None], np.array([1.0, 0.1, 100])[:, None, None]):
        found = compare_with_human(table(counts, unit), **options).table
        pd.testing.assert_frame_equal(found, expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_two_tables_of_one_page_agree(statistic, unit):
    """Agreement with people is one number, whether alone, beside another metric, or of the means alone."""
    for seed in range(5):
        scores = table(made(seed), unit)
        alone = human_agreement(scores, statistic=statistic, n_resamples=0).table.set_index("metric")["value"]
        pair = compare_with_human(scores, statistic=statistic, n_resamples=9, rng=0).table.iloc[0]
        assert [pair["value_a"], pair["value_b"]] == [alone["M1"], alone["M2"]]
        exact = [exact_means(one) for one in made(seed)]
        for name, means in (("M1", exact[1]), ("M2", exact[2])):
            assert alone[name] == pytest.approx(EXACT[statistic](exact[0], means), abs=1e-12)


def test_a_constant_metric_has_no_agreement_in_any_unit():
    """Tenths that are all equal have no spread, so that nothing can be standardised by their rounding."""
    counts = made(1)
    counts[2] = 1
    for unit in UNITS.values():
        for statistic in ("pearson", "kendall"):
            row = compare_with_human(table(counts, unit), statistic=statistic, n_resamples=9, rng=0).table.iloc[0]
            assert np.isnan([row["value_b"], row["p"]]).all()


def test_metrics_along_one_line_do_not_differ():
    """A metric and its own multiple agree equally well with people, and Williams' test has nothing to decide."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        human, metric = rng.integers(0, 10, (2, 8)) / 10
        other = metric * rng.choice([3, 7, 10, 1000, 0.1, 0.7]) + rng.choice([0, 0.1, 5])
        means = pd.DataFrame({"human": human, "A": metric, "B": other})
        assert williams_table(means, reference="human", alternative="two-sided")["p"].item() == 1.0


def test_differences_that_reach_the_bound_on_paper_count():
    """.7 - .45 is .25."""
    human = [[[0.7], [0.45], [0.2]], [[3.0], [2.0], [1.0]]]
    assert pair_agreement(table(human), min_difference=0.25).loc["M1", "pairs"] == 3


@pytest.mark.parametrize("parts", [7, 10, 100])
@pytest.mark.parametrize("least", range(1, 7))
def test_every_step_of_a_scale_is_as_long(parts, least):
    """Of the degrees 0, 1, ... 10 of a scale in tenths, 11 - d pairs lie d tenths apart."""
    degrees = np.arange(11).reshape(1, 11, 1) / parts
    found = pair_agreement(table([*degrees, *degrees]), min_difference=least / parts)
    assert found.loc["M1", "pairs"] == sum(11 - apart for apart in range(least, 11))


@given(cells, st.sampled_from([1, 7, 10, 100, 0.001]), st.integers(0, 4))
def test_pairs_on_items_are_those_of_whole_numbers(counts, parts, least):
    """Pairs that count, agreements and ties are those of exact numbers, the bound in the same unit."""
    human, metric = counts
    gaps = [
        (human[a, item] - human[b, item], metric[a, item] - metric[b, item])
        for (a, b), item in product(combinations(range(counts.shape[1]), 2), range(counts.shape[2]))
    ]
    chosen = [(h, m) for h, m in gaps if abs(h) >= max(least, 1)]
    if chosen:
        found = pair_agreement(table(counts / parts), min_difference=least / parts).loc["M1"]
        assert found["pairs"] == len(chosen)
        assert found["agree"] == sum(h * m > 0 for h, m in chosen)
        assert found["tied"] == sum(m == 0 for _, m in chosen)


def test_means_of_systems_alone_tie_by_their_own_sizes():
    """Where only means are known, two that differ by rounding tie."""
    means = pd.DataFrame({"human": [0.1 + 0.2, 0.3, 0.4, 0.6], "M": [1.0, 3.0, 2.0, 4.0]}, index=list("abcd"))
    found = system_statistics(means, reference="human", statistic="kendall").loc["M", "value"]
    assert found == pytest.approx(3 / np.sqrt(30))


def test_sums_over_clusters_tie_and_vanish_on_paper():
    """Signed scores that cancel leave 0, and equal sums of a cluster are one number."""
    counts = np.array([[[1, 2, -3, 1, 2, 3], [-3, 1, 2, 3, 2, 1]], [[1, 2, 3, 3, 2, 1], [3, 2, 1, 1, 2, 3]]])
    found = mean_by_cluster(table(counts, 0.1, clusters=list("xxxyyy"))).to_numpy()
    assert (found[0, :, 0] == 0).all()
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


# ----------------------------------------------------------------------------------------------------- two rankings

CORRELATIONS = {
    "tau b": kendall_tau,
    "tau a": lambda x, y: kendall_tau(x, y, variant="a"),
    "p of tau": kendall_p_value,
    "tau_ap a": tau_ap,
    "tau_ap b": lambda x, y: tau_ap(x, y, ties="b"),
    "rho": spearman,
    "r": pearson,
    "rbo w": rank_biased_overlap,
    "rbo a": lambda x, y: rank_biased_overlap(x, y, ties="a"),
    "tau of the best": lambda x, y: kendall_tau(*best_of_reference(x, y, k=4)),
}


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("seed", range(4))
def test_rank_correlations_are_those_of_whole_sums(name, unit, seed):
    """Means of multiples of a unit rank as their exact sums do, whatever the coefficient."""
    counts = made(seed, n_metrics=2, n_systems=9)
    expected = CORRELATIONS[name](*counts.sum(axis=2).astype(float))
    assert CORRELATIONS[name](*(counts * unit).mean(axis=2)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cell", WILD)
def test_a_wild_system_adds_its_own_pairs_to_tau(cell):
    """Concordant less discordant pairs grow by those of the wild system alone."""
    counts = made(3, n_metrics=2, n_systems=8)
    n_pairs = 8 * 7 / 2
    plain = kendall_tau(*(counts / 10).mean(axis=2), variant="a") * n_pairs
    means = np.append((counts / 10).mean(axis=2), [[cell], [cell]], axis=1)
    assert kendall_tau(*means, variant="a") * (n_pairs + 8) == pytest.approx(plain + 8)


# ------------------------------------------------------------------------------------------------------- decisions


def of_decisions(counts, unit, **options):
    """Return the agreement of significant pairs of scores in a unit."""
    return decision_agreement(as_scores(np.asarray(counts) * unit), test="t", correction="none", **options)


@pytest.mark.parametrize("unit", [0.1, 100.0, 1 / 7])
@pytest.mark.parametrize("seed", range(3))
def test_agreement_of_decisions_has_no_unit(unit, seed):
    """Verdicts, precision, recall, F1, rank correlations and thresholds are the same in tenths and in counts."""
    counts = made(seed, n_metrics=3, n_systems=8, n_items=20) + np.arange(8)[:, None] // 2
    expected, found = of_decisions(counts, 1.0), of_decisions(counts, unit)
    np.testing.assert_array_equal(found.data["verdict"], expected.data["verdict"])
    for name in ("precision", "recall", "f1", "tau", "tau_ap", "rho"):
        np.testing.assert_allclose(found.data[name], expected.data[name], atol=1e-12)
    cut, whole = found.thresholds(), expected.thresholds()
    np.testing.assert_allclose(cut["threshold"], whole["threshold"] * unit, rtol=1e-9)
    rest = ["predictor", "truth", "f1", "f1_without", "n_kept", "n_predictor"]
    pd.testing.assert_frame_equal(cut[rest], whole[rest])


@pytest.mark.parametrize("seed", range(6))
def test_thresholds_never_part_equal_differences(seed):
    """The best cut is that of an exact search over the differences of the sums."""
    counts = made(seed, n_metrics=2, n_systems=9, n_items=10) + np.arange(9)[:, None] // 3
    agreement = of_decisions(counts, 0.1)
    verdict = agreement.data["verdict"].to_numpy()[0]
    sums = counts.sum(axis=2)
    first, second = np.triu_indices(9, 1)
    for row in agreement.thresholds().itertuples():
        p = agreement.metrics.index(row.predictor)
        gaps, own, other = np.abs(sums[p][first] - sums[p][second]), verdict[p], verdict[1 - p]
        candidates = []
        for least in [0, *sorted(set(gaps[own != 0].tolist()))]:
            kept = np.where(gaps >= least, own, 0)
            shared = ((kept != 0) & (kept == other)).sum()
            candidates.append((Fraction(2 * int(shared), int((kept != 0).sum() + (other != 0).sum())), -least))
        best, least = max(candidates)
        assert row.f1 == pytest.approx(float(best))
        assert row.n_kept == ((gaps >= -least) & (own != 0)).sum()
        all_kept = row.n_kept == row.n_predictor
        assert row.threshold == pytest.approx(0.0 if all_kept else -least / 100)


@pytest.mark.parametrize("cell", WILD)
def test_rank_correlations_of_metrics_beside_a_wild_system(cell):
    """Tau of the mean scores is that of exact sums, though one system scores a million times more, or a sentinel."""
    counts = made(6, n_metrics=2, n_systems=8).astype(object)
    counts[:, 7] = cell
    agreement = decision_agreement(as_scores(counts.astype(float) / 10), test="t", correction="none")
    sums = [[sum(row) for row in part] for part in counts]
    assert agreement.data["tau"].to_numpy()[0, 1] == pytest.approx(exact_kendall(*sums))
    assert agreement.data["rho"].to_numpy()[0, 1] == pytest.approx(exact_spearman(*sums))
