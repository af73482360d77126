"""Published findings on incomplete judgments, shallow pools and new systems, asked of two younger collections.

Run: python benchmarks/studies/incomplete_judgments.py DATA_FOLDER [REPORT] [--replicates 10] [--choices 50] [--seed 0]

Tables in the form of Sakai and Kando (2008, Tables 3-7), Pal, Mitra and Kamps (2010, Tables 1-6 and 8-12) and
Piwowarski, Trotman and Lalmas (2008, Tables V and VI), for the passage ranking of the TREC 2019 Deep Learning track and
for TREC-COVID round 1; then each finding as a contrast with its interval. With --keep, finished replicates lie in a
folder, and a run that was cut off goes on from there. Written to benchmarks/reports/ unless told otherwise.
"""

import argparse
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.agreement.rankings import kendall_tau
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import UNJUDGED, Collection
from metaeval.io.groups import read_groups
from metaeval.io.trec import read_collection
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.questions.judgments.study import study_judgments
from metaeval.resampling.coverage import DEFAULT_SIZES, coverage
from metaeval.resampling.effort_plans import EffortPlans
from metaeval.resampling.group_changes import left_out_summary
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.leave_out import GroupsLeftOut, Keep, leave_group_out
from metaeval.resampling.pools import OriginalPool, original_pool
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.resampling.replicates import replicate_seed
from metaeval.resampling.sensitivity import SensitivityResult, bootstrap_sensitivity
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.stability_result import Stability
from metaeval.resampling.sufficiency import pool_sufficiency
from metaeval.running.equality import settle, settled_means
from metaeval.table.scores import Scores, as_scores, select_runs

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "benchmarks" / "reports" / "incomplete-judgments.md"

STEPS = (5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)
RANDOM = ("stratified", "random", "relevant", "topics")
WAYS = ("stratified", "random", "relevant", "order", "share", "topics")
LEVEL = 0.95
TOPIC_DRAWS = 500
RANKS = (1, 5, 10, 20, 50, 100, 500, 1000)

WHOLE, CONDENSED = ("Q", "AP", "nDCG"), ("Q'", "AP'", "nDCG'")
EARLY = ("nDCG@10", "P@10", "RBP.5")
COLLAPSING, BETWEEN = ("AP", "RBP.95", "RBP.8"), ("nDCG", "Q", "bpref_R")

type Values = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """What every part of the study shares."""

    replicates: int = 10
    choices: int = 50
    seed: int = 0
    keep: Path | None = None


@dataclass(frozen=True)
class Study:
    """A collection, what is measured on it, and the parts that several tables use."""

    name: str
    collection: Collection
    depth: int
    names: Mapping[str, str]
    setting: Setting
    kept: dict[str, Stability] = field(default_factory=dict)

    @cached_property
    def metrics(self) -> tuple[AnyMetric, ...]:
        """The metrics, in the order of their labels."""
        return resolve_metrics(list(self.names.values()))

    @property
    def labels(self) -> list[str]:
        """What the tables call the metrics."""
        return list(self.names)

    @cached_property
    def pool(self) -> OriginalPool:
        """The pool at its known depth."""
        return original_pool(self.collection, pool_depth=self.depth)

    def stable(self, name: str) -> Stability:
        """Return one way to judge less, at every step."""
        if name not in self.kept:
            self.kept[name] = measure_stability(
                self.collection,
                self.metrics,
                reduction=name,
                steps=STEPS,
                n_replicates=self.setting.replicates,
                n_tested=0,
                rel=1,  # whatever level the binary metrics begin at
                pool_depth=self.depth,
                rng=self.setting.seed,
                keep=self.setting.keep,
            )
        return self.kept[name]

    @cached_property
    def sensitivity(self) -> list[dict[float, SensitivityResult]]:
        """Draws of one run per group and of 10 % of the judgments: bootstrap sensitivity with all and with those."""
        return [self._one_choice(number) for number in range(self.setting.choices)]

    @cached_property
    def plain(self) -> list[str]:
        """The metrics but infAP, which is made for random parts of a pool."""
        return [label for label in self.labels if label != "infAP"]

    @cached_property
    def left_out(self) -> dict[Keep, GroupsLeftOut]:
        """Every group left out of the pool; the last metric counts judged documents among the first ten."""
        rules: tuple[Keep, ...] = ("depth", "size")
        wanted = [*(self.names[label] for label in self.plain), "Judged@10"]
        return {keep: leave_group_out(self.collection, wanted, keep=keep, pool_depth=self.depth) for keep in rules}

    @cached_property
    def effort(self) -> EffortPlans:
        """The same number of judgments, spent in three ways."""
        study = study_judgments(
            self.collection,
            self.metrics,
            questions=["effort"],
            n_replicates=self.setting.replicates,
            pool_depth=self.depth,
            rng=self.setting.seed,
        )
        if study.effort is None:
            raise RuntimeError(study.unanswered)
        return study.effort

    def values(self, levels: NDArray[np.int16]) -> Values:
        """Score all runs under some judgments: (metric, system, topic)."""
        return metric_values(self.collection.rejudge(levels), self.metrics)[:, :, self.collection.counted]

    def drawn(self, reduction: str, number: int) -> NDArray[np.int16]:
        """Return the levels that `stable` has in one replicate, at every step."""
        generator = np.random.default_rng(replicate_seed(self.setting.seed, reduction, number))
        return reduce_judgments(
            self.collection, reduction=reduction, steps=STEPS, rng=generator, pool_depth=self.depth
        ).levels

    def shallow(self, depth: float) -> NDArray[np.int16]:
        """Return the levels that a pool of some depth holds."""
        part = 100 * depth / self.depth
        return reduce_judgments(self.collection, reduction="depth", steps=[part], pool_depth=self.depth).levels[0]

    def matched(self, full: NDArray[np.int16], wanted: NDArray[np.int16]) -> list[NDArray[np.int16]]:
        """Return random parts with as many relevant and as many other documents of every topic as `wanted` has."""
        strata = 2 * self.collection.topic_of_judgment + (full > 0)
        inside = np.flatnonzero(full >= 0)
        numbers = np.bincount(strata[wanted >= 0], minlength=2 * self.collection.n_topics)
        found = []
        for replicate in range(self.setting.replicates):
            generator = np.random.default_rng(replicate_seed(self.setting.seed, "matched", replicate))
            rows = inside[np.lexsort((generator.random(len(inside)), strata[inside]))]
            sizes = np.bincount(strata[rows], minlength=len(numbers))
            place = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            changed = full.copy()
            changed[rows[place >= numbers[strata[rows]]]] = UNJUDGED
            found.append(changed)
        return found

    def reduced(self, reduction: str, step: float) -> tuple[Values, Values]:
        """Return scores under the judgments to compare with (metric, system, topic), and under every draw of fewer.

        Beside the ways of `metaeval judgments`: "pool" is a pool of some depth, against all judgments; "matched" and
        "matched pool" are random parts as large as "share" and "pool".
        """
        everything, pool = self.collection.levels, self.pool.levels
        if reduction == "pool":
            full, left = everything, [self.shallow(step)]
        elif reduction == "matched pool":
            full, left = everything, self.matched(everything, self.shallow(step))
        elif reduction == "matched":
            full, left = pool, self.matched(pool, self.drawn("share", 0)[STEPS.index(step)])
        else:
            full = pool if REDUCTIONS[reduction].needs_retrieved else everything
            numbers = range(self.setting.replicates if REDUCTIONS[reduction].random else 1)
            left = [self.drawn(reduction, number)[STEPS.index(step)] for number in numbers]
        return self.values(full), np.stack([self.values(levels) for levels in left])

    def scores(self, values: Values) -> Scores:
        """Label scores with systems and groups."""
        systems = list(self.collection.systems)
        groups = dict(zip(systems, self.collection.groups or (), strict=True))
        return as_scores(values, metrics=self.labels, systems=systems, groups=groups)

    def _one_choice(self, number: int) -> dict[float, SensitivityResult]:
        generator = np.random.default_rng(replicate_seed(self.setting.seed, "one run per group", number))
        left = reduce_judgments(self.collection, reduction="stratified", steps=[10], rng=generator).levels[0]
        full, reduced = (self.scores(self.values(one)) for one in (self.collection.levels, left))
        chosen = select_runs(full, "one-per-group", generator)["system"]
        both = {100.0: full.sel(system=chosen), 10.0: reduced.sel(system=chosen)}
        return {step: bootstrap_sensitivity(scores, rng=self.setting.seed) for step, scores in both.items()}


