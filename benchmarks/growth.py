"""How time and memory grow with systems, topics, metrics, resamples and the length of runs, beside what the work needs.

Run: python benchmarks/growth.py [--quick] [--large]

Every engine that users wait for is run on ever larger simulated inputs, one factor doubled and the others held. The
slope is that of a least-squares line through the logarithms of size and processor time over the larger half of the
sizes; memory is the largest amount that Python and NumPy held at once beyond the input (tracemalloc). A slope above
what the work needs by more than 0.25 is marked. --large adds the two extreme tables through the command line (wall time
and resident memory), --quick leaves out the larger half of the sizes and writes nothing.

Written to benchmarks/reports/growth.md, with a picture beside it.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from metaeval.figures.style import CYCLE, figure_svg
from metaeval.io.tables import read_scores
from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import score
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import Scores, as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import UnreachableLevelWarning

REPORTS = Path(__file__).parent / "reports"
SLACK = 0.25
BASE = {"systems": 64, "topics": 100, "metrics": 2, "resamples": 1000}
DOUBLED = {
    "systems": (64, 128, 256, 512, 1024),
    "topics": (400, 800, 1600, 3200, 6400),
    "metrics": (4, 8, 16, 32),
    "resamples": (1000, 2000, 4000, 8000),
}


@dataclass(frozen=True, kw_only=True)
class Work:
    """One engine: how its input is made, what is timed, and the slope that each factor needs."""

    name: str
    make: Callable[..., object]
    run: Callable[..., object]
    needs: Mapping[str, float]
    base: Mapping[str, int]
    sizes: Mapping[str, tuple[int, ...]]


def table(systems: int, topics: int, metrics: int = 2, **_: int) -> Scores:
    """Return simulated scores."""
    rng = np.random.default_rng(0)
    truth = rng.normal(0.4, 0.05, (systems, 1))
    return as_scores(np.clip(truth + rng.normal(0, 0.15, (metrics, systems, topics)), 0, 1).round(4))


def tested(test: str, scores: Scores, *, resamples: int, **_: int) -> object:
    """Test all pairs, corrected by Benjamini and Yekutieli."""
    options = {} if test in {"t", "wilcoxon", "sign"} else {"n_resamples": resamples, "rng": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableLevelWarning)  # only the work is asked for
        return compare_systems(scores, test=test, correction="fdr_by", n_threads=1, **options)


def written(folder: Path, *, systems: int, topics: int, **_: int) -> Path:
    """Write a wide table, a row a topic."""
    values = table(systems, topics, 1).to_numpy()[0].T
    file = folder / f"table-{systems}-{topics}.csv"
    columns = [f"system{number}" for number in range(systems)]
    pd.DataFrame(values, columns=columns, index=pd.RangeIndex(topics, name="topic")).to_csv(file)
    return file


def runs(folder: Path, *, systems: int, topics: int, length: int) -> tuple[list[Path], Path]:
    """Write runs of so many documents a topic, and judgments of the best hundred."""
    rng = np.random.default_rng(0)
    place = folder / f"runs-{systems}-{topics}-{length}"
    place.mkdir(exist_ok=True)
    files = []
    for system in range(systems):
        lines = []
        for topic in range(topics):
            documents = rng.permutation(2 * length)[:length]
            lines += [f"{topic} Q0 d{one} {rank} {length - rank} r" for rank, one in enumerate(documents.tolist(), 1)]
        files.append(place / f"run{system}")
        files[-1].write_text("\n".join([*lines, ""]))
    qrels = place / "qrels"
    judged = (f"{topic} 0 d{one} {one % 3}" for topic in range(topics) for one in range(100))
    qrels.write_text("\n".join([*judged, ""]))
    return files, qrels


def collected(made: tuple[list[Path], Path], **_: int) -> object:
    """Read runs and judgments, and compile them."""
    return read_collection(made[0], made[1])


def works(folder: Path) -> Iterator[Work]:
    """Return every engine."""
    pairs = {"systems": 2.0, "topics": 1.0, "metrics": 1.0}
    for test in ("t", "wilcoxon", "sign"):
        yield Work(name=test, make=table, run=partial(tested, test), needs=pairs, base=BASE, sizes=DOUBLED)
    for test in ("randomisation", "bootstrap", "bootstrap_sensitivity"):
        needs = pairs | {"resamples": 1.0}
        sizes = DOUBLED | {"systems": (64, 128, 256, 512), "topics": (400, 800, 1600, 3200)}
        yield Work(name=test, make=table, run=partial(tested, test), needs=needs, base=BASE, sizes=sizes)
    some = {"systems": (32, 64, 128, 256), "topics": (100, 200, 400, 800), "metrics": (2, 4, 8, 16)}
    yield Work(
        name="interval of power, t",
        make=table,
        run=lambda scores, **_: discriminative_power_interval(scores, test="t", rng=0, n_threads=1),
        needs=pairs,
        base=BASE,
        sizes=some,
    )
    yield Work(
        name="swap method",
        make=table,
        run=lambda scores, **_: swap_method(scores, sizes=[10, 20, 40], rng=0, n_threads=1),
        needs={"systems": 2.0, "topics": 0.0, "metrics": 1.0},
        base=BASE,
        sizes=some,
    )
    yield Work(
        name="error-rate model",
        make=table,
        run=lambda scores, **_: bayesian_error_rate(scores, tolerances=[0.0], rng=0, n_threads=1),
        needs={"systems": 2.0, "topics": 1.0, "metrics": 1.0},
        base=BASE,
        sizes=some,
    )
    yield Work(
        name="reading a wide table",
        make=partial(written, folder),
        run=lambda file, **_: read_scores([file]),
        needs={"systems": 1.0, "topics": 1.0},
        base={"systems": 200, "topics": 2000},
        sizes={"systems": (100, 200, 400, 800, 1600), "topics": (1000, 2000, 4000, 8000, 16000)},
    )
    small = {"systems": 4, "topics": 20, "length": 500}
    longer = {"systems": (2, 4, 8, 16), "topics": (20, 40, 80, 160), "length": (500, 1000, 2000, 4000)}
    line = dict.fromkeys(small, 1.0)
    yield Work(name="reading runs", make=partial(runs, folder), run=collected, needs=line, base=small, sizes=longer)
    yield Work(
        name="scoring runs, AP and nDCG",
        make=lambda **size: collected(runs(folder, **size)),
        run=lambda collection, **_: score(collection, ["AP", "nDCG@10"], n_threads=1, fewest=1),
        needs={"systems": 1.0, "topics": 1.0, "length": 0.0},  # a compiled run holds its judged documents alone
        base=small,
        sizes=longer,
    )


def measured(work: Work, quick: bool) -> pd.DataFrame:  # noqa: FBT001 - one line a factor and size
    """Return processor seconds and peak memory at every size of every factor."""
    rows = []
    for factor, needed in work.needs.items():
        sizes = work.sizes[factor]
        for size in sizes[: len(sizes) // 2 + 1] if quick else sizes:
            options = {**work.base, factor: size}
            made = work.make(**options)
            seconds = []
            for _ in range(3):
                start = time.process_time()
                work.run(made, **options)
                seconds.append(time.process_time() - start)
            tracemalloc.start()
            work.run(made, **options)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            rows.append(
                {
                    "work": work.name,
                    "factor": factor,
                    "size": size,
                    "seconds": min(seconds),
                    "MiB": peak / 2**20,
                    "needed": needed,
                }
            )
    return pd.DataFrame(rows)


def slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row a work and factor: slopes of time and memory over the larger half of the sizes."""
    rows = []
    for (work, factor), own in frame.groupby(["work", "factor"], sort=False):
        upper = own.iloc[len(own) // 2 - 1 :]
        time_slope, memory_slope = (
            float(np.polyfit(np.log(upper["size"]), np.log(upper[column]), 1)[0]) for column in ("seconds", "MiB")
        )
        needed = float(own["needed"].iloc[0])
        rows.append(
            {
                "work": work,
                "factor": factor,
                "sizes": f"{own['size'].iloc[0]} to {own['size'].iloc[-1]}",
                "seconds": f"{own['seconds'].iloc[0]:.3f} to {own['seconds'].iloc[-1]:.3f}",
                "slope": round(time_slope, 2),
                "needed": needed,
                "MiB": f"{own['MiB'].iloc[0]:.1f} to {own['MiB'].iloc[-1]:.1f}",
                "slope of memory": round(memory_slope, 2),
                "": "above" if time_slope > needed + SLACK else "",
            }
        )
    return pd.DataFrame(rows)


def picture(frame: pd.DataFrame) -> Figure:
    """Draw time against size, a panel a factor, both on logarithmic scales."""
    factors = list(dict.fromkeys(frame["factor"]))
    names = list(dict.fromkeys(frame["work"]))
    figure = Figure(figsize=(9, 2.6 * ((len(factors) + 2) // 3) + 1.2), layout="constrained")
    panels = figure.subplots((len(factors) + 2) // 3, 3, squeeze=False).ravel()
    for axes, factor in zip(panels, factors, strict=False):
        for name, own in frame[frame["factor"] == factor].groupby("work", sort=False):
            place = names.index(str(name))
            look = {"color": CYCLE[place % len(CYCLE)], "marker": "os^Dv"[place % 5]}
            axes.loglog(own["size"], own["seconds"], markersize=3.5, linewidth=1, **look)
        axes.set_xlabel({"length": "documents a topic in a run"}.get(factor, f"number of {factor}"))
        axes.set_ylabel("processor time (s)")
        ticks = sorted(set(frame.loc[frame["factor"] == factor, "size"]))
        ticks = ticks[:: -(-len(ticks) // 5)]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=8)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
    for axes in panels[len(factors) :]:
        axes.set_visible(False)
    keys = [
        figure.axes[0].plot([], [], color=CYCLE[place % len(CYCLE)], marker="os^Dv"[place % 5], label=name)[0]
        for place, name in enumerate(names)
    ]
    figure.legend(keys, names, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure


def large(folder: Path) -> list[str]:
    """Return lines about the two extreme tables through the command line, with the t test."""
    lines = ["", "## Two extreme tables", "", "`metaeval power --test t`, reading included, on both cores.", ""]
    lines += ["| table | wall | largest resident set |", "|---|---|---|"]
    for systems, topics, metrics in ((500, 5000, 5), (5, 10**6, 1)):
        files = []
        for metric in range(metrics):
            file = written(folder, systems=systems, topics=topics)
            files.append(str(file.rename(folder / f"metric{metric}.csv")))
        words = [sys.executable, "-m", "metaeval", "power", *files, "--test", "t", "--quiet"]
        start = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words
        wall = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        size = f"{systems} systems x {topics} topics x {metrics} metrics"
        lines.append(f"| {size} | {wall:.1f} s | {peak:.2f} GiB at most |")
    return lines


def main() -> None:
    """Measure, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, to standard output")
    parser.add_argument("--large", action="store_true", help="the two extreme tables too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        frames = []
        for work in works(folder):
            frames.append(measured(work, arguments.quick))
            print(slopes(frames[-1]).to_string(index=False), file=sys.stderr, flush=True)
        extreme = large(folder) if arguments.large else []
    frame = pd.concat(frames, ignore_index=True)
    found = slopes(frame)
    command = f"python benchmarks/growth.py{' --large' if arguments.large else ''}"
    about = (
        f"Made by `{command}`. Processor time, the least of three runs; each factor doubled with "
        "the others held. The slopes are those of lines through the logarithms over the larger half of the sizes; 1 "
        f"doubles with the size, 2 quadruples. Marked: more than {SLACK} above what the work needs. A smaller slope "
        "means that what does not grow still weighs."
    )
    lines = [
        "# How time and memory grow",
        "",
        about,
        "",
        "![Processor time against size](growth.svg)",
        "",
        "| " + " | ".join(found.columns) + " |",
        "|" + "---|" * found.shape[1],
        *("| " + " | ".join(map(str, row)) + " |" for row in found.itertuples(index=False)),
        *extreme,
        "",
    ]
    if arguments.quick:
        print("\n".join(lines))
        return
    (REPORTS / "growth.md").write_text("\n".join(lines), encoding="utf-8")
    (REPORTS / "growth.svg").write_text(figure_svg(picture(frame), salt="growth"), encoding="utf-8")


if __name__ == "__main__":
    main()
