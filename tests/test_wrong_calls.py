"""Calls with a mistake in them: each ends in an error of ours that says what was wrong, none in one of a library."""

import datetime as dt
import math
import re
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import metaeval
from metaeval import agreement, as_scores, read_scores, simulate_scores, write_scores
from metaeval.errors import LONGEST, MetaevalError, UnknownArgumentError

TWO = [[0.1, 0.4, 0.2], [0.2, 0.3, 0.3]]
DAY = dt.date(2020, 5, 17)


@cache
def scores():
    """Return scores on which every study has an answer."""
    return simulate_scores(n_systems=4, n_topics=12, metrics=["AP", "RR"], rng=1)


def long(**changed):
    """Return a long frame of two systems on two topics, with columns changed or put beside."""
    held = {"system": ["a", "a", "b", "b"], "topic": ["1", "2", "1", "2"], "metric": ["AP"] * 4}
    return pd.DataFrame({**held, "score": [0.1, 0.2, 0.3, 0.4], **changed})


DATA = {
    "None": None,
    "True": True,
    "a number": 0.5,
    "a complex number": 1j,
    "a date": DAY,
    "text": "0.5",
    "bytes": b"0.5",
    "a name of a file": "scores.csv",
    "a function": as_scores,
    "a class": pd.DataFrame,
    "a module": math,
    "a set": {0.1, 0.2},
    "a range": range(4),
    "nothing": [],
    "nothing twice": [[], []],
    "an empty mapping": {},
    "an empty frame": pd.DataFrame(),
    "an empty array": np.zeros((0, 0)),
    "an empty series": pd.Series(dtype=float),
    "one number": [[0.5]],
    "one column": [[0.1], [0.2]],
    "one row": [[0.1, 0.2]],
    "one axis": [0.1, 0.2, 0.3],
    "five axes": np.zeros((2, 2, 2, 2, 2)),
    "rows of other lengths": [[0.1, 0.2], [0.3]],
    "gaps alone": np.full((2, 3), np.nan),
    "a row of gaps": [[0.1, 0.2], [np.nan, np.nan]],
    "a gap": [[0.1, 0.2], [0.3, None]],
    "infinity": [[0.1, 0.2], [0.3, np.inf]],
    "complex numbers": np.ones((2, 2)) * 1j,
    "dates": [[DAY, DAY], [DAY, DAY]],
    "dates of numpy": np.zeros((2, 2), "datetime64[D]"),
    "durations": np.zeros((2, 2), "timedelta64[s]"),
    "decimal commas": [["0,5", "0,4"], ["0,1", "0,2"]],
    "per cent": [["45 %", "30 %"], ["12 %", "50 %"]],
    "words": [["good", "bad"], ["bad", "good"]],
    "mappings as numbers": [[{}, {}], [{}, {}]],
    "frames as numbers": [[pd.DataFrame(), pd.DataFrame()]],
    "a generator of nothing": (one for one in ()),
    "a generator of numbers": (one for one in (0.1, 0.2)),
    "a generator of text": (one for one in ("a", "b")),
    "records without columns": [{}, {}],
    "records of something else": [{"x": 1}, {"x": 2}],
    "records of other kinds": [{"system": "a"}, 3],
    "a column alone": long()[["score"]],
    "no system": long().drop(columns="system"),
    "no topic": long().drop(columns="topic"),
    "no score": long().drop(columns="score"),
    "no metric, no score": long().drop(columns=["metric", "score"]),
    "two columns for topics": long(qid=["1", "2", "1", "2"]),
    "a column twice": long()[["system", "topic", "metric", "score", "score"]],
    "a row twice": pd.concat([long(), long()]),
    "one system in a frame": long(system="a", topic=["1", "2", "3", "4"]),
    "one topic in a frame": long(topic="1", system=list("abcd")),
    "a frame of gaps": long(score=np.nan),
    "a frame with a gap": long(score=[0.1, None, 0.3, 0.4]),
    "text in a frame": long(score=["0.1", "0.2", "x", "0.3"]),
    "decimal commas in a frame": long(score=["0,1", "0,2", "0,3", "0,4"]),
    "per cent in a frame": long(score=["45 %"] * 4),
    "dates in a frame": long(score=pd.Timestamp(DAY)),
    "lists in a frame": long(score=[[1], [2], [3], [4]]),
    "lists as names": long(system=[["a"], ["a"], ["b"], ["b"]]),
    "systems without names": long(system=[None, None, "b", "b"]),
    "topics without names": long(topic=["", "2", "", "2"]),
    "a name twice": pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], index=["1", "2"], columns=["a", "a"]),
    "words on both sides": pd.DataFrame(TWO, index=["x", "y"], columns=["u", "v", "w"]),
    "words in a wide frame": pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}),
    "means": pd.DataFrame({"name": ["a", "b"], "map": [0.1, 0.2], "P_10": [0.2, 0.3]}),
    "levels that say nothing": pd.DataFrame([[1.0]], index=pd.MultiIndex.from_tuples([("x", "y")])),
    "a mapping to numbers": {"a": 0.1, "b": 0.2},
    "a mapping to None": {"a": None, "b": None},
    "a mapping to text": {"a": "0.1", "b": "0.2"},
    "a mapping to frames without scores": {"a": pd.DataFrame(), "b": pd.DataFrame()},
    "lists of other lengths": {"a": [0.1, 0.2], "b": [0.3]},
    "metrics of one system": {"map": {"1": 0.1, "2": 0.2}, "P_10": {"1": 0.2, "2": 0.3}},
    "mappings of several depths": {"a": {"AP": {"1": 0.1}}, "b": {"AP": 0.1}},
    "deep mappings": {"a": {"AP": {"1": {"x": 0.1}}}},
    "empty mappings": {"a": {}, "b": {}},
    "a data set of nothing": xr.Dataset(),
    "an array of other dims": xr.DataArray(np.zeros((2, 2)), dims=("user", "page")),
    "an array without names": xr.DataArray(np.zeros((1, 2, 2)), dims=("metric", "system", "topic")),
    "an array without dims": xr.DataArray(0.5),
    "an array of words": xr.DataArray([["a", "b"]] * 2, {"system": [1, 2], "topic": [1, 2]}, ("system", "topic")),
}
OPTIONS = {
    "metrics as a number": {"metrics": 3},
    "too many metrics": {"metrics": ["AP", "RR"]},
    "systems as text": {"systems": "ab"},
    "systems as a number": {"systems": 2},
    "too few systems": {"systems": ["a"]},
    "systems twice": {"systems": ["a", "a"]},
    "systems as lists": {"systems": [["a"], ["b"]]},
    "systems without names": {"systems": [None, "b"]},
    "too many topics": {"topics": list("abcd")},
    "topics twice": {"topics": ["1", "1", "2"]},
    "topics as True": {"topics": True},
    "a nesting of an array": {"nesting": ("system", "topic", "metric")},
    "an unknown rule": {"missing": "skip"},
    "a rule that is None": {"missing": None},
    "a rule as a list": {"missing": ["zero"]},
    "a direction as a word": {"higher_is_better": "up"},
    "a direction as a list": {"higher_is_better": [True]},
    "a direction of another metric": {"higher_is_better": {"RR": True}},
    "groups as text": {"groups": "a"},
    "groups as a list": {"groups": ["a", "b"]},
    "groups of some": {"groups": {"system1": "x"}},
    "clusters as a list": {"clusters": ["a", "b", "c"]},
    "clusters of some": {"clusters": {"1": "x"}},
    "weights as a list": {"weights": [1, 2, 3]},
    "weights as a number": {"weights": 2},
    "negative weights": {"weights": {"1": -1, "2": 1, "3": 1}},
    "weights as words": {"weights": {"1": "much", "2": 1, "3": 1}},
    "weights as dates": {"weights": {"1": DAY, "2": 1, "3": 1}},
    "fewest of none": {"fewest": 0},
    "fewest as text": {"fewest": "2"},
    "fewest as a fraction": {"fewest": 1.5},
}
READING = {
    "None": lambda _: read_scores(None),
    "a number": lambda _: read_scores(3),
    "True": lambda _: read_scores(True),  # noqa: FBT003 - the mistake
    "bytes": lambda _: read_scores(b"scores.csv"),
    "nothing": lambda _: read_scores([]),
    "no name": lambda _: read_scores(""),
    "an empty mapping": lambda _: read_scores({}),
    "numbers": lambda _: read_scores([1, 2]),
    "None among files": lambda path: read_scores([path, None]),
    "a mapping to a number": lambda _: read_scores({"AP": 3}),
    "a frame": lambda _: read_scores(long()),
    "an array": lambda _: read_scores(np.zeros((2, 2))),
    "scores": lambda _: read_scores(scores()),
    "a file that is not there": lambda path: read_scores(path.with_name("none.csv")),
    "an empty folder": lambda path: read_scores(path.with_name("empty")),
    "a file twice": lambda path: read_scores([path, path]),
    "metrics as a number": lambda path: read_scores(path, metrics=3),
    "no metrics": lambda path: read_scores(path, metrics=[]),
    "an unknown metric": lambda path: read_scores(path, metrics=["RR"]),
    "metrics as lists": lambda path: read_scores(path, metrics=[["AP"]]),
    "an unknown form": lambda path: read_scores(path, form="broad"),
    "a form as a number": lambda path: read_scores(path, form=3),
    "a form as a list": lambda path: read_scores(path, form=["wide"]),
    "columns as text": lambda path: read_scores(path, columns="system"),
    "columns as a list": lambda path: read_scores(path, columns=["system"]),
    "columns of no part": lambda path: read_scores(path, columns={"team": "system"}),
    "columns that are not there": lambda path: read_scores(path, columns={"system": "team"}),
    "columns by 0": lambda path: read_scores(path, columns={"system": 0}),
    "columns by True": lambda path: read_scores(path, columns={"system": True}),
    "columns as fractions": lambda path: read_scores(path, columns={"system": 1.5}),
    "columns as lists": lambda path: read_scores(path, columns={"system": ["a", "b"]}),
    "systems on top": lambda path: read_scores(path, systems_in="top"),
    "an unknown rule": lambda path: read_scores(path, missing="skip"),
    "a header as text": lambda path: read_scores(path, header="yes"),
    "groups as a list": lambda path: read_scores(path, groups=["a", "b"]),
    "a direction as a word": lambda path: read_scores(path, higher_is_better="up"),
    "a choice of names": lambda path: read_scores(path, choice=["a"]),
    "writing into a folder": lambda path: write_scores(scores(), path.parent),
    "writing into none": lambda path: write_scores(scores(), path.parent / "none" / "x.csv"),
    "writing a spreadsheet": lambda path: write_scores(scores(), path.with_name("x.xlsx")),
    "writing to None": lambda _: write_scores(scores(), None),
    "writing to a number": lambda _: write_scores(scores(), 3),
    "writing, swapped": lambda path: write_scores(path, scores()),
}
ASKED = {
    "study_power": [
        *({"tests": one} for one in (3, ["anova"], [None], [], [["t", "sign"]])),
        *({"corrections": one} for one in ("anova", ["tukey"], 5, [])),
        *({"alpha": one} for one in (0, 1, 5, 95, 0.95, "0.05", None, True, math.nan, 1j, DAY)),
        *({"n_resamples": one, "tests": ["bootstrap"]} for one in (-5, 0, 1.5, "1000", True, 10**12)),
        *({"choose": one} for one in (1, 99, "some", None, 2.5, True)),
        *({"alternative": one} for one in ("up", None, 3, ["less"])),
        *({"rng": one} for one in ("seed", -1, 1.5, [1, "a"], DAY)),
        *({"n_threads": one} for one in (0, -1, "two", 1.5)),
        *({"confidence_level": one} for one in (95, 5, 0.05, "95 %", -0.5)),
        *({"rope": one} for one in ("wide", -0.1, {"map": 0.1})),
        *({"bayesian": one} for one in ("yes", None)),
        *({"p_value_rule": one} for one in ("plus", 1)),
        *({"n_topic_resamples": one} for one in (-1, 0.5, "many")),
    ],
    "study_topics": [
        *({"sizes": one} for one in ([], [0], [-2, 3], ["5"], 0, [100], "5", [1.5])),
        *({"n_trials": one} for one in (0, -1, "50", 2.5)),
        *({"tolerances": one} for one in ("0", [-0.1], ["x"], -0.1, [math.nan])),
        *({"tolerance_unit": one} for one in ("percent", None)),
        *({"sampling": one} for one in ("all", 3)),
        *({"max_error": one} for one in (0, 0.9, "0,5", None)),
        *({"limit": one} for one in (-1, "none", 0.5)),
        *({"bin_width": one} for one in (0, -0.1, "x")),
        *({"method": one} for one in ("slow", None)),
    ],
    "study_agree": [
        *({"tests": one} for one in ("u", ["anova"], [], None)),
        *({"alphas": one} for one in ("0.05", [0, 2], [], None, ["x"])),
        *({"min_f1": one} for one in (2, "0,9", None)),
        *({"pairs": one} for one in (["AP"], [("AP", "none")], "AP", 3, [("AP",)])),
        *({"variants": one} for one in (["x"], 3)),
    ],
    "study_compare_metrics": [
        *({"current": one} for one in ("none", 3, ["AP"])),
        *({"test": one} for one in ("anova", None, ["t", "sign"], 3)),
        *({"collection": one} for one in ("runs", 3)),
        *({"n_choices": one} for one in (0, -1, "x")),
    ],
    "study_compare_tests": [
        *({"tests": one} for one in ("u", ["anova"], [])),
        *({"n_splits": one} for one in (0, -1, "x", 1.5)),
        *({"reference": one} for one in ("anova", 3)),
    ],
    "study_table": [
        *({"baseline": one} for one in ("none", 3, ["system1"])),
        *({"correction": one} for one in ("tukey", 3, ["holm", "none"])),
        *({"top": one} for one in (0, -1, "x", 1.5)),
        *({"order": one} for one in ("up", None)),
        *({"marks": one} for one in ("stars", 3)),
        *({"digits": one} for one in (-1, "x", 99, 1.5)),
    ],
    "study_design": [
        *({"variance": one} for one in ("all", -1, math.nan, None, [1])),
        *({"differences": one} for one in ([], [0], [-1], "0.1", ["x"], 0)),
        *({"methods": one} for one in ("z", ["z"], [], 3)),
        *({"power": one} for one in (0.01, 1, "80 %")),
        *({"share": one} for one in (0, 2, "x")),
        *({"n_systems": one} for one in (1, -2, "x")),
        *({"pairs": one} for one in ([("a", "b")], "ab", [("system1",)], 3)),
        *({"calculation": one} for one in ("rough", None)),
    ],
    "study_leaderboard": [
        *({"baseline": one} for one in ("none", 3)),
        *({"top": one} for one in (0, -1, "x", 1.5)),
        *({"rank_method": one} for one in ("best", None, 3)),
        *({"power": one} for one in (0, 2, "x")),
        *({"n_splits": one} for one in (0, -1, "x")),
        *({"n_resamples": one} for one in (-1, "x", 1.5)),
        *({"cohorts": one} for one in ("best3", ["top0"], ["best"], [3], 3, [])),
    ],
}
LABELS = {
    "words": "words",
    "None": None,
    "a number": 3,
    "an array": np.zeros((2, 2)),
    "one judge": {"ann": {"1": {"d1": 1}}},
    "text as labels": {"ann": {"1": {"d1": "x"}}, "ben": {"1": {"d1": 1}}},
    "judges without topics": {"ann": 1, "ben": 2},
    "lists of lists": {"ann": [[1], [2]], "ben": [[1], [2]]},
    "a list": [1, 2],
    "nothing": {},
}
MISTAKES = {
    **{f"as_scores({name})": (lambda one=one: as_scores(one)) for name, one in DATA.items()},
    **{f"as_scores(array, {name})": (lambda one=one: as_scores(TWO, **one)) for name, one in OPTIONS.items()},
    **{
        f"{study}({name})": (lambda study=study, one=one: getattr(metaeval, study)(one))
        for study in ASKED
        for name, one in DATA.items()
        if name
        in {"None", "text", "a number", "one column", "gaps alone", "no system", "per cent", "a mapping to None"}
        and not (study == "study_design" and one is None)
    },
    **{
        f"{study}({', '.join(f'{name}={value!r}' for name, value in one.items())})": (
            lambda study=study, one=one: (
                getattr(metaeval, study)(scores(), **{"rng": 1, **one})
                if study != "study_design"
                else metaeval.study_design(scores(), **one)
            )
        )
        for study, every in ASKED.items()
        for one in every
    },
    **{f"as_labels({name})": (lambda one=one: agreement.as_labels(one)) for name, one in LABELS.items()},
    "as_labels(scale)": lambda: agreement.as_labels({"a": {"1": {"d": 1}}, "b": {"1": {"d": 1}}}, scale="0,1"),
    "as_labels(outside)": lambda: agreement.as_labels({"a": {"1": {"d": 1}}, "b": {"1": {"d": 1}}}, outside="keep"),
    "study_judges(scores)": lambda: metaeval.study_judges(scores()),
    "study_judges(nothing)": metaeval.study_judges,
    "study_human(scores, no such reference)": lambda: metaeval.study_human(scores(), reference="people"),
    "study_human(text)": lambda: metaeval.study_human("scores.csv"),
    "study_human(None)": lambda: metaeval.study_human(None),
    "study_judgments(scores)": lambda: metaeval.study_judgments(scores(), ["AP"]),
    "study_judgments(None)": lambda: metaeval.study_judgments(None, ["AP"]),
}
UNKNOWN = {
    "no data": as_scores,
    "two tables": lambda: as_scores(TWO, TWO),
    "an option that is not there": lambda: as_scores(TWO, metric="AP"),
    "an option of another study": lambda: metaeval.study_power(TWO, baseline="a"),
}


