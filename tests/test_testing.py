"""The checks for plug-in authors: every built-in metric passes, and every law can fail."""

import re
from functools import partial

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import BUILTIN, MetricNameError, MetricSpec, RankedLists, RankedTopic, metric
from metaeval.metrics.user_models import SPECS as USER_MODELS
from metaeval.testing import check_metric, examination, examine_metric, simulated_collections
from metaeval.testing.examination import other_uses
from metaeval.testing.laws import LAWS
from metaeval.testing.simulated import LONGEST

NAMES = [
    "P@5", "P(rel=2)@3", "R@5", "Success@3", "RR", "RR@3", "Rprec", "AP", "AP@3", "AP(rel=2)", "AP'", "Q", "Q'@5",
    "Q(beta=10, gains=exponential)", "nDCG", "nDCG@10", "nDCG(a=2)", "nDCG(gains=binary(rel=2))", "RBP(p=0.8)",
    "RBP'(p=0.95)", "RBP(p=0.5, rel=2)", "RBP(p=0.5, max_level=4)", "ERR", "ERR(max_level=4)@5", "nERR@5", "bpref",
    "bpref_R", "bpref_N", "infAP", "Compat", "Compat'(p=0.5)@3", "SDCG@5", "INSQ(T=2)@20", "INST", "INST(T=2)@9",
    "BPM(T=1.5)@8", "NERR8@6", "NERR9@6", "NERR10'(p=0.8)@20", "NERR11(T=2, gains=exponential)@20", "Judged@5",
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


MADE = {}


@pytest.fixture
def _made_once(monkeypatch):
    """Try all laws and metrics on the same collections: a metric that changes what it is given breaks a law itself."""
    make = examination.collections_for

    def kept(metric, seed, number, scale):
        key = (metric if metric.on == "documents" else metric.on, seed, number, scale)
        if key not in MADE:
            MADE[key] = list(make(metric, seed, number, scale))
        return MADE[key]

    monkeypatch.setattr(examination, "collections_for", kept)


@pytest.mark.usefixtures("_made_once")
@pytest.mark.parametrize("name", NAMES)
def test_every_built_in_metric_obeys_the_common_laws(name):
    """With and without parameters."""
    check_metric(name, registry=BUILTIN, n_collections=12)


@pytest.mark.usefixtures("_made_once")
@pytest.mark.parametrize("name", FOCUSED)
def test_every_built_in_metric_of_elements_and_passages_obeys_them_too(name):
    """On the scale of 2005, or that which the metric or its quantisation is made for."""
    resolved = BUILTIN.resolve(name)
    scales = resolved.quantisation.scales if resolved.quantisation else SCALES.get(resolved.spec.name, ("2005",))
    for scale in scales or ("2002", "2003", "2005"):
        check_metric(name, registry=BUILTIN, n_collections=4, scale=scale)


def test_no_built_in_metric_is_left_out():
    """The lists above cover the registry."""
    assert {BUILTIN.resolve(name).spec.name for name in NAMES + FOCUSED} == {
        spec.name for spec in BUILTIN if not spec.subtopics
    }


def test_what_is_declared_of_all_but_a_few():
    """Q and BPM may rise, infAP is an estimate, Judged asks no grade; an ideal list may score less."""
    of_documents = [spec for spec in BUILTIN if spec.on == "documents" and not spec.subtopics]
    assert {spec.name for spec in of_documents if not spec.monotone} == {"Q", "infAP", "Judged", "BPM"}
    user_models = {spec.name for spec in USER_MODELS}
    without = {"P", "R", "RBP", "ERR", "infAP", "Judged"}
    assert {spec.name for spec in of_documents if spec.ideal is None} == without | user_models


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
    lists.collection.ranks[:] += 1
    return np.zeros(lists.lengths.shape)


def vandal_of_lists(lists: RankedLists) -> np.ndarray:
    """Change what the next metric is given."""
    lists.counts[:] = 0
    return np.zeros(lists.lengths.shape)


def one_everywhere(lists: RankedLists) -> np.ndarray:
    """Forget about topics with nothing relevant."""
    return np.ones(lists.lengths.shape)


def by_order(lists: RankedLists) -> np.ndarray:
    """Depend on the order of the topics."""
    names = list(lists.collection.topics)
    return np.where(lists.n_relevant() > 0, 0.5 if names == sorted(names) else 0.25, 0.0) * np.ones(lists.lengths.shape)


def by_company(lists: RankedLists) -> np.ndarray:
    """Depend on how many other runs there are."""
    return np.where(lists.n_relevant() > 0, 1 / len(lists.lengths), 0.0) * np.ones(lists.lengths.shape)


def by_topics(lists: RankedLists) -> np.ndarray:
    """Depend on how many other topics there are."""
    return np.where(lists.n_relevant() > 0, 1 / lists.n_topics, 0.0) * np.ones(lists.lengths.shape)


def by_length(lists: RankedLists) -> np.ndarray:
    """Look at the full list although the condensed one was asked for."""
    return np.where(lists.n_relevant() > 0, 1 / np.maximum(lists.collection.n_retrieved, 1), 0.0)


def by_name(lists: RankedLists) -> np.ndarray:
    """Depend on what topics are called."""
    lengths = np.array([len(name) for name in lists.collection.topics])
    return np.where(lists.n_relevant() > 0, lengths % 2, 0.0) * np.ones(lists.lengths.shape)


def by_run(lists: RankedLists) -> np.ndarray:
    """Favour the home team."""
    ours = np.array([name.startswith("a") for name in lists.collection.systems])
    return np.where(lists.n_relevant() > 0, ours[:, None], 0.0)


def deep(topic: RankedTopic, *, k: int) -> float:  # noqa: ARG001 - that is what is wrong with it
    """Count relevant documents at any rank."""
    return float((topic.levels > 0).sum() / max(topic.n_retrieved, 1))


def twice_the_top(lists: RankedLists) -> np.ndarray:
    """Disagree with gain_at_top."""
    return 2 * top_grades(lists)


def top_grades(lists: RankedLists) -> np.ndarray:
    """Agree with gain_at_top on whole grades alone: it takes codes for grades."""
    top = np.zeros(len(lists.offsets) - 1)
    for number in range(len(top)):
        part = slice(lists.offsets[number], lists.offsets[number + 1])
        top[number] = lists.levels[part][lists.ranks[part] == 1].sum()
    return top.reshape(lists.lengths.shape)


def unreadable(topic: RankedTopic, *, way: str = "up and down") -> float:  # noqa: ARG001 - a name that cannot be written
    """Have a default of three words."""
    return 0.0


def per_non_relevant(topic: RankedTopic) -> float:
    """Divide by the number of non-relevant documents, which may be none."""
    return int((topic.levels == 0).sum()) / topic.n_per_level.get(0, 0)


def at_the_very_end(topic: RankedTopic) -> float:
    """Take it that no list is longer than 1,000."""
    return float(1 - topic.ranks.max(initial=1) / 1_000)


THREE = (0.0, 3.0)
BROKEN = [
    ("finite number", metric(gain_at_top), r"lies outside the declared bounds \[0, 1\]"),
    (
        "finite number",
        metric(per_non_relevant),
        r"ZeroDivisionError: division by zero \(test_testing.py, line \d+: return",
    ),
    ("finite number", metric(at_the_very_end), "lies outside"),
    ("left as it was", MetricSpec(name="vandal", kernel=vandal), "changed the collection"),
    ("left as it was", MetricSpec(name="vandal", kernel=vandal_of_lists), "the lists that other metrics are computed"),
    ("order of runs", MetricSpec(name="by_order", kernel=by_order), "depends on the order of runs or topics"),
    ("Other runs", MetricSpec(name="by_company", kernel=by_company), "depends on which other runs there are"),
    ("Other runs", MetricSpec(name="by_topics", kernel=by_topics), "depends on which other topics there are"),
    ("are called", MetricSpec(name="by_name", kernel=by_name), "depends on what runs, topics or documents are called"),
    ("are called", MetricSpec(name="by_run", kernel=by_run), "depends on what runs, topics or documents are called"),
    ("nothing relevant", MetricSpec(name="careless", kernel=one_everywhere), "but `without_relevant=0` is declared"),
    ("cut-off", metric(deep), "a document below rank 3 changes the score"),
    ("condensed", MetricSpec(name="by_length", kernel=by_length), "`judged_only=True` an unjudged document changes"),
    ("ideal", metric(bounds=THREE, ideal=1.0)(gain_at_top), "but `ideal=1` is declared"),
    (
        "better document up",
        metric(bounds=THREE, higher_is_better=False, monotone=True)(gain_at_top),
        "it is declared monotone and lower is better",
    ),
    ("kernel agree", metric(bounds=(0.0, 6.0), kernel=twice_the_top)(gain_at_top), "function and kernel differ"),
    ("kernel agree", metric(bounds=THREE, kernel=top_grades, real_grades=True)(gain_at_top), "all grades are halved"),
    ("reads back", metric(unreadable), "the name .unreadable.way=up and down.. cannot be read"),
]


@pytest.mark.parametrize(("law", "spec", "said"), BROKEN, ids=[f"{one.name}: {said}" for _, one, said in BROKEN])
def test_a_metric_that_breaks_one_law_is_told_that_one(law, spec, said):
    """That law and no other, and on what; in a test it raises."""
    registry = BUILTIN.extend(spec)
    name = "deep@3" if spec.name == "deep" else spec.name
    examined = examine_metric(name, registry=registry)
    (found,) = examined.broken
    assert law in found
    with pytest.raises(AssertionError, match=said):
        check_metric(name, registry=registry)


def test_every_law_can_fail():
    """The list above has a metric for each."""
    assert [law.words for law in LAWS if not any(word in law.words for word, _, _ in BROKEN)] == []


def gain_at_first(topic: RankedTopic) -> float:
    """Gain of the first document, if it is judged."""
    return float(topic.gains[topic.ranks == 1].sum())


def share_of_grades(topic: RankedTopic) -> float:
    """Divide gains by what is possible under linear gains alone."""
    return float(topic.gains.sum() / sum(level * count for level, count in topic.n_per_level.items()))


graded = partial(metric, graded=True)
BROKEN_ELSEWHERE = [
    ("finite number", graded(share_of_grades), r"share_of_grades\(gains=exponential\) lies outside"),
    (
        "ideal",
        graded(ideal=1.0, bounds=(0.0, np.inf))(share_of_grades),
        r"share_of_grades\(gains=binary\(rel=3\)\): an ideal ranking scores",
    ),
    (
        "kernel agree",
        graded(bounds=(0.0, 7.0), kernel=top_grades)(gain_at_first),
        r"gain_at_first\(gains=binary\(rel=3\)\): function and kernel differ by 2",
    ),
]


@pytest.mark.parametrize(("law", "spec", "said"), BROKEN_ELSEWHERE, ids=[said for *_, said in BROKEN_ELSEWHERE])
def test_a_fault_under_other_gains_is_found(law, spec, said):
    """Although the metric as it is named obeys all laws."""
    (found,) = examine_metric(spec, registry=BUILTIN).broken
    assert law in found
    with pytest.raises(AssertionError, match=said):
        check_metric(spec, registry=BUILTIN)
    as_named = BUILTIN.extend(spec).resolve(f"{spec.name}(gains=linear)")
    assert examine_metric(as_named, registry=BUILTIN).broken == ()


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("AP", ["AP(judged_only=True)"]),
        ("AP'", []),
        ("nDCG(gains=linear)@5", ["nDCG(judged_only=True)@5"]),
        ("RBP(p=0.5, rel=2)", ["RBP(judged_only=True, p=0.5, rel=2)"]),
        ("ERR(max_level=2)", ["ERR(judged_only=True, max_level=2)"]),
        (
            "RBP(p=0.5, max_level=2)",
            [f"RBP({gains}max_level=2, p=0.5)" for gains in ("gains=binary(rel=2), ", "gains=exponential, ")]
            + ["RBP(judged_only=True, max_level=2, p=0.5)"],
        ),
        ("iP@0.01", []),
        ("MAep", []),
    ],
)
def test_what_a_name_leaves_open_is_tried(name, uses):
    """Other gains of a metric with gains, where it does not refuse them, and the condensed list."""
    assert [use.name for use in other_uses(BUILTIN.resolve(name), BUILTIN)] == uses


