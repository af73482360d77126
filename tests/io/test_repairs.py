"""The shell filters that errors about lines propose; that they do what they say is in tests/test_ways_out.py."""

import pytest

from metaeval.io.repairs import filter_for
from metaeval.io.trec_lines import QRELS, RUN


@pytest.mark.parametrize(
    ("line", "layout", "first", "proposed"),
    [
        ("1 Q0 d 1 0.5", RUN, True, "add the column tag (awk '{print $0, \"x\"}' x.run)"),
        ("1 d 0.5", RUN, True, 'add the columns Q0, rank and tag (awk \'{print $1, "Q0", $2, NR, $3, "x"}\' x.run)'),
        ("1,Q0,d,1,0.5,tag", RUN, False, "divide columns by blanks (tr ',' ' ' <x.run)"),
        ("qid Q0 docno rank score tag", RUN, True, "leave out the header (tail -n +2 x.run)"),
        ("qid Q0 docno rank score tag", RUN, False, ""),
        ("1 d 2", QRELS, True, "add the column iteration (awk '{print $1, 0, $2, $3}' x.run)"),
        (
            "1 Q0 d 2",
            RUN,
            True,
            "this is a line of judgments; give runs here, and judgments as such (`read_collection(qrels=...)`)",
        ),
        ("topic,bm25,lm,rm3,dense", RUN, True, "if this is a table of scores, give it alone, without judgments"),
        ("topic,bm25,lm", QRELS, True, "if this is a table of scores, give it alone, without judgments"),
        ("what is this", RUN, True, ""),
        ("", RUN, True, ""),
    ],
)
def test_a_filter_for_what_is_known_and_nothing_else(line, layout, first, proposed):
    """Only lines whose columns can be told have one."""
    assert filter_for(line, layout.columns, path="x.run", first=first) == proposed
