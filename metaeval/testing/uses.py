"""The uses of a metric that its name leaves open: other gains, and the condensed list."""

from collections.abc import Iterator
from dataclasses import replace

from metaeval.base.metric_names import Call
from metaeval.errors import InvalidOptionError
from metaeval.metrics.bounds import MetricError
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import metric_values
from metaeval.testing.simulated import collections_for, levels_for


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
