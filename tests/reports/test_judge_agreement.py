# ruff: noqa: RUF001 - Greek letters are what is tested
"""The sections on agreement of labels: tables beside yardsticks, judges that may be one, and topics."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.labels import as_labels
from metaeval.reports.judge_agreement import agreement_sections, alike_words, alpha_words, pair_words, pairs_words
from metaeval.studies.judges import study_judges


def labelled(columns, **options):
    """Study labels of arrays, dealt out to six topics in turn."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays(
        [[str(place % 6) for place in range(n)], [f"d{place}" for place in range(n)]], names=["topic", "item"]
    )
    labels = as_labels(pd.DataFrame(columns, index=index, dtype=float))
    return study_judges(labels, n_resamples=50, rng=0, **options).labelling


TRUTH = np.random.default_rng(0).integers(0, 3, 300)


def noisy(share, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(300) < share, rng.integers(0, 3, 300), TRUTH)


COLUMNS = {"nist": TRUTH, "a": noisy(0.2, 1), "b": noisy(0.6, 2)}


def test_beside_a_reference_every_judge_has_its_yardsticks(judged_study):
    """The judge, the best constant one, its own labels shuffled, and people: the baselines' numbers, best first."""
    study = judged_study().labelling
    agreement, _, _ = agreement_sections(study)
    _, table, alpha, _ = agreement.blocks
    value = study.baselines.set_index(["judge", "statistic"])
    for row in table.frame.to_dict("records"):
        for statistic in ("quadratic_kappa", "same", "overlap"):
            own = value.loc[row["judge"], statistic]
            assert row[f"{statistic}_value"] == own["value"]
            assert row[f"{statistic}_shuffled"] == own["shuffled"]
            assert row[f"{statistic}_people"] == own["people"]
    assert table.frame["quadratic_kappa_value"].is_monotonic_decreasing
    assert "people among themselves (mean over their pairs)" in table.caption
    assert alpha.data["alpha"].tolist() == study.agreement.alpha["alpha"].tolist()
    without = agreement_sections(judged_study(people=False).labelling)[0].blocks[1]
    assert not any("people" in name for name in without.frame)


def test_the_picture_shows_the_kappa_that_leads(judged_study):
    """With a reference a dot a judge, of kappa with quadratic weights; else a square of all pairs."""
    picture = agreement_sections(judged_study().labelling)[0].blocks[0]
    assert picture.caption.startswith("Cohen's κ, quadratic weights, of every judge with nist, best first")
    square = agreement_sections(labelled(COLUMNS))[0].blocks[0]
    assert square.title == "Cohen's κ of every pair of judges"
    single = agreement_sections(labelled({"nist": TRUTH, "a": COLUMNS["a"]}, reference="nist"))[0].blocks[0]
    assert single.caption.startswith("The dot is Cohen's κ, quadratic weights, of a with nist")


@pytest.mark.parametrize("two", [True, False])
def test_every_measure_is_a_row_of_one_pair_or_a_column_of_many(two):
    """Of two judges every measure has a row with what it means; of more every pair has one."""
    columns = {name: COLUMNS[name] for name in (("nist", "a") if two else COLUMNS)}
    study = labelled(columns)
    fold = agreement_sections(study)[0].blocks[-1]
    assert fold.title == "Every measure of agreement"
    table = fold.blocks[0]
    assert len(table.frame) == (11 if two else 3)
    assert table.data.equals(study.agreement.pairs)
    assert table.columns[0].label == ("Measure" if two else "First")


def test_words_have_the_figures_of_the_comparison():
    """The pair's, the range's and alpha's."""
    pair = labelled({"nist": TRUTH, "a": COLUMNS["a"]})
    row = pair.agreement.pairs.iloc[0]
    assert pair_words(pair).startswith(f"nist and a gave the same label to {100 * row['same']:.1f} % of the items")
    words = re.sub(
        r", each ± [.\d]+", "", pair_words(pair)
    )  # how far resamples settle the ends: tests/base/test_words.py
    assert f"is {row['kappa']:.2f} (95 % interval {row['kappa_low']:.2f} to {row['kappa_high']:.2f})." in words
    many = labelled(COLUMNS)
    kappa = many.agreement.pairs["kappa"]
    assert pairs_words(many).endswith(f"ranges from {kappa.min():.2f} to {kappa.max():.2f}.")
    assert "Between the 3 pairs of judges" in pairs_words(many)
    assert "Between nist and each of 2 other judges" in pairs_words(labelled(COLUMNS, reference="nist"))
    alpha = many.agreement.alpha.set_index("level").loc["ordinal", "alpha"]
    assert alpha_words(many).startswith(f"Over all 3 judges Krippendorff's α for ordered grades is {alpha:.2f} (95 %")


def test_judges_that_may_be_one_are_named():
    """Nearly equal labels are said in the summary and in a section; else the section says that there are none."""
    study = labelled(COLUMNS | {"a again": COLUMNS["a"]})
    (words,) = alike_words(study)
    assert words.startswith("1 pair of judges gave the same label to 95 % of their items or more")
    assert "(a and a again: 100.0 %)" in words
    (table,) = agreement_sections(study)[1].blocks
    assert table.frame[["first", "second"]].to_numpy().tolist() == [["a", "a again"]]
    apart = labelled(COLUMNS)
    assert alike_words(apart) == []
    (text,) = agreement_sections(apart)[1].blocks
    assert text.paragraphs[0].startswith("No two judges gave the same label")


def test_topics_have_a_picture_and_numbers_where_somebody_may_read_them():
    """Up to 400 rows the numbers stand in a fold."""
    few = agreement_sections(labelled(COLUMNS))[2]
    assert [block.kind for block in few.blocks] == ["picture", "fold"]
    assert len(few.blocks[1].blocks[0].frame) == 18
    many = agreement_sections(labelled({f"j{one}": noisy(0.5, one) for one in range(13)}))[2]
    assert [block.kind for block in many.blocks] == ["picture"]
