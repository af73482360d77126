# ruff: noqa: RUF001 - Greek letters are what is tested
"""The sections on agreement of labels: tables beside yardsticks, judges that may be one, and topics."""

import re

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.labels import as_labels
from metaeval.questions.judges.page_labels import agreement_figures, agreement_sections, alpha_words
from metaeval.questions.judges.study import study_judges


def labelled(columns, **options):
    """Study labels of arrays, dealt out to six topics in turn."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays(
        [[str(place % 6) for place in range(n)], [f"d{place}" for place in range(n)]], names=["topic", "item"]
    )
    labels = as_labels(pd.DataFrame(columns, index=index, dtype=float))
    return study_judges(labels, **({"n_resamples": 50, "rng": 0} | options)).labelling


def sections(study):
    return agreement_sections(study, brief=True, opens=True)


TRUTH = np.random.default_rng(0).integers(0, 3, 300)


def noisy(share, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(300) < share, rng.integers(0, 3, 300), TRUTH)


COLUMNS = {"nist": TRUTH, "a": noisy(0.2, 1), "b": noisy(0.6, 2)}


def test_beside_a_reference_every_judge_has_its_yardsticks(judged_study):
    """The judge, the best constant one, its own labels shuffled, and people: the baselines' numbers, best first."""
    study = judged_study().labelling
    agreement, _ = sections(study)
    _, table, alpha, _ = agreement.blocks
    value = study.baselines.set_index(["judge", "statistic"])
    for row in table.frame.to_dict("records"):
        for statistic in ("quadratic_kappa", "same", "overlap"):
            own = value.loc[row["judge"], statistic]
            assert row[f"{statistic}_value"] == own["value"]
            assert row[f"{statistic}_shuffled"] == own["shuffled"]
            assert row[f"{statistic}_people"] == own["people"]
    assert table.frame["quadratic_kappa_value"].is_monotonic_decreasing
    assert "People: among themselves, mean over their pairs." in table.caption
    assert alpha.data["alpha"].tolist() == study.agreement.alpha["alpha"].tolist()
    without = sections(judged_study(people=False).labelling)[0].blocks[1]
    assert not any("people" in name for name in without.frame)


def test_the_picture_shows_the_kappa_that_leads(judged_study):
    """With a reference a dot a judge, of kappa with quadratic weights; else a square of all pairs."""
    picture = sections(judged_study().labelling)[0].blocks[0]
    assert picture.caption.startswith("Cohen's κ, quadratic weights of each judge with nist")
    square = sections(labelled(COLUMNS))[0].blocks[0]
    assert square.title == "Cohen's κ of every pair of judges"
    single = sections(labelled({"nist": TRUTH, "a": COLUMNS["a"]}, reference="nist"))[0].blocks[0]
    assert single.caption.startswith("Cohen's κ, quadratic weights of each judge with nist")


@pytest.mark.parametrize("two", [True, False])
def test_every_measure_is_a_row_of_one_pair_or_a_column_of_many(two):
    """Of two judges every measure has a row with what it means; of more every pair has one."""
    columns = {name: COLUMNS[name] for name in (("nist", "a") if two else COLUMNS)}
    study = labelled(columns)
    fold = sections(study)[0].blocks[-1]
    assert fold.title == "Every measure of agreement"
    table = fold.blocks[0]
    assert len(table.frame) == (11 if two else 3)
    assert table.data.equals(study.agreement.pairs)
    assert table.columns[0].label == ("Measure" if two else "First")


def test_the_first_sentence_says_on_which_side_of_chance_the_interval_lies():
    """All above: yes; all below: no; chance in it: not shown; without topics to resample no interval."""
    alpha = labelled(COLUMNS).agreement.alpha.set_index("level").loc["ordinal", "alpha"]
    said = alpha_words(labelled(COLUMNS))
    assert said.startswith(f"Krippendorff's α of the 3 judges is {alpha:.2f} [")
    rng = np.random.default_rng(1)
    apart = {name: rng.integers(0, 3, 300) for name in "ab"}
    assert alpha_words(labelled(apart)).endswith(": agreement beyond chance is not shown.")
    turned = labelled({"a": TRUTH, "b": 2 - TRUTH}, n_resamples=2000)  # else the end is not known to be below 0
    assert alpha_words(turned).endswith(": they agree less than by chance.")
    one = pd.MultiIndex.from_product([["1"], [f"d{place}" for place in range(300)]], names=["topic", "item"])
    alone = study_judges(as_labels(pd.DataFrame(COLUMNS, one, dtype=float)), n_resamples=50, rng=0).labelling
    assert alpha_words(alone).endswith(": observed without an interval.")


