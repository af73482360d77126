"""What the tests of metrics share."""

import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics import metric_values


@pytest.fixture(scope="module")
def values_of(one_core):  # noqa: ARG001 - asked for, so that it holds
    """Score one list on one topic: ``values_of(ranking, qrels, names)``."""

    def scored(ranking, qrels, names):
        return metric_values(collection_from_rankings({"run": {"1": ranking}}, {"1": qrels}), names)[:, 0, 0]

    return scored
