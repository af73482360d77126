"""Parquet and NetCDF: a changed bit is found, and a damaged file of others ends in an error of ours, not in a crash."""

import json
import random
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import xarray as xr

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io import foreign, stored
from metaeval.io.stored import dataset_of_netcdf, notes_in, open_parquet, read_tree, write_tree
from metaeval.io.tables import read_scores, write_scores
from metaeval.io.writing import write_bytes
from metaeval.table.scores import as_scores

KINDS = {"parquet": open_parquet, "nc": dataset_of_netcdf}
PARQUET = pytest.param(".parquet", marks=pytest.mark.parquet)
FORMS = [pytest.param("parquet", marks=pytest.mark.parquet), "nc"]


@pytest.fixture
def scores():
    """Two metrics, three systems, five topics."""
    values = np.random.default_rng(0).random((2, 3, 5))
    return as_scores(values, metrics=["AP", "RR"], systems=["a", "b", "c"])


def _written(scores, folder, ending):
    return write_scores(scores, folder / f"x.{ending}").read_bytes()


def _without_seal(content, ending):
    place = len(content) if ending == "nc" else stored._footer_of(content)
    return content[: place - stored._SEAL_LENGTH] + content[place:]


@pytest.mark.parametrize("ending", FORMS)
def test_no_changed_bit_is_read_as_other_scores(tmp_path, scores, ending):
    """One bit of a file of ours changes: the file is refused, unless the bit is one of the seal's name."""
    content = _written(scores, tmp_path, ending)
    draws = random.Random(0)  # noqa: S311 - which bits does not matter
    name = range(content.index(stored._SEAL), content.index(stored._SEAL) + len(stored._SEAL))
    places = [place for place in draws.sample(range(8, len(content) - 8), 200) if place not in name]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << draws.randrange(8)
        with pytest.raises(FileFormatError, match="x: the file is damaged: its content does not fit its checksum"):
            KINDS[ending](bytes(damaged), "x")
    renamed = content.replace(stored._SEAL, b"#" * len(stored._SEAL))
    Path(tmp_path, f"y.{ending}").write_bytes(renamed)
    assert read_scores(tmp_path / f"y.{ending}").equals(scores)


@pytest.mark.parametrize("ending", FORMS)
def test_what_another_program_rewrites_has_no_seal(tmp_path, scores, ending):
    """A file that was opened, changed and stored by another program is read, with its new numbers."""
    _written(scores, tmp_path, ending)
    path, other = tmp_path / f"x.{ending}", tmp_path / f"other.{ending}"
    if ending == "nc":
        with xr.open_dataset(path, engine="h5netcdf") as opened:
            (opened.load() * 2).to_netcdf(other, engine="h5netcdf")
    else:
        pl = pytest.importorskip("polars")
        pl.read_parquet(path).with_columns(pl.col("score") * 2).write_parquet(other)
    np.testing.assert_array_equal(read_scores(other).to_numpy(), 2 * scores.to_numpy())


@pytest.mark.parametrize("ending", FORMS)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_a_file_cut_short_is_refused(tmp_path, scores, ending, share):
    """A file of ours or of others that ends too early is an error that names it."""
    content = _written(scores, tmp_path, ending)
    path = tmp_path / f"cut.{ending}"
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(FileFormatError, match=rf"cut\.{ending}: the (Parquet|NetCDF) file cannot be read: .*fetch"):
        read_scores(path)


