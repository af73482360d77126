"""Every use of the grades of judgments that metrics know: what an audit of the grades compares."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from metaeval.base import metric_names
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.inex.elements import ElementCollection
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.questions.agree.study_element_uses import BINARY, FIXED, LINEAR, MERGED, OTHER, Use, element_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Result):
    """One metric under one use of the grades."""

    metric: str
    """Canonical name, as in the scores."""
    base: str
    """The metric as the user named it."""
    kind: str
    """"linear", "binary", "other gains", "grades merged" or "as it is"; of elements "generalised" in the place of
    "linear", and "specificity alone"."""
    words: str
    """The use of the grades in a few words: "linear", "binary ≥ 2", "gains {1:1, 2:5}", "BinExh without ?"."""
    boundary: str | None = None
    """What is taken away, where the use is the reference without one difference: "1 and 2", "exhaustivity 1 and 2"."""
    meaning: str = ""
    """What its quantisation is, in a sentence; "" where it has none."""


def audit_variants(
    collection: JudgedCollection,
    metrics: str | Iterable[str],
    *,
    gains: str | Iterable[str] = (),
    registry: Registry | None = None,
) -> tuple[Variant, ...]:
    """Return every use of the grades that the metrics know.

    Examples
    --------
    >>> from metaeval.inex.elements import element_collection
    >>> from metaeval.inex.simulation import simulate_inex
    >>> made = simulate_inex(year=2004, n_systems=2, n_topics=2, n_documents=80, n_results=40, published=False, rng=1)
    >>> collection = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    >>> variants = audit_variants(collection, "inex2002")
    >>> [variant.metric for variant in variants[:3]]
    ['inex2002(quant=Gen4)', 'inex2002(quant=SOG)', 'inex2002(quant=AnyRel)']
    """
    return audited(collection, metrics, gains=gains, registry=registry)[0]


def audited(
    collection: JudgedCollection,
    metrics: str | Iterable[str],
    *,
    gains: str | Iterable[str] = (),
    registry: Registry | None = None,
) -> tuple[tuple[Variant, ...], tuple[str, ...]]:
    """Return the variants of `audit_variants`, and what to say of uses that are left out."""
    metric_registry = default_registry() if registry is None else registry
    if isinstance(collection, Collection):
        grades = _grades_of(collection)
    elif not isinstance(collection, ElementCollection):
        raise InvalidOptionError(
            "these judgments are highlighted passages, which have no grades, so there is nothing to audit; compare "
            "metrics instead, with metaeval agree --metrics AiP,iP[0.01] or study_agree"
        )
    names = metric_names.split_names(metrics) if isinstance(metrics, str) else list(metrics)
    extra = [_gains_value(text) for text in (metric_names.split_names(gains) if isinstance(gains, str) else gains)]
    by_name: dict[str, Variant] = {}
    notes: list[str] = []
    for name in names:
        if isinstance(collection, Collection):
            variants = _variants_of(metric_registry, name, grades, extra)
        else:
            variants, use_notes = _variants_of_elements(metric_registry, name, collection, extra)
            notes += use_notes
        for variant in variants:
            by_name.setdefault(variant.metric, variant)
    if not by_name:
        if notes:
            raise InvalidOptionError(f"every use of the grades is left out: {first_few(notes)}")
        raise InvalidOptionError("name at least one metric to audit, such as AP,nDCG@10")
    if all(variant.kind == FIXED for variant in by_name.values()):
        examples = "nDCG@10 or AP" if isinstance(collection, Collection) else "MAep or nxCG@10"
        raise InvalidOptionError(
            f"{', '.join(by_name)}: each uses the grades in one way only as named, so there is nothing to audit; add a "
            f"metric with gains or a threshold that is left open, such as {examples}, or compare the metrics as they "
            "are, with metaeval agree --metrics or study_agree"
        )
    if extra and isinstance(collection, Collection) and not any(use.kind == OTHER for use in by_name.values()):
        message = (
            f"`gains` has nothing to act on: {first_few(names)} has no gains, or has them fixed by its name; add a "
            "metric with gains that are left open, such as nDCG@10, or leave `gains` out"
        )
        raise InvalidOptionError(message)
    return tuple(by_name.values()), tuple(dict.fromkeys(notes))


def _grades_of(collection: Collection) -> list[int]:
    if collection.grades is not None:
        raise InvalidOptionError(
            f"an audit asks what every boundary between grades is worth, and these judgments have "
            f"{len(collection.grades) - 1} grades that are not whole; turn them into levels first "
            "(Collection.at_thresholds)"
        )
    grades = np.unique(collection.full_levels)
    levels: list[int] = grades[grades > 0].astype(int).tolist()
    if len(levels) < 2:  # noqa: PLR2004 - one grade leaves nothing to ask
        raise InvalidOptionError(
            f"the judgments have {len(levels) or 'no'} grade above 0, so there is nothing to audit"
        )
    return levels


def _as_it_is(metric: str) -> list[Variant]:
    return [Variant(metric=metric, base=metric, kind=FIXED, words="as it is")]


def _variants_of_elements(
    registry: Registry, name: str, collection: ElementCollection, extra: Sequence[metric_names.Value]
) -> tuple[list[Variant], list[str]]:
    resolved = registry.resolve(name)
    named_keys = {key for parsed in metric_names.translations(str(name)) for key, _ in parsed.arguments}
    if not isinstance(resolved, Metric) or resolved.spec.gains_word != "quant" or "quant" in named_keys:
        return _as_it_is(resolved.name), []
    parsed = metric_names.parse_name(resolved.name)
    base = metric_names.ParsedName(
        parsed.word, tuple(pair for pair in parsed.arguments if pair[0] != "quant"), parsed.cutoff
    )

    def under(quant: metric_names.Call) -> Metric:
        named = metric_names.ParsedName(base.word, (*base.arguments, ("quant", quant)), base.cutoff)
        return cast("Metric", registry.resolve(str(named)))  # as the one it is a variant of

    calls = [value for value in extra if isinstance(value, metric_names.Call)]
    if len(calls) < len(extra):
        message = "tables of gains are for documents; for elements `gains` takes quantisations: BinExh(min_size=100)"
        raise InvalidOptionError(message)
    uses, notes = element_uses(collection, under, registry, calls)
    return [_variant(registry, base, "quant", use) for use in uses], notes


def _variants_of(
    registry: Registry, name: str, grades: list[int], extra: Sequence[metric_names.Value]
) -> list[Variant]:
    resolved = registry.resolve(name)
    if not isinstance(resolved, Metric):
        return _as_it_is(resolved.name)
    base = metric_names.parse_name(resolved.name)
    named_keys = {key for key, _ in base.arguments}
    if named_keys & {"rel", "gains", "quant"} or resolved.spec.on != "documents":
        return _as_it_is(resolved.name)
    if resolved.spec.graded:
        return [_variant(registry, base, "gains", use) for use in _uses_of_gains(grades, extra)]
    if "rel" in resolved.spec.parameters:
        return [_variant(registry, base, "rel", Use(BINARY, level, f"binary ≥ {level}")) for level in grades]
    return _as_it_is(resolved.name)


def _uses_of_gains(grades: list[int], extra: Sequence[metric_names.Value]) -> list[Use]:
    two = len(grades) == 2  # noqa: PLR2004 - then blind to one boundary is binary at the other
    between = {level: f"{below} and {level}" for below, level in zip([0, *grades], grades, strict=False)}
    blind = dict(zip(grades, reversed(between.values()), strict=True)) if two else {}
    uses = [Use(LINEAR, metric_names.Call("linear"), "linear")]
    uses += [
        Use(BINARY, metric_names.Call("binary", (("rel", threshold),)), f"binary ≥ {threshold}", blind.get(threshold))
        for threshold in grades
    ]
    uses.append(Use(OTHER, metric_names.Call("exponential"), "exponential"))
    uses += [Use(OTHER, value, f"gains {value}") for value in extra]
    for below, level in zip([0, *grades], grades if not two else (), strict=False):
        gain = 0.0 if below == 0 else (below + level) / 2
        merged = {grade: gain if grade in (below, level) else float(grade) for grade in grades}
        table = metric_names.GainTable(tuple(sorted(merged.items())))
        uses.append(Use(MERGED, table, f"blind to {between[level]}", between[level]))
    return uses


def _variant(registry: Registry, base: metric_names.ParsedName, key: str, use: Use) -> Variant:
    named = metric_names.ParsedName(base.word, (*base.arguments, (key, use.value)), base.cutoff, base.judged_only)
    metric = registry.resolve(str(named))
    quantisation = metric.quantisation if isinstance(metric, Metric) else None
    return Variant(
        metric=metric.name,
        base=str(base),
        kind=use.kind,
        words=use.words,
        boundary=use.boundary,
        meaning=quantisation.summary if quantisation is not None else "",
    )


def _gains_value(text: str) -> metric_names.Value:
    message = (
        "`gains` takes tables of grades in braces, such as {1:1,2:5} (in quotes on a command line), or names of "
        f"quantisations, such as exponential or, for elements, BinExh(min_size=100), not {text!r}"
    )
    try:
        value = metric_names.parse_name(f"gains(gains={text})").arguments[0][1]
    except metric_names.MetricNameError as error:
        raise InvalidOptionError(message) from error
    if not isinstance(value, metric_names.Call | metric_names.GainTable):
        raise InvalidOptionError(message)
    return value
