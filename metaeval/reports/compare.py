# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that helps to choose a metric: a comparison of metrics put into sections, words and pictures."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from metaeval.figures.compare import heaviness_panels
from metaeval.figures.judgments import stability_panels
from metaeval.figures.power import power_differences
from metaeval.io.tables import write_scores
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Item, Items, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.reports.topic_words import topic_count
from metaeval.studies.compare import CompareStudy
from metaeval.words import MISSING, count, interval, listed, name_of_metric, number, percentage, share, whole

__all__ = ["compare_page", "write_compare_report"]

_TITLE = "Which metric should we use?"
_SAME = 0.9
_NO_INTERVAL = (
    (
        "Difference required",
        "a maximum, median and quantile over pairs; resampling shifts extremes, so an interval would mislead",
    ),
    ("Conflicts", "a count of named pairs: look at them one by one"),
    ("Identical pairs", "systems with equal scores on every topic at hand; a fact about these runs"),
    ("Judgments that keep τ ≥ 0.9", "read off the curve of mean τ, whose points have standard errors"),
    ("Rank of half the score, top-heaviness", "computed, not estimated"),
)


def compare_page(study: CompareStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put a comparison of metrics into a page.

    Parameters
    ----------
    study : CompareStudy
    messages : sequence of str
        Warnings given on the way; they stand with the study's notes.

    Returns
    -------
    Page
    """
    frame = study.to_frame()
    sections = [
        _overview_section(study, frame),
        _power_section(study),
        *_topics_section(study),
        *_robustness_section(study),
        _agreement_section(study, frame),
        _scores_section(study, frame),
        *_heaviness_section(study),
        _limits_section(study),
        notes_section(study.notes, messages),
        provenance_section(study.provenance),
    ]
    sizes = study.scores.sizes
    facts = (
        (str(sizes["metric"]), "metrics"),
        (str(sizes["system"]), "systems"),
        (str(sizes["topic"]), "topics"),
        (str(study.sensitivity.n_pairs), "pairs of systems"),
    )
    return Page(
        title=_TITLE, facts=facts, summary=_summary(study, frame), sections=tuple(sections), provenance=study.provenance
    )


def write_compare_report(
    study: CompareStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of a comparison of metrics as a folder.

    Parameters
    ----------
    study : CompareStudy
    out : path
        The folder; see `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `compare_page`.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.
    """
    check_folder(out, overwrite=overwrite)
    data: dict[str, Callable[[Path], object]] = {
        name: partial(write_scores, study.scores) for name in ("scores.nc", "scores.parquet")
    }
    return write_page(compare_page(study, messages=messages), out, data=data, overwrite=overwrite)


def _summary(study: CompareStudy, frame: pd.DataFrame) -> tuple[str, ...]:
    ranked = frame.sort_values("power", ascending=False, kind="stable")
    best, used = ranked.iloc[0], frame.iloc[0]
    power = (
        f"{name_of_metric(best['metric'])} tells most pairs of systems apart: {share(best['power'])} "
        f"({interval(best['power_low'], best['power_high'])}); {name_of_metric(study.current)}, the metric in use, "
        f"{share(used['power'])} ({interval(used['power_low'], used['power_high'])})."
    )
    if best["metric"] == study.current:
        power = (
            f"{name_of_metric(study.current)}, the metric in use, tells most pairs of systems apart: "
            f"{share(best['power'])} ({interval(best['power_low'], best['power_high'])})."
        )
    clear = _clearly_ahead(study)
    lines = [f"{power} {_clear_words(study, clear)}"]
    others = frame.iloc[1:]
    sure = others["f1_low"] if "f1_low" in others else others["f1"]
    close = others[(sure >= _SAME) & (others["conflicts"] == 0)]["metric"].tolist()
    open_still = others[(others["f1"] >= _SAME) & ~others["metric"].isin(close)]["metric"].tolist()
    conflicts = int(others["conflicts"].sum())
    agree = (
        f"{_names(close)} {'leads' if len(close) == 1 else 'lead'} to the same conclusions as {study.current} (F1 and "
        f"its interval at {_SAME:g} or above, no conflict)"
        if close
        else f"No candidate surely leads to the same conclusions as {study.current} (F1 and its interval at {_SAME:g} "
        "or above, no conflict)"
    )
    if open_still:
        agree += f"; not settled by these topics for {_names(open_still)}"
    lines.append(
        f"{agree}; {count(conflicts, 'pair') if conflicts else 'no pair'} of systems "
        f"{'are' if conflicts > 1 else 'is'} significant in opposite directions under a candidate and {study.current}."
    )
    front = study.unbeaten()
    quality = "keeping the ranking with half the judgments" if "tau_half" in frame else f"agreeing with {study.current}"
    if front:
        lines.append(
            f"Unbeaten in power and in {quality} together: {_names(front)}. The intervals below say how sure that is."
        )
    return tuple(lines)


def _names(metrics: Sequence[str]) -> str:
    return listed(map(name_of_metric, metrics))


def _clearly_ahead(study: CompareStudy) -> pd.DataFrame:
    frame = study.power_differences()
    touching = (frame["metric_a"] == study.current) | (frame["metric_b"] == study.current)
    return frame[touching & ((frame["low"] > 0) | (frame["high"] < 0))]


def _clear_words(study: CompareStudy, clear: pd.DataFrame) -> str:
    better: list[str] = []
    worse: list[str] = []
    for a, b, difference in clear[["metric_a", "metric_b", "difference"]].to_numpy().tolist():
        other = b if a == study.current else a
        ahead = (difference < 0) == (a == study.current)
        (better if ahead else worse).append(other)
    if not better and not worse:
        level = percentage(study.confidence_level)
        return f"No candidate's power differs clearly from it ({level} intervals over topics hold zero)."
    parts = []
    if better:
        parts.append(f"clearly more powerful over other topics, too: {_names(better)}")
    if worse:
        parts.append(f"clearly less powerful: {_names(worse)}")
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}."


