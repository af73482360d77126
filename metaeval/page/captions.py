"""What stands under titles on a page: a sentence that its reader has just read is not said again.

A table or picture taken from the page, as LaTeX or by itself, has its whole caption. In a section a sentence counts as
read where it stands open above, in the lead or another caption; what a fold or one part of a choice says is read there.
"""

import re
from collections.abc import Callable, Iterable
from itertools import chain

from metaeval.page.blocks import Block, Choice, Fold, Picture, Section, Text
from metaeval.page.tables import Table

_BETWEEN_SENTENCES = re.compile(r"(?<=[^\s.]{2}[.?!])(?<! al\.)(?<!Fig\.)(?<!vs\.) (?=[^\sa-z])")


def captions(sections: Iterable[Section]) -> Callable[[Table | Picture], str]:
    """Return what says what is left to say under a table or picture of these sections; of another, all.

    Examples
    --------
    >>> captioned = (f"Dots: means. Under {metric}." for metric in ("AP", "RR"))
    >>> one, two = (Picture(name="", draw=list, title="A", caption=words, alt="") for words in captioned)
    >>> caption = captions([Section(id="s", title="S", lead="What is seen.", blocks=(one, two))])
    >>> caption(one), caption(two)
    ('Dots: means. Under AP.', 'Under RR.')
    """
    left: dict[int, str] = {}
    for section in sections:
        _read(section.blocks, set(_sentences(section.lead)), left)
    return lambda block: left.get(id(block), block.caption)


def _sentences(words: str) -> list[str]:
    return _BETWEEN_SENTENCES.split(words)


def _read(blocks: Iterable[Block], known: set[str], left: dict[int, str]) -> None:
    """Go through blocks as a reader does, who knows some sentences, and then more."""
    for block in blocks:
        if isinstance(block, Table | Picture):
            sentences = _sentences(block.caption)
            left[id(block)] = " ".join(sentence for sentence in sentences if sentence not in known)
            known.update(sentences)
        elif isinstance(block, Text):
            known.update(chain.from_iterable(map(_sentences, block.paragraphs)))
        elif isinstance(block, Fold):
            _read(block.blocks, set(known), left)
        elif isinstance(block, Choice):
            for part in block.parts:
                _read(part, set(known), left)
