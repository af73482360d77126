"""Verdicts on judges, by rule: for ranking systems, for labels, and on group bias.

For ranking systems, under the first metric, two figures are compared with a second person's, in the unit of F1: how far
F1 of significant pairs falls short, and how much more of it contradictions take (pairs significant in opposite
directions). A judge may take the place of a person if all of both intervals lies within the margin; it may not if all
of one lies beyond it; in between these topics and persons do not settle it, nor where F1 has no interval, as all
resamples give the same, or rests on so few significant pairs that a single one costs more than the margin; nor is a
judge turned away on so few that not even an exact test of signs could tell (five). Each interval leaves 2.5 % on either
side, so a judge within the margin is turned away in at most 5 % of samples. Without a second person the same is said of
every F1 that one could have. Where no pair differs significantly under the reference there is nothing to agree on: no
verdict. For labels the alt-test decides.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.agreement.judge_bias_table import BENT
from metaeval.base.words import NAMED, ends, listed, number
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.result import is_significant

_NAN = float("nan")


class JudgeVerdict(NamedTuple):
    """What the rules say of one judge, by the columns of `judge_verdicts`."""

    judge: str
    ranking: str = ""
    f1: float = _NAN
    f1_low: float = _NAN
    f1_high: float = _NAN
    people_f1: float = _NAN
    difference: float = _NAN
    difference_low: float = _NAN
    difference_high: float = _NAN
    n_conflicts: float = _NAN
    people_conflicts: float = _NAN
    contradicted: float = _NAN
    contradicted_low: float = _NAN
    contradicted_high: float = _NAN
    cleared_if_equal: float = _NAN
    found_out: float = _NAN
    cleared_up_to: float = _NAN
    short_from: float = _NAN
    otherwise: str = ""
    labels: str = ""
    winning_rate: float = _NAN
    favours: str = ""
    favour: float = _NAN
    favour_low: float = _NAN
    favour_high: float = _NAN
    bent: bool | float = _NAN
    beyond_people: float = _NAN
    beyond_low: float = _NAN
    beyond_high: float = _NAN


_WORDS = ("judge", "ranking", "otherwise", "labels", "favours")
_DECIDED = {"may", "may not"}


def deciding_metric(conclusions: Mapping[str, JudgeConclusions]) -> str | None:
    """Return the metric that verdicts on ranking are by: the first under which a judge was tested, None for none."""
    return next((name for name, concluded in conclusions.items() if len(concluded.tested())), None)


def judge_verdicts(
    conclusions: Mapping[str, JudgeConclusions],
    group_bias: Mapping[str, FavouredGroups],
    alt: AltTest | None,
    *,
    margin: float,
    alpha: float,
) -> pd.DataFrame:
    """Return one row a judge beside the reference and the people, best first.

    Columns are ``judge``; ``ranking`` ("may", "may not", "not settled", "no second person" or "no pairs") with what
    `ranking_verdict` gives; ``otherwise`` (other metrics that speak against it); ``labels`` ("may", "may not") with
    ``winning_rate``; ``favours`` (the group it favours most beyond doubt, or all equals, under the first metric) with
    ``favour`` and its interval, whether its scale is ``bent``, and how much of it second people do not share
    (``beyond_people``). What has no answer is empty. There is no row without a reference.
    """
    rows: dict[str, JudgeVerdict] = {}
    metric = deciding_metric(conclusions)
    if metric is not None:
        concluded = conclusions[metric]
        for name in concluded.tested()["judge"]:
            otherwise = ", ".join(contrary for contrary, _ in other_metrics(conclusions, name, margin))
            rows[name] = ranking_verdict(concluded, name, margin)._replace(otherwise=otherwise)
            if metric in group_bias:
                rows[name] = _favour(rows[name], group_bias[metric], alpha)
    if alt is not None:
        for row in alt.judges.to_dict("records"):
            word = row["verdict"]
            verdict = rows.get(row["judge"], JudgeVerdict(row["judge"]))
            rows[row["judge"]] = verdict._replace(labels=word, winning_rate=row["winning_rate"])
    frame = pd.DataFrame([*rows.values()], columns=[*JudgeVerdict._fields])
    frame[[*_WORDS]] = frame[[*_WORDS]].astype(object)
    return frame.sort_values(["f1", "judge"], ascending=[False, True], ignore_index=True)


def fewest_pairs(margin: float) -> float:
    """Return the number of significant pairs below which a single pair missed lowers F1 by more than the margin.

    Examples
    --------
    >>> fewest_pairs(0.05), fewest_pairs(0.1)
    (10.0, 5.0)
    """
    return float(np.ceil(0.5 / margin - RELATIVE)) if margin > 0.0 else float("inf")


def ranking_verdict(found: JudgeConclusions, judge: str, margin: float) -> JudgeVerdict:
    """Return the verdict for ranking systems with what it rests on, by the rule of this module.

    ``f1`` and ``contradicted`` have their intervals, ``difference`` is F1 less ``people_f1``. ``cleared_if_equal`` is
    how often such topics and persons would say "may" of a judge as good as a person, ``found_out`` how often "may not"
    of one whose F1 falls short by twice the margin. Without people "may" would be said beside a person whose F1 is
    below ``cleared_up_to``, and "may not" beside one above ``short_from``.
    """
    table = found.table.set_index("judge")
    row = _row(table, judge)
    if row["n_reference"] == 0:
        return JudgeVerdict(
            judge, "no pairs", f1=row["f1"], f1_low=row["f1_low"], f1_high=row["f1_high"], n_conflicts=0
        )
    columns = [f"{name}{end}" for name in ("f1", "contradicted") for end in ("", "_low", "_high")]
    figures = {name: row[name] for name in (*columns, "n_conflicts")}
    verdict = JudgeVerdict(judge, "not settled")._replace(**figures)
    few = row["n_reference"] < fewest_pairs(margin)
    if found.beside_people.empty:
        return _alone(verdict, margin, few=few)
    beside = found.beside_people[found.beside_people["judge"] == judge].set_index("measure")
    f1, against = _row(beside, "f1"), _row(beside, "contradicted")
    against_low, against_high = _ends_or_value(against["difference"], against["low"], against["high"])
    word = verdict.ranking
    told = 2.0 ** (1 - row["n_reference"]) <= 1.0 - found.confidence_level  # by a test of signs, had each pair its own
    if told and (f1["high"] < -margin or against["low"] > margin):
        word = "may not"
    elif f1["low"] > -margin and against_high <= margin and not (few and f1["low"] <= 0.0):
        word = "may"
    same = found.table["reference_set"] == row["reference_set"]
    people = _row(found.table[same].set_index("judge"), "people")
    against = against.where(against.index != "low", against_low).where(against.index != "high", against_high)
    clear, consistent = _chance_within(f1, margin), _chance_within(against, margin, reached=True)
    clear = _NAN if few else clear
    return verdict._replace(
        ranking=word,
        people_f1=people["f1"],
        people_conflicts=people["n_conflicts"],
        difference=f1["difference"],
        difference_low=f1["low"],
        difference_high=f1["high"],
        cleared_if_equal=clear * consistent,
        found_out=clear,  # 2 margins below, the interval must keep as clear of the margin as it must at 0
    )


def _ends_or_value(value: float, low: float, high: float) -> tuple[float, float]:
    """Return the ends for contradictions, or what they are: they have none where all resamples give the same.

    They take no more from F1 than it falls short, and whether F1 has an interval is asked first.
    """
    return (value, value) if np.isnan(low) else (low, high)


def _row(table: pd.DataFrame, name: str) -> "pd.Series[Any]":
    return table.loc[[name]].iloc[0]


def _chance_within(apart: pd.Series, margin: float, *, reached: bool = False) -> float:
    """Return how often the interval of a true difference of 0 stays within the margin, or may reach it."""
    half = max(apart["high"] - apart["difference"], apart["difference"] - apart["low"])  # one end may be cut
    spread = apart["spread"]
    if not np.isfinite(half) or not np.isfinite(spread):
        return float("nan")
    if spread > 0:
        return float(ndtr((margin - half) / spread))
    return float(half <= margin if reached else half < margin)


def _alone(verdict: JudgeVerdict, margin: float, *, few: bool) -> JudgeVerdict:
    """Say what holds beside whatever second person there could be: nobody's F1 is above 1, or contradicts below 0."""
    ends = _ends_or_value(verdict.contradicted, verdict.contradicted_low, verdict.contradicted_high)
    up_to = verdict.f1_low + margin if ends[1] <= margin and not few else _NAN
    if up_to > 1:
        return verdict._replace(ranking="may")
    over = verdict.f1_high + margin
    return verdict._replace(ranking="no second person", cleared_up_to=up_to, short_from=over if over < 1 else _NAN)


