# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The sections on incomplete judgments, shallower pools and fewer topics: what is left, and what it changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from metaeval import figures
from metaeval.reports.judgment_pools import closeness_blocks, pool_blocks
from metaeval.reports.report import Block, Fold, Picture, Section
from metaeval.reports.tables import METRIC, Column, Table, right
from metaeval.resampling.stability import Stability
from metaeval.studies.judgments import QUESTIONS, JudgmentsStudy
from metaeval.words import MISSING, count, listed, name_of_metric, number, text, whole

__all__ = ["REDUCTION_NAMES", "percent", "reduction_sections", "threshold_sentences", "with_error"]

REDUCTION_NAMES: Mapping[str, str] = {
    "stratified": "A random part of the relevant and of the other documents",
    "random": "A random part of all judged documents",
    "relevant": "A random part of the relevant documents",
    "order": "The assessor stops early",
    "topics": "Fewer topics",
    "depth": "Pools of a smaller depth",
    "share": "Shallower pools, by their number of documents",
    "size": "Pools of a fixed number of documents",
    "reciprocal-rank": "Reciprocal-rank pool, of the documents that the runs together rank highest",
}
"""What reductions are called on the page."""

_TITLES = {
    "less-judging": "Incomplete judgments",
    "shallower-pools": "Shallower pools",
    "fewer-topics": "Fewer topics",
}
_LEADS = {
    "less-judging": "Some pooled documents stay unjudged, as when assessors run out of time. Runs are ranked under "
    "what is left and compared with their ranking under all judgments.",
    "shallower-pools": "Only the documents that the runs rank highest are judged. The comparison is with the whole "
    "pool as it can be rebuilt from the pooled runs.",
    "fewer-topics": "All judgments of some topics, and none of the others.",
}
_FOUR = ("tau", "tau_ap", "score", "power")
_FEW_STEPS = 40
"""With no more steps in all, their numbers stand open and in a terminal; of more, the thresholds do."""


