"""The page on votes: the first sentence answers its title, and says no more than the tables do."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from metaeval.errors import ScoresError, UnknownNameError
from metaeval.io.votes import read_votes
from metaeval.page.blocks import MOST_KEY_FIGURES, Text
from metaeval.questions.votes.study import study_votes
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes

MOST_WORDS = 25


def test_public_votes(data_folder):
    """59 models on 13 prompts."""
    study = study_votes(read_votes(data_folder / "votes" / "llmfao.csv.gz"), rng=0)
    report, holm = study.report(), study.pair_counts().set_index("correction").loc["holm"]
    assert holm[["n_significant", "independent", "n_pairs"]].tolist() == [4, 648, 1711]
    assert report.title == "Which systems win pairwise votes?"
    first, last = report.summary[0].split("; ")
    assert first == "No clear winner: GPT 4 leads, but 41 of 58 others may be first as well"
    assert last == "140 of 1,711 pairs are settled, 3,471 ties counted half."
    assert report.summary[1].startswith(
        "GPT 4 and Platypus-2 Instruct (70B) need 880,000 votes, at the likely difference, to be settled with a "
        "chance of 80 %. "
        "The first place rests on 13 of 8,931 votes: without 8 wins of Weaver 12k against"
    )
    assert report.summary[2] == (
        "Errors clustered by question and voter are 1.78 times those of independent votes. Settled are pairs by ranks, "
        "for which all systems are looked at together; t tests of each pair by its own votes, with Holm’s correction, "  # noqa: RUF001
        "settle 4 of 1,711, and would settle 648 if votes were independent."
    )
    tables = {table.name: table for table in report.tables()}
    assert "here with a median of 10.1 degrees of freedom" in tables["pairs"].caption


ARENAS = {
    "one is first": (
        {"n_systems": 3, "spread": 2.0, "n_votes": 6000, "rng": 1},
        "system3 is preferred to every ",
    ),
    "several may be": ({"n_systems": 9, "spread": 0.2, "rng": 1}, "leads, but"),
    "two systems": ({"n_systems": 2, "spread": 0.0, "rng": 2}, "No clear winner: system"),
}


@pytest.mark.parametrize("arena", ARENAS)
def test_one_sentence(arena):
    """At most 25 words, few key figures, and the numbers of the tables."""
    options, words = ARENAS[arena]
    study = study_votes(simulate_votes(**options), rng=0)
    report = study.report()
    assert words in report.summary[0]
    counts = study.pair_counts().set_index("correction")["n_significant"]
    (pairs,) = (table for table in report.tables() if table.name == "pairs")
    more = counts["ranks"] > counts[["fdr_bh", "fdr_by", "holm"]].min()
    assert ("Ranks can settle more than corrected tests" in pairs.caption) == more
    assert len(report.summary[0].split()) <= MOST_WORDS
    assert len(report.key_figures.frame) <= MOST_KEY_FIGURES
    assert len(re.findall(r"[.](?!\d)", report.summary[0])) == 1
    first = study.to_frame()["rank_low"]
    assert ("is preferred" in report.summary[0]) == ((first == 1).sum() == 1)
    numbers = report.key_figures.data
    preferred = numbers[numbers["what"] == numbers["what"].iloc[0]].set_index("name")["number"]
    assert preferred["low"] <= preferred["value"] <= preferred["high"]
    assert {*numbers["name"]} <= {"value", "low", "high", "count", "of", "inflation"}


def test_the_page(tmp_path):
    """Every section, its pictures and its data; in Markdown and LaTeX too."""
    study = study_votes(simulate_votes(n_systems=5, rng=1), covariates=["position"], rng=0)
    report = study.report()
    page = study.save(tmp_path / "page").read_text()
    titles = [
        "Ranks with intervals",
        "Pairs of systems",
        "Covariates",
        "Fit of one dimension",
        "Votes needed",
        "Other ratings",
    ]
    places = [page.index(f">{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert {path.name for path in (tmp_path / "page" / "figures").iterdir()} >= {"ranks.svg", "shares.svg"}
    assert (tmp_path / "page" / "data" / "pairs.csv").exists()
    assert "{0} against {1}: {2} of {3} votes" in page  # names at the pointer
    assert report.to_latex().startswith("% Needs")
    assert study.plot() is not None


@pytest.mark.parametrize("name", ["position", "ties"])
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_covariates_are_those_asked_for_whatever_their_name(name, ties):
    """One called "ties" is no parameter of Davidson's, and that parameter is no covariate, in the table or in words."""
    votes = as_votes(simulate_votes(n_systems=4, rng=1), covariates=["position"])
    votes = replace(votes, covariates={name: votes.covariates["position"]})
    report = study_votes(votes, covariates=[name], ties=ties, rng=0).report()
    (covariates,) = (table for table in report.tables() if table.name == "covariates")
    assert covariates.frame["name"].tolist() == [name]
    assert f"Covariates: {name}. " in report.methods.paragraphs[0]


