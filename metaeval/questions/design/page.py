# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report of a design: how many topics a new collection needs."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval import figures
from metaeval.base.unit import unit
from metaeval.base.words import (
    End,
    ends,
    name_of_metric,
    number,
    percentage,
    share,
    short_names_sentence,
    significant,
    text,
    whole,
)
from metaeval.page.blocks import Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, under
from metaeval.questions.design.study import DesignStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures, named
from metaeval.reports.prose import prose


class _Achieved(NamedTuple):
    """What the topics at hand achieve under a design."""

    what: str
    write: Callable[[object], str]


_ACHIEVED: Mapping[str, _Achieved] = {
    "t": _Achieved("power", number(2)),
    "anova": _Achieved("power", number(2)),
    "interval": _Achieved("width", number(3)),
}
_POINTS = 25
say = prose(__name__)


def design_report(study: DesignStudy) -> Report:
    """Put a design into a report."""
    metrics = study.table["metric"].unique().tolist()
    facts = [] if study.variances is None else [(str(len(metrics)), "metric" if len(metrics) == 1 else "metrics")]
    if _at_hand(study):
        facts.append((_at_hand(study), f"{unit().topics} at hand"))
    facts += [(f"{study.power:g}", "power"), (f"{study.alpha:g}", "significance level α")]
    noted = study.table[study.table["note"] != ""]
    return Report(
        command="design",
        title=say("title"),
        facts=tuple(facts),
        summary=_summary(study),
        key_figures=_figures(study),
        sections=(_topics_section(study), *_variance_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(
            *study.notes,
            *(say("unanswered", row=row, name=_name(study, row.method)) for row in noted.itertuples()),
        ),
        data={"designs.csv": csv_file(study.table)},
    )


def _at_hand(study: DesignStudy) -> str:
    """Return how many topics there are already; nothing where that is not one number."""
    return whole(study.table["topics_at_hand"].iloc[0]) if "topics_at_hand" in study.table else ""


def _said(study: DesignStudy, passage: str, **given: Any) -> str:  # noqa: ANN401 - as `say`
    return say(passage, study=study, level=percentage(1 - study.alpha), **given)


def _name(study: DesignStudy, method: object) -> str:
    return _said(study, str(method))


def _variance(study: DesignStudy) -> str:
    return "" if study.variances is None else say(study.variances.method)


def _summary(study: DesignStudy) -> tuple[str, ...]:
    """Answer in a sentence, for the first question; then which number to quote, and what it rests on."""
    first = study.table.iloc[0]
    same = (study.table["method"] == first["method"]) & (study.table["difference"] == first["difference"])
    answer = _said(
        study, f"{first['method']} asked", difference=f"{first['difference']:g}", needed=_needed(study, same.to_numpy())
    )
    quote = _said(study, "quote", reached=_reached(study)) if _spread(study) else ""
    freedom = None if study.variances is None else study.table["degrees_of_freedom"]
    least, uneven = (None, False) if freedom is None else (freedom.min(), freedom.min() < freedom.max())
    return (answer, *([quote] if quote else []), say("basis", study=study, freedom=least, uneven=uneven))


def _ends(study: DesignStudy, rows: NDArray[np.bool_], column: str = "n_topics") -> list[End]:
    """Return the least and the most demanding metric of some rows, or one end where they need the same."""
    selected = study.table[rows]
    topics = selected[column].astype(float).fillna(np.inf)
    written = [say("too many") if np.isinf(value) else whole(value) for value in topics]
    return list(dict.fromkeys(ends(map(name_of_metric, selected["metric"]), topics, written)))


def _needed(study: DesignStudy, rows: NDArray[np.bool_]) -> str:
    """Say how many topics one question needs: of one metric, or of the least and the most demanding."""
    extremes = _ends(study, rows)
    if len(extremes) > 1:
        return say("span", both=extremes, who=named(extremes, "metrics"))
    return say(
        "one", figure=extremes[0].figure, who=extremes[0].who if study.variances is not None and rows.sum() == 1 else ""
    )


def _reached(study: DesignStudy) -> list[str]:
    """Return for what share of the pairs the topics are enough, from the least to the most."""
    reached = study.table["pairs_reached"].dropna()
    return list(dict.fromkeys(f"{100 * end:.0f}" for end in (reached.min(), reached.max())))


def _figures(study: DesignStudy) -> Table:
    """Return what every design and difference needs under the least and the most demanding metric."""
    several, rows = len(study.table["metric"].unique()) > 1, []
    for (method, difference), of_design in study.table.groupby(["method", "difference"], sort=False):
        asked = study.table.index.isin(of_design.index)
        extremes = _ends(study, asked)
        row: dict[str, object] = {"design": _name(study, method), "difference": difference}
        written = zip(extremes, named(extremes, "metrics"), strict=True)
        least, *most = [f"{end.figure} ({who})" if several else end.figure for end, who in written]
        row |= {"least": least, "most": most[0] if most else least}
        if _spread(study):
            has_share = method != "anova"
            row["share"] = (
                " to ".join(end.figure for end in _ends(study, asked, "n_topics_for_share")) if has_share else None
            )
        rows.append(row)
    heads = {"least": "fewest", "most": "most"} if several else {"least": "needed"}
    columns = [*left(design="Design"), *right(lambda value: f"{value:g}", difference="Difference")]
    columns += right(text, unit().Topics, **heads)
    if _spread(study):
        columns += right(text, unit().Topics, share=say("for a share", study=study))
    return key_figures(pd.DataFrame(rows), columns, data=study.table)


def _topics_section(study: DesignStudy) -> Section:
    methods = study.table["method"].unique().tolist()
    rows = []
    for (metric, difference), answers in study.table.groupby(["metric", "difference"], sort=False):
        row = {"metric": metric, "variance": answers["variance"].iloc[0], "difference": difference}
        for answer in answers.to_dict("records"):
            achieved = answer.get(f"{_ACHIEVED[answer['method']].what}_at_hand")
            row |= {answer["method"]: answer["n_topics"], f"{answer['method']} at hand": achieved}
            row |= {f"{answer['method']} {name}": answer.get(name) for name in ("pairs_reached", "n_topics_for_share")}
        rows.append(row)
    columns = [
        *left(name_of_metric, metric="Metric"),
        *right(partial(significant, digits=5), variance="Variance of a score"),
        *right(lambda value: f"{value:g}", difference="Difference"),
    ]
    for name in methods:
        achieved, group = _ACHIEVED[name], _name(study, name)
        columns += right(whole, group, **{name: unit().topics})
        if _spread(study) and name != "anova":
            columns += under(share, group, **{f"{name} pairs_reached": "of pairs"})
            columns += right(whole, group, **{f"{name} n_topics_for_share": say("for a share", study=study)})
        if _at_hand(study):
            columns += under(achieved.write, group, **{f"{name} at hand": f"{achieved.what} at hand"})
    widest = _name(study, "interval") if "interval" in methods else ""
    words = say("table", study=study, at_hand=_at_hand(study), widest=widest, spread=_spread(study))
    table = Table(
        name="topic-set-size",
        title=say("table title"),
        caption=" ".join([words, *short_names_sentence(study.table["metric"].unique())]),
        frame=pd.DataFrame(rows),
        columns=tuple(columns),
        data=study.table,
    )
    picture = Picture(
        **say.named("topics by difference", at_hand=_at_hand(study)),
        draw=lambda: figures.topics_by_difference(
            study.for_differences(_around(study)),
            study.table,
            names={str(name): _name(study, str(name)).partition(",")[0] for name in methods},
            at_hand=int(study.table["topics_at_hand"].iloc[0]) if _at_hand(study) else None,
        ),
        alt=_summary(study)[0],
    )
    return Section(**say.headed("topics lead"), brief=True, blocks=(picture, table))


def _spread(study: DesignStudy) -> bool:
    """Return whether it is known for how many pairs the topics are enough."""
    return "pairs_reached" in study.table and bool(study.table["pairs_reached"].notna().any())


def _around(study: DesignStudy) -> Sequence[float]:
    """Return differences from half the smallest that was asked for to twice the largest, in equal steps of a log."""
    asked = study.table["difference"]
    curve: list[float] = np.geomspace(asked.min() / 2, asked.max() * 2, _POINTS).tolist()
    return curve


def _variance_section(study: DesignStudy) -> tuple[Section, ...]:
    if study.variances is None:
        return ()
    frame, spread = study.variances.table, number(5)
    columns = [
        *left(name_of_metric, metric="Metric"),
        *(left(collection="Collection") if len(frame["collection"].unique()) > 1 else ()),
        *right(spread, "Variance", variance="of a score", difference_variance="of a difference"),
        *right(whole, degrees_of_freedom="Degrees of freedom"),
    ]
    table = Table(
        name="variances",
        title=say("variance section"),
        caption=say("variance table", variance=_variance(study)),
        frame=frame,
        columns=tuple(column for column in columns if column.name in frame),
        data=frame,
    )
    return (Section(id="variance", title=say("variance section"), lead=say("variance lead"), blocks=(table,)),)


def _methods(study: DesignStudy) -> Methods:
    words = say(
        "methods",
        study=study,
        asked=[f"{difference:g}" for difference in study.table["difference"].unique()],
        designs=[_said(study, f"{name} defined") for name in study.table["method"].unique()],
        variance=_variance(study),
        spread=_spread(study),
        pooled=study.variances is not None and study.variances.table.groupby("metric").size().max() > 1,
    )
    return Methods(paragraphs=(words,), cite=("sakai2016",))
