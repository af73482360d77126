# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The power of diversity measures, user models and weightings of nuggets, and what unjudged documents leave open.

Run: python benchmarks/studies/diversity_and_user_models.py DATA_FOLDER [--resamples 200]

Diversity measures on the collection of examples/subtopics.py, whose twins (runs that differ by chance alone) say how
often equal runs are called different; user models on TREC 2019 Deep Learning; nuggets of TREC 2025 DRAGUN, by topics
and as if nuggets were independent. Where cwl-eval and pyndeval are installed, 2,000 random lists are compared.
Written to benchmarks/reports/.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import Collection
from metaeval.collection.subtopics import Subtopics
from metaeval.io.tables import read_scores
from metaeval.io.trec import read_collection
from metaeval.metrics import expectations, metric_values, score
from metaeval.resampling.completions import completion_bounds
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import Scores
from metaeval.table.structure import with_clusters
from metaeval.tests_stat.paired_t import paired_t_test

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from speed_scoring import simulated_collection

REPORT = ROOT / "benchmarks" / "reports" / "diversity-and-user-models.md"
DIVERSITY = [
    *("alpha_DCG@10", "alpha_nDCG@10", "ERR_IA@10", "ERR_IA(max_level=2)@10", "nERR_IA@10", "NRBP", "nNRBP"),
    *("AP_IA", "P_IA@10", "StRecall@10", "D_nDCG@10", "Dsharp_nDCG@10"),
]
USER_MODELS = [
    *("AP", "RR", "P@1", "P@5", "P@10", "P@20", "RBP(p=0.8)", "RBP(p=0.95)", "SDCG@10", "INSQ(T=1)", "INSQ(T=2)"),
    *("INST(T=1)", "INST(T=2)", "BPM(T=1)@20", "NERR8@10", "NERR9@10", "NERR10(p=0.8)", "NERR11(T=2)"),
]
WHOLE = ["alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "StRecall", "D_nDCG", "Dsharp_nDCG"]
"""The same without a cut-off, whose time is measured."""
N_LISTS, N_SUBTOPICS, N_TIMES = 2000, 5, 7


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def power(scores: Scores, n_resamples: int) -> pd.DataFrame:
    """Return the share of significant pairs under Benjamini and Yekutieli, with its interval, most first."""
    found = discriminative_power_interval(
        scores, test="t", corrections=["fdr_by"], n_topic_resamples=n_resamples, rng=0
    ).to_frame()
    counts = paired_t_test(scores, correction="fdr_by").discriminative_power().set_index("metric")
    found = (
        found.set_index("metric")
        .join(counts[["n_significant", "n_pairs"]])
        .sort_values("n_significant", ascending=False)
    )
    return pd.DataFrame(
        {
            "measure": found.index,
            "pairs": [f"{row.n_significant}/{row.n_pairs}" for row in found.itertuples()],
            "power": [f"{row.n_significant / row.n_pairs:.1%}" for row in found.itertuples()],
            "95 % interval": [f"{row.low:.1%} to {row.high:.1%}" for row in found.itertuples()],
        }
    )


def simulated() -> Collection:
    """Return the simulated collection, whose runs are known to differ, or to differ by chance alone."""
    sys.path.insert(0, str(ROOT / "examples"))
    from subtopics import write_collection

    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder))
        return read_collection(Path(folder, "runs"), Path(folder, "qrels.txt"))


def known_truth(scores: Scores, n_resamples: int) -> str:
    """Return the table of power on the simulated collection, with what is known of its runs."""
    table = power(scores, n_resamples)
    plain = paired_t_test(scores, correction="none")
    pairs = pd.DataFrame({name: plain.data[f"system_{name}"].to_numpy() for name in "ab"})
    parts = {name: pairs[name].str.split("-", expand=True) for name in "ab"}
    twins = (parts["a"][[0, 1]] == parts["b"][[0, 1]]).all(axis=1).to_numpy()
    styles = ((parts["a"][0] == parts["b"][0]) & ~twins).to_numpy()
    significant, difference = plain.data["significant"].to_numpy(), plain.data["difference"].to_numpy()
    sign = np.where(parts["a"][1] == "new", 1, -1)
    better, worse = (significant & (side * sign * difference > 0) & styles for side in (1, -1))
    for name, found, kept in (
        ("twins", significant & twins, twins),
        ("new above old", better, styles),
        ("new below old", worse, styles),
    ):
        shown = dict(zip(plain.metrics, found.sum(axis=1).tolist(), strict=True))
        table[name] = [f"{shown[metric]}/{kept.sum()}" for metric in table["measure"]]
    return markdown(table)


