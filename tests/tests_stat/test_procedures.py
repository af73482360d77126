"""Tables of procedures: every name of the field leads to a row, and what is no row goes by its own name."""

import pytest

from metaeval.errors import UnknownNameError
from metaeval.tests_stat.procedures import Procedure, ProcedureTable

T = Procedure(name="t", words="paired t", described="the paired t test", synonyms=("ttest", "t_test", "students_t"))
OWN = Procedure(name="a-test-of-ours", words="ours", described="our own", synonyms=("mine",))
TABLE = ProcedureTable("test", [T], unlisted=OWN)


@pytest.mark.parametrize("written", ["t", "T", "T-test", "ttest", "Student's t"])
def test_spelling_does_not_matter(written):
    """Case, dashes and apostrophes are nothing, and a synonym is as good as the name."""
    assert TABLE.find(written) is T


def test_what_is_not_listed_has_a_name_and_no_row():
    """It is spelt and described as the others are, and does not count among them."""
    assert list(TABLE) == ["t"]
    assert TABLE.canonical("Mine") == TABLE.canonical("A test of ours") == OWN.name
    assert (TABLE.label(OWN.name), TABLE.words(OWN.name)) == ("Ours", "ours")


def test_what_is_from_elsewhere_goes_by_its_own_name():
    """A table has nothing to say of it; who asks for it hears what there is."""
    assert (TABLE.label("t"), TABLE.words("t")) == ("Paired t", "paired t")
    assert (TABLE.label("my_test"), TABLE.words("my_test")) == ("my_test", "my_test")
    with pytest.raises(UnknownNameError, match=r"no test 'tt'.*t, a-test-of-ours"):
        TABLE.canonical("tt")
