# ruff: noqa: RUF002 - Greek letters and the minus sign are as papers write them
"""How dependable a design is, given components of variance: arrays of components in, errors and coefficients out.

A design is a number of items, of judges of each answer and of repeats. Components come as in
`metaeval.agreement.crossed_variances`, as a vector or as draws of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from metaeval.agreement.crossed_variances import REPEAT, Effect, Strata
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_share
from metaeval.base.names import shortened
from metaeval.base.side_by_side import side_by_side
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import reaches
from metaeval.running.parallel import in_one_order

Stability = Literal["erho2", "phi"]
Passes = Literal["judge", "crossed", "shared", "none"]
"""What the second axis of a profile is: judges, repeats crossed with items, repeats within items, or nothing."""

SYSTEMS = Effect("top", "system")
"""What is measured."""
_TWO_FACETS = (SYSTEMS, Effect("item", "mean"), Effect("item", "system"))
_DRAWS = 4096
_MAPPED = {
    "tau": ("erho2", 2.84729794002905),
    "tau_ap": ("erho2", 3.98652984123827),
    "power": ("erho2", 4.77902509574171),
    "minor_conflicts": ("erho2", 1.53337366741287),
    "major_conflicts": ("erho2", 2.62976839002005),
    "absolute_sensitivity": ("erho2", 1.54402996734738),
    "relative_sensitivity": ("phi", 1.29759126030214),
    "rmse": ("phi", 3.27642726002903),
}
_RISING = ("tau", "tau_ap", "power")


class Design(NamedTuple):
    """Numbers of a design; arrays where there are several."""

    items: ArrayLike
    judges: ArrayLike = 1
    repeats: ArrayLike = 1


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of variance of some scores, and what divides each in a mean."""

    effects: tuple[Effect, ...]
    passes: Passes
    per_cluster: float = 1.0
    """Items in a cluster, weighted by themselves; of the design at hand, without its gaps."""

    @property
    def repeated(self) -> bool:
        """Whether scores were repeated."""
        return REPEAT in self.effects or self.passes in {"crossed", "shared"}

    def divisors(self, design: Design) -> Floats:
        """Return how many independent effects of each kind a mean has: (effect, design)."""
        items, judges, repeats = np.broadcast_arrays(*(np.asarray(number, dtype=np.float64) for number in design))
        across = judges if self.passes == "judge" else np.ones_like(items) if self.passes == "none" else repeats
        by_level = {"top": np.ones_like(items), "cluster": items / self.per_cluster, "item": items}
        rows = [
            items * judges * repeats
            if effect == REPEAT
            else by_level[effect.level] * (across if effect.part in {"judge", "both"} else 1.0)
            for effect in self.effects
        ]
        return np.array(rows).reshape(len(rows), -1)

    def among(self, kind: Literal["relative", "absolute", "repeat", "run"]) -> Flags:
        """Return which effects make an error: of a difference, of a mean; by repeats alone, of a difference, or run."""
        relative = np.array([effect.part in {"system", "both"} and effect != SYSTEMS for effect in self.effects])
        if kind == "relative":
            return relative
        if kind == "absolute":
            return np.array([effect != SYSTEMS for effect in self.effects])
        again = {"crossed", "shared"}
        parts = {"both"} if kind == "repeat" else {"both", "judge"}
        return np.array(
            [effect == REPEAT or (effect.part in parts and self.passes in again) for effect in self.effects]
        )

    @in_one_order
    def error(
        self, variances: Floats, design: Design, kind: Literal["relative", "absolute", "repeat", "run"]
    ) -> Floats:
        """Return the variance of the error of a system's mean: variances (…, effect), result (…, design)."""
        inside = self.among(kind)
        return variances[..., inside] @ (1.0 / self.divisors(design)[inside])

    def coefficient(self, variances: Floats, design: Design, which: Stability) -> Floats:
        """Return Eρ² or Φ: the share of the variance of observed means that is of systems; (…, design)."""
        error = self.error(variances, design, "relative" if which == "erho2" else "absolute")
        of_systems = variances[..., [self.effects.index(SYSTEMS)]]
        with np.errstate(invalid="ignore"):
            return np.where(of_systems + error > 0, of_systems / (of_systems + error), np.nan)

    @in_one_order
    def items_for(self, variances: Floats, share: Floats, *, judges: float, repeats: float, which: Stability) -> Floats:
        """Return the items at which a coefficient is this share, infinite where no number is enough."""
        kind: Literal["relative", "absolute"] = "relative" if which == "erho2" else "absolute"
        inside = self.among(kind)
        falling = np.array([effect.level != "top" for effect in self.effects])
        once = 1.0 / self.divisors(Design(1, judges, repeats))[:, 0]
        moving = variances[..., inside & falling] @ once[inside & falling]
        staying = variances[..., inside & ~falling] @ once[inside & ~falling]
        of_systems = variances[..., self.effects.index(SYSTEMS)]
        room = of_systems * (1.0 - share) / share - staying
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(room > 0, moving / room, np.inf)


