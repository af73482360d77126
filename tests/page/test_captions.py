"""What is not said again under the titles of a page, and what is."""

import pytest

from metaeval.page.blocks import Choice, Fold, Picture, Section, Text
from metaeval.page.captions import captions


def _picture(*sentences):
    return Picture(name="p", draw=list, title="A picture", caption=" ".join(sentences), alt="")


def _left(*blocks, lead="What is seen."):
    """Return what stands under the last picture of a section, which may lie in a fold or in the part of a choice."""
    last = blocks[-1]
    while not isinstance(last, Picture):
        last = last.blocks[-1] if isinstance(last, Fold) else last.parts[-1][-1]
    return captions([Section(id="s", title="S", lead=lead, blocks=blocks)])(last)


CITED = ("Means of Yilmaz et al. (2008).", "Means of Yilmaz et al. (2009).")
DOTS, BARS = "Dots are means (Student, 1908).", "Bars: B = 0.05."


@pytest.mark.parametrize(
    ("blocks", "left"),
    [
        ((_picture(DOTS), _picture(DOTS, BARS)), BARS),
        ((_picture(DOTS), Fold(title="F", blocks=(_picture(BARS, DOTS),))), BARS),
        ((Text(paragraphs=(f"{DOTS} And more.",)), _picture(DOTS, BARS)), BARS),
        ((Fold(title="F", blocks=(_picture(DOTS),)), _picture(DOTS, BARS)), f"{DOTS} {BARS}"),
        ((Choice(names=("AP", "RR"), parts=((_picture(DOTS),), (_picture(DOTS),))),), DOTS),
        ((_picture(CITED[0]), _picture(CITED[1])), CITED[1]),
        ((_picture(f"{DOTS[:-1]} of runs."), _picture(DOTS)), DOTS),
    ],
)
def test_a_sentence_that_stands_open_above_is_left_out(blocks, left):
    """What was read in the section, outside folds and the parts of choices, is; and only whole sentences are."""
    assert _left(*blocks) == left


def test_the_lead_is_read_first_and_other_sections_are_not():
    """A section may be opened alone; a table or picture that is taken along has its whole caption."""
    picture = _picture(DOTS, BARS)
    assert _left(picture, lead=f"Whose {DOTS} {BARS}") == DOTS
    assert picture.caption == f"{DOTS} {BARS}"
    first, second = (Section(id=name, title="S", lead="", blocks=(_picture(DOTS),)) for name in "ab")
    caption = captions([first, second])
    assert [caption(section.blocks[0]) for section in (first, second)] == [DOTS, DOTS]
    assert caption(picture) == picture.caption
