# ruff: noqa: RUF001 - Greek letters are meant for people
"""The page that answers whether metrics lead to the same conclusions: an agreement study in words and pictures."""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from metaeval import figures
from metaeval.base.words import (
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    share_of,
    short_names_sentence,
    span,
    text,
    whole,
)
from metaeval.page.blocks import MOST_KEY_FIGURES, Block, Fold, Item, Items, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, right, under
from metaeval.questions.agree.page_findings import (
    agree_methods,
    answer_sentence,
    compared_rows,
    label,
    level_of,
    more_sentences,
    resting_words,
    terms,
    verdicts_frame,
)
from metaeval.questions.agree.page_pairs import (
    conflicts_section,
    disagreement_section,
    grades_section,
    pairs_section,
    settings_section,
)
from metaeval.questions.agree.study import AgreeStudy
from metaeval.questions.agree.study_element_uses import FIXED, MERGED
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, groups_of_topics
from metaeval.tests_stat.correction import CORRECTIONS

_MEANINGS = {
    "f1": "Harmonic mean of precision and recall.",
    "precision": "Share of the row's significant pairs that the column confirms.",
    "recall": "Share of the column's significant pairs that the row recovers.",
    "balanced accuracy": "Mean of recall and of the share of the column's other pairs that the row leaves open.",
    "MCC": "Matthews' correlation of being significant, in the column's direction, with being so in the column.",
    "type II": "Share of the column's significant pairs that are not significant in the row.",
}
_VARIABLES = {"balanced accuracy": "balanced_accuracy", "MCC": "mcc", "type II": "type_2"}
_PAIRS = "Significantly different pairs"
say = prose(__name__)


def agree_report(study: AgreeStudy) -> Report:
    """Put an agreement study into a report."""
    rows, verdicts, columns = compared_rows(study), verdicts_frame(study), _verdict_columns(study)
    rule = say("rule", level=level_of(study), bar=f"{study.min_f1:g}", **terms(study))
    identical = [f"identical systems, never significantly different: {listed(names)}" for names in study.identical]
    wording, about = terms(study), "Do the grades matter for the conclusions?"
    return Report(
        command="agree",
        title=about if wording["grades"] else f"Do the {wording['uses']} lead to the same conclusions?",
        facts=_facts(study),
        summary=(" ".join(filter(None, (answer_sentence(study), resting_words(study)))), *more_sentences(study)),
        key_figures=key_figures(verdicts, columns, caption=rule, which="lowest") if len(verdicts) else None,
        sections=(
            _advice_section(study, rows),
            _shares_section(study),
            *_matrix_sections(study),
            *grades_section(study),
            *_overview_section(study),
            pairs_section(study),
            *disagreement_section(study, rows),
            *conflicts_section(study),
            *settings_section(study, rows),
        ),
        methods=agree_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(*short_names_sentence(study.lead.metrics), *study.notes, *identical),
        data=score_files(study.scores)
        | {"agreement.csv": csv_file(study.to_frame()), "conflicts.csv": csv_file(study.lead.conflicts())},
    )


def _facts(study: AgreeStudy) -> tuple[tuple[str, str], ...]:
    sizes = study.scores.sizes
    groups = study.groups()
    compared = facts(metric=len(groups) if study.variants else sizes["metric"])
    if terms(study)["elements"]:
        quantisations = {variant.words for variant in study.variants if variant.kind not in {MERGED, FIXED}}
        compared += ((str(len(quantisations)), "quantisations"),)
    elif study.variants:
        compared += ((str(sum(map(len, groups.values()))), "uses of their grades"),)
    counted = facts(
        system=sizes["system"], topic=sizes["topic"], **groups_of_topics(study.scores), pair=study.lead.n_pairs
    )
    return (*compared, *counted, (f"{study.lead.alphas[0]:g}", "significance level α"))


def _verdict_columns(study: AgreeStudy) -> tuple[Column, ...]:
    level = f" [{level_of(study)} interval]" if study.intervals is not None else ""
    return (
        *left(predictor_label=sentence_case(terms(study)["use"]), truth_label="Instead of"),
        *right(f1_shown=f"F1{level}"),
        *right(whole, n_conflicts="Conflicts"),
        *left(verdict="Conclusions"),
    )


def _advice_section(study: AgreeStudy, rows: pd.DataFrame) -> Section:
    wording = terms(study)
    blocks: list[Block] = []
    if len(rows):
        drawn, names = _rows_in_groups(study, rows)
        alt = "; ".join(f"{name} {number(2)(f1)}" for name, f1 in zip(names, rows["f1"], strict=True))
        blocks.append(
            say.picture("f1_rows", lambda: figures.agreement_rows(drawn, min_f1=study.min_f1), alt=alt, study=study)
        )
    if why := study.lead.result.out_of_reach():
        blocks.append(Text(paragraphs=(say("out of reach", why=why),), look="note"))
    if len(rows) > MOST_KEY_FIGURES:
        title = "Conclusions under each, compared with the reference"
        frame, columns = verdicts_frame(study), _verdict_columns(study)
        table = Table(name="verdicts", title=title, caption="", frame=frame, columns=columns, data=rows)
        blocks.append(Fold(title=f"All {len(rows)} comparisons", blocks=(table,)))
    return say.section("advice", *blocks, **wording)


