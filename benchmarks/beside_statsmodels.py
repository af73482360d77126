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
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.mixed_linear_model import MixedLM

from metaeval import as_scores
from metaeval.models import bradley_terry, variance_components
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes

REPORT = Path(__file__).parent / "reports" / "beside_statsmodels.md"
PARTS = {"s": "0 + C(s)", "i": "0 + C(i)"}


def seconds[T](work: Callable[[], T]) -> tuple[T, float]:
    """Return what the second call finds, and the processor time that it takes."""
    work()
    begun = process_time()
    return work(), process_time() - begun


def votes(n_systems: int, n_votes: int, n_questions: int) -> str:
    """Fit strengths with errors clustered by question."""
    made = as_votes(
        simulate_votes(n_systems=n_systems, n_votes=n_votes, n_questions=n_questions, n_voters=500, ties=0, rng=1)
    )
    design = np.zeros((len(made.share), len(made.systems)))
    design[np.arange(len(design)), made.left] = 1
    design[np.arange(len(design)), made.right] -= 1
    groups = {"groups": made.units["question"], "use_correction": False}
    ours, own = seconds(lambda: bradley_terry(made, clusters=["question"]))
    model = GLM(made.share, design[:, 1:], family=Binomial())
    theirs, other = seconds(lambda: model.fit(cov_type="cluster", cov_kwds=groups, tol=1e-14))
    apart = np.abs(theirs.params - (ours.strengths[1:] - ours.strengths[0])).max()
    errors = ours.comparison().data["standard_error"].to_numpy()[0, : n_systems - 1]  # of the first with the others
    what = f"strengths of {n_systems} systems from {n_votes:,} votes on {n_questions} questions | GLM, cluster-robust"
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of convergence, of the other side
    rows = [votes(10, 2_000, 200), votes(60, 9_000, 13), components(7, 20), components(20, 40), components(40, 80)]
    head = (
        "| task | statsmodels | numbers apart | its errors over ours | ours | statsmodels |\n|---|---|---|---|---|---|"
    )
    text = "\n".join(
        ["# Beside statsmodels", "", "`python benchmarks/beside_statsmodels.py`, processor time.", "", head, *rows, ""]
    )
    REPORT.write_text(text, encoding="utf-8")
    print(text)
