"""A campaign as a study: how many items separate two metrics, what a preset says, and the conclusions about systems."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.agreement.items import item_scores
from metaeval.agreement.meta_evaluation import meta_metrics
from metaeval.agreement.meta_tasks import parse_tasks
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.models.sample_size import topic_set_size_for_t
from metaeval.questions.human.study import study_human
from metaeval.questions.human.study_campaign import study_campaign
from metaeval.questions.human.study_campaign_files import presets, read_campaign


def people_and_metrics():
    """Make people and two metrics (metric, system, item)."""
    rng = np.random.default_rng(0)
    human = np.arange(6)[:, None] / 3 + rng.normal(0, 1, (6, 50))
    values = [human, human + rng.normal(0, 0.7, human.shape), human + rng.normal(0, 1.0, human.shape)]
    names = {"metric": ["human", "A", "B"], "system": list("uvwxyz"), "item": [str(place) for place in range(50)]}
    return xr.DataArray(np.array(values), dims=[*names], coords=names, attrs={"reference": "human"})


def test_the_items_that_separate_two_metrics_are_more_than_the_difference_seen_needs():
    """The one seen may be too large, so that more items are planned than if it were true, but not 20 times as many."""
    scores = people_and_metrics()
    study = study_campaign(scores, tasks="acc_eq", n_resamples=2000, separate=("A", "B"), n_chance=0, rng=0)
    row = study.separation.iloc[0]
    drawn = study.found.resampled["acc_eq"]
    variance = (drawn["A"] - drawn["B"] - row["difference"]).pow(2).mean() * row["n_units"]
    seen = topic_set_size_for_t(abs(row["difference"]), variance)
    assert seen < row["n_needed"] < 20 * seen
    assert study.to_separate("B", "A")["n_needed"].tolist() == [row["n_needed"]]
    with pytest.raises(UnknownNameError, match="no metric to separate 'X'"):
        study.to_separate("A", "X")
    with pytest.raises(InvalidOptionError, match="two metrics"):
        study_campaign(scores, separate=("A",))


def test_significant_pairs_are_those_of_every_set():
    """Decisions are listed by set, people's in each alike for all metrics."""
    scores = people_and_metrics()
    study = study_campaign({"x": scores, "y": scores}, tasks="acc_eq", n_resamples=9, n_chance=0, rng=0)
    assert study.decisions.groupby("set")["metric"].apply(list).tolist() == [["A", "B"]] * 2
    assert len({*study.decisions["n_human"]}) == 1


@pytest.mark.parametrize("name", presets())
def test_presets_are_well_formed(name):
    """Every preset has sets, tasks that can be parsed, and references of its own sets."""
    year = presets()[name]
    assert parse_tasks(year["tasks"], year["sets"])
    assert {*year["references"], *year.get("outliers", ())} <= {*year["sets"]}
    assert len({*year["metrics"]}) == len(year["metrics"])


def test_what_is_no_campaign_stops(tmp_path):
    """A folder without the parts of one, and a preset that there is not, are errors."""
    (tmp_path / "a").mkdir()
    with pytest.raises(FileFormatError, match=r"this is no folder of mt-metrics-eval.*it has a"):
        read_campaign(tmp_path)
    for part in ("documents", "human-scores", "metric-scores/en-de"):
        (tmp_path / part).mkdir(parents=True)
    with pytest.raises(FileFormatError, match="en-de, he-en, zh-en has no human scores 'mqm'"):
        read_campaign(tmp_path, "wmt23")
    with pytest.raises(UnknownNameError, match="preset"):
        read_campaign(tmp_path, "wmt19")


def test_a_metric_that_gives_all_systems_one_score_is_nowhere_above_chance():
    """Every shuffle of it is the same: p is 1 where it has a value; it shares no letter where no pair has a p."""
    generator = np.random.default_rng(1)
    human = np.arange(3)[:, None] + generator.normal(0, 0.6, (3, 6))
    cells = [human, human + generator.normal(0, 0.4, (3, 6)), np.full((3, 6), 0.5)]
    frame = pd.DataFrame(
        {"system": np.repeat(list("ABC"), 6), "item": np.tile(list("uvwxyz"), 3)}
        | dict(zip(["human", "m1", "flat"], map(np.ravel, cells), strict=True))
    )
    scores = item_scores(frame, reference="human")
    found = meta_metrics(scores, tasks="spa, acc_eq, pearson:item", n_resamples=99, n_chance=200, rng=0)
    flat = found.to_frame().query("metric == 'flat'").set_index("task")
    known = flat["value"].notna()
    assert known.to_dict() == {"spa": True, "acc_eq": True, "pearson:item": False, "average": False}
    assert (flat.loc[known, "p_chance"] == 1.0).all()
    assert (flat.loc[known, "above_chance"] == False).all()  # noqa: E712 - missing values are neither
    assert (flat.loc[~known, "letters"] == "").all()
    others = found.to_frame().query("metric == 'm1'")
    assert (others["above_chance"] == True).all()  # noqa: E712
    assert (others["letters"] != "").sum() >= 2
    shown = study_human(scores, reference="human", n_resamples=50, rng=0).report().summary
    assert not any("flat" in words and "worse" in words for words in shown)
