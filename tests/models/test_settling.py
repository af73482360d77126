"""Votes, metrics and boards: pairs counted one by one, and systems that only one of them knows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.regression.linear_model import OLS

from metaeval import as_scores, compare_systems
from metaeval.agreement.decisions import decision_agreement
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.models.settling import SettledPairs, settled_pairs, votes_predicted
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import bradley_terry
from metaeval.questions.votes.study import study_votes
from metaeval.resampling.ranks import rank_intervals
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def scores_of(names, seed=1, noise=0.4):
    """Return scores of systems that get better by name, under a metric, its negative, and noise."""
    drawn = np.random.default_rng(seed).normal(0, noise, (len(names), 60))
    good = np.arange(len(names))[:, None] / 8 + drawn
    return as_scores(np.stack([good, -good, drawn]), systems=names, metrics=["good", "opposite", "noise"])


def test_counts_are_those_of_pairs_one_by_one():
    """Among the systems that both know, each by the draws of its own ranks: the literal count over dictionaries."""
    fitted = bradley_terry(simulate_votes(n_votes=6000, rng=1))
    scores = scores_of(["other", "system2", "system5", "system7", "system8"])
    compared = settled_pairs(fitted, scores, rng=3)
    found = compared.to_frame().query("truth == 'votes'").set_index("predictor")
    names = ["system2", "system5", "system7", "system8"]
    ranks = rank_intervals(scores.sel(system=names), rng=3)
    by_votes = vote_ranks(fitted, names, rng=3)

    def better(rows, turned=1):
        return {
            frozenset((row.system_a, row.system_b)): row.system_a if row.difference * turned > 0 else row.system_b
            for row in rows.itertuples()
            if row.significant
        }

    truth = better(by_votes.pairs())
    for metric, rows in ranks.pairs().groupby("metric"):
        own = better(rows)
        same = sum(truth.get(pair) == name for pair, name in own.items())
        assert found.loc[metric, ["n_predictor", "n_truth", "n_shared"]].tolist() == [len(own), len(truth), same]
        assert found.loc[metric, "n_conflicts"] == len(own.keys() & truth.keys()) - same
    assert found["n_pairs"].tolist() == [6, 6, 6]
    assert found.loc["good", "tau"] == -found.loc["opposite", "tau"] == 1.0
    assert found.loc["opposite", "n_conflicts"] == found.loc["good", "n_shared"] > 0
    assert found.loc["good", "f1"] == pytest.approx(
        2 / (1 / found.loc["good", "precision"] + 1 / found.loc["good", "recall"])
    )
    assert compared.ranked()[compared.voices[0]].is_monotonic_increasing
    assert not compared.ranked()[compared.voices[-1]].is_monotonic_increasing
    ranked = compared.ranked().set_index("system").loc[names]
    expected = ranks.to_frame().query("metric == 'good'").set_index("system").loc[names]
    assert (ranked[["good", "good_low", "good_high"]].to_numpy() == expected.filter(like="rank").to_numpy()).all()


@pytest.mark.parametrize("noise", [0.1, 0.4, 9.0])  # all pairs decided, some, and none
def test_shares_are_those_of_decision_agreement(noise):
    """Where tests decide, boards of the same topics give the precision, recall and F1 of metrics, missing or not."""
    table = scores_of(["a", "b", "c", "d"], noise=noise)
    labels = {name: f"c{number % 8}" for number, name in enumerate(table["topic"].to_numpy())}  # too few for draws
    scores = as_scores(table, clusters=labels)
    boards = {name: scores.sel(metric=[name]) for name in ("good", "opposite", "noise")}
    order = ["predictor", "truth"]
    found = settled_pairs(boards, rng=1)
    assert found.tested == found.voices
    expected = decision_agreement(scores, test="t", correction="holm").to_frame().set_index(order).sort_index()
    compared = found.to_frame().set_index(order).sort_index()
    for name in ("n_shared", "n_conflicts", "precision", "recall", "f1", "tau"):
        np.testing.assert_allclose(compared[name], expected[name], rtol=1e-12, err_msg=name)


def test_two_sets_of_votes_and_their_frame_of_pairs():
    """The same votes settle the same pairs, those of the page of votes; a pair names its better system."""
    votes = simulate_votes(n_votes=3000, rng=1)
    fitted = bradley_terry(votes)
    found = settled_pairs({"people": fitted, "judge": fitted}, rng=7)
    frame = found.to_frame()
    assert frame["f1"].tolist() == [1.0, 1.0]
    assert found.matrix().to_numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    pairs = found.pairs()
    page = study_votes(votes, rng=7).first
    assert ((pairs["people"] != "") == page.settled).all()
    assert (pairs["people"] == pairs["judge"]).all()
    better = pairs[pairs["people"] != ""]
    assert ((better["people"] == better["system_a"]) | (better["people"] == better["system_b"])).all()


def literal_relations(found, first, second):
    """Count the relations pair by pair."""
    kinds = dict.fromkeys(["alike", "opposite", "first alone", "second alone", "neither"], 0)
    for row in found.pairs().to_dict("records"):
        one, other = row[first], row[second]
        if one and other:
            kinds["alike" if one == other else "opposite"] += 1
        else:
            kinds["first alone" if one else "second alone" if other else "neither"] += 1
    return kinds


@given(seed=st.integers(0, 2**32 - 1), shift=st.floats(0.0, 1.0))
@settings(max_examples=3)
def test_relations_add_up_and_turn_with_the_boards(seed, shift):
    """They are those of pairs one by one; the boards' order and that of their systems turn them and no more."""
    drawn = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(6)]
    level = np.arange(6)[:, None] / 4
    first = as_scores(level + drawn.normal(0, 0.5, (6, 30)), systems=names)
    second = as_scores((1 - 2 * shift) * level + drawn.normal(0, 0.5, (6, 20)), systems=names)
    boards = {"x": first, "y": second.isel(system=[3, 1, 0, 5, 4, 2])}
    found = settled_pairs(boards, rng=1)
    own, turned = found.relations("x", "y"), settled_pairs(dict(reversed(boards.items())), rng=1).relations("y", "x")
    assert dict(zip(own["relation"], own["n_pairs"], strict=True)) == literal_relations(found, "x", "y")
    assert own["n_pairs"].sum() == 15
    swapped = {"first alone": "second alone", "second alone": "first alone"}
    again = dict(zip(turned["relation"].replace(swapped), turned["n_pairs"], strict=True))
    assert again == dict(zip(own["relation"], own["n_pairs"], strict=True))
    order = found.same_order("x", "y").set_index("among")
    assert (order["low"].fillna(0) <= order["high"].fillna(1)).all()
    assert order.loc["all", ["n_same", "n_opposite"]].tolist() == own["n_pairs"].tolist()[:2]
    pairs = found.pairs().to_dict("records")
    for among, counted in (("all", pairs), *((side, [row for row in pairs if row[side]]) for side in ("x", "y"))):
        same = sum(bool(row["x"]) and row["x"] == row["y"] for row in counted)
        against = sum(bool(row["x"] and row["y"]) and row["x"] != row["y"] for row in counted)
        assert order.loc[among, ["n_pairs", "n_same", "n_opposite"]].tolist() == [len(counted), same, against]
    moves = found.moves("x", "y").set_index("system")
    opposite = {one for row in found.pairs().itertuples() if row.x and row.y and row.x != row.y for one in row[1:3]}
    assert set(moves.index[moves["opposite"]]) == opposite
    ranked = found.ranked().set_index("system").loc[moves.index]
    assert moves["moved"].tolist() == [one.x_low > one.y_high or one.y_low > one.x_high for one in ranked.itertuples()]
    wrong = dict.fromkeys(own["relation"], 0.0)
    for one, other, p, q in zip(*found.verdicts, *found.wrong, strict=True):
        kind = ("alike" if one == other else "opposite") if one and other else "first alone" if one else "second alone"
        wrong[kind if one or other else "neither"] += min((p if one else 0.0) + (q if other else 0.0), 1.0)
    assert own["n_wrong"].tolist() == pytest.approx(list(wrong.values()))


