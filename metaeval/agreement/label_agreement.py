"""Whether two judges, people or machines, mark the same things as relevant.

Everything here is counted from one table per topic (how often judge a said i where judge b said j), so that
all pairs of judges, all measures of agreement and all resamples of topics come from the same few products.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.agreement.chance import dealt_kappas, ends_and_chance
from metaeval.agreement.drawn_intervals import ends_of, left_out_spread, reach
from metaeval.agreement.krippendorff import alpha_of, alpha_table
from metaeval.agreement.label_statistics import (
    by_topic,
    contingency,
    kappa_weights,
    least_kappa,
    over_topics,
    pooled,
    topics_by_content,
)
from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_kind, check_share
from metaeval.base.names import comma_list, count, first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import number, span_of
from metaeval.errors import ScoresError
from metaeval.running.draws import RNGLike, bootstrap_counts, bootstrap_indices, resolve_rng, standard_deviation
from metaeval.running.parallel import in_one_order, track
from metaeval.table.unrelated import unrelated
from metaeval.tests_stat.pairs import all_pairs

STATISTICS: Mapping[str, str] = {
    "same": "share of the {items} labelled by both that have the same label",
    "kappa": "agreement beyond what the judges' shares of each label give by chance",
    "linear_kappa": "with weights that fall linearly with the distance of the labels",
    "quadratic_kappa": "with weights that fall with the square of the distance",
    "overlap": "{items} that both call relevant, over those that either does{mean}",
    "first_kept": "share of the first judge's relevant {items} that the second calls relevant too{mean}",
    "second_kept": "share of the second judge's relevant {items} that the first calls relevant too{mean}",
    "same_over_union": "{items} both call relevant with the same label, over those that either does{mean}",
    "sensitivity": "share of the first judge's relevant {items}{of_all} that the second calls relevant too",
    "specificity": "share of the {items} not relevant to the first{of_all} that are not to the second either",
    "bias": "mean label of the second less that of the first",
}
"""What each statistic is; `meanings` fills in what is labelled, and how topics count."""
_OF_NAMES = ("same", "kappa")
"""What can be said of labels that are names in no order."""
_NEARLY_THE_SAME = 0.95
_BEYOND_CHANCE = 0.9
_MOST_LABELS = 500
"""Different labels: free text has more."""
_BLOCK = 2**25
_TWO = 2
_MOST_NAMED = 10
_RATIOS = ("overlap", "first_kept", "second_kept", "same_over_union")


def leading_kappa(labels: Labels) -> str:
    """Return the kappa to read first: with quadratic weights where more than two grades are ordered, else the plain.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> graded = as_labels({"ann": {"1": {"d1": 0, "d2": 3}}, "ben": {"1": {"d1": 1, "d2": 2}}})
    >>> named = as_labels({"ann": {"1": {"d1": "cat", "d2": "dog"}}, "ben": {"1": {"d1": "cat", "d2": "cow"}}})
    >>> leading_kappa(graded), leading_kappa(named)
    ('quadratic_kappa', 'kappa')
    """
    return "quadratic_kappa" if labels.ordered and len(labels.scale) > _TWO else "kappa"


def statistics_of(labels: Labels) -> tuple[str, ...]:
    """Return those of `STATISTICS` that mean something for these labels."""
    return tuple(STATISTICS) if labels.ordered else _OF_NAMES


def meanings(labels: Labels, items: str) -> dict[str, str]:
    """Return what every statistic of these labels is, by what is labelled: without topics there is no mean over them.

    Examples
    --------
    >>> from metaeval.agreement import as_labels
    >>> labels = as_labels({"a": {"1": {"d1": 1, "d2": 0}}, "b": {"1": {"d1": 1, "d2": 1}}})
    >>> meanings(labels, "documents")["overlap"]
    'documents that both call relevant, over those that either does: mean over topics'
    """
    mean, of_all = ("", "") if labels.by_item else (": mean over topics", ", of all topics,")
    return {name: STATISTICS[name].format(items=items, mean=mean, of_all=of_all) for name in statistics_of(labels)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelAgreement(Result):
    """Agreement of judges on labels, per pair."""

    pairs: pd.DataFrame
    """One row a pair: ``first``, ``second``, ``items`` (labelled by both), ``topics``, and every one of `statistics`
    with its interval in ``…_low`` and ``…_high``."""
    statistics: tuple[str, ...]
    """Those of `STATISTICS` that were computed: of labels that are names in no order "same" and "kappa"."""
    per_topic: pd.DataFrame
    """The ratios of every pair on every topic; empty where no topics are named."""
    all_pairs: pd.DataFrame
    """Every pair, also where a reference is named: ``first``, ``second``, ``items``, ``same`` and ``kappa``."""
    alpha: pd.DataFrame
    """Krippendorff's alpha over all judges: one row a ``level`` of measurement, with interval."""
    reference: str | None
    """The judge that the others are compared with; None compares all pairs."""
    rel: int
    """Lowest label that counts as relevant."""
    scale: tuple[float, ...]
    outside: pd.DataFrame
    """Labels off the scale, left out."""
    confidence_level: float
    n_resamples: int
    random_source: str
    notes: tuple[str, ...] = ()
    """What was assumed of the labels."""

    def _found(self) -> str:
        main = "quadratic_kappa" if "quadratic_kappa" in self.statistics else "kappa"
        names = self.pairs["first"] + " and " + self.pairs["second"]
        kappas = span_of(names, *(self.pairs[main + end] for end in ("", "_low", "_high")), write=number(2))
        return f"{main} of {count(len(names), 'pair')} of judges is {kappas}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair and statistic: ``first``, ``second``, ``statistic``, ``value``, ``low``, ``high``."""
        parts = [
            self.pairs[["first", "second"]].assign(
                statistic=name,
                value=self.pairs[name],
                low=self.pairs[f"{name}_low"],
                high=self.pairs[f"{name}_high"],
            )
            for name in self.statistics
        ]
        return pd.concat(parts, ignore_index=True)

    @property
    def compared(self) -> list[tuple[str, str]]:
        """Return the pairs of judges that were compared."""
        return list(zip(self.pairs["first"], self.pairs["second"], strict=True))

    def matrix(self, statistic: str = "kappa") -> pd.DataFrame:
        """Return one statistic as a square table, first judge in rows; the diagonal is NaN.

        Sensitivity and specificity stand where the first judge of a pair is in the row: there the other is judged.

        Raises
        ------
        UnknownNameError
            If the statistic is not one of `statistics`.
        """
        check_choice(statistic, "statistic of agreement", self.statistics)
        turned = {"first_kept": "second_kept", "second_kept": "first_kept"}.get(statistic, statistic)
        back = self.pairs[turned] * {"bias": -1.0, "sensitivity": np.nan, "specificity": np.nan}.get(statistic, 1.0)
        cells = pd.concat(
            [
                self.pairs[["first", "second"]].assign(value=self.pairs[statistic]),
                pd.DataFrame({"first": self.pairs["second"], "second": self.pairs["first"], "value": back}),
            ]
        )
        names = list(dict.fromkeys([*self.pairs["first"], *self.pairs["second"]]))
        return cells.pivot_table(index="first", columns="second", values="value", dropna=False).reindex(
            index=names, columns=names
        )

    def without_bias(self, judges: Sequence[str]) -> "LabelAgreement":
        """Return the same without the bias of some judges, whose labels were fitted: it is gone.

        Parameters
        ----------
        judges : sequence of str
        """
        columns = [name for name in ("bias", "bias_low", "bias_high") if name in self.pairs]
        fitted = self.pairs["second"].isin(judges)
        return replace(self, pairs=self.pairs.assign(**{name: self.pairs[name].mask(fitted) for name in columns}))

    def _draw(self, statistic: str = "kappa") -> Figure:
        """Draw one statistic: of every judge with the reference, or of every pair as a square of fields.

        Raises
        ------
        UnknownNameError
            If the statistic is not one of `statistics`.
        """
        from metaeval.figures.label_agreement import agreement_dots, agreement_heat_map  # noqa: PLC0415 - matplotlib

        matrix, label = self.matrix(statistic), statistic.replace("_", " ")
        if self.reference is None:
            return agreement_heat_map(matrix, label=label)
        columns = ["second", statistic, f"{statistic}_low", f"{statistic}_high"]
        frame = self.pairs[columns].set_axis(["name", "value", "low", "high"], axis=1)
        return agreement_dots(frame, label=f"{label} with {self.reference}")

    def nearly_the_same(self, share: float = _NEARLY_THE_SAME) -> pd.DataFrame:
        """Return the pairs with the same label on at least `share` of their items: they may be one judge twice.

        All pairs are looked at, also where a reference is named. Where nearly everything is not relevant two judges
        give the same labels often by chance, so Cohen's kappa must be 0.9 or more, too.
        """
        pairs = self.all_pairs[(self.all_pairs["same"] >= share) & (self.all_pairs["kappa"] >= _BEYOND_CHANCE)]
        return pairs.sort_values("same", ascending=False, kind="stable").reset_index(drop=True)


