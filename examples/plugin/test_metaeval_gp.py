"""What a plug-in's own tests may look like."""

import pytest
from metaeval_gp import generalised_precision

from metaeval.metrics import default_registry
from metaeval.testing import check_metric


@pytest.mark.parametrize("name", ["MeanGain@5", "MeanGain(gains=exponential)@3", "MeanGain'@5"])
def test_it_obeys_the_common_laws(name: str) -> None:
    """Bounds, order, condensed lists, direction, and that function and kernel agree."""
    registry = default_registry()
    if "MeanGain" not in registry:  # not installed: run from this folder
        registry = registry.extend(generalised_precision)
    check_metric(name, registry=registry)
