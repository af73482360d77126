# ruff: noqa: RUF001 - names of tests and signs as people write them
"""Every public board at hand, from its own files to its page by one command, and each published figure beside ours.

Run: python benchmarks/studies/public_boards.py [DATA_FOLDER] [--only NAME ...] [--out FOLDER] [--print]

The data folder is the first argument, else METAEVAL_DATA, else ../shared/data beside the repository. Boards whose files
are not there are skipped by name. Commands run as they are printed, in a temporary folder that holds the data folders,
with one thread for each of two cores; archives are unpacked there. Writes benchmarks/reports/boards.md (with
``--only``, prints) and ends with code 1 if a figure does not agree and has no explanation.
"""

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

from metaeval import read_scores

REPORT = Path(__file__).parents[1] / "reports" / "boards.md"
DATA = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
THREADS = "2"
type Answer = Mapping[str, Any]
type Run = Callable[[Sequence[str], Path], str]
"""Runs one command, its words given, in a folder, and returns what it prints."""


class Asked(NamedTuple):
    """What a command answered, and where."""

    answer: Answer
    data: Path
    """The data folder."""
    folder: Path
    """Where the command ran."""


class Figure(NamedTuple):
    """A figure that somebody published, or that the notes on the data hold, beside ours."""

    what: str
    source: str
    published: str
    ours: str
    difference: str
    agrees: bool = True
    """Whether it agrees, or the difference is explained."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """A board, the command that makes its page, and the figures to look for in the answer."""

    name: str
    needs: tuple[str, ...]
    """Files below the data folder."""
    command: str
    """As a user types it, where the data folders are; several lines if an archive is unpacked first."""
    figures: Callable[[Asked], Iterable[Figure]]


def equal(what: str, source: str, ours: pd.Series, published: pd.Series, tolerance: float) -> Figure:
    """Compare many figures: those of ours that were published too."""
    both = published.index.intersection(ours.index)
    apart = float((ours[both].astype(float) - published[both].astype(float)).abs().max())
    found = f"{len(both)} of {len(published)} found" if len(both) < len(published) else f"all {len(both)}"
    return Figure(what, source, f"{len(published)} values", found, f"at most {apart:.1g}", apart <= tolerance)


def one(what: str, source: str, published: float, ours: float, *, digits: int) -> Figure:
    """Compare one figure as it was printed."""
    shown = [f"{value:,.{digits}f}" for value in (published, ours)]
    same = round(ours, digits) == published
    return Figure(what, source, *shown, "none" if same else f"{ours - published:+.{digits}f}", same)


def said(what: str, published: object, ours: object) -> Figure:
    """Compare what the notes on the data say with what the page says."""
    return Figure(what, NOTES, str(published), str(ours), "none", agrees=published == ours)


def frame_of(answer: Answer, table: str) -> pd.DataFrame:
    """Return the rows of a table."""
    held = answer["tables"][table]
    return pd.DataFrame(held.get("data", held["rows"]))


def pairs_of(answer: Answer, metric: str, family: str = "all") -> pd.Series:
    """Return the share of significant pairs by correction."""
    rows = frame_of(answer, "pairs")
    return rows[(rows["metric"] == metric) & (rows["family"] == family)].set_index("correction")["share"]


# ---------------------------------------------------------------------------------------------------------- the boards

NOTES = "notes on the data"
MTEB_THREAD = "embeddings-benchmark/mteb, issue 5208"


def mteb(asked: Asked) -> Iterator[Figure]:
    """183 models on the 41 tasks of MTEB(eng, v2), from 7,503 result files."""
    rows = pd.DataFrame(asked.answer["results"]).set_index("system")
    kept = pd.read_csv(asked.data / "mteb" / "mteb_eng_v2.csv", index_col=0)
    yield equal("means of models", "table of the main scores", rows["mean"], kept.mean(), 1e-6)
    shares = pairs_of(asked.answer, "main_score")
    for name, correction, published in (("uncorrected", "none", 84.5), ("Benjamini–Yekutieli", "fdr_by", 76.3)):
        yield one(f"pairs that differ, t, {name}, %", NOTES, published, 100 * shares[correction], digits=1)


def mteb_bootstrap(asked: Asked) -> Iterator[Figure]:
    """Count as the thread does: percentile bootstrap over tasks, all pairs and neighbours."""
    (row,) = asked.answer["results"]
    found = pd.read_csv(asked.folder / "mteb-pairs.csv")
    order = frame_of(asked.answer, "ranking main_score")["system"]
    square = np.zeros((len(order), len(order)))
    first, second = (pd.Index(order).get_indexer(pd.Index(found[side])) for side in ("system_a", "system_b"))
    square[first, second] = square[second, first] = found["significant"]
    own = square.sum(axis=1)
    fewer = (len(order) - 2) * (len(order) - 3) / 2  # pairs of all models but two
    shares = 100 * (square.sum() / 2 - own[first] - own[second] + square[first, second]) / fewer
    why = f"183 models here, 181 there; without two models {shares.min():.1f} to {shares.max():.1f}"
    share = 100 * row["power"]
    inside = round(float(shares.min())) <= 85 <= round(float(shares.max()))
    yield Figure("pairs that differ, bootstrap over tasks, %", MTEB_THREAD, "85", f"{share:.1f}", why, inside)
    near = np.diagonal(square, 1)
    ours = f"{int((near == 0).sum())} of {len(near)}"
    same = int(near.sum()) == 180 - 176
    yield Figure("neighbours that do not differ", MTEB_THREAD, "176 of 180", ours, "4 differ in both", same)


def belebele(asked: Asked) -> Iterator[Figure]:
    """190 models on 376 language pairs under six metrics."""
    rows = pd.DataFrame(asked.answer["results"])
    yield said("models", 190, rows["system"].nunique())
    cells = read_scores(asked.folder / "pages" / "belebele" / "data" / "scores.nc")
    apart = float(abs(cells.sel(metric="AP@10") - cells.sel(metric="RR@10")).max())
    yield one("largest difference of a cell between AP@10 and RR@10", NOTES, 0.004, apart, digits=3)


def livebench(asked: Asked) -> Iterator[Figure]:
    """93 models on 1,136 questions, an eighth of the cells empty."""
    rows = pd.DataFrame(asked.answer["results"])
    yield said("models with all questions", 41, int((rows["n_topics"] == 1136).sum()))
    cells = read_scores(asked.data / "leaderboards" / "livebench_2025-01-13.csv.gz", missing="pairwise")
    yield one("empty cells, %", NOTES, 11.9, 100 * float(np.isnan(cells).mean()), digits=1)


def alpaca(asked: Asked) -> Iterator[Figure]:
    """58 models on 805 prompts: win rates."""
    kept = pd.read_csv(asked.data / "leaderboards" / "alpacaeval2_published_leaderboard.csv", index_col=0)
    rows = pd.DataFrame(asked.answer["results"]).set_index("system")
    kept = kept.loc[kept.index.intersection(rows.index)]
    yield equal(
        "win rates (means of own prompts)", "tatsu-lab/alpaca_eval", 100 * rows["mean_own"], kept["win_rate"], 1e-9
    )


def alpaca_errors(asked: Asked) -> Iterator[Figure]:
    """Look for standard errors, in the intervals of the means."""
    kept = pd.read_csv(asked.data / "leaderboards" / "alpacaeval2_published_leaderboard.csv", index_col=0)
    (name,) = (name for name in asked.answer["tables"] if name.startswith("ranking"))
    rows = frame_of(asked.answer, name).set_index("system")
    error = 100 * (rows["high"] - rows["low"]) / 2 / student.ppf(0.975, 804)
    kept = kept.loc[kept.index.intersection(rows.index), ["standard_error", "n_total"]]
    whole = kept["n_total"] == 805
    source = "tatsu-lab/alpaca_eval"
    yield equal("standard errors, models with all prompts", source, error, kept.loc[whole, "standard_error"], 1e-6)
    apart = float((error[kept.index[~whole]] - kept.loc[~whole, "standard_error"]).abs().max())
    yield Figure(
        "standard errors, models with gaps", source, f"{(~whole).sum()} values", f"all {(~whole).sum()}",
        f"at most {apart:.1g}: ours allow for the missing prompts", apart < 0.01,
    )  # fmt: skip


def syndl(year: int, published: float) -> Callable[[Asked], Iterator[Figure]]:
    """Return what is looked for of a year of SynDL: tau of people and GPT-4."""

    def figures(asked: Asked) -> Iterator[Figure]:
        rows = pd.DataFrame(asked.answer["results"]).set_index("statistic")["value"]
        yield one(f"{year}: τ of mean nDCG@10", f"{NOTES}; published as a picture", published, rows["tau"], digits=3)

    return figures


def deep_learning(year: int) -> Callable[[Asked], Iterator[Figure]]:
    """Return what is looked for of the systems under NIST's judgments: published means."""

    def figures(asked: Asked) -> Iterator[Figure]:
        kept = pd.read_csv(asked.data / f"llm-judges-dl{year % 100}" / "ndcg_cut_10_published.csv.gz")
        kept = kept[kept["topic"] == "average"].set_index("runid")["ndcg_cut_10"]
        rows = frame_of(asked.answer, "ranking nDCG@10").set_index("system")["mean"]
        kept = kept[kept.index.intersection(rows.index)]
        yield equal(f"{year}: mean nDCG@10 of runs", "Narabzad/llm-relevance-judgement-comparison", rows, kept, 1e-4)

    return figures


