# ruff: noqa: RUF001 - Greek letters are meant for people
"""What the page on judges says of panels: how dependable their mean is, and how many independent judges they are."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from metaeval.agreement.panels import JudgePanel
from metaeval.base.unit import unit
from metaeval.base.words import MISSING, bracketed, name_of_metric, number, percentage, share, text, whole
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import METRIC, Table, left, right, with_cells
from metaeval.questions.components.page import design_sentences
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.prose import prose

_PANEL = ["items", "judges", "erho2", "phi"]
_JUDGMENTS = {"judgment": 1.0}
"""What a panel costs: judgments alone, for the runs are there."""
_WORTH = number(2)
_MOST_MEMBERS = 10
say = prose(__name__)


def panel_section(study: JudgeStudy) -> tuple[Section, ...]:
    """Say how many independent judges a panel is worth, and which panel is the best for as many judgments."""
    blocks = [*_worth_blocks(study), *_design_blocks(study)]
    return (say.section("panel", *blocks, brief=False, head="A panel of judges"),) if blocks else ()


def _design_blocks(study: JudgeStudy) -> list[Block]:
    if not study.panels:
        return []
    rows = []
    for metric, panel in study.panels.items():
        plan = panel.plan([panel.n_topics], judges=sorted({1, 3, panel.n_judges}))
        best = panel.cheapest(_JUDGMENTS)
        best = best[best["goal"] == "same cost"]
        parts = ((f"these {unit().topics}", plan), ("as many judgments", best))
        rows += [(metric, name, *row) for name, designs in parts for row in designs[_PANEL].to_numpy().tolist()]
    table = say.table(
        "panels",
        pd.DataFrame(rows, columns=["metric", "design", *_PANEL]),
        (METRIC,),
        left(design="Design"),
        right(whole, items=unit().Topics, judges="Judges"),
        right(number(3), erho2="Eρ²", phi="Φ"),
    )
    metric, first = next(iter(study.panels.items()))
    return [Text(paragraphs=design_sentences(first, first.cheapest(_JUDGMENTS), metric=metric)), table]


def _panels_by_source(study: JudgeStudy) -> Iterator[tuple[str, JudgePanel]]:
    """Yield what is known of panels with the errors that are meant: of labels, and under every metric."""
    labelling = study.labelling
    for panel in () if labelling is None else (labelling.panel, labelling.rescaled_panel):
        if panel is not None:
            yield "labels, rescaled" if panel.rescaled else "labels", panel
    for metric, panel in study.panel_worth.items():
        yield f"differences between systems under {name_of_metric(metric)}", panel


def _worth_blocks(study: JudgeStudy) -> list[Block]:
    every = list(_panels_by_source(study))
    if not every:
        return []
    first = every[0][1]
    rescaled = next((panel for _, panel in every if panel.rescaled), None)
    frames = [panel.table.assign(errors=name) for name, panel in every]
    shown = [
        with_cells(
            frame[["errors", "panel", "judges"]].assign(effective_sort=frame["effective"], net_sort=frame["net"]),
            effective=[_worth_words(row, "effective") for row in frame.to_dict("records")],
            net=[_worth_words(row, "net") if panel.net_known else MISSING for row in frame.to_dict("records")],
        )
        for frame, (_, panel) in zip(frames, every, strict=True)
    ]
    net = bool(first.people)
    table = say.table(
        "effective",
        pd.concat(shown, ignore_index=True),
        left(errors="Errors of", panel="Panel"),
        right(_count_words, judges="Judges"),
        right(text, "Effective judges", effective=f"beside {first.reference}", **({"net": "net"} if net else {})),
        called="effective-judges",
        data=pd.concat(frames, ignore_index=True),
        reference=first.reference,
        level=percentage(first.confidence_level),
        found=first,
        items=first.n_items if first.level == "labels" else 0,
        rescaled=rescaled is not None,
    )
    members = _members_table(first, rescaled, changed=_changed(study))
    return [Text(paragraphs=tuple(_words(*named_panel) for named_panel in _leading(every))), table, members]


def _changed(study: JudgeStudy) -> str:
    """Return how labels of some judge were put on the reference's scale; "" where all are as they were given."""
    scales = None if study.labelling is None else study.labelling.scales
    rules = set() if scales is None else {*scales.rules.values()} - {"kept", "reference"}
    return "" if not rules else "as fitted" if "fitted" in rules else "as mapped"


def _leading(every: list[tuple[str, JudgePanel]]) -> list[tuple[str, JudgePanel]]:
    """Return what is said in words: labels that are not rescaled, and the first metric."""
    kinds = {panel.level: (name, panel) for name, panel in reversed(every) if not panel.rescaled}
    return [kinds[level] for level in ("labels", "differences") if level in kinds]


def _count_words(value: object) -> str:
    n = float(str(value))
    return whole(n) if n < float("inf") else "∞"


def _worth_words(row: Any, kind: str) -> str:  # noqa: ANN401 - a row
    value, low, high = (row[f"{kind}{end}"] for end in ("", "_low", "_high"))
    if not np.isfinite(value):
        return MISSING
    return _WORTH(value) if np.isnan(low) or low == high else bracketed(value, low, high, _WORTH)


def _words(name: str, found: JudgePanel) -> str:
    every = found.table.set_index("panel").loc["all"]
    return say(
        "worth",
        errors=name,
        found=found,
        n=whole(every["judges"]),
        figure=_worth_words(every, "effective"),
        noise=bracketed(*found.reference_share, share) if found.people else "",
    )


def _members_table(found: JudgePanel, rescaled: JudgePanel | None, *, changed: str) -> Table:
    members, beside = found.judges, {} if rescaled is None else {"error_rescaled": "rescaled"}
    chosen = (
        {"chosen": "Chosen"}
        if rescaled is None
        else {"chosen": changed or "as they are", "chosen_rescaled": "rescaled"}
    )
    if rescaled is not None:
        members = members.merge(rescaled.judges, on="judge", suffixes=("", "_rescaled"))
    taken = members[(members[[*chosen]] > 0).any(axis=1)].sort_values([*chosen], ascending=False, kind="stable")
    net = {"net_error": "net"} if found.people else {}
    return say.table(
        "members",
        taken.head(_MOST_MEMBERS).reset_index(drop=True),
        left(judge="Judge"),
        right(number(3), "Error", error=f"beside {found.reference}", **net, **beside),
        right(share, "" if rescaled is None else "Chosen", **chosen),
        called="panel-members",
        data=members,
        reference=found.reference,
        constant=number(3)(found.constant),
        idle=found.judges.loc[found.judges["error"] >= found.constant, "judge"].tolist(),
    )
