"""Items that files number each in its own order, paired by what they ask."""

import re
from collections.abc import Mapping, Sequence
from itertools import count

from metaeval.base.names import count as counted

_NUMBERED = re.compile(r"(.*?)\d+", re.DOTALL)
_LEAST_SHARED = 0.5
"""Of what a file asks, so that the same questions in another order are told from other questions."""


def renamed_by_content(contents: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the name of every item of every file by the name that it has there; nothing where names can stay.

    Names that are positions (``test_case_3``) tell nothing across files where one position asks two things, nor do
    names of which no two files share one. Then an item is called as in the first file that asks the same, if every file
    asks everything once, half of what those before it ask, and in other places rather than anew.

    Parameters
    ----------
    contents : sequence of mapping
        What each item of a file asks, by its name, a file each.

    Examples
    --------
    >>> renamed_by_content([{"1": "tall?", "2": "wide?"}, {"1": "wide?", "2": "tall?"}])
    [{'1': '1', '2': '2'}, {'1': '2', '2': '1'}]
    >>> renamed_by_content([{"1": "tall?", "2": "wide?"}, {"1": "tall?", "3": "deep?"}])
    []
    >>> renamed_by_content([{"7f": "tall?", "c1": "wide?"}, {"e0": "wide?", "4b": "tall?"}])[1]
    {'e0': 'c1', '4b': '7f'}
    """
    asked: dict[str, str] = {}
    differ = any(asked.setdefault(name, text) != text for of_file in contents for name, text in of_file.items())
    stems = [{match[1] if (match := _NUMBERED.fullmatch(name)) else None for name in of_file} for of_file in contents]
    are_positions = all(len(of_file) == 1 and None not in of_file for of_file in stems)
    are_apart = len(contents) > 1 and len({name for of_file in contents for name in of_file}) == sum(map(len, contents))
    if not (are_apart or (differ and are_positions)) or any(
        len({*of_file.values()}) < len(of_file) for of_file in contents
    ):
        return []
    name_of, taken, renamed = dict[str, str](), set[str](), list[dict[str, str]]()
    n_moved = n_anew = 0
    for of_file in contents:
        shared = sum(text in name_of for text in of_file.values())
        if name_of and shared < _LEAST_SHARED * min(len(of_file), len(name_of)):
            return []
        for name, text in of_file.items():
            if text not in name_of:
                n_anew += name in taken
                name_of[text] = next(free for free in (name + "'" * n for n in count(0)) if free not in taken)
                taken.add(name_of[text])
            else:
                n_moved += name_of[text] != name
        renamed.append({name: name_of[text] for name, text in of_file.items()})
    return renamed if n_moved > n_anew else []


def shared_texts(columns: Sequence[Mapping[str, Mapping[str, str]]]) -> str:
    """Return the column of words whose words most of the rows of every file have; "" where there is none.

    Examples
    --------
    >>> shared_texts([{"said": {"1": "a", "2": "b"}, "why": {"1": "x"}}, {"said": {"1": "b", "2": "a"}}])
    'said'
    """

    def least_shared(name: str) -> float:
        texts = [{*of_file[name].values()} for of_file in columns]
        return min(len(texts[0] & others) / min(len(texts[0]), len(others)) for others in texts[1:])

    shares = {name: least_shared(name) for name in columns[0] if all(name in of_file for of_file in columns)}
    best = max(shares, key=lambda name: shares[name], default="")
    return best if shares.get(best, 0.0) >= _LEAST_SHARED else ""


def note_of_pairing(renamed: Sequence[Mapping[str, str]], what: str) -> str:
    """Say that items are paired by what they ask, and not by the names that files give them."""
    moved = [(name, new) for of_file in renamed for name, new in of_file.items() if name != new]
    reason = "number their items in other orders" if {*renamed[0]} & {*renamed[1]} else "call their items otherwise"
    return (
        f"files {reason}, so they are paired by {what}: {counted(len(moved), 'item')} "
        f"called as in the first file that has it ('{moved[0][0]}' is '{moved[0][1]}' there)"
    )
