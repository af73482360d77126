# ruff: noqa: RUF001 - dashes are meant for people
"""What a power study finds: the answer, and how it was found."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import natural_order
from metaeval.base.words import (
    MISSING,
    WrittenInterval,
    carried,
    ends,
    listed,
    name_of_metric,
    number,
    percentage,
    share_of,
    text,
    whole,
    written_interval,
)
from metaeval.page.blocks import Methods
from metaeval.page.tables import METRIC, Table, right, under, with_cells
from metaeval.questions.power.page_bayesian import bayesian_methods, bayesian_sentences
from metaeval.questions.power.study import PowerStudy
from metaeval.reports.key_figures import key_figures
from metaeval.reports.pairs import metrics_by_side, pair_figures, pair_sentence, tested_pairs
from metaeval.reports.prose import prose
from metaeval.reports.shared import computed_with
from metaeval.reports.traits import traits_said
from metaeval.reports.witnesses import answer_and_rests
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SCORE = number(4)
_POWER = ("sakai2006", "sakai2008")
_LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy"}
say = prose(__name__)
_CORRECTED = "These counts are corrected for the number of pairs; published discriminative power mostly is not."
_MILDER = "Benjamini–Hochberg is milder, without the guarantee for any dependence between the tests."
_SENSITIVITY = "Bootstrap sensitivity serves to compare with publications that used it."


def power_summary(study: PowerStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    """Answer by what decides about pairs; then which count to quote, and how clear the best metric's lead is."""
    lead, published = deciding(study), study.comparisons[0]
    if lead.n_pairs == 1:
        return (*answer_and_rests(pair_sentence(published, study.scores, by=False), published), *_otherwise(study))
    rows = comparison_rows(frame, lead)
    best = rows[rows["n_significant"] == rows["n_significant"].max()]
    best = best.set_index("metric").loc[natural_order(best["metric"])].reset_index()
    error = max(power_error(study, row) for row in best.to_dict("records"))
    figures = dict.fromkeys(_with_interval(study, row, carried(row["power"], error)) for row in best.to_dict("records"))
    names, first = best["metric"].tolist(), best.iloc[0]
    figure = next(iter(figures)) if len(figures) == 1 else carried(first["power"], error)
    answer = _answer(lead, names, len(rows), first, figure)
    if len(names) > 1 and first["n_significant"]:
        answer = f"{answer.removesuffix('.')}{_published_counts(lead, published, frame, names)}."
    quote = _quote(study, lead, published, _most_under(published, frame, names))
    caution = " ".join([*_distinct_sentence(study, rows, best), say("caution")])
    if asked := bayesian_sentences(study):
        return " ".join(asked), answer, f"{quote} {caution}"
    return answer, quote, caution


def _answer(lead: PairwiseResult, names: list[str], n: int, best: "pd.Series[Any]", figure: str) -> str:
    """Say how many pairs differ under the metrics with most, or that none does."""
    if not (tested := tested_pairs(lead, "pair")):
        return say("untestable")
    n_significant, words = best["n_significant"], {"lead": lead, "tested": tested, "n": n, "figure": figure}
    if not n_significant:
        return say("none" if n == 1 else "none of several", metric=names[0], **words)
    if n == 1:
        verdict = "Yes" if n_significant == best["n_pairs"] else "Partly"
        return say("answer", verdict=verdict, metric=names[0], best=best, **words)
    who = listed(map(name_of_metric, names), most=3)
    most = "" if len(names) == n else f", the most of {n} metrics"
    each = "" if len(names) == 1 else " under each" if most else f" under each of {n} metrics"
    return say("answer of several", who=f"{who}: " if most else "", each=each, most=most, best=best, **words)


def _published_counts(lead: PairwiseResult, published: PairwiseResult, frame: pd.DataFrame, names: list[str]) -> str:
    """Say how many pairs metrics find as publications count them, where as many under the correction are not as many.

    The power of metrics with one corrected count is not the same because of this.
    """
    counts = comparison_rows(frame, published).set_index("metric")["n_significant"].reindex(names)
    if published is lead or counts.min() == counts.max():
        return ""
    low, high = ends(map(name_of_metric, names), counts, map(whole, counts))
    return say("published counts", published=published, low=low, high=high)


