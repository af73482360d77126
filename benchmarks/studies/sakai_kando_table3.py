"""Sakai and Kando's Table 3 on other collections: how many pairs of runs each of their ten metrics tells apart.

Run: python benchmarks/studies/sakai_kando_table3.py DATA_FOLDER [--resamples 1000] [--rounds 200] [--choices 200] [--seed 0]
or:  python benchmarks/studies/sakai_kando_table3.py --runs RUNS --qrels QRELS --groups FILE [--group-column NAME]

Sakai and Kando (2008, section 5) compare one run per team under Q, nDCG, AP, their condensed-list variants, bpref_R and
RBP by bootstrap sensitivity. Here: the passage ranking of the TREC 2019 Deep Learning track, and TREC-COVID round 1.
One run per team is one draw, and the topics are another. So every power comes with an interval over topics (the same
runs, topics redrawn) and its range over choices of runs (the same topics, runs redrawn). What the paper found is put as
a contrast: mean power of some metrics minus mean power of others. Written to benchmarks/reports/; for a collection of
your own (the second line; levels 1 to 3, or two levels), printed.
"""

import argparse
import runpy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtrit

from metaeval.base.words import share_of
from metaeval.collection.documents import Collection
from metaeval.io.groups import read_groups
from metaeval.io.trec import read_collection
from metaeval.metrics import score
from metaeval.resampling.power_interval import PowerIntervals, discriminative_power_interval
from metaeval.resampling.run_choice import RunChoicePower, run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.running.draws import resolve_rng
from metaeval.table.scores import Scores, select_runs
from metaeval.tests_stat.comparison import compare_systems

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "benchmarks" / "reports" / "sakai-kando-table3.md"
LEVEL = 0.95
TWO_LEVELS = 2

PAPER = ("TREC03", "TREC04", "NTCIR-6J", "NTCIR-6C")
PUBLISHED_PAIRS = (120, 91, 66, 55)
PUBLISHED = {  # Table 3, pairs that differ
    "Q": (80, 63, 47, 42),
    "Q'": (77, 62, 47, 40),
    "AP": (77, 61, 46, 41),
    "AP'": (77, 61, 46, 42),
    "nDCG": (71, 58, 48, 42),
    "nDCG'": (71, 58, 47, 43),
    "bpref_R": (69, 57, 42, 42),
    "RBP.95": (55, 45, 42, 42),
    "RBP.8": (57, 36, 40, 35),
    "RBP.5": (45, 30, 36, 27),
}
ORIGINAL, CONDENSED, RBP = ("Q", "AP", "nDCG"), ("Q'", "AP'", "nDCG'"), ("RBP.95", "RBP.8", "RBP.5")
RECALL_BASED = (*ORIGINAL, *CONDENSED)


@dataclass(frozen=True, slots=True)
class Finding:
    """What Table 3 shows, as a contrast: the metrics of `higher` tell more pairs apart than those of `lower`."""

    text: str
    higher: Sequence[str]
    lower: Sequence[str]

    def of(self, power: xr.DataArray) -> xr.DataArray:
        """Return mean power of `higher` minus mean power of `lower`, in points of a hundred."""
        high, low = (power.sel(metric=list(names)).mean("metric") for names in (self.higher, self.lower))
        return 100 * (high - low)


FINDINGS = (
    Finding("Q, AP and nDCG, whole and condensed, above the three RBPs", RECALL_BASED, RBP),
    Finding("the same six above RBP.95", RECALL_BASED, ("RBP.95",)),
    Finding("the same six above bpref_R", RECALL_BASED, ("bpref_R",)),
    Finding("bpref_R above the three RBPs", ("bpref_R",), RBP),
    Finding("RBP.95 above RBP.8", ("RBP.95",), ("RBP.8",)),
    Finding("RBP.8 above RBP.5", ("RBP.8",), ("RBP.5",)),
    Finding("the other nine above RBP.5", tuple(name for name in PUBLISHED if name != "RBP.5"), ("RBP.5",)),
    Finding("Q above AP", ("Q",), ("AP",)),
    Finding("Q above nDCG", ("Q",), ("nDCG",)),
    Finding("whole lists above condensed lists (Q, AP, nDCG)", ORIGINAL, CONDENSED),
)

TITLE = "# Sakai and Kando's Table 3 on {names}"
COMMAND = (
    "Made by `python benchmarks/studies/sakai_kando_table3.py DATA_FOLDER --resamples {resamples} --rounds {rounds} "
    "--choices {choices} --seed {seed}`."
)
SETTING = """One run per group at random; bootstrap sensitivity with B = {resamples} at the level 0.05. Relevant is \
level 1 and above; gains are the paper's (3, 2, 1; with two levels 3, 1). nDCG is the original with a = 2 and l = 1000.

- *Diff. required*: as defined by Sakai (2006), the largest over all pairs, with the median beside it.
- *95 % over topics*: interval for the power of these runs under other topics ({rounds} redrawn sets).
- *Mean over choices*, *95 % of choices*: power in {choices} choices of one run per group, on the same topics.
- *First*, *last*: share of those choices in which no other metric has more, or fewer, pairs.
- *BY*: pairs left after Benjamini and Yekutieli's correction, by bootstrap sensitivity and by the paired t test. The \
p-values of the former are multiples of 1/{resamples}, and p = 0 passes any correction."""
RULE = f"""## Which findings hold

Contrasts in points of discriminative power: mean of the metrics named first minus mean of the others, with its 95 % \
interval over topics, then the share of choices of runs in which it is above 0. *Holds*: the interval lies above 0, \
and so do {LEVEL:.0%} of the choices; *reversed*: both below; *open*: anything else. Each verdict stands for itself: \
among so many, a false one is to be expected now and then."""


