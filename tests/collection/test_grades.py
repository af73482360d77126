"""Real-valued grades: codes and the table behind them, from every way in to every way on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings, judgments_from
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.collection.grades import LARGEST_GRADE, MOST_GRADES, coded, grade_values, level_from
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.interop import qrels_from
from metaeval.io.qrels import read_qrels

RUNS = {"a": {"1": ["d1", "d2", "d9"], "2": ["e1"]}, "b": {"1": ["d3", "d1"], "2": ["e2", "e1"]}}
REAL = {"1": {"d1": 1.7, "d2": 0.0, "d3": 0.5, "d4": -1.0}, "2": {"e1": 0.5, "e2": 3.0}}


@pytest.fixture
def collection():
    """Compile two runs beside real-valued grades."""
    return collection_from_rankings(RUNS, REAL)


@given(numbers=st.lists(st.floats(-3, 40).map(lambda one: round(one, 2)), min_size=1, max_size=30))
def test_codes_and_grades_say_the_same(numbers):
    """Grades come back, negative ones as no judgment; order is kept; whole grades have no table."""
    levels, grades = coded(numbers)
    given_numbers = np.array(numbers)
    if grades is None:
        assert (given_numbers == np.round(given_numbers)).all()
        assert levels.tolist() == numbers
        return
    back = grade_values(levels, grades)
    judged = given_numbers >= 0
    assert back[judged].tolist() == given_numbers[judged].tolist()
    assert (levels[~judged] < 0).all()
    assert grades[0] == 0
    assert (np.diff(grades) > 0).all()


@given(
    numbers=st.lists(st.floats(0, 5).map(lambda one: round(one, 1)), min_size=1, max_size=20),
    rel=st.floats(0.1, 6).map(lambda one: round(one, 1)),
)
def test_a_threshold_takes_the_same_documents_as_codes_and_as_grades(numbers, rel):
    """Whether grades are whole or not."""
    levels, grades = coded(numbers)
    assert (levels >= level_from(rel, grades)).tolist() == [one >= rel for one in numbers]


def test_grades_equal_on_paper_are_one_and_reach_a_threshold():
    """0.1 + 0.2 and 0.3 share a code; 0.8 - 0.1 reaches 0.7, whatever its last bit."""
    levels, grades = coded([0.1 + 0.2, 0.3, 0.8 - 0.1])
    assert levels.tolist() == [1, 1, 2]
    assert level_from(0.7, grades) == 2


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([np.nan], "grades must lie within ±32767, not nan"),
        ([1.5, np.inf], "not inf"),
        ([LARGEST_GRADE + 1.0], "not 32768"),
        (np.arange(MOST_GRADES + 1) / 7 + 0.01, "32,001 distinct grades above 0; at most 32,000"),
    ],
)
def test_grades_that_cannot_be_kept_are_refused(numbers, message):
    """Nothing is rounded or cut in silence."""
    with pytest.raises(InvalidOptionError, match=message):
        coded(numbers)


def test_files_and_objects_and_rankings_hold_the_same(tmp_path, collection):
    """A negative grade is no judgment among real-valued ones too; the note says what the grades ask for."""
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{topic} 0 {doc} {one}\n" for topic, part in REAL.items() for doc, one in part.items()))
    for judgments in (read_qrels(path), qrels_from(REAL), judgments_from(REAL)):
        assert judgments.numbers.tolist() == [1.7, 0, 0.5, -1, 0.5, 3]
        assert judgments.levels.tolist() == [2, 0, 1, -1, 1, 3]
        assert judgments.grades.tolist() == [0, 0.5, 1.7, 3]
    assert collection.numbers.tolist() == [1.7, 0, 0.5, -1, 0.5, 3]
    assert collection.top_level == 3
    assert "3 distinct grades above 0 that are not all whole (0.5, 1.7, 3)" in collection.notes[0]


def test_whole_numbers_with_a_point_are_whole(tmp_path):
    """1.0 and 2e0 are levels 1 and 2."""
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 d1 1.0\n1 0 d2 2e0\n")
    judgments = read_qrels(path)
    assert (judgments.levels.tolist(), judgments.grades) == ([1, 2], None)


def test_faults_among_real_grades_are_refused_with_their_line(tmp_path):
    """Twice judged, out of range, too many."""
    path = tmp_path / "qrels.txt"
    for text, message in (
        ("1 0 d1 1.5\n1 0 d1 1.5\n", "line 2: this document is judged twice"),
        ("1 0 d1 1.5\n1 0 d2 40000.5\n", "line 2: the relevance must lie within ±32767"),
        ("".join(f"1 0 d{one} {one / 7 + 0.01}\n" for one in range(32_001)), "qrels.txt.*32,001 distinct grades"),
    ):
        path.write_text(text)
        with pytest.raises(FileFormatError, match=message):
            read_qrels(path)


def test_a_part_keeps_the_table(collection):
    """Selecting topics and systems leaves codes as they are."""
    part = collection.select(topics=["2"], systems=["b"])
    assert part.numbers.tolist() == [0.5, 3]
    assert part.top_level == 3


def test_rejudging_takes_codes_of_the_table(collection):
    """A code without a grade is refused."""
    again = collection.rejudge(np.array([1, UNJUDGED, 3, NOT_POOLED, 0, 2]))
    assert again.numbers.tolist() == [0.5, -1, 3, NOT_POOLED, 0, 1.7]
    with pytest.raises(InvalidOptionError, match="level 4 stands for no grade: there are 3 above 0; use regrade"):
        collection.rejudge(np.array([4, 0, 0, 0, 0, 0]))


def test_regrading_takes_numbers(collection):
    """Real ones, whole ones, gaps; the full judgments say what they said, and whole numbers alone need no table."""
    again = collection.regrade(np.array([2.5, np.nan, 0, 1, 0.5, 0]))
    assert again.numbers.tolist() == [2.5, -1, 0, 1, 0.5, 0]
    assert grade_values(again.full_levels, again.grades).tolist() == collection.numbers.tolist()
    assert grade_values(np.array([again.top_level]), again.grades).tolist() == [3]
    whole = collection_from_rankings(RUNS, {"1": {"d1": 2, "d2": 0}, "2": {"e1": 1}})
    assert np.array_equal(whole.regrade(np.array([1.0, np.nan, 3])).levels, whole.rejudge([1, -1, 3]).levels)
    assert whole.regrade(np.array([1.0, 0, 3])).grades is None
    with pytest.raises(InvalidOptionError, match="shape"):
        whole.regrade(np.zeros(2))


def test_thresholds_make_whole_levels(collection):
    """Of the current and the full judgments alike."""
    levels = collection.regrade(np.array([0.2, np.nan, 0.5, 3, 1.6, 1.5])).at_thresholds([0.5, 1.5])
    assert levels.levels.tolist() == [0, -1, 1, 2, 2, 2]
    assert levels.full_levels.tolist() == [2, 0, 1, -1, 1, 2]
    assert (levels.top_level, levels.grades) == (2, None)
    for wrong in ([], [0, 1], [1, 1], [2, 1]):
        with pytest.raises(InvalidOptionError, match="`thresholds` must ascend from above 0"):
            collection.at_thresholds(wrong)


def test_statistics_count_no_level_where_grades_are_real(collection):
    """Judged and relevant documents are counted."""
    assert collection.statistics().per_topic.columns.tolist() == ["judged", "relevant"]
    assert collection.statistics().per_topic["relevant"].tolist() == [2, 2]
