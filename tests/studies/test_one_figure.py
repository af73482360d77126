"""One figure, one function: what several commands tell of the same scores is equal to the last bit.

`QUANTITIES` lists each quantity and the commands that print it. A command that is added to a row, or a quantity of its
own that another command tells too, gets a line here.
"""

from inspect import signature
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.labels import as_labels
from metaeval.agreement.rankings import kendall_tau
from metaeval.io.tables import read_scores
from metaeval.questions.agree.command import agree_command
from metaeval.questions.agree.study import AgreeStudy, study_agree
from metaeval.questions.compare_metrics.command import compare_metrics_command
from metaeval.questions.compare_metrics.study import CompareStudy, study_compare_metrics
from metaeval.questions.design.study import study_design
from metaeval.questions.judges.study import study_judges
from metaeval.questions.leaderboard.study import LeaderboardStudy, study_leaderboard
from metaeval.questions.power.command import power_command
from metaeval.questions.power.study import DEFAULT_TESTS, PowerStudy, study_power
from metaeval.questions.report.command import report_command
from metaeval.questions.table.study import TableStudy, study_table
from metaeval.questions.topics.study import RECOMMENDED_TOLERANCE, study_topics
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.swap import swap_method
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import Scores, oriented_values

HEADLINE = ("t", "none")
CORRECTED = ("t", "fdr_by")
BESIDE = ("t", "fdr_bh")
DRAWS = {"n_topic_resamples": 20, "rng": 0}


class Told(NamedTuple):
    """What the commands say of one collection, with their own tests and corrections."""

    power: PowerStudy
    agree: AgreeStudy
    compare: CompareStudy
    leaderboard: LeaderboardStudy
    table: TableStudy


# --------------------------------------------------------------------------------------------------- three collections


def _bundled(folder, _data):
    return read_scores(folder / "examples" / "simulated" / "scores.csv.gz")


def _web(_folder, data):
    """TREC 2010 Web: 50 topics of very few relevant documents, coarse scores, systems that are equal."""
    sources = [data() / "trec-matrices" / f"web2010_{name}.csv" for name in ("ap", "p10")]
    return read_scores(sources).isel(system=slice(0, 20))


def _adhoc(_folder, data):
    sources = [data() / "trec-matrices" / f"adhoc8_{name}.csv" for name in ("ap", "p10", "rr")]
    return read_scores(sources).isel(system=slice(0, 25))


COLLECTIONS = {"bundled": _bundled, "web 2010": _web, "ad hoc 8": _adhoc}


@pytest.fixture(scope="module", params=COLLECTIONS)
def told(request, checkout) -> Told:
    """Ask every command of one collection."""
    scores: Scores = COLLECTIONS[request.param](checkout, lambda: request.getfixturevalue("data_folder"))
    return Told(
        power=study_power(scores, n_resamples=50, **DRAWS),
        agree=study_agree(scores, **DRAWS),
        compare=study_compare_metrics(
            scores, current=str(scores["metric"].to_numpy()[0]), n_resamples=50, n_choices=5, topics=False, **DRAWS
        ),
        leaderboard=study_leaderboard(scores, n_resamples=200, n_splits=2, rng=0),
        table=study_table(scores, rng=0),
    )


# ----------------------------------------------------------------------------------------------------------- the table


def _of_power(wanted, *columns):
    def find(told):
        frame = told.power.to_frame()
        rows = frame[(frame["test"] == wanted[0]) & (frame["correction"] == wanted[1])]
        return rows[["metric", *columns]]

    return find


def _of_agree(correction, *columns):
    def find(told):
        frame = told.agree.powers()
        return frame.loc[(frame["test"] == "t") & (frame["correction"] == correction), ["metric", *columns]]

    return find


def _of_compare(*columns):
    return lambda told: told.compare.to_frame()[["metric", *columns]]


def _of_pairs(correction, column):
    def find(told):
        frame = told.leaderboard.pair_counts()
        return frame.loc[(frame["family"] == "all") & (frame["correction"] == correction), ["metric", column]]

    return find


