"""Results of cross-validation, as scikit-learn returns them: folds are items, and estimators or settings systems."""

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.columns import underscored
from metaeval.base.names import count, shortened
from metaeval.errors import ScoresError

_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_NUMPY = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)")
"""A number of NumPy, as Python writes it."""
_TEST, _TIMES = "test_", frozenset({"fit_time", "score_time"})
PARAMS, PARAM = "params", "param_"
_LONGEST = 10_000


_CALLED_FOLDS = frozenset({"fold", "folds", "fold_id", "cv_fold", "outer_fold"})


def _note(n_folds: int) -> str:
    return (
        f"the items are {count(n_folds, 'fold')} of a cross-validation, whose training data overlap: scores are not "
        "independent, as tests assume, and too many pairs are found significant"
    )


def note_of_folds(column: str, items: Iterable[str]) -> list[str]:
    """Say what the items of a column are that is called as one of folds.

    Examples
    --------
    >>> len(note_of_folds("Fold", ["1", "2"])), note_of_folds("topic", ["1", "2"])
    (1, [])
    """
    return [_note(len({*items}))] if underscored(column) in _CALLED_FOLDS else []


class Folds(NamedTuple):
    """Scores of every fold, a row each, and what is to be known of them."""

    rows: list[tuple[str, str, str, Any]]
    """System, fold, metric and score."""
    read_as: str

    @property
    def note(self) -> str:
        """What folds are as items."""
        return _note(len({fold for _, fold, _, _ in self.rows}))

    def frame(self) -> pd.DataFrame:
        """Return the rows as a long table."""
        return pd.DataFrame(self.rows, columns=["system", "topic", "metric", "score"], dtype=object)


def splits_of(names: Iterable[object]) -> dict[str, tuple[str, str]]:
    """Return fold and metric of every column of ``cv_results_`` that holds scores; nothing for another table.

    Examples
    --------
    >>> splits_of(["params", "split0_test_score", "mean_test_score"])
    {'split0_test_score': ('split0', 'score')}
    >>> splits_of(["param_C", "split0_test_score"]), splits_of(["split0_test_score"])
    ({'split0_test_score': ('split0', 'score')}, {})
    """
    known = [str(name) for name in names]
    matches = {name: match for name in known if (match := _SPLIT.fullmatch(name))} if settings_among(known) else {}
    return {name: (f"split{match[1]}", match[2]) for name, match in matches.items()}


def settings_among(names: Iterable[str]) -> list[str]:
    """Return the columns that say the setting: the one of all parameters, else those of each.

    Examples
    --------
    >>> settings_among(["param_C", "params"]), settings_among(["param_C", "param_gamma", "split0_test_score"])
    (['params'], ['param_C', 'param_gamma'])
    """
    known = [*names]
    return [PARAMS] if PARAMS in known else [name for name in known if name.startswith(PARAM)]


def is_validated(result: object) -> bool:
    """Whether this is what ``cross_validate`` returns."""
    return isinstance(result, Mapping) and result.keys() >= _TIMES and any(map(_is_test, result))


def folds_of(data: Any) -> Folds | None:  # noqa: ANN401 - whatever somebody has
    """Return the folds of ``cv_results_``, or of results of ``cross_validate`` by estimator; None for others.

    Examples
    --------
    >>> times = {"fit_time": [1, 1], "score_time": [1, 1]}
    >>> folds_of({"tree": times | {"test_score": [0.5, 0.7]}}).rows
    [('tree', 'split0', 'score', 0.5), ('tree', 'split1', 'score', 0.7)]
    """
    data = getattr(data, "cv_results_", data)
    if isinstance(data, Mapping | pd.DataFrame) and (splits := splits_of(data)):
        return _of_search(data, splits)
    if isinstance(data, Mapping) and data and all(map(is_validated, data.values())):
        return _of_estimators(data)
    return None


def setting(params: object) -> str:
    """Return the name of a setting, a dictionary or one as Python writes it; what Python cannot read stays as it is.

    Examples
    --------
    >>> setting({"C": 1, "kernel": "rbf"}), setting("{'C': np.float64(0.1)}"), setting("{'svm': SVC(C=1)}")
    ('C=1, kernel=rbf', 'C=0.1', 'svm=SVC(C=1)')
    """
    held = _held(params.strip()) if isinstance(params, str) else params
    if isinstance(held, str):
        return re.sub(r"'(\w+)': ", r"\1=", held)
    if not isinstance(held, Mapping):
        raise ScoresError(
            f"{PARAMS!r} holds a setting, such as {{'C': 1}}, in every row, and here {shortened(repr(params))}; write "
            "the results again"
        )
    return ", ".join(f"{name}={value}" for name, value in held.items()) or "default"


def _held(text: str) -> object:
    """Return what a text of Python holds, or the text: of a dictionary that only a program can read what is in it."""
    if len(text) > _LONGEST:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes
            return ast.literal_eval(_NUMPY.sub(r"\1\2", text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text[1:-1].strip() if text.startswith("{") and text.endswith("}") else text or None


def _of_search(results: Any, splits: Mapping[str, tuple[str, str]]) -> Folds:  # noqa: ANN401 - a mapping or a frame
    columns = {name: _cells(results[name], name) for name in settings_among(map(str, results))}
    held = columns.get(PARAMS) or [
        {name.removeprefix(PARAM): value for name, value in zip(columns, values, strict=True) if f"{value}".strip()}
        for values in zip(*columns.values(), strict=True)
    ]
    systems = [setting(params) for params in held]
    rows = [
        (system, fold, metric, score)
        for name, (fold, metric) in splits.items()
        for system, score in zip(systems, _cells(results[name], name, len(systems)), strict=True)
    ]
    return Folds(rows, "cv_results_ of scikit-learn: settings, and their scores on every fold")


def _of_estimators(results: Mapping[Any, Mapping[str, Any]]) -> Folds:
    rows = []
    for system, result in results.items():
        n_folds = len(_cells(result["fit_time"], f"{system}: fit_time"))
        for name in filter(_is_test, result):
            scores = _cells(result[name], f"{system}: {name}", n_folds)
            metric = name.removeprefix(_TEST)
            rows += [(str(system), f"split{fold}", metric, score) for fold, score in enumerate(scores)]
    return Folds(rows, "results of cross_validate of scikit-learn by estimator, a score a fold")


def _is_test(name: object) -> bool:
    return isinstance(name, str) and name.startswith(_TEST)


def _cells(cells: Any, name: str, wanted: int | None = None) -> Sequence[Any]:  # noqa: ANN401 - a list, an array or a column
    """Return what stands in a column, or in a list of folds, as many as are wanted."""
    listed = np.asarray(cells, dtype=object)
    if listed.ndim != 1:
        raise ScoresError(f"{name!r} is a list, and here {shortened(repr(cells))}; write the results again")
    if wanted is not None and len(listed) != wanted:
        raise ScoresError(f"{name!r} holds {len(listed)} scores where there are {wanted}; write the results again")
    return list(listed)
