"""Which ranks of a leaderboard are real: the parts of the study fit together, and what cannot be answered says so."""

import ast
import csv
import gzip
import math
import re
from bisect import bisect_right

import numpy as np
import pytest
from scipy import stats

from metaeval.agreement.aggregates import MACRO, aggregate_scores
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.tables import read_scores
from metaeval.questions.leaderboard.study import conclusions_of, study_leaderboard
from metaeval.questions.power.study import study_power
from metaeval.resampling.ranks import rank_intervals
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores
from metaeval.table.two_way import two_way
from metaeval.tests_stat.comparison import compare_systems

SCORES = simulate_scores(n_systems=9, n_topics=40, metrics=["AP", "P@10"], n_groups=3, rng=2)
FEW = {"n_resamples": 200, "n_splits": 2, "rng": 0}


@pytest.fixture(scope="module")
def study():
    """Study a small leaderboard in families."""
    return study_leaderboard(SCORES, baseline=str(SCORES["system"].to_numpy()[3]), **FEW)


def test_the_table_is_a_leaderboard(study):
    """Best first under each metric, means and ranks as anybody would take them, intervals about the ranks."""
    frame = study.to_frame()
    for metric, part in frame.groupby("metric", sort=False):
        means = SCORES.sel(metric=metric).mean("topic").to_series()
        np.testing.assert_allclose(part["mean"], means[part["system"]], rtol=1e-12)
        np.testing.assert_array_equal(part["rank"], stats.rankdata(-part["mean"], method="min"))
        assert (part["rank_low"] <= part["rank"]).all()
        assert (part["rank"] <= part["rank_high"]).all()
        assert (part["rank_low"] >= 1 + part["n_above"]).all()
        assert part["p_best"].sum() == pytest.approx(1)
        assert part["p_top_3"].sum() == pytest.approx(3)
    assert study.unanswered == {}


def test_all_pairs_are_those_of_power(study):
    """The count over all pairs is discriminative power by the t test, under every correction, beside the decision."""
    power = study_power(SCORES, tests=["t"], corrections=["none", "holm", "fdr_by"], rng=0).to_frame()
    counts = study.pair_counts()
    every = counts[counts["family"] == "all"].set_index(["metric", "correction"])["n_significant"]
    for row in power.itertuples():
        assert every[row.metric, row.correction] == row.n_significant
    found = (study.ranks.data["significant"]).sum("pair").to_series()
    assert {metric: every[metric, "ranks"] for metric in found.index} == found.to_dict()
    assert set(counts["family"]) == {"all", "adjacent", "best", "baseline"}
    sizes = counts.groupby("family")["n_pairs"].first()
    assert (sizes["all"], sizes["adjacent"], sizes["best"], sizes["baseline"]) == (36, 8, 8, 8)


def test_conclusions_against_plain_counts():
    """Tau and the share of pairs kept, by loops over pairs."""
    rows = conclusions_of(SCORES).set_index(["metric", "aggregate"])
    mean = compare_systems(SCORES, test="t", correction="none").data
    ap, p10 = (mean.sel(metric=name) for name in ("AP", "P@10"))
    both = [
        bool(one and other and ahead == behind)
        for one, other, ahead, behind in zip(
            ap["significant"].to_numpy(),
            p10["significant"].to_numpy(),
            ap["better"].to_numpy(),
            p10["better"].to_numpy(),
            strict=True,
        )
    ]
    assert rows.loc[("P@10", "mean"), "kept"] == pytest.approx(sum(both) / int(ap["significant"].sum()))
    means = SCORES.mean("topic")
    tau = stats.kendalltau(means.sel(metric="AP"), means.sel(metric="P@10"), variant="b").statistic
    assert rows.loc[("P@10", "mean"), "tau"] == pytest.approx(tau, abs=0.03)  # systems that tie on paper
    assert rows.loc[("AP", "Borda"), "n_significant"] == rows.loc[("AP", "win rate"), "n_significant"]
    assert np.isnan(rows.loc[("AP", "mean"), "tau"])


def test_pairs_of_a_cohort_are_those_of_the_ranks(study):
    """The count in a cohort, by loops over pairs; groups are cohorts too, and nine systems have no top ten."""
    assert study.cohorts is None
    assert study.cohort_frame().empty
    found = study_leaderboard(SCORES, cohorts=["top4", "group2"], **FEW)
    rows, pairs = found.cohort_frame(), found.ranks.pairs().assign(error=found.ranks.open_pairs().ravel())
    assert rows["n_pairs"].tolist() == (rows["n_systems"] * (rows["n_systems"] - 1) / 2).tolist()
    for row in rows.itertuples():
        names = found.cohorts.members().query("metric == @row.metric and cohort == @row.cohort")["system"].tolist()
        inside = pairs[pairs["system_a"].isin(names) & pairs["system_b"].isin(names) & (pairs["metric"] == row.metric)]
        assert (row.n_significant, row.n_pairs) == (inside["significant"].sum(), len(inside))
        assert row.significant_error == pytest.approx(inside["error"].sum())
    top = found.to_frame().query("rank <= 4")[["metric", "system"]].sort_values(["metric", "system"])
    made = found.cohorts.members().query("cohort == 'top4'")[["metric", "system"]].sort_values(["metric", "system"])
    assert made.to_numpy().tolist() == top.to_numpy().tolist()


