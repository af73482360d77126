"""Scoring a collection: labels, notes, undefined topics, re-judging, and every refusal."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.metrics import (
    BUILTIN,
    MetricError,
    RankedLists,
    RankedTopic,
    metric,
    metric_values,
    resolve_metrics,
    score,
)
from metaeval.metrics.lists import depth, ranked_lists
from metaeval.running.parallel import reporting

QRELS = {
    "1": {"d1": 2, "d2": 1, "d3": 0},
    "2": {"d1": 1, "d2": 0},
    "10": {"d1": 0, "d2": 0},
    "11": {"d1": 3, "d2": 0},
}
RUNS = {
    "a": {"1": ["d1", "x", "d2"], "2": ["d2", "d1"], "10": ["d1"], "11": ["d1"]},
    "b": {"1": ["d3", "d2", "d1"], "11": ["d2", "x", "d1"]},
}


@pytest.fixture
def collection():
    return collection_from_rankings(RUNS, QRELS)


def random_collection(seed=0, n_systems=7, n_topics=9):
    """Make a collection large enough for several cores."""
    rng = np.random.default_rng(seed)
    qrels = {str(topic): {f"d{n}": int(rng.integers(0, 4)) for n in range(30)} | {"d0": 3} for topic in range(n_topics)}
    names = [*(f"d{n}" for n in range(30)), *(f"u{n}" for n in range(20))]
    runs = {f"s{n}": {topic: rng.permutation(names)[:40].tolist() for topic in qrels} for n in range(n_systems)}
    return collection_from_rankings(runs, qrels)


def test_scores_carry_labels_direction_and_groups(collection):
    """Metrics, systems and topics, in the collection's order."""
    scores = score(collection.with_groups({"a": "A", "b": "B"}), ["AP", "nDCG'@10"])
    assert scores["metric"].to_numpy().tolist() == ["AP", "nDCG(judged_only=True)@10"]
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert scores["topic"].to_numpy().tolist() == ["1", "2", "10", "11"]
    assert scores["group"].to_numpy().tolist() == ["A", "B"]
    assert scores["higher_is_better"].to_numpy().all()
    assert scores.sel(metric="AP", system="a", topic="1").item() == pytest.approx((1 + 2 / 3) / 2)


def test_what_was_left_out_or_counted_as_zero_is_noted(collection):
    """A run that lacks a topic scores 0 there; so do all on a topic with nothing relevant, unless it is dropped."""
    scores = score(collection, ["AP", "Judged@2"])
    notes = scores.attrs["notes"]
    assert "1 topic has no relevant document in the judgments under AP and counts 0 for every system: 10" in notes
    assert scores.sel(topic="10").to_numpy().tolist() == [[0, 0], [1, 0]]
    scores = score(collection, ["AP", "Judged@2"], undefined="drop")
    notes = scores.attrs["notes"]
    assert "10" not in scores["topic"].to_numpy()
    assert scores.sel(metric="AP", system="b", topic="2").item() == 0
    assert any("'b' lacks 1 of" in note for note in notes)
    assert any("1 topic has no relevant document" in note and note.endswith("10") for note in notes)


def test_undefined_topics_count_zero_or_leave_for_all_metrics(collection):
    """Level 3 occurs on topic 11 only: elsewhere AP(rel=3) is undefined."""
    zero = score(collection, ["AP", "AP(rel=3)"])
    assert zero.sel(metric="AP(rel=3)").to_numpy().tolist() == [[0, 0, 0, 1], [0, 0, 0, pytest.approx(1 / 3)]]
    text = "2 topics have nothing relevant under AP(rel=3) and count 0 for every system: 1, 2"
    assert text in zero.attrs["notes"]
    dropped = score(collection, ["AP", "AP(rel=2)"], undefined="drop")
    assert dropped["topic"].to_numpy().tolist() == ["1", "11"]
    assert any("AP(rel=2) and is dropped for all metrics: 2" in note for note in dropped.attrs["notes"])
    with pytest.raises(ScoresError, match="at least two topics"):
        score(collection, ["AP", "AP(rel=3)"], undefined="drop")


def test_a_gain_of_zero_makes_a_level_not_relevant(collection):
    """Graded measures take as relevant what has a gain: under binary(rel=2) topic 2 has nothing."""
    scores = score(collection, ["nDCG(gains=binary(rel=2))", "Q(gains={1:0, 2:1, 3:1})"])
    assert any("1 topic has nothing relevant under nDCG" in note and "Q(" in note for note in scores.attrs["notes"])


