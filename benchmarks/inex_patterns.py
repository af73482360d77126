"""Which findings of Pal et al. (2010) and Kazai et al. (2004) hold in how many simulated campaigns.

Run: python benchmarks/inex_patterns.py measure pal|kazai [--seeds 40]
     python benchmarks/inex_patterns.py report

Every campaign is that of `simulate_inex(published=True)` with the systems and topics of its year, and one seed. The
first command adds a line for every pattern and seed to benchmarks/reports/inex-patterns.csv (some minutes; seeds that
are there are left out), the second writes benchmarks/reports/inex-patterns.md. The patterns of Pal et al. are those of
`inex_pal.py`; each is stated as the paper states it, before the simulator was adjusted.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import inex_pal
import numpy as np
import pandas as pd
from scipy import stats

from metaeval.inex import element_collection, reliability_runs, run_overlap, simulate_inex
from metaeval.metrics import score

REPORT = Path(__file__).parents[1] / "benchmarks" / "reports" / "inex-patterns.md"
KEPT = REPORT.with_suffix(".csv")
COLUMNS = ("paper", "campaign", "seed", "pattern", "holds", "numbers")
TEN, SHARED_BY_CHANCE, FRESH = 10, 3, 20
OPTIONS = argparse.Namespace(results=500, documents=2000, draws=10, trials=20, seed=0)
METRICS = ("inex2002(quant=SOG)", "nxCGpercent(quant=SOG)")

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
INTRODUCTION = """Made by `python benchmarks/inex_patterns.py`; the lines of every campaign are in \
`inex-patterns.pal.csv` and `inex-patterns.kazai.csv`. A column counts in how many campaigns, each with another seed, \
the finding holds: `simulate_inex(published=True)` with 78 systems on 107 topics (2007), 61 on 70 (2008), 69 on 20 \
(2004). Some seeds below 20 served to adjust the constants of the simulator (of \
Pal et al. 0 and 1); fresh ones, from 20 on, did not."""
TOLERANCE = """The paper prints no spread (its error bars are in figures), so the difference between its two years \
stands for it: the root mean square over the levels, by measure. A star marks a mean that is more than twice that away \
from the published value of its year (in brackets)."""
FURTHER = """*Strict order by depth*: the paper says that the correlation in general falls from iP[0.00] to iP[0.10]. \
Its own Table 4 has mean τ .977, .948, .936, .949, so that iP[0.10] is above iP[0.01] and iP[0.05]; only Table 5 falls \
throughout (.984, .952, .951, .928). The pattern above is what both tables show. *Relevant of judged* was 10.1 % in \
2007 and 11.6 % in 2008. *Overlap*: quartiles over the runs that have any; 70 to 80 % were "not uncommon"."""

type Row = tuple[str, bool, str]


def of_pal(year: int, seed: int) -> Iterator[Row]:
    """Measure the campaign of a year as the paper did, and try its patterns."""
    options = argparse.Namespace(**vars(OPTIONS) | {"seed": seed})
    collection = inex_pal.simulated(year, options, 1000 * year + seed)
    one = inex_pal.measured(f"simulated {year}", year, collection, options, thirds=False)
    for pattern in inex_pal.PATTERNS:
        yield (pattern.text, *pattern.check(one))
    values = score(collection, ["iP[0.01]"]).to_numpy()[0]
    best = np.argsort(-values.mean(axis=1))[:TEN]
    worse = [(first, second) for place, first in enumerate(best) for second in best[place + 1 :]]
    found = sum(
        stats.ttest_rel(values[one], values[other], alternative="greater").pvalue < 0.05 for one, other in worse
    )
    yield (
        "The ten best do not differ under iP[0.01]: at most 5 % of their pairs",
        found <= 0.05 * len(worse),
        str(found),
    )
    depth = one.depth.mean().mean(axis=0)
    for name, table in (("random", one.random), ("depth", one.depth), ("topics", one.topics)):
        for step, row in zip(table.steps, table.mean().tolist(), strict=True):
            yield f"{name} {step:g}", True, " ".join(f"{value:.4f}" for value in row)
    yield "strict order by depth", bool((np.diff(depth[:4]) <= 0).all()), " ".join(f"{value:.4f}" for value in depth)
    yield "relevant of judged", True, f"{one.relevant / one.judged:.4f}"


def of_kazai(year: int, seed: int) -> Iterator[Row]:
    """Try the patterns of Kazai, Lalmas and de Vries (2004) on its six runs and on 69 submitted ones."""
    made = simulate_inex(
        year=year,
        n_systems=69,
        n_topics=20,
        n_documents=600,
        n_results=1500,
        elements_per_article=90,
        n_second=0,
        published=True,
        rng=1000 * year + seed,
    )
    six = element_collection(
        list(reliability_runs(made.assessments, quantisation="SOG").values()), made.assessments, sizes=made.sizes
    )
    names = list(six.systems)
    old, new = (dict(zip(names, row, strict=True)) for row in score(six, METRICS).to_numpy().mean(axis=-1))
    overlap = dict(zip(names, run_overlap(six).mean("topic").to_numpy(), strict=True))
    shown = ", ".join(f"{name} {old[name]:.3f} {new[name]:.3f} {overlap[name]:.2f}" for name in names)
    by_new = sorted(names, key=new.__getitem__)
    yield "inex-2002 ranks the full recall base first", max(old, key=old.__getitem__) == "frb", shown
    yield (
        "under inex-2002 only articles do worse than the ideal run",
        sorted(names, key=old.__getitem__)[:2]
        == [
            "ao",
            "irb",
        ],
        shown,
    )
    yield "without overlap inex-2002 still ranks leaves above the ideal run", old["lo"] > old["irb"], shown
    yield "nXCG keeps the ideal run at 1", abs(new["irb"] - 1) < 1e-9, shown
    yield "nXCG ranks articles last", by_new[0] == "ao", shown
    yield "nXCG ranks the full recall base last but one", by_new[1] == "frb", shown
    yield "overlap: frb more than ia, ia more than id", overlap["frb"] > overlap["ia"] > overlap["id"], shown
    runs = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    ranks = stats.rankdata(-score(runs, METRICS).to_numpy().mean(axis=-1), axis=1)
    both = int((ranks <= TEN).all(axis=0).sum())
    shares = run_overlap(runs).mean("topic").to_numpy()
    free = shares < 0.01
    high = np.quantile(shares[~free], [0.25, 0.5, 0.75])
    yield "the top tens share no more runs than by chance (at most 3)", both <= SHARED_BY_CHANCE, f"{both} shared"
    yield (
        "runs without overlap do not do well by that alone: mean rank below the middle",
        ranks[1, free].mean() > (len(free) + 1) / 2,
        f"mean rank {ranks[1, free].mean():.1f} of {len(free)}; {free.sum()} runs",
    )
    yield "overlap of the other runs", True, " ".join(f"{value:.4f}" for value in high)
    yield "relevant of judged", True, f"{_relevant(made.assessments.elements, made.assessments.documents):.4f}"


def _relevant(elements: pd.DataFrame, documents: pd.DataFrame) -> float:
    found = elements.loc[elements["exhaustivity"] > 0, ["topic", "document"]].drop_duplicates()
    return len(found) / len(documents)


def measure(paper: str, n_seeds: int) -> None:
    """Add the seeds that are missing."""
    years, tried = {"pal": ((2007, 2008), of_pal), "kazai": ((2004,), of_kazai)}[paper]
    path = KEPT.with_suffix(f".{paper}.csv")
    there = set(zip(*pd.read_csv(path)[["campaign", "seed"]].to_numpy().T, strict=True)) if path.exists() else set()
    for seed in sorted(range(n_seeds), key=lambda one: one < FRESH):  # the fresh ones first
        for year in years:
            if (year, seed) in there:
                continue
            rows = [(paper, year, seed, *row) for row in tried(year, seed)]
            fresh = not path.exists()
            with path.open("a", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([COLUMNS, *rows] if fresh else rows)


def report() -> None:
    """Count in how many campaigns each pattern holds, and set mean tables beside the printed ones."""
    kept = pd.concat([pd.read_csv(path) for path in sorted(REPORT.parent.glob("inex-patterns.*.csv"))])
    parts = ["# Findings of Pal et al. (2010) and Kazai et al. (2004) in simulated campaigns", INTRODUCTION]
    for paper, title in (("pal", "Pal, Mitra and Kamps (2010)"), ("kazai", "Kazai, Lalmas and de Vries (2004)")):
        mine = kept[kept["paper"] == paper]
        parts += [f"## {title}", inex_pal.markdown(_counts(mine[~mine["pattern"].map(_is_figure)]))]
    of_pal = kept[kept["paper"] == "pal"]
    parts += ["## Tables 1, 2, 4 and 5: mean τ over the campaigns, and of the paper", TOLERANCE]
    parts += [inex_pal.markdown(_against(of_pal))]
    figures = kept[kept["pattern"].isin(["relevant of judged", "overlap of the other runs", "strict order by depth"])]
    rows = [
        {
            "figure": name,
            "campaign": year,
            "mean over campaigns": _mean(part),
            "holds in": f"{int(part['holds'].sum())}",
        }
        for (name, year), part in figures.groupby(["pattern", "campaign"])
    ]
    parts += ["## Further figures", FURTHER, inex_pal.markdown(pd.DataFrame(rows))]
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _is_figure(name: str) -> bool:
    return name.startswith(("random ", "depth ", "topics ", "relevant of", "strict order", "overlap of"))


def _counts(rows: pd.DataFrame) -> pd.DataFrame:
    fresh = np.where(rows["seed"] < FRESH, f"seeds below {FRESH}", "fresh seeds")
    rows = rows.assign(campaign=rows["campaign"].astype(str) + ", " + fresh)
    counted = rows.groupby(["pattern", "campaign"], sort=False)["holds"].agg(["sum", "size"]).reset_index()
    counted["holds"] = counted["sum"].astype(int).astype(str) + " of " + counted["size"].astype(str)
    table = counted.pivot_table(index="pattern", columns="campaign", values="holds", aggfunc="first", sort=False)
    return table.reset_index()


def _mean(rows: pd.DataFrame) -> str:
    values = np.array([[float(one) for one in text.split()] for text in rows["numbers"]])
    return ", ".join(f"{value:.3f}" for value in values.mean(axis=0))


def _against(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean τ and the published one; their difference in units of the spread between the two years printed."""
    lines = []
    for name, printed in (("random", inex_pal.PUBLISHED_RANDOM), ("depth", PUBLISHED_DEPTH)):
        steps = inex_pal.SAMPLES if name == "random" else inex_pal.DEPTHS
        first, second = (np.array(printed[year]) for year in (2007, 2008))
        spread = np.sqrt(((first - second) ** 2).mean(axis=0))
        for year in (2007, 2008):
            part = rows[rows["campaign"] == year]
            for step, row in zip(steps, printed[year], strict=True):
                texts = part.loc[part["pattern"] == f"{name} {step:g}", "numbers"]
                mean = np.array([[float(one) for one in text.split()] for text in texts]).mean(axis=0)
                within = np.abs(mean - row) <= 2 * spread
                line = {"table": f"{name} {year}", "%": f"{step:g}"}
                cells = zip(inex_pal.SHOWN, mean, row, within, strict=True)
                lines.append(
                    line
                    | {one: f"{ours:.3f} ({paper:.3f}){'' if in_it else ' *'}" for one, ours, paper, in_it in cells}
                )
    return pd.DataFrame(lines)


def main() -> None:
    """Measure, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("paper", nargs="?", choices=["pal", "kazai"])
    parser.add_argument("--seeds", type=int, default=2 * FRESH)
    options = parser.parse_args()
    if options.what == "measure":
        measure(options.paper, options.seeds)
    else:
        report()


if __name__ == "__main__":
    main()
