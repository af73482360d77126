"""What a metric is, and registries of them: values that are copied and extended, never changed in place.

A `MetricSpec` says what a metric is called, how it is computed, which way is better and what holds for it. A
`Metric` is a spec with its parameters filled in: ``AP(rel=2)``. A `Registry` turns names into metrics.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, Concatenate, Protocol, overload
from warnings import warn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError, MetaevalWarning, UnknownNameError
from metaeval.metrics.lists import RankedLists, RankedTopic, ranked_topics
from metaeval.metrics.names import Call, MetricNameError, ParsedName, Table, Value, translations
from metaeval.metrics.parameters import Parameter, read_parameters
from metaeval.metrics.quantisation import LINEAR, QUANTISATIONS, Quantisation, as_gains, gain_table
from metaeval.parallel import track

__all__ = [
    "ENTRY_POINTS",
    "AnyMetric",
    "Metric",
    "MetricError",
    "MetricSpec",
    "PluginWarning",
    "Registry",
    "default_registry",
    "load_plugin",
    "load_plugins",
    "metric",
]

ENTRY_POINTS = "metaeval.metrics"
"""The entry-point group in which a package names its metrics and quantisations."""

_RESERVED = ("judged_only", "gains", "quant")
_ALWAYS_SHOWN = ("p", "a", "quant")
_JUDGED_ONLY = Parameter(name="judged_only", type=bool, default=False)

type TopicFunction = Callable[Concatenate[RankedTopic, ...], float]
type Kernel = Callable[Concatenate[RankedLists, ...], NDArray[np.float64]]


class MetricError(InvalidOptionError):
    """A metric that breaks its contract: a signature, a value that is no finite number."""


class PluginWarning(MetaevalWarning):
    """A plug-in that could not be used; everything else works."""


class AnyMetric(Protocol):
    """What scoring needs of a metric, built in or from elsewhere."""

    @property
    def name(self) -> str:
        """The canonical name."""

    @property
    def higher_is_better(self) -> bool:
        """Which way is better."""

    @property
    def worst(self) -> float:
        """The score of a list that is not there."""

    @property
    def without_relevant(self) -> float | None:
        """Its value on a topic with nothing relevant; None where that makes no difference."""

    def n_relevant(self, lists: RankedLists) -> NDArray[np.int64]:
        """Return how many documents of every topic the metric takes as relevant."""

    def compute(self, lists: RankedLists) -> NDArray[np.float64]:
        """Return the scores, shape (n_systems, n_topics)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """What a metric is.

    Attributes
    ----------
    name : str
        As it is written, without parameters.
    function : callable, optional
        ``f(topic, *, parameters) -> float`` with a `RankedTopic`.
    kernel : callable, optional
        ``f(lists, *, parameters) -> array (n_systems, n_topics)`` with `RankedLists`: all lists at once. Used
        instead of `function` where both are given; then they must take the same parameters.
    higher_is_better : bool
    bounds : (float, float)
        Smallest and largest value.
    without_relevant : float or None
        The value on a topic where nothing is relevant under the metric. None: relevance makes no difference to
        whether it is defined.
    judged_only : bool
        Whether it can be computed on the condensed list (then ``Name'`` works).
    graded : bool
        Whether it uses gains (then ``gains=`` works).
    ideal : float or None
        Its value on an ideal ranking of everything relevant, if that is fixed.
    monotone : bool
        Whether moving a better document down, in exchange for a worse one, never raises the score.
    cite : str
        Key or reference of the source.
    summary : str
        One line; by default the first one of the function's docstring.
    parameters : mapping of str to Parameter
        Read from the signature.
    """

    name: str
    function: TopicFunction | None = None
    kernel: Kernel | None = None
    higher_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    without_relevant: float | None = 0.0
    judged_only: bool = True
    graded: bool = False
    ideal: float | None = None
    monotone: bool = False
    cite: str = ""
    summary: str = ""
    parameters: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            message = f"a metric's name is one word (letters, digits, _), not {self.name!r}"
            raise MetricError(message)
        functions = [one for one in (self.function, self.kernel) if one is not None]
        if not functions:
            message = f"metric {self.name!r} needs function= or kernel="
            raise MetricError(message)
        read = [dict(read_parameters(one, what=f"metric {self.name!r}")) for one in functions]
        if len(read) > 1 and not _same_parameters(*read):
            message = f"metric {self.name!r}: function and kernel must take the same parameters with the same defaults"
            raise MetricError(message)
        taken = [name for name in read[0] if name in _RESERVED]
        if taken:
            message = (
                f"metric {self.name!r}: the parameter {taken[0]} is the registry's own; "
                "use judged_only= or graded= of the spec"
            )
            raise MetricError(message)
        low, high = self.bounds
        if not low < high:
            message = f"metric {self.name!r}: bounds must be (low, high) with low < high, not {self.bounds!r}"
            raise MetricError(message)
        object.__setattr__(self, "parameters", MappingProxyType(read[0]))
        doc = (functions[0].__doc__ or "").strip().split("\n")[0]
        object.__setattr__(self, "summary", self.summary or doc)

    @property
    def usage(self) -> str:
        """How its name is written, with every parameter: ``nDCG(a=…, gains=linear, judged_only=False)@k``."""
        shown = {name: one for name, one in self.parameters.items() if name != "k"}
        texts = {name: "…" if one.required or one.default is None else str(one.default) for name, one in shown.items()}
        texts |= {"gains": str(LINEAR)} if self.graded else {}
        texts |= {"judged_only": "False"} if self.judged_only else {}
        inside = ", ".join(f"{name}={texts[name]}" for name in sorted(texts))
        cutoff = self.parameters.get("k")
        return self.name + f"({inside})" * bool(inside) + ("" if not cutoff else "@k" if cutoff.required else "[@k]")


