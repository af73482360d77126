"""Specs and metrics: signatures checked at once, contradictions refused, names in full."""

import numpy as np
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.metrics import BUILTIN, MetricError, MetricSpec, Quantisation, RankedLists, RankedTopic, metric
from metaeval.metrics.bounds import BoundsError
from metaeval.metrics.scoring import metric_values, score
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


def test_a_name_is_a_keyword():
    """Given first, as in other packages, it is no function; the message says how it is written here."""
    with pytest.raises(InvalidOptionError, match=r"write `@metric\(name='RR2'\)`"):
        metric("RR2")


def test_a_spec_that_contradicts_itself_is_refused():
    """Names, bounds, and function against kernel."""

    def kernel(lists: RankedLists, *, rel: int = 2) -> np.ndarray:
        return np.full(lists.lengths.shape, rel)

    with pytest.raises(MetricError, match="one word"):
        MetricSpec(name="two words", function=half)
    with pytest.raises(MetricError, match="needs a function or a kernel"):
        MetricSpec(name="nothing")
    with pytest.raises(MetricError, match="must take the same parameters"):
        metric(name="half", kernel=kernel)(half)
    for bounds in ((1.0, 0.0), (0.0, float("nan")), (0.0,), "ab", ("0", "1"), None, (0, 1, 2)):
        with pytest.raises(MetricError, match="bounds must be"):
            metric(name="half", bounds=bounds)(half)
    with pytest.raises(MetricError, match=r"without_relevant=0 lies outside its bounds \[1, 5\]"):
        metric(name="half", bounds=(1, 5))(half)
    with pytest.raises(MetricError, match=r"ideal=2 lies outside its bounds \[0, 1\]"):
        metric(name="half", ideal=2.0)(half)
    with pytest.raises(InvalidOptionError, match="one word"):
        Quantisation("two words", half)


def test_a_kernel_must_return_one_score_per_list():
    """A wrong shape never becomes a score."""

    def kernel(_: RankedLists) -> np.ndarray:
        return np.zeros(3)

    made = MetricSpec(name="flat", kernel=kernel)
    with pytest.raises(AssertionError, match="the kernel must return shape"):
        check_metric(made, n_collections=1)
    with pytest.raises(MetricError, match="the kernel must return shape"):
        score(collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}}), [made], fewest=1)


@pytest.fixture
def collection():
    """Two runs on two topics."""
    runs = {"a": {"1": ["d1", "x"], "2": ["d2"]}, "b": {"1": ["x", "d1"], "2": ["y", "z", "d2"]}}
    return collection_from_rankings(runs, {"1": {"d1": 1}, "2": {"d2": 1}})


def _both(value, **options):
    """Make a metric that has `value` for run b on topic 2 and 0.5 elsewhere: as a function and as a kernel."""

    def function(topic: RankedTopic) -> float:
        return value if topic.n_retrieved == 3 else 0.5

    def kernel(lists: RankedLists) -> np.ndarray:
        values = np.full(lists.lengths.shape, 0.5)
        values[1, 1] = value
        return values

    return [MetricSpec(name="mine", function=function, **options), MetricSpec(name="mine", kernel=kernel, **options)]


@pytest.mark.parametrize(
    ("value", "bounds", "shown"),
    [
        (2.24, (0, 1), r"\[0, 1\]"),
        (-0.01, (0, 1), r"\[0, 1\]"),
        (1 + 1e-9, (0, 1), r"\[0, 1\]"),
        (-1e-9, (0, 1), r"\[0, 1\]"),
        (-3.0, (0, float("inf")), r"\[0, inf\]"),
        (3.0, (float("-inf"), 2), r"\[-inf, 2\]"),
        (1e9, (0, 1e6), r"\[0, 1e\+06\]"),
    ],
)
def test_a_score_outside_the_declared_bounds_is_refused_with_the_place(collection, value, bounds, shown):
    """Metric, run, topic, value, bounds and the way out, for functions and kernels alike, wherever scores are made."""
    for spec in _both(value, bounds=bounds):
        said = rf"mine lies outside the declared bounds {shown} for run 'b', topic '2': {value!r}; correct.*bounds="
        for work in (score, metric_values):
            with pytest.raises(BoundsError, match=said.replace("+0", r"\+0") if "e+" in repr(value) else said):
                work(collection, [spec])


def test_the_number_of_scores_outside_is_said(collection):
    """The first one is shown, the others counted."""
    spec = MetricSpec(name="mine", kernel=lambda lists: np.full(lists.lengths.shape, 2.0))
    with pytest.raises(BoundsError, match=r"run 'a', topic '1': 2.0 \(and 3 more\)"):
        score(collection, [spec])