def test_families_are_groups(study):
    """Chances of families are those of their systems."""
    frame = study.to_frame()
    families = study.best.family_frame().set_index(["metric", "family"])["p_best"]
    own = frame.groupby(["metric", "group"])["p_best"].sum()
    for key, chance in own.items():
        assert families[key] == pytest.approx(chance)


def test_gaps_leave_nothing_out():
    """With gaps all parts have an answer; one system too thin to be placed leaves the page, and a note says so."""
    values = SCORES.sel(metric=["AP"]).to_numpy().copy()
    values[0, 0, :5] = np.nan
    values[0, 8, 1:] = np.nan
    scores = as_scores(SCORES.sel(metric=["AP"]).copy(data=values), missing="pairwise")
    names = SCORES["system"].to_numpy().tolist()
    found = study_leaderboard(scores, **FEW)
    assert found.unanswered == {}
    assert any(f"others have too: {names[8]}" in note for note in found.notes)
    assert any("of the 35 topics that all systems have" in note for note in found.notes)
    frame = found.to_frame()
    expected = two_way(values[0, :8], np.ones(40)).means
    own = [values[0, place][np.isfinite(values[0, place])].mean() for place in range(8)]
    places = [names.index(one) for one in frame["system"]]
    np.testing.assert_allclose(frame["mean"], expected[places])
    np.testing.assert_allclose(frame["mean_own"], np.array(own)[places])
    assert frame["mean"].is_monotonic_decreasing
    near = found.families.to_frame().query("family == 'adjacent'")
    assert near["system_a"].tolist() == frame["system"].tolist()[:-1]
    assert "5 of 320 scores" in found.report().to_html().replace("\N{NO-BREAK SPACE}", " ")


def test_few_clusters_leave_the_rest():
    """Five clusters are too few to be resampled; the t test, detectable differences and the design effect go on."""
    scores = simulate_scores(n_systems=8, n_topics=40, metrics=["AP"], n_clusters=5, rng=1)
    found = study_leaderboard(scores, **FEW)
    assert {"Ranks and groups", "The best system"} <= set(found.unanswered)
    assert found.design is not None
    assert found.design.n_clusters == 5
    assert "Design effect of the clusters" in {one.title for one in found.report().tables()}
    assert any("40 topics come in 5 clusters of 8 topics" in note for note in found.notes)
    assert set(found.conclusions["aggregate"]) == {"mean", "macro mean", "Borda", "win rate", "z-score"}


def test_twelve_clusters_are_resampled():
    """From ten on ranks have intervals, wider than those of independent topics."""
    scores = simulate_scores(n_systems=8, n_topics=60, metrics=["Normal"], n_clusters=12, cluster_share=0.8, rng=1)
    robust, naive = (study_leaderboard(one, **FEW).to_frame() for one in (scores, scores.drop_vars("cluster")))
    spans = [(one["rank_high"] - one["rank_low"]).sum() for one in (robust, naive)]
    assert spans[0] > spans[1]


