"""Tables of tools that hold scores in columns or cells of their own making, as rows and columns that names tell."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from metaeval.base.names import count, first_few, is_number
from metaeval.base.number_words import GAP_WORDS
from metaeval.io.blocks import SpreadlessError
from metaeval.io.joined_items import PROMPTED
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows
from metaeval.io.survey_rows import scores_of_survey
from metaeval.table.roles import part_of_word, rises_by_name, role_of_name, word_of

type _Told = tuple[Sheet, list[str]]
type _Row = tuple[int | None, list[str]]

_OF_GRID = re.compile(r"(?P<question>.+?)\s*\[(?P<system>.+)\]")
_NUMBERED = re.compile(r"(.*?)\s*\d+")
_FEWEST = 2
_LONG = ["system", "item", "metric", "score"]
_OF_MT = ".score"
"""How files of mt-metrics-eval end, of segments (.seg.score) and of systems."""
_VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]")
"""What promptfoo writes before an answer."""
_BESIDE_ANSWERS = {"Score": "", "Status": "PASS"}
"""Columns of promptfoo beside that of the answers: of numbers, or with a word for what passed."""
_OF_EXPERIMENT = re.compile(
    r"outputs?_(?P<before>.+)|(?P<after>.+)_(latency|latency_s|latency_ms|tokens|total_tokens|cost|total_cost)"
)
"""What LangSmith notes of every experiment beside its scores."""
_LANGFUSE = frozenset({"traceId", "traceName", "name", "value", "dataType"})
_OF_DATASET = ("datasetItemId", "dataset_item_id")
_OF_LANGFUSE_RUNS = ("datasetRunName", "dataset_run_name", "traceName")
_SUMMARY, _UNRUN = ("dataset", "version", "metric", "mode"), frozenset({"-", ""})
"""The first columns of a summary of OpenCompass, and what stands there where a model was not run on a dataset."""
_KEYS_OF_CHOICES = frozenset({"answer", "correct_answer", "correct", "gold", "key", "label", "target", "ground_truth"})
"""What the column of the right option is called."""
_RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰᶦʲᵏˡᵐⁿᵒᵖ۹ʳˢᵗᵘᵛʷˣʸᶻ"
_OF_WORDS = frozenset({"CATEGORICAL", "TEXT", "CORRECTION"})


def rows_of_form(sheet: Sheet) -> _Told:
    r"""Return a sheet with scores under names that tell what they are, and notes; others as they are.

    A grid of Google Forms becomes a row an answer: a question is an item, and who filled the form, as its first column
    tells, a repeat. Answers of promptfoo become their verdicts, experiments that LangSmith compares rows, and of
    Langfuse the columns of its datasets count; of a summary of OpenCompass the datasets that every model has a score on.
    What systems chose of the options of a question is right or wrong.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> header = b"Timestamp,Q1: fit? [A],Q1: fit? [B],Q2: fit? [A],Q2: fit? [B],Why?\n"
    >>> rows, notes = rows_of_form(sheet_of(header + b"2024-05-01,3,4,1,2,so\n", "x.csv"))
    >>> list(rows.rows())[:3], notes[0].partition(":")[0]
    ([['system', 'item', 'repeat', 'score'], ['A', 'Q1: fit?', '1', '3'], ['B', 'Q1: fit?', '1', '4']], 'columns are called as a question and a system, QUESTION [SYSTEM]')
    """  # noqa: E501 - as it is shown
    names = header_names(next(sheet.rows()))
    return next(filter(None, (read(sheet, names) for read in _FORMS)), (sheet, []))


def roles_of_form(names: Sequence[str], systems: Sequence[str], metrics: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return what columns of LangSmith and Langfuse were read as, and why.

    Examples
    --------
    >>> roles_of_form(["id", "new_f1", "old_f1"], ["new", "old"], ["f1"])["old_f1"]
    ('score', 'scores of a system under a metric')
    """
    if {*names} >= _LANGFUSE:
        item = next(name for name in (*_OF_DATASET, "traceId") if name in names)
        system = next((name for name in _OF_LANGFUSE_RUNS if name in names), "traceName")
        told = {item: ("item", "names items"), system: ("system", "names systems"), "name": ("metric", "by its name")}
        return told if item == "traceId" else told | {"traceId": ("an identifier", "of a system on an item")}
    pairs = [f"{system}_{metric}" for system in systems for metric in metrics]
    return dict.fromkeys([name for name in names if name in pairs], ("score", "scores of a system under a metric"))


