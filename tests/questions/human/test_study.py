"""A comparison with human scores is its parts, put side by side."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import kendalltau, pearsonr, spearmanr

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.items import item_scores, mean_by_cluster, system_means
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.items import read_items
from metaeval.questions.human.study import study_human


def made(*, gaps=0.0, seed=0):
    """Make eight systems on thirty sentences of ten documents, a close metric and a far one."""
    rng = np.random.default_rng(seed)
    human = np.linspace(0, 2, 8)[:, None] + rng.normal(0, 1, (8, 30))
    parts = {"human": human, "close": human + rng.normal(0, 0.3, human.shape), "far": rng.normal(0, 1, human.shape)}
    columns = {name: np.where(rng.random(human.shape) < gaps, np.nan, part).ravel() for name, part in parts.items()}
    frame = pd.DataFrame({"system": np.repeat([f"s{i}" for i in range(8)], 30), "seg": np.tile(range(30), 8)} | columns)
    frame["doc"] = "d" + (frame["seg"] // 3).astype(str)
    frame["seg"] = frame["seg"].astype(str)
    return item_scores(frame, reference="human", item="seg", cluster="doc")


def test_decisions_are_those_of_the_clusters():
    """Significant pairs are tested on clusters, the human score being the truth."""
    table = made()
    study = study_human(table, n_resamples=50, rng=0)
    expected = decision_agreement(mean_by_cluster(table.sel(metric=["human", "close"])), test="t").to_frame()
    expected = expected[expected["truth"] == "human"].iloc[0]
    row = study.decisions.set_index("metric").loc["close"]
    assert row["n_units"] == 10
    assert row[["precision", "recall", "n_conflicts"]].tolist() == [
        expected[name] for name in ("precision", "recall", "n_conflicts")
    ]


def test_the_better_metric_comes_first_everywhere():
    """A metric close to people leads every table, and beats the far one significantly."""
    study = study_human(made(), n_resamples=199, rng=0)
    assert all(found.table["metric"].iloc[0] == "close" for found in study.agreements)
    assert study.comparison.wins().loc["close", "better_than"] == 1
    frame = study.to_frame()
    assert set(frame["level"]) == {"system", "item", "pairs", "decisions", "permutation", "williams"}


def test_the_same_seed_gives_the_same_answer_and_the_order_of_systems_none():
    """Every figure is repeated by the seed; values do not depend on the order of the systems."""
    table = made()
    one, two = (study_human(table, n_resamples=30, rng=3).to_frame() for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    turned = study_human(table.isel(system=slice(None, None, -1)), n_resamples=30, rng=3)
    np.testing.assert_allclose(
        [found.table["value"].to_numpy() for found in turned.agreements],
        [found.table["value"].to_numpy() for found in study_human(table, n_resamples=30, rng=3).agreements],
    )


def test_gaps_are_told():
    """Missing human scores and missing metric scores are counted in the notes."""
    notes = study_human(made(gaps=0.1), n_resamples=20, rng=0).notes
    assert any(note.startswith("cells without a score of human: ") for note in notes)
    assert any("without the metric" in note for note in notes)


@pytest.mark.parametrize("name", ["errors", "Cost", "rank", "human rank", "TER"])
@pytest.mark.parametrize("by_item", [True, False])
def test_human_scores_called_as_errors_or_ranks_are_better_where_they_are_less(name, by_item):
    """Errors that people count say the same as their negative, with a note; so do those that are told of."""
    rows = [(f"s{s}", f"i{i}", 1 + s + (s * i) % 3 / 4) for s in range(4) for i in range(8)]
    frame = pd.DataFrame(rows, columns=["system", "item", "quality"]).assign(close=lambda held: 10 * held["quality"])
    frame[name] = 6 - frame["quality"]

    def asked(reference, **more):
        held = frame[["system", "item", "close", reference]]
        if by_item:
            return study_human(item_scores(held, reference=reference, **more), n_resamples=20, rng=0)
        return study_human(held.groupby("system")[["close", reference]].mean(), reference=reference, rng=0, **more)

    by_name, told, rising = asked(name), asked(name, lower_is_better=[name]), asked("quality")
    values = [found.system_table["value"].tolist() for found in (by_name, told, rising)]
    assert values[0] == values[1] == pytest.approx(values[2])
    assert min(values[0]) > 0
    note = f"lower is better under {name!r}, by name; rename the column if it is not"
    assert [note in found.notes for found in (by_name, told, rising)] == [True, False, False]


@pytest.mark.parametrize("by_item", [True, False])
def test_a_metric_that_falls_by_its_name_agrees_with_people(by_item):
    """By hand: TER is 0.9 less a tenth of what people said, so all agree; its negative is known as such."""
    rows = [(f"s{s}", f"i{i}", float(s), 0.9 - s / 10) for s in range(5) for i in range(8)]
    frame = pd.DataFrame(rows, columns=["system", "item", "human", "TER"]).assign(turned=lambda held: -held["TER"])
    frame["loss"] = frame["turned"]  # below 0: its sign was reversed
    given = frame if by_item else frame.groupby("system").mean(numeric_only=True)
    found = study_human(given, reference="human", n_resamples=20, rng=0)
    assert found.system_table["value"].tolist() == pytest.approx([1] * 9)
    assert "lower is better under 'TER', by name; rename the column if it is not" in found.notes
    assert "lower is better, so the sign is reversed: TER" in found.notes
    if by_item:
        assert found.decisions["f1"].tolist() == [1, 1, 1]


def test_a_metric_where_less_is_better_is_the_same_as_its_negative_everywhere():
    """Told of the direction, every figure is that of the negated metric, and a note says that it was turned."""
    table = made(gaps=0.05)
    falling = table.copy(deep=True)
    falling.loc[{"metric": "close"}] *= -1
    falling = falling.assign_coords(higher_is_better=("metric", [True, False, True]))
    one, two = (study_human(part, n_resamples=30, rng=3) for part in (table, falling))
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    pd.testing.assert_frame_equal(one.system_table, two.system_table)
    pd.testing.assert_frame_equal(one.williams, two.williams)
    assert two.decisions["n_conflicts"].tolist() == [0, 0]
    assert "lower is better, so the sign is reversed: close" in two.notes
    frame = pd.DataFrame({"human": [1.0, 2, 3, 4], "TER": [4.0, 3, 2, 1], "B": [1.0, 3, 2, 4]}, index=list("wxyz"))
    means = study_human(frame, reference="human", lower_is_better=["TER"], rng=0)
    assert means.system_table.query("metric == 'TER'")["value"].tolist() == [1, 1, 1]
    assert means.means["TER"].tolist() == [4, 3, 2, 1]
    with pytest.raises(UnknownNameError, match="'EED'"):
        study_human(frame, reference="human", lower_is_better=["EED"])
    with pytest.raises(InvalidOptionError, match="item_scores"):
        study_human(table, lower_is_better=["close"])


def test_means_are_over_what_people_scored():
    """Where people scored few items, the means of a metric leave out the others, as agreement does."""
    table = made()
    table.loc[{"metric": "human"}] = table.sel(metric="human").where(table["item"].astype(int) < 12)
    study = study_human(table, statistics=["pearson"], levels=["system"], n_resamples=10, rng=0)
    np.testing.assert_allclose(study.means["far"], table.sel(metric="far")[:, :12].mean("item"))
    own, means = study.agreements[0].table.set_index("metric")["value"], study.system_table.set_index("metric")["value"]
    np.testing.assert_allclose(own.loc[means.index], means, atol=1e-12)


def test_systems_with_few_cells_leave_the_decisions_of_their_metric_only():
    """A system whose items mostly lack the metric would take those items from all: it goes, with a note."""
    table = made()
    table.loc[{"metric": "far", "system": "s2"}] = table.sel(metric="far", system="s2").where(table["item"] < "15")
    table.loc[{"metric": "far", "system": "s4", "item": "7"}] = np.nan
    study = study_human(table, statistics=["pearson"], levels=["system"], n_resamples=10, rng=0)
    rows = study.decisions.set_index("metric")
    assert rows["n_systems"].to_dict() == {"close": 8, "far": 7}
    assert any("under far leave out systems with too few cells: s2" in note for note in study.notes)
    kept = table.sel(metric=["human", "far"]).drop_sel(system="s2", item="7")
    expected = decision_agreement(mean_by_cluster(kept), test="t").to_frame().query("truth == 'human'").iloc[0]
    assert rows.loc["far", ["n_human", "n_metric"]].tolist() == expected[["n_truth", "n_predictor"]].tolist()


@pytest.mark.parametrize(
    "options", [{"test": "foo"}, {"alpha": 5}, {"statistics": []}, {"levels": []}, {"correction": "foo"}]
)
def test_options_outside_their_rule_stop(options):
    """A wrong option is an error, and no note beside an answer without the part."""
    with pytest.raises(InvalidOptionError):
        study_human(made(), n_resamples=10, rng=0, **options)


def test_means_alone_give_what_they_can():
    """With one score a system there are correlations and Williams' test, and nothing on items."""
    means = pd.DataFrame(
        {"human": [1.0, 2, 3, 4.5, 5], "A": [1.0, 2, 3, 4, 6], "B": [2.0, 1, 4, 3, 5]}, index=list("vwxyz")
    )
    study = study_human(means, reference="human", rng=0)
    assert study.scores is None
    assert study.comparison is None
    assert len(study.williams) == 1
    assert set(study.to_frame()["level"]) == {"system", "williams"}
    with pytest.raises(ScoresError, match="`reference`"):
        study_human(means)
    flat = study_human(means.assign(A=1.0), reference="human", statistics=["kendall", "pearson"], rng=0).system_matrix()
    assert flat.index.tolist() == ["A", "B"]
    assert flat.columns.tolist() == ["kendall", "pearson"]
    assert flat.loc["A"].isna().all()


