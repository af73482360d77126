"""Threads of this process, and the one way to report progress."""

import pytest

from metaeval.running.parallel import allowed_threads, limit_threads, reporting, track


class Recorder:
    """A reporter that writes down what it is told."""

    def __init__(self):
        self.told = []

    def start(self, description, total):
        """Write down the start and use the description as the handle."""
        self.told.append(("start", description, total))
        return description

    def advance(self, task, steps=1):
        """Write down a step."""
        self.told.append(("advance", task, steps))

    def finish(self, task):
        """Write down the end."""
        self.told.append(("finish", task))


def test_progress_is_silent_without_a_reporter(capsys):
    """Below the command line nothing is printed."""
    assert list(track([1, 2], description="work")) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_a_reporter_hears_of_start_steps_and_end():
    """Every item is one step, told after it is done, and the total is known for a sequence."""
    recorder = Recorder()
    with reporting(recorder):
        assert list(track("ab", description="work")) == ["a", "b"]
        assert list(track(iter("c"), description="more", total=1)) == ["c"]
    assert recorder.told == [
        ("start", "work", 2),
        ("advance", "work", 1),
        ("advance", "work", 1),
        ("finish", "work"),
        ("start", "more", 1),
        ("advance", "more", 1),
        ("finish", "more"),
    ]
    list(track("d", description="after the block"))
    assert len(recorder.told) == 7


def test_a_task_ends_even_when_the_loop_is_left():
    """A loop that breaks off still ends its task, so that no progress bar hangs."""
    recorder = Recorder()
    with reporting(recorder):
        steps = track([1, 2, 3], description="work")
        next(steps)
        steps.close()
    assert recorder.told[-1] == ("finish", "work")


def test_threads_are_limited_inside_the_block_alone():
    """Compiled kernels use no more threads than allowed, and afterwards as many as before, also after an error."""
    before = allowed_threads()
    with limit_threads(1):
        assert allowed_threads() == 1
    assert allowed_threads() == before

    def leave_by_error():
        with limit_threads(1):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        leave_by_error()
    assert allowed_threads() == before
    with limit_threads(None):
        assert allowed_threads() == before
