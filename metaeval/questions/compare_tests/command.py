"""`metaeval compare-tests`: which significance test is reliable."""

from typing import Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import a_test, by_comma, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option, flag
from metaeval.cli.reading import Answer, Loaded
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_SPLITS = Option("N", "Random halvings of the topics, the same for every test.", whole_number())
_AGAINST = Option(
    "NAME",
    "Test to compare with each of the others: the numerator of the ratios.",
    a_test,
    shown="bootstrap_percentile if it is among them, else the first",
)
_PLAIN_P = flag("--plain-p", "Compute resampled p-values as k/B, like Ogilvie and Lalmas; 0 passes any correction.")


@command("compare-tests", reads="scores", draws=True, repeats=True)
def compare_tests_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    test: Annotated[str, opt.TEST_LIST] = "t,wilcoxon,sign,bootstrap_percentile",
    correction: Annotated[str, opt.CORRECTION_LIST] = "none,fdr_by",
    alternative: Annotated[str, opt.ALTERNATIVE] = "better",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    splits: Annotated[int, _SPLITS] = 50,
    resamples: Annotated[int, opt.RESAMPLES.but(shown="as Ogilvie and Lalmas took")] = 10_000,
    plain_p: Annotated[bool, _PLAIN_P] = False,
    against: Annotated[str | None, _AGAINST] = None,
    choose: Annotated[str, opt.CHOOSE] = "all",
) -> Answer:
    """Compare significance tests: how often the other half of the topics contradicts a decision.

    The topics are repeatedly split in halves at random. On one half every test selects the pairs of systems that differ
    significantly; an error is one of them whose difference does not have the same sign on the other half. The number of
    rejected pairs is shown with the error rate: a conservative test errs little and finds little.

    For example:

        metaeval compare-tests ap.csv ndcg.csv

        metaeval compare-tests ap.csv --test t,wilcoxon,bootstrap --against t --splits 100 --out tests
    """
    from metaeval.questions.compare_tests.study import study_compare_tests  # noqa: PLC0415 - loads scipy and numba
    from metaeval.tests_stat.comparison import check_question  # noqa: PLC0415 - as above

    tests, corrections = by_comma(test, TESTS), by_comma(correction, CORRECTIONS)
    check_question(tests, corrections, alternative)
    return loaded.ask(
        study_compare_tests,
        loaded.scores(),
        tests=tests,
        corrections=corrections,
        p_value_rule="plain" if plain_p else "plus-one",
        reference=against,
        choose=opt.parse_choose(choose),
    )
