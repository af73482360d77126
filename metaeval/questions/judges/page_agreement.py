# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of agreement: of every pair, beside yardsticks, by topic, and of judges that are one."""

from collections.abc import Callable, Iterable

import pandas as pd

from metaeval import figures
from metaeval.agreement.label_agreement import leading_kappa, meanings
from metaeval.base.names import count
from metaeval.base.unit import unit
from metaeval.base.words import (
    absent,
    bracketed,
    intervals,
    number,
    p_value,
    percentage,
    sentence_case,
    share,
    span,
    text,
    whole,
    written_interval,
)
from metaeval.page.blocks import Block, Fold, Item, Items, Picture, Section
from metaeval.page.tables import Table, bounded, left, right
from metaeval.questions.judges.study_labels import Labelling
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
_PARTS = {"elements": "Relevant elements, overlap", "passages": "Highlighted text, overlap"}
_ENOUGH = (0.667, 0.8)
"""Of Krippendorff's α: for tentative conclusions, and for firm ones (Krippendorff, 2004)."""
_FEW_ROWS = 400
"""Of a table that somebody may read."""
say = prose(__name__)


def agreement_sections(study: Labelling, *, brief: bool, opens: bool) -> tuple[Section, ...]:
    """Return the sections on agreement, on judges that may be one, and on topics."""
    return (_agreement_section(study, brief=brief, opens=opens), *_alike_section(study), *_topics_section(study))


def _alpha(study: Labelling) -> tuple[str, dict[str, object]]:
    """Return alpha for ordered grades, or for names, with its interval, as written and as numbers."""
    level = "ordinal" if study.labels.ordered else "nominal"
    of_level = study.agreement.alpha.set_index("level").loc[level, ["alpha", "low", "high"]]
    alpha, low, high = of_level.to_numpy(dtype=float).tolist()
    draws = study.agreement.n_resamples
    apart = 0.0 if sure_side(alpha, low, high, draws=draws) else None
    return bracketed(alpha, low, high, number(2), draws=draws, apart=apart), with_ends(alpha, low, high)


def alpha_words(study: Labelling) -> str:
    """Say whether all judges agree more than by chance, and enough for conclusions; of two also who labels higher."""
    written, numbers = _alpha(study)
    has_alpha, bounded, n = not absent(numbers["value"]), not absent(numbers["low"]), study.labels.table.shape[1]
    draws = study.agreement.n_resamples
    alpha, low, high = (numbers[end] for end in ("value", "low", "high"))
    side, tentative, firm = (sure_side(alpha, low, high, bar, draws=draws) for bar in (0.0, *_ENOUGH))
    fields = {"side": side, "tentative": tentative, "firm": firm > 0, "bars": _ENOUGH}
    agree = say("all agree", n=n, alpha=written, bounded=bounded, known=has_alpha, **fields)
    return " ".join(filter(None, [agree, _shift_words(study)]))


def _shift_words(study: Labelling) -> str:
    """Say which of two judges gives higher labels, where the interval of the difference leaves no doubt."""
    if not one_pair(study) or not study.labels.ordered or study.labels.words or study.scale is not None:
        return ""
    row, draws = study.agreement.pairs.iloc[0], study.agreement.n_resamples
    shift, low, high = (float(row[f"bias{end}"]) for end in ("", "_low", "_high"))
    if absent(low) or not (side := sure_side(shift, low, high, draws=draws)):
        return ""
    higher, lower = [row["second"], row["first"]][::side]
    nearest, furthest = sorted((abs(low), abs(high)))
    by = bracketed(abs(shift), nearest, furthest, number(2), draws=draws)
    return say("shift", higher=higher, lower=lower, by=by)


def agreement_figures(study: Labelling) -> list[KeyFigure]:
    """Return how far all judges agree, and the pairs of them from the least to the most."""
    pairs, draws = study.agreement.pairs, study.agreement.n_resamples
    taken_as = "ordered grades" if study.labels.ordered and not study.labels.words else "labels as words"
    told = [KeyFigure(f"Krippendorff's α, {taken_as}", *_alpha(study))]
    if one_pair(study):
        pair = pairs.iloc[0]
        kappa, low, high = pair[["kappa", "kappa_low", "kappa_high"]]
        written = bracketed(kappa, low, high, number(2), draws=draws)
        told.append(KeyFigure("Cohen's κ", written, with_ends(kappa, low, high)))
        shares = {}
        if not study.elements.empty:
            shares["elements"] = study.elements.set_index("topic").loc["mean", "both"]
        if not study.passages.empty:
            shares["passages"] = study.passages["of_union"].mean()
        told += [KeyFigure(_PARTS[name], share(value), {"value": value}) for name, value in shares.items()]
        same, low, high = pair[["same", "same_low", "same_high"]]
        written = bracketed(same, low, high, share, draws=draws)
        return [*told, KeyFigure(_LABELS["same"], written, with_ends(same, low, high))]
    names = [" and ".join(pair) for pair in pairs[["first", "second"]].to_numpy()]
    for name, write in (("kappa", number(2)), ("same", share)):
        written = span(names, pairs[name], map(write, pairs[name]), opening="")
        told.append(KeyFigure(_LABELS[name], written, {"least": pairs[name].min(), "most": pairs[name].max()}))
    return told


