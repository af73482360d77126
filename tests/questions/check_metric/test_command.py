"""`metaeval check-metric`: laws of a metric of one's own, from a file or by name."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("checkout")
PLUGIN = Path(__file__).parents[3] / "examples" / "plugin" / "top_recall.py"
BROKEN = """
from metaeval.metrics import RankedTopic, metric

@metric(name="Deep")
def deep(topic: RankedTopic, *, k: int) -> float:
    return float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))
"""

SILENT = """
from metaeval.metrics import metric

@metric
def silent(topic):
    return 0.0
"""
GAINS = """
from metaeval.metrics import Quantisation

def squares(levels):
    return levels**2.0

quantisation = Quantisation("squares", squares)
"""


def test_a_sound_file_passes(command):
    """Every law is named with its state, and a cut-off without a default is 10."""
    ended = command("check-metric", PLUGIN)
    assert ended.code == 0
    assert "TopRecall@10 obeys every law that was tried" in ended.out
    rows = command("check-metric", PLUGIN, "--metrics", "TopRecall@3,TopRecall@7", "--json").json()["results"]
    assert {row["metric"] for row in rows} == {"TopRecall@3", "TopRecall@7"}
    assert {row["state"] for row in rows if row["kind"] == "law"} == {"holds", "not declared"}


def test_a_broken_one_ends_with_1_and_shows_where(command, tmp_path):
    """The answer is shown all the same, and the report is written."""
    file = tmp_path / "mine.py"
    file.write_text(BROKEN)
    ended = command("check-metric", file, "--metrics", "Deep@2", "--out", "page")
    assert ended.code == 1
    assert "Deep@2 would give wrong numbers" in ended.err
    page = Path("page/index.html").read_text()
    assert re.search(r"No: Deep@2 breaks 1 of \d+ laws: documents below the cut-off make no difference\.", page)
    assert "a document below rank 2 changes the score; run " in page


def test_installed_metrics_by_name(command):
    """As a check of the installation, or to see what one is like."""
    ended = command("check-metric", "bpref", "iP@0.01", "--collections", "3")
    assert ended.code == 0
    assert "taking them out of the lists made no difference" in ended.out


def test_a_file_of_quantisations_is_checked_through_a_metric_that_uses_them(command, tmp_path):
    """As the refusal without one says."""
    file = tmp_path / "mine.py"
    file.write_text(GAINS)
    refused = command("check-metric", file)
    assert refused.code == 2
    assert "defines quantisations and no metric; name a metric that uses them with --metrics" in refused.err
    ended = command("check-metric", file, "--metrics", "nDCG(gains=squares)@5,Q(gains=squares)", "--quiet")
    assert ended.code == 0
    assert "nDCG(gains=squares)@5 and Q(gains=squares) obey every law" in ended.out


def test_what_a_metric_prints_is_no_answer(command, tmp_path):
    """--json alone stands on standard output, whatever the file prints when it is read and when it is used."""
    file = tmp_path / "mine.py"
    file.write_text('print("hello")\n' + SILENT.replace("    return", '    print("from inside")\n    return'))
    ended = command("check-metric", file, "--json", "--time")
    rows = ended.json()["results"]
    assert {row["kind"] for row in rows} == {"declared", "law", "expectation", "property"}
    assert "times nDCG@10" in next(row["found"] for row in rows if row["name"] == "Time")
    assert "hello" in ended.err
    assert "from inside" in ended.err


def test_what_it_declares_stands_first(command):
    """Name, values, direction: what a test or a ranking will take it for."""
    out = command("check-metric", PLUGIN, "bpref", "--quiet").out
    shown = out.partition("What it declares")[2].partition("Laws")[0]
    assert "TopRecall(judged_only=False)@k" in shown
    assert "How seldom judged non-relevant" in shown
    assert "Buckley" in shown
    assert shown.count("higher") == 2


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("x = 1", (), "defines no metric"),
        ("x = (", (), "does not run: SyntaxError: '(' was never closed (mine.py, line 1: x = ()"),
        ("\nx = [][1]", (), "does not run: IndexError: list index out of range (mine.py, line 2: x = [][1])"),
        (BROKEN.replace("k: int", "depth: int"), (), 'say how to write it: --metrics "Deep(depth=…)"'),
        (BROKEN, ("--metrics", "Deep"), "Deep needs a cutoff"),
        (BROKEN, ("--collections", "0"), "--collections"),
    ],
)
def test_what_cannot_be_checked_is_refused(command, tmp_path, text, words, message):
    """With the file, and the way out."""
    file = tmp_path / "mine.py"
    file.write_text(text)
    ended = command("check-metric", file, *words)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())


def test_a_file_that_is_not_there_and_an_unknown_name(command):
    """Both are named."""
    assert "nothing.py" in command("check-metric", "nothing.py").err
    assert "apple" in command("check-metric", "apple").err
