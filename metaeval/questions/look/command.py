"""`metaeval look`: what files of an evaluation are, and what they can answer."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from metaeval.base.needs import NEEDS
from metaeval.cli.command import command
from metaeval.cli.options import READING
from metaeval.cli.reading import Answer, Loaded
from metaeval.cli.settings import NO_SETTINGS
from metaeval.errors import MetaevalError

if TYPE_CHECKING:
    from metaeval.questions.look.study import Look


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
    return replace(found, provenance=loaded.provenance)


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
