"""Compiling runs of elements: the tree, the documents, what is noted, and every refusal."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.documents import NOT_POOLED, UNJUDGED, CollectionWarning
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.element_table import above
from metaeval.inex.elements import element_collection
from metaeval.inex.paths import nearest_ancestors
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import metric_values

ROWS = [  # topic, document, path, exhaustivity, size, highlighted
    ("1", "d1", "/a[1]", 2, 100, 40),
    ("1", "d1", "/a[1]/s[2]/p[1]", 1, 40, 40),
    ("1", "d1", "/a[1]/s[10]", -1, 10, 0),
    ("1", "d2", "/a[1]", 1, 50, 10),
    ("2", "d1", "/a[1]", 2, 100, 100),
]
DOCUMENTS = [("1", "d1"), ("1", "d2"), ("1", "d3"), ("2", "d1"), ("10", "d9")]


def assessments(rows=ROWS, documents=DOCUMENTS, scale="2005", **changes):
    """Make assessments out of rows; those without highlighted text are left out."""
    table = pd.DataFrame(rows, columns=["topic", "document", "path", "exhaustivity", "size", "relevant_size"])
    table = table[table["relevant_size"] > 0].assign(line=range(11, 11 + (table["relevant_size"] > 0).sum()))
    table["specificity"] = table["relevant_size"] / table["size"]
    given = pd.DataFrame(documents, columns=["topic", "document"]).assign(line=range(1, len(documents) + 1))
    return Assessments(**{"scale": scale, "documents": given, "elements": table, "source": "assess.xml", **changes})


def submission(name, *results, **columns):
    """Make a run out of (topic, document, path)."""
    table = pd.DataFrame(list(results), columns=["topic", "document", "path"]).assign(line=range(5, 5 + len(results)))
    return Submission(
        run=name, results=table.assign(**columns), answered=tuple(dict.fromkeys(table["topic"])), source=f"{name}.xml"
    )


A = submission(
    "A",
    ("2", "d1", "/a/s[1]"),
    ("1", "d3", "/a[1]"),
    ("1", "d1", "/a[1]/s[2]"),
    ("1", "d9", "/x[1]"),
    ("1", "d1", "/a[1]"),
    ("1", "d2", "/a[1]"),
    ("7", "d2", "/a[1]"),
)
B = submission("B", ("1", "d1", "/a[1]/s[2]/p[1]/b[1]"))


@pytest.fixture
def collection():
    return element_collection([A, B], assessments())


def named(collection, topic):
    """Return the elements of a topic as document and path."""
    start, stop = collection.element_offsets[topic : topic + 2]
    elements = collection.elements
    return [
        f"{collection.document_names[elements.names[place]]}{collection.path_names[elements.paths[place]]}"
        for place in range(start, stop)
    ]


def test_every_topic_has_the_tree_of_what_was_assessed_or_retrieved(collection):
    """In document order, each element linked to its nearest ancestor there; topics in natural order."""
    assert collection.topics == ("1", "2", "10")
    assert named(collection, 0) == [
        "d1/a[1]",
        "d1/a[1]/s[2]",
        "d1/a[1]/s[2]/p[1]",
        "d1/a[1]/s[2]/p[1]/b[1]",
        "d2/a[1]",
        "d3/a[1]",
        "d9/x[1]",
    ]
    elements = collection.elements
    assert elements.parents.tolist() == [-1, 0, 1, 2, -1, -1, -1, -1, 0]
    assert elements.stops.tolist() == [4, 4, 4, 4, 5, 6, 7, 2, 2]
    assert elements.documents.tolist() == [0, 0, 0, 0, 1, 2, -1, 0, 0]
    assert elements.assessed.tolist() == [True, False, True, False, True, False, False, True, False]
    assert elements.exhaustivity.tolist() == [2, 0, 1, 0, 1, 0, 0, 2, 0]
    assert elements.specificity.tolist() == [0.4, 0, 1, 0, 0.2, 0, 0, 1, 0]
    assert elements.fully_specific.tolist() == [False, False, True, False, False, False, False, True, False]
    assert elements.sizes.tolist() == [100, -1, 40, -1, 50, -1, -1, 100, -1]
    assert collection.highlighted.tolist() == [40, 10, 0, 100, 0]


def test_elements_of_other_topics_and_documents_are_no_ancestors():
    """A topic's last document and the next one's first stand beside each other in the table."""
    runs = [submission("A", ("1", "d2", "/a[1]"), ("2", "d1", "/a[1]/s[1]"), ("2", "d2", "/a[1]/s[1]"))]
    bare = element_collection(runs, assessments([("1", "d1", "/a[1]", 2, 9, 9)], [("1", "d1"), ("2", "d1")])).elements
    assert bare.parents.tolist() == [-1] * 4
    assert bare.stops.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(("scale", "top"), [("2002", 3), ("2003", 3), ("2005", 1)])
def test_full_specificity_is_the_top_of_the_scale(scale, top):
    """And of what is relevant alone; one step below is not full."""
    step = 1 if top > 1 else 0.01
    rows = [("1", "d1", f"/a[1]/s[{place}]", 1, 9, 9) for place in (1, 2)]
    elements = assessments(rows).elements.assign(specificity=[top, top - step], size=-1, relevant_size=-1)
    found = element_collection([A], assessments(elements=elements, scale=scale)).elements
    assert found.fully_specific[found.assessed].tolist() == [True, False]


def test_results_are_positions_in_the_tree(collection):
    """List after list; topics that nobody assessed are left out and noted."""
    assert collection.n_retrieved.tolist() == [[5, 1, 0], [1, 0, 0]]
    assert collection.offsets.tolist() == [0, 5, 6, 6, 7, 7, 7]
    assert collection.results.tolist() == [5, 1, 6, 0, 4, 1, 3]
    assert collection.notes == ("topics of the runs without judgments, ignored: 1 (7)",)


def test_the_same_runs_as_lists_of_documents(collection):
    """Each at the rank of its first result; a document is relevant if anything in it is."""
    documents = collection.by_document
    assert documents.levels.tolist() == [1, 1, 0, 1, 0]
    assert documents.n_retrieved.tolist() == [[4, 1, 0], [1, 0, 0]]
    assert documents.ranks.tolist() == [1, 2, 4, 1, 1]
    assert documents.judgments.tolist() == [2, 0, 1, 3, 0]
    assert documents.retrieved is None
    values = metric_values(collection, ["P@2", "AP"])
    assert values[:, 0, 0] == pytest.approx([0.5, (1 / 2 + 2 / 4) / 2])


def test_all_retrieved_documents_are_kept_on_request():
    """With one code for each document of a topic, whichever run has it."""
    other = submission("C", ("1", "d9", "/y[1]"), ("1", "d8", "/y[1]"))
    retrieved = element_collection([A, other], assessments(), retrieved="all").by_document.retrieved
    assert retrieved.offsets.tolist() == [0, 4, 5, 5, 7, 7, 7]
    assert retrieved.codes[:5].tolist() == [2, 0, 5, 1, 3]
    assert retrieved.codes[5:].tolist() == [5, 6]
    assert retrieved.n_codes == 7


def test_a_document_s_assessments_go_and_stay_together(collection):
    """Dropped from the judgments or from the pool; nothing else changes."""
    assert np.flatnonzero(collection.in_force).tolist() == [0, 2, 4, 7]
    for gone in (UNJUDGED, NOT_POOLED, 0):
        levels = collection.by_document.levels.copy()
        levels[0] = gone
        reduced = collection.rejudge(levels)
        assert np.flatnonzero(reduced.in_force).tolist() == [4, 7]
        assert metric_values(reduced, ["nxCG(task=thorough)@5"])[0, 0, 0] == 1
        assert reduced.by_document.full_levels[0] == 1
    assert metric_values(collection, ["nxCG(task=thorough)@5"])[0, 0, 0] < 1
    with pytest.raises(InvalidOptionError, match="one level per judgment"):
        collection.rejudge(np.zeros(3, dtype=int))


def test_a_part_scores_as_the_whole(collection):
    """Systems and topics in any order, with their own trees."""
    part = collection.select(systems=["B", "A"], topics=["2", "1"])
    assert part.topics == ("2", "1")
    assert named(part, 1) == named(collection, 0)
    names = ["MAep(task=thorough)", "nxCG(alpha=0)@3", "AP", "inex2002"]
    whole, own = metric_values(collection, names), metric_values(part, names)
    assert np.array_equal(own, whole[:, ::-1][:, :, [1, 0]])
    assert part.highlighted.tolist() == [100, 40, 10, 0]
    with pytest.raises(UnknownNameError, match="no system 'Z'"):
        collection.select(systems=["Z"])


def test_missing_topics_and_groups_are_handled_as_for_documents(collection):
    """B lacks topic 2, where something is relevant, and topic 10, which has nothing."""
    assert collection.handle_missing("drop-systems").systems == ("A",)
    kept = collection.handle_missing("drop-topics")
    assert kept.topics == ("1",)
    assert any("topics dropped: 2 (2, 10)" in note for note in kept.notes)
    assert any("empty lists, scored 0: 1" in note for note in collection.handle_missing().notes)
    with pytest.raises(ScoresError, match="'B' lacks 1 of 3 topics"):
        collection.handle_missing("error")
    grouped = collection.with_groups({"A": "one", "B": "two"}, pooled=["A"])
    assert grouped.groups == ("one", "two")
    assert grouped.pooled.tolist() == [True, False]


def test_lists_are_cut_to_the_limit():
    """And that is noted."""
    cut = element_collection([A, B], assessments(), limit=2)
    assert cut.n_retrieved.tolist() == [[2, 1, 0], [1, 0, 0]]
    assert "lists cut to their limit: 1 (A)" in cut.notes
    with pytest.raises(InvalidOptionError, match="`limit` must be a whole number of at least 1, not 0"):
        element_collection([A], assessments(), limit=0)


def test_sizes_come_from_the_assessments_then_from_the_table():
    """The table serves elements that were not assessed; others in it are ignored."""
    table = [("d1", "/a[1]/s[2]", 70), ("d1", "/a", 99), ("d1", "/z[1]", 5), ("d77", "/a[1]", 5), ("d3", "/a[1]", 8)]
    sizes = pd.DataFrame(table, columns=["document", "path", "size"])
    found = element_collection([A, B], assessments(), sizes=sizes).elements.sizes
    assert found.tolist() == [100, 70, 40, -1, 50, 8, -1, 100, -1]
    with pytest.raises(InvalidOptionError, match="path is missing"):
        element_collection([A], assessments(), sizes=sizes.drop(columns="path"))
    with pytest.raises(InvalidOptionError, match=r"document 'd1', /a\[1\] has 98 beside another"):
        element_collection([A], assessments(), sizes=pd.concat([sizes, sizes.assign(size=98).iloc[[1]]]))
    with pytest.raises(InvalidOptionError, match=r"1 or more, one each; document 'd1', /a\[1\]/s\[2\] has 0"):
        element_collection([A], assessments(), sizes=sizes.assign(size=0))


def test_an_element_without_characters_is_no_element():
    """Specificity is then not defined."""
    elements = assessments().elements
    empty = pd.concat([elements, elements.iloc[[0]].assign(path="/a[1]/fig[1]", size=0, relevant_size=0)])
    collection = element_collection([B], assessments(elements=empty))
    assert "d1/a[1]/fig[1]" not in named(collection, 0)


@pytest.mark.parametrize(
    ("scale", "changes", "rule"),
    [
        (
            "2003",
            {"exhaustivity": 0, "specificity": 2.0},
            r"the pair \(exhaustivity, specificity\) is none of the scale",
        ),
        ("2003", {"exhaustivity": 2, "specificity": 2.5}, "is none of the scale of 2003"),
        ("2003", {"exhaustivity": 4, "specificity": 1.0}, "is none of the scale of 2003"),
        (
            "2002",
            {"exhaustivity": 3, "specificity": 2.0},
            r"the pair \(relevance, coverage\) is none of the scale of 2002",
        ),
        ("2005", {"exhaustivity": 3, "specificity": 0.4}, r"exhaustivity must be 0, 1, 2 or '\?'"),
        ("2005", {"specificity": 1.01, "size": -1, "relevant_size": -1}, r"specificity must lie in \[0, 1\]"),
        ("2005", {"specificity": -0.01, "size": -1, "relevant_size": -1}, r"specificity must lie in \[0, 1\]"),
        ("2005", {"relevant_size": 101}, "highlighted characters must lie in 0 to the size"),
        ("2005", {"exhaustivity": 0}, "exhaustivity is 0 exactly where nothing is highlighted"),
    ],
)
def test_assessments_outside_their_scale(scale, changes, rule):
    """An error with the place, or not relevant with a warning."""
    elements = assessments().elements.iloc[[0, 1]]
    if scale != "2005":
        elements = elements.assign(exhaustivity=1, specificity=1.0)
    elements.loc[0, list(changes)] = list(changes.values())
    broken = assessments(elements=elements, scale=scale)
    place = r"assess.xml, line 11: topic '1', document 'd1', element /a\[1\]: .*"
    with pytest.raises(FileFormatError, match=f"{place}{rule}.*; `lenient=True` goes on"):
        element_collection([A], broken)
    with pytest.warns(CollectionWarning, match=rf"{rule}.*: 1 \(taken as not relevant"):
        collection = element_collection([A], broken, lenient=True)
    assert collection.elements.exhaustivity[0] == 0
    assert collection.elements.exhaustivity[2] == 1


def test_specificity_is_what_the_characters_say():
    """Where both are known; a given share serves where they are not."""
    elements = assessments().elements.assign(specificity=0.7)
    found = element_collection([B], assessments(elements=elements)).elements
    assert found.specificity[[0, 1]].tolist() == [0.4, 1]
    bare = element_collection([B], assessments(elements=elements.assign(size=-1, relevant_size=-1))).elements
    assert bare.specificity[[0, 1]].tolist() == [0.7, 0.7]
    with pytest.raises(FileFormatError, match="exhaustivity is 0 exactly where nothing is highlighted"):
        element_collection([B], assessments(elements=elements.assign(relevant_size=0)))


def test_what_is_assessed_twice():
    """A document of a topic is an error, an element too unless lenient=True, which takes the first."""
    elements = assessments().elements
    twice = assessments(elements=pd.concat([elements, elements.iloc[[0]].assign(path="/a", exhaustivity=1, line=99)]))
    with pytest.raises(FileFormatError, match=r"assess.xml, line 99: .*element /a\[1\]: the element is assessed twice"):
        element_collection([A], twice)
    with pytest.warns(CollectionWarning, match="the element is assessed twice: 1"):
        assert element_collection([A], twice, lenient=True).elements.exhaustivity[0] == 2
    with pytest.raises(
        FileFormatError, match=r"assess.xml, line 6: topic '1', document 'd1': assessed twice; choose one"
    ):
        element_collection([A], assessments(documents=[*DOCUMENTS, ("1", "d1")]))


def test_an_element_in_a_document_that_was_not_assessed():
    """Only completely assessed documents are known."""
    with pytest.raises(FileFormatError, match=r"line 13: topic '1', document 'd2', .*not among those assessed"):
        element_collection([A], assessments(documents=[one for one in DOCUMENTS if one[1] != "d2"]))


@pytest.mark.parametrize(("outer", "inner"), [(1, 2), (-1, 1), (-1, 2)])
def test_an_element_more_exhaustive_than_what_is_around_it(outer, inner):
    """Also across an element that nobody assessed, and where the outer one is too small."""
    rows = [("1", "d1", "/a[1]", outer, 100, 40), ("1", "d1", "/a[1]/s[2]/p[1]", inner, 40, 40)]
    given = assessments(rows)
    with pytest.raises(
        FileFormatError, match=r"line 12: .*/p\[1\]: the element is more exhaustive than the one around it"
    ):
        element_collection([A], given)
    with pytest.warns(CollectionWarning, match=r"more exhaustive than the one around it: 1 \(taken as they are\)"):
        assert element_collection([A], given, lenient=True).elements.exhaustivity[2] == inner
    consistent = assessments([(*rows[0][:3], inner, *rows[0][4:]), (*rows[1][:3], outer, *rows[1][4:])])
    assert element_collection([A], consistent).elements.exhaustivity[2] == outer


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"path": ""}, "the result is no element"),
        ({"path": None}, "the result is no element"),
        ({"path": "a[1]"}, "a path must begin at the root"),
        ({"path": "/a[0]"}, "is no step of a path"),
        ({"end_path": "/a[1]/b[3]"}, "the result is a range of elements"),
    ],
)
def test_results_that_are_no_elements_are_refused(columns, said):
    """With run, file and line."""
    with pytest.raises(FileFormatError, match=rf"C.xml, line 5: run 'C', topic '1', document 'd1'.*{said}"):
        element_collection([submission("C", ("1", "d1", "/a[1]"), **columns)], assessments())


def test_collections_that_cannot_be_made_are_refused():
    """No run, one name twice, no topic in common, assessments of passages."""
    with pytest.raises(InvalidOptionError, match="there is no run"):
        element_collection([], assessments())
    with pytest.raises(InvalidOptionError, match=r"two runs are called 'A' \(A.xml and A.xml\)"):
        element_collection([A, A], assessments())
    with pytest.raises(InvalidOptionError, match="no topic in common"):
        element_collection([submission("C", ("7", "d1", "/a[1]"))], assessments())
    with pytest.raises(InvalidOptionError, match="use passage_collection"):
        element_collection([A], Assessments(scale="passages"))


@given(st.lists(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 12)), max_size=4), min_size=1, max_size=12))
def test_the_tree_agrees_with_a_search_for_ancestors(shapes):
    """Whatever the paths; [2] and [10] and tags that begin alike are told apart."""
    paths = sorted({"/r[1]" + "".join(f"/{tag}{tag * (n % 2)}[{n}]" for tag, n in shape) for shape in shapes})
    run = submission("C", *[("1", f"d{number % 2}", path) for number, path in enumerate(paths) for _ in range(2)])
    found = element_collection([run], assessments(documents=[("1", "d0")], rows=[]))
    names = named(found, 0)
    documents, own = [name[:2] for name in names], [name[2:] for name in names]
    assert found.elements.parents.tolist() == nearest_ancestors(documents, own).tolist()
    assert [names[place] for place in found.results] == [
        f"d{n % 2}{path}" for n, path in enumerate(paths) for _ in range(2)
    ]
    for place, stop in enumerate(found.elements.stops):
        inside = [p for p, name in enumerate(names) if name.startswith(names[place] + "/")]
        assert list(range(place + 1, stop)) == inside


def test_the_nearest_chosen_ancestor():
    """Elements between are passed over; positions count from the topic's first element."""
    parents = np.array([-1, 0, 1, -1, 0], dtype=np.int32)
    starts = np.array([0, 0, 0, 3, 3])
    chosen = np.array([True, False, False, True, False])
    assert above(parents, starts, chosen).tolist() == [-1, 0, 0, -1, 0]


