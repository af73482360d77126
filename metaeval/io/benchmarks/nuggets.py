"""Nuggets: what an answer should say, and a label for every system that says whether its answer does.

A row is a nugget of a topic under a system: of a table, as TREC DRAGUN has it, or of the assignments of nuggetizer.
Nuggets are the items, and topics their clusters. The value of a nugget is what it adds to its topic's score, times the
number of its topic's nuggets, so that the mean over a topic is the measure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from metaeval.base.checks import check_number
from metaeval.base.columns import underscored
from metaeval.base.label_words import CONTRADICTIONS, CREDIT
from metaeval.base.names import count, first_few, is_number, natural_order, shortened
from metaeval.base.notes import AboutItems
from metaeval.base.unit import NUGGET
from metaeval.errors import FileFormatError, UnknownNameError
from metaeval.io.benchmarks.comparable import BenchmarkChoice
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in, own_system
from metaeval.io.benchmarks.records import block_of
from metaeval.io.blocks import FileBlock, TableOptions
from metaeval.io.headers import names_and_rows
from metaeval.io.sheets import Sheet, header_names

_MOST_ASKED = 6
IMPORTANCE: Mapping[str, float] = {"vital": 1.0, "okay": 0.5}
"""Weight of a nugget in `weighted`."""
_FAILED = "failed"
"""What nuggetizer writes where its judge gave no label: it counts as no support, and as a nugget that is not vital."""
MEANINGS: Mapping[str, str] = {
    "all": "mean credit",
    "strict_all": "share of nuggets with full credit",
    "lenient_all": "share with any credit",
    "vital": "mean credit of vital nuggets",
    "strict_vital": "share of vital nuggets with full credit",
    "weighted": "mean credit, okay nuggets at half weight",
    "net_all": "all minus contradicted",
    "contradicted": "share of nuggets that the answer contradicts",
}
"""What each weighting measures."""
_WORDS = {
    "topic": ("topic_id", "topic", "qid", "query_id"),
    "system": ("run_tag", "run_id", "run", "system"),
    "nugget": ("nugget_id", "nugget", "answer_id"),
    "label": ("label", "assignment", "assessment", "auto_assessment", "support"),
    "importance": ("importance",),
    "judge": ("judge", "assessor", "annotator"),
}
_NEEDED = ("topic", "system", "nugget", "label")
_NUMBERS = ("credit", "score", "value")
"""Columns of labels as numbers, where nuggets are called so and nothing else says what was measured."""


class NuggetRow(NamedTuple):
    """What one judge says of one nugget of a topic under one system."""

    topic: str
    system: str
    nugget: str
    label: str
    importance: str
    judge: str
    place: int
    """Number of the row, for messages."""


type _Refuse = Callable[[str, int], FileFormatError]


def nugget_columns(names: Sequence[str]) -> dict[str, int] | None:
    """Return which column of a header is what, if a table with it holds nuggets.

    Examples
    --------
    >>> nugget_columns(["topic_id", "run_tag", "answer_id", "auto_assessment", "auto_rationale"])
    {'topic': 0, 'system': 1, 'nugget': 2, 'label': 3}
    >>> nugget_columns(["topic", "nugget", "system", "score"])["label"]
    3
    >>> nugget_columns(["topic", "system", "score"]) is None
    True
    """
    headers, words = [underscored(name) for name in names], dict(_WORDS)
    if {"nugget", "nugget_id"} & {*headers} and not {"metric", "measure"} & {*headers}:
        words["label"] += _NUMBERS
    positions = {
        field: next((headers.index(word) for word in synonyms if word in headers), -1)
        for field, synonyms in words.items()
    }
    places = {field: position for field, position in positions.items() if position >= 0}
    return places if all(field in places for field in _NEEDED) else None


def read_nuggets(sheet: Sheet, options: TableOptions) -> FileBlock | None:
    """Return what a table of nuggets holds; None for any other table."""
    if nugget_columns(header_names(sheet.sample()[0])) is None:
        return None
    body, listed = sheet.without_header(), nugget_rows(sheet)
    _check_judges(sheet, listed)
    parts, notes = _parts(listed, sheet.label, options, body.error)
    block = finish_nuggets(block_of(parts, sheet.label, notes=notes))
    return replace(block, nugget_labels=frozenset(row.label for row in listed))


def _check_judges(sheet: Sheet, rows: Sequence[NuggetRow]) -> None:
    """Refuse systems that other judges labelled than others: they would be compared by their judges."""
    judged: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        judged[row.judge].add(row.system)
    systems = {row.system for row in rows}
    judge = max(judged, key=lambda candidate: len(judged[candidate]))
    partial_judge = next((candidate for candidate in judged if judged[candidate] != systems), None)
    if len(judged) == 1 or partial_judge is None:
        return
    column = next(name for name in header_names(sheet.sample()[0]) if underscored(name) in _WORDS["judge"])
    lacking = first_few(natural_order(systems - judged[partial_judge]))
    message = (
        f"{column} {partial_judge!r} labelled {len(judged[partial_judge])} of {count(len(systems), 'system')}, not "
        f"{lacking}: systems "
        "of several judges cannot be compared"
    )
    ways = "have all systems labelled by one judge"
    if len(judged[judge]) > 1:
        ways = (
            f"read one judge (`where={ {column: judge}!r}`, {len(judged[judge])} of {len(systems)} systems), or {ways}"
        )
    raise sheet.error(f"{message}; {ways}")


def nugget_rows(sheet: Sheet) -> list[NuggetRow]:
    """Return the rows of a table of nuggets; what it has no column for is empty."""
    names, rows, _ = names_and_rows(sheet)
    places = nugget_columns(names) or {}
    fields = ({field: cells[column].strip() for field, column in places.items()} for cells in rows)
    return [NuggetRow(**{"importance": "", "judge": "", **own}, place=at) for at, own in enumerate(fields)]


def holds_nuggets(json: Json) -> bool:
    """Whether these are assignments of nuggetizer: a query with nuggets that have an assignment."""
    nuggets = json.first.get("nuggets")
    return (
        "qid" in json.first
        and isinstance(nuggets, list)
        and bool(nuggets)
        and isinstance(nuggets[0], dict)
        and "assignment" in nuggets[0]
    )


def parts_of_nuggets(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read assignments, a record a query: a system is its ``run_id``, or the file; a nugget is named by its text."""
    rows: list[NuggetRow] = []
    owners: list[tuple[Json, int]] = []
    options = choice.options
    credit = all_credit({_FAILED: 0.0, **options.credit})
    for file in files:
        for at, record in enumerate(file.held.records):
            assigned = _assignments(file, record, at, len(owners))
            rows += assigned
            owners += [(file.held, at)] * len(assigned)

    def refuse(rule: str, place: int) -> FileFormatError:
        json, at = owners[place]
        return FileFormatError(rule, path=json.label, line=json.line(at))

    refuse_unknown_credit(options.credit, {row.label for row in rows})
    parts, notes = _parts(rows, files[0].source.path, replace(options, credit={_FAILED: 0.0, **options.credit}), refuse)
    failed = sum(_word(row.label) == _FAILED for row in rows)
    if failed:
        notes.append(
            f"{count(failed, 'assignment')} failed and count{'s' * (failed == 1)} {credit[_FAILED]:g} "
            "(`credit` changes this)"
        )
    return parts, notes


