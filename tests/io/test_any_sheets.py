"""Tables mean the same however they are written: labels and scores told apart in CSV, JSON and Parquet alike."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import MetaevalError
from metaeval.inex.judges import read_judges
from metaeval.io.any_sheets import any_sheet
from metaeval.io.items import read_items
from metaeval.io.tables import read_scores

RNG = np.random.default_rng(1)
JUDGES = ("ann", "ben", "cat")
LABELS = [
    {"topic": topic, "doc": f"d{at}", "judge": judge, "label": int(RNG.integers(0, 2))}
    for topic in "123456"
    for at in range(4)
    for judge in JUDGES
]
WIDE = [
    {"topic": rows[0]["topic"], "doc": rows[0]["doc"], **{row["judge"]: row["label"] for row in rows}}
    for rows in (LABELS[at : at + 3] for at in range(0, len(LABELS), 3))
]
SCORES = [
    {"system": system, "topic": topic, "metric": metric, "score": round(float(RNG.random()), 4)}
    for system in "AB"
    for topic in "123456"
    for metric in ("AP", "P@5")
]
TABLES = {
    "labels": LABELS,
    "words": [{**row, "label": ("good", "bad")[row["label"]]} for row in LABELS],
    "truths": [{**row, "label": bool(row["label"])} for row in LABELS],
    "wide": WIDE,
    "items": [{"item": f"{row['topic']}-{row['doc']}", **{judge: row[judge] for judge in JUDGES}} for row in WIDE],
    "of models": [
        {"question_id": row["topic"], "model": row["doc"], **{one: row[one] for one in JUDGES}} for row in WIDE
    ],
    "rows of models": [
        {"question_id": row["topic"], "model": row["doc"], "judge": row["judge"], "label": row["label"]}
        for row in LABELS
    ],
    "scores": SCORES,
    "under judges": [
        {**row, "judge": judge, "score": row["score"] / at} for row in SCORES for at, judge in enumerate(JUDGES, 1)
    ],
    "a column a system": [{"topic": str(at), "bm25": at / 10, "lm": 1 - at / 10} for at in range(9)],
    "a column a metric": [
        {"system": name, "topic": str(at), "AP": at / 10, "P10": 1 - at / 10} for name in "AB" for at in range(9)
    ],
}
WRITERS = {
    "csv": lambda rows, path: pd.DataFrame(rows).to_csv(path, index=False),
    "jsonl": lambda rows, path: path.write_text("".join(json.dumps(row) + "\n" for row in rows)),
    "json": lambda rows, path: path.write_text(json.dumps(rows)),
    "columns": lambda rows, path: path.write_text(json.dumps({name: [row[name] for row in rows] for name in rows[0]})),
    "parquet": lambda rows, path: pd.DataFrame(rows).to_parquet(path),
}


def judged(path):
    """Return what a study of judges takes, as plain values."""
    found = read_judges(path)
    if found.labels is not None:
        table = found.labels.reset_index()
        return {name: [str(cell).casefold() for cell in table[name]] for name in table}  # pandas writes True, JSON true
    return {metric: {name: own.to_numpy().tolist() for name, own in of.items()} for metric, of in found.scores.items()}


def answer(read, path):
    """Return what is read, or what kind of error says that it is not."""
    try:
        found = read(path)
    except MetaevalError as error:
        return type(error).__name__, "labels" in str(error)
    return found.to_numpy().tolist() if hasattr(found, "to_numpy") else found


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name in TABLES for form in ("jsonl", "columns")]
    + [("labels", "json"), ("scores", "json"), ("labels", "parquet"), ("under judges", "parquet")],
)
def test_a_table_means_the_same_however_it_is_written(name, form, tmp_path):
    """Whether it holds labels or scores is told by its columns and their values, and not by the kind of file."""
    paths = {kind: tmp_path / f"t.{kind}" for kind in ("csv", form)}
    for kind, path in paths.items():
        WRITERS[kind](TABLES[name], path)
    for read in (judged, read_scores, read_items):
        assert answer(read, paths[form]) == answer(read, paths["csv"])


@pytest.mark.parametrize("name", ["labels", "words", "truths", "wide"])
def test_labels_are_never_scores_by_a_rule_for_duplicates(name, tmp_path):
    """A table with several rows a topic, told apart by documents or judges, is refused, and no rule makes it one."""
    path = tmp_path / "t.csv"
    WRITERS["csv"](TABLES[name], path)
    for rule in ("error", "first", "mean"):
        with pytest.raises(MetaevalError, match="as labels of items by judges do; metaeval judges compares those"):
            read_scores(path, duplicates=rule)


def test_names_in_json_keep_their_digits():
    """A name of 1.10 is another than 1.1, and one of 20 digits is no float."""
    made = any_sheet(
        b'[{"item": 1.10, "ann": 1}, {"item": 1.1, "ann": 0}, {"item": 12345678901234567891, "ann": 1}]', "x"
    )
    assert made is not None
    assert [row[0] for row in made.rows()] == ["item", "1.10", "1.1", "12345678901234567891"]
