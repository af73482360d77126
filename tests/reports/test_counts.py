"""Counts on pages: thousands have their comma wherever people, pairs, topics or documents are counted."""

import re

import pytest
from passages import page_files, passages

from metaeval import studies
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores

WIDE = simulate_scores(n_systems=60, n_topics=12, metrics=["AP", "RR"], rng=2)
LONG = simulate_scores(n_systems=5, n_topics=1200, metrics=["Success@1"], rng=2)
COUNTED = "pairs?|systems?|models?|topics?|items?|documents?|differences|judgments|of|significant|differ"
BARE = re.compile(
    rf"(?<![\w.,@=])\d{{4,}} (?:{COUNTED})\b|\bof (?:the |all |its )*\d{{4,}}(?![\d-])|\d{{4,}}/\d|/\d{{4,}}\b"
)
"""Four digits and more in a row where something is counted."""
STUDIES = {
    "power": lambda: studies.study_power(WIDE, tests=["bootstrap_sensitivity", "t"], n_resamples=200, rng=0),
    "power of items": lambda: studies.study_power(LONG, tests=["t"], n_topic_resamples=20, rng=0),
    "agree": lambda: studies.study_agree(WIDE, rng=0),
    "table": lambda: studies.study_table(WIDE),
    "table of items": lambda: studies.study_table(LONG, baseline=str(LONG["system"].to_numpy()[0])),
    "tests": lambda: studies.study_compare_tests(WIDE, tests=["t", "sign"], n_splits=5, rng=0),
    "leaderboard": lambda: studies.study_leaderboard(LONG, rng=0),
    "leaderboard of systems": lambda: studies.study_leaderboard(as_scores(WIDE.isel(metric=[0])), rng=0),
    "topics": lambda: studies.study_topics(WIDE, n_trials=5, bayesian=False, rng=0),
    "topics of items": lambda: studies.study_topics(LONG, sizes=[200, 600], n_trials=5, bayesian=False, rng=0),
    "design": lambda: studies.study_design(WIDE, differences=[0.002, 0.005]),
}


@pytest.mark.parametrize("name", STUDIES)
def test_thousands_have_their_comma(words_of, name):
    """The same count is written alike in facts, summary, captions and tables."""
    report = STUDIES[name]().report()
    words = words_of(report).partition("What it takes to make this report again")[0]
    words = re.sub(r"10\.\d{4,}/\S+", "", words)
    assert re.search(r"\d,\d{3}", words)
    found = [words[max(0, one.start() - 30) : one.end() + 20] for one in BARE.finditer(words)]
    assert not found, "\n".join(found)
    assert not re.search(r"\de\+\d", words)


def test_no_report_writes_large_numbers_as_powers_of_ten():
    """100 % is no 1e+02 %: significant digits are written by `metaeval.base.words.significant`."""
    texts = {name: path.read_text("utf-8") for name, path in page_files().items()}
    texts |= {f"words of {name}": text for name, text in passages().items()}
    assert len(texts) > 80
    found = {name: re.findall(r"'%\.\dg' %[^}]*|:\.\dg\}", words) for name, words in texts.items()}
    assert {name: words for name, words in found.items() if words} == {
        "human/page_campaign": [":.1g}"],  # an error of at most 1
        "judgments/page_reductions": [":.3g}"] * 2,  # shares in percent
        "stop/page": [":.2g}"],  # rounds a number that is then written whole
    }