def spoiled(table, *, name="s7-empty"):
    """Return the scores with a further system that nobody scored: best if far, worst if close."""
    extra = table.isel(system=[-1]).assign_coords(system=[name]).copy()
    extra.loc[{"metric": "human"}] = np.nan
    extra.loc[{"metric": "close"}] -= 9
    extra.loc[{"metric": "far"}] += 9
    return xr.concat([table, extra], "system").assign_attrs(table.attrs)


def test_what_users_expect_of_systems_is_tried_apart():
    """A worse system that nobody scored changes nothing else; means are those of the items that both systems have."""
    table = made()
    study = study_human(spoiled(table), expectations="s7>s7-empty, s7 >= s6", n_resamples=30, rng=0)
    plain = study_human(table, n_resamples=30, rng=0)
    assert study.means.equals(plain.means)
    kept = study.to_frame().query("level != 'expectations'").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, plain.to_frame())
    found = study.expectations.set_index(["metric", "expectation"])
    assert found.loc["close", "state"].tolist() == ["met", "met"]
    assert found.loc[("far", "s7 > s7-empty"), "state"] == "broken"
    assert found.loc[("close", "s7 > s7-empty"), "lead"] == pytest.approx(9)
    assert "far fails what users expect (2 expectations tried)." in " ".join(study.report().summary)
    assert plain.expectations.empty


