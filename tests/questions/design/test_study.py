"""The design study: published topic counts, variances from scores, and what the topics at hand achieve."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.models.sample_size import anova_power, interval_width, paired_t_power
from metaeval.questions.design.study import study_design
from metaeval.table.scores import as_scores

# Counts for alpha .05 and power .8, computed independently: (difference, variance, systems, {method: (approx, exact)})
TABLE = [
    (0.05, 0.05, 10, {"t": (316, 316), "anova": (624, 627), "interval": (617, 617)}),
    (0.10, 0.05, 100, {"t": (81, 81), "anova": (404, 405), "interval": (156, 156)}),
    (0.20, 0.05, 2, {"t": (22, 22), "anova": (21, 21), "interval": (41, 41)}),
    (0.10, 0.10, 10, {"t": (159, 159), "anova": (313, 314), "interval": (310, 310)}),
]


def simulated_scores(seed=1, n_topics=30):
    rng = np.random.default_rng(seed)
    return as_scores(0.5 + 0.1 * rng.normal(size=(2, 6, n_topics)) + 0.2 * rng.normal(size=(1, 1, n_topics)))


@pytest.mark.parametrize(("difference", "variance", "n_systems", "expected"), TABLE)
def test_counts_are_those_of_the_table(difference, variance, n_systems, expected):
    """Every method gives the number computed elsewhere, exactly and by Sakai's approximation."""
    for place, calculation in enumerate(("approximate", "exact")):
        table = study_design(
            variance=variance, differences=[difference], n_systems=n_systems, calculation=calculation
        ).table
        assert dict(zip(table["method"], table["n_topics"], strict=True)) == {
            name: counts[place] for name, counts in expected.items()
        }


def test_variances_come_from_the_scores():
    """The residual variance is that of a two-way layout written out here, and within is larger by the topics' share."""
    scores = simulated_scores()
    for method in ("residual", "within"):
        table = study_design(scores, variance=method, differences=[0.1], methods=["t"]).table
        for row, values in zip(table.to_dict("records"), scores.to_numpy(), strict=True):
            left = values - values.mean(axis=1, keepdims=True)
            if method == "residual":
                left = left - left.mean(axis=0)
            freedom = 5 * 29 if method == "residual" else 6 * 29
            assert row["variance"] == pytest.approx((left**2).sum() / freedom)


def test_topics_at_hand_are_judged():
    """Power and width stand beside the counts where one collection was given, and are those of the functions."""
    for row in study_design(simulated_scores(), differences=[0.05]).table.to_dict("records"):
        assert row["topics_at_hand"] == 30
        if row["method"] == "t":
            assert row["power_at_hand"] == paired_t_power(30, 0.05, 2 * row["variance"])
        elif row["method"] == "anova":
            assert row["power_at_hand"] == anova_power(30, 0.05, row["variance"], 6)
        else:
            assert row["width_at_hand"] == interval_width(30, 2 * row["variance"])


@pytest.mark.parametrize("method", ["t", "interval"])
def test_topics_are_enough_for_the_share_of_pairs_that_is_said(method):
    """The literal share of pairs whose own variance lets them reach the goal, and the fewest topics for the share."""
    scores, share, asked = simulated_scores(), 0.7, 0.05
    study = study_design(scores, differences=[asked], methods=[method], share=share)
    first, second = np.triu_indices(6, 1)
    for row, values in zip(study.table.to_dict("records"), scores.to_numpy(), strict=True):
        variances = (values[first] - values[second]).var(axis=1, ddof=1)

        def enough(n_topics, variances=variances):
            if method == "t":
                return np.array([paired_t_power(n_topics, asked, one) >= 0.8 for one in variances])
            return np.array([interval_width(n_topics, one) <= asked for one in variances])

        assert row["pairs_reached"] == enough(row["n_topics"]).mean()
        needed = row["n_topics_for_share"]
        assert enough(needed).mean() >= share > enough(needed - 1).mean()
    (figures,) = study.report().key_figures.frame.to_dict("records")
    assert figures["share"].startswith(f"{study.table['n_topics_for_share'].min():,}")
    assert "quote the number for 70 % of them" in study.report().summary[1]


def test_where_pairs_are_unknown_none_are_told_of():
    """A variance that was given, an analysis of variance, and two systems, whose one pair all numbers rest on."""
    assert "pairs_reached" not in study_design(variance=0.1, methods=["t"]).table
    scores = simulated_scores()
    alone = study_design(scores, methods=["anova"])
    assert alone.table[["pairs_reached", "n_topics_for_share"]].isna().all(axis=None)
    assert not any("of them" in words for words in alone.report().summary)
    pair = study_design(scores.isel(system=[0, 1]), methods=["t"]).table
    assert pair.columns.intersection(["pairs_reached", "n_topics_for_share"]).empty


