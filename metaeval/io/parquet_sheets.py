"""Parquet as a sheet: its rows as text, made as they are asked for, and columns whose types tell what cells hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.io.files import text_of
from metaeval.io.sheets import CodedColumns, Sheet
from metaeval.io.stored import Parquet
from metaeval.running.parallel import ahead

if TYPE_CHECKING:
    import polars as pl

_EXACT = 2**53  # whole numbers below it have a float of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetSheet(Sheet):
    """The rows of a Parquet file."""

    parquet: Parquet

    def texts(self) -> Iterator[bytes]:
        """Return the rows as CSV, some at a time."""
        return (text_of(text, self.label) for text in self.parquet.texts())

    def coded(self, names: Mapping[str, int], numbers: Sequence[int]) -> CodedColumns | None:
        """Return columns of names, and of numbers, by their places; None where a cell is not plainly one of either."""
        if self.skip != 1 or self.keep is not None:
            return None
        most = self.parquet.n_rows()
        columns = {role: _Names(position, most) for role, position in names.items()}
        table, n_rows = np.empty((most, len(numbers))), 0
        for batch in ahead(self.parquet.batches()):
            rows = slice(n_rows, n_rows + len(batch))
            values = [_plain_numbers(batch.to_series(position)) for position in numbers]
            if not all(column.take(batch, rows) for column in columns.values()) or any(
                column_values is None for column_values in values
            ):
                return None
            for at, column_values in enumerate(values):
                table[rows, at] = column_values
            n_rows = rows.stop
        codes: dict[str, NDArray[np.integer]] = {role: column.codes for role, column in columns.items()}
        return CodedColumns(codes, {role: list(column.known) for role, column in columns.items()}, table)


def parquet_sheet(parquet: Parquet, label: str) -> ParquetSheet:
    """Return the sheet of a Parquet file."""
    sheet = ParquetSheet(label=label, content=b"", delimiter=",", has_lines=False, parquet=parquet)
    if next(sheet.rows(), None) is None:
        raise sheet.error("the file is empty; a table needs a header and rows")
    return sheet


class _Names:
    """One column of names, by codes in order of appearance, as narrow as there are names."""

    def __init__(self, place: int, n_rows: int) -> None:
        self.place = place
        self.known: dict[str, int] = {}
        self.codes: NDArray[np.unsignedinteger] = np.empty(n_rows, dtype=np.uint8)
        self._of_category = np.full(0, -1, dtype=np.int32)
        self._held: pl.Series | None = None

    def take(self, batch: "pl.DataFrame", rows: slice) -> bool:
        """Put the names of a batch into these rows; say whether all could be told."""
        import polars as pl  # noqa: PLC0415 - an extra

        column = batch.to_series(self.place)
        if (
            not len(column)
            or column.null_count()
            or not (column.dtype.is_integer() or isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum))
        ):
            return False
        if not isinstance(column.dtype, pl.Categorical | pl.Enum):
            column = column.cast(pl.String).cast(pl.Categorical)
        self._held = column  # polars gives categories other codes once no column has them
        categories = column.to_physical().to_numpy()
        self._grow(int(categories.max()) + 1)
        codes = self._of_category[categories]
        if codes.min() < 0:
            fresh = np.flatnonzero(codes < 0)
            _, first = np.unique(categories[fresh], return_index=True)
            of_names = fresh[np.sort(first)]
            texts = column[of_names].cast(pl.String).to_list()
            if not (all(texts) and "".join(texts).isprintable() and [*map(str.strip, texts)] == texts):
                return False
            self._of_category[categories[of_names]] = [self.known.setdefault(text, len(self.known)) for text in texts]
            codes = self._of_category[categories]
            self._widen(rows.start)
        self.codes[rows] = codes
        return True

    def _widen(self, n_rows: int) -> None:
        kind = np.min_scalar_type(len(self.known))
        if kind != self.codes.dtype:
            narrow, self.codes = self.codes, np.empty(len(self.codes), dtype=kind)
            self.codes[:n_rows] = narrow[:n_rows]

    def _grow(self, size: int) -> None:
        old = self._of_category
        if size > len(old):
            self._of_category = np.full(2 * size, -1, dtype=np.int32)
            self._of_category[: len(old)] = old


def _plain_numbers(column: "pl.Series") -> NDArray[np.float64] | None:
    """Return finite numbers without gaps; None for any other column."""
    if column.null_count() or not (column.dtype.is_integer() or column.dtype.is_float()):
        return None
    values = column.to_numpy()
    if column.dtype.is_integer():
        return values.astype(np.float64) if (np.abs(values.astype(np.float64)) < _EXACT).all() else None
    return values if np.isfinite(values).all() else None