def one_pair(study: Labelling) -> bool:
    """Say whether two judges are compared, and no others."""
    return len(study.agreement.pairs) == 1


def _statistic_headings(study: Labelling) -> dict[str, str]:
    """Return the headings of the statistics, with the names of the judges where there are but two."""
    if not one_pair(study):
        return _LABELS
    pair = study.agreement.pairs[["first", "second"]].iloc[0]
    return _LABELS | {f"{side}_kept": f"Share of {judge}'s relevant" for side, judge in pair.items()}


def _heads(study: Labelling) -> str:
    return labelled_heads() if study.scale is None else "Documents"


def _interval_head(study: Labelling) -> str:
    return f"{percentage(study.agreement.confidence_level)} interval"


def _intervals_words(study: Labelling) -> str:
    """Say what intervals are over, and which labels mean relevant."""
    words = f"Intervals are {_interval_head(study)}s over {unit().topics}."
    if not study.labels.ordered:
        return words
    level = study.agreement.rel
    of_words = study.labels.called(level) if study.labels.words else f"a label of {level} or more"
    return f"{words} Relevant: {of_words if study.scale is None else 'anything in the document'}."


def _write(name: str) -> Callable[[object], str]:
    return share if name in _SHARES else number(2)


def _pairs_table(study: Labelling, statistics: Iterable[str], *, name: str, title: str) -> Table:
    """Return the statistics of every pair, with intervals."""
    pairs, available = study.agreement.pairs, study.agreement.statistics
    chosen = {name: (_LABELS[name], _write(name)) for name in statistics if name in available}
    frame, columns = bounded(pairs, chosen, draws=study.agreement.n_resamples)
    return say.table(
        "pairs",
        frame.sort_values("kappa", ascending=False, kind="stable"),
        (*left(first="First", second="Second"), *right(whole, items=_heads(study)), *columns),
        called=name,
        data=pairs,
        title=title,
        words=_intervals_words(study),
    )


def _meant(study: Labelling) -> dict[str, str]:
    return meanings(study.labels, f"{unit().labelled}s")


def _every_measure_blocks(study: Labelling) -> tuple[Block, ...]:
    """Return every statistic with what it means: a row each where there is one pair, else a row a pair."""
    name, labels = "judge-pairs", _statistic_headings(study)
    meant = _meant(study)
    if not one_pair(study):
        defined = tuple(Item(term=labels[statistic], words=words) for statistic, words in meant.items())
        table = _pairs_table(study, _LABELS, name=name, title="Agreement of every pair, by every measure")
        return (table, Items(items=defined))
    pair = study.agreement.pairs.iloc[0]
    rows, draws = [], study.agreement.n_resamples
    for statistic, words in meant.items():
        write, low, high = _write(statistic), *(pair.get(f"{statistic}_{end}") for end in ("low", "high"))
        cells = {"value": write(pair[statistic]), "interval": written_interval(low, high, write, draws=draws)}
        measure = {"measure": labels[statistic], "meaning": sentence_case(words), "value_sort": pair[statistic]}
        rows.append(measure | cells)
    table = say.table(
        "pairs",
        pd.DataFrame(rows),
        left(measure="Measure"),
        right(text, value="Value", interval=_interval_head(study)),
        left(meaning="What it is"),
        called=name,
        data=study.agreement.pairs,
        title=f"Agreement of {pair['first']} and {pair['second']}, by every measure",
        words=_intervals_words(study),
    )
    return (table,)


def _agreement_section(study: Labelling, *, brief: bool, opens: bool) -> Section:
    alphas, decimal = study.agreement.alpha, number(3)
    alpha = say.table(
        "alpha",
        alphas.assign(ends=intervals(alphas["low"], alphas["high"], decimal, draws=study.agreement.n_resamples)),
        left(level="Labels taken as"),
        right(decimal, alpha="α"),
        right(text, ends=_interval_head(study)),
        right(p_value, chance="Chance"),
        called="krippendorff-alpha",
        data=alphas[["level", "alpha", "low", "high", "chance"]],
    )
    square = study.agreement.reference is None and not one_pair(study)
    main = (
        _pairs_table(study, _MAIN, name="judge-agreement", title="Agreement of every pair")
        if study.baselines.empty
        else _yardsticks_table(study)
    )
    return say.section(
        "agreement",
        *(_kappa_picture(study) if square else kappa_dots_picture(study),) if opens else (),
        main,
        alpha,
        Fold(title="Every measure of agreement", blocks=_every_measure_blocks(study)),
        brief=brief,
    )