@overload
def metric(function: TopicFunction, /) -> MetricSpec: ...
@overload
def metric(
    *,
    name: str | None = None,
    kernel: Kernel | None = None,
    higher_is_better: bool = True,
    bounds: tuple[float, float] = (0.0, 1.0),
    without_relevant: float | None = 0.0,
    judged_only: bool = True,
    graded: bool = False,
    ideal: float | None = None,
    monotone: bool = False,
    cite: str = "",
) -> Callable[[TopicFunction], MetricSpec]: ...
def metric(
    function: TopicFunction | None = None, /, *, name: str | None = None, **options: Any
) -> MetricSpec | Callable[[TopicFunction], MetricSpec]:
    """Make a metric out of a function of one ranked topic; nothing global changes.

    Parameters
    ----------
    function : callable
        ``f(topic: RankedTopic, *, parameters) -> float``. Its keyword-only arguments become the metric's
        parameters; one called ``k`` is written after ``@``.
    name : str, optional
        The function's own name by default.
    kernel, higher_is_better, bounds, without_relevant, judged_only, graded, ideal, monotone, cite
        See `MetricSpec`.

    Returns
    -------
    MetricSpec
        Or a decorator, where options are given first.

    Raises
    ------
    MetricError, InvalidOptionError
        If the signature has another form.

    Examples
    --------
    >>> @metric(name="Misses", higher_is_better=False, bounds=(0, float("inf")))
    ... def misses(topic: RankedTopic, *, rel: int = 1) -> float:
    ...     "Relevant documents that were not retrieved."
    ...     return topic.n_relevant(rel) - (topic.levels >= rel).sum()
    >>> misses.usage
    'Misses(judged_only=False, rel=1)'
    """

    def made(body: TopicFunction) -> MetricSpec:
        own = name or str(getattr(body, "__name__", type(body).__name__))
        return MetricSpec(name=own, function=body, **options)

    return made if function is None else made(function)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with its parameters filled in.

    Attributes
    ----------
    spec : MetricSpec
    parameters : tuple of (str, value)
        Every parameter, sorted by name, ``judged_only`` and ``gains`` included where the spec has them.
    quantisation : Quantisation or None
        The function behind ``gains=``, where it is not a table.
    """

    spec: MetricSpec
    parameters: tuple[tuple[str, Any], ...]
    quantisation: Quantisation | None = None

    @property
    def name(self) -> str:
        """Canonical name: sorted keys, defaults left out; equal metrics have equal names."""
        return self._text(full=False)

    @property
    def full_name(self) -> str:
        """The name with every parameter that has a value, for readers whose tools have other defaults."""
        return self._text(full=True)

    @property
    def higher_is_better(self) -> bool:
        """Which way is better."""
        return self.spec.higher_is_better

    @property
    def without_relevant(self) -> float | None:
        """Its value on a topic with nothing relevant; None where that makes no difference."""
        return self.spec.without_relevant

    @property
    def worst(self) -> float:
        """The score of a list that is not there: 0, or the upper bound where lower is better."""
        if self.higher_is_better:
            return 0.0
        worst = self.spec.bounds[1]
        if not np.isfinite(worst):
            message = (
                f"{self.name} has no largest value, so a run that lacks a topic has no score there; drop those runs "
                "or topics when reading (missing='drop-systems' or 'drop-topics')"
            )
            raise MetricError(message)
        return worst

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Return the value of one parameter."""
        return dict(self.parameters)[name]

    def n_relevant(self, lists: RankedLists) -> NDArray[np.int64]:
        """Return how many documents of every topic count as relevant: by ``rel``, by gain, or by level above 0."""
        values = dict(self.parameters)
        if values.get("rel") is not None:
            return lists.n_relevant(values["rel"])
        return self._view(lists).n_with_gain() if self.spec.graded else lists.n_relevant()

    def compute(self, lists: RankedLists) -> NDArray[np.float64]:
        """Return the scores, shape (n_systems, n_topics); lists that are not there get `worst`.

        Raises
        ------
        MetricError
            If a value is no finite number.
        """
        own = {name: value for name, value in self.parameters if name in self.spec.parameters}
        view = self._view(lists)
        if self.spec.kernel is None:
            values = self._one_by_one(view, own)
        else:
            values = np.asarray(self.spec.kernel(view, **own), dtype=np.float64)
            if values.shape != lists.lengths.shape:
                message = f"{self.name}: the kernel must return shape {lists.lengths.shape}, not {values.shape}"
                raise MetricError(message)
        absent = lists.collection.n_retrieved == 0
        if self.without_relevant is not None:
            absent &= self.n_relevant(lists) > 0
        if absent.any():
            values = np.where(absent, self.worst, values)
        if not np.isfinite(values).all():
            system, topic = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
            self._refuse(float(values[system, topic]), lists, system, topic)
        return values

    def _one_by_one(self, view: RankedLists, own: Mapping[str, Any]) -> NDArray[np.float64]:
        function = self.spec.function
        assert function is not None  # noqa: S101 - a spec has one of the two
        values = np.zeros(view.lengths.shape)
        if self.without_relevant is None:
            defined = np.ones(view.n_topics, dtype=bool)
        else:
            defined = self.n_relevant(view) > 0
            values[:] = self.without_relevant
        wanted = np.flatnonzero((view.collection.n_retrieved > 0) & defined)
        todo = ranked_topics(view, wanted, judged_only=bool(dict(self.parameters).get("judged_only")))
        for system, topic, one in track(todo, description=self.name, total=len(wanted)):
            value = function(one, **own)
            try:
                values[system, topic] = float(value)
            except (TypeError, ValueError):
                self._refuse(value, view, system, topic)
        return values

    def _refuse(self, value: object, lists: RankedLists, system: int, topic: int) -> None:
        place = f"run {lists.collection.systems[system]!r}, topic {lists.collection.topics[topic]!r}"
        message = f"{self.name} must give a finite number for every list; {place} got {value!r}"
        raise MetricError(message)

    def _view(self, lists: RankedLists) -> RankedLists:
        values = dict(self.parameters)
        view = lists.condensed() if values.get("judged_only") else lists
        gains = values.get("gains", LINEAR)
        top = max(lists.highest, values.get("max_level") or 0)
        if not self.spec.graded or (gains == LINEAR and top == lists.highest):
            return view
        known = {} if self.quantisation is None else {self.quantisation.name: self.quantisation}
        present = np.flatnonzero(lists.counts.any(axis=0))
        return view.with_gains(gains, gain_table(gains, known, top_level=top, present=present))

    def _text(self, *, full: bool) -> str:
        shown = tuple((key, value) for key, value in self.parameters if key != "k" and self._is_shown(key, value, full))
        return str(ParsedName(self.spec.name, shown, dict(self.parameters).get("k")))

    def _is_shown(self, key: str, value: object, full: bool) -> bool:  # noqa: FBT001
        if value is None or key == "judged_only":
            return bool(value)
        if full or key in _ALWAYS_SHOWN:
            return True
        return bool(value != (LINEAR if key == "gains" else self.spec.parameters[key].default))


