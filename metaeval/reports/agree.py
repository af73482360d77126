# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that answers whether metrics lead to the same conclusions: an agreement study in words and pictures."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import (
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    share_of,
    short_names,
    span,
    text,
)
from metaeval.page.blocks import Block, Fold, Item, Items, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, under
from metaeval.reports.agree_pairs import (
    conflicts_section,
    disagreement_section,
    grades_section,
    pairs_section,
    settings_section,
)
from metaeval.reports.agree_words import (
    advice_sentences,
    agree_methods,
    answer_sentence,
    compared_rows,
    label,
    of_elements,
    summary_sentences,
    uses,
)
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.shared import facts, groups_of_topics
from metaeval.resampling.agreement_interval import powers_of
from metaeval.studies.agree import AgreeStudy
from metaeval.studies.element_uses import FIXED, MERGED
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAIRS = "Significantly different pairs"
_USES = "Linear: gain = grade; exponential: gain = 2^grade − 1; binary ≥ k: relevant from grade k on, all alike. "


def agree_report(study: AgreeStudy) -> Report:
    """Put an agreement study into a report."""
    rows = compared_rows(study)
    identical = [f"identical systems, never significantly different: {listed(names)}" for names in study.identical]
    return Report(
        command="agree",
        title="Do the grades matter for the conclusions?"
        if study.variants and not of_elements(study)
        else f"Do the {uses(study)} lead to the same conclusions?",
        facts=_facts(study),
        summary=(answer_sentence(study), *summary_sentences(study)),
        sections=(
            _advice_section(study, rows),
            _shares_section(study),
            *_matrix_sections(study),
            *grades_section(study),
            *_overview_section(study),
            pairs_section(study),
            *disagreement_section(study, rows),
            conflicts_section(study),
            *settings_section(study, rows),
        ),
        methods=agree_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(*short_names(study.lead.metrics), *study.notes, *identical),
        data=score_files(study.scores)
        | {"agreement.csv": csv_file(study.to_frame()), "conflicts.csv": csv_file(study.lead.conflicts())},
    )


def _facts(study: AgreeStudy) -> tuple[tuple[str, str], ...]:
    sizes = study.scores.sizes
    groups = study.groups()
    compared = facts(metric=len(groups) if study.variants else sizes["metric"])
    if of_elements(study):
        quantisations = {one.words for one in study.variants if one.kind not in {MERGED, FIXED}}
        compared += ((str(len(quantisations)), "quantisations"),)
    elif study.variants:
        compared += ((str(sum(map(len, groups.values()))), "uses of their grades"),)
    counted = facts(
        system=sizes["system"], topic=sizes["topic"], **groups_of_topics(study.scores), pair=study.lead.n_pairs
    )
    return (*compared, *counted, (f"{study.lead.alphas[0]:g}", "significance level α"))


# ----------------------------------------------------------------------------------------------------- the sections


def _advice_section(study: AgreeStudy, rows: pd.DataFrame) -> Section:
    sizes = study.scores.sizes
    limits = [
        (
            f"The evidence is {count(sizes['system'], 'system')} on {count(sizes['topic'], 'topic')}. Systems of "
            "another kind may agree less. More topics make more pairs significant under every metric."
        ),
        (
            "Agreement says that two metrics lead to the same conclusions, not that these are right: two metrics can "
            "share an error, and a metric that finds less need not be worse."
        ),
    ]
    if study.variants:
        limits.append(
            f"All {uses(study)} are computed from judgments made with the full scale. Assessors who are given a "
            "coarser scale may judge differently; only new judgments can show that."
        )
    blocks: list[Block] = []
    if why := study.lead.result.out_of_reach():
        blocks.append(Text(paragraphs=(f"{why}. With more resamples more pairs may be significant.",), look="note"))
    blocks.append(Text(paragraphs=tuple(advice_sentences(study)) or ("There is nothing to compare.",)))
    if len(rows):
        drawn, names = _rows_in_groups(study, rows)
        bounds = "Bar: its interval over topics. " if study.intervals is not None else ""
        used = "" if study.variants else f"The metric in use is the first one, {name_of_metric(study.reference())}. "
        blocks.append(
            Picture(
                name="f1_rows",
                draw=lambda: figures.agreement_rows(drawn, min_f1=study.min_f1),
                title="Agreement with the generalised quantisation"
                if of_elements(study)
                else f"Agreement with the {uses(study, one=True)} in use",
                caption=f"{used}Dot: F1 of the significant pairs of systems. {bounds}Line: {study.min_f1:g}, from "
                "which conclusions are called the same here; this is a convention, and --min-f1 sets another.",
                alt="; ".join(f"{name} {row.f1:.2f}" for name, row in zip(names, rows.itertuples(), strict=True)),
            )
        )
    blocks.append(Items(items=tuple(Item(words=words) for words in limits)))
    return Section(
        id="advice",
        title="Interchangeability",
        lead=f"Which {uses(study, one=True)} could stand in for which without changing "
        "what these data let one conclude about these systems.",
        blocks=tuple(blocks),
        brief=True,
    )


