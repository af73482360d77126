"""The report on whether judges may decide between systems: the verdict first, and what it rests on."""

import math
from collections.abc import Mapping

import pandas as pd
from scipy.special import ndtri

from metaeval.base.words import MISSING, absent, bracketed, drawn, ends, number, text
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
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.studies.judge_verdicts import deciding_metric, other_metrics
from metaeval.studies.judges import ABOUT_SYSTEMS, JudgeStudy

say = prose("judges")


def judges_report(study: JudgeStudy) -> Report:
    """Put a study of judges into a report."""
    failed = [Item(term=part, words=reason) for part, reason in study.unanswered.items()]
    labelling = study.labelling
    return Report(
        command="judges",
        title=say("title", study=study),
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
    if why and study.has_runs:
        lines.insert(0, say("no verdict", why=why))
    elif not study.scores and study.reference is not None:
        lines.append(say("takes runs"))
    lines += more
    if not study.effects.empty:
        lines.append(effect_sentence(study.effects))
    return tuple(lines)


def _verdict_words(study: JudgeStudy) -> list[str]:
    """Return the verdict on the one judge, or on the best of several and on how many may."""
    metric = deciding_metric(study.conclusions)
    if metric is None:
        return [ranking_sentence(name, found) for name, found in study.conclusions.items()]
    row, found = study.verdicts.iloc[0], study.conclusions[metric]
    verdict = say(
        "verdict",
        row=row,
        may=say(row["ranking"], reference=found.reference),
        metric=metric,
        f1=_f1(row, found.n_resamples) if found.n_reference != 0 else "",
        favour=_favour_words(row) if metric in study.favoured else "",
    )
    worth = study.worth.get((metric, row["judge"]))
    return [
        verdict,
        *_otherwise_words(study, row),
        *_beside_nobody(row, study.margin, found),
        *_power_words(row, study.margin, found.n_resamples),
        *_others_words(study, found),
        *covariate_words(study, metric),
        *_same_number_words(found, row["judge"]),
        *([] if worth is None else [worth.sentence()]),
    ]


def _power_words(row: pd.Series, margin: float, n_resamples: int) -> list[str]:
    """Say how often such topics and people would settle the question."""
    if absent(row["cleared_if_equal"]):
        return []
    # alike in law where people and judge contradict alike
    cleared, found_out = (_about(row[name], n_resamples) for name in ("cleared_if_equal", "found_out"))
    return [say("power", cleared=cleared, found_out=found_out, short=2 * margin)]


def _about(value: object, n_resamples: int) -> str:
    """Return a chance with its Monte-Carlo error.

    It says where a margin lies, and where an interval ends, in standard errors, which are spreads over resamples.
    """
    if absent(value):
        return MISSING
    chance = float(str(value))
    z = float(ndtri(chance))
    error = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi) * (abs(z) + 2.0) / math.sqrt(2.0 * n_resamples)
    return say("about", chance=chance, error=error)


def _beside_nobody(row: pd.Series, margin: float, found: JudgeConclusions) -> list[str]:
    """Say what holds of a judge whoever a second person would be."""
    if found.n_reference == 0 or not absent(row["people_f1"]):
        return []
    if row["ranking"] == "may":
        return [say("whoever", judge=row["judge"], margin=margin)]
    if absent(row["f1_low"]):
        return []
    against = bracketed(row["contradicted"], row["contradicted_low"], row["contradicted_high"], number(2))
    return [say("alone", row=row, margin=margin, reference=found.reference, against=against)]


def _otherwise_words(study: JudgeStudy, row: pd.Series) -> list[str]:
    """Say where another metric speaks against the verdict."""
    said, own = [], int(row["n_conflicts"])
    given = {"judge": row["judge"], "own": own, "deciding": deciding_metric(study.conclusions)}
    for name, verdict in other_metrics(study.conclusions, row["judge"], study.margin):
        conflicts, ranking = int(verdict.n_conflicts), verdict.ranking
        may = "" if ranking == row["ranking"] else say(ranking, reference=study.reference)
        said.append(say("otherwise", metric=name, may=may, conflicts=conflicts if conflicts > own else 0, **given))
    return said


def _f1(row: pd.Series, n_resamples: int) -> str:
    return bracketed(row["f1"], row["f1_low"], row["f1_high"], number(2), draws=n_resamples)


