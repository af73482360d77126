# ruff: noqa: RUF001 - signs are meant for people
"""Where statsmodels could do our work: the same numbers, and what each takes in processor time.

Usage: python benchmarks/beside_statsmodels.py

Writes `benchmarks/reports/beside_statsmodels.md`. The equality of the numbers is what the tests check, too.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_estimating_equations import GEE
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.multitest import multipletests

from metaeval import as_scores, paired_t_test
from metaeval.models import bradley_terry, variance_components
from metaeval.models.meta_analysis import combine
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes
from metaeval.tests_stat.correction import adjust

REPORT = Path(__file__).parent / "reports" / "beside_statsmodels.md"
PARTS = {"s": "0 + C(s)", "i": "0 + C(i)"}


def seconds[T](work: Callable[[], T]) -> tuple[T, float]:
    """Return what the second call finds, and the processor time that it takes."""
    work()
    begun = process_time()
    return work(), process_time() - begun


def votes(n_systems: int, n_votes: int, n_questions: int, by: tuple[str, ...] = ("question",)) -> str:
    """Fit strengths with errors clustered by question, and by voter too."""
    made = as_votes(
        simulate_votes(n_systems=n_systems, n_votes=n_votes, n_questions=n_questions, n_voters=500, ties=0, rng=1)
    )
    design = np.zeros((len(made.share), len(made.systems)))
    design[np.arange(len(design)), made.left] = 1
    design[np.arange(len(design)), made.right] -= 1
    units = np.column_stack([made.units[kind] for kind in by])
    groups = {"groups": units if len(by) > 1 else units[:, 0], "use_correction": False}
    ours, own = seconds(lambda: bradley_terry(made, clusters=list(by)))
    model = GLM(made.share, design[:, 1:], family=Binomial())
    theirs, other = seconds(lambda: model.fit(cov_type="cluster", cov_kwds=groups, tol=1e-14))
    apart = np.abs(theirs.params - (ours.strengths[1:] - ours.strengths[0])).max()
    errors = ours.comparison().data["standard_error"].to_numpy()[0, : n_systems - 1]  # of the first with the others
    model_of = f"GLM, clusters: {' and '.join(by)}"
    what = f"strengths of {n_systems} systems from {n_votes:,} votes on {n_questions} questions | {model_of}"
    return f"| {what} | {apart:.0e} | {np.median(theirs.bse / errors):.2f} | {own:.3f} s | {other:.3f} s |"


def components(n_systems: int, n_items: int) -> str:
    """Fit components of systems and items, a quarter of the scores missing."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(n_systems, 1)) + rng.normal(size=(1, n_items)) + rng.normal(size=(n_systems, n_items))
    values[rng.random(values.shape) < 1 / 4] = np.nan
    frame = pd.DataFrame(np.argwhere(np.isfinite(values)), columns=["s", "i"])
    frame = frame.assign(y=values[np.isfinite(values)], all=1)
    scores = as_scores(values, missing="pairwise")
    found, own = seconds(lambda: variance_components(scores))
    asked = {"groups": "all", "vc_formula": PARTS, "re_formula": "0", "data": frame}
    theirs, other = seconds(lambda: MixedLM.from_formula("y ~ 1", **asked).fit(reml=True))
    ours = found.components["variance"].to_numpy()
    apart = np.abs(np.sort(ours) / np.sort([*theirs.vcomp, theirs.scale]) - 1).max()
    what = f"components of {n_systems} systems × {n_items} items, a quarter missing | MixedLM, REML"
    return f"| {what} | {apart:.0e} | – | {own:.3f} s | {other:.3f} s |"


