"""Judgments in the grades of NTCIR: three orders of columns, levels, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError
from metaeval.io.qrels import graded, judgments_of
from metaeval.io.trec import read_collection

LEVELS = {"S": 3, "A": 2, "B": 1, "C": 0} | {f"L{level}": level for level in range(10)}
FORMS = ("{t} {g} {d} {n}", "{t} 0 {d} {g}", "{t} {d} {g}")
lists = st.lists(st.sampled_from("SABC"), min_size=1, max_size=8)
ends = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\t\r\n", "\n# d9 C\n"])


def _levels(content):
    found = judgments_of(content, "x")
    return dict(zip(found.document_ids.tolist(), found.levels.tolist(), strict=True))


@pytest.mark.parametrize("form", FORMS)
@given(grades=lists, end=ends, relaxed=st.sampled_from(["SA", "SAB"]))
def test_every_order_of_columns_gives_the_levels_of_the_grades(form, grades, end, relaxed):
    """S, A, B and C are 3, 2, 1 and 0 whatever line ends, comments and binary reading stand there."""
    lines = [form.format(t="0001", g=one, d=f"d{place}", n=int(one in relaxed)) for place, one in enumerate(grades)]
    wanted = {f"d{place}".encode(): LEVELS[one] for place, one in enumerate(grades)}
    assert _levels((end.join(lines) + "\n").encode()) == wanted


@given(st.lists(st.sampled_from([one for one in LEVELS if one[0] == "L"]), min_size=1, max_size=8))
def test_the_levels_of_ntcireval_are_their_numbers(grades):
    """L0 to L9 are 0 to 9."""
    lines = [f"0001 d{place} {one}" for place, one in enumerate(grades)]
    assert _levels("\n".join(lines).encode()) == {f"d{n}".encode(): int(one[1]) for n, one in enumerate(grades)}


@given(st.text(alphabet="01 SABCL2\n#dQ\t-", max_size=60))
def test_what_has_no_grades_stays_and_line_numbers_never_move(text):
    """Levels take the place of grades without moving a byte, so that messages name lines of the file itself."""
    content = text.encode()
    try:
        read = graded(content, path="x")
    except FileFormatError as error:
        assert error.line is not None  # noqa: PT017 - only some texts are refused
        return
    assert len(read.content) == len(content)
    assert [place for place, sign in enumerate(content) if sign == 10] == [
        place for place, sign in enumerate(read.content) if sign == 10
    ]
    assert read.note or read.content == content


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"1 A d1 1\n\n1 0 d2 1\n", 3, "must have a topic, a grade .* as the first has; the line is '1 0 d2 1'"),
        (b"1 A d1 1\n1 A d2 2\n", 2, "a document and 0 or 1"),
        (b"# rigid\n1 B d1 1\n2 B d1 0\n", 3, "grade B counts as 0 here and as 1 in line 2.*write 0 in column 2"),
        (b"1 d1 L2\n1 d2 L1x\n", 2, "must be a grade in every line, as in the first: S, A, B and C, or L0 to L9"),
        (b"1 0 d1 S\n1 0 d2 1\n", 2, "must be a grade in every line"),
        (b"1 d1 S\n1 0 d2 A\n", 2, r"must have 3 columns \(topic document relevance\)"),
        (b"1 d1 S\n1 d1 A\n", 2, "judged twice on this topic, first in line 1; keep one, .*; the line is '1 d1 A'"),
        (b"1 0 d1 D\n", 1, "must be a decimal number"),
        (b"1 0 d1 L10\n", 1, "must be a decimal number"),
    ],
)
def test_faulty_grades_are_refused_with_file_line_and_line(content, line, message):
    """A line of another kind, a grade unknown, a grade that is relevant here and not there."""
    with pytest.raises(FileFormatError, match=message) as caught:
        judgments_of(content, "faulty.rel")
    assert caught.value.line == line
    assert str(caught.value).startswith("faulty.rel")


def test_numbers_with_letters_for_assessors_are_not_taken_for_grades():
    """Where letters stand beside both readings, nothing is guessed."""
    with pytest.raises(FileFormatError, match="no grade"):
        judgments_of(b"1 A d1 1\n1 B d2 1\n1 A d3 0\n", "x")
    assert _levels(b"1 assessorA d1 1\n1 assessorB d2 0\n") == {b"d1": 1, b"d2": 0}


def test_a_collection_says_that_grades_were_read(tmp_path):
    """The example of NTCIR's page on its formats (workshop 2), with a run in the format of its cross-lingual task."""
    (tmp_path / "rel1").write_text("0001\tC\tgakkai-0000010176\t0 \n0001\tA\tgakkai-0000010187\t1 \n")
    (tmp_path / "run").write_text("0001 0    gakkai-0000010187    1     4238     LIPS-C-CJE-T-01\n")
    collection = read_collection(tmp_path / "run", tmp_path / "rel1")
    assert (collection.levels.tolist(), collection.top_level) == ([0, 2], 2)
    assert any("S, A, B and C count as levels 3, 2, 1 and 0" in note for note in collection.notes)
