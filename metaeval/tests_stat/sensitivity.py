"""The test of Sakai's bootstrap sensitivity method: the studentised bootstrap as published, with p = k/B."""

from dataclasses import replace

from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative
from metaeval.tests_stat.result import PairwiseResult

SENSITIVITY = "bootstrap_sensitivity"
"""Its name in `metaeval.tests_stat.catalogue.TESTS`."""


@documented
def sensitivity_test(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    correction: str = "none",
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int = 1000,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PairwiseResult:
    """Decide which systems differ as Sakai (2006) does, without the difference required.

    The p-value is the achieved significance level, a plain share k/B, and a pair is significant if it lies strictly
    below `alpha`. A pair that no resample reached has p = 0 and passes every correction; where that matters, ask
    `metaeval.tests_stat.bootstrap.bootstrap_test`, whose p-values are never 0.

    Parameters
    ----------
    scores
    alternative : {"two-sided"}
        The method is two-sided as published.
    correction, alpha, baseline
    n_resamples : int, default 1000
        B, the number of topic samples drawn.
    rng, n_threads

    Raises
    ------
    ScoresError, InvalidOptionError

    See Also
    --------
    metaeval.resampling.sensitivity.bootstrap_sensitivity : the same draws, and the difference required

    References
    ----------
    .. [1] Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR. :doi:`10.1145/1148170.1148261`

    Examples
    --------
    >>> scores = [[0.3, 0.5, 0.9, 0.4, 0.7], [0.2, 0.3, 0.6, 0.4, 0.5]]
    >>> sensitivity_test(scores, rng=0).signature
    'bootstrap_sensitivity:B=1000|two-sided|none|alpha=0.05|seed 0'
    """
    if alternative != "two-sided":
        raise InvalidOptionError(
            f"bootstrap sensitivity is two-sided as published; for `alternative={alternative!r}` use the test "
            "'bootstrap'"
        )
    plain = bootstrap_test(
        scores,
        correction="none",
        alpha=alpha,
        baseline=baseline,
        n_resamples=n_resamples,
        p_value_rule="plain",
        rng=rng,
        n_threads=n_threads,
    )
    return replace(plain, test=SENSITIVITY, strictly_below=True).with_correction(correction)
