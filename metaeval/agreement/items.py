"""Scores of systems on items beside human scores of the same, with gaps and clusters: one table, and its parts.

Dims are metric, system and item; the human score is one of the metrics. A cell may be empty. Items may belong to
clusters (the sentences of a document), which are drawn together wherever something is resampled.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.summary_rows import without_summaries
from metaeval.agreement.system_frames import rows_of_systems, with_columns_of_index, with_numbers
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_kind
from metaeval.base.columns import FORMS, PEOPLE, are_judges, of_people, underscored
from metaeval.base.label_words import folded, grades_of
from metaeval.base.names import clean_names, count, first_few, metric_evidence, natural_order, shortened
from metaeval.base.number_words import SCORE_GAPS
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import difference, settle
from metaeval.running.parallel import in_one_order
from metaeval.table.derived import derived_columns
from metaeval.table.no_answers import codes_among, minus_ones
from metaeval.table.number_columns import left_out_columns, not_scores
from metaeval.table.roles import (
    COMPUTED,
    TWO_SIDED,
    RoleColumn,
    is_computed,
    is_turned,
    is_two_sided,
    ranges_of_scores,
    rises_by_name,
    role_of_name,
    word_of,
)
from metaeval.table.scores import Missing, Scores, as_scores, better_direction

_GRADED = 5
_NEARLY_EQUAL = 0.99
"""Pearson's r over systems and items from which a column may be the human score in another form."""
_EQUAL = 0.9999
"""The same over means of systems."""
_MANY = 10
"""Rows whose numbers follow one another by no accident."""
_PERSON = re.compile(r"_?(?:[0-9]+|(?<![^\W_])[a-z])\Z")
"""The number or letter of one of several people."""
_SHOWN = 10
_PER_CENT = 100.0
_DIRECT = ("z_scr", "raw_scr")
"""What direct assessments are called in files of WMT, the one to take first."""
FEWEST = 3
"""So few systems are needed for a correlation."""


def item_scores(  # noqa: PLR0913 - one keyword per column
    frame: object,
    *,
    reference: str,
    system: str = "system",
    item: str | Sequence[str] = "item",
    cluster: str | None = None,
    metrics: Sequence[str] | None = None,
    lower_is_better: Sequence[str] = (),
) -> xr.DataArray:
    """Convert a table with one row per system and item, and one column per metric.

    Parameters
    ----------
    frame : DataFrame, of pandas or any other library
        Names of systems and items may stand in levels of the index too.
    reference : str
        The column of human scores, or of words of one scale (poor, fair, good), which are graded in its order.
    system : str
        Column with the systems.
    item : str or sequence of str
        Column, or columns together, that name an item.
    cluster : str, optional
        Column that says which items belong together (sentences of a document); they are resampled together.
    metrics : sequence of str, optional
        Columns to compare with the reference; by default every other column of numbers.
    lower_is_better : sequence of str
        Metrics (or the reference) where less is better; those that are called so, such as TER or loss, are known, which
        is noted. Values stay as they are; whatever compares them turns them first, so that a metric that falls as
        people's scores rise agrees with them.

    Returns
    -------
    xarray.DataArray (metric, system, item)
        NaN where a cell is empty; ``reference`` in ``attrs``, and the coordinates ``higher_is_better`` on metric and
        ``cluster`` on item.

    Raises
    ------
    ScoresError
        If a column is not there or holds no numbers, a system, item or cluster is empty, a system and item appear
        twice, an item lies in two clusters, a value is infinite, or stands for no answer (99 beside 1 to 5).
    UnknownNameError
        If `lower_is_better` names what is not compared.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["a", "b"], "item": ["1", "1"], "human": [0.2, 0.9], "chrF": [0.5, 0.6]})
    >>> item_scores(frame, reference="human").sizes["metric"]
    2
    """
    items = [item] if isinstance(item, str) else list(item)
    metrics_given = metrics is not None
    keys = [system, *items, *([cluster] if cluster else [])]
    frame = with_numbers(with_columns_of_index(frame, "frame"), keys)
    frame = _graded(frame, [reference, *(metrics or ())])
    metrics, left = metric_columns(frame, keys, reference, metrics, said=lower_is_better)
    columns = list(dict.fromkeys([reference, *metrics]))
    check_direction(lower_is_better, columns)
    by_name = falling_by_name(frame, [name for name in columns if name not in lower_is_better], reference)
    falling = [*lower_is_better, *by_name]
    _refuse_empty(frame, [system, *items])
    notes = _notes(frame, [*keys, *columns], left, given=metrics_given)
    notes += notes_on_falling(frame, by_name, [name for name in columns if name not in falling])
    frame, told = without_summaries(frame, system, items, columns)
    _refuse_codes(frame, columns)
    told += [] if metrics_given else _notes_on_grades(frame, reference, metrics)
    told += [] if metrics_given else _notes_on_copies(frame, system, reference, metrics)
    item_names = _joined(frame, items)
    index = pd.MultiIndex.from_arrays([clean_names(frame[system], "system"), item_names], names=["system", "item"])
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        message = (
            f"system {twice[0]!r}, item {twice[1]!r} appears twice; keep one row, or name more columns with `item`"
        )
        raise ScoresError(message)
    systems = list(dict.fromkeys(index.get_level_values("system")))
    names = natural_order(index.get_level_values("item").unique())
    if len(systems) < 2:  # noqa: PLR2004 - a comparison takes two
        raise ScoresError(f"a comparison needs two systems, not {len(systems)}")
    values = np.full((len(columns), len(systems), len(names)), np.nan)
    rows = pd.Index(systems).get_indexer(index.get_level_values("system"))
    at = pd.Index(names).get_indexer(index.get_level_values("item"))
    values[:, rows, at] = frame[columns].to_numpy(dtype=np.float64).T
    if np.isinf(values).any():
        metric, row, column = np.argwhere(np.isinf(values))[0]
        message = f"{columns[metric]} of system {systems[row]!r}, item {names[column]!r} is infinite; repair the score"
        raise ScoresError(message)
    told += _notes_on_minus_ones(values, columns, systems, names)
    table = xr.DataArray(
        values,
        dims=("metric", "system", "item"),
        coords={
            "metric": columns,
            "system": systems,
            "item": names,
            "higher_is_better": ("metric", [name not in falling for name in columns]),
        },
        attrs={"reference": reference} | ({"notes": notes + told} if notes + told else {}),
        name="score",
    )
    return (
        table
        if cluster is None
        else table.assign_coords(cluster=("item", _clusters(frame[cluster], item_names, names)))
    )


