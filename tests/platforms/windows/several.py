"""Run command lines one after the other in one process, in each folder: ``python several.py RESULTS.json FOLDER …``.

RESULTS.json holds the lines, and gets for each folder and line the exit code and what was printed, as bytes. A line
that begins with ``save`` saves a result and reads it again. What is printed is encoded as on Windows in the first
folder, and as on Linux in the others.
"""

import io
import json
import os
import sys
from pathlib import Path

from metaeval import simulate_scores
from metaeval.base import disk
from metaeval.cli import main
from metaeval.models.bayesian_comparison import BayesianComparison, bayesian_t
from metaeval.running import plain_letters


def save(path):
    """Save a comparison, save it again in its place, and read it."""
    compared = bayesian_t(simulate_scores(n_systems=3, n_topics=8, rng=1), rope=0.01)
    for _ in range(2):
        compared.save(path)
    assert BayesianComparison.load(path).to_frame().equals(compared.to_frame())
    return 0


def ended(line, *, like_windows):
    """Run a line and return its exit code and both streams."""
    encoding, ends = ("cp1252", "\r\n") if like_windows else ("utf-8", "\n")
    streams = [io.TextIOWrapper(io.BytesIO(), encoding, plain_letters.SPELLED, newline=ends) for _ in range(2)]
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams
    sys.argv = ["metaeval", *line]
    try:
        code = save(line[1]) if line[0] == "save" else main()
    finally:
        sys.stdout, sys.stderr = before
    for stream in streams:
        stream.flush()
    return [code, *(stream.buffer.getvalue().decode("latin-1") for stream in streams)]


def run(results, *folders):
    """Run the lines in each folder."""
    if "msvcrt" in sys.modules:
        disk._system_library = lambda: None
    lines = json.loads(Path(results).read_text("utf-8"))
    every = []
    for number, folder in enumerate(folders):
        os.chdir(folder)
        every.append([ended(line, like_windows=number == 0) for line in lines])
    Path(results).write_text(json.dumps(every), "utf-8")


if __name__ == "__main__":
    run(*sys.argv[1:])
