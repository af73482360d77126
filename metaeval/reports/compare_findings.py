# ruff: noqa: RUF001 - Greek letters are meant for people
"""What a comparison of metrics says in plain words: the answer, its limits, and how it was found."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.names import count
from metaeval.base.words import (
    bracketed,
    carried,
    ends,
    interval,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
)
from metaeval.page.blocks import Item, Items, Methods, Section, Text
from metaeval.reports.shared import cited_in, computed_with, described_by, resampled_on, side_words
from metaeval.reports.topic_words import chance, count_errors, topic_count
from metaeval.studies.compare import CompareStudy
from metaeval.studies.metric_verdict import MetricVerdict
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SAME = 0.9

type _Row = Mapping[Hashable, Any]

QUALITIES = {"power": "power", "topics": "topics needed", "tau_half": "robustness to fewer judgments"}
_SOURCES = ("sakai2008", "ogilvie2006", "voorhees2002")


def named(metrics: Sequence[str]) -> str:
    """List metrics by the names that people call them."""
    return listed(map(name_of_metric, metrics))


# ------------------------------------------------------------------------------------------------------- the answer


def summary_paragraphs(study: CompareStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    """Say whether there is a reason to change, why, and what power, topics and agreement say."""
    rows = {str(row["metric"]): row for row in frame.to_dict("records")}
    verdict = study.verdict()
    said = (
        f"{_verdict_sentence(study, verdict)} {_reason_sentence(study, verdict)}",
        f"{_power_sentence(study, rows)} {_clear_sentence(study)}".rstrip(),
        _topics_sentence(study, frame),
        _agreement_sentence(study, frame.iloc[1:]) if study.current is not None else "",
    )
    return tuple(words for words in said if words)


def _verdict_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say which metric to adopt or to keep, or that nothing here is a reason to."""
    current = study.current and name_of_metric(study.current)
    if verdict.outcome == "open":
        return f"No reason to change from {current}." if current else "No metric is surely the best."
    if verdict.outcome == "keep":
        return f"Keep {named(verdict.metrics)}: it is better than every candidate{_over_systems(study, verdict)}."
    others = [name for name in study.metrics if name not in verdict.metrics]
    against = current or (name_of_metric(others[0]) if len(others) == 1 else "every other metric")
    chosen = " or ".join(map(name_of_metric, verdict.metrics))
    return f"Adopt {chosen}: better than {against}{_over_systems(study, verdict)}."