def _others_words(study: JudgeStudy, found: JudgeConclusions) -> list[str]:
    verdicts = study.verdicts
    if len(verdicts) == 1 or found.n_reference == 0:
        return []
    low, best = ends(verdicts["judge"], verdicts["f1"], map(number(2), verdicts["f1"]))
    beside = not found.beside_people.empty
    said = verdicts["ranking"].value_counts().to_dict() if beside else {}
    counted = ", ".join(f"{said[word]} {word}" for word in ("may", "may not", "not settled") if word in said)
    return [say("others", n=len(verdicts), low=low, best=best, beside_people=beside, counted=counted)]


def _same_number_words(found: JudgeConclusions, judge: str) -> list[str]:
    fewer = found.same_number.set_index("judge")
    if judge not in fewer.index:
        return []
    row = fewer.loc[judge]
    words = say(
        "same number",
        judge=judge,
        own=found.table.set_index("judge").loc[judge],
        power=drawn(row["power"], row["power_error"]),
        n_topics=int(fewer["n_topics"].loc[judge]),
        found=found,
        only=drawn(row["only_with_more"], row["only_with_more_error"]),
    )
    return [words]


def _favour_words(row: pd.Series) -> str:
    if not row["favours"]:
        return say("not favoured")
    low, high = sorted((abs(row["favour_low"]), abs(row["favour_high"])))
    beyond = bracketed(row["beyond_people"], row["beyond_low"], row["beyond_high"], number(3))
    return say(
        "favoured",
        row=row,
        figure=bracketed(abs(row["favour"]), low, high, number(3)),
        bent=not absent(row["bent"]) and row["bent"],
        beyond="" if absent(row["beyond_people"]) else beyond,
    )


def _verdicts_section(study: JudgeStudy) -> tuple[Section, ...]:
    if study.verdicts.empty or study.annotated is not None:  # there the alt-test says all of it
        return ()
    frame, metric = study.verdicts, deciding_metric(study.conclusions)
    columns = [*left(judge="Judge")]
    if metric is not None:
        columns += [*left(ranking="May rank systems"), *right(number(2), f1="F1", people_f1="A second person")]
        columns += right(number(0), n_conflicts="Opposite pairs")
        if frame["people_f1"].notna().any():
            columns += right(number(1), people_conflicts="of a second person")
            n_resamples = study.conclusions[metric].n_resamples
            columns += right(lambda chance: _about(chance, n_resamples), cleared_if_equal="Cleared if as good")
        if (frame["otherwise"] != "").any():
            columns += left(text, otherwise="Against it")
    if study.alt is not None:
        columns += [*left(labels="May label"), *right(number(2), winning_rate="ω")]
    if study.favoured:
        columns += [*left(text, favours="Favours"), *right(number(3), favour="by")]
    table = Table(
        name="judge-verdicts",
        title=say("verdicts"),
        caption=say("table", study=study, metric=metric),
        frame=frame,
        columns=tuple(columns),
    )
    return (Section(id="verdicts", title=say("verdicts"), lead=say("lead"), brief=True, blocks=(table,)),)


def _methods(study: JudgeStudy) -> Methods:
    paragraphs, sources = [], []
    if study.labelling is not None:
        paragraphs += [
            say("labels methods", labelling=study.labelling),
            say("intervals methods", agreement=study.labelling.agreement),
        ]
        sources += ["cohen1960", "cohen1968", "krippendorff2011", "voorhees2000", "piwowarski2008"]
        ranking = study.labelling.ranking
        if ranking is not None and len(ranking.table) > 1 and ranking.compared:
            paragraphs.append(say("best methods", ranking=ranking))
            sources.append("hsu1984")
    if not study.effects.empty:
        paragraphs.append(say("effects methods", study=study))
        sources.append("ogilvie2006")
    if study.conclusions:
        paragraphs.append(say("conclusions methods", study=study, found=next(iter(study.conclusions.values()))))
        sources += ["ogilvie2006", "voorhees2000"]
    if study.alt is not None:
        paragraphs.append(say("alt methods", alt=study.alt))
        sources.append("calderon2025")
    if study.worth:
        paragraphs.append(say("worth methods"))
        sources.append("angelopoulos2023")
    return Methods(paragraphs=tuple(paragraphs), cite=tuple(dict.fromkeys(sources)))
