# ruff: noqa: RUF001 - Greek letters are meant for people
"""More clusters, or more items in each: the section of components of variance of items that come in clusters."""

from collections.abc import Callable

import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import bracketed, name_of_metric, number, percentage, significant, text, whole
from metaeval.page.blocks import Choice, Section
from metaeval.page.tables import Table, right
from metaeval.questions.components.study import ComponentsStudy
from metaeval.reports.prose import prose
from metaeval.running.equality import RELATIVE

_SCORE_DIGITS = 4
_SHARE, _SCORE = number(3), number(_SCORE_DIGITS)
MOST_ITEMS = 1e7
"""Of more it is said that no number is enough."""
say = prose(__name__)


def clusters_section(study: ComponentsStudy, choice: Callable[..., Choice]) -> list[Section]:
    """Lay out what more items in each cluster are worth; nothing where there are no clusters."""
    if study.clusters.empty:
        return []
    blocks = choice(study, lambda metric: (_table(study, metric),))
    return [say.section("clusters", blocks)]


def cluster_sentence(study: ComponentsStudy) -> tuple[str, ...]:
    """Say what twice the items in each cluster, and twice the clusters, make of the error under the first metric."""
    if study.clusters.empty:
        return ()
    rows = study.clusters[study.clusters["metric"] == study.clusters["metric"].iloc[0]]
    now = rows[rows["at_hand"]].iloc[0]
    doubled = rows[rows["items_per_cluster"] == round(2 * now["items_per_cluster"])].iloc[0]
    errors = study.components.dependability.set_index("metric")["difference_error"]
    with_gaps, without_gaps = float(errors[now["metric"]]), float(now["difference_error"])
    gaps_count = round(with_gaps, _SCORE_DIGITS) != round(without_gaps, _SCORE_DIGITS)
    named = study.scores.sizes["metric"] > 1 and not study.components.judges
    sentence = say(
        "sentence",
        at_hand=_SCORE(without_gaps) + f" ({_SCORE(with_gaps)} with their gaps)" * gaps_count,
        each="on average" if _uneven(study) else "each",
        n=now["clusters"],
        mean=_written_number(now["items_per_cluster"]),
        doubled=_written_number(doubled["items_per_cluster"]),
        items=_SCORE(doubled["difference_error"]),
        more=_SCORE(now["twice_error"]),
        under=f" under {name_of_metric(now['metric'])}" if named else "",
    )
    return (sentence,)


def spread_said(study: ComponentsStudy, metric: str) -> str:
    """Say that items at hand are in more clusters than as many in whole ones, where gaps make them so."""
    components = study.components
    solution = components.solved[metric]
    if not components.n_clusters or solution.per_cluster > (1 - RELATIVE) * solution.sources.per_cluster:
        return ""
    return say("spread", mean=_written_number(components.n_topics / components.n_clusters))


def _uneven(study: ComponentsStudy) -> bool:
    """Return whether clusters differ in size."""
    return len(set(study.scores["cluster"].to_series().value_counts())) > 1


def _table(study: ComponentsStudy, metric: str) -> Table:
    rows = study.clusters[study.clusters["metric"] == metric]
    n_clusters = int(rows["clusters"].iloc[0])
    table_frame = rows.assign(
        size=[
            _written_number(n_items) + " (now)" * now
            for n_items, now in zip(rows["items_per_cluster"], rows["at_hand"], strict=True)
        ],
        **{name: _bracketed(rows, name, write) for name, write in _WRITTEN.items()},
        **{f"{name}_sort": rows[name] for name in _WRITTEN},
    )
    return say.table(
        "caption",
        table_frame,
        right(text, size=f"{unit().Topics} in each"),
        right(text, erho2="Eρ²"),
        right(
            _SCORE,
            f"Standard error of a difference, by {unit().clusters}",
            difference_error=whole(n_clusters),
            twice_error=whole(2 * n_clusters),
        ),
        right(text, clusters_needed=f"{unit().Clusters} for Eρ² {study.target:g}", price="Price"),
        called=f"clusters {metric}",
        data=rows,
        metric=metric,
        size="which differ in size as those now do" if _uneven(study) else "of one size",
        level=percentage(study.components.confidence_level),
    )


def _bracketed(rows: pd.DataFrame, name: str, write: Callable[[object], str]) -> list[str]:
    ends = rows[[name, f"{name}_low", f"{name}_high"]].to_numpy().tolist()
    return [bracketed(value, low, high, write) for value, low, high in ends]


def _written_number(value: object) -> str:
    size = float(str(value))
    return "∞" if size > MOST_ITEMS else significant(size, 3)


_WRITTEN: dict[str, Callable[[object], str]] = {
    "erho2": _SHARE,
    "clusters_needed": _written_number,
    "price": _written_number,
}
