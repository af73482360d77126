"""Damage the cache of compiled code again and again: the same output each time, and no process ended by a signal.

Usage: python benchmarks/studies/damaged_caches.py [--caches 100] [--seed 0] [--write]

Two kernels fill a cache. Then every file of it, or all code, is damaged in one of several ways (bits flipped, cut
short, emptied, swapped with another's, left by another Python), they are called in a process of its own, and their
answers are compared with the first ones. With `--write` the counts go into reports/robustness.md.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numba
import numpy as np

from metaeval.metrics.judged import count_judged
from metaeval.tests_stat.counting import count_extreme

sys.path.insert(0, str(Path(__file__).parents[1]))
import nonsense_commands

BEGIN, END = "<!-- damaged caches -->", "<!-- /damaged caches -->"


def answers() -> str:
    """Call two kernels, which are loaded from the cache or compiled."""
    resampled = np.array([[3.0, 1.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    extreme = count_extreme(resampled, np.array([0]), np.array([1]), np.array([1.0]), np.array([1e-9]))
    lists = np.array([0, 2]), np.array([1, 3], np.int32), np.array([0, 1], np.int32), np.array([True, False])
    return f"{extreme.tolist()} {count_judged(*lists, 3).tolist()}"


def damage(files: list[Path], way: str, rng: np.random.Generator) -> None:
    """Damage files."""
    if way == "swapped":
        held = [path.read_bytes() for path in files]
        for path, at in zip(files, rng.permutation(len(files)), strict=True):
            path.write_bytes(held[at])
        return
    for path in files:
        content = bytearray(path.read_bytes())
        if way == "three bits flipped":
            for place in rng.integers(0, 8 * len(content), 3):
                content[place // 8] ^= 1 << (place % 8)
        elif way == "cut short":
            del content[rng.integers(0, len(content)) :]
        elif way == "empty":
            content.clear()
        elif way == "another Python's":
            content[-1000:] = rng.bytes(1000)
        path.write_bytes(content)


WAYS = ("three bits flipped", "cut short", "empty", "swapped", "another Python's")


def run(cache: Path) -> tuple[int, str, float]:
    """Call the kernels in a process of its own; return its exit code, the answers and how long it took."""
    begun, said = time.perf_counter(), cache.with_name("said")
    said.unlink(missing_ok=True)
    process = os.fork()
    if not process:
        numba.config.CACHE_DIR = str(cache)
        try:
            said.write_text(answers())
        finally:  # whatever is raised
            os._exit(0 if said.exists() else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, said.read_text() if said.exists() else "", time.perf_counter() - begun


def main() -> None:
    """Damage, run, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--caches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rng, ended, begun = np.random.default_rng(options.seed), Counter[tuple[str, str]](), time.perf_counter()
    with tempfile.TemporaryDirectory() as above:
        whole, cache = Path(above, "whole"), Path(above, "cache")
        assert run(whole)[0] == 0
        code, expected, took = run(whole)
        n_files = len([*whole.rglob("*.nb?")])
        assert code == 0
        assert n_files
        for number in range(options.caches):
            way = WAYS[number % len(WAYS)]
            shutil.copytree(whole, cache)
            damage(sorted(cache.rglob("*.nbc" if number % 2 else "*.nb?")), way, rng)  # or the code alone
            code, said, _ = run(cache)
            outcome = f"signal {-code}" if code < 0 else f"exit code {code}" if code else "the same output"
            ended[way, outcome if said == expected or code else "another output"] += 1
            shutil.rmtree(cache)
    rows = "\n".join(f"| {way} | {what} | {count} |" for (way, what), count in sorted(ended.items()))
    text = (
        "## Damaged caches of compiled code\n\n"
        f"    python benchmarks/studies/damaged_caches.py --caches {options.caches} --seed {options.seed} --write\n\n"
        f"{options.caches} caches of {n_files} files, every file or all code damaged, in "
        f"{(time.perf_counter() - begun) / 60:.0f} minutes; each time two kernels are called in a process of its own."
        "\n\n"
        f"| damage | what came of it | caches |\n|---|---|---:|\n{rows}"
    )
    print(text, f"\n\na whole cache: {took:.2f} s")
    if options.write:
        nonsense_commands.write_section(text, BEGIN, END)


if __name__ == "__main__":
    main()
