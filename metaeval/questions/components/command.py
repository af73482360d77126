"""`metaeval components`: where the noise of scores comes from, and which design is cheapest."""

from math import isfinite
from pathlib import Path
from shlex import quote
from typing import Annotated

from metaeval.base.checks import check_share
from metaeval.base.names import is_word
from metaeval.cli import checks
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, flag
from metaeval.cli.reading import Answer, Loaded

_PRICED = ("item", "run", "judgment")
_RULE = (
    "costs of item, run and judgment from 0 on, such as item=5,run=1,judgment=0.2; a run or a judgment costs something"
)


def _cost(text: str) -> dict[str, float]:
    parts = [field.partition("=") for field in text.split(",")]
    try:
        paid = {name.strip(): float(value) for name, _, value in parts}
    except ValueError:
        paid = {}
    wrong = (
        len(paid) < len(parts)
        or set(paid) - {*_PRICED}
        or not all(price >= 0 and isfinite(price) for price in paid.values())
    )
    if wrong or not paid.get("run", 0) + paid.get("judgment", 0):
        raise checks.refusal("--cost", _RULE, text)
    return paid


def _refuse_unasked_judges(loaded: Loaded) -> None:
    """Refuse a long table with a column of judges that no option names: as repeats their differences would be luck."""
    from metaeval.base.columns import LABELS, first_called, underscored  # noqa: PLC0415 - needed with files alone
    from metaeval.errors import FileFormatError, MetaevalError  # noqa: PLC0415 - as above
    from metaeval.io.headers import roles_of_sheet  # noqa: PLC0415 - as above
    from metaeval.io.sheets import header_names, read_sheet  # noqa: PLC0415 - loads pandas

    files = [Path(text) for text in loaded.options["inputs"]]
    if any(loaded.options.get(name) for name in _NAMING) or len(files) != 1 or not files[0].is_file():
        return
    try:
        sheet = read_sheet(files[0])
        header, *rows = sheet.sample()
    except MetaevalError:
        return  # whose reader says what it is
    names = header_names(header)
    at = first_called(names, LABELS["judge"], underscored)
    parts = roles_of_sheet(names, sheet).parts if at is not None else {}
    if at is None or not {"system", "score"} <= parts.keys():
        return
    others = [place for place, name in enumerate(names) if place != at and name and name not in parts.values()]
    aspect = next((place for place in others if all(is_word(cells[place]) for cells in rows)), None)
    where = "" if aspect is None else f" --where {quote(f'{names[aspect]}={rows[0][aspect]}')}"
    raise FileFormatError(
        f"column {names[at]!r} holds judges, whose differences are noise of their own: pass "
        f"--metric-column {names[at]} --judges{where}; or --repeat-column {names[at]} if each score has judges of "
        "its own",
        path=str(files[0]),
    )


_NAMING = ("metric_column", "repeat_column", "ignore_column", "qrels", "no_header")
"""Options that say what columns are, or that there are none."""
_REPEAT = choice(
    "What repeats are: nested in each score; crossed, such as seeds that all items share; or shared by all systems on "
    "an item, such as the passes of a judge.",
    *("nested", "crossed", "shared"),
    means="repeats",
    shown="crossed where runs of a system differ, else nested",
)
_JUDGES = flag("--judges", "The metrics are judges of one quality, a source of variance of their own.", means="judges")
_MEASURE = choice("Whose means are to be dependable; judge with --judges.", "system", "topic", "judge", means="measure")
_TARGET = Option("SHARE", "Dependability to plan for, between 0 and 1.", check_share, shown="0.95")
_COST = Option(
    "item=C,run=C,judgment=C",
    "Cost of an item, of a run of a system on it, and of a judgment of a run.",
    checks.read_by(_cost),
    shown="run=1, and judgment=1 with --judges",
    means="cost",
)
_INTERVALS = choice(
    "Intervals that heed long tails of the scores, or those of normal effects, as in published tables.",
    *("robust", "normal"),
    means="intervals",
)
_SPLITS = Option(
    "N",
    "Random halves of the items (or clusters) that check what the components expect.",
    checks.whole_number(zero=True, least=0),
    shown="20, of very large tables fewer",
)


@command("components", reads="scores", draws=True)
def components_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    repeat: Annotated[str | None, _REPEAT] = None,
    judges: Annotated[bool, _JUDGES] = False,
    measure: Annotated[str, _MEASURE] = "system",
    target: Annotated[float | None, _TARGET] = None,
    cost: Annotated[str | None, _COST] = None,
    intervals: Annotated[str, _INTERVALS] = "robust",
    splits: Annotated[int | None, _SPLITS] = None,
) -> Answer:
    """Find where the noise of scores comes from, and the cheapest design.

    The variance of scores is divided into systems, items, repeats, judges and their interactions. From these follow how
    dependable the present design is, what other numbers of items, repeats and judges would make of it, and which of
    them is cheapest.

    For example:

        metaeval components scores.csv

        metaeval components scores.csv --cost item=5,run=1 --target 0.9

        metaeval components judged.csv --metric-column judge --judges
    """
    from metaeval.questions.components.study import study_components  # noqa: PLC0415 - loads scipy

    if not judges:
        _refuse_unasked_judges(loaded)
    return loaded.ask(study_components, loaded.scores(), cost=None if cost is None else _cost(cost))
