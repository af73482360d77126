"""The one runner of all commands: read, ask the study, show its report.

A command declares its own options and returns the result of a study; what it reads and how its answer is shown come
from the groups of options that commands share (`READING` and `OUTPUT` in `metaeval.cli.options`).
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout, suppress
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from metaeval.base.disk import write_text
from metaeval.base.notes import reworded
from metaeval.cli.checks import by_comma
from metaeval.cli.messages import in_options
from metaeval.cli.option import flag
from metaeval.cli.option_rules import Commands
from metaeval.cli.options import DRAWING, OUTPUT, READING, WORKING
from metaeval.cli.settings import SETTINGS
from metaeval.cli.typer_inside import TyperCommand
from metaeval.errors import MetaevalError
from metaeval.tests_stat.catalogue import TESTS

if TYPE_CHECKING:
    from metaeval.cli.console import Session
    from metaeval.page.blocks import Writer
    from metaeval.page.report import Report

_FORMS: Mapping[str, tuple[str, Callable[["Report"], str]]] = {
    "as_latex": ("", lambda report: report.to_latex()),
    "as_markdown": ("Print the main table as Markdown.", lambda report: report.to_markdown()),
    "as_html": ("Print the main table as a piece of HTML.", lambda report: report.to_html_table()),
    "as_csv": ("Print the main table as CSV, numbers in full.", lambda report: report.to_csv()),
}
"""Options for the main table alone: what the help says, and what they print. The first one is every command's."""
_NAMES = list(_FORMS)
FORMS = {
    name: (
        Annotated[bool, flag(f"--{name[3:]}", words, panel="Output", excludes=" ".join(["as_json", *_NAMES[:place]]))],
        False,
    )
    for place, (name, (words, _)) in enumerate(_FORMS.items())
    if words
}
"""What commands whose answer is a table for other programs offer beside `OUTPUT`."""


def command(
    name: str,
    *,
    reads: str = "nothing",
    draws: bool = False,
    repeats: bool = False,
    forms: bool = False,
    **defaults: object,
) -> Callable[[Callable[..., Any]], TyperCommand]:
    """Make a command of a function that takes what was read and its own options, and returns the result of a study.

    A parameter may stand for several options: its annotation is then a dataclass with a field for each.
    """

    def decorate(ask: Callable[..., Any]) -> TyperCommand:
        own_parameters = list(inspect.signature(ask, eval_str=False).parameters.values())[1:]
        taken = {
            **READING[reads],
            **{name: option for parameter in own_parameters for name, option in _options_of(parameter).items()},
            **(DRAWING if draws else {}),
            **(WORKING if repeats else {}),
            **(FORMS if forms else {}),
            **OUTPUT,
        }
        kind = inspect.Parameter.KEYWORD_ONLY

        def run(**given: Any) -> None:  # noqa: ANN401 - any option's value
            own = {parameter.name: _value(parameter, given) for parameter in own_parameters}
            _run(ask, own, given["context"])

        run.__name__, run.__doc__ = ask.__name__, ask.__doc__
        parameters = [inspect.Parameter("context", kind, annotation=typer.Context)]
        for option, (annotation, default) in taken.items():
            chosen = defaults.get(option, default)
            parameters.append(inspect.Parameter(option, kind, annotation=annotation, default=chosen))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
        run.__annotations__ = {argument.name: argument.annotation for argument in parameters}
        app = Commands(add_completion=False)
        app.command(name)(run)
        made = typer.main.get_command(app)
        if not isinstance(made, TyperCommand):
            raise TypeError(f"{name} is no single command")
        return made

    return decorate


def _options_of(parameter: inspect.Parameter) -> dict[str, tuple[Any, object]]:
    """Return the options that a parameter of a command stands for: what typer must know of each, and its default."""
    if not is_dataclass(parameter.annotation):
        return {parameter.name: (parameter.annotation, parameter.default)}
    return {option.name: (option.type, option.default) for option in fields(parameter.annotation)}


def _value(parameter: inspect.Parameter, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any option's value
    kind = parameter.annotation
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: given[name] for name in _options_of(parameter)})
    return given[parameter.name]


def _as_asked(context: typer.Context, report: "Report") -> "Mapping[str, Writer]":
    """Return what writes down the question, to be asked again, where there is one."""
    from metaeval.cli.study_data import NO_STUDIES  # noqa: PLC0415 - for reports in a folder
    from metaeval.cli.study_file import STUDY_FILE, study_text  # noqa: PLC0415 - for reports in a folder

    if context.info_name in NO_STUDIES:
        return {}

    def write(place: Path) -> None:
        text = study_text(context, report.provenance, below=Path(context.params["out"]).resolve() / "data")
        write_text(place, text)

    return {STUDY_FILE: write}


