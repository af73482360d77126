"""Tables of labels, of metrics (beside people, alone, repeated), and of votes: no other column of numbers counts."""

import os
import random
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from advice import obeyed

from metaeval import read_scores
from metaeval.agreement.items import item_scores
from metaeval.agreement.labels import as_labels
from metaeval.errors import MetaevalError
from metaeval.io.items import read_items
from metaeval.io.labels import labels_of
from metaeval.io.sources import Source
from metaeval.io.votes import votes_of
from metaeval.table.label_roles import beside_judges
from metaeval.table.scores import as_scores
from metaeval.table.votes import as_votes

EXAMPLES = int(os.environ.get("METAEVAL_EXAMPLES", "0")) or 30
JUDGES = [
    *("ann", "ben", "cat", "gpt-4o", "claude", "llm", "expert", "rater_1", "rater_2", "human", "assessor_b", "nist"),
    *("Max", "Ada"),
]
SYSTEMS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
METRICS = ["BLEU", "chrF", "comet", "bert_f1", "rouge-l", "faithfulness", "meteor"]


def _date(rng, at):
    return f"2024-0{rng.randint(1, 9)}-1{at % 10}"


OTHERS = {
    "time": lambda rng, _: rng.randint(1, 90),
    "seconds": lambda rng, _: f"{rng.uniform(1, 90):.1f}",
    "duration_ms": lambda rng, _: rng.randint(200, 9000),
    "tokens": lambda rng, _: rng.randint(50, 900),
    "n_words": lambda rng, _: rng.randint(5, 60),
    "cost_usd": lambda rng, _: f"{rng.uniform(0, 0.1):.4f}",
    "price": lambda rng, _: f"{rng.uniform(0, 2):.2f}",
    "length": lambda rng, _: rng.randint(20, 300),
    "latency": lambda rng, _: f"{rng.uniform(0.1, 3):.2f}",
    "date": _date,
    "timestamp": lambda rng, at: 1_700_000_000 + 60 * at + rng.randint(0, 50),
    "created_at": lambda rng, _: 1_700_000_000_000 + rng.randint(0, 10**9),
    "row_id": lambda _, at: at + 1,
    "index": lambda _, at: at,
    "uuid": lambda rng, _: f"{rng.getrandbits(64):016x}",
    "seed": lambda rng, _: rng.randint(0, 2),
    "version": lambda rng, _: rng.choice(["1.0", "1.1"]),
    "rank": lambda rng, _: rng.randint(1, 5),
    "stderr": lambda rng, _: f"{rng.uniform(0.01, 0.1):.3f}",
    "p_value": lambda rng, _: f"{rng.uniform(0, 1):.3f}",
    "comment": lambda rng, _: rng.choice(["fine", "see above", "unclear text", "ok, but long"]),
    "language": lambda rng, _: rng.choice(["en", "de"]),
    "confidence": lambda rng, _: f"{rng.uniform(0.5, 1):.2f}",
}
"""Columns that are no scores, by names that say so."""
NAMELESS = {
    "foo": OTHERS["tokens"],
    "x1": OTHERS["created_at"],
    "extra": OTHERS["row_id"],
    "aux": OTHERS["timestamp"],
    "zz": OTHERS["comment"],
    "qq": OTHERS["uuid"],
}
"""The same by names that say nothing."""


def others_of(rng, n_rows, most=5):
    """Return some columns that are no scores."""
    known = {**OTHERS, **NAMELESS}
    names = rng.sample(sorted(known), rng.randint(0, most))
    return {name: [known[name](rng, at) for at in range(n_rows)] for name in names}


def written(rng, columns):
    """Return a table in CSV with its columns in random order."""
    names = [*columns]
    rng.shuffle(names)
    rows = [",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row)
            for row in zip(*(columns[name] for name in names), strict=True)]  # fmt: skip
    return "\n".join([",".join(names), *rows]) + "\n"