def _with_interval(frame: pd.DataFrame, name: str, write: Callable[[object], str]) -> pd.Series:
    low, high = f"{name}_low", f"{name}_high"
    if low not in frame:
        return pd.Series("no interval", index=frame.index)
    return pd.Series([interval(a, b, write) for a, b in zip(frame[low], frame[high], strict=True)], index=frame.index)


def _overview_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    shown = frame.copy()
    columns = [Column(name="shown", label="Metric")]
    shown["shown"] = [
        f"{name_of_metric(name)} (in use)" if name == study.current else name_of_metric(name)
        for name in frame["metric"]
    ]

    def add(name: str, label: str, write: Callable[[object], str]) -> None:
        shown[f"{name}_interval"] = _with_interval(frame, name, write)
        columns.append(Column(name=name, label=label, write=write, align="right"))
        columns.append(Column(name=f"{name}_interval", label="interval", align="right", under=True))

    add("power", "Power", share)
    add("power_by", "corrected", share)
    if "topics_median" in frame:
        add("topics", "Topics needed", _as_is)
        shown["topics"] = [
            topic_count(median) if pd.notna(median) else _as_is(words)
            for median, words in zip(frame["topics_median"], frame["topics"], strict=True)
        ]
        shown["topics_interval"] = [
            f"{topic_count(low)} to {topic_count(high)}" if pd.notna(low) else MISSING
            for low, high in zip(frame["topics_low"], frame["topics_high"], strict=True)
        ]
    if "tau_half" in frame:
        add("tau_half", "τ, half judged", number(3))
    add("f1", f"F1 with {study.current}", number(3))
    columns.append(Column(name="conflicts", label="Conflicts", write=whole, align="right"))
    table = Table(
        name="metrics",
        title="Side by side",
        caption=f"Under each figure its {percentage(study.confidence_level)} interval, over topics"
        + (" (of τ: over draws of the judgments that stay)" if "tau_half" in frame else "")
        + f". Power: share of pairs told apart (test {study.power.test}; corrected: Benjamini and Yekutieli)"
        + (". Topics needed: median by the Bayesian model" if "topics_median" in frame else "")
        + ". More of everything is better but topics needed and conflicts.",
        frame=shown,
        data=frame,
        columns=tuple(columns),
    )
    second, front = study.second_quality, study.unbeaten()
    picture = Picture(
        name="trade-off",
        figure=study.plot(),
        title="What is gained and what is lost",
        caption="Further right tells more systems apart, further up "
        + ("needs fewer judgments. " if second == "tau_half" else f"concludes more as {study.current} does. ")
        + "Bars are intervals; the dashed line joins the metrics that no other beats (blue: none is as good in "
        "both and better in one); the ring is the "
        "metric in use. Bars are of each metric by itself; two whose bars overlap may still differ, since both "
        "saw the same topics: the differences are below.",
        alt=f"{len(frame)} points; unbeaten: {_names(front)}.",
    )
    return Section(
        id="overview",
        title="All metrics at a glance",
        lead="A metric worth adopting tells systems apart, needs few topics and judgments, and does not contradict "
        "what was known without good reason.",
        blocks=(picture, table),
    )


