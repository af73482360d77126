"""The page on votes where no strength has a bound: what can be said is said of each pair."""

import pandas as pd
import pytest

from metaeval.questions.votes.study import study_votes

LONE = pd.DataFrame([("x", "y", "left", f"q{one}", f"v{one % 4}") for one in range(12)])
LONE.columns = ["left", "right", "winner", "question", "voter"]


@pytest.mark.parametrize(
    ("votes", "settled", "words"),
    [
        (
            LONE,
            "not settled",
            "47.3 % or more. Independent votes: as many as can be chosen so that no two share a question or a voter.",
        ),
        (LONE.drop(columns="voter"), "settled", "77.9 % or more."),
        (LONE.head(1), "not settled", "and in no limit here. Independent votes: all."),
    ],
)
def test_two_systems(tmp_path, votes, settled, words):
    """The sentence, the table and the methods are of one test."""
    study = study_votes(votes, rng=0)
    report = study.report()
    assert report.summary[0].endswith(f"against y: the pair is {settled}.")
    assert words in report.summary[1]
    assert bool(study.sweeps["settled"].all()) == (settled == "settled")
    assert "sign test" in report.methods.paragraphs[0]
    assert [row.partition(" ")[0] for row in report.key_figures.frame["what"]] == ["Settled", "p", "Least"]
    assert study.to_frame().equals(study.sweeps)
    page = study.save(tmp_path / "page")
    assert "There is no" not in page.read_text()
    assert study.pair_counts().empty


@pytest.mark.parametrize("unit", ["question", "voter"])
def test_all_votes_on_one_question_or_by_one_voter(unit):
    """The first sentence says for what alone the pair is settled, and the second that others are in no limit."""
    other = {"question": "voter", "voter": "question"}[unit]
    report = study_votes(LONE.assign(**{unit: "one", other: range(12)}), rng=0).report()
    assert report.summary[0].endswith(f"the pair is settled, for one {unit} alone.")
    assert f"what other {unit}s would change is unknown, and in no limit here." in report.summary[1]


def test_several_pairs_and_metrics():
    """A chain of winners has no ranks, which metrics would be compared with."""
    chain = pd.concat([LONE.drop(columns="voter"), LONE.drop(columns="voter").assign(left="w", right="x")])
    study = study_votes(chain, scores={"w": [1, 2, 1], "x": [1, 1, 2], "y": [0, 1, 0]}, rng=0)
    assert study.report().key_figures.frame["what"].tolist() == ["Settled pairs"]  # the others are of a single pair
    assert study.report().summary[0] == "Of every two systems that met, one won all votes; 2 of 2 pairs are settled."
    assert study.beside is None
    assert "Metrics and these votes" in study.unanswered
