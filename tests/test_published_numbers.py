"""Every number on the pages of five papers comes from a kept table, or is quoted with its place."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER, REPORTS = ROOT / "docs" / "published", ROOT / "benchmarks" / "reports"
if not FOLDER.is_dir():
    pytest.skip("needs the checkout around the tests, which lie alone here", allow_module_level=True)
QUOTED = tomllib.loads((FOLDER / "quoted.toml").read_text("utf-8"))
PAGES = sorted(path.name for path in FOLDER.glob("*.md") if path.name != "every-table-and-figure.md")
NOT_PROSE = (
    r"```.*?```",  # blocks of code, which are run
    r"<!-- written: .*?<!-- end -->",  # what is copied from kept reports
    r"`[^`]*`",
    r"\]\([^)]*\)",  # addresses
    (
        r"\b(?:[Tt]ables?|[Ff]igures?|[Ss]ections?|[Ee]quations?|Rule|INEX|TREC|seeds?)\s[\dIVX.(]\S*"
        r"(?:(?:, | and | to |\N{EN DASH})(?:[\dIVX]+\b|[\dIVX][\d.()a-d]+))*"
    ),  # names of places and campaigns
    r"\b(?:19|20)\d\d\b",  # years
    r"\w*@\d+|\w+\[[\d.]+\]|RBP\.\d+|TREC-?\d+|NTCIR-\d\w?|DL\d\d|\d+\(a\)",  # names of metrics and collections
)


def prose(text):
    """Return a page without what is no sentence of its own."""
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


def numbers(text):
    """Return the numbers in some words as they are printed."""
    return [one.replace(",", "") for one in re.findall(r"(?<![\w.])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?![\w])", text)]


def stands_in(printed, kept):
    """Say whether a number is one of those kept, rounded, as it is or in percent."""
    digits = len(printed.partition(".")[2])
    value = float(printed)
    return any(abs(round(scale * one, digits) - value) < 1e-9 for one in kept for scale in (1.0, 100.0, 0.01))


@pytest.mark.parametrize("page", PAGES)
def test_every_number_of_a_page_is_kept_or_quoted(page):
    """Its sentences round what its reports hold; what the papers or a set-up say is listed with its place."""
    about = QUOTED[page.removesuffix(".md")]
    kept = {float(one) for name in about["reports"] for one in numbers((REPORTS / name).read_text("utf-8"))}
    printed = dict.fromkeys(numbers(prose((FOLDER / page).read_text("utf-8"))))
    said = {number for words in about.get("quoted", {}).values() for number in words}
    lacking = [one for one in printed if one not in said and not stands_in(one, kept)]
    assert lacking == []
    assert sorted(said - set(printed)) == []


def test_pages_show_kept_reports_as_they_are(write_docs):
    """What is copied from a report is what the report says today."""
    for page in PAGES:
        text = (FOLDER / page).read_text("utf-8")
        assert write_docs.write(text) == text, page
