"""Printed numbers and other software's numbers: the worked example, runs of TREC, the leaderboard, NTCIREVAL."""

import csv
import gzip
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.metrics import metric_values, resolve_metrics, score

pytestmark = pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}")

WORKED_EXAMPLE = {
    # measure: original list, condensed list
    "AP": (0.349206, 0.440476),
    "Q": (0.373214, 0.433929),
    "nDCG(a=2)": (0.578302, 0.632313),
    "nDCG": (0.656547, 0.696943),
    "bpref": (0.489796, 0.489796),
    "RBP(p=0.8)": (0.289009, 0.332779),
}


@pytest.mark.parametrize("name", WORKED_EXAMPLE)
def test_the_worked_example_comes_out(name):
    """One topic with 1, 2 and 4 documents at levels 3, 2 and 1 and 12 non-relevant; ranking 3 - 0 1 - 2 0 - 1 0."""
    qrels = {"h": 3, "m1": 2, "m2": 2, "l1": 1, "l2": 1, "l3": 1, "l4": 1, **{f"n{i}": 0 for i in range(12)}}
    ranking = ["h", "u1", "n0", "l1", "u2", "m1", "n1", "u3", "l2", "n2"]
    collection = collection_from_rankings({"run": {"1": ranking}}, {"1": qrels})
    condensed = name.replace("(", "(judged_only=True, ") if "(" in name else name + "'"
    values = metric_values(collection, [name, condensed]).ravel()
    assert values.round(6).tolist() == list(WORKED_EXAMPLE[name])


DL19 = {
    "map": "AP", "ndcg_cut_10": "nDCG@10", "ndcg": "nDCG", "P_10": "P@10", "bpref": "bpref", "recip_rank": "RR",
    "map_rel2": "AP(rel=2)", "P_10_rel2": "P(rel=2)@10", "bpref_rel2": "bpref(rel=2)", "recip_rank_rel2": "RR(rel=2)",
}  # fmt: skip
COVID = {
    "map": "AP", "ndcg_cut_10": "nDCG@10", "ndcg": "nDCG", "P_5": "P@5", "P_10": "P@10", "bpref": "bpref",
    "recip_rank": "RR", "Rprec": "Rprec",
}  # fmt: skip


def differing_cells(collection, file, columns, tolerance=1e-5):
    """Compare every run, topic and column with trec_eval's per-topic values; return the cells that differ."""
    scores = score(collection, list(columns.values()))
    table = pd.read_csv(file, dtype={"topic": str})
    assert set(scores["topic"].to_numpy()) == set(table["topic"])
    assert set(collection.systems) <= set(table["run"])
    found = set()
    for column, name in columns.items():
        series = table.set_index(["run", "topic"])[column]
        expected = series.unstack("topic").loc[list(collection.systems), scores["topic"].to_numpy()].to_numpy()  # noqa: PD010
        assert np.isfinite(expected).all()
        wrong = ~(np.abs(scores.sel(metric=name).to_numpy() - expected) <= tolerance)
        found |= {
            (collection.systems[row], str(scores["topic"].to_numpy()[place]), column)
            for row, place in np.argwhere(wrong)
        }
    return found


def test_every_cell_of_dl19_equals_trec_eval(data_folder):
    """37 runs x 43 topics x 10 columns, scores compared as 32-bit floats as trec_eval 9 does."""
    folder = data_folder / "trec-dl19-passage"
    collection = read_collection(folder / "runs", folder / "qrels.txt.gz", score_precision="float32")
    assert (collection.n_systems, collection.n_topics) == (37, 43)
    assert differing_cells(collection, folder / "per_topic_trec_eval.csv.gz", DL19) == set()


def test_double_precision_changes_three_cells_of_dl19(data_folder):
    """TUA1-1 gives two documents of topic 148538 the scores 11.993696926 and 11.993697637: equal as 32-bit floats."""
    folder = data_folder / "trec-dl19-passage"
    collection = read_collection(folder / "runs", folder / "qrels.txt.gz")
    assert differing_cells(collection, folder / "per_topic_trec_eval.csv.gz", DL19) == {
        ("TUA1-1", "148538", column) for column in ("map", "ndcg", "bpref")
    }


