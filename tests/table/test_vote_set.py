"""Votes that are laid out: their parts by system and voter, the systems that they connect, and how many there are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from metaeval.table.vote_set import Votes, numbered_anew
from metaeval.table.votes import as_votes

ROWS = [("x", "y", 1.0, "q1", "p"), ("z", "y", 0.5, "q2", "r"), ("y", "x", 0.0, "q1", ""), ("u", "v", 1.0, "q3", "p")]


def _votes(rows, *, weights=None, counted=False):
    """Lay out rows of left, right, share, question and voter; who has no name comes last and is a voter of its own."""
    lefts, rights, shares, questions, voters = zip(*rows, strict=True)
    systems, asked = sorted({*lefts, *rights}), sorted({*questions})
    named = sorted({*voters} - {""})
    people = [named.index(one) if one else len(named) + voters[:at].count("") for at, one in enumerate(voters)]
    return Votes(
        systems=tuple(systems),
        left=np.array([systems.index(one) for one in lefts]),
        right=np.array([systems.index(one) for one in rights]),
        share=np.array(shares),
        weight=np.ones(len(rows)) if weights is None else np.array(weights, dtype=float),
        units={"question": np.array([asked.index(one) for one in questions]), "voter": np.array(people)},
        names={"question": tuple(asked), "voter": (*named, *[""] * voters.count(""))},
        covariates={"length": np.arange(len(rows), dtype=float)},
        counted=counted,
    )


def _told(votes):
    """Return the rows by name, with weight and covariate: what no numbering changes."""
    names = [np.array(votes.names[unit], dtype=object)[votes.units[unit]] for unit in ("question", "voter")]
    frame = votes.to_frame()
    return list(zip(*(frame[name] for name in ("left", "right", "share", "weight", "length")), *names, strict=True))


several = st.lists(
    st.tuples(
        st.sampled_from([("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("f", "e"), ("g", "h"), ("i", "g")]),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["p", "r", "s", ""]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=12,
).map(lambda rows: ([(*pair, share, item, voter) for pair, share, item, voter, _ in rows], [row[-1] for row in rows]))


@given(several, st.data())
def test_a_part_holds_the_rows_that_it_keeps_and_nothing_of_the_others(drawn, data):
    """Every row with its names, weight and covariate; systems, questions and voters are those that it has, in order."""
    rows, weights = drawn
    votes = _votes(rows, weights=weights)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), dtype=bool)
    part = votes.where(kept)
    assert _told(part) == [row for row, keep in zip(_told(votes), kept, strict=True) if keep]
    chosen = [row for row, keep in zip(rows, kept, strict=True) if keep]
    assert part.systems == tuple(sorted({row[0] for row in chosen} | {row[1] for row in chosen}))
    assert part.names["question"] == tuple(sorted({row[3] for row in chosen}))
    assert [name for name in part.names["voter"] if name] == sorted({row[4] for row in chosen} - {""})
    if chosen:
        assert part.n_units("question") == len({row[3] for row in chosen})
        assert part.n_units("voter") == len({row[4] for row in chosen} - {""}) + sum(not row[4] for row in chosen)


@given(several)
def test_votes_by_voter_are_those_of_each(drawn):
    """Under the voter's name, every vote once; those that name no voter are nobody's."""
    rows, weights = drawn
    votes = _votes(rows, weights=weights)
    parts = votes.by_voter()
    assert list(parts) == sorted({row[4] for row in rows} - {""})
    for name, part in parts.items():
        assert _told(part) == [row for row in _told(votes) if row[-1] == name]
        assert part.names["voter"] == (name,)


def test_votes_of_nobody_have_no_parts_by_voter():
    """Counts of a pair do not say who voted, on what, or how many people there were."""
    votes = as_votes([{"left": "x", "right": "y", "wins": 3, "losses": 1}])
    assert votes.by_voter() == {}
    assert (votes.n_units("voter"), votes.n_units("question")) == (0, 0)
    assert as_votes([{"left": "x", "right": "y", "winner": "left", "judge": "p"}]).n_units("question") == 0


@given(several, st.sets(st.sampled_from("abcdefghi")))
def test_votes_of_some_systems_are_those_between_them(drawn, wanted):
    """A vote of one of them on another system is none; a name that nobody has changes nothing."""
    rows, weights = drawn
    votes = _votes(rows, weights=weights)
    between = [row for row in _told(votes) if {row[0], row[1]} <= wanted]
    assert _told(votes.of(wanted)) == between
    assert _told(votes.of([*wanted, "nobody"])) == between


def literal_groups(rows, weights):
    """Merge the pairs that share a system until none does; the largest first, then the most votes, then the first."""
    groups = []
    for left, right, *_ in rows:
        joined = {left, right}.union(*(one for one in groups if one & {left, right}))
        groups = [one for one in groups if not one & {left, right}] + [joined]
    n_votes = [sum(w for row, w in zip(rows, weights, strict=True) if row[0] in one) for one in groups]
    order = sorted(range(len(groups)), key=lambda at: (-len(groups[at]), -n_votes[at], min(groups[at])))
    return tuple(tuple(sorted(groups[at])) for at in order)


@given(several, st.booleans())
def test_groups_are_those_of_merging_pairs(drawn, counted):
    """Systems that votes connect stand together, a row of counts with as many votes as it counts."""
    rows, weights = drawn
    votes = _votes(rows, weights=weights, counted=counted)
    assert votes.grouped() == literal_groups(rows, weights if counted else [1] * len(rows))


def test_a_frame_names_the_systems_and_carries_what_else_is_known():
    """One row a vote, with the numbers of its question and voter and its covariates."""
    frame = _votes(ROWS).to_frame()
    assert frame.columns.tolist() == ["left", "right", "share", "weight", "question", "voter", "length"]
    assert frame[["left", "right", "share"]].to_numpy().tolist() == [list(row[:3]) for row in ROWS]
    assert frame["question"].tolist() == [0, 1, 0, 2]
    assert frame["voter"].tolist() == [0, 1, 2, 0]


def test_votes_are_counted_as_rows_unless_rows_are_counts():
    """A weight does not make more votes; counts that are sums of thirds are whole again."""
    assert _votes(ROWS, weights=[3, 1, 1, 0.5]).n_votes == 4
    assert _votes(ROWS, weights=[3, 1, 1, 2], counted=True).n_votes == 7
    assert _votes(ROWS, weights=[1 / 3, 1 / 3, 1 / 3, 2], counted=True).n_votes == 3
    assert "4 votes on 5 systems" in repr(_votes(ROWS))
    assert "1 vote on 2 systems" in repr(_votes(ROWS[:1]))


def test_what_a_reader_should_know_of_votes_goes_with_every_part():
    """Who stood on the left, whether rows are counts, and the notes."""
    votes = as_votes([{"winner": "a", "loser": "b"}, {"winner": "b", "loser": "c"}, {"winner": "b", "loser": "c"}])
    part = votes.of(["b", "c"])
    assert (part.placed, part.counted, part.notes, part.read_as) == (False, False, votes.notes, votes.read_as)
    counts = as_votes([{"left": "a", "right": "b", "wins": 2, "losses": 5}]).of(["a", "b"])
    assert (counts.placed, counts.counted, counts.n_votes) == (True, True, 7)


@pytest.mark.parametrize("spread", [1, 2000])
@given(st.lists(st.integers(-5, 5), max_size=8))
def test_codes_are_numbered_as_sorting_them_would(spread, codes):
    """Close together or far apart, with gaps, below 0, or none at all."""
    present, places = numbered_anew(np.array(codes, dtype=np.int64) * spread)
    wanted = pd.factorize(np.array(codes, dtype=np.int64) * spread, sort=True)
    assert present.tolist() == wanted[1].tolist()
    assert places.tolist() == wanted[0].tolist()


def test_who_votes_by_the_side_is_named():
    """Twenty votes to the left on pairs seen both ways: 2 voters * 2 / 2**20. Who prefers, or saw one order, is not."""
    by_side = [("x", "y", 1.0, "q", "s"), ("y", "x", 1.0, "q", "s")] * 10
    by_system = [("x", "y", 1.0, "q", "t"), ("y", "x", 0.0, "q", "t")] * 10
    assert _votes(by_side + by_system).one_sided_voters() == {"s": ("left", 20)}
    mirrored = [(right, left, 1 - share, *units) for left, right, share, *units in by_side]
    assert _votes(mirrored + by_system).one_sided_voters() == {"s": ("right", 20)}
    assert _votes([("x", "y", 1.0, "q", "s")] * 20).one_sided_voters() == {}
    assert _votes(by_side[:10]).one_sided_voters() == {}  # 2 / 2**10 is above .001
    assert _votes([(*row[:4], "") for row in by_side]).one_sided_voters() == {}


def test_votes_without_voters_that_go_by_the_side_are_named():
    """All are of one voter without a name, and the note does not send to a column that is not there."""
    rows = [("x", "y", "x"), ("y", "x", "y")] * 10
    votes = as_votes(pd.DataFrame(rows, columns=["left", "right", "winner"]))
    assert votes.one_sided_voters() == {"": ("left", 20)}
    said = "nearly all of 20 decided votes go to the left, whoever stands there: they say little of the systems"
    assert said in votes.notes
    by_system = as_votes(pd.DataFrame([(a, b, "x") for a, b, _ in rows], columns=["left", "right", "winner"]))
    assert by_system.one_sided_voters() == {}


@given(st.lists(st.tuples(st.sampled_from("st"), st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_one_sided_voters_are_those_of_a_slow_version(rows):
    """Counted voter by voter with SciPy's binomial law."""
    votes = _votes(
        [("x", "y", float(left), "q", who) if way else ("y", "x", float(left), "q", who) for who, way, left in rows]
    )
    slow = {}
    voters = sorted({who for who, _, _ in rows})
    for voter in voters:
        mine = [(way, left) for who, way, left in rows if who == voter]
        n, n_left, n_way = len(mine), sum(left for _, left in mine), sum(way for way, _ in mine)
        most = max(n_left, n - n_left)
        chance = 2 * len(voters) * binom.sf(most - 1, n, 0.5)
        if chance < 0.001 and most >= 0.9 * n and 4 * min(n_way, n - n_way) >= n:
            slow[voter] = ("left" if 2 * n_left > n else "right", n)
    assert votes.one_sided_voters() == slow
