"""The measures that come with the package, from the simplest on; lists and help keep this order."""

from metaeval.metrics.average_precision import AVERAGE_PRECISION
from metaeval.metrics.bpref import BPREF, BPREF_N, BPREF_R
from metaeval.metrics.compat import COMPATIBILITY
from metaeval.metrics.err import ERR, NORMALISED_ERR
from metaeval.metrics.infap import INFERRED_AP
from metaeval.metrics.judged import JUDGED
from metaeval.metrics.ndcg import NDCG
from metaeval.metrics.precision import PRECISION, R_PRECISION, RECALL, RECIPROCAL_RANK, SUCCESS
from metaeval.metrics.q_measure import Q_MEASURE
from metaeval.metrics.rbp import RANK_BIASED_PRECISION
from metaeval.metrics.registry import Registry, of_wings

BUILTIN = Registry(
    [
        PRECISION,
        RECALL,
        SUCCESS,
        RECIPROCAL_RANK,
        R_PRECISION,
        AVERAGE_PRECISION,
        Q_MEASURE,
        NDCG,
        RANK_BIASED_PRECISION,
        ERR,
        NORMALISED_ERR,
        BPREF,
        BPREF_R,
        BPREF_N,
        INFERRED_AP,
        COMPATIBILITY,
        JUDGED,
        *of_wings("SPECS"),
    ]
)
"""A value: extend it and pass it on."""
