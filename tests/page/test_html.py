import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base.provenance import Provenance
from metaeval.page.blocks import Choice, Fold, Item, Items, Methods, Section, Text
from metaeval.page.html import _relative, file_stems, inline_svg, render_page, table_html
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table
from metaeval.questions.power.page import power_report

VOID = {"meta", "link", "br", "img", "input", "hr", "col", "use", "path", "image", "rect", "wbr"}


class Outline(HTMLParser):
    """What a page consists of, as data."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.tags, self.open = [], [], [], []
        self.sections, self.leads, self.tables, self.text, self.scripts = [], [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        """Note ids, addresses and sections, and open tables, rows and cells."""
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("href", "src", "xlink:href"):
            if name in attributes:
                self.links.append((tag, attributes[name]))
        if tag == "section":
            self.sections.append(attributes["id"])
        if tag == "p" and attributes.get("class") == "lead":
            self.leads.append("")
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        """Take an element that closes itself."""
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        """Close the element that was opened last, and no other."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep what is read: scripts apart, cells in their place."""
        if "script" in self.open:
            self.scripts.append(data)
            return
        self.text.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        if self.leads and self.open[-1:] == ["p"] and not self.leads[-1]:
            self.leads[-1] = data


@pytest.fixture(scope="module")
def page(study):
    return replace(power_report(study, top=3), warnings=("Careful: <b>few</b> topics.",))


@pytest.fixture(scope="module")
def outline(page):
    return Outline(render_page(page))


def small_page(*blocks):
    """Return a page of one section."""
    section = Section(id="one", title="One", lead="It shows one thing.", blocks=blocks)
    return Report(
        command="c",
        title="T",
        facts=(("1", "thing"),),
        summary=("S.",),
        sections=(section,),
        methods=Methods(paragraphs=("It was done.",)),
        rows=pd.DataFrame(),
        provenance=Provenance(command="c", options={"seed": 0}),
    )


def test_every_section_is_there_and_says_what_it_shows(page, outline):
    """The sections stand in order, with the sentences that some have, and the contents lead to each."""
    wanted = ["summary", *(section.id for section in page.all_sections())]
    assert outline.sections == wanted
    assert len(outline.leads) == len([section for section in page.all_sections() if section.lead])
    assert all(len(lead) > 30 for lead in outline.leads)
    assert [href for tag, href in outline.links if tag == "a" and href.startswith("#")][1:] == [
        f"#{name}" for name in wanted
    ]
    assert {
        "power",
        "differences",
        "asl",
        "systems",
        "scores",
        "map",
        "top",
        "identical",
        "methods",
        "notes",
        "provenance",
    } <= set(wanted)


def test_a_section_stands_open_where_a_terminal_shows_it(page, outline):
    """Every other one is a fold whose heading is in its summary, methods, notes and provenance too."""
    folded = [section.id for section in page.all_sections() if not section.brief]
    assert [one for _, one in outline.tags if one.get("class") == "part"] == [{"class": "part"}] * len(folded)
    assert {"methods", "notes", "provenance"} <= set(folded)
    html = render_page(page, drawings={picture.name: () for picture in page.pictures()})
    for section in page.all_sections():
        heading = re.search(rf'<section id="{section.id}">\s*(<details|<h2>)', html)[1]
        assert (heading == "<h2>") == section.brief


def test_a_heading_without_words_is_no_heading():
    """An empty head is a plain cell, for those who hear the table; above headings too."""
    columns = Column(name="a", label=""), Column(name="b", label="B", group="Group")
    table = Table(name="t", title="T", caption="C.", frame=pd.DataFrame({"a": [1], "b": [2]}), columns=columns)
    for html in (render_page(small_page(table)), table_html(table)):
        assert not re.search(r"<th\b[^>]*></th>", html)
        assert len(Outline(html).tables[0][1]) == 2


def test_the_page_is_well_formed_and_ids_are_unique(outline):
    """Every tag is closed in order, and no id appears twice, with pictures of several metrics on one page."""
    assert outline.open == []
    assert len(set(outline.ids)) == len(outline.ids)


