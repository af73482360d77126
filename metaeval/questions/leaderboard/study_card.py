"""What a leaderboard's owner may show of its test, as a small record: how much of the ranking its items decide."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.names import first_few, natural_order
from metaeval.questions.leaderboard.study import AS_RANKS, LeaderboardStudy
from metaeval.questions.leaderboard.study_means import MeansLeaderboardStudy
from metaeval.questions.leaderboard.study_record import Card, Detectable, MetricRecord, Treatment
from metaeval.table.scores import settled_gaps

CARD = "metaeval-card/1"
_METHODS = {
    "posterior": "rank intervals from the posterior of the systems' true means",
    "guaranteed": "rank intervals from paired t tests under Holm's correction",
    "means": "rank intervals from means and standard errors, as if errors were independent",
}
_FAMILIES = ("all", "adjacent", "best", "baseline")
_CLUSTERS = {"cluster": "random", "stratum": "fixed"}
_PAIRED_T = "paired t, two-sided, Holm"


class BoardTables(NamedTuple):
    """The tables of a study that its card and several parts of its page need, each made once."""

    systems: pd.DataFrame
    """`LeaderboardStudy.to_frame`."""
    counts: pd.DataFrame
    """`LeaderboardStudy.pair_counts`."""
    pairs: pd.DataFrame
    """`LeaderboardStudy.family_pairs`."""
    open_pairs: Mapping[tuple[str, str], Any]
    """By how many a family's number of separated pairs errs at most for its resamples, by metric and family."""
    places: pd.DataFrame
    """How much of each metric's ranking the items decide; see `tables_of`."""


