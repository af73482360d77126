"""What users expect of a metric: ideal lists and worse ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.metrics import BUILTIN, RankedTopic, metric
from metaeval.testing import examine_metric
from metaeval.testing.expected import BROKEN, MET, UNNOTICED, UNTRIED, expectations_tried
from metaeval.testing.simulated import LONGEST


def states(name, registry=BUILTIN):
    """Return the state of every expectation by its name."""
    return {one.expectation: one.state for one in expectations_tried(registry.resolve(name), registry)}


def test_what_kazai_lalmas_and_de_vries_found():
    """Table 1 of 2004: inex-2002 ranks all relevant elements first, the ideal ones fifth; nXCG these first."""
    assert states("inex2002(quant=SOG)") == {"ideal": BROKEN, "overlap": BROKEN, "padding": MET}
    assert states("nxCGpercent(quant=SOG)") == {"ideal": MET, "overlap": MET, "padding": MET}
    # the thorough task asks for every relevant element
    assert states("nxCG(quant=Gen5, task=thorough)@25")["overlap"] == BROKEN


def test_lists_of_documents_as_by_hand():
    """P@1 sees no tail; AP of the four lists, written out."""
    assert states("P@1") == {"reversed tail": UNNOTICED, "copies": UNNOTICED, "padding": UNNOTICED}

    def average_precision(flags):
        found = np.cumsum(flags)
        return float((found / np.arange(1, len(flags) + 1))[np.array(flags, dtype=bool)].sum() / found[-1])

    sizes = (1, 2, 5, 10, 20, 50)
    ideal = [average_precision([1] * n + [0] * n) for n in sizes]
    tail = [average_precision([1] * (n - n // 2) + [0] * n + [1] * (n // 2)) for n in sizes]
    spread = [average_precision([1, 0] * n) for n in sizes]
    for one, worse in zip(expectations_tried(BUILTIN.resolve("AP"), BUILTIN), (tail, spread, spread), strict=True):
        assert (one.better, one.worse) == pytest.approx((np.mean(ideal), np.mean(worse)))


def test_passages_and_whole_documents():
    """Recall of characters notices neither what surrounds a passage nor what is not relevant."""
    assert states("char_rec") == {"whole documents": UNNOTICED, "padding": UNNOTICED}
    assert states("char_prec") == states("AgP") == {"whole documents": MET, "padding": MET}


@given(st.floats(0.05, 0.95), st.integers(1, 3))
def test_a_sum_of_falling_weights_meets_every_expectation(p, top):
    """As rank-biased precision is, for every persistence and scale."""
    assert set(states(f"RBP(p={p:.3f}, max_level={top})").values()) == {MET}


@metric(name="Upside", higher_is_better=False)
def upside(topic: RankedTopic) -> float:
    """Return what is more where relevant documents come sooner, declared the wrong way round."""
    return float((1 / topic.ranks[topic.levels > 0]).mean())


@metric(name="Flat")
def flat(topic: RankedTopic) -> float:  # noqa: ARG001 - that is what is wrong with it
    """Give one score to every list."""
    return 0.5


@metric(name="Raising")
def raising(topic: RankedTopic) -> float:
    """Raise an error."""
    raise RuntimeError(topic)


def test_metrics_that_fail():
    """Upside down every expectation is broken; a constant notices nothing."""
    known = BUILTIN.extend(upside, flat, raising)
    assert set(states("Upside", known).values()) == {BROKEN}
    assert set(states("Flat", known).values()) == {UNNOTICED}
    assert set(states("Raising", known).values()) == {UNTRIED}
    assert len(examine_metric("Flat", registry=known, n_collections=2).unmet) == 3
    assert examine_metric("AP", n_collections=2).unmet == ()


@pytest.mark.parametrize("k", [LONGEST, 10**9])
def test_a_cutoff_beyond_all_lists_is_not_tried(k):
    """Rather than said to be met on lists that never reach it."""
    assert set(states(f"P@{k}").values()) == {UNTRIED}


def test_one_metric_is_tried_once_for_every_command():
    """The outcome is a function of the metric alone: no seed, and no number of collections."""
    first, second = (
        examine_metric("nDCG@10", n_collections=n, rng=seed).to_frame().query("kind == 'expectation'")
        for n, seed in ((1, 0), (3, 9))
    )
    assert first.reset_index(drop=True).equals(second.reset_index(drop=True))
