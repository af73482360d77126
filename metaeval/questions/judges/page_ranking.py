# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""What the page on judges says of who labels best: the one with the highest leading kappa, and who is behind it.

The others are behind the best, or cannot be told from it, by `metaeval.agreement.rank_judges`.
"""

import pandas as pd

from metaeval.agreement.judge_ranking import JudgeRanking
from metaeval.base.names import first_few
from metaeval.base.unit import unit
from metaeval.base.words import MISSING, absent, bracketed, ends, number, percentage, sentence_case, share, whole
from metaeval.page.blocks import Block, Section, Text
from metaeval.page.tables import Column, Table, Write, bounded, left, right, under, with_cells
from metaeval.questions.judges.page_agreement import kappa_dots_picture
from metaeval.questions.judges.study_labels import Labelling
from metaeval.reports.key_figures import key_figures, sure_side
from metaeval.reports.prose import prose
from metaeval.reports.shared import labelled_heads

_NAMED = 3
_NEARLY_ALL = 0.95
_DECIMAL = number(2)
MEASURES = {"kappa": "Cohen's κ", "quadratic_kappa": "κ with quadratic weights"}
"""The leading kappa, as pages call it."""
say = prose(__name__)


def best_words(study: Labelling, ranking: JudgeRanking) -> str:
    """Say in one sentence which judge agrees most with the reference."""
    table = ranking.table
    level = table[table["judge"].isin(ranking.open_to_best())]  # two that read alike may differ significantly
    best = ends(level["judge"], level[ranking.measure], map(_DECIMAL, level[ranking.measure]))[1]
    first = _with_ends(study, ranking, table["judge"].iloc[0])
    kind = "one" if len(table) == 1 else "best" if ranking.ordered else "none best"
    return say(
        kind,
        best=best,
        first=table["judge"].iloc[0],
        figure=first if len(best.names) == 1 else best.figure,
        level=len(level) - len(best.names),
        apart=table.loc[table["shared"] == 0, "judge"].tolist(),
        n_topics=ranking.n_compared,
        measure=MEASURES[ranking.measure],
        reference=ranking.reference,
        leaning=_leaning(table.iloc[0]) if len(level) == 1 else "",
        unsure=_may_be_chance(study, ranking),
    )


def _may_be_chance(study: Labelling, ranking: JudgeRanking) -> bool:
    """Whether the interval of the best judge's kappa holds 0."""
    row = study.agreement.pairs.set_index("second").loc[ranking.table["judge"].iloc[0]]
    value, low, high = row[[f"{ranking.measure}{end}" for end in ("", "_low", "_high")]].to_numpy(dtype=float).tolist()
    return not absent(low) and sure_side(value, low, high, draws=study.agreement.n_resamples) == 0


def _leaning(row: pd.Series) -> str:
    """Say that a judge gives higher labels than the reference, or lower ones, where the interval says so."""
    if not (row["bias_low"] > 0 or row["bias_high"] < 0):
        return ""
    low, high = sorted((abs(row["bias_low"]), abs(row["bias_high"])))
    return say("leaning", up=row["bias"] > 0, by=bracketed(abs(row["bias"]), low, high, _DECIMAL))


def ranking_figures(study: Labelling, ranking: JudgeRanking) -> Table:
    """Return the leading kappa of the best judges, and how far each is behind the best."""
    table = ranking.table
    pairs = study.agreement.pairs.set_index("second")
    ends_of = [f"{ranking.measure}{end}" for end in ("", "_low", "_high")]
    frame = table[["judge", "same", "shared", "difference", "difference_low", "difference_high"]]
    frame = frame.merge(pairs[[*ends_of, "same_low", "same_high"]], left_on="judge", right_index=True)
    same = zip(frame["same"], frame["same_low"], frame["same_high"], strict=True)
    shares = [bracketed(value, low, high, share, draws=study.agreement.n_resamples) for value, low, high in same]
    kappas = [_with_ends(study, ranking, name) for name in frame["judge"]]
    frame = with_cells(frame, written=kappas, same_written=shares)
    head = f"{sentence_case(MEASURES[ranking.measure])} [{percentage(study.agreement.confidence_level)} interval]"
    columns = [*left(judge="Judge"), *right(written=head)]
    if ranking.ordered:
        frame = with_cells(frame, behind=[MISSING, *(_behind(row, ranking) for _, row in table.iloc[1:].iterrows())])
        columns += right(behind=f"Behind {table['judge'].iloc[0]}")
    return key_figures(frame, (*columns, *right(same_written="Same label")), which="best")


