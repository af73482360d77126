"""The page that helps to choose a metric: a comparison of metrics put into sections, words and pictures."""

from typing import Any

import pandas as pd

from metaeval import figures
from metaeval.base.digits import draws_of_middle, error_of_share
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    carried,
    intervals,
    name_of_metric,
    number,
    points,
    sentence_case,
    share,
    short_names_sentence,
    text,
    whole,
    without_error,
)
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Column, Table, Write, bounded, left, right, rising
from metaeval.questions.check_metric.page import expected_columns
from metaeval.questions.compare_metrics.page_findings import (
    agreement_sentence,
    compare_methods,
    likely,
    limits_section,
    qualities,
    summary_paragraphs,
)
from metaeval.questions.compare_metrics.study import CompareStudy
from metaeval.questions.compare_metrics.study_verdict import DETECTED
from metaeval.questions.judgments.page_power import drawn_words
from metaeval.questions.judgments.page_reductions import threshold_errors
from metaeval.questions.topics.page_words import count_errors, drawn_chance, part_name, topic_count, topics_needed_words
from metaeval.questions.topics.study import TopicsStudy
from metaeval.reports.data_files import score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.tests_stat.correction import CORRECTIONS

_ENDS = ("", "_low", "_high")
say = prose(__name__)


def compare_report(study: CompareStudy) -> Report:
    """Put a comparison of metrics into a report."""
    frame, sizes = study.to_frame(), study.scores.sizes
    return Report(
        command="compare-metrics",
        title=say("title"),
        facts=facts(
            metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=study.sensitivity.n_pairs
        ),
        summary=summary_paragraphs(study),
        key_figures=_key_figures(study, frame),
        sections=(
            _overview_section(study, frame),
            *_expected_section(study),
            _power_section(study),
            _required_section(study),
            *([] if study.topics is None else [_topics_section(study, study.topics)]),
            *_robustness_section(study),
            _agreement_section(study, frame),
            _scores_section(study, frame),
            *_heaviness_section(study, frame),
            limits_section(study),
        ),
        methods=compare_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*short_names_sentence(study.metrics), *study.notes),
        data=score_files(study.scores),
    )


def _side_by_side(study: CompareStudy, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Column, ...], str]:
    """Return the qualities of every metric as written, their columns, and the errors of topics needed."""
    in_use = study.current
    judged, counted = "tau_half" in frame, "topics_median" in frame
    measures: dict[str, tuple[str, Write]] = {
        "power": ("Power, uncorrected", share),
        "power_bh": (f"Power, {CORRECTIONS.words('fdr_bh')}", share),
        "power_by": (f"Power, {CORRECTIONS.words('fdr_by')}", share),
        **({"topics": (f"{unit().Topics} needed", text)} if counted else {}),
        **({"tau_half": ("τ, half judged", text)} if judged else {}),
        **({"f1": (f"F1 with {name_of_metric(in_use)}", number(3))} if in_use is not None else {}),
    }
    table_frame, columns = bounded(
        frame.assign(topics=0) if counted else frame, measures, draws=study.power.n_topic_resamples
    )
    if judged:  # its interval is over the draws: half of it is two errors
        half = (frame["tau_half_high"] - frame["tau_half_low"]) / 4.0
        ends = [
            [without_error(*row, number(3)) for row in zip(frame[f"tau_half{end}"], half, strict=True)] for end in _ENDS
        ]
        table_frame["tau_half"], table_frame["tau_half_sort"] = ends[0], frame["tau_half"]
        pairs = zip(*ends[1:], strict=True)
        table_frame["tau_half_interval"] = [MISSING if MISSING in pair else " to ".join(pair) for pair in pairs]
    counts = study.topics_errors()
    if counts is not None:
        errors = counts.reindex(frame["metric"])
        middle = zip(frame["topics_median"], errors["median_error"], strict=True)
        bounds = frame["topics_low"], frame["topics_high"], errors["low_error"], errors["high_error"]
        table_frame["topics"], table_frame["topics_sort"] = (
            [topic_count(*row) for row in middle],
            frame["topics_median"],
        )
        table_frame["topics_interval"] = topics_needed_words(*bounds)
    names = [say("in use", metric=name, current=study.current) for name in frame["metric"]]
    return table_frame.assign(shown=names), columns, "" if counts is None else count_errors(counts)


