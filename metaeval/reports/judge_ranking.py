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
from metaeval.base.names import first_few
from metaeval.base.words import MISSING, NAMED, End, absent, bracketed, ends, listed, number, share, span, whole
from metaeval.page.blocks import Fold, Section, Text
from metaeval.page.tables import Column, Table, bounded, left, right, under
from metaeval.reports.prose import prose
from metaeval.studies.judge_parts import Labelling

_NAMED = 3
_PAIR = 2
_NEARLY_ALL = 0.95
_DECIMAL = number(2)
say = prose("judge_ranking")


def ranking_words(study: Labelling, *, alone: bool = True) -> list[str]:
    """Say which judge labels best, and why figures differ; nothing without a reference.

    Alone, without a verdict before it, the first sentence says what the alt-test decides, too.
    """
    if study.ranking is None:
        return []
    return [_best_words(study, study.ranking, alone=alone), _why_words(study, study.ranking)]


# ----------------------------------------------------------------------------------------------------- who labels best


def _best_words(study: Labelling, found: JudgeRanking, *, alone: bool) -> str:
    table, measure = found.table, say(found.measure)
    level = table[~table["behind"]]  # two that read alike may differ significantly
    kappas = {judge: _with_ends(study, found, judge) for judge in level["judge"]}
    best = ends(kappas, level[found.measure], kappas.values())[1]
    if len(table) == 1:
        name = best.names[0]
        shuffled = study.baselines.set_index(["judge", "statistic"])["shuffled"][name, found.measure]
        given = {"name": name, "kappa": _with_ends(study, found, name), "shuffled": shuffled}
        line = say("one judge", reference=found.reference, measure=measure, **given)
    elif len(table) == _PAIR:
        names, second = table["judge"].tolist(), table.iloc[1]
        line = say(
            "two judges",
            apart=second["behind"],
            names=names,
            reference=found.reference,
            measure=measure,
            kappas=[_with_ends(study, found, name) for name in names],
            difference=_behind(second, found),
            n_topics=int(table["topics"].min()),
        )
    else:
        given = {"n": len(table), "best": best, "others": _others_words(found, best)}
        line = say("several judges", reference=found.reference, measure=measure, **given)
    n_items = table["items"].max()
    fewer = table[table["judge"].isin(best.names) & (table["items"] < n_items)].head(_NAMED)
    return say(
        "best",
        line=line,
        fewer=fewer.to_dict("records"),
        n_items=n_items,
        undefined=first_few(found.undefined, most=_NAMED) if found.undefined else "",
        passing=_passing_words(study.alt) if alone else "",
    )


def _others_words(found: JudgeRanking, best: End) -> str:
    """Say of several judges which cannot be told from the best, and how many are behind it."""
    others = found.table[~found.table["judge"].isin(best.names)]
    if others.empty:
        return say("all best")
    level, by = others.loc[~others["behind"], "judge"].tolist(), [_behind(row, found) for _, row in others.iterrows()]
    return say(
        "others",
        best=best,
        level=len(level),
        behind=int(others["behind"].sum()),
        named=first_few(level, most=_NAMED),
        near=ends(others["judge"], others["difference"], by)[1],
        n_topics=found.n_topics,
    )


def _behind(row: pd.Series, found: JudgeRanking) -> str:
    value, low, high = (-row[f"difference{end}"] for end in ("", "_high", "_low"))
    return bracketed(value, low, high, _DECIMAL, draws=found.n_resamples)


def _with_ends(study: Labelling, found: JudgeRanking, judge: str) -> str:
    """Return the leading kappa of a judge with its interval."""
    row = study.agreement.pairs.set_index("second").loc[judge]
    value, low, high = (row[f"{found.measure}{end}"] for end in ("", "_low", "_high"))
    return bracketed(value, low, high, _DECIMAL, draws=study.agreement.n_resamples)


def _passing_words(alt: AltTest | None) -> str:
    """Say who may replace a person, by the alt-test."""
    if alt is None:
        return ""
    passing = alt.judges.loc[alt.judges["passes"], "judge"].tolist()
    return say("passing", **_passed(alt.judges, passing))


