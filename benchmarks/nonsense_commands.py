"""Give every option of every command nonsense: each line must end with a documented code, soon, without a traceback.

Usage: python benchmarks/nonsense_commands.py [--in-process 9000] [--processes 1000] [--seed 0]

The options are found by looking at the commands, so that a new one is covered by itself. A line is what a command needs
at least (tiny simulated input), and one to three options with values that are negative, zero, huge, no number, empty,
foreign letters, a folder, a missing file, of the wrong type, given twice, or, now and then, right. Most lines run in
this process, the rest as processes of their own. A run of 10,000 lines or more writes its counts into
reports/robustness.md, between the marks of its own section.
"""

import argparse
import contextlib
import io
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer

from metaeval.cli import app, main
from metaeval.inex.simulation import simulate_inex
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.votes import simulate_votes

REPORT = Path(__file__).parent / "reports" / "robustness.md"
BEGIN, END = "<!-- command lines -->", "<!-- /command lines -->"
DOCUMENTED = {0, 2, 3, 4, 5, 130, 143}
LIMIT = 10.0
HANGS = 60.0
MEMORY = 8 * 2**30
LEAST = 10_000
FRESH = 50

NUMBERS = ("-1", "0", "1", "2", "0.5", "-0.0", "1e-320", "1e999", "-inf", "nan", "NaN", "inf", "9" * 19, "9" * 5000)
NUMBERS += ("1_0", "0x10", "٣", "²", "1,5", "1;2", "1e3", "+7", " 3 ", "--3", "1-", "5-1", "1-9999999999999", "7%")
TEXTS = (
    "",
    " ",
    "-",
    "--",
    "=",
    ",",
    ",,",
    ";",
    "☃",
    "\u202egnp",
    "\x1b[31mred",
    "a\nb",
    "x" * 5000,
    "a=b",
    "=b",
    "a=",
)
TEXTS += (
    "AP,AP",
    "AP;nDCG",
    "AP,",
    "AP(",
    "nDGC@10",
    "nDCG@",
    "AP(rel=-1)",
    "RBP(p=2)",
    "nDCG(gains={1:1})@5",
    "AP'''",
)
TEXTS += (
    "ttest",
    "BY",
    "fisher,t",
    "all,t",
    "ALL",
    "none,none",
    "True",
    "None",
    "(",
    "(a)",
    "[",
    "a{99999}",
    "{1:1",
    "*",
)
TEXTS += ("t,wilcoxon,sign,tukey", "zero", "rank", "rows", "2,1", "1,", "0,0", "{1:1,2:5}", "30s", "0s", "9h9", "$HOME")
PATHS = (
    ".",
    "..",
    "/",
    "~",
    "/dev/null",
    "/dev/full",
    "absent",
    "absent/absent",
    "a" * 300,
    "text.txt",
    "empty",
    "picture.png",
)
PATHS += ("scores.csv", "made/qrels.txt", "made/runs", "folder", "locked", "loop", "scores.parquet", "NAME=scores.csv")


@dataclass
class Line:
    """One command line and how it ended: `seconds` on the clock, `worked` on the processors."""

    words: list[str]
    code: int = -1
    seconds: float = 0.0
    worked: float = 0.0
    trouble: str = ""


