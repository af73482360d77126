"""Laws of clusters, strata, weights and gaps over every engine: each takes them into account, or refuses by name."""

import importlib
import inspect
import pkgutil
import re
import warnings

import numpy as np
import pytest
import xarray as xr

import metaeval
from metaeval import as_scores
from metaeval.agreement.aggregates import aggregate_table
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.item_statistics import analyse_items, discrimination
from metaeval.agreement.judge_bias import favoured_by_covariate, favoured_groups
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError
from metaeval.models.bayesian_comparison import bayesian_t, hierarchical
from metaeval.models.detectable_difference import detectable_differences
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.probability_of_best import best_system
from metaeval.models.repeats import judge_repeats
from metaeval.models.separation import topics_to_separate
from metaeval.models.topics_and_differences import detectable_by_topics
from metaeval.models.variances import pilot_variance
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.bins import difference_bins
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.ranks import rank_intervals
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.resampling.split_halves import split_half
from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.resampling.topic_sets import lay_out
from metaeval.resampling.topic_subsets import compare_subsets
from metaeval.running.parallel import limit_threads
from metaeval.studies.agree import study_agreement
from metaeval.studies.compare import study_comparison
from metaeval.studies.compare_tests import study_tests
from metaeval.studies.design import study_design
from metaeval.studies.leaderboard import conclusions_of, study_leaderboard
from metaeval.studies.power import study_power, system_means
from metaeval.studies.study import chosen_systems
from metaeval.studies.table import study_table
from metaeval.studies.topics import study_topics
from metaeval.table.structure import mean_over_topics, settled_mean_over_topics, with_clusters
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.max_t import max_t_test
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import ask
from metaeval.tests_stat.randomisation import randomisation_test
from metaeval.tests_stat.sensitivity import sensitivity_test
from metaeval.tests_stat.sign import sign_test
from metaeval.tests_stat.tukey import tukey_hsd_test
from metaeval.tests_stat.wilcoxon import wilcoxon_test

pytestmark = pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")  # so few resamples reach no level


@pytest.fixture(autouse=True)
def _one_core():
    """Waking other cores costs more than such small work."""
    with limit_threads(1):
        yield


N_TOPICS, N_CLUSTERS = 48, 12
NAMES = [str(place + 1) for place in range(N_TOPICS)]
VALUES = np.random.default_rng(1).random((2, 4, N_TOPICS)) + np.linspace(0, 0.3, 4)[:, None]
CLUSTERS = np.random.default_rng(2).permutation(np.arange(N_TOPICS) % N_CLUSTERS)
WEIGHTS = 1.0 + np.arange(N_TOPICS) % 3
GAPS = np.random.default_rng(3).random(VALUES.shape) < 0.1


def scores_with(*traits, values=VALUES, names=NAMES, clusters=CLUSTERS, weights=WEIGHTS):
    """Return scores with clusters, strata, weights and gaps as named."""
    values = np.where(GAPS, np.nan, values) if "gaps" in traits else values
    grouped = "clusters" in traits or "strata" in traits
    scores = as_scores(
        values,
        topics=names,
        clusters=dict(zip(names, map(str, clusters), strict=True)) if grouped else None,
        weights=dict(zip(names, weights, strict=True)) if "weights" in traits else None,
        missing="pairwise",
    )
    return with_clusters(scores, "fixed") if "strata" in traits else scores


PLAIN = scores_with()
KINDS = ("clusters", "strata", "weights", "gaps")

