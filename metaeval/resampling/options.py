"""Option checks that run before any computation."""

from typing import NamedTuple, get_args

import numpy as np

from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_share, check_threads
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.pairs import Alternative, PValueRule


class Tested(NamedTuple):
    """How pairs of systems are tested: keywords that everything that tests takes."""

    alternative: Alternative
    alpha: float
    n_resamples: int | None
    p_value_rule: PValueRule
    rng: int
    n_threads: int | None


def check_test(
    test: str, correction: str | None = None, *, alternative: str = "two-sided", baseline: str | None = None
) -> tuple[str, str]:
    """Refuse a test, a correction or an alternative that there is not, and a side or baseline that it cannot have.

    Return the names of the test and of the correction, that of the test where none is given.

    Examples
    --------
    >>> check_test("t", "BH")
    ('t', 'fdr_bh')
    """
    spec = TESTS.find(test)
    if correction is not None and not (correction == FAMILY_WISE and spec.family_wise):
        adjust(np.empty((1, 0)), correction)  # it knows which there are
    check_choice(alternative, "alternative", get_args(Alternative))
    spec.check_alternative(alternative)
    if baseline is not None and spec.family_wise_only:
        instead = spec.one_sided_substitute
        message = f"the test {spec.name} compares all pairs and takes no baseline; use another, such as {instead!r}"
        raise InvalidOptionError(message)
    return spec.name, CORRECTIONS.canonical(correction or spec.default_correction)


def check_resampling(n_resamples: int | None, p_value_rule: str = "plus-one", n_threads: int | None = None) -> None:
    """Refuse what no test that resamples can do.

    Examples
    --------
    >>> check_resampling(1000)
    """
    if n_resamples is not None:
        check_resamples(n_resamples)
    check_choice(p_value_rule, "rule for p-values", get_args(PValueRule))
    check_threads(n_threads)


def check_intervals(n_topic_resamples: int | None, confidence_level: float) -> None:
    """Refuse numbers of topic resamples and levels of confidence that give no interval; None or 0 asks for none.

    Examples
    --------
    >>> check_intervals(0, 0.95)
    """
    check_share(confidence_level, "confidence_level")
    if n_topic_resamples is not None:
        check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES, zero=True)
