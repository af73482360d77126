"""Letters for groups of systems: two systems share one unless they differ significantly."""

from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray


def shared_letters(different: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which systems have which letter (system, letter), as few letters as a greedy cover finds.

    Shapes: `different` (system, system), result (system, letter).

    Notes
    -----
    A letter is a set of systems of which no two differ, and every pair that does not differ must be in one: a cover by
    cliques [2]_. The method of insert and absorb [1]_ keeps all largest sets, and there can be more of them than one
    can list where systems vary differently; here a set is grown from the first pair that has no letter, by systems in
    order, and in the end sets that the others cover are left out [2]_. Where significance goes by distance alone, all
    of these give the same letters.

    References
    ----------
    .. [1] Piepho (2004). An algorithm for a letter-based representation of all-pairwise comparisons. Journal of
       Computational and Graphical Statistics 13, 456-466. :doi:`10.1198/1061860043515`
    .. [2] Gramm, Guo, Hüffner, Niedermeier, Piepho and Schmid (2008). Algorithms for compact letter displays.
       Computational Statistics & Data Analysis 52, 725-736. :doi:`10.1016/j.csda.2006.09.035`

    Examples
    --------
    >>> shared_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)).astype(int)
    array([[1, 0],
           [1, 1],
           [0, 1]])
    """
    alike = ~np.asarray(different, dtype=bool)
    np.fill_diagonal(alike, val=True)
    bare = alike.copy()  # pairs without a letter
    sets = []
    for first in range(len(alike)):
        while bare[first].any():
            last = int(np.flatnonzero(bare[first])[-1])
            sets.append(_grown(alike, first, last))
            bare[np.ix_(sets[-1], sets[-1])] = False
    return _needed(sets, len(alike))


def letter_names(n_letters: int) -> list[str]:
    """Return a, b, ..., z, aa, ab, ...

    Examples
    --------
    >>> letter_names(28)[-3:]
    ['z', 'aa', 'ab']
    """
    names = []
    for number in range(n_letters):
        name, remaining = "", number + 1
        while remaining:
            remaining, letter = divmod(remaining - 1, len(ascii_lowercase))
            name = ascii_lowercase[letter] + name
        names.append(name)
    return names


def _grown(alike: NDArray[np.bool_], first: int, last: int) -> NDArray[np.int64]:
    """Return a largest set that holds two systems: others join in order while they differ from none in it."""
    inside = np.zeros(len(alike), dtype=bool)
    inside[[first, last]] = True
    open_to = alike[first] & alike[last]
    while True:
        waiting = np.flatnonzero(open_to & ~inside)
        if not len(waiting):
            return np.flatnonzero(inside)
        inside[waiting[0]] = True
        open_to &= alike[waiting[0]]


def _needed(sets: list[NDArray[np.int64]], n_systems: int) -> NDArray[np.bool_]:
    """Leave out every set all of whose pairs are in others, the smallest first."""
    times = np.zeros((n_systems, n_systems), dtype=np.int64)
    for members in sets:
        times[np.ix_(members, members)] += 1
    needed = []
    for members in sorted(sets, key=lambda members: (len(members), -members[0])):
        corner = np.ix_(members, members)
        if (times[corner] > 1).all():
            times[corner] -= 1
        else:
            needed.append(members)
    needed.sort(key=lambda members: members.tolist())
    letters = np.zeros((n_systems, len(needed)), dtype=bool)
    for column, members in enumerate(needed):
        letters[members, column] = True
    return letters
