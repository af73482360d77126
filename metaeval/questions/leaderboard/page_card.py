"""The card of a leaderboard: a record and a badge for its owner's page, and how to embed them."""

import json
from operator import itemgetter
from pathlib import Path

from metaeval.base.disk import write_text
from metaeval.base.names import count, first_few
from metaeval.base.unit import unit
from metaeval.base.words import carried, listed, name_of_metric, number
from metaeval.page.badge import badge
from metaeval.page.blocks import Fold, Text, Writer
from metaeval.questions.leaderboard.study_record import Card, MetricRecord, Treatment
from metaeval.reports.prose import prose

_SCORE = number(4)
_TESTS = {"t": "paired t", "mcnemar": "McNemar"}
_NONE: Treatment = {"clusters": None, "n_missing": 0, "settled": [], "left_out": []}
say = prose(__name__)
LEADERBOARD_TITLE = "Is this leaderboard’s ranking real?"  # noqa: RUF001 - for people


def card_files(card: Card) -> dict[str, Writer]:
    """Return the writers of the record and of the badge."""
    picture = badge(["metaeval", _board(card), _ranking(card)], _in_words(card))
    return {"card.json": _writer(json.dumps(card, indent=2, allow_nan=False) + "\n"), "badge.svg": _writer(picture)}


def embedded(card: Card) -> Fold:
    """Say what the files are, and give the lines that show the badge."""
    words = f"{_board(card)}: {_ranking(card)}"
    lines = say("markdown", said=words), say("html", said=words)
    return Fold(
        title="Card and badge to embed",
        blocks=(
            Text(paragraphs=(say("files"), _in_words(card))),
            *(Text(paragraphs=(line,), look="code") for line in lines),
        ),
    )


def _writer(words: str) -> Writer:
    def write(path: Path) -> None:
        write_text(path, words, errors="strict")

    return write


def _board(card: Card) -> str:
    """Return what was compared, and what was done to clusters, gaps and systems."""
    counts = (card["n_items"], unit().topic), (len(card["metrics"]) if len(card["metrics"]) > 1 else None, "metric")
    facts = [count(n, what) for n, what in ((card["n_systems"], "system"), *counts) if n is not None]
    treatment = card["treatment"] or _NONE
    if treatment["clusters"]:
        facts.append(f"{unit().clusters} {treatment['clusters']}")
    if n_missing := treatment["n_missing"]:
        facts.append(f"{count(n_missing, 'score')} missing")
    facts += treatment["settled"]
    if left_out := treatment["left_out"]:
        facts.append(f"{count(len(left_out), 'system')} left out")
    return ", ".join(facts)


def _ranking(card: Card) -> str:
    """Return how many systems may be first and how many pairs differ, over all metrics."""
    first = [_first(metric) for metric in sorted(card["metrics"], key=itemgetter("n_may_be_first"))]
    shares = [_share(metric) for metric in sorted(card["metrics"], key=itemgetter("share"))]
    return say("ranking", first=_ends(first), shares=_ends(shares))


def _ends(written: list[str]) -> str:
    return " to ".join(dict.fromkeys([written[0], written[-1]]))


def _share(metric: MetricRecord) -> str:
    return carried(metric["share"], metric["share_error"])


def _first(metric: MetricRecord) -> str:
    return carried(metric["n_may_be_first"], metric["n_may_be_first_error"], number(0))


def _difference(value: float | None) -> str:
    """Return the clause on the detectable difference; nothing where there is none."""
    return "" if value is None else f"; detectable difference {_SCORE(value)}"


def _in_words(card: Card) -> str:
    """Say all of the badge in words, with what it rests on."""
    detectable = card["detectable"]
    metrics = [
        say(
            "metric",
            one=metric,
            systems=card["n_systems"],
            share=_share(metric),
            first=_first(metric),
            differ=carried(metric["n_adjacent_significant"], metric["n_adjacent_error"], number(0)),
            metric=name_of_metric(metric["metric"]),
            difference=_difference(metric["detectable_difference"]),
        )
        for metric in card["metrics"]
    ]
    treatment = card["treatment"] or _NONE
    sentences = [say("words", metrics="; ".join(metrics))]
    if treatment["clusters"]:
        sentences += [say("clusters", treatment=treatment)]
    if treatment["n_missing"]:
        sentences += [say("missing", treatment=treatment)]
    sentences += [f"{decision}." for decision in treatment["settled"]]
    if left_out := treatment["left_out"]:
        sentences += [say("left out", n=len(left_out), named=first_few(left_out))]
    sentences += [say("decision", decision=card["decision"])]
    if detectable is not None and any(metric["detectable_difference"] for metric in card["metrics"]):
        tests = listed(map(_TESTS.get, detectable["test"]))
        sentences += [say("detectable", power=detectable["power"], tests=tests)]
    return " ".join([*sentences, say("made", card=card, created=card["created"][:10])])