def test_what_users_expect_of_means_and_of_falling_metrics():
    """Lower is better where it is; equal means are not noticed; a missing one is not tried."""
    means = pd.DataFrame(
        {"human": [1.0, 2, 3, np.nan], "TER": [0.5, 0.4, 0.3, 0.9], "same": [1.0, 2, 3, 3], "gap": [1.0, 2, 3, np.nan]},
        index=["a", "b", "c", "c-copied"],
    )
    asked = {"reference": "human", "lower_is_better": ["TER"], "rng": 0}
    found = study_human(means, expectations=["c>c-copied"], **asked).expectations.set_index("metric")["state"]
    assert found.to_dict() == {"TER": "met", "same": "not noticed", "gap": "not tried"}
    with pytest.raises(UnknownNameError, match="c-empty"):
        study_human(means, expectations="c>c-empty", **asked)


def test_means_are_compared_on_the_items_that_were_scored_by_both():
    """A metric of four items agrees at system level as its own row says, and meets another on these items."""
    table = made()
    table.loc[{"metric": "close", "item": table["item"].to_numpy()[4:]}] = np.nan
    study = study_human(table, n_resamples=30, rng=0)
    for agreement in study.agreements[:3]:
        own = study.system_table[study.system_table["statistic"] == agreement.statistic].set_index("metric")["value"]
        row = agreement.table.set_index("metric")["value"]
        pd.testing.assert_series_equal(own, row.reindex(own.index), check_names=False)
    few = study_human(table.isel(item=slice(None, 4)), n_resamples=30, rng=0).williams.iloc[0]
    columns = ["correlation_a", "t", "p"]
    assert study.williams.iloc[0][columns].tolist() == pytest.approx(few[columns].tolist())
    assert study.williams["n_items"].tolist() == [4]


