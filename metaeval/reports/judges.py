# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether assessors agree: a comparison of assessors put into sections, words and pictures."""

from collections.abc import Callable, Iterable
from functools import partial

import pandas as pd

from metaeval import figures
from metaeval.agreement.assessors import STATISTICS
from metaeval.reports.assessed_parts import (
    element_agreement_table,
    element_sentence,
    passage_agreement_table,
    passage_sentence,
)
from metaeval.reports.data_files import csv_file
from metaeval.reports.report import Block, Fold, Item, Items, Methods, Picture, Report, Section, Text
from metaeval.reports.shared import decided_by, facts
from metaeval.reports.tables import Table, bounded, left, right
from metaeval.studies.judges import JudgeStudy
from metaeval.words import (
    absent,
    count,
    interval,
    intervals,
    listed,
    number,
    percentage,
    sentence_case,
    share,
    text,
    whole,
)

__all__ = ["judges_report"]

_LABELS = {
    "same": "Same label",
    "kappa": "Cohen's κ",
    "linear_kappa": "κ, linear weights",
    "quadratic_kappa": "κ, quadratic weights",
    "overlap": "Overlap (Jaccard)",
    "first_kept": "Share of the first's relevant",
    "second_kept": "Share of the second's relevant",
    "same_over_union": "Overlap with the same label",
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "bias": "Bias",
}
_MAIN = ("same", "kappa", "quadratic_kappa", "overlap")
_OVERLAPS = ("overlap", "first_kept", "second_kept")
_SHARES = frozenset({"same", "overlap", "first_kept", "second_kept", "same_over_union", "sensitivity", "specificity"})
_MANY = 4
_FEW_ROWS = 400
"""Of a table that somebody may read."""


