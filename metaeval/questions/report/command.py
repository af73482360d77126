"""`metaeval report`: the whole answer as a folder to look at, cite and send."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.base.unit import speaking_of, unit_of
from metaeval.cli import options as opt
from metaeval.cli.checks import MOST_SYSTEMS, a_name, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option
from metaeval.cli.reading import Answer, Loaded
from metaeval.questions.power.command import count_pairs

if TYPE_CHECKING:
    from metaeval.collection.documents import JudgedCollection
    from metaeval.page.blocks import Section
    from metaeval.page.report import Report
    from metaeval.questions.power.study import PowerStudy

_TOP = Option(
    "K",
    "Number of best systems whose significant pairs are counted, and whose curves are drawn separately.",
    whole_number(2, MOST_SYSTEMS),
)


@command("report", reads="scores", draws=True, repeats=True, out=Path("metaeval-report"))
def report_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    test: Annotated[str, opt.TEST_LIST] = "t,bootstrap_sensitivity",
    correction: Annotated[str, opt.CORRECTION_LIST] = "none,fdr_bh,fdr_by",
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    resamples: Annotated[int | None, opt.RESAMPLES] = None,
    interval_resamples: Annotated[int, opt.INTERVALS] = 200,
    choose: Annotated[str, opt.CHOOSE] = "all",
    map_metric: Annotated[str | None, Option("METRIC", "Metric of the system map.", a_name, shown="the first")] = None,
    top: Annotated[int, _TOP] = 10,
    topics: Annotated[bool, opt.TOPICS_NEEDED] = True,
    posterior: Annotated[bool, opt.POSTERIOR] = False,
) -> Answer:
    """Write a report: significant differences under each metric, and the topics it needs.

    The folder holds index.html (opens anywhere, needs no network), tables as CSV and LaTeX, figures as SVG (with --pdf
    as PDF too), the scores as NetCDF, and provenance.json. The folder appears only when the report is complete.

    For example:

        metaeval report ap.csv ndcg.csv p10.csv

        metaeval report AP=run_scores.csv --out reports/today --seed 7
    """
    from metaeval.errors import InvalidOptionError  # noqa: PLC0415 - only here

    if posterior and not topics:
        raise InvalidOptionError(
            "--posterior writes the draws behind the topics needed, which --no-topics leaves out; drop one of them"
        )
    if loaded.options["qrels"] is not None:
        loaded.collection(retrieved="all")  # for the unjudged documents that two runs share
    study = count_pairs(loaded)
    from metaeval.questions.power.page import power_report  # noqa: PLC0415 - as above
    from metaeval.questions.report.page_collection import collection_sections  # noqa: PLC0415 - the first progress comes before

    with speaking_of(unit_of(study.scores)):
        page = replace(power_report(study, map_metric=map_metric, top=top), command="report")
        page = _with_topics(page, study, loaded, posterior=posterior) if topics else page
        collection = loaded.compiled()
        if collection is None:
            return page
        metrics = loaded.metrics()
        sections = collection_sections(collection, metrics, registry=loaded.registry, best=top)
        return page.extended(sections=(*_completions(collection, study, loaded), *sections))


def _completions(collection: "JudgedCollection", study: "PowerStudy", loaded: Loaded) -> "tuple[Section, ...]":
    """Say which of the pairs that were compared hold whatever the unjudged documents are."""
    from metaeval.metrics.scoring import resolve_metrics  # noqa: PLC0415 - loads numba
    from metaeval.questions.judgments.page import completions_section  # noqa: PLC0415 - as above
    from metaeval.resampling.completions import bounds_where_possible  # noqa: PLC0415 - as above

    names = {dim: study.scores[dim].to_numpy().tolist() for dim in ("system", "topic")}
    compared = collection.select(systems=names["system"], topics=names["topic"])
    metrics = resolve_metrics(loaded.metrics(), registry=loaded.registry)
    return completions_section(bounds_where_possible(compared, metrics, alpha=study.comparisons[0].alpha))


def _with_topics(report: "Report", study: "PowerStudy", loaded: Loaded, *, posterior: bool) -> "Report":
    """Add what is said about topics: at least why there is nothing to say.

    Intervals are for the tolerances to quote: each takes seconds for every metric, and `metaeval topics` does all.
    """
    from metaeval.errors import EstimationError, InvalidOptionError, ScoresError  # noqa: PLC0415 - only here
    from metaeval.questions.topics.page import with_topics, without_topics  # noqa: PLC0415 - loads matplotlib
    from metaeval.questions.topics.study import RECOMMENDED_TOLERANCE, study_topics  # noqa: PLC0415 - loads scipy and numba

    try:
        topics = study_topics(
            study.scores,
            differences=False,
            modelled=(0.0, RECOMMENDED_TOLERANCE),
            rng=loaded.options["seed"],
            n_threads=loaded.options["threads"],
            provenance=study.provenance,
        )
    except (EstimationError, InvalidOptionError, ScoresError) as error:
        return without_topics(report, str(error))
    return with_topics(report, topics, posterior=posterior)
