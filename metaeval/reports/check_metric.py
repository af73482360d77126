"""Which laws a metric obeys, as a report."""

import pandas as pd

from metaeval.provenance import Provenance
from metaeval.reports.report import Methods, Report, Section
from metaeval.reports.tables import Table, left
from metaeval.words import MISSING, count, listed

__all__ = ["check_metric_report"]

_STATES = {"holds": "holds", "broken": "BROKEN", "not declared": "not declared", "not tried": "not tried"}


def check_metric_report(found: pd.DataFrame, *, n_collections: int, provenance: Provenance) -> Report:
    """Put what `metaeval.testing.examine_metric` found into a report.

    Parameters
    ----------
    found : DataFrame
        Of one metric or several, one below the other.
    n_collections : int
        Simulated collections that each law was tried on.
    provenance : Provenance
    """
    laws, properties = (found[found["kind"] == kind] for kind in ("law", "property"))
    metrics = found["metric"].drop_duplicates().tolist()
    broken = laws[laws["state"] == "broken"]
    held = laws[laws["state"] == "holds"]
    blocks = [
        Table(
            name="laws",
            title="Laws",
            caption="A metric that breaks one gives wrong numbers. Not declared: the metric does not say that "
            "it holds. Not tried: there was no score to look at.",
            frame=laws.assign(
                state=laws["state"].map(_STATES), found=laws["found"].where(laws["found"] != "", MISSING)
            ),
            columns=left(metric="Metric", name="Law", state="State", found="Smallest input that breaks it"),
            data=laws,
        )
    ]
    if len(properties) > 0:
        blocks.append(
            Table(
                name="properties",
                title="What it is like",
                caption="As seen on the simulated collections; none of it is right or wrong.",
                frame=properties,
                columns=left(metric="Metric", name="Property", found="Seen"),
                data=properties,
            )
        )
    section = Section(
        id="laws",
        title="Laws and properties",
        lead="Every built-in metric obeys these laws.",
        brief=True,
        blocks=tuple(blocks),
    )
    return Report(
        command="check-metric",
        title="Does this metric do what it says?",
        facts=((str(len(metrics)), "metric" if len(metrics) == 1 else "metrics"), (str(len(held)), "laws hold")),
        summary=_summary(broken, held, metrics),
        sections=(section,),
        methods=Methods(
            paragraphs=(_method(n_collections),),
            cite=(),
        ),
        rows=found,
        provenance=provenance,
    )


def _method(n_collections: int) -> str:
    tried_on = count(n_collections, "simulated collection")
    return (
        f"Each law was tried on {tried_on} of three runs and four topics, with grades 0 to 3, unjudged documents and "
        "lists of 1 to some 25 documents. Lists were turned round, renamed, cut and condensed; scores less than 1e-9 "
        "apart are equal."
    )


def _summary(broken: pd.DataFrame, held: pd.DataFrame, metrics: list[str]) -> tuple[str, ...]:
    if len(broken) == 0:
        verb = "obeys" if len(metrics) == 1 else "obey"
        return (f"{listed(metrics)} {verb} every law that was tried ({count(len(held), 'time')}).",)
    return tuple(
        f"{metric} breaks {count(len(rows), 'law')}: {'; '.join(name[:1].lower() + name[1:] for name in rows['name'])}."
        for metric, rows in broken.groupby("metric", sort=False)
    )
