"""A console of Windows, with the letters of Western Europe: cp1252, in which Python would refuse others."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.running.plain_letters import SPELLED


@pytest.mark.parametrize(
    ("words", "spelled"),
    [
        ("\N{GREEK SMALL LETTER ALPHA} = 0.05", "alpha = 0.05"),
        ("n \N{GREATER-THAN OR EQUAL TO} 2", "n >= 2"),
        ("\N{MINUS SIGN}0.3 to \N{INFINITY}", "-0.3 to inf"),
        ("\N{CHECK MARK} met", "yes met"),
        ("\N{GREEK SMALL LETTER TAU}b", "taub"),
        ("10\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT EIGHT}", "10^-8"),
        ("\N{GREEK SMALL LETTER SIGMA}\N{SUPERSCRIPT TWO}", "sigma\N{SUPERSCRIPT TWO}"),
        ("x\N{SUBSCRIPT ONE}", "x1"),
        ("\N{GREEK CAPITAL LETTER PHI}", "Phi"),
        ("Benjamini\N{EN DASH}Hochberg \N{MULTIPLICATION SIGN} 2\N{HORIZONTAL ELLIPSIS}", None),
        ("\N{CYRILLIC SMALL LETTER DE}", "\\u0434"),
    ],
)
def test_signs_are_spelled_and_letters_of_names_escaped(words, spelled):
    """What the console has stays as it is; expected words are what a person would type."""
    assert words.encode("cp1252", SPELLED).decode("cp1252") == (words if spelled is None else spelled)


def test_whatever_pages_say_can_be_spelled():
    """No sign in the words of a question is left to an escape, which nobody reads."""
    words = "".join(path.read_text("utf-8") for path in Path(metaeval.__file__).parent.rglob("words*.prose"))
    signs = {letter for letter in words if not letter.isascii()}
    assert len(signs) > 10
    assert [sign for sign in signs if b"\\" in sign.encode("cp1252", SPELLED)] == []


@pytest.fixture
def on_old_console(tmp_path, python):
    """Run the program on scores of a few systems, one of which has a name that the console lacks."""

    def run(*words, names):
        scores = np.random.default_rng(1).random((9, len(names))).round(3)
        pd.DataFrame(scores, columns=names).to_csv(tmp_path / "AP.csv", index=False)
        done = python("-m", "metaeval", *words, cwd=tmp_path, PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
        assert done.returncode == 0, done.stderr
        return done

    return run


def test_the_program_answers_on_such_a_console(on_old_console):
    """Nothing is escaped, and nothing replaced by a question mark."""
    words = ("power", "AP.csv", "--interval-resamples", "0", "--resamples", "50")
    done = on_old_console(*words, names=["a", "b", "c"])
    out, errors = done.stdout.decode("cp1252"), done.stderr.decode("cp1252")
    assert "alpha = 0.05" in out
    assert "Benjamini\N{EN DASH}Hochberg" in out
    assert not re.search(r"\\u[0-9a-f]{4}|\?\?", out + errors)


def test_tables_for_programs_are_utf_8_in_every_pipe(on_old_console):
    """They are read again: a name comes back as it was, whatever the console would make of it."""
    name = "\N{CYRILLIC SMALL LETTER DE}\N{LATIN SMALL LETTER E WITH ACUTE}\N{GREEK SMALL LETTER TAU}"
    done = on_old_console("table", "AP.csv", "--csv", names=["a", name])
    assert name in done.stdout.decode("utf-8")
    assert b"\r" not in done.stdout
