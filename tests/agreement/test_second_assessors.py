"""Second opinions of people who each labelled a part: against going through every order, and pairs by hand."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.agreement.labels import as_labels
from metaeval.agreement.second_assessors import second_people
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError


def table(columns):
    """Return labels by person and item; None where there is none."""
    index = pd.MultiIndex.from_tuples([("1", f"d{n}") for n in range(len(next(iter(columns.values()))))])
    return as_labels(pd.DataFrame(columns, index=index, dtype=float))


def literal(labels, people):
    """Go through every order of the people; who comes first and labelled an item speaks."""
    found = {}
    orders = list(permutations(people))
    for order in orders:
        spoken = []
        for _, row in labels.table[list(people)].dropna(how="all").iterrows():
            spoken.append(next(row[name] for name in order if not np.isnan(row[name])))
        found[tuple(spoken)] = found.get(tuple(spoken), 0) + 1 / len(orders)
    return found


@settings(max_examples=30)
@given(
    st.lists(
        st.lists(st.sampled_from([None, 0, 1, 2]), min_size=4, max_size=4).filter(lambda row: set(row) != {None}),
        min_size=2,
        max_size=6,
    )
)
def test_the_choices_are_those_of_every_order(rows):
    """Labels and chances are those of going through all orders."""
    labels = table({name: [row[place] for row in rows] for place, name in enumerate("wxyz")})
    found = second_people(labels, list("wxyz"))
    own = dict(zip(map(tuple, found.table.to_numpy().T.tolist()), found.weights, strict=True))
    expected = literal(labels, "wxyz")
    assert own.keys() == expected.keys()
    assert found.exact
    for spoken, weight in expected.items():
        assert own[spoken] == pytest.approx(weight)


def test_pairs_give_one_of_each():
    """Two pairs who share their items: four ways, all alike."""
    labels = table({"a": [0, None], "b": [1, None], "c": [None, 0], "d": [None, 2]})
    found = second_people(labels, ["a", "b", "c", "d"])
    assert sorted(map(tuple, found.table.to_numpy().T.tolist())) == [(0, 0), (0, 2), (1, 0), (1, 2)]
    assert found.weights.tolist() == pytest.approx([0.25] * 4)


def test_many_choices_are_drawn():
    """More choices than asked for are a sample, the same for a seed."""
    generator = np.random.default_rng(0)
    labels = table({f"p{n}": generator.integers(0, 3, 30) for n in range(12)})
    found = second_people(labels, [f"p{n}" for n in range(12)], n_choices=5, rng=1)
    assert not found.exact
    assert found.weights.sum() == pytest.approx(1)
    again = second_people(labels, [f"p{n}" for n in range(12)], n_choices=5, rng=1)
    pd.testing.assert_frame_equal(found.table, again.table)


def test_says_what_is_wrong():
    """Nobody, somebody twice, somebody unknown, and people who labelled nothing."""
    labels = table({"a": [0, 1], "b": [1, 1]})
    for names in ([], ["a", "a"]):
        with pytest.raises(InvalidOptionError, match="name each person once"):
            second_people(labels, names)
    with pytest.raises(UnknownNameError, match="'zoe'"):
        second_people(labels, ["zoe"])
    silent = as_labels(
        pd.DataFrame({"a": [0.0], "b": [1.0], "c": [np.nan]}, index=pd.MultiIndex.from_tuples([("1", "d")]))
    )
    with pytest.raises(ScoresError, match="none of c labelled anything"):
        second_people(silent, ["c"])
