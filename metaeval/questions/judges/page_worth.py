# ruff: noqa: RUF001 - Greek letters are meant for people
"""What the page on judges says of bias (groups, covariates), of what judges are worth, alone and as a panel."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import isfinite

import pandas as pd

from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.agreement.panels import JudgePanel
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    absent,
    bracketed,
    bracketed_size,
    name_of_metric,
    number,
    p_value,
    sentence_case,
    share,
    text,
    whole,
)
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import METRIC, Column, Table, left, ranged, right, with_cells
from metaeval.questions.components.page import design_sentences
from metaeval.questions.judges.page_conclusions import blocks_by_metric
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.key_figures import ends_in
from metaeval.reports.prose import prose
from metaeval.resampling.judge_verdicts import deciding_metric
from metaeval.tests_stat.result import is_significant

_SIGNED, _WORTH = number(3), number(2)
_SIDES = {"figure": "", "adjusted": "adjusted_"}
"""What columns of the ends of gains begin with."""
_PANEL = ["items", "judges", "erho2", "phi"]
_JUDGMENTS = {"judgment": 1.0}
"""What a panel costs: judgments alone, for the runs are there."""
_MOST_MEMBERS, _MOST_NAMED = 10, 3
say = prose(__name__)


def favour_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say which groups of systems a judge favours, beside people; nothing without groups."""
    if not study.group_bias:
        return ()
    return (say.section("favour", *blocks_by_metric(study.group_bias, _favoured_blocks), brief=False),)


def _gains(frame: pd.DataFrame) -> pd.DataFrame:
    """Return gains with their intervals over topics and systems as `ranged` looks for them."""
    ends = {f"{name}_{end}": frame[f"{sides}{end}_both"] for name, sides in _SIDES.items() for end in ("low", "high")}
    return frame.assign(**ends, beyond=frame["beyond_people"])


def _gain_columns(*more: Column, people: bool) -> tuple[Column, ...]:
    """Return the columns of systems, gains, more columns, and p-values."""
    gains = {"figure": "Gain", "adjusted": "Adjusted", **({"beyond": "Beyond people"} if people else {})}
    last = right(p_value, p_corrected="p, corrected")
    return (*right(whole, n_systems="Systems"), *ranged(_SIGNED, **gains), *more, *last)


