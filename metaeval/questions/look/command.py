"""`metaeval look`: what files of an evaluation are, and what they can answer."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from metaeval.cli.command import command
from metaeval.cli.options import READING
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import MetaevalError


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
    if loaded.set_by_file:
        with suppress(MetaevalError):  # the settings may be about other files
            return ask(loaded.scores(fewest=1), provenance=loaded.provenance, asked=asked)
    found = ask(loaded.options["inputs"])
    loaded.read(*found.contents.files)
    return replace(found, provenance=loaded.provenance)