def test_every_cell_of_the_raw_covid_runs_equals_trec_eval(data_folder):
    """12 runs as submitted x 30 topics x 8 columns."""
    folder = data_folder / "trec-covid-r1"
    collection = read_collection(folder / "runs", folder / "qrels-rnd1.txt.gz", score_precision="float32")
    assert (collection.n_systems, collection.n_topics) == (12, 30)
    assert differing_cells(collection, folder / "per_topic_trec_eval.csv.gz", COVID) == set()


def test_double_precision_changes_one_covid_run(data_folder):
    """All scores of the run BERT lie near -0.48204, so 32-bit floats tie many that 64-bit floats tell apart."""
    folder = data_folder / "trec-covid-r1"
    collection = read_collection(folder / "runs", folder / "qrels-rnd1.txt.gz")
    cells = differing_cells(collection, folder / "per_topic_trec_eval.csv.gz", COVID)
    assert {run for run, _, _ in cells} == {"BERT"}
    counts = {column: sum(cell[2] == column for cell in cells) for column in COVID}
    assert {column: count for column, count in counts.items() if count} == {
        "map": 11,
        "ndcg_cut_10": 1,
        "ndcg": 13,
        "bpref": 5,
    }


@pytest.fixture(scope="session")
def covid(data_folder):
    """All 143 runs of TREC-COVID round 1, from the rankings file."""
    folder = data_folder / "trec-covid-r1"
    rankings = {}
    with lzma.open(folder / "rankings.tsv.xz", "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            rankings.setdefault(row["run"], {})[row["topic"]] = row["docnos"].split(" ")
    qrels = {}
    with gzip.open(folder / "qrels-rnd1.txt.gz", "rt") as file:
        for line in file:
            topic, _, document, level = line.split()
            qrels.setdefault(topic, {})[document] = int(level)
    return collection_from_rankings(rankings, qrels)


def test_every_cell_of_all_covid_runs_equals_trec_eval(covid, data_folder):
    """143 runs x 30 topics x 8 columns."""
    file = data_folder / "trec-covid-r1" / "per_topic_trec_eval.csv.gz"
    assert (covid.n_systems, covid.n_topics) == (143, 30)
    assert differing_cells(covid, file, COVID) == set()


def test_the_leaderboard_of_trec_covid_comes_out(covid, data_folder):
    """The published means of all 143 runs, to their four decimals; RBP there takes half the grade as gain."""
    board = pd.read_csv(data_folder / "trec-covid-r1" / "leaderboard.csv", index_col="run")
    published = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5)", "bpref": "bpref", "MAP": "AP"}
    means = score(covid, list(published.values())).mean("topic").to_pandas().T
    assert set(board.index) == set(means.index)
    for column, name in published.items():
        assert np.abs(means[name] - board[column].reindex(means.index)).max() < 0.00005 + 1e-9


def test_ntcireval_gives_the_same_means(data_folder):
    """Q, RBP, ERR, nERR, both nDCG and their primes on six real runs, by pyNTCIREVAL (tests/reference/ntcireval.py)."""
    folder = data_folder / "trec-dl19-passage"
    with (Path(__file__).parents[1] / "reference" / "ntcireval.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    runs = list(dict.fromkeys(row["run"] for row in rows))
    files = [folder / "runs" / f"{name}.xz" for name in runs]
    collection = read_collection(files, folder / "qrels.txt.gz", score_precision="float32")
    assert list(collection.systems) == runs
    names = list(dict.fromkeys(row["measure"] for row in rows))
    canonical = dict(zip(names, [metric.name for metric in resolve_metrics(names)], strict=True))
    means = score(collection, names).mean("topic")
    assert len(rows) == 6 * 20
    for row in rows:
        ours = float(means.sel(system=row["run"], metric=canonical[row["measure"]]))
        assert ours == pytest.approx(float(row["mean"]), abs=1e-9), row
