"""Which laws a metric obeys, as a report."""

import pandas as pd

from metaeval.base.provenance import Provenance
from metaeval.base.words import MISSING
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left
from metaeval.reports.prose import prose

_STATES = {"holds": "holds", "broken": "BROKEN", "not declared": "not declared", "not tried": "not tried"}
_WORDS = ("How to write it", "What it is", "Values", "Better", "Nothing relevant", "Described in")
say = prose("check_metric")


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
            caption=say("laws"),
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
                title=say("properties title"),
                caption=say("properties"),
                frame=properties,
                columns=left(metric="Metric", name="Property", found="Seen"),
                data=properties,
            )
        )
    section = Section(id="laws", title="Laws and properties", lead=say("lead"), brief=True, blocks=tuple(blocks))
    return Report(
        command="check-metric",
        title=say("title"),
        facts=(
            (str(len(metrics)), "metric" if len(metrics) == 1 else "metrics"),
            (str(len(held)), "law holds" if len(held) == 1 else "laws hold"),
        ),
        summary=_summary(broken, len(held), metrics),
        sections=(section,),
        methods=Methods(paragraphs=(say("methods", n=n_collections),), cite=()),
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
        caption=say("declared"),
        frame=frame.replace("", MISSING)[["metric", *shown]],
        columns=left(metric="Metric", **{word: word for word in shown}),
        data=declared,
    )


def _summary(broken: pd.DataFrame, n_held: int, metrics: list[str]) -> tuple[str, ...]:
    if len(broken) == 0:
        return (say("obeyed", metrics=metrics, n=n_held),)
    rows = broken.assign(name=broken["name"].str[:1].str.lower() + broken["name"].str[1:])
    return tuple(say("broken", metric=metric, laws=laws) for metric, laws in rows.groupby("metric", sort=False)["name"])
