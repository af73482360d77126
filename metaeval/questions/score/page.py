"""The report of scores: the mean of every run under every metric."""

from collections.abc import Sequence

import pandas as pd

from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.provenance import Provenance
from metaeval.base.words import bracketed, ends, name_of_metric, number
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.page.blocks import Item, Items, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.resampling.system_means import means_of_systems
from metaeval.running.equality import settled_means
from metaeval.table.scores import Scores, oriented_values

_SCORE = number(4)
say = prose(__name__)


def score_report(
    scores: Scores,
    *,
    provenance: Provenance,
    metrics: Sequence[AnyMetric] = (),
    collection: JudgedCollection | None = None,
) -> Report:
    """Put scores of runs into a report."""
    sizes, best = scores.sizes, _best(scores)
    means = pd.DataFrame(
        scores.mean("topic").to_numpy().T, index=scores["system"].to_numpy(), columns=scores["metric"].to_numpy()
    )
    rows = means.reset_index(names="system").melt("system", var_name="metric", value_name="mean")
    spread = {"means.csv": csv_file(means_of_systems(scores))} if sizes["topic"] > 1 else {}
    return Report(
        command="score",
        title=say("title", n=sizes["system"]),
        facts=facts(metric=sizes["metric"], run=sizes["system"], topic=sizes["topic"]),
        summary=(_first(scores, best), *([say("quote")] if sizes["system"] > 1 else [])),
        key_figures=key_figures(
            best.drop(columns="best"),
            (METRIC, *left(runs=say("best", n=sizes["system"])), *right(written=say("mean", n=sizes["topic"]))),
            caption=say("intervals", n=sizes["system"]) if sizes["topic"] > 1 else "",
        ),
        sections=(_means_section(means, sizes["topic"]),),
        methods=_methods(scores, provenance, metrics, collection),
        rows=rows.assign(n_topics=sizes["topic"]),
        provenance=provenance,
        notes=tuple(scores.attrs.get("notes", ())),
        data=score_files(scores) | spread,
    )


def _first(scores: Scores, best: pd.DataFrame) -> str:
    """Say which runs are best under the first metric, or what the only run scores."""
    first = best.iloc[0]
    return say(
        "first", sizes=scores.sizes, name=name_of_metric(first["metric"]), best=first["best"], value=first["written"]
    )


def _best(scores: Scores) -> pd.DataFrame:
    """Return the best runs under every metric and their mean, with its interval where one run has enough topics."""
    if scores.sizes["topic"] > 1:
        frame = means_of_systems(scores)
    else:
        frame = scores.mean("topic").to_dataframe("mean").reset_index()
        frame = frame.assign(rank=-settled_means(oriented_values(scores)).ravel(), low=float("nan"), high=float("nan"))
    records = []
    for metric, rows in frame.groupby("metric", sort=False):
        best = ends(rows["system"], -rows["rank"], map(_SCORE, rows["mean"]))[1]
        best_run = rows.set_index("system").loc[best.names[0]]
        alone = len(best.names) == 1
        value = bracketed(best_run["mean"], best_run["low"], best_run["high"], _SCORE) if alone else best.figure
        numbers = dict(best_run[["mean", "low", "high"]])
        records.append({"metric": metric, "best": best, "runs": best.who, "written": value} | numbers)
    return pd.DataFrame(records)


def _means_section(means: pd.DataFrame, n_topics: int) -> Section:
    names = [str(name) for name in means.columns]
    table = Table(
        **say.named("means", n_topics=n_topics, metrics=names),
        frame=means.reset_index(names="system"),
        columns=(*left(system="Run"), *right(_SCORE, **{name: name_of_metric(name) for name in names})),
    )
    return Section(id="means", title=say("means title"), lead=say("lead"), brief=True, blocks=(table,))


def _methods(
    scores: Scores, provenance: Provenance, metrics: Sequence[AnyMetric], collection: JudgedCollection | None
) -> Methods:
    named = [metric.full_name if isinstance(metric, Metric) else metric.name for metric in metrics]
    words = say(
        "methods",
        sizes=scores.sizes,
        version=provenance.versions.get("metaeval", ""),
        names=named or scores["metric"].to_numpy(),
        order=str(provenance.options.get("order")) if isinstance(collection, Collection) else "",
    )
    with_spec = [metric for metric in metrics if isinstance(metric, Metric)]
    cites = {metric: [metric.spec.cite] if metric.spec.cite in PUBLICATIONS else [] for metric in with_spec}
    defined = tuple(
        Item(term=name_of_metric(metric.name), words=say("definition", spec=metric.spec, cite=cite))
        for metric, cite in cites.items()
    )
    sources = tuple(dict.fromkeys(key for cite in cites.values() for key in cite))
    return Methods(paragraphs=(words,), blocks=(Items(items=defined),) if defined else (), cite=sources)
