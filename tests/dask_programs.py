"""A Dask cluster of its own processes on this machine, started as a user starts one."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


def free_port():
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait_for(port):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


def start(*words, folder):
    """Start ``dask ...`` in the background; it finds this package, and its tests."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    program = [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard"]
    with Path(folder, f"{words[0]}.log").open("ab") as log:
        return subprocess.Popen(program, cwd=folder, env=environment, stdout=log, stderr=log)


@contextmanager
def stopping(*programs):
    """End programs with the block."""
    try:
        yield programs
    finally:
        for one in reversed(programs):
            one.terminate()
        for one in programs:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()


@contextmanager
def cluster(folder, *, workers=("--nthreads", 1, "--nworkers", 2)):
    """Start a scheduler and workers; yield the address, and the two programs."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], folder=folder)
    with stopping(scheduler):
        _wait_for(int(address.rpartition(":")[2]))
        if workers is None:
            yield address, scheduler, None
            return
        with stopping(start("worker", address, *workers, folder=folder)) as (worker,):
            yield address, scheduler, worker
