"""Strengths from votes: against published ratings, statsmodels, a literal version, laws, and degenerate input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, stdtrit
from statsmodels.discrete.discrete_model import Logit
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.io.votes import read_votes
from metaeval.models.vote_strengths import bradley_terry, win_matrix
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes

WORDS = {1.0: "left", 0.0: "right", 0.5: "tie"}


def votes(*rows, **columns):
    """Return votes from rows of left, right and winner."""
    return as_votes(pd.DataFrame(rows, columns=["left", "right", "winner"]).assign(**columns))


def literal(given, steps=20000):
    """Fit as Zermelo did: one system after the other, by the votes it won."""
    wins, n = win_matrix(given), len(given.systems)
    strength = np.ones(n)
    for _ in range(steps):
        before = strength.copy()
        for one in range(n):
            met = [(wins[one, other] + wins[other, one]) / (strength[one] + strength[other]) for other in range(n)]
            strength[one] = wins[one].sum() / (sum(met) - met[one])
        strength /= np.exp(np.log(strength).mean())
        if np.abs(np.log(strength / before)).max() < 1e-14:
            break
    return np.log(strength)


def literal_covariance(given, strengths, codes):
    """Return the sandwich vote by vote, each vote a row of a design matrix."""
    n = len(given.systems)
    design = np.zeros((len(given.share), n))
    design[np.arange(len(design)), given.left] = 1
    design[np.arange(len(design)), given.right] = -1
    chance = expit(design @ strengths)
    bread = np.linalg.pinv(design.T @ (design * (chance * (1 - chance))[:, None]))
    scores = design * (given.share - chance)[:, None]
    meat, clusters = np.zeros((n, n)), np.unique(codes)
    for one in clusters:
        own = scores[codes == one].sum(axis=0)
        meat += np.outer(own, own)
    return len(clusters) / (len(clusters) - 1) * bread @ meat @ bread


def literal_cr2(given, strengths, codes):
    """Return CR2 with the hat matrix of every cluster in full, and Satterthwaite's degrees of freedom of all pairs."""
    n = len(given.systems)
    design = np.zeros((len(given.share), n - 1))
    for row, (one, other) in enumerate(zip(given.left, given.right, strict=True)):
        design[row, one - 1] += one > 0
        design[row, other - 1] -= other > 0
    strengths = strengths[1:] - strengths[0]
    chance = expit(design @ strengths)
    spread = np.sqrt(chance * (1 - chance))
    weighted = design * spread[:, None]
    bread = np.linalg.inv(weighted.T @ weighted)
    hat = weighted @ bread @ weighted.T
    residual = (given.share - chance) / spread
    rows, parts = [], []
    for one in np.unique(codes):
        own = np.flatnonzero(codes == one)
        values, vectors = np.linalg.eigh(np.eye(len(own)) - hat[np.ix_(own, own)])
        root = (vectors / np.sqrt(values)) @ vectors.T
        parts.append(bread @ weighted[own].T @ root)
        rows.append(parts[-1] @ residual[own])
    rows = np.array(rows)
    left = np.eye(len(hat)) - hat
    members = [np.flatnonzero(codes == one) for one in np.unique(codes)]
    error, freedom = np.zeros((n, n)), np.full((n, n), np.nan)
    for a in range(n):
        for b in range(n):
            contrast = np.zeros(n)
            contrast[a] += 1
            contrast[b] -= 1
            contrast = contrast[1:]
            error[a, b] = np.sqrt(((rows @ contrast) ** 2).sum())
            if a != b:
                linear = np.array(
                    [left[:, own] @ (part.T @ contrast) for own, part in zip(members, parts, strict=True)]
                )
                cross = linear @ linear.T
                freedom[a, b] = cross.trace() ** 2 / (cross**2).sum()
    return error, freedom


@pytest.mark.parametrize("name", ["simple.csv", "food.csv", "llmfao.csv.gz"])
def test_ratings_are_those_of_evalica(data_folder, name):
    """Bradley and Terry's add up to 1; Newman's are Davidson's model, which has no scale of its own."""
    given = read_votes(data_folder / "votes" / name)
    kept = pd.read_csv(data_folder / "votes" / f"{name.split('.')[0]}-golden.csv", dtype={"item": str})
    kept = kept.pivot_table(index="item", columns="algorithm", values="score").loc[list(given.systems)]
    found = np.exp(bradley_terry(given).strengths)
    np.testing.assert_allclose(found / found.sum(), kept["bradley_terry"], atol=1e-9, rtol=0)
    newman = np.log(kept["newman"])
    np.testing.assert_allclose(
        bradley_terry(given, ties="davidson").strengths, newman - newman.mean(), atol=1e-9, rtol=0
    )


