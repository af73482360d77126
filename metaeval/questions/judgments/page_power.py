"""What fewer judgments do to each metric, best first: its ranking, its discriminative power, its consistency.

These have the form of Tables 3 to 7 of Sakai and Kando (2008), for any reduction, metrics and test.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.words import MISSING, End, carried, ends, name_of_metric, number, p_value, text, with_errors_of
from metaeval.page.blocks import Block, Fold, Section
from metaeval.page.tables import METRIC, Column, Table, right, rising, with_cells, with_errors
from metaeval.questions.judgments.study import JudgmentsStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.stability_result import THRESHOLD, Stability
from metaeval.tests_stat.result import is_significant

_PERCENT = "%"
_ZERO = 0.00005
"""A p-value below it would read as zero."""
say = prose(__name__)


def drawn_words(n_draws: int, *, random: bool, of: str = "") -> str:
    """Say how many draws a number stands for: of one, that another would differ; nothing where none is random."""
    return f" {say('drawn', n_draws=n_draws, of=of)}" if random else ""


def compared_with(stability: Stability) -> str:
    """Return what the reduced judgments are compared with."""
    return "all judgments" if stability.closeness is None else "the rebuilt pool"


class ShownReduction(NamedTuple):
    """A reduction, its means with their errors, and what its tables say that those of later ones leave out."""

    stability: Stability
    frame: pd.DataFrame
    explained: bool
    """Its captions say how to read all tables of their kind."""
    says_draws: bool
    """It is the first of which one draw is tested."""
    has_full: bool
    """It is the first that is compared with its judgments, all or those of the rebuilt pool."""


def by_metric_blocks(shown: ShownReduction) -> tuple[list[Block], list[Block]]:
    """Return the tables of the full judgments and of the smallest step, and those of the steps between."""
    smallest, *others = sorted(shown.frame["step"].unique())
    unfolded: list[Block] = [_ranking_table(shown, smallest)]
    folded: list[Block] = []
    if shown.frame["found"].notna().any():
        unfolded += [_power_table(shown, None)] if shown.has_full else []
        unfolded += [_power_table(shown, smallest), _inconsistent_table(shown, smallest)]
        for step in reversed(others):
            folded += [_power_table(shown, step), _inconsistent_table(shown, step)]
    folded += [_ranking_table(shown, step) for step in reversed(others)]
    return unfolded, folded


def reduction_figures(study: JudgmentsStudy) -> list[KeyFigure]:
    """Return the discriminative power at the smallest step of the first reduction, the most and the least."""
    for stability in study.stability.values():
        frame = stability.to_frame().merge(stability.errors(), on=["metric", "step"], how="left")
        frame = frame[(frame["step"] == frame["step"].min()) & frame["power"].notna()]
        if stability.reduction.unit != _PERCENT or frame.empty:
            continue
        left_words = _left_words(stability, frame["step"].iloc[0])
        frame = frame.assign(metric=frame["metric"].map(name_of_metric))
        power = [*map(carried, frame["power"], frame["power_error"])]
        full = dict(zip(frame["metric"], map(carried, frame["power_full"], frame["power_full_error"]), strict=True))
        low, high = ends(frame["metric"], frame["power"], power)
        full_ends = {end: End.of({name: full[name] for name in end.names}).figure for end in (high, low)}
        words = " to ".join(f"{end.figure} ({end.who}; with all {of_all})" for end, of_all in full_ends.items())
        written = with_errors_of([*power, *full.values()], words)
        numbers = {
            f"{metric}, {judged}": value
            for judged, name in (("reduced", "power"), ("all", "power_full"))
            for metric, value in zip(frame["metric"], frame[name], strict=True)
        }
        return [KeyFigure(f"Significant pairs with {left_words}", written, numbers)]
    return []


def between_metrics_section(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return the section on how alike the metrics rank the runs; none for a single metric."""
    frame = study.table("between_metrics")
    if frame.empty:
        return ()
    metrics = study.metrics
    taus = _matrix(
        frame, metrics, lambda row: f"{number(3)(row['tau'])}{'*' if row['tau'] >= THRESHOLD - 1e-12 else ''}"
    )
    chances = _matrix(frame, metrics, lambda row: p_value(row["p_value"]))
    chance = frame.loc[frame["p_value"].notna()]
    fields = {
        "n_ranked": next(iter(study.stability.values())).data.sizes["system"],
        "threshold": THRESHOLD,
        "n": len(chance),
        "n_unsure": (~is_significant(chance["p_value"].to_numpy(), study.alpha)).sum(),
        "alpha": study.alpha,
    }
    unfolded, folded = (
        Table(
            **say.named(name, **fields),
            frame=rows,
            data=frame,
            columns=(
                METRIC,
                *(Column(name=metric, label=name_of_metric(metric), align="right") for metric in metrics[1:]),
            ),
        )
        for name, rows in (("between metrics", taus), ("between metrics p", chances))
    )
    blocks = (unfolded, Fold(title="The p-values", blocks=(folded,)))
    return (say.section("between-metrics", *blocks, brief=False, head="Agreement between metrics"),)


