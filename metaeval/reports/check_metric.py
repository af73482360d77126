"""Which laws a metric obeys, as a report."""

import pandas as pd

from metaeval.base.names import count
from metaeval.base.provenance import Provenance
from metaeval.base.words import MISSING, listed
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left

_STATES = {"holds": "holds", "broken": "BROKEN", "not declared": "not declared", "not tried": "not tried"}
_WORDS = ("How to write it", "What it is", "Values", "Better", "Nothing relevant", "Described in")


def check_metric_report(found: pd.DataFrame, *, n_collections: int, provenance: Provenance) -> Report:
    """Put what `metaeval.testing.examine_metric` found into a report."""
    declared, laws, properties = (found[found["kind"] == kind] for kind in ("declared", "law", "property"))
    metrics = found["metric"].drop_duplicates().tolist()
    broken = laws[laws["state"] == "broken"]
    held = laws[laws["state"] == "holds"]
    blocks = [
        _declared_table(declared, metrics),
        Table(
            name="laws",
            title="Laws",
            caption="A metric that breaks one gives wrong numbers. Not declared: the metric does not say that "
            "it holds, or has no such thing. Not tried: there was no score to look at.",
            frame=laws.assign(
                state=laws["state"].map(_STATES), found=laws["found"].where(laws["found"] != "", MISSING)
            ),
            columns=left(metric="Metric", name="Law", state="State", found="Smallest input that breaks it"),
            data=laws,
        ),
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
        facts=(
            (str(len(metrics)), "metric" if len(metrics) == 1 else "metrics"),
            (str(len(held)), "law holds" if len(held) == 1 else "laws hold"),
        ),
        summary=_summary(broken, held, metrics),
        sections=(section,),
        methods=Methods(
            paragraphs=(_method(n_collections),),
            cite=(),
        ),
        rows=found,
        provenance=provenance,
    )


def _declared_table(declared: pd.DataFrame, metrics: list[str]) -> Table:
    frame = declared.pivot_table(index="metric", columns="name", values="found", aggfunc="first")
    frame = frame.reindex(index=metrics, columns=list(_WORDS)).reset_index()
    shown = [word for word in _WORDS if (frame[word] != "").any()]
    return Table(
        name="declared",
        title="What it declares",
        caption="Nothing relevant: the value on a topic where nothing is.",
        frame=frame.replace("", MISSING)[["metric", *shown]],
        columns=left(metric="Metric", **{word: word for word in shown}),
        data=declared,
    )


def _method(n_collections: int) -> str:
    tried_on = count(n_collections, "simulated collection")
    return (
        f"Each law was tried on {tried_on} of three runs and four topics, with grades 0 to 3, unjudged documents and "
        "lists of 1 to some 25 documents, and on edge cases: lists of one document, without a judged or a relevant "
        "one, longer than the cut-off, and missing. Lists were turned round, renamed, cut and condensed, and taken one "
        "by one; scores less than 1e-9 apart are equal."
    )


def _summary(broken: pd.DataFrame, held: pd.DataFrame, metrics: list[str]) -> tuple[str, ...]:
    if len(broken) == 0:
        verb = "obeys" if len(metrics) == 1 else "obey"
        each = f"{len(held)}" if len(metrics) == 1 else f"{len(held)} in all"
        return (f"{listed(metrics)} {verb} every law that was tried ({each}).",)
    return tuple(
        f"{metric} breaks {count(len(rows), 'law')}: {'; '.join(name[:1].lower() + name[1:] for name in rows['name'])}."
        for metric, rows in broken.groupby("metric", sort=False)
    )