ENGINES = {
    "decision_agreement": lambda scores: decision_agreement(scores, test="t", rng=0).data,
    "favoured_groups": lambda scores: (
        favoured_groups(scores, {"system1": "a", "system2": "a"}, reference="metric1").table
    ),
    "favoured_by_covariate": lambda scores: (
        favoured_by_covariate(
            scores.isel(system=[0, 1, 2, 3, 0]).assign_coords(system=list("abcde")),
            dict(zip("abcde", range(5), strict=True)),
            reference="metric1",
        ).table
    ),
    "bayesian_t": lambda scores: bayesian_t(scores).data,
    "hierarchical": lambda scores: hierarchical(scores, rng=0),
    "bayesian_error_rate": lambda scores: bayesian_error_rate(scores, draws=20, rng=0),
    "pilot_variance": pilot_variance,
    "judge_conclusions": lambda scores: judge_conclusions(scores, reference="metric1", n_resamples=20, rng=0).table[
        ["tau", "f1_low"]
    ],
    "judge_repeats": lambda scores: judge_repeats(scores.assign_coords(metric=["judge#1", "judge#2"])).differences,
    "agreement_intervals": lambda scores: agreement_intervals(scores, test="t", n_topic_resamples=20, rng=0).to_frame()[
        ["f1_low", "tau"]
    ],
    "difference_bins": lambda scores: difference_bins(scores, n_trials=3, rng=0),
    "discriminative_power_interval": lambda scores: (
        discriminative_power_interval(scores, test="t", n_topic_resamples=20, rng=0).data
    ),
    "run_choice_power": lambda scores: run_choice_power(scores, choose=3, n_resamples=20, rng=0),
    "bootstrap_sensitivity": lambda scores: bootstrap_sensitivity(scores, n_resamples=99, rng=0).data,
    "split_half": lambda scores: split_half(scores, tests=["t"], n_splits=20, rng=0).counts,
    "swap_method": lambda scores: swap_method(scores, n_trials=3, rng=0),
    "topic_bootstrap": lambda scores: topic_bootstrap(scores, n_topic_resamples=3, n_trials=3, rng=0),
    "lay_out": lambda scores: lay_out(scores, sizes=[5], sampling="disjoint", duplicates="drop", n_trials=3),
    "study_agreement": lambda scores: study_agreement(scores, tests=["t"], n_topic_resamples=20, rng=0).to_frame(),
    "study_comparison": lambda scores: study_comparison(scores, topics=False, n_topic_resamples=20, rng=0),
    "study_tests": lambda scores: study_tests(scores, tests=["t"], n_splits=20, rng=0).halves.counts,
    "study_design": study_design,
    "study_power": lambda scores: study_power(scores, tests=["t"], rng=0).comparisons[0].data,
    "system_means": lambda scores: system_means(scores)[["mean", "low"]],
    "study_topics": lambda scores: study_topics(scores, sizes=[5], tolerances=[0.05], n_trials=3, modelled=[], rng=0),
    "bootstrap_test": lambda scores: bootstrap_test(scores, n_resamples=99, rng=0).data,
    "compare_systems": lambda scores: compare_systems(scores).data,
    "max_t_test": lambda scores: max_t_test(scores, n_resamples=99, rng=0).data,
    "paired_t_test": lambda scores: paired_t_test(scores).data,
    "randomisation_test": lambda scores: randomisation_test(scores, n_resamples=99, rng=0).data,
    "sensitivity_test": lambda scores: sensitivity_test(scores, n_resamples=99, rng=0).data,
    "sign_test": lambda scores: sign_test(scores).data,
    "tukey_hsd_test": lambda scores: tukey_hsd_test(scores, n_resamples=99, rng=0).data,
    "wilcoxon_test": lambda scores: wilcoxon_test(scores).data,
    "rank_intervals": lambda scores: (
        rank_intervals(scores, n_resamples=50, rng=0)
        .to_frame()[["rank_low", "rank_high"]]
        .assign(critical=rank_intervals(scores, n_resamples=50, rng=0).data["critical_value"].to_numpy().ravel())
    ),
    "best_system": lambda scores: best_system(scores, n_draws=12, n_resamples=50, rng=0).data,
    "detectable_differences": lambda scores: detectable_differences(scores).data,
    "detectable_by_topics": lambda scores: detectable_by_topics(scores, [20]),
    "topics_to_separate": lambda scores: topics_to_separate(scores).to_frame(),
    "compare_subsets": lambda scores: compare_subsets(
        scores.isel(system=[0, 1, 2, 3, 0, 1, 2, 3]).assign_coords(system=list("abcdefgh")), n_splits=2, rng=0
    ).to_frame(),
    "study_table": lambda scores: study_table(scores).comparison.data,
    "study_leaderboard": lambda scores: study_leaderboard(scores, n_resamples=50, n_splits=2, rng=0).comparison.data,
    "conclusions_of": lambda scores: conclusions_of(scores).drop(columns="n_pairs"),
    "ask": ask,
    "chosen_systems": lambda scores: chosen_systems(scores, "all", 0),
}
"""Every engine that takes scores."""

