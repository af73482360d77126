# ruff: noqa: RUF001 - true minus signs are meant
"""Which printed digits does chance write? Every command with many seeds on one small table, figure beside figure.

Usage: python benchmarks/digits_of_draws.py [--seeds 20] [--only NAME;…] [--write FILE]

What a report prints (its answer, the words of its sections, every cell of every table) is compared over the seeds,
figure by figure. A figure is named by its table, its row (the words in it) and its column, or by its place in a
sentence. The last printed digit may move by one. Where it moves by more, what the page says of the Monte-Carlo errors
of its table (of all tables, for a figure in a sentence) has to cover it, ``of a rate 0.4 points``; and the values have
to lie as that error says.
"""

import argparse
import re
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import Labels, as_labels
from metaeval.collection import JudgedCollection
from metaeval.collection.assembly import collection_from_rankings
from metaeval.page.blocks import Items, Section, Text, _walk
from metaeval.page.report import Report
from metaeval.page.tables import Table
from metaeval.simulate.scores import simulate_scores
from metaeval.studies import (
    JudgeStudy,
    study_agree,
    study_compare_metrics,
    study_compare_tests,
    study_human,
    study_judges,
    study_judgments,
    study_leaderboard,
    study_power,
    study_table,
    study_topics,
)
from metaeval.table.scores import Scores

MOST_UNITS = 1.5
"""By how many units of its last digit a figure may move: one, and what binary fractions add."""
_NUMBER = re.compile(r"(?P<sign>[−-]?)(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)")


_OF = re.compile(r"(?<![\d.])[\d.,]+(?:(?:/[\d,]+)? = | of [\d,]+ pairs \()([\d.]+ %)")
_SEED = re.compile(r"seed \d+")
_SAID_OF = re.compile(r"of ([^,\d]+) (\d.*?)(?=, of |$)")
_AMOUNT = re.compile(r"(\d*\.?\d+)( point| topic| %)?s?")
_SPAN = re.compile(r"[−-]?[\d.,]+(?: %)? to [−-]?[\d.,]+|\[[^\]]*\]")


def scores() -> Scores:
    """Return eight systems on forty topics under two metrics, close enough that chance decides about some."""
    return simulate_scores(n_systems=8, n_topics=40, metrics=("AP", "nDCG@10"), rng=5)


def people() -> xr.DataArray:
    """Return a human score and two metrics of seven systems on sixty items."""
    rng = np.random.default_rng(2)
    quality = np.linspace(0.3, 0.6, 7)[:, None] + rng.normal(0, 0.15, (7, 60))
    columns = {"human": 0.1, "close": 0.15, "far": 0.4}
    table = {name: quality + rng.normal(0, noise, quality.shape) for name, noise in columns.items()}
    rows = [
        {"system": f"s{system}", "item": f"i{item}", **{name: values[system, item] for name, values in table.items()}}
        for system in range(7)
        for item in range(60)
    ]
    return item_scores(pd.DataFrame(rows), reference="human")


def judged() -> tuple[Labels, JudgedCollection]:
    """Return the labels of a reference, two people and two judges on twenty topics, with six runs and their groups."""
    rng = np.random.default_rng(0)
    shares = {"nist": 0.0, "ann": 0.2, "ben": 0.3, "model": 0.15, "hasty": 0.7}
    items, labels, lists = [f"d{number}" for number in range(30)], defaultdict(dict), defaultdict(dict)
    for topic in map(str, range(20)):
        levels = rng.choice(4, 30, p=[0.5, 0.25, 0.15, 0.1])
        for name, share in shares.items():
            own = np.where(rng.random(30) < share, rng.permutation(levels), levels)
            labels[name][topic] = dict(zip(items, own.tolist(), strict=True))
        for place in range(6):
            order = np.argsort(-(levels * 0.35 * place + rng.normal(0, 1.0, 30)))
            lists[f"r{place}"][topic] = [items[one] for one in order]
    given = as_labels(dict(labels))
    highest = given.table.max(axis=1).astype(int)
    qrels = {topic: highest.xs(topic).to_dict() for topic in given.topics}
    return given, collection_from_rankings(dict(lists), qrels)


def judge_study(seed: int, **choices: Any) -> JudgeStudy:  # noqa: ANN401 - handed on
    """Study the judges with their runs."""
    labels, runs = judged()
    groups = dict(zip(("r0", "r1", "r2", "r3", "r4", "r5"), "aaabbb", strict=True))
    given = {"people": ("ann", "ben"), "reference": "nist", "metrics": ["nDCG@10"]}
    return study_judges(labels, collection=runs, groups=groups, rng=seed, **(given | choices))


def few() -> Scores:
    """Return six systems on twenty-four topics, for what takes long."""
    return simulate_scores(n_systems=6, n_topics=24, metrics=("AP", "nDCG@10"), rng=5)


