"""Repeats in the place of systems: what names say, and scores that are read so from files."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.data_choice import DataChoice
from metaeval.errors import ScoresError, UnknownNameError
from metaeval.io.tables import read_scores
from metaeval.models import pass_rates
from metaeval.table.array import REPEAT
from metaeval.table.named_repeats import repeats_of_names, systems_repeated
from metaeval.table.scores import as_scores


def table(names, metrics=("ap",)):
    """Return scores of five topics that tell metric and system."""
    values = np.arange(len(metrics) * len(names) * 5.0).reshape(len(metrics), len(names), 5)
    coords = {"metric": [*metrics], "system": [*names], "topic": list("abcde"), "cluster": ("topic", list("xxyyy"))}
    return xr.DataArray(values, dims=("metric", "system", "topic"), coords=coords)


@given(
    st.lists(st.sampled_from(["gpt-4", "llama 3", "bm25", "a"]), min_size=2, unique=True), st.integers(2, 4), st.data()
)
def test_every_score_stands_under_its_system_and_number(systems, repeats, data):
    """Whatever stands between, and in any order of the columns."""
    between = data.draw(st.sampled_from(["_trial", "-seed-", " run ", "_", "."]))
    names = data.draw(st.permutations([f"{one}{between}{number}" for one in systems for number in range(repeats)]))
    given_scores = table(names)
    found = repeats_of_names(given_scores)
    for name in names:
        system, _, number = name.rpartition(between)
        own = found.sel(metric="ap", system=system, repeat=number)
        assert own.to_numpy().tolist() == given_scores.sel(metric="ap", system=name).to_numpy().tolist()
    assert found["cluster"].to_numpy().tolist() == list("xxyyy")
    called = between in {"_trial", "-seed-"}
    assert len(systems_repeated(names)) == (len(systems) if called or repeats > 2 else 0)


@given(st.sets(st.integers(0, 90), min_size=2, max_size=4), st.sampled_from(["-", "_trial"]))
def test_numbers_that_do_not_count_look_like_versions(numbers, between):
    """Unless a word says repeat: they are read as asked with a warning, and never called repeats unasked."""
    names = [f"{one}{between}{number}" for one in ("gpt", "llama") for number in sorted(numbers)]
    counted = sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        repeats_of_names(table(names))
    assert len(caught) == (between == "-" and not counted)
    for one in caught:
        assert "look like versions" in str(one.message)
        assert all(name in str(one.message) for name in names), "nobody is hidden"
    assert bool(systems_repeated(names)) == (counted and (between == "_trial" or len(numbers) > 2))


def test_a_system_without_a_number_has_one_repeat():
    """Beside others with repeats; on the other repeats it has gaps."""
    found = repeats_of_names(table(["a_trial1", "a_trial2", "llama"]))
    assert found["system"].to_numpy().tolist() == ["a", "llama"]
    assert found.sel(metric="ap", system="llama", repeat="1").to_numpy().tolist() == [10, 11, 12, 13, 14]
    assert np.isnan(found.sel(system="llama", repeat="2")).all()
    assert found.attrs["notes"] == [
        "read as repeats of 1 system (a): a_trial1, a_trial2; without a number, so once: llama"
    ]


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["gpt_trial0", "gpt_trial1", "gpt_trial2", "claude_trial0", "claude_trial1"], "gpt_trial0, gpt_trial1"),
        (["gpt_trial0", "gpt_trial1", "llama"], "gpt_trial0, gpt_trial1"),
        (["gpt-3_run0", "gpt-3_run1", "gpt-3_run2", "gpt-4_run0", "gpt-4_run1"], "gpt-3_run0"),
        ([f"run{number}" for number in range(1, 21)], ""),
        (["icl1", "icl2", "icl3", "bm25"], ""),
        (["trial0", "trial1", "Trial_2"], "of one system alone"),
        (["trial0", "trial1", "bm25"], ""),
        (["gpt-3", "gpt-4", "llama-7", "llama-13", "llama-70"], ""),
    ],
)
def test_one_note_where_scores_are_read(tmp_path, names, called):
    """Of every study, then; none of TREC's numbered runs, none of versions, and none once they are read as asked."""
    path = tmp_path / "some.csv"
    rows = [",".join(["item", *names]), *(",".join([f"q{row}", *"01" * 10][: len(names) + 1]) for row in range(5))]
    path.write_text("\n".join(rows))
    notes = [note for note in read_scores(path).attrs["notes"] if "are called as repeats are" in note]
    assert [called in note for note in notes] == [True] * bool(called)
    if called and "gpt" in names[0]:
        again = read_scores(path, repeats_in_names=True).attrs["notes"]
        assert not any("are called as repeats are" in note for note in again)


