"""Notebooks show what they keep, and the documentation shows them."""

import importlib.util
import json
import re
import shutil
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("checkout")
FOLDER = ROOT / "examples" / "notebooks"
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?(?: %)?")
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def run():
    """Return what runs a notebook in its place in a copy of the examples (scripts/run_notebooks.py)."""
    for name in ("nbclient", "ipykernel", "nbformat"):
        pytest.importorskip(name)
    path = ROOT / "scripts" / "run_notebooks.py"
    spec = importlib.util.spec_from_file_location("run_notebooks", path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JUPYTER_PLATFORM_DIRS", "1")  # or it warns
        patched.setenv("PYTHONPATH", str(ROOT))
        spec.loader.exec_module(module)
        with module.running() as client:
            yield partial(module.run, client=client)


@pytest.fixture
def examples(tmp_path):
    """Return a copy of the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path / "examples"


def _answers(book):
    """Return what the cells show: words of tables, and which kinds of outputs there are."""
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            for one in cell["outputs"]:
                data = {kind: "".join(words) for kind, words in one["data"].items()}
                words = re.sub(r"base64,[^\"]+", "", data.get("text/html", data["text/plain"]))
                yield one["output_type"], sorted(data), words


def _kept(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))


def _differences(shown, kept):
    """Return where two texts differ: in words, in counts, or in figures by more than one in the last digit.

    A figure is the same on every processor to twelve digits, so that only one that stands on the edge of two printed
    values can be printed as either.
    """
    if FIGURE.sub("#", shown) != FIGURE.sub("#", kept):
        return [(shown, kept)]
    pairs = zip(FIGURE.findall(shown), FIGURE.findall(kept), strict=True)
    return [(one, other) for one, other in pairs if one != other and not _next_to(one, other)]


def _next_to(one, other):
    """Whether two printed figures have as many digits and are one apart in the last."""
    digits = [text.removesuffix(" %").replace(",", "").partition(".")[2] for text in (one, other)]
    if len(digits[0]) != len(digits[1]) or not (digits[0] or one.endswith(" %")):
        return False
    apart = Decimal(one.removesuffix(" %").replace(",", "")) - Decimal(other.removesuffix(" %").replace(",", ""))
    return abs(apart) == Decimal(1).scaleb(-len(digits[0]))


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_what_it_keeps(name, run, examples):
    """Run anew it shows the same words and values in the same cells, pictures aside, and writes its report."""
    shown, kept = list(_answers(run(name, examples))), list(_answers(_kept(name)))
    assert [one[:2] for one in shown] == [one[:2] for one in kept]
    assert [_differences(one[2], other[2]) for one, other in zip(shown, kept, strict=True)] == [[]] * len(kept)
    assert [path.name for path in (examples / "notebooks").glob("*-report/index.html")] == ["index.html"]


@pytest.mark.parametrize(
    ("shown", "kept", "same"),
    [
        ("p = 0.125, 12 systems", "p = 0.126, 12 systems", True),
        ("17 % of 1,204.5", "18 % of 1,204.6", True),
        ("p = 0.125", "p = 0.127", False),
        ("p = 0.13", "p = 0.125", False),
        ("12 systems", "13 systems", False),
        ("1.5 of AP", "1.5 of RR", False),
        ("1.5 of AP", "1.5 of AP, 2", False),
    ],
)
def test_notebooks_are_compared_by_value(shown, kept, same):
    """One in the last digit of a figure is no difference; a count, a word, a digit more is one."""
    assert (_differences(shown, kept) == []) is same


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_as_it_was_run(name):
    """No cell ended in an error or a warning, none shows a place on a machine, and its size is small."""
    book = _kept(name)
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [place + 1 for place in range(len(cells))]
    kinds = {one["output_type"] for cell in cells for one in cell["outputs"]}
    assert kinds <= {"execute_result", "display_data"}
    assert "/home/" not in json.dumps(book)
    assert (FOLDER / f"{name}.ipynb").stat().st_size < 300_000
    assert sum('class="metaeval"' in words for _, _, words in _answers(book)) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_the_documentation_shows_every_notebook(name):
    """It has a page with the same title."""
    title = "".join(_kept(name)["cells"][0]["source"]).split("\n")[0]
    page = (ROOT / "docs" / "notebooks" / f"{name}.md").read_text("utf-8")
    assert page.startswith(f"{title}\n")
    assert f"](../../examples/notebooks/{name}.ipynb)" in page  # the built page shows it whole


def test_every_page_is_that_of_a_notebook():
    """No page is left of a notebook that went, and there is one for each of the great questions."""
    assert sorted(path.stem for path in (ROOT / "docs" / "notebooks").glob("*.md")) == NAMES
    guides = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert len(NAMES) >= 8
    assert {*NAMES} - {"may-we-stop"} <= guides  # named as the page that answers the question, or as its command
