"""Tables as people leave them, with the numbers known that they hold: no wrong number without a word."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import table_edits

SYSTEMS = ["bm25", "Qwen2-7B", "alpha", "delta", "my run"]
ITEMS = {"numbers": list(range(301, 308)), "names": ["MMLU", "ARC", "DROP", "BoolQ", "PIQA", "COPA", "GSM8K"]}


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("kind", ["wide", "board", "long"])
def test_no_edit_makes_a_wrong_number(kind, items, tmp_path):
    """Columns and rows renamed, reordered, cut and added, titles and marks: read right, or refused, or named."""
    numbers = np.random.default_rng(11).uniform(0.2, 0.9, (len(ITEMS[items]), len(SYSTEMS))).round(3)
    frame = pd.DataFrame(numbers, index=ITEMS[items], columns=SYSTEMS)
    found = table_edits.judged(frame, tmp_path, only=lambda name: name.startswith(kind))
    assert {name: said for name, (outcome, said) in found.items() if outcome == "wrong"} == {}
    counts = Counter(outcome for outcome, _ in found.values())
    assert counts["right"] >= 0.85 * len(found), {name: said for name, (one, said) in found.items() if one == "refused"}
