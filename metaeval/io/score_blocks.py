"""One file of scores as a block: the reader for what it is, a table of any form, Parquet or NetCDF."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from metaeval.base.columns import MARKED_ERRORS
from metaeval.base.names import natural_order
from metaeval.base.notes import from_storable
from metaeval.base.unit import TOPIC, speaking_of, unit_of
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.around_tables import table_alone, without_spreads
from metaeval.io.benchmarks.nuggets import nugget_columns, read_nuggets
from metaeval.io.benchmarks.rows import read_four, read_record_frame
from metaeval.io.blocks import FileBlock, Form, OtherTableError, TableOptions, metric_note
from metaeval.io.by_values import columns_of_sheet, scores_of_columns
from metaeval.io.chosen_rows import NO_ROWS, chosen_rows
from metaeval.io.corpus_means import with_corpus_means
from metaeval.io.form_rows import rows_of_form
from metaeval.io.groups import arrival_within
from metaeval.io.headers import names_and_rows, refuse_two_levels
from metaeval.io.joined_items import (
    columns_to_join,
    joined_items,
    joined_levels,
    parts_to_join,
    wholes_of,
    with_higher_levels,
)
from metaeval.io.long_tables import RESULT_CELLS, read_long, read_results
from metaeval.io.means import noting, refuse_means
from metaeval.io.numpy_sheets import numpy_sheet
from metaeval.io.parquet_sheets import parquet_sheet
from metaeval.io.score_forms import find_form
from metaeval.io.sheets import Sheet, header_names, sheet_of, sheet_of_rows
from metaeval.io.sources import Source
from metaeval.io.stored import dataset_of_netcdf, notes_in, open_parquet
from metaeval.io.tracked_runs import refuse_tracked_runs
from metaeval.io.translation_rows import translation_rows
from metaeval.io.votes import refuse_votes
from metaeval.io.wide_tables import read_crossed, read_wide
from metaeval.table.array import ATTACHED, REPEAT
from metaeval.table.arrivals import Arrival
from metaeval.table.folds import Folds, folds_of, splits_of
from metaeval.table.offered_clusters import offered_clusters
from metaeval.table.other_tables import may_be_other, no_scores
from metaeval.table.roles import part_of_word, rises_by_name, unit_of_column
from metaeval.table.scores import as_scores
from metaeval.table.shared_measure import named_by_measure

_MOST_ROWS = 1000
"""Rows that tell what a table is."""


def read_block(content: bytes, source: Source, options: TableOptions) -> FileBlock:
    """Return what a file holds that is no benchmark's own: a table, Parquet or NetCDF."""
    for magic, reader in _BINARY_READERS.items():
        if content.startswith(magic):
            return reader(content, source, options)
    if options.form is None and not options.columns:
        refuse_votes(content, source.path)
    if (arrays := numpy_sheet(content, source.path)) is not None:
        return read_table(arrays, source, options)
    all_lines = sheet_of(content, source.path)
    if options.form is None and not options.columns and (translations := translation_rows(all_lines)) is not None:
        sheet, parts, note = translations
        with noting([note]):
            block = read_table(sheet, source, replace(options, header=None, columns=parts))
        return replace(block, notes=[note, *block.notes])
    sheet, notes = table_alone(all_lines)
    if options.form is None and not options.columns:
        refuse_tracked_runs(sheet)
        sheet, more = rows_of_form(sheet)
        options = replace(options, header=None) if more else options
        sheet, spreads = without_spreads(sheet)
        notes += more + spreads
    with noting(notes):
        block = read_table(sheet, source, options)
    return replace(block, notes=[*notes, *block.notes])


