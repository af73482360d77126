# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The page that helps to choose a metric: a comparison of metrics put into sections, words and pictures."""

from typing import Any

import pandas as pd

from metaeval import figures
from metaeval.base.digits import draws_of_middle, error_of_share
from metaeval.base.words import (
    MISSING,
    beside,
    carried,
    errors_said,
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    short_names,
    text,
    whole,
)
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, Write, bounded, left, right
from metaeval.reports.compare_words import QUALITIES, compare_methods, likely, limits_section, named, summary_paragraphs
from metaeval.reports.data_files import score_files
from metaeval.reports.judgment_power import drawn_words
from metaeval.reports.judgment_reductions import threshold_errors
from metaeval.reports.shared import facts
from metaeval.reports.topic_words import chance, count_errors, topic_count, topic_counts
from metaeval.studies.compare import CompareStudy
from metaeval.studies.metric_verdict import NOT_WORSE
from metaeval.studies.topics import TopicsStudy
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_ENDS = ("", "_low", "_high")


def compare_report(study: CompareStudy) -> Report:
    """Put a comparison of metrics into a report."""
    frame, sizes = study.to_frame(), study.scores.sizes
    return Report(
        command="compare-metrics",
        title="Which metric should we use?",
        facts=(
            *facts(
                metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=study.sensitivity.n_pairs
            ),
        ),
        summary=summary_paragraphs(study, frame),
        sections=(
            _overview_section(study, frame),
            _power_section(study),
            _required_section(study),
            *_topics_section(study),
            *_robustness_section(study),
            _agreement_section(study, frame),
            _scores_section(study, frame),
            *_heaviness_section(study, frame),
            limits_section(study),
        ),
        methods=compare_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*short_names(study.metrics), *study.notes),
        data=score_files(study.scores),
    )


def _overview_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    level, in_use = percentage(study.confidence_level), study.current
    judged, topics = "tau_half" in frame, "topics_median" in frame
    measures: dict[str, tuple[str, Write]] = {
        "power": ("Power, uncorrected", share),
        "power_by": ("Power, corrected", share),
        **({"topics": ("Topics needed", text)} if topics else {}),
        **({"tau_half": ("τ, half judged", text)} if judged else {}),
        **({"f1": (f"F1 with {name_of_metric(in_use)}", number(3))} if in_use is not None else {}),
    }
    shown, columns = bounded(frame.assign(topics=0) if topics else frame, measures, draws=study.power.n_rounds)
    if judged:  # its interval is over the draws: half of it is two errors
        half = (frame["tau_half_high"] - frame["tau_half_low"]) / 4.0
        ends = [[beside(*row, number(3)) for row in zip(frame[f"tau_half{end}"], half, strict=True)] for end in _ENDS]
        shown["tau_half"], shown["tau_half_sort"] = ends[0], frame["tau_half"]
        pairs = zip(*ends[1:], strict=True)
        shown["tau_half_interval"] = [MISSING if MISSING in pair else " to ".join(pair) for pair in pairs]
    counts = study.topics_errors()
    if counts is not None:
        errors = counts.reindex(frame["metric"])
        middle = zip(frame["topics_median"], errors["median_error"], strict=True)
        bounds = frame["topics_low"], frame["topics_high"], errors["low_error"], errors["high_error"]
        shown["topics"], shown["topics_sort"] = [topic_count(*row) for row in middle], frame["topics_median"]
        shown["topics_interval"] = topic_counts(*bounds)
    names = [f"{name_of_metric(name)}{' (in use)' * (name == study.current)}" for name in frame["metric"]]
    table = Table(
        name="metrics",
        title="Side by side",
        caption=f"{level} intervals over {study.power.n_topic_resamples} resamples of the topics"
        + (" (of τ: over draws of the judgments that stay)" if judged else "")
        + (f"; of topics needed, the {_posterior_level(study)} posterior interval and median" if topics else "")
        + f". Power: share of significantly different pairs ({TESTS.words(study.power.test)}, uncorrected and with "
        f"{CORRECTIONS.words('fdr_by')}). "
        + ("F1 is of the corrected pairs. " if in_use is not None else "")
        + _better_words(topics=topics, conflicts=in_use is not None)
        + ("" if counts is None else count_errors(counts)),
        frame=shown.assign(shown=names),
        data=frame,
        columns=(
            *left(shown="Metric"),
            *columns,
            *(right(whole, conflicts="Conflicts") if in_use is not None else ()),
        ),
    )
    verdict = study.verdict().to_frame()
    sure = Table(
        name="verdict",
        title="How sure each comparison is",
        caption="Probability that the first metric is better than the second: in power over topics of the same kind, "
        "in topics needed by the posterior, in robustness over draws of the judgments that stay. To be adopted a "
        f"metric must not be worse in any of them (probability of at least {percentage(NOT_WORSE)}), and better in one "
        f"(its {level} interval excludes zero).",
        frame=verdict.assign(
            of=verdict["quality"].map(QUALITIES),
            p_better=[likely(study, *row) for row in zip(verdict["quality"], verdict["p_better"], strict=True)],
            p_better_sort=verdict["p_better"],
        ),
        data=verdict,
        columns=(
            *left(of="Quality"),
            *left(name_of_metric, metric="First", against="Second"),
            *right(p_better="Better"),
            *left(surely="Surely"),
        ),
    )
    return Section(
        id="overview",
        title="Comparison of the metrics",
        lead="A metric worth adopting finds differences between systems, needs few topics and judgments, and does not "
        "contradict what was known without good reason.",
        blocks=(*_trade_off(study, frame), table, Fold(title="How sure each comparison is", blocks=(sure,))),
        brief=True,
    )


