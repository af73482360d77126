"""What is measured: the registry, quantisations and one file a measure or close family."""

from metaeval.metrics.builtin import BUILTIN
from metaeval.metrics.lists import RankedLists, RankedTopic
from metaeval.metrics.names import MetricNameError, parse_name, short_label, split_names
from metaeval.metrics.plugins import PluginWarning, default_registry, load_plugin, load_plugins
from metaeval.metrics.quantisation import QUANTISATIONS, Quantisation
from metaeval.metrics.registry import Registry
from metaeval.metrics.score import metric_values, resolve_metrics, score
from metaeval.metrics.spec import Metric, MetricError, MetricSpec, metric

__all__ = [
    "BUILTIN",
    "QUANTISATIONS",
    "Metric",
    "MetricError",
    "MetricNameError",
    "MetricSpec",
    "PluginWarning",
    "Quantisation",
    "RankedLists",
    "RankedTopic",
    "Registry",
    "default_registry",
    "load_plugin",
    "load_plugins",
    "metric",
    "metric_values",
    "parse_name",
    "resolve_metrics",
    "score",
    "short_label",
    "split_names",
]
