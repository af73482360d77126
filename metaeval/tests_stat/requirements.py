"""Requirements on systems, such as "new >= old - 0.005": established, contradicted, or left open by the topics."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from metaeval.base.checks import check_share, refused
from metaeval.base.results import Result
from metaeval.errors import UnknownNameError
from metaeval.table.scores import oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.robust import difference_estimates

_SIGN = re.compile(r"\s(>=|≥|>)\s")
_MARGIN = re.compile(r"(?P<name>.+?)\s+(?P<sign>[+-])\s*(?P<size>\d*\.?\d+(?:[eE][+-]?\d+)?)")
_LOOSE = re.compile(r"(?P<better>[^<>=≥≤]+)(?P<sign>[<>=≥≤]{1,2})(?P<worse>[^<>=≥≤]+)")
_LOOSE_MARGIN = re.compile(r"(?P<name>.+?)\s*(?P<sign>[+-])\s*(?P<size>\d*[.,]?\d+(?:[eE][+-]?\d+)?)")
_NUMBER = re.compile(r"[-+]?\d*[.,]?\d+(?:[eE][+-]?\d+)?")
_EXAMPLE = "new >= old - 0.005"
MET, VIOLATED, OPEN, NOTHING = "met", "violated", "open", "without common items"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requirements(Result):
    """Requirements on pairs of systems, and whether the topics establish them."""

    table: pd.DataFrame
    """One row a metric and requirement; see `to_frame`."""
    alpha: float

    @property
    def met(self) -> bool:
        """Whether all requirements are established under every metric."""
        return bool((self.table["state"] == MET).all())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and requirement.

        The columns are metric, requirement, system_a, system_b, margin (by how much a must be ahead; negative where it
        may be behind), difference (positive: a is better), low and high (one-sided limits, each at 1 - alpha), p_value
        (one-sided, of the requirement's contrary), n_common topics and state: met, violated (its contrary is
        established), open, or "without common items", where the figures are NaN.
        """
        return self.table.copy()


