"""Is a replica of an experiment the same, or only alike? From two tables of scores, and their runs, to verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from metaeval.agreement.reproduction import EffectRatio, Quantity, Reproduced, document_orders, reproduced
from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice, check_count, check_number, check_share
from metaeval.base.names import first_few
from metaeval.base.notes import Remark
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import unit_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.studies.study import Study
from metaeval.table.scores import Scores, as_scores, better_direction
from metaeval.table.structure import engine_scores
from metaeval.table.traits import WHOLE
from metaeval.table.units import TopicUnits, design_notes, units_of
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.robust import mean_estimates

VERDICTS = ("not reproduced", "open", "only alike", "reproduced")
"""From the worst to the best; the worst of all systems is that of the experiment."""
DOCUMENTS = ("tau_union", "rbo")
_DEPTH = 1000

type Runs = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReproductionStudy(Study):
    """An experiment and its replica, compared."""

    reported_by: ClassVar[str] = "metaeval.questions.reproduction.page:reproduction_report"

    scores: Scores
    """Of the original, on the topics that are compared; its systems are those of both."""
    replica: Scores
    compared: Reproduced
    baseline: str | None
    paired: bool
    """Whether the topics are the same."""
    documents: pd.DataFrame
    """One row a system and topic; see `metaeval.agreement.reproduction.document_orders`. Empty without runs."""
    orders: Mapping[str, Quantity]
    """Means over topics of what `DOCUMENTS` names, by system."""
    margin: float
    alpha: float
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return one row a ``metric`` and ``system``; see `study_reproduction`."""
        made = self.compared
        n_metrics, n_systems = made.original.shape
        measured: dict[str, Quantity | EffectRatio] = {"difference": made.difference, "rmse": made.rmse}
        if made.effect_ratio is not None and made.delta_ri is not None:
            measured |= {"effect_ratio": made.effect_ratio, "delta_ri": made.delta_ri}
        columns: dict[str, Floats] = {"n_topics": made.n_topics, "original": made.original, "replica": made.replica}
        for name, quantity in {**measured, **self.orders}.items():
            low, high = quantity.ends(self.alpha)
            columns |= {name: quantity.value, f"{name}_low": low, f"{name}_high": high}
        columns |= {"p_value": made.p_value, "p_corrected": adjust(made.p_value, "holm")}
        frame = pd.DataFrame(
            {
                "metric": np.repeat(self.scores["metric"].to_numpy(), n_systems),
                "system": np.tile(self.scores["system"].to_numpy(), n_metrics),
                **{name: np.broadcast_to(column, made.original.shape).ravel() for name, column in columns.items()},
            }
        )
        return frame.assign(n_topics=frame["n_topics"].astype(int), verdict=self.verdicts().ravel())

    def verdicts(self) -> np.ndarray:
        """Return for each metric and system the word of `VERDICTS` that the intervals carry.

        Within the margin are a mean and the root mean square of its topics' differences, in shares of the original's
        mean, and the effect, in shares of the original's effect. Reproduced: the intervals of all lie within; only
        alike: those of mean and effect do, and that of the topics lies outside; not reproduced: that of mean or effect
        lies outside, or that of the topics where mean and effect may. What is outside is so at a level that is
        corrected over systems and quantities (Bonferroni). A mean is within wherever the topics are.
        """
        made, limit = self.compared, self.margin * np.abs(self.compared.original)
        nothing, everything = np.zeros(limit.shape, dtype=bool), np.ones(limit.shape, dtype=bool)
        alpha = self.alpha / (3 * limit.shape[1])
        inside, outside = everything, nothing
        if self.paired or made.effect_ratio is None:  # other topics have other means
            inside = _within(made.difference, self.alpha, 0.0, limit)
            outside = _beyond(made.difference, alpha, 0.0, limit)
        if made.effect_ratio is not None:
            itself = self.scores["system"].to_numpy() == self.baseline
            inside &= _within(made.effect_ratio, self.alpha, 1.0, self.margin) | itself
            outside |= _beyond(made.effect_ratio, alpha, 1.0, self.margin)
            inside &= self.paired | ~itself  # nothing is told of the baseline
        topics_inside = made.rmse.ends(self.alpha)[1] <= limit
        topics_outside = made.rmse.ends(alpha)[0] > limit
        if not self.paired:
            topics_inside, topics_outside = nothing, everything
        else:
            if made.effect_ratio is None:
                inside |= topics_inside  # no mean is off by more than the root of the mean square
            outside |= topics_outside & ~inside
        chosen = [made.same | (inside & topics_inside), outside, inside & topics_outside]
        return np.select(chosen, [VERDICTS[3], VERDICTS[0], VERDICTS[2]], VERDICTS[1])

    def lead(self) -> "pd.Series[Any]":
        """Return the row of the first metric that decides: of those with the worst verdict the one furthest off."""
        frame = self.to_frame().head(self.scores.sizes["system"])
        others = frame[frame["system"] != self.baseline] if len(frame) > 1 and not self.paired else frame
        worst = others[others["verdict"] == min(others["verdict"], key=VERDICTS.index)]
        off = worst["rmse"] if self.paired else worst["difference"].abs()
        if self.baseline is not None and (worst["system"] != self.baseline).any():
            off = off[worst["system"] != self.baseline]  # an effect is what experiments are about
        return worst.loc[off.fillna(-1.0).idxmax()]