def _assignments(file: File[Json], record: Mapping[str, Any], at: int, place: int) -> list[NuggetRow]:
    """Return the nuggets of a query, numbered from `place` on."""
    json, nuggets = file.held, record.get("nuggets")
    if "docid" in record:
        message = (
            "these are assignments to a retrieved document (docid) and not to a system's answer; give the "
            "assignments of answers, which have a run_id"
        )
        json.refuse(message, at=at, key="docid")
    if "qid" not in record or not isinstance(nuggets, list):
        json.refuse("a record has a qid and a list of nuggets", at=at)
    topic = name_in(json, record["qid"], "qid", at=at, key="qid")
    run = record.get("run_id")
    system = own_system(
        file.source, name_in(json, file.source.own_name if run is None else run, "run_id", at=at, key="run_id")
    )
    rows = []
    for number, nugget in enumerate(nuggets):
        key = f"nuggets[{number}]"
        if not isinstance(nugget, dict) or not {"text", "assignment"} <= nugget.keys():
            json.refuse("a nugget is an object with text and assignment", at=at, key=key)
        text = name_in(json, nugget["text"], "nugget", at=at, key=f"{key}.text")
        label = name_in(json, nugget["assignment"], "label", at=at, key=f"{key}.assignment")
        raw_importance = nugget.get("importance")
        importance = (
            ""
            if raw_importance is None
            else name_in(json, raw_importance, "importance", at=at, key=f"{key}.importance")
        )
        rows.append(
            NuggetRow(
                topic=topic,
                system=system,
                nugget=" ".join(text.split()),
                label=label,
                importance="okay" if importance == _FAILED else importance,
                judge="",
                place=place + number,
            )
        )
    return rows