def _behind_words(found: JudgeRanking) -> tuple[Text, ...]:
    """Say how many judges are behind the best, and who is not compared."""
    apart = [*(found.table.loc[found.table["shared"] == 0, "judge"] if found.ordered else ()), *found.undefined]
    fields = {"best": found.table["judge"].iloc[0], "n": int(found.table["behind"].sum()), "of": len(found.table) - 1}
    words = [say("behind", n_topics=found.n_compared, **fields)] if found.ordered and fields["of"] else []
    words += [f"Not compared: {first_few(apart, most=_NAMED)}."] if apart else []
    return (Text(paragraphs=(" ".join(words),)),) if words else ()


def _behind(row: pd.Series, found: JudgeRanking) -> str:
    if not row["shared"]:
        return _none_in_common()
    value, low, high = (-row[f"difference{end}"] for end in ("", "_high", "_low"))
    return bracketed(value, low, high, _DECIMAL, draws=found.n_resamples)


def _none_in_common() -> str:
    return f"no common {unit().topics}"


def _with_ends(study: Labelling, found: JudgeRanking, judge: str) -> str:
    """Return the leading kappa of a judge with its interval."""
    row = study.agreement.pairs.set_index("second").loc[judge]
    value, low, high = (row[f"{found.measure}{end}"] for end in ("", "_low", "_high"))
    return bracketed(value, low, high, _DECIMAL, draws=study.agreement.n_resamples)


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
    measures: dict[str, tuple[str, Write]] = {"value": (MEASURES[ranking.measure], _DECIMAL)}
    measures |= {"difference": ("Less the best", _DECIMAL)} if ranking.ordered else {}
    frame, bounded_columns = bounded(frame, measures, draws=ranking.n_resamples)
    columns += [*bounded_columns]
    if ranking.ordered:
        frame["difference_interval"] = frame["difference_interval"].where(frame["shared"] > 0, _none_in_common())
    others = {"alpha": "α"} | ({"kappa": "κ, plain"} if ranking.measure != "kappa" else {})
    for name, label in others.items():
        columns += [*right(_DECIMAL, **{name: label}), *_places(ranking, f"{name}_rank")]
    if study.alt is not None:
        beside = ranking.beside_alt(study.alt)
        frame = frame.assign(**{name: beside[name] for name in ("winning_rate", "advantage_probability", "alt_rank")})
        columns += [
            *right(_DECIMAL, winning_rate="Alt-test, ω"),
            *_places(ranking, "alt_rank"),
            *right(share, advantage_probability="As near"),
        ]
    columns += right(share, same="Same label")
    if ranking.measure != "kappa":
        columns += right(share, near="Or a grade off")
    if study.labels.ordered:
        frame, bias = bounded(frame, {"bias": ("Mean label", _DECIMAL)})
        columns += [*bias]
    table = say.table(
        "table",
        frame,
        columns,
        called="judge-ranking",
        data=ranking.table,
        reference=ranking.reference,
        ordered=ranking.ordered,
        level=percentage(ranking.confidence_level),
        scale="nominal" if ranking.measure == "kappa" else "interval",
    )
    blocks: tuple[Block, ...] = (kappa_dots_picture(study), table, *_behind_words(ranking))
    return (say.section("ranking", *blocks, brief=brief, reference=ranking.reference),)


def _places(found: JudgeRanking, name: str) -> tuple[Column, ...]:
    return under(_place_words, **{name: "place"}) if found.ordered else ()


def _place_words(value: object) -> str:
    return MISSING if absent(value) else f"place {whole(value)}"
