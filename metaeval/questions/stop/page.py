# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""The report that answers whether one may stop: what is decided, how the evidence grew, and what is still expected."""

from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.unit import unit
from metaeval.base.words import absent, compared_p, intervals, name_of_metric, number, p_value, share, text, whole
from metaeval.page.blocks import Methods, Section, Text, Writer
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, of_metrics, right, under
from metaeval.questions.stop.study import FEWEST_TO_FORETELL, StoppingStudy
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.reports.traits import traits_said
from metaeval.table.arrivals import Arrival
from metaeval.tests_stat.result import is_significant

_DIFFERENCE, _EVIDENCE = number(3), number(1)
_MOST_PAIRS = 400
_MOST_LINES = 60
_FAMILY_WISE = "holm"
_EXPECTED = {"more": "more", "low": "more_low", "high": "more_high"}
_LEAVE = "You may"
_FAR = 10
"""Go on if the first decision is expected within so many times the units at hand, a further one within as many."""
_FEWEST_TO_GIVE_UP = 30
"""Units from which on one may give up: of fewer nobody tells a small difference from one that is decided soon."""
say = prose(__name__)


def stop_report(study: StoppingStudy) -> Report:
    """Put what is decided into a report."""
    pairs = study.pairs
    first = pairs[pairs["metric"] == study.metrics[0]]
    return Report(
        command="stop",
        title=say("title", things=_things(study)),
        facts=(
            *facts(metric=len(study.metrics), system=len(study.systems)),
            (f"{study.n_units:,}", _things(study) if study.n_units > 1 else _thing(study)),
            (f"{study.alpha:g}", "significance level α"),
        ),
        summary=(
            _with_order(study, _answer(study, first)),
            *_runs_words(study, first),
            _quote(study),
            *_replay_words(study, first),
        ),
        key_figures=_key_figures(study),
        sections=(_evidence_section(study, first), _pairs_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"evidence.csv": csv_file(study.paths)} | _of_scores(study),
    )


def _of_scores(study: StoppingStudy) -> dict[str, Writer]:
    """Return what is kept of scores, and the order in which their topics came."""
    if study.scores is None or not (kept := score_files(study.scores)):
        return {}
    came = Arrival.of(study.scores.attrs, study.scores["topic"].to_numpy().tolist())
    ordered = pd.DataFrame({"topic": [] if came is None else list(came.topics)})
    return kept | ({"arrival.csv": csv_file(ordered)} if len(ordered) else {})


def _thing(study: StoppingStudy) -> str:
    return {"topic": unit().topic, "cluster": unit().cluster}.get(study.counted_in, study.counted_in)


def _things(study: StoppingStudy) -> str:
    return count(2, _thing(study)).partition(" ")[2]


# ---------------------------------------------------------------------------------------------------- the short answer


def _answer(study: StoppingStudy, rows: pd.DataFrame) -> str:
    """Say whether to stop, by what is decided under the first metric and what is still expected."""
    numbers = {"n": study.n_units, "thing": _thing(study), "under": _under(study)}
    open_pairs, n_decided = rows[rows["decided_at"].isna()], int(rows["decided_at"].notna().sum())
    row = rows.iloc[0]
    if len(rows) == 1 and n_decided:
        return say("one decided", row=row, other=_loser(row), **numbers)
    if open_pairs.empty:
        return say("all decided", pairs=len(rows), last=rows["decided_at"].max(), **numbers)
    in_all = _in_all(study, open_pairs).sort_values(kind="stable")
    soonest, row = in_all.iloc[0], open_pairs.loc[in_all.index[0]]
    near = not soonest >= study.n_units * (1 if n_decided else _FAR)
    far = not near and study.n_units >= _FEWEST_TO_GIVE_UP and row["more_low"] >= row["n"]
    if len(rows) == 1 and _by_runs(rows).any():
        p = f"p {compared_p(row['p_runs'])}"
        return say("one held", row=row, ahead=_seems_better(study, row), p=p, things=_things(study), **numbers)
    if len(rows) == 1:
        return say("one open", row=row, near=near, far=far, expected=_expected(study, row, soonest), **numbers)
    said = say(
        "following",
        row=row,
        expected=_expected(study, row, soonest),
        told=not absent(soonest),
        fewest=FEWEST_TO_FORETELL,
        things=_things(study),
    )
    ahead, since = _ahead(rows)
    counted = {"pairs": len(rows), "decided": n_decided, "following": said}
    if near and not ahead:
        return say("go on", **counted, **numbers)
    return say("announce" if near else "enough", ahead=ahead, since=since, far=far, **counted, **numbers)