def finish_nuggets(block: FileBlock) -> FileBlock:
    """Say which way is better, what was read, and of what."""
    better = {name: not name.startswith("contradicted") for name in block.labels["metric"]}
    return replace(
        block, attached={**block.attached, "higher_is_better": better}, read_as="labels of nuggets", unit=NUGGET
    )


def _parts(
    rows: Sequence[NuggetRow], label: str, options: TableOptions, refuse: _Refuse
) -> tuple[list[Part], list[str]]:
    credit = all_credit(options.credit)
    importance = _importance(rows, refuse)
    sizes: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for (topic, _), weight in importance.items():
        for index, term in enumerate((1.0, weight == 1.0, weight)):
            sizes[topic][index] += term
    weighted = any(row.importance for row in rows)
    judges = list(dict.fromkeys(row.judge for row in rows))
    contradictions = {_word(row.label) for row in rows} & {*CONTRADICTIONS}
    twice = sorted(word for word in contradictions if credit[word])
    systems: dict[str, list[tuple[str, str, dict[str, float]]]] = defaultdict(list)
    for (judge, system, topic, nugget), (total, opposed, times) in _cells(rows, credit, options, refuse).items():
        size, vital, weights = sizes[topic]
        weight, value, against = importance[topic, nugget], total / times, opposed / times
        scores = {"all": value, "strict_all": float(value >= 1)}
        if weighted:
            worth = size / vital if weight == 1.0 else 0.0
            scores |= {"vital": value * worth, "strict_vital": float(value >= 1) * worth}
            scores["weighted"] = value * weight * size / weights
        else:
            scores["lenient_all"] = float(value > 0)
        if contradictions:
            scores |= {} if twice else {"net_all": value - against}
            scores["contradicted"] = against
        named = {f"{name} ({judge})" if len(judges) > 1 else name: term for name, term in scores.items()}
        systems[system].append((topic, nugget, named))
    labels = sorted(
        {row.label for row in rows if _word(row.label) in credit}, key=lambda term: (-credit[_word(term)], term)
    )
    notes = [
        AboutItems(f"nuggets of {count(len(sizes), 'topic')}"),
        f"credit of labels: {first_few([f'{term} {credit[_word(term)]:g}' for term in labels], most=8)}" * bool(labels),
        "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in scores),
    ]
    if twice:
        notes.append(f"no net_all: {first_few(twice)} has credit of its own, so all counts contradictions already")
    labelled = Counter((topic, nugget) for _, topic, nugget in {(row.system, row.topic, row.nugget) for row in rows})
    partly = [f"{topic}/{nugget}" for (topic, nugget), number in labelled.items() if number < len(systems)]
    if partly:
        notes.append(
            f"{count(len(partly), 'nugget')} without a label of every system, on which the weights of all nuggets of "
            f"their topics rest: {first_few(partly)}"
        )
    without = [topic for topic, (_, vital, _) in sizes.items() if weighted and not vital]
    if without:
        notes.append(f"topics without a vital nugget score 0 under vital: {first_few(without)}")
    return [_part(system, of_system, label) for system, of_system in systems.items()], list(filter(None, notes))


def _cells(
    rows: Sequence[NuggetRow], credit: Mapping[str, float], options: TableOptions, refuse: _Refuse
) -> dict[tuple[str, str, str, str], list[float]]:
    """Return the sums of credit and of contradictions, and the number of labels, by judge, system, topic and nugget."""
    _refuse_unknown_labels(rows, credit, refuse)
    cells: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        empty = next((field for field in _NEEDED if not getattr(row, field)), None)
        if empty is not None:
            raise refuse(f"the {empty} is empty; fill it in", row.place)
        key = (row.judge, row.system, row.topic, row.nugget)
        if key in cells and options.duplicates == "error":
            raise refuse(
                f"nugget {shortened(row.nugget)!r} of topic {shortened(row.topic)!r} is labelled twice for "
                f"{shortened(row.system)!r}; keep one, or pass `duplicates='first'` or `'mean'`",
                row.place,
            )
        if key in cells and options.duplicates == "first":
            continue
        values = [*(credit_of(row.label, credit) or ()), 1.0]
        cells[key] = [old + new for old, new in zip(cells.get(key, [0.0] * 3), values, strict=True)]
    return cells


