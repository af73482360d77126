# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether judges may decide between systems: the verdict first, and what it rests on."""

import pandas as pd

from metaeval.reports.data_files import csv_file
from metaeval.reports.judge_conclusions import conclusion_sections, effect_sentence
from metaeval.reports.judge_labels import label_sections, label_words, scales_section
from metaeval.reports.judge_worth import favour_section, repeats_section, worth_section
from metaeval.reports.report import Item, Methods, Report, Section
from metaeval.reports.shared import decided_by, facts, unanswered
from metaeval.reports.tables import Table, left, right
from metaeval.studies.judges import JudgeStudy
from metaeval.words import absent, bracketed, count, listed, name_of_metric, number, percentage, text, whole

__all__ = ["judges_report"]

_FEW = 4
_MAY = {
    "may": "may replace people for ranking systems",
    "may not": "may not replace people for ranking systems",
    "not settled": "may or may not replace people for ranking systems: these topics and people do not settle it",
    "no yardstick": "cannot be held against a second person, for there is none",
}


def judges_report(study: JudgeStudy) -> Report:
    """Put a study of judges into a report."""
    failed = [Item(term=part, words=reason) for part, reason in study.unanswered.items()]
    table = None if study.labels is None else study.labels.table
    return Report(
        command="judges",
        title="May this judge decide between my systems?" if study.reference else "Do the judges agree?",
        facts=_facts(study),
        summary=_summary(study),
        sections=(
            *_verdicts_section(study),
            *conclusion_sections(study),
            *favour_section(study),
            *worth_section(study),
            *repeats_section(study),
            *label_sections(study),
            *scales_section(study),
            *unanswered(failed),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={} if table is None else {"labels.csv": csv_file(table.reset_index())},
    )


def _facts(study: JudgeStudy) -> tuple[tuple[str, str], ...]:
    sizes: dict[str, int] = {}
    if study.labels is not None:
        table = study.labels.table
        sizes = {
            "judge": table.shape[1],
            "item" if study.scale is None else "document": int(table.notna().any(axis=1).sum()),
            "topic": len(study.labels.topics),
            "label": int(table.notna().to_numpy().sum()),
        }
    counted = facts(**sizes)
    if study.scores:
        first = next(iter(study.scores.values()))
        one = next(iter(first.values())) if isinstance(first, dict) else first
        counted = (*counted, (f"{one.sizes['system']}", "systems"))
        if study.labels is None:
            counted = (*counted, (f"{len(first)}", "judges"))
    return counted


def _summary(study: JudgeStudy) -> tuple[str, ...]:
    lines = [*_verdict_words(study), *label_words(study)]
    if not study.effects.empty:
        lines.append(effect_sentence(study.effects))
    if not study.scores and study.reference is not None:
        lines.append(
            "Runs would answer what labels cannot: whether the systems would be ranked alike, the same pairs told "
            "apart, a group of systems favoured, and how many human topics the judge is worth."
        )
    return tuple(lines)


def _verdict_words(study: JudgeStudy) -> list[str]:
    """Return the verdict on the one judge, or on the best of several and on how many may."""
    if study.verdicts.empty:
        return []
    first = study.verdicts.iloc[0]
    if not study.conclusions:
        passing = study.verdicts.loc[study.verdicts["labels"] == "may", "judge"].tolist()
        n = len(study.verdicts)
        who = f"{len(passing)} of {n} judges" if n > 1 else first["judge"] if passing else f"{first['judge']} does not"
        named = f" ({listed(passing[:_FEW])}{' …' if len(passing) > _FEW else ''})" if n > 1 and passing else ""
        verb = "" if not passing and n == 1 else " may" if len(passing) != 1 or n == 1 else " may"
        if n == 1 and not passing:
            return [f"{first['judge']} may not stand in for a person as a labeller (ω = {number(2)(first['winning_rate'])})."]
        return [f"{who}{verb} stand in for a person as a labeller{named}."]
    metric = next(iter(study.conclusions))
    found = study.conclusions[metric]
    ends = bracketed(first["f1"], first["f1_low"], first["f1_high"], number(2))
    why = f"{name_of_metric(metric)}: F1 of significant pairs {ends}"
    if not absent(first["people_f1"]):
        why += f"; a second person {number(2)(first['people_f1'])}"
    if first["n_conflicts"]:
        why += f"; {count(int(first['n_conflicts']), 'pair')} opposite"
    line = f"{first['judge']} {_MAY[first['ranking']]} ({why})"
    if first["labels"]:
        rate = number(2)(first["winning_rate"])
        line += f"; {'for labels it may, too' if first['labels'] == 'may' else 'for labels it may not'} (ω = {rate})"
    if metric in study.favoured:
        line += f"; {_favour_words(first)}"
    lines = [f"{line}."]
    judges = len(study.verdicts)
    if judges > 1:
        may = study.verdicts.loc[study.verdicts["ranking"] == "may", "judge"].tolist()
        lower = study.verdicts.iloc[-1]
        span = f"F1 from {number(2)(lower['f1'])} ({lower['judge']}) to {number(2)(first['f1'])}"
        if not found.beside_people.empty:
            lines.append(f"Of {judges} judges {len(may)} may replace people for ranking systems; {span}.")
        else:
            lines.append(f"Of {judges} judges it agrees most; {span}.")
    if len(found.same_number):
        row = found.same_number.set_index("judge").loc[first["judge"]] if first["judge"] in set(found.same_number["judge"]) else None
        if row is not None:
            own = found.table.set_index("judge").loc[first["judge"]]
            lines.append(
                f"{first['judge']} tells {percentage(round(own['power'], 3))} of the pairs apart on {own['n_topics']} topics and "
                f"{percentage(round(row['power'], 3))} on {row['n_topics']}, as many as {study.reference} has "
                f"({percentage(round(found.reference_power[0], 3))}): of what it alone finds, "
                f"{percentage(round(row['only_with_more'], 2))} is what so few topics do not show."
            )
    worth = study.worth.get((metric, first["judge"]))
    if worth is not None:
        lines.append(worth.sentence())
    return lines


def _favour_words(row: pd.Series) -> str:
    if not row["favours"]:
        return "no group of systems is shown to be favoured"
    ends = bracketed(abs(row["favour"]), *sorted((abs(row["favour_low"]), abs(row["favour_high"]))), number(3))
    return f"{'it favours' if row['favour'] > 0 else 'it disfavours'} {row['favours']} by {ends}"


def _verdicts_section(study: JudgeStudy) -> tuple[Section, ...]:
    if study.verdicts.empty:
        return ()
    frame = study.verdicts
    columns = [*left(judge="Judge")]
    if study.conclusions:
        columns += [*left(ranking="May rank systems"), *right(number(2), f1="F1", people_f1="A second person")]
        columns += right(number(0), n_conflicts="Opposite pairs")
    if study.alt is not None:
        columns += [*left(labels="May label"), *right(number(2), winning_rate="ω")]
    if study.favoured:
        columns += [*left(text, favours="Favours"), *right(number(3), favour="by")]
    metric = next(iter(study.conclusions), None)
    rule = (
        f"Ranking, by {name_of_metric(metric)}: a judge may if its F1 of significant pairs falls short of a second "
        f"person's by less than {study.margin:g}, with the whole {percentage(study.confidence_level)} interval of the "
        "difference; it may not if the whole interval falls short by more, or if it contradicts "
        f"{study.reference} on more pairs than people do. "
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
    if study.agreement is not None:
        own, cite = _label_methods(study)
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
            f"The systems were scored under each judge by {listed(map(name_of_metric, study.scores))} and tested pair by "
            f"pair ({decided_by(study.test, study.correction, study.alpha)}); the significant pairs under a judge "
            f"predict those under {study.reference} (Ogilvie and Lalmas, 2006, section 3.4). Intervals resample the "
            f"topics {whole(found.n_resamples)} times: value ± t · d · √(T/(T−1)), d the root mean square distance of "
            "the resamples from the value."
            + " A choice of persons is drawn with every resample (Voorhees, 2000)." * bool(len(found.choices))
        )
        sources += ["ogilvie2006", "voorhees2000"]
    if study.alt is not None:
        paragraphs.append(
            f"The alt-test (Calderon et al., 2025) had ε = {study.alt.epsilon:g} and the score "
            f"{study.alt.scoring}."
        )
        sources.append("calderon2025")
    if study.worth:
        paragraphs.append(
            "What a judge is worth follows prediction-powered inference (Angelopoulos et al., 2023), planned from the "
            "topics that people and judge both scored."
        )
        sources.append("angelopoulos2023")
    return Methods(paragraphs=tuple(paragraphs), cite=tuple(dict.fromkeys(sources)))


def _label_methods(study: JudgeStudy) -> tuple[list[str], list[str]]:
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
    return [measures, intervals], ["cohen1960", "cohen1968", "krippendorff2011", "voorhees2000", "piwowarski2008"]
