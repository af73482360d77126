"""A law over everything that draws: the seed that is recorded is the seed that was used, of whatever type it came."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import metaeval
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores
from metaeval.agreement.judge_ranking import rank_judges
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.agreement.second_assessors import second_people
from metaeval.base.provenance import Provenance
from metaeval.errors import InvalidOptionError
from metaeval.inex.simulation import simulate_inex
from metaeval.models.bayesian_comparison import bayesian_t, hierarchical
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.probability_of_best import best_system
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.effort import equal_effort
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.ranks import rank_intervals
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_halves import split_half
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_subsets import compare_subsets
from metaeval.running.draws import resolve_seed
from metaeval.running.parallel import limit_threads, reporting
from metaeval.simulate.collection import simulate_collection
from metaeval.simulate.scores import simulate_population, simulate_scores
from metaeval.studies.agree import audit_quantisations, study_agreement
from metaeval.studies.compare import study_comparison
from metaeval.studies.compare_tests import study_tests
from metaeval.studies.human import study_human
from metaeval.studies.judges import study_judges
from metaeval.studies.judgments import study_judgments
from metaeval.studies.leaderboard import study_leaderboard
from metaeval.studies.power import study_power
from metaeval.studies.table import study_table
from metaeval.studies.topics import study_topics
from metaeval.testing import check_metric, examine_metric
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.randomisation import randomisation_test
from metaeval.tests_stat.sensitivity import sensitivity_test
from metaeval.tests_stat.tukey import tukey_hsd_test


@pytest.fixture(autouse=True)
def _one_core():
    """Waking other cores costs more than such small work."""
    with limit_threads(1):
        yield


pytestmark = pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")  # so few resamples reach no level

SCORES = simulate_scores(n_systems=5, n_topics=20, metrics=["AP", "nDCG@10", "P@10"], n_groups=3, rng=1)
EIGHT = simulate_scores(n_systems=8, n_topics=20, metrics=["AP"], rng=1)
WIDE = SCORES.to_series().unstack("metric").reset_index()  # noqa: PD010 - nothing to aggregate
ITEMS = item_scores(WIDE, reference="AP", item="topic", system="system")
MADE = simulate_collection(n_groups=3, runs_per_group=2, n_topics=12, n_documents=200, depth=30, pool_depth=10, rng=1)
COLLECTION = MADE.to_collection(retrieved="all")
LABELS = as_labels(
    {
        name: {topic: {f"d{one}": (one + place) % 3 > 0 for one in range(6)} for topic in "1234"}
        for place, name in enumerate("ab")
    }
)
POPULATION = simulate_population(n_systems=4, rng=0)

STUDIES = {
    "study_tests": lambda rng: study_tests(SCORES, tests=["t", "bootstrap"], n_splits=3, n_resamples=50, rng=rng),
    "study_power": lambda rng: study_power(
        SCORES,
        tests=["bootstrap", "randomisation", "max_t", "bootstrap_sensitivity"],
        n_resamples=50,
        choose=4,
        rng=rng,
    ),
    "study_table": lambda rng: study_table(SCORES, test="bootstrap", n_resamples=50, choose=4, rng=rng),
    "study_leaderboard": lambda rng: study_leaderboard(EIGHT, n_resamples=50, n_splits=2, rng=rng),
    "study_agreement": lambda rng: study_agreement(SCORES, tests=["bootstrap"], n_resamples=50, choose=4, rng=rng),
    "audit_quantisations": lambda rng: audit_quantisations(COLLECTION, ["nDCG@10"], n_resamples=50, rng=rng),
    "study_judges": lambda rng: study_judges(LABELS, n_resamples=50, rng=rng),
    "judge_conclusions": lambda rng: (
        judge_conclusions(SCORES, reference=str(SCORES["metric"].to_numpy()[0]), n_resamples=50, rng=rng).table
    ),
    "second_people": lambda rng: second_people(LABELS, LABELS.judges, n_choices=2, rng=rng).table,
    "study_comparison": lambda rng: study_comparison(
        SCORES, collection=None, test="bootstrap", topics=False, n_topic_resamples=20, rng=rng
    ),
    "study_human": lambda rng: study_human(ITEMS, reference="AP", test="bootstrap", n_resamples=50, rng=rng),
    "study_judgments": lambda rng: study_judgments(
        COLLECTION, ["AP"], questions=["less-judging"], steps=[50], n_replicates=2, rng=rng
    ),
    "measure_stability": lambda rng: measure_stability(COLLECTION, ["AP"], steps=[50], n_replicates=2, rng=rng),
    "study_topics": lambda rng: study_topics(
        SCORES, sizes=[5, 10], tolerances=[0.05], n_trials=3, modelled=[], n_topic_resamples=150, rng=rng
    ),
}
ENGINES = {
    "BayesianComparison.to_arviz": lambda rng: bayesian_t(SCORES).to_arviz("AP", n_draws=5, rng=rng),
    "choose_data": lambda rng: metaeval.choose_data(SCORES, n_topics=5, rng=rng),
    "compare_labels": lambda rng: compare_labels(LABELS, n_resamples=50, rng=rng),
    "rank_judges": lambda rng: rank_judges(LABELS, reference=LABELS.judges[0], n_resamples=50, rng=rng),
    "decision_agreement": lambda rng: decision_agreement(SCORES, n_resamples=50, rng=rng),
    "human_agreement": lambda rng: human_agreement(ITEMS, reference="AP", n_resamples=50, rng=rng),
    "compare_with_human": lambda rng: compare_with_human(ITEMS, reference="AP", n_resamples=50, rng=rng),
    "bayesian_error_rate": lambda rng: bayesian_error_rate(SCORES, draws=20, rng=rng),
    "agreement_intervals": lambda rng: agreement_intervals(SCORES, n_resamples=20, n_topic_resamples=5, rng=rng),
    "difference_bins": lambda rng: difference_bins(SCORES, n_trials=5, rng=rng),
    "equal_effort": lambda rng: equal_effort(COLLECTION, steps=[50], rng=rng),
    "reduce_judgments": lambda rng: reduce_judgments(COLLECTION, reduction="stratified", steps=[50], rng=rng),
    "discriminative_power_interval": lambda rng: discriminative_power_interval(
        SCORES, test="bootstrap", n_resamples=20, n_topic_resamples=5, rng=rng
    ),
    "run_choice_power": lambda rng: run_choice_power(SCORES, choose=3, n_resamples=20, rng=rng),
    "rank_intervals": lambda rng: rank_intervals(SCORES, n_resamples=50, rng=rng),
    "best_system": lambda rng: best_system(SCORES, n_draws=12, n_resamples=50, rng=rng),
    "compare_subsets": lambda rng: compare_subsets(EIGHT, n_splits=2, rng=rng),
    "bootstrap_sensitivity": lambda rng: bootstrap_sensitivity(SCORES, n_resamples=50, rng=rng),
    "sensitivity_test": lambda rng: sensitivity_test(SCORES, n_resamples=50, rng=rng),
    "split_half": lambda rng: split_half(SCORES, tests=["t"], n_splits=3, rng=rng),
    "swap_method": lambda rng: swap_method(SCORES, n_trials=5, rng=rng),
    "topic_bootstrap": lambda rng: topic_bootstrap(SCORES, n_topic_resamples=3, n_trials=3, rng=rng),
    "examine_metric": lambda rng: examine_metric("RBP(p=0.8)", n_collections=1, rng=rng),
    "simulate_collection": lambda rng: simulate_collection(n_topics=3, n_documents=30, depth=10, pool_depth=5, rng=rng),
    "simulate_inex": lambda rng: simulate_inex(n_systems=2, n_topics=2, n_documents=20, n_results=5, rng=rng),
    "Population.draw": lambda rng: POPULATION.draw(5, rng=rng),
    "simulate_population": lambda rng: simulate_population(n_systems=4, rng=rng),
    "simulate_scores": lambda rng: simulate_scores(n_systems=4, n_topics=5, rng=rng),
    "bootstrap_test": lambda rng: bootstrap_test(SCORES, n_resamples=50, rng=rng),
    "compare_systems": lambda rng: compare_systems(SCORES, test="randomisation", n_resamples=50, rng=rng),
    "max_t_test": lambda rng: max_t_test(SCORES, n_resamples=50, rng=rng),
    "randomisation_test": lambda rng: randomisation_test(SCORES, n_resamples=50, rng=rng),
    "tukey_hsd_test": lambda rng: tukey_hsd_test(SCORES, n_resamples=50, rng=rng),
}
DRAWING = STUDIES | ENGINES
SLOW = {"hierarchical": hierarchical}
NO_RESULT = {"check_metric": check_metric, "resolve_rng": None, "resolve_seed": resolve_seed}


def _differences(one, other, place=""):  # noqa: C901, PLR0912 - one branch a kind of value
    """Yield where two results differ; when and by whom they were made does not count."""
    if type(one) is not type(other):
        yield f"{place}: {type(one)} and {type(other)}"
    elif isinstance(one, Provenance):
        yield from _differences(one.random_source, other.random_source, f"{place}.random_source")
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            yield from _differences(getattr(one, field.name), getattr(other, field.name), f"{place}.{field.name}")
    elif isinstance(one, xr.DataArray | xr.Dataset):
        if not one.identical(other):
            yield place
    elif isinstance(one, pd.DataFrame | pd.Series | pd.Index):
        if not one.equals(other):
            yield place
    elif isinstance(one, np.ndarray):
        same = one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
        if one.dtype != other.dtype or not same:
            yield place
    elif isinstance(one, Mapping):
        if list(one) != list(other):
            yield place
        for key in one:
            yield from _differences(one[key], other[key], f"{place}[{key!r}]")
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            yield place
        for number, (a, b) in enumerate(zip(one, other, strict=False)):
            yield from _differences(a, b, f"{place}[{number}]")
    elif hasattr(one, "__slots__") or hasattr(one, "__dict__"):
        names = [*getattr(one, "__slots__", ()), *getattr(one, "__dict__", ())]
        for name in names:
            yield from _differences(getattr(one, name), getattr(other, name), f"{place}.{name}")
    elif one != other and one == one:  # noqa: PLR0124 - not a number
        yield place


def test_everything_that_draws_is_held_to_the_law():
    """A function with rng= that is in none of the tables would go unchecked."""
    found = set()
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.endswith("__main__") or ".cli" in module.name:
            continue
        held = importlib.import_module(module.name)
        for name, one in vars(held).items():
            if getattr(one, "__module__", None) != module.name or name.startswith("_"):
                continue
            methods = [(f"{name}.{key}", method) for key, method in vars(one).items()] if inspect.isclass(one) else []
            found |= {
                key
                for key, method in [(name, one), *methods]
                if inspect.isfunction(method) and "rng" in inspect.signature(method).parameters
            }
    assert found == {*DRAWING, *SLOW, *NO_RESULT}


@pytest.mark.parametrize("name", DRAWING)
def test_a_seed_is_a_seed_of_whatever_type(name):
    """7 as Python's integer, as NumPy's of 64 bits and of 8: the same result to the last bit, and the same record."""
    expected = DRAWING[name](7)
    for seed in (np.int64(7), np.uint8(7)):
        assert list(_differences(expected, DRAWING[name](seed))) == []


class Tasks:
    """A reporter that counts the steps of every task."""

    def __init__(self):
        self.seen = []

    def start(self, description, total):
        """Note what is promised."""
        self.seen.append([description, total, 0])
        return len(self.seen) - 1

    def advance(self, task, steps=1):
        """Count what is done."""
        self.seen[task][2] += steps

    def finish(self, task):
        """Leave the counts as they are."""


@pytest.mark.parametrize("name", DRAWING)
def test_progress_ends_at_its_total(name):
    """As many steps are told as were promised: a bar that stops at a third, or runs past its end, misleads."""
    tasks = Tasks()
    with reporting(tasks):
        DRAWING[name](7)
    assert [task for task in tasks.seen if task[1] not in {None, task[2]}] == []


@pytest.mark.parametrize("rng", [None, "generator", 2**100], ids=str)
@pytest.mark.parametrize("name", STUDIES)
def test_the_recorded_seed_repeats_a_study(name, rng):
    """Whatever rng= was, the record names a seed, and that seed gives the whole study again."""
    first = STUDIES[name](np.random.default_rng(3) if rng == "generator" else rng)
    if not hasattr(first, "provenance"):  # a part of a study, recorded by the whole
        return
    word, seed = first.provenance.random_source.split(" ")
    assert word == "seed"
    assert list(_differences(first, STUDIES[name](int(seed)))) == []


@pytest.mark.parametrize("rng", [True, -1, 7.0, "7", np.bool_(1), np.random.SeedSequence(7), 2**128, 10**5000], ids=[
    "bool", "negative", "float", "text", "numpy bool", "SeedSequence", "129 bits", "5000 digits",
])  # fmt: skip
def test_what_is_no_seed_is_refused_by_name_by_every_study(rng):
    """Before any work, and in words that can be printed."""
    for name, work in STUDIES.items():
        with pytest.raises(InvalidOptionError, match="`rng` must be None, a whole number from 0 to") as caught:
            work(rng)
        assert len(str(caught.value)) < 300, name


def test_one_seed_for_all_parts():
    """An integer is itself; a generator is drawn from once; nothing gives another seed each time."""
    assert (resolve_seed(0), resolve_seed(np.uint16(7)), resolve_seed(2**127)) == (0, 7, 2**127)
    generator = np.random.default_rng(3)
    assert resolve_seed(generator) == int(np.random.default_rng(3).integers(2**63))
    assert resolve_seed(generator) != resolve_seed(np.random.default_rng(3))
    assert resolve_seed(None) != resolve_seed(None)
