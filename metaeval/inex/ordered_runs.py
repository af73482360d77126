"""The six simulated runs by which Kazai, Lalmas and de Vries (2004) tried measures of XML retrieval."""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_kind
from metaeval.base.metric_names import Call
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import TOO_SMALL, Assessments, Submission, table_of
from metaeval.inex.element_quantisation import ElementGrades, element_values
from metaeval.inex.paths import depth_of, nearest_ancestors
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.quantisation import Quantisation
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric

IdealTie = Literal["deeper", "higher"]
type ElementFunction = Callable[[ElementGrades], NDArray[np.float64]]

RELIABILITY_RUNS = {
    "irb": "the ideal results: the best element of every relevant path, none within another",
    "frb": "all relevant elements",
    "ia": "the ideal results and the relevant elements around them",
    "id": "the ideal results and the relevant elements inside them",
    "lo": "the relevant elements that hold no other",
    "ao": "the relevant articles",
}
"""The runs, in the order of the paper, and what they hold."""


def reliability_runs(
    assessments: Assessments,
    *,
    quantisation: str | ElementFunction = "gen",
    tie: IdealTie = "deeper",
    registry: Registry | None = None,
) -> dict[str, Submission]:
    r"""Build the six runs with a known order for `study_reliability`: irb, frb, ia, id, lo and ao.

    Parameters
    ----------
    assessments : Assessments
        Of elements: the scale of 2002, 2003 or 2005.
    quantisation : str or callable, default "gen"
        What an element is worth, by which results are chosen and ordered: a registered name, or a function of
        `ElementGrades`. The paper uses "SOG".
    tie : {"deeper", "higher"}
        Which of equally good elements of one path is ideal; the paper takes the deeper one.
    registry : Registry, optional
        Where names are looked up; `default_registry` by default.

    Returns
    -------
    dict of str to Submission
        By name, in the order of `RELIABILITY_RUNS`. Every run answers every assessed topic, if only with an empty list.
        Results have ranks and no scores, so that no measure sees ties.

    Raises
    ------
    InvalidOptionError
        If there are no assessed elements, or the quantisation is of another scale.
    UnknownNameError
        For an unknown quantisation or tie rule.

    Notes
    -----
    The relevant elements of a document (exhaustivity and specificity above 0; those too small to judge only where the
    quantisation values them, as the measures take it) are a tree, by their paths. On every
    path from its top to an element that holds no other, the one of highest value above 0 is chosen; of two chosen
    elements within one another the outer one is kept, even if its value is lower ([1]_, section 2.3). The runs are
    ordered by value, descending. The order of equal values is not stated in the paper; its example follows from:
    deeper elements first, then those whose parent is worth more, then as they were assessed.

    References
    ----------
    .. [1] Kazai, Lalmas and de Vries (2004), sections 2.3 and 3.2.

    Examples
    --------
    >>> import pandas as pd
    >>> judged = pd.DataFrame({"topic": "1", "document": "d", "path": ["/a[1]", "/a[1]/b[1]"], "exhaustivity": [3, 2],
    ...     "specificity": [1.0, 3.0], "size": -1, "relevant_size": -1, "line": 0})
    >>> runs = reliability_runs(Assessments(scale="2003", elements=judged), quantisation="SOG")
    >>> {name: run.results["path"].tolist() for name, run in runs.items()}["ia"]
    ['/a[1]/b[1]', '/a[1]']
    """
    check_kind(assessments, "assessments", "Assessments")
    check_choice(tie, "rule for ties", get_args(IdealTie))
    table = assessments.elements
    relevant = table[(table["exhaustivity"] != 0) & (table["specificity"] > 0)].reset_index(drop=True)
    if assessments.scale == "passages" or table.empty:
        message = f"the runs are made of assessed elements, and {assessments.source or 'these assessments'} have none"
        raise InvalidOptionError(message)
    worth = _values(relevant, assessments, quantisation, registry)
    counted = (relevant["exhaustivity"].to_numpy() != TOO_SMALL) | (worth > 0)
    relevant = relevant[counted].reset_index(drop=True)
    tree = _RelevantTree.of(relevant, worth[counted])
    ideal = _ideal(tree, deeper=tie == "deeper")
    members = {
        "irb": ideal,
        "frb": np.ones(len(relevant), dtype=bool),
        "ia": ideal | _with_any_below(tree, ideal),
        "id": ideal | _below_any(tree, ideal),
        "lo": tree.leaf,
        "ao": tree.depth == 1,
    }
    topics = tuple(dict.fromkeys([*assessments.documents["topic"], *table["topic"]]))
    ordered = _order(tree, relevant["topic"], topics)
    return {name: _run(name, relevant.iloc[ordered[members[name][ordered]]], topics) for name in RELIABILITY_RUNS}


def recipe_of(metric: AnyMetric) -> tuple[str, str]:
    """Return what the six runs of a metric are made by: its quantisation and its rule for ties."""
    values = dict(metric.parameters) if isinstance(metric, Metric) else {}
    quant = metric.shown("quant") if isinstance(metric, Metric) and "quant" in values else Call("gen")
    return str(quant), str(values.get("tie", "deeper"))


