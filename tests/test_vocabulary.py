"""The words of the field, not of this house, in all that people read: docstrings, comments, messages, help, docs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.usefixtures("checkout")

SAYS_INSTEAD = {
    r"on paper": "equal up to rounding, equal but for rounding",
    r"(?:tell(?:s|ing)?|(?<!be\s)told)\b[^.;:]{0,60}?\bapart": "differ significantly, distinguish, recognise",
    r"the doors?": "name what is checked there",
    r"teaching order": "say which order it is",
    r"h(?:eld|olds?|olding)(?: \S+)? against": "compared with",
    r"in truth(?![\[\]])": "the true ..., or nothing",  # a bracket after it: code that walks over `truth`
    r"other clothes": "name the formats",
    r"st(?:ands?|ood) twice": "appears twice",
    r"ke(?:eps?|pt|eping) (?:its|their) words?": "is reliable, holds its level",
    r"whom (?:\S+ ){1,3}favours?": "group bias",
    r"leaves? out zero": "excludes zero",
    r"no virtue": "does not imply validity",
    r"so many of the": "N topics, a number of",
}
"""Expression to what to write instead. A blank also stands for the end of a line, of a comment or of a string."""
BREAK = r"(?:\s|[#\"'`]|\bf(?=\"))+"
WORDS = re.compile("|".join(rf"\b({one.replace(' ', BREAK)})\b" for one in SAYS_INSTEAD), re.IGNORECASE)
READ = [
    *sorted((ROOT / "metaeval").rglob("*.py")),
    *sorted((ROOT / "metaeval").rglob("*.prose")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
]


def found(text):
    """Every phrase of the house in a text: its line, itself, and what says it plainly."""
    advice = list(SAYS_INSTEAD.values())
    return [
        (text.count("\n", 0, hit.start()) + 1, " ".join(hit.group().split()), advice[hit.lastindex - 1])
        for hit in WORDS.finditer(text)
    ]


def test_people_read_the_words_of_the_field():
    """No phrase of the list in the library, README and docs; each is named with its file and line."""
    assert len(READ) > len(SAYS_INSTEAD)
    hits = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r}; write: {advice}"
        for path in READ
        for line, phrase, advice in found(path.read_text(encoding="utf-8"))
    ]
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize(
    ("text", "line", "phrase"),
    [
        ("x = 1\n# sums that are equal on\n# paper", 2, "on # paper"),
        ('message = (\n    "two runs are told "\n    f"apart by {it}"\n)', 2, 'told " f"apart'),
        ("Held against people, a name stands twice", 1, "Held against"),
    ],
)
def test_a_phrase_is_seen_across_the_ends_of_lines_and_strings(text, line, phrase):
    """Where a sentence goes on in the next comment or string, the line is that of its beginning."""
    assert found(text)[0][:2] == (line, phrase)


def test_a_loop_over_the_truth_is_no_phrase():
    """Code is not prose."""
    assert not found("means = [one for one in truth]; names = [one for one in truth['metric']]")