def test_collections_are_pooled_by_degrees_of_freedom():
    """Two collections give one row a metric with the mean variance weighted by degrees of freedom."""
    both = {"a": simulated_scores(1, 30), "b": simulated_scores(2, 11)}
    pooled = study_design(both, differences=[0.1], methods=["t"]).table.set_index("metric")["variance"]
    alone = [study_design(one, differences=[0.1], methods=["t"]).table["variance"] for one in both.values()]
    assert pooled.to_numpy() == pytest.approx((29 * alone[0] + 10 * alone[1]) / 39)


@pytest.mark.parametrize("given", ["scores", "variance"])
@pytest.mark.parametrize("calculation", ["exact", "approximate"])
def test_other_differences_get_what_asking_for_them_would_have_got(given, calculation):
    """Nothing but the differences changes, and half of one takes about four times the topics."""
    options = {"scores": simulated_scores()} if given == "scores" else {"variance": 0.03, "n_systems": 7}
    options |= {"alpha": 0.01, "power": 0.9, "calculation": calculation}
    other = study_design(differences=[0.2], **options).for_differences([0.02, 0.04])
    pd.testing.assert_frame_equal(other, study_design(differences=[0.02, 0.04], **options).table)
    ratios = other[other["difference"] == 0.02]["n_topics"].to_numpy() / other[other["difference"] == 0.04]["n_topics"]
    np.testing.assert_allclose(ratios.astype(float), 4, rtol=0.1)


def test_the_numbers_of_the_summary_are_written_as_those_of_the_table():
    """Thousands have their comma wherever they are said."""
    one = study_design(variance=0.2, differences=[0.05], methods=["t"]).report().summary
    several = study_design(simulated_scores(), differences=[0.005, 0.01], methods=["t"]).report().summary
    assert "1,258 topics" in one[0]  # (1.96 + 0.84)^2 2 * 0.2 / 0.05^2, and two for the t distribution
    assert re.findall(r"\d,\d{3}", several[0])
    assert not re.findall(r"\d{4}", several[0])


def test_what_needs_too_many_topics_has_a_reason_and_no_number():
    """One impossible difference leaves the others standing; nothing but impossible ones is an error."""
    table = study_design(variance=0.1, differences=[0.1, 1e-7], methods=["t"]).table
    assert table["n_topics"].isna().tolist() == [False, True]
    assert "too small" in table["note"].iloc[1]
    with pytest.raises(EstimationError, match="too small"):
        study_design(variance=0.1, differences=[1e-7], methods=["t"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"variance": 0.1}, InvalidOptionError, "n_systems"),
        ({"variance": -0.1, "methods": ["t"]}, InvalidOptionError, "above 0"),
        ({"variance": "residual"}, InvalidOptionError, "scores"),
        ({"variance": 0.1, "methods": ["f"]}, UnknownNameError, "anova"),
        ({"variance": 0.1, "methods": []}, InvalidOptionError, "at least one"),
        (
            {"variance": 0.1, "methods": ["t"], "differences": [0.0]},
            InvalidOptionError,
            "`differences` must be a number above 0",
        ),
        ({"variance": 0.1, "methods": ["t"], "power": 1.0}, InvalidOptionError, "power"),
        ({"variance": 0.1, "methods": ["t"], "share": 1.0}, InvalidOptionError, "share"),
    ],
)
def test_refuses_what_it_cannot_do(options, error, words):
    """Each error names the argument and its rule."""
    with pytest.raises(error, match=words):
        study_design(**options)


def test_the_report_names_what_was_left_out():
    """The notes of all pilot scores, and every question without an answer, are notes of the report."""
    rng = np.random.default_rng(0)
    whole, gaps = rng.random((2, 12, 4))
    gaps[3, 0] = np.nan
    frames = {name: pd.DataFrame(values, columns=list("abcd")) for name, values in (("x", whole), ("y", gaps))}
    scores = {name: as_scores({"AP": frame}, missing="drop-topics") for name, frame in frames.items()}
    study = study_design(scores, differences=[0.1, 1e-8], methods=["t"])
    report = study.report()
    assert study.notes == tuple(scores["y"].attrs["notes"])
    assert report.notes[: len(study.notes)] == study.notes
    assert "too small" in report.notes[-1]
    assert report.provenance.command == "study_design"
    assert report.rows.equals(study.table)
    (variances,) = (table for table in report.tables() if table.name == "variances")
    assert variances.frame["collection"].tolist() == ["x", "y", "pooled"]


