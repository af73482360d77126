# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of who labels best: by which figure, beside whom, and why figures differ.

Everything follows rules. The best judge has the highest leading kappa; the others are behind it, or cannot be told from
it, by `metaeval.agreement.rank_judges`. Where two figures order judges differently, the judge that shows the reason
most is named: of those that lose places from kappa to alpha the one whose mean label differs most from the reference's;
of those that lose places from weighted to plain kappa the one whose differing labels are most often one grade off;
between kappa and the alt-test the one that changes most places.
"""

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.judge_ranking import JudgeRanking
from metaeval.base.names import count, first_few
from metaeval.base.words import (
    MISSING,
    NAMED,
    End,
    absent,
    bracketed,
    ends,
    listed,
    number,
    percentage,
    share,
    span,
    whole,
)
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.tables import Column, Table, bounded, left, right, under
from metaeval.studies.judge_parts import Labelling

_KAPPAS = {"kappa": "Cohen's κ", "quadratic_kappa": "κ with quadratic weights"}
_NAMED = 3
_PAIR = 2
_NEARLY_ALL = 0.95
_DECIMAL = number(2)


def ranking_words(study: Labelling, *, alone: bool = True) -> list[str]:
    """Say which judge labels best, and why figures differ; nothing without a reference.

    Alone, without a verdict before it, the first sentence says what the alt-test decides, too.
    """
    if study.ranking is None:
        return []
    return [_best_words(study, study.ranking, alone=alone), _why_words(study, study.ranking)]


# ----------------------------------------------------------------------------------------------------- who labels best


def _best_words(study: Labelling, found: JudgeRanking, *, alone: bool) -> str:
    table, measure = found.table, _KAPPAS[found.measure]
    level = table[~table["behind"]]  # two that read alike may differ significantly
    kappas = {judge: _with_ends(study, found, judge) for judge in level["judge"]}
    best = ends(kappas, level[found.measure], kappas.values())[1]
    name, kappa = best.names[0], f"{measure} {best.figure}"
    if len(table) == 1:
        baseline = study.baselines.set_index(["judge", "statistic"])["shuffled"][name, found.measure]
        line = (
            f"Between {found.reference} and {name} {measure} is {_with_ends(study, found, name)}; shuffling "
            f"{name}'s labels within topics gives {_DECIMAL(baseline)}"
        )
    elif len(table) == _PAIR:
        line = _two_words(study, found)
    else:
        labels = best.verb("labels", "label")
        line = f"Of {len(table)} judges {best.who} {labels} most as {found.reference} does ({kappa})"
        line += _others_words(found, best)
    fewer = table[table["judge"].isin(best.names) & (table["items"] < table["items"].max())]
    for row in fewer.head(_NAMED).to_dict("records"):
        line += f"; {row['judge']} labelled {whole(row['items'])} of the {whole(table['items'].max())} items"
    if found.undefined:
        line += f"; without an order: {first_few(found.undefined, most=_NAMED)}"
    return f"{line}{_passing_words(study.alt) if alone else ''}."


def _two_words(study: Labelling, found: JudgeRanking) -> str:
    first, second = found.table.iloc[0], found.table.iloc[1]
    names = (first["judge"], second["judge"])
    figures = ", ".join(f"{name} {_with_ends(study, found, name)}" for name in names)
    apart = f"{_KAPPAS[found.measure]}: {figures}; the difference is {_behind(second, found)}{_on(found)}"
    if second["behind"]:
        return f"{names[0]} labels more as {found.reference} does than {names[1]} ({apart})"
    return f"{names[0]} and {names[1]} do not differ significantly in agreement with {found.reference} ({apart})"


def _others_words(found: JudgeRanking, best: End) -> str:
    """Say of several judges which cannot be told from the best, and how many are behind it."""
    others, it = found.table[~found.table["judge"].isin(best.names)], best.verb("it", "them")
    if others.empty:
        return ", and so all do"
    level, behind = others[~others["behind"]], others[others["behind"]]
    named = first_few(level["judge"].tolist(), most=_NAMED)
    if behind.empty:
        return f"; none of the others can be told from {it}{_on(found)}: next {named}"
    worse = f"{len(behind)} {'is' if len(behind) == 1 else 'are'} behind {it}"
    if level.empty:
        by = [_behind(row, found) for _, row in others.iterrows()]
        near = ends(others["judge"], others["difference"], by)[1]
        return f"; all others are behind {it}{_on(found)}, {near.who} by {near.figure}"
    return f"; {len(level)} others cannot be told from {it}{_on(found)} ({named}), and {worse}"


def _on(found: JudgeRanking) -> str:
    n_topics = int(found.table["topics"].head(_PAIR).min()) if len(found.table) == _PAIR else found.n_topics
    return ", for one topic tells of no other" if n_topics == 1 else f" on {n_topics:,} topics"


def _behind(row: pd.Series, found: JudgeRanking) -> str:
    value, low, high = (-row[f"difference{end}"] for end in ("", "_high", "_low"))
    return bracketed(value, low, high, _DECIMAL, draws=found.n_resamples)


def _with_ends(study: Labelling, found: JudgeRanking, judge: str) -> str:
    """Return the leading kappa of a judge with its interval."""
    row = study.agreement.pairs.set_index("second").loc[judge]
    value, low, high = (row[f"{found.measure}{end}"] for end in ("", "_low", "_high"))
    return bracketed(value, low, high, _DECIMAL, draws=study.agreement.n_resamples)


def _passing_words(alt: AltTest | None) -> str:
    """Say who may stand in for a person, by the alt-test."""
    if alt is None:
        return ""
    passing = alt.judges.loc[alt.judges["passes"], "judge"].tolist()
    if len(alt.judges) == 1:
        row = alt.judges.iloc[0]
        word = "may" if passing else "may not"
        return f"; by the alt-test it {word} stand in for a person as a labeller (ω = {_DECIMAL(row['winning_rate'])})"
    named = f" ({first_few(passing, most=_NAMED)})" if passing else ""
    return f"; by the alt-test {len(passing)} of {len(alt.judges)} may stand in for a person as a labeller{named}"


# -------------------------------------------------------------------------------------------------- why figures differ


def _why_words(study: Labelling, found: JudgeRanking) -> str:
    parts = [_alpha_words(found)]
    if found.measure != "kappa" and len(found.table) > 1:
        parts.append(_weights_words(found))
    parts.append(_alt_words(study.alt, found))
    return " ".join(part for part in parts if part)


def _alpha_words(found: JudgeRanking) -> str:
    """Say whom the pooled distribution costs places: of those that lose some, the one whose labels are furthest off."""
    table, own = found.table, f"{found.measure}_rank"
    freely = "higher or lower grades" if found.measure != "kappa" else "a label more or less freely"
    rule = (
        "κ corrects for chance using each judge's label distribution; α uses the pooled distribution, so a judge "
        f"who gives {freely} than {found.reference} loses in α"
    )
    fallen = table[table["alpha_rank"] > table[own]]
    said = []
    for row in _furthest(table if fallen.empty else fallen, "bias", _DECIMAL):
        side = "higher" if row["bias"] > 0 else "lower"
        who = f"{row['judge']}, whose mean label is {_DECIMAL(abs(row['bias']))} {side}"
        kappa, alpha = f"{_DECIMAL(row[found.measure])}", f"{_DECIMAL(row['alpha'])}"
        lost = row[found.measure] - row["alpha"]
        if lost <= 0 or len({kappa, alpha}) == 1:
            continue
        if len(table) == 1:
            return f"{rule}: {who}, has κ {kappa} and α {alpha}."
        places = f", is at place {row[own]} by κ ({kappa}) and at {row['alpha_rank']} by α ({alpha})"
        said.append(f"{who} (κ {kappa}, α {alpha})" if fallen.empty else f"{who}{places}")
    if not said:
        return ""
    words = listed(said, most=NAMED)
    if fallen.empty:
        return f"{rule}: most {words}; both order all judges alike."
    moved = count(int((table["alpha_rank"] != table[own]).sum()), "judge")
    return f"{rule}: {words}, and {moved} in all change places."


def _furthest(table: pd.DataFrame, name: str, write: Callable[[object], str]) -> list[dict[Hashable, Any]]:
    """Return the rows where a column is furthest from 0."""
    size = table[name].abs()
    furthest = ends(table["judge"], size, map(write, size))[1]
    return table.set_index("judge", drop=False).loc[[*furthest.names]].to_dict("records")


def _weights_words(found: JudgeRanking) -> str:
    """Say what near misses cost whom: of those that lose places, the one with the nearest ones."""
    table = found.table
    missed = ((table["near"] - table["same"]) / (1.0 - table["same"])).where(table["same"] < 1.0)
    table, median = table.assign(missed=missed), missed.median()
    fallen = table[(table["kappa_rank"] > table["quadratic_kappa_rank"]) & (missed > median)]
    rule = "Quadratic weights forgive a label one grade off, plain κ does not"
    if fallen.empty:
        same = (table["kappa_rank"] == table["quadratic_kappa_rank"]).all()
        return "" if same else f"{rule}."
    said = [
        f"{row['judge']}, {share(row['missed'])} of whose differing labels are one grade off (in the median "
        f"of all judges {share(median)}), is at place {row['quadratic_kappa_rank']} with them "
        f"({_DECIMAL(row['quadratic_kappa'])}) and at {row['kappa_rank']} without ({_DECIMAL(row['kappa'])})"
        for row in _furthest(fallen, "missed", share)
    ]
    return f"{rule}: {listed(said, most=NAMED)}."


def _alt_words(alt: AltTest | None, found: JudgeRanking) -> str:
    """Say why the alt-test orders judges differently, or why there is none."""
    if alt is None:
        return f"An alt-test takes two people beside a judge on the same items, and {found.reference} is the one named."
    rule = (
        "The alt-test counts items where the judge is as close to the others as a human; it ignores error size and "
        "chance"
    )
    table = _with_alt(found, alt).dropna(subset=["alt_rank"])
    if len(table) < _PAIR:
        return f"{rule}."
    own = table[found.measure].rank(ascending=False, method="min")
    table = table.assign(own=own, moved=own - table["alt_rank"])
    if not table["moved"].any():
        return f"{rule}; it orders the judges as κ does."
    said = [
        f"{row['judge']} is at place {row['own']:.0f} by κ ({_DECIMAL(row[found.measure])}) and at "
        f"{row['alt_rank']:.0f} by the alt-test (ω = {_DECIMAL(row['winning_rate'])}, at least as near on "
        f"{share(row['advantage_probability'])} of the items); its labels are {found.reference}'s on "
        f"{share(row['same'])}"
        for row in _furthest(table, "moved", whole)
    ]
    first = f"{table['judge'].iloc[0]}'s on {share(table['same'].iloc[0])}"
    return f"{rule}: {'; '.join(said[:_NAMED])}, {first}."


def _with_alt(found: JudgeRanking, alt: AltTest) -> pd.DataFrame:
    """Return the judges with what the alt-test says of them; by it the winning rate comes first, then the advantage."""
    beside = alt.judges.set_index("judge")[["winning_rate", "advantage_probability"]]
    keys = pd.Series(list(map(tuple, beside.to_numpy().tolist())), index=beside.index)
    beside["alt_rank"] = keys.rank(ascending=False, method="min") if len(keys) else keys
    return found.table.join(beside, on="judge")


# ------------------------------------------------------------------------------------------------------------ sections


def ranking_section(study: Labelling) -> tuple[Section, ...]:
    """Put the figures side by side, best judge first; nothing for a single judge."""
    found = study.ranking
    if found is None or len(found.table) < _PAIR:
        return ()
    frame = found.table
    columns = [*left(judge="Judge")]
    if frame["items"].min() < _NEARLY_ALL * frame["items"].max():
        columns += right(whole, items="Items")
    pairs = study.agreement.pairs.set_index("second")
    ends = {
        f"value{end}": pairs[f"{found.measure}{end}"].reindex(frame["judge"]).to_numpy() for end in ("_low", "_high")
    }
    frame = frame.assign(value=frame[found.measure], **ends)
    frame, shown = bounded(
        frame,
        {"value": (_KAPPAS[found.measure], _DECIMAL), "difference": ("Less the best", _DECIMAL)},
        draws=found.n_resamples,
    )
    columns += [*shown]
    others = {"alpha": "α"} | ({"kappa": "κ, plain"} if found.measure != "kappa" else {})
    for name, label in others.items():
        columns += _placed(name, label)
    if study.alt is not None:
        beside = _with_alt(found, study.alt)
        frame = frame.assign(**{name: beside[name] for name in ("winning_rate", "advantage_probability", "alt_rank")})
        columns += [
            *right(_DECIMAL, winning_rate="Alt-test, ω"),
            *under(_place, alt_rank="place"),
            *right(share, advantage_probability="As near"),
        ]
    columns += right(share, same="Same label")
    if found.measure != "kappa":
        columns += right(share, near="Or a grade off")
    columns += right(number(2), bias="Mean label")
    table = Table(
        name="judge-ranking",
        title=f"Judges by agreement with {found.reference}",
        caption=_caption(found),
        frame=frame,
        columns=tuple(columns),
        data=found.table,
    )
    return (
        Section(
            id="ranking",
            title=f"Which judge labels most as {found.reference} does?",
            lead="Judges are compared on the same topics, so two whose intervals overlap may still differ; and figures "
            "that take out chance or weigh grades in other ways may order them otherwise.",
            brief=True,
            blocks=(table,),
        ),
    )


def _placed(name: str, label: str) -> tuple[Column, ...]:
    return (*right(_DECIMAL, **{name: label}), *under(_place, **{f"{name}_rank": "place"}))


def _place(value: object) -> str:
    return MISSING if absent(value) else f"place {whole(value)}"


def _caption(found: JudgeRanking) -> str:
    level = percentage(found.confidence_level)
    alpha = "as amounts" if found.measure != "kappa" else "as names"
    return (
        f"Less the best: the difference from {found.table['judge'][0]} on the same topics. A judge is behind where "
        f"all of the interval is below 0; the intervals allow for the number of judges, so that with {level} "
        f"probability the truly best one is not. α is that of the judge and {found.reference} alone, labels "
        f"taken {alpha}. Mean label: the judge's less that of {found.reference} on the same items."
    )


def alt_words(alt: AltTest) -> str:
    """Say who may stand in for a person, where the alt-test is all there is."""
    order = alt.judges.sort_values(["winning_rate", "advantage_probability", "judge"], ascending=[False, False, True])
    passing = order.loc[order["passes"], "judge"].tolist()
    first = order.iloc[0]
    rule = f"its losses less its wins are significantly below ε = {alt.epsilon:g} of the items"
    if len(order) == 1:
        word = "may" if passing else "may not"
        return (
            f"{first['judge']} {word} stand in for a person as a labeller: against {share(first['winning_rate'])} of "
            f"the people {rule} (ω = {_DECIMAL(first['winning_rate'])}; half is enough)."
        )
    named = f" ({first_few(passing, most=_NAMED)})" if passing else ""
    rates = span(order["judge"], order["winning_rate"], map(_DECIMAL, order["winning_rate"]))
    return (
        f"{len(passing)} of {len(order)} judges may stand in for a person as a labeller{named}. Winning rate, the "
        f"share of the people against whom, for a judge, {rule}: ω {rates}; half is enough."
    )


def alt_section(alt: AltTest | None) -> tuple[Section, ...]:
    """Say which judges may stand in for the people as labellers."""
    if alt is None:
        return ()
    judges = alt.judges.assign(
        least=alt.smallest_epsilon().reindex(alt.judges["judge"]).to_numpy(),
        verdict=alt.judges["passes"].map({True: "may", False: "may not"}),
    ).sort_values(["winning_rate", "advantage_probability"], ascending=False, kind="stable")
    table = Table(
        name="alt-test",
        title="Does the judge agree with people at least as well as a person does?",
        caption="Winning rate: share of the people against whom the items that the judge loses, less those it wins, "
        f"are significantly below ε = {alt.epsilon:g} of all (one-sided t, "
        f"{'Benjamini–Yekutieli' if alt.correction == 'fdr_by' else alt.correction} at {alt.q:g}); half is enough. "
        "Advantage: probability that the judge is at least as close to the others as a person. Smallest ε: from there "
        "on the judge passes; 0.2 is usual for experts, 0.15 for skilled people, 0.1 for a crowd.",
        frame=judges,
        columns=(
            *left(judge="Judge", verdict="May stand in"),
            *right(number(2), winning_rate="Winning rate", advantage_probability="Advantage", least="Smallest ε"),
            *right(whole, rejected="Passed against", people="people of", items="Items", items_lacking="Not labelled"),
        ),
        data=judges.drop(columns="verdict").rename(columns={"least": "smallest_epsilon"}),
    )
    each = Table(
        name="alt-test-people",
        title="Each person left out",
        caption="Difference: share of the items where the person is nearer to the others than the judge, less the "
        "other way round.",
        frame=alt.people,
        columns=(
            *left(judge="Judge", person="Person"),
            *right(whole, items="Items"),
            *right(number(2), judge_wins="Judge at least as near", person_wins="Person at least as near"),
            *right(number(3), difference="Difference", p_corrected="p, corrected"),
        ),
    )
    left_out = alt.left_out["person"].drop_duplicates().tolist() if len(alt.left_out) else []
    words = [f"{count(alt.items_alone, 'item')} with fewer than {alt.fewest_people} people took no part."]
    if left_out:
        words.append(f"People with fewer than {alt.fewest_items} items were not left out in turn: {listed(left_out)}.")
    return (
        Section(
            id="alt-test",
            title="May the judge stand in for a person?",
            lead="Each person is left out in turn, and on each of their items the judge and the person are "
            "compared with what the others said.",
            brief=True,
            blocks=(table, Text(paragraphs=(" ".join(words),)), Fold(title="Person by person", blocks=(each,))),
        ),
    )