def test_files_of_one_system_each():
    """Metrics named by their files are then the systems."""
    found = repeats_of_names(table(["trial1", "Trial_2"], ("gpt", "claude")))
    assert found.dims == ("metric", "system", "topic", REPEAT)
    assert found["system"].to_numpy().tolist() == ["gpt", "claude"]
    assert found.sel(metric="score", system="claude", repeat="2").to_numpy().tolist() == [15, 16, 17, 18, 19]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["trial1", "trial2"], "repeats of one system, ap"),
        (["trial1", "trial2", "b"], "'b' does not end in the number"),
        (["a1", "a01", "b1"], "two systems would be repeat 1 of 'a'"),
        (["1", "2"], "'1' does not end in the number of a repeat"),
    ],
)
def test_names_that_say_no_repeat(names, message):
    """Are errors that name the system."""
    with pytest.raises(ScoresError, match=message):
        repeats_of_names(table(names))


def test_repeats_of_a_table_stay():
    """Of which names then say nothing."""
    with pytest.raises(ScoresError, match="repeats of their own"):
        repeats_of_names(table(["a1", "a2"]).expand_dims(REPEAT))


def test_names_of_systems_lead_to_their_repeats_and_back(tmp_path):
    """A name to leave out that fits the other way of reading is refused with the one that works."""
    names = [f"{system}_trial{number}" for system in ("gpt", "old", "bert") for number in (0, 1)]
    path = tmp_path / "scores.csv"
    rows = [",".join([topic, *(str(place + int(topic)) for place in range(6))]) for topic in "123"]
    path.write_text("\n".join([",".join(["topic", *names]), *rows]))
    for merged, wrong, right in ((True, "old_trial0", "old"), (False, "old", "old*")):
        with pytest.raises(UnknownNameError, match=re.escape(f"no system {wrong!r}; did you mean {right!r}?")):
            read_scores(path, choice=DataChoice.checked(exclude_systems=[wrong]), repeats_in_names=merged)
        kept = read_scores(path, choice=DataChoice.checked(exclude_systems=[right]), repeats_in_names=merged)
        assert not any("old" in name for name in kept["system"].to_numpy())


def test_the_trials_of_one_system(data_folder, tmp_path):
    """Of tau-bench: refused with the way out; beside those of another they are read, and alone have their rates."""
    path = data_folder / "generalisability" / "tau-bench_gpt-4o_airline.csv"
    if not path.exists():
        pytest.skip(f"no trials in {path}")
    with pytest.raises(ScoresError, match="pass_rates"):
        read_scores(path, repeats_in_names=True)
    other = tmp_path / "other.csv"
    other.write_bytes(path.read_bytes())
    scores = read_scores([path, other], repeats_in_names=True)
    assert dict(scores.sizes) == {"metric": 1, "system": 2, "topic": 50, REPEAT: 4}
    alone = pass_rates(scores.to_numpy()[:, :1])
    assert alone.table["all"].round(3).tolist() == [0.42, 0.273, 0.22, 0.2]


