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
    assert page.get_by_text("The same for nDCG@10").count() == 3
    assert page.locator("#systems .chart").first.is_visible()
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
    """Its words are then as large as elsewhere; it scrolls within its own frame. A wide window needs no such button."""
    page = opened(power_page, width=390)
    chart = page.locator("#systems .chart:visible")
    small = chart.bounding_box()["width"]
    page.locator("#systems").get_by_role("button", name="Enlarge").first.click()
    assert (small < 390, chart.bounding_box()["width"]) == (True, 730)
    assert page.locator("html").evaluate("page => page.scrollWidth") <= 390
    page.locator("#systems").get_by_role("button", name="Fit the width").click()
    assert chart.bounding_box()["width"] == small
    assert not opened(power_page).get_by_role("button", name="Enlarge").first.is_visible()


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
    page = opened(power_page)
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
    page = opened(power_page, permissions=["clipboard-read", "clipboard-write"])
    quote = page.locator("#methods .quote").first
    quote.get_by_role("button", name="Copy").click()
    quote.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == quote.locator("p").inner_text()
