"""The example that reads TREC-COVID's rankings file compiles what the runs' own files say, and writes a report."""

import gzip
import lzma
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.io.trec import read_collection
from metaeval.metrics import score

EXAMPLE = Path(__file__).parents[2] / "examples" / "trec_covid_rankings.py"
pytestmark = pytest.mark.usefixtures("checkout")
TREC_EVAL = {
    "AP": "map",
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "P@10": "P_10",
    "bpref": "bpref",
    "RR": "recip_rank",
}
RUNS = ("BERT", "run1", "udel_fang_run3")


@pytest.fixture(scope="module")
def example():
    """Names of the example."""
    return runpy.run_path(str(EXAMPLE))


@pytest.fixture(scope="module")
def folder(data_folder):
    return data_folder / "trec-covid-r1"


@pytest.fixture(scope="module")
def collection(example, folder):
    return example["trec_covid_collection"](folder, runs=RUNS)


@pytest.mark.filterwarnings("ignore:in 1 of 3 runs")  # BERT has many tied scores, which is why it is here
def test_same_as_the_runs_own_files(collection, folder):
    """Runs that are there in TREC's format too give the same ranks and judgments either way."""
    paths = [folder / "runs" / f"{name}.gz" for name in collection.systems]
    expected = read_collection(paths, folder / "qrels-rnd1.txt.gz", score_precision="float32")
    assert expected.systems == collection.systems
    for name in ("offsets", "ranks", "judgments", "n_retrieved", "levels", "document_ids"):
        np.testing.assert_array_equal(getattr(collection, name), getattr(expected, name))


def test_scores_of_trec_eval(collection, folder):
    """The scores are those of trec_eval on every topic."""
    table = pd.read_csv(folder / "per_topic_trec_eval.csv.gz", dtype={"topic": str}).set_index(["run", "topic"])
    scores = score(collection, list(TREC_EVAL))
    for metric, column in TREC_EVAL.items():
        found = scores.sel(metric=metric).to_series()
        np.testing.assert_allclose(found, table[column].reindex(found.index), rtol=0, atol=1e-5)


def test_every_metric_is_known(example, collection):
    """The twelve metrics of the example are twelve different ones, with scores within 0 and 1."""
    scores = score(collection, example["METRICS"])
    assert scores.shape == (12, 3, 30)
    assert 0 <= float(scores.min()) <= float(scores.max()) <= 1


def test_teams_and_pooled_runs(collection):
    """Groups are the teams of the leaderboard, pooled are the runs that contributed judgments."""
    teams = dict(zip(collection.systems, collection.groups, strict=True))
    pooled = dict(zip(collection.systems, collection.pooled.tolist(), strict=True))
    assert teams == {"BERT": "THUMSR", "run1": "GUIR_S2", "udel_fang_run3": "udel_fang"}
    assert pooled == {"BERT": True, "run1": True, "udel_fang_run3": False}


def test_report(example, tmp_path, monkeypatch, capsys):
    """A folder of made-up files of the same layout becomes a report with its collection and recall curves."""
    rng = np.random.default_rng(1)
    documents = np.array([f"d{number}" for number in range(30)])
    rankings = [
        f"{run}\t{topic}\t{' '.join(rng.permutation(documents)[:20])}\n" for run in "abc" for topic in range(1, 7)
    ]
    qrels = [f"{topic} 0.5  {name} {rng.integers(3)}\n" for topic in range(1, 7) for name in documents[:25]]
    with lzma.open(tmp_path / "rankings.tsv.xz", "wt") as file:
        file.writelines(["run\ttopic\tdocnos\n", *rankings])
    with gzip.open(tmp_path / "qrels-rnd1.txt.gz", "wt") as file:
        file.writelines(qrels)
    (tmp_path / "leaderboard.csv").write_text("run,team,contributed judgments\na,x,yes\nb,x,no\nc,y,no\n")
    out = tmp_path / "report"
    monkeypatch.setitem(example["main"].__globals__, "METRICS", ("AP'", "RR"))  # every metric draws its own figures
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(tmp_path), "--out", str(out), "--intervals", "0"])
    example["main"]()
    assert capsys.readouterr().out == f"open {out / 'index.html'}\n"
    overview = pd.read_csv(out / "tables" / "collection.csv", index_col=0).iloc[:, 0]
    assert overview[["runs", "groups", "pooled runs", "topics"]].tolist() == [3, 2, 1, 6]
    assert (out / "tables" / "precision-recall.csv").exists()
    powers = pd.read_csv(out / "tables" / "discriminative_power.csv")
    assert powers["metric"].unique().tolist() == ["AP(judged_only=True)", "RR"]
