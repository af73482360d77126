# ruff: noqa: RUF002 - Greek letters are as papers write them
"""What other designs make of the components of one metric: dependability, the items for a target, the cheapest one."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from metaeval.agreement.crossed_variances import VarianceFit
from metaeval.base.arrays import Floats, Ints
from metaeval.errors import InvalidOptionError
from metaeval.models import dependability
from metaeval.models.facets import Measured
from metaeval.tests_stat.noncentral_t import detectable_shift

_LIMIT = 1.96 * np.sqrt(2.0)
_ENDLESS = 1e15
"""As good as any number of items."""
_MOST_ACROSS = _MOST_REPEATS = 10
_FEWEST_ITEMS = 2
_SURE = 0.9999


class Solved(NamedTuple):
    """What is known of one metric."""

    fit: VarianceFit
    sources: dependability.Sources
    freedom: Floats
    """Degrees of freedom behind the intervals."""
    draws: Floats
    """Components (draw, effect)."""
    design: dependability.Design
    """The design at hand; with gaps, harmonic means."""
    per_cluster: float
    """Items in a cluster of the design at hand; with gaps, by those that each system has."""
    made: "Made"

    @property
    def variances(self) -> Floats:
        """Components, 0 at least."""
        return np.maximum(self.fit.estimates, 0.0)

    def draws_for_these(self) -> Floats:
        """Return draws of the components if what is measured is no sample: its mean square then varies less.

        By as many degrees of freedom as a noncentral chi-square has (Patnaik 1949): 1 / (1 - k²) times those of a
        sample, with k the share of what is measured in the mean square.
        """
        strata, place = self.fit.strata, self.sources.effects.index(dependability.SYSTEMS)
        row = int(np.argmax(strata.expected[:, place]))
        total = strata.mean_squares[row]
        share = min(float(strata.expected[row, place] * self.variances[place] / total), _SURE) if total > 0 else 0.0
        freedom = self.freedom.copy()
        freedom[row] = strata.freedom[row] / (1.0 - share**2)
        return dependability.component_draws(strata, freedom)

    @property
    def now(self) -> "Solved":
        """The same with clusters as each system has them; those of other designs have no gaps."""
        return self._replace(sources=replace(self.sources, per_cluster=self.per_cluster))

    @property
    def at_hand(self) -> dependability.Design:
        """The design at hand, in plain numbers."""
        return dependability.Design(*(float(np.asarray(number)) for number in self.design))


class Made(NamedTuple):
    """What the scores at hand took: items with a score, runs of systems on them, and judgments of runs."""

    items: float
    runs: float
    judgments: float


class Prices(NamedTuple):
    """What designs cost."""

    item: float
    run: float
    judgment: float
    measured: int
    """Systems, or whatever is measured."""
    measure: Measured

    @property
    def fixed(self) -> float:
        """The cost of what stays in every design: the items, where these are measured."""
        return self.item * self.measured if self.measure == "topic" else 0.0

    def of(self, design: dependability.Design) -> Floats:
        """Return the cost of designs."""
        number, across, repeats = (np.asarray(counts, dtype=np.float64) for counts in design)
        systems, judges = (across, self.measured) if self.measure == "judge" else (self.measured, across)
        per_item = systems * repeats * (self.run + judges * self.judgment)
        return np.asarray(self.fixed + number * (per_item + (0.0 if self.measure == "topic" else self.item)))

    def paid(self, made: Made) -> float:
        """Return the cost of the scores at hand."""
        return self.item * made.items + self.run * made.runs + self.judgment * made.judgments


def design_table(metric: str, own: Solved, design: dependability.Design, tail: float) -> pd.DataFrame:
    """Return what designs make of the components; one row a design."""
    sources, variances = own.sources, own.variances[None]
    items, judges, repeats = (column.ravel() for column in np.broadcast_arrays(*map(np.atleast_1d, design)))
    asked = dependability.Design(items, judges, repeats)
    columns: dict[str, Any] = {"metric": metric, "items": items, "judges": judges, "repeats": repeats}
    which: dependability.Stability
    for which in get_args(dependability.Stability):
        columns[which] = sources.coefficient(variances, asked, which)[0]
        ends = dependability.exact_shares(own.fit.strata, own.freedom, sources.effects, tail, which)
        if ends is None:
            every = np.nan_to_num(sources.coefficient(own.draws, asked, which))
            low, high = np.quantile(every, [tail, 1.0 - tail], axis=0)
        else:
            low, high = (items * end / (1.0 + (items - 1.0) * end) for end in ends)
        low, high = ends_apart(np.minimum(low, columns[which]), np.maximum(high, columns[which]))
        columns |= {f"{which}_low": low, f"{which}_high": high}
    for end in ("low", "high"):  # as the coefficients themselves: phi is never above erho2
        columns[f"phi_{end}"] = np.fmin(columns[f"phi_{end}"], columns[f"erho2_{end}"])
    relative, absolute, again = (
        sources.error(variances, asked, kind)[0] for kind in ("relative", "absolute", "repeat")
    )
    columns |= {"standard_error": np.sqrt(absolute), "difference_error": np.sqrt(2.0 * relative)}
    lasting = sources.error(
        variances, dependability.Design(np.full_like(items, _ENDLESS), judges, repeats), "relative"
    )[0]
    over_items = 2.0 * np.maximum(relative - lasting, 0.0)  # all that a test over items sees
    units = items / sources.per_cluster  # of the t test: items, or whole clusters
    runs = 2.0 * lasting if sources.passes == "crossed" else np.zeros_like(over_items)
    columns["detectable"] = _detectable(over_items, units, runs, repeats)
    columns |= _run_shares(own, asked, tail)
    repeated, once = own.sources.repeated, asked._replace(repeats=np.ones_like(items))
    of_run, anew = (_single_run(own, once, kind) for kind in ("run", "absolute"))
    with np.errstate(invalid="ignore"):
        columns |= {
            "repeatability": _LIMIT * np.sqrt(of_run) if repeated else np.nan,
            "reproducibility": _LIMIT * np.sqrt(anew),
            "repeat_share": np.where(relative > 0, again / relative, np.nan) if repeated else np.nan,
        }
    conclusions = dependability.expected_conclusions(np.nan_to_num(columns["erho2"]), units)
    return pd.DataFrame(
        columns | {column: conclusions[column].to_numpy() for column in ("power", "wrong_order", "tau")}
    )


def _single_run(own: Solved, once: dependability.Design, kind: Literal["run", "absolute"]) -> Floats:
    """Return the variance of the mean of one run, by repeats alone or by items too.

    A negative component takes from the others, since their sum is what the means of runs show.
    """
    summed, floored = (
        own.sources.error(components[None], once, kind)[0] for components in (own.fit.estimates, own.variances)
    )
    return np.where(summed > 0.0, summed, floored)


def _detectable(over_items: Floats, units: Floats, runs: Floats, repeats: Floats) -> Floats:
    """Return the difference that a t test finds, with runs of both systems in its error: see `metaeval.table.runs`.

    Variances of differences; NaN where one run tells nothing of others.
    """
    freedom = np.maximum(units - 1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_runs = np.where(runs > 0.0, runs**2 / (2.0 * (repeats - 1.0)), 0.0)
        freedom = np.where(runs > 0.0, (over_items + runs) ** 2 / (over_items**2 / freedom + of_runs), freedom)
    error = np.sqrt(over_items + runs)
    return np.where(freedom > 0.0, detectable_shift(np.maximum(freedom, 1.0)) * error, np.nan)


def _run_shares(own: Solved, asked: dependability.Design, tail: float) -> dict[str, Floats]:
    """Return how much of the error of a difference of means whole runs make, with its interval; NaN of others."""
    sources = own.sources
    if sources.passes != "crossed":
        return dict.fromkeys(("run_share", "run_share_low", "run_share_high"), np.full(np.size(asked.items), np.nan))
    relative = sources.among("relative")
    of_runs = relative & np.array([effect.level == "top" for effect in sources.effects])
    over = 1.0 / sources.divisors(asked)

    def shares(variances: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return (variances[:, of_runs] @ over[of_runs]) / (variances[:, relative] @ over[relative])

    point = shares(own.variances[None])[0]
    low, high = np.nanquantile(shares(own.draws), [tail, 1.0 - tail], axis=0)
    low, high = ends_apart(np.fmin(low, point), np.fmax(high, point))
    return {"run_share": point, "run_share_low": low, "run_share_high": high}


def ends_apart(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the ends of intervals, without those of no width: draws that are all alike tell no uncertainty."""
    apart = high > low
    return np.where(apart, low, np.nan), np.where(apart, high, np.nan)


