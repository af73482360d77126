"""The help of a command as plain text: ``--help`` fits one screen, ``--help-all`` describes every option in full."""

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typer import echo

from metaeval.cli.typer_inside import (
    TyperCommand,
    TyperException,
    TyperGroup,
    TyperOption,
    declaration,
    described_like,
)
from metaeval.errors import UnknownNameError

QUESTION = "The question"
"""The panel of a command's own options, unless they say otherwise."""
OUTPUT = "Output"
SHARED_PANELS = ("Scoring runs", "Reading", "Choosing data", "Work", OUTPUT)
"""Panels of options that many commands share; they come last, in this order."""
_HELP_ALL = "--help-all"
_NARROWEST, _WIDEST = 60, 200
_READABLE = 100
"""Columns of running text."""
_NAMES = 28
"""Columns of an option with its value, beyond which its words begin further right, or on the next line."""
_LEAST = 32
"""Columns of words without which a default is not worth its place."""
_EXAMPLES = 3
_ENDS = (re.compile(r"[.;](?= )"), re.compile(r":(?= )| (?=\()"), re.compile(r",(?= and )"))
"""Where words can end early, best places first."""

if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object  # mixed into a command or a group


class _Helped(_Base):
    """What writes the help of a command, or of a group of them."""

    _help_all_option: TyperOption | None = None

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer's own signature
        """Return the parameters, and beside ``--help`` the option for all of it."""
        if self._help_all_option is None:
            self._help_all_option = TyperOption(
                param_decls=[_HELP_ALL],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                help="Describe every option and exit.",
                callback=_show_all,
                **described_like(self.get_help_option(ctx)),
            )
        return [*super().get_params(ctx), self._help_all_option]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own signature
        """Parse; an error knows the command it is about."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            error.ctx = getattr(error, "ctx", None) or ctx  # type: ignore[attr-defined]  # those of usage have one
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own signature
        """Write the short help."""
        formatter.write("\n".join(_short(self, ctx, _width())) + "\n")


class HelpedCommand(_Helped, TyperCommand):
    """A command whose help fits one screen."""


class HelpedGroup(_Helped, TyperGroup):
    """A group of commands whose help fits one screen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own signature
        """Parse; where nothing was typed, show the help."""
        if not args and not ctx.resilient_parsing:
            echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer's own signature
        """Find a command, or say which there are."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            raise UnknownNameError("command", args[0], names)
        return super().resolve_command(ctx, args)

    def groups(self, ctx: Any) -> Mapping[str, Mapping[str, str]]:  # noqa: ANN401 - typer's context
        """Return the commands under headings, each with its line."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {"Commands": {name: _sentence(command) for name, command in commands.items()}}


def _show_all(ctx: Any, _parameter: Any, value: bool) -> None:  # noqa: ANN401, FBT001 - typer's callback
    if value and not ctx.resilient_parsing:
        echo("\n".join(_full(ctx.command, ctx, _width())))
        ctx.exit()


def _width() -> int:
    """Return the columns of the terminal, or 80 where there is none."""
    return min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)


# ---------------------------------------------------------------------------------------------------------------- pages


def _short(command: Any, ctx: Any, width: int) -> list[str]:  # noqa: ANN401 - typer's
    """Return the lines of the short help."""
    arguments, panels = by_panel(command.get_params(ctx))
    lines = [*_usage(command, ctx, arguments, panels, width), ""]
    if isinstance(command, HelpedGroup):
        lines += [*_paragraphs(command, width), ""]
        lines += _listing(command.groups(ctx), width)
        lines += ["", *_names("Options", [parameter for panel in panels.values() for parameter in panel], width)]
        last = f"{ctx.command_path} COMMAND --help explains a command, {ctx.command_path} {_HELP_ALL} every option."
        return [*lines, *_text(last, width)]
    lines += [*_text(_sentence(command), width), "", *_examples(command, width), ""]
    for parameter in arguments:
        lines += [*_argument(parameter, width), ""]
    listed = [parameter for options in panels.values() for parameter in options if _one_by_one(parameter)]
    column = min(_NAMES, max((len(_typed(parameter)) for parameter in listed), default=0))
    lines += ["Options:", *(_option(parameter, column, width) for parameter in listed)] if listed else []
    for panel, options in panels.items():
        left = [parameter for parameter in options if parameter not in listed]
        lines += _names("Also" if panel == QUESTION else panel, left, width) if left else []
    return [*lines, "", *_text(f"{ctx.command_path} {_HELP_ALL} describes every option.", width)]