def test_a_metric_of_few_items_does_not_open_the_page():
    """It is named with its items and stands last, however well it agrees on those."""
    rng = np.random.default_rng(0)
    people = np.arange(8)[:, None] / 2 + rng.normal(0, 1, (8, 12))
    few = np.where(np.arange(12) < 4, people + rng.normal(0, 0.05, (8, 12)), np.nan)
    values = {"people": people, "good": people + rng.normal(0, 0.8, (8, 12)), "few": few}
    names = {"system": np.repeat(list("abcdefgh"), 12), "item": np.tile(np.arange(12), 8)}
    frame = pd.DataFrame(names | {name: cells.ravel() for name, cells in values.items()})
    report = study_human(item_scores(frame, reference="people"), n_resamples=50, rng=0).report()
    assert "best good" in report.summary[0]
    assert "Not ranked with the others: few (4), which rests on so few of 12 items." in report.summary[1]
    assert report.key_figures.frame["metric"].tolist() == ["good", "few"]


CARRIED = pd.DataFrame(
    {
        "system": list("abcdefg"),
        "human": [0.50, 0.52, 0.48, 0.55, 0.45, 0.51, -2.0],
        "human_raw": [70.0, 71.0, 69.0, 73.0, 68.0, 70.5, 11.0],
        "chrF": [0.60, 0.58, 0.62, 0.60, 0.59, 0.61, 0.10],
    }
)
"""All but the last system are alike for people: NumPy's r is 0.997 with it and -0.227 without."""


def test_an_agreement_that_one_system_carries_is_said_at_once():
    whole, left = (np.corrcoef(rows["human"], rows["chrF"])[0, 1] for rows in (CARRIED, CARRIED[:-1]))
    first = study_human(CARRIED, reference="human", rng=0).report().summary[0]
    assert f"Pearson's r {whole:.3f} at system level, but \N{MINUS SIGN}{-left:.3f} without the outlying g" in first


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall", "accuracy"])
def test_agreement_that_needs_the_outlying_system_is_partial(statistic):
    """With its p-value as in SciPy, at system level; items alone would say "Yes", as their scores hardly vary."""
    of_items = pd.concat([CARRIED.assign(item=f"i{n}", chrF=CARRIED["chrF"] + 1e-3 * n * (n % 3)) for n in range(8)])
    study = study_human(of_items, reference="human", statistics=[statistic], levels=["system"], rng=0)
    left = CARRIED[:-1]
    by_scipy = {"pearson": pearsonr, "spearman": spearmanr}.get(statistic, kendalltau)
    p = by_scipy(left["human"], left["chrF"]).pvalue
    assert study.system_table["p_without_outliers"].tolist() == pytest.approx([p])
    assert p > 0.05
    if statistic == "pearson":
        first = study.report().summary[0]
        assert first.startswith("Partly: chrF agrees with people beyond chance only with the outlying systems (")
        assert f"without the outlying g, p = {p:.4f})" in first
        both = study_human(of_items.assign(other=of_items["chrF"]), reference="human", levels=["system"], rng=0)
        assert (
            both.report()
            .summary[0]
            .startswith(
                "Partly: both metrics agree with people beyond chance, but the best, chrF and other, only with the"
            )
        )


