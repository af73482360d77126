# ruff: noqa: RUF001 - words of pages have their apostrophes and signs
"""Verdicts on replicas: what the intervals carry and no more, sentences, and what has no answer."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.questions.reproduction.study import VERDICTS, study_reproduction


def scores(values, names=("bm25", "new"), topics=None):
    """Return scores (system, topic) under AP."""
    return as_scores(np.atleast_2d(values), systems=[*names], topics=topics, metrics=["AP"], fewest=1)


def made(seed=0, n=50, change=0.0, noise=0.0, effect=1.0):
    """Return an original, and a replica whose advanced run is changed."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.6, n)
    gain = 0.2 + rng.normal(0, 0.05, n)
    other = base + effect * gain + change + noise * rng.normal(size=n)
    return scores(np.stack([base, base + gain])), scores(np.stack([base, other]))


@pytest.mark.parametrize(
    ("made_so", "verdict"),
    [
        ({}, "reproduced"),
        ({"noise": 0.002}, "reproduced"),
        ({"noise": 0.2, "n": 4000}, "only alike"),
        ({"noise": 0.05, "n": 20}, "open"),
        ({"noise": 0.2, "n": 20}, "not reproduced"),
        ({"effect": 0.3, "noise": 0.02}, "not reproduced"),
    ],
)
def test_verdicts(made_so, verdict):
    """Made to be so: equal, nearly so, equal on average alone, too few topics, other topics, a third of the effect."""
    study = study_reproduction(*made(**made_so), baseline="bm25")
    row = study.to_frame().set_index("system").loc["new"]
    assert row["verdict"] == verdict
    assert study.report().summary[0].startswith(verdict.capitalize())


