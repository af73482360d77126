# ruff: noqa: RUF001 - Greek letters are meant for people
"""What an agreement study says in plain words: the answer, the advice, and how it was found."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import count
from metaeval.base.words import MISSING, bracketed, ends, listed, name_of_metric, number, percentage, span, whole
from metaeval.page.blocks import Methods
from metaeval.reports.shared import cited_keys, computed_with, described_by, side_words, with_draws
from metaeval.studies.agree import AgreeStudy
from metaeval.studies.element_uses import ALONE, BINARY, EXCEPT, FIXED, GENERALISED, OTHER
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_MOST_NAMED = 8
_TWO = 2
_TOLD = (BINARY, ALONE, OTHER)
_VERDICTS = {"same": "same conclusions", "different": "different conclusions", "open": "not settled"}
_SHARE, _BOTH = "share", "both"
_SOURCES = ("ogilvie2006", "yilmaz2008")


def compared_rows(study: AgreeStudy) -> pd.DataFrame:
    """Return one row a base and other metric, with the reference as the truth, at the first level.

    The columns of `AgreeStudy.to_frame`, ``base``, and ``draws``, the resamples of topics behind an interval.
    """
    frame = study.to_frame()
    first = frame.iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    parts = []
    for base, members in study.groups().items():
        reference = study.reference(base)
        own = first[(first["truth"] == reference) & first["predictor"].isin(members)]
        parts.append(own.assign(base=base, draws=_draws(study)))
    return pd.concat(parts, ignore_index=True)


def label(study: AgreeStudy, metric: object, *, within: bool = False) -> str:
    """Return what a metric is called on the page: in an audit by its base and its use of the grades."""
    variant = next((one for one in study.variants if one.metric == metric), None)
    if variant is None or variant.kind == FIXED:
        return name_of_metric(metric)
    return variant.words if within else f"{name_of_metric(variant.base)}, {variant.words}"


def of_elements(study: AgreeStudy) -> bool:
    """Say whether an audit is about quantisations of elements."""
    return any(variant.kind == GENERALISED for variant in study.variants)


def uses(study: AgreeStudy, *, one: bool = False) -> str:
    """Return what is compared: metrics, or in an audit uses of the grades, of elements quantisations."""
    if not study.variants:
        return "metric" if one else "metrics"
    if of_elements(study):
        return "quantisation" if one else "quantisations"
    return "use of the grades" if one else "uses of the grades"


def pair_label(study: AgreeStudy, first: str, second: str) -> str:
    """Return what two metrics are called together: "Strict5 and Gen5 under MAep" where they share a base."""
    bases = [one.base for name in (first, second) for one in study.variants if one.metric == name]
    if len(bases) == _TWO and bases[0] == bases[1]:
        words = listed([label(study, name, within=True) for name in (first, second)])
        return f"{words} under {name_of_metric(bases[0])}"
    comma = "," if study.variants else ""
    return f"{label(study, first)}{comma} and {label(study, second)}"


def answer_sentence(study: AgreeStudy) -> str:
    """Say whether they lead to the same conclusions, and how sure that is."""
    rows = compared_rows(study).to_dict("records")
    if len(rows) == 1:
        return _one_answer(study, rows[0])
    if not rows:
        return "There is nothing to compare."
    found = Counter(_verdict(row, study.min_f1) for row in rows)
    what = f"other {uses(study)}" if study.variants else "metrics"
    each = Counter(row["base"] for row in rows)
    if len(each) > 1 and len(set(each.values())) == 1:
        what += f" ({next(iter(each.values()))} under each of {len(each)} metrics)"
    references = _references(study, rows)
    answers = {
        "same": ("leads", "lead", "to the same conclusions about these systems"),
        "different": ("leads", "lead", "to different conclusions about these systems"),
        "open": ("is", "are", f"not settled{' by these topics' * (study.intervals is not None)}"),
    }
    alone = len(found) == 1
    parts = [
        f"{'' if alone else f'{found[kind]} '}{one if found[kind] == 1 else many} {words}"
        for kind, (one, many, words) in answers.items()
        if found[kind]
    ]
    if alone:
        opening = f"{'Both' if len(rows) == _TWO else f'All {len(rows)}'} {what} compared with {references}"
    else:
        opening = f"Of {len(rows)} {what} compared with {references},"
    criterion = f", judged by F1 against {study.min_f1:g}, which without intervals settles only what lies below"
    if study.intervals is not None:
        level = percentage(study.intervals.confidence_level)
        criterion = f", judged by whether the {level} interval of F1 lies above {study.min_f1:g}, below it or around it"
        criterion += _exceptions(rows, study.min_f1)
        if alone and found["different"]:
            criterion = f"; every {level} interval of F1 lies below {study.min_f1:g}"
        elif alone and found["same"]:
            criterion = f"; every {level} interval of F1 lies at {study.min_f1:g} or above, and there is no conflict"
    heard = [row for row in rows if row["n_truth"] or row["n_predictor"]]  # F1 of nothing with nothing says nothing
    if not heard:
        return f"{opening} {listed(parts)}: none of them finds a significant pair."
    names = [label(study, row["predictor"]) for row in heard]
    values = span(names, [row["f1"] for row in heard], map(_f1, heard))
    return f"{opening} {listed(parts)}: F1 {values}{criterion}."


def _exceptions(rows: Sequence[Mapping[Hashable, Any]], min_f1: float) -> str:
    """Say what else leaves a comparison open, where it does."""
    silent = any(row["n_truth"] == 0 or row["n_predictor"] == 0 for row in rows)
    contrary = any(row["n_conflicts"] and row.get("f1_low", math.nan) >= min_f1 for row in rows)
    why = ["one that finds no pair"] * silent + ["one above with a conflict"] * contrary
    return f" ({' or '.join(why)} settles nothing)" if why else ""


def _references(study: AgreeStudy, rows: Sequence[Mapping[Hashable, Any]]) -> str:
    """Name what the others are compared with; in an audit of several metrics for each of them."""
    named = dict.fromkeys((str(row["base"]), label(study, row["truth"], within=True)) for row in rows)
    if len({truth for _, truth in named}) == 1:
        return next(iter(named))[1]
    return listed(f"{truth} under {name_of_metric(base)}" for base, truth in named)


def _one_answer(study: AgreeStudy, row: Mapping[Hashable, Any]) -> str:
    truth, predictor = (label(study, row[side]) for side in ("truth", "predictor"))
    answer = {
        "same": f"{predictor} leads to the same conclusions about these systems as {truth}, as far as these data go",
        "different": f"{predictor} leads to different conclusions about these systems than {truth}",
        "open": f"Whether {predictor} leads to the same conclusions about these systems as {truth} is not settled by "
        "these topics",
    }[_verdict(row, study.min_f1)]
    if not row["n_truth"] and not row["n_predictor"]:
        return f"{answer}: neither finds a significant pair."
    level = f" ({percentage(study.intervals.confidence_level)} interval)" if study.intervals is not None else ""
    return f"{answer}: F1 {_f1(row)}{level}, {count(int(row['n_conflicts']), 'conflict')}."


def summary_sentences(study: AgreeStudy) -> list[str]:
    """Say for every metric how its findings meet those of the reference, then what is in conflict.

    In an audit each metric has a paragraph, of the most lenient and the strictest binary use of its grades; of elements
    it is about the other graded quantisation, specificity alone (or else anything relevant), and the strict one.
    """
    rows = compared_rows(study)
    told = rows[rows["predictor"].isin(_told(study))] if study.variants else rows.head(_MOST_NAMED)
    sentences = [_meetings(study, own.to_dict("records")) for _, own in told.groupby("base", sort=False)]
    left = len(rows) - len(told)
    if of_elements(study):
        sentences += _glosses(study, told)
    if left:
        others = "other comparison is" if left == 1 else f"other {left} comparisons are"
        sentences.append(f"The {others} in the tables.")
    return [*sentences, _conflict_sentence(study)]


def _meetings(study: AgreeStudy, rows: Sequence[Mapping[Hashable, Any]]) -> str:
    """Say how many pairs the reference finds, and how those that others find meet them, each with its verdict."""
    reference, base = label(study, rows[0]["truth"], within=True), rows[0]["base"]
    opening = f"Under {name_of_metric(base)}, " if base else ""
    words = f"{opening}{reference} finds {_percent(rows[0]['share_truth'])} of the pairs significantly different"
    result = study.lead.result
    words += f" ({TESTS.words(result.test)}, {CORRECTIONS.words(result.correction)})."
    for row in rows:
        words += f" {label(study, row['predictor'], within=True)} finds {_percent(row['share_predictor'])}"
        if row["n_truth"] and row["n_predictor"]:
            words += (
                f": it recovers {_percent(row['recall'])} of {reference}'s, and {_percent(row['precision'])} of its"
            )
            words += " own are confirmed"
        conflicts = count(int(row["n_conflicts"]), "conflict") if row["n_conflicts"] else "no conflict"
        words += f" (F1 {_f1(row)}, {conflicts}): {_VERDICTS[_verdict(row, study.min_f1)]}."
    return words


def _glosses(study: AgreeStudy, told: pd.DataFrame) -> list[str]:
    """Say what the quantisations are that the summary speaks of."""
    spoken = {*told["truth"], *told["predictor"]}
    known = dict.fromkeys((one.words, one.meaning) for one in study.variants if one.metric in spoken and one.meaning)
    return [" ".join(f"{words}: {meaning[:1].lower()}{meaning[1:]}" for words, meaning in known)] if known else []


def _told(study: AgreeStudy) -> set[str]:
    """Return the uses of the grades that the summary speaks of."""
    told = set()
    for base in study.groups():
        of = {kind: [one.metric for one in study.variants if (one.base, one.kind) == (base, kind)] for kind in _TOLD}
        told |= {*of[BINARY][-1:], *(of[ALONE][:1] or of[BINARY][:1])}
        told |= {*of[OTHER][:1]} if of_elements(study) else set()
    return told


def _f1(row: Mapping[Hashable, Any]) -> str:
    if not row["n_truth"] and not row["n_predictor"]:
        # F1 of nothing with nothing is 1 by definition, which a sentence would make sound like agreement.
        return f"{MISSING}: neither finds a pair"
    return bracketed(row["f1"], row.get("f1_low"), row.get("f1_high"), number(2), draws=row["draws"])


def _draws(study: AgreeStudy) -> int | None:
    return None if study.intervals is None else study.intervals.n_topic_resamples


def _percent(value: object) -> str:
    return f"{100 * float(str(value)):.0f} %"


def _conflict_sentence(study: AgreeStudy) -> str:
    groups = study.groups()
    members = [name for group in groups.values() for name in group]
    base = np.repeat(np.arange(len(groups)), [len(group) for group in groups.values()])
    counts = np.triu(study.lead.matrix("n_conflicts").loc[members, members].to_numpy())
    own = np.where(base[:, None] == base, counts, 0)
    across = int(counts.sum() - own.sum())
    if not counts.any():
        return f"No two {uses(study)} decide any pair of systems in opposite directions."
    between = f"{count(across, 'conflict')} between metrics"
    if not own.any():
        opening = f"Under the same metric no two {uses(study)} decide any pair of systems in opposite directions"
        return f"{opening}; {between}."
    names = [pair_label(study, *sorted((members[a], members[b]))) for a, b in np.argwhere(own > 0)]
    worst = ends(names, own[own > 0], map(whole, own[own > 0]))[1]
    n_pairs, total = int((own > 0).sum()), int(own.sum())
    possible = int(np.triu(base[:, None] == base, 1).sum())
    among = (
        "" if n_pairs == 1 else f" among {n_pairs:,} of the {possible:,} pairs of {uses(study)}, most ({worst.figure})"
    )
    under = " under the same metric" if len(groups) > 1 else ""
    verb = "There is 1 conflict" if total == 1 else f"There are {total} conflicts"
    more = f"; {between}" if across else ""
    return (
        f"{verb}{under}{among} between {worst.who}: pairs of systems that the two decide in opposite directions{more}."
    )


def grade_sentences(study: AgreeStudy) -> list[str]:
    """Say for every metric of an audit which boundary between grades matters most, where the intervals settle it.

    A boundary matters most if the whole interval of F1 without it lies below those of all others. Of elements each
    dimension has a sentence.
    """
    frame = study.grades().assign(draws=_draws(study))
    dimension = frame["boundary"].map(_dimension)
    sentences = []
    for (base, of), rows in frame.groupby(["base", dimension], sort=False):
        say = {_SHARE: _share_sentence, _BOTH: _both_sentence}.get(str(of))
        by_f1 = rows.sort_values(["f1", "boundary"])
        sentences.append(say(str(base), by_f1) if say else _grade_sentence(str(base), by_f1, str(of)))
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
    opening = f"Under {name_of_metric(base)}"
    worst, others = rows.iloc[0], rows.iloc[1:]
    if not (rows["n_truth"] + rows["n_predictor"]).any():
        return f"{opening} no pair of systems differs significantly, so nothing shows which boundary matters."
    between = f"between {'' if of else 'grades '}{worst['boundary']}"
    if others.empty:
        return f"{opening} F1 without the difference {between} is {_f1(worst.to_dict())}."
    known = "f1_low" in rows and bool(rows[["f1_low", "f1_high"]].notna().all(axis=None))
    if known and worst["f1_high"] < others["f1_low"].min():
        return f"{opening} the difference {between} matters most: without it F1 is {_f1(worst.to_dict())}."
    why = "the intervals overlap" if known else "no intervals were asked for"
    kind = f"boundary between grades{f' of {of}' if of else ''}"
    return (
        f"{opening} no {kind} clearly matters more than the other{'s' * (len(others) > 1)} ({why}): "
        f"without any one of them F1 is at least {worst['f1']:.2f}."
    )


def _share_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say which share of specificity, as a step, keeps most of the conclusions and which least."""
    steps = rows["boundary"].str.rpartition(EXCEPT)[2]
    low, high = ends(steps, rows["f1"], map(_f1, rows.to_dict("records")))
    opening = f"Under {name_of_metric(base)}, where specificity is seen only as reaching a share or not, "
    if low == high:
        return f"{opening}as many conclusions stay with {low.who} (F1 {low.figure})."
    return (
        f"{opening}most conclusions stay with {high.who} (F1 {high.figure}) and fewest with {low.who} "
        f"(F1 {low.figure})."
    )


