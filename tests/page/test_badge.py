"""A badge is a picture that stands alone: well-formed, as wide as its words, and read aloud."""

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from metaeval.page.badge import badge

SVG = "{http://www.w3.org/2000/svg}"
WORDS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40)


@given(st.lists(WORDS, min_size=1, max_size=3), WORDS)
def test_any_words_make_a_picture(parts, title):
    """Parts stand side by side without gaps, each word inside its ground; nothing is loaded from elsewhere."""
    made = badge(parts, title)
    root = ET.fromstring(made)  # noqa: S314 - made here
    assert [one.text for one in root.iter(f"{SVG}text")] == parts
    assert root.attrib["aria-label"] == root.find(f"{SVG}title").text == title
    grounds = [one for one in root.iter(f"{SVG}rect") if "fill" in one.attrib]
    ends = [int(one.attrib["x"]) + int(one.attrib["width"]) for one in grounds]
    assert [int(one.attrib["x"]) for one in grounds] == [0, *ends[:-1]]
    assert int(root.attrib["width"]) == ends[-1]
    for word, end in zip(root.iter(f"{SVG}text"), ends, strict=True):
        assert int(word.attrib["x"]) + int(word.attrib["textLength"]) < end
    assert "href" not in root.attrib
