"""The checks for plug-in authors: every built-in metric passes, and every law can fail."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import BUILTIN, MetricNameError, MetricSpec, RankedLists, RankedTopic, metric
from metaeval.testing import check_metric, examine_metric, simulated_collections

NAMES = [
    "P@5", "P(rel=2)@3", "R@5", "Success@3", "RR", "RR@3", "Rprec", "AP", "AP@3", "AP(rel=2)", "AP'", "Q", "Q'@5",
    "Q(beta=10, gains=exponential)", "nDCG", "nDCG@10", "nDCG(a=2)", "nDCG(gains=binary(rel=2))", "RBP(p=0.8)",
    "RBP'(p=0.95)", "RBP(p=0.5, rel=2)", "RBP(p=0.5, max_level=4)", "ERR", "ERR(max_level=4)@5", "nERR@5", "bpref",
    "bpref_R", "bpref_N", "infAP", "Compat", "Compat'(p=0.5)@3", "Judged@5",
]  # fmt: skip
FOCUSED = [
    "inex2002", "inex2002(quant=Strict2)", "inex2002(nonrel=indicator, quant=SOG, step=ceil)", "inexNG",
    "inexNG(overlap=False, strict=True)", "nxCG@10", "nxCG(quant=Gen5, task=thorough)@25", "MAnxCG(quant=SOG)@10",
    "nxCGpercent", "MAep", "MAep(alpha=0.5, quant=GenLifted)", "iMAep(quant=BinExh(min_size=20))",
    "xQ(normalise=False)",
    "xR(quant=FullySpec, tie=higher)", "HiXP@5", "HiXR(alpha=0)@5", "HiXF", "iP@0.01", "AiP", "char_prec", "char_rec",
    "char_f1", "art_prec", "art_rec", "art_f1", "AgP", "AgP(mode=best)", "gP@3", "gR@3", "BEPD(A=10, mean_length=100)",
    "T2IHits@3",
]  # fmt: skip
SCALES = {"inexNG": ("2003",)}


@pytest.mark.parametrize("name", NAMES)
def test_every_built_in_metric_obeys_the_common_laws(name):
    """With and without parameters."""
    check_metric(name, registry=BUILTIN, n_collections=12)


@pytest.mark.parametrize("name", FOCUSED)
def test_every_built_in_metric_of_elements_and_passages_obeys_them_too(name):
    """On the scale of 2005, or that which the metric or its quantisation is made for."""
    resolved = BUILTIN.resolve(name)
    scales = resolved.quantisation.scales if resolved.quantisation else SCALES.get(resolved.spec.name, ("2005",))
    for scale in scales or ("2002", "2003", "2005"):
        check_metric(name, registry=BUILTIN, n_collections=4, scale=scale)


def test_no_built_in_metric_is_left_out():
    """The lists above cover the registry."""
    assert {BUILTIN.resolve(name).spec.name for name in NAMES + FOCUSED} == set(BUILTIN.metrics)


def gain_at_top(topic: RankedTopic) -> float:
    """Level of the first document, if it is judged."""
    return float(topic.levels[topic.ranks == 1].sum())


def growing() -> MetricSpec:
    """Make a metric that remembers how often it was called."""
    calls = []

    @metric(bounds=(0.0, np.inf))
    def forgetful(topic: RankedTopic) -> float:
        calls.append(topic)
        return float(len(calls))

    return forgetful


def vandal(lists: RankedLists) -> np.ndarray:
    """Change what it was given."""
    lists.collection.ranks[0] += 1
    return np.zeros(lists.lengths.shape)


def one_everywhere(lists: RankedLists) -> np.ndarray:
    """Forget about topics with nothing relevant."""
    return np.ones(lists.lengths.shape)


def by_row(lists: RankedLists) -> np.ndarray:
    """Depend on the order of the runs."""
    return np.where(lists.n_relevant() > 0, np.arange(len(lists.lengths))[:, None] / 10, 0.0)


def by_length(lists: RankedLists) -> np.ndarray:
    """Look at the full list although the condensed one was asked for."""
    return np.where(lists.n_relevant() > 0, 1 / np.maximum(lists.collection.n_retrieved, 1), 0.0)


def twice_the_top(lists: RankedLists) -> np.ndarray:
    """Disagree with gain_at_top."""
    top = np.zeros(len(lists.offsets) - 1)
    for number in range(len(top)):
        part = slice(lists.offsets[number], lists.offsets[number + 1])
        top[number] = 2 * lists.levels[part][lists.ranks[part] == 1].sum()
    return top.reshape(lists.lengths.shape)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (metric(gain_at_top), r"lies outside the declared bounds \[0, 1\]"),
        (growing(), "two different scores"),
        (MetricSpec(name="vandal", kernel=vandal), "changed the collection"),
        (MetricSpec(name="careless", kernel=one_everywhere), "but without_relevant=0 is declared"),
        (MetricSpec(name="by_row", kernel=by_row), "depends on the order of runs or topics"),
        (MetricSpec(name="by_length", kernel=by_length), "judged_only=True differs"),
        (metric(bounds=(0.0, 3.0), ideal=1.0)(gain_at_top), "but ideal=1 is declared"),
        (
            metric(bounds=(0.0, 3.0), higher_is_better=False, monotone=True)(gain_at_top),
            "declared monotone, with higher_is_better=False",
        ),
        (metric(bounds=(0.0, 6.0), kernel=twice_the_top)(gain_at_top), "function and kernel differ"),
    ],
)
def test_every_law_can_fail(spec, said):
    """A metric that breaks a law is told which, and on what."""
    with pytest.raises(AssertionError, match=said):
        check_metric(spec, registry=BUILTIN)


def first_name(lists: RankedLists) -> np.ndarray:
    """Depend on what topics are called."""
    lengths = np.array([len(name) for name in lists.collection.topics])
    return np.where(lists.n_relevant() > 0, (lengths % 2)[None, :], 0.0) * np.ones(lists.lengths.shape)


def deep(topic: RankedTopic, *, k: int) -> float:  # noqa: ARG001 - that is what is wrong with it
    """Count relevant documents at any rank."""
    return float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))


def dividing(topic: RankedTopic) -> float:
    """Divide by what may be 0."""
    return 1 / int((topic.levels > 2).sum())


def _of_law(found, word):
    (row,) = found[found["name"].str.contains(word) & (found["kind"] == "law")].to_dict("records")
    return row["state"], row["found"]


def test_a_cutoff_that_is_none_is_found_and_shown_on_the_smallest_ranking():
    """One run, one topic, and not a document more than it takes: k + 1 of them."""
    spec = metric(deep)
    state, found = _of_law(examine_metric("deep@3", registry=BUILTIN.extend(spec)), "cut-off")
    assert state == "broken"
    assert found.startswith("a document below rank 3 changes the score; run ")
    assert found.partition("; judged besides")[0].count("(") == 4


def test_names_that_count_are_found():
    """Renaming topics to an even length changes nothing but the score."""
    state, found = _of_law(examine_metric(MetricSpec(name="named", kernel=first_name), registry=BUILTIN), "called")
    assert (state, found.partition(";")[0]) == ("broken", "a score depends on what documents or topics are called")


def test_what_the_metrics_own_code_raises_is_shown_with_its_line():
    """And laws that need a score are then not tried, which is not the same as holding."""
    found = examine_metric(metric(dividing), registry=BUILTIN)
    state, said = _of_law(found, "finite number")
    assert state == "broken"
    assert "ZeroDivisionError (division by zero) in test_testing.py, line" in said
    assert "return 1 / int((topic.levels > 2).sum())" in said
    assert _of_law(found, "order of runs") == ("not tried", "")
    assert not (found["kind"] == "property").any()


@pytest.mark.parametrize(
    ("name", "grades", "unjudged", "ideal"),
    [
        ("nDCG", "yes", "they take up ranks", "no ranking scored better"),
        ("AP", "no", "they take up ranks", "no ranking scored better"),
        ("AP'", "no", "it passes over them", "no ranking scored better"),
        ("bpref", "no", "it passes over them", "no ranking scored better"),
    ],
)
def test_what_a_metric_is_like(name, grades, unjudged, ideal):
    """Known of the built-in ones: nDCG sees grades, bpref and condensed lists pass over unjudged documents."""
    found = examine_metric(name, registry=BUILTIN).set_index("name")["found"]
    assert found["Grades count"].startswith(grades)
    assert found["Unjudged documents"].startswith(unjudged)
    assert found["An ideal ranking"].startswith(ideal)


def test_an_ideal_ranking_that_is_not_the_best_is_told():
    """Where fewer relevant documents score better."""
    upside = metric(name="upside", bounds=(-3.0, 0.0))(lambda topic: -gain_at_top(topic))
    found = examine_metric(upside, registry=BUILTIN).set_index("name")["found"]
    assert "another ranking scored better than the ideal one" in found["An ideal ranking"]


def test_a_sound_metric_of_ones_own_passes():
    """Under the bounds it has."""
    check_metric(metric(bounds=(0.0, 3.0), monotone=True)(gain_at_top), registry=BUILTIN)


def test_what_cannot_be_checked_is_refused():
    """A missing parameter, an unknown name."""
    with pytest.raises(MetricNameError, match="P needs a cutoff"):
        check_metric(BUILTIN["P"], registry=BUILTIN)
    with pytest.raises(UnknownNameError):
        check_metric("apple", registry=BUILTIN)


def test_a_measure_from_elsewhere_is_not_checked():
    """It has no function here that could be given small collections."""
    pytest.importorskip("ir_measures")
    with pytest.raises(InvalidOptionError, match="needs a metric of our own"):
        check_metric("SetP", registry=BUILTIN)


def test_simulated_collections_come_from_the_seed_and_hold_the_top_level():
    """Same seed, same collections; topic 1 has a document at level 3."""
    first, second = (list(simulated_collections(np.random.default_rng(4), 5)) for _ in range(2))
    assert first == second
    assert all(max(qrels["1"].values()) == 3 for _, qrels in first)
