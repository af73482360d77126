"""Checks of numbers and choices, said once: the argument, the rule and the value, before any work.

A number of resamples of 10**12 is a slip of the keyboard. It must end in a sentence at once, and neither in a full
memory hours later nor in an error of some library below.
"""

import importlib.util
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MOST_ROUNDS = 10**9
"""Most resamples, replicates, trials and the like."""

MOST_REPLICATES = 10**6
"""Most replicates of a study that scores runs anew in each."""

MOST_PAIRED = 10_000
"""Most systems that are compared with each other: they make 50 million pairs, and every number about a pair takes
400 MB a metric."""

MOST_WORKERS = 4096
"""Most threads, and most workers."""

LEAST_SHARE = 1e-100
_PER_CENT = 100.0
"""Smallest share, probability or level."""

PARQUET_IS_MISSING = "polars, which is not installed (pip install polars, or metaeval with its extra parquet)"
"""What a message says where Parquet is asked for in vain."""

_WORD = 8  # bytes of a number
_SHARE = 0.8  # of the memory of the machine
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_LONGEST = 60
_COIN = 0.5
_OF_ERROR = frozenset({"alpha", "alphas"})


_MADE_BY = {
    "Assessments": "metaeval.inex.read_assessments",
    "BradleyTerry": "metaeval.models.bradley_terry",
    "Collection": "metaeval.read_collection",
    "DataChoice": "metaeval.collection.data_choice.DataChoice",
    "DataArray": "xarray.DataArray, or a function whose result is one",
    "DataFrame": "pandas.DataFrame",
    "ElementCollection": "metaeval.inex.element_collection",
    "ErrorRates": "metaeval.resampling.swap_method",
    "JudgedCollection": "metaeval.read_collection",
    "Labels": "metaeval.agreement.as_labels",
    "PairwiseResult": "metaeval.compare_systems",
    "PassageCollection": "metaeval.inex.passage_collection",
    "Series": "pandas.Series",
    "Submission": "metaeval.inex.read_submission",
    "Variant": "metaeval.questions.agree.study_variants.Variant",
}
"""What makes an object of each class."""


def refused(name: str, rule: str, value: object) -> InvalidOptionError:
    """Return the error for an argument, an option or what words name, of which the rule says what it must be.

    Examples
    --------
    >>> print(refused("alpha", "must lie between 0 and 1, not 3", 3))
    `alpha` must lie between 0 and 1, not 3
    """
    argument = name if name.isidentifier() else None
    return InvalidOptionError(f"{f'`{name}`' if argument else name} {rule}", argument=argument, value=value)


