"""What an agreement study finds: the answer, the advice, what grades are worth, and how all of it was found."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.words import bracketed, ends, name_of_metric, number, percentage, span, whole
from metaeval.page.blocks import Methods
from metaeval.reports.prose import prose
from metaeval.reports.shared import beside, cited_keys, described_by, with_draws
from metaeval.studies.agree import AgreeStudy
from metaeval.studies.element_uses import ALONE, BINARY, EXCEPT, FIXED, GENERALISED, OTHER

_MOST_NAMED = 8
_TOLD = (BINARY, ALONE, OTHER)
_VERDICTS = ("same", "different", "open")
_SHARE, _BOTH = "share", "both"
_SOURCES = ("ogilvie2006", "yilmaz2008")
say = prose("agree_findings")


def terms(study: AgreeStudy) -> dict[str, Any]:
    """Return what passages call the things compared: metrics, or uses of the grades, of elements quantisations."""
    known = {"study": study, "elements": any(variant.kind == GENERALISED for variant in study.variants)}
    return known | {name: say(name, **known) for name in ("use", "uses")}


def label(study: AgreeStudy, metric: object, *, within: bool = False) -> str:
    """Return what a metric is called on the page: in an audit by its base and its use of the grades."""
    variant = next((one for one in study.variants if one.metric == metric), None)
    if variant is None or variant.kind == FIXED:
        return name_of_metric(metric)
    return variant.words if within else f"{name_of_metric(variant.base)}, {variant.words}"


def pair_label(study: AgreeStudy, first: str, second: str) -> str:
    """Return what two metrics are called together: "Strict5 and Gen5 under MAep" where they share a base."""
    bases = {name: one.base for name in (first, second) for one in study.variants if one.metric == name}
    base = bases.get(first) if bases.get(first) == bases.get(second) else None
    names = [label(study, name, within=base is not None) for name in (first, second)]
    return say("pair", study=study, base=base, names=names)


def compared_rows(study: AgreeStudy) -> pd.DataFrame:
    """Return a row of `AgreeStudy.to_frame` a base and other metric: the reference is the truth, at the first level."""
    frame = study.to_frame()
    first = frame.iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    parts = []
    for base, members in study.groups().items():
        own = first[(first["truth"] == study.reference(base)) & first["predictor"].isin(members)]
        parts.append(own.assign(base=base, draws=_draws(study)))
    return pd.concat(parts, ignore_index=True)


def answer_sentence(study: AgreeStudy) -> str:
    """Say whether they lead to the same conclusions, and how sure that is."""
    rows = compared_rows(study).to_dict("records")
    if not rows:
        return say("nothing")
    found = Counter(_verdict(row, study.min_f1) for row in rows)
    if len(rows) == 1:
        (row,), (verdict,) = rows, found
        pair = {side: label(study, row[side]) for side in ("predictor", "truth")}
        return say("answer", **pair, row=row, verdict=verdict, f1=_f1(row), level=_level(study))
    each = Counter(row["base"] for row in rows)
    heard = [row for row in rows if row["n_truth"] or row["n_predictor"]]  # F1 of nothing with nothing says nothing
    names = [label(study, row["predictor"]) for row in heard]
    asked = {"several": len(found) > 1, "level": _level(study), "bar": f"{study.min_f1:g}"}
    return say(
        "answers",
        **terms(study),
        **asked,
        n=len(rows),
        n_bases=len(each) if len(set(each.values())) == 1 else 1,
        n_each=each[rows[0]["base"]],
        references=_references(study, rows),
        verdicts=[say("counted", n=found[kind], kind=kind, **asked) for kind in _VERDICTS if found[kind]],
        kind=next(iter(found)) if len(found) == 1 else "",
        values=span(names, [row["f1"] for row in heard], map(_f1, heard)) if heard else "",
        silent=any(row["n_truth"] == 0 or row["n_predictor"] == 0 for row in rows),
        contrary=any(row["n_conflicts"] and row.get("f1_low", math.nan) >= study.min_f1 for row in rows),
    )


def _references(study: AgreeStudy, rows: Sequence[Mapping[Hashable, Any]]) -> list[str]:
    """Name what the others are compared with; in an audit of several metrics for each of them."""
    named = dict.fromkeys((str(row["base"]), label(study, row["truth"], within=True)) for row in rows)
    truths = {truth for _, truth in named}
    return [*truths] if len(truths) == 1 else [say("reference", base=base, truth=truth) for base, truth in named]


def _verdict(row: Mapping[Hashable, Any], min_f1: float) -> str:
    """Say whether the evidence settles the question: same, different or open."""
    # a metric that finds no pair may only lack topics or resamples, so nothing is settled about it
    silent = row["n_truth"] == 0 or row["n_predictor"] == 0
    low, high = row.get("f1_low", math.nan), row.get("f1_high", math.nan)
    if silent or math.isnan(low):
        return "open" if silent or row["f1"] >= min_f1 else "different"
    if high < min_f1:
        return "different"
    return "same" if low >= min_f1 and not row["n_conflicts"] else "open"


def _f1(row: Mapping[Hashable, Any]) -> str:
    if not row["n_truth"] and not row["n_predictor"]:
        # F1 of nothing with nothing is 1 by definition, which a sentence would make sound like agreement.
        return say("neither")
    return bracketed(row["f1"], row.get("f1_low"), row.get("f1_high"), number(2), draws=row["draws"])


def _draws(study: AgreeStudy) -> int | None:
    return None if study.intervals is None else study.intervals.n_topic_resamples


def _level(study: AgreeStudy) -> str:
    return "" if study.intervals is None else percentage(study.intervals.confidence_level)


def summary_sentences(study: AgreeStudy) -> list[str]:
    """Say for every metric how its findings meet those of the reference, then what is in conflict."""
    rows = compared_rows(study)
    told = rows[rows["predictor"].isin(_told(study))] if study.variants else rows.head(_MOST_NAMED)
    by_base = [own.to_dict("records") for _, own in told.groupby("base", sort=False)]
    sentences = [_meetings(study, own, again=place > 0) for place, own in enumerate(by_base)]
    if terms(study)["elements"]:
        sentences += _glosses(study, told)
    if n_left := len(rows) - len(told):
        sentences.append(say("others", n=n_left))
    return [*sentences, _conflict_sentence(study)]


def _meetings(study: AgreeStudy, rows: Sequence[Mapping[Hashable, Any]], *, again: bool) -> str:
    """Say how many pairs the reference finds, and how those that others find meet them, each with its verdict."""
    truth = label(study, rows[0]["truth"], within=True)
    powers = study.powers().set_index(["correction", "metric"])["power"]
    milder = beside(
        study.lead.result,
        lambda found: f"{100 * powers[found.correction, rows[0]['truth']]:.0f} %",
        again=again,
    )
    sentences = [say("reference finds", row=rows[0], truth=truth, result=study.lead.result, beside=milder)]
    for row in rows:
        predictor, verdict = label(study, row["predictor"], within=True), _verdict(row, study.min_f1)
        sentences.append(say("other finds", row=row, predictor=predictor, truth=truth, f1=_f1(row), verdict=verdict))
    return " ".join(sentences)


def _glosses(study: AgreeStudy, told: pd.DataFrame) -> list[str]:
    """Say what the quantisations are that the summary speaks of."""
    spoken = {*told["truth"], *told["predictor"]}
    known = dict.fromkeys((one.words, one.meaning) for one in study.variants if one.metric in spoken and one.meaning)
    return [" ".join(f"{words}: {meaning[:1].lower()}{meaning[1:]}" for words, meaning in known)] if known else []


def _told(study: AgreeStudy) -> set[str]:
    """Return the uses that the summary speaks of: most lenient, strictest, of elements another graded one."""
    told = set()
    for base in study.groups():
        of = {kind: [one.metric for one in study.variants if (one.base, one.kind) == (base, kind)] for kind in _TOLD}
        told |= {*of[BINARY][-1:], *(of[ALONE][:1] or of[BINARY][:1])}
        told |= {*of[OTHER][:1]} if terms(study)["elements"] else set()
    return told


def _conflict_sentence(study: AgreeStudy) -> str:
    groups = study.groups()
    members = [name for group in groups.values() for name in group]
    base = np.repeat(np.arange(len(groups)), [len(group) for group in groups.values()])
    counts = np.triu(study.lead.matrix("n_conflicts").loc[members, members].to_numpy())
    own = np.where(base[:, None] == base, counts, 0)
    across = int(counts.sum() - own.sum())
    if not own.any():
        return say("no conflicts", **terms(study), across=across)
    names = [pair_label(study, *sorted((members[a], members[b]))) for a, b in np.argwhere(own > 0)]
    return say(
        "conflicts",
        **terms(study),
        across=across,
        total=int(own.sum()),
        several=len(groups) > 1,
        n_pairs=int((own > 0).sum()),
        possible=int(np.triu(base[:, None] == base, 1).sum()),
        worst=ends(names, own[own > 0], map(whole, own[own > 0]))[1],
    )


def grade_sentences(study: AgreeStudy) -> list[str]:
    """Say for every metric and dimension of an audit which boundary between grades matters most, if any surely does."""
    frame = study.grades().assign(draws=_draws(study))
    sentences = []
    for (base, of), rows in frame.groupby(["base", frame["boundary"].map(_dimension)], sort=False):
        by_f1 = rows.sort_values(["f1", "boundary"])
        said = {_SHARE: _share_sentence, _BOTH: _both_sentence}.get(str(of))
        sentences.append(said(str(base), by_f1) if said else _grade_sentence(str(base), by_f1, str(of)))
    return sentences


def _dimension(boundary: str) -> str:
    """Return what a boundary lies in.

    Examples
    --------
    >>> [_dimension(words) for words in ("1 and 2", "exhaustivity ? and 1", "specificity except s = 1")]
    ['', 'exhaustivity', 'share']
    >>> _dimension("both: 1 and 2")
    'both'
    """
    if EXCEPT in boundary or ":" in boundary:
        return _SHARE if EXCEPT in boundary else _BOTH
    return boundary.rpartition(" and ")[0].rpartition(" ")[0]


def _grade_sentence(base: str, rows: pd.DataFrame, of: str) -> str:
    worst, others = rows.iloc[0], rows.iloc[1:]
    known = "f1_low" in rows and bool(rows[["f1_low", "f1_high"]].notna().all(axis=None))
    passage = "no boundary"
    if not (rows["n_truth"] + rows["n_predictor"]).any():
        passage = "no pair"
    elif others.empty:
        passage = "only boundary"
    elif known and worst["f1_high"] < others["f1_low"].min():
        passage = "worst boundary"
    f1 = _f1(worst.to_dict())
    return say(passage, base=base, of=of, worst=worst, f1=f1, known=known, several=len(others) > 1)


def _share_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say which share of specificity, as a step, keeps most of the conclusions and which least."""
    steps = rows["boundary"].str.rpartition(EXCEPT)[2]
    low, high = ends(steps, rows["f1"], map(_f1, rows.to_dict("records")))
    return say("specificity", base=base, low=low, high=high)


