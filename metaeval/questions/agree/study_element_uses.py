"""The uses of exhaustivity and specificity that an audit of element judgments compares, by the scale of their year."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.metric_names import Call, Value
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN
from metaeval.inex.element_quantisation import ELEMENT_QUANTISATIONS
from metaeval.inex.elements import ElementCollection
from metaeval.inex.measures.element_lists import element_lists
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric

LINEAR, BINARY, OTHER, MERGED, FIXED = "linear", "binary", "other gains", "grades merged", "as it is"
GENERALISED, ALONE = "generalised", "specificity alone"
"""Kinds of use in an audit; the others are compared with `LINEAR`, of elements against `GENERALISED`."""

SIZE = 55
"""Characters below which 79 % of the elements judged too small lie (Piwowarski, Trotman and Lalmas 2008)."""

_SHARES = (0.25, 0.5, 0.75)
EXCEPT = " except "
"""Between what is not seen and the part of it that is."""


class Use(NamedTuple):
    """One use of the grades."""

    kind: str
    value: Value
    """What stands after ``quant=`` or ``gains=``."""
    words: str
    """A short label."""
    boundary: str | None = None
    """What is not seen, where the use is the reference without one difference."""


def element_uses(
    collection: ElementCollection, resolve: Callable[[Call], Metric], registry: Registry, extra: Sequence[Call]
) -> tuple[list[Use], list[str]]:
    """Return the uses of the grades that suit the scale of a collection, and what to say of those left out."""
    lists = element_lists(collection)
    elements = collection.elements
    present = {*np.unique(lists.exhaustivity[lists.relevant]).tolist()}
    uses = [*{"2002": _of_2002, "2003": _of_2003, "2005": _of_2005}[collection.scale](present)]
    notes = []
    if collection.scale == "2005" and (unknown := int((elements.sizes[lists.relevant] == UNKNOWN).sum())):
        uses = [use for use in uses if use.value != _by_size()]
        notes.append(f"sizes of {unknown:,} relevant elements are not known, so no use by size is compared")
    merged = [use for use in uses if use.kind == MERGED]
    user_uses, lacking = _of_users(collection.scale, registry, resolve)
    uses = (
        [use for use in uses if use.kind != MERGED]
        + user_uses
        + [Use(OTHER, call, str(call)) for call in extra]
        + merged
    )
    distinct: list[tuple[Use, NDArray[np.float64]]] = []
    for use in uses:
        values = resolve(use.value).view(lists).values  # type: ignore[arg-type]  # of elements a call
        others = distinct[:1] if use.kind == MERGED else distinct
        same = next((earlier.words for earlier, before in others if np.array_equal(before, values)), None)
        if same is None and values.any():
            distinct.append((use, values))
        elif same is None:
            notes.append(f"{use.words} finds nothing relevant here and is left out")
        elif use.kind == MERGED:
            notes.append(f"{same} itself does not distinguish {use.boundary} here")
        else:
            notes.append(f"{use.words} gives every element here the same value as {same} and is left out")
    return [use for use, _ in distinct], [*notes, *lacking]


def _call(word: str, **arguments: float) -> Call:
    return Call(word, tuple(sorted(arguments.items())))


def _by_size() -> Call:
    return _call("BinExh", min_size=SIZE)


def _of_2005(present: set[int]) -> Iterator[Use]:
    yield Use(GENERALISED, Call("Gen5"), "Gen5")
    yield Use(OTHER, Call("GenLifted"), "GenLifted")
    yield Use(ALONE, Call("BinExh"), "BinExh")
    yield Use(ALONE, _call("BinExh", too_small=False), "BinExh without ?")
    yield Use(ALONE, _by_size(), f"BinExh size ≥ {SIZE}")
    yield Use(BINARY, Call("AtLeast"), "any relevant")
    for share in _SHARES:
        yield Use(BINARY, _call("AtLeast", s=share), f"s ≥ {share:g}")
    yield Use(BINARY, Call("FullySpec"), "FullySpec")
    yield Use(BINARY, _call("AtLeast", e=2), "e = 2")
    yield Use(BINARY, Call("Strict5"), "Strict5")
    for grade, below, words in ((1, TOO_SMALL, "? and 1"), (2, 1, "1 and 2")):
        if {grade, below} <= present:
            yield Use(MERGED, _call("Gen5", blind_e=grade), f"e {words} alike", f"exhaustivity {words}")
    for share in (*_SHARES, 1):
        step = "s = 1" if share == 1 else f"s ≥ {share:g}"
        yield Use(MERGED, _call("Gen5", step_s=share), f"only {step}", f"specificity{EXCEPT}{step}")


def _of_2003(present: set[int]) -> Iterator[Use]:
    yield Use(GENERALISED, Call("Gen4"), "Gen4")
    yield Use(OTHER, Call("SOG"), "SOG")
    yield Use(BINARY, Call("AnyRel"), "AnyRel")
    for name, arguments in (("e ≥ 2", {"e": 2}), ("s ≥ 2", {"s": 2}), ("e, s ≥ 2", {"e": 2, "s": 2})):
        yield Use(BINARY, _call("AtLeast", **arguments), name)
    for name in ("E3S321", "E3S32", "S3E321", "S3E32", "Strict4"):
        yield Use(BINARY, Call(name), name)
    yield from _merged("Gen4", present, ("exhaustivity", "specificity"), ("0", "1", "2", "3"))
    for grade in (2, 3):
        words = f"{grade - 1} and {grade}"
        value = _call("Gen4", blind_e=grade, blind_s=grade)
        yield Use(MERGED, value, f"e and s {words} alike", f"both: {words}")


def _of_2002(present: set[int]) -> Iterator[Use]:
    yield Use(GENERALISED, Call("Gen2"), "Gen2")
    yield Use(BINARY, Call("AtLeast"), "any relevant")
    yield Use(BINARY, _call("AtLeast", e=2), "relevance ≥ 2")
    yield Use(BINARY, _call("AtLeast", e=3), "relevance = 3")
    yield Use(BINARY, _call("AtLeast", s=3), "exact coverage")
    yield Use(BINARY, Call("Strict2"), "Strict2")
    yield from _merged("Gen2", present, ("relevance", "coverage"), ("N", "L", "S", "E"))


def _merged(name: str, present: set[int], dimensions: tuple[str, str], letters: Sequence[str]) -> Iterator[Use]:
    """Yield the generalised function without the difference of two neighbours, one dimension after the other."""
    first, second = dimensions
    for grade in (1, 2, 3):
        if {grade, max(grade - 1, 1)} <= present:
            words = f"{grade - 1} and {grade}"
            yield Use(MERGED, _call(name, blind_e=grade), f"{first} {words} alike", f"{first} {words}")
    for grade in (1, 2, 3):
        words = f"{letters[grade - 1]} and {letters[grade]}"
        yield Use(MERGED, _call(name, blind_s=grade), f"{second} {words} alike", f"{second} {words}")


def _of_users(scale: str, registry: Registry, resolve: Callable[[Call], Metric]) -> tuple[list[Use], list[str]]:
    """Return the quantisations that are not of the package and suit the scale, and those that lack a value."""
    of_package = {quantisation.name: quantisation for quantisation in ELEMENT_QUANTISATIONS}
    uses, notes = [], []
    for name, quantisation in registry.element_quantisations.items():
        if quantisation == of_package.get(name) or (quantisation.scales and scale not in quantisation.scales):
            continue
        try:
            resolve(Call(name))
        except InvalidOptionError as error:
            notes.append(f"{name} is left out: {error}")
        else:
            uses.append(Use(OTHER, Call(name), name))
    return uses, notes
