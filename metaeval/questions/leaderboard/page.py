# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on a leaderboard: which of its ranks are real, and what that says of the benchmark and its metrics."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.words import (
    carried,
    chance,
    errors_said,
    name_of_metric,
    number,
    p_value,
    percentage,
    share_of,
    short_names_sentence,
    text,
    whole,
    with_share,
)
from metaeval.page.blocks import Block, Choice, Fold, Item, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, of_metrics, right, rising, under
from metaeval.questions.components.page import design_sentences
from metaeval.questions.leaderboard.page_card import card_files, embedded
from metaeval.questions.leaderboard.page_cohorts import cohort_files, cohorts_section, shares_by_cohort
from metaeval.questions.leaderboard.page_few_items import thin_section
from metaeval.questions.leaderboard.page_items import (
    clusters_named,
    conclusions_section,
    design_section,
    differences_section,
    gaps_between_neighbours,
    gaps_section,
    items_section,
    needed_section,
    requirements_section,
    subsets_section,
)
from metaeval.questions.leaderboard.study import AS_RANKS, RANKS, LeaderboardStudy
from metaeval.questions.leaderboard.study_card import open_pairs_of, places_of
from metaeval.reports.data_files import csv_file, score_files, scores_left_out
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said
from metaeval.resampling.ranks import RankIntervals
from metaeval.table.array import has_gaps
from metaeval.tests_stat.correction import CORRECTIONS

_SCORE, _WHOLE = number(4), number(0)
_MOST_LETTERS = 12
_MOST_IN_DIAGRAM = 30
_LEAST_CHANCE = 0.01
_MEANS = ("chen2010", "strawderman1971")
say = prose(__name__)


def leaderboard_report(study: LeaderboardStudy) -> Report:
    """Put a study of a leaderboard into a report."""
    frame, pairs = study.to_frame(), study.pair_counts()
    metrics, places = list(study.comparison.metrics), _places(study)
    sizes = study.scores.sizes
    card = study.card()
    counted = facts(metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=study.comparison.n_pairs)
    failed = [Item(term=question, words=reason) for question, reason in study.unanswered.items()]
    return Report(
        command="leaderboard",
        title=say("title"),
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=(
            _answer(study, places),
            say("quote", study=study),
            say("caution", study=study, named=clusters_named(study)),
        ),
        key_figures=_figures(study, places),
        sections=(
            *requirements_section(study),
            *_ranks_section(study, frame, metrics),
            *gaps_section(study),
            *thin_section(study, say("decision", study=study)),
            *_families_section(study),
            _pairs_section(study, pairs),
            *differences_section(study),
            *needed_section(study),
            *design_section(study),
            *conclusions_section(study),
            *items_section(study),
            *subsets_section(study),
            *cohorts_section(study, say("decision", study=study)),
            *_sources_section(study),
            *unanswered(failed),
            _benchmark_section(study, places, pairs, card),
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*study.notes, *filter(None, [scores_left_out(study.scores)])),
        data=(
            score_files(study.scores)
            | {"neighbours.csv": csv_file(study.family_pairs())}
            | cohort_files(study)
            | card_files(card)
        ),
    )


def _places(study: LeaderboardStudy) -> pd.DataFrame:
    """Return how much of each metric's ranking these items decide, and the verdict that follows."""
    places = places_of(study)
    counts = zip(places["leading"], places["differ"], places["n_near"], strict=True)
    return places.assign(verdict=[_real(*row) for row in counts])


def _real(leading: int, differ: int, n_near: int) -> str:
    """Say whether a ranking is real, by the rule that the page states."""
    if differ == n_near:
        return "Yes"
    return "Partly" if leading == 1 or 2 * differ >= n_near else "No"


def _answer(study: LeaderboardStudy, found: pd.DataFrame) -> str:
    """Say whether the ranking is real: under every metric, under some, or under none."""
    verdicts, first = set(found["verdict"]), found.iloc[0]
    return say(
        "answer",
        verdict=verdicts.pop() if len(verdicts) == 1 else "Partly",
        n=len(found),
        n_items=study.scores.sizes["topic"],
        n_systems=study.scores.sizes["system"],
        pair=study.scores["system"].to_numpy().tolist() if first["n_near"] == 1 else [],
        one=first,
        n_near=first["n_near"],
        settled=int((found["leading"] == 1).sum()),
        leading=_said(found, "leading", "leading_error"),
        differ=_said(found, "differ", "error"),
    )


