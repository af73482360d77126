# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The sections on error rates of a topics study: by size, by metric, by difference, and the curves beyond the data."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import (
    MISSING,
    absent,
    beside,
    carried,
    ends,
    errors_said,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    text,
    whole,
)
from metaeval.models.exponential import PUBLISHED_CRITERION, exponential_errors
from metaeval.models.families import FAMILIES
from metaeval.models.topic_counts import MinimumTopics
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.topic_words import (
    TOLERANCE,
    not_estimated,
    ties_counted,
    tolerance_name,
    tolerance_names,
    with_tolerances,
)
from metaeval.resampling.bins import DifferenceBins
from metaeval.studies.topics import CURVE, DIFFERENCES, EXPONENTIAL, TopicsStudy

_READINGS = {
    "first bin": "First bin within the limit",
    "every larger bin": "Every larger bin too",
    "cumulative": "All larger bins together",
}


def error_sections(study: TopicsStudy) -> tuple[Section, ...]:
    """Return every section on error rates."""
    curves = study.curves()
    return (
        _by_size(study, curves),
        *_by_metric(study, curves),
        *_by_difference(study),
        _beyond_the_data(study),
    )


def rates_section(study: TopicsStudy) -> Section:
    """Return the section on how the error falls as topic sets grow."""
    return _by_size(study, study.curves())


def _by_size(study: TopicsStudy, curves: pd.DataFrame) -> Section:
    minimum, rates = study.minimum, study.error_rates
    bars = ""
    if study.posterior is not None:
        bars = (
            f"Upright bars: where the model expects {percentage(study.posterior.ci_prob)} of the dots of other topic "
            "samples like this one; a dot outside its bar speaks against the model. "
        )
        line = f"median of the Bayesian model, with its {percentage(study.posterior.ci_prob)} band"
        if len(study.posterior.minimum_topics().dropna(subset="median")) < len(rates.metrics) * len(rates.tolerances):
            line += f", or without a band {_named_curve(minimum)}"
    else:
        line = _named_curve(minimum)
    picture = Picture(
        name="error_rates",
        draw=lambda: figures.error_panels(
            curves, tolerances=tolerance_names(study), max_error=minimum.max_error, seen_to=rates.sizes[-1]
        ),
        title="Error rate by topics and tolerance",
        caption="Dots: share of the pairs of systems on which two sets of this size disagree."
        f"{ties_counted(study)} {bars}Lines, one a tolerance: {line}, dashed beyond the sizes observed. Where a line "
        f"crosses the flat dashed one, the error allowed ({percentage(minimum.max_error)}), stand the topics needed. "
        "The scale of rates is logarithmic.",
        alt=_curves_alt(study),
    )
    return Section(
        id="error-rates",
        title="Error rates by topic set size",
        lead="More topics make two sets agree more often, and the first topics help most. The tolerance sets aside "
        "differences too small to matter.",
        blocks=(picture, Fold(title="The numbers", blocks=(_rates_table(study),))),
    )


def _named_curve(minimum: MinimumTopics) -> str:
    return "none could be fitted" if minimum.family is None else f"the {FAMILIES[minimum.family].title}"


def _curves_alt(study: TopicsStudy) -> str:
    rates, tolerance = study.error_rates.rates(), study.error_rates.tolerances[0]
    first, last = (
        rates.sel({"tolerance": tolerance, "size": size})
        for size in (study.error_rates.sizes[0], study.error_rates.sizes[-1])
    )
    named = tolerance_name(study, tolerance)
    return "; ".join(
        f"{name_of_metric(metric)}, tolerance {named}: from {share(float(a))} to {share(float(b))}"
        for metric, a, b in zip(study.error_rates.metrics, first, last, strict=True)
    )


def _wide(frame: pd.DataFrame, values: str) -> pd.DataFrame:
    return frame.pivot_table(index=["metric", "tolerance"], columns="size", values=values, sort=False, dropna=False)


