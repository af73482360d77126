"""Do the topics said to be needed reach what they are needed for? (run by `real_populations.py`).

The number that separates a pair of systems with a chance of .8: the share of the pairs of a fresh sample of so many
topics that the paired t test calls different. Beside it the number for the effect seen, which was said before. And the
number that a metric needs for an error rate of 5 %: the true error rate of two topic sets of that size.
"""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from populations import Floats, Population, judged, mean_and_error, samples
from real_error_rates import DRAWS, LIMIT, SIZES, true_rates
from scipy.stats import t

from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.sample_size import units_for_effect
from metaeval.models.separation import topics_to_separate
from metaeval.table.scores import as_scores
from metaeval.tests_stat.noncentral_t import two_sided_power

POWER, ALPHA, MOST = 0.8, 0.05, 20
SAMPLES, SYSTEMS = 8, 20
SETTINGS = ((50, 20), (25, 20), (100, 20), (50, 10), (50, 4), (50, 2), (50, None))
"""Topics at hand and systems."""
MOST_SYSTEMS = 60
KINDS = {"all pairs": "all", "neighbours": "adjacent", "best and next": "top", "not significant": "open"}
FRESH = 40
"""Pairs of a sample that are tested on fresh topics."""
CLOSE, WRONG, SPREAD = 0.02, 0.03, 0.1


def judge(tables: list[Population], scale: float = 1.0) -> pd.DataFrame:
    """Return a row a table, setting and sample."""
    return judged(tables, _rows, n_samples=max(2, round(SAMPLES * scale)))


def _rows(table: Population, n_samples: int) -> list[dict[str, Any]]:
    rows = []
    for n_topics, n_systems in SETTINGS:
        if n_systems is None and len(table.scores) <= SYSTEMS:
            continue
        few = n_systems is not None and n_systems < SYSTEMS
        for sample in samples(table, n_topics=n_topics, n_systems=n_systems, n_samples=n_samples * (1 + 2 * few)):
            truth, seen = sample.truth[:MOST_SYSTEMS], sample.seen[:MOST_SYSTEMS]
            row = {"topics": n_topics, "systems": n_systems or "all"} | _of_pairs(truth, seen, sample.seed)
            rows.append(row | (_of_rates(truth, seen, sample.seed) if n_systems == SYSTEMS else {}))
    return rows


def _of_pairs(truth: Floats, seen: Floats, seed: int) -> dict[str, float]:
    """Return the true power with the topics said to be needed, by kind of pair, before and now, and the verdicts."""
    names = [f"s{place}" for place in range(len(seen))]
    frame = topics_to_separate(as_scores(seen, systems=names), pairs="all", alpha=ALPHA, power=POWER).to_frame()
    places = {name: place for place, name in enumerate(dict.fromkeys([*frame["first"], *frame["second"]]))}
    step = frame["second"].map(places) - frame["first"].map(places)
    first, second = (truth[[names.index(name) for name in frame[side]]] for side in ("first", "second"))
    apart = first - second
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = apart.mean(axis=1) / apart.std(axis=1)
    freedom = seen.shape[1] - 1
    chosen = {
        "all": np.ones(len(frame), dtype=bool),
        "adjacent": (step == 1).to_numpy(),
        "top": (step == 1).to_numpy() & (frame["first"] == next(iter(places))).to_numpy(),
        "open": (np.abs(frame["effect"]) * np.sqrt(freedom + 1) < t.isf(ALPHA / 2, freedom)).to_numpy(),
    }
    inside = (frame["likely_low"] <= effect) & (effect <= frame["likely_high"])
    found = {}
    for way, needed in (
        ("before", units_for_effect(frame["effect"].to_numpy(), power=POWER)),
        ("now", frame["topics_needed"].to_numpy()),
    ):
        with np.errstate(invalid="ignore"):
            usable = np.isfinite(effect) & (needed <= MOST * seen.shape[1]) & (needed > 1)
        power = np.full(len(frame), np.nan)
        power[usable] = two_sided_power(effect[usable] * np.sqrt(needed[usable]), needed[usable] - 1.0, alpha=ALPHA)
        for kind, members in chosen.items():
            planned = usable & members
            found[f"{way}, {kind}"] = power[planned].mean() if planned.any() else np.nan
            found[f"{way}, {kind}: planned"] = planned.sum() / members.sum() if members.any() else np.nan
        found[f"{way}, verdict"] = _verdicts(apart[usable], needed[usable], seed)
    return found | {"held": inside[np.isfinite(effect)].mean()}


