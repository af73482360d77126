"""Sakai and Kando's TREC03 on its own topics, judgments and runs: their Tables 2 to 7 and Figures 3, 5 and 7.

Run: python benchmarks/studies/sakai_kando_trec03.py DATA_FOLDER [--draws 50] [--seed 0]

The folder holds trec2003-robust/: the judgments and 17 of the 78 runs of the TREC 2003 robust track. Sakai and Kando
(2008) used topics 601 to 650 and one run of each of the 16 teams, drawn once, and reduced the judgments once. Which
runs they drew is not known. So each of their figures is put beside ours with what chance may do to it: other topics,
other runs, another draw of the judgments. Written to benchmarks/reports/, with a picture in docs/images/.
"""

import argparse
import runpy
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.base.words import share_of
from metaeval.collection.documents import Collection
from metaeval.figures.judgments import stability_panels
from metaeval.figures.style import figure_svg
from metaeval.io.trec import read_collection
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.replicates import replicate_seed
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.stability_result import Stability
from metaeval.table.scores import Scores, as_scores, select_runs

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "benchmarks" / "reports" / "sakai-kando-trec03.md"
PICTURE = ROOT / "docs" / "images" / "sakai-kando-trec03.svg"
TABLE_3 = runpy.run_path(str(ROOT / "benchmarks" / "studies" / "sakai_kando_table3.py"))
Finding, FINDINGS, markdown = TABLE_3["Finding"], TABLE_3["FINDINGS"], TABLE_3["markdown"]

PRESET = "sakai-kando-trec"
METRICS = tuple(TABLE_3["PUBLISHED"])
"""The metrics of the preset, in its order."""
GLASGOW = ("InexpC2", "Sel50")
"""The only team with two runs in the folder, by NIST's list of participants; each other run is a team's only one."""
TEN_DOCUMENTS = "NLPR03vb10"
LEVEL = 0.95
STEPS = (10.0, 30.0, 50.0, 70.0, 90.0)
HALVES, TOPIC_SETS, SPREAD_DRAWS = 400, 200, 10

PRINTED = pd.DataFrame(  # TREC03 in Tables 3(a), 4(a), 5(a) and 7(a); pairs of Table 3(a) are in the other script
    [
        ("Q", 0.07, 32, 0.09, 2, 0.738),
        ("Q'", 0.07, 61, 0.13, 5, 0.793),
        ("AP", 0.07, 13, 0.08, 2, 0.664),
        ("AP'", 0.09, 63, 0.14, 3, 0.807),
        ("nDCG", 0.08, 29, 0.09, 0, 0.715),
        ("nDCG'", 0.08, 60, 0.14, 5, 0.724),
        ("bpref_R", 0.08, 47, 0.16, 7, 0.724),
        ("RBP.95", 0.04, 26, 0.01, 1, 0.802),
        ("RBP.8", 0.08, 6, 0.03, 0, 0.503),
        ("RBP.5", 0.12, np.nan, np.nan, np.nan, np.nan),
    ],
    columns=["metric", "required", "pairs 10", "required 10", "inconsistent", "tau"],
).set_index("metric")
PRINTED["pairs"] = [TABLE_3["PUBLISHED"][metric][0] for metric in PRINTED.index]
N_PAIRS = 120
BETWEEN = {  # Table 6(a), each metric with those after it
    "AP": (0.931, 0.857, 0.706, 0.848, 0.922, 0.982, 0.931, 0.867),
    "Q": (0.844, 0.655, 0.807, 0.871, 0.949, 0.991, 0.853),
    "nDCG": (0.775, 0.853, 0.844, 0.857, 0.844, 0.991),
    "RBP.8": (0.821, 0.747, 0.697, 0.655, 0.775),
    "RBP.95": (0.899, 0.839, 0.798, 0.853),
    "bpref_R": (0.913, 0.862, 0.844),
    "AP'": (0.949, 0.867),
    "Q'": (0.853,),
}
ORDER = (*BETWEEN, "nDCG'")

NONE = "\N{EN DASH}"
KINDS = ("above, printed", "above for these runs, printed", "above, here")

