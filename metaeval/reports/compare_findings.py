"""What a comparison of metrics finds: the answer, its limits, and how it was found."""

from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.digits import draws_of_middle
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, carried, ends, interval, number
from metaeval.page.blocks import Item, Items, Methods, Section, Text
from metaeval.reports.prose import prose
from metaeval.reports.shared import cited_in
from metaeval.reports.topic_words import chance, count_errors, topic_count
from metaeval.studies.compare import CompareStudy
from metaeval.studies.metric_verdict import MetricVerdict
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.sensitivity import SENSITIVITY

_SAME = 0.9

type _Row = Mapping[Hashable, Any]

_SOURCES = ("sakai2008", "ogilvie2006", "voorhees2002", "korn1998")
say = prose("compare_findings")


def qualities() -> dict[str, str]:
    """Return what the qualities that a verdict rests on are called."""
    return {"power": "power", "topics": f"{unit().topics} needed", "tau_half": "robustness to fewer judgments"}


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
    others = [study.current] if study.current else [name for name in study.metrics if name not in verdict.metrics]
    turned = [] if verdict.outcome == "open" else _over_systems(study, verdict)
    return say("verdict", verdict=verdict, against=others[0] if len(others) == 1 else None, turned=turned)


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


def _reason_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say in which qualities that is sure, or what keeps it from being so."""
    if verdict.outcome == "open":
        return _open_sentence(study, verdict)
    frame = verdict.to_frame()
    rows = frame[frame["metric"].isin(verdict.metrics) & ~frame["against"].isin(verdict.metrics)]
    if verdict.outcome == "adopt" and verdict.current is not None:
        rows = rows[rows["against"] == verdict.current]
    of = rows.groupby("quality", sort=False)
    sure = [qualities()[str(name)] for name, words in of["surely"] if (words == "better").all()]
    others = [
        _likely(study, name, shares.min()) for name, shares in of["p_not_worse"] if qualities()[str(name)] not in sure
    ]
    return say("surely", sure=sure, others=others, all=[qualities()[str(name)] for name, _ in of])


def _open_sentence(study: CompareStudy, verdict: MetricVerdict) -> str:
    """Say which metric came nearest to being chosen, and what is not sure of it."""
    stopped = [pair for pair in verdict.vetoed if verdict.current in {None, pair[1]}]
    if stopped:
        one, other = stopped[0]
        broken = [text for text in verdict.broken[one] if text not in verdict.broken[other]]
        return say("vetoed", one=one, other=other, broken=broken)
    near = verdict.nearest()
    if (near["surely"] == "better").any():
        return " ".join(_ahead_sentence(study, pair) for _, pair in near.groupby(["metric", "against"]))
    if ((near["p_better"] == 0) & (near["p_not_worse"] == 1)).all():
        alike = sorted({*near["metric"], *near["against"]})
        return say("alike", metrics=alike, qualities=[qualities()[name] for name in near["quality"].unique()])
    # a pair that comes as near says the same of the same qualities
    best = near[np.isclose(near["p_better"], near["p_better"].max(), rtol=0, atol=1e-9)].drop_duplicates("quality")
    return say(
        "nearest",
        current=study.current,
        metrics=near["metric"].unique().tolist(),
        against=near["against"].unique().tolist(),
        said=[
            f"in {_likely(study, name, share)}" for name, share in zip(best["quality"], best["p_better"], strict=True)
        ],
    )


def _ahead_sentence(study: CompareStudy, pair: pd.DataFrame) -> str:
    """Say in what a metric is better than another, and what is not sure of it."""
    one, other = (pair[side].iloc[0] for side in ("metric", "against"))
    ahead = [qualities()[str(name)] for name in pair.loc[pair["surely"] == "better", "quality"]]
    unsure = pair[pair["surely"] == ""]
    doubts = [_likely(study, name, share) for name, share in zip(unsure["quality"], unsure["p_not_worse"], strict=True)]
    return say("ahead", one=one, other=other, ahead=ahead, doubts=doubts)


def _likely(study: CompareStudy, quality: object, p: float) -> str:
    return say("likely", quality=qualities()[str(quality)], p=likely(study, quality, p))


def likely(study: CompareStudy, quality: object, p: float) -> str:
    """Write a probability of the verdict with its Monte-Carlo error; a bound where it is nearly sure."""
    written = chance(p)
    exact = written[:1] in "<>–"  # noqa: RUF001 - as `chance` writes them
    return written if exact else carried(p, study.probability_error(str(quality), p))


def _power(study: CompareStudy, row: _Row) -> str:
    return bracketed(row["power"], row["power_low"], row["power_high"], draws=study.power.n_topic_resamples)


def _power_sentence(study: CompareStudy, rows: Mapping[str, _Row]) -> str:
    """Say which metric has the highest power, and that of the metric in use."""
    powers = [float(row["power"]) for row in rows.values()]
    best = ends(rows, powers, [_power(study, row) for row in rows.values()])[1]
    apart = study.current is not None and study.current not in best.names
    return say(
        "power",
        best=best.names,
        named=[say("in use", metric=name, current=study.current) for name in best.names],
        n=len(rows),
        figure=best.figure,
        current=study.current,
        own=_power(study, rows[str(study.current)]) if apart else "",
        test=study.power.test,
        level=study.confidence_level,
    )


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
    return say("clear", **words, level=study.confidence_level)


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
        needed.append(say("needed", metric=name, middle=middle, low=low, high=high))
    return say("topics", study=study, needed=needed, errors=count_errors(counts))


def _agreement_sentence(study: CompareStudy, others: pd.DataFrame) -> str:
    sure = others["f1_low"] if "f1_low" in others else others["f1"]
    close = others[(sure >= _SAME) & (others["conflicts"] == 0)]["metric"].tolist()
    open_still = others[(others["f1"] >= _SAME) & ~others["metric"].isin(close)]["metric"].tolist()
    conflicts = int(others["conflicts"].sum())
    return say("agreement", close=close, current=study.current, least=_SAME, open=open_still, n=conflicts)


def limits_section(study: CompareStudy) -> Section:
    """Name what has no interval, and what could not be found out."""
    items = [Item(term="Not known", words=f"{part}: {why}") for part, why in study.unknown.items()]
    computed = {"stability": study.stability, "heaviness": study.heaviness}
    without = ["required", "conflicts", "identical", *(name for name, found in computed.items() if found is not None)]
    items += [Item(term="No interval", words=say(f"no {name}")) for name in without]
    return Section(
        id="limits",
        title=say("limits"),
        lead=say("limits lead"),
        blocks=(Items(items=tuple(items)), Text(paragraphs=(say("limits words"),))),
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
    )
    paragraphs = tuple(words for words in parts if words)
    procedures = (TESTS[SENSITIVITY], TESTS[study.power.test], CORRECTIONS["fdr_by"], CORRECTIONS["fdr_bh"])
    keys = [*(key for known in procedures for key in known.cite), *_SOURCES]
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, keys))


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
