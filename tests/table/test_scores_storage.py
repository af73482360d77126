"""Scores that other libraries saved and opened again are the same scores, with the same notes."""

import pickle

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval import as_scores, read_scores, study_table, write_scores
from metaeval.base.notes import KeptGaps


@pytest.fixture
def gappy():
    """Return scores with a gap, and so with a note of a kind."""
    frame = pd.DataFrame(np.random.default_rng(0).random((20, 4)), columns=list("abcd"))
    frame.iloc[3, 2] = np.nan
    return as_scores(frame, missing="pairwise")


def _by_netcdf(scores, folder):
    scores.to_netcdf(folder / "own.nc")
    return xr.load_dataarray(folder / "own.nc")


def _by_data_set(scores, folder):
    write_scores(scores, folder / "set.nc")
    return xr.load_dataset(folder / "set.nc")


def _by_dictionary(scores, _):
    return xr.DataArray.from_dict(scores.to_dict())


def _by_pickle(scores, _):
    return pickle.loads(pickle.dumps(scores))  # noqa: S301 - our own


@pytest.mark.parametrize("saved", [_by_netcdf, _by_data_set, _by_dictionary, _by_pickle])
def test_xarray_opens_the_same_scores_with_their_notes(gappy, tmp_path, saved):
    """Labels, values, gaps and notes are those that were saved, and a study takes them as they are."""
    opened = as_scores(saved(gappy, tmp_path), missing="pairwise")
    assert opened.equals(gappy)
    assert opened.attrs["notes"] == gappy.attrs["notes"]
    assert isinstance(opened.attrs["notes"][0], KeptGaps)
    array = saved(gappy, tmp_path)
    array = array["score"] if isinstance(array, xr.Dataset) else array
    assert study_table(array).to_frame().equals(study_table(gappy).to_frame())


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_frames_hold_the_same_scores(gappy, tmp_path, library, ending):
    """Frames have no place for notes; that of the gap is made anew of what they hold."""
    reading = pytest.importorskip(library)
    if ending == "parquet":
        pytest.importorskip("polars")  # by which such files are written
        pytest.importorskip("pyarrow" if library == "pandas" else library)
    path = write_scores(gappy, tmp_path / f"scores.{ending}")
    scores = as_scores(getattr(reading, f"read_{ending}")(path), missing="pairwise")
    assert scores.equals(read_scores(path, missing="pairwise"))
    assert scores.attrs["notes"] == gappy.attrs["notes"]


@pytest.mark.parametrize("words", ["theirs", "[", pytest.param("[" * 100_000, id="deep"), '["a", "b"]'])
def test_a_note_of_others_is_one_note(gappy, words):
    """Text that is no list of notes is a note; nothing is read letter by letter."""
    opened = as_scores(xr.DataArray(gappy.fillna(0.5)).assign_attrs(notes=words))
    assert opened.attrs["notes"] == (["a", "b"] if words.endswith('"]') else [words])
