"""One small study, with names that could do harm, shared by the tests of the reports."""

import html
import re

import pytest

from metaeval.reports.html import render_page
from metaeval.studies.power import study_power

HOSTILE = [
    '<script>alert("x")</script>',
    "a & b's $cost$ 100% #1_{x}^~\\",
    "日本語 🙂",
    "../../etc/passwd, and more",
    "twin",
]


@pytest.fixture(scope="session")
def scores(simulated_scores):
    """Two metrics, five systems with hostile names, the last two of them the same, twenty topics."""
    table = simulated_scores(systems=HOSTILE, metrics=["RBP(p=0.8)/x <b>", "../../etc"])
    table[:, -1] = table[:, -2]
    return table


@pytest.fixture(scope="session")
def study(scores):
    """Sakai's method and the t test, uncorrected and Benjamini-Yekutieli, with intervals."""
    return study_power(scores, tests=["bootstrap_sensitivity", "t"], n_resamples=200, n_topic_resamples=20, rng=0)


@pytest.fixture(scope="session")
def words_of():
    """Return every word that a reader of a page sees outside its pictures, which take most of the time to draw."""

    def words(page, *, drawn=False):
        blank = None if drawn else {one.name: '<svg viewBox="0 0 1 1"></svg>' for one in page.pictures()}
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", render_page(page, svgs=blank))).split())

    return words
