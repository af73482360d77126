# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether assessors agree: a comparison of assessors put into sections, words and pictures."""

import pandas as pd

from metaeval import figures
from metaeval.agreement.assessors import STATISTICS
from metaeval.reports.data_files import csv_file
from metaeval.reports.report import Block, Fold, Item, Items, Methods, Picture, Report, Section, Text
from metaeval.reports.tables import Column, Table
from metaeval.studies.assessors import AssessorStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.words import absent, count, interval, listed, number, percentage, share, whole

__all__ = ["assessors_report"]

_LABELS = {
    "same": "Same label",
    "kappa": "Cohen's κ",
    "linear_kappa": "κ, linear weights",
    "quadratic_kappa": "κ, quadratic weights",
    "overlap": "Overlap ∩/∪",
    "first_kept": "Overlap ∩/first",
    "second_kept": "Overlap ∩/second",
    "same_over_union": "Same label ∩/∪",
    "bias": "Bias",
}
_MAIN = ("same", "kappa", "quadratic_kappa", "overlap")
_SHARES = frozenset({"same", "overlap", "first_kept", "second_kept", "same_over_union"})
_FEW_ROWS = 400
"""Of a table that somebody may read."""


def assessors_report(study: AssessorStudy) -> Report:
    """Put a comparison of assessors into a report.

    Parameters
    ----------
    study : AssessorStudy

    Returns
    -------
    Report
    """
    effects = () if study.effects.empty else (_effects_section(study),)
    table = study.labels.table
    sizes = {
        "assessor": table.shape[1],
        "item": int(table.notna().any(axis=1).sum()),
        "topic": len(study.labels.topics),
        "label": int(table.notna().to_numpy().sum()),
    }
    return Report(
        command="assessors",
        title="Do the assessors agree?",
        facts=tuple((str(size), what if size == 1 else f"{what}s") for what, size in sizes.items()),
        summary=_summary(study),
        sections=(
            _agreement_section(study),
            *effects,
            _alike_section(study),
            _topics_section(study),
            _labels_section(study),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"labels.csv": csv_file(table.reset_index())},
    )


def _summary(study: AssessorStudy) -> tuple[str, ...]:
    alpha, decimal = study.agreement.alpha.set_index("level"), number(2)
    row = {name: alpha[name]["ordinal"] for name in ("alpha", "low", "high")}
    over_all = f"Krippendorff's α for ordered grades is {decimal(row['alpha'])}{_ends(row['low'], row['high'])}."
    one_pair = len(study.agreement.pairs) == 1
    lines = [f"{_pair_words(study)} {over_all}" if one_pair else f"{_pairs_words(study)} Over all assessors {over_all}"]
    alike = study.agreement.nearly_the_same()
    if len(alike):
        first, second, _, same, _ = alike.to_numpy().tolist()[0]
        lines.append(
            f"{count(len(alike), 'pair')} of assessors gave the same label to 95 % of their items or more, "
            f"and κ is 0.9 or more ({first} and {second}: {share(same)}): they may be one judge twice, and should "
            "count as one when majorities are taken."
        )
    if not study.effects.empty:
        lines.append(_effect_sentence(study.effects))
    return tuple(lines)


def _ends(low: object, high: object) -> str:
    return "" if absent(low) else f" ({interval(low, high, number(2))})"


def _pair_words(study: AssessorStudy) -> str:
    pair = study.agreement.pairs.iloc[0]
    return (
        f"{pair['first']} and {pair['second']} gave the same label to {share(pair['same'])} of the items that both "
        f"labelled, and Cohen's κ, which takes chance agreement out, is {number(2)(pair['kappa'])}"
        f"{_ends(pair['kappa_low'], pair['kappa_high'])}."
    )


def _pairs_words(study: AssessorStudy) -> str:
    pairs, reference, decimal = study.agreement.pairs, study.agreement.reference, number(2)
    others = count(len(pairs), "pair") if reference is None else count(len(pairs), "other assessor")
    whom = f"the {others} of assessors" if reference is None else f"{reference} and each of {others}"
    return (
        f"Between {whom}, the same label was given to {share(pairs['same'].min())} to {share(pairs['same'].max())} of "
        "the items that both labelled, and Cohen's κ, which takes chance agreement out, runs from "
        f"{decimal(pairs['kappa'].min())} to {decimal(pairs['kappa'].max())}."
    )


