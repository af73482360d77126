"""Which findings of Pal et al. (2010) and Kazai et al. (2004) hold in how many simulated campaigns.

Run: python benchmarks/studies/inex_patterns.py measure pal|kazai [--seeds 20] [--first 200]
     python benchmarks/studies/inex_patterns.py report

Every campaign is that of `simulate_inex` with the systems and topics of its year, and one seed. The first command adds
the tables of every seed to benchmarks/reports/inex-patterns.pal.csv and .kazai.csv (a minute or two each; seeds that
are there are left out), the second writes benchmarks/reports/inex-patterns.md from them. The patterns of Pal et al. are
those of `inex_pal.py`, each by the strict reading of the tables and in the words of the paper's text.
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import inex_pal
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from metaeval.inex import element_collection, reliability_runs, run_overlap, simulate_inex
from metaeval.metrics import score

REPORT = Path(__file__).parents[2] / "benchmarks" / "reports" / "inex-patterns.md"
FRESH = range(200, 220)
"""Seeds that did not serve to adjust the simulator, which was done with seeds 1 to 4."""
COLUMNS = ("campaign", "seed", "table", "step", *inex_pal.SHOWN)
TEN, SHARED_BY_CHANCE = 10, 3
OPTIONS = argparse.Namespace(results=500, documents=2000, draws=10, trials=20, seed=0)
METRICS = ("inex2002(quant=SOG)", "nxCGpercent(quant=SOG)")
SIX = ("irb", "frb", "ia", "id", "lo", "ao")

PUBLISHED_DEPTH = {  # Tables 4 and 5, tau
    2007: (
        (0.89426, 0.85995, 0.84251, 0.85910, 0.91543),
        (0.94394, 0.91312, 0.86520, 0.88807, 0.94363),
        (0.97432, 0.93247, 0.90621, 0.91579, 0.95781),
        (0.98432, 0.95265, 0.93224, 0.94647, 0.96848),
        (0.99049, 0.95697, 0.94546, 0.96164, 0.98182),
        (0.99232, 0.95697, 0.95662, 0.97098, 0.98766),
        (0.99516, 0.96898, 0.96431, 0.97765, 0.99166),
        (0.99750, 0.97515, 0.97565, 0.98532, 0.99366),
        (0.99900, 0.97849, 0.97965, 0.98716, 0.99767),
        (0.99933, 0.98783, 0.98815, 0.99283, 0.99900),
    ),
    2008: (
        (0.94098, 0.86448, 0.88962, 0.83388, 0.84809),
        (0.96721, 0.90055, 0.90820, 0.81421, 0.88525),
        (0.98033, 0.93552, 0.92459, 0.92022, 0.92787),
        (0.98798, 0.94536, 0.94754, 0.92459, 0.94645),
        (0.99126, 0.95956, 0.94754, 0.93552, 0.95738),
        (0.99016, 0.96940, 0.95847, 0.94536, 0.96831),
        (0.99235, 0.97486, 0.98033, 0.96503, 0.97924),
        (0.99672, 0.98470, 0.97486, 0.97049, 0.99017),
        (0.99781, 0.99126, 0.98579, 0.97159, 0.99891),
        (1.00000, 0.99781, 0.99672, 0.99563, 0.99891),
    ),
}
INTRODUCTION = """Made by `python benchmarks/studies/inex_patterns.py`; the tables of every campaign are in \
`inex-patterns.pal.csv` and `inex-patterns.kazai.csv`. A column counts in how many campaigns, each with another seed, \
the finding holds: `simulate_inex` with 78 systems on 107 topics (2007), 61 on 70 (2008), 69 on 20 (2004). Seeds \
{seeds}; the constants of the simulator were adjusted with seeds 1 to 4 and the published tables, so the counts say \
that its model can carry the findings, not that they were predicted."""
READINGS = """*Strict*: the tables of the paper, read to the letter. *In words*: what its text says of them."""
JOINT = """Campaigns by the number of the {n} patterns that hold at once: strictly, and by one reading or the other."""
TOLERANCE = """The paper prints no spread (its error bars are in figures), so the difference between its two years \
stands for it: the root mean square over the levels, by measure. A star marks a mean that is more than twice that away \
from the published value of its year (in brackets)."""
NEEDED = """Median over the campaigns of the topics that keep errors below 5 % (published exponential, extrapolated \
beyond half of the topics and, unlike in the paper, beyond 100 and 70), with the smallest and largest; published \
figures in brackets."""
SIGNIFICANT = """Mean over the campaigns of the systems that change significantly when their group is left out, with \
the smallest and largest; published figures in brackets."""
ALIKE = """Intraclass correlation of runs of one group: of their mean scores, and of what is left of their scores on \
topics when the means of systems and topics are taken out (mean over campaigns). AP of the 37 runs of 12 groups of the \
TREC 2019 Deep Learning track has 0.80 and 0.68."""
FURTHER = """*Relevant of judged* was 10.1 % in 2007 and 11.6 % in 2008. *Overlap*: quartiles over the runs that have \
any; 70 to 80 % were "not uncommon"."""
SHORT = """By one reading or the other, {held}{fewer}. The topics needed (Table 7, where the paper prints a number) \
are within a factor of {topics:.2f} of the published ones, the systems that change significantly (Table 10, both years \
together) within {changes}."""
ENOUGH = 0.9
"""Share of the campaigns in which a pattern holds."""
NONE = "\u2013"

type Row = tuple[str, str, Sequence[float]]


def of_pal(year: int, seed: int) -> Iterator[Row]:
    """Measure the campaign of a year as the paper did."""
    options = argparse.Namespace(**vars(OPTIONS) | {"seed": seed})
    collection = inex_pal.simulated(year, options, 1000 * year + seed)
    one = inex_pal.measured(f"simulated {year}", year, collection, options, thirds=False)
    steps = {"random": inex_pal.SAMPLES, "depth": inex_pal.DEPTHS, "topics": inex_pal.SAMPLES, "minimum": (0, 5)}
    for name, table in inex_pal.figures_of(one).tables.items():
        for step, row in zip(steps.get(name.removesuffix("_ap"), (0,)), table.tolist(), strict=True):
            yield name, f"{step:g}", row
    table = inex_pal.minimum_topics(one.rates, max_error=0.05, limit=10_000, family="published").table()
    for tolerance, texts in zip((0, 5), table.to_numpy()[:2].tolist(), strict=True):
        yield "beyond", f"{tolerance}", [inex_pal.number_of_topics(str(text)) for text in texts]
    values = score(collection, inex_pal.METRICS).to_numpy()
    groups = np.array(collection.groups)
    yield "alike means", "", [_alike(rows.mean(axis=1, keepdims=True), groups) for rows in values]
    yield "alike topics", "", [_alike(_residuals(rows), groups) for rows in values]
    yield "relevant of judged", "", [one.relevant / one.judged]


def _residuals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()


def _alike(values: NDArray[np.float64], groups: NDArray[np.str_]) -> float:
    """Return the intraclass correlation of runs in groups, over columns that are alike (analysis of variance)."""
    codes = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(codes)
    means = np.stack([values[codes == group].mean(axis=0) for group in range(len(sizes))])
    between = (sizes[:, None] * (means - values.mean(axis=0)) ** 2).sum() / (len(sizes) - 1)
    within = ((values - means[codes]) ** 2).sum() / (len(values) - len(sizes))
    typical = (len(values) - (sizes**2).sum() / len(values)) / (len(sizes) - 1)
    return float((between - within) / (between + (typical - 1) * within))


class Six(NamedTuple):
    """What Kazai et al. look at: values of the six runs, their overlap, and the submitted runs."""

    old: Mapping[str, float]
    new: Mapping[str, float]
    overlap: Mapping[str, float]
    shared: int
    free_rank: float
    n_runs: int

    @property
    def by_old(self) -> list[str]:
        """The runs by inex-2002, worst first."""
        return sorted(SIX, key=self.old.__getitem__)

    @property
    def by_new(self) -> list[str]:
        """The runs by nXCG, worst first."""
        return sorted(SIX, key=self.new.__getitem__)


KAZAI: tuple[tuple[str, Callable[[Six], bool], str, Callable[[Six], bool]], ...] = (
    ("inex-2002 ranks the full recall base first", lambda one: one.by_old[-1] == "frb", "", lambda _: False),
    (
        "under inex-2002 only articles do worse than the ideal run",
        lambda one: one.by_old[:2] == ["ao", "irb"],
        "",
        lambda _: False,
    ),
    (
        "without overlap inex-2002 still ranks leaves above the ideal run",
        lambda one: one.old["lo"] > one.old["irb"],
        "",
        lambda _: False,
    ),
    ("nXCG keeps the ideal run at 1", lambda one: abs(one.new["irb"] - 1) < 1e-9, "", lambda _: False),
    ("nXCG ranks articles last", lambda one: one.by_new[0] == "ao", "", lambda _: False),
    (
        "nXCG ranks the full recall base last but one",
        lambda one: one.by_new[1] == "frb",
        "ia, id and lo are worse than the ideal run, but better than the full recall base",
        lambda one: min(one.new[name] for name in ("ia", "id", "lo")) > one.new["frb"] and one.by_new[-1] == "irb",
    ),
    (
        "overlap: frb more than ia, ia more than id",
        lambda one: one.overlap["frb"] > one.overlap["ia"] > one.overlap["id"],
        "",
        lambda _: False,
    ),
    (
        "the top tens share no more runs than by chance (at most 3)",
        lambda one: one.shared <= SHARED_BY_CHANCE,
        "most runs of one top ten are not in the other",
        lambda one: one.shared < TEN / 2,
    ),
    (
        "runs without overlap do not do well by that alone: mean rank below the middle",
        lambda one: one.free_rank > (one.n_runs + 1) / 2,
        "freedom from overlap is not sufficient: their mean rank is not among the best ten",
        lambda one: one.free_rank > TEN,
    ),
)
"""Every pattern by the strict reading and, where the text is milder, in its words."""


def of_kazai(year: int, seed: int) -> Iterator[Row]:
    """Measure the six runs and 69 submitted ones as Kazai, Lalmas and de Vries (2004) did."""
    made = simulate_inex(
        year=year,
        n_systems=69,
        n_topics=20,
        n_documents=600,
        n_results=1500,
        elements_per_article=90,
        n_second=0,
        rng=1000 * year + seed,
    )
    six = element_collection(
        list(reliability_runs(made.assessments, quantisation="SOG").values()), made.assessments, sizes=made.sizes
    )
    places = [list(six.systems).index(name) for name in SIX]
    means = score(six, METRICS).to_numpy().mean(axis=-1)[:, places]
    for name, row in zip(("old", "new"), means.tolist(), strict=True):
        yield name, "", row
    yield "overlap", "", run_overlap(six).mean("topic").to_numpy()[places].tolist()
    runs = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    ranks = stats.rankdata(-score(runs, METRICS).to_numpy().mean(axis=-1), axis=1)
    shares = run_overlap(runs).mean("topic").to_numpy()
    free = shares < 0.01
    yield "submitted", "", [int((ranks <= TEN).all(axis=0).sum()), ranks[1, free].mean(), len(free), free.sum()]
    yield "overlap of the other runs", "", np.quantile(shares[~free], [0.25, 0.5, 0.75]).tolist()
    found = made.assessments.elements.query("exhaustivity > 0")[["topic", "document"]].drop_duplicates()
    yield "relevant of judged", "", [len(found) / len(made.assessments.documents)]


def measure(paper: str, seeds: Sequence[int]) -> None:
    """Add the seeds that are missing."""
    years, measured = {"pal": ((2007, 2008), of_pal), "kazai": ((2004,), of_kazai)}[paper]
    path = REPORT.with_suffix(f".{paper}.csv")
    there = set(zip(*pd.read_csv(path)[["campaign", "seed"]].to_numpy().T, strict=True)) if path.exists() else set()
    columns = COLUMNS if paper == "pal" else (*COLUMNS[:4], *SIX)
    for seed in seeds:
        for year in years:
            if (year, seed) in there:
                continue
            rows = [
                (year, seed, name, step, *(f"{value:.5g}" for value in row)) for name, step, row in measured(year, seed)
            ]
            fresh = not path.exists()
            with path.open("a", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([columns, *rows] if fresh else rows)


# -------------------------------------------------------------------------------------------------------------- report


def pal_campaigns(kept: pd.DataFrame) -> dict[tuple[int, int], inex_pal.Figures]:
    """Read the tables of every campaign back."""
    found = {}
    for (year, seed), part in kept.groupby(["campaign", "seed"], sort=False):
        tables = {
            str(name): rows[list(inex_pal.SHOWN)].to_numpy(dtype=float)
            for name, rows in part.groupby("table", sort=False)
        }
        found[year, seed] = inex_pal.Figures(year, inex_pal.SIZES[year][1], tables)
    return found


def kazai_campaigns(kept: pd.DataFrame) -> dict[tuple[int, int], Six]:
    """Read what was found in every campaign back."""
    found = {}
    for (year, seed), part in kept.groupby(["campaign", "seed"], sort=False):
        rows = part.set_index("table")[list(SIX)]
        old, new, overlap = (rows.loc[name].to_dict() for name in ("old", "new", "overlap"))
        shared, rank, n_runs, _ = rows.loc["submitted"].to_numpy()[:4]
        found[year, seed] = Six(old, new, overlap, int(shared), float(rank), int(n_runs))
    return found


def counts(
    patterns: Sequence[tuple[str, Callable[..., bool], str, Callable[..., bool]]],
    campaigns: Mapping[tuple[int, int], object],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count the campaigns of every year in which each pattern holds, by both readings, and how many hold at once."""
    rows, years = [], sorted({year for year, _ in campaigns})
    held = {reading: np.zeros((len(patterns), len(campaigns)), dtype=bool) for reading in ("strict", "either")}
    of_year = np.array([year for year, _ in campaigns])
    for place, (text, strict, words, in_words) in enumerate(patterns):
        firmly = np.array([strict(one) for one in campaigns.values()])
        loosely = np.array([in_words(one) for one in campaigns.values()])
        held["strict"][place], held["either"][place] = firmly, firmly | loosely
        row = {"pattern": text, **{f"{year}, strict": _of(firmly[of_year == year]) for year in years}}
        row |= {"in the paper's words": words or NONE}
        rows.append(row | {f"{year}, in words": _of(loosely[of_year == year]) if words else NONE for year in years})
    joint = [
        {"patterns that hold": n}
        | {
            f"{year}, {reading}": int((table[:, of_year == year].sum(axis=0) == n).sum())
            for year in years
            for reading, table in held.items()
        }
        for n in range(len(patterns), 0, -1)
    ]
    frame = pd.DataFrame(joint)
    return pd.DataFrame(rows), frame[frame.iloc[:, 1:].sum(axis=1) > 0]


