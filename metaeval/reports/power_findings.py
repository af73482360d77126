# ruff: noqa: RUF001 - Greek letters are meant for people
"""What a power study says in plain words: the answer, and how it was found."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.bibliography import cited
from metaeval.base.names import count
from metaeval.base.words import carried, interval, listed, name_of_metric, number, percentage, short_names
from metaeval.page.blocks import Methods
from metaeval.reports.power_bayesian import BAYESIAN_SOURCES, bayesian_methods, bayesian_sentences
from metaeval.reports.shared import (
    cited_keys,
    computed_with,
    described_by,
    groups_of_topics,
    resampled_on,
    side_words,
    with_draws,
)
from metaeval.studies.power import PowerStudy
from metaeval.table.scores import Scores
from metaeval.table.structure import mean_over_topics
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SCORE = number(4)
_CAUTION = "Discriminative power says how steady a metric is over topics, not whether it measures the right thing."
_POWER = ("sakai2006", "sakai2008")
_LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy"}


def power_summary(study: PowerStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    """Say under which metric most pairs differ significantly, what a correction leaves, and how clear the lead is."""
    lead = study.comparisons[0]
    rows = rows_of(frame, lead)
    best = rows[rows["n_significant"] == rows["n_significant"].max()].sort_values("metric")
    how = f"at α = {lead.alpha:g} ({lead.procedure.words}, {CORRECTIONS.words(lead.correction)})"
    if lead.n_pairs == 1:
        return (_pair_words(study, how), *([" ".join(found)] if (found := bayesian_sentences(study)) else []))
    answer = "; ".join([_best_words(study, rows, best, how), *_corrected_words(study, frame, best)])
    rest = [
        *_distinct_sentence(study, rows, best),
        *_required_sentence(study, frame, best),
        *_worst_sentence(study, rows, best),
    ]
    parts = ([f"{answer}."], rest, bayesian_sentences(study), [*_identical_sentence(study), _CAUTION])
    return tuple(" ".join(part) for part in parts if part)


def _pair_words(study: PowerStudy, how: str) -> str:
    """Say of two systems which is better under which metrics, and where another test decides otherwise."""
    lead = study.comparisons[0]
    parts = verdicts_of_pair(lead, study.scores)
    decided = lead.data["significant"].isel(pair=0)
    others = []
    for other in one_per_test(study)[1:]:
        own = other.data["significant"].isel(pair=0)
        if (own != decided).any():
            names = [name_of_metric(metric) for metric, yes in zip(other.metrics, own.to_numpy(), strict=True) if yes]
            others.append(
                f" By {other.procedure.described} they differ under {listed(names) if names else 'no metric'}."
            )
    return f"{'; '.join(parts)} {how}.{''.join(others)}"


def verdicts_of_pair(result: PairwiseResult, scores: Scores) -> list[str]:
    """Say of the one pair that was tested which system is significantly better under which metrics, with the means."""
    one, write = result.data.isel(pair=0), number(3)
    names = [str(one[side].item()) for side in ("system_a", "system_b")]
    means = mean_over_topics(scores.sel(metric=list(result.metrics), system=names))
    sides: dict[int, list[str]] = {}
    for place, metric in enumerate(result.metrics):
        side = int(one["better"][place]) * bool(one["significant"][place])
        first, second = means[place] if side >= 0 else means[place][::-1]
        sides.setdefault(side, []).append(f"{name_of_metric(metric)} ({write(first)} against {write(second)})")
    words = {1: "{0} is significantly better than {1}", -1: "{1} is significantly better than {0}"}
    said = {side: words.get(side, "{0} and {1} do not differ significantly").format(*names) for side in sides}
    return [
        f"{said[side]} under {listed(found)}" for side, found in sorted(sides.items(), key=lambda one: -abs(one[0]))
    ]


def _best_words(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame, how: str) -> str:
    top, names = best.iloc[0], [name_of_metric(name) for name in best["metric"]]
    bounds = ""
    if study.intervals is not None and pd.notna(top["power_low"]):
        level, n_rounds = percentage(study.intervals.confidence_level), study.intervals.n_rounds
        ends = dict.fromkeys(_bounds(row, n_rounds) for row in best.to_dict("records"))
        bounds = f"; {level} interval{'s' * (len(ends) > 1)} {listed(ends)}"
    found = f"{top['n_significant']:,} of {top['n_pairs']:,} pairs of systems"
    error = max(power_error(study, row) for row in best.to_dict("records"))
    power = f" ({carried(top['power'], error)}{bounds})"
    if top["n_significant"] == 0:
        return f"No pair of systems differs significantly {how}{', under any metric' * (len(rows) > 1)}"
    if len(rows) == 1:
        return f"Under {names[0]} {found}{power} differ significantly {how}"
    if len(best) == len(rows):
        every = "both" if len(rows) == 2 else f"all {len(rows)}"  # noqa: PLR2004 - two have their own word
        return f"Under {every} metrics equally many pairs differ significantly: {found}{power} {how}"
    if len(best) > 1:
        return (
            f"Of {len(rows)} metrics, {listed(names)} have the highest discriminative power: {found}{power} differ "
            f"significantly under each {how}"
        )
    return (
        f"Of {len(rows)} metrics, {names[0]} has the highest discriminative power: {found}{power} differ "
        f"significantly {how}"
    )


def _bounds(row: Mapping[Hashable, Any] | pd.Series, n_rounds: int) -> str:
    return interval(row["power_low"], row["power_high"], draws=n_rounds, about=row["power"])


def power_error(study: PowerStudy, row: Mapping[Hashable, Any] | pd.Series) -> float:
    """Return the Monte-Carlo standard error of the power in a row of the study."""
    result = study.find(row["test"], row["correction"])
    return float(result.power_errors()[result.metrics.index(row["metric"])])


def _corrected_words(study: PowerStudy, frame: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    strict = deciding(study)
    if strict is study.comparisons[0] or best["n_significant"].iloc[0] == 0:
        return []
    kept = rows_of(frame, strict).set_index("metric").loc[best["metric"]]
    left = [
        f"{row['n_significant']:,} ({carried(row['power'], power_error(study, row))})"
        for row in kept.reset_index().to_dict("records")
    ]
    if len(best) > 1:
        left = [f"{found} under {name_of_metric(metric)}" for found, metric in zip(left, best["metric"], strict=True)]
    more = _more_under(rows_of(frame, strict), kept)
    if strict.test == study.comparisons[0].test:
        return [f"after the {CORRECTIONS.label(strict.correction)} correction {listed(left)} remain{more}"]
    how = f"{strict.procedure.words}, {CORRECTIONS.words(strict.correction)}"
    return [f"with the false discovery rate kept at α ({how}), {listed(left)} differ{more}"]


def _more_under(rows: pd.DataFrame, kept: pd.DataFrame) -> str:
    """Name the metrics with most pairs under a correction, where the ones best without it have fewer."""
    most = rows["n_significant"].max()
    if most == kept["n_significant"].max():
        return ""
    names = listed(map(name_of_metric, rows.loc[rows["n_significant"] == most, "metric"]))
    return f" (most under that correction: {names}, {most:,})"


def _distinct_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    differences = power_differences(study)
    if study.intervals is None or differences is None or len(best) > 1:
        return []
    name, level = best["metric"].iloc[0], percentage(study.intervals.confidence_level)
    facing = differences[(differences["metric_a"] == name) | (differences["metric_b"] == name)]
    unclear = facing[(facing["low"] <= 0) & (facing["high"] >= 0)]
    near = [b if a == name else a for a, b in zip(unclear["metric_a"], unclear["metric_b"], strict=True)]
    if not near:
        return [f"Its lead is clear: all {level} intervals of the difference exclude zero."]
    others = "any other metric" if len(near) == len(rows) - 1 > 1 else listed(map(name_of_metric, near))
    return [f"Its lead over {others} is not clear: the {level} interval of the difference in power holds zero."]


def _worst_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    worst = rows[rows["n_significant"] == rows["n_significant"].min()]
    if len(worst) > 1 or len(best) == len(rows):
        return []
    row = worst.iloc[0]
    found = f"{row['n_significant']:,} ({carried(row['power'], power_error(study, row))})"
    return [f"{name_of_metric(row['metric'])} has the lowest discriminative power: {found}."]


def _required_sentence(study: PowerStudy, frame: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    if study.sensitivity is None or len(best) > _FEW:
        return []
    errors = study.sensitivity.required_errors()
    rows = frame[(frame["test"] == SENSITIVITY) & (frame["correction"] == "none")].set_index("metric")
    return [
        f"Under {name_of_metric(metric)} the observed difference that suffices for significance by bootstrap "
        f"sensitivity is {carried(rows.loc[metric, 'difference_required'], most, _SCORE)} at most and "
        f"{carried(rows.loc[metric, 'difference_required_median'], middle, _SCORE)} for the median pair."
        for metric, (most, middle, _) in zip(best["metric"], errors.loc[best["metric"]].to_numpy(), strict=True)
        if metric in rows.index
    ]


_FEW = 4
"""Identical systems, groups of them and metrics of equal power that are named; the page names all."""


def _identical_sentence(study: PowerStudy) -> list[str]:
    alike = [" and ".join(names) for names in study.identical if len(names) <= _FEW]
    n_more = sum(len(names) for names in study.identical if len(names) > _FEW)
    alike = [*alike[:_FEW], *([] if len(alike) <= _FEW else [f"{len(alike) - _FEW} more pairs or groups"])]
    alike += [f"{n_more} systems in larger groups"] * bool(n_more)
    return [f"Identical throughout: {'; '.join(alike)}. Such pairs can never differ significantly."] if alike else []


def power_differences(study: PowerStudy) -> pd.DataFrame | None:
    """Return the intervals of the differences of powers under the first comparison's correction, or None.

    They may come from another test than the first one; their column ``test`` says which.
    """
    if study.intervals is None or study.scores.sizes["metric"] < 2:  # noqa: PLR2004 - a difference needs two
        return None
    frame = study.intervals.differences()
    frame = frame[frame["correction"] == study.comparisons[0].correction]
    return None if frame.empty else _larger_first(frame)


def _larger_first(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn every row so that its difference is not negative, and sort, largest first."""
    turned = frame["difference"].to_numpy() < 0
    a, b = frame["metric_a"].to_numpy(), frame["metric_b"].to_numpy()
    low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    out = frame.assign(
        metric_a=np.where(turned, b, a),
        metric_b=np.where(turned, a, b),
        difference=np.abs(frame["difference"].to_numpy()),
        low=np.where(turned, -high, low),
        high=np.where(turned, -low, high),
    )
    return out.sort_values("difference", ascending=False, kind="stable", ignore_index=True)


