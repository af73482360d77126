"""Fuzz every reader: structured documents, changed where it hurts, each held against a second opinion.

Usage: python benchmarks/studies/fuzz_readers.py --inputs 1000000 --seed 0 --workers 2 [--minutes M] [--readers NAME …]
       [--keep FILE]

Half of the accepted inputs are valid documents, oddly spelt, whose content is known from how they were made: after
every accepted one of the others comes one of these. An input counts as accepted (and read as the second opinion, or the
known content, has it), refused (metaeval's own error), a difference (accepted, though the second opinion refuses it or
reads it otherwise; or an odd spelling that is refused), a foreign exception (anything that is not metaeval's own error,
warnings of other packages included), or slow (more than a second). See tests/fuzz/fuzz_harness.py for the contract.
Inputs are distributed over the readers by their speed, and every reader is at the same share of its inputs at any time.
Every failure is shortened and printed as a line for tests/fuzz/found.txt; --keep FILE adds it there. A whole run writes
its counts to reports/robustness.md, between the marks of its own section.

Exit code 1 if anything failed.
"""

import argparse
import multiprocessing
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # tiny files; read when polars is imported
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))

from fuzz_harness import Case, Outcome, Reader, kept_line, outcome, settings, shortened, workplace  # noqa: E402 - by path
from fuzz_table import READERS  # noqa: E402 - by path

REPORT = ROOT / "benchmarks" / "reports" / "robustness.md"
BEGIN, END = "<!-- readers -->", "<!-- /readers -->"
NO_END, DIED = "no end", "the process died"
CHUNK = 500
HANGS = 100.0  # of a processor; longer than two tries of a foreign file, ten seconds each
WAITS = 3000.0  # by the clock: a busy machine may give a process little of it
LEAST, SLOW = 2_000, 4_000
GIBIBYTE = 2**30
MOST_MEMORY = 2 * GIBIBYTE


EXPLANATION = (
    "Tiny structured documents, each with none, one or a few changes (lines, fields, separators, line ends, numbers, "
    "names, bytes, encodings, splices), held against a literal second parser. Accepted: and equal to the second "
    "opinion. Odd spellings: of the accepted, those that are valid though oddly spelt (marks, line ends, blanks, "
    "quotation marks, numbers, names, order, escapes, references, compression), read exactly as what they were made "
    "from. Refused: by an error of metaeval's own. Difference: accepted, but refused or read otherwise by the second "
    "opinion, or an odd spelling that is refused or read otherwise. Foreign: any other exception, another package's "
    "warning, or no end. Slow: more than a second. Peak: largest resident set of the process, all packages included. "
    "Inputs a second are those of processor time, the second opinion included."
)


_COLUMNS = (
    *("reader", "inputs", "accepted", "odd spellings", "refused", "differences", "foreign", "slow", "slowest, ms"),
    *("peak, GiB", "a second"),
)


class Place(NamedTuple):
    """Which input it was."""

    seed: int
    number: int
    spelt: bool = False

    def case(self, reader: Reader) -> Case:
        """Make it again."""
        return reader.spelt(self.seed, self.number) if self.spelt else reader.case(self.seed, self.number)


@dataclass
class Count:
    """What became of the inputs of one reader."""

    inputs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    seconds: float = 0.0
    peak: float = 0.0
    spelt: int = 0
    failures: dict[tuple[str, str], Place] = field(default_factory=dict)

    def add(self, other: "Count") -> None:
        """Add what another chunk found."""
        self.inputs += other.inputs
        self.spelt += other.spelt
        self.kinds += other.kinds
        self.slowest = max(self.slowest, other.slowest)
        self.seconds += other.seconds
        self.peak = max(self.peak, other.peak)
        for key, place in other.failures.items():
            self.failures.setdefault(key, place)


