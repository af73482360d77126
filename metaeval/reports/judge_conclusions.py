"""What the page on judges says of conclusions: beside people, at the same number of topics, of any two judges."""

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import bracketed, ends, listed, name_of_metric, number, percentage, share, span, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section
from metaeval.page.tables import Table, Write, bounded, left, right, with_errors
from metaeval.reports.shared import decided_by
from metaeval.resampling.judge_conclusions import JudgeConclusions
from metaeval.studies.judges import JudgeStudy

_MANY = 4
_MOST_CONFLICTS = 30
_CORRELATIONS = {
    "tau": "Kendall's τ",
    "rho": "Spearman's ρ",  # noqa: RUF001 - a Greek letter is meant
    "pearson": "Pearson's r of means",
    "tau_ap": "τ_AP, ties at random",
    "tau_ap_b": "τ_AP b, symmetric",
}
"""As their table calls them."""


def conclusion_sections(study: JudgeStudy) -> tuple[Section, ...]:
    """Return the section on conclusions, with a reference or of any two judges; none without runs."""
    if not study.effects.empty:
        return (_effects_section(study),)
    if not study.conclusions:
        return ()
    parts = tuple(tuple(_of_metric(metric, found)) for metric, found in study.conclusions.items())
    names = tuple(map(name_of_metric, study.conclusions))
    blocks = parts[0] if len(parts) == 1 else (Choice(names=names, parts=parts),)
    return (
        Section(
            id="conclusions",
            title="What would have been concluded about systems",
            lead="The systems are scored under each judge in turn. The significant pairs under "
            f"{study.reference}'s labels, and their order, are the truth here; labels may differ much and conclusions "
            "little, or the other way round.",
            brief=True,
            blocks=blocks,
        ),
    )


def _of_metric(metric: str, found: JudgeConclusions) -> list[Block]:
    table = found.table.sort_values(["kind", "f1"], ascending=[False, False], kind="stable")
    named = table.assign(judge=table["judge"].mask(table["kind"] == "people", "a second person"))
    slug = metric.lower()
    level = percentage(found.confidence_level)
    dots = named[["judge", "f1", "f1_low", "f1_high"]].set_axis(["name", "value", "low", "high"], axis=1)
    power = bracketed(*found.reference_power, share, draws=found.n_resamples)
    people = " The row of a second person is the mean over the choices of persons, its interval over both." * bool(
        len(found.choices)
    )
    picture = Picture(
        name=f"judge-f1-{slug}",
        draw=lambda: figures.agreement_dots(dots, label=f"F1 of significant pairs under {name_of_metric(metric)}"),
        title=f"Do the same pairs differ significantly under the judges? {name_of_metric(metric)}",
        caption=f"F1 of the pairs significant under each judge as a prediction of those under {found.reference}; bars "
        f"are {level} intervals over topics.{people}",
        alt=f"{count(len(dots), 'dot')} with intervals, sorted by F1.",
    )
    tested = bool(dots["value"].notna().any())  # on a single topic nothing is
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
    shown, columns = bounded(named, measures | pairs if tested else measures, draws=found.n_resamples)
    apart = (
        f"{found.reference} tells {power} of the {found.n_pairs:,} pairs apart "
        f"({decided_by(found.test, found.correction, found.alpha)}). Opposite: pairs significant in opposite "
        "directions. "
    )
    main = Table(
        name=f"judge-conclusions-{slug}",
        title=f"{'Rankings and significant pairs' if tested else 'Rankings'}, {name_of_metric(metric)}",
        caption=f"{apart if tested else ''}Under each figure its {level} interval over topics.{people}",
        frame=shown,
        columns=(
            *left(judge="Judge"),
            *right(whole, n_topics="Topics"),
            *columns,
            *(right(number(0), n_conflicts="Opposite") if tested else ()),
        ),
        data=table,
    )
    blocks: list[Block] = [*([picture] if tested else []), main, _correlations(found, slug)]
    if len(found.same_number):
        blocks += [_same_number(found, slug)]
    if len(found.beside_people):
        blocks += [_beside_people(found, slug)]
    if len(found.choices):
        blocks += [_choices(found, slug)]
    if len(found.conflicts):
        blocks += [_conflicts(found, slug)]
    return blocks