def _passed(judges: pd.DataFrame, passing: list[str]) -> dict[str, Any]:
    named = first_few(passing, most=_NAMED)
    return {"n": len(judges), "passing": len(passing), "named": named, "first": judges.iloc[0]}


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
    fallen = table[table["alpha_rank"] > table[own]]
    kinds, said = {"alone": len(table) == 1, "fallen": not fallen.empty}, []
    for row in _furthest(table if fallen.empty else fallen, "bias", _DECIMAL):
        kappa, alpha = _DECIMAL(row[found.measure]), _DECIMAL(row["alpha"])
        lost = row[found.measure] - row["alpha"]
        if lost > 0 and len({kappa, alpha}) > 1:
            said.append(say("biased", row=row, place=row[own], kappa=kappa, alpha=alpha, **kinds))
    moved = int((table["alpha_rank"] != table[own]).sum())
    return say("alpha", found=found, said=listed(said, most=NAMED), moved=moved, **kinds) if said else ""


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
    if fallen.empty and (table["kappa_rank"] == table["quadratic_kappa_rank"]).all():
        return ""
    rows = [] if fallen.empty else _furthest(fallen, "missed", share)
    said = [say("near", row=row, median=median) for row in rows]
    return say("weights", said=listed(said, most=NAMED) if said else "")


def _alt_words(alt: AltTest | None, found: JudgeRanking) -> str:
    """Say why the alt-test orders judges differently, or why there is none."""
    if alt is None:
        return say("no alt", reference=found.reference)
    table = _with_alt(found, alt).dropna(subset=["alt_rank"])
    if len(table) < _PAIR:
        return say("alt", said=(), alike=False)
    own = table[found.measure].rank(ascending=False, method="min")
    table = table.assign(own=own, moved=own - table["alt_rank"])
    rows = _furthest(table, "moved", whole)[:_NAMED] if table["moved"].any() else []
    said = [say("moved", row=row, kappa=row[found.measure], reference=found.reference) for row in rows]
    return say("alt", said=said, alike=not said, first=table.iloc[0])


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
        {"value": (say(found.measure), _DECIMAL), "difference": ("Less the best", _DECIMAL)},
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
        title=say("table title", reference=found.reference),
        caption=say("table", found=found, best=found.table["judge"][0]),
        frame=frame,
        columns=tuple(columns),
        data=found.table,
    )
    return (
        Section(
            id="ranking", title=say("section", reference=found.reference), lead=say("lead"), brief=True, blocks=(table,)
        ),
    )


def _placed(name: str, label: str) -> tuple[Column, ...]:
    return (*right(_DECIMAL, **{name: label}), *under(_place, **{f"{name}_rank": "place"}))


def _place(value: object) -> str:
    return MISSING if absent(value) else say("place", value=value)


def alt_words(alt: AltTest) -> str:
    """Say who may replace a person, where the alt-test is all there is."""
    order = alt.judges.sort_values(["winning_rate", "advantage_probability", "judge"], ascending=[False, False, True])
    passing = order.loc[order["passes"], "judge"].tolist()
    rates = span(order["judge"], order["winning_rate"], map(_DECIMAL, order["winning_rate"]))
    return say("may label", alt=alt, rates=rates, **_passed(order, passing))


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
        title=say("alt title"),
        caption=say("alt table", alt=alt),
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
        title=say("people title"),
        caption=say("people"),
        frame=alt.people,
        columns=(
            *left(judge="Judge", person="Person"),
            *right(whole, items="Items"),
            *right(number(2), judge_wins="Judge at least as near", person_wins="Person at least as near"),
            *right(number(3), difference="Difference", p_corrected="p, corrected"),
        ),
    )
    left_out = alt.left_out["person"].drop_duplicates().tolist() if len(alt.left_out) else []
    folded = Fold(title=say("people fold"), blocks=(each,))
    return (
        Section(
            id="alt-test",
            title=say("alt section"),
            lead=say("alt lead"),
            brief=True,
            blocks=(table, Text(paragraphs=(say("no part", alt=alt, left_out=left_out),)), folded),
        ),
    )
