"""What the page of a leaderboard with gaps says of its ranking without the systems that have few items."""

from typing import Any

import pandas as pd

from metaeval.base.names import first_few
from metaeval.base.words import carried, number, share_of, text, whole
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.tables import Table, frame_of, left, of_metrics, right, rising
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.questions.leaderboard.study_few_items import WithoutThin
from metaeval.reports.prose import prose

_WHOLE = number(0)
say = prose(__name__)
_BOARDS = {
    "with": ("n_significant", "significant_error", "first", "first_error"),
    "without": ("n_without", "without_error", "first_without", "first_without_error"),
}
"""The columns of each row of the table."""


def thin_section(study: LeaderboardStudy, decision: str) -> list[Section]:
    """Say how many pairs of the other systems are separated without those of few items, and which ranks change."""
    without = study.thin
    if without is None:
        return []
    thin = without.thin.to_dict("records")
    words = say(
        "found",
        thin=thin,
        n_all=study.scores.sizes["system"],
        typical=without.typical,
        named=first_few(thin, write=lambda row: f"{row['system']} ({_WHOLE(row['n_topics'])})"),
    )
    way = say("way out", thin=len(thin), gone=without.thin["system"].tolist())
    moved = without.ranks[without.ranks["rank"] != without.ranks["rank_without"]]
    counts = without.to_frame()
    rows = counts.to_dict("records")
    sentences = [say("pairs", one=record, thin=len(thin), **_pairs(record)) for record in rows if len(rows) == 1]
    sentences += [say("ranks moved", one=record, moved=_moved(moved, record)) for record in rows if record["n_changed"]]
    sentences += [] if len(moved) else ["No rank among the others changes."]
    folds = [Fold(title="Ranks that change", blocks=(_moved_table(moved, without),))] if len(moved) else []
    table = _table(counts, decision, thin=len(thin), ranked=study.ranks is not None)
    return [say.section("thin", Text(paragraphs=(words, " ".join(sentences), way)), table, *folds)]


def _pairs(row: dict[Any, Any]) -> dict[str, str]:
    """Write how many pairs of the others are separated with the systems of few items on the board, and without."""
    return {
        board: share_of(row[n], row["n_pairs"], row[error] / row["n_pairs"])
        for board, (n, error, *_) in _BOARDS.items()
    }


def _moved(moved: pd.DataFrame, one: dict[Any, Any]) -> str:
    rows = moved[moved["metric"] == one["metric"]].to_dict("records")
    return first_few(
        rows, write=lambda row: f"{row['system']} from {_WHOLE(row['rank'])} to {_WHOLE(row['rank_without'])}"
    )


def _table(counts: pd.DataFrame, decision: str, *, thin: int, ranked: bool) -> Table:
    board_names = {"with": "all systems", "without": "without it" if thin == 1 else "without them"}
    rows = [
        {
            "metric": row["metric"],
            "board": board_names[board],
            "pairs": _pairs(row)[board],
            "pairs_sort": row[n],
            "first": carried(row[first], row[first_error], _WHOLE),
            "first_sort": row[first],
        }
        for row in counts.to_dict("records")
        for board, (n, _, first, first_error) in _BOARDS.items()
    ]
    frame = frame_of(rows)
    return say.table(
        "thin",
        frame,
        of_metrics(frame),
        left(board="Board"),
        right(text, pairs="Significantly different pairs of the others"),
        right(text, first="May be first") if ranked else (),
        called="without_thin",
        data=counts,
        decision=decision,
    )


def _moved_table(moved: pd.DataFrame, found: WithoutThin) -> Table:
    return say.table(
        "ranks",
        moved,
        of_metrics(moved),
        left(system="System"),
        rising(whole, "Rank among the others", rank="with them", rank_without="without"),
        called="ranks_without_thin",
        data=found.ranks,
        head="Ranks by mean that change, among the systems that are in both",
    )