def items_needed(  # noqa: PLR0913, PLR0917 - the target and a design
    own: Solved, share: float, stability: dependability.Stability, across: float, repeats: float, tail: float
) -> tuple[float, float, float]:
    """Return the items at which a coefficient is this share, with their interval."""
    asked = partial(own.sources.items_for, share=np.array(share), judges=across, repeats=repeats, which=stability)
    items = asked(own.variances[None])[0]
    ends = dependability.exact_shares(own.fit.strata, own.freedom, own.sources.effects, tail, stability)
    if ends is None:
        low, high = (float(end) for end in np.quantile(asked(own.draws), [tail, 1 - tail], method="nearest"))
    else:
        with np.errstate(divide="ignore"):
            high, low = (share / (1.0 - share) * (1.0 - np.array(ends)) / np.array(ends)).tolist()
    low, high = (float(end) for end in ends_apart(np.array(low), np.array(high)))
    needed = [
        number if np.isnan(number) else float(dependability.enough_items(np.array(number)))
        for number in (items, low, high)
    ]
    return (*needed,)  # type: ignore[return-value]  # three


def cluster_designs(  # noqa: PLR0913, PLR0917 - the target and a design
    metric: str, own: Solved, sizes: Sequence[float], clusters: int, share: float, tail: float
) -> pd.DataFrame:
    """Return what more or fewer items in each cluster make of the components; one row a number of them.

    `sizes`: mean items in each. The first size is the current one. Planned clusters have no gaps and the current spread
    of sizes. Of all, the clusters that reach the target, and the price of a cluster, in items, at which this
    number of items in each gives the smallest error for the cost.
    """
    uneven = own.sources.per_cluster / sizes[0]
    now, (_, across, repeats) = own.at_hand, (float(np.asarray(plan)) for plan in own.design)
    planned = [own._replace(sources=replace(own.sources, per_cluster=uneven * size)) for size in sizes]
    frames, twice = [], []
    for plan, size in zip(planned, sizes, strict=True):
        frames.append(design_table(metric, plan, now._replace(items=size * clusters), tail))
        twice.append(plan.sources.error(own.variances, now._replace(items=2.0 * size * clusters), "relative")[0])
    needed = [
        [np.ceil(n / size) for n in items_needed(plan, share, "erho2", across, repeats, tail)]
        for plan, size in zip(planned, sizes, strict=True)
    ]
    price = uneven * np.square(sizes)[:, None] * _cluster_to_item(own, np.vstack([own.variances, own.draws]))
    low, high = np.nanquantile(price[:, 1:], [tail, 1.0 - tail], axis=1, method="nearest")
    ends = zip(("", "_low", "_high"), zip(*needed, strict=True), strict=True)
    designs = pd.concat(frames, ignore_index=True)
    return designs[["metric", "items", "erho2", "erho2_low", "erho2_high", "difference_error"]].assign(
        at_hand=np.arange(len(sizes)) == 0,
        clusters=clusters,
        items_per_cluster=sizes,
        twice_error=np.sqrt(2.0 * np.array(twice)),
        target=share,
        **{f"clusters_needed{end}": values for end, values in ends},
        price=price[:, 0],
        price_low=np.fmin(low, price[:, 0]),
        price_high=np.fmax(high, price[:, 0]),
    )


