"""Counts that nobody can serve, and options that make no sense: refused in words, before any work."""

import numpy as np
import pytest

from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import as_labels
from metaeval.base.checks import (
    MOST_ROUNDS,
    MOST_WORKERS,
    check_choice,
    check_count,
    check_error_rate,
    check_jobs,
    check_memory,
    check_number,
    check_share,
    check_threads,
    show,
    t_half_width,
)
from metaeval.errors import InvalidOptionError, MetaevalError, UnknownNameError
from metaeval.metrics.scoring import score
from metaeval.questions.agree.study import study_agree
from metaeval.questions.compare_metrics.study import study_compare_metrics
from metaeval.questions.human.study import study_human
from metaeval.questions.judges.study import study_judges
from metaeval.questions.judgments.study import study_judgments
from metaeval.questions.power.study import study_power
from metaeval.questions.topics.study import study_topics
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_halves import split_half
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.running.draws import bootstrap_indices
from metaeval.running.parallel import reporting
from metaeval.running.workers import parallel_map
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.scores import simulate_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems

SCORES = simulate_scores(n_systems=4, n_topics=20, metrics=["AP", "nDCG@10", "P@10"], n_groups=2, rng=1)
WIDE = SCORES.to_series().unstack("metric").reset_index()
ITEMS = item_scores(WIDE, reference="AP", item="topic", system="system")
COLLECTION = simulate_collection(
    n_groups=3, runs_per_group=2, n_topics=6, n_documents=60, depth=20, pool_depth=10, rng=1
).to_collection(retrieved="all")
LABELS = as_labels({name: {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}} for name in "ab"})

