# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on a leaderboard of means and standard errors: which ranks are real, and what scores by item would add."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.words import name_of_metric, number, percentage, share_of, short_names_sentence, text, whole
from metaeval.page.blocks import Block, Choice, Item, Items, Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, bounded, left, right
from metaeval.questions.leaderboard.page import ranking_answer, ranks_picture, verdict_on
from metaeval.questions.leaderboard.page_card import LEADERBOARD_TITLE, card_files, embedded
from metaeval.questions.leaderboard.study_card import card_of_means, places_of_means
from metaeval.questions.leaderboard.study_means import MeansLeaderboardStudy
from metaeval.questions.leaderboard.study_record import Card
from metaeval.reports.data_files import csv_file
from metaeval.reports.prose import prose
from metaeval.reports.ranked import (
    ALIKE,
    TOP_TITLE,
    interval_of_ranks,
    is_pair,
    ranked_columns,
    share_letters_apart,
    top_sentence,
    with_alike,
    written_ranks,
)
from metaeval.reports.shared import facts

_SCORE = number(4)
_DECIDED = {
    "posterior": "by the draws behind the ranks and Holm’s correction",
    "guaranteed": "by the errors of the differences with Holm’s correction",
}
say = prose(__name__)
_MISSING = {
    "Paired differences": (
        "The difference of two systems on the same items has its own standard error, smaller where both find the same "
        "items easy: tests, intervals and groups then usually separate more pairs."
    ),
    "Power": (
        "The difference that this benchmark detects with given power, and the items needed to separate neighbours."
    ),
    "Items": "Which items separate no systems, which may be mislabelled, and whether fewer would do.",
}


def means_report(study: MeansLeaderboardStudy) -> Report:
    """Put a study of a leaderboard of means into a report."""
    frame, places, metrics = study.to_frame(), places_of_means(study), study.board.metrics
    counted = facts(metric=len(metrics), system=len(study.board.systems), pair=len(study.ranks.data["pair"]))
    card = card_of_means(study)
    answers = tuple(_answer(study, row, frame) for row in places.to_dict("records"))
    best = top_sentence(frame, study.top, level=percentage(study.ranks.confidence_level))
    return Report(
        command="leaderboard",
        title=TOP_TITLE.format(study.top) if best else LEADERBOARD_TITLE,
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=(*filter(None, [best]), answers[0], say("approximation"), *answers[1:]),
        sections=(_ranks_section(study, frame), *_pairs_section(study), _missing_section(card)),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data={
            "means.csv": csv_file(study.board.to_frame()),
            "pairs.csv": csv_file(study.ranks.pairs()),
            **card_files(card),
        },
    )


def _level(study: MeansLeaderboardStudy) -> str:
    return percentage(study.ranks.confidence_level)


def _answer(study: MeansLeaderboardStudy, place: dict[Hashable, Any], frame: pd.DataFrame) -> str:
    metric, verdict = place["metric"], verdict_on(place["leading"], place["differ"], place["n_near"])
    under = f" under {name_of_metric(metric)}" if len(study.board.metrics) > 1 else ""
    return ranking_answer(place | {"verdict": verdict}, frame[frame["metric"] == metric], under)


def _ranks_section(study: MeansLeaderboardStudy, frame: pd.DataFrame) -> Section:
    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = frame[frame["metric"] == metric]
        picture = () if is_pair(of_metric) else (ranks_picture(say, study.ranks, metric, of_metric),)
        return (*picture, _ranks_table(study, metric, of_metric))

    metrics = study.board.metrics
    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    short = (Text(paragraphs=(words,)) for words in short_names_sentence(metrics))
    return say.section("ranks", *short, choice, head="Ranks with intervals")


def _ranks_table(study: MeansLeaderboardStudy, metric: str, part: pd.DataFrame) -> Table:
    frame, mean = bounded(with_alike(written_ranks(part)), {"mean": ("Mean", _SCORE)}, f"{_level(study)} interval")
    n = right(whole, n="Items") if part["n"].notna().all() else ()
    return say.table(
        "systems",
        frame,
        ranked_columns(part, (*mean, *right(_SCORE, stderr="Error"), *n), interval_of_ranks(_level(study)), ALIKE),
        called=f"ranks {metric}",
        data=part,
        metric=metric,
        level=_level(study),
        decided=_DECIDED[study.ranks.method],
        apart=share_letters_apart(part),
    )


def _pairs_section(study: MeansLeaderboardStudy) -> list[Section]:
    pairs = study.pair_counts()
    if pairs["n_pairs"].max() <= 1:
        return []
    frame = pairs.assign(
        pairs=pairs["family"].map({"all": "All pairs", "adjacent": "Neighbours in the ranking"}),
        found=list(map(share_of, pairs["n_significant"], pairs["n_pairs"])),
        found_sort=pairs["share"],
    )
    columns = ((METRIC,), left(pairs="Pairs"), right(text, found="Significantly different"))
    decided = _DECIDED[study.ranks.method]
    table = say.table("pairs", frame, *columns, data=pairs, alpha=study.alpha, decided=decided)
    return [say.section("pairs", table, head="Pairs of systems")]


def _missing_section(card: Card) -> Section:
    items = Items(items=tuple(Item(term=term, words=words) for term, words in _MISSING.items()))
    return say.section("missing", items, embedded(card), brief=False, id="scores-by-item")


def _methods(study: MeansLeaderboardStudy) -> Methods:
    has_n = np.isfinite(study.board.n[np.isfinite(study.board.means)])
    said_n = ", estimated on the items given (Student's t)" if has_n.all() else "" if not has_n.any() else ", some by n"
    metrics, ranks = study.board.metrics, study.ranks
    words = [say("methods", n=len(study.board.systems), metrics=metrics, said_n=said_n)]
    words += [say(f"methods {ranks.method}", level=_level(study), ranks=ranks)]
    words += [say("methods last", provenance=study.provenance)]
    return Methods(paragraphs=(" ".join(words),))
