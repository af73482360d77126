"""What a metric is: a spec, and a metric with its parameters filled in.

A `MetricSpec` says what a metric is called, how it is computed, which way is better and what holds for it. A
`Metric` is a spec with its parameters filled in: ``AP(rel=2)``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, Concatenate, Literal, Protocol, get_args, overload

import numpy as np
from numpy.typing import NDArray

from metaeval.checks import check_choice
from metaeval.equality import RELATIVE
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.metrics.element_quantisation import GENERALISED
from metaeval.metrics.focused.element_lists import ElementLists
from metaeval.metrics.lists import JudgedLists, RankedLists, RankedTopic, ranked_topics
from metaeval.metrics.names import Call, ParsedName
from metaeval.metrics.parameters import Parameter, read_parameters
from metaeval.metrics.quantisation import LINEAR, Quantisation, gain_table
from metaeval.parallel import track

__all__ = ["AnyMetric", "BoundsError", "Metric", "MetricError", "MetricSpec", "On", "check_values", "metric"]

_RESERVED = ("judged_only", "gains", "quant")
_ALWAYS_SHOWN = ("p", "a", "quant")

type TopicFunction = Callable[Concatenate[RankedTopic, ...], float]
type Kernel = Callable[Concatenate[Any, ...], NDArray[np.float64]]
type Counts = Callable[Concatenate[Any, ...], NDArray[np.int64]]
On = Literal["documents", "elements", "passages"]


class MetricError(InvalidOptionError):
    """A metric that breaks its contract: a signature, a value that is no finite number or outside its bounds."""


class BoundsError(MetricError):
    """A score outside the bounds that its metric declares."""


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
        ``f(lists, *, parameters) -> array (n_systems, n_topics)`` with `RankedLists` (`ElementLists`,
        `PassageLists`): all lists at once. Used instead of `function` where both are given; then they must take the
        same parameters.
    on : {"documents", "elements", "passages"}
        What it ranks. Measures of elements and passages have a `kernel`.
    relevant : callable, optional
        ``f(lists, *, parameters) -> int array (n_topics,)``, the parameters being those of the kernel: how many
        things count as relevant, so that 0 says that the topic is undefined. By default ``lists.n_relevant()``.
    higher_is_better : bool
    bounds : (float, float)
        Smallest and largest value; infinite where there is none. A score outside them is an error.
    without_relevant : float or None
        The value on a topic where nothing is relevant under the metric. None: relevance makes no difference to
        whether it is defined.
    judged_only : bool
        Whether it can be computed on the condensed list (then ``Name'`` works); of documents only.
    graded : bool
        Whether it uses gains (then ``gains=`` works, or ``quant=`` for elements).
    ideal : float or None
        Its value on an ideal ranking of everything relevant, if that is fixed.
    monotone : bool
        Whether moving a better document down, in exchange for a worse one, never raises the score.
    cite : str
        Where it is described: a key of `metaeval.bibliography.PUBLICATIONS`, or a reference in words of your own.
    summary : str
        One line; by default the first one of the function's docstring.
    parameters : mapping of str to Parameter
        Read from the signature.
    """

    name: str
    function: TopicFunction | None = None
    kernel: Kernel | None = None
    on: On = "documents"
    relevant: Counts | None = None
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
        self._check_on()
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
        self._check_bounds()
        object.__setattr__(self, "parameters", MappingProxyType(read[0]))
        doc = (functions[0].__doc__ or "").strip().split("\n")[0]
        object.__setattr__(self, "summary", self.summary or doc)

    @property
    def gains_word(self) -> str | None:
        """The argument that says which gain a judgment gives: ``gains``, ``quant`` for elements, or none."""
        return {"documents": "gains", "elements": "quant"}[self.on] if self.graded else None

    @property
    def default_gains(self) -> Call:
        """What stands for `gains_word` where nothing is given."""
        return GENERALISED if self.on == "elements" else LINEAR

    def _check_on(self) -> None:
        check_choice(self.on, "kind of result", get_args(On))
        if self.on == "documents":
            return
        if self.kernel is None:
            message = f"metric {self.name!r}: a function of one ranked topic ranks documents; {self.on} need kernel="
            raise MetricError(message)
        if self.graded and self.on == "passages":
            message = f"metric {self.name!r}: passages are highlighted or not, so there are no gains; leave out graded="
            raise MetricError(message)
        object.__setattr__(self, "judged_only", False)

    def _check_bounds(self) -> None:
        given: object = self.bounds
        pair = isinstance(given, tuple | list) and len(given) == 2  # noqa: PLR2004 - low, high
        if not (pair and all(isinstance(one, Real) for one in self.bounds) and self.bounds[0] < self.bounds[1]):
            message = f"metric {self.name!r}: bounds must be (low, high) with low < high, not {given!r}"
            raise MetricError(message)
        for word in ("without_relevant", "ideal"):
            value = getattr(self, word)
            if value is not None and not _within(np.atleast_1d(np.float64(value)), self.bounds).all():
                message = f"metric {self.name!r}: {word}={value:g} lies outside its bounds {_shown(self.bounds)}"
                raise MetricError(message)

    @property
    def usage(self) -> str:
        """How its name is written, with every parameter: ``nDCG(a=…, gains=linear, judged_only=False)@k``."""
        shown = {name: one for name, one in self.parameters.items() if name != "k"}
        texts = {name: "…" if one.required or one.default is None else str(one.default) for name, one in shown.items()}
        texts |= {self.gains_word: str(self.default_gains)} if self.gains_word else {}
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
    relevant: Counts | None = None,
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
    kernel, relevant, higher_is_better, bounds, without_relevant, judged_only, graded, ideal, monotone, cite
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
        Every parameter, sorted by name, ``judged_only``, ``gains`` and ``quant`` included where the spec has them.
    quantisation : Quantisation or None
        The function behind ``gains=`` or ``quant=``, where it is not a table.
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
    def on(self) -> On:
        """What it ranks: documents, elements or passages."""
        return self.spec.on

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
        """The score of a list that is not there: the lower bound, or the upper one where lower is better."""
        worst = float(self.spec.bounds[0 if self.higher_is_better else 1])
        if not np.isfinite(worst):
            end = "smallest" if self.higher_is_better else "largest"
            message = (
                f"{self.name} has no {end} value, so a run that lacks a topic has no score there; drop those runs "
                "or topics when reading (missing='drop-systems' or 'drop-topics')"
            )
            raise MetricError(message)
        return worst

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Return the value of one parameter."""
        return dict(self.parameters)[name]

    def n_relevant(self, lists: JudgedLists) -> NDArray[np.int64]:
        """Return how many things of every topic count as relevant: by ``rel``, by gain, or as the spec says."""
        values = dict(self.parameters)
        view = self.view(lists)
        if self.spec.relevant is not None:
            counts = np.asarray(self.spec.relevant(view, **self.own_values()))
            if counts.dtype.kind not in "biu" or counts.shape != view.lengths.shape[1:]:
                message = (
                    f"{self.name}: relevant= must return whole numbers of shape {view.lengths.shape[1:]} (topics), "
                    f"not {counts.dtype} of shape {counts.shape}"
                )
                raise MetricError(message)
            return counts.astype(np.int64)
        if not isinstance(view, RankedLists):
            return view.n_relevant()
        if values.get("rel") is not None:
            return view.n_relevant(values["rel"])
        return view.n_with_gain() if self.spec.graded else view.n_relevant()

    def compute(self, lists: JudgedLists) -> NDArray[np.float64]:
        """Return the scores, shape (n_systems, n_topics); lists that are not there get `worst`.

        Parameters
        ----------
        lists : RankedLists, ElementLists or PassageLists
            As the spec's ``on`` says.

        Raises
        ------
        MetricError
            If a value is no finite number or lies outside the metric's bounds, or its function or kernel fails.
        """
        view = self.view(lists)
        kernel, function = self.spec.kernel, self.spec.function
        if kernel is not None:
            values = self._all_at_once(view, kernel)
        elif function is not None and isinstance(view, RankedLists):
            values = self._one_by_one(view, function)
        else:  # a spec has one of the two, and a kernel where it does not rank documents
            message = f"{self.name} ranks {self.on}, and these are {type(view).__name__}"
            raise MetricError(message)
        check_values(self.name, values, self.spec.bounds, lists.collection.systems, lists.collection.topics)
        absent = lists.collection.n_retrieved == 0
        if self.without_relevant is not None:
            absent &= self.n_relevant(lists) > 0
        if absent.any():
            values = np.where(absent, self.worst, values)
        return values

    def own_values(self) -> dict[str, Any]:
        """Return the parameters that its function or kernel takes."""
        return {name: value for name, value in self.parameters if name in self.spec.parameters}

    def _all_at_once(self, view: JudgedLists, kernel: Callable[..., Any]) -> NDArray[np.float64]:
        try:
            found = kernel(view, **self.own_values())
        except (MetaevalError, MemoryError):
            raise
        except Exception as error:
            message = f"{self.name}: the kernel fails: {type(error).__name__}: {error}"
            raise MetricError(message) from error
        values = np.asarray(found)
        if values.shape != view.lengths.shape:
            message = f"{self.name}: the kernel must return shape {view.lengths.shape}, not {values.shape}"
            raise MetricError(message)
        if values.dtype.kind not in "biuf" or np.ma.is_masked(found):
            what = "masked values" if np.ma.is_masked(found) else f"values of type {values.dtype}"
            message = f"{self.name}: the kernel must return real numbers (float64), not {what}"
            raise MetricError(message)
        return values.astype(np.float64)

    def _one_by_one(self, view: RankedLists, function: Callable[..., Any]) -> NDArray[np.float64]:
        own = self.own_values()
        values = np.zeros(view.lengths.shape)
        if self.without_relevant is None:
            defined = np.ones(view.n_topics, dtype=bool)
        else:
            defined = self.n_relevant(view) > 0
            values[:] = self.without_relevant
        wanted = np.flatnonzero((view.collection.n_retrieved > 0) & defined)
        todo = ranked_topics(view, wanted, judged_only=bool(dict(self.parameters).get("judged_only")))
        for system, topic, one in track(todo, description=self.name, total=len(wanted)):
            try:
                value = function(one, **own)
            except (MetaevalError, MemoryError):
                raise
            except Exception as error:
                message = f"{self.name} fails for {_place(view, system, topic)}: {type(error).__name__}: {error}"
                raise MetricError(message) from error
            number = _as_number(value)
            if number is None:
                place = _place(view, system, topic)
                message = f"{self.name} must give a finite number for every list; {place} got {value!r:.200}"
                raise MetricError(message)
            values[system, topic] = number
        return values

    @overload
    def view(self, lists: ElementLists) -> ElementLists: ...
    @overload
    def view(self, lists: JudgedLists) -> JudgedLists: ...
    def view(self, lists: JudgedLists) -> JudgedLists:
        """Return the lists as its function or kernel gets them: condensed, or under its quantisation."""
        values = dict(self.parameters)
        if isinstance(lists, ElementLists) and self.quantisation is not None:
            return lists.quantised(values["quant"], self.quantisation)
        if not isinstance(lists, RankedLists):
            return lists
        view = lists.condensed() if values.get("judged_only") else lists
        gains = values.get("gains", LINEAR)
        top = max(lists.highest, values.get("max_level") or 0)
        if not self.spec.graded or (gains == LINEAR and top == lists.highest):
            return view
        known = {} if self.quantisation is None else {self.quantisation.name: self.quantisation}
        present = np.flatnonzero(lists.counts.any(axis=0))
        return view.with_gains(gains, gain_table(gains, known, top_level=top, present=present))

    def _text(self, *, full: bool) -> str:
        shown = tuple(
            (key, self._as_shown(key, value, full=full))
            for key, value in self.parameters
            if key != "k" and self._is_shown(key, value, full=full)
        )
        return str(ParsedName(self.spec.name, shown, dict(self.parameters).get("k")))

    def _as_shown(self, key: str, value: Any, *, full: bool) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Leave the parameters of an element's quantisation out that have their default."""
        if full or key != "quant" or self.quantisation is None:
            return value
        own = self.quantisation.parameters
        return Call(value.word, tuple((name, one) for name, one in value.arguments if one != own[name].default))

    def _is_shown(self, key: str, value: object, *, full: bool) -> bool:
        if value is None or key == "judged_only":
            return bool(value)
        if full or key in _ALWAYS_SHOWN:
            return True
        return bool(value != (self.spec.default_gains if key == "gains" else self.spec.parameters[key].default))


