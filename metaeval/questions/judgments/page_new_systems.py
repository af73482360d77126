# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The section on new systems: what becomes of runs whose group is left out of the pool."""

import pandas as pd

from metaeval import figures
from metaeval.base.names import in_order
from metaeval.base.words import MISSING, End, ends, name_of_metric, number, share, whole
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.questions.judgments.page_reductions import percent
from metaeval.questions.judgments.study import JudgmentsStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.coverage import Coverage
from metaeval.resampling.leave_out import CHANGE_INTERVALS, WHOLE, GroupsLeftOut
from metaeval.resampling.sufficiency import VERDICTS, PoolSufficiency

_KEPT = {
    "depth": (
        "pool keeps its depth",
        "The pool of the others keeps its depth, so what only the group had found is lost.",
    ),
    "size": (
        "pool keeps its size",
        "The pool of the others is filled up to its size, so it reaches deeper; documents never judged stay unjudged.",
    ),
}
_REBUILT = (
    "against the rebuilt pool",
    "The old score is that under the judgments inside the rebuilt pool; the judged documents outside it count nowhere.",
)
"""What the pool of the others keeps, and what that means."""
_MOVED = (
    *right(number(1), "Places moved", mean_places="mean"),
    *right(whole, "Places moved", most_places="most"),
    *right(number(3), tau="τ"),
)
say = prose(__name__)


def _extreme_changes(study: JudgmentsStudy) -> tuple[End, End, int, dict[str, object]] | None:
    """Return the least and the most mean change of scores without their group, the most places, and every change."""
    if "depth" not in study.left_out:
        return None
    table = study.table("left_out_summary")
    table = _rows_of(table, study.left_out["depth"]).assign(size=lambda rows: rows["mean_change"].abs())
    low, high = ends(map(name_of_metric, table["metric"]), table["size"], map(_signed_percent, table["mean_change"]))
    return low, high, int(table["most_places"].max()), dict(zip(table["metric"], table["mean_change"], strict=True))


def groups_sentence(study: JudgmentsStudy) -> str:
    """Say what leaving its own group out of the pool does to a run's score and place, at most."""
    changes = _extreme_changes(study)
    return say("had", high=changes[1], most=changes[2]) if changes else ""


def groups_figures(study: JudgmentsStudy) -> list[KeyFigure]:
    """Return the changes of scores and of places."""
    extremes = _extreme_changes(study)
    if extremes is None:
        return []
    low, high, most, numbers = extremes
    changes = " to ".join(f"{end.figure} ({end.who})" for end in dict.fromkeys((low, high)))
    return [
        KeyFigure("Mean change of a run's score without its group in the pool", changes, in_order(numbers)),
        KeyFigure("Most places that such a run would move", whole(most), {"places": most}),
    ]


def groups_section(study: JudgmentsStudy, *, published: bool = False) -> Section:
    """Return the section on runs that did not take part in the pool."""
    blocks: list[Block] = []
    for name, left_out in study.left_out.items():
        if left_out.pool_share < WHOLE:
            continue
        says = {"explained": not blocks}
        changes = [
            _changes_table(study, name, counted, published=published, **says) for counted in ("run", "run and topic")
        ]
        folded = [*([] if published else changes), _groups_table(name, left_out.groups.reset_index(), **says)]
        blocks += [_left_out_table(study, name), *(changes if published else [])]
        blocks.append(Fold(title=f"Changes and groups, {_KEPT.get(name, _REBUILT)[0]}", blocks=tuple(folded)))
    if any(way.pool_share < WHOLE for way in study.left_out.values()):
        blocks.append(_shares_table(study))
    if study.sufficiency is not None:
        blocks += [
            _sufficiency_table(study, study.sufficiency),
            Fold(title="Every verdict", blocks=(_verdicts_table(study),)),
        ]
    if study.covered is not None:
        blocks.insert(0, _coverage_picture(study.covered))
    if not blocks:
        blocks.append(Text(paragraphs=tuple(study.unanswered.values()) or ("Nothing could be computed.",), look="note"))
    return say.section("new-systems", *blocks, brief=published or not study.stability)


def _rows_of(frame: pd.DataFrame, left_out: GroupsLeftOut) -> pd.DataFrame:
    """Return the rows of one way to leave groups out."""
    mask = (frame["keep"] == left_out.keep) & (frame["baseline"] == left_out.baseline)
    return frame[mask & (frame["pool_share"] == left_out.pool_share)].reset_index(drop=True)


def _left_out_table(study: JudgmentsStudy, name: str) -> Table:
    left_out = study.left_out[name]
    frame = _rows_of(study.table("left_out_summary"), left_out)
    return say.table(
        "left out",
        frame,
        (METRIC,),
        right(_signed_percent, mean_change="Mean change"),
        right(share, "Runs whose score", fell="fell", same="stayed", rose="rose"),
        right(share, significant="Significant"),
        _MOVED,
        called=f"left_out {name}",
        data=frame,
        keep=_KEPT.get(name, _REBUILT),
        n_outside=left_out.n_outside,
        alpha=study.alpha,
    )


