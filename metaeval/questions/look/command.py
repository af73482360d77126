"""`metaeval look`: what files of an evaluation are, and what they can answer."""

import re
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.base.needs import NEEDS
from metaeval.cli.command import command
from metaeval.cli.messages import in_options
from metaeval.cli.options import READING
from metaeval.cli.reading import Answer, Loaded
from metaeval.cli.settings import NO_SETTINGS
from metaeval.errors import MetaevalError

if TYPE_CHECKING:
    from metaeval.questions.look.study import Look
    from metaeval.questions.look.study_kinds import Contents

_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_FILTER = re.compile(r"\((sed (?:-E )?'[^']*'|tr -d ,|tr , \.)\)")
_OPTION = re.compile(r"pass (--[\w-]+(?: (?!or |if )(?:'[^']*'|[^\s,;:()]+))?)")
"""What a refusal advises: a filter to write the file anew, or an option."""


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
    from metaeval.questions.look.study import look as ask  # noqa: PLC0415 - loads pandas

    reading = READING["any"].keys()
    asked = partial(loaded.typed, among=reading)
    if any(loaded.given(name) for name in reading - {"inputs"}):
        return ask(loaded.scores(fewest=1), provenance=loaded.provenance, asked=asked)
    unfit = ""
    if loaded.set_by_file:
        try:
            return ask(loaded.scores(fewest=1), provenance=loaded.provenance, asked=asked)
        except MetaevalError as error:  # the settings may be about other files
            unfit = "" if hasattr(error, "board") else str(error)
    found = ask(loaded.options["inputs"])
    loaded.read(*found.contents.files)
    if unfit or loaded.leaves_settings_out:
        found = _without_settings(found, unfit)
    return replace(found, provenance=loaded.provenance, way=_way(found.contents))


def _way(contents: "Contents") -> str:
    """Return the command that a refusal leads to: what mends the file, or the option that says how to read it."""
    refusal = in_options(contents.refusal)
    mended, option = _FILTER.search(refusal), _OPTION.search(refusal)
    if mended and len(contents.files) == 1 and not contents.files[0].endswith(_PACKED):
        path = Path(contents.files[0])
        new = shlex.quote(str(path.with_name(f"{path.stem}.mended{path.suffix}")))
        return f"{mended[1]} < {shlex.quote(str(path))} > {new}\nmetaeval look {new}"
    return f"metaeval look {contents.named.get('files', '')} {option[1]}" if option else ""


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
