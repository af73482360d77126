# ruff: noqa: RUF001 - quotes are those of the page
"""A leaderboard of means and standard errors: recognised by function and command, with what it can have and no more."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores, read_scores, study_leaderboard, study_power
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.means import MeansAloneError
from metaeval.studies import MeansLeaderboardStudy

BOARD = pd.DataFrame(
    {
        "model": ["aurora", "basalt", "cobalt", "delta"],
        "acc": [0.764, 0.758, 0.702, 0.633],
        "stderr": [0.012, 0.012, 0.013, 0.013],
    }
)
TWO = BOARD.rename(columns={"stderr": "acc_stderr"}).assign(f1=[0.5, 0.7, 0.6, 0.4], f1_stderr=0.01)


@pytest.fixture(scope="module")
def study():
    """Return the study of one metric."""
    return study_leaderboard(BOARD, rng=1)


def test_what_the_study_has(study):
    """Ranks with intervals, probabilities, groups and counts of pairs."""
    assert isinstance(study, MeansLeaderboardStudy)
    frame = study.to_frame()
    assert frame["system"].tolist() == BOARD["model"].tolist()
    assert frame[["rank", "rank_low", "rank_high"]].to_numpy().tolist() == [[1, 1, 2], [2, 1, 2], [3, 3, 3], [4, 4, 4]]
    assert frame["p_best"].sum() == pytest.approx(1.0)
    assert frame["letters"].tolist() == ["a", "a", "b", "c"]
    counts = study.pair_counts().set_index("family")
    assert counts.loc["all", ["n_significant", "n_pairs"]].tolist() == [5, 6]
    assert counts.loc["adjacent", ["n_significant", "n_pairs"]].tolist() == [2, 3]


def test_the_page_answers_in_one_sentence(study):
    """The first paragraph is one sentence of at most 25 words; the second says what is approximate."""
    report = study.report()
    first, second = report.summary
    assert first == (
        "Partly: aurora leads, but cannot be told apart from basalt; 2 of 3 neighbour pairs differ significantly."
    )
    assert len(first.split()) <= 25
    assert second.startswith("This is an approximation from means and standard errors")
    assert report.title == "Is this leaderboard’s ranking real?"
    assert report.provenance.read_as.startswith("means with standard errors: systems in 'model'")
    assert "scores by item" in report.to_html()
    assert report.sections[-1].title == "What scores by item would add"
    assert study.plot() is not None


def test_several_metrics():
    """Every metric has its answer, and a metric where lower is better its direction."""
    report = study_leaderboard(TWO, rng=1).report()
    assert [re.search("under (acc|f1)", one)[1] for one in (report.summary[0], report.summary[2])] == ["acc", "f1"]
    assert all(len(one.split()) <= 25 for one in (report.summary[0], report.summary[2]))
    clear = study_leaderboard(BOARD.assign(acc=[0.9, 0.7, 0.5, 0.1]), rng=1).report()
    assert clear.summary[0].startswith("Yes: aurora is first, and all 3 pairs of neighbours")


@pytest.mark.parametrize("options", [{"baseline": "delta"}, {"requirements": ["delta >= aurora"]}])
def test_what_needs_scores_by_item_is_refused(options):
    """An option that means and errors cannot answer is an error that says so."""
    with pytest.raises(InvalidOptionError, match="needs scores by item"):
        study_leaderboard(BOARD, **options)


def test_guaranteed_ranks_of_means():
    """Holm's correction on the errors of the differences: no narrower than by draws, and named in words."""
    guaranteed = study_leaderboard(BOARD, rank_method="guaranteed", rng=1)
    drawn = study_leaderboard(BOARD, rng=1)
    assert (guaranteed.to_frame()["rank_low"] <= drawn.to_frame()["rank_low"]).all()
    report = guaranteed.report()
    assert "Holm" in report.methods.paragraphs[0]
    assert "by the errors of the differences with Holm" in report.to_html()


def test_every_mean_has_its_interval():
    """Normal without n, Student's t with it."""
    row = study_leaderboard(BOARD, rng=1).to_frame().iloc[0]
    assert row["mean_high"] - row["mean"] == pytest.approx(stats.norm.ppf(0.975) * row["stderr"])
    row = study_leaderboard(BOARD.assign(n=20), rng=1).to_frame().iloc[0]
    assert row["mean"] - row["mean_low"] == pytest.approx(stats.t.ppf(0.975, 19) * row["stderr"])