@in_one_order
def compare_labels(  # noqa: PLR0913 - every option is one question
    labels: Labels,
    *,
    reference: str | None = None,
    rel: int | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: RNGLike = None,
) -> LabelAgreement:
    r"""Measure the agreement of judges on labels: all pairs, or each judge with a reference.

    Parameters
    ----------
    labels : Labels
    reference : str, optional
        A judge (say the human one) that every other is compared with; it is the first of each pair.
    rel : int, optional
        Lowest label that counts as relevant in the ratios of relevant sets; by default 1, and where that is not above
        the lowest label, or no label, the lowest above the lowest.
    confidence_level : float
        Level of the intervals.
    n_resamples : int
        Resamples of topics, shared by all pairs; where no topics are named, items are left out one by one.
    rng : None, int or Generator

    Returns
    -------
    LabelAgreement
        One row a pair (``first``, ``second``) and ``statistic`` in ``to_frame()``: ``value`` with ``low`` and ``high``.
        ``pairs`` has the same with one row a pair, ``alpha`` Krippendorff's over all judges.

    Raises
    ------
    InvalidOptionError
        If `rel` is no label or an option lies outside its rule.
    UnknownNameError
        If the reference is not a judge.
    ScoresError
        If no two judges labelled a common item.

    See Also
    --------
    metaeval.agreement.krippendorff.krippendorff_alpha : one figure for any number of judges

    Notes
    -----
    With :math:`n_{ij}` the number of items labelled i by the first and j by the second,
    :math:`\kappa_w = 1 - \sum w_{ij} n_{ij} n / \sum w_{ij} n_{i\cdot} n_{\cdot j}`, with :math:`w_{ij}` 0 or 1,
    :math:`|i-j|` or :math:`(i-j)^2` [1]_ [2]_. Ratios of relevant sets are means over topics, topics without
    anything relevant left out [3]_ ([4]_, section 5.2.6 and Table X). Intervals
    resample topics, whose items hang together: statistic :math:`\pm\, t_{T-1}\, s^* \sqrt{T/(T-1)}` with :math:`s^*`
    the standard deviation over resamples and T the topics on which the pair has the statistic, cut to the statistic's
    range; with one topic there is none. Where no topics are named (``labels.by_item``), T counts the items that the
    statistic rests on, the spread is that of the jackknife over items, and sets are compared over all of them. Where
    resamples do not vary, a share of :math:`1 - (a/2)^{1/T}` of the units may still be exceptions (Clopper and
    Pearson), 1 - a the level: the ends are where the statistic would be if they were the worst, or the best, that units
    can be. The interval of a kappa reaches 0 where the labels of one judge, shuffled over the items, are as far on that
    side of 0 with a probability above a/2: Fisher's exact test for two labels, else 10,000 random tables.

    References
    ----------
    .. [1] Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement.
    .. [2] Cohen (1968). Weighted kappa. Psychological Bulletin.
    .. [3] Voorhees (2000). Variations in relevance judgments and the measurement of retrieval effectiveness. IP&M.
       :doi:`10.1016/S0306-4573(00)00010-8`
    .. [4] Piwowarski, Trotman and Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM TOIS.
       :doi:`10.1145/1416950.1416951`

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels(
    ...     {
    ...         "ann": {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d4": 1, "d5": 0}},
    ...         "ben": {"1": {"d1": 1, "d2": 1, "d3": 0}, "2": {"d4": 1, "d5": 0}},
    ...     }
    ... )
    >>> found = compare_labels(labels, rng=0).pairs.iloc[0]
    >>> [round(float(found[name]), 3) for name in ("same", "kappa", "overlap")]
    [0.6, 0.167, 0.667]
    """
    _check_labels(labels, reference)
    rel = labels.lowest_relevant(rel)
    check_share(confidence_level, "confidence_level")
    check_count(n_resamples, "n_resamples", least=2)  # a standard deviation takes two
    source = resolve_rng(rng)
    topics = topics_by_content(labels)
    first, second = _pairs_of(labels, reference)
    counts = contingency(labels, topics=topics)
    tables = counts[:, first, :, second].transpose(1, 0, 2, 3)
    items = tables.sum(axis=(0, 2, 3))
    if not items.any():
        raise ScoresError(f"no two judges labelled a common {unit().labelled}; are topics and items named alike?")
    scale = np.array(labels.scale, dtype=np.float64)
    ratios = by_topic(tables, scale, rel)
    estimate = {
        name: value[0] for name, value in _all_statistics(tables, ratios, scale, np.ones((1, len(topics))), rel).items()
    }
    drawn = None
    if labels.by_item:
        spread = _item_spreads(tables[0], scale, rel)
    else:
        drawn = bootstrap_counts(bootstrap_indices(source.generator, n_resamples, len(topics)), len(topics))
        spread = _spreads(tables, ratios, scale, drawn, rel)
    frame = pd.DataFrame(
        {
            "first": [labels.judges[index] for index in first],
            "second": [labels.judges[index] for index in second],
            "items": items.astype(np.int64),
            "topics": (tables.sum(axis=(2, 3)) > 0).sum(axis=0),
        }
    )
    n_units = _item_units(tables[0], scale, rel) if labels.by_item else _topic_units(tables, ratios, scale, rel)
    least, most = _ranges(tables.sum(axis=0), scale)
    for name in statistics_of(labels):
        frame[name] = estimate[name]
        frame[f"{name}_low"], frame[f"{name}_high"] = ends_of(
            estimate[name],
            reach(n_units[name], confidence_level) * spread[name],
            n_units[name],
            least[name],
            most[name],
            confidence_level,
        )
    _allow_for_chance(frame, tables.sum(axis=0), scale, confidence_level, source.generator)
    return LabelAgreement(
        pairs=frame[frame["items"] > 0].reset_index(drop=True),
        statistics=statistics_of(labels),
        per_topic=_topic_frame(frame, topics, tables, ratios, labels),
        all_pairs=_all_pairs(labels.judges, counts.sum(axis=0), scale, rel),
        alpha=alpha_table(labels, drawn, confidence_level=confidence_level, generator=source.generator),
        reference=reference,
        rel=int(rel),
        scale=labels.scale,
        outside=labels.outside,
        confidence_level=float(confidence_level),
        n_resamples=int(n_resamples),
        random_source=source.description,
        notes=labels.notes,
    )


