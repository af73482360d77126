"""Topics that runs and judgments write differently: which are meant alike, and how to write them alike."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from metaeval.errors import spelling

_STRAY = re.compile(r"\D*?0*(\d+)(?:\.0+)?")
"""What an identifier is without letters and zeros before it, and a point and zeros behind it."""
_PLAIN = re.compile(r"[\w-]+")


class _Way(NamedTuple):
    """A way to write the topics of the judgments as those of the runs."""

    words: str
    filter: str
    written: Callable[[str], str]


def topics_meant_alike(answered: Collection[str], judged: Collection[str]) -> list[tuple[str, str]]:
    """Return pairs of a topic without judgments and one without a run that are one but for how they are written.

    Where nothing is in common, letters before a number may differ too.

    Examples
    --------
    >>> topics_meant_alike({"1", "10"}, {"01", "10"}), topics_meant_alike({"q1", "x"}, {"001"})
    ([('1', '01')], [('q1', '001')])
    """
    alone = set(answered) - set(judged)
    loose = len(alone) == len(answered)
    by_key = {_key(name, loose=loose): name for name in sorted(alone)}
    left = sorted(set(judged) - set(answered))
    return [(by_key[key], name) for name in left if (key := _key(name, loose=loose)) in by_key]


def _key(name: str, *, loose: bool) -> str:
    match = _STRAY.fullmatch(name) if loose else None
    return match[1] if match else spelling(name)


def way_to_match(answered: Collection[str], judged: Collection[str], pairs: list[tuple[str, str]]) -> str:
    """Return how to write the topics of the judgments as those of the runs: by a filter that is right for all of them.

    Examples
    --------
    >>> way_to_match({"1", "10"}, {"01", "10"}, [("1", "01")])
    "take the zeros before those of the qrels off (sed 's/^0*//')"
    """
    wanted = len(set(answered) & set(judged)) + len(pairs)
    for way in _ways(*pairs[0], judged):
        written = {way.written(name) for name in judged}
        if len(written) == len(judged) and len(written & set(answered)) == wanted:
            return f"{way.words} ({way.filter})"
    return f"write {pairs[0][1]!r} in the qrels as {pairs[0][0]!r}"


def _ways(name: str, other: str, judged: Collection[str]) -> Iterator[_Way]:
    """Yield ways to write a topic of the judgments as that of the runs; only those that keep no others apart."""
    if other.endswith(name) and _PLAIN.fullmatch(before := other.removesuffix(name)):
        if all(topic.startswith(before) for topic in judged):
            words = f"take {before!r} off those of the qrels"
            yield _Way(words, f"sed 's/^{before}//'", lambda topic: topic.removeprefix(before))
        yield _Way("take the zeros before those of the qrels off", "sed 's/^0*//'", lambda topic: topic.lstrip("0"))
    if name.endswith(other) and _PLAIN.fullmatch(added := name.removesuffix(other)):
        yield _Way(f"put {added!r} before those of the qrels", f"sed 's/^/{added}/'", lambda topic: added + topic)
        width = len(name)
        padded = f"awk '{{$1 = sprintf(\"%0{width}d\", $1)}} 1'"
        if all(topic.isdecimal() for topic in judged):
            yield _Way(f"write those of the qrels with {width} digits", padded, lambda topic: f"{int(topic):0{width}d}")
    if other == f"{name}.0":
        yield _Way(
            "take '.0' off those of the qrels",
            r"sed 's/\.0\([[:blank:]]\)/\1/'",
            lambda topic: re.sub(r"\.0$", "", topic),
        )
    if name == f"{other}.0":
        yield _Way("put '.0' behind those of the qrels", "sed 's/[[:blank:]]/.0&/'", lambda topic: f"{topic}.0")
    if name == other.upper():
        yield _Way("write those of the qrels in capitals", "awk '{$1 = toupper($1)} 1'", str.upper)
    if name == other.lower():
        yield _Way("write those of the qrels in small letters", "awk '{$1 = tolower($1)} 1'", str.lower)