@pytest.mark.parametrize("by_voter", [0.0, 2.0])
def test_votes_that_do_not_go_together(by_voter):
    """Errors no larger are said to be so; and voters alone are named as such."""
    options = {"n_systems": 3, "n_questions": 2, "n_voters": 30, "n_votes": 200, "by_question": 0, "rng": 5}
    study = study_votes(simulate_votes(by_voter=by_voter, **options).assign(question="q1"), rng=0)
    assert (study.first.main.inflation > 1.005) == (by_voter > 0)
    assert (
        study.report()
        .summary[-1]
        .startswith(f"Errors clustered by voter are {study.first.main.inflation:.2f} times those of independent votes.")
    )


def test_every_group_has_its_plan(tmp_path):
    """Systems that no vote connects: what each group alone has, in words, tables and data."""
    votes = simulate_votes(n_systems=5, n_questions=20, n_voters=20, n_votes=600, rng=1)
    names = {f"system{one}": f"other{one}" for one in range(1, 6)}
    others = votes.assign(**{side: votes[side].replace(names) for side in ("left", "right")})
    others = others[~others[["left", "right"]].isin(["other5"]).any(axis=1)]
    study = study_votes(pd.concat([votes, others], ignore_index=True), rng=0)
    alone = study_votes(others, rng=0)
    report = study.report()
    for number, group in enumerate(study.groups, start=1):
        sizes = group.main.n_units
        fitted = f"{group.main.n_votes} votes on {len(group.main.systems)} systems (group {number})"
        assert fitted in report.methods.paragraphs[0]
        assert f"{sizes['question']} questions, {sizes['voter']} voters" in report.methods.paragraphs[0]
    own = alone.report().methods.paragraphs[0]
    for words in (
        own[own.index("clustered by") : own.index(" (20 questions")],
        own[own.index(" Ranks have") :][:90],
    ):
        assert words in report.methods.paragraphs[0]
    (section,) = (one for one in report.sections if one.id == "plan")
    words = [block.paragraphs[0] for block in section.blocks if isinstance(block, Text)]
    assert [one[:8] for one in words] == ["Group 1:", "Group 2:"]
    (own,) = (one for one in alone.report().sections if one.id == "plan")
    assert words[1].removeprefix("Group 2: ") == own.blocks[0].paragraphs[0]
    tables = {table.name: table.frame for table in report.tables()}
    assert set(tables["plan group 2"]["system_a"]) <= set(names.values())
    assert {"next group 1", "next group 2"} <= set(tables)
    study.save(tmp_path / "page")
    plan = pd.read_csv(tmp_path / "page" / "data" / "plan.csv")
    assert plan.groupby("group").size().tolist() == [10, 6]


def test_small_coefficients_keep_two_digits():
    """A covariate of ten thousand times the size has a coefficient that much smaller, written to as many digits."""
    votes = as_votes(simulate_votes(n_systems=4, rng=1), covariates=["position"])
    small = replace(votes, covariates={"length": 10_000 * votes.covariates["position"]})
    (table,) = (t for t in study_votes(small, covariates=["length"], rng=0).report().tables() if t.name == "covariates")
    row = table.frame.iloc[0]
    far = f"{max(abs(row['low']), abs(row['high'])):.2g}"
    assert f"{float(far):.10f}".rstrip("0") in str(row["interval"])


