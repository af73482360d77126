"""Rates of errors a topic beside a column of sizes: the rate of a corpus is the mean weighted by these."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from metaeval.base.columns import underscored
from metaeval.base.names import first_few, is_number
from metaeval.base.notes import CorpusMeans
from metaeval.io.blocks import FileBlock
from metaeval.table.array import DIMS

_RATES = frozenset({"wer", "cer", "ter", "mer", "per"})
_PER = "per"  # at the start of a name, as in per_item, it is a word
_COUNTED = frozenset({"word", "words", "token", "tokens", "char", "chars", "characters", "phones", "phonemes"})
_OF_OUTPUT = frozenset({"hyp", "hypothesis", "output", "pred", "predicted", "prediction"})


def size_column(names: Iterable[str]) -> str | None:
    """Return the column that is called as lengths of references in words or the like, None where there is none.

    Examples
    --------
    >>> size_column(["utt_id", "hyp_words", "ref_words"]), size_column(["duration", "n_tokens"]), size_column(["text"])
    ('ref_words', 'n_tokens', None)
    """
    parts = {name: {*underscored(name).split("_")} for name in names}
    sizes = [name for name, words in parts.items() if words & _COUNTED and not words & _OF_OUTPUT]
    return next((name for name in sizes if {"ref", "reference"} & parts[name]), sizes[0] if sizes else None)


def is_error_rate(metric: str) -> bool:
    """Whether a metric is called as a rate of errors, whose value of a corpus is errors over words (or the like).

    Examples
    --------
    >>> is_error_rate("WER"), is_error_rate("test_cer"), is_error_rate("per_item"), is_error_rate("BLEU")
    (True, True, False, False)
    """
    words = underscored(metric).split("_")
    return words[-1] in _RATES or words[0] in _RATES - {_PER}


def with_corpus_means(block: FileBlock) -> FileBlock:
    """Return a block with a note of the means weighted by its sizes, where its metrics are rates.

    Nothing is said where topics have weights already.
    """
    rates = [at for at, metric in enumerate(block.labels["metric"]) if is_error_rate(metric)]
    if not rates or block.sizes is None or block.scores.ndim != len(DIMS) or "weight" in block.attached:
        return block
    by, sizes = block.sizes
    if not all(map(is_number, sizes.values())):
        return block
    size_of = {topic: float(size) for topic, size in sizes.items()}
    weights = np.array([size_of.get(topic, np.nan) for topic in block.labels["topic"]])
    if not (weights >= 0).all() or np.ptp(weights) == 0:
        return block
    means: dict[str, Mapping[str, float]] = {}
    for at in rates:
        observed = np.isfinite(block.scores[at])
        sums = np.where(observed, block.scores[at], 0.0) @ weights
        means[block.labels["metric"][at]] = dict(
            zip(block.labels["system"], (sums / np.maximum(observed @ weights, 1e-300)).tolist(), strict=True)
        )
    metric, of_systems = next(iter(means.items()))
    listed = first_few([f"{mean:.3f} for {system}" for system, mean in of_systems.items()])
    words = f"the {metric} of a corpus is weighted by {by!r}: {listed}; `columns={ {'weight': by}!r}` weights so"
    return replace(block, notes=[*block.notes, CorpusMeans(words, by, means)])
