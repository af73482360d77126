"""The page that helps to choose a metric: a comparison of metrics put into sections, words and pictures."""

import pandas as pd

from metaeval import figures
from metaeval.base.digits import draws_of_middle, error_of_share
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    carried,
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
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
from metaeval.page.tables import METRIC, Column, Table, Write, bounded, left, right, under, with_cells
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
from metaeval.questions.topics.page_words import (
    count_errors,
    drawn_chance,
    medians_needed,
    part_name,
    topic_count,
    topics_needed_words,
)
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
        title="Which metric should we use?",
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
        table_frame["topics"], table_frame["topics_sort"] = (
            [topic_count(*row) for row in middle],
            frame["topics_median"],
        )
        bounds = frame[["topics_low", "topics_high"]].set_axis(["low", "high"], axis=1)
        bounds[["low_error", "high_error"]] = errors[["low_error", "high_error"]].to_numpy()
        table_frame["topics_interval"] = topics_needed_words(bounds)
    names = [f"{name_of_metric(name)}{' (in use)' * (name == study.current)}" for name in frame["metric"]]
    return table_frame.assign(shown=names), columns, "" if counts is None else count_errors(counts)


def _key_figures(study: CompareStudy, frame: pd.DataFrame) -> Table:
    """Return power, topics needed and what stands against power, with their intervals."""
    table_frame, columns, errors = _side_by_side(study, frame)
    key_columns = tuple(column for column in columns if not column.name.startswith(("power_bh", "power_by")))
    if "expectations_met" in frame:
        met = zip(frame["expectations_met"], frame["expectations_tried"], strict=True)
        table_frame["expected"] = [MISSING if pd.isna(n_met) else f"{n_met:.0f} of {of:.0f}" for n_met, of in met]
        key_columns += right(text, expected="Expectations met")
    caption = say("key figures", study=study, posterior=None if study.topics is None else study.topics.posterior)
    return key_figures(
        table_frame, (*left(shown="Metric"), *key_columns), by="power", caption=caption, precision=errors
    )


def _overview_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    in_use = study.current
    table_frame, columns, errors = _side_by_side(study, frame)
    table = say.table(
        "metrics",
        table_frame,
        left(shown="Metric"),
        columns,
        right(whole, conflicts="Conflicts") if in_use is not None else (),
        data=frame,
        study=study,
        errors=errors,
    )
    verdict = study.verdict().to_frame()
    points = 100 * verdict[["difference", "detectable"]]
    possible = verdict["detectable"] <= 1.0 + (verdict["quality"] == "tau_half")  # τ goes from -1 to 1
    sure = say.table(
        "verdict",
        with_cells(
            verdict,
            p_better=[likely(study, *row) for row in zip(verdict["quality"], verdict["p_better"], strict=True)],
        ).assign(
            of=verdict["quality"].map(qualities()),
            p_better_sort=verdict["p_better"],
            lead=points["difference"],
            leads=intervals(
                100 * verdict["low"],
                100 * verdict["high"],
                number(1),
                draws=study.power.n_topic_resamples,
                about=points["difference"],
            ),
            found=[drawn_chance(p) if pd.notna(p) else MISSING for p in verdict["chance"]],
            needs=points["detectable"].where(possible),
        ),
        left(of="Quality"),
        left(name_of_metric, metric="First", against="Second"),
        right(p_better="Better"),
        left(surely="Surely"),
        right(number(1), "Lead (points)", lead="observed"),
        under(text, "Lead (points)", leads=f"{percentage(study.confidence_level)} interval"),
        right(number(0), "Lead (points)", needs=f"found in {100 * DETECTED:.0f} %"),
        right(found="Chance"),
        data=verdict,
        least=DETECTED,
        level=study.confidence_level,
    )
    return say.section("overview", _trade_off_picture(study, frame), table, Fold(title=sure.title, blocks=(sure,)))


def _trade_off_picture(study: CompareStudy, frame: pd.DataFrame) -> Picture:
    """Draw power against the second quality, or power alone where there is none."""
    if study.second_quality is None:
        return _power_picture(study)
    alt = f"{len(frame)} points; Pareto front: {listed(map(name_of_metric, study.pareto_front()))}."
    other = f"agreement with {name_of_metric(study.current)}" if study.current else ""
    up = "robustness to fewer judgments" if study.second_quality == "tau_half" else other
    return say.picture("trade-off", study.plot, alt=alt, up=up)


