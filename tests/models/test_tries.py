"""pass@k and pass^k: published rates, all choices of k tries, and what is refused."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.tries import pass_rates
from metaeval.questions.table.study import study_table
from metaeval.table.scores import as_scores


def test_the_rates_that_tau_bench_prints(data_folder):
    """gpt-4o on the airline tasks: .420 .273 .220 .200."""
    folder = data_folder / "generalisability"
    if not folder.is_dir():
        pytest.skip(f"no trials of tau-bench in {folder}")
    trials = pd.read_csv(folder / "tau-bench_gpt-4o_airline.csv").filter(like="trial").to_numpy(dtype=float)
    printed = json.loads((folder / "expected.json").read_text("utf-8"))["tau-bench_gpt-4o_airline.csv"]["pass_hat_k"]
    found = pass_rates(np.stack([trials, trials])[None]).table
    assert found["all"].iloc[:4].round(3).tolist() == list(printed.values())


def test_rates_are_means_over_all_choices_of_tries():
    """Literally: every choice of k repeats of an item, all of which or any of which pass."""
    tries = np.random.default_rng(0).integers(0, 2, (3, 9, 5)).astype(float)
    table = pass_rates(tries[None]).table
    for row in table.itertuples():
        own = tries[int(row.system.removeprefix("system")) - 1]
        chosen = np.array([own[:, list(one)] for one in combinations(range(5), row.k)])
        assert row.all == pytest.approx(chosen.all(axis=2).mean())
        assert row.any == pytest.approx(chosen.any(axis=2).mean())
        assert 0 <= row.all_low <= row.all <= row.all_high <= 1
    assert table["n_items"].eq(9).all()


def test_one_try_is_the_mean():
    """pass@1 and pass^1 are both the accuracy where all items have as many repeats."""
    tries = np.random.default_rng(1).integers(0, 2, (2, 8, 3)).astype(float)
    first = pass_rates(tries[None], k=[1]).table
    assert first["any"].to_numpy() == pytest.approx(tries.mean(axis=(1, 2)))
    assert first["any"].to_numpy() == pytest.approx(first["all"].to_numpy())


def test_items_of_one_cluster_count_as_one():
    """Tasks of 6 domains, 4 in each: pass^2 is the mean over all, with the t interval of the 6 means of domains."""
    tries = (np.random.default_rng(3).random((2, 24, 4)) < np.linspace(0.3, 0.8, 6).repeat(4)[:, None]).astype(float)
    clusters = {str(place + 1): f"domain {place // 4}" for place in range(24)}
    row = pass_rates(as_scores(tries[None], clusters=clusters), k=[2]).table.iloc[0]
    passed = tries[0].sum(axis=1)
    means = (passed * (passed - 1) / 12).reshape(6, 4).mean(axis=1)
    half = stats.t.isf(0.025, 5) * stats.sem(means)
    limits = [means.mean() - half, means.mean() + half]
    assert row[["all", "all_low", "all_high"]].tolist() == pytest.approx([means.mean(), *limits])


def test_what_has_no_answer():
    """No repeats, scores between 0 and 1, more tries than repeats."""
    tries = np.random.default_rng(2).integers(0, 2, (2, 8, 3)).astype(float)
    with pytest.raises(ScoresError, match="take repeats"):
        pass_rates(tries[None, :, :, 0])
    with pytest.raises(ScoresError, match="0 or 1"):
        pass_rates(tries[None] / 2)
    with pytest.raises(InvalidOptionError, match="more than the repeats"):
        pass_rates(tries[None], k=[4])


def test_one_system_is_read_from_its_file_however_its_tries_lie(tmp_path, data_folder):
    """As `look` and `table` advise: a column a try, or a row a try; the rates are those that tau-bench prints."""
    folder = data_folder / "generalisability"
    if not folder.is_dir():
        pytest.skip(f"no trials of tau-bench in {folder}")
    wide = folder / "tau-bench_gpt-4o_airline.csv"
    printed = json.loads((folder / "expected.json").read_text("utf-8"))[wide.name]["pass_hat_k"]
    trials = pd.read_csv(wide).melt("task", var_name="repeat", value_name="score")
    trials["repeat"] = trials["repeat"].str[-1]
    trials.assign(system="gpt-4o").to_csv(tmp_path / "long.csv", index=False)
    several = pd.concat([trials.assign(system=name) for name in ("gpt-4o", "other")])
    several.to_csv(tmp_path / "several.csv", index=False)
    for given in (wide, str(tmp_path / "long.csv"), pd.read_csv(tmp_path / "long.csv"), tmp_path / "several.csv"):
        assert pass_rates(given).table["all"].iloc[:4].round(3).tolist() == list(printed.values())


def test_one_system_of_tries_is_refused_with_the_way_to_its_rates():
    """Two systems take another; what one passes in k tries does not."""
    tries = pd.DataFrame({"system": "a", "topic": [1, 1, 2, 2], "repeat": [0, 1, 0, 1], "score": [0, 1, 1, 1]})
    with pytest.raises(ScoresError, match=r"metaeval.models.pass_rates has pass@k and pass\^k of one"):
        as_scores(tries)
    with pytest.raises(ScoresError, match=r"only 'a'$"):
        as_scores(tries.assign(score=[0.5, 1, 1, 1]))


def test_a_table_of_tries_names_what_k_of_them_pass():
    """Of repeats of 0 and 1 alone."""
    tries = np.random.default_rng(0).integers(0, 2, (1, 2, 9, 3)).astype(float)
    assert any("pass^k" in note for note in study_table(tries).notes)
    assert not any("pass^k" in note for note in study_table(tries + 0.5).notes)