def _better_words(*, topics: bool, conflicts: bool) -> str:
    fewer = ["topics needed"] * topics + ["conflicts"] * conflicts
    return f"Higher is better{f', except {listed(fewer)}' if fewer else ''}."


def _trade_off(study: CompareStudy, frame: pd.DataFrame) -> tuple[Picture, ...]:
    """Draw power against the second quality, where there is one."""
    if study.second_quality is None:
        return ()
    robust = study.second_quality == "tau_half"
    upwards = "keeps more of its ranking" if robust else f"concludes more as {name_of_metric(str(study.current))} does"
    front = " The dashed line joins the metrics that no other equals in both and betters in one." if robust else ""
    # of F1 with the metric in use, that metric has no point
    ring = " The ring is the metric in use." if robust and study.current is not None else ""
    told = f"; no other betters {named(study.pareto_front())}" if robust else ""
    picture = Picture(
        name="trade-off",
        draw=study.plot,
        title="What is gained and what is lost",
        caption=f"Further right finds more pairs of systems significantly different, further up {upwards}."
        f"{front}{ring} Bars are intervals of each metric by itself; two whose bars overlap may still differ, "
        "since both saw the same topics: the differences are below.",
        alt=f"{len(frame)} points{told}.",
    )
    return (picture,)


_TURNED = {"metric_a": "metric_b", "low": "high", "systems_low": "systems_high"}
_SIGNED = ["difference", "low", "high", "systems_low", "systems_high"]


def _against_current(study: CompareStudy, differences: pd.DataFrame) -> pd.DataFrame:
    """Return the differences that hold the metric in use, its power first."""
    first, second = (differences[differences[side] == study.current] for side in ("metric_a", "metric_b"))
    second = second.rename(columns=_TURNED | {after: before for before, after in _TURNED.items()})
    second = second.assign(first_higher=1 - second["first_higher"], **{name: -second[name] for name in _SIGNED})
    return pd.concat([first, second[first.columns]]).sort_index().reset_index(drop=True)