def made_labels(rng):
    """Return a wide table of labels, its judges' labels, and the columns that are none."""
    n, high = rng.randint(20, 40), rng.choice([1, 2, 3])
    truth = [rng.randint(0, high) for _ in range(n)]
    judges = {
        name: [one if rng.random() < 0.7 else rng.randint(0, high) for one in truth]
        for name in rng.sample(JUDGES, rng.randint(2, 4))
    }
    computed = {
        rng.choice(["agree", "same", "x_agree"]): lambda own: int(own[0] == own[1]),
        rng.choice(["majority", "mode"]): lambda own: Counter(own).most_common(1)[0][0],
        rng.choice(["mean", "average", "mean_label"]): lambda own: f"{np.mean(own):.2f}",
        rng.choice(["max", "highest"]): max,
        rng.choice(["diff", "difference"]): lambda own: own[0] - own[1],
        rng.choice(["sum", "total"]): sum,
    }
    picked = rng.sample(sorted(computed), rng.randint(0, 3))
    rows = [*zip(*judges.values(), strict=True)]
    derived = {name: [computed[name](own) for own in rows] for name in picked}
    other = others_of(rng, n) | derived
    keys = {rng.choice(["topic", "qid"]): [at // 5 for at in range(n)]} if rng.random() < 0.7 else {}
    keys |= {rng.choice(["doc", "item", "docid", "document"]): [f"d{at}" for at in range(n)]}
    return keys, judges, other


def labels_read(frame, judges):
    """Return whether labels are those of the judges, without what they settled on in the end, which is no judge."""
    frame = frame.drop(columns=[*beside_judges(frame)])
    return set(frame.columns) == set(judges) and all(
        np.array_equal(frame[name].to_numpy(dtype=float), np.array(own, dtype=float)) for name, own in judges.items()
    )


def try_labels(rng, _):
    keys, judges, other = made_labels(rng)
    text = written(rng, keys | judges | other).encode()

    def read(columns=None, **_):
        return labels_of([(Source("l.csv"), text)], columns=columns or {}, words={}, where={})

    found, _ = obeyed(read)
    return verdict(found, other, lambda: labels_read(found, judges)), text


def try_long_labels(rng, _):
    keys, judges, _derived = made_labels(rng)
    rows = [*product(range(len(next(iter(keys.values())))), judges)]
    rng.shuffle(rows)
    other = others_of(rng, len(rows))
    table = {name: [cells[at] for at, _ in rows] for name, cells in keys.items()} | {
        rng.choice(["judge", "rater", "annotator"]): [judge for _, judge in rows],
        rng.choice(["label", "grade", "rating"]): [judges[judge][at] for at, judge in rows],
    }
    text = written(rng, table | other).encode()

    def read(columns=None, **_):
        return labels_of([(Source("l.csv"), text)], columns=columns or {}, words={}, where={})

    found, _ = obeyed(read)
    order = [*keys.values()][-1]
    return verdict(found, other, lambda: labels_read(found.reindex(order, level=-1), judges)), text


def try_labels_in_memory(rng, _):
    keys, judges, other = made_labels(rng)
    numbers = {name: cells for name, cells in other.items() if all(map(_is_number, cells))}
    frame = pd.DataFrame({name: [float(one) for one in cells] for name, cells in (judges | numbers).items()})
    order = [*frame.columns]
    rng.shuffle(order)
    frame = frame[order].set_index(pd.MultiIndex.from_arrays([["1"] * len(frame), [*keys.values()][-1]]))
    try:
        found = as_labels(frame)
    except MetaevalError as error:
        return verdict(error, numbers, None), frame
    return verdict(found, numbers, lambda: labels_read(found.table, judges)), frame


def _is_number(cell):
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def made_items(rng):
    n_systems, n_items = rng.randint(4, 6), rng.randint(6, 10)
    systems, items = SYSTEMS[:n_systems], [f"d{at}" for at in range(n_items)]
    rows = [(system, item) for system in systems for item in items]
    human = [round(rng.gauss(at // n_items, 1), 2) for at in range(len(rows))]
    metrics = {
        name: [round(one + rng.gauss(0, 1), 3) for one in human] for name in rng.sample(METRICS, rng.randint(1, 3))
    }
    keys = {
        rng.choice(["system", "model"]): [one for one, _ in rows],
        rng.choice(["item", "doc", "segment"]): [one for _, one in rows],
    }
    other = others_of(rng, len(rows))
    if rng.random() < 0.3 and len(metrics) > 1:
        other["overall"] = [f"{np.mean(own):.4f}" for own in zip(*metrics.values(), strict=True)]
    return keys, {"human": human, **metrics}, other


def with_summary_rows(rng, keys, scores, other):
    """Add the means of every system, or of every item, as rows, half of the time."""
    if rng.random() < 0.5:
        return keys, scores, other
    by_system = rng.random() < 0.5
    (system, systems), (item, items) = keys.items()
    frame = pd.DataFrame({"s": systems, "i": items} | scores)
    means = frame.groupby("s" if by_system else "i", sort=False)[[*scores]].mean().round(4)
    word = rng.choice(["mean", "Average", "AVG"])
    more = ([*means.index], [word] * len(means)) if by_system else ([word] * len(means), [*means.index])
    n = len(means)
    return (
        {system: systems + more[0], item: items + more[1]},
        {name: own + means[name].tolist() for name, own in scores.items()},
        {name: own + [""] * n for name, own in other.items()},
    )


def try_items(rng, tmp_path):
    keys, scores, other = made_items(rng)
    path = tmp_path / "h.csv"
    path.write_text(
        written(rng, {k: v for part in with_summary_rows(rng, keys, scores, other) for k, v in part.items()})
    )
    try:
        frame = read_items(path)
        names = {"system": frame.attrs["system"], "item": frame.attrs["items"]}
        found = item_scores(frame, reference="human", **names)
    except MetaevalError as error:
        found = error
    return verdict(found, other, lambda: scores_read(found, keys, scores)), path.read_text()


def try_items_in_memory(rng, _):
    keys, scores, other = made_items(rng)
    numbers = {name: [*map(float, own)] for name, own in other.items() if all(map(_is_number, own))}
    system, item = keys
    frame = pd.DataFrame(keys | scores | numbers)
    try:
        found = item_scores(frame, reference="human", system=system, item=item)
    except MetaevalError as error:
        found = error
    return verdict(found, numbers, lambda: scores_read(found, keys, scores)), frame


def scores_read(found, keys, scores):
    systems, items = keys.values()
    if set(found["metric"].to_numpy()) != set(scores):
        return False
    if found.sizes["system"] != len(set(systems)) or found.sizes["item"] != len(set(items)):
        return False
    return all(
        np.isclose(float(found.sel(metric=name, system=one, item=two)), own[at])
        for name, own in scores.items()
        for at, (one, two) in enumerate(zip(systems, items, strict=True))
    )


def made_scores(rng, repeats=()):
    """Return a row a system, item and repeat; the columns of metrics; and the columns that are none."""
    systems, items = SYSTEMS[: rng.randint(2, 4)], [f"d{at}" for at in range(rng.randint(4, 8))]
    rows = [*product(systems, items, repeats or [""])]
    names = rng.sample(METRICS, 1 if repeats else rng.randint(2, 3))
    metrics = {name: [round(rng.uniform(0, 1), 3) for _ in rows] for name in names}
    called = ["repeat", "trial", "seed", "epoch", "replicate", "attempt"]
    keys = [
        rng.choice(["system", "model", "method", "pipeline", "run"]),
        rng.choice(["item", "topic", "question", "task", "dataset", "seg_id"]),
        *([rng.choice(called)] if repeats else []),
    ]
    kept = {name: cells for name, cells in others_of(rng, len(rows)).items() if not repeats or name not in called}
    return dict(zip(keys, zip(*rows, strict=False), strict=False)), metrics, kept


def try_scores(rng, tmp_path, repeats=()):
    keys, metrics, other = made_scores(rng, repeats)
    path = tmp_path / "t.csv"
    path.write_text(written(rng, keys | metrics | other))
    found, _ = obeyed(lambda **options: read_scores(path, **options))
    return verdict(found, other, lambda: table_read(found, keys, metrics)), path.read_text()


def try_scores_in_memory(rng, repeats=()):
    keys, metrics, other = made_scores(rng, repeats)
    numbers = {name: [*map(float, cells)] for name, cells in other.items() if all(map(_is_number, cells))}
    frame = pd.DataFrame(keys | metrics | other | numbers)
    frame = frame[rng.sample([*frame.columns], len(frame.columns))]
    table = rng.choice([frame, frame.to_dict("list"), frame.to_dict("records"), frame.set_index([*keys])])
    try:
        found = as_scores(table)
    except MetaevalError as error:
        found = error
    return verdict(found, other, lambda: table_read(found, keys, metrics)), frame


def table_read(found, keys, metrics):
    """Return whether scores are those of their rows, and any other metric is said to look like none."""
    more = {*found["metric"].to_numpy()} - {*metrics}
    notes = "; ".join(found.attrs.get("notes", ()))
    if not more <= {*NAMELESS} or any(f"{name} (" not in notes for name in more):
        return False
    dims = ("system", "topic", "repeat")[: len(keys)]
    if "repeat" in set(found.dims) - set(dims):  # one for every system and item
        found = found.mean("repeat")
    if {*found.dims} != {"metric", *dims} or any(
        sorted(found[dim].to_numpy()) != sorted(set(own)) for dim, own in zip(dims, keys.values(), strict=True)
    ):
        return False
    at = {dim: xr.DataArray(list(own), dims="row") for dim, own in zip(dims, keys.values(), strict=True)}
    return all(found.sel(metric=name, **at).to_numpy().tolist() == own for name, own in metrics.items())


def try_components(rng, tmp_path):
    return try_scores(rng, tmp_path, [str(number + 1) for number in range(rng.randint(2, 4))])


def try_components_in_memory(rng, _):
    return try_scores_in_memory(rng, [str(number + 1) for number in range(rng.randint(2, 4))])


def try_agree(rng, tmp_path):
    return try_scores(rng, tmp_path)


def try_agree_in_memory(rng, _):
    return try_scores_in_memory(rng)


def made_votes(rng):
    n, systems = rng.randint(20, 50), SYSTEMS[: rng.randint(3, 6)]
    pairs = [rng.sample(systems, 2) for _ in range(n)]
    winners = [rng.choice([*pair, "tie"]) for pair in pairs]
    keys = {
        "left": [one for one, _ in pairs],
        "right": [two for _, two in pairs],
        "winner": winners,
        **({rng.choice(["question_id", "prompt"]): [f"q{at // 2}" for at in range(n)]} if rng.random() < 0.7 else {}),
        **({"voter": [f"v{rng.randint(1, 5)}" for _ in range(n)]} if rng.random() < 0.5 else {}),
    }
    if rng.random() < 0.4:
        names = rng.choice([("model_a", "model_b"), ("system_1", "system_2"), ("option_a", "option_b")])
        keys = dict(zip([*names, *[*keys][2:]], keys.values(), strict=True))
    return keys, others_of(rng, n)


def try_votes(rng, _):
    keys, other = made_votes(rng)
    left, right, winners = [*keys.values()][:3]
    shares = [0.5 if won == "tie" else float(won == one) for one, won in zip(left, winners, strict=True)]
    text = written(rng, keys | other)
    if rng.random() < 0.4:
        first = next(iter(keys))
        text += ",".join("Total" if name == first else "" for name in text.splitlines()[0].split(",")) + "\n"
    try:
        found = votes_of([("v.csv", text.encode())])
    except MetaevalError as error:
        found = error
    return verdict(found, other, lambda: votes_read(found, left, right, shares)), text


def try_votes_in_memory(rng, _):
    keys, other = made_votes(rng)
    left, right, winners = [*keys.values()][:3]
    shares = [0.5 if won == "tie" else float(won == one) for one, won in zip(left, winners, strict=True)]
    try:
        found = as_votes(pd.DataFrame(keys | other))
    except MetaevalError as error:
        found = error
    return verdict(found, other, lambda: votes_read(found, left, right, shares)), pd.DataFrame(keys | other)


def votes_read(found, left, right, shares):
    frame = found.to_frame()
    same = [frame["left"].tolist() == left, frame["right"].tolist() == right, frame["share"].tolist() == shares]
    return all(same) and (frame["weight"] == 1).all()


def verdict(found, others, is_right):
    """Say whether a table was read right, one of its other columns was asked about by name, or what else happened."""
    if isinstance(found, MetaevalError):
        return "asked" if any(repr(name) in str(found) for name in others) else "refused"
    return "right" if is_right() else "wrong"


DOORS = {
    "labels": try_labels,
    "labels in memory": try_labels_in_memory,
    "long labels": try_long_labels,
    "metrics beside people": try_items,
    "metrics beside people in memory": try_items_in_memory,
    "components": try_components,
    "components in memory": try_components_in_memory,
    "agree": try_agree,
    "agree in memory": try_agree_in_memory,
    "votes": try_votes,
    "votes in memory": try_votes_in_memory,
}


@pytest.mark.parametrize("door", DOORS)
def test_no_column_of_anything_else_counts(door, tmp_path):
    """Of random tables none is read wrong, and 95 of 100 are read right or ask about a column by its name."""
    found = Counter()
    shown = {}
    for number in range(EXAMPLES):
        kind, table = DOORS[door](random.Random(f"{door} {number}"), tmp_path)  # noqa: S311 - no secret
        found[kind] += 1
        shown.setdefault(kind, (number, table))
    assert not found["wrong"], shown["wrong"]
    assert found["right"] + found["asked"] >= 0.95 * EXAMPLES, shown.get("refused")