def test_systems_that_are_all_alike_are_named_as_such():
    """Three copies are no lack of systems."""
    with pytest.raises(EstimationError, match="all 3 systems have the same scores"):
        study_design(np.tile(np.arange(8) / 8, (1, 3, 1)))


def test_copies_of_a_system_change_nothing():
    """Four names of one system are one system, as where topics are counted."""
    scores = simulated_scores()
    values = scores.to_numpy()
    names = scores["system"].to_numpy().tolist()
    doubled = as_scores(
        np.concatenate([values, values[:, :1], values[:, :1]], axis=1),
        metrics=scores["metric"].to_numpy().tolist(),
        systems=[*names, "copy1", "copy2"],
    )
    alone, copied = (study_design(one, differences=[0.05], methods=["t"]) for one in (scores, doubled))
    pd.testing.assert_frame_equal(alone.table, copied.table, rtol=1e-9)
    assert [note for note in copied.notes if "identical to another one" in note]


def test_no_design_has_fewer_topics_than_its_test_could_call_significant():
    """The paired t test here calls no pair significant that differs on fewer than six topics at .05, eight at .01."""
    table = study_design(variance=0.0001, differences=[0.1], methods=["t"]).table
    assert table["n_topics"].tolist() == [6]
    scores = as_scores([[0.9, 0.8, 0.85, 0.95, 0.7], [0.4, 0.3, 0.35, 0.45, 0.2], [0.41, 0.31, 0.33, 0.44, 0.25]])
    assert (
        study_design(scores, differences=[0.3], methods=["t"]).table.query("method == 't'")["power_at_hand"] == 0.0
    ).all()


def test_a_pair_a_constant_apart_is_reached():
    """It has no variance, so any number finds a difference of it; were most pairs so, the fewest topics would do."""
    one, other = np.random.default_rng(1).random((2, 20))
    row = study_design(as_scores([one, one + 0.05, other]), differences=[0.3], methods=["t"]).table.iloc[0]
    assert row["pairs_reached"] in {1 / 3, 1.0}
    still = study_design(as_scores([one, one + 0.05, one + 0.1, other]), differences=[0.3], methods=["t"], share=0.4)
    assert still.table["n_topics_for_share"].tolist() == [6]


def test_what_few_topics_at_hand_leave_open_stands_beside_the_number():
    """The ends are the numbers for the ends of the variance by chi-squared, here with 4 degrees of freedom."""
    scores = as_scores([[0.2, 0.5, 0.4, 0.9, 0.7], [0.6, 0.3, 0.5, 0.6, 0.8]])
    study = study_design(scores, differences=[0.05], methods=["t"])
    row = study.table.iloc[0]
    assert row["degrees_of_freedom"] == 4
    for name, tail in (("low", 0.975), ("high", 0.025)):
        variance = row["variance"] * 4 / stats.chi2.ppf(tail, 4)
        expected = study_design(variance=variance, differences=[0.05], methods=["t"]).table["n_topics"].item()
        assert row[f"n_topics_{name}"] == expected
    summary = " ".join(study.report().summary)
    assert f"needs {row['n_topics']} [{row['n_topics_low']}, {row['n_topics_high']:,}] topics" in summary
    assert "of the pairs" not in summary  # there is one


def test_lists_of_the_scores_of_each_system_are_a_table_of_them():
    """As a frame of the same columns; a mapping of tables is one of collections."""
    drawn = np.random.default_rng(4).normal(0.5, 0.1, (2, 30))
    asked = {"differences": [0.05], "methods": ["t"]}
    expected = study_design(pd.DataFrame({"A": drawn[0], "B": drawn[1]}), **asked).to_frame()
    for of in (list, np.asarray, pd.Series):
        found = study_design({"A": of(drawn[0]), "B": of(drawn[1])}, **asked).to_frame()
        pd.testing.assert_frame_equal(found, expected)
    pooled = study_design({"first": drawn, "second": drawn[:, :20]}, **asked)
    assert pooled.variances.table["collection"].tolist()[:2] == ["first", "second"]


def test_variance_of_pairs_without_pairs_says_what_to_pass():
    """The argument has the name that the study has, and the call from the message works."""
    scores = as_scores({"A": [0.1, 0.4, 0.3, 0.8], "B": [0.2, 0.3, 0.5, 0.6]})
    with pytest.raises(InvalidOptionError, match=r"`variance='pairs'` .* such as `pairs=\[\('A', 'B'\)\]`"):
        study_design(scores, variance="pairs")
    assert study_design(scores, variance="pairs", pairs=[("A", "B")], methods="t").answer


