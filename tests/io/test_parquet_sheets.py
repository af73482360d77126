"""Parquet read by columns is Parquet read as text, batch by batch."""

import numpy as np
import pytest

from metaeval.errors import FileFormatError
from metaeval.io import foreign, parquet_sheets, stored
from metaeval.io.tables import read_scores

pytestmark = pytest.mark.parquet


def written(tmp_path, *, wide=False, **changes):
    """Return a Parquet file of scores in any order of rows."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(2)
    rows = [(user, system, metric) for user in range(30, 0, -1) for system in "cab" for metric in ("RR", "AP")]
    frame = pl.DataFrame(rows, schema=["topic", "system", "metric"], orient="row")
    frame = frame.with_columns(score=pl.Series(rng.random(len(rows)).round(3))).sample(fraction=1, shuffle=True, seed=1)
    frame = frame.with_columns(**{name: change(pl) for name, change in changes.items()})
    if wide:
        frame = frame.pivot("metric", index=["topic", "system"], values="score")
    frame.write_parquet(tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


CHANGES = {
    "whole numbers as names": {},
    "dictionaries": {
        name: lambda pl, name=name: pl.col(name).cast(pl.String).cast(pl.Categorical) for name in ("topic", "system")
    },
    "a list of names": {"system": lambda pl: pl.col("system").cast(pl.Enum(["a", "b", "c", "d"]))},
    "whole scores": {"score": lambda pl: (pl.col("score") * 9).cast(pl.Int8)},
    "single precision": {"score": lambda pl: pl.col("score").cast(pl.Float32)},
    "blanks around names": {"system": lambda pl: pl.col("system") + " "},
    "names after the mean of a board": {"topic": lambda pl: pl.col("topic").replace_strict({30: "all"}, default="q")},
    "an empty name": {"system": lambda pl: pl.col("system").replace({"a": ""})},
    "a gap": {"score": lambda pl: pl.when(pl.col("topic") == 7).then(None).otherwise(pl.col("score"))},
    "an infinite score": {"score": lambda pl: pl.when(pl.col("topic") == 7).then(np.inf).otherwise(pl.col("score"))},
    "huge whole scores": {"score": lambda pl: pl.col("topic") + 2**60 + 1},
    "a score twice": {"topic": lambda pl: pl.col("topic").replace({7: 8})},
    "words for scores": {"score": lambda pl: pl.lit("high")},
}


def answer(path):
    """Return what is read, or why nothing is."""
    try:
        scores = read_scores(path)
    except FileFormatError as error:
        return str(error)
    return scores.to_dict()


@pytest.mark.parametrize("wide", [False, True], ids=["long", "a column a metric"])
@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_columns_are_read_as_their_text_is(tmp_path, monkeypatch, changes, wide):
    """The same scores and names, or the same error, by types or by text, whatever the size of a batch."""
    if wide and {"topic"} & changes.keys() and len(changes) == 1:
        pytest.skip("a pivot merges the topics")
    monkeypatch.setattr(stored, "_try_apart", lambda *_, **__: None)
    path = written(tmp_path, wide=wide, **changes)
    by_type = answer(path)
    monkeypatch.setattr(foreign, "_CELLS", 50)
    in_batches = answer(path)
    monkeypatch.setattr(parquet_sheets.ParquetSheet, "coded", lambda *_: None)
    assert by_type == in_batches == answer(path)
