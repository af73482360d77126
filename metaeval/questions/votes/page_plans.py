"""What the page on votes says of votes to come: how many settle a pair, and which pairs the next ones should go to."""

import math

from metaeval.base.words import number as decimals
from metaeval.base.words import share, whole
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import Table, left, right
from metaeval.questions.votes.study import VoteGroup, VotesStudy
from metaeval.reports.prose import prose

_STRENGTH = decimals(2)
_MOST_PAIRS = 10
say = prose(__name__)


def plan_section(study: VotesStudy) -> Section:
    """Say for each group of connected systems how many votes are missing, and on which pairs."""
    several = study.n_groups > 1
    blocks = [
        block
        for number, group in enumerate(study.groups, start=1)
        for block in _plan_blocks(study, group, number if several else 0)
    ]
    return Section(id="plan", title=say("section plan"), lead=say("plan lead"), brief=True, blocks=tuple(blocks))


def _plan_blocks(study: VotesStudy, group: VoteGroup, number: int) -> list[Block]:
    """Return the plan of one group; 0 where there is no other."""
    plan, name = group.plan, f"group {number}" if number else ""
    frame = plan.to_frame()
    open_pairs = frame[~frame["settled"]].head(_MOST_PAIRS)
    ranks = group.ranks.to_frame()
    best, second = ranks["system"].iloc[0], ranks["system"].iloc[1]
    between_leaders = [{a, b} == {best, second} for a, b in zip(frame["system_a"], frame["system_b"], strict=True)]
    words = say(
        "plan",
        plan=plan,
        number=number,
        for_share=plan.votes_for_share(study.share),
        write=_votes,
        share=study.share,
        leaders=frame[between_leaders].iloc[0],
        several=[unit for unit, n in group.main.n_units.items() if n > 1],
        best=best,
        second=second,
    )
    blocks: list[Block] = [Text(paragraphs=(words,))]
    if len(open_pairs):
        needed = {"votes_needed": "new questions", "votes_needed_same": "same questions"}
        blocks.append(
            Table(
                name=f"plan {name}".strip(),
                title=say("plan title", name=name),
                caption=say("plan table", plan=plan),
                frame=open_pairs,
                columns=(
                    *left(system_a="System", system_b="against"),
                    *right(_STRENGTH, difference="Difference"),
                    *right(_votes, "Votes needed in all", **needed),
                ),
                data=frame,
            )
        )
    blocks.append(
        Table(
            name=f"next {name}".strip(),
            title=say("next title", n=plan.n_next, name=name),
            caption=say("next", n=plan.n_next),
            frame=plan.following.head(_MOST_PAIRS // 2),
            columns=(*left(system_a="System", system_b="against"), *right(share, fall="Fall of the mean width")),
            data=plan.following,
        )
    )
    return blocks


def _votes(value: object) -> str:
    return "no number" if isinstance(value, float) and math.isinf(value) else whole(value)
