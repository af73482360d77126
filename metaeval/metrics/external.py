"""Measures that are not ours, computed through ``ir_measures``, one at a time and unchanged.

A measure of whole documents depends only on the ranks of the judged ones and the length of the list, so the runs are
rebuilt from the compiled collection: judged documents at their ranks, placeholders between them, and scores that fall
with the rank, so that no tool's tie order matters.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.metric_names import Call, GainTable, MetricNameError, ParsedName
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.bounds import MetricError, check_values
from metaeval.metrics.lists import RankedLists
from metaeval.metrics.resolved import AnyMetric
from metaeval.running.parallel import track

_SHARES = (
    *("AP", "AP_IA", "Accuracy", "Bpref", "Compat", "IPrec", "Judged", "P", "P_IA", "R", "RR", "Rprec"),
    *("SetAP", "SetF", "SetP", "SetR", "StRecall", "Success", "infAP", "nDCG"),
)
_ANYTHING = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class ExternalMetric:
    """A measure of ir_measures, in the form that scoring wants."""

    name: str
    """As ir_measures prints it, in our spelling."""
    measure: Any
    """The measure itself."""

    higher_is_better = True
    worst = 0.0
    without_relevant = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value: 0 and 1 of a share, 0 of its other measures; anything of others' own measures."""
        if type(self.measure).__module__.split(".")[0] != "ir_measures":
            return _ANYTHING
        return (0.0, 1.0 if self.measure.NAME in _SHARES else np.inf)

    def n_relevant(self, lists: RankedLists) -> NDArray[np.int64]:
        """Return the number of relevant documents of every topic, from the level that the measure's ``rel`` says."""
        rel = dict(self.measure.params).get("rel")
        return lists.n_relevant(1 if rel is None else max(int(rel), 1))

    def compute(self, lists: RankedLists) -> NDArray[np.float64]:
        """Return the scores, shape (n_systems, n_topics); 0 for a list that is not there."""
        import ir_measures  # noqa: PLC0415 - optional, and slow to import

        collection = lists.collection
        if collection.grades is not None:
            raise InvalidOptionError(
                f"{self.name} is computed by ir_measures, which takes whole grades, and these are not (such as "
                f"{collection.grades[-1]:.6g}); turn them into levels first (Collection.at_thresholds)"
            )
        judgments = _qrels_frame(collection)
        values = np.zeros(lists.lengths.shape)
        topics = {name: column for column, name in enumerate(collection.topics)}
        for row in track(range(collection.n_systems), description=self.name):
            run = _run_frame(collection, row)
            try:
                records = list(ir_measures.iter_calc([self.measure], judgments, run)) if len(run) else []
            except (ValueError, AssertionError, RuntimeError, OSError, ImportError) as error:
                raise InvalidOptionError(f"ir_measures cannot compute {self.name}: {error}") from error
            for record in records:
                values[row, topics[record.query_id]] = _number(record.value, self.name)
        check_values(f"{self.name} of ir_measures", values, self.bounds, collection.systems, collection.topics)
        return np.where(collection.n_retrieved == 0, self.worst, values)


def _number(value: object, name: str) -> float:
    try:
        return float(value)  # type: ignore[arg-type]  # what it is, the next line says
    except (TypeError, ValueError) as error:
        raise MetricError(f"ir_measures gives {value!r:.200} for {name}, which is no number") from error


def external_metric(parsed: ParsedName) -> ExternalMetric | None:
    """Return the measure of ir_measures that a parsed name means, or None if it knows none (or is not installed)."""
    try:
        import ir_measures  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        return None
    classes = ir_measures.measures.registry
    alike = [name for name in classes if name.casefold() == parsed.word.casefold()]
    word = parsed.word if parsed.word in classes else alike[0] if len(alike) == 1 else None
    if word is None:
        return None
    prototype = classes[word]
    named = [*parsed.arguments, ("judged_only", True)] if parsed.judged_only else [*parsed.arguments]
    arguments = {"cutoff" if key == "k" else key: _plain(value) for key, value in named}
    if parsed.cutoff is not None:
        arguments[prototype.AT_PARAM] = parsed.cutoff
    renamed = replace(parsed, word=word)
    return ExternalMetric(str(renamed), prototype(**_checked_arguments(renamed, arguments, prototype.SUPPORTED_PARAMS)))


def _checked_arguments(parsed: ParsedName, arguments: dict[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Refuse what the measure does not take, before any run is scored; whole numbers may stand for floats."""
    for key, value in arguments.items():
        if key in known and known[key].dtype is float and isinstance(value, int):
            arguments[key] = float(value)
    wrong = [f"has no {key}" if key else "names its arguments" for key in arguments if key not in known]
    wrong += [f"needs {key}" for key, parameter in known.items() if parameter.required and key not in arguments]
    wrong += [
        f"refuses {key}={arguments[key]!r}"
        for key in arguments
        if key in known and not known[key].validate(arguments[key])
    ]
    if wrong:
        takes = ", ".join(known) or "nothing"
        raise MetricNameError(f"{parsed}: {parsed.word} of ir_measures {'; '.join(wrong)}. It takes {takes}")
    return arguments


def from_ir_measures(
    measure: Any,  # noqa: ANN401 - its classes are not imported here
    find: Callable[[ParsedName], AnyMetric | None],
) -> AnyMetric:
    """Turn a measure of ir_measures into a registered metric where there is one, else into an `ExternalMetric`.

    `find` looks a name up in a registry. Parameters that the measure does not name keep the defaults of ir_measures
    (RBP: p = 0.8).
    """
    params = dict(measure.params)
    if measure.NAME == "RBP":
        params.setdefault("p", measure["p"])
    cutoff = params.pop(measure.AT_PARAM, None)
    arguments = tuple((key, _value(value)) for key, value in params.items())
    parsed = ParsedName(measure.NAME, arguments, cutoff)
    try:
        registered = find(parsed.with_own_keys())
    except MetricNameError:
        registered = None
    return ExternalMetric(str(parsed), measure) if registered is None else registered


def _value(value: Any) -> Any:  # noqa: ANN401 - a parameter of any type
    match value:
        case dict():
            return GainTable(tuple(sorted(value.items())))
        case str():
            return Call(value)
    return value


def _plain(value: Any) -> Any:  # noqa: ANN401 - a parameter of any type
    match value:
        case GainTable():
            return dict(value.entries)
        case Call():
            return str(value)
    return value


def _qrels_frame(collection: Collection) -> pd.DataFrame:
    judged = np.flatnonzero(collection.judged)
    topics = np.array(collection.topics, dtype=object)[collection.topic_of_judgment[judged]]
    return pd.DataFrame(
        {
            "query_id": topics,
            "doc_id": [f"j{index}" for index in judged.tolist()],
            "relevance": collection.levels[judged].astype(int),
        }
    )


def _run_frame(collection: Collection, row: int) -> pd.DataFrame:
    parts = []
    for column in np.flatnonzero(collection.n_retrieved[row]):
        number = row * collection.n_topics + int(column)
        span = slice(collection.offsets[number], collection.offsets[number + 1])
        length = int(collection.n_retrieved[row, column])
        names = [f"u{rank}" for rank in range(1, length + 1)]
        for rank, index in zip(collection.ranks[span].tolist(), collection.judgments[span].tolist(), strict=True):
            names[rank - 1] = f"j{index}"
        scores = np.arange(length, 0, -1, dtype=float)
        parts.append(pd.DataFrame({"query_id": collection.topics[column], "doc_id": names, "score": scores}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
