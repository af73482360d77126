"""User models of one's own, and what a reader may expect under any."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.figures.style import figure_png
from metaeval.metrics import BUILTIN, continuation, expectations, metric_values, score
from metaeval.metrics.continuations import ADDITIVE, GOES_ON, At
from metaeval.testing import check_metric

pytestmark = pytest.mark.usefixtures("one_core")
MODELS = [
    "P@4",
    "RBP(p=0.8)",
    "RR",
    "SDCG@5",
    "INSQ(T=2)",
    "INST(T=2)",
    "BPM(T=2)@6",
    "NERR8@5",
    "NERR9@6",
    "NERR10",
    "NERR11",
]


@continuation
def Patient(at: At, *, T: float = 1.0, k: int = 50):  # noqa: ARG001, N802, N803 - as a measure is written
    """INST once more."""
    wanted = at.rank + 2 * T - at.total
    return ((wanted - 1) / wanted) ** 2


@given(st.integers(0, 10_000), st.floats(0.25, 8))
def test_expectations_are_over_the_topics_that_are_scored(seed, target):
    """Rates are scores, topics with nothing relevant among them, and means are means over the same topics."""
    generator = np.random.default_rng(seed)
    qrels = {topic: {f"d{n}": int(generator.integers(0, 3)) * (topic > "2") for n in range(6)} for topic in "1234"}
    qrels["4"]["d0"] = 2
    runs = {
        run: {topic: generator.permutation([f"d{n}" for n in range(9)])[:7].tolist() for topic in "1234"}
        for run in ("a", "b")
    }
    collection = collection_from_rankings(runs, qrels)
    names = [*MODELS, f"INST(T={target})"]
    found, scores = expectations(collection, names), score(collection, names)
    assert found.topics == tuple(scores["topic"].to_numpy().tolist()) == ("1", "2", "3", "4")
    np.testing.assert_allclose(found.rate, scores.to_numpy(), atol=1e-9)
    assert np.isfinite(found.residual).all()
    assert found.residual.min() >= -1e-12


def test_no_reader_goes_on_with_more_than_certainty():
    """INST's C(i) is at most 1 from T = 1/4 on, after a list of relevant documents alone."""
    at = At(np.arange(1.0, 9), np.ones((1, 8)), np.arange(1.0, 9)[None])
    assert GOES_ON["INST"](at, T=0.25).max() == pytest.approx(1)
    assert GOES_ON["INST"](at, T=0.2499).max() > 1
    with pytest.raises(InvalidOptionError, match=r"T must be a number, at least 0\.25"):
        BUILTIN.resolve("INST(T=0.2)")


@continuation
def Certain(at: At):  # noqa: N802 - as above
    """Goes on more than surely."""
    return 1 + at.gain


@continuation(monotone=True)
def Sated(at: At, *, T: float = 0.5):  # noqa: N802, N803 - as above
    """Stop when T is gained, so that a better document further up may leave the next unseen."""
    return (at.total < T).astype(float)


@continuation
def Narrow(at: At):  # noqa: ARG001, N802 - as above
    """Forgets the ranks."""
    return np.ones(3)


def _drawn(seed):
    generator = np.random.default_rng(seed)
    names = [f"d{place}" for place in range(12)]
    levels = np.maximum(generator.integers(-2, 3, 12), 0)
    levels[0] = 2
    judged = dict(zip(names[:8], levels[:8].tolist(), strict=True))
    rankings = {run: {"1": generator.permutation(names)[: generator.integers(1, 13)].tolist()} for run in "ab"}
    return rankings, judged, dict(zip(names, levels.tolist(), strict=True))


def test_a_model_of_ones_own_is_one_function():
    """A continuation function gives the measure, and passes the checks of metrics."""
    rankings, judged, _ = _drawn(1)
    collection = collection_from_rankings(rankings, {"1": judged})
    names = [BUILTIN.extend(Patient).resolve("Patient(T=3)@20"), "INST(T=3)@20"]
    own, ours = metric_values(collection, names, registry=BUILTIN)
    assert own == pytest.approx(ours, abs=1e-12)
    check_metric(Patient)
    with pytest.raises(InvalidOptionError, match=r"Certain must give probabilities.*it gave 1 to 2"):
        metric_values(collection, [BUILTIN.extend(Certain).resolve("Certain")])
    with pytest.raises(InvalidOptionError, match=r"Narrow must give .*, here \(2, 1000\); it gave the shape \(3,\)"):
        metric_values(collection, [BUILTIN.extend(Narrow).resolve("Narrow")])
    with pytest.raises(AssertionError, match="declared monotone"):
        check_metric(Sated)


@given(seed=st.integers(0, 10**6))
def test_expectations_agree_with_the_score_and_bound_it(seed):
    """The total is rate times documents; judging the rest keeps the score of additive measures within the residual."""
    rankings, judged, every = _drawn(seed)
    collection = collection_from_rankings(rankings, {"1": judged})
    found = expectations(collection, MODELS)
    assert found.rate == pytest.approx(metric_values(collection, MODELS), abs=1e-12)
    assert found.total == pytest.approx(found.rate * found.documents)
    assert (found.documents >= 1).all()
    added = metric_values(collection_from_rankings(rankings, {"1": every}), MODELS) - found.rate
    additive = [name.split("(")[0].split("@")[0] in ADDITIVE for name in MODELS]
    assert (added[additive] >= -1e-12).all()
    assert (added[additive] <= found.residual[additive] + 1e-12).all()


def test_the_residual_of_rbp_is_that_of_trec_eval():
    """rbp_resid of trec_eval 10: the weights of unjudged documents, and p^n below a list of n."""
    rankings, judged = {"a": {"1": ["d1", "u", "d2", "v"]}}, {"d1": 1, "d2": 0}
    found = expectations(collection_from_rankings(rankings, {"1": judged}), ["RBP(p=0.8)"])
    assert found.residual.item() == pytest.approx(0.2 * (0.8 + 0.8**3) + 0.8**4)
    assert "residual 0.672" in repr(found)
    assert found.to_frame().columns.tolist() == ["metric", "system", "rate", "total", "documents", "residual"]
    assert figure_png(found.plot()).startswith(b"\x89PNG")
    with pytest.raises(UnknownNameError, match="no metric 'RBP'"):
        found.plot("RBP")


def test_what_is_no_user_model_is_refused():
    """Nor is one on condensed lists, where nothing is unjudged."""
    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    for name in ("nDCG", "RBP'(p=0.5)"):
        with pytest.raises(InvalidOptionError, match="is no user model with unjudged documents; there are P, RBP"):
            expectations(collection, [name])
    assert set(ADDITIVE) < set(GOES_ON)
