# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report of components of variance: where the noise comes from, how dependable the design is, the cheapest one."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count, first_few
from metaeval.base.unit import unit
from metaeval.base.words import (
    absent,
    bracketed,
    listed,
    name_of_metric,
    number,
    percentage,
    share,
    significant,
    text,
    whole,
)
from metaeval.io.components import saved_components
from metaeval.models.components import VarianceComponents
from metaeval.models.facets import component_words
from metaeval.page.blocks import Block, Choice, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.questions.components.page_checks import halves_section, tries_section
from metaeval.questions.components.page_clusters import MOST_ITEMS, cluster_sentence, clusters_section, spread_said
from metaeval.questions.components.study import ComponentsStudy
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said

_RATIO, _PRICE = partial(significant, digits=3), partial(significant, digits=4)
_SHARE_DIGITS = 3
_SHARE, _SCORE = number(_SHARE_DIGITS), number(4)
_PAIR = 2
_HALF = 0.5
say = prose(__name__)


def components_report(study: ComponentsStudy) -> Report:
    """Put components of variance into a report."""
    components, sizes = study.components, study.scores.sizes
    counted = {"metric": sizes["metric"]} if not components.judges else {}
    counted |= {"system": sizes["system"], "topic": sizes["topic"]}
    counted |= {"judge": components.n_judges} if components.judges else {}
    counted |= {"repeat": components.n_repeats} if components.n_repeats > 1 else {}
    between_systems = not study.repeats_of_one
    return Report(
        command="components",
        title="Where does the noise come from?",
        facts=facts(**counted),
        summary=(*_summary(study), *cluster_sentence(study)) if between_systems else (_one_system(study),),
        key_figures=_figures(study) if between_systems else None,
        sections=(
            _shares_section(study),
            *(_systems_sections(study) if between_systems else ()),
            *unanswered(study.unanswered.items()),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(study.scores)
        | {
            "components.csv": csv_file(saved_components(study.components.components)),
            "dependability.csv": csv_file(study.components.dependability),
            "plan.csv": csv_file(study.plan),
        }
        | ({} if study.tries is None else {"tries.csv": csv_file(study.tries.table)}),
    )


def _systems_sections(study: ComponentsStudy) -> tuple[Section, ...]:
    """Return what is said of differences between systems."""
    return (
        _design_section(study),
        *clusters_section(study, _choice),
        _plans_section(study),
        _cheapest_section(study),
        *halves_section(study, _named(study.components)),
        *tries_section(study),
    )


def _one_system(study: ComponentsStudy) -> str:
    """Say what items and repeats make of scores of systems that are called as repeats of one, under the first metric.

    What differs between the columns, by itself or beside the items, is what repeats do.
    """
    components = study.components.components
    row = components[components["component"] == "topic"].iloc[0]
    value, low, high = (float(row[name]) for name in ("share", "share_low", "share_high"))
    return _said(
        study,
        "one system",
        names=first_few(study.scores["system"].to_numpy().tolist()),
        of_items=bracketed(value, low, high, share),
        of_repeats=bracketed(1 - value, 1 - high, 1 - low, share),
        under=_under(study.components, row["metric"]),
    )


def design_sentences(
    components: VarianceComponents, designs: pd.DataFrame, *, metric: str | None = None
) -> tuple[str, str]:
    """Return the sentences on the design at hand and on the cheapest one, of the first metric.

    Other reports say them too, where scores have repeats or judges; `metric`: where judges stand in place of metrics.
    """
    row = components.dependability.iloc[0]
    has_repeats = row["repeat_share"] == row["repeat_share"]
    under = _under(components, row["metric"]) if metric is None else f" under {name_of_metric(metric)}"
    design = say(
        "design",
        words=_counted(components, row, gaps=components.filled < 1),
        erho2=_coefficient(row, "erho2"),
        phi=_coefficient(row, "phi"),
        under=under,
        **_named(components),
    )
    if has_repeats:
        limits = {"floor": _SCORE(row["repeatability"]), "part": share(row["repeat_share"])}
        design += f" {say('repeats', **limits, **_named(components))}"
    of_metric = designs[designs["metric"] == row["metric"]].set_index("goal")
    now = of_metric.loc["at hand"]
    best = of_metric.loc["same cost"] if "same cost" in of_metric.index else now
    reached, erho2 = (float(plan["erho2"]) for plan in (best, now))
    better = round(reached, _SHARE_DIGITS) > round(erho2, _SHARE_DIGITS)
    fields = {"words": _counted(components, best), "erho2": _SHARE(reached), "now": _SHARE(erho2), "under": under}
    return design, say("cheapest" if better else "none cheaper", **fields)


def _named(components: VarianceComponents) -> dict[str, str]:
    """Return what is measured, and what means are over."""
    spoken = unit()
    if components.measure == "topic":
        return {"measured": spoken.topics, "other": "system", "others": "systems", "Others": "Systems"}
    measured = f"{components.measure}s"
    return {"measured": measured, "other": spoken.topic, "others": spoken.topics, "Others": spoken.Topics}


def _level(components: VarianceComponents) -> str:
    return percentage(components.confidence_level)


def _fields(study: ComponentsStudy) -> Mapping[str, Any]:
    return {"level": _level(study.components), **_named(study.components)}


def _said(study: ComponentsStudy, passage: str, /, **given: Any) -> str:  # noqa: ANN401 - as `say`
    return say(passage, **_fields(study), **given)


def _source(name: str) -> str:
    """Return a component in the words of the report."""
    return component_words(name, unit())


def _counted(components: VarianceComponents, row: "pd.Series[Any]", *, gaps: bool = False) -> str:
    """Return the numbers of a design in words: 50 topics, each 3 times; with gaps, of items the harmonic mean."""
    named, across = _named(components), round(row[components.across])
    words = count(round(row["items"]), named["other"]) + f" (harmonic mean over {named['measured']})" * gaps
    if across > 1 or components.judges:
        words += f" with {count(across, components.across.removesuffix('s'))}"
    if components.n_repeats > 1:
        times = significant(row["repeats"], 3)
        words += " once" if row["repeats"] == 1 else f", each {times} times"
        words += " in the harmonic mean" * bool(row["repeats"] % 1)
    return words


def _coefficient(row: "pd.Series[Any]", which: str) -> str:
    return bracketed(row[which], row[f"{which}_low"], row[f"{which}_high"], _SHARE)


def _with_coefficients(frame: pd.DataFrame) -> pd.DataFrame:
    """Write both coefficients with their intervals."""
    written = {
        name: [_coefficient(row, which) for _, row in frame.iterrows()]
        for name, which in (("relative", "erho2"), ("absolute", "phi"))
    }
    return frame.assign(**written, relative_sort=frame["erho2"], absolute_sort=frame["phi"])


def _noise(study: ComponentsStudy) -> pd.DataFrame:
    """Return the largest source of noise of every metric: component, share with its interval, and whether it is sure.

    One among several is surely the largest if its interval lies above theirs, and its share is of the noise; of the
    only one it is known whether it outweighs what is measured, if its interval lies on one side of a half.
    """
    rows = []
    for metric, of_metric in study.components.components.groupby("metric", sort=False):
        noise = of_metric[of_metric["difference_share"].notna()].iloc[1:]
        alone = len(noise) == 1
        ends = [f"{'difference' if alone else 'noise'}_{end}" for end in _SHARE_ENDS]
        noise = noise[["component", *ends]].set_axis(["component", *_SHARE_ENDS], axis=1).fillna({"share": 0.0})
        noise = noise.sort_values("share", ascending=False, kind="stable")
        first, others = noise.iloc[0], noise.iloc[1:]
        highest = others["high"].fillna(others["share"]).max()  # without ends nothing is known of the uncertainty
        sure = not first["low"] < _HALF < first["high"] if alone else bool(first["low"] > highest)
        rows.append({"metric": metric, "sure": sure, "alone": alone, **first.to_dict()})
    return pd.DataFrame(rows)


_SHARE_ENDS = ("share", "low", "high")
_MOST_PARTS = 3
_REPEATS_TOO = " (repeats included)"


def _summary(study: ComponentsStudy) -> tuple[str, ...]:
    components, noise = study.components, _noise(study)
    lead = str(noise["component"].mode().iloc[0])
    of_lead = noise[noise["component"] == lead]
    alone, sure = bool(of_lead["alone"].all()), bool(of_lead["sure"].all())
    passage = "first" if sure or not alone else "first open"
    confounded = "" if components.n_repeats > 1 else str(components.components["component"].iloc[-1])
    with_repeats = lead == confounded and len(noise) == 1
    first = _said(
        study,
        passage if (noise["share"] > 0).any() else "no noise",
        alone=alone,
        opening=_opening(len(of_lead), len(noise)),
        rank="only" if alone else "largest",
        lead=f"{'' if sure or alone else 'probably '}{_source(lead)}{_REPEATS_TOO if with_repeats else ''}",
        figure=_shares(of_lead.iloc[0]) if len(noise) == 1 else _range(of_lead, sure=passage == "first"),
        under=_under(components, of_lead["metric"].iloc[0]) if len(noise) == 1 else "",
    )
    design, cheapest = design_sentences(components, study.designs)
    wishes = [_reached(study)] if "target" in study.named else []
    wishes += [cheapest] if "cost" in study.named else []
    last = [say("unseparated", pair=_source(confounded))] if confounded else []
    last += [cheapest] if (components.n_repeats > 1 or components.judges) and cheapest not in wishes else []
    outlook = " ".join([*last, _assured(study)])
    of_score, of_means = _of_score(components, confounded), _of_means(components)
    if wishes:
        return " ".join(wishes), " ".join([*(of_means or of_score), first]), f"{design} {outlook}"
    if of_means or not of_score:
        return " ".join([*of_means, first]), " ".join([*of_score, design]), outlook
    return *of_score, f"{first} {design}", outlook


def _of_score(components: VarianceComponents, confounded: str) -> tuple[str, ...]:
    """Say of what the variance of a score is, the largest parts first; nothing where scores do not vary."""
    shares = components.components.pivot_table(index="component", columns="metric", values="share", sort=False)
    if shares.empty:
        return ()
    ordered = shares.loc[shares.mean(axis=1).sort_values(ascending=False, kind="stable").index]
    metrics = shares.columns
    with_repeats = confounded if len(metrics) == 1 else None
    parts = [
        f"{_source(str(name))}{_REPEATS_TOO if name == with_repeats else ''}{' make' * (at == 0)} {_shared(of)}"
        for at, (name, of) in enumerate(ordered.head(_MOST_PARTS).iterrows())
    ]
    several = f" under {'both' if len(metrics) == _PAIR else f'all {len(metrics)}'} metrics"
    under = several if len(metrics) > 1 else _under(components, metrics[0])
    return (say("of score", parts=parts, under=under),)


def _of_means(components: VarianceComponents) -> tuple[str, ...]:
    """Say how much of the noise between two means runs make, which no number of items takes away; where repeats are."""
    row = components.dependability.iloc[0]
    value, low, high = (float(row[f"run_share{end}"]) for end in ("", "_low", "_high"))
    if components.repeats != "crossed" or absent(value):
        return ()
    words, under = _counted(components, row, gaps=components.filled < 1), _under(components, row["metric"])
    figure = bracketed(value, low, high, share)
    return (say("of means", words=words, figure=figure, runs=value > _HALF, under=under, **_named(components)),)


def _opening(n: int, n_metrics: int) -> str:
    """Begin the sentence on the largest source of noise with the metrics that it holds under."""
    if n_metrics == 1:
        return "The"
    every = "both metrics" if n == _PAIR else f"all {n} metrics"
    return f"Under {every if n == n_metrics else f'{n} of {n_metrics} metrics'} the"


def _shares(row: "pd.Series[Any]") -> str:
    value, low, high = (row[name] for name in _SHARE_ENDS)
    return bracketed(value, low, high, share)


def _range(of_lead: pd.DataFrame, *, sure: bool) -> str:
    """Return the shares of a source under several metrics, or of unsure ones all that their intervals hold."""
    if sure:
        return _shared(of_lead["share"])
    low, high = (of_lead[end].fillna(of_lead["share"]) for end in ("low", "high"))
    return f"from {share(low.min())} to {share(high.max())}"


def _under(components: VarianceComponents, metric: object) -> str:
    return "" if components.judges else f" under {name_of_metric(metric)}"


def _reached(study: ComponentsStudy) -> str:
    """Say whether the design at hand reaches the target that was named under the first metric."""
    row = study.components.dependability.iloc[0]
    fields = {
        "target": study.target,
        "erho2": _coefficient(row, "erho2"),
        "under": _under(study.components, row["metric"]),
    }
    side = 1 if row["erho2_low"] >= study.target else -1 if row["erho2_high"] < study.target else 0
    return say("reached", side=side, **fields)


def _assured(study: ComponentsStudy) -> str:
    """Say how many items the target takes under the first metric."""
    metric = str(study.needed["metric"].iloc[0])
    rows = _target_rows(study).set_index("metric")
    needed = study.needed[study.needed["stability"] == "erho2"].set_index("metric").loc[metric]
    at_hand = study.components.dependability.iloc[0]
    same_design = metric in rows.index and all(
        rows.loc[metric, name] == at_hand[name] for name in (study.components.across, "repeats")
    )
    others = _named(study.components)["others"]
    takes = f"Eρ² {study.target:g} takes {_needed_words(needed)} {others}"
    finite = needed["items"] < MOST_ITEMS
    return _said(
        study,
        "assured",
        takes=takes if finite else f"No number of {others} reaches Eρ² {study.target:g}",
        sure=whole(rows.loc[metric, "items"]) if same_design else "",
        under=_under(study.components, metric),
    )


def _shared(values: "pd.Series[float]") -> str:
    return " to ".join(map(share, _span(values)))


def _span(values: "pd.Series[float]") -> list[float]:
    low, high = float(values.min()), float(values.max())
    return [low] if round(100 * low, 1) == round(100 * high, 1) else [low, high]  # as percentages have one decimal


def _written_items(value: float) -> str:
    return whole(value) if value < MOST_ITEMS else "∞"


def _needed(study: ComponentsStudy, stability: str) -> dict[str, str]:
    rows = study.needed[study.needed["stability"] == stability].set_index("metric")
    return {str(metric): _needed_words(row) for metric, row in rows.iterrows()}


def _needed_words(row: Any) -> str:  # noqa: ANN401 - a row
    return f"{_written_items(row['items'])} [{_written_items(row['low'])}, {_written_items(row['high'])}]"


def _figures(study: ComponentsStudy) -> Table:
    frame = study.components.dependability
    needed = study.needed[study.needed["stability"] == "erho2"].set_index("metric").loc[frame["metric"]].reset_index()
    ends = {f"needed{end}": needed[name] for end, name in (("", "items"), ("_low", "low"), ("_high", "high"))}
    table_frame = _with_coefficients(frame).drop(columns=["relative_sort", "absolute_sort"])
    table_frame = table_frame.assign(items_needed=[_needed_words(row) for _, row in needed.iterrows()], **ends)
    columns = (
        METRIC,
        *right(text, relative="Eρ²", absolute="Φ"),
        *right(_SCORE, difference_error="Standard error of a difference"),
        *right(text, _named(study.components)["Others"], items_needed=f"for Eρ² {study.target:g}"),
    )
    return key_figures(table_frame, columns, by="erho2", caption=_said(study, "figures"))


def _choice(study: ComponentsStudy, blocks: Callable[[str], tuple[Block, ...]]) -> Choice:
    names = [str(name) for name in study.components.solved]
    return Choice(names=tuple(map(name_of_metric, names)), parts=tuple(map(blocks, names)))


def _shares_section(study: ComponentsStudy) -> Section:
    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = study.components.components.query("metric == @metric")
        drawn = of_metric.assign(component=of_metric["component"].map(_source))
        parts = [
            f"{row.component} {share(row.difference_share)}"
            for row in drawn.dropna(subset="difference_share").itertuples()
        ]
        picture = say.picture(
            "bars",
            lambda: figures.component_bars(drawn),
            called=f"shares {metric}",
            alt=f"{listed(parts)}.",
            metric=metric,
            **_fields(study),
        )
        return (picture, _components_table(study, metric, drawn))

    return say.section("shares", _choice(study, blocks), **_fields(study))


def _components_table(study: ComponentsStudy, metric: str, of_metric: pd.DataFrame) -> Table:
    columns = {
        name: [f"{kind}{end}" for end in ("_share" * (kind != "share"), "_low", "_high")]
        for name, kind in {"share": "share", "between": "difference", "noise": "noise"}.items()
    }
    written = {
        name: [bracketed(value, low, high, share) for value, low, high in of_metric[ends].to_numpy()]
        for name, ends in columns.items()
    }
    several = int(of_metric["noise_share"].notna().sum()) > 1
    return say.table(
        "components",
        of_metric.assign(
            **written,
            share_sort=of_metric["share"],
            between_sort=of_metric["difference_share"],
            noise_sort=of_metric["noise_share"],
        ),
        left(component="Source"),
        right(_RATIO, variance="Variance"),
        right(
            text, "Share", share="of a score", between="between two", **({"noise": "of the noise"} if several else {})
        ),
        right(whole, degrees_of_freedom="Degrees of freedom"),
        called=f"components {metric}",
        data=study.components.components,
        metric=metric,
        several=several,
        **_fields(study),
    )


def _design_section(study: ComponentsStudy) -> Section:
    components = study.components
    frame = components.dependability
    repeated = bool(frame["repeat_share"].notna().any())
    runs = right(_SCORE, "Two single runs differ by", repeatability="repeatability", reproducibility="reproducibility")
    table = say.table(
        "design caption",
        _with_coefficients(frame),
        (METRIC,),
        right(text, relative="Eρ²", absolute="Φ"),
        right(_SCORE, "Standard error", standard_error="mean", difference_error="difference"),
        right(_SCORE, detectable="Detectable"),
        (*runs, *right(share, repeat_share="Repeats")) if repeated else (),
        called="dependability",
        data=frame,
        runs=components.repeats == "crossed",
        over=f" in {unit().clusters}" * (components.n_clusters > 0) + " for these judges" * bool(components.judges),
        **_fields(study),
    )
    return say.section("design", table, head="This design")


def _key(components: VarianceComponents) -> str:
    return components.across if components.judges else "repeats"


def _plans_section(study: ComponentsStudy) -> Section:
    components, plan = study.components, study.plan
    key = _key(components)
    needed = pd.DataFrame(
        [
            {"metric": metric, "relative": _needed(study, "erho2")[metric], "absolute": _needed(study, "phi")[metric]}
            for metric in components.solved
        ]
    )
    several = len(plan[key].unique()) > 1

    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = plan[plan["metric"] == metric]
        lines = of_metric.assign(**{key: of_metric[key].map(_RATIO)})
        row = components.dependability[components.dependability["metric"] == metric].iloc[0]
        picture = say.picture(
            "lines",
            lambda: figures.dependability_lines(lines, key=key, at_hand=row["items"], target=study.target),
            called=f"designs {metric}",
            alt=f"{of_metric[key].nunique()} of Eρ² over the number of {_named(components)['others']}.",
            metric=metric,
            target=study.target,
            **_fields(study),
        )
        return (picture, _plan_table(study, metric, of_metric))

    columns = ((METRIC,), right(text, relative="Eρ²", absolute="Φ"))
    table = say.table("needed", needed, *columns, data=study.needed, target=study.target, **_fields(study))
    what = f", or {key}" if several else ""
    return say.section("plans", _choice(study, blocks), table, brief=False, id="designs", what=what, **_fields(study))


def _plan_table(study: ComponentsStudy, metric: str, of_metric: pd.DataFrame) -> Table:
    key = _key(study.components)
    steps = np.unique(of_metric["items"])[::6]
    few = of_metric[of_metric["items"].isin(steps)]
    several = len(of_metric[key].unique()) > 1
    return say.table(
        "plan",
        _with_coefficients(few),
        right(whole, items=_named(study.components)["Others"]),
        right(_RATIO, **{key: key.capitalize()}) if several else (),
        right(text, relative="Eρ²", absolute="Φ"),
        right(_SCORE, difference_error="Standard error of a difference"),
        right(share, "Pairs, expected", power="significant", wrong_order="in the wrong order"),
        called=f"plan {metric}",
        data=of_metric,
        metric=metric,
        spread=spread_said(study, metric),
        **_fields(study),
    )


def _cheapest_section(study: ComponentsStudy) -> Section:
    components = study.components
    goals = {"at hand": "at hand", "same cost": "same cost", "target": "as dependable"}
    goal = f"Eρ² {study.target:g}"
    rows = pd.concat(
        [study.designs.assign(wish=study.designs["goal"].map(goals)), _target_rows(study).assign(wish=goal)]
    )
    rows = rows.sort_values("metric", key=lambda names: names.map(list(components.solved).index), kind="stable")
    costs = [f"{name} {value:g}" for name, value in study.cost.items() if value]
    table = say.table(
        "costs",
        rows.reset_index(drop=True),
        (METRIC,),
        left(wish="Design"),
        right(whole, items=_named(components)["Others"]),
        right(whole, **{components.across: components.across.capitalize()}) if components.judges else (),
        right(_RATIO, repeats="Repeats") if components.n_repeats > 1 else (),
        right(_PRICE, cost="Cost"),
        right(_SHARE, erho2="Eρ²", phi="Φ"),
        right(_SCORE, difference_error="Standard error of a difference"),
        costs=listed(costs),
        n=components.n_measured,
        target=study.target,
        gaps=components.filled < 1 or bool((components.dependability["repeats"] % 1).any()),
        spread=spread_said(study, next(iter(components.solved))),
        **_fields(study),
    )
    return say.section("cheapest", table, brief=False, head="The cheapest design")


def _target_rows(study: ComponentsStudy) -> pd.DataFrame:
    rows = study.assured
    return rows[(rows["goal"] == "target") & (rows["items"] < MOST_ITEMS)]


def _methods(study: ComponentsStudy) -> Methods:
    components, sizes = study.components, study.scores.sizes
    parts = [count(sizes["system"], "system"), count(sizes["topic"], unit().topic)]
    parts += [f"{components.n_judges} judges"] if components.judges else []
    parts += [f"up to {components.n_repeats} repeats"] if components.n_repeats > 1 else []
    repeated = components.n_repeats > 1
    words = _said(
        study,
        "methods",
        sizes=" by ".join(parts),
        squares=components.solved_by == "mean squares",
        filled=components.filled,
        repeats=say(components.repeats, **_named(components)) if repeated or components.repeats != "nested" else "",
        judges="The judges are taken for a sample of judges." if components.judges else "",
        traits=traits_said(study.scores, gaps=""),
    )
    paragraphs = (
        words,
        _said(study, "intervals", exact=components.exact, robust=components.intervals == "robust", study=study),
    )
    return Methods(paragraphs=paragraphs)
