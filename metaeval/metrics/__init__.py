"""What is measured: the registry, quantisations and one file a measure or close family."""

from metaeval.metrics.bounds import MetricError
from metaeval.metrics.builtin import BUILTIN
from metaeval.metrics.lists import IdealLists, JudgedLists, RankedLists, RankedTopic
from metaeval.metrics.names import MetricNameError, ParsedName, parse_name, short_label, split_names
from metaeval.metrics.plugins import PluginWarning, default_registry, load_plugin, load_plugins
from metaeval.metrics.precision_recall import precision_recall_curves
from metaeval.metrics.presets import PRESETS, Preset
from metaeval.metrics.quantisation import QUANTISATIONS, Quantisation
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.score import metric_values, resolve_metrics, score
from metaeval.metrics.spec import MetricSpec, metric

__all__ = [
    "BUILTIN",
    "PRESETS",
    "QUANTISATIONS",
    "AnyMetric",
    "IdealLists",
    "JudgedLists",
    "Metric",
    "MetricError",
    "MetricNameError",
    "MetricSpec",
    "ParsedName",
    "PluginWarning",
    "Preset",
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
    "precision_recall_curves",
    "resolve_metrics",
    "score",
    "short_label",
    "split_names",
]