def check_values(
    name: str,
    values: NDArray[np.float64],
    bounds: tuple[float, float],
    systems: Sequence[str],
    topics: Sequence[str],
) -> None:
    """Refuse scores that are no finite numbers, or lie outside the bounds by more than rounding.

    Parameters
    ----------
    name : str
        Of the metric.
    values : array (n_systems, n_topics)
    bounds : (float, float)
        Smallest and largest value that the metric declares.
    systems, topics : sequence of str
        Names for the message.

    Raises
    ------
    MetricError
        `BoundsError` outside the bounds. Naming the first such system and topic, the value and the bounds.

    Examples
    --------
    >>> check_values("AP", np.array([[1.0000000000000002]]), (0.0, 1.0), ["a"], ["1"])
    """
    if not np.isfinite(values).all():
        system, topic = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
        message = (
            f"{name} must give a finite number for every list; run {systems[system]!r}, topic {topics[topic]!r} got "
            f"{float(values[system, topic])!r}"
        )
        raise MetricError(message)
    inside = _within(values, bounds)
    if inside.all():
        return
    system, topic = (int(place) for place in np.argwhere(~inside)[0])
    more = int((~inside).sum()) - 1
    message = (
        f"{name} lies outside the declared bounds {_shown(bounds)} for run {systems[system]!r}, topic "
        f"{topics[topic]!r}: {float(values[system, topic])!r}{f' (and {more} more)' if more else ''}; correct the "
        "metric, or declare the bounds that it has: @metric(bounds=(low, high))"
    )
    raise BoundsError(message)


