# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What a study of a leaderboard says of the benchmark: what its items detect, how many it takes, which do the work."""

import math

import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.words import MISSING, carried, intervals, number, p_value, share, share_of, text, whole
from metaeval.page.blocks import Fold, Section
from metaeval.page.tables import METRIC, Table, left, right, under
from metaeval.studies.leaderboard import LeaderboardStudy
from metaeval.tests_stat.correction import CORRECTIONS

_SCORE = number(4)
_KINDS = {"all_pass": "all pass", "all_fail": "all fail", "all_equal": "all equal", "negative": "negative"}


def differences_section(study: LeaderboardStudy) -> list[Section]:
    """Say which true differences these items would find, beside the differences at hand."""
    if study.detectable is None:
        return []
    rows = study.detectable.summary()
    levels = {name: CORRECTIONS.label(name) for name in rows["correction"].unique()}
    span = {str(name): float(own.max() - own.min()) for name, own in study.scores.groupby("metric")}
    spans = [span[name] for name in rows["metric"]]
    low, middle, high = (list(map(_within, rows[name], spans)) for name in ("low", "median", "high"))
    frame = rows.assign(
        typical=middle,
        typical_sort=rows["median"],
        range=[f"{one} to {other}" for one, other in zip(low, high, strict=True)],
        of=rows["correction"].map(levels),
        gap=rows["metric"].map(gaps_between_neighbours(study)),
    )
    conditional = bool((rows["test"] == "mcnemar").any())
    table = Table(
        name="detectable_differences",
        title="Detectable differences",
        caption=f"The least true difference found with power {study.power:g}, in the unit of the metric: at the median "
        "pair, and between which 90 % of the pairs lie, each from the standard deviation of its own differences. With "
        "a correction: at the level of its first step over all pairs. Last column: the median observed difference of "
        "neighbours."
        + (" For scores of 0 and 1 given the share of items on which two systems differ." if conditional else ""),
        frame=frame,
        columns=(
            METRIC,
            *left(of="Correction"),
            *right(p_value, level="Level"),
            *right(text, "Detectable difference", typical="median pair"),
            *under(text, "Detectable difference", range="90 % of pairs"),
            *(right(share, discordance="Items that differ") if conditional else ()),
            *right(_SCORE, gap="Neighbours apart"),
        ),
        data=rows,
    )
    return [
        Section(
            id="detectable",
            title="Detectable differences",
            lead="A difference smaller than this may well be real, and these items would mostly miss it. It says what "
            "the benchmark can do, not what it found: power at the observed difference would only repeat the p value.",
            brief=True,
            blocks=(table,),
        )
    ]


def _within(value: float, span: float) -> str:
    """Write a detectable difference; one that is wider than all scores lie apart is none."""
    return _SCORE(value) if value <= span else f">{_SCORE(span)}"


def gaps_between_neighbours(study: LeaderboardStudy) -> dict[str, float]:
    """Return the median difference of neighbours in the ranking under every metric."""
    frame = study.families.to_frame()
    near = frame[frame["family"] == "adjacent"]
    return {str(metric): float(part["difference"].abs().median()) for metric, part in near.groupby("metric")}


def needed_section(study: LeaderboardStudy) -> list[Section]:
    """Say how many items would part the best from the next, and neighbours."""
    if study.separation is None:
        return []
    frame = study.separation.to_frame()
    top = frame.groupby("metric", sort=False).head(1)
    unit = study.separation.unit
    every = _needed_table("items_needed", "Items needed to part neighbours", frame, unit)
    return [
        Section(
            id="items-needed",
            title="Items needed",
            lead=f"How many items would part a system from the next with power {study.power:g}, if the difference is "
            "as observed; and, since an observed difference is a guess, for the ends of its interval. Where that holds "
            "0 no number is enough for sure.",
            brief=True,
            blocks=(
                _needed_table("items_needed_top", "Items needed to part the best from the next", top, unit),
                Fold(title="Every pair of neighbours", blocks=(every,)),
            ),
        )
    ]


