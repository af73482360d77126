# ruff: noqa: RUF001 - Greek letters are meant for people
"""Ogilvie and Lalmas (2006) again: which uses of exhaustivity and specificity lead to the same conclusions.

Run: python benchmarks/studies/inex_quantisations.py [RUNS ASSESSMENTS] [--sizes FILE] [--resamples 10000] [--report FILE]
         [--seed 200] [--campaigns 5]

Every pair of systems is tested under every quantisation, and one quantisation's significant pairs are taken as a
prediction of another's: their Table 3 (INEX 2004, inex_eval) and Table 4 (INEX 2005, thorough task, nxCG and MAep), in
the form that their text describes, with the values that it quotes beside ours. RUNS and ASSESSMENTS are INEX
submissions and assessments of elements, as `metaeval agree` takes them; the scale of the assessments says which table
is made, and the report is printed or goes to --report. Without them both campaigns are simulated, and the report goes
to benchmarks/reports/: the tables of the first seed, and in how many campaigns of successive seeds each finding holds.
What is simulated says how the quantisations relate, not how systems of those years did.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.agreement.decisions import DecisionAgreement, decision_agreement
from metaeval.errors import InvalidOptionError
from metaeval.inex.elements import ElementCollection, element_collection
from metaeval.inex.judged_files import read_judged
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import score

REPORT = Path(__file__).parents[2] / "benchmarks" / "reports" / "inex-quantisations.md"
SIZES = (10, 25, 40, 55, 75, 100, 150, 200, 300, 500, 1000)
NO_SMALL = "BinExh(too_small=False)"


@dataclass(frozen=True)
class Table:
    """One of their two tables: quantisations in rows and columns, further predictors, and what their text quotes."""

    title: str
    measures: dict[str, str]
    named: tuple[str, ...]
    further: tuple[str, ...]
    truths: tuple[str, ...]
    quoted: tuple[tuple[str, str, str, dict[str, float]], ...]


TABLES = {
    "2003": Table(
        title="Table 3: INEX 2004",
        measures={"inex_eval": "inex2002(quant={})"},
        named=("Strict4", "Gen4", "SOG", "AnyRel"),
        further=(
            *(f"Gen4(blind_e={grade})" for grade in (1, 2, 3)),
            *(f"Gen4(blind_s={grade})" for grade in (1, 2, 3)),
            *(f"Gen4(blind_e={grade}, blind_s={grade})" for grade in (2, 3)),
            *(f"SOG(blind_e={grade}, blind_s={grade})" for grade in (2, 3)),
        ),
        truths=("Strict4", "Gen4", "SOG"),
        quoted=(
            ("share", "Strict4", "", {"inex_eval": 0.51}),
            ("share", "Gen4", "", {"inex_eval": 0.79}),
            ("share", "SOG", "", {"inex_eval": 0.77}),
            ("f1", "Gen4", "SOG", {"inex_eval": 0.95}),
            ("f1", "Gen4", "Strict4", {"inex_eval": 0.75}),
            ("f1", "SOG", "Strict4", {"inex_eval": 0.73}),
            ("recall", "Gen4", "Strict4", {"inex_eval": 0.96}),
            ("recall", "SOG", "Strict4", {"inex_eval": 0.92}),
            ("precision", "Gen4", "Strict4", {"inex_eval": 0.61}),
            ("precision", "SOG", "Strict4", {"inex_eval": 0.60}),
            ("f1", "AnyRel", "Gen4", {"inex_eval": 0.97}),
            ("f1", "AnyRel", "SOG", {"inex_eval": 0.94}),
        ),
    ),
    "2005": Table(
        title="Table 4: INEX 2005, thorough",
        measures={
            name: f"{name.partition('@')[0]}(quant={{}}, task=TASK)" for name in ("nxCG@10", "nxCG@25", "nxCG@50")
        }
        | {"MAep": "MAep(quant={}, task=TASK)"},
        named=("Strict5", "FullySpec", "Gen5", "GenLifted", "BinExh"),
        further=(NO_SMALL, *(f"BinExh(min_size={size})" for size in SIZES)),
        truths=("Gen5",),
        quoted=(
            ("share", "Strict5", "", {"nxCG@25": 0.15, "MAep": 0.35}),
            ("f1", "Gen5", "GenLifted", {"nxCG@25": 0.9, "MAep": 0.9}),
            ("f1", "BinExh", "GenLifted", {"nxCG@25": 0.87, "MAep": 0.93}),
            ("f1", NO_SMALL, "Gen5", {"nxCG@25": 0.88, "MAep": 0.93}),
        ),
    ),
}
SETTING = """{systems} systems, {topics} topics, {pairs} pairs of systems: each is tested by the percentile bootstrap \
(B = {resamples}, seed {seed}), one-sided towards the better mean, corrected by Benjamini and Yekutieli, α = 0.05, as \
in the paper. Topics with nothing relevant under a quantisation are left out for all of them."""
INTRODUCTION = """Rows predict columns. *P*: of the row's significant pairs, the share that the column finds too, in \
the same direction. *R*: of the column's, the share that the row finds. *F1*: their harmonic mean. *finds*: of all \
pairs, the share that is significant."""
COUNTED = """In how many of {campaigns} simulated campaigns of each year (seeds {first} to {last}) each finding holds \
by the check named, with the means of its figures over the campaigns. The simulator was adjusted with seeds 1 to 4."""
OF_THE_SIMULATOR = """The campaigns are simulated, and the tables are those of seed {seed}. How well a smallest size \
stands in for "too small" rests on the simulator: it makes 95 % of the elements below 55 characters too small, and \
ever fewer above, where 79 % of those judged too small in 2005 were shorter."""


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in lines)


class Found:
    """The agreement of all quantisations of a table under one measure, by their names."""

    def __init__(self, collection: ElementCollection, table: Table, pattern: str, resamples: int, seed: int) -> None:
        names = (*table.named, *table.further)
        scores = score(collection, [pattern.format(name) for name in names])
        self.place = {name: place for place, name in enumerate(names)}
        self.agreement: DecisionAgreement = decision_agreement(
            scores, test="bootstrap_percentile", alternative="better", n_resamples=resamples, rng=seed
        )

    def shown(self, measure: str, predictor: str, truth: str) -> str:
        """Return a value with two digits; a dash where there is none, or nothing to predict."""
        value = self.value(measure, predictor, truth)
        return "" if predictor == truth else "–" if value != value else f"{value:.2f}"  # noqa: PLR0124 - NaN

    def value(self, measure: str, predictor: str, truth: str = "") -> float:
        """Return precision, recall, f1 or n_conflicts of two quantisations, or the share that one finds."""
        if measure == "share":
            return float(self.agreement.data["share"].to_numpy()[0, self.place[predictor]])
        matrix = self.agreement.matrix(measure).to_numpy()
        return float(matrix[self.place[predictor], self.place[truth]])

    def named(self, measure: str, *pairs: tuple[str, str]) -> list[float]:
        """Return a measure of several predictors and truths."""
        return [self.value(measure, *pair) for pair in pairs]

    def shares(self, *names: str) -> list[float]:
        """Return the shares that some quantisations find."""
        return [self.value("share", name) for name in names]

    def leads(self, predictor: str, truth: str) -> tuple[float, float, float]:
        """Return leads under the predictor: median where it alone finds one, and lower quartile and median with both.

        A pair that the two find in opposite directions is found by one alone.
        """
        verdicts = self.agreement.data["verdict"].to_numpy()[0]
        first, second = verdicts[self.place[predictor]], verdicts[self.place[truth]]
        sizes = np.abs(self.agreement.data["difference"].to_numpy()[self.place[predictor]])
        both = (first == second) & (first != 0)
        alone = (first != 0) & ~both
        shared = np.quantile(sizes[both], [0.25, 0.5]) if both.any() else (np.nan, np.nan)
        return float(np.median(sizes[alone])) if alone.any() else 0.0, *map(float, shared)

    def by_threshold(self, predictor: str, truth: str) -> tuple[float, float]:
        """Return F1 of a prediction, and the best of those that keep only leads from some size on."""
        verdicts = self.agreement.data["verdict"].to_numpy()[0]
        first, second = verdicts[self.place[predictor]], verdicts[self.place[truth]]
        sizes = np.abs(self.agreement.data["difference"].to_numpy()[self.place[predictor]])
        falling = np.argsort(-sizes[first != 0], kind="stable")
        right = (first == second)[first != 0][falling].cumsum()
        f1 = 2 * right / (np.arange(1, len(right) + 1) + (second != 0).sum())
        return (float(f1[-1]), float(f1.max())) if len(f1) else (np.nan, np.nan)

    def block(self, table: Table) -> str:
        """Return precision, recall and F1 of all named quantisations."""
        rows = []
        for title, measure in (("P", "precision"), ("R", "recall"), ("F1", "f1")):
            for name in table.named:
                cells = [self.shown(measure, name, truth) or "1" for truth in table.named]
                rows.append([f"{title} of {name}", f"{100 * self.value('share', name):.0f} %", *cells])
        return markdown(["", "finds", *table.named], rows)

    def predictors(self, table: Table) -> str:
        """Return how the further quantisations predict the truths."""
        names = (*table.named, *table.further)
        rows = []
        for name in names:
            row = [f"`{name}`", f"{100 * self.value('share', name):.0f} %"]
            for truth in table.truths:
                row += [self.shown(one, name, truth) for one in ("precision", "recall", "f1")]
                row.append("" if name == truth else f"{self.value('n_conflicts', name, truth):.0f}")
            rows.append(row)
        head = [f"{measure} of {truth}" for truth in table.truths for measure in ("P", "R", "F1", "conflicts")]
        return markdown(["predictor", "finds", *head], rows)


HIGH = 0.85
"""F1 from which two quantisations lead to the same conclusions: below the least that the paper calls high, 0.87."""
NEARLY_ALL, MOST = 0.9, 0.5
AS_GOOD, HELPS = 0.02, 0.05

type Measured = Mapping[str, Found]


class Finding(NamedTuple):
    """What the paper finds in a year, a check of it, and the figures that the check rests on."""

    scale: str
    text: str
    check: str
    figures: Callable[[Measured], list[float]]
    holds: Callable[[list[float]], bool]


def _both(measured: Measured, measure: str, *pair: str) -> list[float]:
    return [measured[name].value(measure, *pair) for name in ("nxCG@25", "MAep")]


def _reduced(measured: Measured) -> list[float]:
    """Return the least F1 of Gen4 and of SOG with itself on a scale of three grades."""
    one = measured["inex_eval"]
    return [
        min(one.value("f1", name, truth) for name in one.place if name.startswith(f"{truth}(blind_e"))
        for truth in ("Gen4", "SOG")
    ]


def _by_size(measured: Measured) -> list[float]:
    """Return the best F1 with Gen5 of BinExh with a smallest size, and that with the assessors' "?"."""
    return [
        value
        for name in ("nxCG@25", "MAep")
        for value in (
            max(measured[name].value("f1", f"BinExh(min_size={size})", "Gen5") for size in SIZES),
            measured[name].value("f1", NO_SMALL, "Gen5"),
        )
    ]