def _effect_sentence(effects: pd.DataFrame) -> str:
    decimal, conflicts = number(2), int(effects["n_conflicts"].sum())
    lowest = effects.nsmallest(1, "tau")[["first", "second", "metric"]].to_numpy().tolist()
    where = "" if not lowest else " ({} and {}, {})".format(*lowest[0])
    verb = "is" if conflicts == 1 else "are"
    against = "No pair of runs is" if not conflicts else f"{count(conflicts, 'pair')} of runs {verb}"
    return (
        "For the runs it matters so: Kendall's τ between rankings under two assessors is "
        f"{decimal(effects['tau'].median())} in the middle and {decimal(effects['tau'].min())} at worst{where}; F1 "
        f"over significant pairs of runs is {decimal(effects['f1'].median())} in the middle and "
        f"{decimal(effects['f1'].min())} at worst. {against} significant in opposite directions."
    )


def _pairs_table(study: AssessorStudy, *, every: bool) -> Table:
    """Return every statistic of every pair, each with its interval, or the main ones with the interval of κ."""
    statistics, bounded = (tuple(_LABELS), tuple(_LABELS)) if every else (_MAIN, ("kappa",))
    pairs = study.agreement.pairs
    shown = pairs.copy()
    columns = [
        Column(name="first", label="First"),
        Column(name="second", label="Second"),
        Column(name="items", label="Items", write=whole, align="right"),
    ]
    for one in statistics:
        write = share if one in _SHARES else number(2)
        columns.append(Column(name=one, label=_LABELS[one], write=write, align="right"))
        if one in bounded:
            ends = zip(pairs[f"{one}_low"], pairs[f"{one}_high"], strict=True)
            shown[f"{one}_interval"] = [interval(low, high, write) for low, high in ends]
            columns.append(Column(name=f"{one}_interval", label="interval", align="right", under=True))
    return Table(
        name="assessor-pairs" if every else "assessor-agreement",
        title="Agreement of every pair, by every measure" if every else "Agreement of every pair",
        caption=f"Intervals are {percentage(study.agreement.confidence_level)} intervals over topics. Relevant means a "
        f"label of {study.agreement.rel} or more; the overlaps are means over topics.",
        frame=shown.sort_values("kappa", ascending=False, kind="stable"),
        data=pairs if every else pairs[["first", "second", "items", *_MAIN, "kappa_low", "kappa_high"]],
        columns=tuple(columns),
    )


def _agreement_section(study: AssessorStudy) -> Section:
    alpha = Table(
        name="krippendorff-alpha",
        title="Krippendorff's α over all assessors",
        caption="1 is full agreement, 0 what chance gives. Nominal takes labels as names, ordinal as ranks, interval "
        "as amounts.",
        frame=study.agreement.alpha,
        columns=(
            Column(name="level", label="Labels taken as"),
            Column(name="alpha", label="α", write=number(3), align="right"),
            Column(name="low", label="low", write=number(3), align="right"),
            Column(name="high", label="high", write=number(3), align="right"),
        ),
    )
    one_pair = len(study.agreement.pairs) == 1
    picture = _kappa_map(study) if study.agreement.reference is None and not one_pair else _kappa_dots(study)
    return Section(
        id="agreement",
        title="Agreement of assessors",
        lead="Two labels of the same item are compared, item by item. Some agreement comes by chance alone, more so "
        "where most items are not relevant: κ and α take that out.",
        brief=True,
        blocks=(
            picture,
            _pairs_table(study, every=False),
            alpha,
            Fold(title="Every pair, every measure", blocks=(_pairs_table(study, every=True), _statistics())),
        ),
    )


