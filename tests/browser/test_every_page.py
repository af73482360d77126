"""The page of every command in a browser: wide, on a telephone, dark, and on paper."""

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("checkout")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "nonsense_commands.py"
SPEC = importlib.util.spec_from_file_location("nonsense_commands", SCRIPT)
RICHER = {
    "judges": "ann=made/qrels.txt ben=second.txt --reference ann --runs made/runs --resamples 20 --metrics AP,nDCG@5",
    "power": "scores.csv other.csv --test t --interval-resamples 20 --rope 0.1",
    "assessment": "inex/assessments --runs inex/submissions",
    "design": "scores.csv --difference 0.05,0.1,0.2",
    "compare-metrics": "made/runs --qrels made/qrels.txt --metrics AP,P@10 --resamples 40 --interval-resamples 2",
}
"""Lines that show more than the quickest of a command."""
COLLECTION = "simulated/collection/runs --qrels simulated/collection/qrels.txt.gz"
EXAMPLES = {
    "report": f"{COLLECTION} --groups simulated/collection/groups.csv",
    "leaderboard": "mteb/main_score.csv",
    "topics": "simulated/scores.csv.gz",
    "judgments": COLLECTION,
}
"""Commands on the examples, whose pages are as long as those of users."""
WIDE, TELEPHONE = 1280, 390
FIRST_FIGURE = {WIDE: 1000, TELEPHONE: 1500}
"""Pixels above the first figure at most, at each width of the window."""
MOST_WORDS = 800
"""That stand open on a page at most."""
LEAST_LETTERS = 11
"""Pixels of the letters of figures on a telephone at least."""
SHADES = ({"width": WIDE}, {"width": TELEPHONE}, {"width": WIDE, "color_scheme": "dark"})
CUT_OFF = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const around = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter(text => {
        const own = text.getBoundingClientRect();
        return around.width && own.width && (own.left < around.left - 2 || own.right > around.right + 2
            || own.top < around.top - 2 || own.bottom > around.bottom + 2);
    }).map(text => text.textContent);
})"""
"""Words of figures that stand outside them, where they are not seen."""
LETTERS = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    if (!svg.getBoundingClientRect().width) return [];
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll("text")].map(text => [parseFloat(getComputedStyle(text).fontSize) * scale,
        text.textContent, svg.querySelector("title").textContent]);
})"""
"""Sizes of the letters of the figures that are shown, in pixels, with their words and their figure."""
FIGURES_AT = """kind => [...document.querySelectorAll(`main section:not(.summary) figure${kind}`)]
    .filter(figure => figure.checkVisibility() && figure.getBoundingClientRect().height)
    .map(figure => figure.getBoundingClientRect().top + scrollY)"""
"""Where the figures, or the tables, of one kind begin that stand open below the summary."""
WORDS = """() => {
    const count = text => text.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length;
    const labels = [...document.querySelectorAll("svg text")].filter(one => one.checkVisibility());
    return count(document.body.innerText) - count(labels.map(one => one.textContent).join(" "));
}"""
"""How many words and numbers stand open, without the labels of figures, of which there are as many as systems."""


def _script():
    script = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(script)
    return script


def _lines():
    if not SCRIPT.exists():  # the tests lie alone
        return {}
    return {name: line for name, line in {**_script().FAST, **RICHER}.items() if not name.startswith("simulate")}


@pytest.fixture(scope="session")
def world(browser, checkout, tmp_path_factory):  # noqa: ARG001 - nothing is made where there is none
    """Make the inputs of every command."""
    folder = tmp_path_factory.mktemp("every-page")
    _script().make_world(folder)
    lines = [line.split() for line in (folder / "made" / "qrels.txt").read_text().splitlines()]
    other = [" ".join([*line[:3], "0" if number % 7 == 0 else line[3]]) for number, line in enumerate(lines)]
    (folder / "second.txt").write_text("\n".join(other) + "\n")
    return folder


@pytest.fixture(scope="session", params=[*_lines(), *(f"example {name}" for name in EXAMPLES)])
def index(request, world, checkout):
    """Write the page of a command."""
    example, name = request.param.startswith("example "), request.param.removeprefix("example ")
    words = shlex.split(EXAMPLES[name] if example else _lines()[name].replace(" --out NEW", ""))
    out = world / f"page-{request.param}"
    place = checkout / "examples" if example else world
    command = [sys.executable, "-m", "metaeval", name, *words, "--out", out, "--quiet"]
    subprocess.run(command, cwd=place, check=True)
    return out / "index.html"


def test_the_page_of_a_command(index, opened):
    """Nothing is wider than the window, no word of a figure is cut off, paper holds it, and dark is dark."""
    for shade in SHADES:
        page = opened(index, unfolded=True, **shade)
        assert page.evaluate("document.documentElement.scrollWidth") <= shade["width"]
        assert page.evaluate(CUT_OFF) == []
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (max(ground[:3]) < 80) == ("color_scheme" in shade)
    pypdfium2 = pytest.importorskip("pypdfium2")
    printed = pypdfium2.PdfDocument(opened(index).pdf(format="A4"))
    assert len(printed) <= 12
    assert "metaeval" in printed[0].get_textpage().get_text_range().casefold()


def test_letters_of_figures_can_be_read_on_a_telephone(index, opened):
    """Their narrow form has letters of the size of small print, in sections that are opened too."""
    letters = opened(index, width=TELEPHONE, unfolded=True).evaluate(LETTERS)
    assert [one for one in letters if one[0] < LEAST_LETTERS] == []


@pytest.mark.parametrize("width", FIRST_FIGURE)
def test_the_first_figure_stands_near_the_top(index, opened, width):
    """A reader sees what a page is about before much scrolling: a figure or, where all are folded, a table."""
    page = opened(index, width=width)
    shown = page.evaluate(FIGURES_AT, ":has(.chart)") or page.evaluate(FIGURES_AT, ":has(table)")
    assert min(shown, default=0) <= FIRST_FIGURE[width]


def test_few_words_stand_open(index, opened):
    """The rest is in folds."""
    assert opened(index).evaluate(WORDS) <= MOST_WORDS


@pytest.mark.parametrize("media", ["light", "dark", "print"])
@pytest.mark.parametrize("width", [WIDE, TELEPHONE])
def test_the_page_is_accessible(index, opened, media, width):
    """axe-core finds nothing to complain of, with all sections and folds open."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pages are judged with the extra browser")
    page = opened(index, width=width, unfolded=True, color_scheme="dark" if media == "dark" else "light")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.emulate_media(media="print" if media == "print" else "screen")
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200], len(one["nodes"])) for one in found] == []
