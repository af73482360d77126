# ruff: noqa: RUF001, RUF002 - Greek letters are meant for people
"""Do intervals of variance components cover, and do recommended designs reach their target? Simulated designs.

Every setting has known components: normal and skewed effects by construction, 0/1 scores by the bivariate normal
distribution behind them. A board of a setting is drawn, with its gaps, and the shipped function asked: do the intervals
of the shares, Eρ², Φ and the items needed hold the truth, and does the design that it recommends for a dependability
have it?

    python benchmarks/studies/variance_component_coverage.py              # writes the report of the same name
    python benchmarks/studies/variance_component_coverage.py --boards 20  # fewer boards, to standard output
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom, multivariate_normal

from metaeval.models.components import variance_components

REPORT = Path(__file__).parents[1] / "reports" / "variance_component_coverage.md"
SEED = 202612
TARGET = 0.9
LEAST = 0.93
ASSURANCE = 0.9
FEWEST_OF_PILOT = 30
ABOVE = ": truth above"
type Floats = NDArray[np.float64]

SHAPES = {
    "system": (0, None, None, None),
    "item": (None, None, 2, None),
    "system x item": (0, None, 2, None),
    "judge": (None, 1, None, None),
    "system x judge": (0, 1, None, None),
    "judge x item": (None, 1, 2, None),
    "system x judge x item": (0, 1, 2, None),
    "repeat": (0, 1, 2, 3),
}
"""The axes of (system, judge, item, repeat) along which each effect varies."""
TWO = {"system": 0.3, "item": 1.0, "system x item": 1.0}
REPEATED = TWO | {"repeat": 0.5}
JUDGED = TWO | {"judge": 0.1, "system x judge": 0.05, "judge x item": 0.2, "system x judge x item": 0.5}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Boards of one kind."""

    n_systems: int
    n_items: int
    n_judges: int = 1
    n_repeats: int = 1
    gaps: float = 0.0
    kind: str = "normal"

    def components(self) -> dict[str, float]:
        """Return the components behind the scores."""
        return JUDGED if self.n_judges > 1 else REPEATED if self.n_repeats > 1 else TWO

    def truth(self) -> dict[str, float]:
        """Return the components of the scores."""
        latent = self.components()
        if self.kind != "0/1":
            return latent
        # the probit of a score has a residual of variance 1; without repeats it belongs to systems x items
        total = sum(latent.values()) + 1.0

        def both(share: float) -> float:
            return float(multivariate_normal.cdf([0, 0], cov=[[1, share / total], [share / total, 1]], abseps=1e-9))

        main = {name: both(latent[name]) - 0.25 for name in ("system", "item")}
        given = latent["system"] + latent["item"] + latent["system x item"]
        if self.n_repeats == 1:
            return main | {"system x item": 0.25 - sum(main.values())}
        pair = both(given) - 0.25 - sum(main.values())
        return main | {"system x item": pair, "repeat": 0.25 - sum(main.values()) - pair}

    def draw(self, rng: np.random.Generator) -> Floats:
        """Return scores (metric, system, item, repeat); judges take the place of metrics."""
        sizes = (self.n_systems, self.n_judges, self.n_items, self.n_repeats)
        values = np.zeros(sizes)
        for name, variance in self.components().items():
            shape = [1 if axis is None else sizes[axis] for axis in SHAPES[name]]
            skewed = self.kind == "skewed throughout" or (self.kind == "skewed" and name != "system")
            made = rng.exponential(size=shape) - 1.0 if skewed else rng.normal(size=shape)
            values = values + np.sqrt(variance) * made
        if self.kind == "0/1":
            values = (values + rng.normal(size=sizes) > 0).astype(float)
        values[rng.random(sizes) < self.gaps] = np.nan
        return values.transpose(1, 0, 2, 3)