def test_topics_emptied_by_reduced_judgments_stay_unless_dropped(collection):
    """The topics evaluated are those of the full judgments; what the reduction empties is undefined."""
    levels = np.where(collection.topic_of_judgment == 1, NOT_POOLED, collection.levels)
    reduced = collection.rejudge(levels)
    scores = score(reduced, ["AP", "Judged@2"])
    assert scores["topic"].to_numpy().tolist() == ["1", "2", "10", "11"]
    assert scores.sel(metric="AP", topic="2").to_numpy().tolist() == [0, 0]
    assert any("1 topic has nothing relevant under AP and counts 0" in note for note in scores.attrs["notes"])
    assert score(reduced, ["AP"], undefined="drop")["topic"].to_numpy().tolist() == ["1", "11"]
    empty = collection.rejudge(np.full(collection.n_judgments, UNJUDGED))
    assert (metric_values(empty, ["AP", "AP'", "RBP(p=0.8)", "ERR", "infAP", "bpref"]) == 0).all()
    with pytest.raises(ScoresError, match="`undefined='drop'` leaves no topic"):
        score(empty, ["AP"], undefined="drop")


def test_the_top_level_is_that_of_the_full_judgments(collection):
    """RBP and ERR keep their scale when the judgments are reduced or topics are selected."""
    before = metric_values(collection, ["RBP(p=0.8)", "ERR"])
    levels = np.where(collection.topic_of_judgment == 3, UNJUDGED, collection.levels)
    assert np.array_equal(metric_values(collection.rejudge(levels), ["RBP(p=0.8)", "ERR"])[:, :, :3], before[:, :, :3])
    part = collection.select(topics=["1", "2"])
    assert np.array_equal(metric_values(part, ["RBP(p=0.8)", "ERR"]), before[:, :, :2])
    half = metric_values(collection, ["RBP(p=0.8, max_level=6)"])
    assert half == pytest.approx(before[:1] / 2)


def test_one_metric_in_two_spellings_is_computed_once(collection):
    """One row for map and AP."""
    assert [one.name for one in resolve_metrics(["map", "AP", BUILTIN["AP"], "P_10"])] == ["AP", "P@10"]
    assert score(collection, ["map", "AP"]).sizes["metric"] == 1
    assert score(collection, "AP")["metric"].to_numpy().tolist() == ["AP"]
    assert score(collection, BUILTIN["AP"])["metric"].to_numpy().tolist() == ["AP"]


def test_the_number_of_cores_changes_no_byte():
    """Lists share nothing they write."""
    made = random_collection()
    names = ["AP", "Q'", "nDCG@10", "bpref", "RBP(p=0.8)", "ERR", "infAP", "Judged@10", "RR", "P@5"]
    one, two = (score(made, names, n_threads=n) for n in (1, 2))
    assert one.to_numpy().tobytes() == two.to_numpy().tobytes()


def test_unjudged_documents_below_the_last_judged_one_change_nothing():
    """No measure but Judged looks at a list's end."""
    names = ["AP", "AP'", "Q", "nDCG", "nDCG(a=2)", "bpref", "RBP(p=0.95)", "ERR", "infAP", "RR", "Rprec", "P@10"]
    runs = {
        "s": {"1": ["d3", "u1", "d1", "d2"]},
        "t": {"1": ["d3", "u1", "d1", "d2", *(f"u{n}" for n in range(2, 40))]},
    }
    longer = collection_from_rankings(runs, {"1": {"d1": 3, "d2": 1, "d3": 0, "d4": 2}})
    values = metric_values(longer, names)
    assert np.array_equal(values[:, 0], values[:, 1])
    judged = metric_values(longer, ["Judged"])
    assert judged[0, 0, 0] > judged[0, 1, 0]


@pytest.mark.parametrize(
    ("metrics", "error", "said"),
    [
        ([], InvalidOptionError, "`metrics` is empty"),
        ("apple", UnknownNameError, "no metric 'apple'"),
        (3, InvalidOptionError, "a metric is a name, a MetricSpec or a measure"),
        ("AP(rel=4)", InvalidOptionError, r"nothing is relevant under AP\(rel=4\) on any topic"),
        ("RBP(p=0.8, max_level=2)", InvalidOptionError, "max_level=2 must be at least 3, the highest level judged"),
        ("ERR(max_level=2)", InvalidOptionError, "max_level=2 must be at least 3, the highest level judged"),
        ("nDCG(gains={1:1, 2:2})", InvalidOptionError, "names no gain for level 3"),
        ("nDCG(gains={1:-1, 2:2, 3:3})", InvalidOptionError, "level 1 has -1"),
        ("nDCG(gains={0:1, 1:1, 2:2, 3:3})", InvalidOptionError, "level 0 is not relevant"),
        ("RBP(p=0.8, gains={1:3, 2:2, 3:1})", InvalidOptionError, "no level may have more"),
        ("RBP(p=0.8, rel=1, gains=exponential)", InvalidOptionError, "gains= or rel= .* not both"),
    ],
)
def test_what_cannot_be_scored_is_refused(collection, metrics, error, said):
    """Each refusal names the rule and the value."""
    with pytest.raises(error, match=said):
        score(collection, metrics)


