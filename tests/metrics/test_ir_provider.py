"""Our metrics through ir_measures: the values of its own providers, and ours where it has none."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metaeval
from metaeval.errors import InvalidOptionError
from metaeval.io.interop import collection_from
from metaeval.metrics import BUILTIN, ir_measures_provider, metric
from metaeval.testing import simulated_collections

ir_measures = pytest.importorskip("ir_measures")

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ir_measures.util"),  # its parser of names, in Python 3.12
]

SHARED = [
    "AP", "AP@5", "AP(rel=2)", "P@5", "P(rel=2)@3", "R@5", "RR", "Rprec", "nDCG", "nDCG@5", "Bpref", "infAP",
    "Success@3", "Judged@5", "AP(judged_only=True)", "nDCG(judged_only=True)@5", "nDCG(gains={1:3,2:5,3:9})@5",
]  # fmt: skip
OURS = ["Q", "Q@10", "Q(gains='exponential')@5", "nERR@5", "bpref_R"]
QRELS = {"1": {"d1": 2, "d2": 1}, "2": {"x": 1}, "3": {"y": 0}}


@pytest.fixture
def registered(monkeypatch):
    """Register the provider, and take it back."""
    for table in (ir_measures.measures.registry, ir_measures.providers.registry):
        for name in list(table):
            monkeypatch.setitem(table, name, table[name])
    before = [dict(table) for table in (ir_measures.measures.registry, ir_measures.providers.registry)]
    monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", list(ir_measures.DefaultPipeline.providers))
    yield ir_measures_provider(register=True)
    for table, held in zip((ir_measures.measures.registry, ir_measures.providers.registry), before, strict=True):
        table.clear()
        table.update(held)


def drawn(seed):
    """Return a run with scores that fall with the rank, and judgments, of which a topic may lack every relevant one."""
    rankings, qrels = next(simulated_collections(np.random.default_rng(seed), 1))
    run = {
        topic: {name: float(len(names) - place) for place, name in enumerate(names)}
        for topic, names in rankings["a"].items()
    }
    return run, qrels


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_values_are_those_of_its_own_providers(seed):
    """Topic by topic, one measure at a time; theirs are those of pytrec_eval and of its judged provider."""
    run, qrels = drawn(seed)
    provider = ir_measures_provider(registry=BUILTIN)
    for name in SHARED:
        measure = ir_measures.parse_measure(name)
        assert provider.supports(measure), name
        ours, theirs = (
            {value.query_id: value.value for value in source.iter_calc([measure], qrels, run)}
            for source in (provider, ir_measures)
        )
        assert ours == pytest.approx(theirs, abs=1e-9), name


def test_values_are_those_of_score(registered):
    """Where ir_measures has no measure, under its own call and with the mean that it takes."""
    run, qrels = drawn(3)
    collection = collection_from({"run": run}, qrels)
    measures = {name: ir_measures.parse_measure(name) for name in OURS}
    results = ir_measures.calc(measures.values(), qrels, run)
    for name, measure in measures.items():
        expected = metaeval.metrics.metric_values(collection, [name.replace("'", "")])[0, 0]
        found = {value.query_id: value.value for value in results.per_query if value.measure == measure}
        assert found == pytest.approx(dict(zip(collection.topics, expected, strict=True)))
        assert results.aggregated[measure] == pytest.approx(expected.mean())
    assert str(measures["Q@10"]) == "Q@10"
    assert registered.NAME in ir_measures.providers.registry


def test_its_own_names_and_providers_stay_its_own(registered):
    """The provider is asked last, and registering it again leaves one of it."""
    theirs = ir_measures.AP
    assert ir_measures.measures.registry["AP"] is theirs
    assert registered.measures["AP"] is theirs
    again = ir_measures_provider(register=True)
    providers = ir_measures.DefaultPipeline.providers
    assert providers[-1] is again
    assert [one.NAME for one in providers].count("metaeval") == 1


def test_q_measure_by_hand():
    """One of two relevant documents, of grade 2, at rank 2: (1 + 2) / (2 + 3) / 2; other topics have nothing found."""
    provider = ir_measures_provider(registry=BUILTIN)
    run = {"1": {"d9": 2.0, "d1": 1.0}, "9": {"d1": 1.0}}
    found = {value.query_id: value.value for value in provider.iter_calc([provider.measures["Q"] @ 10], QRELS, run)}
    assert found == pytest.approx({"1": 0.3, "2": 0.0, "3": 0.0})


@pytest.mark.parametrize("run", [{}, {"9": {"d1": 1.0}}, {"1": {}}], ids=["empty", "of other topics", "an empty list"])
def test_a_run_without_a_list_has_the_worst_value_everywhere(run):
    """0 of AP; 11 where lower is better from 1 to 11."""

    @metric(name="First", higher_is_better=False, bounds=(1, 11), without_relevant=11.0)
    def first(topic):
        return min([*topic.ranks[topic.levels > 0].tolist(), 11])

    provider = ir_measures_provider(registry=BUILTIN.extend(first))
    values = list(provider.iter_calc([provider.measures["First"], ir_measures.AP], QRELS, run))
    assert {(value.query_id, str(value.measure)): value.value for value in values} == {
        (topic, name): worst for topic in QRELS for name, worst in (("First", 11.0), ("AP", 0.0))
    }


def test_every_form_of_runs_and_judgments_that_it_takes():
    """Records, frames with numbers for topics, and two names of one measure; topics keep their type."""
    provider = ir_measures_provider(registry=BUILTIN)
    run = pd.DataFrame({"query_id": [1, 1], "doc_id": ["d9", "d1"], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"query_id": [1, 1], "doc_id": ["d1", "d2"], "relevance": [2, 1]})
    for given_run, given_qrels in [
        (run, qrels),
        ([ir_measures.ScoredDoc(*row) for row in run.itertuples(index=False)],
         [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)]),
    ]:  # fmt: skip
        found = list(provider.iter_calc([ir_measures.RR, ir_measures.RR @ 5], given_qrels, given_run))
        assert [(value.query_id, value.value) for value in found] == [(1, 0.5), (1, 0.5)]


def test_what_is_not_ours_is_refused_as_its_providers_do():
    """A measure that we lack, one by subtopic, a value that ours refuses, and one that was defined at run time."""
    provider = ir_measures_provider(registry=BUILTIN)
    for measure in (
        ir_measures.SetP,
        ir_measures.alpha_nDCG @ 10,
        ir_measures.define(lambda *_: [], support_cutoff=False),
    ):
        assert not provider.supports(measure)
    assert not provider.supports(provider.measures["Q"](gains="unheard_of"))
    with pytest.raises(ValueError, match="unsupported measures SetP"):
        provider.calc_aggregate([ir_measures.AP, ir_measures.SetP], QRELS, {})


def test_without_ir_measures_the_way_out_is_named(monkeypatch):
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(InvalidOptionError, match="needs that package: pip install ir-measures"):
        ir_measures_provider()