def _power_section(study: CompareStudy) -> Section:
    differences = study.power_differences()
    dots = Picture(
        name="power",
        draw=study.power.plot,
        title=f"Discriminative power ({_test(study)})",
        caption=f"With {percentage(study.power.confidence_level)} intervals over {study.power.n_topic_resamples} "
        "resamples of the topics: what others should expect to find with as many other topics of the same kind.",
        alt="One row a metric with the share of significantly different pairs.",
    )
    every = _differences_table(study, differences, "power-differences", "Differences in power of every two metrics")
    blocks: tuple[Block, ...] = (every,)
    if study.current is not None:
        own, current = _against_current(study, differences), name_of_metric(study.current)
        picture = Picture(
            name="power-differences",
            draw=lambda: figures.power_differences(own),
            title=f"{current} against every candidate",
            caption=f"Difference of the powers with intervals over {study.power.n_topic_resamples} resamples of the "
            "topics, which are paired: both metrics see the same topics. Blue where the interval excludes zero.",
            alt=f"{len(own)} differences with intervals.",
        )
        against = _differences_table(
            study, own, "power-against-current", f"Power of {current} minus that of the others"
        )
        blocks = picture, against, Fold(title="Every pair of metrics", blocks=(every,))
    return Section(
        id="power",
        title="Discriminative power",
        lead="A metric that calls hardly any difference significant wastes the effort of judging; but high "
        "power does not imply validity.",
        blocks=(dots, *blocks),
        brief=True,
    )


def _differences_table(study: CompareStudy, frame: pd.DataFrame, name: str, title: str) -> Table:
    choice = study.choice
    points = 100 * frame[["low", "high", "systems_low", "systems_high"]]
    of = "one system of each group" if choice.choose == "one-per-group" else f"{choice.n_systems} systems"
    return Table(
        name=name,
        title=title,
        caption=f"{sentence_case(_test(study))}. Over systems: the range of the middle "
        f"{percentage(choice.confidence_level)} of {choice.n_choices} choices of {of}; the last column is the share of "
        "these choices in which the first metric has more power.",
        frame=frame.assign(
            topics=intervals(
                points["low"], points["high"], number(1), draws=study.power.n_rounds, about=100 * frame["difference"]
            ),
            systems=intervals(
                points["systems_low"], points["systems_high"], number(1), draws=draws_of_middle(choice.n_choices)
            ),
            first_higher=[carried(one, error_of_share(one, choice.n_choices)) for one in frame["first_higher"]],
            first_higher_sort=frame["first_higher"],
        ),
        data=frame,
        columns=(
            *left(name_of_metric, metric_a="First", metric_b="Second"),
            *right(_points, difference="Difference (points)"),
            *right(text, "Interval", topics="over topics", systems="over systems"),
            *right(first_higher="First has more power"),
        ),
    )


def _required_section(study: CompareStudy) -> Section:
    required, errors = study.sensitivity.summary(), study.sensitivity.required_errors()
    written: dict[str, Any] = {f"{name}_sort": required[name] for name in errors}
    for name in map(str, errors):
        written[name] = [carried(*row, number(3)) for row in zip(required[name], errors[name], strict=True)]
    table = Table(
        name="difference-required",
        title="Difference required",
        caption="The largest over pairs, as published, with median and 95th percentile, since one odd pair decides the "
        f"largest. In each metric's own unit. B = {study.sensitivity.n_resamples}, {study.sensitivity.random_source}; "
        "a maximum over pairs changes with B.",
        frame=required.assign(**written),
        data=required,
        columns=(
            METRIC,
            *right(
                text,
                difference_required="largest",
                difference_required_median="median",
                difference_required_p95="95th percentile",
            ),
        ),
    )
    return Section(
        id="required",
        title="Difference required",
        lead="The difference of two systems' means from which it is significant by bootstrap sensitivity.",
        blocks=(table,),
    )


def _test(study: CompareStudy) -> str:
    """Name what the powers are of, wherever they stand: the same pairs, corrected, are fewer."""
    return f"{TESTS.words(study.power.test)}, uncorrected"


def _posterior_level(study: CompareStudy) -> str:
    found = study.topics and study.topics.posterior
    return percentage(found.ci_prob) if found else ""


def _over_resamples(study: CompareStudy) -> str:
    """Say over how many resamples an agreement's intervals are: other numbers give other intervals."""
    found = study.agreement_intervals
    return "" if found is None else f"; intervals over {found.n_topic_resamples} resamples of the topics"


def _points(value: object) -> str:
    return number(1)(None if value is None else 100 * float(value))  # type: ignore[arg-type]  # a cell of numbers


