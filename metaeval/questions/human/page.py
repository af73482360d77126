# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on whether metrics agree with people: a comparison put into sections, words and pictures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.agreement.human import HumanAgreement
from metaeval.agreement.metric_comparison import MetricComparison
from metaeval.base.names import natural_order
from metaeval.base.words import End, bracketed, ends, intervals, number, p_value, sentence_case, share, text, whole
from metaeval.page.blocks import Block, Fold, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, p_values, right, under, with_cells
from metaeval.questions.human.study import HumanStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures, sure_side
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.testing.expected import BROKEN, UNNOTICED

_STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ",
    "accuracy": "pairwise accuracy",
}
_CHANCE = {"accuracy": 0.5}
_PANELS = 6
_DECIMAL = number(3)
say = prose(__name__)


def human_report(study: HumanStudy) -> Report:
    """Put a comparison with human scores into a report."""
    sections = [_agreement_section(study), *([_expected_section(study)] if len(study.expectations) else [])]
    if study.comparison is not None or len(study.williams):
        sections.append(_comparison_section(study))
    if len(study.decisions):
        sections.append(_decisions_section(study))
    if len(study.pairs):
        sections.append(_pairs_section(study))
    sizes = {"metric": len(study.metrics), "system": len(study.means)}
    if study.scores is not None:
        sizes["item"] = study.scores.sizes["item"]
    if n_clusters := _n_clusters(study):
        sizes["cluster"] = n_clusters
    return Report(
        command="human",
        title=say("title"),
        facts=facts(**sizes),
        summary=_summary(study),
        key_figures=_key_figures(study),
        sections=tuple(sections),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"means.csv": csv_file(study.means.rename_axis("system").reset_index())},
    )


def _lead(study: HumanStudy) -> tuple[pd.DataFrame, str, str]:
    """Return the leading agreement, best first (metric, value, low and high), its statistic and its level."""
    if study.agreements:
        agreement = study.agreements[0]
        return agreement.table, agreement.statistic, agreement.level
    statistic = study.system_table["statistic"].iloc[0]
    frame = study.system_table[study.system_table["statistic"] == statistic]
    frame = frame.assign(low=float("nan"), high=float("nan"))
    return frame.sort_values("value", ascending=False, kind="stable"), statistic, "system"


def _summary(study: HumanStudy) -> tuple[str, ...]:
    table, statistic, level = _lead(study)
    best = ends(table["metric"], table["value"], map(_DECIMAL, table["value"]))[1]
    fields = {"best": best, "statistic": _STATISTICS[statistic], "level": say(level), "n_systems": len(study.means)}
    compared, how = study.comparison, say("permuted", study=study)
    wins = "" if compared is None else _wins_sentence(compared.wins(study.alpha), best, how)
    more = " ".join(filter(None, (_expected(study, best.names), wins)))
    lines = (_first(study, table, fields), more, say("caution", decided=len(study.decisions), **fields))
    return tuple(filter(None, lines))


def _first(study: HumanStudy, table: pd.DataFrame, given: Mapping[str, Any]) -> str:
    """Say how many metrics surely agree with people more than by chance, by their intervals."""
    chance, draws = _CHANCE.get(_lead(study)[1], 0.0), _draws(study)
    sides = [sure_side(row.value, row.low, row.high, chance, draws=draws) for row in table.itertuples()]
    written = dict(
        zip(table["metric"], _valued(study, table, [chance if side else None for side in sides]), strict=True)
    )
    agree = sum(side > 0 for side in sides)
    alone = len(given["best"].names) == 1
    figure = written[given["best"].names[0]] if alone else given["best"].figure
    bounded = bool(table["low"].notna().any())
    return say("first", n=len(table), agree=agree, bounded=bounded, figure=figure, **given)


def _expected(study: HumanStudy, best: Sequence[str]) -> str:
    """Name what users expect and the best metrics, or others, fail."""
    failing = study.expectations[study.expectations["state"].isin([BROKEN, UNNOTICED])]
    told = failing["expectation"] + " (" + failing["state"] + ")"
    unmet = told.groupby(failing["metric"], sort=False).agg(list).to_dict()
    of_best = [(name, unmet[name]) for name in best if name in unmet]
    others = [name for name in unmet if name not in best]
    n = study.expectations["expectation"].nunique()
    return say("expected", n=n, own=of_best, others=others, best=best)


