"""How many digits a figure that comes from random draws may show: one rule for sentences, tables and pages.

Another seed gives another figure. Among twenty seeds the highest and the lowest of it lie some four standard errors of
the draws apart, so the last digit moves by one at most where its unit is four errors or more.
"""

import math

_ERRORS_A_UNIT = 4.0
_TEN = 10


def error_of_share(share: float, n_draws: float) -> float:
    """Return the Monte-Carlo standard error of a share of draws; never 0, for one more draw could be the first.

    Examples
    --------
    >>> round(error_of_share(0.05, 10_000), 4), round(error_of_share(0.0, 999), 4)
    (0.0022, 0.001)
    """
    inside = min(max(share, 1.0 / (n_draws + 1.0)), n_draws / (n_draws + 1.0))
    return math.sqrt(inside * (1.0 - inside) / n_draws)


def error_of_ends(half: float, n_draws: float) -> float:
    r"""Return the Monte-Carlo standard error of the ends of an interval whose standard error is the spread of draws.

    The spread of R draws has a relative error of :math:`1 / \sqrt{2 R}` (more where their tails are heavy), and so has
    half the interval.

    Examples
    --------
    >>> round(error_of_ends(0.1, 200), 3)
    0.005
    """
    return half / math.sqrt(2.0 * n_draws)


def draws_of_middle(n_draws: float) -> float:
    """Return how many draws give the spread as well as so many give the ends of the middle 90 % of them.

    The 5 % quantile of R normal draws has a standard error of 2.1 standard deviations over the root of R.

    Examples
    --------
    >>> round(error_of_ends(1.645, draws_of_middle(50)), 2)
    0.3
    """
    return 0.3 * n_draws


def places(error: float) -> int:
    """Return after how many decimals a figure with this Monte-Carlo standard error ends; below 0 tens, hundreds, ….

    Examples
    --------
    >>> places(0.0024), places(0.0026), places(3.0)
    (2, 1, -2)
    """
    return math.floor(-math.log10(_ERRORS_A_UNIT * error) + 1e-9)


def places_beside(error: float) -> int:
    """Return after how many decimals a figure ends whose error is said once for many, in a caption: few, but not none.

    Examples
    --------
    >>> places_beside(0.03), places_beside(0.02), places_beside(30.0)
    (1, 2, -2)
    """
    return math.ceil(-math.log10(_ERRORS_A_UNIT * error) - 1e-9)


def places_of_error(error: float) -> int:
    """Return after how many decimals a figure ends that carries its error, rounded up: at its first digit.

    Examples
    --------
    >>> places_of_error(0.0024), places_of_error(0.00099), places_of_error(3.0)
    (3, 3, 0)
    """
    digits = math.ceil(-math.log10(error) - 1e-9)
    rounds_up = math.ceil(error * 10.0**digits - 1e-9) == _TEN
    return max(0, digits - rounds_up)