def deep_learning(data: Path) -> Collection:
    """Read the 37 runs of 12 participants (the organisers' baselines are one of them), 43 topics."""
    folder = data / "trec-dl19-passage"
    runs = read_collection(folder / "runs", folder / "qrels.txt.gz", score_precision="float32")
    return runs.with_groups(read_groups(folder / "runs.csv", column="participant", systems=runs.systems))


def trec_covid(data: Path) -> Collection:
    """Read the 143 runs of 56 teams, 30 topics, as the example does."""
    example = runpy.run_path(str(ROOT / "examples" / "trec_covid_rankings.py"))
    collection: Collection = example["trec_covid_collection"](data / "trec-covid-r1")
    return collection


COLLECTIONS = {  # with the gains of the paper: three levels 1, 2, 3; two levels 1, 3
    "DL19": (deep_learning, "sakai-kando"),
    "TREC-COVID": (trec_covid, "sakai-kando-trec"),
}


@dataclass(frozen=True)
class Study:
    """One collection: the table of one choice of runs, its interval over topics, its range over choices."""

    name: str
    scores: Scores
    options: argparse.Namespace

    @cached_property
    def chosen(self) -> Scores:
        """One run of every group."""
        return select_runs(self.scores, "one-per-group", resolve_rng(self.options.seed).generator)

    @cached_property
    def intervals(self) -> PowerIntervals:
        """The same runs, topics redrawn."""
        return discriminative_power_interval(
            self.chosen,
            n_resamples=self.options.resamples,
            n_topic_resamples=self.options.rounds,
            confidence_level=LEVEL,
            rng=self.options.seed,
        )

    @cached_property
    def choices(self) -> RunChoicePower:
        """The same topics, runs redrawn."""
        return run_choice_power(
            self.scores,
            test="bootstrap_sensitivity",
            n_resamples=self.options.resamples,
            n_choices=self.options.choices,
            confidence_level=LEVEL,
            rng=self.options.seed,
        )

    def table(self) -> pd.DataFrame:
        """Return Table 3 in its form, most discriminative first, with what stands beside it here."""
        found = bootstrap_sensitivity(self.chosen, n_resamples=self.options.resamples, rng=self.options.seed)
        t_test = compare_systems(self.chosen, test="t", correction="fdr_by").discriminative_power()
        over_topics, over_runs = (
            spread.to_frame().query("correction == 'none'") for spread in (self.intervals, self.choices)
        )
        power = self.choices.data["power"].sel(correction="none")
        extremes = {"first": power == power.max("metric"), "last": power == power.min("metric")}
        merged = (
            found.corrected("fdr_by")
            .merge(found.summary().filter(regex="metric|difference"), on="metric")
            .merge(t_test[["metric", "n_significant"]].rename(columns={"n_significant": "n_t"}), on="metric")
            .merge(over_topics[["metric", "low", "high"]], on="metric")
            .merge(over_runs[["metric", "mean", "low", "high"]], on="metric", suffixes=("_topics", "_runs"))
            .assign(**{name: best.mean("choice").to_numpy() for name, best in extremes.items()})
            .sort_values("n_significant", ascending=False, kind="stable")
        )
        return pd.DataFrame([_row(record) for record in merged.to_dict("records")])

    def contrast(self, finding: Finding, correction: str) -> tuple[str, str]:
        """Return a finding's contrast with its interval and the share of choices in which it is positive; a verdict."""
        data = self.intervals.data.sel(correction=correction)
        n_topics = self.intervals.n_topics
        spread = float(finding.of(data["resampled"]).std(ddof=1)) * np.sqrt(n_topics / (n_topics - 1))
        half = stdtrit(n_topics - 1, 0.5 + LEVEL / 2) * spread  # the interval of PowerIntervals, for a contrast
        found = float(finding.of(data["power"]))
        over_choices = finding.of(self.choices.data["power"].sel(correction=correction)).to_numpy()
        above = float((np.sign(over_choices.round(9)).mean() + 1) / 2)  # a contrast of 0 counts half
        low, high = found - half, found + half
        text = f"{found:+.1f} [{low:+.1f}, {high:+.1f}]; {above:.0%}"
        if low > 0 and above >= LEVEL:
            return text, "holds"
        return text, "reversed" if high < 0 and above <= 1 - LEVEL else "open"


