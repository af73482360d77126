"""Whatever bit of a file of ours is flipped: the numbers are the same, or reading it is an error of our own."""

import random
from io import BytesIO

import numpy as np
import polars as pl
import pytest
import xarray as xr

from metaeval.errors import FileFormatError
from metaeval.io.files import open_bytes, write_bytes
from metaeval.io.seals import check_seal, read_tree, write_tree
from metaeval.io.tables import read_scores, write_scores
from metaeval.scores import as_scores


@pytest.fixture(scope="module")
def scores():
    """Make a small table."""
    values = np.random.default_rng(0).random((2, 4, 9)).round(4)
    names = {"metrics": ["AP", "nDCG@10"], "systems": ["a", "b", "c", "d"]}
    return as_scores(values, topics=[str(topic) for topic in range(301, 310)], **names)


def flipped(content, *, n, seed):
    """Yield copies of some bytes with one bit the other way round, at places drawn over all of them."""
    for place in sorted(random.Random(seed).sample(range(8 * len(content)), n)):  # noqa: S311 - which bit
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        yield bytes(damaged)


@pytest.mark.parametrize("ending", [".nc", ".parquet", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst", ".tsv.zst"])
def test_no_flipped_bit_reads_as_another_number(scores, tmp_path, ending):
    """Every format that has a checksum keeps its promise, also for names and labels."""
    path = tmp_path / f"scores{ending}"
    content = write_scores(scores, path).read_bytes()
    refused = 0
    for damaged in flipped(content, n=150, seed=1):
        path.write_bytes(damaged)
        try:
            read = read_scores(path)
        except FileFormatError:
            refused += 1
        else:
            assert read.equals(scores)
    assert refused > 100


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_packed_bytes_come_back_whole_or_not_at_all(tmp_path, ending):
    """The same for anything else that is written packed; plain text has no checksum, and can have none."""
    text = "".join(f"{topic} Q0 d{topic * 7919 % 1000} 1 {topic / 7:.4f} run\n" for topic in range(200)).encode()
    path = tmp_path / f"run.txt{ending}"
    content = write_bytes(path, text).read_bytes()
    wrong = 0
    for damaged in flipped(content, n=300, seed=2):
        path.write_bytes(damaged)
        try:
            with open_bytes(path) as stream:
                wrong += stream.read() != text
        except FileFormatError:
            pass
    assert wrong == (300 if not ending else 0)


@pytest.mark.parametrize("ending", [".nc", ".parquet"])
def test_other_programs_read_a_file_with_a_checksum(scores, tmp_path, ending):
    """The checksum stands where they do not look."""
    path = write_scores(scores, tmp_path / f"scores{ending}")
    if ending == ".nc":
        with xr.open_dataarray(path) as stored:
            assert stored.equals(scores)
    else:
        assert pl.read_parquet(path)["score"].sum() == pytest.approx(float(scores.sum()))


@pytest.mark.parametrize("ending", [".nc", ".parquet"])
def test_files_without_a_checksum_are_read(scores, tmp_path, ending):
    """Other programs write none, and leave ours out where they write a file anew."""
    path = write_scores(scores, tmp_path / f"scores{ending}")
    if ending == ".nc":
        with xr.open_dataarray(path) as stored:
            other = stored.load() / 2
        other.to_netcdf(path, engine="h5netcdf")
    else:
        frame = pl.read_parquet(path)
        frame.with_columns(frame["score"] / 2).write_parquet(path)
    np.testing.assert_array_equal(read_scores(path), scores / 2)


def test_a_checksum_kept_by_another_program_is_named(scores, tmp_path):
    """Who changed a file on purpose learns what to leave out."""
    path = write_scores(scores, tmp_path / "scores.parquet")
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    stream = BytesIO()
    frame.with_columns(frame["score"] / 2).write_parquet(
        stream, metadata={key: value for key, value in metadata.items() if key.startswith("metaeval")}
    )
    with pytest.raises(FileFormatError, match=r"another program changed it and kept .*without 'metaeval-sha256'"):
        check_seal(stream.getvalue(), path)


def test_a_tree_comes_back_whole_or_not_at_all(tmp_path):
    """Posteriors are written whole, read as they were, read by ArviZ's way too, and refused when damaged."""
    tree = xr.DataTree.from_dict({"/posterior": xr.Dataset({"x": ("draw", np.arange(50) / 7)})})
    path = write_tree(tree, tmp_path / "fit.nc")
    assert read_tree(path).identical(tree)
    with xr.open_datatree(path, engine="h5netcdf") as stored:
        assert stored.load().identical(tree)
    for damaged in flipped(path.read_bytes(), n=40, seed=3):
        (tmp_path / "damaged.nc").write_bytes(damaged)
        try:
            assert read_tree(tmp_path / "damaged.nc").identical(tree)
        except FileFormatError as error:
            assert "damaged.nc" in str(error)  # noqa: PT017 - or the very same numbers
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_tree(write_bytes(tmp_path / "text.nc", b"text"))