def shares(readers: list[Reader], inputs: int) -> dict[str, int]:
    """Distribute inputs by speed, with no reader short of `LEAST` where there are enough, and it is not very slow."""
    least = {one.name: min(LEAST, inputs // len(readers), int(inputs / SLOW * one.speed)) for one in readers}
    rest = inputs - sum(least.values())
    whole = sum(reader.speed for reader in readers)
    found = {reader.name: least[reader.name] + int(rest * reader.speed / whole) for reader in readers}
    found[readers[0].name] += inputs - sum(found.values())
    return found


def work_through(reader: Reader, seed: int, part: range, now: Any, inside: Path) -> Count:  # noqa: ANN401 - shared memory
    """Try some inputs of a reader; `now` always holds the number of the one being tried, below -1 an odd spelling."""
    count = Count()
    begun = time.process_time()
    with workplace(inside) as folder, settings():
        owed = False
        for number in part:
            now.value = -2 - number if owed else number
            place = Place(seed, number, owed)
            got = outcome(reader, place.case(reader), folder)
            accepted = got.kind == "accepted"
            count.inputs += 1
            count.spelt += owed and accepted
            count.kinds[got.kind] += 1
            count.slowest = max(count.slowest, got.seconds)
            if got.failed:
                count.failures.setdefault((got.kind, got.why), place)
            owed = accepted and not owed and reader.spell is not None
    count.seconds = time.process_time() - begun
    count.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIBIBYTE
    return count


def _worker(tasks: Any, now: Any, seed: int, inside: Path) -> None:  # noqa: ANN401 - a pipe and shared memory
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MOST_MEMORY, most))
    # a panic of polars prints its own traceback: it is counted, not shown
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    while (task := tasks.recv()) is not None:
        name, begin, end = task
        tasks.send(work_through(READERS[name], seed, range(begin, end), now, inside))


def _address_space() -> int:
    """Return what the process has reserved; an input that asks for much more is to fail, not to stop the machine."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def _worked(pid: int) -> float:
    """Return the seconds that processors have worked for a process and those that it saw end, 0 once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A forked process, started again after an input that ended or stopped it."""

    def __init__(self, context: Any, seed: int, inside: Path) -> None:  # noqa: ANN401
        self.context, self.seed, self.inside = context, seed, inside
        self.task: tuple[str, int, int] | None = None
        self.start()

    def start(self) -> None:
        """Fork."""
        self.tasks, theirs = self.context.Pipe()
        self.now = self.context.Value("q", -1, lock=False)
        self.process = self.context.Process(
            target=_worker, args=(theirs, self.now, self.seed, self.inside), daemon=True
        )
        self.process.start()
        theirs.close()
        self._saw(-1)

    def _saw(self, number: int) -> None:
        self.seen, self.since, self.worked = number, time.monotonic(), _worked(self.process.pid)

    def give(self, task: tuple[str, int, int]) -> None:
        """Hand over a task."""
        self.task = task
        self._saw(-1)
        self.tasks.send(task)

    def answer(self) -> Count | None:
        """Return what came of the task, None while it is being done; a process that died or hangs is an answer too."""
        try:
            if self.tasks.poll(0):
                self.task = None
                return self.tasks.recv()
        except (EOFError, OSError):
            pass
        if self.now.value != self.seen:
            self._saw(self.now.value)
        waited = time.monotonic() - self.since
        hangs = waited > HANGS and (waited > WAITS or _worked(self.process.pid) - self.worked > HANGS)
        if self.process.is_alive() and not hangs:
            return None
        self.process.kill()
        self.process.join()
        spelt, number = self.now.value < -1, self.now.value
        place = Place(self.seed, -2 - number if spelt else number, spelt)
        why = NO_END if hangs else f"{DIED} ({self.process.exitcode})"
        self.start()
        return Count(inputs=1, kinds=Counter(exception=1), failures={("exception", why): place})


def run(readers: list[Reader], chosen: argparse.Namespace, inside: Path) -> dict[str, Count]:
    """Fuzz in forked processes, all readers alike at any time; the answer does not depend on how many processes."""
    context = multiprocessing.get_context("fork")
    wanted = shares(readers, chosen.inputs)
    todo = [
        (name, begin, min(begin + size, share))
        for name, share in wanted.items()
        for size in [max(20, min(CHUNK, int(READERS[name].speed / 4)))]
        for begin in range(0, share, size)
    ]
    todo.sort(key=lambda task: -task[1] / wanted[task[0]])
    counts = {reader.name: Count() for reader in readers}
    workers = [Worker(context, chosen.seed, inside) for _ in range(chosen.workers)]
    done, last = 0, time.monotonic()
    end = last + 60 * chosen.minutes
    while todo or any(worker.task for worker in workers):
        for worker in workers:
            if worker.task is not None:
                task = worker.task
                count = worker.answer()
                if count is None:
                    continue
                if worker.task is not None:  # it died, and what the chunk had found so far with it
                    name, begin, stop = task
                    number = max(begin, next(iter(count.failures.values())).number)
                    todo += [(name, *part) for part in ((begin, number), (number + 1, stop)) if part[0] < part[1]]
                    worker.task = None
                for kind, why in count.failures.keys() - counts[task[0]].failures.keys():
                    print(f"{task[0]}: {kind}: {why}", flush=True)
                counts[task[0]].add(count)
                done += count.inputs
            todo = todo if time.monotonic() < end else []
            if todo:
                worker.give(todo.pop())
        time.sleep(0.002)
        if time.monotonic() - last > 20:
            last = time.monotonic()
            print(f"{done:,} of {chosen.inputs:,}", flush=True)
    for worker in workers:
        worker.tasks.send(None)
        worker.process.join()
    return counts


def short_failures(readers: list[Reader], counts: dict[str, Count]) -> Iterator[tuple[Reader, Case, Outcome]]:
    """Shorten one input of every kind of failure."""
    with workplace() as folder, settings():
        for reader in readers:
            for (kind, why), place in counts[reader.name].failures.items():
                case = place.case(reader)
                if reader.shorten and not place.spelt and why != NO_END and not why.startswith(DIED):
                    case, got = shortened(reader, case, folder)
                else:
                    got = Outcome(kind, why)
                if not got.failed:  # what the machine did, rather than the input
                    got = Outcome(kind, f"{why}, and not when tried again")
                yield reader, case, got


def section(counts: dict[str, Count], chosen: argparse.Namespace, seconds: float, commit: str) -> str:
    """Write what was counted as a section of the report."""
    total = Count()
    rows = []
    for name, count in [*counts.items(), ("all", total)]:
        if count is not total:
            total.add(count)
        kinds = count.kinds
        numbers = (
            *(count.inputs, kinds["accepted"], count.spelt, kinds["refused"], kinds["difference"], kinds["exception"]),
            *(kinds["slow"], round(count.slowest * 1000)),
        )
        rate = count.inputs / max(count.seconds, 1e-9)
        rows.append(f"| {name} | {' | '.join(f'{one:,}' for one in numbers)} | {count.peak:.2f} | {rate:,.0f} |")
    command = (
        f"python benchmarks/studies/fuzz_readers.py --inputs {chosen.inputs} --seed {chosen.seed} --workers {chosen.workers}"
    )
    python = f"{platform.python_implementation()} {platform.python_version()}"
    lines = [
        "## Readers",
        "",
        f"`{command}` at commit {commit}: {seconds / 60:.1f} minutes, {python}.",
        "",
        EXPLANATION,
        "",
        f"| {' | '.join(_COLUMNS)} |",
        f"|---|{'---:|' * (len(_COLUMNS) - 1)}",
        *rows,
    ]
    return "\n".join(lines)


def _commit() -> str:
    """Return the commit that is tried, and whether files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - as it stands here
    return found.stdout.strip() or "unknown"