def judges(asked: Asked) -> Iterator[Figure]:
    """4,423 documents by a person and 33 judges."""
    labels = frame_of(asked.answer, "labels").set_index("judge").loc["human"]
    counts = [round(float(labels[f"at_{grade}"] * labels["labels"])) for grade in range(4)]
    yield said("labels of people by grade", [2005, 1233, 808, 377], counts)


_WMT_TASKS = {
    ("sys", "pearson"): "pearson:system",
    ("seg", "pearson"): "pearson:item",
    ("seg", "KendallWithTiesOpt"): "acc_eq",
}


def wmt(asked: Asked) -> Iterator[Figure]:
    """Find the metrics task of WMT23: ten tasks, three language pairs."""
    wanted = json.loads((asked.data / "wmt23-metrics" / "expected_en-de.json").read_text("utf-8"))
    rows = pd.DataFrame(asked.answer["results"]).set_index(["task", "metric"])["value"]
    source = "mt-metrics-eval, WMT23"
    yield equal("averages of the ten tasks", source, rows["average"], pd.Series(wanted["average"]), 1e-9)
    for task in wanted["tasks"]:
        name = _WMT_TASKS.get((task["level"], task["corr"]))
        if name is not None:
            yield equal(f"en-de {name}", source, rows[f"en-de {name}"], pd.Series(task["values"]), 1e-9)


