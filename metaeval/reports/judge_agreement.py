# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of agreement: of every pair, beside yardsticks, by topic, and of judges that are one."""

from collections.abc import Callable, Iterable

import pandas as pd

from metaeval import figures
from metaeval.agreement.label_agreement import STATISTICS
from metaeval.agreement.label_baselines import leading_kappa
from metaeval.base.names import count
from metaeval.base.words import absent, ends, interval, intervals, number, percentage, sentence_case, share, text, whole
from metaeval.page.blocks import Block, Fold, Item, Items, Picture, Section, Text
from metaeval.page.tables import Table, bounded, left, right
from metaeval.studies.judge_parts import Labelling

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
_FEW_ROWS = 400
"""Of a table that somebody may read."""


def agreement_sections(study: Labelling) -> tuple[Section, ...]:
    """Return the sections on agreement, on judges that may be one, and on topics."""
    return (_agreement_section(study), _alike_section(study), _topics_section(study))


def alpha_words(study: Labelling) -> str:
    """Say how far all judges agree."""
    row = study.agreement.alpha.set_index("level").loc["ordinal"]
    words = f"Krippendorff's α for ordered grades is {number(2)(row['alpha'])}{_ends(study, row['low'], row['high'])}"
    if one_pair(study):
        return f"{words}."
    n_judges = study.labels.table.shape[1]
    return f"Over all {n_judges} judges {words}, where 1 is full agreement and 0 what chance gives."


def alike_words(study: Labelling) -> list[str]:
    """Say whether judges are one; nothing where none are."""
    alike = study.agreement.nearly_the_same()
    if not len(alike):
        return []
    names = [" and ".join(sorted(pair)) for pair in alike[["first", "second"]].to_numpy()]
    most = ends(names, alike["same"], map(share, alike["same"]))[1]
    words = (
        f"{count(len(alike), 'pair')} of judges gave the same label to 95 % of their items or more, "
        f"and κ is 0.9 or more ({most.who}: {most.figure}): they may be one judge twice, and should "
        "count as one when majorities are taken."
    )
    return [words]


def _item(study: Labelling) -> str:
    """Return what was labelled."""
    return "item" if study.scale is None else "document"


def _labelled(study: Labelling) -> str:
    return "items that both labelled" if study.scale is None else "documents that both judged, relevant or not"


def one_pair(study: Labelling) -> bool:
    """Say whether two judges are compared, and no others."""
    return len(study.agreement.pairs) == 1


def _ends(study: Labelling, low: object, high: object) -> str:
    level = percentage(study.agreement.confidence_level)
    return (
        ""
        if absent(low)
        else f" ({level} interval {interval(low, high, number(2), draws=study.agreement.n_resamples)})"
    )


def pair_words(study: Labelling) -> str:
    """Say how far the one pair agrees."""
    pair = study.agreement.pairs.iloc[0]
    return (
        f"{pair['first']} and {pair['second']} gave the same label to {share(pair['same'])} of the "
        f"{_labelled(study)}, and Cohen's κ, which takes chance agreement out, is {number(2)(pair['kappa'])}"
        f"{_ends(study, pair['kappa_low'], pair['kappa_high'])}."
    )


def pairs_words(study: Labelling) -> str:
    """Say between which figures the agreement of the pairs lies."""
    pairs, reference, decimal = study.agreement.pairs, study.agreement.reference, number(2)
    others = count(len(pairs), "pair") if reference is None else count(len(pairs), "other judge")
    whom = f"the {others} of judges" if reference is None else f"{reference} and each of {others}"
    return (
        f"Between {whom}, the same label was given to {share(pairs['same'].min())} to {share(pairs['same'].max())} of "
        f"the {_labelled(study)}, and Cohen's κ, which takes chance agreement out, runs from "
        f"{decimal(pairs['kappa'].min())} to {decimal(pairs['kappa'].max())}."
    )


def _named(study: Labelling) -> dict[str, str]:
    """Return the headings of the statistics, with the names of the judges where there are but two."""
    if not one_pair(study):
        return _LABELS
    first, second = study.agreement.pairs[["first", "second"]].iloc[0]
    own = {"first_kept": f"Share of {first}'s relevant", "second_kept": f"Share of {second}'s relevant"}
    return _LABELS | own


