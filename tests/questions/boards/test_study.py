"""Two boards: sentences that their tables bear out, published agreement, and the figures of single boards."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, study_leaderboard
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.questions.boards.study import study_boards
from metaeval.resampling import rank_intervals_from_errors
from metaeval.table.means import as_means

SYNDL = "2019", 0.857
"""A year, and Kendall's τ of mean nDCG@10 by NIST's topics and by GPT-4's, from the README of the data."""


def boards(n_systems=8, seed=1, turned=0):
    """Return two versions with common items; the last systems of the second are `turned`."""
    drawn = np.random.default_rng(seed)
    level = np.linspace(0, 1, n_systems)
    other = np.r_[level[: n_systems - turned], level[n_systems - turned :][::-1] - 1.5 * (turned > 0)]
    common = drawn.normal(0, 0.4, (n_systems, 20))
    old = np.hstack([level[:, None] + common, level[:, None] + drawn.normal(0, 0.4, (n_systems, 20))])
    new = np.hstack([level[:, None] + common, other[:, None] + drawn.normal(0, 0.4, (n_systems, 40))])
    names = [f"s{number}" for number in range(n_systems)]
    items = [[f"q{number}" for number in numbers] for numbers in ([*range(40)], [*range(20), *range(40, 80)])]
    return {
        name: as_scores(values, systems=names, topics=own, metrics=["acc"])
        for name, values, own in zip(("v1", "v2"), (old, new), items, strict=True)
    }


@pytest.fixture(scope="module")
def page():
    """Return the leaderboard of the first version by itself."""
    return study_leaderboard(boards()["v1"], n_splits=1, n_resamples=200, rng=3)


def test_sentences_and_tables_say_the_same(page):
    """The counts of the first sentence are those of the tables and of a board's own page; opposite pairs are named."""
    given = boards(turned=2)
    study = study_boards(given, rng=3)
    counts = study.found.relations("v1", "v2").set_index("relation")["n_pairs"]
    report = study.report()
    assert report.summary[0] == (
        f"No: of 28 pairs of the 8 systems on both boards, both settle {counts['alike']} alike and "
        f"{counts['opposite']} in opposite directions; v1 alone settles {counts['first alone']}, v2 alone "
        f"{counts['second alone']}, and neither {counts['neither']}."
    )
    opposite = study.opposite()
    assert len(opposite) == counts["opposite"] > 3
    ranks = study.to_frame().set_index("system")
    for row in opposite.itertuples():
        apart = ranks.loc[row.worse, ["v1", "v2"]] - ranks.loc[row.better, ["v1", "v2"]]
        assert apart["v1"] > 0 > apart["v2"]
        assert apart.abs().min() == row.n_ranks
    first = opposite.iloc[0]
    assert f"{first['better']} is better than {first['worse']} on v1, and worse on v2" in report.summary[1]
    assert f"; {len(opposite) - 3} more." in report.summary[1]
    assert "On the 20 topics of both boards all scores are equal" in report.summary[3]
    assert {"rank_changes"} <= {picture.name for picture in report.pictures()}
    assert int((page.decided() != 0).sum()) == int((study.found.verdicts[0] != 0).sum())
    own = page.to_frame().set_index("system").loc[ranks.index, ["rank", "rank_low", "rank_high"]]
    assert (own.to_numpy() == ranks[["v1", "v1_low", "v1_high"]].to_numpy()).all()


def test_a_board_is_named_before_its_notes():
    """What explains alone still does with the board's name before it, so that --quiet hides it."""
    clusters = {f"q{number}": f"c{number % 12}" for number in range(80)}
    given = {
        name: as_scores(board, clusters={topic: clusters[topic] for topic in board["topic"].to_numpy()})
        for name, board in boards(n_systems=3).items()
    }
    report = study_boards(given, rng=1).report()
    robust = [note for note in report.notes if "robust" in note or "clusters" in note]
    assert {note.partition(":")[0] for note in robust} == {"v1", "v2"}
    assert not set(robust) & set(report.changes)