def in_short(pal: pd.DataFrame, campaigns: Mapping[tuple[int, int], inex_pal.Figures]) -> str:
    """Say how many patterns hold nearly always, and how near the required topics and the changes are."""
    years = sorted({year for year, _ in campaigns})
    held, fewer = [], []
    for year in years:
        figures = [one for (of_year, _), one in campaigns.items() if of_year == year]
        counts = {
            one.text: sum(one.strict(figure) or one.in_words(figure) for figure in figures) for one in inex_pal.PATTERNS
        }
        least = int(np.ceil(ENOUGH * len(figures)))
        lacking = {text: count for text, count in counts.items() if count < least}
        held.append(
            f"{len(counts) - len(lacking)} of {len(counts)} patterns hold in at least {least} of {len(figures)} "
            f"campaigns of {year}"
        )
        fewer += [f"“{text}” in {count} of {year}" for text, count in lacking.items()]
    wanted, changes = [], []
    for tolerance in ("0", "5"):
        for year, rows in _rows(pal, "beyond", tolerance).items():
            printed = inex_pal.PUBLISHED_TOPICS[year][tolerance]
            pairs = zip(np.median(rows, axis=0), printed, strict=True)
            wanted += [_factor(found, float(text)) for found, text in pairs if not text.startswith(">")]
    ours = sum(rows.mean(axis=0) for rows in _rows(pal, "significant").values())
    theirs = np.sum([inex_pal.PUBLISHED_SIGNIFICANT[year] for year in years], axis=0)
    for name, found, printed in zip(inex_pal.SHOWN, ours, theirs, strict=True):
        changes.append(f"{_factor(found, printed):.2f} ({name})")
    text = f" (fewer: {'; '.join(fewer)})" if fewer else ""
    return SHORT.format(held=", and ".join(held), fewer=text, topics=max(wanted), changes=", ".join(changes))


