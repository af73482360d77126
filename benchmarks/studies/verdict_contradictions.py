"""Whether the first sentence of `metaeval compare-metrics` ever contradicts the tables below it.

Halves of the topics of five real collections, and simulated ones with and without runs; a metric in use in two of three
runs, another one each time. What the sentence says is read from its words, what is known from the page's own tables,
and the two are held against each other by rules that share no code with the verdict.

    python benchmarks/studies/verdict_contradictions.py            # writes benchmarks/reports/verdict_contradictions.md
    python benchmarks/studies/verdict_contradictions.py --quick    # a tenth of the runs, to standard output
"""

import argparse
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.metrics.scoring import score
from metaeval.page.report import Report
from metaeval.questions.compare_metrics.study import CompareStudy, study_compare_metrics
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import Scores, as_scores

REPORT = Path(__file__).parents[1] / "reports" / "verdict_contradictions.md"
DATA = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
SEED = 202630
QUICK = {"n_resamples": 100, "n_topic_resamples": 50, "n_choices": 10, "n_replicates": 5}
REAL = {
    "adhoc6": ("ap", "p10", "rr"),
    "web2010": ("ap", "err20", "ndcg20", "p10", "rr"),
    "web2012": ("ap", "err20", "ndcg20", "p10", "rr"),
    "web2013": ("ap", "err20", "ndcg20", "p10", "rr"),
    "web2014": ("ap", "err20", "ndcg20", "p10", "rr"),
}
PAGE = {"power": "power", "topics needed": "topics_median", "robustness to fewer judgments": "tau_half"}
"""Qualities as sentences call them, and where the main table has them."""


def contradictions(study: CompareStudy, report: Report) -> list[str]:
    """Return what the first paragraph says and the tables of the page refute."""
    said, more = report.summary[0], " ".join(report.summary[1:])
    tables = {table.name: table.data if table.data is not None else table.frame for table in report.tables()}
    metrics = tables["metrics"].set_index("metric")
    gaps, systems = (_gaps(tables["power-differences"], of) for of in ("", "systems_"))
    names = list(metrics.index)
    kind, chosen, against = _read(said, names, study.current)
    found = []
    if kind in {"adopt", "keep"}:
        for one in chosen:
            for other in against:
                found += _refuted(said, one, other, metrics, gaps)
                if gaps[one, other][0] > 0 >= systems[one, other][0] and f"over {other}: " not in more:
                    found.append(f"other systems could reverse the powers of {one} and {other}, and it is not said")
    for one, other in gaps:
        if kind != "adopt" and study.current == other and one != other and gaps[one, other][0] > 0:
            found.append(f"{one} has surely more power than {other}, and is not adopted")
    if "comes nearest" in said or "come equally near" in said:
        clear = [one for (one, other), ends in gaps.items() if other == study.current and ends[0] > 0]
        found += [f"{one} has clearly more power" for one in clear]
    best = metrics["power"].idxmax()
    first = report.key_figures.frame["metric"].iloc[0]
    if first != best and metrics["power"].max() > metrics["power"].drop(best).max():
        found.append(f"the highest power is that of {best}")
    return found


def _read(said: str, names: list[str], current: str | None) -> tuple[str, list[str], list[str]]:
    """Return what the first words say: the kind of verdict, of which metrics, against which."""
    if said.startswith(("No reason to change", "No metric is conclusively the best")):
        return "open", [], []
    words = re.match(r"(Adopt|Keep) (.*?): better than ", said)
    if words is None:
        message = f"no verdict could be read from {said!r}"
        raise ValueError(message)
    chosen = [name for name in re.split(r" or ", words[2]) if name in names]
    others = [name for name in names if name not in chosen]
    return words[1].lower(), chosen, [current] if words[1] == "Adopt" and current is not None else others