def test_a_metric_that_remembers_is_found():
    """It breaks what comes later too."""
    with pytest.raises(AssertionError, match="two different scores"):
        check_metric(growing(), registry=BUILTIN)


def _of_law(found, word):
    found = found.to_frame()
    (row,) = found[found["name"].str.contains(word) & (found["kind"] == "law")].to_dict("records")
    return row["state"], row["found"]


@pytest.mark.parametrize("k", [3, 60, 1_000])
def test_a_cutoff_that_is_none_is_found_and_shown_on_the_smallest_ranking(k):
    """One run, one topic, and not a document more than it takes: k + 1 of them, however deep that is."""
    for name in (f"deep@{k}", f"deep'@{k}"):
        state, found = _of_law(examine_metric(name, registry=BUILTIN.extend(metric(deep))), "cut-off")
        assert state == "broken"
        assert found.startswith(f"a document below rank {k} changes the score; run a = ")
        if "'" not in name:
            shown = re.search(r"run a = ([\d,]+) unjudged, d\d \(grade \d\)$", found)
            assert k <= int(shown[1].replace(",", "")) <= k + k // 500


def test_a_cutoff_beyond_all_lists_is_not_said_to_hold():
    """No list that long is made; the state says so."""
    state, found = _of_law(examine_metric(f"P@{LONGEST + 1}", registry=BUILTIN, n_collections=1), "cut-off")
    assert (state, found) == ("not tried", "lists are made for cut-offs up to 20,000")


