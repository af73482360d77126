import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import TOO_SMALL, Assessments, table_of
from metaeval.inex.elements import element_collection
from metaeval.inex.ordered_runs import RELIABILITY_RUNS, reliability_runs
from metaeval.inex.paths import contains
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics.scoring import score

SEC4, SEC6 = "/article[1]/bdy[1]/sec[4]", "/article[1]/bdy[1]/sec[6]"
FIGURE_1 = {
    "/article[1]": (3, 1),
    "/article[1]/bdy[1]": (3, 1),
    SEC4: (2, 2),
    f"{SEC4}/p[1]": (2, 3),
    f"{SEC4}/p[2]": (1, 2),
    f"{SEC4}/ip1[2]": (2, 3),
    SEC6: (3, 3),
    f"{SEC6}/p[1]": (2, 3),
    f"{SEC6}/p[2]": (2, 3),
    f"{SEC6}/ip1[2]": (2, 3),
}
PRINTED = [SEC6, *(f"{SEC6}/{p}" for p in ("p[1]", "p[2]", "ip1[2]")), *(f"{SEC4}/{p}" for p in ("p[1]", "ip1[2]"))]
PRINTED += [SEC4, f"{SEC4}/p[2]", "/article[1]/bdy[1]", "/article[1]"]


def judged(elements, scale="2003", topics=("163",)):
    """Make assessments of (topic, document, path) with pairs of grades."""
    rows = [(*place, *pair) for place, pair in elements.items()]
    names = ("topic", "document", "path", "exhaustivity", "specificity")
    columns = list(zip(*rows, strict=True)) or [()] * 5
    documents = table_of("documents", {"topic": list(topics), "document": ["d"] * len(topics)})
    return Assessments(
        scale=scale, documents=documents, elements=table_of("elements", dict(zip(names, columns, strict=True)))
    )


def figure_1(**options):
    tree = judged({("163", "co/2001/r7022", path): pair for path, pair in FIGURE_1.items()})
    return {name: run.results["path"].tolist() for name, run in reliability_runs(tree, **options).items()}


def test_the_runs_of_the_paper():
    """On the tree of Figure 1 the six runs are those that section 3.2 prints, in the order printed."""
    assert figure_1(quantisation="SOG") == {
        "irb": [SEC6, SEC4],
        "frb": PRINTED,
        "ia": [SEC6, SEC4, "/article[1]/bdy[1]", "/article[1]"],
        "id": PRINTED[:8],
        "lo": [path for path in PRINTED if path.count("/") == 4],
        "ao": ["/article[1]"],
    }


def test_ideal_results_under_other_quantisations():
    """Strict leaves sec6 alone; gen keeps the outer of two chosen elements, which the tie rule decides."""
    assert figure_1(quantisation="strict")["irb"] == [SEC6]
    assert figure_1(quantisation="gen")["irb"] == ["/article[1]/bdy[1]"]
    assert figure_1(quantisation="gen", tie="higher")["irb"] == ["/article[1]"]
    assert figure_1(quantisation="SOG", tie="higher")["irb"] == [SEC6, SEC4]
    assert figure_1(quantisation=lambda grades: (grades.exhaustivity == 1).astype(float))["irb"] == [f"{SEC4}/p[2]"]


GRADE = st.tuples(st.integers(1, 3), st.integers(1, 3))
PATHS = st.lists(st.sampled_from(["a[1]", "b[1]", "b[2]"]), max_size=4).map(lambda steps: "/".join(["/r[1]", *steps]))
PLACES = st.tuples(st.sampled_from("12"), st.sampled_from("xy"), PATHS)


def _literal_ideal(elements, value, *, deeper):
    """Walk every relevant path on its own, as section 2.3 of the paper says."""
    chosen = set()
    for leaf in elements:
        if any(other[:2] == leaf[:2] and contains(leaf[2], other[2]) for other in elements):
            continue
        path = [one for one in elements if one[:2] == leaf[:2] and (one == leaf or contains(one[2], leaf[2]))]
        path.sort(key=lambda one: len(one[2]), reverse=deeper)
        best = max(path, key=lambda one: value[one])
        if value[best] > 0:
            chosen.add(best)
    return {one for one in chosen if not any(o[:2] == one[:2] and contains(o[2], one[2]) for o in chosen)}


