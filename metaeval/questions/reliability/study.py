"""Does a measure of XML retrieval reward what users want: the reliability test of Kazai, Lalmas and de Vries (2004)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import check_choice, check_kind
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import ElementCollection, element_collection
from metaeval.inex.expectations import EXPECTATIONS, Expectation, checked_preferences, stated_by
from metaeval.inex.measures.curves import element_curves
from metaeval.inex.measures.overlap import run_overlap
from metaeval.inex.ordered_runs import RELIABILITY_RUNS, recipe_of, runs_for
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.scoring import lists_of, metric_values, resolve_metrics
from metaeval.running.equality import settled_means
from metaeval.running.parallel import track
from metaeval.studies.study import Study

_MOST_RESULTS = 1500
"""Of a submitted run, the first that count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReliabilityStudy(Study):
    """Ranks of the six runs, and of submitted runs if any, under each measure."""

    reported_by: ClassVar[str] = "metaeval.questions.reliability.page:reliability_report"

    runs: pd.DataFrame
    """One row a metric and simulated run: ``metric``, ``run``, ``value`` (mean over topics), ``rank`` (ties share the
    best), ``overlap`` (a share), ``results`` (mean length), ``quantisation`` that the run was made by, ``topics``."""
    verdicts: pd.DataFrame
    """One row a metric and expectation: ``metric``, ``expectation``, ``meaning``, ``source`` (who stated it),
    ``wanted`` (its preferences, as words), ``met``, ``preferences``, ``broken`` (how many), ``first_broken``
    (all of these, as words)."""
    curves: tuple[xr.DataArray, ...]
    """For every metric with a curve: dims ``system`` and its axis, mean over topics, named as the metric."""
    submissions: pd.DataFrame
    """As `runs`, for submitted runs; empty without."""
    correlations: pd.DataFrame
    """``metric``, ``other``, ``tau``: Kendall's tau of two metrics over the submitted runs; the other may be
    "overlap", of which a positive tau says that it is rewarded."""
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, in the order asked."""
        return tuple(self.runs["metric"].drop_duplicates())

    def _named(self) -> tuple[str, ...]:
        return ()  # a quantisation makes the runs: its measures stand as they are asked for

    def table(self) -> pd.DataFrame:
        """Return the table of the paper: runs in rows, for every metric its value and, on a second level, its rank."""
        wide = _runs_by_metric(self.runs, ["value", "rank"])
        order = [(metric, kind) for metric in self.metrics for kind in ("value", "rank")]
        return wide.swaplevel(axis=1)[order].loc[list(RELIABILITY_RUNS)]

    def top(self, metric: str, n: int = 10) -> pd.DataFrame:
        """Return the best submitted runs under a metric, with their ranks under the others and their overlap.

        Parameters
        ----------
        metric : str
        n : int, default 10

        Raises
        ------
        UnknownNameError
            If the metric was not asked for.
        """
        check_choice(metric, "metric", self.metrics)
        of_metric = self.submissions[self.submissions["metric"] == metric]
        best = of_metric.sort_values("rank", kind="stable").head(n)[["rank", "run", "value", "overlap"]]
        ranks = _runs_by_metric(self.submissions, "rank")
        others = ranks.drop(columns=metric).rename(columns=rank_under)
        return best.merge(others, left_on="run", right_index=True).reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: metric, run, whether it is simulated, value, rank, overlap, and the verdicts below them."""
        rows = [self.runs.assign(kind="simulated"), self.submissions.assign(kind="submitted")]
        verdicts = self.verdicts.assign(kind="verdict")
        columns = ["kind", "metric", "run", "value", "rank", "overlap", "expectation", "met", "first_broken"]
        filled = [frame for frame in (*rows, verdicts) if len(frame)]
        return pd.concat([frame.reindex(columns=columns).astype(object) for frame in filled], ignore_index=True)


def rank_under(metric: str) -> str:
    """Return what `ReliabilityStudy.top` calls the column of ranks under another metric."""
    return f"rank under {metric}"


