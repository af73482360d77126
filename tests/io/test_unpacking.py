"""The budget of what a file unpacks to: one for every reader, counted as it comes, raised as the error says."""

import ast
import bz2
import gzip
import io
import json
import lzma
import re
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import metaeval
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.articles import read_article
from metaeval.io import unpacking
from metaeval.io.benchmarks.contents import read_json
from metaeval.io.files import read_bytes
from metaeval.io.tables import read_scores
from metaeval.io.unpacking import COMPRESSIONS, LEAST, LIMIT, MOST, TIMES, Budget
from metaeval.resampling.replicates import ReplicateStore, _opened, _sealed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}
TABLE = b"topic,a,b\n" + b"".join(b"%d,0.%d,0.5\n" % (number, number % 7) for number in range(400))


def _streamed(content):
    """Pack as zstandard without saying how long it is."""
    packer = zstd.ZstdCompressor()
    return packer.compress(content) + packer.flush()


def test_the_budget_of_a_file():
    """A few bytes may become 64 MiB, more of them 100 times as many, and nothing more than 2 GiB."""
    assert [Budget("x", size).bytes for size in (0, 1000, LEAST, 2**40)] == [LEAST, LEAST, MOST, MOST]
    assert Budget("x", 2**20).bytes == TIMES * 2**20


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("parts", [1, 40])
def test_a_bomb_is_refused_as_it_unpacks(tmp_path, monkeypatch, suffix, parts):
    """In one member or in many, and what it takes until then is not much more than the budget."""
    monkeypatch.setattr(unpacking, "LEAST", 4 * 2**20)
    file = tmp_path / f"bomb{suffix}"
    file.write_bytes(PACKERS[suffix](bytes(40 * 2**20 // parts)) * parts)
    tracemalloc.start()
    with pytest.raises(FileFormatError, match=f"bomb{suffix}: it .*unpacks to") as error:
        read_bytes(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * 2**20
    assert f"{LIMIT}=" in str(error.value)


def test_a_bomb_that_does_not_say_its_size(tmp_path, monkeypatch):
    """It is counted as it comes."""
    monkeypatch.setenv(LIMIT, "1M")
    (tmp_path / "x.zst").write_bytes(_streamed(bytes(2**21)))
    with pytest.raises(FileFormatError, match="it unpacks to more than it may; the limit is 1,048,576"):
        read_bytes(tmp_path / "x.zst")


@pytest.mark.parametrize("suffix", PACKERS)
def test_the_way_out_works(tmp_path, monkeypatch, suffix):
    """Followed to the letter, as often as it is given, it ends in the answer."""
    file = tmp_path / f"ap.csv{suffix}"
    file.write_bytes(PACKERS[suffix](TABLE))
    whole = read_scores(file)
    monkeypatch.setenv(LIMIT, "2K")
    for _ in range(3):
        try:
            found = read_scores(file)
        except FileFormatError as error:
            monkeypatch.setenv(LIMIT, re.search(rf"{LIMIT}=(\w+)", str(error))[1])
        else:
            break
    assert found.identical(whole)


@pytest.mark.parametrize("said", ["much", "-1", "0", "1.5G", "1e9", "9" * 30, "2GB2"])
def test_a_limit_that_is_none(tmp_path, monkeypatch, said):
    """It is refused by name where it would count."""
    (tmp_path / "ap.csv.gz").write_bytes(gzip.compress(TABLE))
    monkeypatch.setenv(LIMIT, said)
    with pytest.raises(InvalidOptionError, match=f"{LIMIT} is a number of bytes, such as 3000000000, 500M or 8G"):
        read_scores(tmp_path / "ap.csv.gz")


@pytest.mark.parametrize(
    ("said", "size"), [("1000", 1000), ("3K", 3072), ("2MB", 2**21), ("1GiB", 2**30), ("2T", 2**41)]
)
def test_what_a_limit_may_be(monkeypatch, said, size):
    """Bytes, or a unit behind a number."""
    monkeypatch.setenv(LIMIT, said)
    assert Budget("x", 1).bytes == size


def _log(*samples):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"status": "success", "eval": {"task": "t", "model": "m"}}))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_1.json", sample)
    return stream.getvalue()


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_members_of_an_archive_are_counted_together(tmp_path, monkeypatch, suffix):
    """Many of which each alone would pass; also in an archive that is packed once more, by its size on the disk."""
    monkeypatch.setattr(unpacking, "LEAST", 2**20)
    file = tmp_path / f"x.eval{suffix}"
    content = _log(*[b'{"id": 1}' + b" " * 200_000] * 12)
    file.write_bytes(PACKERS.get(suffix, bytes)(content))
    with pytest.raises(
        FileFormatError, match=r"x\.eval.* \(samples/5_epoch_1\.json\): it says that it unpacks to 200,009"
    ):
        read_scores(file)


@pytest.mark.parametrize("piece", [b"[],", b"{},", b"0,", b'{"a":1},'])
def test_values_are_counted_before_they_are_made(tmp_path, monkeypatch, piece):
    """A megabyte of brackets is a hundred megabytes of lists."""
    monkeypatch.setattr(unpacking, "_FEW_OBJECTS", 1500)
    monkeypatch.setattr(unpacking, "_MOST_OBJECTS", 1500)
    content = b"[{}," + piece * 2000 + b"{}]"
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(content))
    (tmp_path / "x.eval").write_bytes(_log(b'{"a": [' + piece * 1100 + b"0]}", b'{"a": [' + piece * 1100 + b"0]}"))
    for name in ("x.json.gz", "x.eval"):
        with pytest.raises(FileFormatError, match=r"it unpacks to some [\d,]+ values; the limit is 1,500"):
            read_scores(tmp_path / name)
    (tmp_path / "plain.json").write_bytes(content)
    assert read_json(content, str(tmp_path / "plain.json")) is not None  # it costs its sender as much as its reader


