"""The list of metrics as a report."""

import pandas as pd

from metaeval.base.provenance import Provenance
from metaeval.base.words import listed
from metaeval.metrics.presets import presets_frame
from metaeval.metrics.quantisation import Quantisation
from metaeval.metrics.registry import Registry
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import left
from metaeval.reports.prose import prose

_SCALES = {"2002": "2002", "2003": "2003, 2004", "2005": "2005, 2006"}
_BETTER = {True: "higher", False: "lower"}
say = prose(__name__)


def metrics_report(registry: Registry, *, provenance: Provenance) -> Report:
    """Put the metrics of a registry into a report."""
    rows = registry.to_frame()
    kinds = [f"{number} of {kind}" for kind, number in rows["on"].value_counts(sort=False).items()]
    alike = bool(rows["higher_is_better"].all())
    table = say.table(
        "metrics",
        rows.assign(better=rows["higher_is_better"].map(_BETTER)),
        left(usage="How to write it", summary="What it is", on="Scores"),
        () if alike else left(better="Better"),
        data=rows,
    )
    sets = presets_frame()
    presets = say.table("presets", sets, left(name="Preset", summary="What it is", metrics="Metrics"))
    section = say.section("metrics", table, presets, head="Metrics")
    return Report(
        command="metrics",
        title="Which metrics can be computed?",
        facts=((str(len(rows)), "metrics"),),
        summary=(say("answer", n=len(rows), kinds=kinds, alike=alike),),
        sections=(section, _quantisations_section(registry)),
        methods=Methods(paragraphs=(say("notation"),), cite=tuple(sets["cite"].unique())),
        rows=rows,
        provenance=provenance,
    )


def _quantisations_section(registry: Registry) -> Section:
    """List what turns judgments into gains."""
    frame = pd.DataFrame(
        [
            {
                "usage": _usage(word, quantisation),
                "summary": quantisation.summary,
                "of": quantisation.on
                if not quantisation.scales
                else f"{quantisation.on}, {listed(_SCALES.get(scale, scale) for scale in quantisation.scales)}",
            }
            for word, quantisations in (("gains", registry.quantisations), ("quant", registry.element_quantisations))
            for quantisation in quantisations.values()
        ]
    )
    table = say.table("quantisations", frame, left(usage="How to write it", summary="What it is", of="Judgments of"))
    return say.section("quantisations", table, head="Quantisations")


def _usage(word: str, gains: Quantisation) -> str:
    values = ", ".join(
        f"{name}={'…' if parameter.required else parameter.default}" for name, parameter in gains.parameters.items()
    )
    return f"{word}={gains.name}{f'({values})' if values else ''}"
