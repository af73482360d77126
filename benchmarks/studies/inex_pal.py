# ruff: noqa: RUF001 - minus and Greek letters are meant for people
"""Pal, Mitra and Kamps (2010) on a simulated INEX 2007 and 2008: their tables in their form, and which patterns hold.

Run: python benchmarks/studies/inex_pal.py [--results 500] [--documents 2000] [--draws 10] [--trials 50] [--seed 200]

Systems, topics, pool sizes and measures are the paper's; runs, articles and judgments are made. What holds here holds
of the measures under the simulator's model of errors, not of the runs of those years. Written to benchmarks/reports/.

On a collection of your own (passages, with groups), beside the published figures of a year:

    python benchmarks/studies/inex_pal.py --runs submissions/ --judgments assessments/ --groups teams.csv --out mine.md
        [--pool-runs invalid/ --judged-pool-size 600 --beside 2008]
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.agreement.rankings import kendall_tau, tau_ap
from metaeval.collection.documents import JudgedCollection
from metaeval.inex.judged_files import read_judged
from metaeval.inex.passages import PassageCollection, passage_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.io.groups import read_groups
from metaeval.metrics import metric_values, resolve_metrics, score
from metaeval.models.exponential import exponential_table
from metaeval.models.topic_counts import minimum_topics
from metaeval.questions.judgments.study import study_judgments
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.leave_out import GroupsLeftOut, leave_group_out
from metaeval.resampling.pools import original_pool, with_judged_pool
from metaeval.resampling.swap import ErrorRates, swap_method

REPORT = Path(__file__).parents[2] / "benchmarks" / "reports" / "inex-pal.md"
METRICS = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP")
SHOWN = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")
SIZES = {2007: (78, 107), 2008: (61, 70)}
ELEMENTS = 35  # text and structure; runs list no inline elements
SAMPLES = (20.0, 40.0, 60.0, 80.0)
DEPTHS = (5.0, *(10.0 * step for step in range(1, 10)))
LARGEST = {2007: 50, 2008: 35}
LIMIT = {2007: 100, 2008: 70}
BOUND = 0.9

PUBLISHED_RANDOM = {  # Tables 1 and 2, tau
    2007: (
        (0.65810, 0.62234, 0.67128, 0.72921, 0.82164),
        (0.74463, 0.72792, 0.80305, 0.84945, 0.90080),
        (0.82469, 0.80086, 0.84878, 0.88492, 0.93062),
        (0.88633, 0.87556, 0.90913, 0.93584, 0.96450),
    ),
    2008: (
        (0.53104, 0.55126, 0.69268, 0.72940, 0.82131),
        (0.62918, 0.66383, 0.71934, 0.76536, 0.86557),
        (0.71716, 0.74754, 0.82448, 0.83628, 0.91268),
        (0.82273, 0.84885, 0.87574, 0.88601, 0.94404),
    ),
}
PUBLISHED_AT_60 = {  # Tables 11 and 12, tau
    2007: {
        "Random query": (0.855752, 0.831144, 0.883361, 0.904501, 0.941910),
        "Pool depth": (0.995161, 0.968979, 0.964310, 0.977652, 0.991661),
    },
    2008: {
        "Random query": (0.791913, 0.823716, 0.871038, 0.899344, 0.926120),
        "Pool depth": (0.992350, 0.974863, 0.980328, 0.965027, 0.979235),
    },
}
PUBLISHED_RELDOCS = {2007: (">80%", ">80%", "~75%", "~65%", "<40%"), 2008: (">80%", ">80%", ">80%", ">80%", "<60%")}
PUBLISHED_QUERIES = {
    2007: ("86 (80%)", "86 (80%)", "75 (70%)", "59 (55%)", "37 (35%)"),
    2008: ("59 (84%)", "58 (83%)", "53 (75%)", "44 (62%)", "32 (45%)"),
}
PUBLISHED_TOPICS = {
    2007: {"0": (">100", ">100", ">100", ">100", "70"), "5": ("60", "65", "65", "56", "45")},
    2008: {"0": (">70", ">70", ">70", ">70", "58"), "5": ("48", "46", "43", "40", "35")},
}
PUBLISHED_SIGNIFICANT = {2007: (8, 14, 24, 15, 27), 2008: (0, 2, 5, 10, 15)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Rankings under reduced judgments: tau and tau_AP with the full ranking, (draw, step, metric)."""

    steps: tuple[float, ...]
    relevant: NDArray[np.float64]
    topics: NDArray[np.float64]
    tau: NDArray[np.float64]
    tau_ap: NDArray[np.float64]

    def mean(self) -> NDArray[np.float64]:
        """Return mean tau, (step, metric)."""
        return self.tau.mean(axis=0)

    def at(self, step: float) -> NDArray[np.float64]:
        """Return mean tau of every metric at a step."""
        return self.mean()[self.steps.index(step)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """Everything measured on one collection, and the year whose published figures stand beside it."""

    name: str
    year: int
    collection: JudgedCollection
    judged: int
    relevant: int
    random: Ranked
    depth: Ranked
    topics: Ranked
    rates: ErrorRates
    left_out: GroupsLeftOut
    alike: dict[str, tuple[Ranked, Ranked]]

    @property
    def minimum(self) -> pd.DataFrame:
        """Topics that keep errors below 5 %, by the published curve: tolerances in rows."""
        return minimum_topics(self.rates, max_error=0.05, limit=LIMIT[self.year], family="published").table()


def ranked(collection: JudgedCollection, reduction: str, steps: Sequence[float], draws: int, seed: int) -> Ranked:
    """Rank the systems under reduced judgments, draw after draw."""
    metrics = resolve_metrics(METRICS)
    documents = collection.by_document
    pooled = original_pool(collection).levels if reduction == "share" else documents.levels
    counted = documents.n_relevant > 0
    full = metric_values(collection.rejudge(pooled), metrics)[:, :, counted].mean(axis=2).round(12)
    taus = {name: np.zeros((draws, len(steps), len(METRICS))) for name in ("tau", "tau_ap")}
    relevant, topics = np.zeros((draws, len(steps))), np.zeros((draws, len(steps)))
    for draw in range(draws):
        left = reduce_judgments(collection, reduction=reduction, steps=steps, rng=seed + draw)
        relevant[draw], topics[draw] = left.relevant, left.topics.sum(axis=1)
        for place, (levels, kept) in enumerate(zip(left.levels, left.topics & counted, strict=True)):
            means = metric_values(collection.rejudge(levels), metrics)[:, :, kept].mean(axis=2).round(12)
            taus["tau"][draw, place] = kendall_tau(full, means)
            taus["tau_ap"][draw, place] = tau_ap(full, means)
    return Ranked(steps=tuple(steps), relevant=relevant.mean(axis=0), topics=topics.mean(axis=0), **taus)


def simulated(year: int, options: argparse.Namespace, seed: int) -> PassageCollection:
    """Make the campaign of a year."""
    n_systems, n_topics = SIZES[year]
    made = simulate_inex(
        year=year,
        n_systems=n_systems,
        n_topics=n_topics,
        n_documents=options.documents,
        n_results=options.results,
        elements_per_article=ELEMENTS,
        published=True,
        rng=seed,
    )
    groups = dict(zip((one.run for one in made.submissions), made.groups, strict=True))
    return passage_collection(made.submissions, made.assessments, retrieved="all").with_groups(groups)


def own_collection(options: argparse.Namespace) -> JudgedCollection:
    """Read a collection of one's own."""
    read = read_judged(
        options.runs, options.judgments, retrieved="all", missing="zero", pool_runs=options.pool_runs or ()
    )
    collection = read.collection
    others = collection.by_document.pool_runs
    names = [*collection.systems, *(() if others is None else others.systems)]
    collection = collection.with_groups(read_groups(options.groups, systems=names))
    size = options.judged_pool_size
    return collection if size is None else with_judged_pool(collection, size=size)


def measured(
    name: str, year: int, collection: JudgedCollection, options: argparse.Namespace, *, thirds: bool = True
) -> Year:
    """Measure everything on a collection, among thirds of its systems too where asked."""
    scores = score(collection, METRICS)
    largest = min(LARGEST[year], scores.sizes["topic"] // 2)
    return Year(
        name=name,
        year=year,
        collection=collection,
        judged=int(collection.by_document.judged.sum()),
        relevant=int(collection.by_document.n_relevant.sum()),
        random=ranked(collection, "relevant", SAMPLES, options.draws, options.seed),
        depth=ranked(collection, "share", DEPTHS, 1, options.seed),
        topics=ranked(collection, "topics", SAMPLES, options.draws, options.seed),
        rates=swap_method(scores, sizes=range(5, largest + 1), n_trials=options.trials, rng=options.seed),
        left_out=leave_group_out(collection, METRICS, baseline="pool"),
        alike=alike(collection, options.draws, options.seed) if thirds else {},
    )


def alike(collection: JudgedCollection, draws: int, seed: int) -> dict[str, tuple[Ranked, Ranked]]:
    """Rank a third of the systems on 60 % of the relevant documents, and of the topics: neighbours, or far apart."""
    order = np.argsort(-metric_values(collection, METRICS[-1:])[0].mean(axis=1), kind="stable")
    third = len(order) // 3
    chosen = {"the best": order[:third], "the middle": order[third : 2 * third], "every third": order[: 3 * third : 3]}
    found = {}
    for name, places in chosen.items():
        part = collection.select(systems=[collection.systems[place] for place in sorted(places)])
        found[name] = (ranked(part, "relevant", (60.0,), draws, seed), ranked(part, "topics", (60.0,), draws, seed))
    return found


# ------------------------------------------------------------------------------------------------------------- tables


def markdown(frame: pd.DataFrame) -> str:
    """Return a table."""
    rows = [list(frame.columns), ["---"] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def stability_table(one: Ranked) -> str:
    """Return tau and tau_AP by step, as Tables 1, 2, 4 and 5."""
    tau, ap = one.mean(), one.tau_ap.mean(axis=0)
    rows = [
        {"pool % (# reldocs)": f"{step:g} ({one.relevant[place]:,.0f})"}
        | {f"{name}: τ, τ_AP": f"{tau[place, at]:.5f}, {ap[place, at]:.5f}" for at, name in enumerate(SHOWN)}
        for place, step in enumerate(one.steps)
    ]
    return markdown(pd.DataFrame(rows))


def needed(one: Ranked, amounts: NDArray[np.float64], total: float) -> list[str]:
    """Return for every metric how much keeps tau at 0.9, interpolated between steps, as Tables 3 and 6."""
    steps = np.append(one.steps, 100.0)
    sizes = np.append(amounts, total)
    texts = []
    for column in one.mean().T:
        values = np.append(column, 1.0)
        below = np.flatnonzero(values < BOUND)
        if not len(below):
            texts.append(f"<{sizes[0]:,.0f} (<{steps[0]:g}%)")
            continue
        last = below[-1]
        share = (BOUND - values[last]) / (values[last + 1] - values[last])
        if last == len(values) - 2:
            texts.append(f">{sizes[last]:,.0f} (>{steps[last]:g}%)")
        else:
            at = [float(row[last] + share * (row[last + 1] - row[last])) for row in (sizes, steps)]
            texts.append(f"{at[0]:,.0f} ({at[1]:.0f}%)")
    return texts


def by_metric(rows: dict[str, Sequence[object]], head: str) -> str:
    """Return a table with a column for every metric."""
    frame = pd.DataFrame([{head: name} | dict(zip(SHOWN, row, strict=True)) for name, row in rows.items()])
    return markdown(frame)


PUBLISHED_INTERVALS = (
    *("(-inf, -50]", "(-50, -10]", "(-10, 0)", "0", "(0, 10]", "(10, 20]", "(20, 50]", "(50, 100]", "(100, inf)"),
    "old score 0",
)


def published_sign(table: pd.DataFrame) -> pd.DataFrame:
    """Write changes as the paper does, a fall as positive."""
    return table.iloc[[*range(len(table) - 2, -1, -1), -1]].set_axis(PUBLISHED_INTERVALS, axis=0)


def distribution_table(years: Sequence[Year], *, per_topic: bool) -> str:
    """Return how many scores change by how much, as Tables 8 and 9."""
    parts = []
    columns: dict[str, str | list[str]]
    for one in years:
        table = published_sign(one.left_out.distribution(per_topic=per_topic))
        table = table[table.sum(axis=1) > 0]
        columns = {"data": one.name, "% change": list(table.index)}
        for name, counts in zip(SHOWN, table.to_numpy().T.tolist(), strict=True):
            columns[name] = [f"{count} ({100 * count / sum(counts):.1f}%)" for count in counts]
        parts.append(pd.DataFrame(columns))
    return markdown(pd.concat(parts))


def minimum_rows(one: Year) -> dict[str, Sequence[object]]:
    """Return Table 7's rows, with the published ones for tolerances 0 and 5 %."""
    rows: dict[str, Sequence[object]] = {}
    for tolerance, values in zip(one.rates.tolerances, one.minimum.to_numpy().tolist(), strict=True):
        label = f"{100 * tolerance:g}"
        rows[f"{one.year}, {label} %"] = values
        if label in PUBLISHED_TOPICS[one.year]:
            rows[f"{one.year}, {label} %, paper"] = PUBLISHED_TOPICS[one.year][label]
    return rows


# ----------------------------------------------------------------------------------------------------------- patterns


class Figures(NamedTuple):
    """What patterns are tried on: tables of a campaign with a column for every metric, by name."""

    year: int
    n_topics: int
    tables: Mapping[str, NDArray[np.float64]]
    """``random``, ``depth`` and ``topics``, and with ``_ap``: τ and τ_AP (step, metric); ``needed``: relevant documents
    that keep τ at 0.9, in percent, and ``needed_topics``; ``minimum``: topics that keep errors below 5 % at tolerance 0
    and 5 % (infinite beyond the limit); ``rates``: mean error rate at tolerance 0; ``small``: share of systems that
    change by 10 % or less without their group; ``unchanged``: share of their scores on topics that do not;
    ``significant``: systems that change significantly. The last four have one row."""

    def mean(self, table: str) -> NDArray[np.float64]:
        """Return the mean over the steps."""
        return self.tables[table].mean(axis=0)

    def at_60(self, table: str) -> NDArray[np.float64]:
        """Return the row of the level of 60 %."""
        steps = DEPTHS if table.startswith("depth") else SAMPLES
        return self.tables[table][steps.index(60.0)]


def figures_of(one: Year) -> Figures:
    """Take from what was measured what patterns are tried on."""
    table = one.left_out.distribution(per_topic=True)
    systems = one.left_out.distribution()
    small = systems.loc[["[-10, 0)", "0", "(0, 10)"]].sum(axis=0) / systems.sum(axis=0)
    minimum = [[number_of_topics(str(text)) for text in row] for row in one.minimum.to_numpy()[:2]]
    return Figures(
        year=one.year,
        n_topics=one.collection.n_topics,
        tables={
            **{name: getattr(one, name).mean() for name in ("random", "depth", "topics")},
            **{f"{name}_ap": getattr(one, name).tau_ap.mean(axis=0) for name in ("random", "depth", "topics")},
            "needed": np.array([level_needed(column) for column in one.random.mean().T])[None],
            "needed_topics": np.array([level_needed(column) for column in one.topics.mean().T])[None],
            "minimum": np.array(minimum),
            "rates": one.rates.rates().sel({"tolerance": 0.0}).mean("size").to_numpy()[None],
            "small": small.to_numpy()[None],
            "unchanged": (table.loc["0"] / table.sum(axis=0)).to_numpy()[None],
            "significant": one.left_out.significance()["significant"].to_numpy(dtype=float)[None],
        },
    )


def level_needed(taus: NDArray[np.float64]) -> float:
    """Return the level from which τ stays at 0.9, interpolated between the sampling levels and the whole (τ = 1)."""
    steps, values = np.append(SAMPLES, 100.0), np.append(taus, 1.0)
    below = np.flatnonzero(values < BOUND)
    if not len(below):
        return float(steps[0])
    last = below[-1]
    share = (BOUND - values[last]) / (values[last + 1] - values[last])
    return float(steps[last] + share * (steps[last + 1] - steps[last]))


def number_of_topics(text: str) -> float:
    """Read a number of topics: ">100" is infinite, "<5" is 0."""
    if text.startswith((">", "n/a")):
        return float("inf")
    return 0.0 if text.startswith(("<", "≤")) else float(text.rstrip("*"))


def _numbers(values: Sequence[float] | NDArray[np.float64], digits: int = 3) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


def _least(values: NDArray[np.float64]) -> bool:
    """Say whether MAiP, the last, has the smallest of all."""
    return bool((values[-1] < values[:-1]).all())


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the paper finds, as a check of its tables and as its text puts it, and the numbers that both rest on."""

    text: str
    table: str
    strict: Callable[[Figures], bool]
    words: str
    """How the text of the paper puts it."""
    in_words: Callable[[Figures], bool]
    numbers: Callable[[Figures], str]


def _of_means(name: str) -> Callable[[Figures], str]:
    return lambda one: f"mean τ {_numbers(one.mean(name))}"


PATTERNS = (
    Pattern(
        "Random pools: MAiP keeps the ranking best at every sampling level",
        "1, 2",
        lambda one: bool((one.tables["random"].argmax(axis=1) == len(SHOWN) - 1).all()),
        "MAiP varies least over pool sizes: best on average",
        lambda one: _least(-one.mean("random")),
        _of_means("random"),
    ),
    Pattern(
        "Random pools: iP[0.00] and iP[0.01] are below iP[0.05], that below iP[0.10], that below MAiP",
        "1, 2",
        lambda one: bool(
            one.mean("random")[:2].max() < one.mean("random")[2] and (np.diff(one.mean("random")[2:]) > 0).all()
        ),
        "τ drops much faster for iP[0.00] and iP[0.01] than for the other three",
        lambda one: bool(one.mean("random")[:2].max() < one.mean("random")[2:].min()),
        _of_means("random"),
    ),
    Pattern(
        "Random pools: with 60 % of the relevant documents MAiP keeps τ ≥ 0.9, iP[0.00] and iP[0.01] do not",
        "3",
        lambda one: bool(one.at_60("random")[-1] >= BOUND and (one.at_60("random")[:2] < BOUND).all()),
        "MAiP needs the fewest relevant documents",
        lambda one: _least(one.tables["needed"][0]),
        lambda one: f"needed {_numbers(one.tables['needed'][0], 0)} %",
    ),
    Pattern(
        "τ_AP lies below τ for MAiP (random pools): the top changes more than the rest",
        "1, 2",
        lambda one: bool((one.tables["random_ap"][:, -1] < one.tables["random"][:, -1]).all()),
        "τ_AP is on the whole slightly lower: on average over metrics and levels",
        lambda one: bool(one.tables["random_ap"].mean() < one.tables["random"].mean()),
        lambda one: f"τ − τ_AP {_numbers(one.mean('random') - one.mean('random_ap'))}",
    ),
    Pattern(
        "Shallower pools: 20 % of the documents keep τ ≥ 0.9 under every metric",
        "4, 5",
        lambda one: bool((one.tables["depth"][DEPTHS.index(20.0)] >= BOUND).all()),
        "τ and τ_AP are over 0.9 in almost all cases from 20 % on: in nine of ten",
        lambda one: _over_bound(one) >= BOUND,
        lambda one: (
            f"τ {_numbers(one.tables['depth'][DEPTHS.index(20.0)])}; {100 * _over_bound(one):.0f} % of the cases"
        ),
    ),
    Pattern(
        "Shallower pools: iP[0.00] keeps the ranking better than iP[0.01], iP[0.05] and iP[0.10]",
        "4, 5",
        lambda one: bool(one.mean("depth")[:4].argmax() == 0),
        "in general τ decreases from iP[0.00] to iP[0.10]: it falls in two of the three steps at least, and in all",
        lambda one: bool(
            (np.diff(one.mean("depth")[:4]) < 0).sum() > 1 and one.mean("depth")[0] > one.mean("depth")[3]
        ),
        _of_means("depth"),
    ),
    Pattern(
        "Fewer topics: MAiP keeps the ranking best at every level",
        "6",
        lambda one: bool((one.tables["topics"].argmax(axis=1) == len(SHOWN) - 1).all()),
        "MAiP is the clear winner: it needs the fewest topics",
        lambda one: _least(one.tables["needed_topics"][0]),
        _of_means("topics"),
    ),
    Pattern(
        "Error rates: highest for iP[0.00] and iP[0.01], least for MAiP",
        "7",
        lambda one: (
            _least(one.tables["rates"][0]) and bool(one.tables["rates"][0, :2].min() > one.tables["rates"][0, 2:].max())
        ),
        "higher for early precision, least for MAiP",
        lambda one: (
            _least(one.tables["rates"][0])
            and bool(one.tables["rates"][0, :2].mean() > one.tables["rates"][0, 2:].mean())
        ),
        lambda one: f"mean rate at tolerance 0: {_numbers(100 * one.tables['rates'][0], 1)} %",
    ),
    Pattern(
        "Error rates: below 5 % at tolerance 0 within the topics at hand under MAiP alone",
        "7",
        lambda one: bool(
            one.tables["minimum"][0, -1] <= one.n_topics and one.tables["minimum"][0, :-1].min() > LIMIT[one.year]
        ),
        "within the topics at hand under MAiP, which needs the fewest",
        lambda one: one.tables["minimum"][0, -1] <= one.n_topics and _least(one.tables["minimum"][0]),
        lambda one: f"topics {_numbers(one.tables['minimum'][0], 0)}",
    ),
    Pattern(
        "Group left out: at least 95 % of the systems change by 10 % or less",
        "8",
        lambda one: bool((one.tables["small"] >= 0.95).all()),
        "for most systems the score is somewhat lower: most change by 10 % or less",
        lambda one: bool((one.tables["small"] > 0.5).all()),
        lambda one: f"{_numbers(100 * one.tables['small'][0], 1)} %",
    ),
    Pattern(
        "Group left out: scores of single topics that do not change grow fewer from iP[0.00] to MAiP",
        "9",
        lambda one: bool((np.diff(one.tables["unchanged"][0]) <= 0).all()),
        "they decrease from iP[0.00] to MAiP: most for the first, fewest for the last",
        lambda one: _least(one.tables["unchanged"][0]) and bool(one.tables["unchanged"][0].argmax() == 0),
        lambda one: f"{_numbers(100 * one.tables['unchanged'][0], 1)} %",
    ),
    Pattern(
        "Group left out: significant changes are most frequent under MAiP",
        "10",
        lambda one: bool(one.tables["significant"][0].argmax() == len(SHOWN) - 1),
        "MAiP is most significantly affected, iP[0.00] and iP[0.01] for few systems: less on average than the others",
        lambda one: bool(
            one.tables["significant"][0].argmax() == len(SHOWN) - 1
            and one.tables["significant"][0, :2].mean() < one.tables["significant"][0, 2:].mean()
        ),
        lambda one: f"{_numbers(one.tables['significant'][0], 0)} systems",
    ),
    Pattern(
        "60 %: fewer topics keep more of the ranking than random parts of all pools, under every metric",
        "11",
        lambda one: bool((one.at_60("topics") > one.at_60("random")).all()),
        "in general fewer topics are slightly more stable: on average over metrics and levels",
        lambda one: bool(one.tables["topics"].mean() > one.tables["random"].mean()),
        lambda one: f"difference of τ {_numbers(one.at_60('topics') - one.at_60('random'))}",
    ),
    Pattern(
        "60 %: shallow pools for all topics keep more than fewer topics, under every metric",
        "12",
        lambda one: bool((one.at_60("depth") > one.at_60("topics")).all()),
        "τ is much higher where pools are shallower: on average over the metrics",
        lambda one: bool(one.at_60("depth").mean() > one.at_60("topics").mean()),
        lambda one: f"difference of τ {_numbers(one.at_60('depth') - one.at_60('topics'))}",
    ),
)


def _over_bound(one: Figures) -> float:
    """Return the share of τ and τ_AP of shallower pools, from 20 % on, that are at least 0.9."""
    first = DEPTHS.index(20.0)
    return float(np.mean([one.tables[name][first:] >= BOUND for name in ("depth", "depth_ap")]))


def pattern_table(years: Sequence[Year]) -> str:
    """Return what holds in which year."""
    rows = []
    measured_figures = [(one.name, figures_of(one)) for one in years]
    for pattern in PATTERNS:
        row = {"pattern": pattern.text, "tables": pattern.table, "in the paper's words": pattern.words}
        for name, one in measured_figures:
            readings = (pattern.strict, pattern.in_words)
            said = ", ".join("holds" if holds(one) else "**does not hold**" for holds in readings)
            row[name] = f"{said}: {pattern.numbers(one)}"
        rows.append(row)
    return markdown(pd.DataFrame(rows))


# -------------------------------------------------------------------------------------------------------------- report


def _sizes(one: Year) -> str:
    counted = f"{one.relevant:,} relevant documents of {one.judged:,} judged"
    return f"{one.collection.n_topics} topics, {one.collection.n_systems} systems, {counted}."


def _parts(years: Sequence[Year], options: argparse.Namespace) -> list[str]:
    given = {name: value for name, value in vars(options).items() if value is not None}
    words = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
    what = (
        f"Runs of {options.runs}, judgments of {options.judgments}; {options.draws} draws"
        if options.runs
        else f"Focused runs of at most {options.results} results a topic (the campaigns allowed 1500) out of "
        f"{options.documents:,} articles; three runs a group; pools of about 600 documents a topic, to which all runs "
        f"contributed; {options.draws} draws"
    )
    parts = [
        f"# Pal, Mitra and Kamps (2010) on {' and '.join(one.name for one in years)}",
        f"Made by `python benchmarks/studies/inex_pal.py {words}`.",
        f"{what} at every sampling level and {options.trials} pairs of topic sets at every "
        "size, as in the paper. Metrics in the order "
        + ", ".join(SHOWN)
        + ". Rows marked *paper* are the published figures of the real campaign.",
        "## Which patterns hold",
        (
            "First by the strict reading of the tables, then in the words of the paper's text. Numbers stand in the "
            "order of the metrics; one collection a year, so a narrow miss says little."
        ),
        pattern_table(years),
    ]
    for number, one in enumerate(years):
        parts += [
            f"## Table {number + 1}. {one.name}: random pool sampling",
            _sizes(one),
            stability_table(one.random),
            "Published τ:",
            by_metric(
                {
                    f"{step:g}": [f"{value:.5f}" for value in row]
                    for step, row in zip(SAMPLES, PUBLISHED_RANDOM[one.year], strict=True)
                },
                "pool %, paper",
            ),
        ]
    reldocs: dict[str, Sequence[object]] = {}
    queries: dict[str, Sequence[object]] = {}
    for one in years:
        reldocs |= {
            one.name: needed(one.random, one.random.relevant, one.relevant),
            f"{one.year}, paper": PUBLISHED_RELDOCS[one.year],
        }
        n_topics = one.collection.n_topics
        queries |= {
            one.name: needed(one.topics, one.topics.topics, n_topics),
            f"{one.year}, paper": PUBLISHED_QUERIES[one.year],
        }
    parts += ["## Table 3. Relevant documents in a random pool for τ ≥ 0.9", by_metric(reldocs, "data")]
    for number, one in enumerate(years):
        parts += [
            f"## Table {number + 4}. {one.name}: reducing pool depth",
            stability_table(one.depth),
        ]
    parts += ["## Table 6. Topics for τ ≥ 0.9", by_metric(queries, "data")]
    parts += ["## Table 7. Topics for less than 5 % error (published exponential curve)"]
    parts += [by_metric({name: row for one in years for name, row in minimum_rows(one).items()}, "data, tolerance")]
    worst = [exponential_table(one.rates)["chi_squared"].max() for one in years]
    parts += [f"Largest χ² of these fits: {_numbers(worst, 2)}; the paper's lie within 0 to 9.13."]
    parts += ["## Table 8. Relative change with the own group left out: mean scores of systems"]
    parts += [distribution_table(years, per_topic=False)]
    parts += ["## Table 9. The same by topic", distribution_table(years, per_topic=True)]
    significant: dict[str, Sequence[object]] = {}
    sampled: dict[str, Sequence[object]] = {}
    for one in years:
        significant |= {
            one.name: one.left_out.significance()["significant"].tolist(),
            f"{one.year}, paper": PUBLISHED_SIGNIFICANT[one.year],
        }
        sampled |= {
            f"{one.year}, random pool": [f"{value:.6f}" for value in one.random.at(60.0)],
            f"{one.year}, random pool, paper": [f"{value:.6f}" for value in PUBLISHED_RANDOM[one.year][2]],
            f"{one.year}, random query": [f"{value:.6f}" for value in one.topics.at(60.0)],
            f"{one.year}, random query, paper": PUBLISHED_AT_60[one.year]["Random query"],
            f"{one.year}, pool depth": [f"{value:.6f}" for value in one.depth.at(60.0)],
            f"{one.year}, pool depth, paper": PUBLISHED_AT_60[one.year]["Pool depth"],
        }
    likeness: dict[str, Sequence[object]] = {}
    for one in years:
        for name, pair in one.alike.items():
            for what, found in zip(("random pool", "random query"), pair, strict=True):
                likeness[f"{one.year}, {what}: {name}"] = [f"{value:.3f}" for value in found.at(60.0)]
    systems = " and ".join(f"{one.collection.n_systems} ({one.name})" for one in years)
    parts += [f"## Table 10. Systems whose score changes significantly (t test, 0.05), of {systems}"]
    parts += [by_metric(significant, "data"), "## Tables 11 and 12. Kendall's τ at 60 %", by_metric(sampled, "data")]
    parts += ["## How much hangs on the systems"]
    parts += ["τ at 60 % among a third of the systems: neighbours by MAiP, or spread over all of them."]
    parts += [by_metric(likeness, "data: systems")]
    return parts


def _pools(options: argparse.Namespace) -> list[str]:
    """Return what pools of topics of their own depth find, and pools that are shallow from the start."""
    made = simulated(2008, options, options.seed)
    asked = ["shallower-pools", "new-systems", "effort"]
    study = study_judgments(
        made,
        METRICS[-1:],
        questions=asked,
        reductions=["share"],
        steps=[20],
        pool_shares=[20, 40],
        n_replicates=2,
        n_tested=0,
        rng=0,
    )
    tables = study.tables()
    depths = tables["critical_depths"]["critical_depth"].dropna()
    left_out = tables["left_out_summary"].query("keep == 'depth'")
    reached = (
        f"{len(depths)} of {made.n_topics} topics reach a critical depth, from {depths.min():g} to {depths.max():g}."
    )
    sizes = f"n_documents={options.documents}, n_results={options.results}, elements_per_article={ELEMENTS}"
    made_by = f"simulate_inex(year=2008, n_systems=61, n_topics=70, {sizes}, published=True, rng={options.seed})"
    return [
        "## Pools topic by topic, and pools that are shallow from the start",
        f"On the campaign of `{made_by}`, by MAiP. {reached}",
        markdown(tables["adaptive"][["pools", "judged", "relevant"]]),
        markdown(left_out[["pool_share", "mean_change", "significant", "tau"]].astype(float).round(3)),
    ]


def main() -> None:
    """Measure both years, or a collection of one's own, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("results", 500), ("documents", 2000), ("draws", 10), ("trials", 50), ("seed", 200)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name in ("runs", "judgments", "groups", "pool-runs"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--judged-pool-size", type=int)
    parser.add_argument("--beside", type=int, choices=list(SIZES))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.runs is None:
        years = [
            measured(f"simulated {year}", year, simulated(year, options, options.seed + year), options)
            for year in SIZES
        ]
    elif options.judgments is None or options.groups is None:
        parser.error("--runs needs --judgments and --groups")
    else:
        years = [measured("this collection", options.beside or 2007, own_collection(options), options)]
    parts = _parts(years, options) + (_pools(options) if options.runs is None else [])
    (options.out or REPORT).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
