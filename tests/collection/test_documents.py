"""Collections of documents: compiling, re-judging, selecting, missing lists, statistics."""

import csv
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings, judgments_from
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError

QRELS = {
    "10": {"d1": 2, "d2": 0, "d3": -1, "d4": 1, "d5": -2},
    "2": {"d1": 1, "e1": 0, "e2": 0},
    "1": {"d1": 0, "d2": 0},
}
RANKINGS = {
    "a": {"10": ["d4", "x", "d3", "d1"], "2": ["e2", "d1"], "1": ["d2"]},
    "b": {"10": ["x", "y", "d2"], "3": ["d1"]},
    "c": {"2": ["d1", "y", "e1", "e2"], "10": ["d5"]},
}
identifiers = st.text("ab1é", min_size=1, max_size=3)
some_qrels = st.dictionaries(
    st.sampled_from(["1", "2", "10", "q"]),
    st.dictionaries(identifiers, st.integers(-2, 3), min_size=1, max_size=6),
    min_size=1,
)
some_rankings = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3"]),
    st.dictionaries(st.sampled_from(["1", "2", "10", "q", "z"]), st.lists(identifiers, unique=True, max_size=8)),
    min_size=1,
)


@pytest.fixture
def collection():
    return collection_from_rankings(RANKINGS, QRELS, retrieved="all")


def contents(collection):
    """Take a collection apart again: {system: {topic: [(rank, document, level)]}}."""
    taken = {}
    for row, system in enumerate(collection.systems):
        for column, topic in enumerate(collection.topics):
            number = row * collection.n_topics + column
            part = slice(collection.offsets[number], collection.offsets[number + 1])
            taken.setdefault(system, {})[topic] = [
                (rank, collection.document_ids[place].decode(), int(collection.levels[place]))
                for rank, place in zip(
                    collection.ranks[part].tolist(), collection.judgments[part].tolist(), strict=True
                )
            ]
    return taken


def literal(rankings, qrels):
    """Do the same straight from the definition."""
    return {
        system: {
            topic: [(rank, name, levels[name]) for rank, name in enumerate(lists.get(topic, []), 1) if name in levels]
            for topic, levels in qrels.items()
        }
        for system, lists in rankings.items()
    }


def test_judged_documents_keep_their_rank_in_the_full_list(collection):
    """Only judged documents are held, each at its rank in the full list, topics in natural order."""
    assert collection.topics == ("1", "2", "10")
    assert contents(collection)["a"]["10"] == [(1, "d4", 1), (3, "d3", -1), (4, "d1", 2)]
    assert collection.n_retrieved.tolist() == [[1, 2, 4], [0, 0, 3], [0, 4, 1]]
    assert contents(collection) == literal(RANKINGS, QRELS)
    assert collection.ranks.dtype == collection.judgments.dtype == collection.n_retrieved.dtype == np.int32
    assert collection.levels.dtype == np.int16


@given(some_rankings, some_qrels)
def test_compiling_equals_the_definition(rankings, qrels):
    """For any runs and judgments the compiled lists, and the codes of all documents, are those of the definition."""
    if not {topic for lists in rankings.values() for topic in lists} & set(qrels):
        with pytest.raises(InvalidOptionError, match="no topic in common"):
            collection_from_rankings(rankings, qrels)
        return
    collection = collection_from_rankings(rankings, qrels, retrieved="all")
    assert contents(collection) == literal(rankings, qrels)
    names = {}
    codes = collection.retrieved.codes.tolist()
    starts = collection.retrieved.offsets.tolist()
    for row, system in enumerate(collection.systems):
        for column, topic in enumerate(collection.topics):
            number = row * collection.n_topics + column
            listed = rankings[system].get(topic, [])
            assert len(listed) == collection.n_retrieved[row, column] == starts[number + 1] - starts[number]
            for name, code in zip(listed, codes[starts[number] : starts[number + 1]], strict=True):
                assert names.setdefault((topic, name), code) == code
                if name in qrels[topic]:
                    assert collection.document_ids[code].decode() == name
                    assert collection.topic_of_judgment[code] == column
                else:
                    assert collection.n_judgments <= code < collection.retrieved.n_codes
    assert len(set(names.values())) == len(names)


def test_levels_say_what_is_judged(collection):
    """Negative levels are pooled but not judged; only levels above 0 are relevant."""
    assert collection.documents("10") == ["d1", "d2", "d3", "d4", "d5"]
    assert collection.judged[collection.topic_of_judgment == 2].tolist() == [True, True, False, True, False]
    assert collection.n_relevant.tolist() == [0, 1, 2]
    assert collection.top_level == 2


