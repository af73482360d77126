"""`metaeval power`: how many pairs of systems differ significantly under each metric."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded

if TYPE_CHECKING:
    from metaeval.studies.power import PowerStudy

__all__ = ["power"]


@command("power", reads="scores")
def power(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    test: opt.Tests = "bootstrap_sensitivity,t",
    correction: opt.Corrections = "none,fdr_by",
    alternative: Annotated[
        str,
        typer.Option(
            "--alternative",
            callback=checks.one_of("two-sided", "greater", "less", "better"),
            metavar="two-sided|greater|less|better",
            help="better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
        ),
    ] = "two-sided",
    alpha: opt.Alpha = 0.05,
    resamples: opt.Resamples = None,
    interval_resamples: opt.Intervals = 0,
    choose: opt.Choose = "all",
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            parser=checks.file_path,
            callback=checks.file_to_write(),
            metavar="FILE",
            help="Write every pair's difference, p-values and decision (CSV).",
        ),
    ] = None,
    seed: opt.Seed = 0,
    threads: opt.Threads = None,
) -> "PowerStudy":
    """Count the pairs of systems that differ significantly under each metric.

    Discriminative power is the share of system pairs whose difference is significant. It is counted by Sakai's
    bootstrap sensitivity method, uncorrected as published. Which pairs differ is decided by the paired t test under
    Benjamini-Yekutieli, which keeps the share of false findings among all pairs under alpha.

    For example:

        metaeval power ap.csv ndcg.csv

        metaeval power scores.csv --test t,wilcoxon --correction none,holm,fdr_by --json
    """
    from metaeval.studies.power import study_power  # noqa: PLC0415 - loads scipy and numba
    from metaeval.tests_stat.catalogue import TESTS  # noqa: PLC0415 - as above
    from metaeval.tests_stat.correction import CORRECTIONS  # noqa: PLC0415 - as above

    study = study_power(
        loaded.scores(),
        tests=opt.split_names(test, tuple(TESTS)),
        corrections=opt.split_names(correction, tuple(CORRECTIONS)),
        alternative=alternative,  # type: ignore[arg-type]  # one of those that the option takes
        alpha=alpha,
        n_resamples=resamples,
        choose=opt.parse_choice(choose),
        n_topic_resamples=interval_resamples or None,
        rng=seed,
        n_threads=threads,
        provenance=loaded.provenance,
    )
    if pairs is not None:
        from metaeval.reports.data_files import pairs_frame, write_csv  # noqa: PLC0415 - loads polars

        write_csv(pairs_frame(study.comparisons), pairs)
    return study
