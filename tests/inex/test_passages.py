from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.passage_runs import NOWHERE_LENGTH
from metaeval.inex.passages import passage_collection

QRELS = """\
T1 Q0 d1 300 1000 100 100:200 500:100
T1 Q0 d2 200 400 0 0:200
T1 Q0 d3 0 800
T2 Q0 d4 100 500 50 50:100
"""
RUN = """\
T1 d1 0 400
T1 d3 0 100
T1 d2 100 200
T1 d1 500 200
T9 d1 0 10
T2 dX 0 10
"""


def assessments(text=QRELS, **changed):
    lines = [line.split() for line in text.splitlines()]
    documents = pd.DataFrame(
        [
            {
                "topic": fields[0],
                "document": fields[2],
                "relevant_size": int(fields[3]),
                "size": int(fields[4]),
                "best_entry": int(fields[5]) if len(fields) > 5 else -1,
                "line": number,
            }
            for number, fields in enumerate(lines, 1)
        ]
    )
    passages = [
        {"topic": fields[0], "document": fields[2], "offset": int(one.split(":")[0]), "length": int(one.split(":")[1])}
        for fields in lines
        for one in fields[6:]
    ]
    table = pd.DataFrame(passages, columns=["topic", "document", "offset", "length"])
    return Assessments(scale="passages", **({"documents": documents, "passages": table} | changed))


def submission(text=RUN, run="a", **options):
    lines = [line.split() for line in text.splitlines()]
    rows = [
        {"topic": topic, "document": document, "path": "", "offset": int(start), "length": int(length), "line": number}
        for number, (topic, document, start, length) in enumerate(lines, 1)
    ]
    return Submission(run=run, results=pd.DataFrame(rows), source=f"{run}.txt", **options)


def test_results_in_relevant_documents_are_kept_with_what_was_read_by_then():
    """Every result in a document with highlighted text has its highlighted characters and the running count."""
    collection = passage_collection([submission()], assessments())
    results = collection.results
    assert collection.topics == ("T1", "T2")
    assert results.relevant.tolist() == [200, 100, 100]
    assert results.reached.tolist() == [400, 700, 900]
    assert results.ranks.tolist() == [1, 3, 4]
    assert results.articles.tolist() == [1, 3, 1]
    assert collection.n_retrieved.tolist() == [[4, 1]]
    assert collection.n_characters.tolist() == [[900, 10]]
    assert collection.answered.tolist() == [[True, True]]


def test_by_document_ranks_documents_by_their_first_result():
    """The lists of documents have each document once, and judgments say whether anything is highlighted."""
    documents = passage_collection([submission()], assessments()).by_document
    assert documents.n_retrieved.tolist() == [[3, 1]]
    assert documents.document_ids[documents.judgments].tolist() == [b"d1", b"d3", b"d2"]
    assert documents.ranks.tolist() == [1, 2, 3]
    assert documents.levels.tolist() == [1, 1, 0, 1]
    assert any("T9" in note for note in documents.notes)


def test_topics_may_be_in_pieces_and_keep_the_order_of_their_rows():
    """A topic whose results stand apart in the table is one list, in the order of the rows."""
    whole = passage_collection([submission("T1 d1 0 5\nT1 d2 7 5\nT2 d4 0 5\n")], assessments())
    apart = passage_collection([submission("T1 d1 0 5\nT2 d4 0 5\nT1 d2 7 5\n")], assessments())
    for one, other in zip(whole.results, apart.results, strict=True):
        assert np.array_equal(one, other)


def test_order_and_limit_are_those_of_the_rows():
    """Results beyond the limit are gone, and the notes say so."""
    collection = passage_collection([submission()], assessments(), limit=2)
    assert collection.n_retrieved.tolist() == [[2, 1]]
    assert collection.results.ranks.tolist() == [1]
    assert any(note.startswith("lists cut to 2 results: 1 (a)") for note in collection.notes)


