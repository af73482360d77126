# ruff: noqa: RUF001 - the dash that stands for nothing
"""No digit beyond its error: what is printed of random draws stays as it is, to the last digit, under any seed."""

import importlib.util
import math

import numpy as np
import pytest

from metaeval.base.digits import error_of_ends, error_of_share, places, places_of_error
from metaeval.base.words import carried, drawn_number, number, p_drawn, share, written_interval
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.questions.table.study import study_table
from metaeval.simulate.scores import simulate_scores

pytestmark = pytest.mark.usefixtures("one_core")

SEEDS = 3
EXCUSED = {("topics", "curves_compared"), ("topics", "held-out")}
"""Where a study prints more digits than the draws give: of the curves beyond the data, whose Monte-Carlo error would
take fitting each of them again several times, which is most of what a study of topics takes. It may only shrink."""
FEW_DRAWS = 100
"""Of the posterior of the error rate, which is most of the time of two studies."""


@pytest.fixture(scope="module")
def digits(checkout):
    """Return the benchmark that compares what many seeds print."""
    spec = importlib.util.spec_from_file_location("digits_of_draws", checkout / "benchmarks" / "digits_of_draws.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def law(digits, study, name):
    """Return the figures that move by more than their last digit or error, but for those that are excused."""
    found = digits.compare(study, SEEDS)
    assert len(found)  # something is drawn at all
    wrong = found[np.isfinite(found["units"]) & (found["units"] > digits.MOST_UNITS)]
    return [row for row in wrong.to_dict("records") if (name, row["place"]) not in EXCUSED]


@pytest.mark.parametrize(
    "name",
    [
        "power",
        "table",
        "leaderboard",
        "topics",
        "compare-metrics",
        "compare-tests",
        "agree",
        "judgments",
        "judges",
        "human",
    ],
)
def test_no_digit_is_written_by_chance(digits, monkeypatch, name):
    """The last digit of a figure moves by one at most, or the errors that the page says cover what it moves."""
    monkeypatch.setattr("metaeval.models.error_rate_model._DRAWS", FEW_DRAWS)
    assert law(digits, digits.STUDIES[name], name) == []


def test_the_law_sees_a_digit_too_many(digits):
    """What is said of a table covers figures of its own unit, ends of intervals apart, and no more than it says."""
    said = [digits.stated(["of a rate 1 point, of the ends of intervals 0.1"])] * 3
    assert digits.moved(["12 %", "16 %", "14 %"], said)[0][0] < 1.0
    assert digits.moved(["0.12", "0.16", "0.14"], said)[0][0] == pytest.approx(4.0)
    assert digits.moved(["0.1 to 0.42", "0.1 to 0.86", "0.1 to 0.5"], said)[0][0] < 1.0
    assert digits.moved(["12 %", "16 %", "14 %"], [{}] * 3)[0][0] == pytest.approx(4.0)
    assert digits.moved(["−12 %", "−16 %", "−14 %"], said)[0][0] < 1.0
    assert digits.moved(["12 %", "16 %", "yes"], [{}] * 3)[0][0] == math.inf


def test_the_error_of_a_power_covers_what_other_seeds_find():
    """It is a bound: the spread of the power over seeds stays below it, and it is not ten times too large."""
    scores = simulate_scores(n_systems=10, n_topics=30, metrics=("AP",), rng=2)
    results = [study_table(scores, test="randomisation", n_resamples=400, rng=seed).comparison for seed in range(40)]
    powers = [float(one.data["significant"].mean()) for one in results]
    errors = [float(one.power_errors()[0]) for one in results]
    assert np.std(powers, ddof=1) <= np.mean(errors) <= 10 * np.std(powers, ddof=1)
    exact = study_table(scores, test="t", rng=0).comparison
    assert exact.power_errors().tolist() == [0.0]


@pytest.mark.parametrize("p", [0.0003, 0.02, 0.3, 0.71])
def test_a_p_value_holds_the_right_one_within_its_error(p):
    """Counted among draws, 19 in 20 p-values lie within two of the errors that they carry."""
    counts = np.random.default_rng(1).binomial(9999, p, 300)
    texts = [p_drawn((count + 1) / 10_000, 9999) for count in counts]
    assert np.mean([abs(float(text) - p) <= 2 * float(text.error) for text in texts]) >= 0.93
    assert all(len(text) <= len("0.0003") for text in texts)


@pytest.mark.parametrize("n_draws", [50, 1000, 20_000])
def test_ends_of_intervals_move_by_their_last_digit_at_most(n_draws):
    """Of normal draws: the printed ends over twenty seeds, one set of draws each."""
    rng, errors = np.random.default_rng(3), []
    for _ in range(20):
        spread = 1.96 * rng.normal(0.0, 0.05, n_draws).std(ddof=1)
        errors.append(written_interval(0.6 - spread, 0.6 + spread, number(4), draws=n_draws, about=0.6))
    lows = [ends.low for ends in errors]
    unit = 10.0 ** -min(len(low.partition(".")[2]) for low in lows)
    beside = [float(ends.error) for ends in errors if ends.error]
    allowed = max(unit, 5.5 * max(beside)) if beside else unit
    assert np.ptp([float(low) for low in lows]) <= allowed * (1 + 1e-9)


@pytest.mark.parametrize(("share", "n_draws"), [(0.0, 99), (0.25, 99), (0.5, 7), (0.001, 99)])
def test_a_share_and_its_rest_have_one_error_and_it_is_never_none(share, n_draws):
    """At the ends as if one more draw had been the first."""
    inside = max(share, 1 / (n_draws + 1))
    for one in (share, 1 - share):
        assert error_of_share(one, n_draws) == pytest.approx((inside * (1 - inside) / n_draws) ** 0.5)


def test_one_rule_says_how_many_digits():
    """A figure's last digit is worth four errors at least; one whose error is said ends where that begins."""
    for error in np.geomspace(1e-5, 5.0, 200):
        assert 10.0 ** -places(error) >= 4 * error * (1 - 1e-9) > 10.0 ** -(places(error) + 1) * (1 - 1e-9)
        assert math.ceil(error * 10.0 ** places_of_error(error) - 1e-9) <= 9 or error > 1
    assert (drawn_number(0.691, 0.0025), drawn_number(0.691, 0.02)) == ("69 %", "69 %")
    assert (carried(0.5, 0.0), carried(None, None), drawn_number(0.5, float("nan"))) == ("50.0 %", "–", "50.0 %")
    assert error_of_share(0.0, 999) > 0 < error_of_ends(0.1, 10)
    assert share(0.123) == drawn_number(0.123, 0.0)


@pytest.mark.parametrize("metrics", [["AP"], ["AP", "RR"]])
def test_the_key_figures_of_a_leaderboard_agree_with_its_tables(metrics):
    """Its neighbours are those of the table, with its error, and half of the intervals are at least so wide."""
    scores = simulate_scores(n_systems=9, n_topics=30, metrics=metrics, rng=3)
    report = study_leaderboard(scores, n_resamples=100, n_splits=2, rng=1).report()
    (pairs,) = [table for table in report.tables() if table.name == "pairs"]
    near = pairs.frame[pairs.frame["family"].str.startswith("Neighbours")].set_index("metric")["ranks"]
    figures = report.key_figures.frame.set_index("metric")
    assert sorted(figures.index) == sorted(metrics)
    for metric, row in figures.iterrows():
        assert row["near"].replace("/8", "") == near[metric]
        (said,) = (one for one in report.sections[-1].blocks[0].paragraphs if f" under {metric} " in one)
        assert f" and {row['near'].partition(' = ')[2]} of neighbours" in said
        frame = report.rows[report.rows["metric"] == metric]
        held = frame["rank_high"] - frame["rank_low"] + 1
        assert (held >= row["width"]).mean() >= 0.5 > (held > row["width"]).mean()
        assert row["leading"] == (frame["rank_low"] == 1).sum()
    differ = dict.fromkeys(sorted(figures["differ"]))
    assert f" {' to '.join(map(str, differ))} of 8 neighbour pairs differ" in report.summary[0]
    assert ("significantly the best" in report.summary[0]) == bool((figures["leading"] == 1).any())
