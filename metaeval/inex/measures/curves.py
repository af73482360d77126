"""The curves behind the averages of element measures, labelled for plots and tables."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import check_kind
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.elements import ElementCollection
from metaeval.inex.measures.cumulated_gain import effort_precision_curve, normalised_gain_curve, percentage_curve
from metaeval.inex.measures.element_lists import element_lists
from metaeval.inex.measures.inex_2002 import precall_curve
from metaeval.inex.measures.interpolated_precision import curves_of_topics
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric


class _Curve(NamedTuple):
    axis: str
    values: Callable[..., NDArray[np.float64]]
    places: Callable[[int], NDArray[Any]]


def _shares(points: int) -> NDArray[np.float64]:
    return np.arange(1, points + 1) / points


_CURVES = {
    "inex2002": _Curve("recall", precall_curve, _shares),
    "nxCG": _Curve("rank", normalised_gain_curve, lambda k: np.arange(1, k + 1)),
    "MAnxCG": _Curve("rank", normalised_gain_curve, lambda k: np.arange(1, k + 1)),
    "nxCGpercent": _Curve("rank_percent", percentage_curve, lambda points: 100 * _shares(points)),
    "iMAep": _Curve("gain_recall", effort_precision_curve, _shares),
}


def element_curves(collection: ElementCollection, metric: str, *, registry: Registry | None = None) -> xr.DataArray:
    """Return the curves behind a measure of elements, for every run and topic.

    Parameters
    ----------
    collection : ElementCollection
        Its current judgments count.
    metric : str
        Which curve, and with which options: "inex2002(quant=SOG)" is precall by recall, "nxCG(quant=SOG)@50" gain by
        rank down to 50, "nxCGpercent(quant=SOG)" gain by percentage of ranks, "iMAep(quant=SOG)" effort-precision by
        gain-recall.
    registry : Registry, optional
        Where the name is looked up; the default one otherwise.

    Returns
    -------
    xarray.DataArray
        Dims ``system``, ``topic`` and ``recall``, ``rank``, ``rank_percent`` (``rank_percent_longest`` with
        ``ranks=longest``) or ``gain_recall``. Topics where nothing
        is worth anything under the quantisation are left out; where a run does not answer a topic it has 0. Plot
        ``.mean("topic")``.

    Raises
    ------
    UnknownNameError
        If the metric has no curve.
    InvalidOptionError
        If `collection` is none of elements, or nothing is worth anything.

    Examples
    --------
    >>> import pandas as pd
    >>> from metaeval.inex.elements import element_collection
    >>> from metaeval.inex.assessments import Assessments, Submission
    >>> documents = pd.DataFrame([{"topic": "1", "document": "d1"}])
    >>> judged = pd.DataFrame({"path": ["/a[1]", "/a[1]/p[1]"], "exhaustivity": 2, "specificity": [0.4, 1.0]})
    >>> judged = judged.assign(topic="1", document="d1", size=[100, 40], relevant_size=40)
    >>> run = Submission(run="a", results=judged[["topic", "document", "path"]])
    >>> collection = element_collection([run], Assessments(scale="2005", documents=documents, elements=judged))
    >>> element_curves(collection, "nxCG(quant=Gen5)@2").sel(system="a", topic="1").to_numpy()
    array([0.4, 0.4])
    """
    check_kind(collection, "collection", "ElementCollection")
    resolved = (default_registry() if registry is None else registry).resolve(metric)
    if not isinstance(resolved, Metric) or resolved.spec.name not in _CURVES:
        raise UnknownNameError("curve of", str(metric), _CURVES)
    curve = _CURVES[resolved.spec.name]
    lists = resolved.view(element_lists(collection))
    defined = lists.n_relevant() > 0
    if not defined.any():
        raise InvalidOptionError(f"no element has a value above 0 under {resolved.name}, so there is no curve")
    values = curve.values(lists, **resolved.own_values())
    longest = resolved.own_values().get("ranks") == "longest"
    axis = (f"{curve.axis}_longest" if longest else curve.axis, curve.places(values.shape[2]))
    return curves_of_topics(collection, values, defined, axis, name=resolved.name)
