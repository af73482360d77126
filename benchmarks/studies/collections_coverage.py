"""Do the intervals over collections hold? Simulated sets of collections whose true values vary, or do not.

Every collection has 50 topics; its mean difference of two systems has a true value drawn about the mean of all, and a
paired variance, unlike in every collection (log standard deviation .3). Counted is how often the interval of the mean
holds that mean, and the prediction interval the true value of a new collection; and how often a mean of 0 is found to
differ from 0, of two to five collections, also where their errors are very unlike (.8).

    python benchmarks/studies/collections_coverage.py    # writes benchmarks/reports/collections_coverage.md
"""

from pathlib import Path

import numpy as np
import pymc
from scipy.special import stdtrit

from metaeval.models.meta_analysis import PRIOR_ERRORS, Together, combine, combine_with_prior

REPORT = Path(__file__).parents[1] / "reports" / "collections_coverage.md"
SAMPLES, TOPICS = 4000, 50
UNLIKE, VERY_UNLIKE = 0.3, 0.8
FEW, TAUS, LEVEL = (2, 3, 4, 5), (0.0, 0.5, 1.0, 2.0, 5.0), 0.05


def sets(k: int, tau: float, seed: int, unlike: float = UNLIKE) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return estimates and variances (sample, collection) of a mean of 0, and the value of a new collection."""
    generator = np.random.default_rng(seed)
    errors = np.exp(generator.normal(0.0, unlike, (SAMPLES, k)))
    true = generator.normal(0.0, tau, (SAMPLES, k))
    differences = generator.normal(0.0, 1.0, (SAMPLES, k, TOPICS)) * (errors * np.sqrt(TOPICS))[..., None]
    estimates = true + differences.mean(axis=-1)
    return estimates, differences.var(axis=-1, ddof=1) / TOPICS, generator.normal(0.0, tau, SAMPLES)


def held(found: list[Together], new: np.ndarray) -> tuple[float, float, float]:
    """Return the coverage of the mean, that of the prediction interval, and the median width of the latter."""
    mean = np.mean([one.low <= 0.0 <= one.high for one in found])
    ahead = np.mean([one.new_low <= value <= one.new_high for one, value in zip(found, new, strict=True)])
    return float(mean), float(ahead), float(np.median([one.new_high - one.new_low for one in found]))


def false_alarms(k: int, tau: float, unlike: float) -> tuple[float, float]:
    """Return how often p is below the level where the mean is 0: as `combine` has it, and without its floor."""
    estimates, variances, _ = sets(k, tau, 1000 * k + int(10 * tau), unlike)
    together = [combine(y, v) for y, v in zip(estimates, variances, strict=True)]
    mean, tau2 = (np.array([getattr(row, name) for row in together])[:, None] for name in ("mean", "tau"))
    weights = 1.0 / (variances + tau2**2)
    error = np.sqrt((weights * (estimates - mean) ** 2).sum(axis=1) / (k - 1) / weights.sum(axis=1))
    plain = np.abs(mean[:, 0]) > stdtrit(k - 1, 1.0 - LEVEL / 2.0) * error
    return float(np.mean([row.p_value < LEVEL for row in together])), float(plain.mean())


def alarm_rows() -> list[str]:
    """Return a row for each number of collections and spread of their errors, a cell for each tau."""
    rows = []
    for unlike in (UNLIKE, VERY_UNLIKE):
        for k in FEW:
            cells = [false_alarms(k, tau, unlike) for tau in TAUS]
            rows.append(
                f"| {k} | {unlike:g} | " + " | ".join(f"{ours:.3f} ({plain:.3f})" for ours, plain in cells) + " |"
            )
            print(rows[-1], flush=True)
    return rows


def sampled_by_pymc(estimates: np.ndarray, variances: np.ndarray) -> list[float]:
    """Return mean and ends of the posterior of the mean, and of a new value, as PyMC samples them."""
    with pymc.Model():
        tau = pymc.HalfNormal("tau", PRIOR_ERRORS * float(np.sqrt(np.median(variances))))
        mean = pymc.Flat("mean")
        offsets = pymc.Normal("offsets", 0.0, 1.0, shape=len(estimates))
        pymc.Normal("estimates", mean + tau * offsets, np.sqrt(variances), observed=estimates)
        pymc.Normal("new", mean, tau)
        draws = pymc.sample(20_000, tune=2000, chains=4, cores=1, random_seed=1, target_accept=0.95, progressbar=False)
    means, new = (draws.posterior[name].to_numpy().ravel() for name in ("mean", "new"))
    return [means.mean(), *np.quantile(means, (0.025, 0.975)), *np.quantile(new, (0.025, 0.975))]


def coverage_rows() -> list[str]:
    """Return a row for each number of collections and tau: how often intervals hold, and how wide they are."""
    rows = []
    for k in (3, 5, 10):
        for tau in (0.0, 0.5, 2.0):
            estimates, variances, new = sets(k, tau, 100 * k + int(10 * tau))
            plain = held([combine(y, v) for y, v in zip(estimates, variances, strict=True)], new)
            prior = held([combine_with_prior(y, v) for y, v in zip(estimates, variances, strict=True)], new)
            figures = [f"{figure:.3f}" for figure in (*plain[:2], *prior[:2])] + [f"{plain[2]:.1f}", f"{prior[2]:.1f}"]
            rows.append(f"| {k} | {tau:g} | {' | '.join(figures)} |")
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Write the report."""
    alarms, rows = alarm_rows(), coverage_rows()
    y, v = np.array([0.1, 0.9, 0.4]), np.array([0.04, 0.09, 0.02])
    exact = combine_with_prior(y, v)
    grid = [exact.mean, exact.low, exact.high, exact.new_low, exact.new_high]
    pairs = zip(("mean", "low", "high", "new low", "new high"), grid, sampled_by_pymc(y, v), strict=True)
    check = [f"| {name} | {ours:.3f} | {theirs:.3f} |" for name, ours, theirs in pairs]
    head = (
        "| collections | τ | mean | new one | mean, prior | new one, prior | width, new | with prior |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    bound = LEVEL + 2.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / SAMPLES)
    text = f"""# Intervals over collections

Made by `python benchmarks/studies/collections_coverage.py`: {SAMPLES} sets a row, {TOPICS} topics a collection; τ is in
typical sampling errors. Shares near .95 have a standard error of .003. "Mean": the interval of Hartung and Knapp, with
a variance factor of 1 at least, holds the mean of all collections; "new one": the interval of Higgins, Thompson and
Spiegelhalter holds the true value of a new collection; beside them the same with the half-normal prior
(`--bayesian`), and the median widths for a new one.

Without heterogeneity any interval for a new collection holds too often, since τ is not known to be 0; with a τ of half
a sampling error, which ten collections often show as 0, that of Higgins holds too seldom. No interval can do both
better: wide enough for the latter, it is wider than the former needs.

{head}
{chr(10).join(rows)}

## A mean of 0 found to differ

Share of sets with p < {LEVEL:g}, by the number of collections, by how unlike their errors are (log standard deviation)
and by τ; in brackets without the floor of the variance factor. {LEVEL:g} and two standard errors are {bound:.3f}. Where
errors are much alike no cell with the floor lies above that. Two collections hardly ever show a mean: Student's t with
one degree of freedom asks for one of 12.7 standard errors. Where errors differ by factors of five and true values by
as much as they, some cells lie above it: the weights then follow a τ that is itself estimated from few.

| collections | errors unlike | {" | ".join(f"τ = {tau:g}" for tau in TAUS)} |
|---|---|{"---|" * len(TAUS)}
{chr(10).join(alarms)}

## Quadrature

Three estimates (.1, .9, .4; variances .04, .09, .02) with the prior: by quadrature, and as PyMC samples them (80,000
draws).

| | quadrature | PyMC |
|---|---|---|
{chr(10).join(check)}
"""
    REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
