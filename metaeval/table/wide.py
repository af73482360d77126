"""Wide tables of one metric, systems by topics or topics by systems: which axis is which.

What tells is tried in this order: the names of the axes (`rename_axis`), the names that the caller gives, labels
spelled like those of topics (301, q17) or of systems (run1, gpt-4), and an axis without labels. Where none of it tells,
the documented order holds, or the table is refused if there is none; so it is where labels alone would make many more
systems than topics, as columns q2 to q8 of quantised models do. What labels told and no other axis or size bears out
is noted, and so is every departure from a documented order.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

import pandas as pd

from metaeval.base.names import are_metrics, are_models, count, metric_evidence, shortened, topic_evidence
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.roles import SPLITS, part_of_word, role_of_name, word_of

type Names = Mapping[str, Sequence[str] | None]
"""The names that the caller gives along a dim; None for those not given."""

_MOST_NAMES = 1000
_OF_ONE_METRIC = frozenset({"p", "r", "f", "k", "easy", "hard"})
"""What is left of names of metrics of one system: rouge_1_p and rouge_1_r."""
_SURE = 2  # of `topic_evidence`
_YEARS = range(1950, 2040)
TALL = 5
"""So many times as many systems as topics are rarer than a table turned round."""
_BORNE_OUT = 2
"""With so many times as many topics as systems, numbered labels need nothing else that says they are topics."""


class Oriented(NamedTuple):
    """A wide table with topics in rows, and how it was found that it has them there."""

    table: pd.DataFrame
    systems_in: Literal["rows", "columns"]
    """Of the table as it was given."""
    told_by: str
    note: str = ""
    """Says how it was read and how it is turned, where that may be wrong."""


class Axis(NamedTuple):
    """An axis of a table, in words, and what says that its labels are systems."""

    where: str
    way: str


OF_FRAMES = {
    "rows": Axis("in rows", "frame.rename_axis('system')"),
    "columns": Axis("in columns", "frame.rename_axis(columns='system')"),
}
OF_MAPPINGS = {
    "rows": Axis("outermost", "pd.DataFrame(scores).rename_axis(columns='system')"),
    "columns": Axis("innermost", "pd.DataFrame(scores).rename_axis('system')"),
}


def refuse_names(names: Names) -> None:
    """Refuse names for what has names of its own."""
    if any(labels is not None for labels in names.values()):
        message = "`metrics`, `systems` and `topics` name the rows of a bare array; this table has names of its own"
        raise InvalidOptionError(message)


def topics_in_rows(
    table: pd.DataFrame, what: str, names: Names, *, otherwise: str | None, axes: Mapping[str, Axis] = OF_FRAMES
) -> Oriented:
    """Turn a wide table so that topics are in rows.

    `otherwise` is where systems are if nothing tells ("rows" or "columns"), None if that is refused; `what` names the
    table in messages, and `axes` its axes. Rows or columns without labels take the names given.
    """
    if table.index.nlevels > 1 or table.columns.nlevels > 1:
        raise ScoresError(f"{what} has several levels of names; give it topics in rows and systems in columns")
    if (told := _by_axes(table, what)) is not None:
        return _turned(table, told, "the names of its axes", names)
    if (told := _by_given(table, names)) is not None:
        return _turned(table, told, "the names given", names)
    bare = [is_unlabelled(axis) for axis in (table.index, table.columns)]
    if any(bare):
        told_by = "the documented order, since it has no names" if all(bare) else "their labels"
        oriented = _turned(table, (otherwise or "rows") if all(bare) else _beside_none(table, what), told_by, names)
        return oriented._replace(note=_note(oriented, what, axes)) if _more_systems(oriented) else oriented
    if (by_labels := _by_labels(table, names)) is not None:
        oriented, is_sure, is_borne_out = by_labels
        if is_sure or (otherwise is None and _more_systems(oriented) < TALL):
            is_plain = (is_borne_out if otherwise is None else oriented.systems_in == otherwise) and (
                not _more_systems(oriented)
            )
            return oriented if is_plain else oriented._replace(note=_note(oriented, what, axes))
    if otherwise is None:
        raise ScoresError(
            f"are the systems in the rows ({_shown(table.index)}) or in the columns ({_shown(table.columns)}) of "
            f"{what}? Nothing in their names tells for sure; name them: `as_scores(frame, systems=list(frame.index))` "
            "or `as_scores(frame, systems=list(frame.columns))`"
        )
    by_order = _turned(table, otherwise, "the documented order, since no name tells", names)
    return (
        by_order._replace(note=_note(by_order, what, axes))
        if by_labels or _more_systems(by_order) >= TALL
        else by_order
    )


def _more_systems(oriented: Oriented) -> float:
    """Return how many times as many systems as topics there are; 0 where there are not more."""
    n_topics, n_systems = oriented.table.shape
    return n_systems / max(n_topics, 1) if n_systems > n_topics else 0.0


def _note(oriented: Oriented, what: str, axes: Mapping[str, Axis]) -> str:
    """Say how a table was read, and what reads it the other way round."""
    n_topics, n_systems = oriented.table.shape
    systems, topics = _shown(oriented.table.columns), _shown(oriented.table.index)
    at, other = axes[oriented.systems_in], axes["columns" if oriented.systems_in == "rows" else "rows"]
    return (
        f"{what}: {count(n_systems, 'system')} {at.where} ({systems}), {count(n_topics, 'topic')} {other.where} "
        f"({topics}), by {oriented.told_by}; if those {other.where} are the systems, pass `{other.way}`"
    )


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
            axis for axis in (table.index, table.columns) if is_unlabelled(axis) and len(axis) == len(labels)
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


def _beside_none(table: pd.DataFrame, what: str) -> str:
    """Tell where one axis has labels and the other has none: the labels are those of systems."""
    if not is_unlabelled(table.index):
        return "rows"
    if len(table) and topic_evidence(table.columns) == _SURE:
        raise ScoresError(
            f"{what} has columns called like topics ({_shown(table.columns)}) and rows without names; name the "
            "systems: `as_scores(frame, systems=list(frame.columns))` if they are the columns, else table.index = [...]"
        )
    return "columns"


def _by_labels(table: pd.DataFrame, names: Names) -> tuple[Oriented, bool, bool] | None:
    """Tell by how labels are spelled, whether that is sure, and whether the other axis or many topics bear it out."""
    rows, columns = _evidence(table.index), _evidence(table.columns)
    if not min(table.shape) or not (surely_topics(columns, rows) or surely_topics(rows, columns)):
        return None
    systems_in = "rows" if surely_topics(columns, rows) else "columns"
    of_topics, of_systems = (columns, rows) if systems_in == "rows" else (rows, columns)
    oriented = _turned(table, systems_in, "their labels", names)
    n_topics, n_systems = oriented.table.shape
    told = of_systems < 0 and (of_topics == _SURE or _more_systems(oriented) < TALL)
    numbered = of_topics == _SURE and n_topics > n_systems
    return oriented, told or numbered, told or (numbered and n_topics >= _BORNE_OUT * n_systems)


def _evidence(axis: pd.Index) -> int:
    """Return `topic_evidence` of labels; models that people know are systems, and years may be anything."""
    names = _texts(axis)
    if are_models(names):
        return -1
    return 0 if all(name.isdecimal() and int(name) in _YEARS for name in names) else topic_evidence(axis)


def surely_topics(these: int, others: int) -> bool:
    """Say whether names are those of topics, by the evidence of `topic_evidence` for them and for the other axis."""
    return these == _SURE > others or these >= 0 > others


def _turned(table: pd.DataFrame, systems_in: str, told_by: str, names: Names) -> Oriented:
    made = table.T if systems_in == "rows" else table
    topics, systems = names.get("topic"), names.get("system")
    if topics is not None and is_unlabelled(made.index):
        made = made.set_axis(list(topics), axis="index")
    if systems is not None and is_unlabelled(made.columns):
        made = made.set_axis(list(systems), axis="columns")
    return Oriented(made, "rows" if systems_in == "rows" else "columns", told_by)


def is_unlabelled(axis: pd.Index) -> bool:
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


def grid_among(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return metric and system of the names, or of those but what is no score, that are all of some known metrics.

    Examples
    --------
    >>> len(grid_among(["a_ndcg", "b_ndcg", "a_err", "b_err"])), len(grid_among(["a_ap", "b_ap", "a_rr", "b_rr", "n"]))
    (4, 4)
    """
    grids = (systems_by_metrics(of) for of in (names, [name for name in names if not role_of_name(name)[0]]))
    return next(filter(are_surely_crossed, grids), {})
