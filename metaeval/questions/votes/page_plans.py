"""What the page on votes says of votes to come: how many settle a pair, and which pairs the next ones should go to."""

import math

from metaeval.base.words import number as decimals
from metaeval.base.words import share, whole
from metaeval.models.votes_needed import VotePlan
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
    return say.section("plan", *blocks, head="Votes needed")


def _plan_blocks(study: VotesStudy, group: VoteGroup, number: int) -> list[Block]:
    """Return the plan of one group; 0 where there is no other."""
    plan, name = group.plan, f"group {number}" if number else ""
    frame = plan.to_frame()
    open_pairs = frame[~frame["settled"]].head(_MOST_PAIRS)
    if frame["settled"].all():
        sentences = ["All pairs are settled."]
    elif len(frame) == 1:
        sentences = []
    else:
        total = plan.votes_for_share(study.share)
        which = "plan none" if math.isinf(total) else "plan"
        sentences = [say(which, share=study.share, total=_votes(total), n_votes=plan.n_votes)]
    words = f"{f'Group {number}: ' if number else ''}{' '.join(filter(None, [*sentences, lead_words(group)]))}"
    blocks: list[Block] = [Text(paragraphs=(words,))]
    if len(open_pairs):
        needed = {"votes_needed": "new questions", "votes_needed_same": "same questions"}
        blocks.append(
            say.table(
                "pairs",
                open_pairs,
                left(system_a="System", system_b="against"),
                right(_STRENGTH, difference="Difference"),
                right(_votes, "Votes needed in all", **needed),
                called=f"plan {name}".strip(),
                data=frame,
                name=name,
                power=plan.power,
            )
        )
    if len(frame) > 1:
        blocks.append(_next_table(plan, name))
    return blocks


def lead_words(group: VoteGroup) -> str:
    """Say how many votes settle the pair of the two systems that are first; nothing where they are settled."""
    needed = votes_of_leaders(group)
    best, second = group.ranks.to_frame()["system"].iloc[:2]
    which = "no lead" if needed == _votes(math.inf) else "lead"
    return say(which, best=best, second=second, needed=needed, power=group.plan.power) if needed else ""


def votes_of_leaders(group: VoteGroup) -> str:
    """Write with how many votes the pair of the two systems that are first is settled; nothing where it is."""
    frame, first = group.plan.to_frame(), {*group.ranks.to_frame()["system"].iloc[:2]}
    between = [{a, b} == first for a, b in zip(frame["system_a"], frame["system_b"], strict=True)]
    leaders = frame[between].iloc[0]
    return "" if leaders["settled"] else _votes(leaders["votes_needed"])


def _next_table(plan: VotePlan, name: str) -> Table:
    return say.table(
        "next",
        plan.following.head(_MOST_PAIRS // 2),
        left(system_a="System", system_b="against"),
        right(share, fall="Fall of the mean width"),
        called=f"next {name}".strip(),
        data=plan.following,
        n=plan.n_next,
        name=name,
    )


def _votes(value: object) -> str:
    return "no number" if isinstance(value, float) and math.isinf(value) else whole(value)
