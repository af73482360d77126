"""What a plug-in's own tests may look like."""

import pytest
from metaeval_graded import METRICS

from metaeval.metrics import default_registry
from metaeval.testing import check_metric


@pytest.mark.parametrize("name", ["MeanGain@5", "nCG@3", "HLU", "HLU'(h=3)@5", "Omeasure", "Omeasure(beta=10)"])
def test_it_obeys_the_common_laws(name: str) -> None:
    """Bounds, order, direction, and that function and kernel agree: under all gains, and on condensed lists."""
    registry = default_registry()
    if "HLU" not in registry:  # not installed: run from this folder
        registry = registry.extend(*METRICS)
    check_metric(name, registry=registry)
