"""What a report on judgments says of the pools themselves: how well they are rebuilt, and what deeper ones find."""

from collections.abc import Sequence

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import ends, name_of_metric, number, share, whole
from metaeval.page.blocks import Block, Fold, Picture, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.resampling.coverage import RunDepths
from metaeval.resampling.pools import PoolGrowth
from metaeval.studies.judgments import JudgmentsStudy


def closeness_blocks(study: JudgmentsStudy, names: Sequence[str]) -> tuple[Block, ...]:
    """Say how close the rebuilt pool comes to all judgments, before anything is compared with it."""
    reduced = next((one for name in names if (one := study.stability[name]).closeness is not None), None)
    original = study.original
    if reduced is None or reduced.closeness is None or original is None:
        return ()
    found = reduced.closeness
    low = ends(map(name_of_metric, found["metric"]), found["tau"], map(number(3), found["tau"]))[0]
    depths = original.depths
    deep = f"depth {depths.min()}" if depths.min() == depths.max() else f"depth {depths.min()} to {depths.max()}"
    words = (
        f"The pool as rebuilt from {'all' if study.n_pooled is None else study.n_pooled} runs ({deep}) is "
        f"{share(original.judged_share)} judged and holds {share(original.held_share)} of the judged and "
        f"{share(original.relevant_held_share)} of the relevant documents. "
    )
    if found["tau"].notna().any():
        words += f"Its ranking of the runs has a τ of at least {low.figure} with the one by all judgments ({low.who}). "
    words += f"In this section it is the 100 %: {reduced.n_judged:,} judged documents, not all {study.n_judged:,}."
    table = Table(
        name="closeness",
        title="The rebuilt pool against all judgments",
        caption="τ and τ AP of the ranking by the rebuilt pool with the one by all judgments.",
        frame=found,
        columns=(
            METRIC,
            *right(number(3), tau="τ", tau_ap="τ AP"),
        ),
    )
    return Text(paragraphs=(words,)), Fold(title="The rebuilt pool, by metric", blocks=(table,))


def pool_blocks(study: JudgmentsStudy) -> tuple[Block, ...]:
    """Show what deeper pools find, and how deep pools of some sizes reach into the runs."""
    blocks: list[Block] = []
    if study.growth is not None:
        frame = study.growth.means().reset_index()
        critical = study.growth.critical_depths()
        known = critical.dropna()
        reached = (
            f"In {len(known)} of {count(len(critical), 'topic')} the pool reaches a depth past which few new relevant "
            f"documents come (at most {100 * study.growth.few:g} per 100 judged)"
            + (f", in the median of them {known.median():.0f}." if len(known) else ".")
        )
        last = frame.iloc[-1]
        half = frame[frame["judged"] >= last["judged"] / 2].iloc[0]
        got = half["relevant"] / last["relevant"] if last["relevant"] else 0.0
        sentence = (
            f"Depth {half['pool_depth']:.0f}, with {share(half['judged'] / last['judged'])} of the judging, finds "
            f"{share(got)} of the relevant documents."
        )
        blocks.append(
            Picture(
                name="pool growth",
                draw=lambda: figures.growth_panels(frame),
                title="What deeper pools find",
                caption="Relevant documents in the pool of a topic, mean over topics; all topics are taken to depth "
                f"{last['pool_depth']:.0f}, the deepest of any topic. {sentence} {reached}",
                alt=sentence,
            )
        )
        blocks += _topics_blocks(study.growth)
    if study.depths is not None:
        blocks.append(_run_depths_table(study.depths))
    return tuple(blocks)


def _topics_blocks(growth: PoolGrowth) -> tuple[Block, ...]:
    """Show how many relevant documents every topic's pool holds at each depth, and past which depth few come."""
    topics, counts = growth.topics(), growth.by_topic()
    known = topics.dropna(subset=["critical_depth"])
    words = f"{len(known)} of {count(len(topics), 'topic')} reach a depth past which few new relevant documents come"
    if len(known):
        words += f"; it lies between {known['critical_depth'].min():.0f} and {known['critical_depth'].max():.0f}"
    picture = Picture(
        name="pool growth topics",
        draw=lambda: figures.topic_growth_lines(counts, topics),
        title="What deeper pools find, topic by topic",
        caption="Relevant documents in the pool of each topic, to the depth at which everything judged is in. Named "
        "are the topics with most and with fewest relevant documents; a dot marks the depth past which the rest of the "
        f"pool holds at most {100 * growth.few:g} relevant documents per 100 judged. {words}.",
        alt=f"{words}.",
    )
    table = Table(
        name="critical_depths",
        title="The depth past which few new relevant documents come",
        caption=f"Past it, the rest of the pool holds at most {100 * growth.few:g} relevant documents per 100 judged; "
        "without one, relevant documents came to the end, and a deeper pool might have found more.",
        frame=topics,
        columns=(
            *left(topic="Topic"),
            *right(whole, "Whole pool", pool_depth="Depth", judged="Judged", relevant="Relevant"),
            *right(whole, "Few come past", critical_depth="Depth", judged_there="Judged", relevant_there="Relevant"),
        ),
    )
    return picture, Fold(title="Critical depths, topic by topic", blocks=(table,))


def _run_depths_table(depths: RunDepths) -> Table:
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
        caption="How deep the pooled runs are read until a pool holds at least so many documents a topic: the mean "
        "rank of the last document taken. Answers are the runs' lists of a topic that are not empty.",
        frame=pd.DataFrame([row]),
        data=depths.to_frame(),
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
