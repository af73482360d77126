# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether judges may decide between systems: the verdict first, and what it rests on."""

import math
from collections.abc import Mapping

import pandas as pd
from scipy.special import ndtri

from metaeval.base.names import count
from metaeval.base.words import (
    MISSING,
    absent,
    bracketed,
    carried,
    drawn,
    ends,
    listed,
    name_of_metric,
    number,
    percentage,
    share,
    text,
    whole,
)
from metaeval.page.blocks import Item, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.reports.data_files import csv_file
from metaeval.reports.judge_conclusions import conclusion_sections, effect_sentence, ranking_sentence
from metaeval.reports.judge_labels import label_sections, label_words
from metaeval.reports.judge_ranking import alt_section, alt_words
from metaeval.reports.judge_worth import (
    covariate_section,
    covariate_words,
    favour_section,
    repeats_section,
    worth_section,
)
from metaeval.reports.shared import decided_by, facts, unanswered
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.studies.judge_parts import Labelling
from metaeval.studies.judge_verdicts import deciding_metric, other_metrics
from metaeval.studies.judges import ABOUT_SYSTEMS, JudgeStudy

_SELDOM = 0.01
_MAY = {
    "may": "may replace people for ranking systems",
    "may not": "may not replace people for ranking systems",
    "not settled": "may or may not replace people for ranking systems: these topics and people do not settle it",
    "no pairs": "cannot be compared with people: under {reference} no pair differs significantly",
    "no second person": "cannot be compared with a person: no second annotator is available",
}