def _as_is(value: object) -> str:
    return MISSING if value is None or pd.isna(value) else str(value)  # type: ignore[call-overload]  # a cell


def _power_section(study: CompareStudy) -> Section:
    differences = study.power_differences()
    own = differences[(differences["metric_a"] == study.current) | (differences["metric_b"] == study.current)]
    dots = Picture(
        name="power",
        figure=study.power.plot(),
        title="Discriminative power with intervals over topics",
        caption="What others should expect to find with as many other topics of the same kind.",
        alt="One row a metric with the share of pairs told apart.",
    )
    turned = own.assign(
        turn=own["metric_b"] == study.current,
    )
    shown = pd.DataFrame(
        {
            "metric_a": turned["metric_a"].where(~turned["turn"], turned["metric_b"]),
            "metric_b": turned["metric_b"].where(~turned["turn"], turned["metric_a"]),
            **{
                name: turned[name].where(~turned["turn"], -turned[other])
                for name, other in (
                    ("difference", "difference"),
                    ("low", "high"),
                    ("high", "low"),
                    ("systems_low", "systems_high"),
                    ("systems_high", "systems_low"),
                )
            },
        }
    ).reset_index(drop=True)
    picture = Picture(
        name="power-differences",
        figure=power_differences(shown),
        title=f"{study.current} against every candidate",
        caption="Difference of the powers with intervals over topics, which are paired: both metrics see the same "
        "topics. Blue where the interval leaves out zero.",
        alt=f"{len(shown)} differences with intervals.",
    )
    table = Table(
        name="power-differences",
        title="Differences in power, over topics and over systems",
        caption=f"Over systems: the range of the middle {percentage(study.choice.confidence_level)} of "
        f"{study.choice.n_choices} choices of {study.choice.n_systems} systems, uncorrected.",
        frame=differences.assign(
            topics=[interval(a, b, _points) for a, b in zip(differences["low"], differences["high"], strict=True)],
            systems=[
                interval(a, b, _points)
                for a, b in zip(differences["systems_low"], differences["systems_high"], strict=True)
            ],
        ),
        data=differences,
        columns=(
            Column(name="metric_a", label="First", write=name_of_metric),
            Column(name="metric_b", label="Second", write=name_of_metric),
            Column(name="difference", label="Difference (points)", write=_points, align="right"),
            Column(name="topics", label="over topics", align="right", group="Interval"),
            Column(name="systems", label="over systems", align="right", group="Interval"),
            Column(name="first_higher", label="First higher", write=share, align="right"),
        ),
    )
    required = study.sensitivity.summary()
    needed = Table(
        name="difference-required",
        title="Difference required",
        caption="The difference of two systems' means from which it is significant by bootstrap sensitivity: the "
        "largest over pairs, as published, with median and 95th percentile, since one odd pair decides the largest.",
        frame=required,
        columns=(
            Column(name="metric", label="Metric", write=name_of_metric),
            Column(name="difference_required", label="largest", write=number(3), align="right"),
            Column(name="difference_required_median", label="median", write=number(3), align="right"),
            Column(name="difference_required_p95", label="95th percentile", write=number(3), align="right"),
        ),
    )
    return Section(
        id="power",
        title="Does it tell systems apart?",
        lead="A metric that calls hardly any difference significant wastes the effort of judging; but power alone is "
        "no virtue: a metric may be sure and wrong.",
        blocks=(dots, picture, Fold(title="Every pair of metrics", blocks=(table,)), needed),
    )


