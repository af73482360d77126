"""Stop commands that write reports again and again, and look at what is left.

Usage: python benchmarks/studies/kills.py [--kills 42] [--seed 0] [--workers 2] [--commands NAME,…] [--write FILE]

Each command writes into a folder that holds an older report, with a file of somebody's own in it. It is stopped at a
moment drawn over its whole length (reading, computing, writing), in turn by SIGINT to its process group (Ctrl-C),
SIGTERM to the process (a scheduler) and SIGKILL to the group (out of memory), and given again. After every kill:

- the folder holds the older report or the new one, whole by the list of files in provenance.json;
- the file of somebody's own is there, as it was;
- after SIGINT and SIGTERM the exit code is 130 or 143 (0 where it was through, the signal's own where it came before
  the program began), there is no traceback of ours, and nothing is left that was not there before.

Once each command has been stopped its share of times, it is let through: nothing but the report is there then, the
answer is that of an undisturbed run, and so is every kept replicate, byte for byte.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.base.provenance import file_checksum
from metaeval.io.written_files import written_files
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.votes import simulate_votes

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
ASKED = ("report", "judgments", "topics", "votes", "leaderboard", "components", "human")
_STAGES = ("loading", "reading or computing", "writing")
NOTE = "what somebody wrote beside it"


def commands(made: Path, workers: int) -> dict[str, list[str]]:
    """Return the words of the commands, moderate in size."""
    runs = [str(made / "runs"), "--qrels", str(made / "qrels.txt"), "--metrics", "AP,nDCG@10,P@10"]
    less = ["--question", "less-judging", "--reductions", "stratified", "--replicates", "40"]
    return {
        "report": ["report", *runs, "--resamples", "500", "--interval-resamples", "50", "--no-topics"],
        "judgments": ["judgments", *runs, *less, "--keep", "kept", "--workers", str(workers)],
        "topics": ["topics", *runs, "--no-bayes"],
        "votes": ["votes", str(made / "votes.csv")],
        "leaderboard": ["leaderboard", *runs],
        "components": ["components", *runs, "--splits", "200"],
        "human": ["human", str(made / "human.csv"), "--reference", "human", "--resamples", "2000"],
    }


def write_tables(made: Path) -> None:
    """Write votes, and scores of items by people and two metrics, beside the collection."""
    simulate_votes(n_systems=12, n_questions=200, n_voters=40, n_votes=3000, rng=1).to_csv(
        made / "votes.csv", index=False
    )
    names = pd.MultiIndex.from_product([[f"s{place}" for place in range(12)], range(80)], names=["system", "item"])
    generator = np.random.default_rng(1)
    human = generator.normal(0.0, 1.0, len(names)) + np.repeat(np.arange(12) / 4, 80)
    columns = {name: human + generator.normal(0.0, noise, len(names)) for name, noise in (("good", 0.5), ("poor", 2.0))}
    pd.DataFrame({"human": human} | columns, index=names).reset_index().to_csv(made / "human.csv", index=False)


def start(words: list[str], place: Path, *, seed: int) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own; what it says goes into files."""
    program = [
        sys.executable,
        "-m",
        "metaeval",
        *words,
        "--seed",
        str(seed),
        "--out",
        "report",
        "--overwrite",
        "--json",
    ]
    with (place.parent / "answer").open("wb") as answer, (place.parent / "words").open("wb") as said:
        return subprocess.Popen(program, cwd=place, stdout=answer, stderr=said, start_new_session=True)  # noqa: S603 - this program