ENGINES = {
    "split_half": (lambda **given: split_half(SCORES, **given), ("n_splits",)),
    "swap_method": (lambda **given: swap_method(SCORES, **given), ("n_trials",)),
    "topic_bootstrap": (lambda **given: topic_bootstrap(SCORES, **given), ("n_topic_resamples", "n_trials")),
    "the bootstrap sensitivity method": (lambda **given: bootstrap_sensitivity(SCORES, **given), ("n_resamples",)),
    "discriminative_power_interval": (
        lambda **given: discriminative_power_interval(SCORES, **given),
        ("n_resamples", "n_topic_resamples"),
    ),
    "run_choice_power": (lambda **given: run_choice_power(SCORES, **given), ("n_resamples", "n_choices")),
    "agreement_intervals": (lambda **given: agreement_intervals(SCORES, **given), ("n_resamples", "n_topic_resamples")),
    **{
        name: (lambda name=name, **given: compare_systems(SCORES, test=name, **given), ("n_resamples",))
        for name, one in TESTS.items()
        if one.resampled
    },
}
STUDIES = {
    "study_power": (
        lambda **given: study_power(SCORES, **{"tests": ["t", "bootstrap"], **given}),
        {
            "tests": ["ttset"],
            "corrections": ["bonferoni"],
            "alternative": "both",
            "alpha": 2.0,
            "n_resamples": 10**12,
            "p_value_rule": "minus-one",
            "choose": "two",
            "n_topic_resamples": 10**30,
            "confidence_level": 95,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_agree": (
        lambda **given: study_agree(SCORES, **{"tests": ["t", "bootstrap"], **given}),
        {
            "tests": ["ttset"],
            "corrections": ["bonferoni"],
            "alphas": 2.0,
            "alternative": "both",
            "n_resamples": 10**12,
            "p_value_rule": "minus-one",
            "choose": "two",
            "n_topic_resamples": 10**30,
            "confidence_level": 95,
            "min_f1": 7,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_compare_metrics": (
        lambda **given: study_compare_metrics(SCORES, **given),
        {
            "current": "MAP@3",
            "alpha": 2.0,
            "test": "ttset",
            "max_error": 7,
            "n_resamples": 10**12,
            "n_topic_resamples": 10**30,
            "n_choices": 10**30,
            "n_replicates": 10**30,
            "confidence_level": 95,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_topics": (
        lambda **given: study_topics(SCORES, **given),
        {
            "sizes": [10**6],
            "n_trials": 10**12,
            "tolerances": [-1.0],
            "tolerance_unit": "percent",
            "sampling": "any",
            "max_error": 7,
            "n_topic_resamples": 10**30,
            "confidence_level": 95,
            "bin_width": -1.0,
            "limit": 0,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_human": (
        lambda **given: study_human(ITEMS, **given),
        {
            "reference": "people",
            "statistics": ["pearsn"],
            "levels": ["word"],
            "resample": "all",
            "confidence_level": 95,
            "min_difference": -1.0,
            "permute": "all",
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "n_resamples": 10**12,
            "rng": -1,
        },
    ),
    "study_judges": (
        lambda **given: study_judges(LABELS, **given),
        {
            "reference": "cy",
            "rel": 9,
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "confidence_level": 95,
            "n_resamples": 10**12,
            "rng": -1,
        },
    ),
    "study_judgments": (
        lambda **given: study_judgments(COLLECTION, **{"metrics": ["AP"], **given}),
        {
            "metrics": ["APP"],
            "questions": ["why"],
            "reductions": ["some"],
            "steps": [200],
            "n_replicates": 10**12,
            "n_tested": -1,
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "top": 1,
            "min_tau": 7,
            "budget": -1,
            "adaptive_rate": 7,
            "pool_depth": -1,
            "sizes": [-5],
            "cost": "much",
            "n_jobs": 10**12,
            "rng": -1,
        },
    ),
    "measure_stability": (
        lambda **given: measure_stability(COLLECTION, **{"metrics": ["AP"], **given}),
        {
            "metrics": ["APP"],
            "reduction": "some",
            "steps": [200],
            "n_replicates": 10**12,
            "n_tested": -1,
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "top": 1,
            "budget": -1,
            "n_jobs": 10**12,
            "rng": -1,
        },
    ),
    "score": (
        lambda **given: score(COLLECTION, **{"metrics": ["AP"], **given}),
        {"metrics": ["APP"], "undefined": "one", "n_threads": 10**12},
    ),
}


class _NoWork:
    """A reporter that no task may reach."""

    def start(self, description, total):
        pytest.fail(f"work had begun: {description} ({total})")

    def advance(self, task, steps=1):
        """Count nothing."""

    def finish(self, task):
        """End nothing."""


@pytest.mark.parametrize(
    ("study", "option"), [(name, option) for name, (_, given) in STUDIES.items() for option in given]
)
def test_a_study_refuses_every_option_before_any_work(study, option):
    """What is nonsense surfaces at once, by name, and not after the first tests ran."""
    work, nonsense = STUDIES[study]
    with reporting(_NoWork()), pytest.raises(MetaevalError) as caught:
        work(**{option: nonsense[option]})
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("count", [10**12, 10**30, 10**5000, -(10**5000), 0, 2.5, True, "many"], ids=[
    "10**12", "10**30", "10**5000", "-10**5000", "0", "2.5", "True", "text",
])  # fmt: skip
@pytest.mark.parametrize(
    ("engine", "option"), [(name, one) for name, (_, options) in ENGINES.items() for one in options]
)
def test_counts_beyond_every_machine_are_refused_by_name(engine, option, count):
    """Neither MemoryError nor OverflowError nor a message of numba's: the argument, the rule and the value."""
    work, _ = ENGINES[engine]
    with reporting(_NoWork()), pytest.raises(InvalidOptionError, match=f"`{option}` must be") as caught:
        work(**{option: count})
    assert len(str(caught.value)) < 300


def test_memory_is_looked_at_before_it_is_asked_for():
    """Arrays that no machine holds are refused with their size and the way out."""
    with pytest.raises(InvalidOptionError, match=r"1,000,000,000 resamples of 1,000,000 topics or items take \d+ PB"):
        bootstrap_indices(np.random.default_rng(0), 10**9, 10**6)
    with pytest.raises(InvalidOptionError, match=r"take 80 PB of memory, and this machine has \d+ GB; less"):
        check_memory(10**16, what="they", advice="less")
    check_memory(10**6, what="they", advice="less")


@pytest.mark.parametrize(
    ("limits", "value", "rule"),
    [
        ({}, float("inf"), "be a finite number"),
        ({"above": 0}, 0, "be a number above 0"),
        ({"least": 0}, -1, "be a number of at least 0"),
        ({"below": 2}, 2, "be a number below 2"),
        ({"most": 2}, 3, "be a number of at most 2"),
        ({"least": 0, "most": 1}, 1.5, "lie from 0 to 1"),
        ({"above": 0, "below": 0.5}, 0.5, "lie between 0 and 0.5"),
        ({"above": -1, "most": 1}, -1, "lie above -1 and be at most 1"),
        ({"least": 0, "below": 1}, 1, "be at least 0 and below 1"),
        ({"least": 0, "unit": "minutes"}, True, r"be a number of at least 0 \(minutes\)"),
        ({}, "many", "be a finite number"),
        ({"above": 0}, float("nan"), "be a number above 0"),
    ],
)
def test_numbers_have_limits(limits, value, rule):
    """The rule is said as it was asked for; what is no number breaks every rule."""
    with pytest.raises(InvalidOptionError, match=f"^`x` must {rule}, not "):
        check_number(value, "x", **limits)


def test_numbers_within_their_limits_are_floats():
    """Of any numeric type."""
    assert check_number(np.float32(0.5), "x", above=0, below=1) == 0.5
    assert type(check_number(np.int64(1), "x", most=1)) is float
    assert (check_share(0.5, "x"), check_error_rate(0.25)) == (0.5, 0.25)
    with pytest.raises(InvalidOptionError, match=r"`max_error` must lie between 0 and 0\.5, not 0\.5"):
        check_error_rate(0.5)


def test_choices_are_listed():
    """The nearest first; an unhashable value is no choice either."""
    check_choice("less", "alternative", ("greater", "less"))
    with pytest.raises(UnknownNameError, match="no alternative 'lesss'; did you mean 'less'"):
        check_choice("lesss", "alternative", ("greater", "less"))
    with pytest.raises(UnknownNameError, match="no alternative"):
        check_choice([], "alternative", {"greater": 1})


def test_half_the_t_interval():
    """As Student's table has it; one value gives none."""
    assert t_half_width(1.0, 10, 0.95) == pytest.approx(2.262157, abs=1e-6)
    np.testing.assert_allclose(t_half_width([1.0, 2.0], [10, 1], 0.9), [1.833113, np.nan], atol=1e-6)


def test_limits_are_named():
    """A count, its limit and what it would take."""
    assert check_count(np.int32(5), "n") == 5
    assert check_count(MOST_ROUNDS, "n") == MOST_ROUNDS
    with pytest.raises(InvalidOptionError, match=r"`n` must be at most 1,000,000,000, not 1000000000000 \(8 TB for"):
        check_count(10**12, "n")
    with pytest.raises(InvalidOptionError, match=r"`n` must be at most 10, not 11$"):
        check_count(11, "n", most=10)
    with pytest.raises(InvalidOptionError, match=r"`k` must be a whole number from 2 to 10 \(systems\), not 11"):
        check_count(11, "k", least=2, most=10, unit="systems")
    with pytest.raises(InvalidOptionError, match=r"`n` must be at most .*, not 1000"):
        check_count(10**30, "n")


@pytest.mark.parametrize("wrong", [0, 2.0, True, "2", 10**12, 10**5000, MOST_WORKERS + 1], ids=range(7))
def test_workers_and_threads_have_limits(wrong):
    """Named alike wherever they are asked for."""
    with pytest.raises(InvalidOptionError, match="`n_threads` must be"):
        check_threads(wrong)
    with pytest.raises(InvalidOptionError, match="`n_jobs` must be"):
        check_jobs(wrong)
    with pytest.raises(InvalidOptionError, match="`n_jobs` must be"):
        parallel_map(abs, [1], n_jobs=wrong)
    assert (check_threads(None), check_threads(np.int64(2)), check_jobs(-1)) == (None, 2, -1)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (7, "7"),
        (True, "True"),
        ("x", "'x'"),
        (10**5000, "a number of some 4983 digits"),
        (-(10**99), "a negative number of some 98 digits"),
    ],
    ids=range(5),
)
def test_values_can_always_be_shown(value, shown):
    """Python refuses to write numbers of more than 4300 digits; a message must not end in that error."""
    assert show(value) == shown


@pytest.mark.parametrize("level", [1e-320, 1e-101])
def test_a_level_so_small_that_its_inverse_is_nothing_is_refused(level):
    """1 / 1e-320 is infinite: no number of resamples can be told, and every test and study says so alike."""
    with pytest.raises(InvalidOptionError, match="`alpha` must be at least 1e-100"):
        check_share(level, "alpha")
    with pytest.raises(InvalidOptionError, match="at least 1e-100"):
        bootstrap_sensitivity([[0.1, 0.2, 0.4], [0.3, 0.5, 0.9]], alpha=level, n_resamples=50, rng=0)


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        *(("alpha", value, 0.05) for value in (5, 95, 0.95)),
        *(("--alpha", value, 0.1) for value in (90, 0.9)),
        *(("alphas", value, 0.01) for value in (99.0, 0.99)),
        *(("confidence_level", value, 0.95) for value in (5, 95, 0.05)),
        *(("--confidence-level", value, 0.9) for value in (10, 0.1)),
        ("power", 80, 0.8),
    ],
)
def test_a_level_of_error_and_one_of_confidence_are_not_taken_for_each_other(name, value, right):
    """What the message says to write is what was meant (95 % confidence is 5 % error), and is then accepted."""
    with pytest.raises(InvalidOptionError) as caught:
        check_share(value, name)
    written = float(str(caught.value).rpartition(" ")[2])
    assert (written, check_share(written, name)) == (right, right)
    assert check_share(0.5, name) == 0.5