def test_a_good_metric_is_no_other_form_of_the_human_score(data_folder):
    """COMET follows people with r .998 over 13 systems, and three times their own score, rounded, with r 1.

    Metrics of documents, whose means of systems follow people as closely, have no r of .99 on documents.
    """
    folder = data_folder / "wmt20-metrics"
    board = pd.read_csv(folder / "system-level" / "DA-newstest2020-deen-sys-scores.csv", sep=" ").drop(columns="LP")
    means = system_means(board.rename(columns={"COMET": "ours"}), reference="HUMAN", system="SYSTEM")
    assert np.corrcoef(means["ours"], means["HUMAN"])[0, 1] == pytest.approx(0.998, abs=5e-4)
    assert not any("'ours' follows" in note for note in means.attrs["notes"])
    rounded = system_means(board.assign(ours=(3 * board["HUMAN"]).round(4)), reference="HUMAN", system="SYSTEM")
    assert any("'ours' follows" in note for note in rounded.attrs["notes"])
    files = [folder / "doc-level" / f"{name}_de-en.csv.gz" for name in ("metrics", "human")]
    scores = item_scores(read_items(files), reference="Z.SCR", item="doc")
    assert not any("follows" in note for note in scores.attrs["notes"])


def test_the_human_score_in_another_form_is_no_metric():
    """Nor in a table of items; who names it compares it."""
    study = study_human(CARRIED, reference="human", rng=0)
    assert study.metrics == ("chrF",)
    assert any("human_raw" in note and "another form" in note for note in study.notes)
    of_items = pd.concat([CARRIED.assign(item=f"i{number}") for number in range(3)])
    assert item_scores(of_items, reference="human")["metric"].to_numpy().tolist() == ["human", "chrF"]
    named = item_scores(of_items, reference="human", metrics=["human_raw"])
    assert named["metric"].to_numpy().tolist() == ["human", "human_raw"]


def test_without_outliers_nothing_is_said_of_them():
    """Of evenly spread human scores none is far from the others."""
    even = CARRIED.assign(human=np.arange(7.0))
    report = study_human(even, reference="human", rng=0).report()
    assert "without the outlying" not in report.summary[0]
    assert "none is far from the others" in " ".join(report.summary)


def test_the_answer_says_how_far_the_best_metric_leads_and_misleads():
    """Two metrics alike in quality: by hand the best orders some of the 28 pairs of systems otherwise than people."""
    rng = np.random.default_rng(5)
    people = np.linspace(0, 1, 8)[:, None] + rng.normal(0, 1, (8, 40))
    values = np.stack([people, *(people + rng.normal(0, 2, (2, 8, 40)))])
    names = {"metric": ["human", "one", "two"], "system": [*"abcdefgh"], "item": [f"i{at}" for at in range(40)]}
    study = study_human(xr.DataArray(values, names, [*names]), reference="human", n_resamples=200, rng=0)
    human, *means = values.mean(axis=2)
    best = max(means, key=lambda of_metric: pearsonr(human, of_metric).statistic)
    first, second = np.triu_indices(8, 1)
    misled = ((human[first] - human[second]) * (best[first] - best[second]) < 0).mean()
    share = f"{100 * misled:.1f} % of the pairs of systems otherwise than people."
    assert study.answer.endswith(f"Its lead is not significant, and it orders {share}")
    assert study.answer == study.report().summary[0]