def _both_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say what a scale of three grades in both dimensions would do."""
    found = [
        say("alike", grades=row["boundary"].rpartition(": ")[2], f1=_f1(row)) for row in rows[::-1].to_dict("records")
    ]
    return say("both dimensions", base=base, found=found)


def advice_sentences(study: AgreeStudy) -> list[str]:
    """Say what the evidence allows about each metric in place of the reference, and no more."""
    rows = compared_rows(study)
    known = "f1_low" in rows and bool(rows["f1_low"].notna().any())
    found: dict[str, list[str]] = {kind: [] for kind in _VERDICTS}
    for base, own in rows.groupby("base", sort=False):
        truth = label(study, study.reference(str(base)), within=True)
        cases: dict[str, list[str]] = {}
        for row in own.to_dict("records"):
            name = label(study, row["predictor"], within=True)
            name = name if base else say("instead", predictor=name, truth=truth)
            case = say("case", row=row, name=name, f1=_f1(row))
            cases.setdefault(_verdict(row, study.min_f1), []).append(case)
        for kind, told in cases.items():
            found[kind] += [say("cases", base=base, truth=truth, found=told)] if base else told
    asked = {"level": _level(study) if known else "", "bar": f"{study.min_f1:g}"}
    return [say(kind, found=told, **asked) for kind, told in found.items() if told] or [say("nothing")]


def agree_methods(study: AgreeStudy) -> Methods:
    """Say what was done in words that fit a paper."""
    results = [agreement.result for agreement in study.agreements]
    uses = {
        name_of_metric(base): [label(study, one, within=True) for one in members]
        for base, members in study.groups().items()
    }
    words = say(
        "methods",
        study=study,
        sizes=study.scores.sizes,
        result=study.lead.result,
        metrics=[say("metric", base=base, uses=[] if own == [base] else own) for base, own in uses.items()],
        tests=dict.fromkeys(map(with_draws, results)),
        corrections=dict.fromkeys(described_by(result.correction) for result in results),
        levels=[f"{alpha:g}" for alpha in study.lead.alphas],
        level=_level(study),
    )
    keys = [*(key for result in results for key in cited_keys(result)), *_SOURCES]
    keys += [] if study.intervals is None else ["korn1998"]
    return Methods(paragraphs=(words,), cite=tuple(dict.fromkeys(keys)))
