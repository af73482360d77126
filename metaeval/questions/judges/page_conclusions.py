"""What the page on judges says of conclusions: beside people, at the same number of topics, of any two judges."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count, first_few, in_order
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, listed, name_of_metric, number, share, span, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section
from metaeval.page.tables import Table, Write, bounded, left, right, with_errors
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.resampling.judge_verdicts import deciding_metric

_MANY = 4
_PAIR = 2
_MOST_CONFLICTS = 30
_CORRELATIONS = {
    "tau": "Kendall's τ",
    "rho": "Spearman's ρ",  # noqa: RUF001 - a Greek letter is meant
    "pearson": "Pearson's r of means",
    "tau_ap": "τ_AP, ties at random",
    "tau_ap_b": "τ_AP b, symmetric",
}
"""As their table calls them."""
say = prose(__name__)


def conclusion_sections(study: JudgeStudy) -> tuple[Section, ...]:
    """Return the section on conclusions, with a reference or of any two judges; none without runs."""
    if not study.effects.empty:
        return (_effects_section(study),)
    if not study.conclusions:
        return ()
    drawn = deciding_metric(study.conclusions)  # beside the verdicts
    blocks = blocks_by_metric(
        study.conclusions, lambda metric, found: _metric_blocks(metric, found, drawn=metric == drawn)
    )
    return (say.section("conclusions", *blocks, reference=study.reference),)


def blocks_by_metric[T](found: Mapping[str, T], build: Callable[[str, T], list[Block]]) -> tuple[Block, ...]:
    """Return the blocks of the one metric, or a choice between those of several."""
    parts = tuple(tuple(build(metric, of_metric)) for metric, of_metric in found.items())
    return parts[0] if len(parts) == 1 else (Choice(names=tuple(map(name_of_metric, found)), parts=parts),)


def f1_picture(metric: str, found: JudgeConclusions) -> Picture:
    """Draw F1 of the significant pairs under every judge and a second person."""
    named = _with_second_person(_sorted(found))
    dots = named[["judge", "f1", "f1_low", "f1_high"]].set_axis(["name", "value", "low", "high"], axis=1)
    return say.picture(
        "picture",
        lambda: figures.agreement_dots(dots, label=f"F1 of significant pairs under {name_of_metric(metric)}"),
        called=f"judge-f1-{metric.lower()}",
        alt=f"{count(len(dots), 'dot')} with intervals, sorted by F1.",
        metric=metric,
        found=found,
    )


def _sorted(found: JudgeConclusions) -> pd.DataFrame:
    return found.table.sort_values(["kind", "f1"], ascending=[False, False], kind="stable")


def _metric_blocks(metric: str, found: JudgeConclusions, *, drawn: bool) -> list[Block]:
    table, slug = _sorted(found), metric.lower()
    named = _with_second_person(table)
    tested = bool(named["n_conflicts"].notna().any())  # on a single topic nothing is
    measures: dict[str, tuple[str, Write]] = {
        "tau": ("τ", number(2)),
        "tau_ap": ("τ_AP", number(2)),
        "tau_top": (f"τ, top {found.top}", number(2)),
    }
    pairs: dict[str, tuple[str, Write]] = {
        "power": ("Significant", share),
        "precision": ("Precision", share),
        "recall": ("Recall", share),
        "f1": ("F1", number(2)),
    }
    alone = tested and len(found.of_reference) == 1
    power = ""
    if alone:
        value, low, high = map(float, found.of_reference.to_numpy()[0, :3])
        significant = bracketed(value, low, high, share, draws=found.n_resamples)
        power = f"Under {found.reference} {significant} of them differ significantly."
    elif tested:
        pairs = {"reference_power": (f"Under {found.reference}", share), **pairs}
    frame, columns = bounded(named, measures | pairs if tested else measures, draws=found.n_resamples)
    main = say.table(
        "table",
        frame,
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        columns,
        right(number(0), n_conflicts="Opposite") if tested else (),
        called=f"judge-conclusions-{slug}",
        data=table,
        metric=metric,
        found=found,
        power=power,
        apart=_judges_of_other_topics(found),
    )
    picture = [] if drawn or not tested else [f1_picture(metric, found)]
    blocks: list[Block] = [
        *picture,
        main,
        *([_errors_fold(found, slug)] if tested else []),
        _correlations_fold(found, slug),
    ]
    more = (
        (found.same_number, _same_number_table),
        (found.beside_people, _people_fold),
        (found.choices, _second_people_fold),
        (found.conflicts, _conflicts),
    )
    return [*blocks, *(build(found, slug) for rows, build in more if len(rows))]


def _judges_of_other_topics(found: JudgeConclusions) -> str:
    """Return the judges with topics that the reference has not, each with how many it has in common with it."""
    judges = found.table[found.table["kind"] == "judge"]
    return first_few(
        [
            f"{row['judge']} {row['n_common'] or 'none'} of {row['n_topics']:,}"
            for row in judges[judges["n_common"] < judges["n_topics"]].to_dict("records")
        ]
    )


def _with_second_person(table: pd.DataFrame) -> pd.DataFrame:
    """Call people a second person, and say beside which judges where that differs."""
    beside = {number: f" beside {names}" for number, names in _judges_by_topic_set(table).items()}
    people = table["reference_set"].map(lambda one: f"a second person{beside.get(one, '')}")
    return table.assign(judge=table["judge"].mask(table["kind"] == "people", people))


def _judges_by_topic_set(table: pd.DataFrame) -> dict[int, str]:
    """Return the judges that are compared on each set of the reference's topics, where there are several."""
    judges = table[table["kind"] == "judge"].groupby("reference_set", sort=False)["judge"].unique().map(list)
    return {int(str(number)): first_few(names) for number, names in judges.items()} if len(judges) > 1 else {}


