"""Measures under real-valued grades: what asks for a threshold, and what is refused (test_literal has the formulas)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.metrics import BUILTIN, MetricSpec, RankedTopic, metric, metric_values, score
from metaeval.metrics.precision_recall import precision_recall_curves
from metaeval.questions.agree.study_variants import audit_variants
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.stability import measure_stability

pytestmark = pytest.mark.usefixtures("one_core")

GRADES = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.25, 4.0]


@st.composite
def collections(draw):
    """Two systems and two topics with grades that are not whole; 4 and 0.5 always occur."""
    rankings, qrels = {"a": {}, "b": {}}, {}
    for topic in ("1", "2"):
        grades = draw(st.lists(st.sampled_from(GRADES), min_size=1, max_size=12))
        qrels[topic] = {f"d{number}": one for number, one in enumerate([4.0 if topic == "1" else 1.0, 0.5, *grades])}
        names = [*qrels[topic], *(f"u{number}" for number in range(draw(st.integers(0, 4))))]
        for lists in rankings.values():
            lists[topic] = draw(st.permutations(names))[: draw(st.integers(1, len(names)))]
    return rankings, qrels


@settings(max_examples=20)
@given(made=collections())
def test_whole_grades_give_the_same_with_and_without_a_table(made):
    """Twice every grade is whole or half: a table in one collection, none in the other, and scores in no unit agree."""
    rankings, qrels = made
    tenfold = {topic: {name: 4 * one for name, one in part.items()} for topic, part in qrels.items()}
    names = ["nDCG@5", "RBP(p=0.5)", "Compat", "Judged"]
    real, whole = (collection_from_rankings(rankings, one) for one in (qrels, tenfold))
    assert (real.grades is None, whole.grades is None) == (False, True)
    assert metric_values(real, names) == pytest.approx(metric_values(whole, names), abs=1e-12)
    thresholds = metric_values(real, ["AP(rel=1.5)", "bpref(rel=0.5)"])
    assert np.array_equal(thresholds, metric_values(whole, ["AP(rel=6)", "bpref(rel=2)"]))


@pytest.fixture(scope="module")
def real():
    """Compile two runs and three topics under real-valued grades."""
    runs = {"a": {"1": ["d1", "d2"], "2": ["e1"], "3": ["f1"]}, "b": {"1": ["d2", "d1"], "2": ["e2", "e1"]}}
    qrels = {"1": {"d1": 1.7, "d2": 0.0, "d3": 0.4}, "2": {"e1": 0.4, "e2": 2.0}, "3": {"f1": 0.4, "f2": 0.0}}
    return collection_from_rankings(runs, qrels)


@pytest.mark.parametrize("name", ["AP", "P@5", "R@5", "RR", "Rprec", "Success@1", "bpref", "bpref_R", "infAP"])
def test_measures_with_a_threshold_ask_for_one(real, name):
    """The message names rel=; with one, also the usual 1 written out, scores come."""
    word, _, cutoff = name.partition("@")
    with pytest.raises(
        InvalidOptionError, match=rf"{name} counts documents as relevant from some grade on.*as in {word}\(rel=1.7\)"
    ):
        score(real, [name])
    for rel in ("1", "0.4", "1.5"):
        assert np.isfinite(score(real, [f"{word}(rel={rel}){'@' * bool(cutoff)}{cutoff}"])).all()
    with pytest.raises(InvalidOptionError, match=r"as in nDCG\(gains=binary\(rel=1.7\)\)"):
        score(real, ["nDCG(gains=binary)"])
    halves = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1.0, "d2": 0.5}})
    with pytest.raises(InvalidOptionError, match=rf"such as 0.5\), so say from which, as in {word}\(rel=0.5\)"):
        score(halves, [name])


def test_measures_taken_by_default_need_no_threshold(real):
    """Those with gains alone."""
    names = real.usual_metrics
    assert names == ("nDCG@10", "nDCG", "Q", "RBP(p=0.8)")
    assert score(real, names).shape == (4, 2, 3)


def test_a_threshold_between_levels_is_the_next_level():
    """Where grades are whole; the top of the scale must be whole there."""
    collection = collection_from_rankings({"a": {"1": ["d1", "d2"]}}, {"1": {"d1": 1, "d2": 2}})
    assert np.array_equal(*(metric_values(collection, [name]) for name in ("AP(rel=1.5)", "AP(rel=2)")))
    with pytest.raises(InvalidOptionError, match=r"but max_level=2.5 is not"):
        metric_values(collection, ["ERR(max_level=2.5)"])


def test_the_top_of_the_scale_stands_above_every_grade(real):
    """Below one it is refused; at the highest it is the default."""
    assert np.array_equal(metric_values(real, ["ERR(max_level=2)"]), metric_values(real, ["ERR"]))
    with pytest.raises(
        InvalidOptionError, match=r"max_level=1\.7 must be at least 2, the highest grade of the judgments"
    ):
        metric_values(real, ["RBP(p=0.5, max_level=1.7)"])


def test_functions_of_plugins_receive_the_grades(real):
    """Levels, counts and thresholds in numbers; a threshold that is not given is refused there too."""

    @metric(bounds=(0, 100))
    def best(topic: RankedTopic) -> float:
        """Highest grade retrieved, plus a hundredth of the top of the scale."""
        return topic.levels.max(initial=0) + topic.top_level / 100

    @metric(bounds=(0, 100))
    def above(topic: RankedTopic, *, rel: float = 1.0) -> float:
        """Documents from rel on."""
        return topic.n_relevant(rel)

    registry = BUILTIN.extend(best, above)
    assert metric_values(real, ["best"], registry=registry)[0, 0].tolist() == pytest.approx([1.72, 0.42, 0.42])
    assert metric_values(real, ["above(rel=0.4)"], registry=registry)[0, 0].tolist() == [2, 2, 1]
    with pytest.raises(InvalidOptionError, match="above counts documents"):
        metric_values(real, ["above"], registry=registry)


def test_kernels_of_plugins_must_say_that_they_take_codes(real):
    """One that may take levels for amounts is refused; a function beside it is used."""

    def amounts(lists):
        """Take levels for amounts."""
        return np.full(lists.lengths.shape, float(lists.levels.sum()))

    def one(topic):  # noqa: ARG001 - the signature of a measure
        """One."""
        return 1.0

    kernel = MetricSpec(name="Amounts", kernel=amounts, bounds=(0, 100))
    with pytest.raises(InvalidOptionError, match="Amounts has a kernel for whole grades alone"):
        metric_values(real, [kernel])
    both = MetricSpec(name="Both", kernel=amounts, function=one, bounds=(0, 100))
    assert metric_values(real, [both])[0, 0].tolist() == [1, 1, 1]
    declared = MetricSpec(name="Codes", kernel=amounts, real_grades=True, bounds=(0, 100))
    assert metric_values(real, [declared]).max() > 0


def test_a_table_of_gains_names_every_grade(real):
    """By its number."""
    with pytest.raises(InvalidOptionError, match=r"names no gain for level 1.7, .*add 1.7:"):
        metric_values(real, ["nDCG(gains={0.4:1, 2:3})"])
    assert metric_values(real, ["nDCG(gains={0.4:1, 1.7:2, 2:3})"]).max() == 1


def test_what_needs_whole_grades_is_refused(real):
    """Audits, measures of ir_measures and curves without a threshold."""
    with pytest.raises(InvalidOptionError, match="turn them into levels first"):
        audit_variants(real, "nDCG@10")
    with pytest.raises(InvalidOptionError, match="rel="):
        precision_recall_curves(real)
    assert precision_recall_curves(real, rel=0.4).shape == (2, 11)
    pytest.importorskip("ir_measures")
    with pytest.raises(InvalidOptionError, match="ir_measures, which takes whole grades"):
        metric_values(real, ["SetF"])


def test_reduced_judgments_keep_their_grades(real):
    """Codes are reduced and scored with the table, in workers too, where collections arrive as bare arrays."""
    reduced = reduce_judgments(real, reduction="relevant", steps=[100], rng=0)
    assert reduced.relevant.tolist() == [5]
    assert reduce_judgments(real, reduction="relevant", steps=[100], rng=0, rel=1.5).relevant.tolist() == [2]
    assert reduce_judgments(real, reduction="relevant", steps=[100], rng=0, rel=1).relevant.tolist() == [2]
    found = measure_stability(real, ["nDCG@5", "AP(rel=0.4)"], reduction="random", steps=[100], n_replicates=2, rng=0)
    full = score(real, ["nDCG@5", "AP(rel=0.4)"]).mean("topic")
    assert np.allclose(found.data["mean"].isel(step=0).mean("replicate"), full.to_numpy())
