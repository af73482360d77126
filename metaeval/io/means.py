"""Files of means and standard errors: no scores by item, and enough for the ranks of a leaderboard."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd

from metaeval.base.names import first_few, shortened
from metaeval.base.notes import KeptGaps
from metaeval.base.number_words import SCORE_GAPS, other_spelling
from metaeval.base.unit import unit_of
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.blocks import BadCellError, TableOptions, way_with_error
from metaeval.io.headers import fitting_names, note_of_unnamed
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.array import REPEAT
from metaeval.table.means import (
    MOST_SYSTEMS,
    MeansColumns,
    SystemMeans,
    board_of,
    columns_of,
    may_be_means,
    shares_of_counts,
    with_bound_columns,
)
from metaeval.table.roles import ERRORS, role_of_name
from metaeval.table.scores import Scores

_FEWEST_FOLDS, _PAIR = 3, 2
_UNEQUAL = frozenset({"cluster", "stratum", "weight"})
_OF_ERRORS = re.compile(r"[(\[]([^()\[\]]+)[)\]]\s*$|±\s*(.+)$")
"""What a header says of the errors beside its means: win rate [95% CI], F1 ± SD."""
_NAMED = {"sd": "_std", "half": "_ci95"}
"""How columns of errors end that are no standard errors."""


class MeansAloneError(FileFormatError):
    """A file that holds means with standard errors, where scores by item are needed.

    Attributes
    ----------
    board : SystemMeans
        What it holds.
    paths : sequence of str
        The files.
    """

    def __init__(self, message: str, *, board: SystemMeans, paths: Sequence[str], line: int | None = 1) -> None:
        super().__init__(message, path=first_few(paths), line=line)
        self.board, self.paths = board, paths


@contextmanager
def noting(notes: Sequence[str]) -> Iterator[None]:
    """Put notes before those of a board of means that the block finds alone."""
    try:
        yield
    except MeansAloneError as alone:
        alone.board = replace(alone.board, notes=(*notes, *alone.board.notes))
        raise


def refuse_means(sheet: Sheet, options: TableOptions) -> None:
    """Refuse a table whose header is that of means and standard errors, and hand on what it holds."""
    header, *sample = sheet.sample()
    names = header_names(header)
    if not options.columns and options.form is None:
        _refuse_errors_in_cells(sheet)
    known = pd.DataFrame([row for row in sample if len(row) == len(names)])
    if options.positions or not (may_be_means(names) or shares_of_counts(known)):
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
    if _are_of_others(frame, columns):
        return
    _refuse_gaps(frame, columns, body, options)
    try:
        board = board_of(frame, columns, drop_gaps=options.missing == "drop-systems")
        board = replace(board, notes=(*note_of_unnamed(names, names.index(columns.system)), *board.notes))
    except (ScoresError, InvalidOptionError) as error:
        raise sheet.error(f"the columns are those of means with standard errors, and {error}") from error
    raise MeansAloneError(
        "these are means with standard errors, which tell ranks alone (metaeval leaderboard or agree --boards; "
        "study_leaderboard or study_boards); for anything else give scores by item",
        paths=[sheet.label],
        board=board,
    )


def refuse_apart(scores: Scores, paths: Sequence[str]) -> None:
    """Refuse scores of which no two are on one item, and hand on the means that every system has over its own items.

    Where scores come in clusters or weigh differently, or a system has a single one, there are no such means.
    """
    values = (scores.mean(REPEAT) if REPEAT in scores.dims else scores).to_numpy()
    n = (~np.isnan(values)).sum(axis=2)
    shared = (n > 0).any(axis=0).sum() < _PAIR or (~np.isnan(values)).any(axis=0).sum(axis=0).max() > 1
    if shared or n.min() < _PAIR or not _UNEQUAL.isdisjoint(map(str, scores.coords)):
        return
    metrics, systems = (tuple(scores[dim].to_numpy().tolist()) for dim in ("metric", "system"))
    items = unit_of(scores).topics
    note = f"every system has {items} of its own: means over them are compared, which nothing pairs"
    board = SystemMeans(
        metrics=metrics,
        systems=systems,
        means=np.nanmean(values, axis=2),
        errors=np.nanstd(values, axis=2, ddof=1) / np.sqrt(n),
        n=n.astype(float),
        higher_is_better=scores["higher_is_better"].to_numpy(),
        read_as=f"scores on {items} of each system's own",
        notes=(*(said for said in scores.attrs.get("notes", ()) if not isinstance(said, KeptGaps)), note),
    )
    raise MeansAloneError(
        f"no two systems have scores on one of these {items}, so nothing can be paired: if they are the same under "
        f"other names, name the column that both have (the question, say); else means alone can be compared (metaeval "
        "leaderboard, or study_leaderboard)",
        paths=paths,
        board=board,
        line=None,
    )


def _are_of_others(frame: pd.DataFrame, columns: MeansColumns) -> bool:
    """Whether the one column of means is that of the others in its rows, which are scores by item or fold."""
    others = frame[list(columns.others)].apply(pd.to_numeric, errors="coerce").dropna(axis=1)
    if len(columns.pairs) > 1 or others.shape[1] < _FEWEST_FOLDS:
        return False
    texts = frame[columns.pairs[0].mean].astype(str)
    unit = 10.0 ** -texts.str.partition(".")[2].str.len().max()
    return bool((others.mean(axis=1) - pd.to_numeric(texts, errors="coerce")).abs().le(unit).all())


def _refuse_errors_in_cells(sheet: Sheet) -> None:
    """Refuse a table with columns whose every cell is a number with its error, and say what divides them."""
    header, *rows = sheet.sample()
    body = [cells for cells in rows if len(cells) == len(header)]
    columns = [[cell.strip() for cell in column] for column in zip(*body, strict=True)][1:]
    are_errors = [_share_of_errors(column) for column in columns]
    places = [at for at, share in enumerate(are_errors) if share]
    cells = [cell for at in places for cell in columns[at]]
    filled = [cell for cell in cells if cell.casefold() not in SCORE_GAPS]
    first = other_spelling(filled[0]) if filled and len(body) == len(rows) else None
    is_whole = len(places) == len(columns)
    if first is None or any(are_errors[at] < 1 for at in places) or not (is_whole or len(filled) == len(cells)):
        return
    sign = {"\t": r"\t", "|": r"\|"}.get(sheet.delimiter, sheet.delimiter)
    dashes = "\N{EN DASH}|\N{EM DASH}"
    marks = f"{sign}?" * (3 if first.high else 2)
    gaps = rf":a;s/{sign} *(-+|{dashes}|n\/a|N\/A|)({sign}|$)/{marks}\2/;ta;" * (len(filled) < len(cells))
    points = r";s/([0-9]),([0-9])/\1.\2/g" * (sheet.delimiter != "," and any("," in cell for cell in filled))
    per_cent = r"\\?%? *" * any("%" in cell for cell in filled)
    tex, signs = (r"\$?", r"±|\+\/?-|\\pm") if any("\\pm" in cell for cell in filled) else ("", r"±|\+\/?-")
    number = rf" *([0-9.,]+) *{per_cent}\)? *{per_cent}{tex}"
    cell = rf":b;s/{sign} *{tex}([+-]?[0-9.,]+) *{per_cent}(\(? *({signs})|\(){number}({sign}|$)/{sign}\1{sign}\4\5/;tb"
    if first.high:
        number = "([+-]?[0-9]*[.,]?[0-9]+)"
        cell = rf's/"?{number} *[[(] *{number} *([^]0-9.)+-]+|-) *{number} *[])]"?/\1{sign}\2{sign}\4/g'
    matches = [_OF_ERRORS.search(name) for name in header[1:]]
    roles = ["" if match is None else role_of_name(match[1] or match[2])[0] for match in matches]
    roles = [role * (role in ERRORS) for role in roles]
    which = ["g"] if is_whole and not any(roles) else [str(at + 1) for at in reversed(places)]
    plain = rf"([^{sign}]+)"
    without = rf"([^{sign}[(±]*[^{sign}[(± ])[^{sign}]*"  # win rate [95% CI]
    headed = ""
    for nth in which:
        role = roles[int(nth) - 1] if nth.isdecimal() else ""
        ends = ["_low", "_high"] if first.high else [_NAMED.get(role, "_stderr")]
        names = sign.join(["", *(rf"\1{end}" for end in ("", *ends))])
        headed += f"1s/{sign}{without if role else plain}/{names}/{nth};"
    stars = r"s/\*\*//g;" * any("**" in cell for row in body for cell in row)
    way = rf"(sed -E 's/\r$//;{stars}{headed}1b;{gaps}{cell}{points}')"
    at = cells.index(filled[0]) % len(body)
    raise sheet.without_header().error(f"{filled[0]!r} {way_with_error(first)} {way}", at)


def _share_of_errors(cells: Sequence[str]) -> float:
    """Return which share of the filled cells of a column are numbers with their errors."""
    filled = [cell for cell in cells if cell.casefold() not in SCORE_GAPS]
    with_errors = [cell for cell in filled if (spelling := other_spelling(cell)) and spelling.kind == "error"]
    return len(with_errors) / max(1, len(filled))


def _refuse_gaps(frame: pd.DataFrame, columns: MeansColumns, body: Sheet, options: TableOptions) -> None:
    """Refuse cells of means and errors that hold no number alone, and gaps unless their systems are to be left out."""
    numbers = list(dict.fromkeys(name for pair in columns.pairs for name in (pair.mean, *pair.errors)))
    texts = frame[numbers].astype(str).apply(lambda cells: cells.str.strip())
    are_gaps = texts.apply(lambda cells: cells.str.casefold().isin(SCORE_GAPS)).to_numpy()
    odd = texts.map(lambda text: other_spelling(text) is not None).to_numpy()
    if odd.any():
        row, at = np.argwhere(odd)[0].tolist()
        rule = BadCellError(row, texts.iloc[row, at]).rule(body.delimiter)
        raise body.error(
            f"column {numbers[at]!r}, row {shortened(str(frame[columns.system].iloc[row]))!r}: {rule}", row
        )
    if not are_gaps.any() or options.missing == "drop-systems":
        return
    row, at = np.argwhere(are_gaps)[0].tolist()
    gap = texts.iloc[row, at]
    raise body.error(
        f"column {numbers[at]!r}, row {shortened(str(frame[columns.system].iloc[row]).strip())!r}: "
        f"{f'the cell holds {gap!r}' if gap else 'the cell is empty'}; fill it in, or pass `missing='drop-systems'` to "
        "leave a system out under each metric of which it lacks the mean or its error",
        row,
    )
