"""May one stop? Scores and votes in their order, what is decided, gaps, clusters, replays, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores, study_stopping
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.io import as_votes
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import difference_intervals
from metaeval.tests_stat.stopping import count_units, decided_pairs, log_sign_evidence, log_t_evidence


def drawn(n_topics=60, *, seed=1):
    """Return scores of a better system and of two equal ones."""
    return np.random.default_rng(seed).normal([[0.2], [0.0], [0.0]], 0.2, (3, n_topics))


def test_pairs_are_decided_where_their_evidence_says_so():
    """Literally, look by look: the first look from which on Holm's steps on the largest evidence decide."""
    scores = drawn()
    frame = study_stopping(scores).to_frame().set_index(["system_a", "system_b"])
    differences = np.stack([scores[0] - scores[1], scores[0] - scores[2], scores[1] - scores[2]])
    evidence = log_t_evidence(count_units(differences, np.arange(10, 61)))
    decided = decided_pairs(evidence, alpha=0.05, correction="holm")
    for row, (first, second) in enumerate([(1, 2), (1, 3), (2, 3)]):
        found = frame.loc[(f"system{first}", f"system{second}")]
        expected = 10 + decided[row].argmax() if decided[row].any() else np.nan
        assert found["decided_at"] == pytest.approx(expected, nan_ok=True)
        assert found["difference"] == pytest.approx(differences[row].mean())
        assert found["low"] < found["difference"] < found["high"]
        assert found["winner"] == f"system{first}" if decided[row].any() else pd.isna(found["winner"])


def test_a_metric_of_which_less_is_better_has_the_other_winner():
    """The direction turns the winner, not the evidence, nor the difference of the scores with its interval."""
    scores = as_scores(drawn()[None], metrics=["AP"])
    turned = as_scores(scores, higher_is_better={"AP": False})
    plain, other = study_stopping(scores).to_frame(), study_stopping(turned).to_frame()
    assert (plain["difference"] > 0.0).any()
    for name in ("difference", "low", "high"):
        assert other[name].tolist() == plain[name].tolist()
    assert other["log10_evidence"].tolist() == plain["log10_evidence"].tolist()
    assert (plain["winner"].iloc[0], other["winner"].iloc[0]) == ("system1", "system2")


def test_the_order_of_arrival_decides_when():
    """The same topics the other way round decide at other looks, with the same evidence at the last."""
    scores = as_scores(drawn())
    names = scores["topic"].to_numpy().tolist()
    forth, back = study_stopping(scores, arrival=names), study_stopping(scores, arrival=names[::-1])
    turned = study_stopping(drawn()[:, ::-1].copy())
    keys = ["system_a", "system_b"]
    last = [one.to_frame().sort_values(keys)["log10_evidence"].to_numpy() for one in (forth, back)]
    assert last[0] == pytest.approx(last[1])
    assert back.to_frame()["decided_at"].tolist() == pytest.approx(
        turned.to_frame()["decided_at"].tolist(), nan_ok=True
    )
    assert forth.to_frame()["decided_at"].tolist() != back.to_frame()["decided_at"].tolist()


def test_names_in_their_order_are_said_to_be_assumed():
    """A note says that topics are taken to have come by name, unless their order was given."""
    scores = as_scores(drawn())
    assert any("order of their names" in str(note) for note in study_stopping(scores).notes)
    names = scores["topic"].to_numpy().tolist()
    told = study_stopping(scores, arrival=names)
    assert not any("order of their names" in str(note) for note in told.notes)
    assumed = "If topics came in the order of their names, you may stop"
    assert study_stopping(scores).report().summary[0].startswith(assumed)
    assert told.report().summary[0].startswith("You may stop")
    rows = [("A", "B", "left")] * 40 + [("A", "C", "left")] * 40 + [("B", "C", "left")] * 40
    votes = pd.DataFrame(rows, columns=["left", "right", "winner"])
    shuffled = votes.sample(frac=1, random_state=0)
    sorted_votes, mixed = (study_stopping(of).report().summary[0] for of in (votes, shuffled))
    assert sorted_votes.startswith("If votes came pair by pair, as their rows stand, you may stop: 3 pairs")
    assert mixed.startswith("You may stop: 3 pairs")


