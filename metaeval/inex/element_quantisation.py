"""Quantisations of XML elements: one number in [0, 1] out of exhaustivity and specificity.

A quantisation is a plain function of `ElementGrades`, the assessments of relevant elements (exhaustivity not 0 and
specificity above 0); everything else has the value 0 under all of them. Which scale of assessments (INEX 2002, 2003
to 2004, 2005 on) a function belongs to stands in its `Quantisation`; `strict` and `gen` are those of any scale.

Sources: Kazai, Lalmas and de Vries (2004) for SOG; Ogilvie and Lalmas (2006) for what the functions look at; the
values of Gen4 and the four functions of 2004 are those of the INEX 2003 and 2004 reports, those of 2002 of Manning,
Raghavan and Schütze (2008, section 10.4).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.metric_names import Call
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN, Scale
from metaeval.metrics.parameters import Rule
from metaeval.metrics.quantisation import Quantisation

_TOP_GRADE = 3
_TOP_EXHAUSTIVITY = 2


class ElementGrades(NamedTuple):
    """Assessments of relevant elements."""

    scale: Scale
    """What the grades mean: see `metaeval.inex.assessments.Assessments`."""
    exhaustivity: NDArray[np.int64]
    """Not 0; `TOO_SMALL` (-1) for "?". Shape (n,)."""
    specificity: NDArray[np.float64]
    """Above 0. Shape (n,)."""
    fully_specific: NDArray[np.bool_]
    """Where all characters are highlighted, decided with whole numbers; grade 3 on the older scales. Shape (n,)."""
    sizes: NDArray[np.int64]
    """Characters; `UNKNOWN` (-1) where nobody said. Shape (n,)."""


_Boundary = Annotated[int, Rule(lambda grade: 0 <= grade <= _TOP_GRADE, "a grade from 1 to 3, or 0 for none")]
"""A grade whose difference from the one below is not seen: the two have the mean of their values, or 0 beside 0."""
_Boundary5 = Annotated[
    int, Rule(lambda grade: 0 <= grade <= _TOP_EXHAUSTIVITY, "1 (like ?) or 2 (like 1), or 0 for none")
]
"""As `_Boundary`, of the exhaustivity of 2005: below 1 stands "?"."""
_Step = Annotated[float, Rule(lambda share: 0 <= share <= 1, "a share up to 1, or 0 for none")]
"""A share of specificity from which on it counts as 1, and below as 0."""


def _pairs(grades: ElementGrades, table: NDArray[np.float64], blind_e: int, blind_s: int) -> NDArray[np.float64]:
    blind = np.nan_to_num(_blind(_blind(table, blind_e).T, blind_s).T)
    return blind[grades.exhaustivity, grades.specificity.astype(np.int64)]


def _blind(table: NDArray[np.float64], grade: int) -> NDArray[np.float64]:
    """Give a row and the one above it the mean of their values; nothing where that above is row 0."""
    seen = table.copy()
    if grade == 1:
        seen[1] = 0
    elif grade:
        below, row = table[grade - 1], table[grade]
        means = np.where(np.isnan(row), below, np.where(np.isnan(below), row, (below + row) / 2))
        seen[grade - 1 : grade + 1] = means
    return seen


# row: exhaustivity (2002: relevance) 0 to 3, column: specificity 0 to 3 (2002: coverage none, too large, small, exact)
_GEN2 = np.array([[0, 0, 0, 0], [0, 0.25, 0.25, 0.5], [0, 0.5, 0.5, 0.75], [0, 0.75, np.nan, 1]])  # 3S is no pair
_GEN4 = np.array([[0, 0, 0, 0], [0, 0.25, 0.25, 0.5], [0, 0.5, 0.5, 0.75], [0, 0.75, 0.75, 1]])
_SOG = np.array([[0, 0, 0, 0], [0, 0.1, 0.25, 0.75], [0, 0.1, 0.5, 0.9], [0, 0.25, 0.75, 1]])


def strict2(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly relevant elements of exact coverage, else 0 (2002)."""
    return strict4(grades)