def compared(name: str, check: Callable[[np.random.Generator], float]) -> str:
    """Say how far values are apart from those of another program, or that it is not installed."""
    if find_spec(name) is None:
        return f"- {name}: not installed."
    return f"- {name}: {N_LISTS:,} random lists, largest difference {check(np.random.default_rng(7)):.1e}."


def _from_cwl(generator: np.random.Generator) -> float:
    from cwl.ruler import cwl_ruler as theirs
    from cwl.ruler.ranking import Ranking

    models = {
        "SDCG@10": theirs.NDCGCWLMetric(10),
        "INSQ(T=2.5)": theirs.INSQCWLMetric(2.5),
        "INST(T=1)": theirs.INSTCWLMetric(1.0),
        "INST(T=2.5)": theirs.INSTCWLMetric(2.5),
        "BPM(T=2)@10": theirs.BPMCWLMetric(2.0, 10),
        "NERR8@10": theirs.NERReq8CWLMetric(10),
        "NERR9@10": theirs.NERReq9CWLMetric(10),
        "NERR10(p=0.8)": theirs.NERReq10CWLMetric(0.8),
        "NERR11(T=2)": theirs.NERReq11CWLMetric(2.0),
        "RBP(p=0.9)": theirs.RBPCWLMetric(0.9),
    }
    rankings, qrels, expected = {}, {}, []
    for number in range(N_LISTS):
        levels = np.where(generator.random(int(generator.integers(1, 40))) < 0.5, 0, generator.integers(0, 5))
        levels = np.where(generator.random(len(levels)) < 0.3, -1, levels)
        ranking = Ranking("t", np.where(levels < 0, np.nan, levels / 4), [np.nan] * len(levels))
        row = []
        for model in models.values():
            model.residuals = True
            model.measure(ranking)
            row.append([model.expected_utility, model.expected_items, model.residual_expected_utility])
        expected.append(row)
        rankings[str(number)] = [f"d{rank}" for rank in range(len(levels))]
        qrels[str(number)] = {f"d{rank}": int(one) for rank, one in enumerate(levels) if one >= 0} | {"top": 4}
    collection = collection_from_rankings({"run": rankings}, qrels)
    own = expectations(collection, [*models])
    apart = np.stack([own.rate[:, 0], own.documents[:, 0], own.residual[:, 0]], axis=2).transpose(1, 0, 2) - np.array(
        expected
    )
    scored = metric_values(collection, [*models])[:, 0].T - np.array(expected)[:, :, 0]
    return float(max(np.abs(apart).max(), np.abs(scored).max()))


def _from_ndeval(generator: np.random.Generator) -> float:
    import pyndeval

    names = {
        "alpha-DCG@10": "alpha_DCG@10",
        "alpha-nDCG@20": "alpha_nDCG@20",
        "ERR-IA@20": "ERR_IA@20",
        "nERR-IA@5": "nERR_IA@5",
        "NRBP": "NRBP",
        "nNRBP": "nNRBP",
        "MAP-IA": "AP_IA",
        "P-IA@5": "P_IA@5",
        "strec@5": "StRecall@5",
    }
    judgments, run = [("0", "1", "x", 1), ("0", "2", "x", 1)], []
    for topic in map(str, range(1, N_LISTS + 1)):
        documents = [f"d{place}" for place in generator.permutation(40)[: generator.integers(1, 25)]]
        drawn = [
            (topic, str(s), one, int(generator.integers(0, 4)))
            for one in documents
            for s in range(generator.integers(1, 6))
        ]
        judgments += [one for one in drawn if generator.random() < 0.6] or [(topic, "1", documents[0], 1)]
        listed = [*documents, "u1", "u2", "u3"]
        order = generator.permutation(len(listed))[: generator.integers(1, len(listed) + 1)].tolist()
        run += [(topic, listed[place], float(-rank)) for rank, place in enumerate(order)]
    found = pyndeval.RelevanceEvaluator(judgments, [*names]).evaluate(run)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "qrels").write_text("".join(f"{' '.join(map(str, one))}\n" for one in judgments))
        (place / "a.run").write_text("".join(f"{topic} Q0 {one} 1 {value} a\n" for topic, one, value in run))
        collection = read_collection(place / "a.run", place / "qrels")
        own = metric_values(collection, [*names.values()])[:, 0]
    apart = [
        own[row, column] - np.nan_to_num(found[topic][name])
        for column, topic in enumerate(collection.topics)
        for row, name in enumerate(names)
        if topic in found
    ]
    return float(np.abs(apart).max())


