# ruff: noqa: RUF001 - Greek letters are meant for people
"""What the page on judges says of systems: conclusions, bias, and what judges are worth, alone and as a panel."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import pandas as pd

from metaeval import figures
from metaeval.agreement.judge_bias import FavouredGroups
from metaeval.agreement.panels import JudgePanel
from metaeval.base.names import count, first_few, in_order
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    absent,
    bracketed,
    bracketed_size,
    compared_p,
    listed,
    name_of_metric,
    number,
    p_value,
    sentence_case,
    share,
    span,
    text,
    whole,
)
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Column, Table, ends_named, left, ranged, right, with_cells, with_errors
from metaeval.questions.components.page import design_sentences
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.key_figures import KeyFigure, bounded_figure, ends_in
from metaeval.reports.prose import prose
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.resampling.judge_verdicts import deciding_metric
from metaeval.tests_stat.result import is_significant

_MANY = 4
_PAIR = 2
_MOST_CONFLICTS = 30
_DECIMAL = number(2)
_CORRELATIONS = {
    "tau": "Kendall's τ",
    "rho": "Spearman's ρ",
    "pearson": "Pearson's r of means",
    "tau_ap": "τ_AP, ties at random",
    "tau_ap_b": "τ_AP b, symmetric",
}
"""As their table calls them."""
_OF_PAIRS = {"power": "Significant", "precision": "Precision", "recall": "Recall"}
"""What is said of significant pairs, beside F1."""
_SIGNED, _WORTH = number(3), number(2)
_SIDES = {"figure": "", "adjusted": "adjusted_"}
"""What columns of the ends of gains begin with."""
_PANEL = ["items", "judges", "erho2", "phi"]
_JUDGMENTS = {"judgment": 1.0}
"""What a panel costs: judgments alone, for the runs are there."""
_MOST_MEMBERS, _MOST_NAMED = 10, 3
say = prose(__name__)


def conclusion_sections(study: JudgeStudy) -> tuple[Section, ...]:
    """Return the section on conclusions, with a reference or of any two judges; none without runs."""
    if not study.effects.empty:
        return (_effects_section(study),)
    if not study.conclusions:
        return ()
    drawn = deciding_metric(study.conclusions)  # beside the verdicts
    blocks = blocks_by_metric(
        study.conclusions, lambda metric, found: _metric_blocks(metric, found, drawn=metric == drawn)
    )
    return (say.section("conclusions", *blocks, reference=study.reference),)


def blocks_by_metric[T](found: Mapping[str, T], build: Callable[[str, T], list[Block]]) -> tuple[Block, ...]:
    """Return the blocks of the one metric, or a choice between those of several; files are named after it."""
    parts = tuple(
        tuple(with_metric_in_names(metric, block) for block in build(metric, found[metric])) for metric in found
    )
    return parts[0] if len(parts) == 1 else (Choice(names=tuple(map(name_of_metric, found)), parts=parts),)


def with_metric_in_names(metric: str, block: Block) -> Block:
    """Name the files of a block after a metric."""
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(with_metric_in_names(metric, inside) for inside in block.blocks))
    return replace(block, name=f"{block.name}-{metric.lower()}") if isinstance(block, Table | Picture) else block


def f1_picture(metric: str, found: JudgeConclusions) -> Picture:
    """Draw F1 of the significant pairs under every judge and a second person."""
    dots = _judges(found)[["judge", "f1", "f1_low", "f1_high"]].set_axis(["name", "value", "low", "high"], axis=1)
    return say.picture(
        "judge-f1",
        lambda: figures.agreement_dots(dots, label=f"F1 of significant pairs under {name_of_metric(metric)}"),
        alt=f"{count(len(dots), 'dot')} with intervals, sorted by F1.",
        metric=metric,
        found=found,
    )


def _sorted(found: JudgeConclusions) -> pd.DataFrame:
    return found.table.sort_values(["kind", "f1"], ascending=[False, False], kind="stable")


def _judges(found: JudgeConclusions) -> pd.DataFrame:
    """Return a row a judge and second person, the best first."""
    return _with_second_person(_sorted(found))


def _metric_blocks(metric: str, found: JudgeConclusions, *, drawn: bool) -> list[Block]:
    frame, draws = _judges(found), found.n_resamples
    tested = bool(frame["n_conflicts"].notna().any())  # on a single topic nothing is
    alone, power = tested and len(found.of_reference) == 1, ""
    if alone:
        value, low, high = map(float, found.of_reference.to_numpy()[0, :3])
        significant = bracketed(value, low, high, share, draws=draws)
        power = f"Under {found.reference} {significant} of them differ significantly."
    pairs = (
        () if alone else ranged(share, draws, reference_power=f"Under {found.reference}"),
        ranged(share, draws, **_OF_PAIRS),
        ranged(_DECIMAL, draws, f1="F1"),
        right(number(0), n_conflicts="Opposite"),
    )
    main = say.table(
        "judge-conclusions",
        frame,
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        ranged(_DECIMAL, draws, tau="τ", tau_ap="τ_AP", tau_top=f"τ, top {found.top}"),
        *(pairs if tested else ()),
        data=_sorted(found),
        metric=metric,
        found=found,
        power=power,
        apart=_judges_of_other_topics(found),
    )
    more = (
        (found.same_number, _same_number_table),
        (found.beside_people, _people_fold),
        (found.choices, _second_people_fold),
        (found.conflicts, _conflicts_fold),
    )
    return [
        *([f1_picture(metric, found)] if tested and not drawn else []),
        main,
        *([_errors_fold(found)] if tested else []),
        _correlations_fold(found),
        *(build(found) for rows, build in more if len(rows)),
    ]


def _judges_of_other_topics(found: JudgeConclusions) -> str:
    """Return the judges with topics that the reference has not, each with how many it has in common with it."""
    judges = found.table[found.table["kind"] == "judge"]
    return first_few(
        [
            f"{row['judge']} {row['n_common'] or 'none'} of {row['n_topics']:,}"
            for row in judges[judges["n_common"] < judges["n_topics"]].to_dict("records")
        ]
    )


def _with_second_person(table: pd.DataFrame) -> pd.DataFrame:
    """Call people a second person, and say beside which judges where that differs."""
    beside = {number: f" beside {names}" for number, names in _judges_by_topic_set(table).items()}
    people = table["reference_set"].map(lambda one: f"a second person{beside.get(one, '')}")
    return table.assign(judge=table["judge"].mask(table["kind"] == "people", people))


def _judges_by_topic_set(table: pd.DataFrame) -> dict[int, str]:
    """Return the judges that are compared on each set of the reference's topics, where there are several."""
    judges = table[table["kind"] == "judge"].groupby("reference_set", sort=False)["judge"].unique().map(list)
    return {int(str(number)): first_few(names) for number, names in judges.items()} if len(judges) > 1 else {}