def reduction_sections(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return how much is required, and a section for every question about judging less."""
    sections = [_thresholds_section(study)] if study.stability else []
    for question, names in _by_question(study).items():
        extra = pool_blocks(study) if question == "shallower-pools" else ()
        blocks = [block for name in names for block in _stability_blocks(study, study.stability[name])]
        if blocks or extra:
            sections.append(
                Section(
                    id=question,
                    title=_TITLES[question],
                    lead=_LEADS[question],
                    brief=True,
                    blocks=(*closeness_blocks(study, names), *blocks, *extra),
                )
            )
    return tuple(sections)


def threshold_sentences(study: JudgmentsStudy) -> list[str]:
    """Say for the first reduction of every question how little keeps the ranking."""
    opening = {
        "less-judging": "of the judgments, taken at random,",
        "shallower-pools": "of the pool, taken from the top of the runs,",
        "fewer-topics": "of the topics",
    }
    sentences = []
    for question, names in _by_question(study).items():
        name = next((one for one in names if study.stability[one].reduction.unit == "%"), None)
        if name is None:
            continue
        table = study.stability[name].thresholds(min_tau=study.min_tau)
        table = table[table["kind"] != "undefined"]
        if table.empty:
            continue
        order = {"below smallest": 0, "observed": 1, "interpolated": 1, "above largest": 2}
        table = table.assign(order=table["kind"].map(order)).sort_values(["order", "level"], kind="stable")
        low, high = table.iloc[0], table.iloc[-1]
        words = f"{_level(low)} ({name_of_metric(low['metric'])})"
        if _level(low) != _level(high):
            words += f" to {_level(high)} ({name_of_metric(high['metric'])})"
        elif len(table) > 1:
            every = len(table) == len(study.metrics)
            words = f"{_level(low)} ({'every metric' if every else listed(map(name_of_metric, table['metric']))})"
        verb = "needed" if low["kind"] == "above largest" else "enough"
        sentences.append(
            f"{words[:1].upper()}{words[1:]} {opening[question]} are {verb} to keep τ at {study.min_tau:g} or more"
            f"{_uncertainty(study.stability[name])}."
        )
    return sentences


def _level(row: pd.Series) -> str:
    if row["kind"] == "above largest":
        return f"more than {row['level']:g} %"
    return f"less than {row['level']:g} %" if row["kind"] == "below smallest" else f"{row['level']:.0f} %"


def _uncertainty(stability: Stability) -> str:
    """Say how many replicates are behind the means, and the largest standard error of a mean τ."""
    if stability.n_replicates == 1:
        return ""
    largest = stability.to_frame()["tau_se"].max()
    error = "" if pd.isna(largest) else f", standard error of τ at most {largest:.3f}"
    return f" (means over {stability.n_replicates} replicates{error})"


def _by_question(study: JudgmentsStudy) -> dict[str, list[str]]:
    """Return the reductions of each question; those that were named by hand stand with the question they belong to."""
    home = {name: question for question, names in QUESTIONS.items() for name in names} | {"depth": "shallower-pools"}
    return {
        question: [name for name in study.stability if home[name] == question]
        for question in ("less-judging", "shallower-pools", "fewer-topics")
        if any(home[name] == question for name in study.stability) or (question in study.questions)
    }


def _thresholds_section(study: JudgmentsStudy) -> Section:
    frame = study.tables()["thresholds"]
    wide = frame.pivot_table(index="metric", columns="reduction", values="text", aggfunc="first", sort=False)
    wide = wide.reindex(index=list(study.metrics), columns=list(study.stability)).reset_index()
    for name in study.stability:
        wide[f"{name}_sort"] = (
            frame[frame["reduction"] == name].set_index("metric")["level"].reindex(wide["metric"]).to_numpy()
        )
    words = "; ".join(f"{name}: {_lowered(name)}" for name in study.stability)
    table = Table(
        name="thresholds",
        title=f"Effort required for a τ of {study.min_tau:g} or more",
        caption="In percent of the full judgments, pool or topics (size and reciprocal-rank: documents a topic), and "
        "in brackets the relevant documents judged; interpolated between steps. <: the smallest step tried is enough. "
        f">: the largest is not. {words[:1].upper()}{words[1:]}.",
        frame=wide,
        data=frame,
        columns=(
            METRIC,
            *right(**{name: name for name in study.stability}),
        ),
    )
    return Section(
        id="thresholds",
        title="Required judging effort",
        lead=f"Two rankings of the same runs with a Kendall’s τ of {study.min_tau:g} or more are commonly taken for "
        "the same. This is the least effort from which every larger one keeps it.",
        brief=True,
        blocks=(table,),
    )


def _stability_blocks(study: JudgmentsStudy, stability: Stability) -> tuple[Block, ...]:
    frame = stability.to_frame()
    name = stability.reduction.name
    drawn = (
        f"Means over {stability.n_replicates} replicates; bars are standard errors. "
        if stability.n_replicates > 1
        else "Nothing is drawn here, so there is one value. "
    )
    power = (
        f" Discriminative power: share of the pairs of runs that differ significantly ({stability.test})."
        if frame["power"].notna().any()
        else ""
    )
    picture = Picture(
        name=f"stability {name}",
        draw=lambda: figures.stability_panels(frame, measures=_FOUR, min_tau=study.min_tau),
        title=REDUCTION_NAMES[name],
        caption=f"{drawn}τ and τ_AP compare the ranking with the full one; the dashed line is τ = "
        f"{study.min_tau:g}. τ_AP weighs the best runs most.{power} {_meaning(stability, frame)}",
        alt=_stability_alt(stability, frame),
    )
    few = sum(len(one.steps) for one in study.stability.values()) <= _FEW_STEPS
    shown: list[Block] = [_correlation_table(stability, frame)]
    folded: list[Block] = [*([] if few else shown), _best_table(stability, frame)]
    if frame["found"].notna().any():
        folded.append(_consistency_table(stability, frame))
    return picture, *(shown if few else []), Fold(title=f"The numbers: {_lowered(name)}", blocks=tuple(folded))


def _meaning(stability: Stability, frame: pd.DataFrame) -> str:
    """Say in a sentence which metric holds best at the smallest step and which worst."""
    least = frame[frame["step"] == frame["step"].min()].dropna(subset=["tau"]).sort_values("tau", kind="stable")
    if least.empty:
        return "All runs tie, so there is no ranking to compare."
    low, high = least.iloc[0], least.iloc[-1]
    unit = " %" if stability.reduction.unit == "%" else " documents a topic"
    if len(least) == 1:
        return f"At {low['step']:g}{unit} τ is {low['tau']:.2f}."
    return (
        f"At {low['step']:g}{unit} the ranking holds best under {name_of_metric(high['metric'])} "
        f"(τ {high['tau']:.2f}) and worst under {name_of_metric(low['metric'])} ({low['tau']:.2f})."
    )


def _stability_alt(stability: Stability, frame: pd.DataFrame) -> str:
    parts = []
    for metric in stability.metrics:
        rows = frame[frame["metric"] == metric].sort_values("step")
        values = ", ".join(f"{number(2)(row['tau'])} at {row['step']:g}" for row in rows.to_dict("records"))
        parts.append(f"{name_of_metric(metric)}: τ {values}")
    return "; ".join(parts)


def _wide(
    frame: pd.DataFrame, metrics: Sequence[str], cells: Mapping[str, Callable[[dict[Any, Any]], object]]
) -> pd.DataFrame:
    """Return one row a step with the columns ``<metric> <cell>``."""
    rows = []
    for step, part in frame.groupby("step"):
        found = {row["metric"]: row for row in part.to_dict("records")}
        row: dict[str, object] = {"step": step, "judged": part["judged"].iloc[0], "relevant": part["relevant"].iloc[0]}
        for metric in metrics:
            row |= {f"{metric} {name}": write(found[metric]) for name, write in cells.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def _step_columns(stability: Stability) -> tuple[Column, ...]:
    label, write = ("Left", percent) if stability.reduction.unit == "%" else ("Size", whole)
    return (
        *right(write, step=label),
        *right(number(0), judged="Judged", relevant="Relevant"),
    )


def _by_metric(stability: Stability, **labels: str) -> Iterator[Column]:
    """Yield the columns of `_wide`, those of one metric together."""
    for metric in stability.metrics:
        yield from right(text, name_of_metric(metric), **{f"{metric} {name}": label for name, label in labels.items()})


def _correlation_table(stability: Stability, frame: pd.DataFrame) -> Table:
    cells = {"tau": lambda row: with_error(row, "tau"), "tau_ap": lambda row: with_error(row, "tau_ap")}
    return Table(
        name=f"stability {stability.reduction.name}",
        title=f"Stability of the ranking: {_lowered(stability.reduction.name)}",
        caption=f"τ and τ_AP with the full ranking ({stability.n_judged:,} judged documents, "
        f"{stability.n_relevant:,} relevant, {stability.n_topics} topics), ± standard error over "
        f"{count(stability.n_replicates, 'replicate')}.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame,
        columns=(
            *_step_columns(stability),
            *_by_metric(stability, tau="τ", tau_ap="τ_AP"),
        ),
    )


def _best_table(stability: Stability, frame: pd.DataFrame) -> Table:
    names = {"tau_best": "τ", "rbo": "RBO"}
    cells = {name: (lambda row, name=name: with_error(row, name)) for name in names}
    return Table(
        name=f"best {stability.reduction.name}",
        title=f"Among the best {stability.top} runs",
        caption=f"τ among the {stability.top} runs that are best under the full judgments, and the rank-biased "
        "overlap of both whole rankings (p = 0.9). A high τ over all runs can hide a low one among the best.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame[["metric", "step", "tau_best", "tau_ap_best", "rho_best", "rbo_best", "rho", "rbo", "tau_p_value"]],
        columns=(
            *_step_columns(stability)[:1],
            *_by_metric(stability, **names),
        ),
    )


def _consistency_table(stability: Stability, frame: pd.DataFrame) -> Table:
    def wrong(row: dict[Any, Any]) -> str:
        if pd.isna(row["contradicted_share"]):
            return MISSING
        return f"{row['contradicted']:.1f} ({100 * row['contradicted_share']:.0f} %)"

    cells: dict[str, Callable[[dict[Any, Any]], object]] = {
        "found": lambda row: row["found"],
        "wrong": wrong,
    }
    full = {metric: frame.loc[frame["metric"] == metric, "power_full"].iloc[0] for metric in stability.metrics}
    words = ", ".join(f"{name_of_metric(metric)} {stability.n_pairs * value:.0f}" for metric, value in full.items())
    return Table(
        name=f"consistency {stability.reduction.name}",
        title="Significant differences, and those that the full judgments do not confirm",
        caption=f"Pairs of runs out of {stability.n_pairs} ({stability.test}), means over the replicates tested. "
        "“Not confirmed”: not significant in the same direction under the full judgments. Under these there are: "
        f"{words}.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame[["metric", "step", "found", "contradicted", "contradicted_share", "power", "power_full"]],
        columns=(
            *_step_columns(stability)[:1],
            *(
                column
                for metric, name in ((one, name_of_metric(one)) for one in stability.metrics)
                for column in (
                    *right(number(1), name, **{f"{metric} found": "found"}),
                    *right(text, name, **{f"{metric} wrong": "not confirmed"}),
                )
            ),
        ),
    )


def percent(value: object) -> str:
    """Write a step in percent.

    Examples
    --------
    >>> percent(20.0), percent(2.5)
    ('20 %', '2.5 %')
    """
    return f"{float(str(value)):g} %"


def with_error(row: Mapping[Any, Any], name: str) -> str:
    """Write a mean with its standard error, where it has one.

    Examples
    --------
    >>> with_error({"tau": 0.91, "tau_se": 0.0123}, "tau"), with_error({"tau": 0.91}, "tau")
    ('0.910 ± 0.012', '0.910')
    """
    written = number(3)(row[name])
    spread = row.get(f"{name}_se")
    return written if spread is None or pd.isna(spread) else f"{written} ± {spread:.3f}"


def _lowered(reduction: str) -> str:
    words = REDUCTION_NAMES[reduction]
    return words[:1].lower() + words[1:]
