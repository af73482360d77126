"""What assessors of focused retrieval did, by the analyses of Piwowarski, Trotman and Lalmas (2008)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.agreement.assessments import element_agreement, passage_agreement
from metaeval.cells import natural_order
from metaeval.collection.inex import TOO_SMALL, Assessments, Submission
from metaeval.equality import difference
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.provenance import Provenance, record_provenance
from metaeval.studies.study import Study

__all__ = ["ELEMENT_CLASSES", "SHORT", "AssessmentStudy", "growth_kinds", "pool_growth", "shown_growth"]
__all__ += ["study_assessments"]

ELEMENT_CLASSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "article": ("article",),
        "body": ("body", "bdy"),
        "section": ("section", "sec", "ss1", "ss2"),
        "paragraph": ("p", "ip1", "ip2", "list"),
    }
)
"""Tags of the four classes of elements of Piwowarski et al. (2008, Table VII); all others are "other"."""

SHORT = 55
"""Characters below which most elements were judged too small (section 5.2.3 there)."""

_KEYS = ["topic", "document"]
_TAG = re.compile(r"/([^/\[\]]+)\[[0-9]+\]\Z")
_TEXT_NODE = re.compile(r"/text\(\)(\[[0-9]+\])?(\.[0-9]+)?\Z")
_QUANTILES = {"low": 0.05, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.95}
_BUCKETS = 10
_FEW = 5
_MANY = 20
_QUOTED_SIZES = (20, 50, 100, 200, 250, 300, 400, 500)
_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssessmentStudy(Study):
    """What assessments say of how they were made. A table that they cannot fill is empty, and `lacking` says why.

    Attributes
    ----------
    scale : str
    topics : pandas.DataFrame
        One row a topic: ``documents`` assessed, ``relevant`` ones, ``elements`` (relevant, without those too small),
        ``too_small``, ``passages``, ``highlighted`` characters; NaN where not known.
    growth : pandas.DataFrame
        See `pool_growth`.
    pools : pandas.DataFrame
        One row a topic of the pool files: ``documents``, ``assessed`` of them, ``outside`` (assessed, not in the pool).
    passages : pandas.DataFrame
        ``passages`` of a document, ``documents`` that have so many, ``share`` of them, ``up_to`` (share with no more).
    elemental : pandas.DataFrame
        ``kind`` ("elemental", "other", "unknown"), ``passages``, ``share`` of those known.
    specificity : pandas.DataFrame
        ``element_class``, ``low``, ``high`` (specificity above low up to high, in [0, 1]), ``elements``.
    classes : pandas.DataFrame
        ``element_class``, ``elements``, ``mean`` specificity in [0, 1], ``of_paragraph`` (over that of paragraphs),
        ``full`` (share relevant throughout).
    sizes : pandas.DataFrame
        ``exhaustivity`` as written, ``elements``, ``low`` (5 %), ``quarter``, ``median``, ``three_quarters``, ``high``
        (95 %) and ``mean`` of their characters, ``short`` (share below 55 characters).
    entries : pandas.DataFrame
        One row a relevant document with a best entry point: characters from the beginning of the ``first``,
        ``biggest`` and ``nearest`` passage to it (negative: it lies before; NaN where places are points in the tree),
        and whether it ``starts_first`` and ``starts_any``.
    times : pandas.DataFrame
        One row a document in the log: ``seconds``, ``relevant``.
    element_agreement, passage_agreement : pandas.DataFrame
        See `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement`.
    lacking : tuple of str
        Which question could not be answered, and for want of what.
    notes : tuple of str
    provenance : Provenance
    """

    reported_by: ClassVar[str] = "metaeval.reports.assessment:assessment_report"

    scale: str
    topics: pd.DataFrame
    growth: pd.DataFrame
    pools: pd.DataFrame
    passages: pd.DataFrame
    elemental: pd.DataFrame
    specificity: pd.DataFrame
    classes: pd.DataFrame
    sizes: pd.DataFrame
    entries: pd.DataFrame
    times: pd.DataFrame
    element_agreement: pd.DataFrame
    passage_agreement: pd.DataFrame
    lacking: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return the figures that papers quote: ``question``, ``statistic``, ``value``."""
        rows = [
            (question, statistic, float(value))
            for question, figures in _FIGURES.items()
            for statistic, value in figures(self)
            if np.isfinite(value)
        ]
        return pd.DataFrame(rows, columns=["question", "statistic", "value"])

    def figure(self, question: str, statistic: str) -> float:
        """Return one of the figures of `to_frame`; NaN where it is not known."""
        return float(dict(_FIGURES[question](self)).get(statistic, np.nan))


