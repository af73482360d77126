"""What errors of reading name can be passed: arguments of the function that was called, or of another that is named."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from every import chapters

import metaeval
from metaeval.errors import MetaevalError

SPAN = re.compile(r"(?<![`'\"\w])`([^`]+)`(?![`'\"\w])")
GENERATOR = np.random.default_rng(0)
LONG = pd.DataFrame(
    {"system": ["a", "b"] * 12, "item": [f"q{row // 2}" for row in range(24)], "score": GENERATOR.random(24)}
)
WORDS = [f"{letter}ox" for letter in "abcdefghijkl"]
RUNS = {run: {f"q{query}": {"d1": 0.9, "d2": 0.5} for query in range(4)} for run in ("r1", "r2")}
MISREAD = {
    "two columns of items": LONG.assign(document=[f"d{row // 6}" for row in range(24)]),
    "rows given again": pd.concat([LONG.assign(language=name) for name in ("de", "en")], ignore_index=True),
    "a gap": LONG.drop(index=3),
    "labels that may be either": pd.DataFrame(GENERATOR.random((12, 2)), WORDS, ["x", "y"]),
    "columns called like topics": pd.DataFrame(GENERATOR.random((12, 2)), WORDS, ["q4", "q8"]),
    "rows without names": pd.DataFrame(GENERATOR.random((12, 2)), columns=["q4", "q8"]),
    "costs": LONG.rename(columns={"score": "latency"}),
    "runs without judgments": RUNS,
    "means with errors": {"a": (71.2, 1.2), "b": (69.5, 1.3)},
    "means and errors by name": {"a": {"mean": 71.2, "se": 1.2}, "b": {"mean": 69.5, "se": 1.3}},
    "one system": LONG.drop(columns="system"),
    "a metric in names": pd.DataFrame(GENERATOR.random((4, 2)), columns=["AP", "nDCG"]),
}
FUNCTIONS = {
    f"{chapter.__name__}.{name}": getattr(chapter, name)
    for chapter in chapters()
    for name in chapter.__all__
    if inspect.isfunction(getattr(chapter, name))
    and next(iter(inspect.signature(getattr(chapter, name)).parameters), "") in {"scores", "data"}
}


def _needs_nothing_else(function):
    """Whether the data are all that a function must be given."""
    return sum(at.default is at.empty and at.kind is not at.VAR_KEYWORD for at in
               inspect.signature(function).parameters.values()) == 1  # fmt: skip


def _error_of(function, scores):
    """Return what an error of ours says, None where there is none."""
    try:
        function(scores)
    except MetaevalError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if _needs_nothing_else(function)])
def test_errors_of_reading_name_what_can_be_passed(name):
    """No keyword alone in backticks that the function lacks."""
    function = FUNCTIONS[name]
    parameters = {*inspect.signature(function).parameters}
    for message in filter(None, (_error_of(function, misread) for misread in MISREAD.values())):
        said = {code.partition("=")[0] for code in SPAN.findall(message) if re.match(r"\w+=", code)}
        assert said <= parameters, message
        assert len(message) <= 600
        assert "awk" not in message


def test_a_frame_that_is_read_in_two_ways_is_mended_as_the_error_says():
    """Dropping the other column, in words of frames, leaves the items."""
    with pytest.raises(MetaevalError, match=r"`frame.drop\(columns=\['document'\]\)`"):
        metaeval.study_table(MISREAD["two columns of items"])
    assert metaeval.study_table(LONG).scores.sizes["topic"] == 12


@pytest.mark.parametrize("cost", ["latency", "runtime", "seconds", "tokens", "price", "memory"])
def test_costs_alone_are_compared_as_the_error_says(cost):
    """The way has lower values better: of two systems the one with the lower mean, by hand, is the better one."""
    frame = LONG.assign(score=[1.0, 2.0] * 12 + LONG["score"] / 10).rename(columns={"score": cost})
    with pytest.raises(MetaevalError, match="and lower is better, pass") as caught:
        metaeval.study_table(frame)
    (code,) = SPAN.findall(str(caught.value))
    found = metaeval.study_table(eval(code, {"frame": frame, **vars(metaeval)}))  # noqa: S307 - as the error says
    assert found.answer.startswith("Yes: a is significantly better than b")


def test_runs_without_judgments_are_told_to_be_scored():
    """The error names the function that scores runs."""
    for function in (metaeval.study_table, metaeval.look, metaeval.as_scores):
        with pytest.raises(MetaevalError, match=r"If these are runs.*metaeval.score\(runs, qrels"):
            function(RUNS)


@pytest.mark.parametrize("name", ["means with errors", "means and errors by name"])
def test_means_with_errors_are_no_topics(name):
    """What the message says to pass has the errors that were given."""
    with pytest.raises(MetaevalError, match="for ranks pass ") as caught:
        metaeval.study_leaderboard(MISREAD[name])
    code = re.search(r"pass (pd\..*?\.T) to metaeval.study_leaderboard", str(caught.value))[1]
    frame = eval(code, {"scores": MISREAD[name], "pd": pd})  # noqa: S307 - as the error says
    assert metaeval.study_leaderboard(frame, rng=0).to_frame()["stderr"].tolist() == [1.2, 1.3]


def test_labels_with_judges_in_rows_are_noted():
    """Twelve items as columns look like judges; turned as the note says, two judges are left."""
    labels = pd.DataFrame({"ann": [0, 1, 2] * 4, "ben": [0, 1, 1] * 4})
    (note,) = (note for note in metaeval.study_judges(labels.T, rng=0, n_resamples=20).notes if "in columns" in note)
    assert note.startswith("12 judges in columns (0, 1, 2 and 9 more) and 2 items in rows")
    assert "pass `frame.T`" in note
    turned = metaeval.study_judges(labels.T.T, rng=0, n_resamples=20)
    assert not [note for note in turned.notes if "in columns" in note]
