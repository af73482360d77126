"""What the page on judges says of bias (groups, covariates), of what a judge is worth in topics, and of repeats."""

from collections.abc import Sequence

import pandas as pd

from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.agreement.repeats import JudgeRepeats
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number, p_value, sentence_case, share, whole
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import METRIC, Column, Table, bounded, left, right
from metaeval.questions.judges.page_conclusions import by_metric
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
    blocks = by_metric(study.group_bias, _favoured)
    return (Section(id="favour", title=say("favour title"), lead=say("favour lead"), blocks=blocks),)


def _gains(frame: pd.DataFrame, *, people: bool) -> tuple[pd.DataFrame, Sequence[Column]]:
    gains = frame.assign(**{name: frame[source] for name, source in _ENDS.items()}, beyond=frame["beyond_people"])
    measures = {"figure": ("Gain", _SIGNED), "adjusted": ("Adjusted", _SIGNED)}
    return bounded(gains, measures | ({"beyond": ("Beyond people", _SIGNED)} if people else {}))


def _favoured(metric: str, found: FavouredGroups) -> list[Block]:
    judges = found.table["kind"] == "judge"
    frame, people = found.table[judges], not judges.all()
    table_frame, columns = _gains(frame, people=people)
    table = Table(
        name=f"group-bias-{metric.lower()}",
        title=say("groups title", metric=metric),
        caption=say("groups", metric=metric, found=found, people=people),
        frame=table_frame,
        columns=(
            *left(group="Group", judge="Judge"),
            *right(whole, n_systems="Systems"),
            *columns,
            *right(p_value, p_corrected="p, corrected"),
        ),
        data=found.table,
    )
    circles = frame.loc[frame["circular"].astype(bool), ["judge", "group"]].drop_duplicates().to_numpy().tolist()
    return [table, *_noted([*found.notes, *([say("circles", circles=circles)] if circles else [])])]


def _noted(notes: Sequence[str]) -> list[Block]:
    paragraphs = tuple(f"{sentence_case(note)}." for note in notes)
    return [Text(paragraphs=paragraphs, look="note")] if paragraphs else []


def covariate_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Report the bias towards more of a covariate; nothing without one."""
    if not study.by_covariate:
        return ()
    name = _covariate_name(next(iter(study.by_covariate.values())))
    return (
        Section(
            id="covariate",
            title=say("covariate title", name=name),
            lead=say("covariate lead", name=name, reference=study.reference),
            blocks=by_metric(study.by_covariate, lambda metric, found: _covariate(study, metric, found)),
        ),
    )


def _covariate_name(found: FavouredGroups) -> str:
    return str(found.table["group"].iloc[0])


def _covariate(study: JudgeStudy, metric: str, found: FavouredGroups) -> list[Block]:
    name, spread = _covariate_name(found), found.table["standard_deviation"].iloc[0]
    frame, columns = _gains(found.table, people=bool(found.people))
    table = Table(
        name=f"covariate-bias-{metric.lower()}",
        title=say("slopes title", name=name, metric=metric),
        caption=say("slopes", name=name, metric=metric, spread=spread, found=found),
        frame=frame,
        columns=(
            *left(judge="Judge", kind="Kind"),
            *right(whole, n_systems="Systems"),
            *columns,
            *right(number(2), slope="Slope"),
            *right(p_value, p_corrected="p, corrected"),
        ),
        data=found.table,
    )
    return [table, Text(paragraphs=tuple(_covariate_words(study, found))), *_noted(found.notes)]


def _covariate_words(study: JudgeStudy, found: FavouredGroups) -> list[str]:
    """Say which judges are significantly biased towards more or less of a covariate."""
    name, of_judges = _covariate_name(found), found.table[found.table["kind"] == "judge"]
    sure = of_judges[is_significant(of_judges["p_corrected"].to_numpy(), study.alpha)]
    if sure.empty:
        return [say("unbiased", name=name)]
    kind = "adjusted" if found.adjusted else "figure"
    sentences = []
    for row in sure.to_dict("records"):
        low, high = sorted(abs(row[_ENDS[f"{kind}_{end}"]]) for end in ("low", "high"))
        figure = bracketed(abs(row[kind]), low, high, _SIGNED)
        sentences.append(say("biased", row=row, name=name, figure=figure, more=row[kind] > 0, found=found))
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
    table = Table(
        name="judge-worth",
        title=say("worth table title", planned=next(iter(study.worth.values())).n_topics),
        caption=say("worth table"),
        frame=frame,
        columns=(METRIC, *left(judge="Judge"), *right(whole, n_pilot=f"{unit().Topics} compared"), *columns),
        data=pd.DataFrame(rows),
    )
    blocks = (table, _together(study)) if study.powered else (table,)
    return (Section(id="worth", title=say("worth title"), lead=say("worth lead"), blocks=blocks),)


def _together(study: JudgeStudy) -> Table:
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
    return Table(
        name="judge-and-people",
        title=say("together title"),
        caption=say("together"),
        frame=pd.DataFrame(rows),
        columns=(
            METRIC,
            *left(judge="Judge"),
            *right(whole, n_topics=f"Human {unit().topics}", n_judged="Judge's others"),
            *right(share, alone="People alone", together="Together"),
            *right(number(0), n_equivalent="As many as"),
        ),
    )


def repeats_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how much of what a judge says is its own inconstancy."""
    if not study.repeats:
        return ()
    table = Table(
        name="judge-repeats",
        title=say("passes title"),
        caption=say("passes"),
        frame=pd.concat([_repeated(metric, repeats) for metric, repeats in study.repeats.items()], ignore_index=True),
        columns=(
            METRIC,
            *left(judge="Judge"),
            *right(share, repeat_share="Due to the pass"),
            *right(whole, needed="Passes for 5 %"),
            *right(whole, topics=unit().Topics),
            *right(number(0), worth_topics="With all passes worth"),
        ),
    )
    return (Section(id="repeats", title=say("repeats title"), lead=say("repeats lead"), blocks=(table,)),)


def _repeated(metric: str, found: JudgeRepeats) -> pd.DataFrame:
    plan = found.plan(repeats=[found.n_repeats]).set_index("judge")
    frame = found.differences[["judge", "repeat_share"]].copy()
    frame["needed"] = found.repeats_needed().reindex(frame["judge"]).to_numpy()
    for name in ("topics", "worth_topics"):
        frame[name] = plan[name].reindex(frame["judge"]).to_numpy()
    return frame.assign(metric=metric)
