"""The built site: what a browser shows is whole, and every link of it leads somewhere."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.usefixtures("checkout")
UNREAD = {"code", "dt", "math", "pre", "script", "strong", "style"}  # dt, strong: "**options"


class _Page(HTMLParser):
    """The words, anchors, links and pictures of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.pictures, self.words, self._unread = {""}, [], [], [], 0
        self.everything = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors.add(found.get("id"))
        self.links += [found["href"]] if tag == "a" and found.get("href") else []
        self.pictures += [(found["src"][:60], found.get("alt"))] if tag == "img" else []
        self._unread += tag in UNREAD

    def handle_endtag(self, tag):
        self._unread -= tag in UNREAD

    def handle_data(self, data):
        self.everything.append(data)
        if not self._unread:
            self.words.append(data)


def _is_fresh(built, checkout):
    """Whether every page was built after all that it could be made from, as `make docs` on a clean checkout does."""
    sources = [checkout / "CHANGELOG.md", *(checkout / "scripts").glob("*.py"), *(checkout / "metaeval").rglob("*.py")]
    sources += (checkout / "examples" / "notebooks").iterdir()
    sources += [path for path in (checkout / "docs").rglob("*") if path.is_file() and built.parent not in path.parents]
    pages = [path.stat().st_mtime for path in built.rglob("*.html")]
    return bool(pages) and min(pages) > max(path.stat().st_mtime for path in sources if path.suffix != ".pyc")


@pytest.fixture(scope="module")
def site(checkout, tmp_path_factory):
    """Every page of the site by its path, built once."""
    built = checkout / "docs" / "_build" / "html"
    if not _is_fresh(built, checkout):
        built = _build(checkout, tmp_path_factory.mktemp("site").resolve())
    return {path: _Page(path.read_text("utf-8")) for path in built.rglob("*.html")}


def _build(checkout, folder):
    for needed in ("sphinx", "myst_parser", "furo", "sphinx_external_toc"):
        pytest.importorskip(needed, reason="the extra docs is not installed")
    made = checkout / "docs" / "_build" / "html"
    if (made / ".doctrees").is_dir():  # Sphinx renews what is older than its source
        shutil.copytree(made, folder, dirs_exist_ok=True)
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", checkout / "docs", folder],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(checkout)},
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_link_of_the_site_leads_somewhere(site):
    """To a file, and to a place in it."""
    for path, page in site.items():
        for link in page.links:
            address, _, anchor = link.partition("#")
            if re.match(r"\w+:", link):
                continue
            file = (path.parent / unquote(address)).resolve() if address else path
            assert file.exists(), f"{path.name} points at {link}"
            assert file not in site or unquote(anchor) in site[file].anchors, f"{path.name} points at {link}"


def test_every_picture_of_the_site_has_words(site):
    """Those of notebooks too."""
    assert not [(path.name, source) for path, page in site.items() for source, words in page.pictures if not words]


def test_nothing_of_the_site_shows_raw(site):
    """No role, directive, link or emphasis is left as it was written, and no option has lost a dash."""
    raw = re.compile(r"\{[a-z:]+\}`|:[a-z:]+:`|\]\(|``|:::|(?<!\w)\*\*\w|(?<![\w\u2013])\u2013[a-z]+")
    for path, page in site.items():
        found = raw.search("\n".join(page.words))
        assert not found, f"{path.name}: {found[0]}"


def test_the_reference_shows_every_docstring_and_attribute(site, write_docs):
    """The first paragraph of everything public is there, and so is what every field holds."""
    pages = [page for path, page in site.items() if path.parent.name == "reference"]
    shown = _letters("".join("".join(page.everything) for page in pages))
    for name, thing in write_docs.public_names().items():
        for words in (*_first_paragraphs(thing, write_docs), *_attributes(thing, write_docs)):
            assert _letters(words) in shown, f"{name}: {words}"


def _first_paragraphs(thing, write_docs):
    yield write_docs.described(thing).partition("\n\n")[0]
    for member in vars(thing).values() if inspect.isclass(thing) else ():
        if isinstance(member, property):
            yield (inspect.getdoc(member) or "").partition("\n\n")[0]


def _attributes(thing, write_docs):
    """Yield the names and the words of every field."""
    for names, _, words in write_docs.fields_of(thing) if inspect.isclass(thing) else ():
        yield from (names, words.partition("\n\n")[0])


def _letters(text):
    """Return the letters and digits of a text: quotation marks, dashes and spaces are set otherwise in a page."""
    return "".join(re.findall(r"\w+", re.sub(r":[a-z:]+:(?=`)", "", text)))
