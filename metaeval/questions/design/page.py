# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report of a design: how many topics a new collection needs."""

from collections.abc import Callable, Hashable, Mapping, Sequence
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
    listed,
    name_of_metric,
    number,
    percentage,
    share,
    short_names_sentence,
    significant,
    text,
    whole,
)
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, under
from metaeval.questions.design.study import DesignStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures, named
from metaeval.reports.prose import prose
from metaeval.tests_stat.tails import fewest_by_signs


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
_NAMED = 3
say = prose(__name__)
_VARIANCES = {
    "within": "that of the scores about each system's own mean",
    "pairs": "half the variance of the differences of the systems that were paired",
}
_MEAN_VARIANCES = {"within": "variance around the mean of each system"}


def design_report(study: DesignStudy) -> Report:
    """Put a design into a report."""
    metrics = study.table["metric"].unique().tolist()
    facts = [] if study.variances is None else [(str(len(metrics)), "metric" if len(metrics) == 1 else "metrics")]
    if _at_hand(study):
        facts.append((_at_hand(study), f"{unit().topics} at hand"))
    facts += [(f"{study.power:g}", "power"), (f"{study.alpha:g}", "significance level α")]
    noted = study.table[study.table["note"] != ""]
    if "n_topics_then" in noted:  # the key figures say them
        noted = noted[noted["n_topics_then"].isna()]
    return Report(
        command="design",
        title=f"How many {unit().topics} does a new collection need?",
        facts=tuple(facts),
        summary=_summary(study),
        key_figures=_figures(study),
        sections=(_topics_section(study), *_variance_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(
            *study.notes,
            *(
                f"{name_of_metric(row.metric)}, difference {row.difference:g}, "
                f"{_method_name(study, row.method)}: {row.note}"
                for row in noted.itertuples()
            ),
        ),
        data={"designs.csv": csv_file(study.table)},
    )


def _at_hand(study: DesignStudy) -> str:
    """Return how many topics there are already; nothing where that is not one number."""
    return whole(study.table["topics_at_hand"].iloc[0]) if "topics_at_hand" in study.table else ""


def _design_words(study: DesignStudy, passage: str, **given: Any) -> str:  # noqa: ANN401 - as `say`
    return say(passage, study=study, level=percentage(1 - study.alpha), fewest=fewest_by_signs(study.alpha), **given)


def _method_name(study: DesignStudy, method: object) -> str:
    names = {
        "t": "Paired t test",
        "anova": f"Analysis of variance, {study.n_systems} systems",
        "interval": f"{percentage(1 - study.alpha)} interval",
    }
    return names[str(method)]


def _pairs_words(study: DesignStudy) -> str:
    return f"for {percentage(study.share)} of pairs"


def _summary(study: DesignStudy) -> tuple[str, ...]:
    """Answer in a sentence, for the first design; then which number to quote, and what it rests on."""
    words = [_answer(study), *_of_runs(study)]
    if _has_spread(study) and study.variances is not None:
        of = _MEAN_VARIANCES.get(study.variances.method, "mean variance of pairs")
        words += [_design_words(study, "quote", reached=_shares_reached(study), of=of)]
    if study.by_components:
        return (*words, say("basis", of="a score by components of variance of earlier scores"))
    if study.variances is None:
        return (*words, say("basis", of="a score that was given"))
    freedom = study.table["degrees_of_freedom"]
    least = "at least " if freedom.min() < freedom.max() else ""
    return (*words, say("basis", of=f"the scores given ({least}{whole(freedom.min())} degrees of freedom)"))


def _answer(study: DesignStudy) -> str:
    """Say how many topics the first design needs, for the first differences that were named."""
    method = study.table["method"].iloc[0]
    same = study.table["method"] == method
    differences = study.table.loc[same, "difference"].unique().tolist()[:_NAMED]
    asked_of = [(same & (study.table["difference"] == asked)).to_numpy() for asked in differences]
    if any(len(_beyond_runs(study.table[rows])) for rows in asked_of):
        return " ".join(
            _answer_beyond_runs(study, f"{method} asked", f"{asked:g}", rows)
            for asked, rows in zip(differences, asked_of, strict=True)
        )
    needed = [_needed(study, rows) for rows in asked_of]
    answer = _design_words(study, f"{method} asked", difference=f"{differences[0]:g}", needed=needed[0])
    further = [f"{topics} for {asked:g}" for asked, topics in zip(differences[1:], needed[1:], strict=True)]
    return f"{answer.removesuffix('.')}; {listed(further)}." if further else answer


def _beyond_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for which no number of topics is enough with the repeats planned, as runs differ."""
    if "run_variance" not in table:
        return table.iloc[:0]
    return table[table["n_topics"].isna() & table["run_variance"].gt(0.0)]


def _answer_beyond_runs(study: DesignStudy, passage: str, difference: str, rows: NDArray[np.bool_]) -> str:
    """Say how many topics find a difference, or how many repeats it takes, under the most demanding metric."""
    beyond = _beyond_runs(study.table[rows])
    if beyond.empty:
        return _design_words(study, passage, difference=difference, needed=_needed(study, rows))
    scores = beyond["n_topics_then"].mul(beyond["repeats_needed"]).fillna(np.inf).astype(float)
    worst = beyond.iloc[int(scores.to_numpy().argmax())]
    who = f" ({name_of_metric(worst['metric'])})" if len(study.table["metric"].unique()) > 1 else ""
    return _design_words(
        study,
        f"{passage.removesuffix(' asked')} beyond runs",
        difference=difference,
        times=_times(worst["repeats"]),
        then=_then(worst),
        who=who,
    )


def _times(repeats: int) -> str:
    return "one run of each system" if repeats == 1 else f"{whole(repeats)} repeats"


def _then(row: Mapping[Hashable, Any] | pd.Series) -> str:
    """Write the topics and repeats that are enough; nothing where none are."""
    if pd.isna(row["n_topics_then"]):
        return ""
    return f"{whole(row['n_topics_then'])} {unit().topics} with {whole(row['repeats_needed'])} repeats"


def _of_runs(study: DesignStudy) -> tuple[str, ...]:
    """Say that whole runs count, and how much they differ, where they do."""
    if "run_variance" not in study.table:
        return ()
    spreads = np.sqrt(study.table["run_variance"].dropna())
    ends_of = list(dict.fromkeys(significant(end, digits=2) for end in (spreads.min(), spreads.max())))
    repeats = study.table["repeats"].dropna().unique()
    means = f"means over {' to '.join(map(whole, sorted(repeats)))} repeats" if max(repeats) > 1 else _times(1)
    return (say("of runs", means=means, spread=" to ".join(ends_of)),)


def _ends(study: DesignStudy, rows: NDArray[np.bool_], column: str = "n_topics") -> list[End]:
    """Return the least and the most demanding metric of some rows, or one end where they need the same."""
    selected = study.table[rows]
    topics = selected[column].astype(float).fillna(np.inf)
    written = [_written(row, value) for (_, row), value in zip(selected.iterrows(), topics, strict=True)]
    return list(dict.fromkeys(ends(map(name_of_metric, selected["metric"]), topics, written)))


def _written(row: pd.Series, n_topics: float) -> str:
    """Write a number of topics, or why there is none."""
    if np.isfinite(n_topics):
        return whole(n_topics)
    if not row.get("run_variance", 0.0) > 0.0:
        return "more than ten million"
    then = _then(row) if pd.isna(row["n_topics"]) else ""
    return f"none with {_times(row['repeats'])}{f'; {then}' if then else ''}"


def _needed(study: DesignStudy, rows: NDArray[np.bool_]) -> str:
    """Say how many topics one question needs: of one metric, or of the least and the most demanding."""
    extremes = [end._replace(figure=_with_interval(study, rows, end)) for end in _ends(study, rows)]
    topic, topics = unit().topic, unit().topics
    if len(extremes) > 1:
        (least, most), names = extremes, named(extremes, "metrics")
        return f"{least.figure} {topics} ({names[0]}) to {most.figure} ({names[1]})"
    who = f" ({extremes[0].who})" if study.variances is not None and rows.sum() == 1 else ""
    return f"{extremes[0].figure} {topic if study.table[rows]['n_topics'].fillna(0).eq(1).all() else topics}{who}"


def _with_interval(study: DesignStudy, rows: NDArray[np.bool_], end: End) -> str:
    """Write topics with the interval that the variance of the one metric at an end leaves them, where it has one."""
    of_end = study.table[rows & study.table["metric"].map(name_of_metric).isin(end.names).to_numpy()]
    if len(of_end) != 1 or "n_topics_low" not in of_end or of_end["n_topics_low"].isna().any():
        return end.figure
    row = of_end.iloc[0]
    return f"{end.figure} [{_between(row['n_topics_low'], row['n_topics_high'], ', ')}]"


def _between(low: Any, high: Any, to: str = " to ") -> str:  # noqa: ANN401 - cells of a table
    """Write the ends of an interval of topics; nothing where the variance has none."""
    return "" if pd.isna(low) else f"{whole(low)}{to}{'∞' if pd.isna(high) else whole(high)}"


def _shares_reached(study: DesignStudy) -> list[str]:
    """Return for what share of the pairs the topics are enough, from the least to the most."""
    reached = study.table["pairs_reached"].dropna()
    return list(dict.fromkeys(f"{100 * end:.0f}" for end in (reached.min(), reached.max())))


def _figures(study: DesignStudy) -> Table:
    """Return what every design and difference needs under the least and the most demanding metric."""
    several, rows = len(study.table["metric"].unique()) > 1, []
    for (method, difference), of_design in study.table.groupby(["method", "difference"], sort=False):
        asked = study.table.index.isin(of_design.index)
        extremes = _ends(study, asked)
        row: dict[str, object] = {"design": _method_name(study, method), "difference": difference}
        written = zip(extremes, named(extremes, "metrics"), strict=True)
        least, *most = [f"{end.figure} ({who})" if several else end.figure for end, who in written]
        row |= {"least": least, "most": most[0] if most else least}
        if _has_spread(study):
            has_share = method != "anova"
            row["share"] = (
                " to ".join(end.figure for end in _ends(study, asked, "n_topics_for_share")) if has_share else None
            )
        rows.append(row)
    heads = {"least": "fewest", "most": "most"} if several else {"least": "needed"}
    columns = [*left(design="Design"), *right(lambda value: f"{value:g}", difference="Difference")]
    columns += right(text, unit().Topics, **heads)
    if _has_spread(study):
        columns += right(text, unit().Topics, share=_pairs_words(study))
    return key_figures(pd.DataFrame(rows), columns, data=study.table)


def _topics_section(study: DesignStudy) -> Section:
    methods = study.table["method"].unique().tolist()
    rows = []
    for (metric, difference), answers in study.table.groupby(["metric", "difference"], sort=False):
        row = {"metric": metric, "variance": answers["variance"].iloc[0], "difference": difference}
        for answer in answers.to_dict("records"):
            achieved = answer.get(f"{_ACHIEVED[answer['method']].what}_at_hand")
            row |= {answer["method"]: answer["n_topics"], f"{answer['method']} at hand": achieved}
            row[f"{answer['method']} interval"] = _between(answer.get("n_topics_low"), answer.get("n_topics_high"))
            row |= {f"{answer['method']} {name}": answer.get(name) for name in ("pairs_reached", "n_topics_for_share")}
        rows.append(row)
    columns = [
        *left(name_of_metric, metric="Metric"),
        *right(partial(significant, digits=5), variance="Variance of a score"),
        *right(lambda value: f"{value:g}", difference="Difference"),
    ]
    for name in methods:
        achieved, group = _ACHIEVED[name], _method_name(study, name)
        columns += right(whole, group, **{name: unit().topics})
        if "n_topics_low" in study.table:
            columns += under(text, group, **{f"{name} interval": f"{percentage(1 - study.alpha)} interval"})
        if _has_spread(study) and name != "anova":
            columns += under(share, group, **{f"{name} pairs_reached": "of pairs"})
            columns += right(whole, group, **{f"{name} n_topics_for_share": _pairs_words(study)})
        if _at_hand(study):
            columns += under(achieved.write, group, **{f"{name} at hand": f"{achieved.what} at hand"})
    calculation = "exact distributions" if study.calculation == "exact" else "approximations"
    notes = [say("spread")] if _has_spread(study) else []
    notes += [say("present", at_hand=_at_hand(study))] if _at_hand(study) else []
    notes += [say("widest", name=_method_name(study, "interval"))] if "interval" in methods else []
    table = say.table(
        "table",
        pd.DataFrame(rows),
        columns,
        called="topic-set-size",
        data=study.table,
        study=study,
        calculation=calculation,
        notes=[*notes, *short_names_sentence(study.table["metric"].unique())],
    )
    picture = say.picture(
        "topics by difference",
        lambda: figures.topics_by_difference(
            study.for_differences(_differences_around(study)),
            study.table,
            names={str(name): _method_name(study, str(name)).partition(",")[0] for name in methods},
            at_hand=int(study.table["topics_at_hand"].iloc[0]) if _at_hand(study) else None,
        ),
        alt=_summary(study)[0],
        line=f"The dashed line: the {_at_hand(study)} present {unit().topics}." if _at_hand(study) else "",
    )
    return say.section("topics", picture, table)


def _has_spread(study: DesignStudy) -> bool:
    """Return whether it is known for how many pairs the topics are enough."""
    return "pairs_reached" in study.table and bool(study.table["pairs_reached"].notna().any())


def _differences_around(study: DesignStudy) -> Sequence[float]:
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
    columns = [column for column in columns if column.name in frame]
    table = say.table("variances", frame, columns, data=frame, variance=_of_variance(study.variances.method))
    return (say.section("variance", table, brief=False),)


def _of_variance(method: str) -> str:
    return _VARIANCES.get(method) or say("residual")


def _methods(study: DesignStudy) -> Methods:
    words = [
        say(
            "methods",
            study=study,
            asked=[f"{difference:g}" for difference in study.table["difference"].unique()],
            designs=[_design_words(study, f"{name} defined") for name in study.table["method"].unique()],
        )
    ]
    words += [] if study.calculation == "exact" else ["His closed approximations replace the exact distributions."]
    if study.variances is not None:
        pooled = study.variances.table.groupby("metric").size().max() > 1
        over = ", pooled over the collections by their degrees of freedom" if pooled else ""
        variance = f"{_of_variance(study.variances.method)}{over}"
    else:
        variance = say("components") if study.by_components else "one that was given"
    words += [say("variance", variance=variance)]
    words += [say("for a share", study=study)] if _has_spread(study) else []
    return Methods(paragraphs=(" ".join(words),), cite=("sakai2016",))
