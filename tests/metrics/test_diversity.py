"""Measures of diversity: kept values of ndeval, literal versions of the rest, and what they need."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.io.trec import read_collection
from metaeval.metrics import BUILTIN, metric_values
from metaeval.metrics.diversity import SPECS
from metaeval.testing import check_metric

pytestmark = pytest.mark.usefixtures("one_core")
KEPT = json.loads((Path(__file__).parents[1] / "reference" / "ndeval.json").read_text("utf-8"))


@pytest.fixture
def made(tmp_path):
    """Make a collection of judgments (topic, subtopic, document, grade) and of lists by run and topic."""

    def collection(judgments, lists, **options):
        qrels = tmp_path / "qrels.txt"
        qrels.write_text("".join(f"{' '.join(map(str, line))}\n" for line in judgments))
        for run, topics in lists.items():
            lines = (
                f"{topic} Q0 {document} 1 {-rank} {run}\n"
                for topic, documents in topics.items()
                for rank, document in enumerate(documents)
            )
            (tmp_path / f"{run}.run").write_text("".join(lines))
        return read_collection([tmp_path / f"{run}.run" for run in lists], qrels, **options)

    return collection


def _asked(name, alpha, beta, rel):
    word, _, cutoff = name.partition("@")
    own = BUILTIN.resolve(f"{word}@5" if cutoff else word).spec
    given = {"alpha": alpha, "beta": beta, "rel": rel}
    inside = ", ".join(f"{key}={value}" for key, value in given.items() if key in own.parameters)
    return f"{own.name}({inside})" + (f"@{cutoff}" if cutoff else "")


def test_kept_values_of_ndeval(made):
    """45 random topics with real subtopics, grades from -2 to 3, three settings, under the names of ndeval."""
    judgments = [
        (topic, *entry.split(":")) for topic, (entries, _, _) in enumerate(KEPT["topics"]) for entry in entries.split()
    ]
    lists = {str(topic): documents.split() for topic, (_, documents, _) in enumerate(KEPT["topics"])}
    collection = made(judgments, {"run": lists})
    assert len(collection.topics) == len(KEPT["topics"])
    for place, setting in enumerate(KEPT["settings"]):
        expected = np.array([values[place] for _, _, values in KEPT["topics"]]).T
        found = metric_values(collection, [_asked(name, *setting) for name in KEPT["measures"]])[:, 0]
        assert found == pytest.approx(expected, abs=1e-11)


def test_printed_value_of_err_ia(data_folder, made):
    """ERR-IA@20 of the tests of ir_measures, to its four digits."""
    printed = json.loads((data_folder / "user-models" / "expected.json").read_text("utf-8"))["diversity"]
    lists = {"0": ["D0", "D2", "D3", "D1", "D4"], "1": ["D1", "D3", "D4", "D2"]}
    lines = sorted((line.split() for line in printed["run"]), key=lambda words: -float(words[4]))
    lists = {topic: [words[2] for words in lines if words[0] == topic] for topic in lists}
    judgments = [line.split() for line in printed["qrels (topic subtopic document grade)"]]
    values = metric_values(made(judgments, {"run": lists}), ["ERR-IA@20"])[0, 0]
    expected = [printed["ERR-IA@20"][topic] for topic in ("0", "1")]
    assert values == pytest.approx(expected, abs=6e-5)


def _drawn(seed):
    generator = np.random.default_rng(seed)
    judgments = {
        (str(topic), f"s{subtopic}", f"d{document}"): int(generator.choice([0, 1, 2]))
        for topic in range(2)
        for subtopic in range(3)
        for document in range(8)
        if generator.random() < 0.7
    }
    judgments |= {("0", "s0", "d0"): 2, ("0", "s1", "d0"): 1, ("1", "s0", "d1"): 1}
    names = [f"d{place}" for place in range(8)] + ["u0", "u1"]
    lists = {
        run: {str(topic): generator.permutation(names)[: generator.integers(1, 11)].tolist() for topic in range(2)}
        for run in "ab"
    }
    return judgments, lists


def _literal_d(judgments, documents, topic, weights, k):
    """D-nDCG and I-rec from their definitions (Sakai and Song 2011)."""
    own = {(s, d): grade for (t, s, d), grade in judgments.items() if t == topic and grade > 0}
    share = {s: weights[s] for s in {s for s, _ in own}}
    gain = {d: sum(share[s] * grade for (s, e), grade in own.items() if e == d) for d in {d for _, d in own}}
    dcg = sum(gain.get(d, 0) / math.log2(r + 1) for r, d in enumerate(documents[:k], start=1))
    best = sorted(gain.values(), reverse=True)[:k]
    ideal = sum(value / math.log2(r + 1) for r, value in enumerate(best, start=1))
    seen = {s for s, d in own if d in documents[:k] and weights[s] > 0}
    return dcg / ideal, len(seen) / sum(weights[s] > 0 for s in share)


def _literal_err(judgments, documents, topic, weights, k):
    """ERR-IA with graded satisfaction on a scale of 2 (Chapelle et al. 2011), over the largest possible."""
    own = {(s, d): grade for (t, s, d), grade in judgments.items() if t == topic}
    names = sorted({s for (s, _), grade in own.items() if grade > 0})

    def err(grades):
        total, going_on = 0.0, 1.0
        for r, grade in enumerate(grades[:k], start=1):
            total += going_on * (2**grade - 1) / 4 / r
            going_on *= 1 - (2**grade - 1) / 4
        return total

    mean = sum(weights[s] * err([own.get((s, d), 0) for d in documents]) for s in names) / sum(
        weights[s] for s in names
    )
    return mean / err([2] * k)


def _literal_alpha(judgments, documents, topic, weights):
    """Discounted novel gain over that of the greedy list, which takes the last of equals (Clarke et al. 2008)."""
    about = {}
    for (t, s, d), grade in judgments.items():
        if t == topic and grade > 0:
            about.setdefault(d, set()).add(s)

    def worth(seen, d):
        return sum(weights[s] / 2 ** sum(s in about.get(e, ()) for e in seen) for s in sorted(about.get(d, ())))

    def dcg(listed):
        return sum(worth(listed[:r], d) / math.log2(r + 2) for r, d in enumerate(listed))

    ideal = []
    while len(ideal) < len(about):
        ideal.append(max({*about} - {*ideal}, key=lambda d: (worth(ideal, d), d)))
    return dcg(documents) / dcg(ideal)


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_measures_equal_their_definitions(tmp_path_factory, seed):
    """With weights of subtopics and without; D#-nDCG is the mean of both parts."""
    judgments, lists = _drawn(seed)
    folder = tmp_path_factory.mktemp("drawn")
    collection = made.__wrapped__(folder)([(*key, grade) for key, grade in judgments.items()], lists)
    weighted = {"s0": 0.75, "s1": 0.0, "s2": 0.25}
    names = ["D_nDCG@4", "StRecall@4", "D#-nDCG@4", "ERR_IA(max_level=2)@4", "alpha_nDCG"]
    for weights in (dict.fromkeys(weighted, 1.0), weighted):
        by_topic = {"0": weights, "1": weights}
        values = metric_values(collection.with_subtopic_weights(by_topic), names)
        for row, run in enumerate("ab"):
            for column, topic in enumerate("01"):
                d, recall = _literal_d(judgments, lists[run][topic], topic, weights, 4)
                err = _literal_err(judgments, lists[run][topic], topic, weights, 4)
                alpha = _literal_alpha(judgments, lists[run][topic], topic, weights)
                expected = [d, recall, (d + recall) / 2, err, alpha]
                assert values[:, row, column] == pytest.approx(expected)