def _run(ask: Callable[..., Any], own: Mapping[str, Any], context: typer.Context) -> None:
    """Read, ask, and show the answer as the options say."""
    from metaeval.cli.console import command_session  # noqa: PLC0415 - rich
    from metaeval.cli.reading import Loaded  # noqa: PLC0415 - rich

    params, out = context.params, sys.stdout
    index: Path | None = None
    unwritten: Exception | None = None
    tests = by_comma(str(params.get("test", "")), TESTS)
    quicker = "--test t takes seconds" if any(test in TESTS and TESTS[test].resampled for test in tests) else ""
    # what a plug-in prints is no answer: --json alone stands on standard output
    with redirect_stdout(sys.stderr), command_session(quiet=params["quiet"], quicker=quicker) as session:
        loaded = Loaded(context, session)
        with _workers(params):
            report = _asked(partial(ask, loaded, **own), params, out)
        if loaded.set_by_file:
            report = replace(report, notes=(context.meta[SETTINGS].note(), *report.notes))
        if params["out"] is not None:
            report = replace(report, warnings=tuple(session.warned())).extended(data=_as_asked(context, report))
            try:
                index = report.save(params["out"], overwrite=params["overwrite"], pdf=params["pdf"])
            except Exception as error:  # noqa: BLE001 - of any kind: raised again when what was computed has been shown
                unwritten = error
            else:
                loaded.saved()
    try:
        _show(replace(report, warnings=tuple(session.messages)), params, index, session)
    except OSError as error:
        unwritten = unwritten or error
    if unwritten is not None:  # what else was asked for is written all the same
        with suppress(MetaevalError, OSError):
            loaded.finish()
        raise unwritten
    loaded.finish()


def _asked(ask: Callable[[], Any], given: Mapping[str, Any], out: TextIO) -> "Report":
    """Ask, and return the report in the words of the command line; on its way to a page nothing computed is lost."""
    outcome = ask()
    try:
        report = replace(_report_of(outcome), **_own_words(given))
    except MetaevalError:
        raise
    except Exception:  # what nobody foresaw
        with redirect_stdout(out):
            _print_rows(outcome, as_json=given["as_json"])
        raise
    texts = {name: _in_options(getattr(report, name)) for name in ("summary", "sections", "notes")}
    return replace(report, **texts)


def _show(report: "Report", given: Mapping[str, Any], index: Path | None, session: "Session") -> None:
    """Print the answer; notes on what changes numbers come first, and are never left out."""
    from metaeval.cli.console import answer, out_console  # noqa: PLC0415 - rich

    form = next((form for form in _FORMS if given.get(form)), None)
    as_page = form is None and index is None
    if not given["as_json"] and not as_page:  # which have them themselves
        for note in report.changes:
            session.insist("Note: " + note)
    if given["as_json"]:
        answer(report.to_json())
    elif form is not None:
        answer(_FORMS[form][1](report), end="", for_programs=True)
    elif index is not None:
        answer(f"Report written: open {index}")
    else:
        from metaeval.page.terminal import show_report  # noqa: PLC0415 - rich

        show_report(report, out_console())
    if index is None:
        for note in (
            report.notes if given["as_json"] else (remark for remark in report.notes if remark not in report.changes)
        ):
            session.say("Note: " + note)
        source = report.provenance.random_source
        if source:
            session.say(f"{source[:1].upper()}{source[1:]}.")


def _in_options(part: Any) -> Any:  # noqa: ANN401 - whatever a page is made of
    """Return words, or parts of a page with the words in them, as the command line says them."""
    from metaeval.page.blocks import Choice, Fold, Item, Items, Section, Text  # noqa: PLC0415 - loads pandas

    if isinstance(part, str):
        return reworded(part, in_options(part))
    if isinstance(part, tuple):
        return tuple(map(_in_options, part))
    if not isinstance(part, Choice | Fold | Item | Items | Section | Text) or getattr(part, "look", "") == "code":
        return part
    field_names = [name for name in ("lead", "paragraphs", "words", "items", "blocks", "parts") if hasattr(part, name)]
    return replace(part, **{name: _in_options(getattr(part, name)) for name in field_names})


def _workers(given: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Open the workers that were asked for, where a command can have any."""
    if given.get("dask") is None and given.get("workers", 1) == 1:
        return nullcontext()
    from metaeval.running.workers import working  # noqa: PLC0415 - loads joblib

    return working(given["workers"], cluster=given["dask"], n_threads=given.get("threads"))


def _own_words(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked to stand over the report."""
    return {name: given[name] for name in ("title", "description") if given[name] is not None}


def _report_of(answer: Any) -> "Report":  # noqa: ANN401 - a study's result, or a report
    from metaeval.studies.study import Study  # noqa: PLC0415 - loads pandas

    return answer.report() if isinstance(answer, Study) else answer


def _print_rows(found: Any, *, as_json: bool) -> None:  # noqa: ANN401 - as above
    """Print what was computed as plain rows, where no page can be made of it."""
    from metaeval.cli.console import answer  # noqa: PLC0415 - rich

    if hasattr(found, "to_frame"):
        frame = found.to_frame()
        answer(frame.to_json(orient="records") if as_json else frame.to_csv(index=False))
