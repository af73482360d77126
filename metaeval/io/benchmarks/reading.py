"""Inputs sorted into tables and results of benchmarks; each is opened once, and told by its content."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.base.names import count, first_few, shortened
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.annotations import holds_tasks, rows_of_annotators
from metaeval.io.benchmarks.comparable import BenchmarkChoice, compare, one_way
from metaeval.io.benchmarks.contents import ZIP_MAGIC, Archive, Json, read_json
from metaeval.io.benchmarks.formats import FORMATS, Format, format_of, unread, unread_text
from metaeval.io.benchmarks.helm import STATS_FILE, with_run_files
from metaeval.io.benchmarks.inspect_ai import archived_log, is_archived_log
from metaeval.io.benchmarks.mt_metrics_eval import pair_of, read_pair
from metaeval.io.benchmarks.parts import File
from metaeval.io.benchmarks.records import block_of
from metaeval.io.benchmarks.rows import (
    holds_rows,
    records_of_lists,
    records_of_mappings,
    sheet_of_records,
    with_scores_inside,
)
from metaeval.io.benchmarks.wrapped import Wrapped, records_in_list, records_under
from metaeval.io.blocks import FileBlock, SpreadlessError, TableOptions
from metaeval.io.installed_formats import installed_format, sheet_of_format
from metaeval.io.means import MeansAloneError, noting
from metaeval.io.numpy_sheets import numpy_sheet
from metaeval.io.score_blocks import read_block, read_folds, read_table
from metaeval.io.sources import Source, read_source
from metaeval.io.unpacking import COMPRESSIONS
from metaeval.io.votes import VotesError
from metaeval.running.parallel import track
from metaeval.table.folds import folds_of
from metaeval.table.roles import part_of_word, rises_by_name
from metaeval.table.vote_columns import vote_columns


class Inputs(NamedTuple):
    """What was read."""

    blocks: list[FileBlock]
    paths: list[str]
    """The files that it came from."""
    chosen: bool = False
    """Whether the scores are those of the metrics asked for already."""


def read_inputs(sources: Sequence[Source], options: TableOptions, *, metrics: Sequence[str] | None = None) -> Inputs:
    """Read score tables, or the results of one benchmark.

    Of a folder that holds results of a benchmark, files that are none are left out, which is noted; results of two
    benchmarks, and a table that is named beside results, are refused.
    """
    pair = pair_of(sources)
    if pair is not None:
        BenchmarkChoice(options, _named("mt-metrics-eval"))  # it has nothing to choose, and says so
        return _read_pair(sources, *pair, options, metrics)
    blocks: list[tuple[Source, FileBlock]] = []
    files: list[tuple[Format, File[Json]]] = []
    unread: list[tuple[Source, FileFormatError]] = []
    boards: list[tuple[Source, MeansAloneError | SpreadlessError]] = []
    chosen = with_run_files(sources)
    for source in track(chosen, description="Reading scores"):
        try:
            parsed = read_source(source, _Parser(source, options).parsed)
        except _OtherError as other:
            if not source.listed:
                raise other.error from None
            unread.append((source, other.error.with_traceback(None)))
            continue
        except (MeansAloneError, SpreadlessError) as alone:
            boards.append((source, alone))
            continue
        if isinstance(parsed, FileBlock):
            blocks.append((source, parsed))
        else:
            files.append(parsed)
    if not files and unread:
        raise unread[0][1]
    if boards:
        raise _alone(boards, len(blocks) + len(files))
    if not files:
        return Inputs([block for _, block in blocks], [source.path for source, _ in blocks])
    inputs = _read_benchmark(files, blocks, unread, options, metrics)
    return _in_place(inputs, [source for source in sources if not source.listed and source not in chosen])


def _in_place(inputs: Inputs, others: Sequence[Source]) -> Inputs:
    """Note which files stood for the run that they are of."""
    if not others:
        return inputs
    names = first_few([Path(source.path).name for source in others])
    note = f"in place of {names} the scores by item of the same run are read ({STATS_FILE})"
    return inputs._replace(blocks=[replace(block, notes=[note, *block.notes]) for block in inputs.blocks])


def _alone(boards: Sequence[tuple[Source, MeansAloneError | SpreadlessError]], n_others: int) -> FileFormatError:
    """Return the error about means: of one board, of all files, or of the first beside other files."""
    (_, first), *others = boards
    if not others and not n_others:
        return first
    spreadless = [(source, error) for source, error in boards if isinstance(error, SpreadlessError)]
    if len(spreadless) == len(boards) and not n_others and all(error.means for _, error in spreadless):
        means = {system or source.own_name: of for source, error in spreadless for system, of in error.means.items()}
        return SpreadlessError.of_means(means, first_few([source.path for source, _ in boards]))
    if spreadless:
        return spreadless[0][1]
    two = shlex.join(str(board.path) for _, board in boards)
    compared = f"; two are compared by metaeval agree {two} --boards" if len(boards) == _PAIR and not n_others else ""
    message = (
        f"this is a board of means with standard errors beside {count(len(others) + n_others, 'more file')}, and is "
        f"read by itself{compared}; name it alone: metaeval leaderboard {shlex.quote(str(first.path))}"
    )
    return FileFormatError(message, path=first.path)


def read_content(source: Source, content: bytes, options: TableOptions) -> FileBlock:
    """Return the block of one file that was read already, a score table or a benchmark's; see `read_inputs`."""
    try:
        parsed = _Parser(source, options).parsed(content)
    except _OtherError as other:
        raise other.error from None
    if isinstance(parsed, FileBlock):
        return parsed
    return _read_benchmark([parsed], [], [], options, options.metrics).blocks[0]