def test_an_unknown_covariate_is_answered_with_what_may_be_one():
    """Neither systems nor winners are; two columns of both sides are one by their common name."""
    columns = ["model_a", "model_b", "winner", "length_a", "length_b", "turn"]
    frame = pd.DataFrame([["a", "b", "model_a", 3, 4, 1]], columns=columns)
    with pytest.raises(UnknownNameError, match=r"Known: position, length, turn$"):
        as_votes(frame, covariates=["nope"])


def by_length(*, longer_wins, equal=False, name="length"):
    """Return votes of a (long) on b (short), of which the longer wins so many of 100; half are turned round.

    In half of the votes b is the longer one, so that length and system can be told from each other.
    """
    rows = []
    for n in range(200):
        a_is_longer = n % 2 == 0 or n % 8 == 1  # a in five of eight
        a_wins = (n // 2 % 100 < longer_wins) == a_is_longer
        long, short = (300 + n % 7, 300 + n % 7) if equal else (300 + n % 7, 100)
        sizes = (long, short) if a_is_longer else (short, long)
        a_left = n // 4 % 2 == 0
        rows.append(
            {
                "left": "a" if a_left else "b",
                "right": "b" if a_left else "a",
                "winner": "a" if a_wins else "b",
                f"{name}_left": str(sizes[not a_left]),
                f"{name}_right": str(sizes[a_left]),
                "text_left": "x",
                "text_right": "y",
            }
        )
    return pd.DataFrame(rows)


def test_lengths_that_nobody_asked_for_are_tried():
    """As made: the longer answer wins 90 of 100, whosever it is, and a is longer in five of eight votes."""
    votes = as_votes(by_length(longer_wins=90))
    assert list(votes.unasked) == ["length"]  # texts are no numbers
    study = study_votes(votes, rng=0)
    assert study.unasked.first == ("a", "b")
    first = study.report().summary[0]
    assert first.startswith("a is preferred to b")
    assert first.endswith(
        "but longer answers win more votes, and with equal length the first place is open: `covariates=['length']`."
    )
    assert "length of both sides may matter beside the systems: `covariates=['length']`" in study.notes
    asked = study_votes(votes, covariates=["length"], rng=0)
    assert asked.unasked is None
    assert "at equal length; longer answers win more votes; at the likely difference" in asked.report().summary[0]
    coefficient = asked.first.covariates["estimate"].iloc[0]
    assert study.unasked.coefficients["estimate"].iloc[0] == pytest.approx(coefficient)


def of_answers(left="output_1", right="output_2"):
    """Return the votes above with answers of these lengths in place of the numbers."""
    frame = by_length(longer_wins=90)
    texts = {name: ["x" * int(n) for n in frame[f"length_{side}"]] for name, side in ((left, "left"), (right, "right"))}
    return frame.drop(columns=[name for name in frame if name.startswith(("length", "text"))]).assign(**texts)


@pytest.mark.parametrize(
    "sides", [("output_1", "output_2"), ("Response A", "Response B"), ("answer_left", "answer_right")]
)
def test_answers_have_a_length(sides):
    """All as with the lengths of these answers in columns of numbers, unasked and asked for."""
    expected, study = (study_votes(as_votes(frame), rng=0) for frame in (by_length(longer_wins=90), of_answers(*sides)))
    assert study.report().summary[0] == expected.report().summary[0]
    assert "but longer answers win more votes, and with equal length" in study.report().summary[0]
    assert not any("left out columns" in note for note in study.notes)
    asked = as_votes(of_answers(*sides), covariates=["length"])
    numbers = by_length(longer_wins=90)[["length_left", "length_right"]].astype(int)
    assert asked.covariates["length"].tolist() == (numbers["length_left"] - numbers["length_right"]).tolist()


def test_answers_of_a_known_length_are_not_measured():
    """A column that has it comes first, whatever it counts; a vote without an answer leaves the length untried."""
    votes = of_answers().assign(tokens_left=range(200), tokens_right=3)
    assert list(as_votes(votes).unasked) == ["tokens"]
    votes = of_answers()
    votes.loc[7, "output_1"] = None
    study = study_votes(as_votes(votes), rng=0)
    assert study.unasked is None
    assert "left out columns that say nothing of a vote (output_1, output_2)" in study.notes
    with pytest.raises(
        ScoresError, match="row 8: covariate 'length' must be a number for every vote; column 'output_1'"
    ):
        as_votes(votes, covariates=["length"])


def test_a_length_that_one_of_two_judges_goes_by_is_told_of_it():
    """As made: the longer answer wins 90 of 100 under one judge and 50 under the other.

    Over both, errors clustered by two voters hide it. Of one judge it is what its votes alone say.
    """
    judges = {"gpt-judge": by_length(longer_wins=90), "human": by_length(longer_wins=50)}
    frame = pd.concat([votes.assign(judge=name) for name, votes in judges.items()], ignore_index=True)
    study = study_votes(as_votes(frame), rng=0)
    assert not study.unasked.matters
    (note,) = [note for note in study.notes if note.startswith("length")]
    alone = study_votes(as_votes(judges["gpt-judge"]), covariates=["length"], rng=0).first.covariates["p_value"].iloc[0]
    assert alone < 0.0001
    assert "it influences the votes of gpt-judge (p < 0.0001), not significantly those of human (p " in note
    asked = study_votes(as_votes(frame), covariates=["length"], rng=0)
    (note,) = [note for note in asked.notes if note.startswith("length")]
    assert "it influences the votes of gpt-judge (p < 0.0001), not significantly those of human (p " in note
    nobody = pd.concat([judges["human"].assign(judge=name) for name in ("ann", "ben")], ignore_index=True)
    (note,) = [note for note in study_votes(as_votes(nobody), rng=0).notes if note.startswith("length")]
    assert "no significant influence, over all votes (p = " in note
    assert " or of one voter (ann p " in note


def test_lengths_that_do_not_matter_leave_the_answer_alone():
    """As made: the longer answer wins half of the votes; equal lengths are no covariate; another name is said."""
    study = study_votes(as_votes(by_length(longer_wins=50)), rng=0)
    assert not study.unasked.matters
    assert "but" not in study.report().summary[0]
    asked = study_votes(as_votes(by_length(longer_wins=50)), covariates=["length"], rng=0)
    said = "at equal length; no influence of length is significant; at the likely difference"
    assert said in asked.report().summary[0]
    assert study_votes(as_votes(by_length(longer_wins=90, equal=True)), rng=0).unasked is None
    by_cost = study_votes(as_votes(by_length(longer_wins=90, name="cost")), rng=0)
    assert "but answers of higher cost win more votes, and with equal cost" in by_cost.report().summary[0]


def test_an_influence_that_is_not_significant_opens_no_first_place():
    """Of one system's longer answers alone: 60 of 90 wins lead; its length is all but the system. By statsmodels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"left": ["a"] * 90, "right": ["b"] * 90, "winner": ["a"] * 60 + ["b"] * 30})
    frame = frame.assign(length_left=200 + rng.integers(0, 40, 90), length_right=100)
    study = study_votes(as_votes(frame), rng=0)
    assert study.unasked.changes_first
    page = study.report()
    assert "with equal length" not in page.summary[0]
    design = np.column_stack([np.ones(90), frame["length_left"] - 100])
    (_, slope) = sm.Logit((frame["winner"] == "a").astype(float).to_numpy(), design).fit(disp=0, tol=1e-12).params
    (figures,) = (table for table in page.tables() if table.name == "key_figures")
    figure = next(row for row in figures.data.to_dict("records") if "length" in str(row))
    assert figure["number"] == pytest.approx(slope, rel=1e-6)


def test_covariates_that_others_imply_are_not_tried_twice():
    """Tokens are lengths by a factor: one of them is fitted, which one knows the other by."""
    votes = by_length(longer_wins=90)
    for side in ("left", "right"):
        votes[f"tokens_{side}"] = (votes[f"length_{side}"].astype(int) * 2).astype(str)
    study = study_votes(as_votes(votes), rng=0)
    assert study.unasked.coefficients["name"].tolist() == ["length"]


def test_a_length_that_shows_nothing_is_said_to_be_tried():
    """As made: the longer answer wins every second vote; what may matter has been looked at, with its p-value."""
    study = study_votes(as_votes(by_length(longer_wins=50)), rng=0)
    p_value = study.unasked.coefficients["p_value"].iloc[0]
    assert p_value > 0.05
    told = f"length of both sides was tried beside the systems: no significant influence (p = {p_value:.2g})"
    assert told in study.notes
    assert not any("may matter" in note for note in study.notes)
