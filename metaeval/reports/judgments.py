# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page of a judgments study: what fewer judgments would change, and whether new systems are judged fairly."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from metaeval.bibliography import publications
from metaeval.figures.judgments import coverage_lines, effort_panels, growth_panels, stability_panels
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Item, Items, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.resampling.leave_out import CHANGE_INTERVALS, VERDICTS
from metaeval.studies.judgments import PLAN_NAMES, QUESTIONS, JudgmentsStudy
from metaeval.studies.stability import Stability
from metaeval.visible import csv_text
from metaeval.words import MISSING, count, listed, name_of_metric, number, share, whole

__all__ = ["judgments_page", "judgments_sections", "write_judgments_report"]

REDUCTION_NAMES: Mapping[str, str] = {
    "stratified": "A random part of the relevant and of the other documents",
    "random": "A random part of all judged documents",
    "relevant": "A random part of the relevant documents",
    "order": "The assessor stops early",
    "topics": "Fewer topics",
    "depth": "Pools of a smaller depth",
    "share": "Shallower pools, by their number of documents",
    "size": "Pools of a fixed number of documents",
    "borda": "The documents that the runs together rank highest",
}
"""What reductions are called on the page."""

_TITLES = {
    "less-judging": "Judging less",
    "shallower-pools": "Shallower pools",
    "fewer-topics": "Fewer topics",
    "new-systems": "New systems",
    "effort": "Where to spend effort",
}
_LEADS = {
    "less-judging": "Some pooled documents stay unjudged, as when assessors run out of time. Runs are ranked under "
    "what is left and compared with their ranking under all judgments.",
    "shallower-pools": "Only the documents that the runs rank highest are judged. The comparison is with the whole "
    "pool as it can be rebuilt from the pooled runs.",
    "fewer-topics": "All judgments of some topics, and none of the others.",
}
_FOUR = ("tau", "tau_ap", "score", "power")

_SOURCES = ("pal2010", "sakai2008", "buckley2004", "piwowarski2008", "yilmaz2008", "zobel1998")