# ------------------------------------------------------------------------------------------------------- collections


def metric_names(binary: int) -> dict[str, str]:
    """Return label and name of every metric; binary metrics count documents from this level on as relevant."""
    rel = f"rel={binary}"
    return {
        "Q": "Q",
        "Q'": "Q'",
        "AP": f"AP({rel})",
        "AP'": f"AP'({rel})",
        "nDCG": "nDCG",
        "nDCG'": "nDCG'",
        "bpref": f"bpref({rel})",
        "bpref_R": f"bpref_R({rel})",
        "bpref_N": f"bpref_N({rel})",
        "infAP": f"infAP({rel})",
        **{f"RBP.{p}": f"RBP(p=0.{p})" for p in ("95", "8", "5")},
        "nDCG@10": "nDCG@10",
        "P@10": f"P({rel})@10",
    }


def deep_learning(data: Path, setting: Setting) -> Study:
    """Read DL19: 37 runs of 12 groups, 43 topics; pooled to depth 10, and judged far beyond by other means."""
    folder = data / "trec-dl19-passage"
    runs = read_collection(folder / "runs", folder / "qrels.txt.gz", score_precision="float32", retrieved="all")
    groups = read_groups(folder / "runs.csv", column="participant", systems=runs.systems)
    return Study("DL19", runs.with_groups(groups), 10, metric_names(2), setting)


def trec_covid(data: Path, setting: Setting) -> Study:
    """Read TREC-COVID round 1: 143 runs of 56 teams, 30 topics; 56 runs were pooled to depth 7."""
    folder = data / "trec-covid-r1"
    example = runpy.run_path(str(ROOT / "examples" / "trec_covid_rankings.py"))
    rankings = example["read_rankings"](folder / "rankings.tsv.xz")
    runs = collection_from_rankings(rankings, example["read_levels"](folder / "qrels-rnd1.txt.gz"), retrieved="all")
    teams, pooled = (
        read_groups(folder / "leaderboard.csv", column=column, systems=runs.systems)
        for column in ("team", "contributed judgments")
    )
    return Study("TREC-COVID", runs.with_groups(teams, pooled=pooled), 7, metric_names(1), setting)


COLLECTIONS: Mapping[str, Callable[[Path, Setting], Study]] = {"DL19": deep_learning, "TREC-COVID": trec_covid}


