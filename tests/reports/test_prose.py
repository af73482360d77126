"""Passages of reports: each is used by its report, and nothing else is asked for."""

import re
from pathlib import Path

import jinja2
import pytest

from metaeval.reports import prose as module
from metaeval.reports.prose import Prose, prose

FILES = sorted(Path(module.__file__).with_name("prose").glob("*.prose"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_passage_is_used_and_every_name_is_there(file):
    """By the report of the same name; each passage has a name of its own, and can be read."""
    asked = set(
        re.findall(r'\bsay\(\s*"([^"]+)"', Path(module.__file__).with_name(f"{file.stem}.py").read_text("utf-8"))
    )
    names = re.findall(r"^== (.+)$", file.read_text("utf-8"), flags=re.MULTILINE)
    assert len(names) == len(set(names))
    assert asked == set(names)
    assert prose(file.stem) is prose(file.stem)


def test_what_a_passage_lacks_is_an_error():
    """A name that nobody gave is no empty word, and a passage that is not there no empty sentence."""
    say = Prose("== one\n{{ who }} leads.\n== two\nNobody\n  leads.\n")
    assert (say("one", who="AP"), say("two")) == ("AP leads.", "Nobody leads.")
    with pytest.raises(jinja2.UndefinedError, match="who"):
        say("one")
    with pytest.raises(KeyError):
        say("three")
