# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The sections of an agreement study that take two metrics at a time: correlations, differences, conflicts."""

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import name_of_metric, number, share, share_of, whole
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import Column, Table, bounded, left, right
from metaeval.reports.agree_words import grade_sentences, label, of_elements, pair_label
from metaeval.studies.agree import AgreeStudy
from metaeval.studies.element_uses import EXCEPT, MERGED
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TWO, _FOUR = number(2), number(4)
_SCREEN = 30
_MOST_CONFLICTS = 200
_MOST_PICTURES = 8

_GRADES_OF_DOCUMENTS = (
    "Each metric with linear gains, predicted by itself when two neighbouring grades count the same (level 1 merged "
    "with 0 counts as not relevant; others get the mean of their gains)."
)
_GRADES_OF_ELEMENTS = (
    "Each metric under the generalised quantisation, predicted by itself when two neighbouring grades count the same "
    "(merged with 0 they are not relevant; others get the mean of their values)."
)
_SHARES_OF_ELEMENTS = (
    " Specificity except s ≥ 0.5: an element counts in full from that share of relevant text on and not at all below, "
    "exhaustivity as it was. Without the difference of exhaustivity 1 and 2 what is left is BinExh without ? times a "
    "factor."
)

_CONFLICTS = right(whole, n_conflicts="Conflicts")


def grades_section(study: AgreeStudy) -> list[Section]:
    """Show what an audit's conclusions are without one boundary between grades."""
    frame = study.grades()
    if frame.empty:
        return []
    shown, f1 = _with_f1(study, frame)
    merging = _GRADES_OF_ELEMENTS if of_elements(study) else _GRADES_OF_DOCUMENTS
    merging += _SHARES_OF_ELEMENTS if frame["boundary"].str.contains(EXCEPT).any() else ""
    rows = frame.assign(
        label=frame["boundary"], group=frame["base"].map(lambda base: f"{name_of_metric(base)}, blind to")
    )
    picture = Picture(
        name="grades",
        draw=lambda: figures.agreement_rows(rows, min_f1=study.min_f1),
        title="What each boundary between grades is worth",
        caption=f"Dot: F1 without the boundary; the lower, the more it matters. Line: {study.min_f1:g}.",
        alt="; ".join(f"{one.base} without {one.boundary} {one.f1:.2f}" for one in frame.itertuples()),
    )
    table = Table(
        name="grades",
        title="Conclusions without one boundary between grades",
        caption=merging,
        frame=shown,
        columns=(
            *left(name_of_metric, base="Metric"),
            *left(boundary="Blind to"),
            *f1,
            *right(_TWO, precision="Precision", recall="Recall"),
            *_CONFLICTS,
            *right(_TWO, tau="τ"),
        ),
        data=frame,
    )
    return [
        Section(
            id="grades",
            title="Boundaries between grades",
            lead="Take away one boundary between grades at a time and see which conclusions change.",
            blocks=(Text(paragraphs=tuple(grade_sentences(study))), picture, table),
            brief=True,
        )
    ]


def pairs_section(study: AgreeStudy) -> Section:
    """Show F1 of every two metrics beside the correlations of their rankings."""
    metrics = study.lead.metrics
    order = {name: place for place, name in enumerate(metrics)}
    frame = _without_merged(study, study.to_frame().iloc[: len(metrics) * (len(metrics) - 1)], "predictor", "truth")
    first = frame["truth"].map(order) < frame["predictor"].map(order)
    frame = frame[first].sort_values("f1", kind="stable", ignore_index=True)
    shown, f1 = _with_f1(study, _labelled(study, frame, "truth", "predictor"))
    rankings = "Correlation of the rankings"
    table = Table(
        name="pairs_of_metrics",
        title="Every two metrics",
        caption="Sorted by F1, least agreement first. τ AP takes the first metric's ranking as the reference.",
        frame=shown,
        columns=(
            *left(truth="First"),
            Column(name="predictor", label="second", under=True),
            *f1,
            *right(_TWO, "Found by the other", recall="of first's pairs", precision="of second's pairs"),
            *_CONFLICTS,
            *right(_TWO, rankings, tau="τ", tau_ap="τ AP", rho="ρ"),
        ),
        data=frame,
    )
    return Section(
        id="pairs",
        title="Agreement and rank correlation",
        lead="A correlation of the two rankings counts every swap, also of systems that differ significantly under "
        "neither metric; F1 counts what one would conclude. Where the two columns part, the correlation misleads: low "
        "τ with high F1 means swaps between systems that do not differ significantly, high τ with low F1 that "
        "one metric is much less decisive.",
        blocks=(table if len(shown) <= 2 * _MOST_PICTURES else Fold(title=f"All {len(shown)} pairs", blocks=(table,)),),
    )


