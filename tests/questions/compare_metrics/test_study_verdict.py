"""A verdict on metrics can come out in every way, at the borders that it names."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from metaeval.questions.compare_metrics.study_verdict import difference_probabilities, verdict_of

COLUMNS = ["quality", "metric", "against", "p_better"]


def _table(**qualities):
    """Return a table of probabilities that one metric is better than another: quality={"AB": .97, …}."""
    rows = []
    for quality, pairs in qualities.items():
        for (one, other), share in pairs.items():
            rows += [(quality, one, other, share), (quality, other, one, 1 - share)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _verdict(table, metrics, current=None):
    found = verdict_of(table, list(metrics), current=current, confidence_level=0.95)
    return found.outcome, "".join(found.metrics)


@pytest.mark.parametrize(
    ("power", "topics", "found"),
    [
        (0.975, 0.95, ("adopt", "B")),
        (0.974, 0.999, ("open", "")),
        (0.975, 0.01, ("adopt", "B")),
        (0.5, 0.5, ("open", "")),
        (0.025, 0.999, ("keep", "A")),
        (0.026, 0.05, ("open", "")),
    ],
)
def test_power_decides_at_its_border(power, topics, found):
    """Surely better from .975 in power (a 95 % interval excludes zero), whatever the topics needed."""
    assert _verdict(_table(power={"BA": power}, topics={"BA": topics}), "AB", current="A") == found


@pytest.mark.parametrize(("lead", "error", "freedom"), [(0.1, 0.04, 24), (0.02, 0.04, 49), (0.2, 0.04, 3)])
def test_the_chance_said_is_that_of_studies_drawn(lead, error, freedom):
    """Of a million studies with a true lead as large as the observed one, so many find it; of the detectable, .8."""
    told = difference_probabilities(
        "power",
        pd.DataFrame([("A", "B", lead, error)], columns=["metric_a", "metric_b", "difference", "standard_error"]),
        freedom,
        confidence_level=0.95,
    ).iloc[0]
    draw = np.random.default_rng(1)
    errors = np.sqrt(draw.chisquare(freedom, 10**6) / freedom)
    for true, chance in ((lead, told["chance"]), (told["detectable"], 0.8)):
        found = np.abs(true / error + draw.normal(size=10**6)) > errors * student.isf(0.025, freedom)
        assert chance == pytest.approx(found.mean(), abs=0.003)


def test_a_candidate_that_another_beats_is_not_adopted():
    """Of two that are both better than the metric in use, the better one; of two that are not separated, both."""
    both = {"BA": 0.99, "CA": 0.99}
    assert _verdict(_table(power=both | {"CB": 0.99}), "ABC", current="A") == ("adopt", "C")
    assert _verdict(_table(power=both | {"CB": 0.9}), "ABC", current="A") == ("adopt", "BC")


def test_without_a_metric_in_use_the_best_must_beat_all_others():
    """Two that are not separated leave it open, however far behind the rest is."""
    assert _verdict(_table(power={"AB": 0.99, "AC": 0.99, "BC": 0.5}), "ABC") == ("adopt", "A")
    assert _verdict(_table(power={"AB": 0.9, "AC": 0.99, "BC": 0.99}), "ABC") == ("open", "")


def test_a_metric_that_contradicts_another_is_not_better():
    """Neither adopted nor kept against it; against others it stands."""
    table = _table(power={"BA": 0.99, "BC": 0.99, "AC": 0.99})
    asked = {"confidence_level": 0.95, "contradicting": [("B", "A")]}
    found = verdict_of(table, ["A", "B", "C"], current="A", **asked)
    assert (found.outcome, found.contradicted) == ("open", (("B", "A"),))
    assert verdict_of(table, ["A", "B", "C"], current="C", **asked).metrics == ("A", "B")
    assert verdict_of(_table(power={"BA": 0.99}), ["A", "B"], current="B", **asked).outcome == "open"


def test_a_metric_of_unknown_power_is_not_adopted():
    """A metric whose power could not be compared is not adopted."""
    table = _table(power={"BA": 0.99}, topics={"BA": 0.5, "CA": 0.99, "CB": 0.99})
    assert _verdict(table, "ABC", current="A") == ("adopt", "B")


def test_order_changes_nothing():
    """Neither of the metrics nor of the rows."""
    table = _table(power={"AB": 0.3, "AC": 0.99, "BC": 0.98}, topics={"AB": 0.4, "AC": 0.96, "BC": 0.96})
    verdicts = set()
    for metrics in permutations("ABC"):
        for current in (None, "C"):
            turned = table.sample(frac=1, random_state=len(verdicts))
            found = verdict_of(turned, metrics, current=current, confidence_level=0.95)
            pair = found.nearest().iloc[0]
            verdicts.add((current, found.outcome, found.metrics, pair["metric"], pair["against"]))
    assert len(verdicts) == 2


def test_equal_powers_are_no_better():
    """A difference of 0 without spread: none is better."""
    table = pd.DataFrame([("power", "A", "B", 0.0), ("power", "B", "A", 0.0)], columns=COLUMNS)
    assert _verdict(table, "AB", current="A") == ("open", "")


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ({}, ("adopt", "B")),
        ({"B": ["lo>ao"]}, ("open", "")),
        ({"A": ["lo>ao"], "B": ["lo>ao"]}, ("adopt", "B")),
        ({"A": ["lo>ao"]}, ("adopt", "B")),
        ({"A": ["ia>id"], "B": ["lo>ao"]}, ("open", "")),
    ],
)
def test_the_six_run_test_may_veto_and_speaks_for_none(broken, found):
    """What a metric alone breaks stops it; what the other breaks makes it no better."""
    table = _table(power={"BA": 0.99})
    verdict = verdict_of(table, "AB", current="A", confidence_level=0.95, broken=broken)
    assert (verdict.outcome, "".join(verdict.metrics)) == found
    assert verdict.vetoed == ((("B", "A"),) if found[0] == "open" else ())
    even = verdict_of(_table(power={"BA": 0.5}), "AB", current="A", confidence_level=0.95, broken=broken)
    assert (even.outcome, even.vetoed) == ("open", ())


def test_a_lead_is_sure_where_its_interval_excludes_zero():
    """The ends are those of Student's t; a lead whose error is 0 has none."""
    found = pd.DataFrame(
        [("A", "B", 0.03, 0.02), ("A", "C", 0.05, 0.02), ("B", "C", 0.02, 0.0)],
        columns=["metric_a", "metric_b", "difference", "standard_error"],
    )
    told = difference_probabilities("power", found, 49, confidence_level=0.95)
    half = student.ppf(0.975, 49) * 0.02
    assert told.loc[[0, 2], ["low", "high"]].to_numpy().ravel() == pytest.approx(
        [0.03 - half, 0.03 + half, 0.05 - half, 0.05 + half]
    )
    assert ((told["low"] > 0) == (told["p_better"] >= 0.975))[:4].all()
    assert told.loc[4:, ["low", "high"]].isna().all(axis=None)