def findings_table(studies: Sequence[Study], correction: str) -> pd.DataFrame:
    """Return one row a finding: the paper's contrasts, and per collection contrast, interval, share and verdict."""
    published = xr.DataArray(
        np.array(list(PUBLISHED.values())) / PUBLISHED_PAIRS,
        coords={"metric": list(PUBLISHED), "collection": list(PAPER)},
        dims=("metric", "collection"),
    )
    rows = []
    for finding in FINDINGS:
        row = {"finding": finding.text, ", ".join(PAPER): ", ".join(f"{x:+.1f}" for x in finding.of(published))}
        for study in studies:
            row[study.name], row[f"{study.name}: verdict"] = study.contrast(finding, correction)
        rows.append(row)
    return pd.DataFrame(rows)


def summary(table: pd.DataFrame, name: str) -> str:
    """Say in a sentence which findings hold on a collection."""
    verdicts = table.set_index("finding")[f"{name}: verdict"]
    words = {"holds": "Holds", "reversed": "Reversed", "open": "Open"}
    parts = [f"{word}: {'; '.join(verdicts.index[verdicts == verdict]) or 'none'}." for verdict, word in words.items()]
    return f"**{name}.** " + " ".join(parts)


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def main() -> None:
    """Write the report and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="folder that holds trec-dl19-passage/ and trec-covid-r1/")
    parser.add_argument("--runs", type=Path, help="folder of runs of your own")
    parser.add_argument("--qrels", type=Path, help="their judgments")
    parser.add_argument("--groups", type=Path, help="table of runs and their groups")
    parser.add_argument("--group-column", help="its column of groups")
    parser.add_argument("--resamples", type=int, default=1000, help="B of bootstrap sensitivity")
    parser.add_argument("--rounds", type=int, default=200, help="topic sets redrawn for the intervals")
    parser.add_argument("--choices", type=int, default=200, help="choices of one run per group")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    own = (options.runs, options.qrels, options.groups)
    if (options.data is None) == (None in own):
        parser.error("give DATA_FOLDER, or --runs, --qrels and --groups")
    if options.data is None:
        text = "\n\n".join(_report([own_study(options)], options))
    else:
        studies = [
            Study(name, scores_under(read(options.data), preset), options)
            for name, (read, preset) in COLLECTIONS.items()
        ]
        text = "\n\n".join(_report(studies, options))
        REPORT.write_text(text + "\n", encoding="utf-8")
    print(text)


def scores_under(collection: Collection, preset: str) -> Scores:
    """Score the runs under the ten metrics, named as in `PUBLISHED`."""
    return score(collection, preset).assign_coords(metric=list(PUBLISHED))


def own_study(options: argparse.Namespace) -> Study:
    """Read a collection of one's own; two levels of relevance take the gains of the paper's TREC collections."""
    runs = read_collection(options.runs, options.qrels)
    collection = runs.with_groups(read_groups(options.groups, column=options.group_column, systems=runs.systems))
    preset = "sakai-kando-trec" if collection.top_level <= TWO_LEVELS else "sakai-kando"
    return Study(str(options.runs), scores_under(collection, preset), options)


def _report(studies: Sequence[Study], options: argparse.Namespace) -> list[str]:
    plain, corrected = (findings_table(studies, correction) for correction in ("none", "fdr_by"))
    return [
        TITLE.format(names=" and ".join(study.name for study in studies)),
        *([] if options.data is None else [COMMAND.format(**vars(options))]),
        SETTING.format(**vars(options)),
        *(part for study in studies for part in _collection_parts(study)),
        RULE,
        "### Uncorrected, as published",
        markdown(plain),
        *(summary(plain, study.name) for study in studies),
        "### Benjamini and Yekutieli",
        markdown(corrected.drop(columns=", ".join(PAPER))),
        *(summary(corrected, study.name) for study in studies),
    ]


def _collection_parts(study: Study) -> list[str]:
    size = study.chosen.sizes
    head = f"## {study.name}: {size['system']} of {study.scores.sizes['system']} runs, {size['topic']} topics"
    return [head, markdown(study.table()), f"Chosen: {', '.join(study.chosen['system'].to_numpy().tolist())}."]


def _row(found: Mapping[Hashable, Any]) -> dict[str, str]:
    return {
        "metric": found["metric"],
        "disc. power": share_of(found["n_significant"], found["n_pairs"]),
        "diff. required": f"{found['difference_required']:.2f}",
        "median": f"{found['difference_required_median']:.2f}",
        "95 % over topics": _range(found["low_topics"], found["high_topics"]),
        "mean over choices": f"{100 * found['mean']:.1f}",
        "95 % of choices": _range(found["low_runs"], found["high_runs"]),
        "first": f"{found['first']:.0%}",
        "last": f"{found['last']:.0%}",
        "BY": share_of(found["n_significant_corrected"], found["n_pairs"]),
        "BY, t test": share_of(found["n_t"], found["n_pairs"]),
    }


def _range(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}"


if __name__ == "__main__":
    main()
