"""The switch of the page: one metric at a time, in every section, by mouse and keyboard, on paper too."""

SECTIONS = ("systems", "scores", "map")


def shown(page):
    """Return the metrics whose figures are to be seen, by section."""
    return {
        name: [
            one.get_attribute("data-name")
            for one in page.locator(f"#{name} .one").all()
            if one.locator(".wide .chart").is_visible()
        ]
        for name in SECTIONS
    }


def everywhere(metric):
    """Return what `shown` does where every section shows this metric alone."""
    return {name: [metric] for name in SECTIONS}


def test_one_switch_changes_every_section(power_page, opened):
    """The first metric is shown first; whatever is chosen is shown everywhere, and nothing else."""
    page = opened(power_page, unfolded=True)
    assert shown(page) == everywhere("AP")
    switch = page.get_by_label("Metric", exact=True)
    assert switch.locator("option").all_inner_texts() == ["AP", "nDCG@10", "RR"]
    for metric in ("RR", "nDCG@10"):
        switch.select_option(metric)
        assert shown(page) == everywhere(metric)
    assert page.locator("summary:visible", has_text="The same for").count() == 0


def test_the_switch_is_in_sight_and_on_the_keyboard(power_page, opened):
    """From the middle of the page it can be seen and turned with the arrow keys, and the reader stays in place."""
    page = opened(power_page, unfolded=True)
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
    page = opened(power_page, unfolded=True)
    page.get_by_label("Metric", exact=True).select_option("RR")
    page.emulate_media(media="print")
    assert shown(page) == everywhere("RR")
    assert not page.get_by_label("Metric", exact=True).is_visible()


def test_the_address_holds_the_metric(power_page, opened):
    """A reload, a copied address and a link to a section keep what was chosen; another metric takes its place."""
    page = opened(power_page, unfolded=True)
    switch = page.get_by_label("Metric", exact=True)
    switch.select_option("nDCG@10")
    page.get_by_role("navigation").get_by_role("link", name="Ranking of the systems").click()
    assert page.url.endswith("/index.html?metric=nDCG%4010#systems")
    page.reload()
    assert (switch.input_value(), shown(page)["systems"]) == ("nDCG@10", ["nDCG@10"])
    assert page.locator("#systems h2").bounding_box()["y"] < 200
    switch.select_option("RR")
    assert page.url.endswith("?metric=RR#systems")


def test_an_address_with_an_unknown_metric_shows_the_first(power_page, opened):
    """Old addresses lead to a page all the same."""
    page = opened(power_page, query="?metric=no+such")
    assert page.get_by_label("Metric", exact=True).input_value() == "AP"