def _both_sentence(base: str, rows: pd.DataFrame) -> str:
    """Say what a scale of three grades in both dimensions would do."""
    found = [f"{str(row['boundary']).rpartition(': ')[2]} alike has F1 {_f1(row)}" for row in rows.to_dict("records")]
    return f"Under {name_of_metric(base)}, a scale of three grades in both dimensions with {listed(found[::-1])}."


def advice_sentences(study: AgreeStudy) -> list[str]:
    """Say what the evidence allows about each metric in place of the reference, and no more."""
    rows = compared_rows(study)
    known = "f1_low" in rows and bool(rows["f1_low"].notna().any())
    words: dict[str, list[str]] = {"same": [], "different": [], "open": []}
    for base, own in rows.groupby("base", sort=False):
        said: dict[str, list[str]] = {}
        for row in own.to_dict("records"):
            conflicts = int(row["n_conflicts"])
            pair = " instead of ".join(label(study, row[side], within=True) for side in ("predictor", "truth"))
            shown = label(study, row["predictor"], within=True) if base else pair
            contrary = f"; {count(conflicts, 'conflict')}" * (conflicts > 0)
            said.setdefault(_verdict(row, study.min_f1), []).append(f"{shown} (F1 {_f1(row)}{contrary})")
        truth = label(study, study.reference(str(base)), within=True)
        for kind, found in said.items():
            opening = f"{name_of_metric(base)}, instead of {truth}: " if base else ""
            words[kind] += [f"{opening}{', '.join(found)}"] if base else found
    level = percentage(study.intervals.confidence_level) if study.intervals is not None else ""
    bar = f"{study.min_f1:g}"
    reasons = {
        "same": f"Same conclusions, as far as these data go (the whole {level} interval of F1 at {bar} or above, and "
        "no pair decided in opposite directions)",
        "different": f"Different conclusions (F1, with its whole {level} interval, below {bar})"
        if known
        else f"Different conclusions here (F1 below {bar}; no interval was asked for)",
        "open": f"Not settled by these topics (the {level} interval of F1 holds {bar}, or lies above it beside a "
        "conflict, or one finds no pair at all)"
        if known
        else f"Not settled (F1 at {bar} or above, but no interval was asked for, or one finds no pair at all)",
    }
    return [f"{reason}: {'; '.join(words[kind])}." for kind, reason in reasons.items() if words[kind]]


