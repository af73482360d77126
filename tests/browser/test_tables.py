# ruff: noqa: RUF001 - signs as people see them
"""Tables in a browser: sorted by any column, by mouse and keyboard, and filtered."""

import numpy as np
import pandas as pd
import pytest

from metaeval.base.provenance import Provenance
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.table.scores import as_scores

WORDS = ["12", "<5", "5", "–", ">99 %", "99 %", "−3", "1,200", "<0.0001", "none", "4.5 %", "1e-05", "230"]
RISING = ["−3", "1e-05", "<0.0001", "4.5 %", "<5", "5", "12", "99 %", ">99 %", "230", "1,200", "none", "–"]
WIDER = """() => {
    for (const one of document.querySelectorAll("details, .one")) { one.open = true; one.hidden = false; }
    return [...document.querySelectorAll(".scroll")].filter(one => one.scrollWidth > one.clientWidth)
        .map(one => one.getAttribute("aria-label"));
}"""
"""Opens everything, and names the tables that are wider than their place."""


@pytest.fixture(scope="module")
def table_page(browser, tmp_path_factory):  # noqa: ARG001 - nothing is made where there is none
    """Write a page with one table of everything that cells hold."""
    frame = pd.DataFrame({"value": WORDS, "run": [f"Run {place} of team {place % 3}" for place in range(len(WORDS))]})
    columns = Column(name="value", label="Value", align="right"), Column(name="run", label="Run")
    table = Table(name="t", title="T", caption="C.", frame=frame, columns=columns)
    report = Report(
        command="c",
        title="T",
        facts=(),
        summary=("S.",),
        sections=(Section(id="one", title="One", lead="It shows one table.", blocks=(table,)),),
        methods=Methods(paragraphs=("It was done.",)),
        rows=frame,
        provenance=Provenance(command="c"),
    )
    return report.save(tmp_path_factory.mktemp("browser") / "table")


def column(page, number=0):
    """Return the cells of a column, as far as they are shown."""
    return page.locator(f"#one tbody tr:visible td:nth-child({number + 1})").all_inner_texts()


def test_bounds_stand_beside_their_numbers_and_what_is_missing_comes_last(table_page, opened):
    """The largest first, then rising; the head says which, to those who cannot see it too."""
    page = opened(table_page, unfolded=True)
    head = page.locator("#one").get_by_role("columnheader", name="Value")
    for order, expected in (("descending", RISING[-3::-1] + RISING[-2:]), ("ascending", RISING)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        assert column(page) == expected[:10]
        page.get_by_role("button", name=f"Show all {len(WORDS)} rows").click()
        assert column(page) == expected
        page.get_by_role("button", name="Show the first 10 rows").click()


def test_tables_are_sorted_from_the_keyboard(table_page, opened):
    """Enter and the blank press a head; numbers inside names count as numbers."""
    page = opened(table_page, unfolded=True)
    page.get_by_role("columnheader", name="Run").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert column(page, 1) == [f"Run {place} of team {place % 3}" for place in range(10)]
    page.keyboard.press(" ")
    assert column(page, 1)[0] == f"Run {len(WORDS) - 1} of team 0"


def test_a_filter_keeps_the_rows_that_hold_every_word(table_page, opened):
    """In any order and case, and it says how many are left."""
    page = opened(table_page, unfolded=True)
    field = page.get_by_label("Filter rows").first
    field.fill("TEAM run 2")
    assert column(page, 1) == [
        f"Run {place} of team {place % 3}"
        for place in range(len(WORDS))
        if "2" in f"{place} {place % 3} {WORDS[place]}"
    ]
    assert page.locator(".filter output").first.inner_text() == f"{len(column(page))} of {len(WORDS)}"
    field.fill("run")
    assert len(column(page)) == len(WORDS)
    field.fill("")
    assert len(column(page)) == 10


@pytest.mark.parametrize("way", ["no script", "print"])
def test_a_long_table_is_whole_without_a_script_and_on_paper(table_page, opened, way):
    """Nothing could show the other rows there."""
    page = opened(table_page, unfolded=True, java_script_enabled=way != "no script")
    page.emulate_media(media="print" if way == "print" else "screen")
    assert len(column(page)) == len(WORDS)
    assert page.get_by_role("button", name="Show all").count() == 0


def test_ranks_and_p_values_begin_with_the_smallest(power_page, opened):
    """A first click sorts the best up; without a heading there is nothing to press."""
    page = opened(power_page, unfolded=True)
    for table in page.locator("table").all():
        heads = table.locator("thead tr:last-child > *")
        for head in heads.all():
            said = head.text_content().strip()
            assert (head.evaluate("one => one.tagName") == "TH") == bool(said), said
    for fold in page.locator("#top .fold > summary").all():
        fold.click()
    head = page.locator("#top").get_by_role("columnheader", name="p", exact=True).first
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"


def test_no_table_of_a_leaderboard_is_scrolled(browser, tmp_path, opened):  # noqa: ARG001 - as above
    """Of several metrics, long names in families, gaps, clusters, a baseline and a requirement, in a window of 1280."""
    rng, makers = np.random.default_rng(1), ["sentence-transformers", "Alibaba-NLP", "Snowflake"]
    words = ("multilingual", "instruct", "2024", "06", "v1.5", "chk", "150")
    names = ["-_"[place % 2].join([f"{makers[place % 3]}/model{place}", *words]) for place in range(9)]
    values = np.round(rng.normal(np.linspace(0.7, 0.3, 9)[None, :, None], 0.3, (3, 9, 48)).clip(0, 1), 2)
    values[:, 8, 12:] = values[:, 2, 40:] = np.nan
    metrics = ["nDCG@10", "exact_match(strict-match)", "loose accuracy"]
    groups = dict(zip(names, (name.split("/")[0] for name in names), strict=True))
    scores = as_scores(values, systems=names, metrics=metrics, groups=groups, missing="pairwise")
    scores = scores.assign_coords(cluster=("topic", np.arange(48) % 12)).assign_attrs(topic_word="item")
    required = [f"{names[0]} >= {names[1]} - 0.05"]
    study = study_leaderboard(
        scores, baseline=names[4], requirements=required, cohorts=["top5"], n_resamples=100, n_splits=2, rng=1
    )
    page = opened(study.report().save(tmp_path / "board"), unfolded=True)
    tables = page.locator("figure.table").count()
    assert tables > 20
    assert page.evaluate(WIDER) == []