FINDINGS = (
    Finding(
        "2003",
        "Gen4 and SOG lead to the same conclusions, however different their preferences (4.1.1)",
        f"F1 at least {HIGH}",
        lambda of: [of["inex_eval"].value("f1", "Gen4", "SOG")],
        lambda f1: f1[0] >= HIGH,
    ),
    Finding(
        "2003",
        "Strict4 finds fewer pairs than Gen4 and SOG (4.1.1)",
        "shares of the three",
        lambda of: of["inex_eval"].shares("Strict4", "Gen4", "SOG"),
        lambda shares: shares[0] < min(shares[1:]),
    ),
    Finding(
        "2003",
        "these are nearly all among those of Gen4 and SOG (4.1.1)",
        f"recall at least {NEARLY_ALL}",
        lambda of: of["inex_eval"].named("recall", ("Gen4", "Strict4"), ("SOG", "Strict4")),
        lambda recall: min(recall) >= NEARLY_ALL,
    ),
    Finding(
        "2003",
        "AnyRel predicts Gen4 and SOG: these need no grades (4.1.2)",
        f"F1 at least {HIGH}",
        lambda of: of["inex_eval"].named("f1", ("AnyRel", "Gen4"), ("AnyRel", "SOG")),
        lambda f1: min(f1) >= HIGH,
    ),
    Finding(
        "2003",
        "a scale of 0, 1, 2 is enough for Gen4 and SOG (4.1.3)",
        f"F1 at least {NEARLY_ALL}, whichever grades are merged",
        _reduced,
        lambda f1: min(f1) >= NEARLY_ALL,
    ),
    Finding(
        "2005",
        'whether "?" is relevant changes little (4.2.1)',
        f"F1 of Gen5 and GenLifted at least {HIGH}, nxCG@25 and MAep",
        lambda of: _both(of, "f1", "Gen5", "GenLifted"),
        lambda f1: min(f1) >= HIGH,
    ),
    Finding(
        "2005",
        "what it changes are small differences (Figure 1a, b)",
        "median lead by MAep found under Gen5 alone; lower quartile and median of those under both",
        lambda of: list(of["MAep"].leads("Gen5", "GenLifted")),
        lambda leads: leads[0] < leads[1],
    ),
    Finding(
        "2005",
        "nxCG@10 finds fewer pairs, nxCG@50 more (4.2.1)",
        "shares at 10, 25 and 50, Gen5",
        lambda of: [of[name].value("share", "Gen5") for name in ("nxCG@10", "nxCG@25", "nxCG@50")],
        lambda shares: shares == sorted(shares),
    ),
    Finding(
        "2005",
        "BinExh simulates GenLifted: exhaustivity is not needed (4.2.2)",
        f"F1 at least {HIGH}, nxCG@25 and MAep",
        lambda of: _both(of, "f1", "BinExh", "GenLifted"),
        lambda f1: min(f1) >= HIGH,
    ),
    Finding(
        "2005",
        'without "?" BinExh simulates Gen5 (4.2.2)',
        f"F1 at least {HIGH}, nxCG@25 and MAep",
        lambda of: _both(of, "f1", NO_SMALL, "Gen5"),
        lambda f1: min(f1) >= HIGH,
    ),
    Finding(
        "2005",
        'a smallest size could replace "?" (left to later work)',
        f'F1 with Gen5 by the best size, and by "?": less by {AS_GOOD} at most; nxCG@25, then MAep',
        _by_size,
        lambda f1: f1[0] >= f1[1] - AS_GOOD and f1[2] >= f1[3] - AS_GOOD,
    ),
    Finding(
        "2005",
        "FullySpec finds a large part of what Strict5 finds, and much more (4.2.2)",
        f"MAep: recall at least {MOST}, precision below it",
        lambda of: (
            of["MAep"].named("recall", ("FullySpec", "Strict5"))
            + of["MAep"].named("precision", ("FullySpec", "Strict5"))
        ),
        lambda rates: rates[0] >= MOST > rates[1],
    ),
    Finding(
        "2005",
        "and no threshold on the difference helps (Figure 1c, d)",
        f"MAep: F1 of FullySpec for Strict5, and with the best threshold on the lead: less than {HELPS} more",
        lambda of: list(of["MAep"].by_threshold("FullySpec", "Strict5")),
        lambda f1: f1[1] < f1[0] + HELPS,
    ),
    Finding(
        "2005",
        "Strict5 finds fewest pairs (4.2.3)",
        "shares by nxCG@25 and MAep, each beside the least of the others",
        lambda of: [
            share
            for name in ("nxCG@25", "MAep")
            for share in (of[name].value("share", "Strict5"), min(of[name].shares(*TABLES["2005"].named[1:])))
        ],
        lambda shares: shares[0] < shares[1] and shares[2] < shares[3],
    ),
)


