"""The sections on incomplete judgments, shallower pools and fewer topics: what is left, and what it changes."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.digits import error_of_share, places
from metaeval.base.words import (
    MISSING,
    End,
    WrittenFigure,
    absent,
    carried,
    ends,
    errors_said,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    span,
    text,
    whole,
    with_errors_of,
)
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Column, Table, frame_of, left, right
from metaeval.questions.judgments.page_power import ShownReduction, by_metric_blocks, compared_with, drawn_words
from metaeval.questions.judgments.study import QUESTION_OF, JudgmentsStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.coverage import RunDepths
from metaeval.resampling.pools import PoolGrowth
from metaeval.resampling.stability_result import MOST_DRAWS, Stability

_QUESTIONS = ("less-judging", "shallower-pools", "fewer-topics")
_OF_DRAWS = {"kept": "share", "left_kept": "size"}
"""What is said of draws, and how it is written."""
_FOUR = ("tau", "tau_ap", "score", "power")
_HALF = 0.5
"""A smaller error reaches no percent."""
_MATTERS = 0.1
"""Of the top documents of a run; from this share of unjudged ones on its place is as unsure as the ranking is."""
_FEW_STEPS, _FEW_METRICS = 40, 5
"""With no more steps and metrics, their numbers stand open and in a terminal; of more, the thresholds do."""
_BEST = (
    *("metric", "step", "left", "tau_best", "tau_best_se", "tau_ap_best"),
    *("rho_best", "rbo_best", "rho", "rbo", "rbo_se", "tau_p_value"),
)
_TAKEN = {
    "stratified": "judged documents",
    "random": "judged documents",
    "relevant": "relevant documents",
    "order": "judged documents",
    "topics": "topics",
    "depth": "depth of the rebuilt pool",
    "share": "documents of the rebuilt pool",
    "ranks": "pooled runs",
}
"""What each reduction takes a share of."""
_TAKEN_HOW = {
    "stratified": ", relevant and others alike,",
    "random": ", drawn at random,",
    "relevant": ", drawn at random,",
    "order": ", in the order of their identifiers,",
}
"""How, where that is not plain."""
say = prose(__name__)


def reduction_sections(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return how much is required, and a section for every question about judging less."""
    sections = [_thresholds_section(study)] if study.stability else []
    for question, names in _by_question(study).items():
        extra = pool_blocks(study) if question == "shallower-pools" else ()
        blocks = [block for name in names for block in _stability_blocks(study, study.stability[name])]
        alone = len(study.stability) <= 1
        if blocks or extra:
            title, section_blocks = say(f"{question} title"), (*closeness_blocks(study, names), *blocks, *extra)
            sections.append(Section(id=question, title=title, lead=say(question), brief=alone, blocks=section_blocks))
    return tuple(sections)


def threshold_ends(study: JudgmentsStudy) -> Iterator[tuple[Stability, End, End, str]]:
    """Yield for the first reduction of every question how little keeps the ranking, and the kind of the most."""
    for names in _by_question(study).values():
        name = next((reduction for reduction in names if study.stability[reduction].reduction.unit == "%"), None)
        if name is None:
            continue
        table = study.stability[name].thresholds(min_tau=study.min_tau)
        table = table[table["kind"] != "undefined"]
        if table.empty:
            continue
        order = {"below smallest": 0, "observed": 1, "interpolated": 1, "above largest": 2}
        table = table.assign(order=table["kind"].map(order)).sort_values(["order", "level"], kind="stable")
        levels = [_level_words(row) for _, row in table.iterrows()]
        low, high = ends(map(name_of_metric, table["metric"]), range(len(table)), levels)
        yield study.stability[name], low, high, str(table["kind"].iloc[-1])


def threshold_sentences(study: JudgmentsStudy) -> tuple[str, ...]:
    """Say how much judging keeps the ranking under every metric; then what to know before one judges less."""
    answer, best = _kept_sentences(study)
    unjudged, lacking = study.unjudged, ""
    if unjudged is not None and unjudged.shares[1] >= _MATTERS:
        lacking = say("unjudged", unjudged=unjudged)
    return tuple(filter(None, (answer, " ".join(filter(None, (lacking, best)))))) if answer else ()


