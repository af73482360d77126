"""Are the posteriors what they say? Simulation-based calibration of every Bayesian model (Talts et al. 2018).

    python benchmarks/studies/simulation_based_calibration.py                     # writes the report of the same name
    python benchmarks/studies/simulation_based_calibration.py --replications 200 --only "bayesian_t" --workers 2

A truth is drawn from the prior and data from the truth; the truth's rank among the draws of its posterior is then uniform,
whatever the data are, and so is the rank among those replications whose data lie in a set that is chosen beforehand. A
prior that cannot be drawn from, being flat without an end, is cut off far beyond what the kept data allow.
"""

import argparse
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import chisquare, kstest

from metaeval import as_scores
from metaeval.agreement import as_labels
from metaeval.models import bayesian_error_rate, bayesian_t, hierarchical, latent_classes
from metaeval.models.meta_analysis import PRIOR_ERRORS, combine_with_prior
from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.resampling.exchangeable import places_of_systems
from metaeval.resampling.means_and_errors import draws_of_true_means
from metaeval.resampling.true_means import draws_of_means, means_posterior
from metaeval.tests_stat.likely_effects import LikelyEffects, SeenDifferences, likely_effects
from metaeval.tests_stat.pairs import all_pairs

REPORT = Path(__file__).parents[1] / "reports" / "simulation_based_calibration.md"
SEED = 202611
BINS = 10
LEVELS = (0.5, 0.9)
N_DRAWS = 99
"""Draws among which a truth has its rank: a hundred ranks, ten in every bin."""
MANY = 1001
"""Draws of laws that are drawn in pairs, or whose ranks tie: their quantiles are taken for exact."""
type Floats = NDArray[np.float64]
type Generator = np.random.Generator
type Ranked = Mapping[str, tuple[float, tuple[tuple[float, float], ...]]]
"""Quantity to the place of the truth in its posterior, 0 to 1, and the chances left by each interval below and above."""


def rank(draws: Floats, truth: float, rng: Generator) -> float:
    """Return the place of a truth among draws, 0 to 1, somewhere within its rank and among what equals it."""
    return float(((draws < truth).sum() + rng.random() * ((draws == truth).sum() + 1)) / (draws.size + 1))


def by_rank(places: Mapping[str, float]) -> Ranked:
    """Return quantities whose intervals are those of the draws."""
    ends = [((1 - level) / 2, (1 + level) / 2) for level in LEVELS]
    return {name: (u, tuple((float(u < low), float(u > high)) for low, high in ends)) for name, u in places.items()}


def missed(truth: float, low: Floats, high: Floats) -> tuple[tuple[float, float], ...]:
    """Return on which side each interval misses the truth."""
    return tuple((float(truth < a), float(truth > b)) for a, b in zip(low, high, strict=True))


def leaders(means: Floats) -> tuple[int, int]:
    """Return the best and the second best as they were seen: a posterior may be asked about these too."""
    second, first = np.argsort(means)[-2:]
    return int(first), int(second)


# ----------------------------------------------------------------------------------------------------------- the models


def closed_form(rng: Generator, *, n_topics: int = 6) -> Ranked:
    """Flat on the mean and on the log of the spread: places depend on neither, so that any proper law draws them."""
    truth, spread = rng.normal(), np.exp(rng.uniform(-2, 2))
    values = np.stack([truth + spread * rng.normal(size=n_topics), np.zeros(n_topics)])
    found = [bayesian_t(values, confidence_level=level) for level in LEVELS]
    drawn = found[0].to_arviz("metric1", n_draws=25, rng=rng)["posterior"]["difference"].to_numpy().ravel()[:N_DRAWS]
    ends = [[one.data[name].item() for one in found] for name in ("low", "high")]
    return {"difference": (rank(drawn, truth, rng), missed(truth, *ends))}


def normal_tables(rng: Generator, n_systems: int, n_topics: int) -> Iterator[tuple[Floats, tuple[Floats, ...]]]:
    """Yield tables of scores with systems, topics and residuals, and their truths: effects, spreads of both."""
    while True:
        spreads = np.abs(rng.normal(size=(3, 2000, 1, 1)))
        effects = rng.normal(size=(2000, 1, 1)) + spreads[0] * rng.normal(size=(2000, n_systems, 1))
        topics = spreads[1] * rng.normal(size=(2000, 1, n_topics))
        values = effects + topics + spreads[2] * rng.normal(size=(2000, n_systems, n_topics))
        yield from zip(values, zip(effects[..., 0], *spreads[[0, 2], :, 0, 0], strict=True), strict=True)


