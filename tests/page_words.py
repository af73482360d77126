"""How many words a reader of a page meets in sentences and titles; not counted: tables, pictures, references."""

import re

from metaeval.page.blocks import Choice, Fold, Items, Text
from metaeval.page.captions import captions

MOST_OPEN, MOST = 550, 2500
"""That stand open on a page, and on all of it, with every fold."""


def assert_soon_read(page):
    """Both limits hold."""
    stands_open, whole = words_of_page(page)
    assert stands_open <= MOST_OPEN, stands_open
    assert whole <= MOST, whole


def words_of_page(page):
    """Count the words that stand open, and all."""
    said = [*said_on(page)]
    counts = [(len(re.findall(r"\S*[^\W\d_]\S*", words)), stands_open) for words, stands_open in said]
    return sum(n for n, stands_open in counts if stands_open), sum(n for n, _ in counts)


def said_on(page):
    """Yield what a page says outside its cells, and whether it stands open."""
    sections = page.all_sections()
    caption = captions(sections)
    yield from ((words, True) for words in (page.title, page.description, page.facts_line(), *page.first_changes()))
    yield from ((words, number == 0) for number, words in enumerate(page.summary))
    yield from _said(() if page.key_figures is None else (page.key_figures,), caption, stands_open=True)
    for section in sections:
        yield section.title, True
        yield section.lead, section.brief
        blocks = [block for block in section.blocks if not (section.id == "methods" and isinstance(block, Items))]
        yield from _said(blocks, caption, stands_open=section.brief)


def _said(blocks, caption, *, stands_open):
    """Yield what blocks say, and whether it stands open."""
    for block in blocks:
        if isinstance(block, Fold):
            yield block.title, stands_open
            yield from _said(block.blocks, caption, stands_open=False)
        elif isinstance(block, Choice):
            for number, (name, part) in enumerate(zip(block.names, block.parts, strict=True)):
                yield f"The same for {name}" if number else "", stands_open
                yield from _said(part, caption, stands_open=stands_open and number == 0)
        elif isinstance(block, Text):
            yield from ((words, stands_open) for words in block.paragraphs if block.look != "code")
        elif isinstance(block, Items):
            yield from ((words, stands_open) for item in block.items for words in (item.term, item.words))
        else:
            yield block.title, stands_open
            yield caption(block), stands_open
