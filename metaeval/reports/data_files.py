"""Files of a report's ``data/`` folder: scores, pairs and frames at full precision."""

import gzip
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from metaeval.base.checks import has_parquet
from metaeval.base.disk import write_content, write_text
from metaeval.base.escaping import csv_text
from metaeval.io.stored import parquet_of
from metaeval.io.tables import write_scores
from metaeval.io.writing import write_atomically
from metaeval.models.bayesian_comparison import BayesianComparison
from metaeval.page.blocks import Writer
from metaeval.reports.witnesses import with_witnesses
from metaeval.table.scores import Scores, scores_to_long
from metaeval.tests_stat.result import PairwiseResult, by_p, difference_intervals, rows_of_pairs

_MOST = 20_000_000
"""Scores in the folder of a report: 160 MB."""
_MOST_AS_TEXT = 1_000_000
"""Scores that are there as CSV too: two seconds."""


def score_files(scores: Scores) -> dict[str, Writer]:
    """Return the writers of the scores: NetCDF, Parquet where that can be written, CSV of not too many; none of a lot.

    The CSV is for readers that have no library for the others: directions, clusters and weights are columns of it.
    """
    if scores_left_out(scores):
        return {}
    stored: dict[str, Writer] = {
        name: partial(write_scores, scores) for name in _possible("scores.nc", "scores.parquet")
    }
    return stored | ({} if scores.size > _MOST_AS_TEXT else {"scores.csv.gz": partial(_write_as_text, scores)})


def scores_left_out(scores: Scores) -> str:
    """Say so where there are too many scores for the folder of a report."""
    return "" if scores.size <= _MOST else f"the {scores.size:,} scores are not written into the folder of the report"


def _possible(*names: str) -> list[str]:
    return [name for name in names if has_parquet() or not name.endswith(".parquet")]


def csv_file(frame: pd.DataFrame) -> Writer:
    """Return the writer of a frame as CSV: names as they are, numbers at full precision."""
    return partial(_write_frame, frame)


def pair_files(comparisons: Sequence[PairwiseResult], bayesian: BayesianComparison | None = None) -> dict[str, Writer]:
    """Return the writers of every pair under every comparison, as compressed CSV, and as Parquet like the scores."""
    return {name: partial(_write_pairs, comparisons, bayesian) for name in _possible("pairs.parquet", "pairs.csv.gz")}


def with_difference_bounds(result: PairwiseResult) -> pd.DataFrame:
    """Return one row a metric and pair, with the interval of its difference where the test has one."""
    frame, ends = rows_of_pairs(result), difference_intervals(result, confidence_level=1.0 - result.alpha)
    position = frame.columns.tolist().index("difference") + 1
    for name in ("high", "low"):
        frame.insert(position, f"difference_{name}", ends[name].to_numpy().ravel())
    return frame


def pairs_frame(comparisons: Sequence[PairwiseResult], bayesian: BayesianComparison | None = None) -> pd.DataFrame:
    """Return every pair under every comparison: difference with interval, p-values, decision, and what is probable."""
    frames = [
        by_p(with_witnesses(with_difference_bounds(result), [result]), "p_value").assign(
            test=result.test, correction=result.correction
        )
        for result in comparisons
    ]
    together = pd.concat(frames, ignore_index=True)
    if "rests_on" in together:
        together["rests_on"] = together["rests_on"].fillna("")  # of other tests
    if bayesian is None:
        return together
    keys = ["metric", "system_a", "system_b"]
    probabilities = bayesian.to_frame()[[*keys, "p_a_better", "p_equivalent", "p_b_better"]]
    return together.merge(probabilities, on=keys, how="left", validate="many_to_one")


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as CSV, under a temporary name first."""
    with write_atomically(path) as temporary:
        _write_frame(frame, temporary)


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    write_text(path, csv_text(frame), errors="backslashreplace")


def _write_pairs(comparisons: Sequence[PairwiseResult], bayesian: BayesianComparison | None, path: Path) -> None:
    together = pairs_frame(comparisons, bayesian)
    front = ["metric", "test", "correction"]
    table = together[[*front, *(name for name in together.columns if name not in front)]]
    # through memory: a full disk is then the same error as everywhere
    write_content(path, parquet_of(table) if path.suffix == ".parquet" else _packed(table))


def _write_as_text(scores: Scores, path: Path) -> None:
    write_content(path, _packed(scores_to_long(scores)))


def _packed(frame: pd.DataFrame) -> bytes:
    return gzip.compress(csv_text(frame).encode("utf-8", "backslashreplace"), compresslevel=6, mtime=0)
