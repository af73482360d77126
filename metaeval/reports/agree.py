# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that answers whether metrics lead to the same conclusions: an agreement study in words and pictures."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.bibliography import publications
from metaeval.figures.agreement import agreement_rows, disagreement_panels, matrix_map
from metaeval.io.tables import write_scores
from metaeval.reports.agree_words import advice_sentences, compared_rows, grade_sentences, label, summary_sentences
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Item, Items, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.studies.agree import MERGED, AgreeStudy
from metaeval.tests_stat.catalogue import TESTS, name_of_test
from metaeval.tests_stat.correction import words_for_correction
from metaeval.visible import csv_text
from metaeval.words import (
    count,
    interval,
    listed,
    name_of_metric,
    number,
    percentage,
    share,
    share_of,
    short_names,
    whole,
)

__all__ = ["agree_page", "write_agree_report"]

_TWO, _FOUR = number(2), number(4)
_MOST_CONFLICTS = 200
_MOST_PICTURES = 8
_USES = "Linear: gain = grade; exponential: gain = 2^grade − 1; binary ≥ k: relevant from grade k on, all alike. "
_MEASURES = (("precision", "Precision"), ("recall", "Recall"), ("f1", "F1"))

_SOURCES = ("ogilvie2006", "benjamini2001", "yilmaz2008")


