"""Messages of the library in the words of the command line: ``--order rank`` for ``order='rank'``.

The library speaks to people who call it from Python. What it says reaches people who typed a command through
`in_options`, which puts the options of that command in the place of the arguments. Metrics keep their notation: in
``AP(rel=2)`` nothing is an option.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

__all__ = ["ARGUMENTS", "NOTATION", "PYTHON_ONLY", "in_options", "speaking_of"]

ARGUMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "alternative": ("--alternative",),
        "choose": ("--choose",),
        "bin_width": ("--bin-width",),
        "budget": ("--budget",),
        "cluster": ("--cluster",),
        "column": ("--group-column",),
        "columns": ("--column",),
        "correction": ("--correction",),
        "corrections": ("--correction",),
        "cost": ("--cost",),
        "current": ("--current",),
        "depth": ("--pool-depth", "--depth"),
        "differences": ("--difference",),
        "min_f1": ("--min-f1",),
        "min_tau": ("--min-tau",),
        "gains": ("--gains",),
        "groups": ("--groups",),
        "item": ("--item",),
        "keep": ("--keep",),
        "level": ("--level",),
        "levels": ("--level", "--levels"),
        "limit": ("--limit",),
        "log": ("--log",),
        "longest_break": ("--longest-break",),
        "lower_is_better": ("--lower-is-better",),
        "map_metric": ("--map-metric",),
        "tolerance_unit": ("--tolerance-unit",),
        "tolerances": ("--tolerances",),
        "max_error": ("--max-error",),
        "methods": ("--method",),
        "metrics": ("--metrics",),
        "min_difference": ("--min-difference",),
        "missing": ("--missing",),
        "n_choices": ("--interval-resamples",),
        "n_documents": ("--documents",),
        "n_groups": ("--groups",),
        "n_jobs": ("--workers",),
        "n_replicates": ("--replicates",),
        "n_resamples": ("--resamples",),
        "n_results": ("--results",),
        "n_systems": ("--systems",),
        "n_tested": ("--tested",),
        "n_threads": ("--threads",),
        "n_topic_resamples": ("--interval-resamples",),
        "n_topics": ("--topics",),
        "n_trials": ("--trials",),
        "order": ("--order",),
        "out": ("--out",),
        "outside": ("--outside",),
        "overwrite": ("--overwrite",),
        "pairs": ("--pair",),
        "permute": ("--permute",),
        "pool_depth": ("--pool-depth",),
        "pool_size": ("--pool",),
        "pooled": ("--pooled-column",),
        "power": ("--power",),
        "questions": ("--question",),
        "reductions": ("--reductions",),
        "reference": ("--reference",),
        "rel": ("--rel",),
        "resample": ("--resample",),
        "rng": ("--seed",),
        "runs": ("--runs",),
        "runs_per_group": ("--runs-per-group",),
        "sampling": ("--sampling",),
        "scale": ("--scale",),
        "score_precision": ("--score-precision",),
        "second": ("--second",),
        "sizes": ("--element-sizes", "--topic-sizes", "--pool-sizes"),
        "statistics": ("--statistic",),
        "steps": ("--steps",),
        "systems_in": ("--systems-in",),
        "test": ("--test",),
        "tests": ("--test",),
        "top": ("--top",),
        "undefined": ("--undefined",),
        "variance": ("--variance",),
        "where": ("--where",),
        "words": ("--word",),
        "workers": ("--workers",),
        "year": ("--year",),
    }
)
"""Argument of the library to the options it may have; the first that a command knows is meant."""

NOTATION = frozenset(
    {
        *(
            "a",
            "alpha",
            "compat",
            "gains",
            "judged_only",
            "k",
            "max_level",
            "min_size",
            "mode",
            "normalise",
            "p",
            "quant",
        ),
        *("rel", "task", "tie"),
        *("function", "graded", "higher_is_better", "ideal", "kernel", "without_relevant"),
    }
)
"""Words before "=" that a metric's name, or its definition in a plug-in, may hold: no arguments of the library."""

PYTHON_ONLY = frozenset(
    {
        *(
            "adaptive_rate",
            "baseline",
            "reciprocal_rank_share",
            "bounds",
            "duplicates",
            "few",
            "form",
            "header",
            "lenient",
            "retrieved",
            "method",
            "nesting",
            "p_value_rule",
        ),
        *("paths", "rate", "relevant", "replace", "size", "split_tags", "systems", "ties", "topics", "zero_method"),
    }
)
"""Arguments that no command offers."""

