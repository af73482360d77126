"""Notes keep their kind, by which programs know them, in copies, pickles and files, and under other words."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base.notes import (
    AboutItems,
    CorpusMeans,
    ItemErrors,
    KeptGaps,
    NoRuns,
    Remark,
    RunVariances,
    SettledGaps,
    as_stored,
    from_stored,
    reworded,
)
from metaeval.collection.data_choice import choose_data
from metaeval.io.tables import read_scores, write_scores
from metaeval.table.scores import as_scores, settled_gaps

NOTES = [
    "words alone",
    Remark("all had names"),
    KeptGaps("2 are missing"),
    AboutItems("nuggets"),
    SettledGaps("1 was dropped: a", "1 was dropped"),
    CorpusMeans("weighted", "n_words", {"wer": {"a": 0.1}}),
    NoRuns("epochs"),
    RunVariances("means over 2 repeats", {"acc": {"a": {"variance": 0.01, "freedom": 1.5}}}),
    ItemErrors("2 errors", {"acc": {"a": {"t1": 0.01, "t2": 0.02}}}),
]
WAYS = {
    "copy": copy.deepcopy,
    "pickle": lambda notes: pickle.loads(pickle.dumps(notes)),  # noqa: S301 - our own
    "file": lambda notes: from_stored(as_stored(notes)),
    "other words": lambda notes: [reworded(note, str(note)) for note in notes],
    "as text": lambda notes: [str(note) for note in notes],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_note_keeps_its_kind(way):
    """Words, kind and the words without names are the same behind each way that notes take."""
    for before, after in zip(NOTES, WAYS[way](NOTES), strict=True):
        assert (type(after), after, vars_of(after)) == (type(before), before, vars_of(before))


def vars_of(note):
    """Return what a note knows beside its words."""
    return getattr(note, "__dict__", {})


@given(st.text(), st.text())
def test_words_before_and_behind_a_note_leave_its_kind(before, behind):
    """The note becomes the text that plain text would, of its own kind."""
    for note in NOTES:
        for put in (before + note + behind, before + (note + behind)):
            assert put == before + str.__str__(note) + behind
            assert (type(put), getattr(put, "brief", "")) == (type(note), getattr(note, "brief", ""))


def test_a_short_form_is_the_whole_note_where_none_is_given():
    """A note without names is its own short form."""
    assert SettledGaps("2 missing scores were counted as 0").brief == "2 missing scores were counted as 0"


@pytest.mark.parametrize(
    "entry", [3, ["kind"], {"words": "a"}, {"kind": "str", "words": "a"}, {"kind": ["Remark"]}, {"kind": "Unknown"}]
)
def test_what_others_stored_is_text(entry):
    """An entry of no kind of ours becomes a plain note."""
    assert [(type(note), note) for note in from_stored([entry])] == [(str, str(entry))]


@pytest.mark.parametrize("ending", [".nc", ".parquet"])
def test_what_was_settled_is_known_of_a_file(tmp_path, ending):
    """Scores that were written after gaps were counted as 0 say so when they are read, in short too."""
    pytest.importorskip("polars" if ending == ".parquet" else "h5netcdf")
    scores = as_scores([[1.0, np.nan, 0.2], [0.5, 1.0, 0.3]], missing="zero")
    again = read_scores(write_scores(scores, tmp_path / f"scores{ending}"))
    assert settled_gaps(again) == settled_gaps(scores) == ["1 missing score was counted as 0"]


def test_gaps_are_said_anew_of_a_part_whatever_was_said_of_all():
    """Of the systems that are left the note counts the gaps that these have, also where its words were others."""
    scores = as_scores([[1.0, np.nan, 0.2], [0.5, 1.0, np.nan], [0.1, 0.2, 0.3]], missing="pairwise")
    (note,) = (note for note in scores.attrs["notes"] if isinstance(note, KeptGaps))
    scores.attrs["notes"] = [reworded(note, "some are missing")]
    notes = choose_data(scores, exclude_systems=["system2"]).attrs["notes"]
    assert [note.partition(":")[0] for note in notes] == ["systems chosen", "1 missing score was left out"]
