"""The formats of results of benchmarks, from formats.toml: how each is told, what its fields mean, what is not read."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from metaeval.io.benchmarks.contents import Json
    from metaeval.io.blocks import FileBlock


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
    written_by: str = ""
    """The program and version that wrote the files that the reader is tested on, where we ran it."""
    module: str = ""
    """The module beside this one that tells a JSON document of this format (``holds_MODULE``) and takes files to parts
    and notes (``parts_of_MODULE``); "" where tables and folders are told elsewhere."""
    compared: Mapping[str, str] = {}
    """What must be alike for scores to be comparable, and where it stands in a file
    (`metaeval.io.benchmarks.comparable.settings_in`); "" where the reader knows."""
    splits: Sequence[str] = ()
    """The splits that are read where a task has several: the first of these that it has."""
    lower: Collection[str] = ()
    """Metrics where a lower value of an item is better, as far as files do not say it."""
    undirected: Collection[str] = ()
    """Metrics of which nobody says which way is better."""

    def holds(self, json: "Json") -> bool:
        """Whether a JSON document is in this format."""
        return bool(self.module) and bool(self._function("holds")(json))

    def slim(self, json: "Json") -> None:
        """Forget what no score needs."""
        if (forget := self._function("slim")) is not None:
            forget(json)

    @property
    def reader(self) -> Any:  # noqa: ANN401 - a function
        """What takes files to parts and notes."""
        return self._function("parts_of")

    def _function(self, what: str) -> Any:  # noqa: ANN401 - a function of the module, if it has one for this
        return getattr(_module(self.module), f"{what}_{self.module}", None)

    def finished(self, block: "FileBlock") -> "FileBlock":
        """Return the block of all files, with what the format says of its metrics."""
        module = _module(self.module)
        done: FileBlock = module.finished(block) if hasattr(module, "finished") else block
        return done


@cache
def _module(name: str) -> Any:  # noqa: ANN401 - a module; commands print names of formats without loading readers
    return import_module(f"metaeval.io.benchmarks.{name}")


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FORMATS = tuple(Format(**one) for one in _TABLE["format"])
"""In the order in which they are told."""
BENCHMARKS = tuple(one.name for one in FORMATS)


_OF_REPORT, _AVERAGES = [b"precision", b"recall", b"f1-score", b"support"], (b"macro avg", b"weighted avg")


def format_of(json: "Json") -> Format | None:
    """Return the format of a JSON document that is read as records of a benchmark; None for any other."""
    return next((form for form in FORMATS if form.holds(json)), None)


def unread(json: "Json") -> str:
    """Return what a file is that no reader takes, and what to do; "" for any other.

    Examples
    --------
    >>> from metaeval.io.benchmarks.contents import Json
    >>> unread(Json("x", {"images": [], "annotations": [], "categories": []})).partition(",")[0]
    'boxes in pictures (COCO)'
    """
    first: Mapping[str, Any] = json.object or json.first
    says = next((row["says"] for row in _TABLE["unread"] if {*row["names"]} <= first.keys()), "")
    named = first.get("name")
    if isinstance(named, dict) and "name" in named and {"count", "mean", "stddev"} <= first.keys():
        says = "the means of one run of HELM; {by_item}"
    if "text" in first and _is_passage(first.get("label", first.get("labels"))):
        says = "an export of doccano with {passages}"
    return str(says).format(**_TABLE["ways"])


def unread_text(content: bytes) -> str:
    r"""Return the same of text that is no table of scores.

    Examples
    --------
    >>> report = b" precision recall f1-score support\n a .8 .7 .75 12\n macro avg .8 .7 .75 12"
    >>> unread_text(report).partition(" (")[0]
    'a report by class of one system'
    """
    first = content.lstrip().partition(b"\n")[0].replace(b",", b" ").split()
    is_report = first == _OF_REPORT and any(average in content for average in _AVERAGES)
    return str(_TABLE["ways"]["report"]) if is_report else ""


def _is_passage(labels: object) -> bool:
    """Whether labels begin with where a passage starts and ends."""
    first = labels[0] if isinstance(labels, list) and labels else None
    return isinstance(first, list) and all(isinstance(end, int) for end in first[:2])


def format_table() -> list[dict[str, Any]]:
    """Return what the documentation says of the formats, a row each."""
    return [
        {
            "format": form.name,
            **{name.replace("_", " "): getattr(form, name) for name in form._fields[1:6]},
            "repeat": form.repeat or "none",
            "cluster": form.cluster or "none",
            "rules": " ".join(filter(None, [form.rule, _compared_in(form), _tested_on(form)])),
        }
        for form in FORMATS
    ]


def _compared_in(one: Format) -> str:
    return f"Compared over all files: {', '.join(one.compared)}." if one.compared else ""


def _tested_on(one: Format) -> str:
    return f"Tested on files of {one.written_by}." if one.written_by else ""