def study_assessments(  # noqa: PLR0913 - one keyword per source
    assessments: Assessments,
    *,
    submissions: Iterable[Submission] = (),
    pools: pd.DataFrame | None = None,
    second: Assessments | None = None,
    log: pd.DataFrame | None = None,
    sizes: pd.DataFrame | None = None,
    classes: Mapping[str, Sequence[str]] = ELEMENT_CLASSES,
    longest_break: float = 600.0,
    provenance: Provenance | None = None,
) -> AssessmentStudy:
    """Ask of assessments what Piwowarski, Trotman and Lalmas (2008) asked of those of INEX.

    Parameters
    ----------
    assessments : Assessments
        Of any scale; what it does not hold is said in `lacking`.
    submissions : iterable of Submission, optional
        The runs that were pooled, for the growth of the pools.
    pools : pandas.DataFrame, optional
        Columns ``topic`` and ``document``, as `metaeval.inex.read_pool` returns.
    second : Assessments, optional
        By another assessor of some of the topics.
    log : pandas.DataFrame, optional
        Columns ``topic``, ``document`` and either ``seconds`` (spent on it; several rows add up) or ``time`` (of an
        action, in seconds or as a date): then the time to the topic's next action counts for the document.
    sizes : pandas.DataFrame, optional
        Columns ``document``, ``path``, ``size``, for elements whose size the assessments do not say.
    classes : mapping of str to sequence of str
        Tags of each class of elements; specificity is compared with that of the last one.
    longest_break : float, default 600
        A longer time between two actions of a log is a break and does not count.
    provenance : Provenance, optional

    Returns
    -------
    AssessmentStudy

    Raises
    ------
    InvalidOptionError
        If no document was assessed, or `log`, `pools` or `sizes` lack a column.

    Notes
    -----
    A document is relevant if text in it is highlighted or an element relevant. A passage is elemental if it is as long
    as the smallest element around its two ends (section 5.2.4). Specificity of 2003 and 2004 is divided by 3, as in
    Table VII.

    References
    ----------
    B. Piwowarski, A. Trotman and M. Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM
    Transactions on Information Systems 27(1), sections 4 and 5.

    Examples
    --------
    >>> documents = pd.DataFrame({"topic": "1", "document": ["d1", "d2"], "relevant_size": [30, 0]})
    >>> marked = pd.DataFrame({"topic": "1", "document": "d1", "offset": [10, 70], "length": [20, 10]})
    >>> judged = Assessments(scale="passages", documents=documents.assign(best_entry=5), passages=marked)
    >>> study = study_assessments(judged)
    >>> study.passages["documents"].tolist(), study.entries["first"].tolist()
    ([1], [-5.0])
    """
    if assessments.documents.empty:
        message = f"{assessments.source or 'the assessments'} hold no assessed document"
        raise InvalidOptionError(message)
    view = _View.of(assessments, sizes)
    lacking: list[str] = []
    notes = [*assessments.notes, *view.doubts()]

    def asked(question: str, answer: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        try:
            return answer()
        except _LackingError as error:
            lacking.append(f"{question}: {error}")
            return pd.DataFrame()

    runs = list(submissions)
    return AssessmentStudy(
        scale=assessments.scale,
        topics=view.topics(),
        growth=asked("Growth of the pools", lambda: _growth(view, runs)),
        pools=asked("Pools", lambda: _pools(view, pools)),
        passages=asked("Passages of a document", view.passages_per_document),
        elemental=asked("Passages that are elements", view.elemental),
        specificity=asked("Specificity", lambda: view.specificity(classes)),
        classes=asked("Specificity", lambda: view.specificity_of_classes(classes)),
        sizes=asked("Exhaustivity and size", view.sizes_by_exhaustivity),
        entries=asked("Best entry points", view.entries),
        times=asked("Time", lambda: _times(view, log, longest_break, notes)),
        element_agreement=asked("Agreement on elements", lambda: _second(assessments, second, "elements")),
        passage_agreement=asked("Agreement on passages", lambda: _second(assessments, second, "passages")),
        lacking=tuple(dict.fromkeys(lacking)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_assessments"),
    )


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
        return _growth(_View.of(assessments, None), list(submissions))
    except _LackingError as error:
        raise InvalidOptionError(str(error)) from None


class _LackingError(Exception):
    """Something that an answer needs is not there; its words say what."""


# ------------------------------------------------------------------------------------- what assessments hold themselves


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _View:
    """Assessments as tables ready to be asked: relevant elements with sizes, documents with what is in them."""

    assessments: Assessments
    documents: pd.DataFrame
    elements: pd.DataFrame
    sizes: pd.DataFrame

    @classmethod
    def of(cls, assessments: Assessments, sizes: pd.DataFrame | None) -> "_View":
        table = assessments.elements
        relevant = table[(table["exhaustivity"] != 0) & (table["specificity"] > 0)]
        known = _sizes(sizes)
        elements = relevant.merge(known, on=["document", "path"], how="left")
        own = elements.get("size", pd.Series(-1, index=elements.index))
        elements["size"] = own.where(own > 0, elements["known_size"]).astype(np.float64)
        counts = {
            "elements": elements[elements["exhaustivity"] != TOO_SMALL].groupby(_KEYS).size(),
            "too_small": elements[elements["exhaustivity"] == TOO_SMALL].groupby(_KEYS).size(),
            "passages": assessments.passages.groupby(_KEYS).size(),
        }
        documents = assessments.documents.drop_duplicates(_KEYS).set_index(_KEYS)
        for name, count in counts.items():
            documents[name] = count.reindex(documents.index, fill_value=0).astype(np.float64)
        marked = documents.get("relevant_size", pd.Series(-1, index=documents.index))
        inside = documents[list(counts)].sum(axis=1) > 0
        documents["relevant"] = ((marked > 0) | inside).astype(np.float64)
        documents["highlighted"] = marked.where(marked >= 0).astype(np.float64)
        if assessments.scale == "passages":
            documents[["elements", "too_small"]] = np.nan
        elif assessments.scale != "2005":
            documents[["too_small", "highlighted"]] = np.nan
        if assessments.passages.empty:
            documents["passages"] = np.nan
        return cls(assessments=assessments, documents=documents, elements=elements, sizes=known)

    def doubts(self) -> list[str]:
        """Say what looks as if a file had been changed or cut on its way."""
        notes = []
        if len(self.documents) >= _MANY and (self.documents["relevant"] > 0).all():
            notes.append("every document listed is relevant; those without relevant text seem to have been left out")
        entries = self.documents.get("best_entry", pd.Series(dtype=np.int64))
        given = entries[entries >= 0]
        if len(given) >= _MANY and len(given.unique()) == 1:
            notes.append(f"every best entry point is character {given.iloc[0]}, which nobody chose; do not trust them")
        return notes

    def topics(self) -> pd.DataFrame:
        """Return what every topic has."""
        names = ["relevant", "elements", "too_small", "passages", "highlighted"]
        sums = self.documents.groupby("topic")[names].sum(min_count=1)
        sums.insert(0, "documents", self.documents.groupby("topic").size().astype(np.float64))
        return sums.loc[natural_order(sums.index)]

    def passages_per_document(self) -> pd.DataFrame:
        """Return how many documents have how many passages."""
        table = self._passages()
        counts = table.groupby(_KEYS).size().value_counts().sort_index()
        share = counts / counts.sum()
        return pd.DataFrame(
            {
                "passages": counts.index.to_numpy(),
                "documents": counts.to_numpy(),
                "share": share.to_numpy(),
                "up_to": share.cumsum().to_numpy(),
            }
        )

    def elemental(self) -> pd.DataFrame:
        """Return how many passages are as long as the smallest element around them."""
        table = self._passages()
        if not (table.get("start", pd.Series("", index=table.index)) != "").any():
            message = "passages are given by characters, which do not say where elements begin"
            raise _LackingError(message)
        around = pd.DataFrame(
            {
                "topic": table["topic"],
                "document": table["document"],
                "path": [_around(*ends) for ends in zip(table["start"], table["end"], strict=True)],
                "length": table["length"],
            }
        )
        own = self.elements[[*_KEYS, "path", "size"]]
        found = around.merge(own, on=[*_KEYS, "path"], how="left").merge(
            self.sizes, on=["document", "path"], how="left"
        )
        size = found["size"].fillna(found["known_size"])
        whole = int((size == found["length"]).sum())
        unknown = int(size.isna().sum())
        counts = np.array([whole, len(found) - whole - unknown, unknown])
        judged = len(found) - unknown
        shares = [count / judged if judged else np.nan for count in counts[:2]]
        return pd.DataFrame({"kind": ["elemental", "other", "unknown"], "passages": counts, "share": [*shares, np.nan]})

    def specificity(self, classes: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        """Return how many elements of each class are specific in which degree."""
        table = self._specific(classes)
        steps = _BUCKETS if self.assessments.scale == "2005" else 3
        degree = steps * table["specificity"].to_numpy()
        above = difference(degree, np.floor(degree), degree, 0.0) > 0  # 0.3 of ten is three, on paper
        bucket = (np.floor(degree) + above).astype(np.int64)
        full = table["full"].to_numpy() & (self.assessments.scale == "2005")
        bucket[full] = steps + 1
        counts = table.groupby(["element_class", bucket]).size()
        names = [name for name in (*classes, "other") if name in set(table["element_class"])]
        last = steps + 1 if self.assessments.scale == "2005" else steps
        every = pd.MultiIndex.from_product([names, range(1, last + 1)])
        filled = counts.reindex(every, fill_value=0)
        place = filled.index.get_level_values(1).to_numpy()
        return pd.DataFrame(
            {
                "element_class": filled.index.get_level_values(0),
                "low": np.where(place > steps, 1.0, (place - 1) / steps),
                "high": np.where(place > steps, 1.0, place / steps),
                "elements": filled.to_numpy(),
            }
        )

    def specificity_of_classes(self, classes: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        """Return the mean specificity of each class, and how it compares with the last one, of paragraphs."""
        groups = self._specific(classes).groupby("element_class")
        frame = groups.agg(elements=("specificity", "size"), mean=("specificity", "mean"), full=("full", "mean"))
        frame = frame.reindex([name for name in (*classes, "other") if name in frame.index])
        last = [*classes][-1] if classes else ""
        frame["of_paragraph"] = frame["mean"] / (frame["mean"][last] if last in frame.index else np.nan)
        return frame.reset_index()[["element_class", "elements", "mean", "of_paragraph", "full"]]

    def sizes_by_exhaustivity(self) -> pd.DataFrame:
        """Return the sizes of elements of every degree of exhaustivity, from the lowest."""
        table = self._elements()
        known = table[table["size"].notna()]
        if known.empty:
            message = "nobody says how many characters the elements have; give a table of sizes"
            raise _LackingError(message)
        rows = []
        for degree, own in known.groupby("exhaustivity"):
            size = own["size"].to_numpy(dtype=np.float64)
            quantiles = dict(zip(_QUANTILES, np.quantile(size, list(_QUANTILES.values())), strict=True))
            label = "?" if degree == TOO_SMALL else str(degree)
            shares = {"mean": size.mean(), "short": float((size < SHORT).mean())}
            rows.append({"exhaustivity": label, "elements": len(own), **quantiles, **shares})
        return pd.DataFrame(rows)

    def entries(self) -> pd.DataFrame:
        """Return where best entry points lie, seen from the passages."""
        table, documents = self._passages(), self.documents
        entry = documents.get("best_entry", pd.Series(-1, index=documents.index))
        if (entry >= 0).any() and (table["offset"] >= 0).all():
            return _entries_by_offset(table, entry[entry >= 0])
        points = documents.get("best_entry_point", pd.Series("", index=documents.index))
        if (points != "").any() and "start" in table:
            return _entries_by_point(table, points[points != ""])
        message = "the assessments hold no best entry points"
        raise _LackingError(message)

    def _passages(self) -> pd.DataFrame:
        if self.assessments.passages.empty:
            message = "the assessments hold no passages"
            raise _LackingError(message)
        return self.assessments.passages

    def _elements(self) -> pd.DataFrame:
        if self.elements.empty:
            message = "the assessments hold no relevant elements"
            raise _LackingError(message)
        return self.elements

    def _specific(self, classes: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        table = self._elements()
        if self.assessments.scale == "2002":
            message = "assessments of 2002 have coverage instead of specificity"
            raise _LackingError(message)
        top = 3 if self.assessments.scale == "2003" else 1
        of_tag = {tag: name for name, tags in classes.items() for tag in tags}
        tags = [found[1] if (found := _TAG.search(path)) else "" for path in table["path"]]
        value = table["specificity"].to_numpy(dtype=np.float64) / top
        return pd.DataFrame(
            {"element_class": [of_tag.get(tag, "other") for tag in tags], "specificity": value, "full": value == 1}
        )


def _sizes(sizes: pd.DataFrame | None) -> pd.DataFrame:
    if sizes is None:
        return pd.DataFrame({"document": pd.Series(dtype=object), "path": pd.Series(dtype=object), "known_size": []})
    _check_columns(sizes, "sizes", ("document", "path", "size"))
    return sizes.drop_duplicates(["document", "path"])[["document", "path", "size"]].rename(
        columns={"size": "known_size"}
    )


def _check_columns(table: pd.DataFrame, argument: str, names: Sequence[str]) -> None:
    absent = [name for name in names if name not in table]
    if absent:
        message = f"{argument}= needs the columns {', '.join(names)}; {', '.join(absent)} is missing"
        raise InvalidOptionError(message)


def _around(start: str, end: str) -> str:
    """Return the path of the smallest element around two points."""
    steps = [_TEXT_NODE.sub("", point).split("/") for point in (start, end)]
    shared = 0
    for first, other in zip(*steps, strict=False):
        if first != other:
            break
        shared += 1
    return "/".join(steps[0][:shared])


def _entries_by_offset(table: pd.DataFrame, entry: "pd.Series[int]") -> pd.DataFrame:
    rows = table.merge(entry.rename("entry").reset_index(), on=_KEYS)
    rows["distance"] = (rows["entry"] - rows["offset"]).astype(np.float64)
    rows["away"] = rows["distance"].abs()
    first = rows.sort_values("offset", kind="stable").groupby(_KEYS)["distance"].first()
    biggest = rows.sort_values(["length", "offset"], ascending=[False, True]).groupby(_KEYS)["distance"].first()
    nearest = rows.sort_values(["away", "offset"], kind="stable").groupby(_KEYS)["distance"].first()
    frame = pd.DataFrame({"first": first, "biggest": biggest, "nearest": nearest})
    return frame.assign(starts_first=frame["first"] == 0, starts_any=frame["nearest"] == 0).reset_index()


def _entries_by_point(table: pd.DataFrame, points: "pd.Series[str]") -> pd.DataFrame:
    rows = table.merge(points.rename("entry").reset_index(), on=_KEYS)
    same = (rows["entry"] == rows["start"]).groupby([rows[name] for name in _KEYS])
    frame = pd.DataFrame({"first": np.nan, "biggest": np.nan, "nearest": np.nan}, index=same.first().index)
    return frame.assign(starts_first=same.first(), starts_any=same.any()).reset_index()


# ------------------------------------------------------------------------------------------- what other sources add


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


def _growth(view: _View, submissions: list[Submission]) -> pd.DataFrame:
    if not submissions:
        message = "give the runs that were pooled"
        raise _LackingError(message)
    rounds = []
    for run in submissions:
        documents = run.results[_KEYS].drop_duplicates()
        rounds.append(documents.assign(round=documents.groupby("topic").cumcount()))
    first = pd.concat(rounds).groupby(_KEYS, sort=False)["round"].min()
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
        raise _LackingError(message)
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


def _pools(view: _View, pools: pd.DataFrame | None) -> pd.DataFrame:
    if pools is None:
        message = "give the pool files"
        raise _LackingError(message)
    _check_columns(pools, "pools", _KEYS)
    pooled = pd.MultiIndex.from_frame(pools[_KEYS].drop_duplicates())
    assessed = view.documents.index
    frame = pd.DataFrame({"documents": pd.Series(1, index=pooled), "assessed": pooled.isin(assessed).astype(int)})
    sums = frame.groupby("topic").sum()
    outside = pd.Series(~assessed.isin(pooled), index=assessed).groupby("topic").sum()
    sums["outside"] = outside.reindex(sums.index, fill_value=0).astype(int)
    return sums.loc[natural_order(sums.index)]


def _times(view: _View, log: pd.DataFrame | None, longest_break: float, notes: list[str]) -> pd.DataFrame:
    if log is None:
        message = "give a log of the assessors' actions"
        raise _LackingError(message)
    _check_columns(log, "log", _KEYS)
    if "seconds" in log:
        spent = log[[*_KEYS, "seconds"]]
    else:
        _check_columns(log, "log", [*_KEYS, "time"])
        spent = _spent(log, longest_break, notes)
    if not (spent["seconds"] >= 0).all():
        message = "log= has times that are negative or missing; leave those rows out"
        raise InvalidOptionError(message)
    total = spent.groupby(_KEYS)["seconds"].sum()
    known = total.index.isin(view.documents.index)
    if not known.all():
        notes.append(f"documents in the log that were not assessed, and do not count: {int((~known).sum())}")
    kept = total[known]
    if kept.empty:
        message = "the log has none of the documents assessed"
        raise _LackingError(message)
    relevant = view.documents["relevant"].reindex(kept.index) > 0
    return pd.DataFrame({"seconds": kept.astype(np.float64), "relevant": relevant}).reset_index()


def _spent(log: pd.DataFrame, longest_break: float, notes: list[str]) -> pd.DataFrame:
    """Give every action the time to the topic's next one; a long one is a break."""
    time = log["time"]
    if not pd.api.types.is_numeric_dtype(time):
        parsed = pd.to_datetime(time, errors="coerce", utc=True, format="ISO8601")
        if parsed.isna().any():
            wrong = time[parsed.isna()].iloc[0]
            message = f"log= has the time {wrong!r}; write seconds, or dates such as 2006-11-02 14:05:30"
            raise InvalidOptionError(message)
        time = (parsed - parsed.min()).dt.total_seconds()
    rows = log[_KEYS].assign(time=time.astype(np.float64)).sort_values(["topic", "time"], kind="stable")
    gap = rows.groupby("topic")["time"].shift(-1) - rows["time"]
    breaks = gap > longest_break
    if breaks.any():
        notes.append(f"pauses of more than {longest_break:g} s in the log, which are no work: {int(breaks.sum())}")
    return rows.assign(seconds=gap.where(~breaks, 0.0).fillna(0.0))


def _second(first: Assessments, second: Assessments | None, kind: str) -> pd.DataFrame:
    if second is None:
        message = "give the assessments of a second assessor"
        raise _LackingError(message)
    if any(getattr(one, kind).empty for one in (first, second)):
        message = f"the assessments hold no {kind}"
        raise _LackingError(message)
    if kind == "passages" and any((one.passages["offset"] < 0).any() for one in (first, second)):
        message = "passages are given by points in the tree, and their characters cannot be compared"
        raise _LackingError(message)
    try:
        return element_agreement(first, second) if kind == "elements" else passage_agreement(first, second)
    except ScoresError as error:
        raise _LackingError(str(error)) from None


# ------------------------------------------------------------------------------------------- figures that papers quote

type _Named = Iterator[tuple[str, float]]


def _of_topics(study: AssessmentStudy) -> _Named:
    yield "topics", len(study.topics)
    yield from ((f"{name} per topic", mean) for name, mean in study.topics.mean().items())


def _of_growth(study: AssessmentStudy) -> _Named:
    for row in shown_growth(study.growth).to_dict("records"):
        for kind in growth_kinds(study.growth):
            yield f"share of {kind} by {row['documents']} documents", row[f"{kind}_share"]


def _of_pools(study: AssessmentStudy) -> _Named:
    if len(study.pools):
        yield "documents per topic", study.pools["documents"].mean()
        yield "share assessed", study.pools["assessed"].sum() / study.pools["documents"].sum()


def _of_passages(study: AssessmentStudy) -> _Named:
    if len(study.passages):
        table = study.passages
        yield "share with one", table["share"][table["passages"] == 1].sum()
        yield "share with at most five", table["share"][table["passages"] <= _FEW].sum()
        yield "most", table["passages"].max()


def _of_elemental(study: AssessmentStudy) -> _Named:
    if len(study.elemental):
        yield "share", study.elemental["share"].iloc[0]


def _of_specificity(study: AssessmentStudy) -> _Named:
    for row in study.classes.to_dict("records"):
        yield f"mean of class {row['element_class']}", row["mean"]


def _of_sizes(study: AssessmentStudy) -> _Named:
    for row in study.sizes.to_dict("records"):
        yield f"median size at {row['exhaustivity']}", row["median"]
        yield f"share below {SHORT} characters at {row['exhaustivity']}", row["short"]


def _of_entries(study: AssessmentStudy) -> _Named:
    if len(study.entries):
        yield "share where the first passage begins", study.entries["starts_first"].mean()
        yield "share where some passage begins", study.entries["starts_any"].mean()
        for name in ("first", "biggest", "nearest"):
            yield f"median distance to the {name}", study.entries[name].abs().median()


def _of_times(study: AssessmentStudy) -> _Named:
    if len(study.times):
        for kind, relevant in (("relevant", True), ("irrelevant", False)):
            yield (
                f"mean seconds of {kind} documents",
                study.times["seconds"][study.times["relevant"] == relevant].mean(),
            )
        yield "mean hours of a topic", study.times.groupby("topic")["seconds"].sum().mean() / _HOUR


def _of_elements_twice(study: AssessmentStudy) -> _Named:
    if len(study.element_agreement):
        yield from (
            (f"mean of {name}", study.element_agreement[name]["mean"]) for name in ("documents", "both", "exact")
        )


def _of_passages_twice(study: AssessmentStudy) -> _Named:
    if len(study.passage_agreement):
        yield "mean of_union", study.passage_agreement["of_union"].mean()


_FIGURES: Mapping[str, Callable[[AssessmentStudy], _Named]] = {
    "assessments": _of_topics,
    "pool growth": _of_growth,
    "pools": _of_pools,
    "passages per document": _of_passages,
    "elemental passages": _of_elemental,
    "specificity": _of_specificity,
    "exhaustivity and size": _of_sizes,
    "best entry points": _of_entries,
    "time": _of_times,
    "agreement of elements": _of_elements_twice,
    "agreement of passages": _of_passages_twice,
}
