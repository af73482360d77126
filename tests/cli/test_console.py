"""Tests of the two consoles: progress that foretells long work."""

import io

import pytest
from rich.console import Console

from metaeval.cli import console as consoles
from metaeval.cli.console import _Bars


def told(monkeypatch, *, total, steps, seconds, quicker=""):
    """Return what is printed where every step of a task takes so many seconds by the clock."""
    stream, now = io.StringIO(), [0.0]
    bars = _Bars(Console(file=stream, width=200), quicker)
    monkeypatch.setattr(bars._bars, "get_time", lambda: now[0])
    task = bars.start("Resampling topics", total)
    for _ in range(steps):
        now[0] += seconds
        bars.advance(task)
    bars.finish(task)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("total", "seconds", "words"),
    [
        (100, 6.0, "about 10 minutes left"),  # 99 steps of 6 seconds
        (10_000, 6.0, "about 17 hours left"),
        (1000, 0.1, "about 2 minutes left"),  # told once 5 seconds are over: 95 seconds are left
        (11, 6.0, "about 1 minute left"),
    ],
)
def test_long_work_is_foretold_once(monkeypatch, total, seconds, words):
    """After some seconds, with what would be quicker; not again at every step."""
    lines = told(monkeypatch, total=total, steps=min(total, 200), seconds=seconds, quicker="--test t takes seconds")
    assert lines == ["Resampling topics …", f"Resampling topics: {words}; --test t takes seconds"]


def test_short_work_and_work_without_end_is_not(monkeypatch):
    """What ends within a minute is not worth a word, and of what has no known end nothing can be said."""
    assert told(monkeypatch, total=10, steps=10, seconds=6.0) == ["Resampling topics …"]
    assert told(monkeypatch, total=1000, steps=1000, seconds=0.004) == ["Resampling topics …"]
    assert told(monkeypatch, total=None, steps=50, seconds=6.0) == ["Resampling topics …"]


def test_without_anything_quicker_the_time_stands_alone(monkeypatch):
    """A sentence does not end in a semicolon."""
    assert told(monkeypatch, total=100, steps=2, seconds=6.0)[-1] == "Resampling topics: about 10 minutes left"
    assert consoles._minutes(99 * 60) == "99 minutes"
