# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of agreement: of every pair, beside yardsticks, by topic, and of judges that are one."""

from collections.abc import Callable, Iterable

import pandas as pd

from metaeval import figures
from metaeval.agreement.label_agreement import meanings
from metaeval.agreement.label_baselines import leading_kappa
from metaeval.base.unit import unit
from metaeval.base.words import (
    absent,
    bracketed,
    intervals,
    number,
    p_value,
    sentence_case,
    share,
    span,
    text,
    whole,
    written_interval,
)
from metaeval.page.blocks import Block, Fold, Item, Items, Picture, Section
from metaeval.page.tables import Table, bounded, left, right
from metaeval.questions.judges.study_parts import Labelling
from metaeval.reports.key_figures import KeyFigure, sure_side, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads

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
say = prose(__name__)


def agreement_sections(study: Labelling, *, brief: bool, opens: bool) -> tuple[Section, ...]:
    """Return the sections on agreement, on judges that may be one, and on topics."""
    return (_agreement_section(study, brief=brief, opens=opens), *_alike_section(study), *_topics_section(study))


def _alpha(study: Labelling) -> tuple[str, dict[str, object]]:
    """Return alpha for ordered grades, or for names, with its interval, as written and as numbers."""
    level = "ordinal" if study.labels.ordered else "nominal"
    alpha, low, high = study.agreement.alpha.set_index("level").loc[level, ["alpha", "low", "high"]]
    draws = study.agreement.n_resamples
    apart = 0.0 if sure_side(alpha, low, high, draws=draws) else None
    return bracketed(alpha, low, high, number(2), draws=draws, apart=apart), with_ends(alpha, low, high)


def alpha_words(study: Labelling) -> str:
    """Say whether all judges agree more than by chance."""
    written, numbers = _alpha(study)
    has_alpha, bounded, n = not absent(numbers["value"]), not absent(numbers["low"]), study.labels.table.shape[1]
    side = sure_side(*numbers.values(), draws=study.agreement.n_resamples)
    return say("all agree", n=n, alpha=written, side=side, bounded=bounded, known=has_alpha, study=study)


def agreement_figures(study: Labelling) -> list[KeyFigure]:
    """Return how far all judges agree, and the pairs of them from the least to the most."""
    pairs, draws = study.agreement.pairs, study.agreement.n_resamples
    told = [KeyFigure(say("key alpha", study=study), *_alpha(study))]
    if one_pair(study):
        pair = pairs.iloc[0]
        kappa, low, high = pair[["kappa", "kappa_low", "kappa_high"]]
        written = bracketed(kappa, low, high, number(2), draws=draws)
        told.append(KeyFigure(say("key kappa"), written, with_ends(kappa, low, high)))
        shares = {"same": pair["same"]}
        if not study.passages.empty:
            shares = {"passages": study.passages["of_union"].mean()} | shares
        if not study.elements.empty:
            shares = {"elements": study.elements.set_index("topic").loc["mean", "both"]} | shares
        return told + [KeyFigure(say(f"key {name}"), share(value), {"value": value}) for name, value in shares.items()]
    names = [" and ".join(pair) for pair in pairs[["first", "second"]].to_numpy()]
    for name, write in (("kappa", number(2)), ("same", share)):
        written = span(names, pairs[name], map(write, pairs[name]), opening="")
        told.append(KeyFigure(say(f"key {name}"), written, {"least": pairs[name].min(), "most": pairs[name].max()}))
    return told


def one_pair(study: Labelling) -> bool:
    """Say whether two judges are compared, and no others."""
    return len(study.agreement.pairs) == 1


def _named(study: Labelling) -> dict[str, str]:
    """Return the headings of the statistics, with the names of the judges where there are but two."""
    if not one_pair(study):
        return _LABELS
    pair = study.agreement.pairs[["first", "second"]].iloc[0]
    return _LABELS | {f"{side}_kept": say("own relevant", judge=judge) for side, judge in pair.items()}


def _write(name: str) -> Callable[[object], str]:
    return share if name in _SHARES else number(2)