def _draws(study: HumanStudy) -> int | None:
    return study.agreements[0].n_resamples if study.agreements else None


def _valued(study: HumanStudy, table: pd.DataFrame, apart: Sequence[float | None] = ()) -> list[str]:
    """Return agreements with their intervals, where they have one, which read otherwise than what they are beyond."""
    rows, draws = zip(table.itertuples(), apart or [None] * len(table), strict=True), _draws(study)
    return [bracketed(row.value, row.low, row.high, _DECIMAL, draws=draws, apart=bar) for row, bar in rows]


def _key_figures(study: HumanStudy) -> Table:
    """Return the leading agreement at every level, and of the significant pairs, best metric first."""
    frame, statistic, level = _lead(study)
    leads = {agreement.level: agreement for agreement in reversed(study.agreements)}  # the first of a level
    table_frame, columns = frame[["metric"]], [*left(metric="Metric")]
    for index, agreement in enumerate(leads[key] for key in dict.fromkeys((level, *leads)) if key in leads):
        rows = agreement.table.set_index("metric").loc[frame["metric"]]
        table_frame = table_frame.assign(**{f"{name}_{index}": rows[name].to_numpy() for name in ("low", "high")})
        table_frame = with_cells(table_frame, **{f"value_{index}": _valued(study, rows)})
        table_frame[f"value_{index}_sort"] = rows["value"].to_numpy()
        head = say("key", statistic=_STATISTICS[agreement.statistic], level=say(agreement.level), found=agreement)
        columns += right(text, **{f"value_{index}": head})
    if not leads:
        table_frame = table_frame.assign(value=frame["value"])
        columns += right(_DECIMAL, value=sentence_case(_STATISTICS[statistic]))
    if len(study.decisions):
        table_frame = table_frame.assign(
            f1=study.decisions.set_index("metric")["f1"].reindex(frame["metric"]).to_numpy()
        )
        columns += right(_DECIMAL, f1=say("key f1"))
    return key_figures(table_frame, columns, which="best")


def _wins_sentence(wins: pd.DataFrame, best: End, how: str) -> str:
    """Say how many others the best metrics are better than, and which ones no metric is better than."""
    others = wins.drop(index=[*best.names])
    if others.empty:
        return say("none apart", n_apart=int(wins["better_than"].sum()), how=how)
    beaten = wins["better_than"][[*best.names]].drop_duplicates().sort_values().tolist()
    return say(
        "wins",
        best=best,
        beaten=beaten,
        counted=[n or "none" for n in beaten],
        n_others=len(wins) - 1,
        other=others.index[0],
        level=natural_order(map(str, others.index[others["worse_than"] == 0])),
        how=how,
    )


def _agreement_section(study: HumanStudy) -> Section:
    pictures = [_agreement_picture(agreement, first=not index) for index, agreement in enumerate(study.agreements)]
    levels = dict.fromkeys(agreement.level for agreement in study.agreements)
    tables = [
        _level_table(study, [of_level for of_level in study.agreements if of_level.level == level]) for level in levels
    ]
    blocks: list[Block] = [*pictures[:1], *(tables or [_system_numbers(study)])]
    blocks += [Fold(title=picture.title, blocks=(picture,)) for picture in pictures[1:]]
    panels = [str(name) for name in _lead(study)[0]["metric"]]
    metrics = panels if len(panels) <= _PANELS else panels[: _PANELS - 1] + panels[-1:]
    blocks.append(
        Picture(
            **say.named("systems", some=metrics != panels),
            draw=lambda: figures.system_scatters(study.means, reference=study.reference, metrics=metrics),
            alt=say("systems alt", n=len(metrics), n_systems=len(study.means)),
        )
    )
    return Section(**say.headed("agreement lead"), brief=True, blocks=tuple(blocks))


def _expected_section(study: HumanStudy) -> Section:
    order = {name: position for position, name in enumerate(_lead(study)[0]["metric"])}
    table = Table(
        name="expectations",
        title=say("expected title"),
        caption=say("expected caption"),
        frame=study.expectations.sort_values("metric", key=lambda names: names.map(order), kind="stable"),
        columns=(
            *left(metric="Metric", expectation="Expectation", state="State"),
            *right(_DECIMAL, "Mean", better="better", worse="worse"),
            *right(whole, n_items="Items"),
        ),
    )
    return Section(
        id="expectations", title=say("expected title"), lead=say("expected lead"), blocks=(table,), brief=True
    )


