"""Small files beside runs and scores: annotations in JSON, names, clusters, covariates, pool sizes; and two folders.

The folders are a run of HELM and a language pair of mt-metrics-eval, whose files have fixed places.
"""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any
from xml.dom import expatbuilder
from xml.parsers.expat import ExpatError

from fuzz_benchmarks import CHANGES, parsed_json, score_of
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import (
    is_average,
    is_number,
    keeps_digits,
    lines_of,
    number_of,
    rows_of,
    text_of,
    with_titles,
    words_of,
)
from fuzz_tables import label_opinions, names_and_rows, said_of_names
from fuzz_text import text_mutation

from metaeval.errors import FileFormatError, ScoresError
from metaeval.inex.articles import read_article
from metaeval.inex.judges import read_judges
from metaeval.io.annotations import read_annotations
from metaeval.io.components import read_components
from metaeval.io.files import read_names
from metaeval.io.groups import read_arrivals, read_clusters, read_covariate, read_pool_sizes, read_subtopic_weights
from metaeval.io.tables import read_scores

_LABELS = (0, 1, 2, 1.5, "good", "bad", None, True, -1, 1e300)
_SYSTEMS = ("bm25", "lm", "n1")

# -------------------------------------------------------------------------------------------------- documents


def _make_annotations(rng: random.Random) -> Case:
    labels = rng.choice((_LABELS[:4], _LABELS[4:6], _LABELS))
    items = ("1", "2", "10", "d é")
    own = {name: {item: rng.choice(labels) for item in items if rng.random() < 0.8} for name in ("ann", "ben", "cy")}
    return Case((json.dumps(own, indent=rng.choice((None, 1)), ensure_ascii=rng.random() < 0.5).encode(),))


def _make_two_annotations(rng: random.Random) -> Case:
    people, machines = json.loads(_make_annotations(rng).files[0]), json.loads(_make_annotations(rng).files[0])
    renamed = {f"{name}-bot": own for name, own in machines.items()}
    return Case((json.dumps(people).encode(), json.dumps(renamed).encode()))


def _make_names(rng: random.Random) -> Case:
    names = rng.sample(("301", "302", "bm25", "q-1", "名前", "a b"), rng.randint(1, 4))
    lines = [f"{name}\twords of it" if rng.random() < 0.3 else name for name in names]
    return Case((rng.choice(("\n", "\r\n", "\r")).join(lines).encode(),))


def _make_nuggets(rng: random.Random) -> Case:
    rows = [["topic_id", "run_tag", "answer_id", "auto_assessment"]]
    for system, topic, nugget in product(_SYSTEMS[:2], ("1", "2"), ("n1", "n2")):
        rows.append([topic, system, nugget, rng.choice(("support", "partial", "none", "contradicts"))])
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),))


def _make_judged_nuggets(rng: random.Random) -> Case:
    rows = [["topic", "run", "nugget", "label", "judge"]]
    for judge, system, topic, nugget in product(("ann", "bot"), _SYSTEMS[:2], ("1", "2"), ("n1", "n2")):
        rows.append([topic, system, nugget, rng.choice(("support", "partial", "none", "contradicts")), judge])
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),))


def _make_said(rng: random.Random, what: str, kind: str, values: Sequence[str], option: str) -> Case:
    names = [rng.choice((what, "name of it")), rng.choice((kind, "what"))]
    rows = [names, *([one, rng.choice(values)] for one in ("1", "2", "3"))]
    if rng.random() < 0.4:
        rows = [[*row, "1999" if at else "year"] for at, row in enumerate(rows)]
    options: dict[str, Any] = {"names": list(rng.choice((("1", "2"), ("3", "1", "2"))))}
    if len(rows[0]) > 2 or rng.random() < 0.3:
        options[option] = names[1]
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),), options)


def _make_clusters(rng: random.Random) -> Case:
    return _make_said(rng, "topic", "cluster", ("maths", "code"), "column")


def _make_arrivals(rng: random.Random) -> Case:
    return _make_said(rng, "topic", rng.choice(("date", "created_at")), ("2026-01-31", "20260112", "7"), "column")


def _make_covariate(rng: random.Random) -> Case:
    return _make_said(rng, "run", "words", ("12", "0.5", "-3", "1e5"), "covariate_column")