def _said(found: pd.DataFrame, counted: str, error: str) -> str:
    """Say a count; of one metric, with the error of its draws (a span leaves it to the table)."""
    first = found.iloc[0]
    return _span(found[counted]) if len(found) > 1 else carried(first[counted], first[error], _WHOLE)


def _span(counts: "pd.Series[int]") -> str:
    return " to ".join(dict.fromkeys(f"{end:,}" for end in (counts.min(), counts.max())))


def _figures(study: LeaderboardStudy, found: pd.DataFrame) -> Table:
    near = [
        share_of(*row) for row in zip(found["differ"], found["n_near"], found["error"] / found["n_near"], strict=True)
    ]
    first = [carried(*row, _WHOLE) for row in zip(found["leading"], found["leading_error"], strict=True)]
    frame = found.assign(near=near, near_sort=found["differ"], may=first, may_sort=found["leading"])
    columns = [
        METRIC,
        *left(first="First"),
        *right(text, may="May be first"),
        *right(near="Neighbours that differ"),
    ]
    if study.ranks is not None:
        columns += right(whole, width="Median width of rank intervals")
    return key_figures(
        frame,
        columns,
        by="leading",
        falling=False,
        caption=say("figures", study=study, decision=say("decision", study=study), level=_level(study)),
    )


def _level(study: LeaderboardStudy) -> str:
    return "" if study.ranks is None else percentage(study.ranks.confidence_level)


def _ranks_section(study: LeaderboardStudy, frame: pd.DataFrame, metrics: Sequence[str]) -> list[Section]:
    ranks = study.ranks
    if ranks is None:
        return [_means_section(study, frame, metrics)]

    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = frame[frame["metric"] == metric]
        picture = Picture(
            name=f"ranks {metric}",
            draw=lambda: ranks.plot(metric),
            title=say("ranks title", metric=metric),
            caption=say("ranks", level=_level(study), method=ranks.method),
            alt=say("ranks in words", first=of_metric.iloc[0]),
        )
        return (picture, *_diagram(ranks, metric, of_metric), _ranks_table(study, metric, of_metric))

    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    short = tuple(short_names_sentence(metrics))
    return [
        Section(
            id="ranks",
            title="Ranks with intervals",
            lead=say("ranks lead", study=study, level=_level(study)),
            brief=True,
            blocks=(choice, *((Text(paragraphs=short),) if short else ())),
        )
    ]


def _means_section(study: LeaderboardStudy, frame: pd.DataFrame, metrics: Sequence[str]) -> Section:
    """Give the means and their order where nothing says how sure the ranks are."""
    tables = [
        Table(
            name=f"ranks {metric}",
            title=say("systems title", metric=metric),
            caption=say("means alone", over=say("over", study=study)),
            frame=frame[frame["metric"] == metric],
            columns=(*rising(whole, rank="Rank"), *left(system="System"), *right(_SCORE, mean="Mean")),
        )
        for metric in metrics
    ]
    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple((table,) for table in tables))
    short = tuple(short_names_sentence(metrics))
    blocks = (choice, *((Text(paragraphs=short),) if short else ()))
    return Section(
        id="ranks",
        title="Ranks by mean",
        lead=say("means alone lead", reason=study.unanswered[RANKS]),
        brief=True,
        blocks=blocks,
    )


def _diagram(ranks: RankIntervals, metric: str, part: pd.DataFrame) -> list[Block]:
    """Return the groups along the means, where there are few enough systems and groups to read them."""
    if len(part) > _MOST_IN_DIAGRAM or part["letters"].str.len().max() > _MOST_LETTERS:
        return []
    picture = Picture(
        name=f"groups {metric}",
        draw=lambda: ranks.plot(metric, kind="groups"),
        title=say("groups title", metric=metric),
        caption=say("groups"),
        alt=say("groups in words", first=part.iloc[0]),
    )
    return [Fold(title=say("groups folded"), blocks=(picture,))]


def _open_ranks(ranks: RankIntervals, metric: str) -> list[float]:
    """Return how far the ends of each system's interval, and its counts, may be off: by the pairs that it is in."""
    pairs = ranks.pairs().assign(error=ranks.open_pairs().ravel())
    errors = pairs[pairs["metric"] == metric].melt("error", ["system_a", "system_b"])
    ends = ranks.data["rank_error"].sel(metric=metric).to_numpy().tolist()
    return errors.groupby("value")["error"].sum().tolist() + ends


