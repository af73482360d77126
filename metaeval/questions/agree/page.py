# ruff: noqa: RUF001 - Greek letters are meant for people
"""The page that answers whether metrics lead to the same conclusions: an agreement study in words and pictures."""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pandas as pd

from metaeval import figures
from metaeval.base.words import (
    intervals,
    listed,
    name_of_metric,
    number,
    percentage,
    sentence_case,
    share,
    share_of,
    short_names_sentence,
    span,
    text,
    whole,
)
from metaeval.page.blocks import MOST_KEY_FIGURES, Block, Fold, Item, Items, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, bounded, left, right, under
from metaeval.questions.agree import page_findings as findings
from metaeval.questions.agree.page_findings import compared_rows, label, pair_label, terms
from metaeval.questions.agree.study import AgreeStudy
from metaeval.questions.agree.study_element_uses import EXCEPT, FIXED, MERGED
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, groups_of_topics
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MEANINGS = {
    "f1": "Harmonic mean of precision and recall.",
    "precision": "Share of the row's significant pairs that the column confirms.",
    "recall": "Share of the column's significant pairs that the row recovers.",
    "balanced accuracy": "Mean of recall and of the share of the column's other pairs that the row leaves open.",
    "MCC": "Matthews' correlation of being significant, in the column's direction, with being so in the column.",
    "type II": "Share of the column's significant pairs that are not significant in the row.",
}
_VARIABLES = {"balanced accuracy": "balanced_accuracy", "MCC": "mcc", "type II": "type_2"}
_PAIRS = "Significantly different pairs"
_TWO, _FOUR = number(2), number(4)
_SCREEN = 30
_MOST_CONFLICTS = 200
_MOST_PICTURES = 8
_CONFLICTS = right(whole, n_conflicts="Conflicts")
say = prose(__name__)


def agree_report(study: AgreeStudy) -> Report:
    """Put an agreement study into a report."""
    rows, verdicts, columns = compared_rows(study), findings.verdicts_frame(study), _verdict_columns(study)
    rule = say("rule", level=findings.level_of(study), bar=f"{study.min_f1:g}", **terms(study))
    identical = [f"identical systems, never significantly different: {listed(names)}" for names in study.identical]
    wording, about = terms(study), "Do the grades matter for the conclusions?"
    answer = filter(None, (findings.answer_sentence(study), findings.resting_words(study)))
    return Report(
        command="agree",
        title=about if wording["grades"] else f"Do the {wording['uses']} lead to the same conclusions?",
        facts=_facts(study),
        summary=(" ".join(answer), *findings.more_sentences(study)),
        key_figures=key_figures(verdicts, columns, caption=rule, which="lowest") if len(verdicts) else None,
        sections=(
            _advice_section(study, rows),
            _shares_section(study),
            *_matrix_sections(study),
            *_grades_section(study),
            *_overview_section(study),
            _pairs_section(study),
            *_disagreement_section(study, rows),
            *_conflicts_section(study),
            *_settings_section(study, rows),
        ),
        methods=findings.agree_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(*short_names_sentence(study.lead.metrics), *study.notes, *identical),
        data=score_files(study.scores)
        | {"agreement.csv": csv_file(study.to_frame()), "conflicts.csv": csv_file(study.lead.conflicts())},
    )


def _facts(study: AgreeStudy) -> tuple[tuple[str, str], ...]:
    sizes = study.scores.sizes
    groups = study.groups()
    compared = facts(metric=len(groups) if study.variants else sizes["metric"])
    if terms(study)["elements"]:
        quantisations = {variant.words for variant in study.variants if variant.kind not in {MERGED, FIXED}}
        compared += ((str(len(quantisations)), "quantisations"),)
    elif study.variants:
        compared += ((str(sum(map(len, groups.values()))), "uses of their grades"),)
    counted = facts(
        system=sizes["system"], topic=sizes["topic"], **groups_of_topics(study.scores), pair=study.lead.n_pairs
    )
    return (*compared, *counted, (f"{study.lead.alphas[0]:g}", "significance level α"))


