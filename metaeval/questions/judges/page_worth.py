"""What the page on judges says of bias (groups, covariates), of what a judge is worth in topics, and of repeats."""

from collections.abc import Sequence

import pandas as pd

from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number, p_value, sentence_case, share, whole
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import METRIC, Column, Table, bounded, left, right
from metaeval.questions.judges.page_conclusions import blocks_by_metric
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.prose import prose
from metaeval.tests_stat.result import is_significant

_SIGNED = number(3)
_ENDS = {
    f"{kind}_{end}": f"{source}{end}_both"
    for kind, source in (("figure", ""), ("adjusted", "adjusted_"))
    for end in ("low", "high")
}
"""Intervals over topics and systems, as `bounded` looks for them."""
say = prose(__name__)


def favour_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say which groups of systems a judge favours, beside people; nothing without groups."""
    if not study.group_bias:
        return ()
    blocks = blocks_by_metric(study.group_bias, _favoured_blocks)
    return (say.section("favour", *blocks, brief=False),)


def _gains(frame: pd.DataFrame, *more: Column, people: bool) -> tuple[pd.DataFrame, Sequence[Column]]:
    """Return systems, gains with intervals, more columns, and p-values."""
    gains = frame.assign(**{name: frame[source] for name, source in _ENDS.items()}, beyond=frame["beyond_people"])
    measures = {"figure": ("Gain", _SIGNED), "adjusted": ("Adjusted", _SIGNED)}
    frame, columns = bounded(gains, measures | ({"beyond": ("Beyond people", _SIGNED)} if people else {}))
    last = right(p_value, p_corrected="p, corrected")
    return frame, (*right(whole, n_systems="Systems"), *columns, *more, *last)


def _favoured_blocks(metric: str, found: FavouredGroups) -> list[Block]:
    judges = found.table["kind"] == "judge"
    frame, people = found.table[judges], not judges.all()
    table_frame, columns = _gains(frame, people=people)
    table = say.table(
        "groups",
        table_frame,
        left(group="Group", judge="Judge"),
        columns,
        called=f"group-bias-{metric.lower()}",
        data=found.table,
        metric=metric,
        found=found,
    )
    circles = frame.loc[frame["circular"].astype(bool), ["judge", "group"]].drop_duplicates().to_numpy().tolist()
    circular = [f"circular: {judge} judges {group}, to which it belongs" for judge, group in circles]
    return [table, *_note_blocks([*found.notes, *circular])]


def _note_blocks(notes: Sequence[str]) -> list[Block]:
    paragraphs = tuple(f"{sentence_case(note)}." for note in notes)
    return [Text(paragraphs=paragraphs, look="note")] if paragraphs else []


def covariate_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Report the bias towards more of a covariate; nothing without one."""
    if not study.by_covariate:
        return ()
    blocks = blocks_by_metric(study.by_covariate, lambda metric, found: _covariate_blocks(study, metric, found))
    covariate = _covariate_name(next(iter(study.by_covariate.values())))
    return (say.section("covariate", *blocks, brief=False, covariate=covariate, reference=study.reference),)


def _covariate_name(found: FavouredGroups) -> str:
    return str(found.table["group"].iloc[0])


def _covariate_blocks(study: JudgeStudy, metric: str, found: FavouredGroups) -> list[Block]:
    frame, columns = _gains(found.table, *right(number(2), slope="Slope"), people=bool(found.people))
    table = say.table(
        "slopes",
        frame,
        left(judge="Judge", kind="Kind"),
        columns,
        called=f"covariate-bias-{metric.lower()}",
        data=found.table,
        covariate=_covariate_name(found),
        metric=metric,
        spread=found.table["standard_deviation"].iloc[0],
        found=found,
    )
    return [table, Text(paragraphs=tuple(_covariate_words(study, found))), *_note_blocks(found.notes)]


def _covariate_words(study: JudgeStudy, found: FavouredGroups) -> list[str]:
    """Say which judges are significantly biased towards more or less of a covariate."""
    name, of_judges = _covariate_name(found), found.table[found.table["kind"] == "judge"]
    sure = of_judges[is_significant(of_judges["p_corrected"].to_numpy(), study.alpha)]
    if sure.empty:
        return [say("unbiased", covariate=name)]
    kind = "adjusted" if found.adjusted else "figure"
    sentences = []
    for row in sure.to_dict("records"):
        low, high = sorted(abs(row[_ENDS[f"{kind}_{end}"]]) for end in ("low", "high"))
        figure = bracketed(abs(row[kind]), low, high, _SIGNED)
        sentences.append(say("biased", row=row, covariate=name, figure=figure, more=row[kind] > 0, found=found))
    return sentences


def worth_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say what each judge is worth in human topics."""
    if not study.worth:
        return ()
    rows = [
        {"metric": metric, "judge": judge, "n_topics": worth.n_topics, "n_pilot": worth.n_pilot}
        | {name: worth.summary.loc["median", name] for name in worth.summary.columns}
        for (metric, judge), worth in study.worth.items()
    ]
    frame, columns = bounded(
        pd.DataFrame(rows),
        {
            "worth": (f"One human {unit().topic} is worth", number(1)),
            "n_equivalent": ("Equivalent with the judge", number(0)),
            "n_needed": ("Enough with the judge", number(0)),
        },
    )
    table = say.table(
        "worth table",
        frame,
        (METRIC,),
        left(judge="Judge"),
        right(whole, n_pilot=f"{unit().Topics} compared"),
        columns,
        called="judge-worth",
        data=pd.DataFrame(rows),
        planned=next(iter(study.worth.values())).n_topics,
    )
    blocks = (table, _both_sources_table(study)) if study.powered else (table,)
    return (say.section("worth", *blocks, brief=False),)


def _both_sources_table(study: JudgeStudy) -> Table:
    rows = [
        {
            "metric": metric,
            "judge": judge,
            "n_topics": powered.n_topics,
            "n_judged": powered.n_judged,
            "alone": float(powered.data["human_significant"].mean()),
            "together": float(powered.data["significant"].mean()),
            "n_equivalent": float(powered.data["n_equivalent"].median()),
        }
        for (metric, judge), powered in study.powered.items()
    ]
    return say.table(
        "together",
        pd.DataFrame(rows),
        (METRIC,),
        left(judge="Judge"),
        right(whole, n_topics=f"Human {unit().topics}", n_judged="Judge's others"),
        right(share, alone="People alone", together="Together"),
        right(number(0), n_equivalent="As many as"),
        called="judge-and-people",
    )


def repeats_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how much of what a judge says is its own inconstancy."""
    if not study.repeats:
        return ()
    table = say.table(
        "passes",
        pd.concat(
            [repeats.summary().assign(metric=metric) for metric, repeats in study.repeats.items()], ignore_index=True
        ),
        (METRIC,),
        left(judge="Judge"),
        right(share, repeat_share="Due to the pass"),
        right(whole, needed="Passes for 5 %"),
        right(whole, topics=unit().Topics),
        right(number(0), worth_topics="With all passes worth"),
        called="judge-repeats",
    )
    return (say.section("repeats", table, brief=False),)
