# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of their labels: how they are spread, on which scales, in which parts."""

from functools import partial

from metaeval.agreement.item_favour import ItemFavour
from metaeval.agreement.score_correction import CorrectedScores
from metaeval.base.words import absent, bracketed, number, p_value, share, whole
from metaeval.page.blocks import Block, Fold, Section, Text
from metaeval.page.tables import Write, bounded, left, right
from metaeval.questions.judges.page_agreement import agreement_sections, one_pair
from metaeval.questions.judges.page_ranking import judge_ranking_section
from metaeval.questions.judges.study_labels import Labelling
from metaeval.reports.alt_test import alt_section
from metaeval.reports.assessed_parts import element_agreement_table, passage_agreement_table
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads
from metaeval.tests_stat.result import is_significant

say = prose(__name__)


def label_sections(study: Labelling, *, brief: bool) -> tuple[Section, ...]:
    """Return the sections on labels; where nothing stands before them, what answers is brief."""
    ranked = judge_ranking_section(study, brief=brief)
    agreement, *others = agreement_sections(study, brief=brief and not ranked, opens=not ranked)
    return (
        *ranked,
        agreement,
        *alt_section(study.alt, brief=False),
        *_parts_section(study),
        *corrected_section(study.corrected, brief=brief),
        *_favour_section(study.favour),
        *others,
        _labels_section(study),
        *_scales_section(study),
    )


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
    return (say.section("parts", *tables, brief=False, head="Agreement on elements and text"),)


def _favour_section(found: ItemFavour | None) -> tuple[Section, ...]:
    """Say what more of a covariate of items adds to each judge's labels; nothing without one."""
    if found is None:
        return ()
    table = found.table.rename(columns={"low": "slope_low", "high": "slope_high"})
    measures = {"slope": ("Gain", number(3))}
    if table["beyond_people"].notna().any():
        table = table.rename(columns={"beyond_low": "beyond_people_low", "beyond_high": "beyond_people_high"})
        measures |= {"beyond_people": ("Beyond people", number(3))}
    frame, columns = bounded(table, measures)
    shown = say.table(
        "favour",
        frame,
        left(judge="Judge"),
        right(whole, n_items=labelled_heads()),
        columns,
        right(p_value, p_corrected="p, corrected"),
        called="item-covariate-bias",
        data=found.table,
        found=found,
    )
    judges = found.table[found.table["kind"] == "judge"]
    sure = judges[is_significant(judges["p_corrected"].to_numpy(), 1 - found.confidence_level)]
    words = [] if len(sure) else [say("favours none", found=found)]
    for row in sure.to_dict("records"):
        low, high = sorted(abs(row[end]) for end in ("low", "high"))
        words.append(say("favours", row=row, figure=bracketed(abs(row["slope"]), low, high, number(3)), found=found))
    return (say.section("favour", Text(paragraphs=tuple(words)), shown, brief=True, found=found),)


def corrected_section(found: CorrectedScores | None, *, brief: bool) -> tuple[Section, ...]:
    """Put what a judge alone would score beside what people would say, in two ways."""
    if found is None:
        return ()
    table = found.table
    measures: dict[str, tuple[str, Write]] = {
        "corrected": ("Corrected", share),
        "powered": ("Prediction-powered", share),
    }
    frame, scores = bounded(table, measures)
    apart = table.loc[is_significant(table["apart_p"].to_numpy(), found.alpha), "judge"].unique().tolist()
    shown = say.table(
        "corrected",
        frame,
        left(judge="Judge", **({"system": "System"} if "system" in table else {})),
        right(whole, n=f"{labelled_heads()} alone"),
        right(share, judged="Says yes"),
        scores,
        right(p_value, apart_p="p of equal scores"),
        right(share, specificity="Specificity", sensitivity="Sensitivity"),
        right(whole, n_negative="No", n_positive="Yes"),
        right(share, next_negative="Next, no"),
        called="corrected-scores",
        data=table,
        reference=found.reference,
        apart=apart,
    )
    blocks: tuple[Block, ...] = (shown, *_difference_blocks(found))
    return (say.section("corrected", *blocks, brief=brief, head="Scores corrected for the judge’s errors"),)


def _difference_blocks(found: CorrectedScores) -> tuple[Block, ...]:
    """Return the differences between systems, folded."""
    if found.differences.empty:
        return ()
    frame = found.differences.rename(columns={"low": "difference_low", "high": "difference_high"})
    frame, columns = bounded(frame, {"difference": ("First less second", share)})
    table = say.table(
        "corrected differences",
        frame,
        left(judge="Judge", system_a="First", system_b="Second"),
        columns,
        right(p_value, p_value="p", p_corrected="corrected"),
        called="corrected-differences",
        data=found.differences,
        correction=found.correction,
    )
    return (Fold(title="Differences between systems", blocks=(table,)),)


def _labels_section(study: Labelling) -> Section:
    scale, outside = study.labels.scale, study.labels.outside
    spread = say.table(
        "labels table",
        study.labels.distribution(),
        left(judge="Judge"),
        right(whole, labels="Labels", missing="Missing"),
        right(number(2), mean="Mean") if study.labels.ordered else (),
        right(share, "Share of label", **{f"at_{level}": study.labels.called(level) for level in scale}),
        called="labels",
        head="Labels of each judge",
    )
    off = say.table(
        "outside",
        outside,
        left(judge="Judge", topic="Topic", item=labelled_heads()[:-1]),
        right(number(0), label="Label"),
        called="labels-off-the-scale",
        scale=scale,
    )
    blocks = (spread, off) if len(outside) else (spread,)
    return say.section("labels", *blocks, brief=False, head="Distribution of labels")


def _scales_section(study: Labelling) -> tuple[Section, ...]:
    """Show which grade of a judge became which of the reference; nothing where all were kept."""
    maps = study.scales
    if maps is None or all(rule in {"kept", "reference"} for rule in maps.rules.values()):
        return ()
    frame = maps.to_frame()
    frame = frame[frame["judge"].map(maps.rules) != "reference"]
    table = say.table(
        "scales table",
        frame,
        left(judge="Judge", rule="Rule"),
        right(_grade, grade="Grade"),
        right(whole, n="Labels", n_common="In common"),
        right(_grade, reference_grade=f"Became {maps.reference}'s"),
        called="judge-scales",
        reference=maps.reference,
    )
    return (say.section("scales", table, brief=False, head="Scales of the judges"),)


def _grade(value: object) -> str:
    return "–" if absent(value) else f"{value:g}"