def test_other_judgments_and_parts_of_a_collection(made):
    """A document dropped from the judgments is so by subtopic; parts and condensed lists are scored alone."""
    judgments, lists = _drawn(3)
    names = [f"{spec.name}@3" if "k" in spec.parameters else spec.name for spec in SPECS]
    collection = made([(*key, grade) for key, grade in judgments.items()], lists, retrieved="all")
    whole = metric_values(collection, names)
    part = collection.select(systems=["b"], topics=["1"])
    assert np.array_equal(metric_values(part, names), whole[:, 1:, 1:])
    kept = np.arange(collection.n_judgments) % 2 == 0
    reduced = collection.rejudge(np.where(kept, collection.levels, -1))
    left = {
        (t, d)
        for t in "01"
        for place, d in enumerate(collection.documents(t))
        if kept[collection.topic_offsets[int(t)] + place]
    }
    fresh = made([(*key, grade) for key, grade in judgments.items() if (key[0], key[2]) in left], lists)
    assert np.array_equal(metric_values(reduced, names), metric_values(fresh, names))
    further = np.zeros(collection.retrieved.n_codes, dtype=bool)
    further[collection.n_judgments :] = True
    topics = np.zeros(len(further), dtype=np.int64)
    number = np.repeat(np.arange(4) % 2, np.diff(collection.retrieved.offsets))
    topics[collection.retrieved.codes] = number
    assert np.array_equal(metric_values(collection.judge_further(further, topics), names), whole)
    whole_levels = metric_values(collection.at_thresholds([2]), ["StRecall@3"])
    assert np.array_equal(whole_levels, metric_values(collection, ["StRecall(rel=2)@3"]))
    condensed = metric_values(collection, ["P_IA'@3"])
    without = {
        run: {t: [d for d in documents if (t, d) in {(a, b) for a, _, b in judgments}] for t, documents in one.items()}
        for run, one in lists.items()
    }
    assert np.array_equal(
        condensed, metric_values(made([(*key, grade) for key, grade in judgments.items()], without), ["P_IA@3"])
    )


