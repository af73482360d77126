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

import numpy as np
import pandas as pd

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.judge_ranking import JudgeRanking
from metaeval.base.names import first_few
from metaeval.base.words import MISSING, NAMED, End, absent, bracketed, ends, listed, number, share, whole
from metaeval.page.blocks import Section, Text
from metaeval.page.tables import Column, Table, Write, bounded, left, right, under, with_cells
from metaeval.questions.judges.page_agreement import kappa_dots
from metaeval.questions.judges.study_parts import Labelling
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads

_NAMED = 3
_PAIR = 2
_NEARLY_ALL = 0.95
_DECIMAL = number(2)
_RATES = {"winning_rate": "Winning rate", "advantage_probability": "Advantage"}
say = prose(__name__)


# ----------------------------------------------------------------------------------------------------- who labels best


def best_words(study: Labelling) -> str:
    """Say in one sentence which judge agrees most with the reference."""
    ranking = _ranked(study)
    table = ranking.table
    level = table[table["judge"].isin(ranking.open_to_best())]  # two that read alike may differ significantly
    best = ends(level["judge"], level[ranking.measure], map(_DECIMAL, level[ranking.measure]))[1]
    kappas = [_with_ends(study, ranking, name) for name in table["judge"].head(_PAIR)]
    return say(
        "best",
        n=len(table),
        best=best,
        kappas=kappas,
        figure=kappas[0] if len(best.names) == 1 else best.figure,
        names=table["judge"].head(_PAIR).tolist(),
        apart=bool(table["behind"].iloc[-1]),
        level=len(level) - len(best.names),
        ordered=ranking.ordered,
        apart_from=table.loc[table["shared"] == 0, "judge"].tolist(),
        n_topics=_compared_on(ranking),
        measure=say(ranking.measure),
        reference=ranking.reference,
    )


def _compared_on(found: JudgeRanking) -> int:
    """Return the number of topics that differences rest on."""
    shared = found.table["shared"].iloc[1:]
    return int(shared.max()) if len(shared) else found.n_topics


def _ranked(study: Labelling) -> JudgeRanking:
    if study.ranking is None:
        raise ValueError("without a reference no judge is the best")
    return study.ranking


def ranking_figures(study: Labelling) -> Table:
    """Return the leading kappa of the best judges, and how far each is behind the best."""
    ranking = _ranked(study)
    table = ranking.table
    pairs = study.agreement.pairs.set_index("second")
    ends_of = [f"{ranking.measure}{end}" for end in ("", "_low", "_high")]
    frame = table[["judge", "same", "shared", "difference", "difference_low", "difference_high"]]
    frame = frame.merge(pairs[ends_of], left_on="judge", right_index=True)
    frame = with_cells(frame, written=[_with_ends(study, ranking, name) for name in frame["judge"]])
    columns = [*left(judge="Judge"), *right(written=say("key kappa", measure=say(ranking.measure), study=study))]
    if ranking.ordered:
        frame = with_cells(frame, behind=[MISSING, *(_behind(row, ranking) for _, row in table.iloc[1:].iterrows())])
        columns += right(behind=say("key behind", best=table["judge"].iloc[0]))
    return key_figures(frame, (*columns, *right(share, same="Same label")), which="best")


def details(study: Labelling) -> Text:
    """Say how all judges stand to the best, and why figures differ."""
    ranking = _ranked(study)
    table = ranking.table
    level = table[table["judge"].isin(ranking.open_to_best())]
    kappas = {judge: _with_ends(study, ranking, judge) for judge in level["judge"]}
    best = ends(kappas, level[ranking.measure], kappas.values())[1]
    fewer = table[table["judge"].isin(best.names) & (table["items"] < table["items"].max())].head(_NAMED)
    shuffled = study.baselines.set_index(["judge", "statistic"])["shuffled"][table["judge"].iloc[0], ranking.measure]
    words = say(
        "details",
        n=len(table),
        others=_others_words(ranking, best) if len(table) > 1 else "",
        name=table["judge"].iloc[0],
        shuffled=shuffled,
        by_item=study.labels.by_item,
        measure=say(ranking.measure),
        fewer=fewer.to_dict("records"),
        n_items=int(study.labels.table[ranking.reference].notna().sum()),
        reference=ranking.reference,
        undefined=first_few(ranking.undefined, most=_NAMED) if ranking.undefined else "",
    )
    return Text(paragraphs=tuple(filter(None, (words, _why_words(study, ranking)))))


