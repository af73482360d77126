# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The section on new systems: what becomes of runs whose group is left out of the pool."""

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import MISSING, ends, listed, name_of_metric, number, share, whole
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.judgment_reductions import percent
from metaeval.resampling.coverage import Coverage
from metaeval.resampling.leave_out import CHANGE_INTERVALS, WHOLE, GroupsLeftOut
from metaeval.resampling.sufficiency import VERDICTS, PoolSufficiency
from metaeval.studies.judgments import JudgmentsStudy


def groups_sentences(study: JudgmentsStudy) -> list[str]:
    """Say what leaving its own group out of the pool does to a run's score and place."""
    if "depth" not in study.left_out:
        return []
    table = study.table("left_out_summary")
    table = _of(table, study.left_out["depth"]).assign(size=lambda rows: rows["mean_change"].abs())
    changes = map(_signed_percent, table["mean_change"])
    low, high = ends(map(name_of_metric, table["metric"]), table["size"], changes)
    words = [
        f"Had a run's own group not been in the pool, its score would have changed by {low.figure} "
        f"on average under {low.who}"
        + (f" and by {high.figure} under {high.who}" if low != high else "")
        + f"; no run would have moved by more than {count(int(table['most_places'].max()), 'place')}."
    ]
    change = table["mean_change"]
    risen, fallen = (list(map(name_of_metric, table["metric"][which])) for which in (change > 0, change < 0))
    if risen and fallen:
        words.append(f"On average scores rise under {listed(risen)}, and fall under {listed(fallen)}.")
    return words


def groups_section(study: JudgmentsStudy) -> Section:
    """Return the section on runs that did not take part in the pool."""
    blocks: list[Block] = []
    for name, found in study.left_out.items():
        if found.pool_share < WHOLE:
            continue
        blocks.append(_left_out_table(study, name))
        tables: list[Block] = [
            _changes_table(study, name, "run", "Runs by the relative change of their mean score"),
            _changes_table(study, name, "run and topic", "Runs and topics by the relative change of the score"),
            _groups_table(name, found.groups.reset_index()),
        ]
        title = f"pool keeps its {name}" if name in _WORDS else "against the rebuilt pool"
        blocks.append(Fold(title=f"Changes and groups, {title}", blocks=tuple(tables)))
    if any(one.pool_share < WHOLE for one in study.left_out.values()):
        blocks.append(_shares_table(study))
    if study.sufficiency is not None:
        blocks += [
            _sufficiency_table(study, study.sufficiency),
            Fold(title="Every verdict", blocks=(_verdicts_table(study),)),
        ]
    if study.covered is not None:
        blocks.append(_coverage_picture(study.covered))
    if not blocks:
        blocks.append(Text(paragraphs=tuple(study.unanswered.values()) or ("Nothing could be computed.",), look="note"))
    return Section(
        id="new-systems",
        title="Reusability for new systems",
        lead="Each group's runs are left out when the pool is built, and then scored with the judgments that "
        "remain: this is how a system that did not take part would have fared.",
        brief=True,
        blocks=tuple(blocks),
    )


_WORDS = {
    "depth": "The pool of the others keeps its depth, so what only the group had found is lost.",
    "size": "The pool of the others is filled up to its size, so it reaches deeper; what was never judged stays so.",
}


def _of(frame: pd.DataFrame, found: GroupsLeftOut) -> pd.DataFrame:
    """Return the rows of one way to leave groups out."""
    own = (frame["keep"] == found.keep) & (frame["baseline"] == found.baseline)
    return frame[own & (frame["pool_share"] == found.pool_share)].reset_index(drop=True)


def _left_out_table(study: JudgmentsStudy, name: str) -> Table:
    found = study.left_out[name]
    frame = _of(study.table("left_out_summary"), found)
    title, words = f"which keeps its {name}", _WORDS.get(name)
    if words is None:
        title = "against the rebuilt pool"
        words = (
            f"The old score is that under the judgments inside the rebuilt pool, as in the paper; the "
            f"{found.n_outside:,} judged documents outside it count neither before nor after."
        )
    elif found.n_outside:
        words += f" The {found.n_outside:,} judged documents outside the rebuilt pool are kept for everybody."
    return Table(
        name=f"left_out {name}",
        title=f"Runs without their group in the pool, {title}",
        caption=f"{words} Change: new less old, in % of the old mean score; negative means that the score fell. "
        f"Significant: share of runs, two-sided paired t over topics, α = {study.alpha:g}. Places: how far a run moves "
        "among all others by its new score. τ: ranking by new against old scores.",
        frame=frame,
        data=frame,
        columns=(
            METRIC,
            *right(_signed_percent, mean_change="Mean change"),
            *right(share, "Runs whose score", fell="fell", same="stayed", rose="rose"),
            *right(share, significant="Significant"),
            *right(number(1), "Places moved", mean_places="mean"),
            *right(whole, "Places moved", most_places="most"),
            *right(number(3), tau="τ"),
        ),
    )


