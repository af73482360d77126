"""Write ntcireval.csv: Q, RBP, ERR and nDCG by pyNTCIREVAL on six runs of TREC 2019 Deep Learning (passages).

Run ``python tests/reference/ntcireval.py FOLDER`` with the folder of real collections, in an environment that has
pyNTCIREVAL 0.0.3 (``pip install pyNTCIREVAL==0.0.3``). Only the runs' means over the 43 topics are kept. A prime
means that the unjudged documents were taken out of the lists before pyNTCIREVAL saw them.
"""

# ruff: noqa: T201, PLC0415 - a script; pytest imports it where pyNTCIREVAL may be absent

import csv
import sys
from pathlib import Path

from metaeval.io.trec import read_collection

LINEAR = [1, 2, 3]
EXPONENTIAL = [1, 3, 7]
RUNS = ("ICT-BERT2", "TUW19-p3-f", "UNH_bm25", "bm25base_p", "idst_bert_p1", "ms_duet_passage")


def measures():
    """Return the measures as functions of a topic's number of documents at each level."""
    from pyNTCIREVAL.metrics import ERR, RBP, MSnDCG, QMeasure, nDCG, nERR

    return {
        "Q": lambda counts: QMeasure(counts, LINEAR, 1.0),
        "Q(beta=10)": lambda counts: QMeasure(counts, LINEAR, 10.0),
        "Q(gains=exponential)": lambda counts: QMeasure(counts, EXPONENTIAL, 1.0),
        "nDCG(a=2)@1000": lambda counts: nDCG(counts, LINEAR, 2, 1000),
        "nDCG(a=10)@1000": lambda counts: nDCG(counts, LINEAR, 10, 1000),
        "nDCG@10": lambda counts: MSnDCG(counts, LINEAR, 10),
        "RBP(p=0.8)": lambda counts: RBP(counts, LINEAR, 0.8),
        "RBP(p=0.95)": lambda counts: RBP(counts, LINEAR, 0.95),
        "ERR": lambda counts: ERR(counts, EXPONENTIAL),
        "nERR@10": lambda counts: nERR(counts, EXPONENTIAL, 10),
    }


def main():
    """Score the six runs and write their means."""
    folder = Path(sys.argv[1]) / "trec-dl19-passage"
    runs = [folder / "runs" / f"{name}.xz" for name in RUNS]
    collection = read_collection(runs, folder / "qrels.txt.gz", score_precision="float32")
    target = Path(__file__).with_suffix(".csv")
    with target.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["run", "measure", "mean"])
        for row, system in enumerate(collection.systems):
            for prime in ("", "'"):
                lists = [
                    ranked(collection, row, column, condensed=bool(prime)) for column in range(collection.n_topics)
                ]
                for name, made in measures().items():
                    mean = sum(made(counts).compute(one) for one, counts in lists) / len(lists)
                    word = name.split("(")[0].split("@")[0]
                    table.writerow([system, word + prime + name[len(word) :], f"{mean:.10f}"])
    print(target)


def ranked(collection, row, column, *, condensed):
    """Return one list as (document, level or None) pairs, and the number of judged documents at each level."""
    number = row * collection.n_topics + column
    part = slice(collection.offsets[number], collection.offsets[number + 1])
    levels = [None] * int(collection.n_retrieved[row, column])
    for rank, place in zip(collection.ranks[part], collection.judgments[part], strict=True):
        levels[rank - 1] = int(collection.levels[place])
    if condensed:
        levels = [level for level in levels if level is not None]
    all_levels = collection.levels[collection.topic_offsets[column] : collection.topic_offsets[column + 1]]
    counts = [int((all_levels == level).sum()) for level in range(4)]
    return [(f"d{place}", level) for place, level in enumerate(levels)], counts


if __name__ == "__main__":
    main()
