"""Trying a metric on the laws: for a test, which raises, and for a look, which says what holds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from unittest import SkipTest

import numpy as np
import pandas as pd

from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.metric_names import Call
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Scale
from metaeval.metrics.bounds import MetricError, bounds_text
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import metric_values
from metaeval.metrics.spec import MetricSpec
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.parallel import limit_threads, reporting, track
from metaeval.testing.expected import BROKEN, UNNOTICED, expectations_tried
from metaeval.testing.laws import LAWS, RAISED, Law, broken_name, how_broken
from metaeval.testing.properties import PROPERTIES, time_seen
from metaeval.testing.simulated import collections_for, levels_for, simulated_collections
from metaeval.testing.smallest import smallest

_FEWER = 4
"""Of the simulated collections, one in so many is tried again with other gains and on condensed lists."""
_COLUMNS = ("metric", "kind", "name", "state", "found", "better", "worse")
_NONE = (np.nan, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricExamination(Result):
    """Laws that a metric obeys, expectations of users that it meets, and its properties."""

    metric: str
    """Its name, parameters included."""
    n_collections: int
    """Simulated collections that every law was tried on, beside the edge cases."""
    random_source: str
    """Where these came from."""
    data: pd.DataFrame = field(repr=False)
    """See `to_frame`."""

    @property
    def broken(self) -> tuple[str, ...]:
        """The laws that it breaks."""
        return self._named("law", "broken")

    @property
    def unmet(self) -> tuple[str, ...]:
        """The expectations of users that it does not meet: it prefers the worse list, or does not notice it."""
        return self._named("expectation", BROKEN, UNNOTICED)

    def _named(self, kind: str, *states: str) -> tuple[str, ...]:
        return tuple(self.data.loc[(self.data["kind"] == kind) & self.data["state"].isin(states), "name"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row for everything that is declared, for every law, expectation and property.

        Returns
        -------
        DataFrame
            ``metric``; ``kind``: "declared", "law" (a metric that breaks it gives wrong numbers), "expectation" (of
            users: which of two lists is better) or "property"; ``name``; ``state`` of a law: "holds", "broken", "not
            declared" or "not tried" (no score could be computed, or ``found`` says why), of an expectation "met", "not
            noticed" (both lists score alike), "broken" (the worse list scores more) or "not tried", and "" of others;
            ``found``: what is declared, the smallest input on which a law is broken, or what was seen; ``better`` and
            ``worse``: of an expectation the mean scores of the two lists.
        """
        return self.data.copy()

    def _found(self) -> str:
        count = int((self.data["state"] == "holds").sum())
        words = (
            f"{self.metric}: {count} {'law holds' if count == 1 else 'laws hold'}, {len(self.broken) or 'none'} broken"
        )
        return f"{words}{': ' * bool(self.broken)}{'; '.join(self.broken)}"


def check_metric(
    metric: str | MetricSpec | Metric,
    *,
    registry: Registry | None = None,
    n_collections: int = 20,
    scale: Scale | None = None,
    rng: RNGLike = 0,
) -> None:
    """Check that a metric obeys the laws and its declarations; raise an error otherwise.

    Parameters
    ----------
    metric : str, MetricSpec or Metric
        A metric with required parameters is named with them: ``"P@10"``.
    registry : Registry, optional
        Where a name is looked up; the default one otherwise.
    n_collections : int, default 20
        How many collections are simulated, beside the edge cases.
    scale : {"2005", "2003", "2002"}, optional
        Scale of the simulated assessments, for a metric of elements; by default the first that it can be computed on.
    rng : int or numpy.random.Generator, default 0
        Where they come from.

    Raises
    ------
    AssertionError
        Saying which law failed, and on what.

    See Also
    --------
    metaeval.testing.examine_metric : What holds, law by law.

    Notes
    -----
    The laws: scores are finite and within the bounds, whatever the lists hold; the same input gives the same scores
    and is left as it was; the order of runs and topics makes no difference, nor do other runs and topics, nor what
    runs, topics and documents are called; a topic with nothing relevant has the declared value; with a cut-off k,
    documents below it make no difference; the condensed-list variant equals the metric on lists from which the
    unjudged documents were removed; an ideal ranking has the declared value; exchanging a document with a worse one
    further down does not improve the score, where that is declared; function and kernel agree, where both are given;
    the name reads back as the same metric. Bounds, nothing relevant, cut-off, ideal, order, and function and kernel
    are tried with strict and exponential gains and on condensed lists too, where the metric takes them and its name
    leaves them open. Of a metric of elements or passages those are checked that do not speak of documents.

    Examples
    --------
    >>> check_metric("nDCG@10", n_collections=2)
    """
    resolved, full_registry = _resolved(metric, registry)
    tried = _laws_tried(resolved, full_registry, n_collections=n_collections, scale=scale, rng=rng)
    for law, state, finding in tried:
        _demand(resolved, law, state, finding)