def test_a_place_that_does_not_exist_counts_eighteen_characters():
    """A result without an offset is text without highlighting, and overlaps nothing."""
    collection = passage_collection([submission("T1 d1 -1 -1\nT1 d1 -1 -1\nT1 d1 100 10")], assessments())
    assert collection.results.relevant.tolist() == [0, 0, 10]
    assert collection.results.reached.tolist() == [NOWHERE_LENGTH, 2 * NOWHERE_LENGTH, 2 * NOWHERE_LENGTH + 10]
    assert "overlap" not in set(collection.faults["kind"])


def test_unseen_characters_leave_out_what_earlier_results_had():
    """A result that repeats another adds what is new, and the document that nobody judged is treated alike."""
    collection = passage_collection([submission("T1 d1 0 400\nT1 d1 100 400\nT1 dX 0 9\nT1 dX 0 9")], assessments())
    assert collection.results.unseen_lengths.tolist() == [400, 100]
    assert collection.results.unseen_relevant.tolist() == [200, 0]
    assert collection.n_characters.tolist() == [[818, 0]]
    assert collection.n_unseen_characters.tolist() == [[509, 0]]


@pytest.mark.parametrize(
    ("text", "kind", "document", "line"),
    [
        ("T1 d1 0 400\nT1 d1 399 400", "overlap", "d1", 2),
        ("T1 d1 0 400\nT1 d1 100 50", "overlap", "d1", 2),
        ("T1 d1 100 50\nT1 d1 0 400", "overlap", "d1", 2),
        ("T1 dX 0 4\nT1 dX 3 1", "overlap", "dX", 2),
        ("T1 d1 0 4\nT1 dX 3 1\nT1 d1 4 3", "interleaved", "d1", 3),
        ("T1 d1 0 4\nT1 d1 4 3", "repeated", "d1", 2),
        ("T1 d2 8 -1", "no length", "d2", 1),
    ],
)
def test_faults_are_named_with_run_topic_document_and_line(text, kind, document, line):
    """What a task forbids is refused with the place of the first result that does it."""
    collection = passage_collection([submission("T2 d4 0 5"), submission(text, run="b")], assessments())
    with pytest.raises(InvalidOptionError, match=rf"b\.txt, line {line}: run 'b', topic 'T1', document '{document}'"):
        collection.refuse([kind], task="the task")
    collection.select(systems=["a"]).refuse([kind], task="the task")
    collection.select(topics=["T2"]).refuse([kind], task="the task")


def test_touching_results_do_not_overlap():
    """Intervals are half open."""
    collection = passage_collection([submission("T1 d1 0 400\nT1 d1 400 10\nT1 d1 800 0\nT1 d1 800 0")], assessments())
    collection.refuse(["overlap"], task="the task")


def test_the_error_counts_the_runs_concerned():
    """One error speaks for every run with the fault."""
    twice = "T1 d1 0 4\nT1 d1 2 4"
    collection = passage_collection([submission(twice, run="a"), submission(twice, run="b")], assessments())
    with pytest.raises(
        InvalidOptionError, match=r"overlaps an earlier result.*the task does not allow \(2 runs do so\)"
    ):
        collection.refuse(["overlap"], task="the task")


def test_selecting_equals_compiling_the_part():
    """A part of a collection is the collection of the part."""
    runs = [submission(run="a"), submission("T2 d4 0 100\nT1 d2 0 50", run="b")]
    part = passage_collection(runs, assessments()).select(systems=["b"], topics=["T2", "T1"])
    alone = passage_collection(runs[1:], assessments())
    assert part.systems == ("b",)
    assert part.topics == ("T2", "T1")
    assert part.results.relevant.tolist() == alone.results.relevant[::-1].tolist()
    assert part.by_document.document_ids[part.results.documents].tolist() == [b"d4", b"d2"]
    assert part.text.relevant_sizes.tolist() == [100, 300, 200, 0]
    assert part.text.starts.tolist() == [50, 100, 500, 0]
    assert part.n_characters.tolist() == [[100, 50]]