def test_rejudging_changes_levels_and_nothing_else(collection):
    """A reduced qrels is another vector; full levels and the top level stay."""
    levels = collection.levels.copy()
    levels[collection.topic_of_judgment == 2] = [UNJUDGED, 0, NOT_POOLED, 1, 1]
    reduced = collection.rejudge(levels)
    assert reduced.ranks is collection.ranks
    assert reduced.full_levels is collection.levels
    assert reduced.n_relevant.tolist() == [0, 1, 2]
    assert reduced.judged.sum() == collection.judged.sum() == 8
    assert reduced.top_level == 2
    assert contents(reduced)["a"]["10"] == [(1, "d4", 1), (3, "d3", NOT_POOLED), (4, "d1", UNJUDGED)]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (np.zeros(3, dtype=int), r"one level per judgment, shape \(10,\), not \(3,\)"),
        (np.zeros(10), "whole numbers, not float64"),
        (np.full(10, 40_000), "must lie from -32768 to 32767"),
    ],
)
def test_rejudging_refuses_levels_that_do_not_fit(collection, levels, message):
    """The wrong number, kind or size of levels is refused."""
    with pytest.raises(InvalidOptionError, match=message):
        collection.rejudge(levels)


@given(st.permutations(["a", "b", "c"]), st.integers(1, 3), st.permutations(["1", "2", "10"]), st.integers(1, 3))
def test_selecting_equals_compiling_the_part(systems, n_systems, topics, n_topics):
    """A selection holds what compiling only those runs and topics would hold, in the order named."""
    whole = collection_from_rankings(RANKINGS, QRELS, retrieved="all").with_groups({"a": "g", "b": "g", "c": "h"})
    part = whole.select(systems=systems[:n_systems], topics=topics[:n_topics])
    assert part.systems == tuple(systems[:n_systems])
    assert part.topics == tuple(topics[:n_topics])
    expected = {name: {topic: literal(RANKINGS, QRELS)[name][topic] for topic in part.topics} for name in part.systems}
    assert contents(part) == expected
    assert part.groups == tuple({"a": "g", "b": "g", "c": "h"}[name] for name in part.systems)
    assert part.top_level == 2
    lengths = [[len(RANKINGS[name].get(topic, [])) for topic in part.topics] for name in part.systems]
    assert part.n_retrieved.tolist() == lengths
    assert np.diff(part.retrieved.offsets).tolist() == np.ravel(lengths).tolist()
    codes = part.retrieved.codes
    assert sorted(codes[codes < part.n_judgments]) == sorted(part.judgments)


def test_selecting_refuses_unknown_and_repeated_names(collection):
    """A name must be there, and once."""
    with pytest.raises(UnknownNameError, match="no system 'd'"):
        collection.select(systems=["d"])
    with pytest.raises(InvalidOptionError, match="each once"):
        collection.select(topics=["1", "1"])
    with pytest.raises(InvalidOptionError, match="at least one topic"):
        collection.select(topics=[])
    with pytest.raises(InvalidOptionError, match="write \\['a'\\]"):
        collection.select(systems="a")


def test_missing_lists_are_counted_dropped_or_refused(collection):
    """An empty list costs a run something where its topic has something relevant; topics go where any is empty."""
    assert collection.missing.tolist() == [[False] * 3, [False, True, False], [False] * 3]
    assert collection.handle_missing("zero").notes[-1] == "empty lists, scored 0: 1 ('b' lacks 1 of 3 topics)"
    assert collection.handle_missing("drop-systems").systems == ("a", "c")
    assert collection.handle_missing("drop-topics").topics == ("10",)
    assert "topics dropped: 2 (1, 2), since 'b' lacks" in collection.handle_missing("drop-topics").notes[-1]
    with pytest.raises(ScoresError, match="'b' lacks 1 of 3 topics; pass `missing='zero'`"):
        collection.handle_missing("error")
    with pytest.raises(UnknownNameError, match="no rule for missing topics 'drop'"):
        collection.handle_missing("drop")
    with pytest.raises(ScoresError, match="would leave nothing"):
        collection.select(systems=["b"], topics=["2"]).handle_missing("drop-topics")


def test_topics_without_judgments_are_ignored_and_said(collection):
    """A topic that only runs have is noted."""
    assert collection.notes[1:] == ("topics of the runs without judgments, ignored: 1 (3)",)


