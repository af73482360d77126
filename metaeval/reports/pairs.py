"""What pages say of tested pairs of systems."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from metaeval.base.names import count
from metaeval.base.unit import unit_of
from metaeval.base.words import bracketed, compared_p, name_of_metric, number, percentage
from metaeval.page.tables import METRIC, Column, Table, bounded, left, p_values, right
from metaeval.reports.corpus_means import other_first_of_corpus
from metaeval.reports.data_files import with_difference_bounds
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import drawn_for_p
from metaeval.reports.single_topics import on_single_topics
from metaeval.table.scores import Scores
from metaeval.table.structure import mean_over_topics
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import within_clusters
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, adjust
from metaeval.tests_stat.labels import side_of_pair
from metaeval.tests_stat.offered_clusters import ByOffered, by_offered_clusters
from metaeval.tests_stat.result import PairwiseResult, is_significant
from metaeval.tests_stat.runs import on_these_topics
from metaeval.tests_stat.tails import fewest_by_signs
from metaeval.tests_stat.unconfirmed import Unconfirmed, unconfirmed

_SCORE = number(4)
say = prose(__name__)


def pair_sentence(result: PairwiseResult, scores: Scores, *, by: bool = True) -> str:
    """Say whether the two systems that were tested differ significantly, and which is better under which metrics.

    `by` how much belongs to a page that shows the difference in a table.
    """
    sides, names, doubtful = metrics_by_side(result), _pair(result), unconfirmed(result)
    open_metrics = {row.metric for row in doubtful}
    contradicted = [row for row in by_offered_clusters(result, scores) if row.metric not in open_metrics]
    alone = doubtful[0] if len(result.metrics) == 1 and doubtful else None
    offered = contradicted[0] if len(result.metrics) == 1 and contradicted else None
    if len(sides[-1]) > len(sides[1]) or ((alone or offered) and result.data["better"].item() < 0):
        sides, names = {1: sides[-1], -1: sides[1], 0: sides[0]}, names[::-1]
    open_metrics |= {row.metric for row in contradicted}
    lead_by = _lead_by(result) if by and len(result.metrics) == 1 and (sides[1] or offered) else ""
    sides = {side: [name for name in of_side if name not in open_metrics] for side, of_side in sides.items()}
    sides[0] = [metric for metric in sides[0] if metric not in open_metrics]
    side = side_of_pair(result.alternative, *_pair(result))
    names = list(side) if side and not sides[1] and not open_metrics else names
    lacking = _held(result, scores) if not sides[1] else {}
    if lacking.get("metrics") and len(result.metrics) == 1:  # by the means, whichever of the two was named first
        names = sorted(_pair(result), key=lambda name: name != lacking["ahead"])
    means = mean_over_topics(scores.sel(metric=list(result.metrics), system=names))[0]
    return say(
        "pair",
        sides=sides,
        names=names,
        n=len(result.metrics),
        means=means.tolist(),
        lead_by=lead_by,
        between=_between(result) if by and len(result.metrics) == 1 and not sides[1] else "",
        lead=result,
        one_sided=side is not None,
        doubtful=_doubts(doubtful, contradicted, result) if len(result.metrics) > 1 else "",
        alone=alone,
        test=TESTS.find(result.test).words if alone and alone.won < 0 else result.procedure.words,
        offered=offered,
        untested=[metric for metric, tested in zip(result.metrics, result.n_tested, strict=True) if not tested],
        units=_units(scores),
        held=lacking,
        corpus=other_first_of_corpus(scores.sel(metric=list(result.metrics), system=_pair(result))),
        singly=on_single_topics(result),
    )


def said_by_cluster(by_cluster: pd.DataFrame | None) -> list[str]:
    """Say in which clusters of topics either of two systems is better, under each metric; see `pair_by_cluster`."""
    if by_cluster is None:
        return []
    told, several = [], len({*by_cluster["metric"]}) > 1
    for metric, rows in by_cluster.groupby("metric", sort=False):
        pair = rows[["system_a", "system_b"]].iloc[0]
        by = rows["difference"].abs().map(number(3))
        where = rows["cluster"].astype(str) + " (by " + by + ")"
        sides = {name: where[rows["verdict"] == side] for side, name in zip((1, -1), pair, strict=True)}
        better = [
            say("better on", who=name, where=clusters.tolist()) for name, clusters in sides.items() if len(clusters)
        ]
        told.append(say("by cluster", under=metric if several else "", told=better, n=len(rows)))
    return told


def _doubts(doubtful: Sequence[Unconfirmed], offered: Sequence[ByOffered], result: PairwiseResult) -> str:
    """Say under which of several metrics a test alone decides, and what does not."""
    told = [signs_said(doubtful, result), *(say("offered", row=row) for row in offered)]
    return " ".join(filter(None, told))


def _lead_by(result: PairwiseResult) -> str:
    """Write by how much the better of the two systems is ahead under the one metric, with the interval of that."""
    (row,) = with_difference_bounds(result)[["difference", "difference_low", "difference_high"]].to_numpy(float)
    lead, low, high = (row if row[0] >= 0.0 else -row[[0, 2, 1]]).tolist()
    return bracketed(lead, low, high, number(3))


def _between(result: PairwiseResult) -> str:
    """Write the difference of the two systems under the one metric, with its interval and p-value."""
    row = with_difference_bounds(result).iloc[0]
    return f"{_difference(row)}, p {compared_p(row['p_value'])}"


def _difference(row: pd.Series) -> str:
    """Write the difference of two systems with its interval."""
    figure = bracketed(row["difference"], row["difference_low"], row["difference_high"], number(3))
    return f"{row['system_a']} less {row['system_b']} {figure}"


def nearest_sentence(result: PairwiseResult) -> str:
    """Say of pairs none of which differs significantly how far those of the least p are apart; nothing otherwise."""
    rows = with_difference_bounds(result)
    rows = rows[rows["p_value"].notna()]
    if rows.empty or rows["significant"].any() or unconfirmed(result):
        return ""
    row = rows.sort_values("p_value", kind="stable").iloc[0]
    fields = {"several": len(result.metrics) > 1, "uncorrected": result.correction != FAMILY_WISE}
    return say("nearest", figure=_difference(row), metric=row["metric"], p=row["p_value"], **fields)


def _held(result: PairwiseResult, scores: Scores) -> dict[str, object]:
    """Return what keeps the one pair open that no exact test could decide: too few topics, or clusters."""
    within, few = within_clusters(result), result.too_few()[:, 0]
    one_sided = result.alternative != "two-sided"
    return {
        "least": result.least_reachable(),
        "metrics": [metric for metric, is_few in zip(result.metrics, few, strict=True) if is_few],
        "p": float(result.data["p_value"].to_numpy()[0, 0]),
        "ahead": _pair(result)[int(result.data["better"].to_numpy()[0, 0] < 0)],
        "enough": fewest_by_signs(result.alpha) - one_sided,
        "clustered": "cluster" in scores.coords,
        "within": _by_runs_said(result) if within is None else _within_said(within),
        "differ_within": not _by_runs_alone(result).empty if within is None else bool(within.data["significant"].any()),
    }


def _by_runs_alone(result: PairwiseResult) -> pd.DataFrame:
    """Return the pairs that differ by their runs on these topics alone, where topics are too few to tell of others.

    Columns ``metric``, ``better``, ``worse`` and ``p``, corrected; none where nothing is known of runs.
    """
    told = pd.DataFrame(columns=["metric", "better", "worse", "p"])
    if result.scores is None or not result.least_reachable() or result.alternative != "two-sided":
        return told
    pairs = list(zip(*(result.data[side].to_numpy().tolist() for side in ("system_a", "system_b")), strict=True))
    p_values = on_these_topics(result.scores, pairs, result.data["difference"].to_numpy())
    if p_values is None:
        return told
    corrected = adjust(
        p_values, "holm" if result.correction == FAMILY_WISE else result.correction, all_pairs=result.of_all_pairs
    )
    turned = result.data["better"].to_numpy()
    for at, pair in zip(*np.nonzero(is_significant(corrected, result.alpha)), strict=True):
        better, worse = pairs[pair][:: int(turned[at, pair])]
        told.loc[len(told)] = [result.metrics[at], better, worse, float(corrected[at, pair])]
    return told


def _by_runs_said(result: PairwiseResult) -> str:
    """Say which pairs those are; nothing of none."""
    told = _by_runs_alone(result)
    if told.empty:
        return ""
    n = told.groupby("metric").size().reindex(result.metrics, fill_value=0)
    several = len(result.metrics) > 1
    rows = [
        {"row": row, "under": f" under {name_of_metric(row['metric'])}" if several else ""}
        for row in told.sort_values("p", kind="stable").to_dict("records")
    ]
    n_topics = 0 if result.scores is None else result.scores.sizes["topic"]
    if result.n_pairs == 1:
        return say("pair by runs alone", n_topics=n_topics, **rows[0])
    words = [say("of pairs by runs alone", **row) for row in rows]
    some = n.min() < n.max()
    return say("pairs by runs alone", n=int(n.max()), n_pairs=result.n_pairs, some=some, told=words, n_topics=n_topics)


def _within_said(result: PairwiseResult) -> str:
    """Say of the one pair which system is better on these clusters alone."""
    sides, pair = metrics_by_side(result), _pair(result)
    n, turns = len(result.metrics), [side for side in (1, -1) if sides[side]]
    better = [say("within better", who=pair[side < 0], metrics=sides[side], n=n) for side in turns]
    return say("within", better=better, n=n, p=compared_p(result.data["p_value"].to_numpy()[0, 0]))


def signs_said(doubtful: Sequence[Unconfirmed], result: PairwiseResult) -> str:
    """Say under which metrics the one pair differs by its test, but not by exact signs, or not beyond its runs."""
    kinds = [row for row in doubtful if row.won >= 0], [row for row in doubtful if row.won < 0]
    return " ".join(say("signs", rows=rows, result=result) for rows in kinds if rows)


def _units(scores: Scores) -> str:
    """Return what is independent, in the words of the scores."""
    return unit_of(scores).clusters if "cluster" in scores.coords else unit_of(scores).topics


def held_back(result: PairwiseResult, scores: Scores) -> str:
    """Say how many of several pairs reach the level on too few topics for any exact test to; "" where none does."""
    if result.n_pairs == 1 or "p_corrected" not in result.data:
        return ""
    if (by_runs := result.open_by_runs().sum(axis=1)).any():
        return " " + say("by runs", n=int(by_runs.max()), some=np.ptp(by_runs) > 0)
    reached = is_significant(result.data["p_corrected"].to_numpy(), result.alpha, strictly_below=result.strictly_below)
    n = (reached & ~result.data["significant"].to_numpy()).sum(axis=1)
    if not (least := result.least_reachable()) and not n.any():
        return ""
    counts = {"n": int(n.max()), "some": np.ptp(n) > 0, "units": _units(scores)}
    counts["clustered"] = "cluster" in scores.coords
    return f" {say('held back', least=least, result=result, **counts)} {_by_runs_said(result)}".rstrip()


def lost_by_offered(result: PairwiseResult, scores: Scores) -> str:
    """Say how many of several significant pairs a column beside the scores contradicts; "" for none."""
    rows = by_offered_clusters(result, scores)
    if not rows:
        return ""
    row = max(rows, key=lambda row: row.n_lost)
    return " " + say("offered pairs", row=row, under=f" under {row.metric}" if len(result.metrics) > 1 else "")


def pair_figures(result: PairwiseResult, scores: Scores, *, first: str | None = None) -> Table:
    """Return the means of two systems under each metric, the difference, first less second, and its p-value."""
    names, metrics, frame = _pair(result), list(result.metrics), with_difference_bounds(result)
    if first == names[1]:
        names, frame = names[::-1], _turned(frame)
    means = mean_over_topics(scores.sel(metric=metrics, system=names))
    frame = frame.assign(first=means[:, 0], second=means[:, 1])
    frame["verdict"] = pair_verdicts(frame, result)
    p_columns = {"p_corrected": "p"} | ({"p_by_column": "p by groups"} if "p_by_column" in frame else {})
    frame, written = p_values(frame, p_columns, raw={}, n_resamples=drawn_for_p(result))
    frame, difference = difference_columns(frame, result.alpha, number(3), what=f"{names[0]} less {names[1]}")
    columns = (
        METRIC,
        *right(number(3), "Mean", first=names[0], second=names[1]),
        *difference,
        *written,
        *left(verdict="Significant"),
    )
    return key_figures(frame, columns)


def _turned(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return pairs with each difference the other way round: second system less first.

    Statistics are left out: not every test's has the other sign.
    """
    return pairs.drop(columns="statistic").assign(
        system_a=pairs["system_b"],
        system_b=pairs["system_a"],
        difference=0.0 - pairs["difference"],  # 0 without a sign
        difference_low=0.0 - pairs["difference_high"],
        difference_high=0.0 - pairs["difference_low"],
        better=-pairs["better"],
    )


