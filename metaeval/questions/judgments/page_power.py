"""What fewer judgments do to each metric, best first: its ranking, its discriminative power, its consistency.

These have the form of Tables 3 to 7 of Sakai and Kando (2008), for any reduction, metrics and test.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.words import MISSING, End, carried, ends, name_of_metric, number, p_value, text, with_errors_of
from metaeval.page.blocks import Block, Fold, Section
from metaeval.page.tables import METRIC, Column, Table, right, rising, with_cells
from metaeval.questions.judgments.study import JudgmentsStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import Titled, prose
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


def _name(kind: str, stability: Stability, step: float) -> str:
    return f"{kind} {stability.reduction.name} {step:g}"


def _left_words(stability: Stability, step: float) -> str:
    """Say what a step leaves, as a heading does."""
    if stability.reduction.unit != _PERCENT:
        return f"{step:g} {stability.reduction.counted_in}"
    return f"{step:g} % of the {stability.reduction.share_of}"


def _title_and_caption(
    passage: str, shown: ShownReduction, powers: pd.DataFrame, n_draws: int, step: float | None
) -> Titled:
    """Return title and caption of a table: of means, where there are any, over so many draws."""
    stability = shown.stability
    full, random = compared_with(stability), shown.says_draws and step is not None
    fields = {
        "stability": stability,
        "explained": shown.explained,
        "full": full,
        "left": full if step is None else _left_words(stability, step),
        "drawn": drawn_words(n_draws, random=random),
        "required": powers["difference_required"].notna().any(),
    }
    return say.titled(passage, **fields)


def _ranking_table(shown: ShownReduction, step: float) -> Table:
    stability, frame = shown.stability, shown.frame
    rows = frame[frame["step"] == step].sort_values("tau", ascending=False, kind="stable")
    full = rows["score_full"].where(rows["score_full"] != 0)
    drawn = zip(rows["tau_p_value"], rows["tau_p_value_error"], strict=True)
    chances = [p_value(p) if p < _ZERO else carried(p, error, number(4)) for p, error in drawn]
    return Table(
        name=_name("ranking", stability, step),
        **_title_and_caption("ranking", shown, rows, stability.n_replicates, step),
        frame=with_cells(
            _with_written_means(rows, dict.fromkeys(("tau", "tau_ap", "tau_best", "score"), 3)),
            tau_p_value=chances,
            score_left=[carried(*row) for row in zip(rows["score"] / full, rows["score_error"] / full, strict=True)],
        ).assign(score_left_sort=rows["score"] / full, tau_p_value_sort=rows["tau_p_value"]),
        data=rows,
        columns=(
            METRIC,
            *right(text, tau="τ"),
            *rising(text, tau_p_value="p"),
            *right(text, tau_ap="τ AP", tau_best=f"τ, best {stability.top}"),
            *right(text, score="Mean score", score_left="of the full"),
        ),
    )


def _with_written_means(powers: pd.DataFrame, digits: Mapping[str, int]) -> pd.DataFrame:
    """Return a frame with means over replicates written out, with their errors, each to so many decimals."""
    cells = {
        name: [carried(*row, number(many)) for row in zip(powers[name], powers[f"{name}_error"], strict=True)]
        for name, many in digits.items()
    }
    return with_cells(powers, **cells).assign(**{f"{name}_sort": powers[name] for name in digits})


def _power_table(shown: ShownReduction, step: float | None) -> Table:
    """Return the form of Tables 3 (no step: the full judgments) and 4."""
    stability, frame = shown.stability, shown.frame
    full = step is None
    rows = frame.drop_duplicates("metric") if step is None else frame[frame["step"] == step]
    n_draws = 1 if full else stability.data.sizes["tested"]
    suffix = "_full" if full else ""
    counts = number(0 if n_draws == 1 else 1)
    powers = zip(rows[f"power{suffix}"], rows[f"power{suffix}_error"], strict=True)
    rows = (
        with_cells(rows, shown=[_of_pairs(*row, stability.n_pairs, counts) for row in powers])
        .assign(
            shown_sort=rows[f"power{suffix}"],
            n_significant=rows[f"power{suffix}"] * stability.n_pairs,
            n_pairs=stability.n_pairs,
        )
        .sort_values(f"power{suffix}", ascending=False, kind="stable")
    )
    required = f"difference_required{suffix}"
    beside = rows["difference_required_error"] * (np.nan if full else 1.0)
    written = [carried(*row, number(2)) for row in zip(rows[required], beside, strict=True)]
    return Table(
        name=f"power {stability.reduction.name} full" if full else _name("power", stability, step or 0.0),
        **_title_and_caption("discriminative", shown, rows.assign(difference_required=rows[required]), n_draws, step),
        frame=with_cells(rows, required=written).assign(required_sort=rows[required]),
        columns=(
            METRIC,
            *right(str, shown="Disc. power"),
            *(right(required="Diff. required") if rows[required].notna().any() else ()),
        ),
        data=rows[["metric", f"power{suffix}", "n_significant", "n_pairs", required]],
    )


def _of_pairs(power: float, error: float, n_pairs: int, write: Callable[[object], str]) -> str:
    if pd.isna(power):
        return MISSING
    share = carried(power, error)
    return with_errors_of([share], f"{write(power * n_pairs)}/{n_pairs:,} = {share}")


def _inconsistent_table(shown: ShownReduction, step: float) -> Table:
    """Return the form of Table 5."""
    stability, frame = shown.stability, shown.frame
    n_draws = stability.data.sizes["tested"]
    digits = 0 if n_draws == 1 else 1
    rows = frame[frame["step"] == step]
    shares = zip(rows["contradicted_share"], rows["contradicted_share_error"], strict=True)
    return Table(
        name=_name("inconsistent", stability, step),
        **_title_and_caption("inconsistent", shown, rows, n_draws, step),
        frame=with_cells(
            _with_written_means(rows, dict.fromkeys(("found", "contradicted", "reversed"), digits)),
            contradicted_share=[carried(*row) for row in shares],
        ).assign(contradicted_share_sort=rows["contradicted_share"]),
        columns=(
            METRIC,
            *right(text, found="Significant", contradicted="Inconsistent", contradicted_share="%", reversed="Reversed"),
        ),
        data=rows[["metric", "found", "contradicted", "contradicted_share", "reversed"]],
    )
