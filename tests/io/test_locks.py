"""Locks: one holder at a time, and none left by who is gone."""

import errno
import os
from types import SimpleNamespace

import pytest

from metaeval.io import locks
from metaeval.io.locks import Lock


def test_one_holder_at_a_time(tmp_path):
    """Until it lets go, nobody else gets it; a file that is not there is not made unless asked."""
    path = tmp_path / "lock"
    assert Lock.take(path, make=False) is None
    lock = Lock.take(path)
    assert lock.sure
    assert Lock.take(path) is None
    lock.note("me")
    lock.note("I")
    assert path.read_text() == "I"
    lock.release(remove=True)
    assert not path.exists()
    Lock.take(path).release()
    assert path.exists()


def test_a_file_removed_while_one_waits_is_not_taken_for_the_new_one(tmp_path, monkeypatch):
    """Else two processes would hold one name: the old file and the one that has its name now."""
    path, hold = tmp_path / "lock", locks._hold
    calls = []

    def removed_first(descriptor):
        if not calls:
            path.unlink()
        calls.append(descriptor)
        return hold(descriptor)

    monkeypatch.setattr(locks, "_hold", removed_first)
    lock = Lock.take(path)
    assert len(calls) == 2
    assert os.path.samestat(path.stat(), os.fstat(lock._descriptor))
    lock.release()


@pytest.mark.skipif(locks.fcntl is None, reason="the system has no such locks")
@pytest.mark.parametrize(("number", "sure"), [(errno.ENOLCK, False), (errno.EOPNOTSUPP, False), (errno.EACCES, None)])
def test_disks_without_locks(tmp_path, monkeypatch, number, sure):
    """Some know none, and keep nobody out; some say in another word that it is held."""

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    lock = Lock.take(tmp_path / "lock")
    assert (lock and lock.sure) == sure
    if lock:
        lock.release(remove=True)


def test_systems_without_locks(tmp_path, monkeypatch):
    """Everything works, and nothing is vouched for."""
    monkeypatch.setattr(locks, "fcntl", None)
    lock = Lock.take(tmp_path / "lock")
    assert not lock.sure
    lock.release()


def test_windows_has_locks_of_its_own(tmp_path, monkeypatch):
    """One byte that lies behind the words, which others can read so; who comes second is refused."""
    held = {}

    def locking(descriptor, mode, n_bytes):
        where = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR), mode, n_bytes
        if where in held:
            raise PermissionError(errno.EACCES, "Permission denied")
        held[where] = descriptor

    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(locks, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    lock = Lock.take(tmp_path / "lock")
    lock.note("process 7")
    assert lock.sure
    assert Lock.take(tmp_path / "lock") is None
    ((_, behind, _, n_bytes),) = held
    assert behind > len((tmp_path / "lock").read_bytes()) == 9
    assert n_bytes == 1
    lock.release()


def test_what_is_held_is_let_go_before_it_is_removed_where_that_must_be(tmp_path, monkeypatch):
    """Windows removes and renames nothing that is open; the second time nobody has it."""
    descriptors = []

    def refuse_open(path, *rest):
        descriptors.append(lock._descriptor)
        if lock._descriptor is not None:
            raise PermissionError(errno.EACCES, "in use", str(path))
        return [path.unlink, lambda: path.rename(*rest)][len(rest)]()

    monkeypatch.setattr(locks, "rename", refuse_open)
    monkeypatch.setattr(locks, "remove_file", refuse_open)
    lock = Lock.take(tmp_path / "first")
    lock.give_name(tmp_path / "second")
    lock = Lock.take(tmp_path / "second")
    lock.release(remove=True)
    assert [descriptor is None for descriptor in descriptors] == [False, True, False, True]
    assert not list(tmp_path.iterdir())
