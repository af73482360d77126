"""Docstrings that share words: what is only named is described, and what has words of its own keeps them."""

import inspect
import re

import pytest

from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.docstrings import documented

FUNCTIONS = {spec.call: getattr(spec.function, "func", spec.function) for spec in TESTS.values()} | {
    "catalogue.compare_systems": compare_systems
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_help_tells_every_parameter_and_error(function):
    """Each has a line of its own with its type, and every error says when."""
    told = inspect.getdoc(function)
    for name in inspect.signature(function).parameters:
        assert re.search(rf"^(\w+, )*{name}(, \w+)*( : |\n    \w)", told, flags=re.MULTILINE), name
    assert re.search(r"^ScoresError\n    If .*\nInvalidOptionError\n    If ", told, flags=re.MULTILINE)


def test_words_of_its_own_stay():
    """A name that is described where it stands, or stands in a sentence, is left alone."""

    @documented
    def decide():
        """Decide at this.

        alpha
            of mine.
        """

    assert inspect.getdoc(decide) == "Decide at this.\n\nalpha\n    of mine."


def test_no_docstring_is_none_to_fill():
    """A function without one, as under ``python -OO``, stays a function."""

    def decide():
        pass

    assert documented(decide) is decide