def _shares(told):
    return told.agree.shares()[["metric", "share", "low", "high"]]


def _of_table(told):
    return _differ(told.table.comparison)


def _differ(found):
    return pd.DataFrame({"metric": found.metrics, "n": (found.verdicts() != 0).sum(axis=1)})


def _of_conclusions(*columns):
    def find(told):
        frame = told.leaderboard.conclusions
        return frame.loc[frame["aggregate"] == "mean", ["metric", *columns]]

    return find


def _with_first(frame, first, *columns):
    rows = frame[(frame["truth"] == first) & (frame["alpha"] == 0.05)]
    return rows[["predictor", *columns]]


def _agreement(*columns):
    return lambda told: _with_first(told.agree.to_frame(), told.compare.current, *columns)


def _agreement_compared(*columns):
    def find(told):
        frame = told.compare.to_frame()
        return frame.loc[~frame["in_use"], ["metric", *columns]]

    return find


def _taus_of_agree(told):
    return _with_first(told.agree.to_frame(), told.compare.current, "tau")


def _taus_of_leaderboard(told):
    return _of_conclusions("tau")(told).iloc[1:]


def _required(told):
    return told.power.sensitivity.summary()[["metric", "difference_required", "difference_required_median"]]


ENDS = ("low", "high")
QUANTITIES = {
    "discriminative power": {
        "power": _of_power(HEADLINE, "power"),
        "compare-metrics": _of_compare("power"),
        "agree": _of_agree("none", "power"),
        "leaderboard": _of_pairs("none", "share"),
    },
    "its interval": {
        "power": _of_power(HEADLINE, "power_low", "power_high"),
        "compare-metrics": _of_compare("power_low", "power_high"),
        "agree": _of_agree("none", *ENDS),
    },
    "corrected power": {
        "power, the t test": lambda told: _corrected_by_power(told)[["metric", "power"]],
        "compare-metrics": _of_compare("power_by"),
        "agree": lambda told: _shares(told)[["metric", "share"]],
        "agree, its table": _of_agree("fdr_by", "power"),
        "leaderboard": _of_pairs("fdr_by", "share"),
    },
    "power under Benjamini and Hochberg": {
        "power, the t test": _of_power(BESIDE, "power"),
        "compare-metrics": _of_compare("power_bh"),
        "agree": _of_agree("fdr_bh", "power"),
        "leaderboard": _of_pairs("fdr_bh", "share"),
    },
    "significant pairs under Benjamini and Hochberg": {
        "power": _of_power(BESIDE, "n_significant"),
        "agree": _of_agree("fdr_bh", "n_significant"),
        "leaderboard": _of_pairs("fdr_bh", "n_significant"),
        "leaderboard, metrics": _of_conclusions("n_significant_fdr_bh"),
        "table": lambda told: _differ(told.table.comparison.beside()),
    },
    "interval of corrected power": {
        "power": lambda told: _corrected_by_power(told)[["metric", "power_low", "power_high"]],
        "compare-metrics": _of_compare("power_by_low", "power_by_high"),
        "agree": lambda told: _shares(told)[["metric", *ENDS]],
        "agree, its table": _of_agree("fdr_by", *ENDS),
    },
    "number of significant pairs": {
        "power": _of_power(HEADLINE, "n_significant"),
        "agree": _of_agree("none", "n_significant"),
        "leaderboard": _of_pairs("none", "n_significant"),
        "leaderboard, metrics": _of_conclusions("n_significant"),
    },
    "number of significant pairs, corrected": {
        "power": _of_power(CORRECTED, "n_significant"),
        "agree": lambda told: told.agree.shares()[["metric", "n_significant"]],
        "table": _of_table,
        "leaderboard": _of_pairs("fdr_by", "n_significant"),
        "leaderboard, metrics": _of_conclusions("n_significant_fdr_by"),
    },
    "agreement with the first metric": {
        "agree": _agreement("precision", "recall", "f1", "n_conflicts"),
        "compare-metrics": _agreement_compared("precision", "recall", "f1", "conflicts"),
    },
    "intervals of agreement": {
        "agree": _agreement("precision_low", "precision_high", "recall_low", "recall_high", "f1_low", "f1_high"),
        "compare-metrics": _agreement_compared(
            "precision_low", "precision_high", "recall_low", "recall_high", "f1_low", "f1_high"
        ),
    },
    "Kendall's tau with the first metric": {"agree": _taus_of_agree, "leaderboard": _taus_of_leaderboard},
    "difference required": {
        "power": _required,
        "compare-metrics": _of_compare("difference_required", "difference_required_median"),
    },
    "means and ranks of systems": {
        "power": lambda told: told.power.system_means()[["metric", "system", "mean", "rank"]],
        "leaderboard": lambda told: told.leaderboard.to_frame()[["metric", "system", "mean", "rank"]],
    },
    "means of systems": {
        "power": lambda told: _by_system(told.power.system_means(), "mean"),
        "table": lambda told: _by_system(told.table.to_frame(), "mean"),
    },
    "systems tied for the best": {
        "power": lambda told: _by_system(told.power.system_means().query("rank == 1")),
        "leaderboard": lambda told: _by_system(told.leaderboard.to_frame().query("rank == 1")),
        "table": lambda told: _by_system(told.table.to_frame().query("best")),
        "table, by metric": lambda told: _by_system(
            pd.DataFrame(
                {"metric": told.table.metrics, "system": map(told.table.best_systems, told.table.metrics)}
            ).explode("system")
        ),
    },
    "topics that detect the detectable difference": {
        "leaderboard": lambda told: _detectable(told).assign(topics=told.leaderboard.scores.sizes["topic"], power=0.8),
        "design": lambda told: _designed(told, _detectable(told)),
    },
}


