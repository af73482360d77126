"""Every use of the grades that metrics know, and what leaves nothing to audit."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import UNKNOWN
from metaeval.inex.elements import element_collection
from metaeval.inex.passages import passage_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import Quantisation
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.scoring import score
from metaeval.questions.agree.study_variants import audit_variants, audited


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
        "nDCG(gains=binary(rel=1))@10": "1 and 2",
        "nDCG(gains=binary(rel=2))@10": "0 and 1",
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


def test_gains_that_no_metric_takes(graded):
    """Gains beside metrics without any are refused, not left out in silence."""
    with pytest.raises(InvalidOptionError, match="nothing to act on: AP has no gains"):
        audit_variants(graded(), "AP", gains="{1:1,2:5}")


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


@pytest.fixture(scope="module")
def campaigns():
    """One small campaign of elements on each scale, with its sizes."""
    size = {"n_systems": 4, "n_topics": 4, "n_documents": 60, "n_results": 30, "rng": 1}
    return {year: simulate_inex(year=year, **size, published=False) for year in (2002, 2004, 2005)}


def elements_of(made, **assessments):
    """Compile a campaign; changed assessments lose their sizes or grades."""
    judged = made.assessments
    changed = replace(judged, elements=judged.elements.assign(**assessments)) if assessments else judged
    return element_collection(made.submissions, changed, sizes=None if assessments else made.sizes)


@pytest.mark.parametrize(
    ("year", "words", "boundaries"),
    [
        (
            2002,
            ["Gen2", "any relevant", "relevance ≥ 2", "relevance = 3", "exact coverage", "Strict2"],
            [
                *("relevance 0 and 1", "relevance 1 and 2", "relevance 2 and 3"),
                *("coverage N and L", "coverage S and E"),
            ],
        ),
        (
            2004,
            [
                *("Gen4", "SOG", "AnyRel", "e ≥ 2", "s ≥ 2", "e, s ≥ 2"),
                *("E3S321", "E3S32", "S3E321", "S3E32", "Strict4"),
            ],
            [
                *("exhaustivity 0 and 1", "exhaustivity 1 and 2", "exhaustivity 2 and 3"),
                *("specificity 0 and 1", "specificity 2 and 3"),
                *("both: 1 and 2", "both: 2 and 3"),
            ],
        ),
        (
            2005,
            [
                *("Gen5", "GenLifted", "BinExh", "BinExh without ?", "BinExh size ≥ 55", "any relevant"),
                *("s ≥ 0.25", "s ≥ 0.5", "s ≥ 0.75", "FullySpec", "e = 2", "Strict5"),
            ],
            [
                *("exhaustivity ? and 1", "exhaustivity 1 and 2", "specificity except s ≥ 0.25"),
                *("specificity except s ≥ 0.5", "specificity except s ≥ 0.75", "specificity except s = 1"),
            ],
        ),
    ],
)
def test_every_quantisation_of_a_scale(campaigns, year, words, boundaries):
    """Elements get the quantisations of their year, the generalised one first, and lose one difference at a time.

    Before 2005 the generalised function has the same value for the two lower grades of specificity (coverage L and S).
    """
    variants, notes = audited(elements_of(campaigns[year]), "MAep(task=thorough)")
    assert [note.split(" itself ")[0] for note in notes] == ([] if year == 2005 else [words[0]])
    assert [one.words for one in variants if one.kind != "grades merged"] == words
    assert [one.boundary for one in variants if one.kind == "grades merged"] == boundaries
    assert {one.base for one in variants} == {"MAep(task=thorough)"}
    assert variants[0].kind == "generalised"
    for one in variants:
        assert default_registry().resolve(one.metric).name == one.metric
        assert one.meaning


def test_quantisations_of_a_user_take_part_where_they_suit_the_scale(campaigns):
    """One for any scale or this one does; one of another scale does not; one that lacks a value is named."""

    def half(grades, *, share: float = 0.5):
        """Half of everything."""
        return np.full(len(grades.sizes), share)

    def needing(grades, *, share: float):
        """Take a share that a user must say."""
        return np.full(len(grades.sizes), share)

    registry = default_registry().extend(
        Quantisation("half", half, on="elements"),
        Quantisation("old", half, on="elements", scales=("2002",)),
        Quantisation("needing", needing, on="elements"),
    )
    variants, notes = audited(elements_of(campaigns[2005]), "MAep", registry=registry)
    assert [one.metric for one in variants if one.words == "half"] == ["MAep(quant=half)"]
    assert not any("old" in one.metric or "needing" in one.metric for one in variants)
    assert any("needing is left out" in note for note in notes)


def test_further_quantisations_and_what_is_typed(campaigns):
    """Named quantisations join; a metric that says its own, or has none, stays as it is."""
    collection = elements_of(campaigns[2005])
    variants = audit_variants(collection, "MAep(quant=Strict5),HiXF@25,MAep", gains="BinExh(min_size=100)")
    kinds = {one.metric: one.kind for one in variants}
    assert kinds["MAep(quant=Strict5)"] == kinds["HiXF@25"] == "as it is"
    assert kinds["MAep(quant=BinExh(min_size=100))"] == "other gains"
    with pytest.raises(InvalidOptionError, match="tables of gains are for documents"):
        audit_variants(collection, "MAep", gains="{1:1, 2:5}")


def test_uses_that_say_nothing_new_are_left_out_and_named(campaigns):
    """Without sizes there is none by size; without "?" leaving it out changes nothing; of one grade none is merged."""
    made = campaigns[2005]
    unsized, notes = audited(elements_of(made, size=UNKNOWN), "MAep")
    assert not any("size" in one.words for one in unsized)
    assert any("are not known" in note for note in notes)
    alike, notes = audited(
        elements_of(made, exhaustivity=np.where(made.assessments.elements["exhaustivity"] == 0, 0, 2)), "MAep"
    )
    assert not any(str(one.boundary).startswith("exhaustivity") for one in alike)
    assert not any(one.words in {"BinExh", "e = 2", "Strict5"} for one in alike)
    assert any(note.startswith("BinExh gives every element here the same value as Gen5") for note in notes)


def test_passages_have_no_grades():
    """Highlighted passages are refused with the reason and what to do."""
    made = simulate_inex(year=2008, n_systems=2, n_topics=2, n_documents=40, n_results=20, rng=1, published=False)
    with pytest.raises(InvalidOptionError, match=r"have no grades.*--metrics AiP"):
        audit_variants(passage_collection(made.submissions, made.assessments), "AiP")
