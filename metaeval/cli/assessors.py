"""`metaeval assessors`: do assessors, or an automatic judge and people, agree, and does it matter for the runs."""

import re
from typing import TYPE_CHECKING, Annotated

from metaeval.checks import MOST_REPLICATES
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice
from metaeval.cli.reading import Loaded
from metaeval.errors import UnknownNameError

if TYPE_CHECKING:
    from metaeval.studies.assessors import AssessorStudy

__all__ = ["assessors"]

MOST_LABEL = 32767  # what a file of judgments can hold
_OF_RUNS = "What it means for runs"


def _whole(text: str, option: str) -> int:
    if re.fullmatch(r"\s*[+-]?\d{1,5}\s*", text) is None or abs(int(text)) > MOST_LABEL:
        raise checks.refusal(option, f"whole numbers from {-MOST_LABEL} to {MOST_LABEL}", text)
    return int(text)


def _scale(text: str) -> list[int]:
    return [_whole(part, "--scale") for part in text.split(",")]


def _role(role: str, _name: str) -> None:
    from metaeval.columns import LABELS  # noqa: PLC0415 - only for this option

    if role not in LABELS:
        raise UnknownNameError("role of a column (--column ROLE=NAME)", role, LABELS)


_INPUTS = argument(
    "LABELS",
    "One table of labels with a header (topic, item and a column an assessor; or topic, item, assessor, "
    "label), or two or more qrels files, one an assessor, also as NAME=FILE. Compressed or not.",
)
_COLUMN = Option(
    "ROLE=NAME",
    "Which column is the topic, item, assessor or label, where its name does not say so; may be repeated.",
    checks.assignments(_role),
    panel="Reading",
    means="columns",
)
_WORD = Option(
    "WORD=GRADE",
    "Grade of a label written as a word, such as relevant=1; may be repeated.",
    checks.assignments(lambda _word, grade: _whole(grade, "--word")),
    panel="Reading",
    means="words",
)
_SCALE = Option(
    "0,1,2", "The labels there are.", checks.read_by(_scale), shown="every label that occurs", panel="Reading"
)
_OUTSIDE = choice("What to do with labels off the scale; drop lists them.", "error", "drop", panel="Reading")
_REFERENCE = Option(
    "NAME", "Compare every assessor with this one (say, the human one) instead of all pairs.", checks.a_name
)
_RESAMPLES = Option(
    "B", "Resamples of topics behind every interval, and of a resampling test.", checks.count(2, 10 * MOST_REPLICATES)
)
_RUNS = Option(
    "RUNS",
    "TREC runs (file, folder or pattern; may be repeated) to score under each assessor.",
    checks.files_to_read(first=False),
    panel=_OF_RUNS,
)
_METRICS = Option("NAME,…", "What to score them by.", checks.names_of_metrics, panel=_OF_RUNS, needs="runs")


@command("assessors")
def assessors(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[list[str], _INPUTS],
    column: Annotated[list[str] | None, _COLUMN] = None,
    word: Annotated[list[str] | None, _WORD] = None,
    where: Annotated[list[str] | None, opt.WHERE] = None,
    scale: Annotated[str | None, _SCALE] = None,
    outside: Annotated[str, _OUTSIDE] = "error",
    reference: Annotated[str | None, _REFERENCE] = None,
    rel: Annotated[int, Option("LABEL", "Lowest label that is relevant.", checks.count(-MOST_LABEL, MOST_LABEL))] = 1,
    resamples: Annotated[int, _RESAMPLES] = 1000,
    runs: Annotated[list[str] | None, _RUNS] = None,
    metrics: Annotated[str, _METRICS] = "AP,nDCG@10",
    test: Annotated[str, opt.TEST.but(panel=_OF_RUNS, needs="runs")] = "t",
    correction: Annotated[str, opt.CORRECTION_OR_OWN.but(panel=_OF_RUNS, needs="runs")] = "fdr_by",
    alpha: Annotated[float, opt.ALPHA.but(needs="runs")] = 0.05,
    seed: Annotated[int, opt.SEED] = 0,
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