def _agreement_picture(found: HumanAgreement, *, first: bool) -> Picture:
    label = f"{_STATISTICS[found.statistic]} {say(found.level)}"
    return Picture(
        name=f"agreement-{found.level}-{found.statistic}",
        draw=lambda: figures.agreement_dots(found.table.rename(columns={"metric": "name"}), label=label),
        title=sentence_case(label),
        caption=say("agreement picture", found=found, first=first),
        alt=say("agreement alt", table=found.table),
    )


def _level_table(study: HumanStudy, agreements: list[HumanAgreement]) -> Table:
    """Put the statistics of one level side by side, the metric that is best by the first of them first."""
    lead = agreements[0]
    frame = lead.table[["metric", "n_systems", "n_items", "n_cells", "n_used"]].copy()
    columns = [*left(metric="Metric")]
    for agreement in agreements:
        rows, name = agreement.table.set_index("metric").loc[frame["metric"]], agreement.statistic
        ends = intervals(rows["low"], rows["high"], _DECIMAL, draws=agreement.n_resamples, about=rows["value"])
        frame[[name, f"{name} ends_sort"]] = rows[["value", "low"]].to_numpy()
        frame[f"{name} ends"] = ends
        group, label = sentence_case(_STATISTICS[name]), say("interval", level=agreement.confidence_level)
        columns += [*right(_DECIMAL, group, **{name: "value"}), *under(text, group, **{f"{name} ends": label})]
    columns += right(whole, n_systems="Systems", n_items="Items", n_cells="Scores")
    if lead.level == "item":
        columns += right(whole, n_used="Items used")
    return Table(
        name=f"agreement-{lead.level}",
        **say.titled(
            "level",
            used=_STATISTICS[lead.statistic] if lead.level == "item" else "",
            reference=study.reference,
            level=say(lead.level),
        ),
        frame=frame,
        columns=tuple(columns),
        data=pd.concat([agreement.to_frame() for agreement in agreements], ignore_index=True),
    )


def _system_numbers(study: HumanStudy) -> Table:
    wide = study.system_matrix().rename_axis(index="metric", columns=None).reset_index()
    number_of = study.system_table.groupby("metric", sort=False)["n_systems"].first()
    wide["n_systems"] = wide["metric"].map(number_of)
    statistics = [name for name in _STATISTICS if name in wide]
    return Table(
        name="agreement-system",
        title=say("level title", reference=study.reference, level=say("system")),
        caption=say("system numbers"),
        frame=wide.sort_values(statistics[0], ascending=False, kind="stable"),
        columns=(
            *left(metric="Metric"),
            *right(_DECIMAL, **{name: sentence_case(_STATISTICS[name]) for name in statistics}),
            *right(whole, n_systems="Systems"),
        ),
    )


def _comparison_section(study: HumanStudy) -> Section:
    blocks: list[Block] = []
    order, comparison = [str(name) for name in _lead(study)[0]["metric"]], study.comparison
    if comparison is not None:
        blocks.append(_wins_table(study, comparison))
        blocks.append(
            Picture(
                **say.named("metric-comparison", reference=study.reference, **_compared(study, comparison)),
                draw=lambda: figures.comparison_map(comparison.decided(study.alpha), order=order),
                alt=say("map alt", wins=comparison.wins(study.alpha), comparison=comparison),
            )
        )
        blocks.append(Fold(title=say("permutation fold"), blocks=(_permutation_table(comparison),)))
    if len(study.williams):
        blocks.append(Fold(title=say("williams fold"), blocks=(_williams_table(study),)))
    return Section(**say.headed("comparison lead"), brief=True, blocks=tuple(blocks))


def _compared(study: HumanStudy, comparison: MetricComparison) -> dict[str, str]:
    return {"statistic": _STATISTICS[comparison.statistic], "how": say("permuted", study=study)}


def _wins_table(study: HumanStudy, comparison: MetricComparison) -> Table:
    return Table(
        **say.named("metric-wins", **_compared(study, comparison)),
        frame=comparison.wins(study.alpha).rename_axis("metric").reset_index(),
        columns=(*left(metric="Metric"), *right(whole, better_than="Better than", worse_than="Worse than")),
    )