def _power_picture(study: CompareStudy) -> Picture:
    alt = "One row a metric with the share of significantly different pairs."
    return say.picture("power", study.power.plot, alt=alt, power=study.power)


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
    table = say.table(
        "expected",
        wide.rename_axis(columns=None).reset_index(),
        (METRIC,),
        left(**{name: sentence_case(name) for name in names}),
        called="expectations",
        data=long,
    )
    columns = expected_columns(long, expected="Expectation")
    every = say.table("expected found", long, columns, called="expectations-found")
    return (say.section("expected", table, Fold(title=every.title, blocks=(every,)), id="expectations"),)


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
    every = _differences_table(study, differences, "power-differences", "Differences in power of every two metrics")
    blocks: tuple[Block, ...] = (every,)
    if study.current is not None:
        of_current = _against_current(study, differences)
        picture = say.picture(
            "power-differences",
            lambda: figures.power_differences(of_current),
            alt=f"{len(of_current)} differences with intervals.",
            n=study.power.n_topic_resamples,
            current=study.current,
        )
        title = f"Power of {name_of_metric(study.current)} minus that of the others"
        against = _differences_table(study, of_current, "power-against-current", title)
        blocks = picture, against, Fold(title="Every pair of metrics", blocks=(every,))
    if study.second_quality is not None:  # or else it stands above
        picture = _power_picture(study)
        blocks += (Fold(title=picture.title, blocks=(picture,)),)
    return say.section("power", *blocks)


def _differences_table(study: CompareStudy, frame: pd.DataFrame, name: str, title: str) -> Table:
    choice = study.choice
    percents = 100 * frame[["low", "high", "systems_low", "systems_high"]]
    one_each = choice.choose == "one-per-group"
    higher = [carried(share, error_of_share(share, choice.n_choices)) for share in frame["first_higher"]]
    return say.table(
        "differences",
        with_cells(frame, first_higher=higher).assign(
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
            first_higher_sort=frame["first_higher"],
        ),
        left(name_of_metric, metric_a="First", metric_b="Second"),
        right(_points, difference="Difference (points)"),
        right(text, "Interval", topics=f"over {unit().topics}", systems="over systems"),
        right(first_higher="First has more power, over systems"),
        called=name,
        data=frame,
        title=title,
        power=study.power,
        choice=choice,
        chosen="one system of each group" if one_each else f"{choice.n_systems} systems",
    )


def _required_section(study: CompareStudy) -> Section:
    required, errors = study.sensitivity.summary(), study.sensitivity.required_errors()
    pairs = {name: zip(required[name], errors[name], strict=True) for name in map(str, errors)}
    written = {name: [carried(*pair, number(3)) for pair in of_name] for name, of_name in pairs.items()}
    required_of = {"difference_required": "largest", "difference_required_median": "median"}
    table = say.table(
        "required",
        with_cells(required, **written).assign(**{f"{name}_sort": required[name] for name in errors}),
        (METRIC,),
        right(text, **required_of, difference_required_p95="95th percentile"),
        called="difference-required",
        data=required,
        sensitivity=study.sensitivity,
    )
    return say.section("required", table, brief=False)


def _points(value: object) -> str:
    return number(1)(None if value is None else 100 * float(value))  # type: ignore[arg-type]  # a cell of numbers


def _topics_section(study: CompareStudy, topics: TopicsStudy) -> Section:
    return say.section("topics", *(_topics_blocks(study, topics)), brief=False)


def _topics_blocks(study: CompareStudy, topics: TopicsStudy) -> tuple[Block, ...]:
    frame, limit = topics.to_frame(), topics.minimum.max_error
    by_curve = say.table("topics-needed-by-curve", frame, (METRIC,), right(text=unit().Topics), limit=limit)
    check = Fold(title=f"Check: {unit().topics} needed by the fitted curve", blocks=(by_curve,))
    if topics.posterior is None:
        words = tuple(f"{part_name(analysis)}: {why}" for analysis, why in topics.unestimated.items())
        return Text(paragraphs=words, look="note"), check
    counts = topics.posterior.minimum_topics(errors=True)
    counts = frame[["metric", "tolerance"]].merge(counts, on=["metric", "tolerance"], how="left")
    ends = topics_needed_words(counts)
    likely_errors = [error_of_share(p, topics.posterior.n_draws) for p in counts["p_enough"].dropna()]
    told = [
        interval if pd.notna(low) else text(note)
        for interval, low, note in zip(ends, frame["posterior_low"], frame["note"], strict=True)
    ]
    needed = say.table(
        "topics-needed",
        frame.assign(
            ends=told,
            posterior_median=medians_needed(counts),
            posterior_median_sort=counts["median"],
        ),
        (METRIC,),
        right(posterior_median=f"{unit().Topics} needed"),
        right(ends="interval"),
        right(drawn_chance, p_enough=f"{study.scores.sizes['topic']} are enough"),
        data=frame,
        level=topics.posterior.confidence_level,
        counts=count_errors(counts),
        likely=likely_errors,
        limit=limit,
    )
    return needed, check


