"""What a report on judgments says of the pools themselves: how well they are rebuilt, and what deeper ones find."""

from collections.abc import Sequence

import pandas as pd

from metaeval import figures
from metaeval.base.words import ends, name_of_metric, number, whole
from metaeval.page.blocks import Block, Fold, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.questions.judgments.study import JudgmentsStudy
from metaeval.reports.prose import prose
from metaeval.resampling.coverage import RunDepths
from metaeval.resampling.pools import PoolGrowth

say = prose(__name__)


def closeness_blocks(study: JudgmentsStudy, names: Sequence[str]) -> tuple[Block, ...]:
    """Say how close the rebuilt pool comes to all judgments, before anything is compared with it."""
    reduced = next((stability for name in names if (stability := study.stability[name]).closeness is not None), None)
    original = study.original
    if reduced is None or reduced.closeness is None or original is None:
        return ()
    closeness = reduced.closeness
    low = ends(map(name_of_metric, closeness["metric"]), closeness["tau"], map(number(3), closeness["tau"]))[0]
    has_tau = closeness["tau"].notna().any()
    least, most = original.depths.min(), original.depths.max()
    depth = f"{least} to {most}" if least != most else f"{least}"
    fields = {"n_judged": reduced.n_judged, "depth": depth, "low": low if has_tau else None}
    words = say("rebuilt", study=study, original=original, **fields)
    table = say.table("closeness", closeness, (METRIC,), right(number(3), tau="τ", tau_ap="τ AP"))
    return Text(paragraphs=(words,)), Fold(title="The rebuilt pool, by metric", blocks=(table,))


def pool_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    """Show what deeper pools find, and how deep pools of some sizes reach into the runs."""
    blocks: list[Block] = []
    if study.growth is not None:
        frame = study.growth.means().reset_index()
        last = frame.iloc[-1]
        half = frame[frame["judged"] >= last["judged"] / 2].iloc[0]
        relevant_share = half["relevant"] / last["relevant"] if last["relevant"] else 0.0
        words = say("half", depth=half["pool_depth"], judging=half["judged"] / last["judged"], relevant=relevant_share)
        picture = say.picture(
            "pool growth",
            lambda: figures.growth_panels(frame),
            alt=words,
            deepest=last["pool_depth"],
            half=words,
            reached=_reached_words(study.growth),
        )
        blocks.append(picture)
        blocks += _topics_blocks(study.growth)
    if study.depths is not None:
        table = _run_depths_table(study.depths)
        blocks.append(Fold(title=table.title, blocks=(table,)))
    return tuple(blocks)


def _topics_blocks(growth: PoolGrowth) -> tuple[Block, ...]:
    """Show how many relevant documents every topic's pool holds at each depth, and past which depth few come."""
    topics, counts = growth.topics(), growth.by_topic()
    words = _reached_words(growth)
    picture = say.picture(
        "topics",
        lambda: figures.topic_growth_lines(counts, topics),
        called="pool growth topics",
        alt=words,
        reached=words,
    )
    table = say.table(
        "critical_depths",
        topics,
        left(topic="Topic"),
        right(whole, "Whole pool", pool_depth="Depth", judged="Judged", relevant="Relevant"),
        right(whole, "Critical depth", critical_depth="Depth", judged_there="Judged", relevant_there="Relevant"),
        few=100 * growth.few,
    )
    return picture, Fold(title="Critical depths, topic by topic", blocks=(table,))


def _reached_words(growth: PoolGrowth) -> str:
    """Say how many topics reach a depth past which few relevant documents come, and where it lies."""
    depths = growth.topics()["critical_depth"]
    known = depths.dropna()
    lies = f"; it lies between {known.min():.0f} and {known.max():.0f}" if len(known) else ""
    return say("topics reached", n=len(depths), known=len(known), few=100 * growth.few, lies=lies)


def _run_depths_table(depths: RunDepths) -> Table:
    row: dict[str, object] = {
        "topics": depths.n_topics,
        "runs": depths.n_runs,
        "answers": depths.n_answers,
        "per_topic": depths.runs_per_topic,
    }
    row |= {f"size {size}": value for size, value in depths.table["mean_depth"].items()}
    return say.table(
        "run_depths",
        pd.DataFrame([row]),
        right(whole, topics="Topics", runs="Runs", answers="Answers"),
        right(number(1), per_topic="Runs a topic"),
        right(
            number(1),
            "Mean rank, by documents a topic",
            **{f"size {size}": str(size) for size in depths.table.index},
        ),
        data=depths.to_frame().assign(answers=depths.n_answers, runs_per_topic=depths.runs_per_topic),
    )
