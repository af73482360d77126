"""In which order assessors highlighted and judged, from a log of what they did."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pandas as pd

from metaeval.errors import InvalidOptionError
from metaeval.inex.articles import ArticlePlaces, Articles
from metaeval.inex.assessment_tables import KEYS, LackingError, check_columns

ACTIONS = ("load", "highlight", "unhighlight", "assess")
"""What a log may say that an assessor did."""

_STEPS = {"highlight": "highlights", "assess": "judgments of elements"}


def assessor_steps(log: pd.DataFrame | None, articles: Articles | None, notes: list[str]) -> pd.DataFrame:
    """Return how often each highlight, and each judgment of an element, lies behind the one before it."""
    table = _ordered(log)
    if "place" not in table:
        raise LackingError("the log does not say where its actions took place (a column place)")
    table = table.assign(place=table["place"].fillna("").astype(str))
    rows = []
    for action, called in _STEPS.items():
        mine = table[(table["action"] == action) & (table["place"] != "")]
        moves = [
            move
            for (_, document), actions in mine.groupby(KEYS, sort=False)
            if len(actions) > 1
            for move in _moves(actions["place"].tolist(), str(document), articles)
        ]
        ordered = np.array([move for move in moves if move is not None], dtype=np.int64)
        if len(ordered) < len(moves):
            notes.append(
                f"steps between {called} whose order only the articles tell, and that do not count: "
                f"{len(moves) - len(ordered)} of {len(moves)}"
            )
        if len(ordered):
            forward, inside = int((ordered > 0).sum()), int((ordered == 2).sum())  # noqa: PLR2004 - see `_moves`
            share = inside / forward if forward and action == "assess" else np.nan
            rows.append((action, len(ordered), forward, forward / len(ordered), share))
    if not rows:
        message = "no document in the log has two highlights, or two judgments of elements, whose order is known"
        raise LackingError(message)
    return pd.DataFrame(rows, columns=["action", "steps", "forward", "share", "inside"])


def assessor_cycles(log: pd.DataFrame | None) -> pd.DataFrame:
    """Return for every document with highlights and judgments: how many of each, and how often one led to the other."""
    table = _ordered(log)
    if not {"highlight", "assess"} <= set(table["action"]):
        return pd.DataFrame()  # one phase only: there is nothing to ask
    acts = table[table["action"] != "load"]
    judging = (acts["action"] == "assess").rename("judging")
    before = judging.groupby([acts[name] for name in KEYS], sort=False).shift(fill_value=True)
    counted = acts[KEYS].assign(
        highlights=acts["action"] == "highlight", judgments=judging, cycles=judging & ~before.astype(bool)
    )
    sums = counted.groupby(KEYS, sort=False).sum().reset_index()
    documents = sums[(sums["cycles"] > 0)].reset_index(drop=True)
    if documents.empty:
        raise LackingError("no document in the log was highlighted and then judged")
    return documents


def _ordered(log: pd.DataFrame | None) -> pd.DataFrame:
    """Return the actions of a log in the order of time."""
    if log is None:
        raise LackingError("give a log of the assessors' actions")
    if "action" not in log:
        raise LackingError("the log does not say what was done (a column action)")
    check_columns(log, "log", [*KEYS, "action"])
    action = log["action"].astype(str).str.strip().str.casefold()
    strange = action[~action.isin(ACTIONS)]
    if len(strange):
        message = f"`log` has the action {strange.iloc[0]!r}; write {', '.join(ACTIONS)}, and leave other rows out"
        raise InvalidOptionError(message)
    table = log.assign(action=action)
    return table.sort_values(["topic", "time"], kind="stable") if "time" in table else table


def _moves(places: list[str], document: str, articles: Articles | None) -> Iterable[int | None]:
    """Yield for each step 1 if it goes forward, 2 if forward into the element, else 0; None where nobody knows."""
    article = None if articles is None or places[0].lstrip("-").isdecimal() else articles[document]
    for before, after in pairwise(places):
        if after.startswith(f"{before}/"):
            yield 2
        elif before == after or before.startswith(f"{after}/"):
            yield 0
        elif article is not None:
            yield int(_where(article, before) < _where(article, after))
        else:
            yield _by_name(before, after)


def _where(article: ArticlePlaces, place: str) -> tuple[int, int]:
    """Return a key by which places stand in document order."""
    return article.position(place), article.order.get(place.partition("/text()")[0], -1)


def _by_name(before: str, after: str) -> int | None:
    """Compare offsets, or siblings of one tag; others have no order without the article."""
    if before.isdecimal() and after.isdecimal():
        return int(int(before) < int(after))
    for first, second in zip(before.split("/"), after.split("/"), strict=False):
        if first != second:
            parts = [step.replace("]", "").replace("[", ".").split(".") for step in (first, second)]
            if parts[0][0] == parts[1][0] and all(piece.isdecimal() for step in parts for piece in step[1:]):
                return int([int(piece) for piece in parts[0][1:]] < [int(piece) for piece in parts[1][1:]])
            return None
    return None