# ------------------------------------------------------------------------------------------------------ tables


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown, numbers to the right."""
    bars = ["---" if position == 0 else "--:" for position in range(len(frame.columns))]
    lines = [list(map(str, frame.columns)), bars, *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def facts(study: Study) -> str:
    """Say what the collection holds and how well its pool can be rebuilt."""
    collection, pool = study.collection, study.pool
    per_topic = pool.per_topic
    means = [settled_means(study.values(levels)) for levels in (collection.levels, pool.levels)]
    closeness = kendall_tau(*means)
    rows = {
        "runs": f"{collection.n_systems:,}",
        "of them pooled": f"{collection.n_systems if collection.pooled is None else int(collection.pooled.sum()):,}",
        "groups": len(set(collection.groups or ())),
        "topics": collection.n_topics,
        "judged documents": f"{int(collection.judged.sum()):,}",
        "relevant documents": f"{int((collection.levels > 0).sum()):,}",
        f"documents in the pool of depth {study.depth}": f"{int(per_topic['pool'].sum()):,}",
        "of them judged": f"{pool.judged_share:.2%}",
        "share of the judged documents it holds": f"{pool.held_share:.1%}",
        "share of the relevant documents it holds": f"{pool.relevant_held_share:.1%}",
    }
    rows["τ of its ranking with that of all judgments"] = f"{closeness.min():.3f} to {closeness.max():.3f}"
    return markdown(pd.DataFrame({"": list(rows), study.name: list(rows.values())}))


def power(study: Study) -> str:
    """Tables 3 to 5 of Sakai and Kando: power and difference required, with all and with 10 %; inconsistent pairs."""
    found = power_draws(study)
    means = found.mean("draw")
    n_pairs = study.sensitivity[0][100.0].n_pairs
    table = pd.DataFrame(
        {
            "metric": study.labels,
            "power, all": [f"{x:.1f} %" for x in 100 * means["power"].sel(step=100.0).to_numpy()],
            "diff. required": [f"{x:.2f}" for x in means["required"].sel(step=100.0).to_numpy()],
            "power, 10 %": [f"{x:.1f} %" for x in 100 * means["power"].sel(step=10.0).to_numpy()],
            "± draws": [f"{x:.1f}" for x in 100 * found["power"].sel(step=10.0).std("draw", ddof=1).to_numpy()],
            "diff. required, 10 %": [f"{x:.2f}" for x in means["required"].sel(step=10.0).to_numpy()],
            "pairs, 10 %": [f"{x:.1f}" for x in n_pairs * means["power"].sel(step=10.0).to_numpy()],
            "inconsistent": [f"{x:.1f}" for x in means["inconsistent"].to_numpy()],
            "share": [
                f"{x:.1%}" for x in (means["inconsistent"] / (n_pairs * means["power"].sel(step=10.0))).to_numpy()
            ],
        }
    )
    order = np.argsort(-means["power"].sel(step=10.0).to_numpy(), kind="stable")
    return markdown(table.iloc[order])


def power_draws(study: Study) -> xr.Dataset:
    """Return power and difference required (draw, step, metric), and inconsistent pairs at 10 % (draw, metric)."""
    summaries = [[one[step].summary() for step in (100.0, 10.0)] for one in study.sensitivity]
    wrong = [_inconsistent(one[100.0], one[10.0]) for one in study.sensitivity]
    dims = ("draw", "step", "metric")
    return xr.Dataset(
        {
            "power": (dims, np.array([[one["power"] for one in pair] for pair in summaries])),
            "required": (dims, np.array([[one["difference_required"] for one in pair] for pair in summaries])),
            "inconsistent": (("draw", "metric"), np.array(wrong)),
            "found": (("draw", "metric"), np.array([pair[1]["n_significant"] for pair in summaries])),
        },
        coords={"step": [100.0, 10.0], "metric": study.labels},
    )


def _inconsistent(full: SensitivityResult, reduced: SensitivityResult) -> Values:
    """Count pairs that are significant with fewer judgments and not so, or the other way round, with all."""
    all_, few = (
        (one.data["significant"] * one.data["better"]).transpose("metric", "pair").to_numpy() for one in (full, reduced)
    )
    return ((few != 0) & (few != all_)).sum(axis=1).astype(float)


def between_metrics(study: Study) -> str:
    """Table 6 of Sakai and Kando: tau between the rankings of two metrics with all judgments."""
    means = settled_means(study.values(study.collection.levels))
    found = kendall_tau(means[:, None], means[None])
    rows = [
        [label, *(f"{x:.3f}" if column > row else "" for column, x in enumerate(line))]
        for row, (label, line) in enumerate(zip(study.labels, found, strict=True))
    ]
    return markdown(pd.DataFrame(rows, columns=["", *study.labels]).iloc[:-1, [0, *range(2, len(study.labels) + 1)]])


def at_ten(study: Study) -> str:
    """Table 7 of Sakai and Kando: tau at 10 % of the judgments, also among the best ten; mean score kept."""
    data = study.stable("stratified").data.sel(step=10.0)
    share = (data["mean"].mean(["replicate", "system"]) / data["reference"].mean("system")).to_numpy()
    table = pd.DataFrame(
        {
            "metric": study.labels,
            "τ": _with_error(data["tau"]),
            "τ_AP": _with_error(data["tau_ap"]),
            "τ, best ten": _with_error(data["tau_best"]),
            "mean score, of the full": [f"{x:.0%}" for x in share],
        }
    )
    return markdown(table.iloc[np.argsort(-data["tau"].mean("replicate").to_numpy(), kind="stable")])


def _with_error(data: xr.DataArray) -> list[str]:
    size = data.sizes["replicate"]
    mean, error = data.mean("replicate").to_numpy(), data.std("replicate", ddof=1).to_numpy() / np.sqrt(size)
    return [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True)]


def by_step(study: Study, reduction: str, steps: Sequence[float]) -> str:
    """Tables 1, 2, 4 and 5 of Pal et al.: tau and tau_AP at every step, with the relevant documents left."""
    found = study.stable(reduction).data
    means = found[["tau", "tau_ap"]].mean("replicate")
    left = found[["relevant", "topics"]].mean("replicate")
    count = "topics" if reduction == "topics" else "relevant"
    table = {"metric": study.labels}
    for step in steps:
        head = f"{step:g} % ({left[count].sel(step=step).item():,.0f})"
        pairs = zip(*(means[name].sel(step=step).to_numpy() for name in ("tau", "tau_ap")), strict=True)
        table[head] = [f"{tau:.3f} {other:.3f}" for tau, other in pairs]
    return markdown(pd.DataFrame(table))


def smallest(study: Study, measure: str) -> str:
    """Tables 3 and 6 of Pal et al.: the smallest step that keeps 0.9, with the relevant documents (or topics) there."""
    table = {"metric": study.labels}
    for name in WAYS:
        one = study.stable(name)
        found = one.thresholds(measure=measure)
        if name == "topics":
            sizes = one.data["topics"].mean("replicate").to_numpy()
            topics = np.interp(found["level"], one.steps, sizes)
            table["topics (topics)"] = [
                f"{text.split(' (')[0]} ({count:.0f})" for text, count in zip(found["text"], topics, strict=True)
            ]
        else:
            table[f"{name} (relevant)"] = found["text"].tolist()
    return markdown(pd.DataFrame(table))


def overview(study: Study, step: float = 20.0) -> str:
    """Every way to judge less at one step, and a random part with as many relevant documents as the shallow pool."""
    table = {"metric": study.labels}
    for name in WAYS:
        one = study.stable(name)
        table[name] = [f"{x:.3f}" for x in one.data["tau"].sel(step=step).mean("replicate").to_numpy()]
    table["matched"] = [f"{x:.3f}" for x in _taus(*study.reduced("matched", step)).mean(axis=(0, 1))]
    return markdown(pd.DataFrame(table))


def depths(study: Study) -> str:
    """Pools of a few depths against all judgments, and random parts as large: tau of the one and of the other."""
    table = {"metric": study.labels}
    for depth in (one for one in (1, 2, 3, 5, 7, 10) if one <= study.depth):
        both = (_taus(*study.reduced(name, depth)).mean(axis=(0, 1)) for name in ("pool", "matched pool"))
        levels = study.shallow(depth)
        head = f"{depth} ({int((levels >= 0).sum()):,}, {int((levels > 0).sum()):,})"
        table[head] = [f"{pool:.3f} {matched:.3f}" for pool, matched in zip(*both, strict=True)]
    return markdown(pd.DataFrame(table))


def kept_parts(study: Study, step: float = 20.0) -> str:
    """Say what each way to judge less leaves: judged and relevant documents, judged share of the first ten results."""
    (judged,) = resolve_metrics(["Judged@10"])
    rows = {"all judgments": study.collection.levels, "the pool": study.pool.levels}
    rows |= {name: study.drawn(name, 0)[STEPS.index(step)] for name in WAYS[:-1]}
    table = []
    for name, levels in rows.items():
        share = metric_values(study.collection.rejudge(levels), [judged])[0].mean()
        n_judged, n_relevant = int((levels >= 0).sum()), int((levels > 0).sum())
        table.append([name, f"{n_judged:,}", f"{n_relevant:,}", f"{n_relevant / n_judged:.0%}", f"{share:.0%}"])
    columns = ["", "judged", "relevant", "share relevant", "judged among first ten"]
    return markdown(pd.DataFrame(table, columns=columns))


def left_out_table(study: Study) -> str:
    """Leave one group out: change of the mean scores in %, runs that fell or rose, significant changes, places."""
    parts = []
    for keep, found in study.left_out.items():
        frame = left_out_summary(found).iloc[: len(study.plain)]
        parts.append(
            pd.DataFrame(
                {
                    "metric": study.plain,
                    "pool keeps": keep,
                    "mean change": [f"{x:+.1f} %" for x in frame["mean_change"]],
                    "fell": [f"{x:.0%}" for x in frame["fell"]],
                    "rose": [f"{x:.0%}" for x in frame["rose"]],
                    "significant": [f"{x:.0%}" for x in frame["significant"]],
                    "places moved": [f"{x:.1f}" for x in frame["mean_places"]],
                    "at most": frame["most_places"].tolist(),
                    "τ": [f"{x:.3f}" for x in frame["tau"]],
                }
            )
        )
    return markdown(pd.concat(parts))


PUBLISHED_INTERVALS = (
    *("(-inf, -50]", "(-50, -10]", "(-10, 0)", "0", "(0, 10]", "(10, 20]", "(20, 50]", "(50, 100]", "(100, inf)"),
    "old score 0",
)


def published_sign(table: pd.DataFrame) -> pd.DataFrame:
    """Write changes as the paper does, a fall as positive."""
    return table.iloc[[*range(len(table) - 2, -1, -1), -1]].set_axis(PUBLISHED_INTERVALS, axis=0)


def changes(study: Study, *, per_topic: bool) -> str:
    """Tables 8 and 9 of Pal et al.: how many changes lie in each interval."""
    table = published_sign(study.left_out["depth"].distribution(per_topic=per_topic)).iloc[:, : len(study.plain)]
    total = table.sum().iloc[0]
    shown = table.map(lambda n: f"{n:,} ({n / total:.1%})" if n else "0").set_axis(study.plain, axis=1)
    return markdown(shown.rename_axis("change in %").reset_index())


def significant(study: Study) -> str:
    """Table 10 of Pal et al.: runs whose score changes significantly."""
    table = study.left_out["depth"].significance().iloc[: len(study.plain)]
    rows = {
        name: [f"{n} ({n / (a + b):.1%})" for n, a, b in zip(table[column], *counts, strict=True)]
        for name, column, counts in (
            ("yes", "significant", (table["significant"], table["not_significant"])),
            ("no", "not_significant", (table["significant"], table["not_significant"])),
        )
    }
    return markdown(pd.DataFrame(rows, index=study.plain).T.rename_axis("significant").reset_index())


PLANS = {"shallow": "shallow pools", "topics": "fewer topics", "sample": "random part"}


def effort(study: Study) -> str:
    """Tables 11 and 12 of Pal et al., at equal effort: tau for shallow pools, fewer topics and random parts."""
    data = study.effort.data["tau"]
    table = {"metric": study.labels}
    for step in data["step"].to_numpy():
        for plan, words in PLANS.items():
            if step in {20.0, 60.0}:
                mean = data.sel(step=step, plan=plan).mean("replicate").to_numpy()
                table[f"{words}, {step:g} %"] = [f"{x:.3f}" for x in mean]
    return markdown(pd.DataFrame(table))


def sufficiency(study: Study) -> tuple[str, str]:
    """Tables V and VI of Piwowarski et al.: decisions that a larger pool would change; how deep pools reach."""
    found = pool_sufficiency(study.collection, [study.names[label] for label in study.plain], sizes=DEFAULT_SIZES)
    rows = []
    for name, label in zip(found.counts["metric"].to_numpy(), study.plain, strict=True):
        for what, data in (("same", found.same()), ("reversed", found.reversed()), ("other", found.changed())):
            rows.append([label, what, *(f"{x:.1%}" for x in data.sel(metric=name).to_numpy())])
    decided = pd.DataFrame(rows, columns=["metric", "", *map(str, DEFAULT_SIZES)])
    depths = found.depths
    counts = {
        "topics": depths.n_topics,
        "runs": depths.n_runs,
        "answers": depths.n_answers,
        "runs per topic": f"{depths.runs_per_topic:.1f}",
    }
    reached = {f"{size}": f"{x:.1f}" for size, x in depths.table["mean_depth"].items()}
    return markdown(decided), markdown(pd.DataFrame([{**counts, **reached}]))


def unpooled(study: Study) -> tuple[str, str]:
    """Compare pooled and unpooled runs: share of results that is judged, by rank; and inside pools of some sizes."""
    marks = np.asarray(study.collection.pooled)
    names = np.array(study.collection.systems)
    parts = {"pooled": names[marks].tolist(), "not pooled": names[~marks].tolist()}
    covered = {name: coverage(study.collection, systems=runs).at_rank() for name, runs in parts.items()}
    at = {"rank": list(RANKS)}
    by_rank = [
        [f"{len(parts[name])} {name}", *(f"{x:.0%}" for x in one["judged"].sel(at).to_numpy())]
        for name, one in covered.items()
    ]
    inside = covered["not pooled"]["in_pool"].sel(at)
    by_size = [[size, *(f"{x:.0%}" for x in inside.sel(size=size).to_numpy())] for size in DEFAULT_SIZES]
    ranks = [f"{rank:,}" for rank in RANKS]
    return (
        markdown(pd.DataFrame(by_rank, columns=["judged at rank", *ranks])),
        markdown(pd.DataFrame(by_size, columns=["pool of", *ranks])),
    )


def first_ten(study: Study) -> str:
    """Return the judged share of the first ten results, in reality and with the run's group left out."""
    found = study.left_out["depth"].scores
    judged, precision = found.isel(metric=-1).mean("topic"), found.isel(metric=study.plain.index("P@10"))
    marks = np.ones(len(judged["system"]), dtype=bool)
    marks = marks if study.collection.pooled is None else np.asarray(study.collection.pooled)
    table = []
    for name, chosen in (("pooled runs", marks), ("runs that were not pooled", ~marks)):
        for also, which in (("", "full"), (", their group left out", "reduced")):
            if chosen.any():
                values = judged[which].to_numpy()[chosen]
                low, high = np.quantile(values, [0.1, 0.9])
                mean = precision[which].mean("topic").to_numpy()[chosen].mean()
                table.append([name + also, f"{values.mean():.0%}", f"{low:.0%} to {high:.0%}", f"{mean:.3f}"])
    return markdown(pd.DataFrame(table, columns=["judged among the first ten", "mean", "middle 80 % of runs", "P@10"]))