def _rates_table(study: TopicsStudy) -> Table:
    frame = study.error_rates.to_frame()
    sizes = _few(study.error_rates.sizes, 8)
    rates, errors = (_wide(frame, values)[sizes] for values in ("error_rate", "rate_se"))
    shown = rates.set_axis([f"{size}_sort" for size in sizes], axis=1).reset_index()
    for size in sizes:
        shown[str(size)] = [carried(*row) for row in zip(rates[size], errors[size], strict=True)]
    return Table(
        name="error_rates",
        title="Error rate by topics in each set",
        caption=f"{count(study.error_rates.n_trials, 'trial')} of {count(study.error_rates.n_pairs, 'pair')} at every "
        f"size.{ties_counted(study)} Every size is in the CSV file.",
        frame=with_tolerances(study, shown),
        data=frame,
        columns=(
            METRIC,
            TOLERANCE,
            *right(text, "Topics", **{str(size): str(size) for size in sizes}),
        ),
    )


def _by_metric(study: TopicsStudy, curves: pd.DataFrame) -> tuple[Section, ...]:
    rates = study.error_rates
    if len(rates.metrics) == 1:
        return ()
    picture = Picture(
        name="metrics_compared",
        draw=lambda: figures.tolerance_panels(
            curves, tolerances=tolerance_names(study), max_error=study.minimum.max_error
        ),
        title="Metrics at equal sizes",
        caption="Error rates as observed, one line a metric; the lower, the steadier the metric. All metrics saw the "
        f"same topic sets. The flat dashed line: the error allowed ({percentage(study.minimum.max_error)}). Every "
        "panel has its own logarithmic scale.",
        alt=_by_metric_alt(study),
    )
    section = Section(
        id="compared",
        title="Error rates by metric",
        lead="The same sizes under every metric, one panel a tolerance. The order of the metrics may change with the "
        "tolerance: a share of a large mean is a larger step than the same share of a small one.",
        blocks=(picture,),
    )
    return (section,)


def _by_metric_alt(study: TopicsStudy) -> str:
    last = study.error_rates.rates().isel(size=-1)
    parts = []
    for tolerance in study.error_rates.tolerances:
        order = last.sel({"tolerance": tolerance}).to_series().dropna()
        if len(order):
            least, most = ends(map(name_of_metric, order.index), order, map(share, order))
            words = f"all {least.figure}" if least == most else f"least {least.who}, most {most.who}"
            parts.append(f"tolerance {tolerance_name(study, tolerance)}: {words}")
    return f"At {study.error_rates.sizes[-1]} topics, {'; '.join(parts)}."


def _by_difference(study: TopicsStudy) -> tuple[Section, ...]:
    title = "Error rates by difference"
    lead = "A difference seen on one set of topics, and how often another set contradicts it."
    if study.bins is None:
        reasons = [reason for part, reason in study.unestimated.items() if part == DIFFERENCES]
        note = Text(paragraphs=tuple(map(not_estimated, reasons)), look="note")
        return (Section(id="differences", title=title, lead=lead, blocks=(note,), brief=True),) if reasons else ()
    picture, table = _difference_picture(study.bins), _readings_table(study.bins, study.error_rates.metrics)
    return (Section(id="differences", title=title, lead=lead, blocks=(picture, table), brief=True),)


def _difference_picture(bins: DifferenceBins) -> Picture:
    marks = bins.sensitivity()
    size = int(marks["size"].iloc[0])
    banded = (
        ""
        if np.isnan(bins.bins["low"].to_numpy()).all()
        else f" The bar is its {percentage(bins.confidence_level)} interval."
    )
    return Picture(
        name="difference_bins",
        draw=lambda: figures.difference_panels(bins.to_frame(), marks, max_error=bins.max_error),
        title=f"Error rate by the size of the difference, {size} topics in each set",
        caption="Each dot is one bin of differences on the first set and shows the share of such comparisons that "
        f"change sign on the second.{banded} The last dot stands for all larger differences. The orange line is the "
        f"difference from which every bin stays within {percentage(bins.max_error)}.",
        alt="; ".join(
            f"{name_of_metric(metric)}: {'no difference' if np.isnan(difference) else format(difference, 'g')}"
            for metric, difference in zip(marks["metric"], marks["difference"], strict=True)
        ),
    )


