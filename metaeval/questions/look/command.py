"""`metaeval look`: what files of an evaluation are, and what they can answer."""

import re
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.base.needs import NEEDS
from metaeval.cli.command import command
from metaeval.cli.messages import in_options, speaking_in_options
from metaeval.cli.option import arguments_of
from metaeval.cli.options import READING
from metaeval.cli.reading import Answer, Loaded
from metaeval.cli.settings import NO_SETTINGS
from metaeval.errors import FileFormatError, MetaevalError, ScoresError

if TYPE_CHECKING:
    from metaeval.questions.look.study import Look
    from metaeval.questions.look.study_kinds import Contents

_OF_HUMAN = frozenset({"inputs", "where", "lower_is_better", "system_column", "item_column", "cluster_column"})
"""Options that ``metaeval human`` has too."""
_RENAMED = re.compile(r"if '([^']+)' is that of '[^']+', rename it to '([^']+)'")
_RENAMING = "{2} '1s/{0}/{1}/'"
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_UNPACKED = {"is a zip archive": "unzip {0} -d {1}", "is a tar archive": "mkdir -p {1} && tar -xf {0} -C {1}"}
"""What a refusal says of an archive, and how it is unpacked into a folder."""
_FILTER = re.compile(r"\((sed (?:-E )?'[^']*'|tr -d ,|tr , \.|(?:tail -n \+2 <\S+ \| )?awk '[^']*')\)")
_VALUE = r"(?!or |if |to |--)(?:'[^']*+'|(?:[^\s,;:()]|,(?=\S))++)"
_OPTIONS = rf"((?: ?--[\w-]++(?: {_VALUE})?)++)"
_OPTION = re.compile(rf"(?:pass |such as |\()(?!--word ){_OPTIONS}(?! if these are no)")
_COMMAND = re.compile(rf"\bmetaeval ([\w-]+){_OPTIONS}")
"""What a refusal advises: a filter to write the file anew, or options; what a word means only who wrote it knows."""


_PLACE = re.compile(r"\bNAME\b")
"""Where only somebody who knows can put a name."""
_UNREAD = "nothing was read; why, and what to do, is said above"


@command("look", reads="any")
def look_command(loaded: Loaded) -> Answer:
    """Say what files of an evaluation are, and what they can answer.

    Each question comes with its command. Files are recognised by their content. Options say what it does not tell, and
    stand in every command that is shown.

    For example:

        metaeval look scores.csv

        metaeval look runs/ qrels.txt

        metaeval votes.csv
    """
    from metaeval.io.means import MeansAloneError  # noqa: PLC0415 - loads pandas
    from metaeval.questions.look.study import look as ask  # noqa: PLC0415 - as above

    asked = partial(_asked, loaded)
    if any(loaded.given(name) for name in READING["any"].keys() - {"inputs"}):
        try:
            return ask(loaded.scores(fewest=1), provenance=loaded.provenance, asked=asked)
        except MeansAloneError as alone:
            board = ask(alone.board, provenance=loaded.provenance, asked=asked)
            return replace(board, contents=replace(board.contents, files=tuple(alone.paths)))
        except (FileFormatError, ScoresError) as error:  # which may name an option more
            for more in _ways(in_options(str(error)), "look")[:1]:
                error.add_note(f"{_asked(loaded, 'look', instead=more)} {more}")
            raise
    unfit = ""
    if loaded.set_by_file:
        try:
            return ask(loaded.scores(fewest=1), provenance=loaded.provenance, asked=asked)
        except MetaevalError as error:  # the settings may be about other files
            unfit = "" if hasattr(error, "board") else str(error)
    looked = ask(loaded.options["inputs"])
    loaded.read(*looked.contents.files)
    if unfit or loaded.leaves_settings_out:
        looked = _without_settings(looked, unfit)
    looked = _in_its_options(looked)
    if looked.contents.refusal:
        loaded.at_end(_refuse)
    return replace(looked, provenance=loaded.provenance, way=_way(looked.contents))


def _refuse() -> None:
    """End as other commands end with what they cannot read."""
    raise FileFormatError(_UNREAD)


def _in_its_options(found: "Look") -> "Look":
    """Return what was said in the options of the command that reads such files, where they are not those of look."""
    from metaeval.cli.commands import command_called  # noqa: PLC0415 - imports this module

    contents = found.contents
    needing = (name for name, need in NEEDS.items() if contents.kind in need.get("of", ()))
    name = contents.asked_of or next(needing, "")
    if name not in {"votes", "judges", "human"}:
        return found
    with speaking_in_options(arguments_of(command_called(name))):
        told, notes = in_options(contents.refusal), tuple(map(in_options, found.notes))
    refusal = f"{told} ({_typed(name, contents)})" if told else ""
    return replace(found, contents=replace(contents, refusal=refusal), notes=notes)