def test_errors_of_public_votes_grow_with_questions(data_folder):
    """By prompts the errors are 1.59 times those of independent votes (the sketch's sandwich), and CR2's larger."""
    given = read_votes(data_folder / "votes" / "llmfao.csv.gz")
    fitted = bradley_terry(given, clusters=["question"])
    n = len(given.systems)
    plain = literal_covariance(given, fitted.strengths, given.units["question"])
    alone = literal_covariance(given, fitted.strengths, np.arange(len(given.share)))
    ratio = np.sqrt(plain.diagonal() / alone.diagonal())
    assert round(float(np.median(ratio)), 2) == 1.59
    np.testing.assert_allclose(fitted.independent.covariance[:n, :n], alone, atol=1e-12)
    assert 1.59 < fitted.inflation < 1.7


def test_strengths_are_those_of_a_literal_fit():
    """Zermelo's iteration, system by system."""
    given = as_votes(simulate_votes(n_systems=6, n_votes=400, rng=1))
    np.testing.assert_allclose(bradley_terry(given).strengths, literal(given), atol=1e-9)


@pytest.mark.parametrize("clusters", [("question",), ("voter",)])
def test_errors_are_those_of_statsmodels(clusters):
    """A logistic regression without intercept on signs of systems, its errors clustered; many clusters."""
    given = as_votes(simulate_votes(n_systems=5, n_questions=80, n_voters=70, n_votes=900, ties=0, rng=2))
    fitted = bradley_terry(given, clusters=clusters)
    design = np.zeros((len(given.share), 5))
    design[np.arange(len(design)), given.left] = 1
    design[np.arange(len(design)), given.right] -= 1
    codes = given.units[clusters[0]]
    number = len(np.unique(codes))
    model = Logit(given.share, design[:, 1:]).fit(disp=0, tol=1e-12)
    other = GLM(given.share, design[:, 1:], family=Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}, tol=1e-14
    )
    np.testing.assert_allclose(fitted.strengths[1:] - fitted.strengths[0], model.params, atol=1e-8)
    data = fitted.comparison().data
    ours = data["standard_error"].to_numpy()[0, :4]  # of the first system with the others
    np.testing.assert_allclose(ours, other.bse * np.sqrt(number / (number - 1)), rtol=1e-7)


def test_few_clusters_are_those_of_a_literal_cr2():
    """The sums of scores and of information are enough for CR2 and for the degrees of freedom of every pair."""
    given = as_votes(simulate_votes(n_systems=5, n_questions=9, n_votes=300, rng=3))
    fitted = bradley_terry(given, clusters=["question"])
    error, freedom = literal_cr2(given, fitted.strengths, given.units["question"])
    square = fitted.covariance
    ours = np.sqrt(square.diagonal()[:, None] + square.diagonal() - 2 * square)
    np.testing.assert_allclose(ours, error, atol=1e-9)
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(fitted.freedom[off], freedom[off], rtol=1e-8)


def test_two_ways_have_no_less_than_the_larger_alone():
    """In any direction, as Cameron, Gelbach and Miller's sum is floored."""
    given = as_votes(simulate_votes(n_systems=6, n_questions=60, n_voters=55, by_voter=0.8, rng=4))
    both, *alone = (bradley_terry(given, clusters=one) for one in (["question", "voter"], ["question"], ["voter"]))
    larger = max(alone, key=lambda one: one.covariance.trace())
    assert np.linalg.eigvalsh(both.covariance - larger.covariance).min() > -1e-12
    crossed = given.units["question"] * 1000 + given.units["voter"]
    summed = alone[0].covariance + alone[1].covariance - literal_covariance(given, both.strengths, crossed)
    assert np.linalg.eigvalsh(both.covariance - summed).min() > -1e-9


def test_a_bootstrap_of_questions_agrees():
    """The spread of strengths over drawn questions is within a seventh of the sandwich's."""
    given = as_votes(simulate_votes(n_systems=4, n_questions=150, n_voters=4000, by_voter=0, n_votes=3000, rng=5))
    generator, question = np.random.default_rng(1), given.units["question"]
    members = np.split(np.argsort(question, kind="stable"), np.cumsum(np.bincount(question))[:-1])
    drawn = []
    for _ in range(120):
        chosen = np.concatenate([members[one] for one in generator.integers(0, len(members), len(members))])
        frame = given.to_frame().iloc[chosen].assign(winner=lambda one: one["share"].map(WORDS))
        drawn.append(bradley_terry(frame[["left", "right", "winner"]], clusters=[]).strengths)
    spread = np.std(drawn, axis=0)
    error = np.sqrt(bradley_terry(given, clusters=["question"]).covariance.diagonal())
    np.testing.assert_allclose(spread, error, rtol=0.15)