@pytest.mark.parametrize("seed", range(6))
def test_no_verdict_without_its_interval(seed):
    """Whatever the replica, each verdict is one that the columns of its row bear out."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        changes = dict(zip(("change", "noise"), rng.uniform(0, 0.1, 2), strict=True))
        pair = made(seed, int(rng.integers(3, 80)), effect=rng.uniform(0.5, 1.2), **changes)
        study = study_reproduction(*pair, baseline="bm25")
        row = study.to_frame().set_index("system").loc["new"]
        limit = 0.1 * row["original"]
        means_in = abs(row[["difference_low", "difference_high"]]).max() <= limit
        effect_in = row["effect_ratio_low"] >= 0.9 and row["effect_ratio_high"] <= 1.1
        means_out = row["difference_low"] > limit or row["difference_high"] < -limit
        effect_out = row["effect_ratio_low"] > 1.1 or row["effect_ratio_high"] < 0.9
        assert {
            "reproduced": means_in and effect_in and row["rmse_high"] <= limit,
            "only alike": means_in and effect_in and row["rmse_low"] > limit,
            "not reproduced": means_out or effect_out or row["rmse_low"] > limit,
            "open": True,
        }[row["verdict"]], row.to_dict()


def test_first_sentences():
    """The figures of the sentence are those of the row; exact copies are said to be exact."""
    study = study_reproduction(*made(1, 20, noise=0.05, effect=0.8), baseline="bm25")
    row = study.to_frame().set_index("system").loc["new"]
    assert study.report().summary[0] == (
        f"{row['verdict'].capitalize()}: new’s replica is off by RMSE {row['rmse']:.3f} "
        f"[{row['rmse_low']:.3f}, {row['rmse_high']:.3f}], and its improvement over bm25 is {row['effect_ratio']:.2f} "
        f"[{row['effect_ratio_low']:.2f}, {row['effect_ratio_high']:.2f}] of the original’s."
    )
    ends = f"{row['difference']:.3f} [{row['difference_low']:.3f}, {row['difference_high']:.3f}]"
    assert study.report().summary[1].startswith(f"Its mean is off by {ends}. ".replace("-", "−"))
    without = study_reproduction(*made(1, 20, noise=0.05, effect=0.8)).report().summary[0]
    assert without.endswith(f", its mean by {ends}.".replace("-", "−"))
    lower = study_reproduction(*made(1, 20, change=-0.1, noise=0.01), baseline="bm25").report().summary
    assert lower[0].startswith("Not reproduced: new’s replica is off by −0.1")
    assert " on average, and its improvement over bm25 is 0." in lower[0]
    assert lower[1].startswith("RMSE is 0.1")
    exact = study_reproduction(*made(1, 20), baseline="bm25").report()
    assert (
        exact.summary[0]
        == "Reproduced exactly: all scores of 2 systems are equal in original and replica, on 20 topics."
    )
    picture = study.plot()
    assert len(picture.axes) == 2


def test_other_topics():
    """Without a common topic nothing is paired: the effect decides, by Welch; with some, the others are left out."""
    original, replica = made(2, 30)
    names = [f"other{number}" for number in range(30)]
    apart = study_reproduction(original, replica.assign_coords(topic=names), baseline="bm25")
    assert not apart.paired
    frame = apart.to_frame().set_index("system")
    assert frame["rmse"].isna().all()
    assert frame.loc["new", "effect_ratio"] == pytest.approx(1.0)
    assert frame.loc["new", "effect_ratio_low"] < 0.95
    assert frame.loc["bm25", "verdict"] == "open"
    assert "new’s replica has other topics, and its improvement over bm25 is 1.00 [" in apart.report().summary[0]
    assert any("Welch" in note for note in apart.notes)
    some = study_reproduction(original.isel(topic=slice(20)), replica.isel(topic=slice(10, 30)), baseline="bm25")
    assert some.to_frame()["n_topics"].tolist() == [10, 10]
    assert any("on the 10 topics of both; without 10 of the original alone and 10" in note for note in some.notes)


def test_documents():
    """Runs add tau union and overlap, over the topics of the scores; their columns are checked."""
    original, replica = made(3, 5, noise=0.01)
    rows = [(str(topic), f"d{rank}", rank) for topic in range(1, 7) for rank in range(1, 4)]
    lists = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank"])
    original, replica = (table.assign_coords(topic=[*"12345"]) for table in (original, replica))
    runs = {"bm25": lists, "new": lists}
    study = study_reproduction(original, replica, baseline="bm25", runs=(runs, runs))
    assert study.documents["topic"].unique().tolist() == [*"12345"]
    assert study.to_frame()[["tau_union", "rbo"]].to_numpy().tolist() == [[1.0, 1.0]] * 2
    assert "Of the replica’s documents 100 % are the original’s too" in study.report().summary[-1]
    none = dict.fromkeys(runs, lists[lists["query_id"] == "6"])  # a topic that is not compared
    for pair in ((runs, none), (none, runs), (none, none)):
        apart = study_reproduction(original, replica, runs=pair)
        assert apart.to_frame()["rbo"].tolist() == pytest.approx(
            [np.nan if pair[0] is pair[1] else 0.0] * 2, nan_ok=True
        )
        assert "rank-biased overlap" in apart.report().summary[-1]
    single = dict.fromkeys(runs, lists[lists["rank"] == 1])
    assert study_reproduction(original, replica, runs=(single, single)).to_frame()["tau_union"].isna().all()
    with pytest.raises(InvalidOptionError, match="query_id, doc_id and rank"):
        study_reproduction(original, replica, runs=(runs, {name: lists[["query_id"]] for name in runs}))
    with pytest.raises(UnknownNameError, match="no run 'bm25'"):
        study_reproduction(original, replica, runs=(runs, {"new": lists}))


def test_what_is_matched():
    """Names decide; a single system of each is taken for the same; others are named or refused."""
    original, replica = made(4, 8, noise=0.1)
    alone = study_reproduction(original.sel(system=["new"]), replica.sel(system=["bm25"]))
    assert alone.to_frame()["system"].tolist() == ["new"]
    assert any("bm25 is compared as the replica of new" in note for note in alone.notes)
    renamed = replica.assign_coords(system=["bm25", "newer"])
    study = study_reproduction(original, renamed)
    assert study.to_frame()["system"].tolist() == ["bm25"]
    assert {"systems of the original alone (1): new", "systems of the replica alone (1): newer"} < {*study.notes}
    with pytest.raises(ScoresError, match=r"have no system in common \(original: bm25, new; replica: a, b\)"):
        study_reproduction(original, replica.assign_coords(system=["a", "b"]))
    with pytest.raises(UnknownNameError, match="no system as baseline 'bm52'; did you mean 'bm25'"):
        study_reproduction(original, replica, baseline="bm52")
    called = [table.assign_coords(system=["Baseline", "new"]) for table in (original, replica)]
    assert study_reproduction(*called).baseline == "Baseline"
    assert any("no baseline is named" in note for note in study_reproduction(original, replica).notes)


def test_an_effect_that_may_be_none():
    """Nothing bounds a ratio whose divisor may be 0: no verdict on it, and a note that says why."""
    rng = np.random.default_rng(5)
    original, replica = (scores(rng.uniform(0.2, 0.8, (2, 12))) for _ in range(2))
    study = study_reproduction(original, replica, baseline="bm25")
    row = study.to_frame().set_index("system").loc["new"]
    assert np.isnan([row["effect_ratio_low"], row["effect_ratio_high"]]).all()
    assert row["verdict"] in VERDICTS[:2]
    assert any(note.startswith("nothing bounds the effect ratio of new") for note in study.notes)
    assert "of the original’s (without bounds)." in study.report().summary[0]


def test_single_runs_with_verdicts_by_their_topics():
    """As made: of one system each, all topics off by 0.3 in turn up and down: RMSE 0.3 of a mean of 0.5, the mean open.

    Off by 0.01 they are within 0.05, whatever the interval of the mean.
    """
    original = np.full((1, 1, 12), 0.5)
    signs = np.resize([1.0, -1.0], 12) * np.linspace(0.9, 1.1, 12)
    names = {"systems": ["x"], "metrics": ["AP"], "fewest": 1}
    for off, verdict in ((0.3, "not reproduced"), (0.01, "reproduced")):
        pair = [as_scores(values, **names) for values in (original, original + off * signs)]
        assert study_reproduction(*pair).to_frame()["verdict"].tolist() == [verdict]


@pytest.mark.parametrize("form", ["csv", "eval"])
def test_single_runs_in_tables_are_an_experiment(tmp_path, command, form):
    """One system in each file, as single runs with judgments are: no second system is asked for."""
    rows = {"o": [0.5, 0.7, 0.6, 0.4], "r": [0.9, 0.1, 0.2, 0.8]}
    for name, scores in rows.items():
        lines = [f"map\tq{number}\t{score}" for number, score in enumerate(scores)]
        if form == "csv":
            lines = ["topic,ours", *(f"q{number},{score}" for number, score in enumerate(scores))]
        (tmp_path / f"{name}.{form}").write_text("\n".join(lines))
    printed = command("agree", f"AP=o.{form}", f"AP=r.{form}", "--reproduction")
    assert printed.code == 0
    assert "replica is off by RMSE 0.4" in printed.out  # the root of (0.16 + 0.36 + 0.16 + 0.16) / 4 is 0.458
    assert "at least two systems" in command("table", f"o.{form}").err
