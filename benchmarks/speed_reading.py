"""Reading and compiling runs: metaeval against the reader of ir_measures, same files, same process order, same machine.

Usage: python benchmarks/speed_reading.py [FOLDER] [--peer-runs N]

FOLDER comes from make_large_collection.py; without it a tenth of that collection (110 runs, 25 topics) is made in a
temporary folder. The peer reads N of the runs (all by default), and its time is scaled up by lines. Every figure comes
from a process of its own, with compiled kernels loaded from their cache (a first, unmeasured call makes it), and all
files are read once before, so that the file cache is warm. Memory is the largest resident set of the process. Processor
time, over all threads, is printed beside the time on the clock: where the machine is shared it is the fairer of the
two, and it leaves out what a second core gains.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

GOAL_RATIO, GOAL_MEMORY = 5.0, 2.0


class Measured(NamedTuple):
    """Seconds on the clock, seconds of processor time, GiB and lines of one process."""

    seconds: float
    processor: float
    memory: float
    lines: int


def measure_ours(folder: Path, retrieved: str, n_jobs: int) -> Measured:
    """Read and compile everything."""
    from metaeval.io.trec import read_collection

    warnings.simplefilter("ignore")
    first = min((folder / "runs").iterdir())
    read_collection(first, folder / "qrels.txt", retrieved=retrieved)
    clock, processor = time.perf_counter(), time.process_time()
    collection = read_collection(folder / "runs", folder / "qrels.txt", retrieved=retrieved, n_jobs=n_jobs)
    return _measured(clock, processor, int(collection.n_retrieved.sum()))


def measure_peer(folder: Path, n_runs: int | None) -> Measured:
    """Let ir_measures read the runs, keeping nothing of them."""
    import ir_measures

    files = sorted((folder / "runs").iterdir())[:n_runs]
    n_lines = 0
    clock, processor = time.perf_counter(), time.process_time()
    for file in files:
        for _ in ir_measures.read_trec_run(str(file)):
            n_lines += 1
    return _measured(clock, processor, n_lines)


def _measured(clock: float, processor: float, lines: int) -> Measured:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Measured(time.perf_counter() - clock, time.process_time() - processor, memory, lines)


def _in_own_process(*arguments: str) -> Measured:
    command = [sys.executable, __file__, *arguments]
    words = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()  # noqa: S603 - itself
    return Measured(*map(float, words[:3]), int(words[3]))


def main() -> None:
    """Compare on the folder given, or on one made for the purpose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--peer-runs", type=int, default=None, help="runs that the peer reads (default: all)")
    parser.add_argument("--only", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        part, *rest = chosen.only
        peer = part == "peer"
        print(
            *(measure_peer(chosen.folder, chosen.peer_runs) if peer else measure_ours(chosen.folder, part, int(*rest)))
        )
        return
    if chosen.folder:
        compare(chosen.folder, chosen.peer_runs)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(make_collection(Path(folder) / "made"), chosen.peer_runs)


def make_collection(folder: Path) -> Path:
    """Make a tenth of the large collection."""
    from metaeval.simulate.collection import simulate_collection

    sizes = {"n_groups": 22, "runs_per_group": 5, "n_topics": 25, "n_documents": 4000, "depth": 1000, "pool_depth": 50}
    return simulate_collection(**sizes, rng=0).write_collection(folder)


def compare(folder: Path, peer_runs: int | None) -> None:
    """Measure each in a process of its own and print the ratios."""
    for file in (folder / "runs").iterdir():
        file.read_bytes()
    peer_options = [] if peer_runs is None else ["--peer-runs", str(peer_runs)]
    peer = _in_own_process(str(folder), *peer_options, "--only", "peer")
    ours = {
        (retrieved, n_jobs): _in_own_process(str(folder), "--only", retrieved, str(n_jobs))
        for retrieved, n_jobs in (("judged", -1), ("judged", 1), ("all", -1))
    }
    lines = ours["judged", -1].lines
    scale = lines / peer.lines
    clock, processor = peer.seconds * scale, peer.processor * scale
    print(f"{lines:,} lines; ir_measures read {peer.lines:,} of them: {clock:.1f} s ({processor:.1f} s) for all")
    for (retrieved, n_jobs), found in ours.items():
        workers = "every core" if n_jobs == -1 else "one worker"
        print(
            f"metaeval, retrieved={retrieved!r}, {workers}: {found.seconds:.1f} s, {clock / found.seconds:.1f}x "
            f"(processor time {found.processor:.1f} s, {processor / found.processor:.1f}x), {found.memory:.2f} GiB"
        )
    best = ours["judged", -1]
    reached = clock / best.seconds >= GOAL_RATIO and best.memory <= GOAL_MEMORY
    print(f"goal: {GOAL_RATIO:.0f}x under {GOAL_MEMORY:.0f} GiB: {'reached' if reached else 'NOT REACHED'}")


if __name__ == "__main__":
    main()
