"""What a report on judgments says of the pools themselves: how well they are rebuilt, and what deeper ones find."""

from collections.abc import Sequence

import pandas as pd

from metaeval import figures
from metaeval.base.words import ends, name_of_metric, number, whole
from metaeval.page.blocks import Block, Fold, Picture, Text
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
    words = say("rebuilt", study=study, original=original, low=low if has_tau else None, n_judged=reduced.n_judged)
    table = Table(
        **say.named("closeness"), frame=closeness, columns=(METRIC, *right(number(3), tau="τ", tau_ap="τ AP"))
    )
    return Text(paragraphs=(words,)), Fold(title=say("closeness fold title"), blocks=(table,))


def pool_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    """Show what deeper pools find, and how deep pools of some sizes reach into the runs."""
    blocks: list[Block] = []
    if study.growth is not None:
        frame = study.growth.means().reset_index()
        last, critical = frame.iloc[-1], study.growth.critical_depths()
        half = frame[frame["judged"] >= last["judged"] / 2].iloc[0]
        relevant_share = half["relevant"] / last["relevant"] if last["relevant"] else 0.0
        words = say("half", depth=half["pool_depth"], judging=half["judged"] / last["judged"], found=relevant_share)
        fields = {"n": len(critical), "known": critical.dropna(), "few": 100 * study.growth.few}
        blocks.append(
            Picture(
                **say.named("pool growth", deepest=last["pool_depth"], half=words, **fields),
                draw=lambda: figures.growth_panels(frame),
                alt=words,
            )
        )
        blocks += _topics_blocks(study.growth)
    if study.depths is not None:
        table = _run_depths_table(study.depths)
        blocks.append(Fold(title=table.title, blocks=(table,)))
    return tuple(blocks)


def _topics_blocks(growth: PoolGrowth) -> tuple[Block, ...]:
    """Show how many relevant documents every topic's pool holds at each depth, and past which depth few come."""
    topics, counts = growth.topics(), growth.by_topic()
    critical = topics["critical_depth"].dropna()
    words = say("topics reached", n=len(topics), known=critical)
    picture = Picture(
        name="pool growth topics",
        **say.titled("topics", few=100 * growth.few, reached=words),
        draw=lambda: figures.topic_growth_lines(counts, topics),
        alt=words,
    )
    table = Table(
        **say.named("critical_depths", few=100 * growth.few),
        frame=topics,
        columns=(
            *left(topic="Topic"),
            *right(whole, "Whole pool", pool_depth="Depth", judged="Judged", relevant="Relevant"),
            *right(whole, "Critical depth", critical_depth="Depth", judged_there="Judged", relevant_there="Relevant"),
        ),
    )
    return picture, Fold(title=say("critical fold title"), blocks=(table,))


def _run_depths_table(depths: RunDepths) -> Table:
    row: dict[str, object] = {
        "topics": depths.n_topics,
        "runs": depths.n_runs,
        "answers": depths.n_answers,
        "per_topic": depths.runs_per_topic,
    }
    row |= {f"size {size}": value for size, value in depths.table["mean_depth"].items()}
    return Table(
        **say.named("run_depths"),
        frame=pd.DataFrame([row]),
        data=depths.to_frame().assign(answers=depths.n_answers, runs_per_topic=depths.runs_per_topic),
        columns=(
            *right(whole, topics="Topics", runs="Runs", answers="Answers"),
            *right(number(1), per_topic="Runs a topic"),
            *right(
                number(1),
                "Mean rank, by documents a topic",
                **{f"size {size}": str(size) for size in depths.table.index},
            ),
        ),
    )