def test_levels_below_minus_one_are_said():
    """Spam at -2 is no judgment, and the note says how often it occurs and how it would be one; -1 is as meant."""
    qrels = {"1": {"a": 1, "b": -2, "c": -2, "d": -1, "e": -7, "f": -(2**15)}}
    made = collection_from_rankings({"run": {"1": ["b", "a"]}}, qrels)
    (note,) = made.notes
    assert note == (
        "documents at negative levels count as pooled but not judged, as in trec_eval: -32768 (1), -7 (1), -2 (2); "
        "give them level 0 to count them as judged non-relevant"
    )
    assert collection_from_rankings({"run": {"1": ["b", "a"]}}, {"1": {"a": 1, "d": -1}}).notes == ()
    assert NOT_POOLED not in made.levels


@pytest.mark.parametrize(
    ("grades", "told"),
    [
        ((0, 1, 2, 3, 9, 9), "(0 to 3) count as such: 9 (2 lines);"),
        ((0, 1, 99), "(0 to 1) count as such: 99 (1 line);"),
        ((0, 1, 3, 33, 99), "(0 to 3) count as such: 33 (1 line), 99 (1 line);"),
        *((grades, "") for grades in ((0, 1, 3), (0, 1, 3, 7), (0, 2), (-2, 0, 1, 2, 3), (0, 10))),
    ],
)
def test_grades_far_above_all_others_are_said(grades, told):
    """What may stand for no grade is named with its lines; grades with gaps, as those of real collections, are not."""
    qrels = {"1": {f"d{at}": grade for at, grade in enumerate(grades)}}
    notes = [note for note in collection_from_rankings({"run": {"1": ["d0"]}}, qrels).notes if "grades far" in note]
    assert len(notes) == bool(told)
    assert told in "".join(notes)


def test_groups_and_pooled_runs_are_looked_up_by_name(collection):
    """Every system needs a group; other names are ignored; pooled runs may be listed."""
    marked = collection.with_groups({"c": "z", "a": "x", "b": "x", "other": "y"}, pooled=["a", "c"])
    assert marked.groups == ("x", "x", "z")
    assert marked.pooled.tolist() == [True, False, True]
    assert marked.with_groups(pooled={"a": False, "b": True, "c": False}).groups == ("x", "x", "z")
    table = pd.DataFrame({"group": ["x", "y", "z"], "pooled": ["yes", "no", "Yes"]}, index=["c", "b", "a"])
    marked = collection.with_groups(table["group"], pooled=table["pooled"])
    assert marked.groups == ("z", "y", "x")
    assert marked.pooled.tolist() == [True, False, True]
    with pytest.raises(InvalidOptionError, match=r"`pooled` must say yes or no .*, not 'perhaps'"):
        collection.with_groups(pooled={"a": True, "b": "perhaps", "c": 0})
    with pytest.raises(InvalidOptionError, match="`groups` names system 'a' twice"):
        collection.with_groups(pd.Series(["x", "y"], index=["a", "a"]))
    with pytest.raises(InvalidOptionError, match="`groups` covers 1 of 3 systems; absent: b, c"):
        collection.with_groups({"a": "x"})
    with pytest.raises(UnknownNameError, match="no system 'd'"):
        collection.with_groups(pooled=["d"])


@pytest.mark.parametrize(
    ("rankings", "qrels", "message"),
    [
        ({"a": {"1": ["x", "y", "x"]}}, {"1": {"x": 1}}, "run 'a' has document 'x' twice"),
        ({"a": {"1": ["x"]}}, {"2": {"x": 1}}, "no topic in common: runs answer 1, the qrels judge 2"),
        ({}, {"2": {"x": 1}}, "no run"),
        ({"a": {"1": ["x"]}}, {}, "no judgment"),
        ({"a": {"1": ["x"]}}, {"1": {}}, "no judgment"),
        ({"a": {"1": ["x"]}}, {"1": {"x": "high"}}, "levels must be numbers, not <U4"),
        ({"a": {"1": ["x"]}}, {"1": {"x\0": 1}}, "zero byte"),
    ],
)
def test_what_cannot_be_compiled_is_refused(rankings, qrels, message):
    """Repetitions, nothing in common, nothing at all and levels that are no numbers are errors."""
    with pytest.raises(InvalidOptionError, match=message):
        collection_from_rankings(rankings, qrels)


def test_judgments_are_in_order_of_topic_and_identifier():
    """The order of the lines of a qrels does not matter."""
    judgments = judgments_from({"10": {"b": 1, "a": 0}, "9": {"c": 2}})
    assert judgments.topics == ("9", "10")
    assert judgments.document_ids.tolist() == [b"c", b"a", b"b"]
    assert judgments.levels.tolist() == [2, 0, 1]


