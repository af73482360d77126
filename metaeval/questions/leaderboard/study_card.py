"""What a leaderboard's owner may show of its test, as a small record: how much of the ranking its items decide."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import first_few, natural_order
from metaeval.base.provenance import Provenance
from metaeval.questions.leaderboard.study import AS_RANKS, LeaderboardStudy
from metaeval.questions.leaderboard.study_means import MeansLeaderboardStudy
from metaeval.table.scores import settled_gaps

CARD = "metaeval-card/1"
_METHODS = {
    "posterior": "rank intervals from the posterior of the systems' true means",
    "guaranteed": "rank intervals from paired t tests under Holm's correction",
    "means": "rank intervals from means and standard errors, as if errors were independent",
}
_FAMILIES = ("all", "adjacent", "best", "baseline")
_CLUSTERS = {"cluster": "random", "stratum": "fixed"}
_PAIRED_T = "paired t, two-sided"


def places_of(study: LeaderboardStudy) -> pd.DataFrame:
    """Return how much of each metric's ranking the items decide: who may be first, and which neighbours differ.

    One row a metric with first (the leaders), leading (how many systems may be first), leading_error (of its draws),
    differ and n_near (neighbours that differ significantly, and all), error (by how much differ errs at most for its
    draws), width (of the median rank interval, where there are intervals), n_significant, n_pairs, share and
    share_error (of all pairs), all by the one decision over all pairs at once.
    """
    frame, rows, errors = study.to_frame(), [], open_pairs_of(study)
    counts = study.pair_counts()
    pairs = _by_family(counts[counts["correction"] == AS_RANKS])
    firsts = [None] * len(study.comparison.metrics) if study.ranks is None else study.ranks.open_firsts().tolist()
    for metric, leading_error in zip(study.comparison.metrics, firsts, strict=True):
        of_metric, near, every = frame[frame["metric"] == metric], pairs[metric, "adjacent"], pairs[metric, "all"]
        leaders = natural_order(of_metric.loc[of_metric["rank"] == 1, "system"])
        row: dict[str, Any] = {"metric": metric, "first": first_few(leaders)}
        row |= {"differ": int(near["n_significant"]), "n_near": int(near["n_pairs"])}
        row |= {"error": errors[metric, "adjacent"], "leading_error": leading_error}
        if study.ranks is None:
            best = pairs[metric, "best"]
            row["leading"] = 1 + int(best["n_pairs"] - best["n_significant"])
        else:
            widths = (of_metric["rank_high"] - of_metric["rank_low"] + 1).sort_values(ascending=False)
            row |= {"leading": int((of_metric["rank_low"] == 1).sum()), "width": widths.iloc[(len(of_metric) - 1) // 2]}
        rows.append(row | every | {"share_error": errors[metric, "all"] / every["n_pairs"]})
    return pd.DataFrame(rows)


def open_pairs_of(study: LeaderboardStudy) -> dict[tuple[str, str], Any]:
    """Return by how many a family's number of separated pairs errs at most for its resamples, by metric and family."""
    lead, near = study.comparison, study.family_pairs()
    if study.ranks is None:
        every = dict(zip(lead.metrics, lead.power_errors() * lead.n_pairs, strict=True))
        return {(metric, family): every[metric] for metric in lead.metrics for family in _FAMILIES}
    pair_errors = study.ranks.pairs().assign(error=study.ranks.open_pairs().ravel(), family="all")
    turned = pair_errors.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    keys = ["metric", "system_a", "system_b"]
    near = near[[*keys, "family"]].merge(pd.concat([pair_errors, turned])[[*keys, "error"]], on=keys)
    sums = pd.concat([pair_errors, near]).groupby(["metric", "family"], as_index=False)["error"].sum()
    return {(metric, family): error for metric, family, error in sums.to_numpy().tolist()}