def soft_accuracy(asked: Asked) -> Iterator[Figure]:
    """Soft pairwise accuracy of English to German, which the published program draws 1,000 permutations for."""
    wanted = json.loads((asked.data / "wmt23-metrics" / "expected_en-de.json").read_text("utf-8"))
    (values,) = (pd.Series(task["values"]) for task in wanted["tasks"] if task["corr"].startswith("pce"))
    rows = pd.DataFrame(asked.answer["results"]).query("task == 'en-de spa'").set_index("metric").loc[values.index]
    noise = np.hypot(rows["error"].astype(float), 1 / np.sqrt(1000 * 66))  # of our draws, and of theirs over 66 pairs
    apart = (rows["value"] - values).abs()
    said = f"at most {apart.max():.1g}, {(apart / noise).max():.1f} standard errors of the draws"
    source = "mt-metrics-eval, WMT23"
    yield Figure("en-de soft pairwise accuracy", source, "32 values", "all 32", said, bool((apart <= 3 * noise).all()))


def dragun(asked: Asked) -> Iterator[Figure]:
    """26 runs of TREC 2025 DRAGUN on the nuggets of 30 topics."""
    row = frame_of(asked.answer, "independent").set_index(["metric", "correction"]).loc["all", "fdr_by"]
    for what, published, name in (
        ("pairs that differ, topics as clusters, %", 54.2, "power"),
        ("pairs that differ, nuggets as if independent, %", 68.3, "power_independent"),
    ):
        yield one(what, NOTES, published, 100 * row[name], digits=1)
    yield Figure("τ with people", "trec-dragun/resources", "0.872", "–", "the labels of people are not public")


def golden(data: Path, name: str) -> pd.DataFrame:
    """Return the kept ratings of evalica."""
    kept = pd.read_csv(data / "votes" / f"{name}-golden.csv", dtype={"item": str})
    return kept.pivot_table(index="item", columns="algorithm", values="score")


def votes(name: str) -> Callable[[Asked], Iterator[Figure]]:
    """Return what is looked for of votes: the ratings that the page has."""

    def figures(asked: Asked) -> Iterator[Figure]:
        kept, rows = golden(asked.data, name), frame_of(asked.answer, "ratings").set_index("system")
        strength = np.exp(rows["strength"])
        newman = np.log(kept["newman"])
        ours = {
            "bradley_terry": (strength / strength.sum(), kept["bradley_terry"]),
            "average_win_rate": (rows["win_rate"], kept["average_win_rate"]),
            "newman (log, Davidson's model)": (rows["davidson"], newman - newman.mean()),
        }
        for algorithm, (found, published) in ours.items():
            yield equal(algorithm, "dustalov/evalica", found, published, 1e-9)

    return figures