def disagreement_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Draw how large the differences are on which metrics and their references agree, and do not."""
    cuts = study.lead.thresholds().set_index(["predictor", "truth"])
    frame = study.to_frame().iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    asked = [frame[(frame["predictor"] == one) & (frame["truth"] == other)] for one, other in study.pairs]
    found = rows[(rows["n_predictor"] > 0) & (rows["n_truth"] > 0)].sort_values("f1", kind="stable")
    named = set(study.pairs)
    found = found[[pair not in named for pair in zip(found["predictor"], found["truth"], strict=True)]]
    if found.empty and not asked:
        return []
    drawn = [_disagreement(study, row, cuts) for one in asked for row in one.to_dict("records")]
    others = [_disagreement(study, row, cuts) for row in found.head(_MOST_PICTURES).to_dict("records")]
    shown = len(drawn) or 1
    folds = tuple(Fold(title=block.title, blocks=(block,)) for block in (drawn + others)[shown:] if _pictured(block))
    return [
        Section(
            id="disagreement",
            title="Disagreement by the size of the difference",
            lead="If only small differences are found by one metric and not by the other, they differ in power; if "
            "large ones are, they measure different things.",
            blocks=(*(drawn + others)[:shown], *folds, _threshold_table(study, rows, cuts)),
        )
    ]


def _pictured(block: Block) -> TypeGuard[Picture]:
    return isinstance(block, Picture)


def _disagreement(study: AgreeStudy, row: dict[Hashable, Any], cuts: pd.DataFrame) -> Picture | Text:
    """Draw where two metrics disagree; say so where neither finds a pair."""
    predictor, truth = str(row["predictor"]), str(row["truth"])
    same = len({one.base for one in study.variants if one.metric in (predictor, truth)}) == 1
    pair = pair_label(study, predictor, truth)
    if not row["n_predictor"] and not row["n_truth"]:
        return Text(paragraphs=(f"Neither of {pair} finds a significant pair.",), look="note")
    cut = cuts.loc[[(predictor, truth)]].iloc[0]
    gain = gain_words(cut["threshold"], cut["f1_without"], cut["f1"]) if row["n_predictor"] else ""
    return Picture(
        name=f"disagreement {predictor} {truth}",
        draw=partial(_panels, study, predictor, truth, float(cut["threshold"]), within=same),
        title=f"Where {pair} disagree",
        caption="Each dot is a pair of systems that differ significantly under at least one of the two: how "
        "far the significantly better one is ahead under either, below 0 where it is behind. Right: density of "
        f"the pairs over the size of the difference; the area under a line is the number of pairs. {gain}".rstrip(),
        alt=f"F1 {row['f1']:.2f}; {row['n_shared']} pairs significant under both, {row['n_conflicts']} in conflict.",
    )


def gain_words(threshold: float, before: float, after: float) -> str:
    """Say what a threshold on the difference would do to F1.

    Examples
    --------
    >>> gain_words(0.05, 0.81, 0.92).split(" would ")[1]
    'raise F1 from 0.81 to 0.92 here.'
    >>> gain_words(0.05, 0.966, 0.974)
    'No threshold on the difference under the former would raise F1 by 0.01 or more.'
    """
    if _TWO(before) == _TWO(after):
        bound = " by 0.01 or more" if threshold > 0 else ""
        return f"No threshold on the difference under the former would raise F1{bound}."
    return (
        f"Keeping only the former's pairs with a difference of at least {threshold:.3f} (dashed) would raise F1 from "
        f"{_TWO(before)} to {_TWO(after)} here."
    )


def _panels(study: AgreeStudy, predictor: str, truth: str, cut: float, *, within: bool) -> "Figure":
    pairs, densities = study.lead.disagreement(predictor, truth), study.lead.densities(predictor, truth)
    first, second = (label(study, name, within=within) for name in (predictor, truth))
    return figures.disagreement_panels(pairs, densities, predictor=first, truth=second, cut=cut)


def _threshold_table(study: AgreeStudy, rows: pd.DataFrame, cuts: pd.DataFrame) -> Table:
    frame = cuts.loc[pd.MultiIndex.from_frame(rows[["predictor", "truth"]])].reset_index()
    shown = _labelled(study, frame, "predictor").assign(
        truth=frame["truth"].map(partial(label, study, within=bool(study.variants))),
        kept=[share_of(a, b) for a, b in zip(frame["n_kept"], frame["n_predictor"], strict=True)],
        kept_sort=frame["n_kept"],
    )
    return Table(
        name="thresholds",
        title="The least difference at which predictor and truth agree best",
        caption=f"Chosen and judged on the same {study.scores.sizes['topic']} topics, so the gain is an upper bound. "
        "0: no significant pair should go.",
        frame=shown,
        columns=(
            *left(predictor="Predictor", truth="Truth"),
            *right(_FOUR, threshold="Least |difference|"),
            *right(_TWO, f1_without="F1 without", f1="F1 with it"),
            *right(kept="Significant pairs left"),
        ),
        data=frame,
    )


def conflicts_section(study: AgreeStudy) -> Section:
    """Name the pairs of systems that two metrics decide in opposite directions."""
    section = partial(
        Section,
        id="conflicts",
        title="Conflicts",
        lead="Pairs of systems that two metrics decide in opposite directions: whoever reads one metric concludes the "
        "reverse of whoever reads the other.",
    )
    frame = _without_merged(study, study.lead.conflicts(), "metric_a", "metric_b")
    if frame.empty:
        return section(blocks=(Text(paragraphs=("There are none.",)),))
    smaller = frame[["lead_a", "lead_b"]].abs().min(axis=1).sort_values(ascending=False, kind="stable")
    frame = frame.loc[smaller.index].reset_index(drop=True)
    counted = frame.groupby(["better_under_a", "better_under_b"], sort=False).size()
    more = "" if len(frame) <= _MOST_CONFLICTS else f" The {_MOST_CONFLICTS} largest of {len(frame)}; all in the data."
    shown = _labelled(study, frame.head(_MOST_CONFLICTS), "metric_a", "metric_b")
    table = Table(
        name="conflicts",
        title="Conflicts by name",
        caption=f"The differences are those of the means, in each metric's own unit.{more}",
        frame=shown,
        columns=(
            *left(metric_a="Under", better_under_a="is better"),
            *right(_FOUR, lead_a="by"),
            *left(metric_b="Under", better_under_b="is better"),
            *right(lambda value: _FOUR(-float(str(value))), lead_b="by"),
        ),
        data=frame,
    )
    base = {one.metric: one.base for one in study.variants}
    own = int((frame["metric_a"].map(base) == frame["metric_b"].map(base)).sum())
    where = f", {own} of them under the same metric" if len(study.groups()) > 1 else ""
    words = f"{count(len(frame), 'conflict')} over {count(len(counted), 'pair')} of systems{where}."
    named = table if len(shown) <= _SCREEN else Fold(title="All by name", blocks=(table,))
    return section(blocks=(Text(paragraphs=(words,)), named))


def settings_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Show F1 with the reference under every test, correction and level, if there are several."""
    if sum(len(agreement.alphas) for agreement in study.agreements) < 2:  # noqa: PLR2004 - one is told already
        return []
    frame = rows[["predictor", "truth"]].merge(study.to_frame(), on=["predictor", "truth"], how="left")
    shown = _labelled(study, frame, "truth", "predictor").assign(
        setting=[
            f"{TESTS.label(str(row.test))}, {CORRECTIONS.words(str(row.correction))}, α = {row.alpha:g}"
            for row in frame.itertuples()
        ]
    )
    table = Table(
        name="settings",
        title="Agreement under other tests, corrections and levels",
        caption="Agreement that depends on the level is agreement about the clear cases only.",
        frame=shown,
        columns=(
            *left(truth="Truth", predictor="Predictor", setting="Decided by"),
            *right(share, "Power", share_truth="truth", share_predictor="predictor"),
            *right(_TWO, precision="Precision", recall="Recall", f1="F1"),
            *_CONFLICTS,
        ),
        data=frame,
    )
    return [
        Section(
            id="settings",
            title="Sensitivity to test, correction and level",
            lead="Whether the answer hangs on the test, its correction or its level.",
            blocks=(table,),
            brief=True,
        )
    ]


def _with_f1(study: AgreeStudy, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return the frame and the columns of F1, with its interval where there is one."""
    if study.intervals is None:
        return frame, right(_TWO, f1="F1")
    return bounded(frame, {"f1": ("F1", _TWO)}, draws=study.intervals.n_topic_resamples)


def _labelled(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the frame with the names of the page in columns that hold metrics."""
    return frame.assign(**{name: frame[name].map(partial(label, study)) for name in columns})


def _without_merged(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out rows about merged grades, which have a section of their own."""
    merged = {variant.metric for variant in study.variants if variant.kind == MERGED}
    return frame[~frame[list(columns)].isin(merged).any(axis=1)].reset_index(drop=True)