@dataclass
class Count:
    """What became of the lines of one kind."""

    codes: Counter[int] = field(default_factory=Counter)
    slowest: list[Line] = field(default_factory=list)
    troubles: list[Line] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Take one line in."""
        self.codes[line.code] += 1
        self.slowest = sorted([*self.slowest, line], key=lambda one: -one.seconds)[:5]
        if line.trouble:
            self.troubles.append(line)


class TooSlowError(BaseException):
    """A line took longer than any may."""


def make_world(folder: Path) -> None:
    """Make the small inputs that lines read, and things that no command can read."""
    rng = np.random.default_rng(0)
    collection = simulate_collection(
        n_groups=2, runs_per_group=2, n_topics=6, n_documents=60, depth=15, pool_depth=5, rng=1
    )
    collection.write_collection(folder / "made")
    campaign = simulate_inex(
        year=2005, n_systems=2, n_topics=2, n_documents=40, n_results=20, pool_size=15, rng=4, published=False
    )
    campaign.write_collection(folder / "inex")
    table = pd.DataFrame(rng.random((12, 4)).round(3), columns=["w", "x", "y", "z"])
    table.to_csv(folder / "scores.csv", index=False)
    (table / 2).round(3).to_csv(folder / "other.csv", index=False)
    (folder / "twin").mkdir()
    (1 - table**2).round(3).to_csv(folder / "twin" / "scores.csv", index=False)
    pd.DataFrame({"run": list("wxyz"), "team": list("aabb")}).to_csv(folder / "groups.csv", index=False)
    human = pd.DataFrame(rng.random((24, 3)).round(3), columns=["human", "A", "B"])
    human.insert(0, "system", np.repeat(list("wxyz"), 6))
    human.insert(1, "doc", np.tile([f"d{place}" for place in range(6)], 4))
    human.to_csv(folder / "human.csv", index=False)
    rows = [f"{place % 2},d{place},{place % 3},{(place + 1) % 2}" for place in range(10)]
    made = simulate_votes(n_systems=4, n_questions=12, n_voters=9, n_votes=160, rng=1)
    made.replace(dict(zip([f"system{at}" for at in range(1, 5)], "wxyz", strict=True))).to_csv(
        folder / "votes.csv", index=False
    )
    (folder / "labels.csv").write_text("\n".join(["topic,item,ann,ben", *rows]))
    (folder / "log.csv").write_text("topic,document,seconds\n2005001,co/made/r10000,50\n")
    plugin = "from metaeval.metrics import metric\n@metric\ndef Mine(topic): return 0.5\n"
    (folder / "plugin.py").write_text(plugin)
    (folder / "text.txt").write_text("What is this?\nA page of prose, with no numbers at all.\n")
    (folder / "empty").write_bytes(b"")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (folder / "scores.parquet").write_bytes(b"PAR1" + bytes(64))
    (folder / "folder").mkdir()
    (folder / "locked").mkdir(mode=0o500)
    (folder / "loop").symlink_to("loop")


FAST = {
    "look": "scores.csv",
    "power": "scores.csv other.csv --resamples 40",
    "report": "scores.csv --resamples 40 --interval-resamples 0 --no-topics --out NEW",
    "topics": "scores.csv --trials 3 --interval-resamples 2 --no-bayes --tolerances 0",
    "agree": "scores.csv other.csv --resamples 40 --interval-resamples 0",
    "compare-metrics": "scores.csv other.csv --resamples 40 --interval-resamples 2 --no-topics",
    "compare-tests": "scores.csv --resamples 40 --splits 2",
    "table": "scores.csv other.csv --baseline w",
    "leaderboard": "scores.csv --resamples 40",
    "judgments": "made/runs --qrels made/qrels.txt --metrics AP --replicates 2 --tested 0 --question less-judging",
    "score": "made/runs --qrels made/qrels.txt --metrics AP",
    "design": "scores.csv",
    "stop": "scores.csv --replay 2",
    "combine": "one=scores.csv two=twin/scores.csv --study table",
    "components": "scores.csv --splits 2",
    "human": "human.csv --reference human --resamples 20",
    "votes": "votes.csv",
    "judges": "labels.csv --resamples 20",
    "assessment": "inex/assessments",
    "reliability": "inex/assessments --metrics nxCG(quant=Gen5)@5",
    "metrics": "",
    "check-metric": "AP --collections 2",
    "doctor": "",
    "simulate scores": "NEW.csv --systems 4 --topics 5",
    "simulate collection": "NEW --topics 3 --documents 50 --depth 10 --pool-depth 5",
    "simulate inex": "NEW --systems 2 --topics 2 --documents 30 --results 10",
}
"""What a command needs to be quick; another one gets a table of scores."""
FOR_RUNS = "made/runs --qrels made/qrels.txt --metrics AP,P@10"


def commands() -> dict[str, Any]:
    """Return every command by its words."""

    def walk(group: Any, words: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer's
        for name, command in group.commands.items():
            own = f"{words} {name}".strip()
            yield from walk(command, own) if hasattr(command, "commands") else [(own, command)]

    return dict(walk(typer.main.get_command(app), ""))


def make_lines(number: int, seed: int) -> Iterator[list[str]]:
    """Yield command lines: every option of every command in turn, and two more options now and then."""
    draw = random.Random(seed)  # noqa: S311 - nonsense, not secrets
    known = commands()
    options = [
        (name, option)
        for name, command in known.items()
        for option in command.params
        if option.opts[0] not in {"--help", "-h"}
    ]
    draw.shuffle(options)
    for place in range(number):
        name, option = options[place % len(options)]
        others = [one for one in known[name].params if one.opts[0].startswith("-") and one.opts[0] != "--help"]
        words = shlex.split(FAST.get(name, "scores.csv"))
        if draw.random() < 0.3 and any(one.name == "qrels" for one in others) and name not in {"judgments", "score"}:
            words = [*shlex.split(FOR_RUNS), *words[1 + words.count("other.csv") :]]
        extra = [option, *draw.sample(others, draw.choice((0, 0, 1, 2)))]
        for one in extra:
            words = _with(words, one, draw)
        if draw.random() < 0.03:
            words = words[1:]
        yield [*name.split(), *(word.replace("NEW", f"new{place}") for word in words)]


def _with(words: list[str], option: Any, draw: random.Random) -> list[str]:  # noqa: ANN401 - typer's
    """Add an option with some value, or put something else in the place of an argument."""
    if not option.opts[0].startswith("-"):
        at = draw.randrange(len(words)) if words else 0
        return [*words[:at], _value(option, draw), *words[at + (draw.random() < 0.7) :]]
    flag = draw.choice([*option.opts, *option.secondary_opts])
    if getattr(option, "is_flag", False):
        return [*words, flag] if draw.random() < 0.9 else [*words, f"{flag}=maybe"]
    if not option.multiple:  # given twice it would be refused for that alone
        at = next((at for at, word in enumerate(words) if word in option.opts), len(words))
        words = words[:at] + words[at + 2 :]
    times = 2 if draw.random() < 0.15 else 1
    for _ in range(times):
        value = _value(option, draw)
        words = [*words, flag, value] if draw.random() < 0.8 else [*words, f"{flag}={value}"]
    return words if draw.random() < 0.97 else words[:-1]


def _value(option: Any, draw: random.Random) -> str:  # noqa: ANN401 - typer's
    """Draw a value: mostly of the option's own kind, so that it gets past the first look."""
    if draw.random() < 0.3:
        written = [word for word in re.split(r"[|,…]", str(option.metavar)) if word]
        if draw.random() < 0.5 and written:
            return draw.choice(written)
        return str(option.default)
    numeric = option.type_descriptor.annotation in {int, float}
    path = "FILE" in str(option.metavar) or "FOLDER" in str(option.metavar) or "PATH" in str(option.metavar)
    own = NUMBERS if numeric else PATHS if path else TEXTS
    return draw.choice(own if draw.random() < 0.6 else (*NUMBERS, *TEXTS, *PATHS))