def study_reproduction(  # noqa: PLR0913 - every option of the command
    original: object,
    replica: object,
    *,
    baseline: str | None = None,
    runs: tuple[Runs, Runs] | None = None,
    margin: float = 0.1,
    p: float = 0.95,
    depth: int = _DEPTH,
    alpha: float = 0.05,
    provenance: Provenance | None = None,
) -> ReproductionStudy:
    r"""Decide whether an experiment was reproduced, or whether its replica is only alike.

    Parameters
    ----------
    original, replica : Scores or anything `metaeval.as_scores` takes
        Scores by topic. Systems and metrics are matched by name; a single one of each is taken for the same. On common
        topics comparisons are paired; without any, effects are compared, and means by Welch's t test.
    baseline : str, optional
        The system over which the others are an improvement, for effect ratio and ΔRI; by default one that is called
        "baseline".
    runs : pair of mappings of str to pandas.DataFrame, optional
        The runs of the original and of the replica, as `metaeval.io.trec.read_runs` returns them, to compare the
        documents of every topic.
    margin : float, default 0.1
        How far a replica may be off, in shares of the original's mean and effect; a convention.
    p, depth : float, default 0.95; int, default 1000
        Persistence of rank-biased overlap, and how much of every list counts.
    alpha : float, default 0.05
        One less the level of the intervals.
    provenance : Provenance, optional

    Returns
    -------
    ReproductionStudy
        One row a ``metric`` and ``system`` in ``to_frame()``: ``n_topics``; the means ``original`` and ``replica``;
        their ``difference``; ``rmse`` of the topics' scores (in the unit of the scores); with a baseline
        ``effect_ratio`` (1: as large as in the original; NaN for the baseline) and ``delta_ri`` (0: the same relative
        improvement; positive: a smaller one); with runs ``tau_union`` (-1 to 1) and ``rbo`` (0 to 1), means over
        topics; each with ``_low`` and ``_high``, NaN where topics do not vary or nothing bounds it; ``p_value`` of the
        paired t test, ``p_corrected`` over the systems (Holm); ``verdict``, see `ReproductionStudy.verdicts`.

    Raises
    ------
    ScoresError
        If the two have no system or no metric in common.
    InvalidOptionError
        If the baseline is none of the systems, or runs have other columns.

    See Also
    --------
    metaeval.questions.boards.study.study_boards : two boards, by the pairs of systems that they settle

    Notes
    -----
    With the topics' scores :math:`x_j` of the original and :math:`x'_j` of the replica, and improvements over the
    baseline :math:`d_j` and :math:`d'_j` [1]_,

    .. math:: \mathrm{RMSE} = \sqrt{\tfrac{1}{T} \sum_j (x'_j - x_j)^2}, \quad
              \mathrm{ER} = \frac{\bar d'}{\bar d}, \quad
              \Delta\mathrm{RI} = \frac{\bar d}{\bar b} - \frac{\bar d'}{\bar b'}.

    Intervals: Student's t with the standard errors of influence values over topics; Fieller's for ER; for RMSE scaled
    χ², a little too narrow where few topics differ much (88 to 95 % at 20 topics, by how heavy the tails are).
    τ union and RBO: `metaeval.agreement.reproduction.document_orders`.

    References
    ----------
    .. [1] T. Breuer, N. Ferro, N. Fuhr, M. Maistro, T. Sakai, P. Schaer, I. Soboroff (2020). How to measure the
       reproducibility of system-oriented IR experiments. SIGIR, 349-358. :doi:`10.1145/3397271.3401036`

    Examples
    --------
    >>> original = {"bm25": {"1": 0.2, "2": 0.4, "3": 0.3}, "new": {"1": 0.4, "2": 0.5, "3": 0.5}}
    >>> replica = {"bm25": {"1": 0.2, "2": 0.4, "3": 0.3}, "new": {"1": 0.3, "2": 0.5, "3": 0.5}}
    >>> study = study_reproduction(original, replica, baseline="bm25")
    >>> study.to_frame()[["system", "rmse", "effect_ratio", "verdict"]].round(3).to_numpy().tolist()
    [['bm25', 0.0, nan, 'reproduced'], ['new', 0.058, 0.8, 'open']]
    """
    check_share(alpha, "alpha")
    check_share(p, "p")
    check_count(depth, "depth")
    check_number(margin, "margin", above=0)
    old, new, notes = _matched(*(_table(scores) for scores in (original, replica)))
    systems = old["system"].to_numpy().tolist()
    chosen = _baseline(baseline, systems)
    if chosen is None and len(systems) > 1:
        notes.append("no baseline is named: effect ratios and relative improvements are left out")
    topics = [table["topic"].to_numpy() for table in (old, new)]
    common = np.isin(topics[0], topics[1])
    if any("numbered" in table.attrs for table in (old, new)):
        notes.append("without names of items they are matched by their order")
    paired, spoken = bool(common.any()), unit_of(old).topics
    if paired:
        alone = int((~common).sum()), len(topics[1]) - int(common.sum())
        if any(alone):
            notes.append(
                f"compared on the {common.sum():,} {spoken} of both; without {alone[0]:,} of the original alone and "
                f"{alone[1]:,} of the replica alone"
            )
        old, new = old.isel(topic=common), new.sel(topic=topics[0][common])
    else:
        notes.append(
            f"original and replica have no {spoken} in common: effects and means are compared as of independent "
            f"{spoken} (Welch), and neither scores of {spoken} nor documents"
        )
    units = units_of(old), units_of(new)
    direction = better_direction(old)[:, None]
    compared = reproduced(
        old.to_numpy(),
        new.to_numpy(),
        units,
        paired=paired,
        baseline=None if chosen is None else systems.index(chosen),
        direction=direction,
    )
    documents, orders = _document_orders(runs if paired else None, old, units[0], p=p, depth=depth)
    return ReproductionStudy(
        scores=old,
        replica=new,
        compared=compared,
        baseline=chosen,
        paired=paired,
        documents=documents,
        orders=orders,
        margin=float(margin),
        alpha=float(alpha),
        notes=tuple(dict.fromkeys([*notes, *design_notes(old), *_unbounded(compared, systems, chosen, alpha)])),
        provenance=provenance or record_provenance("study_reproduction"),
    )


