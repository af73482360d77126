"""The study of votes: what it has, that its parts agree, and what votes may lack."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models import judge_weights
from metaeval.models.vote_strengths import bradley_terry
from metaeval.questions.votes.study import study_votes
from metaeval.simulate.votes import simulate_votes


@pytest.fixture(scope="module")
def study():
    """Study six simulated systems."""
    return study_votes(simulate_votes(n_systems=6, rng=1), rng=1)


def test_what_the_study_has(study):
    """Strengths, ranks and probabilities of every system, best first."""
    frame = study.to_frame()
    assert frame["system"].tolist()[0] == "system6"
    assert frame["p_best"].sum() == pytest.approx(1.0)
    assert (frame["rank_low"] <= frame["rank"]).all()
    assert (frame["rank"] <= frame["rank_high"]).all()
    fitted = bradley_terry(simulate_votes(n_systems=6, rng=1)).to_frame()
    assert frame["strength"].tolist() == fitted["strength"].tolist()
    assert len(study.ratings()) == 6


def test_one_decision_about_a_pair(study):
    """The count, the letters, the plan and the numbers of better systems are of the same decision."""
    counts = study.pair_counts().set_index("correction")
    settled = counts.loc["ranks", "n_significant"]
    frame = study.to_frame()
    assert frame["n_above"].sum() == settled == study.first.plan.to_frame()["settled"].sum()
    letters = frame["letters"].tolist()
    shared = sum(bool(set(one) & set(other)) for at, one in enumerate(letters) for other in letters[:at])
    assert shared == 15 - settled
    assert (counts["n_significant"] <= counts["n_pairs"]).all()


def test_questions_and_voters_settle_fewer_pairs():
    """Independent votes claim more than votes on thirteen questions do."""
    found = study_votes(simulate_votes(n_systems=10, n_questions=13, by_question=1.0, rng=2), rng=1)
    row = found.pair_counts().set_index("correction").loc["fdr_by"]
    assert row["independent"] > row["n_significant"]
    assert found.first.main.inflation > 1.2


def test_groups_are_ranked_alone():
    """Arenas without a vote between them: the largest first, each with ranks of its own, or with its pairs."""
    one = simulate_votes(n_systems=5, rng=1)
    other = simulate_votes(n_systems=3, rng=2).replace({f"system{n}": f"other{n}" for n in (1, 2, 3)})
    lone = pd.DataFrame([("x", "y", "left", "q1", "v1")] * 3, columns=["left", "right", "winner", "question", "voter"])
    found = study_votes(pd.concat([one, other, lone], ignore_index=True), rng=1)
    frame = found.to_frame()
    assert frame.groupby("group").size().tolist() == [5, 3]
    assert frame[frame["group"] == 2]["rank"].min() == 1
    assert any("3 groups of systems" in note for note in found.notes)
    assert "strengths cannot be estimated, because one system won every vote of each pair" in found.unanswered["x, y"]
    pairs = found.sweeps[["group", "system", "against", "votes", "independent"]]
    assert pairs.to_numpy().tolist() == [[3, "x", "y", 3, 1]]
    report = found.report()
    assert report.summary[0].startswith("In group 1 of 3 unconnected groups, ")
    settled = int(found.groups[1].settled.sum())
    assert f" Of other pairs that met, {settled} of 4 pairs " in report.summary[0]
    assert report.facts[-3:-1] == (("3", "unconnected groups"), ("14", "pairs within groups"))
    assert "sweeps" in [section.id for section in report.sections]
    assert len(report.methods.paragraphs) == 2


def test_the_one_ranked_group_is_named_beside_pairs_that_are_settled():
    """A beat B 12 times, C and D are open: the first sentence and every table say which group they are of."""
    rows = [(*pair, side, f"q{q}", f"v{q}") for q in range(12) for pair, side in (("AB", "left"), ("CD", "left"))]
    votes = pd.DataFrame(rows, columns=["left", "right", "winner", "question", "voter"])
    votes.loc[votes["left"].eq("C") & votes.index.isin([1, 7, 13, 19]), "winner"] = "right"
    report = study_votes(votes, rng=0).report()
    assert report.summary[0].startswith("In group 1 of 2 unconnected groups, no clear winner: C gets")
    assert re.search(r" of votes; at the likely difference \d+ votes would give 80 % power\. ", report.summary[0])
    assert report.summary[0].endswith(" Of other pairs that met, the pair is settled.")
    for table in report.tables():
        assert "group" in table.frame or ", group 1" in table.title or table.title in {"Key figures", "Provenance"}


def test_a_group_on_one_question_says_so():
    """Where other groups have more questions, too."""
    one = simulate_votes(n_systems=4, n_votes=400, rng=1).assign(question="q1")
    other = simulate_votes(n_systems=3, rng=2).replace({f"system{n}": f"other{n}" for n in (1, 2, 3)})
    found = study_votes(pd.concat([one, other], ignore_index=True), rng=1)
    assert "in group 1 all votes are of one question" in found.notes
    assert "what other questions would change is unknown" in found.report().summary[-1]


def test_a_group_without_strengths_says_why():
    """Where it is asked for strengths alone, or a covariate explains all that there is."""
    lone = pd.DataFrame([("x", "y", "left", "q1", "v1")] * 3, columns=["left", "right", "winner", "question", "voter"])
    with pytest.raises(EstimationError, match=r"no strength has a bound.*the page of metaeval votes"):
        bradley_terry(lone)
    with pytest.raises(EstimationError, match="parts all wins from all losses"):
        study_votes(_PARTED, covariates=["length"])


_PARTED = pd.DataFrame(
    [(*pair, side, 2 * (side == "left") - 1) for pair in ("ab", "ba") for side in ("left", "right")],
    columns=["left", "right", "winner", "length"],
)
"""Votes in which a covariate decides who wins."""


def test_a_system_that_never_lost_is_not_ranked():
    """It is listed with a limit, and the sentence says so."""
    rows = simulate_votes(n_systems=4, rng=1)
    best = pd.DataFrame(
        [("new", f"system{one % 4 + 1}", "left", f"q{one}", "v1") for one in range(12)],
        columns=["left", "right", "winner", "question", "voter"],
    )
    found = study_votes(pd.concat([rows, best], ignore_index=True), rng=1)
    assert "new" not in found.to_frame()["system"].tolist()
    assert found.first.unrated == ("new",)
    report = found.report()
    assert report.summary[0].startswith("new never lost; of the others, ")
    assert any(section.id == "unbounded" for section in report.sections)


def test_words_name_the_group_that_they_are_of():
    """Whichever group has a system that never lost: the first sentence speaks of the largest group alone."""
    one = simulate_votes(n_systems=4, n_votes=400, rng=1)
    for side in (0, 1):
        other = one[~one[["left", "right"]].isin(["system4"]).any(axis=1)]
        other = other.replace({f"system{n}": f"other{n}" for n in (1, 2, 3)})
        rival = ("system1", "other1")[side]
        best = one.head(12).assign(left="new", right=rival, winner="left")
        found = study_votes(pd.concat([one, other, best], ignore_index=True), rng=1)
        report = found.report()
        assert [group.unrated for group in found.groups] == [("new",), ()][:: 1 - 2 * side]
        assert ("new never lost" in report.summary[0]) == (side == 0)
        tables = {table.name: table for table in report.tables()}
        assert tables["unbounded"].frame["group"].tolist() == [1 + side]
        assert tables["pairs"].frame["group"].unique().tolist() == [1, 2]
        assert tables["pairs"].frame.groupby("group")["n_pairs"].first().tolist() == [6, 3]
        assert report.facts[-2:-1] == (("9", "pairs within groups"),)
        bare = [table.name for table in report.tables() if not table.title.endswith((", group 1", ", group 2"))]
        bare = [name for name in bare if "group" not in tables[name].frame]
        assert [tables[name].title for name in bare] == ["Key figures", "Provenance"]


def test_what_is_not_known_is_said():
    """Counts, and votes without questions: independence is unchecked."""
    rows = [{"left": a, "right": b, "wins": 6, "losses": 4, "ties": 1} for a, b in ("ab", "bc", "ac")]
    found = study_votes(rows, rng=1)
    assert "counts do not say who voted on what" in found.notes[0]
    assert (
        found.report()
        .summary[-1]
        .startswith("Every vote is taken for independent, because it is unknown who voted on what")
    )
    assert [fact for fact in found.report().facts if fact[1] == "votes"] == [("33", "votes")]
    bare = simulate_votes(n_systems=3, rng=1)[["left", "right", "winner"]]
    assert "votes name no question and no voter" in study_votes(bare, rng=1).notes[0]
    one = study_votes(simulate_votes(n_systems=3, rng=1).assign(voter="ann"), rng=1)
    assert any("all votes are by one voter" in note for note in one.notes)


def test_covariates_are_adjusted_for():
    """Ranks are those of the adjusted strengths; both stand side by side."""
    frame = simulate_votes(n_systems=5, rng=3)
    found = study_votes(frame, covariates=["position"], rng=1)
    assert found.first.main is found.first.adjusted
    assert found.first.fitted.coefficients.empty
    assert found.to_frame().set_index("system")["strength"].to_dict() == pytest.approx(
        dict(zip(found.first.adjusted.systems, found.first.adjusted.strengths, strict=True))
    )
    assert any(section.id == "covariates" for section in found.report().sections)


def test_two_systems():
    """One pair: settled or not, and no scale to check."""
    found = study_votes(simulate_votes(n_systems=2, n_votes=4000, spread=1.5, rng=1), rng=1)
    assert " is preferred to system" in found.report().summary[0]
    assert "nothing to check" in found.report().to_html()


def test_all_ties():
    """Nobody leads, and nothing fails."""
    rows = [{"left": a, "right": b, "winner": "tie", "question": q} for q in range(4) for a, b in ("ab", "bc", "ac")]
    found = study_votes(rows, rng=1)
    assert (
        found.report().summary[0] == "No clear winner: a, b and c lead and cannot be told apart, 12 ties counted half."
    )
    assert found.to_frame()["rank_high"].tolist() == [3, 3, 3]


@pytest.mark.parametrize("options", [{"ties": "some"}, {"alpha": 2}, {"share": 0}, {"power": 0.01}, {"n_next": 0}])
def test_options_outside_their_rule(options):
    """Each is refused before anything is fitted."""
    with pytest.raises(InvalidOptionError):
        study_votes(simulate_votes(n_systems=3, n_votes=60, rng=1), **options)
    with pytest.raises((ScoresError, InvalidOptionError)):
        study_votes(pd.DataFrame({"left": [], "right": [], "winner": []}))


def test_a_seed_repeats_the_answer(study):
    """To the last bit."""
    again = study_votes(simulate_votes(n_systems=6, rng=1), rng=1)
    np.testing.assert_array_equal(again.to_frame()["p_best"], study.to_frame()["p_best"])


def test_only_groups_are_said_to_have_one_question():
    """Where some systems alone hang on one question, that is said of their group; a single group has no number."""
    circle = [(a, b, "left", "q1", voter) for a, b in ("ab", "bc", "ca") for voter in ("v1", "v2")]
    beaten = [("a", "d", "left", "q2", "v1"), ("b", "d", "left", "q3", "v2")]
    columns = ["left", "right", "winner", "question", "voter"]
    whole = study_votes(pd.DataFrame(circle + beaten, columns=columns), rng=1)
    assert whole.first.fitted.n_units["question"] == 1
    assert not any("in group" in note for note in whole.notes)
    assert "not ranked, because a strength has no bound: d" in whole.notes
    others = [(f"{a}2", f"{b}2", side, question, voter) for a, b, side, question, voter in circle]
    others = [(*row[:3], question, row[4]) for row in others for question in ("q2", "q3")]
    parted = study_votes(pd.DataFrame(circle + others, columns=columns), rng=1)
    lone = [number for number, group in enumerate(parted.groups, start=1) if "a" in group.fitted.systems]
    assert f"in group {lone[0]} all votes are of one question" in parted.notes
    assert sum("in group" in note for note in parted.notes) == 1
    assert "no votes connect 2 groups of systems; each is taken alone, the largest as group 1" in parted.notes
    alone = study_votes(pd.DataFrame(circle, columns=columns), rng=1)
    assert "all votes are on one question: what other questions would change is unknown" in alone.notes
    assert not any("voter" in note and "unknown" in note for note in alone.notes)


def test_voters_are_weighed():
    """A few voters with enough votes are weighed, in one sentence and a table; many voters, or few votes, are not."""
    votes = simulate_votes(n_voters=4, n_votes=800, rng=1)
    study = study_votes(votes, rng=1)
    own = judge_weights(votes)
    pd.testing.assert_frame_equal(study.weights.table, own.table)
    report = study.report()
    first, last = own.table["judge"].iloc[[0, -1]]
    section = next(section for section in report.sections if section.id == "weights")
    words = str(section.blocks[0].paragraphs[0])
    assert words.startswith(f"A vote of {first} weighs ")
    assert f" times one of {last}; 0 of 4 voters are turned away." in words
    assert {table.name for table in report.tables()} >= {"weights"}
    assert study_votes(simulate_votes(n_voters=60, n_votes=3000, rng=1), rng=1).weights is None
    assert study_votes(simulate_votes(n_voters=20, n_votes=300, rng=1), rng=1).weights is None


def test_an_open_pair_says_what_votes_would_tell():
    """Fifteen to fifteen: the number of votes that would tell, at a difference that the sentence names."""
    votes = pd.DataFrame({"left": ["a"] * 30, "right": ["b"] * 30, "winner": ["left", "right"] * 15})
    said = study_votes(votes, rng=0).answer
    told = r"50\.0 %.*; at the likely difference [\d,]+ votes would give 80 % power\.$"
    assert re.search(told, said)
