"""Compat: published values of two years of the Deep Learning track, another package, and laws."""

import lzma
import tarfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import CollectionWarning
from metaeval.io.trec import read_collection
from metaeval.metrics import BUILTIN, metric_values, score
from metaeval.testing import simulated_collections

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings(f"ignore::{CollectionWarning.__module__}.{CollectionWarning.__name__}"),
]


def published(folder):
    """Return the values of people's judgments, by run and topic, without the means."""
    table = pd.read_csv(folder / "compatibility_published.csv.gz", dtype={"topic": str})
    kept = (table["qrels"] == "original") & (table["topic"] != "average")
    return table[kept].set_index(["runid", "topic"])["compatibility"]


def differing(collection, expected):
    """Return how many values there are, and how many differ from those published."""
    found = score(collection, ["Compat(p=0.9)"])[0].to_series()
    assert sorted(found.index) == sorted(expected.index)
    return len(found), int(((found - expected.rename_axis(found.index.names)).abs() > 1e-6).sum())


@pytest.fixture(scope="module")
def unpacked(data_folder, tmp_path_factory):
    """Unpack runs and automatic judgments of both years; the runs of 2019 are copied without their packing."""
    folders = {}
    for year in ("dl19", "dl21"):
        source, folders[year] = data_folder / f"llm-judges-{year}", tmp_path_factory.mktemp(year)
        for name in ("auto-qrels.tar.xz", "runs.tar.xz"):
            if (source / name).exists():
                with tarfile.open(source / name) as archive:
                    archive.extractall(folders[year], filter="data")
    official = folders["dl19"] / "runs"
    official.mkdir()
    for run in (data_folder / "trec-dl19-passage" / "runs").iterdir():
        (official / run.stem).write_bytes(lzma.decompress(run.read_bytes()))
    return folders


QRELS = {"dl19": "trec-dl19-passage/qrels.txt.gz", "dl21": "llm-judges-dl21/qrels.nist.txt.gz"}


def test_published_values_of_dl21_come_out(data_folder, unpacked):
    """All 3339, by the program's rule for ties; trec_eval's rule gives others where scores are tied."""
    expected = published(data_folder / "llm-judges-dl21")
    paths = (unpacked["dl21"] / "runs", data_folder / QRELS["dl21"])
    assert differing(read_collection(*paths, order="ties-ascending"), expected) == (3339, 0)
    assert differing(read_collection(*paths), expected) == (3339, 803)


def test_published_values_of_dl19_come_out(data_folder, unpacked):
    """All 1591 of the official runs."""
    collection = read_collection(unpacked["dl19"] / "runs", data_folder / QRELS["dl19"], order="ties-ascending")
    assert differing(collection, published(data_folder / "llm-judges-dl19")) == (1591, 0)


@pytest.mark.parametrize("year", ["dl21", "dl19"])
def test_published_correlations_with_nist_come_out(data_folder, unpacked, year):
    """Kendall's tau of NIST's mean nDCG@10 (four decimals, as published) and the mean under 13 sets of judgments.

    Seven of the automatic sets hold real-valued grades; of 2019, where reading takes longer, five of the 13 are done.
    """
    runs = unpacked[year] / "runs"
    people = data_folder / QRELS[year]
    truth = score(read_collection(runs, people), ["nDCG@10"])[0].mean("topic").to_series().round(4)
    files = {"exam binary": "exam_binary_mean", "umbrela zeroshot": "umbrela"}
    expected = pd.read_csv(data_folder / f"llm-judges-{year}" / "published_taus.csv").set_index("qrels")["tau"]
    if year == "dl19":
        expected = expected.iloc[[0, 3, 4, 8, 10]]
    for name, tau in expected.items():
        file = unpacked[year] / "auto-qrels" / "gpt-4o" / f"{files.get(name, name.replace(' ', '_'))}.txt"
        qrels = people if name == "original" else file
        found = score(read_collection(runs, qrels, order="ties-ascending"), ["Compat(p=0.9)"])[0].mean("topic")
        assert kendalltau(truth, found.to_series().reindex(truth.index)).statistic == pytest.approx(tau, abs=5.1e-4), (
            name
        )


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.5, 0.8, 0.95]))
def test_ours_equals_ir_measures_at_its_depth(seed, p):
    """Its sums end with the longer of list and ideal ranking; ours, asked for that depth, are the same."""
    ir_measures = pytest.importorskip("ir_measures")
    from metaeval.metrics.external import ExternalMetric  # noqa: PLC0415 - imports ir_measures

    rankings, qrels = next(simulated_collections(np.random.default_rng(seed), 1))
    theirs = ExternalMetric("theirs", ir_measures.Compat(p=p))
    for system, lists in rankings.items():
        for topic, names in lists.items():
            if not (names and topic in qrels):
                continue
            collection = collection_from_rankings({system: {topic: names}}, {topic: qrels[topic]})
            k = max(len(names), sum(level > 0 for level in qrels[topic].values()))
            found = metric_values(collection, [theirs, f"Compat(p={p})@{k}"]).ravel()
            assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_a_measure_of_ir_measures_becomes_ours(values_of):
    """With the persistence it has; the raw overlap, which we do not have, stays theirs."""
    ir_measures = pytest.importorskip("ir_measures")
    assert BUILTIN.resolve(ir_measures.Compat).name == "Compat(p=0.95)"
    assert BUILTIN.resolve(ir_measures.Compat(p=0.8, normalize=False)).name == "Compat(normalize=False, p=0.8)"
    assert values_of(["d1"], {"d1": 1}, ["Compat"]).tolist() == [1.0]


