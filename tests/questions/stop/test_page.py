"""The page of `metaeval stop`: its first sentence, its table and its picture."""

import numpy as np
import pytest

from metaeval import as_scores, study_stopping


def scores(*means, n_topics=60, seed=1):
    """Return scores of systems with these means, one a row."""
    rng = np.random.default_rng(seed)
    names = [chr(ord("A") + place) for place in range(len(means))]
    return as_scores(rng.normal(np.array(means)[:, None], 0.2, (len(means), n_topics)), systems=names)


ONE = "A and B do not differ by the evidence of 30 topics, and it is expected to take some"
LATE = "A is ahead of all others, and the next (B and C) is not expected before"
NEXT = "the next ({pair})"
NOBODY = "and nobody is ahead of all others yet"
SEVERAL = "of 3 pairs of systems are decided"


@pytest.mark.parametrize(
    ("means", "n_topics", "first"),
    [
        ((0.5, 0.2), 60, "You may stop: A is better than B, decided after {last} of 60 topics."),
        ((0.5, 0.2, 0.8), 60, "You may stop: 3 pairs of systems are all decided, the last after {last} of 60 topics."),
        ((0.30, 0.22), 30, f"Go on: {ONE} {{more}} more (22 or more)."),
        ((0.30, 0.30), 30, f"You may stop: {ONE} {{more}} more (88 or more)."),
        ((0.8, 0.2, 0.2), 40, f"You may stop: after 40 topics 2 {SEVERAL}, {LATE} {{more}} more."),
        (
            (0.3, 0.22, 0.28),
            12,
            f"Go on: after 12 topics none {SEVERAL}, {NOBODY}; {NEXT} is expected after some {{more}} more.",
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
    pair = "" if np.isnan(soonest) else " and ".join(rows.loc[rows["more"].idxmin(), ["system_a", "system_b"]])
    assert study.report().summary[0] == first.format(more=more, last="" if np.isnan(last) else int(last), pair=pair)


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
