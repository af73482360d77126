"""Ranks of the same systems by votes, metrics and boards: a table of all with intervals, and the bump chart of two."""

from metaeval.base.words import intervals, percentage, text, whole
from metaeval.figures.boards import MOST_LINES
from metaeval.models.settling import SettledPairs
from metaeval.page.blocks import Section
from metaeval.page.tables import left, right, rising
from metaeval.reports.prose import prose

say = prose(__name__)


def ranks_section(pairs: SettledPairs, first: str, second: str) -> Section:
    """Return the ranks by all voices, with the picture of two."""
    ranks, level = pairs.ranked(), percentage(1 - pairs.alpha)
    moves = pairs.moves(first, second)
    table_frame = ranks.merge(moves, on="system")
    columns = [*left(system="System")]
    for name in pairs.voices:
        table_frame[f"{name} ranks"] = intervals(ranks[f"{name}_low"], ranks[f"{name}_high"], whole)
        columns += [*rising(whole, name, **{name: "rank"}), *right(text, name, **{f"{name} ranks": "interval"})]
    table = say.table(
        "ranks", table_frame, columns, data=ranks.merge(moves, on="system"), level=level, tested=pairs.tested
    )
    drawn, moved = min(len(ranks), MOST_LINES), int(moves["moved"].sum())
    picture = say.picture(
        "rank_changes",
        lambda: pairs.plot(first, second),
        level=level,
        drawn=drawn,
        n=len(ranks),
        first=first,
        second=second,
        best=ranks.sort_values(first)["system"].iloc[0],
        moved=moved,
    )
    sure = percentage(1 - 2 * pairs.alpha)
    return say.section("ranks", picture, table, sure=sure, first=first, second=second, moved=moved, n=len(ranks))
