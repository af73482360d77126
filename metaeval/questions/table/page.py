# ruff: noqa: RUF001 - Greek letters are meant for people
"""The table of every paper as a report: the table, a picture of the differences, and each with its p-value."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.bibliography import cited
from metaeval.base.names import count, natural_order
from metaeval.base.unit import unit
from metaeval.base.words import (
    carried,
    ends,
    listed,
    name_of_metric,
    number,
    percentage,
    share_of,
    short_names_sentence,
    text,
    whole,
)
from metaeval.page.blocks import Block, Choice, Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, frame_of, left, p_values, right
from metaeval.questions.table.page_means import means_table, over_pairs
from metaeval.questions.table.study import TableStudy
from metaeval.reports.corpus_means import other_first_of_corpus
from metaeval.reports.data_files import pair_files, score_files, with_difference_bounds
from metaeval.reports.key_figures import key_figures, named
from metaeval.reports.pairs import (
    decision_words,
    difference_columns,
    held_back,
    lost_by_offered,
    nearest_sentence,
    pair_figures,
    pair_sentence,
    pair_verdicts,
    said_by_cluster,
    tested_pairs,
)
from metaeval.reports.prose import prose
from metaeval.reports.ranked import against_baseline
from metaeval.reports.shared import drawn_for_p, facts, groups_of_topics, with_draws
from metaeval.reports.single_topics import on_single_topics
from metaeval.reports.traits import runs_said, traits_said
from metaeval.reports.witnesses import (
    FIGURES,
    answer_and_rests,
    few_rest,
    first_rests,
    rests_column,
    with_answer,
    with_witnesses,
)
from metaeval.table.array import DIMS
from metaeval.table.structure import mean_over_topics, settled_mean_over_topics
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.result import difference_intervals

_NAMED = 3
_DRAWN = ["metric", "system", "mean", "low", "high", "rank", "p_corrected", "significant"]
_MOST_RANKED = 40
"""Systems that stand beside each other in a diagram of critical distance."""
_MOST_PAIRS = 400
"""More pairs than these stand in the data alone."""
say = prose(__name__)


def table_report(study: TableStudy) -> Report:
    """Put the table of systems by metrics into a report."""
    sizes, result = study.scores.sizes, study.comparison
    short = tuple(short_names_sentence(study.metrics))
    counted = facts(**{name: sizes[name] for name in DIMS}, **groups_of_topics(study.scores), pair=result.n_pairs)
    means = (means_table(study), *((Text(paragraphs=short),) if short else ()))
    pair = study.scores["system"].to_numpy().tolist() if result.n_pairs == 1 else []
    return Report(
        command="table",
        title=_title(study, pair),
        facts=(*counted, (f"{result.alpha:g}", "significance level α")),
        summary=_summary(study, pair),
        key_figures=pair_figures(result, study.scores) if pair else _figures(study),
        sections=(
            say.section("means", *means, head="Means and significance"),
            *_clusters_section(study),
            _pairs_section(study),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(study.scores) | pair_files((result,)),
    )


def _summary(study: TableStudy, pair: Sequence[str]) -> tuple[str, ...]:
    """Say what differs, on what it rests, and which of two corrections to quote."""
    result = study.comparison
    if pair:
        answer, *rests = answer_and_rests(pair_sentence(result, study.scores), result)
        nearest = nearest_sentence(result) if len(study.metrics) > 1 else ""
        clustered = said_by_cluster(study.by_cluster)
        return (" ".join([answer, *clustered]), *filter(None, [nearest]), *rests)
    first = first_rests(study.scores) if study.baseline is None else ()
    claimed = bool(result.data["significant"].any())
    beside = (
        held_back(result, study.scores),
        lost_by_offered(result, study.scores),
        other_first_of_corpus(study.scores),
        on_single_topics(result),
    )
    answer = "".join([_answer(study), *beside])
    told, *rests = with_answer(answer, [*first, *few_rest(result)], claimed=claimed)
    return (told, *filter(None, [" ".join(filter(None, [nearest_sentence(result), *rests]))]), *_quote(study))


def _clusters_section(study: TableStudy) -> tuple[Section, ...]:
    """Return the differences within clusters, each with its interval."""
    if study.by_cluster is None:
        return ()
    frame = study.by_cluster
    written, columns = p_values(frame, {"p_value": "uncorrected", "p_corrected": "Holm"}, "p", raw={}, n_resamples=None)
    written, difference = difference_columns(written, study.comparison.alpha, number(max(4, study.digits)))
    answers = written["significant"].map({True: "yes", False: "no"})
    table = say.table(
        "within table",
        written.assign(answer=answers),
        (METRIC,),
        left(cluster=unit().cluster.capitalize()),
        right(whole, n_topics=unit().Topics),
        difference,
        columns,
        left(answer="Significant"),
        called="clusters",
        data=frame,
        pair=frame[["system_a", "system_b"]].iloc[0].tolist(),
    )
    return (say.section("within", table),)


def _title(study: TableStudy, pair: Sequence[str]) -> str:
    if pair:
        return f"Do {listed(pair)} differ significantly?"
    return f"Which systems differ significantly{'' if study.baseline is None else f' from {study.baseline}'}?"


def _answer(study: TableStudy) -> str:
    """Say how many pairs differ significantly, or systems from the baseline, from the least to the most."""
    verdicts, metrics = study.comparison.verdicts(), list(study.metrics)
    places = [study.comparison.metrics.index(metric) for metric in metrics]
    n_significant, errors = np.count_nonzero(verdicts, axis=1)[places], study.comparison.power_errors()[places]
    tested = study.comparison.n_tested[places]
    shares = [carried(*row) for row in zip(n_significant / np.maximum(tested, 1), errors, strict=True)]
    extremes = list(dict.fromkeys(ends(map(name_of_metric, metrics), n_significant, map(whole, n_significant))))
    if not (compared := tested_pairs(study.comparison, "pair" if study.baseline is None else "system")):
        return say("untestable")
    n, who = len(metrics), named(extremes, "metrics")
    if n == 1 and n_significant.any() and (said := _named_answer(study, compared)):
        return said
    words = {
        "tested": compared,
        "against": "" if study.baseline is None else f" from {study.baseline}",
        "under": who[0] if n == 1 else f"each of {n} metrics",
        "result": study.comparison,
    }
    if not n_significant.any():
        return say("answer none", **words | {"under": who[0] if n == 1 else f"any of {n} metrics"})
    if len(extremes) > 1:
        return say("answer range", low=extremes[0], high=extremes[1], who=who, **words)
    share = f" ({shares[0]})" if n == 1 and errors[0] else ""
    return say("answer", figure=extremes[0].figure, differ=n_significant.max(), share=share, **words)


def _named_answer(study: TableStudy, compared: str) -> str:
    """Say by name who is better than the baseline and who worse, or how many the best system is better than."""
    result, (metric,) = study.comparison, study.metrics
    decisions, how = result.decisions(metric), f" {say('how', result=result)}"
    circumstances = {"under": f" under {name_of_metric(metric)}", "how": how}
    if study.baseline is not None:
        verdicts = decisions[study.baseline].drop(study.baseline)
        better, worse = (natural_order(verdicts.index[verdicts == side]) for side in (1, -1))
        return against_baseline(study.baseline, better, worse, n=len(verdicts), **circumstances)
    best, *others = study.best_systems(metric)
    won, n_differ = np.count_nonzero(decisions.loc[best] == 1), np.count_nonzero(decisions == 1)
    n = len(decisions)
    return (
        "" if others else say("answer best", best=best, won=won, n=n, found=n_differ, tested=compared, **circumstances)
    )


def _quote(study: TableStudy) -> tuple[str, ...]:
    """Say which of two corrections to quote, where the page has both."""
    milder = study.comparison.beside()
    given = {"strict": study.comparison, "milder": milder, "n_topics": study.scores.sizes["topic"]}
    return () if milder is None else (say("quote", **given),)


def _figures(study: TableStudy) -> Table:
    """Return the best system under each metric, and how many pairs differ, under the milder correction too."""
    result, rows, systems = study.comparison, [], study.scores["system"].to_numpy().tolist()
    milder = result.beside()
    for metric in study.metrics:
        best, index = study.best_systems(metric), result.metrics.index(metric)
        value = mean_over_topics(study.scores.sel(metric=[metric]))[0, systems.index(best[0])]
        names = natural_order(best) if len(best) <= _NAMED else [count(len(best), "system")]
        verdicts, error = result.verdicts()[index], float(result.power_errors()[index])
        row = {
            "metric": metric,
            "leader": listed(names),
            "mean": value,
            "found": share_of(np.count_nonzero(verdicts), result.n_tested[index], error),
            "won": np.count_nonzero(result.decisions(metric).loc[best[0]] == 1),
            "better": int((verdicts == 1).sum()),
            "worse": int((verdicts == -1).sum()),
            "found_sort": np.count_nonzero(verdicts),
            "n_tested": result.n_tested[index],
        }
        if milder is not None:
            row["milder_sort"] = np.count_nonzero(milder.verdicts()[index])
            row["milder"] = share_of(row["milder_sort"], milder.n_tested[index])
        rows.append(row)
    label = CORRECTIONS.words(result.correction)
    columns = [METRIC, *left(leader="Best"), *right(number(study.digits), mean="Mean")]
    if study.baseline is None:
        columns += right(whole, won="Better than")
        columns += right(text, "Significantly different pairs", found=label)
        if milder is not None:
            columns += right(text, "Significantly different pairs", milder=CORRECTIONS.words(milder.correction))
    else:
        columns += right(whole, f"Than {study.baseline}, {label}", better="better", worse="worse")
        columns += right(text, f"Than {study.baseline}, {label}", found="either")
    return key_figures(frame_of(rows), columns, by="found_sort")


def _pairs_section(study: TableStudy) -> Section:
    pictured = _map_picture if study.baseline is None else _differences_picture
    choice = Choice(
        names=tuple(map(name_of_metric, study.metrics)),
        parts=tuple((pictured(study, metric),) for metric in study.metrics),
    )
    return say.section("pairs", choice, *_pairs_blocks(study), brief=False, over=over_pairs(study))


def _differences_picture(study: TableStudy, metric: str) -> Picture:
    """Show how far every row stands from the baseline."""
    result, baseline = study.comparison, str(study.baseline)
    frame = _against_baseline(study, metric)
    return say.picture(
        "differences",
        lambda: figures.baseline_differences(
            frame, metric, baseline=baseline, higher_is_better=bool(study.scores["higher_is_better"].sel(metric=metric))
        ),
        called=f"differences {metric}",
        n_significant=frame["significant"].sum(),
        n=len(frame),
        metric=metric,
        baseline=baseline,
        alpha=result.alpha,
        decided=decision_words(result.procedure.label, result.correction),
        level=percentage(1 - result.alpha) if frame["low"].notna().any() else "",
    )


def _against_baseline(study: TableStudy, metric: str) -> pd.DataFrame:
    """Return the difference of every row from the baseline, its interval, and its rank among all systems."""
    result = study.comparison
    bounds = difference_intervals(result, confidence_level=1 - result.alpha)
    frame = result.data.assign(bounds).sel(metric=metric).to_dataframe().reset_index(drop=True)
    frame = frame.rename(columns={"system_a": "system", "difference": "mean"}).assign(metric=metric)
    settled = settled_mean_over_topics(study.scores.sel(metric=[metric]))[0]
    ranks = pd.Series(settled, index=study.scores["system"].to_numpy()).rank(method="min", ascending=False).astype(int)
    frame = frame.assign(rank=ranks.loc[frame["system"]].to_numpy())
    return frame.loc[frame["system"].isin(study.systems), _DRAWN]


def _map_picture(study: TableStudy, metric: str) -> Picture:
    result = study.comparison
    decided = decision_words(result.procedure.label, result.correction)
    if "critical_distance" in result.details and result.n_systems <= _MOST_RANKED:
        return say.picture(
            "distances",
            lambda: result.plot(metric, kind="distances"),
            called=f"distances {metric}",
            result=result,
            metric=metric,
            runs=runs_said(study.scores),
        )
    n_significant = result.data["significant"].sel(metric=metric).sum().item()
    return say.picture(
        "map",
        lambda: result.plot(metric),
        called=f"map {metric}",
        metric=metric,
        result=result,
        decided=decided,
        n_significant=n_significant,
        n=result.n_tested[result.metrics.index(metric)],
    )


def _pairs_blocks(study: TableStudy) -> tuple[Block, ...]:
    result = study.comparison
    if result.n_pairs > _MOST_PAIRS:
        return ()
    frame = with_witnesses(with_difference_bounds(result), [result])
    frame = frame.assign(verdict=pair_verdicts(frame, result))
    named = {"p_value": "uncorrected", "p_corrected": CORRECTIONS.label(result.correction)}
    raw = {} if result.correction == FAMILY_WISE else {"p_corrected": "p_value"}
    written, columns = p_values(frame, named, "p", raw=raw, n_resamples=drawn_for_p(result))
    written, difference = difference_columns(written, result.alpha, number(max(4, study.digits)))
    written, rests = rests_column(written)
    data = ["metric", "system_a", "system_b", "difference", "difference_low", "difference_high", "p_value", "log10_p"]
    data += ["p_corrected", "verdict", *(FIGURES if rests else [])]
    table = say.table(
        "pairs table",
        written,
        (METRIC,),
        left(system_a="System", system_b="Other"),
        difference,
        columns,
        left(verdict="Significant"),
        rests,
        called="pairs",
        data=frame[data],
    )
    return (Fold(title=f"{count(len(frame), 'difference')}", blocks=(table,)),)


def _methods(study: TableStudy) -> Methods:
    result, correction = study.comparison, CORRECTIONS.get(study.comparison.correction)
    adjusted = (
        f"with {correction.description}{cited(correction.cite)}" if correction else "by the test's own adjustment"
    )
    words = [
        say(
            "methods",
            study=study,
            sizes=study.scores.sizes,
            result=result,
            drawn=with_draws(result),
            traits=traits_said(study.scores),
            over=over_pairs(study),
            adjusted="not adjusted" if result.correction == "none" else f"adjusted {adjusted}",
        )
    ]
    words += [say("letters")] if study.baseline is None and study.marks == "groups" else []
    words += [say("identical", n=n_same)] if (n_same := sum(map(len, study.identical))) else []
    return Methods(paragraphs=(" ".join([*words, say("made", study=study)]),))
