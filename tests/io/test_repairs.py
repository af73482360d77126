"""The shell filters that errors about lines propose; that they do what they say is in tests/test_ways_out.py."""

import re
import subprocess

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.repairs import filter_for
from metaeval.io.trec import read_collection
from metaeval.io.trec_lines import QRELS, RUN
from metaeval.metrics import score


@pytest.mark.parametrize(
    ("line", "layout", "first", "proposed"),
    [
        ("1 Q0 d 1 0.5", RUN, True, "add the column tag (awk '{print $0, \"x\"}' <x.run)"),
        ("1 d 0.5", RUN, True, 'add the columns Q0, rank and tag (awk \'{print $1, "Q0", $2, NR, $3, "x"}\' <x.run)'),
        ("1,Q0,d,1,0.5,tag", RUN, False, "divide columns by blanks (tr ',' ' ' <x.run)"),
        ("qid Q0 docno rank score tag", RUN, True, "leave out the header (tail -n +2 <x.run)"),
        ("qid Q0 docno rank score tag", RUN, False, ""),
        ("1 d 2", QRELS, True, "add the column iteration (awk '{print $1, 0, $2, $3}' <x.run)"),
        (
            "1 Q0 d 2",
            RUN,
            True,
            "this is a line of judgments; give runs here, and judgments as such (`read_collection(qrels=...)`)",
        ),
        ("topic,bm25,lm,rm3,dense", RUN, True, "if this is a table of scores, give it alone, without judgments"),
        ("topic,bm25,lm", QRELS, True, "if this is a table of scores, give it alone, without judgments"),
        ("what is this", RUN, True, ""),
        (
            f"1 d {'0' * 5000}7",
            RUN,
            True,
            'add the columns Q0, rank and tag (awk \'{print $1, "Q0", $2, NR, $3, "x"}\' <x.run)',
        ),
        ("", RUN, True, ""),
    ],
)
def test_a_filter_for_what_is_known_and_nothing_else(line, layout, first, proposed):
    """Only lines whose columns can be told have one."""
    assert filter_for(line, layout.columns, path="x.run", first=first) == proposed


def test_ranks_of_passages_stay_ranks(tmp_path):
    """Query, passage and rank, as MS MARCO has them: (1/2 + 1/3) / 2 by hand, also where lines are in another order."""
    lines = ["2\t17\t1", "2\t40\t2", "2\t39\t3", "3\t52\t1", "3\t20\t2", "3\t18\t3"]
    qrels = tmp_path / "qrels.tsv"
    qrels.write_text("2\t0\t40\t1\n3\t0\t18\t1\n")
    for order in (lines, sorted(lines, key=lambda line: line[2:])):
        file = tmp_path / "run.tsv"
        file.write_text("\n".join(order) + "\n")
        with pytest.raises(FileFormatError, match=r"which counts 1, 2, 3, … in every topic, for the rank") as caught:
            read_collection([file], qrels)
        (command,) = re.findall(r"[(](awk .*)[)]$", str(caught.value))
        file.write_bytes(subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout)  # noqa: S607 - our own advice
        assert float(score(read_collection([file], qrels), ["RR@10"], fewest=1).mean()) == pytest.approx(5 / 12)


@pytest.mark.parametrize("row", ["{},{},{}", "{},{},0,{}"])
def test_distances_are_turned_into_scores(tmp_path, row):
    """The nearest comes first: the relevant document is second for query 1 and first for query 2, (1/2 + 1) / 2."""
    header = row.format("query_id", "doc_id", "distance").replace("0", "rank")
    lines = [row.format(*cells) for cells in ((1, "x", 0.1), (1, "a", 0.2), (2, "b", 0.1), (2, "d", 0.2))]
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.csv"
    qrels.write_text("1 0 a 1\n2 0 b 1\n")
    run.write_text("\n".join([header, *lines]) + "\n")
    with pytest.raises(FileFormatError, match=r"turn the sign of 'distance', which is better the lower") as caught:
        read_collection([run], qrels)
    (command,) = re.findall(r"[(](tr .*)[)]$", str(caught.value))
    run.write_bytes(subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout)  # noqa: S607 - our own advice
    assert float(score(read_collection([run], qrels), ["RR@10"], fewest=1).mean()) == pytest.approx(0.75)