def _others_words(found: JudgeRanking, best: End) -> str:
    """Say of several judges which cannot be told from the best, and how many are behind it."""
    others = found.table[~found.table["judge"].isin(best.names)]
    if others.empty:
        return say("all best")
    apart, others = others.loc[others["shared"] == 0, "judge"].tolist(), others[others["shared"] > 0]
    if others.empty:
        return say("none shared", best=best)
    level, by = others.loc[~others["behind"], "judge"].tolist(), [_behind(row, found) for _, row in others.iterrows()]
    return say(
        "others",
        best=best,
        level=len(level),
        behind=int(others["behind"].sum()),
        named=first_few(level, most=_NAMED),
        near=ends(others["judge"], others["difference"], by)[1],
        apart=first_few(apart, most=_NAMED) if apart else "",
        n_topics=_compared_on(found),
    )


def _behind(row: pd.Series, found: JudgeRanking) -> str:
    if not row["shared"]:
        return say("none in common")
    value, low, high = (-row[f"difference{end}"] for end in ("", "_high", "_low"))
    return bracketed(value, low, high, _DECIMAL, draws=found.n_resamples)


def _with_ends(study: Labelling, found: JudgeRanking, judge: str) -> str:
    """Return the leading kappa of a judge with its interval."""
    row = study.agreement.pairs.set_index("second").loc[judge]
    value, low, high = (row[f"{found.measure}{end}"] for end in ("", "_low", "_high"))
    return bracketed(value, low, high, _DECIMAL, draws=study.agreement.n_resamples)


# -------------------------------------------------------------------------------------------------- why figures differ


def _why_words(study: Labelling, found: JudgeRanking) -> str:
    parts = [_alpha_words(found)]
    if found.measure != "kappa" and found.ordered:
        parts.append(_weights_words(found))
    parts.append(_alt_words(study.alt, found))
    return " ".join(sentence for sentence in parts if sentence)


def _alpha_words(found: JudgeRanking) -> str:
    """Say whom the pooled distribution costs places: of those that lose some, the one whose labels are furthest off."""
    table, rank_column = _placed_together(found), f"{found.measure}_rank"
    if table["bias"].isna().all():  # labels without an order
        return ""
    fallen = table[table["alpha_rank"] > table[rank_column]]
    kinds, sentences = {"ordered": found.ordered, "fallen": not fallen.empty}, []
    for row in _furthest(table if fallen.empty else fallen, "bias", _DECIMAL):
        kappa, alpha = _DECIMAL(row[found.measure]), _DECIMAL(row["alpha"])
        lost = row[found.measure] - row["alpha"]
        if lost > 0 and len({kappa, alpha}) > 1:
            sentences.append(say("biased", row=row, place=row[rank_column], kappa=kappa, alpha=alpha, **kinds))
    moved = int((table["alpha_rank"] != table[rank_column]).sum())
    return say("alpha", found=found, said=listed(sentences, most=NAMED), moved=moved, **kinds) if sentences else ""


def _placed_together(found: JudgeRanking) -> pd.DataFrame:
    """Return the judges that figures order; all where they order none."""
    return found.table[found.table["shared"] > 0] if found.ordered else found.table


def _furthest(table: pd.DataFrame, name: str, write: Callable[[object], str]) -> list[dict[Hashable, Any]]:
    """Return the rows where a column is furthest from 0."""
    size = table[name].abs()
    furthest = ends(table["judge"], size, map(write, size))[1]
    return table.set_index("judge", drop=False).loc[[*furthest.names]].to_dict("records")


def _weights_words(found: JudgeRanking) -> str:
    """Say what near misses cost whom: of those that lose places, the one with the nearest ones."""
    table = _placed_together(found)
    missed = ((table["near"] - table["same"]) / (1.0 - table["same"])).where(table["same"] < 1.0)
    table, median = table.assign(missed=missed), missed.median()
    fallen = table[(table["kappa_rank"] > table["quadratic_kappa_rank"]) & (missed > median)]
    if fallen.empty and (table["kappa_rank"] == table["quadratic_kappa_rank"]).all():
        return ""
    rows = [] if fallen.empty else _furthest(fallen, "missed", share)
    sentences = [say("near", row=row, median=median) for row in rows]
    return say("weights", said=listed(sentences, most=NAMED) if sentences else "")


