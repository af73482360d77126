"""Rows that stand for several votes: counts of outcomes, and counts seen from either side."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.vote_cells import RowError, TextCells
from metaeval.table.vote_columns import COLUMNS
from metaeval.table.vote_rows import is_running_number, mirrors, unsaid_votes, votes_of_row, whole_counts
from metaeval.table.votes import as_votes

OUTCOMES = [("A", "B", "left", 30), ("A", "B", "right", 10), ("A", "C", "left", 30)]
OUTCOMES += [("A", "C", "right", 10), ("B", "C", "left", 20), ("B", "C", "right", 15)]
BOTH_SIDES = [("A", "B", 30, 10, 2, 42), ("A", "C", 25, 14, 1, 40), ("B", "C", 20, 15, 1, 36)]


def _tally(name="count", rows=OUTCOMES):
    return pd.DataFrame(rows, columns=["left", "right", "winner", name])


def _sides(rows=BOTH_SIDES):
    mirrored = [(right, left, losses, wins, ties, total) for left, right, wins, losses, ties, total in rows]
    return pd.DataFrame([*rows, *mirrored], columns=["left", "right", "wins", "losses", "ties", "total"])


@pytest.mark.parametrize("name", [*COLUMNS["count"], "N votes", "Count"])
def test_a_column_of_counts_says_how_many_votes_a_row_stands_for(name):
    """As many rows of one vote each say the same, whatever the column is called."""
    table = _tally(name)
    one_by_one = as_votes(table.loc[table.index.repeat(table[name])].drop(columns=name))
    found = as_votes(table)
    assert found.n_votes == one_by_one.n_votes == 115
    pd.testing.assert_frame_equal(found.to_frame(), one_by_one.to_frame())
    assert f"column {name!r} says how many votes each row stands for" in found.notes
    assert not any("left out" in note or "repeat" in note for note in found.notes)


@given(st.lists(st.integers(1, 9), min_size=6, max_size=6).filter(lambda counts: counts != [*range(1, 7)]))
def test_counts_of_units_are_votes_of_theirs(counts):
    """Votes of a question stay votes of it, and of one that nobody named each is of its own."""
    table = _tally(rows=[(*row[:3], n) for row, n in zip(OUTCOMES, counts, strict=True)])
    table["question"] = ["p", "p", "q", "q", None, None]
    found = as_votes(table)
    assert found.n_votes == sum(counts)
    assert found.n_units("question") == 2 + sum(counts[4:])


def test_winners_and_losers_are_counted_too():
    """A row of a winner and a loser stands for as many votes as its count says."""
    found = as_votes(pd.DataFrame([("A", "B", 30), ("B", "A", 10)], columns=["winner", "loser", "n"]))
    assert (found.n_votes, found.share.sum()) == (40, 40)


def test_a_running_number_counts_no_votes():
    """1, 2, 3 down the rows number them, and a filter leaves gaps."""
    table = _tally("n", [(*row[:3], number) for number, row in enumerate(OUTCOMES, start=1)])
    table["who"] = ["x", "y"] * 3
    for found, n_votes in ((as_votes(table), 6), (as_votes(table, where={"who": "y"}), 3)):
        assert found.n_votes == n_votes
        assert "column 'n' numbers the rows, and counts no votes" in found.notes


@pytest.mark.parametrize("wrong", [0, -3, 2.5, None, "many", "inf"])
def test_a_count_that_is_none_is_refused(wrong):
    """A column called as a count is never left out: what is no count is an error of its row."""
    with pytest.raises(ScoresError, match="row 2: column 'count' says how many votes"):
        as_votes(_tally(rows=[OUTCOMES[0], (*OUTCOMES[1][:3], wrong), *OUTCOMES[2:]]))


def test_rows_that_say_the_same_are_asked_for():
    """Numbers beside single votes (of a topic, say) may be no counts; the way out counts them."""
    table = _tally("num", [OUTCOMES[0], *OUTCOMES])
    with pytest.raises(ScoresError, match=r"row 2: .* pass `columns={'count': 'num'}`"):
        as_votes(table)
    assert as_votes(table, columns={"count": "num"}).n_votes == 145
    assert as_votes(table.rename(columns={"num": "other"})).n_votes == 7


def test_too_many_votes_are_refused_before_they_are_laid_out():
    """A count of a thousand million needs no memory; where one row is all, it is the row that is named."""
    with pytest.raises(ScoresError, match="columns wins, losses and ties"):
        as_votes(_tally(rows=[(*row[:3], 10**9) for row in OUTCOMES]))
    with pytest.raises(ScoresError, match="row 1: column 'count' counts 20,000,001 votes, and at most 20,000,000"):
        as_votes(_tally(rows=[(*OUTCOMES[0][:3], 20_000_001)]))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 0, 4, 1, 3, 2]])
def test_counts_seen_from_the_other_side_are_the_same_votes(order):
    """Both rows of a pair say as much as one of them."""
    table = _sides()
    found, of_one = as_votes(table.iloc[order]), as_votes(table[:3])
    assert found.n_votes == of_one.n_votes == 118
    wins = {frozenset(pair): n for *pair, n in of_one.to_frame()[["left", "right", "weight"]].to_numpy() if n > 2}
    assert set(wins) == {frozenset("AB"), frozenset("AC"), frozenset("BC")}
    assert "118 votes left out, whose rows are others seen from the other side" in found.notes
    assert not any("total" in note for note in found.notes)


def test_tallies_seen_from_the_other_side_are_the_same_votes():
    """A's thirty wins over B are B's thirty losses to A."""
    turned = {"left": "right", "right": "left"}
    table = _tally(rows=[*OUTCOMES, *((right, left, turned[word], n) for left, right, word, n in OUTCOMES)])
    assert as_votes(table).n_votes == 115


def test_either_order_of_a_pair_is_votes_of_its_own_where_they_differ():
    """Counts by who stood on the left are not the same votes."""
    table = pd.DataFrame([("A", "B", 30, 10), ("B", "A", 12, 28)], columns=["left", "right", "wins", "losses"])
    assert as_votes(table).n_votes == 80
    single = pd.DataFrame([("A", "B", 1, 0), ("B", "A", 0, 1)], columns=["left", "right", "wins", "losses"])
    assert as_votes(single).n_votes == 2


def test_a_row_that_its_other_side_contradicts_is_refused():
    """Where nearly all rows are another's other side, one that differs is a mistake."""
    table = pd.concat(
        [_sides([(a, b, n, n + 3, 0, 2 * n + 3) for n, (a, b) in enumerate(["AB", "AC", "BC", "AD", "BD"], 5)])]
    )
    table.loc[0, ["wins", "total"]] += 1
    with pytest.raises(ScoresError, match="row 1: most rows are others seen from the other side"):
        as_votes(table)