MEANS = {
    "mean_over_topics": mean_over_topics,
    "settled_mean_over_topics": settled_mean_over_topics,
    "aggregate_table": lambda scores: aggregate_table(scores, aggregates=["mean"]),
    "analyse_items": lambda scores: analyse_items(scores).data[["discrimination", "n_systems"]],
    "discrimination": discrimination,
}
"""Means know weights and gaps; clusters and strata say how sure a mean is, and leave it as it is."""

NO_ENGINE = {
    "flat_notes",
    "by_name",  # puts rows in order
    *("write_scores", "netcdf_of", "score_files", "score_report", "scores_to_long", "tabulated"),  # carry what there is
    *(
        "better_direction",
        "oriented_values",
        "identical_systems",
        "select_runs",
        "system_groups",
        "note_of_gaps",
    ),  # as they are
    *(
        "mean_by_cluster",
        "with_clusters",
        "topic_weights",
        "residuals_of_units",
        "units_of",
        "design_notes",
        "groups_of_topics",
    ),  # the traits themselves
    *("aggregate_scores", "in_words_of", "named_pairs", "design_effect"),  # the first carries, the last is of clusters
    *("of_scores", "all_effects", "verdicts_of_draws"),  # parts of a study of judges, and of its engine
    *("sample_of_topics", "score_distributions", "as_precision"),
    *("human_agreement", "pair_agreement", "cells_of", "oriented", "reference_of"),  # items of a human study,
    *("compare_with_human", "study_human"),  # which has clusters of its own
}
"""Functions of scores that decide nothing about topics."""


def test_no_function_of_scores_is_forgotten():
    """Whatever takes scores is an engine that the laws below hold for, or is known to be none."""
    found = set()
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.startswith(("metaeval.__main__", "metaeval.cli")):
            continue
        made = importlib.import_module(module.name)
        for name, function in inspect.getmembers(made, inspect.isfunction):
            first = next(iter(inspect.signature(function).parameters), "")
            if not name.startswith("_") and function.__module__ == module.name and first == "scores":
                found.add(name)
    assert found == set(ENGINES) | set(MEANS) | NO_ENGINE


def same(one, other):
    """Say whether two answers hold the same numbers."""
    if isinstance(one, xr.Dataset):
        return all(np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one)
    return np.array_equal(np.asarray(one, dtype=float), np.asarray(other, dtype=float), equal_nan=True)


def numbers(answer):
    """Return what of an answer can be compared: a frame's numbers, or a dataset."""
    return answer.select_dtypes("number").to_numpy() if hasattr(answer, "select_dtypes") else answer


@pytest.mark.parametrize("trait", KINDS)
@pytest.mark.parametrize("name", [*ENGINES, *MEANS])
def test_nothing_is_silently_left_out_of_account(name, trait):
    """Given clusters, strata, weights or gaps an engine answers otherwise than without, or refuses with a way out."""
    engine = (ENGINES | MEANS)[name]
    refusal = ""
    try:
        answer = engine(scores_with(trait))
    except MetaevalError as error:
        refusal = str(error)
    if refusal:
        words = {"clusters": "come in clusters", "strata": "strata", "weights": "have weights", "gaps": "gaps"}
        assert words[trait] in refusal
        assert "use a method" in refusal or "one of the tests" in refusal
        assert "--clusters ignore" in refusal or trait in ("weights", "gaps")
        return
    if name in MEANS and trait in ("clusters", "strata"):
        return
    plain = engine(PLAIN)
    assert not same(numbers(answer), numbers(plain))


