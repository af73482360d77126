"""What a comparison of metrics finds: the answer, its limits, and how it was found."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.unit import unit
from metaeval.base.words import carried, interval, listed, name_of_metric, number
from metaeval.page.blocks import Fold, Item, Items, Methods, Section, Text
from metaeval.questions.compare_metrics.study import CompareStudy
from metaeval.questions.compare_metrics.study_verdict import DECIDES, DETECTED, MetricVerdict
from metaeval.questions.topics.page_words import LEAST_CHANCE, MOST_CHANCE, drawn_chance
from metaeval.reports.prose import prose
from metaeval.testing.expected import BROKEN, UNNOTICED, UNTRIED
from metaeval.tests_stat.power_witness import finds_more_without

_SAME = 0.9
_EVEN, _ERRORS_FROM_EVEN = 0.5, 2.0
"""A probability that lies within so many Monte-Carlo errors of one half says nothing yet."""

_WITHOUT = {
    "required": "difference required (a maximum, median and quantile over pairs: resampling biases extremes)",
    "conflicts": "conflicts (a count of named pairs, which should be inspected)",
    "identical": "identical pairs (systems with equal scores on every {topic}: a property of these runs)",
    "stability": "judgments that keep τ ≥ 0.9 (read off the curve of mean τ, whose points have standard errors)",
    "heaviness": "rank of half the score (computed, not estimated)",
}
"""What has no interval, and why."""
say = prose(__name__)


def qualities() -> dict[str, str]:
    """Return what the qualities that a verdict rests on are called."""
    return {"power": "power", "topics": f"{unit().topics} needed", "tau_half": "robustness to fewer judgments"}


def summary_paragraphs(study: CompareStudy) -> tuple[str, ...]:
    """Say whether there is a reason to change, and the chance of finding one; what else; which numbers to quote."""
    verdict = study.verdict()
    chosen = verdict.outcome != "open"
    turned = _over_systems(study, verdict) if chosen else []
    answer, reason = _choice_words(study, verdict, turned=bool(turned)) if chosen else _open_words(study, verdict)
    more = " ".join(
        words for words in (_rests(study, verdict), reason, *turned, _expectations_sentence(study, verdict)) if words
    )
    paragraphs = (answer, more, say("quote"))
    return tuple(words for words in paragraphs if words)


def _rests(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say whether the smallest lead of the metric that is chosen rests on one or two topics."""
    powers = study.power.to_frame().query("correction == 'none'").set_index("metric")["power"]
    rivals = [name for name in study.metrics if name not in verdict.metrics]
    if verdict.outcome == "adopt" and study.current is not None:
        rivals = [study.current]
    leads = {(powers[metric] - powers[rival], metric, rival) for metric in verdict.metrics for rival in rivals}
    if not leads or study.power.test != "t" or (least := min(leads))[0] <= 0:
        return ""
    names = finds_more_without(study.scores, *least[1:], alpha=study.power.alpha)
    words = {"metric": least[1], "rival": least[2], "n": study.scores.sizes["topic"]}
    return "" if names is None else say("rests" if names else "rests on none", names=names, **words)


def _choice_words(study: CompareStudy, verdict: MetricVerdict, *, turned: bool) -> tuple[str, str]:
    """Say which metric to adopt or to keep, where it is behind all the same, and the chance of finding this."""
    frame = verdict.to_frame()
    rivals = ~frame["metric"].isin(verdict.metrics)
    if verdict.outcome == "adopt" and verdict.current is not None:
        rivals = frame["metric"] == verdict.current
    against = list(frame.loc[rivals, "metric"].unique())
    behind = frame[rivals & frame["against"].isin(verdict.metrics) & (frame["surely"] == "better")]["quality"].unique()
    late = [qualities()[name] for name in behind]
    leads = frame[frame["metric"].isin(verdict.metrics) & frame["against"].isin(against)]
    whom = "every candidate" if verdict.outcome == "keep" else "every other metric"
    answer = say(
        "chosen",
        opening="Keep" if verdict.outcome == "keep" else "Adopt",
        metrics=" or ".join(map(name_of_metric, verdict.metrics)),
        whom=name_of_metric(against[0]) if len(against) == 1 else whom,
        turned=", though not surely on other systems" * turned,
        behind=f"{', ' if turned else ' '}but behind in {listed(late)}" if late else "",
        conflicts=_conflicts(study, verdict.metrics, against),
        little=_little_tried(study, leads),
    )
    return answer, _chance_sentence(study, leads.query("quality == @DECIDES"))


