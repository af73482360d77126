"""`metaeval design`: how many topics a new collection should have."""

from collections.abc import Sequence
from math import inf, nan
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    from metaeval.scores import Scores
    from metaeval.studies.design import DesignStudy

__all__ = ["design"]

_PANEL = "The question"
_VARIANCES = ("residual", "within", "pairs")


def _variance(text: str) -> str | float:
    word = text.strip().casefold()
    if word in _VARIANCES:
        return word
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not 0 < number < inf:
        message = f"--variance takes {', '.join(_VARIANCES)} or a number above 0, not {text!r}"
        raise InvalidOptionError(message)
    return number


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma or not first.strip() or not second.strip() or "," in second:
        message = f"--pair takes two systems with a comma between them, such as bm25,lm, not {text!r}"
        raise InvalidOptionError(message)
    return first.strip(), second.strip()


@command("design", reads="pilot")
def design(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            callback=checks.files_to_read(first=False),
            metavar="TABLE",
            help="Scores of another collection under the same metrics; the variances are pooled. May be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    difference: Annotated[
        str,
        typer.Option(
            "--difference",
            callback=checks.numbers("numbers above 0 by comma, such as 0.05,0.1", lambda one: one > 0),
            metavar="D,…",
            help="Smallest differences worth finding, in the metric's unit; for 'interval' its whole width.",
            rich_help_panel=_PANEL,
        ),
    ] = "0.05,0.1",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            callback=checks.several_of(("t", "anova", "interval"), every=True),
            metavar="t,anova,interval|all",
            show_default="all that --systems allows",
            help="t: a paired t test of two systems finds the difference. anova: an analysis of variance finds it "
            "among many. interval: the confidence interval of a difference is no wider.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option(
            "--power",
            callback=checks.number("a chance above 0 and below 1", lambda chance: 0 < chance < 1),
            metavar="CHANCE",
            help="Chance with which it is to be found.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.8,
    alpha: opt.Alpha = 0.05,
    variance: Annotated[
        str,
        typer.Option(
            "--variance",
            callback=checks.read_by(_variance),
            metavar="residual|within|pairs|NUMBER",
            help="How the variance of a score comes from INPUTS: what systems and topics leave unexplained; about "
            "each system's mean; from the pairs of --pair. Or the variance itself.",
            rich_help_panel=_PANEL,
        ),
    ] = "residual",
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            callback=checks.read_by(lambda texts: [_pair(text) for text in texts]),
            metavar="A,B",
            help="Two systems whose differences give the variance; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    systems: Annotated[
        int | None,
        typer.Option(
            "--systems",
            callback=checks.whole(2, opt.MOST_SYSTEMS),
            metavar="M",
            show_default="as many as in INPUTS",
            help="Systems in the analysis of variance.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate",
            help="Use Sakai's closed approximations, as published tables do, not the exact distributions.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
) -> "DesignStudy":
    """Say how many topics a new collection needs.

    The more the scores vary over topics, and the smaller the difference that matters, the more topics it takes to
    find it. The variance comes from scores you already have, or from elsewhere as a number. Three designs are
    answered side by side (--method); with scores, what the topics at hand achieve stands beside each.

    For example:

        metaeval design ap.csv --difference 0.05,0.1

        metaeval design --variance 0.05 --difference 0.1 --systems 10
    """
    from metaeval.studies.design import study_design  # noqa: PLC0415 - loads scipy

    inputs = loaded.options["inputs"]
    how = _variance(variance)
    if not inputs and isinstance(how, str):
        message = f"--variance {variance} is estimated from scores; give INPUTS, or the variance as a number"
        raise InvalidOptionError(message)
    if (how == "pairs") != bool(pair):
        message = "--variance pairs and --pair A,B belong together; give both, or neither"
        raise InvalidOptionError(message)
    if not alpha < power:
        message = f"--power {power:g} must lie above --alpha {alpha:g}, which chance alone would find"
        raise InvalidOptionError(message)
    if method is not None and "anova" in method and not inputs and systems is None:
        message = "--method anova asks about many systems; say how many by --systems, or give INPUTS to count them"
        raise InvalidOptionError(message)
    countable = bool(inputs) or systems is not None
    known = ("t", "anova", "interval") if countable else ("t", "interval")
    return study_design(
        _pilot(loaded, pool or ()) if inputs else None,
        variance=how,  # type: ignore[arg-type]  # checked inside, with the names that would do
        differences=checks.parse_numbers(difference, "--difference"),
        methods=known if method is None else opt.split_names(method, ("t", "anova", "interval")),  # type: ignore[arg-type]  # as above
        alpha=alpha,
        power=power,
        n_systems=systems,
        pairs=None if pair is None else [_pair(text) for text in pair],
        calculation="approximate" if approximate else "exact",
        provenance=loaded.provenance,
    )


def _pilot(loaded: Loaded, pool: Sequence[str]) -> "dict[str, Scores]":
    """Read the collections by name: the inputs, and every one to pool with them."""
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads polars

    scores = {"inputs": loaded.scores()}
    for name in pool:
        scores[name] = read_scores([name])
        loaded.read(*scores[name].attrs.get("sources", []))
    return scores