def _errors_fold(found: JudgeConclusions, slug: str) -> Fold:
    """Return what else is said of significant pairs, where those that are not count too."""
    measures = {
        "balanced_accuracy": ("Balanced accuracy", share),
        "mcc": ("MCC", number(2)),
        "type_2": ("Missed", share),
    }
    frame, columns = bounded(_with_second_person(_sorted(found)), measures, draws=found.n_resamples)
    called = f"judge-errors-{slug}"
    table = say.table(
        "errors of pairs", frame, left(judge="Judge"), columns, called=called, data=found.table, found=found
    )
    return Fold(title="Balanced accuracy, MCC and missed pairs", blocks=(table,))


def _correlations_fold(found: JudgeConclusions, slug: str) -> Fold:
    """Return every correlation of the rankings, over all systems and among the best."""
    parts = []
    for name, words in _CORRELATIONS.items():
        rows = found.table[["judge", "kind", "reference_set"]].assign(correlation=words)
        for side, measure in (("whole", name), ("top", f"{name}_top")):
            for end in ("", "_low", "_high"):
                rows[f"{side}{end}"] = found.table.get(f"{measure}{end}")
        parts.append(rows)
    frame = pd.concat(parts, ignore_index=True)
    frame = frame.iloc[np.arange(len(frame)).reshape(len(_CORRELATIONS), -1).T.ravel()].reset_index(drop=True)
    table_frame, columns = bounded(
        _with_second_person(frame),
        {"whole": ("All systems", number(3)), "top": (f"Top {found.top}", number(3))},
        draws=found.n_resamples,
    )
    table = say.table(
        "correlations",
        table_frame,
        left(judge="Judge", correlation="Correlation"),
        columns,
        called=f"judge-correlations-{slug}",
        data=frame,
        found=found,
    )
    return Fold(title="Every correlation of the rankings", blocks=(table,))


def _same_number_table(found: JudgeConclusions, slug: str) -> Table:
    shares = dict.fromkeys(("power", "precision", "recall", "only_with_more"), share)
    frame = with_errors(found.same_number, shares | {"f1": number(2)})
    return say.table(
        "same number",
        frame,
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        right(text, power="Significant", precision="Precision", recall="Recall", f1="F1"),
        right(text, only_with_more="Only with more"),
        called=f"judge-same-number-{slug}",
        data=found.same_number,
        found=found,
    )


def _people_fold(found: JudgeConclusions, slug: str) -> Fold:
    names = {"tau": "τ", "tau_ap": "τ_AP", "tau_top": f"τ, top {found.top}", "power": "Significant"}
    names |= {"precision": "Precision", "recall": "Recall", "f1": "F1"}
    frame = found.beside_people[found.beside_people["measure"].isin(names)]
    frame = frame.assign(measure=frame["measure"].map(names))
    table_frame, columns = bounded(
        frame.rename(columns={"low": "difference_low", "high": "difference_high"}),
        {"difference": ("Judge minus a second person", number(3))},
        draws=found.n_resamples,
    )
    table = say.table(
        "beside",
        table_frame,
        left(judge="Judge", measure="Measure"),
        columns,
        called=f"judge-beside-people-{slug}",
        data=found.beside_people,
        found=found,
    )
    return Fold(title="Each judge minus a second person", blocks=(table,))


