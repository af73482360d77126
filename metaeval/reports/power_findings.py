"""What a power study finds: the answer, and how it was found."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.words import carried, interval, listed, number
from metaeval.page.blocks import Methods
from metaeval.reports.power_bayesian import BAYESIAN_SOURCES, bayesian_methods, bayesian_sentences
from metaeval.reports.prose import prose
from metaeval.reports.shared import beside, cited_keys, computed_with, groups_of_topics
from metaeval.studies.power import PowerStudy
from metaeval.table.scores import Scores
from metaeval.table.structure import mean_over_topics
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SCORE = number(4)
_POWER = ("sakai2006", "sakai2008")
_LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy"}
_FEW = 4
"""Identical systems, groups of them and metrics of equal power that are named; the page names all."""
say = prose("power_findings")


def power_summary(study: PowerStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    """Say under which metric most pairs differ significantly, what a correction leaves, and how clear the lead is."""
    lead = study.comparisons[0]
    rows = rows_of(frame, lead)
    best = rows[rows["n_significant"] == rows["n_significant"].max()].sort_values("metric")
    how = say("how", lead=lead)
    if lead.n_pairs == 1:
        return (_pair_words(study, how), *([" ".join(found)] if (found := bayesian_sentences(study)) else []))
    answer = "; ".join(
        [_best_words(study, rows, best, how), *_corrected_words(study, frame, best), *_beside(study, best)]
    )
    rest = [
        *_distinct_sentence(study, rows, best),
        *_required_sentence(study, frame, best),
        *_worst_sentence(study, rows, best),
    ]
    parts = ([f"{answer}."], rest, bayesian_sentences(study), [*_identical_sentence(study), say("caution")])
    return tuple(" ".join(part) for part in parts if part)


def _pair_words(study: PowerStudy, how: str) -> str:
    """Say of two systems which is better under which metrics, and where another test decides otherwise."""
    lead = study.comparisons[0]
    decided = lead.data["significant"].isel(pair=0)
    others = []
    for other in one_per_test(study)[1:]:
        own = other.data["significant"].isel(pair=0)
        if (own != decided).any():
            metrics = [metric for metric, yes in zip(other.metrics, own.to_numpy(), strict=True) if yes]
            others.append({"described": other.procedure.description, "metrics": metrics})
    return say("pair", verdicts=verdicts_of_pair(lead, study.scores), how=how, others=others)


def verdicts_of_pair(result: PairwiseResult, scores: Scores) -> list[str]:
    """Say of the one pair that was tested which system is significantly better under which metrics, with the means."""
    one = result.data.isel(pair=0)
    names = [str(one[side].item()) for side in ("system_a", "system_b")]
    means = mean_over_topics(scores.sel(metric=list(result.metrics), system=names))
    sides: dict[int, list[str]] = {}
    for place, metric in enumerate(result.metrics):
        side = int(one["better"][place]) * bool(one["significant"][place])
        better, worse = means[place] if side >= 0 else means[place][::-1]
        sides.setdefault(side, []).append(say("means", metric=metric, better=better, worse=worse))
    ordered = sorted(sides.items(), key=lambda one: -abs(one[0]))
    return [say("verdict", side=side, first=names[0], second=names[1], metrics=found) for side, found in ordered]


def _best_words(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame, how: str) -> str:
    if best["n_significant"].iloc[0] == 0:
        return say("none", how=how, n=len(rows))
    level, bounds = None, {}
    if study.intervals is not None and pd.notna(best["power_low"].iloc[0]):
        level, n_draws = study.intervals.confidence_level, study.intervals.n_topic_resamples
        bounds = dict.fromkeys(
            interval(row["power_low"], row["power_high"], draws=n_draws, about=row["power"])
            for row in best.to_dict("records")
        )
    error = max(power_error(study, row) for row in best.to_dict("records"))
    names, one = best["metric"].tolist(), best.iloc[0]
    return say("best", names=names, one=one, n=len(rows), error=error, level=level, bounds=list(bounds), how=how)


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
        say("left", row=row, error=power_error(study, row), named=len(best) > 1)
        for row in kept.reset_index().to_dict("records")
    ]
    everywhere = rows_of(frame, strict)
    most = everywhere["n_significant"].max()  # the metrics best without the correction may have fewer under it
    more = [] if most == kept["n_significant"].max() else everywhere.loc[everywhere["n_significant"] == most, "metric"]
    same = strict.test == study.comparisons[0].test
    return [say("kept", strict=strict, same=same, left=left, more=list(more), most=most)]


def _beside(study: PowerStudy, best: pd.DataFrame) -> list[str]:
    def counted(milder: PairwiseResult) -> str:
        found = (
            milder.discriminative_power().assign(error=milder.power_errors()).set_index("metric").loc[best["metric"]]
        )
        rows = found.reset_index().to_dict("records")
        return listed(say("left", row=row, error=row["error"], named=len(best) > 1) for row in rows)

    words = beside(deciding(study), counted)
    return [words] if words and best["n_significant"].iloc[0] else []


def _distinct_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    differences = power_differences(study)
    if study.intervals is None or differences is None or len(best) > 1:
        return []
    name, level = best["metric"].iloc[0], study.intervals.confidence_level
    facing = differences[(differences["metric_a"] == name) | (differences["metric_b"] == name)]
    unclear = facing[(facing["low"] <= 0) & (facing["high"] >= 0)]
    near = [b if a == name else a for a, b in zip(unclear["metric_a"], unclear["metric_b"], strict=True)]
    if not near:
        return [say("lead is clear", level=level)]
    return [say("lead is open", level=level, near=near, every=len(near) == len(rows) - 1 > 1)]


def _worst_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    worst = rows[rows["n_significant"] == rows["n_significant"].min()]
    if len(worst) > 1 or len(best) == len(rows):
        return []
    return [say("worst", row=worst.iloc[0], error=power_error(study, worst.iloc[0]))]


def _required_sentence(study: PowerStudy, frame: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    if study.sensitivity is None or len(best) > _FEW:
        return []
    errors = study.sensitivity.required_errors()
    rows = frame[(frame["test"] == SENSITIVITY) & (frame["correction"] == "none")].set_index("metric")
    return [
        say(
            "required",
            metric=metric,
            most=carried(rows.loc[metric, "difference_required"], most, _SCORE),
            middle=carried(rows.loc[metric, "difference_required_median"], middle, _SCORE),
        )
        for metric, (most, middle, _) in zip(best["metric"], errors.loc[best["metric"]].to_numpy(), strict=True)
        if metric in rows.index
    ]


def _identical_sentence(study: PowerStudy) -> list[str]:
    alike = [names for names in study.identical if len(names) <= _FEW]
    n_systems = sum(len(names) for names in study.identical if len(names) > _FEW)
    if not alike and not n_systems:
        return []
    return [say("identical", alike=alike[:_FEW], n_groups=len(alike[_FEW:]), n_systems=n_systems)]


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


def power_methods(study: PowerStudy) -> Methods:
    """Return what was done in words that fit a paper, from the record of what was done."""
    present = list(dict.fromkeys(result.correction for result in study.comparisons))
    words = [
        say(
            "methods",
            study=study,
            sizes=study.scores.sizes,
            lead=study.comparisons[0],
            tests=one_per_test(study),
            metrics=study.scores["metric"].to_numpy().tolist(),
            groups=groups_of_topics(study.scores),
            weighted="weight" in study.scores.coords,
            sources=_POWER,
            used=[name for name in present if name != "none"],
            beside="none" in present,
        ),
        *bayesian_methods(study),
    ]
    if n_same := sum(map(len, study.identical)):
        words.append(say("same", n=n_same))
    versions = study.provenance.versions
    around = [f"{label} {versions[name]}" for name, label in _LIBRARIES.items() if name in versions]
    words.append(computed_with(study.provenance, *around))
    keys = [*_POWER, *(key for result in study.comparisons for key in cited_keys(result))]
    keys += [] if study.bayesian is None else BAYESIAN_SOURCES[study.bayesian.model]
    keys += [] if study.intervals is None else ["korn1998"]
    return Methods(paragraphs=(" ".join(words),), cite=tuple(dict.fromkeys(keys)))
