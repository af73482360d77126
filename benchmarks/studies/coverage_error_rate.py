"""Whether the stated 90 % intervals of the error-rate model hold the truth nine times in ten.

Run: python benchmarks/studies/coverage_error_rate.py DATA_FOLDER [--sets 500] [--settings gauss-50-20,...] [--partial FOLDER]

Every data set has its own systems. The truth is that of these very systems: error rates at 20, 50 and 2T topics, and
the number of topics at which the rate meets 5 %, uncensored. Where scores are normal given the scale of their topics
it is exact (Gaussian, unequal, harsh, cluster); else from 8000 further topics (MQ2007: all 1153), the rates by
drawing 750 topic sets of each size and multiplying the shares that each of two systems wins, the number of topics by
the normal distribution with the skewness term of the Edgeworth series.

Populations: additive Gaussian; noise whose standard deviation is log-normal over topics, with the variance of the
topics' noise variances (1.7 squared means) between those of TREC-8 AP (0.9) and Web 2014 ERR@20 (3.3); a harsher one
(12) beyond all collections looked at; systems in groups of about six that share most of their noise; P@10-like
proportions of ten; topics drawn from MQ2007 without replacement.

``--vary`` fits every set again with one constant of the model changed: what each is worth.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import expit, logit, ndtr
from scipy.stats import gamma

from metaeval.errors import EstimationError
from metaeval.models import true_differences
from metaeval.models.error_rate_check import Check
from metaeval.models.error_rate_model import draw_error_rates
from metaeval.models.error_rate_posterior import topics_needed
from metaeval.models.expected_rates import SIZES

REPORT = Path(__file__).parents[1] / "reports" / "error-rate-coverage.md"
SETTINGS = (
    *("gauss-50-20", "unequal-50-20", "cluster-50-20", "p10-50-20", "mq2007-50-20", "unequal-100-50", "cluster-100-50"),
    *("p10-50-50", "mq2007-100-20", "cluster-50-100", "gauss-100-50", "p10-100-50", "unequal-50-100", "gauss-50-100"),
    *("harsh-50-50", "gauss-50-5", "gauss-50-10", "cluster-50-10", "p10-50-10", "gauss-25-20", "unequal-25-20"),
    *("p10-25-20", "mq2007-25-10"),
)
TOLERANT = {"p10-50-50": (0.05, 0.1), "unequal-50-20": (0.05, 0.1), "mq2007-50-20": (0.05, 0.1)}
SEED = 2030
STEP = 50
LIMIT = 0.05
ENDS = (0.05, 0.5, 0.95)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
SPREAD = {"gauss": 0.0, "cluster": 0.0, "unequal": 0.5, "harsh": 0.8}
VARIED = {
    "slopes by 1": {"SLOPES": (-1.0, 0.0, 1.0, 2.0, 3.0)},
    "slopes to 2": {"SLOPES": (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0)},
    "slope 0": {"SLOPES": (0.0,)},
    "half the pairs": {"_PAIRS": 600},
    "worth N - 1": {"_independent_differences": lambda inner, _: len(inner) - 1.0},
    "log-normal tail as it is": {"_HALFWAY": 0.0},
    "no tail": {"_HALFWAY": np.inf},
}

type Sampler = Callable[[int, np.random.Generator], np.ndarray]


# ------------------------------------------------------------------------------------------------- the populations


def gauss(rng: np.random.Generator, count: int, _: Path) -> tuple[Sampler, np.ndarray]:
    """Systems, topics and noise normal."""
    means = rng.normal(0, 0.08, count)
    return lambda n, r: 0.3 + means[:, None] + r.normal(0, 0.2, n) + r.normal(0, 0.12, (count, n)), means


def scaled(spread: float) -> Callable[[np.random.Generator, int, Path], tuple[Sampler, np.ndarray]]:
    """Noise whose standard deviation is log-normal over the topics."""

    def population(rng: np.random.Generator, count: int, _: Path) -> tuple[Sampler, np.ndarray]:
        means = rng.normal(0, 0.08, count)

        def draw(n: int, r: np.random.Generator) -> np.ndarray:
            noise = r.normal(0, 0.1, (count, n)) * np.exp(r.normal(0, spread, n))
            return 0.3 + means[:, None] + r.normal(0, 0.2, n) + noise

        return draw, means

    return population


def cluster(rng: np.random.Generator, count: int, _: Path) -> tuple[Sampler, np.ndarray]:
    """Put systems in groups that share their level and most of their noise."""
    n_groups = max(3, count // 6)
    group = rng.integers(0, n_groups, count)
    means = rng.normal(0, 0.1, n_groups)[group] + rng.normal(0, 0.01, count)

    def draw(n: int, r: np.random.Generator) -> np.ndarray:
        shared = 0.1 * r.normal(size=(n_groups, n))[group]
        return 0.3 + means[:, None] + r.normal(0, 0.2, n) + shared + r.normal(0, 0.05, (count, n))

    return draw, means


def p10(rng: np.random.Generator, count: int, _: Path) -> tuple[Sampler, np.ndarray]:
    """Relevant documents among ten, with normal effects on the logit scale."""
    level = rng.normal(0, 0.5, count)
    means = expit(-0.5 + level[:, None] + np.hypot(1.5, 0.8) * NODES) @ (WEIGHTS / WEIGHTS.sum())

    def draw(n: int, r: np.random.Generator) -> np.ndarray:
        return r.binomial(10, expit(-0.5 + level[:, None] + r.normal(0, 1.5, n) + r.normal(0, 0.8, (count, n)))) / 10.0

    return draw, means


@cache
def all_of_mq2007(folder: Path) -> np.ndarray:
    """Return the table of MQ2007: systems in rows, topics in columns."""
    return pd.read_csv(folder / "trec-matrices" / "mq2007_statap_top26.csv.gz", index_col=0).to_numpy(dtype=float)


def mq2007(rng: np.random.Generator, count: int, folder: Path) -> tuple[Sampler, np.ndarray]:
    """Topics of a real collection, and `count` of its systems."""
    table = all_of_mq2007(folder)
    chosen = table[rng.choice(len(table), count, replace=False)]

    def draw(n: int, r: np.random.Generator) -> np.ndarray:
        return chosen if n > chosen.shape[1] else chosen[:, r.choice(chosen.shape[1], n, replace=False)]

    return draw, chosen.mean(axis=1)


POPULATIONS = {
    "gauss": gauss,
    "unequal": scaled(0.5),
    "harsh": scaled(0.8),
    "cluster": cluster,
    "p10": p10,
    "mq2007": mq2007,
}


def parts_of(setting: str, number: int) -> tuple[str, int, int, np.random.Generator]:
    """Return a setting's population, topics and systems, and the generator of one of its data sets."""
    name, n_topics, count = setting.split("-")
    return name, int(n_topics), int(count), np.random.default_rng([SEED, SETTINGS.index(setting), number])