def test_rejudging_checks_levels_and_changes_nothing_else():
    """New levels go to the documents; results are shared."""
    collection = passage_collection([submission()], assessments())
    reduced = collection.rejudge(np.array([1, UNJUDGED, NOT_POOLED, 1]))
    assert reduced.by_document.levels.tolist() == [1, UNJUDGED, NOT_POOLED, 1]
    assert reduced.results is collection.results
    with pytest.raises(InvalidOptionError, match="one level per judgment"):
        collection.rejudge(np.array([1, 0]))


def test_groups_and_missing_topics_are_those_of_the_documents():
    """Groups, pooled runs and the rules for missing topics work as for whole documents."""
    runs = [submission(run="a"), submission("T1 d1 0 5", run="b")]
    collection = passage_collection(runs, assessments()).with_groups({"a": "x", "b": "y"}, pooled=["a"])
    assert collection.groups == ("x", "y")
    assert collection.pooled.tolist() == [True, False]
    assert collection.handle_missing("drop-systems").systems == ("a",)
    assert collection.handle_missing("drop-topics").topics == ("T1",)
    assert "empty lists, scored 0: 1" in collection.handle_missing().notes[-1]
    with pytest.raises(ScoresError, match="lacks 1 of 2"):
        collection.handle_missing("error")
    with pytest.raises(UnknownNameError):
        collection.select(systems=["c"])


def test_every_document_is_kept_on_request():
    """With retrieved a document has one code in all runs, also where nobody judged it."""
    runs = [
        submission("T1 dX 0 5\nT1 d1 0 5\nT1 dX 9 5", run="a"),
        submission("T1 dY 0 5\nT1 dX 0 5\nT2 dX 0 5", run="b"),
    ]
    collection = passage_collection(runs, assessments(), retrieved="all")
    retrieved = collection.by_document.retrieved
    assert retrieved.offsets.tolist() == [0, 2, 2, 4, 5]
    first, second, third = retrieved.codes[:2], retrieved.codes[2:4], retrieved.codes[4:]
    assert first[0] == second[1]
    assert first[1] == 0
    assert len({*first.tolist(), *second.tolist(), *third.tolist()}) == 4
    assert retrieved.n_codes == 7
    assert passage_collection(runs, assessments()).by_document.retrieved is None


def test_a_run_without_results_is_an_empty_list():
    """A run that answers with nothing has empty lists."""
    empty = Submission(run="b", answered=("T1",))
    collection = passage_collection([submission(), empty], assessments())
    assert collection.n_retrieved.tolist() == [[4, 1], [0, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T1 d1 -2 5", r"a\.txt, line 1: run 'a', topic 'T1', document 'd1': an offset must be 0 or more"),
        ("T1 d1 0 5\nT1 d1 9 -2", r"a\.txt, line 2: run 'a'.*a length must be 0 or more, not -2"),
    ],
)
def test_impossible_places_are_refused(text, message):
    """Negative offsets and lengths name their line."""
    with pytest.raises(FileFormatError, match=message):
        passage_collection([submission(text)], assessments())


def test_elements_without_offsets_are_refused():
    """A run of elements is no run of passages."""
    run = submission("T1 d1 -1 -1")
    run.results["path"] = "/article[1]"
    with pytest.raises(FileFormatError, match=r"element_collection for elements\), not the path '/article\[1\]'"):
        passage_collection([run], assessments())


