# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of their labels: how they are spread, on which scales, who errs, in which parts."""

from functools import partial

from metaeval.agreement.item_favour import ItemFavour
from metaeval.agreement.score_correction import CorrectedScores
from metaeval.base.notes import UnseenErrors
from metaeval.base.unit import unit
from metaeval.base.words import (
    absent,
    bracketed,
    bracketed_size,
    number,
    p_value,
    percentage,
    sentence_case,
    share,
    whole,
)
from metaeval.models.dawid_skene import LatentClasses
from metaeval.page.blocks import Block, Fold, Section, Text
from metaeval.page.tables import ends_named, left, ranged, right
from metaeval.questions.judges.page_agreement import agreement_sections, judge_ranking_section, one_pair
from metaeval.questions.judges.study_labels import Labelling, means_of_pairs
from metaeval.reports.alt_test import alt_section
from metaeval.reports.assessed_parts import element_agreement_table, passage_agreement_table
from metaeval.reports.key_figures import ends_in
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads
from metaeval.tests_stat.result import is_significant

_MOST_DOUBTFUL = 8
say = prose(__name__)


def label_sections(study: Labelling, *, brief: bool) -> tuple[Section, ...]:
    """Return the sections on labels; where nothing stands before them, what answers is brief."""
    ranked = judge_ranking_section(study, brief=brief)
    agreement, *others = agreement_sections(study, brief=brief and not ranked, opens=not ranked)
    return (
        *latent_section(study.latent, by_item=study.labels.by_item),
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
            tables.append(build(frame if alone else means_of_pairs(frame), by_topic=alone))
    if not tables:
        return ()
    return (say.section("parts", *tables, brief=False, head="Agreement on elements and text"),)


def _favour_section(found: ItemFavour | None) -> tuple[Section, ...]:
    """Say what more of a covariate of items adds to each judge's labels; nothing without one."""
    if found is None:
        return ()
    people, systems = found.table["beyond_people"].notna().any(), bool(found.table["n_systems"].any())
    ends = ends_named("slope") | (ends_named("beyond_people", "beyond_") if people else {})
    table = say.table(
        "item-covariate-bias",
        found.table.rename(columns=ends),
        left(judge="Judge"),
        right(
            whole, n_labels=labelled_heads(), **({"n_items": "Questions", "n_systems": "Systems"} if systems else {})
        ),
        ranged(number(3), slope="Gain", **{"beyond_people": "Beyond people"} if people else {}),
        right(p_value, p_corrected="p, corrected"),
        data=found.table,
        found=found,
        systems=systems,
    )
    return (say.section("favour", Text(paragraphs=tuple(favour_words(found))), table, found=found),)


def favour_words(found: ItemFavour | None) -> list[str]:
    """Say which judges label items with more of a covariate otherwise; nothing without one."""
    if found is None:
        return []
    judges = found.table[found.table["kind"] == "judge"]
    sure = judges[is_significant(judges["p_corrected"].to_numpy(), 1 - found.confidence_level)]
    words = [] if len(sure) else [say("favours none", found=found)]
    for row in sure.to_dict("records"):
        figure = bracketed_size(row["slope"], row["low"], row["high"], number(3))
        words.append(say("favours", row=row, figure=figure, found=found))
    return words


def corrected_section(found: CorrectedScores | None, *, brief: bool) -> tuple[Section, ...]:
    """Put what a judge alone would score beside what people would say, in two ways."""
    if found is None:
        return ()
    table = found.table
    shown = say.table(
        "corrected-scores",
        table,
        left(judge="Judge", **({"system": "System"} if "system" in table else {})),
        right(whole, n=f"{labelled_heads()} alone"),
        right(share, judged="Says yes"),
        ranged(share, corrected="Corrected", powered="Prediction-powered"),
        right(p_value, apart_corrected="p of equal scores"),
        right(share, specificity="Specificity", sensitivity="Sensitivity"),
        right(whole, n_negative="No", n_positive="Yes"),
        right(share, next_negative="Next, no"),
        data=table,
        reference=found.reference,
        apart=found.names("apart_corrected"),
        unlike=found.names("errors_corrected"),
    )
    blocks: tuple[Block, ...] = (shown, *_difference_folds(found))
    return (say.section("corrected", *blocks, brief=brief, head="Scores corrected for the judge’s errors"),)


def _difference_folds(found: CorrectedScores) -> tuple[Fold, ...]:
    """Return the differences between systems."""
    if found.differences.empty:
        return ()
    table = say.table(
        "corrected-differences",
        found.differences.rename(columns=ends_named("difference")),
        left(judge="Judge", system_a="First", system_b="Second"),
        ranged(share, difference="First less second"),
        right(p_value, p_value="p", p_corrected="corrected"),
        data=found.differences,
        correction=found.correction,
    )
    return (Fold(title="Differences between systems", blocks=(table,)),)


def _labels_section(study: Labelling) -> Section:
    scale, outside = study.labels.scale, study.labels.outside
    spread = say.table(
        "labels",
        study.labels.distribution(),
        left(judge="Judge"),
        right(whole, labels="Labels", missing="Missing"),
        right(number(2), mean="Mean") if study.labels.ordered else (),
        right(share, "Share of label", **{f"at_{level}": study.labels.called(level) for level in scale}),
        head="Labels of each judge",
    )
    off = say.table(
        "labels-off-the-scale",
        outside,
        left(judge="Judge", topic="Topic", item=labelled_heads()[:-1]),
        right(number(0), label="Label"),
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
        "judge-scales",
        frame,
        left(judge="Judge", rule="Rule"),
        right(_grade, grade="Grade"),
        right(whole, n="Labels", n_common="In common"),
        right(_grade, reference_grade=f"Became {maps.reference}'s"),
        reference=maps.reference,
    )
    return (say.section("scales", table, brief=False, head="Scales of the judges"),)


def _grade(value: object) -> str:
    return "–" if absent(value) else f"{value:g}"


def latent_words(found: LatentClasses) -> tuple[str, ...]:
    """Say who errs least, who most, and whether that may be believed."""
    frame, tail = found.judges, (1 - found.confidence_level) / 2
    judges = [
        {"name": row["judge"], "figure": bracketed(*ends_in(row, "accuracy"), share)}
        for row in frame.to_dict("records")
    ]
    best, worst = (frame.loc[frame[column] > tail, "judge"].tolist() for column in ("p_best", "p_worst"))
    believe = say("believe", dependent=bool(found.pairs["beyond"].any()))
    if alike := found.nearly_the_same():
        few = any(isinstance(note, UnseenErrors) for note in found.notes)
        return say("one voice", alike=alike, few=few), believe
    return say("answer", judges=judges, best=best, worst=worst), believe


def latent_section(found: LatentClasses | None, *, by_item: bool) -> tuple[Section, ...]:
    """Put the accuracy of every judge, the doubtful items and the scores of systems into tables."""
    if found is None:
        return ()
    level, items = percentage(found.confidence_level), {"n_items": labelled_heads()}
    picture = say.picture(
        "accuracy",
        found.plot,
        alt="; ".join(f"{row.judge}: {share(row.accuracy)}" for row in found.judges.itertuples(index=False)),
        level=level,
    )
    judges = say.table(
        "latent-judges",
        found.judges,
        left(judge="Judge"),
        ranged(share, accuracy="Accuracy"),
        right(share, "Right where the label is", **{f"right_{label}": label for label in found.labels["label"]}),
        right(whole, **items),
        data=found.judges,
    )
    systems = say.table(
        "latent-systems",
        found.systems.rename(columns=ends_named("score")),
        left(system="System"),
        ranged(share if {*found.labels["value"]} <= {0, 1} else number(2), score="Score"),
        right(whole, **items),
        data=found.systems,
        level=level,
    )
    doubtful = say.table(
        "latent-items",
        found.items.head(_MOST_DOUBTFUL),
        left(**({} if by_item else {"topic": sentence_case(unit().topic)}), item=labelled_heads()[:-1], label="Label"),
        right(share, probability="Probability"),
        right(whole, n_labels="Labels"),
        data=found.items,
        n_all=len(found.items),
    )
    pairs = say.table(
        "latent-pairs",
        found.pairs.sort_values("same", ascending=False),
        left(first="First", second="Second"),
        right(share, same="Same label"),
        ranged(share, expected="Expected"),
        right(whole, **items),
        data=found.pairs,
        level=level,
    )
    tables = (judges, doubtful) if found.systems.empty else (judges, systems, doubtful)
    pairs_fold = Fold(title="Pairs of judges", blocks=(pairs,))
    return (say.section("latent", picture, *tables, pairs_fold, head="Who errs, without a reference"),)