def test_scores_of_0_and_1_are_decided_by_their_signs():
    """The exact form without being asked; the interval agrees with the decision."""
    passed = (np.random.default_rng(2).random((2, 200)) < np.array([[0.8], [0.5]])).astype(float)
    study = study_stopping(passed)
    row = study.to_frame().iloc[0]
    assert study.forms == ("sign",)
    counts = count_units((passed[0] - passed[1])[None], np.array([200]))
    assert row["log10_evidence"] == pytest.approx(log_sign_evidence(counts)[0, 0] / np.log(10))
    assert row["winner"] == "system1"
    assert 0.0 < row["low"] < row["difference"] < row["high"] < 1.0


def test_gaps_leave_the_common_topics():
    """Each pair has the units that both systems have, and the evidence of these."""
    scores = drawn()
    scores[1, 5:15] = np.nan
    frame = study_stopping(as_scores(scores, missing="pairwise")).to_frame().set_index(["system_a", "system_b"])
    assert frame["n"].to_dict() == {
        ("system1", "system2"): 50,
        ("system1", "system3"): 60,
        ("system2", "system3"): 50,
    }
    kept = np.r_[0:5, 15:60]
    alone = study_stopping(scores[:2, kept]).to_frame()["log10_evidence"].iloc[0]
    assert frame.loc[("system1", "system2"), "log10_evidence"] == pytest.approx(alone)


def test_clusters_arrive_as_wholes():
    """Topics in clusters count as sums over them, with the last of their topics; the mean stays that over topics."""
    scores = drawn(80)
    clusters = {str(place + 1): f"c{place % 20}" for place in range(80)}
    study = study_stopping(as_scores(scores, clusters=clusters))
    sums = (scores[0] - scores[1]).reshape(4, 20).sum(axis=0)
    frame = study.to_frame().set_index(["system_a", "system_b"])
    row = frame.loc[("system1", "system2")]
    assert (study.counted_in, study.n_units, row["n"]) == ("cluster", 20, 20)
    expected = log_t_evidence(count_units(sums[None], np.array([20])))[0, 0] / np.log(10)
    assert row["log10_evidence"] == pytest.approx(expected)
    assert row["difference"] == pytest.approx((scores[0] - scores[1]).mean())


def ballots(n=300, *, questions=False, seed=3):
    """Return votes of which the first of three systems wins seven of ten."""
    rng = np.random.default_rng(seed)
    sides = np.array([rng.permutation(3)[:2] for _ in range(n)])
    strength = np.array([0.9, 0.0, 0.0])
    won = rng.random(n) < 1 / (1 + np.exp(strength[sides[:, 1]] - strength[sides[:, 0]]))
    frame = pd.DataFrame({"left": sides[:, 0], "right": sides[:, 1], "winner": np.where(won, "left", "right")})
    frame[["left", "right"]] = np.array(["a", "b", "c"], dtype=object)[frame[["left", "right"]]]
    return frame.assign(question=rng.integers(0, 40, n)) if questions else frame


def test_votes_are_decided_pair_by_pair_in_their_order():
    """Literally: wins and losses of each pair so far, at every vote."""
    votes = ballots()
    study = study_stopping(as_votes(votes))
    frame = study.to_frame().set_index(["system_a", "system_b"])
    looks = range(10, 301)
    evidence = []
    for first, second in [("a", "b"), ("a", "c"), ("b", "c")]:
        of_pair = votes[["left", "right"]].isin([first, second]).all(axis=1).to_numpy()
        chosen = np.where(votes["winner"] == "left", votes["left"], votes["right"])
        wins = np.cumsum(of_pair & (chosen == first))
        losses = np.cumsum(of_pair & (chosen == second))
        signs = [np.array([[1.0] * wins[n - 1] + [-1.0] * losses[n - 1]]) for n in looks]
        evidence.append([log_sign_evidence(count_units(s, np.array([s.size])))[0, 0] for s in signs])
        assert frame.loc[(first, second), "n"] == of_pair.sum()
        net = (wins[-1] - losses[-1]) / of_pair.sum()
        assert frame.loc[(first, second), "difference"] == pytest.approx(net)
    decided = decided_pairs(np.array(evidence), alpha=0.05, correction="holm")
    at = [10 + row.argmax() if row.any() else np.nan for row in decided]
    found = [frame.loc[pair, "decided_at"] for pair in [("a", "b"), ("a", "c"), ("b", "c")]]
    assert found == pytest.approx(at, nan_ok=True)
    assert study.counted_in == "vote"