def _matrix(frame: pd.DataFrame, metrics: tuple[str, ...], write: Callable[[pd.Series], str]) -> pd.DataFrame:
    """Lay pairs of metrics out as the upper triangle of a matrix, as text."""
    cells = np.full((len(metrics) - 1, len(metrics) - 1), "", dtype=object)
    position = {name: number for number, name in enumerate(metrics)}
    for _, row in frame.iterrows():  # a few metrics
        cells[position[row["metric_a"]], position[row["metric_b"]] - 1] = write(row)
    return pd.DataFrame(cells, columns=list(metrics[1:])).assign(metric=list(metrics[:-1]))


def _left_words(stability: Stability, step: float) -> str:
    """Say what a step leaves, as a heading does."""
    if stability.reduction.unit != _PERCENT:
        return f"{step:g} {stability.reduction.counted_in}"
    return f"{step:g} % of the {stability.reduction.share_of}"


def _step_table(  # noqa: PLR0913 - the parts of a table
    passage: str,
    shown: ShownReduction,
    frame: pd.DataFrame,
    *columns: Iterable[Column],
    step: float | None,
    n_draws: int,
    data: pd.DataFrame,
    called: str = "",
    required: bool = False,
) -> Table:
    """Return a table of a step, or of the full judgments, over so many draws."""
    stability = shown.stability
    full = compared_with(stability)
    return say.table(
        passage,
        frame,
        (METRIC,),
        *columns,
        called=f"{called or passage} {stability.reduction.name} {'full' if step is None else f'{step:g}'}",
        data=data,
        stability=stability,
        explained=shown.explained,
        full=full,
        left=full if step is None else _left_words(stability, step),
        drawn=drawn_words(n_draws, random=shown.says_draws and step is not None),
        required=required,
    )


def _ranking_table(shown: ShownReduction, step: float) -> Table:
    stability, frame = shown.stability, shown.frame
    rows = frame[frame["step"] == step].sort_values("tau", ascending=False, kind="stable")
    full = rows["score_full"].where(rows["score_full"] != 0)
    drawn = zip(rows["tau_p_value"], rows["tau_p_value_error"], strict=True)
    chances = [p_value(p) if p < _ZERO else carried(p, error, number(4)) for p, error in drawn]
    left = map(carried, rows["score"] / full, rows["score_error"] / full)
    written = with_errors(rows, dict.fromkeys(("tau", "tau_ap", "tau_best", "score"), number(3)), carried)
    return _step_table(
        "ranking",
        shown,
        with_cells(written, tau_p_value=chances, score_left=left).assign(
            score_left_sort=rows["score"] / full, tau_p_value_sort=rows["tau_p_value"]
        ),
        right(text, tau="τ"),
        rising(text, tau_p_value="p"),
        right(text, tau_ap="τ AP", tau_best=f"τ, best {stability.top}"),
        right(text, score="Mean score", score_left="of the full"),
        step=step,
        n_draws=stability.n_replicates,
        data=rows,
    )


def _power_table(shown: ShownReduction, step: float | None) -> Table:
    """Return the form of Tables 3 (no step: the full judgments) and 4."""
    stability, frame = shown.stability, shown.frame
    full = step is None
    rows = frame.drop_duplicates("metric") if step is None else frame[frame["step"] == step]
    n_draws = 1 if full else stability.data.sizes["tested"]
    power, required = (f"{name}{'_full' * full}" for name in ("power", "difference_required"))
    counts = number(0 if n_draws == 1 else 1)
    powers = zip(rows[power], rows[f"{power}_error"], strict=True)
    rows = (
        with_cells(rows, shown=[_of_pairs(*row, stability.n_pairs, counts) for row in powers])
        .assign(shown_sort=rows[power], n_significant=rows[power] * stability.n_pairs, n_pairs=stability.n_pairs)
        .sort_values(power, ascending=False, kind="stable")
    )
    beside = rows["difference_required_error"] * (np.nan if full else 1.0)
    written = [carried(*row, number(2)) for row in zip(rows[required], beside, strict=True)]
    has_required = bool(rows[required].notna().any())
    return _step_table(
        "discriminative",
        shown,
        with_cells(rows, required=written).assign(required_sort=rows[required]),
        right(str, shown="Disc. power"),
        right(required="Diff. required") if has_required else (),
        step=step,
        n_draws=n_draws,
        data=rows[["metric", power, "n_significant", "n_pairs", required]],
        called="power",
        required=has_required,
    )


def _of_pairs(power: float, error: float, n_pairs: int, write: Callable[[object], str]) -> str:
    if pd.isna(power):
        return MISSING
    share = carried(power, error)
    return with_errors_of([share], f"{write(power * n_pairs)}/{n_pairs:,} = {share}")


def _inconsistent_table(shown: ShownReduction, step: float) -> Table:
    """Return the form of Table 5."""
    n_draws = shown.stability.data.sizes["tested"]
    rows = shown.frame[shown.frame["step"] == step]
    writers = dict.fromkeys(("found", "contradicted", "reversed"), number(0 if n_draws == 1 else 1))
    labels = {"found": "Significant", "contradicted": "Inconsistent", "contradicted_share": "%", "reversed": "Reversed"}
    return _step_table(
        "inconsistent",
        shown,
        with_errors(rows, {**writers, "contradicted_share": None}, carried),
        right(text, **labels),
        step=step,
        n_draws=n_draws,
        data=rows[["metric", *labels]],
    )
