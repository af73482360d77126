"""The report on whether judges may decide between systems: the verdict first, and what it rests on."""

import math
from functools import partial

import pandas as pd

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.runs_under_judges import scores_by_judge
from metaeval.base.unit import unit
from metaeval.base.words import MISSING, absent, bracketed, bracketed_size, carried, name_of_metric, number, share, text
from metaeval.page.blocks import Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.questions.judges import page_labels as of_labels
from metaeval.questions.judges import page_systems as of_systems
from metaeval.questions.judges.study import ABOUT_SYSTEMS, JudgeStudy
from metaeval.questions.judges.study_labels import Labelling
from metaeval.reports.alt_test import alt_figures, alt_section, alt_words
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, bounded_figure, ends_in, listed_figures, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.resampling.judge_verdicts import chance_error, deciding_metric, fewest_pairs, other_metrics

_MAY = {
    "may": "may replace people for ranking systems",
    "may not": "may not replace people for ranking systems",
    "not settled": "neither passes nor fails",
    "no pairs": "cannot be compared with people: under {reference} no pair differs significantly",
    "no second person": "cannot be compared with people without a second annotator",
}
_PAIR, _SURE = 2, 0.01
_MOST_PEOPLE = 4
_MOST_SYSTEMS = 3
_AGREE_LITTLE = ", beside people who agree little themselves"
_LITTLE = 0.4
"""κ below which people agree too little with the reference to be a yardstick: less than Landis and Koch's moderate."""
_DECIDES = "May this judge decide between my systems?"
_MAY_LABEL = "May a judge replace a person as a labeller?"
say = prose(__name__)


