"""How long `import metaeval` takes beside NumPy, pandas and its own first use, each in fresh processes.

Prints the best of several runs less the start of a bare interpreter, and the ratio to `import numpy`.
"""

import subprocess
import sys
from time import perf_counter

RUNS = 7
STATEMENTS = {
    "import metaeval": "import metaeval",
    "import numpy": "import numpy",
    "import pandas": "import pandas",
    "from metaeval import as_scores": "from metaeval import as_scores",
    "from metaeval import paired_t_test": "from metaeval import paired_t_test",
}


def seconds(statement: str) -> float:
    """Return the shortest of several runs of `statement`, each in an interpreter of its own."""
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)  # noqa: S603 - our own statements
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line a statement."""
    bare = seconds("pass")
    times = {name: seconds(statement) - bare for name, statement in STATEMENTS.items()}
    print(f"{'statement':36}{'seconds':>9}{'ratio to numpy':>16}")
    for name, time in times.items():
        print(f"{name:36}{time:9.3f}{time / times['import numpy']:16.2f}")


if __name__ == "__main__":
    main()
