"""Choosing data: by name, by pattern and at random, of scores and of collections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import as_scores, choose_data, score, simulate_collection, simulate_scores
from metaeval.errors import InvalidOptionError, UnknownNameError

SCORES = simulate_scores(n_systems=6, n_topics=30, metrics=["AP", "RR"], rng=3).drop_attrs()
SYSTEMS, TOPICS = (SCORES[dim].to_numpy().tolist() for dim in ("system", "topic"))
GAP = SCORES.copy(deep=True)
GAP.loc[{"system": SYSTEMS[2], "topic": TOPICS[4]}] = np.nan


@given(
    systems=st.sets(st.sampled_from(SYSTEMS), min_size=1),
    out=st.sets(st.sampled_from(TOPICS), max_size=20),
    n_topics=st.integers(1, 10),
    seed=st.integers(0, 5),
)
def test_what_is_kept_is_what_was_there(systems, out, n_topics, seed):
    """Names, order and numbers stay; what is named is kept, what is excluded goes, and so many topics are left."""
    asked = {"systems": sorted(systems), "exclude_topics": sorted(out), "n_topics": n_topics}
    chosen = choose_data(SCORES, **asked, rng=seed)
    kept = chosen["topic"].to_numpy().tolist()
    assert chosen["system"].to_numpy().tolist() == [name for name in SYSTEMS if name in systems]
    assert len(kept) == n_topics
    assert not out.intersection(kept)
    assert kept == [name for name in TOPICS if name in set(kept)]
    assert chosen.equals(SCORES.sel(system=chosen["system"], topic=chosen["topic"]))
    assert chosen.equals(choose_data(SCORES, **asked, rng=seed))


def test_the_draw_goes_by_name():
    """The order of topics and systems changes nothing, and every topic has the same chance."""
    turned = SCORES.isel(topic=slice(None, None, -1), system=slice(None, None, -1))
    one, two = (choose_data(scores, n_topics=7, rng=5)["topic"].to_numpy() for scores in (SCORES, turned))
    assert sorted(one) == sorted(two)
    times = sum(np.isin(TOPICS, choose_data(SCORES, n_topics=10, rng=seed)["topic"].to_numpy()) for seed in range(600))
    assert abs(times - 200).max() < 5 * np.sqrt(600 * (1 / 3) * (2 / 3))


def test_a_pattern_stands_for_names_and_a_name_for_itself():
    """As in a shell; where something is called like a pattern, it alone is meant."""
    scores = as_scores(np.arange(8.0).reshape(4, 2), systems=["bm25", "bm25+rm3", "b*", "lm"])
    names = {
        pattern: choose_data(scores, exclude_systems=[pattern])["system"].to_numpy().tolist()
        for pattern in ("bm25*", "b*", "*m3", "?m", "[bl]m*")
    }
    assert names == {
        "bm25*": ["b*", "lm"],
        "b*": ["bm25", "bm25+rm3", "lm"],
        "*m3": ["bm25", "b*", "lm"],
        "?m": ["bm25", "bm25+rm3", "b*"],
        "[bl]m*": ["b*"],
    }


def test_a_gap_that_was_left_out_is_none():
    """Notes of gaps are about what is left."""
    assert "topics" in choose_data(GAP, systems=SYSTEMS).attrs["notes"][0]
    notes = choose_data(GAP, exclude_topics=[TOPICS[4]]).attrs["notes"]
    assert notes == ["topics chosen: 29 of 30"]
    notes = choose_data(GAP, exclude_topics=[TOPICS[5]]).attrs["notes"]
    assert notes[0] == "topics chosen: 29 of 30"
    assert notes[1].startswith("2 missing scores were left out")


def test_the_choice_does_not_read_notes():
    """A reworded note stays, and the part's own gaps are noted beside it."""
    reworded = as_scores(GAP, missing="pairwise").assign_attrs(notes=["Somebody's own words."])
    chosen = choose_data(reworded, exclude_topics=[TOPICS[5]])
    assert chosen.attrs["notes"][0] == "Somebody's own words."
    assert chosen.attrs["notes"][-1].startswith("2 missing scores were left out")
    assert chosen.equals(choose_data(GAP, exclude_topics=[TOPICS[5]]))


def test_notes_say_what_was_left_out():
    """Nothing, where nothing was; of how many, where some were drawn from a part."""
    assert choose_data(SCORES, systems=SYSTEMS).attrs.get("notes", []) == []
    notes = choose_data(SCORES, exclude_topics=TOPICS[:3], n_topics=5, rng=1).attrs["notes"]
    assert notes == ["topics chosen: 5 of 30, 5 of 27 at random (seed 1)"]


@pytest.mark.parametrize("retrieved", ["judged", "all"])
def test_a_collection_scores_as_its_part_of_the_scores(retrieved):
    """Choosing before scoring and after is the same; runs left out stay part of the pool."""
    made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=10, n_documents=200, depth=30, rng=2)
    collection = made.to_collection(retrieved=retrieved)
    out, n_topics = collection.systems[0], 6
    part = choose_data(collection, exclude_systems=[out], n_topics=n_topics, rng=4)
    assert part.notes[-2:] == ("systems chosen: 5 of 6", "topics chosen: 6 of 10, at random (seed 4)")
    metrics = ["AP", "nDCG@10", "bpref"]
    expected = choose_data(score(collection, metrics), exclude_systems=[out], n_topics=n_topics, rng=4)
    assert score(part, metrics).equals(expected)
    pooled = part.by_document.pool_runs
    assert (pooled is not None and out in pooled.systems) == (retrieved == "all")


@pytest.mark.parametrize(
    ("asked", "error", "match"),
    [
        ({"systems": ["bm26"]}, UnknownNameError, "no system 'bm26'"),
        ({"topics": ["99"]}, UnknownNameError, "no topic '99'"),
        ({"exclude_topics": ["x*"]}, UnknownNameError, r"no topic 'x\*'"),
        ({"exclude_systems": ["*"]}, InvalidOptionError, "`exclude_systems` leaves no system of 6"),
        ({"systems": []}, InvalidOptionError, "`systems` must hold a name"),
        ({"systems": "system1"}, InvalidOptionError, "put it into a list"),
        ({"topics": ["1", "1"]}, InvalidOptionError, "'1' stands there twice"),
        ({"n_topics": 0}, InvalidOptionError, "`n_topics` must be a whole number of at least 1"),
        ({"n_topics": 31}, InvalidOptionError, "`n_topics` must be at most 30, the topics to draw from, not 31"),
    ],
)
def test_refusals(asked, error, match):
    """What is not there, or would leave nothing."""
    with pytest.raises(error, match=match):
        choose_data(SCORES, **asked, rng=0)