def _correlations(found: JudgeConclusions, slug: str) -> Fold:
    """Return every correlation of the rankings, over all systems and among the best."""
    parts = []
    for name, words in _CORRELATIONS.items():
        part = found.table[["judge", "kind"]].assign(correlation=words)
        for side, measure in (("whole", name), ("top", f"{name}_top")):
            for end in ("", "_low", "_high"):
                part[f"{side}{end}"] = found.table.get(f"{measure}{end}")
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True)
    order = {judge: place for place, judge in enumerate(found.table["judge"])}
    frame = frame.sort_values("judge", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    shown, columns = bounded(
        frame.assign(judge=frame["judge"].mask(frame["kind"] == "people", "a second person")),
        {"whole": ("All systems", number(3)), "top": (f"Top {found.top}", number(3))},
        draws=found.n_resamples,
    )
    table = Table(
        name=f"judge-correlations-{slug}",
        title=f"Correlations of the systems' means with those under {found.reference}",
        caption="What trackers print. They count places and distances of systems, whether or not the systems "
        f"differ significantly. Top: the {found.top} best under {found.reference}. Under each figure its "
        f"{percentage(found.confidence_level)} interval over topics.",
        frame=shown,
        columns=(*left(judge="Judge", correlation="Correlation"), *columns),
        data=frame,
    )
    return Fold(title="Every correlation of the rankings", blocks=(table,))


def ranking_sentence(metric: str, found: JudgeConclusions) -> str:
    """Say how alike judges rank systems, where no pair could be tested."""
    decimal = number(2)
    said = listed(f"{decimal(row['tau'])} under {row['judge']}" for row in found.table.to_dict("records"))
    return (
        f"{name_of_metric(metric)}: Kendall's τ with the ranking under {found.reference} is {said}. On a single topic "
        "no pair of systems can differ significantly."
    )


def _same_number(found: JudgeConclusions, slug: str) -> Table:
    shares = dict.fromkeys(("power", "precision", "recall", "only_with_more"), share)
    shown = with_errors(found.same_number, shares | {"f1": number(2)})
    return Table(
        name=f"judge-same-number-{slug}",
        title=f"At the same number of topics: {found.n_topics}",
        caption="Means over random choices of the judge's topics. Only with more: of the pairs that the judge finds and"
        " "
        f"{found.reference} does not, the share that so few topics do not show. Such pairs are what more topics "
        "bring, not errors of the judge.",
        frame=shown,
        data=found.same_number,
        columns=(
            *left(judge="Judge"),
            *right(whole, n_topics="Topics"),
            *right(text, power="Significant", precision="Precision", recall="Recall", f1="F1"),
            *right(text, only_with_more="Only with more"),
        ),
    )


def _beside_people(found: JudgeConclusions, slug: str) -> Fold:
    names = {"tau": "τ", "tau_ap": "τ_AP", "tau_top": f"τ, top {found.top}", "power": "Significant"}
    names |= {"precision": "Precision", "recall": "Recall", "f1": "F1"}
    frame = found.beside_people[found.beside_people["measure"].isin(names)]
    frame = frame.assign(measure=frame["measure"].map(names))
    shown, columns = bounded(
        frame.rename(columns={"low": "difference_low", "high": "difference_high"}),
        {"difference": ("Judge less a second person", number(3))},
        draws=found.n_resamples,
    )
    table = Table(
        name=f"judge-beside-people-{slug}",
        title="Each judge beside a second person",
        caption=f"{percentage(found.confidence_level)} intervals over the same topics and persons drawn.",
        frame=shown,
        columns=(*left(judge="Judge", measure="Measure"), *columns),
        data=found.beside_people,
    )
    return Fold(title="Each judge less a second person", blocks=(table,))


def _choices(found: JudgeConclusions, slug: str) -> Fold:
    table = Table(
        name=f"judge-choices-{slug}",
        title="Every choice of persons",
        caption="Each is a complete second opinion: the people stand in an order, and the first who labelled an item "
        "speaks.",
        frame=found.choices,
        columns=(
            *left(choice="Choice"),
            *right(share, weight="Chance"),
            *right(number(2), tau="τ", tau_ap="τ_AP", f1="F1"),
            *right(share, power="Significant"),
            *right(number(0), n_conflicts="Opposite"),
        ),
    )
    return Fold(title=f"The {len(found.choices)} choices of persons", blocks=(table,))


def _conflicts(found: JudgeConclusions, slug: str) -> Block:
    table = Table(
        name=f"judge-conflicts-{slug}",
        title="Pairs significant in opposite directions",
        caption=f"Better and worse under {found.reference}; the judge says the contrary.",
        frame=found.conflicts.head(_MOST_CONFLICTS),
        columns=left(judge="Judge", better=f"Better under {found.reference}", worse="Worse"),
        data=found.conflicts,
    )
    return Fold(title=f"{count(len(found.conflicts), 'pair')} in opposite directions", blocks=(table,))


def effect_sentence(effects: pd.DataFrame) -> str:
    """Say what any two judges conclude."""
    decimal, conflicts = number(2), int(effects["n_conflicts"].sum())
    verb = "is" if conflicts == 1 else "are"
    against = "No pair of runs is" if not conflicts else f"{count(conflicts, 'pair')} of runs {verb}"
    if len(effects[["first", "second"]].drop_duplicates()) == 1:
        said = (
            "Kendall's τ between the rankings under the two judges is "
            f"{_by_metric(effects, 'tau')}, and F1 over significant pairs of runs {_by_metric(effects, 'f1')}"
        )
    else:
        names = ["{} and {}, {}".format(*row) for row in effects[["first", "second", "metric"]].to_numpy()]
        low = ends(names, effects["tau"], map(decimal, effects["tau"]))[0]
        where = f" ({low.who})" * bool(effects["tau"].notna().any())
        tau, f1 = (f"median {decimal(effects[name].median())}, lowest" for name in ("tau", "f1"))
        said = (
            f"Kendall's τ between rankings under two judges has {tau} {low.figure}{where}, and "
            f"F1 over significant pairs of runs {f1} {decimal(effects['f1'].min())}"
        )
    silent = effects.loc[(effects["n_truth"] == 0) & (effects["n_predictor"] == 0), "metric"].unique()
    nothing = (
        f" Where nobody finds a significant pair ({listed(silent)}), F1 is 1 and says little." if len(silent) else ""
    )
    return f"What this means for the runs: {said}. {against} significant in opposite directions.{nothing}"


def _by_metric(effects: pd.DataFrame, name: str) -> str:
    """Return a statistic of every metric; one that all share is said once, and of many the lowest and the highest."""
    values = effects[name].map(number(2)).tolist()
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} under {'both' if len(values) == 2 else 'each'}"  # noqa: PLR2004 - two metrics
    if len(values) > _MANY:
        return span(effects["metric"], effects[name], values)
    return listed(f"{value} ({metric})" for value, metric in zip(values, effects["metric"], strict=True))


