"""`metaeval table`: the table of every paper."""

from typing import Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import MOST_SYSTEMS, count
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice
from metaeval.cli.reading import Answer, Loaded

_CORRECTION = opt.CORRECTION_OR_OWN.but(
    words="Over the pairs that are tested under a metric: those with --baseline, or all.", shown="the test's own"
)
_TOP = Option("K", "Rows for the best K systems under the first metric; all are tested.", count(1, MOST_SYSTEMS))
_ROWS = choice("Order of the rows: best mean under the first metric first, or as the input has them.", "mean", "given")
_MARKS = choice(
    "letters: of the systems that one is significantly better than; groups: systems that share one do not differ.",
    *("letters", "groups"),
    shown="letters; daggers with --baseline",
    excludes="baseline",
)
_DIGITS = Option("N", "Decimals of a printed mean.", count(1, 12, zero=True))


@command("table", reads="scores", draws=True, forms=True)
def table(  # noqa: PLR0913 - the options of the command
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
    """Print the table of systems and metrics for a paper: means, the best, and what is significant.

    Rows are systems, columns metrics, the best mean of a column is bold. With --baseline a dagger marks what is
    significantly better than it; otherwise all pairs are tested, and raised letters name the systems that one is
    significantly better than. The caption says what was tested, how, and over how many pairs it was corrected.

    For example:

        metaeval table runs/ --qrels qrels.txt --metrics AP,nDCG@10 --baseline bm25 --correction holm --latex

        metaeval table scores.csv --test randomisation --markdown
    """
    from metaeval.studies.table import study_table  # noqa: PLC0415 - loads scipy and numba

    return loaded.ask(study_table, loaded.scores(), choose=opt.parse_choose(choose), order=rows)
