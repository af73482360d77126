"""Kill a judgments study with SIGKILL at random moments, resume it each time, and compare with an undisturbed one.

Usage: python benchmarks/kill_and_resume.py [--kills 10] [--workers 2] [--seed 0]

The study keeps its replicates in a folder. After every kill the same command is given again. At the end the answer
(JSON without the time it was made) and every kept file must be the same bytes as those of an undisturbed study.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from metaeval.simulate.collection import simulate_collection


def start(folder: Path, kept: Path, out: Path, workers: int) -> subprocess.Popen[bytes]:
    """Start the study in a process group of its own."""
    words = [
        *("judgments", folder / "runs", "--qrels", folder / "qrels.txt", "--metrics", "AP,nDCG@10,P@10,bpref"),
        *("--question", "less-judging", "--reductions", "stratified,relevant", "--replicates", "100", "--json"),
        *("--keep", kept, "--workers", workers, "--quiet"),
    ]
    program = [sys.executable, "-c", "from metaeval.cli import main; raise SystemExit(main())", *map(str, words)]
    with out.open("wb") as stream:
        return subprocess.Popen(program, stdout=stream, stderr=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - this program


def answer(path: Path) -> str:
    """Return the answer without what depends on the time and on where replicates are kept."""
    document = json.loads(path.read_text())
    del document["provenance"], document["options"]
    return json.dumps(document)


def files(folder: Path) -> dict[str, bytes]:
    """Return the kept replicates; half-written files of a killed process have hidden names and do not count."""
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def main() -> None:
    """Kill, resume, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    moments = random.Random(options.seed)  # noqa: S311 - when to kill
    with tempfile.TemporaryDirectory() as place:
        folder = simulate_collection(
            n_groups=8, runs_per_group=5, n_topics=50, n_documents=2000, depth=500, pool_depth=30, rng=1
        ).write_collection(Path(place) / "collection")
        begun = time.perf_counter()
        assert start(folder, Path(place) / "whole", Path(place) / "whole.json", options.workers).wait() == 0
        whole = time.perf_counter() - begun
        print(f"undisturbed: {whole:.1f} s, {len(files(Path(place) / 'whole'))} replicates")
        kept, out, killed = Path(place) / "kept", Path(place) / "out.json", 0
        while killed < options.kills:
            process = start(folder, kept, out, options.workers)
            try:
                code = process.wait(timeout=moments.uniform(0.1, whole))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
                print(f"kill {killed}: {len(files(kept)) if kept.exists() else 0} replicates kept")
                continue
            assert code == 0
            print("  it was through before the moment came; its replicates are taken away")
            for path in kept.iterdir():
                path.unlink()
        assert start(folder, kept, out, options.workers).wait() == 0
        assert answer(out) == answer(Path(place) / "whole.json"), "the answers differ"
        assert files(kept) == files(Path(place) / "whole"), "the kept replicates differ"
        print(f"after {killed} kills: the same answer and the same {len(files(kept))} files, byte for byte")


if __name__ == "__main__":
    main()