def test_intervals_hold_their_level_where_independent_ones_do_not():
    """Thirteen questions that matter, in 25 arenas; true differences from a hundred times the questions."""
    options = {"n_systems": 6, "n_votes": 1200, "n_voters": 60, "by_question": 0.9, "by_voter": 0.3}
    truth = bradley_terry(
        simulate_votes(**options | {"n_questions": 20000, "n_voters": 20000, "n_votes": 400000}, rng=0)
    )
    true = truth.strengths[:, None] - truth.strengths
    inside, alone = [], []
    for seed in range(25):
        fitted = bradley_terry(simulate_votes(n_questions=13, **options, rng=seed + 1))
        for kept, independent in ((inside, False), (alone, True)):
            found = fitted.comparison(independent=independent)
            half = np.abs(found.data["difference"].to_numpy()[0] - true[np.triu_indices(6, 1)])
            error, freedom = (found.data[name].to_numpy()[0] for name in ("standard_error", "degrees_of_freedom"))
            kept.append((half <= stdtrit(freedom, 0.975) * error).mean())
    assert 0.90 < np.mean(inside) < 0.99
    assert np.mean(alone) < 0.8


@settings(max_examples=20)
@given(st.integers(0, 2**31))
def test_sides_and_order_do_not_matter(seed):
    """Turned about, or in another order, the same votes give the same answer."""
    frame = simulate_votes(n_systems=4, n_questions=12, n_votes=150, rng=seed)
    turned = frame.assign(
        left=frame["right"],
        right=frame["left"],
        winner=frame["winner"].map({"left": "right", "right": "left"}).fillna("tie"),
    ).sample(frac=1, random_state=seed % 1000)
    one, other = bradley_terry(frame), bradley_terry(turned)
    np.testing.assert_allclose(one.strengths, other.strengths, atol=1e-9)
    np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-9)


def test_position_is_a_covariate():
    """An advantage of the left is found, and turning all pairs changes its sign alone."""
    frame = simulate_votes(n_systems=4, n_votes=4000, by_question=0, by_voter=0, ties=0, rng=1)
    swayed = np.random.default_rng(2).random(len(frame)) < 0.3
    frame.loc[swayed, "winner"] = "left"
    found = bradley_terry(as_votes(frame, covariates=["position"])).coefficient_frame().iloc[0]
    assert found["name"] == "position"
    assert found["low"] > 0.3
    turned = frame.assign(
        left=frame["right"], right=frame["left"], winner=frame["winner"].map({"left": "right", "right": "left"})
    )
    other = bradley_terry(as_votes(turned, covariates=["position"])).coefficient_frame().iloc[0]
    np.testing.assert_allclose(other["estimate"], -found["estimate"], atol=1e-9)


def test_covariates_are_those_of_a_logistic_regression():
    """Strengths and coefficients together."""
    frame = simulate_votes(n_systems=4, n_votes=600, ties=0, rng=3)
    frame["length"] = np.random.default_rng(1).normal(size=600)
    given = as_votes(frame, covariates=["length", "position"])
    design = np.zeros((600, 4))
    design[np.arange(600), given.left] = 1
    design[np.arange(600), given.right] -= 1
    exogenous = np.column_stack([design[:, 1:], frame["length"], np.ones(600)])
    other = Logit(given.share, exogenous).fit(disp=0, tol=1e-12)
    fitted = bradley_terry(given, clusters=[])
    np.testing.assert_allclose(fitted.coefficients["estimate"], other.params[3:], atol=1e-8)
    np.testing.assert_allclose(fitted.strengths[1:] - fitted.strengths[0], other.params[:3], atol=1e-8)


def test_counts_are_their_votes():
    """Wins, losses and ties give the strengths and the independent errors of the votes that they count."""
    frame = simulate_votes(n_systems=4, n_votes=300, rng=2)
    words = frame.assign(winner=frame["winner"].map({"left": "wins", "right": "losses", "tie": "ties"}))
    counts = words.assign(n=1).pivot_table("n", ["left", "right"], "winner", "sum", fill_value=0).reset_index()
    one, other = bradley_terry(frame, clusters=[]), bradley_terry(counts)
    np.testing.assert_allclose(one.strengths, other.strengths, atol=1e-10)
    np.testing.assert_allclose(one.independent.covariance, other.independent.covariance, atol=1e-10)
    assert other.n_votes == 300


