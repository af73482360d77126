"""Wide tables of one metric, systems by topics or topics by systems: which axis is which.

What tells is tried in this order: the names of the axes (`rename_axis`), the names that the caller gives, labels
spelled like those of topics (301, q17) or of systems (run1), and an axis without labels. Where none of it tells, the
documented order holds, or the table is refused if there is none.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

import pandas as pd

from metaeval.base.names import are_metrics, metric_evidence, shortened, topic_evidence
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.roles import SPLITS, part_of_word, rises_by_name, role_of_name, word_of

type Names = Mapping[str, Sequence[str] | None]
"""The names that the caller gives along a dim; None for those not given."""

_MOST_NAMES = 1000
_OF_ONE_METRIC = frozenset({"p", "r", "f", "k", "easy", "hard"})
"""What is left of names of metrics of one system: rouge_1_p and rouge_1_r."""
_SURE = 2  # of `topic_evidence`


class Oriented(NamedTuple):
    """A wide table with topics in rows, and how it was found that it has them there."""

    table: pd.DataFrame
    systems_in: Literal["rows", "columns"]
    """Of the table as it was given."""
    told_by: str


def refuse_names(names: Names) -> None:
    """Refuse names for what has names of its own."""
    if any(labels is not None for labels in names.values()):
        message = "`metrics`, `systems` and `topics` name the rows of a bare array; this table has names of its own"
        raise InvalidOptionError(message)


def topics_in_rows(table: pd.DataFrame, what: str, names: Names, *, otherwise: str | None) -> Oriented:
    """Turn a wide table so that topics are in rows.

    `otherwise` is where systems are if nothing tells ("rows" or "columns"), None if that is refused; `what` names the
    table in messages. Rows or columns without labels take the names given.
    """
    if table.index.nlevels > 1 or table.columns.nlevels > 1:
        raise ScoresError(f"{what} has several levels of names; give it topics in rows and systems in columns")
    if (told := _by_axes(table, what)) is not None:
        return _turned(table, told, "the names of its axes", names)
    if (told := _by_given(table, names)) is not None:
        return _turned(table, told, "the names given", names)
    if (told := _by_labels(table, what)) is not None:
        return _turned(table, told, "their labels", names)
    if _unlabelled(table.index) and _unlabelled(table.columns):
        return _turned(table, otherwise or "rows", "the documented order, since it has no names", names)
    if otherwise is None:
        raise ScoresError(
            f"are the systems in the rows ({_shown(table.index)}) or in the columns ({_shown(table.columns)}) of "
            f"{what}? Nothing in their names tells; name them (`systems`): list(frame.index) or list(frame.columns)"
        )
    return _turned(table, otherwise, "the documented order, since no name tells", names)


def _by_axes(table: pd.DataFrame, what: str) -> str | None:
    index, columns = part_of_word(table.index.name), part_of_word(table.columns.name)
    if {index, columns} in ({"system"}, {"topic"}):
        raise ScoresError(f"{what} calls its rows and its columns {index}s; rename one (table.rename_axis)")
    if index == "system" or columns == "topic":
        return "rows"
    return "columns" if index == "topic" or columns == "system" else None


def _by_given(table: pd.DataFrame, names: Names) -> str | None:
    """Tell by the labels that the caller names, or by how many names there are."""
    systems_in = set()
    for dim, labels in names.items():
        if labels is None or dim == "metric":
            continue
        wanted = set(_texts(labels))
        matching = [axis for axis in (table.index, table.columns) if wanted == set(_texts(axis))]
        fitting = matching or [
            axis for axis in (table.index, table.columns) if _unlabelled(axis) and len(axis) == len(labels)
        ]
        if not fitting:
            sizes = f"rows ({_shown(table.index)}) nor the {len(table.columns)} columns ({_shown(table.columns)})"
            raise InvalidOptionError(
                f"`{dim}s` holds {len(labels)} names, which are neither those of the {len(table.index)} {sizes}"
            )
        if len(fitting) == 1:
            in_rows = fitting[0] is table.index
            systems_in.add("rows" if in_rows is (dim == "system") else "columns")
    if len(systems_in) > 1:
        raise InvalidOptionError("`systems` and `topics` name the same axis of the table; name one of each")
    return next(iter(systems_in), None)


def _by_labels(table: pd.DataFrame, what: str) -> str | None:
    rows, columns = (0 if _unlabelled(axis) else topic_evidence(axis) for axis in (table.index, table.columns))
    bare = [_unlabelled(axis) for axis in (table.index, table.columns)]
    if all(bare) or not min(table.shape):
        return None
    if surely_topics(columns, rows):
        if bare[0]:
            raise ScoresError(
                f"{what} has columns called like topics ({_shown(table.columns)}) and systems without names in its "
                "rows; name them (`systems=[...]`, or table.index = [...])"
            )
        return "rows"
    if surely_topics(rows, columns) or bare[0]:
        return "columns"
    return "rows" if bare[1] else None


def surely_topics(these: int, others: int) -> bool:
    """Say whether names are those of topics, by the evidence of `topic_evidence` for them and for the other axis."""
    return these == _SURE > others or these >= 0 > others


def _turned(table: pd.DataFrame, systems_in: str, told_by: str, names: Names) -> Oriented:
    made = table.T if systems_in == "rows" else table
    topics, systems = names.get("topic"), names.get("system")
    if topics is not None and _unlabelled(made.index):
        made = made.set_axis(list(topics), axis="index")
    if systems is not None and _unlabelled(made.columns):
        made = made.set_axis(list(systems), axis="columns")
    return Oriented(made, "rows" if systems_in == "rows" else "columns", told_by)


def _unlabelled(axis: pd.Index) -> bool:
    """Whether these are the numbers that pandas itself gives."""
    return isinstance(axis, pd.RangeIndex) and axis.start == 0 and axis.step == 1


def _texts(names: Iterable[object]) -> list[str]:
    return [str(name).strip() for name in names]


def _shown(axis: pd.Index) -> str:
    return ", ".join(shortened(name, 30) for name in axis[:3]) + ", …" * (len(axis) > 3)  # noqa: PLR2004 - as many as are shown


def systems_by_metrics(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return metric and system by name, where names are every one of some systems and every one of some metrics.

    One metric at least is a known one.

    Examples
    --------
    >>> systems_by_metrics(["A_AP", "A_nDCG", "B_AP", "B_nDCG"])["B_AP"]
    ('AP', 'B')
    >>> systems_by_metrics(["a_1_map", "a_1_ndcg_cut_10", "b_map", "b_ndcg_cut_10"])["a_1_ndcg_cut_10"]
    ('ndcg_cut_10', 'a_1')
    >>> systems_by_metrics(["A_1", "A_2", "B_1", "B_2"])
    {}
    """
    if not 1 < len(names) <= _MOST_NAMES:
        return {}
    every_name = {*names}
    fitting: list[tuple[int, int, dict[str, tuple[str, str]]]] = []
    for sign, ahead in product("_ .:/|-", (False, True)):
        parts = names[0].split(sign)
        for at in range(1, len(parts)):
            start, end = sign.join(parts[:at]) + sign, sign + sign.join(parts[at:])
            firsts = [name.removesuffix(end) for name in names if name.endswith(end)]
            seconds = [name.removeprefix(start) for name in names if name.startswith(start)]
            pairs = {
                first + sign + second: (first, second) if ahead else (second, first)
                for first, second in product(firsts, seconds)
            }
            metrics, systems = (seconds, firsts) if not ahead else (firsts, seconds)
            if min(len(metrics), len(systems)) > 1 and pairs.keys() == every_name and len(names) == len(every_name):
                surer = metric_evidence(metrics) - metric_evidence(systems)
                fitting += [(surer, len(metrics[0]), pairs)] if surer > 0 else []
    best = max(fitting, key=lambda fit: fit[:2], default=(0, 0, {}))[2]
    metrics, systems = (_unbracketed([best[name][at] for name in names if best]) for at in (0, 1))
    return dict(zip(names, zip(metrics, systems, strict=True), strict=True)) if best else {}