def outcome(engine, scores):
    """Return the numbers of an answer, or the words of a refusal."""
    try:
        return numbers(engine(scores))
    except MetaevalError as error:
        return str(error)


@pytest.mark.parametrize("name", [*ENGINES, *MEANS])
@pytest.mark.parametrize("notes", [[], ["All scores were read.", "0 topics were left out."]])
def test_no_note_decides(name, notes):
    """Scores with gaps whose notes are deleted or reworded give the same numbers and the same refusals."""
    scores = scores_with("gaps")
    assert scores.attrs["notes"]
    engine = (ENGINES | MEANS)[name]
    one, other = outcome(engine, scores), outcome(engine, scores.assign_attrs(notes=notes))
    assert one == other if isinstance(one, str) or isinstance(other, str) else same(one, other)


def test_a_note_alone_keeps_no_gaps():
    """Words of a note do not make a mistake a decision: only ``missing="pairwise"`` keeps gaps."""
    scores = scores_with("gaps")
    del scores.attrs["missing"]
    with pytest.raises(ScoresError, match="no score for system"):
        paired_t_test(scores)


def p_values(scores, test):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compare_systems(scores, test=test, n_resamples=99, rng=5, correction=TESTS[test].own_correction)
    return result.data["p_value"].to_numpy()


def takes(test, *traits):
    return set(traits) <= TESTS[test].uses


@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("traits", [(one,) for one in KINDS] + [("clusters", "weights", "gaps"), ("strata", "weights")])
def test_the_table_tells_the_truth_about_what_a_test_uses(test, traits):
    """A test answers what its row says that it uses, without a NaN, and refuses the rest by its name."""
    scores = scores_with(*traits)
    if takes(test, *traits):
        assert np.isfinite(p_values(scores, test)).all()
    else:
        with pytest.raises(MetaevalError, match=rf"the test '{test}'.*one of the tests .*\bt\b"):
            p_values(scores, test)


@pytest.mark.parametrize("test", list(TESTS))
def test_a_cluster_for_every_topic_is_none_and_equal_weights_are_none(test):
    """To the bit."""
    alone = scores_with("clusters", "weights", clusters=NAMES, weights=np.full(N_TOPICS, 3.0))
    assert p_values(alone, test).tobytes() == p_values(PLAIN, test).tobytes()


@pytest.mark.parametrize("test", [name for name in TESTS if takes(name, "strata")])
def test_one_stratum_is_plain(test):
    """Topics inside one stratum are topics."""
    one = scores_with("strata", clusters=["all"] * N_TOPICS)
    np.testing.assert_allclose(p_values(one, test), p_values(PLAIN, test), rtol=1e-9)


@pytest.mark.parametrize("test", [name for name in TESTS if takes(name, "clusters")])
@pytest.mark.parametrize("kind", ["clusters", "strata"])
def test_names_of_clusters_do_not_matter(test, kind):
    """Renamed clusters give the same draws and the same numbers."""
    if not takes(test, kind):
        return
    renamed = [f"task {37 * one % 101}" for one in CLUSTERS]
    one, other = scores_with(kind, "weights"), scores_with(kind, "weights", clusters=renamed)
    assert p_values(one, test).tobytes() == p_values(other, test).tobytes()


@pytest.mark.parametrize("traits", [("clusters",), ("strata", "weights"), ("clusters", "weights", "gaps")])
def test_the_order_of_topics_does_not_matter(traits):
    """Nor does it where nothing is drawn."""
    scores = scores_with(*traits)
    turned = scores.isel(topic=np.random.default_rng(4).permutation(N_TOPICS))
    np.testing.assert_allclose(p_values(scores, "t"), p_values(turned, "t"), rtol=1e-9)
    for frame in ("mean", "low", "high"):
        np.testing.assert_allclose(system_means(scores)[frame], system_means(turned)[frame], rtol=1e-9)


