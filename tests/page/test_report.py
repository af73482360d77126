"""A report as data: what it must hold, what it ends with, what another study adds, and how it is shown."""

import io
import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from rich.console import Console

from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.provenance import Provenance
from metaeval.base.words import text
from metaeval.page.blocks import Choice, Fold, Item, Items, Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Column, Steps, Table, left, right
from metaeval.page.terminal import show_report
from metaeval.questions.power.page import power_report
from metaeval.questions.power.study import study_power

PAPER = "holm1979"
METHODS = Methods(paragraphs=("We counted.",), cite=(PAPER,))


def small_table(name="t", n_rows=2):
    """Return a table of names and numbers."""
    frame = pd.DataFrame({"who": [f"[b]run {number}[/b]" for number in range(n_rows)], "value": range(n_rows)})
    columns = Column(name="who", label="Who"), Column(name="value", label="Value", align="right", group="Counted")
    return Table(name=name, title="Counts", caption="What was counted.", frame=frame, columns=columns)


def small_report(**changes):
    """Return a report of one brief section and one that is not."""
    sections = (
        Section(
            id="counts",
            title="Counts",
            lead="What was counted.",
            blocks=(small_table(), Fold(title="More", blocks=(small_table("folded"),))),
            brief=True,
        ),
        Section(id="rest", title="Rest", lead="What is left.", blocks=(small_table("rest"),)),
    )
    given = {
        "command": "count",
        "title": "How many?",
        "facts": (("2", "runs"),),
        "summary": ("Two of two.",),
        "sections": sections,
        "methods": METHODS,
        "rows": pd.DataFrame({"who": ["a"], "value": [float("nan")]}),
        "provenance": Provenance(command="count", options={"seed": 0}),
    }
    return Report(**(given | changes))


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Text(paragraphs="one string"),
        lambda: Items(items=[Item(words="a list")]),
        lambda: Section(id="a", title="A", lead="L.", blocks="words"),
        lambda: small_report(summary="One string."),
        lambda: small_report(notes="One string."),
        lambda: small_report(title=""),
        lambda: Methods(paragraphs="We counted."),
        lambda: Methods(paragraphs=()),
        lambda: Methods(paragraphs=(" ",)),
        lambda: Methods(paragraphs=("We counted.", "t test, B = 10")),
    ],
    ids=[
        "text",
        "items",
        "section",
        "summary",
        "notes",
        "title",
        "methods",
        "no methods",
        "blank methods",
        "notes of methods",
    ],
)
def test_a_bare_string_is_no_statement_and_methods_are_never_left_out(broken):
    """What would be read letter by letter, or leave a page without methods, cannot be built."""
    with pytest.raises(TypeError, match=r"is a tuple|without methods|needs a title|are sentences"):
        broken()


def test_every_report_ends_with_methods_notes_and_provenance():
    """Notes are a list, warnings stand out before them, and publications are listed with their addresses."""
    report = small_report(notes=("One run was dropped.",), warnings=("Few topics.",))
    assert [section.id for section in report.all_sections()] == ["counts", "rest", "methods", "notes", "provenance"]
    methods, notes, _ = report.all_sections()[-3:]
    assert methods.blocks[0].paragraphs == ("We counted.",)
    assert methods.blocks[1].items == (Item(words=PUBLICATIONS[PAPER].full, link=PUBLICATIONS[PAPER].address),)
    assert notes.blocks[0].look == "note"
    assert notes.blocks[1].items == (Item(words="One run was dropped."),)


def test_a_section_without_content_is_left_out():
    """Where there are no notes and no warnings, no section says so; nor has a study's own section an empty one."""
    empty = Section(id="empty", title="Nothing", lead="It shows nothing.", blocks=())
    report = replace(small_report(), sections=(*small_report().sections, empty))
    assert [section.id for section in report.all_sections()] == ["counts", "rest", "methods", "provenance"]