def test_who_never_lost_has_a_limit_and_no_strength():
    """Twelve wins out of twelve: the strength at which that has a chance of 5 %, not a penalised one."""
    rows = [("b", "c", "left"), ("b", "c", "right")] * 6 + [("a", "b", "left")] * 12 + [("d", "c", "right")] * 3
    found = bradley_terry(votes(*rows))
    assert found.systems == ("b", "c")
    limits = found.unbounded_frame().set_index("system")
    assert limits["side"].to_dict() == {"a": "above", "d": "below"}
    assert limits["limit"]["a"] == pytest.approx(-np.log(0.05 ** (-1 / 12) - 1), abs=1e-9)
    assert limits["limit"]["d"] == pytest.approx(np.log(0.05 ** (-1 / 3) - 1), abs=1e-9)


def test_a_chain_of_wins_has_no_strengths():
    """Nobody won and lost."""
    with pytest.raises(EstimationError, match="no strength has a bound"):
        bradley_terry(votes(("a", "b", "left"), ("b", "c", "left")))


def test_groups_without_votes_between_them_are_named():
    """Two islands."""
    rows = [("a", "b", "left"), ("b", "a", "left"), ("c", "d", "left"), ("d", "c", "left")]
    with pytest.raises(ScoresError, match="no votes connect these groups of systems, so fit each alone: a, b; c, d"):
        bradley_terry(votes(*rows))


def test_all_ties_are_equal_systems():
    """No strength differs, and no error says otherwise; dropping them leaves nothing, and Davidson has no estimate."""
    given = votes(*[("a", "b", "tie"), ("b", "c", "tie"), ("a", "c", "tie")] * 3, question=list("111222333"))
    found = bradley_terry(given)
    assert not found.strengths.any()
    assert (found.comparison().data["p_value"] == 1).all()
    with pytest.raises(ScoresError, match="all votes are ties"):
        bradley_terry(given, ties="drop")
    with pytest.raises(EstimationError, match="parameter of ties"):
        bradley_terry(given, ties="davidson")


def test_one_voter_is_no_sample_of_voters():
    """Questions alone are clusters then; asking for the voter is refused."""
    frame = simulate_votes(n_systems=3, n_votes=200, rng=1).assign(voter="ann")
    assert bradley_terry(frame).clusters == ("question",)
    with pytest.raises(InvalidOptionError, match="only one"):
        bradley_terry(frame, clusters=["voter"])
    with pytest.raises(InvalidOptionError, match="do not say"):
        bradley_terry(frame.drop(columns="voter"), clusters=["voter"])


def test_a_system_in_one_cluster_is_not_certain():
    """Its scores add up to 0 in the one cluster, which is no sign of certainty: independent votes' error is a floor."""
    frame = simulate_votes(n_systems=4, n_questions=60, n_votes=800, rng=1)
    rows = [
        ("new", "system1", "left"),
        ("new", "system2", "right"),
        ("system3", "new", "left"),
        ("new", "system4", "left"),
    ]
    more = pd.DataFrame(rows, columns=["left", "right", "winner"]).assign(question="q1", voter="v1")
    found = bradley_terry(pd.concat([frame, more], ignore_index=True), clusters=["question"])
    error = found.to_frame().set_index("system")["standard_error"]
    assert error["new"] > 0.5
    assert any("new: one cluster alone compares it with the others" in note for note in found.notes)
    few = simulate_votes(n_systems=4, n_questions=10, n_votes=300, rng=1)
    found = bradley_terry(pd.concat([few, more], ignore_index=True), clusters=["question"])
    assert found.to_frame().set_index("system")["standard_error"]["new"] > 0.5


@pytest.mark.parametrize("n_questions", [12, 60])
@pytest.mark.parametrize("name", ["a", "system2", "z"])
def test_the_system_in_one_cluster_is_the_one_that_is_named(n_questions, name):
    """Whatever its place among the systems, with few clusters as with many, it is named and no other is."""
    frame = simulate_votes(n_systems=5, n_questions=n_questions, n_votes=900, rng=1)
    frame = frame[(frame["left"] != "system2") & (frame["right"] != "system2")]
    rows = [(name, f"system{other}", side) for other in (1, 3, 4, 5) for side in ("left", "right")]
    more = pd.DataFrame(rows, columns=["left", "right", "winner"]).assign(question="q1", voter="v1")
    found = bradley_terry(pd.concat([frame, more], ignore_index=True), clusters=["question"])
    assert [note.split(":")[0] for note in found.notes if "one cluster alone" in note] == [name]
    known = more.assign(voter=frame["voter"].to_numpy()[: len(more)])  # several voters, who compare others too
    for clusters in (["question", "voter"], ["voter", "question"]):
        found = bradley_terry(pd.concat([frame, known], ignore_index=True), clusters=clusters)
        assert [note.split(":")[0] for note in found.notes if "one cluster alone" in note] == [name]
    plain = bradley_terry(frame, clusters=["question"])
    assert not any("in one cluster" in note for note in plain.notes)


