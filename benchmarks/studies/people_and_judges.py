"""Metrics against people, and judges against each other, on public data: the figures that the documentation quotes.

    python benchmarks/studies/people_and_judges.py DATA [--out benchmarks/reports/people-and-judges.md]

DATA is the folder with ``wmt20-metrics``, ``realsumm``, ``llmjudge-dl23`` and ``nyt-core17-assessors``.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.agreement.human import human_agreement, pair_agreement
from metaeval.agreement.human_statistics import system_statistics
from metaeval.agreement.items import item_scores
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.agreement.williams import williams_table
from metaeval.io.labels import read_labels

PAIRS = ("de-en", "en-de", "zh-en")
FILLER = 0.12
GRADES = {"not_relevant": 0, "relevant": 1, "highly_relevant": 2}


def table(frame: pd.DataFrame) -> list[str]:
    """Return a frame as lines of Markdown."""
    head = [f"| {' | '.join(map(str, frame.columns))} |", f"|{'---|' * frame.shape[1]}"]
    return [*head, *(f"| {' | '.join(map(str, row))} |" for row in frame.to_numpy().tolist()), ""]


def system_scores(folder: Path, name: str) -> pd.DataFrame:
    """Read a table of one row a system, people left out."""
    frame = pd.read_csv(folder / name, sep=None, engine="python").drop(columns="LP")
    return frame[~frame["SYSTEM"].str.contains("Human")].set_index("SYSTEM")


def wmt_systems(data: Path) -> Iterator[str]:
    """Compare published correlations and Williams tests with ours, three pairs of languages."""
    folder = data / "wmt20-metrics" / "system-level"
    outliers = json.loads((data / "wmt20-metrics" / "outlier_systems.json").read_text())
    rows = []
    for pair in PAIRS:
        short = pair.replace("-", "")
        scores = system_scores(folder, f"DA-newstest2020-{short}-sys-scores.csv")
        cor = pd.read_csv(folder / "published" / f"DA-{short}-cor.csv", sep="\t", index_col=0)["Kendall"]
        pearson = pd.read_csv(folder / "published" / f"DA-{short}-cor-excloutl.csv", sep="\t", index_col=0)["Pearson"]
        ours = system_statistics(scores, reference="HUMAN", statistic="kendall")["value"]
        kept = scores.drop(index=[name for name in outliers[pair] if name in scores.index])
        without = system_statistics(kept, reference="HUMAN", statistic="pearson")["value"]
        printed = pd.read_csv(folder / "published" / f"DA-{short}-sig.csv", sep="\t", index_col=0)
        printed = printed.stack()  # noqa: PD013 - a Series by both names is what is compared
        printed = printed[printed.notna() & (printed != FILLER)]
        found = (
            williams_table(scores, reference="HUMAN").set_index(["metric_a", "metric_b"])["p"].reindex(printed.index)
        )
        both = williams_table(scores, reference="HUMAN", alternative="two-sided", correction="fdr_by")
        rows.append(
            {
                "pair": pair,
                "metrics": len(cor),
                "largest difference of tau": f"{np.abs(ours.loc[cor.index] - cor).max():.0e}",
                "of r without outliers": f"{np.abs(without.loc[pearson.index] - pearson).max():.0e}",
                "p-values printed": len(printed),
                "largest difference of p": f"{np.nanmax(np.abs(found - printed)):.0e}",
                "pairs of metrics": len(both),
                "p <= .05, two-sided": int((both["p"] <= 0.05).sum()),
                "after Benjamini-Yekutieli": int((both["p_corrected"] <= 0.05).sum()),
            }
        )
    yield "## WMT20, systems"
    yield ""
    yield from table(pd.DataFrame(rows))


def wmt_documents(data: Path) -> Iterator[str]:
    """Compare the agreement on documents, and tell which metrics differ by permutation."""
    folder = data / "wmt20-metrics" / "doc-level"
    rows = []
    for pair in ("de-en", "zh-en"):
        human = pd.read_csv(folder / f"human_{pair}.csv.gz").rename(columns={"SYS": "system", "DOC": "doc"})
        joined = human[["system", "doc", "RAW.SCR"]].merge(
            pd.read_csv(folder / f"metrics_{pair}.csv.gz"), on=["system", "doc"], how="left"
        )
        joined = joined[~joined["system"].str.contains("Human")]
        scores = item_scores(joined, reference="RAW.SCR", item="doc")
        found = pair_agreement(scores, min_difference=25)
        name = f"allsys_RR-newstest2020-{pair.replace('-', '')}-cor.csv"
        printed = pd.read_csv(folder / "published" / name, sep=r"\s+", header=None, index_col=0)[1]
        printed.index = printed.index.str.replace("_DASH_", "-").str.replace("_PLUS_", "+")
        compared = compare_with_human(scores, statistic="pearson", n_resamples=999, rng=0)
        best = human_agreement(scores, statistic="pearson", n_resamples=1000, rng=0).table
        lead = best.iloc[0]
        beaten = compared.wins().loc[lead["metric"], "better_than"]
        rows.append(
            {
                "pair": pair,
                "pairs 25 points apart": int(found["pairs"].iloc[0]),
                "metrics": len(printed),
                "largest difference of tau": f"{np.abs(found.loc[printed.index, 'tau'] - printed).max():.0e}",
                "best over systems": f"{lead['metric']} {lead['value']:.3f} ({lead['low']:.3f} to {lead['high']:.3f})",
                "significantly better than": f"{beaten} of {len(best) - 1}",
                "significant pairs, permutation": f"{int((compared.table['p_corrected'] <= 0.05).sum())} of "
                f"{len(compared.table)}",
            }
        )
    yield "## WMT20, documents"
    yield ""
    yield from table(pd.DataFrame(rows))
    yield ""
    yield (
        "One pair of each language is 25 points apart on paper and a last bit less in the published program (49.8 and "
        "24.8, say): it counts here, and makes the difference of tau; without it that is 5e-05, the rounding of print."
    )


def realsumm(data: Path) -> Iterator[str]:
    """Tell how closely metrics of summaries follow people, with intervals."""
    frame = pd.read_csv(data / "realsumm" / "scores.csv.gz")
    yield "## RealSumm: Kendall's tau with LitePyramid recall"
    yield ""
    for part in ("abs", "ext"):
        own = frame[frame["set"] == part].drop(columns="set")
        scores = item_scores(own, reference="litepyramid_recall", item="doc")
        columns = {}
        for level in ("system", "item"):
            found = human_agreement(scores, statistic="kendall", level=level, n_resamples=1000, rng=0).table
            columns[level] = found.set_index("metric").apply(
                lambda row: f"{row['value']:.3f} ({row['low']:.3f} to {row['high']:.3f})", axis=1
            )
        shown = (
            pd.DataFrame(columns)
            .reset_index()
            .rename(
                columns={
                    "metric": f"{part}, {scores.sizes['system']} systems",
                    "system": "over systems",
                    "item": "on items",
                }
            )
        )
        yield from table(shown.sort_values("over systems", ascending=False))


def judges(data: Path) -> Iterator[str]:
    """Tell how far automatic judges agree with the human one, and with each other."""
    frame = pd.read_csv(data / "llmjudge-dl23" / "judgments.csv.gz").set_index(["qid", "pid"])
    labels = as_labels(frame, scale=range(4), outside="drop")
    found = compare_labels(labels, reference="human", rel=2, n_resamples=1000, rng=0)
    pairs = found.pairs.sort_values("kappa", ascending=False)
    names = ("same", "kappa", "quadratic_kappa", "overlap", "bias")
    shown = pairs.assign(
        **{
            name: [
                f"{value:.2f} ({low:.2f} to {high:.2f})"
                for value, low, high in pairs[[name, f"{name}_low", f"{name}_high"]].to_numpy()
            ]
            for name in names
        }
    )[["second", *names]].rename(columns={"second": "judge"})
    off = labels.outside.groupby("judge")["label"].apply(lambda part: ", ".join(f"{x:g}" for x in part))
    alpha = found.alpha.set_index("level").loc["ordinal"]
    yield "## LLMJudge, TREC DL 2023: 33 automatic judges against the human one"
    yield ""
    yield f"Labels off the scale 0 to 3: {'; '.join(f'{name}: {values}' for name, values in off.items())}."
    yield ""
    same = [
        f"{a} = {b} ({share:.3f})" for a, b, share in found.nearly_the_same()[["first", "second", "same"]].to_numpy()
    ]
    yield f"The same label on 95 % of the passages or more: {'; '.join(same)}."
    yield ""
    yield (
        f"Krippendorff's alpha (ordinal) over all 34: {alpha['alpha']:.3f} ({alpha['low']:.3f} to "
        f"{alpha['high']:.3f}). Relevant is grade 2 or more."
    )
    yield ""
    yield from table(shown)


def crowd(data: Path) -> Iterator[str]:
    """Tell how far reviewers and crowd workers agree on 120 documents."""
    folder = data / "nyt-core17-assessors"
    reviewers = pd.read_csv(folder / "reviewers.csv", dtype={"topic": str, "document_id": str})
    rows = []
    index = ["topic", "document_id"]
    for column in ("relevance", "new_relevance"):
        wide = reviewers.assign(label=reviewers[column].map(GRADES)).pivot_table(
            index=index, columns="judge", values="label"
        )
        wide["nist"] = reviewers.groupby(index)["nist_rel"].first()
        rows.append((f"3 reviewers and NIST, {column}", compare_labels(as_labels(wide), rng=0)))
    for name in ("3P-Doc-High", "3P-Doc-NoHigh", "2P-Doc-High", "2P-Doc-NoHigh"):
        labels = read_labels(folder / "crowd.csv.gz", words=GRADES, where={"experiment": name})
        rows.append((f"crowd, {name}, {labels.shape[1]} workers", compare_labels(as_labels(labels), rng=0)))
    frame = pd.DataFrame(
        [
            {
                "labels": name,
                "pairs": len(found.pairs),
                "same label": f"{found.pairs['same'].mean():.2f}",
                "overlap": f"{found.pairs['overlap'].mean():.2f}",
                **{
                    f"alpha, {level}": f"{row['alpha']:.3f} ({row['low']:.3f} to {row['high']:.3f})"
                    for level, row in found.alpha.set_index("level").loc[["nominal", "ordinal"]].iterrows()
                },
            }
            for name, found in rows
        ]
    )
    yield "## New York Times, Core 2017: 120 documents"
    yield ""
    yield from table(frame)


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "reports" / "people-and-judges.md")
    options = parser.parse_args()
    made = "Made by `python benchmarks/studies/people_and_judges.py DATA`, seed 0. Intervals are 95 % and over items (metrics)"
    lines = ["# Metrics against people, and judges against each other", "", f"{made} or topics (judges).", ""]
    for part in (wmt_systems, wmt_documents, realsumm, judges, crowd):
        lines += part(options.data)
    options.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
