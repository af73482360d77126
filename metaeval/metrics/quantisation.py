"""Quantisations: which gain a relevant document of each level gives, and what makes one of one's own.

A quantisation of documents is a plain function from levels (1 and above) to gains. Documents at level 0 or below, and
unjudged ones, have no gain under any of them. Those of XML elements stand in `metaeval.inex.element_quantisation`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.metric_names import Call, GainTable
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError
from metaeval.metrics.parameters import Level, Parameter, read_parameters
from metaeval.running.equality import difference, reaches

LINEAR = Call("linear")
"""The default: a document's gain is its level."""
GENERALISED = Call("gen")
"""The default for elements: the generalised function of the scale."""


def linear(levels: NDArray[np.number]) -> NDArray[np.float64]:
    """Gain = level."""
    return levels.astype(np.float64)


def exponential(levels: NDArray[np.number]) -> NDArray[np.float64]:
    """Gain = 2^level - 1 (Burges et al. 2005)."""
    return np.exp2(levels) - 1.0


def binary(levels: NDArray[np.number], *, rel: Level = 1) -> NDArray[np.float64]:
    """Gain = 1 from level rel on: lenient at rel=1, strict where rel is the highest level."""
    return reaches(levels, rel, levels).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Quantisation(ShortRepr):
    """A named function from judgments to gains."""

    name: str
    """As written after ``gains=``, or after ``quant=`` for elements."""
    function: Callable[..., NDArray[np.float64]]
    """For documents ``f(levels, *, parameters) -> gains``: an array of the levels 1, 2, … (of the grades above 0,
    where these are not whole), and an array of that length back. For elements ``f(grades, *, parameters) ->
    gains``: the `ElementGrades` of relevant elements, and a gain in [0, 1] for each."""
    on: Literal["documents", "elements"] = "documents"
    """What it takes."""
    scales: tuple[str, ...] = ()
    """Scales of element assessments that it is made for; any by default."""
    parameters: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)
    """Read from the signature."""

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise InvalidOptionError(f"a quantisation's name is one word (letters, digits, _), not {self.name!r}")
        read = read_parameters(self.function, what=f"quantisation {self.name!r}")
        object.__setattr__(self, "parameters", read)

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().split("\n")[0]


QUANTISATIONS = (
    Quantisation("linear", linear),
    Quantisation("exponential", exponential),
    Quantisation("binary", binary),
)
"""Those that come with the package, in the order of lists and help."""


def as_gains(value: object) -> Call | GainTable:
    """Take what a caller passes as ``gains=``: a word, a call, or a mapping from level to gain.

    Examples
    --------
    >>> str(as_gains({2: 3, 1: 1}))
    '{1:1, 2:3}'
    """
    match value:
        case Call() | GainTable():
            return value
        case str():
            return Call(value)
        case Mapping() if value:
            return GainTable(tuple(sorted((_whole(level), float(gain)) for level, gain in value.items())))
    message = f"gains must be a word such as exponential, or a table such as {{1:1, 2:5}}, not {value!r}"
    raise InvalidOptionError(message)


def _whole(level: float) -> float:
    return int(level) if float(level).is_integer() else float(level)


def gain_table(
    gains: Call | GainTable,
    quantisations: Mapping[str, Quantisation],
    *,
    top_level: int,
    present: NDArray[np.int64],
    grades: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the gain of every level from 0 to `top_level`.

    Shapes: `grades` (top_level + 1,), result (top_level + 1,).

    Examples
    --------
    >>> known = {one.name: one for one in QUANTISATIONS}
    >>> gain_table(Call("exponential"), known, top_level=3, present=np.array([1, 3]))
    array([0., 1., 3., 7.])
    """
    table = np.zeros(top_level + 1)
    numbers = np.arange(top_level + 1.0) if grades is None else grades
    if isinstance(gains, Call):
        computed = np.asarray(
            quantisations[gains.word].function(
                np.arange(1, top_level + 1) if grades is None else grades[1:], **dict(gains.arguments)
            ),
            dtype=np.float64,
        )
        if computed.shape != (top_level,):
            message = f"gains={gains} must return one gain per level, shape ({top_level},), not {computed.shape}"
            raise InvalidOptionError(message)
        table[1:] = computed
    else:
        table[1:] = np.nan
        for level, gain in gains.entries:
            if level <= 0 and gain != 0:
                message = f"gains={gains}: level {level} is not relevant, so its gain must be 0, not {gain:g}"
                raise InvalidOptionError(message)
            table[1:][difference(numbers[1:], level, numbers[1:], abs(level)) == 0] = gain
        unnamed = [numbers[level] for level in present if level > 0 and np.isnan(table[level])]
        if unnamed:
            raise InvalidOptionError(
                f"gains={gains} names no gain for level {unnamed[0]:g}, which the judgments hold; add {unnamed[0]:g}:…"
            )
    wrong = np.flatnonzero((table < 0) | np.isinf(table))
    if wrong.size or (isinstance(gains, Call) and np.isnan(table).any()):
        level = int(wrong[0]) if wrong.size else int(np.flatnonzero(np.isnan(table))[0])
        message = f"gains={gains}: a gain is finite and not negative; level {numbers[level]:g} has {table[level]:g}"
        raise InvalidOptionError(message)
    return table
