"""Progress: bars that foretell long work on a terminal, bars below the cell of a notebook, nothing elsewhere."""

import io
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from rich.console import Console

from metaeval import show_progress
from metaeval.running import progress
from metaeval.running.parallel import reporting, track
from metaeval.running.progress import CellBars, TerminalBars, cell_bars


def told(monkeypatch, *, total, steps, seconds, quicker="", first=0.0):
    """Return what is printed where every step of a task takes so many seconds by the clock, the first one some more."""
    stream, now = io.StringIO(), [0.0]
    bars = TerminalBars(Console(file=stream, width=200), quicker)
    monkeypatch.setattr(bars._bars, "get_time", lambda: now[0])
    task = bars.start("Resampling topics", total)
    for step in range(steps):
        now[0] += seconds + first * (step == 0)
        bars.advance(task)
    bars.finish(task)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("total", "seconds", "words"),
    [
        (100, 6.0, "about 10 minutes left"),  # after the second step, 98 of 6 seconds
        (10_000, 6.0, "about 17 hours left"),
        (1000, 0.1, "about 2 minutes left"),  # told once 5 seconds are over: 95 seconds are left
        (12, 6.0, "about 1 minute left"),
        (21, 4.6, "about 1 minute left"),  # told after the second step: 87 seconds
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


def test_the_first_step_foretells_nothing(monkeypatch):
    """Kernels are compiled in it: 99 steps of .3 seconds are half a minute, not the 33 of a first step of 20."""
    assert told(monkeypatch, total=100, steps=100, seconds=0.3, first=20.0) == ["Resampling topics …"]


def test_without_anything_quicker_the_time_stands_alone(monkeypatch):
    """A sentence does not end in a semicolon."""
    assert told(monkeypatch, total=100, steps=2, seconds=6.0)[-1] == "Resampling topics: about 10 minutes left"
    assert progress._minutes(99 * 60) == "99 minutes"


class Cell:
    """The output of a cell: what is displayed, and what takes its place."""

    def __init__(self):
        self.shown, self.changes = [], 0

    def display(self, thing, *, display_id, metadata):
        """Show a thing that can be replaced, and told from an answer."""
        assert display_id
        assert metadata == {"metaeval": "progress"}
        self.shown.append(thing)
        place = len(self.shown) - 1

        def update(other, *, metadata):
            assert metadata == {"metaeval": "progress"}
            self.shown[place] = other
            self.changes += 1

        return SimpleNamespace(update=update)


@pytest.fixture
def cell():
    """Return an empty cell."""
    return Cell()


@pytest.fixture
def clock():
    """Return a list with the time, to be set."""
    return [0.0]


@pytest.fixture
def bars(cell, clock):
    """Return bars that write into the cell by the clock."""
    return CellBars(cell.display, lambda: clock[0])


def test_short_work_leaves_no_trace_in_a_notebook(cell, clock, bars):
    """What ends within a second is not shown."""
    with reporting(bars):
        for _ in track(range(9), description="short"):
            clock[0] += 0.1
    assert cell.shown == []


def test_long_work_is_shown_below_its_cell(cell, clock, bars):
    """From the first second on, a few times a second, with the steps inside; nothing is left when it is done."""
    with reporting(bars):
        for _ in track(range(3), description="outer <b>"):
            for _ in track(range(100), description="inner"):
                clock[0] += 0.01
            if len(cell.shown) == 1:
                assert "inner: " in repr(cell.shown[0])
                html = cell.shown[0]._repr_html_()
                assert html.startswith('<div><progress value="')
                assert "outer &lt;b&gt;: " in html
                HTMLParser().feed(html)
    assert [repr(lines) for lines in cell.shown] == [""]
    assert cell.changes <= 3 / 0.2
    assert cell.shown[0]._repr_html_() == ""


def test_every_outermost_task_has_a_line_of_its_own(cell, clock, bars):
    """Also one that breaks off, and one whose end nobody knows; what is done vanishes."""
    with reporting(bars):
        steps = track(range(10), description="first", total=10)
        for _ in range(3):
            next(steps)
            clock[0] += 2
        steps.close()
        for _ in track(iter(range(4)), description="second"):
            clock[0] += 1
    assert [repr(one) for one in cell.shown] == ["", ""]


@pytest.fixture
def notebook(monkeypatch, cell):
    """Pretend that this process works for a notebook."""
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    shown = SimpleNamespace(display=cell.display)
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    monkeypatch.setattr(progress, "_PAUSE", -1.0)
    yield
    progress._bars_of.cache_clear()


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_progress_unasked(cell):
    """Nobody has to open anything, and it can be hidden."""
    assert list(track([1, 2], description="work")) == [1, 2]
    assert len(cell.shown) == 1
    with show_progress(hidden=True):
        list(track([1], description="hidden"))
    with show_progress():
        list(track([1], description="asked for"))
    assert len(cell.shown) == 2
    show_progress(hidden=True)  # one switch for the session
    list(track([1], description="hidden"))
    assert len(cell.shown) == 2
    show_progress()
    list(track([1], description="shown again"))
    assert len(cell.shown) == 3
    assert cell_bars() is cell_bars()


@pytest.mark.parametrize("shell", [None, SimpleNamespace()], ids=["none", "terminal"])
def test_ipython_on_a_terminal_is_no_notebook(monkeypatch, shell):
    """It has no kernel, and its output no place for bars."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert cell_bars() is None


def test_a_script_shows_progress_where_it_is_asked_for(capsys):
    """On standard error, a line a task where that is no terminal; not before and not after."""
    list(track([1], description="before"))
    with show_progress():
        list(track([1], description="inside"))
    list(track([1], description="after"))
    assert capsys.readouterr() == ("", "inside …\n")
