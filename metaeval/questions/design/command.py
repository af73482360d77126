"""`metaeval design`: how many topics a new collection should have."""

from collections.abc import Sequence
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import check_share
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, flag
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.table.scores import Scores

_VARIANCES = ("residual", "within", "pairs")
_METHODS = ("t", "anova", "interval")


def _variance(text: str) -> str | float:
    word = text.strip().casefold()
    if word in _VARIANCES:
        return word
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not 0 < number < inf:
        raise checks.refusal("--variance", f"{', '.join(_VARIANCES)} or a number above 0", text)
    return number


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma or not first.strip() or not second.strip() or "," in second:
        raise checks.refusal("--pair", "two systems with a comma between them, such as bm25,lm", text)
    return first.strip(), second.strip()


_POOL = Option(
    "TABLE",
    "Scores of another collection under the same metrics, to pool the variances; may be repeated.",
    checks.files_to_read(first=False),
    needs="inputs",
)
_DIFFERENCE = Option(
    "D,…",
    "Smallest differences to find, in the metric's unit; for 'interval' its whole width.",
    checks.numbers("0.05,0.1", checks.finite_number(above=0)),
    means="differences",
)
_METHOD = Option(
    "t,anova,interval|all",
    "t: a paired t test of two systems finds the difference. anova: an analysis of variance finds it among "
    "many. interval: the confidence interval of a difference is no wider.",
    checks.several(checks.one_of(*_METHODS), every=True),
    shown="all that --systems allows",
    means="methods",
)
_VARIANCE = Option(
    "residual|within|pairs|NUMBER",
    "How to estimate the variance of a score from INPUTS: residual after systems and topics; within systems; from "
    "the pairs of --pair. Or the variance as a number.",
    checks.read_by(_variance),
)
_PAIR = Option(
    "A,B",
    "Two systems whose differences are used for the variance; may be repeated.",
    checks.read_by(lambda texts: [_pair(text) for text in texts]),
    means="pairs",
)
_SYSTEMS = Option(
    "M",
    "Systems in the analysis of variance.",
    checks.whole_number(2, checks.MOST_SYSTEMS),
    shown="as many as in INPUTS",
)
_APPROXIMATE = flag(
    "--approximate", "Use Sakai's closed approximations, as in published tables, instead of the exact distributions."
)


_COMPONENTS = Option(
    "FILE",
    "Components of variance in place of INPUTS and --variance: a report of metaeval components, or its components.csv.",
    checks.file_to_read("the components", folder=True),
    excludes="inputs pair",
    means="components",
)
_REPEATS = Option(
    "K",
    "Repeats of every score of the new collection.",
    checks.whole_number(),
    means="repeats",
    needs="from_components",
)
_JUDGES = Option(
    "M", "Judges of every score of the new collection.", checks.whole_number(), means="judges", needs="from_components"
)
_SHARE = Option(
    "SHARE",
    "Share of the pairs of systems in INPUTS that the second number of topics is for, by their own variances.",
    check_share,
)


@command("design", reads="pilot")
def design_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    pool: Annotated[list[str] | None, _POOL] = None,
    from_components: Annotated[Path | None, _COMPONENTS] = None,
    planned_repeats: Annotated[int, _REPEATS] = 1,
    planned_judges: Annotated[int, _JUDGES] = 1,
    difference: Annotated[str, _DIFFERENCE] = "0.05,0.1",
    method: Annotated[str | None, _METHOD] = None,
    power: Annotated[float, opt.POWER] = 0.8,
    share: Annotated[float, _SHARE] = 0.9,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    variance: Annotated[str, _VARIANCE] = "residual",
    pair: Annotated[list[str] | None, _PAIR] = None,
    systems: Annotated[int | None, _SYSTEMS] = None,
    approximate: Annotated[bool, _APPROXIMATE] = False,
) -> Answer:
    """Compute how many topics a new collection needs.

    More topics are needed if scores vary more over topics, or if smaller differences matter. The variance comes from
    existing scores, or is given as a number. There are three designs (--method). With scores, the number is for the
    mean variance of pairs; shown with it are the share of pairs that reach the power or width, the number for a
    --share of them, and what the present topics achieve.

    For example:

        metaeval design ap.csv --difference 0.05,0.1

        metaeval design --variance 0.05 --difference 0.1 --systems 10

        metaeval design --from-components noise --planned-repeats 3
    """
    from metaeval.questions.design.study import study_design  # noqa: PLC0415 - loads scipy

    inputs = loaded.options["inputs"]
    how = _variance(variance)
    if not inputs and from_components is None and isinstance(how, str):
        message = f"--variance {variance} is estimated from scores; give INPUTS, or a number, or --from-components"
        raise InvalidOptionError(message)
    if (how == "pairs") != bool(pair):
        raise InvalidOptionError("--variance pairs and --pair A,B belong together; give both, or neither")
    if not alpha < power:
        raise InvalidOptionError(f"--power {power:g} must lie above --alpha {alpha:g}, which chance alone would find")
    if method is not None and "anova" in method and not inputs and systems is None:
        message = "--method anova asks about many systems; say how many by --systems, or give INPUTS to count them"
        raise InvalidOptionError(message)
    countable = bool(inputs) or systems is not None
    methods = _METHODS if countable else ("t", "interval")
    return loaded.ask(
        study_design,
        _pilot(loaded, pool or ()) if inputs else None,
        components=None if from_components is None else _components(loaded, from_components),
        variance=how,
        differences=checks.parse_numbers(difference),
        methods=methods if method is None else checks.by_comma(method, _METHODS),
        pairs=None if pair is None else [_pair(text) for text in pair],
        calculation="approximate" if approximate else "exact",
    )


def _components(loaded: Loaded, path: Path) -> "pd.DataFrame":
    """Read components of variance, and record their file."""
    from metaeval.io.components import components_file, read_components  # noqa: PLC0415 - loads pandas

    loaded.read(components_file(path))
    return read_components(path)


def _pilot(loaded: Loaded, pool: Sequence[str]) -> "dict[str, Scores]":
    """Read the collections by name: the inputs, and every one to pool with them."""
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads pandas

    scores = {"inputs": loaded.scores()}
    for name in pool:
        scores[name] = read_scores([name])
        loaded.read(*scores[name].attrs.get("sources", []))
    return scores
