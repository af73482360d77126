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
