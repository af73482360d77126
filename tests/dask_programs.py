"""A Dask cluster of its own processes on this machine, started as a user starts one."""

import os
import random
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


def free_port():
    """Return a port that nobody has, and that the system gives nobody for a connection of his own.

    Those that it hands out begin at 32768 (Linux) or 49152: between this call and the start of a scheduler, which takes
    seconds, some other test's connection may be given one of them.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_000), 200):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("200 ports of this machine are taken")


def wait_for(scheduler, port):
    """Return when the scheduler answers; if it has ended instead, fail with what it said."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        if scheduler.poll() is not None:
            break
        time.sleep(0.1)
    raise OSError(f"the scheduler does not answer at port {port}:\n{scheduler.log.read_text('utf-8')}")


def start(*words, folder):
    """Start ``dask ...`` in the background; it finds this package, and its tests."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    program = [sys.executable, "-m", "dask", *map(str, words), "--no-dashboard"]
    said = Path(folder, f"{words[0]}.log")
    with said.open("ab") as log:
        started = subprocess.Popen(program, cwd=folder, env=environment, stdout=log, stderr=log)
    started.log = said
    return started


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
        wait_for(scheduler, int(address.rpartition(":")[2]))
        if workers is None:
            yield address, scheduler, None
            return
        with stopping(start("worker", address, *workers, folder=folder)) as (worker,):
            yield address, scheduler, worker
