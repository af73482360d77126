"""Specs and metrics: signatures checked at once, contradictions refused, names in full."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.metrics import BUILTIN, MetricError, MetricSpec, Quantisation, RankedLists, RankedTopic, metric
from metaeval.testing import check_metric


def half(_: RankedTopic, *, rel: int = 1) -> float:
    """One half."""
    return rel / 2


def test_the_full_name_says_every_parameter():
    """Tools differ in their defaults, so reports print ours."""
    assert BUILTIN.resolve("nDCG@10").full_name == "nDCG(gains=linear)@10"
    assert BUILTIN.resolve("Q'").full_name == "Q(beta=1, gains=linear, judged_only=True)"
    assert BUILTIN.resolve("AP").full_name == "AP(rel=1)"


def two(first, second):
    """Take two positional arguments."""


def loose(topic, **options):
    """Hide its options."""


def untyped(topic, *, rel):
    """Leave the type of rel open."""


def listed(topic, *, levels: list[int]):
    """Want a list."""


def reserved(topic, *, gains: str = "linear"):
    """Use the registry's own word."""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (two, "it has 2 positional arguments"),
        (loose, r"it has \*options"),
        (untyped, "parameter rel needs a type among bool, int, float and str"),
        (listed, "parameter levels needs a type"),
        (reserved, "the parameter gains is the registry's own"),
        (3, "must be a function, not int"),
    ],
)
def test_a_signature_is_checked_when_the_metric_is_made(function, said):
    """Not when it first runs."""
    with pytest.raises(InvalidOptionError, match=said):
        metric(name="odd")(function)


def test_a_spec_that_contradicts_itself_is_refused():
    """Names, bounds, and function against kernel."""

    def kernel(lists: RankedLists, *, rel: int = 2) -> np.ndarray:
        return np.full(lists.lengths.shape, rel)

    with pytest.raises(MetricError, match="one word"):
        MetricSpec(name="two words", function=half)
    with pytest.raises(MetricError, match="needs function= or kernel="):
        MetricSpec(name="nothing")
    with pytest.raises(MetricError, match="must take the same parameters"):
        metric(name="half", kernel=kernel)(half)
    with pytest.raises(MetricError, match="bounds must be"):
        metric(name="half", bounds=(1.0, 0.0))(half)
    with pytest.raises(InvalidOptionError, match="one word"):
        Quantisation("two words", half)


def test_a_kernel_must_return_one_score_per_list():
    """A wrong shape never becomes a score."""

    def kernel(_: RankedLists) -> np.ndarray:
        return np.zeros(3)

    made = MetricSpec(name="flat", kernel=kernel)
    with pytest.raises(MetricError, match="the kernel must return shape"):
        check_metric(made, n_collections=1)