def _part(system: str, own: Sequence[tuple[str, str, dict[str, float]]], label: str) -> Part:
    by_item: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for topic, nugget, values in own:
        by_item[topic, nugget].update(values)
    return Part(
        path=label,
        system=system,
        topics=[f"{topic}/{nugget}" for topic, nugget in by_item],
        values=list(by_item.values()),
        place=lambda number, _: (None, "/".join(list(by_item)[number])),
        clusters=[topic for topic, _ in by_item],
    )


def _importance(rows: Sequence[NuggetRow], refuse: _Refuse) -> dict[tuple[str, str], float]:
    """Return the weight of every nugget, 1 where none has an importance; it must be the same in every row."""
    weights: dict[tuple[str, str], float] = {}
    has_importance = any(row.importance for row in rows)
    for row in rows:
        weight = IMPORTANCE.get(_word(row.importance)) if has_importance else 1.0
        if weight is None:
            problem = f"is {shortened(row.importance)!r}" if row.importance else "is missing"
            raise refuse(f"the importance {problem}; a nugget is {' or '.join(IMPORTANCE)}", row.place)
        if weights.setdefault((row.topic, row.nugget), weight) != weight:
            raise refuse(
                f"nugget {shortened(row.nugget)!r} of topic {shortened(row.topic)!r} has another importance in an "
                "earlier row; it belongs to the nugget, not to a system",
                row.place,
            )
    return weights


def _refuse_unknown_labels(rows: Sequence[NuggetRow], credit: Mapping[str, float], refuse: _Refuse) -> None:
    """Refuse all labels that nothing says the credit of, where the first of them stands."""
    first = {row.label: row.place for row in reversed(rows) if row.label and credit_of(row.label, credit) is None}
    if first:
        unknown = sorted(first, key=first.__getitem__)
        are = "the label {} is" if len(unknown) == 1 else "the labels {} are"
        asked = dict.fromkeys(map(shortened, unknown[:_MOST_ASKED]), "NUMBER")
        raise refuse(
            f"{are.format(first_few(unknown, most=_MOST_ASKED, write=lambda label: repr(shortened(label))))} unknown; "
            f"say what each counts, from 0 (not in the answer) to 1 (support), with `credit={asked}`, or write "
            "support, partial_support, not_support or contradict",
            min(first.values()),
        )


def all_credit(given: Mapping[str, float]) -> dict[str, float]:
    """Return what each label counts where the caller says what some count.

    Examples
    --------
    >>> all_credit({"Partial Support": 1})["partial_support"]
    1
    """
    for label, value in given.items():
        check_number(value, f"the credit of {label!r}", least=-1, most=1)
    return {**CREDIT, **{_word(label): value for label, value in given.items()}}


def refuse_unknown_credit(given: Mapping[str, float], labels: Collection[str]) -> None:
    """Refuse credit of a label that is in no file."""
    by_word = {_word(label): label for label in labels}
    for label in given:
        if _word(label) not in {_FAILED, *by_word}:
            same = [
                candidate
                for candidate in by_word.values()
                if credit_of(candidate) is not None and credit_of(candidate) == credit_of(label)
            ]
            synonyms = dict.fromkeys([label], same[0]) if same else {}
            raise UnknownNameError("label of nuggets", label, natural_order(by_word.values()), synonyms=synonyms)


def credit_of(label: str, credit: Mapping[str, float] = CREDIT) -> tuple[float, float] | None:
    """Return the credit of a label, and whether it is a contradiction; None for an unknown one.

    Examples
    --------
    >>> credit_of("Partial Support"), credit_of("contradicts"), credit_of("0.25"), credit_of("maybe")
    ((0.5, 0.0), (0.0, 1.0), (0.25, 0.0), None)
    """
    word = _word(label)
    if word in credit:
        return credit[word], float(word in CONTRADICTIONS)
    return (float(label), 0.0) if is_number(label) and 0 <= float(label) <= 1 else None


def _word(text: str) -> str:
    return underscored(text.strip())