def _points(value: object) -> str:
    return number(1)(None if value is None else 100 * float(value))  # type: ignore[arg-type]  # a cell of numbers


def _topics_section(study: CompareStudy) -> tuple[Section, ...]:
    if study.topics is None:
        return ()
    frame = study.topics.to_frame()
    at_hand = study.scores.sizes["topic"]
    if "posterior_median" not in frame:
        words = Text(paragraphs=tuple(f"{part}: {why}" for part, why in study.topics.unestimated.items()), look="note")
        blocks: tuple[Block, ...] = (words,)
    else:
        shown = frame.assign(
            median=[topic_count(value) for value in frame["posterior_median"]],
            ends=[
                f"{topic_count(low)} to {topic_count(high)}" if pd.notna(low) else _as_is(note)
                for low, high, note in zip(frame["posterior_low"], frame["posterior_high"], frame["note"], strict=True)
            ],
        )
        blocks = (
            Table(
                name="topics-needed",
                title=f"Topics needed, error at most {percentage(study.topics.minimum.max_error)}",
                caption="By the curve that predicts best, as published (> beyond the limit, * extrapolated), and by "
                f"the Bayesian model with its {percentage(study.confidence_level)} interval.",
                frame=shown,
                data=frame,
                columns=(
                    Column(name="metric", label="Metric", write=name_of_metric),
                    Column(name="text", label="by the curve", align="right"),
                    Column(name="median", label="median", align="right", group="Bayesian model"),
                    Column(name="ends", label="interval", align="right", group="Bayesian model"),
                    Column(name="p_enough", label=f"{at_hand} are enough", write=share, align="right"),
                ),
            ),
        )
    return (
        Section(
            id="topics",
            title="How many topics does it need?",
            lead="So many topics in each of two sets that they disagree about which of two systems is better no more "
            "often than allowed.",
            blocks=blocks,
        ),
    )


def _robustness_section(study: CompareStudy) -> tuple[Section, ...]:
    if study.stability is None:
        return ()
    frame = study.stability.to_frame()
    picture = Picture(
        name="robustness",
        figure=stability_panels(frame, measures=["tau"], at_least=0.9),
        title="Rankings with fewer judgments",
        caption="Kendall's τ between the ranking with all judgments and with a random part of them (stratified), "
        f"mean of {study.stability.n_replicates} draws; bars are standard errors. Above the line at 0.9 rankings are "
        "commonly called the same.",
        alt=f"Lines for {len(study.stability.metrics)} metrics over {len(study.stability.steps)} levels.",
    )
    kept = study.stability.thresholds()
    table = Table(
        name="judgments-needed",
        title="Smallest share of judgments that keeps τ at 0.9",
        caption="Interpolated between levels; in parentheses the number of relevant documents left.",
        frame=kept,
        columns=(
            Column(name="metric", label="Metric", write=name_of_metric),
            Column(name="text", label="Judgments", align="right"),
        ),
    )
    return (
        Section(
            id="robustness",
            title="How does it bear missing judgments?",
            lead="New systems find documents that nobody judged. A metric whose ranking falls apart when judgments "
            "are taken away will be unfair to them.",
            blocks=(picture, table),
        ),
    )


