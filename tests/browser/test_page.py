"""The page in a browser: whole without a script, on a telephone, in the dark and on paper."""

from urllib.parse import unquote

import pytest

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 24, 30)"


def text_of_pages(pdf):
    """Return the words of every page of a PDF."""
    reader = pytest.importorskip("pypdfium2", reason="PDFs are read with the extra browser")
    document = reader.PdfDocument(pdf)
    pages = [page.get_textpage().get_text_bounded() for page in document]
    document.close()
    return pages


def test_every_link_within_the_page_leads_somewhere(power_page, opened):
    """The contents lead to sections, and the one where the reader is stands out."""
    page = opened(power_page)
    hashes = page.eval_on_selector_all("a[href^='#']", "links => links.map(link => link.hash)")
    assert len(hashes) > 8
    assert all(page.locator(found).count() == 1 for found in hashes)
    page.get_by_role("navigation").get_by_role("link", name="Ranking of the systems").click()
    page.locator("[href='#systems'][aria-current]").wait_for()
    assert page.locator("#systems h2").is_visible()
    assert page.locator("#systems .wide .chart:visible").count() == 1


@pytest.mark.parametrize("way", ["address", "contents", "contents again"])
def test_a_link_opens_the_section_it_leads_to(power_page, opened, way):
    """Only what a terminal shows stands open at first; a link of the contents and an address open the rest."""
    page = opened(power_page, query="#map" if way == "address" else "")
    assert page.locator(".part[open]").count() == (way == "address")
    link = page.get_by_role("navigation").get_by_role("link", name="Pairwise significance")
    if way != "address":
        link.click()
    if way == "contents again":
        page.locator("#map .part > summary").click()
        link.click()
    page.locator("#map .part[open]").wait_for()
    assert page.locator("#map .wide .chart:visible").count() == 1
    assert 0 <= page.locator("#map h2").bounding_box()["y"] < 200


def test_on_paper_all_sections_are_open(power_page, opened):
    """Their figures and tables are printed, with a script and without; what is in folds inside them is not."""
    for script in (True, False):
        words = "\n".join(text_of_pages(opened(power_page, java_script_enabled=script).pdf(format="A4")))
        for said in ("Systems by mean AP", "Means over 30 topics", "What was done, in words that fit a paper"):
            assert said in words, said
        assert "@misc" not in words


def test_the_contents_are_a_closed_fold_on_a_telephone(power_page, opened):
    """They take no room before anybody asks for them; a wide window shows them."""
    page = opened(power_page, width=390)
    link = page.get_by_role("navigation").get_by_role("link", name="Methods")
    assert not link.is_visible()
    page.get_by_text("Contents", exact=True).click()
    assert link.is_visible()
    assert opened(power_page).get_by_role("navigation").get_by_role("link", name="Methods").is_visible()


def test_files_that_the_page_links_are_there(power_page, opened):
    """Every address that is no anchor and no DOI is a file beside the page."""
    page = opened(power_page)
    found = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
    files = [one for one in found if not one.startswith(("#", "https://doi.org/"))]
    assert len(files) > 10
    assert all((power_page.parent / unquote(one)).is_file() for one in files)


def test_without_a_script_everything_is_there(power_page, opened):
    """All metrics are in folds under the first one's figures, and no control stands there that does nothing."""
    page = opened(power_page, java_script_enabled=False)
    page.locator("#systems .part > summary").click()
    assert page.get_by_text("The same for nDCG@10").count() == 3
    assert page.locator("#systems .wide .chart").first.is_visible()
    assert page.locator("select, input, button").count() == 0
    assert page.get_by_role("columnheader", name="Metric").first.is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_on_a_telephone_nothing_sticks_out(power_page, opened, script):
    """At 390 px the page is no wider than the window, and no figure than the page."""
    page = opened(power_page, width=390, java_script_enabled=script)
    widths = page.locator(".chart").evaluate_all("charts => charts.map(chart => chart.getBoundingClientRect().right)")
    assert max(widths) <= 390
    assert page.locator("html").evaluate("page => page.scrollWidth") <= 390


def test_on_a_telephone_a_figure_can_be_enlarged(power_page, opened):
    """The wide form scrolls within its own frame then. A wide window needs no such button."""
    page = opened(power_page, width=390, unfolded=True)
    chart = page.locator("#systems .chart:visible")
    small = chart.bounding_box()["width"]
    page.locator("#systems").get_by_role("button", name="Enlarge").first.click()
    assert (small < 390, chart.bounding_box()["width"]) == (True, 730)
    assert page.locator("html").evaluate("page => page.scrollWidth") <= 390
    page.locator("#systems").get_by_role("button", name="Fit the width").click()
    assert chart.bounding_box()["width"] == small
    assert not opened(power_page, unfolded=True).get_by_role("button", name="Enlarge").first.is_visible()


def test_in_the_dark_the_page_and_its_figures_are_dark(power_page, opened):
    """Ground and ink change places, in figures too."""
    colours = {}
    for scheme in ("light", "dark"):
        page = opened(power_page, color_scheme=scheme)
        ground = page.locator("body").evaluate("one => getComputedStyle(one).backgroundColor")
        ink = page.locator("#systems .chart text").first.evaluate("one => getComputedStyle(one).fill")
        colours[scheme] = ground, ink
    assert (colours["light"][0], colours["dark"][0]) == (LIGHT, DARK)
    assert colours["light"][1] != colours["dark"][1]


def test_on_paper_heads_are_repeated_with_their_names(power_page, opened):
    """Folds stay closed, controls are left out, and a table that goes over pages has its head on each."""
    page = opened(power_page, unfolded=True)
    page.get_by_text("The numbers for AP").click()
    page.evaluate(
        "document.querySelector('#top table').tBodies[0].append(...Array.from({ length: 150 }, () => "
        "document.querySelector('#top tbody tr').cloneNode(true)))"
    )
    words = text_of_pages(page.pdf(format="A4"))
    assert len([one for one in words if "Yekutieli" in one and "Uncorrected" in one]) >= 3
    said = "\n".join(words)
    assert "The numbers for" not in said
    assert "Filter rows" not in said
    assert "Systems by mean AP" in said


def test_the_example_fits_twelve_pages(example_page, opened):
    """The whole report of the bundled example, as it is opened."""
    page = opened(example_page)
    assert 6 <= len(text_of_pages(page.pdf(format="A4"))) <= 12
    telephone = opened(example_page, width=390)
    assert telephone.locator("html").evaluate("page => page.scrollWidth") <= 390


def test_the_example_weighs_less_than_five_megabytes(example_page):
    """The page, and the whole folder, with everything but the draws of the model."""
    sizes = {path.name: path.stat().st_size for path in example_page.parent.rglob("*") if path.is_file()}
    assert "posterior.nc" not in sizes
    assert sum(sizes.values()) < 5_000_000


def test_what_is_to_be_copied_is_copied(power_page, opened):
    """The button puts the methods, and no word of its own, on the clipboard."""
    page = opened(power_page, unfolded=True, permissions=["clipboard-read", "clipboard-write"])
    quote = page.locator("#methods .quote").first
    quote.get_by_role("button", name="Copy").click()
    quote.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == quote.locator("p").inner_text()