def _make_components(rng: random.Random) -> Case:
    rows = [
        ("metric", "component", "variance"),
        ("AP", "system", "0.1"),
        ("AP", "topic", "2e-3"),
        ("P@10", "system", "0"),
    ]
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),))


def _make_pool_sizes(rng: random.Random) -> Case:
    rows = [("topic", "size"), *((str(401 + at), str(rng.randint(1, 900))) for at in range(3))]
    delimiter = rng.choice((",", "\t", " "))
    return Case(("".join(delimiter.join(row) + "\n" for row in rows[rng.randint(0, 1) :]).encode(),))


def _make_subtopic_weights(rng: random.Random) -> Case:
    rows = [(topic, subtopic, str(rng.choice((0, 0.25, 1, 3)))) for topic in ("1", "2") for subtopic in ("1", "b")]
    rows = [("topic", "subtopic", "weight"), *rows][rng.randint(0, 1) :]
    delimiter = rng.choice((",", "\t", " "))
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),))


_COLUMNS = {"judge": "judge", "system": "run", "topic": "topic", "score": "value"}


def _make_judge_scores(rng: random.Random) -> Case:
    rows = [
        (judge, run, topic, str(rng.choice((0, 1, 0.5, 0.25))))
        for judge, topics in (("ann", ("1", "2")), ("bot", ("1", "2", "3")))
        for run in ("bm25", "lm")
        for topic in topics
    ]
    rng.shuffle(rows)
    rows = [tuple(_COLUMNS.values()), *rows]
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in rows).encode(),))


def _make_article(rng: random.Random) -> Case:
    inside = "".join(
        rng.choice(
            ("<p>one <b>two</b></p>", "<sec><st>three</st>four</sec>", "<!-- no -->", "<?x y?>", "&amp; é ", "\n")
        )
        for _ in range(rng.randint(1, 5))
    )
    return Case((f'<?xml version="1.0"?>\n<article><bdy>{inside}</bdy></article>'.encode(),), {"nodes": True})


def _make_helm(rng: random.Random) -> Case:
    given = rng.choice(({}, {"subject": "law"}, {"b": 1, "a": "x"}))
    spec = {"adapter_spec": {"model": "org/model"}, "scenario_spec": {"class_name": "helm.MMLUScenario", "args": given}}
    stats = [
        {
            "instance_id": f"id{at}",
            "train_trial_index": trial,
            "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": rng.choice((0, 1, 0.5))}],
        }
        for at in range(rng.randint(2, 4))
        for trial in range(rng.randint(1, 2))
    ]
    other = {**spec, "adapter_spec": {"model": "org/other"}}
    files = (spec, stats, other, stats)
    return Case(tuple(json.dumps(one).encode() for one in files))


_HELM = ("a/run_spec.json", "a/per_instance_stats.json", "b/run_spec.json", "b/per_instance_stats.json")


def _make_pair(rng: random.Random) -> Case:
    systems, n_segments = ("sysA", "sysB", "refA"), rng.randint(2, 4)

    def scores(names: Sequence[str]) -> bytes:
        rows = [
            f"{name}\t{rng.choice(('0.5', '-1', '1e-3', '7', '2', '0', '1', 'None'))}"
            for name in names
            for _ in range(n_segments)
        ]
        return "".join(row + "\n" for row in rows).encode()

    documents = "".join(f"news\tdoc{at // 2}\n" for at in range(n_segments)).encode()
    return Case((documents, scores(systems[:2]), scores(systems), scores(systems)))


_PAIR = (
    "root/documents/en-de.docs",
    "root/human-scores/en-de.mqm.seg.score",
    "root/metric-scores/en-de/BLEU-refA.seg.score",
    "root/metric-scores/en-de/chrF-refA.seg.score",
)

# --------------------------------------------------------------------------------------------- second opinion


