"""Labels in memory: words with or without a column of items, scales without a 1, grades in steps of a half."""

import numpy as np
import pandas as pd
import pytest

from metaeval import study_judges
from metaeval.errors import MetaevalError

MINUS = pd.DataFrame({"ann": [0, 1, 2, 1, 0, 2] * 10, "ben": [0, 1, 2, -1, 0, 1] * 10})
HALVES = pd.DataFrame({"ann": [0.5, 1, 1.5, 2] * 9, "ben": [0.5, 1, 1.5, 1.5] * 9})
FORMS = {
    "frame without a column of items": MINUS,
    "items in the index": MINUS.set_axis([f"i{row}" for row in range(60)]),
    "index called item": MINUS.rename_axis("item"),
    "lists by judge": {name: MINUS[name].tolist() for name in MINUS},
    "mappings by judge": {name: {"q": MINUS[name].to_dict()} for name in MINUS},
}


def statistic(study, name):
    """Return a statistic of the one pair."""
    return float(study.labelling.agreement.pairs[name].item())


@pytest.mark.parametrize("labels", FORMS.values(), ids=FORMS)
def test_what_is_asked_of_a_code_is_done_in_every_form(labels):
    """Ten labels of -1, of one judge alone, are no labels: ann and ben are alike on 40 of 50 items, by counting."""
    with pytest.raises(MetaevalError, match=r"`words=\{'-1': 'none'\}` leaves them out"):
        study_judges(labels, rng=0, n_resamples=20)
    found = study_judges(labels, words={"-1": "none"}, rng=0, n_resamples=20)
    assert statistic(found, "same") == pytest.approx(0.8)


def test_advice_for_frames_is_of_frames():
    """Rows without names of items are numbered in the frame, not by a filter of the shell; the way is followed."""
    frame = MINUS.set_axis([0] * 60)
    with pytest.raises(MetaevalError, match=r"number the rows: `frame.assign\(item=range\(len\(frame\)\)\)") as caught:
        study_judges(frame, words={"-1": "none"}, rng=0)
    assert "awk" not in str(caught.value)
    named = frame.assign(item=range(len(frame)))
    assert statistic(study_judges(named, words={"-1": "none"}, rng=0, n_resamples=20), "same") == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("low", "high", "rel"), [(0, 2, 2), (2, 3, 3), (5, 10, 10), (10, 20, 20), (0, 1, 1), (1, 2, 2), (-1, 0, 0)]
)
def test_the_lowest_relevant_label_is_on_the_scale(low, high, rel):
    """By default the lowest above the lowest: 18 of 27 that either calls relevant both do, counted by hand."""
    found = study_judges({"a": [low, high, low, high] * 9, "b": [low, high, high, high] * 9}, rng=0, n_resamples=20)
    assert (found.labelling.agreement.rel, statistic(found, "overlap")) == (rel, pytest.approx(2 / 3))
    assert f"Relevant: a label of {rel} or more" in found._repr_html_()


def test_three_grades_from_one_on_begin_with_the_second():
    """On 1 to 3 nobody would be without a relevant item from 1 on."""
    found = study_judges({"a": [1, 2, 3, 1] * 9, "b": [1, 2, 2, 1] * 9}, rng=0, n_resamples=20)
    assert found.labelling.agreement.rel == 2


def test_half_grades_say_how_they_are_made_whole():
    """The error names the factor, and with it the judges are alike on three of four items."""
    with pytest.raises(MetaevalError, match=r"steps of 1/2 multiply them by 2 \(frame \* 2\)"):
        study_judges(HALVES, rng=0)
    assert statistic(study_judges(HALVES * 2, rng=0, n_resamples=20), "same") == pytest.approx(0.75)
    with pytest.raises(MetaevalError) as caught:
        study_judges(HALVES * np.pi, rng=0)
    assert "multiply" not in str(caught.value)