_PAIR = 2
_RESULTS = frozenset({".eval", ".json", ".jsonl"})


def _packing(label: str) -> str:
    """Return the ending that says how a file is packed, if one does."""
    ending = Path(label.casefold()).suffix
    return ending if ending in COMPRESSIONS else ""


class _OtherError(Exception):
    """A file that is nothing that is read, as a README in a folder; damage to one that is ends the reading."""

    def __init__(self, error: FileFormatError) -> None:
        super().__init__()
        self.error = error


class _Parser(NamedTuple):
    source: Source
    options: TableOptions

    def parsed(self, content: bytes) -> "FileBlock | tuple[Format, File[Json]]":
        label = self.source.path
        if (plugin := installed_format(label)) is not None:
            options = replace(self.options, form=self.options.form or "long")
            block = read_table(sheet_of_format(plugin, content, label), self.source, options)
            return replace(block, read_as=f"{plugin.name} ({plugin.package})")
        if not content.strip() and Path(label.casefold().removesuffix(_packing(label))).suffix in _RESULTS:
            raise FileFormatError("the file is empty; write it again, or leave it out", path=label)
        if content.startswith(ZIP_MAGIC):
            return self._archived(content)
        json = read_json(content, label)
        if json is None:
            if not self.options.columns and (told := unread_text(content)):
                raise self._other(f"the file holds {told}")
            try:
                return read_block(content, self.source, self.options)
            except MeansAloneError:
                raise
            except FileFormatError as error:
                raise _OtherError(error) from error
        form = format_of(json)
        if form is not None:
            form.slim(json)
            return form, File(self.source, json)
        return self._table(json, content)

    def _archived(self, content: bytes) -> "FileBlock | tuple[Format, File[Json]]":
        """Return the arrays, or the log, in a zip archive."""
        label = self.source.path
        archive = Archive(content, label)
        if (arrays := numpy_sheet(content, label)) is not None:
            return read_table(arrays, self.source, self.options)
        if not is_archived_log(archive):
            if any(name.startswith(("xl/", "content.xml")) for name in archive.names):
                raise self._other("the file is a spreadsheet; save it as CSV, or as Parquet or NetCDF 4")
            raise self._other("the file is a zip archive and no log of inspect_ai; unpack it, and give what is in it")
        log = archived_log(archive)
        return _named("inspect_ai"), File(self.source, log)

    def _table(self, json: Json, content: bytes) -> FileBlock:
        """Return the scores of JSON that is a table in one of its forms."""
        if holds_tasks(json) or rows_of_annotators(json) is not None:
            raise self._other("these are labels by annotators, and no scores; metaeval judges compares annotators")
        if told := unread(json):
            raise self._other(f"the file holds {told}")
        try:
            folds = folds_of(json.object)
        except ScoresError as error:
            json.refuse(str(error))
        if folds is not None:
            return read_folds(folds, self.source, self.options)
        if (wrapped := records_under(json, chosen=bool(self.options.where))) is not None:
            return self._wrapped(wrapped, content)
        if json.object and all(isinstance(cells, list) for cells in json.object.values()):
            records = records_of_lists(json)
            block = self.rows(records, content)
            numbered = "topic" in records.first.keys() - json.object.keys()
            numbering_note = [f"no topic column, so topics are numbered 1 to {len(records.records)}"] * numbered
            return replace(block, numbered=numbered, notes=[*numbering_note, *block.notes])
        if (nested := records_of_mappings(json)) is not None:
            return self._wrapped(nested, content)
        if not holds_rows(json, self.options) and (listed := records_in_list(json)) is not None:
            return self._wrapped(listed, content)
        if not holds_rows(json, self.options):
            raise self._other(f"the file holds JSON of no form that is read; {_shape(json)}")
        return self.rows(json, content)

    def _wrapped(self, wrapped: Wrapped, content: bytes) -> FileBlock:
        columns = {**wrapped.columns, **self.options.columns}
        options = replace(self.options, columns=columns, form=self.options.form or wrapped.form)
        with noting(wrapped.notes):
            block = _Parser(self.source, options).rows(wrapped.records, content)
        told = {name: wrapped.better.get(name, rises_by_name(name)) for name in block.labels["metric"]}
        attached = {**block.attached, "higher_is_better": told} if wrapped.better else block.attached
        return replace(block, notes=[*wrapped.notes, *block.notes], attached=attached)

    def rows(self, json: Json, content: bytes) -> FileBlock:
        """Return the scores of records as those of the table that they are."""
        if not self.options.columns and vote_columns(json.first) is not None:
            raise _OtherError(VotesError(self.source.path, content))
        flat = with_scores_inside(json)
        alone = flat is not json and not any(part_of_word(name) == "system" for name in flat.first)
        asked = replace(self.options, form=self.options.form or ("frame" if alone else None))
        sheet, options = sheet_of_records(flat, asked)
        block = read_table(sheet, self.source, options)
        note = [f"left out names of words or objects ({first_few(sheet.left_out)})"] if sheet.left_out else []
        return replace(block, notes=[*note, *block.notes])

    def _other(self, message: str) -> _OtherError:
        return _OtherError(FileFormatError(message, path=self.source.path))


