"""Which grades matter? The audit of docs/do-we-need-the-grades.md, on DL19 and on all of TREC-COVID round 1.

    python examples/quantisation_audit.py FOLDER [--out audit] [--overwrite] [--seed 0]

FOLDER holds two collections in folders of their own:

- ``trec-dl19-passage/``: ``runs/`` and one file of judgments, ``qrels*``, in TREC's formats;
- ``trec-covid-r1/``: ``rankings.tsv.xz`` (a line per run and topic), ``qrels-rnd1.txt.gz`` and ``leaderboard.csv``, as
  ``examples/trec_covid_rankings.py`` reads them.

Prints tables in the form of Tables 3 and 4 of Ogilvie and Lalmas (2006): precision, recall and F1 of the significant
pairs of systems, predictors in the rows and truths in the columns. With ``--out`` each collection gets a report, with
figures in the form of their Figure 1.
"""

import argparse
import warnings
from pathlib import Path

import pandas as pd
from trec_covid_rankings import trec_covid_collection

from metaeval.collection.documents import Collection
from metaeval.io.trec import read_collection
from metaeval.questions.agree.page_findings import answer_sentence, label, more_sentences
from metaeval.questions.agree.study import AgreeStudy, audit_quantisations

METRICS = "AP,nDCG@10,Q,RBP(p=0.8),ERR"


def read_collections(folder: Path) -> dict[str, Collection]:
    """Return both collections by name."""
    passages = folder / "trec-dl19-passage"
    (judged,) = passages.glob("qrels*")
    return {
        "DL19": read_collection([passages / "runs"], judged),
        "TREC-COVID": trec_covid_collection(folder / "trec-covid-r1"),
    }


def markdown(study: AgreeStudy, base: str) -> str:
    """Return precision, recall and F1 of one metric's uses of the grades as one Markdown table."""
    members = list(study.groups()[base])
    names = [label(study, name, within=True) for name in members]
    lines = [f"| {base} | finds | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    shares = study.shares().set_index("metric")["share"]
    for measure, title in (("precision", "P"), ("recall", "R"), ("f1", "F1")):
        matrix = study.lead.matrix(measure).loc[members, members]
        for name, (metric, row) in zip(names, matrix.iterrows(), strict=True):
            cells = " | ".join(f"{value:.2f}" for value in row)
            lines.append(f"| {title} of {name} | {100 * shares[str(metric)]:.0f} % | {cells} |")
    return "\n".join(lines)


def grades(study: AgreeStudy) -> str:
    """Return what each boundary between grades is worth as a Markdown table."""
    lines = ["| metric | blind to | F1 | 95 % interval | findings kept | conflicts |", "|---|---|---|---|---|---|"]
    for row in study.grades().to_dict("records"):
        interval = f"{row['f1_low']:.2f} to {row['f1_high']:.2f}"
        kept = f"{100 * row['recall']:.0f} %"
        cells = (row["base"], row["boundary"], f"{row['f1']:.2f}", interval, kept, str(row["n_conflicts"]))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def metrics_table(study: AgreeStudy) -> str:
    """Return F1, conflicts and tau between the metrics themselves, each with the grades as it usually takes them."""
    members = [study.reference(base) for base in study.groups()]
    rows = []
    for place, first in enumerate(members):
        for second in members[place + 1 :]:
            values = {name: study.lead.matrix(name).loc[second, first] for name in ("f1", "n_conflicts", "tau")}
            rows.append({"metrics": f"{first} and {second}"} | values)
    frame = pd.DataFrame(rows).sort_values("f1", kind="stable")
    lines = ["| metrics | F1 | conflicts | τ |", "|---|---|---|---|"]
    lines += [f"| {r.metrics} | {r.f1:.2f} | {r.n_conflicts:.0f} | {r.tau:.2f} |" for r in frame.itertuples()]
    return "\n".join(lines)


def main() -> None:
    """Print the tables of both collections and write their reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="write a report of each collection in here")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tied scores of runs; the reports of the commands say so
        collections = read_collections(arguments.folder)
    for name, collection in collections.items():
        study = audit_quantisations(collection, METRICS, rng=arguments.seed)
        sizes = study.scores.sizes
        print(f"\n# {name}: {sizes['system']} runs, {sizes['topic']} topics, {study.lead.n_pairs} pairs\n")
        for base, members in study.groups().items():
            if len(members) > 1:
                print(markdown(study, base), end="\n\n")
        print(grades(study), metrics_table(study), answer_sentence(study), *more_sentences(study), sep="\n\n")
        if arguments.out is not None:
            study.report().save(arguments.out / name, overwrite=arguments.overwrite)


if __name__ == "__main__":
    main()