_PHRASES: Mapping[str, str] = MappingProxyType(
    {
        "With lenient=True": "With --lenient",
        "lenient=True": "--lenient",
        "select(systems=…)": "naming the other runs only",
        "by with_groups (--groups)": "by --groups",
        "(with_groups, --groups)": "(--groups)",
    }
)

_VALUE = r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|[\w.+-]*[\w]|"
_PATTERN = re.compile(
    r"(?P<call>\w'?\([^()]*=[^()]*\))"  # a metric with its parameters
    rf"|(?<![\w'-])(?P<name>[a-z_]+)=(?P<value>{_VALUE})(?P<others>(?:(?:, | or )'[\w-]+')*)"
    r"|(?<![\w'.-])(?P<bare>[a-z]+_[a-z_]+)(?![\w'=(-])"  # an argument without a value, as in "n_resamples must"
)


_OPTIONS: ContextVar[Collection[str]] = ContextVar("options of the command that runs", default=())


@contextmanager
def speaking_of(options: Collection[str]) -> Iterator[None]:
    """Make `in_options` know the options of the command that runs inside the block."""
    token = _OPTIONS.set(options)
    try:
        yield
    finally:
        _OPTIONS.reset(token)


def in_options(message: str, options: Collection[str] | None = None) -> str:
    """Return a message of the library in the words of the command that runs.

    Parameters
    ----------
    message : str
        What the library says, in Python's words.
    options : collection of str, optional
        Those of the command, such as "--order"; by default those of `speaking_of`. With none of them (Python) the
        message stays as it is.

    Returns
    -------
    str
        With options for arguments. Arguments that the command has no option for stay, and it is said that they are
        Python's.

    Examples
    --------
    >>> in_options("the rank stands twice; with order='rank' ranks must be unique", ["--order"])
    'the rank stands twice; with --order rank ranks must be unique'
    >>> in_options("pass missing='zero', 'drop-systems' or 'drop-topics'", ["--missing"])
    'pass --missing zero, drop-systems or drop-topics'
    >>> in_options("n_resamples must be at least 1, not 0; see AP(rel=2)", ["--resamples"])
    '--resamples must be at least 1, not 0; see AP(rel=2)'
    """
    known = set(_OPTIONS.get() if options is None else options)
    if not known:
        return message
    foreign: list[str] = []

    def translated(match: re.Match[str]) -> str:
        if match["call"]:
            return match[0]
        name = match["name"] or match["bare"]
        option = next((one for one in ARGUMENTS.get(name, ()) if one in known), None)
        if option is None:
            if match["name"] and name not in NOTATION and (name in ARGUMENTS or name in PYTHON_ONLY):
                foreign.append(f"{name}=")
            return match[0]
        if match["bare"]:
            return option
        value = match["value"] or ""
        return option + (f" {_unquoted(value)}" if value and value != "True" else "") + match["others"].replace("'", "")

    for phrase, words in _PHRASES.items():
        message = message.replace(phrase, words) if words.split()[-1] in known or "--" not in words else message
    for name, option in _leading(message, known):
        message = option + message.removeprefix(name)
    message = _once(_PATTERN.sub(translated, message), known)
    if foreign:
        verb = "are arguments" if len(set(foreign)) > 1 else "is an argument"
        message = (
            f"{message} ({' and '.join(dict.fromkeys(foreign))} {verb} in Python; this command has no such option)"
        )
    return message


def _leading(message: str, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the one-word argument a message begins with, as in "alpha must lie between 0 and 1", and its option."""
    found = re.match(r"([a-z_]+)(?= must |: )", message)
    if found:
        names = ARGUMENTS.get(found[1], (f"--{found[1]}",))
        yield from [(found[1], option) for option in names if option in known][:1]


def _unquoted(value: str) -> str:
    return value[1:-1] if value[0] in "'\"[" else value


def _once(message: str, known: set[str]) -> str:
    """Say an option once where the library named both the argument and the option beside it."""
    for option in known:
        one = re.escape(option)
        message = re.sub(rf"{one} \({one}( [A-Z]+)?\)", rf"{option}\1", message)
        message = re.sub(rf"\({one}, {one}( [A-Z]+)?\)", rf"({option}\1)", message)
    return message