def agree_page(study: AgreeStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put an agreement study into a page.

    Parameters
    ----------
    study : AgreeStudy
    messages : sequence of str
        Warnings given on the way; they stand with the study's notes.

    Returns
    -------
    Page
    """
    title = "Do the grades matter for the conclusions?" if study.variants else "Do they lead to the same conclusions?"
    rows = compared_rows(study)
    return Page(
        title=title,
        facts=_facts(study),
        summary=tuple(summary_sentences(study)),
        sections=(
            _advice_section(study, messages),
            _shares_section(study),
            *_matrix_sections(study),
            *_grades_section(study),
            *_overview_section(study),
            _pairs_section(study),
            *_disagreement_section(study, rows),
            _conflicts_section(study),
            *_levels_section(study),
            _methods_section(study),
            notes_section([*short_names(study.lead.metrics), *study.notes, *_twins(study)], messages),
            provenance_section(study.provenance),
        ),
        provenance=study.provenance,
    )


def write_agree_report(
    study: AgreeStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of an agreement study as a folder.

    Parameters
    ----------
    study : AgreeStudy
    out : path
        The folder; see `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `agree_page`.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.

    Raises
    ------
    InvalidOptionError
        If the folder may not be written. Nothing is left behind then.
    """
    check_folder(out, overwrite=overwrite)
    data: dict[str, Callable[[Path], object]] = {
        "scores.nc": partial(write_scores, study.scores),
        "scores.parquet": partial(write_scores, study.scores),
        "agreement.csv": partial(_write_csv, study.to_frame()),
        "conflicts.csv": partial(_write_csv, study.lead.conflicts()),
    }
    return write_page(agree_page(study, messages=messages), out, data=data, overwrite=overwrite)


# -------------------------------------------------------------------------------------------------- the short answer


def _facts(study: AgreeStudy) -> tuple[tuple[str, str], ...]:
    sizes = study.scores.sizes
    what = "use of grades" if study.variants else "metric"
    counts = {what: sizes["metric"], "system": sizes["system"], "topic": sizes["topic"], "pair": study.lead.n_pairs}
    shown = [
        (str(n), what if n == 1 else what.replace("use ", "uses ") if " " in what else f"{what}s")
        for what, n in counts.items()
    ]
    return (*shown, (f"{study.lead.alphas[0]:g}", "significance level α"))


def _advice_section(study: AgreeStudy, messages: Sequence[str]) -> Section:
    rows = compared_rows(study)
    sizes = study.scores.sizes
    limits = [
        (
            f"The evidence is {count(sizes['system'], 'system')} on {count(sizes['topic'], 'topic')}. Systems of "
            "another kind may agree less. More topics make more pairs significant under every metric."
        ),
        (
            "Agreement says that two metrics lead to the same conclusions, not that these are right: two metrics can "
            "share an error, and a metric that finds less need not be worse."
        ),
    ]
    if study.variants:
        limits.append(
            "All uses of the grades are computed from judgments made with the full scale. Assessors who are given a "
            "coarser scale may judge differently; only new judgments can show that."
        )
    blocks: list[Block] = [Text(paragraphs=tuple(advice_sentences(study)) or ("There is nothing to compare.",))]
    out_of_reach = tuple(words for words in messages if "raise n_resamples" in words)
    if out_of_reach:
        blocks.insert(0, Text(paragraphs=out_of_reach, look="note"))
    if len(rows):
        names = [
            f"{label(study, row.predictor)} for {label(study, row.truth, within=True)}" for row in rows.itertuples()
        ]
        bounds = "Bar: its interval over topics. " if study.intervals is not None else ""
        blocks.append(
            Picture(
                name="f1_rows",
                figure=agreement_rows(rows.assign(label=names), enough=study.enough),
                title="Agreement with the metric in use",
                caption=f"Dot: F1 of the significant pairs of systems. {bounds}Line: {study.enough:g}, from which "
                "conclusions are called the same here, which is a convention; choose another with enough.",
                alt="; ".join(f"{name} {row.f1:.2f}" for name, row in zip(names, rows.itertuples(), strict=True)),
            )
        )
    blocks.append(Items(items=tuple(Item(words=words) for words in limits)))
    return Section(
        id="advice",
        title="What the evidence allows",
        lead="Which metric, or use of the grades, could stand in for which without changing what these data let one "
        "conclude about these systems.",
        blocks=tuple(blocks),
    )


# ----------------------------------------------------------------------------------------------------- the sections


def _shares_section(study: AgreeStudy) -> Section:
    shown = [name for members in study.groups().values() for name in members]
    words = {variant.metric: variant.words for variant in study.variants}
    frame = study.shares()
    frame = frame[frame["metric"].isin(shown) & (frame["alpha"] == study.lead.alphas[0])]
    n_pairs = study.lead.n_pairs
    frame = frame.assign(
        words=[words.get(name, "") for name in frame["metric"]],
        found=[share_of(n, n_pairs) for n in frame["n_rejected"]],
        found_sort=frame["n_rejected"],
        bounds=[interval(low, high) for low, high in zip(frame["low"], frame["high"], strict=True)],
    )
    columns = [Column(name="metric", label="Metric", write=name_of_metric)]
    columns += [Column(name="words", label="Use of the grades")] if words else []
    columns += [Column(name="found", label="Pairs told apart", align="right")]
    if study.intervals is not None:
        label = f"{percentage(study.intervals.confidence_level)} interval"
        columns.append(Column(name="bounds", label=label, align="right"))
    table = Table(
        name="shares",
        title="Pairs of systems told apart",
        caption=f"{_USES if study.variants else ''}{_how(study)}.",
        frame=frame,
        columns=tuple(columns),
        data=frame[["alpha", "metric", "n_rejected", "share", "low", "high"]],
    )
    return Section(
        id="shares",
        title="How much each finds",
        lead="A metric that finds few pairs cannot predict many of another's.",
        blocks=(table,),
    )


def _matrix_sections(study: AgreeStudy) -> list[Section]:
    sections = []
    for place, (base, members) in enumerate(study.groups().items()):
        if len(members) < 2:  # noqa: PLR2004 - a matrix of one says nothing
            continue
        stem = f"{base} " if base else ""
        tables = [_matrix_table(study, members, measure, title, stem) for measure, title in _MEASURES]
        matrix = _named_matrix(study, members, within=bool(base))
        picture = Picture(
            name=f"{stem}f1_map",
            figure=matrix_map(matrix),
            title=f"F1{' of the uses of the grades under ' + name_of_metric(base) if base else ''}",
            caption="F1 is the same both ways. The stronger the colour, the nearer the two are to finding the same "
            "pairs of systems.",
            alt=_matrix_alt(matrix),
        )
        sections.append(
            Section(
                id=f"matrix-{place}" if base else "matrix",
                title=f"The uses of the grades under {name_of_metric(base)}" if base else "Who predicts whom",
                lead="The significant pairs under the metric in the row, taken as a prediction of those under the "
                "metric in the column. Precision: how many of the row's the column finds too. Recall: how many of the "
                "column's the row finds.",
                blocks=(picture, *tables),
            )
        )
    return sections


def _named_matrix(study: AgreeStudy, members: Sequence[str], *, within: bool = False) -> pd.DataFrame:
    """Return F1 with the names of the page on both sides."""
    names = [label(study, name, within=within) for name in members]
    return study.lead.matrix("f1").loc[list(members), list(members)].set_axis(names, axis=0).set_axis(names, axis=1)


def _matrix_table(study: AgreeStudy, members: Sequence[str], measure: str, title: str, stem: str) -> Table:
    matrix = study.lead.matrix(measure).loc[list(members), list(members)]
    short = [label(study, name, within=bool(stem)) for name in members]
    found = study.lead.data["share"].sel(metric=list(members)).to_numpy()[0]
    frame = pd.DataFrame({"predictor": short, "share": found})
    for place, name in enumerate(members):
        frame[f"truth {place}"] = matrix[name].to_numpy()
    columns = (
        Column(name="predictor", label="Predictor"),
        Column(name="share", label="Finds", write=share, align="right"),
        *(
            Column(name=f"truth {place}", label=name, write=_TWO, align="right", group="Truth")
            for place, name in enumerate(short)
        ),
    )
    data = frame.rename(columns={f"truth {place}": name for place, name in enumerate(members)})
    return Table(
        name=f"{stem}{measure}",
        title=title,
        caption={
            "precision": "Of the pairs that the row finds, the share that the column finds too.",
            "recall": "Of the pairs that the column finds, the share that the row finds too.",
            "f1": "Harmonic mean of precision and recall.",
        }[measure],
        frame=frame,
        columns=columns,
        data=data.assign(predictor=list(members)),
    )


def _matrix_alt(matrix: pd.DataFrame) -> str:
    values = matrix.to_numpy(dtype=float).copy()
    np.fill_diagonal(values, np.nan)
    low, high = (divmod(int(place(values)), len(values)) for place in (np.nanargmin, np.nanargmax))
    names = matrix.index.tolist()
    return (
        f"F1 from {values[low]:.2f} ({names[low[0]]} and {names[low[1]]}) to {values[high]:.2f} ({names[high[0]]} and "
        f"{names[high[1]]})."
    )


def _grades_section(study: AgreeStudy) -> list[Section]:
    frame = study.grades()
    if frame.empty:
        return []
    known = study.intervals is not None
    frame = frame.assign(kept=frame["recall"], added=1 - frame["precision"], short=frame["metric"].map(name_of_metric))
    columns = [
        Column(name="base", label="Metric", write=name_of_metric),
        Column(name="boundary", label="Blind to"),
        Column(name="f1", label="F1", write=_TWO, align="right"),
    ]
    if known:
        frame["bounds"] = [interval(a, b, _TWO) for a, b in zip(frame["f1_low"], frame["f1_high"], strict=True)]
        columns.append(Column(name="bounds", label="interval", align="right"))
    columns += [
        Column(name="kept", label="Findings kept", write=share, align="right"),
        Column(name="added", label="New among its own", write=share, align="right"),
        Column(name="n_conflicts", label="Conflicts", write=whole, align="right"),
        Column(name="tau", label="τ", write=_TWO, align="right"),
    ]
    table = Table(
        name="grades",
        title="Conclusions without one boundary between grades",
        caption="Each metric with linear gains, against itself when two neighbouring grades count the same (level 1 "
        "merged with 0 counts as not relevant; others get the mean of their gains).",
        frame=frame,
        columns=tuple(columns),
        data=frame.drop(columns=["kept", "added", "short", *(["bounds"] if known else [])]),
    )
    return [
        Section(
            id="grades",
            title="Which grades matter",
            lead="Take away one boundary between grades at a time and see which conclusions change.",
            blocks=(Text(paragraphs=(" ".join(grade_sentences(study)),)), table),
        )
    ]


def _overview_section(study: AgreeStudy) -> list[Section]:
    """Show all metrics of an audit in one map."""
    if len(study.groups()) < 2:  # noqa: PLR2004 - one group has its map already
        return []
    members = [name for group in study.groups().values() for name in group]
    matrix = _named_matrix(study, members)
    picture = Picture(
        name="f1_map_all",
        figure=matrix_map(matrix),
        title="F1 between all metrics and uses of the grades",
        caption="How much the choice of the use of the grades matters, beside the choice of the metric.",
        alt=_matrix_alt(matrix),
    )
    return [
        Section(
            id="all",
            title="Metrics and grades together",
            lead="Blocks along the diagonal hold one metric under its uses of the grades; what lies outside compares "
            "metrics.",
            blocks=(picture,),
        )
    ]


def _pairs_section(study: AgreeStudy) -> Section:
    frame = study.to_frame().iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    order = {name: place for place, name in enumerate(study.lead.metrics)}
    hidden = {variant.metric for variant in study.variants if variant.kind == MERGED}
    inside = ~(frame["predictor"].isin(hidden) | frame["truth"].isin(hidden))
    first = frame["truth"].map(order) < frame["predictor"].map(order)
    full = frame[inside & first].sort_values("f1", kind="stable", ignore_index=True)
    known = study.intervals is not None
    shown = full.assign(
        truth=full["truth"].map(partial(label, study)),
        predictor=full["predictor"].map(partial(label, study)),
        bounds=[interval(a, b, _TWO) for a, b in zip(full["f1_low"], full["f1_high"], strict=True)] if known else "",
    )
    columns = [
        Column(name="truth", label="Metric"),
        Column(name="predictor", label="and", under=True),
        Column(name="f1", label="F1", write=_TWO, align="right"),
        *([Column(name="bounds", label="interval", align="right", under=True)] if known else []),
        Column(name="recall", label="first's found by second", write=share, align="right"),
        Column(name="precision", label="second's found by first", write=share, align="right"),
        Column(name="n_conflicts", label="Conflicts", write=whole, align="right"),
        Column(name="tau", label="τ", write=_TWO, align="right", group="Correlation of the rankings"),
        Column(name="tau_ap", label="τ AP", write=_TWO, align="right", group="Correlation of the rankings"),
        Column(name="rho", label="ρ", write=_TWO, align="right", group="Correlation of the rankings"),
    ]
    table = Table(
        name="pairs_of_metrics",
        title="Every two metrics",
        caption="Sorted by F1, least agreement first. τ AP takes the first metric's ranking as the reference.",
        frame=shown,
        columns=tuple(columns),
        data=full,
    )
    return Section(
        id="pairs",
        title="Decisions beside rank correlations",
        lead="A correlation of the two rankings counts every swap, also of systems that neither metric tells apart; F1 "
        "counts what one would conclude. Where the two columns part, the correlation misleads: low τ with high F1 "
        "means swaps that nobody could defend, high τ with low F1 that one metric is much less decisive.",
        blocks=(table if len(shown) <= 2 * _MOST_PICTURES else Fold(title=f"All {len(shown)} pairs", blocks=(table,)),),
    )


def _disagreement_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    agreement = study.lead
    cuts = agreement.thresholds().set_index(["predictor", "truth"])
    chosen = rows[(rows["n_predictor"] > 0) & (rows["n_truth"] > 0)].sort_values("f1", kind="stable")
    if chosen.empty:
        return []
    pictures = []
    for row in chosen.head(_MOST_PICTURES).itertuples():
        predictor, truth = str(row.predictor), str(row.truth)
        cut = cuts.loc[[(predictor, truth)]].iloc[0]
        pair = f"{label(study, row.predictor)} and {label(study, row.truth, within=True)}"
        better = (
            f"Keeping only the former's findings with a difference of at least {cut['threshold']:.3f} (dashed) would "
            f"raise F1 from {cut['f1_without']:.2f} to {cut['f1']:.2f} here."
            if cut["threshold"] > 0
            else "No threshold on the difference under the former would raise F1."
        )
        pictures.append(
            Picture(
                name=f"disagreement {predictor} {truth}",
                figure=disagreement_panels(
                    agreement.disagreement(predictor, truth),
                    agreement.densities(predictor, truth),
                    predictor=predictor,
                    truth=truth,
                    cut=float(cut["threshold"]),
                ),
                title=f"Where {pair} disagree",
                caption="Each dot is a pair of systems that is significant under at least one of the two: how far the "
                "better one is ahead under either. Right: how many pairs of each kind there are at a size of the "
                f"difference. {better}",
                alt=f"F1 {row.f1:.2f}; {row.n_shared} pairs significant under both, {row.n_conflicts} in conflict.",
            )
        )
    first, *others = pictures
    table = _threshold_table(study, rows, cuts)
    folds = tuple(Fold(title=picture.title, blocks=(picture,)) for picture in others)
    return [
        Section(
            id="disagreement",
            title="Where they disagree",
            lead="If only small differences are found by one metric and not by the other, they differ in power; if "
            "large ones are, they measure different things.",
            blocks=(first, *folds, table),
        )
    ]


def _threshold_table(study: AgreeStudy, rows: pd.DataFrame, cuts: pd.DataFrame) -> Table:
    keys = pd.MultiIndex.from_frame(rows[["predictor", "truth"]])
    frame = cuts.loc[keys].reset_index()
    shown = frame.assign(
        predictor_name=frame["predictor"].map(partial(label, study)),
        truth_name=frame["truth"].map(partial(label, study, within=bool(study.variants))),
        kept=[share_of(a, b) for a, b in zip(frame["n_kept"], frame["n_predictor"], strict=True)],
        kept_sort=frame["n_kept"],
    )
    return Table(
        name="thresholds",
        title="The difference from which the two agree best",
        caption=f"Chosen and judged on the same {study.scores.sizes['topic']} topics, so the gain is an upper bound. "
        "0: no finding should go.",
        frame=shown,
        columns=(
            Column(name="predictor_name", label="Predictor"),
            Column(name="truth_name", label="Truth"),
            Column(name="threshold", label="Least |difference|", write=_FOUR, align="right"),
            Column(name="f1_without", label="F1 without", write=_TWO, align="right"),
            Column(name="f1", label="F1 with it", write=_TWO, align="right"),
            Column(name="kept", label="Findings kept", align="right"),
        ),
        data=frame,
    )


def _conflicts_section(study: AgreeStudy) -> Section:
    hidden = {variant.metric for variant in study.variants if variant.kind == MERGED}
    frame = study.lead.conflicts()
    frame = frame[~(frame["metric_a"].isin(hidden) | frame["metric_b"].isin(hidden))].reset_index(drop=True)
    lead = (
        "Pairs of systems that two metrics decide in opposite directions: whoever reads one metric concludes the "
        "reverse of whoever reads the other."
    )
    if frame.empty:
        blocks: tuple[Block, ...] = (Text(paragraphs=("There are none.",)),)
        return Section(id="conflicts", title="Conflicts", lead=lead, blocks=blocks)
    frame = frame.assign(size=frame[["lead_a", "lead_b"]].abs().min(axis=1))
    frame = frame.sort_values("size", ascending=False, kind="stable", ignore_index=True).drop(columns="size")
    counted = frame.groupby(["better_under_a", "better_under_b"], sort=False).size()
    shown = frame.head(_MOST_CONFLICTS).assign(
        first=frame["metric_a"].map(partial(label, study)), second=frame["metric_b"].map(partial(label, study))
    )
    more = "" if len(frame) <= _MOST_CONFLICTS else f" The {_MOST_CONFLICTS} largest of {len(frame)}; all in the data."
    table = Table(
        name="conflicts",
        title="Conflicts by name",
        caption=f"The differences are those of the means, in each metric's own unit.{more}",
        frame=shown,
        columns=(
            Column(name="first", label="Under"),
            Column(name="better_under_a", label="is better"),
            Column(name="lead_a", label="by", write=_FOUR, align="right"),
            Column(name="second", label="Under"),
            Column(name="better_under_b", label="is better"),
            Column(name="lead_b", label="by", write=lambda value: _FOUR(-float(str(value))), align="right"),
        ),
        data=frame,
    )
    words = f"{count(len(frame), 'conflict')} over {count(len(counted), 'pair')} of systems."
    return Section(
        id="conflicts",
        title="Conflicts",
        lead=lead,
        blocks=(Text(paragraphs=(words,)), table if len(shown) <= 30 else Fold(title="All by name", blocks=(table,))),  # noqa: PLR2004 - a screen
    )


def _levels_section(study: AgreeStudy) -> list[Section]:
    """Show F1 with the reference under every test, correction and level, if there are several."""
    settings = [(agreement, alpha) for agreement in study.agreements for alpha in agreement.alphas]
    if len(settings) < 2:  # noqa: PLR2004 - the one setting is told already
        return []
    frame = study.to_frame()
    keys = compared_rows(study)[["predictor", "truth"]]
    frame = keys.merge(frame, on=["predictor", "truth"], how="left")
    frame["setting"] = [
        f"{name_of_test(str(row.test))}, {words_for_correction(str(row.correction))}, α = {row.alpha:g}"
        for row in frame.itertuples()
    ]
    shown = frame.assign(
        truth=frame["truth"].map(partial(label, study)), predictor=frame["predictor"].map(partial(label, study))
    )
    table = Table(
        name="settings",
        title="Agreement under other tests, corrections and levels",
        caption="Agreement that depends on the level is agreement about the clear cases only.",
        frame=shown,
        columns=(
            Column(name="truth", label="Truth"),
            Column(name="predictor", label="Predictor"),
            Column(name="setting", label="Decided by"),
            Column(name="share_truth", label="truth", write=share, align="right", group="Finds"),
            Column(name="share_predictor", label="predictor", write=share, align="right", group="Finds"),
            Column(name="precision", label="Precision", write=_TWO, align="right"),
            Column(name="recall", label="Recall", write=_TWO, align="right"),
            Column(name="f1", label="F1", write=_TWO, align="right"),
            Column(name="n_conflicts", label="Conflicts", write=whole, align="right"),
        ),
        data=frame.drop(columns="setting"),
    )
    return [
        Section(
            id="settings",
            title="At other levels",
            lead="Whether the answer hangs on the test, its correction or its level.",
            blocks=(table,),
        )
    ]


def _methods_section(study: AgreeStudy) -> Section:
    items = tuple(Item(words=source.full, link=source.address) for source in publications(_SOURCES))
    return Section(
        id="methods",
        title="Methods",
        lead="What was done, in words that fit a paper, and what to cite.",
        blocks=(Text(paragraphs=(_methods_words(study),), look="quote"), Items(items=items)),
    )


def _methods_words(study: AgreeStudy) -> str:
    sizes, result = study.scores.sizes, study.lead.result
    draws = f" with B = {result.n_resamples} resamples of the topics" if result.n_resamples else ""
    side = "one-sided in the direction of the better mean" if result.alternative == "better" else "two-sided"
    family = " over both directions of all pairs of one metric" if result.alternative == "better" else ""
    parts = [
        (
            f"We compared {sizes['system']} systems on {sizes['topic']} topics under "
            f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, study.lead.metrics))})."
        ),
        (
            f"For each metric all {study.lead.n_pairs} pairs of systems were tested with "
            f"{TESTS[result.test].described}{draws}, {side}; p-values: "
            f"{words_for_correction(result.correction)}{family}; α = {study.lead.alphas[0]:g}."
        ),
        (
            "The ordered pairs significant under one metric were taken as a prediction of those significant under "
            "another, and precision, recall and F1 computed (Ogilvie and Lalmas, 2006); pairs significant in opposite "
            "directions were counted as conflicts."
        ),
    ]
    if study.intervals is not None:
        how = {
            "closed form": "deciding on each draw by the closed form of the test",
            "test": "repeating the test on each draw",
        }[study.intervals.spread]
        parts.append(
            f"Intervals ({percentage(study.intervals.confidence_level)}) are the value found and Student's t times the "
            f"standard deviation (shares) or the root mean square distance (precision, recall, F1) over "
            f"{study.intervals.n_topic_resamples} draws of topics with replacement, {how}."
        )
    return " ".join(parts)


# -------------------------------------------------------------------------------------------------------- what helps


def _how(study: AgreeStudy) -> str:
    result = study.lead.result
    draws = f", B = {result.n_resamples}, {result.random_source}" if result.n_resamples else ""
    words = f"{name_of_test(result.test)}{draws}, {words_for_correction(result.correction)}"
    return f"{words}, {result.alternative}, α = {study.lead.alphas[0]:g}"


def _twins(study: AgreeStudy) -> list[str]:
    return [f"identical systems, never told apart: {listed(names)}" for names in study.identical]


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(csv_text(frame), encoding="utf-8", errors="backslashreplace", newline="\n")