def test_votes_on_one_question_come_together():
    """Where a pair meets a question twice, its votes there are one sum; the t form speaks of them."""
    votes = as_votes(ballots(questions=True))
    study = study_stopping(votes)
    assert study.counted_in == "question"
    assert study.n_units == votes.n_units("question")
    assert study.forms == ("t",)
    assert study_stopping(votes, by="vote").n_units == 300
    with pytest.raises(InvalidOptionError, match="no voters"):
        study_stopping(votes, by="voter")


def test_a_replay_says_when_other_orders_decide():
    """Literally, one order: the same draws, laid out anew."""
    scores = drawn(40)
    study = study_stopping(scores, n_replays=1, rng=5)
    order = np.random.default_rng(5).permutation(40)
    shuffled = study_stopping(scores[:, order]).to_frame().set_index(["system_a", "system_b"])["decided_at"]
    frame = study.to_frame().set_index(["system_a", "system_b"])
    assert frame["replay_median"].to_dict() == pytest.approx(shuffled.to_dict(), nan_ok=True)
    assert frame["replay_decided"].to_dict() == shuffled.notna().astype(float).to_dict()


def test_fewer_looks_decide_no_earlier():
    """A look every ten topics, and the last."""
    every, seldom = (study_stopping(drawn(), look_every=step).to_frame() for step in (1, 10))
    assert {*seldom["decided_at"].dropna()} <= {10.0, 20.0, 30.0, 40.0, 50.0, 60.0}
    keys = ["system_a", "system_b"]
    both = every.merge(seldom, on=keys).dropna(subset=["decided_at_x", "decided_at_y"])
    assert (both["decided_at_x"] <= both["decided_at_y"]).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"evidence": "sign"}, "scores of 0 and 1"),
        ({"evidence": "betting"}, "between 0 and 1"),
        ({"evidence": "z"}, "evidence"),
        ({"correction": "bonferroni"}, "correction"),
        ({"arrival": ["1", "2"]}, "is missing"),
        ({"arrival": ["1"] * 60}, "arrival"),
        ({"look_every": 0}, "look_every"),
        ({"n_replays": -1}, "n_replays"),
        ({"by": "question"}, "of votes"),
    ],
)
def test_what_is_refused(options, words):
    """Each by the name of its argument, with what would do."""
    with pytest.raises(InvalidOptionError, match=words):
        study_stopping(drawn(), **options)


def test_too_few_units_are_refused_with_a_way_out():
    """Ten topics leave no look after the first ten; a lower number does."""
    with pytest.raises(EstimationError, match="burn_in"):
        study_stopping(drawn(10))
    assert len(study_stopping(drawn(10), burn_in=5).to_frame()) == 3


def test_counts_of_votes_have_no_order():
    """Tables of wins and losses are refused."""
    counts = pd.DataFrame({"left": ["a"], "right": ["b"], "wins": [12], "losses": [3]})
    with pytest.raises(EstimationError, match="order"):
        study_stopping(as_votes(counts))