def _table(scores: object) -> Scores:
    return engine_scores(as_scores(scores, missing="pairwise", fewest=1), uses=WHOLE, fewest=1)


def _matched(original: Scores, replica: Scores) -> tuple[Scores, Scores, list[str]]:
    """Return both tables with their common metrics and systems, in the order of the original."""
    notes = [str(note) for table in (original, replica) for note in table.attrs.get("notes", ())]
    for dim in ("metric", "system"):
        if original.sizes[dim] == replica.sizes[dim] == 1:
            name, other = (str(table[dim].to_numpy()[0]) for table in (original, replica))
            if name != other:
                notes.append(f"a single {dim} of each: {other} is compared as the replica of {name}")
                replica = replica.assign_coords({dim: [name]})
        names, others = (table[dim].to_numpy().tolist() for table in (original, replica))
        shared = [name for name in names if name in others]
        if not shared:
            raise ScoresError(
                f"original and replica are matched by name, and have no {dim} in common (original: "
                f"{first_few(names)}; replica: {first_few(others)}); give those that belong together one name"
            )
        for side, (of_side, of_other) in {"original": (names, others), "replica": (others, names)}.items():
            if alone := [name for name in of_side if name not in of_other]:
                notes.append(f"{dim}s of the {side} alone ({len(alone)}): {first_few(alone)}")
        original, replica = original.sel({dim: shared}), replica.sel({dim: shared})
    return original, replica, notes


