"""Long tables whose columns of systems and items have many names: no number but the score's is ever a score."""

from collections import Counter
from itertools import product

import pandas as pd
import pytest
from advice import obeyed

from metaeval.errors import MetaevalError
from metaeval.io.benchmarks.reading import read_content
from metaeval.io.blocks import TableOptions
from metaeval.io.sources import Source
from metaeval.table.frames import read_frame

SYSTEMS = (*"system run model method pipeline algorithm approach name run_id config".split(),)  # noqa: SIM905 - words
ITEMS = """
topic query qid query_id item question question_id sample doc document id task segment seg_id seg sentence
sent_id passage pid idx index row row_id line n number user user_id uid session turn turn_id utterance example
example_id prompt prompt_id instance instance_id case dataset fold conversation_id
""".split()  # noqa: SIM905 - a list of words reads better as words
IDS = (("1", "2", "3"), ("k1", "k2", "k3"))
BLEU = {"A": (0.1, 0.3, 0.5), "B": (0.2, 0.35, 0.6)}
"""Means .3 and .3833."""


def tables():
    """Yield 860 tables: every word for systems, every word for items, ids that are numbers and that are names."""
    for system, item, ids in product(SYSTEMS, ITEMS, IDS):
        rows = "".join(
            f"{name},{key},{score}\n" for name, scores in BLEU.items() for key, score in zip(ids, scores, strict=True)
        )
        yield system, item, ids, f"{system},{item},bleu\n{rows}"


def verdict(outcome, item: str, ids) -> str:
    """Return whether scores are right, or the column was asked for by its name."""
    if isinstance(outcome, MetaevalError):
        return "asked" if repr(item) in str(outcome) else "refused"
    labels, scores = outcome
    wanted = {"metric": ["bleu"], "system": ["A", "B"], "topic": [*ids]}
    right = labels == wanted and scores.tolist() == [[[*scores] for scores in BLEU.values()]]
    return "right" if right else "wrong"


def from_file(text: str):
    """Return what a table holds that is read as a file, the advice of every error followed."""

    def read(columns=None, missing="error", **options):
        options = TableOptions(columns=columns or {}, missing=missing, **options)
        return read_content(Source("t.csv"), text.encode(), options)

    outcome, _ = obeyed(read)
    return outcome if isinstance(outcome, MetaevalError) else (outcome.labels, outcome.scores)


def from_frame(text: str):
    """Return what a table holds that is read as a frame."""
    try:
        head, *rows = (line.split(",") for line in text.splitlines())
        numbers = [[system, int(item) if item.isdecimal() else item, float(bleu)] for system, item, bleu in rows]
        table = read_frame(pd.DataFrame(numbers, columns=head), {})
    except MetaevalError as error:
        return error
    return {dim: list(names) for dim, names in table.labels.items()}, table.scores


@pytest.mark.parametrize("door", [from_file, from_frame])
def test_every_name_of_systems_and_items_is_read_right_or_asked_for(door):
    """Of 860 tables none is read wrong, and 95 of 100 are read right, or their column of items is asked for by name."""
    found = {(system, item, *ids): verdict(door(text), item, ids) for system, item, ids, text in tables()}
    wrong = [key for key, kind in found.items() if kind == "wrong"]
    counts = Counter(found.values())
    assert len(found) == 860
    assert not wrong
    assert counts["right"] + counts["asked"] >= 0.95 * len(found), [k for k, kind in found.items() if kind == "refused"]
