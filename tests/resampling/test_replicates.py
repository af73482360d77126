"""Replicates: seeds, workers, and what is kept on disk."""

import os
import time
import warnings

import joblib
import numpy as np
import pytest
import threadpoolctl

from metaeval.errors import InvalidOptionError
from metaeval.resampling.replicates import (
    ReplicateStore,
    ReplicateWarning,
    checksum,
    map_replicates,
    replicate_seed,
)
from metaeval.running.parallel import allowed_threads, limit_threads


def draw(number, generator, scale, offsets):
    """Return a draw, its number and a matrix."""
    return {
        "draw": generator.random(3) * scale + offsets[:3],
        "number": np.array(number),
        "matrix": generator.integers(0, 9, size=(2, 2)).astype(np.int16),
    }


def _same(ours, theirs):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert list(a) == list(b)
        for name, array in a.items():
            np.testing.assert_array_equal(array, b[name], strict=True)


def _store(tmp_path, **settings):
    return ReplicateStore(folder=tmp_path / "kept", name="draw", settings={"seed": 1, **settings})


ARGUMENTS = (2.0, np.arange(500_000.0))


def test_processes_and_one_process_give_the_same():
    """The result does not depend on the number of workers, also where a large array is shared through a file."""
    one = map_replicates(draw, range(5), seed=7, name="draw", arguments=ARGUMENTS)
    two = map_replicates(draw, range(5), seed=7, name="draw", arguments=ARGUMENTS, n_jobs=2)
    _same(one, two)


def whereabouts(_number, _generator):
    """Say which process."""
    return {"process": np.array(os.getpid())}


def test_workers_are_threads_where_that_is_asked_for():
    """Compiled work stays in this process; other work goes elsewhere."""
    for threads in (True, False):
        found = map_replicates(whereabouts, range(3), seed=0, name="where", n_jobs=2, threads=threads)
        assert all((one["process"] == os.getpid()) == threads for one in found)


def limited(_number, _generator):
    """Limit matrix products while the other thread does too."""
    with limit_threads(1):
        time.sleep(0.02)
    return {"none": np.zeros(1)}


def test_threads_leave_the_limits_of_this_process_as_they_were():
    """Replicates that set the limit of matrix products in turn do not leave theirs behind."""
    with threadpoolctl.threadpool_limits(2):
        before = [one["num_threads"] for one in threadpoolctl.threadpool_info()], allowed_threads()
        map_replicates(limited, range(5), seed=0, name="limits", n_jobs=2, threads=True)
        assert before == ([one["num_threads"] for one in threadpoolctl.threadpool_info()], allowed_threads())
    assert 2 in before[0]


