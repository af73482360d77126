"""The power study: rows, corrections, choice of runs, seeds, and ranked means."""

import numpy as np
import pandas as pd
import pytest
from every import with_traits
from scipy import stats

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.questions.power.study import study_power
from metaeval.resampling.system_means import means_of_systems
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.sensitivity import SENSITIVITY

FAMILY_WISE_ONLY = ("tukey", "tukey_parametric", "nemenyi")


def simulated_scores(n_metrics=2, n_systems=7, n_topics=24, **options):
    rng = np.random.default_rng(5)
    values = 0.3 + 0.08 * rng.normal(size=(1, n_systems, 1)) + 0.1 * rng.normal(size=(n_metrics, n_systems, n_topics))
    return as_scores(values, **options)


def test_every_test_and_correction_has_its_rows():
    """All tests under all corrections: one row per metric, test and correction; own family-wise rows where due."""
    study = study_power(
        simulated_scores(),
        tests=[*TESTS],
        corrections=["none", "bonferroni", "holm", "fdr_bh", "fdr_by"],
        n_resamples=2000,
        rng=1,
    )
    frame = study.to_frame()
    rows = set(zip(frame["metric"], frame["test"], frame["correction"], strict=True))
    assert len(rows) == len(frame)
    ordinary = [name for name in TESTS if name not in FAMILY_WISE_ONLY and not TESTS[name].plain_p]
    assert len(frame) == 2 * (5 * len(ordinary) + len(FAMILY_WISE_ONLY) + 2)  # max-t has five and its own; Sakai's one
    for metric in ("metric1", "metric2"):
        assert (metric, "max_t", "family-wise") in rows
        assert {correction for m, test, correction in rows if (m, test) == (metric, "tukey")} == {"family-wise"}
    assert (frame["n_pairs"] == 21).all()
    assert (frame["power"] == frame["n_significant"] / 21).all()


def test_corrections_never_find_more():
    """Under every test a corrected count is at most the uncorrected one, and Holm finds no less than Bonferroni."""
    study = study_power(
        simulated_scores(), tests=["t", "wilcoxon"], corrections=["none", "holm", "bonferroni", "fdr_by"]
    )
    counts = study.to_frame().pivot_table(index=["metric", "test"], columns="correction", values="n_significant")
    assert (counts[["holm", "bonferroni", "fdr_by"]].le(counts["none"], axis=0)).all(axis=None)
    assert (counts["holm"] >= counts["bonferroni"]).all()


def test_a_row_does_not_depend_on_which_other_tests_are_asked():
    """Every test starts from the same seed, so asking for more tests changes none of the others."""
    scores = simulated_scores()
    alone = study_power(scores, tests=["bootstrap"], n_resamples=2000, rng=4).find("bootstrap", "none")
    among = study_power(scores, tests=["randomisation", "t", "bootstrap"], n_resamples=2000, rng=4)
    assert among.find("bootstrap", "none").data.equals(alone.data)
    direct = compare_systems(scores, test="bootstrap", correction="none", n_resamples=2000, rng=4)
    assert direct.data["p_value"].equals(alone.data["p_value"])


def test_difference_required_belongs_to_the_published_method():
    """Only bootstrap sensitivity (uncorrected) and Tukey carry a difference required."""
    frame = study_power(simulated_scores(), tests=[SENSITIVITY, "t", "tukey"], n_resamples=2000, rng=0).to_frame()
    has = frame["difference_required"].notna()
    published = (frame["test"] == SENSITIVITY) & (frame["correction"] == "none")
    assert (has == (published | (frame["test"] == "tukey"))).all()
    assert (frame["difference_required_median"].notna() == published).all()


def test_one_run_per_group_is_said():
    """The choice of runs is seeded, noted, and leaves one system per group."""
    groups = {f"system{number}": f"team{number % 3}" for number in range(1, 8)}
    study = study_power(simulated_scores(groups=groups), tests=["t"], choose="one-per-group", rng=2)
    assert study.scores.sizes["system"] == 3
    assert sorted(study.scores["group"].to_numpy()) == ["team0", "team1", "team2"]
    assert any("one per group: 3 of 7" in note for note in study.notes)


def test_identical_systems_stay_in_the_count_and_are_listed():
    """A copy of a system adds its pairs to the denominator and is named."""
    values = simulated_scores(n_metrics=1).to_numpy()
    scores = as_scores(np.concatenate([values, values[:, :1]], axis=1))
    study = study_power(scores, tests=[SENSITIVITY, "t"], rng=0)
    assert study.identical == (("system1", "system8"),)
    assert (study.to_frame()["n_pairs"] == 28).all()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"tests": ["wilcoxn"]}, UnknownNameError, "wilcoxon"),
        ({"corrections": ["fdr_bb"]}, UnknownNameError, "fdr_b"),
        ({"tests": []}, InvalidOptionError, "`tests` is empty; name at least one"),
        (
            {"tests": [SENSITIVITY], "alternative": "better"},
            InvalidOptionError,
            "sensitivity is two-sided only.*'bootstrap'",
        ),
        ({"choose": "some"}, InvalidOptionError, "one-per-group"),
        ({"choose": "one-per-group"}, InvalidOptionError, "groups"),
        ({"alpha": 0.0, "tests": ["t"]}, InvalidOptionError, "alpha"),
    ],
)
def test_refuses_what_it_cannot_do(options, error, words):
    """Each error names the argument and a way out."""
    with pytest.raises(error, match=words):
        study_power(simulated_scores(), **options)