def _effects_section(study: JudgeStudy) -> Section:
    parts = study.labelling is not None and study.labelling.scale is not None
    item, unjudged = ("document", "judge counts as not relevant") if parts else ("item", "label counts as unjudged")
    effects, columns, sides = study.effects, [*left(metric="Metric")], ["first", "second"]
    if len(effects[["first", "second"]].drop_duplicates()) == 1:
        sides = [str(effects[side].iloc[0]) for side in sides]
    else:
        columns += left(first="First", second="Second")
    n_pairs = listed(f"{n:,}" for n in effects["n_pairs"].unique())
    table = Table(
        name="judge-effects",
        title="What another judge would have changed",
        caption="Rankings of the runs by mean score, and the pairs of runs that are significantly different under "
        f"{'the second judge' if len(columns) > 1 else sides[1]} as a prediction of those under "
        f"{'the first' if len(columns) > 1 else sides[0]} "
        f"({decided_by(study.test, study.correction, study.alpha)}).",
        frame=effects,
        columns=(
            *columns,
            *right(number(3), "Rankings", tau="τ", tau_ap="τ_AP"),
            *right(
                whole,
                f"Significant of {n_pairs} pairs",
                n_truth=sides[0],
                n_predictor=sides[1],
                n_shared="both",
                n_conflicts="opposite",
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(number(3), f1="F1"),
        ),
        data=effects,
    )
    return Section(
        id="effect",
        title="Effect on the evaluation of runs",
        lead=f"Judges may disagree about many {item}s and still rank runs alike. The runs are scored under each judge "
        f"in turn; what a judge did not {unjudged}.",
        brief=True,
        blocks=(table,),
    )
