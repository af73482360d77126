"""The formats of results of benchmarks: how each is recognised, and what its fields mean."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from metaeval.io.benchmarks.contents import Json
    from metaeval.io.benchmarks.files import File
    from metaeval.io.benchmarks.records import Part


class Format(NamedTuple):
    """One format."""

    name: str
    """The program, as sentences call it."""
    files: str
    """What people give to metaeval."""
    told_by: str
    """What in the content tells it."""
    system: str
    item: str
    metric: str
    repeat: str = ""
    cluster: str = ""
    """What each of these is in it; "" for none."""
    rule: str = ""
    """What is settled by a rule, in one sentence."""
    checked: bool = True
    """Whether it was checked on files that its program made, and not on its documentation alone."""
    module: str = ""
    """The module beside this one that tells a JSON document of this format (``holds``) and takes files to parts and
    notes (``read``); "" where tables and folders are told elsewhere."""

    def holds(self, json: "Json") -> bool:
        """Whether a JSON document is in this format."""
        return bool(self.module) and bool(_module(self.module).holds(json))

    def slim(self, json: "Json") -> None:
        """Forget what no score needs."""
        if hasattr(_module(self.module), "slim"):
            _module(self.module).slim(json)

    def read(self, files: "Sequence[File[Json]]") -> "tuple[list[Part], list[str]]":
        """Return what the files hold, and notes."""
        parts, notes = _module(self.module).read(files)
        return parts, notes


@cache
def _module(name: str) -> Any:  # noqa: ANN401 - a module; commands print names of formats without loading readers
    return import_module(f"metaeval.io.benchmarks.{name}")


FORMATS: tuple[Format, ...] = (
    Format(
        name="MTEB",
        files="the folder `results/`",
        told_by="task_name and scores by split",
        system="model",
        item="task (subset, split)",
        metric="every number",
        repeat="experiment",
        cluster="task",
        rule="The model is the folder above the revision. For each task its newest revision is read (by date, then "
        "mteb_version), with the subsets and splits that all models of the task have.",
        module="mteb",
    ),
    Format(
        name="lm-evaluation-harness",
        files="the output folder with `samples_TASK_DATE.jsonl`",
        told_by="doc_id beside resps or doc_hash",
        system="folder",
        item="task/doc_id",
        metric="name, with its filter",
        cluster="task",
        rule="For each task the newest date is read. Every name in metrics is a metric, with its filter unless that "
        "is none. A doc_id with two values of doc_hash is an error.",
        checked=False,
        module="lm_eval",
    ),
    Format(
        name="inspect_ai",
        files="logs, `.eval` or `.json`",
        told_by="eval with task and model beside status; in a zip archive, its header",
        system="eval.model",
        item="sample id",
        metric="scorer, or scorer.name",
        repeat="epoch",
        cluster="task",
        rule="C counts 1, P 0.5, I and N 0. If there are several tasks, names of items contain the task. For each "
        "model and task the newest successful log is read.",
        module="inspect_ai",
    ),
    Format(
        name="HELM",
        files="the folder `runs/SUITE/` or a run in it",
        told_by="instance_id and stats, beside adapter_spec and scenario_spec",
        system="adapter_spec.model",
        item="instance_id, perturbation",
        metric="statistic",
        repeat="training trial",
        cluster="scenario",
        rule="The score is the statistic's mean; other files of a run are not opened.",
        checked=False,
        module="helm",
    ),
    Format(
        name="AlpacaEval",
        files="`annotations.json` of every model",
        told_by="instruction, generator_1, generator_2 and preference",
        system="generator_2",
        item="instruction",
        metric="preference, less 1",
        rule="All comparisons must have the same generator_1; with several annotators each is a metric.",
        checked=False,
        module="alpaca_eval",
    ),
    Format(
        name="mt-metrics-eval",
        files="the folder `metric-scores/PAIR/`, or the whole one if it has one pair",
        told_by="documents/, metric-scores/ and lines of system and score",
        system="system",
        item="segment",
        metric="metric with its reference",
        cluster="document",
        rule="Systems are those that every metric and people scored; human scores are read by `metaeval human`, or if "
        "named with `--metrics`.",
    ),
    Format(
        name="TREC AutoJudge",
        files="tot lines (run, measure, topic, value), four columns (run, topic, measure, value), or JSON lines",
        told_by="four columns without a header, or names such as run_id and topic_id",
        system="run",
        item="topic",
        metric="measure",
        rule="The topic all and measures with text values are left out; the order of columns is recognised by the "
        "column with all, by names, or by repeats, and must otherwise be given.",
    ),
    Format(
        name="ragas, DeepEval and the like",
        files="a frame (CSV, JSON lines) per system",
        told_by="columns such as user_input, response, actual_output",
        system="file",
        item="row, or the column that names it",
        metric="column of numbers",
        rule="Text columns are left out; every row must have the same question in all files.",
    ),
    Format(
        name="nuggetizer",
        files="`metrics.jsonl` of every run",
        told_by="qid beside vital_score, all_score and their strict forms",
        system="file",
        item="qid",
        metric="each score",
        rule="The line of all topics is left out.",
        checked=False,
    ),
    Format(
        name="JSON records",
        files="JSON lines, or a list of objects",
        told_by="column names of score tables",
        system="as in tables",
        item="as in tables",
        metric="as in tables",
        repeat="as in tables",
        cluster="as in tables",
        rule="Other fields with text or nested objects are left out.",
    ),
)
"""In the order in which they are told."""
BENCHMARKS = tuple(one.name for one in FORMATS)


def format_of(json: "Json") -> Format | None:
    """Return the format of a JSON document that is read as records of a benchmark; None for any other."""
    return next((one for one in FORMATS if one.holds(json)), None)


def format_table() -> list[dict[str, Any]]:
    """Return what the documentation says of the formats, a row each."""
    return [
        {
            "format": one.name,
            "files": one.files,
            "told by": one.told_by,
            "system": one.system,
            "item": one.item,
            "metric": one.metric,
            "repeat": one.repeat or "none",
            "cluster": one.cluster or "none",
            "rules": one.rule
            + ("" if one.checked else " Implemented from the documentation, without an example file."),
        }
        for one in FORMATS
    ]
