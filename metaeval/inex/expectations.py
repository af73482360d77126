"""What users want of runs: preferences between two of them, those that papers stated, and those asked for as text."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from metaeval.base.checks import check_choice
from metaeval.errors import InvalidOptionError
from metaeval.inex.ordered_runs import RELIABILITY_RUNS
from metaeval.running.equality import difference

_SIGN = re.compile(r"(>=|≥|>)")


class Preference(NamedTuple):
    """A preference between two runs.

    Examples
    --------
    >>> print(Preference("irb", "frb")), print(Preference("ao", "id", strict=True))
    irb >= frb
    ao > id
    (None, None)
    """

    better: str
    worse: str
    """The runs: the first is at least as good as the other."""
    strict: bool = False
    """Whether it is strictly better; else both may be equally good."""

    def __str__(self) -> str:
        """Write it as the paper does."""
        return f"{self.better} {'>' if self.strict else '>='} {self.worse}"

    def is_met(self, goodness: "pd.Series[float]") -> bool:
        """Say whether values, more being better, fulfil it."""
        better, worse = float(goodness[self.better]), float(goodness[self.worse])
        lead = float(difference(better, worse, abs(better), abs(worse)))
        return lead > 0 if self.strict else lead >= 0


type Expectation = Callable[[pd.DataFrame], Iterable[Preference]]


def ideal_first(runs: pd.DataFrame) -> list[Preference]:
    """Rank the ideal run at least as high as every other."""
    return [Preference("irb", str(name)) for name in runs.index if name != "irb"]


def overlap_alone(runs: pd.DataFrame) -> list[Preference]:  # noqa: ARG001 - the order is the paper's
    """Keep the order of Kazai et al. by overlap, whatever these runs overlap: irb >= lo >= ao > id > ia > frb."""
    order = ["irb", "lo", "ao", "id", "ia", "frb"]
    return [Preference(a, b, b in {"id", "ia", "frb"}) for a, b in pairwise(order)]


EXPECTATIONS: Mapping[str, Expectation] = MappingProxyType({"ideal": ideal_first, "overlap": overlap_alone})
"""What users want of the six runs (Kazai, Lalmas and de Vries 2004, section 3.3), each a function of their table."""


def stated_by(expectation: Expectation) -> str:
    """Say who stated an expectation."""
    published = any(expectation is standard for standard in EXPECTATIONS.values())
    return "Kazai, Lalmas and de Vries (2004), section 3.3" if published else "asked for"


def parse_expectations(texts: str | Iterable[str]) -> dict[str, Expectation]:
    """Parse expectations, such as "lo>ao, ia>=id>frb".

    Parameters
    ----------
    texts : str or iterable of str
        Expectations, apart by commas; each names two or more of the six runs, the better one first, with ``>``
        (strictly better) or ``>=`` (at least as good) between them.

    Returns
    -------
    dict of str to Expectation
        Each under its own text, for ``study_reliability(expectations={**EXPECTATIONS, **…})``.

    Raises
    ------
    InvalidOptionError
        If a text is no expectation, or no order of the runs can meet all of them.
    UnknownNameError
        If there is no such run.

    See Also
    --------
    metaeval.study_reliability

    Examples
    --------
    >>> wishes = parse_expectations("lo > ao, ia >= id > frb")
    >>> list(wishes), [str(one) for one in wishes["ia >= id > frb"](pd.DataFrame())]
    (['lo > ao', 'ia >= id > frb'], ['ia >= id', 'id > frb'])
    """
    return {name: _stated(wanted) for name, wanted in parse_preferences(texts, tuple(RELIABILITY_RUNS)).items()}


def parse_preferences(texts: str | Iterable[str], runs: Sequence[str] | None = None) -> dict[str, list[Preference]]:
    """Parse preferences between runs or systems, each under its own text; of `runs` where they are given.

    Examples
    --------
    >>> parse_preferences("A>A-empty")
    {'A > A-empty': [Preference(better='A', worse='A-empty', strict=True)]}
    """
    listed = [texts] if isinstance(texts, str) else list(texts)
    parsed = {}
    for text in (piece for preference in listed for piece in preference.split(",")):
        wanted = _preferences(text)
        parsed[" ".join([wanted[0].better, *(str(preference).partition(" ")[2] for preference in wanted)])] = wanted
    stated = [preference for wanted in parsed.values() for preference in wanted]
    checked_preferences(stated, runs or [name for preference in stated for name in preference[:2]])
    return parsed


def _preferences(text: str) -> list[Preference]:
    names, signs = [name.strip() for name in _SIGN.split(text)][::2], _SIGN.findall(text)
    if not signs or not all(names):
        message = f"`expectations` takes the better run first, such as lo>ao, apart by commas, not {text.strip()!r}"
        raise InvalidOptionError(message)
    return [Preference(a, b, sign == ">") for (a, b), sign in zip(pairwise(names), signs, strict=True)]


def _stated(wanted: Sequence[Preference]) -> Expectation:
    def expectation(_runs: pd.DataFrame) -> Sequence[Preference]:
        return wanted

    ranks = [
        f"{preference.better} {'above' if preference.strict else 'at least as high as'} {preference.worse}"
        for preference in wanted
    ]
    expectation.__doc__ = f"Rank {' and '.join(ranks)}."
    return expectation


def checked_preferences(wanted: Iterable[Preference], runs: Sequence[str]) -> list[Preference]:
    """Return preferences that some order of the runs can meet.

    Examples
    --------
    >>> checked_preferences([Preference("a", "b"), Preference("b", "a")], ["a", "b"])[0]
    Preference(better='a', worse='b', strict=False)
    >>> checked_preferences([Preference("a", "b", strict=True), Preference("b", "a")], ["a", "b"])
    Traceback (most recent call last):
    ...
    metaeval.errors.InvalidOptionError: expectations contradict each other: a > b and b >= a; leave one of them out
    """
    listed = [Preference(*preference) for preference in wanted]
    for preference in listed:
        for name in preference[:2]:
            check_choice(name, "simulated run", runs)
    for preference in listed:
        back = _way(listed, preference.worse, preference.better) if preference.strict else None
        if back is not None:
            parts = " and ".join(map(str, [preference, *back]))
            raise InvalidOptionError(f"expectations contradict each other: {parts}; leave one of them out")
    return listed


def _way(wanted: Sequence[Preference], start: str, end: str) -> list[Preference] | None:
    """Return a shortest chain of preferences from one run down to another; None where there is none."""
    ways: dict[str, list[Preference]] = {start: []}
    queue = [start]
    for name in queue:
        if name == end:
            return ways[name]
        for preference in wanted:
            if preference.better == name and preference.worse not in ways:
                ways[preference.worse] = [*ways[name], preference]
                queue.append(preference.worse)
    return None