def test_the_page_loads_nothing(outline):
    """No address is fetched: only anchors, DOIs to follow and pictures held inside."""
    for tag, address in outline.links:
        inside = address.startswith(("#", "data:image/png;base64,"))
        assert inside or (tag == "a" and address.startswith("https://doi.org/10.")), address
    assert not [attributes for tag, attributes in outline.tags if tag in ("link", "iframe", "object", "embed")]


def test_only_the_pages_own_script_may_run(outline):
    """The content security policy names the hash of the one script, so nothing slipped in could run."""
    (script,) = outline.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policies = [attributes["content"] for tag, attributes in outline.tags if attributes.get("http-equiv")]
    assert f"script-src 'sha256-{digest}'" in policies[0]
    assert policies[0].startswith("default-src 'none'")


def test_hostile_names_are_text_and_nothing_else(scores, outline):
    """Names with tags, quotes, ampersands and emoji appear as they are, and no tag comes of them."""
    said = "".join(outline.text)
    for name in [*scores["system"].to_numpy(), *scores["metric"].to_numpy(), "Careful: <b>few</b> topics."]:
        assert str(name) in said, name
    assert len([tag for tag, _ in outline.tags if tag == "script"]) == 1
    cells = {cell for table in outline.tables for row in table for cell in row}
    assert set(map(str, scores["system"].to_numpy())) <= cells


def test_every_picture_is_described(page, outline):
    """Both forms of a picture are images with a title and a description for those who cannot see them."""
    charts = [attributes for tag, attributes in outline.tags if attributes.get("class") == "chart"]
    assert len(charts) == 2 * len(page.pictures())
    for chart in charts:
        assert chart["role"] == "img"
        assert set(chart["aria-labelledby"].split()) <= set(outline.ids)
    assert all(picture.alt and picture.caption and picture.title for picture in page.pictures())


def test_a_section_is_added_by_one_function():
    """A later study needs nothing but a Section: words, lists, tables and folds show up as they are."""
    table = Table(
        name="t",
        title="Levels",
        caption="C.",
        frame=pd.DataFrame({"level": ["a<b"]}),
        columns=(Column(name="level", label="L & l"),),
    )
    blocks = (
        Text(paragraphs=("Words & more.",)),
        Items(items=(Item(term="AP", words="average precision", link="https://doi.org/10.1/x"),)),
        Fold(title="More <i>", blocks=(table, Text(paragraphs=("Deep.",), look="note"))),
    )
    page = small_page(*blocks)
    outline = Outline(render_page(page))
    said = "".join(outline.text)
    assert outline.tables[0] == [["L & l"], ["a<b"]]
    assert page.tables()[0] is table
    for words in ("Words & more.", "average precision", "doi.org/10.1/x", "More <i>", "Deep.", "It shows one thing."):
        assert words in said


def test_what_the_data_are_stands_under_the_title():
    """A description is text under the title and in the head of the page; without one there is no empty line."""
    words = 'Runs & <b>judgments</b> of "our" lab.'
    html = render_page(replace(small_page(), description=words))
    outline = Outline(html)
    assert words in outline.text
    assert [one["content"] for tag, one in outline.tags if tag == "meta" and one.get("name") == "description"] == [
        words
    ]
    assert html.index("<h1>") < html.index('class="about"') < html.index('class="facts"')
    assert 'class="about"' not in render_page(small_page())


def test_code_is_kept_letter_by_letter():
    """Lines and blanks stay, nothing is markup, and what looks like a number keeps its plain blank."""
    words = "a <b> 5 %\n  c"
    outline = Outline(render_page(small_page(Text(paragraphs=(words,), look="code"))))
    assert words in outline.text


