"""What errors of reading name can be passed: arguments of the function that was called, or of another that is named."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from every import chapters

import metaeval
from metaeval.base.columns import READING
from metaeval.errors import MetaevalError, UnknownArgumentError

SPAN = re.compile(r"(?<![`'\"\w])`([^`]+)`(?![`'\"\w])")
GENERATOR = np.random.default_rng(0)
LONG = pd.DataFrame(
    {"system": ["a", "b"] * 12, "item": [f"q{row // 2}" for row in range(24)], "score": GENERATOR.random(24)}
)
WORDS = [f"{letter}ox" for letter in "abcdefghijkl"]
RUNS = {run: {f"q{query}": {"d1": 0.9, "d2": 0.5} for query in range(4)} for run in ("r1", "r2")}
MISREAD = {
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


LABELS = pd.DataFrame({"item": [f"i{row}" for row in range(12)], "ann": [0, 1, 2] * 4, "ben": [0, 1, 1] * 4})
LONG_LABELS = LABELS.melt("item", var_name="judge", value_name="label")
MISREAD_LABELS = {
    "rows given again": pd.concat([LABELS, LABELS.iloc[:3]]),
    "labels given again": pd.concat([LONG_LABELS, LONG_LABELS.iloc[:3]]),
    "columns of other names": LONG_LABELS.rename(columns={"judge": "who", "label": "said"}),
    "two sets of rows": pd.concat([LONG_LABELS.assign(language=name) for name in ("de", "en")]),
    "grades in halves": LABELS.assign(ann=LABELS["ann"] / 2),
    "words and numbers": LABELS.assign(ann=["low", "high", "1"] * 4),
    "one judge": LABELS[["item", "ann"]],
    "two lists": [[0, 1, 1], [0, 1, 0]],
}
OF_LABELS = {
    f"{chapter.__name__}.{name}": getattr(chapter, name)
    for chapter in chapters()
    for name in chapter.__all__
    if inspect.isfunction(getattr(chapter, name))
    and next(iter(inspect.signature(getattr(chapter, name)).parameters), "") == "labels"
    and "Labels" in str(next(iter(inspect.signature(getattr(chapter, name)).parameters.values())).annotation)
} | {"metaeval.agreement.as_labels": metaeval.agreement.as_labels}


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


@pytest.mark.parametrize("name", OF_LABELS)
def test_errors_of_reading_labels_name_what_can_be_passed(name):
    """Every keyword in backticks is one that the function takes, by its signature or for reading what is in memory."""
    function, needed = OF_LABELS[name], {"reference": "ann", "covariate": {}, "people": ["ben"], "systems": {}}
    parameters = {*inspect.signature(function).parameters}
    given = {at: value for at, value in needed.items() if at in parameters}
    for about, misread in MISREAD_LABELS.items():
        message = _error_of(lambda table: function(table, **given), misread)
        if message is None:
            continue
        said = {code.partition("=")[0] for code in SPAN.findall(message) if re.match(r"\w+=", code)}
        assert said <= parameters | READING, (about, message)
        for argument in said & READING:
            assert _takes(function, misread, argument, given), (about, message)
        assert len(message) <= 600


def _takes(function, table, argument, given):
    """Whether a function knows an argument: what it says to a value that none has is not that it lacks it."""
    try:
        function(table, **given, **{argument: {} if argument != "duplicates" else "first"})
    except UnknownArgumentError:
        return False
    except MetaevalError:
        return True
    return True


def test_topics_in_clusters_are_mended_by_a_function_with_its_module():
    """What the error of a study names can be called as it stands."""
    names = [f"q{topic}" for topic in range(12)]
    clusters = {name: str(at // 3) for at, name in enumerate(names)}
    scores = metaeval.as_scores(pd.DataFrame(GENERATOR.random((12, 2)), names, ["x", "y"]), clusters=clusters)
    with pytest.raises(MetaevalError, match="with_clusters") as caught:
        metaeval.study_design(scores, differences=[0.1])
    codes = [code for code in SPAN.findall(str(caught.value)) if "with_clusters" in code]
    assert len(codes) == 2
    for code in codes:
        mended = eval(code, {"scores": scores, "metaeval": metaeval})  # noqa: S307 - as the error says
        assert metaeval.study_design(mended, differences=[0.1]).answer


def test_a_gap_is_mended_by_the_call_that_the_error_names():
    """No function is told to call itself, and none is named twice."""
    gap = MISREAD["a gap"]
    with pytest.raises(MetaevalError, match=r"pass `as_scores\(scores, missing='zero'\)`.* to go on") as caught:
        metaeval.study_table(gap)
    assert "to as_scores" not in str(caught.value)
    with pytest.raises(MetaevalError, match=r"pass `missing='zero'`.* to go on") as caught:
        metaeval.as_scores(gap)
    assert "as_scores" not in str(caught.value)
    assert metaeval.as_scores(gap, missing="zero").sizes["topic"] == 12


def test_topics_given_twice_are_mended_as_the_error_says():
    """Two rows of one topic: left out, or given as repeats."""
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3], "y": [0.3, 0.1, 0.2]}, ["q1", "q1", "q2"])
    with pytest.raises(MetaevalError, match=r"topic 'q1' appears twice; .*: rename or leave out one, or .* repeat"):
        metaeval.study_table(frame)
    assert metaeval.as_scores(frame[~frame.index.duplicated()]).sizes["topic"] == 2
    again = frame.assign(repeat=["1", "2", "1"]).rename_axis("topic").reset_index()
    long = again.melt(["topic", "repeat"], var_name="system", value_name="score")
    assert metaeval.as_scores(long).sizes["repeat"] == 2


def test_of_two_columns_called_as_items_the_nested_one_is_the_item():
    """Six rows of two systems are three items of each document."""
    nested = LONG.assign(document=[f"d{row // 6}" for row in range(24)])
    study = metaeval.study_table(nested)
    assert study.scores.sizes["topic"] == 12
    assert any("'document'" in note for note in study.notes)
    pd.testing.assert_frame_equal(study.to_frame(), metaeval.study_table(LONG).to_frame())


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