STUDIES: dict[str, Callable[[int], object]] = {
    "power": lambda seed: study_power(scores(), rng=seed, n_topic_resamples=200),
    "power, permutations": lambda seed: study_power(
        scores(),
        tests=["randomisation", "bootstrap", "max_t"],
        corrections=("none", "holm"),
        rng=seed,
        n_topic_resamples=None,
    ),
    "power, rope": lambda seed: study_power(scores(), tests=["t"], rope=0.02, rng=seed),
    "table": lambda seed: study_table(scores(), test="randomisation", rng=seed),
    "leaderboard": lambda seed: study_leaderboard(few(), n_resamples=500, rng=seed),
    "topics": lambda seed: study_topics(few(), n_trials=20, tolerances=(0, 0.1), n_topic_resamples=20, rng=seed),
    "compare-metrics": lambda seed: study_compare_metrics(few(), n_topic_resamples=50, n_choices=40, rng=seed),
    "compare-tests": lambda seed: study_compare_tests(
        few(), tests=["t", "sign"], corrections=("none",), n_splits=10, rng=seed
    ),
    "compare-tests, corrected": lambda seed: study_compare_tests(scores(), tests=["t", "sign"], n_splits=30, rng=seed),
    "agree": lambda seed: study_agree(scores(), rng=seed),
    "agree, bootstrap": lambda seed: study_agree(
        few(), tests=["bootstrap_sensitivity"], corrections=["none"], n_topic_resamples=10, rng=seed
    ),
    "judgments": lambda seed: study_judgments(
        judged()[1],
        metrics=["AP", "nDCG@10"],
        reductions=["stratified", "topics"],
        steps=(30, 70),
        n_replicates=6,
        n_tested=4,
        rng=seed,
        n_jobs=1,
    ),
    "judges": judge_study,
    "judges, one person": lambda seed: judge_study(seed, people=("ann",)),
    "human": lambda seed: study_human(people(), reference="human", rng=seed),
}
"""Every command whose answer is drawn, by a function of the seed."""


_PRECISION = "precision"
"""The row that says the Monte-Carlo errors of a place."""


def printed(report: Report) -> dict[tuple[str, str, str], str]:
    """Return every piece of text that a report prints, by table, row and column, or by section and place."""
    found: dict[tuple[str, str, str], str] = {}
    for number, words in enumerate(report.summary):
        found["summary", str(number), ""] = words
    of_all = ", ".join(filter(None, (table.errors for table in report.tables())))
    found["summary", _PRECISION, ""] = of_all
    for section in report.sections:
        found[section.id, "lead", ""] = section.lead
        for number, (name, words) in enumerate(_words(section)):
            found[section.id, name, str(number)] = words
        found[section.id, _PRECISION, ""] = of_all
    for table in report.tables():
        if table.name not in {"provenance", "checksums"}:
            found[table.name, "caption", ""] = table.caption
            found[table.name, _PRECISION, ""] = table.errors
            found |= _cells(table)
    return found


def _words(section: Section) -> Iterator[tuple[str, str]]:
    for block in _walk(section.blocks):
        if isinstance(block, Text):
            yield from (("words", words) for words in block.paragraphs)
        elif isinstance(block, Items):
            yield from (("item", one.words) for one in block.items)
        elif isinstance(block, Table):
            continue
        elif hasattr(block, "caption"):
            yield "picture", block.caption


def _cells(table: Table) -> dict[tuple[str, str, str], str]:
    found, seen = {}, Counter[str]()
    for row in table.cells():
        words = [cell.text for cell, column in zip(row, table.columns, strict=True) if column.align == "left"]
        name = " | ".join(words)
        seen[name] += 1
        name += f" #{seen[name]}" * (seen[name] > 1)
        for cell, column in zip(row, table.columns, strict=True):
            if column.align == "right":
                found[table.name, name, f"{column.group} {column.label}".strip()] = cell.text
    return found


def _plain(text: str) -> str:
    """Return a text without seed, and of a count beside its share the share."""
    return _OF.sub(r"\1", _SEED.sub("seed", text))


Stated = dict[tuple[bool, str], float]
"""Errors that words state, by whether they are of the ends of intervals alone, and by unit: points, % or none."""


def stated(texts: list[str]) -> Stated:
    """Return the largest errors that the words of one place state.

    Examples
    --------
    >>> stated(["of a rate 0.4 points, of the ends of intervals 12 %"])
    {(False, ' point'): 0.4, (True, ' %'): 12.0}
    """
    found: Stated = {}
    for text in texts:
        for what, amounts in _SAID_OF.findall(text):
            for amount, unit in _AMOUNT.findall(amounts):
                key = ("ends" in what, unit)
                found[key] = max(float(amount), found.get(key, 0.0))
    return found