@pytest.mark.parametrize("value", [2**70, 1e300, 0.5, "many"])
@pytest.mark.parametrize("column", ["size", "relevant_size"])
def test_sizes_of_tables_in_memory_are_whole_numbers(column, value):
    """A size that is none, or that 64 bits cannot add up, names topic, document and line."""
    made = assessments()
    elements = made.elements.astype({column: object})
    elements.iloc[1, elements.columns.get_loc(column)] = value
    with pytest.raises(
        FileFormatError, match=rf"assess\.xml, line 12: topic '1', document 'd1', {column} must be a whole"
    ):
        element_collection([submission("a", ("1", "d1", "/a[1]"))], assessments(elements=elements))


@pytest.mark.parametrize("measure", ["MAep(quant=Gen5{})", "nxCG(quant=Gen5{})@5", "xQ(quant=Gen5{})"])
def test_the_task_that_the_runs_name_decides(measure):
    """Thorough where all of them say so, focused otherwise; who asks for one gets it, and a note says what was done."""
    size = {"n_systems": 2, "n_topics": 3, "n_documents": 20, "n_results": 10, "rng": 1}
    made = simulate_inex(year=2005, task="thorough", **size, published=False)
    tasks = {
        "thorough": ["CO.Thorough"] * 2,
        "focused": ["CO.Focussed"] * 2,
        "mixed": ["CO.Thorough", ""],
        "": ["", ""],
    }
    notes = {}
    for said, names in tasks.items():
        runs = [replace(run, task=name) for run, name in zip(made.submissions, names, strict=True)]
        collection = element_collection(runs, made.assessments)
        notes[said] = [note for note in collection.notes if "thorough" in note]
        default, thorough, focused = (
            metric_values(collection, [measure.format(task)]) for task in ("", ", task=thorough", ", task=focused")
        )
        assert not np.array_equal(thorough, focused)
        np.testing.assert_array_equal(default, thorough if said == "thorough" else focused)
        part = collection.sel(systems=collection.systems[:1]) if hasattr(collection, "sel") else collection
        assert part.task == collection.task
    assert notes["thorough"][0].startswith("2 of 2 runs say that they are of the thorough task")
    assert "unless asked with task=focused" in notes["thorough"][0]
    assert "unless asked with task=thorough" in notes["mixed"][0]
    assert notes["focused"] == notes[""] == []
