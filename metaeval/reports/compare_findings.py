"""What a comparison of metrics finds: the answer, its limits, and how it was found."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.unit import unit
from metaeval.base.words import carried, interval, number
from metaeval.page.blocks import Fold, Item, Items, Methods, Section, Text
from metaeval.reports.prose import prose
from metaeval.reports.topic_words import chance
from metaeval.studies.compare import CompareStudy
from metaeval.studies.metric_verdict import MetricVerdict
from metaeval.testing.expected import BROKEN, UNNOTICED

_SAME = 0.9
_EVEN, _ERRORS_FROM_EVEN = 0.5, 2.0
"""A probability that lies within so many Monte-Carlo errors of one half says nothing yet."""

say = prose("compare_findings")


def qualities() -> dict[str, str]:
    """Return what the qualities that a verdict rests on are called."""
    return {"power": "power", "topics": f"{unit().topics} needed", "tau_half": "robustness to fewer judgments"}


def summary_paragraphs(study: CompareStudy) -> tuple[str, ...]:
    """Say whether there is a reason to change; what the verdict rests on; which numbers to quote."""
    verdict = study.verdict()
    turned = [] if verdict.outcome == "open" else _over_systems(study, verdict)
    answer, reason = (
        _open(study, verdict) if verdict.outcome == "open" else _chosen(study, verdict, turned=bool(turned))
    )
    more = " ".join(words for words in (reason, *turned, _expected(study, verdict)) if words)
    said = (answer, more, say("quote"))
    return tuple(words for words in said if words)


def _chosen(study: CompareStudy, verdict: MetricVerdict, *, turned: bool) -> tuple[str, str]:
    """Say which metric to adopt or to keep and in which qualities it is better; then what is sure of the others."""
    frame = verdict.to_frame()
    rows = frame[frame["metric"].isin(verdict.metrics) & ~frame["against"].isin(verdict.metrics)]
    if verdict.outcome == "adopt" and verdict.current is not None:
        rows = rows[rows["against"] == verdict.current]
    of = rows.groupby("quality", sort=False)
    sure = [qualities()[str(name)] for name, words in of["surely"] if (words == "better").all()]
    others = [
        _likely(study, name, shares.min()) for name, shares in of["p_not_worse"] if qualities()[str(name)] not in sure
    ]
    rivals = list(rows["against"].unique())
    against = rivals[0] if len(rivals) == 1 else None
    answer = say("chosen", verdict=verdict, against=against, sure=sure, others=len(others), turned=turned)
    return answer, say("not worse", others=others) if sure and others else ""


def _expected(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Name what users expect and a recommended metric fails; without recommendation, who breaks what."""
    states = (BROKEN, UNNOTICED) if verdict.metrics else (BROKEN,)
    tried = [name for name in verdict.metrics or study.metrics if name in set(study.expectations["metric"])]
    unmet = {name: [f"{one} ({state})" for state in states for one in study.unmet(name, state)] for name in tried}
    failing = [(name, said) for name, said in unmet.items() if said]
    untried = [name for name in verdict.metrics if name not in unmet]
    sound = tried if verdict.metrics and not failing else []
    return say("expected", failing=failing, untried=untried, sound=sound)


def _over_systems(study: CompareStudy, verdict: MetricVerdict) -> list[str]:
    """Say where a verdict that is sure over topics rests on powers that other systems could reverse."""
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
            points = interval(low, high, number(1), draws=draws_of_middle(study.choice.n_choices))
            several = len(verdict.metrics) > 1
            open_still.append(say("turned", one=one, other=other, points=points, several=several))
    return open_still