@pytest.mark.parametrize("start", [pytest.param(b"PAR1", marks=pytest.mark.parquet), b"\x89HDF\r\n\x1a\n"])
@pytest.mark.parametrize("rest", [b"", b"PAR1", b"\xff" * 100, b"\0" * 100 + b"\xff\xff\xff\x7fPAR1"])
def test_what_only_begins_like_one_is_refused(tmp_path, start, rest):
    """The first bytes of a format with rubbish behind them are no file of that format."""
    path = tmp_path / "x.bin"
    path.write_bytes(start + rest)
    with pytest.raises(FileFormatError, match=r"x\.bin: the (Parquet|NetCDF) file cannot be read"):
        read_scores(path)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os; os.abort()", "reading it ended with code -6"),
        ("import sys; sys.exit('out of luck')", "out of luck"),
        ("import time; time.sleep(60)", "reading it did not end within 3 seconds"),
    ],
    ids=["crash", "error", "no end"],
)
@pytest.mark.parametrize("ending", FORMS)
def test_a_library_that_crashes_or_never_ends_is_an_error_of_ours(  # noqa: PLR0917 - fixtures
    tmp_path, monkeypatch, scores, ending, program, reason
):
    """Whatever becomes of the process that tries a file of others, this one goes on and names the file."""
    script = tmp_path / "reader.py"
    script.write_text(program)
    monkeypatch.setattr(foreign, "__file__", str(script))
    monkeypatch.setattr(stored, "_LEAST_SECONDS", 0.1 if "sleep" in program else 30)
    with pytest.raises(FileFormatError, match=rf"x: the (Parquet|NetCDF) file cannot be read: {reason}"):
        KINDS[ending](_without_seal(_written(scores, tmp_path, ending), ending), "x")


@pytest.mark.parquet
def test_no_batch_is_read_before_the_process_apart_has_read_it(tmp_path, monkeypatch, scores):
    """Where that process comes to a bad end in the midst of a file, this one has read what lies before, and stops."""
    script = tmp_path / "reader.py"
    script.write_text("import os, sys; sys.stdin.buffer.read(); os.write(1, b'.'); os.abort()")
    monkeypatch.setattr(foreign, "__file__", str(script))
    monkeypatch.setattr(foreign, "_CELLS", 8)
    batches = open_parquet(_without_seal(_written(scores, tmp_path, "parquet"), "parquet"), "x").batches()
    assert len(next(batches)) > 0
    with pytest.raises(FileFormatError, match="x: the Parquet file cannot be read: reading it ended with code -6"):
        next(batches)


@pytest.mark.parquet
def test_a_panic_is_an_error_of_ours(tmp_path, monkeypatch, scores):
    """A panic of Rust is no Exception; it is told from an interruption, which goes through."""

    class PanicException(BaseException):
        pass

    content = _written(scores, tmp_path, "parquet")
    for kind, expected in ((PanicException, FileFormatError), (KeyboardInterrupt, KeyboardInterrupt)):

        def fail(_content, kind=kind):
            raise kind("left == right")

        monkeypatch.setattr(stored, "noted_in", fail)
        with pytest.raises(expected, match="left == right"):
            open_parquet(content, "x")


