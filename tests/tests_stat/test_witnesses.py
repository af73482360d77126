"""On what significant pairs rest: a witness holds when tested anew, and is as small as brute force finds it."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from metaeval import as_scores, paired_t_test, sign_test, simulate_scores
from metaeval.errors import InvalidOptionError
from metaeval.reports.witnesses import few_rest, pair_rests
from metaeval.table.structure import with_clusters
from metaeval.table.units import units_of
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.witnesses import Claims

N_TABLES = 1000


def tables(rng, n):
    """Yield the differences of a pair on 6 to 14 topics, of many laws, as long as the t test finds it significant."""
    while n:
        size = int(rng.integers(6, 15))
        differences = [
            lambda size=size: np.round(rng.normal(0.3, 0.4, size), 2),
            lambda size=size: rng.choice([-1.0, 0.0, 0.0, 1.0, 1.0], size),
            lambda size=size: rng.exponential(1.0, size) ** 2 - 0.2,
            lambda size=size: rng.standard_t(2, size) + 1.0,
        ][rng.integers(4)]()
        if differences.std() > 0 and stats.ttest_1samp(differences, 0).pvalue <= 0.05 and (differences != 0).sum() > 5:
            n -= 1
            yield differences * rng.choice([-1.0, 1.0])


def holds(differences, level=0.05):
    """Say, by the law of t, whether differences (..., topic) are significantly above 0, as a pair of the t test is."""
    n, spread = differences.shape[-1], differences.std(axis=-1, ddof=1)
    with np.errstate(all="ignore"):
        p = 2 * stats.t.sf(np.abs(differences.mean(axis=-1)) / spread * np.sqrt(n), n - 1)
    p = np.where(spread > 1e-12, p, 0.5 ** (n - 1))
    apart = (np.abs(differences) > 1e-12).sum(axis=-1)
    return (p <= level) & (differences.sum(axis=-1) > 1e-12) & (0.5 ** (apart - 1.0) <= 0.05)


def fewest(differences):
    """Return the fewest topics to leave out, by trying all."""
    n = len(differences)
    for n_gone in range(1, n - 2):
        left = differences[np.array(list(combinations(range(n), n - n_gone)))]
        if not holds(left).all():
            return n_gone
    raise AssertionError(differences)


def greedy(differences):
    """Return how many topics go if the one without which t is least goes first: the definition, step by step."""
    left, n_gone = differences * np.sign(differences.mean()), 0
    while holds(left):
        with np.errstate(all="ignore"):
            without = [np.delete(left, place) for place in range(len(left))]
            ratios = [rest.sum() ** 2 / (rest**2).sum() if rest.sum() > 0 else -1.0 for rest in without]
        left, n_gone = without[int(np.argmin(np.round(ratios, 9)))], n_gone + 1
    return n_gone


def pair_of(differences, **given):
    return paired_t_test(as_scores([differences + 3.0, np.full(len(differences), 3.0)], **given), correction="none")


def test_no_fewer_topics_do_on_1000_tables():
    rows = [differences * np.sign(differences.mean()) for differences in tables(np.random.default_rng(1), N_TABLES)]
    laid_out = np.array([np.pad(row, (0, 14 - len(row)), constant_values=np.nan) for row in rows])
    units = units_of(as_scores(np.zeros((2, 14))))
    given = {"sizes": np.abs(laid_out), "levels": np.full(N_TABLES, 0.05), "fewest": 6, "two_sided": True}
    witnesses = Claims(differences=laid_out, units=units, **given).witnesses()
    for row, witness in zip(rows, witnesses, strict=True):
        assert not holds(row[~witness[: len(row)]])
    assert witnesses.sum(axis=1).tolist() == list(map(fewest, rows))  # the gate is one more


def test_as_many_as_the_greedy_definition_on_hundreds_of_topics():
    rng = np.random.default_rng(2)
    for _ in range(60):
        size = int(rng.integers(50, 300))
        differences = [rng.normal(0.3, 1, size), rng.standard_t(2, size) + 0.5, rng.standard_cauchy(size) + 3][
            rng.integers(3)
        ]
        if holds(np.abs(differences.mean()) / differences.mean() * differences):
            assert pair_of(differences).rests_on()["n_dropped"].tolist() == [greedy(differences)]


def test_as_many_topics_as_the_normal_law_says():
    """Within a topic of 6.7 of 50 and 18.6 of 100 for an effect of .5: the law in benchmarks/studies/witnesses.py."""
    rng = np.random.default_rng(5)
    for n_topics, expected in ((50, 6.7), (100, 18.6)):
        values = np.vstack([np.zeros(n_topics), rng.normal(0.5, 1.0, (1000, n_topics))])
        n_dropped = paired_t_test(as_scores(values), correction="none", baseline="system1").rests_on()["n_dropped"]
        everyone = np.pad(n_dropped, (0, 1000 - len(n_dropped)))  # 0 where a pair is not significant
        assert expected < np.median(everyone) < expected + 1.5


def refuted(scores, row, **asked):
    """Test anew without what a row names, and say whether the pair is no longer significant in its direction."""
    units = scores["cluster" if "cluster" in scores.coords else "topic"].to_numpy().tolist()
    kept = [place for place, name in enumerate(units) if name not in row["rests_on"]]
    pair = scores.sel(metric=[row["metric"]], system=[row["system_a"], row["system_b"]]).isel(topic=kept)
    again = paired_t_test(pair, correction="none", **asked).data
    winner = row["system_a"] if again["better"].item() > 0 else row["system_b"]
    return not again["significant"].item() or winner != row["winner"]


def fewest_units(scores):
    """Return the fewest clusters, or topics, without which the one pair of scores is not significant."""
    row = paired_t_test(scores, correction="none").rests_on().iloc[0].to_dict()
    units = sorted(set(scores["cluster" if "cluster" in scores.coords else "topic"].to_numpy().tolist()))
    sets = (gone for n_gone in range(1, row["n_dropped"] + 1) for gone in combinations(units, n_gone))
    return next(len(gone) for gone in sets if refuted(scores, row | {"rests_on": gone}))


def drawn(rng, n_topics, kind):
    names = [str(place) for place in range(n_topics)]
    values = rng.normal([[0.45], [0.0]], 0.6, (2, n_topics))
    clusters = dict(zip(names, map(str, rng.integers(0, 8, n_topics)), strict=True)) if "clusters" in kind else None
    weights = dict(zip(names, rng.integers(1, 4, n_topics).astype(float), strict=True)) if "weights" in kind else None
    if "gaps" in kind:
        values = np.where(rng.random(values.shape) < 0.1, np.nan, values)
    made = as_scores(values, topics=names, clusters=clusters, weights=weights, missing="pairwise")
    return with_clusters(made, "fixed") if "strata" in kind else made


@pytest.mark.parametrize(
    "kind", ["clusters", "weights", "gaps", "clusters gaps", "clusters weights", "clusters strata"]
)
def test_clusters_go_as_wholes_and_no_two_fewer_do(kind):
    rng, more = np.random.default_rng(3), []
    while len(more) < 8:
        scores = drawn(rng, 24 if kind.startswith("clusters") and "strata" not in kind else 11, kind)
        frame = paired_t_test(scores, correction="none").rests_on()
        if len(frame):
            assert refuted(scores, frame.iloc[0])
            more.append(frame["n_dropped"].item() - fewest_units(scores))
    assert set(more) <= {0, 1}


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_bound_is_the_largest_p_that_is_rejected_beside_the_others(correction):
    rng = np.random.default_rng(4)
    for _ in range(200):
        p = rng.random(7) ** 6
        bounds = CORRECTIONS[correction].bounds(p[None], adjust(p, correction)[None] <= 0.05, 0.05)[0]
        assert (np.isfinite(bounds) == (adjust(p, correction) <= 0.05)).all()
        for place in np.flatnonzero(np.isfinite(bounds)):
            for factor, rejected in ((1 - 1e-9, True), (1 + 1e-9, False)):
                other = p.copy()
                other[place] = bounds[place] * factor
                assert (adjust(other, correction)[place] <= 0.05) == rejected


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_witnesses_of_many_pairs_hold_when_tested_at_their_bound(correction, alternative):
    scores = simulate_scores(n_systems=8, n_topics=30, metrics=["AP", "RR"], rng=1)
    result = paired_t_test(scores, correction=correction, alternative=alternative)
    frame = result.rests_on()
    assert len(frame) == result.data["significant"].sum()
    bounds = result.bounds()
    places = {pair: place for place, pair in enumerate(zip(*_sides(result), strict=True))}
    for row in frame.to_dict("records"):
        kept = ~np.isin(scores["topic"].to_numpy(), row["rests_on"])
        pair = scores.sel(metric=[row["metric"]], system=[row["system_a"], row["system_b"]]).isel(topic=kept)
        again = paired_t_test(pair, correction="none", alternative=alternative).data
        bound = bounds[result.metrics.index(row["metric"]), places[row["system_a"], row["system_b"]]]
        assert again["p_value"].item() > bound or again["p_reachable"].item() > 0.05


def _sides(result):
    return [result.data[side].to_numpy().tolist() for side in ("system_a", "system_b")]


def test_constant_differences_rest_on_all_but_too_few_topics():
    """With n equal differences p is 2^(1 - n): above .05 with five, so that three of eight have to go."""
    assert pair_of(np.full(8, 0.25)).rests_on()["n_dropped"].tolist() == [3]


def test_a_pair_that_only_lacks_topics_rests_on_none():
    """Six near-equal differences: SciPy's p stays below .05 without any one, but an exact test of five has 2^-4."""
    differences = np.array([0.20, 0.21, 0.19, 0.20, 0.22, 0.18])
    assert max(stats.ttest_1samp(np.delete(differences, drop), 0).pvalue for drop in range(6)) < 0.05
    frame = pair_of(differences).rests_on()
    assert (frame["n_dropped"].item(), frame["too_few"].item()) == (1, True)
    assert not pair_of(np.r_[differences, 0.1 * np.arange(30)]).rests_on()["too_few"].item()
    (said,) = pair_rests(pair_of(differences))
    assert said == (
        "Two systems have to differ on 6 topics for an exact test to reach \N{GREEK SMALL LETTER ALPHA} = 0.05: "
        "this pair differs on 6."
    )
    several = paired_t_test(as_scores([differences + 1, 0.001 * np.arange(6), differences * 9 + 1]))
    (told,) = few_rest(several)
    assert told.endswith(" of these 3 significant pairs differ on 6.")
    assert "rests" not in told


