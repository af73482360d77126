"""The slider over a table: what it shows, by pointer and keyboard, after sorting and on paper."""

import json

import pytest

from metaeval.questions.topics.study import study_topics
from metaeval.simulate import simulate_scores


@pytest.fixture(scope="module")
def topics_page(browser, tmp_path_factory):  # noqa: ARG001 - nothing is made where there is none
    """Write a report on topics needed, without the model."""
    scores = simulate_scores(n_systems=6, n_topics=40, metrics=["AP", "P@10", "RR"], rng=1)
    study = study_topics(scores, tolerances=[0, 0.1], n_trials=20, bayesian=False, differences=False, rng=1)
    return study.report().save(tmp_path_factory.mktemp("browser") / "topics")


def told(page):
    """Return what the slider is given, and its table as a list of rows."""
    steps = json.loads(page.locator("[data-steps]").get_attribute("data-steps"))
    rows = [row.locator("td").all_inner_texts() for row in page.locator("[data-steps] tbody tr").all()]
    return steps, rows


def test_every_number_of_topics_can_be_read_off(topics_page, opened):
    """At first the topics at hand; the ends and a step from the keyboard show their own cells and say their number."""
    page = opened(topics_page, unfolded=True)
    slider = page.get_by_label("How many topics?")
    steps, rows = told(page)
    assert rows == [[cell[0] for cell in row] for row in steps["cells"][steps["at"]]]
    slider.focus()
    for key, place in (("Home", 0), ("End", len(steps["numbers"]) - 1), ("ArrowLeft", len(steps["numbers"]) - 2)):
        page.keyboard.press(key)
        assert told(page)[1] == [[cell[0] for cell in row] for row in steps["cells"][place]]
        words = f"{steps['numbers'][place]} topics"
        assert (slider.get_attribute("aria-valuetext"), page.locator(".steps output").inner_text()) == (words, words)
        assert page.locator("[data-steps] figcaption b").inner_text() == f"With {words} in each set."


def test_rows_that_were_sorted_keep_their_metric(topics_page, opened):
    """Numbers stay beside the metric whose they are, and are sorted as what they are now."""
    page = opened(topics_page, unfolded=True)
    page.locator("[data-steps]").get_by_role("columnheader", name="difference").get_by_role("button").click()
    page.get_by_label("How many topics?").press("Home")
    steps, rows = told(page)
    assert sorted(rows) == sorted([cell[0] for cell in row] for row in steps["cells"][0])
    assert [float(row[-1]) for row in rows] == sorted((float(row[-1]) for row in rows), reverse=True)


def test_without_a_script_or_on_paper_there_is_no_slider(topics_page, opened):
    """The table stands at the topics at hand, and some other numbers in a fold."""
    page = opened(topics_page, java_script_enabled=False, unfolded=True)
    assert page.get_by_text("With 40 topics in each set.").is_visible()
    assert page.locator("input").count() == 0
    scripted = opened(topics_page)
    scripted.emulate_media(media="print")
    assert not scripted.get_by_label("How many topics?").is_visible()