def _quote(study: PowerStudy, lead: PairwiseResult, published: PairwiseResult, more: list[str]) -> str:
    """Say which counts to quote, and what stands behind them."""
    if published is not lead:
        by = f" ({published.procedure.words})" if published.test != lead.test else ""
        words = [say("quote published", published=published, by=by)]
    else:
        words = [say("quote uncorrected", lead=lead) if lead.correction == "none" else _CORRECTED]
    words += [_MILDER] if lead.beside() is not None else []
    words += [say("more", published=published, more=more)] if more else []
    tests = [result.test for result in one_per_test(study)]
    words += [_SENSITIVITY] if len(tests) > 1 and SENSITIVITY in tests else []
    return " ".join(words)


def power_figures(study: PowerStudy, frame: pd.DataFrame) -> Table:
    """Return each metric's count of different pairs, as tested first and as it is decided; of one pair its means."""
    lead, strict = study.comparisons[0], deciding(study)
    if lead.n_pairs == 1:
        return pair_figures(lead, study.scores)
    first = comparison_rows(frame, strict)
    table_frame, columns = first[["metric", "power"]].assign(), [METRIC]
    milder, same = strict.beside(), lead.test == strict.test
    if milder is not None and (milder.test, milder.correction) == (lead.test, lead.correction):
        milder = None
    group = f"Significantly different pairs{f' ({lead.procedure.words})' if same else ''}"
    for index, result in enumerate(
        dict.fromkeys(candidate for candidate in (lead, milder, strict) if candidate is not None)
    ):
        corrected, name = CORRECTIONS.label(result.correction), f"pairs_{index}"
        label = corrected if same else f"{corrected}, {result.procedure.words}"
        powers = zip(result.discriminative_power().to_dict("records"), result.power_errors(), strict=True)
        written = [share_of(row["n_significant"], row["n_pairs"], error) for row, error in powers]
        table_frame = with_cells(table_frame, **{name: written})
        rows = (
            [] if result is milder else comparison_rows(frame, result).to_dict("records")
        )  # there is room for two intervals
        intervals: list[Any] = [_interval(study, row) for row in rows]
        table_frame[f"{name}_interval"] = intervals or MISSING
        columns += right(text, group, **{name: label})
        if study.intervals is not None and set(table_frame[f"{name}_interval"]) != {MISSING}:
            level = f"{percentage(study.intervals.confidence_level)} interval"
            columns += under(text, group, **{f"{name}_interval": level})
        data = pd.concat(
            [comparison_rows(frame, result) for result in dict.fromkeys((lead, strict))], ignore_index=True
        )
    return key_figures(table_frame, columns, by="power", data=data)


def _interval(study: PowerStudy, row: Mapping[Hashable, Any]) -> WrittenInterval | str:
    draws = None if study.intervals is None else study.intervals.n_topic_resamples
    return written_interval(row.get("power_low"), row.get("power_high"), draws=draws, about=row["power"])


def _with_interval(study: PowerStudy, row: Mapping[Hashable, Any], figure: str) -> str:
    bounds = _interval(study, row)
    return bounds.behind(figure) if isinstance(bounds, WrittenInterval) else figure


def _otherwise(study: PowerStudy) -> list[str]:
    """Name the tests that decide about the one pair otherwise than the first."""
    first = study.comparisons[0].verdicts()
    others = []
    for result in one_per_test(study)[1:]:
        if (result.verdicts() != first).any():
            differ = [metric for side in (1, -1) for metric in metrics_by_side(result)[side]]
            under = listed(map(name_of_metric, differ)) if differ else "no metric"
            others.append(f"By {result.procedure.description} they differ under {under}.")
    return [" ".join(others)] if others else []