def _rows_in_groups(study: AgreeStudy, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows as a picture names them, in an audit below their metric, and what each compares."""
    names = [
        f"{label(study, row.predictor)} instead of {label(study, row.truth, within=True)}" for row in rows.itertuples()
    ]
    if not study.variants:
        return rows.assign(label=names), names
    short = [label(study, name, within=True) for name in rows["predictor"]]
    heads = [
        f"{name_of_metric(row.base)}, instead of {label(study, row.truth, within=True)}" for row in rows.itertuples()
    ]
    return rows.assign(label=short, group=heads), names


def _shares_section(study: AgreeStudy) -> Section:
    shown = [name for members in study.groups().values() for name in members]
    words = {variant.metric: variant.words for variant in study.variants}
    powers = study.powers()
    powers = powers[powers["metric"].isin(shown)]
    frame = powers.drop_duplicates("metric")[["metric"]].reset_index(drop=True)
    frame = frame.assign(words=[words.get(name, "") for name in frame["metric"]])
    columns = [*left(name_of_metric, metric="Metric")]
    columns += [*left(words=sentence_case(uses(study, one=True)))] if words else []
    for name, part in powers.groupby("correction", sort=False):
        frame[str(name)] = [share_of(n, study.lead.n_pairs) for n in part["n_significant"]]
        frame[f"{name}_sort"] = part["n_significant"].to_numpy()
        columns += right(text, _PAIRS, **{str(name): CORRECTIONS.label(str(name))})
        if study.intervals is not None:
            frame[f"{name} interval"] = intervals(
                part["low"], part["high"], about=part["power"], draws=study.intervals.n_topic_resamples
            )
            label_of = f"{percentage(study.intervals.confidence_level)} interval"
            columns += under(text, _PAIRS, **{f"{name} interval": label_of})
    table = Table(
        name="shares",
        title="Discriminative power",
        caption=f"{_USES if study.variants and not of_elements(study) else ''}{_how(study)}.",
        frame=frame,
        columns=tuple(columns),
        data=powers,
    )
    return Section(
        id="shares",
        title="Discriminative power",
        lead="The share of the pairs of systems that each calls significantly different. The agreement below is of the "
        f"pairs found {_decided(study)}. A metric that finds few pairs cannot predict many of another's.",
        blocks=(table, *_meanings(study)),
        brief=True,
    )


def _meanings(study: AgreeStudy) -> list[Block]:
    """Say what the quantisations of elements are, those of one function together."""
    if not of_elements(study):
        return []
    named: dict[str, dict[str, None]] = {}
    for variant in study.variants:
        if variant.meaning and variant.kind != MERGED:
            named.setdefault(variant.meaning, {})[variant.words] = None
    items = tuple(Item(term=", ".join(words), words=meaning) for meaning, words in named.items())
    return [Fold(title="What the quantisations are", blocks=(Items(items=items),))]


def _matrix_sections(study: AgreeStudy) -> list[Section]:
    sections = []
    for place, (base, members) in enumerate(study.groups().items()):
        if len(members) < 2:  # noqa: PLR2004 - a matrix of one says nothing
            continue
        stem, name = (f"{base} ", name_of_metric(base)) if base else ("", "")
        matrix = _named_matrix(study, members, within=bool(base))
        picture = Picture(
            name=f"{stem}f1_map",
            draw=partial(_matrix_figure, matrix),
            title=f"F1{f' of the {uses(study)} under {name}' if base else ''}",
            caption="F1 is the same both ways. The stronger the colour, the nearer the two are to finding the same "
            "pairs of systems.",
            alt=_matrix_alt(matrix),
        )
        f1, precision, recall = (
            _matrix_table(study, members, measure, stem) for measure in ("f1", "precision", "recall")
        )
        sections.append(
            Section(
                id=f"matrix-{place}" if base else "matrix",
                title=f"Agreement of the {uses(study)} under {name}" if base else "Agreement of significant pairs",
                lead=f"The significant pairs under the {uses(study, one=True)} in the row, taken as a prediction of "
                "those under the one in the column. Precision: how many of the row's the column finds too. Recall: how "
                "many of the column's the row finds.",
                blocks=(
                    picture,
                    f1,
                    precision,
                    Fold(title="Recall (precision with its sides swapped)", blocks=(recall,)),
                ),
                brief=True,
            )
        )
    return sections


def _named_matrix(study: AgreeStudy, members: Sequence[str], *, within: bool = False) -> pd.DataFrame:
    """Return F1 with the names of the page on both sides."""
    names = [label(study, name, within=within) for name in members]
    return study.lead.matrix("f1").loc[list(members), list(members)].set_axis(names, axis=0).set_axis(names, axis=1)


def _matrix_table(study: AgreeStudy, members: Sequence[str], measure: str, stem: str) -> Table:
    titles = {
        "f1": ("F1", "Harmonic mean of precision and recall."),
        "precision": ("Precision", "Of the pairs that the row finds, the share that the column finds too."),
        "recall": ("Recall", "Of the pairs that the column finds, the share that the row finds too."),
    }
    title, caption = titles[measure]
    matrix = study.lead.matrix(measure).loc[list(members), list(members)]
    short = [label(study, name, within=bool(stem)) for name in members]
    data = pd.DataFrame(
        {"predictor": list(members), "share": study.lead.data["share"].sel(metric=list(members)).to_numpy()[0]}
        | {name: matrix[name].to_numpy() for name in members}
    )
    places = {name: f"truth {place}" for place, name in enumerate(members)}
    return Table(
        name=f"{stem}{measure}",
        title=f"{title}, {name_of_metric(stem.strip())}" if stem else title,
        caption=f"{caption} Significant {_decided(study)}.",
        frame=data.assign(predictor=short).rename(columns=places),
        columns=(
            *left(predictor="Predictor"),
            *right(share, share="Significant pairs"),
            *right(number(2), "Truth", **dict(zip(places.values(), short, strict=True))),
        ),
        data=data,
    )


def _matrix_alt(matrix: pd.DataFrame) -> str:
    pairs = {" and ".join(sorted(pair)): matrix.loc[pair] for pair in combinations(matrix.index, 2)}
    return f"F1 {span(pairs, pairs.values(), map(number(2), pairs.values()))}."


def _overview_section(study: AgreeStudy) -> list[Section]:
    """Show all metrics of an audit in one map."""
    if len(study.groups()) < 2:  # noqa: PLR2004 - one group has its map already
        return []
    matrix = _named_matrix(study, [name for group in study.groups().values() for name in group])
    picture = Picture(
        name="f1_map_all",
        draw=lambda: figures.matrix_map(matrix),
        title=f"F1 between all metrics and {uses(study)}",
        caption=f"How much the choice of the {uses(study, one=True)} matters, beside the choice of the metric.",
        alt=_matrix_alt(matrix),
    )
    return [
        Section(
            id="all",
            title="Agreement across metrics",
            lead=f"Blocks along the diagonal hold one metric under its {uses(study)}; what lies outside compares "
            "metrics.",
            blocks=(picture,),
        )
    ]


# -------------------------------------------------------------------------------------------------------- what helps


def _decided(study: AgreeStudy) -> str:
    """Name the test and the correction that agreement is about."""
    result = study.lead.result
    return f"by {TESTS.words(result.test)}, {CORRECTIONS.words(result.correction)}"


def _how(study: AgreeStudy) -> str:
    result = study.lead.result
    draws = f", B = {result.n_resamples}, {result.random_source}" if result.n_resamples else ""
    side = "one-sided (better)" if result.alternative == "better" else result.alternative
    corrections = listed(map(CORRECTIONS.words, powers_of(result)))
    words = f"{result.procedure.label}{draws}, {corrections}"
    return f"{words}, {side}, α = {study.lead.alphas[0]:g}"


def _matrix_figure(matrix: pd.DataFrame) -> "Figure":
    return figures.matrix_map(matrix)
