"""The program: ``metaeval`` and ``python -m metaeval``.

It answers signals before the command line is loaded, which takes a second where it is read for the first time.
"""

import os
import signal
import sys

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # until `process.begin` has better words

from metaeval.running import process


def main() -> int:
    """Prepare the process, load the command line, run it, and return the exit code."""
    process.begin()
    from metaeval.cli import main as command_line  # noqa: PLC0415 - loads typer, rich and pandas

    return process.end(command_line())


if __name__ == "__main__":
    sys.exit(main())
