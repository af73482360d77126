"""What an option of a command is: declared once, for the help, for the check of its value and for messages."""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, Self

import typer

from metaeval.cli.checks import Check, completed, file_path, files_to_read, has_names, one_of
from metaeval.cli.help import QUESTION
from metaeval.cli.messages import error_in_options
from metaeval.cli.typer_inside import OptionInfo, declaration
from metaeval.errors import MetaevalError


class Option(OptionInfo):
    """An option, said once: its words in the help, the check of its value, and what the library calls it.

    Parameters
    ----------
    metavar : str or None
        What stands for the value in the help; None for a flag.
    words : str
        What the help says of it.
    check : Check, optional
        What its value must be; see `metaeval.cli.checks`.
    name : str
        As it is typed, ``--out -o``; by default that of the parameter.
    shown : str, optional
        What the help says of the default, where that is worked out later.
    panel : str, optional
        Where in the help it stands.
    means : str
        Arguments of the library that it stands for in messages, by blanks, beside those of the parameter's name
        (``trials`` and ``n_trials``); one that holds a part of an argument says which, ``columns.topic``.
    needs : str
        Parameters by blanks, without any of which it does nothing.
    excludes : str
        Parameters by blanks, none of which must be given beside it.
    adds : callable, optional
        Gives names that installed packages add, which the help tells behind the words.
    often : bool, optional
        Whether the short help has a line for it, or its name only; by default, a line if it is part of the question.
    """

    def __init__(  # noqa: PLR0913 - what an option may say
        self,
        metavar: str | None,
        words: str,
        check: Check | None = None,
        *,
        name: str = "",
        shown: str | bool = True,
        panel: str | None = QUESTION,
        parser: Callable[[str], Any] | None = None,
        means: str = "",
        needs: str = "",
        excludes: str = "",
        adds: Callable[[], Iterable[str]] | None = None,
        often: bool | None = None,
    ) -> None:
        super().__init__(
            default=...,
            param_decls=name.split(),
            callback=_callback(check),
            metavar=metavar,
            help=words,
            show_default=shown,
            rich_help_panel=panel,
            parser=parser,
            autocompletion=_completion(check, several=",…" in (metavar or "")),
        )
        self.check, self.means, self.needs, self.excludes = check, means.split(), needs.split(), excludes.split()
        self.often, self.adds = often, adds

    def but(
        self,
        *,
        words: str = "",
        shown: str | bool = "",
        panel: str | None = "",
        needs: str = "",
        often: bool | None = None,
    ) -> Self:
        """Return the same option, of which a command says something else."""
        variant = copy(self)
        variant.often = self.often if often is None else often
        variant.help, variant.show_default = words or self.help, shown or self.show_default
        variant.rich_help_panel, variant.needs = (
            self.rich_help_panel if panel == "" else panel,
            needs.split() or self.needs,
        )
        return variant


def _completion(check: Check | None, *, several: bool) -> Callable[[str], list[str]] | None:
    """Return what a shell asks for the values that begin as what was typed; None where only the input can tell."""
    if not has_names(check):
        return None

    def offered(incomplete: str) -> list[str]:
        return completed(check, incomplete, several=several)

    return offered


def flag(name: str, words: str, **told: Any) -> Option:  # noqa: ANN401 - as `Option` takes them
    """Return an option without a value."""
    return Option(None, words, name=name, **told)


def choice(words: str, *choices: str, **told: Any) -> Option:  # noqa: ANN401 - as above
    """Return an option that takes one of a few words."""
    return Option("|".join(choices), words, one_of(*choices), **told)


def path(metavar: str, words: str, check: Check | None = None, **told: Any) -> Option:  # noqa: ANN401 - as above
    """Return an option that takes a file or a folder."""
    return Option(metavar, words, check, parser=file_path, **told)


_FILES = files_to_read()


def argument(metavar: str, words: str, check: Check | None = _FILES, **told: Any) -> Any:  # noqa: ANN401 - typer's
    """Return what typer must know of an argument: names of files to read, unless another check says otherwise."""
    return typer.Argument(metavar=metavar, help=words, callback=_callback(check), show_default=False, **told)


def given_at(context: typer.Context, name: str) -> bool:
    """Say whether a parameter was given on the command line (and is no default)."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def label_of(parameter: Any) -> str:  # noqa: ANN401 - typer's
    """Return what messages call a parameter: its option, or for an argument what stands for it in the help."""
    return str(parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar)


def _callback(check: Check | None) -> Callable[..., Any] | None:
    """Return what typer calls with the value of an option, default or given; only what was given is checked."""
    if check is None:
        return None

    def callback(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:  # noqa: ANN401 - any option's
        if value is None or context.resilient_parsing or not given_at(context, str(parameter.name)):
            return value
        option = label_of(parameter)
        try:
            return check(value, option)
        except MetaevalError as error:
            if option not in error_in_options(error):
                error.args = (f"{option}: {error}", *error.args[1:])
            raise

    return callback


def declared(command: Any) -> Iterator[tuple[Any, Option]]:  # noqa: ANN401 - typer's
    """Yield the parameters of a command that were declared as an `Option`, each with that."""
    for parameter in command.params:
        if isinstance(option := declaration(parameter), Option):
            yield parameter, option


def arguments_of(command: Any) -> dict[str, str]:  # noqa: ANN401 - typer's
    """Return the arguments of the library that the options of a command stand for, each with its option.

    What an option is declared to mean comes before what its own name says. Of two options for one argument, as element
    sizes and topic set sizes are, that of the question comes first.
    """
    arguments: dict[str, str] = {}
    options = sorted(declared(command), key=lambda one: one[1].rich_help_panel != QUESTION)
    for parameter, option in options:
        arguments |= {name: parameter.opts[0] for name in option.means if name not in arguments}
    for parameter, _ in options:
        arguments.setdefault(parameter.name, parameter.opts[0])
        if not parameter.is_flag:
            arguments.setdefault(f"n_{parameter.name}", parameter.opts[0])
    return arguments