def test_of_a_choice_the_first_stands_open_and_the_others_in_folds():
    """A page without its script shows one and offers the others; its script finds them by name and kind."""
    parts = tuple((Text(paragraphs=(f"About {name}.",)),) for name in ("<A>", "B", "C"))
    outline = Outline(render_page(small_page(Choice(names=("<A>", "B", "C"), parts=parts))))
    found = [(tag, one["data-name"]) for tag, one in outline.tags if "data-name" in one]
    assert found == [("div", "<A>"), ("details", "B"), ("details", "C")]
    assert [one["data-what"] for _, one in outline.tags if "data-what" in one] == ["metric"]
    assert outline.open == []
    for words in ("About <A>.", "The same for B", "About B.", "The same for C", "About C."):
        assert words in outline.text


def test_what_can_be_pointed_at_comes_with_its_picture(page, outline, study):
    """Every picture that has marks holds them as JSON, in which the names are those of the data, however hostile."""
    held = [json.loads(one["data-marks"]) for tag, one in outline.tags if one.get("class") == "canvas wide"]
    assert len(held) == len(page.pictures())
    pairs = next(group for groups in held for group in groups if group["kind"] == "pair")
    assert set(pairs["names"]) == set(map(str, study.scores["system"].to_numpy()))


def test_files_are_linked_by_their_safe_names():
    """With stems the page links to the table's files; without, to none."""
    table = Table(
        name="../x y", title="T", caption="C.", frame=pd.DataFrame({"a": [1]}), columns=(Column(name="a", label="A"),)
    )
    linked = Outline(render_page(small_page(table), stems=file_stems(["../x y"])))
    assert ("a", "tables/_x_y.csv") in linked.links
    assert not [href for _, href in Outline(render_page(small_page(table))).links if "tables" in href]


@given(st.lists(st.text(max_size=90), max_size=8))
def test_file_names_are_safe_and_different(names):
    """Whatever the names: each gets one of its own, plain, not hidden, not too long, whatever the case."""
    stems = file_stems(names)
    assert set(stems) == set(names)
    assert len({stem.casefold() for stem in stems.values()}) == len(stems)
    for stem in stems.values():
        assert re.fullmatch(r"[A-Za-z0-9@=+()_-][A-Za-z0-9.@=+()_-]{0,85}", stem)
        assert not stem.endswith(".")


@pytest.mark.parametrize("name", ["CON", "nul.txt", "..", "../../etc", "/abs", "C:\\x", "a/b", ".hidden", ""])
def test_no_name_leads_out_of_the_folder(name):
    """Paths, hidden names and the reserved names of Windows lose their power."""
    stem = file_stems([name])[name]
    assert not stem.startswith(".")
    assert not {"/", "\\", ":"} & set(stem)
    assert stem.split(".")[0].casefold() not in ("con", "nul")


def test_only_tags_are_tidied_in_a_picture():
    """Text that looks like attributes, colours or coordinates is left as it is."""
    svg = (
        '<?xml version="1.0"?><svg width="72pt" height="36pt" viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">'
        '<metadata>x</metadata><g id="axes_1"><path d="M 1 2 L 3 4" style="stroke: #1f2a37"/>'
        '<text style="fill: #1f2a37"> d="1.23456" fill: #1f2a37; &lt;b&gt;</text></g></svg>'
    )
    shown = inline_svg(svg, key="k", title="A < B", alt='"alt"')
    assert 'd="m1 2l2 2" style="stroke: var(--ink)"' in shown
    assert '> d="1.23456" fill: #1f2a37; &lt;b&gt;</text>' in shown
    assert "A &lt; B" in shown
    assert "axes_1" not in shown
    assert "metadata" not in shown


@pytest.mark.parametrize(("n_rows", "marks"), [(12, set()), (13, {"data-long"})])
def test_only_long_tables_are_cut(n_rows, marks):
    """A dozen rows stand there whole; the script shows the first of more, with a filter. The page holds all."""
    frame = pd.DataFrame({"a": range(n_rows)})
    table = Table(name="t", title="T", caption="C.", frame=frame, columns=(Column(name="a", label="A"),))
    outline = Outline(render_page(small_page(table)))
    assert [set(attributes) for tag, attributes in outline.tags if tag == "table"][:1] == [marks]
    assert len(outline.tables[0]) == n_rows + 1


