"""Time five quantisations times four measures on made data as large as INEX 2005: 55 runs, 34 topics, 1500 elements.

    python benchmarks/speed_focused.py

The simulated articles have 60 elements each in sections, subsections and paragraphs; half a topic's assessed articles
hold highlighted text; runs draw their results from 400 articles a topic, the better ones more often from relevant ones.
"""

import os
import time

import numpy as np
import pandas as pd

from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.metrics import metric_values, resolve_metrics, score
from metaeval.running.parallel import allowed_threads

N_RUNS, N_TOPICS, LENGTH, N_ARTICLES, N_ASSESSED = 55, 34, 1500, 400, 120
QUANTISATIONS = ("Strict5", "Gen5", "GenLifted", "FullySpec", "BinExh")
MEASURES = ("nxCG(quant={})@25", "MAnxCG(quant={})@50", "MAep(quant={})", "iMAep(quant={})")


def article() -> pd.DataFrame:
    """Make the tree that all articles share: a body of 5 sections with 2 subsections of 4 paragraphs each."""
    paths, sizes = ["/article[1]", "/article[1]/bdy[1]"], [16_500, 16_000]
    for section in range(1, 6):
        for part in range(3):
            around = f"/article[1]/bdy[1]/sec[{section}]" + f"/ss1[{part}]" * (part > 0)
            paths.append(around)
            sizes.append(3000 if part == 0 else 1400)
            paths += [f"{around}/p[{number}]" for number in range(1, 5 if part else 3)]
            sizes += [300] * (4 if part else 2)
    return pd.DataFrame({"path": paths, "size": sizes})


def assessments(rng: np.random.Generator) -> Assessments:
    """Highlight whole paragraphs of half the assessed articles and count upwards."""
    tree = article()
    leaves = tree["path"].str.contains(r"/p\[").to_numpy()
    inside = np.array([[own.startswith(path + "/") or own == path for own in tree["path"]] for path in tree["path"]])
    documents, elements = [], []
    for topic in range(N_TOPICS):
        for number in range(N_ASSESSED):
            place = {"topic": str(topic), "document": f"co/{number:04d}"}
            marked = np.where(leaves & (rng.random(len(tree)) < 0.3 * (number % 2)), tree["size"], 0)
            relevant = inside @ marked
            documents.append({**place, "relevant_size": int(relevant[0]), "size": int(tree["size"][0])})
            found = tree[relevant > 0].assign(**place, relevant_size=relevant[relevant > 0])
            levels = np.where(found["path"].str.contains(r"/p\["), rng.choice([-1, 1, 2], len(found)), 2)
            elements.append(found.assign(exhaustivity=levels))
    table = pd.concat(elements, ignore_index=True)
    table["specificity"] = table["relevant_size"] / table["size"]
    return Assessments(scale="2005", documents=pd.DataFrame(documents), elements=table)


def submissions(rng: np.random.Generator) -> list[Submission]:
    """Draw results; the quality of a run is how much it prefers assessed articles."""
    paths = article()["path"].to_numpy(dtype=object)
    names = np.array([f"co/{number:04d}" for number in range(N_ARTICLES)], dtype=object)
    made = []
    for run in range(N_RUNS):
        weights = np.repeat(np.where(np.arange(N_ARTICLES) < N_ASSESSED, 1 + run / 10, 1.0), len(paths))
        weights /= weights.sum()
        drawn = np.concatenate([rng.choice(len(weights), LENGTH, replace=False, p=weights) for _ in range(N_TOPICS)])
        table = pd.DataFrame({"document": names[drawn // len(paths)], "path": paths[drawn % len(paths)]})
        table["topic"] = np.repeat([str(topic) for topic in range(N_TOPICS)], LENGTH)
        made.append(Submission(run=f"run{run:02d}", results=table))
    return made


def main() -> None:
    """Print seconds."""
    rng = np.random.default_rng(0)
    judged, runs = assessments(rng), submissions(rng)
    names = [measure.format(quant) for quant in QUANTISATIONS for measure in MEASURES]
    print(
        f"{N_RUNS} runs, {N_TOPICS} topics, {LENGTH} results; {len(judged.elements)} assessed elements; "
        f"{allowed_threads()} threads, load {os.getloadavg()[0]:.1f}"
    )
    start = time.perf_counter()
    small = [Submission(run=one.run, results=one.results.groupby("topic").head(5)) for one in runs[:2]]
    score(element_collection(small, judged), names)
    print(f"first use (compiling or loading kernels)  {time.perf_counter() - start:6.2f} s")
    start = time.perf_counter()
    collection = element_collection(runs, judged)
    print(f"element_collection                        {time.perf_counter() - start:6.2f} s")
    chosen = resolve_metrics(names)
    start = time.perf_counter()
    values = metric_values(collection, chosen)
    seconds = time.perf_counter() - start
    print(f"{len(names)} metrics                                {seconds:6.2f} s   (limit 20 s)")
    for measure in MEASURES:
        start = time.perf_counter()
        metric_values(collection, [measure.format("Gen5")])
        print(f"  {measure.format('Gen5'):38s}  {time.perf_counter() - start:6.2f} s")
    assert np.isfinite(values).all()


if __name__ == "__main__":
    main()
