"""What a study of a leaderboard says of the benchmark: what its items detect, how many it takes, which do the work."""

import math
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.names import first_few, natural_order
from metaeval.base.unit import unit as spoken
from metaeval.base.words import MISSING, carried, intervals, number, p_value, percentage, share, text, whole, with_share
from metaeval.models.sample_size import MOST_TOPICS
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.tables import Table, left, of_metrics, right, rising, under, with_errors
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.questions.leaderboard.study_required import RequirementsStudy
from metaeval.reports.prose import prose
from metaeval.reports.traits import runs_said
from metaeval.table.runs import runs_move
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import is_significant

_SCORE = number(4)
_PAIR = 2
_KINDS = {"all_pass": "all pass", "all_fail": "all fail", "all_equal": "all equal", "negative": "negative"}
_CORRECTED = {name: CORRECTIONS.label(name) for name in ("fdr_bh", "fdr_by")}
_LEAST = 5e-3
"""What two digits do not make 0."""
_ALPHA = 0.05
_TESTS = {
    "t": "t test",
    "exact binomial": "exact binomial test of scores of 0 and 1",
    "t and exact sign": "t test and exact sign test, both, where scores differ by one amount",
    "t and Tango": "t test and score test of Tango, both, of scores of 0 and 1",
}
"""What decides about requirements, as a caption names it."""
_SAME = 5e-5
"""Means that are printed alike."""
say = prose(__name__)


def clusters_named(study: LeaderboardStudy) -> str:
    """Name the first clusters of the items, so that people see what they are."""
    clusters = next((study.scores[kind] for kind in ("cluster", "stratum") if kind in study.scores.coords), None)
    return "" if clusters is None else first_few(natural_order(set(map(str, clusters.to_numpy()))), most=3)


def requirements_section(study: LeaderboardStudy | RequirementsStudy) -> list[Section]:
    """Say whether what was required is established."""
    if study.requirements is None:
        return []
    rows = study.requirements.to_frame()
    units = spoken().clusters if study.requirements.clustered else spoken().topics
    needed = "clusters_needed" if study.requirements.clustered else "items_needed"
    table = say.table(
        "requirements",
        rows,
        of_metrics(rows),
        left(requirement="Requirement"),
        right(_SCORE, estimate="Estimate"),
        right(_SCORE, "One-sided limits", low="at least", high="at most"),
        right(p_value, p_value="p"),
        left(state="State"),
        right(_SCORE, detectable="Margin found") if rows["detectable"].notna().any() else (),
        right(whole, **{needed: f"{units.capitalize()} needed"}) if rows[needed].notna().any() else (),
        data=rows,
        alpha=study.alpha,
        units=units,
        tests=tests_said(rows),
        runs=runs_said(study.scores),
        few=rows["n_too_few"].notna().any(),
        fewest=study.requirements.fewest,
    )
    return [say.section("requirements", table)]


def tests_said(rows: pd.DataFrame) -> list[str]:
    """Return in words what decided about requirements."""
    return [_TESTS[name] for name in natural_order(set(rows["test"]))]


def gaps_section(study: LeaderboardStudy) -> list[Section]:
    """Say what is missing, whether that goes with the scores, and which means it changes."""
    if study.gaps is None:
        return []
    rows, counts = study.gaps.relations(), study.gaps.summary()
    relations = {
        "topics": f"{spoken().topics} on which scores are missing",
        "systems": "systems that lack scores",
        "both": "neither (beyond their sum)",
    }
    frame = rows.assign(what=rows["relation"].map(relations), interval=intervals(rows["low"], rows["high"], _SCORE))
    table = say.table(
        "gaps",
        frame,
        of_metrics(rows),
        left(what="Because of"),
        right(_SCORE, difference="Difference"),
        under(text, interval=f"{percentage(study.gaps.confidence_level)} interval"),
        right(p_value, p_value="p"),
        called="missing_scores",
        data=rows,
        level=percentage(study.gaps.confidence_level),
        units=spoken().clusters if "cluster" in study.scores.coords else spoken().topics,
    )
    of_both = rows[rows["relation"] == "both"].set_index("metric")
    paragraphs = tuple(_gaps_found(row, of_both.loc[row["metric"]]) for row in counts.to_dict("records"))
    fold = Fold(title=say("means title"), blocks=(_means_table(study.gaps.to_frame()),))
    words = Text(paragraphs=paragraphs)
    return [say.section("gaps", words, table, fold, brief=False, n=study.scores.sizes["system"])]


def _gaps_found(row: dict[Any, Any], both: "pd.Series[Any]") -> str:
    """Say how much is missing, and whether that goes with the scores beyond what means allow for."""
    if is_significant(np.array(both["p_value"]), _ALPHA):
        relation = say("gaps go", direction="lower" if both["difference"] < 0 else "higher")
    else:
        relation = say("gaps untold" if math.isnan(both["p_value"]) else "gaps unseen")
    return f"{say('gaps found', row=row)} {relation}"