def _little_tried(study: CompareStudy, leads: pd.DataFrame) -> str:
    """Say that power alone compares these metrics, or with topics needed alone; "" where more of the first is known."""
    tried = set(study.expectations.loc[study.expectations["state"] != UNTRIED, "metric"])
    compared = {*leads["quality"]}
    if {*leads["metric"]} <= tried or not compared <= {DECIDES, "topics"}:
        return ""
    return say("little", alone=compared == {DECIDES})


def _conflicts(study: CompareStudy, metrics: Sequence[str], rivals: Sequence[str]) -> list[str]:
    """Say on how many significant pairs metrics contradict others; nothing of those that contradict none."""
    agreed = study.against_each_other()
    agreed = agreed[agreed["predictor"].isin(metrics) & agreed["truth"].isin(rivals) & (agreed["n_conflicts"] > 0)]
    return [say("conflicts", row=row) for row in agreed.to_dict("records")]


def _chance_sentence(study: CompareStudy, leads: pd.DataFrame) -> str:
    """Say of the least sure lead in power how often it is found, and which leads nearly always are."""
    row = leads.nsmallest(1, "chance").iloc[0]
    if row["detectable"] <= 0:
        return ""
    lead = "the least sure of these leads" if len(leads) > 1 else "a lead as large as the one observed"
    observed, points = row["difference"] > 0, f"{number(0)(100 * row['detectable'])} points"
    possible = "no possible lead" if row["detectable"] > 1.0 else f"{'one' if observed else 'a lead'} of {points}"
    words = {"row": row, "lead": lead, "several": len(leads) > 1, "possible": possible, "least": DETECTED}
    return say("chance found" if observed else "chance of none", **words, level=study.confidence_level)


def _expectations_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Name what users expect and a recommended metric fails; without recommendation, who breaks what."""
    states = (BROKEN, UNNOTICED) if verdict.metrics else (BROKEN,)
    tried = [name for name in verdict.metrics or study.metrics if name in set(study.expectations["metric"])]
    unmet = {
        name: [f"{expectation} ({state})" for state in states for expectation in study.unmet(name, state)]
        for name in tried
    }
    sentences = [say("failing", metric=name, unmet=failures) for name, failures in unmet.items() if failures]
    if verdict.metrics and not sentences and tried:
        sentences.append(say("sound", metrics=tried))
    untried = [name for name in verdict.metrics if name not in unmet]
    return " ".join([*sentences, *([say("untried", metrics=untried)] if untried else [])])


def _over_systems(study: CompareStudy, verdict: MetricVerdict) -> list[str]:
    """Say where a verdict that is sure over topics rests on powers that other systems could reverse."""
    sure = verdict.to_frame().query("quality == 'power' and surely == 'better'")
    decided = set(zip(sure["metric"], sure["against"], strict=True))
    rivals = [metric for metric in study.metrics if metric not in verdict.metrics]
    if verdict.outcome == "adopt" and study.current is not None:
        rivals = [study.current]
    over_systems: dict[tuple[str, str], tuple[float, float]] = {}
    columns = ["metric_a", "metric_b", "systems_low", "systems_high"]
    for a, b, low, high in study.power_differences()[columns].to_numpy().tolist():  # a few metrics
        over_systems |= {(a, b): (low, high), (b, a): (-high, -low)}
    open_still = []
    for metric, rival in sorted(decided & set(product(verdict.metrics, rivals))):
        low, high = (100 * end for end in over_systems[metric, rival])
        if low <= 0:
            points = interval(low, high, number(1), draws=draws_of_middle(study.choice.n_choices))
            who = f"{name_of_metric(metric)} " * (len(verdict.metrics) > 1)
            open_still.append(say("turned", who=who, other=rival, points=points))
    return open_still


def _open_words(study: CompareStudy, verdict: MetricVerdict) -> tuple[str, str]:
    """Say that nothing is a reason for a choice, and which metric came nearest; then the chance of finding one."""
    stopped = [pair for pair in verdict.vetoed if verdict.current in {None, pair[1]}]
    turned_round = [pair for pair in verdict.contradicted if verdict.current in {None, pair[1]}]
    near = verdict.nearest()
    if turned_round and not stopped:
        metric, rival = turned_round[0]
        leads = verdict.table.query("metric == @metric and against == @rival")
        words = {"conflicts": _conflicts(study, [metric], [rival]), "little": _little_tried(study, leads)}
        return _no_choice_words(verdict, "contradicted", metric=metric, rival=rival, **words), ""
    if stopped:
        metric, rival = stopped[0]
        broken = [text for text in verdict.broken[metric] if text not in verdict.broken[rival]]
        return _no_choice_words(verdict, "vetoed", metric=metric, rival=rival), say(
            "broken", metric=metric, broken=broken
        )
    metrics, against = (near[side].unique().tolist() for side in ("metric", "against"))
    if (near["p_better"] == 0).all():
        return _no_choice_words(verdict, "alike", metrics=sorted({*metrics, *against})), ""
    p = _likely_words(study, DECIDES, near["p_better"].iloc[0])
    if len(metrics) > 1:
        return _no_choice_words(verdict, "equally near", metrics=metrics), _chance_sentence(study, near)
    rival = f" than {name_of_metric(against[0])}" if len(against) == 1 else ""
    if near["difference"].iloc[0] <= 0:
        return _no_choice_words(verdict, "none ahead", metrics=metrics, than=rival), _chance_sentence(study, near)
    than = "" if verdict.current else rival
    how = f"with probability {p}" if p else "but the draws leave open how probable that is"
    return _no_choice_words(verdict, "nearest", metrics=metrics, than=than, how=how), _chance_sentence(study, near)


def _no_choice_words(verdict: MetricVerdict, why: str, **given: Any) -> str:  # noqa: ANN401 - as a passage names it
    none = "No metric is conclusively the best"
    opening = f"No reason to change from {name_of_metric(verdict.current)}" if verdict.current else none
    return f"{opening}: {say(why, **given)}"


def _likely_words(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability for a sentence; "" for one that its draws cannot tell from one half."""
    distinguishable = abs(p - _EVEN) > _ERRORS_FROM_EVEN * study.probability_error(str(quality), p)
    return likely(study, quality, p) if distinguishable else ""


