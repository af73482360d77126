"""When topics came: dates in any usual form stand in their order, and what has none is said."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.base.notes import from_storable, storable
from metaeval.errors import ScoresError
from metaeval.table.arrivals import Arrival, are_dates, arrival_by, date_columns, turns_of

_DAYS = st.lists(st.dates(dt.date(1990, 1, 1), dt.date(2060, 12, 31)), min_size=2, max_size=9, unique=True)


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M",
        "%b %d, %Y",
        "%d %B %Y",
        "%d-%b-%Y",
        "%B %d %Y",
    ],
)
@given(days=_DAYS)
def test_dates_stand_in_their_order(form, days):
    """Whatever the form, the turn of a date is its place among the sorted dates."""
    written = [day.strftime(form) for day in sorted(days)]
    assert are_dates(written)
    assert turns_of(reversed(written)) == {text: turn for turn, text in enumerate(written)}


@given(days=_DAYS)
def test_days_and_months_before_a_year_are_told_apart_or_asked_for(days):
    """Between slashes a number beyond 12 tells which of two is the day; where none is, nothing is guessed."""
    ordered = sorted(days)
    for form, beyond in (
        ("%d/%m/%Y", [day.day > 12 for day in ordered]),
        ("%m/%d/%Y", [day.day > 12 for day in ordered]),
    ):
        written = [day.strftime(form) for day in ordered]
        if any(beyond):
            assert turns_of(written) == {text: turn for turn, text in enumerate(written)}
        else:
            with pytest.raises(ScoresError, match="day or the month"):
                turns_of(written)


@pytest.mark.parametrize("dates", [["Jan", "Feb"], ["3 March", "1 May"], ["5:10 pm", "6:00 AM"]])
def test_words_have_no_order(dates):
    """April would go before January."""
    with pytest.raises(ScoresError, match="write them as 2026-01-31"):
        turns_of(dates)


def test_numbers_count():
    """Weeks and rounds go by their numbers."""
    assert list(turns_of(["week 10", "week 9"])) == ["week 9", "week 10"]
    assert list(turns_of(["Mai 2026", "Okt 2025", "März 2026"])) == ["Okt 2025", "März 2026", "Mai 2026"]
    assert date_columns({"item": ["a", "b"], "sent": ["week 10", "week 9"], "x": ["1", "2"]}) == ["sent"]
    assert list(turns_of(["1700000000", "999999999"])) == ["999999999", "1700000000"]


def test_a_column_of_dates_is_found_by_its_name_or_by_what_it_holds():
    """A name goes first; numbers and parts of a table of scores are no dates."""
    dates = ["2026-01-31", "2026-02-01"]
    assert date_columns({"qid": ["1", "2"], "added_on": dates, "bm25": ["0.5", "0.25"]}) == ["added_on"]
    assert date_columns({"qid": dates, "bm25": ["0.5", "0.25"]}) == []
    assert date_columns({"timestamp": ["9", "10"], "published": dates}) == ["timestamp"]
    assert date_columns({"first": dates, "last": dates}) == ["first", "last"]


def test_scores_keep_when_their_topics_came():
    """For the topics that are left; where one of them has no date, none."""
    attributes = arrival_by("date", {"1": "2026-02-01", "2": "2026-01-31"}).as_attributes()
    scores = as_scores([[0.1, 0.2], [0.2, 0.3]]).assign_attrs(attributes)
    assert Arrival.of(scores.attrs, ["1", "2"]).topics == ("2", "1")
    assert Arrival.of(scores.attrs, ["2"]).topics == ("2",)
    assert Arrival.of(scores.attrs, ["2", "3"]).topics == ()
    assert Arrival.of({}, ["1"]) is None
    assert Arrival.of(from_storable(storable(scores.attrs)), ["1", "2"]).topics == ("2", "1")
