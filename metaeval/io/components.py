"""Components of variance that `metaeval components` saved."""

from math import isfinite
from pathlib import Path

import pandas as pd

from metaeval.base.names import is_number, shortened
from metaeval.base.unit import unit_of
from metaeval.io.headers import names_and_rows, place_of
from metaeval.io.sheets import read_sheet

_COLUMNS = ("metric", "component", "variance")
_UNIT = "unit"
_PLACE = Path("data", "components.csv")


def components_file(path: str | Path) -> Path:
    """Return the table of components: a file, or that of a report in a folder."""
    location = Path(path)
    return location / _PLACE if location.is_dir() else location


def read_components(path: str | Path) -> pd.DataFrame:
    r"""Read components of variance from a report of `metaeval components`, or from its ``components.csv``.

    Returns
    -------
    pandas.DataFrame
        ``metric``, ``component``, ``variance``; ``attrs["topic_word"]`` says what the scores are of (the column
        ``unit``), where that is not topics.

    Raises
    ------
    FileFormatError
        If there is no such file or column, or a variance is none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "components.csv")
    ...     _ = path.write_text("metric,component,variance\nAP,system,0.1\nAP,system x topic,0.2")
    ...     read_components(path).to_numpy().tolist()
    [['AP', 'system', 0.1], ['AP', 'system x topic', 0.2]]
    """
    sheet = read_sheet(components_file(path))
    names, rows, body = names_and_rows(sheet)
    at = [place_of(name, names, sheet) for name in _COLUMNS]
    variances: dict[tuple[str, str], float] = {}
    for position, cells in enumerate(rows):
        metric, component, variance = (cells[column].strip() for column in at)
        if not metric or not component:
            raise body.error(f"the {'component' if metric else 'metric'} is empty; fill it in", position)
        if (metric, component) in variances:
            raise body.error(f"component {component!r} of {metric!r} appears twice; keep one row", position)
        if not is_number(variance) or not isfinite(float(variance)) or float(variance) < 0:
            raise body.error(f"variance {shortened(repr(variance))} is not a number from 0 on", position)
        variances[metric, component] = float(variance)
    frame = pd.DataFrame([(*key, variance) for key, variance in variances.items()], columns=[*_COLUMNS])
    if _UNIT in names:
        frame.attrs["topic_word"] = rows[0][names.index(_UNIT)].strip()
    return frame


def saved_components(components: pd.DataFrame) -> pd.DataFrame:
    """Return components as they are saved: with the unit of the scores, a topic or an item."""
    return components.assign(**{_UNIT: unit_of(components).topic})
