"""The base class of the answers of public functions, and what they draw."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.base.short_repr import ShortRepr, notes_of
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

type Figure = matplotlib.figure.Figure
"""What a result draws; matplotlib is loaded by whoever draws."""

_NOT_COMPARED = frozenset({"provenance"})
"""Fields that say when and where something was computed."""


def shown_by(name: str) -> Callable[..., Any]:
    """Return what shows a result, as a plug-in is found: no result knows of pages, and matplotlib stays unloaded."""
    module, _, function = name.partition(":")
    called: Callable[..., Any] = getattr(import_module(module), function)
    return called


class Result(ShortRepr):
    """The answer of a public function: a notebook shows its main numbers, the first rows of its table and its picture.

    Examples
    --------
    >>> from metaeval import paired_t_test, simulate_scores
    >>> found = paired_t_test(simulate_scores(n_systems=5, n_topics=20, metrics=["AP"], rng=1))
    >>> found.answer
    '4 of 10 pairs differ significantly under AP; system5 leads, significantly better than 1 of 4 others.'
    >>> "<table>" in found._repr_html_(), found.equals(found.with_correction("none"))
    (True, False)
    """

    __slots__ = ()

    @property
    def answer(self) -> str:
        """What was found, in one sentence, and what that rests on: the first words of the page."""
        sentence: str = shown_by("metaeval.page.notebook:answer_of")(self)
        return sentence

    def equals(self, other: object) -> bool:
        """Say whether another result has the same settings, data and notes, however and whenever it was computed.

        Parameters
        ----------
        other : object

        Returns
        -------
        bool
            Numbers that are missing in both are the same.
        """
        return _same(self, other)

    def plot(self, which: str | None = None, ax: "matplotlib.axes.Axes | None" = None, **options: Any) -> Figure:  # noqa: ANN401 - of the picture
        """Draw the result.

        Parameters
        ----------
        which : str, optional
            A metric, a measure or a picture, where there are several; the main one by default.
        ax : matplotlib.axes.Axes, optional
            Where to put the picture, as an image, in a figure of your own.
        **options
            What else the picture depends on; an error names what there is.

        Returns
        -------
        matplotlib.figure.Figure
            A figure of its own, or that of `ax`.

        Raises
        ------
        InvalidOptionError
            If the result has no picture, or none of that kind.
        """
        kinds = {name: parameter.kind for name, parameter in signature(self._draw).parameters.items()}
        chosen = next((name for name, kind in kinds.items() if kind.name == "POSITIONAL_OR_KEYWORD"), None)
        if (which is not None and chosen is None) or {*options} - {*kinds}:
            takes = [f"`{'which' if name == chosen else name}`" for name in kinds]
            words = f"takes {' and '.join(takes)}" if takes else "has one picture, without options"
            raise InvalidOptionError(f"{type(self).__name__}.plot() {words}; leave the rest out")
        draw: Callable[..., Figure] = self._draw
        figure = draw(**options) if which is None else draw(which, **options)
        return figure if ax is None else shown_by("metaeval.figures.style:put_into")(figure, ax)

    def save(self, path: str | Path) -> Path:
        """Write the result as one file; a study writes its page as a folder, a posterior its draws as NetCDF.

        Parameters
        ----------
        path : str or path
            ``.csv`` is the table of the result at full precision, ``.html`` what a notebook shows. A file that is there
            is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        UnknownNameError
            For another ending.
        InvalidOptionError
            If the result has no table and the ending is ``.csv``.
        FileFormatError
            If there is no such folder.

        Examples
        --------
        >>> import tempfile
        >>> from metaeval import as_scores
        >>> from metaeval.tests_stat import paired_t_test
        >>> tested = paired_t_test(as_scores([[0.2, 0.4, 0.3], [0.5, 0.6, 0.4]], metrics=["AP"]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tested.save(Path(folder, "pairs.csv")).name
        'pairs.csv'
        """
        saved: Path = shown_by("metaeval.page.notebook:save_result")(self, path)
        return saved

    def __array__(self, dtype: object = None, copy: object = None) -> Any:  # noqa: ANN401 - it gives none
        raise TypeError(
            f"a {type(self).__name__} is a result with names, not an array of numbers; take a column of to_frame(), "
            "such as to_frame()['p_value'].to_numpy(), or a field"
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give the rows of `to_frame` to whatever reads Arrow: polars, DuckDB, pyarrow."""
        return shown_by("metaeval.io.arrow:stream_of")(self, requested_schema)

    def _draw(self) -> Figure:
        shows = "to_frame() shows" if hasattr(self, "to_frame") else "its fields show"
        raise InvalidOptionError(f"a {type(self).__name__} has no picture; {shows} what there is")

    def _repr_html_(self) -> str:
        written: str = shown_by("metaeval.page.notebook:result_html")(self)
        return written


def with_notes[T](result: T, notes: list[str]) -> T:
    """Return a result that says what was told of its data, beside its first table, unless it has notes of its own."""
    if notes and isinstance(result, Result) and not notes_of(result):
        names = [field.name for field in fields(result)]  # type: ignore[arg-type]  # a dataclass
        tables = (getattr(result, name, None) for name in names if "notes" not in names)
        table = next((value for value in tables if isinstance(getattr(value, "attrs", None), dict)), None)
        if table is not None:
            table.attrs["notes"] = notes
    return result


def _same(first: Any, second: Any) -> bool:  # noqa: ANN401 - whatever results hold
    """Say whether two values are the same."""
    if type(first) is not type(second):
        return False
    if is_dataclass(first):
        names = [field.name for field in fields(first) if field.name not in _NOT_COMPARED]
        same = all(_same(getattr(first, name, None), getattr(second, name, None)) for name in names)
    elif hasattr(first, "equals"):  # of xarray, whose notes count, and of pandas
        same = first.equals(second) and _notes_beside(first) == _notes_beside(second)
    elif hasattr(first, "tobytes"):  # of numpy
        same = first.shape == second.shape and _same(first.tolist(), second.tolist())
    elif isinstance(first, Mapping):
        same = [*first] == [*second] and all(_same(first[key], second[key]) for key in first)
    elif isinstance(first, tuple | list):
        same = len(first) == len(second) and all(map(_same, first, second))
    else:
        same = first == second or (first != first and second != second)  # noqa: PLR0124 - NaN
    return bool(same)


def _notes_beside(table: Any) -> list[str]:  # noqa: ANN401 - of xarray
    return list(map(str, getattr(table, "attrs", {}).get("notes", ())))