def _readings_table(bins: DifferenceBins, metrics: Sequence[str]) -> Table:
    frame = bins.readings.to_dataframe().reset_index()
    wide = frame.pivot_table(
        index="metric",
        columns="reading",
        values=["difference", "share", "difference_error", "share_error"],
        sort=False,
        dropna=False,
    )
    shown = pd.DataFrame({"metric": list(metrics)})
    columns = [METRIC]
    for reading, label in _READINGS.items():
        for value, word, write in (("difference", "difference", number(3)), ("share", "reached by", share)):
            name = f"{value} {reading}"
            own = wide.reindex(shown["metric"])
            values = own[value, reading].where(own["difference", reading].notna())
            shown[name] = [beside(*row, write) for row in zip(values, own[f"{value}_error", reading], strict=True)]
            shown[f"{name}_sort"] = values.to_numpy()
            columns += right(text, label, **{name: word})
    return Table(
        name="difference_required",
        title=f"The difference that keeps the error within {percentage(bins.max_error)}",
        caption="Three readings are in use and can differ by a factor of two: the first bin within the limit, the "
        "first from which every larger bin is, and the smallest difference such that all larger ones together are. "
        "“Reached by” is the share of comparisons at least that large. –: no difference does."
        + errors_said(
            ("a difference", frame["difference_error"], ""), ("a share of comparisons", frame["share_error"], " points")
        ),
        frame=shown,
        columns=tuple(columns),
        data=frame,
    )


def _beyond_the_data(study: TopicsStudy) -> Section:
    if study.minimum.family is None:
        found: Block = Text(paragraphs=(not_estimated(study.unestimated[CURVE]),), look="note")
    else:
        found = _held_out_table(study)
    return Section(
        id="held-out",
        title="Curves beyond the data",
        lead="A curve can fit what was seen and still be wrong further on. Here each had to predict sizes larger than "
        "any it was fitted to, which is the use it is put to.",
        blocks=(
            *_curve_words(study),
            found,
            Fold(title="Every fit", blocks=(_fits_table(study),)),
            Fold(title="The published exponential", blocks=_exponential(study)),
        ),
        brief=study.posterior is None,
    )


def _curve_words(study: TopicsStudy) -> tuple[Text, ...]:
    family = study.minimum.family
    if family is None:
        return ()
    words = (
        f"Beyond {study.error_rates.sizes[-1]} topics observed counts are continued by the {FAMILIES[family].title}, "
        "which predicted the held-out sizes best."
    )
    ranking = study.comparison.summary().set_index("family")
    if family != EXPONENTIAL and EXPONENTIAL in ranking.index:
        bias = float(ranking["held_out_bias"][EXPONENTIAL])
        way = "below" if bias < 0 else "above"
        words += f" The exponential came out {abs(bias):.0%} {way} what was seen there.".replace("%", " %")
    return (Text(paragraphs=(words,)),)


def _held_out_table(study: TopicsStudy) -> Table:
    summary = study.comparison.summary()
    shown = summary.assign(
        name=[sentence_case(FAMILIES[name].title) for name in summary["family"]],
        formula=[FAMILIES[name].formula for name in summary["family"]],
    )
    above = "Held-out sizes"
    return Table(
        name="curves_compared",
        title="Curves judged by sizes they had not seen",
        caption="Fitted to the lower half of the sizes, tried on the upper half, over all metrics and tolerances. "
        "Error: root mean square of predicted less seen, in units of √(p(1 − p)). Bias: predicted over seen, less one; "
        "negative is too hopeful. Errors that nearly agree do not settle which curve is better. In the formulas z is "
        "the number of topics, t the tolerance as a difference in means, and Φ₂ the normal distribution of two "
        "variables with correlation −r.",
        frame=shown,
        data=summary,
        columns=(
            *left(name="Curve"),
            *right(number(2), above, held_out_error="Error"),
            *right(_signed_share, above, held_out_bias="Bias"),
            *right(whole, n_fitted="Fits"),
            *left(formula="Formula"),
        ),
    )