def _verdict_columns(study: AgreeStudy) -> tuple[Column, ...]:
    level = f" [{findings.level_of(study)} interval]" if study.intervals is not None else ""
    return (
        *left(predictor_label=sentence_case(terms(study)["use"]), truth_label="Instead of"),
        *right(f1_shown=f"F1{level}"),
        *_CONFLICTS,
        *left(verdict="Conclusions"),
    )


def _advice_section(study: AgreeStudy, rows: pd.DataFrame) -> Section:
    wording = terms(study)
    blocks: list[Block] = []
    if len(rows):
        drawn, names = _rows_in_groups(study, rows)
        alt = "; ".join(f"{name} {_TWO(f1)}" for name, f1 in zip(names, rows["f1"], strict=True))
        blocks.append(
            say.picture("f1_rows", lambda: figures.agreement_rows(drawn, min_f1=study.min_f1), alt=alt, study=study)
        )
    if why := study.lead.result.out_of_reach():
        blocks.append(Text(paragraphs=(say("out of reach", why=why),), look="note"))
    if len(rows) > MOST_KEY_FIGURES:
        title = "Conclusions under each, compared with the reference"
        frame, columns = findings.verdicts_frame(study), _verdict_columns(study)
        table = Table(name="verdicts", title=title, caption="", frame=frame, columns=columns, data=rows)
        blocks.append(Fold(title=f"All {len(rows)} comparisons", blocks=(table,)))
    return say.section("advice", *blocks, **wording)


