"""How long it takes until metaeval answers: imports beside NumPy and pandas, help, and the shortest honest command.

Every run is a process of its own. Prints the best of several runs less the start of a bare interpreter, and the ratio
to `import numpy`. Dask, which xarray loads wherever it is installed, is hidden: users of one machine have none.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

RUNS = 7
PROGRAM = """
import sys
sys.modules["dask"] = None
sys.argv = ["metaeval", {words}]
from metaeval.__main__ import main
main()
"""
STATEMENTS = {
    "import metaeval": "import metaeval",
    "import numpy": "import numpy",
    "import pandas": "import pandas",
    "from metaeval import as_scores": "from metaeval import as_scores",
    "from metaeval import paired_t_test": "from metaeval import paired_t_test",
    "metaeval --version": PROGRAM.format(words='"--version"'),
    "metaeval --help": PROGRAM.format(words='"--help"'),
    "metaeval power TABLE --test t": PROGRAM.format(words='"power", "table.csv", "--test", "t"'),
}


def seconds(statement: str, folder: str) -> float:
    """Return the shortest of several runs of `statement`, each in an interpreter of its own."""
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        subprocess.run(  # noqa: S603 - our own statements
            [sys.executable, "-c", statement], check=True, cwd=folder, capture_output=True
        )
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line a statement."""
    with tempfile.TemporaryDirectory() as folder:
        systems = [f"system{number}" for number in range(129)]
        scores = np.random.default_rng(0).random((50, len(systems)))
        lines = [",".join(map(str, row)) for row in scores.round(4).tolist()]
        (Path(folder) / "table.csv").write_text("\n".join([",".join(systems), *lines, ""]))
        bare = seconds("pass", folder)
        times = {name: seconds(statement, folder) - bare for name, statement in STATEMENTS.items()}
    print(f"{'statement':36}{'seconds':>9}{'ratio to numpy':>16}")
    for name, time in times.items():
        print(f"{name:36}{time:9.3f}{time / times['import numpy']:16.2f}")


if __name__ == "__main__":
    main()
