"""What the author of a metric runs against it: the laws that every built-in metric obeys.

Use it in any test runner::

    from metaeval.testing import check_metric

    def test_my_metric():
        check_metric(my_metric)

or see what holds, law by law, with `examine_metric`, as ``metaeval check-metric FILE.py`` prints it.
"""

from metaeval.base.chapters import chapter

__getattr__, __dir__, __all__ = chapter(__name__, __file__)