def _errors_fold(found: JudgeConclusions) -> Fold:
    """Return what else is said of significant pairs, where those that are not count too."""
    table = say.table(
        "judge-errors",
        _judges(found),
        left(judge="Judge"),
        ranged(share, found.n_resamples, balanced_accuracy="Balanced accuracy"),
        ranged(_DECIMAL, found.n_resamples, mcc="MCC"),
        ranged(share, found.n_resamples, type_2="Missed"),
        data=found.table,
        found=found,
    )
    return Fold(title="Balanced accuracy, MCC and missed pairs", blocks=(table,))


def _correlations_fold(found: JudgeConclusions) -> Fold:
    """Return every correlation of the rankings, over all systems and among the best."""
    parts = []
    for name, words in _CORRELATIONS.items():
        rows = found.table[["judge", "kind", "reference_set"]].assign(correlation=words)
        for side, measure in (("whole", name), ("top", f"{name}_top")):
            for end in ("", "_low", "_high"):
                rows[f"{side}{end}"] = found.table.get(f"{measure}{end}")
        parts.append(rows)
    frame = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    table = say.table(
        "judge-correlations",
        _with_second_person(frame),
        left(judge="Judge", correlation="Correlation"),
        ranged(number(3), found.n_resamples, whole="All systems", top=f"Top {found.top}"),
        data=frame,
        found=found,
    )
    return Fold(title="Every correlation of the rankings", blocks=(table,))


