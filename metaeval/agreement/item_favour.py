"""Does a judge prefer long answers? What a covariate of items adds to its labels beside a reference and people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from metaeval.agreement.judge_bias_questions import checked_options
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_kind, check_list, check_mapping, refused
from metaeval.base.names import first_few, shortened
from metaeval.base.results import Figure, Result
from metaeval.base.words import number, span_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.parallel import in_one_order
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.labels import those_that_differ
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.tails import student_p

_BINS = 10
_FEWEST = 10
"""Items that a slope takes."""
_FEWEST_SYSTEMS = 5
"""Systems that errors over systems take, where there are several."""
_RIDGE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemFavour(Result):
    """What more of a covariate of items adds to a judge's labels."""

    table: pd.DataFrame
    """See `to_frame`."""
    name: str
    reference: str
    standard_deviation: float
    """Of the covariate over the items."""
    confidence_level: float
    correction: str
    notes: tuple[str, ...]

    def _found(self) -> str:
        rows = self.table
        slopes = span_of(rows["judge"], rows["slope"], rows["low"], rows["high"], write=number(3))
        p_values = rows["p_corrected"].to_numpy()
        tests = those_that_differ(is_significant(p_values, 1.0 - self.confidence_level), p_values, "slope")
        how = f" from 0 ({CORRECTIONS.words(self.correction)})" if np.isfinite(p_values).any() else ""
        label = f"one standard deviation more of {self.name} adds {slopes} to a label beside {self.reference}"
        return f"{label}; {tests}{how}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a judge.

        The columns are ``judge``, ``kind`` ("judge" or "person"), ``n_labels``, ``n_items`` (what the labels
        of several systems share; 0 where systems are unknown), ``n_systems``, ``slope`` (labels for one standard
        deviation more) with ``low`` and ``high``, ``p``, ``p_corrected``, ``slope_per_unit``, and
        ``beyond_people`` (the slope less the mean of the people's) with ``beyond_low`` and ``beyond_high``, NaN for
        people and without them.
        """
        return self.table.copy()

    def _draw(self) -> Figure:
        """Draw the slope of every judge with its interval."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        frame = self.table.rename(columns={"judge": "name", "slope": "value"})
        return agreement_dots(frame, label=f"labels for one standard deviation more {self.name}")


@in_one_order
def favoured_items(  # noqa: PLR0913 - every option is one question
    labels: Labels,
    covariate: Mapping[str, float],
    *,
    reference: str,
    name: str = "covariate",
    people: Sequence[str] = (),
    correction: str = "holm",
    confidence_level: float = 0.95,
) -> ItemFavour:
    r"""Test whether a judge favours items with more of a covariate, such as the length of the answer.

    Parameters
    ----------
    labels : Labels
        On the reference's scale; see `metaeval.agreement.map_scales`.
    covariate : mapping of str to float
        A number for every item, or every topic, or every item without the part of its name that is the system.
    reference : str
        The judge whose labels stand for the truth.
    name : str
        What the covariate is called.
    people : sequence of str
        Judges who are people: the yardstick.
    correction : str, default "holm"
        Over the judges; people are a family of their own.
    confidence_level : float

    Returns
    -------
    ItemFavour
        One row a ``judge`` in ``to_frame()``: ``slope`` in labels for one standard deviation of the covariate, with
        ``low``, ``high``, ``p`` and ``p_corrected``; ``slope_per_unit``; ``beyond_people`` with its interval; see
        `ItemFavour.to_frame`.

    Raises
    ------
    InvalidOptionError
        If the covariate has no number for most of the items, or is the same for all.
    UnknownNameError, ScoresError
        If there is no such judge or correction, labels are names in no order, or a judge shares fewer than ten items
        with the reference, or items of two to four systems.

    See Also
    --------
    favoured_by_covariate : the same for a covariate of systems, from scores

    Notes
    -----
    The judge's label less the reference's is regressed on the covariate and a free level for each of the reference's
    labels; of more than ten different ones for tenths of them, each with a line of its own. So a judge that saturates,
    and gives all good answers one label, shows no slope where good answers are long. What remains of quality because
    the reference errs itself is in the slope; a second person's slope holds the same, so ``beyond_people`` does not.
    Items without a number are left out.

    Errors are jackknifed over items and over systems, where they are known, and added up less those over both [1]_,
    never below the larger; Student's t has one degree of freedom less than there are items, or systems if fewer.

    References
    ----------
    .. [1] Cameron, Gelbach and Miller (2011). Robust inference with multiway clustering. Journal of Business and
       Economic Statistics 29(2), 238-249. :doi:`10.1198/jbes.2010.07136`

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> rng = np.random.default_rng(0)
    >>> words, human = rng.integers(50, 250, 200), rng.integers(0, 4, 200)
    >>> judge = np.clip(human + (rng.random(200) < words / 400), 0, 4)
    >>> rows = {name: {"q": dict(enumerate(said.tolist()))} for name, said in (("human", human), ("judge", judge))}
    >>> lengths = {str(item): float(number) for item, number in enumerate(words)}
    >>> favoured_items(as_labels(rows), lengths, reference="human").table["slope_per_unit"].round(4).tolist()
    [0.002]
    """
    check_kind(labels, "labels", "Labels")
    labels.require_ordered("a slope")
    check_choice(reference, "judge", labels.judges)
    people = check_list(people, "people", ["ann"]) if people else []
    for person in people:
        check_choice(person, "judge", labels.judges)
    checked_options(adjusted=True, over="both", correction=correction, confidence_level=confidence_level)
    values, notes = _of_items(labels, covariate)
    has_number = np.isfinite(values) & labels.table[reference].notna().to_numpy()
    if not has_number.any():
        raise InvalidOptionError(f"`covariate` has no number for any of the items that {reference} labelled")
    spread = float(values[has_number].std(ddof=1)) if has_number.sum() > 1 else 0.0
    if not spread > 0:
        raise InvalidOptionError(f"`covariate` must differ between the items that {reference} labelled")
    judges = [judge for judge in labels.judges if judge != reference]
    ways = _ways(labels)
    truth = labels.table[reference].to_numpy(dtype=float)
    slopes = [
        _slope(labels.table[judge].to_numpy(dtype=float), truth, values / spread, ways, judge) for judge in judges
    ]
    is_person = np.array([judge in people for judge in judges])
    table = pd.DataFrame(
        {
            "judge": judges,
            "kind": np.where(is_person, "person", "judge"),
            "n_labels": [slope.sizes[-1] for slope in slopes],
            "n_items": [slope.sizes[0] if len(ways) > 1 else 0 for slope in slopes],
            "n_systems": [slope.sizes[1] if len(ways) > 1 else 0 for slope in slopes],
        }
    )
    alone = [_interval(slope, confidence_level) for slope in slopes]
    table[["slope", "low", "high", "p"]] = np.array(alone).reshape(-1, 4)
    table["p_corrected"] = np.nan
    for _, family in table.groupby("kind"):
        table.loc[family.index, "p_corrected"] = adjust(family["p"].to_numpy(), correction)
    table["slope_per_unit"] = table["slope"] / spread
    table[["beyond_people", "beyond_low", "beyond_high"]] = _beyond(slopes, is_person, confidence_level)
    return ItemFavour(
        table=table,
        name=str(name),
        reference=reference,
        standard_deviation=spread,
        confidence_level=float(confidence_level),
        correction=correction,
        notes=tuple(notes),
    )


class _Slope(NamedTuple):
    """A slope, and what it would be without each cluster of every way, less it."""

    value: float
    changes: tuple[Floats, ...]
    """By items; where systems are known also by systems and by both."""
    sizes: tuple[int, ...]
    """Clusters of each way that the judge has labels of."""


def names_of_items(labels: Labels) -> list[pd.Index]:
    """Return what a covariate may call every item: its own name, its topic, both, and its name without the system."""
    topics, items = (labels.table.index.get_level_values(level) for level in ("topic", "item"))
    return [
        items,
        *([] if labels.by_item else [topics]),
        *([] if labels.by_item else [topics + "::" + items]),
        *([_bare(items, labels.system_part)] if labels.system_part is not None else []),
    ]


def _bare(items: pd.Index, system_part: int) -> pd.Index:
    """Return the names of items without the part that is the system."""
    return items.map(lambda item: "::".join(np.delete(item.split("::"), system_part)))


def _of_items(labels: Labels, covariate: Mapping[str, float]) -> tuple[Floats, list[str]]:
    """Return the number of every item, by the names that match most of them, and how many have none."""
    items = labels.table.index.get_level_values("item")
    names = names_of_items(labels)
    numbers_of = check_mapping(covariate, "covariate", {str(items[0]): 120})
    by_name = pd.Series({str(key): _number_of(key, number) for key, number in numbers_of.items()}, dtype=float)
    values = max((by_name.reindex(by).to_numpy() for by in names), key=lambda numbers: np.isfinite(numbers).sum())
    missing = int((~np.isfinite(values)).sum())
    if 2 * missing > len(values):
        raise InvalidOptionError(
            f"`covariate` must have a number for most of the {len(values):,} items (or their topics), and lacks "
            f"{missing:,}, such as {items[~np.isfinite(values)][0]!r}; it has {first_few([*map(repr, by_name.index)])}"
        )
    return np.asarray(values, dtype=np.float64), [
        f"items without a number of the covariate are left out: {missing:,}"
    ] if missing else []


def _number_of(item: object, number: Any) -> float:  # noqa: ANN401 - whatever the caller passed
    """Return the number of an item, NaN for none."""
    try:
        return float(number)
    except (TypeError, ValueError):
        lengths = (
            "; of texts pass {item: len(text) for item, text in covariate.items()}" if isinstance(number, str) else ""
        )
        message = f"must be a number for every item, and for {item!r} it is {shortened(repr(number))}{lengths}"
        raise refused("covariate", message, number) from None


def _ways(labels: Labels) -> list[Ints]:
    """Return the clusters of every label: its item, and where systems are known the system, and both.

    An item is what systems share: a topic where the item is called as the system, else the name without it.
    """
    topics, items = (labels.table.index.get_level_values(level) for level in ("topic", "item"))
    if labels.systems is None:
        return [np.arange(len(items))]
    systems = items.map(labels.systems)
    bare = items.where(items != systems, "") if labels.system_part is None else _bare(items, labels.system_part)
    shared = pd.MultiIndex.from_arrays([topics, bare])
    return [*(pd.factorize(by)[0] for by in (shared, systems)), np.arange(len(items))]


def _slope(judge: Floats, truth: Floats, values: Floats, ways: Sequence[Ints], name: str) -> _Slope:
    """Regress judge less reference on the covariate and the reference's own label."""
    rows = np.isfinite(judge) & np.isfinite(truth) & np.isfinite(values)
    if rows.sum() < _FEWEST:
        raise ScoresError(f"{name} shares {int(rows.sum())} items with the reference, and a slope takes {_FEWEST}")
    design = np.column_stack([values[rows] - values[rows].mean(), _levels(truth[rows])])
    response = judge[rows] - truth[rows]
    ridge = _RIDGE * len(response) * np.eye(design.shape[1])
    ridge[0, 0] = 0.0
    square, product = design.T @ design + ridge, design.T @ response
    inverse = np.linalg.inv(square)
    slopes = inverse @ product
    leverage = np.einsum("rp,pq,rq->r", design, inverse, design)
    influence = (
        (design @ inverse[0]) * (response - design @ slopes) / np.where(leverage < 1 - 1e-8, 1 - leverage, np.inf)
    )
    changes, sizes = [], []
    for codes in ways:
        clusters, cluster = np.unique(codes[rows], return_inverse=True)
        change = np.zeros(int(codes.max()) + 1)
        if len(clusters) == len(response):
            change[codes[rows]] = -influence
        else:
            change[clusters] = _without_each(design, response, cluster, square, product) - slopes[0]
        changes.append(change)
        sizes.append(len(clusters))
    if len(ways) > 1 and 1 < sizes[1] < _FEWEST_SYSTEMS:
        raise ScoresError(
            f"the answers of one system share what its judges make of it, so a slope over several takes "
            f"{_FEWEST_SYSTEMS} systems or more, not {sizes[1]}"
        )
    return _Slope(float(slopes[0]), tuple(changes), tuple(sizes))


def _levels(truth: Floats) -> Floats:
    """Return a column a label of the reference; of many different ones a level and a line a tenth of them."""
    labels, bins = np.unique(truth, return_inverse=True)
    if len(labels) <= _BINS:
        return np.eye(len(labels))[bins]
    edges = np.unique(np.quantile(truth, np.arange(1, _BINS) / _BINS))
    bins = np.searchsorted(edges, truth)
    level = np.eye(len(edges) + 1)[bins]
    middle = np.bincount(bins, truth, len(edges) + 1) / np.maximum(np.bincount(bins, minlength=len(edges) + 1), 1)
    return np.hstack([level, level * (truth - middle[bins])[:, None]])


def _without_each(design: Floats, response: Floats, cluster: Ints, square: Floats, product: Floats) -> Floats:
    """Return the slope without each cluster, from the sums of squares and products of all."""
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    squares = np.add.reduceat(design[order][:, :, None] * design[order][:, None, :], starts, axis=0)
    products = np.add.reduceat(design[order] * response[order, None], starts, axis=0)
    return np.linalg.solve(square - squares, (product - products)[..., None])[:, 0, 0]


def _interval(slope: _Slope, confidence_level: float) -> tuple[float, float, float, float]:
    """Return a slope with its interval, and p."""
    variances = [
        (size - 1) / size * float(change @ change) for size, change in zip(slope.sizes, slope.changes, strict=True)
    ]
    variance, freedom = variances[0], slope.sizes[0] - 1.0
    if len(variances) > 1 and slope.sizes[1] > 1:
        variance = max(variances[0] + variances[1] - variances[2], variances[0], variances[1])
        freedom = min(slope.sizes[:2]) - 1.0
    error = variance**0.5
    half = float(stdtrit(freedom, 0.5 + confidence_level / 2)) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.array(0.0 if slope.value == 0 else np.divide(slope.value, error))
    p = float(student_p(np.array(freedom), statistic).p)
    return slope.value, slope.value - half, slope.value + half, p


def _beyond(slopes: Sequence[_Slope], is_person: Flags, confidence_level: float) -> Floats:
    """Return every judge's slope less the people's mean, with an interval."""
    rows = np.full((len(slopes), 3), np.nan)
    if not is_person.any():
        return rows
    people = [slope for slope, person in zip(slopes, is_person, strict=True) if person]
    for index in np.flatnonzero(~is_person).tolist():
        value = slopes[index].value - float(np.mean([slope.value for slope in people]))
        of_people = [np.mean([slope.changes[way] for slope in people], axis=0) for way in range(len(people[0].changes))]
        changes = tuple(judged - human for judged, human in zip(slopes[index].changes, of_people, strict=True))
        sizes = tuple(map(min, slopes[index].sizes, *(slope.sizes for slope in people)))
        rows[index] = _interval(_Slope(value, changes, sizes), confidence_level)[:3]
    return rows
