"""The pages of docs/ and README.md read well as plain Markdown, and every one is found from the first."""

import re
import unicodedata
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import metaeval
from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.needs import NEEDS
from metaeval.cli.commands import COMMANDS
from metaeval.metrics.builtin import BUILTIN

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
pytestmark = pytest.mark.usefixtures("checkout")
LANGUAGES = {"", "console", "python", "text", "sh", "json", "toml", "csv", "bibtex", "latex", "html", "xml"}


def _name(page):
    return page.relative_to(ROOT).as_posix()


def _tokens(page):
    return MarkdownIt().enable("table").parse(page.read_text("utf-8"))


def _links(page):
    """Yield (address, words, is a picture) of every link of a page."""
    for token in _tokens(page):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"]), "", False
            elif child.type == "image":
                yield str(child.attrs["src"]), child.content, True


def _anchors(page):
    """Yield the anchors that a forge makes of the headings of a page."""
    tokens = _tokens(page)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = "".join(
                child.content for child in tokens[place + 1].children if child.type in {"text", "code_inline"}
            )
            kept = [letter for letter in words.casefold() if letter in " -_" or unicodedata.category(letter)[0] in "LN"]
            yield "".join(kept).replace(" ", "-")


def test_nothing_stands_in_a_page_that_only_sphinx_reads():
    """No roles, no directives, no field lists: a forge and an editor would show them raw."""
    for page in PAGES:
        for token in _tokens(page):
            if token.type == "fence":
                assert token.info.partition(" ")[0] in LANGUAGES, f"{token.info} in line {token.map[0] + 1}"
                assert not token.content.startswith(":")
            for child in token.children or ():
                assert child.type != "text" or not re.search(r"\{[a-z:]+\}$|^:::", child.content), (
                    f"{page}: {child.content}"
                )


def test_questions_and_answers_are_few_and_short():
    """At most twenty, each answered in at most six lines with a link to the page that tells more."""
    _, *answers = re.split(r"^### ", (DOCS / "faq.md").read_text("utf-8"), flags=re.MULTILINE)
    assert 0 < len(answers) <= 20
    for answer in answers:
        question, _, text = re.sub(r"^## .*", "", answer, flags=re.MULTILINE).partition("\n")
        assert len(text.strip().splitlines()) <= 6, question
        assert re.search(r"\]\([^)]+\.md", text), question


def test_a_blank_line_of_an_output_is_blank():
    """The mark that doctest needs for one is no output; in blocks of the command line nothing needs it."""
    assert [_name(page) for page in PAGES if "<BLANKLINE>" in page.read_text("utf-8")] == []


def test_options_stand_as_code():
    """In words, the built site would join the two dashes of an option, and copied it would be refused."""
    for page in PAGES:
        for token in _tokens(page):
            for child in token.children or ():
                assert child.type != "text" or not re.search(r"(?<![\w-])--[a-z]", child.content), (
                    f"{page}: {child.content}"
                )


def test_links_and_pictures_lead_somewhere():
    """Every file is there, every anchor is a heading of its page, and every picture says what it shows."""
    for page in PAGES:
        for address, words, is_picture in _links(page):
            target, _, anchor = address.partition("#")
            if "://" in target:
                continue
            file = (page.parent / target).resolve() if target else page
            assert file.exists(), f"{page.name} points at {target}"
            assert not anchor or anchor in set(_anchors(file)), f"{page.name} points at {address}"
            assert not is_picture or words, f"the picture {target} in {page.name} has no words"


def test_what_comes_from_the_code_is_up_to_date(write_docs):
    """`python scripts/write_docs.py` has nothing to write."""
    for page in PAGES:
        text = page.read_text("utf-8")
        assert write_docs.write(text) == text, f"{page}: run python scripts/write_docs.py"


