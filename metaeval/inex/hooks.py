"""What the registry of metrics takes from here, in the order of lists: measures, from the oldest on; quantisations."""

from metaeval.inex.element_quantisation import ELEMENT_QUANTISATIONS
from metaeval.inex.measures import (
    best_entry,
    cumulated_gain,
    hixeval,
    in_context,
    inex_2002,
    inex_ng,
    interpolated_precision,
)

QUANTISATIONS = ELEMENT_QUANTISATIONS
SPECS = (
    *inex_2002.SPECS,
    *inex_ng.SPECS,
    *cumulated_gain.SPECS,
    *hixeval.SPECS,
    *interpolated_precision.SPECS,
    *in_context.SPECS,
    *best_entry.SPECS,
)