@pytest.fixture
def by_hand():
    """Two voices on the pairs ab, ac, ad, bc, bd, cd."""
    return SettledPairs(
        voices=("x", "y"),
        systems=tuple("abcd"),
        left_out={},
        estimates=np.array([[4.0, 3.0, 2.0, 1.0], [3.0, 2.0, 4.0, 1.0]]),
        verdicts=np.array([[1, 1, 1, 0, 1, 0], [1, -1, 0, 0, 1, 1]], dtype=np.int8),
        wrong=np.array([[0.01, 0.02, 0.03, 0.4, 0.05, 0.3], [0.1, 0.99, 0.3, 0.5, 0.2, 0.05]]),
        ranks=np.array([[[1, 2, 3, 4], [1, 2, 2, 3], [1, 3, 4, 4]], [[2, 3, 1, 4], [2, 3, 1, 4], [3, 3, 1, 4]]]) * 1.0,
        alpha=0.05,
        seed=0,
    )


def test_what_two_voices_settle_by_hand(by_hand):
    """Two pairs alike, one in opposite directions, and what either settles alone."""
    order = by_hand.same_order("x", "y").set_index("among")
    assert order.loc["all"].tolist() == [6, 2, 1, 2 / 6, 1 - 1 / 6]
    assert order.loc["x"].tolist() == [4, 2, 1, 2 / 4, 1 - 1 / 4]
    assert order.loc["y"].tolist() == [4, 2, 1, 2 / 4, 1 - 1 / 4]
    relations = by_hand.relations("x", "y").set_index("relation")
    assert relations["n_pairs"].to_dict() == {
        "alike": 2,
        "opposite": 1,
        "first alone": 1,
        "second alone": 1,
        "neither": 1,
    }
    assert relations["share"].tolist() == pytest.approx([2 / 6, *[1 / 6] * 4])
    assert relations["n_wrong"].tolist() == pytest.approx([0.11 + 0.25, 1.0, 0.03, 0.05, 0.0])
    moves = by_hand.moves("x", "y").set_index("system")
    assert moves["opposite"].to_dict() == {"a": True, "b": False, "c": True, "d": False}
    assert moves["moved"].to_dict() == {"a": True, "b": False, "c": True, "d": False}
    frame = by_hand.to_frame().set_index(["predictor", "truth"])
    told = ["n_systems", "n_pairs", "n_predictor", "n_truth", "n_shared", "n_conflicts", "precision", "recall", "f1"]
    assert frame.loc[("y", "x"), told].tolist() == [4, 6, 4, 4, 2, 1, 0.5, 0.5, 0.5]
    assert frame.loc[("y", "x"), "tau"] == pytest.approx(2 / 6)  # ac and bc are turned
    assert by_hand.pairs()["y"].tolist() == ["a", "c", "", "", "b", "c"]
    assert by_hand.ranked()["system"].tolist() == list("abcd")
    assert "2 of 6 pairs of 4 systems are settled alike by all" in repr(by_hand)
    assert by_hand.tested == ()


