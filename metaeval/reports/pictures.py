"""A picture of a report: a figure and what a reader needs beside it."""

from dataclasses import dataclass
from typing import ClassVar

from matplotlib.figure import Figure

__all__ = ["Picture"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """A figure and what a reader needs beside it.

    Attributes
    ----------
    name : str
        Of the files it becomes; made safe when they are written.
    figure : matplotlib.figure.Figure
    title : str
    caption : str
        What the picture shows and how to read it.
    alt : str
        What it says, in words, for those who cannot see it.
    """

    kind: ClassVar[str] = "picture"

    name: str
    figure: Figure
    title: str
    caption: str
    alt: str
