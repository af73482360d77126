"""`metaeval check-metric`: laws of a metric of one's own, from a file or by name."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("checkout")
PLUGIN = Path(__file__).parents[2] / "examples" / "plugin" / "top_recall.py"
BROKEN = """
from metaeval.metrics import RankedTopic, metric

@metric(name="Deep")
def deep(topic: RankedTopic, *, k: int) -> float:
    return float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))
"""


def test_a_sound_file_passes(command):
    """Every law is named with its state, and a cut-off without a default is 10."""
    ended = command("check-metric", PLUGIN)
    assert ended.code == 0
    assert "TopRecall@10 obeys every law that was tried" in ended.out
    rows = command("check-metric", PLUGIN, "--metrics", "TopRecall@3,TopRecall@7", "--json").json()["results"]
    assert {row["metric"] for row in rows} == {"TopRecall@3", "TopRecall@7"}
    assert {row["state"] for row in rows if row["kind"] == "law"} == {"holds", "not declared"}


def test_a_broken_one_ends_with_3_and_shows_where(command, tmp_path):
    """The answer is shown all the same, and the report is written."""
    file = tmp_path / "mine.py"
    file.write_text(BROKEN)
    ended = command("check-metric", file, "--metrics", "Deep@2", "--out", "page")
    assert ended.code == 3
    assert "Deep@2 would give wrong numbers" in ended.err
    page = Path("page/index.html").read_text()
    assert "Deep@2 breaks 1 law: documents below the cut-off make no difference." in page
    assert "a document below rank 2 changes the score; run " in page


def test_installed_metrics_by_name(command):
    """As a check of the installation, or to see what one is like."""
    ended = command("check-metric", "bpref", "iP@0.01", "--collections", "3")
    assert ended.code == 0
    assert "it passes over them" in ended.out


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("x = 1", (), "defines no metric"),
        ("x = (", (), "does not run: SyntaxError"),
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
