"""The help of every command: one screen that names all options, and all words on request."""

import re

import pytest
import typer

from metaeval.cli import app
from metaeval.cli.commands import COMMANDS, QUESTIONS
from metaeval.cli.help import QUESTION, _cut

PROGRAM = typer.main.get_command(app)
SIMULATE = PROGRAM.commands["simulate"]
NAMES = [*COMMANDS, *(f"simulate {name}" for name in SIMULATE.commands)]
SHARED = ("Scoring runs:", "Reading:", "Choosing data:", "Work:", "Output:")
LINES = 40


def _loaded(name):
    found = PROGRAM
    for word in name.split():
        found = found.commands[word]
    return found


@pytest.fixture
def shown(command, monkeypatch):
    """Show a help at a width."""

    def show(name, option, width=80):
        monkeypatch.setenv("COLUMNS", str(width))
        ended = command(*name.split(), option)
        assert (ended.code, ended.err) == (0, "")
        return ended.out

    return show


def _options(name):
    return [one for one in _loaded(name).params if one.param_type_name == "option"]


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_is_one_screen(name, shown):
    """Forty lines of eighty columns, and no line too long at any other width; plain text without trailing blanks."""
    assert shown(name, "--help").count("\n") <= LINES
    for width in (60, 80, 120, 200):
        for option in ("--help", "--help-all"):
            text = shown(name, option, width)
            lines = text.splitlines()
            assert [line for line in lines if len(line) > width] == []
            assert [line for line in lines if line != line.rstrip()] == []
            assert not re.search(r"<[a-z]", text)
            assert "│" not in text
            assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "simulate"])
def test_help_names_every_option_its_own_ones_first(name, shown):
    """The options of the question stand before those that commands share."""
    lines = shown(name, "--help").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(SHARED))
    own, shared = (set(re.split(r"[,/\s]+", "\n".join(part))) for part in (lines[:first], lines[first:]))
    for one in _options(name):
        question = one.rich_help_panel in {QUESTION, None}
        assert max(one.opts, key=len) in (own if question else own | shared)
    assert {"--help", "--help-all"} <= shared
    assert lines[-1].endswith("--help-all describes every option.")


@pytest.mark.parametrize("name", NAMES)
def test_help_all_has_every_word(name, shown):
    """The text of the command, its examples, and the words and the default of every option."""
    text = " ".join(shown(name, "--help-all").replace(" \\\n", " ").split())
    one = _loaded(name)
    parts = [one.help or "", *(parameter.help or "" for parameter in one.params)]
    parts += [parameter.show_default for parameter in one.params if isinstance(parameter.show_default, str)]
    for part in parts:
        assert " ".join(part.replace("`", "").split()) in text
    for parameter in _options(name):
        assert f"--{parameter.opts[0].strip('-')}" in text


@pytest.mark.parametrize("name", ["", "power", "simulate", "simulate inex"])
def test_the_letter_is_the_word(name, shown):
    """-h is --help."""
    assert shown(name, "-h") == shown(name, "--help")


def test_nothing_typed_shows_the_help(command, shown):
    """It is no answer, so it stands on standard error, and the code is that of usage."""
    for words in ([], ["simulate"]):
        help_of_it = shown(" ".join(words), "--help")
        assert command(*words) == (2, "", help_of_it)


def test_the_program_lists_its_commands_by_question(shown):
    """Every command has one line below its question."""
    lines = shown("", "--help").splitlines()
    for question, commands in QUESTIONS.items():
        start = next(number for number, line in enumerate(lines) if line.rstrip(":") == question) + 1
        assert [line.split()[0] for line in lines[start : start + len(commands)]] == [*commands]


def test_a_default_and_a_value_are_shown(shown):
    """What is needed says so; what has a default shows it, where it leaves room for words."""
    text = shown("score", "--help")
    assert "Usage: " in text.splitlines()[0]
    assert "RUNS... --qrels FILE [OPTIONS]" in text
    assert "[required]" in text
    assert "[0.05]" in shown("human", "--help")
    assert "--bayes/--no-bayes" in shown("topics", "--help")


@pytest.mark.parametrize("room", range(12, 90))
def test_words_are_cut_to_what_fits(room):
    """Whole words, never longer than the room, and all of them where there is enough."""
    words = "Kendall's tau (of all runs; and of the best), as published: 0.9. What lies below is another ranking."
    cut = _cut(words, room)
    assert len(cut) <= room
    assert words.startswith(cut.rstrip("….").rstrip())
    assert cut.endswith("…") or cut.count("(") == cut.count(")")
    assert _cut(words, len(words)) == words


def test_completion_offers_commands_and_options(command, monkeypatch):
    """A shell asks by environment variables."""
    monkeypatch.setenv("_METAEVAL_COMPLETE", "complete_bash")
    for typed, offered in (("metaeval com", "compare-metrics"), ("metaeval power --help-", "--help-all")):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        ended = command()
        assert (ended.code, offered in ended.out.split()) == (0, True), ended
