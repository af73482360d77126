"""`metaeval judges`: do assessors, or an automatic judge and people, agree, and does it matter for the runs."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from metaeval.checks import MOST_REPLICATES
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from metaeval.agreement.labels import Labels
    from metaeval.collection.base import JudgedCollection
    from metaeval.collection.documents import Collection
    from metaeval.collection.inex import Assessments
    from metaeval.studies.judges import JudgeStudy

__all__ = ["judges"]

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
    "label), or two or more qrels files, one an assessor, also as NAME=FILE. Compressed or not. Or INEX assessments of "
    "elements or passages, a file or a folder an assessor; a single folder holds a second one in its others/.",
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
    "Runs (TREC, or INEX submissions; file, folder or pattern; may be repeated) to score under each assessor.",
    checks.files_to_read(first=False),
    panel=_OF_RUNS,
)
_METRICS = Option(
    "NAME,…",
    "What to score them by.",
    checks.names_of_metrics,
    shown="AP,nDCG@10; for INEX files those of their kind",
    panel=_OF_RUNS,
    needs="runs",
)


@command("judges")
def judges(  # noqa: PLR0913 - the options of the command
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
    metrics: Annotated[str | None, _METRICS] = None,
    test: Annotated[str, opt.TEST.but(panel=_OF_RUNS, needs="runs")] = "t",
    correction: Annotated[str, opt.CORRECTION_OR_OWN.but(panel=_OF_RUNS, needs="runs")] = "fdr_by",
    alpha: Annotated[float, opt.ALPHA.but(needs="runs")] = 0.05,
    element_sizes: Annotated[Path | None, opt.ELEMENT_SIZES.but(panel=_OF_RUNS, needs="runs")] = None,
    lenient: Annotated[bool, opt.LENIENT] = False,
    seed: Annotated[int, opt.SEED] = 0,
) -> "JudgeStudy":
    """Say whether a judge, person or machine, may decide between systems.

    Assessors may be people, crowd workers or automatic judges. Their labels are compared item by item (share of
    equal labels, Cohen's kappa, Krippendorff's alpha) and as sets of relevant items (overlap), with intervals over
    topics. With runs it is asked whether another assessor would have changed what is concluded about them. INEX
    assessments are compared as documents, as elements and as text.

    For example:

        metaeval judges nist.qrels crowd.qrels --runs runs/

        metaeval judges judgments.csv --reference human --scale 0,1,2,3 --outside drop --out judges

        metaeval judges assessments/ second/ --runs submissions/ --metrics "MAep,nxCG@10"
    """
    from metaeval.agreement.labels import as_labels  # noqa: PLC0415 - loads scipy
    from metaeval.io.assessors import read_assessors  # noqa: PLC0415 - loads pandas
    from metaeval.metrics.names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.studies.judges import study_judges  # noqa: PLC0415 - as above

    read = read_assessors(
        inputs,
        columns=checks.parse_assignments(column, "--column"),
        words={name: _whole(grade, "--word") for name, grade in checks.parse_assignments(word, "--word").items()},
        where=checks.parse_assignments(where, "--where"),
        lenient=lenient,
    )
    loaded.read(*read.files)
    labels: Labels | dict[str, Assessments]
    collection: Collection | dict[str, JudgedCollection] | None
    if read.labels is None:
        _check_kind(read.files[0], parts=True, scale=scale is not None, outside=outside != "error", rel=rel != 1)
        labels = read.assessments
        collection = _beside_each(loaded, read.assessments, runs, element_sizes, lenient=lenient) if runs else None
    else:
        _check_kind(read.files[0], parts=False, element_sizes=element_sizes is not None, lenient=lenient)
        levels = None if scale is None else _scale(scale)
        labels = as_labels(read.labels, scale=levels, outside=outside)  # type: ignore[arg-type]  # checked inside
        collection = _beside_labels(loaded, labels, runs) if runs else None
    return study_judges(
        labels,
        collection=collection,
        metrics=None if metrics is None else split_names(metrics),
        reference=reference,
        rel=rel,
        test=test,
        correction=correction,
        alpha=alpha,
        n_resamples=resamples,
        rng=seed,
        provenance=loaded.provenance,
    )


def _check_kind(file: str, *, parts: bool, **given: bool) -> None:
    """Refuse options about the other kind of judgments."""
    for name, one in given.items():
        if one:
            option = f"--{name.replace('_', '-')}"
            kind = (
                "holds INEX assessments, and {} is about labels"
                if parts
                else "holds labels, and {} is about INEX files"
            )
            message = f"{file} {kind.format(option)}; leave {option} out"
            raise InvalidOptionError(message)


def _beside_labels(loaded: Loaded, labels: "Labels", runs: list[str]) -> "Collection":
    from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads numba
    from metaeval.io.trec import read_collection  # noqa: PLC0415 - as above
    from metaeval.studies.scores_under_judges import judgments_of_labels  # noqa: PLC0415 - as above

    collection = read_collection(runs, judgments_of_labels(labels))
    loaded.read(*(source.path for source in run_sources(runs)))
    return collection


def _beside_each(
    loaded: Loaded, assessments: "dict[str, Assessments]", runs: list[str], sizes: Path | None, *, lenient: bool
) -> "dict[str, JudgedCollection]":
    from metaeval.io.inex import read_element_sizes, submissions_from  # noqa: PLC0415 - loads pandas
    from metaeval.io.judged import inex_collection  # noqa: PLC0415 - loads numba
    from metaeval.io.sources import run_sources  # noqa: PLC0415 - as above

    sources = run_sources(runs)
    submissions = submissions_from(sources, lenient=lenient)
    table = None if sizes is None else read_element_sizes(sizes, lenient=lenient)
    loaded.read(*(source.path for source in sources), *([] if sizes is None else [sizes]))
    return {name: inex_collection(submissions, one, sizes=table, lenient=lenient) for name, one in assessments.items()}
