"""Tables of systems and items beside human scores: one file, or metrics and human scores in files of their own."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.checks import check_list
from metaeval.base.columns import ITEMS, JUDGES, first_called, of_people, underscored
from metaeval.base.conditions import texts_that_meet
from metaeval.base.names import count, first_double, first_few, is_number, metric_evidence, shortened
from metaeval.base.number_words import SCORE_GAPS, other_spelling
from metaeval.base.words import listed
from metaeval.errors import FileFormatError, MetaevalError
from metaeval.io.any_sheets import table_sheet
from metaeval.io.benchmarks.mt_metrics_eval import frame_of_pair, pair_of
from metaeval.io.blocks import BadCellError, rows_left_out
from metaeval.io.files import read_bytes
from metaeval.io.headers import columns_found, names_and_rows
from metaeval.io.sheets import Sheet
from metaeval.io.sources import list_sources, listed_paths
from metaeval.io.votes import refuse_votes
from metaeval.table.array import held_numbers, holds_numbers
from metaeval.table.plausibility import are_summaries
from metaeval.table.roles import OF_SETS, item_column, part_of_word, word_of


def read_items(  # noqa: PLR0913 - what is read, and how
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    system: str | None = None,
    item: str | Sequence[str] = (),
    where: Mapping[str, str] | None = None,
    metrics: Sequence[str] | None = None,
    set_column: str | None = None,
    cluster: str | None = None,
) -> pd.DataFrame:
    r"""Read scores of systems on items; several files are joined by system and item.

    Parameters
    ----------
    paths : path, or sequence of path
        Tables with a header, one row a system and item (or a system alone), a column a metric or human score; or the
        folder of a language pair of mt-metrics-eval.
    system : str, optional
        Column of systems; by default the first that is called as one.
    item : str or sequence of str
        Columns that name an item together; by default those that are called as one. In other files the columns may
        differ in case.
    where : mapping of str to str, optional
        Rows to keep: those with this text in this column, in the files that have it; of other files those of the same
        systems and items.
    metrics : sequence of str, optional
        Metrics of a folder of mt-metrics-eval to read beside those without a reference and with the first one (refA).
    set_column : str, optional
        Column of sets, in each of which a system and item may appear once.
    cluster : str, optional
        Column of clusters of items, which stays text as names of systems and items do.

    Returns
    -------
    pandas.DataFrame
        Every column; numbers as numbers, empty cells NaN. Rows that only some files have stay, with gaps.
        ``attrs["sources"]`` are the files, ``attrs["system"]`` and ``attrs["items"]`` the columns that name systems and
        items, ``attrs["notes"]`` what was left out.

    Raises
    ------
    FileFormatError
        If a column cannot be found, a system and item appear twice in one file (with the lines of both), two files hold
        the same column of scores, in one of them it holds text, one has columns of items and another none, or no
        system and item is in both.
    InvalidOptionError
        If no file is given, or one twice.

    See Also
    --------
    metaeval.questions.human.study.study_human
    metaeval.io.tables.read_scores

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = pathlib.Path(folder, "bleu.csv"), pathlib.Path(folder, "people.tsv")
    ...     _ = one.write_text("system,doc,BLEU\na,d1,0.3\nb,d1,0.2\n"), two.write_text("SYS\tDOC\tDA\na\td1\t80\n")
    ...     read_items([one, two])["DA"].tolist()
    [80.0, nan]
    """
    listed = listed_paths(paths, "paths")
    sources = list_sources([str(path) for path in listed], nested=True)
    pair = pair_of(sources)
    if pair is not None:
        return _of_pair(*pair, where or {}, metrics, (system, item))
    tables = [_read(source.path, where or {}, named=system is not None) for source in sources]
    tables = [
        _of_scores(table) if _holds_scores(table, several=len(tables) > 1, named=system is not None) else table
        for table in tables
    ]
    for column in where or {}:
        if not any(column in table.frame.columns for table in tables):
            raise _no_such_column(column, tables[0].frame, tables[0].label)
    first = tables[0]
    sets = () if set_column is None else (set_column,)
    keys = _keys(first.frame, system, item, sets, first.label)
    by_structure = (
        [] if item or len(keys) > 1 or sets else _items_by_structure(first.frame, keys[0], metrics or (), first.label)
    )
    keys = [*keys, *by_structure]
    items = keys[1 : len(keys) - len(sets)]
    summed: list[str] = []
    first = _without_summaries(first, items, summed)
    if len(keys) > 1 or len(tables) > 1:
        _refuse_repeated(first, keys)
    texts = [*keys, *([] if cluster is None else [cluster])]
    combined = _numbers(first, first.frame, texts, metrics).reset_index(drop=True)
    for table in tables[1:]:
        text, label = table.frame, table.label
        table_keys = _keys(text, system, item or _called_alike(text, items), sets, label)
        _refuse_other_keys(table_keys, keys, label, first.label)
        table = _without_summaries(table, table_keys[1 : len(items) + 1], summed)  # noqa: PLW2901 - no other is wanted
        text = table.frame
        _refuse_repeated(table, table_keys)
        numbers = _numbers(table, text.rename(columns=dict(zip(table_keys, keys, strict=True))), texts, metrics)
        combined = _joined(combined, numbers, keys, label, first.label)
    combined = _of_chosen_rows(combined, tables, where or {}, keys)
    since = "was taken for the items, since no system has one of its names twice"
    combined.attrs |= {"sources": [source.path for source in sources], "system": keys[0], "items": items}
    combined.attrs["chosen"] = [*(where or {})]
    titles = [title for table in tables for title in table.body.titles]
    by_values = [f"column {name!r} {since}" for name in by_structure]
    combined.attrs["notes"] = [
        *titles,
        *combined.attrs.get("notes", ()),
        *by_values,
        *rows_left_out(list(dict.fromkeys(summed))),
    ]
    return combined


def columns_of_items(frame: pd.DataFrame) -> tuple[str, list[str]]:
    """Return the columns of a table in memory that name systems and items, found as those of a file.

    The only column of words names systems, whatever it is called.

    Examples
    --------
    >>> columns_of_items(pd.DataFrame({"system": list("aabb"), "article": [1, 2, 1, 2], "human": [3, 4, 3, 5]}))
    ('system', ['article'])
    """
    texts = {str(name): cells for name, cells in frame.items() if not holds_numbers(cells)}
    words = [name for name, cells in texts.items() if held_numbers(cells) is None]
    alone = words if len(words) == 1 else [*texts]
    system, *named = _keys(frame, alone[0] if len(alone) == 1 else None, (), (), "the table")
    return system, named or _items_by_structure(frame, system, (), "the table")


def _items_by_structure(frame: pd.DataFrame, system: str, metrics: Collection[str], label: str) -> list[str]:
    """Return the one column that can name items where systems stand in several rows; none where it is not one."""
    if not frame[system].duplicated().any():
        return []
    columns = {str(name): frame[name].astype(str).tolist() for name in frame.columns}
    fitting = item_column(columns, system, [name for name in columns if name not in {system, *metrics}])
    if len(fitting) != 1:
        return []
    n_rows, n_names = frame[system].value_counts(), frame[fitting[0]].nunique()
    n_cells = len(n_rows) * n_names
    most_have_one = 2 * (n_rows == 1).sum() > len(n_rows)  # as of language pairs, in which one name may be two systems
    if 2 * len(frame) < n_cells or most_have_one or (n_names < _FEWEST and len(frame) < n_cells):
        first = str(frame[fitting[0]].iloc[0])
        raise FileFormatError(
            f"column {fitting[0]!r} parts the rows of systems that stand in several, and {len(n_rows)} systems under "
            f"{n_names} names of it have {len(frame)} rows of {n_cells}: choose one "
            f"(`where={ {fitting[0]: first}!r}`), or name the columns of items (`item`)",
            path=label,
        )
    return fitting


def _without_summaries(table: "_ItemTable", items: Sequence[str], summed: list[str]) -> "_ItemTable":
    """Leave out the rows that sum up the other items, as their name says, which is added to `summed`."""
    for name in items:
        different = [str(item) for item in dict.fromkeys(table.frame[name])]
        told = {item for item, sums_up in zip(different, are_summaries(different), strict=True) if sums_up}
        if len(told) == len(different):
            continue
        summed += sorted(told)
        table = table._replace(frame=table.frame[~table.frame[name].isin(told)])
    return table


def _of_chosen_rows(
    combined: pd.DataFrame, tables: Sequence["_ItemTable"], where: Mapping[str, str], keys: Sequence[str]
) -> pd.DataFrame:
    """Leave out the rows that stand only in files without a column by which rows of another were chosen."""
    chosen = combined[[*where]].notna().all(axis=1).to_numpy(dtype=bool)  # of rows that have one those chosen are left
    if chosen.all() or len(tables) == 1:
        return combined
    if not chosen.any():
        message = f"none of the chosen rows has a {' and '.join(keys)} of another file; both must write them alike"
        raise FileFormatError(message, path=tables[0].label)
    named = " and ".join(f"{column} {text}" for column, text in where.items())
    note = f"left out {count(int((~chosen).sum()), 'row')} of files that do not say {named}, and not in those that do"
    combined = combined[chosen].reset_index(drop=True)
    combined.attrs["notes"] = [*combined.attrs.get("notes", ()), note]
    return combined


def _called_alike(frame: pd.DataFrame, items: Sequence[str]) -> Sequence[str]:
    """Return the columns of items of another file: those of the same names, else the one that is called as items are.

    Examples
    --------
    >>> _called_alike(pd.DataFrame({"model": ["a", "b"], "doc_id": ["1", "1"], "DA": [1, 2]}), ["doc"])
    ['doc_id']
    """
    names = [str(name) for name in frame.columns]
    if len(items) != 1 or first_called(names, items, str, str.casefold, underscored) is not None:
        return items
    called = [name for role in ("item", "more") for name in names if underscored(name) in ITEMS[role]]
    return called if len(called) == 1 else items


def _keys(frame: pd.DataFrame, system: str | None, item: Sequence[str], sets: Sequence[str], label: str) -> list[str]:
    """Return the columns that name a row: of systems, of items, and of sets."""
    of_sets = [_one_of(frame, (name,), label, "sets (`set_column`)") for name in sets]
    of_systems = _one_of(frame, (system,) if system else ITEMS["system"], label, "systems (`system`)")
    return [of_systems, *_item_columns(frame, item, label, [of_systems, *of_sets]), *of_sets]


def _joined(combined: pd.DataFrame, numbers: pd.DataFrame, keys: Sequence[str], label: str, first: str) -> pd.DataFrame:
    """Join the scores of a further file, which must share names with the files before it, and no column of scores."""
    common = [str(column) for column in numbers.columns if column in combined.columns and column not in keys]
    again = [name for name in common if any(map(pd.api.types.is_numeric_dtype, (numbers[name], combined[name])))]
    if again:
        raise FileFormatError(f"column {again[0]!r} is in {first} too; rename one", path=label)
    joined = combined.merge(numbers.drop(columns=common), on=[*keys], how="outer")
    if len(joined) == len(combined) + len(numbers):
        examples = ", ".join(repr(shortened(frame[key].iloc[0])) for frame in (combined, numbers) for key in keys)
        message = f"no {' and '.join(keys)} of this file is in {first} (the first ones: {examples})"
        raise FileFormatError(f"{message}; both must write them alike", path=label)
    return joined


def _refuse_other_keys(keys: Sequence[str], of_first: Sequence[str], label: str, first: str) -> None:
    """Refuse a file whose rows are named by more or fewer columns than those of the first."""
    if len(keys) != len(of_first):
        message = f"there are columns of items ({', '.join(keys[1:])}), and {first} has none"
        raise FileFormatError(f"{message}; both need one row a system, or one a system and item", path=label)
    if (name := first_double(keys)) is not None:
        others = " and ".join(repr(of) for key, of in zip(keys, of_first, strict=True) if key == name)
        raise FileFormatError(f"column {name!r} stands for {others} of {first}; call them as there", path=label)


def _of_pair(
    root: Path,
    pair: str,
    where: Mapping[str, str],
    metrics: Sequence[str] | None,
    named: tuple[str | None, Sequence[str]],
) -> pd.DataFrame:
    frame, read = frame_of_pair(root, pair, metrics)
    for column, text in where.items():
        if column not in frame.columns:
            raise _no_such_column(column, frame, str(root))
        frame = frame[_meets(frame[column].astype(str), text)].reset_index(drop=True)  # keeps attrs
    system_column, *items = _keys(frame, *named, (), str(root))
    frame.attrs |= {"sources": read, "system": system_column, "items": items}
    return frame


def _no_such_column(column: str, frame: pd.DataFrame, label: str) -> FileFormatError:
    message = f"no table has a column {column!r} to choose rows by (`where`)"
    return FileFormatError(f"{message}; {columns_found(list(frame.columns))}", path=label)


def _refuse_repeated(table: "_ItemTable", keys: Sequence[str]) -> None:
    """Refuse a system and item that appear twice, which a join would multiply."""
    repeated = table.frame.duplicated(list(keys)).to_numpy(dtype=bool)
    if not repeated.any():
        return
    later = table.frame.iloc[int(np.argmax(repeated))]
    same = (table.frame[list(keys)] == later[list(keys)]).all(axis=1)
    earlier, again = same[same].index[:2]
    description = ", ".join(f"{key} {shortened(later[key])!r}" for key in keys)
    advice = _way_to_one_judge(table.frame, keys) or _way_to_one_set(table.frame, keys)
    raise table.body.error(
        f"{description} stands in line {table.body.row(int(earlier))[0]} already; {advice}", int(again)
    )


def _way_to_one_judge(frame: pd.DataFrame, keys: Sequence[str]) -> str:
    """Say how rows are read of which each judge gave one, "" where no column says so; judges make no items."""
    judges = [name for name in map(str, frame.columns) if underscored(name) in JUDGES and name not in keys]
    name = next((name for name in judges if not frame.duplicated([*keys, name]).any()), None)
    if name is None or len(keys) != 2:  # noqa: PLR2004 - of a system and an item
        return ""
    first, item = str(frame[name].iloc[0]).strip(), keys[1]
    return (
        f"{name!r} says who judged: choose one (`where={ {name: first}!r}`), or count the rows of all and draw each "
        f"{item} whole (`item={[item, name]!r}`, `cluster={item!r}`)"
    )


def _way_to_one_set(frame: pd.DataFrame, keys: Sequence[str]) -> str:
    """Say how rows are read that a column of words, such as of data sets, distinguishes, or any; sets make no items."""
    names = [name for name in map(str, frame.columns) if name not in keys]
    if len(keys) > 1:
        for name in sorted(names, key=lambda name: word_of(name) not in OF_SETS):
            texts = [*frame[name].unique()]
            are_words = 1 < len(texts) <= _MOST_SETS and not any(is_number(text) or not text for text in texts)
            if are_words and not frame.duplicated([*keys, name]).any():
                return (
                    f"{name!r} distinguishes such rows: choose one (`where={ {name: texts[0]}!r}`); under `tasks` each "
                    f"is a set (`set_column={name!r}`); only if it names an item and no data set, "
                    f"`item={[*keys[1:], name]!r}`"
                )
    return (
        "keep one row; if a column says which data set or aspect a row is of, choose one (`where`); under `tasks` "
        "each is a set (`set_column`); or name all columns that identify an item, by comma (`item`)"
    )


def _item_columns(frame: pd.DataFrame, asked: Sequence[str], label: str, taken: Sequence[str]) -> list[str]:
    """Return the columns that name an item; none in a table of one row a system, or where another is told by values.

    What is another in every row numbers the rows, where systems share the others.
    """
    if asked:
        names = check_list(asked, "item", ["item"])
        return [_one_of(frame, (name,), label, "items (`item`)") for name in names]
    free = [str(column) for column in frame.columns if str(column) not in taken]
    sure, more = ([name for name in free if underscored(name) in ITEMS[role]] for role in ("item", "more"))
    if not sure and not frame.duplicated(list(taken)).any():
        return []
    systems = frame[taken[0]].to_numpy()
    if (systems != systems[0]).any():
        of_rows = [name for name in sure if frame[name].nunique() == len(frame)]
        shared = [name for name in sure if name not in of_rows]
        if of_rows and (shared or more or _items_by_structure(frame, taken[0], (), label)):
            sure = shared
        if of_rows and not sure + more:
            return []
    for keys in (sure, [*sure, *more]):
        if keys and not frame.duplicated([*taken, *keys]).any():
            return keys
    return sure or more


def _one_of(frame: pd.DataFrame, words: Sequence[str], label: str, what: str) -> str:
    names = [str(column) for column in frame.columns]
    position = first_called(names, words, str, str.casefold, underscored)
    if position is not None:
        return names[position]
    raise FileFormatError(
        f"no column of {what} called {first_few(words, most=_SHOWN, between=' or ')}; {columns_found(names)}",
        path=label,
    )


_SHOWN, _FEWEST, _MOST_SETS = 15, 3, 50
_MENDED = frozenset({"comma", "commas", "per cent"})
"""Ways to write numbers that a filter mends in a whole file."""
_SLIPS = 0.05
"""Up to this share of cells that are no numbers, a column is one of scores."""


class _ItemTable(NamedTuple):
    """One file: its rows that were chosen, as text, each under its position in the file."""

    label: str
    frame: pd.DataFrame
    body: Sheet


def way_to_turn(names: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """Say how a table is turned whose rows are metrics and human scores, and whose columns are systems; "" for others.

    Examples
    --------
    >>> way_to_turn(["", "sys1", "sys2"], [["HUMAN", "80", "70"], ["BLEU", "31", "30"]], ",").partition(":")[0]
    "rows are 'HUMAN' and 'BLEU', and columns seem to be systems"
    """
    firsts = [cells[0].strip() for cells in rows] if len(rows) <= _MOST_SETS else []
    metrics = [name for name in firsts if not of_people(name)]
    if len(metrics) == len(firsts) or metric_evidence(metrics) <= 0:
        return ""
    told = f"rows are {listed(map(repr, firsts), most=3)}, and columns seem to be systems: write a row a system"
    if any(delimiter in cell for cells in (names, *rows) for cell in cells):
        return told
    sign = {"\t": r"\t"}.get(delimiter, delimiter)
    return (
        f"""{told} (awk 'BEGIN{{FS="{sign}"}}{{sub(/\\r$/,"")}}NR==1{{$1="system"}}"""
        """{for(i=1;i<=NF;i++)a[i]=a[i](NR>1?FS:"")$i}END{for(i=1;i in a;i++)print a[i]}')"""
    )