def _notes_on_minus_ones(
    values: Floats, columns: Sequence[str], systems: Sequence[str], names: Sequence[str]
) -> list[str]:
    """Say where -1 stands among scores that are at least 0 otherwise."""
    notes = []
    for name, scores in zip(columns, values, strict=True):
        cells = [f"-1 ({systems[row]!r} on {names[at]!r})" for row, at in np.argwhere(minus_ones(scores)).tolist()]
        if cells:
            listed = first_few(cells, most=3)
            notes.append(f"-1 where all other scores under {name} are at least 0: {listed}; empty what is no score")
    return notes


def _graded(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return a table with grades in columns of these names that hold words of a scale, with a note on each."""
    graded, notes = frame, list[str]()
    for name in names:
        if name not in frame.columns or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        words = frame[name].map(lambda cell: "" if pd.isna(cell) else folded(str(cell)))
        grades = grades_of({word for word in words if word not in SCORE_GAPS})
        if len(grades) > 1:
            told = "; ".join(f"{word} {grade}" for word, grade in grades.items())
            notes.append(f"{name!r} holds words of a scale, graded in its order: {told}")
            gaps = dict.fromkeys(SCORE_GAPS, np.nan)
            graded = graded.assign(**{name: words.map(lambda word, of=gaps | grades: of[word]).astype(np.float64)})
    graded.attrs = frame.attrs | ({"notes": [*frame.attrs.get("notes", ()), *notes]} if notes else {})
    return graded


def _joined(frame: pd.DataFrame, items: Sequence[str]) -> pd.Series:
    """Return the name of the item of every row, of several columns with "::" between them."""
    parts = [clean_names(frame[name], "item") for name in items]
    joined = pd.Series(parts[0], index=frame.index)
    for more in parts[1:]:
        joined = joined + "::" + more
    if len(parts) > 1 and len({*zip(*parts, strict=True)}) > joined.nunique():
        raise ScoresError(f'two items would have one name: {", ".join(items)} are joined by "::", and a name holds it')
    return joined


def system_means(
    frame: object, *, reference: str, system: str = "system", metrics: Sequence[str] | None = None
) -> pd.DataFrame:
    """Convert a table with one row per system, without items.

    Parameters
    ----------
    frame : DataFrame, of pandas or any other library
        Names of systems may stand in the index too.
    reference : str
        The column of human scores, or of words of one scale (poor, fair, good), which are graded in its order.
    system : str
        Column with the systems.
    metrics : sequence of str, optional
        Columns to compare with the reference; by default every other column of numbers.

    Returns
    -------
    pandas.DataFrame
        Systems in rows, the reference and the metrics in columns; NaN where a cell is empty.

    Raises
    ------
    ScoresError
        If a column is not there or holds no numbers, a system is empty or appears twice, or a value is infinite.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["a", "b"], "human": [0.1, 0.2], "BLEU": [30.0, 31.0]})
    >>> system_means(frame, reference="human").columns.tolist()
    ['human', 'BLEU']
    """
    given = metrics is not None
    frame = with_numbers(with_columns_of_index(frame, "frame"), [system])
    frame = _graded(frame, [reference, *(metrics or ())])
    metrics, left = metric_columns(frame, [system], reference, metrics)
    columns = [reference, *metrics]
    _refuse_empty(frame, [system])
    notes = _notes(frame, [system, *columns], left, given=given)
    frame, told = without_summaries(frame, system, [], columns)
    _refuse_codes(frame, columns)
    if frame[system].duplicated().any():
        twice = frame.loc[frame[system].duplicated(), system].iloc[0]
        raise ScoresError(f"system {twice!r} appears twice; name the columns of items with `item`")
    named = frame.set_index(pd.Index(clean_names(frame[system], "system")))
    means = named[list(dict.fromkeys(columns))].astype(np.float64)
    told += [] if given else _notes_on_copies(frame, system, reference, metrics)
    if np.isinf(means.to_numpy()).any():
        row, column = np.argwhere(np.isinf(means.to_numpy()))[0]
        raise ScoresError(f"{means.columns[column]} of system {means.index[row]!r} is infinite; repair the score")
    means.attrs |= {"notes": notes + told} if notes + told else {}
    return means


def means_of_rows(data: object, argument: str, reference: str) -> pd.DataFrame:
    """Return a frame of one row a system under the names of the systems; several rows of one are an error."""
    frame, system, items = rows_of_systems(data, argument)
    if system is None:
        return frame
    if items or frame[system].duplicated().any():
        first = frame[system].value_counts(sort=False).index[0]
        n_rows = count(int((frame[system] == first).sum()), "row")
        raise ScoresError(
            f"`{argument}` needs one row a system, and {system} {shortened(first)!r} stands in {n_rows}; "
            "metaeval.study_human takes the same frame, and compares metrics by item too"
        )
    return system_means(frame, reference=reference, system=system)


def _notes(frame: pd.DataFrame, used: Sequence[str], told: Sequence[RoleColumn], *, given: bool) -> list[str]:
    """Name the columns that were not taken for metrics, after notes on reading and on those that were told."""
    left = [str(name) for name in frame.columns if name not in {*used, *(column.name for column in told)} and str(name)]
    numbers = [name for name in left if pd.api.types.is_numeric_dtype(frame[name])]
    parts = {
        "columns that do not hold numbers throughout": [name for name in left if name not in numbers],
        "columns of numbers that say nothing of systems": numbers,
    }
    parts = {"columns not named as metrics": left} if given else parts
    left_out = [f"{why}, left out: {first_few(names, most=_SHOWN)}" for why, names in parts.items() if names]
    return [*frame.attrs.get("notes", ()), *left_out_columns(told), *left_out]


def metric_columns(
    frame: pd.DataFrame,
    keys: Sequence[str],
    reference: str | None,
    metrics: Sequence[str] | None,
    said: Sequence[str] = (),
) -> tuple[list[str], list[RoleColumn]]:
    """Return the columns to compare with the reference, and those of numbers that are no scores.

    Every column named must be there; those `said` to have a direction are scores.
    """
    named = [] if reference is None else [reference]
    for name in [*keys, *named, *(metrics or [])]:
        if name not in frame.columns:
            there = first_few([*frame.columns], most=_SHOWN, write=shortened)
            raise ScoresError(f"there is no column {name!r}; columns: {there}")
    numeric = frame.select_dtypes("number").columns
    free = [str(name) for name in numeric if name not in (*keys, *named)]
    left: list[RoleColumn] = []
    if metrics is None:
        free = [name for name in free if not _says_nothing(frame, keys, name)]
        why_of = {name: _of_people(reference, name) for name in free if reference and name not in said}
        forms = [name for name, why in why_of.items() if why]
        forms = forms if len(forms) < len(free) else []  # people beside people alone are compared
        left = [RoleColumn(name, "repeat", why_of[name]) for name in forms]
        left_free = [name for name in free if name not in forms]
        left += _no_metrics(frame, left_free, [name for name in named if name in numeric], said)
    chosen = (
        [name for name in free if name not in {column.name for column in left}] if metrics is None else list(metrics)
    )
    chosen = [name for name in chosen if name not in named]
    if metrics and not chosen:
        raise ScoresError(f"`metrics` names the reference {reference!r} alone; name a metric to compare with it")
    if not chosen:
        raise ScoresError("there is no metric to compare with the reference: no other column holds numbers")
    for name in (*named, *chosen):
        if name not in numeric:
            message = f"column {name!r} does not hold numbers throughout; repair its cells, or name another column"
            raise ScoresError(message)
    return chosen, left


def _no_metrics(
    frame: pd.DataFrame, free: Sequence[str], named: Sequence[str], said: Sequence[str]
) -> list[RoleColumn]:
    """Return the columns of numbers that are no scores of systems; those that may be none are an error."""
    names = [*named, *free]
    values = frame[names].to_numpy(dtype=np.float64)
    values = np.where(np.isinf(values), np.nan, values)
    left = not_scores(names, values, along="cell", kept=[*named, *said])
    told = {column.name for column in left}
    rest = [at for at, name in enumerate(names) if name not in told]
    left += _in_other_units([names[at] for at in rest], values[:, rest], {*free} - {*said})
    unsure = [column for column in left if not column.sure]
    if unsure:
        doubts = first_few([f"{column.name!r} ({column.why}?)" for column in unsure], most=3)
        sure = [name for name in free if name not in {column.name for column in left}]
        way = f"name the metrics to compare (`metrics={sure!r}`; add those that are)" if sure else "rename what is one"
        way = way if "sources" in frame.attrs else "drop the columns that are none, or rename what is one"
        raise ScoresError(f"columns that may be no scores: {doubts}; {way}")
    for made in derived_columns(names, values, kept=free):  # the human score, of its raters
        raters = [name for name in made.of if name not in said and made.sure]
        left += [
            RoleColumn(name, "repeat", f"of which {made.name!r} is made ({made.how})", of=made.name) for name in raters
        ]
    told = {*(column.name for column in left), *said}
    return left + _of_reference(
        [name for name in free if name not in told], dict(zip(names, values.T, strict=True)), named
    )


def _of_reference(free: Sequence[str], values: Mapping[str, Floats], named: Sequence[str]) -> list[RoleColumn]:
    """Return the columns that hold the human score, and those numbered as they are."""
    same: dict[str, str] = {}
    for reference in named:
        for name in free:
            present = np.isfinite(values[name]) & np.isfinite(values[reference])
            human, score = values[reference][present], values[name][present]
            if present.sum() >= 2 * _MANY and len(np.unique(human)) >= _GRADED and (score == human).all():
                same[name] = f"the same numbers as {reference!r}"  # a judge may agree on few items, or on two answers
    stems = {stem for name in same if (stem := _stem_of_number(name))}
    others = [name for name in free if name not in same and _stem_of_number(name) in stems]
    same |= {name: f"called as {next(iter(same))!r}, which holds the human score" for name in others}
    return [RoleColumn(name, "repeat", why, of=named[0]) for name, why in same.items()]


def _stem_of_number(name: str) -> str:
    """Return the word before the number of a name, "" of any other: rater of rater_1."""
    numbered = re.fullmatch(r"(.*?[^\W\d_])_?[0-9]{1,2}", name)
    return "" if numbered is None else numbered[1].casefold()


def _is_form_of(reference: str, name: str) -> bool:
    """Whether a column is called as the human score, but for words that say how that is written.

    Examples
    --------
    >>> [_is_form_of("HUMAN", name) for name in ("HUMAN_RAW", "HUMAN.z", "HUMAN", "chrF", "human likeness")]
    [True, True, False, False, False]
    >>> _is_form_of("Z.SCR", "RAW.SCR"), _is_form_of("Mensch (z)", "Mensch (roh)")
    (True, True)
    """
    words, others = ({*re.split(r"[\W_]+", underscored(text))} - {""} for text in (reference, name))
    return bool(words & others) and words != others and words ^ others <= FORMS


def _of_people(reference: str, name: str) -> str:
    """Say what a column is that is called as the human score or as another person's; "" for a metric.

    Examples
    --------
    >>> [_of_people("human_A", name) for name in ("human_B", "human_A_z", "BLEU")]
    ["another person's score beside 'human_A'", "the human score 'human_A' in another form", '']
    >>> _of_people("human avg", "human2"), _of_people("avg", "BLEU")
    ("another person's score beside 'human avg'", '')
    """
    if _is_form_of(reference, name):
        return f"the human score {reference!r} in another form"
    mean = "_".join(word for word in underscored(reference).split("_") if word not in COMPUTED)
    stem, *others = {_PERSON.sub("", underscored(text)) for text in (mean or reference, name)}
    is_other = not others and (are_judges([stem]) or not PEOPLE.isdisjoint(stem.split("_")))
    return f"another person's score beside {reference!r}" if is_other else ""


def _notes_on_grades(frame: pd.DataFrame, reference: str, metrics: Sequence[str]) -> list[str]:
    """Say which columns hold grades as the human score does, where others hold none, as another aspect by people does.

    Examples
    --------
    >>> columns = {"adequacy": [1, 2, 3, 3], "fluency": [2, 2, 3, 1], "BLEU": [0.25, 0.5, 0.75, 0.5]}
    >>> _notes_on_grades(pd.DataFrame(columns), "adequacy", ["fluency", "BLEU"])[0].partition(";")[0]
    "fluency holds grades as 'adequacy' does, and counts as a metric"
    """
    levels = {name: np.unique(frame[name].dropna()) for name in (reference, *metrics)}
    graded = {
        name: numbers
        for name, numbers in levels.items()
        if 0 < len(numbers) <= _MANY + 1 and (numbers == np.rint(numbers)).all()
    }
    grades = graded.pop(reference, np.zeros(0))
    if len(grades) <= 2:  # noqa: PLR2004 - no and yes
        return []
    alike = [name for name, numbers in graded.items() if grades[0] <= numbers[0] and numbers[-1] <= grades[-1]]
    others = [name for name in metrics if name not in alike]
    if not alike or not others:
        return []
    verbs = ("hold", "count as metrics") if len(alike) > 1 else ("holds", "counts as a metric")
    told = f"{first_few(alike)} {verbs[0]} grades as {reference!r} does, and {verbs[1]}"
    return [f"{told}; if people gave them too, name the metrics alone (`metrics={others!r}`)"]


@in_one_order
def _notes_on_copies(frame: pd.DataFrame, system: str, reference: str, metrics: Sequence[str]) -> list[str]:
    """Say which columns hold the human score in another form: on every row the same up to a line, or very nearly.

    Means of few systems follow those of people closely under good metrics too, so that these have to be equal, and are
    not called as a metric is.

    Examples
    --------
    >>> names = {"system": list("abcdef"), "human": [1.0, 2, 3, 4, 5, 7], "chrF": [2.0, 4, 6, 8, 10, 14.1]}
    >>> frame = pd.DataFrame(names | {"said": [2.0, 4, 6, 8, 10, 14.1]})
    >>> _notes_on_copies(frame, "system", "human", ["chrF", "said"])[0].partition(":")[0]
    "'said' follows 'human' as another form of it does (r 1.000)"
    """
    if not metrics or not all(pd.api.types.is_numeric_dtype(frame[name]) for name in (reference, *metrics)):
        return []
    table = frame[[reference, *metrics]]
    are_means = not frame[system].duplicated().any()
    alike: dict[str, float] = {}
    for name in metrics:
        pair = table[[reference, name]].to_numpy(dtype=np.float64)
        pair = pair[np.isfinite(pair).all(axis=1)]
        if (are_means and metric_evidence([name])) or len(pair) <= _GRADED:
            continue
        r = abs(float(np.corrcoef(pair.T)[0, 1])) if min(len(np.unique(side)) for side in pair.T) > _GRADED else 0.0
        if r >= (_EQUAL if are_means else _NEARLY_EQUAL):
            alike[name] = r
    others = [name for name in metrics if name not in alike]
    way = f"if it is one, name the metrics alone (`metrics={others!r}`)" if others else "if it is one, leave it out"
    return [
        f"{name!r} follows {reference!r} as another form of it does (r {r:.3f}): {way}" for name, r in alike.items()
    ]


def columns_of_people(names: Sequence[str]) -> list[str]:
    """Return the columns that people filled, by their names: of several annotators the mean.

    Examples
    --------
    >>> columns_of_people(["system", "BLEU", "Humain (z)"]), columns_of_people(["chrF", "Rater 1", "Rater 2", "Avg"])
    (['Humain (z)'], ['Avg'])
    """
    direct = [name for word in _DIRECT for name in names if word_of(name) == word]
    direct += filter(of_people, names)
    judges = [name for name in names if are_judges([name])]
    means = [name for name in names if is_computed(name)]
    others = [name for name in names if metric_evidence([name]) and name not in (*judges, *means)]
    return direct or (means or judges if len(judges) > 1 and others else [])


def _in_other_units(names: Sequence[str], values: Floats, free: Collection[str]) -> list[RoleColumn]:
    """Return the columns of whole numbers that are far above all others, which may count something."""
    largest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    found = []
    for at, name in enumerate(names if free else ()):
        own, others = values[:, at], np.delete(largest, at)
        whole = (np.isnan(own) | (own == np.rint(own))).all()
        if name in free and whole and np.nanmax(own, initial=0.0) > max(_PER_CENT, 5 * others.max(initial=0.0)):
            found.append(RoleColumn(name, "n", f"whole numbers up to {np.nanmax(own):g}", sure=False))
    return found


def _says_nothing(frame: pd.DataFrame, keys: Sequence[str], name: str) -> bool:
    """Whether a column of numbers is not of systems: it counts rows, or has one number an item.

    Examples
    --------
    >>> names = {"system": list("abab"), "item": list("1122")}
    >>> frame = pd.DataFrame(names | {"length": [7, 7, 9, 9], "BLEU": [1, 2, 2, 1]})
    >>> [_says_nothing(frame, ["system", "item"], name) for name in ("length", "BLEU")]
    [True, False]
    """
    values = frame[name].to_numpy(dtype=np.float64)
    values = values[~np.isnan(values)]  # rows of averages have no number
    counts_rows = len(values) >= _MANY and bool((values[1:] == values[:-1] + 1.0).all() and values[0] < np.inf)
    if counts_rows or len(keys) == 1:
        return counts_rows
    different = frame.groupby(list(keys[1:]), sort=False)[name].nunique(dropna=False)
    return bool((different == 1).all()) and len(different) < len(frame) and len(np.unique(values)) > 1


def _refuse_codes(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse columns with numbers that stand for no answer, but for those whose rows were chosen by what they hold."""
    for name in columns:
        codes = codes_among(frame[name].to_numpy(dtype=np.float64))
        if codes.counts and name not in frame.attrs.get("chosen", ()):
            without = f"{codes.low:g}..{codes.high:g}"
            every = f"{min(codes.low, *codes.counts):g}..{max(codes.high, *codes.counts):g}"
            ways = f"`where={ {name: without}!r}` leaves these rows out, and `where={ {name: every}!r}` counts them"
            if "sources" not in frame.attrs:  # in memory
                ways = "set to NaN what is no answer"
            raise ScoresError(f"column {name!r} holds {codes.named}, as codes of no answer are; {ways}")


