"""`metaeval assessment`: how the assessments of focused retrieval were made."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import file_to_read, files_to_read, finite_number, numbers, parse_numbers, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice, path
from metaeval.cli.reading import Answer, Loaded
from metaeval.questions.judgments.command import COST, parse_cost, pool_size

if TYPE_CHECKING:
    import pandas as pd


_source = partial(Option, panel="More input")

_RUNS = _source("PATH", "Pooled runs, for the growth of the pools; may be repeated.", files_to_read(first=False))
_NEW_RUNS = _source(
    "PATH",
    "Runs that were not pooled, for the share of their results that is judged; may be repeated.",
    files_to_read(first=False),
    means="new",
    needs="runs",
)
_POOLS = _source(
    "PATH", "Pool files, to check which of their documents were assessed; may be repeated.", files_to_read(first=False)
)
_SECOND = _source(
    "PATH",
    "Assessments of some topics by a second assessor; the same folder if they are in its others/.",
    files_to_read(),
)
_LOG = path(
    "FILE",
    "Table of topic, document and seconds spent, or the time of each action.",
    file_to_read("the log of actions"),
    panel="More input",
)
_DOCUMENTS = path(
    "FOLDER",
    "The articles in XML, to convert passages and entry points of 2005 and 2006 to characters.",
    file_to_read("the folder of the articles", folder=True),
    panel="More input",
    means="articles",
)


_POOL_SIZES = Option(
    "50,100,200",
    "Sizes of pools, in documents or elements, that new runs are compared with.",
    numbers("50,100,200", pool_size),
    shown="50 to 500",
    needs="new_runs",
)
_ROUNDS = choice(
    "What each run adds in a round of pooling: the document of its next result, as at INEX, or its next document.",
    "results",
    "documents",
    needs="runs",
)
_MORE = Option(
    "N",
    "Number of documents to add to the pools, to estimate findings and cost.",
    whole_number(),
    means="added",
    needs="runs",
)
_COST = COST.but(shown="those of the log, else 2006", needs="runs")
_LONGEST_BREAK = _source(
    "SECONDS",
    "A longer time between two actions in the log does not count as work.",
    finite_number(above=0),
    needs="log",
)


@command("assessment")
def assessment_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    assessments: Annotated[str, argument("ASSESSMENTS", "INEX assessments of any year: a file or a folder.")],
    runs: Annotated[list[str] | None, _RUNS] = None,
    new_runs: Annotated[list[str] | None, _NEW_RUNS] = None,
    pools: Annotated[list[str] | None, _POOLS] = None,
    second: Annotated[str | None, _SECOND] = None,
    log: Annotated[Path | None, _LOG] = None,
    longest_break: Annotated[float, _LONGEST_BREAK] = 600.0,
    element_sizes: Annotated[Path | None, opt.ELEMENT_SIZES] = None,
    documents: Annotated[Path | None, _DOCUMENTS] = None,
    pool_sizes: Annotated[str | None, _POOL_SIZES] = None,
    rounds: Annotated[str, _ROUNDS] = "results",
    more_documents: Annotated[int, _MORE] = 100,
    cost: Annotated[str | None, _COST] = None,
    lenient: Annotated[bool, opt.LENIENT] = False,
) -> Answer:
    """Analyse assessments of elements and passages: pools, grades, time, agreement.

    For example:

        metaeval assessment assessments/ --runs submissions/ --element-sizes sizes.txt --out analysis

        metaeval assessment qrels.txt --second second/qrels.txt --log log.csv

        metaeval assessment assessments/ --second second/ --documents articles/
    """
    from metaeval.inex.articles import ArticleFolder  # noqa: PLC0415 - as above
    from metaeval.inex.assessed_pools import POOL_SIZES  # noqa: PLC0415 - loads pandas
    from metaeval.inex.assessment_log import read_assessment_log  # noqa: PLC0415 - as above
    from metaeval.inex.reading import assessment_sources, read_assessments, read_element_sizes, read_submissions  # noqa: PLC0415 - as above
    from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads pandas
    from metaeval.questions.assessment.study import study_assessment  # noqa: PLC0415 - loads numba

    inside = second is not None and Path(second) == Path(assessments)
    judged = read_assessments(assessments, lenient=lenient)
    actions = None if log is None else read_assessment_log(log)
    sizes = None if element_sizes is None else read_element_sizes(element_sizes, lenient=lenient)
    sources = [*assessment_sources(assessments), *(run_sources([*runs, *(new_runs or ())]) if runs else ())]
    pool_files = run_sources(pools) if pools else []
    again = [] if second is None else assessment_sources(second, second=inside)
    loaded.read(*(source.path for source in (*sources, *pool_files, *again)))
    loaded.read(*(file for file in (log, element_sizes) if file is not None))
    return loaded.ask(
        study_assessment,
        judged,
        submissions=read_submissions(runs, lenient=lenient) if runs else (),
        pools=_pools([source.path for source in pool_files], lenient=lenient) if pools else None,
        second=None if second is None else read_assessments(second, second=inside, lenient=lenient),
        log=actions,
        sizes=sizes,
        articles=None if documents is None else ArticleFolder(documents),
        new=read_submissions(new_runs, lenient=lenient) if new_runs else (),
        pool_sizes=POOL_SIZES if pool_sizes is None else [int(size) for size in parse_numbers(pool_sizes)],
        cost=None if cost is None else parse_cost(cost),
    )


def _pools(paths: list[str], *, lenient: bool) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - only where there are pools

    from metaeval.inex.reading import read_pool  # noqa: PLC0415 - loads pandas

    return pd.concat([read_pool(path, lenient=lenient) for path in paths], ignore_index=True)