def _kept_sentences(study: JudgmentsStudy) -> tuple[str, str]:
    """Say how much judging keeps the ranking, or what the least tried leaves of it; and where not among the best."""
    if "ranks" in study.stability:
        return _asked_sentences(study, study.stability["ranks"])
    for stability, low, high, kind in threshold_ends(study):
        if len(stability.steps) == 1:
            return _asked_sentences(study, stability)
        alike = low.figure == high.figure
        figures = high.figure if alike else f"{low.figure} ({low.who}) to {high.figure} ({high.who})"
        under = f" under {'every metric' if len(study.metrics) > 1 else high.who}" if alike else ""
        fields = {"verb": "is" if stability.reduction.name == "depth" else "are", "min_tau": study.min_tau}
        fields |= {"what": taken(stability), "drawn": ", one random draw" * stability.single_draw}
        fields |= {"draws": _draws_words(study, stability)}
        answer = say("first", figures=figures, under=under, above=kind == "above largest", **fields)
        return answer, _among_best(study, stability, _at_threshold(study, stability))
    return next((_meaning_sentence(reduced) for reduced in study.stability.values()), ""), ""


def _draws_words(study: JudgmentsStudy, stability: Stability) -> str:
    """Say from where on nearly all draws keep the ranking; nothing where the mean has no threshold."""
    rows = _drawn_thresholds(study, stability)
    if rows.empty:
        return ""
    size = rows.sort_values(["beyond", "left_kept"]).iloc[-1]["size"]
    sure = rows["kept"].min() >= MOST_DRAWS
    return say("draws", n=stability.n_replicates, most=_most_draws(stability), sure=sure, size=size)


def _drawn_thresholds(study: JudgmentsStudy, stability: Stability) -> pd.DataFrame:
    """Return the thresholds of draws with ``share`` and ``size`` as written; none where the mean has no threshold."""
    rows, n_draws = stability.thresholds(min_tau=study.min_tau), stability.n_replicates
    if "kept" not in rows or rows["kept"].isna().any() or "above largest" in set(rows["kind"]):
        return rows.iloc[:0]
    levels = rows.assign(kind=rows["kind_kept"], left=rows["left_kept"], left_error=np.nan)
    return rows.assign(
        beyond=rows["kind_kept"] == "above largest",
        size=[_level_words(row) for _, row in levels.iterrows()],
        share=[carried(share, error_of_share(share, n_draws)) for share in rows["kept"]],
    )


def _draws_figures(study: JudgmentsStudy, stability: Stability) -> list[KeyFigure]:
    """Return how many draws keep the ranking with the least of their mean, and with how little nearly all do."""
    rows = _drawn_thresholds(study, stability)
    if rows.empty:
        return []
    names = rows["metric"].map(name_of_metric)
    parts = [span(names, rows[of], rows[as_written], opening="") for of, as_written in _OF_DRAWS.items()]
    label = f"Draws, of {stability.n_replicates}, that keep it there; {taken(stability, how=True)}"
    label += f" with which {_most_draws(stability)} do"
    return [KeyFigure(label, "; ".join(parts), dict(rows.set_index("metric")["left_kept"]))]


def _most_draws(stability: Stability) -> str:
    """Write 95 % of the draws, which of fewer than 20 are all."""
    n_draws = stability.n_replicates
    return "all" if math.ceil(MOST_DRAWS * n_draws) == n_draws else percentage(MOST_DRAWS)


def _asked_sentences(study: JudgmentsStudy, stability: Stability) -> tuple[str, str]:
    """Say whether the ranking is kept with the one part of the judgments asked about; and where not among the best."""
    left_words, least, written = _smallest_step(stability)
    keeps = least["tau"].ge(study.min_tau)
    kept = stability.kept(min_tau=study.min_tau)[:, 0]
    is_unsure = keeps.all() and kept.min() < MOST_DRAWS
    word = "On average" if is_unsure else "Yes" if keeps.all() else "Partly" if keeps.any() else "No"
    figures = span(least["metric"], least["tau"], written, opening="")
    words = {"part": left_words, "what": taken(stability), "rebuilt": stability.closeness is not None}
    counts = [whole(share * stability.n_replicates) for share in kept]
    told = span(map(name_of_metric, stability.metrics), kept, counts, opening="") if len(kept) > 1 else counts[0]
    words |= {"n": stability.n_replicates, "reach": "" if np.isnan(kept).any() else told}
    answer = say("asked", word=word, figures=figures, min_tau=study.min_tau, **words)
    return answer, _among_best(study, stability, least)


