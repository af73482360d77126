"""Columns beside those of systems that hold something else of each: bm25, dpr and bm25 Rang, dpr Rang.

Names alone do not tell, since run and run_v2 are two systems: the numbers have to be others than scores of these.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.table.roles import MADE, RoleColumn, role_of_name, says_of, word_of

_EDGE = re.compile(r"[\W_]")
"""What stands between the name of a system and what its companion has more."""
_FAR, _FEWEST = 5, 10
_OF_SCORES = frozenset({"aggregate", "range", "text"})
"""Roles whose words name systems too: a model with the mean of its tokens, or with context."""


class Companions(NamedTuple):
    """Columns that have the names of others and one mark more."""

    of: dict[str, str]
    """Name of each to that of the column it is beside."""
    role: str
    """What the mark says, "" where nothing that is known."""
    called: bool
    """Whether columns so called are hardly systems, whatever their numbers."""
    unlike: bool
    """Whether their numbers cannot be scores of systems that have those of the others."""

    def columns(self) -> dict[str, RoleColumn]:
        """Return what each column holds: surely where its numbers are unlike scores and the mark says what they are."""
        sure = self.unlike and bool(self.role)
        says = says_of(self.role) if self.role else "another number"
        return {name: RoleColumn(name, self.role, f"{says} of {of!r}", of, sure) for name, of in self.of.items()}


def companions(names: Sequence[str], values: Floats) -> list[Companions]:
    """Return the groups of columns beside most of the others, or all but one, that one mark more in names tells.

    `values` has the shape (row, column), NaN where there is none.

    Examples
    --------
    >>> values = np.array([[0.31, 0.52, 2, 1], [0.42, 0.13, 1, 2], [0.22, 0.43, 2, 1]])
    >>> companions(["bm25", "dpr", "bm25 Platz", "dpr Platz"], values)[0]
    Companions(of={'bm25 Platz': 'bm25', 'dpr Platz': 'dpr'}, role='rank', called=True, unlike=True)
    >>> companions(["bm25", "dpr", "bm25+rm3", "dpr+rm3"], values[:, [0, 1, 1, 0]])[0].unlike
    False
    """
    marked = _by_mark(names)
    companion = {name for group in marked.values() for name in group}
    bases = [name for name in names if name not in companion]
    column_of = {name: at for at, name in enumerate(names)}
    groups = []
    for mark, group in marked.items():
        of = {name: base for name, base in group.items() if base in bases}
        if len(of) < max(2, len(bases) - 1) and 2 * len(of) <= max(3, len(bases)):
            continue
        numbers, theirs = (values[:, [column_of[name] for name in which]] for which in (of, of.values()))
        ranks = _are_ranks(numbers, theirs)
        called = "rank" if ranks else _role_of(mark)
        unlike = ranks or _unlike(numbers, values[:, [column_of[base] for base in bases]])
        role = called or ("difference" if _compares(mark, names) else "")
        groups.append(Companions(of, role, bool(called) and called not in _OF_SCORES, unlike))
    return groups


def _by_mark(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the names that are another and a mark after or before it, by the mark, each with that other."""
    listed, marked = {*names}, dict[str, dict[str, str]]()
    for name in names:
        cuts = [at for at in range(1, len(name)) if _EDGE.match(name[at]) or _EDGE.match(name[at - 1])]
        for at in cuts:
            for base, mark in ((name[:at], name[at:]), (name[at:], name[:at])):
                if (base := base.strip(" _")) in listed and base != name:
                    marked.setdefault(mark.strip(" _").casefold(), {})[name] = base
    return marked


def _role_of(mark: str) -> str:
    """Return the role of a word alone, or of a number of something: #docs."""
    role, stem = role_of_name(mark)
    return role if role == "n" or not stem else ""


def _compares(mark: str, names: Sequence[str]) -> bool:
    """Whether a mark is called as what others make, or holds the name of one: gain %, / bm25."""
    words = {word_of(mark), *word_of(mark).split("_")}
    return bool(words & MADE) or any(word_of(name) in words for name in names)


def _are_ranks(numbers: Floats, theirs: Floats) -> bool:
    """Whether whole numbers from 1 on put columns into the order of the others, or its reverse, in every row."""
    if numbers.shape[1] < 2 or np.isnan(numbers).any() or np.isnan(theirs).any():  # noqa: PLR2004 - one has no order
        return False
    counted = bool((2 * numbers == np.rint(2 * numbers)).all() and numbers.min() >= 1)  # ties have the half between two
    order, wanted = (np.sign(side[:, :, None] - side[:, None, :]) for side in (numbers, theirs))
    decided = int(np.count_nonzero(order * wanted)) // 2
    return counted and decided >= _FEWEST and any((order * sign * wanted >= 0).all() for sign in (1, -1))


def _unlike(numbers: Floats, others: Floats) -> bool:
    """Whether numbers are whole where the others are not, below 0 where they are not, or far beyond them."""
    mine, theirs = numbers[np.isfinite(numbers)], others[np.isfinite(others)]
    if not len(mine) or not len(theirs):
        return False
    counted = bool((mine == np.rint(mine)).all() and mine.max() > 1) and bool((theirs != np.rint(theirs)).any())
    signed = bool(mine.min() < 0 <= theirs.min())
    shares = bool(theirs.min() >= 0 and theirs.max() <= 1 < mine.max())
    far = float(np.median(np.abs(mine))) > _FAR * float(np.abs(theirs).max())
    return counted or signed or shares or far
