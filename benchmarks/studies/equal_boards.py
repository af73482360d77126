"""How often does a first sentence claim a difference where there is none? Boards of equal systems, every command.

A board is drawn in which all systems (or judges, or metrics) are equal but for noise, one a seed, and the command's
study is asked. Of its first sentence the opening is kept: "No" (and "None"), "Open", words of `stop` that say to go on
or that nothing was decided, or anything else, which claims a difference. Shares have Clopper-Pearson intervals.

    python benchmarks/studies/equal_boards.py --keep openings.csv --boards 100            # adds seeds 0 to 99
    python benchmarks/studies/equal_boards.py --keep openings.csv --boards 100 --from 100 --only votes
    python benchmarks/studies/equal_boards.py --keep openings.csv --write COMMIT  # benchmarks/reports/equal-boards.md
"""

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.stats import binomtest

from metaeval import (
    as_scores,
    study_collections,
    study_components,
    study_judges,
    study_leaderboard,
    study_power,
    study_stopping,
    study_table,
    study_votes,
)
from metaeval.io import as_votes
from metaeval.questions.leaderboard.page import _answer, _with_verdicts
from metaeval.questions.leaderboard.page_asked import asked_of
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.questions.leaderboard.study_card import tables_of
from metaeval.questions.table.page import _summary
from metaeval.studies.study import Study
from metaeval.table.means import as_means
from metaeval.table.scores import Scores

REPORT = Path(__file__).parents[1] / "reports" / "equal-boards.md"
N_ITEMS, N_RUNS = 30, 3
QUICK = {"n_resamples": 20, "n_splits": 2, "rng": 0}
UNDECIDED = ("Go on: ", "Go on or stop: ", "You may stop without a decision: ")
IN_ORDER = "If topics came in the order of their names, "


def graded(draw: Generator, n_systems: int, n_items: int = N_ITEMS) -> Scores:
    """Return scores of items that differ in difficulty, with normal noise."""
    return as_scores(draw.normal(0.5, 0.1, n_items) + draw.normal(0, 0.1, (n_systems, n_items)))


def answered(draw: Generator, n_systems: int, n_items: int = 100) -> Scores:
    """Return answers that are right or wrong, on items of uneven difficulty."""
    return as_scores((draw.random((n_systems, n_items)) < draw.beta(2, 2, n_items)).astype(float))


def run_again(draw: Generator, n_systems: int, spread: float = 0.03) -> Scores:
    """Return scores of several runs of each system, which differ as wholes."""
    scores = draw.normal(0.5, 0.1, (N_ITEMS, 1)) + draw.normal(0, 0.1, (n_systems, N_ITEMS, N_RUNS))
    return as_scores((scores + draw.normal(0, spread, (n_systems, 1, N_RUNS)))[None])


def clustered(draw: Generator, n_systems: int, n_clusters: int) -> Scores:
    """Return scores of items in clusters on which systems have strengths of their own."""
    names = {str(item + 1): f"c{item % n_clusters}" for item in range(N_ITEMS)}
    own = draw.normal(0, 0.1, (n_systems, n_clusters))[:, np.arange(N_ITEMS) % n_clusters]
    return as_scores((own + draw.normal(0.5, 0.1, (n_systems, N_ITEMS)))[None], clusters=names)


def measured(draw: Generator, n_systems: int) -> object:
    """Return means with their standard errors."""
    names = [f"s{number}" for number in range(n_systems)]
    return as_means(pd.DataFrame({"system": names, "acc": draw.normal(0.5, 0.01, n_systems), "acc_stderr": 0.01}))


def voted(draw: Generator, n_systems: int, n_votes: int) -> pd.DataFrame:
    """Return votes thrown by a coin, a tenth of them ties."""
    first, second = np.triu_indices(n_systems, 1)
    met = draw.integers(len(first), size=n_votes)
    left, right = ([f"s{number}" for number in side[met]] for side in (first, second))
    return pd.DataFrame(
        {"left": left, "right": right, "winner": draw.choice(["left", "right", "tie"], n_votes, p=[0.45, 0.45, 0.1])}
    )


def labelled(draw: Generator, n_judges: int = 2) -> pd.DataFrame:
    """Return labels of judges that err alike on what a person labelled, ten items on each of ten topics."""
    truth = draw.integers(0, 2, 100)
    judges = {f"judge{at}": np.where(draw.random(100) < 0.8, truth, 1 - truth) for at in range(n_judges)}
    items = {"topic": np.repeat(range(10), 10), "item": [f"d{number}" for number in range(100)]}
    return pd.DataFrame(items | {"human": truth} | judges)


def over_collections(draw: Generator, n_systems: int, n_collections: int = 4) -> dict[str, Scores]:
    """Return collections on which equal systems differ by chance, and by what is their own there."""
    made = {}
    for name in "abcdefgh"[:n_collections]:
        scores = graded(draw, n_systems).to_numpy() + draw.normal(0, 0.02, (1, n_systems, 1))
        made[name] = as_scores(scores, metrics=["m"], topics=[f"{name}{item}" for item in range(N_ITEMS)])
    return made


