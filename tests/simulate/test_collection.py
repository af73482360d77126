"""Simulated collections: what is promised about runs, pools, groups, ties and files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.io.trec import read_collection
from metaeval.simulate.collection import SimulatedCollection, _ranked, simulate_collection

SMALL = {"n_groups": 4, "runs_per_group": 3, "n_topics": 12, "n_documents": 300, "depth": 100, "pool_depth": 10}
TIES = pytest.mark.filterwarnings("ignore::metaeval.collection.documents.CollectionWarning")


@pytest.fixture(scope="module")
def made():
    return simulate_collection(**SMALL, n_missing=2, rng=7)


def files_in(folder):
    """Return every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def average_precision(collection):
    """Return AP, written out, shape (system, topic)."""
    values = np.zeros((collection.n_systems, collection.n_topics))
    for number in range(values.size):
        part = slice(collection.offsets[number], collection.offsets[number + 1])
        ranks = collection.ranks[part][collection.levels[collection.judgments[part]] > 0]
        values.flat[number] = (np.arange(1, len(ranks) + 1) / ranks).sum()
    return values / np.maximum(collection.n_relevant, 1)


def test_the_same_seed_writes_the_same_bytes(made, tmp_path):
    """Equal seeds give equal files, packed or not; another seed does not."""
    again = simulate_collection(**SMALL, n_missing=2, rng=7)
    other = simulate_collection(**SMALL, n_missing=2, rng=8)
    for compress in (False, True):
        written = [
            files_in(collection.write_collection(tmp_path / f"{name}{compress}", compress=compress))
            for name, collection in (("a", made), ("b", again), ("c", other))
        ]
        assert written[0] == written[1]
        assert written[0] != written[2]
    assert set(written[0]) == {"groups.csv", "qrels.txt.gz", *(f"runs/{name}.txt.gz" for name in made.systems)}
    assert made.random_source == "seed 7"


@TIES
def test_reading_the_files_gives_the_collection(made, tmp_path):
    """What is written and read back is what `to_collection` compiles, and the order that was made."""
    folder = made.write_collection(tmp_path / "made")
    table = pd.read_csv(folder / "groups.csv", index_col="system")
    read = read_collection(
        folder / "runs", folder / "qrels.txt", retrieved="all", groups=table["group"], pooled=table["pooled"]
    )
    compiled = made.to_collection(retrieved="all")
    assert read.systems == compiled.systems == made.systems
    assert read.groups == compiled.groups == made.groups
    for name in ("offsets", "ranks", "judgments", "n_retrieved", "levels", "document_ids", "pooled", "tied"):
        np.testing.assert_array_equal(getattr(read, name), getattr(compiled, name))
    np.testing.assert_array_equal(read.retrieved.codes, compiled.retrieved.codes)
    for row, column in ((0, 0), (5, 3), (11, 11)):
        pool, levels = made.levels[made.topics[column]]
        level = dict(zip(pool.tolist(), levels.tolist(), strict=True))
        listed = made.documents[row, column].tolist()
        expected = [(rank, level[name]) for rank, name in enumerate(listed, start=1) if name in level]
        number = row * read.n_topics + read.topics.index(made.topics[column])
        part = slice(read.offsets[number], read.offsets[number + 1])
        found = zip(read.ranks[part].tolist(), read.levels[read.judgments[part]].tolist(), strict=True)
        assert list(found) == expected


def test_the_pool_is_the_top_of_the_pooled_runs(made):
    """Judged are exactly the documents among the first `pool_depth` of a pooled run; other runs have unjudged ones."""
    assert made.pooled.tolist() == [True, True, False] * 4
    for column, topic in enumerate(made.topics):
        tops = {name for row in np.flatnonzero(made.pooled) for name in made.documents[row, column, :10].tolist()}
        assert set(made.levels[topic][0].tolist()) == tops
    shares = made.to_collection().unjudged_share(10)
    assert (shares[made.pooled] == 0).all()
    assert 0 < shares[~made.pooled].mean() < 0.5