def _asked(loaded: Loaded, name: str, *, instead: str = "") -> str:
    """Return how a command is called with what was typed, as far as it has these options, and none said `instead`."""
    again = {option.replace("-", "_") for option in re.findall(r"--([\w-]+)", instead)}
    once = {option for option in again if not isinstance(loaded.options.get(option), list)}
    return loaded.typed(name, {*(_OF_HUMAN if name == "human" else READING["any"])} - once)


def _typed(name: str, contents: "Contents") -> str:
    """Return how a command is called with files that cannot be read as they are."""
    return " ".join(
        [f"metaeval {name}", contents.named.get("files", "FILE"), *filter(None, [contents.options.get(name)])]
    )


def _plain(name: str) -> str:
    """Return a name as a shell filter takes it to the letter."""
    return re.sub(r"([][\\/.*^$&])", r"\\\1", name)


def _advised(refusal: str, name: str) -> list[re.Match[str]]:
    """Return the options of a command that a refusal advises; one that needs a value and has none is only named."""
    from metaeval.cli.commands import command_called  # noqa: PLC0415 - imports this module

    flags = {
        called for option in command_called(name).params if getattr(option, "is_flag", False) for called in option.opts
    }

    def are_whole(words: str) -> bool:
        typed = shlex.split(words)
        return not any(
            option.startswith("--") and option not in flags and (value.startswith("--") or _PLACE.search(value))
            for option, value in zip(typed, [*typed[1:], "--"], strict=True)
        )

    return [option for option in _OPTION.finditer(refusal) if are_whole(option[1])]


def _ways(refusal: str, name: str) -> list[str]:
    """Return the first options that a refusal advises, and those after an "or"; none where a gap becomes a score."""
    options = _advised(refusal, name)
    ways = [option[1] for at, option in enumerate(options) if not at or refusal[: option.start()].endswith(" or ")]
    if ways[:1] == ["--missing zero"]:  # the first of several ways, which needs to know what a gap is
        return ["--missing drop-topics" if name == "judges" else "--missing pairwise"]
    return ways


def _way(contents: "Contents") -> str:
    """Return the command that a refusal leads to: what mends the file, or the option that says how to read it."""
    refusal = in_options(contents.refusal)
    mended, reader = _FILTER.search(refusal), contents.asked_of or "look"
    if renamed := _RENAMED.search(refusal):
        mended = re.match("(.*)", _RENAMING.format(*map(_plain, renamed.groups()), "sed"))
    path = Path(contents.files[0]) if len(contents.files) == 1 else None
    unpacked = next((way for says, way in _UNPACKED.items() if says in refusal), "")
    if path is not None and unpacked and path.suffix:
        folder = shlex.quote(str(path.with_name(re.sub(r"(?<=.)(?:\.tar)?\.\w+\Z", "", path.name))))
        return f"{unpacked.format(shlex.quote(str(path)), folder)}\nmetaeval look {folder}"
    if mended and path is not None and path.suffix not in _PACKED:
        new = shlex.quote(str(path.with_name(f"{path.stem}.mended{path.suffix}")))
        source = "" if " <" in mended[1] else f" < {shlex.quote(str(path))}"
        return f"{mended[1]}{source} > {new}\nmetaeval look {new}"
    asked, other = _typed(reader, contents), _COMMAND.search(refusal)
    ways = [f"{asked} {words}" for words in _ways(refusal, reader)]
    ways += [f"{_typed(other[1], contents)}{other[2]}"] if other and not ways else []
    return "\n".join(ways)


def _without_settings(found: "Look", unfit: str) -> "Look":
    """Return the same with commands that leave files of settings out, as these files were read."""
    if found.kind not in {"scores", "means", "several"}:
        return found
    commands = found.questions["command"]
    settable = found.questions["name"].map(lambda name: "scores" in NEEDS[name].get("of", ()))
    plain = commands.mask(
        settable & (commands != ""), f"metaeval {NO_SETTINGS}" + commands.str.removeprefix("metaeval")
    )
    notes = [f"read without these settings, which do not fit: {unfit}"] if unfit else []
    return replace(found, questions=found.questions.assign(command=plain), notes=(*notes, *found.notes))
