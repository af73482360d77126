"""What agreement of a judge with a reference is worth: what judges that know nothing get, and what people get.

A constant judge calls everything the same. A shuffled judge gives the judge's own labels to the items of each topic in
random order. Of that nothing is drawn: the shares of each label stay as they are, so every denominator does, and what
is expected of the rest is known.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.agreement.label_agreement import STATISTICS, leading_kappa, statistics_of
from metaeval.agreement.label_statistics import by_topic, contingency, over_topics, pooled, ratio
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_kind, check_list
from metaeval.base.names import first_few
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.pairs import all_pairs


def agreement_baselines(
    labels: Labels, *, reference: str, people: Sequence[str] = (), rel: int | None = None
) -> pd.DataFrame:
    r"""Compare the agreement of every judge with a reference with constant and shuffled judges, and with people.

    Parameters
    ----------
    labels : Labels
    reference : str
        The judge that the others are compared with.
    people : sequence of str
        People, the reference among them if it is one: their agreement, averaged over the pairs that labelled a common
        item, is what a judge can be asked for.
    rel : int, optional
        Lowest label that counts as relevant; by default as for `compare_labels`.

    Returns
    -------
    pandas.DataFrame
        One row a judge and statistic of `metaeval.agreement.label_agreement.statistics_of`, `leading_kappa` first:
        ``judge``, ``items``, ``statistic``, ``value``, ``constant`` (of the constant judge that does best, on the same
        items) with its ``constant_label``, ``shuffled`` (expected of the judge's labels in random order within each
        topic), ``people`` and the ``people_pairs`` it is the mean of.

    Raises
    ------
    InvalidOptionError
        If `rel` is no label, or fewer than two people are named.
    UnknownNameError
        If the reference or a person is not among the labels.
    ScoresError
        If nobody labelled an item that the reference labelled.

    See Also
    --------
    metaeval.agreement.label_agreement.compare_labels : the same figures with intervals

    Notes
    -----
    Kappa of a constant judge is 0, or undefined where the reference is constant too; its share of equal labels need not
    be small. For the bias, the best constant is the one nearest to 0. With f and s relevant items of the reference and
    the judge among n of a topic, the number B that a shuffled judge has in common is hypergeometric, so that the
    expected overlap is :math:`\sum_b P(B = b)\, b / (f + s - b)`; of b common ones as many have the same label as the
    labels of the relevant items make likely. The rest is linear in the counts, whose expectation is
    :math:`n_{i\cdot} n_{\cdot j} / n`. Topics keep their shares of relevant items, so kappa of a shuffled judge is not
    0 where topics differ. Over ordered pairs of people the bias is 0, so its mean absolute value stands there.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels(
    ...     {
    ...         "nist": {"1": {"d1": 1, "d2": 0, "d3": 0, "d4": 0}},
    ...         "model": {"1": {"d1": 1, "d2": 1, "d3": 0, "d4": 0}},
    ...     }
    ... )
    >>> table = agreement_baselines(labels, reference="nist").set_index("statistic")
    >>> table.loc[["kappa", "same", "overlap"], ["value", "constant", "shuffled"]].to_numpy().tolist()
    [[0.5, 0.0, 0.0], [0.75, 0.75, 0.5], [0.5, 0.25, 0.25]]
    """
    check_kind(labels, "labels", "Labels")
    check_choice(reference, "judge", labels.judges)
    people = check_list(people, "people", ["ann", "ben"])
    for name in people:
        check_choice(name, "judge", labels.judges)
    if len(set(people)) == 1:
        message = f"`people` must name two people or more, not {first_few(set(people))} alone; name the reference, too"
        raise InvalidOptionError(message)
    rel = labels.lowest_relevant(rel)
    scale = np.array(labels.scale, dtype=np.float64)
    counts = contingency(labels, topics=labels.topics)
    reference_index = labels.judges.index(reference)
    tables = counts[:, reference_index].transpose(
        0, 2, 1, 3
    )  # topic, judge, label of the reference, label of the judge
    items = tables.sum(axis=(0, 2, 3))
    judges = [judge for judge in range(len(labels.judges)) if judge != reference_index and items[judge] > 0]
    if not judges:
        raise ScoresError(
            f"nobody labelled an {unit().labelled} that {reference!r} labelled; are topics and items named alike?"
        )
    tables = tables[:, judges]
    value, shuffled = _statistics(tables, scale, rel), _expected(tables, scale, rel)
    constant, label = _constant(tables, scale, rel, ordered=labels.ordered)
    among, n_pairs = _among(counts, [labels.judges.index(name) for name in dict.fromkeys(people)], scale, rel)
    order = list(dict.fromkeys([leading_kappa(labels), *statistics_of(labels)]))
    parts = [
        pd.DataFrame(
            {
                "judge": labels.judges[judge],
                "items": int(items[judge]),
                "statistic": order,
                "value": [value[name][at] for name in order],
                "constant": [constant[name][at] for name in order],
                "constant_label": [_called(labels, label[name][at]) for name in order],
                "shuffled": [shuffled[name][at] for name in order],
                "people": [among[name] for name in order],
                "people_pairs": n_pairs,
            }
        )
        for at, judge in enumerate(judges)
    ]
    return pd.concat(parts, ignore_index=True)


def _called(labels: Labels, label: float) -> object:
    """Return a label as it was given: a number, or a word."""
    return labels.called(label) if labels.words and np.isfinite(label) else label


def _statistics(tables: Floats, scale: Floats, rel: int) -> dict[str, Floats]:
    """Return every statistic of tables (topic, ..., k, k)."""
    ratios = by_topic(tables, scale, rel)
    return pooled(tables.sum(axis=0), scale, rel) | {name: _over_all(values) for name, values in ratios.items()}


def _over_all(ratios: Floats) -> Floats:
    return np.asarray(over_topics(ratios, np.ones((1, len(ratios))))[0], dtype=np.float64)


def _expected(tables: Floats, scale: Floats, rel: int) -> dict[str, Floats]:
    """Return what is expected of every statistic when the labels of the second are shuffled within each topic."""
    rows, columns, total = tables.sum(axis=-1), tables.sum(axis=-2), tables.sum(axis=(-2, -1))
    mean = rows[..., :, None] * columns[..., None, :] / np.maximum(total, 1.0)[..., None, None]
    relevant = scale >= rel
    first, second = rows[..., relevant].sum(axis=-1), columns[..., relevant].sum(axis=-1)
    alike = ratio((rows * columns)[..., relevant].sum(axis=-1), first * second)
    overlap = _expected_overlap(first, second, total)
    same = np.where(np.isfinite(overlap), overlap * np.nan_to_num(alike), np.nan)
    ratios = by_topic(mean, scale, rel) | {"overlap": overlap, "same_over_union": same}
    return pooled(mean.sum(axis=0), scale, rel) | {name: _over_all(values) for name, values in ratios.items()}


def _expected_overlap(first: Floats, second: Floats, total: Floats) -> Floats:
    """Return the expected overlap of sets of these sizes drawn from so many items; NaN where both are empty."""
    from scipy.stats import hypergeom  # noqa: PLC0415 - a second

    f, s, n = (np.ravel(sizes).astype(np.int64) for sizes in (first, second, total))
    fewest = np.maximum(0, f + s - n)
    several = np.minimum(f, s) - fewest + 1
    cell = np.repeat(np.arange(len(f)), several)
    common = fewest[cell] + np.arange(len(cell)) - np.repeat(np.cumsum(several) - several, several)
    union = (f + s)[cell] - common
    chance = hypergeom.pmf(common, n[cell], f[cell], s[cell])
    expected = np.bincount(cell, weights=chance * common / np.maximum(union, 1), minlength=len(f))
    return np.where(f + s > 0, expected, np.nan).reshape(first.shape)


def _constant(tables: Floats, scale: Floats, rel: int, *, ordered: bool) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return what the best constant judge gets of every statistic, and its label.

    Of equal ones it is the lowest; of labels in no order the one that is right most often.
    """
    rows = tables.sum(axis=-1)
    every = rows[:, :, None, :, None] * np.eye(len(scale))[:, None, :]  # topic, judge, constant, k, k
    figures = _statistics(every, scale, rel)
    best, label = {}, {}
    for name, values in figures.items():
        worth = -np.abs(values) if name == "bias" else values
        worth = np.where(np.isfinite(worth), worth, -np.inf)
        if not ordered:
            worth = np.where(worth >= worth.max(axis=1, keepdims=True) - RELATIVE, figures["same"], -np.inf)
        index = np.argmax(worth, axis=1)
        best[name] = np.take_along_axis(values, index[:, None], axis=1)[:, 0]
        label[name] = np.where(np.isfinite(best[name]), scale[index], np.nan)
    return best, label


def _among(counts: Floats, people: Sequence[int], scale: Floats, rel: int) -> tuple[dict[str, float], int]:
    """Return the mean of every statistic over the pairs of people, each way round, and how many pairs there are."""
    if not people:
        return dict.fromkeys(STATISTICS, np.nan), 0
    first, second = (np.array(people)[side] for side in all_pairs(len(people)))
    common = counts[:, first, :, second].sum(axis=(1, 2, 3)) > 0
    first, second = first[common], second[common]
    if not len(first):
        return dict.fromkeys(STATISTICS, np.nan), 0
    ordered = np.concatenate([first, second]), np.concatenate([second, first])
    figures = _statistics(counts[:, ordered[0], :, ordered[1]].transpose(1, 0, 2, 3), scale, rel)
    figures["bias"] = np.abs(figures["bias"])
    means = {
        name: float(np.nanmean(values)) if np.isfinite(values).any() else np.nan for name, values in figures.items()
    }
    return means, len(first)