@pytest.mark.parametrize("test", [name for name in TESTS if takes(name, "weights")])
def test_a_weight_of_two_is_a_topic_twice_for_the_mean(test):
    """Differences and means are those of scores with such topics doubled; how sure they are is another matter."""
    weights = 1.0 + (np.arange(N_TOPICS) % 2)
    weighted = scores_with("weights", weights=weights)
    doubled = as_scores(np.repeat(VALUES, weights.astype(int), axis=2))
    one, other = (
        compare_systems(scores, test=test, n_resamples=99, rng=0, correction=TESTS[test].own_correction).data
        for scores in (weighted, doubled)
    )
    np.testing.assert_allclose(one["difference"], other["difference"], rtol=1e-12)
    np.testing.assert_allclose(system_means(weighted)["mean"], system_means(doubled)["mean"], rtol=1e-12)


@pytest.mark.parametrize("test", [name for name in TESTS if takes(name, "gaps")])
def test_gaps_of_others_do_not_matter(test):
    """A pair that has every topic has the answer that it has without the gaps of a third system."""
    values = VALUES.copy()
    values[:, 3, :20] = np.nan
    gappy = as_scores(values, missing="pairwise")
    one, other = p_values(gappy, test), p_values(PLAIN, test)
    np.testing.assert_allclose(one[:, [0, 1, 3]], other[:, [0, 1, 3]], rtol=1e-9)


@pytest.mark.parametrize("test", list(TESTS))
def test_a_gap_that_nobody_allowed_is_refused(test):
    """Only missing="pairwise" lets gaps stay; NaN in bare numbers is a mistake, and the message names its place."""
    with pytest.raises(MetaevalError, match=r"no score for system 'system1' on topic '3'.*`missing='zero'`.*pairwise"):
        p_values(np.array([[1.0, 2.0, np.nan, 4.0], [2.0, 2.0, 1.0, 0.0]]), test)


def test_the_guide_says_what_a_test_uses(checkout):
    """The table of the page is that of the tests."""
    page = (checkout / "docs" / "choosing-a-test.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", page, re.MULTILINE)
    told = {}
    for name, *cells in rows:
        told[name] = {kind for kind, cell in zip(KINDS, cells, strict=True) if len(cell.strip()) > 1}
    assert told == {name: set(spec.uses) for name, spec in TESTS.items()}


def test_default_tests_do_without_the_bootstrap_of_few_clusters():
    """Below ten clusters sensitivity and intervals are left out, which is noted; asked for by name they are refused."""
    few = scores_with("clusters", clusters=CLUSTERS % 5)
    study = study_power(few, n_topic_resamples=50, rng=0)
    assert study.sensitivity is None
    assert study.intervals is None
    assert {result.test for result in study.comparisons} == {"t"}
    said = " ".join(study.notes)
    assert "48 topics come in 5 clusters" in said
    assert "bootstrap sensitivity was left out" in said
    assert "intervals of discriminative power were left out" in said
    assert "cluster-robust (CR2)" in said
    with pytest.raises(InvalidOptionError, match=r"10 at least; use the test 't'"):
        study_power(few, tests=["bootstrap_sensitivity", "t"], rng=0)


def test_with_clusters_enough_the_intervals_are_wider_than_without():
    """Topics of a cluster that move together tell less: the naive interval is too narrow."""
    noise = np.random.default_rng(6).normal(size=(1, 6, N_CLUSTERS))[:, :, CLUSTERS]
    values = noise + np.random.default_rng(7).normal(0, 0.3, (1, 6, N_TOPICS))
    one, other = (system_means(scores_with(*traits, values=values)) for traits in (("clusters",), ()))
    assert ((one["high"] - one["low"]).mean()) > 1.4 * ((other["high"] - other["low"]).mean())
