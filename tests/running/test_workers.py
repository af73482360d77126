"""Workers: the same bits whoever works, what a death costs, and what is said where nobody can work."""

import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from importlib import metadata
from pathlib import Path

import joblib
import numpy as np
import pytest
import threadpoolctl

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running import workers
from metaeval.running.parallel import allowed_threads, reporting
from metaeval.running.workers import crew, finished_tasks, parallel_map, threads_each, working

HANGS = 600
"""Seconds, after which something hangs; a busy machine takes its time."""


def _generators(number):
    return np.random.default_rng(4).spawn(number)


# -------------------------------------------------------------- pieces of work, which worker processes import by name


def _draw(item, generator):
    """Draw one number."""
    return item, generator.random(), os.getpid()


def _die_once(item, generator, folder, victim):
    """Draw, but kill the process that comes first to the victim; leave a mark for every piece that was finished."""
    time.sleep(0.02)
    killed = Path(folder, "killed")
    if item == victim and not killed.exists():
        killed.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with Path(folder, f"done-{item}").open("a") as mark:
        mark.write("x")
    return item, generator.random()


def _die_always(item, victim):
    """Kill the process that comes to the victim."""
    if item == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def _fail(item):
    """Raise an ordinary error."""
    raise ValueError(item)


def _warn(item):
    """Warn, later pieces sooner."""
    time.sleep(0.05 * (3 - item))
    warnings.warn(f"piece {item} warns", RuntimeWarning, stacklevel=1)
    return item


def _threads(_item):
    """Return how many threads kernels and matrix products may use here."""
    libraries = [one["num_threads"] for one in threadpoolctl.threadpool_info()]
    return allowed_threads(), max(libraries, default=1), os.getpid()


def _inner(item):
    """Repeat work inside of a piece."""
    return crew().alone, parallel_map(abs, [-item, item])


def _wait(item, seconds):
    """Take some time."""
    time.sleep(seconds)
    return item


class Recorder:
    """A reporter that writes down what it is told."""

    def __init__(self):
        self.told = []

    def start(self, description, total):
        """Write down the start."""
        self.told.append((description, total))

    def advance(self, _task, steps=1):
        """Write down a step."""
        self.told.append(steps)

    def finish(self, _task):
        """Write down the end."""
        self.told.append("end")


# ------------------------------------------------------------------------------------------------------- on one machine


def test_results_do_not_depend_on_the_workers():
    """The same seeds give the same results in the same order, here and from two processes, named in either way."""
    alone = parallel_map(_draw, range(6), _generators(6))
    asked = parallel_map(_draw, range(6), _generators(6), n_jobs=2)
    with joblib.parallel_config(n_jobs=2):
        named = parallel_map(_draw, range(6), _generators(6))
    for other in (asked, named):
        assert [one[:2] for one in other] == [one[:2] for one in alone]
        assert os.getpid() not in {one[2] for one in other}
    assert [one[0] for one in alone] == list(range(6))
    assert {one[2] for one in alone} == {os.getpid()}


def test_a_map_is_that_of_python():
    """Several columns, what is shared behind them; nothing to do is fine, unequal columns are not."""
    assert parallel_map(pow, [2, 3], [3, 2], shared=(5,)) == [8 % 5, 9 % 5]
    assert parallel_map(pow, [], []) == parallel_map(pow, [], [], n_jobs=2) == []
    with pytest.raises(ValueError, match="zip"):
        parallel_map(pow, [1, 2], [1])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_map_reports_progress_and_errors(n_jobs):
    """Every piece is a step; an error in a piece reaches the caller unchanged, and ends the task."""
    recorder = Recorder()
    with reporting(recorder):
        parallel_map(abs, [1, 2, 3], n_jobs=n_jobs, description="work")
        with pytest.raises(ValueError, match="broken"):
            parallel_map(_fail, ["broken", "too"], n_jobs=n_jobs, description="more")
    assert recorder.told == [("work", 3), 1, 1, 1, "end", ("more", 2), "end"]


def _refuse(item):
    if item > 2:
        time.sleep(0.2 if item == 3 else 0)
        raise UnknownNameError("fruit", f"apple{item}", ["pear", "plum"])
    return item