def _shape(json: Json) -> str:
    """Say what JSON holds, and what would do."""
    if str(json.object.get("schema")).startswith("metaeval/"):
        record = json.object.get("provenance", json.object)
        inputs = record.get("inputs") if isinstance(record, dict) else None
        files = first_few([shortened(name) for name in inputs]) if isinstance(inputs, dict) else ""
        return f"metaeval {json.object.get('command', '')} wrote it as its answer; read what it was made from: {files}"
    names = ", ".join(form.name for form in FORMATS if form.module)
    advice = "records need names of columns, such as run_id, topic_id, measure and value"
    names_found = first_few([repr(shortened(name)) for name in json.first])
    return f"{advice}; known are also results of {names} (names found: {names_found or 'none'})"


def _named(name: str) -> Format:
    return next(form for form in FORMATS if form.name == name)


def _read_benchmark(
    files: Sequence[tuple[Format, File[Any]]],
    blocks: Sequence[tuple[Source, FileBlock]],
    unread: Sequence[tuple[Source, FileFormatError]],
    options: TableOptions,
    metrics: Sequence[str] | None,
) -> Inputs:
    first, example = files[0]
    for form, file in files:
        if form.name != first.name:
            message = (
                f"this is a file of {form.name}, and {example.source.path} one of {first.name}; read one benchmark "
                "at a time"
            )
            raise FileFormatError(message, path=file.source.path)
    for source, _ in blocks:
        if not source.listed:
            message = f"this is a table, and {example.source.path} is a file of {first.name}; read them apart"
            raise FileFormatError(message, path=source.path)
    _refuse_columns(options, example.source.path, first.name)
    endings = {Path(file.source.path).suffix for _, file in files}
    for source, error in unread:
        if Path(source.path).suffix in endings and not Path(source.path).stat().st_size:
            raise error
    choice = BenchmarkChoice(options, first, metrics)
    parts, notes = first.reader([file for _, file in files], choice)
    notes = [*choice.notes, *notes, *compare(parts, choice)]
    out = [Path(source.path).name for source in (*(source for source, _ in blocks), *(s for s, _ in unread))]
    if out:
        notes.append(
            f"left out {count(len(out), 'file')} without results of {first.name}: {first_few(list(dict.fromkeys(out)))}"
        )
    label = example.source.path if len(files) == 1 else f"{example.source.path} and {len(files) - 1} more"
    block = block_of(parts, label, notes=notes, metrics=metrics, duplicates=options.duplicates)
    block = one_way(block, parts, first)
    return Inputs([_as_one(first.finished(block), first)], [file.source.path for _, file in files], chosen=True)


def _as_one(block: FileBlock, form: Format) -> FileBlock:
    """Return a block whose notes begin with the name of its benchmark and not with that of its first file."""
    return replace(block, label=form.name, read_as=f"results of {form.name}")


def _read_pair(
    sources: Sequence[Source], root: Path, pair: str, options: TableOptions, metrics: Sequence[str] | None
) -> Inputs:
    _refuse_columns(options, str(root), "mt-metrics-eval")
    for source in sources:
        if source.name is not None:
            message = f"a name ({source.name}=) is for one file, and this belongs to a folder; give the folder"
            raise FileFormatError(message, path=source.path)
    parts, notes, read = read_pair(root, pair, metrics)
    names = list(dict.fromkeys(name for part in parts for name in part.values[0]))
    chosen = metrics if metrics is not None else _of_metrics(names, root, pair)
    block = block_of(parts, str(root), notes=notes, metrics=chosen)
    return Inputs([_as_one(block, _named("mt-metrics-eval"))], read, chosen=True)


def _of_metrics(names: Sequence[str], root: Path, pair: str) -> list[str]:
    """Return the metrics without human scores, which only some segments have."""
    return [name for name in names if (root / "metric-scores" / pair / f"{name}.seg.score").exists()]


def _refuse_columns(options: TableOptions, path: str, name: str) -> None:
    columns = dict(options.columns) or None
    arguments = {"columns": columns, "header": options.header, "form": options.form, "systems_in": options.systems_in}
    passed = [f"`{option}={value!r}`" for option, value in arguments.items() if value is not None]
    if passed:
        message = f"{path} is a file of {name}, which says itself what is what; leave out {' and '.join(passed)}"
        raise InvalidOptionError(message)