def judges_report(study: JudgeStudy) -> Report:
    """Put a study of judges into a report."""
    failed = [Item(term=part, words=reason) for part, reason in study.unanswered.items()]
    labelling = study.labelling
    return Report(
        command="judges",
        title=_title(study),
        facts=_facts(study),
        summary=_summary(study),
        sections=(
            *_verdicts_section(study),
            *conclusion_sections(study),
            *favour_section(study),
            *covariate_section(study),
            *worth_section(study),
            *repeats_section(study),
            *(() if labelling is None else label_sections(labelling)),
            *alt_section(study.annotated),
            *unanswered(failed),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={} if labelling is None else {"labels.csv": csv_file(labelling.labels.table.reset_index())},
    )


def _title(study: JudgeStudy) -> str:
    if study.annotated is not None:
        return "May a judge stand in for a person who labels?"
    if study.reference is None:
        return "Do the judges agree?"
    return "May this judge decide between my systems?" if study.scores else f"Who labels as {study.reference} does?"


def _facts(study: JudgeStudy) -> tuple[tuple[str, str], ...]:
    sizes: dict[str, int] = {}
    if study.labelling is not None:
        table = study.labelling.labels.table
        sizes = {
            "judge": table.shape[1],
            "item" if study.labelling.scale is None else "document": int(table.notna().any(axis=1).sum()),
            "topic": len(study.labelling.labels.topics),
            "label": int(table.notna().to_numpy().sum()),
        }
    if study.annotated is not None:
        judges = study.annotated.judges
        sizes = {"judge": len(judges), "item": int(judges[["items", "items_lacking"]].iloc[0].sum())}
    counted = facts(**sizes)
    if study.annotated is not None:
        parts = (study.annotated.people, study.annotated.left_out)
        counted = ((f"{len({name for part in parts for name in part['person']})}", "people"), *counted)
    if study.scores:
        first = next(iter(study.scores.values()))
        sides = dict(first.items()) if isinstance(first, Mapping) else dict.fromkeys(first["metric"].to_numpy(), first)
        counted = (*counted, (f"{next(iter(sides.values())).sizes['system']}", "systems"))
        if study.labelling is None:
            counted = (*counted, (f"{len(sides)}", "judges"))
    return counted


def _summary(study: JudgeStudy) -> tuple[str, ...]:
    labels, more = (
        ([], [])
        if study.labelling is None
        else label_words(study.labelling, alone=deciding_metric(study.conclusions) is None)
    )
    if study.annotated is not None:
        labels = [alt_words(study.annotated)]
    lines = [*_verdict_words(study), *labels]
    why = study.unanswered.get(ABOUT_SYSTEMS, "")
    if why and not why.startswith("pass runs"):
        lines.insert(0, f"No verdict on systems: {why}.")
    elif not study.scores and study.reference is not None:
        lines.append(
            "Pass --runs to compare system rankings, significant pairs and group bias, and to learn how many human "
            "topics the judge is worth."
        )
    lines += more
    if not study.effects.empty:
        lines.append(effect_sentence(study.effects))
    return tuple(lines)


def _verdict_words(study: JudgeStudy) -> list[str]:
    """Return the verdict on the one judge, or on the best of several and on how many may."""
    metric = deciding_metric(study.conclusions)
    if metric is None:
        return [ranking_sentence(name, found) for name, found in study.conclusions.items()]
    first, found = study.verdicts.iloc[0], study.conclusions[metric]
    why = (
        f"{name_of_metric(metric)}: F1 of significant pairs {_f1(first, found.n_resamples)}"
        if found.n_reference != 0
        else name_of_metric(metric)
    )
    if not absent(first["people_f1"]):
        why += f"; a second person {number(2)(first['people_f1'])}"
    if first["n_conflicts"]:
        why += f"; {count(int(first['n_conflicts']), 'pair')} opposite"
        if not absent(first["people_conflicts"]):
            why += f", {number(1)(first['people_conflicts'])} under a second person"
    line = f"{first['judge']} {_MAY[first['ranking']].format(reference=found.reference)} ({why})"
    if first["labels"]:
        rate = number(2)(first["winning_rate"])
        too = ", too" if (first["ranking"], first["labels"]) == ("may", "may") else ""
        line += f"; for labels it {first['labels']}{too} (ω = {rate})"
    if metric in study.favoured:
        line += f"; {_favour_words(first)}"
    worth = study.worth.get((metric, first["judge"]))
    return [
        f"{line}.",
        *_otherwise_words(study, first),
        *_beside_nobody(first, study.margin, found),
        *_power_words(first, study.margin, found.n_resamples),
        *_others_words(study, found),
        *covariate_words(study, metric),
        *_same_number_words(found, first["judge"]),
        *([] if worth is None else [worth.sentence()]),
    ]


def _power_words(row: pd.Series, margin: float, n_resamples: int) -> list[str]:
    """Say how often such topics and people would settle the question."""
    if absent(row["cleared_if_equal"]):
        return []
    cleared, found_out = (_about(row[name], n_resamples) for name in ("cleared_if_equal", "found_out"))
    equal = "A judge as good as a person would be cleared"
    short = f"one whose F1 falls short by {2 * margin:g} found out"
    samples = "of such samples of topics and people"
    if cleared == found_out:  # alike in law where people and judge contradict alike
        return [f"{equal}, and {short}, in {cleared} {samples}."]
    return [f"{equal} in {cleared} {samples}, and {short} in {found_out}."]


def _about(value: object, n_resamples: int) -> str:
    """Return a chance with its Monte-Carlo error.

    It says where a margin lies, and where an interval ends, in standard errors, which are spreads over resamples.
    """
    if absent(value):
        return MISSING
    chance = float(str(value))
    if chance < _SELDOM:
        return "less than 1 %"
    if chance > 1 - _SELDOM:
        return "more than 99 %"
    z = float(ndtri(chance))
    error = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * (abs(z) + 2.0) / math.sqrt(2.0 * n_resamples)
    return f"about {carried(chance, error)}"


def _beside_nobody(row: pd.Series, margin: float, found: JudgeConclusions) -> list[str]:
    """Say what holds of a judge whoever a second person would be."""
    if found.n_reference == 0 or not absent(row["people_f1"]):
        return []
    decimal = number(2)
    if row["ranking"] == "may":
        words = (
            f"That holds whoever a second person is: nobody's F1 is above 1, and {row['judge']}'s falls short of 1 by "
            f"less than {margin:g}."
        )
        return [words]
    if absent(row["f1_low"]):
        return []
    against = bracketed(row["contradicted"], row["contradicted_low"], row["contradicted_high"], decimal)
    may = (
        f"it may replace anybody whose own F1 is below {decimal(row['cleared_up_to'])}"
        if not absent(row["cleared_up_to"])
        else "these may be too many for it to replace anybody"
    )
    no = f", and nobody whose F1 is above {decimal(row['short_from'])}" if not absent(row["short_from"]) else ""
    words = (
        f"Without a second person, and with a margin of {margin:g}, this holds of {row['judge']}: contradictions of "
        f"{found.reference} take {against} from its F1; {may}{no}."
    )
    return [words]


def _otherwise_words(study: JudgeStudy, row: pd.Series) -> list[str]:
    """Say where another metric speaks against the verdict."""
    said = []
    own = name_of_metric(deciding_metric(study.conclusions))
    for name, verdict in other_metrics(study.conclusions, row["judge"], study.margin):
        parts, conflicts = [], int(verdict["n_conflicts"])
        if verdict["ranking"] != row["ranking"]:
            parts.append(f"by it {row['judge']} {_MAY[verdict['ranking']].format(reference=study.reference)}")
        if conflicts > row["n_conflicts"]:
            verb = "is" if conflicts == 1 else "are"
            parts.append(
                f"{count(conflicts, 'pair')} {verb} significant in opposite directions, "
                f"{int(row['n_conflicts']) or 'none'} under {own}"
            )
        said.append(f"{name_of_metric(name)} speaks against it: {'; '.join(parts)}.")
    return said


def _f1(row: pd.Series, n_resamples: int) -> str:
    return bracketed(row["f1"], row["f1_low"], row["f1_high"], number(2), draws=n_resamples)


def _others_words(study: JudgeStudy, found: JudgeConclusions) -> list[str]:
    verdicts = study.verdicts
    if len(verdicts) == 1 or found.n_reference == 0:
        return []
    low, best = ends(verdicts["judge"], verdicts["f1"], map(number(2), verdicts["f1"]))
    values = f"F1 from {low.figure} ({low.who}) to {best.figure}" if low != best else f"F1 is {low.figure} for each"
    if found.beside_people.empty:
        who, agree = ("it", "agrees most") if len(best.names) == 1 else (best.who, "agree most")
        return [f"Of {len(verdicts)} judges {who} {'agree alike' if low == best else agree}; {values}."]
    said = verdicts["ranking"].value_counts()
    counted = ", ".join(f"{said[word]} {word}" for word in ("may", "may not", "not settled") if word in said)
    return [f"Of {len(verdicts)} judges, for ranking systems: {counted}; {values}."]


def _same_number_words(found: JudgeConclusions, judge: str) -> list[str]:
    fewer = found.same_number.set_index("judge")
    if judge not in fewer.index:
        return []
    row, own = fewer.loc[judge], found.table.set_index("judge").loc[judge]
    n_topics = int(fewer["n_topics"].loc[judge])
    only = drawn(row["only_with_more"], row["only_with_more_error"])
    words = (
        f"Under {judge} {share(own['power'])} of the pairs differ significantly on {own['n_topics']:,} topics and "
        f"{drawn(row['power'], row['power_error'])} on {n_topics}, as many as {found.reference} has "
        f"({share(found.reference_power[0])}): of what it alone finds, {only} is what so few "
        "topics do not show."
    )
    return [words]


def _favour_words(row: pd.Series) -> str:
    if not row["favours"]:
        return "no group bias is shown"
    low, high = sorted((abs(row["favour_low"]), abs(row["favour_high"])))
    ends = bracketed(abs(row["favour"]), low, high, number(3))
    words = f"{'it is biased towards' if row['favour'] > 0 else 'it is biased against'} {row['favours']} by {ends}"
    if not absent(row["bent"]) and row["bent"]:
        words += " (its scale is bent, which may be all of that)"
    if absent(row["beyond_people"]):
        return words
    beyond = bracketed(row["beyond_people"], row["beyond_low"], row["beyond_high"], number(3))
    return f"{words}, of which {beyond} is beyond what second people do"


def _verdicts_section(study: JudgeStudy) -> tuple[Section, ...]:
    if study.verdicts.empty or study.annotated is not None:  # there the alt-test says all of it
        return ()
    frame = study.verdicts
    columns = [*left(judge="Judge")]
    if deciding_metric(study.conclusions) is not None:
        columns += [*left(ranking="May rank systems"), *right(number(2), f1="F1", people_f1="A second person")]
        columns += right(number(0), n_conflicts="Opposite pairs")
        if frame["people_f1"].notna().any():
            columns += right(number(1), people_conflicts="of a second person")
            n_resamples = study.conclusions[str(deciding_metric(study.conclusions))].n_resamples
            columns += right(lambda chance: _about(chance, n_resamples), cleared_if_equal="Cleared if as good")
        if (frame["otherwise"] != "").any():
            columns += left(text, otherwise="Against it")
    if study.alt is not None:
        columns += [*left(labels="May label"), *right(number(2), winning_rate="ω")]
    if study.favoured:
        columns += [*left(text, favours="Favours"), *right(number(3), favour="by")]
    metric = deciding_metric(study.conclusions)
    rule = (
        f"Ranking, by {name_of_metric(metric)}: a judge may if its F1 of significant pairs falls short of a second "
        f"person's by less than {study.margin:g}, and contradictions of {study.reference} (opposite pairs) take no "
        f"more than that more from F1 than a person's do, with all of both {percentage(study.confidence_level)} "
        "intervals; "
        "it may not if all of one lies beyond; else these topics and people do not settle it. Cleared if as good: how "
        "often such a sample would say may of a judge as good as a person. Against it: other metrics with more "
        "opposite pairs, or a verdict the other way. "
        if metric is not None
        else ""
    )
    table = Table(
        name="judge-verdicts",
        title="Verdicts",
        caption=rule + "Labels: the alt-test, where people are named. Favours: the group with the largest adjusted "
        "figure whose corrected p is at most α.",
        frame=frame,
        columns=tuple(columns),
    )
    return (
        Section(
            id="verdicts",
            title="Verdicts",
            lead="By rule, not by taste; each rests on a section below.",
            brief=True,
            blocks=(table,),
        ),
    )


def _methods(study: JudgeStudy) -> Methods:
    paragraphs, sources = [], []
    if study.labelling is not None:
        own, cite = _label_methods(study.labelling)
        paragraphs += own
        sources += cite
    if not study.effects.empty:
        paragraphs.append(
            f"The runs were scored under each judge by {listed(study.scores)} and tested pair by pair "
            f"({decided_by(study.test, study.correction, study.alpha)}); the significant pairs under one judge predict "
            "those under another (Ogilvie and Lalmas, 2006, section 3.4)."
        )
        sources.append("ogilvie2006")
    if study.conclusions:
        found = next(iter(study.conclusions.values()))
        paragraphs.append(
            f"The systems were scored under each judge by {listed(map(name_of_metric, study.scores))} and tested pair "
            f"by pair ({decided_by(study.test, study.correction, study.alpha)}); the significant pairs under a judge "
            f"predict those under {study.reference} (Ogilvie and Lalmas, 2006, section 3.4). Intervals resample the "
            f"topics {whole(found.n_resamples)} times: value ± t · d · √(T/(T−1)), d the root mean square distance of "
            "the resamples from the value."
            + " A choice of persons is drawn with every resample (Voorhees, 2000)."
            * bool(len(found.choices))
        )
        sources += ["ogilvie2006", "voorhees2000"]
    if study.alt is not None:
        paragraphs.append(
            f"The alt-test (Calderon et al., 2025) had ε = {study.alt.epsilon:g} and the score {study.alt.scoring}."
        )
        sources.append("calderon2025")
    if study.worth:
        paragraphs.append(
            "What a judge is worth follows prediction-powered inference (Angelopoulos et al., 2023), planned from the "
            "topics that people and judge both scored."
        )
        sources.append("angelopoulos2023")
    return Methods(paragraphs=tuple(paragraphs), cite=tuple(dict.fromkeys(sources)))


def _label_methods(study: Labelling) -> tuple[list[str], list[str]]:
    agreement = study.agreement
    measures = (
        f"We compared the labels of {count(study.labels.table.shape[1], 'judge')} item by item by the share of "
        "equal labels, Cohen's κ (Cohen, 1960; weighted: Cohen, 1968) and Krippendorff's α over all of them "
        "(Krippendorff, 2011), and the sets of items with a label of "
        f"{agreement.rel} or more by their overlap on each topic (Voorhees, 2000; Piwowarski et al., 2008, section "
        "5.2.6)."
    )
    if study.scale is not None:
        measures += (
            " A label is 1 where anything in a document was judged relevant, else 0; elements and highlighted "
            "characters are compared by what both chose over what either chose (sections 5.2.6 and 5.2.7), on the "
            "topics that every judge judged."
        )
    intervals = (
        f"{percentage(agreement.confidence_level)} intervals resample the topics {agreement.n_resamples} times "
        f"({agreement.random_source}): value ± t · s* · √(T/(T−1)) with T − 1 degrees of freedom, s* the standard "
        "deviation over resamples. They say how the figures would differ with other topics of the same kind, not with "
        "other items of these topics."
    )
    paragraphs = [measures, intervals]
    sources = ["cohen1960", "cohen1968", "krippendorff2011", "voorhees2000", "piwowarski2008"]
    ranking = study.ranking
    if ranking is not None and len(ranking.table) > 1 and ranking.compared:
        paragraphs.append(
            "A judge's κ less that of the best has the standard error of what each topic adds to the difference; the "
            "interval is as wide as all differences of that judge from any other need at once, so the truly best "
            f"judge is not found behind with {percentage(ranking.confidence_level)} probability (multiple "
            f"comparisons with the best, Hsu, 1984; {ranking.n_resamples} resamples)."
        )
        sources.append("hsu1984")
    return paragraphs, sources