def _agreement_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    shown = frame.iloc[1:].copy()
    columns = [Column(name="metric", label="Metric", write=name_of_metric)]
    for name, label in (("precision", "Precision"), ("recall", "Recall"), ("f1", "F1")):
        write = number(3) if name == "f1" else share
        shown[f"{name}_interval"] = _with_interval(shown, name, write)
        columns.append(Column(name=name, label=label, write=write, align="right"))
        columns.append(Column(name=f"{name}_interval", label="interval", align="right", under=True))
    columns.append(Column(name="conflicts", label="Conflicts", write=whole, align="right"))
    table = Table(
        name="agreement",
        title=f"Significant pairs of each metric as a prediction of those of {study.current}",
        caption=f"Test {study.agreement.result.test}, {study.agreement.result.correction}, α = "
        f"{study.agreement.alphas[0]:g}. Precision: of the pairs that the candidate finds, the share that "
        f"{study.current} finds too. Recall: of the pairs that {study.current} finds.",
        frame=shown,
        columns=tuple(columns),
    )
    blocks: list[Block] = [table]
    conflicts = study.conflicts()
    if len(conflicts):
        blocks.append(
            Table(
                name="conflicts",
                title="Pairs significant in opposite directions",
                caption="Either metric is wrong about these, or they measure different things: look at the runs.",
                frame=conflicts,
                columns=(
                    Column(name="metric_a", label="Metric", write=name_of_metric),
                    Column(name="better_under_a", label="better"),
                    Column(name="metric_b", label="Metric", write=name_of_metric),
                    Column(name="better_under_b", label="better"),
                    Column(name="lead_a", label="lead", write=number(3), align="right"),
                    Column(name="lead_b", label="lead", write=number(3), align="right"),
                ),
            )
        )
    return Section(
        id="agreement",
        title=f"Does it conclude what {study.current} concludes?",
        lead="Agreement is no proof of quality, but every changed conclusion will have to be explained.",
        blocks=tuple(blocks),
    )


def _scores_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    shown = frame.copy()
    for name in ("zero_share", "tied_share"):
        shown[f"{name}_interval"] = _with_interval(frame, name, share)
    table = Table(
        name="scores",
        title="Zeros and ties",
        caption=f"With {percentage(study.confidence_level)} intervals over topics. Tied: pairs of systems with equal "
        "scores on a topic. Identical: pairs equal on every topic at hand.",
        frame=shown,
        data=frame[[name for name in frame if name == "metric" or "share" in str(name)]],
        columns=(
            Column(name="metric", label="Metric", write=name_of_metric),
            Column(name="zero_share", label="Zero scores", write=share, align="right"),
            Column(name="zero_share_interval", label="interval", align="right", under=True),
            Column(name="tied_share", label="Tied pairs", write=share, align="right"),
            Column(name="tied_share_interval", label="interval", align="right", under=True),
            Column(name="identical_share", label="Identical pairs", write=share, align="right"),
        ),
    )
    return Section(
        id="scores",
        title="Does it say something on every topic?",
        lead="A score of zero for nearly everybody, or the same score for many, says nothing about systems on that "
        "topic.",
        blocks=(table,),
    )


def _heaviness_section(study: CompareStudy) -> tuple[Section, ...]:
    if study.heaviness is None:
        return ()
    picture = Picture(
        name="top-heaviness",
        figure=heaviness_panels(study.heaviness),
        title="How much the top counts",
        caption="A list of 1000 documents holds a single relevant one, at the rank on the axis; judgments are binary. "
        "A curve that falls at once looks at the very top only, and rests on few documents (Sakai and Kando 2008, "
        "Figure 1). Exact.",
        alt=f"Falling curves of {study.heaviness.sizes['metric']} metrics.",
    )
    return (
        Section(
            id="top-heaviness",
            title="Whose patience does it model?",
            lead="Metrics differ in how fast the worth of a document falls with its rank. That is a choice about "
            "users, not a matter of statistics.",
            blocks=(picture,),
        ),
    )


def _limits_section(study: CompareStudy) -> Section:
    items = [Item(term=part[0].upper() + part[1:], words=f"not known: {why}") for part, why in study.unknown.items()]
    items += [Item(term=part, words=f"no interval: {why}") for part, why in _NO_INTERVAL]
    words = (
        "Everything rests on these systems and topics. A metric that serves them may not serve other tasks; and "
        "nothing here asks whether the metric measures what users want."
    )
    return Section(
        id="limits",
        title="What has no interval, and what is not known",
        lead="Figures without an interval, and why.",
        blocks=(Items(items=tuple(items)), Text(paragraphs=(words,))),
    )
