"""Do rank intervals hold all true ranks at once as often as they claim? Simulated leaderboards with known means.

A board is missed where any of its systems has a true rank outside its interval, ties counted as they are defined: from
1 + the systems truly better to N less those truly worse. Boards with ties are the hard ones, for every significant pair
among equals is a miss. Beside it stands how often all differences of true means lie within c standard errors of those
seen, which is what ranks of any board could ask at most.

    python benchmarks/studies/rank_interval_coverage.py            # writes benchmarks/reports/rank_interval_coverage.md
    python benchmarks/studies/rank_interval_coverage.py --quick    # a fiftieth of the boards, to standard output

What is done is kept in a file beside the report until all is done, so that a study that was stopped goes on.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.resampling.ranks import rank_intervals
from metaeval.running.draws import bootstrap_counts, bootstrap_indices
from metaeval.table.scores import as_scores

REPORT = Path(__file__).parents[1] / "reports" / "rank_interval_coverage.md"
KEPT = REPORT.with_suffix(".json")
DATA = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
SEED = 202611
LEVEL = 0.95
RESAMPLES = 999
BEYOND = 1e6
ASKED = 0.94
FEW = 10
NAIVE = 10  # one board in so many is also asked without its clusters: the failure is plain enough
type Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Boards of one kind: how many systems and topics, how their true means lie, how scores scatter."""

    n_systems: int
    n_topics: int
    truth: str
    kind: str
    n_clusters: int = 0
    n_strata: int = 0

    def lead(self) -> Floats:
        """Return the systems' effects, in standard deviations of a topic's noise."""
        systems = np.arange(self.n_systems)
        if self.truth == "all equal":
            return np.zeros(self.n_systems)
        if self.truth == "five tiers of equals":
            return 0.4 * (systems * 5 // self.n_systems)
        return 0.03 * systems  # close together

    def means(self) -> Floats:
        """Return the true means; those of strata are over the strata's own effects, which add up to 0."""
        if self.kind.startswith("0/1"):
            share = 2.0 + (0.4 if self.n_clusters else 0.0)  # variances of topic, noise and cluster
            return ndtr((self.lead() - self.threshold()) / np.sqrt(share))
        return self.lead()

    def threshold(self) -> float:
        """Return what a latent score must exceed to be a 1: half of them do, or one in ten."""
        return 1.8 if "rare" in self.kind else 0.0

    def draw(self, rng: np.random.Generator) -> tuple[Floats, dict[str, list[str]]]:
        """Return scores (system, topic) and what the topics belong to."""
        place = np.zeros(self.n_topics, dtype=int)
        labels: dict[str, list[str]] = {}
        if self.n_clusters:
            sizes = 1 + rng.poisson(self.n_topics / self.n_clusters - 1, self.n_clusters)
            place = np.repeat(np.arange(self.n_clusters), sizes)
            labels = {"cluster": [f"c{one:03}" for one in place]}
        elif self.n_strata:
            place = np.arange(self.n_topics) * self.n_strata // self.n_topics
            labels = {"stratum": [f"s{one:02}" for one in place]}
        values = self.noise(rng, len(place)) + rng.normal(size=len(place)) + self.lead()[:, None]
        if self.n_clusters:
            values += np.sqrt(0.4) * rng.normal(size=(self.n_systems, self.n_clusters))[:, place]
        if self.n_strata:
            values += np.sin(np.arange(self.n_systems))[:, None] * np.where(place % 2, 1.0, -1.0)
        if self.kind.startswith("0/1"):
            values = (values > self.threshold()).astype(float)
        return values, labels

    def noise(self, rng: np.random.Generator, n_topics: int) -> Floats:
        """Return what systems and topics scatter by together: mean 0, variance about 1."""
        shape = (self.n_systems, n_topics)
        if self.kind.startswith("skewed"):
            made = rng.exponential(size=shape) - 1.0
            return made * np.where(np.arange(self.n_systems) % 2, -1.0, 1.0)[:, None] if "both" in self.kind else made
        if self.kind == "heavy tails":
            return rng.standard_t(3, size=shape) / np.sqrt(3.0)
        return rng.normal(size=shape)


def holds(low: Floats, high: Floats, means: Floats) -> bool:
    """Say whether every system's interval holds all of its true rank."""
    least = 1 + (means[None, :] > means[:, None] + 1e-12).sum(axis=1)
    most = len(means) - (means[None, :] < means[:, None] - 1e-12).sum(axis=1)
    return bool((low <= least).all() and (high >= most).all())


def one_board(
    values: Floats, labels: dict[str, list[str]], means: Floats, rng: np.random.Generator, *, naive: bool = False
) -> dict[str, float]:
    """Ask the shipped function, and for clusters perhaps what it says without them."""
    scores = as_scores(values)
    given = scores.assign_coords({name: ("topic", parts) for name, parts in labels.items()})
    options = {"confidence_level": LEVEL, "n_resamples": RESAMPLES, "rng": rng, "n_threads": 1}
    options["method"] = "guaranteed"
    found = {name: one.to_numpy()[0] for name, one in rank_intervals(given, **options).data.data_vars.items()}
    first, second = np.triu_indices(len(means), 1)
    critical = float(found["critical_value"][0])
    apart = np.abs(found["difference"] - (means[first] - means[second]))
    row = {
        "ranks": holds(found["rank_low"], found["rank_high"], means),
        "differences": bool((apart <= critical * found["standard_error"] * (1 + 1e-9) + 1e-12).all()),
        "width": float((found["rank_high"] - found["rank_low"] + 1).mean()),
        "critical": critical,
    }
    if naive:
        plain = rank_intervals(scores, **options).data
        row["naive"] = holds(plain["rank_low"].to_numpy()[0], plain["rank_high"].to_numpy()[0], means)
    return row


def others(values: Floats, rng: np.random.Generator) -> dict[str, float]:
    """Return the critical values of other methods for all pairs of a board of independent topics.

    The normal law: residuals are turned at random, as scores that are normal could have been; every t* is then
    Student's. Random signs: each topic's residuals change sign together (wild bootstrap). Bootstrap without a floor:
    the shipped one, whose resamples count with whatever variance they have.
    """
    n_topics = values.shape[1]
    residual = values - values.mean(axis=1, keepdims=True)
    first, second = np.triu_indices(len(values), 1)
    squares = ((residual[first] - residual[second]) ** 2).sum(axis=1)
    kept = squares > 1e-12
    if not kept.any():
        return {}
    first, second, squares = first[kept], second[kept], squares[kept]
    turned = rng.normal(size=(RESAMPLES, n_topics))
    turned *= np.sqrt(n_topics / (turned**2).sum(axis=1, keepdims=True))
    signs = rng.choice([-1.0, 1.0], size=(RESAMPLES, n_topics))
    found = {}
    for name, weights in (("normal law", turned), ("random signs", signs)):
        sums = weights @ residual.T
        cosine = ((sums[:, first] - sums[:, second]) ** 2 / squares).max(axis=1) / n_topics
        found[name] = np.sqrt((n_topics - 1) * cosine / np.maximum(1.0 - cosine, 1e-300))
    counts = bootstrap_counts(bootstrap_indices(rng, RESAMPLES, n_topics), n_topics)
    sums = counts @ residual.T
    spread = counts @ ((residual[first] - residual[second]) ** 2).T
    total = sums[:, first] - sums[:, second]
    least = np.where(np.abs(total) > 1e-9, 1e-300, 1.0)
    share = total**2 / np.maximum(spread - total**2 / n_topics, least)
    found["bootstrap without a floor"] = np.sqrt((n_topics - 1) / n_topics * share.max(axis=1))
    place = int(np.ceil(LEVEL * (RESAMPLES + 1))) - 1
    return {name: float(np.sort(largest)[place]) for name, largest in found.items()}


def covers(values: Floats, means: Floats, critical: float) -> tuple[bool, bool]:
    """Say whether a critical value leaves all true ranks in, and all true differences."""
    first, second = np.triu_indices(len(values), 1)
    apart, true = (one[first] - one[second] for one in (values.mean(axis=1), means))
    error = (values[first] - values[second]).std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    wrong = (np.abs(apart) > critical * error + 1e-12) & (np.sign(apart) != np.sign(np.round(true, 12)))
    return not wrong.any(), bool((np.abs(apart - true) <= critical * error + 1e-12).all())


def simulate(setting: Setting, n_boards: int, *, compare: bool = False) -> dict[str, object]:
    """Return the shares over boards of one kind."""
    rng = np.random.default_rng([SEED, *repr(setting).encode()])
    rows = []
    for number in range(n_boards):
        values, labels = setting.draw(rng)
        naive = "cluster" in labels and number < n_boards // NAIVE
        row = one_board(values, labels, setting.means(), rng, naive=naive)
        if compare:
            for name, critical in others(values, rng).items():
                row[name] = covers(values, setting.means(), critical)[0]
                row[f"{name}, critical"] = critical
        rows.append(row)
    frame = pd.DataFrame(rows)
    middle = frame.filter(like="critical").median()
    shares = frame.drop(columns=middle.index).astype(float).mean()
    return {**vars(setting), **shares, **middle, "boards": n_boards}


def independent() -> Iterator[Setting]:
    """Yield boards of independent topics."""
    for n_systems in (10, 50):
        for n_topics in (20, 50, 200):
            for kind in ("normal", "skewed", "skewed both ways", "0/1"):
                for truth in ("all equal", "five tiers of equals"):
                    yield Setting(n_systems=n_systems, n_topics=n_topics, truth=truth, kind=kind)
        for kind in ("normal", "skewed", "0/1"):
            yield Setting(n_systems=n_systems, n_topics=50, truth="close together", kind=kind)
        for kind in ("heavy tails", "0/1, rare"):
            yield Setting(n_systems=n_systems, n_topics=50, truth="all equal", kind=kind)


def clustered() -> Iterator[Setting]:
    """Yield boards whose topics come in clusters of uneven size, or in strata."""
    for n_systems in (10, 50):
        for n_clusters in (10, 20, 50):
            for kind, truth in (("normal", "all equal"), ("0/1", "all equal"), ("normal", "five tiers of equals")):
                if n_systems > FEW and truth != "all equal":
                    continue
                options = {"n_systems": n_systems, "truth": truth, "kind": kind}
                yield Setting(n_topics=5 * n_clusters, n_clusters=n_clusters, **options)
        yield Setting(n_systems=n_systems, n_topics=40, truth="all equal", kind="normal", n_strata=4)


def on_real_items(n_boards: int) -> pd.DataFrame:
    """Take the 376 items of Belebele for the population, samples of 41 and 100 for boards; empty without the file."""
    path = DATA / "mteb" / "belebele_190x376x6.csv.gz"
    rows = []
    for metric in ("nDCG@10", "R@1", "R@100") if path.is_file() else ():
        whole = pd.read_csv(path).pivot_table(index="system", columns="topic", values=metric).to_numpy()
        for n_systems, n_topics in ((20, 41), (20, 100), (190, 41)):
            rng = np.random.default_rng([SEED, n_systems, n_topics])
            boards = []
            for _ in range(max(2, n_boards // (20 if n_systems == len(whole) else 1))):
                part = whole[rng.choice(len(whole), n_systems, replace=False)]
                values = part[:, rng.integers(0, part.shape[1], n_topics)]
                row = one_board(values, {}, part.mean(axis=1), rng)
                for name, critical in others(values, rng).items():
                    row[name] = covers(values, part.mean(axis=1), critical)[1]
                boards.append(row)
            mean = pd.DataFrame(boards).astype(float).mean()
            rows.append({"metric": metric, "n_systems": n_systems, "n_topics": n_topics, **mean, "boards": len(boards)})
    return pd.DataFrame(rows)


def _number(value: float, places: int) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:.{places}f}" if value < BEYOND else "infinite"


def markdown(frame: pd.DataFrame, columns: dict[str, str], digits: dict[str, int] | None = None) -> str:
    """Write some columns of a frame as a table."""
    shown = frame[list(columns)].copy()
    for name in shown.select_dtypes("float").columns:
        places = (digits or {}).get(name, 3)
        shown[name] = [_number(one, places) for one in shown[name]]
    lines = [list(columns.values()), ["---"] * len(columns), *shown.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def study(share: float, tell: Callable[[str], None]) -> str:
    """Run everything, with a share of the boards, and write the report."""
    done = json.loads(KEPT.read_text("utf-8")) if share == 1.0 and KEPT.is_file() else {}

    def run(settings: list[Setting], n_boards: int, *, compare: bool = False) -> pd.DataFrame:
        rows = []
        for setting in settings:
            key = f"{setting} {compare}"
            if key not in done:
                done[key] = simulate(setting, max(4, int(share * n_boards)), compare=compare)
                if share == 1.0:
                    KEPT.write_text(json.dumps(done), encoding="utf-8")
                tell(f"{setting}: {done[key]['ranks']:.3f}")
            rows.append(done[key])
        return pd.DataFrame(rows)

    plain = run(list(independent()), 2000)
    grouped = run(list(clustered()), 2000)
    many = [
        Setting(n_systems=200, n_topics=n, truth="all equal", kind=kind)
        for n in (50, 200)
        for kind in ("normal", "0/1")
    ]
    large = run(many, 60)
    rivals = [
        Setting(n_systems=n_systems, n_topics=n_topics, truth="all equal", kind=kind)
        for n_systems, n_topics in ((10, 20), (10, 50), (50, 20), (50, 50))
        for kind in ("normal", "skewed", "skewed both ways", "heavy tails", "0/1", "0/1, rare")
    ]
    compared = run(rivals, 100, compare=True)
    if "real" not in done:
        done["real"] = on_real_items(max(4, int(share * 80))).to_dict("records")
    real = pd.DataFrame(done["real"])
    return write(plain, grouped, large, compared, real, n_boards=max(4, int(share * 2000)))


def write(  # noqa: PLR0913, PLR0917 - the parts of a report
    plain: pd.DataFrame,
    grouped: pd.DataFrame,
    large: pd.DataFrame,
    compared: pd.DataFrame,
    real: pd.DataFrame,
    n_boards: int,
) -> str:
    """Put the tables into words."""
    what = {"n_systems": "systems", "n_topics": "topics", "kind": "scores", "truth": "true means"}
    shares = {"ranks": "all ranks", "differences": "all differences", "width": "mean width", "critical": "median c"}
    digits = {"width": 1, "critical": 2}
    names = ("normal law", "random signs", "bootstrap without a floor")
    rival = {name: name for name in names} | {f"{name}, critical": f"its c ({name})" for name in names}
    worst = pd.concat([plain, grouped])["ranks"]
    parts = [
        "# Coverage of simultaneous rank intervals",
        f"""Made by `python benchmarks/studies/rank_interval_coverage.py`. Nominal level {LEVEL:.0%}, {RESAMPLES} resamples,
{n_boards} boards a row unless said otherwise (a coverage of .95 then has a standard error of
{np.sqrt(0.95 * 0.05 / n_boards):.3f}). "All ranks" is the share of boards on which every system's interval holds its
whole true rank; "all differences" that on which every true difference lies within c standard errors; the width counts
the ranks in an interval. True ranks are hard to miss where systems are apart, hence coverage far above the level there;
boards of equals are the test.""",
        f"""Over the {len(worst)} rows of the first two tables coverage of all ranks lies between {worst.min():.3f} and
{worst.max():.3f}; {int((worst < ASKED).sum())} of them are below {ASKED}.""",
        "## Independent topics",
        """Skewed both ways: every other system's noise is an exponential turned round, so that the differences of half
the pairs are skewed although the means are equal. Rare: one score in ten or fewer is 1. On 0/1 scores of 20 topics some
differences are the same on every topic that was drawn and have no standard error, which costs all differences, not
ranks.""",
        markdown(plain, what | shares, digits),
        "## Clusters and strata",
        f"""Clusters of uneven size, five topics on average, in which every system has an effect of its own (variance .4
beside 1 for a topic); the naive interval takes the topics for independent (on one board in {NAIVE}). The last row of a
number of systems has four fixed strata instead.""",
        markdown(grouped, what | {"n_clusters": "clusters"} | shares | {"naive": "all ranks, naive"}, digits),
        f"## Two hundred systems\n\n{large['boards'].iloc[0]} boards a row.",
        markdown(large, what | shares, digits),
        "## Other ways to the critical value",
        f"""Boards of equal systems, {compared["boards"].iloc[0]} a row: the share without a significant pair.
The normal law and random signs give smaller critical values and fail where differences are skewed. Without a floor
under the variance of a resample the bootstrap covers too, but on 0/1 scores of few topics its critical value is
infinite: nothing would ever be significant. A floor of a tenth changes little elsewhere.""",
        markdown(
            compared,
            what | {"ranks": "shipped", "critical": "its c"} | rival,
            {"critical": 2} | {f"{name}, critical": 2 for name in names},
        ),
    ]
    if len(real):
        parts += [
            "## Real items as the population",
            """Belebele (376 pairs of languages, 190 models, MTEB's public results): boards are samples of items drawn
with replacement. The last columns are the share of boards on which the other critical values cover all differences. A
few items part the systems far more than all others do, and most samples miss some of them: from 41 items no method
reaches the level for all differences. The bootstraps come nearest.""",
            markdown(
                real,
                {"metric": "metric", "n_systems": "systems", "n_topics": "items", "boards": "boards"}
                | shares
                | {name: name for name in names},
                digits,
            ),
        ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the boards, report to standard output")
    arguments = parser.parse_args()
    start = time.perf_counter()

    def tell(words: str) -> None:
        print(f"{time.perf_counter() - start:.0f} s  {words}", file=sys.stderr, flush=True)

    if arguments.quick:
        print(study(0.02, tell))
    else:
        report = study(1.0, tell)
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(report, encoding="utf-8")
        KEPT.unlink()


if __name__ == "__main__":
    main()