def test_finding_what_was_not_asked_lists_what_was():
    """Looking up a comparison that was not made names those that were."""
    with pytest.raises(InvalidOptionError, match="t with none"):
        study_power(simulated_scores(), tests=["t"]).find("sign", "none")


def test_means_have_student_intervals_and_ranks_by_direction():
    """Means and intervals are SciPy's; rank 1 is the best, which is the lowest where lower is better."""
    scores = simulated_scores(higher_is_better={"metric2": False})
    frame = means_of_systems(scores, confidence_level=0.9)
    for row in frame.itertuples():
        x = scores.sel(metric=row.metric, system=row.system).to_numpy()
        low, high = stats.t(len(x) - 1, loc=x.mean(), scale=stats.sem(x)).interval(0.9)
        assert (row.mean, row.low, row.high) == pytest.approx((x.mean(), low, high))
    best = frame[frame["rank"] == 1].set_index("metric")["mean"]
    means = scores.mean("topic")
    assert best["metric1"] == pytest.approx(float(means.sel(metric="metric1").max()))
    assert best["metric2"] == pytest.approx(float(means.sel(metric="metric2").min()))


def test_equal_means_share_the_better_rank():
    """Two systems with the same mean have the same rank and the next one skips a place."""
    frame = means_of_systems(as_scores([[0.1, 0.3], [0.3, 0.1], [0.0, 0.1]]))
    assert frame["rank"].tolist() == [1, 1, 3]


@pytest.mark.parametrize("unit", [1e-13, 0.1, 1.0, 1e6])
def test_ranks_have_no_unit(unit):
    """Tiny scores are not all alike, means that tie on paper share a rank, and a wild system takes one place."""
    counts = np.array([[1, 2, 3], [3, 2, 1], [1, 1, 1], [2, 2, 3], [10**12] * 3])
    frame = means_of_systems(as_scores(counts * unit)).set_index("system")
    assert frame["rank"].to_dict() == {"system5": 1, "system4": 2, "system1": 3, "system2": 3, "system3": 5}


ORIENTATION = [  # figures for TREC-8 ad hoc AP that were computed independently, to three digits
    ("t", "none", 0.724, 0.0005),
    ("wilcoxon", "none", 0.733, 0.0005),
    ("sign", "none", 0.663, 0.0005),
    ("t", "fdr_by", 0.579, 0.0005),
    ("wilcoxon", "fdr_by", 0.596, 0.0005),  # SciPy on AP in ten-thousandths, where it sees the ties; on floats 0.598
    ("sign", "fdr_by", 0.534, 0.0005),
    ("t", "holm", 0.374, 0.0005),
    ("t", "bonferroni", 0.361, 0.0005),
    ("tukey_parametric", "family-wise", 0.415, 0.0005),
    ("bootstrap_sensitivity", "none", 0.712, 0.004),
    ("tukey", "family-wise", 0.323, 0.012),
]


def test_orientation_figures_on_trec_8(data_folder):
    """Discriminative power of AP on TREC-8 under every test meets figures computed independently."""
    table = pd.read_csv(data_folder / "trec-matrices" / "adhoc8_ap.csv")
    study = study_power(
        {"ap": table},
        tests=[SENSITIVITY, "t", "wilcoxon", "sign", "tukey", "tukey_parametric"],
        corrections=["none", "fdr_by", "holm", "bonferroni"],
        n_resamples=1000,
        rng=0,
    )
    power = study.to_frame().set_index(["test", "correction"])["power"]
    for test, correction, expected, allowed in ORIENTATION:
        assert power[test, correction] == pytest.approx(expected, abs=allowed), (test, correction)
    summary = study.sensitivity.summary().iloc[0]
    assert summary["difference_required"] == pytest.approx(0.116, abs=0.01)
    assert summary["difference_required_median"] == pytest.approx(0.042, abs=0.001)
    assert summary["difference_required_p95"] == pytest.approx(0.071, abs=0.002)


def test_no_correction_is_made_of_p_values_that_can_be_zero():
    """Bootstrap sensitivity counts k/B: it stands uncorrected, and alone it refuses to be corrected."""
    scores = simulated_scores()
    study = study_power(scores, n_resamples=100, rng=0)
    held = [(result.test, result.correction) for result in study.comparisons]
    assert held == [*(("t", name) for name in ("none", "fdr_bh", "fdr_by")), ("bootstrap_sensitivity", "none")]
    corrected = [result for result in study.comparisons if result.correction != "none"]
    assert all((result.data["p_value"] > 0).all() for result in corrected)
    with pytest.raises(InvalidOptionError, match="use the test 't' or 'bootstrap'"):
        study_power(scores, tests=["bootstrap_sensitivity"], corrections=["holm"], rng=0)


CLUSTERS = np.random.default_rng(2).permutation(np.arange(48) % 12)


def test_default_tests_do_without_the_bootstrap_of_few_clusters():
    """Below ten clusters sensitivity and intervals are left out, which is noted; asked for by name they are refused."""
    few = with_traits(simulated_scores(n_systems=4, n_topics=48), "clusters", clusters=CLUSTERS % 5)
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
    noise = np.random.default_rng(6).normal(size=(1, 6, 12))[:, :, CLUSTERS]
    plain = as_scores(noise + np.random.default_rng(7).normal(0, 0.3, (1, 6, 48)))
    one, other = (means_of_systems(scores) for scores in (with_traits(plain, "clusters", clusters=CLUSTERS), plain))
    assert ((one["high"] - one["low"]).mean()) > 1.4 * ((other["high"] - other["low"]).mean())