def _key_figures(study: CompareStudy, frame: pd.DataFrame) -> Table:
    """Return power, topics needed and what stands against power, with their intervals."""
    table_frame, columns, errors = _side_by_side(study, frame)
    key_columns = tuple(column for column in columns if not column.name.startswith(("power_bh", "power_by")))
    if "expectations_met" in frame:
        met = zip(frame["expectations_met"], frame["expectations_tried"], strict=True)
        table_frame["expected"] = [MISSING if pd.isna(n_met) else f"{n_met:.0f} of {of:.0f}" for n_met, of in met]
        key_columns += right(text, expected="Expectations met")
    caption = say("key figures", study=study, posterior=study.topics and study.topics.posterior, errors=errors)
    return key_figures(table_frame, (*left(shown="Metric"), *key_columns), by="power", caption=caption)


def _overview_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    in_use = study.current
    judged, counted = "tau_half" in frame, "topics_median" in frame
    table_frame, columns, errors = _side_by_side(study, frame)
    table = Table(
        **say.named(
            "metrics",
            study=study,
            judged=judged,
            counted=counted,
            posterior=study.topics and study.topics.posterior,
            errors=errors,
        ),
        frame=table_frame,
        data=frame,
        columns=(*left(shown="Metric"), *columns, *(right(whole, conflicts="Conflicts") if in_use is not None else ())),
    )
    verdict = study.verdict().to_frame()
    points = 100 * verdict[["difference", "detectable"]]
    possible = verdict["detectable"] <= 1.0 + (verdict["quality"] == "tau_half")  # τ goes from -1 to 1
    sure = Table(
        **say.named("verdict", least=DETECTED, level=study.confidence_level),
        frame=verdict.assign(
            of=verdict["quality"].map(qualities()),
            p_better=[likely(study, *row) for row in zip(verdict["quality"], verdict["p_better"], strict=True)],
            p_better_sort=verdict["p_better"],
            lead=points["difference"],
            found=[drawn_chance(p) if pd.notna(p) else MISSING for p in verdict["chance"]],
            needs=points["detectable"].where(possible),
        ),
        data=verdict,
        columns=(
            *left(of="Quality"),
            *left(name_of_metric, metric="First", against="Second"),
            *right(p_better="Better"),
            *left(surely="Surely"),
            *right(number(1), "Lead (points)", lead="observed"),
            *right(number(0), "Lead (points)", needs=f"found in {100 * DETECTED:.0f} %"),
            *right(found="Chance"),
        ),
    )
    return Section(
        **say.headed("overview lead"),
        blocks=(_trade_off(study, frame), table, Fold(title=say("verdict title"), blocks=(sure,))),
        brief=True,
    )


def _trade_off(study: CompareStudy, frame: pd.DataFrame) -> Picture:
    """Draw power against the second quality, or power alone where there is none."""
    if study.second_quality is None:
        return _power_picture(study)
    robust = study.second_quality == "tau_half"
    return Picture(
        name="trade-off",
        draw=study.plot,
        title=say("trade-off title"),
        # of F1 with the metric in use, that metric has no point
        caption=say("trade-off", robust=robust, current=study.current),
        alt=say("trade-off mark", n=len(frame), robust=robust, front=study.pareto_front()),
    )


def _power_picture(study: CompareStudy) -> Picture:
    return Picture(
        name="power",
        draw=study.power.plot,
        title=say("power title", power=study.power),
        caption=say("power picture", power=study.power),
        alt=say("power mark"),
    )