def runs_that_differ(run=0.026, n_topics=60, repeats=5):
    """Return scores (metric, system, topic, repeat) of four systems, whole runs of which differ."""
    rng = np.random.default_rng(111)
    values = rng.normal(0.5, 0.15, (1, 1, n_topics, 1)) + rng.normal(0, 0.05, (1, 4, n_topics, 1))
    values = values + rng.normal(0, run, (1, 4, 1, repeats)) + rng.normal(0, 0.08, (1, 4, n_topics, repeats))
    return as_scores(values)


def found_power(n_topics, difference, of_score, run, repeats):
    """Return the power of the t test with runs in its error, by SciPy's noncentral t."""
    of_items, of_runs = 2 * of_score / n_topics, 2 * run / repeats
    freedom = (of_items + of_runs) ** 2 / (of_items**2 / (n_topics - 1) + of_runs**2 / (2 * (repeats - 1)))
    edge, shift = stats.t.ppf(0.975, freedom), difference / (of_items + of_runs) ** 0.5
    return stats.nct.sf(edge, freedom, shift) + stats.nct.cdf(-edge, freedom, shift)


def test_topics_count_what_whole_runs_add():
    """The variance of a mean that no topic takes away, by mean squares written out; with no more topics than needed."""
    scores, difference = runs_that_differ(), 0.1
    (row,) = study_design(scores, differences=[difference], methods=["t"]).table.to_dict("records")
    values = scores.to_numpy()[0]
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=2, keepdims=True)
    left += values.mean(axis=(1, 2), keepdims=True)
    of_repeats = (left**2).sum() / (4 * 59 * 4)
    run = values.mean(axis=1).var(axis=1, ddof=1).mean() - of_repeats / 60
    assert row["run_variance"] == pytest.approx(run)
    assert row["repeat_variance"] == pytest.approx(of_repeats)
    known = row["variance"], run, 5
    assert (
        found_power(row["n_topics"], difference, *known) >= 0.8 > found_power(row["n_topics"] - 1, difference, *known)
    )
    assert row["power_at_hand"] == pytest.approx(found_power(60, difference, *known), rel=1e-6)


def test_where_runs_alone_hide_the_difference_repeats_are_asked_for():
    """No number of topics is told; the repeats that are say the power they give."""
    study = study_design(runs_that_differ(), differences=[0.03], methods=["t"])
    (row,) = study.table.to_dict("records")
    assert pd.isna(row["n_topics"])
    assert max(found_power(n, 0.03, row["variance"], row["run_variance"], 5) for n in (20, 100, 1e4, 1e6)) < 0.8
    repeats, n_topics = row["repeats_needed"], row["n_topics_then"]
    variance = row["variance"] - row["repeat_variance"] * (1 / 5 - 1 / repeats)
    assert found_power(n_topics, 0.03, variance, row["run_variance"], repeats) >= 0.8
    first, of_runs = study.report().summary[:2]
    assert first.startswith(
        "With 5 repeats no number of topics gives a paired t test power 0.8 for a difference of 0.03"
    )
    assert f"{n_topics} topics with {repeats} repeats do" in first
    assert f"standard deviation {row['run_variance'] ** 0.5:.2g}" in of_runs
    assert study.report().key_figures.frame["least"].item() == (
        f"none with 5 repeats; {n_topics} topics with {repeats} repeats"
    )


def test_components_of_runs_count_as_runs_do():
    """A single run tells nothing of others; with repeats the answer is that of scores with these variances."""
    parts = [("system", 0.0015), ("system x repeat", 0.000672), ("topic", 0.02), ("system x topic", 0.0026)]
    parts += [("system x topic x repeat", 0.00633)]
    frame = pd.DataFrame([("acc", *part) for part in parts], columns=["metric", "component", "variance"])
    (once,) = study_design(components=frame, differences=[0.05], methods=["t"]).table.to_dict("records")
    assert pd.isna(once["n_topics"])
    repeats = once["repeats_needed"]
    then = study_design(components=frame, repeats=repeats, differences=[0.05], methods=["t"]).table.iloc[0]
    assert then["n_topics"] == once["n_topics_then"]
    known = 0.0026 + 0.00633 / repeats, 0.000672, repeats
    assert found_power(then["n_topics"], 0.05, *known) >= 0.8 > found_power(then["n_topics"] - 1, 0.05, *known)


def test_means_without_a_note_of_runs_are_planned_as_before():
    """Of means of which nothing is known but themselves no runs are counted, and the page says nothing of any."""
    scores = runs_that_differ(run=0.0)
    study = study_design(scores.mean("repeat").assign_attrs(scores.attrs))
    assert "run_variance" not in study.table
    assert not any("whole runs" in words for words in study.report().summary)
