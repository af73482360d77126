"""A leaderboard without the systems that have few items says what it says where these are left out by hand."""

import numpy as np
import pytest

from metaeval.collection.data_choice import choose_data
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.table.scores import as_scores
from metaeval.table.structure import settled_mean_over_topics

NAMES = [f"s{place}" for place in range(9)]
FEW = {"n_resamples": 100, "n_splits": 2, "rng": 0}


def board(*, n_clusters=None, n_metrics=1, apart=1.0):
    """Make nine systems of which two have a fifth of the topics, the hard ones; s0 and s1 lack some others have."""
    rng = np.random.default_rng(4)
    ease = np.sort(rng.normal(0, 0.6, (n_metrics, 1, 60)))
    values = ease + apart * np.linspace(1, 0, 9)[None, :, None] + rng.normal(0, 0.5, (n_metrics, 9, 60))
    values[:, [2, 6], 12:] = values[:, 0, 57:] = np.nan
    values[:, 6, 10:] = values[:, 1, 5:30] = np.nan
    scores = as_scores(values, systems=NAMES, missing="pairwise")
    if n_clusters is None:
        return scores
    return scores.assign_coords(cluster=("topic", [f"c{place % n_clusters}" for place in range(60)]))


@pytest.mark.parametrize(("n_clusters", "n_metrics"), [(None, 2), (5, 1)], ids=["ranks", "t test with Holm's"])
def test_as_where_they_are_left_out_by_hand(n_clusters, n_metrics):
    """Pairs, ranks, intervals and the number that may be first; with and without, in numbers of the two boards."""
    scores = board(n_clusters=n_clusters, n_metrics=n_metrics)
    study = study_leaderboard(scores, **FEW)
    found, frame = study.thin, study.thin.to_frame()
    assert found.thin.to_numpy().tolist() == [["s6", 10], ["s2", 12]]
    assert found.typical == (60,)
    other = study_leaderboard(choose_data(scores, exclude_systems=found.thin["system"]), **FEW)
    assert other.thin is None
    assert (other.ranks is None) == (n_clusters is not None)
    np.testing.assert_array_equal(frame["n_without"], (other.decided() != 0).sum(axis=1))
    sides = [study.comparison.data[side].to_numpy() for side in ("system_a", "system_b")]
    kept = ~np.isin(sides, ["s2", "s6"]).any(axis=0)
    np.testing.assert_array_equal(frame["n_significant"], (study.decided() != 0)[:, kept].sum(axis=1))
    both = ((study.decided()[:, kept] != 0) & (other.decided() != 0)).sum(axis=1)
    np.testing.assert_array_equal(frame["n_both"], both)
    assert (frame["n_pairs"] == 21).all()
    for metric, part in found.ranks.groupby("metric"):
        for name, one in (("rank", study), ("rank_without", other)):
            of = (
                one.means[one.means["metric"] == metric].set_index("system")["mean"].drop(["s2", "s6"], errors="ignore")
            )
            ranks = of.rank(ascending=False).astype(int)
            assert part.set_index("system")[name].to_dict() == ranks.to_dict()
    assert frame["n_changed"].tolist() == (
        (found.ranks["rank"] != found.ranks["rank_without"]).groupby(found.ranks["metric"]).sum().tolist()
    )
    if other.ranks is not None:
        for which, one in (("first", study), ("first_without", other)):
            np.testing.assert_array_equal(frame[which], (one.ranks.data["rank_low"] == 1).sum("system"))


def test_lower_is_better_and_equal_systems():
    """Ranks among the others turn with the metric, and equal systems share one."""
    scores = board()
    scores[0, 4] = scores[0, 3]
    turned = as_scores(-scores.to_numpy(), systems=NAMES, missing="pairwise", higher_is_better=False)
    first, second = (study_leaderboard(one, **FEW).thin.ranks for one in (scores, turned))
    columns = ["system", "rank", "rank_without"]
    assert first[columns].equals(second[columns])
    assert first.set_index("system").loc[["s3", "s4"], "rank_without"].nunique() == 1


def _lead(scores):
    """Return how far s1 is ahead of s3 by the means of the board."""
    means = dict(zip(scores["system"].to_numpy().tolist(), settled_mean_over_topics(scores)[0], strict=True))
    return means["s1"] - means["s3"]


@pytest.mark.parametrize("n_topics", [60, 30])
def test_nothing_is_said_where_nobody_has_much_less(n_topics):
    """Without gaps, and where each has half of the topics of the median system."""
    scores = board().isel(system=[0, 3, 4, 5, 7]).copy()
    scores[0, 1, n_topics:] = np.nan
    assert study_leaderboard(scores, **FEW).thin is None


def test_one_topic_less_than_half_is_little():
    """It is said of that system alone."""
    scores = board().isel(system=[0, 3, 4, 5, 7]).copy()
    scores[0, 1, 29:] = np.nan
    found = study_leaderboard(scores, **FEW).thin
    assert found.thin.to_numpy().tolist() == [["s3", 29]]
    assert found.to_frame()[["n_systems", "n_pairs"]].to_numpy().tolist() == [[4, 6]]


def test_the_page_says_it_with_the_option():
    """One sentence with the counts of the table, the ranks that change, and what leaves the systems out."""
    scores = board()
    ahead = [_lead(one) for one in (scores, scores.drop_sel(system=["s2", "s6"]))]
    scores[0, 1] -= sum(ahead) / 2  # so that it is ahead of s3 on one of the boards
    study = study_leaderboard(scores, **FEW)
    (section,) = (one for one in study.report().sections if one.id == "thin")
    said, (table, *folds) = section.blocks[0].paragraphs, section.blocks[1:]
    assert said[0].startswith(
        "2 systems of 9 have fewer than half of the topics that the median system has (60): s6 (10), s2"
    )
    assert said[2] == "To leave them out: `exclude_systems=['s6', 's2']`"  # nothing behind it, to be copied
    with_them, without = table.frame["pairs"]
    start = f"Without them {without} of the pairs of the other 7 systems differ significantly, with them {with_them}. "
    (moved,) = (fold.blocks[0].frame for fold in folds)
    names = [f"{row.system} from {row.rank} to {row.rank_without}" for row in moved.itertuples(index=False)]
    assert said[1] == f"{start}{len(names)} ranks among the others change under metric1: {', '.join(names)}."


def test_the_page_says_that_no_rank_changes():
    """Of several metrics the counts are in the table alone."""
    study = study_leaderboard(board(n_metrics=2, apart=3.0), **FEW)
    (section,) = (one for one in study.report().sections if one.id == "thin")
    assert section.blocks[0].paragraphs[1] == "No rank among the others changes."
    assert section.blocks[1].frame["metric"].nunique() == 2
