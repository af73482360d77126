"""Words that the docstrings of tests share, written once.

A docstring only names such a parameter or error, several on a line; `documented` adds what it is, so that
``help(metaeval.paired_t_test)`` tells everything.
"""

import re
from collections.abc import Callable

_SHARED = """
scores : Scores or anything `metaeval.as_scores` takes
alternative : {"two-sided", "greater", "less", "better"}
    "greater": the pair's first system is better (for a metric where lower is better: its scores are lower); "less":
    it is worse; "better": one-sided in the direction of the better mean, both directions counting as hypotheses when
    correcting.
correction : str
    For testing many pairs at once: "none", "bonferroni", "holm", "fdr_bh" or "fdr_by"; see
    `metaeval.tests_stat.correction.adjust`.
alpha : float, default 0.05
    Significance level.
baseline : str, optional
    Compare every other system with this one only.
p_value_rule : {"plus-one", "plain"}
    (k + 1)/(B + 1), which counts the observation itself and is never 0; or k/B, as papers print.
rng : None, int or numpy.random.Generator
    Source of the draws, the same for every pair and every metric.
n_threads : int, optional
    Cores to use; the result does not depend on it.
ScoresError
    If the scores have gaps (without ``missing="pairwise"``), or too few systems or topics.
InvalidOptionError
    If an option is outside its rule; `UnknownNameError` for a name that is not known.
"""
_ENTRIES = {re.split(r" : |\n", entry)[0]: entry.splitlines() for entry in re.split(r"\n(?=\w)", _SHARED.strip())}


def documented[Function: Callable[..., object]](function: Function) -> Function:
    """Describe what the docstring of a function names and does not describe.

    Examples
    --------
    >>> from inspect import getdoc
    >>> def decide(scores, *, alpha=0.05):
    ...     '''Decide on scores.
    ...
    ...     scores, alpha
    ...     '''
    >>> print(getdoc(documented(decide)))
    Decide on scores.
    <BLANKLINE>
    scores : Scores or anything `metaeval.as_scores` takes
    alpha : float, default 0.05
        Significance level.
    """
    lines = (function.__doc__ or "").split("\n")
    told = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        indent = line[: len(line) - len(line.lstrip())]
        names = line.strip().split(", ")
        if all(name in _ENTRIES for name in names) and not after.startswith(f"{indent} "):
            told += [indent + words for name in names for words in _ENTRIES[name]]
        else:
            told.append(line)
    function.__doc__ = "\n".join(told)
    return function
