"""Weights of subtopics from a table: how likely each meaning of a topic is."""

from math import isfinite
from pathlib import Path

from metaeval.base.names import is_number, shortened
from metaeval.io.headers import is_heading
from metaeval.io.sheets import read_sheet

_WIDTH = 3


def read_subtopic_weights(path: str | Path) -> dict[str, dict[str, float]]:
    r"""Read the weight of every subtopic: rows of topic, subtopic and weight, with or without a header.

    Returns
    -------
    dict
        Topic to subtopic to weight, as `Collection.with_subtopic_weights` takes it.

    Raises
    ------
    FileFormatError
        If a row is something else, or a subtopic has two weights.

    See Also
    --------
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "intents.txt")
    ...     _ = path.write_text("1 1 0.75\n1 2 0.25\n")
    ...     read_subtopic_weights(path)
    {'1': {'1': 0.75, '2': 0.25}}
    """
    sheet = read_sheet(path)
    weights: dict[str, dict[str, float]] = {}
    for position, cells in enumerate(sheet.rows()):
        topic, subtopic, weight = (*map(str.strip, cells), "", "", "")[:_WIDTH]
        if not position and topic and subtopic and is_heading(weight):
            continue  # the header
        value = float(weight) if is_number(weight) else -1.0
        if not (topic and subtopic and value >= 0 and isfinite(value)):
            message = f"a row is a topic, a subtopic and its weight, 0 or more, not {shortened(','.join(cells))!r}"
            raise sheet.error(message, position)
        if weights.setdefault(topic, {}).setdefault(subtopic, value) != value:
            two = f"{weights[topic][subtopic]:g} and {value:g}"
            raise sheet.error(f"subtopic {subtopic!r} of topic {topic!r} has two weights, {two}; keep one", position)
    if not weights:
        raise sheet.error("there is no row of a topic, a subtopic and its weight")
    return weights