def _unbracketed(names: Sequence[str]) -> list[str]:
    """Return names without brackets around all of them, as those in AP (bm25)."""
    return [name[1:-1] for name in names] if all(name[:1] + name[-1:] in {"()", "[]"} for name in names) else [*names]


def are_surely_crossed(pairs: Mapping[str, tuple[str, str]]) -> bool:
    """Whether every name holds a known measure, and what is left is called as no measure, cutoff, split or statistic.

    Examples
    --------
    >>> [are_surely_crossed(dict(zip("wxyz", product(["AP", "RR"], rest)))) for rest in (["a", "b"], ["5", "10"], "PR")]
    [True, False, False]
    """
    metrics, systems = ({pair[at] for pair in pairs.values()} for at in (0, 1))
    words = {word_of(system) for system in systems}
    kinds = _OF_ONE_METRIC | SPLITS
    told = any(word in kinds or word.isdecimal() or role_of_name(word)[0] for word in words)
    return are_metrics(metrics) and not told and not metric_evidence(systems)


def name_a_grid(names: Iterable[str]) -> bool:
    """Whether names, but those of what is no score, are every one of some systems and of some known metrics."""
    return are_surely_crossed(systems_by_metrics([name for name in names if not role_of_name(name)[0]]))


def shared_measure(names: Sequence[str]) -> str:
    """Return the measure that all names of systems end, or begin, with; "" where there is none.

    Examples
    --------
    >>> shared_measure(["whisper_wer", "wav2vec_wer"]), shared_measure(["wer", "cer"]), shared_measure(["a_1", "b_1"])
    ('wer', '', '')
    """
    for sign, cut, at in product("_ .:/|-", (str.rpartition, str.partition), (0, 2)):
        parts = [cut(name, sign) for name in names]
        measures, systems = {part[at] for part in parts}, {part[2 - at] for part in parts}
        if len(measures) == 1 < len(systems) == len(names) and all(systems):
            (measure,) = measures
            if metric_evidence([measure]) == _SURE or not rises_by_name(measure):
                return measure
    return ""