def test_a_voice_that_settles_nothing_leaves_no_shares(by_hand):
    """Nothing is known of the order among none of the pairs."""
    silent = replace(by_hand, verdicts=by_hand.verdicts * np.array([[1], [0]], dtype=np.int8))
    order = silent.same_order("x", "y").set_index("among")
    assert order.loc[["all", "x"], ["n_pairs", "n_same", "n_opposite", "low", "high"]].to_numpy().tolist() == [
        *([6, 0, 0, 0.0, 1.0], [4, 0, 0, 0.0, 1.0])
    ]
    assert order.loc["y", ["low", "high"]].isna().all()
    assert not silent.moves("x", "y")["opposite"].any()


def test_the_share_in_one_true_order_is_held():
    """Boards whose true orders agree on a known share of the pairs: it lies between the ends, and pairs are settled."""
    drawn = np.random.default_rng(5)
    level = np.linspace(-1, 1, 8)
    other = level[[1, 0, 2, 3, 7, 5, 6, 4]]
    a, b = np.triu_indices(8, 1)
    true = np.mean((level[a] < level[b]) == (other[a] < other[b]))
    held, opposite = [], []
    for trial in range(10):
        first, second = (as_scores(own[:, None] + drawn.normal(0, 1, (8, 60))) for own in (level, other))
        found = settled_pairs({"x": first, "y": second}, rng=trial)
        order = found.same_order("x", "y").iloc[0]
        held.append(order["low"] <= true <= order["high"])
        opposite.append(order["n_opposite"])
    assert sum(held) >= 9
    assert np.mean(opposite) > 1
    assert (found.verdicts[0] == rank_intervals(first, rng=9).verdicts()[0]).all()  # those of its leaderboard