def places(study: Study) -> str:
    """Mean places of pooled and unpooled runs under whole and condensed lists: who gains by the choice."""
    marks = np.asarray(study.collection.pooled)
    means = settled_means(study.values(study.collection.levels))
    rank = {label: pd.Series(-one).rank().to_numpy() for label, one in zip(study.labels, means, strict=True)}
    rows = []
    for whole, condensed in zip(WHOLE, CONDENSED, strict=True):
        gained = rank[whole] - rank[condensed]
        rows.append(
            [
                f"{whole} to {condensed}",
                *(f"{gained[chosen].mean():+.1f}" for chosen in (marks, ~marks)),
                f"{(gained[~marks] > 0).mean():.0%}",
                f"{gained.max():+.0f}",
                f"{kendall_tau(-rank[whole], -rank[condensed]):.3f}",
            ]
        )
    columns = ["from", "pooled", "not pooled", "not pooled that gain", "largest gain", "τ"]
    return markdown(pd.DataFrame(rows, columns=columns))


def shallow_bias(study: Study, depth: int = 2) -> str:
    """Mean scores under a shallow pool of pooled and of unpooled runs, in % of those under all judgments; places."""
    marks = np.asarray(study.collection.pooled)
    everything, left = (
        settled_means(study.values(levels)) for levels in (study.collection.levels, study.shallow(depth))
    )
    rows = []
    for label, old, new in zip(study.labels, everything, left, strict=True):
        lost = pd.Series(-new).rank().to_numpy() - pd.Series(-old).rank().to_numpy()
        shares = (f"{new[chosen].mean() / old[chosen].mean():.0%}" for chosen in (marks, ~marks))
        rows.append([label, *shares, f"{lost[~marks].mean():+.1f}"])
    return markdown(pd.DataFrame(rows, columns=["metric", "pooled", "not pooled", "places lost, not pooled"]))


