"""Preferences between runs: a literal version of the definitions on DL 2019 and 2021, laws, and what is refused."""

import math
import tarfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.io.files import read_bytes
from metaeval.io.trec import read_collection
from metaeval.tests_stat.run_preferences import PREFERENCES, prefer_runs

WEIGHTS = {"RPP": lambda _: 1.0, "invRPP": lambda i: 1 / i, "dcgRPP": lambda i: 1 / math.log2(i + 1)}


def positions(ranking, grades, least):
    """Return the ranks of the relevant documents, infinite for those that are not found."""
    found = [rank for rank, name in enumerate(ranking, start=1) if grades.get(name, 0) >= least]
    return found + [math.inf] * (sum(grade >= least for grade in grades.values()) - len(found))


def literal(name, one, other, grades):
    """Compare two rankings as the papers say, document by document."""
    if name in WEIGHTS:
        total = parts = 0.0
        for least in {grade for grade in grades.values() if grade > 0}:
            x, y = (positions(ranking, grades, least) for ranking in (one, other))
            weights = [WEIGHTS[name](i) for i in range(1, len(x) + 1)]
            wins = sum(w * ((a < b) - (a > b)) for w, a, b in zip(weights, x, y, strict=True))
            total, parts = total + len(x) * wins / sum(weights), parts + len(x)
        return total / parts
    x, y = (positions(ranking, grades, 1) for ranking in (one, other))
    apart = [(a, b) for a, b in zip(x, y, strict=True) if a != b]
    if not apart:
        return 0.0
    a, b = apart[-1 if name == "lexi-recall" else 0]
    return 1 / a - 1 / b if name == "rr-lexi-precision" else float(np.sign(b - a))


def rankings_of(text):
    """Return every topic's documents in trec_eval's order."""
    lists = {}
    for line in text.splitlines():
        topic, _, name, _, score, *_ = line.split()
        lists.setdefault(topic, []).append((float(score), name))
    return {topic: [name for _, name in sorted(own, reverse=True)] for topic, own in lists.items()}


def grades_of(text):
    """Return the relevant documents of every topic that has any."""
    grades = {}
    for line in text.splitlines():
        topic, _, name, grade = line.split()
        if int(grade) > 0:
            grades.setdefault(topic, {})[name] = int(grade)
    return grades


def text_of_file(path):
    """Unpack a file."""
    return read_bytes(path).decode()


def compare(collection, texts, qrels):
    """Compare every preference of all pairs with the literal version on all topics."""
    found = prefer_runs(collection).data
    runs = dict(zip(collection.systems, map(rankings_of, texts), strict=True))
    for place, pair in enumerate(zip(found["system_a"].to_numpy(), found["system_b"].to_numpy(), strict=True)):
        for number, topic in enumerate(found["topic"].to_numpy()):
            one, other = (runs[name].get(topic, []) for name in pair)
            expected = [literal(name, one, other, qrels[topic]) for name in PREFERENCES]
            np.testing.assert_allclose(found.to_numpy()[:, place, number], expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore:in . of . runs")
def test_deep_learning_2019(data_folder):
    """Three runs, one of which has tied scores, on levels 0 to 3."""
    folder = data_folder / "trec-dl19-passage"
    paths = [folder / "runs" / f"{name}.xz" for name in ("bm25base_p", "idst_bert_p1", "runid5")]
    collection = read_collection(list(map(str, paths)), str(folder / "qrels.txt.gz"))
    compare(collection, map(text_of_file, paths), grades_of(text_of_file(folder / "qrels.txt.gz")))


@pytest.mark.filterwarnings("ignore:in . of . runs")
def test_deep_learning_2021(data_folder, tmp_path):
    """The first runs of the 63."""
    folder = data_folder / "llm-judges-dl21"
    paths = []
    with tarfile.open(folder / "runs.tar.xz", "r|xz") as archive:
        for member in archive:
            if member.isfile():
                paths.append(tmp_path / member.name.rpartition("/")[2])
                paths[-1].write_bytes(archive.extractfile(member).read())
            if len(paths) == 3:
                break
    collection = read_collection(list(map(str, paths)), str(folder / "qrels.nist.txt.gz"))
    compare(collection, map(text_of_file, paths), grades_of(text_of_file(folder / "qrels.nist.txt.gz")))


RANKINGS = st.lists(st.permutations([f"d{n}" for n in range(6)]).map(lambda one: one[:4]), min_size=2, max_size=3)


@given(lists=RANKINGS, levels=st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_laws(lists, levels):
    """Equal rankings are equal; to turn a pair turns the preference; and all are those of the definitions."""
    grades = {f"d{number}": level for number, level in enumerate(levels)}
    grades["d0"] = 1
    runs = {f"run{number}": {"1": one} for number, one in enumerate([*lists, lists[0]])}
    found = prefer_runs(collection_from_rankings(runs, {"1": grades}))
    relevant = {name: grade for name, grade in grades.items() if grade > 0}
    for row in found.to_frame().itertuples():
        one, other = (runs[name]["1"] for name in (row.system_a, row.system_b))
        assert row.mean == pytest.approx(literal(row.metric, one, other, relevant), abs=1e-12)
        assert row.mean == pytest.approx(-literal(row.metric, other, one, relevant), abs=1e-12)
        assert one != other or row.mean == 0


def small():
    """Three runs on four topics."""
    runs = {name: {str(t): list(order) for t in range(4)} for name, order in (("a", "xyz"), ("b", "yxz"), ("c", "zxy"))}
    return collection_from_rankings(runs, {str(t): {"x": 2, "y": 1 + t % 2} for t in range(4)})


def test_the_answer_flows_into_tests_and_votes():
    """One t test a pair; a vote a pair and topic, with topics for questions."""
    found = prefer_runs(small(), ["lexi-precision", "RPP(rel=2)"])
    assert found.names == ("lexi-precision", "RPP(rel=2)")
    result = found.comparison("none")
    assert result.n_topics == 4
    assert result.data["p_value"].to_numpy()[0].tolist() == [0.0, 0.0, 0.0] or result.data["p_value"].min() >= 0
    votes = found.votes("lexi-precision")
    assert (votes.n_votes, votes.n_units("question")) == (12, 4)
    np.testing.assert_array_equal(votes.share, (1 + found.data.sel(metric="lexi-precision").to_numpy().ravel()) / 2)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("AP", UnknownNameError),
        ("RPP(k=3)", InvalidOptionError),
        ("RPP@5", InvalidOptionError),
        ("(", InvalidOptionError),
    ],
)
def test_what_is_no_preference(name, error):
    """Known names, with a level at most."""
    with pytest.raises(error):
        prefer_runs(small(), name)