def _cluster_to_item(own: Solved, variances: Floats) -> Floats:
    """Return the variance of a difference that a cluster has, over that of one item in it: (draw,)."""
    sources, inside = replace(own.sources, per_cluster=1.0), own.sources.among("relative")
    parts = variances[:, inside] / sources.divisors(own.at_hand._replace(items=1.0))[inside, 0]
    of_cluster = np.array([effect.level == "cluster" for effect in sources.effects])[inside]
    of_item = np.array([effect.level in {"item", "cell"} for effect in sources.effects])[inside]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(parts[:, of_cluster].sum(axis=1) / parts[:, of_item].sum(axis=1))


def cheapest_designs(
    metric: str, own: Solved, prices: Prices, target: tuple[float, float] | None, *, these: bool = True
) -> list[dict[str, object]]:
    """Return the design at hand, the most dependable of the same cost, and the cheapest that reaches the target.

    `target`: Eρ² and the probability with which a design reaches it, for `these` systems or for others like them; None:
    that at hand, as estimated.
    """
    sources, variances, at_hand, now = own.sources, own.variances[None], own.at_hand, own.now
    across, repeats = dependability.candidates(
        range(1, max(_MOST_ACROSS, round(float(np.asarray(at_hand.judges)))) + 1) if sources.passes == "judge" else [1],
        range(1, max(_MOST_REPEATS, int(np.ceil(float(np.asarray(at_hand.repeats))))) + 1) if sources.repeated else [1],
    )
    price, budget = prices.of(dependability.Design(1.0, across, repeats)) - prices.fixed, prices.paid(own.made)
    rows = [_row(metric, "at hand", now, at_hand, budget)]
    affordable = np.floor((budget - prices.fixed) / price * (1 + 1e-12))
    sure = affordable >= _FEWEST_ITEMS
    if sure.any():
        asked = dependability.Design(affordable[sure], across[sure], repeats[sure])
        index = int(np.argmax(np.round(sources.coefficient(variances, asked, "erho2")[0], 12)))
        best = dependability.Design(*(float(np.asarray(values)[index]) for values in asked))
        rows.append(_row(metric, "same cost", own, best, float(prices.of(best))))
    share = float(now.sources.coefficient(variances, at_hand, "erho2")[0, 0]) if target is None else target[0]
    if 0 < share < 1:
        known, level = own.variances[None], 1.0
        if target is not None:
            known, level = own.draws_for_these() if these else own.draws, target[1]
        least = _least(own, known, share, level, across, repeats, price)
        if least is not None:
            rows.append(_row(metric, "target", own, least, float(prices.of(least))))
    return rows