def _allow_for_chance(
    frame: pd.DataFrame, tables: Floats, scale: Floats, confidence_level: float, generator: np.random.Generator
) -> None:
    """Take the intervals of kappas across 0 where labels in any order reach them too often; changes the frame."""
    least = {name: least_kappa(tables, weights) for name, weights in kappa_weights(scale).items()}
    kappas = [name for name in least if name in frame]
    ends = {name: frame[[f"{name}_low", f"{name}_high"]].to_numpy(copy=True) for name in kappas}
    beyond = np.any([(low_high[:, 0] > 0) | (low_high[:, 1] < 0) for low_high in ends.values()], axis=0)
    for pair in np.flatnonzero(beyond):  # those whose interval is on one side of 0
        dealt = dealt_kappas(tables[pair], scale, deepcopy(generator))
        for name in dealt.keys() & ends.keys():
            low, high = ends[name][pair]
            of_chance = ends_and_chance(
                float(frame[name].iloc[pair]), low, high, dealt[name], least[name][pair], confidence_level
            )
            ends[name][pair] = of_chance["low"], of_chance["high"]
    for name in kappas:
        frame[[f"{name}_low", f"{name}_high"]] = ends[name]


def _check_labels(labels: Labels, reference: str | None) -> None:
    check_kind(labels, "labels", "Labels")
    labels.require_whole("agreement of judges")
    if len(labels.scale) > _MOST_LABELS:
        raise ScoresError(
            f"the judges say {len(labels.scale):,} different things, as in free text; agreement counts labels that are "
            f"used again, at most {_MOST_LABELS} of them: give grades, or shares of what two texts have in common"
        )
    if reference is not None:
        check_choice(reference, "judge", labels.judges)


