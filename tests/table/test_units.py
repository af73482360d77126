"""How topics are grouped: sums, draws and what is refused."""

import numpy as np
import pytest

from metaeval import as_scores
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import draw_topic_counts
from metaeval.table.structure import with_clusters
from metaeval.table.units import check_resampling_of, design_notes, units_of

VALUES = np.random.default_rng(0).random((2, 3, 9))
CLUSTERS = list("bbabcacca")


def grouped(kind="random", weights=None):
    names = [str(place + 1) for place in range(9)]
    scores = as_scores(
        VALUES,
        clusters=dict(zip(names, CLUSTERS, strict=True)),
        weights=None if weights is None else dict(zip(names, weights, strict=True)),
    )
    return with_clusters(scores, kind)


def test_units_are_numbered_by_appearance():
    """So that their names do not matter."""
    units = units_of(grouped())
    assert units.names == ("b", "a", "c")
    assert units.unit.tolist() == [0, 0, 1, 0, 2, 1, 2, 2, 1]
    assert (units.n_units, units.freedom, units.plain) == (3, 2, False)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_a_loop(weighted):
    """Gaps add nothing."""
    weights = np.arange(1.0, 10.0)
    units = units_of(grouped(weights=weights if weighted else None))
    values = VALUES.copy()
    values[0, 1, 3] = np.nan
    found = units.sums(values)
    for place, name in enumerate(units.names):
        own = [j for j, cluster in enumerate(CLUSTERS) if cluster == name]
        expected = np.nansum(values[..., own] * (weights[own] if weighted else 1.0), axis=-1)
        np.testing.assert_allclose(found[..., place], expected)


def test_plain_topics_are_left_as_they_are():
    """The same array, and the same draws as ever."""
    units = units_of(as_scores(VALUES))
    assert units.plain
    assert units.sums(VALUES) is VALUES
    ours, theirs = (
        np.concatenate(list(chunks), axis=1)
        for chunks in (units.counts(np.random.default_rng(1), 50), draw_topic_counts(np.random.default_rng(1), 50, 9))
    )
    np.testing.assert_array_equal(ours, theirs)


def test_topics_are_drawn_inside_their_strata():
    """Every resample has as many topics of each stratum as there are; counts and draws are the same draws."""
    units = units_of(grouped("fixed"))
    (counts,) = units.counts(np.random.default_rng(1), 200, at_once=200)
    for stratum in range(3):
        assert (counts[units.stratum == stratum].sum(axis=0) == 3).all()
    drawn = units.draws(np.random.default_rng(1), 200)
    np.testing.assert_array_equal(counts.T, [np.bincount(row, minlength=9) for row in drawn])
    np.testing.assert_allclose(counts.mean(axis=1), 1.0, atol=0.25)
    assert units.freedom == 6


def test_what_cannot_be_drawn_is_refused():
    """Fewer than ten clusters; the message names what was to be drawn, and the way out."""
    with pytest.raises(InvalidOptionError, match=r"it draws clusters whole, and 3 of them .* use t"):
        check_resampling_of(units_of(grouped()), what="it", instead="use t")
    check_resampling_of(units_of(grouped("fixed")), what="it", instead="use t")
    check_resampling_of(units_of(as_scores(VALUES)), what="it", instead="use t")


def test_notes_say_what_there_is():
    """Nothing where topics are plain."""
    assert design_notes(as_scores(VALUES)) == ()
    assert design_notes(grouped("fixed", weights=np.arange(1.0, 10.0))) == (
        "9 topics come in 3 fixed clusters (strata) of 3 topics",
        "topics have weights from 1 to 9; means are weighted",
    )