@pytest.mark.parametrize("form", ["wide", "long"])
def test_the_column_that_says_when_topics_came_orders_them(form):
    """As a list of the topics in that order does; other names get a message that says what to give."""
    rng = np.random.default_rng(2)
    wide = pd.DataFrame(rng.random((30, 2)), columns=["a", "b"]).assign(item=[f"q{n}" for n in range(30)])
    wide["date"] = [f"2026-01-{day:02d}" for day in rng.permutation(30) + 1]
    frame = wide if form == "wide" else wide.melt(["item", "date"], var_name="system", value_name="score")
    by_list = study_stopping(wide.drop(columns="date"), arrival=wide.sort_values("date")["item"].tolist(), rng=0)
    by_column = study_stopping(frame, arrival="date", rng=0)
    pd.testing.assert_frame_equal(
        by_column.to_frame().drop(columns="metric"), by_list.to_frame().drop(columns="metric")
    )
    unasked = study_stopping(frame, rng=0)
    pd.testing.assert_frame_equal(unasked.to_frame(), by_column.to_frame())
    assert "topics came in the order of the column 'date'; `arrival` says another order" in unasked.notes
    two_dates = frame.assign(date=frame["date"].where(frame.index > 0, "2026-02-01")) if form == "long" else frame
    if form == "long":
        assert any("order of their names" in note for note in study_stopping(two_dates).notes)
        with pytest.raises(InvalidOptionError, match="'q0' has no 'date', or several"):
            study_stopping(two_dates, arrival="date")
    with pytest.raises(InvalidOptionError, match="names the column that says when; 'when' is none"):
        study_stopping(frame, arrival="when")
    with pytest.raises(InvalidOptionError, match="these scores have no columns"):
        study_stopping(rng.random((2, 20)), arrival="date")


@pytest.mark.parametrize("n_voters", [1, 4, 40])
def test_too_few_voters_are_no_units(n_voters):
    """Looks begin after ten voters; of fewer each vote counts, as if asked for, with a note."""
    rows = [{"left": "ab"[n % 2], "right": "ba"[n % 2], "winner": "a", "voter": f"v{n % n_voters}"} for n in range(80)]
    study = study_stopping(rows_as_votes := as_votes(rows))
    assert study.counted_in == ("voter" if n_voters == 40 else "vote")
    assert any("too few to count evidence by" in note for note in study.notes) == (n_voters < 40)
    if n_voters < 40:
        pd.testing.assert_frame_equal(study.to_frame(), study_stopping(rows_as_votes, by="vote").to_frame())
        with pytest.raises(EstimationError, match=r"give more, or a lower `burn_in`, or `by='vote'`"):
            study_stopping(rows_as_votes, by="voter")