def _pairs_table(study: Labelling, statistics: Iterable[str], *, name: str, title: str) -> Table:
    """Return the statistics of every pair, with intervals: of κ alone where only the main ones are asked for."""
    pairs, available = study.agreement.pairs, study.agreement.statistics
    chosen = tuple(statistic for statistic in statistics if statistic in available)
    short = chosen == tuple(statistic for statistic in _MAIN if statistic in available)
    frame, columns = pairs, [*left(first="First", second="Second"), *right(whole, items=say("what", study=study))]
    for statistic in chosen:
        if not short or statistic == "kappa":
            frame, added = bounded(
                frame, {statistic: (_LABELS[statistic], _write(statistic))}, draws=study.agreement.n_resamples
            )
            columns += added
        else:
            columns += right(_write(statistic), **{statistic: _LABELS[statistic]})
    return Table(
        name=name,
        title=title,
        caption=say("intervals", study=study),
        frame=frame.sort_values("kappa", ascending=False, kind="stable"),
        data=pairs[["first", "second", "items", *chosen, "kappa_low", "kappa_high"]] if short else pairs,
        columns=tuple(columns),
    )


def _meant(study: Labelling) -> dict[str, str]:
    return meanings(study.labels, f"{unit().labelled}s")


def _every_measure(study: Labelling) -> tuple[Block, ...]:
    """Return every statistic with what it means: a row each where there is one pair, else a row a pair."""
    name, labels = "judge-pairs", _named(study)
    meant = _meant(study)
    if not one_pair(study):
        defined = tuple(Item(term=labels[statistic], words=words) for statistic, words in meant.items())
        table = _pairs_table(study, _LABELS, name=name, title=say("every measure", alone=()))
        return (table, Items(items=defined))
    pair = study.agreement.pairs.iloc[0]
    rows = [
        {
            "measure": labels[statistic],
            "value": _write(statistic)(pair[statistic]),
            "value_sort": pair[statistic],
            "interval": written_interval(
                pair.get(f"{statistic}_low"),
                pair.get(f"{statistic}_high"),
                _write(statistic),
                draws=study.agreement.n_resamples,
            ),
            "meaning": sentence_case(words),
        }
        for statistic, words in meant.items()
    ]
    table = Table(
        name=name,
        title=say("every measure", alone=(pair["first"], pair["second"])),
        caption=say("intervals", study=study),
        frame=pd.DataFrame(rows),
        columns=(
            *left(measure="Measure"),
            *right(text, value="Value", interval=say("interval", study=study)),
            *left(meaning="What it is"),
        ),
        data=study.agreement.pairs,
    )
    return (table,)


def _agreement_section(study: Labelling, *, brief: bool, opens: bool) -> Section:
    alphas, decimal = study.agreement.alpha, number(3)
    alpha = Table(
        name="krippendorff-alpha",
        title=say("alpha title"),
        caption=say("alpha"),
        frame=alphas.assign(ends=intervals(alphas["low"], alphas["high"], decimal, draws=study.agreement.n_resamples)),
        columns=(
            *left(level="Labels taken as"),
            *right(decimal, alpha="α"),
            *right(text, ends=say("interval", study=study)),
            *right(p_value, chance="Chance"),
        ),
        data=alphas[["level", "alpha", "low", "high", "chance"]],
    )
    square = study.agreement.reference is None and not one_pair(study)
    main = (
        _pairs_table(study, _MAIN, name="judge-agreement", title=say("every pair"))
        if study.baselines.empty
        else _yardsticks_table(study)
    )
    return Section(
        id="agreement",
        title=say("agreement title"),
        lead=say("agreement lead"),
        brief=brief,
        blocks=(
            *((_kappa_map(study) if square else kappa_dots(study),) if opens else ()),
            main,
            alpha,
            Fold(title=say("every measure fold"), blocks=_every_measure(study)),
        ),
    )


