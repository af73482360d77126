"""What a metric is: a spec, and a metric with its parameters filled in.

A `MetricSpec` says what a metric is called, how it is computed, which way is better and what holds for it. A
`Metric` is a spec with its parameters filled in: ``AP(rel=2)``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, Concatenate, get_args, overload

import numpy as np
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.metric_names import Call
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import On
from metaeval.errors import InvalidOptionError
from metaeval.metrics.bounds import MetricError, bounds_text, within_bounds
from metaeval.metrics.lists import RankedTopic
from metaeval.metrics.parameters import Parameter, read_parameters
from metaeval.metrics.quantisation import GENERALISED, LINEAR

RESERVED = ("judged_only", "gains", "quant")
"""Parameters that the registry itself gives to metrics."""

type TopicFunction = Callable[Concatenate[RankedTopic, ...], float]
type Kernel = Callable[Concatenate[Any, ...], NDArray[np.float64]]
type Counts = Callable[Concatenate[Any, ...], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec(ShortRepr):
    """The definition of a metric."""

    name: str
    """As it is written, without parameters."""
    function: TopicFunction | None = None
    """``f(topic, *, parameters) -> float`` with a `RankedTopic`."""
    kernel: Kernel | None = None
    """``f(lists, *, parameters) -> array (n_systems, n_topics)`` with `RankedLists` (`ElementLists`, `PassageLists`):
    all lists at once. Used instead of `function` where both are given; then they must take the same parameters."""
    on: On = "documents"
    """What it ranks. Measures of elements and passages have a `kernel`."""
    relevant: Counts | None = None
    """``f(lists, *, parameters) -> int array (n_topics,)``, the parameters being those of the kernel: how many things
    count as relevant, so that 0 says that the topic is undefined. By default ``lists.n_relevant()``."""
    higher_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    """Smallest and largest value; infinite where there is none. A score outside them is an error."""
    without_relevant: float | None = 0.0
    """The value on a topic where nothing is relevant under the metric. None: relevance makes no difference to whether
    it is defined."""
    judged_only: bool = True
    """Whether it can be computed on the condensed list (then ``Name'`` works); of documents only."""
    graded: bool = False
    """Whether it uses gains (then ``gains=`` works, or ``quant=`` for elements)."""
    real_grades: bool = False
    """Whether the kernel is right where grades are real-valued: levels are codes then (`RankedLists.grades`), and
    ``rel`` and ``max_level`` arrive as such. Without it the function is used there, which receives the grades."""
    subtopics: bool = False
    """Whether it needs judgments by subtopic (`Collection.subtopics`)."""
    ideal: float | None = None
    """Its value on an ideal ranking of everything relevant, if that is fixed."""
    monotone: bool = False
    """Whether moving a better document down, in exchange for a worse one, never raises the score."""
    cite: str = ""
    """Where it is described: a key of `metaeval.base.bibliography.PUBLICATIONS`, or a reference in your words."""
    summary: str = ""
    """One line; by default the first one of the function's docstring."""
    parameters: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)
    """Read from the signature."""

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise MetricError(f"a metric's name is one word (letters, digits, _), not {self.name!r}")
        functions = [function for function in (self.function, self.kernel) if function is not None]
        if not functions:
            raise MetricError(f"metric {self.name!r} needs a function or a kernel")
        self._check_on()
        read = [dict(read_parameters(function, what=f"metric {self.name!r}")) for function in functions]
        if len(read) > 1 and not _same_parameters(*read):
            message = f"metric {self.name!r}: function and kernel must take the same parameters with the same defaults"
            raise MetricError(message)
        taken = [name for name in read[0] if name in RESERVED]
        if taken:
            raise MetricError(
                f"metric {self.name!r}: the parameter {taken[0]} is the registry's own; "
                "use judged_only or graded of the spec"
            )
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
            message = f"metric {self.name!r}: a function of one ranked topic ranks documents; {self.on} need a kernel"
            raise MetricError(message)
        if self.graded and self.on == "passages":
            message = f"metric {self.name!r}: passages are highlighted or not, so there are no gains; leave out graded"
            raise MetricError(message)
        object.__setattr__(self, "judged_only", False)

    def _check_bounds(self) -> None:
        bounds: object = self.bounds
        pair = isinstance(bounds, tuple | list) and len(bounds) == 2  # noqa: PLR2004 - low, high
        if not (pair and all(isinstance(bound, Real) for bound in self.bounds) and self.bounds[0] < self.bounds[1]):
            raise MetricError(f"metric {self.name!r}: bounds must be (low, high) with low < high, not {bounds!r}")
        for word in ("without_relevant", "ideal"):
            value = getattr(self, word)
            if value is not None and not within_bounds(np.atleast_1d(np.float64(value)), self.bounds).all():
                message = f"metric {self.name!r}: {word}={value:g} lies outside its bounds {bounds_text(self.bounds)}"
                raise MetricError(message)

    @property
    def usage(self) -> str:
        """How its name is written, with every parameter: ``nDCG(a=…, gains=linear, judged_only=False)@k``."""
        parameters = {name: parameter for name, parameter in self.parameters.items() if name != "k"}
        texts = {
            name: "…" if parameter.required or parameter.default is None else str(parameter.default)
            for name, parameter in parameters.items()
        }
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
    real_grades: bool = False,
    ideal: float | None = None,
    monotone: bool = False,
    cite: str = "",
) -> Callable[[TopicFunction], MetricSpec]: ...
def metric(
    function: TopicFunction | None = None, /, *, name: str | None = None, **options: Any
) -> MetricSpec | Callable[[TopicFunction], MetricSpec]:
    """Define a metric by a function of one ranked topic, without registering it.

    Parameters
    ----------
    function : callable
        ``f(topic: RankedTopic, *, parameters) -> float``. Its keyword-only arguments become the metric's
        parameters; one called ``k`` is written after ``@``.
    name : str, optional
        The function's own name by default.
    kernel, relevant, higher_is_better, bounds, without_relevant, judged_only, graded : optional
        See `MetricSpec`; so the next four.
    real_grades, ideal, monotone, cite : optional
        See `MetricSpec`.

    Returns
    -------
    MetricSpec
        Or a decorator, where options are given first.

    Raises
    ------
    MetricError, InvalidOptionError
        If the signature has another form.

    See Also
    --------
    metaeval.metrics.plugins.load_plugin
    metaeval.metrics.plugins.default_registry
    metaeval.metrics.spec.MetricSpec

    Examples
    --------
    >>> @metric(name="Misses", higher_is_better=False, bounds=(0, float("inf")))
    ... def misses(topic: RankedTopic, *, rel: int = 1) -> float:
    ...     "Relevant documents that were not retrieved."
    ...     return topic.n_relevant(rel) - (topic.levels >= rel).sum()
    >>> misses.usage
    'Misses(judged_only=False, rel=1)'
    """
    if isinstance(function, str):
        raise InvalidOptionError(f"a metric's name is a keyword: write `@metric(name={function!r})`")

    def made(body: TopicFunction) -> MetricSpec:
        metric_name = name or str(getattr(body, "__name__", type(body).__name__))
        return MetricSpec(name=metric_name, function=body, **options)

    return made if function is None else made(function)


def _same_parameters(first: Mapping[str, Parameter], second: Mapping[str, Parameter]) -> bool:
    def plain(read: Mapping[str, Parameter]) -> set[tuple[object, ...]]:
        return {(parameter.name, parameter.type, parameter.default, parameter.required) for parameter in read.values()}

    return plain(first) == plain(second)
