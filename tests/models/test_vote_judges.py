"""Judges on votes: agreement beyond chance, ties and position, counted one by one."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from metaeval.errors import ScoresError
from metaeval.models.vote_judges import (
    TIE,
    agreement_with_voters,
    vote_agreement,
    vote_habits,
    vote_verdicts,
    voters_agreement,
)
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def turned(frame):
    """Write every vote from the other side."""
    sides = {"left": "right", "right": "left", "tie": "tie"}
    return frame.assign(left=frame["right"], right=frame["left"], winner=frame["winner"].map(sides))


@pytest.fixture(scope="module")
def people():
    """Simulate voters who vote on few questions and pairs, so that several vote on one."""
    return simulate_votes(n_systems=4, n_questions=10, n_voters=6, n_votes=400, rng=1)


def test_verdicts_are_majorities_whatever_the_side(people):
    """Counted vote by vote."""
    found = vote_verdicts(people)["all"]
    pd.testing.assert_series_equal(found, vote_verdicts(turned(people))["all"])
    share = {}
    for vote in people.itertuples():
        first, second = sorted((vote.left, vote.right))
        won = {"left": vote.left, "right": vote.right}.get(vote.winner)
        share.setdefault((vote.question, first, second), []).append(0.5 if won is None else float(won == first))
    for key, votes in share.items():
        mean = np.mean(votes)
        assert found[key] == (key[1] if mean > 0.5 else key[2] if mean < 0.5 else TIE)
    assert len(found) == len(share)


def test_agreement_one_by_one(people):
    """Kappa by its definition; a judge agrees with itself, and nothing depends on the side."""
    other = simulate_votes(n_systems=4, n_questions=10, n_votes=300, rng=2)
    one, two = (vote_verdicts(own)["all"] for own in (people, other))
    row = vote_agreement({"people": one, "judge": two}).iloc[0]
    both = [(one[key], two[key]) for key in one.index if key in two.index]
    same, ties = np.mean([a == b for a, b in both]), [np.mean([pair[side] == TIE for pair in both]) for side in (0, 1)]
    chance = ties[0] * ties[1] + (1 - ties[0]) * (1 - ties[1]) / 2
    assert (row["n"], row["same"]) == (len(both), pytest.approx(same))
    assert row["kappa"] == pytest.approx((same - chance) / (1 - chance))
    assert row["low"] < row["kappa"] < row["high"]
    again = vote_agreement({"people": one, "itself": one}).iloc[0]
    assert (again["kappa"], again["same_decided"]) == (1.0, 1.0)
    assert again["low"] < 1.0 == again["high"]
    nothing = vote_agreement({"people": one, "judge": two.rename(lambda name: f"no {name}", level="question")}).iloc[0]
    assert nothing["n"] == 0
    assert np.isnan(nothing["kappa"])


def literal_kappa(pairs):
    """Return kappa of pairs of labels against judges who only keep their shares of ties."""
    ties = [np.mean([pair[side] == TIE for pair in pairs]) for side in (0, 1)]
    chance = ties[0] * ties[1] + (1 - ties[0]) * (1 - ties[1]) / 2
    return (np.mean([a == b for a, b in pairs]) - chance) / (1 - chance)


def test_the_interval_of_agreement_is_the_jackknife_over_questions(people):
    """Each question left out in turn, with Student's t; what is decided is counted apart."""
    one, two = (vote_verdicts(votes)["all"] for votes in (people, simulate_votes(n_systems=4, n_votes=900, rng=2)))
    row = vote_agreement({"people": one, "judge": two}, alpha=0.1).iloc[0]
    both = [(key[0], one[key], two[key]) for key in one.index if key in two.index]
    questions = sorted({question for question, *_ in both})
    left_out = [literal_kappa([pair for own, *pair in both if own != question]) for question in questions]
    g = len(questions)
    error = np.sqrt((g - 1) / g * sum((kappa - np.mean(left_out)) ** 2 for kappa in left_out))
    kappa, half = literal_kappa([pair for _, *pair in both]), t.ppf(0.95, g - 1) * error
    assert (row["low"], row["high"]) == pytest.approx((kappa - half, min(kappa + half, 1.0)))
    assert (row["n"], row["n_questions"]) == (len(both), g)
    decided = [a == b for _, a, b in both if TIE not in {a, b}]
    assert (row["n_decided"], row["same_decided"]) == (len(decided), pytest.approx(np.mean(decided)))
    assert row["kappa_decided"] == pytest.approx(2 * np.mean(decided) - 1)
    ties = [np.mean([pair[side] == TIE for pair in both]) for side in (1, 2)]
    assert (row["ties_first"], row["ties_second"]) == pytest.approx(ties)


