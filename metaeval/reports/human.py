# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that answers whether metrics agree with people: a comparison put into sections, words and pictures."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from metaeval.agreement.human import HumanAgreement
from metaeval.figures.human import comparison_map, correlation_dots, system_scatters
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.studies.human import HumanStudy
from metaeval.visible import csv_text
from metaeval.words import count, listed, number, p_value, percentage, share, whole

__all__ = ["human_page", "write_human_report"]

_TITLE = "Do the metrics agree with people?"
_STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall": "Kendall's τ",
    "accuracy": "pairs ordered as people do",
}
_LEVELS = {
    "system": "over systems, by their means",
    "item": "over the systems of an item, mean over items",
    "all": "over all cells",
}
_PANELS = 6


def human_page(study: HumanStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put a comparison with human scores into a page.

    Parameters
    ----------
    study : HumanStudy
    messages : sequence of str
        Warnings given on the way; they stand with the study's notes.

    Returns
    -------
    Page
    """
    sections = [_agreement_section(study)]
    if study.comparison is not None or len(study.williams):
        sections.append(_comparison_section(study))
    if len(study.decisions):
        sections.append(_decisions_section(study))
    if len(study.pairs):
        sections.append(_pairs_section(study))
    facts = [(str(len(study.metrics)), "metrics"), (str(len(study.means)), "systems")]
    if study.scores is not None:
        facts.append((str(study.scores.sizes["item"]), "items"))
        if "cluster" in study.scores.coords:
            facts.append((str(len(set(study.scores["cluster"].to_numpy().tolist()))), "clusters"))
    return Page(
        title=_TITLE,
        facts=tuple(facts),
        summary=_summary(study),
        sections=(
            *sections,
            _methods_section(study),
            notes_section(study.notes, messages),
            provenance_section(study.provenance),
        ),
        provenance=study.provenance,
    )


def write_human_report(
    study: HumanStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of a comparison with human scores as a folder.

    Parameters
    ----------
    study : HumanStudy
    out : path
        The folder; see `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `human_page`.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.
    """
    check_folder(out, overwrite=overwrite)
    means = study.means.rename_axis("system").reset_index()
    return write_page(
        human_page(study, messages=messages), out, data={"means.csv": partial(_write_csv, means)}, overwrite=overwrite
    )


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(csv_text(frame), encoding="utf-8", errors="backslashreplace", newline="\n")


def _first(study: HumanStudy) -> pd.DataFrame:
    """Return the leading agreement: metric, value, low and high, best first."""
    if study.agreements:
        return study.agreements[0].table
    lead = study.system_table["statistic"].iloc[0]
    frame = study.system_table[study.system_table["statistic"] == lead]
    return frame.assign(low=float("nan"), high=float("nan")).sort_values("value", ascending=False, kind="stable")


def _summary(study: HumanStudy) -> tuple[str, ...]:
    lead = _first(study)
    statistic = study.agreements[0].statistic if study.agreements else study.system_table["statistic"].iloc[0]
    decimal = number(3)
    best = lead.iloc[0]
    ends = "" if pd.isna(best["low"]) else f" ({decimal(best['low'])} to {decimal(best['high'])})"
    level = study.agreements[0].level if study.agreements else "system"
    closest = (
        f"The metric {best['metric']} agrees {'best ' if len(lead) > 1 else ''}with the human scores (column "
        f"{study.reference}) {_LEVELS[level]}: {_STATISTICS[statistic]} {decimal(best['value'])}{ends}."
    )
    if len(lead) > 1:
        last = lead.iloc[-1]
        which = f"The last of {len(lead)} metrics is" if len(lead) > 2 else "The other metric is"  # noqa: PLR2004
        closest += f" {which} {last['metric']} with {decimal(last['value'])}."
    lines = [closest]
    if study.comparison is not None:
        lines.append(_wins_sentence(study.comparison.wins(study.alpha), str(best["metric"]), _corrected(study)))
    if len(study.decisions):
        top = study.decisions.sort_values("f1", ascending=False, kind="stable").iloc[0]
        conflicts = int(study.decisions["n_conflicts"].sum())
        lines.append(
            f"Significant pairs of systems: those under {top['metric']} predict those under {study.reference} best "
            f"(precision {share(top['precision'])}, recall {share(top['recall'])}); over all metrics "
            f"{count(conflicts, 'pair')} {'is' if conflicts == 1 else 'are'} significant in opposite directions."
        )
    return tuple(lines)


def _corrected(study: HumanStudy) -> str:
    return f"(permutation, {study.correction}, α = {study.alpha:g})"


def _wins_sentence(wins: pd.DataFrame, best: str, how: str) -> str:
    """Say how many others the best metric beats, and which ones nobody beats."""
    beaten, others = wins["better_than"].to_dict()[best], [str(name) for name in wins.index if name != best]
    if len(others) == 1:
        return f"{best} is {'' if beaten else 'not '}significantly better than {others[0]} {how}."
    if beaten == len(others):
        return f"{best} is significantly better than each of the {len(others)} others {how}."
    worse_than = wins["worse_than"].to_dict()
    unbeaten = [name for name in others if not worse_than[name]]
    rest = "Each of the others is significantly worse than some metric."
    if unbeaten:
        verb = "is" if len(unbeaten) == 1 else "are"
        rest = f"{listed(unbeaten)} {verb} not significantly worse than any other either."
    return f"{best} is significantly better than {beaten or 'none'} of the {len(others)} others {how}. {rest}"


def _agreement_section(study: HumanStudy) -> Section:
    blocks: list[Block] = []
    for found in study.agreements:
        name = f"{found.level}-{found.statistic}"
        label = f"{_STATISTICS[found.statistic]}, {_LEVELS[found.level]}"
        picture = Picture(
            name=f"agreement-{name}",
            figure=correlation_dots(found.table, label=label),
            title=label[0].upper() + label[1:],
            caption=f"Best first; bars are {percentage(found.confidence)} intervals over other "
            f"{_resampled(found.resample)}. They hold for each metric by itself; whether two differ is told below.",
            alt=f"{len(found.table)} dots with intervals, from {found.table['value'].max():.2f} to "
            f"{found.table['value'].min():.2f}.",
        )
        blocks.append(
            picture
            if found is study.agreements[0]
            else Fold(title=picture.title, blocks=(picture, _numbers(study, found)))
        )
        if found is study.agreements[0]:
            blocks.append(Fold(title="The numbers", blocks=(_numbers(study, found),)))
    if not study.agreements:
        blocks.append(_system_numbers(study))
    panels = [str(name) for name in _first(study)["metric"]]
    shown = panels if len(panels) <= _PANELS else panels[: _PANELS - 1] + panels[-1:]
    blocks.append(
        Picture(
            name="systems",
            figure=system_scatters(study.means, reference=study.reference, metrics=shown),
            title="Systems as people and as metrics see them",
            caption="A point is a system. A correlation over few systems may rest on one of them that stands far from "
            "the rest: look before trusting the number."
            + ("" if shown == panels else " The best five metrics and the last."),
            alt=f"{len(shown)} scatter plots of {len(study.means)} systems.",
        )
    )
    return Section(
        id="agreement",
        title="How closely do they follow?",
        lead="Agreement over systems says whether a metric ranks systems as people do; agreement on items says "
        "whether it can be trusted on a single text.",
        blocks=tuple(blocks),
    )


def _resampled(what: str) -> str:
    return {"items": "items of the same kind", "systems": "systems of the same kind", "both": "items and systems"}[what]


def _numbers(study: HumanStudy, found: HumanAgreement) -> Table:
    frame = found.table
    name = f"{found.level}-{found.statistic}"
    return Table(
        name=f"agreement-{name}",
        title=f"{_STATISTICS[found.statistic]} with {study.reference}",
        caption=f"{_LEVELS[found.level][0].upper()}{_LEVELS[found.level][1:]}; cells with both scores.",
        frame=frame,
        columns=(
            Column(name="metric", label="Metric"),
            Column(name="value", label="Value", write=number(3), align="right"),
            Column(name="low", label="low", write=number(3), align="right"),
            Column(name="high", label="high", write=number(3), align="right"),
            Column(name="n_systems", label="Systems", write=whole, align="right"),
            Column(name="n_items", label="Items", write=whole, align="right"),
            Column(name="n_cells", label="Cells", write=whole, align="right"),
        ),
    )


def _system_numbers(study: HumanStudy) -> Table:
    wide = study.system_matrix().rename_axis(index="metric", columns=None).reset_index()
    number_of = study.system_table.groupby("metric", sort=False)["n_systems"].first()
    wide["n_systems"] = wide["metric"].map(number_of)
    statistics = [name for name in _STATISTICS if name in wide]
    return Table(
        name="agreement-system",
        title=f"Agreement with {study.reference} over systems",
        caption="Only one score a system is known, so there are no intervals over items.",
        frame=wide.sort_values(statistics[0], ascending=False, kind="stable"),
        columns=(
            Column(name="metric", label="Metric"),
            *(Column(name=name, label=_STATISTICS[name], write=number(3), align="right") for name in statistics),
            Column(name="n_systems", label="Systems", write=whole, align="right"),
        ),
    )


def _comparison_section(study: HumanStudy) -> Section:
    blocks: list[Block] = []
    order = [str(name) for name in _first(study)["metric"]]
    if study.comparison is not None:
        blocks.append(
            Picture(
                name="metric-comparison",
                figure=comparison_map(study.comparison.table, order=order, alpha=study.alpha),
                title="Which metric is significantly better than which",
                caption=f"A blue field: the metric of its row agrees with {study.reference} significantly better than "
                f"that of its column ({study.correction}, α = {study.alpha:g}). Best metric first.",
                alt=f"{int(study.comparison.wins(study.alpha)['better_than'].sum())} of "
                f"{len(study.comparison.table)} pairs differ significantly.",
            )
        )
        blocks.append(Fold(title="Every pair, by permutation", blocks=(_permutation_table(study),)))
    if len(study.williams):
        blocks.append(
            Fold(title="Every pair, by Williams' test on the systems' means", blocks=(_williams_table(study),))
        )
    return Section(
        id="comparison",
        title="Which metric is better?",
        lead="Two intervals may overlap although one metric is clearly better, since both are compared with the same "
        "human scores; so metrics are compared pair by pair.",
        blocks=tuple(blocks),
    )


def _permutation_table(study: HumanStudy) -> Table:
    assert study.comparison is not None  # noqa: S101 - asked only then
    return Table(
        name="metric-permutation",
        title="Differences of agreement, by permutation",
        caption="Under the null hypothesis the two metrics' scores may be exchanged.",
        frame=study.comparison.table,
        columns=(
            Column(name="metric_a", label="First"),
            Column(name="metric_b", label="Second"),
            Column(name="value_a", label="first", write=number(3), align="right", group="Agreement"),
            Column(name="value_b", label="second", write=number(3), align="right", group="Agreement"),
            Column(name="difference", label="difference", write=number(3), align="right", group="Agreement"),
            Column(name="p", label="p", write=p_value, align="right"),
            Column(name="p_corrected", label="corrected", write=p_value, align="right"),
        ),
    )


def _williams_table(study: HumanStudy) -> Table:
    return Table(
        name="williams",
        title="Williams' test for correlations that share the human scores",
        caption="Two-sided, on absolute Pearson correlations over systems: a metric that orders systems the wrong way "
        "round counts by how closely it does.",
        frame=study.williams,
        columns=(
            Column(name="metric_a", label="First"),
            Column(name="metric_b", label="Second"),
            Column(name="correlation_a", label="first", write=number(3), align="right", group="r with people"),
            Column(name="correlation_b", label="second", write=number(3), align="right", group="r with people"),
            Column(name="between", label="r of both", write=number(3), align="right"),
            Column(name="n_systems", label="Systems", write=whole, align="right"),
            Column(name="t", label="t", write=number(2), align="right"),
            Column(name="p", label="p", write=p_value, align="right"),
            Column(name="p_corrected", label="corrected", write=p_value, align="right"),
        ),
    )


def _decisions_section(study: HumanStudy) -> Section:
    table = Table(
        name="decisions",
        title="Significant pairs of systems, under each metric and under people",
        caption=f"Test {study.test}, {study.correction}, α = {study.alpha:g}, one-sided in the better direction. "
        "Precision: of the pairs that the metric finds, the share that people find too. Recall: of the pairs that "
        "people find.",
        frame=study.decisions.sort_values("f1", ascending=False, kind="stable"),
        columns=(
            Column(name="metric", label="Metric"),
            Column(name="n_metric", label="metric", write=whole, align="right", group="Significant under"),
            Column(name="n_human", label="people", write=whole, align="right", group="Significant under"),
            Column(name="n_shared", label="both", write=whole, align="right", group="Significant under"),
            Column(name="n_conflicts", label="opposite", write=whole, align="right", group="Significant under"),
            Column(name="precision", label="Precision", write=share, align="right"),
            Column(name="recall", label="Recall", write=share, align="right"),
            Column(name="f1", label="F1", write=number(3), align="right"),
            Column(name="n_systems", label="Systems", write=whole, align="right"),
            Column(name="n_units", label="Units", write=whole, align="right"),
        ),
    )
    return Section(
        id="decisions",
        title="Do they conclude the same?",
        lead="What matters in the end is which system is better than which. A metric has less noise than people and "
        "finds more pairs: low precision may mean that people were asked too little, opposite pairs are hard to "
        "explain but by an error of the metric.",
        blocks=(table,),
    )


def _pairs_section(study: HumanStudy) -> Section:
    frame = study.pairs.reset_index().sort_values("tau", ascending=False, kind="stable")
    table = Table(
        name="human-pairs",
        title="Pairs of systems that people tell apart on an item",
        caption="τ = (agree − others) / pairs, the Kendall-like figure of the WMT metrics tasks; a tie or gap of the "
        "metric counts against it.",
        frame=frame,
        columns=(
            Column(name="metric", label="Metric"),
            Column(name="pairs", label="Pairs", write=whole, align="right"),
            Column(name="agree", label="Agree", write=whole, align="right"),
            Column(name="tied", label="Tied", write=whole, align="right"),
            Column(name="unknown", label="Unknown", write=whole, align="right"),
            Column(name="tau", label="τ", write=number(4), align="right"),
        ),
    )
    return Section(
        id="pairs",
        title="Pair by pair, on single items",
        lead="Which of two outputs for one item is better, where people see a difference.",
        blocks=(table,),
    )


def _methods_section(study: HumanStudy) -> Section:
    cells = (
        "Cells that lack the metric or the human score are left out for that metric, of both. Intervals: value ± t · "
        "d · √(n/(n−1)), d the root mean square distance of resamples of items (or clusters, systems), the same for "
        "every metric. Their quantiles would lie too low, because drawing again adds noise to the means of close "
        "systems."
    )
    figures = (
        "Pairs ordered as people do: the share of pairs of systems with different human means that the metric orders "
        "alike (Kocmi et al. 2021). Williams' test: Williams (1959), Graham and Baldwin (2014). Decisions: Ogilvie and "
        "Lalmas (2006), section 3.4; a cluster's sum, scaled, is one unit, so the tests are on the mean over items."
    )
    words = [cells, figures]
    if study.comparison is not None:
        words.append(
            f"Permutation of metrics: {study.comparison.n_resamples} exchanges ({study.comparison.permute}; "
            f"{study.comparison.random_source}), after both metrics are brought to mean 0 and variance 1."
        )
    return Section(id="methods", title="Methods", lead="What was computed.", blocks=(Text(paragraphs=tuple(words)),))
