# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of their labels: how they are spread, on which scales, in which parts."""

from functools import partial

import pandas as pd

from metaeval.base.words import absent, number, share, whole
from metaeval.page.blocks import Block, Section
from metaeval.page.tables import Table, left, right
from metaeval.reports.assessed_parts import (
    element_agreement_table,
    element_sentence,
    passage_agreement_table,
    passage_sentence,
)
from metaeval.reports.judge_agreement import (
    agreement_sections,
    alike_words,
    alpha_words,
    one_pair,
    pair_words,
    pairs_words,
)
from metaeval.reports.judge_ranking import alt_section, ranking_section, ranking_words
from metaeval.studies.judge_parts import Labelling


def label_sections(study: Labelling) -> tuple[Section, ...]:
    """Return the sections on labels."""
    agreement, alike, by_topic = agreement_sections(study)
    return (
        *ranking_section(study),
        agreement,
        *alt_section(study.alt),
        *_parts_section(study),
        alike,
        by_topic,
        _labels_section(study),
        *_scales_section(study),
    )


def label_words(study: Labelling, *, alone: bool) -> tuple[list[str], list[str]]:
    """Say who labels best and why figures differ; and, apart from it, how far all agree.

    Alone, without a verdict on conclusions before it, the first sentence has that of the alt-test, too.
    """
    first, more = ranking_words(study, alone=alone), alike_words(study)
    if one_pair(study):
        pair = " ".join((pair_words(study), alpha_words(study), *_parts_words(study)))
        return (first, [pair, *more]) if first else ([pair], more)
    return first, [f"{alpha_words(study)} {pairs_words(study)}", *more]


def _parts_words(study: Labelling) -> list[str]:
    """Say how far the one pair agrees on elements and on text."""
    words = [] if study.elements.empty else [element_sentence(study.elements)]
    return words if study.passages.empty else [*words, passage_sentence(study.passages)]


def _parts_section(study: Labelling) -> tuple[Section, ...]:
    """Return what two judges say of elements and of text, by topic, or, of several pairs, on average."""
    alone, tables = one_pair(study), []
    for frame, build in (
        (study.elements, partial(element_agreement_table, scale=study.scale)),
        (study.passages, passage_agreement_table),
    ):
        if len(frame):
            means = frame[frame["topic"] != "mean"].groupby(["first", "second"], sort=False).mean(numeric_only=True)
            tables.append(build(frame if alone else means.reset_index(), by_topic=alone))
    if not tables:
        return ()
    return (
        Section(
            id="parts",
            title="Agreement on elements and text",
            lead="Two judges who call the same document relevant may still mean different parts of it.",
            blocks=tuple(tables),
        ),
    )


def _labels_section(study: Labelling) -> Section:
    table = study.labels.table
    rows = [
        {
            "judge": name,
            "labels": int(column.notna().sum()),
            "missing": int(column.isna().sum()),
            "mean": float(column.mean()),
            **{
                f"at_{level}": float((column == level).sum() / max(column.notna().sum(), 1))
                for level in study.labels.scale
            },
        }
        for name, column in table.items()
    ]
    columns = [
        *left(judge="Judge"),
        *right(whole, labels="Labels", missing="Missing"),
        *right(number(2), mean="Mean"),
        *right(share, "Share of label", **{f"at_{level}": str(level) for level in study.labels.scale}),
    ]
    blocks: list[Block] = [
        Table(
            name="labels",
            title="What each judge gave",
            caption="How many items each labelled, and how the labels are spread.",
            frame=pd.DataFrame(rows),
            columns=tuple(columns),
        )
    ]
    outside = study.labels.outside
    if len(outside):
        blocks.append(
            Table(
                name="labels-off-the-scale",
                title="Labels off the scale",
                caption=f"Left out: the scale is {', '.join(map(str, study.labels.scale))}.",
                frame=outside,
                columns=(
                    *left(judge="Judge", topic="Topic", item="Item"),
                    *right(number(0), label="Label"),
                ),
            )
        )
    return Section(
        id="labels",
        title="Distribution of labels",
        lead="Judges also differ in how freely they give labels.",
        blocks=tuple(blocks),
    )


def _scales_section(study: Labelling) -> tuple[Section, ...]:
    """Show which grade of a judge became which of the reference; nothing where all were kept."""
    maps = study.scales
    if maps is None or all(rule in {"kept", "reference"} for rule in maps.rules.values()):
        return ()
    frame = maps.to_frame()
    frame = frame[frame["judge"].map(maps.rules) != "reference"]
    table = Table(
        name="judge-scales",
        title=f"Grades of every judge on the scale of {maps.reference}",
        caption=f"Fitted: the grade of {maps.reference} at the same place among the labels that both gave, never "
        "falling. Nothing is left out.",
        frame=frame,
        columns=(
            *left(judge="Judge", rule="Rule"),
            *right(_grade, grade="Grade"),
            *right(whole, n="Labels", n_common="In common"),
            *right(_grade, reference_grade=f"Became {maps.reference}'s"),
        ),
    )
    return (
        Section(
            id="scales",
            title="Scales of the judges",
            lead="Every judge has a scale of its own; labels and measures compare what stands on one.",
            blocks=(table,),
        ),
    )


def _grade(value: object) -> str:
    return "–" if absent(value) else f"{value:g}"