def write_section(text: str) -> None:
    """Put the section between its marks, and leave everything else in the report as it is."""
    old = REPORT.read_text(encoding="utf-8") if REPORT.exists() else "# Robustness\n"
    new = f"{BEGIN}\n{text}\n{END}"
    if BEGIN in old:
        whole = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: new, old, flags=re.DOTALL)
    else:
        whole = f"{old.rstrip()}\n\n{new}\n"
    REPORT.write_text(whole, encoding="utf-8")


def main() -> int:
    """Run, print, and write the report of a whole run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after so many, with what was reached")
    parser.add_argument("--readers", nargs="*", choices=list(READERS), metavar="NAME", help="by default all")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add shortened failures to this file")
    chosen = parser.parse_args()
    readers = [READERS[name] for name in chosen.readers or READERS]
    commit = _commit()
    warm_up(readers)
    begun = time.monotonic()
    with workplace() as inside:  # what a killed worker leaves goes with it
        counts = run(readers, chosen, inside)
    text = section(counts, chosen, time.monotonic() - begun, commit)
    print(text)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # as in the workers
    n_failures = 0
    for reader, case, got in short_failures(readers, counts):
        n_failures += 1
        print(f"\n{reader.name}: {got.kind}: {got.why}\n  {got.detail}\n  {kept_line(reader, case)}")
        if chosen.keep:
            # those without an end are tried in processes of their own
            alone = got.why == NO_END or got.why.startswith(DIED)
            file = chosen.keep.with_name("found_without_end.txt") if alone else chosen.keep
            with file.open("a", encoding="utf-8") as stream:
                stream.write(kept_line(reader, case) + "\n")
    if not chosen.readers:
        write_section(text)
    return 1 if n_failures else 0


def warm_up(readers: list[Reader]) -> None:
    """Load everything once, that forked processes share it."""
    with workplace() as folder, settings():
        for reader in readers:
            # threads of polars do not survive a fork
            for number in range(0 if reader.polars else 20):
                outcome(reader, reader.case(-1, number), folder)


if __name__ == "__main__":
    sys.exit(main())
