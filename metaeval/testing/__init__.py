"""What the author of a metric runs against it: the laws that every built-in metric obeys.

Use it in any test runner::

    from metaeval.testing import check_metric

    def test_my_metric():
        check_metric(my_metric)

or see what holds, law by law, with `examine_metric`, as ``metaeval check-metric FILE.py`` prints it.
"""

from metaeval.testing.examination import MetricExamination, check_metric, examine_metric
from metaeval.testing.simulated import simulated_collections
from metaeval.testing.spoiled import spoiled_translations

__all__ = ["MetricExamination", "check_metric", "examine_metric", "simulated_collections", "spoiled_translations"]