def other_metrics(
    conclusions: Mapping[str, JudgeConclusions], judge: str, margin: float
) -> Iterator[tuple[str, JudgeVerdict]]:
    """Yield every metric that speaks against the verdict on a judge, with its own: the other way, or more conflicts."""
    metric = deciding_metric(conclusions)
    if metric is None:
        return
    deciding = ranking_verdict(conclusions[metric], judge, margin)
    for name, concluded in conclusions.items():
        if name == metric or judge not in set(concluded.tested()["judge"]):
            continue
        verdict = ranking_verdict(concluded, judge, margin)
        turned = deciding.ranking != verdict.ranking and "may not" in {deciding.ranking, verdict.ranking}
        if (turned and verdict.ranking in _DECIDED) or verdict.n_conflicts > deciding.n_conflicts:
            yield name, verdict


def _favour(verdict: JudgeVerdict, found: FavouredGroups, alpha: float) -> JudgeVerdict:
    """Add the groups that a judge favours most, or else disfavours most, of those where that is beyond doubt."""
    kind = "adjusted" if found.adjusted else "figure"
    low, high = (f"adjusted_{end}_both" if found.adjusted else f"{end}_both" for end in ("low", "high"))
    favoured = found.table[found.table["judge"] == verdict.judge]
    favoured = favoured[is_significant(favoured["p_corrected"].to_numpy(), alpha)]
    if favoured.empty:
        return verdict
    size = favoured[kind].abs()
    most = favoured[favoured["group"].isin(ends(favoured["group"], size, map(number(3), size))[1].names)]
    # what one group of two gains the other loses
    most = (most[most[kind] > 0] if (most[kind] > 0).any() else most).set_index("group").sort_index()
    verdict = verdict._replace(
        favours=listed(most.index, most=NAMED),
        favour=most[kind].iloc[0],
        favour_low=most[low].min(),
        favour_high=most[high].max(),
        bent=bool(found.adjusted and is_significant(most["bend_p"].to_numpy(), BENT).any()),
    )
    if len(most) > 1:  # each has its own, in the table
        return verdict
    people, lowest, highest = most[["beyond_people", "beyond_low", "beyond_high"]].iloc[0]
    return verdict._replace(beyond_people=people, beyond_low=lowest, beyond_high=highest)


def chance_error(chance: float, n_resamples: int) -> float:
    """Return the Monte-Carlo error of a chance that says where a margin lies, in spreads over resamples."""
    z = float(ndtri(chance))
    return math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * (abs(z) + 2.0) / math.sqrt(2.0 * n_resamples)