def read_table(sheet: Sheet, source: Source, options: TableOptions, order: Sequence[str] | None = None) -> FileBlock:
    """Return what a table holds, its topics in natural order, or in the one that the file was written in."""
    if options.where:
        selected, note = chosen_rows(sheet, options.where, options.chosen)
        with noting([note]):
            block = read_table(selected, source, replace(options, where={}), order)
        return replace(block, notes=[note, *block.notes])
    if options.cluster_levels:
        joined, higher_of = joined_levels(sheet, *options.cluster_levels)
        columns = {**options.columns, "cluster": options.cluster_levels[0]}
        return with_higher_levels(read_table(joined, source, replace(options, columns=columns), order), higher_of)
    if together := columns_to_join(sheet, options):
        named = [name for role, name in options.chosen.items() if role != "topic" and name in together]
        joined, called = joined_items(sheet, together, kept=named)
        block = _read_form(joined, source, replace(options, columns={**options.columns, "topic": called}), order)
        unit = next(filter(TOPIC.__ne__, map(unit_of_column, together)), block.unit)
        with speaking_of(unit):
            wholes = {together[0]: wholes_of(block.labels["topic"])} if "cluster" not in block.attached else {}
            offered = offered_clusters(wholes, block.labels["topic"])
        return replace(block, unit=unit, notes=[*block.notes, *offered])
    if nugget_columns(header_names(sheet.sample()[0])) is None and (pair := parts_to_join(sheet, options)):
        joined, called = joined_items(sheet, pair, kept=pair[:1])
        note = f"columns {pair[0]!r} and {pair[1]!r} name an item together, and items of one {pair[0]!r} are a cluster"
        with noting([note]):
            columns = {**options.columns, "topic": called, "cluster": pair[0]}
            block = _read_form(joined, source, replace(options, columns=columns), order)
        return replace(block, notes=[note, *block.notes], unit=unit_of_column(pair[0]))
    return _read_form(sheet, source, options, order)


_MARKED = (
    "a row is an error that an annotator marked (category, severity), as in MQM, and no score; add up weights of the "
    "errors by system and segment, as Google does: 25 for non-translation (and critical), 5 for other major ones, 0.1 "
    "for minor punctuation, 1 for other minor ones"
)
"""The weights are those of Freitag et al. (2021), with the files of wmt-mqm-human-evaluation."""


def _names_in(sheet: Sheet) -> list[str]:
    return list(map(str.casefold, header_names(sheet.sample()[0])))


def _added_up(sheet: Sheet) -> str:
    """Return the filter that does so, and takes the mean over annotators; none for cells that may be quoted."""
    place_of = {name: f"${at}" for at, name in enumerate(_names_in(sheet), start=1)}
    item = (f'{place_of["doc"]}"/"' if "doc" in place_of else "") + place_of["seg_id"]
    severity, category, rater = place_of["severity"], place_of["category"], place_of.get("rater", '""')
    return (
        rf""" (awk 'BEGIN{{FS=OFS="\t"}}NR>1{{sub(/\r$/,"");k={place_of["system"]} OFS {item};e=tolower({severity});"""
        rf"""c=tolower({category});n[k]+=!u[k,{rater}]++;s[k]+=e~/^crit/||c~/^non-tr/?25:e~/^maj/?5:"""
        r"""e~/^min/?c~/^fluency.punct/?.1:1:0}END{print "system","item","MQM";for(k in n)print k,s[k]/n[k]}')"""
    ) * (sheet.delimiter == "\t")


def _read_form(sheet: Sheet, source: Source, options: TableOptions, order: Sequence[str] | None) -> FileBlock:
    """Return what a table of chosen rows holds."""
    refuse_two_levels(sheet)
    if not options.columns and {*_names_in(sheet)} >= MARKED_ERRORS:
        raise sheet.error(_MARKED + _added_up(sheet))
    _refuse_other(sheet, options)
    form = options.form
    try:
        if options.form is None and not options.columns:
            told = read_nuggets(sheet, options) or _read_search(sheet, source, options)
            if told is not None:
                return told
        if options.credit:
            raise sheet.error("`credit` is for labels of nuggets (topic, system, nugget, label), and here are none")
        if options.form is None:
            refuse_means(sheet, options)
        form = form or find_form(sheet, options)
        if options.systems_in is not None and form != "wide":
            raise sheet.error(f"`systems_in` is about a wide table, and this is read as a {form} one; leave it out")
        block = _topics_in_order(_FORMS[form](sheet, source, options), order)
        block = with_corpus_means(_named_by_measure(block, sheet, source, options, form))
        dated = None if options.header is False else arrival_within(sheet, block.labels["topic"])
        return replace(block, read_as=block.read_as or _READ_AS[form], arrival=dated)
    except FileFormatError as error:
        free = options.form is None and options.header is None and not options.columns and form == "wide"
        if free and type(error) is FileFormatError:  # no means, and no board without topics
            _lead_by_values(sheet, str(error))
        raise
    except ScoresError as error:
        raise sheet.error(str(error)) from error