def test_runs_differ_as_real_ones_do():
    """AP goes from about .1 to .6, follows the true quality, and runs of one group are alike."""
    made = simulate_collection(rng=1)
    values = average_precision(made.to_collection()).mean(axis=1)
    assert 0.05 < values.min() < 0.2
    assert 0.4 < values.max() < 0.7
    assert np.corrcoef(values, made.true_quality)[0, 1] > 0.95
    by_group = values.reshape(6, 4)
    assert by_group.std(axis=1).mean() < by_group.mean(axis=1).std() / 4


def test_runs_of_a_group_err_alike():
    """Runs of one group share more of their lists than runs of two groups of much the same quality."""
    made = simulate_collection(n_groups=6, runs_per_group=2, n_topics=10, rng=3)
    lists = [[set(row[:50].tolist()) for row in run] for run in made.documents]

    def shared(one, other):
        return np.mean([len(a & b) for a, b in zip(lists[one], lists[other], strict=True)])

    within = [shared(row, row + 1) for row in range(0, 12, 2)]
    between = [shared(row, other) for row in range(0, 12, 2) for other in range(0, 12, 2) if row != other]
    assert min(within) > np.mean(between)


def test_some_runs_hold_ties_and_one_may_lack_topics(made):
    """The fourth group has many tied scores, the others hardly any; only the last run lacks topics."""
    collection = made.to_collection()
    tied = collection.tied.reshape(4, 3)
    assert (tied[3] > 0.2).all()
    assert (tied[:3] < 0.01).all()
    assert collection.missing.sum(axis=1).tolist() == [0] * 11 + [2]
    assert np.diff(made.scores, axis=2).max() <= 0


def test_levels_are_graded():
    """Every level up to the highest is used; with one level the judgments are binary."""
    graded = simulate_collection(levels=4, rng=2).qrels["relevance"]
    assert sorted(graded.unique()) == [0, 1, 2, 3, 4]
    binary = simulate_collection(levels=1, n_topics=5, rng=2).qrels["relevance"]
    assert sorted(binary.unique()) == [0, 1]


def test_the_smallest_collection_is_sound():
    """One run, one topic, one document."""
    made = simulate_collection(
        n_groups=1, runs_per_group=1, n_topics=1, n_documents=1, depth=1, pool_depth=1, levels=1, rng=0
    )
    assert made.to_collection().n_retrieved.tolist() == [[1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_groups": 0}, "`n_groups` must be a whole number of at least 1, not 0"),
        ({"levels": 1.5}, "`levels` must be a whole number of at least 1, not 1.5"),
        ({"depth": 400}, r"`depth` must not exceed `n_documents` \(300\), and is 400"),
        ({"pool_depth": 101}, r"`pool_depth` must not exceed `depth` \(100\), and is 101"),
        ({"n_missing": 12}, r"`n_missing` must be a whole number from 0 to 11 \(all topics but one\), not 12"),
        ({"rng": -1}, "`rng` must be"),
    ],
)
def test_sizes_outside_their_rule_are_refused(options, message):
    """The error names the number, the rule and the value."""
    with pytest.raises(InvalidOptionError, match=message):
        simulate_collection(**{**SMALL, **options})


def test_nothing_is_overwritten_or_left_half_written(made, tmp_path, monkeypatch):
    """A folder that holds something is refused; an interruption leaves no folder behind."""
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InvalidOptionError, match="is not empty; name a new one"):
        made.write_collection(tmp_path)
    (tmp_path / "empty").mkdir()
    assert made.write_collection(tmp_path / "empty") == Path(tmp_path / "empty")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SimulatedCollection, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.write_collection(tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "mine.txt"]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 19, 20])
def test_a_run_holds_the_best_documents_by_its_evidence(depth):
    """As many as asked, in the order of their rounded scores, ties by document from the last."""
    evidence = np.random.default_rng(depth).normal(size=(5, 20))
    documents, scores = _ranked(evidence, depth, np.full(5, 1))
    for own, found, rounded in zip(evidence, documents.tolist(), scores.tolist(), strict=True):
        best = sorted(range(20), key=lambda place: -own[place])[:depth]
        assert found == sorted(best, key=lambda place: (-np.rint(10 * own[place]), -place))
        assert rounded == pytest.approx([np.rint(10 * own[place]) / 10 for place in found])