def _favoured_blocks(metric: str, found: FavouredGroups) -> list[Block]:
    judges = found.table["kind"] == "judge"
    frame = found.table[judges]
    table = say.table(
        "group-bias",
        _gains(frame),
        left(group="Group", judge="Judge"),
        _gain_columns(people=not judges.all()),
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


def covariate_answer(study: JudgeStudy) -> list[str]:
    """Say first, under the metric that decides, what was asked of a covariate of systems; nothing without one."""
    if not study.by_covariate:
        return []
    metric = deciding_metric(study.conclusions)
    favoured = study.by_covariate.get(str(metric), next(iter(study.by_covariate.values())))
    return _covariate_words(study, favoured)[:_MOST_NAMED]


def _covariate_name(found: FavouredGroups) -> str:
    return str(found.table["group"].iloc[0])


def _covariate_blocks(study: JudgeStudy, metric: str, found: FavouredGroups) -> list[Block]:
    table = say.table(
        "covariate-bias",
        _gains(found.table),
        left(judge="Judge", kind="Kind"),
        _gain_columns(*right(number(2), slope="Slope"), people=bool(found.people)),
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
    for row in _gains(sure).to_dict("records"):
        figure = bracketed_size(*ends_in(row, kind), _SIGNED)
        sentences.append(say("biased", row=row, covariate=name, figure=figure, more=row[kind] > 0, found=found))
    return sentences


def worth_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say what each judge is worth in human topics."""
    if not study.worth:
        return ()
    rows = [
        {"metric": metric, "judge": judge, "n_topics": worth.n_topics, "n_pilot": worth.n_pilot}
        | worth.summary.loc["median"].to_dict()
        for (metric, judge), worth in study.worth.items()
    ]
    frame = pd.DataFrame(rows)
    table = say.table(
        "judge-worth",
        frame,
        (METRIC,),
        left(judge="Judge"),
        right(whole, n_pilot=f"{unit().Topics} compared"),
        ranged(number(1), worth=f"One human {unit().topic} is worth"),
        ranged(number(0), n_equivalent="Equivalent with the judge", n_needed="Enough with the judge"),
        data=frame,
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
        "judge-and-people",
        pd.DataFrame(rows),
        (METRIC,),
        left(judge="Judge"),
        right(whole, n_topics=f"Human {unit().topics}", n_judged="Judge's others"),
        right(share, alone="People alone", together="Together"),
        right(number(0), n_equivalent="As many as"),
    )


def repeats_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how much of what a judge says is its own inconstancy."""
    if not study.repeats:
        return ()
    passes = [repeats.summary().assign(metric=metric) for metric, repeats in study.repeats.items()]
    table = say.table(
        "judge-repeats",
        pd.concat(passes, ignore_index=True),
        (METRIC,),
        left(judge="Judge"),
        right(share, repeat_share="Due to the pass"),
        right(whole, needed="Passes for 5 %", topics=unit().Topics),
        right(number(0), worth_topics="With all passes worth"),
    )
    return (say.section("repeats", table, brief=False),)


def panel_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how many independent judges a panel is worth, and which panel is the best for as many judgments."""
    blocks = [*_worth_blocks(study), *_design_blocks(study)]
    return (say.section("panel", *blocks, brief=False, head="A panel of judges"),) if blocks else ()


def _design_blocks(study: JudgeStudy) -> list[Block]:
    if not study.panels:
        return []
    rows = []
    for metric, panel in study.panels.items():
        plan = panel.plan([panel.n_topics], judges=sorted({1, 3, panel.n_judges}))
        best = panel.cheapest(_JUDGMENTS)
        best = best[best["goal"] == "same cost"]
        parts = ((f"these {unit().topics}", plan), ("as many judgments", best))
        rows += [(metric, name, *row) for name, designs in parts for row in designs[_PANEL].to_numpy().tolist()]
    table = say.table(
        "panels",
        pd.DataFrame(rows, columns=["metric", "design", *_PANEL]),
        (METRIC,),
        left(design="Design"),
        right(whole, items=unit().Topics, judges="Judges"),
        right(number(3), erho2="Eρ²", phi="Φ"),
    )
    metric, first = next(iter(study.panels.items()))
    return [Text(paragraphs=design_sentences(first, first.cheapest(_JUDGMENTS), metric=metric)), table]


def _panels_by_source(study: JudgeStudy) -> Iterator[tuple[str, JudgePanel]]:
    """Yield what is known of panels with the errors that are meant: of labels, and under every metric."""
    labelling = study.labelling
    for panel in () if labelling is None else (labelling.panel, labelling.rescaled_panel):
        if panel is not None:
            yield "labels, rescaled" if panel.rescaled else "labels", panel
    for metric, panel in study.panel_worth.items():
        yield f"differences between systems under {name_of_metric(metric)}", panel


def _worth_blocks(study: JudgeStudy) -> list[Block]:
    every = list(_panels_by_source(study))
    if not every:
        return []
    first = every[0][1]
    rescaled = next((panel for _, panel in every if panel.rescaled), None)
    frame = pd.concat([panel.table.assign(errors=name) for name, panel in every], ignore_index=True)
    known = [panel.net_known for _, panel in every for _ in range(len(panel.table))]
    rows = frame.to_dict("records")
    shown = with_cells(
        frame[["errors", "panel", "judges"]].assign(effective_sort=frame["effective"], net_sort=frame["net"]),
        effective=[_worth_words(row, "effective") for row in rows],
        net=[_worth_words(row, "net") if net else MISSING for row, net in zip(rows, known, strict=True)],
    )
    table = say.table(
        "effective-judges",
        shown,
        left(errors="Errors of", panel="Panel"),
        right(lambda judges: "∞" if judges == float("inf") else whole(judges), judges="Judges"),
        right(
            text, "Effective judges", effective=f"beside {first.reference}", **({"net": "net"} if first.people else {})
        ),
        data=frame,
        found=first,
        rescaled=rescaled is not None,
    )
    members = _members_table(first, rescaled, changed=_changed(study))
    return [Text(paragraphs=tuple(_words(*named_panel) for named_panel in _leading(every))), table, members]


def _changed(study: JudgeStudy) -> str:
    """Return how labels of some judge were put on the reference's scale; "" where all are as they were given."""
    scales = None if study.labelling is None else study.labelling.scales
    rules = set() if scales is None else {*scales.rules.values()} - {"kept", "reference"}
    return "" if not rules else "as fitted" if "fitted" in rules else "as mapped"


def _leading(every: list[tuple[str, JudgePanel]]) -> list[tuple[str, JudgePanel]]:
    """Return what is said in words: labels that are not rescaled, and the first metric."""
    kinds = {panel.level: (name, panel) for name, panel in reversed(every) if not panel.rescaled}
    return [kinds[level] for level in ("labels", "differences") if level in kinds]


def _worth_words(row: Mapping[Hashable, float], kind: str) -> str:
    value, low, high = (row[f"{kind}{end}"] for end in ("", "_low", "_high"))
    if not isfinite(value):
        return MISSING
    return _WORTH(value) if absent(low) or low == high else bracketed(value, low, high, _WORTH)


def _words(name: str, found: JudgePanel) -> str:
    every = found.table.set_index("panel").to_dict("index")["all"]
    return say(
        "panel worth",
        errors=name,
        found=found,
        n=whole(every["judges"]),
        figure=_worth_words(every, "effective"),
        noise=bracketed(*found.reference_share, share) if found.people else "",
    )


def _members_table(found: JudgePanel, rescaled: JudgePanel | None, *, changed: str) -> Table:
    members, beside, chosen = found.judges, {}, {"chosen": "Chosen"}
    if rescaled is not None:
        members = members.merge(rescaled.judges, on="judge", suffixes=("", "_rescaled"))
        beside = {"error_rescaled": "rescaled"}
        chosen = {"chosen": changed or "as they are", "chosen_rescaled": "rescaled"}
    taken = members[(members[[*chosen]] > 0).any(axis=1)].sort_values([*chosen], ascending=False, kind="stable")
    net = {"net_error": "net"} if found.people else {}
    return say.table(
        "panel-members",
        taken.head(_MOST_MEMBERS).reset_index(drop=True),
        left(judge="Judge"),
        right(number(3), "Error", error=f"beside {found.reference}", **net, **beside),
        right(share, "" if rescaled is None else "Chosen", **chosen),
        data=members,
        found=found,
        idle=found.judges.loc[found.judges["error"] >= found.constant, "judge"].tolist(),
    )