def _named_by_measure(block: FileBlock, sheet: Sheet, source: Source, options: TableOptions, form: Form) -> FileBlock:
    """Name a metric that no column names after the measure that names, the corner cell or a title hold.

    A wide table that somebody says to be one has systems, and no measures, in names of systems.
    """
    is_named = source.name is not None and block.labels["metric"] == [source.name]
    if not (block.called_as_file or is_named) or "higher_is_better" in block.attached:
        return block
    corner = sheet.sample()[0][0] if form == "wide" and options.header is not False else ""
    systems = [] if options.form == "wide" else block.labels["system"]
    metric, note = named_by_measure(source.own_name, systems, block.labels["topic"], corner=corner, titles=sheet.above)
    if not note:
        return block
    if is_named:
        if rises_by_name(metric) or not rises_by_name(source.own_name):
            return block
        notes = [*block.notes, f"lower is better under {source.own_name}: {note}"]
        return replace(block, attached={**block.attached, "higher_is_better": {source.own_name: False}}, notes=notes)
    notes = [told for told in block.notes if told not in metric_note(source)]
    return replace(block, labels=block.labels | {"metric": [metric]}, notes=[*notes, note], called_as_file=False)


def _refuse_other(sheet: Sheet, options: TableOptions) -> None:
    """Refuse a table beside an evaluation, whose rows are no scores of items."""
    names = header_names(sheet.sample()[0])
    if options.header is False or options.positions or len({*names}) < len(names) or not may_be_other(names):
        return
    rows = [cells for cells in islice(sheet.without_header().rows(), _MOST_ROWS) if len(cells) == len(names)]
    columns = {name: [cells[at].strip() for cells in rows] for at, name in enumerate(names)}
    is_open = not options.columns and options.form is None and options.duplicates == "error"
    is_bare = (
        sheet.has_lines and sheet.lines is None and b'"' not in sheet.content and sheet.delimiter in {",", ";", "\t"}
    )
    sign = sheet.delimiter if is_bare else ""
    if rows and (says := no_scores(columns, chosen=options.chosen, sign=sign, is_open=is_open)):
        raise sheet.error(says, of=OtherTableError)


def _lead_by_values(sheet: Sheet, error: str) -> None:
    """Refuse a table whose columns hold systems and items, each pair in one row, under names that do not say so."""
    cells = columns_of_sheet(sheet)
    is_open = not any(map(part_of_word, cells))
    again = [name for name, column in cells.items() if part_of_word(name) == "topic" and len({*column}) < len(column)]
    told = scores_of_columns(cells) if is_open or again else None
    if told is None:
        return
    columns = {{"item": "topic"}.get(role, role): name for role, name in told.columns.items()}
    if not is_open and any(part_of_word(name) not in {None, role} for role, name in columns.items()):
        return
    way = f"pass `columns={columns!r}`"
    if way not in error:
        also = f" in each of {told.columns[REPEAT]!r}" if REPEAT in told.columns else ""
        raise sheet.error(
            f"no name says so, and {told.columns['system']!r} holds names with one row each on all of "
            f"{told.columns['item']!r}{also}, as systems on items have; {way}"
        )


def _read_search(sheet: Sheet, source: Source, options: TableOptions) -> FileBlock | None:
    """Read ``cv_results_`` of scikit-learn that was written as a table; None for any other table."""
    if not splits_of(header_names(sheet.sample()[0])):
        return None
    names, rows, _ = names_and_rows(sheet)
    folds = folds_of({name: [cells[at].strip() for cells in rows] for at, name in enumerate(names)})
    return None if folds is None else read_folds(folds, source, options)


def read_folds(folds: Folds, source: Source, options: TableOptions) -> FileBlock:
    """Return the scores of the folds of a cross-validation."""
    rows = ((None, ["" if cell is None else str(cell) for cell in row]) for row in folds.rows)
    block = read_long(sheet_of_rows(source.path, ["system", "item", "metric", "score"], rows), source, options)
    return replace(block, notes=[folds.note, *block.notes], read_as=folds.read_as)


