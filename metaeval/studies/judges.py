"""Whether assessors agree, and whether another assessor or an automatic judge would have changed what we conclude."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.assessments import element_agreement, passage_agreement
from metaeval.agreement.assessors import AssessorAgreement, compare_assessors
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.labels import Labels, document_labels, on_common_topics
from metaeval.cells import first_few
from metaeval.checks import check_share
from metaeval.collection.assembly import judgments_from
from metaeval.collection.base import JudgedCollection
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import Collection
from metaeval.collection.inex import Assessments
from metaeval.draws import RandomSource, RNGLike, resolve_rng, resolve_seed
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.metrics.defaults import default_metrics
from metaeval.metrics.registry import Registry
from metaeval.metrics.scoring import resolve_metrics, score
from metaeval.parallel import track
from metaeval.provenance import Provenance, record_provenance
from metaeval.resampling.options import check_test
from metaeval.scores import Scores, as_scores
from metaeval.studies.study import Study
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

__all__ = ["JudgeStudy", "judgments_of_labels", "study_judges"]

_RATIOS = ("overlap", "first_kept", "second_kept", "same_over_union")
_SHOWN = 10
_OF_LABELS = ("AP", "nDCG@10")
_EFFECTS = ("tau", "tau_ap", "precision", "recall", "f1", "n_predictor", "n_truth", "n_shared", "n_conflicts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeStudy(Study):
    """What a comparison of assessors found.

    Attributes
    ----------
    labels : Labels
        Of items; for assessments of elements or passages those of whole documents.
    agreement : AssessorAgreement
    elements, passages : pandas.DataFrame
        For such assessments what two assessors say of single elements and of characters: the columns of
        `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement` (whose ``first`` and ``second`` are
        ``first_marked`` and ``second_marked`` here), one row a topic (``topic``; of elements "mean" at the end) of
        every pair (``first``, ``second``). Empty otherwise, and where passages are given by points in the tree.
    scale : str or None
        Of such assessments; None for labels of items.
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

    reported_by: ClassVar[str] = "metaeval.reports.judges:judges_report"

    labels: Labels
    agreement: AssessorAgreement
    elements: pd.DataFrame
    passages: pd.DataFrame
    scale: str | None
    effects: pd.DataFrame
    scores: dict[str, Scores]
    test: str
    correction: str
    alpha: float
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: agreement (``statistic`` of ``first`` and ``second``), then the effects of each metric.

        Means over topics of what is said of elements and characters have names such as ``elements: both`` and
        ``characters: of_union``.
        """
        parts = [self.agreement.to_frame().assign(metric=None)]
        for what, table in (("elements", self.elements), ("characters", self.passages)):
            if len(table):
                means = table[table["topic"] != "mean"].groupby(["first", "second"], sort=False).mean(numeric_only=True)
                long = means.reset_index().melt(["first", "second"], var_name="statistic", value_name="value")
                parts.append(long.assign(statistic=f"{what}: " + long["statistic"], metric=None))
        if not self.effects.empty:
            names = [name for name in _EFFECTS if name in self.effects]
            keys = ["metric", "first", "second"]
            parts.append(self.effects.melt(keys, names, var_name="statistic", value_name="value"))
        columns = ["metric", "first", "second", "statistic", "value", "low", "high"]
        return pd.concat([part.assign(**_gaps(part)) for part in parts], ignore_index=True)[columns]


def _gaps(part: pd.DataFrame) -> dict[str, float]:
    return {} if "low" in part else {"low": np.nan, "high": np.nan}


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
    qrels: dict[str, dict[str, float]] = {}
    for (topic, item), level in zip(highest.index.tolist(), highest.tolist(), strict=True):
        qrels.setdefault(topic, {})[item] = level
    return judgments_from(qrels)


def study_judges(  # noqa: PLR0913 - every option is one question
    labels: Labels | Mapping[str, Assessments],
    *,
    collection: Collection | Mapping[str, JudgedCollection] | None = None,
    metrics: object = None,
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
) -> JudgeStudy:
    """Compare assessors: their labels, and, where runs are given, what one would conclude from each.

    Parameters
    ----------
    labels : Labels, or mapping of str to Assessments
        Of items; or INEX assessments of elements or passages, by assessor, which are compared on the topics that
        every assessor judged.
    collection : Collection, or mapping of str to JudgedCollection, optional
        Runs, compiled with `judgments_of_labels`. They are scored under each assessor in turn; what an assessor did not
        label counts as unjudged. For assessments the same runs compiled beside those of each assessor
        (`metaeval.inex.element_collection`, `metaeval.inex.passage_collection`).
    metrics : sequence of str, optional
        AP and nDCG@10 by default; for elements and passages those of their campaigns.
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
    JudgeStudy

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule, the collection holds items that are no labels, or collections are not those
        of the assessors or hold different runs.
    ScoresError
        If there is nothing that two assessors judged.

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
    >>> float(study_judges(labels, rng=0).agreement.pairs["overlap"].item())
    0.5
    """
    check_share(alpha, "alpha")
    check_test(test, correction)
    seed = resolve_seed(rng)
    source = resolve_rng(seed)
    record = provenance or record_provenance("study_judges", random_source=source.description)
    assessments: Mapping[str, Assessments] = {} if isinstance(labels, Labels) else on_common_topics(labels)[0]
    if not isinstance(labels, Labels):
        labels = document_labels(labels)
    agreement = compare_assessors(
        labels, reference=reference, rel=rel, confidence_level=confidence_level, n_resamples=n_resamples, rng=source
    )
    scores: dict[str, Scores] = {}
    effects = pd.DataFrame()
    notes = [*labels.notes, *_label_notes(labels, agreement)]
    if collection is not None:
        judged = _under_each(labels, collection, has_parts=bool(assessments))
        scores, said = _scored(judged, metrics, registry)
        notes += said
        effects = pd.concat(
            [
                _effects(name, table, agreement, test, correction, alpha, n_resamples, source)
                for name, table in track(list(scores.items()), description="testing pairs of runs")
            ],
            ignore_index=True,
        )
    return JudgeStudy(
        labels=labels,
        agreement=agreement,
        **_parts_twice(assessments, agreement),
        scale=next((one.scale for one in assessments.values()), None),
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


def _parts_twice(assessments: Mapping[str, Assessments], agreement: AssessorAgreement) -> dict[str, pd.DataFrame]:
    """Compare every pair of assessors element by element, and character by character where passages have offsets."""
    pairs = list(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
    ask: dict[str, Callable[[Assessments, Assessments], pd.DataFrame]] = {
        "elements": element_agreement,
        "passages": passage_agreement,
    }
    found = {}
    for kind, compare in ask.items():
        tables = [getattr(one, kind) for one in assessments.values()]
        missing = not tables or any(part.empty for part in tables)
        if missing or (kind == "passages" and any((part["offset"] < 0).any() for part in tables)):
            found[kind] = pd.DataFrame(columns=["topic", "first", "second"])
            continue
        parts = [
            compare(assessments[first], assessments[second])
            .rename_axis("topic")
            .reset_index()
            .rename(columns={"first": "first_marked", "second": "second_marked"})
            .assign(first=first, second=second)
            for first, second in pairs
        ]
        found[kind] = pd.concat(parts, ignore_index=True)
    return found


def _under_each(
    labels: Labels, collection: Collection | Mapping[str, JudgedCollection], *, has_parts: bool
) -> dict[str, JudgedCollection]:
    """Return the runs with the judgments of each assessor in turn."""
    if isinstance(collection, Collection) and not has_parts:
        grades = _grades_of_assessors(labels, collection)
        return {name: collection.regrade(own) for name, own in zip(labels.assessors, grades, strict=True)}
    if not isinstance(collection, Mapping) or not has_parts:
        message = (
            "the collection is a Collection for labels, and a mapping of assessor to collection for assessments; "
            f"this is a {type(collection).__name__}"
        )
        raise InvalidOptionError(message)
    if set(collection) != set(labels.assessors):
        message = f"the collections must name the assessors {', '.join(labels.assessors)}, not {', '.join(collection)}"
        raise InvalidOptionError(message)
    runs = {one.systems for one in collection.values()}
    if len(runs) > 1:
        message = "the collections must hold the same runs under every assessor, in the same order"
        raise InvalidOptionError(message)
    return {name: collection[name] for name in labels.assessors}


def _scored(
    judged: Mapping[str, JudgedCollection], metrics: object, registry: Registry | None
) -> tuple[dict[str, Scores], list[str]]:
    """Score the runs under every assessor, on the topics where every assessor found something relevant."""
    first = next(iter(judged.values()))
    if metrics is None:
        metrics = _OF_LABELS if isinstance(first, Collection) else default_metrics(first)
    chosen = resolve_metrics(metrics, registry=registry)
    known = [set(one.topics) for one in judged.values()]
    common = [topic for topic in first.topics if all(topic in own for own in known)]
    found = [_topics_with_relevant(one.by_document) for one in judged.values()]
    topics = [topic for topic in common if all(topic in own for own in found)]
    notes = []
    left = len(common) - len(topics)
    if left:
        notes.append(f"{left} of {len(common)} topics have nothing relevant under some assessor: left out")
    if len(topics) < 2:  # noqa: PLR2004 - tests need two topics
        message = (
            f"runs can be compared on topics where every assessor found something relevant; there are {len(topics)}"
        )
        raise InvalidOptionError(message)
    parts: dict[str, list[xr.DataArray]] = {one.name: [] for one in chosen}
    for one in track(list(judged.values()), description="scoring runs under each assessor"):
        values = score(one.select(topics=topics), chosen, undefined="zero")
        for name, part in parts.items():
            part.append(values.sel(metric=[name]))
    return {name: _side_by_side(part, list(judged)) for name, part in parts.items()}, notes


def _topics_with_relevant(collection: Collection) -> set[str]:
    topics = np.unique(collection.topic_of_judgment[collection.levels > 0])
    return {collection.topics[place] for place in topics.tolist()}


def _side_by_side(parts: Sequence[xr.DataArray], names: Sequence[str]) -> Scores:
    direction = bool(parts[0]["higher_is_better"].item())
    stacked = np.concatenate([part.to_numpy() for part in parts])
    table = xr.DataArray(
        stacked,
        dims=parts[0].dims,
        coords={"metric": list(names), "system": parts[0]["system"].to_numpy(), "topic": parts[0]["topic"].to_numpy()},
    )
    return as_scores(table, higher_is_better=direction)


def _grades_of_assessors(labels: Labels, collection: Collection) -> np.ndarray:
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
    return labels.table.to_numpy()[rows].T


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
