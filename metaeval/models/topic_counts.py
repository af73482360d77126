"""How many topics keep the error rate within a limit: observed where sizes were observed, extrapolated beyond, marked.

The answer is one of six kinds, and only the first two are numbers: see `MinimumTopics`.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_error_rate, check_kind, refused
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import MISSING, share
from metaeval.errors import EstimationError
from metaeval.models.curves import CurveComparison, ErrorCurve, compare_curves
from metaeval.models.exponential import ExponentialFit, fit_exponential
from metaeval.models.families import CURVES, FAMILIES
from metaeval.resampling.swap import ErrorRates

Kind = Literal["observed", "extrapolated", "above limit", "below smallest", "at most smallest", "cannot be estimated"]
EXTRAPOLATED_MARK = "*"
PUBLISHED = "published"
"""The exponential as Pal, Mitra and Kamps (2010) fitted it, which is not the one of the curves to compare."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinimumTopics(Result):
    """The smallest number of topics that keeps the error rate within a limit, per tolerance and metric."""

    data: xr.Dataset
    """Dims ``tolerance`` and ``metric``; variables

    - ``kind``: "observed" (``n_topics`` is a size at which swaps were counted), "extrapolated" (from the curve),
      "above limit", "below smallest" (the limit holds at the smallest size, and by the curve one topic earlier),
      "at most smallest" (it holds at the smallest size, and nothing is known below), "cannot be estimated";
    - ``n_topics``: the number, for the first two kinds; NaN for the others;
    - ``largest_rate``: the error rate at the largest size observed;
    - ``n_topics_error``: the Monte-Carlo standard error of ``n_topics``, which the rates and the level of the curve
      bring about that lie one of theirs to either side.
    """
    max_error: float
    """The error rate to stay within."""
    limit: int
    """Sizes beyond it are not named."""
    family: str | None
    """Curve used beyond the observed sizes, a key of `metaeval.models.families.CURVES` or "published"; None if none
    could be chosen."""
    smallest_size: int
    largest_size: int
    """Range of the observed sizes."""
    relative: bool
    """Whether the tolerances are shares of the larger mean."""
    comparison: CurveComparison
    """How every curve did on sizes it had not seen: the reason for the choice."""

    @property
    def curve(self) -> str:
        """What people call the curve; empty without one."""
        if self.family == PUBLISHED:
            return "exponential as published"
        return "" if self.family is None else FAMILIES[self.family].title

    def _found(self) -> str:
        rows = self.to_frame().query("tolerance == tolerance.iloc[0]")
        texts = rows["text"].replace(MISSING, "an unknown number of")
        words = [f"{text} {unit().topics} under {metric}" for text, metric in zip(texts, rows["metric"], strict=True)]
        limit = f"keep the disagreement of two sets within {share(self.max_error)}"
        return f"{first_few(words)} {limit} (tolerance {self.data['tolerance'].to_numpy()[0]:g})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a tolerance and metric: ``kind``, ``n_topics``, ``largest_rate``, ``text``, ``curve``."""
        frame = self.data.to_dataframe(dim_order=["tolerance", "metric"]).reset_index()
        frame["text"] = [self._text(str(kind), n) for kind, n in zip(frame["kind"], frame["n_topics"], strict=True)]
        return frame[["tolerance", "metric", "kind", "n_topics", "largest_rate", "text"]].assign(curve=self.family)

    def table(self) -> pd.DataFrame:
        """Return the table of Pal, Mitra and Kamps (2010, Table 7): tolerance in rows, metrics in columns.

        ``>100`` is beyond the limit, ``<5`` below the smallest size, ``≤5`` at or below it, ``63*`` extrapolated;
        a dash says that it cannot be estimated.
        """
        frame = self.to_frame()
        unit = "tolerance (%)" if self.relative else "tolerance"
        frame[unit] = (frame["tolerance"] * 100).round(6) if self.relative else frame["tolerance"]
        wide = frame.set_index([unit, "metric"])["text"].unstack()  # noqa: PD010 - texts are moved, not aggregated
        return wide[self.data["metric"].to_numpy().tolist()].rename_axis(columns=None)

    def _text(self, kind: str, n_topics: float) -> str:
        return {
            "observed": f"{n_topics:.0f}",
            "extrapolated": f"{n_topics:.0f}{EXTRAPOLATED_MARK}",
            "above limit": f">{self.limit}",
            "below smallest": f"<{self.smallest_size}",
            "at most smallest": f"≤{self.smallest_size}",
            "cannot be estimated": MISSING,
        }[kind]


