"""Do ranks and differences hold with missing scores? Real boards as populations, with the gaps of real boards.

The complete part of a board is the truth. Twenty systems and a number of items are drawn from it, and the gaps of
twenty systems of a real pattern are laid over them: at items drawn apart from the scores, or ("own items") at the items
on which the board itself has them. Intervals of differences and ranks hold the population's values, or not; beside
them stands the same sample without gaps.

    python benchmarks/studies/gap_coverage.py DATA            # writes benchmarks/reports/gap_coverage.md
    python benchmarks/studies/gap_coverage.py DATA --quick    # a tenth of the samples, to standard output
"""

import argparse
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.errors import MetaevalError
from metaeval.io.tables import read_scores
from metaeval.models.missingness import missing_scores
from metaeval.models.probability_of_best import best_system
from metaeval.resampling.ranks import rank_intervals
from metaeval.table.scores import as_scores
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.robust import pair_estimates

REPORT = Path(__file__).parents[1] / "reports" / "gap_coverage.md"
SAMPLES, SYSTEMS, DRAWS = 300, 20, 4000
THIN = 0.3
type Floats = NDArray[np.float64]
type Flags = NDArray[np.bool_]


class Setting(NamedTuple):
    """A population (system, item), a pattern of known cells, and how the two are joined."""

    name: str
    truth: Floats
    known: Flags | float
    n_items: int
    own: bool = False


def settings(folder: Path) -> list[Setting]:
    """Return all settings."""
    boards = folder / "leaderboards"
    alpaca = read_scores(boards / "alpacaeval2_weighted_preferences.csv.gz", missing="pairwise").to_numpy()[0]
    live = read_scores(boards / "livebench_2025-01-13.csv.gz", missing="pairwise").to_numpy()[0]
    tasks = read_scores(folder / "mteb" / "mteb_eng_v2.csv").to_numpy()[0]
    there = np.isfinite(live)
    whole, complete = alpaca[:, np.isfinite(alpaca).all(axis=0)], live[there.all(axis=1)]
    mteb = _gaps_of_mteb(folder / "mteb" / "results-eng-v2.tar.xz")
    return [
        Setting("AlpacaEval", whole, np.isfinite(alpaca), 200),
        Setting("LiveBench", complete, there, 200),
        Setting("LiveBench, own items", complete, there, 200, own=True),
        Setting("MTEB", tasks, mteb, 41),
        Setting("AlpacaEval, gaps of MTEB", whole, mteb, 100),
        Setting("AlpacaEval, 20 % at random", whole, 0.2, 200),
        Setting("LiveBench, 40 % at random", complete, 0.4, 200),
        Setting("MTEB, 30 % at random", tasks, 0.3, 41),
    ]


def _gaps_of_mteb(archive: Path) -> Flags:
    """Return which models have which task, split and subset, of all that any model has."""
    cells = set()
    with tarfile.open(archive) as files:
        for member in files:
            path = Path(member.name)
            if path.suffix == ".json" and path.stem != "model_meta" and (file := files.extractfile(member)):
                scores = json.load(file)["scores"]
                found = ((path.stem, split, one["hf_subset"]) for split, parts in scores.items() for one in parts)
                cells |= {(path.parts[-3], *key) for key in found}
    frame = pd.DataFrame(sorted(cells), columns=["model", "task", "split", "subset"]).assign(there=True)
    wide = frame.pivot_table(index="model", columns=["task", "split", "subset"], values="there", aggfunc="any")
    return wide.notna().to_numpy()


def sample(one: Setting, seed: int) -> dict[str, Any]:
    """Return the figures of one sample; none where its gaps leave systems that nothing joins."""
    generator = np.random.default_rng(seed)
    systems = generator.permutation(len(one.truth))[:SYSTEMS]
    items = generator.integers(one.truth.shape[1], size=one.n_items)
    if isinstance(one.known, float):  # systems lack from none to twice as many
        lacks = generator.permutation(np.linspace(0.0, 2.0 * one.known, SYSTEMS))
        known = generator.random((SYSTEMS, one.n_items)) >= lacks[:, None]
    else:
        rows = generator.permutation(len(one.known))[:SYSTEMS]
        at = items if one.own else generator.integers(one.known.shape[1], size=one.n_items)
        known = one.known[np.ix_(rows, at)]
    whole, means = one.truth[np.ix_(systems, items)], one.truth[systems].mean(axis=1)
    row: dict[str, Any] = {"missing": 1.0 - known.mean()}
    try:
        row |= _figures(np.where(known, whole, np.nan), means, seed, "")
    except MetaevalError:
        return {}
    return row | _figures(whole, means, seed, " whole")