KINDS = ("normal", "skewed", "skewed throughout", "0/1")
"""Exponential are the effects of items, of both and of repeats; throughout, those of systems too."""
SETTINGS = (
    [
        Setting(n_systems=systems, n_items=items, gaps=gaps, kind=kind)
        for systems, items in ((5, 20), (5, 100), (20, 50), (60, 200))
        for gaps in (0.0, 0.3)
        for kind in KINDS
    ]
    + [
        Setting(n_systems=systems, n_items=items, n_repeats=repeats, gaps=gaps, kind=kind)
        for systems, items, repeats in ((8, 30, 3), (20, 100, 5))
        for gaps in (0.0, 0.4)
        for kind in KINDS
    ]
    + [Setting(n_systems=10, n_items=40, n_judges=4, gaps=gaps, kind=kind) for gaps in (0.0, 0.1) for kind in KINDS[:3]]
)


def coefficients(truth: dict[str, float], items: float, judges: int, repeats: int) -> dict[str, float]:
    """Return Eρ² and Φ of a design."""
    divided = {"item": items, "judge": judges, "repeat": items * judges * repeats}
    parts = {
        name: value
        / (divided[name] if name in divided else (items if "item" in name else 1) * (judges if "judge" in name else 1))
        for name, value in truth.items()
        if name != "system"
    }
    relative = sum(value for name, value in parts.items() if "system" in name or name == "repeat")
    own = truth["system"]
    return {"erho2": own / (own + relative), "phi": own / (own + sum(parts.values()))}


def one_board(setting: Setting, rng: np.random.Generator) -> dict[str, float]:
    """Ask the shipped function."""
    truth = setting.truth()
    found = variance_components(_scores(setting.draw(rng)), judges=setting.n_judges > 1)
    row: dict[str, float] = {}

    def judge(name: str, low: float, true: float, high: float) -> None:
        row[name] = low <= true <= high
        row[f"{name}{ABOVE}"] = true > high

    total = sum(truth.values())
    for one in found.components.itertuples():
        name = str(one.component).replace("topic", "item")
        key = next(key for key in truth if sorted(key.split(" x ")) == sorted(name.split(" x ")))
        if key in {"system", "system x item"}:
            judge(f"share {key}", one.share_low - 1e-12, truth[key] / total, one.share_high + 1e-12)
    at_hand = found.dependability.iloc[0]
    true = coefficients(truth, setting.n_items, setting.n_judges, setting.n_repeats)
    plan = found.plan([setting.n_items], judges=[setting.n_judges], repeats=[setting.n_repeats]).iloc[0]
    for which in ("erho2", "phi"):
        judge(which, plan[f"{which}_low"], true[which], plan[f"{which}_high"])
        needed = found.needed(TARGET, stability=which, judges=setting.n_judges, repeats=setting.n_repeats).iloc[0]
        enough = (
            next(
                (
                    n
                    for n in range(1, 200_000)
                    if coefficients(truth, n, setting.n_judges, setting.n_repeats)[which] >= TARGET
                ),
                np.inf,
            )
            if setting.n_judges == 1
            else np.nan
        )
        if np.isfinite(enough):
            judge(f"items {which}", needed["low"], enough, needed["high"])
    best = found.cheapest(target=TARGET, population="others")
    plans = best[best["goal"] == "target"]
    if len(plans):
        plan = plans.iloc[0]
        reached = coefficients(truth, plan["items"], int(plan["judges"]), int(plan["repeats"]))["erho2"]
        row["plan"] = reached >= TARGET * (1 - 1e-9)
    row["width"] = at_hand["erho2_high"] - at_hand["erho2_low"]
    return row


def _scores(values: Floats) -> object:
    from metaeval.table.scores import as_scores

    return as_scores(values, missing="pairwise")


