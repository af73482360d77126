"""Do metaeval's statements hold on real topics? Every real table as the whole population of topics.

Run: python benchmarks/studies/real_populations.py DATA_FOLDER [--only STATEMENT ...] [--scale SHARE] [--quick]

Samples of topics are drawn from a table with replacement, so the table is the truth (`populations.py`). One file a
statement (`real_*.py`) judges it and writes its section of the report: coverage on both sides, bias, width over that
of an oracle and processor time, with standard errors over collections, whose tables share topics. ``--only`` replaces
these sections of the kept report; ``--scale`` takes a share of the samples; ``--quick`` takes two tables and few
samples and prints. A statement's module has

- `judge(tables, scale)`: one row a table and setting, as a DataFrame; `scale` multiplies the samples;
- `section(rows)`: Markdown under one heading of second level;
- `failures(rows)`: the goals missed by more than four standard errors, in words, for the tests.
"""

import argparse
import importlib
import re
import sys
import time
from pathlib import Path

from populations import populations

REPORT = Path(__file__).parents[1] / "reports" / "real_populations.md"
STATEMENTS = tuple(
    sorted(
        path.stem.removeprefix("real_")
        for path in Path(__file__).parent.glob("real_*.py")
        if path.stem != "real_populations"
    )
)
QUICK = ("adhoc8_ap", "web2013_p20")
QUICK_SCALE = 0.1
HEAD = """# Statements judged on real topics

Every table is a population: samples of topics are drawn from it with replacement, so that it holds the truth. The 48
tables are the complete ones of `trec-matrices` with 48 topics or more; the others are named. The oracle's width is what
a right interval of an unbiased estimator with the same spread would need. Errors in brackets are standard errors over
collections, whose tables share topics. Made by `python benchmarks/studies/real_populations.py DATA_FOLDER`.
"""


def main() -> None:
    """Judge the statements asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", choices=STATEMENTS, default=STATEMENTS)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the samples")
    parser.add_argument("--quick", action="store_true", help="two tables, few samples; prints")
    arguments = parser.parse_args()
    tables = populations(arguments.folder, matrices_only=arguments.quick)
    if arguments.quick:
        tables = [one for one in tables if one.name in QUICK]
    kept = re.split(r"(?m)^(?=## )", REPORT.read_text("utf-8")) if REPORT.exists() else [HEAD]
    sections = {one.split("\n", 1)[0]: one.strip() for one in kept[1:]}
    for name in arguments.only:
        start = time.perf_counter()
        statement = importlib.import_module(f"real_{name}")
        rows = statement.judge(tables, QUICK_SCALE if arguments.quick else arguments.scale)
        text = statement.section(rows)
        print(
            f"{name}: {time.perf_counter() - start:.0f} s",
            *statement.failures(rows),
            sep="\n",
            file=sys.stderr,
            flush=True,
        )
        if arguments.quick:
            print(text)
        sections[text.split("\n", 1)[0]] = text.strip()
        if not arguments.quick:
            REPORT.write_text("\n\n".join([HEAD.strip(), *sections.values()]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