def _kappa_map(study: AssessorStudy) -> Picture:
    matrix = study.agreement.matrix("kappa")
    return Picture(
        name="assessor-kappa",
        draw=lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"),
        title="Cohen's κ of every pair of assessors",
        caption="Each field compares the assessor of its row with that of its column; darker blue agrees more, "
        "white is what chance gives.",
        alt=f"A square of {len(matrix)} by {len(matrix)} fields shaded by Cohen's kappa.",
    )


def _kappa_dots(study: AssessorStudy) -> Picture:
    pairs, level = study.agreement.pairs, percentage(study.agreement.confidence_level)
    first, second = pairs[["first", "second"]].iloc[0]
    caption = f"The dot is Cohen's κ of {second} with {first}, the bar its {level} interval over topics."
    if len(pairs) > 1:
        caption = (
            f"Cohen's κ of every assessor with {first}, best first; bars are {level} intervals over topics, of each "
            "assessor by itself. All are compared with the same labels on the same topics, so two whose bars overlap "
            "may still differ."
        )
    return Picture(
        name="assessor-kappa",
        draw=lambda: figures.agreement_dots(pairs, statistic="kappa", label=f"Cohen's κ with {first}"),
        title=f"Agreement with {first}",
        caption=caption,
        alt=f"{count(len(pairs), 'dot')} with intervals, sorted by kappa.",
    )


def _statistics() -> Items:
    return Items(items=tuple(Item(term=_LABELS[name], words=words) for name, words in STATISTICS.items()))


def _effects_section(study: AssessorStudy) -> Section:
    table = Table(
        name="assessor-effects",
        title="What another assessor would have changed",
        caption="Rankings of the runs by mean score, and the pairs of runs that are significantly different under the "
        f"second assessor as a prediction of those under the first ({TESTS.label(study.test)}, "
        f"{CORRECTIONS.words(study.correction)}, α = {study.alpha:g}, one-sided in the better direction).",
        frame=study.effects,
        columns=(
            Column(name="metric", label="Metric"),
            Column(name="first", label="First"),
            Column(name="second", label="Second"),
            Column(name="tau", label="τ", write=number(3), align="right", group="Rankings"),
            Column(name="tau_ap", label="τ_AP", write=number(3), align="right", group="Rankings"),
            Column(name="n_truth", label="first", write=whole, align="right", group="Significant pairs"),
            Column(name="n_predictor", label="second", write=whole, align="right", group="Significant pairs"),
            Column(name="n_shared", label="both", write=whole, align="right", group="Significant pairs"),
            Column(name="n_conflicts", label="opposite", write=whole, align="right", group="Significant pairs"),
            Column(name="precision", label="precision", write=share, align="right"),
            Column(name="recall", label="recall", write=share, align="right"),
            Column(name="f1", label="F1", write=number(3), align="right"),
        ),
    )
    return Section(
        id="effect",
        title="Effect on the evaluation of runs",
        lead="Assessors may disagree about many documents and still rank runs alike. The runs are scored under each "
        "assessor in turn; what an assessor did not label counts as unjudged.",
        brief=True,
        blocks=(table,),
    )


def _alike_section(study: AssessorStudy) -> Section:
    alike = study.agreement.nearly_the_same()
    none = "No two assessors gave the same label to 95 % of their items with a κ of 0.9 or more."
    blocks: tuple[Block, ...] = (Text(paragraphs=(none,)),)
    if len(alike):
        blocks = (
            Table(
                name="nearly-the-same",
                title="Pairs with the same label on 95 % of their items or more",
                caption="Sorted by the share of equal labels; κ is 0.9 or more, so chance does not explain it.",
                frame=alike,
                columns=(
                    Column(name="first", label="First"),
                    Column(name="second", label="Second"),
                    Column(name="items", label="Items", write=whole, align="right"),
                    Column(name="same", label="Same label", write=share, align="right"),
                    Column(name="kappa", label="κ", write=number(3), align="right"),
                ),
            ),
        )
    return Section(
        id="alike",
        title="Nearly identical assessors",
        lead="Automatic judges made from one model and nearly one prompt give nearly the same labels; they are not "
        "independent evidence.",
        blocks=blocks,
    )


