"""What pools of documents hold of what assessors found, as they grow, and how much of them was assessed."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.agreement.assessment_tables import KEYS, AssessmentTables, LackingError, check_columns
from metaeval.cells import natural_order
from metaeval.collection.inex import Assessments, Submission
from metaeval.errors import InvalidOptionError

__all__ = ["growth_kinds", "half_pool", "measured_growth", "pool_coverage", "pool_growth", "shown_growth"]

_QUOTED_SIZES = (20, 50, 100, 200, 250, 300, 400, 500)


def pool_growth(assessments: Assessments, submissions: Iterable[Submission]) -> pd.DataFrame:
    """Say how much the pools hold of what is relevant, as they grow round by round.

    Parameters
    ----------
    assessments : Assessments
    submissions : iterable of Submission
        The runs that were pooled: in round r every run adds its r-th document.

    Returns
    -------
    pandas.DataFrame
        One row a pool size: ``documents``, ``topics`` whose pool grows so far, and of relevant documents, elements and
        passages (those that the assessments know) the mean number found ("relevant", …) and the share of all that were
        found in these topics ("relevant_share", …). Between the rounds numbers are interpolated, which is what
        documents of one round in random order give on average. A topic ends at the first round with a document that
        nobody assessed.

    Raises
    ------
    InvalidOptionError
        If no document of the first round of any topic was assessed.

    Notes
    -----
    Piwowarski, Trotman and Lalmas (2008), section 5.2.1 and Figure 2.

    Examples
    --------
    >>> documents = pd.DataFrame({"topic": "1", "document": ["d1", "d2", "d3"], "relevant_size": [9, 0, 4]})
    >>> run = Submission(run="a", results=pd.DataFrame({"topic": "1", "document": ["d1", "d2", "d1", "d3"]}))
    >>> pool_growth(Assessments(scale="passages", documents=documents), [run])["relevant"].tolist()
    [1.0, 1.0, 2.0]
    """
    try:
        return measured_growth(AssessmentTables.of(assessments, None), list(submissions))
    except LackingError as error:
        raise InvalidOptionError(str(error)) from None


def growth_kinds(growth: pd.DataFrame) -> list[str]:
    """Return what a table of pool growth counts: of "relevant", "elements" and "passages" those known."""
    return [name.removesuffix("_share") for name in growth.columns if name.endswith("_share")]


def shown_growth(growth: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of pool sizes that papers quote, and the last one that half of the topics reach."""
    if growth.empty:
        return growth
    last = int(growth["documents"][growth["topics"] >= growth["topics"].max() / 2].iloc[-1])
    sizes = [size for size in _QUOTED_SIZES if size < last]
    return growth[growth["documents"].isin([*sizes, last])]


def half_pool(growth: pd.DataFrame) -> "pd.Series[float]":
    """Return the row of half of the largest pool of `shown_growth`."""
    return growth.iloc[max(0, int(shown_growth(growth)["documents"].iloc[-1]) // 2 - 1)]


def measured_growth(view: AssessmentTables, submissions: list[Submission]) -> pd.DataFrame:
    """Return the table of `pool_growth`; what it needs and is not there is a `LackingError`."""
    if not submissions:
        message = "give the runs that were pooled"
        raise LackingError(message)
    rounds = []
    for run in submissions:
        documents = run.results[KEYS].drop_duplicates()
        rounds.append(documents.assign(round=documents.groupby("topic").cumcount()))
    first = pd.concat(rounds).groupby(KEYS, sort=False)["round"].min()
    kinds = [name for name in ("relevant", "elements", "passages") if view.documents[name].notna().all()]
    table = first.to_frame().join(view.documents[kinds], how="left")
    totals = view.documents.groupby("topic")[kinds].sum()
    curves: dict[object, pd.DataFrame] = {}
    for topic, own in table.groupby("topic"):
        per_round = own.groupby("round").agg(documents=("round", "size"), **{name: (name, "sum") for name in kinds})
        unknown = own.loc[own[kinds[0]].isna(), "round"]
        ended = per_round[per_round.index < (unknown.min() if len(unknown) else np.inf)].cumsum()
        if len(ended) and topic in totals.index:
            curves[topic] = ended
    if not curves:
        message = "the first documents of the runs were not assessed, so these are not the runs that were pooled"
        raise LackingError(message)
    return _averaged(curves, totals.loc[list(curves)], kinds)


def _averaged(curves: Mapping[object, pd.DataFrame], totals: pd.DataFrame, kinds: list[str]) -> pd.DataFrame:
    longest = int(max(curve["documents"].iloc[-1] for curve in curves.values()))
    sizes = np.arange(1, longest + 1)
    ends = np.array([curve["documents"].iloc[-1] for curve in curves.values()])
    reach = sizes[None, :] <= ends[:, None]
    frame = pd.DataFrame({"documents": sizes, "topics": reach.sum(axis=0)})
    for name in kinds:
        found = np.array([_interpolated(sizes, curve["documents"], curve[name]) for curve in curves.values()])
        sums = np.where(reach, found, 0.0).sum(axis=0)
        total = np.where(reach, totals[name].to_numpy()[:, None], 0.0).sum(axis=0)
        frame[name] = sums / frame["topics"]
        frame[f"{name}_share"] = np.divide(sums, total, out=np.full(len(sums), np.nan), where=total > 0)
    return frame


def _interpolated(
    sizes: NDArray[np.int64], documents: "pd.Series[int]", found: "pd.Series[float]"
) -> NDArray[np.float64]:
    return np.interp(sizes, np.r_[0, documents.to_numpy()], np.r_[0.0, found.to_numpy()])


def pool_coverage(view: AssessmentTables, pools: pd.DataFrame | None) -> pd.DataFrame:
    """Return for every topic of the pool files its documents, those assessed, and those assessed outside the pool."""
    if pools is None:
        message = "give the pool files"
        raise LackingError(message)
    check_columns(pools, "pools", KEYS)
    pooled = pd.MultiIndex.from_frame(pools[KEYS].drop_duplicates())
    assessed = view.documents.index
    frame = pd.DataFrame({"documents": pd.Series(1, index=pooled), "assessed": pooled.isin(assessed).astype(int)})
    sums = frame.groupby("topic").sum()
    outside = pd.Series(~assessed.isin(pooled), index=assessed).groupby("topic").sum()
    sums["outside"] = outside.reindex(sums.index, fill_value=0).astype(int)
    return sums.loc[natural_order(sums.index)]