def check_kind(value: object, name: str, kind: str) -> None:
    """Refuse an object of another class than a function works on: say the name of a file, where its content is wanted.

    Examples
    --------
    >>> check_kind("x", "labels", "Labels")
    Traceback (most recent call last):
    metaeval.errors.InvalidOptionError: `labels` must be a Labels; got 'x'. One is made by metaeval.agreement.as_labels
    """
    if not any(base.__name__ == kind for base in type(value).__mro__):
        received = show(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
        article = "an" if kind[0] in "AEIOU" else "a"
        raise refused(name, f"must be {article} {kind}; got {received}. One is made by {_MADE_BY[kind]}", value)


def check_kinds[T](values: Iterable[T], name: str, kind: str) -> list[T]:
    """Return the objects of a list if each is of the class; see `check_kind`."""
    if isinstance(values, str):
        check_kind(values, name, kind)
    listed = list(values)
    for value in listed:
        check_kind(value, name, kind)
    return listed


def check_list(values: object, name: str, such_as: Sequence[object]) -> list[Any]:
    """Return the entries of an argument that takes one or several.

    Examples
    --------
    >>> check_list(("t", "sign"), "tests", ["t"]), check_list("sign", "tests", ["t"])
    (['t', 'sign'], ['sign'])
    >>> check_list({}, "tests", ["t"])
    Traceback (most recent call last):
    metaeval.errors.InvalidOptionError: `tests` must be a list, such as ['t'], not {}
    """
    if isinstance(values, str | Real) and not isinstance(values, bool):
        return [values]
    if isinstance(values, bytes | Mapping) or not isinstance(values, Iterable):
        raise refused(name, f"must be a list, such as {list(such_as)!r}, not {show(values)}", values)
    return list(values)


def check_mapping(value: object, name: str, such_as: Mapping[str, object]) -> dict[Any, Any]:
    """Return what is said by name: a mapping, or a series by its index.

    Examples
    --------
    >>> check_mapping({"q1": 120}, "covariate", {"q1": 120})
    {'q1': 120}
    """
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 1:
        return dict(value.to_dict())
    raise refused(
        name,
        f"must be a mapping by name, such as {such_as!r}, not a {type(value).__name__}. Of values in the "
        "order of names pass dict(zip(names, values)), of a column frame.set_index('NAMES')['VALUES']",
        value,
    )


def check_tolerances(tolerances: object, tolerance_unit: str) -> list[float]:
    """Return tolerances in order, each once, if they are shares of the larger mean, or in the unit of the scores.

    Examples
    --------
    >>> check_tolerances(0.1, "relative"), check_tolerances([5, 0], "absolute")
    ([0.1], [0.0, 5.0])
    """
    asked = check_list(tolerances, "tolerances", [0.05])
    levels = sorted({check_number(tolerance, "tolerances") for tolerance in asked})
    upper = 1.0 if tolerance_unit == "relative" else math.inf
    if levels and levels[0] >= 0 and levels[-1] < upper:
        return levels
    rule = f"must be numbers in [0, {upper:g}) for {tolerance_unit} ones, not {tolerances!r}"
    if levels and levels[0] >= 0:
        rule += f"; write {levels[-1]:g} % of the larger mean as {levels[-1] / _PER_CENT:g}"
    raise refused("tolerances", rule, tolerances)


def check_path(path: object, name: str = "path") -> None:
    """Refuse what is no name of a file.

    Examples
    --------
    >>> check_path("scores.csv")
    """
    if not isinstance(path, str | os.PathLike):
        raise refused(name, f"must be the name of a file, not {show(path)}", path)


def check_count(  # noqa: PLR0913 - one keyword per limit
    value: object, name: str, *, least: int = 1, most: int = MOST_ROUNDS, unit: str = "", zero: bool = False
) -> int:
    """Return a count if it is a whole number within its limits.

    Examples
    --------
    >>> check_count(1000, "n_resamples")
    1000
    """
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is not None and (least <= number <= most or (zero and number == 0)):
        return number
    if unit:
        rule = f"must be a whole number from {least} to {most:,} ({unit}), not {show(value)}"
    elif number is None or number < least:
        rule = f"must be {'0 or ' * zero}a whole number of at least {least}, not {show(value)}"
    else:
        size = "" if most < MOST_ROUNDS else f" ({_bytes(number * _WORD)} for one number each)"
        rule = f"must be at most {most:,}, not {show(value)}{size}"
    raise refused(name, rule, value)


def check_number(  # noqa: PLR0913 - one keyword per limit
    value: object,
    name: str,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    unit: str = "",
) -> float:
    """Return a number if it is finite and within its limits.

    Examples
    --------
    >>> check_number(2, "width", above=0)
    2.0
    """
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    allowed = (
        math.isfinite(number)
        and (above is None or number > above)
        and (least is None or number >= least)
        and (below is None or number < below)
        and (most is None or number <= most)
    )
    if not allowed:
        rule = f"must {_range(above, least, below, most)}{unit and f' ({unit})'}, not {show(value)}"
        raise refused(name, rule, value)
    return number


def _range(above: float | None, least: float | None, below: float | None, most: float | None) -> str:
    low, high = (least if above is None else above), (most if below is None else below)
    if low is None and high is None:
        return "be a finite number"
    if high is None:
        return f"be a number above {above:g}" if least is None else f"be a number of at least {least:g}"
    if low is None:
        return f"be a number below {below:g}" if most is None else f"be a number of at most {most:g}"
    if above is None and below is None:
        return f"lie from {low:g} to {high:g}"
    if least is None and most is None:
        return f"lie between {low:g} and {high:g}"
    return f"lie above {low:g} and be at most {high:g}" if least is None else f"be at least {low:g} and below {high:g}"


def check_share(value: object, name: str) -> float:
    """Return a share, a probability or a level if it lies between 0 and 1, both excluded.

    So near to 0 that its inverse is no number of things, it is a slip; so are a level of error that a coin toss would
    keep, and a level of confidence that it would reach: one was taken for the other.

    Examples
    --------
    >>> check_share(0.05, "alpha")
    0.05
    """
    try:
        share = check_number(value, name, above=0, below=1)
    except InvalidOptionError as error:
        if isinstance(value, int | float) and 1 < value < _PER_CENT:
            way = _level_meant(value / _PER_CENT, name) or f"write {value:g} % as {value / _PER_CENT:g}"
            error.args = (f"{error}; {way}",)
        raise
    if share < LEAST_SHARE:
        raise refused(name, f"must be at least {LEAST_SHARE:g}, not {show(value)}", value)
    if way := _level_meant(share, name):
        rule = f"must be at {'most' if share > _COIN else 'least'} {_COIN:g}, not {show(value)}"
        raise refused(name, f"{rule}; {way}", value)
    return share


def _level_meant(share: float, name: str) -> str:
    """Say what to write where a level of error was given for one of confidence or the reverse, "" elsewhere."""
    level, other = (f"{round(value, 12):g}" for value in (share, 1 - share))
    name = name.lstrip("-").replace("-", "_")
    if name in _OF_ERROR and share > _COIN:
        return f"it is the probability of error: for {_PER_CENT * float(level):g} % confidence write {other}"
    if name == "confidence_level" and share < _COIN:
        return (
            f"it is the probability that an interval is right: for {_PER_CENT * float(level):g} % error write {other}"
        )
    return ""


def check_power(power: object, alpha: object) -> tuple[float, float]:
    """Return the wanted chance that a test finds something and its level, if the chance is above the level.

    Examples
    --------
    >>> check_power(0.8, 0.05)
    (0.8, 0.05)
    """
    level = check_share(alpha, "alpha")
    return check_number(power, "power", above=level, below=1, unit="above alpha"), level


def check_error_rate(value: object, name: str = "max_error") -> float:
    """Return an error rate if it is one that a coin toss would not reach.

    Examples
    --------
    >>> check_error_rate(0.05)
    0.05
    """
    return check_number(value, name, above=0, below=_COIN)


def check_choice(value: object, what: str, choices: Iterable[str]) -> None:
    """Refuse a value that is none of the choices.

    Examples
    --------
    >>> check_choice("two-sided", "alternative", ["two-sided", "greater", "less"])
    """
    allowed = tuple(choices)
    if value not in allowed:
        from metaeval.base.vocabulary import vocabulary  # noqa: PLC0415 - read where a call cannot be understood alone

        called = {ours: others.split() for ours, others in vocabulary()["values"].items() if ours in allowed}
        synonyms = {other: ours for ours, others in called.items() for other in others}
        raise UnknownNameError(what, str(value), allowed, synonyms=synonyms)


def check_memory(n_numbers: int, *, what: str, advice: str) -> None:
    """Refuse work whose arrays do not fit into the memory of this machine.

    Examples
    --------
    >>> check_memory(1000 * 50, what="1,000 resamples of 50 topics", advice="ask for fewer resamples")
    """
    there = _memory()
    if n_numbers * _WORD > _SHARE * there:
        message = f"{what} take {_bytes(n_numbers * _WORD)} of memory, and this machine has {_bytes(there)}; {advice}"
        raise InvalidOptionError(message)


def check_threads(n_threads: object) -> int | None:
    """Return `n_threads` if it is None or a whole number from 1 to `MOST_WORKERS`, else raise `InvalidOptionError`.

    Examples
    --------
    >>> check_threads(2)
    2
    """
    return None if n_threads is None else check_count(n_threads, "n_threads", most=MOST_WORKERS)


def check_jobs(n_jobs: object) -> int:
    """Return `n_jobs` if it is a number of workers, or a negative one as joblib takes it (-1: every core).

    Examples
    --------
    >>> check_jobs(-1)
    -1
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        raise refused("n_jobs", f"must be 1 or more, or negative (-1: every core), not {show(n_jobs)}", n_jobs)
    if abs(int(n_jobs)) > MOST_WORKERS:
        raise refused("n_jobs", f"must be at most {MOST_WORKERS:,} workers, not {show(n_jobs)}", n_jobs)
    return int(n_jobs)


def has_parquet() -> bool:
    """Say whether what reads and writes Parquet is installed: polars, by the extra ``parquet``."""
    return importlib.util.find_spec("polars") is not None


def check_paired(n_systems: int, *, more: bool = False) -> None:
    """Check that so many systems, and perhaps `more`, can be compared with each other.

    Examples
    --------
    >>> check_paired(100)
    """
    if n_systems > MOST_PAIRED:
        pairs, most = (number * (number - 1) // 2 for number in (n_systems, MOST_PAIRED))
        raise InvalidOptionError(
            f"{n_systems:,} systems{' and more' if more else ''} make {pairs:,} pairs, and at most {most:,} pairs of "
            f"{MOST_PAIRED:,} systems are compared; leave some out (`exclude_systems`)"
        )


def check_parquet(ending: str) -> None:
    """Refuse to write Parquet where nothing can, before any work."""
    if ending == ".parquet" and not has_parquet():
        raise InvalidOptionError(f".parquet is written by {PARQUET_IS_MISSING}; .nc, .csv and .tsv need nothing more")


def show(value: object) -> str:
    """Write a value for a message; numbers of very many digits, which Python refuses to write, by their length.

    Examples
    --------
    >>> show(7), show("x"), show(-(10**5000))
    ('7', "'x'", 'a negative number of some 4983 digits')
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if number.bit_length() <= _LONGEST * 3:
            return str(number)
        return f"a {'negative ' if number < 0 else ''}number of some {number.bit_length() * 3 // 10} digits"
    return repr(value)


def t_half_width(standard_error: "ArrayLike", n: "ArrayLike", confidence_level: float) -> Any:  # noqa: ANN401 - as given
    """Return half the width of the t interval of a mean: its standard error times the quantile of Student's t.

    Examples
    --------
    >>> float(t_half_width(0.1, 10, 0.95).round(4))
    0.2262
    """
    import numpy as np  # noqa: PLC0415 - checks come before any array
    from scipy.special import stdtrit  # noqa: PLC0415 - likewise

    freedom = np.asarray(n) - 1
    quantile = stdtrit(np.maximum(freedom, 1), 0.5 + confidence_level / 2)
    return np.where(freedom > 0, quantile, np.nan)[()] * standard_error


@cache
def _memory() -> int:
    """Return the bytes of memory of this machine, or what a common one has where that is not told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 10**9


def _bytes(count: int) -> str:
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:  # noqa: PLR2004 - units go by thousands
        count //= 1000
        unit += 1
    return f"{show(count)} {_UNITS[unit]}"
