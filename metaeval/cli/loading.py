"""Loading pandas and xarray without what these look for and no command uses.

Where they are installed, pandas loads pyarrow, and the first array of xarray Dask. A command has no use for either, so
they are hidden while these libraries load, and there for everyone afterwards.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

WITH_ARROW = ("workers", "dask", "plugin", "pymc", "bayesian")
"""Options by which other processes, programs or samplers exchange tables of pandas, whose texts may be pyarrow's."""


def load_tables(*, arrow: bool) -> None:
    """Load the libraries, if they have not been; pandas with pyarrow only on request."""
    with _hidden(*([] if arrow or "pandas" in sys.modules else ["pyarrow"])):
        import pandas as pd  # noqa: F401, PLC0415 - loads here
    if "xarray" not in sys.modules:
        with _hidden("dask"):
            import xarray as xr  # noqa: PLC0415 - as above

            xr.DataArray([0.0])  # xarray looks once for the arrays of others


@contextmanager
def _hidden(*names: str) -> Iterator[None]:
    """Let modules that have not been loaded seem not to be installed."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None is how Python is told
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
