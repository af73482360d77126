"""Whether assessors agree, and whether another assessor or an automatic judge would have changed what we conclude."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.assessors import AssessorAgreement, compare_assessors
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.labels import Labels
from metaeval.cells import first_few
from metaeval.checks import check_share
from metaeval.collection.assembly import judgments_from
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import UNJUDGED, Collection
from metaeval.draws import RandomSource, RNGLike, resolve_rng, resolve_seed
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.metrics.registry import Registry
from metaeval.metrics.score import resolve_metrics, score
from metaeval.parallel import track
from metaeval.provenance import Provenance, record_provenance
from metaeval.resampling.options import check_test
from metaeval.scores import Scores, as_scores
from metaeval.studies.study import Study
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

__all__ = ["AssessorStudy", "judgments_of_labels", "study_assessors"]

_RATIOS = ("overlap", "first_kept", "second_kept", "same_over_union")
_SHOWN = 10
_EFFECTS = ("tau", "tau_ap", "precision", "recall", "f1", "n_predictor", "n_truth", "n_shared", "n_conflicts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssessorStudy(Study):
    """What a comparison of assessors found.

    Attributes
    ----------
    labels : Labels
    agreement : AssessorAgreement
    effects : pandas.DataFrame
        Where runs were given: one row a metric and pair of assessors, ``first`` being taken as the truth: rank
        correlations of the runs' means, precision, recall and F1 of the pairs of runs that are significantly different
        under ``second``, and conflicts. Empty without runs.
    scores : mapping of str to Scores
        For every metric the scores under each assessor, who stand in place of the metrics.
    test, correction : str
    alpha : float
    notes : tuple of str
    provenance : Provenance
    """

    reported_by: ClassVar[str] = "metaeval.reports.assessors:assessors_report"

    labels: Labels
    agreement: AssessorAgreement
    effects: pd.DataFrame
    scores: dict[str, Scores]
    test: str
    correction: str
    alpha: float
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: agreement (``statistic`` of ``first`` and ``second``), then the effects of each metric."""
        rows = self.agreement.to_frame().assign(metric=None)
        if self.effects.empty:
            return rows
        names = [name for name in _EFFECTS if name in self.effects]
        effects = self.effects.melt(["metric", "first", "second"], names, var_name="statistic", value_name="value")
        return pd.concat([rows, effects.assign(low=np.nan, high=np.nan)], ignore_index=True)[
            ["metric", "first", "second", "statistic", "value", "low", "high"]
        ]


def judgments_of_labels(labels: Labels) -> Judgments:
    """Return every labelled item as a judgment at its highest label, for reading runs beside them.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d1": 1, "d2": 0}}, "ben": {"1": {"d1": 2}}})
    >>> judgments_of_labels(labels).levels.tolist()
    [2, 0]
    """
    highest = labels.table.max(axis=1).dropna()
    qrels: dict[str, dict[str, int]] = {}
    for (topic, item), level in zip(highest.index.tolist(), highest.tolist(), strict=True):
        qrels.setdefault(topic, {})[item] = int(level)
    return judgments_from(qrels)


