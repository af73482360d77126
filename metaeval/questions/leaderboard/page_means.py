# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on a leaderboard of means and standard errors: which ranks are real, and what scores by item would add."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.words import chance, name_of_metric, number, percentage, share_of, short_names_sentence, text, whole
from metaeval.page.blocks import Block, Choice, Item, Items, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, bounded, left, right, rising
from metaeval.questions.leaderboard.page_card import card_files, embedded
from metaeval.questions.leaderboard.study_means import MeansLeaderboardStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts

_SCORE = number(4)
_MOST_LETTERS = 12
say = prose(__name__)


def means_report(study: MeansLeaderboardStudy) -> Report:
    """Put a study of a leaderboard of means into a report."""
    frame, pairs, metrics = study.to_frame(), study.pair_counts(), study.board.metrics
    counted = facts(metric=len(metrics), system=len(study.board.systems), pair=len(study.ranks.data["pair"]))
    card = study.card()
    answers = tuple(_answer(study, name, frame[frame["metric"] == name], pairs) for name in metrics)
    return Report(
        command="leaderboard",
        title=say("title"),
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=(answers[0], say("approximation"), *answers[1:]),
        sections=(_ranks_section(study, frame), _pairs_section(study, pairs), _missing_section(card)),
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


def _decided(study: MeansLeaderboardStudy) -> str:
    return say("decided", method=study.ranks.method)


def _answer(study: MeansLeaderboardStudy, metric: str, frame: pd.DataFrame, pairs: pd.DataFrame) -> str:
    near = pairs[(pairs["metric"] == metric) & (pairs["family"] == "adjacent")].iloc[0]
    return say(
        "answer",
        several=len(study.board.metrics) > 1,
        metric=metric,
        possible=int((frame["rank_low"] == 1).sum()),
        systems=len(frame),
        first=frame["system"].iloc[0],
        level=_level(study),
        near=near,
    )


def _ranks_section(study: MeansLeaderboardStudy, frame: pd.DataFrame) -> Section:
    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = frame[frame["metric"] == metric]
        picture = Picture(
            name=f"ranks {metric}",
            draw=lambda: study.ranks.plot(metric),
            title=say("ranks title", metric=metric),
            caption=say("ranks", level=_level(study), method=study.ranks.method),
            alt=say("ranks in words", first=of_metric.iloc[0]),
        )
        return (picture, _ranks_table(study, metric, of_metric))

    metrics = study.board.metrics
    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    short = tuple(short_names_sentence(list(metrics)))
    return Section(
        id="ranks",
        title="Ranks with intervals",
        lead=say("ranks lead", method=study.ranks.method),
        brief=True,
        blocks=(*((Text(paragraphs=short),) if short else ()), choice),
    )


def _ranks_table(study: MeansLeaderboardStudy, metric: str, part: pd.DataFrame) -> Table:
    written = zip(part["rank_low"], part["rank_high"], strict=True)
    frame = part.assign(
        ranks=[f"{low} to {high}" if low < high else str(low) for low, high in written],
        ranks_sort=part["rank_low"],
        alike=len(part) - 1 - part["n_above"] - part["n_below"],
    )
    frame, mean = bounded(frame, {"mean": ("Mean", _SCORE)}, f"{_level(study)} interval")
    few = part["letters"].str.len().max() <= _MOST_LETTERS
    top = study.ranks.top
    return Table(
        name=f"ranks {metric}",
        title=say("systems title", metric=metric),
        caption=say("systems", letters=few, level=_level(study), decided=_decided(study)),
        frame=frame,
        columns=(
            *rising(whole, rank="Rank"),
            *left(system="System"),
            *mean,
            *right(_SCORE, stderr="Error"),
            *(right(whole, n="Items") if part["n"].notna().all() else ()),
            *right(text, ranks=say("interval", level=_level(study))),
            *right(chance, "Probability", **{"p_best": "best", f"p_top_{top}": f"top {top}"}),
            *right(whole, "Significantly", n_above="better", n_below="worse"),
            *right(whole, alike="Not separated"),
            *(left(letters="Groups") if few else ()),
        ),
        data=part,
    )


def _pairs_section(study: MeansLeaderboardStudy, pairs: pd.DataFrame) -> Section:
    frame = pairs.assign(
        pairs=pairs["family"].map(lambda family: say(f"{family} pairs")),
        found=[
            share_of(n_significant, every)
            for n_significant, every in zip(pairs["n_significant"], pairs["n_pairs"], strict=True)
        ],
        found_sort=pairs["share"],
    )
    table = Table(
        name="pairs",
        title="Significantly different pairs",
        caption=say("pairs", alpha=study.alpha, decided=_decided(study)),
        frame=frame,
        columns=(METRIC, *left(pairs="Pairs"), *right(text, found="Significantly different")),
        data=pairs,
    )
    return Section(id="pairs", title="Pairs of systems", lead=say("pairs lead"), brief=True, blocks=(table,))


def _missing_section(card: Mapping[str, Any]) -> Section:
    parts = {"paired": "Paired differences", "power": "Power", "items": "Items"}
    items = Items(items=tuple(Item(term=term, words=say(f"missing {kind}")) for kind, term in parts.items()))
    return Section(
        id="scores-by-item",
        title=say("missing title"),
        lead=say("missing lead"),
        blocks=(items, Text(paragraphs=(say("missing command"),)), embedded(card)),
    )


def _methods(study: MeansLeaderboardStudy) -> Methods:
    has_n = np.isfinite(study.board.n)
    said_n = ", estimated on the items given (Student's t)" if has_n.all() else "" if not has_n.any() else ", some by n"
    words = say(
        "methods",
        n=len(study.board.systems),
        metrics=study.board.metrics,
        said_n=said_n,
        level=_level(study),
        ranks=study.ranks,
        provenance=study.provenance,
    )
    return Methods(paragraphs=(words,))