def test_without_subtopics_they_say_so(made):
    """So does a weight that is missing, or has no use."""
    plain = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    for spec in SPECS:
        name = f"{spec.name}@3" if "k" in spec.parameters else spec.name
        with pytest.raises(InvalidOptionError, match="need judgments by subtopic"):
            metric_values(plain, [name])
    with pytest.raises(InvalidOptionError, match="the collections that metrics are tried on have none"):
        check_metric("NRBP")
    with pytest.raises(InvalidOptionError, match="weights are for judgments by subtopic"):
        plain.with_subtopic_weights({})
    judgments, lists = _drawn(4)
    collection = made([(*key, grade) for key, grade in judgments.items()], lists)
    with pytest.raises(InvalidOptionError, match="'s1' of topic '0' has none"):
        collection.with_subtopic_weights({"0": {"s0": 1.0}})
    with pytest.raises(InvalidOptionError, match="'s0' of topic '0' has -1"):
        collection.with_subtopic_weights({"0": {"s0": -1.0}})
    nothing = {topic: dict.fromkeys(("s0", "s1", "s2", "s3"), float(topic)) for topic in collection.topics}
    with pytest.raises(InvalidOptionError, match="all subtopics of topic '0' have the weight 0; one needs more"):
        collection.with_subtopic_weights(nothing)


GRADED = ("D_nDCG", "Dsharp_nDCG")
"""Measures of gains by grade (Sakai and Song 2011); the others ask which documents are relevant, if nothing is said."""


def _named(spec, **values):
    given = ", ".join(f"{key}={value}" for key, value in values.items())
    return f"{spec.name}{f'({given})' * bool(given)}{'@4' * ('k' in spec.parameters)}"


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_measure_takes_gains_where_grades_matter(made, spec):
    """The others have the same value whatever the grades of relevant documents are, and refuse gains."""
    judgments, lists = _drawn(3)
    levelled = made([(*key, min(grade, 1)) for key, grade in judgments.items()], lists)
    plain = metric_values(levelled, [_named(spec)])
    graded = metric_values(made([(*key, grade) for key, grade in judgments.items()], lists), [_named(spec)])
    assert np.array_equal(plain, graded) == (spec.name not in GRADED)
    if spec.name in GRADED:
        other = metric_values(
            made([(*key, grade) for key, grade in judgments.items()], lists), [_named(spec, gains="exponential")]
        )
        assert not np.array_equal(other, graded)
    else:
        with pytest.raises(MetaevalError, match=f"{spec.name} uses no gains"):
            BUILTIN.resolve(_named(spec, gains="exponential"))