def _second_people_fold(found: JudgeConclusions, slug: str) -> Fold:
    beside = _judges_by_topic_set(found.table)
    table = say.table(
        "choices",
        found.choices.assign(beside=found.choices["reference_set"].map(beside)),
        left(choice="Choice", **{"beside": "Beside"} if beside else {}),
        right(share, weight="Chance"),
        right(number(2), tau="τ", tau_ap="τ_AP", f1="F1"),
        right(share, power="Significant"),
        right(number(0), n_conflicts="Opposite"),
        called=f"judge-choices-{slug}",
    )
    return Fold(title=f"The {len(set(found.choices['choice']))} choices of persons", blocks=(table,))


def _conflicts(found: JudgeConclusions, slug: str) -> Block:
    table = say.table(
        "conflicts",
        found.conflicts.head(_MOST_CONFLICTS),
        left(judge="Judge", better=f"Better under {found.reference}", worse="Worse"),
        called=f"judge-conflicts-{slug}",
        data=found.conflicts,
        found=found,
    )
    return Fold(title=f"{count(len(found.conflicts), 'pair')} in opposite directions", blocks=(table,))


def effect_figures(effects: pd.DataFrame) -> list[KeyFigure]:
    """Return how alike any two judges rank systems, and find the same significant pairs."""
    if effects.empty:
        return []
    alone = len(effects[["first", "second"]].drop_duplicates()) == 1
    numbers: list[dict[str, object]] = [
        in_order(dict(zip(effects["metric"], effects[name], strict=True)))
        if alone
        else {"median": effects[name].median()}
        for name in ("tau", "f1")
    ]
    tau, f1 = (
        _by_metric(effects, name) if alone else number(2)(values["median"])
        for name, values in zip(("tau", "f1"), numbers, strict=True)
    )
    silent = effects.loc[(effects["n_truth"] == 0) & (effects["n_predictor"] == 0), "metric"].unique().tolist()
    without = f" (undefined without any: {listed(silent)})" if silent else ""
    conflicts, median = effects["n_conflicts"].sum(), "" if alone else ", median"
    return [
        KeyFigure(f"Kendall's τ of rankings{median}", tau, numbers[0]),
        KeyFigure(f"F1 of significant pairs{median}{without}", f1, numbers[1]),
        KeyFigure("Pairs significant in opposite directions", whole(conflicts), {"count": conflicts}),
    ]


def _by_metric(effects: pd.DataFrame, name: str) -> str:
    """Return a statistic of every metric; one that all share is said once, and of many the lowest and the highest."""
    values = effects[name].map(number(2)).tolist()
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} under {'both' if len(values) == _PAIR else 'each'}"
    if len(values) > _MANY:
        return span(effects["metric"], effects[name], values)
    return listed(f"{value} ({metric})" for value, metric in zip(values, effects["metric"], strict=True))


def _effects_section(study: JudgeStudy) -> Section:
    effects, columns = study.effects, [*left(metric="Metric")]
    first, second = effects[["first", "second"]].iloc[0]
    if len(effects[["first", "second"]].drop_duplicates()) > 1:
        columns += left(first="First", second="Second")
        first, second = "first", "second"
    table = say.table(
        "effects table",
        effects,
        columns,
        right(number(3), "Rankings", tau="τ", tau_ap="τ_AP"),
        right(
            whole,
            f"Significant of {listed(map(whole, effects['n_pairs'].unique()))} pairs",
            n_truth=first,
            n_predictor=second,
            n_shared="both",
            n_conflicts="opposite",
        ),
        right(share, precision="Precision", recall="Recall", balanced_accuracy="Balanced accuracy", type_2="Missed"),
        right(number(3), f1="F1", mcc="MCC"),
        called="judge-effects",
        data=effects,
        study=study,
    )
    return say.section(
        "effects", table, id="effect", parts=study.labelling is not None and study.labelling.scale is not None
    )