def _factor(found: float, printed: float) -> float:
    return max(found / printed, printed / found)


def _of(holds: NDArray[np.bool_]) -> str:
    return f"{int(holds.sum())} of {len(holds)}"


def report() -> None:
    """Count in how many campaigns each pattern holds, and set tables beside the printed ones."""
    pal, kazai = (pd.read_csv(REPORT.with_suffix(f".{paper}.csv"), dtype={"step": str}) for paper in ("pal", "kazai"))
    seeds = sorted({*pal["seed"], *kazai["seed"]})
    parts = ["# Findings of Pal et al. (2010) and Kazai et al. (2004) in simulated campaigns"]
    parts += [INTRODUCTION.format(seeds=f"{seeds[0]} to {seeds[-1]}"), READINGS]
    of_pal = [(one.text, one.strict, one.words, one.in_words) for one in inex_pal.PATTERNS]
    parts += ["## Pal et al. in short", in_short(pal, pal_campaigns(pal))]
    for title, patterns, campaigns in (
        ("Pal, Mitra and Kamps (2010)", of_pal, pal_campaigns(pal)),
        ("Kazai, Lalmas and de Vries (2004)", KAZAI, kazai_campaigns(kazai)),
    ):
        table, joint = counts(patterns, campaigns)
        parts += [f"## {title}", inex_pal.markdown(table), JOINT.format(n=len(patterns)), inex_pal.markdown(joint)]
    parts += ["## Tables 1, 2, 4 and 5: mean τ over the campaigns, and of the paper", TOLERANCE]
    parts += [inex_pal.markdown(_against(pal))]
    parts += ["## Table 7: topics needed", NEEDED, inex_pal.markdown(_needed(pal))]
    parts += ["## Table 10: systems that change significantly", SIGNIFICANT, inex_pal.markdown(_significant(pal))]
    parts += ["## Runs of one group", ALIKE, inex_pal.markdown(_alike_table(pal))]
    parts += ["## Further figures", FURTHER, inex_pal.markdown(_further(pal, kazai))]
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _rows(kept: pd.DataFrame, table: str, step: str | None = None) -> dict[int, NDArray[np.float64]]:
    """Return a row of a table of every campaign, by year: (campaign, metric)."""
    chosen = kept[(kept["table"] == table) & (True if step is None else kept["step"] == step)]
    columns = [name for name in (*inex_pal.SHOWN, *SIX) if name in kept]
    return {int(year): part[columns].to_numpy(dtype=float) for year, part in chosen.groupby("campaign")}


