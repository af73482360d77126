"""Registries of metrics: values that are copied and extended, never changed in place."""

import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import Any

import pandas as pd

from metaeval.base.bibliography import source_of
from metaeval.base.checks import check_choice
from metaeval.base.metric_names import Call, GainTable, MetricNameError, ParsedName, Value, translations
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics.parameters import Parameter
from metaeval.metrics.quantisation import QUANTISATIONS, Quantisation, as_gains
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.spec import MetricSpec

_CUTOFF = re.compile(r"([A-Za-z_]*[A-Za-z])_?([0-9]+)")
"""A name with its cutoff behind it, without a sign between."""
_OF_PAIRS = {"rpp", "invrpp", "dcgrpp", "lexi-precision", "lexi-recall", "rr-lexi-precision"}
"""Preferences between two rankings (`metaeval.tests_stat.run_preferences`), which are asked for as metrics."""
_JUDGED_ONLY = Parameter(name="judged_only", type=bool, default=False)


_WINGS = ("metaeval.inex.hooks",)
"""Modules above this folder that bring measures and quantisations of the package."""


def of_wings(name: str) -> tuple[Any, ...]:
    """Return what the wings of the package have under a name: ``SPECS`` or ``QUANTISATIONS``."""
    return tuple(chain.from_iterable(getattr(import_module(wing), name) for wing in _WINGS))