def _same_number_table(found: JudgeConclusions) -> Table:
    shares = dict.fromkeys((*_OF_PAIRS, "only_with_more"), share)
    return say.table(
        "judge-same-number",
        with_errors(found.same_number, shares | {"f1": _DECIMAL}),
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        right(text, **_OF_PAIRS, f1="F1", only_with_more="Only with more"),
        data=found.same_number,
        found=found,
    )


def _people_fold(found: JudgeConclusions) -> Fold:
    names = {"tau": "τ", "tau_ap": "τ_AP", "tau_top": f"τ, top {found.top}", **_OF_PAIRS, "f1": "F1"}
    frame = found.beside_people[found.beside_people["measure"].isin(names)]
    table = say.table(
        "judge-beside-people",
        frame.assign(measure=frame["measure"].map(names)).rename(columns=ends_named("difference")),
        left(judge="Judge", measure="Measure"),
        ranged(number(3), found.n_resamples, difference="Judge minus a second person"),
        data=found.beside_people,
        found=found,
    )
    return Fold(title="Each judge minus a second person", blocks=(table,))


def _second_people_fold(found: JudgeConclusions) -> Fold:
    beside = _judges_by_topic_set(found.table)
    table = say.table(
        "judge-choices",
        found.choices.assign(beside=found.choices["reference_set"].map(beside)),
        left(choice="Choice", **{"beside": "Beside"} if beside else {}),
        right(share, weight="Chance"),
        right(_DECIMAL, tau="τ", tau_ap="τ_AP", f1="F1"),
        right(share, power="Significant"),
        right(number(0), n_conflicts="Opposite"),
    )
    return Fold(title=f"The {len(set(found.choices['choice']))} choices of persons", blocks=(table,))


def _conflicts_fold(found: JudgeConclusions) -> Fold:
    table = say.table(
        "judge-conflicts",
        found.conflicts.head(_MOST_CONFLICTS),
        left(judge="Judge", better=f"Better under {found.reference}", worse="Worse"),
        data=found.conflicts,
        found=found,
    )
    return Fold(title=f"{count(len(found.conflicts), 'pair')} in opposite directions", blocks=(table,))


def effect_figures(effects: pd.DataFrame) -> list[KeyFigure]:
    """Return how alike any two judges rank systems, and find the same significant pairs."""
    if effects.empty:
        return []
    alone = len(effects[["first", "second"]].drop_duplicates()) == 1
    told = {name: _over_metrics(effects, name) if alone else _median(effects[name]) for name in ("tau", "f1")}
    silent = effects.loc[(effects["n_truth"] == 0) & (effects["n_predictor"] == 0), "metric"].unique().tolist()
    without = f" (undefined without any: {listed(silent)})" if silent else ""
    conflicts, median = effects["n_conflicts"].sum(), "" if alone else ", median"
    return [
        KeyFigure(f"Kendall's τ of rankings{median}", *told["tau"]),
        KeyFigure(f"F1 of significant pairs{median}{without}", *told["f1"]),
        KeyFigure("Pairs significant in opposite directions", whole(conflicts), {"count": conflicts}),
    ]


def _median(values: pd.Series) -> tuple[str, dict[str, object]]:
    return _DECIMAL(values.median()), {"median": values.median()}


def _over_metrics(effects: pd.DataFrame, name: str) -> tuple[str, dict[str, object]]:
    """Return a statistic of every metric, as written and as numbers.

    One that all share is said once, and of many the lowest and the highest.
    """
    values = effects[name].map(_DECIMAL).tolist()
    written = listed(f"{value} ({metric})" for value, metric in zip(values, effects["metric"], strict=True))
    if len(values) > 1 and len(set(values)) == 1:
        written = f"{values[0]} under {'both' if len(values) == _PAIR else 'each'}"
    elif len(values) > _MANY:
        written = span(effects["metric"], effects[name], values)
    return written, in_order(dict(zip(effects["metric"], effects[name], strict=True)))