def _fits_table(study: TopicsStudy) -> Table:
    frame = study.comparison.to_frame()
    shown = with_tolerances(study, frame).assign(
        name=[sentence_case(FAMILIES[name].title) for name in frame["family"]],
        outcome=frame["parameters"].where(frame["note"] == "", frame["note"]),
    )
    return Table(
        name="curves",
        title="Every curve on every metric and tolerance",
        caption="The error on held-out sizes, that of the fit to all sizes, and the fitted parameters or why there "
        "are none.",
        frame=shown,
        data=frame,
        columns=(
            METRIC,
            TOLERANCE,
            *left(name="Curve"),
            *right(number(2), held_out_error="Held out", weighted_error="All sizes"),
            *left(outcome="Parameters"),
        ),
    )


def _exponential(study: TopicsStudy) -> tuple[Block, ...]:
    words = (
        "The model of Pal, Mitra and Kamps (2010), for comparison with the literature. It is right for one pair of "
        "systems; over many pairs the close ones keep swapping, and it comes out too hopeful far beyond the data."
    )
    numbers = {"a1": 4, "se_a1": 4, "a2": 4, "se_a2": 4, "chi_squared": 2, "n_zero_sizes": 0}
    found, errors = study.exponential, exponential_errors(study.error_rates, half_swaps=False)
    shown = with_tolerances(study, found)
    for name, digits in numbers.items():
        shown[name] = [carried(*row, number(digits)) for row in zip(found[name], errors[name], strict=True)]
    bias = zip(found["held_out_bias"], errors["held_out_bias"], strict=True)
    shown["held_out_bias"] = [_signed_share(*row) for row in bias]
    shown = shown.assign(**{f"{name}_sort": found[name] for name in (*numbers, "held_out_bias")})
    table = Table(
        name="exponential",
        title="Y = A₁ exp(−A₂ X)",
        caption="Least squares on the logarithm of the rate, as published, so it differs from the table above; sizes "
        "without any error have no logarithm and are left out (last column). χ² is over the sizes, rates in percent, "
        "with sizes less two degrees of "
        f"freedom; the publication compares it with {PUBLISHED_CRITERION}. It measures closeness, not evidence: the "
        "sizes share their topics. Bias as in the table of curves. ±: Monte-Carlo standard error.",
        frame=shown,
        data=found,
        columns=(
            METRIC,
            TOLERANCE,
            *right(text, "A₁", a1="value", se_a1="s.e."),
            *right(text, "A₂", a2="value", se_a2="s.e."),
            *right(text, chi_squared="χ²", held_out_bias="Held-out bias", n_zero_sizes="Left out"),
        ),
    )
    rates = study.error_rates
    picture = Picture(
        name="published_curves",
        draw=lambda: figures.error_panels(
            study.published_curves(),
            tolerances=tolerance_names(study),
            max_error=study.minimum.max_error,
            seen_to=rates.sizes[-1],
        ),
        title="Error rates, and the published exponential beyond them",
        caption="The lines of Figure 5 of the paper, one a tolerance: through the rates observed (two systems that tie "
        f"do not disagree) up to {count(rates.sizes[-1], 'topic')}; from there on, dashed, the exponential fitted to "
        "them, if one could be. On the logarithmic scale it is straight. Where it crosses the flat dashed line stand "
        "the topics needed as published.",
        alt=_curves_alt(study),
    )
    return Text(paragraphs=(words,)), picture, table


# -------------------------------------------------------------------------------------------------------- what helps


def _signed_share(value: object, error: object = None) -> str:
    """Write a bias: to the percent, or with its error beside it."""
    if absent(value):
        return MISSING
    bias = float(str(value))
    written = f"{number(0)(100 * abs(bias))} %" if error is None else carried(abs(bias), error)
    return written if written.strip("0. %") == "" else f"{'−' if bias < 0 else '+'}{written}"


def _few(sizes: Sequence[int], most: int) -> list[int]:
    places = np.unique(np.linspace(0, len(sizes) - 1, min(most, len(sizes))).round().astype(int))
    return [sizes[place] for place in places]
