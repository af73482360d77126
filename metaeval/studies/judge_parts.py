"""The parts of a study of judges: what the labels say, and what the scores under them do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from metaeval.agreement.alt_test import AltTest, Scoring, alt_test
from metaeval.agreement.assessments import element_agreement, passage_agreement
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.favour import FavouredGroups, favoured_groups
from metaeval.agreement.judge_ranking import JudgeRanking, rank_judges
from metaeval.agreement.label_agreement import LabelAgreement, compare_labels
from metaeval.agreement.label_baselines import agreement_baselines, leading_kappa
from metaeval.agreement.labels import Labels, document_labels, on_common_topics
from metaeval.agreement.people import SecondPeople, second_people
from metaeval.agreement.scale_maps import ScaleMap, ScaleMaps, map_scales
from metaeval.cells import first_few
from metaeval.collection.inex import Assessments
from metaeval.draws import RandomSource
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError
from metaeval.models.judge_worth import topics_with_judge
from metaeval.models.prediction_powered import prediction_powered
from metaeval.models.repeats import judge_repeats
from metaeval.parallel import track
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.results import Result
from metaeval.scores import Scores
from metaeval.studies.judge_notes import label_notes, listed_rules
from metaeval.studies.study import Attempts

__all__ = ["EFFECTS", "Asked", "Labelling", "Part", "all_effects", "of_labels", "of_scores"]

type Part = dict[str, Any]
"""Attributes of a `metaeval.studies.judges.JudgeStudy` by name."""

EFFECTS = ("tau", "tau_ap", "precision", "recall", "f1", "n_predictor", "n_truth", "n_shared", "n_conflicts")
_MARK = "#"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelling(Result):
    """What labels say of the judges who gave them.

    Attributes
    ----------
    labels : Labels
        Of items, on the reference's scale; for assessments of elements or passages those of whole documents.
    scales : ScaleMaps or None
        How the grades of every judge became those of the reference; None without a reference, for assessments, and
        where labels off the scale were left out before.
    agreement : LabelAgreement
    baselines : pandas.DataFrame
        What the agreement with the reference is worth; see `metaeval.agreement.agreement_baselines`. Empty without a
        reference.
    ranking : JudgeRanking or None
        Which judge labels most as the reference does, people left out; None without a reference, or without any judge
        beside the people that can be ordered.
    alt : AltTest or None
        Whether a judge may stand in for a person as a labeller; takes two people beside it.
    elements, passages : pandas.DataFrame
        For assessments of parts, what two judges say of single elements and of characters: the columns of
        `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement` (whose ``first`` and ``second`` are
        ``first_marked`` and ``second_marked`` here), one row a topic (``topic``; of elements "mean" at the end) of
        every pair (``first``, ``second``). Empty otherwise, and where passages are given by points in the tree.
    scale : str or None
        Of such assessments; None for labels of items.
    """

    labels: Labels
    scales: ScaleMaps | None
    agreement: LabelAgreement
    baselines: pd.DataFrame
    ranking: JudgeRanking | None
    alt: AltTest | None
    elements: pd.DataFrame
    passages: pd.DataFrame
    scale: str | None


class Asked(NamedTuple):
    """How pairs are tested, and what is drawn for it."""

    test: str
    correction: str | None
    alpha: float
    n_resamples: int
    confidence_level: float
    top: int
    source: RandomSource


def of_labels(  # noqa: PLR0913, PLR0917 - the labels and what is asked of them
    given: Labels | Mapping[str, Assessments],
    reference: str | None,
    people: Sequence[str],
    maps: ScaleMap | Mapping[str, ScaleMap],
    rel: int,
    epsilon: float,
    scoring: Scoring | None,
    asked: Asked,
    attempt: Attempts,
) -> tuple[Labelling, SecondPeople | None, list[str]]:
    """Compare labels; return what they say, what second people would have said, and notes."""
    assessments: Mapping[str, Assessments] = {}
    if not isinstance(given, Labels):
        if people:
            message = "people= is for labels of items; assessments of parts are compared judge by judge"
            raise InvalidOptionError(message)
        assessments = on_common_topics(given)[0]
    labels = given if isinstance(given, Labels) else document_labels(given)
    scales, notes = None, [*labels.notes]
    if reference is not None:
        _refuse_silent(labels, reference, rel)
    if reference is not None and not assessments and not len(labels.outside):
        scales = _on_one_scale(labels, reference, maps)
        labels, notes = scales.labels, [*notes, *scales.notes]
        changed = [name for name, rule in scales.rules.items() if rule not in {"kept", "reference", "fitted"}]
        if changed:
            how = listed_rules(scales.rules, changed)
            notes.append(f"grades put on the scale of {reference}: {how}; the table shows which became which")
    agreement = compare_labels(
        labels,
        reference=reference,
        rel=rel,
        confidence_level=asked.confidence_level,
        n_resamples=asked.n_resamples,
        rng=asked.source,
    )
    notes += label_notes(labels, agreement)
    second, alt, ranking, baselines = None, None, None, pd.DataFrame()
    judges = [name for name in labels.judges if name not in {reference, *people}]
    if reference is not None and judges:
        ranking = attempt(
            f"Which judge labels most as {reference} does?",
            lambda: rank_judges(
                labels.select([reference, *judges]),
                reference=reference,
                confidence_level=asked.confidence_level,
                n_resamples=asked.n_resamples,
                rng=asked.source.generator.spawn(1)[0],
            ),
        )
    if reference is not None:
        everyone = (reference, *people) if people else ()
        baselines = agreement_baselines(labels, reference=reference, people=everyone, rel=rel)
    if people:
        second = second_people(labels, people, rng=asked.source.generator.spawn(1)[0])
        ordered = leading_kappa(labels.scale) != "kappa"
        alt = attempt(
            "May a judge stand in for a person as a labeller? (alt-test)",
            lambda: alt_test(
                labels.table[[reference, *people]],
                labels.table[judges],
                epsilon=epsilon,
                scoring=scoring or ("neg_rmse" if ordered else "accuracy"),
            ),
        )
    elif reference is not None and not assessments:
        attempt.failed["May a judge stand in for a person as a labeller? (alt-test)"] = (
            "takes labels of two people at least on the same items; name them (people=, --people)"
        )
    found = Labelling(
        labels=labels,
        scales=scales,
        agreement=agreement,
        baselines=baselines,
        ranking=ranking,
        alt=alt,
        **_parts_twice(assessments, agreement),
        scale=next((one.scale for one in assessments.values()), None),
    )
    return found, second, notes


def _refuse_silent(labels: Labels, reference: str, rel: int) -> None:
    """Refuse a reference with whom nobody can agree or disagree: without labels, or with nothing relevant."""
    if reference not in labels.judges:
        return  # said by whoever looks it up
    own = labels.table[reference].dropna()
    if own.empty:
        message = f"{reference} labelled nothing, so nobody can be held against it; name another judge (reference=)"
        raise ScoresError(message)
    if own.max() < rel:
        message = (
            f"{reference} called none of its {len(own)} items relevant (rel={rel}; its highest label is "
            f"{own.max():g}), so agreement with it says nothing of a judge; name another judge (reference=), or a "
            "lower grade (rel=)"
        )
        raise ScoresError(message)


def _on_one_scale(labels: Labels, reference: str, maps: ScaleMap | Mapping[str, ScaleMap]) -> ScaleMaps:
    scales = map_scales(labels, reference=reference, maps=maps)
    own = scales.labels.table[reference]
    if "fitted" in scales.rules.values() and own.min() == own.max():
        message = (
            f"{reference} gave one grade alone ({own.max():g}), to which no other grades can be fitted; keep those of "
            "the judges (maps='keep')"
        )
        raise ScoresError(message)
    return scales


def of_scores(  # noqa: PLR0913, PLR0917 - the scores and what is asked of them
    scores: Mapping[str, Scores | Mapping[str, Scores]],
    reference: str,
    weights: Mapping[str, float],
    groups: Mapping[str, str] | None,
    built_with: Mapping[str, Sequence[str]] | None,
    human_topics: int,
    asked: Asked,
    attempt: Attempts,
) -> Part:
    """Ask of every metric what is concluded, who is favoured, and what judges are worth."""
    part: Part = {name: {} for name in ("conclusions", "favoured", "worth", "powered", "repeats")}
    for metric, table in track(list(scores.items()), description="comparing conclusions under each judge"):
        found = _concluded(metric, table, reference, weights, asked)
        part["conclusions"][metric] = found
        untested = found.table.loc[found.table["f1"].isna(), "judge"].tolist()
        if untested:
            who = reference if found.n_reference is None else first_few(untested)
            attempt.failed[f"Which pairs are told apart under {metric}"] = (
                f"takes two topics at least, and {who} has one; the rankings by that one are compared"
            )
        judges = found.table.loc[found.table["kind"] == "judge", "judge"].tolist()
        side = {name: _side(table, name) for name in (reference, *judges, *weights)}
        together = table if isinstance(table, xr.DataArray) else _on_common_topics(side)
        if groups is not None:
            ask = _favoured(together, groups, reference, weights, built_with)
            _kept(part["favoured"], metric, attempt(f"Whom a judge favours under {metric}", ask))
        _worths(part, metric, side, reference, judges, human_topics, asked, attempt)
        passes = [name for name in judges if _MARK in name]
        if len(passes) > 1 and isinstance(table, xr.DataArray):
            ask_again = partial(judge_repeats, table.sel(metric=passes))
            _kept(part["repeats"], metric, attempt(f"Repeats of a judge under {metric}", ask_again))
    return part


def _worths(  # noqa: PLR0913, PLR0917 - the scores and what is asked of them
    part: Part,
    metric: str,
    side: Mapping[str, Scores],
    reference: str,
    judges: Sequence[str],
    human_topics: int,
    asked: Asked,
    attempt: Attempts,
) -> None:
    """Ask what every judge is worth in human topics, and what people and judge find together."""
    human = _called(side[reference], metric)
    for name in judges:
        ask = _worth(human, side[name], human_topics, asked)
        _kept(part["worth"], (metric, name), attempt(f"What {name} is worth under {metric}", ask))
        if set(side[name]["topic"].to_numpy()) > set(human["topic"].to_numpy()):
            ask = _powered(human, side[name], asked)
            _kept(part["powered"], (metric, name), attempt(f"People and {name} together under {metric}", ask))


def _kept(found: dict[Any, Any], key: object, answer: object) -> None:
    """Keep an answer, if there is one."""
    if answer is not None:
        found[key] = answer


def _concluded(
    metric: str, table: Scores | Mapping[str, Scores], reference: str, weights: Mapping[str, float], asked: Asked
) -> JudgeConclusions:
    try:
        return judge_conclusions(
            table,
            reference=reference,
            people=weights,
            test=asked.test,
            correction=asked.correction,
            alpha=asked.alpha,
            top=asked.top,
            confidence_level=asked.confidence_level,
            n_resamples=asked.n_resamples,
            rng=int(asked.source.generator.integers(2**63)),
        )
    except MetaevalError as error:
        error.add_note(f"while comparing what is concluded under {metric}")
        raise


def _side(table: Scores | Mapping[str, Scores], name: str) -> Scores:
    return table.sel(metric=[name]) if isinstance(table, xr.DataArray) else table[name].assign_coords(metric=[name])


def _called(side: Scores, metric: str) -> Scores:
    """Return the scores under the reference by the name of the metric."""
    return side.assign_coords(metric=[metric])


def _on_common_topics(sides: Mapping[str, Scores]) -> Scores | None:
    """Return scores with judges in place of metrics on the topics of all; None where those are too few."""
    parts = list(sides.values())
    common = [topic for topic in parts[0]["topic"].to_numpy() if all(topic in one["topic"].to_numpy() for one in parts)]
    if len(common) < 3:  # noqa: PLR2004 - an interval over topics
        return None
    return xr.concat([one.sel(topic=common) for one in parts], "metric", coords="minimal", compat="override")


def _of_same_topics(sides: Mapping[str, Scores]) -> Scores | None:
    """Return scores with judges in place of metrics where all have the same topics."""
    topics = {frozenset(one["topic"].to_numpy().tolist()) for one in sides.values()}
    return _on_common_topics({name: _side(sides, name) for name in sides}) if len(topics) == 1 else None


def _favoured(
    table: Scores | None,
    groups: Mapping[str, str],
    reference: str,
    weights: Mapping[str, float],
    built_with: Mapping[str, Sequence[str]] | None,
) -> Callable[[], FavouredGroups]:
    def ask() -> FavouredGroups:
        if table is None:
            message = "takes three topics that every judge has"
            raise ScoresError(message)
        return favoured_groups(table, groups, reference=reference, people=[*weights], built_with=built_with)

    return ask


def _worth(human: Scores, judge: Scores, human_topics: int, asked: Asked) -> Callable[[], Any]:
    return lambda: topics_with_judge(
        human, judge, n_topics=human_topics, alpha=asked.alpha, confidence_level=asked.confidence_level
    )


def _powered(human: Scores, judge: Scores, asked: Asked) -> Callable[[], Any]:
    return lambda: prediction_powered(human, judge, alpha=asked.alpha, confidence_level=asked.confidence_level)


def all_effects(
    scores: Mapping[str, Scores | Mapping[str, Scores]], agreement: LabelAgreement | None, asked: Asked
) -> pd.DataFrame:
    """Compare what is concluded under every two judges, where none is the reference."""
    parts = []
    for name, given in track(list(scores.items()), description="testing pairs of runs"):
        table = given if isinstance(given, xr.DataArray) else _of_same_topics(given)
        if table is None:
            message = "judges with topics of their own are compared with a reference; name it (reference=)"
            raise InvalidOptionError(message)
        parts.append(_effects(name, table, agreement, asked))
    return pd.concat(parts, ignore_index=True)


def _effects(name: str, scores: Scores, agreement: LabelAgreement | None, asked: Asked) -> pd.DataFrame:
    try:
        found = decision_agreement(
            scores,
            test=asked.test,
            correction=asked.correction,
            alphas=asked.alpha,
            n_resamples=asked.n_resamples,
            rng=int(asked.source.generator.integers(2**63)),
        )
    except MetaevalError as error:
        error.add_note(f"while comparing what judges conclude under {name}")
        raise
    frame = found.to_frame().rename(columns={"truth": "first", "predictor": "second"})
    if agreement is None:
        order = list(found.metrics)
        kept = [order.index(a) < order.index(b) for a, b in zip(frame["first"], frame["second"], strict=True)]
    else:
        wanted = set(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
        kept = [pair in wanted for pair in zip(frame["first"], frame["second"], strict=True)]
    columns = ["first", "second", "n_pairs", *EFFECTS]
    return frame.loc[kept, columns].assign(metric=name)[["metric", *columns]].reset_index(drop=True)


def _parts_twice(assessments: Mapping[str, Assessments], agreement: LabelAgreement) -> dict[str, pd.DataFrame]:
    """Compare every pair of judges element by element, and character by character where passages have offsets."""
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