def test_an_interval_of_agreement_stays_between_minus_one_and_one():
    """Judges who agree but once, and who disagree but once, on few questions."""
    index = pd.MultiIndex.from_product([range(4), ["a"], ["b"]], names=["question", "first", "second"])
    said = {
        "x": pd.Series(list("aaaa"), index),
        "y": pd.Series(list("aaab"), index),
        "z": pd.Series(list("bbba"), index),
    }
    found = vote_agreement(said).set_index(["first", "second"])
    assert found.loc[("x", "y"), ["kappa", "high"]].tolist() == [0.5, 1.0]
    assert found.loc[("x", "z"), ["kappa", "low"]].tolist() == [-0.5, -1.0]
    assert found.loc[("y", "z"), ["same", "kappa"]].tolist() == [0.0, -1.0]


def test_chance_agreement_is_none():
    """Judges who draw lots have a kappa near 0, whatever their ties."""
    generator = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([range(400), ["a"], ["b"], range(5)]).droplevel(3)
    index.names = ["question", "first", "second"]
    index = pd.MultiIndex.from_arrays([np.arange(2000), ["a"] * 2000, ["b"] * 2000], names=index.names)
    said = [
        pd.Series(generator.choice(["a", "b", TIE], 2000, p=[(1 - t) / 2, (1 - t) / 2, t]), index) for t in (0.1, 0.5)
    ]
    row = vote_agreement({"x": said[0], "y": said[1]}).iloc[0]
    assert row["low"] < 0 < row["high"]
    assert abs(row["kappa"]) < 0.06


def test_position_and_voters(people):
    """An advantage on the left is found; both orders and pairs of voters are counted one by one."""
    generator = np.random.default_rng(3)
    frame = simulate_votes(n_systems=4, n_votes=3000, ties=0.0, rng=1)
    drawn = np.where(generator.random(3000) < 0.3, "left", frame["winner"])
    row = vote_habits(frame.assign(winner=drawn)).iloc[0]
    assert row["low"] > 0.55
    assert row["p_value"] < 1e-6
    plain = vote_habits(frame).iloc[0]
    assert plain["low"] < 0.5 < plain["high"]
    both = pd.concat([frame.iloc[:100], turned(frame.iloc[:100])])
    assert vote_habits(both).iloc[0]["same"] == 1.0
    n, share = voters_agreement(vote_verdicts(people))
    wide = vote_verdicts(people).drop(columns="all")
    pairs = [
        (a, b)
        for row in wide.to_numpy()
        for place, a in enumerate(row)
        for b in row[place + 1 :]
        if isinstance(a, str) and isinstance(b, str)
    ]
    assert n == int((wide.notna().sum(axis=1) > 1).sum())
    assert share == pytest.approx(np.mean([a == b for a, b in pairs]))


def test_one_voter_of_a_judge_agrees_with_people_as_often_as_counted_one_by_one(people):
    """A judge who is one of the people agrees with the others as they do with each other."""
    wide = vote_verdicts(people)
    alone, others = wide[["all"]].assign(all=wide.iloc[:, 1]).dropna(), wide.drop(columns=wide.columns[1])
    pairs = [
        (said, label)
        for place, said in alone["all"].items()
        for label in others.drop(columns="all").loc[place]
        if isinstance(label, str)
    ]
    assert agreement_with_voters(others, alone) == pytest.approx(np.mean([a == b for a, b in pairs]))


def test_where_little_is_known():
    """Without questions nothing is compared; without bounds there is no position; one voter agrees with nobody."""
    bare = as_votes([{"left": "a", "right": "b", "winner": "left"}])
    with pytest.raises(ScoresError, match="name no question"):
        vote_verdicts(bare)
    row = vote_habits(bare).iloc[0]
    assert np.isnan(row["left"])
    assert np.isnan(row["same"])
    one = vote_verdicts([{"left": "a", "right": "b", "winner": "left", "question": "q", "voter": "v"}])
    assert voters_agreement(one)[0] == 0


def test_agreement_on_all_questions_has_an_interval_too():
    """Ten alike: a share of 1 - .025 ** (1 / 10) = .3085 may be exceptions (Clopper and Pearson), each worth 2 of κ."""
    index = pd.MultiIndex.from_product([range(10), ["a"], ["b"]], names=["question", "first", "second"])
    said = pd.Series(["a", "b"] * 5, index)
    found = vote_agreement({"people": said, "judge": said}).iloc[0]
    assert found[["same_low", "same_high"]].tolist() == pytest.approx([0.6915, 1.0], abs=1e-4)
    assert found[["low", "high"]].tolist() == pytest.approx([0.3830, 1.0], abs=1e-4)