def _shares_table(study: JudgmentsStudy) -> Table:
    frame = study.table("left_out_summary")
    full = study.left_out.get("rebuilt pool", study.left_out.get("depth"))
    some = [one for one in study.left_out.values() if one.pool_share < WHOLE]
    frame = pd.concat([_of(frame, one) for one in ([full] if full else []) + some], ignore_index=True)
    return Table(
        name="left_out shares",
        title="Pools of less effort, and new systems",
        caption="Groups left out of pools that hold so many percent of the documents of the rebuilt one (Pal et al., "
        "2010, name it as an open question); the old score is that under the pool of that size with the group. "
        "Columns as above.",
        frame=frame,
        data=frame,
        columns=(
            *right(percent, pool_share="Pool"),
            METRIC,
            *right(_signed_percent, mean_change="Mean change"),
            *right(share, significant="Significant"),
            *right(number(1), "Places moved", mean_places="mean"),
            *right(whole, "Places moved", most_places="most"),
            *right(number(3), tau="τ"),
        ),
    )


def _changes_table(study: JudgmentsStudy, name: str, counted: str, title: str) -> Table:
    frame = _of(study.table("left_out_changes"), study.left_out[name])
    frame = frame[frame["counted"] == counted]
    wide = pd.DataFrame({"interval": CHANGE_INTERVALS})
    for metric in study.metrics:
        own = frame[frame["metric"] == metric].set_index("interval").reindex(CHANGE_INTERVALS)
        wide[metric] = [
            f"{n:.0f}" if n == 0 else f"{n:.0f} ({100 * part:.1f} %)"
            for n, part in zip(own["n"], own["share"], strict=True)
        ]
    wide["interval"] = [name.replace("-", "−").replace("inf", "∞") for name in CHANGE_INTERVALS]
    return Table(
        name=f"changes {name} {counted}",
        title=title,
        caption="Change: new less old, in % of the old score; negative means that the score fell. “old score 0” holds "
        "scores that were 0 and are not any more.",
        frame=wide,
        data=frame,
        columns=(
            *left(interval="Change, %"),
            *right(**{metric: name_of_metric(metric) for metric in study.metrics}),
        ),
    )


def _groups_table(name: str, groups: pd.DataFrame) -> Table:
    return Table(
        name=f"groups {name}",
        title="What the judgments lose with each group",
        caption="Judged documents that only this group brought in; topics that lose all their relevant documents; "
        "share of the pool of the others that is judged.",
        frame=groups,
        columns=(
            *left(group="Group"),
            *right(whole, "Runs", runs="all", pooled_runs="pooled"),
            *right(whole, "Lost", dropped="judged", dropped_relevant="relevant"),
            *right(whole, emptied="Topics emptied"),
            *right(share, judged_share="Pool judged"),
        ),
    )


def _sufficiency_table(study: JudgmentsStudy, sufficiency: PoolSufficiency) -> Table:
    frame = sufficiency.to_frame()
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
        title="Sufficiency of the pools for a new group",
        caption="Pools of so many documents a topic, without the group. Same: runs of the group that score "
        f"significantly differently than under all judgments ({sufficiency.n_runs} runs). Other: comparisons "
        f"of its runs with those of others ({sufficiency.n_comparisons:,}) that turn from better to worse or "
        f"back, and those with any other verdict. Paired t tests, α = {sufficiency.alpha:g}, uncorrected.",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            METRIC,
            *left(row="Measured against"),
            *right(share, "Pool size", **{f"size {size}": str(size) for size in sizes}),
        ),
    )


def _verdicts_table(study: JudgmentsStudy) -> Table:
    frame = study.table("pool_verdicts")
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
            METRIC,
            *right(whole, size="Pool size"),
            *(
                column
                for full in VERDICTS
                for column in right(whole, f"{full.capitalize()} by all", **{f"{full} {one}": one for one in VERDICTS})
            ),
        ),
    )


def _coverage_picture(covered: Coverage) -> Picture:
    frame = covered.to_frame()
    largest = frame[(frame["size"] == frame["size"].max())]
    tenth = largest[largest["rank"] == min(10, int(largest["rank"].max()))].iloc[0]
    n_new = covered.counts.sizes["system"]
    seen = share(tenth["up_to_rank"])
    words = f"Of the first {tenth['rank']:.0f} documents of the {count(n_new, 'new run')}, {seen} are judged"
    return Picture(
        name="coverage",
        draw=lambda: figures.coverage_lines(frame),
        title="How much of the runs outside the pool is judged",
        caption="Share of the documents at each rank that are judged, for pools of several sizes (documents a topic); "
        f"where runs return parts of documents, each document counts once. {words} with the largest. Unjudged ones "
        "count as not relevant under ordinary metrics.",
        alt=f"{words} with pools of {tenth['size']:.0f} documents.",
    )


def _signed_percent(value: object) -> str:
    written = number(1)(value)
    return written if written == MISSING else f"{'+' if float(str(value)) > 0 else ''}{written} %"