def test_the_interval_of_a_mean_at_the_end_of_its_range_is_exact():
    """Of 25 answers without a right one the interval ends at .1372 (Clopper and Pearson), and the other way round."""
    board = pd.DataFrame({"model": [*"abcd"], "acc": [0.8567, 0.84, 0.0, 1.0], "stderr": [0.02, 0.0203, 0, 0]})
    rows = study_leaderboard(board.assign(n=[307, 307, 25, 25]), rng=1).to_frame().set_index("system")
    exact = stats.binomtest(0, 25).proportion_ci(0.95, "exact").high
    assert rows.loc[["c", "d"], ["mean_low", "mean_high"]].to_numpy() == pytest.approx(
        np.array([[0.0, exact], [1.0 - exact, 1.0]])
    )


def test_other_studies_say_where_to_go(tmp_path):
    """Functions that need scores by item refuse a board, and name what takes it."""
    for ask in (as_scores, study_power):
        with pytest.raises(ScoresError, match=r"to metaeval\.study_leaderboard"):
            ask(BOARD)
    path = tmp_path / "board.csv"
    BOARD.to_csv(path, index=False)
    with pytest.raises(MeansAloneError, match="for anything else give scores by item") as caught:
        read_scores(path)
    assert caught.value.board.systems == tuple(BOARD["model"])
    BOARD.assign(stderr=[0.1, -0.1, 0.1, 0.1]).to_csv(path, index=False)
    with pytest.raises(FileFormatError, match=r"of system 'basalt' under 'acc' is -0\.1; it must be 0 or more"):
        read_scores(path)


def test_bad_boards_are_refused_by_the_study():
    """What is wrong with a board is said as of scores."""
    with pytest.raises(ScoresError, match="two means of system 'aurora'"):
        study_leaderboard(BOARD.assign(model="aurora"))


def test_systems_with_items_of_their_own_are_compared_by_their_means():
    """As the command does: Welch's t of two systems that share no item, by SciPy."""
    drawn = np.random.default_rng(5)
    first, second = drawn.normal(0.5, 0.1, 40), drawn.normal(0.58, 0.1, 30)
    table = pd.DataFrame(
        {
            "model": ["A"] * 40 + ["B"] * 30,
            "item": [f"a{at}" for at in range(40)] + [f"b{at}" for at in range(30)],
            "score": np.concatenate([first, second]),
        }
    )
    study = study_leaderboard(table, rng=0)
    pair = study.ranks.pairs().iloc[0]
    welch = stats.ttest_ind(first, second, equal_var=False)
    assert abs(pair["statistic"]) == pytest.approx(abs(welch.statistic))
    assert study.ranks.data["p_tested"].item() == pytest.approx(welch.pvalue)
    assert bool(pair["significant"]) is bool(welch.pvalue <= 0.05)
    assert any("their errors are independent" in note for note in study.notes)
    with pytest.raises(InvalidOptionError, match="baseline"):
        study_leaderboard(table, baseline="A")


def test_means_with_errors_behind_a_sign_are_parted_by_the_statement_in_the_message():
    """71.2 ± 0.6 in one cell: run as it stands, what the message says makes a board of means."""
    cells = {"model": list("ABC"), "acc": ["71.2 ± 0.6", "70.9 ± 0.7", "60.2 ± 0.9"], "F1": ["1 ± 2", "3 ± 1", "4 ± 1"]}
    frame = pd.DataFrame(cells)
    with pytest.raises(ScoresError, match=r"means with errors behind ±, such as '71\.2 ± 0\.6'") as caught:
        study_leaderboard(frame)
    exec(re.search(r"`(for name in .*?)`", str(caught.value))[1], {"frame": frame})  # noqa: S102 - our own message
    found = study_leaderboard(frame, rng=0).to_frame().set_index(["metric", "system"])
    assert found.loc[("acc", "A"), ["mean", "stderr"]].tolist() == [71.2, 0.6]
    assert found.loc[("F1", "C"), ["mean", "stderr"]].tolist() == [4.0, 1.0]


def test_neighbours_that_draws_alone_part_make_no_yes():
    """Both are 2.2 errors of the difference apart: p = .028 each, and .056 where Holm counts two of them."""
    means = 0.5 + 0.01 * np.sqrt(2) * 2.2 * np.arange(3)
    assert 2 * 2 * stats.norm.sf(2.2) == pytest.approx(0.056, abs=5e-4)
    study = study_leaderboard(pd.DataFrame({"model": list("abc"), "acc": means, "acc_stderr": 0.01}), rng=1)
    pairs = study.ranks.pairs()
    assert {frozenset(pair) for pair in pairs.loc[pairs["significant"], ["system_a", "system_b"]].to_numpy()} == {
        frozenset("ac")
    }
    assert not study.report().summary[0].startswith("Yes")