def run_here(words: Sequence[str]) -> Line:
    """Run one line in this process."""
    line = Line(list(words))
    sys.argv = ["metaeval", *words]
    begun, idle = time.perf_counter(), time.process_time()

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, HANGS)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            line.code = main()
    except BaseException:  # noqa: BLE001 - whatever comes out is what this looks for
        line.trouble = traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    line.seconds, line.worked = time.perf_counter() - begun, time.process_time() - idle
    return _judged(line, bytes(err.buffer.getvalue()).decode("utf-8", "replace"))  # type: ignore[attr-defined]  # BytesIO


def run_apart(words: Sequence[str]) -> Line:
    """Run one line as a process of its own."""
    line = Line([word.replace("\0", "") for word in words])
    program = [sys.executable, "-c", "from metaeval.cli import main; raise SystemExit(main())", *line.words]
    begun, idle = time.perf_counter(), _children()
    try:
        ended = subprocess.run(program, capture_output=True, timeout=HANGS, check=False)  # noqa: S603 - this program
        line.code = ended.returncode
    except subprocess.TimeoutExpired:
        line.trouble = f"stopped after {HANGS:g} s"
    line.seconds, line.worked = time.perf_counter() - begun, _children() - idle
    return _judged(line, "" if line.trouble else ended.stderr.decode("utf-8", "replace"))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _judged(line: Line, told: str) -> Line:
    if not line.trouble and "Traceback (most recent call last)" in told:
        line.trouble = told[told.index("Traceback (most recent call last)") :]
    if not line.trouble and line.code not in DOCUMENTED:
        line.trouble = f"exit code {line.code}: {told[-500:]}"
    if not line.trouble and line.code and not told.strip():
        line.trouble = f"exit code {line.code} without a word"
    return line


