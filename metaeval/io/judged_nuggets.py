"""Labels of nuggets by several judges: what each says of every nugget, and the scores of the systems that follow."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few
from metaeval.base.notes import AboutItems
from metaeval.base.unit import LABELLED_NUGGETS
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.any_sheets import table_sheet
from metaeval.io.benchmarks.nuggets import all_credit, credit_of, nugget_columns, nugget_rows, refuse_unknown_credit
from metaeval.io.blocks import TableOptions
from metaeval.io.duplicates import Duplicates
from metaeval.io.sheets import Sheet, header_names
from metaeval.io.sources import Source
from metaeval.io.tables import checked_table_options, scores_of_sheet
from metaeval.table.scores import Missing, Scores, as_scores

_PARTS = ("topic", "system", "nugget", "label", "judge")


class JudgedNuggets(NamedTuple):
    """What several judges say of the same nuggets."""

    labels: pd.DataFrame
    """As grades, with one column a judge: none 0, then 1, 2, … by credit, contradicted below all. The index is (topic,
    item), an item being SYSTEM/NUGGET."""
    scores: dict[str, dict[str, Scores]]
    """Weighting to judge to scores by topic, each judge's on the topics that it labelled."""


def holds_nuggets_of_judges(content: bytes, label: str) -> bool:
    r"""Whether a file is a table of labels of nuggets.

    Examples
    --------
    >>> holds_nuggets_of_judges(b"topic,run,nugget,label\n1,a,n1,support\n", "file")
    True
    """
    try:
        first = table_sheet(content, label).sample()
    except FileFormatError:  # another kind of file, whose reader says what is wrong with it
        return False
    return nugget_columns(header_names(first[0])) is not None


def judged_nuggets(
    contents: Sequence[tuple[Source, bytes]],
    *,
    metrics: Sequence[str] | None = None,
    missing: Missing = "error",
    duplicates: Duplicates = "error",
    credit: Mapping[str, float] | None = None,
) -> JudgedNuggets:
    """Read tables of nuggets with a column of judges, or one a judge, who is then called as the file."""
    frames: list[pd.DataFrame] = []
    scores: dict[str, dict[str, Scores]] = {}
    options = checked_table_options(
        TableOptions(columns={}, missing=missing, duplicates=duplicates, credit=credit or {})
    )
    for source, content in contents:
        sheet = table_sheet(content, source.path)
        rows = _rows(sheet, source.own_name)
        twice = next(
            (name for name in rows["judge"].unique() for judged in frames if name in judged["judge"].to_numpy()), ""
        )
        if twice:
            raise InvalidOptionError(f"two judges are called {twice!r}; name the files, NAME=FILE")
        for judge in rows["judge"].unique():
            judged = scores_of_sheet(_of_judge(sheet, judge), Source(source.path), options)
            by_topic = _by_topic(judged, dict(zip(rows["topic"] + "/" + rows["nugget"], rows["topic"], strict=True)))
            for weighting in map(str, judged["metric"].to_numpy()):
                scores.setdefault(weighting, {})[judge] = by_topic.sel(metric=[weighting])
        frames.append(rows)
    refuse_unknown_credit(credit or {}, {label for judged in frames for label in judged["label"].unique()})
    labels = _labels(pd.concat(frames), duplicates, all_credit(credit or {}))
    if labels.shape[1] == 1:
        message = "these are labels of nuggets by one judge; add a column judge, or give the file of another judge too"
        raise FileFormatError(message, path=contents[0][0].path)
    shared = {name: judged for name, judged in scores.items() if len(judged) == labels.shape[1]}
    for name in metrics or ():
        check_choice(name, "weighting of nuggets", shared)
    return JudgedNuggets(labels, {name: shared[name] for name in metrics or shared})


def _rows(sheet: Sheet, name: str) -> pd.DataFrame:
    judged = "judge" in (nugget_columns(header_names(sheet.sample()[0])) or {})
    rows = nugget_rows(sheet)
    for row in rows if judged else ():
        if not row.judge:
            raise sheet.without_header().error("the judge is empty; fill it in", row.place)
    return pd.DataFrame([row if judged else row._replace(judge=name) for row in rows])[[*_PARTS]]


def _of_judge(sheet: Sheet, judge: str) -> Sheet:
    """Return the rows of one judge, with their lines."""
    header = sheet.sample()[0]
    column = (nugget_columns(header_names(header)) or {}).get("judge")
    is_kept = None if column is None else lambda cells: cells == header or cells[column].strip() == judge
    return replace(sheet, keep=is_kept)


def _by_topic(own: Scores, topics: Mapping[str, str]) -> Scores:
    """Return the means over the nuggets of every topic."""
    of_item = own["topic"].to_numpy().tolist()
    plain = own.drop_vars("cluster", errors="ignore").assign_coords(topic=[topics[name] for name in of_item])
    means = plain.groupby("topic").mean().transpose("metric", "system", "topic")
    notes = [note for note in own.attrs["notes"] if not isinstance(note, AboutItems)]
    return as_scores(means.assign_attrs({**own.attrs, "topic_word": "topic", "notes": notes}), fewest=1)


def _labels(rows: pd.DataFrame, duplicates: Duplicates, known: Mapping[str, float]) -> pd.DataFrame:
    by_label = {label: credit_of(label, known) for label in rows["label"].unique()}
    credit = {
        label: graded for label, graded in by_label.items() if graded is not None
    }  # unknown ones were refused before
    steps = sorted({0.0, *(value for value, against in credit.values() if not against)})
    none = steps.index(0.0)
    lowest = -1 - none  # of a contradiction, below what may count less than nothing
    grades = {label: lowest if against else steps.index(value) - none for label, (value, against) in credit.items()}
    rows = rows.assign(item=rows["system"] + "/" + rows["nugget"], grade=rows["label"].map(grades).astype(np.float64))
    cells = rows.groupby(["topic", "item", "judge"], sort=False)["grade"]
    table = (cells.mean() if duplicates == "mean" else cells.first()).unstack("judge")  # noqa: PD010 - a series
    table = table[rows["judge"].unique()]
    scale = ", ".join(f"{label} {grade}" for label, grade in sorted(grades.items(), key=lambda graded: graded[1]))
    notes = [f"an assignment is a nugget under a system; grades of labels: {scale}"]
    table.attrs["notes"] = notes + [
        _opposed(table, *pair, lowest) for pair in combinations(map(str, table), 2) if lowest in grades.values()
    ]
    return table


def _opposed(table: pd.DataFrame, first: str, second: str, lowest: int) -> str:
    """Say on which topics one judge gives credit where the other finds a contradiction."""
    first_grades, second_grades = table[first], table[second]
    opposed = ((first_grades > 0) & (second_grades == lowest)) | ((first_grades == lowest) & (second_grades > 0))
    topics = opposed[opposed].index.get_level_values("topic").value_counts()
    named = f", most on topics {first_few([f'{name} ({n})' for name, n in topics.items()])}" if len(topics) else ""
    n_common = count(int((first_grades.notna() & second_grades.notna()).sum()), LABELLED_NUGGETS.labelled)
    return (
        f"contradicted by one and credited by the other of {first} and {second}: {opposed.sum():,} of {n_common}{named}"
    )
