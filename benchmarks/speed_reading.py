"""Reading and compiling runs, plain and packed: metaeval and the reader of ir_measures in turn, in one process.

Usage: python benchmarks/speed_reading.py [FOLDER] [--whole] [--rounds N] [--peer-runs N]

FOLDER comes from make_large_collection.py; without it that collection (110 runs x 250 topics x 1000 documents) is made
in a temporary folder, a tenth of it (25 topics) unless --whole is given. The runs are read as they are, packed with
gzip, and packed with zstandard, which ir_measures does not open and is handed as a stream of lines.

For each packing one process reads in turn, --rounds times (3 by default): with ir_measures, keeping nothing of the runs
(the first N of them, all by default; its time is scaled up by lines), and with metaeval on every core and with one
worker. The median of each is shown, on the clock and in processor time (user and system, of all threads). Where the
machine is shared the latter is the fairer of the two, and it leaves out what a second core gains. Before that, compiled
kernels are loaded and all files read once. Memory is the largest resident set of the process.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

GOAL_RATIO, GOAL_MEMORY = 8.0, 2.0
PACKINGS = {"plain": "", "gzip": ".gz", "zstandard": ".zst"}
PARTS = [*((packing, "judged") for packing in PACKINGS), ("plain", "all")]


def measure(folder: Path, packing: str, retrieved: str, *, rounds: int, peer_runs: int | None) -> None:
    """Read one packing in turn and print what it took, in the last line whether the goal is reached."""
    from metaeval.io.trec import read_collection

    warnings.simplefilter("ignore")
    runs, qrels = folder / packing, folder / "qrels.txt"
    files = sorted(runs.iterdir())
    for file in files:
        file.read_bytes()
    read_collection(files[0], qrels, retrieved=retrieved)

    def ours(n_jobs: int) -> int:
        return int(read_collection(runs, qrels, retrieved=retrieved, n_jobs=n_jobs).n_retrieved.sum())

    ways: dict[str, Callable[[], int]] = {
        "ir_measures": lambda: sum(map(peer_lines, files[:peer_runs])),
        "metaeval, every core": lambda: ours(-1),
        "metaeval, one worker": lambda: ours(1),
    }
    lines: dict[str, int] = {}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, read in ways.items():
            clock, processor = time.perf_counter(), time.process_time()
            lines[name] = read()
            times[name].append((time.perf_counter() - clock, time.process_time() - processor))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    medians = {name: [statistics.median(column) for column in zip(*times[name], strict=True)] for name in ways}
    n_lines = lines["metaeval, every core"]
    peer = [seconds * n_lines / lines["ir_measures"] for seconds in medians.pop("ir_measures")]
    print(
        f"{packing}, retrieved={retrieved!r}: {n_lines:,} lines; ir_measures read {lines['ir_measures']:,} of them: "
        f"{peer[0]:.1f} s (processor time {peer[1]:.1f} s) for all"
    )
    for name, (clock, processor) in medians.items():
        print(
            f"  {name}: {clock:.2f} s, {peer[0] / clock:.1f}x "
            f"(processor time {processor:.2f} s, {peer[1] / processor:.1f}x)"
        )
    reached = peer[0] / medians["metaeval, every core"][0] >= GOAL_RATIO and memory <= GOAL_MEMORY
    goal = f"{GOAL_RATIO:.0f}x on every core under {GOAL_MEMORY:.0f} GiB: {'reached' if reached else 'NOT REACHED'}"
    print(f"  {memory:.2f} GiB" + (f"; goal: {goal}" if retrieved == "judged" else ""))


def peer_lines(file: Path) -> int:
    """Let ir_measures read a run, keeping nothing of it, and return how many lines it has."""
    import ir_measures

    if file.suffix != ".zst":
        return sum(1 for _ in ir_measures.read_trec_run(str(file)))
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    with zstd.open(file, "rt") as stream:
        return sum(1 for _ in ir_measures.read_trec_run(stream))


def main() -> None:
    """Compare on the folder given, or on one made for the purpose."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--whole", action="store_true", help="make the whole collection, not a tenth of it")
    parser.add_argument("--rounds", type=int, default=3, help="how often each reads (default: 3)")
    parser.add_argument("--peer-runs", type=int, default=None, help="runs that the peer reads (default: all)")
    parser.add_argument("--only", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only:
        measure(chosen.folder, *chosen.only, rounds=chosen.rounds, peer_runs=chosen.peer_runs)
        return
    with tempfile.TemporaryDirectory() as name:
        given = chosen.folder or make_collection(Path(name, "made"), n_topics=250 if chosen.whole else 25)
        folder = packed(given, Path(name, "packed"))
        options = ["--rounds", str(chosen.rounds)]
        options += [] if chosen.peer_runs is None else ["--peer-runs", str(chosen.peer_runs)]
        for part in PARTS:
            command = [sys.executable, __file__, str(folder), *options, "--only", *part]
            subprocess.run(command, check=True)  # noqa: S603 - itself


def make_collection(folder: Path, *, n_topics: int) -> Path:
    """Make the large collection, or the part of it that has so many topics."""
    from metaeval.simulate.collection import simulate_collection

    sizes = {"n_groups": 22, "runs_per_group": 5, "n_documents": 4000, "depth": 1000, "pool_depth": 50}
    return simulate_collection(**sizes, n_topics=n_topics, rng=0).write_collection(folder)


def packed(given: Path, folder: Path) -> Path:
    """Make a folder that holds the qrels and, in a folder for each packing, the runs."""
    from metaeval.io.unpacking import COMPRESSIONS

    folder.mkdir()
    (folder / "qrels.txt").symlink_to((given / "qrels.txt").resolve())
    (folder / "plain").symlink_to((given / "runs").resolve())
    for packing, ending in PACKINGS.items():
        if not ending:
            continue
        (folder / packing).mkdir()
        for run in (given / "runs").iterdir():
            (folder / packing / (run.name + ending)).write_bytes(COMPRESSIONS[ending].packer(run.read_bytes()))
    return folder


if __name__ == "__main__":
    main()