def _runs_by_metric(table: pd.DataFrame, values: str | list[str]) -> pd.DataFrame:
    return table.pivot_table(index="run", columns="metric", values=values, aggfunc="first", sort=False)


def element_measures(assessments: Assessments) -> tuple[str, ...]:
    """Return what is tried where nothing is asked: inex-2002 and nXCG, generalised and strict, on the scale at hand."""
    general = "SOG" if assessments.scale == "2003" else "gen"
    return tuple(f"{name}(quant={quant})" for quant in (general, "strict") for name in ("inex2002", "nxCGpercent"))


def study_reliability(  # noqa: PLR0913 - one keyword per question
    assessments: Assessments,
    submissions: Iterable[Submission] = (),
    *,
    metrics: object = None,
    sizes: pd.DataFrame | None = None,
    expectations: Mapping[str, Expectation] = EXPECTATIONS,
    lenient: bool = False,
    registry: Registry | None = None,
    provenance: Provenance | None = None,
) -> ReliabilityStudy:
    """Test measures of XML retrieval on six runs whose correct order is known.

    Parameters
    ----------
    assessments : Assessments
        Of elements: the scale of 2002, 2003 or 2005.
    submissions : iterable of Submission, optional
        Real runs, for what the measures' differences mean in practice.
    metrics : sequence of str, optional
        Measures of elements; `element_measures` otherwise. The six runs are made by the quantisation (and the rule for
        ties) of each measure, for the best elements are those that it says are best.
    sizes : pandas.DataFrame, optional
        Columns ``document``, ``path``, ``size``: measures that treat overlap need the size of every element in it,
        and assessments of 2002 to 2004 have none.
    expectations : mapping of str to function
        What users want: a function of the table of runs (index ``run``, columns ``value``, ``rank``, ``overlap``,
        ``results``) that returns a `Preference` for each pair of runs that it has an opinion on. `parse_expectations`
        makes such functions of texts like "lo>ao".
    lenient : bool, default False
        See `metaeval.inex.element_collection`.
    registry : Registry, optional
        Where names are looked up.
    provenance : Provenance, optional

    Returns
    -------
    ReliabilityStudy
        ``to_frame()`` has one row a measure and run, or a measure and expectation, by ``kind``: ``value``, ``rank`` and
        ``overlap`` (0 to 1) of a ``run`` under a ``metric``; whether an ``expectation`` is ``met``, and as words, in
        ``first_broken``, all its preferences that are not. Missing is what the other kind has.

    Raises
    ------
    InvalidOptionError
        If there are no assessed elements, a measure does not rank elements, a size is unknown that a measure needs,
        nothing is worth anything under any measure, or the preferences of an expectation contradict each other.
    UnknownNameError
        For an unknown measure, or a preference about a run that there is not.

    See Also
    --------
    metaeval.questions.assessment.study.study_assessment

    Notes
    -----
    A run's value is the mean over the topics where something is worth more than 0; a list that is empty there counts
    0. All results of the six runs count, 1500 of a submitted one. Overlap is the share of a list's results inside
    another of its results, over the topics answered. After Kazai, Lalmas and de Vries (2004), section 3.

    Examples
    --------
    >>> judged = pd.DataFrame({"topic": "1", "document": "d", "path": ["/a[1]", "/a[1]/b[1]"], "exhaustivity": [3, 2],
    ...     "specificity": [1.0, 3.0], "size": [900, 100], "relevant_size": -1, "line": 0})
    >>> documents = pd.DataFrame([{"topic": "1", "document": "d"}])
    >>> study = study_reliability(Assessments(scale="2003", documents=documents, elements=judged),
    ...     metrics=["inex2002(quant=SOG)", "nxCGpercent(quant=SOG)"])
    >>> study.verdicts[["metric", "expectation", "met"]].to_numpy().tolist()[::2]
    [['inex2002(quant=SOG)', 'ideal', False], ['nxCGpercent(quant=SOG)', 'ideal', True]]
    """
    check_kind(assessments, "assessments", "Assessments")
    metric_registry = default_registry() if registry is None else registry
    chosen = resolve_metrics(element_measures(assessments) if metrics is None else metrics, registry=metric_registry)
    for metric in chosen:
        if not isinstance(metric, Metric) or metric.on != "elements":
            names = ", ".join(element_measures(assessments))
            raise InvalidOptionError(f"{metric.name} does not rank elements; take measures such as {names}")
    options = {"sizes": sizes, "lenient": lenient}
    collections = _six_collections(chosen, assessments, metric_registry, options)
    notes: list[str] = list(assessments.notes)
    tables, curves = [], []
    for metric in track(chosen, description="measuring the simulated runs"):
        recipe = recipe_of(metric)
        values = _runs_under(collections[recipe], metric)
        if values is None:
            notes.append(f"{metric.name} is left out: under it, no element of any topic has a value above 0")
            continue
        tables.append(values.assign(quantisation=recipe[0]))
        curves += _curve(collections[recipe], metric, metric_registry)
    if not tables:
        names = ", ".join(metric.name for metric in chosen)
        message = f"no element has a value above 0 under {names}, so no run can be measured"
        raise InvalidOptionError(message)
    runs = pd.concat(tables, ignore_index=True)
    measured = [metric for metric in chosen if metric.name in set(runs["metric"])]
    notes += _topic_notes(runs, collections[recipe_of(measured[0])].n_topics)
    notes += _overlap_notes(runs, measured)
    submitted, notes_on_runs = _submitted_runs(list(submissions), measured, assessments, options)
    return ReliabilityStudy(
        runs=runs,
        verdicts=_verdicts(runs, measured, expectations),
        curves=tuple(curves),
        submissions=submitted,
        correlations=_correlations(submitted, measured),
        notes=tuple(dict.fromkeys([*notes, *notes_on_runs])),
        provenance=provenance or record_provenance("study_reliability"),
    )