def _verdict(row: Mapping[Hashable, Any], min_f1: float) -> str:
    """Say whether the evidence settles the question: same, different or open.

    A metric that finds no pair may only lack topics or resamples, so nothing is settled about it.
    """
    silent = row["n_truth"] == 0 or row["n_predictor"] == 0
    low, high = row.get("f1_low", math.nan), row.get("f1_high", math.nan)
    if silent or math.isnan(low):
        return "open" if silent or row["f1"] >= min_f1 else "different"
    if high < min_f1:
        return "different"
    return "same" if low >= min_f1 and not row["n_conflicts"] else "open"


def agree_methods(study: AgreeStudy) -> Methods:
    """Say what was done in words that fit a paper."""
    sizes, results = study.scores.sizes, [agreement.result for agreement in study.agreements]
    alternative = study.lead.result.alternative
    family = f"{'both directions of ' * (alternative == 'better')}all pairs of one metric"
    tests = listed(dict.fromkeys(map(with_draws, results)))
    corrections = listed(dict.fromkeys(described_by(result.correction) for result in results))
    metrics = f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, study.lead.metrics))})"
    if study.variants:
        uses = {
            name_of_metric(base): [label(study, one, within=True) for one in of] for base, of in study.groups().items()
        }
        metrics = listed(base if own == [base] else f"{base} ({listed(own)})" for base, own in uses.items())
    levels = listed(f"{alpha:g}" for alpha in study.lead.alphas)
    first = " Where one is meant, it is the first of each." if len(results) > 1 else ""
    words = (
        f"We compared {sizes['system']:,} systems on {sizes['topic']:,} topics under {metrics}. For each metric all "
        f"{study.lead.n_pairs:,} pairs of systems were tested at α = {levels}, {side_words(alternative)}, with "
        f"{tests}; correction over {family}: {corrections}.{first} The ordered pairs significant under one metric were "
        "taken as a prediction of those significant under another, and precision, recall and F1 computed "
        "(Ogilvie and Lalmas, 2006); pairs significant in opposite directions were counted as conflicts. The rankings "
        "of the mean scores were compared by Kendall's τ, τ AP (Yilmaz et al., 2008) and Spearman's ρ."
    )
    if study.intervals is not None:
        how = {
            "closed form": "deciding on each resample by the closed form of the test",
            "test": "repeating the test on each resample",
        }[study.intervals.spread]
        words += (
            f" Intervals ({percentage(study.intervals.confidence_level)}) are the value found and Student's t times "
            "the standard deviation (shares) or the root mean square distance (precision, recall, F1) over "
            f"{study.intervals.n_topic_resamples} resamples of the topics, {how}."
        )
    keys = [*(key for result in results for key in cited_keys(result)), *_SOURCES]
    return Methods(paragraphs=(f"{words} {computed_with(study.provenance)}",), cite=tuple(dict.fromkeys(keys)))