def other_ratings(name: str) -> Callable[[Asked], Iterator[Figure]]:
    """Return what is looked for of votes in Python: ratings that the page does not show."""

    def figures(asked: Asked) -> Iterator[Figure]:
        kept, rows = golden(asked.data, name), pd.DataFrame(asked.answer)
        for algorithm in ("counting", "eigen", "elo", "pagerank"):
            yield equal(algorithm, "dustalov/evalica", rows[algorithm], kept[algorithm], 1e-9)

    return figures


_RATINGS = (
    'python -c "from metaeval import read_votes; from metaeval.models import vote_ratings; '
    "print(vote_ratings(read_votes('votes/{}')).to_json(double_precision=15))\""
)
_EVERY = "--where 'dataset_revision=*'"  # as the board mixes them
_MTEB, _SYNDL = "mteb/results-eng-v2.tar.xz", "syndl/syndl.csv.gz"
_ALPACA, _LIVE = "leaderboards/alpacaeval2_weighted_preferences.csv.gz", "leaderboards/livebench_2025-01-13.csv.gz"
_PUBLISHED = "leaderboards/alpacaeval2_published_leaderboard.csv"
_TAUS = {2019: 0.857, 2020: 0.853, 2021: 0.896, 2023: 0.896}
_VOTES = {"simple": "simple.csv", "food": "food.csv", "llmfao": "llmfao.csv.gz"}
BOARDS = (
    Board(
        name="MTEB(eng, v2)",
        needs=(_MTEB, "mteb/mteb_eng_v2.csv"),
        command=f"tar -xf {_MTEB}\nmetaeval leaderboard results --metrics main_score {_EVERY} --out pages/mteb --json",
        figures=mteb,
    ),
    Board(
        name="MTEB(eng, v2), bootstrap",
        needs=(_MTEB,),
        command=f"tar -xf {_MTEB}\nmetaeval power results --metrics main_score {_EVERY} --test bootstrap_percentile "
        "--correction none --pairs mteb-pairs.csv --out pages/mteb-power --json",
        figures=mteb_bootstrap,
    ),
    Board(
        name="Belebele",
        needs=("mteb/belebele_190x376x6.csv.gz",),
        command="metaeval leaderboard mteb/belebele_190x376x6.csv.gz --out pages/belebele --json",
        figures=belebele,
    ),
    Board(
        name="LiveBench",
        needs=(_LIVE,),
        command=f"metaeval leaderboard {_LIVE} --missing pairwise --out pages/livebench --json",
        figures=livebench,
    ),
    Board(
        name="AlpacaEval",
        needs=(_ALPACA, _PUBLISHED),
        command=f"metaeval leaderboard {_ALPACA} --missing pairwise --out pages/alpaca --json",
        figures=alpaca,
    ),
    Board(
        name="AlpacaEval, errors",
        needs=(_ALPACA, _PUBLISHED),
        command=f"metaeval power {_ALPACA} --missing pairwise --test t --out pages/alpaca-power --json",
        figures=alpaca_errors,
    ),
    *(
        Board(
            name=f"SynDL {year}",
            needs=(_SYNDL,),
            command=f"metaeval judges {_SYNDL} --where year={year} --reference nist --metrics nDCG@10 "
            f"--out pages/syndl-{year} --json",
            figures=syndl(year, tau),
        )
        for year, tau in _TAUS.items()
    ),
    *(
        Board(
            name=f"TREC DL {year}, people",
            needs=(_SYNDL, f"llm-judges-dl{year % 100}/ndcg_cut_10_published.csv.gz"),
            command=f"metaeval power {_SYNDL} --where year={year} --where judge=nist --metrics nDCG@10 --test t "
            f"--out pages/dl-{year} --json",
            figures=deep_learning(year),
        )
        for year in (2019, 2021)
    ),
    Board(
        name="LLMJudge (DL 2023)",
        needs=("llmjudge-dl23/judgments.csv.gz",),
        command="metaeval judges llmjudge-dl23/judgments.csv.gz --reference human --out pages/llmjudge --json",
        figures=judges,
    ),
    Board(
        name="WMT23 metrics task",
        needs=("wmt23-metrics/wmt23.tar.xz", "wmt23-metrics/expected_en-de.json"),
        command="tar -xf wmt23-metrics/wmt23.tar.xz\nmetaeval human wmt23 --preset wmt23 --out pages/wmt23 --json",
        figures=wmt,
    ),
    Board(
        name="WMT23, soft pairwise accuracy",
        needs=("wmt23-metrics/wmt23.tar.xz", "wmt23-metrics/expected_en-de.json"),
        command="tar -xf wmt23-metrics/wmt23.tar.xz\n"
        "metaeval human wmt23/metric-scores/en-de --tasks spa --out pages/wmt23-spa --json",
        figures=soft_accuracy,
    ),
    Board(
        name="TREC 2025 DRAGUN",
        needs=("nuggets/auto_report_assessments.csv.xz",),
        command="metaeval power nuggets/auto_report_assessments.csv.xz --test t --out pages/dragun --json",
        figures=dragun,
    ),
    *(
        Board(
            name=f"votes: {name}",
            needs=(f"votes/{file}", f"votes/{name}-golden.csv"),
            command=f"metaeval votes votes/{file} --out pages/votes-{name} --json",
            figures=votes(name),
        )
        for name, file in _VOTES.items()
    ),
    *(
        Board(
            name=f"votes: {name}, other ratings",
            needs=(f"votes/{file}", f"votes/{name}-golden.csv"),
            command=_RATINGS.format(file),
            figures=other_ratings(name),
        )
        for name, file in _VOTES.items()
    ),
)


