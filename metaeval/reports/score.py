"""The report of scores: the mean of every run under every metric."""

from collections.abc import Sequence

import pandas as pd

from metaeval.base.bibliography import PUBLICATIONS, cited
from metaeval.base.names import count
from metaeval.base.provenance import Provenance
from metaeval.base.words import NAMED, End, ends, interval, listed, name_of_metric, number, short_names
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.spec import MetricSpec
from metaeval.page.blocks import Item, Items, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.shared import facts
from metaeval.running.equality import settled_means
from metaeval.studies.power import system_means
from metaeval.table.scores import Scores, oriented_values

_SCORE = number(4)
_ORDERS = {
    "score": "by score, equal scores by document identifier, descending, as trec_eval has them",
    "rank": "by the ranks in the run",
    "input": "as their lines stand in the run",
}


def score_report(
    scores: Scores,
    *,
    provenance: Provenance,
    metrics: Sequence[AnyMetric] = (),
    collection: JudgedCollection | None = None,
) -> Report:
    """Put scores of runs into a report."""
    sizes = scores.sizes
    means = pd.DataFrame(
        scores.mean("topic").to_numpy().T, index=scores["system"].to_numpy(), columns=scores["metric"].to_numpy()
    )
    rows = means.reset_index(names="system").melt("system", var_name="metric", value_name="mean")
    spread = {"means.csv": csv_file(system_means(scores))} if sizes["topic"] > 1 else {}
    return Report(
        command="score",
        title="What do these runs score?" if sizes["system"] > 1 else "What does this run score?",
        facts=facts(metric=sizes["metric"], run=sizes["system"], topic=sizes["topic"]),
        summary=_summary(scores),
        sections=(_means_section(means, sizes["topic"]),),
        methods=_methods(scores, provenance, metrics, collection),
        rows=rows.assign(n_topics=sizes["topic"]),
        provenance=provenance,
        notes=tuple(scores.attrs.get("notes", ())),
        data=score_files(scores) | spread,
    )


def _summary(scores: Scores) -> tuple[str, ...]:
    (name, best, intervals), *others = _best(scores)
    n_runs, n_topics = scores.sizes["system"], scores.sizes["topic"]
    spread, who = "", best.who
    if intervals:
        picked = ", not adjusted for picking the best" if n_runs > 1 else ""
        spread = f" (95 % t interval{'s' * (len(intervals) > 1)} {listed(intervals, most=NAMED)}{picked})"
    if n_runs > 1:
        alike = len(best.names) == n_runs
        who += f", equally good under {name}," if alike else f", the best of {n_runs} runs under {name},"
    has = best.verb("has", "have")
    sentences = [f"{who} {has} a mean {name} of {best.figure} over {count(n_topics, 'topic')}{spread}."]
    if others and n_runs == 1:
        sentences.append(f"The other means: {listed(f'{metric} {one.figure}' for metric, one, _ in others)}.")
    elif same := [f"{metric} ({one.figure})" for metric, one, _ in others if one.names == best.names]:
        sentences.append(f"{best.verb('It is', 'They are')} also best under {listed(same)}.")
    sentences += [
        f"Best under {metric}: {one.who} ({one.figure})." for metric, one, _ in others if one.names != best.names
    ]
    return (" ".join(sentences),)


def _best(scores: Scores) -> list[tuple[str, End, list[str]]]:
    """Return the best runs under every metric with their mean, and their intervals where there are topics enough."""
    if scores.sizes["topic"] > 1:
        frame = system_means(scores)
    else:
        frame = scores.mean("topic").to_dataframe("mean").reset_index()
        frame = frame.assign(rank=-settled_means(oriented_values(scores)).ravel(), low=float("nan"), high=float("nan"))
    found = []
    for metric, rows in frame.groupby("metric", sort=False):
        best = ends(rows["system"], -rows["rank"], map(_SCORE, rows["mean"]))[1]
        own = rows.set_index("system").loc[[*best.names]].dropna(subset=["low"])
        intervals = dict.fromkeys(interval(row.low, row.high, _SCORE) for row in own.itertuples())
        found.append((name_of_metric(metric), best, [*intervals]))
    return found


def _means_section(means: pd.DataFrame, n_topics: int) -> Section:
    names = [str(name) for name in means.columns]
    table = Table(
        name="means",
        title="Mean scores",
        caption=" ".join([f"Mean over {count(n_topics, 'topic')}.", *short_names(names)]),
        frame=means.reset_index(names="system"),
        columns=(*left(system="Run"), *right(_SCORE, **{name: name_of_metric(name) for name in names})),
    )
    return Section(
        id="means",
        title="Mean scores",
        lead="Every run under every metric. To test whether two means differ, use metaeval power.",
        brief=True,
        blocks=(table,),
    )


def _methods(
    scores: Scores, provenance: Provenance, metrics: Sequence[AnyMetric], collection: JudgedCollection | None
) -> Methods:
    sizes, order = scores.sizes, str(provenance.options.get("order"))
    named = [metric.full_name if isinstance(metric, Metric) else metric.name for metric in metrics]
    version = provenance.versions.get("metaeval", "")
    words = (
        f"We scored {count(sizes['system'], 'run')} on {count(sizes['topic'], 'topic')} with "
        f"{f'metaeval {version}'.rstrip()} under {listed(named or scores['metric'].to_numpy())} (names as in "
        "ir_measures). A mean counts every topic the same."
    )
    if isinstance(collection, Collection) and order in _ORDERS:
        words += f" The documents of a run were ordered {_ORDERS[order]}."
    own = [metric for metric in metrics if isinstance(metric, Metric)]
    defined = tuple(Item(term=name_of_metric(metric.name), words=_defined(metric.spec)) for metric in own)
    sources = tuple(dict.fromkeys(metric.spec.cite for metric in own if metric.spec.cite in PUBLICATIONS))
    return Methods(paragraphs=(words,), blocks=(Items(items=defined),) if defined else (), cite=sources)


def _defined(spec: MetricSpec) -> str:
    """Return what a metric is, with the publication that its definition is taken from."""
    return f"{spec.summary.removesuffix('.')}{cited([spec.cite] if spec.cite in PUBLICATIONS else [])}."
