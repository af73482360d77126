"""The measure of a table of one metric that no column names: what all systems or items, a corner or a title say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from operator import eq

from metaeval.base.names import ARROWS, computed_metrics, metric_evidence
from metaeval.table.roles import rises_by_name, said_direction, surely_falls

_SURE = 2  # of the evidence of names
_SIGNS = frozenset("_ .:/|-([")
_MARKS = re.compile(rf"[\s(\[]*[{ARROWS}][\s)\]]*")
_WORD = re.compile(r"[^\W_]+")
_SHORT, _LONGEST = 4, 3


def shared_measure(names: Sequence[str], *, of_items: bool = False) -> str:
    """Return the measure that all names end, or begin, with, and an arrow that all have; "" where there is none.

    Items begin with all kinds of words, and are called after good things too: only measures of which less is better
    count there.

    Examples
    --------
    >>> shared_measure(["whisper_wer", "wav2vec_wer"]), shared_measure(["wer", "cer"]), shared_measure(["a_1", "b_1"])
    ('wer', '', '')
    >>> shared_measure(["FLEURS de WER%", "FLEURS fr WER%"], of_items=True)
    'WER%'
    >>> shared_measure(["sub_1", "sub_2"], of_items=True)
    ''
    >>> shared_measure(["WER (de) ↓", "WER (fr) ↓"], of_items=True), shared_measure(["de ↓", "fr ↓"], of_items=True)
    ('WER', '↓')
    """
    if len(names) < 2:  # noqa: PLR2004 - one shares nothing
        return ""
    direction = said_direction(names[0])
    direction = direction if direction is None or all(said_direction(name) is direction for name in names) else None
    bare = [*names] if direction is None else [_MARKS.sub(" ", name).strip() for name in names]
    for text, rests in _ends(bare):
        ahead = bare[0].startswith(text)
        is_measured = metric_evidence([text]) == _SURE or not rises_by_name(text)
        if surely_falls(text, at_end=not ahead) if of_items else is_measured:
            return _marked(text, direction) if len({*rests}) == len(names) and all(rests) else ""
    return _marked("", direction) if of_items or direction is False else ""


def _ends(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what all names end with, then what all begin with, from the shortest on, and what is left of each."""
    tail = _beginning([name[::-1] for name in names])
    for at in (at for at, sign in enumerate(tail) if at and sign in _SIGNS):
        yield _unbracketed(tail[:at][::-1].strip()), [name[: -at - 1].strip() for name in names]
    head = _beginning(names)
    for at in (at for at, sign in enumerate(head) if at and sign in _SIGNS):
        yield head[:at].strip(), [name[at + 1 :].strip() for name in names]


def _beginning(names: Sequence[str]) -> str:
    """Return the signs that all names begin with: those of the first and the last in order."""
    first, last = min(names), max(names)
    return first[: sum(1 for _ in takewhile(bool, map(eq, first, last)))]


def _unbracketed(text: str) -> str:
    return text.rstrip(")]") if not {"(", "["} & {*text} else text


def _marked(measure: str, rises: bool | None) -> str:  # noqa: FBT001 - three-valued
    """Return a measure with an arrow where its name does not say the direction that is said; of none, less alone."""
    if rises is None or (not measure and rises) or (measure and rises_by_name(measure) is rises):
        return measure
    return f"{measure} {'↑' if rises else '↓'}".strip()


def measure_within(text: str) -> str:
    """Return the one measure of a title of which less is better, or the arrow down; "" where others stand there too.

    Short words are abbreviations in capital letters.

    Examples
    --------
    >>> [measure_within(text) for text in ("WER (%) by language", "Word error rate, lower is better", "Tous les ter")]
    ['WER', 'Word error rate', '']
    >>> [measure_within(text) for text in ("Accuracy and WER", "Time ↓", "WER and CER", "WER (higher is better)")]
    ['', '↓', '', '']
    """
    words, measures, at = _WORD.findall(text), list[str](), 0
    if any(rises_by_name(word) for word in computed_metrics(words)):
        return ""
    while at < len(words):
        groups = (words[at : at + length] for length in range(_LONGEST, 0, -1))
        group = next((" ".join(group) for group in groups if surely_falls(" ".join(group))), words[at])
        at += len(group.split())
        measures += [group] * (surely_falls(group) and (len(group) > _SHORT or group.isupper()))
    direction = said_direction(text)
    return "" if direction or len({*measures}) > 1 else _marked("".join(measures[:1]), direction)


def named_by_measure(
    name: str, systems: Sequence[str], topics: Sequence[str], *, corner: str = "", titles: Iterable[str] = ()
) -> tuple[str, str]:
    """Return what a metric that nobody named is called, by what the table says of all scores, and a note of that.

    Examples
    --------
    >>> named_by_measure("metric1", ["a", "b"], ["de CER", "fr CER"])
    ('CER', 'CER, in the names of all items, is taken for the metric')
    >>> named_by_measure("board", ["a", "b"], ["de", "fr"], titles=["Time ↓"])
    ('board ↓', 'the title says that lower is better')
    >>> named_by_measure("board", ["a", "b"], ["de", "fr"])
    ('board', '')
    """
    beside = measure_within(corner)
    by_source = {
        "the names of all systems": shared_measure(systems),
        "the names of all items": shared_measure(topics, of_items=True),
        "the corner cell": beside if _WORD.search(beside) else "",  # an arrow there may say how rows are sorted
        "the title": next(filter(None, map(measure_within, titles)), ""),
    }
    where, measure = next(((where, measure) for where, measure in by_source.items() if measure), ("", ""))
    if measure in ARROWS:
        return (
            (f"{name} {measure}", f"{where} say{'s' * ('names' not in where)} that lower is better")
            if measure
            else (name, "")
        )
    return measure, f"{measure}, in {where}, is taken for the metric"