def _over_systems(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say where a verdict that is sure over topics rests on powers that other systems could turn."""
    sure = verdict.to_frame().query("quality == 'power' and surely == 'better'")
    decided = set(zip(sure["metric"], sure["against"], strict=True))
    rivals = [one for one in study.metrics if one not in verdict.metrics]
    if verdict.outcome == "adopt" and study.current is not None:
        rivals = [study.current]
    over_systems: dict[tuple[str, str], tuple[float, float]] = {}
    columns = ["metric_a", "metric_b", "systems_low", "systems_high"]
    for a, b, low, high in study.power_differences()[columns].to_numpy().tolist():  # a few metrics
        over_systems |= {(a, b): (low, high), (b, a): (-high, -low)}
    open_still = []
    for one, other in sorted(decided & set(product(verdict.metrics, rivals))):
        low, high = (100 * end for end in over_systems[one, other])
        if low <= 0:
            who = f"{name_of_metric(one)} " * (len(verdict.metrics) > 1)
            ends = interval(low, high, number(1), draws=draws_of_middle(study.choice.n_choices))
            open_still.append(f"{who}over {name_of_metric(other)}: {ends} points")
    if not open_still:
        return ""
    return f" on other topics; other systems could turn its lead in power ({'; '.join(open_still)})"


def _reason_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say in which qualities that is sure, or what keeps it from being so."""
    if verdict.outcome == "open":
        return _open_sentence(study, verdict)
    frame = verdict.to_frame()
    rows = frame[frame["metric"].isin(verdict.metrics) & ~frame["against"].isin(verdict.metrics)]
    if verdict.outcome == "adopt" and verdict.current is not None:
        rows = rows[rows["against"] == verdict.current]
    of = rows.groupby("quality", sort=False)
    sure = [QUALITIES[str(name)] for name, words in of["surely"] if (words == "better").all()]
    others = [
        f"{QUALITIES[str(name)]} (probability {likely(study, name, shares.min())})"
        for name, shares in of["p_not_worse"]
        if QUALITIES[str(name)] not in sure
    ]
    if not sure:
        return f"Against each it is better in one of {listed(QUALITIES[str(name)] for name, _ in of)}, and not worse."
    alone = ", the only quality compared" if len(sure) == 1 and not others else ""
    return f"It is better in {listed(sure)}{alone}{f', and not worse in {listed(others)}' if others else ''}."


def _open_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say which metric came nearest to being chosen, and what is not sure of it."""
    stopped = [pair for pair in verdict.vetoed if verdict.current in {None, pair[1]}]
    if stopped:
        one, other = stopped[0]
        broken = [text for text in verdict.broken[one] if text not in verdict.broken[other]]
        return (
            f"{name_of_metric(one)} would be better than {name_of_metric(other)}, but breaks what users expect in the "
            f"six-run test: {listed(broken)}."
        )
    near = verdict.nearest()
    if (near["surely"] == "better").any():
        return " ".join(_ahead_sentence(study, pair) for _, pair in near.groupby(["metric", "against"]))
    if ((near["p_better"] == 0) & (near["p_not_worse"] == 1)).all():
        alike = sorted({*near["metric"], *near["against"]})
        return f"{named(alike)} are equal in {listed(QUALITIES[name] for name in near['quality'].unique())}."
    # a pair that comes as near says the same of the same qualities
    best = near[np.isclose(near["p_better"], near["p_better"].max(), rtol=0, atol=1e-9)].drop_duplicates("quality")
    said = listed(
        f"in {QUALITIES[str(name)]} (probability {likely(study, name, share)})"
        for name, share in zip(best["quality"], best["p_better"], strict=True)
    )
    metrics = list(map(str, near["metric"].unique()))
    comes = f"{named(metrics)} {'comes nearest' if len(metrics) == 1 else 'come equally near'}"
    if study.current is not None:
        return f"No candidate is surely better in anything; {comes}, {said}."
    if len(metrics) > 1:
        return f"{comes}, {said}."
    return f"{comes}, but is not surely better than {named(near['against'].unique().tolist())}; most nearly so {said}."


def _ahead_sentence(study: CompareStudy, pair: pd.DataFrame) -> str:
    """Say in what a metric is better than another, and what is not sure of it."""
    one, other = (name_of_metric(str(pair[side].iloc[0])) for side in ("metric", "against"))
    ahead = [QUALITIES[str(name)] for name in pair.loc[pair["surely"] == "better", "quality"]]
    unsure = pair[pair["surely"] == ""]
    doubts = [
        f"{QUALITIES[str(name)]} (probability {likely(study, name, share)})"
        for name, share in zip(unsure["quality"], unsure["p_not_worse"], strict=True)
    ]
    doubt = f"not surely as good in {listed(doubts)}" if doubts else "not everything is known of both"
    return f"{one} is better than {other} in {listed(ahead)}, but {doubt}."


def likely(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability of the verdict with its Monte-Carlo error; a bound where it is nearly sure."""
    written = chance(p)
    return written if written[:1] in "<>–" else carried(p, study.probability_error(str(quality), p))


def _power(study: CompareStudy, row: _Row) -> str:
    return bracketed(row["power"], row["power_low"], row["power_high"], draws=study.power.n_rounds)


def _power_sentence(study: CompareStudy, rows: Mapping[str, _Row]) -> str:
    """Say which metric has the highest power, and that of the metric in use."""
    powers = [float(row["power"]) for row in rows.values()]
    best = ends(rows, powers, [_power(study, row) for row in rows.values()])[1]
    if len(best.names) > 1:
        who = listed(f"{name_of_metric(name)}{' (in use)' * (name == study.current)}" for name in best.names)
        words = f"{who} have {'the same' if len(best.names) == len(rows) else 'the highest'} power, {best.figure}"
    else:
        own = ", the metric in use," * (best.names[0] == study.current)
        words = f"{name_of_metric(best.names[0])}{own} has the highest power, {best.figure}"
    if study.current is not None and study.current not in best.names:
        words += f"; {name_of_metric(study.current)}, the metric in use, has {_power(study, rows[study.current])}"
    test = f"{TESTS.words(study.power.test)}, uncorrected, with {percentage(study.confidence_level)} intervals"
    return f"{words} ({test})."


def _clear_sentence(study: CompareStudy) -> str:
    """Name the candidates whose power differs from that of the metric in use beyond chance."""
    if study.current is None:
        return ""
    frame = study.power_differences()
    touching = (frame["metric_a"] == study.current) | (frame["metric_b"] == study.current)
    clear = frame[touching & ((frame["low"] > 0) | (frame["high"] < 0))]
    words: dict[str, list[str]] = {"more": [], "less": []}
    for a, b, difference in clear[["metric_a", "metric_b", "difference"]].to_numpy().tolist():
        ahead = (difference < 0) == (a == study.current)
        words["more" if ahead else "less"].append(b if a == study.current else a)
    parts = [f"clearly {how} powerful over other topics: {named(names)}" for how, names in words.items() if names]
    level = percentage(study.confidence_level)
    if not parts:
        return f"No candidate's power differs clearly from it ({level} intervals over topics hold zero)."
    return f"{sentence_case('; '.join(parts))}."


def _topics_sentence(study: CompareStudy, frame: pd.DataFrame) -> str:
    if study.topics is None or study.topics.posterior is None:
        return ""
    known = frame[frame["topics_median"].notna()]
    if known.empty:
        return ""
    counts = study.topics_errors()
    if counts is None:
        return ""
    needed = []
    for name, row in counts.loc[known["metric"]].iterrows():  # a few metrics
        middle, low, high = (topic_count(row[one], row[f"{one}_error"]) for one in ("median", "low", "high"))
        needed.append(f"{name_of_metric(name)} {middle} [{low}, {high}]")
    limit, level = percentage(study.topics.minimum.max_error), percentage(study.topics.posterior.ci_prob)
    words = f"Topics needed to keep the error within {limit} (posterior median and {level} interval)"
    return f"{words}: {listed(needed)}.{count_errors(counts)}"


def _agreement_sentence(study: CompareStudy, others: pd.DataFrame) -> str:
    current = name_of_metric(str(study.current))
    sure = others["f1_low"] if "f1_low" in others else others["f1"]
    close = others[(sure >= _SAME) & (others["conflicts"] == 0)]["metric"].tolist()
    open_still = others[(others["f1"] >= _SAME) & ~others["metric"].isin(close)]["metric"].tolist()
    conflicts = int(others["conflicts"].sum())
    who = f"{named(close)} {'is' if len(close) == 1 else 'are'}" if close else "No candidate is"
    words = (
        f"{who} conclusively interchangeable with {current} (F1 and its interval at {_SAME:g} or above, no conflict)"
    )
    if open_still:
        words += f"; not settled by these topics for {named(open_still)}"
    pairs = f"{count(conflicts, 'pair') if conflicts else 'no pair'} of systems {'are' if conflicts > 1 else 'is'}"
    return f"{words}; {pairs} significant in opposite directions under a candidate and {current}."


def limits_section(study: CompareStudy) -> Section:
    """Name what has no interval, and what could not be found out."""
    items = [Item(term="Not known", words=f"{part}: {why}") for part, why in study.unknown.items()]
    items += [Item(term="No interval", words=words) for words in _without_interval(study)]
    words = (
        "Everything rests on these systems and topics. A metric that serves them may not serve other tasks; and "
        "nothing here asks whether the metric measures what users want."
    )
    return Section(
        id="limits",
        title="Limits",
        lead="Figures without an interval, what could not be found out, and why.",
        blocks=(Items(items=tuple(items)), Text(paragraphs=(words,))),
        brief=True,
    )


def _without_interval(study: CompareStudy) -> list[str]:
    """Name the figures of this very page that have no interval, each with the reason."""
    words = [
        "difference required (a maximum, median and quantile over pairs: resampling shifts extremes and would mislead)",
        "conflicts (a count of named pairs: look at them one by one)",
        "identical pairs (systems with equal scores on every topic at hand: a fact about these runs)",
    ]
    if study.stability is not None:
        words.append("judgments that keep τ ≥ 0.9 (read off the curve of mean τ, whose points have standard errors)")
    if study.heaviness is not None:
        words.append("rank of half the score (computed, not estimated)")
    return words


# ------------------------------------------------------------------------------------------------------- the methods


def compare_methods(study: CompareStudy) -> Methods:
    """Return what was done in words that fit a paper, and the publications that they cite."""
    parts = (
        f"{_power_methods(study)} {_agreement_methods(study)}",
        _topics_methods(study),
        _judgments_methods(study),
        _scores_methods(study),
    )
    paragraphs = tuple(words for words in parts if words)
    procedures = (TESTS[SENSITIVITY], TESTS[study.power.test], CORRECTIONS["fdr_by"])
    keys = [*(key for known in procedures for key in known.cite), *_SOURCES]
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, keys))