def test_a_collection_that_is_too_small_is_refused(collection):
    """One run, or no topic with anything relevant; and an unknown rule for undefined topics."""
    with pytest.raises(ScoresError, match="at least two systems"):
        score(collection.select(systems=["a"]), "AP")
    with pytest.raises(InvalidOptionError, match="no topic has a relevant document"):
        score(collection.select(topics=["10"]), "AP")
    with pytest.raises(UnknownNameError, match="no rule for undefined topics 'skip'"):
        score(collection, "AP", undefined="skip")


@metric(name="Misses", higher_is_better=False, bounds=(0.0, 100.0), without_relevant=0.0)
def misses(topic: RankedTopic, *, rel: int = 1) -> float:
    """Relevant documents that were not retrieved."""
    return topic.n_relevant(rel) - (topic.levels >= rel).sum()


def test_a_function_of_one_topic_is_scored_and_shows_progress(collection):
    """A plug-in sees judged documents only; lower is better is kept; a lacking run gets the worst."""

    class Counter:
        steps = 0

        def start(self, description, total):
            assert (description, total) in {("scoring", 1), ("Misses", 5)}
            return description

        def advance(self, _, steps=1):
            self.steps += steps

        def finish(self, task):
            pass

    counter = Counter()
    with reporting(counter):
        scores = score(collection, [misses])
    assert counter.steps == 5 + 1
    assert not scores["higher_is_better"].to_numpy().any()
    assert scores.sel(metric="Misses").to_numpy().tolist() == [[0, 0, 0, 0], [0, 100, 0, 0]]


def test_what_a_topic_with_nothing_relevant_scores_is_declared(collection):
    """Whatever the function gives: topic 10 has nothing relevant."""

    @metric(name="Quarter", without_relevant=0.5)
    def quarter(_: RankedTopic) -> float:
        return 0.25

    assert collection.topics == ("1", "2", "10", "11")
    assert metric_values(collection, [quarter])[0, 0].tolist() == [0.25, 0.25, 0.5, 0.25]
    kernel = BUILTIN.resolve("RR")
    declared = replace(kernel, spec=replace(kernel.spec, without_relevant=0.5))
    assert metric_values(collection, [declared])[0, 0].tolist() == [1, 0.5, 0.5, 1]


def test_what_a_function_of_one_topic_receives(collection):
    """Ranks, levels and gains of the judged documents, lengths and counts; closed up under judged_only."""
    seen = []

    @metric(name="Spy", graded=True)
    def spy(topic: RankedTopic) -> float:
        seen.append(topic)
        return 0.0

    score(collection, [BUILTIN.extend(spy).resolve("Spy(gains=exponential)")])
    first = seen[0]
    assert (first.ranks.tolist(), first.levels.tolist(), first.gains.tolist()) == ([1, 3], [2, 1], [3, 1])
    assert (first.n_retrieved, first.n_per_level, first.top_level) == (3, {0: 1, 1: 1, 2: 1}, 3)
    assert (first.n_relevant(), first.n_relevant(2)) == (2, 1)
    seen.clear()
    score(collection, [BUILTIN.extend(spy).resolve("Spy'")])
    assert (seen[0].ranks.tolist(), seen[0].n_retrieved, seen[0].gains.tolist()) == ([1, 2], 2, [2, 1])


@pytest.mark.parametrize(("value", "shown"), [(float("nan"), "nan"), (None, "None"), ("high", "'high'")])
def test_a_metric_that_gives_no_number_is_named_with_the_place(collection, value, shown):
    """A plug-in's NaN never reaches the scores."""

    @metric(name="Broken")
    def broken(_: RankedTopic) -> float:
        return value

    with pytest.raises(
        MetricError, match=f"Broken must give a finite number for every list; run 'a', topic '1' got.*{shown}"
    ):
        score(collection, [broken])


def test_a_lower_is_better_metric_without_a_largest_value_needs_every_list(collection):
    """There is no worst value to give to a run that lacks a topic."""

    @metric(name="Length", higher_is_better=False, bounds=(0.0, float("inf")))
    def length(topic: RankedTopic) -> float:
        return topic.n_retrieved

    with pytest.raises(MetricError, match=r"Length has no largest value.*`missing='drop-systems'`"):
        score(collection, [length])
    assert score(collection.handle_missing("drop-topics"), [length]).to_numpy().tolist() == [[[3, 1], [3, 3]]]


def test_ideal_lists_hold_every_relevant_document_by_falling_gain(collection):
    """Levels without a gain stay out."""
    lists = ranked_lists(collection)
    ideal = lists.ideal()
    assert (ideal.levels.tolist(), ideal.ranks.tolist()) == ([2, 1, 1, 3], [1, 2, 1, 1])
    turned = lists.with_gains("odd", np.array([0.0, 5.0, 2.0, 0.0])).ideal()
    assert (turned.offsets.tolist(), turned.levels.tolist()) == ([0, 2, 3, 3, 3], [1, 2, 1])
    assert isinstance(lists, RankedLists)
    assert depth(None) > depth(10**9) == 10**9