WHOLE, CONDENSED = ("Q", "AP", "nDCG"), ("Q'", "AP'", "nDCG'")
BOTTOM, MIDDLE = ("RBP.95", "AP", "RBP.8"), ("nDCG", "Q", "bpref_R")
FINDINGS_10 = (
    Finding("condensed above whole lists (Q, AP, nDCG)", CONDENSED, WHOLE),
    Finding("condensed lists above bpref_R", CONDENSED, ("bpref_R",)),
    Finding("condensed lists above RBP.95", CONDENSED, ("RBP.95",)),
    Finding("nDCG, Q and bpref_R above RBP.95, AP and RBP.8", MIDDLE, BOTTOM),
    Finding("nDCG above RBP.95", ("nDCG",), ("RBP.95",)),
    Finding("Q above RBP.95", ("Q",), ("RBP.95",)),
    Finding("RBP.95 above AP", ("RBP.95",), ("AP",)),
    Finding("AP above RBP.8", ("AP",), ("RBP.8",)),
    Finding("Q and nDCG above AP", ("Q", "nDCG"), ("AP",)),
    Finding("Q' and nDCG' above AP'", ("Q'", "nDCG'"), ("AP'",)),
)

SETTING = """Made by `python benchmarks/studies/sakai_kando_trec03.py DATA_FOLDER --draws {draws} --seed {seed}`.

Topics 601 to 650; one run of each of the 16 teams: {chosen}. Bootstrap sensitivity with B = 1000 at the level 0.05, \
uncorrected; gains 3 and 1. With 10 % of the judgments: means of {draws} draws, each tested.

- *s.e. topics*: standard error over topics, from {topic_sets} redrawn sets of 50 topics (the paired t test stands in \
for bootstrap sensitivity, as in `metaeval.discriminative_power_interval`).
- *s.e. runs*: standard deviation over {halves} random halves of the runs (`metaeval.run_choice_power` with \
`choose=8`). Half of 16 runs, drawn without replacement, varies as much as 16 runs drawn anew. Teams are drawn anew \
too, so another run of the same teams changes less.
- *s.d. draws*: standard deviation over the draws of the judgments. The paper's figures are of one draw.
- Errors with 10 % of the judgments are means over {spread_draws} of the draws. Errors of independent causes are added \
as squares; the intervals are t intervals with 15 degrees of freedom.
- *more than chance*: the printed gap, of one draw of the judgments, is larger than half the width of such an interval \
(yes), or only of one for the runs as they are (for these runs: topics and draws, 49 degrees of freedom). *verdict \
here*: our interval lies above 0 (holds), below (reversed), or around it (open). Each verdict stands for itself: of 45 \
gaps two would be called more than chance if all were 0."""


def read(data: Path) -> Collection:
    """Read the 17 runs on the 50 topics, grouped by team."""
    folder = data / "trec2003-robust"
    whole = read_collection(folder / "runs", folder / "qrels.txt.xz")
    found = whole.select(topics=[str(topic) for topic in range(601, 651)])
    return found.with_groups({name: "Glasgow" if name in GLASGOW else name for name in found.systems})


def table_2(collection: Collection) -> str:
    """Table 2: documents of a topic, N judged not relevant and R relevant."""
    described = collection.statistics().per_topic
    rows = {}
    for name, column, average, between in (
        ("N", "level 0", "925.5", "[292, 2050]"),
        ("R", "relevant", "33.2", "[4, 115]"),
        ("S-relevant (level 2)", "level 2", "8.1", None),
        ("B-relevant (level 1)", "level 1", "25.0", None),
    ):
        rows[f"average {name}"] = (f"{described[column].mean():.1f}", average)
        if between is not None:
            rows[f"range {name}"] = (f"[{described[column].min()}, {described[column].max()}]", between)
    return markdown(pd.DataFrame([(name, *both) for name, both in rows.items()], columns=["", "here", "Table 2"]))


@dataclass(frozen=True)
class Contrast:
    """A difference of powers, or one power, in points of a hundred, with its standard errors by cause."""

    value: float
    topics: float
    runs: float
    draws: float
    n_draws: int

    @property
    def half(self) -> float:
        """Half the width of its interval, over topics and runs."""
        return _half(15, self.topics, self.runs, self.draws / self.n_draws**0.5)

    @property
    def verdict(self) -> str:
        """Whether the interval lies above 0, below, or around it."""
        if abs(self.value) <= self.half:
            return "open"
        return "holds" if self.value > 0 else "reversed"

    def judge(self, printed: float) -> str:
        """Say whether a gap of one draw is more than chance: over topics and runs, or over topics for the same runs."""
        if abs(printed) > _half(15, self.topics, self.runs, self.draws):
            return "yes"
        return "for these runs" if abs(printed) > _half(49, self.topics, self.draws) else "no"