def _needed_table(name: str, title: str, frame: pd.DataFrame, unit: str) -> Table:
    ends = zip(frame["topics_needed_low"], frame["topics_needed_high"], strict=True)
    shown = frame.assign(interval=[f"{_items(low)} to {_items(high)}" for low, high in ends])
    clusters = right(_items, units_needed="Clusters needed") if unit == "cluster" else ()
    return Table(
        name=name,
        title=title,
        caption="Needed: for the observed effect; below it for the largest and the smallest effect in its 95 % "
        "interval. Paired t, uncorrected.",
        frame=shown,
        columns=(
            METRIC,
            *left(first="System", second="Next"),
            *right(_SCORE, difference="Difference"),
            *right(number(2), effect="Effect"),
            *right(whole, topics="Items"),
            *right(_items, topics_needed="Items needed"),
            *under(text, interval="for the interval"),
            *clusters,
        ),
        data=frame,
    )


def _items(value: object) -> str:
    """Write a number of items; beyond ten million, or for no difference at all, there is none."""
    items = float(str(value))
    if math.isnan(items):
        return MISSING
    return "unbounded" if math.isinf(items) else f"{items:,.0f}"


def design_section(study: LeaderboardStudy) -> list[Section]:
    """Say what clusters cost."""
    if study.design is None:
        return []
    rows = study.design.to_frame()
    frame = rows.assign(
        of=rows["of"].map({"pairs": "Differences of pairs", "systems": "Means of systems"}),
        range=intervals(rows["low"], rows["high"], number(2)),
    )
    low, high = study.design.sizes
    table = Table(
        name="design_effect",
        title="Design effect of the clusters",
        caption=f"{study.design.n_clusters} clusters of {low} to {high} items. Design effect: variance with the "
        "clusters (CR2) over variance without, of the median pair or system, and between which 90 % of them lie. "
        "Effective items: as many independent ones would say as much.",
        frame=frame,
        columns=(
            METRIC,
            *left(of="Of"),
            *right(number(2), design_effect="Design effect"),
            *under(text, range="90 % of them"),
            *right(number(2), intraclass_correlation="Intraclass correlation"),
            *right(number(0), n_topics="Items", effective_topics="Effective items"),
        ),
        data=rows,
    )
    return [
        Section(
            id="clusters",
            title="Clusters of items",
            lead="Items of one cluster share noise, so that they say less than as many independent ones. All tests and "
            "intervals here take that into account.",
            brief=True,
            blocks=(table,),
        )
    ]


def conclusions_section(study: LeaderboardStudy) -> Section:
    """Compare metrics and aggregates as metrics are compared."""
    rows = study.conclusions
    frame = rows.assign(
        found=[share_of(*pair) for pair in zip(rows["n_significant"], rows["n_pairs"], strict=True)],
        found_sort=rows["n_significant"],
        corrected=[share_of(*pair) for pair in zip(rows["n_significant_fdr_by"], rows["n_pairs"], strict=True)],
    )
    table = Table(
        name="conclusions",
        title="Metrics and aggregates as metrics",
        caption=f"Pairs: significantly different, paired t, α = {study.alpha:g}. Items needed: to part the first "
        f"system from the second with power {study.power:g}. Against the reference (the mean under the "
        "same metric; for a mean, that under the first metric): Kendall’s τ of the orders, and the share of the "
        "reference’s significant pairs that are significant here too, in the same direction.",
        frame=frame,
        columns=(
            METRIC,
            *left(aggregate="Aggregate"),
            *right(text, "Significantly different pairs", found="uncorrected", corrected="Benjamini–Yekutieli"),
            *right(_items, topics_needed="Items needed"),
            *right(number(3), "Against the reference", tau="τ"),
            *right(share, "Against the reference", kept="pairs kept"),
        ),
        data=rows,
    )
    return Section(
        id="aggregates",
        title="Metrics and aggregates",
        lead="A leaderboard also chooses how to sum up: mean, mean of cluster means, points for places, wins over "
        "others. Each is a metric, and is judged as one: how many systems it separates, and whether it concludes the "
        "same. Win rates, points and z-scores of a system hang on which others take part.",
        brief=True,
        blocks=(table,),
    )