def _rows(sheet: Sheet, names: Sequence[str]) -> Iterator[_Row]:
    """Yield the rows that are as long as the header, each behind its line."""
    for line, cells in sheet.without_header().numbered():
        if len(cells) == len(names):
            yield line, [cell.strip() for cell in cells]


def _of_grid(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    matches = {at: match for at, name in enumerate(names) if (match := _OF_GRID.fullmatch(name))}
    rated = {at: (match["question"], match["system"]) for at, match in matches.items()}
    items = "questions are items"
    if numbered := _with_numbered_items(rated):
        rated, items = numbered, "what has a number in brackets are items"
    questions, systems = map(set, zip(*rated.values(), strict=True)) if rated else (set(), set())
    stamped = role_of_name(names[0])[0] == "time"
    if not stamped or min(len(questions), len(systems)) < _FEWEST or len(questions) * len(systems) != len(rated):
        return None
    answers = [
        (line, [system, question, str(person), cells[at]])
        for person, (line, cells) in enumerate(sheet.without_header().numbered(), start=1)
        for at, (question, system) in rated.items()
        if at < len(cells)
    ]
    others = [name for at, name in enumerate(names) if name and at not in rated]
    notes = [f"columns are called as a question and a system, QUESTION [SYSTEM]: {items}, rows are repeats"]
    notes += [f"left out columns that are called otherwise ({first_few(others)})"] if others else []
    return sheet_of_rows(sheet.label, ["system", "item", "repeat", "score"], answers), notes


def _with_numbered_items(rated: Mapping[int, tuple[str, str]]) -> dict[int, tuple[str, str]]:
    """Return items and systems where brackets hold both, of which the items are numbered; nothing where they do not.

    Examples
    --------
    >>> _with_numbered_items({1: ("Fluent?", "gpt-4o, text 1"), 2: ("Fluent?", "gpt-4o, text 2")})
    {1: ('text 1', 'gpt-4o'), 2: ('text 2', 'gpt-4o')}
    """
    parts = [text.split(", ") for _, text in rated.values()]
    if not parts or any(len(pair) != 2 for pair in parts):  # noqa: PLR2004 - a system and an item
        return {}
    stems = [{(match := _NUMBERED.fullmatch(pair[of])) and match[1] for pair in parts} for of in range(2)]
    of_items = [of for of in range(2) if len(stems[of]) == 1 and None not in stems[of]]
    if len(of_items) != 1:
        return {}
    item, several = of_items[0], len({question for question, _ in rated.values()}) > 1
    return {
        at: (f"{question} {pair[item]}" if several else pair[item], pair[1 - item])
        for (at, (question, _)), pair in zip(rated.items(), parts, strict=True)
    }


def _of_verdicts(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read answers behind verdicts, or beside them in columns that every provider has, as promptfoo writes both."""
    answers = [at for at, name in enumerate(names) if PROMPTED.match(name)]
    called = next((name for name in _BESIDE_ANSWERS if names.count(name) >= len(answers) > 0), "")
    beside = [_next_place(names, at, called) for at in answers] if called else []
    if beside and all(beside) and len({*beside}) == len(beside):
        word, variables = _BESIDE_ANSWERS[called], range(min(answers))
        rows = [
            (
                line,
                [cells[at] for at in variables] + [str(int(cells[at] == word)) if word else cells[at] for at in beside],
            )
            for line, cells in _rows(sheet, names)
        ]
        header = [names[at] for at in (*variables, *answers)]
        return sheet_of_rows(sheet.label, header, rows), [
            f"scores are those of promptfoo ({called}), answers are left out"
        ]
    if not any(_VERDICT.match(cell.strip()) for cells in sheet.sample()[1:] for cell in cells):
        return None
    rows = [*_rows(sheet, names)]
    texts = ([cells[at] for _, cells in rows if cells[at]] for at in range(len(names)))
    judged = [at for at, filled in enumerate(texts) if filled and all(map(_VERDICT.match, filled))]
    if not judged:
        return None
    scored = [
        (
            line,
            [cell and str(int(cell.startswith("[PASS]"))) if at in judged else cell for at, cell in enumerate(cells)],
        )
        for line, cells in rows
    ]
    return sheet_of_rows(sheet.label, names, scored), ["[PASS] counts 1, [FAIL] and [ERROR] 0, whatever the answer is"]


def _next_place(names: Sequence[str], start: int, called: str) -> int:
    """Return the first column of this name behind a place, 0 for none."""
    return names.index(called, start) if called in names[start:] else 0


def _of_experiments(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read experiments side by side, EXPERIMENT_METRIC, as LangSmith compares them."""
    matches = [match for name in names if (match := _OF_EXPERIMENT.fullmatch(name))]
    experiments = {match["before"] or match["after"] for match in matches} - {"reference"}
    if not experiments or any(part_of_word(name) == "system" for name in names):
        return None
    rows = [*_rows(sheet, names)]
    tails = {name.removeprefix(f"{of}_") for name in names for of in experiments if name.startswith(f"{of}_")}
    metrics = [tail for tail in sorted(tails) if not _OF_EXPERIMENT.fullmatch(f"_{tail}") and not role_of_name(tail)[0]]
    pairs = {
        metric: {
            name.removesuffix(f"_{metric}"): at
            for at, name in enumerate(names)
            if name.endswith(f"_{metric}") and _are_numbers(rows, at)
        }
        for metric in metrics
    }
    every = {system for places in pairs.values() for system in places}
    complete = {metric: places for metric, places in pairs.items() if len(places) == len(every) >= _FEWEST}
    if not complete:
        return None
    item = next(
        (at for at, name in enumerate(names) if role_of_name(name)[0] == "id" or part_of_word(name) == "topic"), None
    )
    scores = [
        (line, [system, cells[item] if item is not None else str(number), metric, cells[at]])
        for number, (line, cells) in enumerate(rows, start=1)
        for metric, places in complete.items()
        for system, at in places.items()
    ]
    used = {at for places in complete.values() for at in places.values()} | {item}
    others = [name for at, name in enumerate(names) if at not in used]
    notes = [
        f"columns are called as an experiment and a metric, as in LangSmith: {first_few(sorted(every))} are systems"
    ]
    notes += [f"left out columns that are no scores of all experiments ({first_few(others)})"] if others else []
    return sheet_of_rows(sheet.label, _LONG, scores), notes


def _of_langfuse(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read scores of traces by their name: items are those of the dataset, or traces where there is none."""
    if not {*names} >= _LANGFUSE:
        return None
    column_of = {name: at for at, name in enumerate(names)}
    rows = [
        (line, cells) for line, cells in _rows(sheet, names) if cells[column_of["dataType"]].upper() not in _OF_WORDS
    ]
    of_dataset = next((name for name in _OF_DATASET if name in column_of), "")
    item = of_dataset if rows and of_dataset and all(cells[column_of[of_dataset]] for _, cells in rows) else "traceId"
    texts = {name: {cells[at] for _, cells in rows} for name, at in column_of.items() if name in _OF_LANGFUSE_RUNS}
    system = next(
        (name for name in _OF_LANGFUSE_RUNS if len(texts.get(name, {})) >= _FEWEST and "" not in texts[name]), ""
    )
    if not system:
        return None
    columns = [column_of[name] for name in (system, item, "name", "value")]
    notes = [f"an export of scores of Langfuse: {system} names the systems, and {item} the items"]
    scores = [(line, [cells[at] for at in columns]) for line, cells in rows]
    return sheet_of_rows(sheet.label, _LONG, scores), notes


def _of_choices(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read what several systems chose of the options A, B … of a question, beside the right one, as right or wrong."""
    options = [name for name in names if len(name) == 1 and name.isalpha()]
    keys = [at for at, name in enumerate(names) if word_of(name) in _KEYS_OF_CHOICES]
    if len(options) < _FEWEST or len(keys) != 1:
        return None
    rows = [*_rows(sheet, names)]
    free = [at for at, name in enumerate(names) if name not in options and at not in keys]
    chosen = [at for at in free if {*options} >= {cells[at] for _, cells in rows} - {""} != set()]
    right = {cells[keys[0]] for _, cells in rows}
    if len(chosen) < _FEWEST or not right <= {*options}:
        return None
    asked = [at for at in free if at not in chosen]
    scored = [
        (
            line,
            [cells[at] for at in asked] + [cells[at] and str(int(cells[at] == cells[keys[0]])) for at in chosen],
        )
        for line, cells in rows
    ]
    note = f"answers to questions with options count 1 where they are that of {names[keys[0]]!r}, else 0"
    return sheet_of_rows(sheet.label, [names[at] for at in (*asked, *chosen)], scored), [note]


def _of_ranx(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read a report of ranx as it is printed: means behind which letters name the systems that are worse."""
    if names[:2] != ["#", "Model"] or len(names) == len(names[:2]):
        return None
    rows = [
        (line, [cell.rstrip(_RAISED) for cell in cells[1:]])
        for line, cells in _rows(sheet, names)
        if cells[0].isalpha()
    ]
    return sheet_of_rows(sheet.label, ["system", *names[2:]], rows), ["a report of ranx; its tests are left out"]


def _of_opencompass(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read a summary of OpenCompass: a row a dataset, under a metric of its own, and a column a model."""
    if names[: len(_SUMMARY)] != [*_SUMMARY] or len(names) == len(_SUMMARY):
        return None
    rows = [(line, cells) for line, cells in _rows(sheet, names) if any(cell not in _UNRUN for cell in cells[4:])]
    gaps = [cells[0] for _, cells in rows if not _UNRUN.isdisjoint(cells[4:])]
    groups = [cells[0] for _, cells in rows if "average" in cells[2] and _n_parts(cells[0], rows) > 1]
    falling = [cells[0] for _, cells in rows if not rises_by_name(cells[2])]
    out = {*gaps, *groups, *falling}
    kept = [(line, cells) for line, cells in rows if cells[0] not in out]
    n_of = Counter(cells[0] for _, cells in kept)
    again = Counter((cells[0], cells[2]) for _, cells in kept)
    metrics = first_few([*dict.fromkeys(cells[2] for _, cells in kept)])
    notes = [f"a summary of OpenCompass: datasets are items, each under its own metric ({metrics})"]
    notes += [f"left out datasets that a model has no score on: {first_few(gaps)}"] if gaps else []
    notes += [f"left out averages of others: {first_few(groups)}"] if groups else []
    notes += [f"left out datasets of which less is better: {first_few(falling)}"] if falling else []
    scored = []
    for line, cells in kept:
        told = [cells[2]] * (n_of[cells[0]] > 1) + [cells[1], cells[3]] * (again[cells[0], cells[2]] > 1)
        scored.append((line, [f"{cells[0]} ({', '.join(told)})" if told else cells[0], *cells[4:]]))
    return sheet_of_rows(sheet.label, [names[0], *names[4:]], scored), notes


def _of_segments(sheet: Sheet, names: Sequence[str]) -> _Told | None:
    """Read lines of system and score of mt-metrics-eval, whose n-th line of a system is its n-th segment."""
    rows = [(line, [cell.strip() for cell in cells]) for line, cells in sheet.numbered()]
    if not sheet.label.endswith(_OF_MT) or any(part_of_word(name) for name in names):
        return None
    if not all(len(cells) == 2 and (cells[1] == "None" or is_number(cells[1])) for _, cells in rows):  # noqa: PLR2004 - a name and a score
        return None
    n_of = Counter(cells[0] for _, cells in rows)
    if len({*n_of.values()}) > 1:
        sizes = first_few([f"{system} {n}" for system, n in n_of.items()])
        raise sheet.error(
            "the n-th line of a system is its score of the n-th segment, and systems have not as many lines "
            f"({sizes}); a segment without a score says None"
        )
    if len(rows) == len(n_of):
        metric = Path(sheet.label).name.removesuffix(_OF_MT).removesuffix(".sys")
        means = {cells[0]: {metric: float(cells[1])} for _, cells in rows if cells[1] != "None"}
        raise SpreadlessError.of_means(means, sheet.label)
    seen: Counter[str] = Counter()
    scored = []
    for line, (system, score) in rows:
        seen[system] += 1
        scored.append((line, [system, str(seen[system]), score]))
    answered = [{cells[at] for _, cells in scored if cells[2] != "None"} for at in (0, 1)]
    usable = [(line, cells) for line, cells in scored if all(cells[at] in answered[at] for at in (0, 1))]
    out = [len(n_of) - len(answered[0]), len(rows) // len(n_of) - len(answered[1])]
    notes = ["lines of system and score, as mt-metrics-eval writes them: the n-th line of a system is segment n"]
    notes += [
        f"left out {count(n, what)} without any score" for n, what in zip(out, ("system", "segment"), strict=True) if n
    ]
    return sheet_of_rows(sheet.label, ["system", "segment", "score"], usable), notes


def _n_parts(group: str, rows: Sequence[_Row]) -> int:
    """Return of how many other datasets the name holds that of a group: lukaemon_mmlu_anatomy that of mmlu."""
    apart = re.compile(rf"(?:.*[-_])?{re.escape(group)}[-_].+")
    return sum(apart.fullmatch(cells[0]) is not None for _, cells in rows)


def _are_numbers(rows: Sequence[_Row], at: int) -> bool:
    cells = [cells[at] for _, cells in rows if cells[at].casefold() not in GAP_WORDS]
    return bool(cells) and all(map(is_number, cells))


_FORMS: Sequence[Callable[[Sheet, Sequence[str]], _Told | None]] = (
    lambda sheet, _: scores_of_survey(sheet),
    _of_grid,
    _of_verdicts,
    _of_experiments,
    _of_langfuse,
    _of_opencompass,
    _of_choices,
    _of_ranx,
    _of_segments,
)