def content(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, without the record, the page and what else holds the time or the folder."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    timed = {"index.html", "data/card.json"}
    return {name: words for name, words in files.items() if "provenance" not in name and name not in timed}


def beside(place: Path) -> set[str]:
    """Return what is there besides the files of the report and the replicates."""
    return {path.name for path in place.iterdir()} | {path.name for path in place.glob("kept/.*")}


def answer(place: Path) -> str:
    """Return the last answer without the time it was made and the options."""
    document = json.loads((place.parent / "answer").read_text())
    del document["provenance"], document["options"], document["warnings"], document["tables"]["provenance"]
    return json.dumps(document)


def check_whole(report: Path) -> str:
    """Say which report is there, after looking whether it is whole."""
    listed = written_files(report)
    assert listed is not None, "no list of files"
    for name, checksum in listed.items():
        assert file_checksum(report / name) == checksum, name
    assert (report / "data" / "mine.txt").read_text() == NOTE
    extra = content(report).keys() - listed.keys() - {"data/mine.txt"}
    assert not extra, extra
    return "old" if json.loads((report / "provenance.json").read_text())["options"]["seed"] == 1 else "new"


def stage(place: Path) -> str:
    """Say what a command was at, from the last it said."""
    lines = (place.parent / "words").read_text(errors="replace")
    if not lines.strip("\n"):
        return "loading"
    return "writing" if "Drawing" in lines else "reading or computing"


def try_command(
    name: str, words: list[str], place: Path, *, kills: int, moments: random.Random
) -> list[tuple[str, ...]]:
    """Stop one command so many times; return a row per kill."""
    place.mkdir()
    begun = time.perf_counter()
    assert start(words, place, seed=0).wait() == 0, (place.parent / "words").read_text()
    whole = time.perf_counter() - begun
    expected, replies = content(place / "report"), answer(place)
    kept = content(place / "kept") if (place / "kept").exists() else {}
    shutil.rmtree(place / "report")
    shutil.rmtree(place / "kept", ignore_errors=True)
    assert start(words, place, seed=1).wait() == 0
    shutil.rmtree(place / "kept", ignore_errors=True)
    (place / "report" / "data" / "mine.txt").write_text(NOTE)
    usual = {"report", "kept"} if kept else {"report"}
    rows: list[tuple[str, ...]] = []
    while len(rows) < kills:
        signum = SIGNALS[len(rows) % len(SIGNALS)]
        before = beside(place) - usual
        process = start(words, place, seed=0)
        moment = moments.uniform(0.02, whole)
        try:
            process.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            (os.kill if signum == signal.SIGTERM else os.killpg)(process.pid, signum)
            process.wait()
        else:
            assert process.returncode == 0
            start(words, place, seed=1).wait()  # it was through already: the older report again
            shutil.rmtree(place / "kept", ignore_errors=True)
            continue
        which, at = check_whole(place / "report"), stage(place)
        left = beside(place) - usual
        said = (place.parent / "words").read_text(errors="replace")
        # before the program begins, the signal is Python's own to answer
        assert "Traceback" not in said or (at == "loading" and process.returncode == -signum), said
        if signum != signal.SIGKILL:
            assert process.returncode in {CODES[signum], -signum, 0}, (process.returncode, said)
            assert left <= before, left  # where it was stopped too early to clear away what a killed one left
        rows.append((name, signal.Signals(signum).name, at, f"{moment / whole:.0%}", which, str(len(left - before))))
        print("  ".join(rows[-1]), flush=True)
    assert start(words, place, seed=0).wait() == 0
    assert check_whole(place / "report") == "new"
    assert beside(place) == usual, beside(place)
    (place / "report" / "data" / "mine.txt").unlink()
    found = content(place / "report")
    assert found == expected, [name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name)]
    assert answer(place) == replies, "the answers differ"
    again = content(place / "kept") if kept else {}
    assert kept == again, [name for name in kept.keys() | again.keys() if kept.get(name) != again.get(name)]
    return rows


NOTES = """\
A signal in the first hundredths of a second, while Python itself and the package's first module load, is Python's own
to answer: SIGINT then ends with its traceback and nothing has been begun. Replicates that are kept bear the code that
made them: a run whose program is edited meanwhile makes them anew.

An earlier run ended in a segmentation fault: SIGINT was answered while numba made the named tuple that a kernel
returned. No kernel returns one any more, and a test holds them all to it."""


def section(rows: list[tuple[str, ...]], command: str) -> str:
    """Return the figures for the report that is kept."""
    counts = Counter(row[:3] for row in rows)
    left = sum(row[5] != "0" for row in rows)
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(row[0] for row in rows))
    told = (
        f"`{command}`: {len(rows)} kills of {names} (judgments with `--keep` and workers), at moments drawn over the "
        "whole length of each. After every one the older report, or the new one, was whole by its list of checksums, "
        "and a file of somebody's own inside it as it was. After SIGINT and SIGTERM nothing else was left; SIGKILL "
        f"left something beside the report {left} times, which the next run cleared away. The runs that were let "
        "through at the end gave the answer, the files and the kept replicates of undisturbed ones, byte for byte."
    )
    lines = [
        "# Stopped at any moment",
        "",
        told,
        "",
        f"| command | signal | {' | '.join(_STAGES)} |",
        "|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row[0] for row in rows):
        for sign in dict.fromkeys(row[1] for row in rows):
            numbers = [str(counts[name, sign, at]) for at in _STAGES]
            lines.append(f"| {name} | {sign} | {' | '.join(numbers)} |")
    return "\n".join([*lines, "", NOTES, ""])


def main() -> None:
    """Kill, look, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=42)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", default=",".join(ASKED))
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    moments = random.Random(options.seed)  # noqa: S311 - when to kill
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        made = simulate_collection(
            n_groups=6, runs_per_group=4, n_topics=40, n_documents=1500, depth=300, pool_depth=30, rng=1
        ).write_collection(Path(folder) / "collection")
        write_tables(made)
        all_words = {name: commands(made, options.workers)[name] for name in options.commands.split(",")}
        for number, (name, words) in enumerate(all_words.items()):
            share = len(range(number, options.kills, len(all_words)))
            place = Path(folder) / name / "place"
            place.parent.mkdir()
            rows += try_command(name, words, place, kills=share, moments=moments)
    print(f"{len(rows)} kills: no report was ever less than whole, and nothing was left in the end")
    if options.write is not None:
        command = f"python benchmarks/studies/kills.py --kills {options.kills} --seed {options.seed}"
        options.write.write_text(section(rows, command), encoding="utf-8")


if __name__ == "__main__":
    main()
