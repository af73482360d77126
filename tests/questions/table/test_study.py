"""The table of every paper: means, bold and marks are those that anybody would work out from the scores."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError, UnknownNameError
from metaeval.questions.power.study import study_power
from metaeval.questions.table.study import study_table
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores
from metaeval.table.two_way import two_way
from metaeval.tests_stat.catalogue import TESTS

SCORES = simulate_scores(n_systems=7, n_topics=40, metrics=["AP", "P@10"], rng=3)
NAMES = SCORES["system"].to_numpy().tolist()


def printed(study):
    """Return the table's cells as text, marks and bold, by system and metric."""
    table = study.report().main_table()
    first = [column.name for column in table.columns].index("system")
    return {
        (row[first].text, metric): (cell.text, cell.marks, cell.bold)
        for row in table.cells()
        for metric, cell in zip(study.metrics, row[first + 1 :], strict=True)
    }


def holm(p_values):
    """Adjust p-values by Holm's steps, written out."""
    order, adjusted, running = np.argsort(p_values), np.empty(len(p_values)), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = running
    return adjusted


def written(mean):
    """Round to three decimals, after what the last bits of a sum may differ by."""
    return f"{float(f'{mean:.13g}'):.3f}"


def test_against_a_baseline_by_loops():
    """Means, t tests by SciPy, Holm over N - 1 pairs, daggers by direction, bold the largest: cell by cell."""
    baseline = NAMES[3]
    study = study_table(SCORES, baseline=baseline, correction="holm")
    frame, cells = study.to_frame().set_index(["metric", "system"]), printed(study)
    n_marks = 0
    for metric in ("AP", "P@10"):
        values = {name: SCORES.sel(metric=metric, system=name).to_numpy() for name in NAMES}
        others = [name for name in NAMES if name != baseline]
        p_values = np.array([stats.ttest_rel(values[name], values[baseline]).pvalue for name in others])
        adjusted = dict(zip(others, holm(p_values), strict=True))
        top = max(values[name].mean() for name in NAMES)
        for name in NAMES:
            mean, row = values[name].mean(), frame.loc[metric, name]
            assert row["mean"] == pytest.approx(mean, rel=1e-12)
            assert row["best"] == (mean > top - 1e-12)
            marks = ""
            if name != baseline:
                assert row["p_corrected"] == pytest.approx(adjusted[name], rel=1e-8)
                marks = "" if adjusted[name] > 0.05 else "†" if mean > values[baseline].mean() else "‡"
            assert cells[name, metric] == (written(mean), marks, written(mean) == written(top))
            n_marks += bool(marks)
    assert n_marks > 3
    assert pd.isna(frame.loc[("AP", baseline), "p_value"])
    assert study.systems[0] == baseline
    counted = study.report().key_figures.frame.set_index("metric")
    for metric in ("AP", "P@10"):
        daggers = [cells[name, metric][1] for name in NAMES]
        assert counted.loc[metric, ["better", "worse"]].tolist() == [daggers.count("†"), daggers.count("‡")]


