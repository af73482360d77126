"""Every use of the grades of judgments that metrics know: what an audit of the grades compares."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.names import Call, MetricNameError, ParsedName, Table, Value, parse_name, split_names
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric

__all__ = ["BINARY", "FIXED", "LINEAR", "MERGED", "OTHER", "Variant", "audit_variants"]

LINEAR, BINARY, OTHER, MERGED, FIXED = "linear", "binary", "other gains", "grades merged", "as it is"
"""Kinds of variant in an audit, in the order of its tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One metric under one use of the grades.

    Attributes
    ----------
    metric : str
        Canonical name, as in the scores.
    base : str
        The metric as the user named it.
    kind : str
        "linear", "binary", "other gains", "grades merged" or "as it is".
    words : str
        The use of the grades in a few words: "linear", "binary ≥ 2", "gains {1:1, 2:5}".
    boundary : int or None
        The level whose difference from the one below is taken away, where exactly one is.
    """

    metric: str
    base: str
    kind: str
    words: str
    boundary: int | None = None


def audit_variants(
    collection: Collection,
    metrics: str | Iterable[str],
    *,
    gains: str | Iterable[str] = (),
    registry: Registry | None = None,
) -> tuple[Variant, ...]:
    """Return every use of the grades that the metrics know.

    Parameters
    ----------
    collection : Collection
        Its judgments say which grades there are.
    metrics : str or iterable of str
        A metric with gains gets linear and exponential ones, binary ones from every grade on, those in `gains`, and
        linear ones that are blind to one boundary between grades; one with a threshold gets every grade as threshold;
        one that says itself what it does with the grades, or takes them as they are (ERR), stays as it is.
    gains : str or iterable of str
        Further quantisations.
    registry : Registry, optional

    Returns
    -------
    tuple of Variant

    Raises
    ------
    InvalidOptionError
        If the judgments have one grade only, no metric can use the grades in more than one way, or a name or a
        table of gains cannot be read.
    """
    known = registry or default_registry()
    grades = np.unique(collection.full_levels)
    grades = grades[grades > 0].astype(int).tolist()
    if len(grades) < 2:  # noqa: PLR2004 - one grade leaves nothing to ask
        message = f"the judgments have {len(grades) or 'no'} grade above 0, so there is nothing to audit"
        raise InvalidOptionError(message)
    names = split_names(metrics) if isinstance(metrics, str) else list(metrics)
    extra = [_gains_value(text) for text in (split_names(gains) if isinstance(gains, str) else gains)]
    found: dict[str, Variant] = {}
    for name in names:
        for variant in _variants_of(known, name, grades, extra):
            found.setdefault(variant.metric, variant)
    if not found:
        message = "name at least one metric to audit, such as AP,nDCG@10"
        raise InvalidOptionError(message)
    if all(variant.kind == FIXED for variant in found.values()):
        message = (
            f"{', '.join(found)}: each uses the grades in one way only as named, so there is nothing to audit; add a "
            "metric with gains or a threshold that is left open, such as nDCG@10 or AP, or compare the metrics as they "
            "are (metaeval agree with --metrics, study_agreement in Python)"
        )
        raise InvalidOptionError(message)
    return tuple(found.values())


def _variants_of(registry: Registry, name: str, grades: list[int], extra: Sequence[Value]) -> list[Variant]:
    resolved = registry.resolve(name)
    if not isinstance(resolved, Metric):
        return [Variant(metric=resolved.name, base=resolved.name, kind=FIXED, words="as it is")]
    base = parse_name(resolved.name)
    said = {key for key, _ in base.arguments}
    if said & {"rel", "gains", "quant"} or resolved.spec.on != "documents":
        return [Variant(metric=resolved.name, base=resolved.name, kind=FIXED, words="as it is")]
    if resolved.spec.graded:
        return [
            _variant(registry, base, "gains", value, kind, words, boundary)
            for kind, value, words, boundary in _uses_of_gains(grades, extra)
        ]
    if "rel" in resolved.spec.parameters:
        return [_variant(registry, base, "rel", level, BINARY, f"binary ≥ {level}", None) for level in grades]
    return [Variant(metric=resolved.name, base=resolved.name, kind=FIXED, words="as it is")]


def _uses_of_gains(grades: list[int], extra: Sequence[Value]) -> list[tuple[str, Value, str, int | None]]:
    """Return kind, gains, words and boundary of every use."""
    two = len(grades) == 2  # noqa: PLR2004 - then blind to one boundary is binary at the other
    blind = dict(zip(grades, reversed(grades), strict=True)) if two else {}
    uses: list[tuple[str, Value, str, int | None]] = [(LINEAR, Call("linear"), "linear", None)]
    uses += [(BINARY, Call("binary", (("rel", level),)), f"binary ≥ {level}", blind.get(level)) for level in grades]
    uses.append((OTHER, Call("exponential"), "exponential", None))
    uses += [(OTHER, value, f"gains {value}", None) for value in extra]
    for below, level in zip([0, *grades], grades if not two else (), strict=False):
        gain = 0.0 if below == 0 else (below + level) / 2
        merged = {grade: gain if grade in (below, level) else float(grade) for grade in grades}
        table = Table(tuple(sorted(merged.items())))
        uses.append((MERGED, table, f"blind to {below} and {level}", level))
    return uses


def _variant(  # noqa: PLR0913, PLR0917 - the parts of a variant
    registry: Registry, base: ParsedName, key: str, value: Value, kind: str, words: str, boundary: int | None
) -> Variant:
    named = ParsedName(base.word, (*base.arguments, (key, value)), base.cutoff, base.judged_only)
    return Variant(metric=registry.resolve(str(named)).name, base=str(base), kind=kind, words=words, boundary=boundary)


def _gains_value(text: str) -> Value:
    message = (
        "gains takes tables of grades in braces, such as {1:1,2:5} (in quotes on a command line), or names of "
        f"quantisations, such as exponential, not {text!r}"
    )
    try:
        value = parse_name(f"gains(gains={text})").arguments[0][1]
    except MetricNameError as error:
        raise InvalidOptionError(message) from error
    if not isinstance(value, Call | Table):
        raise InvalidOptionError(message)
    return value