def sizes_of(n_topics: int) -> tuple[int, ...]:
    """Return the topic-set sizes at which error rates are asked for."""
    return tuple(sorted({20, 50, 2 * n_topics}))


# ---------------------------------------------------------------------------------------------------- the truths


@cache
def factors(spread: float, size: int) -> np.ndarray:
    """Return equally likely values of the mean square scale of so many topics."""
    if not spread:
        return np.ones(1)
    steps = (np.arange(100) + 0.5) / 100
    if size <= 400:
        rng = np.random.default_rng(size)
        drawn = [np.exp(2 * spread * rng.standard_normal((2000, size))).mean(axis=1) for _ in range(20)]
        return np.quantile(np.concatenate(drawn), steps)
    mean = np.exp(2 * spread**2)
    variance = (np.exp(8 * spread**2) / mean**2 - 1) / size
    return mean * gamma.ppf(steps, 1 / variance, scale=variance)


def exact(setting: str, number: int) -> dict[str, float]:
    """Return the truth of systems whose scores are normal given the topics' scales."""
    name, n_topics, count, rng = parts_of(setting, number)
    first, second = np.triu_indices(count, 1)
    own = np.full(len(first), 0.12**2 if name == "gauss" else 0.1**2)
    between = np.zeros(len(first), dtype=bool)
    if name == "cluster":
        n_groups = max(3, count // 6)
        group = rng.integers(0, n_groups, count)
        means = rng.normal(0, 0.1, n_groups)[group] + rng.normal(0, 0.01, count)
        own[:], between = 0.05**2, group[first] != group[second]
    else:
        means = rng.normal(0, 0.08, count)
    level = 0.3 + means

    def error(size: float, keep: float) -> float:
        noise = (1 + keep**2) * own[:, None] * factors(SPREAD[name], round(size))
        if name == "cluster":
            noise += np.where(between, 1 + keep**2, (1 - keep) ** 2)[:, None] * 0.1**2
        deviation = np.sqrt((noise + (1 - keep) ** 2 * 0.2**2) / size)
        wins = [
            ndtr((keep * level[a] - level[b])[:, None] / deviation).mean(axis=1)
            for a, b in ((first, second), (second, first))
        ]
        return float((2 * wins[0] * wins[1]).mean())

    return asked_of(setting, n_topics, error, error)


def asked_of(setting: str, n_topics: int, rate: Callable[[float, float], float], error: Callable) -> dict[str, float]:
    """Return the rates at the sizes asked for and the topics needed, at every tolerance of a setting."""
    found = {}
    for tolerance in (0.0, *TOLERANT.get(setting, ())):
        for size in sizes_of(n_topics):
            found[f"{tolerance:g} p({size})"] = rate(size, 1 - tolerance)
        low, high = np.log(2), np.log(1e6)
        for _ in range(22):
            middle = (low + high) / 2
            low, high = (middle, high) if error(np.exp(middle), 1 - tolerance) > LIMIT else (low, middle)
        found[f"{tolerance:g} z"] = float(np.ceil(np.exp(high))) if error(1e6, 1 - tolerance) <= LIMIT else np.inf
    return found


def simulated(setting: str, number: int, folder: Path, rounds: int = 750) -> dict[str, float]:
    """Return the truth from many further topics."""
    name, n_topics, count, rng = parts_of(setting, number)
    draw, means = POPULATIONS[name](rng, count, folder)
    draw(n_topics, rng)
    many = draw(8000, rng)
    first, second = np.triu_indices(count, 1)
    centred = many - many.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T / many.shape[1]
    square, cube = (centred**2) @ centred.T / many.shape[1], (centred**3).mean(axis=1)
    own = np.diag(covariance)

    def won(a: np.ndarray, b: np.ndarray, size: float, keep: float) -> np.ndarray:
        variance = keep**2 * own[a] + own[b] - 2 * keep * covariance[a, b]
        third = keep**3 * cube[a] - 3 * keep**2 * square[a, b] + 3 * keep * square[b, a] - cube[b]
        x = (keep * means[a] - means[b]) / np.sqrt(variance) * np.sqrt(size)
        density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        return np.clip(ndtr(x) + third / variance**1.5 / (6 * np.sqrt(size)) * (x**2 - 1) * density, 0, 1)

    def error(size: float, keep: float) -> float:
        return float((2 * won(first, second, size, keep) * won(second, first, size, keep)).mean())

    def counted(size: float, keep: float) -> float:
        wins = np.zeros((count, count))
        again = np.random.default_rng([SEED, number, int(size)])
        for _ in range(rounds // 250):
            sets = again.integers(0, many.shape[1], (250, int(size)))
            times = np.stack([np.bincount(one, minlength=many.shape[1]) for one in sets])
            for mean in times @ many.T / size:
                gap = keep * mean[:, None] - mean
                wins += (gap > 1e-12) + (0.5 * (np.abs(gap) <= 1e-12) if keep == 1 else 0)
        share = wins / rounds
        return float((2 * share[first, second] * share[second, first]).mean() * rounds / (rounds - 1))

    return asked_of(setting, n_topics, counted, error)


# ------------------------------------------------------------------------------------------------------ the study


@contextmanager
def varied(changes: dict) -> Iterator[None]:
    """Change constants of the model."""
    kept = {name: getattr(true_differences, name) for name in changes}
    for name, value in changes.items():
        setattr(true_differences, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(true_differences, name, value)


def fitted(values: np.ndarray, setting: str, number: int) -> dict | None:
    """Intervals of the model and the seconds they took; None if it refuses."""
    tolerances, sizes = np.array([0.0, *TOLERANT.get(setting, ())]), sizes_of(values.shape[1])
    check = Check(np.array([2]), tolerances, relative=True, generator=np.random.default_rng(number))
    before = time.process_time()
    try:
        pairs = {"only": true_differences.describe_pairs(values)}
        laws = {"only": true_differences.prior_of(pairs["only"])}
        drawn = draw_error_rates(pairs, laws, check, 400, np.random.default_rng(number))["only"].rates
    except EstimationError:
        return None
    seconds = time.process_time() - before
    rates = np.clip(np.minimum.accumulate(drawn, axis=-1), 1e-12, 1 - 1e-12)
    needed, logs, found = topics_needed(rates, LIMIT), np.log(SIZES), {"seconds": seconds}
    for place, tolerance in enumerate(tolerances):
        logits = np.array([np.interp(np.log(sizes), logs, logit(row)) for row in rates[:, place]])
        for column, size in zip(expit(logits).T, sizes, strict=True):
            found[f"{tolerance:g} p({size})"] = np.quantile(column, ENDS, method="inverted_cdf").tolist()
        found[f"{tolerance:g} z"] = np.quantile(needed[:, place], ENDS, method="inverted_cdf").tolist()
    return found


def one(setting: str, number: int, folder: Path) -> dict:
    """Simulate one data set; return the truth and the intervals."""
    name, n_topics, count, rng = parts_of(setting, number)
    values = POPULATIONS[name](rng, count, folder)[0](n_topics, rng)
    truth = exact(setting, number) if name in SPREAD else simulated(setting, number, folder)
    return {"truth": truth, "model": fitted(values, setting, number)}


def one_varied(setting: str, number: int, folder: Path) -> dict:
    """Return the intervals of one data set with every constant changed in turn."""
    name, n_topics, count, rng = parts_of(setting, number)
    values = POPULATIONS[name](rng, count, folder)[0](n_topics, rng)
    found = {}
    for variant, changes in VARIED.items():
        with varied(changes):
            found[variant] = fitted(values, setting, number)
    return found


def kept_in(folder: Path, setting: str) -> list[dict]:
    """Return the data sets of a setting that are done."""
    path = folder / f"{setting}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summarise(setting: str, found: list[dict], model: str) -> list[dict]:
    """Turn the intervals of one setting into a row a tolerance: coverage, misses below, bias and width."""
    rows = []
    done = [data for data in found if data.get(model) is not None]
    for tolerance in dict.fromkeys(key.split()[0] for key in found[0]["truth"]):
        keys = [key for key in found[0]["truth"] if key.split()[0] == tolerance]
        truth = np.array([[data["truth"][key] for key in keys] for data in done])
        low, middle, high = np.moveaxis(np.array([[data[model][key] for key in keys] for data in done]), 2, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            bias, width = np.nanmedian(np.log(middle / truth), axis=0), np.nanmedian(high / low, axis=0)
        row = {"setting": setting, "tolerance": tolerance, "sets": len(done)}
        names = [key.split()[1].replace(f"({2 * int(setting.split('-')[1])})", "(2T)") for key in keys]
        for place, name in enumerate(names):
            held = (low[:, place] <= truth[:, place]) & (truth[:, place] <= high[:, place])
            row[name] = held.mean()
            row[f"{name} above"] = (truth[:, place] > high[:, place]).mean()
            row[f"{name} bias"], row[f"{name} width"] = np.expm1(bias[place]), width[place]
        row |= {"refused": len(found) - len(done), "seconds": np.mean([data[model]["seconds"] for data in done])}
        rows.append(row)
    return rows


def table_of(frame: pd.DataFrame) -> list[str]:
    """Return a table in Markdown."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.astype(str).to_numpy().tolist()]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the figures of a summary."""
    quantities = [name for name in ("p(20)", "p(50)", "p(2T)", "z") if name in frame]
    shown = frame[["setting", "tolerance", "sets"]].copy()
    for name in quantities:
        shown[name] = [f"{a:.3f} ({b:.3f})" if a == a else "" for a, b in zip(frame[name], frame[f"{name} above"])]  # noqa: B905, PLR0124 - missing
    for name in quantities:
        ends = zip(frame[f"{name} bias"], frame[f"{name} width"], strict=True)
        shown[f"{name}: bias, high/low"] = [f"{a:+.0%}, {b:.2f}" if a == a else "" for a, b in ends]  # noqa: PLR0124 - as above
    return shown.assign(refused=frame["refused"], ms=[f"{1000 * value:.0f}" for value in frame["seconds"]])


def write_report(partial: Path) -> None:
    """Write the report from all settings kept so far."""
    found = {setting: kept for setting in SETTINGS if (kept := kept_in(partial, setting))}
    rows = pd.DataFrame([row for setting, kept in found.items() for row in summarise(setting, kept, "model")])
    cells = rows[["p(20)", "p(50)", "p(2T)", "z"]].to_numpy(dtype=float)
    cells = cells[~np.isnan(cells)]
    text = [
        "# Coverage of the error-rate model",
        "",
        (
            f"Made by `python benchmarks/studies/coverage_error_rate.py DATA --sets {rows['sets'].max()}`, which says what the "
            "populations are and how the truth is known."
        ),
        "",
        (
            "A setting is population-topics-systems. Cells: the share of simulated data sets whose stated 90 % "
            "interval holds the truth, and in brackets the share with the truth above it, for the error rate at 20, "
            "50 and 2T topics and the number of topics z for 5 % error; then the median bias of the median, and the "
            "median ratio of the ends. ms: processor time of one fit with 400 draws, one core."
        ),
        "",
        (
            f"Over {len(cells)} cells coverage is {cells.mean():.3f} on average, {cells.min():.3f} at least and "
            f"{cells.max():.3f} at most; {int(rows['refused'].sum())} fits were refused."
        ),
        "",
        *table_of(in_words(rows)),
        "",
    ]
    varied_rows = [
        row | {"setting": setting, "varied": name}
        for setting, kept in found.items()
        for name in ("model", *VARIED)
        if (part := [data for data in kept if data.get(name) is not None and len(data) > 2])
        for row in summarise(setting, part, name)
        if row["tolerance"] == "0"
    ]
    if any(row["varied"] != "model" for row in varied_rows):
        frame = pd.DataFrame(varied_rows)
        shown = in_words(frame).drop(columns=["refused", "tolerance"])
        shown.insert(1, "varied", frame["varied"])
        text += ["## What the constants are worth", "", "The same data sets, with one constant changed.", ""]
        text += [*table_of(shown), ""]
    REPORT.write_text("\n".join(text).rstrip() + "\n")


def main() -> None:
    """Simulate data sets of every setting in turn, so that all grow together, and keep each as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--partial", type=Path, default=Path("coverage-partial"))
    parser.add_argument(
        "--vary",
        type=int,
        default=0,
        metavar="SETS",
        help="fit the first sets of these settings with every variation too",
    )
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.partial.mkdir(exist_ok=True)
    settings = options.settings.split(",")
    done = {name: len(kept_in(options.partial, name)) for name in settings}
    for start in range(0, options.sets, STEP):
        for setting in settings:
            numbers = range(max(start, done[setting]), min(start + STEP, options.sets))
            jobs = [delayed(one)(setting, number, options.data) for number in numbers]
            with (options.partial / f"{setting}.jsonl").open("a") as stream:
                for found in Parallel(n_jobs=options.workers, backend="multiprocessing")(jobs):
                    stream.write(json.dumps(found) + "\n")
        write_report(options.partial)
        print(min(start + STEP, options.sets), flush=True)
    for setting in settings if options.vary else ():
        kept = kept_in(options.partial, setting)
        numbers = [number for number in range(min(options.vary, len(kept))) if len(kept[number]) == 2]
        jobs = [delayed(one_varied)(setting, number, options.data) for number in numbers]
        for number, found in zip(
            numbers, Parallel(n_jobs=options.workers, backend="multiprocessing")(jobs), strict=True
        ):
            kept[number] |= found
        (options.partial / f"{setting}.jsonl").write_text("".join(json.dumps(data) + "\n" for data in kept))
        write_report(options.partial)


if __name__ == "__main__":
    main()
