"""Of systems, and judges, that are truly alike a first sentence says that none is ahead, but for a share of alpha."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores, study_judges, study_leaderboard, study_power, study_stopping, study_table, study_votes
from metaeval.io import as_votes
from metaeval.table.means import as_means

N_BOARDS = 20
ALPHA = 0.05
MOST = int(stats.binom.isf(0.001, N_BOARDS, ALPHA))
"""More are chance in one of a thousand runs where the share is 5 %."""


def alike(rng, n_systems, n_topics=25):
    """Make scores of topics on which all systems are equal but for noise."""
    return as_scores(rng.normal(0.5, 0.1, n_topics) + rng.normal(0, 0.1, (n_systems, n_topics)))


def undecided(rng, n_systems, n_votes):
    """Make votes thrown by a coin."""
    pairs = np.array([(a, b) for a in range(n_systems) for b in range(a)])[
        rng.integers(n_systems * (n_systems - 1) // 2, size=n_votes)
    ]
    sides = {side: [f"s{number}" for number in pairs[:, place]] for place, side in enumerate(("left", "right"))}
    return pd.DataFrame(sides | {"winner": rng.choice(["left", "right"], n_votes)})


def labelled(rng):
    """Make labels of two judges that err alike on what a person labelled, on ten topics."""
    truth = rng.integers(0, 2, 100)
    judges = {name: np.where(rng.random(100) < 0.8, truth, 1 - truth) for name in ("judge1", "judge2")}
    items = {"topic": np.repeat(range(10), 10), "item": [f"d{number}" for number in range(100)]}
    return pd.DataFrame(items | {"human": truth} | judges)


def measured(rng):
    """Make a board of means whose true values are one, with their standard errors."""
    return as_means(pd.DataFrame({"system": list("abcd"), "acc": rng.normal(0.5, 0.01, 4), "acc_stderr": 0.01}))


STOPS = "If topics came in the order of their names, you may stop without a decision: "
STUDIES = {
    "table: a pair": (lambda rng: study_table(alike(rng, 2), rng=0), "No"),
    "table": (lambda rng: study_table(alike(rng, 5), rng=0), "None of 10 pairs"),
    "table: a baseline": (lambda rng: study_table(alike(rng, 5), baseline="system1", rng=0), "No"),
    "power: a pair": (lambda rng: study_power(alike(rng, 2), tests=["t"], rng=0), "No"),
    "leaderboard: a pair": (lambda rng: study_leaderboard(alike(rng, 2), rng=0), "No"),
    "leaderboard": (lambda rng: study_leaderboard(alike(rng, 5), rng=0), "No"),
    "leaderboard: means": (lambda rng: study_leaderboard(measured(rng), rng=0), "No"),
    "votes: a pair": (lambda rng: study_votes(undecided(rng, 2, 60), rng=0), "No"),
    "votes": (lambda rng: study_votes(undecided(rng, 4, 150), rng=0), "No"),
    "stop": (
        lambda rng: study_stopping(alike(rng, 3), rng=0),
        ("Go on: ", "Go on or stop: ", STOPS),
    ),
    "stop: votes": (
        lambda rng: study_stopping(as_votes(undecided(rng, 2, 60)), rng=0),
        ("Go on: ", "Go on or stop: ", "You may stop without a decision: "),
    ),
    "judges": (lambda rng: study_judges(labelled(rng), reference="human", rng=0), "No judge clearly"),
}
"""What makes a study of systems that are alike, and how its first sentence has to begin."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STUDIES)
def test_of_equal_systems_few_are_said_to_differ(name):
    """By the level of 5 %: families of comparisons are corrected, so that it holds for the page and not for a pair."""
    study, openings = STUDIES[name]
    told = [study(np.random.default_rng(seed)).report().summary[0] for seed in range(N_BOARDS)]
    claims = [sentence for sentence in told if not sentence.startswith(openings)]
    assert len(claims) <= MOST, claims[:3]