def test_a_worked_example(values_of):
    """List a x b, both relevant, b more: ideal b a. Overlaps at 1, 2, 3, … are 0, 1, 2, 2 and so on."""
    overlaps = [0, 1, 2, 2, 2]
    expected = sum(0.5**i * n / (i + 1) for i, n in enumerate(overlaps))
    best = sum(0.5**i * min(i + 1, 2) / (i + 1) for i in range(5))
    assert values_of(["a", "x", "b"], {"a": 1, "b": 2}, ["Compat(p=0.5)@5"]) == pytest.approx([expected / best])


@st.composite
def judged_lists(draw):
    """One list over judged and unjudged documents, with something relevant."""
    levels = draw(st.lists(st.integers(-1, 4), min_size=1, max_size=12))
    qrels = {f"d{number}": level for number, level in enumerate([draw(st.integers(1, 4)), *levels])}
    names = draw(st.permutations([*qrels, *(f"u{number}" for number in range(draw(st.integers(0, 5))))]))
    return names[: draw(st.integers(1, len(names)))], qrels


@given(made=judged_lists())
def test_only_the_order_of_levels_matters(made):
    """Squares of the levels give the same, to the bit."""
    names, qrels = made
    other = {name: level * abs(level) for name, level in qrels.items()}
    both = [
        metric_values(collection_from_rankings({"a": {"1": names}}, {"1": one}), ["Compat"]) for one in (qrels, other)
    ]
    assert np.array_equal(*both)


@given(made=judged_lists(), depth=st.integers(1, 30))
def test_documents_that_are_not_relevant_never_help(made, depth):
    """Below the list they change nothing; above it they lower the score, or leave it."""
    names, qrels = made
    lists = {"alone": names, "below": [*names, "new"], "above": ["new", *names]}
    collection = collection_from_rankings({name: {"1": one} for name, one in lists.items()}, {"1": qrels})
    alone, below, above = metric_values(collection, [f"Compat(p=0.7)@{depth}"]).ravel()
    assert below == alone
    assert above <= alone


@given(made=judged_lists())
def test_unretrieved_documents_of_the_top_level_never_help(made):
    """They stand before all others of lower levels in every ideal ranking."""
    names, qrels = made
    more = qrels | {"missed": 5}
    both = [
        metric_values(collection_from_rankings({"a": {"1": names}}, {"1": one}), ["Compat"]) for one in (qrels, more)
    ]
    assert both[1].item() <= both[0].item() + 1e-12


def test_nothing_relevant_is_undefined():
    """Such a topic counts 0, or is dropped, as under every measure; an empty list has 0."""
    collection = collection_from_rankings(
        {"a": {"1": ["d1"], "2": ["d1"], "3": ["d1"]}, "b": {"1": ["d1"], "2": ["d1"]}},
        {"1": {"d1": 1}, "2": {"d1": 0}, "3": {"d1": 2}},
    )
    assert metric_values(collection, ["Compat"])[0].tolist() == [[1, 0, 1], [1, 0, 0]]
    assert score(collection, ["Compat"])["topic"].to_numpy().tolist() == ["1", "2", "3"]
    assert score(collection, ["Compat"], undefined="drop")["topic"].to_numpy().tolist() == ["1", "3"]