def _permutation_table(comparison: MetricComparison) -> Table:
    named = {"p": "p", "p_corrected": "p, corrected"}
    frame, columns = p_values(comparison.table, named, raw={"p_corrected": "p"}, n_resamples=comparison.n_resamples)
    return Table(
        **say.named("metric-permutation", statistic=_STATISTICS[comparison.statistic], permute=comparison.permute),
        frame=frame,
        data=comparison.table,
        columns=(
            *left(metric_a="First", metric_b="Second"),
            *right(_DECIMAL, "Agreement", value_a="first", value_b="second", difference="difference"),
            *columns,
        ),
    )


def _williams_table(study: HumanStudy) -> Table:
    return Table(
        **say.named("williams"),
        frame=study.williams,
        columns=(
            *left(metric_a="First", metric_b="Second"),
            *right(_DECIMAL, "r with people", correlation_a="first", correlation_b="second"),
            *right(_DECIMAL, between="r between the two metrics"),
            *right(whole, n_systems="Systems"),
            *right(number(2), t="t"),
            *right(p_value, p="p", p_corrected="p, corrected"),
        ),
    )


def _n_clusters(study: HumanStudy) -> int:
    coords = {} if study.scores is None else study.scores.coords
    return len(np.unique(coords["cluster"])) if "cluster" in coords else 0


def _decisions_section(study: HumanStudy) -> Section:
    table = Table(
        **say.named("decisions", study=study),
        frame=study.decisions.sort_values("f1", ascending=False, kind="stable"),
        columns=(
            *left(metric="Metric"),
            *right(
                whole, "Significant under", n_metric="metric", n_human="people", n_shared="both", n_conflicts="opposite"
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(_DECIMAL, f1="F1"),
            *right(whole, n_systems="Systems", n_units="Clusters" if _n_clusters(study) else "Items"),
        ),
    )
    return Section(**say.headed("decisions lead"), blocks=(table,))


def _pairs_section(study: HumanStudy) -> Section:
    frame = study.pairs.reset_index().sort_values("tau", ascending=False, kind="stable")
    table = Table(
        name="human-pairs",
        **say.titled("pairs"),
        frame=frame,
        columns=(
            *left(metric="Metric"),
            *right(whole, pairs="Pairs", agree="Agree", tied="Tied", unknown="Missing"),
            *right(number(4), tau="τ"),
        ),
    )
    return Section(**say.headed("pairs lead"), blocks=(table,))


def _methods(study: HumanStudy) -> Methods:
    scored = say(
        "scored",
        study=study,
        n_items=0 if study.scores is None else study.scores.sizes["item"],
        n_clusters=_n_clusters(study),
        accuracy="accuracy" in study.system_table["statistic"].tolist(),
    )
    paragraphs = [scored, *(_interval_words(study, lead) for lead in study.agreements[:1])]
    fields = {"seed": _seeded(study), "clustered": _n_clusters(study), "correction": study.correction, "study": study}
    if study.comparison is not None:
        statistic = _STATISTICS[study.comparison.statistic]
        paragraphs.append(say("comparison methods", comparison=study.comparison, statistic=statistic, **fields))
    parts = {"williams": study.williams, "decisions": study.decisions, "pairs": study.pairs}
    paragraphs += [say("expected methods")] if len(study.expectations) else []
    paragraphs += [say(f"{name} methods", **fields) for name, table in parts.items() if len(table)]
    return Methods(paragraphs=tuple(paragraphs))


def _interval_words(study: HumanStudy, lead: HumanAgreement) -> str:
    items = "clusters" if _n_clusters(study) else "items"
    asked = {agreement.statistic for agreement in study.agreements if agreement.level == "system"}
    return say(
        "intervals",
        lead=lead,
        drawn={"items": items, "systems": "systems", "both": f"{items} and systems"}[lead.resample],
        seed=_seeded(study),
        wide=[_STATISTICS[name] for name in ("kendall", "accuracy") if name in asked],
        low=asked and lead.resample != "systems",
    )


def _seeded(study: HumanStudy) -> str:
    """Name the seed of the study; the parts draw from seeds derived from it, which would tell a reader nothing."""
    return f" ({study.provenance.random_source})" if study.provenance.random_source else ""