def studied(n_boards: int) -> Iterator[dict[str, object]]:
    """Return a row a setting."""
    for place, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([SEED, place])
        boards = n_boards if setting.gaps == 0.0 else max(n_boards // 4, 5)
        rows = pd.DataFrame([one_board(setting, rng) for _ in range(boards)])
        yield {
            "systems": setting.n_systems,
            "items": setting.n_items,
            "judges": setting.n_judges,
            "repeats": setting.n_repeats,
            "gaps": f"{setting.gaps:.0%}",
            "scores": setting.kind,
            "boards": boards,
            **rows.astype(float).mean().to_dict(),
            "plans": int(rows["plan"].notna().sum()) if "plan" in rows else 0,
        }


def by_side(every: pd.DataFrame) -> str:
    """Write how often the truth is above and below each kind of interval, by the kind of scores."""
    names = [str(name).removesuffix(ABOVE) for name in every if str(name).endswith(ABOVE)]
    lines = [["scores", *names], ["---"] * (len(names) + 1)]
    for kind, part in every.groupby("scores", sort=False):
        cells = [str(kind)]
        for name in names:
            own = part.dropna(subset=name)
            weight = own["boards"] / own["boards"].sum()
            above = float((own[f"{name}{ABOVE}"] * weight).sum())
            below = float(((1.0 - own[name]) * weight).sum()) - above
            errors = [np.sqrt(max(share * (1.0 - share), 1e-4) / own["boards"].sum()) for share in (above, below)]
            cells.append(f"{above:.3f} ({errors[0]:.3f}), {below:.3f} ({errors[1]:.3f})")
        lines.append(cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def main() -> None:
    """Study every setting, and write the report or show it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, help="boards a setting without gaps; a quarter with them")
    given = parser.parse_args()
    n_boards = given.boards or 400
    began = time.perf_counter()
    every = pd.DataFrame(studied(n_boards))
    table = every[[name for name in every if not str(name).endswith(ABOVE)]]
    rows = [list(table), ["---"] * table.shape[1], *table.round(3).astype(object).fillna("").to_numpy().tolist()]
    shown = "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
    held = table["scores"] != "skewed throughout"
    names = [name for name in table if str(name).startswith(("share", "erho2", "phi", "items "))]
    covered = table.loc[held, names].to_numpy()
    planned = table[held & (table["items"] >= FEWEST_OF_PILOT) & (table["plans"] > 0)]
    reached = (planned["plan"] * planned["plans"]).round()
    # below by more than chance, at level .05 over all rows
    short = binom.cdf(reached, planned["plans"], ASSURANCE) < 0.05 / len(planned)
    words = f"""# Coverage of intervals of variance components

Made by `python benchmarks/studies/variance_component_coverage.py --boards {n_boards}`, so many boards a row without gaps and a quarter of
them with gaps ({time.perf_counter() - began:.0f} s). Nominal level 95%. A column is the share of boards whose interval
holds the truth: of a component's share, of Eρ² and Φ,
of the items needed for {TARGET}. "plan": share of the "plans", the designs recommended for Eρ² {TARGET}, that have it
(asked: {ASSURANCE}; a board for which no design is sure enough has none). "width": mean width of the interval of Eρ².

Plans from {FEWEST_OF_PILOT} items or more, but for systems that are skewed themselves: {int(reached.sum())} of
{int(planned["plans"].sum())} reach their target ({reached.sum() / planned["plans"].sum():.3f}); of {len(planned)} rows
{int((planned["plan"] < ASSURANCE).sum())} lie below {ASSURANCE}, the lowest at {planned["plan"].min():.3f}, and
{int(short.sum())} by more than chance.

Skewed: effects of items, of both and of repeats are exponential; throughout: those of systems too, where few systems
cannot show how long the tail is. Of the other rows, {int((covered < LEAST).sum())} of {np.isfinite(covered).sum()}
entries lie below {LEAST}; the lowest is {np.nanmin(covered):.3f}.

{shown}

By side: the share of boards whose truth is above and below the interval, by the kind of scores; in brackets the standard
error of either over the rows of that kind.

{by_side(every)}
"""
    if given.boards:
        sys.stdout.write(words)
    else:
        REPORT.write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main()