def _by_runs(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Say which pairs runs alone leave open."""
    return rows["open_by_runs"] if "open_by_runs" in rows else rows["decided_at"].isna() & False


def _seems_better(study: StoppingStudy, row: "pd.Series[Any]") -> str:
    """Return the system of a pair that is better on the runs at hand."""
    rises = study.scores is None or bool(study.scores["higher_is_better"].sel(metric=row["metric"]))
    return str(row["system_a"] if (row["difference"] > 0.0) == rises else row["system_b"])


def _runs_words(study: StoppingStudy, rows: pd.DataFrame) -> tuple[str, ...]:
    """Say of several pairs how many runs alone leave open."""
    n_held = int(_by_runs(rows).sum())
    return (say("held", held=n_held, things=_things(study)),) if n_held and len(rows) > 1 else ()


def _with_order(study: StoppingStudy, answer: str) -> str:
    """Say first of a leave to stop that it holds for an order of arrival which nothing told."""
    if not study.order_assumed or not answer.startswith(_LEAVE):
        return answer
    votes, things = study.scores is None, "votes" if study.scores is None else unit().topics
    return say("if in order", things=things, votes=votes, answer=f"{answer[0].lower()}{answer[1:]}")


def _in_all(study: StoppingStudy, pairs: pd.DataFrame) -> "pd.Series[float]":
    """Return the units still expected until each pair is decided, those of others among them as so far."""
    return pairs["more"] * study.n_units / pairs["n"]


def _expected(study: StoppingStudy, row: "pd.Series[Any]", in_all: float) -> str:
    """Say how many units a pair is expected to take still."""
    ends, p_runs = {name: _two_digits(row[column]) for name, column in _EXPECTED.items()}, row.get("p_runs")
    return say(
        "expected",
        told=not absent(row["more"]),
        endless=np.isinf(row["more"]),
        held=not absent(p_runs) and not is_significant(np.array(p_runs), study.alpha).item(),
        unbounded=np.isinf(row["more_high"]),
        things=_thing(study) if ends["more"] == "1" else _things(study),
        in_all=_two_digits(in_all),
        apart=row["n"] < study.n_units,
        fewest=FEWEST_TO_FORETELL,
        **ends,
    )


def _ahead(rows: pd.DataFrame) -> tuple[str, float]:
    """Return the system that is decided to be better than all others, and since when; no name where there is none."""
    n_others = len({*rows["system_a"], *rows["system_b"]}) - 1
    won = rows.groupby("winner", sort=False)["decided_at"].agg(["size", "max"])
    best = won[won["size"] == n_others]
    return ("", np.nan) if best.empty else (str(best.index[0]), float(best["max"].iloc[0]))


def _under(study: StoppingStudy) -> str:
    return f" under {name_of_metric(study.metrics[0])}" if len(study.metrics) > 1 else ""


def _loser(row: "pd.Series[Any]") -> object:
    return row["system_b"] if row["winner"] == row["system_a"] else row["system_a"]


def _written_units(value: object) -> str:
    """Write a number of units, which may be without end."""
    return "∞" if isinstance(value, float) and np.isinf(value) else whole(value)


def _two_digits(value: float) -> str:
    """Write an estimated number of units to two digits."""
    return _written_units(value if absent(value) or np.isinf(value) else float(f"{value:.2g}"))


def _quote(study: StoppingStudy) -> str:
    guarantee = (
        say("always", level=f"{1 - study.alpha:g}")
        if study.correction == _FAMILY_WISE
        else say("at stop", alpha=share(study.alpha))
    )
    return say("quote", things=_things(study), guarantee=guarantee)


def _replay_words(study: StoppingStudy, rows: pd.DataFrame) -> tuple[str, ...]:
    decided = rows[rows["decided_at"].notna()]
    if not study.n_replays or decided.empty:
        return ()
    medians = {"taken": decided["replay_median"].median(), "fixed": decided["fixed"].median()}
    runs = bool(decided["fixed"].isna().any())
    return (say("replay", n_replays=study.n_replays, things=_things(study), runs=runs, **medians),)


def _key_figures(study: StoppingStudy) -> Table:
    """Return how many pairs each metric decides, and when."""
    rows = []
    for metric in study.metrics:
        pairs = study.pairs[study.pairs["metric"] == metric]
        soonest = _in_all(study, pairs).min()
        rows.append(
            {
                "metric": metric,
                "decided": f"{pairs['decided_at'].notna().sum()} of {len(pairs)}",
                "last": pairs["decided_at"].max(),
                "more": soonest,
            }
        )
    columns = (
        *left(name_of_metric, metric="Metric"),
        *right(decided="Pairs decided"),
        *right(whole, last=f"Last decided after {_things(study)}"),
        *right(_written_units, more=f"Next expected after more {_things(study)}"),
    )
    return key_figures(pd.DataFrame(rows), columns)


# -------------------------------------------------------------------------------------------------------- the sections


def _evidence_section(study: StoppingStudy, rows: pd.DataFrame) -> Section:
    drawn = pd.concat([rows.head(_MOST_LINES // 2), rows.tail(_MOST_LINES // 2)]).drop_duplicates()
    paths = study.paths[study.paths["metric"] == study.metrics[0]].merge(
        drawn[["system_a", "system_b", "decided_at"]], on=["system_a", "system_b"]
    )
    n_decided = int(rows["decided_at"].notna().sum())
    picture = say.picture(
        "evidence",
        lambda: figures.evidence_lines(paths, n_pairs=len(rows), alpha=study.alpha, counted_in=_things(study)),
        pairs=len(rows),
        n=study.n_units,
        thing=_thing(study),
        things=_things(study),
        decided=n_decided,
        note="" if len(drawn) == len(rows) else f"Shown: {len(drawn)} of {len(rows)} pairs.",
    )
    return say.section("evidence", picture, things=_things(study))


def _pairs_section(study: StoppingStudy) -> Section:
    pairs = study.pairs.head(_MOST_PAIRS)
    frame = pairs.assign(
        ends=intervals(pairs["low"], pairs["high"], _DIFFERENCE),
        expected=intervals(pairs["more_low"], pairs["more_high"], _written_units),
    )
    of_runs = right(p_value, p_runs="p, runs") if "p_runs" in pairs and pairs["p_runs"].notna().any() else ()
    replayed: tuple[Column, ...] = ()
    if study.n_replays:
        replayed = (
            *right(share, "Replayed", replay_decided="decided"),
            *under(whole, "Replayed", replay_median="after"),
        )
    table = say.table(
        "pairs",
        frame,
        of_metrics(frame),
        left(system_a="System A", system_b="System B", winner="Better"),
        right(whole, decided_at="Decided after"),
        right(_DIFFERENCE, difference="A less B"),
        under(text, ends="interval"),
        right(_EVIDENCE, log10_evidence="Evidence, log₁₀"),
        right(_written_units, more="Still expected"),
        under(text, expected="nine of ten"),
        right(_written_units, fixed="Fixed"),
        of_runs,
        replayed,
        data=study.pairs,
        runs=bool(of_runs),
        things=_things(study),
        alpha=study.alpha,
        votes=study.scores is None,
        fewest=FEWEST_TO_FORETELL,
        replayed=bool(study.n_replays),
        n_replays=study.n_replays,
    )
    more = len(study.pairs) - len(pairs)
    further = (Text(paragraphs=(f"{count(more, 'further pair')} in the data alone.",)),) if more else ()
    return say.section("pairs", table, *further, decided=int(study.pairs["decided_at"].notna().sum()))


def _methods(study: StoppingStudy) -> Methods:
    forms = [say("form", form=form) for form in dict.fromkeys(study.forms)]
    how = {"cluster": say("whole clusters")} | {
        kind: say("votes together", kind=kind) for kind in ("question", "voter")
    }
    words = say(
        "methods",
        forms=forms,
        study=study,
        thing=_thing(study),
        correction=say("correction", name=study.correction),
        how=how.get(study.counted_in, ""),
        traits="" if study.scores is None else traits_said(study.scores, gaps="paired"),
        runs="p_runs" in study.pairs,
    )
    return Methods(paragraphs=(words,))
