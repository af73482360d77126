"""The table that the campaign's program inex_eval prints, so that old and new figures can be laid side by side."""

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_kind
from metaeval.inex.measures import in_context as context
from metaeval.inex.measures import interpolated_precision as text
from metaeval.inex.measures.passage_lists import PassageLists, passage_lists
from metaeval.inex.passages import PassageCollection

InexTask = Literal["focused", "thorough", "relevant", "best", "t2i"]

_RECALL = (0.0, 0.01, 0.05, 0.1)
_RANKS = (1, 2, 3, 5, 10, 25, 50)
_MEANS = {"AiP": "MAiP", "AgP": "MAgP"}
_COMPAT = "inex_eval"

type _Values = dict[str, NDArray[np.float64]]


def inex_eval_table(
    collection: PassageCollection,
    *,
    task: InexTask = "focused",
    complete: bool = False,
    settings: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Return what inex_eval (version 3.1) prints for these runs.

    Parameters
    ----------
    collection : PassageCollection
    task : {"focused", "thorough", "relevant", "best", "t2i"}
        Its options ``-f``, ``-t``, ``-r``, ``-b`` and ``-i``.
    complete : bool
        Whether means are over all topics with highlighted text (``-c``), or as the program has it over those that the
        run answers. The answered topics differ from run to run, so compare runs with ``complete=True``, or better
        with the scores of `score`.
    settings : mapping of str to float, optional
        ``beta``, ``n`` or ``tol`` of the task, as in ``AgP``.

    Returns
    -------
    pandas.DataFrame
        ``system``, ``topic`` ("all" for means and sums), ``measure`` under the program's name, ``value``. Recall is
        sorted into bins as the program does. Topics without highlighted text are left out, where the program counts
        them 0 (focused) or prints no number (in context).

    Raises
    ------
    UnknownNameError
        For another task.
    InvalidOptionError
        If a run does what the task forbids.

    Examples
    --------
    >>> import pandas as pd
    >>> from metaeval.inex.assessments import Assessments, Submission
    >>> from metaeval.inex.passages import passage_collection
    >>> row = {"topic": "1", "document": "d1", "offset": 0, "length": 50}
    >>> judged = Assessments(
    ...     scale="passages", documents=pd.DataFrame([row | {"relevant_size": 50}]), passages=pd.DataFrame([row])
    ... )
    >>> run = Submission(run="a", results=pd.DataFrame([row | {"offset": 30, "length": 80}]))
    >>> table = inex_eval_table(passage_collection([run], judged)).set_index(["topic", "measure"])["value"]
    >>> table["1", "char_prec"].item(), table["all", "iP[0.10]"].item()
    (0.25, 0.25)
    """
    check_kind(collection, "collection", "PassageCollection")
    check_choice(task, "task", get_args(InexTask))
    lists = passage_lists(collection)
    flat = task in {"focused", "thorough"}
    counts = _counts(lists, task)
    values = _flat(lists, "refuse" if task == "focused" else "thorough") if flat else _grouped(lists, task, settings)
    curves = _curves(collection, task, settings)
    topics = np.array(collection.topics, dtype=object)
    judged = lists.n_documents > 0
    tables = []
    for row, system in enumerate(collection.systems):
        answered = collection.answered[row] & judged
        of_system = {name: table[row] for name, table in (counts | values).items()}
        parts = pd.DataFrame({"topic": topics, **of_system})[answered].melt("topic", var_name="measure")
        averaged = judged if complete else answered
        # The program counts what there is to find over all topics, but in flat tasks over the averaged ones.
        summed = {name: averaged if flat and name in {"num_rel", "rel_size"} else judged for name in counts}
        overall = {"num_q": float(averaged.sum())}
        overall |= {name: float(of_system[name][summed[name]].sum()) for name in counts}
        overall |= {_MEANS.get(name, name): _mean(of_system[name][averaged]) for name in values}
        overall |= {name: _mean(table[row][averaged]) for name, table in curves.items()}
        means = pd.DataFrame({"topic": "all", "measure": list(overall), "value": list(overall.values())})
        tables.append(pd.concat([parts, means], ignore_index=True).assign(system=system))
    return pd.concat(tables, ignore_index=True)[["system", "topic", "measure", "value"]]


def _counts(lists: PassageLists, task: str) -> _Values:
    shape = lists.lengths.shape
    recalled = text.article_recall(lists) * lists.n_documents
    sizes = np.zeros(shape), np.zeros(shape)
    if task != "best":  # entry points have no length
        read = lists.text_read("thorough" if task == "thorough" else "refuse")
        sums = np.concatenate([[0], np.cumsum(read.relevant)])
        sizes = read.total.astype(np.float64), np.diff(sums[lists.offsets]).reshape(shape).astype(np.float64)
    return {
        "num_ret": lists.n_articles.astype(np.float64),
        "num_rel": np.broadcast_to(lists.n_documents, shape).astype(np.float64),
        "num_rel_ret": np.rint(recalled),
        "ret_size": sizes[0],
        "rel_size": np.broadcast_to(lists.n_characters, shape).astype(np.float64),
        "rel_ret_size": sizes[1],
    }


def _flat(lists: PassageLists, overlap: str) -> _Values:
    values = {
        "art_prec": text.article_precision(lists),
        "art_rec": text.article_recall(lists),
        "art_f1": text.article_f1(lists),
        "char_prec": text.character_precision(lists, overlap=overlap),
        "char_rec": text.character_recall(lists, overlap=overlap),
        "char_f1": text.character_f1(lists, overlap=overlap),
    }
    for point in _RECALL:
        values[f"iP[{point:.2f}]"] = text.interpolated_precision(lists, k=point, overlap=overlap, compat=_COMPAT)
    values["AiP"] = text.average_interpolated_precision(lists, overlap=overlap, compat=_COMPAT)
    return values


def _grouped(lists: PassageLists, mode: str, settings: Mapping[str, float] | None) -> _Values:
    options: dict[str, float] = dict(settings or {})
    values: _Values = {}
    for rank in _RANKS:
        values[f"gP[{rank}]"] = context.generalised_precision(lists, k=rank, mode=mode, **options)  # type: ignore[arg-type]  # checked there
        values[f"gR[{rank}]"] = context.generalised_recall(lists, k=rank)
    values["AgP"] = context.average_generalised_precision(lists, mode=mode, **options)  # type: ignore[arg-type]  # as above
    return values


def _curves(collection: PassageCollection, task: str, settings: Mapping[str, float] | None) -> _Values:
    """Return precision at every recall point under the program's name, in the collection's order of topics."""
    if task in {"focused", "thorough"}:
        overlap = "refuse" if task == "focused" else "thorough"
        curves = text.interpolated_precision_curves(collection, overlap=overlap, compat=_COMPAT)
    else:
        options: dict[str, float] = dict(settings or {})
        curves = context.generalised_precision_curves(collection, mode=task, compat=_COMPAT, **options)  # type: ignore[arg-type]  # checked there
    table = curves.reindex(topic=list(collection.topics), fill_value=0.0)
    return {f"ircl_prn.{float(point):.2f}": table.sel(recall=point).to_numpy() for point in table["recall"]}


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else np.nan