def _effects_section(study: JudgeStudy) -> Section:
    effects, columns = study.effects, [*left(metric="Metric")]
    first, second = effects[["first", "second"]].iloc[0]
    if len(effects[["first", "second"]].drop_duplicates()) > 1:
        columns += left(first="First", second="Second")
        first, second = "first", "second"
    table = say.table(
        "judge-effects",
        effects,
        columns,
        right(number(3), "Rankings", tau="τ", tau_ap="τ_AP"),
        right(
            whole,
            f"Significant of {listed(map(whole, effects['n_pairs'].unique()))} pairs",
            n_truth=first,
            n_predictor=second,
            n_shared="both",
            n_conflicts="opposite",
        ),
        right(share, precision="Precision", recall="Recall", balanced_accuracy="Balanced accuracy", type_2="Missed"),
        right(number(3), f1="F1", mcc="MCC"),
        data=effects,
        study=study,
    )
    return say.section(
        "effects", table, id="effect", parts=study.labelling is not None and study.labelling.scale is not None
    )


def favour_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say which groups of systems a judge favours, beside people; nothing without groups."""
    if not study.group_bias:
        return ()
    return (say.section("favour", *blocks_by_metric(study.group_bias, _favoured_blocks), brief=False),)


def largest_gain(found: FavouredGroups) -> KeyFigure:
    """Return what the group that gains most gains, under which judge, with p that a verdict goes by."""
    frame = _gains(found.table[found.table["kind"] == "judge"])
    kind = "adjusted" if found.adjusted and frame["adjusted"].notna().all() else "figure"
    row = frame.sort_values(kind, ascending=False, kind="stable").iloc[0]
    label = f"Largest gain of a group, {row['group']} under {row['judge']}"
    figure = bounded_figure(label, ends_in(row, kind), _SIGNED)
    if found.adjusted and kind == "figure":
        return figure._replace(what=f"{figure.what}, not adjusted")
    return figure._replace(value=f"{figure.value}, corrected p {compared_p(row['p_corrected'])}")


def groups_answer(study: JudgeStudy) -> list[str]:
    """Say first, under the metric that decides, which groups a judge favours; nothing without groups."""
    if not study.group_bias:
        return []
    bias = study.group_bias.get(str(deciding_metric(study.conclusions)), next(iter(study.group_bias.values())))
    frame = _gains(bias.table[bias.table["kind"] == "judge"])
    sure = frame[is_significant(frame["p_corrected"].to_numpy(), study.alpha)]
    if sure.empty:
        return [say("no favour", is_open=bool(bias.unadjusted))]
    kind = "adjusted" if bias.adjusted else "figure"
    rows = sure.sort_values(kind, ascending=False, key=abs, kind="stable").head(_MOST_NAMED).to_dict("records")
    sizes = [bracketed_size(*ends_in(row, kind), _SIGNED) for row in rows]
    more = [row[kind] > 0 for row in rows]
    return [
        say("favoured", row=favour, figure=size, more=up, found=bias)
        for favour, size, up in zip(rows, sizes, more, strict=True)
    ]


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
        n_systems = int(found.table["n_systems"].max())
        return [say("bias open" if found.unadjusted else "unbiased", covariate=name, n_systems=n_systems)]
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
    frame = pd.DataFrame(
        {"metric": metric, "judge": judge, "n_topics": worth.n_topics, "n_pilot": worth.n_pilot}
        | worth.summary.loc["median"].to_dict()
        for (metric, judge), worth in study.worth.items()
    )
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
    net_known = [panel.net_known for _, panel in every for _ in range(len(panel.table))]
    rows = frame.to_dict("records")
    figures = with_cells(
        frame[["errors", "panel", "judges"]].assign(effective_sort=frame["effective"], net_sort=frame["net"]),
        effective=[_worth_words(row, "effective") for row in rows],
        net=[_worth_words(row, "net") if net else MISSING for row, net in zip(rows, net_known, strict=True)],
    )
    table = say.table(
        "effective-judges",
        figures,
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