def power_error(study: PowerStudy, row: Mapping[Hashable, Any] | pd.Series) -> float:
    """Return the Monte-Carlo standard error of the power in a row of the study."""
    result = study.find(row["test"], row["correction"])
    return float(result.power_errors()[result.metrics.index(row["metric"])])


def _most_under(published: PairwiseResult, frame: pd.DataFrame, best: list[str]) -> list[str]:
    """Return the metrics with most pairs as publications count them, where they are not the best as decided."""
    rows = comparison_rows(frame, published)
    most = rows.loc[rows["n_significant"] == rows["n_significant"].max(), "metric"].tolist()
    return [] if set(most) & set(best) else most


def _distinct_sentence(study: PowerStudy, rows: pd.DataFrame, best: pd.DataFrame) -> list[str]:
    differences = deciding_differences(study)
    if study.intervals is None and len(best) < len(rows):
        return [say("lead not tested", names=best["metric"].tolist())]
    if study.intervals is None or differences is None or len(best) > 1:
        return []
    name, level = best["metric"].iloc[0], study.intervals.confidence_level
    facing = differences[(differences["metric_a"] == name) | (differences["metric_b"] == name)]
    unclear = facing[~((facing["low"] > 0) | (facing["high"] < 0))]
    near = [b if a == name else a for a, b in zip(unclear["metric_a"], unclear["metric_b"], strict=True)]
    if not near:
        return [say("lead is clear", level=level)]
    rivals = "any other metric" if len(near) == len(rows) - 1 > 1 else listed(map(name_of_metric, near))
    return [say("lead is open", level=level, rivals=rivals)]


def deciding_differences(study: PowerStudy) -> pd.DataFrame | None:
    """Return the intervals of the differences of powers under the correction that decides, or the first; or None.

    They may come from another test than the first one; their column ``test`` says which.
    """
    if study.intervals is None or study.scores.sizes["metric"] < 2:  # noqa: PLR2004 - a difference needs two
        return None
    frame = study.intervals.differences()
    lead = power_lead(study)
    frame = frame[frame["correction"] == lead.correction]
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


def power_lead(study: PowerStudy) -> PairwiseResult:
    """Return the comparison whose powers have intervals: the one that decides, if it is of the first test."""
    lead, first = deciding(study), study.comparisons[0]
    return lead if lead.test == first.test else first


def comparison_rows(frame: pd.DataFrame, result: PairwiseResult) -> pd.DataFrame:
    """Return the rows of `PowerStudy.to_frame` that one comparison gave."""
    return frame[(frame["test"] == result.test) & (frame["correction"] == result.correction)]


def one_per_test(study: PowerStudy) -> list[PairwiseResult]:
    """Return the first comparison of every test."""
    first: dict[str, PairwiseResult] = {}
    for result in study.comparisons:
        first.setdefault(result.test, result)
    return list(first.values())


def power_methods(study: PowerStudy) -> Methods:
    """Return what was done in words that fit a paper, from the record of what was done."""
    present = list(dict.fromkeys(result.correction for result in study.comparisons))
    used = [name for name in present if name != "none"]
    words = [
        say(
            "methods",
            sizes=study.scores.sizes,
            lead=study.comparisons[0],
            tests=one_per_test(study),
            metrics=study.scores["metric"].to_numpy().tolist(),
            traits=traits_said(study.scores),
            sources=_POWER,
        )
    ]
    words += [say("adjusted beside" if "none" in present else "adjusted", used=used)] if used else []
    words += [say("required", sensitivity=study.sensitivity)] if study.sensitivity is not None else []
    words += [say("intervals", intervals=study.intervals)] if study.intervals is not None else []
    words += bayesian_methods(study)
    if n_same := sum(map(len, study.identical)):
        words.append(f"{n_same} systems with identical scores stayed among the pairs.")
    versions = study.provenance.versions
    around = [f"{label} {versions[name]}" for name, label in _LIBRARIES.items() if name in versions]
    words.append(computed_with(study.provenance, *around))
    return Methods(paragraphs=(" ".join(words),))