def _ranks_table(study: LeaderboardStudy, metric: str, part: pd.DataFrame) -> Table:
    unsure = [] if study.ranks is None else _open_ranks(study.ranks, metric)
    written = zip(part["rank_low"], part["rank_high"], strict=True)
    frame = part.assign(
        ranks=[f"{low} to {high}" if low < high else str(low) for low, high in written],
        ranks_sort=part["rank_low"],
        alike=len(part) - 1 - part["n_above"] - part["n_below"],
    )
    few = part["letters"].str.len().max() <= _MOST_LETTERS
    columns = [*rising(whole, rank="Rank"), *left(system="System")]
    if "group" in part:
        columns += under(text, group="Family")
    columns += [*right(_SCORE, mean="Mean"), *right(text, ranks=say("interval", level=_level(study)))]
    if study.best is not None:
        top = next(name for name in map(str, part) if name.startswith("p_top_"))
        columns += right(chance, "Probability", **{"p_best": "best", top: f"top {top.removeprefix('p_top_')}"})
    columns += right(whole, "Significantly", n_above="better", n_below="worse")
    columns += right(whole, alike="Not separated")
    if few:
        columns += left(letters="Groups")
    return Table(
        name=f"ranks {metric}",
        title=say("systems title", metric=metric),
        caption=say(
            "systems",
            study=study,
            decision=say("decision", study=study),
            letters=few,
            over=say("over", study=study),
            jointly=bool((part["rank_low"] > 1 + part["n_above"]).any()),
        )
        + errors_said((say("unsure"), unsure, "")),
        frame=frame,
        columns=tuple(columns),
        data=part,
    )


def _pairs_section(study: LeaderboardStudy, pairs: pd.DataFrame) -> Section:
    rows = []
    open_pairs = open_pairs_of(study)
    for (metric, family), of_family in pairs.groupby(["metric", "family"], sort=False):
        unsure = open_pairs[str(metric), str(family)]
        row: dict[str, object] = {"metric": metric, "family": say(f"{family} pairs", study=study)}
        for record in of_family.itertuples():
            error = unsure / record.n_pairs if record.correction == AS_RANKS and record.n_pairs else None
            row["n_pairs"], row[str(record.correction)] = (
                record.n_pairs,
                with_share(record.n_significant, record.n_pairs, error),
            )
            row[f"{record.correction}_sort"] = record.share
        rows.append(row)
    corrections = ["none", AS_RANKS, *study.families.corrections]
    labels = {
        name: say("as ranks", study=study) if name == AS_RANKS else CORRECTIONS.label(name) for name in corrections
    }
    table = Table(
        name="pairs",
        title="Significantly different pairs",
        caption=say("pairs", study=study, gaps=has_gaps(study.scores.to_numpy())),
        frame=pd.DataFrame(rows),
        columns=(
            *of_metrics(pairs),
            *left(family="Pairs"),
            *under(whole, n_pairs="number"),
            *right(text, "Significantly different pairs", **labels),
        ),
        data=pairs,
    )
    listed = study.family_pairs()
    folds = [
        Fold(title=say(f"{family} folded", study=study), blocks=(_listed_pairs(study, family, listed),))
        for family in ("adjacent", *(("baseline",) if study.baselines else ()))
    ]
    return Section(
        id="pairs",
        title="Pairs of systems",
        lead=say("pairs lead"),
        brief=True,
        blocks=(table, *folds),
    )


def _listed_pairs(study: LeaderboardStudy, family: str, frame: pd.DataFrame) -> Table:
    frame = frame[frame["family"] == family]
    higher = study.scores["higher_is_better"].to_series()
    turned = (frame["difference"] * np.where(frame["metric"].map(higher), 1.0, -1.0) < 0.0) & (family == "adjacent")
    return Table(
        name={"adjacent": "neighbours"}.get(family, f"{family} pairs"),
        title=say(f"{family} pairs", study=study),
        caption=say(
            "neighbours",
            family=say(f"{family} family", study=study),
            study=study,
            decision=say("decision", study=study),
            gaps=has_gaps(study.scores.to_numpy()),
            turned=int(turned.sum()),
            nothing=int(frame["difference"].isna().sum()),
        ),
        frame=frame.assign(
            separated=frame["apart"].map({True: "yes", False: "no"}),
            difference_marks=turned.map({True: "†", False: ""}),
        ),
        data=frame,
        columns=(
            *of_metrics(frame),
            *left(system_a="System"),
            *under(text, system_b="Next" if family == "adjacent" else "Baseline"),
            *right(_SCORE, difference="Difference"),
            *right(p_value, "p", p_value="uncorrected", p_holm="Holm"),
            *left(separated="Separated"),
        ),
    )


