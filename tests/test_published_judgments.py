"""The page on incomplete judgments shows its kept report, and the report is what the data give."""

import gzip
import lzma
import math
import re
import runpy
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from metaeval.collection.documents import CollectionWarning

ROOT = Path(__file__).parents[1]
if not (ROOT / "benchmarks" / "studies").is_dir():
    pytest.skip("needs benchmarks/studies, which a checkout alone has", allow_module_level=True)
REPORT = (ROOT / "benchmarks" / "reports" / "incomplete-judgments.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "published" / "incomplete-judgments.md").read_text("utf-8")
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "studies" / "incomplete_judgments.py"))


@pytest.fixture(scope="module")
def covid(data_folder):
    """TREC-COVID as the script reads it."""
    return SCRIPT["trec_covid"](data_folder, SCRIPT["Setting"]())


def _section(collection, heading):
    """Return the table under a heading of the report, as rows of cells, header first."""
    part = REPORT[REPORT.index(f"\n## {collection}\n") :]
    lines = part[re.search(rf"^### {re.escape(heading)}", part, re.MULTILINE).end() :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    stop = next(number for number, line in enumerate(lines[start:], start) if not line)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:stop]]


def test_the_page_shows_rows_of_the_report():
    """Every row of every table on the page stands in the report, figure by figure."""
    kept = {re.sub(r"\s+", " ", line) for line in REPORT.splitlines()}
    shown = [re.sub(r"\s+", " ", line) for line in PAGE.splitlines() if line.startswith("|")]
    assert len(shown) > 40
    assert [line for line in shown if line not in kept] == []


def test_the_tables_of_trec_covid_are_what_the_script_finds_now(covid):
    """Pool, left-out groups and first ten results come out as kept."""
    for table in ("facts", "left_out_table", "first_ten", "shallow_bias"):
        assert SCRIPT[table](covid) in REPORT, table


def test_the_tables_of_dl19_are_what_the_script_finds_now(data_folder):
    """Pool and left-out groups come out as kept."""
    with pytest.warns(CollectionWarning, match="tied scores"):
        study = SCRIPT["deep_learning"](data_folder, SCRIPT["Setting"]())
    for table in ("facts", "left_out_table"):
        assert SCRIPT[table](study) in REPORT, table


def test_judging_in_order_keeps_the_ranking_by_trec_eval_as_the_report_says(data_folder):
    """DL19, AP, 40 % of the documents in the order of identifiers: tau by rewritten qrels and trec_eval's own code."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    folder = data_folder / "trec-dl19-passage"
    qrels = _qrels(folder / "qrels.txt.gz")
    runs = [_run(path) for path in sorted((folder / "runs").glob("*.xz"))]
    first = {topic: dict(sorted(levels.items())[: _nearest(0.4 * len(levels))]) for topic, levels in qrels.items()}
    full, left = (
        [_mean_ap(pytrec_eval.RelevanceEvaluator(judged, {"map"}, relevance_level=2), run, len(qrels)) for run in runs]
        for judged in (qrels, first)
    )
    head, *rows = _section("DL19", "Judged in the order of identifiers")
    column = next(number for number, name in enumerate(head) if name.startswith("40 %"))
    kept = next(row[column] for row in rows if row[0] == "AP").split()[0]
    assert f"{kendalltau(full, left).statistic:.3f}" == kept


def test_leaving_a_team_out_changes_average_precision_as_the_report_says(data_folder):
    """TREC-COVID, AP on whole and on condensed lists, by pools and scores written out in plain Python."""
    folder = data_folder / "trec-covid-r1"
    board = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    pooled = board.index[board["contributed judgments"].str.strip().str.lower() == "yes"]
    qrels = _qrels(folder / "qrels-rnd1.txt.gz")
    with lzma.open(folder / "rankings.tsv.xz", "rt", encoding="utf-8") as lines:
        next(lines)
        lists = {(run, topic): names.split() for run, topic, names in (line.rstrip("\n").split("\t") for line in lines)}
    found = {"AP": [], "AP'": []}
    for team in sorted(set(board["team"])):
        left = {}
        for topic, levels in qrels.items():
            mine, others = set(), set()
            for run in pooled:
                (mine if board.loc[run, "team"] == team else others).update(lists[run, topic][:7])
            left[topic] = {name: level for name, level in levels.items() if name not in mine - others}
        for run in board.index[board["team"] == team]:
            for metric, changes in found.items():
                condensed = metric == "AP'"
                old, new = (
                    sum(_average_precision(lists[run, topic], judged[topic], condensed=condensed) for topic in qrels)
                    for judged in (qrels, left)
                )
                changes.append(100 * (new - old) / old)
    rows = [row for row in _section("TREC-COVID", "One group left out\n") if row[1] == "depth"]
    kept = {row[0]: row[2] for row in rows}
    assert len(found["AP"]) == 143
    assert {metric: f"{np.mean(changes):+.1f} %" for metric, changes in found.items()} == {
        metric: kept[metric] for metric in found
    }


def _nearest(number):
    return max(1, math.floor(number + 0.5))


def _qrels(path):
    levels = defaultdict(dict)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for topic, _, name, level in map(str.split, lines):
            levels[topic][name] = int(level)
    return levels


def _run(path):
    scores = defaultdict(dict)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for topic, _, name, _, score, _ in map(str.split, lines):
            scores[topic][name] = float(score)
    return scores


def _mean_ap(evaluator, run, n_topics):
    return round(sum(one["map"] for one in evaluator.evaluate(run).values()) / n_topics, 12)


def _average_precision(names, levels, *, condensed):
    listed = [levels[name] for name in names if name in levels] if condensed else [levels.get(n, 0) for n in names]
    total = sum(level > 0 for level in levels.values())
    found = precisions = 0
    for rank, level in enumerate(listed, start=1):
        if level > 0:
            found += 1
            precisions += found / rank
    return precisions / total if total else 0.0