def _at_threshold(study: JudgmentsStudy, stability: Stability) -> pd.DataFrame:
    """Return the rows of the first step from which on the ranking is kept under every metric."""
    level = stability.thresholds(min_tau=study.min_tau)["left"].max()
    frame = errors_beside(stability)
    frame = frame[frame["left"] >= level]
    return frame[frame["left"] == frame["left"].min()]


def _among_best(study: JudgmentsStudy, stability: Stability, rows: pd.DataFrame) -> str:
    """Say where a ranking that is kept is not kept among the best runs, which are those that one chooses from."""
    lost = rows[(rows["tau"] >= study.min_tau) & (rows["tau_best"] < study.min_tau)]
    if lost.empty:
        return ""
    row = lost.nsmallest(1, "tau_best").to_dict("records")[0]
    under = f" under {name_of_metric(row['metric'])}" if len(rows) > 1 else ""
    return say("among best", tau=with_error(row, "tau_best", 2), top=stability.top, under=under)


def threshold_figures(study: JudgmentsStudy) -> list[KeyFigure]:
    """Return how much every question needs, with the metrics that need least and most."""
    told = []
    for stability, low, high, _ in threshold_ends(study):
        thresholds = stability.thresholds(min_tau=study.min_tau)
        numbers = thresholds.set_index("metric")["left"].dropna().sort_values()
        levels = [_level_words(row) for _, row in thresholds.iterrows()]
        value = with_errors_of(levels, " to ".join(f"{end.figure} ({end.who})" for end in dict.fromkeys((low, high))))
        label = f"{sentence_case(taken(stability, how=True))} that are enough to keep the ranking"
        told.append(KeyFigure(label, value, dict(numbers)))
        told += _draws_figures(study, stability) if len(study.stability) == 1 else []  # of many there is no room
    if not told and study.stability:
        left_words, least, written = _smallest_step(next(iter(study.stability.values())))
        words = span(least["metric"], least["tau"], written, opening="") if left_words else ""
        value = with_errors_of(written, words)
        told.append(KeyFigure(f"τ at {left_words}", value, dict(zip(least["metric"], least["tau"], strict=True))))
    return told


def taken(stability: Stability, *, how: bool = False) -> str:
    """Return what a reduction takes a share of, and how where asked."""
    return _TAKEN[stability.reduction.name] + (_TAKEN_HOW.get(stability.reduction.name, "") if how else "")


def _level_words(row: pd.Series) -> str:
    if row["kind"] == "above largest":
        return f"more than {percent(row['left'])}"
    if row["kind"] == "below smallest":
        return f"{percent(row['left'])} or less"
    error = row["left_error"]
    written = f"{row['left']:.0f} %"
    return (
        written if absent(error) or error < _HALF else WrittenFigure(written, written, f"{math.ceil(error)}", " points")
    )


def errors_beside(stability: Stability) -> pd.DataFrame:
    """Return a stability's means with their Monte-Carlo standard errors beside them, in ``_error``."""
    return stability.to_frame().merge(stability.errors(), on=["metric", "step"], how="left")


def _by_question(study: JudgmentsStudy) -> dict[str, list[str]]:
    """Return the reductions of each question; those that were named by hand stand with the question they belong to."""
    by_question = {asked: [name for name in study.stability if QUESTION_OF[name] == asked] for asked in _QUESTIONS}
    return {question: names for question, names in by_question.items() if names or question in study.questions}


def _thresholds_section(study: JudgmentsStudy) -> Section:
    frame = study.table("thresholds")
    wide = frame.pivot_table(index="reduction", columns="metric", values="text", aggfunc="first", sort=False)
    wide = wide.reindex(index=list(study.stability), columns=list(study.metrics)).reset_index()
    reductions = [way.reduction for way in study.stability.values()]
    wide["title"] = [way.title for way in reductions]
    wide["unit"] = [way.counted_in for way in reductions]
    table = say.table(
        "thresholds table",
        wide,
        left(title="Reduction", unit="Counted in"),
        right(**{metric: name_of_metric(metric) for metric in study.metrics}),
        called="thresholds",
        data=frame,
        min_tau=study.min_tau,
        errors=threshold_errors(frame),
    )
    picture = _stability_picture(study, next(iter(study.stability.values())))
    return say.section("thresholds", picture, table, min_tau=study.min_tau)


def threshold_errors(frame: pd.DataFrame) -> str:
    """Say the Monte-Carlo errors of efforts: of the percentages, and of the numbers in brackets."""
    counted = [*frame["relevant_error"], *frame["topics_error"]]
    return errors_said(("a share", frame["left_error"] / 100.0, " points"), ("a number", counted, ""))