def _topics_section(study: AssessorStudy) -> Section:
    picture = Picture(
        name="overlap-by-topic",
        draw=lambda: figures.topic_dots(
            study.agreement.per_topic, statistic="overlap", label="overlap of relevant items, ∩/∪ (1: the same sets)"
        ),
        title="Agreement by topic",
        caption="A stroke is a pair of assessors, a dot their mean. Topics at the foot are those whose relevance the "
        "assessors see most differently.",
        alt="One row a topic with a stroke for every pair of assessors and a dot at the mean.",
    )
    frame = study.agreement.per_topic
    table = Table(
        name="agreement-by-topic",
        title="Ratios by topic",
        caption="Of the relevant items, by topic and pair.",
        frame=frame,
        columns=(
            Column(name="topic", label="Topic"),
            Column(name="first", label="First"),
            Column(name="second", label="Second"),
            Column(name="items", label="Items", write=whole, align="right"),
            Column(name="overlap", label="∩/∪", write=share, align="right"),
            Column(name="first_kept", label="∩/first", write=share, align="right"),
            Column(name="second_kept", label="∩/second", write=share, align="right"),
        ),
    )
    numbers = (Fold(title="The numbers", blocks=(table,)),) if len(frame) <= _FEW_ROWS else ()
    return Section(
        id="by-topic",
        title="Agreement by topic",
        lead="Two people may read one request alike and the next one differently.",
        blocks=(picture, *numbers),
    )


def _labels_section(study: AssessorStudy) -> Section:
    table = study.labels.table
    rows = [
        {
            "assessor": name,
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
        Column(name="assessor", label="Assessor"),
        Column(name="labels", label="Labels", write=whole, align="right"),
        Column(name="missing", label="Missing", write=whole, align="right"),
        Column(name="mean", label="Mean", write=number(2), align="right"),
        *(
            Column(name=f"at_{level}", label=str(level), write=share, align="right", group="Share of label")
            for level in study.labels.scale
        ),
    ]
    blocks: list[Block] = [
        Table(
            name="labels",
            title="What each assessor gave",
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
                    Column(name="assessor", label="Assessor"),
                    Column(name="topic", label="Topic"),
                    Column(name="item", label="Item"),
                    Column(name="label", label="Label", write=number(0), align="right"),
                ),
            )
        )
    return Section(
        id="labels",
        title="Distribution of labels",
        lead="Assessors also differ in how freely they give labels.",
        blocks=tuple(blocks),
    )


def _methods(study: AssessorStudy) -> Methods:
    agreement = study.agreement
    measures = (
        f"We compared the labels of {count(study.labels.table.shape[1], 'assessor')} item by item by the share of "
        "equal labels, Cohen's κ (Cohen, 1960; weighted: Cohen, 1968) and Krippendorff's α over all of them "
        "(Krippendorff, 2011), and the sets of items with a label of "
        f"{agreement.rel} or more by their overlap on each topic (Voorhees, 2000; Piwowarski et al., 2008, section "
        "5.2.6)."
    )
    intervals = (
        f"{percentage(agreement.confidence_level)} intervals resample the topics {agreement.n_resamples} times "
        f"({agreement.random_source}): value ± t · s* · √(T/(T−1)) with T − 1 degrees of freedom, s* the standard "
        "deviation over resamples. They say how the figures would differ with other topics of the same kind, not with "
        "other items of these topics."
    )
    sources = ("cohen1960", "cohen1968", "krippendorff2011", "voorhees2000", "piwowarski2008")
    if study.effects.empty:
        return Methods(paragraphs=(measures, intervals), cite=sources)
    effects = (
        f"The runs were scored under each assessor by {listed(study.scores)} and tested pair by pair "
        f"({TESTS.words(study.test)} test, {CORRECTIONS.words(study.correction)}, α = {study.alpha:g}, one-sided "
        "in the better direction); the significant pairs under one assessor predict those under another (Ogilvie and "
        "Lalmas, 2006, section 3.4)."
    )
    return Methods(paragraphs=(measures, intervals, effects), cite=(*sources, "ogilvie2006"))
