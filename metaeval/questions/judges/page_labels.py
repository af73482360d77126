# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of labels: who labels best, of every pair, beside yardsticks, by topic, and who errs.

Who labels best has the highest leading kappa with the reference; the others are behind, or cannot be told from it, by
`metaeval.agreement.rank_judges`.
"""

from collections.abc import Iterable
from functools import partial

import pandas as pd

from metaeval import figures
from metaeval.agreement.item_favour import ItemFavour
from metaeval.agreement.judge_ranking import JudgeRanking
from metaeval.agreement.krippendorff import ENOUGH
from metaeval.agreement.label_agreement import leading_kappa, meanings
from metaeval.agreement.score_correction import CorrectedScores
from metaeval.base.names import count, first_few
from metaeval.base.notes import UnseenErrors
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    absent,
    bracketed,
    bracketed_size,
    ends,
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
from metaeval.inex.assessor_agreement import means_of_pairs
from metaeval.models.dawid_skene import LatentClasses
from metaeval.page.blocks import Block, Fold, Item, Items, Picture, Section, Text
from metaeval.page.tables import Column, Table, Write, bounded, ends_named, left, ranged, right, under, with_cells
from metaeval.questions.judges.study_labels import Labelling
from metaeval.reports.alt_test import alt_section
from metaeval.reports.assessed_parts import element_agreement_table, passage_agreement_table
from metaeval.reports.key_figures import KeyFigure, bounded_figure, ends_in, key_figures, sure_side, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads
from metaeval.tests_stat.result import is_significant

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
_DECIMAL = number(2)
_DECIMALS = frozenset({"kappa", "linear_kappa", "quadratic_kappa", "bias"})
"""Which of them are no shares."""
_PARTS = {"elements": "Relevant elements, overlap", "passages": "Highlighted text, overlap"}
_FEW_ROWS = 400
"""Of a table that somebody may read."""
_NAMED = 3
_NEARLY_ALL, _HALF, _TWO = 0.95, 0.5, 2
MEASURES = {"kappa": "Cohen's κ", "quadratic_kappa": "κ with quadratic weights"}
"""The leading kappa, as pages call it."""
_MOST_DOUBTFUL = 8
say = prose(__name__)


def best_words(study: Labelling, ranking: JudgeRanking) -> str:
    """Say in one sentence which judge agrees most with the reference."""
    table = ranking.table
    level = table[table["judge"].isin(ranking.open_to_best())]  # two that read alike may differ significantly
    best = ends(level["judge"], level[ranking.measure], map(_DECIMAL, level[ranking.measure]))[1]
    first = ends_in(_kappas(study, ranking).to_dict("index")[table["judge"].iloc[0]], "value")
    draws = study.agreement.n_resamples
    words = say(
        "one" if len(table) == 1 else "best" if ranking.ordered else "none best",
        best=best,
        first=table["judge"].iloc[0],
        figure=bracketed(*first, _DECIMAL, draws=draws) if len(best.names) == 1 else best.figure,
        level=len(level) - len(best.names),
        apart=table.loc[table["shared"] == 0, "judge"].tolist(),
        n_topics=ranking.n_compared,
        measure=MEASURES[ranking.measure],
        reference=ranking.reference,
        leaning=_leaning(table.iloc[0]) if len(level) == 1 else "",
        unsure=not absent(first[1]) and sure_side(*first, draws=draws) == 0,
    )
    return " ".join(filter(None, (_few_shared(study), words)))


def _few_shared(study: Labelling) -> str:
    """Say how few items two judges labelled, where each labelled far more; empty elsewhere."""
    told, reference = study.labels.table.notna(), study.agreement.reference
    if reference is None:
        shared, least = int((told.sum(axis=1) > 1).sum()), told.sum().nlargest(2).min()
    else:
        others = told.drop(columns=reference)
        shared = int((told[reference] & others.any(axis=1)).sum())
        least = min(told[reference].sum(), others.sum().max())
    if shared >= _HALF * least:
        return ""
    n, two = int(told.any(axis=1).sum()), told.shape[1] == _TWO
    return say("few shared", shared=shared, n=n, two=two, reference=reference)


def _kappas(study: Labelling, ranking: JudgeRanking) -> pd.DataFrame:
    """Return the leading kappa of every judge with the ends of its interval."""
    columns = {f"{ranking.measure}{end}": f"value{end}" for end in ("", "_low", "_high")}
    return study.agreement.pairs.set_index("second")[[*columns]].rename(columns=columns).astype(float)


def _leaning(row: pd.Series) -> str:
    """Say that a judge gives higher labels than the reference, or lower ones, where the interval says so."""
    if not (row["bias_low"] > 0 or row["bias_high"] < 0):
        return ""
    return say("leaning", up=row["bias"] > 0, by=bracketed_size(*ends_in(row, "bias"), _DECIMAL))


def ranking_figures(study: Labelling, ranking: JudgeRanking) -> Table:
    """Return the leading kappa of the best judges, and how far each is behind the best."""
    table, draws = ranking.table, study.agreement.n_resamples
    frame = table[["judge", "same", "shared", "difference", "difference_low", "difference_high"]]
    pairs = study.agreement.pairs.set_index("second")
    columns = [f"{ranking.measure}{end}" for end in ("", "_low", "_high")]
    frame = frame.merge(pairs[[*columns, "same_low", "same_high"]], left_on="judge", right_index=True)
    rows = frame.to_dict("records")
    frame = with_cells(
        frame,
        written=[bracketed(*ends_in(row, ranking.measure), _DECIMAL, draws=draws) for row in rows],
        same_written=[bracketed(*ends_in(row, "same"), share, draws=draws) for row in rows],
    )
    head = f"{sentence_case(MEASURES[ranking.measure])} [{percentage(study.agreement.confidence_level)} interval]"
    cells = [*left(judge="Judge"), *right(written=head)]
    if ranking.ordered:
        frame = with_cells(frame, behind=[MISSING, *(_behind(row, ranking) for _, row in table.iloc[1:].iterrows())])
        cells += right(behind=f"Behind {table['judge'].iloc[0]}")
    return key_figures(frame, (*cells, *right(same_written="Same label")), which="best")


def _behind_words(found: JudgeRanking) -> tuple[Text, ...]:
    """Say how many judges are behind the best, and who is not compared."""
    apart = [*(found.table.loc[found.table["shared"] == 0, "judge"] if found.ordered else ()), *found.undefined]
    fields = {"best": found.table["judge"].iloc[0], "n": int(found.table["behind"].sum()), "of": len(found.table) - 1}
    words = [say("behind", n_topics=found.n_compared, **fields)] if found.ordered and fields["of"] else []
    words += [f"Not compared: {first_few(apart, most=_NAMED)}."] if apart else []
    return (Text(paragraphs=(" ".join(words),)),) if words else ()


def _behind(row: pd.Series, found: JudgeRanking) -> str:
    if not row["shared"]:
        return _none_in_common()
    value, low, high = (-row[f"difference{end}"] for end in ("", "_high", "_low"))
    return bracketed(value, low, high, _DECIMAL, draws=found.n_resamples)


def _none_in_common() -> str:
    return f"no common {unit().topics}"


def judge_ranking_section(study: Labelling, *, brief: bool) -> tuple[Section, ...]:
    """Put the figures side by side, best judge first."""
    ranking = study.ranking
    if ranking is None:
        return ()
    frame, plain = ranking.table, ranking.measure == "kappa"
    all_labelled = frame["items"].min() >= _NEARLY_ALL * frame["items"].max()
    measures: dict[str, tuple[str, Write]] = {"value": (MEASURES[ranking.measure], _DECIMAL)}
    measures |= {"difference": ("Less the best", _DECIMAL)} if ranking.ordered else {}
    frame, figures = bounded(frame.join(_kappas(study, ranking), on="judge"), measures, draws=ranking.n_resamples)
    if ranking.ordered:
        frame["difference_interval"] = frame["difference_interval"].where(frame["shared"] > 0, _none_in_common())
    if study.alt is not None:
        beside = ranking.beside_alt(study.alt)
        frame = frame.assign(**{name: beside[name] for name in ("winning_rate", "advantage_probability", "alt_rank")})
    alt = (
        *right(_DECIMAL, winning_rate="Alt-test, ω"),
        *_places(ranking, "alt_rank"),
        *right(share, advantage_probability="As near"),
    )
    table = say.table(
        "judge-ranking",
        frame,
        left(judge="Judge"),
        () if all_labelled else right(whole, items=labelled_heads()),
        figures,
        right(_DECIMAL, alpha="α"),
        _places(ranking, "alpha_rank"),
        () if plain else (*right(_DECIMAL, kappa="κ, plain"), *_places(ranking, "kappa_rank")),
        () if study.alt is None else alt,
        right(share, same="Same label", **{} if plain else {"near": "Or a grade off"}),
        ranged(_DECIMAL, bias="Mean label") if study.labels.ordered else (),
        data=ranking.table,
        ranking=ranking,
        scale="nominal" if plain else "interval",
    )
    blocks: tuple[Block, ...] = (kappa_dots_picture(study), table, *_behind_words(ranking))
    return (say.section("ranking", *blocks, brief=brief, ranking=ranking),)


def _places(found: JudgeRanking, name: str) -> tuple[Column, ...]:
    if not found.ordered:
        return ()
    return under(lambda value: MISSING if absent(value) else f"place {whole(value)}", **{name: "place"})


def agreement_sections(study: Labelling, *, brief: bool, opens: bool) -> tuple[Section, ...]:
    """Return the sections on agreement, on judges that may be one, and on topics."""
    return (_agreement_section(study, brief=brief, opens=opens), *_alike_section(study), *_topics_section(study))


def _alpha(study: Labelling) -> tuple[float, float, float]:
    """Return alpha for ordered grades, or for names, with its interval."""
    level = "ordinal" if study.labels.ordered else "nominal"
    of_level = study.agreement.alpha.set_index("level").to_dict("index")[level]
    alpha, low, high = (float(of_level[name]) for name in ("alpha", "low", "high"))
    return alpha, low, high


def _alpha_written(study: Labelling) -> str:
    ends, draws = _alpha(study), study.agreement.n_resamples
    return bracketed(*ends, _DECIMAL, draws=draws, apart=0.0 if sure_side(*ends, draws=draws) else None)


def alpha_words(study: Labelling) -> str:
    """Say whether all judges agree more than by chance, and enough for conclusions; of two also who labels higher."""
    alpha, low, high = _alpha(study)
    draws = study.agreement.n_resamples
    side, tentative, firm = (sure_side(alpha, low, high, bar, draws=draws) for bar in (0.0, *ENOUGH))
    agree = say(
        "all agree",
        n=study.labels.table.shape[1],
        alpha=_alpha_written(study),
        bounded=not absent(low),
        known=not absent(alpha),
        side=side,
        tentative=tentative,
        firm=firm > 0,
        bars=ENOUGH,
    )
    return " ".join(filter(None, [_few_shared(study), agree, _shift_words(study)]))


def _shift_words(study: Labelling) -> str:
    """Say which of two judges gives higher labels, where the interval of the difference leaves no doubt."""
    if not one_pair(study) or not study.labels.ordered or study.labels.words or study.scale is not None:
        return ""
    row, draws = study.agreement.pairs.iloc[0], study.agreement.n_resamples
    shift, low, high = ends_in(row, "bias")
    if absent(low) or not (side := sure_side(shift, low, high, draws=draws)):
        return ""
    higher, lower = [row["second"], row["first"]][::side]
    return say("shift", higher=higher, lower=lower, by=bracketed_size(shift, low, high, _DECIMAL, draws=draws))


def agreement_figures(study: Labelling) -> list[KeyFigure]:
    """Return how far all judges agree, and the pairs of them from the least to the most."""
    pairs = study.agreement.pairs
    taken_as = "ordered grades" if study.labels.ordered and not study.labels.words else "labels as words"
    told = [KeyFigure(f"Krippendorff's α, {taken_as}", _alpha_written(study), with_ends(*_alpha(study)))]
    if not one_pair(study):
        names = [" and ".join(pair) for pair in pairs[["first", "second"]].to_numpy()]
        for name in ("kappa", "same"):
            written = span(names, pairs[name], map(_write(name), pairs[name]), opening="")
            told.append(KeyFigure(_LABELS[name], written, {"least": pairs[name].min(), "most": pairs[name].max()}))
        return told
    shares = {}
    if not study.elements.empty:
        shares["elements"] = study.elements.set_index("topic").loc["mean", "both"]
    if not study.passages.empty:
        shares["passages"] = study.passages["of_union"].mean()
    of_parts = [KeyFigure(_PARTS[name], share(value), {"value": value}) for name, value in shares.items()]
    return [*told, _pair_figure(study, "kappa"), *of_parts, _pair_figure(study, "same")]


def _pair_figure(study: Labelling, name: str) -> KeyFigure:
    ends = ends_in(study.agreement.pairs.iloc[0], name)
    return bounded_figure(_LABELS[name], ends, _write(name), draws=study.agreement.n_resamples)


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


def _write(name: str) -> Write:
    return _DECIMAL if name in _DECIMALS else share


def _pairs_table(study: Labelling, statistics: Iterable[str], *, name: str, title: str) -> Table:
    """Return the statistics of every pair, with intervals."""
    pairs, draws = study.agreement.pairs, study.agreement.n_resamples
    computed = [statistic for statistic in statistics if statistic in study.agreement.statistics]
    return say.table(
        "pairs",
        pairs.sort_values("kappa", ascending=False, kind="stable"),
        left(first="First", second="Second"),
        right(whole, items=_heads(study)),
        *(ranged(_write(statistic), draws, **{statistic: _LABELS[statistic]}) for statistic in computed),
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
        "krippendorff-alpha",
        alphas.assign(ends=intervals(alphas["low"], alphas["high"], decimal, draws=study.agreement.n_resamples)),
        left(level="Labels taken as"),
        right(decimal, alpha="α"),
        right(text, ends=_interval_head(study)),
        right(p_value, chance="Chance"),
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
        "judge-agreement",
        frame.sort_values(f"{leading}_value", ascending=False, kind="stable"),
        columns,
        data=study.baselines,
        study=study,
    )


def _kappa_picture(study: Labelling) -> Picture:
    matrix = study.agreement.matrix("kappa")
    return say.picture(
        "map",
        lambda: figures.agreement_heat_map(matrix, label="Cohen's κ"),
        called="judge-kappa",
        alt=f"{len(matrix)} by {len(matrix)} cells shaded by Cohen's kappa.",
    )


def kappa_dots_picture(study: Labelling) -> Picture:
    """Draw κ of every judge with the reference."""
    pairs, leading = study.agreement.pairs, leading_kappa(study.labels)
    first, kappa = pairs["first"].iloc[0], f"Cohen's {_LABELS[leading].removeprefix("Cohen's ")}"
    columns = ["second", leading, f"{leading}_low", f"{leading}_high"]
    kappas = pairs[columns].set_axis(["name", "value", "low", "high"], axis=1)
    return say.picture(
        "judge-kappa",
        lambda: figures.agreement_dots(kappas, label=f"{kappa}, with {first}"),
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
        "nearly-the-same",
        alike,
        left(first="First", second="Second"),
        right(whole, items=labelled_heads()),
        right(share, same="Same label"),
        right(number(3), kappa="κ"),
    )
    return (say.section("alike", table, brief=False, head="Nearly identical judges"),)


def _topics_section(study: Labelling) -> tuple[Section, ...]:
    if study.agreement.per_topic.empty:
        return ()
    frame, labels, alone = study.agreement.per_topic, _statistic_headings(study), one_pair(study)
    picture = say.picture(
        "overlap-by-topic",
        lambda: figures.topic_dots(frame, statistic="overlap", label=say("topics label")),
        alt="One row a topic with a dot at its overlap.",
    )
    table = say.table(
        "agreement-by-topic",
        frame,
        left(topic="Topic"),
        () if alone else left(first="First", second="Second"),
        right(whole, items=labelled_heads()),
        right(share, **{name: labels[name] for name in _OVERLAPS}),
        data=frame[["topic", "first", "second", "items", *_OVERLAPS]],
        label=labels["overlap"],
        overlap=_meant(study)["overlap"],
    )
    numbers = (Fold(title="The numbers", blocks=(table,)),) if len(frame) <= _FEW_ROWS else ()
    return (say.section("topics", picture, *numbers, brief=False, id="by-topic", head="Agreement by topic"),)


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
        *(() if study.favour is None else (_favour_section(study.favour),)),
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
    head = "Agreement on elements and text"
    return (say.section("parts", *tables, brief=False, head=head),) if tables else ()


def _favour_section(found: ItemFavour) -> Section:
    """Say what more of a covariate of items adds to each judge's labels."""
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
    return say.section("favour", Text(paragraphs=tuple(favour_words(found))), table, found=found)


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


def corrected_section(found: CorrectedScores | None, *, brief: bool = True) -> tuple[Section, ...]:
    """Put what a judge alone would score beside what people would say, in two ways."""
    if found is None:
        return ()
    table = found.table
    block = say.table(
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
    blocks: tuple[Block, ...] = (block, *_difference_folds(found))
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
