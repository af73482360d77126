"""Four measures of graded relevance, each as a function of one topic and, for speed, as a kernel of all lists at once.

The kernels are optional. With them, metaeval uses the functions only to check them.
"""

import numpy as np

from metaeval.metrics import RankedLists, RankedTopic, metric


def _sums(offsets: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Add up the values of every list, where lists stand one after the other."""
    numbers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(numbers, values, minlength=len(offsets) - 1)


def _gains(lists: RankedLists, k: int) -> np.ndarray:
    """Return the gain of every relevant document, 0 below rank k."""
    return np.where(lists.ranks <= k, lists.gain_of_level[lists.levels], 0.0)


def mean_gains(lists: RankedLists, *, k: int) -> np.ndarray:
    """Compute MeanGain of all lists."""
    return lists.share(_sums(lists.offsets, _gains(lists, k)), np.array(k))


@metric(
    name="MeanGain",
    kernel=mean_gains,
    graded=True,
    real_grades=True,
    bounds=(0.0, np.inf),
    monotone=True,
    cite="doi:10.1002/asi.10137",
)
def mean_gain(topic: RankedTopic, *, k: int) -> float:
    """Mean gain of the top k, also called generalised precision; k documents count even if fewer were retrieved."""
    return topic.gains[topic.ranks <= k].sum() / k


def shares_of_ideal_gain(lists: RankedLists, *, k: int) -> np.ndarray:
    """Compute nCG of all lists."""
    offsets, ranks, levels = lists.ideal()
    ideal = np.where(ranks <= k, lists.gain_of_level[levels], 0.0)
    return lists.share(_sums(lists.offsets, _gains(lists, k)), _sums(offsets, ideal))


@metric(
    name="nCG",
    kernel=shares_of_ideal_gain,
    graded=True,
    real_grades=True,
    ideal=1.0,
    monotone=True,
    cite="doi:10.1145/582415.582418",
)
def share_of_ideal_gain(topic: RankedTopic, *, k: int) -> float:
    """Gain of the top k over that of an ideal ranking."""
    return topic.gains[topic.ranks <= k].sum() / topic.ideal_gains[:k].sum()


def half_life_utilities(lists: RankedLists, *, h: float = 5.0, k: int | None = None) -> np.ndarray:
    """Compute HLU of all lists."""
    k = lists.longest if k is None else k
    halved = np.append(0.5 ** (np.arange(k) / (h - 1)), 0.0)  # of ranks 1 to k, and of those below
    offsets, ranks, levels = lists.ideal()
    return lists.share(
        _sums(lists.offsets, lists.gain_of_level[lists.levels] * halved[np.minimum(lists.ranks - 1, k)]),
        _sums(offsets, lists.gain_of_level[levels] * halved[np.minimum(ranks - 1, k)]),
    )


@metric(
    name="HLU",
    kernel=half_life_utilities,
    graded=True,
    real_grades=True,
    ideal=1.0,
    monotone=True,
    cite="Breese, Heckerman and Kadie (1998)",
)
def half_life_utility(topic: RankedTopic, *, h: float = 5.0, k: int | None = None) -> float:
    """Gain halved every h - 1 ranks, over that of an ideal ranking."""
    gains, ideal = topic.gains[topic.ranks <= (k or np.inf)], topic.ideal_gains[:k]
    halved = 0.5 ** ((topic.ranks[: len(gains)] - 1) / (h - 1))
    return gains @ halved / (ideal @ 0.5 ** (np.arange(len(ideal)) / (h - 1)))


def first_blended_ratios(lists: RankedLists, *, beta: float = 1.0) -> np.ndarray:
    """Compute Omeasure of all lists."""
    gains = lists.gain_of_level[lists.levels]
    numbers = np.repeat(np.arange(lists.lengths.size), np.diff(lists.offsets))
    lists_with_one, first = np.unique(numbers[gains > 0], return_index=True)
    rank, gain = lists.ranks[gains > 0][first], gains[gains > 0][first]
    offsets, _, levels = lists.ideal()
    so_far = np.append(0.0, lists.gain_of_level[levels].cumsum())
    start, stop = offsets[lists_with_one % lists.n_topics], offsets[lists_with_one % lists.n_topics + 1]
    best = so_far[np.minimum(start + rank, stop)] - so_far[start]
    ratios = np.zeros(lists.lengths.size)
    ratios[lists_with_one] = (beta * gain + 1) / (beta * best + rank)
    return ratios.reshape(lists.lengths.shape)


@metric(name="Omeasure", kernel=first_blended_ratios, graded=True, real_grades=True, cite="Sakai (2006)")
def first_blended_ratio(topic: RankedTopic, *, beta: float = 1.0) -> float:
    """Blended ratio of Q at the first document with a gain."""
    if not topic.gains.any():
        return 0.0
    first = np.argmax(topic.gains > 0)
    rank, gain = topic.ranks[first], topic.gains[first]
    return (beta * gain + 1) / (beta * topic.ideal_gains[:rank].sum() + rank)


METRICS = (mean_gain, share_of_ideal_gain, half_life_utility, first_blended_ratio)