# ----------------------------------------------------------------------------------------------------------- findings


def _taus(full: Values, reduced: Values, counts: Values | None = None) -> Values:
    """Return tau (replicate, draw, metric) of reduced and full scores, over topics counted so often in each draw."""
    weights = np.ones((1, full.shape[2])) if counts is None else counts
    total = weights.sum(axis=1)
    x = settle(np.moveaxis(full @ weights.T / total, -1, 0))
    y = settle(np.moveaxis(reduced @ weights.T / total, -1, 1))
    return kendall_tau(x[None], y, undefined="nan")


@dataclass(frozen=True)
class Finding:
    """What a paper found, as tau of some metrics minus tau of others after one way to judge less."""

    text: str
    reduction: str
    step: float
    higher: Sequence[str]
    lower: Sequence[str]

    def of(self, study: Study, cache: dict[tuple[str, float], tuple[Values, Values]]) -> tuple[float, float, float]:
        """Return the contrast with its 95 % interval: over topics, or, where topics are drawn, over replicates."""
        if self.reduction == "topics":
            tau = study.stable("topics").data["tau"].sel(step=self.step).to_numpy()
            return _over_replicates(self._contrast(study, tau))
        point, drawn = cache[self.reduction, self.step]
        # fewer distinct topics make every ranking less stable, so the draws give the spread and not the middle
        n_topics = int(study.collection.counted.sum())
        spread = float(self._contrast(study, drawn).std(ddof=1)) * np.sqrt(n_topics / (n_topics - 1))
        middle, half = float(self._contrast(study, point)), stdtrit(n_topics - 1, (1 + LEVEL) / 2) * spread
        return middle, middle - half, middle + half

    def _contrast(self, study: Study, tau: Values) -> Values:
        high, low = ([study.labels.index(name) for name in names] for names in (self.higher, self.lower))
        return tau[..., high].mean(axis=-1) - tau[..., low].mean(axis=-1)