@pytest.mark.parametrize(
    ("value", "bounds"),
    [
        (1.0000000000000002, (0, 1)),
        (-1e-17, (0, 1)),
        (0.1 + 0.2, (0, 0.3)),
        (1e6 + 1e-9, (0, 1e6)),
        (1e300, (0, np.inf)),
    ],
)
def test_a_score_that_equals_a_bound_on_paper_passes(collection, value, bounds):
    """Rounding in the last bit is no fault, and the score stays as it is."""
    spec = MetricSpec(name="mine", kernel=lambda lists: np.full(lists.lengths.shape, value), bounds=bounds)
    assert metric_values(collection, [spec])[0, 1, 1] == value


@pytest.mark.parametrize(
    "value",
    [
        "0.5",
        None,
        0.5 + 0j,
        np.array([0.5]),
        np.array("0.5"),
        [0.5],
        pytest.param(10**400, id="beyond"),
        float("inf"),
        float("nan"),
        b"1",
    ],
)
def test_what_only_looks_like_a_number_is_refused(collection, value):
    """Texts, complex numbers, arrays of one, numbers beyond floating point."""
    with pytest.raises(MetricError, match="mine must give a finite number for every list; run 'b', topic '2' got"):
        score(collection, [_both(value)[0]])


def test_numbers_of_every_kind_are_taken(collection):
    """Truth values, whole numbers, NumPy's scalars and arrays without dimensions."""
    for value in (True, 1, np.float32(1), np.int8(1), np.bool_(1), np.array(1.0)):
        assert metric_values(collection, [_both(value)[0]])[0, 1, 1] == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.full((2, 2), "0.5"), "real numbers .float64., not values of type <U3"),
        (np.full((2, 2), 0.5 + 0.5j), "not values of type complex128"),
        (np.full((2, 2), None), "not values of type object"),
        (np.ma.masked_equal([[0.5, 1], [0.5, 0.5]], 1), "not masked values"),
        (np.zeros((3, 2)), r"must return shape \(2, 2\), not \(3, 2\)"),
        (None, r"must return shape \(2, 2\), not \(\)"),
        (np.array([[0.5, 0.5], [0.5, np.inf]]), "finite number for every list; run 'b', topic '2' got inf"),
    ],
)
def test_a_kernel_must_return_real_numbers(collection, values, said):
    """Nothing is cast, parsed or uncovered on the way."""
    with pytest.raises(MetricError, match=said):
        score(collection, [MetricSpec(name="mine", kernel=lambda _: values)])


def test_a_plug_in_that_fails_is_named(collection):
    """With the place where that is known, and never as a bare traceback."""

    def function(_: RankedTopic) -> float:
        return 1 / 0

    def kernel(_: RankedLists) -> np.ndarray:
        return {}["x"]

    with pytest.raises(MetricError, match="mine fails for run 'a', topic '1': ZeroDivisionError: division by zero"):
        score(collection, [MetricSpec(name="mine", function=function)])
    with pytest.raises(MetricError, match="mine: the kernel fails: KeyError: 'x'"):
        score(collection, [MetricSpec(name="mine", kernel=kernel)])


@pytest.mark.parametrize("counts", [[0.5, 1.0], [1, 1, 1], ["a", "b"], 1])
def test_what_counts_as_relevant_must_be_whole_numbers_one_a_topic(collection, counts):
    """Half a document is not silently none."""
    spec = MetricSpec(
        name="mine", kernel=lambda lists: np.zeros(lists.lengths.shape), relevant=lambda _: np.array(counts)
    )
    with pytest.raises(MetricError, match=r"relevant must return whole numbers of shape \(2,\)"):
        score(collection, [spec])


def test_a_list_that_is_not_there_gets_the_worst_value():
    """The lower bound, not 0, which may be the best value there is; without one the metric needs every list."""
    collection = collection_from_rankings(
        {"a": {"1": ["d1"]}, "b": {"1": ["x"], "2": ["d2"]}}, {"1": {"d1": 1}, "2": {"d2": 1}}
    )

    def kernel(lists: RankedLists) -> np.ndarray:
        return np.full(lists.lengths.shape, 2.0)

    for low, high in ((1, 5), (-1, 2), (0, 2)):
        spec = MetricSpec(name="mine", kernel=kernel, bounds=(low, high), without_relevant=None)
        assert metric_values(collection, [spec])[0].tolist() == [[2, low], [2, 2]]
    spec = MetricSpec(name="mine", kernel=kernel, bounds=(float("-inf"), 2), without_relevant=None)
    with pytest.raises(MetricError, match=r"mine has no smallest value.*drop those runs"):
        metric_values(collection, [spec])
