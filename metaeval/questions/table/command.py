"""`metaeval table`: the table of every paper."""

from typing import Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import MOST_SYSTEMS, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice
from metaeval.cli.reading import Answer, Loaded

_CORRECTION = opt.CORRECTION_OR_OWN.but(
    words="Correction over the tested pairs of a metric: those with --baseline, or all.", shown="the test's own"
)
_TOP = Option(
    "K", "Show only the best K systems under the first metric; all are tested.", whole_number(1, MOST_SYSTEMS)
)
_ROWS = choice("Order of the rows: by mean under the first metric, best first, or as in the input.", "mean", "given")
_MARKS = choice(
    "letters: those of the systems that a system is significantly better than; groups: systems that share a letter "
    "do not differ.",
    *("letters", "groups"),
    shown="letters; daggers with --baseline",
    excludes="baseline",
)
_DIGITS = Option("N", "Decimals of the means.", whole_number(1, 12, zero=True))


@command("table", reads="scores", draws=True, forms=True)
def table_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    baseline: Annotated[str | None, opt.BASELINE] = None,
    test: Annotated[str, opt.TEST] = "t",
    correction: Annotated[str | None, _CORRECTION] = None,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    resamples: Annotated[int | None, opt.RESAMPLES] = None,
    choose: Annotated[str, opt.CHOOSE] = "all",
    top: Annotated[int | None, _TOP] = None,
    rows: Annotated[str, _ROWS] = "mean",
    marks: Annotated[str | None, _MARKS] = None,
    digits: Annotated[int, _DIGITS] = 3,
) -> Answer:
    """Print a table of systems and metrics for a paper: means, with significance marks.

    Rows are systems, columns metrics, and the best mean of a column is bold. With --baseline a dagger marks systems
    that are significantly better than it; otherwise all pairs are tested, and superscripts name the systems that a
    system is significantly better than. The caption gives test, correction and number of pairs.

    For example:

        metaeval table runs/ --qrels qrels.txt --metrics AP,nDCG@10 --baseline bm25 --correction holm --latex

        metaeval table scores.csv --test randomisation --markdown
    """
    from metaeval.questions.table.study import study_table  # noqa: PLC0415 - loads scipy and numba

    return loaded.ask(study_table, loaded.scores(), choose=opt.parse_choose(choose), order=rows)
