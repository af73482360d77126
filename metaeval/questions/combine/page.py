"""The report over several collections: each claim put together, drawn as a forest, with what a new one should show."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import (
    absent,
    compared_p,
    intervals,
    listed,
    name_of_metric,
    number,
    p_value,
    percentage,
    share,
    text,
    whole,
)
from metaeval.models.meta_analysis import FEW, PRIOR_ERRORS
from metaeval.page.blocks import Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, rising, under, with_cells
from metaeval.questions.combine.study import MEASURES, CollectionsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.reports.traits import traits_said
from metaeval.tests_stat.result import is_significant

_OPEN, _MOST_DRAWN, _MOST_ROWS = 3, 20, 400
_TAU = number(2)
_LEVEL = 0.05
say = prose(__name__)


def combine_report(study: CollectionsStudy) -> Report:
    """Put claims over several collections into a report."""
    claims = study.claims
    return Report(
        command="combine",
        title="Does it hold on all collections?",
        facts=facts(collection=len(study.collections), claim=len(claims)),
        summary=_summary(study),
        key_figures=_key_figures(study),
        sections=(_forest_section(study), _claims_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"estimates.csv": csv_file(study.estimates)},
    )


def _writer(measure: str) -> Callable[[object], str]:
    """Return what writes numbers of a measure: power in points, a mean difference in the unit of the metric."""
    if measure == "power":
        return lambda value: number(1)(value if absent(value) else 100.0 * float(value))  # type: ignore[arg-type]  # a cell is a number
    return number(3 if measure == "difference" else 2)


def _written_tau(row: Mapping[Any, Any]) -> str:
    """Write the standard deviation between collections, on the scale on which they are put together."""
    return (_writer(row["measure"]) if row["measure"] in {"power", "difference"} else _TAU)(row["tau"])


def _named(study: CollectionsStudy, row: Mapping[Any, Any]) -> dict[str, str]:
    """Return who a claim is about, metrics by their short names."""
    write = name_of_metric if study.study in {"power", "agree", "topics"} else text
    return {"first": write(row["first"]), "second": write(row["second"]), "metric": name_of_metric(row["metric"])}


def _claim_words(study: CollectionsStudy, row: Mapping[Any, Any]) -> str:
    return say("claim", measure=row["measure"], several=len(study.metrics) > 1, **_named(study, row))


# ---------------------------------------------------------------------------------------------------- the short answer


def _summary(study: CollectionsStudy) -> tuple[str, ...]:
    """Say what the first claim comes to, how far collections differ, and how much depends on any one."""
    claims = study.claims
    row = claims.iloc[0].to_dict()
    write = _writer(row["measure"])
    sentences = [_answer(study, row)]
    if _holds_here(row):
        sentences[0] += f" {_here(study, row)}"
    if study.study == "table" and len(claims) > 1:
        n_clear, n_here = (
            int(is_significant(claims[p], study.alpha).sum()) for p in ("p_corrected", "p_here_corrected")
        )
        few = row["n_collections"] if row["n_collections"] <= FEW else 0
        sentences.insert(0, say("pairs", n=n_clear, of=len(claims), here=n_here if n_here > n_clear else 0, few=few))
    sentences.append(say("differ", row=row, tau=_written_tau(row), differ=row["p_equal"] < _LEVEL))
    means = study.of_claim(0)["without"].dropna()
    if len(means):
        sentences.append(say("left out", low=write(means.min()), high=write(means.max())))
    if study.bayesian or row["n_collections"] <= FEW:
        sentences.append(say("few", n=row["n_collections"], bayesian=study.bayesian, times=PRIOR_ERRORS))
    return tuple(sentences)


def _answer(study: CollectionsStudy, row: Mapping[Any, Any]) -> str:
    """Say what a claim comes to over the collections, and on a new one."""
    measure = row["measure"]
    meaning, write = MEASURES[measure], _writer(measure)
    is_signed = meaning.compares and measure != "topics"
    signed = {
        name: ("+" * (is_signed and row[name] > 0.0)) + write(row[name]) for name in ("mean", "new_low", "new_high")
    }
    one_of_pairs = study.study == "table" and len(study.claims) > 1  # of which the sentence before says how many differ
    verdict = "Yes: " if _is_clear(row) else "Open: " if _holds_here(row) else "No: "
    return say(
        f"answer {study.study}",
        row=row,
        **({"verdict": "" if one_of_pairs else verdict} if meaning.compares else {}),
        **_named(study, row),
        ends=f"[{write(row['low'])}, {write(row['high'])}]",
        unclear=""
        if _is_clear(row)
        else say("unclear", n=row["n_collections"], here=_holds_here(row), each=all(_clear_on(study).values())),
        new=not absent(row["new_low"]),
        **signed,
    )


def _here(study: CollectionsStudy, row: Mapping[Any, Any]) -> str:
    """Say what a claim comes to on these few collections alone, and on which it holds by itself."""
    write, clear = _writer(row["measure"]), _clear_on(study)
    return say(
        "here",
        row=row,
        mean=write(row["here"]),
        signed=row["measure"] != "topics",
        ends=f"[{write(row['here_low'])}, {write(row['here_high'])}]",
        p=compared_p(row["p_here"]),
        sure=[name for name, is_sure in clear.items() if is_sure],
        unsure=[name for name, is_sure in clear.items() if not is_sure],
    )


def _is_clear(row: Mapping[Any, Any], of: str = "") -> bool:
    """Say whether the interval of a mean leaves out that both are alike."""
    alike = _alike(row["measure"])
    return alike is not None and not row[f"{of}low"] <= alike <= row[f"{of}high"]


def _holds_here(row: Mapping[Any, Any]) -> bool:
    """Say whether few collections, all on one side, tell of these alone what they do not tell of others."""
    n = row["n_collections"]
    return bool(not _is_clear(row) and n <= FEW and row["n_above"] == n and _is_clear(row, "here_"))


def _clear_on(study: CollectionsStudy) -> dict[str, bool]:
    """Return whether each collection by itself says of the first claim that the first is ahead."""
    rows = study.of_claim(0)
    alike = _alike(rows["measure"].iloc[0])
    return {} if alike is None else dict(zip(rows["collection"], rows["low"] > alike, strict=True))


def _alike(measure: str) -> float | None:
    """Return the value of a measure where the first and the second are alike."""
    meaning = MEASURES[measure]
    return float(meaning.natural(0.0)) if meaning.compares else None  # type: ignore[arg-type]  # a number


# -------------------------------------------------------------------------------------------------------- the sections


def _cells(study: CollectionsStudy, frame: pd.DataFrame) -> pd.DataFrame:
    """Return claims with their figures as written: what is about power is in points."""
    rows = frame.to_dict("records")
    writers = [_writer(row["measure"]) for row in rows]
    ends = {
        name: [intervals([row[low]], [row[high]], write)[0] for row, write in zip(rows, writers, strict=True)]
        for name, low, high in (
            ("interval", "low", "high"),
            ("ahead", "new_low", "new_high"),
            ("around", "here_low", "here_high"),
        )
    }
    above = [
        whole(row["n_collections"]) if absent(row["n_above"]) else f"{row['n_above']} of {row['n_collections']}"
        for row in rows
    ]
    means, alone = ([write(row[of]) for row, write in zip(rows, writers, strict=True)] for of in ("mean", "here"))
    claims, taus = [_claim_words(study, row) for row in rows], list(map(_written_tau, rows))
    return with_cells(frame, claim=claims, above=above, shown=means, alone=alone, spread=taus, **ends)


def _key_figures(study: CollectionsStudy) -> Table:
    columns = (
        *left(claim="Claim"),
        *right(above="Collections"),
        *right(shown=_head(study)),
        *under(interval="interval"),
        *right(ahead="New collection"),
    )
    return key_figures(_cells(study, study.claims), columns, which="first", data=study.claims)


def _head(study: CollectionsStudy) -> str:
    return say("head", study=study.study)


def _forest_section(study: CollectionsStudy) -> Section:
    pictures = [_forest_picture(study, row) for row in range(min(len(study.claims), _MOST_DRAWN))]
    folds = (Fold(title=picture.title, blocks=(picture,)) for picture in pictures[_OPEN:])
    more = len(study.claims) - len(pictures)
    further = (Text(paragraphs=(f"{count(more, 'further claim')} in the table alone.",)),) if more else ()
    return say.section("forest", *pictures[:_OPEN], *folds, *further, level=percentage(study.confidence_level))


def _forest_picture(study: CollectionsStudy, number_of_claim: int) -> Picture:
    claim, rows = study.claims.iloc[number_of_claim].to_dict(), study.of_claim(number_of_claim)
    write = _writer(claim["measure"])
    below = [
        ("together", "together", claim["mean"], claim["low"], claim["high"]),
        ("a new one", "new", None, claim["new_low"], claim["new_high"]),
    ]
    together = pd.DataFrame(below, columns=["name", "kind", "value", "low", "high"]).dropna(subset="low")
    named = rows.assign(name=rows["collection"], kind="collection")
    drawn = pd.concat([named[["name", "kind", "value", "low", "high", "weight"]], together], ignore_index=True)
    drawn["words"] = [
        f"{write(row['value'])} [{write(row['low'])}, {write(row['high'])}]" for row in drawn.to_dict("records")
    ]
    scale = 100.0 if claim["measure"] == "power" else 1.0
    drawn[["value", "low", "high"]] *= scale
    alike = _alike(claim["measure"])
    words = _claim_words(study, claim)
    return say.picture(
        "forest",
        partial(
            figures.forest_rows,
            drawn,
            label=say("axis", measure=claim["measure"], **_named(study, claim)),
            alike=None if alike is None else scale * alike,
        ),
        called=f"forest_{number_of_claim + 1}",
        claim=words,
        n=len(rows),
        together=drawn["words"].iloc[len(rows)],
    )


def _claims_section(study: CollectionsStudy) -> Section:
    compares, few = study.claims["p_value"].notna().any(), bool((study.claims["n_collections"] <= FEW).all())
    table = say.table(
        "claims",
        _cells(study, study.claims.head(_MOST_ROWS)),
        left(claim="Claim"),
        right(above="Collections"),
        right(shown=_head(study)),
        under(interval="interval"),
        right(ahead="New collection"),
        rising(p_value, p_corrected="p (Holm)") if compares else (),
        (*right(alone="These alone"), *under(around="interval ")) if few else (),
        right(spread="τ"),
        right(share, i2="I²"),
        data=study.claims,
        scaled=study.study in {"agree", "topics", "judges"},
        compares=compares,
    )
    return say.section("claims", table, n=len(study.collections))


def _methods(study: CollectionsStudy) -> Methods:
    traits: dict[str, list[str]] = {}  # collections by what they have
    for name, table in study.tables.items():
        traits.setdefault(traits_said(table, gaps="paired"), []).append(name)
    in_words = [f"{listed(names, most=_OPEN)}: {words}" for words, names in traits.items() if words]
    words = say(
        "methods", study=study, level=percentage(study.confidence_level), times=PRIOR_ERRORS, traits=" ".join(in_words)
    )
    return Methods(paragraphs=(words,))
