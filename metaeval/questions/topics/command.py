"""`metaeval topics`: how many topics are enough, and how often two sets of topics disagree."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from metaeval.base.checks import MOST_ROUNDS, check_tolerances
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, choice, flag
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import EstimationError, InvalidOptionError

if TYPE_CHECKING:
    from metaeval.questions.topics.study import TopicsStudy

_MOST_TOPICS = 100_000
_DIGITS = 18


def parse_sizes(text: str) -> list[int]:
    """Turn ranges and single sizes into a list.

    Examples
    --------
    >>> parse_sizes("5-8,20"), parse_sizes("10-50:20")
    ([5, 6, 7, 8, 20], [10, 30, 50])
    """
    sizes: list[int] = []
    for field in text.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*(?::\s*([1-9]\d*)\s*)?)?", field)
        if match is None:
            rule = "sizes and ranges by comma, such as 5-25 or 5,10,20 or 5-50:5"
            raise checks.refusal("--topic-sizes", rule, text)
        first, last, step = (None if word is None else int(word[:_DIGITS]) for word in match.groups())
        if max(first or 0, last or 0) > _MOST_TOPICS:
            raise checks.refusal("--topic-sizes", f"sizes up to {_MOST_TOPICS} topics", text)
        sizes += range(first or 0, (last if last is not None else first or 0) + 1, step or 1)
    if not sizes or min(sizes) < 1:
        raise checks.refusal("--topic-sizes", "sizes of at least 1 topic, and ranges that rise", text)
    return sizes


_TOPIC_SIZES = Option(
    "5-25|5,10,20",
    "Topics in each of the two sets: ranges and single sizes by comma; 5-50:5 is every fifth.",
    checks.read_by(parse_sizes),
    shown="5 to half the topics",
    means="sizes",
)
_TOLERANCES = Option(
    "0,0.05,0.1",
    "By how much a system must win on both sets to count: a share of the larger mean, or, with --tolerance-unit "
    "absolute, in the metric's own unit. Recommended: 0.1, since a lead of less than a tenth is rarely a reason to "
    "choose a system. 0, every disagreement, is always included.",
    checks.numbers("0,0.05,0.1", checks.finite_number(least=0)),
    shown="0,0.05,0.1,0.2,0.3; 0 for scores below 0; absolute 0,0.01,0.02,0.05",
)
_SAMPLING = choice(
    "The two sets share no topic (as published), may share some, or are drawn with replacement.",
    *("disjoint", "overlapping", "bootstrap"),
)
_LIMIT = Option(
    "TOPICS",
    "Largest number of topics in the answer as observed; beyond it the answer is '>limit'. The model has no limit.",
    checks.whole_number(most=MOST_ROUNDS),
    shown="twice the largest size",
)
_BIN_WIDTH = Option(
    "STEP", "Width of the bins of differences, in the metric's own unit.", checks.finite_number(above=0), often=False
)
_BAYES = flag("--bayes/--no-bayes", "Fit the Bayesian model that gives intervals for the topic counts.")
_PYMC = flag(
    "--pymc",
    "Sample that model with PyMC, seconds to minutes per metric, as a check of the fast approximation. If the "
    "sampling fails, the approximation is used, the reason is given, and the exit code is 4.",
)
_INTERVAL_RESAMPLES = Option(
    "R",
    "Topic resamples for the intervals of error rates by difference; 0 leaves these out.",
    checks.whole_number(2, zero=True),
    means="n_topic_resamples",
    often=False,
)


@command("topics", reads="scores", draws=True, repeats=True)
def topics_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    topic_sizes: Annotated[str | None, _TOPIC_SIZES] = None,
    trials: Annotated[int, Option("N", "Number of pairs of sets drawn at every size.", checks.whole_number())] = 50,
    tolerances: Annotated[str | None, _TOLERANCES] = None,
    tolerance_unit: Annotated[str, choice("Unit of the tolerances.", "relative", "absolute")] = "relative",
    sampling: Annotated[str, _SAMPLING] = "disjoint",
    max_error: Annotated[float, opt.MAX_ERROR] = 0.05,
    limit: Annotated[int | None, _LIMIT] = None,
    bin_width: Annotated[float, _BIN_WIDTH] = 0.01,
    bayes: Annotated[bool, _BAYES] = True,
    pymc: Annotated[bool, _PYMC] = False,
    interval_resamples: Annotated[int, _INTERVAL_RESAMPLES] = 200,
    posterior: Annotated[bool, opt.POSTERIOR] = False,
    published: Annotated[bool, opt.PUBLISHED] = False,
) -> Answer:
    """Estimate how many topics each metric needs, with intervals.

    Two sets of topics of the same size are drawn many times. If one system wins on the first set and the other on the
    second, the sets disagree about that pair; the share of such pairs is the error rate. It falls as the sets grow, and
    the number of topics needed is the size at which it stays within --max-error. With a tolerance, a system must win by
    that much on both sets to count.

    The answer is the median of a Bayesian model, with its interval. As a check, the report has observed counts, and so
    has the terminal with --no-bayes: >50 is beyond the limit, <5 or ≤5 below or at the smallest size, 33* extrapolated
    beyond the observed sizes (up to half of the topics, since the two sets share none).

    For example:

        metaeval topics ap.csv p10.csv

        metaeval topics scores.csv --tolerances 0,0.1 --max-error 0.1 --out topics-report
    """
    from metaeval.questions.topics.study import study_topics  # noqa: PLC0415 - loads scipy and numba

    wanted = None if topic_sizes is None else parse_sizes(topic_sizes)
    if wanted is not None and limit is not None and limit < max(wanted):
        message = f"--limit {limit} lies below the largest of --topic-sizes, {max(wanted)}; raise it, or leave it out"
        raise InvalidOptionError(message)
    named = checks.parse_numbers(tolerances) if tolerances else []
    asked = tolerances and check_tolerances([0.0, *named], tolerance_unit)
    if pymc and not bayes:
        raise InvalidOptionError("--pymc samples the Bayesian model, which --no-bayes leaves out; drop one of them")
    if posterior and not bayes:
        raise InvalidOptionError(
            "--posterior writes the draws of the Bayesian model, which --no-bayes leaves out; drop one of them"
        )
    study = loaded.ask(
        study_topics,
        loaded.scores(),
        sizes=wanted,
        tolerances=asked or None,
        bayesian=bayes,
        method="pymc" if pymc else "fast",
    )
    if len(named) == 1:
        study = replace(study, first_tolerance=float(named[0]))
    loaded.at_end(lambda: _refuse_sampling(study))
    return study.report(posterior=posterior, published=published)


def _refuse_sampling(study: "TopicsStudy") -> None:
    """End as what cannot be estimated does, after everything else was told, if the model asked for was refused."""
    from metaeval.questions.topics.study import SAMPLED  # noqa: PLC0415 - loads scipy and numba

    refused = [f"{analysis}: {why}" for analysis, why in study.unestimated.items() if analysis.startswith(SAMPLED)]
    if refused:
        raise EstimationError(f"{'; '.join(refused)}. The intervals above were sampled the fast way")
