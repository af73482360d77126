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
}
"""Lines that show more than the quickest of a command."""
CUT_OFF = """() => [...document.querySelectorAll("svg")].flatMap(svg => {
    const around = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter(text => {
        const own = text.getBoundingClientRect();
        return around.width && own.width && (own.left < around.left - 2 || own.right > around.right + 2
            || own.top < around.top - 2 || own.bottom > around.bottom + 2);
    }).map(text => text.textContent);
})"""
"""Words of figures that stand outside them, where they are not seen."""


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


@pytest.mark.parametrize("name", _lines())
def test_the_page_of_a_command(world, opened, name):
    """Nothing is wider than the window, no word of a figure is cut off, paper holds it, and dark is dark."""
    words = shlex.split(_lines()[name].replace(" --out NEW", ""))
    out = world / f"page-{name}"
    done = subprocess.run(
        [sys.executable, "-m", "metaeval", name, *words, "--out", out, "--quiet"], cwd=world, check=False
    )
    assert done.returncode == 0
    index = out / "index.html"
    for width, scheme in ((1280, "light"), (390, "light"), (1280, "dark")):
        page = opened(index, width=width, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_OFF) == []
        red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")[
            :3
        ]
        assert (max(red, green, blue) < 80) == (scheme == "dark")
    pypdfium2 = pytest.importorskip("pypdfium2")
    printed = pypdfium2.PdfDocument(opened(index).pdf(format="A4"))
    assert len(printed) <= 12
    assert "metaeval" in printed[0].get_textpage().get_text_range().casefold()