FINDINGS = (
    Finding("condensed above whole lists", "stratified", 10.0, CONDENSED, WHOLE),
    Finding("condensed lists above RBP.95", "stratified", 10.0, CONDENSED, ("RBP.95",)),
    Finding("condensed lists above bpref_R", "stratified", 10.0, CONDENSED, ("bpref_R",)),
    Finding("nDCG, Q, bpref_R above AP, RBP.95, RBP.8", "stratified", 10.0, BETWEEN, COLLAPSING),
    Finding("nDCG, Q above AP", "stratified", 10.0, ("nDCG", "Q"), ("AP",)),
    Finding("RBP.95 above RBP.8", "stratified", 10.0, ("RBP.95",), ("RBP.8",)),
    Finding("Q, AP, nDCG above early precision", "relevant", 20.0, WHOLE, EARLY),
    Finding("Q, AP, nDCG above bpref_R", "relevant", 20.0, WHOLE, ("bpref_R",)),
    Finding("bpref_N above bpref_R", "relevant", 20.0, ("bpref_N",), ("bpref_R",)),
    Finding("Q, AP, nDCG above early precision", "topics", 20.0, WHOLE, EARLY),
    Finding("early precision above Q, AP, nDCG", "share", 20.0, EARLY, WHOLE),
    Finding("early precision above condensed lists", "share", 20.0, EARLY, CONDENSED),
    Finding("whole above condensed lists", "share", 20.0, WHOLE, CONDENSED),
    Finding("condensed above whole lists", "matched", 20.0, CONDENSED, WHOLE),
    Finding("whole above condensed lists", "pool", 2, WHOLE, CONDENSED),
    Finding("condensed above whole lists", "matched pool", 2, CONDENSED, WHOLE),
    Finding("AP above AP'", "pool", 2, ("AP",), ("AP'",)),
    Finding("AP above AP'", "pool", 5, ("AP",), ("AP'",)),
    Finding("Q, nDCG above Q', nDCG'", "pool", 2, ("Q", "nDCG"), ("Q'", "nDCG'")),
    Finding("Q, nDCG above Q', nDCG'", "pool", 5, ("Q", "nDCG"), ("Q'", "nDCG'")),
    Finding("Q, nDCG above Q', nDCG'", "matched pool", 5, ("Q", "nDCG"), ("Q'", "nDCG'")),
    Finding("early precision above Q, AP, nDCG", "pool", 2, EARLY, WHOLE),
    Finding("early precision above Q, AP, nDCG", "matched pool", 2, EARLY, WHOLE),
)


def _over_replicates(found: Values) -> tuple[float, float, float]:
    """Return a mean with its 95 % interval."""
    half = float(stdtrit(len(found) - 1, (1 + LEVEL) / 2) * found.std(ddof=1) / np.sqrt(len(found)))
    return float(found.mean()), float(found.mean()) - half, float(found.mean()) + half


