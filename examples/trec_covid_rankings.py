"""Report on all 143 runs of TREC-COVID round 1, from a file of rankings that no reader of metaeval knows.

    python examples/trec_covid_rankings.py FOLDER [--out trec-covid-report] [--overwrite] [--intervals 200] [--seed 0]

FOLDER holds three files:

- ``rankings.tsv.xz``: a header, then a line per run and topic: run, topic, documents (best first, blanks between);
- ``qrels-rnd1.txt.gz``: the judgments in TREC's own format;
- ``leaderboard.csv``: per run its ``team`` and whether it ``contributed judgments``.

So it goes with any layout of one's own: make a mapping of run to topic to documents, compile it with the judgments,
and everything after that is the same as for files in TREC's format.
"""

import argparse
import lzma
from collections.abc import Container
from itertools import pairwise
from pathlib import Path

from metaeval.base.provenance import record_provenance
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import Collection
from metaeval.io.folders import check_folder
from metaeval.io.groups import read_groups
from metaeval.io.qrels import read_qrels
from metaeval.metrics import score
from metaeval.questions.power.study import study_power
from metaeval.questions.report.page_collection import collection_sections

METRICS = (
    *("AP", "AP'", "Q", "Q'", "nDCG@10", "nDCG", "nDCG'", "bpref"),
    *("RBP(p=0.8)", "RBP(p=0.95)", "P@10", "RR"),
)
FILES = ("rankings.tsv.xz", "qrels-rnd1.txt.gz", "leaderboard.csv")


def read_rankings(path: Path, *, runs: Container[str] | None = None) -> dict[str, dict[str, list[str]]]:
    """Return per run and topic the documents, best first; of all runs or of those named."""
    rankings: dict[str, dict[str, list[str]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        next(lines)  # the header
        for line in lines:
            run, topic, documents = line.rstrip("\n").split("\t")
            if runs is None or run in runs:
                rankings.setdefault(run, {})[topic] = documents.split()
    return rankings


def read_levels(path: Path) -> dict[str, dict[str, int]]:
    """Return per topic the level of every judged document."""
    judgments = read_qrels(path)
    pairs = list(zip(judgments.document_ids.astype(str).tolist(), judgments.levels.tolist(), strict=True))
    bounds = pairwise(judgments.topic_offsets)
    return {topic: dict(pairs[start:stop]) for topic, (start, stop) in zip(judgments.topics, bounds, strict=True)}


def trec_covid_collection(folder: Path, *, runs: Container[str] | None = None) -> Collection:
    """Compile the runs with their judgments, teams and the mark of those that built the pool."""
    rankings, qrels, leaderboard = (folder / name for name in FILES)
    collection = collection_from_rankings(read_rankings(rankings, runs=runs), read_levels(qrels))
    teams, pooled = (
        read_groups(leaderboard, column=column, systems=collection.systems)
        for column in ("team", "contributed judgments")
    )
    return collection.with_groups(teams, pooled=pooled)


def main() -> None:
    """Read, score, test all pairs and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path("trec-covid-report"))
    parser.add_argument("--overwrite", action="store_true", help="replace an older report")
    parser.add_argument("--intervals", type=int, default=200, help="topic resamples for intervals; 0 leaves them out")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    check_folder(given.out, overwrite=given.overwrite)
    provenance = record_provenance(
        "examples/trec_covid_rankings.py",
        options=vars(given),
        random_source=f"seed {given.seed}",
        inputs=[given.folder / name for name in FILES],
    )
    collection = trec_covid_collection(given.folder)
    study = study_power(
        score(collection, METRICS),
        n_topic_resamples=given.intervals or None,
        rng=given.seed,
        provenance=provenance,
    )
    report = study.report().extended(first=collection_sections(collection))
    print(f"open {report.save(given.out, overwrite=given.overwrite)}")


if __name__ == "__main__":
    main()