def enough_items(items: Floats) -> Floats:
    """Return a number of items as a whole one that is enough."""
    finite = np.where(np.isfinite(items), items, 1.0)
    rounded_up = np.maximum(np.ceil(finite), 1.0)
    enough = np.where(reaches(rounded_up - 1.0, finite, finite) & (rounded_up > 1), rounded_up - 1.0, rounded_up)
    return np.where(np.isfinite(items), enough, items)


@in_one_order
def component_draws(strata: Strata, freedom: Floats) -> Floats:
    """Return draws (draw, effect) of the components: mean squares over chi-squares of these degrees of freedom.

    The draws fill the cube of probabilities evenly and are the same every time.
    """
    from scipy.special import chdtri  # noqa: PLC0415 - loads a part of SciPy

    count = len(freedom)
    root = 2.0
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (count + 1))
    steps = root ** -np.arange(1.0, count + 1)
    places = (0.5 + np.outer(np.arange(1, _DRAWS + 1), steps)) % 1.0
    squares = strata.mean_squares * freedom / chdtri(freedom, places)
    return np.maximum(np.linalg.solve(strata.expected, squares.T).T, 0.0)


def exact_shares(
    strata: Strata, freedom: Floats, effects: tuple[Effect, ...], tail: float, which: Stability
) -> tuple[float, float] | None:
    """Return the exact interval of a coefficient of one item, for systems x items; None for other sources.

    Eρ² by the F distribution, Φ after Arteaga, Jeyaratnam and Franklin; (lower, upper), 0 at least.
    """
    if effects != _TWO_FACETS:
        return None
    from scipy.special import chdtri, fdtri  # noqa: PLC0415 - loads a part of SciPy

    systems, items, residual = strata.mean_squares.tolist()
    (of_systems, of_items, of_rest), (n_items, n_systems) = freedom.tolist(), strata.expected[[0, 1], [0, 1]].tolist()
    ends = []
    for chance in (1.0 - tail, tail):
        bound = float(fdtri(of_systems, of_rest, chance))
        if which == "erho2":
            ratio = (systems / (residual * bound) - 1.0) / n_items if residual else np.inf
            ends.append(1.0 if np.isinf(ratio) else max(ratio / (1.0 + ratio), 0.0))
            continue
        endless = float(chdtri(of_systems, 1.0 - chance)) / of_systems
        by_items = float(fdtri(of_systems, of_items, chance))
        above = systems**2 - endless * systems * residual + (endless - bound) * bound * residual**2
        below = (n_systems - 1.0) * endless * systems * residual + by_items * systems * items
        ratio = above / below if below else np.inf
        ends.append(1.0 if np.isinf(ratio) else max(n_systems * ratio / (n_systems * ratio + n_items), 0.0))
    return ends[0], ends[1]