def _expected_section(study: CompareStudy) -> tuple[Section, ...]:
    """Show which expectations of users each metric meets, then what was expected and what happened."""
    long = study.expectations
    if long.empty:
        return ()
    names = list(dict.fromkeys(long["expectation"]))
    wide = long.pivot_table(index="metric", columns="expectation", values="state", aggfunc="first")
    wide = wide.reindex(index=[metric for metric in study.metrics if metric in wide.index], columns=names).fillna(
        MISSING
    )
    table = Table(
        name="expectations",
        **say.titled("expected"),
        frame=wide.rename_axis(columns=None).reset_index(),
        columns=(METRIC, *left(**{name: sentence_case(name) for name in names})),
        data=long,
    )
    every = Table(
        name="expectations-found",
        title=say("expected fold"),
        caption=say("expected found"),
        frame=long,
        columns=expected_columns(long, expected="Expectation"),
    )
    blocks = (table, Fold(title=say("expected fold"), blocks=(every,)))
    section = Section(
        id="expectations", title=say("expected title"), lead=say("expected lead"), blocks=blocks, brief=True
    )
    return (section,)


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
    every = _differences_table(study, differences, "power-differences", say("every title"))
    blocks: tuple[Block, ...] = (every,)
    if study.current is not None:
        of_current = _against_current(study, differences)
        picture = Picture(
            **say.named("power-differences", n=study.power.n_topic_resamples, current=study.current),
            draw=lambda: figures.power_differences(of_current),
            alt=say("own mark", n=len(of_current)),
        )
        against = _differences_table(
            study, of_current, "power-against-current", say("against title", current=study.current)
        )
        blocks = picture, against, Fold(title=say("every pair"), blocks=(every,))
    if study.second_quality is not None:  # or else it stands above
        blocks += (Fold(title=say("power title", power=study.power), blocks=(_power_picture(study),)),)
    return Section(**say.headed("power lead"), blocks=blocks, brief=True)


def _differences_table(study: CompareStudy, frame: pd.DataFrame, name: str, title: str) -> Table:
    choice = study.choice
    percents = 100 * frame[["low", "high", "systems_low", "systems_high"]]
    return Table(
        name=name,
        title=title,
        caption=say("differences", power=study.power, choice=choice),
        frame=frame.assign(
            topics=intervals(
                percents["low"],
                percents["high"],
                points(1),
                draws=study.power.n_topic_resamples,
                about=100 * frame["difference"],
            ),
            systems=intervals(
                percents["systems_low"], percents["systems_high"], points(1), draws=draws_of_middle(choice.n_choices)
            ),
            first_higher=[
                carried(proportion, error_of_share(proportion, choice.n_choices))
                for proportion in frame["first_higher"]
            ],
            first_higher_sort=frame["first_higher"],
        ),
        data=frame,
        columns=(
            *left(name_of_metric, metric_a="First", metric_b="Second"),
            *right(_points, difference="Difference (points)"),
            *right(text, "Interval", topics=f"over {unit().topics}", systems="over systems"),
            *right(first_higher="First has more power, over systems"),
        ),
    )