def items_section(study: LeaderboardStudy) -> list[Section]:
    """Say which items do the work."""
    if study.items is None:
        return []
    rows = study.items.summary()
    frame = rows.assign(range=intervals(rows["low"], rows["high"], number(2)))
    table = Table(
        name="items",
        title="Items",
        caption="Pass and fail: all systems at the best, or the worst, "
        + ("possible" if study.items.scale_given else "score that occurs")
        + ". Discrimination: correlation over systems of the score on an item with the mean over the others; below 0 "
        "the better systems do worse on it. At the ceiling: share of all scores.",
        frame=frame,
        columns=(
            METRIC,
            *right(whole, n_topics="Items"),
            *right(whole, "Items", **_KINDS),
            *right(number(2), discrimination="Discrimination, median"),
            *under(text, range="quartiles"),
            *right(share, "Scores", at_ceiling="at the ceiling", at_floor="at the floor"),
        ),
        data=rows,
    )
    worst = study.items.negative()
    folds = (Fold(title="Items of negative discrimination", blocks=(_negative_table(worst),)),) if len(worst) else ()
    return [
        Section(
            id="items",
            title="Items",
            lead="An item on which all systems do alike separates none, and one that the better systems fail may be "
            "mislabelled.",
            brief=True,
            blocks=(table, *folds),
        )
    ]


def _negative_table(frame: pd.DataFrame) -> Table:
    return Table(
        name="negative_items",
        title="Items of negative discrimination",
        caption="Lowest first. Some are below 0 by chance: a correlation over few systems is unsure.",
        frame=frame,
        columns=(
            METRIC,
            *left(topic="Item"),
            *right(number(2), discrimination="Discrimination"),
            *right(_SCORE, mean="Mean"),
        ),
    )


def subsets_section(study: LeaderboardStudy) -> list[Section]:
    """Say what fewer items keep."""
    if study.subsets is None:
        return []
    rows, n_splits = study.subsets.to_frame(), study.subsets.data.sizes["split"]
    frame = rows.assign(
        tau=[carried(*row, number(2)) for row in zip(rows["tau"], rows["tau_se"], strict=True)],
        tau_sort=rows["tau"],
        taus=intervals(rows["tau_low"], rows["tau_high"], number(2), draws=draws_of_middle(n_splits)),
        kept=[carried(*row) for row in zip(rows["kept"], rows["kept_se"], strict=True)],
        kept_sort=rows["kept"],
        keeps=intervals(rows["kept_low"], rows["kept_high"], draws=draws_of_middle(n_splits)),
    )
    table = Table(
        name="subsets",
        title="Subsets of the items",
        caption=f"Mean over {n_splits} splits of the systems and where 90 % of these lie: Kendall’s τ of the order "
        "by the subset with that by all items, and the share of significantly different pairs (paired t, uncorrected) "
        "that stay so; of systems that had no part in the choice"
        + (", whole families of them" if study.subsets.by_group else "")
        + ". Random subsets are the yardstick.",
        frame=frame,
        columns=(
            METRIC,
            *left(method="Chosen by"),
            *right(whole, size="Items"),
            *right(text, tau="τ"),
            *under(text, taus="90 % of splits"),
            *right(text, kept="Pairs kept"),
            *under(text, keeps="90 % of splits "),
        ),
        data=rows,
    )
    return [
        Section(
            id="subsets",
            title="Subsets of the items",
            lead="Whether fewer items would do. A subset that was chosen to keep a ranking keeps that one; what counts "
            "is what it says of systems that it was not chosen by.",
            blocks=(table,),
        )
    ]
