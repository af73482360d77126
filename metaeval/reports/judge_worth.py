"""What the page on judges says of bias (groups, covariates), of what a judge is worth in topics, and of repeats."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.base.words import bracketed, name_of_metric, number, p_value, percentage, share, whole
from metaeval.models.repeats import JudgeRepeats
from metaeval.page.blocks import Block, Choice, Section, Text
from metaeval.page.tables import METRIC, Table, bounded, left, right
from metaeval.studies.judges import JudgeStudy
from metaeval.tests_stat.result import is_significant

_SIGNED = number(3)


def favour_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say which groups of systems a judge favours, beside people; nothing without groups."""
    if not study.favoured:
        return ()
    parts = tuple(tuple(_favoured(metric, found)) for metric, found in study.favoured.items())
    blocks = parts[0] if len(parts) == 1 else (Choice(names=tuple(map(name_of_metric, study.favoured)), parts=parts),)
    return (
        Section(
            id="favour",
            title="Group bias",
            lead="What a group of systems gains under the judge, beside the reference and the other systems. A judge "
            "that only stretches the scale gives every good group more: so the figure is also adjusted for the judge's "
            "own scale, told from the systems outside the group. People, too, gain and lose groups something.",
            brief=True,
            blocks=blocks,
        ),
    )


def _favoured(metric: str, found: FavouredGroups) -> list[Block]:
    slug, level = metric.lower(), percentage(found.confidence_level)
    people = found.table[found.table["kind"] != "judge"]
    frame = found.table[found.table["kind"] == "judge"]
    ends = {"figure_low": "low_both", "figure_high": "high_both"}
    ends |= {"adjusted_low": "adjusted_low_both", "adjusted_high": "adjusted_high_both"}
    shown = frame.assign(**{name: frame[source] for name, source in ends.items()})
    shown["beyond"] = frame["beyond_people"]
    measures = {"figure": ("Gain", _SIGNED), "adjusted": ("Adjusted", _SIGNED)}
    if len(people):
        measures["beyond"] = ("Beyond people", _SIGNED)
    shown, columns = bounded(shown, measures)
    table = Table(
        name=f"favoured-groups-{slug}",
        title=f"Groups under each judge, {name_of_metric(metric)}",
        caption=f"In units of {name_of_metric(metric)}; above 0 the judge favours the group beside {found.reference}. "
        f"Intervals are {level} intervals over topics and systems; those for these systems alone are in the data."
        + " Beyond people: the adjusted figure less its mean over second people."
        * bool(len(people))
        + " The scale is taken to be a line: under a judge who saturates a group that is better than the others may "
        "look like one with a bias; a note names judges whose scale is seen to be bent.",
        frame=shown,
        columns=(
            *left(group="Group", judge="Judge"),
            *right(whole, n_systems="Systems"),
            *columns,
            *right(p_value, p_corrected="p, corrected"),
        ),
        data=found.table,
    )
    circular = frame.loc[frame["circular"].astype(bool), ["judge", "group"]].drop_duplicates().to_numpy().tolist()
    pairs = ", ".join(f"{judge} judges {group}, which holds it" for judge, group in circular)
    return [table, *_noted([*found.notes, *([f"a circle: {pairs}"] if pairs else [])])]


def _noted(notes: Sequence[str]) -> list[Block]:
    said = tuple(f"{note[:1].upper()}{note[1:]}." for note in notes)
    return [Text(paragraphs=said, look="note")] if said else []


