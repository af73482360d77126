"""Which laws a metric obeys, as a report."""

import pandas as pd

from metaeval.base.provenance import Provenance
from metaeval.base.words import MISSING, listed, name_of_metric, number, text
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Column, Table, left, right
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.testing.expected import MET, UNTRIED

_STATES = {"holds": "holds", "broken": "BROKEN", "not declared": "not declared", "not tried": "not tried"}
_FOUND = "Smallest input that breaks it"
_REST = {"not declared": "not declared", "not tried": "not tried"}
_WORDS = ("How to write it", "What it is", "Values", "Better", "Nothing relevant", "Described in")
_NAMED = 3
say = prose(__name__)


def check_metric_report(examined: pd.DataFrame, *, n_collections: int, provenance: Provenance) -> Report:
    """Put what `metaeval.testing.examine_metric` found into a report."""
    kinds = ("declared", "law", "expectation", "property")
    declared, laws, expected, properties = (examined[examined["kind"] == kind] for kind in kinds)
    metrics = examined["metric"].drop_duplicates().tolist()
    broken = laws[laws["state"] == "broken"]
    holding = laws[laws["state"] == "holds"]
    blocks = (
        _declared_table(declared, metrics),
        say.table(
            "laws",
            laws.assign(state=laws["state"].map(_STATES), found=laws["found"].where(laws["found"] != "", MISSING)),
            left(metric="Metric", name="Law", state="State", found=_FOUND),
            data=laws,
        ),
    )
    sections = [say.section("laws", *blocks, head="Laws")]
    if len(expected) > 0:
        sections.append(_expected_section(expected))
    if len(properties) > 0:
        seen = Table(
            name="properties",
            title="Properties observed on the simulated collections",
            caption="",
            frame=properties,
            columns=left(metric="Metric", name="Property", found="Seen"),
            data=properties,
        )
        sections.append(say.section("properties", seen, head="Properties"))
    return Report(
        command="check-metric",
        title="Does this metric behave as declared?",
        facts=(
            (str(len(metrics)), "metric" if len(metrics) == 1 else "metrics"),
            (str(len(holding)), "law holds" if len(holding) == 1 else "laws hold"),
        ),
        summary=(
            _first_sentence(broken, len(holding), metrics),
            *([_expectations_sentence(met_counts(expected))] if len(expected) else ()),
        ),
        key_figures=_key_figures(broken, laws, expected, metrics),
        sections=tuple(sections),
        methods=Methods(
            paragraphs=(say("methods", n=n_collections), *([say("expected methods")] if len(expected) else ())),
            cite=("kazai2004",) if len(expected) else (),
        ),
        rows=examined,
        provenance=provenance,
    )


def _declared_table(declared: pd.DataFrame, metrics: list[str]) -> Table:
    frame = declared.pivot_table(index="metric", columns="name", values="found", aggfunc="first")
    frame = frame.reindex(index=metrics, columns=list(_WORDS)).reset_index()
    columns = [word for word in _WORDS if (frame[word] != "").any()]
    return say.table(
        "declared",
        frame.replace("", MISSING)[["metric", *columns]],
        left(metric="Metric", **{word: word for word in columns}),
        data=declared,
    )


def _expected_section(expected: pd.DataFrame) -> Section:
    table = say.table("expectations", expected, expected_columns(expected, name="Expectation"), data=expected)
    return say.section("expectations", table)


def expected_columns(expected: pd.DataFrame, /, **words: str) -> tuple[Column, ...]:
    """Return the columns of outcomes, with notes where there are any."""
    noted = left(text_or_dash, found="Note") if expected["found"].astype(bool).any() else ()
    means = right(number(3), "Mean score", better="better list", worse="worse list")
    return (METRIC, *left(**words, state="State"), *means, *noted)


def text_or_dash(value: object) -> str:
    """Write a note, and a dash for none."""
    return text(value) if value else MISSING


def met_counts(expected: pd.DataFrame) -> dict[str, str]:
    """Return by metric how many expectations of those that could be tried it meets: "2 of 3"."""
    tried = expected[expected["state"] != UNTRIED]
    counts = tried["state"].eq(MET).groupby(tried["metric"], sort=False).agg(["sum", "size"])
    return {str(name): f"{met} of {of}" for name, met, of in counts.itertuples()}


def _first_sentence(broken: pd.DataFrame, n_held: int, metrics: list[str]) -> str:
    """Say whether every law that was tried holds, and of one metric which it breaks."""
    failed = broken["metric"].drop_duplicates().tolist()
    names = (broken["name"].str[:1].str.lower() + broken["name"].str[1:]).tolist()
    n, who = n_held + len(broken), listed(metrics, most=_NAMED)
    if not n:
        return f"Open: no law could be tried on {who}."
    if not failed:
        obeys, in_all = ("obeys", "") if len(metrics) == 1 else ("obey", " in all")
        return f"Yes: {who} {obeys} every law that was tried ({n}{in_all})."
    if len(metrics) > 1:
        breaks = "breaks" if len(failed) == 1 else "break"
        return f"No: {listed(failed, most=_NAMED)} {breaks} {len(names)} of {n} laws tried on {len(metrics)} metrics."
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"No: {failed[0]} breaks {len(names)} of {n} laws: {names[0]}{more}."


def _expectations_sentence(counts: dict[str, str]) -> str:
    if not counts:
        return "Expectations of users met: none could be tried."
    met = [f"{name_of_metric(metric)} {of}" for metric, of in counts.items()] if len(counts) > 1 else counts.values()
    return f"Expectations of users met: {', '.join(met)}."


def _key_figures(broken: pd.DataFrame, laws: pd.DataFrame, expected: pd.DataFrame, metrics: list[str]) -> Table:
    """Return the laws broken, or how many hold, and how many expectations are met."""
    if len(broken):
        return key_figures(broken, left(metric="Metric", name="Law broken", found=_FOUND))
    counts = pd.crosstab(laws["metric"], laws["state"])
    frame = counts.reindex(index=metrics, columns=["holds", *_REST], fill_value=0).reset_index()
    frame["met"] = frame["metric"].map(met_counts(expected)).fillna(MISSING)
    return key_figures(
        frame, (*left(metric="Metric"), *right(holds="Laws that hold", **_REST), *right(met="Expectations met"))
    )