def _figures(seen: Floats, means: Floats, seed: int, of: str) -> dict[str, Any]:
    scores = as_scores(seen, missing="pairwise")
    first, second = np.triu_indices(len(seen), 1)
    true = means[first] - means[second]
    ranks = rank_intervals(scores, n_draws=DRAWS, rng=seed, n_threads=1)
    best = best_system(scores, n_draws=DRAWS, n_resamples=200, rng=seed, n_threads=1)
    data, number = ranks.data, np.isfinite(seen).sum(axis=1)
    apart, error = data["difference"].to_numpy()[0], data["standard_error"].to_numpy()[0]
    fewer = np.minimum(number[first], number[second])
    held = np.abs(apart - true) <= stdtrit(fewer - 1.0, 0.975) * error
    thin = fewer < THIN * seen.shape[1]
    low, high = (data[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
    least, most = 1 + (means > means[:, None]).sum(axis=1), len(means) - (means < means[:, None]).sum(axis=1)
    chance, winner = best.data["p_best"].to_numpy()[0], means == means.max()
    row = {
        "difference": held.mean(),
        "ranks": bool((low <= least).all() and (most <= high).all()),
        "width": (high - low + 1).mean() / len(means),
        "said": chance.max(),
        "true": bool(winner[chance.argmax()]),
        "score": float(np.log((chance[winner].sum() * DRAWS + 0.5) / (DRAWS + 0.5 * len(means)))),
        "error": np.sqrt(np.square(apart - true).mean()),
    }
    row = {name + of: value for name, value in row.items()}
    if of:
        return row
    pairs = pair_estimates(ask(scores, uses={"gaps"}))
    told = np.isfinite(pairs.freedom[0])
    inside = np.abs(pairs.mean[0] - true) <= stdtrit(pairs.certain_freedom[0], 0.975) * pairs.error[0]
    own = np.nanmean(seen, axis=1)
    found = missing_scores(scores).relations().set_index("relation")["p_value"] if np.isnan(seen).any() else pd.Series()
    return row | {
        "thin": held[thin].mean() if thin.any() else np.nan,
        "shared": inside[told].mean(),
        "error shared": np.sqrt(np.square(pairs.mean[0] - true)[told].mean()),
        "error own": np.sqrt(np.square(own[first] - own[second] - true).mean()),
        **{f"alarm {name}": value < 0.05 if np.isfinite(value) else np.nan for name, value in found.items()},
    }


def report(folder: Path, n_samples: int) -> str:
    """Return the report."""
    rows, lines = [], {"held": [], "errors": [], "alarms": []}
    for one in settings(folder):
        found = [sample(one, seed) for seed in range(n_samples)]
        rows = pd.DataFrame([row for row in found if row])
        mean = rows.astype(float).mean()
        mean = mean.reindex(mean.index.union(["thin", "shared", "error shared", "error own"]))

        def cells(*names: str, digits: int = 3, mean: pd.Series = mean) -> str:
            return " | ".join("-" if np.isnan(mean[name]) else f"{mean[name]:.{digits}f}" for name in names)

        start = f"| {one.name} | {one.n_items} | {mean['missing']:.1%} |"
        held = cells("difference", "difference whole", "thin", "shared", "ranks", "ranks whole", "width", "width whole")
        lines["held"].append(f"{start} {len(rows)} | {held} |")
        errors = cells("error own", "error shared", "error", "error whole", digits=4)
        chances = cells("said", "true", "score", "said whole", "true whole", "score whole")
        lines["errors"].append(f"{start} {errors} | {chances} |")
        alarms = cells(*(name for name in ("alarm topics", "alarm systems", "alarm both")))
        lines["alarms"].append(f"{start} {alarms} |")
    return TEXT.format(n=n_samples, systems=SYSTEMS, thin=f"{THIN:.0%}", **{k: "\n".join(v) for k, v in lines.items()})


TEXT = """# Ranks and differences with missing scores

Made by `python benchmarks/studies/gap_coverage.py DATA`. {n} samples a row of {systems} systems from the complete part of a
board, which is the truth, with the gaps of real boards or random ones (systems lack from none to twice the mean).
"Own items": gaps where the board has them, so that they go with the kind of item; all others are apart from the scores.
Nominal level 95%. A mean of n samples of 0 and 1 near .95 has a standard error of .011.

"Difference": share of the intervals of differences between two-way means that hold the true one; "thin": where one of
the two systems has fewer than {thin} of the items; "shared": intervals by the items that both have, with their own
degrees of freedom. "Ranks": share of the samples in which all true ranks lie in their intervals, and mean width of
these as a share of the systems. Beside them the same samples without gaps ("whole").

| gaps | items | missing | samples | difference | whole | thin | shared | ranks | whole | width | whole |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{held}

Root mean square error of differences: by means over each system's own items, by shared items, by two-way means, without
gaps. Chance of the likeliest to be best: said, true, and log score; then the same without gaps.

| gaps | items | missing | own items | shared | two-way | whole | said | true | score | said | true | score |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{errors}

Does missingness go with the scores? Share of the samples in which `missing_scores` says so at the .05 level: with the
items, with the systems, beyond both. Gaps apart from the scores should give .05.

| gaps | items | missing | items | systems | beyond both |
| --- | --- | --- | --- | --- | --- |
{alarms}
"""


def main() -> None:
    """Write the report, or show a small one."""
    parser = argparse.ArgumentParser(description="Coverage with missing scores.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    text = report(asked.data, SAMPLES // 10 if asked.quick else SAMPLES)
    if asked.quick:
        sys.stdout.write(text)
    else:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