def _shares_table(study: JudgmentsStudy) -> Table:
    frame = study.table("left_out_summary")
    all_judged = [study.left_out[name] for name in ("rebuilt pool", "depth") if name in study.left_out][:1]
    some = [left_out for left_out in study.left_out.values() if left_out.pool_share < WHOLE]
    frame = pd.concat([_rows_of(frame, left_out) for left_out in [*all_judged, *some]], ignore_index=True)
    return say.table(
        "left_out shares",
        frame,
        right(percent, pool_share="Pool"),
        (METRIC,),
        right(_signed_percent, mean_change="Mean change"),
        right(share, significant="Significant"),
        _MOVED,
        data=frame,
    )


def _mirrored(interval: str) -> str:
    """Return an interval of changes with the other sign.

    Examples
    --------
    >>> _mirrored("[-20, -10)"), _mirrored("(0, 10)"), _mirrored("[50, inf)"), _mirrored("0")
    ('(10, 20]', '(-10, 0)', '(-inf, -50]', '0')
    """
    if "," not in interval:
        return interval
    low, high = (f"-{end}".removeprefix("--") if end != "0" else end for end in interval[1:-1].split(", "))
    return f"{'[' if interval[-1] == ']' else '('}{high}, {low}{']' if interval[0] == '[' else ')'}"


def _changes_table(study: JudgmentsStudy, name: str, counted: str, *, published: bool, explained: bool) -> Table:
    """Count changes by their size; as published, a loss is positive, and gains come first."""
    frame = _rows_of(study.table("left_out_changes"), study.left_out[name])
    frame = frame[frame["counted"] == counted]
    intervals = [*CHANGE_INTERVALS[-2::-1], CHANGE_INTERVALS[-1]] if published else [*CHANGE_INTERVALS]
    wide = pd.DataFrame({"interval": intervals})
    for metric in study.metrics:
        of_metric = frame[frame["metric"] == metric].set_index("interval").reindex(intervals)
        wide[metric] = [
            f"{n:.0f}" if n == 0 else f"{n:.0f} ({100 * proportion:.1f} %)"
            for n, proportion in zip(of_metric["n"], of_metric["share"], strict=True)
        ]
    written = map(_mirrored, intervals) if published else intervals
    wide["interval"] = [label.replace("-", "−").replace("inf", "∞") for label in written]
    return say.table(
        "changes",
        wide,
        left(interval="Change, %"),
        right(**{label: name_of_metric(label) for label in study.metrics}),
        called=f"changes {name} {counted}",
        data=frame,
        what="Runs" if counted == "run" else "Runs and topics",
        of="their mean score" if counted == "run" else "the score",
        published=published,
        explained=explained,
    )


def _groups_table(name: str, groups: pd.DataFrame, *, explained: bool) -> Table:
    return say.table(
        "groups",
        groups,
        left(group="Group"),
        right(whole, "Runs", runs="all", pooled_runs="pooled"),
        right(whole, "Lost", dropped="judged", dropped_relevant="relevant"),
        right(whole, emptied="Topics emptied"),
        right(share, judged_share="Pool judged"),
        called=f"groups {name}",
        explained=explained,
    )


def _sufficiency_table(study: JudgmentsStudy, sufficiency: PoolSufficiency) -> Table:
    frame = sufficiency.to_frame()
    sizes = frame["size"].unique().tolist()
    labels = {"same": "Same", "reversed": "Other: reversed", "changed": "Other: changed at all"}
    rows = []
    for metric in study.metrics:
        of_metric = frame[frame["metric"] == metric].set_index("size")
        rows += [
            {"metric": metric, "row": label} | {f"size {size}": of_metric[name][size] for size in sizes}
            for name, label in labels.items()
        ]
    return say.table(
        "pool_sufficiency",
        pd.DataFrame(rows),
        (METRIC,),
        left(row="Measured against"),
        right(share, "Pool size", **{f"size {size}": str(size) for size in sizes}),
        data=frame,
        pools=sufficiency,
    )


def _verdicts_table(study: JudgmentsStudy) -> Table:
    frame = study.table("pool_verdicts")
    columns = [(full, reduced) for full in VERDICTS for reduced in VERDICTS]
    wide = frame.pivot_table(index=["metric", "size"], columns=["full", "reduced"], values="n", sort=False)[columns]
    wide.columns = pd.Index([f"{full} {reduced}" for full, reduced in columns])
    return say.table(
        "pool_verdicts",
        wide.reset_index(),
        (METRIC,),
        right(whole, size="Pool size"),
        (
            column
            for full in VERDICTS
            for column in right(
                whole, f"{full.capitalize()} by all", **{f"{full} {verdict}": verdict for verdict in VERDICTS}
            )
        ),
        data=frame,
    )


def _coverage_picture(covered: Coverage) -> Picture:
    frame = covered.to_frame()
    largest = frame[(frame["size"] == frame["size"].max())]
    tenth = largest[largest["rank"] == min(10, int(largest["rank"].max()))].iloc[0]
    alt = "A line for each pool size: the judged share by rank."
    return say.picture(
        "coverage", lambda: figures.coverage_lines(frame), alt=alt, top=tenth, n_new=covered.counts.sizes["system"]
    )


def _signed_percent(value: object) -> str:
    written = number(1)(value)
    return written if written == MISSING else f"{'+' if float(str(value)) > 0 else ''}{written} %"