def deciding(study: PowerStudy) -> PairwiseResult:
    """Return the result that decides about pairs: the first under Benjamini-Yekutieli, else the first test's last."""
    same = [result for result in study.comparisons if result.test == study.comparisons[0].test]
    return next((result for result in study.comparisons if result.correction == "fdr_by"), same[-1])


def rows_of(frame: pd.DataFrame, result: PairwiseResult) -> pd.DataFrame:
    """Return the rows of `PowerStudy.to_frame` that one comparison gave."""
    return frame[(frame["test"] == result.test) & (frame["correction"] == result.correction)]


def decision_words(label: str, correction: str) -> str:
    """Return a test, by its label, and a correction as a caption names them."""
    return f"{label}, {CORRECTIONS.words(correction)}"


def one_per_test(study: PowerStudy) -> list[PairwiseResult]:
    """Return the first comparison of every test."""
    first: dict[str, PairwiseResult] = {}
    for result in study.comparisons:
        first.setdefault(result.test, result)
    return list(first.values())


# ------------------------------------------------------------------------------------------------------- the methods


def _in_groups(study: PowerStudy) -> str:
    groups = groups_of_topics(study.scores)
    weighted = ", which have weights," if "weight" in study.scores.coords else ""
    return "".join(f" in {count(number, what)}" for what, number in groups.items()) + weighted


