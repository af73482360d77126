"""How far metrics agree with people, which metric does so better, and whether both conclude the same about systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement import items
from metaeval.agreement.decisions import DecisionAgreement, decision_agreement
from metaeval.agreement.human import HumanAgreement, Level, Resample, flat_items, human_agreement, pair_agreement
from metaeval.agreement.human_statistics import Statistic, outlying_systems, system_statistics
from metaeval.agreement.metric_comparison import MetricComparison, Permute, compare_with_human
from metaeval.agreement.system_frames import rows_of_systems
from metaeval.agreement.williams import williams_of_items, williams_table
from metaeval.base.checks import check_choice, check_count, check_number, check_share
from metaeval.base.names import first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.inex.expectations import Preference, parse_preferences
from metaeval.resampling.options import check_test
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import settle, settled_means
from metaeval.running.workers import parallel_map
from metaeval.studies.study import Study
from metaeval.testing.expected import BROKEN, MET, UNNOTICED, UNTRIED
from metaeval.tests_stat.result import is_significant

_EXPECTED = ["metric", "expectation", "state", "better", "worse", "lead", "n_items"]
_SHOWN = 10
_DECISIONS = ("n_units", "n_human", "n_metric", "n_shared", "n_conflicts", "precision", "recall", "f1")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HumanStudy(Study):
    """Comparison of metrics with human scores."""

    reported_by: ClassVar[str] = "metaeval.questions.human.page:human_report"

    scores: xr.DataArray | None
    """The cells (metric, system, item); None where only one score a system is known."""
    means: pd.DataFrame
    """Mean of every system (rows) under every metric and the human score (columns), as they are; of items, over the
    cells that people scored."""
    agreements: tuple[HumanAgreement, ...]
    """One for every level and statistic; empty without items."""
    system_table: pd.DataFrame
    """Agreement of the means alone: one row a metric and statistic, without intervals; ``without_outliers`` and
    ``p_without_outliers``, the same without `outliers`, NaN where there are none."""
    outliers: tuple[str, ...]
    """Systems that people scored far from all others; see `metaeval.agreement.human_statistics.outlying_systems`."""
    pairs: pd.DataFrame
    """Agreement on pairs of systems whose human scores differ on an item; empty without items."""
    comparison: MetricComparison | None
    """Which metric follows people better, by permutation."""
    williams: pd.DataFrame
    """The same by Williams' test on the means."""
    decisions: pd.DataFrame
    """Significant pairs of systems under each metric as a prediction of those under the human scores."""
    expectations: pd.DataFrame
    """Preferences of users between systems: one row a metric and preference, with its ``state`` ("met", "not noticed",
    "broken" or "not tried") and the means of both systems; empty without."""
    reference: str
    test: str
    correction: str
    alpha: float
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, without the human score."""
        return tuple(str(name) for name in self.means.columns if name != self.reference)

    def system_matrix(self) -> pd.DataFrame:
        """Return `system_table` with a row a metric and a column a statistic, in the order asked for."""
        wide = self.system_table.pivot(index="metric", columns="statistic", values="value")  # noqa: PD010 - keeps NaN
        return wide.reindex(
            index=self.system_table["metric"].drop_duplicates().tolist(),
            columns=self.system_table["statistic"].drop_duplicates().tolist(),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: metric, other (where two are compared), level, statistic, value, low and high."""
        parts = [
            agreement.table[["metric", "value", "low", "high"]].assign(
                level=agreement.level, statistic=agreement.statistic
            )
            for agreement in self.agreements
        ]
        if not parts:
            table = self.system_table.drop(columns="without_outliers")
            parts.append(table.assign(level="system", low=np.nan, high=np.nan))
        if len(self.pairs):
            tau = self.pairs.reset_index()[["metric", "tau"]].rename(columns={"tau": "value"})
            parts.append(tau.assign(level="pairs", statistic="tau"))
        if len(self.decisions):
            melted = self.decisions.melt("metric", list(_DECISIONS), var_name="statistic", value_name="value")
            parts.append(melted.assign(level="decisions"))
        for name, frame in (
            ("permutation", None if self.comparison is None else self.comparison.table),
            ("williams", self.williams),
        ):
            if frame is not None and len(frame):
                renamed = frame.rename(columns={"metric_a": "metric", "metric_b": "other", "p_corrected": "value"})
                parts.append(renamed[["metric", "other", "value"]].assign(level=name, statistic="p_corrected"))
        if len(self.expectations):
            asked = self.expectations.assign(
                value=self.expectations["lead"], statistic=self.expectations["expectation"]
            )
            parts.append(asked[["metric", "statistic", "value"]].assign(level="expectations"))
        columns = ["metric", "other", "level", "statistic", "value", "low", "high"]
        return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def study_human(  # noqa: PLR0913 - every option is one question
    scores: object,
    *,
    reference: str | None = None,
    statistics: Sequence[Statistic] = ("pearson", "kendall", "accuracy"),
    levels: Sequence[Level] = ("system", "item"),
    resample: Resample = "items",
    min_difference: float = 0.0,
    permute: Permute = "systems",
    test: str = "t",
    correction: str = "fdr_by",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    lower_is_better: Sequence[str] = (),
    expectations: str | Sequence[str] = (),
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> HumanStudy:
    """Compare metrics with human scores of the same systems.

    Parameters
    ----------
    scores : DataArray (metric, system, item) from `item_scores`, or DataFrame of pandas or any other library
        A frame has one row a system and item, with columns (or levels of the index) that name them and one of numbers
        a metric, as `metaeval.io.items.read_items` finds them; or one row a system (its index) and columns of numbers
        alone, where only that is known: what takes items is then left out.
    reference : str, optional
        The human score; needed for a frame.
    statistics : sequence of {"pearson", "spearman", "kendall", "accuracy"}
        The first one is compared between metrics.
    levels : sequence of {"system", "item", "all"}
    resample : {"items", "systems", "both"}
    min_difference : float
        Pairs of systems count on an item whose human scores differ by at least this.
    permute : {"systems", "both", "items"}
        What two metrics exchange; see `metaeval.agreement.compare_with_human` for the question each answers.
    test, correction, alpha
        How pairs of systems are tested, clusters of items being the units; the correction also serves the comparisons
        of metrics.
    confidence_level : float
    n_resamples : int
    lower_is_better : sequence of str
        Columns of a frame where less is better, beside those that are called so (TER, loss), which is noted; a table of
        items has its directions from `item_scores`.
    expectations : str or sequence of str
        Preferences of users between systems, the better one first: ``"A>A-empty,A>A-copied"``. Worse systems without
        any human score (spoiled translations, which `metaeval.testing.spoiled_translations` makes) count nowhere else.
    rng : None, int or Generator
    provenance : Provenance, optional

    Returns
    -------
    HumanStudy
        ``to_frame()`` has one row a ``metric``, ``level`` and ``statistic``, and for comparisons the ``other`` metric:
        ``value`` with ``low`` and ``high``, NaN where the statistic is not defined.

    Raises
    ------
    ScoresError, InvalidOptionError
        As the functions it calls, and where there is no statistic or level.

    See Also
    --------
    metaeval.questions.judges.study.study_judges
    metaeval.io.items.read_items

    Examples
    --------
    >>> means = pd.DataFrame({"human": [1, 2, 3, 4.5], "A": [1, 2, 3, 4], "B": [2, 1, 4, 3]}, index=list("wxyz"))
    >>> found = study_human(means, reference="human", rng=0).system_table
    >>> found[found["statistic"] == "kendall"]["value"].round(2).tolist()
    [1.0, 0.33]
    """
    if not statistics or not levels:
        raise InvalidOptionError(f"name a statistic and a level at least, not {list(statistics)} and {list(levels)}")
    check_share(alpha, "alpha")
    check_share(confidence_level, "confidence_level")
    test, correction = check_test(test, correction)
    check_count(n_resamples, "n_resamples", least=0)
    _check_choices(resample, permute, min_difference)
    scores, lower_is_better, told = _of_rows(scores, reference, lower_is_better)
    scores, expected = _expected(
        scores, reference, lower_is_better, parse_preferences(expectations) if expectations else {}
    )
    seed = resolve_seed(rng)
    generator = np.random.default_rng(seed)
    record = provenance or record_provenance("study_human", random_source=f"seed {seed}")
    measured = _means_given(scores, reference, lower_is_better)
    name, means, table = measured.reference, measured.means, measured.table
    falling = [str(metric) for metric in means.columns if not means[metric].equals(measured.turned[metric])]
    notes = [*scores.attrs.get("notes", ()), *told]
    notes += [f"lower is better, so the sign is reversed: {', '.join(falling)}"] if falling else []
    agreement = partial(human_agreement, confidence_level=confidence_level, resample=resample, n_resamples=n_resamples)
    test_pairs = partial(decision_agreement, test=test, correction=correction, alphas=alpha, n_resamples=n_resamples)
    agreements: tuple[HumanAgreement, ...] = ()
    comparison: MetricComparison | None = None
    pairs, decisions = pd.DataFrame(), pd.DataFrame()
    if table is not None:
        agreements = tuple(
            agreement(table, reference=name, statistic=statistic, level=level, rng=int(generator.integers(2**63)))
            for level in levels
            for statistic in statistics
        )
        if table.sizes["metric"] > 2:  # noqa: PLR2004 - the human score and two metrics
            compare = partial(compare_with_human, permute=permute, correction=correction, n_resamples=n_resamples)
            comparison = compare(table, reference=name, statistic=statistics[0], rng=int(generator.integers(2**63)))
        decide = partial(test_pairs, rng=int(generator.integers(2**63)))
        decisions, of_gaps = compared_decisions(table, name, decide)
        notes += [*_gap_notes(table, name), *(flat_metric_notes(table, name) if "item" in levels else ()), *of_gaps]
        pairs = pair_agreement(table, reference=name, min_difference=min_difference)
    system_table = _system_table(measured, statistics)
    notes += [] if name in falling else _note_on_direction(system_table, name, alpha)
    return HumanStudy(
        scores=table,
        means=means,
        agreements=agreements,
        comparison=comparison,
        pairs=pairs,
        decisions=decisions,
        system_table=system_table,
        outliers=tuple(outlying_systems(means[name])),
        williams=_williams(measured, correction),
        expectations=expected,
        reference=name,
        test=test,
        correction=correction,
        alpha=float(alpha),
        notes=tuple(notes),
        provenance=record,
    )


class _Given(NamedTuple):
    """Human scores and metrics, with the means of systems."""

    reference: str
    table: xr.DataArray | None
    """Scores by item, where they are known."""
    means: pd.DataFrame
    turned: pd.DataFrame
    """The means, more being better."""


def _of_rows(
    scores: object, reference: str | None, lower_is_better: Sequence[str]
) -> tuple[xr.DataArray | pd.DataFrame, Sequence[str], Sequence[str]]:
    """Return a table with columns of names as scores by item, or as means by system where it has no items.

    Of means, which say nothing of directions, also where less is better, and what is said where that is by name.
    """
    if isinstance(scores, xr.DataArray):
        return scores, lower_is_better, ()
    scores, system, named = rows_of_systems(scores, "scores")
    if reference is None:
        raise ScoresError("say which column holds the human scores (`reference`)")
    if system is not None:
        if named:
            lower = list(lower_is_better)
            by_item = items.item_scores(scores, reference=reference, system=system, item=named, lower_is_better=lower)
            return by_item, (), ()
        scores = items.system_means(scores, reference=reference, system=system)
    items.check_direction(lower_is_better, list(map(str, scores.columns)))
    names = [name for name in scores.columns if name not in lower_is_better]
    by_name = items.falling_by_name(scores, names, reference)
    falling = [*lower_is_better, *by_name]
    others = [name for name in names if name not in falling]
    return scores, falling, items.notes_on_falling(scores, by_name, others)


def _means_given(scores: xr.DataArray | pd.DataFrame, reference: str | None, lower_is_better: Sequence[str]) -> _Given:
    if isinstance(scores, pd.DataFrame):
        turned = scores.assign(**{column: -scores[column] for column in lower_is_better})
        return _Given(str(reference), None, scores, turned)
    if lower_is_better:
        message = "a table of items has its directions from item_scores: give `lower_is_better` there"
        raise InvalidOptionError(message)
    name = items.reference_of(scores, reference)
    return _Given(name, scores, _means(scores, name), _means(items.oriented(scores), name))


def _system_table(given: _Given, statistics: Sequence[Statistic]) -> pd.DataFrame:
    """Return the agreement on systems by every statistic, each metric on the cells that it and people scored."""
    name, table = given.reference, given.table
    compared = [given.turned] if table is None else _means_by_metric(items.oriented(table), name)
    outliers, rows = outlying_systems(given.means[name]), []
    for statistic in statistics:
        for frame in compared:
            agreed = system_statistics(frame, reference=name, statistic=statistic)
            left = system_statistics(frame.drop(outliers, errors="ignore"), reference=name, statistic=statistic)
            without, p = (left["value"], left["p"]) if outliers else (np.nan, np.nan)
            agreed = agreed.assign(without_outliers=without, p_without_outliers=p, statistic=statistic)
            rows.append(agreed.reset_index())
    return pd.concat(rows, ignore_index=True)


def _note_on_direction(table: pd.DataFrame, reference: str, alpha: float) -> list[str]:
    """Say what to do where all metrics turn the order of people about, as where 1 is their best grade."""
    first = table[table["statistic"] == table["statistic"].iloc[0]]
    if not ((first["value"] < 0) & is_significant(first["p"], alpha)).all():
        return []
    told = f"all metrics order systems the other way round than {reference!r}"
    return [f"{told}; where low numbers are the better ones there pass `lower_is_better={[reference]!r}`"]


def _williams(given: _Given, correction: str) -> pd.DataFrame:
    if given.means.shape[1] <= 2:  # noqa: PLR2004 - the human score and a metric
        return pd.DataFrame()
    if given.table is not None:
        return williams_of_items(items.oriented(given.table), reference=given.reference, correction=correction)
    return williams_table(given.turned, reference=given.reference, alternative="two-sided", correction=correction)


def _expected(
    scores: xr.DataArray | pd.DataFrame,
    reference: str | None,
    lower_is_better: Sequence[str],
    wanted: Mapping[str, Sequence[Preference]],
) -> tuple[xr.DataArray | pd.DataFrame, pd.DataFrame]:
    """Try preferences between systems on every metric; return the scores without worse systems that nobody scored."""
    if not wanted:
        return scores, pd.DataFrame(columns=_EXPECTED)
    ask = partial(_preferred, scores, lower_is_better)
    metrics = scores.columns if isinstance(scores, pd.DataFrame) else scores["metric"].to_numpy()
    systems = list(map(str, scores.index if isinstance(scores, pd.DataFrame) else scores["system"].to_numpy()))
    stated = [preference for several in wanted.values() for preference in several]
    for name in dict.fromkeys(name for preference in stated for name in preference[:2]):
        check_choice(name, "system", systems)
    human = reference if isinstance(scores, pd.DataFrame) else items.reference_of(scores, reference)
    rows = [(str(name), *ask(str(name), preference)) for name in metrics if name != human for preference in stated]
    scored = scores[human] if isinstance(scores, pd.DataFrame) else scores.sel(metric=human).max("item")
    spoiled = {name for name, is_scored in zip(systems, np.isfinite(scored.to_numpy()), strict=True) if not is_scored}
    remaining = [name for name in systems if name not in spoiled & {preference.worse for preference in stated}]
    counted = scores.loc[remaining] if isinstance(scores, pd.DataFrame) else scores.sel(system=remaining)
    return counted, pd.DataFrame(rows, columns=_EXPECTED)


def _preferred(
    scores: xr.DataArray | pd.DataFrame, falling: Sequence[str], metric: str, wanted: Preference
) -> tuple[str, str, float, float, float, int]:
    """Compare the means of two systems under a metric, over the items that it scored of both."""
    if isinstance(scores, pd.DataFrame):
        values = scores.loc[list(wanted[:2]), metric].to_numpy(dtype=np.float64)[:, None]
        values = -values if metric in falling else values
    else:
        values = items.oriented(scores).sel(metric=metric, system=list(wanted[:2])).to_numpy()
    values = values[:, np.isfinite(values).all(axis=0)]
    if not values.size:
        return str(wanted), UNTRIED, np.nan, np.nan, np.nan, 0
    better, worse = settled_means(values)
    lead = float(better - worse)
    state = BROKEN if lead < 0 else MET if lead > 0 or not wanted.strict else UNNOTICED
    return str(wanted), state, float(better), float(worse), lead, values.shape[1]


def _check_choices(resample: str, permute: str, min_difference: float) -> None:
    check_choice(resample, "way to resample", ("items", "systems", "both"))
    check_choice(permute, "way to permute", ("both", "items", "systems"))
    check_number(min_difference, "min_difference", least=0)


def _means(scores: xr.DataArray, reference: str) -> pd.DataFrame:
    """Return the means of systems over the cells that people scored, those that are equal up to rounding made equal."""
    scored = scores.where(np.isfinite(scores.sel(metric=reference, drop=True))).transpose("metric", "system", "item")
    names = [str(metric) for metric in scores["metric"].to_numpy()]
    values = settle(scored.mean("item").to_numpy(), abs(scored).mean("item").to_numpy()).T
    return pd.DataFrame(values, index=pd.Index(scores["system"].to_numpy()), columns=names)


def _means_by_metric(scores: xr.DataArray, reference: str) -> list[pd.DataFrame]:
    """Return the means of the human score and every metric over the cells that both have."""
    names = [str(metric) for metric in scores["metric"].to_numpy() if metric != reference]
    pairs = (scores.sel(metric=[reference, name]) for name in names)
    return [_means(pair.where(np.isfinite(pair.min("metric", skipna=False))), reference) for pair in pairs]


def _gap_notes(scores: xr.DataArray, reference: str) -> list[str]:
    human = np.isfinite(scores.sel(metric=reference).to_numpy())
    notes = []
    if not human.all():
        notes.append(f"cells without a score of {reference}: {int((~human).sum()):,} of {human.size:,}")
    lacking = {
        str(name): int((human & ~np.isfinite(scores.sel(metric=name).to_numpy())).sum())
        for name in scores["metric"].to_numpy()
    }
    gaps = [f"{name} {count}" for name, count in lacking.items() if count]
    if gaps:
        notes.append(f"cells with {reference} but without the metric, left out for it: {', '.join(gaps)}")
    return notes


def flat_metric_notes(scores: xr.DataArray, reference: str) -> list[str]:
    """Say where a metric alone gives one score to all systems of an item, which is no agreement there."""
    counts, n_items = flat_items(scores, reference=reference)
    flat_metrics = first_few([f"{name} {n}" for name, n in counts.items() if n], most=_SHOWN)
    if not flat_metrics:
        return []
    where = f"items on which a metric gives one score to all systems and people do not, of {n_items}: {flat_metrics}"
    return [f"{where}; by item its agreement there counts as 0"]


def compared_decisions(
    scores: xr.DataArray, reference: str, decide: Callable[..., DecisionAgreement]
) -> tuple[pd.DataFrame, list[str]]:
    """Compare the significant pairs of each metric with those of the human scores, on the items that have both."""
    metrics = [str(metric) for metric in scores["metric"].to_numpy() if metric != reference]
    decided = parallel_map(_decided, metrics, shared=(scores, reference, decide), description="testing")
    rows = [row for row, _ in decided if row is not None]
    return pd.DataFrame(rows), [note for _, notes in decided for note in notes]


def _decided(
    metric: str, scores: xr.DataArray, reference: str, decide: Callable[..., DecisionAgreement]
) -> tuple[dict[str, object] | None, list[str]]:
    """Compare the significant pairs of one metric with those of the human scores; None where that cannot be."""
    notes = []
    pair = scores.sel(metric=[reference, metric])
    observed = np.isfinite(pair.to_numpy()).all(axis=0)
    filled = observed.mean(axis=1)
    selected = pair.isel(system=filled > filled.max() / 2)
    if (filled <= filled.max() / 2).any():
        few = ", ".join(scores["system"].to_numpy()[filled <= filled.max() / 2].tolist())
        notes.append(f"significant pairs under {metric} leave out systems with too few cells: {few}")
    try:
        units = items.mean_by_cluster(selected, missing="drop-topics")
        every = len(np.unique(selected["cluster"])) if "cluster" in selected.coords else selected.sizes["item"]
        if units.sizes["topic"] < every:
            unit_words = "clusters" if "cluster" in selected.coords else "items"
            few = f"significant pairs under {metric} are of {units.sizes['topic']} of {every} {unit_words}"
            notes.append(f"{few}: those with a score of every system")
        frame = decide(units).to_frame()
    except (ScoresError, EstimationError) as error:
        return None, [*notes, f"significant pairs of {metric} could not be compared: {error}"]
    row = frame[(frame["truth"] == reference) & (frame["predictor"] == metric)].iloc[0]
    return {
        "metric": metric,
        "n_systems": units.sizes["system"],
        "n_units": units.sizes["topic"],
        "n_human": row["n_truth"],
        "n_metric": row["n_predictor"],
        **{name: row[name] for name in ("n_shared", "n_conflicts", "precision", "recall", "f1", "tau", "rho")},
    }, notes
