# ruff: noqa: RUF001, RUF002 - Greek letters are meant for people
"""What several reports share: facts, unanswered questions, and the sentences of methods with what they cite."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from metaeval.base.bibliography import cited
from metaeval.base.names import count
from metaeval.base.provenance import Provenance
from metaeval.base.unit import unit
from metaeval.page.blocks import Item, Items, Section, Text
from metaeval.table.scores import Scores
from metaeval.table.units import units_of
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.result import PairwiseResult

if TYPE_CHECKING:
    from metaeval.resampling.power_interval import PowerIntervals

_PLURALS = {"pair": "pairs of systems"}
_SIDES = {"two-sided": "two-sided", "better": "one-sided in the direction of the better mean"}


def facts(**counts: int) -> tuple[tuple[str, str], ...]:
    """Return numbers with what they count, for the head of a report.

    Examples
    --------
    >>> facts(metric=3, topic=1, pair=276)
    (('3', 'metrics'), ('1', 'topic'), ('276', 'pairs of systems'))
    """
    named = [(_called(kind), number) for kind, number in counts.items()]
    return tuple((f"{number:,}", kind if number == 1 else _PLURALS.get(kind, f"{kind}s")) for kind, number in named)


def drawn_for_p(result: PairwiseResult) -> int | None:
    """Return how many draws a p-value was counted among; None where the test has a formula or counted all there are."""
    return None if result.details.get("method") == "exact" else result.n_resamples


def groups_of_topics(scores: Scores) -> dict[str, int]:
    """Return the number of clusters or strata that topics come in, by what they are; nothing where they do not.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> groups_of_topics(as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"}))
    {'cluster': 2}
    """
    units = units_of(scores)
    if not (units.clustered or units.stratified):
        return {}
    return {"cluster" if units.clustered else "fixed cluster": len(units.names)}


def in_groups(scores: Scores) -> str:
    """Return the same in words, behind a number of topics.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> in_groups(as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"}))
    ' in 2 clusters'
    """
    return "".join(f" in {count(number, _called(kind))}" for kind, number in groups_of_topics(scores).items())


def labelled_heads() -> str:
    """Return the head of a column of numbers of what is labelled."""
    return f"{unit().labelled.capitalize()}s"


def _called(what: str) -> str:
    """Return what the report calls topics, clusters and what is labelled."""
    spoken = unit()
    return {"topic": spoken.topic, "item": spoken.labelled}.get(what, what.replace("cluster", spoken.cluster))


def unanswered(reasons: Iterable[tuple[str, str]]) -> tuple[Section, ...]:
    """Return the section on the questions that had no answer, each with its reason; none where all had one."""
    of_reason: dict[str, list[str]] = {}
    for question, reason in reasons:
        of_reason.setdefault(reason, []).append(question)
    if not of_reason:
        return ()
    merged = tuple(Item(term="; ".join(filter(None, terms)), words=reason) for reason, terms in of_reason.items())
    return (
        Section(
            id="unanswered",
            title="Unanswered questions",
            lead="These parts have no answer from these data, each for the reason given.",
            brief=True,
            blocks=(Text(paragraphs=("Not answered, with the reason:",)), Items(items=merged)),
        ),
    )


def described_by(procedure: str) -> str:
    """Return how a sentence describes a test or correction, with what it cites; one from elsewhere by its own name.

    Examples
    --------
    >>> described_by("sign"), described_by("bonferroni"), described_by("mine")
    ('the sign test (Conover, 1999)', 'the Bonferroni correction (Dunn, 1961)', 'mine')
    """
    if procedure == FAMILY_WISE:
        return "the test's own family-wise p-values"
    row = TESTS.get(procedure) or CORRECTIONS.get(procedure)
    return row.description + cited(row.cite) if row else procedure


def with_draws(result: PairwiseResult) -> str:
    """Describe the test of a comparison, with its B and seed if it draws."""
    words = result.procedure.description + cited(result.procedure.cite)
    if result.n_resamples:
        words += f", B = {result.n_resamples:,} resamples shared by all pairs and metrics"
        words += f", {result.random_source}" if result.random_source else ""
    return words


def side_words(alternative: str) -> str:
    """Return which alternative was tested, in words.

    Examples
    --------
    >>> side_words("better"), side_words("less")
    ('one-sided in the direction of the better mean', 'one-sided (less)')
    """
    return _SIDES.get(alternative, f"one-sided ({alternative})")


def decided_by(test: str, correction: str, alpha: float) -> str:
    """Return what decided which pairs differ significantly, in a few words.

    Examples
    --------
    >>> decided_by("t", "holm", 0.05)
    'paired t, Holm, α = 0.05, two-sided'
    """
    return f"{TESTS.words(test)}, {CORRECTIONS.words(correction)}, α = {alpha:g}, two-sided"


def resampled_on(intervals: "PowerIntervals") -> str:
    """Say on how many resamples of the topics, and by what, the powers behind intervals were taken."""
    words = f"{intervals.n_topic_resamples} resamples of the {unit().topics}, the same for every metric"
    return f"{words} (with the t test, whose power varies alike)" if intervals.test != "t" else words


def computed_with(provenance: Provenance, *details: str) -> str:
    """Return the sentence that names the software."""
    version = provenance.versions.get("metaeval", "")
    around = f" ({', '.join(details)})" if details else ""
    return f"{f'Computed with metaeval {version}'.rstrip()}{around}."