def _rows_in_groups(study: AgreeStudy, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows as a picture names them, in an audit below their metric, and what each compares."""
    truths = [label(study, name, within=True) for name in rows["truth"]]
    pairs = list(zip(rows["predictor"], truths, strict=True))
    names = [f"{label(study, predictor)} instead of {truth}" for predictor, truth in pairs]
    if not study.variants:
        return rows.assign(label=names), names
    short = [label(study, predictor, within=True) for predictor, _ in pairs]
    heads = [f"{name_of_metric(base)}, instead of {truth}" for base, truth in zip(rows["base"], truths, strict=True)]
    return rows.assign(label=short, group=heads), names


def _shares_section(study: AgreeStudy) -> Section:
    wording = terms(study)
    metrics = [name for members in study.groups().values() for name in members]
    words = {variant.metric: variant.words for variant in study.variants}
    powers = study.powers()
    powers = powers[powers["metric"].isin(metrics)]
    frame = powers.drop_duplicates("metric")[["metric"]].reset_index(drop=True)
    frame = frame.assign(words=[words.get(name, "") for name in frame["metric"]])
    columns = [*left(name_of_metric, metric="Metric")]
    columns += [*left(words=sentence_case(wording["use"]))] if words else []
    level = percentage(study.intervals.confidence_level) if study.intervals is not None else ""
    for name, rows in powers.groupby("correction", sort=False):
        frame[str(name)] = [share_of(n, study.lead.n_pairs) for n in rows["n_significant"]]
        frame[f"{name}_sort"] = rows["n_significant"].to_numpy()
        columns += right(text, _PAIRS, **{str(name): CORRECTIONS.label(str(name))})
        if rows["low"].notna().any() and study.intervals is not None:
            frame[f"{name} interval"] = intervals(
                rows["low"], rows["high"], about=rows["power"], draws=study.intervals.n_topic_resamples
            )
            columns += under(text, _PAIRS, **{f"{name} interval": f"{level} interval"})
    table = say.table(
        "shares",
        frame,
        columns,
        data=powers.assign(n_pairs=study.lead.n_pairs),
        result=study.lead.result,
        corrections=list(powers["correction"].unique()),
        **wording,
    )
    return say.section(
        "shares", table, *_meaning_blocks(study) if wording["elements"] else (), result=study.lead.result
    )


def _meaning_blocks(study: AgreeStudy) -> list[Block]:
    """Say what the quantisations of elements are, those of one function together."""
    named: dict[str, dict[str, None]] = {}
    for variant in study.variants:
        if variant.meaning and variant.kind != MERGED:
            named.setdefault(variant.meaning, {})[variant.words] = None
    items = tuple(Item(term=", ".join(words), words=meaning) for meaning, words in named.items())
    return [Fold(title="Definitions of the quantisations", blocks=(Items(items=items),))]


def _matrix_sections(study: AgreeStudy) -> list[Section]:
    groups = enumerate(study.groups().items())
    # a matrix of one says nothing
    return [_matrix_section(study, index, *group) for index, group in groups if len(group[1]) > 1]


def _matrix_section(study: AgreeStudy, number: int, base: str, members: Sequence[str]) -> Section:
    wording, under = terms(study), f" under {name_of_metric(base)}" if base else ""
    matrix = _named_matrix(study, members, within=bool(base))
    called, alt = f"{base} f1_map" if base else "f1_map", _matrix_alt(matrix)
    picture = say.picture("map", lambda: figures.matrix_map(matrix), called=called, alt=alt, under=under, **wording)
    f1, *others = (_matrix_table(study, members, measure, base) for measure in _MEANINGS)
    return say.section(
        "matrix",
        picture,
        f1,
        Fold(title="Precision, recall, balanced accuracy, MCC and type II errors", blocks=(*others,)),
        brief=not study.variants,
        id=f"matrix-{number}" if base else "matrix",
        under=under,
        **wording,
    )


def _named_matrix(study: AgreeStudy, members: Sequence[str], *, within: bool = False) -> pd.DataFrame:
    """Return F1 with the names of the page on both sides."""
    names = [label(study, name, within=within) for name in members]
    return study.lead.matrix("f1").loc[list(members), list(members)].set_axis(names, axis=0).set_axis(names, axis=1)


def _matrix_table(study: AgreeStudy, members: Sequence[str], measure: str, base: str) -> Table:
    name = _VARIABLES.get(measure, measure)
    matrix = study.lead.matrix(name).loc[list(members), list(members)]
    short = [label(study, name, within=bool(base)) for name in members]
    data = pd.DataFrame(
        {"predictor": list(members), "share": study.lead.data["share"].sel(metric=list(members)).to_numpy()[0]}
        | {name: matrix[name].to_numpy() for name in members}
    )
    places = {name: f"truth {index}" for index, name in enumerate(members)}
    return say.table(
        "matrix table",
        data.assign(predictor=short).rename(columns=places),
        left(predictor="Predictor"),
        right(share, share="Significant pairs"),
        right(_TWO, "Truth", **dict(zip(places.values(), short, strict=True))),
        called=f"{base} {name}" if base else name,
        data=data,
        result=study.lead.result,
        measure=f"{sentence_case(measure)}, {name_of_metric(base)}" if base else sentence_case(measure),
        meaning=_MEANINGS[measure],
    )


def _matrix_alt(matrix: pd.DataFrame) -> str:
    pairs = {" and ".join(sorted(pair)): matrix.loc[pair] for pair in combinations(matrix.index, 2)}
    return f"F1 {span(pairs, pairs.values(), map(_TWO, pairs.values()))}."


def _overview_section(study: AgreeStudy) -> list[Section]:
    """Show all metrics of an audit in one map."""
    if len(study.groups()) < 2:  # noqa: PLR2004 - one group has its map already
        return []
    matrix = _named_matrix(study, [name for group in study.groups().values() for name in group])
    picture = say.picture("f1_map_all", lambda: figures.matrix_map(matrix), alt=_matrix_alt(matrix), **terms(study))
    return [say.section("all", picture, brief=False, **terms(study))]


def _grades_section(study: AgreeStudy) -> list[Section]:
    """Show what an audit's conclusions are without one boundary between grades."""
    frame = study.grades()
    if frame.empty:
        return []
    table_frame, f1 = _with_f1(study, frame)
    rows = frame.assign(label=frame["boundary"], group=[f"{name_of_metric(base)}, blind to" for base in frame["base"]])
    alt = "; ".join(f"{row.base} without {row.boundary} {_TWO(row.f1)}" for row in frame.itertuples())
    picture = say.picture("grades", lambda: figures.agreement_rows(rows, min_f1=study.min_f1), alt=alt, study=study)
    table = say.table(
        "grades table",
        table_frame,
        left(name_of_metric, base="Metric"),
        left(boundary="Blind to"),
        f1,
        right(_TWO, precision="Precision", recall="Recall"),
        _CONFLICTS,
        right(_TWO, tau="τ"),
        called="grades",
        data=frame,
        shares=frame["boundary"].str.contains(EXCEPT).any(),
        **terms(study),
    )
    words = Text(paragraphs=tuple(findings.grade_sentences(study)))
    return [say.section("grades", words, picture, table, head="Boundaries between grades")]


def _pairs_section(study: AgreeStudy) -> Section:
    """Show F1 of every two metrics beside the correlations of their rankings."""
    metrics = study.lead.metrics
    order = {name: position for position, name in enumerate(metrics)}
    frame = _without_merged(study, study.to_frame().iloc[: len(metrics) * (len(metrics) - 1)], "predictor", "truth")
    first = frame["truth"].map(order) < frame["predictor"].map(order)
    frame = frame[first].sort_values("f1", kind="stable", ignore_index=True)
    table_frame, f1 = _with_f1(study, _with_labels(study, frame, "truth", "predictor"))
    table = say.table(
        "pairs_of_metrics",
        table_frame,
        left(truth="First"),
        (Column(name="predictor", label="second", under=True),),
        f1,
        right(_TWO, "Found by the other", recall="of first's pairs", precision="of second's pairs"),
        _CONFLICTS,
        right(_TWO, "Correlation of the rankings", tau="τ", tau_ap="τ AP", rho="ρ"),
        data=frame,
    )
    few = len(table_frame) <= 2 * _MOST_PICTURES
    block = table if few else Fold(title=f"All {len(table_frame)} pairs", blocks=(table,))
    return say.section("pairs", block, brief=False)


def _disagreement_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Draw how large the differences are on which metrics and their references agree, and do not."""
    cuts = study.lead.thresholds().set_index(["predictor", "truth"])
    frame = study.to_frame().iloc[: len(study.lead.metrics) * (len(study.lead.metrics) - 1)]
    asked = frame.set_index(["predictor", "truth"], drop=False).loc[list(study.pairs)].to_dict("records")
    comparable = (
        rows[(rows["n_predictor"] > 0) & (rows["n_truth"] > 0)].sort_values("f1", kind="stable").to_dict("records")
    )
    others = [row for row in comparable if (row["predictor"], row["truth"]) not in study.pairs][:_MOST_PICTURES]
    if not others and not asked:
        return []
    drawn = [_disagreement(study, row, cuts) for row in (*asked, *others)]
    n_unfolded = len(asked) or 1
    folds = [Fold(title=block.title, blocks=(block,)) for block in drawn[n_unfolded:] if isinstance(block, Picture)]
    return [say.section("disagreement", *drawn[:n_unfolded], *folds, _threshold_table(study, rows, cuts), brief=False)]


def _disagreement(study: AgreeStudy, row: dict[Hashable, Any], cuts: pd.DataFrame) -> Picture | Text:
    """Draw where two metrics disagree; say so where neither finds a pair."""
    predictor, truth = str(row["predictor"]), str(row["truth"])
    same = len({variant.base for variant in study.variants if variant.metric in (predictor, truth)}) == 1
    pair = pair_label(study, predictor, truth)
    if not row["n_predictor"] and not row["n_truth"]:
        return Text(paragraphs=(f"Neither of {pair} finds a significant pair.",), look="note")
    cut = cuts.loc[[(predictor, truth)]].iloc[0]
    return say.picture(
        "dots",
        partial(_disagreement_figure, study, predictor, truth, float(cut["threshold"]), within=same),
        called=f"disagreement {predictor} {truth}",
        row=row,
        cut=cut,
        pair=pair,
    )


def _disagreement_figure(study: AgreeStudy, predictor: str, truth: str, cut: float, *, within: bool) -> "Figure":
    pairs, densities = study.lead.disagreement(predictor, truth), study.lead.densities(predictor, truth)
    first, second = (label(study, name, within=within) for name in (predictor, truth))
    return figures.disagreement_panels(pairs, densities, predictor=first, truth=second, cut=cut)


def _threshold_table(study: AgreeStudy, rows: pd.DataFrame, cuts: pd.DataFrame) -> Table:
    frame = cuts.loc[pd.MultiIndex.from_frame(rows[["predictor", "truth"]])].reset_index()
    table_frame = _with_labels(study, frame, "predictor").assign(
        truth=frame["truth"].map(partial(label, study, within=bool(study.variants))),
        kept=list(map(share_of, frame["n_kept"], frame["n_predictor"])),
        kept_sort=frame["n_kept"],
    )
    return say.table(
        "thresholds",
        table_frame,
        left(predictor="Predictor", truth="Truth"),
        right(_FOUR, threshold="Least |difference|"),
        right(_TWO, f1_without="F1 without", f1="F1 with it"),
        right(kept="Significant pairs left"),
        data=frame,
        sizes=study.scores.sizes,
    )


def _conflicts_section(study: AgreeStudy) -> list[Section]:
    """Name the pairs of systems that two metrics decide in opposite directions; nothing where there are none."""
    frame = _without_merged(study, study.lead.conflicts(), "metric_a", "metric_b")
    if frame.empty:
        return []
    smaller = frame[["lead_a", "lead_b"]].abs().min(axis=1).sort_values(ascending=False, kind="stable")
    frame = frame.loc[smaller.index].reset_index(drop=True)
    counted = frame.groupby(["better_under_a", "better_under_b"], sort=False).size()
    table_frame = _with_labels(study, frame.head(_MOST_CONFLICTS), "metric_a", "metric_b")
    table = say.table(
        "conflicts",
        table_frame,
        left(metric_a="Under", better_under_a="is better"),
        right(_FOUR, lead_a="by"),
        left(metric_b="Under", better_under_b="is better"),
        right(lambda value: _FOUR(-float(str(value))), lead_b="by"),
        data=frame,
        most=_MOST_CONFLICTS,
        n=len(frame),
    )
    words = say("conflicts counted", n=len(frame), n_pairs=len(counted))
    named = table if len(table_frame) <= _SCREEN else Fold(title="All by name", blocks=(table,))
    blocks = (Text(paragraphs=(findings.conflict_sentence(study), words)), named)
    return [say.section("conflicts", *blocks, brief=False, head="Conflicts: pairs significant in opposite directions")]


def _settings_section(study: AgreeStudy, rows: pd.DataFrame) -> list[Section]:
    """Show F1 with the reference under every test, correction and level, if there are several."""
    if sum(len(agreement.alphas) for agreement in study.agreements) < 2:  # noqa: PLR2004 - one is told already
        return []
    frame = rows[["predictor", "truth"]].merge(study.to_frame(), on=["predictor", "truth"], how="left")
    table_frame = _with_labels(study, frame, "truth", "predictor").assign(
        setting=[say("setting", row=row) for row in frame.itertuples()]
    )
    table = say.table(
        "settings",
        table_frame,
        left(truth="Truth", predictor="Predictor", setting="Decided by"),
        right(share, "Power", share_truth="truth", share_predictor="predictor"),
        right(_TWO, precision="Precision", recall="Recall", f1="F1"),
        _CONFLICTS,
        data=frame,
    )
    return [say.section("settings", table, head="Sensitivity to test, correction and level")]


def _with_f1(study: AgreeStudy, frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return the frame and the columns of F1, with its interval where there is one."""
    if study.intervals is None:
        return frame, right(_TWO, f1="F1")
    return bounded(frame, {"f1": ("F1", _TWO)}, draws=study.intervals.n_topic_resamples)


def _with_labels(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the frame with the names of the page in columns that hold metrics."""
    return frame.assign(**{name: frame[name].map(partial(label, study)) for name in columns})


def _without_merged(study: AgreeStudy, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Leave out rows about merged grades, which have a section of their own."""
    merged = {variant.metric for variant in study.variants if variant.kind == MERGED}
    return frame[~frame[list(columns)].isin(merged).any(axis=1)].reset_index(drop=True)