def test_nothing_rests_on_anything_where_nothing_is_significant():
    empty = paired_t_test(np.random.default_rng(0).random((4, 9))).rests_on()
    columns = ["metric", "system_a", "system_b", "winner", "n_dropped", "n_units", "share", "rests_on", "too_few"]
    assert list(empty) == columns
    for scores in ([[0.5, 0.7], [0.5, 0.7]], [[1, 2], [0, 0]]):  # equal, and two topics
        assert len(paired_t_test(scores).rests_on()) == 0
    assert len(empty) == 0


def test_order_and_unit_of_scores_change_no_name():
    scores = simulate_scores(n_systems=6, n_topics=40, metrics=["P@10"], rng=3)
    frame = paired_t_test(scores).rests_on()
    rng = np.random.default_rng(0)
    shuffled = scores.isel(topic=rng.permutation(40)).copy()
    assert paired_t_test(shuffled).rests_on().equals(frame)
    assert (
        paired_t_test(scores.copy(data=scores.to_numpy() * 1000 + 0.3)).rests_on()["rests_on"].equals(frame["rests_on"])
    )


def test_another_test_says_that_it_has_no_witnesses():
    with pytest.raises(InvalidOptionError, match="ask what paired_t_test returns"):
        sign_test([[1, 0, 1, 1], [0, 0, 1, 0]]).rests_on()