@pytest.mark.parametrize("marks", ["letters", "groups"])
def test_marks_of_all_pairs_say_what_power_decides(marks):
    """A letter of another system: better than it; a shared letter: not significantly different."""
    study = study_table(SCORES, correction="fdr_bh", marks=marks)
    power = study_power(SCORES, tests=["t"], corrections=["fdr_bh"], rng=0).comparisons[0]
    frame = study.to_frame()
    assert 0 < study.comparison.data["significant"].sum() < study.comparison.data["significant"].size
    for metric, part in frame.groupby("metric", sort=False):
        decided, own = power.decisions(metric), part.set_index("system")
        for one, other in permutations(NAMES, 2):
            if marks == "letters":
                assert (own.loc[other, "letter"] in own.loc[one, "marks"]) == (decided.loc[one, other] == 1)
            else:
                shared = {*own.loc[one, "marks"]} & {*own.loc[other, "marks"]}
                assert bool(shared) == (decided.loc[one, other] == 0)
        assert own["n_below"].tolist() == [(decided.loc[name] == 1).sum() for name in own.index]


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 10.0, 100.0]), st.booleans())
def test_units_and_the_order_of_systems_do_not_matter(seed, unit, given_order):
    """Scores in tenths, in counts, or with systems shuffled give the same bold cells and the same marks."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (1, 5, 12)) / 10
    turned = rng.permutation(5)
    names = np.array(list("vwxyz"))
    order = "given" if given_order else "mean"
    one = study_table(as_scores(values, systems=list(names)), order=order, correction="none")
    other = study_table(
        as_scores((values * unit)[:, turned], systems=list(names[turned])), order=order, correction="none"
    )
    keys = ["system", "best", "n_below", "n_above"]
    first, second = (study.to_frame()[keys].sort_values("system").to_numpy().tolist() for study in (one, other))
    assert first == second


def test_ties_are_all_bold():
    """Means that are equal up to rounding are the best together; those that print as the best does are bold, too."""
    values = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2001, 0.2002, 0.2], [0.0, 0.1, 0.2]]
    study = study_table(values, correction="none", digits=4)
    assert study.to_frame().set_index("system")["best"].to_dict() == {
        "system3": True,
        "system1": False,
        "system2": False,
        "system4": False,
    }
    coarse = study_table(values, correction="none", digits=3)
    assert [bold for _, _, bold in printed(coarse).values()] == [True, True, True, False]
    assert "best of the column, as printed" in coarse.report().main_table().caption
    exact = study_table(values[:2], correction="none")
    assert exact.to_frame()["best"].tolist() == [True, True]
    assert "as printed" not in exact.report().main_table().caption


def test_lower_is_better():
    """The lowest mean is bold, a dagger is what is lower than the baseline, the heading says so."""
    scores = as_scores(SCORES.sel(metric=["AP"]).to_numpy(), systems=NAMES, higher_is_better=False)
    study, plain = study_table(scores, baseline=NAMES[3]), study_table(SCORES.sel(metric=["AP"]), baseline=NAMES[3])
    frame = study.to_frame().set_index("system")
    assert frame["mean"].idxmin() == frame["best"].idxmax() == study.systems[1]
    swapped = {"†": "‡", "‡": "†", "": ""}
    assert frame["marks"].to_dict() == {
        one: swapped[mark] for one, mark in plain.to_frame().set_index("system")["marks"].items()
    }
    table = study.report().main_table()
    assert table.columns[-1].label.endswith(" ↓")
    assert "↓: lower is better" in table.caption
    marked = study_table(as_scores(SCORES.sel(metric=["AP"]).to_numpy(), systems=NAMES, metrics=["TER ↓"]))
    assert marked.report().main_table().columns[-1].label == "TER ↓"


def test_rows():
    """The best first and the baseline before them, or as given; all are tested, whichever have a row."""
    means = SCORES.sel(metric="AP").mean("topic").to_series().sort_values(ascending=False)
    assert study_table(SCORES).systems == tuple(means.index)
    assert study_table(SCORES, order="given").systems == tuple(NAMES)
    worst = means.index[-1]
    few = study_table(SCORES, baseline=worst, top=2)
    assert few.systems == (worst, *means.index[:2])
    as_given = study_table(SCORES, baseline=worst, top=2, order="given").systems
    assert as_given == tuple(name for name in NAMES if name in few.systems)
    assert few.comparison.n_pairs == 6
    assert f"the best 2 of 7 systems by AP and {worst}; all 7 were tested" in few.report().main_table().caption
    best = study_table(SCORES, baseline=means.index[0], top=2)
    assert best.systems == tuple(means.index[:2])
    assert "the best 2 of 7 systems by AP; all 7" in best.report().main_table().caption
    letters = study_table(SCORES, top=3)
    assert not any("long marks" in note for note in letters.notes)
    assert set("".join(letters.to_frame()["marks"])) <= set("abc")
    assert letters.best_systems("P@10") == [SCORES.sel(metric="P@10").mean("topic").to_series().idxmax()]


@pytest.mark.parametrize(
    ("test", "baseline"),
    [(name, one) for name in TESTS for one in (None, NAMES[0]) if one is None or not TESTS[name].family_wise_only],
)
@pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")
def test_every_test_makes_a_table(test, baseline):
    """Each by its own correction, with a caption that names it, and the pairs that it was over."""
    study = study_table(SCORES, test=test, baseline=baseline, n_resamples=99, rng=1)
    caption = study.report().main_table().caption
    assert TESTS[test].description in caption
    assert ("6 pairs with" if baseline else "all 21 pairs") in caption
    assert ("B = 99, seed 1" in caption) == TESTS[test].resampled
    for form in (study.to_latex(), study.to_markdown(), study.to_html(), study.to_csv()):
        assert NAMES[0] in form


def test_differences_are_drawn_with_the_intervals_of_scipy():
    """Against the baseline: difference, 95 % interval and rank of every row, by the textbook and by SciPy."""
    study = study_table(SCORES, baseline=NAMES[2], correction="holm")
    picture = next(one for one in study.report().pictures() if one.name == "differences AP")
    axes = picture.draw().axes[0]
    drawn = np.sort(np.concatenate([line.get_xdata() for line in axes.lines[2:]]))
    values = SCORES.sel(metric="AP")
    base = values.sel(system=NAMES[2]).to_numpy()
    others = [values.sel(system=name).to_numpy() for name in NAMES if name != NAMES[2]]
    np.testing.assert_allclose(drawn, sorted(np.mean(one - base) for one in others), rtol=1e-12)
    ends = axes.lines[1].get_xdata().reshape(-1, 3)[:, :2]
    expected = [stats.ttest_rel(one, base).confidence_interval() for one in others]
    np.testing.assert_allclose(np.sort(ends, axis=0), np.sort(np.array(expected), axis=0), rtol=1e-9)
    assert f"{NAMES[2]}" in picture.title


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
def test_pictures_say_what_is_drawn(test):
    """Bars are named where there are some; without a baseline stands the map of all pairs."""
    study = study_table(
        SCORES, baseline=NAMES[0], test=test, n_resamples=None if test != "randomisation" else 200, rng=1
    )
    pictures = {one.name: one for one in study.report().pictures()}
    assert list(pictures) == ["differences AP", "differences P@10"]
    assert ("95 % t interval" in pictures["differences AP"].caption) == (test == "t")
    assert [one.name for one in study_table(SCORES).report().pictures()] == ["map AP", "map P@10"]


def test_a_row_that_equals_the_baseline_is_drawn_without_a_bar():
    """Its difference is nothing, its interval unknown without a range of scores, its rank that of the baseline."""
    scores = {"quality": pd.DataFrame({"a": [0.1, 0.5, 0.3], "b": [0.1, 0.5, 0.3], "c": [0.2, 0.4, 0.6]})}
    study = study_table(scores, baseline="a")
    axes = study.plot("differences quality").axes[0]
    assert 0.0 in np.concatenate([line.get_xdata() for line in axes.lines[2:]])
    assert np.isfinite(axes.lines[1].get_xdata()).sum() == 2


def test_many_systems_have_letters_of_several():
    """From the 27th on letters are pairs, and then commas part them."""
    values = np.linspace(0, 1, 30)[:, None] + np.random.default_rng(0).normal(0, 0.01, (30, 20))
    study = study_table(values)
    frame = study.to_frame()
    assert "`top=10` has fewer rows" in study.notes[-1]
    assert frame["letter"].tolist()[25:28] == ["z", "aa", "ab"]
    assert frame["marks"][0].endswith("z,aa,ab,ac,ad")


def test_gaps_and_clusters():
    """Means by system and topic, tests over common topics; clusters are told in title and caption."""
    values = SCORES.sel(metric=["AP"]).to_numpy().copy()
    values[0, 0, :6] = np.nan
    study = study_table(as_scores(values, systems=NAMES, missing="pairwise"))
    expected = two_way(values[0], np.ones(values.shape[2])).means[0]
    assert study.to_frame().set_index("system").loc[NAMES[0], "mean"] == pytest.approx(expected)
    assert "what system and topic add up to" in study.report().main_table().caption
    pair = study_table(as_scores([[1, 0, 1, 1, 1, np.nan], [0, 0, 1, 0, np.nan, 1]], missing="pairwise")).report()
    # On the four topics that both have, with differences of 1, 0, 0 and 1: t = 1.732 on 3 degrees of freedom.
    words = "(0.750 against 0.250; system1 less system2 0.500 [−0.419, 1.000], p = 0.1817; paired t)"  # noqa: RUF001
    assert words in pair.summary[0]
    assert pair.main_table().title == "Means over 4 topics"
    assert "missing: means, tests and differences are over the topics that both have." in pair.main_table().caption
    clustered = study_table(simulate_scores(n_systems=4, n_topics=60, metrics=["AP"], n_clusters=12, rng=1))
    table = clustered.report().main_table()
    assert table.title == "Means over 60 topics in 12 clusters"
    assert "cluster-robust" in table.caption


REFUSED = {
    "an unknown baseline": ({"baseline": "bm26"}, UnknownNameError, "bm26"),
    "marks beside a baseline": ({"baseline": NAMES[0], "marks": "groups"}, InvalidOptionError, "all pairs"),
    "unknown marks": ({"marks": "daggers"}, UnknownNameError, "daggers"),
    "an unknown order": ({"order": "best"}, UnknownNameError, "best"),
    "no rows": ({"top": 0}, InvalidOptionError, "`top` must be"),
    "too many digits": ({"digits": 13}, InvalidOptionError, "digits"),
    "half a digit": ({"digits": 2.5}, InvalidOptionError, "digits"),
    "a level of none": ({"alpha": 0.0}, InvalidOptionError, "alpha"),
    "an unknown test": ({"test": "ttset"}, UnknownNameError, "ttset"),
    "a baseline of Tukey": ({"test": "hsd", "baseline": NAMES[0]}, InvalidOptionError, "takes no baseline.*max_t"),
    "a correction of Tukey": ({"test": "tukey", "correction": "holm"}, InvalidOptionError, "family-wise"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_are_checked(case):
    """An option outside its rule is an error that shows it."""
    options, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        study_table(SCORES, n_resamples=None, **options)


def test_the_smallest_table():
    """Two systems and two topics have one; one system has none; identical systems are both best and never apart."""
    study = study_table([[0.1, 0.2], [0.3, 0.5]], baseline="system1")
    assert "the one pair with system1" in study.report().main_table().caption
    with pytest.raises(ScoresError, match="at least two systems"):
        study_table([[0.1, 0.2]])
    twins = study_table([[0.1, 0.2, 0.4], [0.1, 0.2, 0.4]])
    assert twins.to_frame()[["best", "marks"]].to_numpy().tolist() == [[True, ""], [True, ""]]
    assert "2 systems with identical scores" in twins.report().methods.paragraphs[0]
    with pytest.raises(MetaevalError, match="no score for system"):
        study_table([[0.1, np.nan], [0.3, 0.5]])


def test_within_clusters_as_scipy_and_statsmodels_have_it():
    """A planted loss on one kind of topics is found beside gains on the others; p is SciPy's, Holm's statsmodels'."""
    rng = np.random.default_rng(3)
    kinds = ["chat"] * 30 + ["dates"] * 20 + ["law"] * 30 + ["few"] * 5
    gains = np.select([np.array(kinds) == "dates", np.array(kinds) == "few"], [-0.2, 0.1], 0.1)
    old = rng.uniform(0.3, 0.6, len(kinds))
    new = old + gains + rng.normal(0, 0.1, len(kinds))
    clusters = {str(at + 1): kind for at, kind in enumerate(kinds)}
    scores = as_scores([old, new], systems=["old", "new"], clusters=clusters)
    study = study_table(scores, rng=0)
    rows = study.by_cluster.set_index("cluster")
    assert rows.index.tolist() == ["chat", "dates", "law"]  # five topics are too few
    for kind in rows.index:
        mask = np.array(kinds) == kind
        expected = stats.ttest_rel(old[mask], new[mask])
        assert rows.loc[kind, "p_value"] == pytest.approx(expected.pvalue, rel=1e-10)
        interval = expected.confidence_interval()
        assert rows.loc[kind, ["difference_low", "difference_high"]].tolist() == pytest.approx([*interval])
    holm = multipletests(rows["p_value"], method="holm")[1]
    np.testing.assert_allclose(rows["p_corrected"], holm, rtol=1e-12)
    assert rows["verdict"].tolist() == [-1, 1, -1]
    told = " ".join(study.report().summary[0].split())
    leads = {kind: f"{kind} (by {abs(np.mean((new - old)[np.array(kinds) == kind])):.3f})" for kind in rows.index}
    assert told.startswith("Open: old and new do not differ significantly under metric1")
    assert told.endswith(
        f"By cluster (Holm over 3), old is significantly better on {leads['dates']}; new is significantly better on "
        f"{leads['chat']} and {leads['law']}."
    )