@dataclass(frozen=True, slots=True, init=False)
class Registry(Result):
    """Metrics and quantisations by name; immutable, so that `extend` returns another registry.

    Parameters
    ----------
    metrics : iterable of MetricSpec
        In the order in which lists and help show them.
    quantisations : iterable of Quantisation
        Of documents (``gains=``) and elements (``quant=``); by default those of the package.

    Raises
    ------
    InvalidOptionError
        If two have one name.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> BUILTIN.resolve("map").name, BUILTIN.resolve("nDCG'(gains=exponential)@10").name
    ('AP', 'nDCG(gains=exponential, judged_only=True)@10')
    """

    metrics: Mapping[str, MetricSpec]
    quantisations: Mapping[str, Quantisation]
    element_quantisations: Mapping[str, Quantisation]

    def __init__(self, metrics: Iterable[MetricSpec] = (), quantisations: Iterable[Quantisation] | None = None) -> None:
        chosen = (*QUANTISATIONS, *of_wings("QUANTISATIONS")) if quantisations is None else tuple(quantisations)
        tables: tuple[tuple[str, Iterable[MetricSpec | Quantisation]], ...] = (
            ("metrics", metrics),
            ("quantisations", [quantisation for quantisation in chosen if quantisation.on == "documents"]),
            ("element_quantisations", [quantisation for quantisation in chosen if quantisation.on == "elements"]),
        )
        for attribute, items in tables:
            by_name: dict[str, Any] = {}
            for item in items:
                if item.name in by_name:
                    raise InvalidOptionError(
                        f"{item.name!r} appears twice among the {attribute.replace('_', ' ')}; names must be unique"
                    )
                by_name[item.name] = item
            object.__setattr__(self, attribute, MappingProxyType(by_name))

    def __iter__(self) -> Iterator[MetricSpec]:
        return iter(self.metrics.values())

    def __len__(self) -> int:
        return len(self.metrics)

    def __contains__(self, name: object) -> bool:
        return name in self.metrics

    def __getitem__(self, name: str) -> MetricSpec:
        check_choice(name, "metric", self.metrics)
        return self.metrics[name]

    def extend(self, *items: MetricSpec | Quantisation, replace: bool = False) -> "Registry":
        """Return a registry with more metrics or quantisations.

        Parameters
        ----------
        *items : MetricSpec or Quantisation
        replace : bool
            Whether a name that is there already is overwritten; otherwise that is an error.

        Raises
        ------
        InvalidOptionError
            If a name is taken, or an item is neither.
        """
        metrics = dict(self.metrics)
        quantisations = {"documents": dict(self.quantisations), "elements": dict(self.element_quantisations)}
        for item in items:
            if not isinstance(item, MetricSpec | Quantisation):
                raise InvalidOptionError(f"a registry takes metrics (made by @metric) and quantisations, not {item!r}")
            table: dict[str, Any] = metrics if isinstance(item, MetricSpec) else quantisations[item.on]
            if item.name in table and not replace:
                message = f"{item.name!r} is registered already; choose another name, or pass `replace=True`"
                raise InvalidOptionError(message)
            table[item.name] = item
        return Registry(
            metrics.values(), [quantisation for table in quantisations.values() for quantisation in table.values()]
        )

    def resolve(self, metric: object) -> AnyMetric:
        """Turn what a caller names into a metric that can be computed.

        Parameters
        ----------
        metric : str, MetricSpec, Metric or ir_measures measure
            Names follow `metaeval.base.metric_names`; the spellings of trec_eval, ranx and NTCIREVAL are understood. A
            name that is not registered is looked for in ``ir_measures``, if that is installed.

        Returns
        -------
        Metric or ExternalMetric

        Raises
        ------
        UnknownNameError
            Listing the nearest names.
        MetricNameError
            If the name cannot be read, or an argument is missing, unknown or outside its rule.
        """
        match metric:
            case Metric():
                return metric
            case MetricSpec():
                return self._bind(metric, ParsedName(metric.name))
            case str():
                return self._resolve_text(metric)
        if type(metric).__module__.split(".")[0] == "ir_measures":
            from metaeval.metrics.external import from_ir_measures  # noqa: PLC0415 - only where it is used

            return from_ir_measures(metric, self.from_parsed)
        if hasattr(metric, "compute") and hasattr(metric, "n_relevant"):
            return metric  # type: ignore[return-value]  # an AnyMetric already
        raise InvalidOptionError(f"a metric is a name, a MetricSpec or a measure of ir_measures, not {metric!r}")

    def _found(self) -> str:
        return f"{count(len(self.metrics), 'metric')}: {first_few(list(self.metrics))}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric: name, usage, what it ranks, summary, direction, bounds, key, source, module."""
        attributes = ("name", "usage", "on", "summary", "higher_is_better")
        rows = []
        for spec in self:
            low, high = spec.bounds
            about = {"low": low, "high": high, "cite": spec.cite, "source": source_of(spec.cite)}
            rows.append({name: getattr(spec, name) for name in attributes} | about | {"module": module_of(spec)})
        return pd.DataFrame(rows)

    def find(self, word: str) -> MetricSpec | None:
        """Return the metric of that name, ignoring case where that is unique."""
        if word in self.metrics:
            return self.metrics[word]
        alike = [spec for name, spec in self.metrics.items() if name.casefold() == word.casefold()]
        return alike[0] if len(alike) == 1 else None

    def from_parsed(self, parsed: ParsedName) -> Metric | None:
        """Return the registered metric that a parsed name means, or None."""
        spec = self.find(parsed.word)
        return None if spec is None else self._bind(spec, parsed)

    def _resolve_text(self, text: str) -> AnyMetric:
        readings = list(translations(text))
        for parsed in readings:
            metric = self.from_parsed(parsed)
            if metric is not None:
                return metric
        from metaeval.metrics.external import external_metric  # noqa: PLC0415 - imports ir_measures

        for parsed in readings:
            external = external_metric(parsed)
            if external is not None:
                return external
        if readings[0].word.casefold() in _OF_PAIRS:
            raise InvalidOptionError(
                f"{readings[0].word} compares two rankings and scores none, so it is no metric; metaeval votes RUNS "
                f"--qrels FILE --preference {readings[0].word} (or prefer_runs) compares all runs by it"
            )
        unknown = UnknownNameError("metric", readings[0].word, self.metrics, synonyms=self._with_cutoff(text))
        if importlib.util.find_spec("ir_measures") is None:
            unknown.add_note("more measures are known to ir_measures, which is not installed: pip install ir-measures")
        raise unknown

    def _with_cutoff(self, text: str) -> dict[str, str]:
        """Return what a name means that ends in a number without a sign before it: nDCG@10 for NDCG10."""
        match = _CUTOFF.fullmatch(text.strip())
        if match is None:
            return {}
        try:
            meant = self.resolve(f"{match[1]}@{match[2]}")
        except InvalidOptionError:
            return {}
        return {match[0]: meant.name}

    def _bind(self, spec: MetricSpec, parsed: ParsedName) -> Metric:
        try:
            arguments = _arguments_of(spec, parsed)
            named = {*arguments}
            gains = arguments.get("gains")
            if isinstance(gains, Call):
                named |= {f"gains.{name}" for name, _ in gains.arguments}
            values = {
                name: _value_of(spec, parameter, arguments.pop(name, None))
                for name, parameter in spec.parameters.items()
            }
            quantisation = None
            if spec.gains_word is not None:
                values[spec.gains_word], quantisation = self._gains(spec, arguments.pop(spec.gains_word, None))
            if spec.judged_only:
                values["judged_only"] = _JUDGED_ONLY.accept(arguments.pop("judged_only", False))
            if arguments:
                _refuse_argument(spec, next(iter(arguments)))
        except (MetricNameError, UnknownNameError):
            raise
        except InvalidOptionError as error:
            raise MetricNameError(f"{parsed}: {error}") from error
        return Metric(spec, tuple(sorted(values.items())), quantisation, frozenset(named))

    def _gains(self, spec: MetricSpec, given: object) -> tuple[Call | GainTable, Quantisation | None]:
        gains = spec.default_gains if given is None else as_gains(given)
        if isinstance(gains, GainTable):
            if spec.on == "documents":
                return gains, None
            message = f"a table of gains needs levels, and elements have none; name a quantisation: {spec.usage}"
            raise InvalidOptionError(message)
        quantisations = self.quantisations if spec.on == "documents" else self.element_quantisations
        alike = [declared for name, declared in quantisations.items() if name.casefold() == gains.word.casefold()]
        if len(alike) != 1:
            words = {word: "gen" for word in ("generalised", "generalized") if "gen" in quantisations}
            raise UnknownNameError("quantisation", gains.word, quantisations, synonyms=words)
        quantisation = alike[0]
        named = dict(gains.arguments)
        unknown = sorted(set(named) - set(quantisation.parameters))
        if unknown:
            raise UnknownNameError(
                f"parameter of {spec.gains_word}={quantisation.name}", unknown[0], quantisation.parameters
            )
        values = {
            name: declared.accept(named.get(name, declared.default))
            for name, declared in quantisation.parameters.items()
        }
        return Call(quantisation.name, tuple(sorted(values.items()))), quantisation


