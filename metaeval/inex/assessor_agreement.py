"""Agreement of two assessors on highlighted text and on XML elements, as INEX reported it."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.agreement.label_statistics import ratio
from metaeval.base.checks import check_kind
from metaeval.base.names import natural_order
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.inex.assessment_tables import KEYS, AssessmentTables
from metaeval.inex.assessments import Assessments

type Intervals = NDArray[np.int64]

_BINS = (0.33, 0.67)


def character_ratios(first: object, second: object, both: object) -> pd.DataFrame:
    """Return the three ratios of Piwowarski et al. from characters marked by each assessor and by both.

    Parameters
    ----------
    first, second, both : array-like (n,)
        Characters.

    Returns
    -------
    pandas.DataFrame
        ``first``, ``second``, ``both``, ``of_first`` (both over first), ``of_second``, ``of_union``; NaN where nothing
        was marked.

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, Table XI.

    Examples
    --------
    >>> character_ratios([540218], [998147], [213864]).iloc[0, 3:].round(2).tolist()
    [0.4, 0.21, 0.16]
    """
    a, b, c = (np.asarray(characters, dtype=np.float64) for characters in (first, second, both))
    if (c > np.minimum(a, b)).any() or (c < 0).any():
        raise InvalidOptionError("characters marked by both must lie from 0 to what each assessor marked")
    shares = {"of_first": ratio(c, a), "of_second": ratio(c, b), "of_union": ratio(c, a + b - c)}
    return pd.DataFrame({"first": a, "second": b, "both": c, **shares})


def document_agreement(first: Assessments, second: Assessments) -> pd.DataFrame:
    """Compare which documents two assessors call relevant.

    Parameters
    ----------
    first, second : Assessments
        Of any scales: a document is relevant if something in it is. Only documents that both assessed are compared.
        Where an assessor lists no irrelevant document of a topic, those not listed count as irrelevant.

    Returns
    -------
    pandas.DataFrame
        Index ``topic``; ``first``, ``second``, ``both`` (relevant documents), ``of_first`` (both over first),
        ``of_second``, ``of_union``; NaN where nothing is relevant.

    Raises
    ------
    ScoresError
        If no topic has a document to compare.

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, section 5.2.6 and the third column of Table IX; from 2006 on they follow from
    the passages.

    Examples
    --------
    >>> documents = pd.DataFrame({"topic": "1", "document": ["d1", "d2", "d3"]})
    >>> one, two = (
    ...     Assessments(scale="passages", documents=documents.assign(relevant_size=marked))
    ...     for marked in ([9, 4, 0], [5, 0, 0])
    ... )
    >>> document_agreement(one, two)["of_union"].tolist()
    [0.5]
    """
    check_kind(first, "first", "Assessments")
    check_kind(second, "second", "Assessments")
    sides = [AssessmentTables.of(assessments, None).documents["relevant"] > 0 for assessments in (first, second)]
    shared = set(sides[0].index.get_level_values("topic")) & set(sides[1].index.get_level_values("topic"))
    joined = pd.concat(sides, axis=1, keys=["first", "second"])
    joined = joined[joined.index.get_level_values("topic").isin(shared)]
    for name, side in zip(joined.columns, sides, strict=True):
        relevant_only = side.groupby("topic").all().reindex(joined.index.get_level_values("topic"))
        unlisted = joined[name].isna() & relevant_only.to_numpy(dtype=bool)
        joined[name] = joined[name].mask(unlisted, other=False)
    judged = joined.dropna().astype(bool)
    if judged.empty:
        raise ScoresError("the two assessors share no assessed document")
    counts = judged.assign(both=judged["first"] & judged["second"]).groupby("topic").sum()
    counts = counts.loc[natural_order(counts.index)]
    return character_ratios(*counts.to_numpy().T).set_axis(counts.index, axis=0)


def passage_agreement(first: Assessments, second: Assessments) -> pd.DataFrame:
    """Compare the text that two assessors highlighted, in characters.

    Parameters
    ----------
    first, second : Assessments
        With passages by offset and length (`metaeval.inex.place_passages` gives them to those of 2005 and 2006). Only
        topics that both assessed are compared; a document that one of them
        did not mark has no highlighted text there.

    Returns
    -------
    pandas.DataFrame
        Index ``topic``, the columns of `character_ratios`.

    Raises
    ------
    ScoresError
        If the two share no topic, or a passage has no offset.

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, section 5.2.7 and Table XI.
    """
    check_kind(first, "first", "Assessments")
    check_kind(second, "second", "Assessments")
    mine, theirs = (_intervals(assessments) for assessments in (first, second))
    topics = natural_order(set(first.documents["topic"]) & set(second.documents["topic"]))
    if not topics:
        raise ScoresError("the two assessors share no topic")
    rows = [
        [
            sum(_length(parts) for (topic, _), parts in mine.items() if topic == name),
            sum(_length(parts) for (topic, _), parts in theirs.items() if topic == name),
            sum(_common(mine[key], theirs[key]) for key in mine.keys() & theirs.keys() if key[0] == name),
        ]
        for name in topics
    ]
    frame = character_ratios(*np.array(rows).T)
    frame.index = pd.Index(topics, name="topic")
    return frame


def _intervals(assessments: Assessments) -> dict[tuple[str, str], Intervals]:
    """Return the merged passages of every topic and document as rows (start, end)."""
    passages = assessments.passages
    if len(passages) and (passages["offset"] < 0).any():
        line = int(passages.loc[passages["offset"] < 0, "line"].iloc[0])
        raise ScoresError(f"{assessments.source} line {line}: the passage has no offset; characters cannot be compared")
    result: dict[tuple[str, str], Intervals] = {}
    for (topic, document), group in passages.groupby(["topic", "document"], sort=False):
        starts = group["offset"].to_numpy()
        order = np.argsort(starts, kind="stable")
        starts, ends = starts[order], (starts + group["length"].to_numpy())[order]
        reach = np.maximum.accumulate(ends)
        new = np.concatenate([[True], starts[1:] > reach[:-1]])
        last = np.concatenate([np.flatnonzero(new)[1:] - 1, [len(new) - 1]])
        result[str(topic), str(document)] = np.stack([starts[new], reach[last]], axis=1)
    return result


def _length(intervals: Intervals) -> int:
    return int((intervals[:, 1] - intervals[:, 0]).sum())


def _common(first: Intervals, second: Intervals) -> int:
    low = np.maximum(first[:, None, 0], second[None, :, 0])
    high = np.minimum(first[:, None, 1], second[None, :, 1])
    return int(np.maximum(high - low, 0).sum())


def element_agreement(
    first: Assessments, second: Assessments, *, margins: Sequence[float] = (0.1, 0.5, 0.9)
) -> pd.DataFrame:
    """Compare two assessors element by element.

    Parameters
    ----------
    first, second : Assessments
        Of the same scale. Only documents that both assessed are compared.
    margins : sequence of float
        Differences of specificity.

    Returns
    -------
    pandas.DataFrame
        Index ``topic`` and at the end "mean"; ``union`` (elements that either calls relevant), and as shares of it:
        ``both``, ``same_exhaustivity``, one column a margin (``specificity<0.1``: relevant to both, and specificities
        closer than that), ``exact`` (same exhaustivity, and specificity the same in three bins).

    Raises
    ------
    ScoresError
        If the scales differ, or no topic has a document that both assessed.

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, section 5.2.6, Tables IX and X. Specificity in [0, 1] falls into the bins
    (0, 0.33], (0.33, 0.67] and (0.67, 1].
    """
    check_kind(first, "first", "Assessments")
    check_kind(second, "second", "Assessments")
    if first.scale != second.scale:
        raise ScoresError(f"the assessors use different scales, {first.scale!r} and {second.scale!r}")
    shared = first.documents[KEYS].merge(second.documents[KEYS].drop_duplicates()).drop_duplicates()
    if shared.empty:
        raise ScoresError("the two assessors share no assessed document")
    sides = [_relevant_elements(assessments, shared) for assessments in (first, second)]
    joined = sides[0].merge(sides[1], on=[*KEYS, "path"], how="outer", suffixes=("_1", "_2"))
    in_both = joined["exhaustivity_1"].notna() & joined["exhaustivity_2"].notna()
    gap = (joined["specificity_1"] - joined["specificity_2"]).abs()
    continuous = first.scale == "2005"
    bins = [_binned(joined[f"specificity_{side}"], continuous=continuous) for side in (1, 2)]
    same = in_both & (joined["exhaustivity_1"] == joined["exhaustivity_2"])
    shares = pd.DataFrame(
        {
            "topic": joined["topic"],
            "both": in_both,
            "same_exhaustivity": same,
            **{f"specificity<{margin:g}": in_both & (gap < margin) for margin in margins},
            "exact": same & (bins[0] == bins[1]),
        }
    )
    topics = natural_order(shared["topic"].unique())
    result = shares.groupby("topic").mean().reindex(topics)
    result.insert(0, "union", shares.groupby("topic").size().reindex(topics, fill_value=0).astype(np.float64))
    result.loc["mean"] = result.mean()
    return result


def _relevant_elements(assessments: Assessments, shared: pd.DataFrame) -> pd.DataFrame:
    elements = assessments.elements.merge(shared)
    relevant = elements[(elements["exhaustivity"] != 0) & (elements["specificity"] > 0)]
    return relevant[["topic", "document", "path", "exhaustivity", "specificity"]]


def _binned(specificity: pd.Series, *, continuous: bool) -> NDArray[np.float64]:
    values = specificity.to_numpy(dtype=np.float64)
    return np.searchsorted(_BINS, values, side="left").astype(np.float64) if continuous else values


def agreement_by_pair(
    assessments: Mapping[str, Assessments], pairs: Sequence[tuple[str, str]]
) -> dict[str, pd.DataFrame]:
    """Compare every pair of judges element by element, and character by character where passages have offsets."""
    by_kind = {}
    for kind, compare in (("elements", element_agreement), ("passages", passage_agreement)):
        tables = [getattr(of_judge, kind) for of_judge in assessments.values()]
        missing = not tables or any(table.empty for table in tables)
        if missing or (kind == "passages" and any((table["offset"] < 0).any() for table in tables)):
            by_kind[kind] = pd.DataFrame(columns=["topic", "first", "second"])
            continue
        parts = [
            compare(assessments[first], assessments[second])
            .rename_axis("topic")
            .reset_index()
            .rename(columns={"first": "first_marked", "second": "second_marked"})
            .assign(first=first, second=second)
            for first, second in pairs
        ]
        by_kind[kind] = pd.concat(parts, ignore_index=True)
    return by_kind


def means_of_pairs(of_topics: pd.DataFrame) -> pd.DataFrame:
    """Return what two judges say of parts, a row a topic and pair, as means over topics."""
    rows = of_topics[of_topics["topic"] != "mean"]
    return rows.groupby(["first", "second"], sort=False).mean(numeric_only=True).reset_index()