def _within(values: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.bool_]:
    """Say which values lie within bounds, those that equal a bound on paper included.

    A value near 0 is a difference of larger numbers, so the sizes are those of the whole range.
    """
    low, high = map(float, bounds)
    finite = [abs(bound) for bound in (low, high) if np.isfinite(bound)]
    size = max(finite) if len(finite) > 1 else max([*finite, float(np.abs(values).max(initial=0.0))])
    allowance = RELATIVE * size
    return (values >= low - allowance) & (values <= high + allowance)


def _shown(bounds: tuple[float, float]) -> str:
    return f"[{bounds[0]:g}, {bounds[1]:g}]"


def _place(lists: JudgedLists, system: int, topic: int) -> str:
    return f"run {lists.collection.systems[system]!r}, topic {lists.collection.topics[topic]!r}"


def _as_number(value: object) -> float | None:
    """Return what a plug-in's function gave as a number; None for anything that only looks like one."""
    if isinstance(value, np.ndarray | np.generic) and (value.ndim or value.dtype.kind not in "biuf"):
        return None
    if getattr(value, "shape", ()) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        return None
    try:
        return float(value)  # type: ignore[arg-type]  # it has one of the two methods
    except (TypeError, ValueError, OverflowError):
        return None


def _same_parameters(first: Mapping[str, Parameter], second: Mapping[str, Parameter]) -> bool:
    def plain(read: Mapping[str, Parameter]) -> set[tuple[object, ...]]:
        return {(one.name, one.type, one.default, one.required) for one in read.values()}

    return plain(first) == plain(second)
