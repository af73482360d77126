"""Measures of ir_measures: ours where we have them, theirs unchanged where we do not."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import BUILTIN, Metric, MetricError, MetricNameError, metric_values, score
from metaeval.metrics.external import ExternalMetric
from metaeval.testing import simulated_collections

ir_measures = pytest.importorskip("ir_measures")

pytestmark = pytest.mark.usefixtures("one_core")

SHARED = [
    "AP", "AP@5", "AP(rel=2)", "P@5", "P(rel=2)@3", "R@5", "RR", "RR@3", "Rprec", "nDCG", "nDCG@5", "Bpref", "infAP",
    "Success@3", "Judged@5", "AP(judged_only=True)", "nDCG(judged_only=True)@5", "P(judged_only=True)@5",
    "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:3,2:5,3:9})@5",
]  # fmt: skip


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6))
def test_ours_equal_theirs(seed):
    """Every measure that both have, one at a time, on simulated collections from the same source."""
    rankings, qrels = next(simulated_collections(np.random.default_rng(seed), 1))
    collection = collection_from_rankings(rankings, qrels)
    theirs = [ExternalMetric(name, eval(f"ir_measures.{name}")) for name in SHARED]  # noqa: S307 - names from above
    ours = [BUILTIN.resolve(name) for name in SHARED]
    assert all(isinstance(one, Metric) for one in ours)
    difference = np.abs(metric_values(collection, theirs) - metric_values(collection, ours)).max(axis=(1, 2))
    assert dict(zip(SHARED, difference.round(4), strict=True)) == dict.fromkeys(SHARED, 0.0)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (ir_measures.AP @ 10, "AP@10"),
        (ir_measures.RBP, "RBP(p=0.8)"),  # the object carries its own default
        (ir_measures.RBP(rel=1), "RBP(p=0.8, rel=1)"),
        (ir_measures.nDCG(dcg="exp-log2") @ 10, "nDCG(gains=exponential)@10"),
        (ir_measures.nDCG(gains={0: 0, 1: 1, 2: 10}) @ 5, "nDCG(gains={0:0, 1:1, 2:10})@5"),
        (ir_measures.P(rel=2, judged_only=True) @ 5, "P(judged_only=True, rel=2)@5"),
        (ir_measures.BPref, "bpref"),
        (ir_measures.MRR @ 10, "RR@10"),
    ],
)
def test_measure_objects_become_our_metrics(measure, name):
    """Where we have the measure it is computed by our kernel."""
    found = BUILTIN.resolve(measure)
    assert isinstance(found, Metric)
    assert found.name == name


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("IPrec@0.1", "IPrec@0.1"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("setp(rel=2)", "SetP(rel=2)"),
        (ir_measures.SetP(rel=2), "SetP(rel=2)"),
        ("SetF(beta=2)", "SetF(beta=2)"),
    ],
)
def test_other_measures_go_through_ir_measures(asked, name):
    """With what ir_measures itself gives for the runs and qrels."""
    found = BUILTIN.resolve(asked)
    assert isinstance(found, ExternalMetric)
    assert found.name == name
    rankings, qrels = next(simulated_collections(np.random.default_rng(5), 1))
    run = {
        topic: {doc: float(place + 1) for place, doc in enumerate(docs[::-1])} for topic, docs in rankings["a"].items()
    }
    expected = {one.query_id: one.value for one in ir_measures.iter_calc([found.measure], qrels, run)}
    collection = collection_from_rankings(rankings, qrels)
    values = metric_values(collection, [found])[0, 0]
    assert dict(zip(collection.topics, values.tolist(), strict=True)) == pytest.approx(expected)


def test_an_empty_list_scores_zero_and_rejudging_reaches_them():
    """External measures see the current levels."""
    runs = {"a": {"1": ["d1", "x"], "2": ["d1"]}, "b": {"2": ["x", "d2"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 1}, "2": {"d1": 1, "d2": 1}})
    assert score(collection, ["SetP"]).to_numpy().tolist() == [[[0.5, 1.0], [0.0, 0.5]]]
    again = collection.rejudge(np.array([1, 1, 0]))
    assert score(again, ["SetP"]).to_numpy().tolist() == [[[0.5, 1.0], [0.0, 0.0]]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("IPrec", "IPrec of ir_measures needs recall"),
        ("SetP(beta=2)", "has no beta.*It takes rel"),
        ("SetP(2)", "names its arguments"),
        ("SetP(rel=high)", "refuses rel='high'"),
    ],
)
def test_arguments_they_do_not_take_are_refused_before_scoring(text, said):
    """The error lists what the measure takes."""
    with pytest.raises(MetricNameError, match=said):
        BUILTIN.resolve(text)


def test_a_measure_that_no_provider_computes_is_refused_with_the_way_out(monkeypatch):
    """ir_measures knows the name but lacks the package."""

    def lacking(*_):
        raise ValueError("unsupported measures; pip install more")

    monkeypatch.setattr(ir_measures, "iter_calc", lacking)
    rankings, qrels = next(simulated_collections(np.random.default_rng(0), 1))
    with pytest.raises(InvalidOptionError, match=r"ir_measures cannot compute SetP: .*pip install"):
        metric_values(collection_from_rankings(rankings, qrels), ["SetP"], registry=BUILTIN)


def test_without_ir_measures_the_error_says_how_to_get_it(monkeypatch):
    """It is optional."""
    import sys  # noqa: PLC0415

    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(UnknownNameError, match="no metric 'SetP'") as caught:
        BUILTIN.resolve("SetP")
    assert any("pip install ir-measures" in note for note in caught.value.__notes__)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SetP", 2.24, r"SetP of ir_measures lies outside the declared bounds \[0, 1\] for run 'a', topic '1': 2.24"),
        ("NumRet", -1, r"outside the declared bounds \[0, inf\] for run 'a', topic '1': -1.0"),
        (
            "SetP",
            float("nan"),
            "SetP of ir_measures must give a finite number for every list; run 'a', topic '1' got nan",
        ),
        ("SetP", "much", "ir_measures gives 'much' for SetP, which is no number"),
    ],
)
def test_what_a_provider_gives_is_checked(monkeypatch, name, value, said):
    """Measures from elsewhere are held to the same rule as ours."""
    runs = {"a": {"1": ["d1"]}, "b": {"1": ["x"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 1}})
    wrong = [ir_measures.util.Metric(query_id="1", measure=None, value=value)]
    monkeypatch.setattr(ir_measures, "iter_calc", lambda *_: wrong)
    with pytest.raises(MetricError, match=said):
        metric_values(collection, [name], registry=BUILTIN)


def test_measures_of_others_have_no_bounds():
    """Counts are not shares, and of a stranger's measure nothing is known."""
    assert BUILTIN.resolve("NumRet").bounds == (0, np.inf)
    assert ExternalMetric("P", SimpleNamespace(params={}, NAME="P")).bounds == (-np.inf, np.inf)