def test_few_clusters_are_decided_by_tests():
    """As on the page of a leaderboard: Holm's t tests, without intervals of ranks, and the picture has no whiskers."""
    clusters = {str(number): f"c{number % 9}" for number in range(1, 31)}
    scores = as_scores(np.arange(4)[:, None] / 2 + np.random.default_rng(1).normal(0, 0.3, (4, 30)), clusters=clusters)
    plain = as_scores(scores.to_numpy()[0])
    found = settled_pairs({"few": scores, "plain": plain}, rng=1)
    assert found.tested == ("few",)
    holm = compare_systems(scores, test="t", correction="holm").verdicts()[0]
    assert (found.verdicts[0] == holm).all()
    assert found.ranked()["few_low"].isna().all()
    means = dict(zip(scores["system"].to_numpy(), scores.to_numpy()[0].mean(axis=1), strict=True))
    best_first = sorted(means, key=means.get, reverse=True)
    assert found.ranked()[["system", "few"]].to_numpy().tolist() == [
        [s, at] for at, s in enumerate(best_first, start=1)
    ]
    assert not found.moves("few", "plain")["moved"].any()
    assert len(found.plot().axes) == 1
    assert np.isnan(found.relations("few", "plain")["n_wrong"].iloc[0])


def test_predicted_votes_are_those_one_by_one():
    """Counted vote by vote; equal scores are half a vote, ties and systems that are not scored none."""
    votes = as_votes(simulate_votes(n_systems=5, n_questions=12, n_votes=400, rng=2))
    drawn = np.random.default_rng(3).integers(0, 3, (1, 4, 12)) / 2
    topics = [f"q{number}" for number in range(1, 13)]
    scores = as_scores(drawn, systems=[f"system{n}" for n in range(1, 5)], topics=topics, metrics=["hits"])
    row = votes_predicted(votes, scores).iloc[0]
    right, question, equal = [], [], 0
    for vote in votes.to_frame().itertuples():
        if vote.share == 0.5 or "system5" in {vote.left, vote.right}:
            continue
        one, other = (
            float(scores.sel(system=name, topic=votes.names["question"][vote.question])[0])
            for name in (vote.left, vote.right)
        )
        equal += one == other
        right.append(0.5 if one == other else float((one > other) == (vote.share > 0.5)))
        question.append(vote.question)
    assert (row["n_votes"], row["n_equal"]) == (len(right), equal)
    assert row["share"] == pytest.approx(np.mean(right))
    fitted = OLS(right, np.ones(len(right))).fit(cov_type="cluster", cov_kwds={"groups": question}, use_t=True)
    assert row[["low", "high"]].tolist() == pytest.approx(fitted.conf_int()[0])
    assert not len(votes_predicted(votes, scores.assign_coords(topic=[f"other{n}" for n in range(12)])))


@pytest.mark.parametrize(("right", "n"), [(1, 6), (2, 9), (0, 6), (3, 6)])
def test_questions_that_all_say_the_same_are_so_many_trials(right, n):
    """Of three votes on each question as many are predicted: the interval is Clopper and Pearson's, as SciPy has it."""
    topics = [str(topic) for topic in range(n)]
    rows = [("a", "b", "left" if vote < right else "right", topic) for topic in topics for vote in range(3)]
    votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question"])
    scores = as_scores([[0.9] * n, [0.1] * n], systems=["a", "b"], topics=topics, metrics=["AP"])
    row = votes_predicted(votes, scores, alpha=0.1).iloc[0]
    exact = binomtest(right * n // 3, n).proportion_ci(confidence_level=0.9, method="exact")
    assert row["share"] == pytest.approx(right / 3)
    assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))
    alone = votes_predicted(votes[votes["question"] == "0"], scores).iloc[0]
    assert alone[["low", "high"]].isna().all()  # of one question there is no interval


def test_nothing_in_common():
    """Both sides are named."""
    fitted = bradley_terry(simulate_votes(n_systems=3, rng=1))
    with pytest.raises(ScoresError, match="two systems or more must be known to all"):
        settled_pairs(fitted, scores_of(["system1", "x", "y"]))
    with pytest.raises(InvalidOptionError, match="compared with scores, or with other votes"):
        settled_pairs(fitted)
    with pytest.raises(InvalidOptionError, match="a board has one"):
        settled_pairs({"x": fitted, "y": scores_of(["system1", "system2", "y"])})
    with pytest.raises(UnknownNameError, match="name of votes, board or metric"):
        settled_pairs({"x": fitted, "y": fitted}).relations("x", "z")
    with pytest.raises(InvalidOptionError, match="called 'good'"):
        settled_pairs({"good": fitted}, scores_of(["system1", "system2", "y"]))
