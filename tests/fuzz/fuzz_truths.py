"""Documents that are valid and oddly spelt, for every reader; what each says is made before its text.

`fuzz_spelling` spells; here is only what is said, and the answer it must have.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from fuzz_binary import packed_case, written_netcdf, written_parquet
from fuzz_harness import Case
from fuzz_spelling import NAMES, TOPICS, Tag, few, json_file, lines, number, sometimes, table, title, xml
from fuzz_spelling import words as spelt_words

_SCORES = (0.0, 1.0, 0.5, 0.25, 0.125, 0.001, 0.3333333333333333, 0.07, 2.5e-5)
_SYSTEM_NAMES = tuple(name for name in NAMES if name != "runid")
_GAPS = ("", "NA", "n/a", "NaN", "None", "null")
_WORDS = ("cat", "Dog", "none", "partly so", "é", "B=A")
"""Labels in no order, of which "none" is one."""


def _rows(rng: random.Random, rows: Sequence[Sequence[str]]) -> bytes:
    """Write lines of TREC."""
    return spelt_words(rng, rows, comment="#")


# ----------------------------------------------------------------------------------------------------- TREC


def _retrieved(rng: random.Random, order: str) -> tuple[list[list[str]], dict[str, list[tuple[str, float]]]]:
    """Return the lines of a run, and its lists."""
    rows, lists = [], {}
    for topic in few(rng, TOPICS, 1, 3):
        found = [(document, rng.choice((*_SCORES, -1.25, 1e5))) for document in rng.sample(NAMES, rng.randint(1, 4))]
        if order == "score":
            found.sort(key=lambda one: (one[1], one[0].encode()), reverse=True)
        elif order == "ties-ascending":
            found.sort(key=lambda one: (-one[1], one[0].encode()))
        lists[topic], start = found, rng.choice((0, 1, 10))
        rows += [
            [topic, rng.choice(("Q0", "0", "x")), document, number(rng, float(rank)), number(rng, score), "bm25"]
            for rank, (document, score) in enumerate(found, start=start)
        ]
    if order != "input":
        rng.shuffle(rows)
    return rows, lists


def _judged(rng: random.Random, topics: Sequence[str]) -> tuple[list[list[str]], dict[str, dict[str, float]]]:
    levels = rng.choice(((0.0, 1.0, 2.0, -1.0, -2.0), (0.0, 0.5, 1.25, 3.0)))
    judged = {
        topic: {document: rng.choice(levels) for document in rng.sample(NAMES, rng.randint(1, 4))} for topic in topics
    }
    rows = [[topic, "0", name, number(rng, level)] for topic, one in judged.items() for name, level in one.items()]
    rng.shuffle(rows)
    return rows, judged


def _in_bytes(judged: Mapping[str, Mapping[str, float]]) -> dict[str, object]:
    ordered = {topic: sorted(one.items(), key=lambda item: item[0].encode()) for topic, one in judged.items()}
    return {"topics": list(judged), "levels": ordered}


def _run(rng: random.Random) -> Case:
    order = rng.choice(("score", "score", "ties-ascending", "rank", "input"))
    rows, lists = _retrieved(rng, order)
    truth = {"systems": ["bm25"], "topics": [list(lists)], "lists": {"bm25": lists}}
    return Case((_rows(rng, rows),), {"order": order}, truth)


def _qrels(rng: random.Random) -> Case:
    rows, judged = _judged(rng, few(rng, TOPICS, 1, 3))
    return Case((_rows(rng, rows),), {}, _in_bytes(judged))


def _graded(rng: random.Random) -> Case:
    form, grades = rng.choice(("tgdn", "t0dg", "tdg")), {"C": 0.0, "B": 1.0, "A": 2.0, "S": 3.0}
    if form != "tgdn" and rng.random() < 0.5:
        grades = {"L0": 0.0, "L1": 1.0, "L5": 5.0}
    judged, rows = {}, []
    for topic in few(rng, TOPICS, 1, 3):
        said = {document: rng.choice(list(grades)) for document in rng.sample(NAMES, rng.randint(1, 3))}
        judged[topic] = {document: grades[grade] for document, grade in said.items()}
        for d, g in said.items():
            known = {"t": topic, "g": g, "d": d, "0": "0", "n": "01"[grades[g] > 1]}
            rows.append([known[part] for part in form])
    return Case((_rows(rng, rows),), {}, _in_bytes(judged))


def _collection(rng: random.Random) -> Case:
    rows, lists = _retrieved(rng, "score")
    topics = [topic for topic in TOPICS if topic in lists or rng.random() < 0.2]
    judgments, judged = _judged(rng, topics)
    found = {
        topic: [
            (rank, one, judged[topic][one])
            for rank, (one, _) in enumerate(lists.get(topic, []), start=1)
            if one in judged[topic]
        ]
        for topic in topics
    }
    n_retrieved = [len(lists.get(topic, [])) for topic in topics]
    truth = {"systems": ["bm25"], "topics": topics, "retrieved": n_retrieved, "judged": found}
    return Case((_rows(rng, rows), _rows(rng, judgments)), {}, truth)


def _label_qrels(rng: random.Random) -> Case:
    files, items, labels = [], set(), {}
    for judge in ("one", "two"):
        rows, judged = _judged(rng, few(rng, TOPICS, 1, 2))
        files.append(_rows(rng, rows))
        cells = {(topic, name): level for topic, own in judged.items() for name, level in own.items()}
        items |= set(cells)
        labels |= {(*key, judge): level for key, level in cells.items() if level != -1}
    return Case(tuple(files), {}, _said_labels(labels, ["one", "two"], items))


# ------------------------------------------------------------------------------------------------- score tables

type Cells = Mapping[tuple[str, str, str], float]


def laid(metrics: Sequence[str], systems: Sequence[str], topics: Sequence[str], cells: Cells) -> dict[str, object]:
    """Lay scores out as readers of scores are."""
    scores = [[[cells[m, s, t] for t in topics] for s in systems] for m in metrics]
    names: dict[str, object] = {"metric": list(metrics), "system": list(systems), "topic": list(topics)}
    return names | {"scores": scores, "higher_is_better": [True] * len(metrics), "group": None}


def scored(
    rng: random.Random, metrics: Sequence[str]
) -> tuple[list[str], list[str], dict[tuple[str, str, str], float]]:
    """Return systems, topics in natural order, and a score for each."""
    systems, topics = rng.sample(_SYSTEM_NAMES, rng.randint(2, 3)), few(rng, TOPICS, 2, 4)
    return systems, topics, {key: rng.choice(_SCORES) for key in product(metrics, systems, topics)}


def _wide_rows(
    rng: random.Random, systems: Sequence[str], topics: Sequence[str], cells: Cells, metric: str
) -> list[list[str]]:
    systems = [*systems]
    head = title(rng, rng.choice(("topic", "qid", "query_id", "topic_id")))
    rows = [[topic, *(number(rng, cells[metric, one, topic]) for one in systems)] for topic in topics]
    rng.shuffle(rows)
    if rng.random() < 0.2:
        rows.append([rng.choice(("all", "Mean", "AVERAGE", "amean")), *("0.5" for _ in systems)])
    return [[head, *systems], *rows]


def _wide(rng: random.Random) -> Case:
    systems, topics, cells = scored(rng, ["one"])
    rows, options = _wide_rows(rng, systems, topics, cells, "one"), {}
    if rng.random() < 0.2:
        rows, options = [list(row) for row in zip(*rows, strict=True)], {"systems_in": "rows"}
        rows[0][0] = title(rng, rng.choice(("system", "run", "run_id")))
    elif rng.random() < 0.1:  # a summary of OpenCompass, with a dataset that one model was not run on
        rows = [[topic, "a1b2c3", "accuracy", "gen", *scores] for topic, *scores in rows]
        rows[0][:4] = ["dataset", "version", "metric", "mode"]
        rows.append(["unrun", "d4e5f6", "accuracy", "gen", "-", *("0.5" for _ in systems[1:])])
    return Case((table(rng, rows),), options, laid(["one"], systems, topics, cells))


def _two_tables(rng: random.Random) -> Case:
    systems, topics, cells = scored(rng, ["one", "two"])
    other = rng.sample(systems, len(systems))
    files = (table(rng, _wide_rows(rng, own, topics, cells, name)) for name, own in (("one", systems), ("two", other)))
    return Case(tuple(files), {}, laid(["one", "two"], systems, topics, cells))


def _long(rng: random.Random) -> Case:
    metrics = rng.choice((["AP"], ["AP", "P@5"], ["nDCG (k=10)", "é"]))
    systems, topics, cells = scored(rng, metrics)
    said = rng.choice(("", "", "group", "higher_is_better"))
    group = {one: rng.choice(("x", "y", "名")) for one in systems}
    up = {one: rng.random() < 0.5 for one in metrics}
    words = {
        "system": rng.choice(("system", "run", "name", "run_id", "system_name")),
        "topic": rng.choice(("topic", "qid", "query", "query_id", "q_id")),
        "metric": rng.choice(("metric", "measure")),
        "score": rng.choice(("score", "value")),
    } | ({said: said} if said else {})
    order = rng.sample(list(words), len(words))
    truths = {True: ("true", "True", "TRUE", "1", "1.0"), False: ("false", "False", "0", "0.0")}
    spelt = {one: rng.choice(truths[way]) for one, way in up.items()}
    keys = rng.sample(list(cells), len(cells))
    parts = [
        {"system": s, "topic": t, "metric": m, "score": number(rng, cells[m, s, t])}
        | {"group": group[s], "higher_is_better": spelt[m]}
        for m, s, t in keys
    ]
    rows = [[title(rng, words[part]) for part in order], *([one[part] for part in order] for one in parts)]
    first_metrics, first_systems = (list(dict.fromkeys(key[at] for key in keys)) for at in (0, 1))
    truth = laid(first_metrics, first_systems, topics, cells)
    if said == "group":
        truth["group"] = [group[one] for one in first_systems]
    elif said:
        truth["higher_is_better"] = [up[one] for one in first_metrics]
    elif rng.random() < 0.1 and not all(one.isdecimal() for one in systems):  # those would be segments
        # lines of WMT's metrics task, of which these topics are the documents
        rows = [[m, "en-de", "newstest", t, s, number(rng, cells[m, s, t])] for m, s, t in keys]
        return Case((table(rng, rows, "\t"),), {}, truth)
    return Case((table(rng, rows),), {}, truth)


def _results(rng: random.Random) -> Case:
    metrics, turned = rng.choice((["map"], ["map", "P_10"], ["ndcg_cut_10"])), rng.random() < 0.4
    _, topics, cells = scored(rng, metrics)
    tags = rng.sample(_SYSTEM_NAMES, 2) if not turned and rng.random() < 0.5 else ["one", "two"]
    cells, files = {}, []
    for tag in tags:
        cells |= {key: rng.choice(_SCORES) for key in product(metrics, [tag], topics)}
        rows = [
            [metric.ljust(rng.choice((0, 22))), topic, number(rng, cells[metric, tag, topic])]
            for topic, metric in product(topics, metrics)
        ]
        rows += [[metric, "all", "0.5"] for metric in metrics if rng.random() < 0.5]
        rows = [["num_q", "all", "3"]] * (rng.random() < 0.3 and not turned) + rows
        rows = [[topic, metric, score] for metric, topic, score in rows] if turned else rows
        rows = ([["runid", "all", tag]] if tag not in {"one", "two"} else []) + rows
        files.append(table(rng, rows, "\t "))
    return Case(tuple(files), {"form": "ir_measures"} if turned else {}, laid(metrics, tags, topics, cells))


def _parquet(rng: random.Random) -> Case:
    _, topics, cells = scored(rng, ["AP", "P@5"])
    keys = rng.sample(list(cells), len(cells))
    first_metrics, first_systems = (list(dict.fromkeys(key[at] for key in keys)) for at in (0, 1))
    content, exact = written_parquet(rng, [(*key, cells[key]) for key in keys])
    cells = {key: exact(one) for key, one in cells.items()}
    return Case((content,), {}, laid(first_metrics, first_systems, topics, cells))


def _netcdf(rng: random.Random) -> Case:
    metrics = ["AP", "P@5"]
    systems, topics, cells = scored(rng, metrics)
    topics = rng.sample(topics, len(topics))
    values = [[[cells[m, s, t] for t in topics] for s in systems] for m in metrics]
    content, exact = written_netcdf(rng, metrics, systems, topics, values)
    return Case((content,), {}, laid(metrics, systems, topics, {key: exact(one) for key, one in cells.items()}))


# ------------------------------------------------------------------------------------------------- other tables


def _said(  # noqa: PLR0917 - what a table is made of
    rng: random.Random, what: Sequence[str], said: str, known: Mapping[str, str], option: str, names: str = "names"
) -> Case:
    """Write a table of names with one word each, among other columns and other names."""
    columns = [[title(rng, rng.choice(what)), *known], [title(rng, said), *known.values()]]
    if rng.random() < 0.4:
        columns.append(["year", *(rng.choice(("1999", "é", "")) for _ in known)])
    called = columns[1][0]
    rng.shuffle(columns)
    rows = [list(row) for row in zip(*columns, strict=True)]
    rows = [rows[0], *rng.sample(rows[1:], len(rows) - 1)]
    wanted = rng.sample(list(known), rng.randint(1, len(known)))
    # what else than a group and a cluster is found only where it stands alone, and a year is a date
    doubtful = said in {"covariate", "date"} and len(columns) > 2
    options = {names: wanted, **({option: called.strip()} if doubtful or rng.random() < 0.5 else {})}
    return Case((table(rng, rows),), options, {"said": {name: known[name] for name in wanted}})


def _groups(rng: random.Random) -> Case:
    known = {name: rng.choice(("x", "UMass", "é b", "名", "a'b")) for name in rng.sample(_SYSTEM_NAMES, 3)}
    case = _said(rng, ("system", "run", "run_id", "name"), "group", known, "column", "systems")
    return case._replace(truth={"groups": case.truth["said"]})  # type: ignore[index] # a dictionary


def _clusters(rng: random.Random) -> Case:
    known = {topic: rng.choice(("maths", "é b", "名", "2004")) for topic in few(rng, TOPICS, 2, 4)}
    return _said(rng, ("topic", "qid", "query_id"), "cluster", known, "column")


def _arrivals(rng: random.Random) -> Case:
    known = {topic: rng.choice(("2026-01-31", "31.1.2026", "2004", "\u00e9 b")) for topic in few(rng, TOPICS, 2, 4)}
    return _said(rng, ("topic", "qid", "query_id"), "date", known, "column")


def _covariate(rng: random.Random) -> Case:
    known = {name: rng.choice((*_SCORES, -3.0, 1e5, 12.0)) for name in rng.sample(_SYSTEM_NAMES, 3)}
    spelt = {name: number(rng, one) for name, one in known.items()}
    case = _said(rng, ("system", "run", "run_id"), "covariate", spelt, "covariate_column")
    return case._replace(truth={"said": {name: known[name] for name in case.options["names"]}})


def _components(rng: random.Random) -> Case:
    one, other = rng.sample(_SYSTEM_NAMES, 2)
    known = {key: rng.choice((0.0, 0.25, 1e-3, 12.0)) for key in ((one, "system"), (one, "topic"), (other, "system"))}
    rows = [[*key, number(rng, one)] for key, one in known.items()]
    said = {" | ".join(key): one for key, one in known.items()}
    return Case((table(rng, [["metric", "component", "variance"], *rows]),), {}, {"said": said})


def _pool_sizes(rng: random.Random) -> Case:
    known = {topic: rng.choice((1, 7, 900, 2**31, 2**53 + 1)) for topic in rng.sample(TOPICS, 3)}
    rows = [[topic, sometimes(rng, "00") + str(size)] for topic, size in known.items()]
    return Case((table(rng, [*([["topic", "size"]] * (rng.random() < 0.5)), *rows]),), {}, {"sizes": known})


def _subtopic_weights(rng: random.Random) -> Case:
    known = {(topic, one): rng.choice((0.0, 0.25, 7.0)) for topic in rng.sample(TOPICS, 2) for one in ("1", "b")}
    rows = [[topic, one, f"{weight:g}"] for (topic, one), weight in known.items()]
    truth = {"weights": {f"{topic} | {one}": weight for (topic, one), weight in known.items()}}
    return Case((table(rng, [*([["topic", "subtopic", "weight"]] * (rng.random() < 0.5)), *rows]),), {}, truth)


def _judged_nuggets(rng: random.Random) -> Case:
    grades = {"support": 2.0, "partial": 1.0, "none": 0.0, "contradicts": -1.0}
    rows, cells = [["topic", "run", "nugget", "label", "judge"]], {}
    drawn = [*grades, *rng.choices(list(grades), k=12)]
    names = [one for one in _SYSTEM_NAMES if "," not in one]
    parts = rng.sample(names, 2), rng.sample(names, 2), rng.sample(TOPICS, 2), rng.sample(names, 2)
    for place, (judge, system, topic, nugget) in enumerate(product(*parts)):
        rows.append([topic, system, nugget, drawn[place], judge])
        cells[topic, f"{system}/{nugget}", judge] = grades[drawn[place]]
    return Case((table(rng, rows, ",\t"),), {}, {"said": {" | ".join(key): one for key, one in cells.items()}})


def _names(rng: random.Random) -> Case:
    names = rng.sample((*NAMES, "a b", "名 前", "#x"), rng.randint(1, 4))
    listed = [name + rng.choice(("", "", "\twords of it", " ", "\t")) for name in names]
    return Case((lines(rng, listed),), {}, {"names": names})


def _said_labels(labels: Mapping[Any, Any], judges: Sequence[str], items: set[Any]) -> dict[str, object]:
    return {"judges": sorted(judges), "items": sorted(items), "labels": dict(sorted(labels.items()))}


def _labels(rng: random.Random) -> Case:
    items: list[tuple[str, ...]] = rng.sample(list(product(few(rng, TOPICS, 1, 3), rng.sample(NAMES, 2))), 2)
    head = [title(rng, rng.choice(("topic", "qid", "query_id"))), title(rng, rng.choice(("item", "doc_id", "pid")))]
    if rng.random() < 0.3:  # named by the item alone
        items, head = [(name,) for name in rng.sample(NAMES, 2)], head[1:]
    judges = rng.sample(_SYSTEM_NAMES, 2)
    known: dict[Any, float | str] = {
        (*item, judge): rng.choice((0.0, 1.0, 2.0, 1.5)) for item in items for judge in judges
    }
    gap = rng.choice(list(known)) if rng.random() < 0.5 else None
    options = {}
    spelt = {key: number(rng, float(one)) for key, one in known.items()}
    kind = rng.random()
    if kind < 0.3:
        known = {key: float(float(one) > 1) for key, one in known.items()}
        options = {"words": {"low": 0, "high": 1}}
        spelt = {key: rng.choice((("low", "Low"), ("high", "HIGH"))[int(one)]) for key, one in known.items()}
    elif kind < 0.6:  # words in no order, of which both judges use one
        own = rng.choice(_WORDS), rng.choice([one for one in _WORDS if one != "none"])
        known = {(*item, judge): own[at] for at, item in enumerate(items) for judge in judges}
        known |= {(*items[0], judges[0]): rng.choice(_WORDS)}
        gap = (*items[0], judges[1]) if gap else None
        givers = {key[-1] for key, one in known.items() if one == "none" and key != gap}
        options = {"words": {"none": "label"}} if len(givers) == 1 else {}  # from one judge alone it may be no label
        spelt = {key: str(one) for key, one in known.items()}
    spelt |= {gap: rng.choice([one for one in _GAPS if one != "None" or kind >= 0.6 or kind < 0.3])} if gap else {}
    if rng.random() < 0.5:
        last = [title(rng, rng.choice(("judge", "assessor"))), title(rng, rng.choice(("label", "grade")))]
        columns = [list(row) for row in zip(*([*key, one] for key, one in spelt.items()), strict=True)]
        columns = [[name, *column] for name, column in zip((*head, *last), columns, strict=True)]
        rng.shuffle(columns)
        rows = [list(row) for row in zip(*columns, strict=True)]
    else:
        rows = [[*head, *judges], *([*item, *(spelt[*item, judge] for judge in judges)] for item in items)]
        said = [{known[*item, judge] for judge in judges if (*item, judge) != gap} for item in items]
        if len(head) == 1 and said[0] & said[1] and ("runid",) not in items:  # answers to a form, a row a person
            form = ["Zeitstempel", rng.choice(("E-Mail-Adresse", "Respondent ID", "PROLIFIC_PID")), "Alter"]
            rows = [[*form, *(item for (item,) in items)]]
            rows += [["1/10/2025 12:00", judge, "31", *(spelt[*item, judge] for item in items)] for judge in judges]
    rows = [rows[0], *rng.sample(rows[1:], len(rows) - 1)]
    truth = _said_labels({key: one for key, one in known.items() if key != gap}, judges, set(items))
    return Case((table(rng, rows),), options, truth)


def _items(rng: random.Random) -> Case:
    keys = [rng.choice(("system", "SYS", "Model")), rng.choice(("doc", "Item", "SEGMENT"))]
    pairs = list(product(rng.sample(NAMES, 2), few(rng, TOPICS, 2, 2)))
    known: dict[str, list[Any]] = {
        "BLEU": [rng.choice((*_SCORES, None)) for _ in pairs[1:]] + [0.5],
        "kind é": [rng.choice(("x", "y z")) for _ in pairs],
    }
    files = []
    for own in rng.choice(([["BLEU", "kind é"]], [["BLEU"], ["kind é"]])):
        columns = [[key, *column] for key, column in zip(keys, zip(*pairs, strict=True), strict=True)]
        for name in own:
            cells = (
                rng.choice(_GAPS) if x is None else x if isinstance(x, str) else number(rng, x) for x in known[name]
            )
            columns.insert(rng.randint(0, len(columns)) if len(columns) > 2 else 2, [name, *cells])
        rows = [list(row) for row in zip(*columns, strict=True)]
        files.append(table(rng, [rows[0], *rng.sample(rows[1:], len(rows) - 1)]))
    rows = [(pair, *(known[name][at] for name in sorted(known))) for at, pair in enumerate(pairs)]
    return Case(tuple(files), {}, {"keys": keys, "columns": sorted(known), "rows": sorted(rows, key=repr)})


def _log(rng: random.Random) -> Case:
    n = rng.randint(1, 4)
    known: dict[str, list[Any]] = {
        name: [rng.choice(those) for _ in range(n)] for name, those in (("topic", TOPICS), ("document", NAMES))
    }
    if rng.random() < 0.6:
        known["seconds"] = [rng.choice((*_SCORES, 17.5, 1e5)) for _ in range(n)]
    else:
        known["time"] = [rng.choice(("2004-05-01T10:00:00", "2004-05-01 10:00:00")) for _ in range(n)]
    called = {"topic": ("topic", "query"), "document": ("document", "doc", "docno"), "seconds": ("seconds", "duration")}
    columns = [
        [rng.choice((str.upper, str.title, str.lower))(rng.choice(called.get(name, ("time", "timestamp")))),
         *(one if isinstance(one, str) else number(rng, one) for one in column)]
        for name, column in known.items()
    ]  # fmt: skip
    rng.shuffle(columns)
    return Case((table(rng, [list(row) for row in zip(*columns, strict=True)]),), {}, known)


def _judge_scores(rng: random.Random) -> Case:
    judges, systems, topics = rng.sample(_SYSTEM_NAMES, 2), rng.sample(_SYSTEM_NAMES, 2), few(rng, TOPICS, 2, 3)
    cells = {key: rng.choice(_SCORES) for key in product(judges, systems, topics)}
    rows = [[*key, number(rng, one)] for key, one in cells.items()]
    rng.shuffle(rows)
    order = rng.sample(range(4), 4)
    rows = [[row[at] for at in order] for row in (["judge", "run", "topic", "value"], *rows)]
    return Case((table(rng, rows),), {}, {"said": {" | ".join(key): one for key, one in cells.items()}})


# --------------------------------------------------------------------------------------------------------- INEX

_DOCUMENTS = ("123456", "1.10", "007", "1e3", "true", "None", "12345678901234567890")
_STEPS = (("article", 1), ("bdy", 1), ("sec", 2), ("p", 10), ("é", 1))


def _path(rng: random.Random, *, point: bool = False) -> tuple[str, str]:
    """Return a path as it is written, and as it is understood."""
    steps = _STEPS[: rng.randint(1, 5)]
    written = "".join(f"/{name}" + ("" if at == 1 and rng.random() < 0.5 else f"[{at}]") for name, at in steps)
    meant = "".join(f"/{name}[{at}]" for name, at in steps)
    if not point:
        return written, meant
    at = rng.randint(0, 99)
    return f"{written}/text(){sometimes(rng, '[1]')}.{sometimes(rng, '00')}{at}", f"{meant}/text()[1].{at}"


def _document(rng: random.Random) -> tuple[str, str]:
    name = rng.choice((*_DOCUMENTS, "co/2001/r7022", "d", "名", "a.b"))
    return name + sometimes(rng, ".xml"), name


def _whole(rng: random.Random, value: int) -> str:
    """Write a size or a place in a text: digits, which have no sign."""
    return sometimes(rng, "00") + str(value)


def _submission(rng: random.Random) -> Case:
    kind, ranked, scored_too = rng.choice(("path", "fol", "passage", "bep")), rng.random() < 0.7, rng.random() < 0.6
    topics, results = few(rng, TOPICS, 1, 2), []
    tags: list[Tag] = [("topic-fields", {"title": "yes"}, [])] * (rng.random() < 0.3)
    tags += [("description", {}, "free text & <more>")] * (rng.random() < 0.3)
    for topic in topics:
        listed, inside = [], []
        for rank in range(1, rng.randint(1, 4)):
            name, document = _document(rng)
            place: Tag
            where: tuple[str, str, int, int] = ("", "", -1, -1)
            if kind == "path":
                path, meant = _path(rng)
                place, where = ("path", {}, path), (meant, "", -1, -1)
            elif kind == "passage":
                (start, begin), (stop, end) = _path(rng, point=True), _path(rng, point=True)
                place, where = ("passage", {"start": start, "end": stop}, []), (begin, end, -1, -1)
            else:
                at, length = rng.randint(0, 99), rng.randint(1, 99) if kind == "fol" else -1
                offsets = {"offset": _whole(rng, at)} | ({"length": _whole(rng, length)} if length > 0 else {})
                place, where = ("fol", offsets, []), ("", "", at, length)
            score = rng.choice(_SCORES)
            parts: list[Tag] = [("file", {}, name), place]
            parts += [("rank", {}, number(rng, float(rank)))] * ranked + [("rsv", {}, number(rng, score))] * scored_too
            inside.append(("result", {}, rng.sample(parts, len(parts))))
            listed.append((topic, document, *where, float(rank) if ranked else None, score if scored_too else None))
        order = list(range(len(listed)))
        if ranked:
            rng.shuffle(order)
        elif scored_too:
            listed.sort(key=lambda one: -(one[7] or 0.0))
        tags.append(("topic", {"topic-id": topic}, [inside[at] for at in order]))
        results += listed
    about = {"run-id": "VSM é", "participant-id": "12", "task": "Focused"}
    truth = {"run": "VSM é", "participant": "12", "task": "Focused", "answered": topics, "results": results}
    return Case((xml(rng, ("inex-submission", about, tags)),), {}, truth)


def _line_submission(rng: random.Random) -> Case:
    kind, rows, results = rng.choice(("path", "paths", "fol", "bep")), [], []
    topics = few(rng, TOPICS, 1, 3)
    for topic in topics:
        for rank in range(1, rng.randint(2, 4)):
            (name, document), score = _document(rng), rng.choice(_SCORES)
            if kind == "path":
                path, meant = _path(rng)
                place, where = [path], (meant, "", -1, -1)
            elif kind == "paths":
                (start, begin), (stop, end) = _path(rng, point=True), _path(rng, point=True)
                place, where = [start, stop], (begin, end, -1, -1)
            else:
                at, length = rng.randint(0, 99), rng.randint(1, 99) if kind == "fol" else -1
                place = [sometimes(rng, "0") + str(at)] + ([sometimes(rng, "0") + str(length)] if length > 0 else [])
                where = ("", "", at, length)
            rows.append([topic, "Q0", name, number(rng, float(rank)), number(rng, score), "RunX", *place])
            results.append((topic, document, *where, float(rank), score))
    truth = {"run": "RunX", "participant": "", "task": "", "answered": topics, "results": results}
    return Case((spelt_words(rng, rows),), {}, truth)


def _assessments(rng: random.Random) -> Case:
    modern, topic = rng.random() < 0.5, rng.choice(("289", *TOPICS))
    documents, elements, passages, tags = [], [], [], []
    for name in rng.sample((*_DOCUMENTS, "co/2001/r7022", "名"), rng.randint(1, 2)):
        inside: list[Tag] = []
        size, relevant, point, highlighted = -1, 0, "", 0
        if modern and rng.random() < 0.6:
            (path, point), highlighted = _path(rng, point=True), rng.randint(1, 900)
            (start, begin), (stop, end) = _path(rng, point=True), _path(rng, point=True)
            inside.append(("best-entry-point", {"path": path}, []))
            inside.append(("passage", {"start": start, "end": stop, "size": _whole(rng, highlighted)}, []))
            passages.append((topic, name, -1, highlighted, begin, end))
        if rng.random() < 0.8:
            path, meant = rng.choice((("/article", "/article[1]"), ("/article[1]", "/article[1]")))
            if modern:
                size = rng.randint(10, 99)
                relevant = rng.randint(1, size)
                said = {"path": path, "exhaustivity": "2", "size": _whole(rng, size), "rsize": _whole(rng, relevant)}
                inside.append(("element", said, []))
                elements.append((topic, name, meant, 2, relevant / size, size, relevant))
            else:
                said = {"path": path, "exhaustiveness": _whole(rng, 3), "specificity": _whole(rng, 1)}
                inside.append(("path", said, []))
                elements.append((topic, name, meant, 3, 1.0, -1, -1))
        tags.append(("file", {"collection": "wikien", "name": name} if modern else {"file": name}, inside))
        documents.append((topic, name, highlighted or relevant, size, -1, point))
    scale = "2003" if not modern else "2005" if elements or not passages else "passages"
    if not modern:
        documents = [(*one[:2], -1, -1, -1, "") for one in documents]
    truth = {"scale": scale, "documents": documents, "elements": elements, "passages": passages}
    return Case((xml(rng, ("assessments", {"pool": "5", "topic": topic, "version": "2"}, tags)),), {}, truth)


def _line_assessments(rng: random.Random) -> Case:
    rows, documents, passages = [], [], []
    for topic, (name, document) in zip(few(rng, TOPICS, 1, 3), (_document(rng) for _ in range(9)), strict=False):
        one, two, size, entry = rng.randint(1, 100), rng.randint(1, 100), rng.randint(500, 2000), rng.randint(0, 99)
        spans = [(rng.randint(0, 100), one), (rng.randint(210, 300), two)][: rng.randint(1, 2)]
        relevant = sum(length for _, length in spans)
        marks = [f"{sometimes(rng, '0')}{offset}:{sometimes(rng, '0')}{length}" for offset, length in spans]
        whole = [sometimes(rng, "00") + str(value) for value in (relevant, size, entry)]
        rows.append([topic, "Q0", name, *whole, *marks])
        documents.append((topic, document, relevant, size, entry, ""))
        passages += [(topic, document, *span, "", "") for span in spans]
    truth = {"scale": "passages", "documents": documents, "elements": [], "passages": passages}
    return Case((spelt_words(rng, rows),), {}, truth)


def _pool(rng: random.Random) -> Case:
    rows, tags = [], []
    for _ in range(rng.randint(1, 2)):
        (name, document), (path, meant) = _document(rng), _path(rng)
        tags.append(("file", {"file": name}, [("path", {"path": path}, [])] * (rng.random() < 0.7)))
        rows.append(("289", document, meant if tags[-1][2] else "", ""))
    return Case((xml(rng, ("pool", {"topic": "289"}, tags)),), {}, {"rows": rows})


def _sizes(rng: random.Random) -> Case:
    rows, sizes, order = [], [], rng.sample(("document", "path", "size"), 3)
    for own in rng.sample((*_DOCUMENTS, "名"), 2):
        path, meant = _path(rng)
        sizes.append((own, meant, rng.randint(1, 9999)))
        known = {"document": own + sometimes(rng, ".xml"), "path": path}
        known["size"] = sometimes(rng, "00") + str(sizes[-1][2])
        rows.append([known[part] for part in order])
    return Case((table(rng, [order, *rows], "\t, "),), {}, {"sizes": sizes})


def _judged_input(rng: random.Random) -> Case:
    if rng.random() < 0.5:
        rows, lists = _retrieved(rng, "score")
        judgments, _ = _judged(rng, list(lists))
        return Case((_rows(rng, rows), _rows(rng, judgments)), {}, "Collection")
    path = [("path", {"path": _path(rng)[0], "exhaustiveness": "3", "specificity": "1"}, [])]
    judged: Tag = ("assessments", {"topic": "414"}, [("file", {"file": "d"}, path)])
    result: Tag = ("result", {}, [("file", {}, "d"), ("path", {}, _path(rng)[0])])
    run: Tag = ("inex-submission", {"run-id": "r", "participant-id": "1"}, [("topic", {"topic-id": "414"}, [result])])
    return Case((xml(rng, run), xml(rng, judged)), {}, "ElementCollection")


def _article(rng: random.Random) -> Case:
    texts = [rng.choice(("one", "two words", "é & <x>", "]]>", "名")) for _ in range(rng.randint(1, 4))]
    root: Tag = ("article", {}, [("bdy", {"a": "1 > 0"}, [("p", {}, text) for text in texts])])
    ends = [sum(map(len, texts[:at])) for at in range(len(texts) + 1)]
    places = {f"/article[1]/bdy[1]/p[{at + 1}]": (ends[at], ends[at + 1]) for at in range(len(texts))}
    places |= dict.fromkeys(("/article[1]", "/article[1]/bdy[1]"), (0, ends[-1]))
    return Case((xml(rng, root, loose=False),), {}, {"length": ends[-1], "places": places})


# --------------------------------------------------------------------------------------------------- annotations


def _annotated(rng: random.Random, names: Sequence[str]) -> tuple[bytes, dict[str, object]]:
    values = rng.choice(((0.0, 1.0, 2.5, 3), ("good", "é b", "schlecht"), (True, False)))
    items = rng.sample(
        [name for name in (*NAMES, "d é") if name != "map" or values[0] != 0.0], 3
    )  # numbers: of metrics
    own = {
        name: {item: rng.choice((*values, *values, None)) for item in items} | {items[0]: values[0]} for name in names
    }
    labels = {f"{name} | {item}": one for name, said in own.items() for item, one in said.items() if one is not None}
    truth = {"annotators": list(names), "items": sorted(items), "labels": labels}
    shuffled = {name: dict(rng.sample(list(said.items()), len(said))) for name, said in own.items()}
    return json_file(rng, shuffled, names=False), truth


def _annotations(rng: random.Random) -> Case:
    content, truth = _annotated(rng, rng.sample(_SYSTEM_NAMES, 2))
    if rng.random() < 0.3:
        content, truth = _tasks(rng, rng.sample(_SYSTEM_NAMES, 2))
    return Case((content,), {}, {"0": truth})


def _tasks(rng: random.Random, names: Sequence[str]) -> tuple[bytes, dict[str, object]]:
    """Tasks of Label Studio: beside labels stand counts, predictions and what was cancelled, which are none."""
    kind, values = rng.choice((("rating", (1, 2, 5)), ("choices", ("good", "é b")), ("number", (0.5, 2.0))))
    tasks, labels = [], {}
    for at, item in enumerate(items := rng.sample((*NAMES, "d é"), 3)):
        stated = []
        for name in names:
            said = rng.choice(values)
            by = name if rng.random() < 0.5 else {"id": at, "email": name}
            cancelled = bool(at) and rng.random() < 0.3
            value = {kind: [said] if kind == "choices" else said}
            result = [{"from_name": "asked", "type": kind, "value": value}]
            stated.append({"id": at, "completed_by": by, "was_cancelled": cancelled, "result": result})
            labels |= {} if cancelled else {f"{name} | {item}": said}
        counts = {"inner_id": at, "total_annotations": len(stated), "project": 7, "predictions": [{"result": result}]}
        tasks.append({"id": item, **counts, "annotations": stated})
    held = sorted({item for item in items if any(label.endswith(f" | {item}") for label in labels)})
    return json_file(rng, tasks), {"annotators": list(names), "items": held, "labels": labels}


def _two_annotations(rng: random.Random) -> Case:
    names = rng.sample(_SYSTEM_NAMES, 4)
    (one, first), (two, second) = _annotated(rng, names[:2]), _annotated(rng, names[2:])
    return Case((one, two), {}, {"0": first, "1": second})


SPELLINGS: Mapping[str, Callable[[random.Random], Case]] = {
    "trec-run": _run,
    "trec-qrels": _qrels,
    "ntcir-qrels": _graded,
    "trec-collection": _collection,
    "scores-wide": _wide,
    "scores-long": _long,
    "scores-results": _results,
    "scores-two-tables": _two_tables,
    "scores-parquet": _parquet,
    "scores-netcdf": _netcdf,
    "groups": _groups,
    "clusters": _clusters,
    "arrivals": _arrivals,
    "covariate": _covariate,
    "components": _components,
    "pool-sizes": _pool_sizes,
    "subtopic-weights": _subtopic_weights,
    "names": _names,
    "judges-nuggets": _judged_nuggets,
    "labels": _labels,
    "labels-qrels": _label_qrels,
    "items": _items,
    "assessment-log": _log,
    "judges-scores": _judge_scores,
    "judges-annotations": _two_annotations,
    "annotations": _annotations,
    "inex-submission-xml": _submission,
    "inex-submission-lines": _line_submission,
    "inex-assessments-xml": _assessments,
    "inex-assessments-lines": _line_assessments,
    "inex-pool": _pool,
    "inex-sizes": _sizes,
    "inex-article": _article,
    "judged-input": _judged_input,
    "compressed": packed_case,
}
"""Reader to its documents."""