def power_methods(study: PowerStudy) -> Methods:
    """Return what was done in words that fit a paper, from the record of what was done."""
    sizes, lead, intervals = study.scores.sizes, study.comparisons[0], study.intervals
    metrics = study.scores["metric"].to_numpy()
    under = f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, metrics))})"
    words = [
        f"We compared {sizes['system']:,} systems on {sizes['topic']:,} topics{_in_groups(study)} under {under}.",
        *short_names(metrics),
        (
            f"For each metric all {lead.n_pairs:,} pairs of systems were tested at α = {lead.alpha:g}, "
            f"{side_words(lead.alternative)}, with {listed(map(with_draws, one_per_test(study)))}."
        ),
        f"Discriminative power is the share of the pairs that differ significantly{cited(_POWER)}.",
    ]
    present = dict.fromkeys(result.correction for result in study.comparisons)
    if used := [described_by(name) for name in present if name != "none"]:
        start = "Beside the uncorrected results, p" if "none" in present else "P"
        words.append(f"{start}-values were adjusted over all pairs of one metric with {listed(used)}.")
    if study.sensitivity is not None:
        words.append(
            "The difference required is the largest absolute mean difference, over all pairs, of the resample at place "
            f"⌊Bα⌋ when the B = {study.sensitivity.n_resamples} resamples of a pair are ordered by the absolute value "
            "of their studentised statistic, largest first (Sakai, 2006); as a maximum it depends on single pairs, so "
            "its median and 95th percentile over the pairs are given too."
        )
    if intervals is not None:
        words.append(
            f"{percentage(intervals.confidence_level)} intervals for discriminative power, and for the difference of "
            "two metrics' powers, are t intervals whose standard error is the spread of the power over "
            f"{resampled_on(intervals)}; on real topics 95 % "
            "intervals of this form held the expected power in about 92 % of samples and otherwise mostly lay above it."
        )
    words += bayesian_methods(study)
    if n_same := sum(map(len, study.identical)):
        words.append(f"{n_same} systems with identical scores stayed among the pairs.")
    versions = study.provenance.versions
    around = [f"{label} {versions[name]}" for name, label in _LIBRARIES.items() if name in versions]
    words.append(computed_with(study.provenance, *around))
    keys = [*_POWER, *(key for result in study.comparisons for key in cited_keys(result))]
    keys += [] if study.bayesian is None else BAYESIAN_SOURCES[study.bayesian.model]
    return Methods(paragraphs=(" ".join(words),), cite=tuple(dict.fromkeys(keys)))
