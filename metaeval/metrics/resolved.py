"""A metric with its parameters filled in, ``AP(rel=2)``: its names, and its scores on the lists of a collection."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from metaeval.base.faults import fault
from metaeval.base.metric_names import Call, ParsedName
from metaeval.base.plugins import number_given
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.base import On
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.metrics.bounds import MetricError, check_values
from metaeval.metrics.lists import JudgedLists, RankedLists, ranked_topics
from metaeval.metrics.quantisation import LINEAR, Quantisation, gain_table
from metaeval.metrics.spec import MetricSpec
from metaeval.running.parallel import track

_ALWAYS_SHOWN = ("p", "a", "quant")


class AnyMetric(Protocol):
    """Interface of a metric for scoring, built-in or external."""

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


@dataclass(frozen=True, slots=True)
class Metric(ShortRepr):
    """A metric with values for its parameters."""

    spec: MetricSpec
    parameters: tuple[tuple[str, Any], ...]
    """Every parameter, sorted by name, ``judged_only``, ``gains`` and ``quant`` included where the spec has them."""
    quantisation: Quantisation | None = None
    """The function behind ``gains=`` or ``quant=``, where it is not a table."""
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """Parameters that were written, defaults too; those of the quantisation as in ``gains.rel``. Metrics that differ
    in nothing else are equal."""

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
            raise MetricError(
                f"{self.name} has no {end} value, so a run that lacks a topic has no score there; drop those runs "
                "or topics when reading (`missing='drop-systems'` or `'drop-topics'`)"
            )
        return worst

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Return the value of one parameter."""
        return dict(self.parameters)[name]

    def n_relevant(self, lists: JudgedLists) -> NDArray[np.int64]:
        """Return how many things of every topic count as relevant: by ``rel``, by gain, or as the spec says."""
        values = dict(self.parameters)
        view = self.view(lists)
        if self.spec.relevant is not None:
            counts = np.asarray(self.spec.relevant(view, **self._levels_for(view)))
            if counts.dtype.kind not in "biu" or counts.shape != view.lengths.shape[1:]:
                raise MetricError(
                    f"{self.name}: relevant must return whole numbers of shape {view.lengths.shape[1:]} (topics), "
                    f"not {counts.dtype} of shape {counts.shape}"
                )
            return counts.astype(np.int64)
        if not isinstance(view, RankedLists):
            return view.n_relevant()
        if values.get("rel") is not None:
            return view.n_relevant(view.level_from(values["rel"]))
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
        if function is not None and isinstance(view, RankedLists) and view.grades is not None:
            kernel = kernel if self.spec.real_grades else None
        if kernel is not None:
            values = self._all_at_once(view, kernel)
        elif function is not None and isinstance(view, RankedLists):
            values = self._one_by_one(view, function)
        else:  # a spec has one of the two, and a kernel where it does not rank documents
            raise MetricError(f"{self.name} ranks {self.on}, and these are {type(view).__name__}")
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

    def _levels_for(self, view: JudgedLists) -> dict[str, Any]:
        """Return its parameters as a kernel takes them: thresholds and the top of the scale as levels."""
        values = self.own_values()
        if not isinstance(view, RankedLists):
            return values
        if isinstance(values.get("rel"), int | float):
            values["rel"] = view.level_from(values["rel"])
        top = values.get("max_level")
        if isinstance(top, int | float):
            if view.grades is None and top != int(top):
                message = f"{self.name}: the grades of these judgments are whole, but max_level={top:g} is not"
                raise MetricError(message)
            values["max_level"] = view.level_from(top)
        return values

    def _refuse_real_grades(self, grades: NDArray[np.float64]) -> None:
        """Refuse lists whose grades are not whole where a threshold would have to be guessed, or a kernel to guess."""
        parameters = dict(self.parameters)
        asked = ["rel"] if isinstance(parameters.get("rel"), int | float) else []
        gains = parameters.get("gains")
        if isinstance(gains, Call) and "rel" in dict(gains.arguments):
            asked.append("gains.rel")
        missing = next((name for name in asked if name not in self.given), None)
        if missing is not None:
            broken = grades[grades % 1 > 0]
            short = [
                rounded for rounded in (float(f"{grade:.3g}") for grade in broken) if rounded % 1
            ] or broken.tolist()
            example = short[len(short) // 2]
            if missing == "rel":
                parameters["rel"] = example
            elif isinstance(gains, Call):
                parameters["gains"] = Call(gains.word, tuple((dict(gains.arguments) | {"rel": example}).items()))
            written = replace(self, parameters=tuple(parameters.items())).name
            raise InvalidOptionError(
                f"{self.name} counts documents as relevant from some grade on, and the grades of these judgments are "
                f"not whole (such as {example:g}), so say from which, as in {written}"
            )
        if self.spec.function is None and not self.spec.real_grades:
            raise MetricError(
                f"{self.name} has a kernel for whole grades alone, and these are not whole (such as {grades[-1]:.6g}); "
                "turn them into levels (Collection.at_thresholds), or give it a function, or real_grades=True"
            )

    def _all_at_once(self, view: JudgedLists, kernel: Callable[..., Any]) -> NDArray[np.float64]:
        try:
            returned = kernel(view, **self._levels_for(view))
        except (MetaevalError, MemoryError):
            raise
        except Exception as error:
            raise MetricError(f"{self.name}: the kernel fails: {fault(error)}") from error
        values = np.asarray(returned)
        if values.shape != view.lengths.shape:
            raise MetricError(f"{self.name}: the kernel must return shape {view.lengths.shape}, not {values.shape}")
        if values.dtype.kind not in "biuf" or np.ma.is_masked(returned):
            kind = "masked values" if np.ma.is_masked(returned) else f"values of type {values.dtype}"
            raise MetricError(f"{self.name}: the kernel must return real numbers (float64), not {kind}")
        return values.astype(np.float64)

    def _one_by_one(self, view: RankedLists, function: Callable[..., Any]) -> NDArray[np.float64]:
        arguments = self.own_values()
        values = np.zeros(view.lengths.shape)
        if self.without_relevant is None:
            defined = np.ones(view.n_topics, dtype=bool)
        else:
            defined = self.n_relevant(view) > 0
            values[:] = self.without_relevant
        wanted = np.flatnonzero((view.collection.n_retrieved > 0) & defined)
        todo = ranked_topics(view, wanted, judged_only=bool(dict(self.parameters).get("judged_only")))
        for system, topic, ranked_topic in track(todo, description=self.name, total=len(wanted)):
            try:
                value = function(ranked_topic, **arguments)
            except (MetaevalError, MemoryError):
                raise
            except Exception as error:
                raise MetricError(f"{self.name} fails for {_place(view, system, topic)}: {fault(error)}") from error
            number = number_given(value)
            if number is None:
                location = _place(view, system, topic)
                raise MetricError(
                    f"{self.name} must give a finite number for every list; {location} got {value!r:.200}"
                )
            values[system, topic] = number
        return values

    def view(self, lists: Any) -> Any:  # noqa: ANN401 - of its own kind
        """Return the lists as its function or kernel gets them: condensed, or under its quantisation."""
        values = dict(self.parameters)
        if self.spec.on == "elements" and self.quantisation is not None:
            return lists.quantised(values["quant"], self.quantisation)
        if not isinstance(lists, RankedLists):
            return lists
        view = lists.condensed() if values.get("judged_only") else lists
        gains = values.get("gains", LINEAR)
        if view.grades is not None:
            self._refuse_real_grades(view.grades)
            view = view.with_top(values.get("max_level"))
        top = view.highest if view.grades is not None else max(view.highest, int(values.get("max_level") or 0))
        if not self.spec.graded or (gains == LINEAR and top == view.highest):
            return view
        quantisations = {} if self.quantisation is None else {self.quantisation.name: self.quantisation}
        present = np.flatnonzero(lists.counts.any(axis=0))
        return view.with_gains(
            gains, gain_table(gains, quantisations, top_level=top, present=present, grades=view.grades)
        )

    def _text(self, *, full: bool) -> str:
        arguments = tuple(
            (key, self._as_shown(key, value, full=full))
            for key, value in self.parameters
            if key != "k" and self._is_shown(key, value, full=full)
        )
        return str(ParsedName(self.spec.name, arguments, dict(self.parameters).get("k")))

    def shown(self, name: str) -> object:
        """Return a parameter as the name has it: a quantisation without the arguments that have their defaults."""
        return self._as_shown(name, self[name], full=False)

    def _as_shown(self, key: str, value: Any, *, full: bool) -> Any:  # noqa: ANN401 - the type is the parameter's own
        """Leave the parameters of an element's quantisation out that have their default."""
        if full or key != "quant" or self.quantisation is None:
            return value
        parameters = self.quantisation.parameters
        return Call(
            value.word,
            tuple((name, argument) for name, argument in value.arguments if argument != parameters[name].default),
        )

    def _is_shown(self, key: str, value: object, *, full: bool) -> bool:
        if value is None or key == "judged_only":
            return bool(value)
        if full or key in _ALWAYS_SHOWN:
            return True
        return bool(value != (self.spec.default_gains if key == "gains" else self.spec.parameters[key].default))


def _place(lists: JudgedLists, system: int, topic: int) -> str:
    return f"run {lists.collection.systems[system]!r}, topic {lists.collection.topics[topic]!r}"
