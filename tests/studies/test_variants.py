"""Every use of the grades that metrics know, and what leaves nothing to audit."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.score import score
from metaeval.studies.variants import audit_variants


def test_every_use_of_four_grades(graded):
    """Metrics with gains get every quantisation, those with a threshold every threshold, ERR stays as it is."""
    variants = audit_variants(graded(), "AP,nDCG@10,ERR", gains="{1:1, 2:5, 3:10}")
    assert [(one.metric, one.kind, one.words) for one in variants] == [
        ("AP", "binary", "binary ≥ 1"),
        ("AP(rel=2)", "binary", "binary ≥ 2"),
        ("AP(rel=3)", "binary", "binary ≥ 3"),
        ("nDCG@10", "linear", "linear"),
        ("nDCG(gains=binary(rel=1))@10", "binary", "binary ≥ 1"),
        ("nDCG(gains=binary(rel=2))@10", "binary", "binary ≥ 2"),
        ("nDCG(gains=binary(rel=3))@10", "binary", "binary ≥ 3"),
        ("nDCG(gains=exponential)@10", "other gains", "exponential"),
        ("nDCG(gains={1:1, 2:5, 3:10})@10", "other gains", "gains {1:1, 2:5, 3:10}"),
        ("nDCG(gains={1:0, 2:2, 3:3})@10", "grades merged", "blind to 0 and 1"),
        ("nDCG(gains={1:1.5, 2:1.5, 3:3})@10", "grades merged", "blind to 1 and 2"),
        ("nDCG(gains={1:1, 2:2.5, 3:2.5})@10", "grades merged", "blind to 2 and 3"),
        ("ERR", "as it is", "as it is"),
    ]


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "Q", "RBP(p=0.8)", "nERR@5,AP"])
def test_names_are_metrics(graded, name):
    """Every variant is a metric that the registry knows by exactly that name."""
    for variant in audit_variants(graded(), name):
        assert default_registry().resolve(variant.metric).name == variant.metric


def test_two_grades_need_no_merging(graded):
    """With grades 1 and 2, blind to one boundary is binary at the other, and has the same scores."""
    collection = graded((0, 1, 2))
    variants = audit_variants(collection, "nDCG@10")
    assert {one.metric: one.boundary for one in variants} == {
        "nDCG@10": None,
        "nDCG(gains=binary(rel=1))@10": 2,
        "nDCG(gains=binary(rel=2))@10": 1,
        "nDCG(gains=exponential)@10": None,
    }
    pairs = [("nDCG(gains=binary(rel=1))@10", "{1:1.5, 2:1.5}"), ("nDCG(gains=binary(rel=2))@10", "{1:0, 2:2}")]
    for name, merged in pairs:
        both = score(collection, [name, f"nDCG(gains={merged})@10"]).to_numpy()
        np.testing.assert_allclose(both[0], both[1], atol=1e-12)


def test_a_name_that_says_what_it_does_stays(graded):
    """A metric with its own rel or gains is taken as it is, and repeats are computed once."""
    variants = audit_variants(graded(), ["AP(rel=2)", "nDCG(gains=exponential)", "AP"])
    assert [one.metric for one in variants] == ["AP(rel=2)", "nDCG(gains=exponential)", "AP", "AP(rel=3)"]


@pytest.mark.parametrize(
    ("metrics", "grades", "words"),
    [("AP", (0, 1), "nothing to audit"), ("AP", (0,), "nothing to audit"), ("", (0, 1, 2), "at least one metric")],
)
def test_nothing_to_ask(graded, metrics, grades, words):
    """One grade, or no metric, leaves nothing to audit."""
    with pytest.raises(InvalidOptionError, match=words):
        audit_variants(graded(grades), metrics)


@pytest.mark.parametrize("metrics", ["ERR", "ERR,AP(rel=2)"])
def test_only_metrics_with_one_use_of_the_grades(graded, metrics):
    """Where no metric has a second use of the grades, there is nothing to audit."""
    with pytest.raises(InvalidOptionError, match="in one way only"):
        audit_variants(graded(), metrics)


@pytest.mark.parametrize("gains", ["1:1", "1:1,2:5", "{1:1, 2}", "{}", "2"])
def test_gains_of_another_form(graded, gains):
    """A table of gains out of form is refused with the form that would do."""
    with pytest.raises(InvalidOptionError, match=r"\{1:1,2:5\}.*not '"):
        audit_variants(graded(), "nDCG", gains=gains)


@pytest.mark.parametrize("gains", ["{1:1, 2}", "wild"])
def test_bad_gains(graded, gains):
    """Gains that cannot be read, or that nobody registered, are refused by name."""
    with pytest.raises(InvalidOptionError):
        audit_variants(graded(), "nDCG", gains=gains)