# ---------------------------------------------------------------------------------------------------- the six runs


def _six_collections(
    metrics: tuple[AnyMetric, ...],
    assessments: Assessments,
    registry: Registry,
    options: Mapping[str, object],
) -> dict[tuple[str, str], ElementCollection]:
    """Compile the six runs once for each recipe."""
    collections = {}
    for metric in metrics:
        recipe = recipe_of(metric)
        if recipe in collections:
            continue
        runs = runs_for(metric, assessments, registry)
        longest = max(1, *(len(run.results) for run in runs.values()))
        collections[recipe] = element_collection(runs.values(), assessments, limit=longest, **options)  # type: ignore[arg-type]  # as study_reliability takes them
    return collections


def _runs_under(collection: ElementCollection, metric: AnyMetric) -> pd.DataFrame | None:
    """Return value, rank and overlap of every run under a metric; None where it is defined on no topic."""
    defined = np.ones(collection.n_topics, dtype=bool)
    if metric.without_relevant is not None:
        defined = metric.n_relevant(lists_of(collection, metric)) > 0
    if not defined.any():
        return None
    values = settled_means(metric_values(collection, [metric])[0][:, defined])
    goodness = values if metric.higher_is_better else -values
    return pd.DataFrame(
        {
            "metric": metric.name,
            "run": list(collection.systems),
            "value": values,
            "rank": pd.Series(-goodness).rank(method="min").astype(int),
            "overlap": settled_means(run_overlap(collection).transpose("system", "topic").to_numpy()),
            "results": collection.n_retrieved.mean(axis=1),
            "topics": int(defined.sum()),
        }
    )


def _curve(collection: ElementCollection, metric: AnyMetric, registry: Registry) -> list[xr.DataArray]:
    try:
        curves = element_curves(collection, metric.name, registry=registry)
    except UnknownNameError:  # a measure that is no average of a curve
        return []
    return [curves.mean("topic")]


def _topic_notes(runs: pd.DataFrame, n_topics: int) -> list[str]:
    topics = runs.groupby("metric", sort=False)["topics"].first()
    return [
        f"{name} is a mean over {count} of {n_topics} topics; on the others no element has a value above 0 under it"
        for name, count in topics.items()
        if count < n_topics
    ]


