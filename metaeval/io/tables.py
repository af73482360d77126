"""Score tables in the forms people have them, into Scores and back.

A file is taken apart into a `FileBlock`: scores by metric, system and topic, NaN where it has none. The blocks of all
files are then put together by name, never by position. What a file leaves open (the metric of a wide table, the system
of ``trec_eval`` output) is its own name, or ``NAME=path``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pandas as pd
import xarray as xr

from metaeval.base.checks import check_choice, check_kind, check_list, check_paired, check_parquet, check_path, refused
from metaeval.base.metric_names import quoted_name
from metaeval.base.names import count, first_few
from metaeval.base.notes import as_stored
from metaeval.base.unit import unit_of
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.io.alignment import put_together, with_distinct_systems
from metaeval.io.benchmarks.nuggets import refuse_unknown_credit
from metaeval.io.benchmarks.reading import read_content, read_inputs
from metaeval.io.blocks import FileBlock, Form, SystemsIn, TableOptions, names_metric
from metaeval.io.duplicates import Duplicates
from metaeval.io.joined_items import means_by_levels
from metaeval.io.means import refuse_apart
from metaeval.io.score_blocks import WIDE, read_table
from metaeval.io.sheets import Sheet
from metaeval.io.sources import Source, list_sources
from metaeval.io.stored import netcdf_of, parquet_of
from metaeval.io.writing import write_bytes
from metaeval.table.array import DIMS, gaps_in
from metaeval.table.named_repeats import repeats_note, repeats_of_names
from metaeval.table.roles import SCORES, holds_error_measure, is_error_measure, ranges_of_scores, rises_by_name
from metaeval.table.scores import Missing, Scores, are_apart, as_scores, checked_scores, scores_to_long

if TYPE_CHECKING:
    from metaeval.collection.data_choice import DataChoice

_PARTS = (*SCORES, "ignore")
_LEVELS = 2
"""Of clusters."""
_COMPRESSED = frozenset({".gz", ".bz2", ".xz", ".zst"})


def read_scores(  # noqa: PLR0913 - what a table leaves open
    paths: str | Path | Iterable[str | Path] | Mapping[str, str | Path],
    *,
    form: Form | None = None,
    columns: Mapping[str, str | int | Sequence[str] | None] | None = None,
    systems_in: SystemsIn | None = None,
    repeats_in_names: bool = False,
    header: bool | None = None,
    missing: Missing = "error",
    duplicates: Duplicates = "error",
    higher_is_better: bool | Mapping[str, bool] | None = None,
    groups: Mapping[str, str] | None = None,
    metrics: Sequence[str] | None = None,
    credit: Mapping[str, float] | None = None,
    where: Mapping[str, str] | None = None,
    choice: "DataChoice | None" = None,
    paired: bool | None = False,
) -> Scores:
    r"""Read per-topic scores from one or several files, whatever their form, and align them by topic id and name.

    Parameters
    ----------
    paths : str, path, iterable of them, or mapping of str to path
        Files, ``NAME=path``, a mapping from name to path, ``-`` for standard input, or folders (every file in one and
        in its folders). Score tables, or results of one benchmark (`metaeval.io.benchmarks.formats`).
        ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` are unpacked. Several files are put together: metrics of the same
        systems, or systems under the same metrics.
    form : {"wide", "long", "trec_eval", "ir_measures", "tot", "frame", "crossed"}, optional
        By default found out from the content; see Notes.
    columns : mapping, optional
        Which column is which, where the header does not say: ``{"system": "team", "topic": "doc"}``. Parts are
        system, topic, metric, score, group, higher_is_better, repeat, cluster (two columns: the smaller clusters, and
        those that they are in; see `metaeval.table.structure.nested_clusters`), stratum, weight, and ignore (one column
        or a list). Whole numbers count columns from 1 and mean that there is no header: of topic, score and others
        in a long table, of topic or system alone in a wide one. Columns that name a topic together are given by comma,
        ``{"topic": "doc,seg_id"}``, and their names joined by "::". In a wide table ``{"topic": None}`` says that there
        is no topic column, and clusters and weights of topics are columns.
    systems_in : {"columns", "rows"}, optional
        Where a wide table has its systems; by default in columns, unless the first column is called system or run.
    repeats_in_names : bool, default False
        Whether systems whose names differ in their last number are repeats of one: gpt_trial0, gpt_trial1, and so on.
        Where all are called trial0, trial1 and so on, a file is of one system.
    header : bool, optional
        Whether the first line holds names; needed only where the names are numbers, or there are none.
    missing : {"error", "zero", "drop-systems", "drop-topics", "pairwise"}
        What to do where a system has no score on a topic (an empty cell, NA, NaN, or no row); see
        `metaeval.table.scores.as_scores`.
    duplicates : {"error", "first", "mean"}
        What to do where a file has several scores of a system on a topic under a metric: reject it, keep the first, or
        take the mean. Repeats that the table numbers (a column repeat) are none.
    higher_is_better : bool or mapping of str to bool, optional
        Direction of every metric, or of the metrics named.
    groups : mapping of str to str, optional
        Group of every system.
    metrics : sequence of str, optional
        Metrics to keep, in this order; of a benchmark whose tasks have metrics of their own, the items too are those
        that one of these scores.
    credit : mapping of str to float, optional
        What labels of nuggets count, such as ``{"partial": 1}``; by default support 1, partial support 0.5, others 0.
    where : mapping of str to str, optional
        Rows of tables to read: those with this text in this column, such as ``{"year": "2020"}``, or with such
        numbers, ``{"year": ">=2020", "length": "10..20"}``. Of results of a benchmark those with this setting, of all
        tasks or of one, such as ``{"split": "valid"}`` or ``{"arc/n-shot": "25"}``; ``*`` stands for any signs, and
        ``"*"`` alone reads what differs as it is.
    choice : DataChoice, optional
        Systems and topics to keep (`metaeval.choose_data`), before it is looked for gaps.
    paired : bool or None, default False
        Refuse more systems than can be compared with each other (10,000), as soon as their names are read. None: a
        single system is enough.

    Returns
    -------
    Scores
        ``attrs["notes"]`` lists what was assumed or left out, ``attrs["sources"]`` the files ("-" for
        standard input), ``attrs["read_as"]`` the form that they were taken for, and ``attrs["topic_word"]`` is "item"
        or "nugget" where a file calls its topics so (`metaeval.table.roles.unit_of_column`): reports then do too.

    Raises
    ------
    FileFormatError
        If a file cannot be understood; the message names file, line, rule, value and the way out.
    ScoresError
        If the files together have gaps, or fewer than two systems or topics.
    InvalidOptionError
        If an option is outside its rule.

    See Also
    --------
    metaeval.table.scores.as_scores
    metaeval.io.tables.write_scores

    Notes
    -----
    ============== ===================================================================================================
    form           what it looks like
    ============== ===================================================================================================
    wide           a header of systems and a row a topic, with or without a topic column; one metric, named after the
                   file, or after a measure that all systems, all topics, the corner cell or a title name
    long           columns for system, topic, metric and score in any order, under any of
                   `metaeval.table.roles.SCORES` (PyTerrier's ``perquery.csv`` is one); or for system and topic and one
                   column a metric; the file's name stands in for a system or metric that no column gives
    trec_eval      measure, topic, value, as ``trec_eval -q`` prints; averages, counts and texts are left out
    ir_measures    topic, measure, value, as ``ir_measures -q`` prints, or the same behind a column of runs
    tot            run, measure, topic, value without a header, as TREC AutoJudge writes them
    frame          a system a file, a row an item: columns of words (what was asked and answered) and a column a
                   metric, as ragas and DeepEval export them
    crossed        a wide table of several metrics: a column a system and metric, such as a_bleu, a_chrf, b_bleu, b_chrf
    ============== ===================================================================================================

    Long tables may be Parquet or JSON (a list of objects, or an object a line), and whatever `write_scores` wrote is
    read back; a checksum finds damage to it. Parquet and NetCDF of others are first tried in a process apart, since a
    damaged one can end the process that reads it. Numbers are read exactly as written; whole numbers beyond 2**53
    that would lose digits are refused. Topic ids stay text, so 01 and 1 are two topics, and names have at most 1,000
    characters.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "ap.csv")
    ...     _ = path.write_text("topic,bm25,lm\n301,0.25,0.5\n302,0.125,0")
    ...     scores = read_scores(path)
    >>> scores.sel(metric="ap", system="lm").to_numpy()
    array([0.5, 0. ])
    """
    metrics = None if metrics is None else [str(name) for name in check_list(metrics, "metrics", ["AP"])]
    if not isinstance(columns, Mapping | None):
        raise refused("columns", f"must map parts to columns, such as {{'system': 'team'}}, not {columns!r}", columns)
    if not isinstance(header, bool | None):
        raise refused("header", f"must be True, False or None, not {header!r}", header)
    if choice is not None:
        check_kind(choice, "choice", "DataChoice")
    options = checked_table_options(
        TableOptions(
            form=form,
            columns=dict(columns or {}),
            systems_in=systems_in,
            header=header,
            missing=missing,
            duplicates=duplicates,
            credit=dict(credit or {}),
            where=dict(where or {}),
            metrics=metrics,
            paired=bool(paired) and (choice is None or not choice.of_systems),
        )
    )
    inputs = read_inputs(list_sources(paths, nested=True), options, metrics=metrics)
    labels = {label for block in inputs.blocks for label in block.nugget_labels}
    refuse_unknown_credit(options.credit if labels else {}, labels)
    blocks = with_distinct_systems(inputs.blocks)
    array = put_together(blocks, missing)
    array = array if inputs.chosen else _of_metrics(array, metrics)
    array = repeats_of_names(array) if repeats_in_names else array
    array = array if choice is None else choice.of_scores(array)
    higher_is_better, turned = _rising_by_file(blocks, array, higher_is_better)
    said = [*repeats_note(array), *_note_on_files(blocks), *turned]
    array = array.assign_attrs(notes=[*array.attrs.get("notes", ()), *said])
    if paired:
        check_paired(array.sizes["system"])
    files = first_few([block.label for block in blocks])
    try:
        fewest = 1 if paired is None else 2
        if fewest > 1 and missing != "pairwise" and are_apart(gaps_in(array.to_numpy())):
            refuse_apart(as_scores(array, missing="pairwise", higher_is_better=higher_is_better), inputs.paths)
        scores = as_scores(array, missing=missing, higher_is_better=higher_is_better, groups=groups, fewest=fewest)
    except ScoresError as error:
        one_system = array.sizes["system"] == 1 and all(block.one_system for block in blocks)
        hint = (
            "; no column names systems, so each file counts as one: give the files of the others too"
            if one_system
            else ""
        )
        raise ScoresError(f"{files}: {error}{hint}") from error
    scores = means_by_levels(scores, blocks)
    scores.attrs["sources"] = inputs.paths
    if len(dated := {block.arrival for block in blocks}) == 1 and (arrival := dated.pop()) is not None:
        scores.attrs |= arrival.as_attributes()
    forms = first_few(list(dict.fromkeys(block.read_as for block in blocks)), between="; ")
    words = {"topic": unit_of(scores).topic}
    if any(block.numbered for block in blocks):
        scores.attrs["numbered"] = True
    scores.attrs["read_as"] = f"{forms}: {', '.join(count(scores.sizes[dim], words.get(dim, dim)) for dim in DIMS)}"
    return scores


def _rising_by_file(
    blocks: Sequence[FileBlock],
    array: xr.DataArray,
    asked: bool | Mapping[str, bool] | None,  # noqa: FBT001 - as asked
) -> tuple[bool | Mapping[str, bool] | None, list[str]]:
    """Return the directions asked for, and up where a word of a file's name alone, hallucination_eval, says down.

    A file called as an error measure and no more, wer or val_loss, holds that; one of a longer name, wer_de, is asked
    about.
    """
    told = asked if isinstance(asked, Mapping) else {}
    called = {block.labels["metric"][0] for block in blocks if block.called_as_file}
    names = [name for name in array["metric"].to_numpy().tolist() if name in called and name not in told]
    if isinstance(asked, bool):
        return asked, []
    if unclear := next(filter(holds_error_measure, names), ""):
        ways = " or ".join(f"`higher_is_better={ {unclear: rises} }`" for rises in (False, True))
        raise ScoresError(
            f"is lower better under {unclear!r}? Its file alone is called as a measure of errors, and no column is; "
            f"pass {ways}"
        )
    turned = [name for name in names if not rises_by_name(name) and not is_error_measure(name)]
    if not turned:
        return asked, []
    way = f"pass `higher_is_better={ {turned[0]: False} }` if it is not"
    note = f"higher is better under {first_few(turned)}: the name of a file alone turns no direction; {way}"
    return {**told, **dict.fromkeys(turned, True)}, [note]


def _note_on_files(blocks: Sequence[FileBlock]) -> list[str]:
    """Say that files of alike tables count as metrics, where neither their names nor those of the columns tell."""
    tables = [block for block in blocks if block.read_as == WIDE]
    metrics = [label for block in tables for label in block.labels["metric"]]
    alike = len({tuple(block.labels["system"]) for block in tables}) == 1
    if len(tables) < len(blocks) or len(blocks) == 1 or not alike or any(map(names_metric, metrics)):
        return []
    systems = first_few(tables[0].labels["system"])
    meant = "if each file is a system, and its columns are metrics, pass `form='long'`"
    return [f"each file counts as a metric, and its columns as systems ({systems}); {meant}"]


def scores_of(content: bytes, source: Source, options: TableOptions) -> Scores:
    """Return the scores of one file that was read already, of one topic or more; see `read_scores`."""
    return _scores_of_block(read_content(source, content, options), options.missing)


def scores_of_several(contents: Sequence[tuple[Source, bytes]], options: TableOptions) -> Scores:
    """Return the scores of files that were read already and hold different systems; see `read_scores`."""
    blocks, missing = [read_content(source, content, options) for source, content in contents], options.missing
    return means_by_levels(as_scores(put_together(blocks, missing), missing=missing, fewest=1), blocks)


def scores_of_sheet(sheet: Sheet, source: Source, options: TableOptions) -> Scores:
    """Return the scores of a table, of one topic or more; see `read_scores`."""
    return _scores_of_block(read_table(sheet, source, options), options.missing)


def _scores_of_block(block: FileBlock, missing: Missing) -> Scores:
    try:
        array = put_together([block], missing)
        rising, turned = _rising_by_file([block], array, None)
        array = array.assign_attrs(notes=[*array.attrs.get("notes", ()), *turned])
        scores = as_scores(array, missing=missing, fewest=1, higher_is_better=rising)
        return means_by_levels(scores, [block]).assign_attrs(read_as=block.read_as)
    except ScoresError as error:
        raise ScoresError(f"{block.label}: {error}") from error


def write_scores(scores: Scores, path: str | Path) -> Path:
    """Write scores in a form that `read_scores` reads back unchanged.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    path : str or path
        ``.nc`` (NetCDF 4: keeps the labels as they are), ``.parquet`` (compact; the extra ``parquet``), both with a
        checksum, ``.csv`` or ``.tsv`` (long; topics come back in natural order). A further ``.gz``, ``.bz2``, ``.xz``
        or ``.zst`` compresses.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    UnknownNameError
        For another ending.
    InvalidOptionError
        For Parquet where nothing can write it.
    FileFormatError
        If there is no such folder.

    See Also
    --------
    metaeval.io.tables.read_scores

    Examples
    --------
    >>> import tempfile
    >>> scores = as_scores([[0.1, 0.4], [0.2, 0.3]], metrics=["AP"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_scores(write_scores(scores, Path(folder, "scores.nc"))).equals(scores)
    True
    """
    check_path(path)
    scores = checked_scores(scores, missing="pairwise", fewest=1)
    endings = [suffix.casefold() for suffix in Path(path).suffixes]
    ending = next((suffix for suffix in reversed(endings) if suffix not in _COMPRESSED), "")
    if ending not in _WRITERS:
        raise UnknownNameError("file ending", ending or Path(path).name, _WRITERS)
    check_parquet(ending)
    return write_bytes(path, _WRITERS[ending](scores))


def checked_table_options(options: TableOptions) -> TableOptions:
    """Return options of which each is inside its rule."""
    for name, value, choices in (
        ("form", options.form, get_args(Form)),
        ("systems_in", options.systems_in, get_args(SystemsIn)),
        ("missing", options.missing, get_args(Missing)),
        ("duplicates", options.duplicates, get_args(Duplicates)),
    ):
        if value not in choices and not (value is None and name in {"form", "systems_in"}):
            raise UnknownNameError(name, str(value), choices)
    for role, column in options.columns.items():
        check_choice(role, "part of `columns`", _PARTS)
        listed = role in {"ignore", "cluster"} and not isinstance(column, str | int | None)
        listed = listed and isinstance(column, Iterable)
        known_kind = listed or (isinstance(column, str | int | None) and not isinstance(column, bool))
        if not known_kind or (isinstance(column, int) and column < 1):
            message = f"`columns={{{role!r}: {column!r}}}` must be a name, or a column's number counted from 1"
            raise InvalidOptionError(message)
        if column is None and role != "topic":
            message = f"`columns={{{role!r}: None}}` means nothing; only the topic column of a wide table can be absent"
            raise InvalidOptionError(message)
    levels = options.cluster_levels
    if levels and (len(set(levels)) != _LEVELS or not all(isinstance(column, str) for column in levels)):
        rule = f"has the names of two columns as cluster, the smaller clusters first, not {levels!r}"
        raise refused("columns", rule, levels)
    form = "wide" if options.counts_names_of_rows else "long"
    if options.positions and (options.form not in {None, form} or options.header or options.systems_in):
        message = (
            f"`columns` with these numbers is for a {form} table without a header; `form`, `header` or `systems_in` "
        )
        message += "says otherwise"
        raise InvalidOptionError(message)
    if options.where and (options.positions or options.header is False):
        raise InvalidOptionError("`where` names a column, and a table without a header has no names; leave it out")
    if options.positions and options.chosen:
        message = "`columns` holds both names and numbers; numbers are for files without a header, so use one kind"
        raise InvalidOptionError(message)
    return options


def _of_metrics(array: xr.DataArray, metrics: Sequence[str] | None) -> xr.DataArray:
    """Return the scores under the metrics asked for."""
    if metrics is None:
        return array
    available = array["metric"].to_numpy().tolist()
    for name in metrics:
        if name not in available:
            raise UnknownNameError("metric in the score table", name, [quoted_name(metric) for metric in available])
    return array.sel(metric=list(metrics))


def _as_parquet(scores: Scores) -> bytes:
    noted = {"topics": scores["topic"].to_numpy().tolist(), "notes": as_stored(scores.attrs.get("notes", []))}
    return parquet_of(_long_frame(scores), noted)


def _as_text(scores: Scores, *, separator: str) -> bytes:
    return _long_frame(scores).to_csv(sep=separator, index=False, lineterminator="\n").encode()


def _long_frame(scores: Scores) -> pd.DataFrame:
    """Return the long table, without directions where all are the usual one."""
    long = scores_to_long(scores)
    if (word := unit_of(scores).topic) in SCORES["topic"]:
        long = long.rename(columns={"topic": word})
    directions = zip(scores["metric"].to_numpy().tolist(), scores["higher_is_better"].to_numpy().tolist(), strict=True)
    ranges = ranges_of_scores(scores["metric"].to_numpy().tolist(), scores.to_numpy())
    usual = all(rising == rises_by_name(name, *ranges[name]) for name, rising in directions)
    return long.drop(columns="higher_is_better") if usual else long


_WRITERS: Mapping[str, Callable[[Scores], bytes]] = {
    ".nc": netcdf_of,
    ".parquet": _as_parquet,
    ".csv": partial(_as_text, separator=","),
    ".tsv": partial(_as_text, separator="\t"),
}
