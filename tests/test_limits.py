"""Counts that nobody can serve, and options that make no sense: refused in words, before any work."""

import time

import numpy as np
import pytest

from metaeval.agreement.assessors import as_labels
from metaeval.agreement.items import item_scores
from metaeval.draws import bootstrap_indices
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.limits import MOST_ROUNDS, MOST_WORKERS, check_count, check_jobs, check_memory, check_threads, show
from metaeval.metrics.score import score
from metaeval.parallel import parallel_map, reporting
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.power_interval import discriminative_power_interval, run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_half import split_half
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.scores import simulate_scores
from metaeval.studies.agree import study_agreement
from metaeval.studies.assessors import study_assessors
from metaeval.studies.compare import study_comparison
from metaeval.studies.human import study_human
from metaeval.studies.judgments import study_judgments
from metaeval.studies.power import study_power
from metaeval.studies.stability import measure_stability
from metaeval.studies.topics import study_topics
from metaeval.tests_stat.catalogue import TESTS, compare_systems

SCORES = simulate_scores(n_systems=4, n_topics=20, metrics=["AP", "nDCG@10", "P@10"], n_groups=2, rng=1)
WIDE = SCORES.to_series().unstack("metric").reset_index()
ITEMS = item_scores(WIDE, reference="AP", item="topic", system="system")
COLLECTION = simulate_collection(
    n_groups=3, runs_per_group=2, n_topics=6, n_documents=60, depth=20, pool_depth=10, rng=1
).to_collection(keep="all")
LABELS = as_labels({name: {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}} for name in "ab"})

ENGINES = {
    "split_half": (lambda **given: split_half(SCORES, **given), ("n_splits",)),
    "swap_method": (lambda **given: swap_method(SCORES, **given), ("n_trials",)),
    "topic_bootstrap": (lambda **given: topic_bootstrap(SCORES, **given), ("n_replicates", "n_trials")),
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
            "runs": "two",
            "n_topic_resamples": 10**30,
            "confidence_level": 95,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_agreement": (
        lambda **given: study_agreement(SCORES, **{"tests": ["t", "bootstrap"], **given}),
        {
            "tests": ["ttset"],
            "corrections": ["bonferoni"],
            "alphas": 2.0,
            "alternative": "both",
            "n_resamples": 10**12,
            "p_value_rule": "minus-one",
            "runs": "two",
            "n_topic_resamples": 10**30,
            "confidence_level": 95,
            "enough": 7,
            "rng": -1,
            "n_threads": 10**12,
        },
    ),
    "study_comparison": (
        lambda **given: study_comparison(SCORES, **given),
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
            "margins": [-1.0],
            "margin": "percent",
            "sampling": "any",
            "max_error": 7,
            "n_replicates": 10**30,
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
            "confidence": 95,
            "min_difference": -1.0,
            "permute": "all",
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "n_resamples": 10**12,
            "rng": -1,
        },
    ),
    "study_assessors": (
        lambda **given: study_assessors(LABELS, **given),
        {
            "reference": "cy",
            "rel": 9,
            "test": "ttset",
            "correction": "bonferoni",
            "alpha": 2.0,
            "confidence": 95,
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
            "best": 1,
            "at_least": 7,
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
            "best": 1,
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
    begun = time.perf_counter()
    with reporting(_NoWork()), pytest.raises(MetaevalError) as caught:
        work(**{option: nonsense[option]})
    assert time.perf_counter() - begun < 5
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
    with reporting(_NoWork()), pytest.raises(InvalidOptionError, match=f"{option} must be") as caught:
        work(**{option: count})
    assert len(str(caught.value)) < 300


def test_memory_is_looked_at_before_it_is_asked_for():
    """Arrays that no machine holds are refused with their size and the way out."""
    with pytest.raises(InvalidOptionError, match=r"1,000,000,000 resamples of 1,000,000 topics or items take \d+ PB"):
        bootstrap_indices(np.random.default_rng(0), 10**9, 10**6)
    with pytest.raises(InvalidOptionError, match=r"take 80 PB of memory, and this machine has \d+ GB; less"):
        check_memory(10**16, what="they", advice="less")
    check_memory(10**6, what="they", advice="less")


def test_limits_are_named():
    """A count, its limit and what it would take."""
    assert check_count(np.int32(5), "n") == 5
    assert check_count(MOST_ROUNDS, "n") == MOST_ROUNDS
    with pytest.raises(InvalidOptionError, match=r"n must be at most 1,000,000,000, not 1000000000000 \(8 TB for one"):
        check_count(10**12, "n")
    with pytest.raises(InvalidOptionError, match=r"n must be at most 10, not 11$"):
        check_count(11, "n", most=10)
    with pytest.raises(InvalidOptionError, match=r"n must be at most .*, not 1000"):
        check_count(10**30, "n")


@pytest.mark.parametrize("wrong", [0, 2.0, True, "2", 10**12, 10**5000, MOST_WORKERS + 1], ids=range(7))
def test_workers_and_threads_have_limits(wrong):
    """Named alike wherever they are asked for."""
    with pytest.raises(InvalidOptionError, match="n_threads must be"):
        check_threads(wrong)
    with pytest.raises(InvalidOptionError, match=r"number of workers \(n_jobs\) must be"):
        check_jobs(wrong)
    with pytest.raises(InvalidOptionError, match=r"number of workers \(n_jobs\) must be"):
        parallel_map(max, [1], generator=np.random.default_rng(0), n_jobs=wrong)
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
