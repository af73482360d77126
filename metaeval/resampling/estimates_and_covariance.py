"""Ranks from estimates and their covariance, wherever both come from: the strengths of systems by votes, for one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from metaeval.base.checks import check_number
from metaeval.base.side_by_side import side_by_side
from metaeval.errors import InvalidOptionError
from metaeval.resampling.exchangeable import places_of_systems
from metaeval.resampling.means_and_errors import RanksFromErrors, checked, ranks_of_draws
from metaeval.resampling.true_means import means_posterior
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import settle
from metaeval.running.parallel import in_one_order
from metaeval.table.means import SystemMeans

_SEEDS = 2**63
_KNOWN = 1e6
_ROUNDING = 1e-12


@side_by_side("estimates", "covariance", "expected")
@in_one_order
def rank_intervals_from_covariance(  # noqa: PLR0913 - one keyword per choice
    estimates: ArrayLike,
    covariance: ArrayLike,
    *,
    systems: Sequence[str] | None = None,
    metric: str = "score",
    freedom: float = _KNOWN,
    expected: ArrayLike | None = None,
    top: int = 3,
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_draws: int = 20_000,
    rng: RNGLike = None,
) -> RanksFromErrors:
    r"""Compute intervals for true ranks from estimates and the covariance of their errors.

    Parameters
    ----------
    estimates : array (system,)
        Higher is better.
    covariance : array (system, system)
        Of their errors. Only differences between systems count.
    systems : sequence of str, optional
        Their names.
    metric : str, default "score"
        What the estimates are called.
    freedom : float, default a million
        Degrees of freedom of the covariance: clusters less one.
    expected : array (system, system), optional
        What a model expects of the covariance, up to a factor. The fewer the degrees of freedom, the more the
        covariance is pulled towards its shape; by default that of equal and independent systems. Errors that a model
        expects say nothing of the true values, which have one variance then, whatever their errors.
    top : int, default 3
        How many systems count as the top (all of fewer).
    confidence_level : float, default 0.95
        Probability that the intervals hold the true ranks of all systems (or of the system, see `simultaneous`).
    simultaneous : bool, default True
        False: every interval holds its level for its own system alone.
    n_draws : int, default 20000
        Of the true values.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    RanksFromErrors
        One row a ``metric`` and ``system`` in ``to_frame()``, best first: see `RanksFromErrors.to_frame`.

    Raises
    ------
    InvalidOptionError
        If shapes do not agree, a number is not finite, or an option is outside its rule.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals : from scores by item
    metaeval.resampling.means_and_errors.rank_intervals_from_errors : where the covariance is unknown

    Notes
    -----
    True values are drawn by the law of `metaeval.models.probability_of_best.best_system` [1]_, with this covariance in
    the place of that of the units. With `expected` their prior is :math:`\mu_j \sim N(\mu, \tau^2)` as in
    `metaeval.resampling.means_and_errors.rank_intervals_from_errors`, in the place of one that grows with the errors:
    :math:`p(\tau^2) \propto 1 / (\bar v + \tau^2)`, :math:`\bar v` being the mean variance. Ranks and decisions about
    pairs follow as in `metaeval.resampling.ranks.rank_intervals`. Where several true values are exactly equal, the
    interval of one that is well known can leave out the first rank though all of them have it.

    References
    ----------
    .. [1] Strawderman (1971). Proper Bayes minimax estimators of the multivariate normal mean. Annals of Mathematical
       Statistics 42, 385-388. :doi:`10.1214/aoms/1177693528`

    Examples
    --------
    >>> found = rank_intervals_from_covariance([1.0, 0.9, 0.0], np.eye(3) / 100, rng=1)
    >>> found.to_frame()[["system", "rank_low", "rank_high"]].to_numpy().tolist()
    [['system1', 1, 2], ['system2', 1, 2], ['system3', 3, 3]]
    """
    means, square = np.asarray(estimates, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    n = len(means) if means.ndim == 1 else 0
    model = square if expected is None else np.asarray(expected, dtype=np.float64)
    squares = all(matrix.shape == (n, n) and np.isfinite(matrix).all() for matrix in (square, model))
    if n <= 1 or not (squares and np.isfinite(means).all()):
        message = "`estimates` must be two finite numbers or more, and a covariance a square of as many rows"
        raise InvalidOptionError(message)
    names = tuple(f"system{number}" for number in range(1, n + 1)) if systems is None else tuple(map(str, systems))
    if len(set(names)) != n:
        raise InvalidOptionError(f"`systems` must be {n} different names")
    check_number(freedom, "freedom", least=1)
    asked = checked(top, confidence_level, simultaneous, n_draws, n)._replace(corrected=False)
    source = resolve_rng(rng)
    generator = np.random.default_rng(int(source.generator.integers(_SEEDS)))
    oriented = settle(means, np.full(n, np.abs(means - means.mean()).max()))
    variances = square.diagonal()[:, None] + square.diagonal() - square - square.T
    variances = np.where(variances <= _ROUNDING * max(float(square.diagonal().max()), 0.0), 0.0, variances)
    values, vectors = np.linalg.eigh((square + square.T) / 2)
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    places = places_of_systems(oriented, root if expected is None else np.hstack([root, model]))
    draws = oriented[None]
    if variances.any():
        shape = None if expected is None else model
        law = means_posterior(oriented, root, min(freedom, _KNOWN), places.order, shape)
        draws = np.concatenate(list(law.draws(asked.n_draws, generator)))
    board = SystemMeans(
        metrics=(metric,),
        systems=names,
        means=means[None],
        errors=np.sqrt(np.maximum(square.diagonal(), 0.0))[None],
        n=np.full((1, n), np.nan),
        higher_is_better=np.array([True]),
        read_as="estimates with their covariance",
    )
    return ranks_of_draws(board, oriented[None], variances[None], [(places, draws)], asked, source)