def _topic_units(tables: Floats, ratios: Mapping[str, Floats], scale: Floats, rel: int) -> dict[str, Ints]:
    """Count the topics that every statistic of every pair rests on."""
    every = dict.fromkeys(STATISTICS, (tables.sum(axis=(2, 3)) > 0).sum(axis=0))
    defined = {name: np.isfinite(values).sum(axis=0) for name, values in ratios.items()}
    found_not = (tables[..., scale < rel, :].sum(axis=(-2, -1)) > 0).sum(axis=0)
    return every | defined | {"sensitivity": defined["first_kept"], "specificity": found_not}


def _item_units(tables: Floats, scale: Floats, rel: int) -> dict[str, Ints]:
    """Count the items that every statistic of every pair rests on."""
    relevant, n = scale >= rel, tables.sum(axis=(1, 2))
    first, second = tables[:, relevant].sum(axis=(1, 2)), tables[:, :, relevant].sum(axis=(1, 2))
    union = n - tables[:, ~relevant][:, :, ~relevant].sum(axis=(1, 2))
    counts = dict.fromkeys(STATISTICS, n) | dict.fromkeys(("overlap", "same_over_union"), union)
    counts |= {"first_kept": first, "second_kept": second, "sensitivity": first, "specificity": n - first}
    return {name: number.astype(np.int64) for name, number in counts.items()}


