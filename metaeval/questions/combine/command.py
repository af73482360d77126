"""`metaeval combine`: does a claim hold on several collections, and on a new one."""

from typing import TYPE_CHECKING, Annotated

from metaeval.cli import options as opt
from metaeval.cli.checks import a_name, names, read_by, refusal, whole_number
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, flag
from metaeval.cli.reading import Answer, Loaded

if TYPE_CHECKING:
    from metaeval.agreement.labels import Labels


def _pair(text: str) -> tuple[str, str]:
    first, _, second = (name.strip() for name in text.partition(","))
    if not first or not second or "," in second or first == second:
        raise refusal("--pair", "two systems with a comma between them, such as bm25,lm", text)
    return first, second


_STUDY = choice(
    "power: finds a metric more significant pairs? agree: do metrics find the same pairs? topics: needs a metric fewer "
    "topics? table: is a system better? judges: does a judge agree with another?",
    *("power", "agree", "topics", "table", "judges"),
    shown="power of two metrics or more, table of one",
)
_METRICS = Option(
    "NAME,…",
    "Metrics to compare, or under which systems are.",
    names("metrics by comma"),
    shown="all that two collections share",
)
_PAIR = Option(
    "A,B",
    "Two systems to compare by --study table; may be repeated.",
    read_by(lambda texts: [_pair(text) for text in texts]),
    shown="all that two collections share",
    means="pairs",
)
_REFERENCE = Option("NAME", "The judge with whom the others are compared by --study judges.", a_name, shown="all pairs")
_CORRECTION = opt.CORRECTION.but(
    words="Correction of decisions about pairs of systems.", shown="none for power, fdr_by for agree"
)
_BAYESIAN = flag("--bayesian", "Take a prior for how far collections differ: for four collections or fewer.")
_RESAMPLES = Option("N", "Resamples of the topics.", whole_number(2), means="n_topic_resamples", often=False)


@command("combine", reads="collections", draws=True)
def combine_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    study: Annotated[str | None, _STUDY] = None,
    metrics: Annotated[str | None, _METRICS] = None,
    pair: Annotated[list[str] | None, _PAIR] = None,
    reference: Annotated[str | None, _REFERENCE] = None,
    correction: Annotated[str | None, _CORRECTION] = None,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    bayesian: Annotated[bool, _BAYESIAN] = False,
    interval_resamples: Annotated[int, _RESAMPLES] = 200,
) -> Answer:
    """Say whether a claim holds on several collections together, and on a new one.

    Each collection gives an estimate with its variance, by the study named. Together: the mean with its interval, how
    far collections differ, and what to expect of a new collection.

    For example:

        metaeval combine year1.csv year2.csv year3.csv

        metaeval combine trec7='trec7_*.csv' trec8='trec8_*.csv' web='web_*.csv' --study topics

        metaeval combine a.csv b.csv c.csv --study table --pair new,old --bayesian
    """
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.questions.combine.study import study_collections  # noqa: PLC0415 - loads scipy

    return loaded.ask(
        study_collections,
        _labels(loaded, real=reference is not None)
        if study == "judges" or (study is None and reference)
        else loaded.boards(),
        metrics=None if metrics is None else list(map(str, split_names(metrics))),
        pairs=None if pair is None else [_pair(text) for text in pair],
    )


def _labels(loaded: Loaded, *, real: bool) -> "dict[str, Labels]":
    """Read the labels of each collection."""
    from metaeval.agreement.labels import as_labels  # noqa: PLC0415 - loads scipy
    from metaeval.io.labels import read_labels  # noqa: PLC0415 - loads pandas

    labels = {}
    for name, files in loaded.by_name().items():
        labels[name] = as_labels(read_labels(files), real=real)
        loaded.read(*files)
    return labels