def test_a_dask_cluster_gives_the_same(tmp_path):
    """Workers of a Dask cluster, reached through joblib's backend, change nothing."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cluster's own: ports taken, packages deprecated
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=False,
                dashboard_address=None,
                local_directory=str(tmp_path),
            ) as cluster,
            distributed.Client(cluster),
            joblib.parallel_config(backend="dask"),
        ):
            far = map_replicates(draw, range(5), seed=7, name="draw", arguments=ARGUMENTS)
    _same(map_replicates(draw, range(5), seed=7, name="draw", arguments=ARGUMENTS), far)


def test_a_replicate_does_not_depend_on_the_others():
    """More replicates, or other ones, leave each as it is; another name or seed draws independently."""
    five = map_replicates(draw, range(5), seed=7, name="draw", arguments=ARGUMENTS)
    _same([five[3]], map_replicates(draw, [3], seed=7, name="draw", arguments=ARGUMENTS))
    for seed, name in ((8, "draw"), (7, "other")):
        other = map_replicates(draw, [3], seed=seed, name=name, arguments=ARGUMENTS)
        assert not np.array_equal(other[0]["draw"], five[3]["draw"])
    states = {tuple(replicate_seed(0, "a", number).generate_state(4)) for number in range(1000)}
    assert len(states) == 1000


def test_what_is_kept_is_not_computed_again(tmp_path):
    """A finished replicate comes from disk with the same names, types, shapes and values."""
    store = _store(tmp_path)
    first = map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store)

    def fail(*_):
        pytest.fail("computed again")

    _same(first, map_replicates(fail, range(3), seed=7, name="draw", store=store))


def test_kept_files_do_not_depend_on_when_or_by_whom_they_were_made(tmp_path):
    """The same replicate is the same bytes, from one process or from workers."""
    files = []
    for n_jobs in (1, 2):
        store = ReplicateStore(folder=tmp_path / str(n_jobs), name="draw", settings={"seed": 1})
        map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store, n_jobs=n_jobs)
        files.append({path.name: path.read_bytes() for path in store.folder.iterdir()})
    assert files[0] == files[1]
    assert len(files[0]) == 3


def _flip(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "a bit turned over": _flip,
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "header cut": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "empty": lambda path: path.write_bytes(b""),
    "no header": lambda path: path.write_bytes(b"[]\n" + path.read_bytes()),
    "another file": lambda path: path.write_bytes(bytes(range(256)) * 9),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_replicate_is_computed_again_and_said_so(tmp_path, damage):
    """Whatever happened to a file, the result is as if it had never been there."""
    store = _store(tmp_path)
    before = map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store)
    damage(store.path(1))
    with pytest.warns(ReplicateWarning, match=r"00001\.npz is damaged; it is computed again"):
        after = map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store)
    _same(before, after)
    _same(before, map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store))


def test_no_bit_of_a_kept_file_can_turn_over_unnoticed(tmp_path):
    """Every bit counts, those of the header included: a file that differs anywhere is not used."""
    store = _store(tmp_path)
    arrays = {"tau": np.array([0.643, 0.5]), "judged": np.arange(3, dtype="<i4"), "notes": np.frombuffer(b"x", "u1")}
    store.keep(0, arrays)
    whole = store.path(0).read_bytes()
    with np.load(store.path(0)) as archive:  # a container that others can open
        np.testing.assert_array_equal(archive["tau"], arrays["tau"], strict=True)
    for bit in range(0, 8 * len(whole), 11):  # every byte, in turn each of its bits
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        store.path(0).write_bytes(content)
        with pytest.warns(ReplicateWarning, match="is damaged; it is computed again"):
            assert store.load(0) is None
    for size in range(0, len(whole), 7):
        store.path(0).write_bytes(whole[:size])
        with pytest.warns(ReplicateWarning, match="is damaged"):
            assert store.load(0) is None
    store.path(0).write_bytes(whole + b"0")
    with pytest.warns(ReplicateWarning, match="is damaged"):
        assert store.load(0) is None


def test_a_sealed_file_that_is_no_archive_is_not_ours(tmp_path):
    """A checksum that holds over something else ends in the same words, not in a traceback."""
    store = _store(tmp_path)
    store.make_folder()
    for body in (b"", b"PK", bytes(range(256))):
        store.path(0).write_bytes(body + checksum(body).encode())
        with pytest.warns(ReplicateWarning, match="is damaged"):
            assert store.load(0) is None


def test_a_foreign_replicate_is_computed_again_and_said_so(tmp_path):
    """A whole file of another replicate or of other settings under this one's name is not taken for it."""
    store, foreign = _store(tmp_path), _store(tmp_path, steps=[10])
    before = map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store)
    foreign.keep(2, before[2])
    for number, source in ((1, store.path(0)), (2, foreign.path(2))):
        store.path(number).write_bytes(source.read_bytes())
    with pytest.warns(ReplicateWarning) as warned:
        after = map_replicates(draw, range(3), seed=7, name="draw", arguments=ARGUMENTS, store=store)
    assert len([one for one in warned if "other settings or as another replicate" in str(one.message)]) == 2
    _same(before, after)


def test_other_settings_have_other_files(tmp_path):
    """Studies with different settings share a folder without touching each other's replicates."""
    assert _store(tmp_path).path(0) != _store(tmp_path, steps=[10]).path(0)
    assert _store(tmp_path, a=1, b=2).key == _store(tmp_path, b=2, a=1).key


def test_an_incomplete_replicate_is_computed_again(tmp_path):
    """What is kept counts only if it holds all that is asked for now."""
    store = _store(tmp_path)
    store.keep(0, {"draw": np.zeros(3)})
    found = map_replicates(
        draw, [0], seed=7, name="draw", arguments=ARGUMENTS, store=store,
        complete=lambda _number, arrays: "matrix" in arrays,
    )  # fmt: skip
    _same(found, map_replicates(draw, [0], seed=7, name="draw", arguments=ARGUMENTS))


def test_after_the_deadline_two_replicates_are_done_all_the_same(tmp_path):
    """A deadline long past leaves two replicates, the first ones; with those kept it goes no further."""
    past = time.monotonic() - 1
    arguments = {"seed": 7, "name": "draw", "arguments": ARGUMENTS}
    found = map_replicates(draw, range(9), deadline=past, **arguments)
    _same(found, map_replicates(draw, range(2), **arguments))
    store = _store(tmp_path)
    for number, arrays in enumerate(found):
        store.keep(number, arrays)
    store.keep(7, map_replicates(draw, [7], **arguments)[0])
    _same(found, map_replicates(draw, range(9), deadline=past, store=store, **arguments))


def test_no_workers_are_refused():
    """Zero workers is no number of workers."""
    with pytest.raises(InvalidOptionError, match="not 0"):
        map_replicates(draw, range(2), seed=7, name="draw", arguments=ARGUMENTS, n_jobs=0)


def test_an_error_in_a_worker_arrives():
    """What a replicate raises ends the study with that error."""
    with pytest.raises(IndexError):
        map_replicates(_broken, range(2), seed=7, name="draw", n_jobs=2)


def _broken(_number, _generator):
    return {"x": np.arange(3)[5]}


def test_checksums_tell_contents_apart():
    """Arrays and bytes count by content."""
    assert checksum(np.arange(3)) == checksum(np.arange(3).tobytes())
    assert checksum(np.arange(3)) != checksum(np.arange(1, 4))
    assert checksum(np.zeros((0,))) == checksum(b"")