def _read_parquet(content: bytes, source: Source, options: TableOptions) -> FileBlock:
    """Read Parquet as the same rows in text, so that every rule is the same; columns of long tables as they are."""
    parquet = open_parquet(content, source.path)
    block = read_table(parquet_sheet(parquet, source.path), source, options, parquet.topics)
    return replace(block, earlier_notes=list(parquet.notes))


def _read_netcdf(content: bytes, source: Source, options: TableOptions) -> FileBlock:
    if options.where:
        raise FileFormatError(f"{NO_ROWS}, and NetCDF has none; leave it out", path=source.path)
    dataset = dataset_of_netcdf(content, source.path)
    names = [str(name) for name in dataset.data_vars]
    if not names:
        raise FileFormatError(
            "the NetCDF file holds no variable; it needs scores by system and topic", path=source.path
        )
    kept = dataset[names[0]].attrs
    earlier = notes_in(kept.pop("notes", "[]"))
    try:
        scores = as_scores(dataset[names[0]] if names == ["score"] else dataset, missing=options.missing)
    except (ScoresError, InvalidOptionError) as error:
        raise FileFormatError(f"no scores of metric x system x topic: {error}", path=source.path) from error
    labels = {str(dim): scores[dim].to_numpy().tolist() for dim in scores.dims}
    notes = scores.attrs.get("notes", []) if options.missing != "pairwise" else []  # said again of all files together
    return FileBlock(
        label=source.path,
        scores=scores.to_numpy(),
        labels=labels,
        unit=unit_of(scores),
        read_as="labelled array",
        notes=notes,
        earlier_notes=earlier,
        arrival=Arrival.of(from_storable(kept), labels["topic"]),
        attached={
            field: dict(zip(labels[dim], scores[field].to_numpy().tolist(), strict=True))
            for field, dim in ATTACHED.items()
            if field in scores.coords
        },
    )


def _refuse(what: str) -> Callable[[bytes, Source, TableOptions], FileBlock]:
    def refuse(_content: bytes, source: Source, _options: TableOptions) -> FileBlock:
        message = f"the file is {what}, which is not read; write it as CSV, Parquet or NetCDF 4"
        raise FileFormatError(message, path=source.path)

    return refuse


_BINARY_READERS: Mapping[bytes, Callable[[bytes, Source, TableOptions], FileBlock]] = {
    b"PAR1": _read_parquet,
    b"\x89HDF\r\n\x1a\n": _read_netcdf,
    b"CDF\x01": _refuse("NetCDF 3"),
    b"CDF\x02": _refuse("NetCDF 3"),
    b"ARROW1": _refuse("Feather (Arrow)"),
}


def _read_ir_measures(sheet: Sheet, source: Source, options: TableOptions) -> FileBlock:
    """Read topic, measure and value, or the same behind a run."""
    first = sheet.sample()[0]
    return (
        read_four(sheet, source, options, metric=2, topic=1)
        if len(first) == RESULT_CELLS + 1 and all(map(str.strip, first))
        else read_results(sheet, source, options, metric=1, topic=0)
    )


_FORMS: Mapping[Form, Callable[[Sheet, Source, TableOptions], FileBlock]] = {
    "wide": read_wide,
    "long": read_long,
    "trec_eval": partial(read_results, metric=0, topic=1),
    "ir_measures": _read_ir_measures,
    "tot": partial(read_four, metric=1, topic=2),
    "frame": read_record_frame,
    "crossed": read_crossed,
}


WIDE, BY_ROWS = "wide table, systems in columns", "wide table, systems in rows"
BY_FRAME = "results by item of one system a file"
_READ_AS: Mapping[Form, str] = {
    "wide": WIDE,
    "long": "long table",
    "trec_eval": "output of trec_eval -q",
    "ir_measures": "output of ir_measures",
    "tot": "rows of run, measure, topic and value",
    "frame": BY_FRAME,
}
"""What each form is called for people."""


def _topics_in_order(block: FileBlock, order: Sequence[str] | None) -> FileBlock:
    names = block.labels["topic"]
    wanted = list(order) if order is not None and sorted(order) == sorted(names) else natural_order(names)
    if wanted == names:
        return block
    index_of = {name: position for position, name in enumerate(names)}
    scores = block.scores[:, :, [index_of[name] for name in wanted]]
    return replace(block, scores=scores, labels=block.labels | {"topic": wanted})
