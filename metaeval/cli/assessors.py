"""`metaeval assessors`: do assessors, or an automatic judge and people, agree, and does it matter for the runs."""

from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from metaeval.studies.assessors import AssessorStudy

__all__ = ["assessors"]

MOST_LABEL = 32767  # what a file of judgments can hold
_LABELS, _QUESTION, _RUNS = "Reading labels", "The question", "What it means for runs"


def _whole(text: str, option: str) -> int:
    try:
        number = int(text[:20])
    except ValueError:
        number = MOST_LABEL + 1
    if abs(number) > MOST_LABEL:
        message = f"{option} takes whole numbers from {-MOST_LABEL} to {MOST_LABEL}, not {text!r}"
        raise InvalidOptionError(message)
    return number


def _scale(text: str) -> list[int]:
    return [_whole(part, "--scale") for part in text.split(",")]


def _role(role: str, _name: str) -> None:
    from metaeval.columns import LABELS  # noqa: PLC0415 - only for this option

    if role not in LABELS:
        raise UnknownNameError("role of a column (--column ROLE=NAME)", role, LABELS)


@command("assessors")
def assessors(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="LABELS",
            show_default=False,
            help="One table of labels with a header (topic, item and a column an assessor; or topic, item, assessor, "
            "label), or two or more qrels files, one an assessor, also as NAME=FILE. Compressed or not.",
        ),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            callback=checks.column_names(_role),
            metavar="ROLE=NAME",
            help="Which column is the topic, item, assessor or label, where its name does not say so; may be repeated.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    word: Annotated[
        list[str] | None,
        typer.Option(
            "--word",
            callback=checks.column_names(lambda _word, grade: _whole(grade, "--word")),
            metavar="WORD=GRADE",
            help="Grade of a label written as a word, such as relevant=1; may be repeated.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            callback=checks.column_names(lambda _name, _text: None),
            metavar="COLUMN=TEXT",
            help="Keep only rows with this text in this column; may be repeated.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            callback=checks.read_by(_scale),
            metavar="0,1,2",
            show_default="every label that occurs",
            help="The labels there are.",
            rich_help_panel=_LABELS,
        ),
    ] = None,
    outside: Annotated[
        str,
        typer.Option(
            "--outside",
            callback=checks.one_of("error", "drop"),
            metavar="error|drop",
            help="What to do with labels off the scale; drop lists them.",
            rich_help_panel=_LABELS,
        ),
    ] = "error",
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            callback=checks.column_names(),
            metavar="NAME",
            help="Compare every assessor with this one (say, the human one) instead of all pairs.",
            rich_help_panel=_QUESTION,
        ),
    ] = None,
    rel: Annotated[
        int,
        typer.Option(
            "--rel",
            callback=checks.whole(-MOST_LABEL, MOST_LABEL),
            metavar="LABEL",
            help="Lowest label that is relevant.",
            rich_help_panel=_QUESTION,
        ),
    ] = 1,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            callback=checks.whole(2, 10 * checks.MOST_DRAWS),
            metavar="B",
            help="Resamples of topics behind every interval, and of a resampling test.",
            rich_help_panel=_QUESTION,
        ),
    ] = 1000,
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--runs",
            callback=checks.files_to_read(first=False),
            metavar="RUNS",
            help="TREC runs (file, folder or pattern; may be repeated) to score under each assessor.",
            rich_help_panel=_RUNS,
        ),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            callback=checks.names("names of metrics by comma, such as AP,nDCG@10"),
            metavar="NAME,…",
            help="What to score them by.",
            rich_help_panel=_RUNS,
        ),
    ] = "AP,nDCG@10",
    test: Annotated[
        str,
        typer.Option(
            "--test", callback=checks.pair_tests(), metavar="NAME", help="Test between two runs.", rich_help_panel=_RUNS
        ),
    ] = "t",
    correction: Annotated[
        str,
        typer.Option(
            "--correction",
            callback=checks.corrections(family_wise=True),
            metavar="NAME",
            help="Over all pairs of runs.",
            rich_help_panel=_RUNS,
        ),
    ] = "fdr_by",
    alpha: opt.Alpha = 0.05,
    seed: opt.Seed = 0,
) -> "AssessorStudy":
    """Compare people, or people and machines, who judged the same documents.

    Assessors may be people, crowd workers or automatic judges. Their labels are compared item by item (share of
    equal labels, Cohen's kappa, Krippendorff's alpha) and as sets of relevant items (overlap), with intervals over
    topics. With runs it is asked whether another assessor would have changed what is concluded about them.

    For example:

        metaeval assessors nist.qrels crowd.qrels --runs runs/

        metaeval assessors judgments.csv --reference human --scale 0,1,2,3 --outside drop --out judges
    """
    from metaeval.agreement.labels import as_labels  # noqa: PLC0415 - loads scipy
    from metaeval.io.labels import read_labels  # noqa: PLC0415 - as above
    from metaeval.io.sources import list_sources  # noqa: PLC0415 - as above
    from metaeval.metrics.names import split_names  # noqa: PLC0415 - as above
    from metaeval.studies.assessors import judgments_of_labels, study_assessors  # noqa: PLC0415 - as above

    table = read_labels(
        inputs[0] if len(inputs) == 1 else inputs,
        columns=checks.parse_assignments(column, "--column"),
        words={name: _whole(grade, "--word") for name, grade in checks.parse_assignments(word, "--word").items()},
        where=checks.parse_assignments(where, "--where"),
    )
    loaded.read(*(source.path for source in list_sources(inputs)))
    levels = None if scale is None else _scale(scale)
    labels = as_labels(table, scale=levels, outside=outside)  # type: ignore[arg-type]  # checked inside
    collection = None
    if runs:
        from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads numba
        from metaeval.io.trec import read_collection  # noqa: PLC0415 - loads numba

        collection = read_collection(runs, judgments_of_labels(labels))
        loaded.read(*(source.path for source in run_sources(runs)))
    return study_assessors(
        labels,
        collection=collection,
        metrics=split_names(metrics),
        reference=reference,
        rel=rel,
        test=test,
        correction=correction,
        alpha=alpha,
        n_resamples=resamples,
        rng=seed,
        provenance=loaded.provenance,
    )
