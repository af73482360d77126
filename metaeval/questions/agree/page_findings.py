"""What an agreement study finds: the answer, the advice, what grades are worth, and how all of it was found."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, TypedDict

import numpy as np
import pandas as pd

from metaeval.base.digits import error_of_ends
from metaeval.base.names import count
from metaeval.base.words import bracketed, ends, listed, name_of_metric, number, percentage, whole
from metaeval.page.blocks import Methods
from metaeval.page.tables import with_cells
from metaeval.questions.agree.study import AgreeStudy, ScoredTopics
from metaeval.questions.agree.study_element_uses import EXCEPT, FIXED, GENERALISED
from metaeval.questions.agree.study_variants import Variant
from metaeval.reports.prose import prose
from metaeval.reports.shared import computed_with, described_by, with_draws
from metaeval.reports.traits import traits_said

_VERDICTS = ("same", "different", "open")
_WORDS = {
    False: {"some": "Not all", "different": "No", "open": "Not settled for all", "same": "Yes"},
    True: {"some": "Yes, for some", "different": "Yes", "open": "Open", "same": "No"},
}
"""Whether conclusions are the same; of grades, whether they matter."""
_CALLED = {"open": "inconclusive"}
_LEAD = {
    "same": ("leads to the same conclusions", "lead to the same conclusions"),
    "different": ("leads to different conclusions", "lead to different conclusions"),
    "open": ("is inconclusive", "are inconclusive"),
}
_OPEN = {
    "neither": "neither {predictor} nor {truth} finds a significant pair",
    "one": "{silent} finds no significant pair",
    "conflict": "{predictor} agrees with {truth} (F1 {f1}), but has {conflicts}",
    "no interval": "F1 of {predictor} with {truth} is {f1}, without an interval",
    "draws": "F1 of {predictor} with {truth} is {f1}, {bar} within the Monte-Carlo error of an end",
    "interval": "F1 of {predictor} with {truth} is {f1}, on both sides of {bar}, the bar for agreement",
}
_FEW = 2
"""How many uses, or metrics, an answer names."""
_SHARE, _BOTH = "share", "both"
_NEITHER = "–: neither finds a pair"  # noqa: RUF001 - a dash for people
say = prose(__name__)


class Terms(TypedDict):
    """What passages call the things compared."""

    study: AgreeStudy
    elements: bool
    grades: bool
    use: str
    uses: str


def terms(study: AgreeStudy) -> Terms:
    """Return what passages call the things compared: metrics, or uses of the grades, of elements quantisations."""
    elements = any(variant.kind == GENERALISED for variant in study.variants)
    use = "quantisation" if elements else "use" if study.variants else "metric"
    grades = " of the grades" if use == "use" else ""
    return {
        "study": study,
        "elements": elements,
        "grades": bool(grades),
        "use": f"{use}{grades}",
        "uses": f"{use}s{grades}",
    }


def label(study: AgreeStudy, metric: object, *, within: bool = False) -> str:
    """Return what a metric is called on the page: in an audit by its base and its use of the grades."""
    variant = _variant(study, metric)
    if variant is None:
        return name_of_metric(metric)
    return variant.words if within else f"{name_of_metric(variant.base)}, {variant.words}"


def _variant(study: AgreeStudy, metric: object) -> Variant | None:
    """Return the use of the grades that a metric is in an audit; None of any other."""
    return next((used for used in study.variants if used.metric == metric and used.kind != FIXED), None)


def pair_label(study: AgreeStudy, first: str, second: str) -> str:
    """Return what two metrics are called together: "Strict5 and Gen5 under MAep" where they share a base."""
    bases = {name: variant.base for name in (first, second) for variant in study.variants if variant.metric == name}
    base = bases.get(first) if bases.get(first) == bases.get(second) else None
    names = [label(study, name, within=base is not None) for name in (first, second)]
    if base is not None:
        return f"{listed(names)} under {name_of_metric(base)}"
    return (", and " if study.variants else " and ").join(names)


def compared_rows(study: AgreeStudy) -> pd.DataFrame:
    """Return a row of `AgreeStudy.to_frame` a base and other metric: the reference is the truth, at the first level."""
    frame = study.to_frame()
    first = frame.iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    parts = []
    for base, members in study.groups().items():
        of_base = first[(first["truth"] == study.reference(base)) & first["predictor"].isin(members)]
        parts.append(of_base.assign(base=base, draws=_n_resamples(study)))
    return pd.concat(parts, ignore_index=True)


def answer_sentence(study: AgreeStudy) -> str:
    """Say in one sentence whether they lead to the same conclusions."""
    rows = compared_rows(study).to_dict("records")
    if not rows:
        return "There is nothing to compare."
    verdict_counts = Counter(_verdict(row, study.min_f1) for row in rows)
    kinds = [kind for kind in _VERDICTS if verdict_counts[kind]]
    word = _WORDS[terms(study)["grades"]]["some" if len(kinds) > 1 and "different" in kinds else kinds[-1]]
    if len(rows) == 1:
        return _one_answer(study, rows[0], word)
    heard = [row for row in rows if row["n_truth"] or row["n_predictor"]]  # F1 of nothing says nothing
    truths = {label(study, row["truth"], within=True) for row in rows}
    extremes = [find(heard, key=lambda row: row["f1"]) for find in (min, max)] if heard else []
    values = " to ".join(dict.fromkeys(_f1_words(row, study.min_f1) for row in extremes))
    counted = [f"{_who(study, rows, kind, len(kinds))} {_LEAD[kind][verdict_counts[kind] != 1]}" for kind in kinds]
    return say(
        "answers",
        word="Inconclusive" if kinds == ["open"] else word,
        n=len(rows),
        beside=f" compared with {truths.pop()}{'' if study.variants else ' (named first)'}" if len(truths) == 1 else "",
        counted=counted,
        values=f" (F1 {values}{'' if level_of(study) else ', without intervals'})" if values else "",
        **terms(study),
    )


def _who(study: AgreeStudy, rows: list[dict[Hashable, Any]], verdict: str, n_kinds: int) -> str:
    """Name those with a verdict where they are few and others have another one."""
    names = [_in_a_list(study, row["predictor"]) for row in rows if _verdict(row, study.min_f1) == verdict]
    return "all" if n_kinds == 1 else listed(names) if len(names) <= _FEW else str(len(names))


def _in_a_list(study: AgreeStudy, metric: object) -> str:
    """Return what a metric is called between others, without a comma of its own."""
    variant = _variant(study, metric)
    return label(study, metric) if variant is None else f"{name_of_metric(variant.base)} ({variant.words})"


def _one_answer(study: AgreeStudy, row: dict[Hashable, Any], word: str) -> str:
    """Say of two whether they lead to the same conclusions, or what leaves that open."""
    under = f" under {name_of_metric(row['base'])}" if row["base"] else ""
    predictor, truth = (label(study, row[side], within=bool(row["base"])) for side in ("predictor", "truth"))
    f1, verdict = _f1_words(row, study.min_f1), _verdict(row, study.min_f1)
    if verdict == "open":
        why = _OPEN[_open_words(row, study)].format(
            predictor=predictor,
            truth=f"{truth}{under}",
            silent=f"{predictor if row['n_truth'] else truth}{under}",
            f1=f1,
            bar=f"{study.min_f1:g}",
            conflicts=count(int(row["n_conflicts"]), "conflict"),
        )
        return f"Inconclusive: {why}."
    leads = "the same conclusions as" if verdict == "same" else "different conclusions than"
    without = "" if level_of(study) else ", without an interval"
    words = {"predictor": predictor, "truth": f"{truth}{under}", "leads": leads, "f1": f"{f1}{without}"}
    against, n_truth = _conflicts_of(study, row), int(row["n_truth"])
    missed_one = (2 * n_truth - 2) / (2 * n_truth - 1)  # F1 of all pairs but one
    is_rash = verdict == "different" and not row["n_conflicts"] and missed_one < study.min_f1
    return say("answer", word=word, row=row, against=against, rash=is_rash, bar=f"{study.min_f1:g}", **words)


def resting_words(study: AgreeStudy) -> str:
    """Say of two metrics what having no conflict rests on, and what holds where both score something; else empty."""
    rows = compared_rows(study)
    if len(rows) != 1 or not rows[["n_truth", "n_predictor"]].to_numpy().any():
        return ""
    (predictor, truth), scored = rows[["predictor", "truth"]].iloc[0], study.scored
    told = [_scored_words(scored, predictor, truth, study.scores.sizes["topic"])] if scored is not None else []
    others = {name: n for name, n in study.conflicts_otherwise(predictor, truth).items() if n}
    if others and not rows["n_conflicts"].any():
        fields = {"correction": study.lead.result.correction, "n_pairs": study.lead.n_pairs}
        told.append(say("opposite", others=others, opposite=study.lead.in_opposite_order(predictor, truth), **fields))
    return " ".join(told)


def _scored_words(scored: ScoredTopics, predictor: str, truth: str, n_topics: int) -> str:
    agreement, n_both = scored.agreement, scored.agreement.result.n_topics
    f1, tau = (agreement.matrix(name).loc[predictor, truth] for name in ("f1", "tau"))
    return say("scored", scored=scored, n=n_both, n_topics=n_topics, f1=f1, tau=tau)


def _conflicts_of(study: AgreeStudy, row: Mapping[Hashable, Any]) -> list[str]:
    """Name the pairs that a predictor decides in the other direction: the better one there over the worse."""
    pairs = []
    for conflict in study.lead.conflicts().to_dict("records") if row["n_conflicts"] else []:
        better = {conflict[f"metric_{side}"]: conflict[f"better_under_{side}"] for side in ("a", "b")}
        if better.keys() == {row["predictor"], row["truth"]}:
            pairs.append(f"{better[row['predictor']]} over {better[row['truth']]}")
    return pairs


def _open_words(row: Mapping[Hashable, Any], study: AgreeStudy) -> str:
    """Name what leaves a comparison open."""
    if not row["n_truth"] and not row["n_predictor"]:
        return "neither"
    if not row["n_truth"] or not row["n_predictor"]:
        return "one"
    low, high = row.get("f1_low", math.nan), row.get("f1_high", math.nan)
    if math.isnan(low):
        return "no interval"
    if high < study.min_f1 or low >= study.min_f1 > low - _error_of_f1_ends(row):
        return "draws"
    return "conflict" if low >= study.min_f1 else "interval"


def verdicts_frame(study: AgreeStudy) -> pd.DataFrame:
    """Return a row a comparison, lowest F1 first, with its names, F1 and verdict in words."""
    rows = compared_rows(study).sort_values("f1", kind="stable", ignore_index=True)
    verdicts = [_verdict(row, study.min_f1) for row in rows.to_dict("records")]
    rows = with_cells(rows, f1_shown=[_f1_words(row, study.min_f1) for row in rows.to_dict("records")])
    return rows.assign(
        predictor_label=[label(study, name) for name in rows["predictor"]],
        truth_label=[label(study, name, within=True) for name in rows["truth"]],
        f1_shown_sort=rows["f1"],
        verdict=[_CALLED.get(verdict, verdict) for verdict in verdicts],
    )


def more_sentences(study: AgreeStudy) -> tuple[str, ...]:
    """Say which of the numbers to quote, and what they do not show."""
    return say("quote", **terms(study)), say("caution of grades" if study.variants else "caution", **terms(study))


def _verdict(row: Mapping[Hashable, Any], min_f1: float) -> str:
    """Say whether the evidence settles the question: same, different or open."""
    # a metric that finds no pair may only lack topics or resamples, so nothing is settled about it
    silent = row["n_truth"] == 0 or row["n_predictor"] == 0
    low, high = row.get("f1_low", math.nan), row.get("f1_high", math.nan)
    if silent or math.isnan(low):
        return "open" if silent or row["f1"] >= min_f1 else "different"
    if high + _error_of_f1_ends(row) < min_f1:
        return "different"
    return "same" if low - _error_of_f1_ends(row) >= min_f1 and not row["n_conflicts"] else "open"


def _error_of_f1_ends(row: Mapping[Hashable, Any]) -> float:
    """Return the Monte-Carlo standard error of the ends of the interval of F1."""
    if not row["draws"]:
        return 0.0
    return error_of_ends(max(row["f1"] - row["f1_low"], row["f1_high"] - row["f1"]), row["draws"])


def _f1_words(row: Mapping[Hashable, Any], bar: float | None = None) -> str:
    """Write F1 with its interval, whose ends never read like the bar that they lie beyond."""
    if not row["n_truth"] and not row["n_predictor"]:
        # F1 of nothing with nothing is 1 by definition, which a sentence would make sound like agreement.
        return _NEITHER
    return bracketed(row["f1"], row.get("f1_low"), row.get("f1_high"), number(2), draws=row["draws"], apart=bar)


def _n_resamples(study: AgreeStudy) -> int | None:
    return None if study.intervals is None else study.intervals.n_topic_resamples


def level_of(study: AgreeStudy) -> str:
    """Return the confidence level as people write it; nothing without intervals."""
    return "" if study.intervals is None else percentage(study.intervals.confidence_level)


def conflict_sentence(study: AgreeStudy) -> str:
    """Say how many pairs are in conflict, and between what."""
    groups = study.groups()
    members = [name for group in groups.values() for name in group]
    base = np.repeat(np.arange(len(groups)), [len(group) for group in groups.values()])
    counts = np.triu(study.lead.matrix("n_conflicts").loc[members, members].to_numpy())
    within_base = np.where(base[:, None] == base, counts, 0)
    across = int(counts.sum() - within_base.sum())
    between = f"; {count(across, 'conflict')} between metrics" if across else ""
    if not within_base.any():
        within = "Under the same metric n" if across else "N"
        return say("no conflicts", within=within, between=between, **terms(study))
    names = [pair_label(study, *sorted((members[a], members[b]))) for a, b in np.argwhere(within_base > 0)]
    return say(
        "conflicts",
        between=between,
        total=int(within_base.sum()),
        n_pairs=int((within_base > 0).sum()),
        possible=int(np.triu(base[:, None] == base, 1).sum()),
        worst=ends(names, within_base[within_base > 0], map(whole, within_base[within_base > 0]))[1],
        **terms(study),
    )


def grade_sentences(study: AgreeStudy) -> list[str]:
    """Say for every metric and dimension of an audit which boundary between grades matters most, if any surely does."""
    frame = study.grades().assign(draws=_n_resamples(study))
    sentences = []
    for (base, of), rows in frame.groupby(["base", frame["boundary"].map(_dimension_of)], sort=False):
        by_f1 = rows.sort_values(["f1", "boundary"])
        sentence_of = {_SHARE: _share_sentence, _BOTH: _both_sentence}.get(str(of))
        sentences.append(sentence_of(str(base), by_f1) if sentence_of else _grade_sentence(str(base), by_f1, str(of)))
    return sentences


def _dimension_of(boundary: str) -> str:
    """Return what a boundary lies in.

    Examples
    --------
    >>> [_dimension_of(words) for words in ("1 and 2", "exhaustivity ? and 1", "specificity except s = 1")]
    ['', 'exhaustivity', 'share']
    >>> _dimension_of("both: 1 and 2")
    'both'
    """
    if EXCEPT in boundary or ":" in boundary:
        return _SHARE if EXCEPT in boundary else _BOTH
    return boundary.rpartition(" and ")[0].rpartition(" ")[0]


def _grade_sentence(base: str, rows: pd.DataFrame, of: str) -> str:
    worst, others = rows.iloc[0], rows.iloc[1:]
    has_interval = "f1_low" in rows and bool(rows[["f1_low", "f1_high"]].notna().all(axis=None))
    passage = "no boundary"
    if not (rows["n_truth"] + rows["n_predictor"]).any():
        passage = "no pair"
    elif others.empty:
        passage = "only boundary"
    elif has_interval and worst["f1_high"] < others["f1_low"].min():
        passage = "worst boundary"
    boundary = worst["boundary"] if of else f"grades {worst['boundary']}"
    why = "the intervals overlap" if has_interval else "no intervals were requested"
    fields = {"of": f" of {of}" if of else "", "boundary": boundary, "why": why}
    return say(passage, base=base, worst=worst, f1=_f1_words(worst.to_dict()), **fields)


def _share_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say which share of specificity, as a step, keeps most of the conclusions and which least."""
    steps = rows["boundary"].str.rpartition(EXCEPT)[2]
    low, high = ends(steps, rows["f1"], map(_f1_words, rows.to_dict("records")))
    return say("specificity", base=base, low=low, high=high)