def test_elements_are_counted_before_they_are_made(tmp_path, monkeypatch):
    """XML too; and depth is bounded in any file, for the path of every element is kept."""
    monkeypatch.setattr(unpacking, "_FEW_OBJECTS", 1000)
    monkeypatch.setattr(unpacking, "LEAST", 10_000)
    (tmp_path / "x.xml.gz").write_bytes(gzip.compress(b"<article>" + b"<p/>" * 2000 + b"</article>"))
    with pytest.raises(FileFormatError, match=r"it unpacks to some 8,008 values"):
        read_article(tmp_path / "x.xml.gz")
    (tmp_path / "x.xml").write_bytes(b"<a>" * 600 + b"</a>" * 600)
    with pytest.raises(FileFormatError, match="elements stand within elements 500 times"):
        read_article(tmp_path / "x.xml")


@pytest.mark.parquet
@pytest.mark.parametrize("name", ["", "n" * 5000])
def test_parquet_that_repeats_a_cell(tmp_path, monkeypatch, name):
    """Many cells of a few bytes, and few cells of many."""
    pl = pytest.importorskip("polars")
    n_rows = 5 if name else 400_000
    monkeypatch.setenv(LIMIT, "1M" if not name else "20K")
    pl.DataFrame({"system": [name] * n_rows, "topic": ["1"] * n_rows}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(FileFormatError, match=r"x.parquet: it unpacks to [\d,]+ bytes or more; the limit is"):
        read_scores(tmp_path / "x.parquet")


def test_a_kept_replicate_is_not_packed(tmp_path):
    """Ours are stored as they are; one that would unpack is none of ours, whatever seal it bears."""
    assert _opened(_sealed({"x": np.zeros(10)})) is not None
    stream = io.BytesIO()
    np.savez_compressed(stream, x=np.zeros(10**5))
    with zipfile.ZipFile(stream, "a") as archive:
        archive.comment = b"0" * 64
    from metaeval.resampling.replicates import _DIGITS, checksum  # noqa: PLC0415 - as the store seals

    body = stream.getvalue()[:-64]
    assert _DIGITS == 64
    assert _opened(body + checksum(body).encode()) is None
    assert ReplicateStore(folder=tmp_path, name="x").load(1) is None


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_many_empty_members_take_no_time(tmp_path, suffix):
    """What stands behind a member is not copied for each of them."""
    (tmp_path / f"x{suffix}").write_bytes(PACKERS[suffix](b"") * 20_000 + PACKERS[suffix](TABLE))
    assert read_bytes(tmp_path / f"x{suffix}") == TABLE


def test_nothing_else_unpacks():
    """Whoever unpacks does so within the budget: no other module calls what unpacks."""
    allowed = {
        "io/unpacking.py": {"bz2", "lzma", "zlib", "gzip"},
        "io/benchmarks/contents.py": {"zipfile", "zlib"},
        "io/files.py": {"lzma", "zlib"},  # names of their errors
        "reports/data_files.py": {"gzip"},  # packs
        "resampling/replicates.py": {"zipfile", "zlib"},  # refuses what is packed
    }
    package = Path(metaeval.__file__).parent
    for file in package.rglob("*.py"):
        found = set()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found |= {(node.module or "").split(".")[0]}
        packing = found & {"bz2", "lzma", "zlib", "gzip", "zipfile", "tarfile", "shutil.unpack_archive"}
        name = file.relative_to(package).as_posix()
        assert packing <= allowed.get(name, set()), name
