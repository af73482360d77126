"""Parameters read from signatures, and the values they accept."""

from typing import Annotated, Optional

import pytest

from metaeval.base.metric_names import Call
from metaeval.errors import InvalidOptionError
from metaeval.metrics.parameters import Parameter, Rule, read_parameters


def every_kind(topic, *, k: int, p: float = 0.5, rel: int | None = None, on: bool = False, word: str = "x", n=3):
    """One parameter of each type, one without a hint."""


def test_names_types_defaults_and_requirements_come_from_the_signature():
    """A hint may be left out where the default shows the type."""
    read = read_parameters(every_kind, what="it")
    assert list(read) == ["k", "p", "rel", "on", "word", "n"]
    assert [one.type for one in read.values()] == [int, float, int, bool, str, int]
    assert [one.required for one in read.values()] == [True, False, False, False, False, False]
    assert read["rel"].default is None


def test_rules_are_found_inside_unions_and_optionals():
    """Annotated types carry a rule wherever they stand."""
    small = Annotated[int, Rule(lambda value: value < 3, "below 3")]

    def function(topic, *, a: small, b: small | None = None, c: Optional[small] = None):  # noqa: UP045
        pass

    read = read_parameters(function, what="it")
    for one in read.values():
        assert one.accept(2) == 2
        with pytest.raises(InvalidOptionError, match=f"{one.name} must be a whole number, below 3, not 3"):
            one.accept(3)


@pytest.mark.parametrize(
    ("kind", "given", "accepted"),
    [
        (int, 2, 2),
        (int, 2.0, 2),
        (float, 2, 2.0),
        (float, 0.5, 0.5),
        (bool, True, True),
        (str, Call("word"), "word"),
    ],
)
def test_values_become_the_parameters_type(kind, given, accepted):
    """A whole float is an integer, an integer a float."""
    value = Parameter(name="x", type=kind, required=True).accept(given)
    assert value == accepted
    assert type(value) is kind


@pytest.mark.parametrize(
    ("kind", "given"), [(int, 2.5), (int, True), (float, True), (bool, 1), (int, Call("two")), (str, 3), (int, None)]
)
def test_other_values_are_refused(kind, given):
    """The message says what a value must be and what came."""
    with pytest.raises(InvalidOptionError, match=r"x must be .*, not "):
        Parameter(name="x", type=kind, required=True).accept(given)
