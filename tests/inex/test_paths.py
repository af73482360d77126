import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError
from metaeval.inex.paths import (
    contains,
    depth_of,
    nearest_ancestors,
    normalised_path,
    normalised_point,
    parent_path,
)

STEPS = st.lists(st.tuples(st.sampled_from(["a", "bdy", "ip1", "x:y"]), st.integers(1, 12)), min_size=1, max_size=5)


@given(STEPS)
def test_a_missing_position_is_the_first(steps):
    """A path without the positions that are 1 is the same path."""
    full = "".join(f"/{tag}[{number}]" for tag, number in steps)
    short = "".join(f"/{tag}" + (f"[{number}]" if number > 1 else "") for tag, number in steps)
    assert normalised_path(short) == normalised_path(full) == full
    assert depth_of(full) == len(steps)
    assert normalised_point(f"{short}/text().7") == f"{full}/text()[1].7"


@pytest.mark.parametrize(
    "path", ["", "article[1]", "//p", "/a[1]/", "/a[0]", "/a[1]/*", "/a[-1]", "/a[b]", "/1[1]", "/a[1]/text()"]
)
def test_what_is_no_path_is_refused(path):
    """A path that is relative, has wildcards, or counts from 0 is an error that says how to write one."""
    with pytest.raises(InvalidOptionError, match=r"root|step"):
        normalised_path(path)


@given(STEPS, STEPS)
def test_containing_is_a_prefix_of_steps(one, other):
    """An element contains another if its steps begin the other's, never merely its text."""
    first, second = ("".join(f"/{tag}[{number}]" for tag, number in steps) for steps in (one, other))
    assert contains(first, second) == (len(one) < len(other) and other[: len(one)] == one)
    assert contains(first, first + second)
    assert parent_path(first + "/p[1]") == first


@given(st.lists(STEPS, min_size=1, max_size=12, unique_by=str))
def test_nearest_ancestors_against_a_search(trees):
    """The nearest ancestor is the longest path among the others of the document that contains the element."""
    paths = ["".join(f"/{tag}[{number}]" for tag, number in steps) for steps in trees]
    documents = [number % 2 for number in range(len(paths))]
    for number, found in enumerate(nearest_ancestors(documents, paths)):
        above = [
            other
            for other in range(len(paths))
            if documents[other] == documents[number] and contains(paths[other], paths[number])
        ]
        assert found == max(above, key=lambda other: len(paths[other]), default=-1)


def test_every_path_has_a_document():
    """Neither may be the longer list."""
    for documents, paths in ((["d"], ["/a[1]", "/a[1]/b[1]"]), (["d", "d"], ["/a[1]"])):
        with pytest.raises(ValueError, match="zip"):
            nearest_ancestors(documents, paths)


def test_positions_of_thousands_of_digits():
    """Python turns no more than 4,300 digits into a number; a path needs none of that."""
    digits = "1" + "0" * 5000
    assert normalised_path(f"/a[{digits}]/b") == f"/a[{digits}]/b[1]"
    assert normalised_point(f"/a/text()[{digits}].00{digits}") == f"/a[1]/text()[{digits}].{digits}"
    assert normalised_point("/a/text().000") == "/a[1]/text()[1].0"
    with pytest.raises(InvalidOptionError, match="at most 10000 characters, not 15000"):
        normalised_path("/a[1]" * 3000)
