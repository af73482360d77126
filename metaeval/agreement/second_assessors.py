"""Complete second opinions from people who each labelled a part: whoever comes first in a random order speaks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_kind, check_list
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.draws import RNGLike, resolve_rng

_MOST = 9
"""People whose orders are all gone through: 9! is 362,880."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecondPeople(Result):
    """Second opinions combined from the labels of several people."""

    table: pd.DataFrame
    """Index ``(topic, item)``, one column a choice of persons ("people 1", …), on the items that anybody labelled."""
    weights: pd.Series
    """By choice, how likely it is; they add up to 1."""
    people: tuple[str, ...]
    exact: bool
    """Whether these are all choices there are; else they are a sample of orders."""

    def weight_of(self) -> dict[str, float]:
        """Return how likely each choice is, by its name."""
        return {str(name): float(weight) for name, weight in self.weights.items()}

    def _found(self) -> str:
        choices = f"{count(len(self.weights), 'choice')} of second opinions"
        return f"{choices} of {first_few(self.people)} on {count(len(self.table), 'item')}"


def second_people(labels: Labels, people: Sequence[str], *, n_choices: int = 64, rng: RNGLike = None) -> SecondPeople:
    """Combine the labels of people who each labelled a part of the items, in random orders.

    Parameters
    ----------
    labels : Labels
    people : sequence of str
        Judges that are people, none of them the reference.
    n_choices : int, default 64
        Most choices returned. Where there are more, so many random orders of the people are drawn.
    rng : None, int or Generator
        For those draws.

    Returns
    -------
    SecondPeople
        ``table`` has one row a topic and item and one column a choice of people; ``weights`` says how likely each
        choice is (they sum to 1).

    Raises
    ------
    UnknownNameError, InvalidOptionError
        If a person is not among the judges, nobody is named, or one twice.
    ScoresError
        If none of them labelled anything.

    Notes
    -----
    The people stand in a random order, all orders alike, and for every item the first of them who labelled it speaks.
    Of pairs who share their topics that takes one person of each, all ways alike; of people who all labelled everything
    it takes one of them. Nothing is averaged: a mean or majority of people is a better judge than a person is.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d": 0}}, "ben": {"1": {"d": 1}}, "cy": {"2": {"e": 2}}})
    >>> found = second_people(labels, ["ann", "ben", "cy"])
    >>> found.table.to_numpy().tolist(), found.weights.tolist()
    ([[0.0, 1.0], [2.0, 2.0]], [0.5, 0.5])
    """
    check_kind(labels, "labels", "Labels")
    check_count(n_choices, "n_choices", least=1)
    generator = resolve_rng(rng).generator
    names = tuple(check_list(people, "people", ["ann"]))
    if not names or len(set(names)) < len(names):
        raise InvalidOptionError(f"`people` must name each person once, at least one, not {list(names)}")
    for name in names:
        check_choice(name, "judge", labels.judges)
    table = labels.table[list(names)].dropna(how="all")
    if table.empty:
        raise ScoresError(f"none of {', '.join(names)} labelled anything")
    values = table.to_numpy()
    firsts, weights, exact = _choices(np.isfinite(values), n_choices, generator)
    merged = np.stack([values[np.arange(len(values)), speakers] for speakers in firsts], axis=1)
    chosen, where = np.unique(merged, axis=1, return_inverse=True)
    columns = [f"people {number}" for number in range(1, chosen.shape[1] + 1)]
    return SecondPeople(
        table=pd.DataFrame(chosen, index=table.index, columns=columns),
        weights=pd.Series(np.bincount(where.ravel(), weights), index=columns, name="weight"),
        people=names,
        exact=exact,
    )


def _choices(there: Flags, n_choices: int, generator: np.random.Generator) -> tuple[list[Ints], Floats, bool]:
    """Return who speaks for every item in each choice, and how likely each is.

    Only who labelled which items matters, so items with the same people go together: a pattern has one speaker.
    """
    patterns, where = np.unique(there, axis=0, return_inverse=True)
    where = where.ravel()
    n_people = there.shape[1]
    weight_of: dict[tuple[int, ...], float] = {}
    if n_people <= _MOST:
        weight_of = _all_orders(patterns)
    exact = bool(weight_of) and len(weight_of) <= n_choices
    if not exact:
        weight_of = {}
        for _ in range(n_choices):
            rank = generator.permutation(n_people)
            speakers = tuple(np.where(patterns, rank, n_people).argmin(axis=1).tolist())
            weight_of[speakers] = weight_of.get(speakers, 0.0) + 1.0
    weights = np.array([*weight_of.values()])
    return [np.array(choice)[where] for choice in weight_of], weights / weights.sum(), exact


def _all_orders(patterns: Flags) -> dict[tuple[int, ...], float]:
    """Go through all orders at once, a person at a time: who comes first decides the patterns that hold them.

    What is left to decide depends on the patterns that nobody has spoken for, so equal states are put together.
    """
    n_people = patterns.shape[1]
    states: dict[tuple[tuple[int, ...], frozenset[int]], float] = {((-1,) * len(patterns), frozenset()): 1.0}
    for position in range(n_people):
        after: dict[tuple[tuple[int, ...], frozenset[int]], float] = {}
        for (speakers, gone), weight in states.items():
            for person in range(n_people):
                if person in gone:
                    continue
                spoken = tuple(
                    person if who < 0 and patterns[number, person] else who for number, who in enumerate(speakers)
                )
                key = (spoken, gone | {person})
                after[key] = after.get(key, 0.0) + weight / (n_people - position)
        states = after
    weight_of: dict[tuple[int, ...], float] = {}
    for (speakers, _), weight in states.items():
        weight_of[speakers] = weight_of.get(speakers, 0.0) + weight
    return weight_of