def test_without_clusters_or_with_more_pairs_there_is_nothing_by_cluster():
    """It is of one pair, and of clusters."""
    rng = np.random.default_rng(1)
    clusters = {str(at + 1): f"c{at % 2}" for at in range(20)}
    values = rng.uniform(size=(3, 20))
    assert study_table(as_scores(values[:2]), rng=0).by_cluster is None
    assert study_table(as_scores(values, clusters=clusters), rng=0).by_cluster is None
    assert len(study_table(as_scores(values[:2], clusters=clusters), rng=0).by_cluster) == 2
    many = {str(at + 1): f"c{at}" for at in range(20)}
    assert study_table(as_scores(values[:2], clusters=many), rng=0).by_cluster is None


def test_a_pair_that_the_exact_test_leaves_open_has_no_mark():
    """15 answers against 6: p = .0487 by t, .0784 by signs (SciPy's binomtest); no letter says better, nor a dagger."""
    assert stats.binomtest(6, 21).pvalue > 0.05
    scores = as_scores([[1] * 15 + [0] * 6 + [1] * 39, [0] * 15 + [1] * 6 + [1] * 39], systems=["a", "b"])
    assert stats.ttest_rel(*scores.to_numpy()[0]).pvalue < 0.05
    for options in ({}, {"baseline": "b"}, {"marks": "groups"}):
        study = study_table(scores, rng=0, **options)
        marks = set(study.to_frame()["marks"])
        assert marks == ({"a"} if "marks" in options else {""})
        assert "superscript" not in study.to_latex() or "marks" in options


def test_where_figures_of_a_pair_stand_is_shown():
    """The p of t and the difference stand in the comparison, McNemar's p beside them: that of SciPy, of 7 against 1."""
    right = {"a": [1] * 7 + [0] + [1] * 4, "b": [0] * 7 + [1] + [1] * 4}
    study = study_table(right)
    assert "\n  differences and p-values of pairs: comparison.to_frame()\n" in repr(study)
    assert study.comparison.data["p_exact"].item() == pytest.approx(stats.binomtest(7, 8).pvalue, rel=1e-12)
    assert "comparison.to_frame()" not in repr(study_table(right, baseline="b"))
