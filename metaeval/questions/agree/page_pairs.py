# ruff: noqa: RUF001 - Greek letters are meant for people
"""The sections of an agreement study that take two metrics at a time: correlations, differences, conflicts."""

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from metaeval import figures
from metaeval.base.words import name_of_metric, number, share, share_of, whole
from metaeval.page.blocks import Fold, Picture, Section, Text
from metaeval.page.tables import Column, Table, bounded, left, right
from metaeval.questions.agree.page_findings import conflict_sentence, grade_sentences, label, pair_label, terms
from metaeval.questions.agree.study import AgreeStudy
from metaeval.questions.agree.study_element_uses import EXCEPT, MERGED
from metaeval.reports.prose import prose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TWO, _FOUR = number(2), number(4)
_SCREEN = 30
_MOST_CONFLICTS = 200
_MOST_PICTURES = 8

_CONFLICTS = right(whole, n_conflicts="Conflicts")
say = prose(__name__)


def grades_section(study: AgreeStudy) -> list[Section]:
    """Show what an audit's conclusions are without one boundary between grades."""
    frame = study.grades()
    if frame.empty:
        return []
    table_frame, f1 = _with_f1(study, frame)
    rows = frame.assign(label=frame["boundary"], group=[f"{name_of_metric(base)}, blind to" for base in frame["base"]])
    alt = "; ".join(f"{row.base} without {row.boundary} {_TWO(row.f1)}" for row in frame.itertuples())
    picture = say.picture("grades", lambda: figures.agreement_rows(rows, min_f1=study.min_f1), alt=alt, study=study)
    table = say.table(
        "grades table",
        table_frame,
        left(name_of_metric, base="Metric"),
        left(boundary="Blind to"),
        f1,
        right(_TWO, precision="Precision", recall="Recall"),
        _CONFLICTS,
        right(_TWO, tau="τ"),
        called="grades",
        data=frame,
        shares=frame["boundary"].str.contains(EXCEPT).any(),
        **terms(study),
    )
    return [
        say.section(
            "grades", Text(paragraphs=tuple(grade_sentences(study))), picture, table, head="Boundaries between grades"
        )
    ]


def pairs_section(study: AgreeStudy) -> Section:
    """Show F1 of every two metrics beside the correlations of their rankings."""
    metrics = study.lead.metrics
    order = {name: position for position, name in enumerate(metrics)}
    frame = _without_merged(study, study.to_frame().iloc[: len(metrics) * (len(metrics) - 1)], "predictor", "truth")
    first = frame["truth"].map(order) < frame["predictor"].map(order)
    frame = frame[first].sort_values("f1", kind="stable", ignore_index=True)
    table_frame, f1 = _with_f1(study, _with_labels(study, frame, "truth", "predictor"))
    table = say.table(
        "pairs_of_metrics",
        table_frame,
        left(truth="First"),
        (Column(name="predictor", label="second", under=True),),
        f1,
        right(_TWO, "Found by the other", recall="of first's pairs", precision="of second's pairs"),
        _CONFLICTS,
        right(_TWO, "Correlation of the rankings", tau="τ", tau_ap="τ AP", rho="ρ"),
        data=frame,
    )
    return say.section(
        "pairs",
        table
        if len(table_frame) <= 2 * _MOST_PICTURES
        else Fold(title=f"All {len(table_frame)} pairs", blocks=(table,)),
        brief=False,
    )