def _write(name: str) -> Callable[[object], str]:
    return share if name in _SHARES else number(2)


def _caption(study: Labelling) -> str:
    relevant = (
        f"Relevant means a label of {study.agreement.rel} or more"
        if study.scale is None
        else "A document is relevant if anything in it is"
    )
    return (
        f"Intervals are {percentage(study.agreement.confidence_level)} intervals over topics. {relevant}; the overlaps "
        "are means over topics."
    )


def _pairs_table(study: Labelling, statistics: Iterable[str], *, name: str, title: str) -> Table:
    """Return the statistics of every pair, with intervals: of κ alone where only the main ones are asked for."""
    pairs, chosen = study.agreement.pairs, tuple(statistics)
    shown, columns = (
        pairs,
        [*left(first="First", second="Second"), *right(whole, items=f"{_item(study)}s".capitalize())],
    )
    for one in chosen:
        if chosen != _MAIN or one == "kappa":
            shown, added = bounded(shown, {one: (_LABELS[one], _write(one))}, draws=study.agreement.n_resamples)
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


def _every_measure(study: Labelling) -> tuple[Block, ...]:
    """Return every statistic with what it means: a row each where there is one pair, else a row a pair."""
    name, labels = "judge-pairs", _named(study)
    if not one_pair(study):
        defined = tuple(Item(term=labels[one], words=words) for one, words in STATISTICS.items())
        table = _pairs_table(study, _LABELS, name=name, title="Agreement of every pair, by every measure")
        return (table, Items(items=defined))
    pair = study.agreement.pairs.iloc[0]
    rows = [
        {
            "measure": labels[one],
            "value": _write(one)(pair[one]),
            "value_sort": pair[one],
            "interval": interval(
                pair.get(f"{one}_low"), pair.get(f"{one}_high"), _write(one), draws=study.agreement.n_resamples
            ),
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


def _agreement_section(study: Labelling) -> Section:
    found, decimal = study.agreement.alpha, number(3)
    alpha = Table(
        name="krippendorff-alpha",
        title="Krippendorff's α over all judges",
        caption="1 is full agreement, 0 what chance gives. Nominal takes labels as names, ordinal as ranks, interval "
        "as amounts.",
        frame=found.assign(ends=intervals(found["low"], found["high"], decimal, draws=study.agreement.n_resamples)),
        columns=(
            *left(level="Labels taken as"),
            *right(decimal, alpha="α"),
            *right(text, ends=f"{percentage(study.agreement.confidence_level)} interval"),
        ),
        data=found[["level", "alpha", "low", "high"]],
    )
    square = study.agreement.reference is None and not one_pair(study)
    main = (
        _pairs_table(study, _MAIN, name="judge-agreement", title="Agreement of every pair")
        if study.baselines.empty
        else _yardsticks_table(study)
    )
    return Section(
        id="agreement",
        title="Agreement on labels",
        lead="Two labels of the same item are compared, item by item. Some agreement comes by chance alone, more so "
        "where most items are not relevant: κ and α take that out.",
        brief=True,
        blocks=(
            _kappa_map(study) if square else _kappa_dots(study),
            main,
            alpha,
            Fold(title="Every measure of agreement", blocks=_every_measure(study)),
        ),
    )


def _yardsticks_table(study: Labelling) -> Table:
    """Return the agreement of every judge with the reference beside what judges that know nothing, and people, get."""
    leading = leading_kappa(study.labels.scale)
    found = study.baselines.set_index(["judge", "statistic"])
    judges = found.index.get_level_values("judge").unique()
    frame = pd.DataFrame({"judge": judges, "items": found.xs("same", level="statistic")["items"].to_numpy()})
    columns = [*left(judge="Judge"), *right(whole, items=f"{_item(study)}s".capitalize())]
    among_people = bool(found["people_pairs"].gt(0).any())
    for statistic in (leading, "same", "overlap"):
        part = found.xs(statistic, level="statistic").reindex(judges)
        beside = ["constant"] * (statistic == "same") + ["shuffled"] + ["people"] * among_people
        for name in ("value", *beside):
            frame[f"{statistic}_{name}"] = part[name].to_numpy()
        heads = {f"{statistic}_value": "judge", f"{statistic}_constant": "constant"}
        heads |= {f"{statistic}_shuffled": "shuffled", f"{statistic}_people": "people"}
        taken = {name: heads[name] for name in (f"{statistic}_{one}" for one in ("value", *beside))}
        columns += right(_write(statistic), _LABELS[statistic], **taken)
    pairs = study.agreement.pairs.set_index("second")
    for name in ("sensitivity", "specificity"):
        frame[name] = pairs[name].reindex(judges).to_numpy()
    columns += right(share, f"Relevant at {study.agreement.rel}", sensitivity="Sensitivity", specificity="Specificity")
    return Table(
        name="judge-agreement",
        title=f"Agreement with {study.agreement.reference}, and what it is worth",
        caption=f"Beside each judge: the constant judge that does best, the judge's own labels shuffled within each "
        f"topic{', and people among themselves (mean over their pairs)' if among_people else ''}. Sensitivity: share "
        f"of what {study.agreement.reference} calls relevant that the judge does too; specificity the same of what "
        "is not relevant.",
        frame=frame.sort_values(f"{leading}_value", ascending=False, kind="stable"),
        columns=tuple(columns),
        data=study.baselines,
    )


def _kappa_map(study: Labelling) -> Picture:
    matrix = study.agreement.matrix("kappa")
    return Picture(
        name="judge-kappa",
        draw=lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"),
        title="Cohen's κ of every pair of judges",
        caption="Each field compares the judge of its row with that of its column; darker blue agrees more, "
        "white is what chance gives.",
        alt=f"A square of {len(matrix)} by {len(matrix)} fields shaded by Cohen's kappa.",
    )


def _kappa_dots(study: Labelling) -> Picture:
    pairs, level = study.agreement.pairs, percentage(study.agreement.confidence_level)
    first, second = pairs[["first", "second"]].iloc[0]
    leading = leading_kappa(study.labels.scale)
    kappa = f"Cohen's {_LABELS[leading].removeprefix("Cohen's ")}"
    columns = ["second", leading, f"{leading}_low", f"{leading}_high"]
    shown = pairs[columns].set_axis(["name", "value", "low", "high"], axis=1)
    caption = f"The dot is {kappa}, of {second} with {first}, the bar its {level} interval over topics."
    if len(pairs) > 1:
        caption = (
            f"{kappa}, of every judge with {first}, best first; bars are {level} intervals over topics, of each "
            "judge by itself. All are compared with the same labels on the same topics, so two whose bars overlap "
            "may still differ."
        )
    return Picture(
        name="judge-kappa",
        draw=lambda: figures.agreement_dots(shown, label=f"{kappa}, with {first}"),
        title=f"Agreement with {first}",
        caption=caption,
        alt=f"{count(len(pairs), 'dot')} with intervals, sorted by kappa.",
    )


def _alike_section(study: Labelling) -> Section:
    alike = study.agreement.nearly_the_same()
    none = "No two judges gave the same label to 95 % of their items with a κ of 0.9 or more."
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
        title="Nearly identical judges",
        lead="Automatic judges made from one model and nearly one prompt give nearly the same labels; they are not "
        "independent evidence.",
        blocks=blocks,
    )


def _topics_section(study: Labelling) -> Section:
    frame, labels, alone = study.agreement.per_topic, _named(study), one_pair(study)
    what = "A dot is a topic." if alone else "A stroke is a pair of judges, a dot their mean."
    picture = Picture(
        name="overlap-by-topic",
        draw=lambda: figures.topic_dots(
            frame, statistic="overlap", label="overlap (Jaccard) of the relevant items (1: the same sets)"
        ),
        title="Agreement by topic",
        caption=f"{what} Topics at the foot are those whose relevance the judges see most differently.",
        alt="One row a topic with a dot at its overlap."
        if alone
        else "One row a topic with a stroke for every pair of judges and a dot at the mean.",
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