def card_of(study: LeaderboardStudy) -> dict[str, Any]:
    """Return the record of a leaderboard with scores by item; see `LeaderboardStudy.card`."""
    detected = {}
    if study.detectable is not None:
        rows = study.detectable.summary()
        rows = rows[rows["correction"] == "none"]
        widths = [float(np.nanmax(value) - np.nanmin(value)) for value in study.scores.to_numpy()]
        spans = dict(zip(study.comparison.metrics, widths, strict=True))
        # a difference wider than all scores lie apart is none, as on the page
        medians = zip(rows["metric"], rows["median"], strict=True)
        detected = {str(name): float(value) for name, value in medians if value <= spans[str(name)]}
    metrics = [
        _metric(row, (row["leading"], row["differ"], row["n_near"]), detected.get(row["metric"]))
        for row in _records(places_of(study))
    ]
    tests = [] if study.detectable is None else sorted({str(value) for value in study.detectable.tests.values()})
    return _card(
        systems=study.scores.sizes["system"],
        items=study.scores.sizes["topic"],
        method=_PAIRED_T + ", Holm" if study.ranks is None else _METHODS[study.ranks.method],
        alpha=study.alpha,
        metrics=metrics,
        detectable={"test": tests, "correction": "none", "pair": "median", "power": study.power},
        provenance=study.provenance,
        treatment={
            "clusters": next((name for of, name in _CLUSTERS.items() if of in study.scores.coords), None),
            "n_missing": int(np.isnan(study.scores.to_numpy()).sum()),
            "settled": settled_gaps(study.scores),
            "left_out": list(study.left_out),
        },
    )


def card_of_means(study: MeansLeaderboardStudy) -> dict[str, Any]:
    """Return the record of a leaderboard of means and standard errors: without items, and what only they tell."""
    frame, pairs = study.to_frame(), _by_family(study.pair_counts())
    metrics = []
    for metric in study.board.metrics:
        near, leading = pairs[metric, "adjacent"], ((frame["metric"] == metric) & (frame["rank_low"] == 1)).sum()
        metrics.append(_metric(pairs[metric, "all"], (leading, near["n_significant"], near["n_pairs"]), None))
    return _card(
        systems=len(study.board.systems),
        items=None,
        method=_METHODS["means"],
        alpha=study.alpha,
        metrics=metrics,
        detectable=None,
        provenance=study.provenance,
    )


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _by_family(counts: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["metric"], row["family"]): row for row in _records(counts)}


def _metric(every: dict[str, Any], counts: Sequence[int], detectable: float | None) -> dict[str, Any]:
    leading, differ, near = map(int, counts)
    return {
        "metric": every["metric"],
        "n_may_be_first": leading,
        "n_may_be_first_error": every.get("leading_error"),
        "n_significant": int(every["n_significant"]),
        "n_pairs": int(every["n_pairs"]),
        "share": float(every["share"]),
        "share_error": every.get("share_error"),
        "n_adjacent_significant": differ,
        "n_adjacent": near,
        "n_adjacent_error": every.get("error"),
        "detectable_difference": detectable if detectable is not None and math.isfinite(detectable) else None,
    }


def _card(  # noqa: PLR0913 - the parts of a card
    *,
    systems: int,
    items: int | None,
    method: str,
    alpha: float,
    metrics: list[dict[str, Any]],
    detectable: dict[str, Any] | None,
    provenance: Provenance,
    treatment: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "schema": CARD,
        "n_systems": int(systems),
        "n_items": None if items is None else int(items),
        "treatment": None if treatment is None else dict(treatment),
        "decision": {"method": method, "family": "all pairs of a metric at once", "alpha": alpha},
        "metrics": metrics,
        "detectable": detectable,
        "version": provenance.versions.get("metaeval", ""),
        "created": provenance.created,
        "command": provenance.command_line or provenance.command,
        "random_source": provenance.random_source,
        "inputs": dict(provenance.shown_inputs()),
    }