def _topics_section(study: CompareStudy) -> tuple[Section, ...]:
    if study.topics is None:
        return ()
    return (
        Section(
            id="topics",
            title="Topic set size",
            lead="So many topics in each of two sets that they disagree about which of two systems is better no more "
            "often than allowed.",
            blocks=_topics_blocks(study, study.topics),
        ),
    )


def _topics_blocks(study: CompareStudy, topics: TopicsStudy) -> tuple[Block, ...]:
    frame, limit = topics.to_frame(), percentage(topics.minimum.max_error)
    by_curve = Table(
        name="topics-needed-by-curve",
        title=f"Topics needed by the curve, error at most {limit}",
        caption="By the curve that predicts held-out sizes best: read off where observed, * extrapolated, > beyond the "
        "limit. It has no interval and is a check on the model only.",
        frame=frame,
        columns=(METRIC, *right(text="Topics")),
    )
    check = Fold(title="Check: topics needed by the fitted curve", blocks=(by_curve,))
    if topics.posterior is None:
        words = tuple(f"{part}: {why}" for part, why in topics.unestimated.items())
        return Text(paragraphs=words, look="note"), check
    counts = topics.posterior.minimum_topics(errors=True)
    counts = frame[["metric", "tolerance"]].merge(counts, on=["metric", "tolerance"], how="left")
    ends = topic_counts(*(counts[name] for name in ("low", "high", "low_error", "high_error")))
    likely_errors = [error_of_share(p, topics.posterior.n_draws) for p in counts["p_enough"].dropna()]
    told = [
        found if pd.notna(low) else text(note)
        for found, low, note in zip(ends, frame["posterior_low"], frame["note"], strict=True)
    ]
    needed = Table(
        name="topics-needed",
        title=f"Topics needed, error at most {limit}",
        caption=f"Median of the posterior of the Bayesian model, with its {percentage(topics.posterior.ci_prob)} "
        f"interval.{count_errors(counts)}{errors_said(('a probability', likely_errors, ' points'))}",
        frame=frame.assign(
            ends=told,
            posterior_median=[topic_count(*row) for row in counts[["median", "median_error"]].to_numpy().tolist()],
            posterior_median_sort=counts["median"],
        ),
        data=frame,
        columns=(
            METRIC,
            *right(posterior_median="Topics needed"),
            *right(ends="interval"),
            *right(chance, p_enough=f"{study.scores.sizes['topic']} are enough"),
        ),
    )
    return needed, check


def _robustness_section(study: CompareStudy) -> tuple[Section, ...]:
    stability = study.stability
    if stability is None:
        return ()
    picture = Picture(
        name="robustness",
        draw=lambda: figures.stability_panels(stability.to_frame(), measures=["tau"], min_tau=0.9),
        title="Rankings with fewer judgments",
        caption="Kendall's τ between the ranking with all judgments and with a random part of them (stratified)."
        + drawn_words(stability.n_replicates, random=True)
        + ("" if stability.single_draw else " Bars are standard errors.")
        + " Above the line at 0.9 rankings are commonly called the same.",
        alt=f"Lines for {len(stability.metrics)} metrics over {len(stability.steps)} levels.",
    )
    kept = stability.thresholds()
    table = Table(
        name="judgments-needed",
        title="Smallest share of judgments that keeps τ at 0.9",
        caption="Interpolated between levels; in parentheses the number of relevant documents left."
        + threshold_errors(kept),
        frame=kept,
        columns=(METRIC, *right(text="Judgments")),
    )
    return (
        Section(
            id="robustness",
            title="Robustness to missing judgments",
            lead="New systems find documents that nobody judged. A metric whose ranking falls apart when judgments "
            "are taken away will be unfair to them.",
            blocks=(picture, table),
            brief=True,
        ),
    )


def _agreement_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    table, conflicts = _agreement_table(study, frame), study.conflicts()
    named_ones = Table(
        name="conflicts",
        title="Pairs significant in opposite directions",
        caption="Either metric is wrong about these, or they measure different things: look at the runs.",
        frame=conflicts,
        columns=(
            *left(name_of_metric, metric_a="Metric"),
            *left(better_under_a="better"),
            *left(name_of_metric, metric_b="Metric"),
            *left(better_under_b="better"),
            *right(number(3), lead_a="lead", lead_b="lead"),
        ),
    )
    return Section(
        id="agreement",
        title="Agreement of the metrics"
        if study.current is None
        else f"Agreement with {name_of_metric(study.current)}",
        lead="Agreement is no proof of quality, but every changed conclusion will have to be explained.",
        blocks=(table, named_ones) if len(conflicts) else (table,),
    )


