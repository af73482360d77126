"""What users expect of the metrics that are compared, and which of these can be computed here."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.errors import MetaevalError
from metaeval.inex.assessments import Assessments
from metaeval.inex.expectations import EXPECTATIONS
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import resolve_metrics
from metaeval.questions.reliability.study import study_reliability
from metaeval.testing.expected import BROKEN, MET, Outcome, expectations_tried

_COLUMNS = ["metric", *Outcome._fields]


def computable(names: Sequence[str], registry: Registry | None, *, on: str = "") -> list[str]:
    """Return the metrics that the registry knows by these names; on request those of documents or elements alone."""
    computed: list[str] = []
    for name in names:
        try:
            resolved = resolve_metrics([name], registry=registry)[0]
        except MetaevalError:
            continue
        fits = not on or getattr(getattr(resolved, "spec", None), "on", "documents") == on
        if fits and resolved.name == name:
            computed.append(name)
    return computed


def expectations_of(names: Sequence[str], registry: Registry | None) -> pd.DataFrame:
    """Try on metrics what users expect of lists: one row a metric and expectation.

    Examples
    --------
    >>> expectations_of(["AP", "RR"], None).groupby("metric")["state"].unique().map(list).to_dict()
    {'AP': ['met'], 'RR': ['not noticed']}
    """
    used = default_registry() if registry is None else registry
    metrics = (
        [metric for metric in resolve_metrics(names, registry=used) if isinstance(metric, Metric)] if names else []
    )
    rows = [(metric.name, *outcome) for metric in metrics for outcome in expectations_tried(metric, used)]
    return pd.DataFrame(rows, columns=_COLUMNS)


def six_runs_of(
    names: Sequence[str], assessments: Assessments | None, *, sizes: pd.DataFrame | None, registry: Registry | None
) -> pd.DataFrame:
    """Try measures of elements on the six runs of the assessments at hand, in the form of `expectations_of`.

    The ideal run is at least as good as every other; the paper's order by overlap alone is no expectation of users.
    """
    elements = computable(names, registry, on="elements")
    if assessments is None or not elements:
        return pd.DataFrame(columns=_COLUMNS)
    wanted = {"six runs": EXPECTATIONS["ideal"]}
    study = study_reliability(assessments, metrics=elements, sizes=sizes, expectations=wanted, registry=registry)
    verdicts = study.verdicts.rename(columns={"meaning": "expected", "first_broken": "found"})
    return verdicts.assign(state=verdicts["met"].map({True: MET, False: BROKEN}), better=np.nan, worse=np.nan)[_COLUMNS]
