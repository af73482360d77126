"""What a study of judges says of its input: which labels take no part, and which judges say nothing."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from metaeval.agreement.label_agreement import LabelAgreement
from metaeval.agreement.label_baselines import leading_kappa
from metaeval.agreement.labels import Labels
from metaeval.base.names import first_few
from metaeval.base.unit import unit, unit_of

if TYPE_CHECKING:
    from metaeval.resampling.judge_conclusions import JudgeConclusions
    from metaeval.table.scores import Scores

_RATIOS = ("overlap", "first_kept", "second_kept", "same_over_union")
_SHOWN = 10


def listed_rules(rules: Mapping[str, str], names: Sequence[str]) -> str:
    """Return judges with what was done to their grades.

    Examples
    --------
    >>> listed_rules({"a": "fitted", "b": "kept"}, ["a"])
    'a (fitted)'
    """
    return first_few([f"{name} ({rules[name]})" for name in names], most=_SHOWN)


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
        notes.append(f"the same label for every {unit().labelled}: {first_few(constant, most=_SHOWN)}")
    if agreement.reference is not None:
        leading = leading_kappa(labels)
        turned = agreement.pairs[agreement.pairs[f"{leading}_high"] < 0]
        named = [f"{row['second']} ({row[leading]:.2f})" for row in turned.to_dict("records")]
        if named:
            notes.append(
                f"kappa significantly below 0, so the labels contradict those of {agreement.reference}: "
                f"{first_few(named, most=_SHOWN)}; a scale may be reversed"
            )
    compared = set(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
    lacking = [pair for pair in combinations(labels.judges, 2) if not {pair, pair[::-1]} & compared]
    if agreement.reference is not None:
        lacking = [pair for pair in lacking if agreement.reference in pair]
    if lacking:
        notes.append(
            f"pairs of judges without a common {unit().labelled}, left out: "
            + first_few(lacking, most=_SHOWN, write=" and ".join)
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


def scores_by_judge(table: "Scores | Mapping[str, Scores]") -> "dict[str, Scores]":
    """Return the scores under each judge, whether judges stand in one table or have topics of their own."""
    if isinstance(table, Mapping):
        return dict(table)
    return {str(name): table.sel(metric=[name]) for name in table["metric"].to_numpy()}


def flat_judge_notes(scores: "Mapping[str, Scores | Mapping[str, Scores]]") -> list[str]:
    """Say under which judges all systems score 0 on a topic, as where nothing was labelled: such topics count.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> nist, model = as_scores([[0.1, 0.2], [0.3, 0.1]]), as_scores([[0, 0.2], [0, 0.4]])
    >>> flat_judge_notes({"AP": {"nist": nist, "model": model}})
    ['AP: topics where every system scores 0, as where labels are missing; they count: model 1 of 2']
    """
    notes = []
    for metric, table in scores.items():
        flat = {name: (values == 0).all("system") for name, values in scores_by_judge(table).items()}
        phrases = [f"{name} {int(values.sum())} of {values.size}" for name, values in flat.items() if values.any()]
        if phrases:
            words = f"{unit_of(table).topics} where every system scores 0, as where labels are missing; they count"
            notes.append(f"{metric}: {words}: {first_few(phrases, most=_SHOWN)}")
    return notes


def score_notes(conclusions: "Mapping[str, JudgeConclusions]") -> list[str]:
    """Say under which judges the scores tell nothing: all systems alike, or no pair apart under the reference."""
    notes = []
    for metric, judged in conclusions.items():
        silent = judged.table.loc[
            (judged.table["n_reference"] == 0) & (judged.table["kind"] == "judge"), "judge"
        ].tolist()
        if (judged.table["n_reference"] == 0).any():
            where = f" on the topics of {first_few(silent, most=_SHOWN)}" * (len(judged.of_reference) > 1)
            notes.append(
                f"{metric}: under {judged.reference} no pair differs significantly{where}, so precision, recall and F1 "
                "of significant pairs" + " there" * bool(where) + " are undefined, or 0 where some do under a judge"
            )
        people = judged.table[judged.table["kind"] == "people"].set_index("reference_set")["topic_set"]
        judges = judged.table[(judged.table["kind"] == "judge") & judged.table["reference_set"].isin(people.index)]
        unlike = judges.loc[judges["topic_set"] != judges["reference_set"].map(people), "judge"].tolist()
        if unlike:
            notes.append(
                f"{metric}: people have other {unit().topics} than {first_few(unlike, most=_SHOWN)}, so a difference "
                f"from a second person is one of {unit().topics} too"
            )
        flat = judged.table.loc[judged.table["tau"].isna(), "judge"].tolist()
        if flat:
            notes.append(f"{metric}: no rank correlation where all systems score alike: {first_few(flat, most=_SHOWN)}")
    return notes