def run_all(n_here: int, n_apart: int, seed: int, *, say: bool = False) -> dict[str, Count]:
    """Run the lines in an empty folder and count how they ended."""
    counts = {"in one process": Count(), "as processes": Count()}
    lines = list(make_lines(n_here + n_apart, seed))
    random.Random(seed).shuffle(lines)  # noqa: S311 - as above
    home, argv = Path.cwd(), sys.argv
    with tempfile.TemporaryDirectory() as place:
        whole, here = Path(place, "whole"), Path(place, "here")
        whole.mkdir()
        make_world(whole)
        try:
            for number, words in enumerate(lines):
                if number % FRESH == 0:  # some lines leave files, and may replace those of others
                    _afresh(whole, here)
                run = run_here if number < n_here else run_apart
                ended = run(words)
                if ended.seconds > LIMIT and not ended.trouble:  # a busy machine, or the first to use a kernel: again
                    _afresh(whole, here)
                    ended = min(ended, run(words), key=lambda one: one.seconds)
                    if min(ended.seconds, ended.worked) > LIMIT:
                        ended.trouble = f"took {ended.seconds:.1f} s, {ended.worked:.1f} s of them at work"
                counts["in one process" if number < n_here else "as processes"].add(ended)
                if say and ended.trouble:
                    print(f"{_shown(ended)}\n    {ended.trouble.strip()[-1500:]}", flush=True)
        finally:
            sys.argv = argv
            os.chdir(home)
    return counts


def _afresh(whole: Path, here: Path) -> None:
    os.chdir(whole.parent)
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(whole, here, symlinks=True)
    os.chdir(here)


def _shown(line: Line) -> str:
    words = shlex.join(line.words)
    return words if len(words) <= 300 else f"{words[:300]}…"


def report(counts: dict[str, Count], seed: int, seconds: float) -> str:
    """Return the section of the report."""
    total = sum(sum(count.codes.values()) for count in counts.values())
    n_here, n_apart = (sum(count.codes.values()) for count in counts.values())
    codes = sorted({code for count in counts.values() for code in count.codes})
    troubles = [line for count in counts.values() for line in count.troubles]
    text = [
        "## Command lines",
        "",
        f"    python benchmarks/nonsense_commands.py --in-process {n_here} --processes {n_apart} --seed {seed}",
        "",
        (
            f"{total:,} lines of nonsense in {seconds / 60:.0f} minutes on two cores: {len(troubles)} with a "
            f"traceback, an exit code that is not documented, no message, or more than {LIMIT:g} s."
        ),
        "",
        f"| lines | {' | '.join(f'exit code {code}' for code in codes)} | slowest |",
        f"|---|{'---|' * len(codes)}---|",
    ]
    for kind, count in counts.items():
        slowest = f"{count.slowest[0].seconds:.1f} s" if count.slowest else "-"
        text.append(f"| {kind} | {' | '.join(f'{count.codes[code]:,}' for code in codes)} | {slowest} |")
    text += ["", "The slowest:", ""]
    worst = sorted((line for count in counts.values() for line in count.slowest), key=lambda one: -one.seconds)
    text += [f"- {line.seconds:.1f} s: `{_shown(line)}`" for line in worst[:5]]
    if troubles:
        text += ["", "Troubles:", ""]
        text += [f"- `{_shown(line)}`\n\n      {_indented(line.trouble)}" for line in troubles]
    return "\n".join(text)


def _indented(text: str) -> str:
    return text.strip()[-2000:].replace("\n", "\n      ")


def write_section(text: str, begin: str = BEGIN, end: str = END) -> None:
    """Put the section in the place of its last one; the rest of the page stays."""
    old = REPORT.read_text(encoding="utf-8") if REPORT.exists() else "# Robustness\n"
    new = f"{begin}\n{text}\n{end}"
    if begin in old:
        whole = re.sub(f"{re.escape(begin)}.*{re.escape(end)}", lambda _: new, old, flags=re.DOTALL)
    else:
        whole = f"{old.rstrip()}\n\n{new}\n"
    REPORT.write_text(whole, encoding="utf-8")


def command() -> int:
    """Run, print, and write the report of a whole run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--in-process", type=int, default=9000)
    parser.add_argument("--processes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    begun = time.perf_counter()
    counts = run_all(chosen.in_process, chosen.processes, chosen.seed, say=True)
    text = report(counts, chosen.seed, time.perf_counter() - begun)
    print(text)
    if chosen.in_process + chosen.processes >= LEAST:
        write_section(text)
    return int(any(count.troubles for count in counts.values()))


if __name__ == "__main__":
    sys.exit(command())