@pytest.mark.parametrize(
    "noted", ["[" * 100_000, "{", "3", '{"topics": 3, "notes": {"a": 1}}', '{"topics": ["9", "8"], "notes": "all"}']
)
def test_notes_of_others_do_no_harm(tmp_path, noted):
    """What stands under our name in the metadata of another program's file is not trusted."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"system": ["a", "a", "b", "b"], "topic": [1, 2, 1, 2], "AP": [0.1, 0.2, 0.3, 0.4]})
    frame.write_parquet(tmp_path / "x.parquet", metadata={"metaeval": noted})
    assert read_scores(tmp_path / "x.parquet")["topic"].to_numpy().tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("stored_notes", "notes"),
    [
        ('["one", "two"]', ["one", "two"]),
        ("a text", ["a text"]),
        ('"text"', ['"text"']),
        ("[" * 100_000, None),
        (3, ["3"]),
    ],
)
def test_notes_in_attributes(stored_notes, notes):
    """Our notes are a JSON list; anything else is one note."""
    assert notes_in(stored_notes) == (notes or [stored_notes])


def test_a_file_that_declares_more_than_it_holds_is_refused(tmp_path):
    """A few bytes of NetCDF can declare petabytes; they are not made room for."""
    with h5netcdf.File(tmp_path / "x.nc", "w") as file:
        file.dimensions = {"metric": 1000, "system": 10**6, "topic": 10**6}
        file.create_variable("score", ("metric", "system", "topic"), "f8", chunks=(1, 1, 1000))
    with pytest.raises(FileFormatError, match=r"it unpacks to [\d,]+ bytes or more; the limit is"):
        read_scores(tmp_path / "x.nc")


COLUMNS = {
    "decimals": (lambda pl: pl.Series(["0.1", "0.2", "0.30", "0.4"]).cast(pl.Decimal(5, 2)), [0.1, 0.2, 0.3, 0.4]),
    "categories": (lambda pl: pl.Series(["1", "2", "3", "4"]).cast(pl.Categorical), [1, 2, 3, 4]),
    "whole numbers": (lambda pl: pl.Series([1, 2, 3, 2**53]), [1, 2, 3, 2**53]),
    "floats of half size": (lambda pl: pl.Series([0.5, 0.25, 0.125, 1], dtype=pl.Float32), [0.5, 0.25, 0.125, 1]),
    "lost digits": (lambda pl: pl.Series([1, 2, 3, 2**53 + 1]), "more digits than a score can hold"),
    "dates": (lambda pl: pl.Series(["2020-01-01"] * 4).str.to_date(), "'2020-01-01' is not a number"),
    "true and false": (lambda pl: pl.Series([True, False, True, False]), [1.0, 0.0, 1.0, 0.0]),
    "nulls": (lambda pl: pl.Series([1.0, None, 2.0, 3.0]), "row 2: .*the cell is empty"),
    "not numbers": (lambda pl: pl.Series([1.0, float("nan"), 2.0, 3.0]), "row 2: .*the cell holds 'NaN'"),
    "infinities": (lambda pl: pl.Series([1.0, 2.0, 3.0, float("inf")]), "row 4: .*'inf' is not finite"),
    "lists": (lambda pl: pl.Series([[1.0]] * 4), "the Parquet file cannot be read"),
    "records": (lambda pl: pl.Series([{"a": 1.0}] * 4), "the Parquet file cannot be read"),
}


@pytest.mark.parametrize(("column", "expected"), COLUMNS.values(), ids=COLUMNS.keys())
def test_columns_of_any_type_are_right_or_refused(tmp_path, column, expected):
    """Scores of every type of Parquet are the numbers they are, or refused with row and reason."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"system": list("aabb"), "topic": [1, 2, 1, 2], "metric": "AP", "score": column(pl)})
    frame.write_parquet(tmp_path / "x.parquet")
    if isinstance(expected, str):
        with pytest.raises(FileFormatError, match=expected):
            read_scores(tmp_path / "x.parquet")
        return
    assert read_scores(tmp_path / "x.parquet").to_numpy().ravel().tolist() == expected


def test_netcdf_is_not_decoded_as_times(tmp_path):
    """A score whose unit is seconds is a number, not a span of time."""
    data = xr.Dataset({"latency": (("system", "topic"), [[1.0, 2.0], [3.0, 4.0]], {"units": "seconds"})})
    data = data.assign_coords(system=["a", "b"], topic=["1", "2"])
    data.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    assert read_scores(tmp_path / "x.nc").to_numpy().ravel().tolist() == [1, 2, 3, 4]


def test_text_under_a_binary_name_is_text(tmp_path):
    """The content decides: a table of text called .nc or .parquet is read as a table."""
    for name in ("x.nc", "x.parquet"):
        (tmp_path / name).write_text("topic,a,b\n1,0.5,0.25\n2,0,1\n")
        assert read_scores(tmp_path / name)["metric"].to_numpy().tolist() == ["x"]