def _arguments_of(spec: MetricSpec, parsed: ParsedName) -> dict[str, Value]:
    """Name every argument of a parsed metric: a lone value is the one required parameter, ``@`` is k."""
    arguments: list[tuple[str, Value]] = []
    required = [name for name, parameter in spec.parameters.items() if parameter.required and name != "k"]
    for key, value in parsed.arguments:
        if key is None and len(required) != 1:
            raise MetricNameError(f"{parsed}: {value} stands without a name; write {spec.usage}")
        arguments.append((required[0] if key is None else key, value))
    if parsed.cutoff is not None:
        if "k" not in spec.parameters:
            raise MetricNameError(f"{parsed}: {spec.name} takes no cutoff; write {spec.usage}")
        arguments.append(("k", parsed.cutoff))
    if parsed.judged_only:
        arguments.append(("judged_only", True))
    keys = [key for key, _ in arguments]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        raise MetricNameError(f"{parsed}: {twice[0]} is given twice")
    return dict(arguments)


def _value_of(spec: MetricSpec, parameter: Parameter, given: Value | None) -> Any:  # noqa: ANN401 - of its own type
    if given is not None:
        return parameter.accept(given)
    if not parameter.required:
        return parameter.default
    if parameter.name == "k":
        message = f"{spec.name} needs a cutoff: write {spec.name}@10"
    else:
        advice = "" if parameter.rule is None or not parameter.rule.advice else f"; {parameter.rule.advice}"
        message = f"{spec.name} needs {parameter.name}, {parameter.text}: write {spec.usage}{advice}"
    raise MetricNameError(message)


def _refuse_argument(spec: MetricSpec, name: str) -> None:
    if name == "judged_only":
        message = f"{spec.name} has no condensed-list variant (judged_only=True); write {spec.usage}"
    elif name == "quant" and spec.on != "elements":
        message = f"{spec.name} ranks {spec.on}, so quant= (for elements) says nothing: {spec.usage}"
    elif name in ("gains", "quant") and spec.on != "documents":
        message = f"{spec.name} ranks {spec.on} and has no {name}=; write {spec.usage}"
    elif name == "gains":
        message = f"{spec.name} uses no gains; use rel= for the lowest relevant level: {spec.usage}"
    else:
        message = f"{spec.name} has no parameter {name!r}; write {spec.usage}"
    raise MetricNameError(message)


def module_of(item: MetricSpec | Quantisation) -> str:
    """Return the module in which a metric or quantisation is written."""
    function = item.function or (item.kernel if isinstance(item, MetricSpec) else None)
    return str(getattr(function, "__module__", ""))
