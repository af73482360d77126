"""Our metrics for users of ir_measures, who ask it for measures and know nothing of metaeval."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from metaeval.errors import InvalidOptionError
from metaeval.io.interop import collection_from
from metaeval.metrics.external import from_ir_measures
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import metric_values
from metaeval.metrics.spec import MetricSpec


def ir_measures_provider(*, registry: Registry | None = None, register: bool = False) -> Any:  # noqa: ANN401 - of a class of ir_measures
    """Return a provider of ir_measures that computes what metaeval has: documents' metrics, without subtopics.

    Parameters
    ----------
    registry : Registry, optional
        The metrics; by default those of metaeval and of installed packages.
    register : bool, default False
        Make them known to ir_measures: ``ir_measures.parse_measure("Q@10")`` then finds them, and
        ``ir_measures.calc_aggregate`` asks this provider for what no other computes. Its own names stay as they are.

    Returns
    -------
    ir_measures.Provider
        Its ``measures`` leads from names to measures, which take parameters and cut-offs as those of ir_measures do.
        Values are those of `metaeval.score`, in units of the metric, for every topic with judgments.

    Raises
    ------
    InvalidOptionError
        If ir_measures is not installed.

    See Also
    --------
    metaeval.metrics.resolve_metrics : The other way: measures of ir_measures as metrics.

    Examples
    --------
    >>> provider = ir_measures_provider()
    >>> run, qrels = {"1": {"d9": 2.0, "d1": 1.0}}, {"1": {"d1": 2, "d2": 1}}
    >>> provider.calc_aggregate([provider.measures["Q"] @ 10], qrels, run)
    {Q@10: 0.3}
    """
    try:
        import ir_measures  # noqa: PLC0415 - optional, and slow to import
    except ImportError as error:
        raise InvalidOptionError("a provider for ir_measures needs that package: pip install ir-measures") from error
    provider = _provider_class()(default_registry() if registry is None else registry)
    if register:
        ir_measures.providers.register(provider)
        others = ir_measures.DefaultPipeline.providers
        others[:] = [*(other for other in others if other.NAME != provider.NAME), provider]
        ir_measures.measures.registry.update(provider.measures)
    return provider


def _measure(spec: MetricSpec) -> Any:  # noqa: ANN401 - of a class of ir_measures
    """Return the measure of this name, or one with the parameters of a metric, the cut-off as ir_measures calls it."""
    from ir_measures import measures  # noqa: PLC0415 - optional, and slow to import

    if spec.name in measures.registry:
        return measures.registry[spec.name]
    needed = {"cutoff" if name == "k" else name: parameter.required for name, parameter in spec.parameters.items()}
    needed |= {"gains": False} if spec.gains_word else {}
    needed |= {"judged_only": False} if spec.judged_only else {}
    takes = {name: measures.ParamInfo(required=required) for name, required in needed.items()}
    about = {"__name__": spec.name, "NAME": spec.name, "SHORT_DESC": spec.summary, "SUPPORTED_PARAMS": takes}
    return type(spec.name, (measures.Measure,), {**about, "__module__": __name__})()


def _values(run: Any, qrels: Mapping[Any, Any], metrics: Iterable[Metric]) -> dict[Metric, dict[Any, float]]:  # noqa: ANN401 - any form of run
    """Return the values of one run by metric and topic with judgments, for topics as they are given."""
    lists = {str(topic): names for topic, names in run.items() if names and topic in qrels}
    if not lists:
        return {metric: dict.fromkeys(qrels, metric.worst) for metric in metrics}
    topics = {str(topic): topic for topic in qrels}
    collection = collection_from({"run": lists}, {str(topic): levels for topic, levels in qrels.items()})
    asked = list(dict.fromkeys(metrics))
    names = [topics[topic] for topic in collection.topics]
    rows = metric_values(collection, asked)[:, 0].tolist()
    return {metric: dict(zip(names, row, strict=True)) for metric, row in zip(asked, rows, strict=True)}


@cache
def _provider_class() -> Any:  # noqa: ANN401 - a class of ir_measures, which is optional
    from ir_measures import Metric as Value  # noqa: PLC0415 - slow to import
    from ir_measures import providers, util  # noqa: PLC0415 - likewise

    class ScoresOfRun(providers.Evaluator):
        def __init__(self, metrics: Mapping[Any, Metric], qrels: Mapping[Any, Any]) -> None:
            super().__init__(list(metrics), set(qrels))
            self.metrics, self.qrels = metrics, qrels

        def _iter_calc(self, run: object) -> Iterator[Value]:
            values = _values(util.RunConverter(run).as_dict_of_dict(), self.qrels, self.metrics.values())
            for measure, metric in self.metrics.items():
                yield from (Value(topic, measure, value) for topic, value in values[metric].items())

    class MetricsOfOurs(providers.Provider):
        NAME = "metaeval"

        def __init__(self, registry: Registry) -> None:
            super().__init__()  # type: ignore[no-untyped-call]  # ir_measures has few types
            self._registry = registry
            takes = (spec for spec in registry if spec.on == "documents" and not spec.subtopics)
            self.measures = {spec.name: _measure(spec) for spec in takes}

        def _metric(self, measure: Any) -> Metric:  # noqa: ANN401 - of ir_measures
            metric = from_ir_measures(measure, self._registry.from_parsed) if measure.NAME else None
            if not isinstance(metric, Metric) or metric.spec.name not in self.measures:
                raise InvalidOptionError(f"unsupported measures {measure}")  # as its own providers say
            return metric

        def supports(self, measure: Any) -> bool:  # noqa: ANN401 - of ir_measures
            measure.validate_params()
            try:
                self._metric(measure)
            except InvalidOptionError:
                return False
            return True

        def _evaluator(self, measures: Iterable[Any], qrels: object) -> ScoresOfRun:
            judgments = util.QrelsConverter(qrels).as_dict_of_dict()
            return ScoresOfRun({measure: self._metric(measure) for measure in measures}, judgments)

    return MetricsOfOurs
