"""The report on whether judges may decide between systems: the verdict first, and what it rests on."""

import math
from collections.abc import Mapping

import pandas as pd
from scipy.special import ndtri

from metaeval.base.unit import unit
from metaeval.base.words import MISSING, absent, bracketed, drawn_number, ends, number, text
from metaeval.page.blocks import Item, Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.questions.judges.page_agreement import agreement_figures, alpha_words
from metaeval.questions.judges.page_conclusions import conclusion_sections, effect_figures, f1_picture
from metaeval.questions.judges.page_labels import label_sections
from metaeval.questions.judges.page_panel import panel_section
from metaeval.questions.judges.page_ranking import best_words, ranking_figures
from metaeval.questions.judges.page_worth import (
    covariate_section,
    favour_section,
    repeats_section,
    worth_section,
)
from metaeval.questions.judges.study import ABOUT_SYSTEMS, JudgeStudy
from metaeval.questions.judges.study_verdicts import deciding_metric, other_metrics
from metaeval.reports.alt_test import alt_figures, alt_section, alt_words
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.resampling.judge_conclusions import JudgeConclusions

say = prose(__name__)


def judges_report(study: JudgeStudy) -> Report:
    """Put a study of judges into a report."""
    failed = [Item(term=question, words=reason) for question, reason in study.unanswered.items()]
    labelling, panel = study.labelling, panel_section(study)
    return Report(
        command="judges",
        title=say("title", study=study),
        facts=_facts(study),
        summary=_summary(study),
        key_figures=_key_figures(study),
        sections=(
            *_verdicts_section(study),
            *conclusion_sections(study),
            *favour_section(study),
            *covariate_section(study),
            *worth_section(study),
            *repeats_section(study),
            *(panel if study.conclusions else ()),
            *(() if labelling is None else label_sections(labelling, brief=not study.conclusions)),
            *(() if study.conclusions else panel),
            *alt_section(study.annotated),
            *unanswered(failed),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={} if labelling is None else {"labels.csv": csv_file(labelling.labels.as_given().reset_index())},
    )


def _facts(study: JudgeStudy) -> tuple[tuple[str, str], ...]:
    sizes: dict[str, int] = {}
    if study.labelling is not None:
        labels, table = study.labelling.labels, study.labelling.labels.table
        sizes = {
            "judge": table.shape[1],
            unit().labelled if study.labelling.scale is None else "document": int(table.notna().any(axis=1).sum()),
            **({} if labels.by_item else {"topic": len(labels.topics)}),
            "label": int(table.notna().to_numpy().sum()),
        }
    if study.annotated is not None:
        judges = study.annotated.judges
        sizes = {"judge": len(judges), "item": int(judges[["items", "items_lacking"]].iloc[0].sum())}
    counted = facts(**sizes)
    if study.annotated is not None:
        parts = (study.annotated.people, study.annotated.left_out)
        counted = ((f"{len({name for frame in parts for name in frame['person']})}", "people"), *counted)
    if study.scores:
        first = next(iter(study.scores.values()))
        sides = dict(first.items()) if isinstance(first, Mapping) else dict.fromkeys(first["metric"].to_numpy(), first)
        counted = (*counted, (f"{next(iter(sides.values())).sizes['system']}", "systems"))
        if study.labelling is None:
            counted = (*counted, (f"{len(sides)}", "judges"))
    return counted


def _summary(study: JudgeStudy) -> tuple[str, ...]:
    metric, labelling = deciding_metric(study.conclusions), study.labelling
    why = study.unanswered.get(ABOUT_SYSTEMS, "") if study.has_runs else ""
    ranked = labelling is not None and labelling.ranking is not None
    if study.annotated is not None:
        return alt_words(study.annotated), say("quote alt")
    if metric is not None:
        cautions = [*_otherwise_words(study, study.verdicts.iloc[0]), *_settled_words(study, metric)]
        quote = study.verdicts["ranking"].iloc[0] != "no pairs"
        advice = [say("quote verdict", people=bool(study.people))] if quote else []
        return (_verdict_words(study, metric), *advice, *cautions[:1])
    if why or study.conclusions:
        alone = not any("judge" in conclusions.table["kind"].to_numpy() for conclusions in study.conclusions.values())
        return say("no verdict", why=why, alone=alone), *([say("reason", why=why)] if why else [])
    if labelling is None:
        return say("effects", figures=effect_figures(study.effects)), say("quote agreement", runs=True)
    if study.reference is not None:
        first = best_words(labelling) if ranked else say("nobody", reference=study.reference)
        return (
            first,
            *([say("quote labels", ranking=labelling.ranking)] if ranked else []),
            *([] if labelling.labels.by_subtopic else [say("takes runs")]),
        )
    return alpha_words(labelling), say("quote agreement", runs=not study.effects.empty)


def _key_figures(study: JudgeStudy) -> Table | None:
    metric, labelling = deciding_metric(study.conclusions), study.labelling
    if study.annotated is not None:
        return alt_figures(study.annotated)
    if metric is not None:
        return listed_figures(_verdict_figures(study, metric))
    if labelling is None or labelling.ranking is None:
        labels = [] if labelling is None else agreement_figures(labelling)
        return listed_figures([*labels[:-1], *effect_figures(study.effects), *labels[-1:]])
    return ranking_figures(labelling)


def _verdict_figures(study: JudgeStudy, metric: str) -> list[KeyFigure]:
    """Return what the verdict on the best judge rests on."""
    row, conclusions, told = study.verdicts.iloc[0], study.conclusions[metric], []
    fields = {"judge": row["judge"], "metric": metric}
    if row["ranking"] != "no pairs":
        told.append(
            KeyFigure(say("key f1", **fields), _f1(row, conclusions.n_resamples), with_ends(*_ends_of(row, "f1")))
        )
    if not absent(row["people_f1"]):
        told.append(
            KeyFigure(say("key second", **fields), number(2)(row["people_f1"]), {"people_f1": row["people_f1"]})
        )
    if row["favours"]:
        numbers = with_ends(*_ends_of(row, "favour"))
        numbers |= {f"beyond_{name}": value for name, value in with_ends(*_beyond(row)).items()}
        told.append(KeyFigure(say("key bias"), _favour_words(row), numbers))
    if row["ranking"] != "no pairs":
        told.append(
            KeyFigure(say("key opposite", **fields), number(0)(row["n_conflicts"]), {"count": row["n_conflicts"]})
        )
    if row["labels"]:
        told.append(
            KeyFigure(say("key labels", **fields), say("labels", row=row), {"winning_rate": row["winning_rate"]})
        )
    worth = study.worth.get((metric, row["judge"]))
    if worth is not None:
        topics = _ends_of(worth.summary.T["median"], "n_equivalent")
        written = bracketed(*topics, number(0))
        told.append(KeyFigure(say("key worth", planned=worth.n_topics), written, with_ends(*topics)))
    return told


def _ends_of(row: pd.Series, name: str) -> tuple[float, float, float]:
    """Return a figure of a row with the ends of its interval."""
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def _beyond(row: pd.Series) -> tuple[float, float, float]:
    return row["beyond_people"], row["beyond_low"], row["beyond_high"]


def _verdict_words(study: JudgeStudy, metric: str) -> str:
    """Return the verdict on the one judge, or on the best of several."""
    row, conclusions = study.verdicts.iloc[0], study.conclusions[metric]
    return say(
        "verdict",
        row=row,
        n=len(study.verdicts),
        may=say(row["ranking"], reference=conclusions.reference),
        metric=metric,
        f1=_f1(row, conclusions.n_resamples) if row["ranking"] != "no pairs" else "",
        comparable=conclusions.comparable,
    )


def _settled_words(study: JudgeStudy, metric: str) -> list[str]:
    """Say how sure the verdict is, or what holds without a second person."""
    row, conclusions = study.verdicts.iloc[0], study.conclusions[metric]
    return [*_beside_nobody(row, study.margin, conclusions), *_power_words(row, study.margin, conclusions.n_resamples)]


def _verdict_details(study: JudgeStudy, metric: str) -> tuple[str, ...]:
    """Say what else is known of the verdict on the best judge, and how many may."""
    row, conclusions = study.verdicts.iloc[0], study.conclusions[metric]
    sentences = [*_otherwise_words(study, row), *_settled_words(study, metric)]
    return (*sentences[1:], *_others_words(study, conclusions), *_same_number_words(conclusions, row["judge"]))


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
    if row["ranking"] == "no pairs" or not absent(row["people_f1"]):
        return []
    if row["ranking"] == "may":
        return [say("whoever", judge=row["judge"], margin=margin)]
    if absent(row["f1_low"]):
        return []
    against = bracketed(row["contradicted"], row["contradicted_low"], row["contradicted_high"], number(2))
    return [say("alone", row=row, margin=margin, reference=found.reference, against=against)]


def _otherwise_words(study: JudgeStudy, row: pd.Series) -> list[str]:
    """Say where another metric speaks against the verdict."""
    sentences, n_conflicts = [], int(row["n_conflicts"])
    fields = {"judge": row["judge"], "own": n_conflicts, "deciding": deciding_metric(study.conclusions)}
    for name, verdict in other_metrics(study.conclusions, row["judge"], study.margin):
        conflicts, ranking = int(verdict.n_conflicts), verdict.ranking
        may = "" if ranking == row["ranking"] else say(ranking, reference=study.reference)
        sentences.append(
            say("otherwise", metric=name, may=may, conflicts=conflicts if conflicts > n_conflicts else 0, **fields)
        )
    return sentences


def _f1(row: pd.Series, n_resamples: int) -> str:
    return bracketed(*_ends_of(row, "f1"), number(2), draws=n_resamples)


def _others_words(study: JudgeStudy, found: JudgeConclusions) -> list[str]:
    verdicts = study.verdicts
    with_pairs = verdicts[verdicts["ranking"] != "no pairs"]
    if len(verdicts) == 1 or with_pairs.empty:
        return []
    low, best = ends(with_pairs["judge"], with_pairs["f1"], map(number(2), with_pairs["f1"]))
    beside = not found.beside_people.empty
    counts = verdicts["ranking"].value_counts().to_dict() if beside else {}
    counted = ", ".join(f"{counts[word]} {word}" for word in ("may", "may not", "not settled") if word in counts)
    fields = {"low": low, "best": best, "beside_people": beside, "counted": counted, "comparable": found.comparable}
    return [say("others", n=len(verdicts), silent=len(verdicts) - len(with_pairs), **fields)]


def _same_number_words(found: JudgeConclusions, judge: str) -> list[str]:
    fewer = found.same_number.set_index("judge")
    if judge not in fewer.index:
        return []
    row = fewer.loc[judge]
    words = say(
        "same number",
        judge=judge,
        own=found.table.set_index("judge").loc[judge],
        power=drawn_number(row["power"], row["power_error"]),
        n_topics=int(fewer["n_topics"].loc[judge]),
        found=found,
        only=drawn_number(row["only_with_more"], row["only_with_more_error"]),
    )
    return [words]


def _favour_words(row: pd.Series) -> str:
    low, high = sorted((abs(row["favour_low"]), abs(row["favour_high"])))
    beyond = bracketed(*_beyond(row), number(3))
    return say(
        "group_bias",
        row=row,
        figure=bracketed(abs(row["favour"]), low, high, number(3)),
        bent=not absent(row["bent"]) and row["bent"],
        beyond="" if absent(row["beyond_people"]) else beyond,
    )


def _verdicts_section(study: JudgeStudy) -> tuple[Section, ...]:
    metric = deciding_metric(study.conclusions)
    if study.verdicts.empty or metric is None:  # the alt-test says all of it
        return ()
    frame = study.verdicts
    columns = [*left(judge="Judge", ranking="May rank systems")]
    columns += right(number(2), f1="F1")
    people = bool(frame["people_f1"].notna().any())
    if people:
        columns += right(number(2), people_f1="A second person")
    columns += right(number(0), n_conflicts="Opposite pairs")
    if people:
        columns += right(number(1), people_conflicts="of a second person")
        n_resamples = study.conclusions[metric].n_resamples
        columns += right(lambda chance: _about(chance, n_resamples), cleared_if_equal="Cleared if as good")
    if (frame["otherwise"] != "").any():
        columns += left(text, otherwise="Against it")
    if study.alt is not None:
        columns += [*left(labels="May label"), *right(number(2), winning_rate="ω")]
    if study.group_bias:
        columns += [*left(text, favours="Favours"), *right(number(3), favour="by")]
    table = Table(
        name="judge-verdicts",
        title=say("verdicts"),
        caption=say(
            "table",
            study=study,
            metric=metric,
            comparable=study.conclusions[metric].comparable,
            shown={column.name for column in columns},
        ),
        frame=frame,
        columns=tuple(columns),
    )
    details = _verdict_details(study, metric)
    words = (Text(paragraphs=details),) if details else ()
    blocks = (f1_picture(metric, study.conclusions[metric]), table, *words)
    return (Section(id="verdicts", title=say("verdicts"), lead=say("lead"), brief=True, blocks=blocks),)


def _methods(study: JudgeStudy) -> Methods:
    paragraphs, sources = [], []
    if study.labelling is not None:
        paragraphs += [
            say("labels methods", labelling=study.labelling),
            say("intervals methods", agreement=study.labelling.agreement, by_item=study.labelling.labels.by_item),
        ]
        of_sets = ["cohen1968", "voorhees2000", "piwowarski2008"] if study.labelling.labels.ordered else []
        sources += ["cohen1960", "krippendorff2011", *of_sets]
        ranking = study.labelling.ranking
        if ranking is not None and ranking.ordered and ranking.compared:
            paragraphs.append(say("best methods", ranking=ranking))
            sources.append("hsu1984")
    if not study.effects.empty:
        paragraphs.append(say("effects methods", study=study))
        sources.append("ogilvie2006")
    if study.conclusions:
        paragraphs.append(say("conclusions methods", study=study, found=next(iter(study.conclusions.values()))))
        sources += ["ogilvie2006", *["voorhees2000"] * bool(study.people)]
    if study.alt is not None:
        paragraphs.append(say("alt methods", alt=study.alt))
        sources.append("calderon2025")
    if study.worth:
        paragraphs.append(say("worth methods"))
        sources.append("angelopoulos2023")
    labels_too = study.labelling is not None and study.labelling.panel is not None
    if labels_too or study.panel_worth:
        paragraphs.append(say("panel methods", study=study))
    if study.panels:
        paragraphs.append(say("panels methods"))
        sources.append("brennan2001")
    return Methods(paragraphs=tuple(paragraphs), cite=tuple(dict.fromkeys(sources)))
