"""Judgments by subtopic: how they are recognised, kept and collapsed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.interop import collection_from, qrels_from
from metaeval.io.qrels import judgments_of, read_qrels
from metaeval.metrics import score

WEB = b"1 1 d1 0\n1 2 d1 2\n1 1 d2 -2\n1 2 d2 -2\n2 1 d1 1\n"


@pytest.fixture
def read(tmp_path):
    """Read judgments from bytes."""

    def judgments(content, **options):
        path = tmp_path / "qrels.txt"
        path.write_bytes(content)
        return read_qrels(path, **options)

    return judgments


def test_column_two_names_subtopics_where_a_document_stands_under_several(read):
    """The level of a document is its highest, and the subtopics are kept unless they are collapsed."""
    found = read(WEB)
    assert found.levels.tolist() == [2, -2, 1]
    own = found.subtopics
    assert own.names == ("1", "2", "1")
    assert (own.topic_offsets.tolist(), own.offsets.tolist()) == ([0, 2, 3], [0, 2, 4, 5])
    assert (own.codes.tolist(), own.levels.tolist()) == ([0, 1, 0, 1, 0], [0, 2, -2, -2, 1])
    assert found.notes[0].startswith("column 2 of the judgments names subtopics, 3 subtopics of 2 topics: measures")
    collapsed = read(WEB, subtopics="collapse")
    assert collapsed.levels.tolist() == [2, -2, 1]
    assert collapsed.subtopics is None


def test_grades_of_ntcir_and_real_ones_have_subtopics_too(read):
    """Dqrels of INTENT have L0 to L4 in column 4; grades that are not whole are coded for documents and subtopics."""
    found = read(b"0101 1 d1 L1\n0101 2 d1 L3\n")
    assert (found.levels.tolist(), found.subtopics.levels.tolist()) == ([3], [1, 3])
    real = read(b"1 a d1 0.5\n1 b d1 1.5\n")
    assert (real.numbers.tolist(), real.grades[real.subtopics.levels].tolist()) == ([1.5], [0.5, 1.5])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 0 d1 1\n1 0 d1 1\n", "line 2: this document is judged twice on this topic, first in line 1; keep one"),
        (
            b"1 1 d1 1\n1 2 d1 1\n1 2 d1 0\n",
            "line 3: this document is judged twice on subtopic '2' of this topic, first in line 2; keep one, or pass",
        ),
        (b"1\tS\td1\t1\n1\tA\td1\t1\n", "line 2: this document is judged twice on this topic"),
    ],
)
def test_what_is_judged_twice_all_the_same_is_refused(read, content, said):
    """On one subtopic, and where column 2 is a grade."""
    with pytest.raises(FileFormatError, match=said):
        read(content)


def test_a_rule_for_duplicates_takes_column_two_for_no_subtopic(read):
    """Whether the first judgment counts or the mean."""
    assert read(WEB, duplicates="first").subtopics is None
    assert read(WEB, duplicates="mean").numbers.tolist() == [1, -2, 1]


EACH_ONE = b"q0 1 a 1\nq0 1 b 1\nq0 2 c 1\nq0 2 d 1\nq0 3 e 1\nq1 1 a 1\nq1 2 c 1\nq1 3 e 1\n"
RUN = {"q0": {"a": 9.0, "b": 8.0, "c": 7.0, "e": 6.0}, "q1": {"e": 9.0, "x": 8.0, "a": 7.0}}
PYNDEVAL = {  # pyndeval 0.0.x through ir_measures 0.4.3
    "alpha_nDCG@5": (0.884414, 0.703918),
    "ERR_IA@5": (0.443772, 0.322743),
    "StRecall@5": (1.0, 0.666667),
}


def test_every_document_under_one_subtopic_is_read_so_where_that_is_asked_for(read):
    """Categories of items: asked for, column 2 names them if it is not the same everywhere; not asked for, never."""
    found = read(EACH_ONE, subtopics="keep")
    (note,) = found.notes
    assert note.startswith(
        "column 2 of the judgments names subtopics, 6 subtopics of 2 topics, one for every document: "
    )
    assert read(EACH_ONE).subtopics is None
    assert read(EACH_ONE, subtopics="collapse").subtopics is None
    assert read(b"1 0 d1 1\n1 0 d2 1\n", subtopics="keep").subtopics is None
    with pytest.raises(FileFormatError, match="judged twice on this topic"):
        read(EACH_ONE + b"q1 3 e 1\n", subtopics="keep")
    columns = list(zip(*(line.split() for line in EACH_ONE.decode().splitlines()), strict=True))
    frame = pd.DataFrame(dict(zip(("query_id", "subtopic", "doc_id", "relevance"), columns, strict=True)))
    for own in (frame, frame.rename(columns={"subtopic": "subtopic_id"})):
        for judged in (found, own.astype({"relevance": int})):
            scores = score(collection_from({"r": RUN}, judged), list(PYNDEVAL), fewest=1)
            for metric, values in PYNDEVAL.items():
                assert scores.sel(metric=metric, system="r").to_numpy() == pytest.approx(values, abs=5e-7)
        assert qrels_from(own.astype({"relevance": int}), subtopics="collapse").subtopics is None
    again = pd.concat([frame, frame.iloc[:1]]).astype({"relevance": int})
    with pytest.raises(InvalidOptionError, match="document 'a' on query 'q0' is judged twice on subtopic '1'"):
        qrels_from(again)


@given(st.integers(0, 100_000))
def test_a_frame_of_subtopics_is_read_as_the_file_is(seed):
    """Names, levels and subtopics are the same, whatever order the lines have."""
    rng = np.random.default_rng(seed)
    cells = {tuple(rng.integers(0, 3, 3).tolist()): int(rng.integers(0, 4)) for _ in range(12)}
    rows = [
        (f"t{topic}", f"s{subtopic}", f"d{document}", level) for (topic, subtopic, document), level in cells.items()
    ]
    if len({row[1] for row in rows}) == 1:
        return
    text = "".join(f"{' '.join(map(str, row))}\n" for row in rows).encode()
    of_file = judgments_of(text, "x", subtopics="keep")
    of_frame = qrels_from(pd.DataFrame(rows, columns=["topic", "subtopic", "document", "level"]))
    assert of_file.topics == of_frame.topics
    for name in ("document_ids", "levels", "topic_offsets"):
        assert getattr(of_file, name).tolist() == getattr(of_frame, name).tolist()
    for name in ("topic_offsets", "offsets", "codes", "levels"):
        assert getattr(of_file.subtopics, name).tolist() == getattr(of_frame.subtopics, name).tolist()
    assert of_file.subtopics.names == of_frame.subtopics.names