def _stability_picture(study: JudgmentsStudy, stability: Stability) -> Picture:
    frame = errors_beside(stability)
    return say.picture(
        "picture",
        lambda: figures.stability_panels(frame, measures=_FOUR, min_tau=study.min_tau),
        called=f"stability {stability.reduction.name}",
        alt=_stability_alt(stability, frame),
        stability=stability,
        explained=_is_first(study, stability),
        drawn=drawn_words(stability.n_replicates, random=stability.reduction.random),
        full=compared_with(stability),
        min_tau=study.min_tau,
        power=frame["power"].notna().any(),
        meaning=_meaning_sentence(stability),
    )


def _stability_blocks(study: JudgmentsStudy, stability: Stability) -> tuple[Block, ...]:
    frame, is_first = errors_beside(stability), _is_first(study, stability)
    alike = [other for other in study.stability.values() if compared_with(other) == compared_with(stability)]
    drawn = [other for other in study.stability.values() if other.reduction.random]
    shown = ShownReduction(
        stability, frame, explained=is_first, says_draws=stability in drawn[:1], has_full=stability is alike[0]
    )
    picture = () if is_first else (_stability_picture(study, stability),)  # that of the first opens the page
    n_steps = sum(len(reduced.steps) for reduced in study.stability.values())
    few = n_steps <= _FEW_STEPS and len(study.metrics) <= _FEW_METRICS
    folded: list[Block] = [_correlation_table(shown), _best_table(shown)]
    if frame["found"].notna().any():
        folded.append(_consistency_table(shown))
    unfolded, folded = (folded[:1], folded[1:]) if few else ([], folded)
    by_metric, by_metric_between = by_metric_blocks(shown)
    if len(study.stability) == 1:
        unfolded, folded = [*unfolded, *by_metric], [*by_metric_between, *folded]
    else:
        folded += by_metric
    return *picture, *unfolded, Fold(title="The numbers", blocks=tuple(folded))


def _is_first(study: JudgmentsStudy, stability: Stability) -> bool:
    return stability is next(iter(study.stability.values()))


def _lower_title(stability: Stability) -> str:
    title = stability.reduction.title
    return f"{title[:1].lower()}{title[1:]}"


def _smallest_step(stability: Stability) -> tuple[str, pd.DataFrame, list[str]]:
    """Return the smallest step in words, its rows, lowest τ first, and each τ as written; nothing if all runs tie."""
    frame = errors_beside(stability)
    least = frame[frame["left"] == frame["left"].min()].dropna(subset=["tau"]).sort_values("tau", kind="stable")
    if least.empty:
        return "", least, []
    left = least["left"].iloc[0]
    words = {"%": percent(left), "ranks": f"the top {left:g} documents"}
    left_words = words.get(stability.reduction.unit, f"{left:g} documents a topic")
    least = least.assign(metric=least["metric"].map(name_of_metric))
    return left_words, least, [with_error(row, "tau", 2) for _, row in least.iterrows()]


def _meaning_sentence(stability: Stability) -> str:
    """Say in a sentence which metric holds best at the smallest step and which worst."""
    left_words, least, written = _smallest_step(stability)
    if not left_words:
        return "All runs tie, so there is no ranking to compare."
    low, high = ends(least["metric"], least["tau"], written)
    return say("meaning" if low != high else "same meaning", part=left_words, low=low, high=high)


def _stability_alt(stability: Stability, frame: pd.DataFrame) -> str:
    parts = []
    for metric in stability.metrics:
        rows = frame[frame["metric"] == metric].sort_values("left")
        values = ", ".join(f"{number(2)(row['tau'])} at {row['left']:.3g}" for row in rows.to_dict("records"))
        parts.append(f"{name_of_metric(metric)}: τ {values}")
    return "; ".join(parts)


def _metrics_side_by_side(
    frame: pd.DataFrame, metrics: Sequence[str], cells: Mapping[str, Callable[[dict[Any, Any]], object]]
) -> pd.DataFrame:
    """Return one row a step with the columns ``<metric> <cell>``."""
    steps: dict[float, dict[str, dict[Any, Any]]] = {}
    for record in frame.sort_values("step", kind="stable").to_dict("records"):
        steps.setdefault(record["step"], {})[record["metric"]] = record
    rows = []
    for by_metric in steps.values():
        first = next(iter(by_metric.values()))
        row: dict[str, object] = {"left": first["left"]}
        for name in ("judged", "relevant", "topics"):
            value = first[name]
            row |= {name: _count_words(value, first[f"{name}_error"]), f"{name}_sort": value}
        for metric in metrics:
            row |= {f"{metric} {name}": write(by_metric[metric]) for name, write in cells.items()}
        rows.append(row)
    return frame_of(rows)