def all_systems(rng: Generator, *, method: str = "quadrature", any_unit: bool = False) -> Ranked:
    """The model divides scores by their standard deviation, which is its unit: tables are kept where that is about 1, or else all."""
    for values, (effect, *spreads) in normal_tables(rng, 5, 15):
        if any_unit or (abs(values.std() - 1) < 0.03 and abs(values.mean()) < 0.3):
            break
    seed = int(rng.integers(2**31))
    found = [hierarchical(values, method=method, rng=seed, confidence_level=level) for level in LEVELS[: 2 if method == "quadrature" else 1]]
    tree = found[0].to_arviz("metric1", n_draws=25, rng=rng)["posterior"]
    drawn = {name: tree[name].to_numpy().reshape(-1, *tree[name].shape[2:]) for name in ("system_mean", "sigma_system", "sigma_residual")}
    drawn = {name: draws[:: max(1, len(draws) // N_DRAWS)][:N_DRAWS] for name, draws in drawn.items()}
    place, pairs = {}, {"first two": (0, 1), "best two seen": leaders(values.mean(axis=1))}
    for name, (a, b) in pairs.items():
        place[name] = rank(drawn["system_mean"][:, a] - drawn["system_mean"][:, b], effect[a] - effect[b], rng)
    for name, spread in zip(("sigma_system", "sigma_residual"), spreads, strict=True):
        place[name] = rank(drawn[name], spread / values.std(), rng)
    answer = by_rank(place)
    if method == "quadrature":
        ends = [[float(one.data[name][0, 0]) for one in found] for name in ("low", "high")]
        answer |= {"first two": (place["first two"], missed(effect[0] - effect[1], *ends))}
    return answer


def error_rates(rng: Generator, *, method: str = "fast", n_systems: int = 20, n_topics: int = 40) -> Ranked:
    """Differences have a flat law of their variance up to 1, kept where the one seen is from .05 to .2."""
    while True:
        effect = np.sqrt(rng.uniform()) * rng.normal(size=n_systems)
        values = effect[:, None] + rng.normal(size=(1, n_topics)) + rng.normal(size=(n_systems, n_topics))
        if 0.05 < values.mean(axis=1).var(ddof=1) - 1 / n_topics < 0.2:
            break
    first, second = all_pairs(n_systems)
    true = (effect[first] - effect[second]) / np.sqrt(2)

    def rate(size: float) -> float:
        return float((2 * ndtr(np.sqrt(size) * true) * ndtr(-np.sqrt(size) * true)).mean())

    enough = float(np.ceil(brentq(lambda size: rate(size) - 0.05, 0.01, 1e6))) if rate(1e6) < 0.05 else np.inf
    asked = {"tolerances": [0.0], "method": method, "n_draws": MANY - 1, "rng": int(rng.integers(2**31))}
    found = bayesian_error_rate(values, **asked)
    posterior = found.to_arviz()["posterior"]["minimum_topics"].to_numpy().ravel()
    return by_rank(
        {"topics needed": rank(posterior, max(enough, 2.0), rng), "error rate of 20": rank(found.error_rate(20).to_numpy(), rate(20), rng)}
    )


def judges(rng: Generator, *, n_items: int = 60) -> Ranked:
    """Shares and confusions from the default priors, taken with the chance that the model gives to their labels' names."""
    n_judges, counts = 3, np.array([[2.0, 1.0], [1.0, 2.0]])
    while True:
        share = rng.dirichlet(np.ones(2))
        says = np.stack([[rng.dirichlet(row) for row in counts] for _ in range(n_judges)])
        more = ((says * np.eye(2)).sum(axis=2)[:, None, :] - says).mean(axis=0)
        if rng.random() > np.prod(1 / (1 + np.exp(-more[~np.eye(2, dtype=bool)] / 0.02))):
            continue
        label = rng.random(n_items) < share[1]
        said = (rng.random((n_judges, n_items)) < says[:, label.astype(int), 1]).astype(int)
        if 0 < said.mean() < 1:
            break
    found = latent_classes(as_labels(dict(zip("abc", said.tolist(), strict=True))), rng=int(rng.integers(2**31)))
    posterior = found.to_arviz()["posterior"]
    of_says = posterior["says"].to_numpy().reshape(-1, n_judges, 2, 2)
    shares = posterior["share"].to_numpy().reshape(-1, 2)
    thin = slice(None, None, len(shares) // N_DRAWS)
    accuracy = (shares[:, None] * np.diagonal(of_says, axis1=2, axis2=3)).sum(axis=-1)
    truths = {
        "share": (shares[:, 1], share[1]),
        "right of a judge": (of_says[:, 0, 1, 1], says[0, 1, 1]),
        "accuracy": (accuracy[:, 1], float(share @ np.diagonal(says[1]))),
    }
    return by_rank({name: rank(draws[thin][:N_DRAWS], truth, rng) for name, (draws, truth) in truths.items()})


def collections(rng: Generator, *, n: int = 5) -> Ranked:
    """The mean is flat, and places do not depend on it; tau has its half-normal law, whose scale the errors set."""
    error = np.exp(rng.uniform(-1, 1, n))
    tau = PRIOR_ERRORS * np.median(error) * abs(rng.normal())
    mean, new = rng.normal(0, 5), tau * rng.normal()
    estimates = mean + tau * rng.normal(size=n) + error * rng.normal(size=n)
    found = [combine_with_prior(estimates, error**2, confidence_level=level) for level in LEVELS]
    at_truth = combine_with_prior(estimates - mean, error**2, confidence_level=1e-7)
    below = at_truth.p_value / 2 if at_truth.low > 0 else 1 - at_truth.p_value / 2

    def beyond(level: float) -> float:
        """Say how far from the new one an end of the interval is, above the median for positive levels."""
        ends = combine_with_prior(estimates - mean - new, error**2, confidence_level=abs(level) or 1e-9)
        return ends.new_high if level > 0 else ends.new_low

    limit = 1 - 1e-9
    of_new = (1 + (brentq(beyond, -limit, limit, xtol=1e-6) if beyond(-limit) < 0 < beyond(limit) else np.sign(-beyond(limit)))) / 2
    of_tau = (rng.random() + (tau > found[0].tau)) / 2  # its median is all that is said of it
    ends = {name: [[getattr(one, f"{start}{end}") for one in found] for end in ("low", "high")] for name, start in (("mean", ""), ("new", "new_"))}
    return {
        "mean": (below, missed(mean, *ends["mean"])),
        "new collection": (float(of_new), missed(mean + new, *ends["new"])),
        "tau, by its median": (of_tau, ((np.nan, np.nan),) * len(LEVELS)),
    }


def of_means(draws: Floats, truth: Floats, seen: Floats, rng: Generator) -> Ranked:
    """Return the places of two differences among draws of all means."""
    pairs = {"first two": (0, 1), "best two seen": leaders(seen)}
    return by_rank({name: rank(draws[:, a] - draws[:, b], truth[a] - truth[b], rng) for name, (a, b) in pairs.items()})


def between(rng: Generator, level: float) -> float:
    """Draw a variance of true means whose share of noise is flat in its logarithm, down to a thousandth."""
    return float(level * np.expm1(rng.uniform(0, np.log(1e3))))


def known_covariance(rng: Generator, *, alike: bool = False, n_systems: int = 6) -> Ranked:
    """Means with known errors that go together; kept where what is seen varies up to ten times as much as noise."""
    root = rng.normal(size=(n_systems, n_systems + 4)) * np.exp(rng.uniform(-0.5, 0.5, (n_systems, 1)))
    contrasts = np.eye(n_systems) - 1 / n_systems
    noise = contrasts @ root @ root.T @ contrasts
    inverse, level = np.linalg.pinv(noise), np.trace(noise) / (n_systems - 1)
    while True:
        truth = np.sqrt(between(rng, level)) * rng.normal(size=n_systems) if alike else np.sqrt(between(rng, 1.0)) * (root @ rng.normal(size=root.shape[1]))
        seen = truth + root @ rng.normal(size=root.shape[1])
        size = np.square(seen - seen.mean()).sum() / level if alike else seen @ inverse @ seen
        if size / (n_systems - 1) < 10:
            break
    law = means_posterior(seen, root, 1e6, np.arange(n_systems), root @ root.T if alike else None)
    return of_means(np.concatenate(list(law.draws(MANY, rng))), truth, seen, rng)


def known_errors(rng: Generator, *, n_items: int | None = None, n_systems: int = 6) -> Ranked:
    """Means with errors of their own, known or from a few items; kept as above."""
    error = np.exp(rng.uniform(-0.5, 0.5, n_systems))
    level = float((error**2).mean())
    while True:
        truth = np.sqrt(between(rng, level)) * rng.normal(size=n_systems)
        seen = truth + error * rng.normal(size=n_systems)
        said = error if n_items is None else error * np.sqrt(rng.chisquare(n_items - 1, n_systems) / (n_items - 1))
        if seen.var(ddof=1) / level < 10:
            break
    places = places_of_systems(seen, np.diag(said))
    n = np.full(n_systems, np.nan if n_items is None else n_items)
    return of_means(draws_of_true_means(seen, said, n, places, MANY, rng), truth, seen, rng)


def by_topics(rng: Generator, *, n_systems: int = 6, n_topics: int = 25) -> Ranked:
    """Scores of equal and independent noise, whose covariance the model has to estimate; kept as above."""
    while True:
        truth = np.sqrt(between(rng, 1 / n_topics)) * rng.normal(size=n_systems)
        values = truth[:, None] + rng.normal(size=(1, n_topics)) + rng.normal(size=(n_systems, n_topics))
        if values.mean(axis=1).var(ddof=1) * n_topics < 10:
            break
    units, (scale,) = residuals_of_units(as_scores(values)).scaled()
    places = places_of_systems(units.oriented[0], units.residual[0])
    draws = np.concatenate(list(draws_of_means(units, 0, places, MANY, rng))) * scale
    return of_means(draws, truth, values.mean(axis=1), rng)


def seen_in(apart: Floats) -> SeenDifferences:
    """Return the mean differences of pairs, (pair, topic), with their errors."""
    n_pairs, n_topics = apart.shape
    return SeenDifferences(apart.mean(axis=1), apart.std(axis=1, ddof=1) / np.sqrt(n_topics), np.full(n_pairs, float(n_topics)))


def places_of_effects(law: LikelyEffects, truths: Mapping[str, tuple[int, float]]) -> Ranked:
    """Return the places of the effects of pairs in mixtures of normal laws."""
    return by_rank({name: float(ndtr((true - law.mean[pair]) / np.sqrt(law.variance[pair])) @ law.weight) for name, (pair, true) in truths.items()})


def effect_alone(rng: Generator, *, n_topics: int = 40) -> Ranked:
    """A flat law of the effect, here from -1 to 1: places do not depend on it."""
    true = rng.uniform(-1, 1)
    return places_of_effects(LikelyEffects.alone(seen_in(true + rng.normal(size=(1, n_topics)))), {"effect": (0, true)})


def effects(rng: Generator, *, uneven: bool = False, n_systems: int = 10, n_topics: int = 40) -> Ranked:
    """True effects with a flat law of their spread up to 1, kept where the one seen is from .1 to .5; with uneven noise up to 3, all kept."""
    while True:
        deviation = np.exp(rng.uniform(-0.8, 0.8, n_systems)) if uneven else np.ones(n_systems)
        truth = rng.uniform(0, 3 if uneven else 1) * rng.normal(size=n_systems)
        values = truth[:, None] + deviation[:, None] * rng.normal(size=(n_systems, n_topics))
        if uneven or 0.1 < np.sqrt(max(values.mean(axis=1).var(ddof=1) - 1 / n_topics, 0.0)) < 0.5:
            break
    first, second = all_pairs(n_systems)
    seen = seen_in(values[first] - values[second])
    true = (truth[first] - truth[second]) / np.hypot(deviation[first], deviation[second])
    largest = int(np.argmax(seen.difference))
    law = likely_effects(seen, seen, n_systems=n_systems)
    return places_of_effects(law, {"first two": (0, true[0]), "largest seen": (largest, true[largest])})


@dataclass(frozen=True, slots=True)
class Model:
    """A model and how it is asked once."""

    ask: Callable[[Generator], Ranked]
    function: str
    """What is under test, by module and name, with its method where it has several."""
    replications: int
    exact: bool = True
    """Whether the posterior is exact for these data; others say in their docstring how far it is from that."""

    @property
    def prior(self) -> str:
        """What the truth is drawn from."""
        asked = self.ask.func if isinstance(self.ask, partial) else self.ask
        return str(asked.__doc__)


MODELS = {
    "bayesian_t": Model(closed_form, "models.bayesian_comparison.bayesian_t", 3000),
    "hierarchical, quadrature": Model(all_systems, "models.hierarchical_model.hierarchical quadrature", 1000),
    "hierarchical, scores of any unit": Model(partial(all_systems, any_unit=True), "models.hierarchical_model.hierarchical quadrature", 1000, exact=False),
    "hierarchical, PyMC": Model(partial(all_systems, method="pymc"), "models.hierarchical_model.hierarchical pymc", 40),
    "bayesian_error_rate, fast": Model(error_rates, "models.error_rate_model.bayesian_error_rate fast", 1000, exact=False),
    "bayesian_error_rate, PyMC": Model(partial(error_rates, method="pymc"), "models.error_rate_model.bayesian_error_rate pymc", 30, exact=False),
    "latent_classes": Model(judges, "models.dawid_skene.latent_classes", 20),
    "combine_with_prior": Model(collections, "models.meta_analysis.combine_with_prior", 1000),
    "true means, known covariance": Model(known_covariance, "resampling.true_means.means_posterior", 3000),
    "true means, known covariance, one variance": Model(partial(known_covariance, alike=True), "resampling.true_means.means_posterior", 3000),
    "true means, known errors": Model(known_errors, "resampling.means_and_errors.draws_of_true_means", 3000),
    "true means, errors of 20 items": Model(partial(known_errors, n_items=20), "resampling.means_and_errors.draws_of_true_means", 3000, exact=False),
    "true means, by topics": Model(by_topics, "resampling.true_means.draws_of_means", 3000, exact=False),
    "likely_effects": Model(effects, "tests_stat.likely_effects.likely_effects", 3000, exact=False),
    "likely_effects, alone": Model(effect_alone, "tests_stat.likely_effects.LikelyEffects.alone", 3000, exact=False),
    "likely_effects, uneven noise": Model(partial(effects, uneven=True), "tests_stat.likely_effects.likely_effects", 3000, exact=False),
}
LEFT_OUT = {
    "models.error_rate_posterior": "lays out and counts the draws of `bayesian_error_rate`",
    "models.error_rate_pymc": "samples the law of the row of `bayesian_error_rate` with PyMC",
    "models.true_differences": "draws what `bayesian_error_rate` is made of; its Bayesian bootstrap of the topics has no prior to draw from",
    "models.vote_stand_ins": "says how likely a verdict is, not what is true; how often that comes true is in `vote-stand-ins.md`",
    "resampling.estimates_and_covariance": "ranks the draws of `means_posterior`",
    "resampling.ranks": "ranks the draws of `draws_of_means`; coverage of the ranks is in `rank_interval_coverage.md`",
    "tests_stat.stopping": "weighs evidence by laws of effects that need not be true for its errors to be bounded, and gives no posterior",
}
"""Modules that speak of priors and posteriors and have no row of their own, with the reason."""
HEAD = """# Simulation-based calibration of the Bayesian models

By `python benchmarks/studies/simulation_based_calibration.py{options}` at commit {commit}. A truth is drawn from
the prior, data from the truth, and the truth's place in its posterior should be uniform (Talts et al. 2018): by the
χ² test of {bins} bins, and by the largest distance of its ECDF from the diagonal (Kolmogorov and Smirnov). The last columns
are the shares of truths inside the 50 % and 90 % intervals, and below and above them; their standard errors are
{errors}. Of {n} lines two p-values each, a calibrated one has a p below {bound:.2g} once in twenty such tables.
What PyMC samples takes long: so few replications show gross mistakes alone.

Exact: the posterior is that of the data's own law, so that any departure would be a mistake. Others are approximations, and
their docstrings say how far off they are.

| model | quantity | replications | exact | χ² p | ECDF p | distance | in 50 % | below, above | in 90 % | below, above | verdict |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def places_of(name: str, replications: int, seed: int, workers: int) -> list[Ranked]:
    """Ask a model so often, each time from a seed of its own."""
    seeds = [[seed, crc32(name.encode()), number] for number in range(replications)]
    if workers == 1:
        return [asked(name, one) for one in seeds]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(asked, name), seeds, chunksize=8))


def asked(name: str, seed: list[int]) -> Ranked:
    """Ask a model once; one that refuses is asked again, as a user would with other data."""
    warnings.simplefilter("ignore")
    return MODELS[name].ask(np.random.default_rng(seed))


def uniformity(places: Floats) -> tuple[float, float, float]:
    """Return p of χ² over the bins, p of the ECDF and its largest distance from the diagonal."""
    ecdf = kstest(places, "uniform")
    return float(chisquare(np.histogram(places, BINS, (0.0, 1.0))[0]).pvalue), float(ecdf.pvalue), float(ecdf.statistic)


def table_of(name: str, answers: list[Ranked]) -> pd.DataFrame:
    """Return one row a quantity: tests and coverage."""
    rows = []
    for quantity in answers[0]:
        bins, ecdf, distance = uniformity(np.array([answer[quantity][0] for answer in answers]))
        sides = np.array([answer[quantity][1] for answer in answers]).mean(axis=0)
        cells = {"model": name, "quantity": quantity, "n": len(answers), "exact": MODELS[name].exact, "chi": bins, "ecdf": ecdf, "distance": distance}
        for level, (below, above) in zip(LEVELS, sides, strict=True):
            cells |= {f"in {level}": 1 - below - above, f"below {level}": below, f"above {level}": above}
        rows.append(cells)
    return pd.DataFrame(rows)


def report_of(table: pd.DataFrame, *, options: str) -> str:
    """Return the report."""
    bound = 0.05 / (2 * len(table))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=REPORT.parent).stdout.strip()
    errors = ", ".join(f"{(0.25 / n) ** 0.5:.3f} and {(0.09 / n) ** 0.5:.3f} of {n}" for n in sorted(set(table["n"])))
    lines = [HEAD.format(options=options, commit=commit, bins=BINS, errors=errors, n=len(table), bound=bound)]
    for row in table.to_dict("records"):
        uniform = min(row["chi"], row["ecdf"]) > bound
        verdict = f"off by {row['distance']:.3f}" if not uniform else "calibrated" if row["n"] >= MANY // 2 else "no mistake seen"
        shares = " | ".join(f"{row[f'in {level}']:.3f} | {row[f'below {level}']:.3f}, {row[f'above {level}']:.3f}" for level in LEVELS).replace("nan", "–")
        tests = f"{row['chi']:.2g} | {row['ecdf']:.2g} | {row['distance']:.3f}"
        lines.append(f"| {row['model']} | {row['quantity']} | {row['n']} | {'yes' if row['exact'] else 'no'} | {tests} | {shares} | {verdict} |\n")
    lines += ["\n## What the truths are drawn from\n\n", *(f"- {name} (`{model.function}`): {model.prior}\n" for name, model in MODELS.items())]
    lines += ["\n## Left out\n\n", *(f"- `{name}`: {reason}.\n" for name, reason in LEFT_OUT.items())]
    return "".join(lines)


def main() -> None:
    """Ask every model, and write the report; of some models to standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, help="of every model; by default as many as five minutes allow")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="+", choices=MODELS, default=[*MODELS], metavar="MODEL")
    parser.add_argument("--keep", type=Path, help="folder that keeps what was found of each model, and is not asked for again")
    chosen = parser.parse_args()
    start, tables = time.perf_counter(), []
    for name in chosen.only:
        kept = chosen.keep and chosen.keep / f"{name}.csv"
        if kept and kept.exists():
            tables.append(pd.read_csv(kept))
            continue
        replications = chosen.replications or MODELS[name].replications
        tables.append(table_of(name, places_of(name, replications, chosen.seed, chosen.workers)))
        if kept:
            tables[-1].to_csv(kept, index=False)
        print(tables[-1].round(4).to_string(), f"{time.perf_counter() - start:.0f} s", flush=True)
    options = f" --replications {chosen.replications}" if chosen.replications else ""
    report = report_of(pd.concat(tables, ignore_index=True), options=options)
    if chosen.only == [*MODELS]:
        REPORT.write_text(report, "utf-8")
    else:
        print(report)


if __name__ == "__main__":
    main()
