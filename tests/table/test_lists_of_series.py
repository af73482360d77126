"""A list of series, a system each: labels put them in one order, as they do in a mapping of series."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores, paired_t_test
from metaeval.errors import ScoresError

pl = pytest.importorskip("polars")

TOPICS = [f"q{topic}" for topic in range(20)]
X = pd.Series(np.random.default_rng(0).random(20), TOPICS, name="x")
Y = np.clip(X - 0.05, 0, 1).rename("y")
EXPECTED = stats.ttest_rel(X, Y).pvalue
LISTS = {
    "in another order": [X, Y.sort_values()],
    "without names": [X.rename(None), Y.sort_values().rename(None)],
    "of one name": [X, Y.sort_values().rename("x")],
    "numbered, in another order": [X.reset_index(drop=True), Y.reset_index(drop=True).sort_values()],
    "numbered": [X.reset_index(drop=True), Y.reset_index(drop=True)],
    "labelled arrays": [X.to_xarray(), Y.sort_values().to_xarray()],
    "of polars": [pl.Series("x", X.to_list()), pl.Series("y", Y.to_list())],
}


@pytest.mark.parametrize("listed", LISTS.values(), ids=LISTS)
def test_series_in_a_list_are_paired_by_their_labels(listed):
    """SciPy's p-value of the scores in one order, whatever order the second series has."""
    assert paired_t_test(listed).to_frame()["p_value"].item() == pytest.approx(EXPECTED)
    assert as_scores(tuple(listed)).sizes["topic"] == 20


@pytest.mark.parametrize("name", ["in another order", "numbered", "labelled arrays", "of polars"])
def test_names_of_series_are_the_systems(name):
    """Where they differ; the caller's own come first."""
    assert as_scores(LISTS[name])["system"].to_numpy().tolist() == ["x", "y"]
    assert as_scores(LISTS[name], systems=["u", "v"])["system"].to_numpy().tolist() == ["u", "v"]


def test_a_list_says_of_other_labels_what_a_mapping_says():
    """A topic that one lacks is a gap, and labels without any in common are refused."""
    for other in (Y.iloc[1:], Y.rename(lambda topic: f"p{topic}"), Y.reset_index(drop=True)):
        said = []
        for data in ([X, other], {"x": X, "y": other}):
            with pytest.raises(ScoresError) as caught:
                as_scores(data)
            said.append(str(caught.value))
        assert said[0] == said[1]