def _power_methods(study: CompareStudy) -> str:
    sizes, power, choice = study.scores.sizes, study.power, study.choice
    draws = f", B = {power.n_resamples} resamples of the topics" if power.n_resamples else ""
    chosen = "one system of each group" if choice.choose == "one-per-group" else f"{choice.n_systems} systems"
    in_use = "" if study.current is None else f"; {name_of_metric(study.current)} is in use"
    return (
        f"We compared {sizes['metric']} metrics ({named(study.metrics)}{in_use}) "
        f"on {sizes['system']:,} systems and {sizes['topic']:,} topics. Discriminative power is the share of the "
        f"{study.sensitivity.n_pairs:,} pairs of systems that differ significantly (Sakai, 2006), by "
        f"{described_by(power.test)}{draws}, two-sided, at α = {power.alpha:g}, without correction and with "
        f"{described_by('fdr_by')}. {percentage(power.confidence_level)} intervals for it, and for the "
        "difference of two metrics' powers, are t intervals whose standard error is the spread over "
        f"{resampled_on(power)} ({power.random_source}); over "
        f"systems, the range of the middle {percentage(choice.confidence_level)} of {choice.n_choices} random choices "
        f"of {chosen} is given. Differences required are those of the bootstrap sensitivity method with B = "
        f"{study.sensitivity.n_resamples} (Sakai, 2006): the largest over the pairs, as published, and the median and "
        "the 95th percentile."
    )