def _ranges(tables: Floats, scale: Floats) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the least and the largest value that every statistic of every pair can have."""
    zero = np.zeros(len(tables))
    width = zero + (scale.max() - scale.min())
    least = dict.fromkeys(STATISTICS, zero) | {"bias": -width}
    least |= {name: least_kappa(tables, weights) for name, weights in kappa_weights(scale).items()}
    return least, dict.fromkeys(STATISTICS, zero + 1.0) | {"bias": width}


def _all_pairs(names: Sequence[str], counts: Floats, scale: Floats, rel: int) -> pd.DataFrame:
    first, second = all_pairs(len(names))
    tables = counts[first, :, second, :]
    figures = pooled(tables, scale, rel)
    return pd.DataFrame(
        {
            "first": np.array(names, dtype=object)[first],
            "second": np.array(names, dtype=object)[second],
            "items": tables.sum(axis=(1, 2)).astype(np.int64),
            "same": figures["same"],
            "kappa": figures["kappa"],
        }
    )


def _pairs_of(labels: Labels, reference: str | None) -> tuple[Ints, Ints]:
    if reference is None:
        return all_pairs(len(labels.judges))
    others, first = all_pairs(len(labels.judges), baseline=labels.judges.index(reference))
    return first, others


def _all_statistics(
    tables: Floats, ratios: Mapping[str, Floats], scale: Floats, counts: Floats, rel: int
) -> dict[str, Floats]:
    summed = (counts @ tables.reshape(len(tables), -1)).reshape(len(counts), *tables.shape[1:])
    return pooled(summed, scale, rel) | {name: over_topics(values, counts) for name, values in ratios.items()}


def _spreads(
    tables: Floats, ratios: Mapping[str, Floats], scale: Floats, counts: Floats, rel: int
) -> dict[str, Floats]:
    """Return the standard deviation over resamples of every statistic of every pair, block by block of pairs."""
    n_pairs = tables.shape[1]
    size = max(1, _BLOCK // (len(counts) * tables.shape[2] ** 2))
    spread = {name: np.empty(n_pairs) for name in STATISTICS}
    for start in track(range(0, n_pairs, size), description="resampling topics", total=-(-n_pairs // size)):
        block = slice(start, start + size)
        values = _all_statistics(tables[:, block], {k: v[:, block] for k, v in ratios.items()}, scale, counts, rel)
        for name in STATISTICS:
            spread[name][block] = standard_deviation(values[name])
    return spread


def _item_spreads(tables: Floats, scale: Floats, rel: int) -> dict[str, Floats]:
    """Return the same where items are drawn, by leaving out each: a pair has as many kinds as pairs of labels."""
    spread = {name: np.full(len(tables), np.nan) for name in STATISTICS}
    for pair, table in enumerate(tables):
        kinds = np.flatnonzero(table)
        if not len(kinds):
            continue  # two judges without an item in common
        less = np.repeat(table[None], len(kinds), axis=0)
        less.reshape(len(kinds), -1)[np.arange(len(kinds)), kinds] -= 1.0
        values = pooled(less, scale, rel) | by_topic(less, scale, rel)
        for name in STATISTICS:
            spread[name][pair] = left_out_spread(values[name], table.ravel()[kinds])
    return spread


def _topic_frame(
    frame: pd.DataFrame, topics: Sequence[str], tables: Floats, ratios: Mapping[str, Floats], labels: Labels
) -> pd.DataFrame:
    """Return the ratios by topic, topics in natural order; nothing where there are none, or no relevant sets."""
    n_topics, n_pairs = tables.shape[:2]
    result = pd.DataFrame(
        {
            "topic": np.repeat(np.array(topics, dtype=object), n_pairs),
            "first": np.tile(frame["first"].to_numpy(), n_topics),
            "second": np.tile(frame["second"].to_numpy(), n_topics),
            "items": tables.sum(axis=(2, 3)).ravel().astype(np.int64),
            **{name: values.ravel() for name, values in ratios.items()},
        }
    )
    position = {name: at for at, name in enumerate(labels.topics)}
    result = result.sort_values("topic", key=lambda names: names.map(position), kind="stable")
    mask = (result["items"] > 0) & labels.ordered & (not labels.by_item)
    return result[mask].reset_index(drop=True)


_SURELY_TURNED = -3.5
"""Standard errors of Fisher's z below which a judge surely gives low labels where the others give high ones."""