def of_two_metrics(draw: Generator) -> dict[str, Scores]:
    """Return collections whose two metrics find real differences equally well."""
    made = {}
    for name in "abcdef":
        leads = np.linspace(0, 0.1, 6)[:, None]
        scores = [leads + draw.normal(0.5, 0.1, (6, N_ITEMS)) for _ in range(2)]
        topics = [f"{name}{item}" for item in range(N_ITEMS)]
        made[name] = as_scores(np.stack(scores), metrics=["m", "n"], topics=topics)
    return made


def best_two(scores: Scores) -> Study:
    """Ask a leaderboard for a baseline, for the best two, and whether its ranking is real."""
    return study_leaderboard(scores, baseline="system1", top=2, **QUICK)


def gate(scores: Scores) -> Study:
    """Ask a leaderboard of two systems for a requirement, and whether they differ."""
    return study_leaderboard(scores, requirements=["system1 > system2"], **QUICK)


FIVE, TWO = ("a baseline of five", "the best two", "the ranking"), ("a gate, system1 > system2", "the pair")
SETTINGS: dict[str, Callable[[Generator], Study]] = {
    "leaderboard: two means with errors": lambda draw: study_leaderboard(measured(draw, 2), rng=0),
    "leaderboard: five means with errors": lambda draw: study_leaderboard(measured(draw, 5), rng=0),
    "power: two systems": lambda draw: study_power(graded(draw, 2), tests=["t"], rng=0),
    "votes: two systems": lambda draw: study_votes(voted(draw, 2, 60), rng=0),
    "judges: two beside a person": lambda draw: study_judges(labelled(draw), reference="human", n_resamples=200, rng=0),
    "components: a target": lambda draw: study_components(graded(draw, 5), target=0.8, n_splits=0, rng=0),
    "components: a target, three runs": lambda draw: study_components(
        run_again(draw, 5), repeats="crossed", target=0.8, n_splits=0, rng=0
    ),
    "stop: three systems": lambda draw: study_stopping(graded(draw, 3), rng=0),
    "stop: two systems, right or wrong": lambda draw: study_stopping(answered(draw, 2), rng=0),
    "stop: votes": lambda draw: study_stopping(as_votes(voted(draw, 2, 60)), rng=0),
    "combine: two systems": lambda draw: study_collections(over_collections(draw, 2), study="table", rng=0),
    "combine: two systems, two collections": lambda draw: study_collections(
        over_collections(draw, 2, 2), study="table", rng=0
    ),
    "combine: five systems": lambda draw: study_collections(over_collections(draw, 5), study="table", rng=0),
    "combine: power of two metrics": lambda draw: study_collections(
        of_two_metrics(draw), study="power", n_topic_resamples=20, rng=0
    ),
}
"""What makes a study of what is equal, whose first sentence is asked."""
BOARDS: dict[str, tuple[Callable[[Generator], Study], tuple[str, ...]]] = {
    "leaderboard: five systems": (lambda draw: best_two(graded(draw, 5)), FIVE),
    "leaderboard: right or wrong": (lambda draw: best_two(answered(draw, 5)), FIVE),
    "leaderboard: three runs": (lambda draw: best_two(run_again(draw, 5)), FIVE),
    "leaderboard: two systems": (lambda draw: gate(graded(draw, 2)), TWO),
    "leaderboard: two, right or wrong": (lambda draw: gate(answered(draw, 2)), TWO),
    "leaderboard: two, three runs": (lambda draw: gate(run_again(draw, 2)), TWO),
    "votes: four systems": (lambda draw: study_votes(voted(draw, 4, 150), top=2, rng=0), ("the best two", "the first")),
}
"""The same where one study is asked several questions, with what each of its first sentences is about."""
TABLES: dict[str, tuple[Callable[[Generator], Scores], str | None]] = {
    "table: two systems": (lambda draw: graded(draw, 2), None),
    "table: five systems": (lambda draw: graded(draw, 5), None),
    "table: a baseline of five": (lambda draw: graded(draw, 5), "system1"),
    "table: two systems, right or wrong": (lambda draw: answered(draw, 2), None),
    "table: five systems, right or wrong": (lambda draw: answered(draw, 5), None),
    "table: two systems, three runs": (lambda draw: run_again(draw, 2), None),
    "table: five systems, three runs": (lambda draw: run_again(draw, 5), None),
    "table: two systems, five items": (lambda draw: graded(draw, 2, 5), None),
    "table: two systems, four clusters": (lambda draw: clustered(draw, 2, 4), None),
    "table: two systems, ten clusters": (lambda draw: clustered(draw, 2, 10), None),
}
"""What makes the scores of a table, and its baseline; many boards are tested at once, as metrics of one table."""