def judges_report(study: JudgeStudy) -> Report:
    """Put a study of judges into a report."""
    labelling, panel = study.labelling, of_systems.panel_section(study)
    title, answer, *summary = _answer(study)
    asked = [*of_systems.groups_answer(study), *of_systems.covariate_answer(study)]
    asked += [] if labelling is None else of_labels.favour_words(labelling.favour)
    return Report(
        command="judges",
        title=title,
        facts=_facts(study),
        summary=(" ".join(filter(None, (*asked, answer, _scales_words(labelling)))), *summary),
        key_figures=_key_figures(study),
        sections=(
            *_verdicts_section(study),
            *of_systems.conclusion_sections(study),
            *of_systems.favour_section(study),
            *of_systems.covariate_section(study),
            *(section for found in study.corrected.values() for section in of_labels.corrected_section(found)),
            *of_systems.worth_section(study),
            *of_systems.repeats_section(study),
            *(panel if study.conclusions else ()),
            *(() if labelling is None else of_labels.label_sections(labelling, brief=not study.conclusions)),
            *(() if study.conclusions else panel),
            *alt_section(study.annotated),
            *unanswered(study.unanswered.items()),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={} if labelling is None else {"labels.csv": csv_file(labelling.labels.as_given().reset_index())},
    )


def _scales_words(labelling: Labelling | None) -> str:
    """Say whose labels are not what they said: fitted, cut, or yes and no beside grades; empty where nobody's."""
    scales = None if labelling is None else labelling.scales
    if scales is None:
        return ""
    cut = [f"{name} (1 from {grade} on)" for name, grade in scales.cut.items()]
    plain, highest = scales.says_yes_or_no, scales.scale[-1]
    return say(
        "scales", reference=scales.reference, fitted=scales.fitted, cut=cut, plain=plain, highest=highest
    ).strip()


def _facts(study: JudgeStudy) -> tuple[tuple[str, str], ...]:
    counted: tuple[tuple[str, str], ...] = ()
    if study.labelling is not None:
        labels, table = study.labelling.labels, study.labelling.labels.table
        sizes = {
            "judge": table.shape[1],
            unit().labelled if study.labelling.scale is None else "document": int(table.notna().any(axis=1).sum()),
            **({} if labels.by_item else {"topic": len(labels.topics)}),
            "label": int(table.notna().to_numpy().sum()),
        }
        counted = facts(**sizes)
    if study.annotated is not None:
        judges, parts = study.annotated.judges, (study.annotated.people, study.annotated.left_out)
        people = (f"{len({name for frame in parts for name in frame['person']})}", "people")
        n_items = int(judges[["items", "items_lacking"]].iloc[0].sum())
        counted = (people, *facts(judge=len(judges), item=n_items))
    if study.scores:
        sides = scores_by_judge(next(iter(study.scores.values())))
        counted = (*counted, (f"{next(iter(sides.values())).sizes['system']}", "systems"))
        if study.labelling is None:
            counted = (*counted, (f"{len(sides)}", "judges"))
    return counted


def _answer(study: JudgeStudy) -> tuple[str, ...]:
    """Return the question that these data answer, the answer, and what to quote."""
    labelling = study.labelling
    if study.annotated is not None:
        return _MAY_LABEL, alt_words(study.annotated), say("quote alt")
    alt = None if labelling is None or study.has_runs or study.conclusions else labelling.alt
    if labelling is not None and alt is not None and alt.people["person"].nunique() > _PAIR:
        caution, beside = _beside_people(labelling, alt)
        answer = " ".join(filter(None, (alt_words(alt, caution=caution), beside)))
        return _MAY_LABEL, answer, *_ranking_words(labelling)
    if study.conclusions or (study.has_runs and ABOUT_SYSTEMS in study.unanswered):
        return _DECIDES, *_decision_words(study)
    if study.reference is None and labelling is not None and labelling.latent is not None:
        return "Which judge errs least?", *of_labels.latent_words(labelling.latent)
    if study.reference is None:
        return "Do the judges agree?", *_agreement_words(study)
    scored = () if labelling is None else _score_words(labelling)
    title = _DECIDES if study.scores or study.has_runs else f"Who agrees with {study.reference}?"
    agreement = [*(_agreement_words(study) if labelling is None else _ranking_words(labelling))]
    corrected = None if labelling is None else labelling.corrected
    by_system = bool(scored) and corrected is not None and "system" in corrected.table
    title = f"What shares of yes would {study.reference} give the systems?" if by_system else title
    n_before = 0 if by_system else 1
    return title, *agreement[:n_before], *scored, *agreement[n_before:]


def _score_words(labelling: Labelling) -> tuple[str, ...]:
    """Say what systems, or the items of all, score, corrected for the errors of the first judge; nothing if unknown.

    Where these errors depend on the system it is the powered scores that may hold, and are said.
    """
    corrected = labelling.corrected
    if corrected is None or corrected.table["corrected"].isna().all():
        return ()
    judge = corrected.table["judge"].iloc[0]
    unlike, apart = (
        judge in set(corrected.significant(column)["judge"]) for column in ("errors_corrected", "apart_corrected")
    )
    kind = "powered" if unlike else "corrected"
    rows = corrected.table[corrected.table["judge"] == judge].dropna(subset=[kind])
    best = rows.sort_values(kind, ascending=False, kind="stable").head(_MOST_SYSTEMS).to_dict("records")
    figures = [
        f"{row.get('system', '')} {bracketed(row[kind], row[f'{kind}_low'], row[f'{kind}_high'], share)}".lstrip()
        for row in best
    ]
    n_more = len(rows) - len(best)
    return (
        say(
            "scores first",
            judge=judge,
            reference=labelling.agreement.reference,
            figures=figures,
            rest=n_more,
            several="system" in corrected.table,
            n=int(rows["n"].sum()),
            unlike=unlike,
            apart=apart and not unlike,
        ),
    )


def _decision_words(study: JudgeStudy) -> list[str]:
    """Say whether the best judge may decide between systems, and what to quote, or why that is open."""
    metric = deciding_metric(study.conclusions)
    if metric is not None:
        best = study.verdicts.iloc[0]
        cautions = [*_otherwise_words(study, best), *_settled_words(study, metric)]
        advice = [say("quote verdict", interval=not absent(best["f1_low"]))] if best["ranking"] != "no pairs" else []
        beside = " ".join([*_elsewhere_words(study, metric), *advice])
        return [_verdict_words(study, metric), *filter(None, [beside]), *cautions[:1]]
    if study.has_runs and (why := study.unanswered.get(ABOUT_SYSTEMS)):
        return ["No verdict: these judges cannot be compared on systems.", f"The reason: {why}."]
    kinds = {kind for conclusions in study.conclusions.values() for kind in conclusions.table["kind"]}
    return [say("nothing to test" if "judge" in kinds else "only people")]


def _beside_people(labelling: Labelling, alt: AltTest) -> tuple[str, str]:
    """Return what qualifies the alt-test where people agree little with the reference, and κ of judge and people."""
    ranking = labelling.ranking
    if ranking is None:
        return "", ""
    kappas = labelling.agreement.pairs.set_index("second")[ranking.measure]
    people = kappas.reindex(alt.people["person"].unique()).drop(ranking.reference, errors="ignore").dropna()
    if people.empty:
        return "", ""
    judge = ranking.table["judge"].iloc[0]
    named = [f"{number(2)(kappas[name])} of {name}" for name in (judge, *people.index[:_MOST_PEOPLE])]
    return _AGREE_LITTLE * bool(people.max() < _LITTLE), say(
        "beside people",
        measure=of_labels.MEASURES[ranking.measure],
        reference=ranking.reference,
        kappas=named,
        alpha=labelling.people_alpha,
    )


def _ranking_words(labelling: Labelling) -> tuple[str, ...]:
    """Say who agrees most with the reference, and what to quote."""
    runs = [] if labelling.labels.by_subtopic else [say("takes runs")]
    if labelling.ranking is None:
        return (say("nobody", reference=labelling.agreement.reference), *runs)
    ranking, pairs = labelling.ranking, labelling.agreement.pairs
    told = ranking.table["difference_low"] if ranking.ordered else pairs[f"{ranking.measure}_low"]
    quote = [say("quote labels", ordered=ranking.ordered)] if told.notna().any() else []
    return (of_labels.best_words(labelling, ranking), *quote, *runs)


def _agreement_words(study: JudgeStudy) -> tuple[str, ...]:
    if study.labelling is not None:
        several = study.labelling.labels.table.shape[1] > _PAIR and not study.has_runs
        quote = say("quote labels alike" if study.effects.empty else "quote runs")
        told = (of_labels.alpha_words(study.labelling), quote)
        pair = [] if study.has_runs or study.labelling.latent is not None else [say("compare two")]
        return (*told, say("replace")) if several else (*told, *pair)
    tau = of_systems.effect_figures(study.effects)[0]
    return f"Observed without an interval: {tau.what} {tau.value}.", say("quote runs")


def _key_figures(study: JudgeStudy) -> Table | None:
    metric, labelling = deciding_metric(study.conclusions), study.labelling
    if study.annotated is not None:
        return alt_figures(study.annotated)
    if metric is not None:
        labels = of_labels.agreement_figures(labelling) if study.scores_are_labels and labelling is not None else []
        return listed_figures([*_verdict_figures(study, metric), *labels])
    if labelling is None or labelling.ranking is None:
        labels = [] if labelling is None else of_labels.agreement_figures(labelling)
        return listed_figures([*labels[:-1], *of_systems.effect_figures(study.effects), *labels[-1:]])
    return of_labels.ranking_figures(labelling, labelling.ranking)


def _verdict_figures(study: JudgeStudy, metric: str) -> list[KeyFigure]:
    """Return what the verdict on the best judge rests on."""
    row, conclusions, told = study.verdicts.iloc[0], study.conclusions[metric], []
    judge, called, has_pairs = row["judge"], name_of_metric(metric), row["ranking"] != "no pairs"
    if has_pairs:
        caption = f"F1 of significant pairs, {judge} ({called})"
        told.append(bounded_figure(caption, ends_in(row, "f1"), number(2), draws=conclusions.n_resamples))
    if not absent(row["people_f1"]):
        caption = f"F1 of significant pairs, a second person ({called})"
        told.append(KeyFigure(caption, number(2)(row["people_f1"]), {"people_f1": row["people_f1"]}))
    if row["favours"]:
        beyond = {f"beyond_{name}": value for name, value in with_ends(*_beyond(row)).items()}
        told.append(KeyFigure("Group bias", _favour_words(row), with_ends(*ends_in(row, "favour")) | beyond))
    elif metric in study.group_bias:
        told.append(of_systems.largest_gain(study.group_bias[metric]))
    if has_pairs:
        caption = f"Pairs significant in opposite directions, {judge}"
        told.append(KeyFigure(caption, number(0)(row["n_conflicts"]), {"count": row["n_conflicts"]}))
    if row["labels"]:
        written = f"{row['labels']} (ω = {number(2)(row['winning_rate'])})"
        numbers = {"winning_rate": row["winning_rate"]}
        told.append(KeyFigure(f"Labelling in place of a person, {judge} (alt-test)", written, numbers))
    worth = study.worth.get((metric, judge))
    if worth is not None:
        caption = f"{worth.n_topics} human {unit().topics} with the judge's labels are worth"
        told.append(
            bounded_figure(caption, ends_in(worth.summary.to_dict("index")["median"], "n_equivalent"), number(0))
        )
    return told


def _beyond(row: pd.Series) -> tuple[float, float, float]:
    return row["beyond_people"], row["beyond_low"], row["beyond_high"]


def _verdict_words(study: JudgeStudy, metric: str) -> str:
    """Return the verdict on the one judge, or on the best of several."""
    row, conclusions, n = study.verdicts.iloc[0], study.conclusions[metric], len(study.verdicts)
    sure = {"may": "Yes", "may not": "No"}.get(row["ranking"], "Not settled")
    figure = bracketed(*ends_in(row, "f1"), number(2), draws=conclusions.n_resamples)
    f1 = "" if row["ranking"] == "no pairs" else f": F1 {figure}"
    who, counts = row["judge"], conclusions.table.set_index("judge").loc[row["judge"]]
    if n == 1 and row["ranking"] == "no second person":
        against = conclusions.conflicts[conclusions.conflicts["judge"] == who].to_dict("records")
        pairs = [f"{pair['worse']} over {pair['better']}" for pair in against]
        return say("found alone", row=counts, judge=who, reference=conclusions.reference, metric=metric, against=pairs)
    if n > 1:
        who += f" (highest F1 of {n})" if f1 and conclusions.comparable else f", one of {n} judges,"
    return f"{sure}: {who} {_may(row['ranking'], conclusions.reference)} ({name_of_metric(metric)}{f1})."


def _elsewhere_words(study: JudgeStudy, metric: str) -> list[str]:
    """Say of a judge by how much its figures differ under the other metrics, which do not decide."""
    found = {name: told.table.set_index("judge") for name, told in study.conclusions.items() if name != metric}
    judge = study.verdicts["judge"].iloc[0]
    rows = {name: table.loc[judge] for name, table in found.items() if judge in table.index}
    told = [
        f"{name_of_metric(name)} (F1 {number(2)(row['f1'])}, τ {number(2)(row['tau'])})"
        for name, row in rows.items()
        if not absent(row["f1"])
    ]
    return [say("elsewhere", deciding=metric, told=told, n=len(study.conclusions))] if told else []


def _may(verdict: str, reference: object) -> str:
    return _MAY[verdict].format(reference=reference)


def _settled_words(study: JudgeStudy, metric: str) -> list[str]:
    """Say how sure the verdict is, what holds without a second person, and how often such data would settle it."""
    row, conclusions, margin = study.verdicts.iloc[0], study.conclusions[metric], study.margin
    reference, of_judge = conclusions.reference, conclusions.table["judge"] == row["judge"]
    n, needed = int(conclusions.table.loc[of_judge, "n_reference"].to_numpy()[0]), fewest_pairs(margin)
    if row["ranking"] in {"not settled", "no second person"} and (n < needed < math.inf or absent(row["f1_low"])):
        caption = "few pairs" if n < needed < math.inf else "no interval"
        return [say(caption, n=n, needed=needed, margin=margin, reference=reference)]
    words = []
    if row["ranking"] == "may" and absent(row["people_f1"]):
        words.append(say("whoever", judge=row["judge"], margin=margin))
    elif row["ranking"] != "no pairs" and absent(row["people_f1"]) and not absent(row["f1_low"]):
        contradicted = ends_in(row, "contradicted")
        against = bracketed(*contradicted, number(2), apart=0.0) if any(contradicted) else ""
        words.append(say("alone", row=row, margin=margin, reference=reference, against=against))
    if not absent(row["cleared_if_equal"]):  # alike in law where people and judge contradict alike
        cleared, found_out = (_about(row[name], conclusions.n_resamples) for name in ("cleared_if_equal", "found_out"))
        words.append(say("power", cleared=cleared, found_out=found_out, short=2 * margin))
    return words


def _verdict_details(study: JudgeStudy, metric: str) -> tuple[str, ...]:
    """Say what else is known of the verdict on the best judge."""
    sentences = [*_otherwise_words(study, study.verdicts.iloc[0]), *_settled_words(study, metric)]
    unlike = [] if study.conclusions[metric].comparable else [say("unlike")]
    return (*sentences[1:], *unlike)


def _about(value: object, n_resamples: int) -> str:
    """Return a chance with its Monte-Carlo error."""
    if absent(value):
        return MISSING
    chance = float(str(value))
    ends = {chance < _SURE: "less than 1 %", chance > 1 - _SURE: "more than 99 %"}
    return ends.get(True, f"about {carried(chance, chance_error(chance, n_resamples))}")


def _otherwise_words(study: JudgeStudy, row: pd.Series) -> list[str]:
    """Say where another metric speaks against the verdict."""
    fields = {"judge": row["judge"], "own": int(row["n_conflicts"]), "deciding": deciding_metric(study.conclusions)}
    return [
        say("otherwise", metric=name, may=_may(verdict.ranking, study.reference), n=int(verdict.n_conflicts), **fields)
        for name, verdict in other_metrics(study.conclusions, row["judge"], study.margin)
    ]


def _favour_words(row: pd.Series) -> str:
    return say(
        "group_bias",
        row=row,
        figure=bracketed_size(*ends_in(row, "favour"), number(3)),
        bent=not absent(row["bent"]) and row["bent"],
        beyond="" if absent(row["beyond_people"]) else bracketed(*_beyond(row), number(3)),
    )


def _verdicts_section(study: JudgeStudy) -> tuple[Section, ...]:
    metric, frame = deciding_metric(study.conclusions), study.verdicts
    if frame.empty or metric is None:  # the alt-test says all of it
        return ()
    conclusions, people = study.conclusions[metric], frame["people_f1"].notna().any()
    chance = partial(_about, n_resamples=conclusions.n_resamples)
    of_people = (
        right(number(1), people_conflicts="of a second person"),
        right(chance, cleared_if_equal="Cleared if as good"),
    )
    table = say.table(
        "judge-verdicts",
        frame,
        left(judge="Judge", ranking="May rank systems"),
        right(number(2), f1="F1", **{"people_f1": "A second person"} if people else {}),
        right(number(0), n_conflicts="Opposite pairs"),
        *(of_people if people else ()),
        left(text, otherwise="Against it") if (frame["otherwise"] != "").any() else (),
        () if study.alt is None else (*left(labels="May label"), *right(number(2), winning_rate="ω")),
        (*left(text, favours="Favours"), *right(number(3), favour="by")) if study.group_bias else (),
        study=study,
        metric=metric,
    )
    picture = of_systems.with_metric_in_names(metric, of_systems.f1_picture(metric, conclusions))
    details = _verdict_details(study, metric)
    words = (Text(paragraphs=details),) if details else ()
    return (say.section("verdicts", picture, table, *words, head="Verdicts"),)


def _methods(study: JudgeStudy) -> Methods:
    labelling, found = study.labelling, next(iter(study.conclusions.values()), None)
    labels, ranking = (None, None) if labelling is None else (labelling.labels, labelling.ranking)
    panel = bool(study.panel_worth) or (labelling is not None and labelling.panel is not None)
    said = {
        "labels": labels is not None,
        "ordered": labels is not None and labels.ordered,
        "latent": labelling is not None and labelling.latent is not None,
        "corrected": bool(study.corrected) or (labelling is not None and labelling.corrected is not None),
        "parts": labelling is not None and labelling.scale is not None,
        "intervals": labels is not None,
        "best": ranking is not None and ranking.ordered and ranking.compared,
        "effects": not study.effects.empty,
        "conclusions": found is not None,
        "choices": found is not None and len(found.choices) > 0,
        "alt": study.alt is not None,
        "worth": bool(study.worth),
        "panel": panel,
        "net": panel and bool(study.people),
        "panels": bool(study.panels),
    }
    fields = {"study": study, "labelling": labelling, "ranking": ranking, "found": found, "alt": study.alt}
    return Methods(paragraphs=tuple(say(f"{name} methods", **fields) for name, known in said.items() if known))