def _demand(metric: Metric, law: Law, state: str, finding: str) -> None:
    __tracebackhide__ = True
    if state == "broken":
        raise AssertionError(f"{metric.name}: {finding} (law: {law.words})")


def laws_of(
    metric: str | MetricSpec | Metric, *, registry: Registry | None = None, n_collections: int = 20
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the laws that `check_metric` asks of a metric: what to call each, and what raises if it is broken.

    Examples
    --------
    >>> [(name, check())[0] for name, check in laws_of("RR", n_collections=1)][:1]
    ['RR: Every score is a finite number within the bounds']
    """
    resolved, full_registry = _resolved(metric, registry)
    for law in LAWS:
        if law.declared(resolved) and (resolved.on == "documents" or not law.on_documents_only):
            yield f"{resolved.name}: {law.words}", _check_of(law, resolved, full_registry, n_collections)


def _check_of(law: Law, metric: Metric, registry: Registry, n_collections: int) -> Callable[[], None]:
    def check() -> None:
        __tracebackhide__ = True
        asked = list(dict.fromkeys([LAWS[0], law]))  # without scores no other law can be tried
        tried = _laws_tried(metric, registry, n_collections=n_collections, scale=None, rng=0, asked=asked)
        *_, (_, state, finding) = tried
        if state == "not tried":
            raise SkipTest(finding or "no score could be computed: see the first law")
        _demand(metric, law, state, finding)

    return check


def examine_metric(  # noqa: PLR0913 - one keyword per choice
    metric: str | MetricSpec | Metric,
    *,
    registry: Registry | None = None,
    n_collections: int = 20,
    scale: Scale | None = None,
    timed: bool = False,
    rng: RNGLike = 0,
) -> MetricExamination:
    """Test a metric with every law and with what users expect, and describe its properties.

    Parameters
    ----------
    metric, registry, n_collections, scale, rng
        As `check_metric` takes them.
    timed : bool
        Say too how long it takes, beside nDCG@10, for a metric of documents; this differs from one call to the next.

    See Also
    --------
    metaeval.testing.check_metric : Raises where a law is broken.

    Examples
    --------
    >>> found = examine_metric("P@5", n_collections=2)
    >>> found.broken
    ()
    >>> sorted(found.to_frame().groupby("kind")["name"].count().items())
    [('declared', 6), ('expectation', 3), ('law', 12), ('property', 9)]
    """
    resolved, full_registry = _resolved(metric, registry)
    seed = resolve_seed(rng)
    rows = [("declared", name, "", finding, *_NONE) for name, finding in _declared(resolved.spec).items()]
    rows += [
        ("law", law.words, state, finding, *_NONE)
        for law, state, finding in _laws_tried(
            resolved, full_registry, n_collections=n_collections, scale=scale, rng=seed
        )
    ]
    sound = all(state != "broken" for _, _, state, *_ in rows)
    if sound:
        tried = expectations_tried(resolved, full_registry)
        rows += [
            ("expectation", outcome.expected, outcome.state, outcome.found, outcome.better, outcome.worse)
            for outcome in tried
        ]
    if resolved.on == "documents" and sound:
        with limit_threads(1), reporting(None):
            generator = np.random.default_rng(seed)
            collections = list(simulated_collections(generator, n_collections, levels=levels_for(resolved)))
            rows += [("property", words, "", say(resolved, collections), *_NONE) for words, say in PROPERTIES.items()]
            rows += [("property", "Time", "", time_seen(resolved), *_NONE)] if timed else []
    return MetricExamination(
        metric=resolved.name,
        n_collections=n_collections,
        random_source=f"seed {seed}",
        data=pd.DataFrame([(resolved.name, *row) for row in rows], columns=list(_COLUMNS)),
    )


def _declared(spec: MetricSpec) -> dict[str, str]:
    nothing = spec.without_relevant
    return {
        "How to write it": spec.usage,
        "What it is": spec.summary,
        "Values": bounds_text(spec.bounds),
        "Better": "higher" if spec.higher_is_better else "lower",
        "Nothing relevant": "makes no difference" if nothing is None else f"{nothing:g}",
        "Described in": PUBLICATIONS[spec.cite].cited if spec.cite in PUBLICATIONS else spec.cite,
    }


def _resolved(metric: str | MetricSpec | Metric, registry: Registry | None) -> tuple[Metric, Registry]:
    full_registry = default_registry() if registry is None else registry
    if isinstance(metric, MetricSpec) and metric.name not in full_registry:
        full_registry = full_registry.extend(metric)
    resolved = full_registry.resolve(metric)
    if not isinstance(resolved, Metric):
        raise InvalidOptionError(f"check_metric needs a metric of our own, not {resolved!r}")
    if resolved.spec.subtopics:
        message = (
            f"{resolved.name} needs judgments by subtopic, and the collections that metrics are tried on have none"
        )
        raise InvalidOptionError(message)
    return resolved, full_registry


def _laws_tried(  # noqa: PLR0913 - what `check_metric` may be told
    metric: Metric,
    registry: Registry,
    *,
    n_collections: int,
    scale: Scale | None,
    rng: RNGLike,
    asked: Sequence[Law] = LAWS,
) -> Iterator[tuple[Law, str, str]]:
    """Yield every law with its state, and how it is broken."""
    seed = resolve_seed(rng)
    laws = [law for law in asked if metric.on == "documents" or not law.on_documents_only]
    uses = [metric, *other_uses(metric, registry)]
    computes = True
    for law in track(laws, description=f"trying the laws on {metric.name}"):
        if not law.declared(metric):
            yield law, "not declared", ""
        elif law.check is None:
            broken = broken_name(metric, registry)
            yield law, "broken" if broken else "holds", broken
        elif not computes or law.beyond(metric):
            yield law, "not tried", law.beyond(metric)
        else:
            with limit_threads(1), reporting(None):  # waking other cores costs more than such small collections
                use, broken = _first_use(law, uses, seed, n_collections, scale)
            if broken and (law is laws[0] or broken.startswith(RAISED)):
                uses.remove(use)
            computes = metric in uses
            prefix = "" if use == metric or broken.startswith(use.name) else f"{use.name}: "
            yield law, "broken" if broken else "holds", prefix + broken


def _first_use(
    law: Law, uses: Sequence[Metric], seed: int, n_collections: int, scale: Scale | None
) -> tuple[Metric, str]:
    """Return the first use under which a law is broken, and how; the metric itself is the first of them."""
    for use in uses if law.every_use else uses[:1]:
        n = n_collections if use is uses[0] else max(n_collections // _FEWER, 1)
        if broken := _first_broken(law, use, seed, n, scale):
            return use, broken
    return uses[0], ""


def _first_broken(law: Law, metric: Metric, seed: int, n_collections: int, scale: Scale | None) -> str:
    for collection, rankings, qrels in collections_for(metric, seed, n_collections, scale):
        if broken := how_broken(law, metric, collection, rankings, qrels):
            return smallest(law, metric, rankings, qrels, broken) if rankings else broken
    return ""


def other_uses(metric: Metric, registry: Registry) -> Iterator[Metric]:
    """Yield the metric under strict and exponential gains, and on condensed lists, as far as its name allows them.

    A use that the metric itself refuses with an `InvalidOptionError` is none.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> [one.name for one in other_uses(BUILTIN.resolve("Q"), BUILTIN)]
    ['Q(gains=binary(rel=3))', 'Q(gains=exponential)', 'Q(judged_only=True)']
    """
    values, quantisations = dict(metric.parameters), registry.quantisations
    uses: list[Metric] = []
    if metric.spec.gains_word == "gains" and "gains" not in metric.given:
        strict = Call("binary", (("rel", levels_for(metric)[-1]),))
        for gains in (strict, Call("exponential")):
            if gains.word in quantisations:
                parameters = tuple(sorted({**values, "gains": gains}.items()))
                uses.append(replace(metric, parameters=parameters, quantisation=quantisations[gains.word]))
    if metric.spec.judged_only and not values["judged_only"]:
        uses.append(replace(metric, parameters=tuple(sorted({**values, "judged_only": True}.items()))))
    return (use for use in uses if not _is_refused(use))


def _is_refused(metric: Metric) -> bool:
    collection, *_ = next(iter(collections_for(metric, 0, 1, None)))
    try:
        metric_values(collection, [metric])
    except MetricError:
        return False
    except InvalidOptionError:
        return True
    return False