def _read(path: str, where: Mapping[str, str], *, named: bool) -> _ItemTable:
    content = read_bytes(path)
    refuse_votes(content, path)
    sheet = table_sheet(content, path)
    names, rows, body = names_and_rows(sheet)
    named = named or first_called(names, ITEMS["system"], str, str.casefold, underscored) is not None
    if way := "" if named else way_to_turn(names, rows, sheet.delimiter):
        raise sheet.error(way)
    # a column without a name is empty, or holds names of rows
    columns = {
        name: list(map(str.strip, cells)) for name, cells in zip(names, zip(*rows, strict=True), strict=True) if name
    }
    frame = pd.DataFrame(columns, dtype=object)
    for column, text in where.items():
        if column in frame.columns:
            frame = frame[_meets(frame[column], text)]
            if frame.empty:
                raise sheet.error(f"no row has {text!r} in column {column!r}")
    return _ItemTable(str(path), frame, body)


def _holds_scores(table: _ItemTable, *, several: bool, named: bool) -> bool:
    """Whether a file is a table of scores in another form: a row a score, or one of several with a column a system."""
    names = [str(name) for name in table.frame.columns]
    if {"metric", "score"} <= {*map(part_of_word, names)}:
        return True
    return several and not named and first_called(names, ITEMS["system"], str, str.casefold, underscored) is None