def _required_section(study: CompareStudy) -> Section:
    required, errors = study.sensitivity.summary(), study.sensitivity.required_errors()
    written: dict[str, Any] = {f"{name}_sort": required[name] for name in errors}
    for name in map(str, errors):
        written[name] = [carried(*row, number(3)) for row in zip(required[name], errors[name], strict=True)]
    table = Table(
        name="difference-required",
        title=say("required"),
        caption=say("required table", found=study.sensitivity),
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
    return Section(id="required", title=say("required"), lead=say("required lead"), blocks=(table,))


def _points(value: object) -> str:
    return number(1)(None if value is None else 100 * float(value))  # type: ignore[arg-type]  # a cell of numbers


def _topics_section(study: CompareStudy, topics: TopicsStudy) -> Section:
    return Section(**say.headed("topics lead"), blocks=_topics_blocks(study, topics))


def _topics_blocks(study: CompareStudy, topics: TopicsStudy) -> tuple[Block, ...]:
    frame, limit = topics.to_frame(), topics.minimum.max_error
    by_curve = Table(
        **say.named("topics-needed-by-curve", limit=limit), frame=frame, columns=(METRIC, *right(text=unit().Topics))
    )
    check = Fold(title=say("check"), blocks=(by_curve,))
    if topics.posterior is None:
        words = tuple(f"{part_name(analysis)}: {why}" for analysis, why in topics.unestimated.items())
        return Text(paragraphs=words, look="note"), check
    counts = topics.posterior.minimum_topics(errors=True)
    counts = frame[["metric", "tolerance"]].merge(counts, on=["metric", "tolerance"], how="left")
    ends = topics_needed_words(*(counts[name] for name in ("low", "high", "low_error", "high_error")))
    likely_errors = [error_of_share(p, topics.posterior.n_draws) for p in counts["p_enough"].dropna()]
    told = [
        interval if pd.notna(low) else text(note)
        for interval, low, note in zip(ends, frame["posterior_low"], frame["note"], strict=True)
    ]
    needed = Table(
        **say.named(
            "topics-needed",
            level=topics.posterior.ci_prob,
            counts=count_errors(counts),
            likely=likely_errors,
            limit=limit,
        ),
        frame=frame.assign(
            ends=told,
            posterior_median=[topic_count(*row) for row in counts[["median", "median_error"]].to_numpy().tolist()],
            posterior_median_sort=counts["median"],
        ),
        data=frame,
        columns=(
            METRIC,
            *right(posterior_median=f"{unit().Topics} needed"),
            *right(ends="interval"),
            *right(drawn_chance, p_enough=f"{study.scores.sizes['topic']} are enough"),
        ),
    )
    return needed, check


def _robustness_section(study: CompareStudy) -> tuple[Section, ...]:
    stability = study.stability
    if stability is None:
        return ()
    picture = Picture(
        **say.named("robustness", drawn=drawn_words(stability.n_replicates, random=True), single=stability.single_draw),
        draw=lambda: figures.stability_panels(stability.to_frame(), measures=["tau"], min_tau=0.9),
        alt=say("robustness mark", found=stability),
    )
    thresholds = stability.thresholds()
    table = Table(
        **say.named("judgments-needed", errors=threshold_errors(thresholds)),
        frame=thresholds,
        columns=(METRIC, *right(text="Judgments")),
    )
    return (Section(**say.headed("robustness lead"), blocks=(picture, table)),)


def _agreement_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    table, conflicts = _agreement_table(study, frame), study.conflicts()
    words = () if study.current is None else (Text(paragraphs=(agreement_sentence(study, frame.iloc[1:]),)),)
    named_ones = Table(
        **say.named("conflicts"),
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
        **say.headed("agreement lead", current=study.current),
        blocks=(*words, table, *((named_ones,) if len(conflicts) else ())),
    )


def _agreement_table(study: CompareStudy, frame: pd.DataFrame) -> Table:
    """Set each metric against the one in use, or, where none is named, every two against each other."""
    current, draws = study.current, study.power.n_topic_resamples
    title = say("agreement title", current=current)
    caption = say("agreement table", current=current, agreement=study.agreement, intervals=study.agreement_intervals)
    if current is None:
        table_frame, columns = bounded(study.agreements(), {"f1": ("F1", number(3))}, draws=draws)
        return Table(
            name="agreement",
            title=title,
            caption=caption,
            frame=table_frame,
            columns=(
                *left(name_of_metric, metric_a="First", metric_b="Second"),
                *columns,
                *right(whole, conflicts="Conflicts"),
            ),
        )
    measures: dict[str, tuple[str, Write]] = {
        "precision": ("Precision", share),
        "recall": ("Recall", share),
        "f1": ("F1", number(3)),
    }
    table_frame, columns = bounded(frame.iloc[1:], measures, draws=draws)
    return Table(
        name="agreement",
        title=title,
        caption=caption,
        frame=table_frame,
        columns=(METRIC, *columns, *right(whole, conflicts="Conflicts")),
    )


def _scores_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    table_frame, columns = bounded(
        frame,
        {"zero_share": ("Zero scores", share), "tied_share": ("Tied pairs", share)},
        draws=study.power.n_topic_resamples,
    )
    table = Table(
        name="scores",
        title=say("scores"),
        caption=say("scores table", level=study.confidence_level),
        frame=table_frame,
        data=frame[[name for name in frame if name == "metric" or "share" in str(name)]],
        columns=(METRIC, *columns, *right(share, identical_share="Identical pairs")),
    )
    return Section(id="scores", title=say("scores"), lead=say("scores lead"), blocks=(table,))


def _heaviness_section(study: CompareStudy, frame: pd.DataFrame) -> tuple[Section, ...]:
    heaviness = study.heaviness
    if heaviness is None:
        return ()
    picture = Picture(
        **say.named("top-heaviness"),
        draw=lambda: figures.heaviness_panels(heaviness),
        alt=say("top-heaviness mark", n=heaviness.sizes["metric"]),
    )
    table = Table(
        **say.named("half-score", n=heaviness["relevant"].to_numpy()[0]),
        frame=frame,
        columns=(METRIC, *rising(whole, top_half="Rank")),
    )
    return (Section(**say.headed("top-heaviness lead"), blocks=(picture, table), brief=True),)