def _count_words(value: float, error: float) -> str:
    """Write a mean count to the nearest one."""
    if absent(error) or error <= 0.0 or places(error) >= 0:
        return whole(value)
    return WrittenFigure(whole(value), whole(value), f"{math.ceil(error)}")


def _step_columns(stability: Stability) -> tuple[Column, ...]:
    label, write = ("Left", percent) if stability.reduction.unit == "%" else ("Size", whole)
    return (
        *right(write, left=label),
        *(right(text, topics="Topics") if stability.reduction.share_of == "topics" else ()),
        *right(text, judged="Judged", relevant="Relevant"),
    )


def _by_metric(stability: Stability, **labels: str) -> Iterator[Column]:
    """Yield the columns of `_metrics_side_by_side`, those of one metric together."""
    for metric in stability.metrics:
        yield from right(text, name_of_metric(metric), **{f"{metric} {name}": label for name, label in labels.items()})


def _side_by_side_table(  # noqa: PLR0913 - the parts of a table
    passage: str,
    shown: ShownReduction,
    cells: Mapping[str, Callable[[dict[Any, Any]], object]],
    columns: tuple[Column, ...],
    labels: Mapping[str, str],
    *,
    called: str,
    data: pd.DataFrame,
    **words: Any,  # noqa: ANN401 - whatever the passage names
) -> Table:
    """Return a table with a row a step, and the cells of every metric side by side."""
    stability = shown.stability
    return say.table(
        passage,
        _metrics_side_by_side(shown.frame, stability.metrics, cells),
        columns,
        _by_metric(stability, **labels),
        called=f"{called} {stability.reduction.name}",
        data=data,
        stability=stability,
        explained=shown.explained,
        full=compared_with(stability),
        **words,
    )


def _with_errors_of(names: Iterable[str]) -> dict[str, Callable[[dict[Any, Any]], object]]:
    return {name: partial(with_error, name=name) for name in names}


def _correlation_table(shown: ShownReduction) -> Table:
    stability, labels = shown.stability, {"tau": "τ", "tau_ap": "τ AP"}
    return _side_by_side_table(
        "correlations",
        shown,
        _with_errors_of(labels),
        _step_columns(stability),
        labels,
        called="stability",
        data=shown.frame,
        title=_lower_title(stability),
        drawn=drawn_words(stability.n_replicates, random=stability.reduction.random),
    )


def _best_table(shown: ShownReduction) -> Table:
    labels, columns = {"tau_best": "τ", "rbo": "RBO"}, _step_columns(shown.stability)[:1]
    data = shown.frame[[name for name in _BEST if name in shown.frame]]
    return _side_by_side_table("best", shown, _with_errors_of(labels), columns, labels, called="best", data=data)


def _consistency_table(shown: ShownReduction) -> Table:
    stability, frame = shown.stability, shown.frame
    n_tested = stability.data.sizes["tested"]
    digits = 0 if n_tested == 1 else 1

    def wrong(row: dict[Any, Any]) -> str:
        if pd.isna(row["contradicted_share"]):
            return MISSING
        proportion = carried(row["contradicted_share"], row["contradicted_share_error"])
        written = f"{with_error(row, 'contradicted', digits)} ({proportion})"
        return with_errors_of([proportion], written)

    full = frame.drop_duplicates("metric").set_index("metric")["power_full"][list(stability.metrics)]
    return _side_by_side_table(
        "consistency",
        shown,
        {"found": lambda row: with_error(row, "found", digits), "wrong": wrong},
        _step_columns(stability)[:1],
        {"found": "found", "wrong": "not confirmed"},
        called="consistency",
        data=frame[["metric", "step", "left", "found", "contradicted", "contradicted_share", "power", "power_full"]],
        drawn=drawn_words(n_tested, random=shown.says_draws, of=" tested"),
        known=[f"{name_of_metric(metric)} {stability.n_pairs * value:.0f}" for metric, value in full.items()],
    )


def percent(value: object) -> str:
    """Write a step in percent."""
    return f"{float(str(value)):.3g} %"