def _spread(values: NDArray[np.float64], centre: Callable[..., float], published: object) -> str:
    return f"{centre(values):.0f} ({values.min():.0f} to {values.max():.0f}) [{published}]"


def _needed(kept: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for tolerance in ("0", "5"):
        for year, rows in _rows(kept, "beyond", tolerance).items():
            cells = zip(inex_pal.SHOWN, rows.T, inex_pal.PUBLISHED_TOPICS[year][tolerance], strict=True)
            lines.append(
                {"campaign": year, "tolerance": f"{tolerance} %"}
                | {name: _spread(values, np.median, printed) for name, values, printed in cells}
            )
    return pd.DataFrame(lines)


def _significant(kept: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for year, rows in _rows(kept, "significant").items():
        cells = zip(inex_pal.SHOWN, rows.T, inex_pal.PUBLISHED_SIGNIFICANT[year], strict=True)
        lines.append({"campaign": year} | {name: _spread(values, np.mean, printed) for name, values, printed in cells})
    return pd.DataFrame(lines)


def _alike_table(kept: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"campaign": year, "of": words}
            | dict(zip(inex_pal.SHOWN, (f"{value:.2f}" for value in rows.mean(axis=0)), strict=True))
            for table, words in (("alike means", "mean scores"), ("alike topics", "scores on topics"))
            for year, rows in _rows(kept, table).items()
        ]
    )