def intervals_of_components(n_systems: int, n_items: int, samples: int = 300) -> str:
    """Count how often intervals of the systems' variance hold it, over that of the residual (both are 1)."""
    rng, held = np.random.default_rng(6), np.zeros(2)
    for _ in range(samples):
        values = rng.normal(size=(n_systems, 1)) + rng.normal(size=(1, n_items)) + rng.normal(size=(n_systems, n_items))
        row = variance_components(as_scores(values)).components.set_index("component").loc["system"]
        frame = pd.DataFrame(np.argwhere(np.isfinite(values)), columns=["s", "i"]).assign(y=values.ravel(), all=1)
        asked = {"groups": "all", "vc_formula": PARTS, "re_formula": "0", "data": frame}
        low, high = MixedLM.from_formula("y ~ 1", **asked).fit(reml=True).conf_int().loc["s Var"]
        held += [row["low"] <= 1.0 <= row["high"], low <= 1.0 <= high]
    own, other = held / samples
    what = f"95 % intervals of the variance of {n_systems} systems, {n_items} items, that hold it | MixedLM, REML"
    return f"| {what} | – | ours {own:.2f}, its {other:.2f} | – | – |"


def clusters_of_topics() -> str:
    """Find the standard error of a mean difference over twelve clusters of unlike sizes."""
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), [2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7, 8])
    difference = rng.normal(size=len(groups)) + rng.normal(size=12)[groups]
    names = [f"q{number}" for number in range(len(groups))]
    scores = as_scores(
        [difference, np.zeros(len(groups))], topics=names, clusters=dict(zip(names, map(str, groups), strict=True))
    )
    ours, own = seconds(lambda: paired_t_test(scores))
    asked = GEE(difference, np.ones((len(groups), 1)), groups=groups)
    theirs, other = seconds(lambda: asked.fit(cov_type="bias_reduced"))
    data = ours.data.isel(metric=0, pair=0)
    ratio = theirs.bse.item() / data["standard_error"].item()
    what = f"mean difference of {len(groups)} topics in 12 clusters (CR2) | GEE, bias-reduced errors"
    apart = abs(theirs.params.item() - data["difference"].item())
    return f"| {what} | {apart:.0e} | {ratio:.2f} | {own:.4f} s | {other:.4f} s |"


def holm(n: int = 276) -> str:
    """Correct the p-values of all pairs of 24 systems."""
    p_values = np.random.default_rng(1).random(n)
    ours, own = seconds(lambda: adjust(p_values, "holm"))
    theirs, other = seconds(lambda: multipletests(p_values, method="holm")[1])
    what = f"Holm's correction of {n} p-values | multipletests"
    return f"| {what} | {np.abs(ours - theirs).max():.0e} | – | {own:.4f} s | {other:.3f} s |"


def collections(k: int = 11) -> str:
    """Put estimates of collections together, which statsmodels does for us."""
    rng = np.random.default_rng(3)
    estimates, variances = rng.normal(0.1, 0.2, k), rng.uniform(0.005, 0.02, k)
    ours, own = seconds(lambda: combine(estimates, variances))
    theirs, other = seconds(lambda: combine_effects(estimates, variances, use_t=True))
    apart = abs(theirs.mean_effect_re - ours.mean)
    what = f"mean of {k} collections, random effects | combine_effects, called by `combine`"
    return f"| {what} | {apart:.0e} | 1.00 | {own:.4f} s | {other:.4f} s |"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of convergence, of the other side
    rows = [votes(10, 2_000, 200), votes(60, 9_000, 13), votes(10, 2_000, 200, by=("question", "voter"))]
    rows += [components(7, 20), components(20, 40), components(40, 80), intervals_of_components(7, 20)]
    rows += [clusters_of_topics(), holm(), collections()]
    head = (
        "| task | statsmodels | numbers apart | its errors over ours | ours | statsmodels |\n|---|---|---|---|---|---|"
    )
    text = "\n".join(
        ["# Beside statsmodels", "", "`python benchmarks/beside_statsmodels.py`, processor time.", "", head, *rows, ""]
    )
    REPORT.write_text(text, encoding="utf-8")
    print(text)
