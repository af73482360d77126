"""Error rate and detectable difference at any number of topics, as the model or the curve has them, and a slider."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval.base.words import share
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.page.tables import Column, Steps, Table
from metaeval.questions.topics.page_error_rates import numbers_section
from metaeval.questions.topics.study import study_topics
from metaeval.simulate import simulate_scores


@pytest.fixture(scope="module")
def scores():
    """Six systems, forty topics, two metrics."""
    return simulate_scores(n_systems=6, n_topics=40, metrics=["AP", "P@10"], rng=1)


@pytest.fixture(scope="module", params=[True, False], ids=["model", "curve"])
def study(request, scores):
    """With the Bayesian model for two of three tolerances, and without it."""
    return study_topics(
        scores,
        tolerances=[0, 0.1, 0.2],
        modelled=[0, 0.1],
        n_trials=20,
        bayesian=request.param,
        differences=False,
        rng=1,
    )


def test_rates_are_those_of_the_answer(study):
    """At every size the median and interval of the model, or the curve that was chosen."""
    found = study.rates_at([5, 20, 80]).set_index(["metric", "tolerance", "size"])
    curves = study.curves().set_index(["metric", "tolerance", "size"])
    known = curves["fitted"] if study.posterior is None else curves["median"]
    for size in (5, 20, 80):
        for metric in study.error_rates.metrics:
            if (metric, 0.1, size) in known.index:
                assert found.loc[(metric, 0.1, size), "rate"] == pytest.approx(known[metric, 0.1, size])
    assert found["low"].isna().all() == (study.posterior is None)
    assert set(found.index.levels[1]) == ({0, 0.1, 0.2} if study.posterior is None else {0, 0.1})


def test_the_table_stands_at_the_topics_at_hand(study, scores):
    """Rates and differences of the studies; the fold holds some other numbers."""
    section = numbers_section(study)
    table, fold = section.blocks
    assert table.title == "With 40 topics in each set"
    row = table.frame.set_index("metric").loc["AP"]
    rates = study.rates_at([40]).set_index(["metric", "tolerance"])["rate"]
    assert row["rate 0.1_sort"] == pytest.approx(rates["AP", 0.1])
    assert float(row["rate 0.1"].removesuffix(" %")) == pytest.approx(100 * rates["AP", 0.1], abs=0.5)
    assert row["difference"] == detectable_by_topics(scores, [40])["difference"][0]
    few = fold.blocks[0].frame.set_index("metric").loc["AP"]
    assert [name for name in few.index if name.startswith("rate")] == [
        f"rate {one}" for one in (10, 25, 40, 50, 100, 200)
    ]
    assert float(few["rate 40"].removesuffix(" %")) == pytest.approx(100 * rates["AP", 0], abs=0.5)
    assert any("interval" in head.under for head in table.headings()) == (study.posterior is not None)


def test_a_slider_has_every_number_of_topics(study):
    """From the smallest size to four times the topics at hand or more, rising; cells as the table has them."""
    (table, _) = numbers_section(study).blocks
    told = json.loads(table.steps_json())
    assert told["numbers"] == sorted(set(told["numbers"]))
    assert (told["numbers"][0], told["numbers"][-1], told["numbers"][told["at"]]) == (5, 200, 40)
    assert len(told["cells"]) == len(told["numbers"])
    own = [[[cell.text, cell.sort, cell.under] for cell in row] for row in table.stacked_cells()]
    assert told["cells"][told["at"]] == own
    first, last = (float(told["cells"][place][0][-1][0]) for place in (0, -1))
    assert first > last > 0
    long = table.data
    assert set(long["n_topics"]) == set(told["numbers"])
    part = long[(long["metric"] == "AP") & (long["tolerance"] == 0)]
    assert told["cells"][0][0][1][0] == share(part["rate"].iloc[0])


def test_methods_say_what_the_difference_is(study):
    """Test, power, level and pair."""
    words = " ".join(study.report().methods.paragraphs)
    for one in ("detectable difference", "paired t test", "80 % power", "median pair"):
        assert one in words


def test_steps_hold_the_number_of_their_table():
    """A slider begins where its table stands, and goes up."""
    frame = pd.DataFrame({"a": [1]})
    for frames, at in (({5: frame}, 6), ({6: frame, 5: frame}, 5)):
        with pytest.raises(ValueError, match="steps rise and hold the number of their table"):
            Steps(what="Topics", frames=frames, at=at)


def test_a_table_without_steps_tells_none():
    """A page has no slider for it."""
    table = Table(
        name="t", title="T", caption="", frame=pd.DataFrame({"a": [np.nan]}), columns=(Column(name="a", label="A"),)
    )
    assert table.steps_json() == ""
