"""Metrics that differ from task to task, ``TASK=METRIC``: how they are asked for, and the one metric made of them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial

from metaeval.base.checks import refused
from metaeval.base.metric_names import quoted_name
from metaeval.base.names import count, first_few, natural_order
from metaeval.errors import UnknownNameError
from metaeval.io.benchmarks.parts import Part, Place

BY_TASK = "score"
"""What the metric is called that each task has its own for."""
_LONGEST_EXAMPLE = 200


def by_task(parts: Sequence[Part], metrics: Sequence[str]) -> tuple[list[Part], list[str]]:
    """Return the parts under a metric that is another one for each task, as ``TASK=METRIC`` says, and a note.

    In a task, ``*`` stands for any signs; a task that is named itself is none of those. Items of tasks that are not
    named are left out. Where no name of a task comes before "=", nothing is returned: the sign may be that of a
    parameter.

    Examples
    --------
    >>> part = Part(path="x", system="a", topics=["t/1"], values=[{"f1": 0.5, "em": 1.0}], place=lambda *_: (None, ""),
    ...             clusters=["t"])
    >>> by_task([part], ["t=f1"])[0][0].values
    [{'score': 0.5}]
    """
    tasks = {name for part in parts for name in part.clusters or ()}
    owners = [(_tasks_of(named, tasks), named) for named in metrics]
    metric_of: dict[str, str] = {}
    for task_metrics, _ in sorted(owners, key=lambda owner: len(owner[0]) > 1):
        metric_of = {**task_metrics, **metric_of}
    if not metric_of:
        _refuse_unknown_tasks(parts, metrics, tasks)
        return [], []
    if idle := [named for task_metrics, named in owners if not task_metrics]:
        rule = f"names one metric for each task (TASK=METRIC), or metrics for all; {idle[0]!r} names no task"
        raise refused("metrics", f"{rule} of {first_few(sorted(tasks))}", metrics)
    available: dict[str, set[str]] = {task: set() for task in tasks}
    made = []
    lower = set()
    for part in parts:
        of = part.clusters or [""] * len(part.topics)
        item_metrics = [metric_of.get(task, "") for task in of]
        for task, values in zip(of, part.values, strict=True):
            available.setdefault(task, set()).update(values)
        scores = [
            {BY_TASK: named.get(name)} if name else {} for named, name in zip(part.values, item_metrics, strict=True)
        ]
        errors = [{BY_TASK: of.get(name)} for of, name in zip(part.errors, item_metrics, strict=False)]
        lower |= {name.partition("(")[0] in part.lower for name in item_metrics if name}
        turned = frozenset({BY_TASK} if True in lower else ())
        stands = partial(_place_by_task, part.place, item_metrics)
        made.append(replace(part, values=scores, errors=errors, place=stands, lower=turned))
    for task, metric in metric_of.items():
        if metric not in available[task]:
            raise UnknownNameError(f"metric of {task}", metric, [quoted_name(name) for name in sorted(available[task])])
    if len(lower) > 1:
        rule = "names metrics where higher is better and others where lower is, which have no common mean"
        raise refused("metrics", rule, metrics)
    tasks_by: dict[str, list[str]] = {}
    for task in natural_order(metric_of):
        tasks_by.setdefault(metric_of[task], []).append(task)
    listed = [f"{metric} of {first_few(of)}" for metric, of in tasks_by.items()]
    left = len(tasks - set(metric_of))
    note = f"left out the items of {count(left, 'task')} without a metric among those asked for"
    return made, [f"{BY_TASK} is {'; '.join(listed)}", *([note] if left else [])]


def _refuse_unknown_tasks(parts: Sequence[Part], metrics: Sequence[str], tasks: Collection[str]) -> None:
    """Refuse ``TASK=METRIC`` of a metric that is there and a task that is not."""
    scored = {name for part in parts for values in part.values for name in values}
    for task, _, metric in (request.partition("=") for request in metrics if request not in scored):
        if tasks and metric in scored:
            raise UnknownNameError("task", task, natural_order(tasks))


def _tasks_of(asked: str, tasks: Collection[str]) -> dict[str, str]:
    """Return the metric of every task that ``TASK=METRIC`` means: of one of that name, else of those that fit it."""
    if exact := max((task for task in tasks if asked.startswith(f"{task}=")), key=len, default=""):
        return {exact: asked.removeprefix(f"{exact}=")}
    for position in [at for at, sign in enumerate(asked) if sign == "="]:
        fitting = [task for task in tasks if "*" in asked[:position] and fnmatchcase(task, asked[:position])]
        if fitting:
            return dict.fromkeys(fitting, asked[position + 1 :])
    return {}


def joined_names(asked: Sequence[str], known: Collection[str]) -> list[str]:
    """Return metrics as they are called here: ``exact_match,strict-match`` is exact_match(strict-match).

    Examples
    --------
    >>> joined_names(["t=em", "strict", "u=acc,none"], {"em(strict)", "acc"})
    ['t=em(strict)', 'u=acc']
    """
    names: list[str] = []
    for piece in [
        piece
        for request in asked
        for piece in ([request] if request in known or "(" in request else request.split(","))
    ]:
        name = names[-1].rpartition("=")[2] if names else ""
        if piece not in known and f"{name}({piece})" in known:
            names[-1] += f"({piece})"
        elif piece != "none" or "none" in known or name not in known:
            names.append(piece)
    return names


def _place_by_task(place: Place, said: Sequence[str], record: int, metric: str) -> tuple[int | None, str]:
    """Return where the task's own metric stands."""
    return place(record, said[record] if metric else "")


def example_of(parts: Sequence[Part], scored: Sequence[str]) -> str:
    """Return the first metric of every task as it is asked for, where it takes a line; all are of one direction."""
    first: dict[str, str] = {}
    lower = set[str]()
    for part in parts:
        for task, values in zip(part.clusters or (), part.values, strict=False):
            candidates = [name for name in values if name in scored]
            down = [name.partition("(")[0] in part.lower for name in candidates]
            if task not in first and candidates:
                first[task] = candidates[down.index(False)] if False in down else candidates[0]
                lower |= set() if False in down else {task}
    usable = {task: metric for task, metric in first.items() if task not in lower or len(lower) == len(first)}
    example = f"`metrics={[f'{task}={metric}' for task, metric in usable.items()]}`"
    return f", such as {example}" if usable and len(example) <= _LONGEST_EXAMPLE else ""