def disagreement_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Draw how large the differences are on which metrics and their references agree, and do not."""
    cuts = study.lead.thresholds().set_index(["predictor", "truth"])
    frame = study.to_frame().iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    asked = [frame[(frame["predictor"] == compared) & (frame["truth"] == truth)] for compared, truth in study.pairs]
    candidates = rows[(rows["n_predictor"] > 0) & (rows["n_truth"] > 0)].sort_values("f1", kind="stable")
    named = set(study.pairs)
    candidates = candidates[
        [pair not in named for pair in zip(candidates["predictor"], candidates["truth"], strict=True)]
    ]
    if candidates.empty and not asked:
        return []
    drawn = [_disagreement(study, row, cuts) for compared in asked for row in compared.to_dict("records")]
    others = [_disagreement(study, row, cuts) for row in candidates.head(_MOST_PICTURES).to_dict("records")]
    n_unfolded = len(drawn) or 1
    folds = tuple(
        Fold(title=block.title, blocks=(block,))
        for block in (drawn + others)[n_unfolded:]
        if isinstance(block, Picture)
    )
    return [
        say.section(
            "disagreement", *(drawn + others)[:n_unfolded], *folds, _threshold_table(study, rows, cuts), brief=False
        )
    ]


def _disagreement(study: AgreeStudy, row: dict[Hashable, Any], cuts: pd.DataFrame) -> Picture | Text:
    """Draw where two metrics disagree; say so where neither finds a pair."""
    predictor, truth = str(row["predictor"]), str(row["truth"])
    same = len({variant.base for variant in study.variants if variant.metric in (predictor, truth)}) == 1
    pair = pair_label(study, predictor, truth)
    if not row["n_predictor"] and not row["n_truth"]:
        return Text(paragraphs=(f"Neither of {pair} finds a significant pair.",), look="note")
    cut = cuts.loc[[(predictor, truth)]].iloc[0]
    return say.picture(
        "dots",
        partial(_disagreement_figure, study, predictor, truth, float(cut["threshold"]), within=same),
        called=f"disagreement {predictor} {truth}",
        row=row,
        cut=cut,
        pair=pair,
    )


def _disagreement_figure(study: AgreeStudy, predictor: str, truth: str, cut: float, *, within: bool) -> "Figure":
    pairs, densities = study.lead.disagreement(predictor, truth), study.lead.densities(predictor, truth)
    first, second = (label(study, name, within=within) for name in (predictor, truth))
    return figures.disagreement_panels(pairs, densities, predictor=first, truth=second, cut=cut)


def _threshold_table(study: AgreeStudy, rows: pd.DataFrame, cuts: pd.DataFrame) -> Table:
    frame = cuts.loc[pd.MultiIndex.from_frame(rows[["predictor", "truth"]])].reset_index()
    table_frame = _with_labels(study, frame, "predictor").assign(
        truth=frame["truth"].map(partial(label, study, within=bool(study.variants))),
        kept=[share_of(a, b) for a, b in zip(frame["n_kept"], frame["n_predictor"], strict=True)],
        kept_sort=frame["n_kept"],
    )
    return say.table(
        "thresholds",
        table_frame,
        left(predictor="Predictor", truth="Truth"),
        right(_FOUR, threshold="Least |difference|"),
        right(_TWO, f1_without="F1 without", f1="F1 with it"),
        right(kept="Significant pairs left"),
        data=frame,
        sizes=study.scores.sizes,
    )


def conflicts_section(study: AgreeStudy) -> list[Section]:
    """Name the pairs of systems that two metrics decide in opposite directions; nothing where there are none."""
    frame = _without_merged(study, study.lead.conflicts(), "metric_a", "metric_b")
    if frame.empty:
        return []
    smaller = frame[["lead_a", "lead_b"]].abs().min(axis=1).sort_values(ascending=False, kind="stable")
    frame = frame.loc[smaller.index].reset_index(drop=True)
    counted = frame.groupby(["better_under_a", "better_under_b"], sort=False).size()
    table_frame = _with_labels(study, frame.head(_MOST_CONFLICTS), "metric_a", "metric_b")
    table = say.table(
        "conflicts",
        table_frame,
        left(metric_a="Under", better_under_a="is better"),
        right(_FOUR, lead_a="by"),
        left(metric_b="Under", better_under_b="is better"),
        right(lambda value: _FOUR(-float(str(value))), lead_b="by"),
        data=frame,
        most=_MOST_CONFLICTS,
        n=len(frame),
    )
    words = say("conflicts counted", n=len(frame), n_pairs=len(counted))
    named = table if len(table_frame) <= _SCREEN else Fold(title="All by name", blocks=(table,))
    blocks = (Text(paragraphs=(conflict_sentence(study), words)), named)
    return [say.section("conflicts", *blocks, brief=False, head="Conflicts: pairs significant in opposite directions")]


def settings_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Show F1 with the reference under every test, correction and level, if there are several."""
    if sum(len(agreement.alphas) for agreement in study.agreements) < 2:  # noqa: PLR2004 - one is told already
        return []
    frame = rows[["predictor", "truth"]].merge(study.to_frame(), on=["predictor", "truth"], how="left")
    table_frame = _with_labels(study, frame, "truth", "predictor").assign(
        setting=[say("setting", row=row) for row in frame.itertuples()]
    )
    table = say.table(
        "settings",
        table_frame,
        left(truth="Truth", predictor="Predictor", setting="Decided by"),
        right(share, "Power", share_truth="truth", share_predictor="predictor"),
        right(_TWO, precision="Precision", recall="Recall", f1="F1"),
        _CONFLICTS,
        data=frame,
    )
    return [say.section("settings", table, head="Sensitivity to test, correction and level")]


def _with_f1(study: AgreeStudy, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return the frame and the columns of F1, with its interval where there is one."""
    if study.intervals is None:
        return frame, right(_TWO, f1="F1")
    return bounded(frame, {"f1": ("F1", _TWO)}, draws=study.intervals.n_topic_resamples)


def _with_labels(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the frame with the names of the page in columns that hold metrics."""
    return frame.assign(**{name: frame[name].map(partial(label, study)) for name in columns})


def _without_merged(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out rows about merged grades, which have a section of their own."""
    merged = {variant.metric for variant in study.variants if variant.kind == MERGED}
    return frame[~frame[list(columns)].isin(merged).any(axis=1)].reset_index(drop=True)