def _of_scores(table: _ItemTable) -> _ItemTable:
    """Return scores by metric, system and item as a row a system and item, a column a metric; others as they are."""
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads what this module is loaded by

    try:
        scores = read_scores(table.label, missing="pairwise")
    except MetaevalError:
        return table
    rows = scores.to_series().unstack("metric").dropna(how="all")  # noqa: PD010 - gaps stay gaps
    frame = rows.rename_axis(["system", "item"]).reset_index() if rows.index.names == ["system", "topic"] else None
    if frame is None:
        return table
    frame.columns.name = None
    return table._replace(frame=frame.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(object))


def _meets(cells: pd.Series, text: str) -> pd.Series:
    """Say which cells of a column meet a condition."""
    return cells.isin(texts_that_meet(str(cells.name), text, Counter(cells)))


def _numbers(
    table: _ItemTable, frame: pd.DataFrame, texts: Sequence[str], metrics: Sequence[str] | None
) -> pd.DataFrame:
    columns = {}
    for name in frame.columns:
        columns[name] = frame[name] if name in texts else _as_numbers(frame[name])
        if name not in texts and columns[name].dtype == object and (metrics is None or name in metrics):
            _refuse_a_slip(table, str(name), frame[name])
    return pd.DataFrame(columns)


def _refuse_a_slip(table: _ItemTable, name: str, cells: pd.Series) -> None:
    """Refuse a column of scores in which a few cells are no numbers, rather than leave the whole metric out.

    Refuse one as well of which most are written otherwise, as 0,5 and 50 %.
    """
    wrong = [text.casefold() not in SCORE_GAPS and not is_number(text) for text in cells]
    odd = [text for text, is_wrong in zip(cells, wrong, strict=True) if is_wrong]
    if (
        2 * len(odd) > len(cells)
        and {spelling.kind if (spelling := other_spelling(text)) else "" for text in odd} <= _MENDED
    ):
        rule = BadCellError(0, odd[0]).rule(table.body.delimiter, cells=cells)
        raise table.body.error(f"column {name!r}: {rule}", int(cells.index[wrong.index(True)]))
    if 0 < sum(wrong) <= _SLIPS * len(wrong):
        at = wrong.index(True)
        message = f"{name} {shortened(cells.iloc[at])!r} is not a number, as the other cells of this column are"
        way = "correct it, leave the cell empty, or name the metrics to compare (`metrics`)"
        raise table.body.error(f"{message}; {way}", int(cells.index[at]))


def _as_numbers(cells: pd.Series) -> pd.Series:
    """Turn a column into numbers where every cell is a number or a gap, and not all are gaps."""
    texts = cells.tolist()
    gaps = [text.casefold() in SCORE_GAPS for text in texts]
    if all(gaps) or not all(gap or is_number(text) for text, gap in zip(texts, gaps, strict=True)):
        return cells
    numbers = [np.nan if gap else float(text) for text, gap in zip(texts, gaps, strict=True)]
    return pd.Series(numbers, index=cells.index, dtype=np.float64)
