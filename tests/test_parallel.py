"""The one map and the one way to report progress."""

import threading

import numba
import numpy as np
import pytest

from metaeval.parallel import limit_threads, parallel_map, reporting, track


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


def _draw(item, generator):
    return item, generator.random(), threading.get_ident()


def _fail(item, _generator):
    raise ValueError(item)


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


def test_results_do_not_depend_on_the_workers():
    """The same seed gives the same results in the same order for one worker and for two processes."""
    alone = parallel_map(_draw, range(6), generator=np.random.default_rng(4))
    together = parallel_map(_draw, range(6), generator=np.random.default_rng(4), n_jobs=2)
    assert [result[:2] for result in alone] == [result[:2] for result in together]
    assert [result[0] for result in alone] == list(range(6))
    assert len({result[1] for result in alone}) == 6


def test_each_item_has_its_own_stream():
    """An item's draws stay the same when items are added behind it."""
    few = parallel_map(_draw, range(3), generator=np.random.default_rng(4))
    many = parallel_map(_draw, range(5), generator=np.random.default_rng(4))
    assert few == many[:3]


def test_a_map_reports_progress():
    """The map goes through `track`, with one worker and with two."""
    for n_jobs in (1, 2):
        recorder = Recorder()
        with reporting(recorder):
            parallel_map(_draw, [1, 2, 3], generator=np.random.default_rng(0), n_jobs=n_jobs, description="drawing")
        assert recorder.told[0] == ("start", "drawing", 3)
        assert recorder.told.count(("advance", "drawing", 1)) == 3


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_the_work_comes_out(n_jobs):
    """An exception in an item reaches the caller unchanged."""
    with pytest.raises(ValueError, match="broken"):
        parallel_map(_fail, ["broken"], generator=np.random.default_rng(0), n_jobs=n_jobs)


def test_nothing_to_do_is_fine():
    """An empty sequence gives an empty list."""
    assert parallel_map(_draw, [], generator=np.random.default_rng(0)) == []


def test_threads_are_limited_inside_the_block_alone():
    """Compiled kernels use no more threads than allowed, and afterwards as many as before, also after an error."""
    before = numba.get_num_threads()
    with limit_threads(1):
        assert numba.get_num_threads() == 1
    assert numba.get_num_threads() == before

    def leave_by_error():
        with limit_threads(1):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        leave_by_error()
    assert numba.get_num_threads() == before
    with limit_threads(None):
        assert numba.get_num_threads() == before