def of_tables(make: Callable[[Generator], Scores], draws: Sequence[Generator], baseline: str | None) -> Iterator[str]:
    """Yield the first sentence of each board, whose study is that of all boards with one metric left."""
    boards = [make(draw) for draw in draws]
    clusters = boards[0].coords.get("cluster")
    named = None if clusters is None else dict(zip(boards[0]["topic"].to_numpy(), clusters.to_numpy(), strict=True))
    every = as_scores(np.concatenate([board.to_numpy() for board in boards]), clusters=named)
    study = study_table(every, baseline=baseline, rng=0)
    found = study.comparison
    for metric in found.metrics:
        scores = study.scores.sel(metric=[metric])
        alone = replace(found, data=found.data.sel(metric=[metric]), scores=scores)
        pair = scores["system"].to_numpy().tolist() if found.n_pairs == 1 else []
        yield _summary(replace(study, scores=scores, comparison=alone, by_cluster=None), pair)[0]


def sentences(study: Study) -> tuple[str, ...]:
    """Return what a page says first; of leaderboards without the tables below it, which take most of the time."""
    if not isinstance(study, LeaderboardStudy):
        return study.report().summary
    tables = tables_of(study)
    places = _with_verdicts(study, tables.places)
    return (*asked_of(study, tables, ())[1], _answer(study, places, tables.systems))


def opening(sentence: str) -> str:
    """Return what a first sentence begins with: No, Open, undecided (of stop), or its first word, which claims."""
    said = sentence.removeprefix(IN_ORDER)
    said = said[:1].upper() + said[1:]
    if said.startswith(UNDECIDED):
        return "undecided"
    return next((kind for kind in ("No", "Open") if said.startswith(kind)), said.split(" ", 1)[0].strip(":"))


def add(keep: Path, seeds: range, only: str) -> None:
    """Add the openings of these seeds to a file, those of settings whose names begin so."""
    is_new = not keep.exists()
    with keep.open("a", buffering=1, newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        if is_new:
            rows.writerow(["setting", "seed", "opening", "sentence"])
        for name, (make, baseline) in TABLES.items():
            if name.startswith(only):
                draws = [np.random.default_rng([*name.encode(), seed]) for seed in seeds]
                for seed, told in zip(seeds, of_tables(make, draws, baseline), strict=True):
                    rows.writerow([name, seed, opening(told), told])
        asked = {name: (study, ("",)) for name, study in SETTINGS.items()} | BOARDS
        for name, (study, parts) in asked.items():
            if not name.startswith(only):
                continue
            for seed in seeds:
                told = sentences(study(np.random.default_rng([*name.encode(), seed])))
                for part, sentence in zip(parts, told, strict=False):
                    rows.writerow([f"{name}: {part}".removesuffix(": "), seed, opening(sentence), sentence])


def report(openings: pd.DataFrame, commit: str) -> str:
    """Return the page: a row a setting."""
    openings = openings.drop_duplicates(["setting", "seed"], keep="last")
    lines = []
    for name, kinds in openings.groupby("setting")["opening"]:
        claims = int((~kinds.isin(["No", "Open", "undecided"])).sum())
        ends = binomtest(claims, len(kinds)).proportion_ci()
        shares = [f"{(kinds == kind).mean():.1%}" for kind in ("No", "Open", "undecided")]
        figure = f"{claims / len(kinds):.1%} [{ends.low:.1%}, {ends.high:.1%}]"
        lines.append(f"| {name} | {len(kinds)} | {' | '.join(shares)} | {figure} |")
    n_boards = openings.groupby("setting").size().min()
    return TEXT.format(commit=commit, n_boards=n_boards, n_items=N_ITEMS, n_runs=N_RUNS, rows="\n".join(lines))


TEXT = """# First sentences on boards of equal systems

Made by `python benchmarks/studies/equal_boards.py --keep openings.csv --boards {n_boards}`, then `--write {commit}`,
at {commit}.

On every board all systems (judges, metrics) are equal but for noise: {n_items} items if nothing else is said, 100 where
answers are right or wrong, {n_runs} runs that differ as wholes, means with errors, votes by coin, judges that err
alike, collections on which systems differ by what is their own there. Share of the first sentences that begin with "No"
(or "None"), with "Open", that (of `stop`) say to go on or that nothing is decided, and that begin with anything else,
which claims a difference: with its 95 % Clopper-Pearson interval. The level is .05, and 5 % is the most that may claim.

A gate asks for one direction: where systems are equal it is established in 5 % and contradicted ("No") in 5 %, and open
otherwise. On five items, or four clusters, no exact test reaches the level, so that nothing is ever claimed.

| command and data | boards | No | Open | undecided | claims |
| --- | ---: | ---: | ---: | ---: | ---: |
{rows}
"""


def main() -> None:
    """Add openings to a file, or write the report."""
    parser = argparse.ArgumentParser(description="First sentences on boards of equal systems.")
    parser.add_argument("--keep", type=Path, required=True, help="File of the openings, which grows.")
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--only", default="", help="Beginning of the names of the settings.")
    parser.add_argument("--write", metavar="COMMIT", default="", help="Write the report of what the file has.")
    asked = parser.parse_args()
    if asked.write:
        REPORT.write_text(report(pd.read_csv(asked.keep), asked.write), encoding="utf-8")
        return
    warnings.simplefilter("ignore")
    add(asked.keep, range(asked.first, asked.first + asked.boards), asked.only)


if __name__ == "__main__":
    main()