def _agreement_table(study: CompareStudy, frame: pd.DataFrame) -> Table:
    """Set each metric against the one in use, or, where none is named, every two against each other."""
    result = study.agreement.result
    asked = (
        f"Test: {TESTS.words(result.test)}, {CORRECTIONS.words(result.correction)}, α = "
        f"{study.agreement.alphas[0]:g}{_over_resamples(study)}."
    )
    if study.current is None:
        shown, columns = bounded(study.agreements(), {"f1": ("F1", number(3))}, draws=study.power.n_topic_resamples)
        return Table(
            name="agreement",
            title="Agreement of every two metrics on significant pairs",
            caption=f"{asked} F1 is the same either way.",
            frame=shown,
            columns=(
                *left(name_of_metric, metric_a="First", metric_b="Second"),
                *columns,
                *right(whole, conflicts="Conflicts"),
            ),
        )
    current = name_of_metric(study.current)
    measures: dict[str, tuple[str, Write]] = {
        "precision": ("Precision", share),
        "recall": ("Recall", share),
        "f1": ("F1", number(3)),
    }
    shown, columns = bounded(frame.iloc[1:], measures, draws=study.power.n_topic_resamples)
    return Table(
        name="agreement",
        title=f"Significant pairs of each metric as a prediction of those of {current}",
        caption=f"{asked} Precision: of the pairs that the candidate finds, the share that {current} finds too. "
        f"Recall: of the pairs that {current} finds, the share that the candidate finds too.",
        frame=shown,
        columns=(METRIC, *columns, *right(whole, conflicts="Conflicts")),
    )


def _scores_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    shown, columns = bounded(
        frame,
        {"zero_share": ("Zero scores", share), "tied_share": ("Tied pairs", share)},
        draws=study.power.n_topic_resamples,
    )
    table = Table(
        name="scores",
        title="Zeros and ties",
        caption=f"With {percentage(study.confidence_level)} intervals over topics. Tied: pairs of systems with equal "
        "scores on a topic. Identical: pairs equal on every topic at hand.",
        frame=shown,
        data=frame[[name for name in frame if name == "metric" or "share" in str(name)]],
        columns=(
            METRIC,
            *columns,
            *right(share, identical_share="Identical pairs"),
        ),
    )
    return Section(
        id="scores",
        title="Zeros and ties",
        lead="A score of zero for nearly everybody, or the same score for many, says nothing about systems on that "
        "topic.",
        blocks=(table,),
        brief=True,
    )


def _heaviness_section(study: CompareStudy, frame: pd.DataFrame) -> tuple[Section, ...]:
    heaviness = study.heaviness
    if heaviness is None:
        return ()
    picture = Picture(
        name="top-heaviness",
        draw=lambda: figures.heaviness_panels(heaviness),
        title="How much the top counts",
        caption="A list of 1000 documents holds a single relevant one, at the rank on the axis; judgments are binary. "
        "A curve that falls at once looks at the very top only, and rests on few documents (Sakai and Kando 2008, "
        "Figure 1). Exact.",
        alt=f"Falling curves of {heaviness.sizes['metric']} metrics.",
    )
    table = Table(
        name="half-score",
        title="Rank of half the score",
        caption="The first rank at which a lone relevant document scores at most half of what it does at rank 1, for a "
        f"topic with {heaviness['relevant'].to_numpy()[0]} relevant ones.",
        frame=frame,
        columns=(METRIC, *right(whole, top_half="Rank")),
    )
    return (
        Section(
            id="top-heaviness",
            title="Top-heaviness",
            lead="Metrics differ in how fast the worth of a document falls with its rank. That is a choice about "
            "users, not a matter of statistics.",
            blocks=(picture, table),
            brief=True,
        ),
    )
