"""Sets of metrics that a paper compares, under one name that stands wherever metrics are named."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

import pandas as pd

from metaeval.base.bibliography import source_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named list of metrics."""

    name: str
    metrics: tuple[str, ...]
    summary: str
    """What they are, in a line."""
    cite: str
    """Key of `metaeval.base.bibliography`."""


def _sakai_kando(gains: str = "") -> tuple[str, ...]:
    """Return the ten metrics of Sakai and Kando (2008), section 3, with the gains of the graded ones."""
    among = f",{gains}" if gains else ""
    graded = f"({gains})" if gains else ""
    return (
        *(f"Q{graded}", f"Q'{graded}", "AP", "AP'", f"nDCG(a=2{among})@1000", f"nDCG'(a=2{among})@1000", "bpref_R"),
        *(f"RBP(p={p}{among})" for p in (0.95, 0.8, 0.5)),
    )


_ROWS = (
    Preset(
        name="sakai-kando",
        metrics=_sakai_kando(),
        summary="Q, AP and nDCG (a = 2, l = 1000) of whole and condensed lists, bpref_R, and RBP with p = .95, .8 and "
        ".5; a gain is the level, which for NTCIR's S, A and B is 3, 2 and 1",
        cite="sakai2008",
    ),
    Preset(
        name="sakai-kando-trec",
        metrics=_sakai_kando("gains={1:1,2:3}"),
        summary="the same for judgments of two levels, such as those of the TREC robust tracks: highly relevant "
        "documents have a gain of 3, relevant ones of 1",
        cite="sakai2008",
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({row.name: row for row in _ROWS})
"""Name to `Preset`."""


def without_presets(metrics: Iterable[object]) -> list[object]:
    """Return metrics with every name of a preset replaced by what it stands for; case is ignored.

    Examples
    --------
    >>> without_presets(["P@10", "sakai-kando"])[:4]
    ['P@10', 'Q', "Q'", 'AP']
    """
    expanded: list[object] = []
    for item in metrics:
        preset = PRESETS.get(item.casefold()) if isinstance(item, str) else None
        expanded += (item,) if preset is None else preset.metrics
    return expanded


def presets_frame() -> pd.DataFrame:
    """Return one row a preset: name, metrics, summary, key and source."""
    return pd.DataFrame(
        [
            asdict(preset) | {"metrics": ", ".join(preset.metrics), "source": source_of(preset.cite)}
            for preset in PRESETS.values()
        ]
    )
