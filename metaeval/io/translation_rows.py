"""Scores of translations in lines without a header, of WMT's metrics task and of COMET, as a table with one."""

import re
from collections.abc import Mapping, Sequence

from metaeval.base.names import is_number
from metaeval.base.number_words import GAP_WORDS
from metaeval.io.files import base_name
from metaeval.io.sheets import Sheet, sheet_of_rows

type _Told = tuple[Sheet, Mapping[str, str], str]
type _Row = tuple[int | None, str, list[str], str, str]

_LAYOUTS = tuple(
    tuple(layout.split())
    for layout in (
        "metric languages set domain reference system segment score",
        "metric languages set system segment score ensemble available",
        "metric languages set document segment system score",
        "metric languages set system segment score",
        "languages set document segment system score",
        "metric languages set domain reference system score",
        "metric languages set document system score",
        "languages set document system score",
        "metric languages set system score",
    )
)
"""Lines of WMT's metrics task in different years and at different levels, the first that fits."""
_LANGUAGES = re.compile(r"[a-z]{2,3}[-_][a-z]{2,3}(_[A-Za-z]{2,4})?")
_OF_COMET = re.compile(r"(?:Segment (?P<segment>\d+)\t)?score: (?P<score>\S+)(?:\tvariance: \S+)?")
_LEVEL = re.compile(r"\.(seg|doc|sys)([.-]scores?)?$|\.scores?$")
"""What names of files say beside that of the metric."""


def translation_rows(sheet: Sheet) -> _Told | None:
    r"""Return scores of translations under a header, what its columns are, and a note; None for any other.

    Items are segments, else documents; a metric has the name of the file where no column names it.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> lines = b"en-de\tnt20\tdoc1\t1\tA.1\t.5\nen-de\tnt20\tdoc1\t2\tA.1\t.7\n"
    >>> list(translation_rows(sheet_of(lines, "chrF.seg.score"))[0].rows())[:2]
    [['system', 'document', 'segment', 'chrF'], ['A.1', 'doc1', 'doc1::1', '.5']]
    """
    return _of_wmt(sheet) or _of_comet(sheet)


def _fits(layout: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row has languages, a segment and a score at their places."""
    parts = dict(zip(layout, cells, strict=False))
    return (
        len(cells) == len(layout)
        and _LANGUAGES.fullmatch(parts["languages"]) is not None
        and parts.get("segment", "0").isdecimal()
        and _is_score(parts["score"])
    )


def _is_score(cell: str) -> bool:
    return is_number(cell) or cell.casefold() in GAP_WORDS


def _of_wmt(sheet: Sheet) -> _Told | None:
    sample = [[*map(str.strip, cells)] for cells in sheet.sample()]
    layout = next((layout for layout in _LAYOUTS if all(_fits(layout, cells) for cells in sample)), None)
    if layout is None:
        return None
    lines = []
    for at, (line, cells) in enumerate(sheet.numbered()):
        if len(cells) != len(layout):
            way = f"write {', '.join(layout)} in every line"
            raise sheet.error(
                f"a line of WMT's metrics task has {len(cells)} cells, and others {len(layout)}; {way}", at
            )
        lines.append((line, dict(zip(layout, map(str.strip, cells), strict=True))))
    file_name = _LEVEL.sub("", base_name(sheet.label))
    several = len({parts.get("reference") for _, parts in lines}) > 1
    named = [parts.get("metric", file_name) + (f" ({parts['reference']})" if several else "") for _, parts in lines]
    sets = [name for name in ("languages", "set") if len({parts[name] for _, parts in lines}) > 1]
    levels: tuple[str, ...] = ("document", "segment")
    texts = [name for name in levels if name in layout] or ["item"] * bool(sets)
    rows = []
    for (line, parts), metric in zip(lines, named, strict=True):
        items = [
            "::".join(parts[name] for name in (*sets, *texts[:at]) if name in parts) for at in range(1, len(texts) + 1)
        ]
        rows.append((line, parts["system"], items, metric, parts["score"]))
    return _table(sheet, texts, rows, f"lines of WMT's metrics task: {', '.join(layout)}")


def _of_comet(sheet: Sheet) -> _Told | None:
    """Read what comet-score prints: a line a segment and system, and one with the mean of each."""
    matches = [
        (line, cells[0].strip(), match)
        for line, cells in sheet.numbered()
        if (match := _OF_COMET.fullmatch("\t".join(map(str.strip, cells[1:]))))
    ]
    if len(matches) != sum(1 for _ in sheet.rows()) or not all(_is_score(match["score"]) for *_, match in matches):
        return None
    of_segments = [matched for matched in matches if matched[2]["segment"] is not None]
    rows = [
        (line, system, [match["segment"]] if of_segments else [], "COMET", match["score"])
        for line, system, match in of_segments or matches
    ]
    note = "lines of comet-score" + "; means of systems are left out" * (0 < len(of_segments) < len(matches))
    return _table(sheet, ["segment"] if of_segments else [], rows, note)


def _table(sheet: Sheet, texts: Sequence[str], rows: Sequence[_Row], note: str) -> _Told:
    """Return a column for the one metric, or a row for each of several; segments of one document are a cluster."""
    metrics = dict.fromkeys(metric for *_, metric, _ in rows)
    parts = dict(zip(("topic", "cluster"), reversed(texts), strict=False))
    if len(metrics) == 1:
        made = [(line, [system, *items, score]) for line, system, items, _, score in rows]
        return sheet_of_rows(sheet.label, ["system", *texts, *metrics], made), parts, note
    made = [(line, [system, *items, metric, score]) for line, system, items, metric, score in rows]
    return sheet_of_rows(sheet.label, ["system", *texts, "metric", "score"], made), parts, note