def _open(study: CompareStudy, verdict: MetricVerdict) -> tuple[str, str]:
    """Say that nothing is a reason for a choice, and which metric came nearest; then what is not sure of it."""
    stopped = [pair for pair in verdict.vetoed if verdict.current in {None, pair[1]}]
    near = verdict.nearest()
    if stopped:
        one, other = stopped[0]
        broken = [text for text in verdict.broken[one] if text not in verdict.broken[other]]
        return _unsettled(verdict, "vetoed", one=one, other=other), say("broken", one=one, broken=broken)
    if (near["surely"] == "better").any():
        pairs = [pair for _, pair in near.groupby(["metric", "against"])]
        one, other = (pairs[0][side].iloc[0] for side in ("metric", "against"))
        ahead = [qualities()[str(name)] for name in pairs[0].loc[pairs[0]["surely"] == "better", "quality"]]
        reason = " ".join(_ahead_sentence(study, pair) for pair in pairs)
        return _unsettled(verdict, "ahead short", one=one, other=other, ahead=ahead, more=len(pairs) - 1), reason
    if ((near["p_better"] == 0) & (near["p_not_worse"] == 1)).all():
        alike = sorted({*near["metric"], *near["against"]})
        of = [qualities()[name] for name in near["quality"].unique()]
        return _unsettled(verdict, "alike", metrics=alike, qualities=of), ""
    # a pair that comes as near says the same of the same qualities
    best = near[np.isclose(near["p_better"], near["p_better"].max(), rtol=0, atol=1e-9)].drop_duplicates("quality")
    metrics, against = (near[side].unique().tolist() for side in ("metric", "against"))
    likeliest = [_likely(study, name, share) for name, share in zip(best["quality"], best["p_better"], strict=True)]
    given = {"metrics": metrics, "against": against}
    p = _told(study, best["quality"].iloc[0], best["p_better"].iloc[0])
    answer = _unsettled(verdict, "nearest", **given, quality=qualities()[str(best["quality"].iloc[0])], p=p)
    told = len(metrics) == len(against) == len(likeliest) == 1
    return answer, "" if told else say("leads", **given, said=likeliest)


def _unsettled(verdict: MetricVerdict, why: str, **given: Any) -> str:  # noqa: ANN401 - as a passage names it
    return f"{say('open', current=verdict.current)} {say(why, current=verdict.current, **given)}"


def _ahead_sentence(study: CompareStudy, pair: pd.DataFrame) -> str:
    """Say what is not sure of a metric that is better than another."""
    one, other = (pair[side].iloc[0] for side in ("metric", "against"))
    ahead = [qualities()[str(name)] for name in pair.loc[pair["surely"] == "better", "quality"]]
    unsure = pair[pair["surely"] == ""]
    doubts = [_likely(study, name, share) for name, share in zip(unsure["quality"], unsure["p_not_worse"], strict=True)]
    return say("ahead", one=one, other=other, ahead=ahead, doubts=doubts)


def _likely(study: CompareStudy, quality: object, p: float) -> str:
    return say("likely", quality=qualities()[str(quality)], p=_told(study, quality, p))


def _told(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability for a sentence; "" for one that its draws cannot tell from one half."""
    known = abs(p - _EVEN) > _ERRORS_FROM_EVEN * study.probability_error(str(quality), p)
    return likely(study, quality, p) if known else ""


def likely(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability of the verdict with its Monte-Carlo error; a bound where it is nearly sure."""
    written = chance(p)
    exact = written[:1] in "<>–"  # noqa: RUF001 - as `chance` writes them
    return written if exact else carried(p, study.probability_error(str(quality), p))


def agreement_sentence(study: CompareStudy, others: pd.DataFrame) -> str:
    """Say which metrics find the pairs of the one in use, and how many pairs they turn round."""
    sure = others["f1_low"] if "f1_low" in others else others["f1"]
    close = others[(sure >= _SAME) & (others["conflicts"] == 0)]["metric"].tolist()
    unsettled = (others["f1"] >= _SAME) | others["f1"].isna()  # undefined where no pair is significant
    open_still = others[unsettled & ~others["metric"].isin(close)]["metric"].tolist()
    conflicts = int(others["conflicts"].sum())
    return say("agreement", close=close, current=study.current, least=_SAME, open=open_still, n=conflicts)


def limits_section(study: CompareStudy) -> Section:
    """Name what has no interval, and what could not be found out."""
    known = Items(items=tuple(Item(term="Not known", words=f"{part}: {why}") for part, why in study.unknown.items()))
    computed = {"stability": study.stability, "heaviness": study.heaviness}
    without = ["required", "conflicts", "identical", *(name for name, found in computed.items() if found is not None)]
    items = Items(items=tuple(Item(words=say(f"no {name}")) for name in without))
    return Section(
        **say.headed("limits lead"),
        blocks=(
            *((known,) if known.items else ()),
            Text(paragraphs=(say("limits words", tried=len(study.expectations)),)),
            Fold(title=say("no interval"), blocks=(items,)),
        ),
        brief=True,
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
        say(
            "scores methods",
            study=study,
            relevant=[] if study.heaviness is None else study.heaviness["relevant"].to_numpy().tolist(),
        ),
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