def test_what_the_metrics_own_code_raises_is_shown_with_its_line():
    """And laws that need a score are then not tried, which is not the same as holding."""
    found = examine_metric(metric(per_non_relevant), registry=BUILTIN)
    state, said = _of_law(found, "finite number")
    assert state == "broken"
    assert "ZeroDivisionError: division by zero (test_testing.py, line" in said
    assert said.endswith("topic.n_per_level.get(0, 0)); run a = d1 (grade 3)")
    assert _of_law(found, "order of runs") == ("not tried", "")
    assert not (found.to_frame()["kind"] == "property").any()


def _seen(spec, **options):
    found = examine_metric(spec, registry=BUILTIN, **options).to_frame()
    return found[found["kind"] != "law"].set_index("name")["found"]


@pytest.mark.parametrize(
    ("name", "grades", "unjudged", "at_the_end"),
    [
        ("nDCG", "yes", "they take up ranks", "make no difference"),
        ("AP", "no", "they take up ranks", "make no difference"),
        ("AP'", "no", "taking them out of the lists made no difference", "make no difference"),
        ("bpref", "no", "taking them out of the lists made no difference", "make no difference"),
        ("Judged", "no", "they take up ranks", "worsen 231 of 240 scores"),
    ],
)
def test_what_a_metric_is_like(name, grades, unjudged, at_the_end):
    """Known of the built-in ones: nDCG sees grades, bpref and condensed lists pass over unjudged documents."""
    found = _seen(name)
    assert found["Grades count"].startswith(grades)
    assert found["Unjudged documents"].startswith(unjudged)
    assert found["Unjudged documents at the end of a list"] == at_the_end
    assert found["The best ranking"] == "no ranking scored better than the ideal one"
    assert found["A topic that a run lacks"] == "scores 0, the worst value"


