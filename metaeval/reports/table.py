# ruff: noqa: RUF001 - Greek letters are meant for people
"""The table of every paper as a report: the table, and behind a fold every difference with its p-value."""

from metaeval.bibliography import cited
from metaeval.reports.data_files import pair_files, score_files
from metaeval.reports.means import means_table, over_pairs
from metaeval.reports.report import Fold, Methods, Report, Section, Text
from metaeval.reports.shared import cited_in, cited_keys, computed_with, facts, groups_of_topics, side_words, with_draws
from metaeval.reports.tables import METRIC, Table, left, right
from metaeval.studies.table import TableStudy
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.topic_design import mean_over_topics
from metaeval.words import count, listed, name_of_metric, number, p_value, short_names

__all__ = ["table_report"]

_NAMED = 3
_MOST_PAIRS = 400
"""More pairs than these stand in the data alone."""


def table_report(study: TableStudy) -> Report:
    """Put the table of systems by metrics into a report.

    Parameters
    ----------
    study : TableStudy

    Returns
    -------
    Report
    """
    sizes, result = study.scores.sizes, study.comparison
    short = tuple(short_names(study.metrics))
    return Report(
        command="table",
        title="Which systems differ significantly?"
        if study.baseline is None
        else f"Which systems differ significantly from {study.baseline}?",
        facts=(
            *facts(
                metric=sizes["metric"],
                system=sizes["system"],
                topic=sizes["topic"],
                **groups_of_topics(study.scores),
                pair=result.n_pairs,
            ),
            (f"{result.alpha:g}", "significance level α"),
        ),
        summary=(" ".join(_answer(study, metric) for metric in study.metrics),),
        sections=(
            Section(
                id="means",
                title="Means and significance",
                lead="Systems by metrics, as papers print them; the file beside it is LaTeX.",
                brief=True,
                blocks=(means_table(study), *((Text(paragraphs=short),) if short else ())),
            ),
            *_pairs_section(study),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(study.scores) | pair_files((result,)),
    )


def _answer(study: TableStudy, metric: str) -> str:
    """Say which system is best under a metric, and how many pairs differ significantly."""
    best = study.best_systems(metric)
    value = mean_over_topics(study.scores.sel(metric=[metric], system=[best[0]]))[0, 0]
    names = best if len(best) <= _NAMED else [count(len(best), "system")]
    start = f"Under {name_of_metric(metric)}, {listed(names)} {'is' if len(best) == 1 else 'are'} best"
    start += f" ({number(study.digits)(value)})"
    data = study.comparison.data.sel(metric=metric)
    verdict = (data["better"] * data["significant"]).to_numpy()
    better, worse, n_pairs = int((verdict == 1).sum()), int((verdict == -1).sum()), study.comparison.n_pairs
    if study.baseline is None:
        return f"{start}; {better + worse:,} of {n_pairs:,} pairs differ significantly."
    return (
        f"{start}; significantly better than {study.baseline}: {better:,} of {count(n_pairs, 'other system')}, worse: "
        f"{worse:,}."
    )


def _pairs_section(study: TableStudy) -> tuple[Section, ...]:
    result = study.comparison
    if result.n_pairs > _MOST_PAIRS:
        return ()
    shown = result.to_frame().assign(verdict=lambda frame: frame["significant"].map({True: "yes", False: "no"}))
    table = Table(
        name="pairs",
        title="Differences of means",
        caption="First system less the second.",
        frame=shown,
        columns=(
            METRIC,
            *left(system_a="System", system_b="Other"),
            *right(number(max(4, study.digits)), difference="Difference"),
            *right(p_value, "p", p_value="uncorrected", p_corrected=CORRECTIONS.label(result.correction)),
            *left(verdict="Significant"),
        ),
    )
    return (
        Section(
            id="pairs",
            title="Pairs of systems",
            lead=f"Every difference behind the marks, with its p-value before and after the correction "
            f"{over_pairs(study)}.",
            blocks=(Fold(title=f"{count(len(shown), 'difference')}", blocks=(table,)),),
        ),
    )


def _methods(study: TableStudy) -> Methods:
    sizes, result = study.scores.sizes, study.comparison
    under = f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, study.metrics))})"
    words = [f"We compared {sizes['system']} systems on {sizes['topic']} topics under {under} by their means."]
    if study.baseline is None:
        pairs = f"all {result.n_pairs:,} pairs of systems" if result.n_pairs > 1 else "the pair of systems"
    else:
        pairs = f"every other system and {study.baseline}, and no other pair," if result.n_pairs > 1 else "the pair"
    words.append(
        f"Under each metric {pairs} {'was' if pairs == 'the pair' else 'were'} tested at α = {result.alpha:g}, "
        f"{side_words(result.alternative)}, with {with_draws(result)}."
    )
    correction = CORRECTIONS.get(result.correction)
    if result.correction == "none":
        words.append(f"The p-values are uncorrected, {over_pairs(study)}.")
    else:
        how = correction.described + cited(correction.cite) if correction else "the test's own family-wise adjustment"
        words.append(f"The p-values were adjusted {over_pairs(study)} with {how}.")
    if study.baseline is None and study.marks == "groups":
        words.append(f"Letters show which systems do not differ significantly{cited(('piepho2004',))}.")
    if n_same := sum(map(len, study.identical)):
        words.append(f"{n_same} systems with identical scores stayed among the pairs.")
    words.append(computed_with(study.provenance))
    paragraphs = (" ".join(words),)
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, (*cited_keys(result), "piepho2004")))