def likely(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability of the verdict with its Monte-Carlo error; a bound where it is nearly sure."""
    if LEAST_CHANCE <= p <= MOST_CHANCE:
        return carried(p, study.probability_error(str(quality), p))
    return drawn_chance(p)


def agreement_sentence(study: CompareStudy, others: pd.DataFrame) -> str:
    """Say which metrics find the pairs of the one in use, and how many pairs they turn round."""
    sure = others["f1_low"] if "f1_low" in others else others["f1"]
    close = others[(sure >= _SAME) & (others["conflicts"] == 0)]["metric"].tolist()
    unsettled = (others["f1"] >= _SAME) | others["f1"].isna()  # undefined where no pair is significant
    open_still = others[unsettled & ~others["metric"].isin(close)]["metric"].tolist()
    conflicts = int(others["conflicts"].sum())
    fields = {"current": study.current, "least": _SAME, "open": open_still, "n": conflicts}
    return say(
        "agreement", close=listed(map(name_of_metric, close)) if close else "No candidate", several=len(close), **fields
    )


def limits_section(study: CompareStudy) -> Section:
    """Name what has no interval, and what could not be found out."""
    unknown_items = Items(
        items=tuple(Item(term="Not known", words=f"{question}: {why}") for question, why in study.unknown.items())
    )
    computed = {"stability": study.stability, "heaviness": study.heaviness}
    without = [
        "required",
        "conflicts",
        "identical",
        *(name for name, analysis in computed.items() if analysis is not None),
    ]
    items = Items(items=tuple(Item(words=_WITHOUT[name].format(topic=unit().topic)) for name in without))
    return say.section(
        "limits",
        *(unknown_items,) if unknown_items.items else (),
        Text(paragraphs=(say("limits words"),)),
        Fold(title="Figures without an interval", blocks=(items,)),
        head="Limits",
    )


def compare_methods(study: CompareStudy) -> Methods:
    """Return what was done in words that fit a paper, and the publications that they cite."""
    parts = (
        say(
            "pairs methods",
            study=study,
            sizes=study.scores.sizes,
            power=study.power,
            choice=study.choice,
            agreed=study.agreement.result,
            intervals=study.agreement_intervals,
        ),
        _topics_methods(study),
        _judgments_methods(study),
        say("scores methods", study=study),
        ""
        if study.heaviness is None
        else say("heaviness methods", relevant=study.heaviness["relevant"].to_numpy().tolist()),
        say("expected methods") if len(study.expectations) else "",
    )
    paragraphs = tuple(words for words in parts if words)
    return Methods(paragraphs=paragraphs)


def _topics_methods(study: CompareStudy) -> str:
    topics = study.topics
    if topics is None:
        return ""
    limit = topics.minimum.max_error
    return say("topics methods", rates=topics.error_rates, posterior=topics.posterior, limit=limit)


def _judgments_methods(study: CompareStudy) -> str:
    stable = study.stability
    if stable is None:
        return ""
    steps = [f"{step:g}" for step in stable.steps]
    return say("judgments methods", stable=stable, steps=steps, level=study.confidence_level)