def test_runs_must_be_there_have_names_of_their_own_and_share_topics():
    """No run, two runs of one name, and foreign topics are errors."""
    with pytest.raises(InvalidOptionError, match="there is no run"):
        passage_collection([], assessments())
    with pytest.raises(InvalidOptionError, match=r"two runs are called 'a' \(a.txt and a.txt\)"):
        passage_collection([submission(), submission()], assessments())
    with pytest.raises(InvalidOptionError, match="no topic in common"):
        passage_collection([submission("T9 d1 0 5")], assessments())
    with pytest.raises(InvalidOptionError, match="`limit` must be a whole number of at least 1"):
        passage_collection([submission()], assessments(), limit=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (QRELS + "T1 Q0 d1 0 1000", r"'d1' is assessed twice for topic 'T1' \(line 5\)"),
        ("T1 Q0 d1 300 1000 100 100:200 250:100", "overlap at offset 250"),
        ("T1 Q0 d1 300 1000 100 -1:200", "has no offset"),
        ("T1 Q0 d1 300 1000 100 1:-1", "has no length"),
        ("T1 Q0 d1 -1 1000", "has no number of highlighted characters"),
        ("T1 Q0 d1 300 1000", "the assessments have no passage"),
    ],
)
def test_assessments_that_cannot_be_used_are_refused(text, message):
    """What would give a wrong number names topic and document."""
    with pytest.raises(InvalidOptionError, match=message):
        passage_collection([submission()], assessments(text))


def test_passages_outside_assessed_documents_are_refused():
    """A passage needs the line of its document."""
    lost = pd.DataFrame([{"topic": "T1", "document": "d9", "offset": 0, "length": 5}])
    with pytest.raises(InvalidOptionError, match=r"'d9' lies in a document that is not assessed"):
        passage_collection([submission()], assessments(passages=lost))


def test_what_is_odd_but_usable_is_noted():
    """Sums that differ, passages past the end, documents without passages and results past the end are counted."""
    odd = "T1 Q0 d1 300 250 100 100:200\nT1 Q0 d2 5 9 0\nT1 Q0 d3 20 90 0 0:20\n"
    collection = passage_collection([submission("T1 d3 80 20")], assessments(odd))
    text = " ".join(collection.notes)
    assert "relevant documents without a passage: 1" in text
    assert "do not add up to their highlighted characters: 1" in text
    assert "more highlighted characters than they have: 1" in text
    assert "documents with a passage beyond their end: 1" in text
    assert "beyond the end of their document: 1 (a)" in text
    assert collection.by_document.levels.tolist() == [1, 1, 1]


@pytest.mark.parametrize("value", [2**70, 1e300, float("inf"), 0.5, 10**12 + 1, "many"])
@pytest.mark.parametrize("column", ["relevant_size", "size", "best_entry"])
def test_sizes_of_tables_in_memory_are_whole_numbers(column, value):
    """A size that is none, or that 64 bits cannot add up, names topic and document."""
    made = assessments()
    documents = made.documents.astype({column: object})
    documents.loc[1, column] = value
    with pytest.raises(FileFormatError, match=rf"topic 'T1', document 'd2', {column} must be a whole number up to"):
        passage_collection([submission()], assessments(documents=documents))


@pytest.mark.parametrize("value", [2**70, 1e300, 0.5])
@pytest.mark.parametrize("column", ["offset", "length"])
def test_places_of_tables_in_memory_are_whole_numbers(column, value):
    """An offset or length that is none names topic, document and line."""
    run = submission()
    results = run.results.astype({column: object})
    results.loc[2, column] = value
    with pytest.raises(FileFormatError, match=rf"line 3: topic 'T1', document 'd2', {column} must be a whole number"):
        passage_collection([replace(run, results=results)], assessments())
    made = assessments()
    passages = made.passages.astype({column: object})
    passages.loc[0, column] = value
    with pytest.raises(FileFormatError, match=f"{column} must be a whole number"):
        passage_collection([submission()], assessments(passages=passages))


def test_an_absent_size_is_unknown():
    """A size that is empty is one that nobody said."""
    made = assessments()
    documents = made.documents.astype({"size": object})
    documents.loc[0, "size"] = None
    collection = passage_collection([submission()], assessments(documents=documents))
    assert collection.text.sizes.tolist()[0] == -1
    with pytest.raises(InvalidOptionError, match="no number of highlighted characters"):
        passage_collection([submission()], assessments(documents=made.documents.drop(columns="relevant_size")))