@dataclass(frozen=True, slots=True, init=False)
class Registry:
    """Metrics and quantisations by name: a value, to be extended and passed on.

    Parameters
    ----------
    metrics : iterable of MetricSpec
        In teaching order.
    quantisations : iterable of Quantisation
        By default those of the package.

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

    def __init__(
        self, metrics: Iterable[MetricSpec] = (), quantisations: Iterable[Quantisation] = QUANTISATIONS
    ) -> None:
        for attribute, items in (("metrics", metrics), ("quantisations", quantisations)):
            found: dict[str, Any] = {}
            for item in items:
                if item.name in found:
                    message = f"{item.name!r} stands twice among the {attribute}; names must be unique"
                    raise InvalidOptionError(message)
                found[item.name] = item
            object.__setattr__(self, attribute, MappingProxyType(found))

    def __iter__(self) -> Iterator[MetricSpec]:
        return iter(self.metrics.values())

    def __len__(self) -> int:
        return len(self.metrics)

    def __contains__(self, name: object) -> bool:
        return name in self.metrics

    def __getitem__(self, name: str) -> MetricSpec:
        if name not in self.metrics:
            raise UnknownNameError("metric", name, self.metrics)
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
        quantisations = dict(self.quantisations)
        for item in items:
            if not isinstance(item, MetricSpec | Quantisation):
                message = f"a registry takes metrics (made by @metric) and quantisations, not {item!r}"
                raise InvalidOptionError(message)
            table: dict[str, Any] = metrics if isinstance(item, MetricSpec) else quantisations
            if item.name in table and not replace:
                message = f"{item.name!r} is registered already; choose another name, or pass replace=True"
                raise InvalidOptionError(message)
            table[item.name] = item
        return Registry(metrics.values(), quantisations.values())

    def resolve(self, metric: object) -> AnyMetric:
        """Turn what a caller names into a metric that can be computed.

        Parameters
        ----------
        metric : str, MetricSpec, Metric or ir_measures measure
            Names follow `metaeval.metrics.names`; the spellings of trec_eval, ranx and NTCIREVAL are understood. A
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

            return from_ir_measures(metric, self)
        if hasattr(metric, "compute") and hasattr(metric, "n_relevant"):
            return metric  # type: ignore[return-value]  # an AnyMetric already
        message = f"a metric is a name, a MetricSpec or a measure of ir_measures, not {metric!r}"
        raise InvalidOptionError(message)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric: name, usage, summary, direction, bounds, source, module."""
        return pd.DataFrame(
            [
                {
                    "name": spec.name,
                    "usage": spec.usage,
                    "summary": spec.summary,
                    "higher_is_better": spec.higher_is_better,
                    "low": spec.bounds[0],
                    "high": spec.bounds[1],
                    "cite": spec.cite,
                    "module": _module_of(spec),
                }
                for spec in self
            ]
        )

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
            found = self.from_parsed(parsed)
            if found is not None:
                return found
        from metaeval.metrics.external import external_metric  # noqa: PLC0415 - imports ir_measures

        for parsed in readings:
            other = external_metric(parsed)
            if other is not None:
                return other
        unknown = UnknownNameError("metric", readings[0].word, self.metrics)
        if importlib.util.find_spec("ir_measures") is None:
            unknown.add_note("more measures are known to ir_measures, which is not installed: pip install ir-measures")
        raise unknown

    def _bind(self, spec: MetricSpec, parsed: ParsedName) -> Metric:
        try:
            given = _arguments_of(spec, parsed)
            values = {name: _value_of(spec, one, given.pop(name, None)) for name, one in spec.parameters.items()}
            quantisation = None
            if spec.graded:
                values["gains"], quantisation = self._gains(given.pop("gains", None))
            if spec.judged_only:
                values["judged_only"] = _JUDGED_ONLY.accept(given.pop("judged_only", False))
            if given:
                _refuse_argument(spec, next(iter(given)))
        except (MetricNameError, UnknownNameError):
            raise
        except InvalidOptionError as error:
            message = f"{parsed}: {error}"
            raise MetricNameError(message) from error
        return Metric(spec, tuple(sorted(values.items())), quantisation)

    def _gains(self, given: object) -> tuple[Call | Table, Quantisation | None]:
        gains = LINEAR if given is None else as_gains(given)
        if isinstance(gains, Table):
            return gains, None
        alike = [one for name, one in self.quantisations.items() if name.casefold() == gains.word.casefold()]
        if len(alike) != 1:
            raise UnknownNameError("quantisation", gains.word, self.quantisations)
        own = alike[0]
        named = dict(gains.arguments)
        unknown = sorted(set(named) - set(own.parameters))
        if unknown:
            raise UnknownNameError(f"parameter of gains={own.name}", unknown[0], own.parameters)
        values = {name: one.accept(named.get(name, one.default)) for name, one in own.parameters.items()}
        return Call(own.name, tuple(sorted(values.items()))), own


def _same_parameters(first: Mapping[str, Parameter], second: Mapping[str, Parameter]) -> bool:
    def plain(read: Mapping[str, Parameter]) -> set[tuple[object, ...]]:
        return {(one.name, one.type, one.default, one.required) for one in read.values()}

    return plain(first) == plain(second)


def _arguments_of(spec: MetricSpec, parsed: ParsedName) -> dict[str, Value]:
    """Name every argument of a parsed metric: a lone value is the one required parameter, ``@`` is k."""
    given: list[tuple[str, Value]] = []
    required = [name for name, one in spec.parameters.items() if one.required and name != "k"]
    for key, value in parsed.arguments:
        if key is None and len(required) != 1:
            message = f"{parsed}: {value} stands without a name; write {spec.usage}"
            raise MetricNameError(message)
        given.append((required[0] if key is None else key, value))
    if parsed.cutoff is not None:
        if "k" not in spec.parameters:
            message = f"{parsed}: {spec.name} takes no cutoff; write {spec.usage}"
            raise MetricNameError(message)
        given.append(("k", parsed.cutoff))
    if parsed.judged_only:
        given.append(("judged_only", True))
    keys = [key for key, _ in given]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        message = f"{parsed}: {twice[0]} is given twice"
        raise MetricNameError(message)
    return dict(given)


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
        message = f"{spec.name} has no condensed-list variant (judged_only); write {spec.usage}"
    elif name == "gains":
        message = f"{spec.name} uses no gains; use rel= for the lowest relevant level: {spec.usage}"
    else:
        message = f"{spec.name} has no parameter {name!r}; write {spec.usage}"
    raise MetricNameError(message)


def load_plugins(registry: Registry) -> Registry:
    """Return `registry` with what installed packages offer under the entry-point group ``metaeval.metrics``.

    An entry point names a `MetricSpec`, a `Quantisation`, or a sequence of them. One that does not load, or brings a
    name that is taken, is named in a `PluginWarning` and left out; the others still work.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> "AP" in load_plugins(BUILTIN)
    True
    """
    points = sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value))
    for point in points:
        origin = f"entry point {point.name} = {point.value}" + (f" of {point.dist.name}" if point.dist else "")
        try:
            loaded = point.load()
        except Exception as error:  # noqa: BLE001 - a broken plug-in must not stop the others
            warn(f"{origin} could not be loaded: {error!r}", PluginWarning, stacklevel=2)
            continue
        for item in (loaded,) if isinstance(loaded, MetricSpec | Quantisation) else _items(loaded):
            try:
                registry = registry.extend(item)
            except InvalidOptionError as error:
                warn(f"{origin} is left out: {error}", PluginWarning, stacklevel=2)
    return registry


def _items(loaded: object) -> tuple[Any, ...]:
    return tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)


@lru_cache(maxsize=1)
def default_registry() -> Registry:
    """Return the built-in metrics with those of installed packages; found once a session.

    Examples
    --------
    >>> default_registry().resolve("ndcg_cut_10").name
    'nDCG@10'
    """
    from metaeval.metrics.builtin import BUILTIN  # noqa: PLC0415 - its measures import this module

    return load_plugins(BUILTIN)


def _module_of(item: MetricSpec | Quantisation) -> str:
    function = item.function or (item.kernel if isinstance(item, MetricSpec) else None)
    return str(getattr(function, "__module__", ""))


def load_plugin(path: str | Path) -> tuple[MetricSpec | Quantisation, ...]:
    r"""Run a Python file and return the metrics and quantisations it defines, for ``registry.extend(*…)``.

    Parameters
    ----------
    path : path
        A ``.py`` file. It is executed, so it must be trusted like any program.

    Returns
    -------
    tuple of MetricSpec or Quantisation
        In the order of their definition; names that begin with an underscore are private.

    Raises
    ------
    InvalidOptionError
        If the file is not there, does not run, or defines nothing.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "mine.py")
    >>> lines = ("from metaeval.metrics import metric", "@metric", "def nothing(topic): return 0.0")
    >>> _ = file.write_text("\n".join(lines))
    >>> [found.name for found in load_plugin(file)]
    ['nothing']
    """
    file = Path(path)
    if not file.is_file() or file.suffix != ".py":
        message = f"plug-in {str(path)!r} must be a Python file (NAME.py) that exists"
        raise InvalidOptionError(message)
    name = f"metaeval_plugin_{file.stem}"
    found = importlib.util.spec_from_file_location(name, file)
    assert found is not None and found.loader is not None  # noqa: S101, PT018 - a .py file always has a loader
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        message = f"plug-in {file} does not run: {type(error).__name__}: {error}"
        raise InvalidOptionError(message) from error
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    items = dict.fromkeys(
        value for value in public.values() if isinstance(value, MetricSpec | Quantisation) and _module_of(value) == name
    )
    if not items:
        message = f"plug-in {file} defines no metric; decorate a function with @metaeval.metrics.metric"
        raise InvalidOptionError(message)
    return tuple(items)
