"""The page of `metaeval stop`: its first sentence, its table and its picture."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, study_stopping


def scores(*means, n_topics=60, seed=1):
    """Return scores of systems with these means, one a row."""
    rng = np.random.default_rng(seed)
    names = [chr(ord("A") + place) for place in range(len(means))]
    return as_scores(rng.normal(np.array(means)[:, None], 0.2, (len(means), n_topics)), systems=names)


STOP = "If topics came in the order of their names, you may"
ONE = "which of A and B is better is not decided by the evidence of 30 topics, and it is expected to take some"
LATE = "A is the best (decided after {last}), and for the next (B and C) it is expected to take some"
NEXT = "for the next ({pair}) it is expected to take some"
STAYS = "if the difference stays"
NOBODY = "and nobody is ahead of all others yet"
SEVERAL = "of 3 pairs of systems are decided"


@pytest.mark.parametrize(
    ("means", "n_topics", "first"),
    [
        ((0.5, 0.2), 60, f"{STOP} stop: A is better than B, decided after {{last}} of 60 topics."),
        (
            (0.5, 0.2, 0.8),
            60,
            f"{STOP} stop: 3 pairs of systems are all decided, the last after {{last}} of 60 topics.",
        ),
        ((0.30, 0.22), 30, f"Go on: {ONE} {{more}} more (22 or more) {STAYS}."),
        ((0.30, 0.30), 30, f"{STOP} stop without a decision: {ONE} {{more}} more (88 or more) {STAYS}."),
        ((0.8, 0.2, 0.2), 40, f"{STOP} stop: after 40 topics 2 {SEVERAL}, {LATE} {{more}} more ({{ends}}) {STAYS}."),
        (
            (0.3, 0.22, 0.28),
            12,
            f"Go on: after 12 topics none {SEVERAL}, {NOBODY}; {NEXT} {{more}} more ({{ends}}) {STAYS}.",
        ),
    ],
)
def test_the_first_sentence_says_whether_to_stop(means, n_topics, first):
    """One pair or several; decided, near, or out of reach. Estimates are said to two digits."""
    study = study_stopping(scores(*means, n_topics=n_topics))
    rows = study.to_frame()
    soonest = rows["more"].min()
    more = "" if np.isnan(soonest) else f"{float(f'{soonest:.2g}'):.0f}"
    last = rows["decided_at"].max()
    row = rows.loc[0 if np.isnan(soonest) else rows["more"].idxmin()]
    low, high = (f"{float(f'{row[name]:.2g}'):.0f}" for name in ("more_low", "more_high"))
    ends = f"{low} or more" if high == "inf" else f"{low} to {high}"
    assert study.report().summary[0] == first.format(
        more=more, ends=ends, last="" if np.isnan(last) else int(last), pair=" and ".join(row[["system_a", "system_b"]])
    )


def test_a_decided_best_system_may_be_announced_though_others_are_open():
    """A is far ahead from early on and B, C and D are close: by hand, its last pair's units are in the table."""
    study = study_stopping(scores(0.70, 0.45, 0.38, 0.36, n_topics=80, seed=5))
    rows = study.to_frame()
    since = rows.loc[rows["winner"] == "A", "decided_at"].max()
    said = study.report().summary[0]
    assert rows["decided_at"].isna().any()
    assert said.startswith(f"{STOP} announce A as the best (decided after {since:.0f} of 80 topics). Go on only for")


def votes_on_two_pairs(n_first, n_second):
    """Return votes on A and B, three of four for A, among votes on C and D, won by turns."""
    first = [("A", "B", "right" if n % 4 == 3 else "left") for n in range(n_first)]
    second = [("C", "D", "left" if n % 2 else "right") for n in range(n_second)]
    return pd.DataFrame(first + second, columns=["left", "right", "winner"])


def test_a_forecast_of_votes_is_of_those_on_the_pair():
    """Votes on a pair that has 8 of 40: five times as many in all, by hand; a few say how many are none."""
    study = study_stopping(votes_on_two_pairs(8, 32))
    row = study.to_frame().set_index(["system_a", "system_b"]).loc["A", "B"]
    said = study.report().summary[0]
    assert f"some {row['more']:.0f} more votes on that pair ({row['more_low']:.0f} " in said
    assert f"some {float(f'{5 * row["more"]:.2g}'):,.0f} in all in the present proportions" in said


def test_of_few_votes_nothing_is_foretold():
    """Four votes on a pair, or none: no number in the row and none in the first sentence, which goes on."""
    study = study_stopping(votes_on_two_pairs(4, 4), burn_in=2)
    assert study.to_frame()[["more_low", "more", "more_high"]].isna().all(axis=None)
    said = study.report().summary[0]
    assert said.startswith("Go on: after 8 votes none of 6 pairs")
    assert said.endswith("no open pair has the 5 votes from which on it is foretold how many more it takes.")
    alone = study_stopping(votes_on_two_pairs(4, 0), burn_in=2).report().summary[0]
    assert alone.endswith("and fewer than 5 votes tell nothing of how many it will take.")


def test_the_table_has_what_the_rows_have():
    """A row a pair, decided first; the data hold the evidence at every look."""
    study = study_stopping(scores(0.5, 0.2, 0.25), n_replays=3, rng=1)
    report = study.report()
    table = next(table for table in report.tables() if table.name == "pairs")
    assert table.frame["system_a"].tolist() == study.to_frame()["system_a"].tolist()
    assert len(study.paths) == 3 * 51
    assert "evidence.csv" in report.data
    assert "orders" in report.summary[-1]


def test_the_picture_is_drawn_for_one_pair_and_for_many():
    """Evidence of every pair, with what decides; its words say how many."""
    for means in ((0.5, 0.2), (0.5, 0.2, 0.25, 0.8)):
        study = study_stopping(scores(*means))
        picture = study.report().sections[0].blocks[0]
        assert picture.draw() is not None
        assert f"of {len(study.pairs)} pair" in picture.alt


def test_methods_name_the_evidence_and_its_source():
    """What was asked, in words that fit a paper."""
    said = " ".join(study_stopping(scores(0.5, 0.2), correction="fdr_bh").report().methods.paragraphs)
    assert "Bayes factor" in said
    assert "Benjamini and Hochberg on e-values" in said


def test_a_pair_that_runs_leave_open_is_not_stopped_at():
    """The words of `table` on the same pair say so too; with a third system the sentence counts the pairs."""
    rng = np.random.default_rng(8)
    items, moved = rng.normal(0.5, 0.2, (300, 1)), np.array([[0.02, -0.01, 0.0], [0.0, 0.03, 0.03], [0.5, 0.5, 0.51]])
    values = items + moved[:, None, :] + rng.normal(0, 0.05, (3, 300, 3))
    first, second, *_ = study_stopping(as_scores(values[None, :2])).report().summary
    assert first.startswith(
        "Open: on these runs system2 is better than system1 by the evidence of 300 topics, but runs"
    )
    assert "no number of topics" in first
    assert second.startswith("Quote")
    board = study_stopping(as_scores(values[None]), n_replays=3, rng=1).report()
    assert board.summary[1].startswith("1 pair is decided by the evidence of topics alone, but runs differ so much")
    assert "of a fixed design" not in board.summary[-1]