def _full(command: Any, ctx: Any, width: int) -> list[str]:  # noqa: ANN401 - typer's
    """Return the lines of the long help: every word of the command, its arguments and its options."""
    arguments, panels = by_panel(command.get_params(ctx))
    lines = [*_usage(command, ctx, arguments, panels, width), "", *_paragraphs(command, width)]
    if isinstance(command, HelpedGroup):
        for heading, commands in command.groups(ctx).items():
            lines += ["", _heading(heading)]
            lines += [line for name, words in commands.items() for line in _entry(name, words, width)]
    for parameter in arguments:
        lines += ["", *_entry(str(parameter.metavar), _told(parameter), width, indent="")]
    for panel, options in panels.items():
        lines += ["", f"{panel}:"]
        lines += [
            line for parameter in options for line in _entry(_typed(parameter, both=True), _told(parameter), width)
        ]
    return lines


def by_panel(parameters: Iterable[Any]) -> tuple[list[Any], dict[str, list[Any]]]:
    """Return the arguments, and the options by panel: those of the command first, then the shared ones."""
    arguments: list[Any] = []
    panels: dict[str, list[Any]] = {QUESTION: []}
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            arguments.append(parameter)
        else:
            panels.setdefault(OUTPUT if _helps(parameter) else parameter.rich_help_panel or "Options", []).append(
                parameter
            )
    order = [*(name for name in panels if name not in SHARED_PANELS), *SHARED_PANELS]
    return arguments, {name: panels[name] for name in order if panels.get(name)}


def _helps(option: Any) -> bool:  # noqa: ANN401 - typer's
    return not {"--help", _HELP_ALL}.isdisjoint(option.opts)


def _one_by_one(option: Any) -> bool:  # noqa: ANN401 - typer's
    """Say whether an option has a line of its own: as it is declared, or as part of the question."""
    often = getattr(declaration(option), "often", None)
    if often is not None:
        return bool(often)
    return option.required or (option.rich_help_panel in (QUESTION, None) and not _helps(option))


# ---------------------------------------------------------------------------------------------------------------- parts


def _usage(
    command: Any,  # noqa: ANN401 - typer's
    ctx: Any,  # noqa: ANN401 - typer's
    arguments: Sequence[Any],
    panels: Mapping[str, Sequence[Any]],
    width: int,
) -> list[str]:
    needed = [_typed(parameter) for options in panels.values() for parameter in options if parameter.required]
    inputs = [
        f"{parameter.metavar}{'...' if parameter.nargs == -1 and '…' not in parameter.metavar else ''}"
        for parameter in arguments
    ]
    pieces = [ctx.command_path, *inputs, *needed, "[OPTIONS]"]
    if isinstance(command, HelpedGroup):
        pieces = [ctx.command_path, "[OPTIONS]", "COMMAND", "..."]
    return _text(f"Usage: {' '.join(pieces)}", width, indent="       ")


def _listing(groups: Mapping[str, Mapping[str, str]], width: int) -> Iterator[str]:
    """Yield commands under their headings, one a line."""
    longest = max(len(name) for commands in groups.values() for name in commands)
    for heading, commands in groups.items():
        yield _heading(heading)
        for name, words in commands.items():
            yield f"  {name:{longest}}  {_cut(words, width - longest - 4)}"


def _heading(words: str) -> str:
    return words if words.endswith("?") else f"{words}:"


def _names(label: str, options: Sequence[Any], width: int) -> list[str]:
    return _text(f"{label}: {', '.join('/'.join(_spellings(option)) for option in options)}", width, indent="  ")


def _argument(argument: Any, width: int) -> list[str]:  # noqa: ANN401 - typer's
    """Return an argument in two lines at most."""
    start = f"{argument.metavar}  "
    lines = _text(start + _plain(argument.help), width, indent=" " * len(start))
    if len(lines) > 2:  # noqa: PLR2004 - as above
        remaining = _plain(argument.help).removeprefix(lines[0].removeprefix(start)).strip()
        lines = [lines[0], " " * len(start) + _cut(remaining, min(width, _READABLE) - len(start))]
    return lines


def _option(option: Any, column: int, width: int) -> str:  # noqa: ANN401 - typer's
    """Return an option in one line: its name and value, its words cut to what fits, and its default."""
    left = f"  {_typed(option):{column}}  "
    room = width - len(left)
    default = "[required]" if option.required else f"[{_default(option)}]" if _default(option) else ""
    if len(default) + 2 + _LEAST > room:
        default = ""
    words = _cut(_words(option), room - len(default) - 2 * bool(default))
    return f"{left}{words}{'  ' * bool(default)}{default}".rstrip()