def _by_system(frame, *columns):
    return frame[["metric", "system", *columns]].sort_values(["metric", "system"])


def _detectable(told):
    """Return the detectable difference, uncorrected, of the first pair that differs under every metric."""
    data = told.leaderboard.detectable.data.sel(correction="none")
    pair = data.isel(pair=int(data["error"].min("metric").to_numpy().argmax()))
    return pd.DataFrame({name: pair[name].to_numpy() for name in ("metric", "first", "second", "difference")})


def _designed(told, asked):
    """Plan for the variance and the difference of a pair: as many topics as there are, and the power asked for."""
    pair = (asked["first"].iloc[0], asked["second"].iloc[0])
    wanted = {"variance": "pairs", "pairs": [pair], "methods": ["t"]}
    rows = study_design(told.leaderboard.scores, differences=asked["difference"] * (1 + 1e-9), **wanted).table
    own = rows.groupby("metric", sort=False).nth(range(len(asked))).reset_index(drop=True)
    place = np.arange(len(asked)) * (len(asked) + 1)
    found = own.iloc[place].reset_index(drop=True)
    return asked.assign(topics=found["n_topics"], power=found["power_at_hand"].round(6))


def _corrected_by_power(told):
    frame = told.power.to_frame()
    return frame[(frame["test"] == "t") & (frame["correction"] == "fdr_by")]


def _tell_one_figure(quantity, commands, told):
    first, *others = commands.items()
    right = first[1](told).reset_index(drop=True)
    assert len(right)
    for command, find in others:
        found = find(told).reset_index(drop=True).set_axis(right.columns, axis=1)
        pd.testing.assert_frame_equal(
            found, right, check_dtype=False, rtol=1e-12, atol=1e-12, obj=f"{quantity}: {first[0]} and {command}"
        )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_commands_tell_one_figure(told, quantity):
    """Whichever command is asked, the figure is the same."""
    _tell_one_figure(quantity, QUANTITIES[quantity], told)