def gen2(grades: ElementGrades, *, blind_e: _Boundary = 0, blind_s: _Boundary = 0) -> NDArray[np.float64]:
    """In steps of a quarter: 3E 1; 2E, 3L 0.75; 1E, 2L, 2S 0.5; 1S, 1L 0.25 (2002)."""
    return _pairs(grades, _GEN2, blind_e, blind_s)


def strict4(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly exhaustive and highly specific elements (3, 3), else 0 (2003, 2004)."""
    return at_least(grades, e=3, s=3)


def gen4(grades: ElementGrades, *, blind_e: _Boundary = 0, blind_s: _Boundary = 0) -> NDArray[np.float64]:
    """In steps of a quarter, leaning slightly to exhaustivity (2003, 2004)."""
    return _pairs(grades, _GEN4, blind_e, blind_s)


def sog(grades: ElementGrades, *, blind_e: _Boundary = 0, blind_s: _Boundary = 0) -> NDArray[np.float64]:
    """Specificity-oriented generalised: more for higher grades, leaning to specificity (2004)."""
    return _pairs(grades, _SOG, blind_e, blind_s)


def at_least(
    grades: ElementGrades,
    *,
    e: Annotated[int, Rule(lambda grade: 0 <= grade <= _TOP_GRADE, "a grade from 0 to 3")] = 0,
    s: Annotated[float, Rule(lambda grade: 0 <= grade <= _TOP_GRADE, "a grade or share from 0 to 3")] = 0.0,
) -> NDArray[np.float64]:
    """1 for relevant elements from an exhaustivity and a specificity on, else 0 (any scale).

    From e=1 on, elements that are too small (2005) have 0.
    """
    exhaustive = np.ones(len(grades.exhaustivity), dtype=bool) if e == 0 else grades.exhaustivity >= e
    full = s == 1 and grades.scale == "2005"
    return (exhaustive & (grades.fully_specific if full else grades.specificity >= s)).astype(np.float64)


def any_relevant(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for everything relevant at all (2003, 2004)."""
    return at_least(grades)


def e3_s321(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly exhaustive elements, however specific (2004)."""
    return at_least(grades, e=3)


def e3_s32(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly exhaustive elements of specificity 2 or 3 (2004)."""
    return at_least(grades, e=3, s=2)


def s3_e321(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly specific elements, however exhaustive (2004)."""
    return at_least(grades, s=3)


def s3_e32(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly specific elements of exhaustivity 2 or 3 (2004)."""
    return at_least(grades, e=2, s=3)


def strict5(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for highly exhaustive elements that are relevant throughout (2, 1), else 0 (2005)."""
    return at_least(grades, e=2, s=1)


def gen5(grades: ElementGrades, *, blind_e: _Boundary5 = 0, step_s: _Step = 0.0) -> NDArray[np.float64]:
    """Exhaustivity times specificity, over 2; an element that is too small counts 0 (2005)."""
    return _product(grades, (0, 1, 2), blind_e, step_s)


def gen_lifted(grades: ElementGrades, *, blind_e: _Boundary5 = 0, step_s: _Step = 0.0) -> NDArray[np.float64]:
    """Exhaustivity plus 1, times specificity, over 3, so that one too small is a near miss (2005)."""
    return _product(grades, (1, 2, 3), blind_e, step_s)


def _product(grades: ElementGrades, worth: Sequence[int], blind_e: int, step_s: float) -> NDArray[np.float64]:
    """Return the worth of "?", 1 or 2 times specificity; the grade `blind_e` and the one below have their mean."""
    seen = np.array(worth, dtype=np.float64)
    if blind_e:
        seen[blind_e - 1 : blind_e + 1] = seen[blind_e - 1 : blind_e + 1].mean()
    specificity = at_least(grades, s=step_s) if step_s else grades.specificity
    return seen[np.maximum(grades.exhaustivity, 0)] * specificity / worth[-1]


def fully_specific(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for elements that are relevant throughout, however exhaustive (2005)."""
    return at_least(grades, s=1)


def binary_exhaustivity(
    grades: ElementGrades,
    *,
    min_size: Annotated[int, Rule(lambda size: size >= 0, "at least 0")] = 0,
    too_small: bool = True,
) -> NDArray[np.float64]:
    """Specificity alone, as if text were only highlighted; elements too small may be left out (2005)."""
    counted = np.ones(len(grades.sizes), dtype=bool) if too_small else grades.exhaustivity != TOO_SMALL
    if min_size > 0:
        if (grades.sizes == UNKNOWN).any():
            raise InvalidOptionError(
                f"min_size={min_size} needs the size of every relevant element, and {(grades.sizes == UNKNOWN).sum()} "
                "are unknown; give element sizes (`element_collection(sizes=...)`) when the collection is made"
            )
        counted &= grades.sizes >= min_size
    return np.where(counted, grades.specificity, 0.0)


def strict(grades: ElementGrades) -> NDArray[np.float64]:
    """1 for the highest grades of exhaustivity and specificity, else 0.

    Strict2, Strict4 or Strict5, as the scale is.
    """
    return {"2002": strict2, "2003": strict4, "2005": strict5}[grades.scale](grades)


def generalised(grades: ElementGrades) -> NDArray[np.float64]:
    """Generalised: more for higher grades of exhaustivity and specificity.

    Gen2, Gen4 or Gen5, as the scale is.
    """
    of_scale: dict[str, Callable[..., NDArray[np.float64]]] = {"2002": gen2, "2003": gen4, "2005": gen5}
    return of_scale[grades.scale](grades)


ELEMENT_QUANTISATIONS = tuple(
    Quantisation(name, function, on="elements", scales=scales)
    for name, function, scales in (
        ("strict", strict, ()),
        ("gen", generalised, ()),
        ("Strict2", strict2, ("2002",)),
        ("Gen2", gen2, ("2002",)),
        ("Strict4", strict4, ("2003",)),
        ("Gen4", gen4, ("2003",)),
        ("SOG", sog, ("2003",)),
        ("AnyRel", any_relevant, ("2003",)),
        ("E3S321", e3_s321, ("2003",)),
        ("E3S32", e3_s32, ("2003",)),
        ("S3E321", s3_e321, ("2003",)),
        ("S3E32", s3_e32, ("2003",)),
        ("Strict5", strict5, ("2005",)),
        ("Gen5", gen5, ("2005",)),
        ("GenLifted", gen_lifted, ("2005",)),
        ("FullySpec", fully_specific, ("2005",)),
        ("BinExh", binary_exhaustivity, ("2005",)),
        ("AtLeast", at_least, ()),
    )
)
"""Those that come with the package, by scale."""


def element_values(quant: Call, quantisation: Quantisation, grades: ElementGrades) -> NDArray[np.float64]:
    """Return the value of every relevant element.

    Shapes: result (n,).

    Examples
    --------
    >>> known = {one.name: one for one in ELEMENT_QUANTISATIONS}
    >>> ones = np.ones(2, dtype=np.int64)
    >>> grades = ElementGrades("2005", np.array([1, 2]), np.array([0.72, 0.72]), ones == 0, ones)
    >>> element_values(Call("Gen5"), known["Gen5"], grades)
    array([0.36, 0.72])
    """
    if quantisation.scales and grades.scale not in quantisation.scales:
        fitting = [
            candidate.name
            for candidate in ELEMENT_QUANTISATIONS
            if grades.scale in (candidate.scales or (grades.scale,))
        ]
        raise InvalidOptionError(
            f"quant={quant} is made for assessments of the scale {' or '.join(quantisation.scales)}, and these are of "
            f"{grades.scale}; use one of {', '.join(fitting)}"
        )
    values = np.asarray(quantisation.function(grades, **dict(quant.arguments)), dtype=np.float64)
    if values.shape != grades.sizes.shape:
        message = f"quant={quant} must return one value per element, shape {grades.sizes.shape}, not {values.shape}"
        raise InvalidOptionError(message)
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        first = int(wrong[0])
        raise InvalidOptionError(
            f"quant={quant}: a value lies in [0, 1]; exhaustivity {grades.exhaustivity[first]}, specificity "
            f"{grades.specificity[first]:g} has {values[first]:g}"
        )
    return values