def _verdicts(apart: Floats, needed: Floats, seed: int) -> float:
    """Return in what share of some pairs the t test finds a difference on so many fresh topics."""
    rng = np.random.default_rng(seed)
    seen = []
    for place in rng.permutation(len(apart))[:FRESH]:
        drawn = apart[place, rng.integers(0, apart.shape[1], int(needed[place]))]
        spread = drawn.std(ddof=1)
        seen.append(abs(drawn.mean()) * np.sqrt(len(drawn)) > t.isf(ALPHA / 2, len(drawn) - 1) * spread > 0.0)
    return float(np.mean(seen)) if seen else np.nan


def _of_rates(truth: Floats, seen: Floats, seed: int) -> dict[str, float]:
    """Return the true error rate with the topics that a metric is said to need for one of 5 %."""
    model = bayesian_error_rate(as_scores(seen), tolerances=[0.0], n_draws=DRAWS, rng=seed)
    needed = float(np.median(model.tree["posterior"]["minimum_topics"].to_numpy()))
    rates = true_rates(truth)
    rate = float(np.interp(np.log(needed), np.log(SIZES), rates)) if np.isfinite(needed) else np.nan
    return {"rate": rate, "rate reached": float(rate <= LIMIT) if np.isfinite(rate) else np.nan}


def section(rows: pd.DataFrame) -> str:
    """Write the section."""
    lines = ["## Topics needed, against their own aim", "", fill(WORDS, 120), ""]
    head = " | ".join(f"{name}: before, now (planned)" for name in KINDS)
    lines += [f"| tables | at hand | systems | {head} | tested: before, now | true effect held |", "|" + "---|" * 9]
    for (matrix, n_topics, n_systems), part in _groups(rows, "topics", "systems"):
        cells = []
        for kind in KINDS.values():
            planned = part[f"now, {kind}: planned"].mean()
            cells.append(f"{_cell(part, f'before, {kind}')}, {_cell(part, f'now, {kind}')}, {planned:.2f}")
        cells += [f"{_cell(part, 'before, verdict')}, {_cell(part, 'now, verdict')}", _cell(part, "held")]
        lines.append(f"| {'the 48' if matrix else 'others'} | {n_topics} | {n_systems} | {' | '.join(cells)} |")
    lines += ["", "The number of topics for an error rate of 5 % (`topics`), 20 systems:", ""]
    lines += ["| tables | at hand | error rate | reach 5 % |", "|" + "---|" * 4]
    for (matrix, n_topics), part in _groups(rows[rows["rate"].notna()], "topics"):
        cells = f"{_cell(part, 'rate')} | {_cell(part, 'rate reached')}"
        lines.append(f"| {'the 48' if matrix else 'others'} | {n_topics} | {cells} |")
    return "\n".join(lines) + "\n"


def _groups(rows: pd.DataFrame, *names: str) -> Any:  # noqa: ANN401 - pandas' own
    return rows.groupby(["matrix", *names], sort=False)


def _cell(part: pd.DataFrame, name: str) -> str:
    mean, error = mean_and_error(part.astype({"table": str}).groupby("table")[name].mean().dropna())
    return f"{mean:.3f} ({error:.3f})"


WORDS = f"""`topics_to_separate`, for a chance of {POWER} that the paired t test calls a pair different at {ALPHA} on so
many other topics. Power: what the test has at the pair's true effect with the topics said to be needed; before: for the
effect seen, now: over all that the true effect may be. Planned: share of the pairs that need {MOST} times the topics at
hand at most, now; the others are left out. Tested: share of up to {FRESH} of these pairs a sample that the test calls
different on fresh topics. Held: share of all pairs whose true effect is in the 95 % interval of what is likely.
All systems: {MOST_SYSTEMS} at most."""


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where what is reached lies further from what was asked for than two or three points and four errors."""
    missed = []
    for (matrix, n_topics, n_systems), part in _groups(rows, "topics", "systems"):
        where = f"{n_topics} topics, {n_systems} systems, {matrix=}"
        for name, aim, close in (("rate", LIMIT, CLOSE), ("now, all", POWER, WRONG), ("now, verdict", POWER, WRONG)):
            values = part.astype({"table": str}).groupby("table")[name].mean().dropna()
            mean, error = mean_and_error(values) if len(values) else (aim, 0.0)
            error = max(error, SPREAD / len(part) ** 0.5)  # of few tables the error is not known
            if abs(mean - aim) > close + 4.0 * error:
                missed.append(f"{where}: {name} {mean:.3f} ({error:.3f})")
    return missed