@side_by_side("erho2", "n_items")
def expected_conclusions(erho2: ArrayLike, n_items: ArrayLike, *, alpha: float = 0.05) -> pd.DataFrame:
    r"""Return what a dependability means for conclusions, if systems and errors are normal.

    Parameters
    ----------
    erho2 : array of float
        Dependability of differences, Eρ².
    n_items : array of float
        Items of the t test.
    alpha : float, default 0.05

    Returns
    -------
    pandas.DataFrame
        ``power``: expected share of the pairs of systems that a paired t test finds different; ``wrong_order``: of the
        pairs that the observed means put in the wrong order; ``tau`` of the observed order with the true one;
        ``contradicted``: of the pairs that other items, as many, put in the other order.

    Notes
    -----
    A true and an observed difference of two systems have correlation :math:`\sqrt{E\rho^2}`, two observed ones
    :math:`E\rho^2`, so that they have different signs with probability :math:`\arccos(r)/\pi` [1]_; the test finds
    :math:`2\,\Phi(-t\sqrt{1 - E\rho^2})` of the pairs.

    References
    ----------
    .. [1] Sheppard (1899). On the application of the theory of error to cases of normal distribution and normal
       correlation. Philosophical Transactions of the Royal Society A 192. :doi:`10.1098/rsta.1899.0003`

    Examples
    --------
    >>> expected_conclusions([0.9, 0.95], 50).round(3).to_numpy().tolist()
    [[0.525, 0.102, 0.795, 0.144], [0.653, 0.072, 0.856, 0.101]]
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - loads a part of SciPy

    coefficient, items = np.broadcast_arrays(_shares_of_variance(erho2, "erho2"), _numbers(n_items, "n_items"))
    check_share(alpha, "alpha")
    critical = -stdtrit(np.maximum(items - 1.0, 1.0), alpha / 2.0)
    wrong = np.arccos(np.sqrt(coefficient)) / np.pi
    return pd.DataFrame(
        {
            "power": 2.0 * ndtr(-critical * np.sqrt(1.0 - coefficient)),
            "wrong_order": wrong,
            "tau": 1.0 - 2.0 * wrong,
            "contradicted": np.arccos(coefficient) / np.pi,
        }
    )


@side_by_side("erho2", "phi")
def mapped_indicators(erho2: ArrayLike, phi: ArrayLike) -> pd.DataFrame:
    """Return what Urbano, Marrero and Martín read from dependability, by curves fitted to TREC collections.

    Parameters
    ----------
    erho2, phi : array of float
        Dependability of differences and of means.

    Returns
    -------
    pandas.DataFrame
        ``tau`` and ``tau_ap`` with the order of other topics, ``power`` (share of significant pairs),
        ``minor_conflicts`` and ``major_conflicts`` (significant pairs that other topics contradict), absolute and
        relative sensitivity, ``rmse`` of the means.

    Raises
    ------
    InvalidOptionError
        If one is no share, or Φ is above Eρ², which it never is of one collection.

    Notes
    -----
    Eρ² or 1 − Eρ² (Φ or 1 − Φ) to a power of each indicator [1]_. These are means over collections: simulation with
    known truth disagrees with them in places, also with `expected_conclusions`.

    References
    ----------
    .. [1] Urbano, Marrero and Martín (2013). On the measurement of test collection reliability. SIGIR.
       :doi:`10.1145/2484028.2484038`

    Examples
    --------
    >>> mapped_indicators(0.95, 0.8)[["tau", "tau_ap", "relative_sensitivity"]].round(4).to_numpy().tolist()
    [[0.8641, 0.8151, 0.1239]]
    """
    coefficients = {"erho2": _shares_of_variance(erho2, "erho2"), "phi": _shares_of_variance(phi, "phi")}
    of_differences, of_means = np.broadcast_arrays(*coefficients.values())
    if (wrong := ~reaches(of_differences, of_means, 1.0)).any():
        raise InvalidOptionError(
            "`phi` is at most `erho2`, since means vary as differences do and with the topics too; got "
            f"{of_means[wrong][0]:g} beside {of_differences[wrong][0]:g}: look whether the two were exchanged"
        )
    return pd.DataFrame(
        {
            name: (coefficients[of] if name in _RISING else 1.0 - coefficients[of]) ** power
            for name, (of, power) in _MAPPED.items()
        }
    )


def _numbers(given: object, name: str) -> Floats:
    try:
        values = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise InvalidOptionError(f"`{name}` is a number or several, not {shortened(repr(given))}") from None
    if not (np.isfinite(values) & (values >= 0)).all():
        raise InvalidOptionError(f"`{name}` has numbers from 0 on")
    return values


def _shares_of_variance(given: object, name: str) -> Floats:
    values = _numbers(given, name)
    if (values > 1).any():
        raise InvalidOptionError(f"`{name}` is a dependability, which lies between 0 and 1")
    return values


def check_cost(cost: object) -> dict[str, float]:
    """Return the cost of an item, a run and a judgment, 0 where nothing is said."""
    names = ("item", "run", "judgment")
    if not isinstance(cost, dict) or set(cost) - set(names):
        raise InvalidOptionError(f"`cost` is a mapping of {', '.join(names)} to numbers, not {cost!r}")
    costs = {name: float(cost.get(name, 0.0)) for name in names}
    if min(costs.values()) < 0 or not np.isfinite(list(costs.values())).all() or not costs["run"] + costs["judgment"]:
        raise InvalidOptionError("costs are numbers from 0 on, and a run or a judgment costs something")
    return costs


def candidates(n_judges: Sequence[int], n_repeats: Sequence[int]) -> tuple[Ints, Ints]:
    """Return every pair of a number of judges and of repeats."""
    judges, repeats = np.meshgrid(np.asarray(n_judges), np.asarray(n_repeats), indexing="ij")
    return judges.ravel(), repeats.ravel()