def test_totals_are_checked():
    """A total that is less than its parts is refused, and one that is more leaves votes unsaid."""
    table = pd.DataFrame(BOTH_SIDES, columns=["left", "right", "wins", "losses", "ties", "total"])
    with pytest.raises(ScoresError, match="row 1: column 'total' says 41 votes, and wins, losses and ties are 42"):
        as_votes(table.assign(total=table["total"] - 1))
    assert (
        "5 votes of the totals are neither won, lost nor tied, and left out"
        in as_votes(table.drop(columns="ties").assign(total=table["total"] + [1, 0, 0])).notes
    )


def test_only_columns_that_there_are_may_be_named():
    """The role is one of those that an error lists."""
    with pytest.raises(InvalidOptionError, match="count"):
        as_votes(_tally(), columns={"number": "count"})
    assert np.isclose(as_votes(_tally("k"), columns={"count": "k"}).share.mean(), 80 / 115)


# --------------------------------------------------------------------------------------------------------- the limits


def test_a_row_counts_for_a_thousand_million_votes_at_most():
    """Such a count is taken, one more is not, and the row is named."""
    assert whole_counts(np.array([0, 1, 10**9]), "wins").tolist() == [0.0, 1.0, 1e9]
    for odd in (10**9 + 1, -1, 1.5, np.nan):
        with pytest.raises(
            RowError, match="column 'wins' must hold counts: whole numbers of 0 or more, up to 1,0"
        ) as one:
            whole_counts(np.array([3.0, odd, -7.0]), "wins")
        assert one.value.place == 1