def _entry(left: str, words: str, width: int, *, indent: str = "  ") -> Iterator[str]:
    """Yield a name and its words in full, in two columns."""
    margin = " " * (len(indent) + _NAMES + 2)
    lines = textwrap.wrap(words, min(width, _READABLE + len(margin)) - len(margin), break_on_hyphens=False) or [""]
    if len(left) > _NAMES:
        yield indent + left
    else:
        yield f"{indent}{left:{_NAMES}}  {lines.pop(0)}".rstrip()
    yield from (margin + line for line in lines)


def _paragraphs(command: Any, width: int) -> Iterator[str]:  # noqa: ANN401 - typer's
    """Yield the text of a command, and its examples as a shell reads them."""
    before = ""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        indented = paragraph.startswith("    ")
        if before and not (indented and before.startswith("    ")):
            yield ""
        words = " ".join(paragraph.split())
        yield from _broken(words, width) if indented else _text(_plain(words), width)
        before = paragraph


def _examples(command: Any, width: int) -> list[str]:  # noqa: ANN401 - typer's
    """Return two or three examples: first those that fit one line."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    examples = [" ".join(paragraph.split()) for paragraph in parts if paragraph.startswith("    ")]
    fitting = [example for example in examples if len(example) + 2 <= width][:_EXAMPLES]
    chosen = fitting if len(fitting) > 1 else examples[:2]
    lines = [line for example in examples if example in chosen for line in _broken(example, width)]
    return [f"Example{'s' * (len(chosen) > 1)}:", *lines]


def _broken(example: str, width: int) -> Iterator[str]:
    """Yield a command line in as many lines as it takes, as a shell reads it."""
    line = "  "
    for word in re.findall(r"--\S+ [^\s-]\S*|\S+", example):  # an option stays beside its value
        if line.strip() and len(line) + len(word) + 3 > width:
            yield f"{line} \\"
            line = "      "
        line += f" {word}" if line.strip() else word
    yield line


# ---------------------------------------------------------------------------------------------------------------- words


def _sentence(command: Any) -> str:  # noqa: ANN401 - typer's
    return _plain((command.help or "").strip().split("\n")[0])


def _words(parameter: Any) -> str:  # noqa: ANN401 - typer's
    """Return what is said of a parameter, and the names that installed packages add to it."""
    adds = getattr(declaration(parameter), "adds", None)
    names = ", ".join(adds()) if adds else ""
    return _plain(parameter.help) + f" Installed: {names}." * bool(names)


def _plain(words: str | None) -> str:
    return (words or "").replace("`", "")


def _text(words: str, width: int, *, indent: str = "") -> list[str]:
    return textwrap.wrap(
        words,
        min(width, _READABLE),
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _cut(words: str, room: int) -> str:
    """Return words that fit: all, those up to the end of a clause, or what there is room for.

    Examples
    --------
    >>> _cut("Score runs with judgments: the mean of every run.", 60)
    'Score runs with judgments: the mean of every run.'
    >>> _cut("Score runs with judgments: the mean of every run.", 40)
    'Score runs with judgments.'
    >>> _cut("Smallest difference that counts on an item.", 30)
    'Smallest difference that…'
    """
    if len(words) <= room:
        return words
    for ends in _ENDS:
        places = [position.start() for position in ends.finditer(words) if room // 3 <= position.start() < room]
        clauses = [
            words[:position] for position in places if words[:position].count("(") == words[:position].count(")")
        ]
        if clauses:
            return f"{clauses[-1]}."
    return f"{words[: room - 1].rpartition(' ')[0].rstrip(',;:')}…"


def _spellings(option: Any) -> list[str]:  # noqa: ANN401 - typer's
    """Return the long name of an option, and that which takes it back."""
    return [max(names, key=len) for names in (option.opts, option.secondary_opts) if names]


def _typed(option: Any, *, both: bool = False) -> str:  # noqa: ANN401 - typer's
    """Return an option as it is typed, on request with its other spellings."""
    names = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts] if both else _spellings(option)
    return " ".join(["/".join(names), *([] if option.is_flag else [str(option.metavar)])])


def _told(parameter: Any) -> str:  # noqa: ANN401 - typer's
    """Return all words on a parameter, with its default."""
    option = parameter.param_type_name == "option"
    default = _default(parameter) if option else ""
    return " ".join(
        [
            _words(parameter),
            *([f"Default: {default}."] if default else []),
            *(["Required."] if option and parameter.required else []),
        ]
    )


def _default(option: Any) -> str:  # noqa: ANN401 - typer's
    """Return the default of an option as it is shown, "" if it has none."""
    if isinstance(option.show_default, str):
        return option.show_default
    nothing = option.default in (None, "", [], ()) or callable(option.default) or not option.show_default
    if option.is_flag and option.secondary_opts:
        return str((option.opts if option.default else option.secondary_opts)[0])
    return "" if nothing or option.is_flag or option.required else str(option.default)