@given(
    st.dictionaries(PLACES, GRADE, min_size=1, max_size=14), st.booleans(), st.sampled_from(["SOG", "Gen4", "Strict4"])
)
def test_runs_against_a_literal_reading(elements, deeper, quantisation):
    """Every run holds what its definition says, on trees of any shape, with elements missing in between."""
    sog = np.array([[0.1, 0.25, 0.75], [0.1, 0.5, 0.9], [0.25, 0.75, 1]])
    gen = np.array([[0.25, 0.25, 0.5], [0.5, 0.5, 0.75], [0.75, 0.75, 1]])
    table = {"SOG": sog, "Gen4": gen, "Strict4": np.eye(3)[[0, 0, 2]] * [0, 0, 1]}[quantisation]
    value = {place: table[e - 1, s - 1] for place, (e, s) in elements.items()}
    made = judged(elements, topics=("1", "2"))
    runs = reliability_runs(made, quantisation=quantisation, tie="deeper" if deeper else "higher")
    found = {
        name: list(run.results[["topic", "document", "path"]].itertuples(index=False, name=None))
        for name, run in runs.items()
    }
    ideal = _literal_ideal(elements, value, deeper=deeper)

    def related(one, other):
        return one[:2] == other[:2] and contains(one[2], other[2])

    assert set(found["irb"]) == ideal
    assert set(found["frb"]) == set(elements)
    assert set(found["ia"]) == ideal | {one for one in elements if any(related(one, best) for best in ideal)}
    assert set(found["id"]) == ideal | {one for one in elements if any(related(best, one) for best in ideal)}
    assert set(found["lo"]) == {one for one in elements if not any(related(one, other) for other in elements)}
    assert set(found["ao"]) == {one for one in elements if one[2] == "/r[1]"}
    for name, places in found.items():
        assert len(set(places)) == len(places)
        for topic in "12":
            values = [value[place] for place in places if place[0] == topic]
            assert values == sorted(values, reverse=True)
            ranks = runs[name].results["rank"][runs[name].results["topic"] == topic]
            assert ranks.tolist() == list(range(1, len(values) + 1))


def test_runs_of_a_simulated_campaign():
    """On simulated assessments of 2005 irb and lo never overlap, and irb is part of ia, id and frb."""
    made = simulate_inex(
        n_systems=3, n_topics=2, n_documents=40, n_results=50, relevant_documents=5, rng=3, published=False
    ).assessments
    runs = reliability_runs(made, quantisation="Gen5")
    members = {
        name: set(run.results[["topic", "document", "path"]].itertuples(index=False)) for name, run in runs.items()
    }
    assert list(runs) == list(RELIABILITY_RUNS)
    assert members["irb"] <= members["ia"] & members["id"]
    assert all(one <= members["frb"] for one in members.values())
    for name in ("irb", "lo"):
        by_document = pd.DataFrame(list(members[name])).groupby(["topic", "document"])["path"]
        assert not any(contains(one, other) for _, paths in by_document for one in paths for other in paths)


def test_topics_without_relevant_elements_get_empty_lists():
    """A topic with nothing relevant is answered by every run."""
    runs = reliability_runs(judged({("1", "d", "/a[1]"): (0, 0.0), ("2", "d", "/a[1]"): (1, 1.0)}, topics=("1", "2")))
    assert all(run.answered == ("1", "2") for run in runs.values())
    assert runs["frb"].results["topic"].tolist() == ["2"]
    nothing = reliability_runs(judged({("1", "d", "/a[1]"): (0, 0.0)}, topics=("1",)))
    assert all(run.results.empty for run in nothing.values())


def test_what_cannot_be_built_is_refused():
    """Passages have no elements, and quantisations and ties have names."""
    with pytest.raises(InvalidOptionError, match="made of assessed elements"):
        reliability_runs(Assessments(scale="passages"))
    one = judged({("1", "d", "/a[1]"): (1, 1.0)})
    with pytest.raises(UnknownNameError, match="did you mean 'SOG'"):
        reliability_runs(one, quantisation="SGO")
    with pytest.raises(InvalidOptionError, match="made for assessments of the scale 2005"):
        reliability_runs(one, quantisation="Gen5")
    with pytest.raises(UnknownNameError, match="deeper, higher"):
        reliability_runs(one, tie="outer")


def test_elements_too_small_to_judge_count_only_where_they_are_worth_something():
    """Under gen a "?" element is no leaf of the tree, so its parent is; under GenLifted it is a leaf of its own."""
    elements = {("163", "d", "/a[1]"): (2, 0.5), ("163", "d", "/a[1]/b[1]"): (TOO_SMALL, 1.0)}
    made = [reliability_runs(judged(elements, "2005"), quantisation=name) for name in ("Gen5", "GenLifted")]
    without, with_small = ({name: run.results["path"].tolist() for name, run in runs.items()} for runs in made)
    assert without["lo"] == without["frb"] == ["/a[1]"]
    assert with_small["lo"] == ["/a[1]/b[1]"]
    assert set(with_small["frb"]) == {"/a[1]", "/a[1]/b[1]"}


def test_the_ideal_run_is_ideal_on_the_scale_of_2005():
    """On a simulated campaign of 2005 the run of ideal results scores 1 under gen, small elements and all."""
    made = simulate_inex(year=2005, n_systems=2, n_topics=3, n_documents=60, rng=4, published=False)
    runs = reliability_runs(made.assessments, quantisation="Gen5")
    collection = element_collection(runs.values(), made.assessments)
    scores = score(collection, ["nxCG(quant=Gen5)@10"])
    np.testing.assert_allclose(scores.sel(system="irb"), 1.0)
