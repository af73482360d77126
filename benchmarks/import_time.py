"""How long it takes until metaeval answers, beside `import pandas`: help, the shortest honest command, and a look.

Usage: python benchmarks/import_time.py [--libraries]

Every run is a process of its own, and the statements take turns, so that a busy moment meets all of them. Prints the
median processor time of nine runs and its ratio to `import pandas`; with ``--libraries`` also the import of every
dependency. Byte code and compiled kernels are made before, by a first run that does not count.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

RUNS = 9
SCORES = Path(__file__).parents[1] / "examples" / "simulated" / "scores.csv.gz"
PANDAS = "import pandas"
COMMANDS = {
    "metaeval --version": None,
    "metaeval --help": 0.5,
    "metaeval power --help": None,
    f"metaeval power {SCORES} --test t": 2.6,
    f"metaeval look {SCORES}": 2.6,
}
"""Each with the most that its time may be, in times of pandas'."""
STATEMENTS = ("import numpy", PANDAS, "import metaeval", "from metaeval import as_scores, paired_t_test")
LIBRARIES = (
    *("scipy.special", "scipy.stats", "xarray", "statsmodels.api", "pymc", "arviz", "pytensor", "numba", "joblib"),
    *("threadpoolctl", "h5netcdf", "lazy_loader", "typer", "rich.console", "matplotlib.pyplot", "PIL.Image", "jinja2"),
    *("markupsafe", "polars", "ir_measures", "pytrec_eval", "nutpie", "dask.array", "distributed"),
)


def processor_time(words: list[str]) -> float:
    """Return the seconds of processor time that a run of Python takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env=_ENVIRONMENT)  # noqa: S603 - our own
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    """Print one line a statement."""
    asked = {statement: ["-c", statement] for statement in STATEMENTS}
    if "--libraries" in sys.argv[1:]:
        asked |= {f"import {name}": ["-c", f"import {name}"] for name in LIBRARIES}
    asked |= {command: ["-m", *command.split()] for command in COMMANDS}
    for words in asked.values():
        processor_time(words)
    times: dict[str, list[float]] = {name: [] for name in asked}
    for _ in range(RUNS):
        for name, words in asked.items():
            times[name].append(processor_time(words))
    pandas = median(times[PANDAS])
    print(f"{'':44}{'seconds':>9}{'of pandas':>11}{'at most':>9}")
    for name, seconds in times.items():
        most = COMMANDS.get(name)
        shown = name.replace(str(SCORES), SCORES.name)
        print(f"{shown:44}{median(seconds):9.3f}{median(seconds) / pandas:11.2f}{'' if most is None else most:>9}")


if __name__ == "__main__":
    main()