def _labels_of(content: bytes) -> dict[str, dict[str, object]]:
    """Annotator to item to label; a label is text, a finite number that a float holds, true, false or none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError("no UTF-8") from error
    whole = parsed_json(text)
    if not isinstance(whole, dict) or not all(isinstance(own, dict) for own in whole.values()):
        raise RefusedError("no object of objects")
    for name, own in whole.items():
        for word in (name, *own, *(one for one in own.values() if isinstance(one, str))):
            if re.search("[\ud800-\udfff]", word):
                raise RefusedError("half of a letter")
        if not name.strip() or not all(item.strip() for item in own):
            raise RefusedError("no name")
        if not all(isinstance(one, str | int | float | None) for one in own.values()):
            raise RefusedError("a label is nested")
    return {
        name: {item: one if isinstance(one, str | bool | None) else _number(one) for item, one in own.items()}
        for name, own in whole.items()
    }


def _number(value: float) -> float | None:
    if isinstance(value, int) and not keeps_digits(str(value)):
        raise RefusedError("more digits than a float holds")
    if math.isinf(value):
        raise RefusedError("not finite")
    return None if math.isnan(value) else float(value)


def _annotation_opinions(case: Case) -> list[object]:
    found = {}
    for number, content in enumerate(case.files):
        labels = _labels_of(content)
        present = {
            f"{name} | {item}": one for name, own in labels.items() for item, one in own.items() if one is not None
        }
        if not present:
            raise RefusedError("nothing is labelled")
        if set(labels) & {name for other in found.values() for name in other["annotators"]}:
            raise RefusedError("an annotator twice")
        found[str(number)] = {
            "annotators": list(labels),
            "items": sorted({item for own in labels.values() for item in own}),
            "labels": present,
        }
    return [found]


def _name_opinions(case: Case) -> list[object]:
    names = [line.partition("\t")[0].strip() for line in lines_of(text_of(case.files[0]))]
    names = [name for name in names if name]
    if not names or len(set(names)) < len(names):
        raise RefusedError("no name, or one twice")
    return [{"names": names}]


def _cluster_opinions(case: Case) -> list[object]:
    return said_of_names(case, case.options["names"], "topic", "cluster", case.options.get("column"))


def _arrival_opinions(case: Case) -> list[object]:
    return said_of_names(case, case.options["names"], "topic", "arrival", case.options.get("column"))


def _covariate_opinions(case: Case) -> list[object]:
    found = said_of_names(case, case.options["names"], "system", "covariate", case.options.get("covariate_column"))
    return [{"said": {name: number_of(one) for name, one in each["said"].items()}} for each in found if _numbers(each)]


def _numbers(found: Mapping[str, Any]) -> bool:
    return all(is_number(one) for one in found["said"].values())


def _pool_size_opinions(case: Case) -> list[object]:
    sizes: dict[str, int] = {}
    for at, row in enumerate(rows_of(case.files[0])):
        topic, number = (*(cell.strip() for cell in row), "", "")[:2]
        if not at and topic and not re.fullmatch("[0-9]+", number):
            continue
        if not topic or not re.fullmatch("[0-9]+", number) or not 1 <= int(number[:4000]) < 2**63:
            raise RefusedError("no topic with a number")
        if sizes.setdefault(topic, int(number)) != int(number):
            raise RefusedError("two numbers")
    if not sizes:
        raise RefusedError("no row")
    return [{"sizes": sizes}]


def _subtopic_weight_opinions(case: Case) -> list[object]:
    weights: dict[str, float] = {}
    for at, row in enumerate(rows_of(case.files[0])):
        topic, subtopic, text = (*(cell.strip() for cell in row), "", "", "")[:3]
        if not at and topic and subtopic and text and not is_number(text):
            continue
        if not topic or not subtopic or number_of(text) < 0 or not is_number(text):
            raise RefusedError("no topic with a subtopic and a number")
        if weights.setdefault(f"{topic} | {subtopic}", float(text)) != float(text):
            raise RefusedError("two weights")
    if not weights:
        raise RefusedError("no row")
    return [{"weights": weights}]


def _judge_score_opinions(case: Case) -> list[object]:
    names, rows = names_and_rows(case.files[0])
    if any(names.count(name) != 1 for name in _COLUMNS.values()):
        raise RefusedError("no such column, or two")
    places = [names.index(name) for name in _COLUMNS.values()]
    cells: dict[str, float] = {}
    systems: dict[tuple[str, str], bool] = {}
    for row in rows:
        *key, score = (row[at] for at in places)
        if not all(key) or " | ".join(key) in cells:
            raise RefusedError("no name, or a score twice")
        real = not is_average(key[2])
        systems[key[0], key[1]] = systems.get((key[0], key[1]), False) or real
        if real:
            cells[" | ".join(key)] = number_of(score)
    if not all(systems.values()):
        raise RefusedError("only averages of a system")
    return [{"said": cells}]


def _document(content: bytes) -> Any:
    try:
        return parsed_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RefusedError("no UTF-8") from error


def _nugget_opinions(case: Case) -> list[object]:
    """Take the credit of every label, which is the measure "all"."""
    names, rows = names_and_rows(case.files[0], alone=True)
    known = [re.sub(r"[\s-]+", "_", name).casefold() for name in names]
    numbers = (
        ("credit", "score", "value")
        if {"nugget", "nugget_id"} & {*known} and not {"metric", "measure"} & {*known}
        else ()
    )
    words = {
        "topic": ("topic_id", "topic", "qid", "query_id"),
        "system": ("run_tag", "run_id", "run", "system"),
        "nugget": ("nugget_id", "nugget", "answer_id"),
        "label": ("label", "assignment", "assessment", "auto_assessment", "support", *numbers),
    }
    places = {part: next((known.index(word) for word in own if word in known), None) for part, own in words.items()}
    if None in places.values():
        raise RefusedError("no nuggets")
    cells: dict[str, float] = {}
    for row in rows:
        topic, system, nugget, label = (row[places[part]] for part in words)  # type: ignore[index] # none is None
        key = f"all | {system} | {topic}/{nugget} | 1"
        if key in cells or not all((topic, system, nugget, label)):
            raise RefusedError("a nugget twice, or an empty cell")
        word = re.sub(r"[\s-]+", "_", label).casefold()
        cells[key] = _CREDIT[word] if word in _CREDIT else number_of(label)
        if not 0 <= cells[key] <= 1:
            raise RefusedError("an unknown label")
    return [{"said": cells}]


def _judged_nugget_opinions(case: Case) -> list[object]:
    """Take the grade of every label: its place among those that occur, from none up, and -1 for a contradiction."""
    names, rows = names_and_rows(case.files[0])
    known = [re.sub(r"[\s-]+", "_", name).casefold() for name in names]
    words = {
        "topic": ("topic_id", "topic", "qid", "query_id"),
        "system": ("run_tag", "run_id", "run", "system"),
        "nugget": ("nugget_id", "nugget", "answer_id"),
        "judge": ("judge", "assessor", "annotator"),
        "label": ("label", "assignment", "assessment", "auto_assessment", "support", "credit", "score", "value"),
    }
    places = {part: next((known.index(word) for word in own if word in known), None) for part, own in words.items()}
    if None in places.values():
        readings = label_opinions(case)
        return [{"said": {" | ".join(key): one for key, one in found["labels"].items()}} for found in readings]
    said: dict[str, str] = {}
    for row in rows:
        topic, system, nugget, judge, label = (row[places[part]] for part in words)  # type: ignore[index] # none is None
        key = f"{topic} | {system}/{nugget} | {judge}"
        if key in said or not all((topic, system, nugget, judge, label)):
            raise RefusedError("a nugget twice, or an empty cell")
        said[key] = re.sub(r"[\s-]+", "_", label).casefold()
    credit = {one: _CREDIT[one] if one in _CREDIT else number_of(one) for one in said.values()}
    if not all(0 <= one <= 1 for one in credit.values()):
        raise RefusedError("an unknown label")
    steps = sorted({0.0, *(value for one, value in credit.items() if not one.startswith("contradict"))})
    grades = {one: -1 if one.startswith("contradict") else steps.index(value) for one, value in credit.items()}
    return [{"said": {key: float(grades[one]) for key, one in said.items()}}]


def _component_opinions(case: Case) -> list[object]:
    names, rows = names_and_rows(case.files[0])
    if not {"metric", "component", "variance"} <= {*names}:
        raise RefusedError("no such column")
    said: dict[str, float] = {}
    for row in rows:
        metric, component, variance = (row[names.index(name)] for name in ("metric", "component", "variance"))
        key = f"{metric} | {component}"
        if not metric or not component or key in said or number_of(variance) < 0:
            raise RefusedError("no name, one twice, or less than 0")
        said[key] = number_of(variance)
    return [{"said": said}]


def _article_opinions(case: Case) -> list[object]:
    """Walk the document, and count the characters before every element and every text node."""
    unknown = "&(?!(?:amp|lt|gt|quot|apos);)[^\\s&;<#][^\\s&;<]*;"  # as only a DTD would explain
    mark = "\N{REPLACEMENT CHARACTER}"
    try:
        if b"\0" in case.files[0]:  # UTF-16, whose ends of characters are no ends of bytes
            mark_of_order = case.files[0][:2] in {b"\xff\xfe", b"\xfe\xff"}
            code = "utf-16" if mark_of_order else f"utf-16-{'be' if case.files[0][:1] == bytes(1) else 'le'}"
            plain = re.sub(unknown, mark, case.files[0].decode(code)).encode(code)
        else:
            plain = re.sub(unknown.encode(), mark.encode(), case.files[0])
        document = expatbuilder.parseString(plain, namespaces=False)  # noqa: S316 - tiny documents of our own
    except (ExpatError, LookupError, ValueError, RecursionError) as error:
        raise RefusedError("broken XML") from error
    text: list[str] = []
    spans: dict[str, tuple[int, int]] = {}

    def walk(element: Any, path: str) -> None:
        start, counts, nodes, inside = len("".join(text)), Counter[str](), 0, False
        for one in element.childNodes:
            is_text = one.nodeType in {one.TEXT_NODE, one.CDATA_SECTION_NODE}
            if is_text and one.data:
                begin = len("".join(text))
                text.append(one.data)
                nodes += not inside
                begin = spans[f"{path}/text()[{nodes}]"][0] if inside else begin
                spans[f"{path}/text()[{nodes}]"] = begin, begin + len("".join(text)[begin:])
            elif one.nodeType == one.ELEMENT_NODE:
                counts[one.tagName] += 1
                walk(one, f"{path}/{one.tagName}[{counts[one.tagName]}]")
            inside = is_text and (inside or bool(one.data))
        spans[path] = start, len("".join(text))

    walk(document, "")
    whole = "".join(text)
    places = {path: tuple(len(re.sub("[ \t\r\n]+", " ", whole[:at])) for at in ends) for path, ends in spans.items()}
    places.pop("")
    return [{"length": len(re.sub("[ \t\r\n]+", " ", whole)), "places": places}]


_CREDIT = {
    **dict.fromkeys(("support", "supports", "supported"), 1.0),
    **dict.fromkeys(("partial", "partial_support", "partially_supports"), 0.5),
    **dict.fromkeys(("none", "not_support", "no_support", "not_supported"), 0.0),
    **dict.fromkeys(("contradict", "contradicts", "contradicted", "contradiction"), 0.0),
}


def _helm_opinions(case: Case) -> list[object]:
    """Take of a scenario the split test where any run has it, else valid, else all."""
    cells: dict[tuple[str, str, str, str], float | None] = {}
    splits: dict[tuple[str, str, str, str], tuple[str, str]] = {}
    for spec, stats in ((case.files[0], case.files[1]), (case.files[2], case.files[3])):
        said, instances = _document(spec), _document(stats)
        scenario = said["scenario_spec"]
        given = scenario.get("args") or {}
        name = scenario["class_name"].rpartition(".")[2].removesuffix("Scenario")
        words = ",".join(f"{key}={given[key]}" for key in sorted(given))
        scenario_name = f"{name}:{words}" if words else name
        for one in instances if isinstance(instances, list) else [instances]:
            changed = one.get("perturbation")
            if isinstance(changed, dict):
                own_names = sorted(changed.keys() - {"name", "robustness", "fairness", "computed_on"})
                behind = f"({','.join(f'{key}={changed[key]}' for key in own_names)})" if own_names else ""
                changed = f"{changed.get('name', 'perturbed')}{behind}"
            topic = f"{scenario_name}/{one['instance_id']}{f'+{changed}' if changed else ''}".strip()
            own = {stat["name"].get("split") for stat in one["stats"] if isinstance(stat["name"], dict)} - {None}
            for stat in one["stats"]:
                metric = stat["name"]["name"] if isinstance(stat["name"], dict) else stat["name"]
                key = metric.strip(), said["adapter_spec"]["model"].strip(), topic, str(one.get("train_trial_index", 0))
                score = None if stat.get("count") == 0 else score_of(stat.get("mean"))
                if cells.get(key) not in {None, score} and score is not None:
                    raise RefusedError("a score twice")
                cells[key] = cells.get(key) if score is None else score
                splits[key] = scenario_name, str(next(iter(own), ""))
    kept = {}
    for key, (scenario_name, split) in splits.items():
        known = {other for name, other in splits.values() if name == scenario_name}
        main = next((other for other in ("test", "valid") if other in known), split)
        if split == main:
            kept[key] = cells[key]
    return [{"said": _by_place(kept)}]


def _by_place(cells: Mapping[tuple[str, str, str, str], float | None]) -> dict[str, float]:
    known = {key: one for key, one in cells.items() if one is not None}
    if len({repeat for *_, repeat in known}) == 1:
        known = {(*key[:3], "1"): one for key, one in known.items()}
    if not all(is_average(repeat) for *_, repeat in known):
        known = {key: one for key, one in known.items() if not is_average(key[3])}
    counts: dict[str, set[tuple[str, str]]] = {}
    for metric, system, topic, _ in known:
        counts.setdefault(metric, set()).add((system, topic))
    if not counts:
        raise RefusedError("no score")
    most = max(map(len, counts.values()))
    return {" | ".join(key): one for key, one in known.items() if len(counts[key[0]]) == most}


def _segments(content: bytes, n_segments: int) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    last = None
    for line in _ended(text_of(content)):
        cells = words_of(line)
        if len(cells) != 2:
            raise RefusedError("no system and score")
        if cells[0] != last and cells[0] in found:
            raise RefusedError("a system in two places")
        last = cells[0]
        found.setdefault(last, []).append(None if cells[1] == "None" else number_of(cells[1]))
    if any(len(scores) != n_segments for scores in found.values()):
        raise RefusedError("another number of segments")
    return found


def _ended(text: str) -> list[str]:
    lines = lines_of(text)
    return lines if lines[-1] else lines[:-1]


def _pair_opinions(case: Case) -> list[object]:
    documents = [words_of(line)[-1:] for line in _ended(text_of(case.files[0]))]
    if [] in documents:
        raise RefusedError("no document")
    human, *metrics = (_segments(content, len(documents)) for content in case.files[1:])
    everybody = {name for known in (human, *metrics) for name in known}
    systems = {name for name in everybody if (name in human or not human) and all(name in own for own in metrics)}
    cells = {
        (metric, system, str(at), "1"): score
        for metric, own in zip(("BLEU-refA", "chrF-refA"), metrics, strict=True)
        for system in systems
        for at, score in enumerate(own[system], start=1)
    }
    return [{"said": {" | ".join(key): score for key, score in cells.items() if score is not None}}]


# ---------------------------------------------------------------------------------------------- under test


def _as_labels(frame: Any) -> dict[str, object]:
    cells = {
        f"{name} | {item}": one
        for name in frame.columns
        for item, one in frame[name].items()
        if one == one and one is not None  # noqa: PLR0124 - NaN: no label
    }
    return {"annotators": list(frame.columns), "items": sorted(frame.index), "labels": cells}


def _read_annotations(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return {"0": _as_labels(read_annotations(paths[0]))}


def _read_judges(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    found = read_judges(list(paths))
    if not found.annotations:
        return {"labels": found.labels, "scores": found.scores}
    return {str(at): _as_labels(frame) for at, frame in enumerate(found.annotations.values())}


def _read_names(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return {"names": list(read_names(paths[0]))}


def _read_clusters(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return {"said": read_clusters(paths[0], topics=options["names"], column=options.get("column"))}


def _read_arrivals(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return {"said": read_arrivals(paths[0], topics=options["names"], column=options.get("column"))}


def _read_covariate(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    found = read_covariate(paths[0], systems=options["names"], covariate_column=options.get("covariate_column"))
    return {"said": found.of_system}


def _read_components(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    rows = read_components(paths[0]).to_numpy().tolist()
    return {"said": {f"{metric} | {component}": variance for metric, component, variance in rows}}


def _read_pool_sizes(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return {"sizes": read_pool_sizes(paths[0])}


def _read_subtopic_weights(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    found = read_subtopic_weights(paths[0])
    return {"weights": {f"{topic} | {one}": value for topic, own in found.items() for one, value in own.items()}}


def _read_judge_scores(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    of_judges = read_judges(paths[0], columns=_COLUMNS).scores.values()
    if not of_judges:
        raise ScoresError("answers of one system, which are labels: another fuzzer's")
    (of_judge,) = of_judges
    found = {}
    for judge, scores in of_judge.items():
        stacked = scores.isel(metric=0).to_series()
        found |= {" | ".join((judge, *map(str, key))): float(one) for key, one in stacked.items()}
    return {"said": found}


def _read_article(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    article = read_article(paths[0])
    places = [*article.elements]
    if options.get("nodes"):
        places += [
            f"{path}/text()[{number}]"
            for path, (_, _, nodes) in article.elements.items()
            for number in range(1, len(nodes) + 1)
        ]
    return {
        "length": len(article),
        "places": {place: (article.position(place), article.position(place, end=True)) for place in places},
    }


def _cells_of(scores: Any) -> dict[str, object]:
    scores = scores if "repeat" in scores.dims else scores.expand_dims(repeat=["1"], axis=3)
    stacked = scores.to_series().dropna()
    return {"said": {" | ".join(map(str, key)): float(one) for key, one in stacked.items()}}


def _read_helm(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return _cells_of(read_scores(list(paths)))


def _read_nuggets(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return _cells_of(read_scores(list(paths), metrics=["all"]))


def _read_judged_nuggets(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    labels = read_judges(paths[0]).labels
    if labels is None:
        message = "scores, which are another fuzzer's"
        raise FileFormatError(message)
    return {
        "said": {
            " | ".join((*(key if isinstance(key, tuple) else (key,)), judge)): one
            for judge in labels
            for key, one in labels[judge].dropna().items()
        }
    }


def _read_pair(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return _cells_of(read_scores(list(paths), missing="pairwise"))


def _reader(name: str, make: Any, read: Any, opinions: Any, **more: Any) -> Reader:
    changes = CHANGES if make in {_make_annotations, _make_two_annotations, _make_helm} else ()
    more = {"speed": 340, **more}
    return Reader(name=name, make=make, mutate=text_mutation(make, changes), read=read, opinions=opinions, **more)


READERS = (
    _reader("annotations", _make_annotations, _read_annotations, _annotation_opinions),
    _reader("judges-annotations", _make_two_annotations, _read_judges, _annotation_opinions, speed=170),
    _reader("judges-scores", _make_judge_scores, _read_judge_scores, with_titles(_judge_score_opinions), speed=110),
    _reader("inex-article", _make_article, _read_article, _article_opinions, speed=2600),
    _reader("names", _make_names, _read_names, _name_opinions, speed=6800),
    _reader("clusters", _make_clusters, _read_clusters, _cluster_opinions, speed=1900),
    _reader("benchmark-nuggets", _make_nuggets, _read_nuggets, with_titles(_nugget_opinions), speed=140),
    _reader(
        "judges-nuggets", _make_judged_nuggets, _read_judged_nuggets, with_titles(_judged_nugget_opinions), speed=40
    ),
    _reader("arrivals", _make_arrivals, _read_arrivals, _arrival_opinions, speed=1900),
    _reader("covariate", _make_covariate, _read_covariate, _covariate_opinions, speed=1800),
    _reader("components", _make_components, _read_components, _component_opinions, speed=880),
    _reader("pool-sizes", _make_pool_sizes, _read_pool_sizes, _pool_size_opinions, speed=2300),
    _reader("subtopic-weights", _make_subtopic_weights, _read_subtopic_weights, _subtopic_weight_opinions, speed=1600),
    _reader("benchmark-helm", _make_helm, _read_helm, _helm_opinions, speed=140, names=_HELM),
    _reader("mt-metrics-eval", _make_pair, _read_pair, _pair_opinions, speed=180, names=_PAIR),
)