def test_columns_called_by_seeds_alone_are_repeats(tmp_path):
    """Seeds 13, 42 and 2024 are three repeats of one score, in a file and a frame, and no three metrics."""
    rows = ["A,x,0.2,0.3,0.1", "A,y,0.6,0.2,0.4", "B,x,0.5,0.7,0.6", "B,y,0.1,0.3,0.2"]
    (path := tmp_path / "seeds.csv").write_text("\n".join(["model,task,13,42,2024", *rows]), "utf-8")
    for found in (read_scores(path), as_scores(pd.read_csv(path))):
        assert (found["metric"].to_numpy().tolist(), found["repeat"].to_numpy().tolist()) == (
            ["score"],
            ["13", "42", "2024"],
        )
        np.testing.assert_allclose(found.mean(["topic", "repeat"]).to_numpy(), [[1.8 / 6, 2.4 / 6]])
        assert "columns 13, 42, 2024 are read as repeats of one score" in " ".join(found.attrs["notes"])


@pytest.mark.parametrize("scores", [("0.1,0.3,0.4", "0.2,0.2,0.6"), ("0.3,40,0.4", "0.2,20,0.6")])
def test_columns_called_by_cutoffs_alone_are_metrics_and_noted(scores, tmp_path):
    """What rises with 1, 5 and 10 everywhere, or is on another scale, is no repeat; called run1 and so on it is one."""
    rows = [f"{system},{item},{scores[at]}" for system in "AB" for at, item in enumerate("xy")]
    (path := tmp_path / "cutoffs.csv").write_text("\n".join(["model,task,1,5,10", *rows]), "utf-8")
    for found in (read_scores(path), as_scores(pd.read_csv(path))):
        assert found["metric"].to_numpy().tolist() == ["1", "5", "10"]
        assert "columns 1, 5, 10 are called by numbers and count as metrics" in " ".join(found.attrs["notes"])
    renamed = pd.read_csv(path).set_axis(["model", "task", "run1", "run2", "run3"], axis=1)
    assert as_scores(renamed).sizes["repeat"] == 3


TRIES = np.random.default_rng(3).integers(0, 2, (40, 4))
"""Of two systems on twenty items."""


def tried(columns):
    """Return a table of a row a system and item, with four tries and what they make."""
    rows = {"model": np.repeat(["a", "b"], 20), "task_id": np.tile(np.arange(20), 2)}
    rows |= {f"run_{at}": TRIES[:, at] for at in range(4)}
    return pd.DataFrame(rows | columns)


@pytest.mark.parametrize("door", ["file", "frame"])
def test_columns_that_runs_make_are_left_out_beside_them(tmp_path, door):
    """The mean, pass^4, pass^2 and pass@2 of four tries: c of 4 pass, of 6 pairs c (c - 1) / 2 do both times."""
    right = TRIES.sum(axis=1)
    both, one = right * (right - 1) / 2 / 6, 1 - (4 - right) * (3 - right) / 2 / 6
    made = {"avg": right / 4, "pass^4": right // 4, "pass^2": both.round(3), "pass@2": one.round(3)}
    frame = tried(made)
    if door == "file":
        frame.to_csv(tmp_path / "tries.csv", index=False)
    found = read_scores(tmp_path / "tries.csv") if door == "file" else as_scores(frame)
    assert found["metric"].to_numpy().tolist() == ["score"]
    assert found.sel(system="a").mean().item() == pytest.approx(TRIES[:20].mean())
    told = " ".join(found.attrs["notes"])
    assert all(f"'{name}'" in told for name in made)
    assert found.sizes[REPEAT] == 4


def test_a_column_that_runs_do_not_make_keeps_all_as_metrics():
    """Beside tries a column of its own: nothing says that it is none."""
    frame = tried({"fluency": np.random.default_rng(4).random(40).round(2)})
    assert as_scores(frame).sizes["metric"] == 5