def _rows_in_groups(study: AgreeStudy, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows as a picture names them, in an audit below their metric, and what each compares."""
    truths = [label(study, name, within=True) for name in rows["truth"]]
    pairs = list(zip(rows["predictor"], truths, strict=True))
    names = [f"{label(study, predictor)} instead of {truth}" for predictor, truth in pairs]
    if not study.variants:
        return rows.assign(label=names), names
    short = [label(study, predictor, within=True) for predictor, _ in pairs]
    heads = [f"{name_of_metric(base)}, instead of {truth}" for base, truth in zip(rows["base"], truths, strict=True)]
    return rows.assign(label=short, group=heads), names


def _shares_section(study: AgreeStudy) -> Section:
    wording = terms(study)
    metrics = [name for members in study.groups().values() for name in members]
    words = {variant.metric: variant.words for variant in study.variants}
    powers = study.powers()
    powers = powers[powers["metric"].isin(metrics)]
    frame = powers.drop_duplicates("metric")[["metric"]].reset_index(drop=True)
    frame = frame.assign(words=[words.get(name, "") for name in frame["metric"]])
    columns = [*left(name_of_metric, metric="Metric")]
    columns += [*left(words=sentence_case(wording["use"]))] if words else []
    level = percentage(study.intervals.confidence_level) if study.intervals is not None else ""
    for name, rows in powers.groupby("correction", sort=False):
        frame[str(name)] = [share_of(n, study.lead.n_pairs) for n in rows["n_significant"]]
        frame[f"{name}_sort"] = rows["n_significant"].to_numpy()
        columns += right(text, _PAIRS, **{str(name): CORRECTIONS.label(str(name))})
        if rows["low"].notna().any() and study.intervals is not None:
            frame[f"{name} interval"] = intervals(
                rows["low"], rows["high"], about=rows["power"], draws=study.intervals.n_topic_resamples
            )
            columns += under(text, _PAIRS, **{f"{name} interval": f"{level} interval"})
    table = say.table(
        "shares",
        frame,
        columns,
        data=powers.assign(n_pairs=study.lead.n_pairs),
        result=study.lead.result,
        corrections=list(powers["correction"].unique()),
        **wording,
    )
    return say.section(
        "shares", table, *_meaning_blocks(study) if wording["elements"] else (), result=study.lead.result
    )


def _meaning_blocks(study: AgreeStudy) -> list[Block]:
    """Say what the quantisations of elements are, those of one function together."""
    named: dict[str, dict[str, None]] = {}
    for variant in study.variants:
        if variant.meaning and variant.kind != MERGED:
            named.setdefault(variant.meaning, {})[variant.words] = None
    items = tuple(Item(term=", ".join(words), words=meaning) for meaning, words in named.items())
    return [Fold(title="Definitions of the quantisations", blocks=(Items(items=items),))]


def _matrix_sections(study: AgreeStudy) -> list[Section]:
    groups = enumerate(study.groups().items())
    # a matrix of one says nothing
    return [_matrix_section(study, index, *group) for index, group in groups if len(group[1]) > 1]


def _matrix_section(study: AgreeStudy, number: int, base: str, members: Sequence[str]) -> Section:
    wording, under = terms(study), f" under {name_of_metric(base)}" if base else ""
    matrix = _named_matrix(study, members, within=bool(base))
    called, alt = f"{base} f1_map" if base else "f1_map", _matrix_alt(matrix)
    picture = say.picture("map", lambda: figures.matrix_map(matrix), called=called, alt=alt, under=under, **wording)
    f1, *others = (_matrix_table(study, members, measure, base) for measure in _MEANINGS)
    return say.section(
        "matrix",
        picture,
        f1,
        Fold(title="Precision, recall, balanced accuracy, MCC and type II errors", blocks=(*others,)),
        brief=not study.variants,
        id=f"matrix-{number}" if base else "matrix",
        under=under,
        **wording,
    )


def _named_matrix(study: AgreeStudy, members: Sequence[str], *, within: bool = False) -> pd.DataFrame:
    """Return F1 with the names of the page on both sides."""
    names = [label(study, name, within=within) for name in members]
    return study.lead.matrix("f1").loc[list(members), list(members)].set_axis(names, axis=0).set_axis(names, axis=1)


def _matrix_table(study: AgreeStudy, members: Sequence[str], measure: str, base: str) -> Table:
    name = _VARIABLES.get(measure, measure)
    matrix = study.lead.matrix(name).loc[list(members), list(members)]
    short = [label(study, name, within=bool(base)) for name in members]
    data = pd.DataFrame(
        {"predictor": list(members), "share": study.lead.data["share"].sel(metric=list(members)).to_numpy()[0]}
        | {name: matrix[name].to_numpy() for name in members}
    )
    places = {name: f"truth {index}" for index, name in enumerate(members)}
    return say.table(
        "matrix table",
        data.assign(predictor=short).rename(columns=places),
        left(predictor="Predictor"),
        right(share, share="Significant pairs"),
        right(number(2), "Truth", **dict(zip(places.values(), short, strict=True))),
        called=f"{base} {name}" if base else name,
        data=data,
        result=study.lead.result,
        measure=f"{sentence_case(measure)}, {name_of_metric(base)}" if base else sentence_case(measure),
        meaning=_MEANINGS[measure],
    )


def _matrix_alt(matrix: pd.DataFrame) -> str:
    pairs = {" and ".join(sorted(pair)): matrix.loc[pair] for pair in combinations(matrix.index, 2)}
    return f"F1 {span(pairs, pairs.values(), map(number(2), pairs.values()))}."


def _overview_section(study: AgreeStudy) -> list[Section]:
    """Show all metrics of an audit in one map."""
    if len(study.groups()) < 2:  # noqa: PLR2004 - one group has its map already
        return []
    matrix = _named_matrix(study, [name for group in study.groups().values() for name in group])
    picture = say.picture("f1_map_all", lambda: figures.matrix_map(matrix), alt=_matrix_alt(matrix), **terms(study))
    return [say.section("all", picture, brief=False, **terms(study))]