def test_help_leads_from_questions_to_functions(write_docs):
    """What `help(metaeval)` says first follows from the table of questions, whole and on one screen or two."""
    text = Path(metaeval.__file__).read_text("utf-8")
    assert write_docs.write_help(text) == text, "run python scripts/write_docs.py"
    assert metaeval.__doc__.count("\n") < 60
    assert all(need["asks"] in metaeval.__doc__ for name, need in NEEDS.items() if name not in {"report", "doctor"})


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "simulate"])
def test_every_option_is_described_once(write_docs, name):
    """On the page of its command, or on that of all commands; the former names all that the latter describes."""
    page, everywhere = (list(lines) for lines in (write_docs.options(name), write_docs.shared()))
    named = re.findall(r"`([^`]+)`", page[-1]) if page[-1].startswith("And ") else []
    for parameter in write_docs.parameters(name):
        assert (parameter in page) != (parameter in everywhere), parameter
        spelling = re.search(r"`([^\s`,]+)", parameter)[1]
        assert (parameter in everywhere) == (spelling in named), parameter


def test_every_metric_of_documents_has_its_formula():
    """A heading of its own on the page of metrics; those of elements and passages stand in its tables."""
    text = (DOCS / "metrics.md").read_text("utf-8")
    assert re.findall(r"^### (\w+)$", text, re.MULTILINE) == [
        spec.name for spec in BUILTIN.metrics.values() if spec.on == "documents" and not spec.subtopics
    ]
    assert all(f"| `{spec.usage}` |" in text for spec in BUILTIN.metrics.values())


def test_a_page_behind_the_code_is_written_anew(write_docs):
    """What stands between marks goes, what stands around them stays, and a mark that means nothing is an error."""
    write = write_docs.write
    page = "# A\n\n<!-- written: options doctor -->\nwhat stood there\n<!-- end -->\n\nafter\n"
    assert "what stood there" not in write(page)
    assert "`--quiet`" in write(page)
    assert write(page).startswith("# A\n")
    assert write(page).endswith("\n<!-- end -->\n\nafter\n")
    assert write(write(page)) == write(page)
    with pytest.raises(KeyError):
        write(page.replace("options doctor", "nothing doctor"))


def test_every_page_is_two_clicks_from_the_first():
    """From docs/index.md, by links of the pages alone, as on a forge where there is no table of contents."""
    reached, at = {(DOCS / "index.md").resolve()}, {(DOCS / "index.md").resolve()}
    for _click in range(2):
        at = {
            (page.parent / address.partition("#")[0]).resolve()
            for page in at
            for address, _, _ in _links(page)
            if "://" not in address and address.partition("#")[0].endswith(".md")
        }
        reached |= at
    missed = [_name(page) for page in DOCS.rglob("*.md") if page.resolve() not in reached]
    assert not missed, f"not found from docs/index.md by two clicks: {missed}"


def test_the_table_of_contents_names_every_page():
    """docs/_toc.yml has a line, or a pattern, for each."""
    text = (DOCS / "_toc.yml").read_text("utf-8")
    named = [*re.findall(r"^root: (\S+)$", text, re.MULTILINE), *re.findall(r"- (?:file|glob): (\S+)", text)]
    listed = {file.resolve() for pattern in named for file in DOCS.glob(f"{pattern}.md")}
    assert listed == {page.resolve() for page in DOCS.rglob("*.md")}


def test_what_a_page_cites_is_in_the_bibliography():
    """A link to a DOI leads to a publication of the bibliography, and names its authors and year as they are there."""
    for page in PAGES:
        known = {publication.doi: publication for publication in PUBLICATIONS.values() if publication.doi}
        for words, doi in re.findall(
            r"\[([^]]+)\]\(https://doi\.org/((?:[^()\s]|\([^()\s]*\))+)\)", page.read_text("utf-8")
        ):
            assert doi in known, f"{page.name} cites {doi}"
            publication = known[doi]
            by_authors = "{} ({})".format(*publication.cited.rsplit(", ", 1))
            assert words in {f"doi:{doi}", str(publication.year), publication.cited, by_authors}


def test_the_map_of_the_code_names_files_that_are_there():
    """Each file of docs/architecture.md, from the root, from the package, or by its name alone."""
    text, package = (DOCS / "architecture.md").read_text("utf-8"), ROOT / "metaeval"
    inside = {path.name for path in package.rglob("*") if path.suffix in {".py", ".pyi", ".toml", ".prose"}}
    named = set(re.findall(r"`([\w/]+(?:\.(?:py|pyi|toml|md|prose)|/))`", text))
    named = {name for name in named if not re.search(r"_X|NAME", name)}
    assert len(named) > 60
    there = {name for name in named if (package / name).exists() or (ROOT / name).exists() or name in inside}
    assert sorted(named - there) == []
