"""Which metrics agree with people over the tasks of a campaign, and how many items separate two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.items import reference_of
from metaeval.agreement.meta_evaluation import MetaMetrics, meta_metrics
from metaeval.agreement.meta_exchanges import Exchange, Resample
from metaeval.agreement.meta_tasks import TASKS, MetaTask
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, refused
from metaeval.base.names import natural_order
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.questions.human.study import compared_decisions, flat_metric_notes
from metaeval.questions.human.study_campaign_files import Campaign
from metaeval.resampling.options import check_test
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Study
from metaeval.tests_stat.likely_effects import SeenDifferences, likely_effects
from metaeval.tests_stat.pairs import all_pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CampaignStudy(Study):
    """Comparison of metrics with people over several tasks."""

    reported_by: ClassVar[str] = "metaeval.questions.human.page_campaign:campaign_report"

    found: MetaMetrics
    """Values, ranks, comparisons and chance."""
    decisions: pd.DataFrame
    """Significant pairs of systems under each metric as a prediction of those under people, by ``set``."""
    separation: pd.DataFrame
    """Where two metrics are to be separated, a row a task: ``task``, ``difference``, ``n_units`` (clusters or items
    that people scored), ``n_needed`` for a power of 80 % (missing where no number is enough)."""
    separated: tuple[str, str] | None
    exchange: Exchange
    test: str
    title: str
    """The campaign, where it is a known one."""
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return a row a task and metric, those of the average last."""
        return self.found.to_frame()

    def to_separate(self, metric_a: str, metric_b: str, *, power: float = 0.8) -> pd.DataFrame:
        """Return how many clusters, or items, of the same kind would separate two metrics in each task.

        Parameters
        ----------
        metric_a, metric_b : str
        power : float

        Raises
        ------
        UnknownNameError
            For a metric that is not compared.

        Notes
        -----
        The size of a paired t test that finds a difference with this chance, over all that the true difference may be:
        the one seen, with the variance that its resamples have, a cluster being the unit, drawn towards 0 as the
        differences of all metrics ask (as `metaeval.models.topics_to_separate`).

        Examples
        --------
        >>> from metaeval.agreement import item_scores
        >>> rng = np.random.default_rng(0)
        >>> human = np.arange(6)[:, None] + rng.normal(0, 2, (6, 40))
        >>> cells = {"human": human, "good": human + rng.normal(0, 1, (6, 40)), "poor": rng.normal(0, 1, (6, 40))}
        >>> names = {"system": np.repeat(list("abcdef"), 40), "item": np.tile(np.arange(40), 6)}
        >>> frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
        >>> study = study_campaign(item_scores(frame, reference="human"), tasks="acc_eq", n_resamples=200, rng=0)
        >>> study.to_separate("good", "poor")["n_needed"].tolist()
        [5]
        """
        return _separation(self.found, (metric_a, metric_b), power)