def assert_short(message):
    """Check that a message says more than a word, is read at a glance, and lists five names and what more there is."""
    assert 20 < len(message) <= LONGEST
    assert not re.search(r"(?:[\w@.`'-]+, ){6}", message), message


@pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning")
@pytest.mark.parametrize("call", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_wrong_call_is_an_error_of_ours(call):
    """The error is one of the package, and says more than a word."""
    with pytest.raises(MetaevalError) as caught:
        call()
    assert_short(str(caught.value))


@pytest.mark.parametrize("call", READING.values(), ids=READING.keys())
def test_a_wrong_way_to_read_is_an_error_of_ours(call, tmp_path):
    """So is it for files; what is not there may be the system's own word for it."""
    path = tmp_path / "scores.csv"
    long().to_csv(path, index=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises((MetaevalError, FileNotFoundError)) as caught:
        call(path)
    assert_short(str(caught.value))


@pytest.mark.parametrize("call", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_arguments_that_are_not_there(call):
    """An argument that a function does not have is an error of ours that Python's own would be, too."""
    with pytest.raises(UnknownArgumentError, match="`") as caught:
        call()
    assert isinstance(caught.value, TypeError)


def test_numbers_of_any_kind_are_numbers():
    """What looks odd and is right is read: fractions, decimals and booleans."""
    assert as_scores([[Decimal("0.5"), True], [np.float32(0.5), 0]]).sizes["system"] == 2
