"""Items that files name each in its own way: paired by what they ask where they are numbered, else refused."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from metaeval.base.names import count as counted
from metaeval.base.names import first_double
from metaeval.errors import ScoresError, spelling

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


def refuse_spelt_apart(held: Mapping[str, Iterable[Sequence[str]]], kinds: Sequence[str]) -> None:
    """Refuse names that are one but for how they are written, unless somebody has both of them.

    Parameters
    ----------
    held : mapping of str to iterable of sequence of str
        What everybody has, a name of each kind.
    kinds : sequence of str
        What the names are of.

    Examples
    --------
    >>> refuse_spelt_apart({"ann": [["1"], ["2"], ["02"]], "bot": [["1"], ["2"]]}, ["item"])
    >>> refuse_spelt_apart({"ann": [["t1", "001"]], "bot": [["t1", "1"]]}, ["topic", "item"])
    Traceback (most recent call last):
    metaeval.errors.ScoresError: ann writes item '001' and bot '1': names are matched as written, so write them alike, \
such as '001' under bot
    """
    holders: dict[tuple[str, ...], list[str]] = {}
    for holder, names in held.items():
        for name in dict.fromkeys(map(tuple, names)):
            holders.setdefault(name, []).append(holder)
    alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for name, having in holders.items():
        if len(having) < len(held):
            alike.setdefault(tuple(map(spelling, name)), []).append(name)
    several = [names for names in alike.values() if len(names) > 1]
    twins = [names for names in several if first_double(who for name in names for who in holders[name]) is None]
    if twins:
        one, two, *_ = twins[0]
        kind, first, second = next(of for of in zip(kinds, one, two, strict=True) if of[1] != of[2])
        more = f", and {counted(len(twins) - 1, 'other')}" if len(twins) > 1 else ""
        raise ScoresError(
            f"{holders[one][0]} writes {kind} {first!r} and {holders[two][0]} {second!r}{more}: names are matched as "
            f"written, so write them alike, such as {first!r} under {holders[two][0]}"
        )