def test_two_covariates_that_say_the_same_are_refused():
    """Position twice over."""
    frame = simulate_votes(n_systems=3, n_votes=200, rng=1).assign(one=1.0)
    with pytest.raises(EstimationError, match="two covariates say the same"):
        bradley_terry(as_votes(frame, covariates=["position", "one"]))


@pytest.mark.parametrize("ties", ["half", "davidson", "drop"])
def test_newton_meets_the_likelihood_equations(ties):
    """Scores add up to 0 at the estimate: expected wins are those seen."""
    given = as_votes(simulate_votes(n_systems=5, rng=6))
    found = bradley_terry(given, ties=ties)
    odds = found.strengths[:, None] - found.strengths
    wins, played = found.wins, found.wins + found.wins.T
    if ties != "davidson":
        expected = played * expit(odds)
    else:
        weight = np.exp(found.coefficients["estimate"].iloc[0])
        better, worse = np.exp(odds / 2), np.exp(-odds / 2)
        expected = played * (better + weight / 2) / (better + worse + weight)
    np.testing.assert_allclose(expected.sum(axis=1), wins.sum(axis=1), rtol=1e-10)


def test_votes_without_variation_claim_no_certainty():
    """A tie, or nothing but ties: errors are those of the model, and a note says so."""
    rows = [{"left": a, "right": b, "winner": "tie", "question": q} for q in "pq" for a, b in ("ab", "bc", "ca")]
    for votes in (rows[:1], rows):
        found = bradley_terry(votes)
        error = found.comparison().data["standard_error"].to_numpy()
        assert (error > 0.5).all()
        assert "no vote differs" in found.notes[-1]


@pytest.mark.parametrize("n_clusters", [20, 60])
def test_a_group_that_one_cluster_alone_compares_has_no_certainty(n_clusters):
    """However many clusters tell of the systems inside it, the error of its lead is that of independent votes."""
    rng = np.random.default_rng(n_clusters)
    inside = [
        (*rng.permutation(group)[:2], f"q{question}")
        for question in range(n_clusters)
        for group in (["a", "b", "c"], ["d", "e"])
        for _ in range(5)
    ]
    across = [(rng.choice(["a", "b", "c"]), rng.choice(["d", "e"]), "q0") for _ in range(30)]
    frame = pd.DataFrame(inside + across, columns=["left", "right", "question"])
    frame["winner"] = rng.choice(["left", "right"], len(frame))
    found = bradley_terry(frame, clusters=["question"])
    lead = np.array([1 / 3, 1 / 3, 1 / 3, -1 / 2, -1 / 2])
    clustered, independent = (
        lead @ one @ lead for one in (found.covariance[:5, :5], found.independent.covariance[:5, :5])
    )
    assert clustered > 0.7 * independent
    assert any(note.startswith("d, e: one cluster alone compares them with the others") for note in found.notes)


@pytest.mark.parametrize(
    ("won", "said"),
    [
        # 6 of 11: log(6 / 5) / sqrt(11 / 30) = 0.301 standard errors
        ({"ab": 6, "ba": 5}, "a and b do not differ significantly under preference (p = 0."),
        ({"ab": 5, "ba": 5, "ac": 7, "ca": 3, "bc": 7, "cb": 3}, "0 of 3 pairs differ significantly under preference"),
        ({"ab": 90, "ba": 10}, "a is significantly better than b under preference (p <0.0001)."),
        ({"ab": 5, "ba": 5, "ac": 4}, "under preference (p = 1.0000); without a finite strength: c never won."),
    ],
)
def test_the_answer_names_a_leader_only_where_votes_tell_one(won, said):
    """Six of eleven votes once made "the strongest of 2 systems", and who never won was not counted."""
    found = bradley_terry(votes(*((*pair, "left") for pair, n in won.items() for _ in range(n))))
    assert said in found.answer
    assert found.answer in repr(found).replace("\n  ", " ")