def covariate_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Report the bias towards more of a covariate; nothing without one."""
    if not study.by_covariate:
        return ()
    parts = tuple(tuple(_covariate(metric, found)) for metric, found in study.by_covariate.items())
    names = tuple(map(name_of_metric, study.by_covariate))
    blocks = parts[0] if len(parts) == 1 else (Choice(names=names, parts=parts),)
    name = _covariate_name(next(iter(study.by_covariate.values())))
    return (
        Section(
            id="covariate",
            title=f"Bias towards more {name}",
            lead=f"How much more a system with more {name} gets under the judge than under {study.reference}, as a "
            "slope over the systems. Systems with more of it may be truly better or worse: so the figure is also "
            "adjusted for the judge's own scale.",
            brief=True,
            blocks=blocks,
        ),
    )


def _covariate_name(found: FavouredGroups) -> str:
    return str(found.table["group"].iloc[0])


def _covariate(metric: str, found: FavouredGroups) -> list[Block]:
    name, slug, level = _covariate_name(found), metric.lower(), percentage(found.confidence_level)
    spread = found.table["standard_deviation"].iloc[0]
    ends = {"figure_low": "low_both", "figure_high": "high_both"}
    ends |= {"adjusted_low": "adjusted_low_both", "adjusted_high": "adjusted_high_both"}
    frame = found.table.assign(**{own: found.table[source] for own, source in ends.items()})
    measures = {"figure": ("Gain", _SIGNED), "adjusted": ("Adjusted", _SIGNED)}
    if found.people:
        measures["beyond"] = ("Beyond people", _SIGNED)
    shown, columns = bounded(frame.assign(beyond=frame["beyond_people"]), measures)
    table = Table(
        name=f"favoured-covariate-{slug}",
        title=f"{name} under each judge, {name_of_metric(metric)}",
        caption=f"In units of {name_of_metric(metric)} for one standard deviation more {name} ({number(3)(spread)}); "
        f"above 0 the judge favours more of it beside {found.reference}. Intervals are {level} intervals over topics "
        "and systems; those for these systems alone, and figures per unit, are in the data. Slope: what the judge "
        f"makes of a difference of 1 under {found.reference}.",
        frame=shown,
        columns=(
            *left(judge="Judge", kind="Kind"),
            *right(whole, n_systems="Systems"),
            *columns,
            *right(number(2), slope="Slope"),
            *right(p_value, p_corrected="p, corrected"),
        ),
        data=found.table,
    )
    return [table, *_noted(found.notes)]


def covariate_words(study: JudgeStudy, metric: str) -> list[str]:
    """Say which judges are significantly biased towards more or less of a covariate."""
    found = study.by_covariate.get(metric)
    if found is None:
        return []
    kind = "adjusted" if found.adjusted else "figure"
    low, high = (f"adjusted_{end}_both" if found.adjusted else f"{end}_both" for end in ("low", "high"))
    name, own = _covariate_name(found), found.table[found.table["kind"] == "judge"]
    sure = own[is_significant(own["p_corrected"].to_numpy(), study.alpha)]
    if sure.empty:
        return [f"No judge is shown to be biased towards more or less {name}."]
    return [_gives(row, kind, low, high, name, found.reference) for row in sure.to_dict("records")]


def _gives(row: Mapping[Any, Any], kind: str, low: str, high: str, name: str, reference: str) -> str:  # noqa: PLR0913, PLR0917 - a figure and its names
    first, last = sorted((abs(row[low]), abs(row[high])))
    return (
        f"{row['judge']} gives systems with one standard deviation more {name} "
        f"{bracketed(abs(row[kind]), first, last, _SIGNED)} {'more' if row[kind] > 0 else 'less'} than {reference} does"
        f"{', its scale taken off' if kind == 'adjusted' else ''}."
    )


def worth_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say what each judge is worth in human topics."""
    if not study.worth:
        return ()
    rows = [
        {"metric": metric, "judge": judge, "n_topics": found.n_topics, "n_pilot": found.n_pilot}
        | {name: found.summary.loc["median", name] for name in found.summary.columns}
        for (metric, judge), found in study.worth.items()
    ]
    shown, columns = bounded(
        pd.DataFrame(rows),
        {
            "worth": ("One human topic is worth", number(1)),
            "n_equivalent": ("With the judge they have the power of", number(0)),
            "n_needed": ("With the judge as powerful as they alone", number(0)),
        },
    )
    planned = next(iter(study.worth.values())).n_topics
    table = Table(
        name="judge-worth",
        title=f"{planned} human topics, and the judge on any number of others",
        caption="For the median pair of systems. People label some topics, the judge these and many more; the judge's "
        "scores sharpen the human differences and cannot bias them (prediction-powered inference). Worth: how many "
        "human topics one human topic then stands for, in the limit.",
        frame=shown,
        columns=(METRIC, *left(judge="Judge"), *right(whole, n_pilot="Topics compared"), *columns),
        data=pd.DataFrame(rows),
    )
    blocks: list[Block] = [table]
    if study.powered:
        blocks.append(_together(study))
    return (
        Section(
            id="worth",
            title="What is the judge worth in human topics?",
            lead="A judge that errs may still save people work: what it says of topics that people never saw is "
            "corrected by what both say of common ones.",
            brief=True,
            blocks=tuple(blocks),
        ),
    )


def _together(study: JudgeStudy) -> Table:
    rows = []
    for (metric, judge), found in study.powered.items():
        data = found.data
        rows.append(
            {
                "metric": metric,
                "judge": judge,
                "n_topics": found.n_topics,
                "n_judged": found.n_judged,
                "alone": float(data["human_significant"].mean()),
                "together": float(data["significant"].mean()),
                "n_equivalent": float(data["n_equivalent"].median()),
            }
        )
    return Table(
        name="judge-and-people",
        title="People and judge together",
        caption="Significant pairs on the human topics alone, and with what the judge says of the others; the number "
        "of human topics that would give the same variance is that of the median pair.",
        frame=pd.DataFrame(rows),
        columns=(
            METRIC,
            *left(judge="Judge"),
            *right(whole, n_topics="Human topics", n_judged="Judge's others"),
            *right(share, alone="People alone", together="Together"),
            *right(number(0), n_equivalent="As many as"),
        ),
    )


def repeats_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how much of what a judge says is its own inconstancy."""
    if not study.repeats:
        return ()
    parts = [_repeated(metric, found) for metric, found in study.repeats.items()]
    table = Table(
        name="judge-repeats",
        title="Passes of one judge",
        caption="Share of the variance of a difference of two systems that one pass adds, and how many passes bring it "
        "down to 5 %. With as many passes as there are, the topics that one pass would take for the same.",
        frame=pd.concat(parts, ignore_index=True),
        columns=(
            METRIC,
            *left(judge="Judge"),
            *right(share, repeat_share="Due to the pass"),
            *right(whole, needed="Passes for 5 %"),
            *right(whole, topics="Topics"),
            *right(number(0), worth_topics="With all passes worth"),
        ),
    )
    return (
        Section(
            id="repeats",
            title="Does the judge repeat itself?",
            lead="Several passes of one judge over the same items differ by the judge's own inconstancy.",
            brief=True,
            blocks=(table,),
        ),
    )


def _repeated(metric: str, found: JudgeRepeats) -> pd.DataFrame:
    plan = found.plan(repeats=[found.n_repeats]).set_index("judge")
    frame = found.differences[["judge", "repeat_share"]].copy()
    frame["needed"] = found.repeats_needed().reindex(frame["judge"]).to_numpy()
    frame["topics"] = plan["topics"].reindex(frame["judge"]).to_numpy()
    frame["worth_topics"] = plan["worth_topics"].reindex(frame["judge"]).to_numpy()
    return frame.assign(metric=metric)
