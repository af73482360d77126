"""The formats of runs of documents, told by their content: a new one is a reader in a file of its own, and a row."""

from collections.abc import Callable
from typing import NamedTuple

from metaeval.io.benchmarks.contents import starts_json
from metaeval.io.json_rankings import scan_json
from metaeval.io.trec_lines import RUN, Scan, refuse_swapped, scan


class RunFormat(NamedTuple):
    """A format of runs."""

    holds: Callable[[bytes], bool]
    """Whether the content of a file is in this format."""
    read: Callable[..., Scan]
    """``read(content, path=, ranked=)`` gives the lines; with `ranked` their ranks too. `path` is for errors."""


def _read_trec(content: bytes, *, path: str, ranked: bool) -> Scan:
    refuse_swapped(content, RUN, path=path)
    return scan(content, RUN, path=path, ranked=ranked)


def _read_json(content: bytes, *, path: str, ranked: bool) -> Scan:
    json_scan = scan_json(content, path=path, number="rank" if ranked else "score")
    return _read_trec(content, path=path, ranked=ranked) if json_scan is None else json_scan


RUN_FORMATS = (RunFormat(starts_json, _read_json), RunFormat(lambda _: True, _read_trec))
"""In the order in which they are told. The last takes whatever no other knows, and says what is wrong with it."""


def run_of(content: bytes, *, path: str, ranked: bool) -> Scan:
    """Return the lines of a run in any of the formats."""
    return next(run_format for run_format in RUN_FORMATS if run_format.holds(content)).read(
        content, path=path, ranked=ranked
    )