def test_systems_of_one_board_and_new_scores():
    """They are counted and named; scores that changed on common items are tested, and pictures drawn."""
    given = boards()
    moved = given["v2"].copy()
    moved[0, 0] += 0.5
    names, items = (moved[kind].to_numpy().tolist() for kind in ("system", "topic"))
    values = np.vstack([moved.to_numpy()[0], moved.to_numpy()[0, :1]])
    more = as_scores(values, systems=[*names, "new"], topics=items, metrics=["acc"])
    first = given["v1"].assign_coords(system=[*names[:-1], "gone"])
    study = study_boards({"v1": first, "v2": more}, rng=1)
    assert "on v1 alone (1): gone" in study.notes
    assert "on v2 alone (2): new, s7" in study.notes
    drift = study.drift.to_frame().set_index("system")
    assert drift.index[drift["significant"]].tolist() == ["s0"]
    report = study.report()
    assert "1 of 7 systems differs significantly between v1 and v2 (Holm; by 0.071 on average)" in report.summary[-1]
    assert {"drift", "rank_changes"} <= {picture.name for picture in report.pictures()}
    assert study.plot("drift").axes
    tables = {table.name for table in report.tables()}
    assert {"alone", "drift", "ranks", "same_order", "settled", "steps"} <= tables


def test_aggregates_of_one_board(page):
    """Two boards of one table: ranks by either, no drift; τ is that of the leaderboard's own table of aggregates."""
    board = boards()["v1"]
    study = study_boards(board, aggregates=["mean", "win rate"], rng=1)
    assert study.names == ("mean", "win rate")
    assert study.drift is None
    known = page.conclusions.set_index("aggregate")
    assert study.found.to_frame()["tau"].iloc[0] == pytest.approx(known.loc["win rate", "tau"])
    assert "same by both" in study.report().summary[1]
    with pytest.raises(InvalidOptionError, match="names two to compare, not 1"):
        study_boards(board, aggregates=["mean"])
    with pytest.raises(InvalidOptionError, match="aggregates are of one board, and there are 2"):
        study_boards(boards(), aggregates=["mean", "Borda"])


def test_published_agreement(data_folder):
    """Systems of TREC's Deep Learning track by NIST's topics and by GPT-4's."""
    year, tau = SYNDL
    frame = pd.read_csv(data_folder / "syndl" / "syndl.csv.gz", dtype={"year": str, "topic": str})
    frame = frame[(frame["year"] == year) & (frame["metric"] == "nDCG@10")]
    given = {
        judge: as_scores(part.drop(columns=["year", "judge"])) for judge, part in frame.groupby("judge", sort=False)
    }
    study = study_boards(given, rng=0)
    assert study.found.to_frame()["tau"].iloc[0] == pytest.approx(tau, abs=5e-4)
    assert study.found.relations(*study.names).set_index("relation").loc["opposite", "n_pairs"] == 0


def test_what_cannot_be_compared():
    """Without two boards, a common metric or common systems the message says what there is; gaps leave one unranked."""
    given = boards(n_systems=4)
    with pytest.raises(InvalidOptionError, match="two boards are compared, by their names; there is 1"):
        study_boards({"v1": given["v1"]})
    with pytest.raises(InvalidOptionError, match=r"in a list they have none; pass \{name: board\} of both"):
        study_boards([given["v1"], given["v2"]])
    values, names = np.stack([given["v2"].to_numpy()[0]] * 2), given["v2"]["system"].to_numpy().tolist()
    two = as_scores(values, systems=names, metrics=["f1", "em"])
    three = two.assign_coords(metric=["x", "y"])
    with pytest.raises(InvalidOptionError, match=r"no metric in common \(v1: x, y; v2: f1, em\)"):
        study_boards({"v1": three, "v2": two})
    with pytest.raises(UnknownNameError, match="nope"):
        study_boards({"v1": two, "v2": two}, metric="nope")
    with pytest.raises(ScoresError, match=r"both have 0 \(v1: s0, s1, s2, s3; v2: a, b, c, d\)"):
        study_boards({"v1": given["v1"], "v2": given["v2"].assign_coords(system=list("abcd"))})
    study = study_boards({"v1": given["v1"], "v2": two}, metric="em", rng=0)
    assert study.drift is None
    assert [str(board["metric"].to_numpy()[0]) for board in study.scores.values()] == ["acc", "em"]
    gappy = given["v2"].copy()
    gappy[0, 0, 1:] = np.nan
    study = study_boards({"v1": given["v1"], "v2": as_scores(gappy, missing="pairwise")}, rng=0)
    assert study.found.systems == ("s1", "s2", "s3")
    assert "v2: not ranked, for want of scores on topics that others have too: s0" in study.notes
    assert (
        study.report()
        .summary[0]
        .startswith(("Partly: of 3 pairs of the 3 systems", "Open: of 3 pairs", "Yes: of 3 pairs"))
    )