def _half(freedom: int, *errors: float) -> float:
    return float(stdtrit(freedom, 0.5 + LEVEL / 2) * np.hypot.reduce(errors))


@dataclass(frozen=True)
class Errors:
    """What chance does to the powers: variances over topics and runs, and how the draws of the judgments vary."""

    power: xr.DataArray
    """Mean power over the draws, by metric."""
    by_topics: xr.DataArray
    """Power on redrawn topics, (metric, resample, draw); a single draw with all judgments."""
    by_runs: xr.DataArray
    """Power in random halves of the runs, (metric, choice, draw)."""
    by_draws: xr.DataArray | None
    """Power of each draw, (metric, tested)."""

    def of(self, higher: tuple[str, ...], lower: tuple[str, ...] = ()) -> "Contrast":
        """Return mean power of some metrics, or that minus the mean power of others, with its errors."""

        def contrast(power: xr.DataArray) -> xr.DataArray:
            high = power.sel(metric=list(higher)).mean("metric")
            return 100 * (high - power.sel(metric=list(lower)).mean("metric") if lower else high)

        by_draws = self.by_draws
        return Contrast(
            value=float(contrast(self.power)),
            topics=float((contrast(self.by_topics).var("resample", ddof=1).mean("draw") * 50 / 49) ** 0.5),
            runs=float(contrast(self.by_runs).var("choice", ddof=1).mean("draw") ** 0.5),
            draws=0.0 if by_draws is None else float(contrast(by_draws).std("tested", ddof=1)),
            n_draws=1 if by_draws is None else by_draws.sizes["tested"],
        )