@pytest.mark.parametrize("form", ["wide", "long"])
@pytest.mark.parametrize("in_file", [False, True])
def test_the_column_that_gave_the_order_is_not_said_to_be_left_out(form, in_file, tmp_path):
    """It was used, so that only columns that were not are called left out."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.random((30, 2)), columns=["a", "b"]).assign(item=[f"q{n}" for n in range(30)])
    frame = frame.assign(
        date=[f"2026-01-{n + 1:02d}" for n in rng.permutation(30)], remark=[f"so {n}" for n in range(30)]
    )
    frame = frame if form == "wide" else frame.melt(["item", "date", "remark"], var_name="system", value_name="score")
    frame.to_csv(tmp_path / "scores.csv", index=False)
    notes = study_stopping(read_scores(tmp_path / "scores.csv") if in_file else frame, rng=0).notes
    assert any("came in the order of the column 'date'" in note for note in notes)
    left_out = [note for note in notes if "left out" in note]
    assert len(left_out) == 1
    assert "remark" in left_out[0]
    assert "date" not in left_out[0]


def runs_of(n_tables, *, n_items=60, spread=0.02, lead=0.0):
    """Return null tables as metrics, of two systems of three runs each; a run moves all items of its system."""
    rng = np.random.default_rng(5)
    values = rng.normal(0.5, 0.2, (n_tables, 1, n_items, 1)) + rng.normal(0, 0.05, (n_tables, 2, n_items, 3))
    values += rng.normal(0, spread, (n_tables, 2, 1, 3))
    values[:, 0] += lead
    return as_scores(values, metrics=[f"table {number}" for number in range(n_tables)])


def test_no_pair_is_decided_that_new_runs_may_turn():
    """Of 120 null tables .05 are decided, give or take three standard errors (.06); items alone decide 46 %.

    The p-value is that of the t test with runs in its error (`compare_systems`, of which tests/tests_stat/test_runs.py
    has SciPy's), and evidence is no more than 1/p.
    """
    scores = runs_of(120)
    frame = study_stopping(scores).to_frame().set_index("metric").loc[list(scores["metric"].to_numpy())]
    assert frame["decided_at"].notna().mean() <= 0.11
    assert frame["open_by_runs"].mean() > 0.3
    held = frame["open_by_runs"].to_numpy()
    assert np.isinf(frame[["more_low", "more", "more_high"]][held]).all(axis=None)
    p_value = compare_systems(scores, correction="none").to_frame()["p_value"].to_numpy()
    limited = frame["p_runs"].notna().to_numpy()
    assert frame["p_runs"].to_numpy()[limited & held] == pytest.approx(p_value[limited & held])
    assert (frame["log10_evidence"].to_numpy()[limited] <= -np.log10(frame["p_runs"].to_numpy()[limited]) + 1e-9).all()
    ends = difference_intervals(compare_systems(scores, correction="none"))
    assert (frame["low"].to_numpy()[held] <= ends["low"].to_numpy()[held, 0] + 1e-12).all()
    assert (frame["high"].to_numpy()[held] >= ends["high"].to_numpy()[held, 0] - 1e-12).all()


def test_a_difference_beyond_the_runs_is_decided():
    """Ten standard deviations of a run: decided after the fewest items, as the items alone decide."""
    frame = study_stopping(runs_of(1, lead=0.2)).to_frame()
    assert frame["decided_at"].tolist() == [10]
    assert frame["winner"].tolist() == ["system1"]
    assert not frame["open_by_runs"].any()


def test_scores_without_runs_have_no_columns_of_them():
    """Scores of one run do not say how runs differ."""
    assert "p_runs" not in study_stopping(drawn()).to_frame()


def test_the_difference_of_votes_is_one_per_vote_whatever_comes_together():
    """Voters with 1 to 4 votes: wins less losses over votes, as by vote; its interval is Fieller's, literally."""
    rng = np.random.default_rng(5)
    sizes = np.tile([1, 2, 3, 4], 8)
    voter = np.repeat(np.arange(len(sizes)), sizes)
    winner = np.where(rng.random(len(voter)) < 0.7, "left", "right")
    votes = pd.DataFrame({"left": "a", "right": "b", "winner": winner, "voter": [f"v{code}" for code in voter]})
    per_vote = np.where(winner == "left", 1.0, -1.0)
    by = {name: study_stopping(votes, by=name).to_frame().iloc[0] for name in ("vote", "voter")}
    for found in by.values():
        assert found["difference"] == pytest.approx(per_vote.mean())
        assert -1.0 <= found["low"] < found["difference"] < found["high"] <= 1.0
    sums = np.bincount(voter, per_vote)
    grid = np.linspace(-1.0, 1.0, 20_001)
    rests = sums - grid[:, None] * sizes
    open_to = grid[log_t_evidence(count_units(rests, np.array([len(sizes)])))[:, 0] < np.log(1 / 0.05)]
    assert (by["voter"]["low"], by["voter"]["high"]) == pytest.approx((open_to.min(), open_to.max()), abs=2e-4)


def test_leave_to_stop_says_what_stays_open():
    """One pair of three is decided, and the others would take as many topics again, so they are left undecided."""
    pattern = np.resize([1.0, -1.0], 400)
    noisy = 3.0 * np.resize([1.0, 1.0, -1.0, -1.0], 400)
    scores = np.stack([0.5 * pattern + 0.4, noisy + 0.2, np.zeros(400)])
    study = study_stopping(as_scores(scores), arrival=[str(at + 1) for at in range(400)])
    assert study.to_frame()["decided_at"].notna().sum() == 1
    first = study.report().summary[0]
    assert first.startswith("You may stop without a decision for the other 2 pairs: after 400 topics 1 of 3 pairs")


@pytest.mark.parametrize(
    ("n", "mean", "word"),
    [(12, 0.25, "Go on or stop"), (12, 0.8, "Go on"), (400, 0.0, "You may stop without a decision")],
)
def test_nobody_is_told_to_give_up_on_few_topics(n, mean, word):
    """Differences of standard deviation 1 around `mean`, alternating, so that both are what is said."""
    pattern = np.resize([1.0, -1.0], n)
    scores = np.stack([pattern + mean, np.zeros(n)])
    summary = study_stopping(as_scores(scores), arrival=[str(at + 1) for at in range(n)]).report().summary[0]
    assert summary.startswith(f"{word}: which of system1 and system2 is better")