@pytest.mark.parametrize(("n_rows", "stacked", "folded"), [(6, False, False), (7, False, True), (4, True, True)])
def test_long_key_figures_are_folded(n_rows, stacked, folded):
    """Where they have more than six lines, two a row with something under a value, the first figure moves up."""
    columns = (Column(name="a", label="A"), Column(name="b", label="B", under=stacked))
    frame = pd.DataFrame({"a": range(n_rows), "b": range(n_rows)})
    figures = Table(name="key_figures", title="Key figures", caption="", frame=frame, columns=columns)
    summary = render_page(replace(small_page(), key_figures=figures)).partition("</section>")[0]
    assert ("<summary>Key figures</summary>" in summary) == folded
    assert summary.count('<div class="answer">') == 1


def test_what_stands_under_a_value_shares_its_cell():
    """The value under another is in the same cell, and the cell is sorted by the upper one."""
    columns = Column(name="a", label="Share"), Column(name="b", label="Interval", under=True)
    table = Table(name="t", title="T", caption="C.", frame=pd.DataFrame({"a": [0.5], "b": ["0 to 1"]}), columns=columns)
    html = render_page(small_page(table))
    assert '<th scope="col">Share<small>Interval</small></th>' in html
    assert '<td class="short" data-sort="0.5">0.5<small>0 to 1</small></td>' in html


def test_a_heading_may_break_before_its_arguments():
    """A metric with arguments does not force its column wide."""
    table = Table(
        name="t",
        title="T",
        caption="C.",
        frame=pd.DataFrame({"a": [1]}),
        columns=(Column(name="a", label="nxCG(quant=<b>)", align="right"),),
    )
    assert '<th scope="col" class="r">nxCG<wbr>(quant=&lt;b&gt;)</th>' in render_page(small_page(table))


def test_what_a_row_is_about_stays_while_it_is_scrolled_and_may_break():
    """The first cell of a row, no other, breaks before its arguments; the style keeps it in place at every width."""
    frame = pd.DataFrame({"a": ["nxCG(quant=<b>)"], "b": ["AP(rel=2)"]})
    table = Table(
        name="t",
        title="T",
        caption="C.",
        frame=frame,
        columns=(Column(name="a", label="A"), Column(name="b", label="B")),
    )
    html = render_page(small_page(table))
    assert '<td class="short">nxCG<wbr>(quant=&lt;b&gt;)</td><td class="short">AP(rel=2)</td>' in html
    style = html[: html.index("</style>")]
    assert (
        ":where(td, thead tr:last-child th):first-child { position: sticky; left: 0;"
        in style.partition("@media (max-")[0]
    )


@given(st.lists(st.tuples(st.sampled_from("ML"), *[st.integers(-99999, 99999)] * 2), min_size=1, max_size=30))
def test_the_steps_of_a_path_lead_to_its_places(places):
    """Written relative, a path goes through the same hundredths of a point; no error adds up."""
    path = " ".join(f"{command} {x / 100:g} {y / 100:g}" for command, x, y in places)
    steps = re.findall(r"([ml ])(-?[\d.]+) (-?[\d.]+)", _relative(path))
    assert len(steps) == len(places)
    x = y = 0
    for (letter, dx, dy), (command, *place) in zip(steps, places, strict=True):
        x, y = x + round(100 * float(dx)), y + round(100 * float(dy))
        assert [x, y] == place
        assert letter in {command.lower(), " "}
    assert _relative("M 0 0 C 1 2 3 4 5 6 z") == "M 0 0 C 1 2 3 4 5 6 z"


def test_a_style_of_many_parts_of_figures_is_written_once(page):
    """Its rule stands in the style of the page, and the parts have its class; text that looks like a style stays."""
    html = render_page(page)
    rules = dict(re.findall(r"^\.chart \.(s\d+) { (.*) }$", html, flags=re.MULTILINE))
    assert rules
    for name, style in rules.items():
        assert len(re.findall(rf' class="{name}"', html)) >= 12
        assert f' style="{style}"' not in html