def _further(pal: pd.DataFrame, kazai: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for kept, name in (
        (pal, "relevant of judged"),
        (kazai, "relevant of judged"),
        (kazai, "overlap of the other runs"),
    ):
        for year, rows in _rows(kept, name).items():
            values = rows.mean(axis=0)
            lines.append({"figure": name, "campaign": year, "mean over campaigns": _numbers(values[~np.isnan(values)])})
    return pd.DataFrame(lines)


def _numbers(values: NDArray[np.float64]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _against(kept: pd.DataFrame) -> pd.DataFrame:
    """Return mean τ and the published one; their difference in units of the spread between the two years printed."""
    lines = []
    for name, printed in (("random", inex_pal.PUBLISHED_RANDOM), ("depth", PUBLISHED_DEPTH)):
        steps = inex_pal.SAMPLES if name == "random" else inex_pal.DEPTHS
        first, second = (np.array(printed[year]) for year in (2007, 2008))
        spread = np.sqrt(((first - second) ** 2).mean(axis=0))
        for year in (2007, 2008):
            for step, row in zip(steps, printed[year], strict=True):
                mean = _rows(kept, name, f"{step:g}")[year].mean(axis=0)
                within = np.abs(mean - row) <= 2 * spread
                cells = zip(inex_pal.SHOWN, mean, row, within, strict=True)
                lines.append(
                    {"table": f"{name} {year}", "%": f"{step:g}"}
                    | {one: f"{ours:.3f} ({paper:.3f}){'' if in_it else ' *'}" for one, ours, paper, in_it in cells}
                )
    return pd.DataFrame(lines)


def main() -> None:
    """Measure, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("paper", nargs="?", choices=["pal", "kazai"])
    parser.add_argument("--seeds", type=int, default=len(FRESH))
    parser.add_argument("--first", type=int, default=FRESH.start)
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.paper, range(options.first, options.first + options.seeds))
    else:
        report()


if __name__ == "__main__":
    main()