def test_the_error_is_that_of_the_first_piece_that_fails():
    """Whoever is sooner, as if one had done it; no further piece is begun, and what cannot be sent arrives too."""
    for n_jobs in (1, 3):
        with pytest.raises(InvalidOptionError, match=r"no fruit 'apple3'.*Known: pear, plum"):
            parallel_map(_refuse, range(40), n_jobs=n_jobs)


def test_who_works():
    """What the call says goes first; a single piece is not worth a worker, and a worker has none."""
    assert crew().alone
    assert crew(3).n_workers == 3
    with joblib.parallel_config(n_jobs=3):
        assert (crew().n_workers, crew(2).n_workers, crew(1).alone) == (3, 2, True)
        assert parallel_map(_draw, [1], _generators(1))[0][2] == os.getpid()
    with joblib.parallel_config(backend="sequential"):
        assert crew().alone
    assert parallel_map(_inner, [1, 2], n_jobs=2) == [(True, [1, 1]), (True, [2, 2])]


def test_workers_share_the_cores():
    """So many workers have so many threads together, of kernels and of matrix products: no more than were allowed."""
    assert threads_each(4) == 4
    assert threads_each(4, n_jobs=2) == 2
    assert threads_each(1, n_jobs=2) == 1
    assert threads_each(None, n_jobs=2) == max(1, joblib.cpu_count() // 2)
    with working(2, n_threads=2):
        assert threads_each(2) == 1
        found = parallel_map(_threads, range(4))
    assert {one[:2] for one in found} == {(1, 1)}


def test_the_block_names_workers_and_forgets_them():
    """One worker is this process."""
    for number, expected in ((None, 1), (1, 1), (2, 2), (-1, joblib.cpu_count())):
        with working(number):
            assert crew().n_workers == expected
    assert crew().alone


def test_warnings_come_home_in_the_order_of_the_pieces():
    """Whoever is sooner; they are given once the work is done, with the place they come from."""
    with warnings.catch_warnings(record=True) as alone:
        warnings.simplefilter("always")
        parallel_map(_warn, range(3))
    with warnings.catch_warnings(record=True) as together:
        warnings.simplefilter("always")
        assert parallel_map(_warn, range(3), n_jobs=3) == [0, 1, 2]
    alone, together = ([one for one in found if one.category is RuntimeWarning] for found in (alone, together))
    for found in (alone, together):
        assert [str(one.message) for one in found] == [f"piece {place} warns" for place in range(3)]
    assert [(one.category, one.filename) for one in together] == [(one.category, one.filename) for one in alone]


def _after_a_while(number):
    """Work for as long as it takes to see that nobody hurries ahead: what is done at once lets the next be taken."""
    time.sleep(0.05)
    return abs(number)


def test_pieces_are_taken_as_workers_are_free():
    """An endless supply is left once enough is done, and no task is taken long before its turn."""
    taken = []

    def tasks():
        for number in range(10_000):
            taken.append(number)
            yield (-number,)

    done = finished_tasks(_after_a_while, tasks(), n_jobs=2)
    first = dict(next(done) for _ in range(5))
    done.close()
    assert all(place == result for place, result in first.items())
    assert len(taken) < 50


def test_a_worker_that_dies_costs_its_piece(tmp_path):
    """It is done again with its own seed; what was finished before is not."""
    calm = parallel_map(_draw, range(8), _generators(8))
    found = parallel_map(_die_once, range(8), _generators(8), shared=(str(tmp_path), 3), n_jobs=2)
    assert (tmp_path / "killed").exists()
    assert found == [one[:2] for one in calm]
    times = [len((tmp_path / f"done-{item}").read_text()) for item in range(8)]
    assert times[3] == 1
    assert sum(times) <= 8 + 4  # besides, what was under way or just finished: joblib hands two out for each worker
    assert crew().alone


def test_a_piece_that_always_kills_ends_the_work():
    """After some deaths it is said what the reason most likely is, and what to do."""
    with pytest.raises(EstimationError, match=r"workers died 5 times.*want of memory; 2 were at work: take fewer"):
        parallel_map(_die_always, range(4), shared=(2,), n_jobs=2)
    assert parallel_map(abs, [-1, -2], n_jobs=2) == [1, 2]  # new workers are there for the next


# ------------------------------------------------------------------------------------------------------- on a cluster


@pytest.fixture(scope="module")
def address(tmp_path_factory, dask_programs):
    """Start a cluster of two workers, as a user does."""
    pytest.importorskip("distributed")
    with dask_programs.cluster(tmp_path_factory.mktemp("cluster")) as (address, _, _):
        yield address


def test_a_cluster_gives_the_same(address):
    """Through the block, with the limits of threads; the caller's own process does nothing."""
    alone = parallel_map(_draw, range(6), _generators(6))
    with working(cluster=address):
        assert crew().far
        assert threads_each(8) == 1
        far = parallel_map(_draw, range(6), _generators(6))
        threads = parallel_map(_threads, range(4))
    assert [one[:2] for one in far] == [one[:2] for one in alone]
    assert os.getpid() not in {one[2] for one in far}
    assert {one[:2] for one in threads} == {(1, 1)}
    assert crew().alone


def test_topics_are_resampled_on_a_cluster(address):
    """Where they are so many that they are drawn by blocks: to the last bit."""
    values = np.random.default_rng(5).normal([[[0.4], [0.4], [0.41]]], 0.2, (1, 3, 140_000)).round(1)
    alone = bootstrap_sensitivity(values, n_resamples=30, alpha=0.1, rng=2)
    with working(cluster=address):
        far = bootstrap_sensitivity(values, n_resamples=30, alpha=0.1, rng=2)
    assert far.data.identical(alone.data)
    assert alone.summary()["n_significant"].item() == 2


def test_errors_and_warnings_come_home_from_a_cluster(address):
    """Unchanged."""
    with working(cluster=address):
        with pytest.raises(ValueError, match="broken"):
            parallel_map(_fail, ["broken", "too"])
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert parallel_map(_warn, range(2)) == [0, 1]
    assert [str(one.message) for one in found] == ["piece 0 warns", "piece 1 warns"]


def test_a_worker_of_a_cluster_that_dies_costs_its_piece(address, tmp_path):
    """Dask gives it to another one; a piece that kills all who try it ends the work, with a reason."""
    calm = parallel_map(_draw, range(6), _generators(6))
    with working(cluster=address):
        found = parallel_map(_die_once, range(6), _generators(6), shared=(str(tmp_path), 3))
        assert found == [one[:2] for one in calm]
        with pytest.raises(EstimationError, match="killed every worker of the Dask cluster that tried it"):
            parallel_map(_die_always, range(3), shared=(1,))


def test_a_single_worker_of_a_cluster_works_there_until_it_goes(tmp_path, dask_programs):
    """Not here, where a piece that kills workers would kill the program; that all are gone is said soon."""
    with (
        dask_programs.cluster(tmp_path, workers=("--nthreads", 1, "--no-nanny")) as (address, scheduler, _),
        working(cluster=address),
    ):
        assert os.getpid() not in {one[2] for one in parallel_map(_draw, range(3), _generators(3))}
        done = finished_tasks(_wait, ((number, 0.3) for number in range(200)))
        next(done)
        scheduler.kill()
        with pytest.raises(EstimationError, match="the Dask cluster is gone"):
            list(done)


def test_other_versions_are_refused(address, monkeypatch):
    """The answer must not depend on who works; the worker, the package and both versions are named."""
    own = metadata.version

    def version(name):
        return "0.0.1" if name == "scipy" else own(name)

    monkeypatch.setattr("metaeval.running.workers.metadata.version", version)
    monkeypatch.setattr("metaeval.running.workers._compare", _comparing_with(own))
    with pytest.raises(InvalidOptionError, match=r"Dask worker tcp://\S+ has scipy [1-9]\S+, and here it is 0.0.1"):
        working(cluster=address).__enter__()


def _comparing_with(own):
    """Send workers the function that they know, and ask ours here."""
    compare = workers._compare

    class Client:
        def __init__(self, client):
            self.client = client

        def run(self, version, *arguments, **options):
            return self.client.run(own if arguments else version, *arguments, **options)

    return lambda client, name, version, *arguments: compare(Client(client), name, version, *arguments)


def test_workers_without_the_package_are_refused(address, monkeypatch):
    """No code of ours runs there to find out."""
    monkeypatch.setattr("metaeval.running.workers._SAME", ("no-such-package", "numpy"))
    with working(cluster=address):
        assert crew().far  # not here either: nothing to compare
    own = metadata.version
    monkeypatch.setattr(
        "metaeval.running.workers.metadata.version", lambda name: "1" if "no-such" in name else own(name)
    )
    monkeypatch.setattr("metaeval.running.workers._compare", _comparing_with(own))
    with pytest.raises(InvalidOptionError, match="has no-such-package none, and here it is 1"):
        working(cluster=address).__enter__()


def test_a_cluster_that_cannot_work_is_refused(tmp_path, monkeypatch, dask_programs):
    """No workers, or several threads in one."""
    pytest.importorskip("distributed")
    with dask_programs.cluster(tmp_path, workers=None) as (address, _, _):
        with monkeypatch.context() as patch:
            patch.setattr("metaeval.running.workers._PATIENCE", 5)
            with pytest.raises(InvalidOptionError, match=r"has no workers: dask worker tcp://\S+ --nthreads 1"):
                working(cluster=address).__enter__()
        with (
            dask_programs.stopping(
                dask_programs.start("worker", address, "--nthreads", 2, "--no-nanny", folder=tmp_path)
            ),
            pytest.raises(InvalidOptionError, match=r"works on 2 pieces at once in one process.* --nthreads 1"),
        ):
            working(cluster=address).__enter__()


def test_nobody_answers(monkeypatch, dask_programs):
    """It is said after so many seconds, with the two commands that start a cluster."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("metaeval.running.workers._PATIENCE", 1)
    words = r"no Dask scheduler answers.*within 1 seconds.*`dask scheduler`.*`dask worker"
    with pytest.raises(InvalidOptionError, match=words):
        working(cluster=f"tcp://127.0.0.1:{dask_programs.free_port()}").__enter__()


def test_the_extra_is_named_where_it_is_absent(monkeypatch):
    """A message says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InvalidOptionError, match=r"pip install 'metaeval\[dask\]'"):
        working(cluster="tcp://127.0.0.1:8786").__enter__()