def _covered(text: str, figure: re.Match[str], value: float, said: Stated) -> float:
    """Return the error that words state for a figure of a text: by its unit, and as an end or not."""
    place = figure.start()
    span = next((one for one in _SPAN.finditer(text) if one.start() <= place < one.end()), None)
    before, after = text[: span.start() if span else place], text[span.end() if span else place :]
    in_percent = span is not None and ("%" in span[0] or (span[0][0] == "[" and before.endswith("% ")))
    percent = in_percent or re.match(r"[−-]?[\d.,]* ?%", after)
    whole = "." not in figure["digits"]
    units = {" point": 1.0} if percent else {"": 1.0, **({" topic": 1.0, " %": abs(value) / 100.0} if whole else {})}
    if not percent and span is not None and (True, "") not in said:
        units[" point"] = 1.0  # of a table whose heads say that its figures are points
    ends = {unit for end, unit in said if end and span is not None}
    return max((said.get((unit in ends, unit), 0.0) * scale for unit, scale in units.items()), default=0.0)


def moved(texts: list[str], said: list[Stated]) -> list[tuple[float, str]]:
    """Return, for each figure of a text that some seeds print otherwise, by how many of its last digits it moves.

    A figure whose Monte-Carlo error is given moves by as many of these as stand between the lowest and the highest,
    divided by what chance allows (3.7 standard errors among twenty seeds, so 5.5 here); it is right up to 1. Where
    other words are chosen by chance, that is told, and the figures of the most frequent words are compared.
    """
    texts = [_plain(text) for text in texts]
    skeletons = Counter(_NUMBER.sub("#", text) for text in texts)
    worst = []
    if len(skeletons) > 1:
        worst.append((float("inf"), " / ".join(sorted(set(texts))[:3])))
        most = skeletons.most_common(1)[0][0]
        kept = [place for place, text in enumerate(texts) if _NUMBER.sub("#", text) == most]
        texts, said = [texts[place] for place in kept], [said[place] for place in kept]
    for figures in zip(*[list(_NUMBER.finditer(text)) for text in texts], strict=True):
        values = [float(one["digits"].replace(",", "")) * (-1 if one["sign"] else 1) for one in figures]
        shown = [one[0] for one in figures]
        if min(values) == max(values):
            continue
        decimals = min(len(one["digits"].partition(".")[2]) for one in figures)
        unit = 10.0**-decimals
        errors = [
            _covered(text, one, value, own) for text, one, value, own in zip(texts, figures, values, said, strict=True)
        ]
        unit = max(unit, 5.5 * float(np.mean([error for error in errors if error > 0] or [0.0])))
        worst.append(
            (
                (max(values) - min(values)) / unit,
                f"{shown[values.index(min(values))]} … {shown[values.index(max(values))]}",
            )
        )
    return worst


def compare(study: Callable[[int], object], n_seeds: int) -> pd.DataFrame:
    """Return the figures of a study that move, by how many of their last digits."""
    texts, said = defaultdict(list), defaultdict(list)
    for seed in range(n_seeds):
        found = printed(study(seed).report())
        for key, text in found.items():
            if key[1] != _PRECISION:
                texts[key].append(text)
                said[key].append(stated([found.get((key[0], _PRECISION, ""), "")]))
    rows = []
    for (place, row, column), several in texts.items():
        if len(set(several)) > 1:
            rows += [(place, row, column, *one) for one in moved(several, said[place, row, column])]
    return pd.DataFrame(rows, columns=["place", "row", "column", "units", "example"])


def described(name: str, found: pd.DataFrame, seconds: float) -> Iterator[str]:
    """Yield the lines of the report on one study: how many figures move, and which by more than their last digit."""
    wrong = found[found["units"] > MOST_UNITS]
    yield f"| {name} | {len(found):,} | {len(wrong):,} | {seconds:.0f} |"
    for (place, column), part in wrong.groupby(["place", "column"], sort=False):
        worst = part.sort_values("units").iloc[-1]
        units = "other words" if np.isinf(worst["units"]) else f"{worst['units']:.0f}"
        example = str(worst["example"]).replace("|", "/")[:90]
        yield f"  - {name}: `{place}` {column or 'words'}: {len(part)} figures, up to {units} (such as {example})"


def main() -> None:
    """Print or write what moves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="", help="studies, by semicolon")
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    rows, left = [], []
    for name, study in STUDIES.items():
        if asked.only and name not in asked.only.split(";"):
            continue
        begun = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compare(study, asked.seeds)
        row, *more = described(name, found, time.perf_counter() - begun)
        rows.append(row)
        left += more
        print("\n".join([row, *more]), flush=True)
    if asked.write:
        head = "| study | figures that move | by more than their last digit or error | seconds |\n|---|---|---|---|"
        asked.write.write_text("\n".join([head, *rows, "", *[one.strip() for one in left], ""]), "utf-8")


if __name__ == "__main__":
    main()
