"""Reading and ranking runs with polars and categoricals instead of our own compiled reader: time and memory.

Usage: python benchmarks/reading_with_polars.py FOLDER [--repeats 1] [--write]

FOLDER comes from make_large_collection.py, where all topics share 4,000 documents; a copy of it in which every topic
has documents of its own, as in real collections, is measured too (--shared-only leaves it out). First both ways must
give the same arrays. Then each is measured in a process of its own, and so is the reader of ir_measures, on a tenth of
the runs and scaled by lines. Processor time is that of all threads, user and system; memory the largest resident set
of the process, what importing takes included. With --write the tables are written to
benchmarks/reports/reading-with-polars.md.

The rule: polars takes the place of metaeval/io/trec_lines.py and metaeval/collection/ranking.py if it takes at most 1.3
times their time and memory and still reads 8 times faster than ir_measures.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

REPORT = Path(__file__).parent / "reports" / "reading-with-polars.md"
SAME = ("n_retrieved", "offsets", "ranks", "judgments", "levels")
TITLE = """# Reading runs: our compiled reader beside polars with categoricals

`python benchmarks/reading_with_polars.py FOLDER`: simulated runs; the same arrays from both; every figure from a
process of its own."""
WAYS = {"ours": "metaeval", "polars": "polars, categoricals", "ir_measures": "ir_measures, reading alone"}


def single_blanks(content: bytes) -> bytes:
    """Return a file with one blank between two columns, as `read_csv` wants it."""
    return re.sub(rb"[ \t\v\f\r]*\n[ \t\v\f\r]*", b"\n", re.sub(rb"[ \t\v\f]+", b" ", content)).strip()


def with_polars(folder: Path) -> dict[str, Any]:
    """Read, rank and join as `metaeval.read_collection` does, for the arrays alone."""
    import polars as pl

    from metaeval.base.names import natural_order

    names = ("topic", "iteration", "document", "level")
    schema = dict(zip(names, (pl.String, pl.String, pl.String, pl.Int16), strict=True))
    qrels = pl.read_csv(folder / "qrels.txt", separator=" ", has_header=False, quote_char=None, schema=schema)
    topics = {name: number for number, name in enumerate(natural_order(qrels["topic"].unique().to_list()))}
    qrels = qrels.with_columns(t=pl.col("topic").replace_strict(topics)).sort("t", "document")
    judged = qrels["document"].cast(pl.Categorical)  # a code lives as long as a column has it
    codes = judged.to_physical().to_numpy().astype(np.int64)
    width = int(codes.max()) + 2
    place_of = np.full(len(topics) * width, -1, dtype=np.int32)
    place_of[qrels["t"].to_numpy() * width + codes] = np.arange(len(qrels))
    files = natural_order(file.name for file in (folder / "runs").iterdir())
    runs = [_read_run(folder / "runs" / file, topics, place_of, width) for file in files]
    return {
        "n_retrieved": np.stack([run[0] for run in runs]),
        "offsets": np.concatenate([[0], np.cumsum(np.stack([run[1] for run in runs]))]),
        "ranks": np.concatenate([run[2] for run in runs]),
        "judgments": np.concatenate([run[3] for run in runs]),
        "tied": np.array([run[4] for run in runs]),
        "levels": qrels["level"].to_numpy(),
    }


def _read_run(path: Path, topics: dict[str, int], place_of: np.ndarray, width: int) -> tuple[Any, ...]:
    """Return lengths of lists, judged documents of each, their ranks, their judgments, and the share of ties."""
    import polars as pl

    names = ("topic", "Q0", "document", "rank", "score", "tag")
    kinds = (pl.Categorical, pl.String, pl.Categorical, pl.Float64, pl.Float64, pl.Categorical)
    options: dict[str, Any] = {"separator": " ", "has_header": False, "quote_char": None, "columns": [0, 2, 4, 5]}
    options["schema"] = dict(zip(names, kinds, strict=True))
    try:
        run = pl.read_csv(path, **options)
    except pl.exceptions.PolarsError:  # mixed white space, comments
        run = pl.read_csv(single_blanks(path.read_bytes()), comment_prefix="#", **options)
    found = run["topic"].unique()
    table = np.zeros(int(found.to_physical().max()) + 1, dtype=np.int64)  # type: ignore[arg-type]  # codes
    table[found.to_physical().to_numpy()] = [topics.get(name, len(topics)) for name in found.to_list()]
    topic, score = table[run["topic"].to_physical().to_numpy()], run["score"].to_numpy()
    document = run["document"].to_physical().to_numpy()
    if run["tag"].n_unique() > 1 or not np.isfinite(score).all():
        raise ValueError(path)
    if _is_unordered(run["document"], topic, score):
        ordered = run.with_columns(pl.Series("t", topic), text=pl.col("document").cast(pl.String))
        ordered = ordered.sort("t", "score", "text", descending=[False, True, True])
        topic, score = ordered["t"].to_numpy(), ordered["score"].to_numpy()
        document = ordered["document"].to_physical().to_numpy()
    if pl.Series((topic << 32) | document).n_unique() < len(document):
        raise ValueError(path)
    kept = topic < len(topics)
    equal = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    tied = np.append(equal, False) | np.append(False, equal)
    counts = np.bincount(topic[kept], minlength=len(topics))
    judgments = place_of[topic[kept] * width + np.minimum(document[kept], width - 1)]
    where = np.flatnonzero(judgments >= 0)
    own = topic[where]
    ranks = (where - (np.cumsum(counts) - counts)[own] + 1).astype(np.int32)
    return counts, np.bincount(own, minlength=len(topics)), ranks, judgments[where], float(tied[kept].mean())


def _is_unordered(documents: Any, topic: np.ndarray, score: np.ndarray) -> bool:  # noqa: ANN401 - a column of polars
    """Say whether some list is not by score, and equal scores by document, both descending."""
    same = topic[1:] == topic[:-1]
    if ((topic[1:] < topic[:-1]) | (same & (score[1:] > score[:-1]))).any():
        return True
    ties = np.flatnonzero(same & (score[1:] == score[:-1]))
    upper, lower = (documents.gather(ties + step).cast(str) for step in (0, 1))
    return bool((lower > upper).any())


def processor_time() -> float:
    """Return the seconds of all threads of this process, user and system."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(folder: Path, way: str) -> dict[str, float]:
    """Read in one of the ways and return lines, seconds of processor and clock, and GiB."""
    warnings.simplefilter("ignore")
    if way == "ours":
        from metaeval.io.trec import read_collection

        read_collection(min((folder / "runs").iterdir()), folder / "qrels.txt")  # kernels from their cache
        clock, start = time.perf_counter(), processor_time()
        lines = int(read_collection(folder / "runs", folder / "qrels.txt").n_retrieved.sum())
    elif way == "polars":
        import polars as _  # noqa: F401, ICN001 - loading it is not measured

        clock, start = time.perf_counter(), processor_time()
        lines = int(with_polars(folder)["n_retrieved"].sum())
    else:
        import ir_measures

        files = sorted((folder / "runs").iterdir())
        clock, start = time.perf_counter(), processor_time()
        lines = sum(sum(1 for _ in ir_measures.read_trec_run(str(file))) for file in files[: -(-len(files) // 10)])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "lines": lines,
        "processor": processor_time() - start,
        "clock": time.perf_counter() - clock,
        "memory": memory,
    }


def check(folder: Path) -> None:
    """Hold both ways to the same arrays."""
    from metaeval.io.trec import read_collection

    warnings.simplefilter("ignore")
    ours, other = read_collection(folder / "runs", folder / "qrels.txt"), with_polars(folder)
    different = [name for name in SAME if not np.array_equal(getattr(ours, name), other[name])]
    if different or not np.allclose(ours.tied, other["tied"]):
        message = f"polars gives other {', '.join(different) or 'ties'}"
        raise SystemExit(message)


def main() -> None:
    """Compare, and say what follows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=1, help="measure each way so often and take the least")
    parser.add_argument("--shared-only", action="store_true", help="leave out the copy with documents by topic")
    parser.add_argument("--write", action="store_true", help="write the report")
    parser.add_argument("--only", choices=("check", *WAYS), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.only == "check":
        check(chosen.folder)
        return
    if chosen.only:
        print(json.dumps(measure(chosen.folder, chosen.only)))
        return
    parts = [TITLE, compared(chosen.folder, "documents shared by all topics", chosen.repeats)]
    if not chosen.shared_only:
        with tempfile.TemporaryDirectory() as folder:
            with_own_documents(chosen.folder, Path(folder))
            parts.append(compared(Path(folder), "documents of their own for every topic", chosen.repeats))
    text = "\n\n".join(parts)
    print(text)
    if chosen.write:
        REPORT.write_text(text + "\n", encoding="utf-8")


def with_own_documents(folder: Path, target: Path) -> None:
    """Write a copy of a collection in which a document's name begins with its topic's."""
    (target / "runs").mkdir()
    for file in [folder / "qrels.txt", *(folder / "runs").iterdir()]:
        content = re.sub(rb"(?m)^(\S+) (\S+) ", rb"\1 \2 \1-", file.read_bytes())
        (target / file.relative_to(folder)).write_bytes(content)


def compared(folder: Path, what: str, repeats: int) -> str:
    """Measure every way and return the table with the decision."""
    command = [sys.executable, __file__, str(folder), "--only"]
    subprocess.run([*command, "check"], check=True)  # noqa: S603 - itself
    found: dict[str, dict[str, float]] = {}
    for way in WAYS:
        runs = [
            json.loads(subprocess.run([*command, way], check=True, capture_output=True, text=True).stdout)  # noqa: S603 - itself
            for _ in range(repeats)
        ]
        found[way] = {name: min(run[name] for run in runs) for name in runs[0]}
    return report(found, what)


def report(found: dict[str, dict[str, float]], what: str) -> str:
    """Write the table and the decision."""
    ours, polars, peer = (found[way] for way in WAYS)
    scale = ours["lines"] / peer["lines"]
    rows = [
        f"| {name} | {one['processor'] * factor:.1f} s | {one['processor'] * factor / ours['processor']:.2f} | "
        f"{one['clock'] * factor:.1f} s | {one['memory']:.2f} GiB |"
        for (name, one), factor in zip(zip(WAYS.values(), found.values(), strict=True), (1, 1, scale), strict=True)
    ]
    time_ratio, memory_ratio = (polars[name] / ours[name] for name in ("processor", "memory"))
    faster = peer["processor"] * scale / polars["processor"]
    replaces = max(time_ratio, memory_ratio) <= 1.3 and faster >= 8
    decision = (
        f"polars takes {time_ratio:.2f} times our processor time and {memory_ratio:.2f} times our memory, and reads "
        f"{faster:.1f} times faster than ir_measures (ours: {peer['processor'] * scale / ours['processor']:.1f}). By "
        f"the rule (at most 1.3 and 1.3, at least 8) our reader {'gives way' if replaces else 'stays'}."
    )
    columns = ("reader", "processor time", "of ours", "on the clock", "largest resident set")
    table = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows]
    return "\n\n".join([f"## {ours['lines']:,} lines, {what}", "\n".join(table), decision])


if __name__ == "__main__":
    main()
