"""Runs and judgments in memory, in whatever form each comes, and what is read before a function takes it."""

import numpy as np
import pandas as pd
import pytest

import metaeval
from metaeval.agreement import as_labels, compare_labels
from metaeval.errors import MetaevalError

GENERATOR = np.random.default_rng(0)
RUNS = {
    run: {f"q{query}": {f"d{document}": float(GENERATOR.random()) for document in range(8)} for query in range(5)}
    for run in ("a", "b")
}
QRELS = {f"q{query}": {f"d{document}": (query + document) % 2 for document in range(8)} for query in range(5)}


class Ranked:
    """Holds a run or judgments as ranx does, behind to_dict()."""

    def __init__(self, held):
        self._held = held

    def to_dict(self):
        """Return what is held."""
        return self._held


def _frame(held, name):
    rows = [(query, document, value) for query, of_query in held.items() for document, value in of_query.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", name])


RUNS_GIVEN = {
    "mappings": RUNS,
    "objects": {name: Ranked(run) for name, run in RUNS.items()},
    "frames": {name: _frame(run, "score") for name, run in RUNS.items()},
}
QRELS_GIVEN = {"a mapping": QRELS, "an object": Ranked(QRELS), "a frame": _frame(QRELS, "relevance")}


@pytest.mark.parametrize("qrels", QRELS_GIVEN.values(), ids=QRELS_GIVEN)
@pytest.mark.parametrize("runs", RUNS_GIVEN.values(), ids=RUNS_GIVEN)
def test_runs_and_judgments_in_any_form_are_scored(runs, qrels):
    """Average precision by hand; turned round, the error says so."""
    expected = {}
    for name, run in RUNS.items():
        precisions = []
        for query, of_query in run.items():
            ranked = sorted(of_query, key=of_query.get, reverse=True)
            hits = np.array([QRELS[query][document] for document in ranked])
            precisions.append((hits.cumsum() / np.arange(1, 9))[hits == 1].mean())
        expected[name] = np.mean(precisions)
    found = metaeval.score(runs, qrels, ["AP"]).mean("topic").squeeze("metric").to_series().to_dict()
    assert found == pytest.approx(expected)
    with pytest.raises(MetaevalError, match="takes `runs` first, then `qrels`; turn them round"):
        metaeval.score(qrels, runs, ["AP"])


def test_a_look_at_runs_names_the_function_that_scores_them():
    """Frames of runs are no scores, and no error of pandas."""
    for data in (RUNS_GIVEN["frames"], RUNS_GIVEN["frames"]["a"]):
        with pytest.raises(MetaevalError, match="these are runs"):
            metaeval.look(data)


WIDE = pd.DataFrame({"item": [f"i{item}" for item in range(6)], "ann": [0, 1, 2] * 2, "ben": [0, 1, 1] * 2})
LONG = WIDE.melt("item", var_name="who", value_name="said")
MISREAD = {
    "rows again": (pd.concat([WIDE, WIDE.iloc[:2]]), {"duplicates": "first"}),
    "labels again": (
        pd.concat([LONG, LONG.iloc[:2]]).rename(columns={"who": "judge", "said": "label"}),
        {"duplicates": "first"},
    ),
    "columns of other names": (LONG, {"columns": {"judge": "who", "label": "said"}}),
}


@pytest.mark.parametrize("function", [as_labels, compare_labels, metaeval.study_judges])
@pytest.mark.parametrize("name", MISREAD)
def test_what_an_error_of_labels_names_is_taken_by_the_function_that_was_called(name, function):
    """The arguments of the message, and no others: ann and ben say the same of four items in six, by counting."""
    table, way = MISREAD[name]
    ((argument, value),) = way.items()
    with pytest.raises(MetaevalError, match=rf"pass `{argument}=") as caught:
        function(table)
    assert f"`{argument}={value!r}`" in str(caught.value)
    assert "repeats=" not in str(caught.value)
    labels = as_labels(table, **way).table
    assert (labels["ann"] == labels["ben"]).mean() == pytest.approx(4 / 6)
    more = {} if function is as_labels else {"rng": 0, "n_resamples": 20}
    assert function(table, **way, **more).answer
