"""Rows of a result for whatever reads Arrow."""

from typing import Any

from metaeval.base.checks import has_parquet
from metaeval.errors import InvalidOptionError


def stream_of(result: Any, requested_schema: object = None) -> object:  # noqa: ANN401 - a result
    """Return the rows of a result as an Arrow stream, made by polars, or by pandas where pyarrow is installed."""
    if not hasattr(result, "to_frame"):
        raise InvalidOptionError(f"a {type(result).__name__} has no rows; its fields show what there is")
    frame = result.to_frame()
    if not has_parquet():
        return frame.__arrow_c_stream__(requested_schema)
    import polars as pl  # noqa: PLC0415 - an extra

    columns = {str(name): [None if value != value else value for value in frame[name].tolist()] for name in frame}  # noqa: PLR0124 - NaN
    return pl.DataFrame(columns, strict=False).__arrow_c_stream__(requested_schema)
