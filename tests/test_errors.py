"""Errors: their place in the file, their bases, and the names they suggest."""

import pickle
from difflib import get_close_matches

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval import errors
from metaeval.base.checks import check_share
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, UnknownNameError, closest_names


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ({}, "scores must be numbers"),
        ({"path": "ap.csv"}, "ap.csv: scores must be numbers"),
        ({"path": "ap.csv", "line": 7}, "ap.csv, line 7: scores must be numbers"),
    ],
)
def test_a_file_error_starts_with_its_place(place, shown):
    """File and line stand before the message, and stay available as attributes."""
    error = FileFormatError("scores must be numbers", **place)
    assert str(error) == shown
    assert (error.path, error.line) == (place.get("path"), place.get("line"))


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("ScoresError", ValueError),
        ("FileFormatError", ValueError),
        ("InvalidOptionError", ValueError),
        ("UnknownNameError", KeyError),
        ("EstimationError", Exception),
        ("MetaevalWarning", UserWarning),
    ],
)
def test_every_error_has_the_base_a_caller_expects(name, builtin):
    """Errors derive from MetaevalError and from the built-in of their kind; warnings are no errors."""
    kind = getattr(errors, name)
    assert issubclass(kind, builtin)
    assert issubclass(kind, MetaevalError) == name.endswith("Error")


def test_an_unknown_name_lists_the_nearest_and_all():
    """The message reads plainly: what was looked up, what was meant, what there is; and no quotes of KeyError."""
    error = UnknownNameError("test", "wilcoxn", ["t", "wilcoxon", "sign"])
    assert str(error) == "no test 'wilcoxn'; did you mean 'wilcoxon'? Known: t, wilcoxon, sign"
    assert str(UnknownNameError("test", "zzz", ["t"])) == "no test 'zzz'; there is only 't'"
    assert str(UnknownNameError("test", "zzz", ["t", "sign"])) == "no test 'zzz'. Known: t, sign"
    assert error.known == ("t", "wilcoxon", "sign")
    meant = UnknownNameError("test", "ttst", ["t", "sign"], synonyms={"ttest": "t", "student": "t"})
    assert str(meant) == "no test 'ttst'; did you mean 't'? Known: t, sign"


def test_an_error_about_an_argument_says_which_and_comes_back_from_a_worker():
    """Name and value of the argument are fields, also of errors of a class that asks for more than a message."""
    said = r"^`alpha` must lie between 0 and 1, not 3; write 3 % as 0\.03$"
    with pytest.raises(InvalidOptionError, match=said) as caught:
        check_share(3, "alpha")
    for error in (caught.value, UnknownNameError("test", "wilcoxn", ["t"]), InvalidOptionError("x")):
        error.add_note("in a worker")
        back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
        assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))
    assert (caught.value.argument, caught.value.value) == ("alpha", 3)
    with pytest.raises(InvalidOptionError, match=r"^--alpha must") as caught:
        check_share(3, "--alpha")
    assert caught.value.argument is None


def test_names_are_compared_without_case():
    """A name in the wrong case is the nearest name."""
    assert closest_names("NDCG", ["ap", "nDCG"]) == ["nDCG"]


@given(st.text(), st.lists(st.text()), st.integers(1, 5))
def test_suggestions_are_known_names(name, known, n):
    """Whatever is asked, only known names are suggested, and no more than asked for."""
    near = closest_names(name, known, n=n)
    assert set(near) <= set(known)
    assert len(near) <= n


def test_messages_stay_readable_among_very_many_names(monkeypatch):
    """Of a million names the first are shown, and ten thousand compared, so that the error comes at once."""
    names, compared = [f"x{number}" for number in range(1_000_000)], []
    monkeypatch.setattr(
        errors.difflib,
        "get_close_matches",
        lambda name, known, **options: compared.append(len(known)) or get_close_matches(name, known, **options),
    )
    error = UnknownNameError("column", "x12", names)
    assert 0 < max(compared) <= 10_000
    assert "did you mean 'x12'" in str(error)
    assert str(error).endswith("x0, x1, x2, x3, x4 and 999995 more")
