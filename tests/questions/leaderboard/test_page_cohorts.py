"""The sentences on cohorts: the numbers of their table, and a reason where there are no subsets."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from metaeval.base.words import share
from metaeval.page.blocks import Choice, Text
from metaeval.page.tables import Table
from metaeval.questions.leaderboard.page_cohorts import cohort_files, cohorts_section, shares_by_cohort
from metaeval.resampling.cohorts import analyse_cohorts
from metaeval.table.scores import as_scores


def passed(n_systems=16, n_topics=60):
    """Draw items passed or failed, of systems that get better one by one, in two groups."""
    logit = np.linspace(-1, 3, n_systems)[:, None] + np.linspace(4, -4, n_topics)
    values = (np.random.default_rng(1).random(logit.shape) < 1 / (1 + np.exp(-logit))) * 1.0
    return as_scores(values, groups={f"system{place}": "ab"[place > 3] for place in range(1, n_systems + 1)})


def study_of(scores, cohorts):
    """Return what the section asks of a study, with three pairs separated in every cohort."""
    found = analyse_cohorts(scores, cohorts=cohorts, n_splits=2, rng=0)
    frame = found.to_frame()
    frame = frame.assign(
        n_significant=3, significant_error=0.0, n_pairs=frame["n_systems"] * (frame["n_systems"] - 1) // 2
    )
    return SimpleNamespace(cohorts=found, cohorts_named=False, scores=scores, cohort_frame=lambda: frame)


def paragraphs(study):
    """Return the sentences of the first metric, and the notes."""
    (section,) = cohorts_section(study, "decided as the ranks")
    (choice,) = [one for one in section.blocks if isinstance(one, Choice)]
    notes = [one.paragraphs for one in section.blocks if isinstance(one, Text)]
    return section, choice.parts[0][0].paragraphs, notes


def test_the_sentences_have_the_numbers_of_the_table():
    """A top and a group: shares, kinds and advice; the group is chosen by nobody, and is too small for subsets."""
    study = study_of(passed().drop_vars("group"), ["top8"])
    section, said, notes = paragraphs(study)
    row = study.cohort_frame().iloc[0]
    assert section.title == "What separates the best systems"
    assert not section.brief  # nobody asked for this cohort
    idle = row["n_idle"]
    sentence = (
        f"{60 - idle} topics separate the top 8, and {idle} of 60 ({share(row['idle'])}) decide nothing. "
        "3 of 28 pairs of the top 8 are separated (decided as the ranks)."
    )
    assert said == (sentence,)
    assert notes == []
    assert shares_by_cohort(study, "metric1") == [f"{share(row['idle'])} among the top 8"]
    assert set(cohort_files(study)) == {"cohort_items.csv"}


def test_a_group_and_a_cohort_without_an_idle_item():
    """Nobody chose the group; it has no subsets, with the reason; where all items separate there is nothing to drop."""
    study = study_of(passed(), ["a"])
    section, said, (notes,) = paragraphs(study)
    assert section.title == "Cohorts of systems"
    assert "the systems of a" in said[0]
    assert re.match(r"Subsets have no answer for a, metric1: .* there are 3 systems\.$", notes[0])
    scores = as_scores(np.random.default_rng(2).normal(0, 1, (12, 20)) + np.linspace(0, 6, 12)[:, None])
    study = study_of(scores, ["top8"])
    _, said, _ = paragraphs(study)
    assert said[0].startswith("20 topics separate the top 8, and 0 of 20 (0.0 %) decide nothing. 3 of 28")
    assert shares_by_cohort(study, "metric1") == []
    _, said, _ = paragraphs(study_of(as_scores(np.ones((12, 9))), ["top8"]))
    assert said[0].startswith("0 topics separate the top 8, and 9 of 9 (100.0 %) decide nothing.")


@pytest.mark.parametrize("gone", [20, 50])
def test_with_gaps_only_what_all_have_counts(gone):
    """Items that lack scores of some are left aside; the sentence, table and files count the others, one by one.

    Where they are more than half, the systems that lack them are named instead, and said not to count.
    """
    scores = passed().drop_vars("group").copy()
    scores[0, -2:, 60 - gone :] = np.nan
    study = study_of(as_scores(scores, missing="pairwise"), ["top8"])
    section, said, _ = paragraphs(study)
    row, members = study.cohort_frame().iloc[0], study.cohorts.members()
    own = scores[0].sel(system=members["system"][members["counted"]].tolist()).to_pandas().dropna(axis="columns")
    few = gone > 30
    assert (row["n_systems"], len(own), own.shape[1]) == (8, 6 if few else 8, 60 if few else 40)
    alike = own.max() == own.min()
    who = f"{len(own)} of the top 8" if few else "the top 8"
    counted = f"{alike.sum()} of {own.shape[1]} ({share(alike.mean())}) decide nothing."
    assert said[0].startswith(f"{own.shape[1] - alike.sum()} topics separate {who}, and {counted}")
    assert ("Not counted for want of scores: system15, system16." in said[0]) == few
    assert shares_by_cohort(study, "metric1") == [f"{share(alike.mean())}{'' if few else ' of 40'} among {who}"]
    (table,) = [block for block in section.blocks if isinstance(block, Table) and block.name == "cohorts"]
    shown = {column.label for column in table.columns} & {"counted", "left aside", "Metric"}
    assert shown == ({"counted"} if few else {"left aside"})


def test_a_system_with_one_value_is_named():
    """A reference is .5 on all: no item decides nothing with it, and the sentence says how many do without it."""
    values = passed().to_numpy()[0]
    values[-1] = 0.5
    names = [*(f"s{place}" for place in range(15)), "reference"]
    study = study_of(
        as_scores(values, systems=names, groups=dict.fromkeys(names[-8:], "a") | dict.fromkeys(names[:8], "b")), ["a"]
    )
    _, said, _ = paragraphs(study)
    idle = int((np.ptp(values[8:15], axis=0) == 0).sum())
    assert (
        f"reference has one value on all topics; among the other 7 systems {idle} of 60 topics decide nothing."
        in said[0]
    )


def test_no_cohort_no_section():
    """Where there are no cohorts nothing is said, and no file written."""
    study = SimpleNamespace(cohorts=None, cohort_frame=lambda: pytest.fail("nothing to ask"))
    assert cohorts_section(study, "") == []
    assert shares_by_cohort(study, "metric1") == []
    assert cohort_files(study) == {}
