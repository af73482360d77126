"""Elements and passages through scoring: which metric takes which collection, undefined topics, every later stage."""

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.metrics import MetricError, MetricSpec, RankedTopic, metric_values, score
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.swap import swap_method
from metaeval.running.parallel import limit_threads
from metaeval.tests_stat.comparison import compare_systems

pytestmark = pytest.mark.usefixtures("one_core")


def made(n_systems=4, n_topics=8, seed=0):
    """Make systems of differing quality; on topic 1 nothing is highly exhaustive, and nobody but s0 answers topic 2."""
    rng = np.random.default_rng(seed)
    rows, results = [], {f"s{number}": [] for number in range(n_systems)}
    paths = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]", "/a[1]/s[2]/p[1]"]
    for topic in range(1, n_topics + 1):
        for number in range(6):
            place = {"topic": str(topic), "document": f"d{number}"}
            if number < 4:
                grades = (1 if topic == 1 else 2, 0.2), (1, 0.5), (1, 0.3), (1, 1.0), (1, 0.1), (1, 0.9)
                full = number == 0 and topic != 1
                for path, (e, s) in zip(paths, grades, strict=True):
                    own = (2, 1.0) if full else (e, s)
                    rows.append({**place, "path": path, "exhaustivity": own[0], "specificity": own[1], "size": 100})
        for system, found in enumerate(results.values()):
            if topic == 2 and system:
                continue
            noise = rng.normal(size=36) + (np.arange(36) < 24) * system / 2
            found += [(str(topic), f"d{place // 6}", paths[place % 6]) for place in np.argsort(-noise)[:20]]
    documents = pd.DataFrame([{"topic": str(t), "document": f"d{n}"} for t in range(1, n_topics + 1) for n in range(6)])
    runs = [
        Submission(run=name, results=pd.DataFrame(found, columns=["topic", "document", "path"]))
        for name, found in results.items()
    ]
    return element_collection(runs, Assessments(scale="2005", documents=documents, elements=pd.DataFrame(rows)))


NAMES = ["MAep(quant=Gen5)", "nxCG(quant=Gen5)@25", "inex2002", "iMAep(quant=BinExh(min_size=50))"]


def test_every_later_stage_takes_the_scores():
    """Tests over all pairs, the swap method, discriminative power: like any other metric."""
    scores = score(made(), [*NAMES, "AP"])
    assert scores.sizes == {"metric": 5, "system": 4, "topic": 8}
    assert np.isfinite(scores).all()
    assert (scores.sel(topic="2", system=["s1", "s2", "s3"]) == 0).all()
    compared = compare_systems(scores, test="t")
    power = bootstrap_sensitivity(scores, n_resamples=100, rng=0)
    rates = swap_method(scores, sizes=[2, 4], n_trials=20, rng=0)
    for result in (compared, power, rates):
        assert set(result.to_frame()["metric"]) == set(scores["metric"].to_numpy())


def test_topics_without_anything_of_worth_are_dropped_and_named():
    """For measures of elements by default; those of documents count 0."""
    collection = made()
    names = ["MAep(quant=Strict5)", "AP", "AP(rel=1)"]
    scores = score(collection, names)
    assert "1" not in scores["topic"].to_numpy()
    said = "1 topic has nothing relevant under MAep(quant=Strict5) and is dropped for all metrics: 1"
    assert said in scores.attrs["notes"]
    zero = score(collection, names, undefined="zero")
    assert (zero.sel(topic="1", metric="MAep(quant=Strict5)") == 0).all()
    assert (zero.sel(topic="1", metric="AP") > 0).all()
    first = made(n_topics=2).select(topics=["1"])
    with pytest.raises(InvalidOptionError, match=r"nothing is relevant under MAep\(quant=Strict5\) on any topic$"):
        score(first, ["MAep(quant=Strict5)"])
    with pytest.raises(ScoresError):
        score(made(n_topics=2), ["MAep(quant=Strict5)"])


def test_a_reduced_judgment_changes_the_scores_alone():
    """Removing a document from the judgments takes all its elements away."""
    collection = made()
    levels = collection.by_document.levels.copy()
    levels[collection.by_document.topic_offsets[2]] = -1
    reduced = metric_values(collection.rejudge(levels), NAMES)
    full = metric_values(collection, NAMES)
    assert np.array_equal(np.delete(reduced, 2, axis=2), np.delete(full, 2, axis=2))
    assert (reduced[:, :, 2] != full[:, :, 2]).any()


def test_the_number_of_cores_changes_no_byte():
    """Every list is walked by itself."""
    collection = made(n_systems=7, n_topics=9)
    names = [*NAMES, "xQ", "nxCG(alpha=0.5, quant=GenLifted)@10"]
    with limit_threads(1):
        one = metric_values(collection, names)
    with limit_threads(2):
        two = metric_values(collection, names)
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MAep", r"MAep\(quant=gen\) ranks elements, and this collection is of passages; make .* element_collection"),
        ("iP@0.01", "iP@0.01 ranks passages, and this collection is of elements; make one with passage_collection"),
    ],
)
def test_a_metric_asked_of_another_kind_is_refused(name, said, passages):
    """Saying what it ranks and what the collection holds."""
    collection = passages.collection("T1 d1 0 100") if name == "MAep" else made()
    with pytest.raises(InvalidOptionError, match=said):
        metric_values(collection, [name])
    with pytest.raises(InvalidOptionError, match="this collection is of documents"):
        metric_values(made().by_document, [name])


def test_measures_of_documents_are_computed_on_documents(passages):
    """A list of elements or passages is also one of documents."""
    collection = made()
    assert np.array_equal(
        metric_values(collection, ["AP", "P@3"]), metric_values(collection.by_document, ["AP", "P@3"])
    )
    text = passages.collection("T1 d1 0 100, T1 d3 0 50, T1 d1 500 100, T1 d2 0 10")
    assert metric_values(text, ["AP"])[0, 0, 0] == pytest.approx((1 + 2 / 3) / 2)


def test_a_spec_for_elements_must_fit():
    """It has a kernel; passages have no gains; kinds are three; there is no condensed list."""

    def kernel(lists):
        """Score nothing."""
        return np.zeros(lists.lengths.shape)

    def one(_: RankedTopic) -> float:
        return 1.0

    with pytest.raises(MetricError, match="elements need a kernel"):
        MetricSpec(name="odd", function=one, on="elements")
    with pytest.raises(MetricError, match="passages are highlighted or not"):
        MetricSpec(name="odd", kernel=kernel, on="passages", graded=True)
    with pytest.raises(InvalidOptionError, match="no kind of result 'words'"):
        MetricSpec(name="odd", kernel=kernel, on="words")
    assert not MetricSpec(name="fine", kernel=kernel, on="elements").judged_only
    assert MetricSpec(name="fine", kernel=kernel, on="elements", graded=True).usage == "fine(quant=gen)"
