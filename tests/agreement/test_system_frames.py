"""Frames with a row a system, or a system and item: names in columns or in the index, numbers however they are held."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from metaeval.agreement.human_statistics import system_statistics
from metaeval.agreement.items import item_scores, system_means
from metaeval.agreement.williams import williams_table
from metaeval.errors import ScoresError
from metaeval.questions.human.study import study_human


def by_item(seed=0):
    """Return five systems on twelve items, items numbered, with the human score and two metrics."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame([(f"m{s}", i) for s in range(5) for i in range(12)], columns=["system", "item"])
    table["human"] = rng.normal(size=60) + np.repeat(range(5), 12)
    return table.assign(A=table["human"] + rng.normal(size=60), B=table["human"] + rng.normal(size=60))


LONG = by_item()
MEANS = LONG.groupby("system")[["human", "A", "B"]].mean()
RIGHT = {metric: pearsonr(MEANS["human"], MEANS[metric]).statistic for metric in "AB"}
NUMBERED = LONG.assign(system=LONG["system"].str[1].astype(int))


def of_polars(table):
    """Return a frame of another library."""
    return pytest.importorskip("polars").from_pandas(table)


@pytest.mark.parametrize(
    "table",
    [
        LONG,
        LONG.set_index("system"),
        LONG.set_index("item"),
        LONG.set_index(["system", "item"]),
        NUMBERED,
        NUMBERED.set_index("system"),
        LONG.astype({"A": str}),
        LONG.astype({"human": object, "A": object, "B": object}),
    ],
)
def test_metrics_are_compared_on_systems_wherever_their_names_stand(table):
    """Five systems, and r of their means as scipy has it, whether names are columns or levels of the index."""
    study = study_human(table, reference="human", statistics=["pearson"], n_resamples=9, rng=0)
    assert study.scores.sizes == {"metric": 3, "system": 5, "item": 12}
    assert study.system_table.set_index("metric")["value"].to_dict() == pytest.approx(RIGHT)
    assert study.answer


def test_frames_of_other_libraries_are_those_of_pandas():
    """Scores by item and means in frames of Polars give what those of pandas give."""
    study = study_human(of_polars(LONG), reference="human", statistics=["pearson"], n_resamples=9, rng=0)
    assert study.system_table.set_index("metric")["value"].to_dict() == pytest.approx(RIGHT)
    means = of_polars(MEANS.reset_index())
    assert system_statistics(means, reference="human")["value"].to_dict() == pytest.approx(RIGHT)
    assert system_means(means, reference="human")["A"].to_dict() == pytest.approx(MEANS["A"].to_dict())


@pytest.mark.parametrize("compare", [system_statistics, williams_table])
@pytest.mark.parametrize("table", [LONG, LONG.set_index("system"), LONG.set_index(["system", "item"]), NUMBERED])
def test_items_are_not_taken_for_systems(compare, table):
    """What takes one row a system says so, and what takes items."""
    with pytest.raises(ScoresError, match=r"one row a system, and system .* stands in 12 rows; metaeval.study_human"):
        compare(table, reference="human")


@pytest.mark.parametrize("table", [MEANS, MEANS.reset_index(), MEANS.astype(str)])
def test_means_are_read_wherever_the_names_of_systems_stand(table):
    """Names in the index or in a column, of any library, give the correlations of scipy."""
    assert system_statistics(table, reference="human")["value"].to_dict() == pytest.approx(RIGHT)
    pairs = williams_table(table, reference="human", alternative="two-sided")
    assert pairs["correlation_a"].tolist() == pytest.approx([RIGHT["A"]])


@pytest.mark.parametrize("table", [MEANS, MEANS.reset_index()])
def test_means_of_systems_are_converted_from_any_frame(table):
    """The systems of the index or of the column become the rows."""
    assert system_means(table, reference="human")["A"].to_dict() == pytest.approx(MEANS["A"].to_dict())


@pytest.mark.parametrize(
    "held",
    [
        LONG["A"].astype(object),
        LONG["A"].astype(str),
        LONG["A"].map(lambda number: Decimal(str(number))),
        LONG["A"].astype("Float64"),
        LONG["A"].astype(str).astype("category"),
    ],
)
def test_numbers_count_however_they_are_held(held):
    """A metric held as objects, texts or decimals has the numbers of floats, and no note says it was left out."""
    table = item_scores(LONG.assign(A=held), reference="human")
    assert table["metric"].to_numpy().tolist() == ["human", "A", "B"]
    np.testing.assert_allclose(table.sel(metric="A").to_numpy().ravel(), LONG["A"])
    assert "notes" not in table.attrs


def test_yes_and_no_are_one_and_nought():
    """A metric of right and wrong answers is compared as 1 and 0."""
    table = item_scores(LONG.assign(A=LONG["A"] > 1), reference="human")
    assert table.sel(metric="A").to_numpy().ravel().tolist() == (LONG["A"] > 1).astype(float).tolist()


def test_items_that_are_numbers_in_text_keep_their_names():
    """Only scores are made numbers: item 007 stays 007."""
    table = item_scores(LONG.assign(item=LONG["item"].map("{:03}".format)), reference="human")
    assert table["item"].to_numpy()[7] == "007"


@pytest.mark.parametrize(
    ("table", "levels"),
    [
        (LONG.set_index("system").rename_axis(None), "system"),
        (LONG.set_index(["system", "item"]).rename_axis([None, None]), ["system", "item"]),
    ],
)
def test_rows_that_nothing_names_are_refused(table, levels):
    """An index whose labels repeat, or has levels, must say what they are; naming it gives the right systems."""
    with pytest.raises(ScoresError, match=r"rows such as m0.*rename_axis"):
        study_human(table, reference="human")
    study = study_human(table.rename_axis(levels), reference="human", statistics=["pearson"], n_resamples=9, rng=0)
    assert study.system_table.set_index("metric")["value"].to_dict() == pytest.approx(RIGHT)
