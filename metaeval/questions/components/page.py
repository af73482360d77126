# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report of components of variance: where the noise comes from, how dependable the design is, the cheapest one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, listed, name_of_metric, number, percentage, share, significant, text, whole
from metaeval.io.components import saved_components
from metaeval.models.components import VarianceComponents
from metaeval.models.facets import component_words
from metaeval.page.blocks import Block, Choice, Item, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Column, Table, left, right
from metaeval.questions.components.page_checks import halves_section, tries_section
from metaeval.questions.components.page_clusters import cluster_sentence, clusters_section, spread_said
from metaeval.questions.components.study import ComponentsStudy
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said

_MOST_ITEMS = 1e7
_RATIO, _price = partial(significant, digits=3), partial(significant, digits=4)
_SHARE, _SCORE = number(3), number(4)
say = prose(__name__)


def components_report(study: ComponentsStudy) -> Report:
    """Put components of variance into a report."""
    components, sizes = study.components, study.scores.sizes
    counted = {"metric": sizes["metric"]} if not components.judges else {}
    counted |= {"system": sizes["system"], "topic": sizes["topic"]}
    counted |= {"judge": components.n_judges} if components.judges else {}
    counted |= {"repeat": components.n_repeats} if components.n_repeats > 1 else {}
    failed = [Item(term=question, words=reason) for question, reason in study.unanswered.items()]
    return Report(
        command="components",
        title=say("title"),
        facts=facts(**counted),
        summary=(*_summary(study), *cluster_sentence(study)),
        key_figures=_figures(study),
        sections=(
            _shares_section(study),
            _design_section(study),
            *clusters_section(study, _choice),
            _plans_section(study),
            _cheapest_section(study),
            *halves_section(study, _named(study.components)),
            *tries_section(study),
            *unanswered(failed),
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


def design_sentences(found: VarianceComponents, designs: pd.DataFrame, *, metric: str | None = None) -> tuple[str, str]:
    """Return the sentences on the design at hand and on the cheapest one, of the first metric.

    Other reports say them too, where scores have repeats or judges; `metric`: where judges stand in place of metrics.
    """
    row = found.dependability.iloc[0]
    has_repeats = row["repeat_share"] == row["repeat_share"]
    under = _under(found, row["metric"]) if metric is None else say("under", metric=metric)
    design = say(
        "design",
        words=_counted(found, row, gaps=found.filled < 1),
        erho2=_coefficient(row, "erho2"),
        phi=_coefficient(row, "phi"),
        floor=_SCORE(row["repeatability"]) if has_repeats else "",
        part=share(row["repeat_share"]) if has_repeats else "",
        under=under,
        **_named(found),
    )
    of_metric = designs[designs["metric"] == row["metric"]].set_index("goal")
    now = of_metric.loc["at hand"]
    best = of_metric.loc["same cost"] if "same cost" in of_metric.index else now
    written = [_SHARE(plan["erho2"]) for plan in (best, now)]
    better = best["erho2"] > now["erho2"] and written[0] != written[1]
    return design, say(
        "cheapest", better=better, words=_counted(found, best), erho2=written[0], now=written[1], under=under
    )


def _named(found: VarianceComponents) -> dict[str, str]:
    """Return what is measured, and what means are over."""
    spoken = unit()
    if found.measure == "topic":
        return {"measured": spoken.topics, "other": "system", "others": "systems", "Others": "Systems"}
    measured = f"{found.measure}s"
    return {"measured": measured, "other": spoken.topic, "others": spoken.topics, "Others": spoken.Topics}


def _level(found: VarianceComponents) -> str:
    return percentage(found.confidence_level)


def _said(study: ComponentsStudy, passage: str, /, **given: Any) -> str:  # noqa: ANN401 - as `say`
    components = study.components
    return say(passage, level=_level(components), **_named(components), **given)


def _source(name: str) -> str:
    """Return a component in the words of the report."""
    return component_words(name, unit())


def _counted(found: VarianceComponents, row: "pd.Series[Any]", *, gaps: bool = False) -> str:
    """Return the numbers of a design in words: 50 topics, each 3 times; with gaps, of items the harmonic mean."""
    repeated = found.n_repeats > 1
    return say(
        "counted",
        items=round(row["items"]),
        across=round(row[found.across]),
        facet=found.across.removesuffix("s"),
        judges=found.judges,
        repeats=row["repeats"] if repeated else None,
        times=significant(row["repeats"], 3),
        uneven=bool(row["repeats"] % 1),
        gaps=gaps,
        **_named(found),
    )


def _coefficient(row: "pd.Series[Any]", which: str) -> str:
    return bracketed(row[which], row[f"{which}_low"], row[f"{which}_high"], _SHARE)


def _noise(study: ComponentsStudy) -> pd.DataFrame:
    """Return the largest source of noise of every metric: component, share with its interval, and whether surely so."""
    rows = []
    for metric, of_metric in study.components.components.groupby("metric", sort=False):
        noise = (
            of_metric[of_metric["difference_share"].notna()].iloc[1:].sort_values("difference_share", ascending=False)
        )
        first, others = noise.iloc[0], noise.iloc[1:]
        sure = not len(others) or bool(first["difference_low"] > others["difference_high"].max())
        rows.append({"metric": metric, "sure": sure, "alone": not len(others), **first[_LEAD].to_dict()})
    return pd.DataFrame(rows)


_LEAD = ["component", "difference_share", "difference_low", "difference_high"]


def _summary(study: ComponentsStudy) -> tuple[str, ...]:
    components, noise = study.components, _noise(study)
    lead = str(noise["component"].mode().iloc[0])
    of_lead = noise[noise["component"] == lead]
    written = [share(value) for value in _span(of_lead["difference_share"])]
    first = _said(
        study,
        "first",
        many=len(noise) > 1,
        nothing=not (noise["difference_share"] > 0).any(),
        n=len(of_lead),
        n_metrics=len(noise),
        sure=bool(of_lead["sure"].all()),
        alone=bool(of_lead["alone"].all()),
        lead=_source(lead),
        figure=_shares(of_lead.iloc[0]) if len(noise) == 1 else " to ".join(written),
        under=_under(components, of_lead["metric"].iloc[0]),
    )
    design, cheapest = design_sentences(components, study.designs)
    last = (
        []
        if components.n_repeats > 1
        else [say("unseparated", pair=_source(components.components["component"].iloc[-1]))]
    )
    last += [cheapest] if components.n_repeats > 1 or components.judges else []
    return first, design, " ".join([*last, _assured(study)])


def _shares(row: "pd.Series[Any]") -> str:
    value, low, high = (row[name] for name in _LEAD[1:])
    return bracketed(value, low, high, share)


def _under(found: VarianceComponents, metric: object) -> str:
    return "" if found.judges else say("under", metric=metric)


def _assured(study: ComponentsStudy) -> str:
    """Say how many items the target takes under the first metric."""
    metric = str(study.needed["metric"].iloc[0])
    rows = _target_rows(study).set_index("metric")
    needed = study.needed[study.needed["stability"] == "erho2"].set_index("metric").loc[metric]
    at_hand = study.components.dependability.iloc[0]
    same_design = metric in rows.index and all(
        rows.loc[metric, name] == at_hand[name] for name in (study.components.across, "repeats")
    )
    return _said(
        study,
        "assured",
        target=study.target,
        items=_needed_words(needed),
        endless=not needed["items"] < _MOST_ITEMS,
        sure=whole(rows.loc[metric, "items"]) if same_design else "",
        under=_under(study.components, metric),
    )


def _span(values: "pd.Series[float]") -> list[float]:
    low, high = float(values.min()), float(values.max())
    return [low] if share(low) == share(high) else [low, high]


def _items(value: float) -> str:
    return whole(value) if value < _MOST_ITEMS else "∞"


def _needed(study: ComponentsStudy, stability: str) -> dict[str, str]:
    rows = study.needed[study.needed["stability"] == stability].set_index("metric")
    return {str(metric): _needed_words(row) for metric, row in rows.iterrows()}


def _needed_words(row: Any) -> str:  # noqa: ANN401 - a row
    return f"{_items(row['items'])} [{_items(row['low'])}, {_items(row['high'])}]"


def _figures(study: ComponentsStudy) -> Table:
    frame = study.components.dependability
    needed = study.needed[study.needed["stability"] == "erho2"].set_index("metric").loc[frame["metric"]].reset_index()
    ends = {f"needed{end}": needed[name] for end, name in (("", "items"), ("_low", "low"), ("_high", "high"))}
    table_frame = frame.assign(
        relative=[_coefficient(row, "erho2") for _, row in frame.iterrows()],
        absolute=[_coefficient(row, "phi") for _, row in frame.iterrows()],
        items_needed=[_needed_words(row) for _, row in needed.iterrows()],
        **ends,
    )
    columns = (
        METRIC,
        *right(text, relative="Eρ²", absolute="Φ"),
        *right(_SCORE, difference_error="Standard error of a difference"),
        *right(text, _named(study.components)["Others"], items_needed=say("key items", target=study.target)),
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
        picture = Picture(
            name=f"shares {metric}",
            draw=lambda: figures.component_bars(drawn),
            title=_said(study, "bars title", metric=metric),
            caption=_said(study, "bars"),
            alt=say("bars mark", listed=listed(parts)),
        )
        return (picture, _components_table(study, metric, drawn))

    return Section(
        id="shares",
        title=say("shares title"),
        lead=_said(study, "shares lead"),
        brief=True,
        blocks=(_choice(study, blocks),),
    )


def _components_table(study: ComponentsStudy, metric: str, part: pd.DataFrame) -> Table:
    names = {"share": "share", "between": "difference_share"}
    ends_of = {"share": ("share_low", "share_high"), "between": ("difference_low", "difference_high")}
    written = {
        name: [bracketed(row[names[name]], row[low], row[high], share) for _, row in part.iterrows()]
        for name, (low, high) in ends_of.items()
    }
    return Table(
        name=f"components {metric}",
        title=say("components title", metric=metric),
        caption=_said(study, "components"),
        frame=part.assign(**written, share_sort=part["share"], between_sort=part["difference_share"]),
        columns=(
            *left(component="Source"),
            *right(_RATIO, variance="Variance"),
            *right(text, "Share", share="of a score", between="between two"),
            *right(whole, degrees_of_freedom="Degrees of freedom"),
        ),
        data=study.components.components,
    )


def _design_section(study: ComponentsStudy) -> Section:
    components = study.components
    frame = components.dependability
    repeated = bool(frame["repeat_share"].notna().any())
    table_frame = frame.assign(
        relative=[_coefficient(row, "erho2") for _, row in frame.iterrows()],
        absolute=[_coefficient(row, "phi") for _, row in frame.iterrows()],
        relative_sort=frame["erho2"],
        absolute_sort=frame["phi"],
    )
    columns: list[Column] = [
        METRIC,
        *right(text, relative="Eρ²", absolute="Φ"),
        *right(_SCORE, "Standard error", standard_error="mean", difference_error="difference"),
        *right(_SCORE, detectable="Detectable"),
    ]
    if repeated:
        columns += right(_SCORE, "Two runs differ by", repeatability="repeatability", reproducibility="reproducibility")
        columns += right(share, repeat_share="Repeats")
    table = Table(
        name="dependability",
        title=say("design table"),
        caption=_said(
            study,
            "design caption",
            repeated=repeated,
            judged=bool(components.judges),
            clustered=components.n_clusters > 0,
        ),
        frame=table_frame,
        columns=tuple(columns),
        data=frame,
    )
    return Section(id="design", title=say("design title"), lead=say("design lead"), brief=True, blocks=(table,))


def _key(found: VarianceComponents) -> str:
    return found.across if found.judges else "repeats"


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
        picture = Picture(
            name=f"designs {metric}",
            draw=lambda: figures.dependability_lines(lines, key=key, at_hand=row["items"], target=study.target),
            title=_said(study, "lines title", metric=metric),
            caption=_said(study, "lines", target=study.target),
            alt=_said(study, "lines mark", lines=of_metric[key].nunique()),
        )
        return (picture, _plan_table(study, metric, of_metric))

    table = Table(
        name="needed",
        title=_said(study, "needed title", target=study.target),
        caption=_said(study, "needed", clustered=components.n_clusters > 0),
        frame=needed,
        columns=(METRIC, *right(text, relative="Eρ²", absolute="Φ")),
        data=study.needed,
    )
    facet_words = f", or {key}" if several else ""
    return Section(
        id="designs",
        title=say("plans title"),
        lead=_said(study, "plans lead", what=facet_words),
        blocks=(_choice(study, blocks), table),
    )


def _plan_table(study: ComponentsStudy, metric: str, part: pd.DataFrame) -> Table:
    key = _key(study.components)
    steps = np.unique(part["items"])[::6]
    few = part[part["items"].isin(steps)]
    table_frame = few.assign(
        relative=[_coefficient(row, "erho2") for _, row in few.iterrows()],
        absolute=[_coefficient(row, "phi") for _, row in few.iterrows()],
        relative_sort=few["erho2"],
        absolute_sort=few["phi"],
    )
    several = len(part[key].unique()) > 1
    return Table(
        name=f"plan {metric}",
        title=say("plan title", metric=metric),
        caption=_said(study, "plan", spread=spread_said(study, metric)),
        frame=table_frame,
        columns=(
            *right(whole, items=_named(study.components)["Others"]),
            *(right(_RATIO, **{key: key.capitalize()}) if several else ()),
            *right(text, relative="Eρ²", absolute="Φ"),
            *right(_SCORE, difference_error="Standard error of a difference"),
            *right(share, "Pairs, expected", power="significant", wrong_order="in the wrong order"),
        ),
        data=part,
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
    table = Table(
        name="costs",
        title=say("costs title"),
        caption=_said(
            study,
            "costs",
            costs=listed(costs),
            n=components.n_measured,
            target=study.target,
            gaps=components.filled < 1 or bool((components.dependability["repeats"] % 1).any()),
            repeated=components.n_repeats > 1,
            spread=spread_said(study, next(iter(components.solved))),
        ),
        frame=rows.reset_index(drop=True),
        columns=(
            METRIC,
            *left(wish="Design"),
            *right(whole, items=_named(components)["Others"]),
            *(right(whole, **{components.across: components.across.capitalize()}) if components.judges else ()),
            *(right(_RATIO, repeats="Repeats") if components.n_repeats > 1 else ()),
            *right(_price, cost="Cost"),
            *right(_SHARE, erho2="Eρ²", phi="Φ"),
            *right(_SCORE, difference_error="Standard error of a difference"),
        ),
    )
    return Section(id="cheapest", title=say("cheapest title"), lead=say("cheapest lead"), blocks=(table,))


def _target_rows(study: ComponentsStudy) -> pd.DataFrame:
    rows = study.assured
    return rows[(rows["goal"] == "target") & (rows["items"] < _MOST_ITEMS)]


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
        nested=repeated and components.repeats == "nested",
        crossed=components.repeats == "crossed",
        shared=components.repeats == "shared",
        judges=components.judges,
        traits=traits_said(study.scores, gaps=""),
    )
    paragraphs = (
        words,
        _said(study, "intervals", exact=components.exact, robust=components.intervals == "robust", study=study),
    )
    return Methods(paragraphs=paragraphs)
