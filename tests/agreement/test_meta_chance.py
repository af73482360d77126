"""What chance makes of agreement with people: shares of shuffles, all of them or some, and how many are drawn."""

from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest

from metaeval.agreement import meta_chance
from metaeval.agreement.meta_cells import MetaCells
from metaeval.agreement.meta_chance import Chance, all_ways, chance_of, compare_with_chance, n_ways, near_limit


def cells_of(human, n_metrics=2):
    """Return a set with these human scores."""
    human = np.array(human, dtype=float)
    scores = np.random.default_rng(0).normal(size=(n_metrics, *human.shape))
    return MetaCells(
        name="",
        metrics=tuple("AB"[:n_metrics]),
        systems=tuple(map(str, range(len(human)))),
        human=human,
        scores=scores,
        given=np.full(scores.shape[:2], np.nan),
        given_human=np.full(len(human), np.nan),
        clusters=np.arange(human.shape[1]),
        over="all",
        second=np.empty((0, *human.shape)),
    )


@pytest.mark.parametrize("exact", [False, True])
def test_a_share_of_shuffles_counts_those_that_reach_the_value(exact):
    """All ways hold the value as it is; of some at random, it is one more. Equal up to rounding is reached."""
    shuffled = np.linspace(0.0, 1.0, 40)[:, None] * [1.0, 1.0, 1.0, np.nan, 1.0]
    value = np.array([1.0, shuffled[20, 0] + 1e-12, 2.0, 0.5, np.nan])
    found = compare_with_chance(value, shuffled, exact=exact)
    reached = [1, 20, 0]
    p = [n / 40 if exact else (n + 1) / 41 for n in reached]
    assert found["p_chance"][:3].tolist() == p
    assert found["p_chance_error"][:3].tolist() == [0.0 if exact else np.sqrt(one * (1 - one) / 40) for one in p]
    assert np.isnan(found["p_chance"][3:]).all()
    assert found["above_chance"].tolist() == [exact, False, True, None, None]
    assert found["chance"][:3] == pytest.approx([0.5] * 3)
    assert found["chance_high"][:3].tolist() == [shuffled[39, 0]] * 3  # of 40, one in forty lies at or above the last
    assert np.isnan(found["chance_high"][3:]).all()


def test_up_to_a_fortieth_of_shuffles_is_above_chance():
    """Just a fortieth is, and one more is not; without shuffles nothing is said."""
    shuffled = np.array([1.0] * 5 + [0.0] * 195)[:, None]
    assert compare_with_chance(np.ones(1), shuffled, exact=True)["above_chance"].tolist() == [True]
    assert compare_with_chance(np.ones(1), shuffled[:199], exact=True)["above_chance"].tolist() == [False]
    assert compare_with_chance(np.ones(1), shuffled[:199], exact=False)["p_chance"].tolist() == [6 / 200]
    assert compare_with_chance(np.ones(1), np.zeros((39, 1)), exact=False)["above_chance"].tolist() == [True]
    nothing = compare_with_chance(np.ones(1), np.empty((0, 1)), exact=False)
    assert nothing["above_chance"].tolist() == [None]
    assert all(np.isnan(nothing[name]).all() for name in ("chance", "chance_high", "p_chance", "p_chance_error"))


def test_a_share_is_near_the_limit_within_four_errors():
    """Of a thousand shuffles that is .0197, of a hundred thousand a tenth of it."""
    for n in (1000, 100_000):
        four = 4 * np.sqrt(0.025 * 0.975 / n)
        assert near_limit(np.array([0.5, 0.025 + 0.99 * four]), n)
        assert near_limit(np.array([0.025 - 0.99 * four]), n)
        assert not near_limit(np.array([0.025 + 1.01 * four, 0.025 - 1.01 * four, np.nan]), n)


@pytest.mark.parametrize(
    ("human", "n"),
    [([[1, 2], [3, 4]], 4), ([[1, np.nan], [3, 4], [0, 2]], 12), ([[1, np.nan], [np.nan, np.nan], [0, 2]], 4)],
)
def test_all_ways_deal_out_the_scores_of_every_item(human, n):
    """Those beside human scores among themselves, and the others among themselves, each way once."""
    cells = cells_of(human)
    ways = all_ways(cells)
    assert len(ways) == n_ways(cells) == n
    there = np.isfinite(np.array(human, dtype=float))
    by_item = [
        [way for way in permutations(range(len(human))) if all(own[a] == own[b] for a, b in enumerate(way))]
        for own in there.T
    ]
    wanted = {tuple(np.array(way).T.ravel().tolist()) for way in product(*by_item)}
    assert {tuple(way.ravel().tolist()) for way in ways} == wanted


def test_ways_at_random_are_all_ways_alike():
    """Each is as likely as any other (2,400 draws of 12, s.e. 14), and none that is not one of them is drawn."""
    cells = cells_of([[1, np.nan], [3, 4], [0, 2]])
    drawn = meta_chance._drawn_ways(cells, 2400, np.random.default_rng(1))
    counts = {}
    for way in drawn:
        counts[tuple(way.ravel().tolist())] = counts.get(tuple(way.ravel().tolist()), 0) + 1
    assert {*counts} == {tuple(way.ravel().tolist()) for way in all_ways(cells)}
    assert max(abs(n - 200) for n in counts.values()) < 4 * 14


def drawn_sizes(monkeypatch, size, n_chance, undecided):
    """Return how many shuffles are measured at a time on a set of so many scores, and how many in all."""
    batches = []

    def measured(_, numbers, sizes, **__):
        batches.extend(sizes)
        assert numbers == list(range(len(batches) - len(sizes), len(batches)))
        return [[np.zeros((n, 1))] for n in sizes]

    monkeypatch.setattr(meta_chance, "parallel_map", measured)
    cells = SimpleNamespace(scores=np.empty(size, dtype=np.int8), there=np.ones((30, 9), dtype=bool), systems=range(30))
    asked = SimpleNamespace(cells={"": cells}, tasks=[None])
    found = chance_of(asked, n_chance, lambda tasks: undecided(len(tasks[0])))
    assert isinstance(found, Chance)
    assert not found.exact
    assert len(found.tasks[0]) == sum(batches)
    return batches


def test_shuffles_are_doubled_until_they_decide(monkeypatch):
    """Never more than 32 times what was asked for; where they decide at once, no more than that."""
    assert sum(drawn_sizes(monkeypatch, 100, 50, lambda _: False)) == 50
    assert sum(drawn_sizes(monkeypatch, 100, 50, lambda n: n < 150)) == 200
    assert sum(drawn_sizes(monkeypatch, 100, 50, lambda _: True)) == 32 * 50


def test_large_tables_are_shuffled_less_often_and_fewer_at_a_time(monkeypatch):
    """All shuffles of a million scores have 2^31 cells at most, those at a time 2^21, whatever is still undecided."""
    batches = drawn_sizes(monkeypatch, 2**20, 1000, lambda _: True)
    assert sum(batches) == 2048
    assert set(batches) == {2}
    assert sum(drawn_sizes(monkeypatch, 2**23, 300, lambda _: True)) == 300
    assert max(drawn_sizes(monkeypatch, 2**20 + 1, 3, lambda _: False)) == 1