def _alt_words(alt: AltTest | None, found: JudgeRanking) -> str:
    """Say why the alt-test orders judges differently, or why there is none."""
    if alt is None:
        return say("no alt", reference=found.reference)
    table = _with_alt(found, alt).dropna(subset=["alt_rank"])
    if len(table) < _PAIR or not found.ordered:
        return say("alt", said=(), alike=False)
    ranks = table[found.measure].rank(ascending=False, method="min")
    table = table.assign(own=ranks, moved=ranks - table["alt_rank"])
    rows = _furthest(table, "moved", whole)[:_NAMED] if table["moved"].any() else []
    sentences = [say("moved", row=row, kappa=row[found.measure], reference=found.reference) for row in rows]
    return say("alt", said=sentences, alike=not sentences, first=table.iloc[0])


def _with_alt(found: JudgeRanking, alt: AltTest) -> pd.DataFrame:
    """Return the judges with what the alt-test says of them; by it the winning rate comes first, then the advantage."""
    beside = alt.judges.set_index("judge")[["winning_rate", "advantage_probability"]]
    placed = beside[beside.index.isin(_placed_together(found)["judge"])]
    keys = pd.Series(list(map(tuple, placed.to_numpy().tolist())), index=placed.index)
    beside["alt_rank"] = keys.rank(ascending=False, method="min") if len(keys) else np.nan
    return found.table.join(beside, on="judge")


# ------------------------------------------------------------------------------------------------------------ sections


def judge_ranking_section(study: Labelling, *, brief: bool) -> tuple[Section, ...]:
    """Put the figures side by side, best judge first."""
    ranking = study.ranking
    if ranking is None:
        return ()
    frame = ranking.table
    columns = [*left(judge="Judge")]
    if frame["items"].min() < _NEARLY_ALL * frame["items"].max():
        columns += right(whole, items=labelled_heads())
    pairs = study.agreement.pairs.set_index("second")
    ends = {
        f"value{end}": pairs[f"{ranking.measure}{end}"].reindex(frame["judge"]).to_numpy() for end in ("_low", "_high")
    }
    frame = frame.assign(value=frame[ranking.measure], **ends)
    measures: dict[str, tuple[str, Write]] = {"value": (say(ranking.measure), _DECIMAL)}
    measures |= {"difference": ("Less the best", _DECIMAL)} if ranking.ordered else {}
    frame, bounded_columns = bounded(frame, measures, draws=ranking.n_resamples)
    columns += [*bounded_columns]
    if ranking.ordered:
        frame["difference_interval"] = frame["difference_interval"].where(frame["shared"] > 0, say("none in common"))
    others = {"alpha": "α"} | ({"kappa": "κ, plain"} if ranking.measure != "kappa" else {})
    for name, label in others.items():
        columns += [*right(_DECIMAL, **{name: label}), *_places(ranking, f"{name}_rank")]
    if study.alt is not None:
        beside = _with_alt(ranking, study.alt)
        frame = frame.assign(**{name: beside[name] for name in ("winning_rate", "advantage_probability", "alt_rank")})
        columns += [
            *right(_DECIMAL, winning_rate="Alt-test, ω"),
            *_places(ranking, "alt_rank"),
            *right(share, advantage_probability="As near"),
        ]
    columns += right(share, same="Same label")
    if ranking.measure != "kappa":
        columns += right(share, near="Or a grade off")
    columns += right(number(2), bias="Mean label") if study.labels.ordered else []
    table = Table(
        name="judge-ranking",
        title=say("table title", reference=ranking.reference, ordered=ranking.ordered),
        caption=say("table", found=ranking, study=study, n=len(frame), best=ranking.table["judge"][0]),
        frame=frame,
        columns=tuple(columns),
        data=ranking.table,
    )
    title = say("section", reference=ranking.reference, ordered=ranking.ordered, n=len(frame))
    blocks = (kappa_dots(study), table, details(study))
    return (Section(id="ranking", title=title, lead=say("lead", found=ranking), brief=brief, blocks=blocks),)


def _places(found: JudgeRanking, name: str) -> tuple[Column, ...]:
    return under(_place, **{name: "place"}) if found.ordered else ()


def _place(value: object) -> str:
    return MISSING if absent(value) else say("place", value=value)