def study_assessors(  # noqa: PLR0913 - every option is one question
    labels: Labels,
    *,
    collection: Collection | None = None,
    metrics: object = ("AP", "nDCG@10"),
    reference: str | None = None,
    rel: int = 1,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    registry: Registry | None = None,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> AssessorStudy:
    """Compare assessors: their labels, and, where runs are given, what one would conclude from each.

    Parameters
    ----------
    labels : Labels
    collection : Collection, optional
        Runs, compiled with `judgments_of_labels`. They are scored under each assessor in turn; what an assessor did not
        label counts as unjudged.
    metrics : sequence of str
    reference : str, optional
        The assessor that the others are measured by; without one all pairs are compared.
    rel : int
        Lowest label that counts as relevant in the overlap of relevant sets.
    test, correction, alpha
        How pairs of runs are tested, two-sided; Benjamini and Yekutieli by default.
    confidence_level : float
    n_resamples : int
        Resamples of topics, and of a resampling test.
    registry : Registry, optional
    rng : None, int or Generator
    provenance : Provenance, optional

    Returns
    -------
    AssessorStudy

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule, or the collection holds items that are no labels.

    See Also
    --------
    metaeval.studies.human.study_human
    metaeval.io.labels.read_labels

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, sections 5.2.6 and 5.2.7; Voorhees 2000, "Variations in relevance judgments and
    the measurement of retrieval effectiveness".

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d1": 1, "d2": 0}}, "ben": {"1": {"d1": 1, "d2": 1}}})
    >>> float(study_assessors(labels, rng=0).agreement.pairs["overlap"].item())
    0.5
    """
    check_share(alpha, "alpha")
    check_test(test, correction)
    seed = resolve_seed(rng)
    source = resolve_rng(seed)
    record = provenance or record_provenance("study_assessors", random_source=source.description)
    agreement = compare_assessors(
        labels, reference=reference, rel=rel, confidence_level=confidence_level, n_resamples=n_resamples, rng=source
    )
    scores: dict[str, Scores] = {}
    effects = pd.DataFrame()
    notes = [*labels.notes, *_label_notes(labels, agreement)]
    if collection is not None:
        scores, said = _scored(labels, collection, metrics, registry)
        notes += said
        effects = pd.concat(
            [
                _effects(name, table, agreement, test, correction, alpha, n_resamples, source)
                for name, table in track(list(scores.items()), description="testing pairs of runs")
            ],
            ignore_index=True,
        )
    return AssessorStudy(
        labels=labels,
        agreement=agreement,
        effects=effects,
        scores=scores,
        test=TESTS.find(test).name,
        correction=CORRECTIONS.canonical(correction or TESTS.find(test).default_correction),
        alpha=float(alpha),
        notes=tuple(notes),
        provenance=record,
    )


def _label_notes(labels: Labels, agreement: AssessorAgreement) -> list[str]:
    """Say what of the labels takes no part, from what is there."""
    notes = []
    outside = labels.outside.groupby("assessor").size()
    if len(outside):
        notes.append(
            f"labels off the scale {', '.join(map(str, labels.scale))}, left out: "
            f"{', '.join(f'{name} {count}' for name, count in outside.items())}"
        )
    missing = {name: count for name, count in labels.table.isna().sum().items() if count}
    if missing:
        notes.append(
            f"items without a label, of {len(labels.table)}: "
            f"{', '.join(f'{name} {count}' for name, count in missing.items())}; two assessors are compared on the "
            "items that both labelled"
        )
    compared = set(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
    lacking = [pair for pair in combinations(labels.assessors, 2) if not {pair, pair[::-1]} & compared]
    if agreement.reference is not None:
        lacking = [pair for pair in lacking if agreement.reference in pair]
    if lacking:
        notes.append(
            "pairs of assessors without a common item, left out: " + first_few(lacking, most=_SHOWN, write=" and ".join)
        )
    undefined = agreement.per_topic[[*_RATIOS]].isna().any(axis=1)
    topics = agreement.per_topic.loc[undefined, "topic"].nunique()
    if topics:
        notes.append(
            f"topics where a ratio of relevant sets is undefined for some pair, left out of its mean: {topics} of "
            f"{len(labels.topics)}"
        )
    return notes


def _scored(
    labels: Labels, collection: Collection, metrics: object, registry: Registry | None
) -> tuple[dict[str, Scores], list[str]]:
    """Score the runs under every assessor, on the topics where every assessor found something relevant."""
    chosen = resolve_metrics(metrics, registry=registry)
    levels = _levels_of_assessors(labels, collection)
    topics = [
        topic
        for place, topic in enumerate(collection.topics)
        if (
            levels[:, collection.topic_offsets[place] : collection.topic_offsets[place + 1]].max(axis=1, initial=-1) > 0
        ).all()
    ]
    notes = []
    left = len(collection.topics) - len(topics)
    if left:
        notes.append(f"{left} of {len(collection.topics)} topics have nothing relevant under some assessor: left out")
    if len(topics) < 2:  # noqa: PLR2004 - tests need two topics
        message = (
            f"runs can be compared on topics where every assessor found something relevant; there are {len(topics)}"
        )
        raise InvalidOptionError(message)
    parts: dict[str, list[xr.DataArray]] = {one.name: [] for one in chosen}
    for own in track(levels, description="scoring runs under each assessor"):
        found = score(collection.rejudge(own).select(topics=topics), chosen, undefined="zero")
        for name, part in parts.items():
            part.append(found.sel(metric=[name]))
    names = list(labels.assessors)
    return {name: _side_by_side(part, names) for name, part in parts.items()}, notes


def _side_by_side(parts: Sequence[xr.DataArray], names: Sequence[str]) -> Scores:
    direction = bool(parts[0]["higher_is_better"].item())
    stacked = np.concatenate([part.to_numpy() for part in parts])
    table = xr.DataArray(
        stacked,
        dims=parts[0].dims,
        coords={"metric": list(names), "system": parts[0]["system"].to_numpy(), "topic": parts[0]["topic"].to_numpy()},
    )
    return as_scores(table, higher_is_better=direction)


def _levels_of_assessors(labels: Labels, collection: Collection) -> np.ndarray:
    topics = np.array(collection.topics, dtype=object)[collection.topic_of_judgment]
    items = [name.decode() for name in collection.document_ids.tolist()]
    rows = pd.MultiIndex.from_frame(labels.table.index.to_frame(index=False)).get_indexer(
        pd.MultiIndex.from_arrays([topics, items])
    )
    if (rows < 0).any():
        place = int(np.flatnonzero(rows < 0)[0])
        message = (
            f"the collection judges topic {topics[place]!r}, item {items[place]!r}, which no assessor labelled; "
            "compile the runs with judgments_of_labels"
        )
        raise InvalidOptionError(message)
    values = labels.table.to_numpy()[rows].T
    return np.where(np.isnan(values), UNJUDGED, values).astype(np.int16)


def _effects(  # noqa: PLR0913, PLR0917 - one metric and the question
    name: str,
    scores: Scores,
    agreement: AssessorAgreement,
    test: str,
    correction: str | None,
    alpha: float,
    n_resamples: int,
    source: RandomSource,
) -> pd.DataFrame:
    try:
        found = decision_agreement(
            scores,
            test=test,
            correction=correction,
            alphas=alpha,
            n_resamples=n_resamples,
            rng=int(source.generator.integers(2**63)),
        )
    except MetaevalError as error:
        error.add_note(f"while comparing what assessors conclude under {name}")
        raise
    frame = found.to_frame().rename(columns={"truth": "first", "predictor": "second"})
    wanted = set(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
    kept = [pair in wanted for pair in zip(frame["first"], frame["second"], strict=True)]
    columns = ["first", "second", "n_pairs", *_EFFECTS]
    return frame.loc[kept, columns].assign(metric=name)[["metric", *columns]].reset_index(drop=True)
