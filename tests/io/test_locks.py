"""Locks: one holder at a time, and none left by who is gone."""

import errno
import os

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
