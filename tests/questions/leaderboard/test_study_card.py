"""The card of a leaderboard repeats its page: the same counts, shares and differences, and nothing else."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, simulate_scores, study_leaderboard
from metaeval.base.words import carried, number, share_of
from metaeval.questions.leaderboard.page_card import embedded

FEW = {"n_resamples": 100, "n_splits": 1, "rng": 0}


def gappy():
    values = simulate_scores(n_systems=7, n_topics=40, metrics=["AP"], rng=3).to_numpy().copy()
    values[0, 2, :6] = np.nan
    return as_scores(values, missing="pairwise")


@cache
def two_metrics():
    scores = simulate_scores(n_systems=8, n_topics=30, metrics=["AP", "P@10"], rng=2)
    return study_leaderboard(scores, baseline="system3", **FEW)


BOARDS = {
    "two metrics, a baseline": two_metrics,
    "gaps": lambda: study_leaderboard(gappy(), **FEW),
    "too few clusters for ranks": lambda: study_leaderboard(
        simulate_scores(n_systems=5, n_topics=30, metrics=["AP"], n_clusters=5, rng=1), **FEW
    ),
    "guaranteed ranks, another level": lambda: study_leaderboard(
        simulate_scores(n_systems=5, n_topics=30, metrics=["AP"], rng=4), rank_method="guaranteed", alpha=0.1, **FEW
    ),
    "0 and 1": lambda: study_leaderboard(np.random.default_rng(1).integers(0, 2, (5, 60)).astype(float), **FEW),
    "two systems": lambda: study_leaderboard([[0.1, 0.2, 0.4], [0.3, 0.5, 0.9]], **FEW),
    "all alike": lambda: study_leaderboard(np.full((4, 10), 0.5), **FEW),
}


@pytest.mark.parametrize("board", BOARDS)
def test_the_card_is_the_page(board):
    """Every figure of the card stands on the page, written alike; JSON holds all of it."""
    study = BOARDS[board]()
    card, report = study.card(), study.report()
    tables = {table.name: table for table in report.tables()}
    assert json.loads(json.dumps(card, allow_nan=False)) == card
    assert (card["n_systems"], card["n_items"]) == (study.scores.sizes["system"], study.scores.sizes["topic"])
    assert f"{card['decision']['alpha']:g}" in dict(report.facts)
    lead = {row.metric: row for row in tables["key_figures"].frame.itertuples()}
    ranks = tables[f"ranks {card['metrics'][0]['metric']}"].frame
    assert ranks["mean"].notna().all()  # with and without intervals
    assert card["treatment"]["n_missing"] == np.isnan(study.scores.to_numpy()).sum()
    pairs = tables["pairs"].frame.set_index(["metric", "family"])[["ranks", "n_pairs"]]
    for one in card["metrics"]:
        name = one["metric"]
        of_two = len(ranks) == 2
        if not of_two:
            assert one["n_may_be_first"] == lead[name].leading
            assert carried(one["n_may_be_first"], one["n_may_be_first_error"], number(0)) == lead[name].may
        every = f"{one['n_significant']:,} = {carried(one['share'], one['share_error'])}"
        assert pairs.loc[(name, "All pairs")].tolist() == [every, one["n_pairs"]]
        if of_two:  # the pair is no neighbour of others
            continue
        near = pairs.loc[(name, "Neighbours in the ranking")]
        assert near["ranks"].startswith(f"{one['n_adjacent_significant']:,} = ")
        assert near["n_pairs"] == one["n_adjacent"]
        differ, near = carried(one["n_adjacent_significant"], one["n_adjacent_error"], number(0)), one["n_adjacent"]
        assert share_of(differ.split()[0], near, one["n_adjacent_error"] / near) == lead[name].near
        assert f" and {differ} of {near:,} neighbour pair" in embedded(card).blocks[0].paragraphs[1]
        differences = tables["detectable_differences"].frame
        (cell,) = differences[(differences["metric"] == name) & (differences["correction"] == "none")]["typical"]
        found = one["detectable_difference"]
        assert cell == number(4)(found) if found is not None else not cell[0].isdecimal()


def test_the_files(tmp_path):
    """A report keeps the card and a badge that says the same, and has the lines that embed it."""
    study = two_metrics()
    report = study.report()
    for name in ("card.json", "badge.svg"):
        report.data[name](tmp_path / name)
    card = json.loads((tmp_path / "card.json").read_text("utf-8"))
    assert card == study.card()
    assert card["schema"] == "metaeval-card/1"
    assert card["random_source"] == "seed 0"
    badge = (tmp_path / "badge.svg").read_text("utf-8")
    ends = sorted((one["n_may_be_first"], one["n_may_be_first_error"]) for one in card["metrics"])
    first = " to ".join(dict.fromkeys(carried(*one, number(0)) for one in ends))
    assert f">{first} may be first, " in badge
    assert ">8 systems, 30 topics, 2 metrics<" in badge
    tables = {table.name: table for table in report.tables()}
    assert tables["pairs"].frame["family"].iloc[3] == "The baseline and each other"
    assert len(tables["baseline pairs"].frame) == 2 * 7
    (fold,) = (block for block in report.sections[-1].blocks if block.kind == "fold")
    assert "(data/badge.svg)](index.html)" in fold.blocks[1].paragraphs[0]


def test_one_cluster_counts_as_none(tmp_path):
    """All items in one cluster are items of that one, tested as without it, on the page and in the file; it is said."""
    values = np.arange(12.0).reshape(3, 4) % 7
    study = study_leaderboard(as_scores(values, clusters=dict.fromkeys("1234", "c")), **FEW)
    assert study.card()["metrics"] == study_leaderboard(values, **FEW).card()["metrics"]
    assert any("all topics are in one cluster, 'c', which counts as none" in note for note in study.notes)
    study.report().save(tmp_path / "board")
    assert json.loads((tmp_path / "board" / "data" / "card.json").read_text())["metrics"] == study.card()["metrics"]


def test_what_was_done_with_gaps_is_on_the_card():
    """Scores counted as 0, systems dropped or left out are named on card and badge, as in the notes."""
    values = simulate_scores(n_systems=4, n_topics=20, metrics=["AP"], rng=3).to_numpy()[0].copy()
    values[2, 1:] = np.nan
    for missing, said in (
        ("zero", "19 missing scores were counted as 0"),
        ("drop-systems", "1 system was dropped for missing scores"),
        ("pairwise", ""),
    ):
        study = study_leaderboard(as_scores(values, missing=missing), **FEW)
        card = study.card()
        assert card["treatment"]["settled"] == ([said] if said else [])
        assert card["treatment"]["left_out"] == ([] if said else ["system3"])
        fold = embedded(card)
        words, (lines,) = fold.blocks[0].paragraphs[1], fold.blocks[1].paragraphs
        assert (said or "1 system left out for want of scores: system3") in words
        assert (said or "1 system left out") in lines


def test_means_alone(tmp_path):
    """Without scores by item the card says what the page of means says, and leaves out what it cannot know."""
    board = pd.DataFrame({"model": ["a", "b", "c"], "acc": [0.76, 0.75, 0.6], "stderr": [0.01, 0.01, 0.01]})
    study = study_leaderboard(board, rng=0)
    card, frame = study.card(), study.to_frame()
    (one,) = card["metrics"]
    assert one["n_may_be_first"] == (frame["rank_low"] == 1).sum() == 2
    every = study.pair_counts().set_index("family").loc["all"]
    assert (one["n_significant"], one["n_pairs"], one["share"]) == (2, 3, every["share"])
    assert card["n_items"] is card["detectable"] is one["detectable_difference"] is one["share_error"] is None
    assert "as if errors were independent" in card["decision"]["method"]
    study.report().data["badge.svg"](tmp_path / "badge.svg")
    assert ">2 may be first, 66.7 % of pairs differ significantly<" in (tmp_path / "badge.svg").read_text("utf-8")
