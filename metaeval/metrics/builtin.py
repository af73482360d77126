"""The measures that come with the package, from the simplest on; lists and help keep this order."""

from itertools import chain

from metaeval.metrics import (
    average_precision,
    bpref,
    compat,
    diversity,
    err,
    infap,
    judged,
    ndcg,
    precision,
    q_measure,
    rbp,
    user_models,
)
from metaeval.metrics.registry import Registry, of_wings

_MODULES = (
    precision,
    average_precision,
    q_measure,
    ndcg,
    rbp,
    err,
    bpref,
    infap,
    compat,
    user_models,
    diversity,
    judged,
)
BUILTIN = Registry([*chain.from_iterable(module.SPECS for module in _MODULES), *of_wings("SPECS")])

"""A value: extend it and pass it on."""