def test_the_provenance_holds_options_inputs_and_versions():
    """Every option that was set and every version has a row, versions before options; checksums stand in a fold."""
    record = Provenance(
        command="metaeval report",
        options={"seed": 0, "groups": None},
        inputs={"ap.csv": "abc"},
        versions={"python": "3.12.1"} | {f"package{number}": "1" for number in range(10)},
    )
    table, fold = small_report(provenance=record).all_sections()[-1].blocks
    rows = dict(zip(table.frame["what"], table.frame["value"], strict=True))
    assert rows["Option seed"] == "0"
    assert fold.blocks[0].frame.to_numpy().tolist() == [["SHA-256 of ap.csv", "abc"]]
    assert len(table.data) == len(table.frame) + 1  # the CSV holds all of it
    assert rows["Version of python"] == "3.12.1"
    assert "Option groups" not in rows
    assert [what.split(" ")[0] for what in rows] == ["Command", *["Version"] * 11, "Option"]


def test_the_command_stands_by_itself_to_be_copied():
    """What was typed is text for a shell above the table, whose data alone repeat it."""
    typed = "metaeval count 'my runs' --seed 0"
    record = Provenance(command="count", command_line=typed, options={"seed": 0})
    code, table = small_report(provenance=record).all_sections()[-1].blocks
    assert (code.look, code.paragraphs) == ("code", (typed,))
    assert "Command" not in set(table.frame["what"])
    assert dict(zip(table.data["what"], table.data["value"], strict=True))["Command"] == typed


def test_what_is_cited_is_there_as_bibtex_too():
    """The publications of the list and the package itself, in a fold that a reader opens to copy them."""
    record = Provenance(command="count", versions={"metaeval": "9.8"})
    fold = small_report(provenance=record).all_sections()[-2].blocks[2]
    (entries,) = fold.blocks[0].paragraphs
    assert (fold.title, fold.blocks[0].look) == ("BibTeX", "code")
    assert [line for line in entries.split("\n") if line.startswith("@")] == [f"@article{{{PAPER},", "@misc{metaeval,"]
    assert "note = {Version 9.8}" in entries


@pytest.mark.parametrize(
    "broken",
    [{"names": (), "parts": ()}, {"names": ("a", "a"), "parts": ((), ())}, {"names": ("a",), "parts": ((), ())}],
    ids=["nothing", "twice", "unnamed"],
)
def test_every_part_of_a_choice_has_a_name_of_its_own(broken):
    """Nobody could choose a part that shares its name or has none."""
    with pytest.raises(ValueError, match="a name of its own for each"):
        Choice(**broken)


def test_what_is_not_chosen_is_part_of_the_report_all_the_same():
    """Tables of every part are written; a terminal shows those of the first, and the main table is there."""
    parts = ((small_table("first"),), (Fold(title="More", blocks=(small_table("second"),)),))
    section = Section(id="c", title="C", lead="L.", blocks=(Choice(names=("a", "b"), parts=parts),), brief=True)
    report = small_report(sections=(section,))
    assert [table.name for table in report.tables()] == ["first", "second", "provenance"]
    assert [block.name for block in section.open_blocks()] == ["first"]
    assert report.main_table().name == "first"


def test_another_study_adds_its_parts_in_their_places():
    """Sections come before or after, words join the summary and the methods; the same note or source stands once."""
    own = Section(id="other", title="Other", lead="Another study.", blocks=())
    first = Section(id="first", title="First", lead="Before all.", blocks=())
    more = Methods(paragraphs=("We counted again.",), cite=(PAPER,))
    report = small_report(notes=("Assumed.",)).extended(
        first=(first,), sections=(own,), summary=("And this.",), methods=more, notes=("Assumed.", "New.")
    )
    assert [section.id for section in report.sections] == ["first", "counts", "rest", "other"]
    assert report.summary == ("Two of two.", "And this.")
    assert report.methods.paragraphs == ("We counted.", "We counted again.")
    assert report.methods.cite == (PAPER,)
    assert report.notes == ("Assumed.", "New.")


def test_json_is_the_rows_with_null_for_what_is_undefined():
    """One document, full precision, the warnings beside the results."""
    answer = json.loads(small_report(warnings=("Few topics.",)).to_json())
    assert answer["command"] == "count"
    assert answer["results"] == [{"who": "a", "value": None}]
    assert answer["warnings"] == ["Few topics."]
    assert answer["options"] == {"seed": 0}


