"""What the tests of pools and reduced judgments share: random small collections, and pools made of Python sets."""

from dataclasses import dataclass
from types import SimpleNamespace
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED, CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores

DOCUMENTS = [f"d{number:02}" for number in range(14)]


@dataclass(frozen=True)
class Case:
    """Runs and qrels as plain Python, and the collection that is made of them."""

    rankings: dict
    qrels: dict
    groups: dict
    pooled: dict

    def collection(self, *, retrieved="all"):
        """Compile runs and judgments, with groups and pooled runs."""
        compiled = collection_from_rankings(self.rankings, self.qrels, retrieved=retrieved)
        return compiled.with_groups(self.groups, pooled=self.pooled)

    def lists(self, topic, *, without=None):
        """Return the lists of the pooled runs on a topic, but for those of one group."""
        return [
            lists.get(topic, [])
            for name, lists in self.rankings.items()
            if self.pooled[name] and self.groups[name] != without
        ]


@st.composite
def cases(draw, *, unjudged=True):
    """Draw two to five runs over one to three topics, with a relevant document in every topic, and one that is not."""
    names = [f"run{number}" for number in range(draw(st.integers(2, 5)))]
    topics = [str(number) for number in range(1, draw(st.integers(1, 3)) + 1)]
    lists = st.permutations(DOCUMENTS).flatmap(
        lambda order: st.integers(0, len(DOCUMENTS)).map(lambda length: list(order[:length]))
    )
    levels = st.sampled_from([-1, 0, 0, 1, 2] if unjudged else [0, 0, 1, 2])
    qrels = {topic: draw(st.dictionaries(st.sampled_from(DOCUMENTS), levels, min_size=1)) for topic in topics}
    for topic in topics:
        qrels[topic][draw(st.sampled_from(DOCUMENTS))] = 1
    if all(level > 0 for lines in qrels.values() for level in lines.values()):
        first = qrels[topics[0]]
        first[next((name for name in DOCUMENTS if name not in first), DOCUMENTS[0])] = 0
    groups = {name: draw(st.sampled_from("ABC")) for name in names} | {"run0": "A", "run1": "B"}
    pooled = {name: draw(st.booleans()) for name in names} | {"run0": True, "run1": True}
    rankings = {name: {topic: draw(lists) for topic in topics} for name in names}
    for name in ("run0", "run1"):  # whoever is left out, somebody retrieves something
        rankings[name][topics[0]] = rankings[name][topics[0]] or [draw(st.sampled_from(DOCUMENTS))]
    return Case(rankings, qrels, groups, pooled)


def pool_of_depth(lists, depth):
    """Return the union of the top of every list."""
    return {name for one in lists for name in one[:depth]}


def depth_of_size(lists, size):
    """Return the smallest depth whose pool holds so many documents, or the longest list's."""
    longest = max((len(one) for one in lists), default=0)
    for depth in range(longest):
        if len(pool_of_depth(lists, depth)) >= size:
            return depth
    return longest


def restricted(qrels, pools):
    """Return the qrels of the documents in each topic's pool."""
    return {
        topic: {name: level for name, level in levels.items() if name in pools[topic]}
        for topic, levels in qrels.items()
    }


def as_qrels(collection, levels):
    """Write levels as qrels: what is not pooled has no line."""
    topics = collection.topic_of_judgment
    found = {topic: {} for topic in collection.topics}
    for place in np.flatnonzero(levels != NOT_POOLED):
        found[collection.topics[topics[place]]][collection.document_ids[place].decode()] = int(levels[place])
    return found


def as_run(table):
    """Return a table of one run as trec_eval takes it: topic to document to score."""
    return {topic: dict(zip(part["doc_id"], part["score"], strict=True)) for topic, part in table.groupby("query_id")}


def tops(table, depth):
    """Return the first documents of each topic of a run as trec_eval orders them: 32-bit scores, then identifiers."""
    rounded = table.assign(score=table["score"].astype(np.float32))
    ordered = rounded.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    return {
        topic: part["doc_id"].tolist() for topic, part in ordered.groupby("query_id").head(depth).groupby("query_id")
    }


@pytest.fixture(scope="session")
def random_cases():
    """Give the strategy of small collections."""
    return cases


@pytest.fixture(scope="session")
def literal():
    """Give the pools made of Python sets."""
    return SimpleNamespace(
        pool_of_depth=pool_of_depth,
        depth_of_size=depth_of_size,
        restricted=restricted,
        as_qrels=as_qrels,
        as_run=as_run,
        tops=tops,
    )


@pytest.fixture(scope="session")
def deep_learning(data_folder):
    """Give TREC DL 2019 with every retrieved document and the participants, and its 37 runs as tables."""
    folder = data_folder / "trec-dl19-passage"
    files = sorted((folder / "runs").iterdir())
    with catch_warnings():
        simplefilter("ignore", CollectionWarning)  # ties are in the order of trec_eval on both sides
        collection = read_collection(
            files, folder / "qrels.txt.gz", retrieved="all", score_precision="float32", n_jobs=1
        )
    columns = {0: "query_id", 2: "doc_id", 4: "score"}
    tables = {
        path.stem: pd.read_csv(
            path, sep=r"\s+", header=None, usecols=list(columns), dtype={0: str, 2: str, 4: float}
        ).rename(columns=columns)
        for path in files
    }
    runs = pd.read_csv(folder / "runs.csv")
    return collection.with_groups(dict(zip(runs["run"], runs["participant"], strict=True))), tables


@pytest.fixture(scope="module")
def one_core():
    """Hold compiled kernels to one core: waking others costs more than small collections take."""
    with limit_threads(1):
        yield


@pytest.fixture(scope="session")
def graded():
    """Give what makes systems that differ by steps, under several noisy metrics."""

    def make(seed=0, n_systems=9, n_topics=25, n_metrics=2):
        """Make systems that differ by steps, under several noisy metrics."""
        rng = np.random.default_rng(seed)
        return np.linspace(0, 0.8, n_systems)[:, None] + rng.normal(0, 0.5, (n_metrics, n_systems, n_topics))

    return make


@pytest.fixture(scope="session")
def literal_t_power():
    """Discriminative power of the paired t test by SciPy and statsmodels."""

    def power(values, correction, alpha):
        """Return the share of pairs that SciPy's paired t test and statsmodels' correction reject."""
        first, second = np.triu_indices(len(values), 1)
        z = values[first] - values[second]
        constant = np.ptp(z, axis=1) < 1e-12  # SciPy gives NaN here
        p_values = np.where(np.abs(z[:, 0]) < 1e-12, 1.0, 0.0)
        if not constant.all():
            p_values[~constant] = stats.ttest_1samp(z[~constant], 0, axis=1).pvalue
        if correction == "none":
            return np.mean(p_values <= alpha)
        return np.mean(multipletests(p_values, method=correction)[1] <= alpha)

    return power


@pytest.fixture(scope="session")
def grouped(graded):
    """Twelve systems of four teams under two metrics."""
    groups = {f"system{number}": "abcd"[number % 4] for number in range(1, 13)}
    return as_scores(graded(n_systems=12), metrics=["one", "two"], groups=groups)