@dataclass(frozen=True)
class Study:
    """TREC03 with its tables."""

    collection: Collection
    draws: int
    seed: int

    @cached_property
    def chosen(self) -> list[str]:
        """One run of each team, as `metaeval judgments --choose one-per-group` draws it with the same seed."""
        drawn = select_runs(self.scores(self.collection.levels), "one-per-group", np.random.default_rng(self.seed))
        return list(map(str, drawn["system"].to_numpy()))

    @cached_property
    def stability(self) -> Stability:
        """What `metaeval judgments` measures, at every level of the figures."""
        measured = measure_stability(
            self.collection,
            [PRESET],
            steps=STEPS,
            n_replicates=self.draws,
            n_tested=self.draws,
            test="bootstrap_sensitivity",
            n_resamples=1000,
            choose="one-per-group",
            rng=self.seed,
        )
        if measured.n_pairs != N_PAIRS:
            raise RuntimeError(f"{measured.n_pairs} pairs, not {N_PAIRS}")
        return measured

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The same as a frame, with the names of the paper."""
        frame = self.stability.to_frame()
        return frame.assign(metric=frame["metric"].map(dict(zip(self.stability.metrics, METRICS, strict=True))))

    def tested(self, name: str, step: float = 10.0) -> pd.DataFrame:
        """Return a quantity of every tested draw at a level, a column a metric."""
        values = self.stability.data[name].sel(step=step).transpose("tested", "metric").to_numpy()
        return pd.DataFrame(values, columns=list(METRICS))

    def scores(self, levels: NDArray[np.int16]) -> Scores:
        """Score all runs under some judgments."""
        counted = self.collection.counted
        values = metric_values(self.collection.rejudge(levels), resolve_metrics([PRESET]))[:, :, counted]
        systems = list(self.collection.systems)
        groups = dict(zip(systems, self.collection.groups or (), strict=True))
        return as_scores(values, metrics=list(METRICS), systems=systems, groups=groups)

    def drawn(self, number: int) -> NDArray[np.int16]:
        """Return the judgments that a draw leaves at 10 %."""
        generator = np.random.default_rng(replicate_seed(self.seed, "stratified", number))
        return reduce_judgments(self.collection, reduction="stratified", steps=[10.0], rng=generator).levels[0]

    def errors(self, *, reduced: bool) -> Errors:
        """Measure what chance does with all judgments, or with 10 %."""
        levels = [self.drawn(number) for number in range(SPREAD_DRAWS)] if reduced else [self.collection.levels]
        by_topics, by_runs = [], []
        for one in levels:
            scores = self.scores(one).sel(system=self.chosen)
            by_topics.append(
                discriminative_power_interval(
                    scores, test="t", corrections=("none",), n_topic_resamples=TOPIC_SETS, rng=self.seed
                ).data["resampled"]
            )
            by_runs.append(
                run_choice_power(
                    scores,
                    choose=8,
                    test="bootstrap_sensitivity",
                    corrections=("none",),
                    n_choices=HALVES,
                    rng=self.seed,
                ).data["power"]
            )
        topics, runs = (xr.concat(parts, "draw").sel(correction="none") for parts in (by_topics, by_runs))
        frame = self.frame.query("step == 10").set_index("metric")
        draws = xr.DataArray(
            self.tested("found").to_numpy() / N_PAIRS, dims=("tested", "metric"), coords={"metric": list(METRICS)}
        )
        power = frame["power" if reduced else "power_full"].loc[list(METRICS)]
        return Errors(
            xr.DataArray(power.to_numpy(), dims="metric", coords={"metric": list(METRICS)}),
            topics,
            runs,
            draws if reduced else None,
        )

    @cached_property
    def full(self) -> Errors:
        """With all judgments."""
        return self.errors(reduced=False)

    @cached_property
    def tenth(self) -> Errors:
        """With 10 %."""
        return self.errors(reduced=True)

    def other_pairs(self, left_out: str) -> pd.Series:
        """Return significant pairs with all judgments of the 17 runs but one."""
        scores = self.scores(self.collection.levels)
        kept = [name for name in self.collection.systems if name != left_out]
        found = bootstrap_sensitivity(scores.sel(system=kept), n_resamples=1000, rng=self.seed).summary()
        return found.set_index("metric")["n_significant"]


def table_3(study: Study) -> str:
    """Table 3(a): power and difference required with all judgments."""
    frame = study.frame.query("step == 10").set_index("metric")
    other = next(name for name in GLASGOW if name in study.chosen)
    others = [study.other_pairs(left_out) for left_out in (other, TEN_DOCUMENTS)]
    rows = []
    for metric in PRINTED.index:
        found = study.full.of((metric,))
        printed = PRINTED.loc[metric]
        rows.append(
            {
                "metric": metric,
                "printed": share_of(int(printed["pairs"]), N_PAIRS),
                "here": share_of(round(found.value * N_PAIRS / 100), N_PAIRS),
                "s.e. topics": f"{found.topics:.1f}",
                "s.e. runs": f"{found.runs:.1f}",
                "here, 95 %": f"{found.value - found.half:.1f} to {found.value + found.half:.1f}",
                "Glasgow's other run": f"{100 * others[0][metric] / N_PAIRS:.1f}",
                f"without {TEN_DOCUMENTS}": f"{100 * others[1][metric] / N_PAIRS:.1f}",
                "diff. printed": f"{printed['required']:.2f}",
                "diff. here": f"{frame.loc[metric, 'difference_required_full']:.2f}",
            }
        )
    return markdown(pd.DataFrame(rows))


def table_4(study: Study) -> str:
    """Tables 4(a) and 7(a): power, difference required and tau with 10 % of the judgments."""
    frame = study.frame.query("step == 10").set_index("metric")
    found = 100 * study.tested("found") / N_PAIRS
    rows = []
    for metric in PRINTED.index:
        own = study.tenth.of((metric,))
        printed, draws = PRINTED.loc[metric], found[metric]
        rows.append(
            {
                "metric": metric,
                "printed": NONE if np.isnan(printed["pairs 10"]) else share_of(int(printed["pairs 10"]), N_PAIRS),
                "here, mean": f"{own.value:.1f} %",
                "smallest to largest draw": f"{draws.min():.1f} to {draws.max():.1f}",
                "draws at or below the printed": f"{(draws <= 100 * printed['pairs 10'] / N_PAIRS + 1e-9).mean():.0%}"
                if np.isfinite(printed["pairs 10"])
                else NONE,
                "s.d. draws": f"{own.draws:.1f}",
                "s.e. topics": f"{own.topics:.1f}",
                "s.e. runs": f"{own.runs:.1f}",
                "diff. printed": _or_dash(printed["required 10"], ".2f"),
                "diff. here": f"{frame.loc[metric, 'difference_required']:.2f}",
                "τ printed": _or_dash(printed["tau"], ".3f"),
                "τ here": f"{frame.loc[metric, 'tau']:.3f}",
            }
        )
    return markdown(pd.DataFrame(rows))


def table_5(study: Study) -> str:
    """Table 5(a): pairs that differ with 10 % of the judgments and not, or the other way round, with all."""
    found, wrong = study.tested("found"), study.tested("contradicted")
    rows = []
    for metric in PRINTED.index:
        printed = PRINTED.loc[metric]
        rows.append(
            {
                "metric": metric,
                "printed": NONE
                if np.isnan(printed["inconsistent"])
                else f"{printed['inconsistent']:.0f}/{printed['pairs 10']:.0f} = "
                f"{printed['inconsistent'] / printed['pairs 10']:.0%}",
                "here, mean": f"{wrong[metric].mean():.1f}/{found[metric].mean():.1f} = "
                f"{wrong[metric].sum() / found[metric].sum():.0%}",
                "smallest to largest draw": f"{wrong[metric].min():.0f} to {wrong[metric].max():.0f}",
                "draws with as many or more": NONE
                if np.isnan(printed["inconsistent"])
                else f"{(wrong[metric] >= printed['inconsistent']).mean():.0%}",
                "as few or fewer": NONE
                if np.isnan(printed["inconsistent"])
                else f"{(wrong[metric] <= printed['inconsistent']).mean():.0%}",
            }
        )
    return markdown(pd.DataFrame(rows))


def levels(study: Study, column: str, digits: int, factor: float = 1.0) -> str:
    """Return the curve of a figure as a table: a column per level."""
    table = (factor * study.frame.pivot_table(index="metric", columns="step", values=column)).loc[list(PRINTED.index)]
    if f"{column}_full" in study.frame:
        table[100.0] = factor * study.frame.drop_duplicates("metric").set_index("metric")[f"{column}_full"]
    table = table.map(lambda value: f"{value:.{digits}f}")
    return markdown(table.rename(columns=lambda step: f"{step:.0f} %").reset_index())


def findings(errors: Errors, printed: pd.Series, wanted: tuple[object, ...]) -> str:
    """Return what the paper found, with its gap and ours, and whether each is more than chance."""
    rows = []
    for finding in wanted:
        names = [*finding.higher, *finding.lower]
        if printed.loc[names].isna().any():
            continue
        published = printed.loc[list(finding.higher)].mean() - printed.loc[list(finding.lower)].mean()
        found = errors.of(tuple(finding.higher), tuple(finding.lower))
        rows.append(
            {
                "finding": finding.text,
                "printed": f"{published:+.1f}",
                "more than chance": found.judge(published),
                "here": f"{found.value:+.1f} [{found.value - found.half:+.1f}, {found.value + found.half:+.1f}]",
                "s.e. topics": f"{found.topics:.1f}",
                "s.e. runs": f"{found.runs:.1f}",
                "verdict here": found.verdict,
            }
        )
    return markdown(pd.DataFrame(rows))


def ranking_findings(study: Study) -> str:
    """Return contrasts of tau with 10 % of the judgments, as printed and here, and how draws of the judgments vary."""
    values = study.stability.data["tau"].sel(step=10.0).transpose(..., "metric").to_numpy()
    tau = pd.DataFrame(values, columns=list(METRICS))
    rows = []
    for text, higher, lower in (
        ("condensed above whole lists (Q, AP, nDCG)", CONDENSED, WHOLE),
        ("condensed lists above bpref_R", CONDENSED, ("bpref_R",)),
        ("condensed lists above RBP.95", CONDENSED, ("RBP.95",)),
        ("RBP.95 above AP", ("RBP.95",), ("AP",)),
    ):
        printed = PRINTED["tau"][[*higher]].mean() - PRINTED["tau"][[*lower]].mean()
        drawn = tau[[*higher]].mean(axis=1) - tau[[*lower]].mean(axis=1)
        ends = f"{drawn.min():+.3f} to {drawn.max():+.3f}"
        rows.append({"finding, τ": text, "printed": f"{printed:+.3f}", "here": f"{drawn.mean():+.3f}", "draws": ends})
    return markdown(pd.DataFrame(rows))


def gaps(errors: Errors, printed: pd.Series) -> tuple[str, str]:
    """Return for each metric those that it is above by more than chance, as printed and here; and a sentence."""
    names = printed.dropna().sort_values(ascending=False, kind="stable").index
    above: dict[str, dict[str, list[str]]] = {kind: {name: [] for name in names} for kind in KINDS}
    for first, second in combinations(names, 2):
        found, gap = errors.of((first,), (second,)), printed[first] - printed[second]
        here = first, second
        if found.value < 0:
            here = second, first
        for kind, (high, low), larger in (
            (KINDS[0], (first, second), found.judge(gap) == "yes"),
            (KINDS[1], (first, second), found.judge(gap) == "for these runs"),
            (KINDS[2], here, found.verdict != "open"),
        ):
            if larger:
                above[kind][high].append(low)
    rows = [{"metric": name, **{kind: ", ".join(above[kind][name]) or NONE for kind in KINDS}} for name in names]
    both, fixed, here_too = (sum(map(len, above[kind].values())) for kind in KINDS)
    said = (
        f"Gaps between two metrics, of {len(names) * (len(names) - 1) // 2}, that are more than chance over topics and "
        f"runs: {both} as printed, {here_too} here; for these runs alone {fixed} more as printed."
    )
    return markdown(pd.DataFrame(rows)), said


def table_6(study: Study) -> str:
    """Table 6(a): tau between metrics; printed for 30 of the 78 runs, here for the 17."""
    found = study.stability.between_metrics()
    short = dict(zip(study.stability.metrics, METRICS, strict=True))
    ours = {
        frozenset((short[first], short[second])): tau
        for first, second, tau in found[["metric_a", "metric_b", "tau"]].itertuples(index=False)
    }
    table = pd.DataFrame("", index=list(ORDER[:-1]), columns=list(ORDER[1:]))
    differences = []
    for place, (name, taus) in enumerate(BETWEEN.items()):
        for other, tau in zip(ORDER[place + 1 :], taus, strict=True):
            table.loc[name, other] = f"{ours[frozenset((name, other))]:.3f} ({tau:.3f})"
            differences.append(ours[frozenset((name, other))] - tau)
    said = (
        f"Here (printed). The differences have a mean of {np.mean(differences):+.3f} and a largest size of "
        f"{np.abs(differences).max():.3f}."
    )
    return f"{said}\n\n{markdown(table.reset_index(names='metric'))}"


def _or_dash(value: float, form: str) -> str:
    return NONE if np.isnan(value) else f"{value:{form}}"


def report(study: Study) -> str:
    """Return the report."""
    all_printed, tenth_printed = (100 * PRINTED[name] / N_PAIRS for name in ("pairs", "pairs 10"))
    (above, said), (above_10, said_10) = gaps(study.full, all_printed), gaps(study.tenth, tenth_printed)
    setting = SETTING.format(
        draws=study.draws,
        seed=study.seed,
        chosen=", ".join(study.chosen),
        topic_sets=TOPIC_SETS,
        halves=HALVES,
        spread_draws=SPREAD_DRAWS,
    )
    return "\n\n".join(
        [
            "# Sakai and Kando's TREC03 on its own runs",
            setting,
            "## Table 2: the collection",
            table_2(study.collection),
            "## Table 3(a): all judgments",
            table_3(study),
            "### Which findings hold, all judgments",
            findings(study.full, all_printed, FINDINGS),
            "### Gaps between two metrics, all judgments",
            said,
            above,
            "## Tables 4(a) and 7(a): 10 % of the judgments",
            table_4(study),
            "### Which findings hold, 10 %",
            findings(study.tenth, tenth_printed, FINDINGS_10),
            "### Gaps between two metrics, 10 %",
            said_10,
            above_10,
            "### Rankings with 10 %",
            ranking_findings(study),
            "## Table 5(a): found with 10 %, not with all",
            table_5(study),
            "## Figure 3: mean score, 17 runs",
            levels(study, "score", 3),
            "## Figure 5: discriminative power, %",
            levels(study, "power", 1, 100.0),
            "## Figure 7: τ with the ranking by all judgments, 17 runs",
            levels(study, "tau", 3),
            "## Table 6(a): τ between metrics, all judgments",
            table_6(study),
        ]
    )


def main() -> None:
    """Write the report and its picture, and print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec2003-robust/")
    parser.add_argument("--draws", type=int, default=50, help="draws of the judgments")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    study = Study(read(options.data), options.draws, options.seed)
    text = report(study)
    REPORT.write_text(text + "\n", encoding="utf-8")
    panels = stability_panels(study.frame, measures=["score", "power", "tau"], min_tau=0.9)
    PICTURE.write_text(figure_svg(panels, salt=PICTURE.stem), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