def _yardsticks_table(study: Labelling) -> Table:
    """Return the agreement of every judge with the reference beside what judges that know nothing, and people, get."""
    leading = leading_kappa(study.labels)
    baselines = study.baselines.set_index(["judge", "statistic"])
    judges = baselines.index.get_level_values("judge").unique()
    frame = pd.DataFrame({"judge": judges, "items": baselines.xs("same", level="statistic")["items"].to_numpy()})
    columns = [*left(judge="Judge"), *right(whole, items=_heads(study))]
    among_people = bool(baselines["people_pairs"].gt(0).any())
    for statistic in (key for key in (leading, "same", "overlap") if key in study.agreement.statistics):
        of_statistic = baselines.xs(statistic, level="statistic").reindex(judges)
        names = ["value", *["constant"] * (statistic == "same"), "shuffled", *["people"] * among_people]
        for name in names:
            frame[f"{statistic}_{name}"] = of_statistic[name].to_numpy()
        heads = {f"{statistic}_{name}": "judge" if name == "value" else name for name in names}
        columns += right(_write(statistic), _LABELS[statistic], **heads)
    pairs = study.agreement.pairs.set_index("second")
    shares = {name: _LABELS[name] for name in ("sensitivity", "specificity") if name in pairs}
    frame = frame.assign(**{name: pairs[name].reindex(judges).to_numpy() for name in shares})
    columns += right(share, f"Relevant at {study.labels.called(study.agreement.rel)}", **shares) if shares else []
    return say.table(
        "yardsticks",
        frame.sort_values(f"{leading}_value", ascending=False, kind="stable"),
        columns,
        called="judge-agreement",
        data=study.baselines,
        reference=study.agreement.reference,
        study=study,
    )


def _kappa_picture(study: Labelling) -> Picture:
    matrix = study.agreement.matrix("kappa")
    cells = f"{len(matrix)} by {len(matrix)} cells shaded by Cohen's kappa."
    return say.picture(
        "map", lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"), called="judge-kappa", alt=cells
    )


def kappa_dots_picture(study: Labelling) -> Picture:
    """Draw κ of every judge with the reference."""
    pairs, leading = study.agreement.pairs, leading_kappa(study.labels)
    first, kappa = pairs["first"].iloc[0], f"Cohen's {_LABELS[leading].removeprefix("Cohen's ")}"
    columns = ["second", leading, f"{leading}_low", f"{leading}_high"]
    kappas = pairs[columns].set_axis(["name", "value", "low", "high"], axis=1)
    return say.picture(
        "dots",
        lambda: figures.agreement_dots(kappas, label=f"{kappa}, with {first}"),
        called="judge-kappa",
        alt=f"{count(len(pairs), 'dot')} with intervals, sorted by kappa.",
        first=first,
        kappa=kappa,
        level=percentage(study.agreement.confidence_level),
    )


def _alike_section(study: Labelling) -> tuple[Section, ...]:
    alike = study.agreement.nearly_the_same()
    if not len(alike):
        return ()
    table = say.table(
        "alike table",
        alike,
        left(first="First", second="Second"),
        right(whole, items=labelled_heads()),
        right(share, same="Same label"),
        right(number(3), kappa="κ"),
        called="nearly-the-same",
    )
    return (say.section("alike", table, brief=False, head="Nearly identical judges"),)


def _topics_section(study: Labelling) -> tuple[Section, ...]:
    if study.agreement.per_topic.empty:
        return ()
    frame, labels, alone = study.agreement.per_topic, _statistic_headings(study), one_pair(study)
    picture = say.picture(
        "topics",
        lambda: figures.topic_dots(frame, statistic="overlap", label=say("topics label")),
        called="overlap-by-topic",
        alt="One row a topic with a dot at its overlap.",
    )
    table = say.table(
        "topics table",
        frame,
        left(topic="Topic"),
        () if alone else left(first="First", second="Second"),
        right(whole, items=labelled_heads()),
        right(share, **{name: labels[name] for name in _OVERLAPS}),
        called="agreement-by-topic",
        data=frame[["topic", "first", "second", "items", *_OVERLAPS]],
        label=labels["overlap"],
        overlap=_meant(study)["overlap"],
    )
    numbers = (Fold(title="The numbers", blocks=(table,)),) if len(frame) <= _FEW_ROWS else ()
    return (say.section("topics", picture, *numbers, brief=False, id="by-topic", head="Agreement by topic"),)
