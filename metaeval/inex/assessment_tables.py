"""What assessments of elements and passages hold, as tables: topics, passages, specificity, sizes, entry points.

The tables are those of Piwowarski, Trotman and Lalmas (2008).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from metaeval.base.names import natural_order
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, Assessments
from metaeval.running.equality import difference

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

KEYS = ["topic", "document"]
_TAG = re.compile(r"/([^/\[\]]+)\[[0-9]+\]\Z")
_TEXT_NODE = re.compile(r"/text\(\)(\[[0-9]+\])?(\.[0-9]+)?\Z")
_QUANTILES = {"low": 0.05, "quarter": 0.25, "median": 0.5, "three_quarters": 0.75, "high": 0.95}
_BUCKETS = 10
_MANY = 20


class LackingError(Exception):
    """Something that an answer needs is not there; its words say what."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssessmentTables(ShortRepr):
    """Assessments as tables ready to be asked: relevant elements with sizes, documents with what is in them."""

    assessments: Assessments
    documents: pd.DataFrame
    elements: pd.DataFrame
    sizes: pd.DataFrame

    @classmethod
    def of(cls, assessments: Assessments, sizes: pd.DataFrame | None) -> "AssessmentTables":
        """Return assessments as tables, with the sizes of elements that another table knows."""
        table = assessments.elements
        relevant = table[(table["exhaustivity"] != 0) & (table["specificity"] > 0)]
        known_sizes = _sizes(sizes)
        elements = relevant.merge(known_sizes, on=["document", "path"], how="left")
        stated = elements.get("size", pd.Series(-1, index=elements.index))
        elements["size"] = stated.where(stated > 0, elements["known_size"]).astype(np.float64)
        counts = {
            "elements": elements[elements["exhaustivity"] != TOO_SMALL].groupby(KEYS).size(),
            "too_small": elements[elements["exhaustivity"] == TOO_SMALL].groupby(KEYS).size(),
            "passages": assessments.passages.groupby(KEYS).size(),
        }
        documents = assessments.documents.drop_duplicates(KEYS).set_index(KEYS)
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
        return cls(assessments=assessments, documents=documents, elements=elements, sizes=known_sizes)

    def doubts(self) -> list[str]:
        """Say what looks as if a file had been changed or cut on its way."""
        notes = []
        if len(self.documents) >= _MANY and (self.documents["relevant"] > 0).all():
            notes.append("every document listed is relevant; those without relevant text seem to have been left out")
        entries = self.documents.get("best_entry", pd.Series(dtype=np.int64))
        positions = entries[entries >= 0]
        if len(positions) >= _MANY and len(positions.unique()) == 1:
            notes.append(
                f"every best entry point is character {positions.iloc[0]}, which nobody chose; do not trust them"
            )
        return notes

    def topics(self) -> pd.DataFrame:
        """Return what every topic has."""
        names = ["relevant", "elements", "too_small", "passages", "highlighted"]
        sums = self.documents.groupby("topic")[names].sum(min_count=1)
        sums.insert(0, "documents", self.documents.groupby("topic").size().astype(np.float64))
        return sums.loc[natural_order(sums.index)]

    def passages_per_document(self) -> pd.DataFrame:
        """Return how many documents have how many passages."""
        counts = self.passage_counts().value_counts().sort_index()
        share = counts / counts.sum()
        return pd.DataFrame(
            {
                "passages": counts.index.to_numpy(),
                "documents": counts.to_numpy(),
                "share": share.to_numpy(),
                "up_to": share.cumsum().to_numpy(),
            }
        )

    def passage_counts(self) -> "pd.Series[int]":
        """Return the number of passages of every document that has any, by topic and document."""
        return self._passages().groupby(KEYS).size()

    def elemental(self) -> pd.DataFrame:
        """Return how many passages are as long as the smallest element around them."""
        table = self._passages()
        if not (table.get("start", pd.Series("", index=table.index)) != "").any():
            raise LackingError("passages are given by characters, which do not say where elements begin")
        around = pd.DataFrame(
            {
                "topic": table["topic"],
                "document": table["document"],
                "path": [_around(*ends) for ends in zip(table["start"], table["end"], strict=True)],
                "length": table["length"],
            }
        )
        element_sizes = self.elements[[*KEYS, "path", "size"]]
        passages = around.merge(element_sizes, on=[*KEYS, "path"], how="left").merge(
            self.sizes, on=["document", "path"], how="left"
        )
        size = passages["size"].fillna(passages["known_size"])
        n_elemental = int((size == passages["length"]).sum())
        unknown = int(size.isna().sum())
        counts = np.array([n_elemental, len(passages) - n_elemental - unknown, unknown])
        judged = len(passages) - unknown
        shares = [count / judged if judged else np.nan for count in counts[:2]]
        return pd.DataFrame({"kind": ["elemental", "other", "unknown"], "passages": counts, "share": [*shares, np.nan]})

    def specificity(self, classes: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        """Return how many elements of each class are specific in which degree."""
        table = self._specific(classes)
        steps = _BUCKETS if self.assessments.scale == "2005" else 3
        degree = steps * table["specificity"].to_numpy()
        above = difference(degree, np.floor(degree), degree, 0.0) > 0  # 0.3 of ten is three but for rounding
        bucket = (np.floor(degree) + above).astype(np.int64)
        full = table["full"].to_numpy() & (self.assessments.scale == "2005")
        bucket[full] = steps + 1
        counts = table.groupby(["element_class", bucket]).size()
        names = [name for name in (*classes, "other") if name in set(table["element_class"])]
        last = steps + 1 if self.assessments.scale == "2005" else steps
        every = pd.MultiIndex.from_product([names, range(1, last + 1)])
        filled = counts.reindex(every, fill_value=0)
        step = filled.index.get_level_values(1).to_numpy()
        return pd.DataFrame(
            {
                "element_class": filled.index.get_level_values(0),
                "low": np.where(step > steps, 1.0, (step - 1) / steps),
                "high": np.where(step > steps, 1.0, step / steps),
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
        sized = table[table["size"].notna()]
        if sized.empty:
            raise LackingError("nobody says how many characters the elements have; give a table of sizes")
        rows = []
        for degree, of_degree in sized.groupby("exhaustivity"):
            size = of_degree["size"].to_numpy(dtype=np.float64)
            quantiles = dict(zip(_QUANTILES, np.quantile(size, list(_QUANTILES.values())), strict=True))
            label = "?" if degree == TOO_SMALL else str(degree)
            shares = {"mean": size.mean(), "short": float((size < SHORT).mean())}
            rows.append({"exhaustivity": label, "elements": len(of_degree), **quantiles, **shares})
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
        raise LackingError("the assessments hold no best entry points")

    def _passages(self) -> pd.DataFrame:
        if self.assessments.passages.empty:
            raise LackingError("the assessments hold no passages")
        return self.assessments.passages

    def _elements(self) -> pd.DataFrame:
        if self.elements.empty:
            raise LackingError("the assessments hold no relevant elements")
        return self.elements

    def _specific(self, classes: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        table = self._elements()
        if self.assessments.scale == "2002":
            raise LackingError("assessments of 2002 have coverage instead of specificity")
        top = 3 if self.assessments.scale == "2003" else 1
        of_tag = {tag: name for name, tags in classes.items() for tag in tags}
        tags = [match[1] if (match := _TAG.search(path)) else "" for path in table["path"]]
        value = table["specificity"].to_numpy(dtype=np.float64) / top
        return pd.DataFrame(
            {"element_class": [of_tag.get(tag, "other") for tag in tags], "specificity": value, "full": value == 1}
        )


def _sizes(sizes: pd.DataFrame | None) -> pd.DataFrame:
    if sizes is None:
        return pd.DataFrame({"document": pd.Series(dtype=object), "path": pd.Series(dtype=object), "known_size": []})
    check_columns(sizes, "sizes", ("document", "path", "size"))
    return sizes.drop_duplicates(["document", "path"])[["document", "path", "size"]].rename(
        columns={"size": "known_size"}
    )


def check_columns(table: pd.DataFrame, argument: str, names: Sequence[str]) -> None:
    """Refuse a table that lacks a column, naming the argument that brought it."""
    absent = [name for name in names if name not in table]
    if absent:
        raise InvalidOptionError(f"`{argument}` needs the columns {', '.join(names)}; {', '.join(absent)} is missing")


def _around(start: str, end: str) -> str:
    """Return the path of the smallest element around two points."""
    steps = [_TEXT_NODE.sub("", point).split("/") for point in (start, end)]
    shared = 0
    for first, second in zip(*steps, strict=False):
        if first != second:
            break
        shared += 1
    return "/".join(steps[0][:shared])


def _entries_by_offset(table: pd.DataFrame, entry: "pd.Series[int]") -> pd.DataFrame:
    rows = table.merge(entry.rename("entry").reset_index(), on=KEYS)
    rows["distance"] = (rows["entry"] - rows["offset"]).astype(np.float64)
    rows["away"] = rows["distance"].abs()
    first = rows.sort_values("offset", kind="stable").groupby(KEYS)["distance"].first()
    biggest = rows.sort_values(["length", "offset"], ascending=[False, True]).groupby(KEYS)["distance"].first()
    nearest = rows.sort_values(["away", "offset"], kind="stable").groupby(KEYS)["distance"].first()
    frame = pd.DataFrame({"first": first, "biggest": biggest, "nearest": nearest})
    return frame.assign(starts_first=frame["first"] == 0, starts_any=frame["nearest"] == 0).reset_index()


def _entries_by_point(table: pd.DataFrame, points: "pd.Series[str]") -> pd.DataFrame:
    rows = table.merge(points.rename("entry").reset_index(), on=KEYS)
    same = (rows["entry"] == rows["start"]).groupby([rows[name] for name in KEYS])
    frame = pd.DataFrame({"first": np.nan, "biggest": np.nan, "nearest": np.nan}, index=same.first().index)
    return frame.assign(starts_first=same.first(), starts_any=same.any()).reset_index()