# ---------------------------------------------------------------------------------------------------- as a program


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("whole", [True, False], ids=["the group, as a terminal does", "the program alone"])
def test_an_interrupt_is_tidy(tmp_path, whole):
    """The documented code, one word, nothing from the workers, and none of them left."""
    table = tmp_path / "scores.csv"
    np.savetxt(table, np.random.default_rng(0).random((30, 8)), delimiter=",", header="a,b,c,d,e,f,g,h", comments="")
    words = ["compare-tests", str(table), "--splits", "5000", "--workers", "2", "--json"]
    program = subprocess.Popen(
        [sys.executable, "-m", "metaeval", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a program started in the background ignores interrupts, and so do those that it starts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - and nothing else runs in it
    )
    workers: list[int] = []
    try:
        deadline = time.monotonic() + HANGS
        while len(workers) < 2 and time.monotonic() < deadline:
            time.sleep(0.2)
            workers = _workers_of(program.pid)
        time.sleep(1)
        (os.killpg if whole else os.kill)(program.pid, signal.SIGINT)
        _, told = program.communicate(timeout=HANGS)
    finally:
        program.kill()
    assert len(workers) == 2
    assert program.returncode == 130, told
    assert told.splitlines()[-1] == "Interrupted; nothing half-written was left behind."
    assert "Traceback" not in told
    deadline = time.monotonic() + HANGS
    while any(map(_is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_is_alive, workers))


@pytest.mark.skipif(os.name != "posix", reason="the end of a process without its tidying up")
def test_what_is_left_behind_is_put_away_without_a_word(tmp_path):
    """Joblib's process that tidies up after us would warn of a file that is gone already, behind our last words."""
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    kept.touch()
    program = f"""
import os
from metaeval.running.workers import parallel_map
parallel_map(pow, [2, 3], [3, 2], n_jobs=2)
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.backend import resource_tracker
get_reusable_executor().shutdown(wait=True)
for one in ({str(kept)!r}, {str(gone)!r}):
    resource_tracker.register(one, "file")
os._exit(130)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
    deadline = time.monotonic() + HANGS
    while kept.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not kept.exists()


def _workers_of(pid):
    rows = [line.split(None, 2) for line in _ps("-eww", "-o", "pid=,ppid=,args=").splitlines()]
    return [int(row[0]) for row in rows if row[1] == str(pid) and "popen_loky" in row[2]]


def _is_alive(pid):
    state = _ps("-o", "stat=", "-p", str(pid)).strip()
    return bool(state) and not state.startswith("Z")


def _ps(*words):
    program = shutil.which("ps") or pytest.skip("needs ps")
    return subprocess.run([program, *words], capture_output=True, text=True, check=False).stdout