def difference_columns(
    pairs: pd.DataFrame, alpha: float, write: Callable[[object], str] = _SCORE, *, what: str = "Difference"
) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return pairs with the intervals of their differences written out, if any has one, and the columns."""
    if pairs["difference_low"].isna().all():
        return pairs, right(write, difference=what)
    return bounded(pairs, {"difference": (what, write)}, f"{percentage(1 - alpha)} interval")


def tested_pairs(result: PairwiseResult, noun: str) -> str:
    """Say how many pairs were tested under each metric: all, or those that have enough in common; nothing of none."""
    least, most = int(result.n_tested.min()), int(result.n_tested.max())
    if least == result.n_pairs:
        return count(most, noun)
    return f"{f'{least:,} to ' if least < most else ''}{count(most, f'tested {noun}')}" if most else ""


def pair_verdicts(pairs: pd.DataFrame, result: PairwiseResult) -> pd.Series:
    """Return whether pairs differ significantly, "yes" or "no"; "open" where exact tests, runs or groups leave it so.

    None of those that could not be tested.
    """
    verdicts = pairs["significant"].map({True: "yes", False: "no"}).astype(object)
    open_metrics = [row.metric for row in unconfirmed(result)]
    if result.n_pairs == 1:
        left_open = result.too_few() | result.open_by_column()
        open_metrics += [metric for metric, is_open in zip(result.metrics, left_open[:, 0], strict=True) if is_open]
    verdicts = verdicts.mask(pairs["metric"].isin(open_metrics), "open")
    verdicts = verdicts.mask(pairs["open_by_runs"], "open") if "open_by_runs" in pairs else verdicts
    return verdicts.where(pairs["p_value"].notna(), None)


def decision_words(label: str, correction: str) -> str:
    """Return a test, by its label, and a correction as a caption names them."""
    return f"{label}, {CORRECTIONS.words(correction)}"


def metrics_by_side(result: PairwiseResult) -> dict[int, list[str]]:
    """Return the metrics by the sign of the one pair's verdict, if tested: first system better, second, or neither."""
    sides: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for metric, verdict, tested in zip(result.metrics, result.verdicts()[:, 0].tolist(), result.n_tested, strict=True):
        if tested:
            sides[int(verdict)].append(metric)
    return sides


def _pair(result: PairwiseResult) -> list[str]:
    return [str(result.data[side].to_numpy()[0]) for side in ("system_a", "system_b")]