MEANS = {
    "old": {"system": ["a", "b", "c", "x"], "acc": [0.9, 0.7, 0.5, 0.1], "acc_stderr": [0.01, 0.01, 0.01, 0.01]},
    "new": {"system": ["c", "b", "a", "y"], "acc": [0.5, 0.9, 0.7, 0.1], "acc_stderr": [0.01, 0.01, 0.2, 0.01]},
}
"""Of old every pair is 14 standard errors apart; of new b and c alone are, 28, and a is one from both."""


@pytest.mark.parametrize("read", [pd.DataFrame, lambda cells: as_means(pd.DataFrame(cells))])
def test_means_with_standard_errors_settle_pairs(read):
    """Pairs far beyond their errors are settled, others are open; nothing is said of items, which there are none of."""
    study = study_boards({name: read(cells) for name, cells in MEANS.items()}, rng=1)
    better = study.found.pairs().set_index(["system_a", "system_b"])
    assert better["old"].to_dict() == {("a", "b"): "a", ("a", "c"): "a", ("b", "c"): "b"}
    assert better["new"].to_dict() == {("a", "b"): "", ("a", "c"): "", ("b", "c"): "b"}
    assert study.found.to_frame()["tau"].iloc[0] == pytest.approx(1 / 3)  # two of three pairs in one order
    report = study.report()
    assert report.summary[0] == (
        "Partly: of 3 pairs of the 3 systems on both boards, both settle 1 alike and none in opposite directions; "
        "old alone settles 2, new alone 0, and neither 0."
    )
    assert not any("topic" in words or "item" in words for _, words in report.facts)
    assert any("old: means with standard errors, taken for independent" in note for note in report.notes)
    assert "on new alone (1): y" in report.notes
    own = rank_intervals_from_errors({"a": 0.9, "b": 0.7, "c": 0.5}, dict.fromkeys("abc", 0.01), rng=1).to_frame()
    ranks = study.to_frame().set_index("system").loc[own["system"], ["old", "old_low", "old_high"]]
    assert (ranks.to_numpy() == own[["rank", "rank_low", "rank_high"]].to_numpy()).all()


def test_scores_by_item_beside_means():
    """One board of scores and one of means are compared too; a metric that falls is turned."""
    names = ["a", "b", "c"]
    scores = as_scores(
        np.array([[0.9], [0.5], [0.1]]) + np.random.default_rng(1).normal(0, 0.01, (3, 30)),
        systems=names,
        metrics=["acc"],
    )
    errors = pd.DataFrame({"system": names, "perplexity": [3.0, 2.0, 4.0], "perplexity_stderr": [0.1, 0.1, 0.1]})
    study = study_boards({"items": scores, "means": errors}, rng=1)
    better = study.found.pairs().set_index(["system_a", "system_b"])
    assert better["items"].tolist() == ["a", "a", "b"]
    assert better["means"].tolist() == ["b", "a", "b"]
    assert study.drift is None
    with pytest.raises(InvalidOptionError, match="`aggregates` are of scores by item"):
        study_boards(errors, aggregates=["mean", "Borda"])