NEEDED = ("text", "posterior_median", "posterior_low", "posterior_high")
OF_TOPICS = {
    "topics needed": {
        "topics": lambda told: told["topics"].to_frame().query("tolerance == 0")[["metric", *NEEDED]],
        "compare-metrics": lambda told: told["compare"].to_frame()[
            ["metric", "topics", "topics_median", "topics_low", "topics_high"]
        ],
    },
    "error rate": {
        "topics": lambda told: told["topics"].to_frame().query("tolerance == 0")[["metric", "error_rate"]],
        "compare-metrics": lambda told: told["compare"].topics.to_frame()[["metric", "error_rate"]],
        "swap method": lambda told: told["swaps"].rates().isel(size=-1, tolerance=0).to_series().reset_index(),
    },
}
OF_LABELS = {
    "kappa with the reference": {
        "judges": lambda told: _by_judge(told.agreement.pairs.rename(columns={"second": "judge"}), "kappa"),
        "judges, all pairs": lambda told: _by_judge(
            told.agreement.all_pairs.query("first == 'a'").rename(columns={"second": "judge"}), "kappa"
        ),
        "judges, ranking": lambda told: _by_judge(told.ranking.table, "kappa"),
        "judges, beside chance": lambda told: _by_judge(told.baselines.query("statistic == 'kappa'"), "value"),
    },
    "weighted kappa with the reference": {
        "judges": lambda told: _by_judge(told.agreement.pairs.rename(columns={"second": "judge"}), "quadratic_kappa"),
        "judges, ranking": lambda told: _by_judge(told.ranking.table, "quadratic_kappa"),
        "judges, beside chance": lambda told: _by_judge(
            told.baselines.query("statistic == 'quadratic_kappa'"), "value"
        ),
    },
    "alpha of two": {
        "judges, ranking": lambda told: _by_judge(told.ranking.table, "alpha"),
        "judges": lambda told: pd.DataFrame(
            {
                "judge": ["b", "c"],
                "alpha": [
                    compare_labels(told.labels.select(["a", judge]), n_resamples=5, rng=0)
                    .alpha.query("level == 'interval'")["alpha"]
                    .item()
                    for judge in "bc"
                ],
            }
        ),
    },
}


def _by_judge(frame, column):
    return frame[["judge", column]].sort_values("judge")


def _labels(truth, generator):
    """Return the labels of the truth and of two judges who miss three in ten by a grade."""
    missed = [truth + (generator.random(truth.shape) < 0.3) * generator.integers(-1, 2, truth.shape) for _ in range(2)]
    return as_labels(
        {
            judge: {
                str(topic): {f"d{place}": int(one) for place, one in enumerate(row)} for topic, row in enumerate(own)
            }
            for judge, own in zip("abc", np.clip([truth, *missed], 0, 2), strict=True)
        }
    )


def test_topics_and_labels_are_told_alike():
    """Topics needed and error rates, kappa and alpha: one figure wherever they are told."""
    scores = simulate_scores(n_systems=5, n_topics=20, metrics=["AP", "RR"], rng=3)
    told = {
        "topics": study_topics(
            scores, differences=False, modelled=(0.0, RECOMMENDED_TOLERANCE), rng=0
        ),  # of the report
        "compare": study_compare_metrics(scores, n_resamples=50, n_choices=5, **DRAWS),
        "swaps": swap_method(scores, sizes=[10], rng=0),
    }
    generator = np.random.default_rng(4)
    labels = _labels(generator.integers(0, 3, (12, 8)), generator)
    judges = study_judges(labels, reference="a", n_resamples=20, rng=1).labelling
    for table, asked in ((OF_TOPICS, told), (OF_LABELS, judges)):
        for quantity, commands in table.items():
            _tell_one_figure(quantity, commands, asked)