def verdict(found: tuple[float, float, float], *, scale: float = 1.0, digits: int = 3) -> str:
    """Write a contrast with its interval: it holds, is reversed, or stays open."""
    middle, low, high = (scale * one for one in found)
    word = "holds" if low > 0 else "reversed" if high < 0 else "open"
    return f"{word}: {middle:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def tau_draws(study: Study) -> dict[tuple[str, float], tuple[Values, Values]]:
    """Return tau of every metric, and with the topics redrawn (draw, metric), for what the findings name."""
    generator = np.random.default_rng(replicate_seed(study.setting.seed, "topics redrawn", 0))
    n_topics = int(study.collection.counted.sum())
    counts = generator.multinomial(n_topics, np.full(n_topics, 1 / n_topics), size=TOPIC_DRAWS).astype(float)
    wanted = {(one.reduction, one.step) for one in FINDINGS if one.reduction != "topics"}
    found = {}
    for reduction, step in sorted(wanted):
        both = study.reduced(reduction, step)
        found[reduction, step] = _taus(*both).mean(axis=(0, 1)), _taus(*both, counts).mean(axis=0)
    return found


def tau_findings(studies: Sequence[Study]) -> str:
    """One row a finding about rankings, with its contrast on every collection."""
    caches = [tau_draws(study) for study in studies]
    rows = [
        [one.text, one.reduction, f"depth {one.step:g}" if "pool" in one.reduction else f"{one.step:g} %"]
        + [verdict(one.of(study, cache)) for study, cache in zip(studies, caches, strict=True)]
        for one in FINDINGS
    ]
    return markdown(pd.DataFrame(rows, columns=["finding", "judged", "step", *(study.name for study in studies)]))


POWER_FINDINGS = (
    ("the others above RBP.5", "all", None, ("RBP.5",)),
    ("condensed above whole lists", "10 %", CONDENSED, WHOLE),
    ("condensed lists above bpref_R", "10 %", CONDENSED, ("bpref_R",)),
    ("nDCG, Q, bpref_R above AP, RBP.95, RBP.8", "10 %", BETWEEN, COLLAPSING),
    ("RBP.95 above AP", "10 %", ("RBP.95",), ("AP",)),
    ("AP above RBP.8", "10 %", ("AP",), ("RBP.8",)),
)


def power_findings(studies: Sequence[Study]) -> str:
    """One row a finding about power, in points: mean and the middle 95 % of the draws; and on inconsistency."""
    rows: list[list[str]] = []
    draws = [power_draws(study) for study in studies]
    for text, step, higher, lower in POWER_FINDINGS:
        cells = []
        for study, found in zip(studies, draws, strict=True):
            table = found["power"].sel(step=100.0 if step == "all" else 10.0)
            best = list(higher) if higher else [label for label in study.labels if label not in lower]
            contrast = table.sel(metric=best).mean("metric") - table.sel(metric=list(lower)).mean("metric")
            cells.append(verdict(_of_draws(contrast.to_numpy()), scale=100, digits=1))
        rows.append([text, step, *cells])
    cells = []
    for study, found in zip(studies, draws, strict=True):
        share = found["inconsistent"] / found["found"].where(found["found"] > 0)
        others = [label for label in study.labels if not label.startswith("bpref")]
        contrast = share.sel(metric="bpref_R") - share.sel(metric=others).mean("metric")
        cells.append(verdict(_of_draws(contrast.to_numpy()), scale=100, digits=1))
    rows.append(["bpref_R more inconsistent than the others", "10 %", *cells])
    return markdown(pd.DataFrame(rows, columns=["finding", "judged", *(study.name for study in studies)]))


def _of_draws(found: Values) -> tuple[float, float, float]:
    """Return mean and middle 95 %."""
    low, high = np.nanquantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(np.nanmean(found)), float(low), float(high)


EFFORT_FINDINGS = (("shallow", "topics"), ("topics", "sample"), ("shallow", "sample"))
KINDS = {"Q, AP, nDCG": WHOLE, "condensed lists": CONDENSED, "early precision": EARLY}


def effort_findings(studies: Sequence[Study]) -> str:
    """One row a pair of plans and kind of metric: tau of the one minus tau of the other at equal effort."""
    rows = []
    for better, worse in EFFORT_FINDINGS:
        for kind, names in KINDS.items():
            for step in (20.0, 60.0):
                cells = []
                for study in studies:
                    data = study.effort.data["tau"].sel(step=step)
                    chosen = [study.labels.index(name) for name in names]
                    contrast = (data.sel(plan=better) - data.sel(plan=worse)).isel(metric=chosen).mean("metric")
                    cells.append(verdict(_over_replicates(contrast.to_numpy())))
                rows.append([f"{PLANS[better]} above {PLANS[worse]}", kind, f"{step:g} %", *cells])
    columns = ["finding", "metrics", "effort", *(study.name for study in studies)]
    return markdown(pd.DataFrame(rows, columns=columns))


# ------------------------------------------------------------------------------------------------------------- report

