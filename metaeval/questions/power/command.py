"""`metaeval power`: how many pairs of systems differ significantly under each metric."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import check_number
from metaeval.cli import options as opt
from metaeval.cli.checks import by_comma, file_to_write, read_by, refusal
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, path
from metaeval.cli.option_rules import check_replaced
from metaeval.cli.reading import Answer, Loaded
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from metaeval.questions.power.study import PowerStudy


def _widths(texts: list[str]) -> float | dict[str, float]:
    """Turn the texts of --rope into one width for all metrics, or metric to width; names may hold "=" themselves."""
    widths = {name.strip(): _width(width, text) for text in texts for name, _, width in [text.rpartition("=")]}
    if len(widths) < len(texts) or ("" in widths and len(widths) > 1):
        raise refusal("--rope", "one width for all metrics, or NAME=WIDTH once for each", " ".join(texts))
    return widths.get("", widths)


def _width(width: str, text: str) -> float:
    try:
        number = float(width)
    except ValueError:
        raise refusal("--rope", "a difference from 0, such as 0.02, or NAME=WIDTH", text) from None
    return check_number(number, "--rope", least=0)


_ROPE = Option(
    "WIDTH",
    "Region of practical equivalence: mean differences up to this size do not matter, in the metric's unit; for one "
    "metric NAME=WIDTH, once for each. Gives the probability that either system is better by more.",
    read_by(_widths),
)
_BAYESIAN = choice(
    "t: each pair separately. hierarchical: one model of all systems. pymc: the same sampled as a check, half a minute "
    "per metric.",
    *("t", "hierarchical", "pymc"),
    needs="rope",
)
_PAIRS = path("FILE", "Write every pair's difference, p-values and decision (CSV).", file_to_write())


@command("power", reads="scores", draws=True, repeats=True)
def power_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    test: Annotated[str, opt.TEST_LIST] = "t,bootstrap_sensitivity",
    correction: Annotated[str, opt.CORRECTION_LIST] = "none,fdr_bh,fdr_by",
    alternative: Annotated[str, opt.ALTERNATIVE] = "two-sided",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    resamples: Annotated[int | None, opt.RESAMPLES] = None,
    interval_resamples: Annotated[int, opt.INTERVALS] = 0,
    choose: Annotated[str, opt.CHOOSE] = "all",
    rope: Annotated[list[str] | None, _ROPE] = None,
    bayesian: Annotated[str, _BAYESIAN] = "t",
    pairs: Annotated[Path | None, _PAIRS] = None,
) -> Answer:
    """Count the significantly different pairs of systems by metric.

    Which pairs differ is decided by the paired t test under Benjamini-Yekutieli, which keeps the expected share of
    false findings below alpha; what Benjamini-Hochberg finds is shown beside it. Discriminative power, as published,
    is the uncorrected share of significant pairs; it is counted by the t test and by Sakai's bootstrap sensitivity.

    For example:

        metaeval power ap.csv ndcg.csv

        metaeval power scores.csv --test t,wilcoxon --correction none,holm,fdr_by --json

        metaeval power scores.csv --test t --rope 0.02
    """
    if pairs is not None:
        check_replaced(pairs, overwrite=loaded.options["overwrite"])
    study = count_pairs(loaded, rope=_widths(rope) if rope else None)
    if pairs is not None:
        from metaeval.reports.data_files import pairs_frame, write_csv  # noqa: PLC0415 - loads pandas

        loaded.at_end(lambda: write_csv(pairs_frame(study.comparisons, study.bayesian), pairs))
    return study


def count_pairs(loaded: Loaded, **said: object) -> "PowerStudy":
    """Read the scores and count, unless there is nothing to count."""
    from metaeval.questions.power.study import DEFAULT_TESTS, study_power  # noqa: PLC0415 - loads scipy, numba
    from metaeval.tests_stat.comparison import check_question  # noqa: PLC0415 - loads scipy, numba

    options = loaded.options
    tests, corrections = by_comma(options["test"], TESTS), by_comma(options["correction"], CORRECTIONS)
    check_question(tests, corrections)
    return loaded.ask(
        study_power,
        loaded.scores(),
        tests=None if tuple(tests) == DEFAULT_TESTS else tests,
        corrections=corrections,
        choose=opt.parse_choose(options["choose"]),
        n_topic_resamples=options["interval_resamples"] or None,
        **said,
    )