def _long(seed, n_documents=60):
    """Judgments of four subtopics, and lists longer than are looked up at a time: 15 to 17, 33, and all."""
    generator = np.random.default_rng(seed)
    names = [f"d{place:02}" for place in range(n_documents)]
    about = {d: [s for s in range(4) if generator.random() < 0.4] or [0] for d in names}
    judgments = {("0", f"s{s}", d): int(generator.integers(1, 3)) for d, own in about.items() for s in own}
    others = [f"u{place}" for place in range(20)]
    lists = {f"run{n}": {"0": generator.permutation(names)[:n].tolist()} for n in (15, 16, 17, 33, n_documents)}
    lists["mixed"] = {"0": generator.permutation([*names[:40], *others]).tolist()}
    return judgments, lists


def _literal_sums(judgments, documents, k):
    """Sum over subtopics what relevant documents give, each once more about a subtopic for half as much."""
    about = {d: [s for (_, s, e) in judgments if e == d] for (_, _, d) in judgments}
    n_seen, sums = (
        dict.fromkeys({s for _, s, _ in judgments}, 0),
        dict.fromkeys(("P", "AP", "ERR", "NRBP", "seen"), 0.0),
    )
    sizes = {s: sum(own == s for _, own, _ in judgments) for s in n_seen}
    for rank, d in enumerate(documents, start=1):
        for s in about.get(d, ()):
            if rank <= k:
                sums["P"] += 1 / k / len(n_seen)
                sums["seen"] += (n_seen[s] == 0) / len(n_seen)
                sums["ERR"] += 0.5 ** n_seen[s] / rank
            sums["NRBP"] += (1 - 0.5 * 0.9) * 0.9 ** (rank - 1) * 0.5 ** n_seen[s] / len(n_seen)
            n_seen[s] += 1
            sums["AP"] += n_seen[s] / rank / sizes[s] / len(n_seen)
    sums["ERR"] /= len(n_seen) * sum(0.5 ** (rank - 1) / rank for rank in range(1, k + 1))
    return [sums[name] for name in ("P", "seen", "ERR", "AP", "NRBP")]


@pytest.mark.parametrize("k", [16, 17, 40])
def test_long_lists_equal_their_definitions(made, k):
    """Also where more documents are relevant than are looked up at a time."""
    judgments, lists = _long(k)
    collection = made([(*key, grade) for key, grade in judgments.items()], lists)
    names = [f"P_IA@{k}", f"StRecall@{k}", f"ERR_IA@{k}", "AP_IA", "NRBP(beta=0.9)", f"D_nDCG@{k}", "alpha_nDCG"]
    values = metric_values(collection, names)[..., 0]
    weights = dict.fromkeys(("s0", "s1", "s2", "s3"), 1.0)
    for row, run in enumerate(collection.systems):
        documents = lists[run]["0"]
        expected = _literal_sums(judgments, documents, k)
        expected += [_literal_d(judgments, documents, "0", weights, k)[0]]
        expected += [_literal_alpha(judgments, documents, "0", weights)]
        assert values[:, row] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 12))
def test_values_lie_between_nothing_and_the_best(tmp_path_factory, seed, k):
    """From 0 to 1, and for those over a greedy ideal list to what that can miss of the best one."""
    judgments, lists = _drawn(seed)
    lists |= {"none": {"0": ["u0"], "1": ["u1", "u0"]}}
    collection = made.__wrapped__(tmp_path_factory.mktemp("drawn"))(
        [(*key, one) for key, one in judgments.items()], lists
    )
    names = [f"{spec.name}@{k}" if "k" in spec.parameters else spec.name for spec in SPECS]
    values = metric_values(collection, names)
    least, most = np.array([spec.bounds for spec in SPECS]).T[:, :, None, None]
    assert (values >= least).all()
    assert (values <= most + 1e-12).all()
    assert (values[:, list(collection.systems).index("none")] == 0).all()