def minimum_topics(
    error_rates: ErrorRates,
    *,
    max_error: float = 0.05,
    limit: int | None = None,
    family: str = "best",
    comparison: CurveComparison | None = None,
) -> MinimumTopics:
    """Find how many topics each metric needs at each tolerance for an error rate of at most `max_error`.

    Parameters
    ----------
    error_rates : ErrorRates
        From `metaeval.resampling.swap.swap_method`.
    max_error : float, default 0.05
        The error rate to stay within, below 0.5 (a coin toss).
    limit : int, optional
        Largest number of topics to name; twice the largest observed size by default, as far as the paper goes.
    family : str, default "best"
        Curve for sizes beyond those observed: a key of `metaeval.models.families.CURVES`, "best" for the one that
        predicted held-out sizes best on these data, or "published" for the exponential of Pal, Mitra and Kamps (2010,
        equations 3 and 4), fitted as they did. The result says which.
    comparison : CurveComparison, optional
        From `metaeval.models.curves.compare_curves` on the same error rates, to save fitting twice.

    Returns
    -------
    MinimumTopics
        One row a ``tolerance`` and ``metric`` in ``to_frame()``: ``n_topics`` needed and the ``kind`` of number that it
        is (NaN unless "observed" or "extrapolated"), ``text`` to print, the ``largest_rate`` of errors (0 to 1) at the
        largest size observed, and the ``curve`` used beyond it (None if none could be chosen).

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule.

    Notes
    -----
    Within the observed sizes the answer is the smallest size from which the error rate (zero differences not
    counted) stays within the limit for all larger observed sizes too. Beyond them it is the smallest whole size at
    which the curve does, and at least one more than the largest observed size. The curves are fitted to rates that
    count zero differences as half a swap, as in every model here, by weighted least squares; the published
    exponential to rates that do not count them, by least squares on their logarithm.

    Examples
    --------
    >>> from metaeval.resampling.swap import swap_method
    >>> noise = np.random.default_rng(1).random((8, 60))
    >>> rates = swap_method(noise + np.arange(8)[:, None] / 4, rng=0, tolerances=[0, 0.2])
    >>> minimum_topics(rates).table()["metric1"].tolist()
    ['5', '<5']
    """
    check_kind(error_rates, "error_rates", "ErrorRates")
    check_error_rate(max_error)
    check_choice(family, "curve", ("best", PUBLISHED, *CURVES))
    limit = 2 * error_rates.sizes[-1] if limit is None else limit
    if limit != int(limit) or limit < error_rates.sizes[-1]:
        rule = f"must be a whole number of at least {error_rates.sizes[-1]}, the largest size, not {limit!r}"
        raise refused("limit", rule, limit)
    comparison = compare_curves(error_rates) if comparison is None else comparison
    chosen = comparison.best if family == "best" else family
    rates = error_rates.rates().transpose("tolerance", "metric", "size")
    errors = error_rates.rate_errors().transpose(*rates.dims).to_numpy()
    sizes = np.asarray(error_rates.sizes)

    def curve(metric: str, tolerance: float, cell: Floats) -> ErrorCurve | ExponentialFit | None:
        if chosen != PUBLISHED:
            return comparison.curves.get((metric, tolerance, str(chosen)))
        try:
            return None if np.isnan(cell).any() else fit_exponential(sizes, cell)
        except EstimationError:
            return None

    answers, spreads = [], []
    for tolerance, row, beside in zip(error_rates.tolerances, rates.to_numpy(), errors, strict=True):
        for metric, cell, spread in zip(error_rates.metrics, row, beside, strict=True):
            fitted = curve(metric, tolerance, cell)
            answers.append(_answer(sizes, cell, fitted, max_error, int(limit)))
            ends = [_shifted(sizes, cell, way * spread, fitted, max_error, int(limit)) for way in (-1.0, 1.0)]
            spreads.append((ends[1] - ends[0]) / 2.0)
    shape = rates.shape[:2]
    return MinimumTopics(
        data=xr.Dataset(
            {
                "kind": (("tolerance", "metric"), np.array([kind for kind, _ in answers]).reshape(shape)),
                "n_topics": (("tolerance", "metric"), np.array([number for _, number in answers]).reshape(shape)),
                "largest_rate": (("tolerance", "metric"), rates.isel(size=-1).to_numpy()),
                "n_topics_error": (("tolerance", "metric"), np.array(spreads).reshape(shape)),
            },
            coords={"tolerance": rates["tolerance"].to_numpy(), "metric": rates["metric"].to_numpy()},
        ),
        max_error=float(max_error),
        limit=int(limit),
        family=chosen,
        smallest_size=error_rates.sizes[0],
        largest_size=error_rates.sizes[-1],
        relative=error_rates.tolerance_unit == "relative",
        comparison=comparison,
    )