def test_a_row_stands_for_one_vote_at_least():
    """And for a thousand million at most; twenty millions in all can be laid out."""
    both = [np.array([0, 1]), np.array([1, 0])]
    assert votes_of_row(np.array([1.0, 19_999_999.0]), "n", both, named=False).tolist() == [1, 19_999_999]
    with pytest.raises(RowError, match="counts 20,000,001 votes, and at most 20,000,000 are laid out"):
        votes_of_row(np.array([1.0, 20_000_000.0]), "n", both, named=False)
    with pytest.raises(RowError, match="at most 20,000,000 are laid out"):
        votes_of_row(np.array([1.0, 1e9]), "n", both, named=True)
    for odd in (0.0, 1e9 + 1, 0.5, np.nan):
        with pytest.raises(RowError, match="a whole number of 1 or more") as one:
            votes_of_row(np.array([1.0, odd]), "n", both, named=True)
        assert one.value.place == 1


def test_rows_of_one_vote_each_may_say_the_same():
    """Where every count is 1 there is nothing to mistake; else the first that says what an earlier one did is named."""
    alike = [np.array([0, 1, 0]), TextCells(np.array([0, 0, 0]), ["a"])]
    assert votes_of_row(np.ones(3), "n", alike, named=False).tolist() == [1, 1, 1]
    assert votes_of_row(np.array([1.0, 1.0, 4.0]), "n", alike, named=True).tolist() == [1, 1, 4]
    with pytest.raises(RowError, match="says the same as an earlier one") as one:
        votes_of_row(np.array([4.0, 1.0, 1.0]), "n", alike, named=False)
    assert one.value.place == 2


@pytest.mark.parametrize(
    ("counts", "last", "runs"),
    [
        ([1, 2, 3], 0, True),
        ([0, 1, 2], 0, True),
        ([2, 3, 4], 0, False),
        ([1, 2], 0, False),
        ([1, 2, 2], 0, False),
        ([4, 5], 3, True),
        ([4], 3, True),
        ([5], 3, False),
        ([1], 0, False),
        ([], 3, False),
        ([3, 2, 1], 0, False),
    ],
)
def test_rows_are_numbered_from_0_or_1_or_on_from_the_last(counts, last, runs):
    """Three of them at least to begin with, then every one of a further table that goes on."""
    assert is_running_number(np.array(counts, dtype=float), last) is runs


def test_totals_may_equal_their_parts():
    """What is beyond them is counted over all rows, and the first row with less is named."""
    said = np.array([42.0, 40.0, 36.0])
    assert unsaid_votes(said, said, "total") == 0
    assert unsaid_votes(np.array([42.0, 41.0, 39.0]), said, "total") == 4
    with pytest.raises(RowError, match="column 'total' says 39 votes, and wins, losses and ties are 40") as one:
        unsaid_votes(np.array([42.0, 39.0, 34.0]), said, "total")
    assert one.value.place == 1


def _pairs_of_rows(n_same, n_other):
    """Return counts of pairs from both sides, of which some say the same."""
    n = n_same + n_other
    first, second = 2 * np.arange(n), 2 * np.arange(n) + 1
    wins = np.arange(n) + 10
    turned_losses = wins + np.repeat([0, 1], [n_same, n_other])
    seen = [
        *(
            np.concatenate(one)
            for one in ((first, second), (second, first), (wins, wins * 0), (wins * 0, turned_losses))
        )
    ]
    return seen, [seen[1], seen[0], seen[3], seen[2]]


@pytest.mark.parametrize(("n_same", "n_other"), [(3, 1), (2, 1), (1, 1), (4, 0), (0, 3)])
def test_from_three_quarters_on_rows_that_are_alike_show_a_mistake(n_same, n_other):
    """Of two thirds nobody can say so: they are votes of their own; where all are alike the second are left out."""
    seen, turned = _pairs_of_rows(n_same, n_other)
    if n_same == 3:
        with pytest.raises(RowError, match="most rows are others seen from the other side") as one:
            mirrors(seen, turned)
        assert one.value.place == n_same
    else:
        n = n_same + n_other
        assert mirrors(seen, turned).tolist() == [False] * n + [n_other == 0] * n


def test_rows_from_one_side_are_no_mirrors():
    """Also where a pair has rows of both orders once, beside pairs that have not."""
    assert mirrors([np.array([0, 0]), np.array([1, 2])], [np.array([1, 2]), np.array([0, 0])]).tolist() == [False] * 2
    assert mirrors([np.empty(0, dtype=int)] * 2, [np.empty(0, dtype=int)] * 2).tolist() == []
