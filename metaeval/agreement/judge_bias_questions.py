"""Checked input for group bias: scores, judges, groups and covariates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_mapping, check_number, check_share
from metaeval.base.names import first_few
from metaeval.errors import InvalidOptionError
from metaeval.running.equality import RELATIVE
from metaeval.table.scores import oriented_values
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.correction import CORRECTIONS

type Over = Literal["both", "topics"]


class Options(NamedTuple):
    """Which figure p is of, what it is over, and how sure."""

    adjusted: bool
    over: Over
    correction: str
    confidence_level: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasQuestion:
    """Judges and the reference, their scores turned so that higher is better."""

    names: tuple[str, ...]
    """The judges, without the reference."""
    judges: Floats
    """Shape (judge, system, topic)."""
    known: Floats
    """Scores under the reference. Shape (system, topic)."""
    systems: tuple[str, ...]
    reference: str
    people: tuple[str, ...]
    constant: Flags
    """Judges that give all systems one score on every topic. Shape (judge,)."""
    notes: tuple[str, ...]

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.known.shape[1]


def ask_judges(data: object, reference: str, people: Sequence[str]) -> BiasQuestion:
    """Return what an analysis of group bias needs of the scores."""
    table = engine_scores(data, "group bias")
    names = [str(name) for name in table["metric"].to_numpy()]
    check_choice(reference, "judge", names)
    others = [name for name in names if name != reference]
    if not others:
        raise InvalidOptionError(f"scores must hold a judge beside the reference {reference!r}")
    if isinstance(people, str):
        people = (people,)
    for marked in people:
        check_choice(marked, "judge beside the reference", others)
    if len(set(table["higher_is_better"].to_numpy().tolist())) > 1:
        message = "all judges must score in one direction; here higher is better for some and lower for others"
        raise InvalidOptionError(message)
    values = oriented_values(table)
    reference_scores = values[names.index(reference)]
    judges = values[[names.index(name) for name in others]]
    if _constant(reference_scores[None])[0]:
        message = f"the reference {reference!r} gives all systems one score on every topic: nothing can be beside it"
        raise InvalidOptionError(message)
    constant = _constant(judges)
    notes = list(table.attrs.get("notes", ()))
    if constant.any():
        flat = [name for name, marked in zip(others, constant.tolist(), strict=True) if marked]
        notes.append(
            f"judges that give all systems the same score, so there is no slope to adjust by: {', '.join(flat)}"
        )
    return BiasQuestion(
        names=tuple(others),
        judges=judges,
        known=reference_scores,
        systems=tuple(str(name) for name in table["system"].to_numpy()),
        reference=reference,
        people=tuple(dict.fromkeys(people)),
        constant=constant,
        notes=(*notes, *_twins(values, names)),
    )


def checked_options(*, adjusted: bool, over: Over, correction: str, confidence_level: float) -> Options:
    """Return the options under their own names.

    Examples
    --------
    >>> checked_options(adjusted=True, over="both", correction="BY", confidence_level=0.9).correction
    'fdr_by'
    """
    check_choice(over, "what a p-value is over", ("both", "topics"))
    level = check_share(confidence_level, "confidence_level")
    return Options(bool(adjusted), over, CORRECTIONS.canonical(correction), level)


def known_groups(groups: Mapping[str, str], systems: Sequence[str]) -> tuple[dict[str, Flags], list[str]]:
    """Return which systems are in every group of two or more, and what is said of the rest.

    Examples
    --------
    >>> inside, notes = known_groups({"a": "x", "b": "x", "c": "y"}, ["a", "b", "c", "d"])
    >>> inside["x"].tolist(), notes
    ([True, True, False, False], ['groups of one system, left out: y'])
    """
    groups = _of_systems(groups, systems, "groups", "team")
    inside: dict[str, Flags] = {}
    of_system = [groups.get(name) for name in systems]
    for name in dict.fromkeys(str(group) for group in of_system if group is not None):
        inside[name] = np.array([group is not None and str(group) == name for group in of_system])
    alone = [name for name, members in inside.items() if members.sum() < 2]  # noqa: PLR2004 - a group is no single one
    several = {name: members for name, members in inside.items() if name not in alone}
    if not several:
        raise InvalidOptionError(
            "`groups` must hold a group of two or more systems, since one system says nothing of others of its kind; "
            f"received {first_few(alone, write=repr) if alone else 'none'}"
        )
    return several, [f"groups of one system, left out: {', '.join(alone)}"] if alone else []


def covariate_values(covariate: Mapping[str, float], systems: Sequence[str]) -> Floats:
    """Return the covariate of every system.

    Examples
    --------
    >>> covariate_values({"a": 3, "b": 1}, ["b", "a"]).tolist()
    [1.0, 3.0]
    """
    covariate = _of_systems(covariate, systems, "covariate", 120)
    lacking = [name for name in systems if name not in covariate]
    if lacking:
        raise InvalidOptionError(
            f"`covariate` must have a number for every system; it lacks {first_few(lacking, write=repr)}: add them, "
            "or leave these systems out of the scores"
        )
    values = np.array([check_number(covariate[name], f"covariate of {name!r}") for name in systems], dtype=np.float64)
    if np.ptp(values) <= RELATIVE * np.abs(values).max():
        raise InvalidOptionError(f"`covariate` must differ between systems; it is {values[0]:g} for all {len(values)}")
    return values


def check_built_with(
    built_with: Mapping[str, Sequence[str]] | None, judges: Sequence[str], known: Sequence[str]
) -> dict[str, set[str]]:
    """Return for judges the groups and systems that they are part of."""
    parts_of = {}
    for judge, parts in (built_with or {}).items():
        check_choice(judge, "judge", judges)
        named = {parts} if isinstance(parts, str) else {str(name) for name in parts}
        unknown = sorted(named - set(known))
        if unknown:
            message = (
                f"`built_with` must name systems or groups; for {judge!r} it names {first_few(unknown, write=repr)}"
            )
            raise InvalidOptionError(message)
        parts_of[judge] = named
    return parts_of


def _of_systems[V](by_system: Mapping[str, V], systems: Sequence[str], what: str, example: V) -> dict[str, V]:
    """Return what is said of systems, if all of them are known."""
    named: dict[str, V] = check_mapping(by_system, what, {systems[0]: example})
    unknown = [str(name) for name in named if name not in set(systems)]
    if unknown:
        raise InvalidOptionError(
            f"`{what}` must name systems of the scores; there is no {first_few(unknown, write=repr)} among the "
            f"{len(systems)} systems: leave such names out"
        )
    return named


def _constant(judges: Floats) -> Flags:
    """Say which judges give all systems one score on every topic, up to rounding."""
    return (np.ptp(judges, axis=1) <= 2 * RELATIVE * np.abs(judges).max(axis=1)).all(axis=1)


def _twins(values: Floats, names: Sequence[str]) -> list[str]:
    """Say which judges score every system on every topic alike."""
    flat = values.reshape(len(values), -1)
    size = np.abs(flat).max()
    notes, seen = [], set()
    for index, name in enumerate(names):
        if index in seen:
            continue
        same = [
            twin for twin in range(index + 1, len(names)) if np.abs(flat[twin] - flat[index]).max() <= RELATIVE * size
        ]
        seen.update(same)
        if same:
            notes.append(f"judges with the same scores: {', '.join([name, *(names[twin] for twin in same)])}")
    return notes