def test_metadata_is_json(tmp_path, scores):
    """What a file of ours notes can be read by others."""
    pl = pytest.importorskip("polars")
    _written(scores, tmp_path, "parquet")
    noted = json.loads(pl.read_parquet_metadata(tmp_path / "x.parquet")["metaeval"])
    assert noted == {"topics": ["1", "2", "3", "4", "5"], "notes": []}


def flipped(content, *, n, seed):
    """Yield copies of some bytes with one bit the other way round, at places drawn over all of them."""
    for place in sorted(random.Random(seed).sample(range(8 * len(content)), n)):  # noqa: S311 - which bit
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        yield bytes(damaged)


@pytest.mark.parametrize("ending", [".nc", PARQUET, ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zst", ".tsv.zst"])
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


@pytest.mark.parametrize("ending", [".nc", PARQUET])
def test_other_programs_read_a_file_with_a_checksum(scores, tmp_path, ending):
    """The checksum stands where they do not look."""
    path = write_scores(scores, tmp_path / f"scores{ending}")
    if ending == ".nc":
        with xr.open_dataarray(path) as opened:
            assert opened.equals(scores)
    else:
        assert pytest.importorskip("polars").read_parquet(path)["score"].sum() == pytest.approx(float(scores.sum()))


def test_a_tree_comes_back_whole_or_not_at_all(tmp_path):
    """Posteriors are written whole, read as they were, read by ArviZ's way too, and refused when damaged."""
    tree = xr.DataTree.from_dict({"/posterior": xr.Dataset({"x": ("draw", np.arange(50) / 7)})})
    path = write_tree(tree, tmp_path / "fit.nc")
    assert read_tree(path).identical(tree)
    with xr.open_datatree(path, engine="h5netcdf") as opened:
        assert opened.load().identical(tree)
    for damaged in flipped(path.read_bytes(), n=40, seed=3):
        (tmp_path / "damaged.nc").write_bytes(damaged)
        try:
            assert read_tree(tmp_path / "damaged.nc").identical(tree)
        except FileFormatError as error:
            assert "damaged.nc" in str(error)  # noqa: PT017 - or the very same numbers
    (tmp_path / "other.nc").write_bytes(_without_seal(path.read_bytes(), "nc"))
    assert read_tree(tmp_path / "other.nc").identical(tree)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_tree(write_bytes(tmp_path / "text.nc", b"text"))


def test_a_file_of_others_is_tried_without_what_takes_long_to_start():
    """The process apart loads neither xarray, pandas nor metaeval."""
    stream = BytesIO()
    xr.Dataset({"x": ("i", [1.0])}).to_netcdf(stream, engine="h5netcdf")
    code = (
        "import os, runpy, sys; os._exit = lambda code: print(code, *sys.modules)\n"
        "sys.argv = [sys.argv[1], 'NetCDF', '30', '1000000']; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, foreign.__file__], input=stream.getvalue(), capture_output=True, check=True
    )
    code, *loaded = done.stdout.decode().split()
    assert code == "0"
    assert "h5netcdf" in loaded
    assert not {"xarray", "pandas", "metaeval", "polars"} & set(loaded)


def test_without_polars_parquet_names_the_extra(tmp_path, monkeypatch, scores):
    """Reading and writing it are refused before any work, with the extra and the other forms; those work."""
    monkeypatch.setitem(sys.modules, "polars", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and more")
    missing = r"polars, which is not installed \(pip install polars, or metaeval with its extra parquet\); "
    with pytest.raises(FileFormatError, match=rf"x\.parquet: Parquet is read by {missing}or write .* CSV or NetCDF"):
        read_scores(tmp_path / "x.parquet")
    with pytest.raises(InvalidOptionError, match=rf"\.parquet is written by {missing}\.nc, \.csv and \.tsv need"):
        write_scores(scores, tmp_path / "y.parquet.gz")
    assert not (tmp_path / "y.parquet.gz").exists()
    for ending in (".nc", ".csv", ".tsv"):
        assert read_scores(write_scores(scores, tmp_path / f"y{ending}")).equals(scores)