@pytest.mark.parametrize(
    ("n_same", "ending"),
    [
        (100, "they agree enough for firm conclusions (0.8)."),
        (88, "they agree enough for tentative conclusions (0.667), not surely for firm ones (0.8)."),
        (83, "they agree more than by chance, perhaps enough for tentative conclusions (0.667)."),
        (65, "they agree more than by chance, but too little even for tentative conclusions (0.667)."),
    ],
)
def test_the_first_sentence_says_what_an_agreement_allows(n_same, ending):
    """Krippendorff (2004, p. 241): firm conclusions from 0.8 on, tentative ones from 0.667, by the whole interval.

    Of 400 items, half of them yes, so many per cent have the same label: alpha is twice their share less 1, about.
    """
    first = np.tile([0, 1], 200)
    second = np.where(np.arange(400) // 2 % 100 < n_same, first, 1 - first)
    index = pd.Index([f"d{at}" for at in range(400)], name="item")
    study = study_judges(as_labels(pd.DataFrame({"a": first, "b": second}, index)), rng=0)
    assert alpha_words(study.labelling).endswith(f": {ending}")


def test_rare_labels_that_never_meet_do_not_contradict():
    """Of 60 items 4 are yes to one and 3 to the other, none to both: by chance so in 81 % of the orders (Fisher)."""
    first, second = np.repeat([1, 0], [4, 56]), np.repeat([0, 1, 0], [4, 3, 53])
    for times in (1, 6):  # 720 labels are dealt as 120 are
        rare = pd.DataFrame({"a": np.r_[first, [0] * 60 * (times - 1)], "b": np.r_[second, [0] * 60 * (times - 1)]})
        labels = as_labels(rare.set_index(pd.Index([f"d{at}" for at in range(60 * times)], name="item")))
        study = study_judges(labels, reference="a", rng=0)
        assert study.report().summary[0].endswith(" with a: agreement beyond chance is not shown.")
        assert not any("below 0" in note for note in study.notes)
        assert alpha_words(study_judges(labels, rng=0).labelling).endswith(": agreement beyond chance is not shown.")
    turned = rare.assign(b=1 - rare["a"]).set_index(labels.table.index.droplevel("topic"))
    assert any("below 0" in note for note in study_judges(as_labels(turned), reference="a", rng=0).notes)


def test_key_figures_are_those_of_the_pair_or_of_the_extreme_pairs():
    """κ with its interval and the share of equal labels, or both from the least to the most."""
    pair = labelled({"nist": TRUTH, "a": COLUMNS["a"]})
    row = pair.agreement.pairs.iloc[0]
    figures = {one.what: one.value for one in agreement_figures(pair)}
    kappa = f"{row['kappa']:.2f} [{row['kappa_low']:.2f}, {row['kappa_high']:.2f}]"
    assert figures["Cohen's κ"] == kappa
    ends = f"[{100 * row['same_low']:.0f}, {100 * row['same_high']:.0f}]"
    assert figures["Same label"] == f"{100 * row['same']:.1f} % {ends}"
    many = labelled(COLUMNS)
    kappas = many.agreement.pairs["kappa"]
    assert re.fullmatch(rf"{kappas.min():.2f} \(.*\) to {kappas.max():.2f} \(.*\)", agreement_figures(many)[1].value)


def test_judges_that_may_be_one_are_named():
    """Nearly equal labels have a section; else there is none."""
    study = labelled(COLUMNS | {"a again": COLUMNS["a"]})
    (table,) = sections(study)[1].blocks
    assert table.frame[["first", "second"]].to_numpy().tolist() == [["a", "a again"]]
    assert [section.id for section in sections(labelled(COLUMNS))] == ["agreement", "by-topic"]


def test_topics_have_a_picture_and_numbers_where_somebody_may_read_them():
    """Up to 400 rows the numbers stand in a fold."""
    few = sections(labelled(COLUMNS))[-1]
    assert [block.kind for block in few.blocks] == ["picture", "fold"]
    assert len(few.blocks[1].blocks[0].frame) == 18
    many = sections(labelled({f"j{one}": noisy(0.5, one) for one in range(13)}))[-1]
    assert [block.kind for block in many.blocks] == ["picture"]
