"""What pools of documents hold of what assessors found, as they grow, and how much of them was assessed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.stats import t as student

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_kind, check_kinds
from metaeval.base.names import natural_order
from metaeval.collection.base import Rounds
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessment_tables import KEYS, AssessmentTables, LackingError, check_columns
from metaeval.inex.assessments import Assessments, Submission

_STEADY = 250
_QUOTED_SIZES = (20, 50, 100, 200, 250, 300, 400, 500)
POOL_SIZES = (50, 100, 200, 300, 400, 500)
"""Documents, or elements, of a pool in Tables V and VI and Figure 3 of Piwowarski et al. (2008)."""


def pool_growth(
    assessments: Assessments, submissions: Iterable[Submission], *, rounds: Rounds = "results"
) -> pd.DataFrame:
    """Return the relevant documents and elements in the pools, round by round.

    Parameters
    ----------
    assessments : Assessments
    submissions : iterable of Submission
        The runs that were pooled.
    rounds : {"results", "documents"}
        In round r every run adds the document of its r-th result, as at INEX; or its r-th document, each counted once,
        however many results lie in it.

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
    UnknownNameError
        For other `rounds`.

    Notes
    -----
    Piwowarski, Trotman and Lalmas (2008), section 5.2.1 and Figure 2; rounds of results are those of section 4.1.

    Examples
    --------
    >>> documents = pd.DataFrame({"topic": "1", "document": ["d1", "d2", "d3"], "relevant_size": [9, 0, 4]})
    >>> run = Submission(run="a", results=pd.DataFrame({"topic": "1", "document": ["d1", "d2", "d1", "d3"]}))
    >>> pool_growth(Assessments(scale="passages", documents=documents), [run])["relevant"].tolist()
    [1.0, 1.0, 2.0]
    >>> other = Submission(run="b", results=pd.DataFrame({"topic": "1", "document": ["d1", "d1", "d3"]}))
    >>> judged = Assessments(scale="passages", documents=documents)
    >>> [pool_growth(judged, [run, other], rounds=one)["relevant"].tolist() for one in ("results", "documents")]
    [[1.0, 1.0, 2.0], [1.0, 1.5, 2.0]]
    """
    check_kind(assessments, "assessments", "Assessments")
    try:
        return GrowthCurves.of(
            AssessmentTables.of(assessments, None), check_kinds(submissions, "submissions", "Submission"), rounds=rounds
        ).table()
    except LackingError as error:
        raise InvalidOptionError(str(error)) from None


def entry_rounds(tables: Iterable[pd.DataFrame], keys: list[str], rounds: Rounds) -> "pd.Series[int]":
    """Return the round, from 0, in which each document (or element, by `keys`) enters the pool of its topic."""
    check_choice(rounds, "kind of rounds", get_args(Rounds))
    entered = []
    for table in tables:
        results = table[keys] if rounds == "results" else table[keys].drop_duplicates()
        entered.append(results.assign(round=results.groupby("topic").cumcount()).drop_duplicates(keys))
    return pd.concat(entered).groupby(keys, sort=False)["round"].min()


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


class GrowthCurves(NamedTuple):
    """What the pool of each topic holds after each round."""

    curves: Mapping[object, pd.DataFrame]
    """Of each topic, one row a round: ``documents`` and the `kinds`, all so far."""
    totals: pd.DataFrame
    """All that was found in each topic."""
    kinds: list[str]
    """Of "relevant", "elements" and "passages" those that the assessments know."""

    @classmethod
    def of(cls, view: AssessmentTables, submissions: list[Submission], *, rounds: Rounds = "results") -> "GrowthCurves":
        """Grow the pools; what that needs and is not there is a `LackingError`."""
        if not submissions:
            raise LackingError("give the runs that were pooled")
        first = entry_rounds((run.results for run in submissions), KEYS, rounds)
        kinds = [name for name in ("relevant", "elements", "passages") if view.documents[name].notna().all()]
        table = first.to_frame().join(view.documents[kinds], how="left")
        totals = view.documents.groupby("topic")[kinds].sum()
        curves: dict[object, pd.DataFrame] = {}
        for topic, of_topic in table.groupby("topic"):
            per_round = of_topic.groupby("round").agg(
                documents=("round", "size"), **{name: (name, "sum") for name in kinds}
            )
            unknown = of_topic.loc[of_topic[kinds[0]].isna(), "round"]
            ended = per_round[per_round.index < (unknown.min() if len(unknown) else np.inf)].cumsum()
            if len(ended) and topic in totals.index:
                curves[topic] = ended
        if not curves:
            message = "the first documents of the runs were not assessed, so these are not the runs that were pooled"
            raise LackingError(message)
        return cls(curves, totals.loc[list(curves)], kinds)

    def table(self) -> pd.DataFrame:
        """Return the table of `pool_growth`."""
        longest = int(max(curve["documents"].iloc[-1] for curve in self.curves.values()))
        sizes = np.arange(1, longest + 1)
        ends = np.array([curve["documents"].iloc[-1] for curve in self.curves.values()])
        reach = sizes[None, :] <= ends[:, None]
        frame = pd.DataFrame({"documents": sizes, "topics": reach.sum(axis=0)})
        for name in self.kinds:
            interpolated = np.array(
                [_interpolated(sizes, curve["documents"], curve[name]) for curve in self.curves.values()]
            )
            sums = np.where(reach, interpolated, 0.0).sum(axis=0)
            total = np.where(reach, self.totals[name].to_numpy()[:, None], 0.0).sum(axis=0)
            frame[name] = sums / frame["topics"]
            frame[f"{name}_share"] = np.divide(sums, total, out=np.full(len(sums), np.nan), where=total > 0)
        return frame

    def per_document(self) -> pd.DataFrame:
        """Return what a document of the pool holds before a rank and after it: 250, or half of a smaller pool.

        Rows are the `kinds`; only topics whose pool goes on beyond that rank count.
        """
        ends = [int(curve["documents"].iloc[-1]) for curve in self.curves.values()]
        rank = _STEADY if max(ends) > _STEADY else max(ends) // 2
        reaching = [curve for curve, end in zip(self.curves.values(), ends, strict=True) if end > rank > 0]
        rows = []
        for name in self.kinds if reaching else ():
            before = [_interpolated(np.array([rank]), curve["documents"], curve[name])[0] for curve in reaching]
            after = [
                (curve[name].iloc[-1] - n_before) / (curve["documents"].iloc[-1] - rank)
                for curve, n_before in zip(reaching, before, strict=True)
            ]
            rows.append((name, rank, len(reaching), np.mean(before) / rank, np.mean(after)))
        return pd.DataFrame(rows, columns=["found", "rank", "topics", "before", "after"])

    def beyond(self, added: int, *, confidence: float = 0.95) -> pd.DataFrame:
        """Return what more documents would hold, at the rate of the second half of each pool."""
        rows = {}
        for name in (kind for kind in ("relevant", "passages") if kind in self.kinds):
            rates = np.array([_last_rate(curve["documents"], curve[name]) for curve in self.curves.values()])
            error = rates.std(ddof=1) / np.sqrt(len(rates)) if len(rates) > 1 else np.nan
            half = error * student.ppf((1 + confidence) / 2, max(1, len(rates) - 1))
            most = 1.0 if name == "relevant" else np.inf
            ends = np.clip(rates.mean() + np.array([-half, half]), 0.0, most) * added
            rows[name] = (rates.mean(), added * rates.mean(), *ends)
        return pd.DataFrame.from_dict(rows, orient="index", columns=["rate", "expected", "low", "high"])


def _last_rate(documents: "pd.Series[int]", found: "pd.Series[float]") -> float:
    last = int(documents.iloc[-1])
    before = _interpolated(np.array([last // 2]), documents, found)[0]
    return float((found.iloc[-1] - before) / (last - last // 2))


def _interpolated(sizes: Ints, documents: "pd.Series[int]", found: "pd.Series[float]") -> Floats:
    return np.interp(sizes, np.r_[0, documents.to_numpy()], np.r_[0.0, found.to_numpy()])


def pool_coverage(view: AssessmentTables, pools: pd.DataFrame | None) -> pd.DataFrame:
    """Return for every topic of the pool files its documents, those assessed, and those assessed outside the pool."""
    if pools is None:
        raise LackingError("give the pool files")
    check_columns(pools, "pools", KEYS)
    pooled = pd.MultiIndex.from_frame(pools[KEYS].drop_duplicates())
    assessed = view.documents.index
    frame = pd.DataFrame({"documents": pd.Series(1, index=pooled), "assessed": pooled.isin(assessed).astype(int)})
    sums = frame.groupby("topic").sum()
    outside = pd.Series(~assessed.isin(pooled), index=assessed).groupby("topic").sum()
    sums["outside"] = outside.reindex(sums.index, fill_value=0).astype(int)
    return sums.loc[natural_order(sums.index)]


def new_run_coverage(
    pooled: Iterable[Submission],
    new: Iterable[Submission],
    *,
    sizes: Sequence[int] = POOL_SIZES,
    rounds: Rounds = "results",
) -> pd.DataFrame:
    """Return the share of the results of new runs that is in a pool of documents or elements.

    Parameters
    ----------
    pooled : iterable of Submission
        The runs that make the pools, in rounds, until the pool of a topic holds `sizes` documents or elements.
    new : iterable of Submission
        Runs outside the pool.
    sizes : sequence of int
    rounds : {"results", "documents"}
        For pools of documents, as in `pool_growth`. A pool of elements gets every run's next element either way.

    Returns
    -------
    pandas.DataFrame
        One row a ``unit`` ("documents"; "elements", if all results are elements), ``size`` and ``rank``: ``results``
        of the new runs there, over topics and runs, ``in_pool`` of them (a result counts if its document, or itself,
        is in the pool), their ``share``, and ``share_up_to``, that of all results at that rank or above.

    Raises
    ------
    InvalidOptionError
        If there are no runs of one kind or the other, no topic of the new ones was pooled, or a size is below 1.
    UnknownNameError
        For other `rounds`.

    Notes
    -----
    Piwowarski, Trotman and Lalmas (2008), Figure 3, whose axes are ``rank`` and ``share_up_to``. On either side the
    results counted are elements: of the left one those whose document is in the pool, of the right one those that are
    there themselves. A pool ends with the first round that makes it large enough (sections 4.1 and 5.2.1). In the pool
    means judged where the pool was judged.

    Examples
    --------
    >>> def run(name, *results):
    ...     table = pd.DataFrame(results, columns=["document", "path"]).assign(topic="1")
    ...     return Submission(run=name, results=table)
    >>> pooled = run("a", ("d1", "/a[1]"), ("d1", "/a[1]/p[1]"), ("d2", "/a[1]"))
    >>> found = new_run_coverage([pooled], [run("b", ("d1", "/a[1]/p[2]"), ("d2", "/a[1]"))], sizes=[2])
    >>> found[["unit", "rank", "share"]].to_numpy().tolist()
    [['documents', 1, 1.0], ['documents', 2, 1.0], ['elements', 1, 0.0], ['elements', 2, 0.0]]
    """
    runs, others = check_kinds(pooled, "pooled", "Submission"), check_kinds(new, "new", "Submission")
    for name, submissions in (("pooled", runs), ("new", others)):
        if not any(len(run.results) for run in submissions):
            raise InvalidOptionError(f"`{name}` holds no results; give at least one run that has some")
    wanted = np.array([check_count(size, "sizes") for size in sizes])
    every = [run.results for run in (*runs, *others)]
    elements = all("path" in table and (table["path"] != "").all() for table in every)
    frames = []
    for unit in ("documents", "elements") if elements else ("documents",):
        keys = KEYS if unit == "documents" else [*KEYS, "path"]
        depth, entry = _rank_by_rank([run.results for run in runs], keys, wanted, rounds)
        counts = [_inside(run.results, keys, depth, entry) for run in others]
        sums = np.zeros((len(wanted) + 1, max(table.shape[1] for table in counts)), dtype=np.int64)
        for table in counts:
            sums[:, : table.shape[1]] += table
        total = sums[-1]
        for size, inside in zip(wanted, sums[:-1], strict=True):
            columns = {"rank": np.arange(1, len(total) + 1), "results": total, "in_pool": inside}
            shares = {"share": inside / total, "share_up_to": np.cumsum(inside) / np.cumsum(total)}
            frames.append(pd.DataFrame({"unit": unit, "size": size, **columns, **shares}))
    result = pd.concat(frames, ignore_index=True)
    if result.empty:
        message = "no topic of the new runs is one of the pooled runs, so no pool could hold their results"
        raise InvalidOptionError(message)
    return result


def _rank_by_rank(
    tables: list[pd.DataFrame], keys: list[str], sizes: Ints, rounds: Rounds
) -> tuple[pd.DataFrame, "pd.Series[int]"]:
    """Return the round that completes each topic's pool of each size, and the round in which each result comes in."""
    entry = entry_rounds(tables, keys, rounds)
    new = entry.reset_index().groupby(["topic", "round"]).size().unstack(fill_value=0)  # noqa: PD010 - a grid
    pool_sizes, last = (
        new.cumsum(axis=1).to_numpy(),
        new.columns.to_numpy(),
    )  # a round may bring nothing new to any topic
    depth = [np.where(pool_sizes[:, -1] < size, last[-1], last[(pool_sizes >= size).argmax(axis=1)]) for size in sizes]
    return pd.DataFrame(np.transpose(depth), index=new.index), entry


def _inside(table: pd.DataFrame, keys: list[str], depth: pd.DataFrame, entry: "pd.Series[int]") -> Ints:
    """Count at every rank the results in the pool of each size; the last row counts all results of pooled topics."""
    pooled = table[table["topic"].isin(depth.index)]
    rank = pooled.groupby("topic").cumcount().to_numpy()
    came = entry.reindex(pd.MultiIndex.from_frame(pooled[keys])).fillna(np.inf).to_numpy()
    last = depth.reindex(pooled["topic"]).to_numpy()
    inside = [came <= column for column in last.T]
    longest = int(rank.max(initial=-1)) + 1
    return np.array([np.bincount(rank[mask], minlength=longest) for mask in (*inside, np.ones(len(rank), dtype=bool))])