def runs_for(metric: AnyMetric, assessments: Assessments, registry: Registry) -> dict[str, Submission]:
    """Return `reliability_runs` by the quantisation and the rule for ties of a metric."""
    call, quantisation = Call("gen"), registry.element_quantisations["gen"]
    if isinstance(metric, Metric) and metric.quantisation is not None:
        call, quantisation = metric["quant"], metric.quantisation

    def worth(grades: ElementGrades) -> NDArray[np.float64]:
        return element_values(call, quantisation, grades)

    tie: IdealTie = "higher" if recipe_of(metric)[1] == "higher" else "deeper"
    return reliability_runs(assessments, quantisation=worth, tie=tie)


class _RelevantTree(NamedTuple):
    """Relevant elements: worth, nearest relevant ancestor (-1: none), depth, and whether they hold no other."""

    worth: NDArray[np.float64]
    above: NDArray[np.int64]
    depth: NDArray[np.int64]
    leaf: NDArray[np.bool_]

    @classmethod
    def of(cls, relevant: pd.DataFrame, worth: NDArray[np.float64]) -> "_RelevantTree":
        places = list(zip(relevant["topic"], relevant["document"], strict=True))
        above = nearest_ancestors(places, relevant["path"])
        leaf = np.ones(len(relevant), dtype=bool)
        leaf[above[above >= 0]] = False
        depth = np.array([depth_of(path) for path in relevant["path"]], dtype=np.int64)
        return cls(worth, above, depth, leaf)

    @property
    def levels(self) -> list[NDArray[np.int64]]:
        """Elements that have others above them, by depth from the top."""
        inner = np.flatnonzero(self.above >= 0)
        return [inner[self.depth[inner] == level] for level in np.unique(self.depth[inner])]


def _values(
    relevant: pd.DataFrame, assessments: Assessments, quantisation: str | ElementFunction, registry: Registry | None
) -> NDArray[np.float64]:
    size, highlighted = (relevant[name].to_numpy(dtype=np.int64) for name in ("size", "relevant_size"))
    specificity = relevant["specificity"].to_numpy(dtype=np.float64)
    by_grade = specificity == 3  # noqa: PLR2004 - the top grade
    grades = ElementGrades(
        scale=assessments.scale,
        exhaustivity=relevant["exhaustivity"].to_numpy(dtype=np.int64),
        specificity=specificity,
        fully_specific=size == highlighted if assessments.scale == "2005" else by_grade,
        sizes=size,
    )
    if callable(quantisation):
        return element_values(Call("function"), Quantisation("function", quantisation, on="elements"), grades)
    quantisations = (default_registry() if registry is None else registry).element_quantisations
    named = [candidate for name, candidate in quantisations.items() if name.casefold() == quantisation.casefold()]
    if not named:
        raise UnknownNameError("quantisation", quantisation, quantisations)
    return element_values(Call(named[0].name), named[0], grades)


def _ideal(tree: _RelevantTree, *, deeper: bool) -> NDArray[np.bool_]:
    """Choose the best element of every relevant path; of two that overlap, the outer."""
    best = np.arange(len(tree.worth))
    for level in tree.levels:
        so_far = best[tree.above[level]]
        better = np.greater_equal if deeper else np.greater
        best[level] = np.where(better(tree.worth[level], tree.worth[so_far]), level, so_far)
    chosen = np.zeros(len(best), dtype=bool)
    chosen[best[tree.leaf]] = True
    chosen &= tree.worth > 0
    return chosen & ~_below_any(tree, chosen)


def _below_any(tree: _RelevantTree, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which elements stand within a marked one."""
    inside = np.zeros(len(marked), dtype=bool)
    for level in tree.levels:
        above = tree.above[level]
        inside[level] = inside[above] | marked[above]
    return inside


def _with_any_below(tree: _RelevantTree, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which elements hold a marked one."""
    around = np.zeros(len(marked), dtype=bool)
    for level in reversed(tree.levels):
        np.logical_or.at(around, tree.above[level], around[level] | marked[level])
    return around


def _order(tree: _RelevantTree, topics: pd.Series, names: tuple[str, ...]) -> NDArray[np.int64]:
    number = topics.map({name: position for position, name in enumerate(names)}).to_numpy(dtype=np.int64)
    of_parent = np.where(tree.above >= 0, tree.worth[tree.above], 0.0) if len(tree.above) else tree.worth
    return np.lexsort((-of_parent, -tree.depth, -tree.worth, number))


def _run(name: str, elements: pd.DataFrame, topics: tuple[str, ...]) -> Submission:
    rank = elements.groupby("topic", sort=False).cumcount().to_numpy() + 1
    columns = {word: elements[word].to_numpy() for word in ("topic", "document", "path")}
    results = table_of("results", columns | {"rank": rank})
    return Submission(
        run=name, participant="simulated", task="CO", results=results, answered=topics, source="simulated"
    )
