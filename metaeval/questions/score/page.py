# ruff: noqa: RUF001 - the apostrophe is meant for people
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
from metaeval.page.tables import METRIC, left, right
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.resampling.system_means import means_of_systems
from metaeval.running.equality import settled_means
from metaeval.table.scores import Scores, oriented_values

_SCORE = number(4)
say = prose(__name__)
_ORDERS = {
    "score": "by score, equal scores by document identifier, descending, as trec_eval has them",
    "rank": "by the ranks in the run",
    "input": "as their lines in the run",
}


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
    columns = (
        METRIC,
        *left(runs="Best run" if sizes["system"] > 1 else "Run"),
        *right(written="Mean [95 % interval]" if sizes["topic"] > 1 else "Score"),
    )
    spread = {"means.csv": csv_file(means_of_systems(scores))} if sizes["topic"] > 1 else {}
    return Report(
        command="score",
        title="What do these runs score?" if sizes["system"] > 1 else "What does this run score?",
        facts=facts(metric=sizes["metric"], run=sizes["system"], topic=sizes["topic"]),
        summary=(_first_sentence(scores, best), *([say("quote")] if sizes["system"] > 1 else [])),
        key_figures=key_figures(
            best.drop(columns=["best", "worst"]),
            columns,
            caption="t intervals, within the metric’s range, not adjusted for picking the best."
            if sizes["topic"] > 1
            else "",
        ),
        sections=(_means_section(means, sizes["topic"]),),
        methods=_methods(scores, provenance, metrics, collection),
        rows=rows.assign(n_topics=sizes["topic"]),
        provenance=provenance,
        notes=tuple(scores.attrs.get("notes", ())),
        data=score_files(scores) | spread,
    )


def _first_sentence(scores: Scores, best: pd.DataFrame) -> str:
    """Say which runs are best and worst under the first metric, or what the only run scores."""
    first, n = best.iloc[0], scores.sizes["system"]
    name, value, who = name_of_metric(first["metric"]), first["written"], first["best"]
    if n > 1 and len(who.names) < n:
        worst, has = first["worst"], who.verb("has", "have")
        return f"{who.who} {has} the best mean {name}, {value}, and {worst.who} the worst, {worst.figure}."
    runs = {1: f"{who.who} has", 2: "Both runs have"}.get(n, f"All {n} runs have")
    return f"{runs} a mean {name} of {value}."


def _best(scores: Scores) -> pd.DataFrame:
    """Return the best runs under every metric and their mean, with its interval where one run has enough topics."""
    if scores.sizes["topic"] > 1:
        frame = means_of_systems(scores)
    else:
        frame = scores.mean("topic").to_dataframe("mean").reset_index()
        frame = frame.assign(rank=-settled_means(oriented_values(scores)).ravel(), low=float("nan"), high=float("nan"))
    records = []
    for metric, rows in frame.groupby("metric", sort=False):
        worst, best = ends(rows["system"], -rows["rank"], map(_SCORE, rows["mean"]))
        best_run = rows.set_index("system").loc[best.names[0]]
        alone = len(best.names) == 1
        value = bracketed(best_run["mean"], best_run["low"], best_run["high"], _SCORE) if alone else best.figure
        numbers = dict(best_run[["mean", "low", "high"]])
        records.append({"metric": metric, "best": best, "worst": worst, "runs": best.who, "written": value} | numbers)
    return pd.DataFrame(records)


def _means_section(means: pd.DataFrame, n_topics: int) -> Section:
    names = [str(name) for name in means.columns]
    table = say.table(
        "means",
        means.reset_index(names="system"),
        left(system="Run"),
        right(_SCORE, **{name: name_of_metric(name) for name in names}),
        n_topics=n_topics,
        metrics=names,
    )
    return say.section("means", table)


def _ordered(order: str) -> str:
    """Say how the documents of a run were ordered; nothing where that is not known."""
    return f"The documents of a run were ordered {_ORDERS[order]}." if order in _ORDERS else ""


def _methods(
    scores: Scores, provenance: Provenance, metrics: Sequence[AnyMetric], collection: JudgedCollection | None
) -> Methods:
    named = [metric.full_name if isinstance(metric, Metric) else metric.name for metric in metrics]
    words = say(
        "methods",
        sizes=scores.sizes,
        version=provenance.versions.get("metaeval", ""),
        names=named or scores["metric"].to_numpy(),
        order=_ordered(str(provenance.options.get("order"))) if isinstance(collection, Collection) else "",
    )
    with_spec = [metric for metric in metrics if isinstance(metric, Metric)]
    cites = {metric: [metric.spec.cite] if metric.spec.cite in PUBLICATIONS else [] for metric in with_spec}
    defined = tuple(
        Item(term=name_of_metric(metric.name), words=say("definition", spec=metric.spec, cite=cite))
        for metric, cite in cites.items()
    )
    sources = tuple(dict.fromkeys(key for cite in cites.values() for key in cite))
    return Methods(paragraphs=(words,), blocks=(Items(items=defined),) if defined else (), cite=sources)