def _means_table(rows: pd.DataFrame) -> Table:
    """Put means with and without an allowance for missing scores side by side, where they differ or rank otherwise."""
    differ = (rows["mean_own"] - rows["mean"]).abs() > _SAME
    n, common = rows["system"].nunique(), f"of common {spoken().topics}"
    means = {
        "mean": common if n == _PAIR else f"by system and {spoken().topic}",
        "mean_own": f"of own {spoken().topics}",
    }
    means |= {"mean_common": common} if n > _PAIR and rows["mean_common"].notna().any() else {}
    return say.table(
        "means",
        rows[differ],
        of_metrics(rows),
        rising(whole, rank="Rank"),
        left(system="System"),
        right(whole, n_topics=spoken().Topics),
        right(_SCORE, "Mean", **means),
        rising(whole, rank_own=f"Rank by own {spoken().topics}"),
        called="means_with_gaps",
        data=rows,
        same=int((~differ).sum()),
        n=n,
    )


def differences_section(study: LeaderboardStudy) -> list[Section]:
    """Say which true differences these items would find, beside the differences at hand."""
    if study.detectable is None:
        return []
    rows = study.detectable.summary()
    levels = {name: CORRECTIONS.label(name) for name in rows["correction"].unique()}
    span = {str(name): float(values.max() - values.min()) for name, values in study.scores.groupby("metric")}
    spans = [span[name] for name in rows["metric"]]
    low, middle, high = (list(map(_within, rows[name], spans)) for name in ("low", "median", "high"))
    frame = rows.assign(
        typical=middle,
        typical_sort=rows["median"],
        range=list(map("{} to {}".format, low, high)),
        of=rows["correction"].map(levels),
        gap=rows["metric"].map(gaps_between_neighbours(study)),
    )
    table = say.table(
        "differences",
        frame,
        of_metrics(rows),
        left(of="Correction"),
        right(p_value, level="Level"),
        right(text, "Detectable difference", typical="median pair"),
        under(text, "Detectable difference", range="90 % of pairs"),
        right(share, discordance=f"{spoken().Topics} that differ") if (rows["test"] == "mcnemar").any() else (),
        right(_SCORE, gap="Neighbours apart"),
        called="detectable_differences",
        data=rows,
        runs=runs_move(study.scores),
        power=study.power,
    )
    return [say.section("detectable", table, brief=False)]


def _within(value: float, span: float) -> str:
    """Write a detectable difference; one that is wider than all scores lie apart is none."""
    return _SCORE(value) if value <= span else f">{_SCORE(span)}"


def gaps_between_neighbours(study: LeaderboardStudy) -> dict[str, float]:
    """Return the median difference of neighbours in the ranking under every metric."""
    frame = study.families.to_frame()
    near = frame[frame["family"] == "adjacent"]
    return {str(metric): float(rows["difference"].abs().median()) for metric, rows in near.groupby("metric")}


def needed_section(study: LeaderboardStudy) -> list[Section]:
    """Say how many items would part the best from the next, and neighbours."""
    if study.separation is None:
        return []
    frame, unit, runs = study.separation.to_frame(), study.separation.unit, runs_move(study.scores)
    top = frame.groupby("metric", sort=False).head(1)
    best = _needed_table("items_needed_top", top, unit, "the best from the next", runs=runs)
    every = _needed_table("items_needed", frame, unit, "neighbours", runs=runs)
    fold = Fold(title="Every pair of neighbours", blocks=(every,))
    return [say.section("items-needed", best, fold, brief=False, power=study.power)]


def _needed_table(name: str, frame: pd.DataFrame, unit: str, pairs: str, *, runs: bool) -> Table:
    none = (frame["likely_low"] <= 0.0) & (frame["likely_high"] >= 0.0)  # no number is certain to suffice
    most = frame["topics_needed_high"].map(_items).mask(none, "unbounded")
    written = (frame["topics_needed_low"].map(_items) + " to " + most).mask(frame["topics_needed_low"].isna(), MISSING)
    return say.table(
        "needed",
        frame.assign(interval=written),
        of_metrics(frame),
        left(first="System"),
        under(text, second="Next"),
        right(_SCORE, difference="Difference"),
        right(number(2), "Effect", effect="seen", likely="likely"),
        right(whole, topics=spoken().Topics),
        right(_items, topics_needed=f"{spoken().Topics} needed"),
        under(text, interval="for the interval"),
        right(_items, units_needed=f"{spoken().Clusters} needed") if unit == "cluster" else (),
        called=name,
        data=frame,
        pairs=pairs,
        runs=runs,
        unit=spoken().cluster if unit == "cluster" else spoken().topic,
    )


