"""Tests that installed packages bring: one function of the scores of two systems, asked of every pair."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.faults import fault
from metaeval.base.plugins import Plugin, as_given, number_given
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.pairs import Alternative, Evidence, Question, ask
from metaeval.tests_stat.result import PairwiseResult, pairwise_result


@documented
def installed_test(  # noqa: PLR0913 - as every test
    scores: object,
    *,
    method: str,
    alternative: Alternative = "two-sided",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> PairwiseResult:
    """Ask the test of an installed package which systems differ.

    Parameters
    ----------
    scores
    method : str
        The name of an entry point in the group ``metaeval.tests``. Its function takes two arrays (topic,) of the topics
        that both systems have, turned so that higher is better, and returns a p-value, or what has a ``pvalue`` and
        maybe a ``statistic``, as the tests of SciPy do. One that answers one-sided questions too takes ``alternative``
        ("two-sided", "greater", "less").
    alternative, correction, alpha, baseline

    Returns
    -------
    PairwiseResult
        The statistic is the function's, or the mean difference where it gives none. Two systems that are equal on every
        topic have p = 1, and the function is not asked. Columns: `PairwiseResult.to_frame`.

    Raises
    ------
    ScoresError
    InvalidOptionError
        If the function raises, gives no p-value, or cannot answer the alternative.
    """
    name = TESTS.canonical(method)
    plugin = TESTS.plugins[name]
    function = plugin.imported()
    question = ask(scores, alternative=alternative, alpha=alpha, baseline=baseline, test=name)
    if not callable(function) or (question.one_sided and not _takes_alternative(function)):
        told = f"the test {plugin.name} of {plugin.package}"
        raise InvalidOptionError(
            f"{told} is two-sided only; for `alternative={alternative!r}` use another, such as 't'"
            if callable(function)
            else f"{told} is no function of two systems' scores, but {as_given(function)}"
        )
    if question.one_sided:
        greater, statistic = _answers(question, plugin, function, "greater")
        less, _ = _answers(question, plugin, function, "less")
        evidence = Evidence(statistic=statistic, greater=greater, less=less)
    else:
        two_sided, statistic = _answers(question, plugin, function, "two-sided")
        evidence = Evidence(statistic=statistic, two_sided=two_sided)
    return pairwise_result(question, evidence, test=name, correction=correction)


def _takes_alternative(function: Callable[..., Any]) -> bool:
    try:
        return "alternative" in signature(function).parameters
    except (TypeError, ValueError):  # compiled, and silent on what it takes
        return False


def _answers(question: Question, plugin: Plugin, function: Callable[..., Any], side: str) -> tuple[Floats, Floats]:
    """Return the p-value and the statistic of every metric and pair that differs somewhere."""
    options = {"alternative": side} if _takes_alternative(function) else {}
    statistics = question.mean_differences()
    p_values = np.ones_like(statistics)
    systems, metrics = question.scores["system"].to_numpy(), question.scores["metric"].to_numpy()
    for metric, pair in np.argwhere((question.n_apart > 0) & (question.n_common > 1)).tolist():
        first, second = question.values[metric, [question.first[pair], question.second[pair]]]
        common = np.isfinite(first - second)
        told = f"the test {plugin.name} of {plugin.package}"
        names = [str(systems[side[pair]]) for side in (question.first, question.second)]
        about = f"for {names[0]!r} and {names[1]!r} under {metrics[metric]}"
        try:
            answer = function(first[common], second[common], **options)
        except Exception as error:
            raise InvalidOptionError(f"{told} stopped {about}: {fault(error)}") from error
        chance = number_given(getattr(answer, "pvalue", answer))
        if chance is None or not 0 <= chance <= 1:
            raise InvalidOptionError(f"{told} gave {as_given(answer)} {about}; a p-value is a number from 0 to 1")
        p_values[metric, pair] = chance
        statistic = number_given(getattr(answer, "statistic", None))
        statistics[metric, pair] = statistics[metric, pair] if statistic is None else statistic
    return p_values, statistics
