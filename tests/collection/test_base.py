"""What holds for collections of documents, elements and passages alike."""

import numpy as np
import pandas as pd
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.base import as_levels, renumbered, take_segments
from metaeval.collection.documents import NOT_POOLED, JudgedCollection
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission, each_run
from metaeval.inex.elements import element_collection
from metaeval.inex.passages import passage_collection

RANKINGS = {"a": {"1": ["d1"], "2": ["d2", "d1"]}, "b": {"1": ["d2", "d1"]}}
DOCUMENTS = pd.DataFrame(
    [(topic, document, 10 * (document == "d1")) for topic in ("1", "2") for document in ("d1", "d2")],
    columns=["topic", "document", "relevant_size"],
)
MARKED = DOCUMENTS[DOCUMENTS["document"] == "d1"]


def _submissions(**columns):
    for name, lists in RANKINGS.items():
        rows = [(topic, document) for topic, documents in lists.items() for document in documents]
        yield Submission(run=name, results=pd.DataFrame(rows, columns=["topic", "document"]).assign(**columns))


def _documents():
    return collection_from_rankings(RANKINGS, {topic: {"d1": 1, "d2": 0} for topic in ("1", "2")})


def _elements():
    judged = MARKED.assign(path="/a[1]", exhaustivity=2, specificity=1.0, size=10)
    given = Assessments(scale="2005", documents=DOCUMENTS, elements=judged)
    return element_collection(_submissions(path="/a[1]"), given)


def _passages():
    given = Assessments(scale="passages", documents=DOCUMENTS, passages=MARKED.assign(offset=0, length=10))
    return passage_collection(_submissions(offset=0, length=10), given)


@pytest.fixture(params=[_documents, _elements, _passages])
def collection(request):
    """Two runs on two topics; run "b" lacks topic "2"."""
    return request.param()


def test_names_and_judgments_are_those_of_the_documents(collection):
    """Whatever the runs retrieve, they are also runs of documents."""
    assert isinstance(collection, JudgedCollection)
    assert (collection.systems, collection.topics) == (("a", "b"), ("1", "2"))
    assert (collection.n_systems, collection.n_topics) == (2, 2)
    assert collection.n_retrieved.tolist() == [[1, 2], [2, 0]]
    assert collection.missing.tolist() == [[False, False], [False, True]]
    assert collection.by_document.systems == collection.systems
    assert collection.by_document.full_levels.tolist() == [1, 0, 1, 0]


def test_a_part_keeps_its_kind_and_its_order(collection):
    """Systems and topics stand as named, the arrays with them."""
    part = collection.select(systems=["b", "a"], topics=["2"])
    assert type(part) is type(collection)
    assert (part.systems, part.topics, part.n_retrieved.tolist()) == (("b", "a"), ("2",), [[0], [2]])
    assert part.by_document.document_ids.tolist() == [b"d1", b"d2"]
    with pytest.raises(UnknownNameError, match="no topic '3'"):
        collection.select(topics=["3"])
    with pytest.raises(InvalidOptionError, match=r"must be a sequence of names, not the single string 'a'"):
        collection.select(systems="a")


def test_missing_topics_are_noted_refused_or_dropped(collection):
    """One rule for the three kinds."""
    assert collection.handle_missing("zero").notes[-1] == "empty lists, scored 0: 1 ('b' lacks 1 of 2 topics)"
    assert collection.handle_missing("drop-systems").systems == ("a",)
    assert collection.handle_missing("drop-topics").topics == ("1",)
    with pytest.raises(ScoresError, match="'b' lacks 1 of 2 topics; pass `missing='zero'`"):
        collection.handle_missing("error")


def test_groups_pooled_runs_and_levels_can_be_changed(collection):
    """The change stands in the side of the documents, and the collection before stays as it was."""
    grouped = collection.with_groups({"a": "x", "b": "y"}, pooled=["b"])
    assert (grouped.groups, grouped.pooled.tolist(), collection.groups) == (("x", "y"), [False, True], None)
    with pytest.raises(UnknownNameError, match="no system 'c'"):
        collection.with_groups(pooled=["c"])
    judged = collection.rejudge([1, 0, NOT_POOLED, 0])
    assert type(judged) is type(collection)
    assert judged.by_document.levels.tolist() == [1, 0, NOT_POOLED, 0]
    assert judged.missing.tolist() == collection.missing.tolist()  # the full judgments say what is missing
    with pytest.raises(InvalidOptionError, match="one level per judgment"):
        collection.rejudge([1])


def test_levels_and_places_are_small_arrays():
    """What every kind of collection is put together with."""
    with pytest.raises(InvalidOptionError, match="levels must be whole numbers"):
        as_levels(np.array([0.5]))
    with pytest.raises(InvalidOptionError, match="must lie from -32768 to 32767"):
        as_levels(np.array([2**15]))
    offsets, entries = take_segments(np.array([0, 2, 2, 5]), np.array([2, 1]))
    assert (offsets.tolist(), entries.tolist()) == ([0, 3, 3], [2, 3, 4])
    assert renumbered(entries, 5).tolist() == [-1, -1, 0, 1, 2]


def test_runs_have_one_name_each():
    """Two files of one run would be counted twice."""
    with pytest.raises(InvalidOptionError, match=r"two runs are called 'a' \(x\.xml and no file\)"):
        each_run([Submission(run="a", source="x.xml"), Submission(run="a")], str)
    with pytest.raises(InvalidOptionError, match="there is no run"):
        each_run([], str)