def judges_report(study: JudgeStudy) -> Report:
    """Put a comparison of assessors into a report."""
    effects = () if study.effects.empty else (_effects_section(study),)
    table = study.labels.table
    sizes = {
        "assessor": table.shape[1],
        _item(study): int(table.notna().any(axis=1).sum()),
        "topic": len(study.labels.topics),
        "label": int(table.notna().to_numpy().sum()),
    }
    return Report(
        command="judges",
        title="Do the assessors agree?",
        facts=facts(**sizes),
        summary=_summary(study),
        sections=(
            _agreement_section(study),
            *_parts_section(study),
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


def _summary(study: JudgeStudy) -> tuple[str, ...]:
    alpha, decimal = study.agreement.alpha.set_index("level"), number(2)
    row = {name: alpha[name]["ordinal"] for name in ("alpha", "low", "high")}
    over_all = f"Krippendorff's α for ordered grades is {decimal(row['alpha'])}"
    ends = _ends(study, row["low"], row["high"])
    if _one_pair(study):
        lines = [f"{_pair_words(study)} {over_all}{ends}."]
    else:
        everyone = f"Over all {study.labels.table.shape[1]} assessors {over_all}{ends}, where 1 is full agreement and 0"
        lines = [f"{everyone} what chance gives. {_pairs_words(study)}"]
    alike = study.agreement.nearly_the_same()
    if _one_pair(study):
        lines[0] = " ".join((lines[0], *_parts_words(study)))
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


def _item(study: JudgeStudy) -> str:
    """Return what was labelled."""
    return "item" if study.scale is None else "document"


def _labelled(study: JudgeStudy) -> str:
    return "items that both labelled" if study.scale is None else "documents that both judged, relevant or not"


def _one_pair(study: JudgeStudy) -> bool:
    return len(study.agreement.pairs) == 1


def _ends(study: JudgeStudy, low: object, high: object) -> str:
    level = percentage(study.agreement.confidence_level)
    return "" if absent(low) else f" ({level} interval {interval(low, high, number(2))})"


def _pair_words(study: JudgeStudy) -> str:
    pair = study.agreement.pairs.iloc[0]
    return (
        f"{pair['first']} and {pair['second']} gave the same label to {share(pair['same'])} of the "
        f"{_labelled(study)}, and Cohen's κ, which takes chance agreement out, is {number(2)(pair['kappa'])}"
        f"{_ends(study, pair['kappa_low'], pair['kappa_high'])}."
    )


def _pairs_words(study: JudgeStudy) -> str:
    pairs, reference, decimal = study.agreement.pairs, study.agreement.reference, number(2)
    others = count(len(pairs), "pair") if reference is None else count(len(pairs), "other assessor")
    whom = f"the {others} of assessors" if reference is None else f"{reference} and each of {others}"
    return (
        f"Between {whom}, the same label was given to {share(pairs['same'].min())} to {share(pairs['same'].max())} of "
        f"the {_labelled(study)}, and Cohen's κ, which takes chance agreement out, runs from "
        f"{decimal(pairs['kappa'].min())} to {decimal(pairs['kappa'].max())}."
    )


def _effect_sentence(effects: pd.DataFrame) -> str:
    decimal, conflicts = number(2), int(effects["n_conflicts"].sum())
    verb = "is" if conflicts == 1 else "are"
    against = "No pair of runs is" if not conflicts else f"{count(conflicts, 'pair')} of runs {verb}"
    if len(effects[["first", "second"]].drop_duplicates()) == 1:
        said = (
            "Kendall's τ between the rankings under the two assessors is "
            f"{_by_metric(effects, 'tau')}, and F1 over significant pairs of runs {_by_metric(effects, 'f1')}"
        )
    else:
        lowest = effects.nsmallest(1, "tau")[["first", "second", "metric"]].to_numpy().tolist()
        where = "" if not lowest else " ({} and {}, {})".format(*lowest[0])
        tau, f1 = (f"median {decimal(effects[name].median())}, lowest" for name in ("tau", "f1"))
        said = (
            f"Kendall's τ between rankings under two assessors has {tau} {decimal(effects['tau'].min())}{where}, and "
            f"F1 over significant pairs of runs {f1} {decimal(effects['f1'].min())}"
        )
    silent = effects.loc[(effects["n_truth"] == 0) & (effects["n_predictor"] == 0), "metric"].unique()
    nothing = (
        f" Where nobody finds a significant pair ({listed(silent)}), F1 is 1 and says little." if len(silent) else ""
    )
    return f"What this means for the runs: {said}. {against} significant in opposite directions.{nothing}"


def _by_metric(effects: pd.DataFrame, name: str) -> str:
    """Return a statistic of every metric; one that all share is said once, and of many the lowest and the highest."""
    values = effects[name].map(number(2)).tolist()
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} under {'both' if len(values) == 2 else 'each'}"  # noqa: PLR2004 - two metrics
    if len(values) > _MANY:
        ends = (effects[name].argmin(), effects[name].argmax())
        low, high = (f"{values[place]} ({effects['metric'].iloc[place]})" for place in ends)
        return f"from {low} to {high}"
    return listed(f"{value} ({metric})" for value, metric in zip(values, effects["metric"], strict=True))


def _named(study: JudgeStudy) -> dict[str, str]:
    """Return the headings of the statistics, with the names of the assessors where there are but two."""
    if not _one_pair(study):
        return _LABELS
    first, second = study.agreement.pairs[["first", "second"]].iloc[0]
    own = {"first_kept": f"Share of {first}'s relevant", "second_kept": f"Share of {second}'s relevant"}
    return _LABELS | own


def _write(name: str) -> Callable[[object], str]:
    return share if name in _SHARES else number(2)


def _caption(study: JudgeStudy) -> str:
    relevant = (
        f"Relevant means a label of {study.agreement.rel} or more"
        if study.scale is None
        else "A document is relevant if anything in it is"
    )
    return (
        f"Intervals are {percentage(study.agreement.confidence_level)} intervals over topics. {relevant}; the overlaps "
        "are means over topics."
    )


def _pairs_table(study: JudgeStudy, statistics: Iterable[str], *, name: str, title: str) -> Table:
    """Return the statistics of every pair, with intervals: of κ alone where only the main ones are asked for."""
    pairs, chosen = study.agreement.pairs, tuple(statistics)
    shown, columns = (
        pairs,
        [*left(first="First", second="Second"), *right(whole, items=f"{_item(study)}s".capitalize())],
    )
    for one in chosen:
        if chosen != _MAIN or one == "kappa":
            shown, added = bounded(shown, {one: (_LABELS[one], _write(one))})
            columns += added
        else:
            columns += right(_write(one), **{one: _LABELS[one]})
    return Table(
        name=name,
        title=title,
        caption=_caption(study),
        frame=shown.sort_values("kappa", ascending=False, kind="stable"),
        data=pairs[["first", "second", "items", *_MAIN, "kappa_low", "kappa_high"]] if chosen == _MAIN else pairs,
        columns=tuple(columns),
    )


def _every_measure(study: JudgeStudy) -> tuple[Block, ...]:
    """Return every statistic with what it means: a row each where there is one pair, else a row a pair."""
    name, labels = "assessor-pairs", _named(study)
    if not _one_pair(study):
        defined = tuple(Item(term=labels[one], words=words) for one, words in STATISTICS.items())
        table = _pairs_table(study, _LABELS, name=name, title="Agreement of every pair, by every measure")
        return (table, Items(items=defined))
    pair = study.agreement.pairs.iloc[0]
    rows = [
        {
            "measure": labels[one],
            "value": _write(one)(pair[one]),
            "interval": interval(pair.get(f"{one}_low"), pair.get(f"{one}_high"), _write(one)),
            "meaning": sentence_case(words),
        }
        for one, words in STATISTICS.items()
    ]
    table = Table(
        name=name,
        title=f"Agreement of {pair['first']} and {pair['second']}, by every measure",
        caption=_caption(study),
        frame=pd.DataFrame(rows),
        columns=(
            *left(measure="Measure"),
            *right(text, value="Value", interval=f"{percentage(study.agreement.confidence_level)} interval"),
            *left(meaning="What it is"),
        ),
        data=study.agreement.pairs,
    )
    return (table,)


def _agreement_section(study: JudgeStudy) -> Section:
    found, decimal = study.agreement.alpha, number(3)
    alpha = Table(
        name="krippendorff-alpha",
        title="Krippendorff's α over all assessors",
        caption="1 is full agreement, 0 what chance gives. Nominal takes labels as names, ordinal as ranks, interval "
        "as amounts.",
        frame=found.assign(ends=intervals(found["low"], found["high"], decimal)),
        columns=(
            *left(level="Labels taken as"),
            *right(decimal, alpha="α"),
            *right(text, ends=f"{percentage(study.agreement.confidence_level)} interval"),
        ),
        data=found[["level", "alpha", "low", "high"]],
    )
    square = study.agreement.reference is None and not _one_pair(study)
    return Section(
        id="agreement",
        title="Agreement of assessors",
        lead="Two labels of the same item are compared, item by item. Some agreement comes by chance alone, more so "
        "where most items are not relevant: κ and α take that out.",
        brief=True,
        blocks=(
            _kappa_map(study) if square else _kappa_dots(study),
            _pairs_table(study, _MAIN, name="assessor-agreement", title="Agreement of every pair"),
            alpha,
            Fold(title="Every measure of agreement", blocks=_every_measure(study)),
        ),
    )


def _kappa_map(study: JudgeStudy) -> Picture:
    matrix = study.agreement.matrix("kappa")
    return Picture(
        name="assessor-kappa",
        draw=lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"),
        title="Cohen's κ of every pair of assessors",
        caption="Each field compares the assessor of its row with that of its column; darker blue agrees more, "
        "white is what chance gives.",
        alt=f"A square of {len(matrix)} by {len(matrix)} fields shaded by Cohen's kappa.",
    )


def _kappa_dots(study: JudgeStudy) -> Picture:
    pairs, level = study.agreement.pairs, percentage(study.agreement.confidence_level)
    first, second = pairs[["first", "second"]].iloc[0]
    shown = pairs[["second", "kappa", "kappa_low", "kappa_high"]].set_axis(["name", "value", "low", "high"], axis=1)
    caption = f"The dot is Cohen's κ of {second} with {first}, the bar its {level} interval over topics."
    if len(pairs) > 1:
        caption = (
            f"Cohen's κ of every assessor with {first}, best first; bars are {level} intervals over topics, of each "
            "assessor by itself. All are compared with the same labels on the same topics, so two whose bars overlap "
            "may still differ."
        )
    return Picture(
        name="assessor-kappa",
        draw=lambda: figures.agreement_dots(shown, label=f"Cohen's κ with {first}"),
        title=f"Agreement with {first}",
        caption=caption,
        alt=f"{count(len(pairs), 'dot')} with intervals, sorted by kappa.",
    )


def _effects_section(study: JudgeStudy) -> Section:
    effects, columns, sides = study.effects, [*left(metric="Metric")], ["first", "second"]
    if _one_pair(study):
        sides = [str(effects[side].iloc[0]) for side in sides]
    else:
        columns += left(first="First", second="Second")
    n_pairs = listed(f"{n}" for n in effects["n_pairs"].unique())
    table = Table(
        name="assessor-effects",
        title="What another assessor would have changed",
        caption="Rankings of the runs by mean score, and the pairs of runs that are significantly different under "
        f"{'the second assessor' if len(columns) > 1 else sides[1]} as a prediction of those under "
        f"{'the first' if len(columns) > 1 else sides[0]} "
        f"({decided_by(study.test, study.correction, study.alpha)}).",
        frame=effects,
        columns=(
            *columns,
            *right(number(3), "Rankings", tau="τ", tau_ap="τ_AP"),
            *right(
                whole,
                f"Significant of {n_pairs} pairs",
                n_truth=sides[0],
                n_predictor=sides[1],
                n_shared="both",
                n_conflicts="opposite",
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(number(3), f1="F1"),
        ),
        data=effects,
    )
    return Section(
        id="effect",
        title="Effect on the evaluation of runs",
        lead=f"Assessors may disagree about many {_item(study)}s and still rank runs alike. The runs are scored under "
        "each assessor in turn; what an assessor did not "
        f"{'label counts as unjudged' if study.scale is None else 'judge counts as not relevant'}.",
        brief=True,
        blocks=(table,),
    )


def _parts_words(study: JudgeStudy) -> list[str]:
    """Say how far the one pair agrees on elements and on text."""
    words = [] if study.elements.empty else [element_sentence(study.elements)]
    return words if study.passages.empty else [*words, passage_sentence(study.passages)]


def _parts_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Return what two assessors say of elements and of text, by topic, or, of several pairs, on average."""
    alone, tables = _one_pair(study), []
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
            lead="Two assessors who call the same document relevant may still mean different parts of it.",
            blocks=tuple(tables),
        ),
    )


def _alike_section(study: JudgeStudy) -> Section:
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
                    *left(first="First", second="Second"),
                    *right(whole, items="Items"),
                    *right(share, same="Same label"),
                    *right(number(3), kappa="κ"),
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


def _topics_section(study: JudgeStudy) -> Section:
    frame, labels, alone = study.agreement.per_topic, _named(study), _one_pair(study)
    what = "A dot is a topic." if alone else "A stroke is a pair of assessors, a dot their mean."
    picture = Picture(
        name="overlap-by-topic",
        draw=lambda: figures.topic_dots(
            frame, statistic="overlap", label="overlap (Jaccard) of the relevant items (1: the same sets)"
        ),
        title="Agreement by topic",
        caption=f"{what} Topics at the foot are those whose relevance the assessors see most differently.",
        alt="One row a topic with a dot at its overlap."
        if alone
        else "One row a topic with a stroke for every pair of assessors and a dot at the mean.",
    )
    table = Table(
        name="agreement-by-topic",
        title="Overlap by topic",
        caption=f"{labels['overlap']}: {STATISTICS['overlap'].removesuffix(': mean over topics')}; then over "
        "those that each calls relevant.",
        frame=frame,
        columns=(
            *left(topic="Topic"),
            *(() if alone else left(first="First", second="Second")),
            *right(whole, items="Items"),
            *right(share, **{name: labels[name] for name in _OVERLAPS}),
        ),
        data=frame[["topic", "first", "second", "items", *_OVERLAPS]],
    )
    numbers = (Fold(title="The numbers", blocks=(table,)),) if len(frame) <= _FEW_ROWS else ()
    return Section(
        id="by-topic",
        title="Agreement by topic",
        lead="Two people may read one topic alike and the next one differently.",
        blocks=(picture, *numbers),
    )


def _labels_section(study: JudgeStudy) -> Section:
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
        *left(assessor="Assessor"),
        *right(whole, labels="Labels", missing="Missing"),
        *right(number(2), mean="Mean"),
        *right(share, "Share of label", **{f"at_{level}": str(level) for level in study.labels.scale}),
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
                    *left(assessor="Assessor", topic="Topic", item="Item"),
                    *right(number(0), label="Label"),
                ),
            )
        )
    return Section(
        id="labels",
        title="Distribution of labels",
        lead="Assessors also differ in how freely they give labels.",
        blocks=tuple(blocks),
    )


def _methods(study: JudgeStudy) -> Methods:
    agreement = study.agreement
    measures = (
        f"We compared the labels of {count(study.labels.table.shape[1], 'assessor')} item by item by the share of "
        "equal labels, Cohen's κ (Cohen, 1960; weighted: Cohen, 1968) and Krippendorff's α over all of them "
        "(Krippendorff, 2011), and the sets of items with a label of "
        f"{agreement.rel} or more by their overlap on each topic (Voorhees, 2000; Piwowarski et al., 2008, section "
        "5.2.6)."
    )
    if study.scale is not None:
        measures += (
            " A label is 1 where anything in a document was judged relevant, else 0; elements and highlighted "
            "characters are compared by what both chose over what either chose (sections 5.2.6 and 5.2.7), on the "
            "topics that every assessor judged."
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
        f"({decided_by(study.test, study.correction, study.alpha)}); the significant pairs under one assessor predict "
        "those under another (Ogilvie and Lalmas, 2006, section 3.4)."
    )
    return Methods(paragraphs=(measures, intervals, effects), cite=(*sources, "ogilvie2006"))