def findings_table(campaigns: Sequence[tuple[str, Measured]]) -> str:
    """Return in how many campaigns of its scale each finding holds."""
    rows = []
    for finding in FINDINGS:
        figures = [finding.figures(measured) for scale, measured in campaigns if scale == finding.scale]
        if figures:
            means: NDArray[np.float64] = np.nanmean(figures, axis=0)
            held = f"{sum(map(finding.holds, figures))} of {len(figures)}"
            numbers = ", ".join(f"{value:.3f}" if value < AS_GOOD else f"{value:.2f}" for value in means.tolist())
            rows.append([finding.text, finding.check, held, numbers])
    return markdown(["the paper finds", "check", "holds in", "means"], rows)


def quoted(table: Table, found: dict[str, Found]) -> str:
    """Return what their text quotes beside ours."""
    words = {"share": "share that {0} finds", "f1": "F1 of {0} and {1}"}
    words |= {"recall": "recall of {1} by {0}", "precision": "precision of {0} for {1}"}
    rows = []
    for measure, predictor, truth, theirs in table.quoted:
        row = [words[measure].format(predictor, truth)]
        for name, one in found.items():
            row += [f"{theirs[name]:.2f}" if name in theirs else "", one.shown(measure, predictor, truth)]
        rows.append(row)
    return markdown(["", *(f"{name}, {whose}" for name in found for whose in ("paper", "here"))], rows)