def tables_of(study: LeaderboardStudy) -> BoardTables:
    """Return the tables of a study, and with them how much of each metric's ranking the items decide.

    The places have one row a metric with first (the leaders), leading (how many systems may be first), leading_error
    (of its draws), differ and n_near (neighbours that differ significantly, and all), error (by how much differ errs at
    most for its draws), width (of the median rank interval, where there are intervals), n_significant, n_pairs, share
    and share_error (of all pairs), all by the one decision over all pairs at once.
    """
    systems, counts, pairs = study.to_frame(), study.pair_counts(), study.family_pairs()
    errors = _open_pairs(study, pairs)
    decided = _by_family(counts[counts["correction"] == AS_RANKS])
    firsts = [None] * len(study.comparison.metrics) if study.ranks is None else study.ranks.open_firsts().tolist()
    rows = []
    for metric, leading_error in zip(study.comparison.metrics, firsts, strict=True):
        of_metric, near, every = (
            systems[systems["metric"] == metric],
            decided[metric, "adjacent"],
            decided[metric, "all"],
        )
        row: dict[str, object] = {
            "metric": metric,
            "first": first_few(natural_order(of_metric.loc[of_metric["rank"] == 1, "system"])),
            "differ": near["n_significant"],
            "n_near": near["n_pairs"],
            "error": errors[metric, "adjacent"],
            "leading_error": leading_error,
        }
        if study.ranks is None:
            best = decided[metric, "best"]
            row["leading"] = 1 + best["n_pairs"] - best["n_significant"]
        else:
            widths = (of_metric["rank_high"] - of_metric["rank_low"] + 1).sort_values(ascending=False)
            row |= {"leading": int((of_metric["rank_low"] == 1).sum()), "width": widths.iloc[(len(of_metric) - 1) // 2]}
        row |= {"family": "all", "correction": AS_RANKS, **every}
        rows.append(row | {"share_error": errors[metric, "all"] / max(every["n_pairs"], 1)})
    return BoardTables(systems, counts, pairs, errors, pd.DataFrame(rows))


def _open_pairs(study: LeaderboardStudy, pairs: pd.DataFrame) -> dict[tuple[str, str], Any]:
    lead = study.comparison
    if study.ranks is None:
        every = dict(zip(lead.metrics, lead.power_errors() * lead.n_pairs, strict=True))
        return {(metric, family): every[metric] for metric in lead.metrics for family in _FAMILIES}
    pair_errors = study.ranks.pairs().assign(error=study.ranks.open_pairs().ravel(), family="all")
    turned = pair_errors.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    keys = ["metric", "system_a", "system_b"]
    near = pairs[[*keys, "family"]].merge(pd.concat([pair_errors, turned])[[*keys, "error"]], on=keys)
    sums = pd.concat([pair_errors, near]).groupby(["metric", "family"], as_index=False)["error"].sum()
    return {(metric, family): error for metric, family, error in sums.to_numpy().tolist()}


def _by_family(counts: pd.DataFrame) -> dict[Any, dict[Any, Any]]:
    """Return the significant pairs, all pairs and the share of these, by metric and family."""
    columns = counts.set_index(["metric", "family"])[["n_significant", "n_pairs", "share"]]
    return columns.astype({"n_significant": int, "n_pairs": int}).to_dict("index")


def card_of(study: LeaderboardStudy, places: pd.DataFrame | None = None) -> Card:
    """Return the record of a leaderboard with scores by item, of its places where they are there already."""
    detected = {}
    if study.detectable is not None:
        rows = study.detectable.summary()
        rows = rows[rows["correction"] == "none"]
        widths = [float(np.nanmax(value) - np.nanmin(value)) for value in study.scores.to_numpy()]
        spans = dict(zip(study.comparison.metrics, widths, strict=True))
        # a difference wider than all scores lie apart is none, as on the page
        medians = zip(rows["metric"], rows["median"], strict=True)
        detected = {str(name): float(value) for name, value in medians if value <= spans[str(name)]}
    tests = [] if study.detectable is None else sorted({str(value) for value in study.detectable.tests.values()})
    sizes = study.scores.sizes
    return _card(
        study,
        tables_of(study).places if places is None else places,
        (sizes["system"], sizes["topic"]),
        _PAIRED_T if study.ranks is None else _METHODS[study.ranks.method],
        detected=detected,
        detectable={"test": tests, "correction": "none", "pair": "median", "power": study.power},
        treatment={
            "clusters": next((name for of, name in _CLUSTERS.items() if of in study.scores.coords), None),
            "n_missing": int(np.isnan(study.scores.to_numpy()).sum()),
            "settled": settled_gaps(study.scores),
            "left_out": list(study.left_out),
        },
    )


def places_of_means(study: MeansLeaderboardStudy) -> pd.DataFrame:
    """Return the places of `tables_of`, as far as means tell them."""
    frame, pairs = study.to_frame(), _by_family(study.pair_counts())
    leading = frame[frame["rank_low"] == 1].groupby("metric").size()
    near = {metric: pairs[metric, "adjacent"] for metric in study.board.metrics}
    rows = [
        {"metric": metric, "leading": leading[metric], "differ": of["n_significant"], "n_near": of["n_pairs"]}
        | pairs[metric, "all"]
        for metric, of in near.items()
    ]
    return pd.DataFrame(rows)


def card_of_means(study: MeansLeaderboardStudy) -> Card:
    """Return the record of a leaderboard of means and standard errors: without items, and what only they tell."""
    return _card(study, places_of_means(study), (len(study.board.systems), None), _METHODS["means"])


def _card(  # noqa: PLR0913 - the parts of a card
    study: LeaderboardStudy | MeansLeaderboardStudy,
    places: pd.DataFrame,
    sizes: tuple[int, int | None],
    method: str,
    *,
    detected: Mapping[str, float] = MappingProxyType({}),
    detectable: Detectable | None = None,
    treatment: Treatment | None = None,
) -> Card:
    n_systems, n_items = sizes
    record = study.provenance
    return {
        "schema": CARD,
        "n_systems": n_systems,
        "n_items": n_items,
        "treatment": treatment,
        "decision": {"method": method, "family": "all pairs of a metric at once", "alpha": study.alpha},
        "metrics": [_metric(row, detected.get(row["metric"])) for row in places.to_dict("records")],
        "detectable": detectable,
        "version": record.versions.get("metaeval", ""),
        "created": record.created,
        "command": record.command_line or record.command,
        "random_source": record.random_source,
        "inputs": dict(record.shown_inputs()),
    }


def _metric(row: Mapping[Any, Any], detectable: float | None) -> MetricRecord:
    return {
        "metric": row["metric"],
        "n_may_be_first": row["leading"],
        "n_may_be_first_error": row.get("leading_error"),
        "n_significant": row["n_significant"],
        "n_pairs": row["n_pairs"],
        "share": row["share"] if row["n_pairs"] else 0.0,  # of no pair that could be tested none differs
        "share_error": row.get("share_error"),
        "n_adjacent_significant": row["differ"],
        "n_adjacent": row["n_near"],
        "n_adjacent_error": row.get("error"),
        "detectable_difference": detectable if detectable is not None and math.isfinite(detectable) else None,
    }
