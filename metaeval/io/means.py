"""Files of means and standard errors: no scores by item, and enough for the ranks of a leaderboard."""

from itertools import islice

import pandas as pd

from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.blocks import TableOptions
from metaeval.io.headers import fitting_names
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.means import MOST_SYSTEMS, SystemMeans, board_of, columns_of, may_be_means, with_bound_columns


class MeansAloneError(FileFormatError):
    """A file that holds means with standard errors, where scores by item are needed.

    Attributes
    ----------
    board : SystemMeans
        What it holds.
    """

    def __init__(self, message: str, *, path: object, board: SystemMeans) -> None:
        super().__init__(message, path=path, line=1)
        self.board = board


def refuse_means(sheet: Sheet, options: TableOptions) -> None:
    """Refuse a table whose header is that of means and standard errors, and hand on what it holds."""
    names = header_names(sheet.sample()[0])
    if options.positions or not may_be_means(names):
        return
    body = sheet.without_header()
    rows = [row for row in islice(body.rows(), MOST_SYSTEMS + 1) if len(row) == len(names)]
    frame = with_bound_columns(pd.DataFrame(rows, columns=names, dtype=object))
    columns = columns_of(frame, chosen=options.chosen, ignored=options.ignored)
    if columns is None:
        return
    names, _ = fitting_names(names, body.rows(), body)
    frame = with_bound_columns(pd.DataFrame([row[: len(names)] for row in body.rows()], columns=names, dtype=object))
    columns = columns_of(frame, chosen=options.chosen, ignored=options.ignored)
    if columns is None:  # intervals are told by all rows
        return
    try:
        board = board_of(frame, columns)
    except (ScoresError, InvalidOptionError) as error:
        raise sheet.error(f"the columns are those of means with standard errors, and {error}") from error
    raise MeansAloneError(
        "these are means with standard errors, which tell ranks alone (metaeval leaderboard, or study_leaderboard); "
        "for anything else give scores by item",
        path=sheet.label,
        board=board,
    )
