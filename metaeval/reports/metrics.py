"""The list of metrics as a report."""

import pandas as pd

from metaeval.base.names import count
from metaeval.base.provenance import Provenance
from metaeval.base.words import listed
from metaeval.metrics.presets import presets_frame
from metaeval.metrics.quantisation import Quantisation
from metaeval.metrics.registry import Registry
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left

_SCALES = {"2002": "2002", "2003": "2003, 2004", "2005": "2005, 2006"}
_BETTER = {True: "higher", False: "lower"}
_NOTATION = (
    "Names follow ir_measures: nDCG@10, AP(rel=2), RBP(p=0.8). A prime, as in AP', means the condensed list: scores of "
    "the list without its unjudged documents. The names of trec_eval, ranx and NTCIREVAL are understood too. Any other "
    "metric of ir_measures is computed through that package, where it is installed."
)


def metrics_report(registry: Registry, *, provenance: Provenance) -> Report:
    """Put the metrics of a registry into a report."""
    rows = registry.to_frame()
    kinds = rows["on"].value_counts(sort=False)
    of = listed(f"{number} of {kind}" for kind, number in kinds.items())
    alike = bool(rows["higher_is_better"].all())
    table = Table(
        name="metrics",
        title="Metrics",
        caption="In ( ) stand arguments with their defaults; … stands where there is none: the metric has a rule of "
        "its own, or asks for a value. [@k] may be left out. AP' is AP(judged_only=True): the condensed list.",
        frame=rows.assign(better=rows["higher_is_better"].map(_BETTER)),
        columns=(
            *left(usage="How to write it", summary="What it is", on="Scores"),
            *(() if alike else left(better="Better")),
        ),
        data=rows,
    )
    sets = presets_frame()
    presets = Table(
        name="presets",
        title="Presets",
        caption="Names that stand for several metrics wherever metrics are named, as in --metrics sakai-kando.",
        frame=sets,
        columns=left(name="Preset", summary="What it is", metrics="Metrics"),
    )
    higher = " Under each of them higher is better."
    section = Section(
        id="metrics",
        title="Metrics",
        lead="Metrics of elements and passages need INEX runs and assessments; those of documents work on them too.",
        brief=True,
        blocks=(table, presets),
    )
    return Report(
        command="metrics",
        title="Which metrics can be computed?",
        facts=((str(len(rows)), "metrics"),),
        summary=(f"{count(len(rows), 'metric')} can be computed from runs and judgments: {of}." + higher * alike,),
        sections=(section, _quantisations(registry)),
        methods=Methods(paragraphs=(_NOTATION,), cite=tuple(sets["cite"].unique())),
        rows=rows,
        provenance=provenance,
    )


def _quantisations(registry: Registry) -> Section:
    """List what turns judgments into gains."""
    frame = pd.DataFrame(
        [
            {
                "usage": _usage(word, one),
                "summary": one.summary,
                "of": one.on
                if not one.scales
                else f"{one.on}, {listed(_SCALES.get(scale, scale) for scale in one.scales)}",
            }
            for word, known in (("gains", registry.quantisations), ("quant", registry.element_quantisations))
            for one in known.values()
        ]
    )
    table = Table(
        name="quantisations",
        title="Quantisations",
        caption="As in nDCG(gains=binary(rel=2))@10 and MAep(quant=BinExh(min_size=55)). Gains may be a table too: "
        "nDCG(gains={1:1, 2:5})@10.",
        frame=frame,
        columns=left(usage="How to write it", summary="What it is", of="Judgments of"),
    )
    return Section(
        id="quantisations",
        title="Quantisations",
        lead="What a judgment is worth: grades of documents, or exhaustivity and specificity of elements by INEX year.",
        brief=True,
        blocks=(table,),
    )


def _usage(word: str, one: Quantisation) -> str:
    values = ", ".join(
        f"{name}={'…' if parameter.required else parameter.default}" for name, parameter in one.parameters.items()
    )
    return f"{word}={one.name}{f'({values})' if values else ''}"
