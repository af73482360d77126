"""The bootstrap of clusters, strata, weights and gaps: against loops, and against that of plain topics."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval import as_scores, bootstrap_sensitivity, bootstrap_test
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import HeldDraws
from metaeval.table.structure import with_clusters
from metaeval.table.units import units_of
from metaeval.tests_stat.paired_t import t_statistics
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.studentised import Placing, tally_resamples
from metaeval.tests_stat.unit_bootstrap import tally_units, unit_statistics

EVERY = ("clusters", "strata", "weights", "gaps")


def labelled(values, clusters=None, weights=None):
    names = [str(place + 1) for place in range(np.shape(values)[-1])]
    return as_scores(
        values,
        clusters=None if clusters is None else dict(zip(names, map(str, clusters), strict=True)),
        weights=None if weights is None else dict(zip(names, weights, strict=True)),
        missing="pairwise",
    )


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_units_of_one_topic_are_plain_topics(alternative):
    """The same draws give the same counts, statistics and difference required as the kernel for plain topics."""
    values = np.random.default_rng(1).random((2, 7, 25))
    question = ask(values, alternative=alternative)
    (counts,) = question.units.counts(np.random.default_rng(2), 400, at_once=400)
    required = np.zeros((2, 21))
    expected = tally_resamples(question, [HeldDraws(counts.T.astype(np.uint8))], placing=Placing(20, required))
    found, placed = tally_units(question, [counts], place=20)
    rows = [0, 3, 4] if alternative == "two-sided" else [1, 2, 3, 4]
    np.testing.assert_array_equal(found[:, rows], expected[:, rows])
    np.testing.assert_allclose(placed, required, rtol=1e-9)
    np.testing.assert_allclose(unit_statistics(question), t_statistics(question), rtol=1e-9)


def test_a_pair_that_differs_in_one_cluster_warns_of_nothing():
    """Its t is infinite in every resample without that cluster, which are tied at the place of the difference."""
    values = np.tile(np.random.default_rng(1).random((1, 1, 24)), (1, 2, 1))
    values[0, 1, :2] += 0.5
    found = bootstrap_sensitivity(labelled(values, np.arange(24) // 2), n_resamples=200, rng=1)
    assert found.to_frame()["significant"].tolist() == [False]


def literal(z, weights, groups, strata, counts):
    """Return t of the data and of every resample: ratio means and their spread, one stratum and unit at a time."""

    def t_of(drawn, about):
        mean = variance = 0.0
        for stratum in np.unique(strata):
            units = [one for one in np.unique(groups[strata == stratum]) if np.isfinite(z[groups == one]).any()]
            sums = np.array([np.nansum((weights * z)[groups == one]) for one in units])
            sizes = np.array([weights[(groups == one) & np.isfinite(z)].sum() for one in units])
            share = sizes.sum() / weights[np.isfinite(z)].sum()
            often = drawn[units]
            ratio = (often @ sums) / (often @ sizes)
            squares = often @ (sums - ratio * sizes) ** 2
            factor = len(units) / (len(units) - 1)
            mean += share * ratio
            variance += share**2 * factor * squares / (often @ sizes) ** 2
        return (mean - about) / variance**0.5, mean

    t, mean = t_of(np.ones(len(counts)), 0.0)
    return t, mean, np.array([t_of(column, mean)[0] for column in counts.T]), [t_of(c, 0.0)[1] for c in counts.T]


@pytest.mark.parametrize("kind", ["clusters", "strata"])
@pytest.mark.parametrize("gaps", [False, True])
def test_equal_to_a_loop(kind, gaps):
    """Clusters of all sizes, weights, strata and gaps, resample by resample."""
    generator = np.random.default_rng(7)
    values = generator.random((3, 40))
    if gaps:
        values[generator.random(values.shape) < 0.1] = np.nan
    groups = np.concatenate([np.arange(12), generator.integers(0, 12, 28)]) if kind == "clusters" else np.arange(40) % 4
    weights = generator.random(40) + 0.2
    scores = labelled(values, groups, weights)
    scores = with_clusters(scores, "fixed") if kind == "strata" else scores
    question = ask(scores, alternative="better", uses=EVERY)
    (counts,) = question.units.counts(generator, 60, at_once=60)
    tallies = {method: tally_units(question, [counts], method=method)[0] for method in ("studentised", "percentile")}
    shifted = tally_units(question, [counts], method="shifted")[0]
    units, strata = (groups, np.zeros(40)) if kind == "clusters" else (np.arange(40), groups)
    for place, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        t, mean, resampled, means = literal(values[a] - values[b], weights, units, strata, counts)
        assert unit_statistics(question)[0, place] == pytest.approx(t)
        expected = [(np.abs(resampled) >= abs(t)).sum(), (resampled >= t).sum(), (resampled <= t).sum()]
        assert tallies["studentised"][0, :3, place].tolist() == expected
        apart = np.array(means) - mean
        assert tallies["percentile"][0, 1:3, place].tolist() == [
            np.less_equal(means, 0).sum(),
            np.greater(means, 0).sum(),
        ]
        assert shifted[0, 0, place] == (np.abs(apart) >= abs(mean)).sum()


@pytest.mark.parametrize("method", ["studentised", "percentile", "shifted"])
def test_few_clusters_are_refused(method):
    """The message names the number it takes, and the t test."""
    scores = labelled(np.random.default_rng(0).random((2, 18)), np.arange(18) % 9)
    with pytest.raises(InvalidOptionError, match=r"9 of them.*10 at least; use the test 't'"):
        bootstrap_test(scores, method=method, rng=0)
    with pytest.raises(InvalidOptionError, match="bootstrap sensitivity draws clusters whole"):
        bootstrap_sensitivity(scores, rng=0)


def test_a_stratum_of_one_topic_is_refused():
    """It has no spread that resamples could show."""
    scores = with_clusters(labelled(np.random.default_rng(0).random((2, 5)), list("aabbc")), "fixed")
    with pytest.raises(InvalidOptionError, match=r"a stratum of one topic has no spread: 'c'; use the test 't'"):
        bootstrap_test(scores, rng=0)


def test_the_unit_of_the_scores_does_not_matter():
    """Ties of tenths are those of counts, and equal systems have p = 1."""
    counts = np.random.default_rng(4).integers(0, 3, (5, 36))
    counts[4] = counts[0]
    for method in ("studentised", "percentile", "shifted"):
        one, other = (
            bootstrap_test(
                labelled(values, np.arange(36) // 3), method=method, n_resamples=300, rng=1, correction="none"
            )
            for values in (counts.astype(float), counts * 0.1)
        )
        np.testing.assert_array_equal(one.data["p_value"], other.data["p_value"])
        assert one.data["p_value"].to_numpy()[0, 3] == 1.0


def test_pairs_without_common_topics_are_not_tested():
    """One topic in common is none to test by."""
    values = np.random.default_rng(2).random((3, 20))
    values[0, :10], values[1, 9:] = np.nan, np.nan
    for method in ("studentised", "percentile", "shifted"):
        data = bootstrap_test(labelled(values), method=method, n_resamples=99, rng=0, correction="none").data
        assert np.isnan(data["p_value"].to_numpy()[0]).tolist() == [True, False, False]


def test_every_draw_is_a_unit_of_its_own():
    """A cluster drawn twice is two clusters, so that its topics do not all move together."""
    units = units_of(labelled(np.ones((2, 5)), list("aabbc")))
    topics, drawn = units.topics_of(np.array([0, 0, 2]))
    assert topics.tolist() == [0, 1, 0, 1, 4]
    assert drawn.unit.tolist() == [0, 0, 1, 1, 2]
    assert drawn.n_units == 3
    assert replace(units).freedom == 2
