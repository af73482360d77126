# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""What was done in a study of discriminative power, in words that fit a paper, and what to cite."""

from typing import Any

from metaeval.bibliography import cited
from metaeval.studies.power import PowerStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.procedures import Procedure, Table
from metaeval.tests_stat.result import PairwiseResult
from metaeval.words import count, listed, name_of_metric, percentage, short_names

__all__ = ["cited_keys", "described", "methods_paragraph", "one_per_test"]

_POWER = ("sakai2006", "sakai2008")
_SIDES = {"two-sided": "two-sided", "better": "one-sided in the direction of the better mean"}
_LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy"}


def described(procedure: Procedure) -> str:
    """Return how a sentence describes a test or correction, with what it cites.

    Examples
    --------
    >>> described(TESTS["sign"]), described(CORRECTIONS["bonferroni"])
    ('the sign test (Conover, 1999)', 'the Bonferroni correction (Dunn, 1961)')
    """
    return procedure.described + cited(procedure.cite)


def methods_paragraph(study: PowerStudy) -> str:
    """Return what was done in words that fit a paper, from the record of what was done.

    Parameters
    ----------
    study : PowerStudy

    Returns
    -------
    str
        One paragraph; every publication it cites is in `cited_keys`.
    """
    sentences = (
        *_design(study),
        *_corrections(study),
        *_difference_required(study),
        *_intervals(study),
        *_identical(study),
        _software(study),
    )
    return " ".join(sentences)


def cited_keys(study: PowerStudy) -> tuple[str, ...]:
    """Return the keys of what the methods paragraph cites."""
    keys = list(_POWER)
    for result in study.comparisons:
        keys += _described(TESTS, result.test)[1] + _described(CORRECTIONS, result.correction)[1]
    return tuple(dict.fromkeys(keys))


def one_per_test(study: PowerStudy) -> list[PairwiseResult]:
    """Return the first comparison of every test."""
    first: dict[str, PairwiseResult] = {}
    for result in study.comparisons:
        first.setdefault(result.test, result)
    return list(first.values())


def _design(study: PowerStudy) -> tuple[str, ...]:
    sizes, lead = study.scores.sizes, study.comparisons[0]
    side = _SIDES.get(lead.alternative, f"one-sided ({lead.alternative})")
    compared = (
        f"We compared {sizes['system']} systems on {sizes['topic']} topics under {count(sizes['metric'], 'metric')} "
        f"({listed(map(name_of_metric, study.scores['metric'].to_numpy()))})."
    )
    tested = (
        f"For each metric all {lead.n_pairs} pairs of systems were tested at α = {lead.alpha:g}, {side}, with "
        f"{listed(map(_test_with_draws, one_per_test(study)))}."
    )
    power = "Discriminative power is the share of the pairs that differ significantly"
    short = short_names(study.scores["metric"].to_numpy())
    return compared, *short, tested, f"{power}{cited(_POWER)}."


def _test_with_draws(result: PairwiseResult) -> str:
    described, keys = _described(TESTS, result.test)
    words = described + cited(keys)
    if result.n_resamples:
        words += f", B = {result.n_resamples} resamples shared by all pairs and metrics"
        words += f", {result.random_source}" if result.random_source else ""
    return words


def _corrections(study: PowerStudy) -> tuple[str, ...]:
    present = dict.fromkeys(result.correction for result in study.comparisons)
    used = [_described(CORRECTIONS, name) for name in present if name != "none"]
    if not used:
        return ()
    start = "Beside the uncorrected results, p" if "none" in present else "P"
    named = listed(described + cited(keys) for described, keys in used)
    return (f"{start}-values were adjusted over all pairs of one metric with {named}.",)


def _difference_required(study: PowerStudy) -> tuple[str, ...]:
    if study.sensitivity is None:
        return ()
    words = (
        "The difference required is the largest absolute mean difference, over all pairs, of the resample at place "
        f"⌊Bα⌋ when the B = {study.sensitivity.n_resamples} resamples of a pair are ordered by the absolute value of "
        "their studentised statistic, largest first (Sakai, 2006); as a maximum it depends on single pairs, so its "
        "median and 95th percentile over the pairs are given too."
    )
    return (words,)


def _intervals(study: PowerStudy) -> tuple[str, ...]:
    intervals = study.intervals
    if intervals is None:
        return ()
    same = intervals.test in {result.test for result in study.comparisons}
    other = "" if same else f", under {_described(TESTS, intervals.test)[0]}"
    words = (
        f"{percentage(intervals.confidence_level)} intervals for discriminative power, and for the difference of two "
        "metrics' powers, are t intervals whose standard error is the spread of the power over "
        f"{intervals.n_topic_resamples} resamples of the topics, the same for every metric{other}; on real topics 95 % "
        "intervals of this form held the expected power in about 92 % of samples and otherwise mostly lay above it."
    )
    return (words,)


def _identical(study: PowerStudy) -> tuple[str, ...]:
    n_same = sum(map(len, study.identical))
    return (f"{n_same} systems with identical scores stayed among the pairs.",) if n_same else ()


def _software(study: PowerStudy) -> str:
    versions = study.provenance.versions
    around = [f"{label} {versions[name]}" for name, label in _LIBRARIES.items() if name in versions]
    own = f"Computed with metaeval {versions.get('metaeval', '')}".rstrip()
    return f"{own} ({', '.join(around)})." if around else f"{own}."


def _described(table: Table[Any], name: str) -> tuple[str, tuple[str, ...]]:
    """Return what a paper would say was done, and what it cites; what is from elsewhere goes by its own name."""
    row = table.named.get(name)
    return (row.described, row.cite) if row else (name, ())