def _gaps(frame: pd.DataFrame, of: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the interval, over topics or systems, of the first metric's power less the second's, for both orders."""
    found = {}
    for a, b, low, high in frame[["metric_a", "metric_b", f"{of}low", f"{of}high"]].itertuples(index=False):
        found[a, b], found[b, a] = (low, high), (-high, -low)
    return found


def _refuted(
    said: str, one: str, other: str, metrics: pd.DataFrame, gaps: dict[tuple[str, str], tuple[float, float]]
) -> list[str]:
    """Return what refutes that one metric is better than another, and in what the sentence says it is."""
    found = []
    low, high = gaps[one, other]
    if high < 0:
        found.append(f"{one} is less powerful than {other}")
    better = re.search(r": better than .*? in (.*?)(?:, though|, but|\.)", said)
    if better and "power" in re.split(r", | and ", better[1]) and low <= 0:
        found.append(f"the interval of the powers of {one} and {other} holds zero")
    for quality, column in PAGE.items():
        if column in metrics and quality in said and metrics.loc[[one, other], column].notna().all():
            ahead = metrics.loc[one, column] - metrics.loc[other, column]
            if (-ahead if quality == "topics needed" else ahead) < 0:
                found.append(f"{one} is behind {other} in {quality}")
    return found


def studies(n_halves: int, n_simulated: int) -> Iterator[tuple[str, CompareStudy]]:
    """Yield the comparisons, each with the name of its kind."""
    rng = np.random.default_rng(SEED)
    for name, metrics in REAL.items():
        whole = _real(name, metrics)
        for number in range(n_halves):
            half = whole.isel(topic=np.sort(rng.permutation(whole.sizes["topic"])[: whole.sizes["topic"] // 2]))
            systems = np.sort(rng.permutation(half.sizes["system"])[:20])
            yield name, _asked(half.isel(system=systems), number, topics=number % 4 == 0)
    for number in range(n_simulated):
        if number % 4:
            scores = simulate_scores(n_systems=int(rng.integers(6, 24)), n_topics=int(rng.integers(20, 60)), rng=number)
            yield "simulated scores", _asked(scores, number, topics=number % 4 == 1)
        else:
            made = simulate_collection(
                n_groups=4, runs_per_group=2, n_topics=20, n_documents=400, depth=60, rng=number
            ).to_collection()
            scores = score(made, ["AP", "P@10", "RR", "nDCG@10"])
            yield "simulated runs", _asked(scores, number, topics=False, collection=made)


def _real(name: str, metrics: tuple[str, ...]) -> Scores:
    folder = DATA / "trec-matrices"
    files = {metric: folder / f"{name}_{metric}.csv" for metric in metrics}
    frames = [pd.read_csv(path).to_numpy().T for path in files.values()]
    return as_scores(np.stack(frames), metrics=list(files))


def _asked(scores: Scores, number: int, **more: object) -> CompareStudy:
    names = [None, *map(str, scores["metric"].to_numpy())]
    current = names[number % len(names)] if number % 3 else None
    return study_compare_metrics(scores, current=current, rng=number, **QUICK, **more)  # type: ignore[arg-type]


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description="Hold verdicts on metrics against the tables below them.")
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    outcomes: dict[str, Counter[str]] = {}
    wrong = []
    for name, study in studies(2 if quick else 20, 10 if quick else 100):
        report = study.report()
        outcomes.setdefault(name, Counter())[report.summary[0].split()[0]] += 1
        wrong += [
            f"{name}, {study.current or 'none in use'}: {one} ({report.summary[0]})"
            for one in contradictions(study, report)
        ]
    total = Counter[str]()
    for counts in outcomes.values():
        total += counts
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)  # noqa: S607
    lines = [
        "# Contradictions between verdicts on metrics and their tables",
        "",
        (
            f"Made by `python benchmarks/studies/verdict_contradictions.py` at {commit.stdout.strip()}: {sum(total.values())} "
            f"pages, {len(wrong)} contradictions. Real collections: halves of the topics, 20 systems drawn anew."
        ),
        "",
        "| pages of | adopt | keep | no reason, or none conclusively the best |",
        "|---|---:|---:|---:|",
        *(
            f"| {name} | {one['Adopt']} | {one['Keep']} | {one['No']} |"
            for name, one in {**outcomes, "all": total}.items()
        ),
        *(["", "## Contradictions", "", *(f"- {one}" for one in wrong)] if wrong else []),
    ]
    text = "\n".join(lines) + "\n"
    if quick:
        print(text)
    else:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