def test_json_holds_every_table():
    """Folded ones too: rows as the page has them, the file's values where the rows lack some, a slider's steps."""
    frame = pd.DataFrame({"who": ["a", "b"], "share": ["1/3 = 33.3 %", "none"]})
    columns = (*left(who="Who"), *right(text, "Group", share="Share"))
    data = pd.DataFrame({"who": ["a", "b"], "share": [1 / 3, math.inf]})
    words = {"title": "T", "caption": "", "frame": frame, "columns": columns}
    tables = [
        Table(name="same", data=frame[["who"]], **words),
        Table(name="more", data=data, **words),
        Table(name="steps", steps=Steps(what="Topics", frames={5: frame, 7: frame}, at=7), **words),
    ]
    section = Section(id="s", title="S", lead="L.", blocks=(Fold(title="F", blocks=tuple(tables)),))
    answer = json.loads(small_report(sections=(section,)).to_json())["tables"]
    assert list(answer) == ["same", "more", "steps", "provenance"]
    rows = frame.to_dict("records")
    heads = [{"name": "who", "heading": "Who"}, {"name": "share", "heading": "Share", "group": "Group"}]
    assert answer["same"] == {"title": "T", "columns": heads, "rows": rows}
    assert answer["more"]["data"] == [{"who": "a", "share": 1 / 3}, {"who": "b", "share": None}]
    assert answer["steps"]["steps"] == {"what": "Topics", "at": 7, "rows": {"5": rows, "7": rows}}


def test_latex_is_the_main_table():
    """The first table that a terminal would show, or the first of all."""
    assert "Counts. What was counted." in small_report().to_latex()
    quiet = tuple(section for section in small_report().sections if not section.brief)
    assert small_report(sections=quiet).main_table().name == "rest"


def shown(report, width=100):
    """Return what a terminal shows."""
    console = Console(width=width, record=True, file=None, force_terminal=False)
    with console.capture() as said:
        show_report(report, console)
    return said.get()


def test_a_terminal_shows_the_answer_and_the_brief_tables():
    """Title, facts, summary, then the tables of brief sections, unfolded ones only; names are never markup."""
    said = shown(small_report())
    for words in ("How many?", "2 runs", "Two of two.", "[b]run 0[/b]", "Counted", "What was counted."):
        assert words in said
    assert said.count("[b]run 1[/b]") == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_options_are_never_broken(terminal):
    """Advice with an option and its value is one line to copy, at a terminal too; other words are as wide as that."""
    advice, plain = f"Leave out: --exclude-systems {','.join(f'open-model-{one}' for one in range(30))}", "word " * 60
    blocks = (Text(paragraphs=(advice, plain)), Items(items=(Item(term="Macro mean", words=advice),)))
    section = Section(id="s", title="S", lead="L.", blocks=blocks, brief=True)
    console = Console(width=80, file=io.StringIO(), force_terminal=terminal, color_system=None)
    show_report(small_report(sections=(section,), summary=(advice,)), console)
    lines = console.file.getvalue().splitlines()
    assert lines.count(advice) == 2
    assert f"Macro mean: {advice}" in lines
    assert (plain.strip() in [one.strip() for one in lines]) != terminal


def test_a_long_table_ends_in_a_count_of_the_rest():
    """A terminal shows eighty rows and says how many more there are."""
    section = Section(id="long", title="Long", lead="Many rows.", blocks=(small_table(n_rows=95),), brief=True)
    said = shown(small_report(sections=(section,)))
    assert "[b]run 79[/b]" in said
    assert "[b]run 80[/b]" not in said
    assert "15 more rows" in said


def test_a_study_is_reported_from_python(simulated_scores, tmp_path):
    """study_power(scores).report().save(folder) writes what the command writes."""
    study = study_power(simulated_scores(2, 4, 12), tests=["t"], rng=0)
    report = study.report(top=3)
    assert [section.id for section in report.sections] == [section.id for section in power_report(study).sections]
    index = report.save(tmp_path / "folder")
    assert report.title in index.read_text()
    assert report.title in study._repr_html_()


def test_key_figures_stand_under_the_first_sentence_and_are_few():
    report = small_report(summary=("Two of two.", "And this."), key_figures=small_table("key"))
    words = shown(report)
    assert words.index("Two of two.") < words.index("Counts") < words.index("And this.")
    page = report.to_html()
    assert page.index("<p>Two of two.</p>") < page.index("<b>Counts.</b>") < page.index("<p>And this.</p>")
    assert report.tables()[0].name == "key"
    assert report.main_table().name == "t"
    with pytest.raises(ValueError, match="8 rows at most, not 9"):
        small_report(key_figures=small_table(n_rows=9))
