"""How long `metaeval report` and `metaeval topics` take, from the command to the page, each in fresh processes.

Run: python benchmarks/speed_report.py [--repeats 3]

The bundled example, simulated; 143 simulated systems x 50 topics x 12 metrics, from tables; and where the folder of
test data is there ($METAEVAL_DATA, else ../shared/data), 12 runs of TREC-COVID x 12 metrics, and topics for Web 2013.
Prints the shortest of several runs, the time until the first word of progress, and the ratio to a process that loads
NumPy, SciPy, pandas and matplotlib and does nothing, which any such report has to do. Dask is hidden, as for
users of one machine.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import pandas as pd

from metaeval.simulate.scores import simulate_scores

ROOT = Path(__file__).parents[1]
MADE = ROOT / "examples" / "simulated" / "collection"
PROGRAM = 'import sys; sys.modules["dask"] = None; from metaeval.__main__ import main; sys.exit(main())'
LIBRARIES = "import numpy, scipy.stats, scipy.optimize, pandas, matplotlib.figure"


def seconds(words: list[str], repeats: int) -> tuple[float, float]:
    """Return the shortest time of a command of metaeval, and that until its first line of progress."""
    whole, first = [], []
    for _ in range(repeats):
        start = perf_counter()
        with subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-c", PROGRAM, *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as process:
            assert process.stderr is not None
            process.stderr.readline()
            first.append(perf_counter() - start)
            complaint = process.stderr.read().decode()
        if process.returncode:
            raise SystemExit(complaint)
        whole.append(perf_counter() - start)
    return min(whole), min(first)


def write_tables(folder: Path) -> list[str]:
    """Write 12 tables of 143 systems and 50 topics, and return their names."""
    names = []
    for seed in range(3):
        scores = simulate_scores(n_systems=143, n_topics=50, rng=seed)
        for metric in scores["metric"].to_numpy().tolist():
            one = scores.sel(metric=metric).transpose("topic", "system")
            index = pd.Index(one["topic"].to_numpy(), name="topic")
            file = folder / f"{metric.replace('@', '')}-{seed}.csv"
            pd.DataFrame(one.to_numpy(), columns=one["system"].to_numpy(), index=index).to_csv(file)
            names.append(str(file))
    return names


def main() -> None:
    """Print one line a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    data = Path(os.environ.get("METAEVAL_DATA", ROOT.parent / "shared" / "data"))
    start = perf_counter()
    subprocess.run([sys.executable, "-c", LIBRARIES], check=True)  # noqa: S603 - our own words
    start = perf_counter()
    subprocess.run([sys.executable, "-c", LIBRARIES], check=True)  # noqa: S603 - as above
    bare = perf_counter() - start
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        tables = write_tables(folder)
        example = [str(MADE / "runs"), "--qrels", str(MADE / "qrels.txt.gz"), "--groups", str(MADE / "groups.csv")]
        commands: dict[str, tuple[list[str], float]] = {
            "report, the bundled example": (["report", *example], 10),
            "report, 143 systems x 12 metrics": (["report", *tables], 45),
        }
        if data.is_dir():
            covid, web = data / "trec-covid-r1", sorted(map(str, (data / "trec-matrices").glob("web2013_*.csv")))
            runs = [str(covid / "runs"), "--qrels", str(covid / "qrels-rnd1.txt.gz")]
            commands["report, TREC-COVID's 12 runs"] = (["report", *runs], 12)
            commands["topics, Web 2013, 6 metrics"] = (["topics", *web], 8)
        else:
            print(f"skipped: TREC-COVID and Web 2013, for there is no {data}")
        print(f"{'command':36}{'seconds':>9}{'target':>8}{'first word':>12}{'ratio to its libraries':>24}")
        for name, (words, target) in commands.items():
            whole, first = seconds([*words, "--out", str(folder / "report"), "--overwrite"], repeats)
            print(f"{name:36}{whole:9.1f}{target:8.0f}{first:12.2f}{whole / bare:24.1f}")


if __name__ == "__main__":
    main()