def _robustness_section(study: CompareStudy) -> tuple[Section, ...]:
    stability = study.stability
    if stability is None:
        return ()
    picture = say.picture(
        "robustness",
        lambda: figures.stability_panels(stability.to_frame(), measures=["tau"], min_tau=0.9),
        alt=f"Lines for {len(stability.metrics)} metrics over {len(stability.steps)} levels.",
        drawn=drawn_words(stability.n_replicates, random=True),
    )
    thresholds = stability.thresholds()
    table = say.table(
        "judgments-needed",
        thresholds,
        (METRIC,),
        right(text="Judgments (relevant ones left)"),
        errors=threshold_errors(thresholds),
    )
    return (say.section("robustness", picture, table, brief=False, head="Robustness to missing judgments"),)


def _agreement_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    table, conflicts = _agreement_table(study, frame), study.conflicts()
    words = () if study.current is None else (Text(paragraphs=(agreement_sentence(study, frame.iloc[1:]),)),)
    named_ones = say.table(
        "conflicts",
        conflicts,
        left(name_of_metric, metric_a="Metric"),
        left(better_under_a="better"),
        left(name_of_metric, metric_b="Metric"),
        left(better_under_b="better"),
        right(number(3), lead_a="lead", lead_b="lead"),
        head="Pairs significant in opposite directions",
    )
    head = f"Agreement {'of the metrics' if study.current is None else f'with {name_of_metric(study.current)}'}"
    return say.section("agreement", *words, table, *(named_ones,) if len(conflicts) else (), brief=False, head=head)


def _agreement_table(study: CompareStudy, frame: pd.DataFrame) -> Table:
    """Set each metric against the one in use, or, where none is named, every two against each other."""
    current, draws = study.current, study.power.n_topic_resamples
    if current is None:
        table_frame, columns = bounded(study.agreements(), {"f1": ("F1", number(3))}, draws=draws)
        names = left(name_of_metric, metric_a="First", metric_b="Second")
        title = "Agreement of every two metrics on significant pairs"
    else:
        measures: dict[str, tuple[str, Write]] = {"precision": ("Precision", share), "recall": ("Recall", share)}
        table_frame, columns = bounded(frame.iloc[1:], measures | {"f1": ("F1", number(3))}, draws=draws)
        names, called = (METRIC,), name_of_metric(current)
        title = f"Significant pairs of each metric as a prediction of those of {called}"
    return say.table(
        "agreement",
        table_frame,
        names,
        columns,
        right(whole, conflicts="Conflicts"),
        title=title,
        agreement=study.agreement,
        intervals=study.agreement_intervals,
    )


def _scores_section(study: CompareStudy, frame: pd.DataFrame) -> Section:
    table_frame, columns = bounded(
        frame,
        {"zero_share": ("Zero scores", share), "tied_share": ("Tied pairs", share)},
        draws=study.power.n_topic_resamples,
    )
    table = say.table(
        "scores",
        table_frame,
        (METRIC,),
        columns,
        right(share, identical_share="Identical pairs"),
        data=frame[[name for name in frame if name == "metric" or "share" in str(name)]],
        level=study.confidence_level,
    )
    return say.section("scores", table, brief=False)


def _heaviness_section(study: CompareStudy, frame: pd.DataFrame) -> tuple[Section, ...]:
    heaviness = study.heaviness
    if heaviness is None:
        return ()
    alt = f"Falling curves of {heaviness.sizes['metric']} metrics."
    picture = say.picture("top-heaviness", lambda: figures.heaviness_panels(heaviness), alt=alt)
    table = say.table(
        "half-score", frame, (METRIC,), right(whole, top_half="Rank"), n=heaviness["relevant"].to_numpy()[0]
    )
    return (say.section("top-heaviness", picture, table, head="Top-heaviness"),)