def _apart_notes(labels: Labels, told: Collection[str]) -> list[str]:
    """Say which columns that nobody named a judge agree with no other, but for those `told`, and alpha without."""
    apart = unrelated(labels.table.to_numpy()) if labels.guessed and labels.ordered else []
    names = [labels.judges[at] for at in apart]
    others = [name for name in labels.judges if name not in names]
    if not names or not {*names}.isdisjoint(told):
        return []
    means, n_items = labels.table[others].mean(axis=1), labels.table.notna().sum()
    rises = {name: float(labels.table[name].corr(means, method="spearman")) for name in names}
    turned = [name for name, r in rises.items() if np.arctanh(r) * np.sqrt(max(n_items[name] - 3, 0)) < _SURELY_TURNED]
    if turned:
        listed, verb = first_few(list(map(repr, turned))), "goes" if len(turned) == 1 else "go"
        return [f"{listed} {verb} against the others, who agree with each other; a scale may be turned"]
    verb, without = ("agrees", "it") if len(names) == 1 else ("agree", "them")
    sentence = f"{first_few(list(map(repr, names)))} {verb} with none of the others, who agree with each other"
    alpha = f"without {without} Krippendorff's alpha is {alpha_of(labels, others, fewest=2):.2f}"
    return [f"{sentence}: {alpha}; leave out what is no judge (`columns={ {'judge': comma_list(others)}!r}`)"]


def label_notes(labels: Labels, agreement: LabelAgreement) -> list[str]:
    """Say what of the labels takes no part, from what is there."""
    notes = []
    outside = labels.outside.groupby("judge").size()
    if len(outside):
        notes.append(
            f"labels off the scale {', '.join(map(str, labels.scale))}, left out: "
            f"{', '.join(f'{name} {count:,}' for name, count in outside.items())}"
        )
    missing = {name: count for name, count in labels.table.isna().sum().items() if count}
    if missing:
        notes.append(
            f"{unit().labelled}s without a label, of {len(labels.table):,}: "
            f"{', '.join(f'{name} {count:,}' for name, count in missing.items())}; two judges are compared on the "
            f"{unit().labelled}s that both labelled"
        )
    several = labels.table.loc[:, labels.table.count() > 1]
    lowest = several.min()
    constant = [f"{name} {labels.called(label)}" for name, label in lowest[lowest == several.max()].items()]
    if constant:
        notes.append(f"the same label for every {unit().labelled}: {first_few(constant, most=_MOST_NAMED)}")
    contradicting: set[str] = set()
    if agreement.reference is not None:
        leading = leading_kappa(labels)
        turned = agreement.pairs[agreement.pairs[f"{leading}_high"] < 0]
        contradicting = {*turned["second"]}
        named = [f"{row['second']} ({row[leading]:.2f})" for row in turned.to_dict("records")]
        if named:
            notes.append(
                f"kappa significantly below 0, so the labels contradict those of {agreement.reference}: "
                f"{first_few(named, most=_MOST_NAMED)}; a scale may be reversed"
            )
    notes += _apart_notes(labels, contradicting)
    compared = set(agreement.compared)
    lacking = [pair for pair in combinations(labels.judges, 2) if not {pair, pair[::-1]} & compared]
    if agreement.reference is not None:
        lacking = [pair for pair in lacking if agreement.reference in pair]
    if lacking:
        notes.append(
            f"pairs of judges without a common {unit().labelled}, left out: "
            + first_few(lacking, most=_MOST_NAMED, write=" and ".join)
        )
    if agreement.per_topic.empty:
        return notes
    undefined = agreement.per_topic[[*_RATIOS]].isna().any(axis=1)
    topics = agreement.per_topic.loc[undefined, "topic"].nunique()
    if topics:
        notes.append(
            f"topics where a ratio of relevant sets is undefined for some pair, left out of its mean: {topics} of "
            f"{len(labels.topics)}"
        )
    return notes