# ------------------------------------------------------------------------------------------------------- running them


HEAD = """# Public boards, from their files to a page

Made by `make boards` (`python benchmarks/studies/public_boards.py DATA_FOLDER`). Every board is read as its owners give it, and
its page made by the command shown, as a user types it where the data folders are. Each figure that was published, or
that the notes on the data hold, stands beside ours, with the largest difference of several. Bold: a difference without
explanation.

{n} commands, {total:.0f} s of processor time (s), with two threads each.{skips}

| board | command | s | figure | source | published | ours | difference |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


class Found(NamedTuple):
    """A board that was run."""

    board: Board
    seconds: float
    """Processor time of its command."""
    figures: list[Figure]


def in_a_process(words: Sequence[str], folder: Path) -> str:
    """Run a command with this Python's metaeval."""
    python = {"metaeval": [sys.executable, "-m", "metaeval"], "python": [sys.executable]}
    environment = os.environ | {"NUMBA_NUM_THREADS": THREADS, "OMP_NUM_THREADS": THREADS, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(  # noqa: S603 - the commands of the table above
        [*python.get(words[0], [words[0]]), *words[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def work_folder(data: Path, folder: Path) -> Path:
    """Return the folder with the data folders in it, where commands can write beside them."""
    for one_folder in data.iterdir():
        if one_folder.is_dir():
            (folder / one_folder.name).symlink_to(one_folder.resolve())
    (folder / "pages").mkdir()
    return folder


def run(board: Board, data: Path, folder: Path, ask: Run = in_a_process) -> Found:
    """Run a board's command in a folder, and compare its figures."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed = [ask(shlex.split(line), folder) for line in board.command.splitlines()]
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return Found(board, seconds, list(board.figures(Asked(json.loads(printed[-1]), data, folder))))


def table(found: Sequence[Found], skipped: Sequence[str]) -> str:
    """Return the report."""
    rows = [
        "| " + " | ".join(
            [
                item.board.name if not place else "",
                "<br>".join(f"`{line}`" for line in item.board.command.splitlines()) if not place else "",
                f"{item.seconds:.0f}" if not place else "",
                figure.what,
                figure.source,
                figure.published,
                figure.ours,
                figure.difference if figure.agrees else f"**{figure.difference}**",
            ]
        ) + " |"
        for item in found
        for place, figure in enumerate(item.figures)
    ]  # fmt: skip
    total = sum(item.seconds for item in found)
    skips = f" Skipped, without their files: {', '.join(skipped)}." if skipped else ""
    head = HEAD.format(n=len(found), total=total, skips=skips)
    return "\n".join([head, *rows, ""])


def main() -> None:
    """Run the boards that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="boards whose names begin so; prints")
    parser.add_argument("--out", type=Path, help="keep the pages in this folder")
    given = parser.parse_args()
    chosen = [board for board in BOARDS if not given.only or board.name.startswith(tuple(given.only))]
    skipped = [board.name for board in chosen if not all((given.data / file).is_file() for file in board.needs)]
    begin = time.perf_counter()
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = work_folder(given.data, Path(temporary))
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            (folder / "pages").rmdir()
            (folder / "pages").symlink_to(given.out.resolve())
        for board in chosen:
            if board.name not in skipped:
                found.append(run(board, given.data, folder))
                print(f"{board.name}: {found[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"all: {(time.perf_counter() - begin) / 60:.1f} minutes by the clock", file=sys.stderr)
    text = table(found, skipped)
    if given.only:
        print(text)
    else:
        REPORT.write_text(text, encoding="utf-8")
    wrong = [f"{item.board.name}: {figure.what}" for item in found for figure in item.figures if not figure.agrees]
    if wrong:
        raise SystemExit(f"not as published: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