def judgments_page(study: JudgmentsStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put a judgments study into a page.

    Parameters
    ----------
    study : JudgmentsStudy
    messages : sequence of str
        Warnings given on the way; they stand with the study's notes.

    Returns
    -------
    Page
    """
    return Page(
        title="What if we judge less?",
        facts=_facts(study),
        summary=_summary(study),
        sections=(
            *judgments_sections(study),
            _methods_section(study),
            notes_section(study.notes, messages),
            provenance_section(study.provenance),
        ),
        provenance=study.provenance,
    )


def judgments_sections(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return the sections that hold the answers, without methods, notes and provenance.

    Parameters
    ----------
    study : JudgmentsStudy

    Returns
    -------
    tuple of Section
    """
    sections: list[Section] = []
    if study.stability:
        sections.append(_thresholds_section(study))
    for question, names in _by_question(study).items():
        extra = _pool_blocks(study) if question == "shallower-pools" else ()
        blocks = [block for name in names for block in _stability_blocks(study, study.stability[name])]
        if blocks or extra:
            sections.append(
                Section(
                    id=question,
                    title=_TITLES[question],
                    lead=_LEADS[question],
                    blocks=(*_closeness(study, names), *blocks, *extra),
                )
            )
    if "new-systems" in study.questions:
        sections.append(_new_systems_section(study))
    if study.effort is not None:
        sections.append(_effort_section(study))
    if study.unanswered:
        items = tuple(Item(term=part, words=reason) for part, reason in study.unanswered.items())
        sections.append(
            Section(
                id="unanswered",
                title="What could not be answered",
                lead="These parts need something that the input does not have.",
                blocks=(Items(items=items),),
            )
        )
    return tuple(sections)


def write_judgments_report(
    study: JudgmentsStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of a judgments study as a folder.

    Parameters
    ----------
    study : JudgmentsStudy
    out : path
        The folder; see `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `judgments_page`.

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
        f"{name}.csv": partial(_write_csv, frame) for name, frame in study.tables().items()
    }
    return write_page(judgments_page(study, messages=messages), out, data=data, overwrite=overwrite)


# -------------------------------------------------------------------------------------------------- the short answer


def _facts(study: JudgmentsStudy) -> tuple[tuple[str, str], ...]:
    counts = {"metric": len(study.metrics), "run": study.n_systems, "topic": study.n_topics}
    if study.n_groups is not None:
        counts["group"] = study.n_groups
    shown = [(str(n), what if n == 1 else f"{what}s") for what, n in counts.items()]
    judged = [(f"{study.n_judged:,}", "judged documents"), (f"{study.n_relevant:,}", "of them relevant")]
    return (*shown, *judged)


def _summary(study: JudgmentsStudy) -> tuple[str, ...]:
    paragraphs = [
        " ".join(_threshold_sentences(study)),
        " ".join(_fairness_sentences(study)),
        " ".join(_effort_sentences(study)),
    ]
    return tuple(paragraph for paragraph in paragraphs if paragraph) or ("No question could be answered.",)


def _threshold_sentences(study: JudgmentsStudy) -> list[str]:
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
        table = study.stability[name].thresholds(at_least=study.at_least)
        table = table[table["kind"] != "undefined"]
        if table.empty:
            continue
        order = {"below smallest": 0, "observed": 1, "interpolated": 1, "above largest": 2}
        table = table.assign(order=table["kind"].map(order)).sort_values(["order", "level"], kind="stable")
        low, high = table.iloc[0], table.iloc[-1]
        words = f"{_level(low)} ({_short(low['metric'])})"
        if _level(low) != _level(high):
            words += f" to {_level(high)} ({_short(high['metric'])})"
        elif len(table) > 1:
            every = len(table) == len(study.metrics)
            words = f"{_level(low)} ({'every metric' if every else listed(map(_short, table['metric']))})"
        verb = "needed" if low["kind"] == "above largest" else "enough"
        sentences.append(
            f"{words[:1].upper()}{words[1:]} {opening[question]} are {verb} to keep τ at {study.at_least:g} or more."
        )
    return sentences


def _level(row: pd.Series) -> str:
    if row["kind"] == "above largest":
        return f"more than {row['level']:g} %"
    return f"less than {row['level']:g} %" if row["kind"] == "below smallest" else f"{row['level']:.0f} %"


def _fairness_sentences(study: JudgmentsStudy) -> list[str]:
    if "depth" not in study.left_out:
        return []
    table = study.tables()["left_out_summary"]
    table = table[table["keep"] == "depth"].assign(size=lambda rows: rows["mean_change"].abs())
    table = table.sort_values("size", kind="stable")
    low, high = table.iloc[0], table.iloc[-1]
    least, most = (_signed_percent(row["mean_change"]) for row in (low, high))
    words = [
        f"Had a run's own group not been in the pool, its score would have changed by {least} "
        f"on average under {_short(low['metric'])}"
        + (f" and by {most} under {_short(high['metric'])}" if len(table) > 1 else "")
        + f"; no run would have moved by more than {count(int(table['most_places'].max()), 'place')}."
    ]
    change = table["mean_change"]
    risen, fallen = (list(map(_short, table["metric"][which])) for which in (change > 0, change < 0))
    if risen and fallen:
        words.append(f"On average scores rise under {listed(risen)}, and fall under {listed(fallen)}.")
    return words


def _effort_sentences(study: JudgmentsStudy) -> list[str]:
    if study.effort is None:
        return []
    frame = study.effort.to_frame()
    step = min(frame["step"].unique(), key=lambda one: abs(one - 60))
    part = frame[(frame["step"] == step) & frame["tau"].notna()]
    if part.empty:
        return []
    tau = part["tau"].round(12)
    best = part[tau == tau.groupby(part["metric"]).transform("max")]
    alone = best[~best["metric"].duplicated(keep=False)]
    wins = [
        f"{PLAN_NAMES[str(plan)].replace(',', ' for')} under {count(int(n), 'metric')}"
        for plan, n in alone["plan"].value_counts().items()
    ]
    tied = part["metric"].nunique() - len(alone)
    words = [f"the ranking stays closest to the full one with {listed(wins)}"] if wins else []
    words += [f"the best plans tie under {count(tied, 'metric')}"] if tied else []
    return [f"With {step:g} % of the effort, {'; '.join(words)}."]


# ------------------------------------------------------------------------------------------------------- less judging


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
    words = "; ".join(f"{name}: {REDUCTION_NAMES[name].lower()}" for name in study.stability)
    table = Table(
        name="thresholds",
        title=f"How little keeps τ at {study.at_least:g} or more",
        caption="In percent of the full judgments, pool or topics (size and borda: documents a topic), and in "
        "brackets the relevant documents judged; interpolated between steps. <: the smallest step tried is enough. "
        f">: the largest is not. {words[:1].upper()}{words[1:]}.",
        frame=wide,
        data=frame,
        columns=(
            Column(name="metric", label="Metric", write=_short),
            *(Column(name=name, label=name, align="right") for name in study.stability),
        ),
    )
    return Section(
        id="thresholds",
        title="How little is enough",
        lead=f"Two rankings of the same runs with a Kendall’s τ of {study.at_least:g} or more are commonly taken for "
        "the same. This is the least effort from which every larger one keeps it.",
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
        f" Discriminative power: pairs of runs told apart ({stability.test})." if frame["power"].notna().any() else ""
    )
    picture = Picture(
        name=f"stability {name}",
        figure=stability_panels(frame, measures=_FOUR, at_least=study.at_least),
        title=REDUCTION_NAMES[name],
        caption=f"{drawn}τ and τ_AP compare the ranking with the full one; the dashed line is τ = "
        f"{study.at_least:g}. τ_AP weighs the best runs most.{power} {_meaning(stability, frame)}",
        alt=_stability_alt(stability, frame),
    )
    folded: list[Block] = [_correlation_table(stability, frame), _best_table(stability, frame)]
    if frame["found"].notna().any():
        folded.append(_consistency_table(stability, frame))
    return picture, Fold(title=f"The numbers: {REDUCTION_NAMES[name].lower()}", blocks=tuple(folded))


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
        f"At {low['step']:g}{unit} the ranking holds best under {_short(high['metric'])} (τ {high['tau']:.2f}) and "
        f"worst under {_short(low['metric'])} ({low['tau']:.2f})."
    )


def _stability_alt(stability: Stability, frame: pd.DataFrame) -> str:
    parts = []
    for metric in stability.metrics:
        rows = frame[frame["metric"] == metric].sort_values("step")
        values = ", ".join(f"{number(2)(row['tau'])} at {row['step']:g}" for row in rows.to_dict("records"))
        parts.append(f"{_short(metric)}: τ {values}")
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
    percent = stability.reduction.unit == "%"
    return (
        Column(name="step", label="Left" if percent else "Size", write=_percent if percent else whole, align="right"),
        Column(name="judged", label="Judged", write=number(0), align="right"),
        Column(name="relevant", label="Relevant", write=number(0), align="right"),
    )


def _correlation_table(stability: Stability, frame: pd.DataFrame) -> Table:
    cells = {"tau": lambda row: _with_error(row, "tau"), "tau_ap": lambda row: _with_error(row, "tau_ap")}
    return Table(
        name=f"stability {stability.reduction.name}",
        title="Stability of the ranking",
        caption=f"τ and τ_AP with the full ranking ({stability.n_judged:,} judged documents, "
        f"{stability.n_relevant:,} relevant, {stability.n_topics} topics), ± standard error over "
        f"{count(stability.n_replicates, 'replicate')}.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame,
        columns=(
            *_step_columns(stability),
            *(
                Column(name=f"{metric} {name}", label=label, align="right", group=_short(metric))
                for metric in stability.metrics
                for name, label in (("tau", "τ"), ("tau_ap", "τ_AP"))
            ),
        ),
    )


def _best_table(stability: Stability, frame: pd.DataFrame) -> Table:
    names = {"tau_best": "τ", "rbo": "RBO"}
    cells = {name: (lambda row, name=name: _with_error(row, name)) for name in names}
    return Table(
        name=f"best {stability.reduction.name}",
        title=f"Among the best {stability.best} runs",
        caption=f"τ among the {stability.best} runs that are best under the full judgments, and the rank-biased "
        "overlap of both whole rankings (p = 0.9). A high τ over all runs can hide a low one among the best.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame[["metric", "step", "tau_best", "tau_ap_best", "rho_best", "rbo_best", "rho", "rbo", "tau_p_value"]],
        columns=(
            *_step_columns(stability)[:1],
            *(
                Column(name=f"{metric} {name}", label=label, align="right", group=_short(metric))
                for metric in stability.metrics
                for name, label in names.items()
            ),
        ),
    )


def _consistency_table(stability: Stability, frame: pd.DataFrame) -> Table:
    def wrong(row: dict[Any, Any]) -> str:
        if pd.isna(row["contradicted_share"]):
            return MISSING
        return f"{row['contradicted']:.1f} ({100 * row['contradicted_share']:.0f} %)"

    cells: dict[str, Callable[[dict[Any, Any]], object]] = {"found": lambda row: row["found"], "wrong": wrong}
    full = {metric: frame.loc[frame["metric"] == metric, "power_full"].iloc[0] for metric in stability.metrics}
    words = ", ".join(f"{_short(metric)} {stability.n_pairs * value:.0f}" for metric, value in full.items())
    return Table(
        name=f"consistency {stability.reduction.name}",
        title="Significant differences, and how many of them the full judgments do not confirm",
        caption=f"Pairs of runs out of {stability.n_pairs} ({stability.test}), means over the replicates tested. "
        "“Not confirmed”: not significant in the same direction under the full judgments. Under these there are: "
        f"{words}.",
        frame=_wide(frame, stability.metrics, cells),
        data=frame[["metric", "step", "found", "contradicted", "contradicted_share", "power", "power_full"]],
        columns=(
            *_step_columns(stability)[:1],
            *(
                Column(name=f"{metric} {name}", label=label, write=write, align="right", group=_short(metric))
                for metric in stability.metrics
                for name, label, write in (("found", "found", number(1)), ("wrong", "not confirmed", str))
            ),
        ),
    )


# -------------------------------------------------------------------------------------------------------------- pools


def _closeness(study: JudgmentsStudy, names: Sequence[str]) -> tuple[Block, ...]:
    """Say how close the rebuilt pool comes to all judgments, before anything is compared with it."""
    found = next((one.closeness for name in names if (one := study.stability[name]).closeness is not None), None)
    original = study.original
    if found is None or original is None:
        return ()
    low = found.sort_values("tau", kind="stable").iloc[0]
    depths = original.depths
    deep = f"depth {depths.min()}" if depths.min() == depths.max() else f"depth {depths.min()} to {depths.max()}"
    words = (
        f"The pool as rebuilt from {'all' if study.n_pooled is None else study.n_pooled} runs ({deep}) is "
        f"{share(original.judged_share)} judged and holds {share(original.held_share)} of the judged and "
        f"{share(original.relevant_held_share)} of the relevant documents. "
    )
    if pd.notna(low["tau"]):
        words += (
            f"Its ranking of the runs has a τ of at least {low['tau']:.3f} with the one by all judgments "
            f"({_short(low['metric'])}). "
        )
    words += "It is the 100 % below."
    table = Table(
        name="closeness",
        title="The rebuilt pool against all judgments",
        caption="τ and τ_AP of the ranking by the rebuilt pool with the one by all judgments.",
        frame=found,
        columns=(
            Column(name="metric", label="Metric", write=_short),
            Column(name="tau", label="τ", write=number(3), align="right"),
            Column(name="tau_ap", label="τ_AP", write=number(3), align="right"),
        ),
    )
    return Text(paragraphs=(words,)), Fold(title="The rebuilt pool, by metric", blocks=(table,))


def _pool_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    blocks: list[Block] = []
    if study.growth is not None:
        frame = study.growth.means().reset_index()
        critical = study.growth.critical_depths()
        known = critical.dropna()
        sentence = (
            f"The depth past which few new relevant documents come (at most {100 * study.growth.few:g} per 100 "
            f"judged) is {known.median():.0f} for the median topic; in {count(int(critical.isna().sum()), 'topic')} "
            "none is seen."
            if len(known)
            else "In no topic does the pool reach a depth past which few new relevant documents come."
        )
        half = frame[frame["judged"] >= frame["judged"].iloc[-1] / 2].iloc[0]
        got = half["relevant"] / frame["relevant"].iloc[-1] if frame["relevant"].iloc[-1] else 0.0
        blocks.append(
            Picture(
                name="pool growth",
                figure=growth_panels(frame),
                title="What deeper pools find",
                caption="Relevant documents in the pool of a topic, mean over topics. Half of the judging finds "
                f"{share(got)} of the relevant documents. {sentence}",
                alt=f"Half of the judging, at depth {half['depth']:.0f}, finds {share(got)} of the relevant documents.",
            )
        )
    if study.depths is not None:
        blocks.append(_run_depths_table(study))
    return tuple(blocks)


def _run_depths_table(study: JudgmentsStudy) -> Table:
    depths = study.depths
    assert depths is not None  # noqa: S101 - the caller has looked
    row: dict[str, object] = {
        "topics": depths.n_topics,
        "runs": depths.n_runs,
        "answers": depths.n_answers,
        "per_topic": depths.runs_per_topic,
    }
    row |= {f"size {size}": value for size, value in depths.table["mean_depth"].items()}
    return Table(
        name="run_depths",
        title="How deep pools reach into the runs",
        caption="Mean rank of the last document of a run that went into a pool of so many documents a topic. "
        "Answers are the lists that are not empty.",
        frame=pd.DataFrame([row]),
        data=depths.to_frame(),
        columns=(
            Column(name="topics", label="Topics", write=whole, align="right", group="Submission"),
            Column(name="runs", label="Runs", write=whole, align="right", group="Submission"),
            Column(name="answers", label="Answers", write=whole, align="right", group="Submission"),
            Column(name="per_topic", label="Runs per topic", write=number(1), align="right", group="Submission"),
            *(
                Column(name=f"size {size}", label=str(size), write=number(1), align="right", group="Pool")
                for size in depths.table.index
            ),
        ),
    )


# -------------------------------------------------------------------------------------------------------- new systems


def _new_systems_section(study: JudgmentsStudy) -> Section:
    blocks: list[Block] = []
    for rule, found in study.left_out.items():
        blocks.append(_left_out_table(study, rule))
        tables: list[Block] = [
            _changes_table(study, rule, "run", "Runs by the relative change of their mean score"),
            _changes_table(study, rule, "run and topic", "Runs and topics by the relative change of the score"),
            _groups_table(rule, found.groups.reset_index()),
        ]
        blocks.append(Fold(title=f"Changes and groups, pool keeps its {rule}", blocks=tuple(tables)))
    if study.sufficiency is not None:
        blocks += [_sufficiency_table(study), Fold(title="Every verdict", blocks=(_verdicts_table(study),))]
    if study.covered is not None:
        blocks.append(_coverage_picture(study))
    if not blocks:
        blocks.append(Text(paragraphs=tuple(study.unanswered.values()) or ("Nothing could be computed.",), look="note"))
    return Section(
        id="new-systems",
        title=_TITLES["new-systems"],
        lead="Each group's runs are left out when the pool is built, and then scored with the judgments that "
        "remain: this is how a system that did not take part would have fared.",
        blocks=tuple(blocks),
    )


def _left_out_table(study: JudgmentsStudy, rule: str) -> Table:
    frame = study.tables()["left_out_summary"]
    frame = frame[frame["keep"] == rule].reset_index(drop=True)
    words = {
        "depth": "The pool of the others keeps its depth, so what only the group had found is lost.",
        "size": "The pool of the others is filled up to its size, so it reaches deeper; what was never judged stays "
        "so.",
    }
    return Table(
        name=f"left_out {rule}",
        title=f"Runs without their group in the pool, which keeps its {rule}",
        caption=f"{words[rule]} Change: new less old, in % of the old mean score; negative means that the score fell. "
        f"Significant: share of runs, two-sided paired t over topics, α = {study.alpha:g}. Places: how far a run moves "
        "among all others by its new score. τ: ranking by new against old scores.",
        frame=frame,
        data=frame,
        columns=(
            Column(name="metric", label="Metric", write=_short),
            Column(name="mean_change", label="Mean change", write=_signed_percent, align="right"),
            Column(name="fell", label="fell", write=share, align="right", group="Runs whose score"),
            Column(name="same", label="stayed", write=share, align="right", group="Runs whose score"),
            Column(name="rose", label="rose", write=share, align="right", group="Runs whose score"),
            Column(name="significant", label="Significant", write=share, align="right"),
            Column(name="mean_places", label="mean", write=number(1), align="right", group="Places moved"),
            Column(name="most_places", label="most", write=whole, align="right", group="Places moved"),
            Column(name="tau", label="τ", write=number(3), align="right"),
        ),
    )


def _changes_table(study: JudgmentsStudy, rule: str, counted: str, title: str) -> Table:
    frame = study.tables()["left_out_changes"]
    frame = frame[(frame["keep"] == rule) & (frame["counted"] == counted)]
    wide = pd.DataFrame({"interval": CHANGE_INTERVALS})
    for metric in study.metrics:
        own = frame[frame["metric"] == metric].set_index("interval").reindex(CHANGE_INTERVALS)
        wide[metric] = [
            f"{n:.0f}" if n == 0 else f"{n:.0f} ({100 * part:.1f} %)"
            for n, part in zip(own["n"], own["share"], strict=True)
        ]
    wide["interval"] = [name.replace("-", "−").replace("inf", "∞") for name in CHANGE_INTERVALS]
    return Table(
        name=f"changes {rule} {counted}",
        title=title,
        caption="Change: new less old, in % of the old score; negative means that the score fell. “old score 0” holds "
        "scores that were 0 and are not any more.",
        frame=wide,
        data=frame,
        columns=(
            Column(name="interval", label="Change, %"),
            *(Column(name=metric, label=_short(metric), align="right") for metric in study.metrics),
        ),
    )


def _groups_table(rule: str, groups: pd.DataFrame) -> Table:
    return Table(
        name=f"groups {rule}",
        title="What the judgments lose with each group",
        caption="Judged documents that only this group brought in; topics that lose all their relevant documents; "
        "share of the pool of the others that is judged.",
        frame=groups,
        columns=(
            Column(name="group", label="Group"),
            Column(name="runs", label="all", write=whole, align="right", group="Runs"),
            Column(name="pooled_runs", label="pooled", write=whole, align="right", group="Runs"),
            Column(name="dropped", label="judged", write=whole, align="right", group="Lost"),
            Column(name="dropped_relevant", label="relevant", write=whole, align="right", group="Lost"),
            Column(name="emptied", label="Topics emptied", write=whole, align="right"),
            Column(name="judged_share", label="Pool judged", write=share, align="right"),
        ),
    )


def _sufficiency_table(study: JudgmentsStudy) -> Table:
    assert study.sufficiency is not None  # noqa: S101 - the caller has looked
    frame = study.sufficiency.to_frame()
    sizes = frame["size"].unique().tolist()
    labels = {"same": "Same", "reversed": "Other: reversed", "changed": "Other: changed at all"}
    rows = []
    for metric in study.metrics:
        own = frame[frame["metric"] == metric].set_index("size")
        rows += [
            {"metric": metric, "row": label} | {f"size {size}": own[name][size] for size in sizes}
            for name, label in labels.items()
        ]
    return Table(
        name="pool_sufficiency",
        title="Would larger pools change what is decided about a new group",
        caption="Pools of so many documents a topic, without the group. Same: runs of the group that score "
        f"significantly differently than under all judgments ({study.sufficiency.n_runs} runs). Other: comparisons "
        f"of its runs with those of others ({study.sufficiency.n_comparisons:,}) that turn from better to worse or "
        f"back, and those with any other verdict. Paired t tests, α = {study.sufficiency.alpha:g}, uncorrected.",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            Column(name="metric", label="Metric", write=_short),
            Column(name="row", label="Measured against"),
            *(
                Column(name=f"size {size}", label=str(size), write=share, align="right", group="Pool size")
                for size in sizes
            ),
        ),
    )


def _verdicts_table(study: JudgmentsStudy) -> Table:
    frame = study.tables()["pool_verdicts"]
    columns = [(full, reduced) for full in VERDICTS for reduced in VERDICTS]
    wide = frame.pivot_table(index=["metric", "size"], columns=["full", "reduced"], values="n", sort=False)[columns]
    wide.columns = pd.Index([f"{full} {reduced}" for full, reduced in columns])
    return Table(
        name="pool_verdicts",
        title="Every verdict on the group's runs",
        caption="Comparisons of the group's runs with those of others: significantly better, not significantly "
        "different (similar) or significantly worse under all judgments, and (below) under those of the pool without "
        "the group.",
        frame=wide.reset_index(),
        data=frame,
        columns=(
            Column(name="metric", label="Metric", write=_short),
            Column(name="size", label="Pool size", write=whole, align="right"),
            *(
                Column(
                    name=f"{full} {reduced}",
                    label=reduced,
                    write=whole,
                    align="right",
                    group=f"{full.capitalize()} by all",
                )
                for full, reduced in columns
            ),
        ),
    )


def _coverage_picture(study: JudgmentsStudy) -> Picture:
    assert study.covered is not None  # noqa: S101 - the caller has looked
    frame = study.covered.to_frame()
    largest = frame[(frame["size"] == frame["size"].max())]
    tenth = largest[largest["rank"] == min(10, int(largest["rank"].max()))].iloc[0]
    n_new = study.covered.counts.sizes["system"]
    words = f"Of the first {tenth['rank']:.0f} results of the {count(n_new, 'new run')}, {share(tenth['up_to_rank'])} "
    "are judged"
    return Picture(
        name="coverage",
        figure=coverage_lines(frame),
        title="How much of the runs outside the pool is judged",
        caption="Share of the results at each rank that are judged, for pools of several sizes (documents a topic). "
        f"{words} with the largest. Unjudged results count as not relevant under ordinary metrics.",
        alt=f"{words} with pools of {tenth['size']:.0f} documents.",
    )


# ------------------------------------------------------------------------------------------------------------- effort


def _effort_section(study: JudgmentsStudy) -> Section:
    assert study.effort is not None  # noqa: S101 - the caller has looked
    frame = study.tables()["effort"]
    cost = study.cost
    picture = Picture(
        name="effort",
        figure=effort_panels(frame, plans=PLAN_NAMES, at_least=study.at_least),
        title="The same effort, spent in three ways",
        caption="τ with the ranking of the whole pool; bars are standard errors. The number of judged documents is "
        f"the same in all three; hours differ a little, because a relevant document takes {cost.minutes_relevant:g} "
        f"min and another {cost.minutes_other:.3g} min. The upper line is the better plan.",
        alt=" ".join(_effort_sentences(study)),
    )
    blocks: list[Block] = [picture, _effort_table(study, frame)]
    if study.effort.adaptive is not None:
        blocks += _adaptive_blocks(study)
    return Section(
        id="effort",
        title=_TITLES["effort"],
        lead="A fixed number of judgments can go into shallow pools for all topics, into random samples of deep "
        "pools, or into full pools for fewer topics.",
        blocks=tuple(blocks),
    )


def _effort_table(study: JudgmentsStudy, frame: pd.DataFrame) -> Table:
    assert study.effort is not None  # noqa: S101 - the caller has looked
    rows = []
    for (step, plan), part in frame.groupby(["step", "plan"], sort=False):
        found = {row["metric"]: row for row in part.to_dict("records")}
        first = part.iloc[0]
        row = {"step": step, "plan": PLAN_NAMES[str(plan)], "judged": first["judged"], "relevant": first["relevant"]}
        row |= {"hours": first["hours"], "topics": first["topics"]}
        rows.append(row | {metric: _with_error(found[metric], "tau") for metric in study.metrics})
    return Table(
        name="effort",
        title="τ at equal effort",
        caption="Effort in % of the judged documents of the whole pool. ± standard error over "
        f"{count(study.effort.n_replicates, 'replicate')}.",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            Column(name="step", label="Effort", write=_percent, align="right"),
            Column(name="plan", label="Spent on"),
            Column(name="topics", label="Topics", write=number(0), align="right"),
            Column(name="judged", label="Judged", write=number(0), align="right"),
            Column(name="relevant", label="Relevant", write=number(0), align="right"),
            Column(name="hours", label="Hours", write=number(1), align="right"),
            *(Column(name=metric, label=_short(metric), align="right", group="τ") for metric in study.metrics),
        ),
    )


def _adaptive_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    assert study.effort is not None  # noqa: S101 - the caller has looked
    frame, topics = study.effort.adaptive_table, study.tables()["adaptive_topics"]
    assert frame is not None  # noqa: S101 - goes with the replay
    rows = []
    for pools, part in frame.groupby("pools", sort=False):
        first = part.iloc[0]
        row = {"pools": pools, "judged": first["judged"], "relevant": first["relevant"], "hours": first["hours"]}
        rows.append(row | part.set_index("metric")["tau"].to_dict())
    table = Table(
        name="adaptive",
        title="Depth chosen topic by topic",
        caption="Adaptive: every topic's pool starts at depth 5 and grows by 5 until few new relevant documents "
        "come. One depth: the same number of judgments spent rank by rank on all topics alike. τ with the ranking "
        "of the whole pool.",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            Column(name="pools", label="Pools"),
            Column(name="judged", label="Judged", write=whole, align="right"),
            Column(name="relevant", label="Relevant", write=whole, align="right"),
            Column(name="hours", label="Hours", write=number(1), align="right"),
            *(
                Column(name=metric, label=_short(metric), write=number(3), align="right", group="τ")
                for metric in study.metrics
            ),
        ),
    )
    per_topic = Table(
        name="adaptive_topics",
        title="Every topic",
        caption="Depth reached, and why it stopped there: few new ones came (rate), or nothing deeper was ever "
        "judged (pool).",
        frame=topics,
        columns=(
            Column(name="topic", label="Topic"),
            Column(name="depth", label="Depth", write=whole, align="right", group="Adaptive"),
            Column(name="judged", label="Judged", write=whole, align="right", group="Adaptive"),
            Column(name="relevant", label="Relevant", write=whole, align="right", group="Adaptive"),
            Column(name="stopped", label="Stopped by", group="Adaptive"),
            Column(name="fixed_judged", label="Judged", write=whole, align="right", group="One depth"),
            Column(name="fixed_relevant", label="Relevant", write=whole, align="right", group="One depth"),
        ),
    )
    return table, Fold(title="Every topic", blocks=(per_topic,))


# ------------------------------------------------------------------------------------------------------------ methods


def _methods_section(study: JudgmentsStudy) -> Section:
    items = tuple(Item(words=source.full, link=source.address) for source in publications(_SOURCES))
    return Section(
        id="methods",
        title="Methods",
        lead="What was done, in words that fit a paper, and what to cite.",
        blocks=(Text(paragraphs=(_methods_paragraph(study),), look="quote"), Items(items=items)),
    )


def _methods_paragraph(study: JudgmentsStudy) -> str:
    words = [
        (
            f"We ranked {study.n_systems} runs on {study.n_topics} topics by the mean of "
            f"{count(len(study.metrics), 'metric')} ({listed(map(_short, study.metrics))})."
        )
    ]
    for name, one in study.stability.items():
        steps = ", ".join(f"{step:g}" for step in one.steps)
        unit = "%" if one.reduction.unit == "%" else "documents a topic"
        drawn = f", {count(one.n_replicates, 'replicate')}" if one.reduction.random else ""
        words.append(f"{REDUCTION_NAMES[name]} ({steps} {unit}{drawn}): {one.reduction.summary}.")
    if study.stability:
        words.append(
            "Rankings were compared with the full one by Kendall’s τ_b, τ_AP (Yilmaz et al., 2008; mean over tie "
            "orders), Spearman’s ρ and rank-biased overlap (p = 0.9); topics left with nothing relevant score 0."
        )
    if study.left_out:
        words.append("Groups were left out of the pool one by one (Zobel, 1998; Pal et al., 2010).")
    if study.effort is not None:
        words.append("Plans of equal effort hold the same number of judged documents (after Pal et al., 2010).")
    version = study.provenance.versions.get("metaeval", "")
    source = study.provenance.random_source
    words.append(f"Computed with metaeval {version}".rstrip() + (f" ({source})." if source else "."))
    return " ".join(words)


# -------------------------------------------------------------------------------------------------------- what helps


def _short(metric: object) -> str:
    return name_of_metric(metric)


def _percent(value: object) -> str:
    return f"{float(str(value)):g} %"


def _signed_percent(value: object) -> str:
    written = number(1)(value)
    return written if written == MISSING else f"{'+' if float(str(value)) > 0 else ''}{written} %"


def _with_error(row: Mapping[Any, Any], name: str) -> str:
    written = number(3)(row[name])
    spread = row.get(f"{name}_se")
    return written if spread is None or pd.isna(spread) else f"{written} ± {spread:.3f}"


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(csv_text(frame), encoding="utf-8", errors="backslashreplace", newline="\n")
