"""Threads of this process, and the one way to report progress."""

import os
import pickle
import signal
import sys
import threading
import time

import numba
import numpy as np
import pytest
import threadpoolctl

from metaeval import as_scores, compare_systems, simulate_scores
from metaeval.errors import InvalidOptionError
from metaeval.models import bradley_terry
from metaeval.running.parallel import allowed_threads, in_one_order, limit_threads, on_threads, reporting, track
from metaeval.simulate import simulate_votes


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


def _blas_threads():
    return {one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"}


def test_threads_are_limited_inside_the_block_alone():
    """Kernels use no more than allowed, linear algebra one, and both as before afterwards, or on an error."""

    def leave_by_error():
        with limit_threads(1):
            raise RuntimeError

    with threadpoolctl.threadpool_limits(2):
        before = allowed_threads()
        for limit, allowed in ((1, 1), (None, before)):
            with limit_threads(limit):
                assert (allowed_threads(), _blas_threads()) == (allowed, {1})
                with limit_threads(2):
                    assert (allowed_threads(), _blas_threads()) == (min(allowed, 2), {1})
                assert _blas_threads() == {1}
            assert (allowed_threads(), _blas_threads()) == (before, {2})
        with pytest.raises(RuntimeError):
            leave_by_error()
        with pytest.raises(InvalidOptionError, match="`n_threads` must be a whole number of at least 1, not 0"):
            limit_threads(0).__enter__()
        assert (allowed_threads(), _blas_threads()) == (before, {2})


def test_the_order_holds_until_the_last_thread_leaves(monkeypatch):
    """Whoever leaves first does not restore the limit for the others; a library loaded meanwhile is found."""
    entered, leave = threading.Event(), threading.Event()

    @in_one_order
    def wait():
        entered.set()
        leave.wait(20)

    with threadpoolctl.threadpool_limits(2):
        other = threading.Thread(target=wait)
        with in_one_order:
            other.start()
            entered.wait(20)
        assert _blas_threads() == {1}
        for library in threadpoolctl.ThreadpoolController().lib_controllers:
            library.set_num_threads(2)  # as one that is loaded now
        monkeypatch.setitem(sys.modules, "one more", sys)
        with in_one_order:
            assert _blas_threads() == {1}
        leave.set()
        other.join()
        assert _blas_threads() == {2}


def _gappy():
    scores = simulate_scores(n_systems=70, n_topics=130, rng=8)
    kept = np.random.default_rng(1).random(scores.shape) > 0.1
    return compare_systems(as_scores(scores.where(kept), missing="pairwise"))


def _votes():
    return bradley_terry(simulate_votes(n_systems=60, n_questions=60, n_voters=40, n_votes=6000, rng=4))


@pytest.mark.parametrize("work", [_gappy, _votes])
def test_any_number_of_threads_of_linear_algebra_finds_the_same(work):
    """To the last bit, with matrices so large that a library would share them out."""
    found = []
    for n_threads in (1, 2):
        with threadpoolctl.threadpool_limits(n_threads):
            found.append(pickle.dumps(work().to_frame()))
    assert found[0] == found[1]


@on_threads
def _squares(start, stop, found, seconds):
    """Square the numbers of some tasks, and note who did each."""
    time.sleep(seconds)
    for task in range(start, stop):
        found[task] = task**2, threading.get_ident()


def test_tasks_are_shared_out_among_as_many_threads_as_allowed(monkeypatch):
    """Each is done once, short work by the one who asks for it, and none is no work."""
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 4)
    for n, seconds, limit, most in ((100, 0.02, None, 4), (100, 0.02, 2, 2), (3, 0.1, 8, 3), (1000, 0, None, 1)):
        monkeypatch.setattr("metaeval.running.parallel._SHORT", 0 if seconds else 60)
        found = [None] * n
        with limit_threads(limit):
            _squares(n, found, seconds)
        assert [square for square, _ in found] == [task**2 for task in range(n)]
        assert len({who for _, who in found}) <= most
        assert (len({who for _, who in found}) > 1) == (most > 1)
    _squares(0, [], 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_tasks_are_done_in_a_fork_of_this_process_too(monkeypatch):
    """It has none of the threads that stood ready here."""
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    _squares(40, [None] * 40, 0.001)
    child = os.fork()
    if not child:
        signal.alarm(20)
        _squares(40, found := [None] * 40, 0.001)
        os._exit(None in found)
    assert os.waitpid(child, 0)[1] == 0


def test_what_a_task_raises_is_raised(monkeypatch):
    """By whichever thread, and nobody begins another."""
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    begun = []

    @on_threads
    def fail(start, _stop):
        begun.append(start)
        time.sleep(0.001)
        if start:
            raise ValueError(start)

    with pytest.raises(ValueError, match=r"\d"):
        fail(400)
    assert len(begun) <= 3
