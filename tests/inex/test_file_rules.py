"""The rules of INEX files, against literal readings of them on random tables."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError
from metaeval.inex.assessments import TOO_SMALL, empty_table, table_of
from metaeval.inex.file_rules import Findings, checked_file, document_name, ordered_results
from metaeval.inex.paths import contains

NUMBERS = st.none() | st.integers(0, 3)
RESULTS = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 1), NUMBERS, NUMBERS), max_size=12)


def _literal_order(rows):
    """Order topic by topic, as section 7.1 of the formats says."""
    ordered = []
    for topic in dict.fromkeys(row[0] for row in rows):
        mine = [number for number, row in enumerate(rows) if row[0] == topic]
        if all(rows[number][2] is not None for number in mine):
            mine.sort(key=lambda number: (rows[number][1], rows[number][2]))
        elif all(rows[number][3] is not None for number in mine):
            mine.sort(key=lambda number: (rows[number][1], -rows[number][3]))
        else:
            mine.sort(key=lambda number: rows[number][1])
        ordered += mine
    return ordered


@given(RESULTS)
def test_order_of_results_against_a_literal_sort(rows):
    """Rank where all have one, else score, else the file's order; ties and parts stay as they stand."""
    columns = {
        "topic": [row[0] for row in rows],
        "rank": [math.nan if row[2] is None else row[2] for row in rows],
        "rsv": [math.nan if row[3] is None else row[3] for row in rows],
        "line": list(range(len(rows))),
    }
    parts = np.array([row[1] for row in rows], dtype=np.int64)
    found = ordered_results(table_of("results", columns), parts, Findings("file", lenient=False))
    assert found["line"].tolist() == _literal_order(rows)


PATHS = st.lists(st.sampled_from(["a[1]", "b[1]", "b[2]"]), max_size=3).map(lambda steps: "/".join(["/r[1]", *steps]))
JUDGMENTS = st.dictionaries(
    st.tuples(st.sampled_from("xy"), PATHS),
    st.tuples(st.sampled_from([TOO_SMALL, 1, 2]), st.integers(1, 9)),
    max_size=9,
)


@given(JUDGMENTS)
def test_the_tree_rule_against_every_ancestor(judged):
    """An element is told of exactly if it is more exhaustive than its nearest ancestor; strict reading stops there."""
    rows = [("1", *place, degree, size, size) for place, (degree, size) in judged.items()]
    names = ("topic", "document", "path", "exhaustivity", "size", "relevant_size")
    elements = table_of("elements", dict(zip(names, list(zip(*rows, strict=True)) or [()] * 6, strict=True)))
    elements["line"] = np.arange(len(elements))
    order = [0, TOO_SMALL, 1, 2]
    expected = set()
    for line, (document, path) in enumerate(judged):
        above = [one for one in judged if one[0] == document and contains(one[1], path)]
        nearest = max(above, key=lambda one: len(one[1]), default=None)
        if nearest and order.index(judged[document, path][0]) > order.index(judged[nearest][0]):
            expected.add(line)
    tables = (empty_table("documents"), elements, empty_table("passages"))
    lenient = Findings("file", lenient=True)
    checked_file("2005", *tables, lenient)
    assert {line for places in lenient.found.values() for line, _ in places} == expected
    if expected:
        with pytest.raises(FileFormatError, match="more exhaustive") as refused:
            checked_file("2005", *tables, Findings("file", lenient=False))
        assert refused.value.line == min(expected)


SPANS = st.lists(st.tuples(st.sampled_from("xy"), st.integers(0, 20), st.integers(1, 6)), max_size=6)


@given(SPANS)
def test_the_passage_rules_against_neighbours(spans):
    """Passages that leave their document, overlap or touch are told of, whatever their order in the file."""
    size = 22
    names = ("document", "offset", "length")
    passages = table_of("passages", dict(zip(names, list(zip(*spans, strict=True)) or [()] * 3, strict=True)))
    documents = table_of("documents", {"document": ["x", "y"], "size": [size, size], "relevant_size": [9, 9]})
    findings = Findings("file", lenient=True)
    checked_file("passages", documents, empty_table("elements"), passages, findings)
    found = {rule.partition(";")[0]: len(places) for rule, places in findings.found.items()}
    mine = [sorted((start, length) for name, start, length in spans if name == document) for document in "xy"]
    gaps = [after - (start + length) for one in mine for (start, length), (after, _) in pairwise(one)]
    expected = {
        "a passage must lie within its document": sum(start + length > size for _, start, length in spans),
        "passages of a document must not overlap": sum(gap < 0 for gap in gaps),
        "passages that touch are one passage": sum(gap == 0 for gap in gaps),
    }
    assert found == {rule: count for rule, count in expected.items() if count}


def test_scores_that_rise_are_told_with_both():
    """Down the list by rank, in one topic; equal ones do not rise."""
    rows = [("1", 3, 0.75), ("1", 1, 0.5), ("1", 2, 0.5), ("2", 1, 2.0)]
    table = pd.DataFrame(rows, columns=["topic", "rank", "rsv"]).astype({"rank": float}).assign(line=[4, 5, 6, 7])
    findings = Findings("f.xml", lenient=False)
    ordered_results(table, np.zeros(4, dtype=np.int64), findings)
    assert findings.notes == (
        "f.xml, line 4: rsv rises down the list; the order stays (here: 0.75 after 0.5 in topic 1)",
    )


def test_findings_are_told_once_a_rule():
    """A rule is told with its first place and how many more there are."""
    findings = Findings("f.xml", lenient=True)
    findings.remark("some rule", "first", 3)
    findings.broken("other rule", "value", 4, instead="it stays")
    findings.remark("some rule", "second", 9)
    assert findings.notes == (
        "f.xml, line 3: some rule (here: first; 1 more in this file)",
        "f.xml, line 4: other rule; it stays (here: value)",
    )
    with pytest.raises(FileFormatError, match=r"f\.xml, line 4: other rule; got value\. With `lenient=True`, it stays"):
        Findings("f.xml", lenient=False).broken("other rule", "value", 4, instead="it stays")


@pytest.mark.parametrize(
    ("text", "name"), [("co/2001/r7022.xml", "co/2001/r7022"), (" 12 ", "12"), ("a.xml.b", "a.xml.b")]
)
def test_document_names(text, name):
    """Names lose a last ".xml" and the space around them."""
    assert document_name(text) == name
