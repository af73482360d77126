"""Beside components of variance: what random halves show of them, and what several tries at an item pass."""

from collections.abc import Mapping

from metaeval.base.unit import unit
from metaeval.base.words import bracketed, percentage, share, text, whole
from metaeval.page.blocks import Section
from metaeval.page.tables import METRIC, left, right
from metaeval.questions.components.study import ComponentsStudy
from metaeval.reports.prose import prose

say = prose(__name__)


def halves_section(study: ComponentsStudy, named: Mapping[str, str]) -> list[Section]:
    """Compare what the components expect with what random halves show; nothing where there are none."""
    frame = study.halves
    if frame.empty:
        return []
    n_clusters = frame["clusters"].iloc[0]
    half = f"{n_clusters} {unit().clusters}" if n_clusters else f"{whole(frame['items'].iloc[0])} {named['others']}"
    table = say.table(
        "halves",
        frame,
        (METRIC,),
        right(share, "Significant", expected_power="expected", power="observed"),
        right(share, "Contradicted", expected_contradicted="expected", contradicted="observed"),
        half=half,
        splits=frame["splits"].iloc[0],
    )
    units = unit().clusters if study.components.n_clusters > 0 else named["others"]
    return [say.section("halves", table, brief=False, id="conclusions", units=units)]


def tries_section(study: ComponentsStudy) -> list[Section]:
    """Say what several tries at an item pass; nothing where scores are not tries."""
    if study.tries is None:
        return []
    frame = study.tries.table
    table_frame = frame.assign(
        **{
            name: [bracketed(row[name], row[f"{name}_low"], row[f"{name}_high"], share) for _, row in frame.iterrows()]
            for name in ("any", "all")
        },
        any_sort=frame["any"],
        all_sort=frame["all"],
    )
    table = say.table(
        "tries",
        table_frame,
        (METRIC,),
        left(system="System"),
        right(whole, k="k"),
        right(text, any="pass@k", all="pass^k"),
        data=frame,
        level=percentage(study.components.confidence_level),
        over=unit().clusters if {"cluster", "stratum"} & set(study.scores.coords) else unit().topics,
    )
    return [say.section("tries", table)]
