"""What the page on judges says of conclusions: beside people, at the same number of topics, of any two judges."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from metaeval import figures
from metaeval.base.names import count, first_few, in_order
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, listed, name_of_metric, number, share, span, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section
from metaeval.page.tables import Table, ends_named, left, ranged, right, with_errors
from metaeval.questions.judges.study import JudgeStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.resampling.judge_verdicts import deciding_metric

_MANY = 4
_PAIR = 2
_MOST_CONFLICTS = 30
_DECIMAL = number(2)
_CORRELATIONS = {
    "tau": "Kendall's τ",
    "rho": "Spearman's ρ",  # noqa: RUF001 - a Greek letter is meant
    "pearson": "Pearson's r of means",
    "tau_ap": "τ_AP, ties at random",
    "tau_ap_b": "τ_AP b, symmetric",
}
"""As their table calls them."""
_OF_PAIRS = {"power": "Significant", "precision": "Precision", "recall": "Recall"}
"""What is said of significant pairs, beside F1."""
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
    """Return the blocks of the one metric, or a choice between those of several; files are named after it."""
    parts = tuple(tuple(_named_by(metric, block) for block in build(metric, found[metric])) for metric in found)
    return parts[0] if len(parts) == 1 else (Choice(names=tuple(map(name_of_metric, found)), parts=parts),)


def _named_by(metric: str, block: Block) -> Block:
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(_named_by(metric, inside) for inside in block.blocks))
    return replace(block, name=f"{block.name}-{metric.lower()}") if isinstance(block, Table | Picture) else block


def f1_picture(metric: str, found: JudgeConclusions) -> Picture:
    """Draw F1 of the significant pairs under every judge and a second person."""
    dots = _judges(found)[["judge", "f1", "f1_low", "f1_high"]].set_axis(["name", "value", "low", "high"], axis=1)
    return say.picture(
        "judge-f1",
        lambda: figures.agreement_dots(dots, label=f"F1 of significant pairs under {name_of_metric(metric)}"),
        alt=f"{count(len(dots), 'dot')} with intervals, sorted by F1.",
        metric=metric,
        found=found,
    )


def _sorted(found: JudgeConclusions) -> pd.DataFrame:
    return found.table.sort_values(["kind", "f1"], ascending=[False, False], kind="stable")


def _judges(found: JudgeConclusions) -> pd.DataFrame:
    """Return a row a judge and second person, the best first."""
    return _with_second_person(_sorted(found))


def _metric_blocks(metric: str, found: JudgeConclusions, *, drawn: bool) -> list[Block]:
    frame, draws = _judges(found), found.n_resamples
    tested = bool(frame["n_conflicts"].notna().any())  # on a single topic nothing is
    alone, power = tested and len(found.of_reference) == 1, ""
    if alone:
        value, low, high = map(float, found.of_reference.to_numpy()[0, :3])
        significant = bracketed(value, low, high, share, draws=draws)
        power = f"Under {found.reference} {significant} of them differ significantly."
    pairs = (
        () if alone else ranged(share, draws, reference_power=f"Under {found.reference}"),
        ranged(share, draws, **_OF_PAIRS),
        ranged(_DECIMAL, draws, f1="F1"),
        right(number(0), n_conflicts="Opposite"),
    )
    main = say.table(
        "judge-conclusions",
        frame,
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        ranged(_DECIMAL, draws, tau="τ", tau_ap="τ_AP", tau_top=f"τ, top {found.top}"),
        *(pairs if tested else ()),
        data=_sorted(found),
        metric=metric,
        found=found,
        power=power,
        apart=_judges_of_other_topics(found),
    )
    more = (
        (found.same_number, _same_number_table),
        (found.beside_people, _people_fold),
        (found.choices, _second_people_fold),
        (found.conflicts, _conflicts_fold),
    )
    return [
        *([f1_picture(metric, found)] if tested and not drawn else []),
        main,
        *([_errors_fold(found)] if tested else []),
        _correlations_fold(found),
        *(build(found) for rows, build in more if len(rows)),
    ]


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


def _errors_fold(found: JudgeConclusions) -> Fold:
    """Return what else is said of significant pairs, where those that are not count too."""
    table = say.table(
        "judge-errors",
        _judges(found),
        left(judge="Judge"),
        ranged(share, found.n_resamples, balanced_accuracy="Balanced accuracy"),
        ranged(_DECIMAL, found.n_resamples, mcc="MCC"),
        ranged(share, found.n_resamples, type_2="Missed"),
        data=found.table,
        found=found,
    )
    return Fold(title="Balanced accuracy, MCC and missed pairs", blocks=(table,))


def _correlations_fold(found: JudgeConclusions) -> Fold:
    """Return every correlation of the rankings, over all systems and among the best."""
    parts = []
    for name, words in _CORRELATIONS.items():
        rows = found.table[["judge", "kind", "reference_set"]].assign(correlation=words)
        for side, measure in (("whole", name), ("top", f"{name}_top")):
            for end in ("", "_low", "_high"):
                rows[f"{side}{end}"] = found.table.get(f"{measure}{end}")
        parts.append(rows)
    frame = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    table = say.table(
        "judge-correlations",
        _with_second_person(frame),
        left(judge="Judge", correlation="Correlation"),
        ranged(number(3), found.n_resamples, whole="All systems", top=f"Top {found.top}"),
        data=frame,
        found=found,
    )
    return Fold(title="Every correlation of the rankings", blocks=(table,))


def _same_number_table(found: JudgeConclusions) -> Table:
    shares = dict.fromkeys((*_OF_PAIRS, "only_with_more"), share)
    return say.table(
        "judge-same-number",
        with_errors(found.same_number, shares | {"f1": _DECIMAL}),
        left(judge="Judge"),
        right(whole, n_topics=unit().Topics),
        right(text, **_OF_PAIRS, f1="F1", only_with_more="Only with more"),
        data=found.same_number,
        found=found,
    )


def _people_fold(found: JudgeConclusions) -> Fold:
    names = {"tau": "τ", "tau_ap": "τ_AP", "tau_top": f"τ, top {found.top}", **_OF_PAIRS, "f1": "F1"}
    frame = found.beside_people[found.beside_people["measure"].isin(names)]
    table = say.table(
        "judge-beside-people",
        frame.assign(measure=frame["measure"].map(names)).rename(columns=ends_named("difference")),
        left(judge="Judge", measure="Measure"),
        ranged(number(3), found.n_resamples, difference="Judge minus a second person"),
        data=found.beside_people,
        found=found,
    )
    return Fold(title="Each judge minus a second person", blocks=(table,))


def _second_people_fold(found: JudgeConclusions) -> Fold:
    beside = _judges_by_topic_set(found.table)
    table = say.table(
        "judge-choices",
        found.choices.assign(beside=found.choices["reference_set"].map(beside)),
        left(choice="Choice", **{"beside": "Beside"} if beside else {}),
        right(share, weight="Chance"),
        right(_DECIMAL, tau="τ", tau_ap="τ_AP", f1="F1"),
        right(share, power="Significant"),
        right(number(0), n_conflicts="Opposite"),
    )
    return Fold(title=f"The {len(set(found.choices['choice']))} choices of persons", blocks=(table,))


def _conflicts_fold(found: JudgeConclusions) -> Fold:
    table = say.table(
        "judge-conflicts",
        found.conflicts.head(_MOST_CONFLICTS),
        left(judge="Judge", better=f"Better under {found.reference}", worse="Worse"),
        data=found.conflicts,
        found=found,
    )
    return Fold(title=f"{count(len(found.conflicts), 'pair')} in opposite directions", blocks=(table,))


def effect_figures(effects: pd.DataFrame) -> list[KeyFigure]:
    """Return how alike any two judges rank systems, and find the same significant pairs."""
    if effects.empty:
        return []
    alone = len(effects[["first", "second"]].drop_duplicates()) == 1
    told = {name: _over_metrics(effects, name) if alone else _median(effects[name]) for name in ("tau", "f1")}
    silent = effects.loc[(effects["n_truth"] == 0) & (effects["n_predictor"] == 0), "metric"].unique().tolist()
    without = f" (undefined without any: {listed(silent)})" if silent else ""
    conflicts, median = effects["n_conflicts"].sum(), "" if alone else ", median"
    return [
        KeyFigure(f"Kendall's τ of rankings{median}", *told["tau"]),
        KeyFigure(f"F1 of significant pairs{median}{without}", *told["f1"]),
        KeyFigure("Pairs significant in opposite directions", whole(conflicts), {"count": conflicts}),
    ]


def _median(values: pd.Series) -> tuple[str, dict[str, object]]:
    return _DECIMAL(values.median()), {"median": values.median()}


def _over_metrics(effects: pd.DataFrame, name: str) -> tuple[str, dict[str, object]]:
    """Return a statistic of every metric, as written and as numbers.

    One that all share is said once, and of many the lowest and the highest.
    """
    values = effects[name].map(_DECIMAL).tolist()
    written = listed(f"{value} ({metric})" for value, metric in zip(values, effects["metric"], strict=True))
    if len(values) > 1 and len(set(values)) == 1:
        written = f"{values[0]} under {'both' if len(values) == _PAIR else 'each'}"
    elif len(values) > _MANY:
        written = span(effects["metric"], effects[name], values)
    return written, in_order(dict(zip(effects["metric"], effects[name], strict=True)))


def _effects_section(study: JudgeStudy) -> Section:
    effects, columns = study.effects, [*left(metric="Metric")]
    first, second = effects[["first", "second"]].iloc[0]
    if len(effects[["first", "second"]].drop_duplicates()) > 1:
        columns += left(first="First", second="Second")
        first, second = "first", "second"
    table = say.table(
        "judge-effects",
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
        data=effects,
        study=study,
    )
    return say.section(
        "effects", table, id="effect", parts=study.labelling is not None and study.labelling.scale is not None
    )
