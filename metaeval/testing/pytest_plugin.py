"""For pytest: the laws of `metaeval.testing.check_metric`, each a test of its own, in the repository of a metric.

pytest loads this wherever metaeval is installed, so nothing is imported, and no test is touched, before one asks::

    @pytest.mark.metric_laws("HLU", "HLU(h=3)@5")
    def test_laws(metric_law):
        metric_law()
"""

from collections.abc import Callable

import pytest

_MARKER = (
    "metric_laws(*metrics, registry=None, n_collections=20): run the test once for each metric and each law "
    "that it is to obey, with a function metric_law that raises where the metric breaks the law."
)


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker in ``pytest --markers``."""
    config.addinivalue_line("markers", _MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of every metric and law that the marker names."""
    marker = metafunc.definition.get_closest_marker("metric_laws")
    if marker is None or "metric_law" not in metafunc.fixturenames:
        return
    from metaeval.testing.examination import laws_of  # noqa: PLC0415 - only where it is asked for

    laws = [law for metric in marker.args for law in laws_of(metric, **marker.kwargs)]
    metafunc.parametrize("metric_law", [check for _, check in laws], ids=[name for name, _ in laws])


@pytest.fixture
def metric_law() -> Callable[[], None]:
    """Check one law of one metric: a function without arguments, which raises where the law is broken."""
    pytest.fail("name metrics for metric_law: @pytest.mark.metric_laws('NAME') above the test", pytrace=False)
