# ruff: noqa: RUF001 - Greek letters are meant for people
"""A report as one self-contained page, with no network and no script needed to read it."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from metaeval.base.escaping import visible
from metaeval.page.blocks import Page, Picture
from metaeval.page.captions import captions

if TYPE_CHECKING:
    import jinja2
    from matplotlib.figure import Figure

    from metaeval.page.tables import Table


class DrawnPicture(NamedTuple):
    """A picture as a page holds it, in one of its forms."""

    form: str
    """"wide" or "narrow", which a telephone shows."""
    svg: str
    marks: str
    """What can be pointed at, as JSON."""


def drawn_picture(picture: Picture, *, salt: str) -> "tuple[Figure, tuple[DrawnPicture, DrawnPicture]]":
    """Draw a picture; return the figure, and what a page shows of it wide and narrow."""
    from metaeval.figures.marks import marks_json, shared_marks  # noqa: PLC0415 - matplotlib
    from metaeval.figures.style import figure_svg, narrow  # noqa: PLC0415 - matplotlib

    figure = picture.draw()
    with narrow():
        small = picture.draw()
    marks = marks_json(figure)
    wide = DrawnPicture("wide", figure_svg(figure, salt=salt), marks)
    return figure, (
        wide,
        DrawnPicture("narrow", figure_svg(small, salt=f"{salt} narrow"), shared_marks(marks_json(small), marks)),
    )


def render_page(
    report: Page,
    *,
    drawings: Mapping[str, Iterable[DrawnPicture]] | None = None,
    stems: Mapping[str, str] | None = None,
    pdf: bool = False,
) -> str:
    """Return the report as HTML; `drawings` are those of its pictures, by name."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with Jinja2

    if drawings is None:
        drawings = {picture.name: drawn_picture(picture, salt=picture.name)[1] for picture in report.pictures()}
    inline, rules = _styles_once(
        {
            f"{drawing.form}-{number}": inline_svg(
                drawing.svg, key=f"{drawing.form}-{number}", title=picture.title, alt=picture.alt
            )
            for number, picture in enumerate(report.pictures(), 1)
            for drawing in drawings[picture.name]
        }
    )
    charts = {
        picture.name: [
            (drawing.form, Markup(inline[f"{drawing.form}-{number}"]), drawing.marks)  # noqa: S704 - matplotlib escaped the text
            for drawing in drawings[picture.name]
        ]
        for number, picture in enumerate(report.pictures(), 1)
    }
    style, script = _asset("page.css") + rules, _script()
    template = _environment().get_template("page.html")
    return template.render(
        page=report,
        sections=(sections := report.all_sections()),
        caption=captions(sections),
        charts=charts,
        stems=stems or {},
        pdf=pdf,
        style=Markup(style),  # noqa: S704 - files of this package
        script=Markup(script),  # noqa: S704 - files of this package
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def table_html(table: "Table") -> str:
    """Return a table as one HTML element that needs nothing of the page it is put into: no style, no script."""
    return _environment().get_template("table.html").render(table=table, groups=table.groups()) + "\n"


def inline_svg(svg: str, *, key: str, title: str, alt: str) -> str:
    """Return a matplotlib SVG fit to stand inside a page.

    The prologue, the ground and the ids that nothing refers to go, the frame's colours become the page's variables,
    and a title and a description are added for screen readers.
    """
    from markupsafe import escape  # noqa: PLC0415 - comes with Jinja2

    from metaeval.figures.style import THEME  # noqa: PLC0415 - matplotlib

    body = svg[svg.index("<svg") :]
    body = body.replace(f"fill: {THEME['paper']}", "fill: none", 1)  # the ground: it would hide the shade of a scroll
    body = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", body, flags=re.DOTALL)
    body = _TAG.sub(_tidy_tag, body)
    root = re.match(r'<svg[^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>', body)
    if root is None:
        raise ValueError("a picture without a viewBox cannot stand in a page")
    width, height = (float(size) for size in root.groups())
    head = (
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" width="{width * 4 / 3:.0f}" '
        f'role="img" aria-labelledby="{key}-title {key}-text" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{key}-title">{escape(title)}</title><desc id="{key}-text">{escape(alt)}</desc>'
    )
    return re.sub(r"\n\s*", "\n", head + body[root.end() :])


def _relative(path: str) -> str:
    """Return a path of straight lines by its steps, which take less room than its places; others as they are.

    Examples
    --------
    >>> _relative("M 71.14 630.62 L 75 636.45 L 78.85 642.09 z")
    'm71.14 630.62l3.86 5.83 3.85 5.64z'
    """
    if _STRAIGHT.fullmatch(path) is None:
        return path
    written, before, last = [], (0, 0), ""
    for command, *numbers in _STEP.findall(path):
        x, y = (round(100 * float(number)) for number in numbers)
        letter = " " if command == last == "L" else command.lower()
        written.append(f"{letter}{(x - before[0]) / 100:g} {(y - before[1]) / 100:g}")
        before, last = (x, y), command
    return "".join(written) + "z" * path.endswith("z")


_TAG = re.compile(r"<[a-z][^>]*>")
"""Text between tags holds no angle bracket."""
_STEP = re.compile(r"([ML]) (-?[\d.]+) (-?[\d.]+)")
_STRAIGHT = re.compile(rf"(?:{_STEP.pattern} ?)+z?")
_OFTEN = 12
"""A style of as many parts of figures is written once."""
_STYLE = re.compile(r' style="([^"]*)"')


def _styles_once(svgs: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Give every style that many parts of figures share a class; return the figures and the rules."""
    tags = Counter(style for svg in svgs.values() for tag in _TAG.findall(svg) for style in _STYLE.findall(tag))
    classes = {style: f"s{number}" for number, (style, many) in enumerate(tags.most_common()) if many >= _OFTEN}

    def classed(tag: re.Match[str]) -> str:
        return _STYLE.sub(lambda one: f' class="{classes[one[1]]}"' if one[1] in classes else one[0], tag[0])

    rules = "".join(f".chart .{name} {{ {style} }}\n" for style, name in classes.items())
    return {name: _TAG.sub(classed, svg) for name, svg in svgs.items()}, rules


def file_stems(names: Iterable[str]) -> dict[str, str]:
    r"""Give every name a file name of its own that is safe on any system.

    Letters, digits and ``. @ = + ( ) _ -`` stay; everything else becomes an underscore, so no name can lead out of
    a folder. Names that would then be one file, on a disk that ignores case too, are numbered.

    Examples
    --------
    >>> file_stems(["map RBP(p=0.8)/x", "../../etc", "AP", "ap"])
    {'map RBP(p=0.8)/x': 'map_RBP(p=0.8)_x', '../../etc': '_.._etc', 'AP': 'AP', 'ap': 'ap-2'}
    """
    stems: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        stem = re.sub(r"[^A-Za-z0-9.@=+()_-]+", "_", name)[:80].strip(". ") or "unnamed"
        stem = f"_{stem}" if stem.split(".")[0].casefold() in _RESERVED else stem
        candidate, number = stem, 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{stem}-{number}"
        taken.add(candidate.casefold())
        stems[name] = candidate
    return stems


_SCRIPTS = ("parts", "switch", "marks", "keys", "find", "enlarge", "tables", "steps", "copy", "contents")
"""Files in templates/scripts, in the order in which they run; the first holds what the others use."""

_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def _attribute(words: str) -> str:
    """Return JSON as the value of an attribute between single quotes, in which double ones need no escape."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with Jinja2

    words = visible(words)
    escaped = words.replace("&", "&amp;").replace("'", "&#39;").replace("<", "&lt;").replace(">", "&gt;")
    return Markup(escaped)  # noqa: S704 - escaped in the line above


@cache
def _colours() -> dict[str, str]:
    from metaeval.figures.style import THEME  # noqa: PLC0415 - matplotlib

    return {code: f"var(--{name})" for name, code in THEME.items()}


def _tidy_tag(found: re.Match[str]) -> str:
    """Tidy one tag; text between tags is never touched, because it cannot hold an angle bracket."""
    tag = found[0]
    tag = tag.replace("font-family: 'DejaVu Sans'; ", "")  # the page's own letters stand here
    if tag.startswith("<g "):
        tag = re.sub(r' id="[^"]*"', "", tag)
    if tag.startswith("<path "):
        tag = re.sub(r'(?<= d=")[^"]*', lambda path: _relative(path[0]), tag)
    return re.sub(r"#[0-9a-f]{6}(?=[;\"])", lambda colour: _colours().get(colour[0], colour[0]), tag)


@cache
def _asset(name: str) -> str:
    return files("metaeval.page").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the scripts of a page as one; the names that they define stay inside."""
    parts = (_asset(f"scripts/{name}.js") for name in _SCRIPTS)
    return "\n".join(["(() => {", '"use strict";', *parts, "})();"])


@cache
def _environment() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - only pages need it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("metaeval.page", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"bound": _bound, "attribute": _attribute}
    return environment


def _shown(value: object) -> object:
    """Write out what is hidden in words; what is markup already has been through this."""
    return visible(value, keep="\n\t") if type(value) is str else value


def _bound(words: str) -> str:
    """Keep a number and its sign on one line."""
    return re.sub(r"(?<=\d) (?=%)|(?<=[αB]) (?== \d)|(?<=[αB] =) (?=\d)", "\u00a0", words)
