"""`metaeval reliability`: does a measure of XML retrieval reward what users want."""

from pathlib import Path
from typing import Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import names_of_metrics
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument
from metaeval.cli.reading import Answer, Loaded

_RUNS = argument("[RUNS]…", "Submitted runs to rank too: files, folders or patterns.")
_METRICS = Option(
    "NAME,…",
    "Measures of elements, such as nxCG(quant=SOG)@25; `metaeval metrics` lists them.",
    names_of_metrics,
    shown="inex2002 and nxCGpercent, generalised (SOG on the scale of 2003) and strict",
)


def _check_expectations(texts: list[str], _option: str) -> list[str]:
    from metaeval.inex.expectations import parse_expectations  # noqa: PLC0415 - loads numba

    parse_expectations(texts)
    return texts


_EXPECT = Option(
    "RUN>RUN,…",
    "More expectations of the six runs, the better one first: lo>ao (strictly better), ia>=id>frb; may be repeated.",
    _check_expectations,
    means="expectations",
)


@command("reliability", reads="plugins")
def reliability_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    assessments: Annotated[str, argument("ASSESSMENTS", "INEX assessments of elements: a file or a folder.")],
    runs: Annotated[list[str] | None, _RUNS] = None,
    metrics: Annotated[str | None, _METRICS] = None,
    expect: Annotated[list[str] | None, _EXPECT] = None,
    element_sizes: Annotated[Path | None, opt.ELEMENT_SIZES] = None,
    lenient: Annotated[bool, opt.LENIENT] = False,
) -> Answer:
    """Test measures of XML retrieval on six runs of known order.

    The runs are built from the assessments. The ideal run should come first, and repeated text should not be rewarded.

    For example:

        metaeval reliability assessments/ --element-sizes sizes.txt

        metaeval reliability assessments/ submissions/ --metrics "inex2002(quant=SOG),nxCG(quant=SOG)@25" --out answer

        metaeval reliability assessments/ --element-sizes sizes.txt --expect "lo>ao,ia>=id>frb"
    """
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.inex.expectations import EXPECTATIONS, parse_expectations  # noqa: PLC0415 - as above
    from metaeval.inex.reading import assessment_sources, read_assessments, read_element_sizes, read_submissions  # noqa: PLC0415 - as above
    from metaeval.io.sources import list_sources  # noqa: PLC0415 - loads pandas
    from metaeval.questions.reliability.study import study_reliability  # noqa: PLC0415 - as above

    judged = read_assessments(assessments, lenient=lenient)
    submissions = read_submissions(runs, lenient=lenient) if runs else []
    sizes = None if element_sizes is None else read_element_sizes(element_sizes, lenient=lenient)
    sources = [*assessment_sources(assessments), *(list_sources(runs) if runs else ())]
    loaded.read(*(source.path for source in sources), *([] if element_sizes is None else [element_sizes]))
    return loaded.ask(
        study_reliability,
        judged,
        submissions,
        metrics=None if metrics is None else split_names(metrics),
        sizes=sizes,
        expectations={**EXPECTATIONS, **(parse_expectations(expect) if expect else {})},
    )