def _items(value: object) -> str:
    """Write a number of items; of more than ten million none is computed."""
    items = float(str(value))
    if math.isnan(items):
        return MISSING
    return f"> {MOST_TOPICS // 10**6} million" if items > MOST_TOPICS else f"{items:,.0f}"


def design_section(study: LeaderboardStudy) -> list[Section]:
    """Say what clusters cost."""
    if study.design is None:
        return []
    rows = study.design.to_frame()
    frame = rows.assign(
        of=rows["of"].map({"pairs": "Differences of pairs", "systems": "Means of systems"}),
        range=intervals(rows["low"], rows["high"], number(2)),
    )
    table = say.table(
        "design",
        frame,
        of_metrics(rows),
        left(of="Of"),
        right(number(2), design_effect="Design effect"),
        under(text, range="90 % of them"),
        right(number(2), intraclass_correlation="Intraclass correlation"),
        right(whole, n_topics=spoken().Topics, effective_topics=f"Effective {spoken().topics}"),
        called="design_effect",
        data=rows,
        design=study.design,
        named=clusters_named(study),
    )
    return [say.section("clusters", table, brief=False)]


def conclusions_section(study: LeaderboardStudy) -> Section:
    """Compare metrics and aggregates as metrics are compared."""
    rows = study.conclusions
    frame = rows.assign(
        found=list(map(with_share, rows["n_significant"], rows["n_pairs"])),
        found_sort=rows["n_significant"],
        **{name: list(map(with_share, rows[f"n_significant_{name}"], rows["n_pairs"])) for name in _CORRECTED},
    )
    table = say.table(
        "conclusions",
        frame,
        of_metrics(rows),
        left(aggregate="Aggregate"),
        right(text, "Significantly different pairs", found="uncorrected", **_CORRECTED),
        right(_items, topics_needed=f"{spoken().Topics} needed"),
        right(number(3), "Against the reference", tau="τ"),
        right(share, "Against the reference", kept="pairs kept"),
        data=rows,
        n_pairs=study.comparison.n_pairs,
        alpha=study.alpha,
        power=study.power,
        runs=runs_move(study.scores),
    )
    return say.section("aggregates", table, brief=False)


def items_section(study: LeaderboardStudy) -> list[Section]:
    """Say which items do the work."""
    if study.items is None:
        return []
    rows = study.items.summary()
    frame = rows.assign(range=intervals(rows["low"], rows["high"], number(2)))
    table = say.table(
        "items",
        frame,
        of_metrics(rows),
        right(whole, n_topics=spoken().Topics),
        right(whole, spoken().Topics, **_KINDS),
        right(number(2), discrimination="Discrimination, median"),
        under(text, range="quartiles"),
        right(share, "Scores", at_ceiling="at the ceiling", at_floor="at the floor"),
        data=rows,
        bound="possible" if study.items.scale_given else "score that occurs",
    )
    worst = study.items.negative()
    folds = (Fold(title=say("negative title"), blocks=(_negative_table(worst),)),) if len(worst) else ()
    return [say.section("items", table, *folds, brief=False)]


def _negative_table(frame: pd.DataFrame) -> Table:
    return say.table(
        "negative",
        frame,
        of_metrics(frame),
        left(topic=spoken().Topic),
        right(_below_zero, discrimination="Discrimination"),
        right(_SCORE, mean="Mean"),
        called="negative_items",
        data=frame,
    )


def _below_zero(value: object) -> str:
    """Write a correlation below 0; one that two digits would make 0 is above the first that they do not."""
    return number(2)(value) if abs(float(str(value))) >= _LEAST else f"> {number(2)(-2.0 * _LEAST)}"


def subsets_section(study: LeaderboardStudy) -> list[Section]:
    """Say what fewer items keep."""
    if study.subsets is None:
        return []
    rows, n_splits = study.subsets.to_frame(), study.subsets.data.sizes["split"]
    draws = draws_of_middle(n_splits)
    frame = with_errors(rows, {"tau": number(2)}, carried, error="se")
    frame = frame.assign(taus=intervals(rows["tau_low"], rows["tau_high"], number(2), draws=draws))
    frame = with_errors(frame, {"kept": None}, carried, error="se")
    frame = frame.assign(keeps=intervals(rows["kept_low"], rows["kept_high"], draws=draws))
    table = say.table(
        "subsets",
        frame,
        of_metrics(rows),
        left(method="Chosen by"),
        right(whole, size=spoken().Topics),
        right(text, tau="τ"),
        under(text, taus="90 % of splits"),
        right(text, kept="Pairs kept"),
        under(text, keeps="90 % of splits "),
        data=rows,
        n_splits=n_splits,
    )
    return [say.section("subsets", table, brief=False, head=f"Subsets of the {spoken().topics}")]