def test_a_metric_that_points_the_wrong_way_is_asked_about():
    """Every number would be right, and every conclusion the wrong one."""
    found = _seen(metric(bounds=THREE, higher_is_better=False)(gain_at_top))
    assert found["An ideal ranking"].endswith("is `higher_is_better=False` the right way round?")
    assert "another ranking scored better than the ideal one" in found["The best ranking"]
    assert "higher_is_better" not in _seen("nDCG")["An ideal ranking"]


def test_a_metric_that_is_not_monotone_is_shown_where():
    """On two documents; a metric without a worst value says what becomes of missing topics."""
    found = _seen(metric(name="upside", bounds=(-np.inf, np.inf))(lambda topic: -gain_at_top(topic)))
    assert "improved the score by" in found["Moving a better document up never lowers the score"]
    assert found["A topic that a run lacks"].startswith("has no score")


def test_time_is_told_where_it_is_asked_for():
    """For whole grades, and for levels that a metric has gains for."""
    for name in ("P@5", "ERR(max_level=2)", "nDCG(gains={2:1,5:3})"):
        assert "times nDCG@10" in _seen(name, n_collections=1, timed=True)["Time"]
    assert "Time" not in _seen("P@5", n_collections=1)


@pytest.mark.parametrize("name", ["P(rel=9)@5", "nDCG(gains=binary(rel=5))", "ERR(max_level=1)", "Q(gains={2:3,4:9})"])
def test_grades_are_those_that_a_metric_is_made_for(name):
    """Something is relevant under it, and nothing stands above its scale."""
    assert examine_metric(name, registry=BUILTIN, n_collections=5).broken == ()
    assert not _seen(name, n_collections=5)["Values seen"].endswith("to 0")


def test_the_answer_is_a_result():
    """It shows its main numbers, and gives its table."""
    examined = examine_metric(metric(gain_at_top), registry=BUILTIN, n_collections=1, rng=4)
    assert "gain_at_top: 1 law holds, 1 broken: Every score is a finite number within the bounds" in repr(examined)
    assert (examined.metric, examined.n_collections, examined.random_source) == ("gain_at_top", 1, "seed 4")
    assert set(examined.to_frame()["kind"]) == {"declared", "law"}
    assert _seen("nDCG", n_collections=1)["How to write it"] == "nDCG(a=…, gains=linear, judged_only=False)[@k]"


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
