"""Titles that stand in a page, beside their section, table or picture."""

import pandas as pd

from metaeval.page.tables import left
from metaeval.reports.prose import Prose


def test_a_title_may_stand_alone():
    """Beside its section, table or picture, which then have no other words."""
    say, frame = Prose(""), pd.DataFrame({"a": [1]})
    section = say.section("two", say.table("one", frame, left(a="A"), head="One"), id="other", head="Two")
    assert (section.id, section.title, section.lead) == ("other", "Two", "")
    assert [(table.name, table.title, table.caption) for table in section.blocks] == [("one", "One", "")]
    picture = say.picture("three", lambda: None, alt="A line.", head="Three")
    assert (picture.name, picture.title, picture.caption, picture.alt) == ("three", "Three", "", "A line.")
