"""Whether section 3.3 of Ogilvie and Lalmas (2006) holds: four significance tests on halves of the topics.

Run: python benchmarks/studies/comparison_of_tests.py DATA_FOLDER [--resamples 2000] [--inex-resamples 10000] [--threads 1]

They found on the thorough task of INEX 2005, under Benjamini and Yekutieli, that the percentile bootstrap made 8 to
27 % of the errors of the t, Wilcoxon and sign tests and rejected 2 to 64 times as often. The answers for a simulated
campaign of that year and for three public collections are written to benchmarks/reports/.
"""

import argparse
from pathlib import Path

import pandas as pd

from metaeval.inex.elements import element_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import score
from metaeval.resampling.split_halves import split_half
from metaeval.table.scores import as_scores

REPORT = Path(__file__).parents[1] / "reports" / "comparison-of-tests.md"
COLLECTIONS = {"TREC-8": {"AP": "adhoc8_ap", "P@10": "adhoc8_p10"}, "Web 2013": {"ERR@20": "web2013_err20"}}
MEASURES = {
    "Gen5": (
        "MAep(quant=Gen5, task=thorough)",
        "nxCG(quant=Gen5, task=thorough)@10",
        "nxCG(quant=Gen5, task=thorough)@25",
        "nxCG(quant=Gen5, task=thorough)@50",
    ),
    "Strict5": ("MAep(quant=Strict5, task=thorough)",),
}
CAMPAIGN = {"year": 2005, "n_systems": 55, "n_topics": 29, "n_documents": 1000, "n_results": 1500, "task": "thorough"}
PUBLISHED = {
    "MAep(quant=Gen5, task=thorough)": "2.1 (.083 to .14)",
    "MAep(quant=Strict5, task=thorough)": "64 (.23 to .27)",
    "nxCG(quant=Gen5, task=thorough)@10": "20",
    "nxCG(quant=Gen5, task=thorough)@25": "8.8",
    "nxCG(quant=Gen5, task=thorough)@50": "3.7",
}
"""How many times as many pairs the bootstrap rejected as the others on average (and its share of their error rate)."""
READING = """\
The finding has two halves, and one of them holds. **Rejections:** under Benjamini and Yekutieli the percentile
bootstrap rejects more pairs than every other test, on every collection here, and on element measures many more: the
fewer topics, and the more of them on which a strict measure is 0, the wider the gap, up to measures under which the t
test, which needs p-values far below what a dozen topics can give, rejects next to nothing. **Errors:** nowhere does it
err less. On every collection, under every measure, its error rate is higher than that of each of the others, 2.6 to 10
times as high under the correction.

Both have one cause, and it is the bootstrap's level, not its power. It compares with the spread of resampled means,
which lacks both the factor T / (T - 1) of the unbiased variance and the allowance of Student's t for estimating it, so
that at 25 topics a nominal .05 is about .06. Under a correction the gap widens, because p = k/B can be 0, which passes
any correction: with B resamples nothing between 0 and 1/B can be told apart, while the corrected level lies far below
1/B. Uncorrected, the bootstrap rejects 1.02 to 1.3 times as many pairs as the others, and the sign test, which is the
most cautious, mostly errs least. What the simulated campaign says is how the tests treat scores like these; the systems
of 2005 it does not know."""
COLUMNS = ["metric", "test", "rejected", "error_rate", "self_agreement", "rejection_ratio", "error_rate_ratio"]


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown."""
    lines = [
        list(frame.columns),
        ["---"] * len(frame.columns),
        *frame.map(lambda value: "-" if pd.isna(value) else str(value)).to_numpy().tolist(),
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def compared(scores: object, corrections: tuple[str, ...], resamples: int, threads: int | None) -> pd.DataFrame:
    """Return every test under every correction, with the percentile bootstrap above the others in ratios."""
    halves = split_half(
        scores, corrections=corrections, n_resamples=resamples, p_value_rule="plain", rng=0, n_threads=threads
    )
    return halves.to_frame(reference="bootstrap_percentile")


def campaign(resamples: int, threads: int | None) -> list[str]:
    """Return the part on a simulated INEX 2005."""
    made = simulate_inex(**CAMPAIGN, rng=0, published=False)  # type: ignore[arg-type]  # one value for each argument
    collection = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    scores = [score(collection, names) for names in MEASURES.values()]  # apart: other topics hold nothing under strict
    kept = ", ".join(f"{one.sizes['topic']} under {name}" for name, one in zip(MEASURES, scores, strict=True))
    frame = pd.concat([compared(one, ("fdr_by", "none"), resamples, threads) for one in scores])
    others = frame[(frame["correction"] == "fdr_by") & (frame["test"] != "bootstrap_percentile")]
    rows = [
        {
            "measure": name,
            "rejections, paper": PUBLISHED[name],
            "here, against t": f"{part['rejection_ratio'].iloc[0]:.2f}"
            if part["rejected"].iloc[0] >= 0.0005
            else "t rejects next to nothing",
            "Wilcoxon": f"{part['rejection_ratio'].iloc[1]:.2f}",
            "sign": f"{part['rejection_ratio'].iloc[2]:.2f}",
            "error rate over the others'": "{min:.2f} to {max:.2f}".format(
                **part["error_rate_ratio"].agg(["min", "max"])
            ),
        }
        for name, part in others.groupby("metric", sort=False)
    ]
    words = (
        f"55 systems, 29 topics ({kept} have something relevant), the thorough task; B = {resamples}; seed 0. The "
        "first table is under Benjamini and Yekutieli, beside the figures of the paper: how many times as many pairs "
        "the percentile bootstrap rejects (in brackets: its error rate over theirs)."
    )
    parts = ["## Simulated INEX 2005", words, markdown(pd.DataFrame(rows))]
    for correction, part in frame.groupby("correction", sort=False):
        parts += [f"### Correction {correction}", markdown(part[COLUMNS].round(4))]
    return parts


def main() -> None:
    """Write the report and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-matrices/")
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--inex-resamples", type=int, default=10_000)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    parts = [
        "# Which significance test keeps its word?",
        (
            "50 random halvings, one-sided tests in the direction of the better mean, alpha .05, p = k/B as in the "
            "paper. `rejected`: share of pairs rejected on the first half; `error_rate`: share of these whose "
            "difference on the other half is not positive in the same direction; `self_agreement`: share of these "
            "rejected there too; the ratios have the percentile bootstrap above the test of the row."
        ),
        "## Reading",
        READING,
        *campaign(options.inex_resamples, options.threads),
    ]
    for name, files in COLLECTIONS.items():
        tables = {metric: pd.read_csv(options.data / "trec-matrices" / f"{stem}.csv") for metric, stem in files.items()}
        frame = compared(as_scores(tables), ("none", "fdr_by"), options.resamples, options.threads)
        for correction, part in frame.groupby("correction", sort=False):
            parts += [f"## {name}, correction {correction}, B = {options.resamples}", markdown(part[COLUMNS].round(3))]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(REPORT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