def _agreement_methods(study: CompareStudy) -> str:
    result, intervals = study.agreement.result, study.agreement_intervals
    truth = "another metric" if study.current is None else name_of_metric(study.current)
    known = ""
    if intervals is not None:
        known = (
            f", with {percentage(intervals.confidence_level)} intervals over {intervals.n_topic_resamples} resamples "
            "of the topics"
        )
    return (
        f"The pairs significant under each metric ({TESTS.words(result.test)} test, "
        f"{side_words(result.alternative)}, "
        f"{CORRECTIONS.words(result.correction)}, α = {study.agreement.alphas[0]:g}) were taken as a prediction of "
        f"those significant under {truth}, and precision, recall and F1 computed (Ogilvie and "
        f"Lalmas, 2006){known}; pairs significant in opposite directions were counted as conflicts."
    )


def _topics_methods(study: CompareStudy) -> str:
    if study.topics is None:
        return ""
    rates, posterior = study.topics.error_rates, study.topics.posterior
    words = (
        "The error rate of a number of topics is the share of cases in which two sets of so many topics disagree about "
        f"which of two systems is better (Voorhees and Buckley, 2002), over {rates.n_trials} draws of two "
        f"{rates.sampling} sets of {rates.sizes[0]} to {rates.sizes[-1]} topics ({rates.random_source})."
    )
    if posterior is not None:
        words += (
            f" The number of topics that keeps it within {percentage(study.topics.minimum.max_error)} is the median of "
            "the posterior of a Bayesian model of the true differences between systems, with its "
            f"{percentage(posterior.ci_prob)} interval; the counted rates are a check on it."
        )
    return words


def _judgments_methods(study: CompareStudy) -> str:
    stable = study.stability
    if stable is None:
        return ""
    return (
        f"Judgments were reduced at random, {stable.reduction.name}, to {listed(f'{step:g}' for step in stable.steps)} "
        f"% (Sakai and Kando, 2008), {count(stable.n_replicates, 'time')} each, and every ranking was compared with "
        "that of all judgments by Kendall's τ; "
        + (
            "one draw has no interval."
            if stable.single_draw
            else f"{percentage(study.confidence_level)} intervals are t intervals over these draws."
        )
    )


def _scores_methods(study: CompareStudy) -> str:
    words = (
        "Zero scores are counted over systems and topics, ties over pairs of systems with equal scores on a topic, "
        f"with {percentage(study.confidence_level)} t intervals over resamples of the topics."
    )
    if study.heaviness is not None:
        words += (
            " Top-heaviness is the score of a list of 1000 documents whose only relevant one stands at a given rank, "
            f"for topics with {listed(study.heaviness['relevant'].to_numpy())} relevant documents (Sakai and Kando, "
            "2008, Figure 1)."
        )
    return f"{words} {computed_with(study.provenance)}"
