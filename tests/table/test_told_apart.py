"""Rows on one system and item that another column distinguishes are repeats or parts of items."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from metaeval import as_scores, read_scores, study_table
from metaeval.errors import MetaevalError

GENERATOR = np.random.default_rng(9)
ITEMS = np.repeat([f"q{number}" for number in range(30)], 4)
A = np.repeat(GENERATOR.normal(0.5, 0.1, 30), 4) + GENERATOR.normal(0, 0.1, 120)
B = A + GENERATOR.normal(0.05, 0.1, 120)
NAMES = ["random_seed", "seed_id", "rep", "iteration", "fold", "cv_fold", "k", "try", "generation", "response_id"]


def frame_by(name, values=range(4)):
    """Return scores of two systems on 30 items, four of each, which a column distinguishes."""
    return pd.DataFrame(
        {"system": ["A"] * 120 + ["B"] * 120, "item": [*ITEMS] * 2, name: [*values] * 60, "score": [*A, *B]}
    )


def p_value(scores):
    """Return the p-value of the paired t test on the means of items."""
    found = study_table(scores).comparison.to_frame()
    return float(found[["p_value", "p_items"] if "p_items" in found else ["p_value"]].iloc[0, -1])


@pytest.mark.parametrize("name", NAMES)
def test_a_column_that_numbers_repeats_is_named(name):
    """What the message says is done, and gives SciPy's p of the items' means."""
    frame = frame_by(name)
    with pytest.raises(MetaevalError, match=f"column '{name}' distinguishes them; if it numbers repeats") as caught:
        as_scores(frame)
    assert "keep one" not in str(caught.value)
    assert f"frame.rename(columns={ {name: 'repeat'}!r})" in str(caught.value)
    means = frame.pivot_table("score", "item", "system")
    p = scipy.stats.ttest_rel(means.A, means.B).pvalue
    assert p_value(frame.rename(columns={name: "repeat"})) == pytest.approx(p, rel=1e-9)


def test_a_column_that_is_part_of_the_item_is_named(tmp_path):
    """Items in four languages: the code of the message joins both columns, SciPy's p is that over 120 items."""
    frame = frame_by("language", ["de", "en", "fr", "it"])
    with pytest.raises(MetaevalError, match="column 'language' distinguishes them; if it is part of what") as caught:
        as_scores(frame)
    start = str(caught.value).index("frame.assign(")
    code = str(caught.value)[start : str(caught.value).index(");", start)]
    joined = eval(code, {"frame": frame})  # noqa: S307 - the code that the message gives
    assert p_value(joined.drop(columns="language")) == pytest.approx(scipy.stats.ttest_rel(A, B).pvalue, rel=1e-9)
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    with pytest.raises(MetaevalError, match=r"without 'language'.*part of what 'item' names, write both into one"):
        read_scores(path)


def test_a_column_of_other_names_in_every_row_is_no_repeat_as_it_is():
    """Ids that no two rows share are not called repeats."""
    with pytest.raises(MetaevalError, match="if they are repeats, number them in a column 'repeat'"):
        as_scores(frame_by("response_id").assign(response_id=range(240)))


def test_rows_that_nothing_tells_apart_are_given_twice():
    """Then one is to be kept."""
    with pytest.raises(MetaevalError, match="keep one"):
        as_scores(frame_by("site", [1, 1, 2, 2]))


@pytest.mark.parametrize("item", ["question", "item"])
def test_samples_of_questions_are_repeats(item):
    """A column called sample beside one of questions numbers answers: SciPy's p of the questions' means."""
    frame = frame_by("sample").rename(columns={"item": item})
    means = frame.pivot_table("score", item, "system")
    assert p_value(frame) == pytest.approx(scipy.stats.ttest_rel(means.A, means.B).pvalue, rel=1e-9)
    alone = frame.drop(columns=item).assign(sample=[*range(120)] * 2)
    assert as_scores(alone).sizes["topic"] == 120


def test_a_setting_of_systems_is_no_repeat():
    """Temperatures name systems, as sizes do."""
    with pytest.raises(MetaevalError, match=r"if 'system' and 'temperature' name a system together, write both"):
        as_scores(frame_by("temperature", [0.0, 0.5, 0.7, 1.0]))