def times() -> str:
    """Return the table of processor times beside that of nDCG, on 110 runs, 250 topics and 1000 documents each."""
    generator = np.random.default_rng(0)
    made = simulated_collection(110, 250, generator)
    levels = np.minimum(made.levels, 2)
    about = (generator.random((made.n_judgments, N_SUBTOPICS)) < 1 / 3) & (levels > 0)[:, None]
    about[levels > 0, 0] |= ~about[levels > 0].any(axis=1)
    judgments, codes = np.nonzero(about)
    names = tuple(str(number) for number in range(N_SUBTOPICS)) * made.n_topics
    subtopics = Subtopics(
        names=names,
        topic_offsets=np.arange(made.n_topics + 1) * N_SUBTOPICS,
        weights=np.ones(len(names)),
        offsets=np.concatenate([[0], np.cumsum(about.sum(axis=1))]),
        codes=codes,
        levels=levels[judgments],
    )
    made = replace(made, levels=levels, full_levels=levels, top_level=2, subtopics=subtopics)
    spent = {}
    with limit_threads(1):
        for name in ("nDCG", *USER_MODELS, *DIVERSITY, *WHOLE):
            metric_values(made, [name])
            spent[name] = min(_processor_time(made, name) for _ in range(N_TIMES))
    frame = pd.DataFrame({"measure": [*spent], "seconds": [*spent.values()]})
    frame["times nDCG"] = (frame["seconds"] / spent["nDCG"]).map("{:.2f}".format)
    return markdown(frame.assign(seconds=frame["seconds"].map("{:.4f}".format)))


def _processor_time(collection: Collection, name: str) -> float:
    start = time.process_time()
    metric_values(collection, [name])
    return time.process_time() - start


def main() -> None:
    """Write the report and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-dl19-passage/ and nuggets/")
    parser.add_argument("--resamples", type=int, default=200, help="topic resamples of the intervals")
    given = parser.parse_args()
    deep = given.data / "trec-dl19-passage"
    collection = read_collection(deep / "runs", deep / "qrels.txt.gz", retrieved="all")
    nuggets = read_scores(given.data / "nuggets" / "auto_report_assessments.csv.xz")
    independent = paired_t_test(with_clusters(nuggets, "ignore"), correction="fdr_by").discriminative_power()
    by_topic = power(nuggets, given.resamples)
    claimed = {row.metric: f"{row.n_significant}/{row.n_pairs} = {row.power:.1%}" for row in independent.itertuples()}
    by_topic["nuggets taken for independent"] = by_topic["measure"].map(claimed)
    bounds = completion_bounds(collection, ["P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "SDCG@10", "INSQ(T=2)"])
    made = simulated()
    novelty = known_truth(score(made, [*DIVERSITY, "nDCG@10", "AP"]), given.resamples)
    readers = known_truth(score(made, USER_MODELS), given.resamples)
    text = f"""# Power of diversity measures, user models and weightings of nuggets

Pairs of systems that differ significantly (paired t, Benjamini–Yekutieli, α = 0.05), and 95 % intervals of their share
over topics, from {given.resamples} topic resamples.

## Diversity measures

Simulated collection of `examples/subtopics.py`: 24 runs, 50 topics of 5 subtopics. The last columns count pairs without
correction. Twins differ by chance alone, so about 5 % of them should differ. New runs avoid what they have shown, old
ones of the same quality do not.

{novelty}

## User models

TREC 2019 Deep Learning, passages: {collection.n_systems} runs, {collection.n_topics} topics. Grades are shares of 3;
`P`, `AP` and `RR` take grade 1 as relevant.

{markdown(power(score(collection, USER_MODELS), given.resamples))}

The simulated collection under the same measures, which take the highest grade of a document (of 2) and know no
subtopics.

{readers}

## Weightings of nuggets

TREC 2025 DRAGUN: 26 runs, 30 topics, 551 nuggets labelled by a model. `all`: support 1, partial support 0.5;
`strict_all`: support alone; `lenient_all`: both 1; `net_all`: a contradiction −1; `contradicted`: share contradicted.

{markdown(by_topic)}

## Findings under every completion of the judgments

The user models collection again. `n_hold`: significant whatever the unjudged documents are.

{markdown(bounds.to_frame().round(4))}

## Time

110 runs, 250 topics, 1000 documents in each list, 400 judgments and {N_SUBTOPICS} subtopics a topic; processor
time on one core, the least of {N_TIMES}.

{times()}

## Equal to other programs

{compared("cwl", _from_cwl)}
{compared("pyndeval", _from_ndeval)}
"""
    REPORT.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