def _overlap_notes(runs: pd.DataFrame, metrics: Iterable[AnyMetric]) -> list[str]:
    """Say why runs with more than the ideal elements come out above them where what was seen before still counts."""
    values = runs.set_index(["metric", "run"])["value"]
    above = [
        metric.name
        for metric in metrics
        if isinstance(metric, Metric)
        and float(str(dict(metric.parameters).get("alpha", 1))) < 1
        and max(values[metric.name, "ia"], values[metric.name, "frb"]) > values[metric.name, "irb"]
    ]
    if not above:
        return []
    why = (
        "with alpha below 1, an element around ideal ones keeps 1 - alpha of its value although its text was seen; "
        "only what lies inside an ideal element is limited to that element's value. Runs that add such elements may "
        "therefore gain more than the ideal run"
    )
    return [f"{', '.join(above)}: {why}"]


# ------------------------------------------------------------------------------------------------- what users want


def _verdicts(
    runs: pd.DataFrame, metrics: Iterable[AnyMetric], expectations: Mapping[str, Expectation]
) -> pd.DataFrame:
    rows = []
    for metric in metrics:
        of_metric = runs[runs["metric"] == metric.name].set_index("run")[["value", "rank", "overlap", "results"]]
        goodness = of_metric["value"] if metric.higher_is_better else -of_metric["value"]
        for name, expectation in expectations.items():
            wanted = checked_preferences(expectation(of_metric.copy()), of_metric.index.tolist())
            broken = [str(preference) for preference in wanted if not preference.is_met(goodness)]
            rows.append(
                {
                    "metric": metric.name,
                    "expectation": name,
                    "meaning": " ".join((expectation.__doc__ or name).strip().split("\n")[0].split()),
                    "source": stated_by(expectation),
                    "wanted": ", ".join(map(str, wanted)),
                    "met": not broken,
                    "preferences": len(wanted),
                    "broken": len(broken),
                    "first_broken": ", ".join(broken),
                }
            )
    columns = ["metric", "expectation", "meaning", "source", "wanted", "met", "preferences", "broken", "first_broken"]
    return pd.DataFrame(rows, columns=columns)


# -------------------------------------------------------------------------------------------------- submitted runs


def _submitted_runs(
    submissions: list[Submission],
    metrics: Iterable[AnyMetric],
    assessments: Assessments,
    options: Mapping[str, object],
) -> tuple[pd.DataFrame, Sequence[str]]:
    """Return the rows of submitted runs, and the notes on them."""
    columns = ["metric", "run", "value", "rank", "overlap", "results", "topics"]
    if not submissions:
        return pd.DataFrame(columns=columns), ()
    collection = element_collection(submissions, assessments, limit=_MOST_RESULTS, **options)  # type: ignore[arg-type]  # as study_reliability takes them
    tables = [_runs_under(collection, metric) for metric in track(metrics, description="measuring the submitted runs")]
    return pd.concat([table for table in tables if table is not None], ignore_index=True), collection.notes


def _correlations(submitted: pd.DataFrame, metrics: Iterable[AnyMetric]) -> pd.DataFrame:
    rows = []
    if len(submitted["run"].unique()) > 1:
        wide = _runs_by_metric(submitted, "value")
        for metric in metrics:
            if not metric.higher_is_better:
                wide[metric.name] *= -1
        wide["overlap"] = submitted.groupby("run")["overlap"].first()
        names = [measure.name for measure in metrics] + ["overlap"]
        for position, first in enumerate(names[:-1]):
            for second in names[position + 1 :]:
                pair_values = wide[[first, second]].dropna().to_numpy().T
                tau = (
                    float(kendall_tau(pair_values[0], pair_values[1], undefined="nan"))
                    if pair_values.shape[1] > 1
                    else np.nan
                )
                rows.append({"metric": first, "other": second, "tau": tau})
    return pd.DataFrame(rows, columns=["metric", "other", "tau"])