def _refuse_empty(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    for name in columns:
        empty = frame[name].isna() | (frame[name].astype(str).str.strip() == "")
        if empty.any():
            raise ScoresError(
                f"column {name!r} is empty in row {int(np.flatnonzero(empty)[0]) + 1}; every row needs a name there"
            )


def falling_by_name(frame: pd.DataFrame, columns: Iterable[str], reference: str) -> tuple[str, ...]:
    """Return the columns that are called as error rates, losses or costs, or people's ranks, where less is better.

    Numbers that are nearly all below 0 are such whose sign was reversed. Metrics may be called by ranks and be none,
    such as COMET-Rank.

    Examples
    --------
    >>> frame = pd.DataFrame({"errors": [3, 0], "rank": [1, 2], "TER": [-0.6, 0], "COMET-Rank": [0.5, 0.6]})
    >>> falling_by_name(frame, list(frame), "rank")
    ('errors', 'rank')
    """
    ranks = [reference] if role_of_name(reference)[0] == "rank" else []
    return tuple(
        name
        for name, (below, most) in _ranges(frame, columns).items()
        if (name in ranks or not rises_by_name(name, below, most)) and not is_turned(below)
    )


def _ranges(frame: pd.DataFrame, columns: Iterable[str]) -> dict[str, tuple[float, float]]:
    names = list(columns)
    numbers = [
        pd.to_numeric(frame[name], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan) for name in names
    ]
    return ranges_of_scores(names, np.array(numbers).reshape(len(names), len(frame)))


def notes_on_falling(frame: pd.DataFrame, falling: Sequence[str], others: Iterable[str]) -> list[str]:
    """Return what is said of columns taken for ones where less is better, and of others whose name does not tell."""
    unknown = [name for name, seen in _ranges(frame, others).items() if is_two_sided(name, *seen)]
    told = TWO_SIDED.format(first_few(unknown, write=repr))
    notes = [f"{told}; pass `lower_is_better={unknown!r}` if less is"] if unknown else []
    if not falling:
        return notes
    column = "the column" if len(falling) == 1 else "a column"
    return [f"lower is better under {first_few(falling, write=repr)}, by name; rename {column} if it is not", *notes]


def check_direction(lower_is_better: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse names that are not compared."""
    for name in lower_is_better:
        check_choice(name, "metric where less is better", columns)


def _clusters(column: pd.Series, place: pd.Series, names: Sequence[str]) -> NDArray[np.str_]:
    has_cluster = column.notna() & (column.astype(str).str.strip() != "")
    named = pd.DataFrame({"item": place[has_cluster], "cluster": clean_names(column[has_cluster], "cluster")})
    pairs = named.drop_duplicates()
    if len(bare := pd.Index(names).difference(pairs["item"].tolist())):
        raise ScoresError(f"item {bare[0]!r} lies in no cluster; fill in the column, or leave the clusters out")
    if pairs["item"].duplicated().any():
        split = pairs.loc[pairs["item"].duplicated(), "item"].iloc[0]
        raise ScoresError(f"item {split!r} lies in two clusters; a cluster holds whole items")
    return pairs.set_index("item")["cluster"].loc[list(names)].to_numpy().astype(str)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparedCells:
    """The cells of one metric that hold the human score too."""

    human: Floats
    metric: Floats
    """0 where a cell is empty. Shape (system, item)."""
    there: Flags
    """Shape (system, item)."""
    systems: Ints
    """Which systems of the table have any cell; the others are left out."""
    clusters: Ints
    """Which cluster every item belongs to. Shape (item,)."""
    n_clusters: int


def compared_cells(scores: xr.DataArray, metric: str, *, reference: str) -> ComparedCells:
    """Pick the cells that a comparison of one metric with the human scores rests on."""
    human, values = (scores.sel(metric=name).to_numpy() for name in (reference, metric))
    there = np.isfinite(human) & np.isfinite(values)
    systems = np.flatnonzero(there.any(axis=1))
    if len(systems) < FEWEST:
        few = scores.sizes["system"] < FEWEST
        way = "compare more systems" if few else f"leave {metric} out (`metrics`)"
        raise ScoresError(
            f"{metric} and {reference} are both known for {len(systems)} systems; a correlation needs {FEWEST}: {way}"
        )
    names = scores["cluster"].to_numpy() if "cluster" in scores.coords else np.arange(scores.sizes["item"])
    _, clusters = np.unique(names, return_inverse=True)
    there = there[systems]
    return ComparedCells(
        human=np.where(there, human[systems], 0.0),
        metric=np.where(there, values[systems], 0.0),
        there=there,
        systems=systems,
        clusters=clusters,
        n_clusters=int(clusters.max()) + 1,
    )


def oriented(scores: xr.DataArray) -> xr.DataArray:
    """Return the table turned so that higher is better everywhere, without the note of directions.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["a", "b"], "item": ["1", "1"], "human": [0.2, 0.9], "TER": [0.6, 0.5]})
    >>> oriented(item_scores(frame, reference="human", lower_is_better=["TER"])).sel(metric="TER").to_numpy().ravel()
    array([-0.6, -0.5])
    """
    if "higher_is_better" not in scores.coords:
        return scores
    sign = xr.DataArray(better_direction(scores), dims="metric")
    return (scores * sign).drop_vars("higher_is_better").assign_attrs(scores.attrs)


def in_content_order(scores: xr.DataArray, reference: str) -> xr.DataArray:
    """Return the table with systems and items in an order that only scores decide, and clusters as numbers.

    What is drawn falls then on the same systems and items whatever they are called and in whatever order they are read.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["b", "a"] * 2, "item": list("1122"), "human": [3, 1, 2, 0], "A": [1, 2, 4, 3]})
    >>> ordered = in_content_order(item_scores(frame, reference="human"), "human")
    >>> ordered["system"].to_numpy().tolist(), ordered["item"].to_numpy().tolist()
    (['a', 'b'], ['2', '1'])
    """
    table = scores.transpose("metric", "system", "item")
    ranks = np.array([_ranked_cells(values) for values in table.to_numpy()])
    human = [str(name) for name in table["metric"].to_numpy()].index(reference)
    others = np.delete(ranks, human, axis=0)
    orders = {}
    for dim, human_ranks, turned in (
        ("system", ranks[human].T, others.transpose(0, 2, 1)),
        ("item", ranks[human], others),
    ):
        keys = [np.sort(human_ranks, axis=0), np.sort(turned.reshape(-1, human_ranks.shape[1]), axis=0)]
        orders[dim] = np.lexsort(np.concatenate(keys)[::-1])
    ordered = table.isel(orders)
    if "cluster" not in ordered.coords:
        return ordered
    return ordered.assign_coords(cluster=("item", pd.factorize(ordered["cluster"].to_numpy())[0]))


def _ranked_cells(values: Floats) -> Ints:
    """Return which of the different values of a metric each cell has, the last where it has none."""
    observed = np.isfinite(values)
    ranks = np.full(values.shape, values.size)
    ranks[observed] = np.unique(settle(values[observed]), return_inverse=True)[1].ravel()
    return ranks


def reference_of(scores: xr.DataArray, reference: str | None) -> str:
    """Return the metric that holds the human scores: the one named, else what `item_scores` noted."""
    if not isinstance(scores, xr.DataArray) or {*scores.dims} != {"metric", "system", "item"}:
        received = (
            f"dimensions {', '.join(map(str, scores.dims))}" if isinstance(scores, xr.DataArray) else type(scores)
        )
        message = f"scores of items have dimensions metric, system, item, not {received}; make them with item_scores"
        raise ScoresError(message)
    name = reference if reference is not None else scores.attrs.get("reference")
    metrics = [str(label) for label in scores["metric"].to_numpy()]
    if name is None:
        raise InvalidOptionError(
            f"say which metric holds the human scores (`reference`); there are {', '.join(metrics)}"
        )
    check_choice(name, "reference among the metrics", metrics)
    return str(name)


def cluster_sums(cells: ComparedCells) -> tuple[Floats, Floats, Floats]:
    """Return the human sums, the metric sums and the numbers of cells, each (cluster, system)."""
    belongs = np.zeros((cells.n_clusters, len(cells.clusters)))
    belongs[cells.clusters, np.arange(len(cells.clusters))] = 1.0
    return belongs @ cells.human.T, belongs @ cells.metric.T, belongs @ cells.there.T.astype(np.float64)


def cluster_sizes(cells: ComparedCells) -> tuple[Floats, Floats]:
    """Return the sums of the absolute human and metric scores, each (cluster, system): the sizes of `cluster_sums`.

    What `metaeval.running.equality` asks for, to tell which sums and means of systems are equal up to rounding.
    """
    belongs = np.zeros((cells.n_clusters, len(cells.clusters)))
    belongs[cells.clusters, np.arange(len(cells.clusters))] = 1.0
    return belongs @ np.abs(cells.human).T, belongs @ np.abs(cells.metric).T


def mean_by_cluster(scores: xr.DataArray, *, missing: Missing = "error") -> Scores:
    r"""Convert items to `Scores` for tests, power and agreement, with clusters as units.

    Parameters
    ----------
    scores : DataArray (metric, system, item)
    missing : {"error", "zero", "drop-systems", "drop-topics"}
        As in `as_scores`; an item with a gap is dropped from all systems with "drop-topics".

    Returns
    -------
    Scores
        Topics are clusters (items, where there are none); a cluster's score is its sum times the number of clusters
        over the number of items, so that the mean over clusters is exactly the mean over items and tests on clusters
        are tests on that mean.

    Raises
    ------
    ScoresError
        For a gap, unless `missing` says what to do.

    Examples
    --------
    >>> names = {"system": list("aaabbb"), "item": list("123123"), "doc": list("xxyxxy")}
    >>> frame = pd.DataFrame(names | {"human": [1.0, 2, 6, 2, 2, 5], "BLEU": [0.1, 0.2, 0.6, 0.2, 0.2, 0.5]})
    >>> table = mean_by_cluster(item_scores(frame, reference="human", cluster="doc"))
    >>> table.sel(metric="human").mean("topic").to_numpy()
    array([3., 3.])
    """
    check_kind(scores, "scores", "DataArray")
    plain = as_scores(scores.rename(item="topic").drop_vars("cluster", errors="ignore"), missing=missing)
    if "cluster" not in scores.coords:
        return plain
    cluster = scores["cluster"].to_series().loc[plain["topic"].to_numpy()].to_numpy()
    names = natural_order(np.unique(cluster))
    belongs = (cluster[:, None] == np.array(names)).astype(np.float64) * (len(names) / len(cluster))
    sums, sizes = plain.to_numpy() @ belongs, np.abs(plain.to_numpy()) @ belongs
    sums = difference(sums, 0.0, sizes, 0.0)  # signed scores may cancel, and tie, only up to rounding
    summed = xr.DataArray(
        np.swapaxes(settle(np.swapaxes(sums, 1, 2), np.swapaxes(sizes, 1, 2)), 1, 2),
        dims=plain.dims,
        coords={
            "metric": plain["metric"].to_numpy(),
            "system": plain["system"].to_numpy(),
            "topic": names,
            "higher_is_better": ("metric", plain["higher_is_better"].to_numpy()),
        },
        attrs=plain.attrs,
    )
    return as_scores(summed)