REFUSED = {
    "an unknown cohort": ({"cohorts": ["group9"]}, InvalidOptionError, "group9"),
    "an unknown baseline": ({"baseline": "bm26"}, UnknownNameError, "bm26"),
    "no top": ({"top": 0}, InvalidOptionError, "`top` must be"),
    "a power of one": ({"power": 1.0}, InvalidOptionError, "power"),
    "a level of none": ({"alpha": 0.0}, InvalidOptionError, "alpha"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_are_checked(case):
    """An option outside its rule is an error that shows it."""
    options, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        study_leaderboard(SCORES, **options)


def test_two_systems_and_two_items():
    """The smallest leaderboard there is has an answer, or reasons."""
    found = study_leaderboard([[0.1, 0.2], [0.3, 0.5]], **FEW)
    assert found.report().summary
    assert "Subsets" in found.unanswered
    with pytest.raises(ScoresError, match="at least two systems"):
        study_leaderboard([[0.1, 0.2]])


# ------------------------------------------------------------------------------------------------ published figures


def test_mteb(checkout):
    """Of 16,653 pairs 84.5 % differ by t, 76.3 after BY; 179 of 182 neighbours do not.

    Figures of the specification; all at once are as many as the ranks say, not Holm's 9,529. What a thread of
    MTEB's tracker counted is in tests/tests_stat/test_families.py.
    """
    found = study_leaderboard(read_scores(checkout / "examples" / "mteb" / "main_score.csv"), **FEW)
    counts = found.pair_counts().set_index(["family", "correction"])
    shares = counts["share"].loc["all"].round(3)
    assert (shares["none"], shares["fdr_by"]) == (0.845, 0.763)
    frame = found.to_frame()
    assert frame["n_above"].sum() == frame["n_below"].sum() == counts.loc[("all", "ranks"), "n_significant"]
    assert counts.loc[("adjacent", "none"), "n_significant"] == 3


def test_the_error_of_a_rank_is_that_of_its_own_pairs(checkout):
    """What the page states as most is no less than the spread over seeds, and of its order: not that of all pairs."""
    scores = read_scores(checkout / "examples" / "mteb" / "main_score.csv").isel(system=slice(None, None, 5))
    study = study_leaderboard(scores, **FEW)
    (table,) = [one for one in study.report().tables() if one.name == "ranks main_score"]
    stated = int(re.search(r"of a rank and a count (\d+)", table.errors)[1])
    drawn = [rank_intervals(scores, rng=seed).data for seed in range(5)]
    ends = np.array([[one["rank_low"][0], one["rank_high"][0]] for one in drawn])
    largest = ends.std(axis=0, ddof=1).max()
    assert largest <= stated <= 5 * largest


def _cohorts_from_the_file(found, path):
    """Count again, line by line: items that all of a cohort have; of the top 25 one model lacks most items."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    frame, members = found.to_frame().set_index("cohort"), found.members()
    ranked = found.data["system"].to_numpy().tolist()
    for cohort, n_items, gone in (("top10", 1000, 0), ("top25", 1000, 2)):
        own = members[(members["cohort"] == cohort) & members["counted"]]["system"].tolist()
        assert len(own) == int(cohort.removeprefix("top")) - gone
        all_pass = all_fail = separate = n_whole = 0
        chances = []
        for row in rows:
            if not all(row[name] for name in own):
                continue
            n_whole += 1
            low, high = (end(float(row[name]) for name in own) for end in (min, max))
            separate += high - low > 0.01 + 1e-12
            all_pass += high - low <= 0.01 + 1e-12 and low >= 1 - 0.01 - 1e-12
            all_fail += high <= 0.01 + 1e-12
            there = sorted(float(row[name]) for name in ranked if row[name])
            near = [bisect_right(there, one + 0.01 + 1e-12) - place - 1 for place, one in enumerate(there)]
            chances.append(sum(math.comb(one, len(own) - 1) for one in near) / math.comb(len(there), len(own)))
        row = frame.loc[cohort]
        assert n_items == n_whole == row["n_topics"] == 1136 - row["n_aside"]
        assert (all_pass, all_fail) == (row["all_pass"], row["all_fail"])
        assert row["idle"] == pytest.approx(1 - separate / n_whole)
        assert row["idle_random"] == pytest.approx(np.mean(chances))
        assert row["idle_random"] < row["idle_unseen"] < row["idle"]
    gone = ["gpt-4-1106-preview", "lcb-math-qwen2-72b-instructv3-chk-50"]  # 23 of 1,000 are more than 24 of 864
    assert sorted(members[~members["counted"]]["system"]) == gone
    assert found.unanswered == {}


def test_livebench(data_folder):
    """Eighteen tasks of 93 models with gaps: clusters widen the variance, of differences some three times."""
    scores = read_scores(data_folder / "leaderboards" / "livebench_2025-01-13.csv.gz", missing="pairwise")
    found = study_leaderboard(scores, **FEW)
    effects = found.design.to_frame().set_index("of")["design_effect"]
    assert 2 < effects["pairs"] < 5
    assert effects["systems"] > effects["pairs"]
    assert found.design.n_clusters == 18
    counts = found.pair_counts().query("family == 'all' and correction == 'none'")
    assert counts[["n_significant", "n_pairs"]].to_numpy().tolist() == [[3060, 4103]]
    assert set(found.unanswered) == {"Macro mean"}  # its advice, followed to the letter, gives one
    gone = ast.literal_eval(re.search(r"`exclude_systems=(.*)`$", found.unanswered["Macro mean"])[1])
    rest = found.scores.isel(system=~np.isin(found.scores["system"], gone))
    assert (len(gone), aggregate_scores(rest, aggregates=[MACRO]).sizes["system"]) == (8, 84)
    assert "subsets of items: of the 1,000 items that 73 of 92 systems have" in found.notes
    row = found.design.to_frame().set_index("of").loc["pairs"]  # the three numbers of the page are one quantity
    assert row["effective_topics"] == row["n_topics"] / row["design_effect"]
    _cohorts_from_the_file(found.cohorts, data_folder / "leaderboards" / "livebench_2025-01-13.csv.gz")
    missing = int(np.isnan(found.scores.to_numpy()).sum())  # of those that are ranked, in note, section and card
    assert any(note.startswith(f"{missing:,} missing scores") for note in found.notes)
    assert found.gaps.summary()["n_missing"].tolist() == [found.card()["treatment"]["n_missing"]] == [missing]
    assert any("left out" in note and "claude-3-5-sonnet-20240620_failsafe" in note for note in found.notes)
    assert found.to_frame()["rank_high"].iloc[0] < 20


def test_pairs_of_systems_that_are_left_out():
    """They cannot be tested, so that power counts the same pairs as the leaderboard; both say how many cannot be."""
    values = np.random.default_rng(3).random((1, 6, 40)) + np.arange(6)[:, None] / 9
    values[0, 1, 1:] = values[0, 2, :20] = values[0, 3, 21:] = np.nan
    clusters = dict.fromkeys("12345", "y") | {str(one): f"c{one % 7}" for one in range(6, 41)}
    scores = as_scores(values, clusters=clusters, missing="pairwise")
    board, power = study_leaderboard(scores, **FEW), study_power(scores, tests=["t"], rng=0)
    counts = board.pair_counts().query("family == 'all' and correction == 'none'").iloc[0]
    every = power.to_frame().query("correction == 'none'").iloc[0]
    assert every["n_significant"] == counts["n_significant"] > 0
    assert (every["n_pairs"], counts["n_pairs"]) == (9, 9)
    for study, n_pairs, without in ((board, 10, 1), (power, 15, 6)):
        said = f"{without} of {n_pairs} pairs cannot be tested, with fewer than two clusters in common, and are"
        assert any(said in note for note in study.notes), study.notes


@pytest.mark.parametrize(
    ("option", "value"),
    [("baseline", "b"), ("requirements", ["b >= a - 0.05"]), ("requirements", ["a > b"]), ("cohorts", ["b"])],
)
def test_a_system_left_out_is_called_so_by_every_option(option, value):
    """The error of each option that names one without enough scores says that and why, and a group of such is one."""
    values = np.random.default_rng(3).random((1, 6, 20))
    values[0, 1, 1:] = np.nan
    groups = dict(zip("abcdef", "xbxxyy", strict=True))
    scores = as_scores(values, systems=[*groups], groups=groups, missing="pairwise")
    with pytest.raises(
        InvalidOptionError, match="names 'b', which is left out, without scores on two topics"
    ) as caught:
        study_leaderboard(scores, **{option: value}, **FEW)
    assert caught.value.argument == option


def test_belebele(data_folder):
    """Six metrics of 190 models on 376 language pairs are compared as metrics on one page."""
    scores = read_scores(data_folder / "mteb" / "belebele_190x376x6.csv.gz")
    rows = conclusions_of(scores.sel(metric=["nDCG@10", "AP@10", "RR@10", "R@100"]))
    means = rows[rows["aggregate"] == "mean"].set_index("metric")
    assert len(means) == 4
    assert means.loc["AP@10", "n_significant"] == pytest.approx(means.loc["RR@10", "n_significant"], rel=0.02)
    assert means.loc["RR@10", "tau"] > means.loc["R@100", "tau"]


def test_where_requirements_stand_is_shown():
    """Not among the ranks, whose table has none of them."""
    scores = as_scores({"old": [0.4, 0.5, 0.6, 0.7, 0.5, 0.6], "new": [0.5, 0.5, 0.7, 0.7, 0.6, 0.6]})
    study = study_leaderboard(scores, requirements=["new >= old"], n_splits=2, rng=1)
    assert "\n  what was required, and whether it is met: requirements.to_frame()\n" in repr(study)
    assert "requirements.to_frame()" not in repr(study_leaderboard(scores, n_splits=2, rng=1))


@pytest.mark.parametrize(("apart", "rank_method"), [(True, "posterior"), (False, "guaranteed")])
def test_the_page_says_why_systems_of_intervals_apart_share_a_letter(apart, rank_method):
    """By draws system6 is surely first, and by Holm's p-values it does not differ from system5; else no word."""
    draws, shifts = np.random.default_rng(0).normal(0, 0.1, (6, 30)), np.array([0, 0.01, 0.06, 0.11, 0.12, 0.2])
    study = study_leaderboard(as_scores((draws + shifts[:, None])[None]), rank_method=rank_method, **FEW)
    first, second = study.to_frame().iloc[:2].to_dict("records")
    assert (first["rank_high"] < second["rank_low"]) is apart
    assert {*first["letters"]} & {*second["letters"]}
    (caption,) = (table.caption for table in study.report().tables() if table.name.startswith("ranks "))
    assert ("though their intervals lie apart: letters need Holm" in caption) is apart