def minimum_topics_table(error_rates: ErrorRates, *, max_error: float = 0.05, limit: int | None = None) -> pd.DataFrame:
    """Return the table of topics needed by the best curve and by the published exponential.

    Parameters
    ----------
    error_rates, max_error, limit
        As in `minimum_topics`.

    Returns
    -------
    pandas.DataFrame
        Rows (curve, tolerance), columns metrics; ``>100``, ``<5``, ``63*`` as `MinimumTopics.table` says. The blocks
        are the best curve, by its name, and "published".

    Examples
    --------
    >>> from metaeval.resampling.swap import swap_method
    >>> noise = np.random.default_rng(1).random((8, 60))
    >>> table = minimum_topics_table(swap_method(noise + np.arange(8)[:, None] / 20, rng=0))
    >>> table.columns.tolist(), len(table)
    (['metric1'], 10)
    """
    check_kind(error_rates, "error_rates", "ErrorRates")
    best = minimum_topics(error_rates, max_error=max_error, limit=limit)
    published = minimum_topics(
        error_rates, max_error=max_error, limit=limit, family=PUBLISHED, comparison=best.comparison
    )
    blocks = MappingProxyType({minimum.family or MISSING: minimum.table() for minimum in (best, published)})
    return pd.concat(blocks, names=["curve"])


def _answer(
    sizes: Ints, rates: Floats, curve: ErrorCurve | ExponentialFit | None, max_error: float, limit: int
) -> tuple[Kind, float]:
    """Return the kind of answer and, if it is a number, the number."""
    if np.isnan(rates).any():
        return "cannot be estimated", np.nan
    settled = np.logical_and.accumulate((rates <= max_error)[::-1])[::-1]
    if settled[0]:
        return _at_the_smallest(int(sizes[0]), curve, max_error)
    if settled.any():
        return "observed", float(sizes[np.argmax(settled)])
    if curve is None:
        return "cannot be estimated", np.nan
    reached = max(curve.minimum_topics(max_error, limit=limit), float(sizes[-1] + 1))
    return ("extrapolated", reached) if reached <= limit else ("above limit", np.nan)


def _shifted(  # noqa: PLR0913, PLR0917 - the arguments of `_answer`, and the shift
    sizes: Ints, rates: Floats, shift: Floats, curve: ErrorCurve | ExponentialFit | None, max_error: float, limit: int
) -> float:
    """Return the count at other rates, with the curve as much higher or lower as the last of them; its bounds else."""
    settled = np.logical_and.accumulate((rates + shift <= max_error)[::-1])[::-1]
    if settled.any():
        return float(sizes[np.argmax(settled)])
    if curve is None or np.isnan(rates).any():
        return float("nan")
    times = max(1.0 + shift[-1] / rates[-1], 1e-9)
    allowed = min(max_error / times, 0.499)  # a curve ends at a coin toss
    return min(max(curve.minimum_topics(allowed, limit=limit), float(sizes[-1] + 1)), float(limit))


def _at_the_smallest(size: int, curve: ErrorCurve | ExponentialFit | None, max_error: float) -> tuple[Kind, float]:
    if curve is None or size == 1:
        return "at most smallest", np.nan
    one_less = float(curve.rate(size - 1))
    return ("below smallest", np.nan) if one_less <= max_error else ("observed", float(size))