def check_requirements(scores: object, requirements: Sequence[str], *, alpha: float = 0.05) -> Requirements:
    r"""Test requirements on pairs of systems by one-sided paired t tests.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come.
    requirements : sequence of str
        Each ``A >= B``, ``A > B``, ``A >= B - 0.005`` or ``A >= B + 0.01``, with blanks around the signs; in the
        metric's unit, better being higher whatever the metric's direction.
    alpha : float, default 0.05
        Level of each test.

    Raises
    ------
    InvalidOptionError
        If a text is no requirement, or names a system that is not there.
    ScoresError
        If scores are outside their rules.

    See Also
    --------
    metaeval.tests_stat.paired_t.paired_t_test

    Notes
    -----
    With :math:`\bar d` the mean of a less that of b, s its error and m the margin, a requirement is met where
    :math:`\bar d - t_{1-\alpha} s \ge m` (for ``>``: more than m), a test of non-inferiority where m is negative, and
    violated where :math:`\bar d + t_{1-\alpha} s < m`. That all of several are met needs no correction: each is tested
    at the level, and all must pass [1]_.

    References
    ----------
    .. [1] Berger (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics 24(4), 295-300.
       :doi:`10.2307/1267823`

    Examples
    --------
    >>> made = {"old": [0.30, 0.50, 0.90, 0.40], "new": [0.31, 0.49, 0.91, 0.41]}
    >>> found = check_requirements(made, ["new >= old - 0.02", "new > old"])
    >>> found.to_frame()[["requirement", "difference", "low", "state"]].round(3)
             requirement  difference    low state
    0  new >= old - 0.02       0.005 -0.007   met
    1          new > old       0.005 -0.007  open
    """
    check_share(alpha, "alpha")
    table = engine_scores(scores, "requirements")
    names = table["system"].to_numpy().tolist()
    asked = [_parsed(text, names) for text in requirements]
    if not asked:
        raise refused("requirements", f"is empty; name at least one, such as {_EXAMPLE!r}", requirements)
    first, second = (np.array([names.index(one[side]) for one in asked]) for side in (0, 1))
    margin = np.array([one[2] for one in asked])
    strict = np.array([one[3] for one in asked])
    found = difference_estimates(oriented_values(table), units_of(table), first, second)
    half = stdtrit(found.certain_freedom, 1.0 - alpha) * found.error
    low, high = found.mean - half, found.mean + half
    told = found.n_units > 1
    met = told & np.where(strict, low > margin, low >= margin)
    against = told & (high < margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = stdtr(found.certain_freedom, -(found.mean - margin) / found.error)
    p_value = np.where(found.error > 0.0, p_value, np.where(met, 0.0, 1.0))
    nothing = found.n_topics == 0
    shown = [np.where(nothing, np.nan, one) for one in (found.mean, low, high, np.where(told, p_value, 1.0))]
    tables = [
        pd.DataFrame({
            "metric": metric,
            "requirement": [" ".join(text.split()) for text in requirements],
            "system_a": [one[0] for one in asked],
            "system_b": [one[1] for one in asked],
            "margin": margin,
            "difference": shown[0][place],
            "low": shown[1][place],
            "high": shown[2][place],
            "p_value": shown[3][place],
            "n_common": found.n_topics[place].astype(np.int64),
            "state": np.select([nothing[place], met[place], against[place]], [NOTHING, MET, VIOLATED], OPEN),
        })
        for place, metric in enumerate(table["metric"].to_numpy().tolist())
    ]  # fmt: skip
    return Requirements(table=pd.concat(tables, ignore_index=True), alpha=float(alpha))


def sides_of(text: str) -> tuple[str, str, str]:
    """Return what stands at the left of the sign, the sign, and what stands at its right."""
    parts = _SIGN.split(str(text).strip(), maxsplit=1)
    if len(parts) == 1:
        rule = f"compares two systems by >= or > with blanks around it, such as {_written_out(text)!r}, not {text!r}"
        raise refused("requirements", rule, text)
    better, sign, rest = (part.strip() for part in parts)
    return better, sign, rest


def systems_of(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the two systems that a requirement compares.

    Examples
    --------
    >>> systems_of("new >= old - 0.005", ["old", "new"])
    ('new', 'old')
    """
    return _parsed(text, names)[:2]


def _written_out(text: str) -> str:
    """Return the requirement that a text without a sign between blanks may mean, the better system first."""
    found = _LOOSE.fullmatch(str(text).strip())
    if found is None:
        return _EXAMPLE
    better, sign, worse = (part.strip() for part in found.groups())
    margin = _LOOSE_MARGIN.fullmatch(worse)
    turned = sign[0] in "<≤" or sign[-1] in "<≤"
    if margin and margin["size"].lstrip("0")[:1] in {".", ","}:  # and not the version of gpt-4
        size = margin["size"].replace(",", ".")
        worse, way = margin["name"], "-+"[(margin["sign"] == "+") != turned]
        left = f" {way} {size}"
    else:
        left = ""
    if turned:
        better, worse = worse, better
    if _NUMBER.fullmatch(better) or _NUMBER.fullmatch(worse):
        return _EXAMPLE
    return f"{better} {'>' if sign in {'<', '>'} else '>='} {worse}{left}"


def _parsed(text: str, names: Sequence[str]) -> tuple[str, str, float, bool]:
    """Return the two systems, by how much the first must be ahead, and whether by more."""
    better, sign, rest = sides_of(text)
    margin = 0.0
    if rest not in names and (found := _MARGIN.fullmatch(rest)):
        rest, margin = found["name"], float(f"{found['sign']}{found['size']}")
    loose = _LOOSE_MARGIN.fullmatch(rest)
    if rest not in names and loose and loose["name"] in names:
        meant = f"{better} {sign} {loose['name']} {loose['sign']} {loose['size'].replace(',', '.')}"
        rule = f"takes a margin with a point and blanks around its sign, such as {meant!r}, not {text!r}"
        raise refused("requirements", rule, text)
    for name in (better, rest):
        if name not in names:
            raise UnknownNameError("system", name, names)
    if better == rest:
        raise refused("requirements", f"compares two systems, and {better!r} is on both sides; name another", text)
    return better, rest, margin, sign == ">"
