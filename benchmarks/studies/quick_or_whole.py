"""The end of a study: a short report on standard output with ``--quick``, or the whole one in its file."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["write_report"]


def write_report(about: str | None, path: Path, study: Callable[..., str], *, data: str = "") -> None:
    """Read the command line, make the report, and write it.

    `study` is told whether to be quick and, where `data` says what a folder of real data must hold, that folder.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    if data:
        parser.add_argument("data", type=Path, help=data)
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples, report to standard output")
    options = parser.parse_args()
    quick = options.quick
    start = time.perf_counter()
    text = study(quick, *([options.data] if data else []))
    if quick:
        print(text)
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
