"""Missing scores: means side by side, the published ones among them, and whether gaps go with the scores."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import ScoresError, UnknownNameError
from metaeval.io.tables import read_scores
from metaeval.models.missingness import missing_scores
from metaeval.table.scores import as_scores

HARD = np.array([[0.9, 0.8, 0.3, 0.2], [0.8, 0.8, np.nan, np.nan], [0.8, 0.7, 0.3, 0.1]])


def made(seed, lack, n_systems=12, n_topics=80):
    """Return scores by system, topic and chance; `lack` says how likely each is missing, given its parts."""
    generator = np.random.default_rng(seed)
    systems, topics = generator.normal(0, 0.5, (n_systems, 1)), generator.normal(size=n_topics)
    error = generator.normal(size=(n_systems, n_topics))
    missing = generator.random(error.shape) < lack(systems, topics)
    return as_scores(np.where(missing, np.nan, systems + topics + error), missing="pairwise")


def alarms(lack, n=60):
    """Return how often each relation is found."""
    found = pd.concat([missing_scores(made(seed, lack)).relations() for seed in range(n)])
    return found.assign(found=found["p_value"] < 0.05).groupby("relation")["found"].mean()


def test_a_system_without_the_hard_topics():
    """Its own mean is highest, that of common topics not; the model's says where it would stand."""
    found = missing_scores(as_scores(HARD, missing="pairwise"))
    frame = found.to_frame().set_index("system")
    assert frame.loc["system2", ["rank_own", "rank"]].tolist() == [1, 2]
    np.testing.assert_allclose(frame["mean_common"], [0.85, 0.8, 0.75])
    counted = found.summary().iloc[0]
    assert (counted["n_missing"], counted["n_systems"], counted["n_topics"], counted["n_common"]) == (2, 1, 2, 2)
    topics = found.relations().set_index("relation").loc["topics"]
    assert topics["low"] < topics["difference"] < -0.3


def test_gaps_by_chance_are_not_suspected():
    """Missing at random, more in some systems and topics than in others: each relation is found one time in twenty."""
    rate = alarms(lambda s, t: np.linspace(0.0, 0.3, len(s))[:, None] + np.linspace(0.0, 0.2, len(t)))
    assert (rate <= 0.14).all(), rate


def test_gaps_that_go_with_scores_are_found():
    """Hard topics missing; better systems with fewer gaps; and systems with gaps worse where others have gaps too."""
    assert alarms(lambda _, t: np.where(t < -0.5, 0.5, 0.05), 8)["topics"] == 1.0
    assert alarms(lambda s, _: np.where(s < 0, 0.5, 0.05), 20)["systems"] > 0.7
    generator = np.random.default_rng(5)
    values = generator.normal(size=(12, 80))
    gappy, lacked = np.arange(12) < 6, np.arange(80) < 40
    values[np.ix_(gappy, lacked)] -= 1.0
    share = np.where(np.outer(gappy, lacked), 0.5, 0.05)
    found = missing_scores(
        as_scores(np.where(generator.random(values.shape) < share, np.nan, values), missing="pairwise")
    )
    both = found.relations().set_index("relation").loc["both"]
    assert both["high"] < 0.0
    assert both["low"] < -0.3


def test_blocks_are_counted():
    """Ten topics that two systems lack are a block, single gaps are not."""
    values = np.random.default_rng(1).normal(size=(6, 40))
    values[:2, :10], values[3, 20] = np.nan, np.nan
    assert missing_scores(as_scores(values, missing="pairwise")).summary()["in_blocks"][0] == pytest.approx(20 / 21)


def test_without_gaps_or_links():
    """Nothing missing, and systems that nothing joins, are refused; too little to tell is NaN."""
    with pytest.raises(ScoresError, match="none is missing"):
        missing_scores(as_scores(np.eye(3)))
    apart = np.where(np.kron(np.eye(2), np.ones((2, 3))) > 0, 0.5, np.nan)
    with pytest.raises(ScoresError, match="share no topic"):
        missing_scores(as_scores(apart, missing="pairwise"))
    found = missing_scores(as_scores(HARD, missing="pairwise"))
    assert np.isnan(found.relations().set_index("relation").loc["both", "difference"])
    with pytest.raises(UnknownNameError):
        found.plot("no such metric")
    assert found.plot().axes


def test_alpacaeval(data_folder):
    """Means of own items are the published win rates, 57 of 57; ten gaps of 46,690 move no rank."""
    boards = data_folder / "leaderboards"
    scores = read_scores(boards / "alpacaeval2_weighted_preferences.csv.gz", missing="pairwise")
    frame = missing_scores(scores).to_frame().set_index("system")
    published = pd.read_csv(boards / "alpacaeval2_published_leaderboard.csv", index_col=0)["win_rate"]
    both = frame.index.intersection(published.index)
    assert len(both) == 57
    np.testing.assert_allclose(100 * frame.loc[both, "mean_own"], published[both], atol=1e-9)
    assert (frame["rank"] == frame["rank_own"]).all()


def test_livebench(data_folder):
    """All gaps are whole releases of questions; systems that lack some are worse where others lack them too."""
    scores = read_scores(data_folder / "leaderboards" / "livebench_2025-01-13.csv.gz", missing="pairwise")
    found = missing_scores(scores.drop_vars("cluster"))
    counted = found.summary().iloc[0]
    assert (counted["n_missing"], counted["n_common"], counted["in_blocks"]) == (12614, 0, 1.0)
    rows = found.relations().set_index("relation")
    assert rows.loc["topics", "high"] < 0.0
    assert rows.loc["both", "high"] < 0.0
