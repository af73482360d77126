"""A correlation over few systems may be luck however many items stand behind it, and the first sentence says so."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import study_human

PEOPLE = [0.1, 0.2, 0.3, 0.4, 0.5]


def table(metric_means, n_items=60):
    """Return scores of systems with these means, which hardly vary over items."""
    rng = np.random.default_rng(1)
    rows = [
        (f"s{at}", f"d{item}", metric + rng.normal(0, 0.05), people + rng.normal(0, 0.05))
        for at, (metric, people) in enumerate(zip(metric_means, PEOPLE, strict=True))
        for item in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["system", "item", "mine", "human"])


@pytest.mark.parametrize(
    ("means", "opening"), [([0.3, 0.1, 0.2, 0.5, 0.3], "Open"), ([0.1, 0.22, 0.29, 0.4, 0.5], "Yes")]
)
def test_a_yes_needs_more_than_luck_over_systems(means, opening):
    """SciPy's p-value of the system means says which; the interval over items alone excludes 0 both times."""
    frame = table(means)
    study = study_human(frame, reference="human", rng=0, n_resamples=200)
    by_system = frame.groupby("system")[["mine", "human"]].mean()
    p = stats.pearsonr(by_system["mine"], by_system["human"]).pvalue
    assert (p <= 0.05) == (opening == "Yes")
    assert study.agreements[0].table["low"][0] > 0
    assert study.answer.startswith(f"{opening}: ")
    assert ("over systems" in study.answer) == (opening == "Open")


def test_intervals_over_items_beside_a_decision_over_systems_are_explained():
    """Both intervals exclude 0, and by SciPy one metric may be luck of five systems: the page tells both."""
    frame = table([0.1, 0.22, 0.29, 0.4, 0.5]).assign(lucky=table([0.3, 0.1, 0.2, 0.5, 0.3])["mine"])
    by_system = frame.groupby("system")[["mine", "lucky", "human"]].mean()
    p = [stats.pearsonr(by_system[name], by_system["human"]).pvalue for name in ("mine", "lucky")]
    assert p[0] <= 0.05 < p[1]
    study = study_human(frame, reference="human", rng=0, n_resamples=200)
    assert (study.agreements[0].table["low"] > 0).all()
    first, second, *_ = study.report().summary
    assert first.startswith("Partly: 1 of 2 metrics agree with people beyond chance, best mine")
    assert second.startswith(
        "Intervals are over other items, by which 2 agree; 1 of them may do so by luck of these systems "
        "(p over systems above 0.05)."
    )
