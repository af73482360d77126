"""The examples about agreement: the audit's tables are the study's, and the two groups are as published."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.questions.agree.study import audit_quantisations

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.usefixtures("checkout")


@pytest.fixture
def example(monkeypatch):
    """Names of the audit, which imports its neighbour as a script does."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return runpy.run_path(str(EXAMPLES / "quantisation_audit.py"))


@pytest.fixture
def study():
    """Four runs on three topics with grades 1 and 2."""
    qrels = {topic: {f"d{n}": n % 3 for n in range(9)} for topic in "123"}
    runs = {
        f"run{shift}": {topic: [f"d{(n * (shift + 1)) % 9}" for n in (2, 5, 1, 4, 8)] for topic in qrels}
        for shift in (0, 1, 3, 6)
    }
    collection = collection_from_rankings(runs, qrels)
    return audit_quantisations(collection, "AP,nDCG@10", tests=["t"], n_topic_resamples=5, rng=0)


def test_tables_are_the_studys(example, study):
    """Each block holds the measure's matrix, each row with the share that its metric finds."""
    lines = example["markdown"](study, "nDCG@10").split("\n")
    members = list(study.groups()["nDCG@10"])
    assert len(lines) == 2 + 3 * len(members)
    recall = study.lead.matrix("recall").loc[members, members].to_numpy()
    row = lines[2 + len(members)]
    assert row.startswith("| R of linear |")
    assert row.endswith("| " + " | ".join(f"{value:.2f}" for value in recall[0]) + " |")
    assert len(example["grades"](study).split("\n")) == 2 + len(study.grades())
    assert "AP and nDCG@10" in example["metrics_table"](study)


def test_reads_both_collections(example, data_folder):
    """From the folder of real data come 37 runs of DL19 and 143 of TREC-COVID."""
    with pytest.warns(UserWarning, match="tied scores"):
        collections = example["read_collections"](data_folder)
    assert {name: one.n_systems for name, one in collections.items()} == {"DL19": 37, "TREC-COVID": 143}


def test_two_groups(monkeypatch, tmp_path, capsys):
    """The script prints the published contrast and draws it."""
    out = tmp_path / "two.svg"
    monkeypatch.setattr(sys, "argv", ["two_groups.py", "--out", str(out)])
    runpy.run_path(str(EXAMPLES / "two_groups.py"), run_name="__main__")
    assert capsys.readouterr().out == "F1 = 1, tau = 0.053, rho = 0.5038\n"
    kept = EXAMPLES.parent / "docs" / "images" / "two-groups.svg"
    drawn, shown = (re.findall(r">([^<>]+)</text>", path.read_text("utf-8")) for path in (out, kept))
    assert len(drawn) > 5
    assert drawn == shown
