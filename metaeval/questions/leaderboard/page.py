# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on a leaderboard: which of its ranks are real, and what that says of the benchmark and its metrics."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import natural_order
from metaeval.base.unit import unit
from metaeval.base.words import (
    carried,
    chance,
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
from metaeval.page.blocks import Block, Choice, Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, bounded, frame_of, left, of_metrics, right, rising, under, with_cells
from metaeval.questions.components.page import design_sentences
from metaeval.questions.leaderboard import page_items
from metaeval.questions.leaderboard.page_asked import asked_of, better_by_test
from metaeval.questions.leaderboard.page_card import LEADERBOARD_TITLE, card_files, embedded
from metaeval.questions.leaderboard.page_cohorts import cohort_files, cohorts_section, named_cohort, shares_by_cohort
from metaeval.questions.leaderboard.page_few_items import thin_section
from metaeval.questions.leaderboard.study import AS_RANKS, RANKS, LeaderboardStudy
from metaeval.questions.leaderboard.study_card import BoardTables, card_of, tables_of
from metaeval.questions.leaderboard.study_record import Card
from metaeval.reports.data_files import csv_file, score_files, scores_left_out, with_difference_bounds
from metaeval.reports.key_figures import key_figures
from metaeval.reports.pairs import difference_columns, held_back, pair_figures, pair_sentence, said_by_cluster
from metaeval.reports.prose import Prose, prose
from metaeval.reports.ranked import (
    ALIKE,
    few_letters,
    interval_of_ranks,
    is_pair,
    open_first,
    ranked_columns,
    share_letters_apart,
    with_alike,
    written_ranks,
)
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import runs_said, traits_said
from metaeval.reports.witnesses import (
    Rests,
    first_rests,
    pair_rests,
    requirements_rest,
    rests_column,
    with_answer,
    with_witnesses,
)
from metaeval.resampling.means_and_errors import RanksFromErrors
from metaeval.resampling.ranks import RankIntervals
from metaeval.table.array import has_gaps
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.quasi_variances import quasi_errors
from metaeval.tests_stat.result import PairwiseResult

_SCORE, _WHOLE = number(4), number(0)
_MOST_COMPARED = 300
"""Systems that have errors to compare on the page."""
_MOST_IN_DIAGRAM = 30
_LEAST_CHANCE = 0.01
say = prose(__name__)
_QUOTE = "Quote a system’s interval, not its rank, and for the first place the probability of being best."


def leaderboard_report(study: LeaderboardStudy) -> Report:
    """Put a study of a leaderboard into a report."""
    tables = tables_of(study)
    frame, places, card = tables.systems, _with_verdicts(study, tables.places), card_of(study, tables.places)
    sizes = study.scores.sizes
    counted = facts(metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=study.comparison.n_pairs)
    asked_title, asked = asked_of(study, tables, named_cohort(study, decision_of(study)))
    title, answer = asked_title or LEADERBOARD_TITLE, _answer(study, places, frame)
    limits = held_back(_by_t(study), study.scores).strip()
    required, lead_is_open = study.requirements is not None, study.comparison.n_pairs > 1 < places["leading"].min()
    told, *rests = with_answer(asked[0] if required else answer, _rests(study), claimed=required or not lead_is_open)
    answers = (told, answer) if required else (*asked, told)
    texts = [*filter(None, [" ".join(filter(None, [limits, *rests, *_quoted(study)])), _caution(study)])]
    return Report(
        command="leaderboard",
        title=title,
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=(*answers, *([" ".join(texts)] if asked else texts)),
        key_figures=_figures(study, places),
        sections=(
            *page_items.requirements_section(study),
            _means_section(study, frame) if study.ranks is None else _ranks_section(study, study.ranks, frame),
            *page_items.gaps_section(study),
            *thin_section(study, decision_of(study)),
            *_families_section(study),
            _pairs_section(study, tables),
            *page_items.differences_section(study),
            *page_items.needed_section(study),
            *page_items.design_section(study),
            page_items.conclusions_section(study),
            *page_items.items_section(study),
            *page_items.subsets_section(study),
            *cohorts_section(study, decision_of(study)),
            *_sources_section(study),
            *unanswered(study.unanswered.items()),
            _benchmark_section(study, places, tables.counts, card),
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=(*study.notes, *filter(None, [scores_left_out(study.scores)])),
        data=(
            score_files(study.scores)
            | {"neighbours.csv": csv_file(tables.pairs)}
            | cohort_files(study)
            | card_files(card)
        ),
    )


def _by_t(study: LeaderboardStudy) -> PairwiseResult:
    """Return what t tests say of all pairs at once."""
    return study.comparison.with_correction("holm")


def decision_of(study: LeaderboardStudy) -> str:
    """Return what decides which pairs differ significantly, as captions say it."""
    return f"{'paired t, Holm' if study.ranks is None else 'decided as the ranks'}, over all pairs at once"


def _with_verdicts(study: LeaderboardStudy, places: pd.DataFrame) -> pd.DataFrame:
    """Return how much of each metric's ranking these items decide with the verdict that follows."""
    counts = zip(places["leading"], places["differ"], places["n_near"], strict=True)
    places = places.assign(verdict=[verdict_on(*row) for row in counts])
    beyond = _by_t(study).least_reachable() and _by_t(study).too_few().any()
    return places.replace({"verdict": {"No": "Open"}}) if beyond else places


def verdict_on(leading: int, differ: int, n_near: int) -> str:
    """Say whether a ranking is real, by the rule that the page states; passages are called by what this says."""
    if differ == n_near:
        return "Yes"
    return "Partly" if leading == 1 or 2 * differ >= n_near else "No"


def _answer(study: LeaderboardStudy, found: pd.DataFrame, frame: pd.DataFrame) -> str:
    """Say whether the ranking is real: under every metric, some or none; of two systems as `table` does."""
    if study.comparison.n_pairs == 1:
        return " ".join([pair_sentence(_by_t(study), study.scores), *said_by_cluster(study.by_cluster)])
    verdicts, first, n = set(found["verdict"]), found.iloc[0], len(found)
    verdict = verdicts.pop() if len(verdicts) == 1 else "Partly"
    if n == 1:
        return ranking_answer(
            first.to_dict() | _first_by_draws(study, frame), frame, f" under {name_of_metric(first['metric'])}"
        )
    settled = int((found["leading"] == 1).sum())
    which = "metrics" if verdict == "Partly" else f"all {'Yes' if verdict == 'Yes' else 'No'}"
    return say(
        f"answer {which}",
        verdict=verdict,
        n=n,
        n_items=study.scores.sizes["topic"],
        n_systems=study.scores.sizes["system"],
        n_near=first["n_near"],
        settled=settled,
        leading=_span(found["leading"]),
        differ=_span(found["differ"]),
    )


def _first_by_draws(study: LeaderboardStudy, frame: pd.DataFrame) -> dict[str, object]:
    """Return how probably the first is best, where p-values over all pairs leave that open; else nothing."""
    best = frame.loc[frame["rank"] == 1].iloc[0]
    n_below = better_by_test(study).set_index("system")["n_below"]
    return {} if "p_best" not in best or n_below[best["system"]] == len(frame) - 1 else {"by_draws": best["p_best"]}


def ranking_answer(place: Mapping[Any, Any], frame: pd.DataFrame, under: str) -> str:
    """Say whether the ranking under a metric is real, who leads, and who cannot be told apart; see `places_of`."""
    best = frame.loc[frame["rank"] == 1, "system"].iloc[0]
    if place["n_near"] == 1:
        which, systems = f"pair {place['verdict']}", natural_order(frame["system"])
        names = sorted(systems, key=lambda name: place["verdict"] == "Yes" and name != best)
    else:
        verdict, names = place["verdict"], [best]
        which = verdict if verdict == "Yes" else "first" if verdict == "Partly" and place["leading"] == 1 else "open"
    leads = open_first(frame, under) if "rank_low" in frame else say("leads", place=place, n=len(frame), under=under)
    return say(f"answer {which}", names=names, leads=leads, under=under, place=place)


def _quoted(study: LeaderboardStudy) -> list[str]:
    """Say what the answer means, and what to quote: of two systems there is nothing to explain."""
    if study.comparison.n_pairs == 1:
        return []
    return [say("quote"), *([] if study.ranks is None else [_QUOTE])]


def _caution(study: LeaderboardStudy) -> str:
    """Say what systems that are not separated may be, and of which clusters the answer is."""
    named, spoken = page_items.clusters_named(study), unit()
    units = spoken.clusters if "cluster" in study.scores.coords else spoken.topics
    words = [say("caution", units=f"{units} and runs" if runs_said(study.scores) else units)]
    words += [say("clusters", named=named)] if named else []
    return " ".join([*words, *([say("fixed")] if "stratum" in study.scores.coords else [])])


def _rests(study: LeaderboardStudy) -> tuple[Rests, ...]:
    """Say on what a requirement, the one pair, or the first place, rests."""
    if study.requirements is not None:
        return requirements_rest(study.requirements, study.scores)
    if study.comparison.n_pairs > 1:
        return first_rests(study.scores)
    return pair_rests(study.comparison)


def _span(counts: "pd.Series[int]") -> str:
    return " to ".join(dict.fromkeys(f"{end:,}" for end in (counts.min(), counts.max()))) if counts.any() else "none"


def _asked_first(study: LeaderboardStudy) -> str | None:
    """Return which of two systems was asked to be ahead: by the first requirement on both, or of a baseline."""
    if study.requirements is not None:
        rows = study.requirements.to_frame().dropna(subset=["system_b"])
        return None if rows.empty else str(rows["system_a"].iloc[0])
    others = [name for name in study.scores["system"].to_numpy().tolist() if name not in study.baselines]
    return others[0] if study.baselines and others else None


def _figures(study: LeaderboardStudy, found: pd.DataFrame) -> Table:
    if study.comparison.n_pairs == 1:
        return pair_figures(study.comparison, study.scores, first=_asked_first(study))
    near = map(share_of, found["differ"], found["n_near"], found["error"] / found["n_near"])
    first = [carried(*row, _WHOLE) for row in zip(found["leading"], found["leading_error"], strict=True)]
    frame = with_cells(found, near=near, may=first).assign(near_sort=found["differ"], may_sort=found["leading"])
    columns = [METRIC, *left(first="First"), *right(text, may="May be first"), *right(near="Neighbours that differ")]
    if study.ranks is not None:
        columns += right(whole, width="Median width of rank intervals")
    return key_figures(
        frame,
        columns,
        by="leading",
        falling=False,
        caption=say(
            "figures",
            decision=decision_of(study),
            level=_level(study),
            method=None if study.ranks is None else study.ranks.method,
        ),
    )


def _level(study: LeaderboardStudy) -> str:
    return "" if study.ranks is None else percentage(study.ranks.confidence_level)


def _ranks_section(study: LeaderboardStudy, ranks: RankIntervals, frame: pd.DataFrame) -> Section:
    def blocks(metric: str) -> tuple[Block, ...]:
        of_metric = frame[frame["metric"] == metric]
        table = _ranks_table(study, ranks, metric, of_metric)
        if is_pair(of_metric):
            return (table,)
        return (ranks_picture(say, ranks, metric, of_metric), *_diagram_blocks(ranks, metric, of_metric), table)

    choice = _by_metric_blocks(study, blocks)
    return say.section("ranks", choice[0], *_printed_errors_blocks(study), *choice[1:], head="Ranks with intervals")


def ranks_picture(words: Prose, ranks: RankIntervals | RanksFromErrors, metric: str, part: pd.DataFrame) -> Picture:
    """Draw the intervals of ranks under a metric, in the words of the page."""
    first = part.iloc[0]
    return words.picture(
        "ranks",
        lambda: ranks.plot(metric),
        called=f"ranks {metric}",
        metric=metric,
        level=percentage(ranks.confidence_level),
        method=ranks.method,
        alt=f"{first['system']} may have ranks {whole(first['rank_low'])} to {whole(first['rank_high'])}.",
    )


def _means_section(study: LeaderboardStudy, frame: pd.DataFrame) -> Section:
    """Give the means and their order where nothing says how sure the ranks are."""

    def blocks(metric: str) -> tuple[Block, ...]:
        table = say.table(
            "means alone",
            frame[frame["metric"] == metric],
            rising(whole, rank="Rank"),
            left(system="System"),
            right(_SCORE, mean="Mean"),
            called=f"ranks {metric}",
            metric=metric,
            over=_over(study),
        )
        return (table,)

    return say.section("means alone", *_by_metric_blocks(study, blocks), id="ranks", reason=study.unanswered[RANKS])


def _by_metric_blocks(study: LeaderboardStudy, blocks: Callable[[str], tuple[Block, ...]]) -> tuple[Block, ...]:
    """Return blocks with a choice of the metric, and what the short names of metrics stand for."""
    metrics = study.comparison.metrics
    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    return (choice, *(Text(paragraphs=(words,)) for words in short_names_sentence(metrics)))


def _over(study: LeaderboardStudy) -> str:
    """Say that items in clusters all weigh the same; nothing where they have none, or where scores are missing."""
    clustered = {"cluster", "stratum"} & set(study.scores.coords)
    weighted = "weight" in study.scores.coords
    return say("over", n=study.scores.sizes["topic"], weighted=weighted) if clustered and study.gaps is None else ""


def _diagram_blocks(ranks: RankIntervals, metric: str, part: pd.DataFrame) -> list[Block]:
    """Return the groups along the means, where there are few enough systems and groups to read them."""
    if len(part) > _MOST_IN_DIAGRAM or not few_letters(part):
        return []
    picture = say.picture(
        "groups",
        lambda: ranks.plot(metric, kind="groups"),
        called=f"groups {metric}",
        metric=metric,
        first=part.iloc[0],
    )
    return [Fold(title="Critical-difference diagram: groups that cannot be separated", blocks=(picture,))]


def _printed_errors_blocks(study: LeaderboardStudy) -> tuple[Block, ...]:
    """Give one error a system from which readers of the board can compare any two."""
    if study.comparison.n_systems > _MOST_COMPARED or study.comparison.n_pairs == 1:
        return ()
    quasi = quasi_errors(study.scores)
    off = quasi.off[["lowest", "highest", "usual"]].to_numpy()
    if np.isnan(off).all():
        return ()
    frame = quasi.to_frame()
    table = say.table(
        "printed errors",
        frame,
        of_metrics(frame),
        left(system="System"),
        right(_SCORE, mean="Mean", quasi_error="Error to compare"),
        called="errors to compare",
        data=frame,
        low=float(np.nanmin(off[:, 0])),
        high=float(np.nanmax(off[:, 1])),
        usual=float(np.nanmax(off[:, 2])),
    )
    return (Fold(title="Errors to print beside the means", blocks=(table,)),)


def _open_ranks(ranks: RankIntervals, metric: str) -> list[float]:
    """Return how far the ends of each system's interval, and its counts, may be off: by the pairs that it is in."""
    pairs = ranks.pairs().assign(error=ranks.open_pairs().ravel())
    errors = pairs[pairs["metric"] == metric].melt("error", ["system_a", "system_b"])
    ends = ranks.data["rank_error"].sel(metric=metric).to_numpy().tolist()
    return errors.groupby("value")["error"].sum().tolist() + ends


def _ranks_table(study: LeaderboardStudy, ranks: RankIntervals, metric: str, part: pd.DataFrame) -> Table:
    frame, mean = bounded(with_alike(written_ranks(part)), {"mean": ("Mean", _SCORE)}, "95 % interval")
    details = (*(under(text, group="Family") if "group" in part else ()), *mean)
    return say.table(
        "systems",
        frame,
        ranked_columns(part, details, interval_of_ranks(_level(study)), ALIKE),
        called=f"ranks {metric}",
        data=part,
        metric=metric,
        decision=decision_of(study),
        over=_over(study),
        jointly=bool((part["rank_low"] > 1 + part["n_above"]).any()),
        apart=share_letters_apart(part),
        unsure=_open_ranks(ranks, metric),
    )


def _pairs_section(study: LeaderboardStudy, tables: BoardTables) -> Section:
    rows, families = [], _families(study)
    counted = ["all"] if study.comparison.n_pairs == 1 else families
    pairs = tables.counts[tables.counts["family"].isin(counted)]
    for (metric, family), of_family in pairs.groupby(["metric", "family"], sort=False):
        unsure = tables.open_pairs[str(metric), str(family)]
        row: dict[str, object] = {"metric": metric, "family": families[str(family)]}
        for record in of_family.itertuples():
            error = unsure / record.n_pairs if record.correction == AS_RANKS and record.n_pairs else None
            row["n_pairs"], row[str(record.correction)] = (
                record.n_pairs,
                with_share(record.n_significant, record.n_pairs, error),
            )
            row[f"{record.correction}_sort"] = record.share
        rows.append(row)
    decides = "Holm, over all pairs" if study.ranks is None else "As the ranks"
    labels = {name: CORRECTIONS.label(name) for name in study.families.corrections}
    estimated = study.ranks is not None and study.ranks.method == "posterior"
    table = say.table(
        "pairs",
        frame_of(rows),
        of_metrics(pairs),
        left(family="Pairs"),
        under(whole, n_pairs="number"),
        right(text, "Significantly different pairs", none=CORRECTIONS.label("none"), **{AS_RANKS: decides}, **labels),
        data=pairs,
        alpha=study.alpha,
        label=decides,
        baseline=bool(study.baselines),
        gaps=estimated and has_gaps(study.scores.to_numpy()),
    )
    folded = {"adjacent": "Every pair of neighbours"} | (
        {"baseline": "Every pair with a baseline"} if study.baselines else {}
    )
    folds = [Fold(title=title, blocks=(_pairs_table(study, family, tables.pairs),)) for family, title in folded.items()]
    return say.section("pairs", table, *folds)


def _families(study: LeaderboardStudy) -> dict[str, str]:
    """Return what the families of pairs are called."""
    baselines = "The baseline and each other" if len(study.baselines) == 1 else "The baselines and every other"
    return {
        "all": "All pairs",
        "adjacent": "Neighbours in the ranking",
        "best": "The best and each other",
        "baseline": baselines,
    }


def _pairs_table(study: LeaderboardStudy, family: str, frame: pd.DataFrame) -> Table:
    results = [result.with_correction("holm") for (name, _), result in study.families.results.items() if name == family]
    frame = with_witnesses(frame[frame["family"] == family], results)
    keys, ends = ["metric", "system_a", "system_b"], ["difference_low", "difference_high"]
    bounds = pd.concat([with_difference_bounds(result) for result in results])[[*keys, *ends]]
    frame = frame.merge(bounds, on=keys, how="left", validate="many_to_one").set_index(frame.index)
    written, difference = difference_columns(frame, study.alpha)
    written, rests = rests_column(written)
    higher = study.scores["higher_is_better"].to_series()
    turned = (frame["difference"] * np.where(frame["metric"].map(higher), 1.0, -1.0) < 0.0) & (family == "adjacent")
    unlike = [say("turned", n=int(turned.sum()))] if turned.any() else []
    unlike += [say("untested", n=int(untested))] if (untested := frame["difference"].isna().sum()) else []
    separated, decision = frame["apart"], decision_of(study)
    if family == "baseline":
        separated, decision = frame["significant_holm"], "by this correction"
    return say.table(
        "neighbours",
        written.assign(
            separated=separated.map({True: "yes", False: "no"}),
            difference_marks=turned.map({True: "†", False: ""}),
        ),
        of_metrics(frame),
        left(system_a="System"),
        under(text, system_b="Next" if family == "adjacent" else "Baseline"),
        difference,
        right(p_value, "p", p_value="uncorrected", p_holm="Holm"),
        left(separated="Separated"),
        rests,
        called={"adjacent": "neighbours"}.get(family, f"{family} pairs"),
        data=frame,
        title=_families(study)[family],
        alpha=study.alpha,
        decision=decision,
        gaps=has_gaps(study.scores.to_numpy()),
        unlike=" ".join(unlike),
    )


def _families_section(study: LeaderboardStudy) -> list[Section]:
    """Say which family of systems the best is likely to belong to."""
    if study.best is None or study.best.families is None:
        return []
    rows = study.best.family_frame()
    likely = rows[rows["p_best"] >= _LEAST_CHANCE]
    table = say.table(
        "families",
        likely,
        of_metrics(rows),
        left(family="Family"),
        right(whole, n_systems="Systems"),
        right(chance, p_best="Probability of the best system", share_of_resamples="Share of resamples"),
        data=rows,
        left_out=len(rows) - len(likely),
        least=_LEAST_CHANCE,
    )
    return [say.section("families", table, brief=False, head="Families of systems")]


def _sources_section(study: LeaderboardStudy) -> list[Section]:
    """Say what repeats leave of the noise, and which design is cheapest."""
    if study.sources is None:
        return []
    words = design_sentences(study.sources, study.sources.cheapest())
    return [say.section("sources", Text(paragraphs=words), brief=False, head="Repeats and the cheapest design")]


def _benchmark_section(study: LeaderboardStudy, places: pd.DataFrame, pairs: pd.DataFrame, card: Card) -> Section:
    """End with what all this says of the benchmark and its metrics, not about who won."""
    gaps = {} if study.detectable is None else page_items.gaps_between_neighbours(study)
    return say.section(
        "benchmark",
        Text(paragraphs=tuple(_verdict(study, metric, places, pairs, gaps) for metric in study.comparison.metrics)),
        embedded(card),
        brief=False,
        head="What this benchmark can distinguish",
    )


def _row(frame: pd.DataFrame, **wanted: str) -> "pd.Series[Any]":
    """Return the one row with these entries."""
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame.iloc[0]


def _verdict(
    study: LeaderboardStudy, metric: str, places: pd.DataFrame, pairs: pd.DataFrame, gaps: Mapping[str, float]
) -> str:
    row = _row(places, metric=metric)
    clauses = [
        say(
            "benchmark",
            metric=metric,
            n_topics=study.scores.sizes["topic"],
            near=carried(row["differ"] / row["n_near"], row["error"] / row["n_near"]),
            decided=carried(row["share"], row["share_error"]),
            decision=decision_of(study),
        )
    ]
    if study.detectable is not None:
        median = float(_row(study.detectable.summary(), metric=metric, correction="none")["median"])
        if math.isfinite(median):
            clauses += [say("benchmark difference", difference=median, power=study.power, gap=gaps[metric])]
    if study.design is not None:
        effect = _row(study.design.to_frame(), metric=metric, of="pairs")["design_effect"]
        clauses += [say("benchmark clusters", effect=effect)]
    if study.items is not None:
        items = _row(study.items.summary(), metric=metric)
        if idle := int(items["all_pass"] + items["all_fail"] + items["all_equal"]):
            clauses += [say("benchmark idle", idle=idle)]
    if cohorts := shares_by_cohort(study, metric):
        clauses += [say("benchmark cohorts", cohorts=cohorts)]
    return f"{'; '.join([*clauses, *_better_aggregates(study, metric, pairs)])}."


def _better_aggregates(study: LeaderboardStudy, metric: str, pairs: pd.DataFrame) -> list[str]:
    """Say which aggregates separate more pairs than the mean, where some do."""
    ways = study.conclusions[study.conclusions["metric"] == metric].to_dict("records")
    most = max(way["n_significant_fdr_by"] for way in ways)
    if most == ways[0]["n_significant_fdr_by"]:
        return []
    leads = sorted((way for way in ways if way["n_significant_fdr_by"] == most), key=lambda way: way["aggregate"])
    said = say(
        "benchmark aggregates",
        ways=[way["aggregate"] for way in leads],
        most=most / ways[0]["n_pairs"],
        share=_row(pairs, metric=metric, family="all", correction="fdr_by")["share"],
        orders=dict.fromkeys(f"{way['tau']:.2f}" for way in leads),
    )
    return [said]


def _methods(study: LeaderboardStudy) -> Methods:
    ranks, metrics = study.ranks, study.comparison.metrics
    traits = traits_said(study.scores, left_out=study.left_out)
    words = [say("methods", study=study, sizes=study.scores.sizes, metrics=metrics, traits=traits)]
    if ranks is not None:
        words += [say(f"methods {ranks.method}", level=_level(study), ranks=ranks)]
    if study.best is not None:
        words += [say("methods best", best=study.best)]
    return Methods(paragraphs=(" ".join([*words, say("methods last", study=study)]),))
