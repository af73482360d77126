"""A command line that cannot be understood, in the form of all errors: what is wrong, and the way out."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from metaeval.base.names import shortened
from metaeval.base.words import listed
from metaeval.cli.typer_inside import TyperException
from metaeval.errors import closest_names

_TYPES = {"integer": "a whole number", "number": "a number"}
"""What typer calls the type of a value, and what we do."""
_OF_TYPE = re.compile(rf"(?:Input should be a valid|Unable to parse input string as an?) ({'|'.join(_TYPES)})\b.*")
_LONGEST = 100
"""Letters of a value that an error quotes."""
_EXTRA = re.compile(r"Got unexpected extra argument\S* \((.*)\)", re.DOTALL)


def usage_error(error: TyperException) -> str:
    """Return what is wrong with a command line, and what to type instead."""
    context = getattr(error, "ctx", None)
    program = "metaeval" if context is None else context.command_path
    told = _TOLD.get(type(error).__name__)
    if told is not None:
        return told(error, program)
    if error.message.startswith("Missing command"):
        return f"no command is given; {program} --help lists them"
    extra = _EXTRA.fullmatch(error.message)
    wrong = f"{program} takes no {extra[1]!r}" if extra else error.message.rstrip(".")
    return f"{wrong}; {program} --help says how to type it"


def _unknown_option(error: Any, program: str) -> str:  # noqa: ANN401 - typer's
    owners = getattr(error, "owners", ())
    if owners:
        verb = "has" if len(owners) == 1 else "have"
        return f"{program} has no option {error.option_name!r}; {listed(owners)} {verb} it"
    near = closest_names(error.option_name, [name for name in _options(error.ctx) if name.startswith("--")])
    guess = f"; did you mean {' or '.join(near)}?" if near else "."
    return f"{program} has no option {error.option_name!r}{guess} {program} --help names all"


def _bad_use(error: Any, _program: str) -> str:  # noqa: ANN401 - typer's
    name = error.option_name
    option = _options(error.ctx).get(name)
    if option is None or option.is_flag:
        return f"{name} takes no value; leave it out"
    return f"{name} needs a value; write it behind, as in {name} {option.metavar}"


def _missing(error: Any, program: str) -> str:  # noqa: ANN401 - typer's
    return f"{program} needs {_label(error.param)}; {program} --help says how to type it"


def _bad_value(error: Any, _program: str) -> str:  # noqa: ANN401 - typer's
    """Return what a value must be, behind its place in a study if it was none of the command line."""
    name = _label(error.param).split(" ")[0]
    told = _OF_TYPE.search(error.message)
    if told is None:
        return f"{name}: {error.message.rstrip('.')}"
    value = error.__cause__.errors()[0]["input"] if error.__cause__ else ""
    return f"{error.message[: told.start()]}{name} must be {_TYPES[told[1]]}, not {shortened(repr(value), _LONGEST)}"


_TOLD: Mapping[str, Callable[[Any, str], str]] = {
    "NoSuchOption": _unknown_option,
    "BadOptionUsage": _bad_use,
    "MissingParameter": _missing,
    "BadParameter": _bad_value,
}
"""What is told of each kind of error; typer has no public names for them."""


def _options(context: Any) -> dict[str, Any]:  # noqa: ANN401 - typer's
    """Return the options of a command by each of their names."""
    options = [option for option in context.command.get_params(context) if option.param_type_name == "option"]
    return {name: option for option in options for name in (*option.opts, *option.secondary_opts)}


def _label(parameter: Any) -> str:  # noqa: ANN401 - typer's
    """Return an option with its value, or an argument, as the help writes it."""
    metavar = str(parameter.metavar)
    return f"{max(parameter.opts, key=len)} {metavar}" if parameter.param_type_name == "option" else metavar