def _families_section(study: LeaderboardStudy) -> list[Section]:
    """Say which family of systems the best is likely to belong to."""
    if study.best is None or study.best.families is None:
        return []
    rows = study.best.family_frame()
    likely = rows[rows["p_best"] >= _LEAST_CHANCE]
    table = Table(
        name="families",
        title=say("families title"),
        caption=say("families", left_out=len(rows) - len(likely), least=_LEAST_CHANCE),
        frame=likely,
        columns=(
            *of_metrics(rows),
            *left(family="Family"),
            *right(whole, n_systems="Systems"),
            *right(chance, p_best="Probability of the best system", share_of_resamples="Share of resamples"),
        ),
        data=rows,
    )
    return [Section(id="families", title="Families of systems", lead=say("families lead"), blocks=(table,))]


def _sources_section(study: LeaderboardStudy) -> list[Section]:
    """Say what repeats leave of the noise, and which design is cheapest."""
    if study.sources is None:
        return []
    words = design_sentences(study.sources, study.sources.cheapest())
    return [
        Section(id="sources", title=say("sources title"), lead=say("sources lead"), blocks=(Text(paragraphs=words),))
    ]


def _benchmark_section(
    study: LeaderboardStudy, places: pd.DataFrame, pairs: pd.DataFrame, card: Mapping[str, Any]
) -> Section:
    """End with what all this says of the benchmark and its metrics, not about who won."""
    gaps = {} if study.detectable is None else gaps_between_neighbours(study)
    return Section(
        id="benchmark",
        title=say("benchmark title"),
        lead=say("benchmark lead"),
        blocks=(
            Text(paragraphs=tuple(_verdict(study, metric, places, pairs, gaps) for metric in study.comparison.metrics)),
            embedded(card),
        ),
    )


def _row(frame: pd.DataFrame, **wanted: str) -> dict[str, Any]:
    """Return the one row with these entries."""
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return {str(name): value for name, value in frame.iloc[0].items()}


def _verdict(
    study: LeaderboardStudy, metric: str, places: pd.DataFrame, pairs: pd.DataFrame, gaps: Mapping[str, float]
) -> str:
    row = _row(places, metric=metric)
    decided = {"share": carried(row["share"], row["share_error"])}
    fields: dict[str, Any] = {"difference": None, "effect": None, "idle": 0, "ways": []}
    if study.detectable is not None:
        median = float(_row(study.detectable.summary(), metric=metric, correction="none")["median"])
        fields["difference"] = median if math.isfinite(median) else None
        fields["gap"] = gaps[metric]
    if study.design is not None:
        fields["effect"] = _row(study.design.to_frame(), metric=metric, of="pairs")
    if study.items is not None:
        items = _row(study.items.summary(), metric=metric)
        fields["idle"] = int(items["all_pass"] + items["all_fail"] + items["all_equal"])
    ways = study.conclusions[study.conclusions["metric"] == metric].to_dict("records")
    most = max(way["n_significant_fdr_by"] for way in ways)
    if most > ways[0]["n_significant_fdr_by"]:
        leads = sorted((way for way in ways if way["n_significant_fdr_by"] == most), key=lambda way: way["aggregate"])
        fields["ways"] = [way["aggregate"] for way in leads]
        fields |= {"most": most / ways[0]["n_pairs"], "orders": dict.fromkeys(f"{way['tau']:.2f}" for way in leads)}
    return say(
        "benchmark",
        study=study,
        metric=metric,
        sizes=study.scores.sizes,
        by=_row(pairs, metric=metric, family="all", correction="fdr_by"),
        near=carried(row["differ"] / row["n_near"], row["error"] / row["n_near"]),
        cohorts=shares_by_cohort(study, metric),
        decided=decided["share"],
        decision=say("decision", study=study),
        **fields,
    )


def _methods(study: LeaderboardStudy) -> Methods:
    metrics = study.comparison.metrics
    words = say(
        "methods",
        study=study,
        sizes=study.scores.sizes,
        metrics=metrics,
        traits=traits_said(study.scores, left_out=study.left_out),
        level=_level(study),
        means=_MEANS,
    )
    return Methods(paragraphs=(words,))