def _yardsticks_table(study: Labelling) -> Table:
    """Return the agreement of every judge with the reference beside what judges that know nothing, and people, get."""
    leading = leading_kappa(study.labels)
    baselines = study.baselines.set_index(["judge", "statistic"])
    judges = baselines.index.get_level_values("judge").unique()
    frame = pd.DataFrame({"judge": judges, "items": baselines.xs("same", level="statistic")["items"].to_numpy()})
    columns = [*left(judge="Judge"), *right(whole, items=say("what", study=study))]
    among_people = bool(baselines["people_pairs"].gt(0).any())
    for statistic in (key for key in (leading, "same", "overlap") if key in study.agreement.statistics):
        of_statistic = baselines.xs(statistic, level="statistic").reindex(judges)
        beside = ["constant"] * (statistic == "same") + ["shuffled"] + ["people"] * among_people
        for name in ("value", *beside):
            frame[f"{statistic}_{name}"] = of_statistic[name].to_numpy()
        heads = {f"{statistic}_value": "judge", f"{statistic}_constant": "constant"}
        heads |= {f"{statistic}_shuffled": "shuffled", f"{statistic}_people": "people"}
        taken = {name: heads[name] for name in (f"{statistic}_{key}" for key in ("value", *beside))}
        columns += right(_write(statistic), _LABELS[statistic], **taken)
    pairs = study.agreement.pairs.set_index("second")
    shares = {name: _LABELS[name] for name in ("sensitivity", "specificity") if name in pairs}
    frame = frame.assign(**{name: pairs[name].reindex(judges).to_numpy() for name in shares})
    columns += right(share, say("relevant", rel=study.labels.called(study.agreement.rel)), **shares) if shares else []
    return Table(
        name="judge-agreement",
        title=say("yardsticks title", reference=study.agreement.reference),
        caption=say("yardsticks", study=study, reference=study.agreement.reference, people=among_people),
        frame=frame.sort_values(f"{leading}_value", ascending=False, kind="stable"),
        columns=tuple(columns),
        data=study.baselines,
    )


def _kappa_map(study: Labelling) -> Picture:
    matrix = study.agreement.matrix("kappa")
    return Picture(
        name="judge-kappa",
        draw=lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"),
        title=say("map title"),
        caption=say("map"),
        alt=say("map alt", n=len(matrix)),
    )


def kappa_dots(study: Labelling) -> Picture:
    """Draw κ of every judge with the reference."""
    pairs = study.agreement.pairs
    first, second = pairs[["first", "second"]].iloc[0]
    leading = leading_kappa(study.labels)
    kappa = say("kappa", kappa=_LABELS[leading].removeprefix("Cohen's "))
    columns = ["second", leading, f"{leading}_low", f"{leading}_high"]
    on_topic = study.labels.table[[first, *pairs["second"]]].notna().groupby(level="topic").any()
    shared = bool((on_topic.all(axis=1) | ~on_topic.any(axis=1)).all())
    kappas = pairs[columns].set_axis(["name", "value", "low", "high"], axis=1)
    return Picture(
        name="judge-kappa",
        draw=lambda: figures.agreement_dots(kappas, label=say("dots label", kappa=kappa, first=first)),
        title=say("dots title", first=first),
        caption=say(
            "dots",
            ordered=study.ranking is None or study.ranking.ordered,
            kappa=kappa,
            first=first,
            second=second,
            study=study,
            shared=shared,
        ),
        alt=say("dots alt", n=len(pairs)),
    )


def _alike_section(study: Labelling) -> tuple[Section, ...]:
    alike = study.agreement.nearly_the_same()
    if not len(alike):
        return ()
    table = Table(
        name="nearly-the-same",
        title=say("alike table title"),
        caption=say("alike table"),
        frame=alike,
        columns=(
            *left(first="First", second="Second"),
            *right(whole, items=labelled_heads()),
            *right(share, same="Same label"),
            *right(number(3), kappa="κ"),
        ),
    )
    return (Section(id="alike", title=say("alike title"), lead=say("alike lead"), blocks=(table,)),)


def _topics_section(study: Labelling) -> tuple[Section, ...]:
    if study.agreement.per_topic.empty:
        return ()
    frame, labels, alone = study.agreement.per_topic, _named(study), one_pair(study)
    picture = Picture(
        name="overlap-by-topic",
        draw=lambda: figures.topic_dots(frame, statistic="overlap", label=say("topics label")),
        title=say("topics title"),
        caption=say("topics", alone=alone),
        alt=say("topics alt", alone=alone),
    )
    table = Table(
        name="agreement-by-topic",
        title=say("topics table title"),
        caption=say("topics table", label=labels["overlap"], overlap=_meant(study)["overlap"]),
        frame=frame,
        columns=(
            *left(topic="Topic"),
            *(() if alone else left(first="First", second="Second")),
            *right(whole, items=labelled_heads()),
            *right(share, **{name: labels[name] for name in _OVERLAPS}),
        ),
        data=frame[["topic", "first", "second", "items", *_OVERLAPS]],
    )
    numbers = (Fold(title=say("topics fold"), blocks=(table,)),) if len(frame) <= _FEW_ROWS else ()
    section = Section(id="by-topic", title=say("topics title"), lead=say("topics lead"), blocks=(picture, *numbers))
    return (section,)
