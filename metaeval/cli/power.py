"""`metaeval power`: how many pairs of systems differ significantly under each metric."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from metaeval.cli import options as opt
from metaeval.cli.checks import by_comma, file_to_write
from metaeval.cli.command import command
from metaeval.cli.option import path
from metaeval.cli.reading import Loaded
from metaeval.cli.together import check_replaced
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from metaeval.studies.power import PowerStudy

__all__ = ["counted", "power"]

_PAIRS = path("FILE", "Write every pair's difference, p-values and decision (CSV).", file_to_write())


@command("power", reads="scores")
def power(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    test: Annotated[str, opt.TEST_LIST] = "bootstrap_sensitivity,t",
    correction: Annotated[str, opt.CORRECTION_LIST] = "none,fdr_by",
    alternative: Annotated[str, opt.ALTERNATIVE] = "two-sided",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    resamples: Annotated[int | None, opt.RESAMPLES] = None,
    interval_resamples: Annotated[int, opt.INTERVALS] = 0,
    choose: Annotated[str, opt.CHOOSE] = "all",
    pairs: Annotated[Path | None, _PAIRS] = None,
    seed: Annotated[int, opt.SEED] = 0,
    threads: Annotated[int | None, opt.THREADS] = None,
) -> "PowerStudy":
    """Count the pairs of systems that differ significantly under each metric.

    Discriminative power is the share of system pairs whose difference is significant. It is counted by Sakai's
    bootstrap sensitivity method, uncorrected as published. Which pairs differ is decided by the paired t test under
    Benjamini-Yekutieli, which keeps the share of false findings among all pairs under alpha.

    For example:

        metaeval power ap.csv ndcg.csv

        metaeval power scores.csv --test t,wilcoxon --correction none,holm,fdr_by --json
    """
    if pairs is not None:
        check_replaced(pairs, overwrite=loaded.options["overwrite"])
    study = counted(
        loaded,
        test=test,
        correction=correction,
        alternative=alternative,
        alpha=alpha,
        n_resamples=resamples,
        choose=choose,
        interval_resamples=interval_resamples,
        rng=seed,
        n_threads=threads,
    )
    if pairs is not None:
        from metaeval.reports.data_files import pairs_frame, write_csv  # noqa: PLC0415 - loads polars

        write_csv(pairs_frame(study.comparisons), pairs)
    return study


def counted(
    loaded: Loaded,
    *,
    test: str,
    correction: str,
    choose: str,
    interval_resamples: int,
    **asked: Any,  # noqa: ANN401 - as the study takes them
) -> "PowerStudy":
    """Read the scores and count, unless there is nothing to count; the texts are those of the options."""
    from metaeval.studies.power import check_question, study_power  # noqa: PLC0415 - loads scipy and numba

    tests, corrections = by_comma(test, TESTS), by_comma(correction, CORRECTIONS)
    check_question(tests, corrections)
    return study_power(
        loaded.scores(),
        tests=tests,
        corrections=corrections,
        choose=opt.parse_choose(choose),
        n_topic_resamples=interval_resamples or None,
        provenance=loaded.provenance,
        **asked,
    )