def _both_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say what a scale of three grades in both dimensions would do."""
    phrases = [
        f"{row['boundary'].rpartition(': ')[2]} alike has F1 {_f1_words(row)}" for row in rows[::-1].to_dict("records")
    ]
    return say("both dimensions", base=base, agreements=phrases)


def agree_methods(study: AgreeStudy) -> Methods:
    """Say what was done in words that fit a paper."""
    results = [agreement.result for agreement in study.agreements]
    metrics = []
    for base, members in study.groups().items():
        uses = [label(study, metric, within=True) for metric in members]
        metrics.append(
            name_of_metric(base) if uses == [name_of_metric(base)] else f"{name_of_metric(base)} ({listed(uses)})"
        )
    words = say(
        "methods",
        study=study,
        sizes=study.scores.sizes,
        traits=traits_said(study.scores),
        result=study.lead.result,
        metrics=metrics if study.variants else list(map(name_of_metric, study.lead.metrics)),
        tests=dict.fromkeys(map(with_draws, results)),
        corrections=dict.fromkeys(described_by(result.correction) for result in results),
        levels=[f"{alpha:g}" for alpha in study.lead.alphas],
    )
    of_intervals = "" if study.intervals is None else say("intervals methods", study=study, level=level_of(study))
    return Methods(paragraphs=(*filter(None, (words, of_intervals)), computed_with(study.provenance)))
