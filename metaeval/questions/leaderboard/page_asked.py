"""What was asked of a leaderboard beside its ranking: requirements, and who is better than a baseline."""

import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import name_of_metric, percentage
from metaeval.page.blocks import Methods
from metaeval.page.report import Report
from metaeval.questions.leaderboard.page_items import requirements_section, tests_said
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.questions.leaderboard.study_card import BoardTables
from metaeval.questions.leaderboard.study_required import RequirementsStudy
from metaeval.reports.data_files import score_files
from metaeval.reports.prose import prose
from metaeval.reports.ranked import TOP_TITLE, against_baseline, top_sentence
from metaeval.reports.shared import facts
from metaeval.reports.traits import traits_said
from metaeval.reports.witnesses import requirements_rest, with_answer
from metaeval.tests_stat.requirements import MET, NOTHING, OPEN, VIOLATED, Requirements

_REQUIRED = "Is what was required of the systems established?"
_ANSWERS = {
    MET: {"word": "Yes", "verdict": "established"},
    VIOLATED: {"word": "No", "verdict": "contradicted"},
    OPEN: {"word": "Open", "verdict": "neither established nor contradicted"},
}
"""What a page answers about one requirement, by its state."""
say = prose(__name__)


def asked_of(study: LeaderboardStudy, tables: BoardTables, of_cohort: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the question that was asked beside that of the ranking, and its answers, last those of a cohort."""
    if study.requirements is not None:
        return _REQUIRED, (_required(study.requirements, study),)
    level = percentage(1 - study.alpha if study.ranks is None else study.ranks.confidence_level)
    best = top_sentence(tables.systems, study.top, level=level, tested=better_by_test(study))
    title, sentences = (TOP_TITLE.format(study.top), (best,)) if best else ("", ())
    if len(study.baselines) == 1 and len(study.comparison.metrics) == 1:
        title = say("against title", baseline=study.baselines[0])
        against = () if study.comparison.n_pairs == 1 else (_against(study, study.baselines[0]),)
        sentences = (*against, *sentences)
    return title, (*sentences, *of_cohort)


def better_by_test(study: LeaderboardStudy) -> pd.DataFrame:
    """Return than how many systems each is better by p-values over all pairs: metric, system and n_below."""
    tested = study.comparison.with_correction("holm")
    data, verdicts, names = tested.data, tested.verdicts(), study.scores["system"].to_numpy().tolist()
    sides = [data[side].to_numpy() for side in ("system_a", "system_b")]
    rows = [
        (metric, name, int(((sides[0] == name) & (row > 0)).sum() + ((sides[1] == name) & (row < 0)).sum()))
        for metric, row in zip(tested.metrics, verdicts, strict=True)
        for name in names
    ]
    return pd.DataFrame(rows, columns=["metric", "system", "n_below"])


def required_report(study: RequirementsStudy) -> Report:
    """Put what was required of one system into a report."""
    scores, rows = study.scores, study.to_frame()
    told, *rests = with_answer(
        _required(study.requirements, study), requirements_rest(study.requirements, scores), claimed=True
    )
    sizes = {f"n_{dim}s": scores.sizes[dim] for dim in ("metric", "topic")}
    methods = say(
        "methods one",
        system=scores["system"].item(),
        alpha=study.alpha,
        traits=traits_said(scores),
        tests=tests_said(rows),
        **sizes,
    )
    return Report(
        command="leaderboard",
        title=_REQUIRED,
        facts=(*facts(metric=scores.sizes["metric"], system=1, topic=scores.sizes["topic"]),),
        summary=(told, *rests),
        sections=tuple(requirements_section(study)),
        methods=Methods(paragraphs=(methods,), cite=()),
        rows=rows,
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(scores),
    )


def _required(requirements: Requirements, study: LeaderboardStudy | RequirementsStudy) -> str:
    """Say whether what was required is established: of one requirement with its figures, of several how many are."""
    rows = requirements.to_frame()
    if len(rows) == 1:
        row = rows.iloc[0].to_dict()
        falls = not bool(study.scores["higher_is_better"].sel(metric=row["metric"]))
        is_mean = pd.isna(row["system_b"])
        figures = say("mean", row=row) if is_mean else say("difference", row=row, falls=falls)
        few, alone = requirements.few_words(row, unit())
        words = {"row": row, "what": figures, "falls": falls, "sure": percentage(1 - study.alpha)}
        if few:
            return say("required few", few=few, alone=alone, **words | {"what": "mean" if is_mean else "difference"})
        if row["state"] == NOTHING:
            return say("required without common items", **words)
        return say("required", **words, **_ANSWERS[row["state"]])
    met = rows["state"] == MET
    not_met = (rows.loc[~met, "requirement"] + " under " + rows.loc[~met, "metric"].map(name_of_metric)).tolist()
    return say("required some" if not_met else "required all", met=int(met.sum()), n=len(rows), rest=not_met)


def _against(study: LeaderboardStudy, baseline: str) -> str:
    """Say how many systems are better and worse than the baseline, with Holm's correction over its pairs alone."""
    (metric,) = study.comparison.metrics
    result = study.families.results["baseline", metric].with_correction("holm")
    others, verdicts = result.data["system_a"].to_numpy(), result.verdicts()[0]
    better, worse = (others[verdicts == side].tolist() for side in (1, -1))
    how = say("against how", result=result, n=len(others), lettered=study.ranks is not None)
    circumstances = {"under": f" under {name_of_metric(metric)}", "how": f" {how}"}
    return against_baseline(baseline, better, worse, n=len(others), **circumstances)