def test_statistics_count_what_is_there(collection):
    """The table holds totals, means and ranges; unjudged documents are those of the top ten."""
    statistics = collection.with_groups({"a": "x", "b": "x", "c": "y"}).statistics()
    assert (statistics.n_topics, statistics.n_topics_with_relevant, statistics.n_missing) == (3, 2, 1)
    assert (statistics.n_systems, statistics.n_groups, statistics.n_pooled) == (3, 2, None)
    assert statistics.per_topic["judged"].tolist() == [2, 3, 3]
    assert not any("-" in name for name in statistics.per_topic)
    # a: d2 | e2 d1 | d4 x d3(-1) d1: 2 of 7 unjudged; b: x y d2: 2 of 3; c: d1 y e1 e2 | d5(-2): 2 of 5
    np.testing.assert_allclose(statistics.per_system["unjudged_at_10"], [2 / 7, 2 / 3, 2 / 5])
    frame = statistics.to_frame().set_index("quantity")
    assert frame.loc["relevant per topic", ["total", "mean", "min", "max"]].tolist() == [3, 1, 0, 2]
    assert frame.loc["groups", "total"] == 2
    assert frame.loc["retrieved per run", "total"] == 15


def test_a_topic_without_judgments_left_counts_no_unjudged_documents(collection):
    """Topics where nothing is judged now are left out of the unjudged share; a run without lists has none."""
    emptied = collection.rejudge(np.full(collection.n_judgments, NOT_POOLED))
    assert np.isnan(emptied.unjudged_share()).all()
    np.testing.assert_allclose(collection.unjudged_share(1), [0, 1, 1 / 2])


@pytest.fixture(scope="module")
def trec_covid(data_folder):
    folder = data_folder / "trec-covid-r1"
    qrels = {}
    with gzip.open(folder / "qrels-rnd1.txt.gz", "rt") as lines:
        for topic, _, document, level in map(str.split, lines):
            qrels.setdefault(topic, {})[document] = int(level)
    rankings = {}
    with lzma.open(folder / "rankings.tsv.xz", "rt") as lines:
        next(lines)
        for run, topic, documents in (line.rstrip("\n").split("\t") for line in lines):
            rankings.setdefault(run, {})[topic] = documents.split(" ")
    with (folder / "leaderboard.csv").open() as lines:
        pooled = {row["run"]: row["contributed judgments"] == "yes" for row in csv.DictReader(lines)}
    return collection_from_rankings(rankings, qrels, retrieved="all").with_groups(pooled=pooled)


def test_statistics_of_trec_covid_are_the_published_ones(trec_covid):
    """TREC-COVID round 1: judgments per level and per topic, pooled runs, and unjudged documents in the top ten."""
    statistics = trec_covid.statistics()
    frame = statistics.to_frame().set_index("quantity")
    assert frame.loc["runs", "total"] == 143
    assert frame.loc["pooled runs", "total"] == 56
    assert [frame.loc[f"level {level} per topic", "total"] for level in range(3)] == [6339, 1115, 1237]
    assert frame.loc["judged per topic", ["min", "max"]].tolist() == [180, 373]
    assert frame.loc["relevant per topic", ["min", "max"]].tolist() == [26, 202]
    assert round(frame.loc["relevant per topic", "mean"], 1) == 78.4
    assert frame.loc["retrieved per run", "total"] == 3_509_493
    shares = statistics.per_system["unjudged_at_10"].to_numpy()
    pooled = trec_covid.pooled
    found = [shares[pooled].mean(), shares[~pooled].mean(), shares.mean(), shares.max()]
    assert [round(share, 2) for share in found] == [0.15, 0.35, 0.27, 0.98]


def test_the_pool_of_trec_covid_is_rebuilt_from_all_retrieved_documents(trec_covid):
    """Depth 7 of the pooled runs is judged to 99.9 % and holds 80 % of the judged, 83 % of the relevant documents."""
    retrieved = trec_covid.retrieved
    rank = np.arange(len(retrieved.codes)) - np.repeat(retrieved.offsets[:-1], np.diff(retrieved.offsets))
    system = np.repeat(np.arange(trec_covid.n_systems), trec_covid.n_retrieved.sum(axis=1))
    pool = np.zeros(retrieved.n_codes, dtype=bool)
    pool[retrieved.codes[(rank < 7) & trec_covid.pooled[system]]] = True
    inside = pool[: trec_covid.n_judgments]
    relevant = trec_covid.levels > 0
    shares = [inside.sum() / pool.sum(), inside.mean(), inside[relevant].mean()]
    assert [round(share, 3) for share in shares] == [0.999, 0.800, 0.830]
