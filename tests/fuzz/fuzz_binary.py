"""Binary files: Parquet, NetCDF, kept replicates, and the four ways of compressing."""

import io
import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xarray as xr
from fuzz_harness import Case, Reader, RefusedError
from fuzz_spelling import OTHER_PACKERS, PACKERS, number
from fuzz_tables import laid_out, read_as_scores, score_opinions

from metaeval.errors import FileFormatError
from metaeval.io.files import read_bytes
from metaeval.io.tables import read_scores
from metaeval.io.writing import write_bytes
from metaeval.resampling.replicates import ReplicateStore

_BASES = 120

# ---------------------------------------------------------------------------------------------------- changes


def _flip(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _overwrite(rng: random.Random, content: bytes) -> bytes:
    at, length = rng.randrange(len(content)), rng.choice((1, 2, 4, 8, 64))
    new = rng.choice((bytes(length), b"\xff" * length, bytes(rng.randrange(256) for _ in range(length))))
    return (content[:at] + new + content[at + length :])[: max(len(content), at + length)]


def _insert(rng: random.Random, content: bytes) -> bytes:
    at = rng.randint(0, len(content))
    return content[:at] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 1, 2, 8)))) + content[at:]


def _remove(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + content[at + rng.choice((1, 1, 2, 8, 64)) :]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def _append(rng: random.Random, content: bytes) -> bytes:
    return content + rng.choice((b"\0", b"\0" * 512, b"junk", b"\n", content[: rng.randint(0, len(content))]))


def _move(rng: random.Random, content: bytes) -> bytes:
    start, length, to = rng.randrange(len(content)), rng.choice((4, 16, 64)), rng.randrange(len(content))
    return content[:to] + content[start : start + length] + content[to + length :]


_CHANGES = (_flip, _flip, _flip, _flip, _overwrite, _overwrite, _insert, _remove, _cut, _append, _move)


def change_bytes(rng: random.Random, case: Case) -> Case:
    """Return a case whose file has a change that knows nothing of its form."""
    content = case.files[0]
    return case._replace(files=(rng.choice(_CHANGES)(rng, content) if content else content,))


def _rng(kind: str, number: int) -> random.Random:
    return random.Random(f"{kind}:{number}")  # noqa: S311 - no secret


# ---------------------------------------------------------------------------------------------------- Parquet


@cache
def _parquet(number: int) -> bytes:  # noqa: C901, PLR0912, PLR0915 - every oddity in its place
    import polars as pl  # noqa: PLC0415 - its threads do not survive a fork

    rng = _rng("parquet", number)
    rows = [
        (s, t, m, rng.choice((rng.random(), 0.1, 0.25, 1e-7, 1e16)))
        for m in ("AP", "P@5")
        for s in "ab"
        for t in (1, 2)
    ]
    rows = rows[: rng.choice((4, 8, 8, 8))]
    names = [rng.choice(("system", "run")), rng.choice(("topic", "qid")), "metric", rng.choice(("score", "value"))]
    topics: list[Any] = [row[1] for row in rows]
    scores: list[Any] = [row[3] for row in rows]
    score_kind, topic_kind, odd, whose = -1, -1, -1.0, rng.randrange(8)
    if whose == 0:
        topic_kind = rng.randrange(5)
    elif whose == 1:
        score_kind = rng.randrange(12)
    elif whose == 2:
        odd = rng.random() / 2
    score_column = pl.Series(scores)
    if score_kind == 0:
        score_column = score_column.cast(pl.Float32)
    elif score_kind == 1:
        score_column = pl.Series([rng.randint(0, 9) for _ in scores], dtype=rng.choice((pl.Int8, pl.UInt64, pl.Int64)))
    elif score_kind == 2:
        score_column = pl.Series([rng.choice(("0.5", "nan", "x", "1_0", " 0.5", "", "٣")) for _ in scores])
    elif score_kind == 3:
        score_column = pl.Series([rng.choice((0.5, None, float("nan"))) for _ in scores], dtype=pl.Float64)
    elif score_kind == 4:
        score_column = pl.Series([[one] for one in scores])
    elif score_kind == 5:
        score_column = pl.Series([{"a": one} for one in scores])
    elif score_kind == 6:
        score_column = pl.Series([b"\xff0.5" for _ in scores])
    elif score_kind == 7:
        score_column = pl.Series([rng.random() < 0.5 for _ in scores])
    elif score_kind == 8:
        score_column = pl.Series([date(2004, 5, 1) for _ in scores])
    elif score_kind == 9:
        score_column = score_column.clip(0, 9).cast(pl.Decimal(scale=3))
    elif score_kind == 10:
        score_column = pl.Series([None for _ in scores], dtype=pl.Null)
    elif score_kind == 11:
        score_column = pl.Series([rng.choice((float("inf"), 0.5, -0.0, 5e-324)) for _ in scores])
    topic_column = pl.Series(topics)
    if topic_kind == 0:
        topic_column = pl.Series([f"q{topic}" for topic in topics])
    elif topic_kind == 1:
        topic_column = topic_column.cast(pl.Float64)
    elif topic_kind == 2:
        topic_column = pl.Series([rng.choice(("1", "a\nb", 'a"b', "a,b", " a", "", "é", "all")) for _ in topics])
    elif topic_kind == 3:
        topic_column = pl.Series([None if rng.random() < 0.3 else str(topic) for topic in topics], dtype=pl.String)
    elif topic_kind == 4:
        topic_column = pl.Series([date(2004, 5, topic) for topic in topics])
    system_column = pl.Series([row[0] for row in rows])
    if rng.random() < 0.3:
        system_column = system_column.cast(pl.Categorical)
    frame = pl.DataFrame([system_column, topic_column, pl.Series([row[2] for row in rows]), score_column])
    frame.columns = names
    if 0 <= odd < 0.1:
        frame = frame.drop(rng.choice(names))
    elif 0.1 <= odd < 0.2:
        frame = frame.with_columns(pl.lit("x").alias(rng.choice(("group", "note", "", "higher_is_better"))))
    elif 0.2 <= odd < 0.25:
        frame = frame.head(0)
    elif odd >= 0.25:
        frame = frame.pivot(on=names[0], index=names[1], values=names[3], aggregate_function="first")
    usual = (None, {"topics": ["2", "1"], "notes": ["kept"]}, {"topics": ["1", "2"], "notes": []})
    stored = rng.choice(
        usual * 8
        + ({"topics": 5, "notes": 7}, {"topics": ["2", "1"], "notes": 7})
        + (
            {"topics": [1, 2], "notes": [1]},
            {"notes": []},
            [],
            5,
            {"topics": ["1", "1"], "notes": None},
            "no json",
            {"topics": {"1": 2}},
        )
    )
    metadata = None if stored is None else {"metaeval": stored if isinstance(stored, str) else json.dumps(stored)}
    stream = io.BytesIO()
    compression: Any = rng.choice(("uncompressed", "uncompressed", "snappy", "zstd", "lz4", "gzip"))
    frame.write_parquet(stream, compression=compression, metadata=metadata, statistics=rng.random() < 0.5)
    return stream.getvalue()


def written_parquet(
    rng: random.Random, rows: Sequence[tuple[str, str, str, float]]
) -> tuple[bytes, Callable[[float], float]]:
    """Write metrics, systems, topics and scores as other programs may, and say what becomes of a score."""
    import polars as pl  # noqa: PLC0415 - as above

    metrics, systems, topics, values = map(list, zip(*rows, strict=True))
    kind = rng.randrange(4)
    scores = [pl.Series(values), pl.Series(values, dtype=pl.Float32), pl.Series([number(rng, one) for one in values])]
    columns = {
        rng.choice(("system", "Run", "run-id")): pl.Series(systems, dtype=rng.choice((pl.String, pl.Categorical))),
        rng.choice(("topic", "QID")): pl.Series(topics),
        rng.choice(("metric", "Measure")): pl.Series(metrics, dtype=rng.choice((pl.String, pl.Categorical))),
        rng.choice(("score", "Value")): scores[kind % 3],
    }
    frame, stream = pl.DataFrame(dict(rng.sample(list(columns.items()), 4))), io.BytesIO()
    packing: Any = rng.choice(("uncompressed", "snappy", "zstd", "lz4", "gzip", "brotli"))
    frame.write_parquet(
        stream, compression=packing, row_group_size=rng.choice((None, 2)), statistics=rng.random() < 0.5
    )
    return stream.getvalue(), (lambda one: float(np.float32(one))) if kind % 3 == 1 else float


def _make_parquet(rng: random.Random) -> Case:
    options = {"missing": rng.choice(("zero", "drop-systems", "drop-topics"))} if rng.random() < 0.3 else {}
    return Case((_parquet(rng.randrange(_BASES)),), options)


def _parquet_opinions(case: Case) -> list[object]:
    import polars as pl  # noqa: PLC0415 - as above

    try:
        frame = pl.read_parquet(io.BytesIO(case.files[0]))
        stored = pl.read_parquet_metadata(io.BytesIO(case.files[0])).get("metaeval", "{}")
        # dates may lie beyond those of Python
        values = frame.with_columns(pl.selectors.temporal().cast(pl.String)).rows()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a panic is no Exception
        raise RefusedError("no Parquet") from None
    if any(kind.is_nested() or kind in {pl.Binary, pl.Object} for kind in frame.dtypes):
        raise RefusedError("a column of lists, structures or bytes")
    found, reason = [], None
    for said in (("false", "true"), ("0", "1")):  # as names, or as scores
        rows = [list(frame.columns), *([_cell(one, said) for one in row] for row in values)]
        rows = [row for row in rows if any(row)]
        if not rows:
            raise RefusedError("no rows")
        try:
            found += score_opinions([rows], case.options)
        except RefusedError as error:
            reason = reason or error
    if reason and not found:
        raise reason
    try:
        order = json.loads(stored)["topics"]
    except (ValueError, KeyError, TypeError):
        return found
    return [_in_order(one, order) for one in found]


def _cell(value: object, said: Sequence[str]) -> str:
    if value is None:
        return ""
    return said[value] if isinstance(value, bool) else str(value)


def _in_order(reading: Any, order: Any) -> object:
    topics = reading["topic"]
    if not isinstance(order, list) or not all(isinstance(one, str) for one in order) or sorted(order) != sorted(topics):
        return reading
    places = [topics.index(name) for name in order]
    scores = [[[row[place] for place in places] for row in rows] for rows in reading["scores"]]
    return {**reading, "topic": order, "scores": scores}


# ----------------------------------------------------------------------------------------------------- NetCDF


@cache
def _netcdf(number: int) -> bytes:  # noqa: C901, PLR0912 - every oddity in its place
    rng = _rng("netcdf", number)
    metrics, systems, topics = ["AP", "P@5"][: rng.randint(1, 2)], ["bm25", "lm"], ["1", "2", "10"]
    values = np.array([[[round(rng.random(), 3) for _ in topics] for _ in systems] for _ in metrics])
    dims = ["metric", "system", "topic"]
    kind = rng.randrange(16)
    coords: dict[str, Any] = {"metric": metrics, "system": systems, "topic": topics}
    attrs: dict[str, Any] = {"notes": rng.choice(("[]", '["a note"]', "text", "5", "null", 7, '{"a": 1}'))}
    if kind == 0:
        values[0, 0, 0] = np.nan
    elif kind == 1:
        values = values.astype(np.float32)
    elif kind == 2:
        values = (values * 10).astype(rng.choice((np.int64, np.int8, np.uint16)))
    elif kind == 3:
        coords["topic"] = [1, 2, 10]
    elif kind == 4:
        coords["topic"] = [1.5, 2.0, 10.0]
    elif kind == 5:
        coords["group"] = ("system", ["x", "y"])
    elif kind == 6:
        coords["higher_is_better"] = ("metric", [rng.random() < 0.5 for _ in metrics])
    elif kind == 7:
        coords["topic"] = ["1", "1", "2"]
    elif kind == 8:
        del coords[rng.choice(dims)]
    elif kind == 9:
        dims[rng.randrange(3)] = "other"
        coords = {}
    elif kind == 10:
        coords["group"] = ("topic", ["x", "y", "z"])
    elif kind == 11:
        coords["higher_is_better"] = ("metric", rng.choice(([2, 1], ["yes", "no"]))[: len(metrics)])
    array = xr.DataArray(values, dims=dims, coords=coords, attrs=attrs, name="score")
    dataset = array.to_dataset()
    if kind == 12:
        dataset = xr.Dataset({name: array.isel(metric=at, drop=True) for at, name in enumerate(metrics)})
    elif kind == 13:
        dataset = xr.Dataset({"score": array, "other": ("system", [1.0, 2.0])})
    elif kind == 14:
        dataset = xr.Dataset({"AP": array})
    elif kind == 15:
        dataset = rng.choice(
            (xr.Dataset(), xr.Dataset({"score": ((), 1.0)}), array.transpose("topic", "system", "metric").to_dataset())
        )
    stream = io.BytesIO()
    dataset.to_netcdf(stream, engine="h5netcdf")  # type: ignore[call-overload] # a stream will do, but the stubs lag
    return stream.getvalue()


def written_netcdf(
    rng: random.Random, metrics: list[str], systems: list[str], topics: list[str], values: Any
) -> tuple[bytes, Callable[[float], float]]:
    """Write scores as other programs may: dims in any order, a variable a metric, packed, of 32 bits."""
    names = {"metric": metrics, "system": systems, "topic": topics}
    exact: Any = rng.choice((np.float64, np.float64, np.float32))
    array = xr.DataArray(np.array(values, dtype=exact), dims=list(names), coords=names, name="score")
    array = array.transpose(*rng.sample(list(names), 3))
    dataset = array.to_dataset()
    if rng.random() < 0.3:
        dataset = xr.Dataset({name: array.sel(metric=name, drop=True) for name in metrics})
    packing = {"compression": "gzip", "shuffle": True} if rng.random() < 0.3 else {}
    stream = io.BytesIO()
    dataset.to_netcdf(stream, engine="h5netcdf", encoding=dict.fromkeys(dataset.data_vars, packing))  # type: ignore[call-overload] # as above
    return stream.getvalue(), lambda one: float(exact(one))


def _make_netcdf(rng: random.Random) -> Case:
    options = {"missing": rng.choice(("zero", "drop-systems", "drop-topics"))} if rng.random() < 0.3 else {}
    return Case((_netcdf(rng.randrange(_BASES)),), options)


def _netcdf_opinions(case: Case) -> list[object]:  # noqa: C901 - a literal reading, step by step
    try:
        with h5py.File(io.BytesIO(case.files[0]), "r") as file:
            held = {str(name): _variable(file, str(name)) for name in file if isinstance(file[name], h5py.Dataset)}
    except RefusedError:
        raise
    except Exception:  # noqa: BLE001 - whatever a damaged file makes of the library
        raise RefusedError("no HDF5") from None
    dims = {dim for axes, _ in held.values() for dim in axes}
    extras = {"group", "higher_is_better"}
    found = {name: held[name] for name in held if name not in dims and name not in extras}
    labels = {dim: [_text(one) for one in held[dim][1].tolist()] if dim in held else None for dim in dims}
    cells: dict[tuple[str, str, str], Any] = {}
    metrics: list[str] = []
    for name, (axes, values) in found.items():
        if set(axes) not in ({"metric", "system", "topic"}, {"system", "topic"}) or len(set(axes)) < len(axes):
            raise RefusedError("other dimensions")
        if values.dtype.kind not in "fiub" or None in (labels["system"], labels["topic"]):
            raise RefusedError("no numbers, or no names")
        own = labels["metric"] if "metric" in axes else [name]
        if own is None:
            raise RefusedError("no names")
        order = [axis for axis in ("metric", "system", "topic") if axis in axes]
        turned = np.transpose(values, [axes.index(axis) for axis in order]).reshape(len(own), len(labels["system"]), -1)
        metrics += own
        for at, metric in enumerate(own):
            for row, system in enumerate(labels["system"]):
                for column, topic in enumerate(labels["topic"]):
                    if (metric, system, topic) in cells:
                        raise RefusedError("a name twice")
                    cells[metric, system, topic] = float(turned[at, row, column])
    if not cells:
        raise RefusedError("no scores")
    if any(abs(value) == float("inf") for value in cells.values()):
        raise RefusedError("not finite")
    return [_settled(metrics, labels["system"], labels["topic"], cells, case.options.get("missing", "error"), held)]


def _variable(file: h5py.File, name: str) -> tuple[list[str], Any]:
    data = file[name]
    if data.attrs.get("CLASS") == b"DIMENSION_SCALE" and data.ndim <= 1:
        return [name], data[...]
    return [Path(str(axis[0].name)).name for axis in data.dims], data[...]


def _text(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    if not text or value != value:  # noqa: PLR0124 - NaN
        raise RefusedError("an empty name")
    return text


def _settled(  # noqa: PLR0917 - the parts of a table
    metrics: list[str],
    systems: list[str],
    topics: list[str],
    cells: Mapping[Any, float],
    missing: str,
    held: Mapping[str, Any],
) -> object:
    gaps = {key for key, value in cells.items() if value != value}  # noqa: PLR0124 - NaN
    if gaps and missing == "error":
        raise RefusedError("a gap")
    kept = [one for one in systems if missing != "drop-systems" or not any(gap[1] == one for gap in gaps)]
    topics = [one for one in topics if missing != "drop-topics" or not any(gap[2] == one for gap in gaps)]
    if len(kept) < 2 or len(topics) < 2:
        raise RefusedError("fewer than two systems or topics")
    up = [True] * len(metrics)
    if "higher_is_better" in held:
        known = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
        said = [known.get(_text(one).casefold()) for one in np.ravel(held["higher_is_better"][1]).tolist()]
        if None in said or len(said) != len(metrics):
            raise RefusedError("neither true nor false")
        up = [bool(one) for one in said]
    group = None
    if "group" in held:
        if held["group"][0] != ["system"]:
            raise RefusedError("groups of something else")
        every = dict(zip(systems, [_text(one) for one in held["group"][1].tolist()], strict=True))
        group = [every[one] for one in kept]
    scores = [[[0.0 if (m, s, t) in gaps else cells[m, s, t] for t in topics] for s in kept] for m in metrics]
    return {
        "metric": metrics,
        "system": kept,
        "topic": topics,
        "scores": scores,
        "higher_is_better": up,
        "group": group,
    }


def _read_netcdf(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return laid_out(read_scores(paths[0], **options))


# ------------------------------------------------------------------------------------------------- replicates


def _arrays(number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    found: dict[str, Any] = {"tau": rng.random(rng.integers(1, 4))}
    if number % 2:
        found["counts"] = rng.integers(0, 9, size=(2, 3), dtype=rng.choice([np.int64, np.int32]))
    if number % 3 == 0:
        found["kept"] = rng.random(3) < 0.5
    if number % 5 == 0:
        found["gap"] = np.array([np.nan, np.inf, -0.0])
    if number % 7 == 0:
        found["empty"] = np.empty((0, 2))
    return found


def _store(folder: Path, number: int) -> ReplicateStore:
    return ReplicateStore(folder=folder, name="demo", settings={"seed": number, "text": "é"})


@cache
def _replicate(number: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        store = _store(Path(folder), number)
        store.keep(number, _arrays(number))
        return store.path(number).read_bytes()


def _make_replicate(rng: random.Random) -> Case:
    number = rng.randrange(_BASES)
    return Case((_replicate(number),), {"number": number})


def _mutate_replicate(rng: random.Random, case: Case) -> Case:
    if rng.random() < 0.05:
        return case._replace(options={"number": rng.randrange(_BASES)})  # another's settings and number
    if rng.random() < 0.4 and b"\n" in case.files[0]:  # where a header stands, if there is one
        head, end, rest = case.files[0].partition(b"\n")
        return case._replace(files=((change_bytes(rng, Case((head,))).files[0] if head else head) + end + rest,))
    return change_bytes(rng, case)


def _read_replicate(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    number = options["number"]
    store = _store(Path(paths[0]).parent, number)
    Path(paths[0]).replace(store.path(number))
    try:
        found = store.load(number)
    finally:
        store.path(number).unlink()
    if found is None:
        message = "not used, with a warning"
        raise FileFormatError(message)
    return _numbers(found)


def _numbers(arrays: Mapping[str, Any]) -> dict[str, object]:
    return {name: (array.dtype.kind, array.shape, repr(array.tolist())) for name, array in arrays.items()}


def _replicate_opinions(case: Case) -> list[object]:
    return [_numbers(_arrays(case.options["number"]))]


# ------------------------------------------------------------------------------------------------ compression
# gzip, bzip2 and xz always check what they unpack. A .zst may carry a checksum: metaeval's own do, and so do all here.
# Without one, as some other programs write it, a changed bit cannot be told from other content, by no reader.


def _parts(number: int) -> tuple[str, list[bytes]]:
    """Return what a packed file holds: one part, as metaeval writes it, or several members."""
    rng = _rng("packed", number)
    parts = [
        "".join(f"{rng.randint(1, 3)} 0 d{n} {rng.randint(0, 3)}\n" for n in range(rng.randint(0, 8))).encode()
        for _ in range(rng.choice((1, 1, 1, 2, 3)))
    ]
    return rng.choice(list(PACKERS)), parts


@cache
def _packed(number: int) -> bytes:
    suffix, parts = _parts(number)
    if len(parts) > 1:
        return b"".join(map(PACKERS[suffix], parts))
    with tempfile.TemporaryDirectory() as folder:
        return write_bytes(Path(folder, f"one{suffix}"), parts[0]).read_bytes()


def _make_packed(rng: random.Random) -> Case:
    number = rng.randrange(_BASES)
    return Case((_packed(number),), {"number": number})


def packed_case(rng: random.Random) -> Case:
    """Return a text packed in one of all ways, in up to three members, whatever the file is called."""
    pack = rng.choice((*PACKERS.values(), *OTHER_PACKERS))
    parts = [f"{rng.random()}\n".encode() * rng.choice((0, 1, 50)) for _ in range(rng.randint(1, 3))]
    return Case((b"".join(map(pack, parts)),), {"number": rng.randrange(_BASES)}, b"".join(parts))


def _packed_opinions(case: Case) -> list[object]:
    suffix, parts = _parts(case.options["number"])
    if not case.files[0]:
        return [b""]
    # members one after the other are whole, in whatever order and number, and so is a file cut between two of them; one
    # that lost what tells it from text is refused by its ending
    whole = _unpacked(case.files[0], suffix, parts, _packed(case.options["number"]))
    return [b"".join(parts) if whole is None else whole]


def _unpacked(content: bytes, suffix: str, parts: list[bytes], file: bytes) -> bytes | None:
    """Take known members off the front until none is left; None where something else stands."""
    members = {PACKERS[suffix](part): part for part in parts} | {file: b"".join(parts)}
    found: list[bytes] = []
    while content:
        member = next((one for one in members if content.startswith(one)), None)
        if member is None:
            padded = found and suffix in {".gz", ".xz"} and not content.strip(b"\0")  # zeros at the end are padding
            return b"".join(found) if padded else None
        found.append(members[member])
        content = content[len(member) :]
    return b"".join(found)


def _read_packed(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return read_bytes(paths[0])


def _packed_names(case: Case) -> list[str]:
    return [f"one{_parts(case.options['number'])[0]}"]


READERS = (
    Reader(
        name="scores-parquet",
        make=_make_parquet,
        mutate=change_bytes,
        read=read_as_scores,
        opinions=_parquet_opinions,
        names=("one.parquet",),
        speed=30,
        shorten=False,
        changes=(0, 0, 1, 1, 1, 2),
        polars=True,
    ),
    Reader(
        name="scores-netcdf",
        make=_make_netcdf,
        mutate=change_bytes,
        read=_read_netcdf,
        opinions=_netcdf_opinions,
        names=("one.nc",),
        speed=16,
        shorten=False,
        changes=(0, 0, 1, 1, 1, 2),
    ),
    Reader(
        name="replicates",
        make=_make_replicate,
        mutate=_mutate_replicate,
        read=_read_replicate,
        opinions=_replicate_opinions,
        speed=710,
    ),
    Reader(
        name="compressed",
        make=_make_packed,
        mutate=change_bytes,
        read=_read_packed,
        opinions=_packed_opinions,
        names=_packed_names,
        speed=560,
    ),
)