def test_a_leaderboard_decides_once(told):
    """Ranks, counts of better and worse, letters, pairs of neighbours and the count over all pairs are one decision."""
    study = told.leaderboard
    verdicts, frame, pairs = study.decided(), study.to_frame(), study.pair_counts()
    near = study.family_pairs()
    for metric, found in zip(study.comparison.metrics, verdicts, strict=True):
        rows = frame[frame["metric"] == metric].set_index("system")
        a, b = (study.comparison.data[side].to_numpy() for side in ("system_a", "system_b"))
        winners = np.concatenate([a[found == 1], b[found == -1]])
        losers = np.concatenate([b[found == 1], a[found == -1]])
        for column, names in (("n_below", winners), ("n_above", losers)):
            counted = pd.Series(names, dtype=object).value_counts().reindex(rows.index, fill_value=0)
            assert counted.tolist() == rows[column].tolist()
        assert (rows["rank_low"] >= 1 + rows["n_above"]).all()
        assert (rows["rank_high"] <= len(rows) - rows["n_below"]).all()
        letters = rows["letters"].map(lambda text: set(text.split() if " " in text else text))
        apart = {frozenset(pair) for pair, one in zip(zip(a, b, strict=True), found, strict=True) if one}
        for first, second in zip(a, b, strict=True):
            assert (frozenset((first, second)) in apart) == (not letters[first] & letters[second])
        counted = pairs[(pairs["metric"] == metric) & (pairs["correction"] == "ranks")].set_index("family")
        assert counted.loc["all", "n_significant"] == np.count_nonzero(found)
        own = near[(near["metric"] == metric) & (near["family"] == "adjacent")]
        separated = [frozenset(pair) in apart for pair in zip(own["system_a"], own["system_b"], strict=True)]
        assert own["apart"].tolist() == separated
        assert counted.loc["adjacent", "n_significant"] == sum(separated)


def _default(command, option):
    return next(one.default for one in command.params if one.name == option)


def test_commands_ask_the_same_unless_told_otherwise():
    """The headline of `power` and `report` is the test of `compare-metrics` and `agree`; studies ask as commands do."""
    commands = {
        "power": power_command,
        "report": report_command,
        "agree": agree_command,
        "compare-metrics": compare_metrics_command,
    }
    asked = {name: _default(command, "test") for name, command in commands.items()}
    assert {tests.split(",")[0] for tests in asked.values()} == {HEADLINE[0]}
    assert asked["power"] == asked["report"] == ",".join(DEFAULT_TESTS)
    for function in (discriminative_power_interval, agreement_intervals, run_choice_power, study_compare_metrics):
        assert signature(function).parameters["test"].default == HEADLINE[0], function
    assert _default(agree_command, "correction") == CORRECTED[1]
    assert _default(power_command, "correction") == ",".join((HEADLINE[1], BESIDE[1], CORRECTED[1]))


@pytest.mark.parametrize("options", [{"test": "bootstrap"}, {"test": "t", "alternative": "better"}, {"test": "sign"}])
def test_intervals_follow_what_was_asked(options):
    """Under other tests and sides the interval of a power is about the power beside it, in `power` and in `agree`."""
    scores = simulate_scores(n_systems=5, n_topics=20, metrics=["AP", "RR"], rng=3)
    test, side = options["test"], options.get("alternative", "two-sided")
    asked = {"alternative": side, "n_resamples": 999, "n_topic_resamples": 5, "rng": 1}
    counted = study_power(scores, tests=[test], corrections=["none", "holm"], **asked)
    agreed = study_agree(scores, tests=[test], corrections=["holm"], **asked)
    columns = ["metric", "correction", "power", "low", "high"]
    right = counted.to_frame().rename(columns={"power_low": "low", "power_high": "high"})[columns]
    told = agreed.powers()[columns].sort_values(["metric", "correction"], ascending=[True, False], ignore_index=True)
    pd.testing.assert_frame_equal(told, right, rtol=1e-12)
    known = right[right["low"].notna()]  # none where the few resamples agree
    assert len(known) >= 2
    assert (known["low"] <= known["power"]).all()
    assert (known["power"] <= known["high"]).all()
    observed = counted.intervals.to_frame().set_index(["metric", "correction"])["power"]
    beside = right.set_index(["metric", "correction"])["power"]
    pd.testing.assert_series_equal(observed.sort_index(), beside.sort_index())


def test_tau_is_that_of_the_means():
    """The two functions that tell Kendall's tau give what the means give."""
    scores = simulate_scores(n_systems=8, n_topics=30, rng=2)
    truth, other = oriented_values(scores).mean(axis=-1)[:2]
    found = study_agree(scores, **DRAWS).lead.data["tau"].to_numpy()[1, 0]
    assert found == pytest.approx(kendall_tau(truth, other))