SETTING = """Binary metrics count level 2 and above as relevant on DL19, as the track does, and level 1 and above on \
TREC-COVID; gains are the levels. What is drawn at random is drawn {replicates} times, nested over the steps; ± is a \
standard error unless it says otherwise. DL19 was pooled to depth 10 and TREC-COVID's pooled runs to depth 7. The ways \
to judge less are those of `metaeval judgments`; *share* is compared with the ranking by the whole pool, *pool* (so \
deep) with that by all judgments. *Matched* is a random part that holds, topic by topic, as many relevant and as many \
other documents as the shallow pool."""
READING = f"""The rule for *holds* and *reversed*: the interval lies above, or below, 0. It is, for rankings, the t \
interval over topics, from {TOPIC_DRAWS} redrawn topic sets (the judgments' draws averaged); for fewer topics and for \
effort, the t interval over the draws; for power, the middle {LEVEL:.0%} of {{choices}} draws of one run per group \
together with the judgments. Each verdict stands for itself: among so many, a false one is to be expected now and then.\
"""


POWER = """One run per group, {:,} pairs, bootstrap sensitivity with B = 1000 at 0.05, uncorrected; means over {} \
draws of runs and judgments (± draws: their standard deviation). *Inconsistent* pairs are not significant, or \
reversed, with all judgments."""
DEPTHS = """τ of the pool, then of random parts of all judgments with as many relevant and other documents in every \
topic (in brackets: judged and relevant documents)."""
SUFFICIENCY = """Pools of so many documents a topic without the group, against all judgments. *Same*: runs whose \
score changes significantly; *reversed*: comparisons with other groups' runs that turn round; *other*: those that \
change in any way."""
COMMAND = """Made by `python benchmarks/studies/incomplete_judgments.py DATA_FOLDER --replicates {replicates} \
--choices {choices} --seed {seed}`."""


def study_parts(study: Study) -> list[str]:
    """Return the tables of one collection with their headings."""
    decided, reached = sufficiency(study)
    shown = (20.0, 40.0, 60.0, 80.0)
    parts = [
        f"## {study.name}",
        facts(study),
        "### Power with all and with 10 % of the judgments (Sakai and Kando, Tables 3 to 5)",
        POWER.format(study.sensitivity[0][100.0].n_pairs, study.setting.choices),
        power(study),
        "### τ between metrics (Sakai and Kando, Table 6)",
        between_metrics(study),
        "### Rankings with 10 % of the judgments, stratified (Sakai and Kando, Table 7)",
        at_ten(study),
        "### Fewer relevant documents: τ and τ_AP (Pal et al., Tables 1 and 2)",
        by_step(study, "relevant", shown),
        "### Shallower pools: τ and τ_AP (Pal et al., Tables 4 and 5)",
        by_step(study, "share", STEPS),
        "### Fewer topics: τ and τ_AP",
        by_step(study, "topics", shown),
        "### Judged in the order of identifiers: τ and τ_AP",
        by_step(study, "order", shown),
        "### The smallest step that keeps τ ≥ 0.9 (Pal et al., Tables 3 and 6)",
        smallest(study, "tau"),
        "### The smallest step that keeps τ_AP ≥ 0.9",
        smallest(study, "tau_ap"),
        "### τ at 20 %, every way to judge less",
        overview(study),
        "### Pools of a few depths against all judgments, and random parts as large",
        DEPTHS,
        depths(study),
        "### What is left at 20 %",
        kept_parts(study),
        "### One group left out",
        "Each run under the judgments that remain without its group; a negative change is a lower score.",
        left_out_table(study),
        "### One group left out: changes of mean scores (Pal et al., Table 8; positive: the score fell)",
        changes(study, per_topic=False),
        "### One group left out: changes by topic (Pal et al., Table 9)",
        changes(study, per_topic=True),
        "### One group left out: significant changes (Pal et al., Table 10)",
        significant(study),
        "### One group left out: the first ten results",
        first_ten(study),
        "### τ at equal effort (Pal et al., Tables 11 and 12)",
        effort(study),
        "### Pool sufficiency (Piwowarski et al., Table V)",
        SUFFICIENCY,
        decided,
        "### Depth of the pools in the runs (Piwowarski et al., Table VI)",
        reached,
    ]
    if study.collection.pooled is not None:
        by_rank, by_size = unpooled(study)
        parts += [
            "### Runs that were not pooled: share of results judged at each rank",
            by_rank,
            "### Runs that were not pooled: share of results inside pools of some sizes (Piwowarski et al., Figure 3)",
            by_size,
            "### Runs that were not pooled: mean scores under a pool of depth 2, in % of those under all judgments",
            shallow_bias(study),
            "### Places gained when the list is condensed",
            places(study),
        ]
    return parts


def findings_parts(studies: Sequence[Study], setting: Setting) -> list[str]:
    """Return the tables of findings with their headings."""
    return [
        "## Findings",
        READING.format(choices=setting.choices),
        "### Rankings: contrasts in τ",
        tau_findings(studies),
        "### Power: contrasts in points",
        power_findings(studies),
        "### Equal effort: contrasts in τ",
        effort_findings(studies),
    ]


def main() -> None:
    """Write the report and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-dl19-passage/ and trec-covid-r1/")
    parser.add_argument("report", type=Path, nargs="?", default=REPORT)
    parser.add_argument("--replicates", type=int, default=10, help="draws of fewer judgments")
    parser.add_argument(
        "--choices", type=int, default=50, help="draws of one run per group and of judgments, for power"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for finished replicates")
    given = parser.parse_args()
    setting = Setting(given.replicates, given.choices, given.seed, given.keep)
    studies = [read(given.data, setting) for read in COLLECTIONS.values()]
    parts = [
        "# Incomplete judgments, shallow pools and new systems on DL19 and TREC-COVID",
        COMMAND.format(**vars(given)),
        SETTING.format(replicates=setting.replicates),
        *findings_parts(studies, setting),
        *(part for study in studies for part in study_parts(study)),
    ]
    given.report.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(given.report.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
