"""A badge: a line of words in a small picture that stands on pages of any colour and needs no font or file of ours."""

from collections.abc import Sequence
from itertools import accumulate
from xml.sax.saxutils import escape

_HEIGHT, _SIZE, _ROOM = 20, 11, 7
_GROUNDS = ("#3d4754", "#5f6b7a", "#00609a")
"""Of the parts, the last one the strongest: white letters on each have a contrast of at least 5 to 1."""
_NARROW, _WIDE = frozenset(" .,;:ijl|'!()·/ftr"), frozenset("mwMW%@")
_WIDTHS = {"narrow": 0.36, "wide": 0.93, "other": 0.62}
"""In units of the letters' height, about those of Verdana and DejaVu Sans; `textLength` holds other fonts to them."""


def badge(parts: Sequence[str], title: str) -> str:
    """Return an SVG picture of up to three parts side by side, with what it says in words.

    Examples
    --------
    >>> made = badge(["metaeval", "5 systems", "1 may be first"], "1 of 5 systems may be first")
    >>> made.count("<rect"), "<title>1 of 5 systems may be first</title>" in made
    (4, True)
    """
    widths = [round(_length(text)) for text in parts]
    starts = list(accumulate((width + 2 * _ROOM for width in widths), initial=0))
    total, label = starts[-1], escape(title, {'"': "&quot;"})
    grounds = [
        f'<rect x="{start}" width="{width + 2 * _ROOM}" height="{_HEIGHT}" fill="{ground}"/>'
        for start, width, ground in zip(starts, widths, _GROUNDS[-len(parts) :], strict=False)
    ]
    words = [
        f'<text x="{start + _ROOM}" y="14" textLength="{width}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for start, width, text in zip(starts, widths, parts, strict=False)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" viewBox="0 0 {total} {_HEIGHT}" '
        f'role="img" aria-label="{label}">'
    )
    lines = [
        head,
        f"<title>{escape(title)}</title>",
        f'<clipPath id="round"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>',
        '<g clip-path="url(#round)">',
        *grounds,
        "</g>",
        f'<g fill="#ffffff" font-family="Verdana, \'DejaVu Sans\', Geneva, sans-serif" font-size="{_SIZE}">',
        *words,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _length(words: str) -> float:
    kinds = ("narrow" if character in _NARROW else "wide" if character in _WIDE else "other" for character in words)
    return _SIZE * sum(_WIDTHS[kind] for kind in kinds)