def measured_on(collection: ElementCollection, *, task: str, resamples: int, seed: int) -> dict[str, Found]:
    """Test every pair under every quantisation, by every measure of the table of its scale."""
    table = TABLES[collection.scale]
    found = {}
    for name, pattern in table.measures.items():
        cutoff = name.partition("@")[1:]
        found[name] = Found(collection, table, pattern.replace("TASK", task) + "".join(cutoff), resamples, seed)
    return found


def report_of(collection: ElementCollection, found: dict[str, Found], *, resamples: int, seed: int) -> list[str]:
    """Return the table that the scale of a collection asks for, in paragraphs."""
    table = TABLES[collection.scale]
    first = next(iter(found.values())).agreement
    setting = {"systems": collection.n_systems, "topics": first.result.n_topics, "pairs": first.n_pairs}
    parts = [f"## {table.title}", SETTING.format(**setting, resamples=resamples, seed=seed)]
    parts += [f"### {table.title}: what the paper's text quotes, and here", quoted(table, found)]
    for name, one in found.items():
        parts += [f"### {name}", one.block(table)]
    for name, one in found.items():
        if name in ("inex_eval", "nxCG@25", "MAep"):
            parts += [f"### {name}: other predictors", one.predictors(table)]
    return parts


def main() -> None:
    """Read or simulate, compare, write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", help="INEX submissions; without them two campaigns are simulated")
    parser.add_argument("assessments", nargs="?")
    parser.add_argument("--sizes", help="sizes of elements, where assessments hold none")
    parser.add_argument("--task", default="thorough", choices=("thorough", "focused"))
    parser.add_argument("--results", type=int, default=1500)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--campaigns", type=int, default=5)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    settings = {"resamples": options.resamples, "seed": options.seed}
    parts = ["# Quantisations of elements: who agrees with whom"]
    if options.runs is not None:
        if options.assessments is None:
            parser.error("give the assessments after the runs")
        collection = read_judged([options.runs], options.assessments, sizes=options.sizes).collection
        if not isinstance(collection, ElementCollection) or collection.scale not in TABLES:
            message = f"{options.assessments}: the tables are about elements judged on the scales of 2003 to 2005"
            raise InvalidOptionError(message)
        found = measured_on(collection, task=options.task, **settings)
        parts += [INTRODUCTION, *report_of(collection, found, **settings)]
    else:
        given = {name: value for name, value in vars(options).items() if value != parser.get_default(name)}
        words = "".join(f" --{name} {value}" for name, value in given.items())
        made_by = f"Made by `python benchmarks/studies/inex_quantisations.py{words}`."
        parts += [made_by, OF_THE_SIMULATOR.format(seed=options.seed), INTRODUCTION, *_simulated(options)]
    text = "\n\n".join(parts) + "\n"
    target = options.report or (REPORT if options.runs is None else None)
    if target is None:
        print(text)
    else:
        target.write_text(text, encoding="utf-8")


def _simulated(options: argparse.Namespace) -> list[str]:
    """Simulate both years under every seed: what holds how often, and the tables of the first."""
    campaigns: list[tuple[str, Measured]] = []
    tables = []
    for seed in range(options.seed, options.seed + options.campaigns):
        for year, n_systems, n_topics in ((2004, 70, 34), (2005, 55, 29)):
            made = simulate_inex(
                year=year,
                task=options.task,
                n_systems=n_systems,
                n_topics=n_topics,
                n_documents=options.documents,
                n_results=options.results,
                n_second=0,
                rng=seed,
            )
            collection = element_collection(made.submissions, made.assessments, sizes=made.sizes)
            found = measured_on(collection, task=options.task, resamples=options.resamples, seed=seed)
            campaigns.append((collection.scale, found))
            if seed == options.seed:
                tables += report_of(collection, found, resamples=options.resamples, seed=seed)
    last = options.seed + options.campaigns - 1
    counted = COUNTED.format(campaigns=options.campaigns, first=options.seed, last=last)
    return ["## Which findings hold", counted, findings_table(campaigns), *tables]


if __name__ == "__main__":
    main()