def _baseline(baseline: str | None, systems: list[str]) -> str | None:
    """Return the baseline: the one that is named, or that bears this name."""
    if baseline is None:
        return next((system for system in systems if system.casefold() == "baseline"), None)
    check_choice(baseline, "system as baseline", systems)
    return baseline


def _document_orders(
    runs: tuple[Runs, Runs] | None, scores: Scores, units: TopicUnits, *, p: float, depth: int
) -> tuple[pd.DataFrame, dict[str, Quantity]]:
    """Return how alike the documents of every list are, and means over the topics that are compared."""
    if runs is None:
        return pd.DataFrame(), {}
    systems, topics = (scores[dim].to_numpy().tolist() for dim in ("system", "topic"))
    original, replica = (_of_systems(lists, systems, topics) for lists in runs)
    frame = document_orders(original, replica, p=p, depth=depth)
    wide = {name: frame.pivot_table(index="system", columns="topic", values=name) for name in DOCUMENTS}
    values = np.stack([table.reindex(index=systems, columns=topics).to_numpy() for table in wide.values()])
    means = mean_estimates(values, units)
    has_lists = means.n_topics > 0
    return frame, {
        name: Quantity(np.where(has_lists[at], means.mean[at], np.nan), means.error[at], means.freedom[at])
        for at, name in enumerate(DOCUMENTS)
    }


def _of_systems(lists: Runs, systems: list[str], topics: list[str]) -> dict[str, pd.DataFrame]:
    """Return the lists of these systems and topics; a single run is that of the single system."""
    if len(systems) == 1 and len(lists) == 1:
        lists = {systems[0]: next(iter(lists.values()))}
    for system in systems:
        check_choice(system, "run", lists)
        if not {"query_id", "doc_id", "rank"} <= {*lists[system].columns}:
            raise InvalidOptionError("runs are tables with the columns query_id, doc_id and rank")
    return {system: lists[system][lists[system]["query_id"].isin(topics)] for system in systems}


def _within(quantity: Quantity | EffectRatio, alpha: float, centre: float, reach: Floats | float) -> Flags:
    low, high = quantity.ends(alpha)
    return np.asarray((low >= centre - reach) & (high <= centre + reach))


def _beyond(quantity: Quantity | EffectRatio, alpha: float, centre: float, reach: Floats | float) -> Flags:
    low, high = quantity.ends(alpha)
    return np.asarray((low > centre + reach) | (high < centre - reach))


def _unbounded(compared: Reproduced, systems: list[str], baseline: str | None, alpha: float) -> list[str]:
    """Name what has no interval, and why."""
    notes = list[str]()
    if same := np.array(systems, dtype=object)[compared.same.all(axis=0)].tolist():
        notes.append(Remark(f"the same scores in original and replica: {first_few(same)}"))
    if compared.effect_ratio is not None:
        endless = compared.effect_ratio.unbounded(alpha).any(axis=0)
        if names := np.array(systems, dtype=object)[endless].tolist():
            notes.append(
                f"nothing bounds the effect ratio of {first_few(names)}: the original's own improvement over "
                f"{baseline} may be 0 (under some metric)"
            )
    return notes