def study_campaign(  # noqa: PLR0913 - every option is one question
    scores: xr.DataArray | Mapping[str, xr.DataArray] | Campaign,
    *,
    tasks: str | Sequence[str] | Sequence[MetaTask] | None = None,
    reference: str | None = None,
    ceiling: Sequence[str] = (),
    over: Literal["all", "common"] = "all",
    exchange: Exchange | None = None,
    resample: Resample = "items",
    separate: Sequence[str] | None = None,
    test: str = "t",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    n_flips: int = 10_000,
    n_chance: int = 1000,
    as_published: bool | None = None,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> CampaignStudy:
    """Compare metrics with people as the metrics tasks of WMT do: soft pairwise accuracy, calibrated ties, averages.

    Parameters
    ----------
    scores : DataArray (metric, system, item) from `item_scores`, mapping of set to DataArray, or Campaign
        A campaign from `metaeval.io.read_campaign` has tasks of its own; that of a year is compared as published.
    tasks, reference, ceiling, over, exchange, resample, alpha, confidence_level, n_resamples, n_flips, n_chance
        As for `metaeval.agreement.meta_metrics`.
    as_published : bool, optional
        As there; by default for the campaign of a year.
    separate : sequence of two str, optional
        Two metrics: how many clusters, or items, would separate them in each task.
    test, correction : str
        How pairs of systems are tested, and how p-values of pairs of metrics, or of systems, are corrected.
    rng : None, int or Generator
    provenance : Provenance, optional

    Returns
    -------
    CampaignStudy
        One row a ``task`` and ``metric`` in ``to_frame()``, those of the average last; see `MetaMetrics.to_frame`.
        ``decisions`` and ``separation`` hold what each metric's significant pairs predict, and how many items would
        separate two metrics.

    Raises
    ------
    ScoresError, EstimationError, InvalidOptionError, UnknownNameError
        As `meta_metrics`.

    See Also
    --------
    metaeval.questions.human.study.study_human : single statistics; each metric on the cells that it has

    Examples
    --------
    >>> from metaeval.agreement import item_scores
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6)[:, None] + rng.normal(0, 2, (6, 40))
    >>> cells = {"human": human, "good": human + rng.normal(0, 1, (6, 40)), "poor": rng.normal(0, 1, (6, 40))}
    >>> names = {"system": np.repeat(list("abcdef"), 40), "item": np.tile(np.arange(40), 6)}
    >>> frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
    >>> study_campaign(item_scores(frame, reference="human"), n_resamples=99, rng=0).found.average["metric"].tolist()
    ['good', 'poor']
    """
    test_name, _ = check_test(test, correction)
    seed = resolve_seed(rng)
    record = provenance or record_provenance("study_campaign", random_source=f"seed {seed}")
    campaign = scores if isinstance(scores, Campaign) else None
    sets = _sets(scores)
    published = bool(campaign and campaign.published)
    exchange = exchange or ("published" if published else "clusters")
    pair = None if separate is None else _two(separate)
    for name in pair or ():
        check_choice(name, "metric to separate", _metrics_of(sets, reference, ceiling))
    meta = meta_metrics(
        sets,
        tasks=tasks or (campaign.tasks if campaign else TASKS),
        reference=reference,
        ceiling=ceiling,
        over=over,
        exchange=exchange,
        resample=resample,
        correction=correction,
        alpha=alpha,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        n_flips=n_flips,
        n_chance=n_chance,
        as_published=published if as_published is None else as_published,
        rng=seed,
    )
    decided, left = [], []
    asked = partial(
        decision_agreement, test=test, correction=correction, alphas=alpha, n_resamples=n_resamples, rng=seed
    )
    for name, table in sets.items():
        people = reference_of(table, reference)
        plain = table.drop_vars("system_score", errors="ignore").drop_sel(metric=[*ceiling], errors="ignore")
        judged = np.isfinite(plain.sel(metric=people).to_numpy()).any(axis=plain.dims.index("item") - 1)
        rows, decision_notes = compared_decisions(plain.isel(system=judged), people, asked)
        decided.append(rows.assign(set=name))
        if not meta.as_published and (meta.tasks["group"] == "item").any():
            decision_notes = [*flat_metric_notes(plain, people), *decision_notes]
        left += [f"{name}: " + note if name else note for note in decision_notes]
    of_sets = [note for table in sets.values() for note in table.attrs.get("notes", ())]
    return CampaignStudy(
        found=meta,
        decisions=pd.concat(decided, ignore_index=True),
        separation=pd.DataFrame() if pair is None else _separation(meta, pair, 0.8),
        separated=pair,
        exchange=exchange,
        test=test_name,
        title=campaign.title if campaign else "",
        notes=tuple(dict.fromkeys([*(campaign.notes if campaign else ()), *of_sets, *left])),
        provenance=record,
    )


def _sets(scores: xr.DataArray | Mapping[str, xr.DataArray] | Campaign) -> dict[str, xr.DataArray]:
    if isinstance(scores, Campaign):
        return dict(scores.sets)
    return dict(scores) if isinstance(scores, Mapping) else {"": scores}


def _metrics_of(sets: Mapping[str, xr.DataArray], reference: str | None, ceiling: Sequence[str]) -> list[str]:
    named = {
        str(metric)
        for table in sets.values()
        for metric in table["metric"].to_numpy()
        if metric != reference_of(table, reference)
    }
    return natural_order(named - {*ceiling})


def _two(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004 - a pair
        raise refused("separate", "must be two metrics", names)
    return names[0], names[1]


def _seen(means: Floats, resamples: Floats, n_units: int, first: Ints, second: Ints) -> SeenDifferences:
    """Return the differences of pairs of metrics, with the errors that resamples (resample, metric) give them."""
    difference = means[first] - means[second]
    error = np.sqrt(np.square(resamples[:, first] - resamples[:, second] - difference).mean(axis=0))
    return SeenDifferences(difference, np.nan_to_num(error), np.full(len(difference), float(n_units)))


def _separation(found: MetaMetrics, pair: tuple[str, str], power: float) -> pd.DataFrame:
    for name in pair:
        check_choice(name, "metric to separate", found.order())
    values = found.table.set_index(["task", "metric"])["value"].to_dict()
    rows = []
    for task, n_units in zip(found.tasks["task"].tolist(), found.tasks["n_clusters"].tolist(), strict=True):
        drawn = found.resampled.get(task)
        if drawn is None or not {*pair} <= {*drawn.columns}:
            continue
        names = drawn.columns.tolist()
        means, resamples = np.array([values[task, name] for name in names]), drawn.to_numpy()
        family = _seen(means, resamples, n_units, *all_pairs(len(names)))
        own = _seen(means, resamples, n_units, *(np.array([names.index(name)]) for name in pair))
        likely = likely_effects(own, family, n_systems=len(names))
        needed = float(likely.units_needed(power=power, level=found.alpha)[0])
        rows.append((task, float(own.difference[0]), n_units, needed if np.isfinite(needed) else None))
    table = pd.DataFrame(rows, columns=["task", "difference", "n_units", "n_needed"])
    return table.astype({"n_needed": "Int64"})
