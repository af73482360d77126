"""`metaeval compare-metrics`: what is known about candidate metrics, before one is adopted."""

from typing import TYPE_CHECKING, Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import a_name, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option
from metaeval.cli.reading import Answer, Loaded

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.inex.assessments import Assessments

_CURRENT = Option("NAME", "The metric in use, to compare the candidates with.", a_name, shown="all pairs are compared")
_TEST = opt.TEST.but(words="Test for power, its intervals and agreement (difference required: bootstrap sensitivity).")
_INTERVAL_RESAMPLES = Option(
    "R",
    "Topic resamples and choices of systems for the intervals.",
    whole_number(2),
    means="n_topic_resamples n_choices",
)


@command("compare-metrics", reads="scores", draws=True, repeats=True)
def compare_metrics_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    current: Annotated[str | None, _CURRENT] = None,
    test: Annotated[str, _TEST] = "t",
    max_error: Annotated[float, opt.MAX_ERROR] = 0.05,
    topics: Annotated[bool, opt.TOPICS_NEEDED] = True,
    resamples: Annotated[int, opt.RESAMPLES.but(words="Resamples of the bootstrap.", shown=True)] = 1000,
    interval_resamples: Annotated[int, _INTERVAL_RESAMPLES] = 200,
    replicates: Annotated[int, opt.REPLICATES] = 10,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
) -> Answer:
    """Compare new metrics with the one in use, before adopting one.

    Side by side, with intervals: how many pairs of systems differ significantly under each, how many topics it needs,
    robustness to missing judgments (where runs are given), agreement with the metric in use (--current), share
    of zero scores, and top-heaviness.

    For example:

        metaeval compare-metrics runs/ --qrels qrels.txt --metrics "AP,nDCG@10,RBP(p=0.8)" --current AP --out compare

        metaeval compare-metrics ap.csv ndcg.csv rbp.csv
    """
    from metaeval.questions.compare_metrics.study import study_compare_metrics  # noqa: PLC0415 - loads scipy and numba

    scores = loaded.scores()
    assessments, sizes = _of_elements(loaded)
    return loaded.ask(
        study_compare_metrics, scores, collection=loaded.compiled(), assessments=assessments, element_sizes=sizes
    )


def _of_elements(loaded: Loaded) -> tuple["Assessments | None", "pd.DataFrame | None"]:
    """Return the assessments of elements, which the six-run test needs, and the sizes of elements that were given."""
    from metaeval.inex.elements import ElementCollection  # noqa: PLC0415 - loads numba

    if not isinstance(loaded.compiled(), ElementCollection):
        return None, None
    from metaeval.inex.reading import read_assessments, read_element_sizes  # noqa: PLC0415 - as above

    lenient, sizes = bool(loaded.options["lenient"]), loaded.options["element_sizes"]
    judged = read_assessments(loaded.options["qrels"], lenient=lenient)
    return judged, None if sizes is None else read_element_sizes(sizes, lenient=lenient)