def with_error(row: Mapping[Any, Any], name: str, digits: int = 3) -> str:
    """Write a mean to the digits that its Monte-Carlo standard error leaves."""
    return carried(row[name], row.get(f"{name}_error", row.get(f"{name}_se")), number(digits))


def closeness_blocks(study: JudgmentsStudy, names: Sequence[str]) -> tuple[Block, ...]:
    """Say how close the rebuilt pool comes to all judgments, before anything is compared with it."""
    reduced = next((stability for name in names if (stability := study.stability[name]).closeness is not None), None)
    original = study.original
    if reduced is None or reduced.closeness is None or original is None:
        return ()
    closeness = reduced.closeness
    low = ends(map(name_of_metric, closeness["metric"]), closeness["tau"], map(number(3), closeness["tau"]))[0]
    has_tau = closeness["tau"].notna().any()
    least, most = original.depths.min(), original.depths.max()
    depth = f"{least} to {most}" if least != most else f"{least}"
    fields = {"n_judged": reduced.n_judged, "depth": depth, "low": low if has_tau else None}
    words = say("rebuilt", study=study, original=original, **fields)
    head = "Ranking by the rebuilt pool and by all judgments"
    table = say.table("closeness", closeness, (METRIC,), right(number(3), tau="τ", tau_ap="τ AP"), head=head)
    return Text(paragraphs=(words,)), Fold(title="The rebuilt pool, by metric", blocks=(table,))


def pool_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    """Show what deeper pools find, and how deep pools of some sizes reach into the runs."""
    blocks: list[Block] = []
    if study.growth is not None:
        frame = study.growth.means().reset_index()
        last = frame.iloc[-1]
        half = frame[frame["judged"] >= last["judged"] / 2].iloc[0]
        relevant_share = half["relevant"] / last["relevant"] if last["relevant"] else 0.0
        words = say("half", depth=half["pool_depth"], judging=half["judged"] / last["judged"], relevant=relevant_share)
        picture = say.picture(
            "pool growth",
            lambda: figures.growth_panels(frame),
            alt=words,
            deepest=last["pool_depth"],
            half=words,
            reached=_reached_words(study.growth),
        )
        blocks.append(picture)
        blocks += _topics_blocks(study.growth)
    if study.depths is not None:
        table = _run_depths_table(study.depths)
        blocks.append(Fold(title="Depth of the runs", blocks=(table,)))
    return tuple(blocks)


def _topics_blocks(growth: PoolGrowth) -> tuple[Block, ...]:
    """Show how many relevant documents every topic's pool holds at each depth, and past which depth few come."""
    topics, counts = growth.topics(), growth.by_topic()
    words = _reached_words(growth)
    picture = say.picture(
        "topics",
        lambda: figures.topic_growth_lines(counts, topics),
        called="pool growth topics",
        alt=words,
        reached=words,
    )
    table = say.table(
        "critical_depths",
        topics,
        left(topic="Topic"),
        right(whole, "Whole pool", pool_depth="Depth", judged="Judged", relevant="Relevant"),
        right(whole, "Critical depth", critical_depth="Depth", judged_there="Judged", relevant_there="Relevant"),
        few=100 * growth.few,
    )
    return picture, Fold(title="Critical depths, topic by topic", blocks=(table,))


def _reached_words(growth: PoolGrowth) -> str:
    """Say how many topics reach a depth past which few relevant documents come, and where it lies."""
    depths = growth.topics()["critical_depth"]
    known = depths.dropna()
    lies = f"; it lies between {known.min():.0f} and {known.max():.0f}" if len(known) else ""
    return say("topics reached", n=len(depths), known=len(known), few=100 * growth.few, lies=lies)


def _run_depths_table(depths: RunDepths) -> Table:
    row: dict[str, object] = {
        "topics": depths.n_topics,
        "runs": depths.n_runs,
        "answers": depths.n_answers,
        "per_topic": depths.runs_per_topic,
    }
    row |= {f"size {size}": value for size, value in depths.table["mean_depth"].items()}
    return say.table(
        "run_depths",
        pd.DataFrame([row]),
        right(whole, topics="Topics", runs="Runs", answers="Answers"),
        right(number(1), per_topic="Runs a topic"),
        right(
            number(1),
            "Mean rank, by documents a topic",
            **{f"size {size}": str(size) for size in depths.table.index},
        ),
        data=depths.to_frame().assign(answers=depths.n_answers, runs_per_topic=depths.runs_per_topic),
    )