def _least(  # noqa: PLR0913, PLR0917 - the target, and the designs to choose from
    own: Solved, known: Floats, share: float, level: float, across: Ints, repeats: Ints, price: Floats
) -> dependability.Design | None:
    """Return the cheapest design that reaches a share in this part of the draws; None where none does."""
    asked = partial(own.sources.items_for, known, np.array(share * (1 - 1e-12)), which="erho2")
    pairs = zip(across.tolist(), repeats.tolist(), strict=True)
    items = np.array([np.quantile(asked(judges=j, repeats=r), level, method="nearest") for j, r in pairs])
    wanted = np.maximum(dependability.enough_items(items), _FEWEST_ITEMS)
    total = wanted * price
    if not np.isfinite(total).any():
        return None
    cheapest = int(np.argmin(total))
    return dependability.Design(float(wanted[cheapest]), float(across[cheapest]), float(repeats[cheapest]))


def _row(metric: str, goal: str, own: Solved, design: dependability.Design, cost: float) -> dict[str, object]:
    variances = own.variances[None]
    error = float(own.sources.error(variances, design, "relative")[0, 0])
    return {
        "metric": metric,
        "goal": goal,
        "items": round(float(np.asarray(design.items))),
        "judges": round(float(np.asarray(design.judges))),
        "repeats": float(np.asarray(design.repeats)),
        "cost": cost,
        "erho2": float(own.sources.coefficient(variances, design, "erho2")[0, 0]),
        "phi": float(own.sources.coefficient(variances, design, "phi")[0, 0]),
        "difference_error": float(np.sqrt(2.0 * error)),
    }


def check_known(sources: dependability.Sources, across: Sequence[float], repeats: Sequence[float]) -> None:
    """Refuse to plan with what the scores say nothing of."""
    if sources.passes != "judge" and max(across) > 1:
        raise InvalidOptionError("`judges` above 1: these scores are of one judge, and say nothing of others")
    if not sources.repeated and max(repeats) > 1:
        raise InvalidOptionError("`repeats` above 1: these scores were not repeated, and say nothing of repeats")
