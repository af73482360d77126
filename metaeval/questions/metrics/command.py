"""`metaeval metrics`: what can be computed, and how to write it."""

from metaeval.cli.command import command
from metaeval.cli.reading import Answer, Loaded


@command("metrics", reads="plugins")
def metrics_command(loaded: Loaded) -> Answer:
    """List the metrics: built-in, installed and in plug-in files.

    Names follow ir_measures: `nDCG@10`, `AP(rel=2)`, `RBP(p=0.8)`; a prime, as in `AP'`, means the condensed list,
    without unjudged documents. The names of trec_eval, ranx and NTCIREVAL are also understood. Other measures of
    ir_measures are computed by that package, if it is installed.

    For example:

        metaeval metrics

        metaeval metrics --plugin my_metric.py

    Measures of elements and passages need INEX runs and assessments; those of documents work on them too.
    """
    from metaeval.questions.metrics.page import metrics_report  # noqa: PLC0415 - loads numba

    return metrics_report(loaded.registry, provenance=loaded.provenance)
