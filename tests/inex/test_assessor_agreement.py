"""Agreement on highlighted text and on elements: published ratios, sets of characters, worked cases."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.inex.assessments import COLUMNS, TOO_SMALL, Assessments
from metaeval.inex.assessor_agreement import character_ratios, document_agreement, element_agreement, passage_agreement

# Piwowarski, Trotman & Lalmas 2008, Table XI: characters marked by each judge and by both, and the ratios as printed.
TABLE_XI = {
    "209": (540218, 998147, 213864, 0.40, 0.21, 0.16),
    "217": (473400, 614479, 60387, 0.13, 0.10, 0.06),
    "234": (163489, 214266, 127231, 0.78, 0.59, 0.51),
    "237": (21412, 108283, 9366, 0.44, 0.09, 0.08),
    "261": (219353, 286842, 125163, 0.57, 0.44, 0.33),  # printed 0.43; the counts give 0.436
    "304": (57908, 55789, 20377, 0.35, 0.37, 0.22),
    "310": (133293, 82421, 77870, 0.58, 0.94, 0.56),
    "314": (143759, 30181, 18397, 0.13, 0.61, 0.12),
    "319": (89964, 9045, 5263, 0.06, 0.58, 0.06),
    "321": (6693, 14184, 6216, 0.93, 0.44, 0.42),
    "327": (18279, 5736, 3578, 0.20, 0.62, 0.18),
    "329": (65687, 53031, 33480, 0.51, 0.63, 0.39),
    "355": (27814, 73721, 20505, 0.74, 0.28, 0.25),
    "364": (66150, 43342, 23144, 0.35, 0.53, 0.27),
    "385": (32971, 24044, 10973, 0.33, 0.46, 0.24),
    "403": (53557, 40332, 22362, 0.42, 0.55, 0.31),
    "404": (154338, 132758, 74762, 0.48, 0.56, 0.35),
    "405": (42610, 17443, 17256, 0.40, 0.99, 0.40),
    "406": (47109, 65216, 13701, 0.29, 0.21, 0.14),
    "407": (17970, 15006, 14587, 0.81, 0.97, 0.79),
}


def table(columns, rows):
    """Fill rows up to all columns of a table."""
    blank = {name: "" if kind is str else -1 for name, kind in columns.items()}
    return pd.DataFrame([blank | row for row in rows], columns=list(columns))


def highlighted(passages, topics=("1",)):
    """Make assessments of passages given as (topic, document, offset, length)."""
    names = ("topic", "document", "offset", "length")
    rows = [dict(zip(names, row, strict=True)) for row in passages]
    documents = [{"topic": topic, "document": f"d{i}"} for topic in topics for i in range(3)]
    return Assessments(
        scale="passages", documents=table(COLUMNS["documents"], documents), passages=table(COLUMNS["passages"], rows)
    )


def assessed(elements, *, scale="2005", documents=("d0", "d1")):
    """Make assessments of elements given as (document, path, exhaustivity, specificity), all in topic 1."""
    names = ("document", "path", "exhaustivity", "specificity")
    rows = [{"topic": "1"} | dict(zip(names, row, strict=True)) for row in elements]
    listed = [{"topic": "1", "document": name} for name in documents]
    return Assessments(
        scale=scale, documents=table(COLUMNS["documents"], listed), elements=table(COLUMNS["elements"], rows)
    )


@pytest.mark.parametrize("topic", TABLE_XI)
def test_the_ratios_of_table_xi(topic):
    """The published characters give the published ratios, cut or rounded to two digits as printed."""
    *counts, of_first, of_second, of_union = TABLE_XI[topic]
    row = character_ratios(*([count] for count in counts)).iloc[0]
    for name, printed in (("of_first", of_first), ("of_second", of_second), ("of_union", of_union)):
        assert row[name] == pytest.approx(printed, abs=0.0051)


def test_the_means_of_table_xi():
    """The means over the topics of 2005 and 2006 are those printed, .23 and .31."""
    shares = character_ratios(*np.array([row[:3] for row in TABLE_XI.values()]).T)["of_union"]
    assert round(shares[:5].mean(), 2) == 0.23
    assert round(shares[5:].mean(), 2) == 0.31


passages = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from(["d0", "d1"]), st.integers(0, 20), st.integers(1, 8)), max_size=8
)


@given(passages, passages)
def test_characters_are_those_of_sets(first, second):
    """Passages may touch, overlap or repeat: the characters counted are those of plain sets."""
    found = passage_agreement(highlighted(first, ("1", "2")), highlighted(second, ("1", "2")))
    for topic in ("1", "2"):
        marked = [
            {(doc, place) for one, doc, start, n in part if one == topic for place in range(start, start + n)}
            for part in (first, second)
        ]
        expected = [len(marked[0]), len(marked[1]), len(marked[0] & marked[1])]
        assert found.loc[topic, ["first", "second", "both"]].tolist() == expected


def test_passages_inside_a_long_one_add_nothing():
    """Short passages that lie in a longer one are counted once, also behind one that ends before them."""
    one = highlighted([("1", "d0", 0, 8), ("1", "d0", 1, 1), ("1", "d0", 5, 1), ("1", "d0", 9, 2)])
    found = passage_agreement(one, highlighted([("1", "d0", 4, 6)])).loc["1"]
    assert found[["first", "second", "both"]].tolist() == [10, 6, 5]


def test_only_common_topics_are_compared():
    """A topic that one assessor did not do is left out; no common topic, or no offsets, is an error."""
    one, two = highlighted([("1", "d0", 0, 4)]), highlighted([("1", "d0", 2, 4), ("2", "d0", 0, 9)], ("1", "2"))
    assert passage_agreement(one, two).index.tolist() == ["1"]
    with pytest.raises(ScoresError, match="share no topic"):
        passage_agreement(one, highlighted([], ("7",)))
    lacking = highlighted([("1", "d0", 0, 4), ("1", "d0", -1, 4), ("1", "d1", -1, 4)])
    lacking.passages["line"] = [7, 8, 9]
    with pytest.raises(ScoresError, match="line 8: the passage has no offset"):
        passage_agreement(one, lacking)


def test_more_in_common_than_marked_is_an_error():
    """Characters marked by both cannot exceed what either marked."""
    with pytest.raises(InvalidOptionError, match="marked by both"):
        character_ratios([3], [9], [4])


def test_elements_worked_by_hand():
    """Four elements in the union: three common, two of the same exhaustivity, one close, one exact."""
    one = assessed([("d0", "/a[1]", 2, 0.30), ("d0", "/a[1]/b[1]", 1, 1.0), ("d0", "/a[1]/c[1]", TOO_SMALL, 1.0)])
    two = assessed(
        [
            ("d0", "/a[1]", 2, 0.34),
            ("d0", "/a[1]/b[1]", 2, 0.4),
            ("d0", "/a[1]/c[1]", TOO_SMALL, 0.7),
            ("d1", "/a[1]", 1, 0.2),
        ]
    )
    row = element_agreement(one, two).loc["1"]
    assert row["union"] == 4
    assert row["both"] == 3 / 4
    assert row["same_exhaustivity"] == 2 / 4
    assert row["specificity<0.1"] == 1 / 4
    assert row["specificity<0.5"] == 2 / 4
    assert row["specificity<0.9"] == 3 / 4
    assert row["exact"] == 1 / 4  # /a[1]: bins 1 and 2; /c[1]: bin 3 both
    assert document_agreement(one, two).loc["1", "of_union"] == 1 / 2


def test_an_assessor_agrees_wholly_with_itself_and_bins_end_where_stated():
    """Agreement with oneself is 1 everywhere; .33 and .67 belong to the lower bins."""
    one = assessed([("d0", "/a[1]", 1, 0.33), ("d0", "/a[1]/b[1]", 1, 0.67)])
    two = assessed([("d0", "/a[1]", 1, 0.05), ("d0", "/a[1]/b[1]", 1, 0.35)])
    assert element_agreement(one, one).loc["mean"].drop("union").tolist() == [1.0] * 6
    assert element_agreement(one, two).loc["1", "exact"] == 1.0


def test_only_documents_that_both_assessed_count():
    """What one of them never saw is no disagreement; different scales and nothing in common are errors."""
    one = assessed([("d0", "/a[1]", 1, 0.5), ("d1", "/a[1]", 2, 1.0)])
    two = assessed([("d0", "/a[1]", 1, 0.5)], documents=("d0",))
    assert element_agreement(one, two).loc["1", "both"] == 1.0
    with pytest.raises(ScoresError, match="different scales"):
        element_agreement(one, assessed([], scale="2003"))
    with pytest.raises(ScoresError, match="share no assessed document"):
        element_agreement(one, assessed([], documents=("d9",)))


@given(st.lists(st.tuples(st.sampled_from("12"), st.integers(0, 5), st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_documents_agree_as_sets_do(rows):
    """Of what both assessed: the documents that each calls relevant, and both, whatever is marked in them."""
    known = {(topic, f"d{number}"): marks for topic, number, *marks in rows}
    sides = []
    for place in (0, 1):
        listed = [
            {"topic": topic, "document": name, "relevant_size": 7 * marks[place]}
            for (topic, name), marks in known.items()
        ]
        listed += [{"topic": topic, "document": "other", "relevant_size": 0} for topic in "12"]
        sides.append(Assessments(scale="passages", documents=table(COLUMNS["documents"], listed)))
    found = document_agreement(*sides)
    for topic in "12":
        one, two = ({name for (t, name), marks in known.items() if t == topic and marks[place]} for place in (0, 1))
        assert found.loc[topic, ["first", "second", "both"]].tolist() == [len(one), len(two), len(one & two)]
        if one | two:
            assert found.loc[topic, "of_union"] == len(one & two) / len(one | two)


def test_lists_of_relevant_documents_only():
    """Who lists no irrelevant document of a topic judged the others irrelevant; else what is not listed is unknown."""
    full = [("d0", 5), ("d1", 0), ("d2", 4)]
    sides = [
        Assessments(
            scale="passages",
            documents=table(
                COLUMNS["documents"], [{"topic": "1", "document": n, "relevant_size": size} for n, size in part]
            ),
        )
        for part in (full, [("d0", 9)], [("d0", 9), ("d3", 0)])
    ]
    assert document_agreement(sides[0], sides[1]).loc["1", ["first", "both", "of_union"]].tolist() == [2, 1, 0.5]
    assert document_agreement(sides[0], sides[2]).loc["1", ["first", "both", "of_union"]].tolist() == [1, 1, 1]
    with pytest.raises(ScoresError, match="share no assessed document"):
        document_agreement(sides[0], Assessments(scale="passages", documents=sides[0].documents.assign(topic="9")))
