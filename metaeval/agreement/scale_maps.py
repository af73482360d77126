"""Putting the labels of several judges on one scale: each keeps, fits, cuts or renames its own grades."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels, as_labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, refused
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import difference, reaches

type ScaleMap = Literal["auto", "keep", "fit"] | float | Mapping[float, float]
"""How the grades of one judge are mapped; see `map_scales`."""

_WORDS = ("auto", "keep", "fit")
_SHOWN = 10
_UNUSED = 1
"""How many grades at an end of one scale somebody may never use: 1 to 4 beside 1 to 5, and not 0 to 3 beside 0 to 5."""
_YES_OR_NO = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScaleMaps(Result):
    """Labels of judges mapped to the scale of a reference, with the mappings."""

    labels: Labels
    """After mapping; every label that was given is there."""
    table: pd.DataFrame
    """One row a judge and grade, ascending: ``judge``, ``grade``, ``n`` (labels of that grade), ``n_common`` (on items
    that the reference labelled too), ``reference_grade`` (what it became), ``on_scale`` (whether the reference
    gives that grade)."""
    rules: Mapping[str, str]
    """By judge what was done: "kept", "fitted", "threshold 2", "named"; of the reference "reference" where it stays."""
    reference: str
    scale: tuple[float, ...]
    """Grades that the reference gave, or may give."""
    notes: tuple[str, ...]
    """Grades that were kept although they lie off the scale, and what else a reader should know."""

    def _found(self) -> str:
        rules = [f"{judge} {rule}" for judge, rule in self.rules.items() if judge != self.reference]
        scale = first_few([f"{grade:g}" for grade in self.scale])
        return f"labels on the scale {scale} of {self.reference}: {first_few(rules)}"

    def to_frame(self) -> pd.DataFrame:
        """Return `table` with the rule of every judge (``rule``)."""
        frame = self.table.copy()
        frame.insert(1, "rule", frame["judge"].map(self.rules))
        return frame

    @property
    def fitted(self) -> tuple[str, ...]:
        """The judges whose grades are fitted, so that nothing says whether they label higher or lower."""
        return tuple(name for name, rule in self.rules.items() if rule == "fitted")

    @property
    def cut(self) -> dict[str, str]:
        """By judge the lowest of its grades that counts as 1, the others as 0."""
        return {name: rule.split()[1] for name, rule in self.rules.items() if rule.startswith("threshold ")}

    @property
    def says_yes_or_no(self) -> tuple[str, ...]:
        """The judges that gave 0 and 1 alone, kept beside a reference with higher grades."""
        kept = self.table[self.table["judge"].map(self.rules) == "kept"] if max(self.scale) > 1 else self.table[:0]
        return tuple(
            str(name) for name, rows in kept.groupby("judge", sort=False) if _is_yes_or_no(rows["grade"].to_numpy())
        )

    def mapped_by_rule(self) -> str:
        """Return the judges whose grades were cut or named, each with what was done; "" without any."""
        mapped = [name for name, rule in self.rules.items() if rule == "named" or name in self.cut]
        return first_few([f"{name} ({self.rules[name]})" for name in mapped], most=_SHOWN)


def map_scales(
    labels: object,
    *,
    reference: str,
    maps: ScaleMap | Mapping[str, ScaleMap] = "auto",
    scale: Sequence[float] | None = None,
) -> ScaleMaps:
    r"""Map the grades of every judge to those of the reference.

    Parameters
    ----------
    labels : DataFrame, Labels, or mapping of judge to mapping of topic to mapping of item to label
        A frame has the index ``(topic, item)`` and one column a judge; labels may be real-valued.
    reference : str
        The judge whose scale is taken.
    maps : {"auto", "keep", "fit"}, or mapping of judge to rule
        "keep" leaves grades as they are. "fit" matches quantiles (see Notes): whether a judge labels higher or lower is
        lost. "auto", which holds for judges that a mapping does not name too, keeps where both may use one scale: every
        grade of a judge is one of the reference's, or all are whole numbers, of which the one with fewer shares half
        with the other, and the highest is the same or neither end lies more than one apart (1 to 4 and 1 to 5; not 0
        to 3 and 0 to 5). Beside a reference of 0 and 1 alone, a judge with 0 and higher grades is cut at 1. Others are
        fitted. In a mapping a rule may also be a number, the lowest grade that is relevant (labels become 0 and 1), or
        a mapping of grade to grade that names all of the judge's. The reference is kept unless the mapping names it; a
        judge is
        fitted to what the reference has then.
    scale : sequence of float, optional
        Grades that the reference may give, where it did not give all of them; by default the scale that `as_labels` was
        given, else those it gave.

    Returns
    -------
    ScaleMaps
        One row a ``judge`` and ``grade`` in ``to_frame()``: the ``rule``, ``n`` labels of that grade, ``n_common`` on
        items that the reference labelled too, ``reference_grade`` that it became, and ``on_scale``, whether the
        reference gives that grade. ``labels`` holds the labels after mapping.

    Raises
    ------
    UnknownNameError
        If the reference, or a judge of `maps`, is not in the labels.
    InvalidOptionError
        If a rule is none, or a mapping of grades leaves out one that the judge gave.
    ScoresError
        If labels are no table of finite numbers, were cut to a scale before, or a judge to be fitted has no item in
        common with the reference.

    Notes
    -----
    On the n items that both labelled let :math:`F` count the judge's labels below a grade g, c those at g, and
    :math:`G(r)` the reference's labels at or below r. Then

    .. math:: map(g) = \min \{ r : 2\, G(r) \ge 2\, F(g) + c(g) \},

    the reference's grade at the middle of g's place among all labels, the lower one where the middle lies between two.
    A grade that no common item has, c = 0, goes with the labels below it. The map never falls, and it is made of counts
    alone, so that the same labels always give the same map.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["1"], list("abcdef")], names=["topic", "item"])
    >>> table = pd.DataFrame({"nist": [0, 0, 0, 1, 1, 2], "judge": [0.5, 1, 1.5, 3.5, 4, 5]}, index=index)
    >>> found = map_scales(table, reference="nist")
    >>> found.labels.table["judge"].tolist(), found.rules["judge"]
    ([0.0, 0.0, 0.0, 1.0, 1.0, 2.0], 'fitted')
    """
    checked = _checked(labels)
    check_choice(reference, "judge", checked.judges)
    rules = _rules(maps, checked.judges, reference)
    columns: dict[str, Floats] = {}
    parts: dict[str, pd.DataFrame] = {}
    done: dict[str, str] = {}
    values = {name: checked.table[name].to_numpy() for name in checked.judges}
    truth = values[reference]
    allowed = _allowed(checked.scale if scale is None and checked.scale_given else scale, truth)
    for name in [reference, *(label for label in checked.judges if label != reference)]:
        judge_grades = values[name]
        grades, codes, counts = np.unique(
            judge_grades[np.isfinite(judge_grades)], return_inverse=True, return_counts=True
        )
        common = np.isfinite(judge_grades) & np.isfinite(truth)
        n_common = np.bincount(np.searchsorted(grades, judge_grades[common]), minlength=len(grades))
        asked = rules[name]
        if asked == "auto":
            asked = _usual_rule(grades, allowed)
        mapped, done[name] = _mapped(name, asked, grades, n_common, truth[common])
        columns[name] = judge_grades.copy()
        columns[name][np.isfinite(judge_grades)] = mapped[codes]
        if name == reference:
            truth = columns[name]
            if asked == "keep":
                done[name] = "reference"
            else:
                allowed = np.unique(mapped)
        parts[name] = pd.DataFrame(
            {"judge": name, "grade": grades, "n": counts, "n_common": n_common, "reference_grade": mapped}
        )
    table = pd.concat([parts[name] for name in checked.judges], ignore_index=True)
    table["on_scale"] = _among(table["reference_grade"].to_numpy(), allowed)
    frame = pd.DataFrame({name: columns[name] for name in checked.judges}, index=checked.table.index)
    frame.columns.name = "judge"
    notes = (*checked.notes, *_notes(table, done, reference, rules))
    return ScaleMaps(
        labels=as_labels(replace(checked, table=frame, notes=notes, scale_given=False), real=True),
        table=table,
        rules=done,
        reference=reference,
        scale=tuple(int(label) if label.is_integer() else label for label in allowed.tolist()),
        notes=notes,
    )


def scales_of_judges(labels: Labels, reference: str, maps: ScaleMap | Mapping[str, ScaleMap]) -> ScaleMaps:
    """Map the grades of judges, unless some are to be fitted to a reference that gave a single grade."""
    scales = map_scales(labels, reference=reference, maps=maps)
    column = scales.labels.table[reference]
    if "fitted" in scales.rules.values() and column.min() == column.max():
        way = "keep those of the judges (`maps='keep'`), or " if labels.whole else ""
        raise ScoresError(
            f"{reference} gave one grade alone ({column.max():g}), to which no other grades can be fitted; {way}name "
            "another judge (`reference`)"
        )
    return scales


def _checked(labels: object) -> Labels:
    if isinstance(labels, Labels) and len(labels.outside):
        raise ScoresError(
            f"{len(labels.outside)} labels were left out before as off a scale, so no map can place them; give "
            "map_scales the labels as they were read"
        )
    return as_labels(labels, real=True)


def _allowed(scale: Sequence[float] | None, truth: Floats) -> Floats:
    """Return the grades that the reference may give, ascending."""
    gave = np.unique(truth[np.isfinite(truth)])
    if scale is None:
        return gave
    allowed = np.unique(np.asarray(list(scale), dtype=np.float64))
    if not np.isfinite(allowed).all() or not _among(gave, allowed).all():
        listed = first_few(gave.tolist(), write=_text)
        raise refused("scale", f"must hold every grade of the reference, {listed}, not {scale!r:.60}", scale)
    return allowed


def _text(number: float) -> str:
    return f"{number:g}"


def _rules(maps: object, judges: tuple[str, ...], reference: str) -> dict[str, ScaleMap]:
    """Return one rule a judge, or raise for what is none."""
    if isinstance(maps, str):
        check_choice(maps, "rule for scales", _WORDS)
        named: Mapping[str, ScaleMap] = {name: maps for name in judges if name != reference}  # type: ignore[misc]  # one of the words
    elif isinstance(maps, Mapping):
        named = {str(name): rule for name, rule in maps.items()}
    else:
        requirement = f"must be one of {', '.join(_WORDS)}, or name judges ({{{judges[-1]!r}: 2}}), not {maps!r:.60}"
        raise refused("maps", requirement, maps)
    for name, rule in named.items():
        check_choice(name, "judge", judges)
        if isinstance(rule, str):
            check_choice(rule, f"rule for the scale of {name}", _WORDS)
        elif not (isinstance(rule, Mapping) or _is_number(rule)):
            raise InvalidOptionError(
                f"`maps`: {name} must have keep, fit, auto, the lowest grade that is relevant, or a mapping of grade "
                f"to grade, not {rule!r:.60}"
            )
    if named.get(reference) == "fit":
        raise InvalidOptionError(
            f"`maps`: {reference} is the reference and cannot be fitted to itself; keep it, or name another reference"
        )
    return {name: named.get(name, "keep" if name == reference else "auto") for name in judges}


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and bool(np.isfinite(float(value)))


def _usual_rule(grades: Floats, allowed: Floats) -> ScaleMap:
    """Return what is done with the grades of a judge if nobody says.

    What may be of one scale stays: a fit would take a judge that labels higher for one that uses another scale.
    """
    shared = int(_among(grades, allowed).sum())
    if shared == len(grades):
        return "keep"
    if not all((values == np.round(values)).all() for values in (grades, allowed)):
        return "fit"
    if _is_yes_or_no(allowed):
        return 1.0 if grades.min() == 0 else "fit"
    lowest, highest = (abs(float(end(grades) - end(allowed))) for end in (np.min, np.max))
    alike = highest == 0 or max(lowest, highest) <= _UNUSED
    together = alike and 2 * shared >= min(len(grades), len(allowed)) and not _is_yes_or_no(grades)
    return "keep" if together else "fit"


def _is_yes_or_no(grades: Floats) -> bool:
    return tuple(grades.tolist()) == _YES_OR_NO


def _mapped(name: str, rule: ScaleMap, grades: Floats, n_common: Ints, truth: Floats) -> tuple[Floats, str]:
    """Return what every grade of one judge becomes, and the rule in words."""
    if rule == "keep":
        return grades, "kept"
    if rule == "fit":
        return _fitted(name, n_common, truth), "fitted"
    if isinstance(rule, Mapping):
        return _renamed(name, grades, rule), "named"
    bound = float(rule)
    return reaches(grades, bound, np.abs(grades)).astype(np.float64), f"threshold {bound:g}"


def _fitted(name: str, n_common: Ints, truth: Floats) -> Floats:
    if not len(truth):
        common = f"{unit().labelled} in common"
        raise ScoresError(
            f"{name} and the reference labelled no {common}, so its scale cannot be fitted; map it by name"
        )
    levels, counts = np.unique(truth, return_counts=True)
    middles = 2 * (np.cumsum(n_common) - n_common) + n_common
    index = np.searchsorted(2 * np.cumsum(counts), middles, side="left")
    fitted: Floats = levels[index]
    return fitted


def _renamed(name: str, grades: Floats, named: Mapping[float, float]) -> Floats:
    for grade, value in named.items():
        if not (_is_number(grade) and _is_number(value)):
            raise InvalidOptionError(f"`maps`: {name} must map numbers to numbers, not {grade!r} to {value!r}")
    mapped = np.full(len(grades), np.nan)
    for grade, value in named.items():  # a handful
        mapped[_same(grades, float(grade))] = float(value)
    if np.isnan(mapped).any():
        missing = grades[np.isnan(mapped)].tolist()
        raise InvalidOptionError(
            f"`maps`: {name} gave {first_few(missing, most=_SHOWN, write=_text)} too, which its mapping "
            "does not name; add it, so that no label is lost"
        )
    return mapped


def _same(values: Floats, one: float) -> Flags:
    return np.asarray(difference(values, one, np.abs(values), abs(one)) == 0)


def _among(values: Floats, scale: Floats) -> Flags:
    """Say which values are on a scale, those equal up to rounding included."""
    near = np.clip(np.searchsorted(scale, values), 1, max(len(scale) - 1, 1))
    on_scale = np.zeros(len(values), dtype=bool)
    for index in (near - 1, np.minimum(near, len(scale) - 1)) if len(scale) else ():
        on_scale |= difference(values, scale[index], np.abs(values), np.abs(scale[index])) == 0
    return on_scale


def _notes(table: pd.DataFrame, done: Mapping[str, str], reference: str, asked: Mapping[str, ScaleMap]) -> list[str]:
    notes = []
    fitted = [name for name, rule in done.items() if rule == "fitted"]
    if fitted:
        notes.append(
            f"scales fitted to {reference} by matching quantiles on common {unit().labelled}s: "
            f"{first_few(fitted, most=_SHOWN)}"
        )
    for name, rows in table[~table["on_scale"]].groupby("judge", sort=False):
        listed = first_few(rows["reference_grade"].tolist(), most=_SHOWN, write=_text)
        way = "taken for one scale; if it is another, fit it (`maps='fit'`)"
        why = way if asked[str(name)] == "auto" else f"the rule is {done[str(name)]}"
        notes.append(
            f"{name}: {int(rows['n'].sum())} labels stay at grades that {reference} does not give ({listed}); {why}"
        )
    for name, rows in table.groupby("judge", sort=False):
        if (np.diff(rows["reference_grade"]) < 0).any():
            notes.append(f"{name}: its mapping is not monotone: a higher grade counts less than a lower one")
    return notes
