"""The switch of the page: one metric at a time, in every section, by mouse and keyboard, on paper too."""

SECTIONS = ("systems", "scores", "map")


def shown(page):
    """Return the metrics whose figures are to be seen, by section."""
    return {
        name: [
            one.get_attribute("data-name")
            for one in page.locator(f"#{name} .one").all()
            if one.locator(".chart").is_visible()
        ]
        for name in SECTIONS
    }


def everywhere(metric):
    """Return what `shown` does where every section shows this metric alone."""
    return {name: [metric] for name in SECTIONS}


def test_one_switch_changes_every_section(power_page, opened):
    """The first metric is shown first; whatever is chosen is shown everywhere, and nothing else."""
    page = opened(power_page)
    assert shown(page) == everywhere("AP")
    switch = page.get_by_label("Metric", exact=True)
    assert switch.locator("option").all_inner_texts() == ["AP", "nDCG@10", "RR"]
    for metric in ("RR", "nDCG@10"):
        switch.select_option(metric)
        assert shown(page) == everywhere(metric)
    assert page.locator("summary:visible", has_text="The same for").count() == 0


def test_the_switch_is_in_sight_and_on_the_keyboard(power_page, opened):
    """From the middle of the page it can be seen and turned with the arrow keys, and the reader stays in place."""
    page = opened(power_page)
    page.locator("#scores").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#scores').scrollIntoView({ behavior: 'instant' })")
    page.get_by_label("Metric", exact=True).focus()
    before = page.locator("#scores h2").bounding_box()["y"]
    page.keyboard.press("ArrowDown")
    assert shown(page) == everywhere("nDCG@10")
    assert abs(page.locator("#scores h2").bounding_box()["y"] - before) < 2
    assert 0 <= page.get_by_label("Metric", exact=True).bounding_box()["y"] < 60


def test_paper_shows_what_is_chosen(power_page, opened):
    """The other metrics' figures are not printed."""
    page = opened(power_page)
    page.get_by_label("Metric", exact=True).select_option("RR")
    page.emulate_media(media="print")
    assert shown(page) == everywhere("RR")
    assert not page.get_by_label("Metric", exact=True).is_visible()
